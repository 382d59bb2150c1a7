"""Shamans for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

from typing import Any

from .core.interfaces.aec import TurnBasedEnv
from .core.interfaces.parallel import TurnBasedParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(num_players: int = 3, **kwargs: Any) -> TurnBasedEnv:
    """Return Shamans as an AEC environment, ``ludotheque.envs.core.interfaces.aec.TurnBasedEnv``.

    Args:
        num_players: 3 to 5.
        kwargs: ``observation``, ``reward``, ``illegal``, ``illegal_reward``, ``render_mode``, and
            the game's own: ``rounds``, ``rituals``, ``track``. All their
            values are in a table on the game's page, ``envs/shamans/README.md``.

    Raises:
        ValueError, TypeError: an argument that isn't allowed; the message lists what is.
    """
    return TurnBasedEnv("shamans", num_players, **kwargs)


# The checks that PettingZoo's wrappers make are part of the environment, so both are the same.
env = raw_env


def parallel_env(num_players: int = 3, **kwargs: Any) -> TurnBasedParallelEnv:
    """Return Shamans as a parallel environment; arguments as for ``raw_env``."""
    return TurnBasedParallelEnv("shamans", num_players, **kwargs)
