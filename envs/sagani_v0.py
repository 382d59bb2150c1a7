"""Sagani for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

from typing import Any

from .core.interfaces.aec import TurnBasedEnv
from .core.interfaces.parallel import TurnBasedParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(num_players: int = 2, **kwargs: Any) -> TurnBasedEnv:
    """Return Sagani as an AEC environment, ``ludotheque.envs.core.interfaces.aec.TurnBasedEnv``.

    Args:
        num_players: 1 to 4.
        kwargs: ``observation``, ``reward``, ``illegal``, ``illegal_reward``, ``render_mode``, and
            the game's own: ``solo``, ``alignments``, ``canvas``. All their
            values are in a table on the game's page, ``envs/sagani/README.md``.

    Raises:
        ValueError, TypeError: an argument that isn't allowed; the message lists what is.
    """
    return TurnBasedEnv("sagani", num_players, **kwargs)


# The checks that PettingZoo's wrappers make are part of the environment, so both are the same.
env = raw_env


def parallel_env(num_players: int = 2, **kwargs: Any) -> TurnBasedParallelEnv:
    """Return Sagani as a parallel environment; arguments as for ``raw_env``."""
    return TurnBasedParallelEnv("sagani", num_players, **kwargs)
