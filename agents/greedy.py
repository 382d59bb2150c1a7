"""The agent that looks one ply ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.jit import specialize

from .base import Agent
from .kernels import choose_greedy

_compiled: dict[str, Any] = {}


def _compile(game: Game) -> Any:
    """Return the kernel that chooses; unpickled agents compile it again."""
    if game.name not in _compiled:
        kernels = {name: game.kernels[name] for name in ("evaluate", "step")}
        _compiled[game.name] = specialize(choose_greedy, f"{game.name}_choose_greedy", **kernels)
    return _compiled[game.name]


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
        _compile(self.game)(states, masks, seeds, self.game.new_states(1), actions)
        return actions
