"""Agents: random, greedy, MCTS, PPO by self-play, and the league that compares them."""

from __future__ import annotations

from .base import Agent
from .specs import AGENTS, make_agent

__all__ = ["AGENTS", "Agent", "make_agent"]
