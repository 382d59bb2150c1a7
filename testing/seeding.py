"""One seed for everything in an environment that draws at random."""

from __future__ import annotations

from typing import Any


def seed_everything(env: Any, seed: int) -> Any:
    """Reset ``env`` from ``seed`` and seed its action and observation spaces.

    ``reset(seed=...)`` fixes the games; ``action_space.sample()`` draws from a generator of the
    space, which the reset does not touch. After this a run with ``sample`` can be repeated.

    Args:
        env: an environment of PettingZoo (AEC or parallel) or Gymnasium (single or vectorised).
        seed: a number from 0 up.

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
