"""Batches of games in which the caller plays every seat: the fast path for self-play."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import GameOverError, StateError
from ..game import Game
from ..state import copied
from .checks import (
    INTERRUPTED,
    check_actions,
    check_any_legal,
    check_mask,
    check_num_envs,
    digest_all,
    refuse_illegal,
    seeds_for,
)
from .exclusive import Guard, exclusive
from .settings import Restorable, Settings, check_flags, with_seeds_of
from .threads import check_num_threads, run

# Minimum share of a thread, in bytes of records and observations, since most of a step's time goes
# there: waking a thread takes as long as stepping a hundred games of Sagani, or several hundred of
# Sàrèná. Tests set it to 0, to use threads for a few games.
LEAST_SLICE = 1 << 20
# Loops that do little work per game need this number of games.
_LIGHT = {"random_actions": 2048}
_ALIGNMENT = 64


class BatchEnv(Restorable):
    """A batch of ``num_envs`` games; a step is one ply in each.

    Outputs are preallocated and overwritten by the next step; copy what you keep.

    Attributes:
        observations: int8 ``(num_envs, size)`` (or ``(num_envs, planes, rows, cols)``), as observed
            by the seat to play.
        action_masks: int8 ``(num_envs, num_actions)``; never all zeros (all ones in a finished game
            with ``autoreset=False``).
        histories: int16 ``(num_envs, history, 2)``, the last public actions, relative to the seat
            to play (``Settings.history_space``).
        to_play: int64 ``(num_envs,)``, the seat that acts next.
        rewards: float32 ``(num_envs, num_players)``, every seat's reward of the last ply.
            Omniscient: with ``reward="score_change"`` those of others reveal their scores, part of
            which may be hidden.
        states: the records ``(num_envs,)``. Omniscient, as are ``get_state`` and ``state_digest``.
        terminated, truncated: bool ``(num_envs,)``, whether the last ply ended the game. With
            ``autoreset`` the other outputs then belong to the next game.
        scores, ranks: float32 and int64 ``(num_envs, num_players)``, results of each environment's
            last finished game (rank 1 is best).
        final_observations: int8 ``(num_envs, num_players, size)`` (or ``(..., planes, rows,
            cols)``), the final observations of each environment's last finished game, for every
            seat; zeros before the first. None unless ``keep_final``.
        observation_scale: float32, of an observation's shape: factors that scale observations for a
            network, so that most numbers are around 1.

    Args:
        game, num_players, observation, history, reward, illegal, illegal_reward, options: see
            ``Settings``.
        num_envs: number of games.
        autoreset: deal a new game at once when one ends, from the next seed.
        keep_final: keep ``final_observations``, which are otherwise lost with ``autoreset``. Games
            pay their results as rewards when they end, truncated or not, so value functions don't
            need them.
        num_threads: maximum number of threads that share the batch; fewer are used if it is too
            small to benefit. Results don't depend on it.
    """

    _DERIVED = ("game", "num_players", "_all_to_play", "_guard")

    observations: NDArray[np.int8]
    """``(num_envs, size)`` or ``(num_envs, planes, rows, cols)``."""
    action_masks: NDArray[np.int8]
    """``(num_envs, num_actions)``, 0 or 1."""
    histories: NDArray[np.int16]
    """``(num_envs, history, 2)``."""
    to_play: NDArray[np.int64]
    """``(num_envs,)``, a seat."""
    rewards: NDArray[np.float32]
    """``(num_envs, num_players)``, of the last ply; omniscient."""
    terminated: NDArray[np.bool_]
    """``(num_envs,)``, of the last ply."""
    truncated: NDArray[np.bool_]
    """``(num_envs,)``, of the last ply."""
    scores: NDArray[np.float32]
    """``(num_envs, num_players)``, of the last finished games."""
    ranks: NDArray[np.int64]
    """``(num_envs, num_players)``, of the last finished games; 1 is best."""

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        num_envs: int,
        num_players: int | None = None,
        *,
        observation: str = "flat",
        history: int = 0,
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        autoreset: bool = True,
        keep_final: bool = False,
        num_threads: int = 1,
        **options: Any,
    ):
        self.settings = Settings(
            game, num_players, observation, reward, illegal, illegal_reward, options, history
        )
        self.game = self.settings.game
        self.num_envs = check_num_envs(num_envs)
        self.num_players = self.settings.num_players
        for name, flag in {"autoreset": autoreset, "keep_final": keep_final}.items():
            if not isinstance(flag, bool):
                raise TypeError(f"{name} is {flag!r}; give True or False")
        self.autoreset = autoreset
        self.keep_final = keep_final
        self.num_threads = check_num_threads(num_threads)
        self.single_observation_space = self.settings.observation_space()
        self.single_action_space = self.settings.action_space()
        self.observation_scale = self.settings.observation_scale()
        self._allocate()
        self._guard = Guard()
        self._started = False
        # False while outputs are being filled: still so after an interrupt, until the next deal.
        self._whole = True

    def _allocate(self) -> None:
        count, seats = self.num_envs, self.num_players
        self.states = self.game.new_states(count)
        dtype = self.game.observation_dtype
        self._flat = _aligned_zeros((count, self.settings.observation_size), dtype)
        self.observations = self._flat.reshape(count, *self.settings.observation_shape)
        self.action_masks = _aligned_zeros((count, self.game.num_actions), np.dtype(np.int8))
        self.histories = np.full((count, self.settings.history, 2), -1, np.int16)
        self.to_play = np.zeros(count, np.int64)
        self.rewards = np.zeros((count, seats), np.float32)
        self.terminated = np.zeros(count, np.bool_)
        self.truncated = np.zeros(count, np.bool_)
        self.scores = np.zeros((count, seats), np.float32)
        self.ranks = np.zeros((count, seats), np.int64)
        self._all_to_play = np.full(count, -1, np.int64)
        shape = (count, seats, *self.settings.observation_shape)
        self.final_observations = np.zeros(shape, dtype) if self.keep_final else None

    @exclusive
    def reset(
        self,
        seed: int | list[int] | np.ndarray | None = None,
        mask: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int8]:
        """Deal new games and return the observations.

        Args:
            seed: environment i gets ``seed + i``, or ``seed[i]``. None continues from the previous
                games, and draws random seeds for the first ones.
            mask: bool ``(num_envs,)``: deal only where it is True, and leave the other games and
                their outputs unchanged. None deals all games.

        Raises:
            ValueError: seeds or a mask of the wrong shape, or a mask without a True.
            StateError: a mask before the first reset, or after an interrupted step.
        """
        if mask is not None:
            return self._reset_some(seed, mask)
        seeds = seeds_for(seed, self.num_envs, self.states["seed"] if self._started else None)
        self._whole = False
        self._run("deal", seeds, self.settings.options)
        self._started = True
        self.rewards[:] = 0
        self._refresh()
        self._whole = True
        return self.observations

    def _reset_some(self, seed: Any, mask: NDArray[np.bool_]) -> NDArray[np.int8]:
        self._check_started()
        rows = np.flatnonzero(check_mask(mask, self.num_envs))
        if seed is None:
            seeds = self._following_seeds(rows)
        else:
            seeds = seeds_for(seed, self.num_envs, self.states["seed"])[rows]
        self._whole = False
        self._deal_rows(rows, seeds)
        for output in (self.rewards, self.terminated, self.truncated):
            output[rows] = 0
        self._whole = True
        return self.observations

    def _following_seeds(self, rows: np.ndarray) -> np.ndarray:
        seeds = np.empty(len(rows), np.uint64)
        self.settings.loops.following_seeds(self.states, rows, seeds)
        return seeds

    def _deal_rows(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        """Deal new games in ``rows`` and fill their outputs."""
        loops, count = self.settings.loops, len(rows)
        loops.deal_rows(self.states, rows, seeds, self.settings.options, self.to_play, False)
        dealt = self.states[rows]
        flat, masks = np.empty_like(self._flat[:count]), np.empty_like(self.action_masks[:count])
        loops.views(dealt, 0, count, self._all_to_play, 1, flat, masks)
        self._flat[rows] = flat
        self.action_masks[rows] = masks
        self.to_play[rows] = dealt["to_play"]
        if self.settings.history:
            self.histories[rows] = self.settings.histories(dealt, self._all_to_play)

    @exclusive
    def step(self, actions: np.ndarray) -> NDArray[np.int8]:
        """Play ``actions`` (integers, ``(num_envs,)``), one in each game; return the observations.

        Raises:
            IllegalActionError: an action is not legal, with ``illegal="raise"``; no game has
                changed.
            GameOverError: a game is over, with ``autoreset=False``; no game has changed.
            ValueError: ``actions`` have the wrong shape or type.
            StateError: before the first reset, or after an interrupted step or reset.
        """
        self._check_started()
        actions = check_actions(actions, self.num_envs)
        if not self.autoreset:
            over = np.flatnonzero(self.states["terminated"] | self.states["truncated"])
            if len(over):
                raise GameOverError(f"game {over[0]} is over: reset before the next step")
        if self.settings.illegal == "raise":
            refuse_illegal(self.settings, self.states, actions)
        settings = self.settings
        outputs = (
            self._flat,
            self.action_masks,
            self.to_play,
            self.rewards,
            self.terminated,
            self.truncated,
            self.scores,
            self.ranks,
        )
        at_once = self.autoreset and not self.keep_final
        self._whole = False
        self._run("advance", actions, settings.options, at_once, settings.rule, outputs)
        if self.keep_final:
            self._keep_final(np.flatnonzero(self.terminated | self.truncated))
        self._fill_histories()
        self._whole = True
        return self.observations

    def _keep_final(self, rows: np.ndarray) -> None:
        """Keep the final observations of ``rows``, then deal the next games with ``autoreset``."""
        if not len(rows):
            return
        assert self.final_observations is not None
        loops, count = self.settings.loops, len(rows)
        ended = self.states[rows]
        flat, masks = np.empty_like(self._flat[:count]), np.empty_like(self.action_masks[:count])
        for seat in range(self.num_players):
            seats = np.full(count, seat)
            loops.views(ended, 0, count, seats, 1, flat, masks)
            self.final_observations[rows, seat] = flat.reshape(count, *self.observations.shape[1:])
        if self.autoreset:
            self._deal_rows(rows, self._following_seeds(rows))

    @exclusive
    def random_actions(self) -> np.ndarray:
        """Return a uniformly random legal action for each game, determined by its seed and ply."""
        self._check_started()
        actions = np.empty(self.num_envs, np.int64)
        self._run("random_actions", actions)
        return check_any_legal(actions)

    @exclusive
    def observe(self, seats: int | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(observations, action_masks)`` of ``seats`` in new arrays, without side effects.

        ``seats`` is a seat or an array ``(num_envs,)``. The mask of a seat that is not to play is
        all zeros.
        """
        seats = self._seats(seats)
        flat, masks = np.empty_like(self._flat), np.empty_like(self.action_masks)
        self._run("views", seats, 0, flat, masks)
        return flat.reshape(self.observations.shape), masks

    @exclusive
    def histories_of(self, seats: int | np.ndarray) -> np.ndarray:
        """Return the histories relative to ``seats``, in a new array; see ``observe``."""
        return self.settings.histories(self.states, self._seats(seats))

    def _seats(self, seats: int | np.ndarray) -> np.ndarray:
        self._check_started()
        asked = np.asarray(seats)
        if asked.dtype.kind not in "iu" or asked.shape not in ((), (self.num_envs,)):
            raise ValueError(
                f"seats are {seats!r}; give a seat, or {self.num_envs} of them: whole numbers from "
                f"0 to {self.num_players - 1}"
            )
        if asked.min() < 0 or asked.max() >= self.num_players:
            raise ValueError(f"seats are {seats}; allowed: 0 to {self.num_players - 1}")
        return np.broadcast_to(asked.astype(np.int64), (self.num_envs,)).copy()

    @exclusive
    def get_state(self) -> np.ndarray:
        """Return a copy of all games' records. Omniscient."""
        self._check_started()
        return copied(self.states)

    @exclusive
    def set_state(self, states: np.ndarray) -> None:
        """Restore records returned by ``get_state``.

        Raises:
            StateError: the records have another game or shape; nothing has changed.
        """
        adopted = self.settings.adopt(states, self.num_envs)
        self._whole = False
        self.states = adopted
        self._started = True
        self.rewards[:] = 0
        self._refresh()
        self._whole = True

    def clone(self) -> BatchEnv:
        """Return an independent copy with the same games in progress."""
        return copy.deepcopy(self)

    @exclusive
    def state_digest(self, i: int | None = None) -> str:
        """Return a hex digest of game ``i`` or of all, including hidden parts; omniscient."""
        if i is not None:
            return self.game.digest(self.states, i)
        return digest_all(self.game, self.states)

    def _refresh(self) -> None:
        self._run("views", self._all_to_play, 1, self._flat, self.action_masks)
        self.to_play[:] = self.states["to_play"]
        self.terminated[:] = self.states["terminated"]
        self.truncated[:] = self.states["truncated"]
        self._fill_histories()

    def _fill_histories(self) -> None:
        if self.settings.history:
            self._run("histories", self._all_to_play, self.histories)

    def _run(self, loop: str, *args: Any) -> list[Any]:
        return run_loop(self.settings, loop, self.num_threads, self.states, *args)

    def _check_started(self) -> None:
        if not self._started:
            raise StateError("reset() needs to be called first")
        if not self._whole:
            raise StateError(INTERRUPTED)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_flat": None}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        # Two views of one buffer: a pickle would store it twice and separate them.
        self.observations = np.ascontiguousarray(self.observations)
        self._flat = self.observations.reshape(len(self.observations), -1)

    def _made_anew(self) -> BatchEnv:
        return BatchEnv(
            num_envs=self.num_envs,
            autoreset=self.autoreset,
            keep_final=self.keep_final,
            num_threads=self.num_threads,
            **self.settings.arguments,
        )

    def _check_restored(self) -> None:
        # One buffer seen through two shapes.
        self._flat = self.observations.reshape(self.num_envs, -1)
        check_flags(_started=self._started, _whole=self._whole)
        # After an interrupt the games may be torn; they are refused until the next deal.
        if self._started and self._whole:
            self.states = self.settings.adopt(self.states, self.num_envs)
        else:
            self.states = with_seeds_of(self.states)

    def close(self) -> None:
        """Do nothing; present because other environments have it."""

    def __repr__(self) -> str:
        return f"<BatchEnv {self.num_envs} x {self.settings!r}>"


def _aligned_zeros(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return zeros aligned to 64 bytes, which JAX reads without a copy."""
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.zeros(size + _ALIGNMENT, np.uint8)
    start = -raw.ctypes.data % _ALIGNMENT
    return raw[start : start + size].view(dtype).reshape(shape)


def make_batch(game: str, num_envs: int, num_players: int | None = None, **kwargs: Any) -> BatchEnv:
    """Return a batch of ``num_envs`` games in which the caller plays all seats.

    Args:
        game: a name of ``ludotheque.envs.game_names()``.
        num_envs: number of games.
        num_players: number of seats; None means 2, or the fewest the game allows.
        kwargs: ``observation``, ``history``, ``reward``, ``illegal``, ``illegal_reward``,
            ``autoreset``, ``keep_final``, ``num_threads``, and the game's own options, by name.
            `BatchEnv` documents these and the outputs; the game's page documents its options.

    Raises:
        ValueError, TypeError: an invalid argument; the message lists what is allowed.

    Example:
        >>> batch = make_batch("sarena", 1024, num_players=3, deal="balanced")
        >>> observations = batch.reset(seed=1)
        >>> observations = batch.step(batch.random_actions())
        >>> batch.to_play, batch.action_masks, batch.rewards  # doctest: +SKIP
    """
    return BatchEnv(game, num_envs, num_players, **kwargs)


def run_loop(settings: Settings, loop: str, num_threads: int, states: Any, *args: Any) -> list[Any]:
    """Run a loop of the game over ``states``, with as many of ``num_threads`` as are worthwhile."""
    threads = num_threads
    if LEAST_SLICE:
        each = states.itemsize + settings.observation_size
        least = _LIGHT.get(loop, max(1, LEAST_SLICE // each))
        threads = max(1, min(num_threads, len(states) // least))
    return run(getattr(settings.loops, loop), threads, states, *args)
