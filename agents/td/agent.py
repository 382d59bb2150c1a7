"""The agent that values afterstates: ``"td:FILE"``."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ludotheque.envs.core.errors import check_finite
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.threads import check_num_threads, run
from ludotheque.envs.core.jit import specialize

from ..base import Agent
from .kernels import TEMPLATES
from .model import ValueModel, check_model, make_work, read_value_model, stack

_compiled: dict[str, SimpleNamespace] = {}


def compile_for(game: Game) -> SimpleNamespace:
    """Return ``choose_rows`` and ``play_games`` for ``game``; compiled on first call."""
    if game.name not in _compiled:
        bound = dict(game.kernels)
        for label, template in TEMPLATES.items():
            wanted = {k: v for k, v in bound.items() if k in template.__code__.co_names}
            bound[label] = specialize(template, f"{game.name}_td_{label}", **wanted)
        _compiled[game.name] = SimpleNamespace(**{label: bound[label] for label in TEMPLATES})
    return _compiled[game.name]


class TDAgent(Agent):
    """Tries every legal action and keeps the one that leads to the best position, as learned.

    A position is worth the game's ``evaluate``, as to the greedy agent, and what a small network
    adds to it from the seat's observation. Hidden things and chance are drawn anew before the
    actions are tried.

    Args:
        game: the game it plays.
        path: of the model file, as `ludotheque train --method td` writes it; or a ``ValueModel``.
        temperature: of Gumbel noise added to the values, which are around 1; 0 plays the best.
        num_threads: threads that share a batch of decisions.
        seed: of the agent's own generator, for ``act`` without seeds.
        num_players: refuse a model trained for another number; None takes any.

    Attributes:
        about: what the file says of itself.

    Raises:
        FileNotFoundError: no such file.
        ValueError: not such a file, or a model that doesn't fit the game; a setting out of range.
    """

    name = "td"
    needs_states = True

    def __init__(
        self,
        game: str | Game,
        path: str | os.PathLike | ValueModel | None = None,
        temperature: float = 0.0,
        num_threads: int = 1,
        seed: int | None = None,
        num_players: int | None = None,
    ):
        super().__init__(game, seed)
        if path is None:
            raise ValueError(
                "td needs a model file: write td:PATH, for example td:runs/saga/best.zip; "
                "`ludotheque train --method td` makes one"
            )
        if check_finite(temperature, "temperature") < 0:
            raise ValueError(f"temperature is {temperature!r}; give a number from 0 up")
        self.temperature = float(temperature)
        self.num_threads = check_num_threads(num_threads)
        if isinstance(path, ValueModel):
            model = path
            check_model(model, self.game)
        else:
            self.path = Path(path)
            model = read_value_model(path, self.game, num_players)
        self.about = model.about
        self._nets = stack(self.game, tuple(model.about["inputs"]), [model.arrays])

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        if states is None:
            raise ValueError("td looks ahead: pass states, determinized for the seat to act")
        actions = np.zeros(len(states), np.int64)
        seeds = self.seeds_or_own(seeds, len(states))
        run(self._act, self.num_threads, states, np.asarray(masks), seeds, actions)
        return actions

    def _act(self, states, start, stop, masks, seeds, actions) -> None:
        work = make_work(self.game, self._nets)
        choose = compile_for(self.game).choose_rows
        asked = (masks, seeds)
        choose(states, start, stop, asked, self._nets, work, self.temperature, actions)
