"""Agents: random, greedy, search and self-play."""
