"""Checks of the arguments of batches (size, seeds, actions), and the digest of their records."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..arguments import check_seed, fresh_seed
from ..errors import StateError, check_whole, is_whole
from ..game import Game
from ..rng import next_seed
from .settings import Settings

# Games in a batch: gigabytes.
MOST_GAMES = 1_000_000
INTERRUPTED = (
    "the last step or reset was interrupted: call reset(), or "
    "set_state() with what get_state() returned before"
)


def check_num_envs(num_envs: Any) -> int:
    """Return ``num_envs`` if it is from 1 to ``MOST_GAMES``, else raise ValueError."""
    return check_whole(num_envs, "num_envs", 1, MOST_GAMES)


def check_actions(actions: Any, num_envs: int) -> np.ndarray:
    """Return ``actions`` as int64 ``(num_envs,)``, or raise ValueError."""
    actions = np.asarray(actions)
    if actions.shape != (num_envs,) or actions.dtype.kind not in "iu":
        column = (
            " (without the second axis: actions[:, 0])" if actions.shape == (num_envs, 1) else ""
        )
        raise ValueError(
            f"actions have shape {actions.shape} and type {actions.dtype}; give {num_envs} integers"
            f"{column}"
        )
    actions = actions.astype(np.int64, copy=False)
    # Kernels are compiled for contiguous, writable arrays; others would cause a recompilation.
    return actions if actions.flags.carray else actions.copy()


def check_any_legal(actions: np.ndarray) -> np.ndarray:
    """Return the random ``actions`` of games, or raise StateError if one has no legal action."""
    if actions.min() < 0:
        raise StateError(f"game {int(np.argmin(actions))} isn't over, but no action is legal")
    return actions


def check_mask(mask: Any, num_envs: int, name: str = "mask") -> np.ndarray:
    """Return ``mask`` if it is bool ``(num_envs,)`` with a True in it, else raise ValueError."""
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (num_envs,):
        raise ValueError(f"{name} must be a bool array of shape ({num_envs},), got {mask!r}")
    if not mask.any():
        raise ValueError(f"{name} selects no environment; at least one must be True")
    return mask


def refuse_illegal(
    settings: Settings, states: np.ndarray, actions: np.ndarray, rows: np.ndarray | None = None
) -> None:
    """Raise IllegalActionError if an action of an unfinished game is illegal; change nothing.

    ``actions[k]`` is for game ``rows[k]``, or for game k.
    """
    if rows is None:
        rows = np.arange(len(states))
    bad = settings.loops.first_illegal(states, rows, actions)
    if bad >= 0:
        settings.game.raise_refusal(states, int(rows[bad]), int(actions[bad]))


def seeds_for(seed: Any, num_envs: int, previous: np.ndarray | None) -> np.ndarray:
    """Return a uint64 seed for each environment.

    Args:
        seed: a number (environment i gets ``seed + i``), one per environment (None continues from
            the previous game), or None for all.
        num_envs: number of environments.
        previous: the seeds of the previous games, or None if there were none.

    Raises:
        ValueError: the number of seeds is wrong, or one is out of range.
    """
    if seed is None:
        seed = [None] * num_envs
    elif is_whole(seed):
        seed = [check_seed(seed) + i for i in range(num_envs)]
    if not isinstance(seed, (list, tuple, np.ndarray)) or np.ndim(seed) == 0:
        raise ValueError(
            f"seed is {seed!r}; give a whole number, one for each environment, or None"
        )
    if len(seed) != num_envs:
        raise ValueError(f"got {len(seed)} seeds for {num_envs} environments")
    seeds = np.empty(num_envs, np.uint64)
    for i, one in enumerate(seed):
        if one is not None:
            seeds[i] = check_seed(one)
        elif previous is not None:
            seeds[i] = next_seed(previous[i])
        else:
            seeds[i] = fresh_seed()
    return seeds


def digest_all(game: Game, states: np.ndarray) -> str:
    """Return a hex digest of all records."""
    import hashlib

    hasher = hashlib.sha256()
    for i in range(len(states)):
        hasher.update(game.digest(states, i).encode())
    return hasher.hexdigest()
