"""The agent that evaluates afterstates: ``"td:FILE"``."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from ludotheque.envs.core.errors import check_choice, check_finite, check_share, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.threads import check_num_threads, run
from ludotheque.envs.core.jit import specialize
from ludotheque.envs.core.schema import total_size

from ..base import Agent
from ..mcts import LEAVES, leaf_method, usual_settings
from ..search import MOST_SIMULATIONS
from . import beliefs, kernels, play, tree
from .model import (
    BELIEFS,
    ValueModel,
    check_model,
    form_of,
    make_tree,
    make_work,
    positions_of,
    read_value_model,
    rivalry_of,
    stack,
)

# The kernels that each use needs, and those that it provides to others.
TEMPLATES = {
    "choose": kernels.TEMPLATES,
    "beliefs": beliefs.LEARNING,
    "play": {"search": play._no_search, **play.TEMPLATES},
    "search": tree.TEMPLATES,
    "play and search": play.TEMPLATES,
}
NEEDS = {"choose": (), "beliefs": (), "play": ("choose",), "search": ("choose",)}
NEEDS["play and search"] = ("choose", "search")
LEADS = ("value", "policy")
# Defaults; a game may have its own in ``Game.learning``.
_DEFAULTS = {"exploration": 1.0, "scale": 20.0, "playouts": 0.0}
_compiled: dict[tuple[Game, str], SimpleNamespace] = {}


def compile_for(game: Game, use: str) -> SimpleNamespace:
    """Return the loops of ``game`` for ``use``, one of ``TEMPLATES``; compiled when called."""
    if (game, use) not in _compiled:
        bound = {**game.kernels, "final": game.loops.final, "play_out": game.loops.play_out}
        if form_of(game) != "flat":
            bound["observe"] = game.kernels[f"observe_{form_of(game)}"]
        for earlier in NEEDS[use]:
            bound |= vars(compile_for(game, earlier))
        loops = SimpleNamespace()
        prefix = f"{game.name}_{use.replace(' ', '_')}"
        for label, template in TEMPLATES[use].items():
            wanted = {k: v for k, v in bound.items() if k in template.__code__.co_names}
            bound[label] = specialize(template, f"{prefix}_{label}", **wanted)
            setattr(loops, label, bound[label])
        _compiled[game, use] = loops
    return _compiled[game, use]


class TDAgent(Agent):
    """Tries every legal action and chooses the best resulting position by a trained model.

    The value of a position is the game's ``evaluate``, as for the greedy agent, plus the output of
    a small network on the seat's observation. Hidden information and chance are resampled before
    actions are tried. With ``simulations`` it searches a tree (see ``tree``).

    Args:
        game: the game it plays.
        path: path of a model file written by `ludotheque train --method td`, or a ``ValueModel``.
        simulations: number of search simulations per decision; 0 plays without search.
        candidates: number of actions searched at the root, the best by the network.
        exploration: weight of exploration below the root, for values that are around 1. Here and
            for the next two, None means the game's preference, or 1.0, 20.0, 0.0.
        scale: amount that a search value of 1 adds to a logit.
        playouts: weight of a playout in the value of a new position of the search, 0 to 1; the rest
            is the network's.
        leaf: the kind of playout: a random ``"playout"`` to the end, or ``"evaluate"``: greedy
            plies, with the length and evaluation of ``mcts``. None means as in ``mcts``.
        lead: what decides without search: the "value" or the "policy" of the network; None means as
            in training.
        limit: number of actions that the network evaluates, the best by ``glance``; None means as
            in training.
        temperature: without search, the temperature of Gumbel noise added to values or logits; 0
            plays the best action.
        num_threads: number of threads that share a batch of decisions.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.
        num_players: reject models trained for another number; None accepts any.
        beliefs: whether a search samples what the seat can't know by the model's belief network
            instead of uniformly; None means if it has one.

    Attributes:
        about: the file's metadata.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is invalid or doesn't fit the game, or a setting is out of range.
    """

    name = "td"
    needs_states = True

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        path: str | os.PathLike | ValueModel | None = None,
        simulations: int = 0,
        *,
        candidates: int = 16,
        exploration: float | None = None,
        scale: float | None = None,
        playouts: float | None = None,
        leaf: str | None = None,
        lead: str | None = None,
        limit: int | None = None,
        temperature: float = 0.0,
        num_threads: int = 1,
        seed: int | None = None,
        num_players: int | None = None,
        beliefs: bool | None = None,
    ):
        super().__init__(game, seed)
        if path is None:
            raise ValueError(
                "td needs a model file: write td:PATH, for example td:runs/saga/best.zip; "
                "`ludotheque train --method td` makes one"
            )
        own = {**_DEFAULTS, **self.game.learning}
        exploration = own["exploration"] if exploration is None else exploration
        scale = own["scale"] if scale is None else scale
        playouts = own["playouts"] if playouts is None else playouts
        for name, number in (
            ("temperature", temperature),
            ("exploration", exploration),
            ("scale", scale),
        ):
            if check_finite(number, name) < 0:
                raise ValueError(f"{name} is {number!r}; give a number from 0 up")
        self.temperature = float(temperature)
        self.simulations = check_whole(simulations, "simulations", 0, MOST_SIMULATIONS)
        self.candidates = check_whole(candidates, "candidates", 1)
        self.exploration = float(exploration)
        self.scale = float(scale)
        self.playouts = check_share(playouts, "playouts")
        leaf = usual_settings(self.game)["leaf"] if leaf is None else leaf
        check_choice(leaf, LEAVES, "leaf")
        self.leaf = leaf
        self.num_threads = check_num_threads(num_threads)
        if isinstance(path, ValueModel):
            model = path
            check_model(model, self.game)
        else:
            self.path = Path(path)
            model = read_value_model(path, self.game, num_players)
        self.about = model.about
        self.lead = model.about["lead"] if lead is None else lead
        check_choice(self.lead, LEADS, "lead")
        limit = min(model.about["limit"], self.game.num_actions) if limit is None else limit
        self.limit = min(check_whole(limit, "limit", 1), self.game.num_actions)
        check_choice(beliefs, (None, True, False), "beliefs")
        self._belief = None if beliefs is False else model.beliefs
        if beliefs and self._belief is None:
            raise ValueError(
                f"beliefs is True, but this model of {self.game.name} has none: leave it out"
            )
        self.beliefs = self._belief is not None
        self._nets = stack(self.game, tuple(model.about["inputs"]), [model.arrays])

    def _made_anew(self) -> TDAgent:
        arrays = {name: part[0].astype(np.float32) for name, part in self._nets._asdict().items()}
        del arrays["rows"]
        if self._belief is not None:
            arrays |= dict(zip(BELIEFS, self._belief, strict=True))
        return TDAgent(
            self.game,
            ValueModel(self.about, arrays),
            self.simulations,
            candidates=self.candidates,
            exploration=self.exploration,
            scale=self.scale,
            playouts=self.playouts,
            leaf=self.leaf,
            lead=self.lead,
            limit=self.limit,
            temperature=self.temperature,
            num_threads=self.num_threads,
            seed=int(self._seed),
            beliefs=self.beliefs,
        )

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        actions, _, _ = self._found(masks, states, seeds, rows=0)
        return actions

    def values(self, states, masks, seeds=None) -> np.ndarray:
        """Return the values of the legal actions without search, float64 ``(n, num_actions)``.

        They are for the seat to act, in points, and 0 for illegal actions.
        """
        asked = self.checked(masks, seeds, states)
        values = np.zeros((len(states), self.game.num_actions))
        value_rows = compile_for(self.game, "choose").value_rows
        work = make_work(self.game, self._nets)
        value_rows(states, 0, len(states), asked, self._nets, work, values)
        return values * float(self.about["spread"])

    def search(self, states, masks, seeds=None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Search from each record; requires ``simulations`` of at least 1.

        Returns:
            ``(actions, policy, values)``: int64 ``(n,)`` and twice float64 ``(n, num_actions)``:
            the choices, the improved policy, and the values of the actions searched, for the seat
            to act.
        """
        check_whole(self.simulations, "simulations", 1)
        return self._found(masks, states, seeds, rows=len(states))

    def _found(self, masks, states, seeds, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if states is None:
            raise ValueError("td looks ahead: pass states, determinized for the seat to act")
        asked = self.checked(masks, seeds, states)
        actions = np.zeros(len(states), np.int64)
        policy, values = np.zeros((2, rows, self.game.num_actions))
        found = (actions, policy, values)
        run(self._act, self.num_threads, states, asked, found)
        return found

    def _act(self, states, start, stop, asked, found) -> None:
        work = make_work(self.game, self._nets)
        if self.simulations == 0:
            choose = compile_for(self.game, "choose").choose_rows
            how = (self.temperature, self.lead == "policy", self.limit)
            choose(states, start, stop, asked, self._nets, work, how, found[0])
            return
        method = tree.Method(
            simulations=self.simulations,
            candidates=self.candidates,
            limit=self.limit,
            exploration=self.exploration,
            noise=0.0,
            scale=self.scale,
            spread=float(self.about["spread"]),
            rank_share=float(self.about["rank_share"]),
            rivalry=rivalry_of(self.about),
            playouts=self.playouts,
            greedy=self.leaf == "evaluate",
            leaf=leaf_method(self.game),
        )
        loops = compile_for(self.game, "search")
        grown = make_tree(self.game, self.simulations, self.limit, self.beliefs)
        asked = (*asked, self._believe(states, start, stop))
        loops.search_rows(states, start, stop, asked, self._nets, (work, grown), method, found)

    def _believe(self, states, start, stop) -> np.ndarray:
        """Return the scores of hidden facts, one row per record (see ``Belief``), or no rows."""
        facts = total_size(self.game.hidden_facts)
        if self._belief is None:
            return np.zeros((0, facts))
        scores = np.zeros((len(states), facts))
        positions = positions_of(self.game, tuple(self.about["inputs"]))
        seen = np.zeros(self.game.observation_size(form_of(self.game)), np.int8)
        how = (positions, seen, np.zeros(len(positions), np.int8))
        believe_rows = compile_for(self.game, "search").believe_rows
        believe_rows(states, start, stop, self._belief, how, scores)
        return scores
