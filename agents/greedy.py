"""The agent that looks one ply ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.jit import specialize

from .base import Agent
from .kernels import choose_greedy, value_greedy

_compiled: dict[tuple[str, str], Any] = {}


def _compile(game: Game, template: Any = choose_greedy) -> Any:
    """Return the kernel that chooses, or values; unpickled agents compile it again."""
    key = game.name, template.__name__
    if key not in _compiled:
        kernels = {name: game.kernels[name] for name in ("evaluate", "step")}
        _compiled[key] = specialize(template, "_".join(key), **kernels)
    return _compiled[key]


class GreedyAgent(Agent):
    """Tries every legal action and chooses the one with the best resulting position.

    Positions are evaluated by the game's ``evaluate``, which uses only what the seat may know.
    Ties are broken at random.
    """

    name = "greedy"
    needs_states = True

    def __init__(self, game, seed=None):
        super().__init__(game, seed)
        _compile(self.game)

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        if states is None:
            raise ValueError("greedy looks ahead: pass states, determinized for the seat to act")
        masks, seeds = self.checked(masks, seeds, states)
        actions = np.zeros(len(masks), np.int64)
        _compile(self.game)(states, masks, seeds, self._scratch(), actions)
        return actions

    def values(self, states, masks, seeds=None) -> np.ndarray:
        """Return the values of the legal actions, float64 ``(n, num_actions)``; else 0."""
        masks, _ = self.checked(masks, seeds, states)
        values = np.zeros(masks.shape)
        _compile(self.game, value_greedy)(states, masks, self._scratch(), values)
        return values

    def _scratch(self) -> tuple[np.ndarray, np.ndarray]:
        return self.game.new_states(1), self.game.new_memo()
