"""A single seed for everything random in an environment."""

from __future__ import annotations

from typing import Any


def seed_everything(env: Any, seed: int) -> Any:
    """Reset ``env`` from ``seed`` and seed its action and observation spaces.

    ``reset(seed=...)`` determines the games; ``action_space.sample()`` uses the space's own
    generator, which the reset doesn't affect. After this, a run with ``sample`` is reproducible.

    Args:
        env: an environment of PettingZoo (AEC or parallel) or Gymnasium (single or vectorised).
        seed: a number from 0.

    Returns:
        What ``env.reset`` returns.
    """
    result = env.reset(seed=seed)
    for number, space in enumerate(_spaces(env)):
        space.seed(seed + number)
    return result


def _spaces(env: Any) -> list[Any]:
    if hasattr(env, "possible_agents"):
        agents = env.possible_agents
        return [*map(env.action_space, agents), *map(env.observation_space, agents)]
    single = ("single_action_space", "single_observation_space")
    names = ["action_space", "observation_space", *(name for name in single if hasattr(env, name))]
    return [getattr(env, name) for name in names]
