"""RLlib: its check of every game; PPO on the native vector environment, and by self-play."""

from __future__ import annotations

import tempfile
import warnings
from typing import Any

import ray
import torch
from common import Progress, example
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from ray.tune.registry import register_env

from ludotheque.agents.rllib import RLlibVectorEnv, rllib_env
from ludotheque.envs import game_names, get_game

PPO = example("ppo_selfplay")
VECTOR_ROUNDS, SELF_PLAY_ROUNDS = 24, 4
TRAINING = {"gamma": 1.0, "lambda_": 0.95, "lr": 4e-3, "entropy_coeff": 0.01, "grad_clip": 0.5}


class Module(TorchRLModule, ValueFunctionAPI):
    """The example's policy as an RLlib module."""

    def setup(self):
        self.policy = PPO.Policy("sarena")

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        logits, _ = self._looked_at(batch)
        return {Columns.ACTION_DIST_INPUTS: logits.clamp(min=-1e9)}

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        return self._looked_at(batch)[1]

    def _looked_at(self, batch: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
        seen = batch[Columns.OBS]
        return self.policy(seen["observations"], seen["action_mask"])


def vector() -> PPOConfig:
    """One seat against random play, 512 games at once."""
    register_env("sarena", lambda config: RLlibVectorEnv("sarena", **config))
    return (
        PPOConfig()
        .environment("sarena", env_config={"opponents": "random"})
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=512,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length=8,
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Module))
        .training(train_batch_size_per_learner=4096, minibatch_size=512, num_epochs=2, **TRAINING)
    )


def self_play() -> PPOConfig:
    """One policy in both seats, game by game."""
    register_env("sarena_turns", lambda config: rllib_env("sarena", **config))
    return (
        PPOConfig()
        .environment("sarena_turns", env_config={"num_players": 2})
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *args, **kwargs: "shared")
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=Module))
        .training(train_batch_size_per_learner=2048, minibatch_size=256, num_epochs=2, **TRAINING)
    )


def trained(config: PPOConfig, rounds: int, module: str) -> tuple[int, Any]:
    """Train, save, load; return the steps and the loaded policy."""
    algorithm = config.build_algo()
    for _ in range(rounds):
        result = algorithm.train()
    steps = int(result["num_env_steps_sampled_lifetime"])
    with tempfile.TemporaryDirectory() as folder:
        algorithm.save_to_path(folder)
        algorithm.stop()
        again = Algorithm.from_checkpoint(folder)
        policy = again.get_module(module).policy
        again.stop()
    return steps, PPO.PolicyAgent(policy)


def main() -> None:
    warnings.simplefilter("ignore")  # ray's own, of several kinds
    torch.manual_seed(0)
    torch.set_num_threads(1)
    for name in game_names():
        for players in get_game(name).player_counts:
            if players > 1:
                check_multiagent_environments(rllib_env(name, num_players=players))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        for config, rounds, module in (
            (vector(), VECTOR_ROUNDS, "default_policy"),
            (self_play(), SELF_PLAY_ROUNDS, "shared"),
        ):
            progress = Progress("ray", PPO.PolicyAgent(PPO.Policy("sarena")))
            steps, agent = trained(config, rounds, module)
            progress.finish(steps, agent, way=module)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
