"""Agents: random, greedy, MCTS, PPO by self-play, and the league that compares them."""

from __future__ import annotations

from .base import Agent
from .specs import AGENTS, make_agent, register_agent

__all__ = ["AGENTS", "Agent", "make_agent", "play_match", "register_agent"]


def __getattr__(name: str):
    # Imported lazily.
    if name == "play_match":
        from .match import play_match

        return play_match
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
