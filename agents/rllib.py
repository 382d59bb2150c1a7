"""The games for RLlib (ray), new API stack.

Ray isn't among the dependencies: ray 2.60 pins gymnasium 1.2.2 and belongs in an environment of its
own. RLlib's module with action masks wants other keys than PettingZoo's, and float32::

    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
    from ray.tune.registry import register_env

    register_env("sarena", lambda config: rllib_env("sarena", **config))
    config = (
        PPOConfig()
        .environment("sarena", env_config={"num_players": 2})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *args, **kwargs: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo.utils.wrappers import BaseWrapper

from ludotheque.envs.core.interfaces.aec import TurnBasedEnv


class RLlibKeys(BaseWrapper):
    """A turn-based environment with the observations that RLlib's masked modules read.

    Observation: ``{"observations": float32 (size,) or (planes, rows, cols), "action_mask": float32
    (num_actions,)}``. Everything else is as in ``TurnBasedEnv``.
    """

    def __init__(self, env: TurnBasedEnv):
        super().__init__(env)
        self._spaces = {agent: self._space(agent) for agent in env.possible_agents}

    def _space(self, agent: str) -> spaces.Dict:
        inner = self.env.observation_space(agent)
        box, mask = inner["observation"], inner["action_mask"]
        return spaces.Dict(
            observations=spaces.Box(
                box.low.astype(np.float32), box.high.astype(np.float32), box.shape, np.float32
            ),
            action_mask=spaces.Box(0, 1, mask.shape, np.float32),
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of ``agent``'s observations, the same object each time."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return what ``agent`` sees now, under RLlib's keys."""
        seen = self.env.observe(agent)
        return {
            "observations": seen["observation"].astype(np.float32),
            "action_mask": seen["action_mask"].astype(np.float32),
        }


def rllib_aec(game: str, **kwargs: Any) -> RLlibKeys:
    """Return ``game`` turn by turn with RLlib's keys; arguments as for ``TurnBasedEnv``.

    This needs no ray.
    """
    return RLlibKeys(TurnBasedEnv(game, **kwargs))


def rllib_env(game: str, **kwargs: Any):
    """Return ``game`` as a ``MultiAgentEnv`` of RLlib's new API stack.

    Each step returns the observation of the agent to act and its reward since its last action;
    at the end, every agent's.

    Args:
        game: its name.
        kwargs: arguments of ``TurnBasedEnv``, the game's variants among them.

    Raises:
        ImportError: ray isn't installed.
    """
    try:
        from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
    except ImportError as error:
        raise ImportError(
            "rllib_env needs ray: in an environment of its own, pip install 'ray[rllib]' ludotheque"
        ) from error
    return PettingZooEnv(rllib_aec(game, **kwargs))
