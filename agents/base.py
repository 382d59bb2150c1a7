"""The agent interface."""

from __future__ import annotations

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.arguments import check_seed, fresh_seed
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.rng import next_seed


def needs_train(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return the error for a missing module of the extra [train], with install instructions.

    An ``error`` about one of our own modules is returned unchanged.
    """
    name = (error.name or "").partition(".")[0]
    if name == "ludotheque":
        return error
    return ModuleNotFoundError(
        f'training needs {name}, not installed. Try: pip install "ludotheque[train]"', name=name
    )


class Agent:
    """Base class of agents, which play any seat of a game, in many games at once.

    Attributes:
        name: shown in tables and replays.
        needs_states: True for agents that search: ``act`` then also receives records.
        observation: the observation form it requires; None accepts the caller's.
        history: the number of recent public actions it needs, at most 64; ``act`` then also
            receives ``histories``, int16 ``(n, history, 2)`` (``Settings.history_space``).
    """

    name = "agent"
    needs_states = False
    observation: str | None = None
    history = 0

    def __init__(self, game: str | Game, seed: int | None = None):
        self.game = get_game(game) if isinstance(game, str) else game
        self._seed = np.uint64(fresh_seed() if seed is None else check_seed(seed))

    def act(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        *,
        states: np.ndarray | None = None,
        seeds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return a legal action for each row.

        Args:
            observations: ``(n, ...)`` of the game's observation dtype, as observed by the seat to
                act.
            masks: int8 ``(n, num_actions)``; actions must be legal.
            states: ``(n,)`` records determinized for the seat to act if ``needs_states``, else
                None.
            seeds: uint64 ``(n,)``: with them, the actions depend only on the arguments. None uses
                the agent's own generator.

        Returns:
            int64 ``(n,)``.
        """
        raise TypeError(f"{type(self).__name__} has no act(): define it")

    def seeds_or_own(self, seeds: np.ndarray | None, count: int) -> np.ndarray:
        """Return ``seeds``, or ``count`` from the agent's own generator."""
        if seeds is not None:
            return np.ascontiguousarray(seeds, dtype=np.uint64)
        own = np.empty(count, np.uint64)
        for k in range(count):
            self._seed = np.uint64(next_seed(self._seed))
            own[k] = self._seed
        return own

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} for {self.game.name}>"
