"""An environment as a table, stepped by clicks or by code."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs.core.interfaces.gym import SeatEnv
from ludotheque.web.table import Table

OTHERS = "the environment's"


class EnvTable(Table):
    """A game in progress in an environment of this package, AEC or of one seat (Gymnasium).

    Actions taken here step the environment. With an AEC environment one person plays every seat and
    sees everything; with a single-seat environment, they play that seat and see what it sees.

    Args:
        env: the environment; it must have been reset.
    """

    def __init__(self, env: Any):
        self.env = env
        inner = env.unwrapped
        settings = inner.settings
        own = inner.seat if isinstance(inner, SeatEnv) else None
        seats = range(settings.num_players)
        specs = {} if own is None else {seat: OTHERS for seat in seats if seat != own}
        options = dict(settings.named_options)
        states = self._now()
        seed = int(states["seed"][0])
        super().__init__(settings.game, seed, settings.num_players, options, specs, agents={})
        self.own = own
        self.open_hands = own is None
        self.positions = [states]

    def _now(self) -> np.ndarray:
        return self.env.unwrapped.get_state()["states"]

    def take(self, action: int) -> None:
        """Step the environment; if it raises an error, nothing has changed."""
        with self.lock:
            self.refresh()
            move = self.game.action_to_string(action, self.states[0])
            self.env.step(action)
            self._add(self._now(), action if self.own is None else None, move)

    def refresh(self) -> None:
        """Read the environment's state again, as code may have stepped or reset it."""
        with self.lock:
            states = self._now()
            # Not their bytes: the padding between fields differs in each copy.
            if self.game.digest(states) == self.game.digest(self.states):
                return
            if states["seed"][0] != self.seed or states["ply"][0] <= self.states["ply"][0]:
                self._begin(states, int(states["seed"][0]))
            else:
                self._add(states, None, "")

    def undo_to(self, seat: int) -> int | None:
        """Return None: environments can't take actions back."""
        return None

    def deal(self, seed: int) -> None:
        """Raise ValueError: environments are reset by their own method."""
        raise ValueError("start a new game with env.reset() in a cell, then board.refresh()")
