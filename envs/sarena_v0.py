"""Sàrèná for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

from typing import Any

from .core.interfaces.aec import TurnBasedEnv
from .core.interfaces.parallel import TurnBasedParallelEnv

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(num_players: int = 2, **kwargs: Any) -> TurnBasedEnv:
    """Return Sàrèná as an AEC environment, ``ludotheque.envs.core.interfaces.aec.TurnBasedEnv``.

    Args:
        num_players: 2 to 4.
        kwargs: ``observation``, ``reward``, ``illegal``, ``illegal_reward``, ``render_mode``, and
            the game's own: ``deal``. All their
            values are in a table on the game's page, ``envs/sarena/README.md``.

    Raises:
        ValueError, TypeError: an argument that isn't allowed; the message lists what is.
    """
    return TurnBasedEnv("sarena", num_players, **kwargs)


# The checks that PettingZoo's wrappers make are part of the environment, so both are the same.
env = raw_env


def parallel_env(num_players: int = 2, **kwargs: Any) -> TurnBasedParallelEnv:
    """Return Sàrèná as a parallel environment; arguments as for ``raw_env``."""
    return TurnBasedParallelEnv("sarena", num_players, **kwargs)
