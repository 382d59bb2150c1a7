"""The agent interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.arguments import check_seed, fresh_seed
from ludotheque.envs.core.errors import StateError
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import unpickling
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


def check_seeds(seeds: np.ndarray, count: int) -> np.ndarray:
    """Return ``seeds`` as uint64 ``(count,)``; raise ValueError if there are more or fewer."""
    seeds = np.ascontiguousarray(seeds, dtype=np.uint64)
    if seeds.shape != (count,):
        raise ValueError(f"seeds have shape {seeds.shape}; give one for each of {count} rows")
    return seeds


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

    def checked(
        self, masks: np.ndarray, seeds: np.ndarray | None, states: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the masks and seeds of ``act``, or its own seeds, after checking their shapes.

        Kernels index them unchecked. The legality of masked actions is trusted, as records are.

        Raises:
            ValueError: the numbers of rows differ, or a mask isn't one of the game.
            StateError: ``states`` are records of another game.
        """
        masks = np.asarray(masks)
        count = len(masks) if states is None else len(states)
        wanted = (count, self.game.num_actions)
        if masks.shape != wanted:
            raise ValueError(f"masks have shape {masks.shape}; {self!r} needs {wanted}")
        self.check_records(states)
        return masks, self.seeds_or_own(seeds, count)

    def check_records(self, states: np.ndarray | None) -> None:
        """Raise StateError unless ``states``, if there are any, are records of the game."""
        if states is not None and (states.dtype != self.game.dtype or states.ndim != 1):
            raise StateError(
                f"states have shape {states.shape} and are no records (n,) of {self.game!r}: pass "
                "those that new_state returns"
            )
        # Types that differ in this alone are equal to numpy, but not to compiled code.
        if states is not None and not states.dtype.isalignedstruct:
            raise StateError(
                "states have lost the alignment of their fields, as records do that np.load reads: "
                "use Game.save_states and load_states, or pass states.view(game.dtype)"
            )

    def seeds_or_own(self, seeds: np.ndarray | None, count: int) -> np.ndarray:
        """Return ``seeds``, or ``count`` from the agent's own generator.

        Raises:
            ValueError: there are more or fewer than ``count`` seeds.
        """
        if seeds is not None:
            return check_seeds(seeds, count)
        own = np.empty(count, np.uint64)
        for k in range(count):
            self._seed = np.uint64(next_seed(self._seed))
            own[k] = self._seed
        return own

    def __setstate__(self, state: dict[str, Any]) -> None:
        # A pickle comes from outside, and kernels don't check what an agent holds.
        with unpickling(type(self)):
            self.__dict__.update(state)
            made = self._made_anew()
            if made is not None:
                self.__dict__.update(vars(made))

    def _made_anew(self) -> Agent | None:
        """Return a new agent with the same settings, which are checked, or None if unnecessary.

        Called when this agent is unpickled.
        """
        return None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} for {self.game.name}>"
