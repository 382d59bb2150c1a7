"""The games for RLlib (ray), new API stack.

Ray is not a dependency: ray 2.60 pins gymnasium 1.2.2, so install it in a separate environment.
RLlib's module with action masks requires other keys than PettingZoo's, and float32::

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

This steps one game at a time. To train one seat against agents, with thousands of games per runner,
use RLlib's single-agent API on the native vector environment::

    register_env("sarena", lambda config: RLlibVectorEnv("sarena", **config))
    config = (
        PPOConfig()
        .environment("sarena", env_config={"opponents": "greedy"})
        .env_runners(num_envs_per_env_runner=1024, gym_env_vectorize_mode="vector_entry_point")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
    )

``tests/integrations/with_rllib.py`` trains both ways.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space
from pettingzoo.utils.wrappers import BaseWrapper

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.gym import SeatVectorEnv


class LegalDiscrete(spaces.Discrete):
    """``Discrete`` that samples legal actions even without a mask, if an agent is to act.

    RLlib's environment check plays such samples. Copies and pickles are plain ``Discrete``.

    Args:
        mask: called for the current int8 mask of legal actions; all zeros allow every action.
    """

    def __init__(self, n: int, mask: Any):
        super().__init__(n)
        self._mask = mask

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return an action, as ``Discrete`` does."""
        if mask is None and probability is None:
            legal = self._mask()
            mask = legal if legal.any() else None
        return super().sample(mask, probability)

    def __reduce__(self) -> Any:
        return spaces.Discrete, (int(self.n),)


def _space(inner: Any) -> spaces.Dict:
    """Return the space with RLlib's keys for one with ours."""
    box, mask = inner["observation"], inner["action_mask"]
    low, high = box.low.astype(np.float32), box.high.astype(np.float32)
    return spaces.Dict(
        observations=spaces.Box(low, high, box.shape, np.float32),
        action_mask=spaces.Box(0, 1, mask.shape, np.float32),
    )


def _renamed(seen: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {
        "observations": seen["observation"].astype(np.float32),
        "action_mask": seen["action_mask"].astype(np.float32),
    }


class RLlibKeys(BaseWrapper):
    """An AEC environment with the observations that RLlib's masked modules expect.

    Observation: ``{"observations": float32 (size,) or (planes, rows, cols), "action_mask": float32
    (num_actions,)}``. Samples of the action space are legal for an agent that is to act. Everything
    else is as in ``TurnBasedEnv``.
    """

    def __init__(self, env: TurnBasedEnv):
        super().__init__(env)
        agents = env.possible_agents
        self._spaces = {agent: _space(env.observation_space(agent)) for agent in agents}
        self._action_spaces = {agent: self._action_space(agent) for agent in agents}

    def _action_space(self, agent: str) -> LegalDiscrete:
        env: Any = self.env

        def mask() -> np.ndarray:
            return env.observe(agent)["action_mask"]

        return LegalDiscrete(env.game.num_actions, mask)

    def action_space(self, agent: str) -> LegalDiscrete:
        """Return the space of ``agent``'s actions, the same object each time."""
        return self._action_spaces[agent]

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of ``agent``'s observations, the same object each time."""
        return self._spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return ``agent``'s observation, under RLlib's keys."""
        return _renamed(self.env.observe(agent))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_action_spaces": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        agents = self.env.possible_agents
        self._action_spaces = {agent: self._action_space(agent) for agent in agents}


class RLlibVectorEnv(SeatVectorEnv):
    """The native vector environment, one learner per game, with RLlib's keys.

    Observation: ``{"observations": float32 (num_envs, size) or (num_envs, planes, rows, cols),
    "action_mask": float32 (num_envs, num_actions)}``. Infos are empty, as RLlib splits them by
    game, which takes longer than playing.

    Args: see ``SeatVectorEnv``; without ``history``.
    """

    def __init__(self, game: str | Game, num_envs: int = 1, **kwargs: Any):
        super().__init__(game, num_envs, **kwargs)
        if self.settings.history:
            raise ValueError(f"history is {self.settings.history}; RLlib's modules read none")
        self.single_observation_space = _space(self.single_observation_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def _seen(self) -> dict[str, np.ndarray]:
        return _renamed(super()._seen())

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        return {}


def rllib_aec(game: str, **kwargs: Any) -> RLlibKeys:
    """Return ``game`` as an AEC environment with RLlib's keys; see ``TurnBasedEnv``.

    This doesn't require ray.
    """
    return RLlibKeys(TurnBasedEnv(game, **kwargs))


def rllib_env(game: str, **kwargs: Any):
    """Return ``game`` as a ``MultiAgentEnv`` of RLlib's new API stack.

    Each step returns the observation of the agent to act and its reward since its last action;
    at the end, every agent's.

    Args:
        game: name of the game.
        kwargs: arguments of ``TurnBasedEnv``, including the game's options.

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
