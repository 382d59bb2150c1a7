"""Training by self-play: MaskablePPO against a pool of its past selves.

One learn loop from start to end. At every boundary (before each rollout) the run takes a snapshot
for the pool, evaluates, saves, and stops if it has to; so a run that is stopped and resumed goes
through the same numbers as one that isn't.

A run's folder holds:
    model.zip           the newest policy: ``"ppo:FOLDER/model.zip"`` plays with it
    best.zip            the policy of the best evaluation
    evaluations.jsonl   one evaluation a line
    config.json         the settings
    checkpoint/run.pt   all that is needed to go on exactly
    tensorboard/        curves: ``tensorboard --logdir FOLDER/tensorboard``
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import os
import pickle
import random
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.errors import check_choice
from ludotheque.envs.core.files import atomic_path, atomic_write_text
from ludotheque.envs.core.game import check_seed
from ludotheque.envs.core.interfaces.seats import SeatBatch
from ludotheque.envs.core.interfaces.settings import Settings

from .base import Agent, needs_train
from .layout import Layout, layout_of
from .networks import ACTIVATIONS, Network, copy_network, make_network
from .policy import PLAYING, PolicyAgent, save_model
from .pool import SAMPLINGS, OpponentPool

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure

    from .board_policy import BoardPolicy
    from .sb3 import SeatVecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error

CHECKPOINT = Path("checkpoint") / "run.pt"
EVALUATIONS = "evaluations.jsonl"
CONFIG = "config.json"
MODEL = "model.zip"
BEST = "best.zip"
# These may change when a run is resumed; everything else stays as it was.
_MAY_CHANGE = ("minutes", "steps", "out", "resume", "progress")
# Kinds of networks, with the widths of each that serve if none are given.
NET_ARCHS = {"board": (32, 1, 16), "mlp": (256, 256)}
# On a board with more places than this, convolutions take most of the time: each is seen alone. So
# are places in one line, which is no board.
SMALL_BOARD = 100
# What stands for the opponent in a game alone.
ALONE = "alone"
_TORCH_ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}

Progress = Callable[[float, float, str], None]


@dataclass
class TrainConfig:
    """Settings of a run. ``minutes`` or ``steps`` says how long, the first that comes.

    Attributes:
        game: name of the game.
        num_players: seats; the learner takes each in turn by chance. None: those of the run that is
            resumed, else 2, or the fewest where 2 can't play.
        minutes: time for the whole run, evaluations and what was done before a resume included.
        steps: decisions of the learner in the whole run; rounded up to whole rollouts.
        out: the run's folder; None: ``runs/GAME``.
        resume: go on with the run in ``out``; its own settings hold, but for minutes and steps.
        seed: of everything, below 2**32. One seed and ``steps`` give one result on one machine.
        progress: called as ``progress(done, total, text)`` after each rollout (seconds, or steps
            if only those are limited); True shows a bar.
        options: the game's variants, as ``{"deal": "balanced"}``.
        observation: see ``Settings``.
        reward: see ``Settings``; None takes what suits the game, ``"rank"`` if it doesn't say.
        reward_scale: what rewards are multiplied by for learning, so that the sum of a game's is
            around 1. None takes what suits the game, if the reward is its own too, else 1.
        num_envs: games at once.
        n_steps: decisions in each game in a rollout.
        batch_size: decisions in a minibatch; must divide ``num_envs * n_steps``.
        n_epochs: passes over each rollout.
        network: ``"board"`` (see ``board_policy``; games that say what their actions are about,
            flat observations), ``"mlp"`` (any game), or ``"auto"``: board where it can be.
        net_arch: of a board: width, depth and head; of an mlp: width of the hidden layers, of the
            policy and of the value network each. None: (32, 1, 16), with depth 0 on boards of
            more than 100 places or one line, or (256, 256).
        activation: of an mlp, ``"relu"`` or ``"tanh"``.
        learning_rate: at the start; falls in a line to ``final_learning_rate`` at the end.
        final_learning_rate: see there.
        clip_range, ent_coef, vf_coef, max_grad_norm, gamma, gae_lambda: as in MaskablePPO.
        pool_size: past selves that are kept.
        pool_sampling: ``"latest"``, ``"uniform"``, ``"recent"`` or ``"prioritized"``; see
            ``OpponentPool``.
        fixed_opponents: probability of other agents as opponents; the rest is for past selves.
            Alone there are none.
        snapshot_every: steps from one past self to the next.
        eval_every: steps from one evaluation to the next; there is one at the end too.
        eval_games: games of an evaluation against each of ``eval_opponents``.
        eval_opponents: names of agents; ``("alone",)`` in a game alone.
        checkpoint_every: steps from one save to the next; there is one at the end too.
        num_threads: threads for the games.
        torch_threads: threads for the networks; None leaves torch's own choice.
        device: where the networks are, ``"cpu"`` or ``"cuda"``.

    Raises:
        ValueError: a value that isn't allowed, a folder without a run under ``resume``, or a run
            that has had its time.
    """

    game: str = "sarena"
    num_players: int | None = None
    minutes: float | None = None
    steps: int | None = None
    out: str | os.PathLike | None = None
    resume: bool = False
    seed: int = 0
    progress: Progress | bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    reward: str | None = None
    observation: str = "flat"
    reward_scale: float | None = None
    num_envs: int = 128
    n_steps: int = 16
    batch_size: int = 256
    n_epochs: int = 2
    network: str = "auto"
    net_arch: tuple[int, ...] | None = None
    activation: str = "relu"
    learning_rate: float = 4e-3
    final_learning_rate: float = 2e-4
    clip_range: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    gamma: float = 1.0
    gae_lambda: float = 0.95
    pool_size: int = 10
    pool_sampling: str = "recent"
    fixed_opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 0.05, "greedy": 0.25}
    )
    snapshot_every: int = 100_000
    eval_every: int = 500_000
    eval_games: int = 400
    eval_opponents: tuple[str, ...] = ("random", "greedy")
    checkpoint_every: int = 500_000
    num_threads: int = 1
    torch_threads: int | None = 1
    device: str = "cpu"

    def __post_init__(self):
        game = get_game(self.game)
        self.out = Path("runs", self.game) if self.out is None else Path(self.out)
        if self.minutes is None and self.steps is None:
            raise ValueError("say how long to train: give minutes or steps")
        for name in ("minutes", "steps"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"{name} is {value!r}; give a number above 0")
        if self.resume:
            self._take_saved()
        if self.num_players is None:
            self.num_players = game.usual_players
        usual = {"reward": "rank", "reward_scale": 1.0, **game.training}
        if self.reward_scale is None:
            fits = self.reward in (None, usual["reward"])
            self.reward_scale = usual["reward_scale"] if fits else 1.0
        self.reward = self.reward or usual["reward"]
        if self.num_players == 1:
            self.fixed_opponents, self.eval_opponents = {}, (ALONE,)
        self.eval_opponents = tuple(self.eval_opponents)
        self._check()

    def _take_saved(self) -> None:
        """Fill in the settings of the run that is to be resumed."""
        for name in (CONFIG, CHECKPOINT):
            if not (self.out / name).is_file():
                raise ValueError(
                    f"nothing to resume: {str(self.out / name)!r} doesn't exist; leave out resume, "
                    "or check out"
                )
        saved = json.loads((self.out / CONFIG).read_text())
        if self.num_players is None:
            self.num_players = saved["num_players"]
        for name in ("game", "num_players"):
            if saved[name] != getattr(self, name):
                raise ValueError(
                    f"the run in {str(self.out)!r} has {name}={saved[name]!r}, not "
                    f"{getattr(self, name)!r}: resume it as it was begun"
                )
        for name, value in saved.items():
            if name not in _MAY_CHANGE:
                setattr(self, name, value)

    def _check(self) -> None:
        check_choice(self.activation, tuple(ACTIVATIONS), "activation")
        check_choice(self.network, ("auto", *NET_ARCHS), "network")
        check_choice(self.pool_sampling, SAMPLINGS, "pool_sampling")
        counts = ("num_envs", "n_steps", "batch_size", "n_epochs", "pool_size", "snapshot_every")
        for name in (*counts, "eval_every", "eval_games", "checkpoint_every"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is {value!r}; give a whole number from 1 up")
        # As far as numpy's global generator goes, which SB3 seeds.
        if check_seed(self.seed) >= 1 << 32:
            raise ValueError(f"seed is {self.seed!r}; give a whole number from 0 to 2**32 - 1")
        if self.rollout % self.batch_size:
            raise ValueError(
                f"batch_size is {self.batch_size}; give a number that divides num_envs * n_steps "
                f"= {self.rollout}"
            )
        if self.rollout < 2 or self.batch_size < 2:
            raise ValueError("advantages are normalised: give a batch_size from 2 up")
        if not self.reward_scale > 0:
            raise ValueError(f"reward_scale is {self.reward_scale!r}; give a number above 0")
        layout = layout_of(self.settings().game) if self.observation == "flat" else None
        if self.network == "auto":
            self.network = "mlp" if layout is None else "board"
        elif self.network == "board" and layout is None:
            raise ValueError(
                "network is 'board'; it needs flat observations of a game that says what its "
                "actions are about: give 'mlp'"
            )
        if self.net_arch is None:
            self.net_arch = NET_ARCHS[self.network]
            if self.network == "board" and _seen_alone(layout):
                self.net_arch = (self.net_arch[0], 0, self.net_arch[2])
        self.net_arch = tuple(self.net_arch)
        if not self.net_arch or not all(isinstance(size, int) for size in self.net_arch):
            raise ValueError(f"net_arch is {self.net_arch}; give whole numbers")
        if self.network == "board" and len(self.net_arch) != 3:
            raise ValueError(f"net_arch is {self.net_arch}; a board wants (width, depth, head)")
        # A board of depth 0 sees each place alone.
        least = (1, 0, 1) if self.network == "board" else (1,) * len(self.net_arch)
        if any(size < few for size, few in zip(self.net_arch, least, strict=True)):
            raise ValueError(f"net_arch is {self.net_arch}; the least is {least}")

    def make_model(self, env: SeatVecEnv, learning_rate: Any = None) -> MaskablePPO:
        """Return a new MaskablePPO with these settings; the learning rate stays as it starts."""
        layers = list(self.net_arch)
        if self.network == "board":
            policy: Any = BoardPolicy
            policy_kwargs: dict[str, Any] = {"game": self.game, "net_arch": layers}
        else:
            policy = "MlpPolicy"
            policy_kwargs = {
                "net_arch": {"pi": layers, "vf": layers},
                "activation_fn": _TORCH_ACTIVATIONS[self.activation],
            }
        return MaskablePPO(
            policy,
            env,
            learning_rate=self.learning_rate if learning_rate is None else learning_rate,
            n_steps=self.n_steps,
            batch_size=self.batch_size,
            n_epochs=self.n_epochs,
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
            clip_range=self.clip_range,
            ent_coef=self.ent_coef,
            vf_coef=self.vf_coef,
            max_grad_norm=self.max_grad_norm,
            policy_kwargs=policy_kwargs,
            seed=self.seed,
            device=self.device,
        )

    @property
    def rollout(self) -> int:
        """Steps in a rollout."""
        return self.num_envs * self.n_steps

    def settings(self) -> Settings:
        """Return the settings of the games."""
        return Settings(
            self.game,
            self.num_players,
            self.observation,
            self.reward,
            options=self.options,
        )

    def to_json(self) -> str:
        """Return the settings as text; ``progress`` and ``resume`` are left out."""
        values = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del values["progress"], values["resume"]
        values["out"] = str(self.out)
        values["options"] = dict(self.options)
        values["fixed_opponents"] = dict(self.fixed_opponents)
        return json.dumps(values, indent=2) + "\n"


@dataclass(frozen=True)
class Evaluation:
    """Games of the learner against one kind of opponent, each seat as often.

    Attributes:
        steps: the learner's decisions in training so far.
        opponent: name of the agent in all other seats.
        games: how many.
        wins, draws, losses: sole winner; shared first place; the rest. Alone, a win is the goal
            reached.
        win_rate: wins / games.
        low, high: 95 % interval of the win rate (Wilson 1927).
        wins_by_seat: wins in each seat.
        score: the learner's mean score.
        seconds: of training so far.
    """

    steps: int
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    low: float
    high: float
    wins_by_seat: tuple[int, ...]
    score: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True)
class TrainResult:
    """What a run came to.

    Attributes:
        model_path: the newest policy.
        best_path: the policy of the best evaluation, or None.
        out: the run's folder.
        steps: decisions of the learner, in the whole run.
        seconds: of the whole run.
        interrupted: stopped by Ctrl-C; ``resume`` goes on.
        evaluations: all of them, in order.
    """

    model_path: Path
    best_path: Path | None
    out: Path
    steps: int
    seconds: float
    interrupted: bool
    evaluations: tuple[Evaluation, ...]


def _seen_alone(layout: Layout) -> bool:
    return layout.num_places > SMALL_BOARD or 1 in layout.grid


def wilson(wins: int, games: int, z: float = 1.96) -> tuple[float, float]:
    """Return the Wilson score interval of a proportion; 95 % by default."""
    if not games:
        return 0.0, 1.0
    rate = wins / games
    scale = 1.0 + z * z / games
    middle = (rate + z * z / (2 * games)) / scale
    reach = z * math.sqrt(rate * (1 - rate) / games + z * z / (4 * games * games)) / scale
    return max(0.0, middle - reach), min(1.0, middle + reach)


def evaluate(
    agent: Agent, opponent: str | Agent, settings: Settings, games: int, seed: int
) -> Evaluation:
    """Play ``games`` games (rounded up to as many in each seat) of ``agent`` against ``opponent``.

    The same deals are played from every seat. ``agent`` must read the form ``settings`` gives and
    not search. Alone, ``opponent`` is only a name.
    """
    players = settings.num_players
    each = -(-games // players)
    seeds = np.random.default_rng(seed).integers(0, 1 << 64, each, np.uint64, endpoint=False)
    wins, draws, losses, points = [], 0, 0, 0.0
    opponents = "random" if players == 1 else [opponent] * players
    for seat in range(players):
        batch = SeatBatch(settings, each, opponents, seat)
        batch.deal(seeds)
        _play_to_end(batch, agent)
        points += float(batch.scores[:, seat].sum())
        mine = batch.ranks[:, seat] == 1
        shared = (batch.ranks == 1).sum(axis=1) > 1
        wins.append(int((mine & ~shared).sum()))
        draws += int((mine & shared).sum())
        losses += int((~mine).sum())
    total, name = each * players, getattr(opponent, "name", opponent)
    low, high = wilson(sum(wins), total)
    return Evaluation(
        0,
        name,
        total,
        sum(wins),
        draws,
        losses,
        sum(wins) / total,
        low,
        high,
        tuple(wins),
        points / total,
    )


def _play_to_end(batch: SeatBatch, agent: Agent) -> None:
    shape = batch.settings.observation_shape
    seeds = np.empty(batch.num_envs, np.uint64)
    while True:
        live = np.flatnonzero(~batch.over)
        if not len(live):
            return
        batch.refresh()
        batch.settings.loops.decision_seeds(batch.states, 0, batch.num_envs, seeds)
        observations = batch.observations[live].reshape(-1, *shape)
        batch.play(agent.act(observations, batch.masks[live], seeds=seeds[live]), live)


def train(config: TrainConfig) -> TrainResult:
    """Train by self-play until the time or the steps are over; save and return what came of it.

    Ctrl-C finishes the rollout and its update (a second or two), saves and returns; a second
    Ctrl-C raises KeyboardInterrupt at once, and the last checkpoint stands.

    Raises:
        ValueError: ``out`` holds a run and ``resume`` is False, or the run has had its time.
        OSError: a file can't be written.
    """
    run = _Run(config)
    with _torch_settings(config.torch_threads), _rng_restored(), _interrupts(run):
        run.start()
        with _shown(config) as progress:
            run.learn(progress)
    return run.result()


class _Finished(Exception):
    """The run has come to its end; leaves SB3's learn loop."""


class _Boundary(BaseCallback):
    """Calls the run before each rollout."""

    def __init__(self, at_boundary: Callable[[], None]):
        super().__init__()
        self.at_boundary = at_boundary

    def _on_rollout_start(self) -> None:
        self.at_boundary()

    def _on_step(self) -> bool:
        return True


class _Falling:
    """A learning rate that falls in a line; the run says how much of it is left."""

    def __init__(self, first: float, last: float):
        self.first, self.last, self.left = first, last, 1.0

    def __call__(self, _: float) -> float:
        return self.last + (self.first - self.last) * self.left


class _Run:
    """A run in progress: everything that ``train`` holds, and what happens at its boundaries."""

    def __init__(self, config: TrainConfig):
        self.config = config
        self.out = Path(config.out)
        self.stop = False
        self.interrupted = False
        self.evaluations: list[Evaluation] = []
        self.best: float | None = None
        self.before = 0.0  # seconds of the run before this start
        self.marks = {"snapshot": 0, "evaluation": 0, "checkpoint": 0}
        self.rollout_seconds: deque[float] = deque(maxlen=15)
        self.evaluation_seconds = 0.0
        if not config.resume and (self.out / CONFIG).exists():
            raise ValueError(
                f"{str(self.out)!r} holds a run already: give resume=True to go on with it, or "
                "another folder"
            )

    # What is trained

    def start(self) -> None:
        """Make everything, or take it up where the saved run stopped."""
        config = self.config
        self.clock = perf_counter()
        (self.out / CHECKPOINT).parent.mkdir(parents=True, exist_ok=True)
        self.pool = OpponentPool(
            config.game,
            config.pool_size,
            config.pool_sampling,
            config.fixed_opponents,
            observation=config.observation,
        )
        self.env = SeatVecEnv(
            config.game,
            config.num_envs,
            config.num_players,
            opponents=self.pool,
            observation=config.observation,
            reward=config.reward,
            reward_scale=config.reward_scale,
            num_threads=config.num_threads,
            **config.options,
        )
        self.rate = _Falling(config.learning_rate, config.final_learning_rate)
        self.model = config.make_model(self.env, self.rate)
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))
        if config.resume:
            self._load()
            self._check_time_left()
        atomic_write_text(self.out / CONFIG, config.to_json())

    def learn(self, progress: Progress | None) -> None:
        """Train until a boundary says that it is over."""
        self.progress = progress
        self.rollout_start: float | None = None
        with contextlib.suppress(_Finished):
            self.model.learn(
                1 << 60,
                callback=_Boundary(self._at_boundary),
                reset_num_timesteps=not self.config.resume,
            )

    @property
    def steps(self) -> int:
        return self.model.num_timesteps

    @property
    def seconds(self) -> float:
        return self.before + perf_counter() - self.clock

    def result(self) -> TrainResult:
        best = self.out / BEST
        return TrainResult(
            self.out / MODEL,
            best if best.exists() else None,
            self.out,
            self.steps,
            self.seconds,
            self.interrupted,
            tuple(self.evaluations),
        )

    # What happens at a boundary

    def _at_boundary(self) -> None:
        config = self.config
        self._time_rollout()
        over = self.stop or (self.rollout_start is not None and self._is_over())
        if self._is_due("snapshot", config.snapshot_every):
            self.pool.add(copy_network(self.model.policy, self.env.game), f"self-{self.steps}")
        if self._is_due("evaluation", config.eval_every) or (over and not self.stop):
            self._evaluate()
        self.rate.left = self._part_left()
        self._show()
        over = over or self.stop
        if self._is_due("checkpoint", config.checkpoint_every) or over:
            self._save()
        if over:
            self.interrupted = self.stop
            raise _Finished
        self.rollout_start = perf_counter()

    def _is_due(self, what: str, every: int) -> bool:
        due = self.steps // every > self.marks[what] // every
        if due:
            self.marks[what] = self.steps
        return due

    def _time_rollout(self) -> None:
        if self.rollout_start is not None:
            self.rollout_seconds.append(perf_counter() - self.rollout_start)

    def _is_over(self) -> bool:
        config = self.config
        if config.steps is not None and self.steps >= config.steps:
            return True
        if config.minutes is None:
            return False
        # The median: one rollout that was held up, or compiled kernels, says little of the next.
        ahead = median(self.rollout_seconds) + self.evaluation_seconds
        return self.seconds + ahead > config.minutes * 60

    def _part_left(self) -> float:
        config = self.config
        parts = [0.0]
        if config.steps is not None:
            parts.append(self.steps / config.steps)
        if config.minutes is not None:
            parts.append(self.seconds / (config.minutes * 60))
        return max(0.0, 1.0 - max(parts))

    def _check_time_left(self) -> None:
        config = self.config
        if config.steps is not None and self.steps >= config.steps:
            raise ValueError(
                f"the run in {str(self.out)!r} has had {self.steps} steps: give more than those"
            )
        if config.minutes is not None and self.seconds >= config.minutes * 60:
            raise ValueError(
                f"the run in {str(self.out)!r} has had {self.seconds / 60:.1f} minutes: give more "
                "than those"
            )

    def _evaluate(self) -> None:
        config, start = self.config, perf_counter()
        network = copy_network(self.model.policy, self.env.game)
        agent = PolicyAgent(config.game, network, config.observation, temperature=PLAYING)
        logger, rates = self.model.logger, []
        for opponent in config.eval_opponents:
            # Other deals each time: the best policy is then not the one that suits some deals.
            found = evaluate(
                agent, opponent, self.env.settings, config.eval_games, config.seed + self.steps
            )
            found = dataclasses.replace(found, steps=self.steps, seconds=round(self.seconds, 1))
            self.evaluations.append(found)
            alone = config.num_players == 1
            rates.append(found.score if alone else (found.wins + found.draws / 2) / found.games)
            logger.record(f"eval/win_rate_{opponent}", found.win_rate)
            logger.record(f"eval/score_{opponent}", found.score)
        logger.dump(self.steps)
        lines = [json.dumps(dataclasses.asdict(found)) + "\n" for found in self.evaluations]
        atomic_write_text(self.out / EVALUATIONS, "".join(lines))
        if rates and (self.best is None or sum(rates) > self.best):
            self.best = sum(rates)
            save_model(self.model, self.out / BEST, self.env.settings)
        self.evaluation_seconds = perf_counter() - start

    def _show(self) -> None:
        if self.progress is None:
            return
        config = self.config
        text = f"{self.steps:,} steps"
        newest = {found.opponent: found for found in self.evaluations}
        for name, found in newest.items():
            text += (
                f", {found.win_rate:.0%} against {name}"
                if name != ALONE
                else (f", {found.score:.1f} points")
            )
        if config.minutes is None:
            self.progress(min(self.steps, config.steps), config.steps, text)
        else:
            total = config.minutes * 60
            self.progress(min(self.seconds, total), total, text)

    # Saving and taking up

    def _save(self) -> None:
        """Write the newest model, and everything needed to go on exactly."""
        save_model(self.model, self.out / MODEL, self.env.settings)
        saved = {
            "format": 1,
            "steps": self.steps,
            "updates": self.model._n_updates,
            "seconds": self.seconds,
            "policy": self.model.policy.state_dict(),
            "optimizer": self.model.policy.optimizer.state_dict(),
            "learning_rate_left": self.rate.left,
            "episode_starts": torch.from_numpy(self.model._last_episode_starts)
            if self.model._last_episode_starts is not None
            else None,
            "rng": _rng_state(),
            "pool": _pack_pool(self.pool),
            "env": _pack_env(self.env),
            "marks": dict(self.marks),
            "best": self.best,
            "evaluations": [dataclasses.asdict(found) for found in self.evaluations],
        }
        with atomic_path(self.out / CHECKPOINT) as temporary:
            torch.save(saved, temporary)

    def _load(self) -> None:
        # Only numbers and text are read: a checkpoint from elsewhere can't run code.
        path = self.out / CHECKPOINT
        try:
            saved = torch.load(path, weights_only=True, map_location="cpu")
        except (RuntimeError, EOFError, pickle.UnpicklingError) as error:
            raise ValueError(f"{path} is damaged, so this run can't go on: {error}") from error
        model = self.model
        model.policy.load_state_dict(saved["policy"])
        model.policy.optimizer.load_state_dict(saved["optimizer"])
        model.num_timesteps = saved["steps"]
        model._n_updates = saved["updates"]
        model._last_episode_starts = saved["episode_starts"].numpy()
        self.before = saved["seconds"]
        self.rate.left = saved["learning_rate_left"]
        self.marks = saved["marks"]
        self.best = saved["best"]
        self.evaluations = [
            Evaluation(**{**found, "wins_by_seat": tuple(found["wins_by_seat"])})
            for found in saved["evaluations"]
        ]
        agents = _unpack_pool(self.pool, saved["pool"])
        agents.update(_evicted(self.pool, saved["env"]["evicted"]))
        model._last_obs = _unpack_env(self.env, saved["env"], agents)
        _set_rng_state(saved["rng"])


def _pack_network(network: Network) -> dict[str, Any]:
    arrays = {name: torch.from_numpy(array) for name, array in network.arrays.items()}
    return {"about": network.about(), "arrays": arrays}


def _unpack_network(packed: dict[str, Any], game: str) -> Network:
    arrays = {name: tensor.numpy() for name, tensor in packed["arrays"].items()}
    return make_network(packed["about"], arrays, get_game(game))


def _pack_pool(pool: OpponentPool) -> dict[str, Any]:
    state = pool.get_state()
    selves = [(name, _pack_network(network)) for name, network in state["selves"]]
    return {**state, "selves": selves}


def _unpack_pool(pool: OpponentPool, packed: dict[str, Any]) -> dict[str, Agent]:
    """Fill the pool; return all its agents by name."""
    selves = [(name, _unpack_network(network, pool.game)) for name, network in packed["selves"]]
    pool.set_state({**packed, "selves": selves})
    return {**pool.agents, **{agent.name: agent for agent in pool.selves}}


def _evicted(pool: OpponentPool, packed: dict[str, Any]) -> dict[str, Agent]:
    """Return the past selves that left the pool but still play a game."""
    agents: dict[str, Agent] = {}
    for name, network in packed.items():
        agents[name] = PolicyAgent(pool.game, _unpack_network(network, pool.game), pool.observation)
        agents[name].name = name
    return agents


def _pack_env(env: SeatVecEnv) -> dict[str, Any]:
    state = env.get_state()
    pool = env.pool(0)
    names = {number: agent.name for number, agent in state["agents"].items()}
    kept = {*pool.agents, *(agent.name for agent in pool.selves)}
    evicted = {
        agent.name: _pack_network(agent.network)
        for agent in state["agents"].values()
        if agent.name not in kept
    }
    # Records as bytes: torch has no record types.
    packed = {"states": torch.from_numpy(state["states"].view(np.uint8).copy())}
    for name in ("learner", "agent_of", "returns", "lengths"):
        packed[name] = torch.from_numpy(state[name])
    return {**packed, "names": names, "evicted": evicted}


def _unpack_env(env: SeatVecEnv, packed: dict[str, Any], agents: dict[str, Agent]) -> np.ndarray:
    """Take up the saved games; return the learner's observations."""
    state = {name: packed[name].numpy() for name in ("learner", "agent_of", "returns", "lengths")}
    state["states"] = packed["states"].numpy().view(env.game.dtype)
    state["agents"] = {number: agents[name] for number, name in packed["names"].items()}
    return env.set_state(state)


def _rng_state() -> dict[str, Any]:
    kind, words, position, has_gauss, gauss = np.random.get_state()
    version, integers, normal = random.getstate()
    state = {
        "torch": torch.get_rng_state(),
        "numpy": [kind, torch.from_numpy(words.astype(np.int64)), position, has_gauss, gauss],
        "python": [version, list(integers), normal],
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def _set_rng_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"])
    kind, words, *rest = state["numpy"]
    np.random.set_state((kind, words.numpy().astype(np.uint32), *rest))
    version, integers, normal = state["python"]
    random.setstate((version, tuple(integers), normal))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])


@contextlib.contextmanager
def _rng_restored() -> Iterator[None]:
    """SB3 seeds the global generators: give the caller's back."""
    before = _rng_state()
    try:
        yield
    finally:
        _set_rng_state(before)


@contextlib.contextmanager
def _torch_settings(threads: int | None) -> Iterator[None]:
    threads_before = torch.get_num_threads()
    checks_before = torch.distributions.Distribution._validate_args
    if threads is not None:
        torch.set_num_threads(threads)
    # These checks take time on every minibatch, and have stopped long runs of MaskablePPO over a
    # rounding error (sb3-contrib 81 and 247). Masks and actions are checked by the games.
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.set_num_threads(threads_before)
        torch.distributions.Distribution.set_default_validate_args(checks_before)


@contextlib.contextmanager
def _interrupts(run: _Run) -> Iterator[None]:
    """The first Ctrl-C asks the run to stop at its next boundary; the second stops it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)

    def ask(number: int, frame: Any) -> None:
        run.stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def _shown(config: TrainConfig) -> Iterator[Progress | None]:
    """Give the progress function: the caller's, one that moves a bar, or none."""
    if config.progress is not True:
        yield config.progress or None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True)) as bar:
        task = bar.add_task("Training")

        def show(done: float, total: float, text: str) -> None:
            bar.update(task, completed=done, total=total, description=text)

        yield show
