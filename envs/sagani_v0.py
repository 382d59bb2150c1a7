"""Sagani for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

from typing import Any

from .core.aec import TurnBasedEnv
from .core.parallel import TurnBasedParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(num_players: int = 2, **kwargs: Any) -> TurnBasedEnv:
    """Return Sagani as an AEC environment; see ``TurnBasedEnv`` and the game's options."""
    return TurnBasedEnv("sagani", num_players, **kwargs)


# The checks that PettingZoo's wrappers make are part of the environment, so both are the same.
env = raw_env


def parallel_env(num_players: int = 2, **kwargs: Any) -> TurnBasedParallelEnv:
    """Return Sagani as a parallel environment; see ``TurnBasedEnv`` and the game's options."""
    return TurnBasedParallelEnv("sagani", num_players, **kwargs)
