"""A run of training: one learn loop, and what happens at its boundaries."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from ludotheque.envs.core.files import atomic_path, atomic_write_text

from ..base import needs_train
from ..networks import copy_network
from ..policy import PLAYING, PolicyAgent, save_model
from ..pool import OpponentPool
from .config import BEST, CHECKPOINT, CONFIG, EVALUATIONS, MODEL, Progress, TrainConfig
from .evaluation import ALONE, Evaluation, evaluate

try:
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure

    from ..sb3 import SeatVecEnv
    from .checkpoint import (
        pack_env,
        pack_pool,
        rng_state,
        set_rng_state,
        unpack_env,
        unpack_evicted,
        unpack_pool,
    )
except ModuleNotFoundError as error:
    raise needs_train(error) from error


@dataclass(frozen=True)
class TrainResult:
    """What a run came to.

    Attributes:
        model_path: the newest policy.
        best_path: the policy of the best evaluation, or None.
        out: the run's folder.
        steps: decisions of the learner, in the whole run.
        seconds: of the whole run.
        interrupted: stopped by Ctrl-C; continue with ``resume``.
        evaluations: all of them, in order.
    """

    model_path: Path
    best_path: Path | None
    out: Path
    steps: int
    seconds: float
    interrupted: bool
    evaluations: tuple[Evaluation, ...]


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
    """A learning rate that decays linearly with the part of the run that is left."""

    def __init__(self, first: float, last: float):
        self.first, self.last, self.left = first, last, 1.0

    def __call__(self, _: float) -> float:
        return self.last + (self.first - self.last) * self.left


class _Run:
    """A run in progress: everything that ``train`` holds, and what happens at its boundaries."""

    def __init__(self, config: TrainConfig):
        self.config = config
        self.out = config.folder
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
                f"{str(self.out)!r} holds a run already: pass resume=True to continue it, or "
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
            reward=config.reward or "rank",
            reward_scale=config.reward_scale or 1.0,
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
                f"the run in {str(self.out)!r} already ran {self.steps} steps; pass larger `steps`"
            )
        if config.minutes is not None and self.seconds >= config.minutes * 60:
            raise ValueError(
                f"the run in {str(self.out)!r} already ran {self.seconds / 60:.1f} minutes; pass "
                "larger `minutes`"
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
            assert config.steps is not None
            self.progress(min(self.steps, config.steps), config.steps, text)
        else:
            total = config.minutes * 60
            self.progress(min(self.seconds, total), total, text)

    # Saving and taking up

    def _save(self) -> None:
        """Write the newest model, and everything needed to resume exactly."""
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
            "rng": rng_state(),
            "pool": pack_pool(self.pool),
            "env": pack_env(self.env),
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
            raise ValueError(f"{path} is damaged, so this run can't be resumed: {error}") from error
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
        agents = unpack_pool(self.pool, saved["pool"])
        agents.update(unpack_evicted(self.pool, saved["env"]["evicted"]))
        model._last_obs = unpack_env(self.env, saved["env"], agents)
        set_rng_state(saved["rng"])


@contextlib.contextmanager
def _rng_restored() -> Iterator[None]:
    """SB3 seeds the global generators: give the caller's back."""
    before = rng_state()
    try:
        yield
    finally:
        set_rng_state(before)


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

    def request_stop(number: int, frame: Any) -> None:
        run.stop = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, request_stop)
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
