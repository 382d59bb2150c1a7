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
        own = _own_seat(env)
        specs = _others(own, settings.num_players)
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
        """Step the environment; if it raises an error, nothing has changed.

        Raises:
            ValueError: code has stepped or reset the environment since it was shown.
        """
        with self.lock:
            if self.refresh():
                raise ValueError("the environment has been used since: look again")
            move = self.game.action_to_string(action, self.states[0])
            self.env.step(action)
            self._add(self._now(), action if self.own is None else None, move)

    def refresh(self) -> bool:
        """Read the environment's state again; return whether code has stepped or reset it."""
        with self.lock:
            states, own = self._now(), _own_seat(self.env)
            # Not their bytes: the padding between fields differs in each copy.
            if own == self.own and self.game.digest(states) == self.game.digest(self.states):
                return False
            earlier = states["ply"][0] <= self.states["ply"][0]
            if own != self.own or states["seed"][0] != self.seed or earlier:
                self._begin(
                    states, int(states["seed"][0]), own=own, specs=_others(own, self.players)
                )
            else:
                self._add(states, None, "")
            return True

    def undo_to(self, seat: int) -> int | None:
        """Return None: environments can't take actions back."""
        return None

    def deal(self, seed: int) -> None:
        """Raise ValueError: environments are reset by their own method."""
        raise ValueError("start a new game with env.reset() in a cell, then board.refresh()")


def _own_seat(env: Any) -> int | None:
    """Return the seat that the environment is played from; it may change with each reset."""
    inner = env.unwrapped
    return inner.seat if isinstance(inner, SeatEnv) else None


def _others(own: int | None, players: int) -> dict[int, str]:
    return {} if own is None else {seat: OTHERS for seat in range(players) if seat != own}
