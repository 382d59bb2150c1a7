"""Stable-Baselines3: MaskablePPO against random play, as in its tutorial."""

from __future__ import annotations

import tempfile
from pathlib import Path

import torch
from common import Progress
from sb3_contrib import MaskablePPO

from ludotheque.agents import make_agent
from ludotheque.agents.board_policy import BoardPolicy
from ludotheque.agents.networks import copy_network
from ludotheque.agents.policy import PolicyAgent, save_model
from ludotheque.agents.sb3 import SeatVecEnv

STEPS = 100_000


def main() -> None:
    torch.set_num_threads(1)
    envs = SeatVecEnv("sarena", num_envs=128, opponents="random")
    rates = {"learning_rate": 4e-3, "gamma": 1.0, "ent_coef": 0.01}
    sizes = {"n_steps": 16, "batch_size": 256, "n_epochs": 2}
    model = MaskablePPO(
        BoardPolicy, envs, policy_kwargs={"game": "sarena"}, seed=0, **rates, **sizes
    )
    untrained = PolicyAgent("sarena", copy_network(model.policy, envs.game))
    progress = Progress("stable_baselines3", untrained)
    model.learn(STEPS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.zip"
        save_model(model, path, envs.settings)
        MaskablePPO.load(path, envs)
        progress.finish(STEPS, make_agent(f"ppo:{path}", "sarena"))


if __name__ == "__main__":
    main()
