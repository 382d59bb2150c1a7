"""RLlib: self-play against past selves, added by its league callback.

RLlib's example of that callback (``rllib/examples/multi_agent``) is for agents 0 and 1 and games
without masks. This is the same for our games: one policy learns against random play; when it wins
often enough, a copy of it joins the opponents, and random play leaves them.
"""

from __future__ import annotations

import tempfile
import warnings
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import ray
import torch
from common import Progress
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule
from ray.rllib.utils.metrics import ENV_RUNNER_RESULTS
from ray.tune.registry import register_env
from with_rllib import PPO, TRAINING, Module

from ludotheque.agents.rllib import rllib_env

ROUNDS, THRESHOLD, PAST_SELVES = 48, 0.65, 2
SEATS = ("player_0", "player_1")


class LegalModule(RandomRLModule):
    """Plays random legal actions."""

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        masks = torch.as_tensor(batch[Columns.OBS]["action_mask"])
        return {Columns.ACTIONS: torch.multinomial(masks, 1).squeeze(1)}


def seat_of(episode: Any) -> str:
    """Return the seat of the policy that learns, depending on the game."""
    return SEATS[zlib.crc32(episode.id_.encode()) % 2]


def mapping(opponents: list[str]) -> Callable[..., str]:
    """Return who sits where: the policy that learns, and one of the opponents."""

    def module_of(agent: str, episode: Any, **kwargs: Any) -> str:
        return "main" if agent == seat_of(episode) else str(np.random.choice(opponents))

    return module_of


class League(RLlibCallback):
    """Adds a past self whenever the policy wins more than ``THRESHOLD`` of its games."""

    def __init__(self):
        super().__init__()
        self.opponents: list[str] = []

    def on_episode_end(self, *, episode: Any, metrics_logger: Any, **kwargs: Any) -> None:
        rewards = episode.get_rewards()
        if seat_of(episode) in rewards:
            won = float(sum(rewards[seat_of(episode)]) > 0)
            metrics_logger.log_value("win_rate", won, reduce="mean", window=100)

    def on_train_result(self, *, algorithm: Any, result: dict[str, Any], **kwargs: Any) -> None:
        if result[ENV_RUNNER_RESULTS].get("win_rate", 0.0) > THRESHOLD:
            self.opponents.append(f"main_v{len(self.opponents) + 1}")
            add_past_self(algorithm, self.opponents)
        result["past_selves"] = len(self.opponents)


def add_past_self(algorithm: Any, opponents: list[str]) -> None:
    """Make the last of ``opponents`` a copy of the policy, and use all of them from now on."""
    name, main = opponents[-1], algorithm.get_module("main")
    algorithm.add_module(
        module_id=name,
        module_spec=RLModuleSpec.from_module(main),
        new_agent_to_module_mapping_fn=mapping(list(opponents)),
    )
    weights = {"rl_module": {name: main.get_state()}}
    algorithm.set_state({"learner_group": {"learner": weights}})


def league() -> PPOConfig:
    """PPO for "main", against the opponents of the league."""
    register_env("sarena_turns", lambda config: rllib_env("sarena", **config))
    modules = {
        "main": RLModuleSpec(module_class=Module),
        "random": RLModuleSpec(module_class=LegalModule),
    }
    return (
        PPOConfig()
        .environment("sarena_turns", env_config={"num_players": 2})
        .callbacks(League)
        .multi_agent(
            policies=set(modules), policy_mapping_fn=mapping(["random"]), policies_to_train=["main"]
        )
        .env_runners(num_env_runners=0)
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(train_batch_size_per_learner=2048, minibatch_size=256, num_epochs=8, **TRAINING)
    )


def main() -> None:
    warnings.simplefilter("ignore")  # ray's own, of several kinds
    torch.manual_seed(0)
    np.random.seed(0)
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        progress = Progress("ray", PPO.PolicyAgent(PPO.Policy("sarena")))
        algorithm = league().build_algo()
        for _ in range(ROUNDS):
            result = algorithm.train()
            if result["past_selves"] == PAST_SELVES:
                break
        with tempfile.TemporaryDirectory() as folder:
            algorithm.save_to_path(folder)
            algorithm.stop()
            again = Algorithm.from_checkpoint(folder)
        policy, past = (again.get_module(name).policy for name in ("main", "main_v1"))
        again.stop()
        newest = torch.nn.utils.parameters_to_vector(policy.parameters())
        oldest = torch.nn.utils.parameters_to_vector(past.parameters())
        assert not torch.equal(newest, oldest), "a past self goes on learning"
        steps = int(result["num_env_steps_sampled_lifetime"])
        assert result["past_selves"] >= PAST_SELVES
        told = {"way": "league", "past_selves": result["past_selves"]}
        progress.finish(steps, PPO.PolicyAgent(policy), **told)
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
