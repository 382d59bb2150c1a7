"""Tianshou 2: DQN with masks, one seat against random play."""

from __future__ import annotations

import tempfile
from pathlib import Path

import gymnasium
import numpy as np
import torch
from common import Progress, example
from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams

import ludotheque.envs  # noqa: F401  makes the games known

PPO = example("ppo_selfplay")
ENVS, EPOCHS, STEPS = 32, 6, 8192


class TianshouKeys(gymnasium.ObservationWrapper):
    """Observations under the keys that Tianshou's DQN reads: ``{"obs", "mask"}``."""

    def __init__(self, env: gymnasium.Env):
        super().__init__(env)
        seen = env.observation_space
        self.observation_space = gymnasium.spaces.Dict(
            obs=seen["observation"], mask=seen["action_mask"]
        )

    def observation(self, observation):
        return {"obs": observation["observation"], "mask": observation["action_mask"]}


class Values(torch.nn.Module):
    """The example's policy, with its action scores used as values."""

    def __init__(self):
        super().__init__()
        self.policy = PPO.Policy("sarena")

    def forward(self, obs, state=None, info=None):
        seen = torch.as_tensor(np.asarray(obs))
        # Tianshou does the masking, and requires finite values of all actions.
        everything = torch.ones(len(seen), len(self.policy.targets), dtype=torch.int8)
        return self.policy(seen, everything)[0], state


class Greedy:
    """Takes the legal action with the highest value."""

    def __init__(self, values: Values):
        self.values = values

    @torch.no_grad()
    def act(self, observations, masks, *, states=None, seeds=None):
        values, _ = self.values(observations)
        return values.masked_fill(torch.from_numpy(masks) == 0, -torch.inf).argmax(1).numpy()


def make_env() -> gymnasium.Env:
    return TianshouKeys(gymnasium.make("ludotheque/Sarena-v0", opponents="random"))


def make_algorithm() -> DQN:
    env = make_env()
    policy = DiscreteQLearningPolicy(
        model=Values(),
        action_space=env.action_space,
        observation_space=env.observation_space,
        eps_training=0.1,
    )
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=4,
        target_update_freq=200,
    )


def main() -> None:
    np.random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)
    algorithm = make_algorithm()
    progress = Progress("tianshou", Greedy(algorithm.policy.model))
    envs = DummyVectorEnv([make_env for _ in range(ENVS)])
    envs.seed(0)
    buffer = VectorReplayBuffer(50_000, ENVS)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)
    algorithm.run_training(
        OffPolicyTrainerParams(
            training_collector=collector,
            max_epochs=EPOCHS,
            epoch_num_steps=STEPS,
            collection_step_num_env_steps=256,
            batch_size=256,
            update_step_num_gradient_steps_per_sample=1 / 16,
            show_progress=False,
            verbose=False,
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dqn.pt"
        torch.save(algorithm.state_dict(), path)
        again = make_algorithm()
        again.load_state_dict(torch.load(path, weights_only=True))
    progress.finish(EPOCHS * STEPS, Greedy(again.policy.model))


if __name__ == "__main__":
    main()
