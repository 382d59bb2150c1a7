"""TorchRL: self-play PPO on `TorchRLEnv`, and its speed compared with the official wrapper's."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import torch
from common import Progress, example
from tensordict.nn import (
    InteractionType,
    ProbabilisticTensorDictModule,
    ProbabilisticTensorDictSequential,
    TensorDictModule,
)
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, PettingZooWrapper, check_env_specs
from torchrl.modules import MaskedCategorical
from torchrl.objectives import ClipPPOLoss

from ludotheque.agents.torchrl import SeatGAE, TorchRLEnv
from ludotheque.envs import game_names, get_game, sarena_v0

FRAMES, MINIBATCH, EPOCHS = 8192, 512, 2
TOTAL = 30 * FRAMES


class Net(torch.nn.Module):
    """The example's policy with TorchRL's shapes: values ``(..., 1)``, any batch size."""

    def __init__(self, policy: torch.nn.Module):
        super().__init__()
        self.policy = policy

    def forward(self, observation, mask):
        shape = mask.shape[:-1]
        logits, values = self.policy(observation.flatten(0, -2), mask.flatten(0, -2))
        # The distribution applies the mask.
        logits = logits.masked_fill(~mask.flatten(0, -2), 0.0)
        return logits.unflatten(0, shape), values.unflatten(0, shape)[..., None]


def modules(net: Net):
    """Return the actor and the critic, which share the network."""
    keys = ["observation", "action_mask"]
    actor = ProbabilisticTensorDictSequential(
        TensorDictModule(net, keys, ["logits", "state_value"]),
        ProbabilisticTensorDictModule(
            {"logits": "logits", "mask": "action_mask"},
            ["action"],
            distribution_class=MaskedCategorical,
            return_log_prob=True,
            default_interaction_type=InteractionType.RANDOM,
        ),
    )
    return actor, TensorDictModule(net, keys, ["_logits", "state_value"])


def speed(env: EnvBase, steps: int) -> float:
    """Return decisions a second of random legal play."""
    env.rollout(3)
    start = perf_counter()
    count = env.rollout(steps, break_when_any_done=False).numel()
    return count / (perf_counter() - start)


def compare() -> dict[str, float]:
    """Return decisions a second over the native batch and over the official wrapper."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it expects another version of PettingZoo
        official = PettingZooWrapper(sarena_v0.env(), use_mask=True, done_on_any=False)
        slow = speed(official, 300)
    found = {f"native_{n}": round(speed(TorchRLEnv("sarena", n), 50)) for n in (64, 1024)}
    return {"official": round(slow), **found, "factor": round(found["native_1024"] / slow)}


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    for name in game_names():
        for players in get_game(name).player_counts:
            check_env_specs(TorchRLEnv(name, 3, players), seed=0)
    # To TorchRL another device than "cpu", like a GPU.
    check_env_specs(TorchRLEnv("sarena", 3, device="cpu:0", history=2), seed=0)
    ppo = example("ppo_selfplay")
    net = Net(ppo.Policy("sarena"))
    progress = Progress("torchrl", ppo.PolicyAgent(net.policy))
    actor, critic = modules(net)
    gae = SeatGAE(critic)
    loss = ClipPPOLoss(
        actor, critic, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True
    )
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3, eps=1e-5)
    env = TorchRLEnv("sarena", 256)
    env.set_seed(0)
    collector = Collector(env, actor, frames_per_batch=FRAMES, total_frames=TOTAL)
    for data in collector:
        rows = gae(data).reshape(-1)
        for _ in range(EPOCHS):
            for chosen in torch.randperm(len(rows)).split(MINIBATCH):
                terms = loss(rows[chosen])
                optimizer.zero_grad()
                sum(part for name, part in terms.items() if name.startswith("loss_")).backward()
                torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
    collector.shutdown()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.pt"
        torch.save(net.policy.state_dict(), path)
        again = ppo.Policy("sarena")
        again.load_state_dict(torch.load(path, weights_only=True))
    progress.finish(TOTAL, ppo.PolicyAgent(again), speed=compare())


if __name__ == "__main__":
    main()
