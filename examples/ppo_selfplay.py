"""Self-play PPO in one file, using only torch and ``make_batch``: meant to be copied.

One policy plays all seats of many games at once and learns from every seat's decisions::

    python examples/ppo_selfplay.py --game sarena --plies 1000000

It works for every game of the suite, with any number of players. Each action is scored by its
targets (places of the board, cards, tiles: ``targets_of``), so what is learned about one place
applies to all; replace `Policy` by your own network. The rest is PPO as in many libraries, except
that advantages are computed along each seat's own decisions (``seat_advantages``).
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, fields
from pathlib import Path
from time import perf_counter

import numpy as np
import torch
from torch import nn

from ludotheque.agents import play_match
from ludotheque.agents.targets import targets_of
from ludotheque.envs import get_game, make_batch, seat_advantages


@dataclass
class Args:
    """Settings; each is an option of the command too."""

    game: str = "sarena"
    players: int = 2
    plies: int = 1_000_000  # in all games together
    seed: int = 0
    num_envs: int = 256  # games at once
    num_plies: int = 32  # plies in each game between two updates
    minibatch: int = 512
    epochs: int = 2
    learning_rate: float = 4e-3  # falls to a twentieth
    gamma: float = 1.0  # results come at the end: no discount
    gae_lambda: float = 0.95
    clip: float = 0.2
    entropy: float = 0.01
    max_grad_norm: float = 0.5
    eval_every: int = 250_000  # plies
    eval_games: int = 200
    threads: int = 1  # of torch; more threads don't pay for networks this small
    out: str = ""  # where to save the weights


class Policy(nn.Module):
    """From observations and masks to a logit for each action, and the value of the position.

    Args:
        game: name of the game.
        width: number of features per target.
        head: number of features per action, and of units in the value's hidden layer.
    """

    def __init__(self, game: str, width: int = 32, head: int = 16):
        super().__init__()
        layout = targets_of(get_game(game))
        assert layout is not None, f"{game} doesn't say what its actions are about"
        self.grid, self.num_places = layout.grid, layout.num_places
        constants = {
            "scale": layout.scale,
            "planes": layout.planes.T.reshape(-1).copy(),
            "rest": layout.rest,
            "targets": layout.targets,
            "kinds": layout.kinds,
            **{f"list_{k}": rows.reshape(-1).copy() for k, rows in enumerate(layout.lists)},
        }
        for name, value in constants.items():
            self.register_buffer(name, torch.from_numpy(value), persistent=False)
        self.whole = nn.Linear(len(layout.rest), width)
        if self.num_places:
            self.places = nn.Conv2d(layout.planes.shape[1], width, 3, padding=1)
        self.rows = nn.ModuleList(nn.Linear(rows.shape[1], width) for rows in layout.lists)
        self.thing = nn.Parameter(torch.zeros(layout.num_things, width))
        self.ends = nn.ModuleList(nn.Linear(width, head, bias=False) for _ in range(2))
        self.mean = nn.Linear(width, head)
        self.kind = nn.Parameter(torch.zeros(layout.num_kinds, head))
        self.score = nn.Linear(head, 1, bias=False)
        self.value = nn.Sequential(nn.Linear(2 * width, head), nn.ReLU(), nn.Linear(head, 1))
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Conv2d)):
                nn.init.orthogonal_(module.weight, np.sqrt(2))
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        # Initially all actions are about equally likely, so that each is tried.
        nn.init.orthogonal_(self.score.weight, 0.1)
        nn.init.orthogonal_(self.value[-1].weight, 1.0)

    def forward(
        self, observations: torch.Tensor, masks: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits ``(n, num_actions)``, -inf for illegal actions, and values ``(n,)``.

        ``observations``: int8 ``(n, size)``; ``masks``: int8 ``(n, num_actions)``.
        """
        x = observations.float() * self.scale
        whole = self.whole(x[:, self.rest])
        parts = []
        if self.num_places:
            board = x[:, self.planes].unflatten(1, (-1, *self.grid))
            parts.append(self.places(board).flatten(2).transpose(1, 2))
        for k, layer in enumerate(self.rows):
            rows = x[:, getattr(self, f"list_{k}")].unflatten(1, (-1, layer.in_features))
            parts.append(layer(rows))
        things = torch.relu(torch.cat(parts, 1) + self.thing + whole[:, None])
        mean = things.mean(1)
        # Only legal actions, a minority, are scored. One extra target stands for none.
        games, actions = masks.nonzero(as_tuple=True)
        things = nn.functional.pad(things, (0, 0, 0, 1))
        head = self.kind[self.kinds[actions]] + self.mean(mean)[games]
        for k, layer in enumerate(self.ends):
            head = head + layer(things)[games, self.targets[actions, k]]
        logits = torch.full(masks.shape, -torch.inf, device=x.device)
        logits = logits.index_put((games, actions), self.score(torch.relu(head)).squeeze(1))
        return logits, self.value(torch.cat([mean, whole], 1)).squeeze(1)


class PolicyAgent:
    """The policy as an agent for ``play_match``, leagues and environments."""

    name = "ppo_selfplay"

    def __init__(self, policy: Policy):
        self.policy = policy

    @torch.no_grad()
    def act(self, observations, masks, *, states=None, seeds=None):
        """Return the likeliest action of each row."""
        logits, _ = self.policy(torch.from_numpy(observations), torch.from_numpy(masks))
        return logits.argmax(1).numpy()


class Rollout:
    """The data of ``plies`` plies in ``num_envs`` games, for all seats."""

    def __init__(self, args: Args, size: int, num_actions: int):
        shape = args.num_plies, args.num_envs
        self.observations = np.zeros((*shape, size), np.int8)
        self.masks = np.zeros((*shape, num_actions), np.int8)
        self.actions = np.zeros(shape, np.int64)
        self.log_probs = np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, args.players), np.float32)
        self.dones = np.zeros(shape, np.bool_)
        # One more row: who decides next, and the value of that position.
        self.to_play = np.zeros((args.num_plies + 1, args.num_envs), np.int64)
        self.values = np.zeros((args.num_plies + 1, args.num_envs), np.float32)

    @torch.no_grad()
    def collect(self, batch, policy: Policy) -> None:
        """Continue the games. The batch overwrites its outputs, so copies are kept."""
        for t in range(len(self.actions)):
            self.observations[t] = batch.observations
            self.masks[t] = batch.action_masks
            self.to_play[t] = batch.to_play
            logits, values = policy(
                torch.from_numpy(self.observations[t]), torch.from_numpy(self.masks[t])
            )
            chance = torch.distributions.Categorical(logits=logits)
            actions = chance.sample()
            self.actions[t] = actions.numpy()
            self.log_probs[t] = chance.log_prob(actions).numpy()
            self.values[t] = values.numpy()
            batch.step(self.actions[t])
            self.rewards[t] = batch.rewards
            self.dones[t] = batch.terminated | batch.truncated
        self.to_play[-1] = batch.to_play
        seen = torch.from_numpy(batch.observations), torch.from_numpy(batch.action_masks)
        self.values[-1] = policy(*seen)[1].numpy()

    def tensors(self, args: Args) -> list[torch.Tensor]:
        """Return observations, masks, actions, their log-probabilities, advantages, returns."""
        advantages, returns = seat_advantages(
            self.rewards,
            self.dones,
            self.to_play,
            self.values,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
        )
        kept = self.observations, self.masks, self.actions, self.log_probs
        return [torch.from_numpy(part).flatten(0, 1) for part in (*kept, advantages, returns)]


def update(policy: Policy, optimizer: torch.optim.Optimizer, rows: list, args: Args) -> None:
    """Learn from a rollout: PPO's clipped objective, the value loss and an entropy bonus."""
    for _ in range(args.epochs):
        for chosen in torch.randperm(len(rows[0])).split(args.minibatch):
            seen, masks, actions, old, advantages, returns = (part[chosen] for part in rows)
            logits, values = policy(seen, masks)
            log_probs = torch.log_softmax(logits, 1)
            ratio = (log_probs.gather(1, actions[:, None]).squeeze(1) - old).exp()
            gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            # Illegal actions have probability 0, and -inf times 0 is NaN.
            surprise = log_probs.masked_fill(masks == 0, 0.0)
            entropy = -(log_probs.exp() * surprise).sum(1).mean()
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss = loss + 0.5 * nn.functional.mse_loss(values, returns) - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), args.max_grad_norm)
            optimizer.step()


def win_rate(policy: Policy, opponent: str, args: Args, games: int) -> float:
    """Return the share of games won against ``opponent`` in all other seats, ties shared.

    Each deal is played from every seat.
    """
    deals = -(-games // args.players)
    mine = np.repeat(np.arange(args.players), deals)
    seating = (np.arange(args.players) != mine[:, None]).astype(int)
    seeds = np.tile(np.arange(deals), args.players) + 1_000_000
    agents = [PolicyAgent(policy), opponent]
    ranks = play_match(args.game, agents, seeds.tolist(), seating=seating).ranks
    first = ranks == 1
    return float((first[np.arange(len(mine)), mine] / first.sum(1)).mean())


def train(args: Args) -> Policy:
    """Train a policy and return it."""
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    batch = make_batch(args.game, args.num_envs, args.players)
    batch.reset(args.seed)
    policy = Policy(args.game)
    optimizer = torch.optim.Adam(policy.parameters(), lr=args.learning_rate, eps=1e-5)
    rollout = Rollout(args, batch.observations.shape[1], batch.action_masks.shape[1])
    updates = max(1, args.plies // rollout.actions.size)
    start, next_eval = perf_counter(), args.eval_every
    for k in range(updates):
        optimizer.param_groups[0]["lr"] = args.learning_rate * (1 - 0.95 * k / updates)
        rollout.collect(batch, policy)
        update(policy, optimizer, rollout.tensors(args), args)
        plies = (k + 1) * rollout.actions.size
        if plies >= next_eval or k + 1 == updates:
            next_eval += args.eval_every
            seconds = perf_counter() - start
            rates = {name: win_rate(policy, name, args, args.eval_games) for name in OPPONENTS}
            told = ", ".join(f"{rate:.0%} against {name}" for name, rate in rates.items())
            print(f"{plies:,} plies in {seconds:.0f} s: {told}", flush=True)
    return policy


OPPONENTS = ("random", "greedy")


def parse() -> Args:
    """Read the command line: an option for each setting."""
    parser = argparse.ArgumentParser(description="Self-play PPO in one file.")
    for one in fields(Args):
        option = "--" + one.name.replace("_", "-")
        parser.add_argument(option, type=type(one.default), default=one.default)
    return Args(**vars(parser.parse_args()))


if __name__ == "__main__":
    settings = parse()
    trained = train(settings)
    if settings.out:
        Path(settings.out).parent.mkdir(parents=True, exist_ok=True)
        torch.save(trained.state_dict(), settings.out)
