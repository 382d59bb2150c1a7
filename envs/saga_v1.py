"""Saga for PettingZoo: ``env``, ``raw_env`` and ``parallel_env``."""

from __future__ import annotations

from .core.interfaces.entry import entry_points

__all__ = ["env", "parallel_env", "raw_env"]

raw_env, parallel_env = entry_points("saga")
env = raw_env
