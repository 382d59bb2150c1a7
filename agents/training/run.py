"""A PPO run: its learn loop, and what happens at its boundaries."""

from __future__ import annotations

import contextlib
import dataclasses
import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from ludotheque.envs.core.files import lock_folder
from ludotheque.envs.core.loading import check_arrays

from ..archives import read_archive, write_archive
from ..base import needs_train
from ..networks import Network, copy_network
from ..policy import PLAYING, PolicyAgent, save_model
from ..pool import OpponentPool
from .common import (
    CHECKPOINT,
    FILES,
    MODEL,
    STATE,
    Progress,
    Run,
    TrainResult,
    check_time_left,
    checkpoint_source,
    interrupts,
    is_over,
    part_left,
    read_evaluations,
    read_marks,
    shown,
    torch_threads,
)
from .config import TrainConfig

try:
    import torch
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import configure
    from stable_baselines3.common.utils import set_random_seed

    from ..sb3 import SeatVecEnv
    from .checkpoint import (
        FIELDS,
        FORMAT,
        most_bytes,
        pack_games,
        pack_policy,
        shapes,
        unpack_games,
        unpack_policy,
    )
    from .imitation import imitate
except ModuleNotFoundError as error:
    raise needs_train(error) from error


def train(config: TrainConfig) -> TrainResult:
    """Train by self-play until the time or the steps are used up; save and return the result.

    Ctrl-C finishes the rollout and its update (a second or two), saves and returns; a second Ctrl-C
    raises KeyboardInterrupt at once, and the last checkpoint remains.

    Raises:
        ValueError: ``out`` contains a run and ``resume`` is False, or the run's time is used up.
        BlockingIOError: another process is writing to ``out``.
        OSError: a file can't be written.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock_folder(config.folder, "a run", FILES))
        run = _Run(config)
        stack.enter_context(torch_threads(config.torch_threads))
        stack.enter_context(_no_distribution_checks())
        stack.enter_context(_rng_restored())
        stack.enter_context(interrupts(run))
        run.start()
        with shown(config) as progress:
            run.learn(progress)
    return run.result()


class _Finished(Exception):
    """The run is finished; used to leave SB3's learn loop."""


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
    """A learning rate that decays linearly with the remaining part of the run."""

    def __init__(self, first: float, last: float):
        self.first, self.last, self.left = first, last, 1.0

    def __call__(self, _: float) -> float:
        return self.last + (self.first - self.last) * self.left


class _Run(Run):
    """A run in progress: the state of ``train``."""

    def __init__(self, config: TrainConfig):
        super().__init__(config)
        self.settings = config.settings()
        self.rollout_seconds: deque[float] = deque(maxlen=15)

    # The model

    def start(self) -> None:
        """Create everything, or restore it from the saved run."""
        config = self.config
        self.clock = perf_counter()
        self.pool = OpponentPool(
            config.game,
            config.pool_size,
            config.pool_sampling,
            config.fixed_opponents,
            observation=self.settings.observation,
        )
        self.env = SeatVecEnv(
            config.game,
            config.num_envs,
            config.num_players,
            opponents=self.pool,
            observation=config.observation,
            valued_by=config.valued_by,
            reward=config.reward or "rank",
            reward_scale=config.reward_scale or 1.0,
            num_threads=config.num_threads,
            **config.options,
        )
        self.rate = _Falling(config.learning_rate, config.final_learning_rate)
        self.model = config.make_model(self.env, self.rate)
        if not config.resumes:
            self.write_settings()
        (self.out / CHECKPOINT).parent.mkdir(parents=True, exist_ok=True)
        self.model.set_logger(configure(str(self.out / "tensorboard"), ["tensorboard"]))
        if config.resumes:
            self._load()
            self.write_results()
            check_time_left(config, self.steps, self.seconds)
            self.write_settings()

    def learn(self, progress: Progress | None) -> None:
        """Train until a boundary ends the run."""
        self.progress = progress
        self.rollout_start: float | None = None
        config = self.config
        taught = config.teacher is not None
        with contextlib.suppress(_Finished):
            if taught and self.steps < config.teacher_steps:
                imitate(self.model, config.teacher, config.teacher_steps, self._at_boundary)
            self.model.learn(
                1 << 60,
                callback=_Boundary(self._at_boundary),
                reset_num_timesteps=not (config.resumes or taught),
            )

    @property
    def steps(self) -> int:
        return self.model.num_timesteps

    # Boundaries

    def _at_boundary(self) -> None:
        self._time_rollout()
        over = self.rollout_start is not None and self._is_over()
        self.rate.left = part_left(self.config, self.steps, self.seconds)
        if self.pass_boundary(over, self.progress):
            raise _Finished
        self._seed()
        self.rollout_start = perf_counter()

    def _seed(self) -> None:
        """Seed all generators for the next rollout, so that none has to be saved."""
        (word,) = np.random.SeedSequence([self.config.seed, self.steps]).generate_state(1)
        set_random_seed(int(word), using_cuda=torch.cuda.is_available())

    def _time_rollout(self) -> None:
        if self.rollout_start is not None:
            self.rollout_seconds.append(perf_counter() - self.rollout_start)

    def _is_over(self) -> bool:
        # The median: a rollout that was delayed, or that compiled kernels, isn't representative.
        ahead = median(self.rollout_seconds) + self.evaluation_seconds
        return is_over(self.config, self.steps, self.seconds, ahead)

    def _network(self) -> Network:
        try:
            return copy_network(self.model.policy, self.env.game)
        except ValueError as error:
            raise ValueError(
                f"the run in {str(self.out)!r} has diverged after {self.steps:,} decisions "
                f"({error}): lower learning_rate ({self.config.learning_rate:g}) or reward_scale "
                f"({self.config.reward_scale:g}), or go on from the last checkpoint with --resume"
            ) from error

    def _take_snapshot(self) -> None:
        self.pool.add(self._network(), f"self-{self.steps}")

    def _agent(self) -> PolicyAgent:
        form = self.settings.observation
        return PolicyAgent(self.config.game, self._network(), form, temperature=PLAYING)

    def _tell(self, scalars: Mapping[str, float]) -> None:
        for name, value in scalars.items():
            self.model.logger.record(name, value)
        self.model.logger.dump(self.steps)

    def _save_model(self, path: Path) -> None:
        save_model(self.model, path, self.settings)

    # Saving and resuming

    def _save(self) -> None:
        model = self.model
        about = {
            "format": FORMAT,
            "steps": self.steps,
            "updates": model._n_updates,
            "seconds": self.seconds,
            "learning_rate_left": self.rate.left,
            "marks": dict(self.marks),
            "best": self.best,
            "evaluations": [dataclasses.asdict(found) for found in self.evaluations],
        }
        played, arrays = pack_games(self.env, self.pool)
        starts = np.zeros(self.env.num_envs, np.bool_)
        if model._last_episode_starts is not None:
            starts = model._last_episode_starts
        arrays = {**pack_policy(model.policy), **arrays, "episode_starts": starts.view(np.uint8)}
        most = most_bytes(self.env, self.pool, self._network())
        write_archive(self.out / CHECKPOINT, STATE, {**about, **played}, arrays, most=most)
        self._save_model(self.out / MODEL)

    def _load(self) -> None:
        source = checkpoint_source(self.out / CHECKPOINT)
        like = self._network()
        about, arrays = read_archive(source, STATE, FIELDS, most_bytes(self.env, self.pool, like))
        try:
            self._take(about, arrays, like)
        except ValueError as error:
            raise source.error(error) from error

    def _take(
        self, about: Mapping[str, Any], arrays: Mapping[str, np.ndarray], like: Network
    ) -> None:
        model = self.model
        check_arrays(arrays, shapes(about, arrays, model.policy, self.env, self.pool, like))
        unpack_policy(model.policy, arrays)
        model.num_timesteps = about["steps"]
        model._n_updates = about["updates"]
        model._last_episode_starts = arrays["episode_starts"].astype(np.bool_)
        self.before = about["seconds"]
        self.rate.left = about["learning_rate_left"]
        self.marks = read_marks(about["marks"])
        self.best = about["best"]
        self.evaluations = read_evaluations(about["evaluations"])
        model._last_obs = unpack_games(self.env, self.pool, about, arrays, like)


@contextlib.contextmanager
def _rng_restored() -> Iterator[None]:
    """Restore the caller's global generators, which SB3 seeds."""
    before = random.getstate(), np.random.get_state(), torch.get_rng_state()
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else None
    try:
        yield
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])
        torch.set_rng_state(before[2])
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)


@contextlib.contextmanager
def _no_distribution_checks() -> Iterator[None]:
    before = torch.distributions.Distribution._validate_args
    # These checks take time on every minibatch, and have stopped long runs of MaskablePPO over a
    # rounding error (sb3-contrib 81 and 247). Masks and actions are checked by the games.
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        yield
    finally:
        torch.distributions.Distribution.set_default_validate_args(before)
