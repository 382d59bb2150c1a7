"""A run of training: one learn loop, and what happens at its boundaries."""

from __future__ import annotations

import contextlib
import dataclasses
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter

from ludotheque.envs.core.files import atomic_path, atomic_write_text

from ..base import needs_train
from ..networks import copy_network
from ..policy import PLAYING, PolicyAgent, save_model
from ..pool import OpponentPool
from .common import (
    BEST,
    CONFIG,
    MODEL,
    Progress,
    TrainResult,
    check_new,
    check_time_left,
    interrupts,
    is_over,
    part_left,
    read_evaluations,
    show,
    shown,
    worth_of,
    write_evaluations,
)
from .config import CHECKPOINT, TrainConfig
from .evaluation import Evaluation, evaluate

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


def train(config: TrainConfig) -> TrainResult:
    """Train by self-play until the time or the steps are over; save and return what came of it.

    Ctrl-C finishes the rollout and its update (a second or two), saves and returns; a second
    Ctrl-C raises KeyboardInterrupt at once, and the last checkpoint stands.

    Raises:
        ValueError: ``out`` holds a run and ``resume`` is False, or the run has had its time.
        OSError: a file can't be written.
    """
    run = _Run(config)
    with _torch_settings(config.torch_threads), _rng_restored(), interrupts(run):
        run.start()
        with shown(config) as progress:
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
        if not config.resume:
            check_new(self.out)

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
            check_time_left(config, self.steps, self.seconds)
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
        self.rate.left = part_left(config, self.steps, self.seconds)
        if self.progress is not None:
            show(self.progress, config, (self.steps, self.seconds), self.evaluations)
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
        # The median: one rollout that was held up, or compiled kernels, says little of the next.
        ahead = median(self.rollout_seconds) + self.evaluation_seconds
        return is_over(self.config, self.steps, self.seconds, ahead)

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
            rates.append(worth_of(found, self.env.settings.num_players))
            logger.record(f"eval/win_rate_{opponent}", found.win_rate)
            logger.record(f"eval/score_{opponent}", found.score)
        logger.dump(self.steps)
        write_evaluations(self.out, self.evaluations)
        if rates and (self.best is None or sum(rates) > self.best):
            self.best = sum(rates)
            save_model(self.model, self.out / BEST, self.env.settings)
        self.evaluation_seconds = perf_counter() - start

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
        self.evaluations = read_evaluations(saved["evaluations"])
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
