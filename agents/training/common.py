"""Shared code of all kinds of training: a run's settings, files, boundaries and termination.

At each boundary the run may take a snapshot for its pool, evaluate, save and stop, so stopping and
resuming a run doesn't change its results.

A run's folder contains:
    model.zip           the newest model: ``"ppo:FOLDER/model.zip"`` (or ``td:``) plays with it
    best.zip            the model of the best evaluation
    models/STEPS.zip    the model of each evaluation, with ``keep_models``
    evaluations.jsonl   one evaluation a line
    config.json         the settings
    checkpoint/         everything needed to resume exactly
    tensorboard/        curves: ``tensorboard --logdir FOLDER/tensorboard``
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import signal
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.arguments import read_options
from ludotheque.envs.core.errors import MOST, check_finite, check_whole
from ludotheque.envs.core.files import atomic_write_text
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.interfaces.threads import MOST_THREADS
from ludotheque.envs.core.loading import (
    COUNT,
    COUNTS,
    MEGABYTE,
    NUMBER,
    OBJECT,
    TEXT,
    TEXTS,
    Kind,
    Source,
    check_fields,
    check_fits,
    or_null,
)

from ..specs import make_agent
from .evaluation import ALONE, Evaluation, evaluate

# Files of a run's folder.
EVALUATIONS = "evaluations.jsonl"
CONFIG = "config.json"
MODEL = "model.zip"
BEST = "best.zip"
MODELS = "models"
CHECKPOINT = Path("checkpoint") / "run.zip"
# The member of a checkpoint with everything but the arrays.
STATE = "run.json"
# All files that are written atomically, for ``lock_folder``.
FILES = (MODEL, BEST, CONFIG, EVALUATIONS, f"{MODELS}/*.zip", str(CHECKPOINT))
# Bytes of a model file for what isn't counted as numbers of its network: biases and headers.
_ROOM = MEGABYTE
MOST_CONFIG = MEGABYTE
# These may change when a run is resumed; everything else stays as it was.
MAY_CHANGE = ("minutes", "steps", "out", "resume", "progress")
_TRAIN_ANEW = "this run can't be resumed: start a new run in another folder"
# Things that are done at intervals; the run records when each was last done.
MARKS = ("snapshot", "evaluation", "checkpoint")
# The kinds of settings in a run's file, by annotation.
_SETTINGS = {
    "int": COUNT,
    "int | None": or_null(COUNT),
    "float": NUMBER,
    "float | None": or_null(NUMBER),
    "bool": Kind("true or false", lambda value: isinstance(value, bool)),
    "str": TEXT,
    "str | None": or_null(TEXT),
    "tuple[str, ...]": TEXTS,
    "tuple[str, ...] | None": or_null(TEXTS),
    "tuple[int, ...] | None": or_null(COUNTS),
    "Mapping[str, Any]": OBJECT,
    "Mapping[str, float]": Kind(
        "an object of numbers",
        lambda value: isinstance(value, dict) and all(map(NUMBER.holds, value.values())),
    ),
}
_EVALUATION = {
    **dict.fromkeys(("steps", "games", "wins", "draws", "losses"), COUNT),
    "opponent": TEXT,
    **dict.fromkeys(("win_rate", "low", "high", "score", "seconds"), NUMBER),
    "wins_by_seat": COUNTS,
}

Progress = Callable[[float, float, str], None]


@dataclass
class RunConfig:
    """Settings common to all runs, which end after ``minutes`` or ``steps``, whichever comes first.

    Attributes:
        game: name of the game.
        num_players: number of players. None means that of the resumed run, else 2, or the fewest
            the game allows.
        minutes: duration of the whole run, including evaluations and the time before a resume.
        steps: decisions of the learner in the whole run; rounded up to whole rounds or rollouts.
        out: the run's folder; None means ``runs/GAME``.
        resume: continue the run in ``out``, with its settings except minutes and steps.
        seed: random seed. With ``steps``, results are reproducible on one machine.
        progress: called regularly as ``progress(done, total, text)`` (in seconds, or in steps if
            only those are limited); True shows a progress bar.
        options: the game's variants, for example ``{"deal": "balanced"}``.
        pool_size: number of past policies to keep.
        snapshot_every: steps between snapshots for the pool.
        eval_every: steps between evaluations; there is also one at the end.
        eval_games: games per evaluation against each of ``eval_opponents``.
        eval_opponents: names of agents; ``("alone",)`` for a solo game.
        keep_models: whether to keep the model of each evaluation, to compare them later.
        checkpoint_every: steps between checkpoints; there is also one at the end.
        num_threads: number of threads for the games.
        torch_threads: number of threads for the networks; None means torch's default.
    """

    method: ClassVar[str]
    checkpoint: ClassVar[Path] = CHECKPOINT

    game: str = "sarena"
    num_players: int | None = None
    minutes: float | None = None
    steps: int | None = None
    out: str | os.PathLike | None = None
    resume: bool = False
    seed: int = 0
    progress: Progress | bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    pool_size: int = 10
    snapshot_every: int = 100_000
    eval_every: int = 500_000
    eval_games: int = 400
    eval_opponents: tuple[str, ...] = ("random", "greedy")
    keep_models: bool = False
    checkpoint_every: int = 500_000
    num_threads: int = 1
    torch_threads: int | None = 1

    def settings(self) -> Settings:
        """Return the settings of the games."""
        return Settings(self.game, self.num_players, options=self.options)

    def complete(self) -> Game:
        """Fill in defaults, or the settings of the resumed run, and return the game."""
        for one in dataclasses.fields(self):
            setattr(self, one.name, _plain(getattr(self, one.name)))
        game = get_game(self.game)
        self.out = Path("runs", self.game) if self.out is None else Path(self.out)
        check_length(self)
        if self.resume:
            take_saved(self)
        if self.num_players is None:
            self.num_players = game.usual_players
        if self.num_players == 1:
            self.eval_opponents = (ALONE,)
        named = self.eval_opponents
        self.eval_opponents = (named,) if isinstance(named, str) else tuple(named)
        # A game may take values that JSON can't store.
        options, _ = read_options(game, self.num_players, self.options)
        self.options = {name: options[name] for name in self.options}
        return game

    def check_kinds(self) -> None:
        """Raise ValueError, with the name, for settings that couldn't be saved and resumed."""
        for name, kind in saved_kinds(self).items():
            value = getattr(self, name)
            if not kind.holds(value):
                raise ValueError(f"{name} is {value!r}; it must be {kind.words}")

    def check_counts(self, **most: int) -> None:
        """Raise ValueError, with the name, for settings that aren't from 1 to their limit."""
        for name, limit in most.items():
            check_whole(getattr(self, name), name, 1, limit)

    def check_numbers(self, *names: str, most: int = MOST, above: bool = False) -> None:
        """Raise ValueError, with the name, for settings that aren't finite numbers in a range.

        It is from 0 to ``most``, without 0 if ``above``.
        """
        for name in names:
            value = getattr(self, name)
            number = check_finite(value, name)
            if not 0 <= number <= most or (above and not number):
                allowed = f"above 0, {most} at most" if above else f"from 0 to {most}"
                raise ValueError(f"{name} is {value!r}; give a number {allowed}")

    def check_common(self) -> None:
        """Check the common settings for amounts and intervals."""
        self.check_counts(pool_size=1000, eval_games=100_000, num_threads=MOST_THREADS)
        self.check_counts(snapshot_every=MOST, eval_every=MOST, checkpoint_every=MOST)
        if self.torch_threads is not None:
            self.check_counts(torch_threads=MOST_THREADS)
        for name in self.eval_opponents:
            self._check_opponent(name)

    def _check_opponent(self, name: str) -> None:
        """Check an agent of ``eval_opponents``; the first evaluation would be late for that."""
        if self.num_players == 1 and name == ALONE:
            return
        if not isinstance(name, str):
            raise ValueError(f"eval_opponents has {name!r}; give names of agents, like 'greedy'")
        about = getattr(make_agent(name, self.game), "about", {})
        if about.get("num_players", self.num_players) != self.num_players:
            raise ValueError(
                f"eval_opponents has {name!r}, which plays with {about['num_players']} players, "
                f"not {self.num_players}"
            )

    @property
    def resumes(self) -> bool:
        """Whether there is a checkpoint to resume; a run may have been killed before the first."""
        return self.resume and os.path.lexists(self.folder / self.checkpoint)

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return Path(self.out or f"runs/{self.game}")

    def to_json(self) -> str:
        """Return the settings as JSON, without ``progress`` and ``resume``."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        del values["progress"], values["resume"]
        values["out"] = str(self.out)
        plain = {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in values.items()
        }
        return json.dumps({"method": self.method, **plain}, indent=2) + "\n"


@dataclass(frozen=True)
class TrainResult:
    """The result of a run.

    Attributes:
        model_path: the newest model.
        best_path: the model with the best evaluation, or None.
        out: the run's folder.
        steps: decisions of the learner in the whole run.
        seconds: duration of the whole run.
        interrupted: whether it was stopped by Ctrl-C; continue with ``resume``.
        evaluations: all of them, in order.
    """

    model_path: Path
    best_path: Path | None
    out: Path
    steps: int
    seconds: float
    interrupted: bool
    evaluations: tuple[Evaluation, ...]


class Run(ABC):
    """A run in progress: state common to all kinds of training, and what happens at boundaries.

    Attributes:
        stop: set it to end the run at its next boundary.
        settings: the settings of the games.
        evaluations: all evaluations so far.
    """

    settings: Settings

    def __init__(self, config: Any):
        self.config = config
        self.out = config.folder
        self.stop = False
        self.interrupted = False
        self.evaluations: list[Evaluation] = []
        self.best: float | None = None
        self.before = 0.0  # seconds of the run before this start
        self.clock = perf_counter()
        self.marks = dict.fromkeys(MARKS, 0)
        self.evaluation_seconds = 0.0
        if not config.resume:
            check_new(self.out)

    def write_settings(self) -> None:
        """Write the settings, after which the run can be resumed."""
        text = self.config.to_json()
        check_fits(self.out / CONFIG, len(text), MOST_CONFIG, "shorten the texts in the settings")
        self.out.mkdir(parents=True, exist_ok=True)
        atomic_write_text(self.out / CONFIG, text)

    @property
    @abstractmethod
    def steps(self) -> int:
        """The number of decisions of the learner so far."""

    @property
    def seconds(self) -> float:
        """The duration of the whole run so far, in seconds."""
        return self.before + perf_counter() - self.clock

    def result(self) -> TrainResult:
        """Return the result of the run."""
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

    def pass_boundary(self, over: bool, progress: Progress | None) -> bool:
        """Do what is due between two rounds, and return whether the run ends.

        ``over`` means that its steps or time are used up. It also ends if it was asked to stop.
        """
        config = self.config
        over = over or self.stop
        if self._is_due("snapshot", config.snapshot_every):
            self._take_snapshot()
        evaluated = self._is_due("evaluation", config.eval_every) or (over and not self.stop)
        if evaluated:
            self._evaluate_or_save()
        if progress is not None:
            show(progress, config, (self.steps, self.seconds), self.evaluations)
        self.interrupted = self.stop
        over = over or self.stop
        if self._is_due("checkpoint", config.checkpoint_every) or over:
            self._save()
        return over

    def _is_due(self, what: str, every: int) -> bool:
        due = self.steps // every > self.marks[what] // every
        if due:
            self.marks[what] = self.steps
        return due

    def _evaluate_or_save(self) -> None:
        """Evaluate; if that fails, for example as an opponent's file is gone, save first.

        A run isn't begun anew where there are models, so the first checkpoint comes before them.
        """
        before = len(self.evaluations)
        if not os.path.lexists(self.out / self.config.checkpoint):
            mark, self.marks["evaluation"] = self.marks["evaluation"], 0
            self._save()
            self.marks["evaluation"] = mark
        try:
            self._evaluate()
        except Exception:
            del self.evaluations[before:]
            self.marks["evaluation"] = 0  # a resumed run evaluates again
            with contextlib.suppress(OSError):
                self._save()
            raise

    def write_results(self) -> None:
        """Write the checkpoint's model and evaluations, which a kill may have prevented."""
        self._save_model(self.out / MODEL)
        if self.evaluations:
            write_evaluations(self.out, self.evaluations)

    def _evaluate(self) -> None:
        config, start = self.config, perf_counter()
        agent, told, worths = self._agent(), {}, []
        for opponent in config.eval_opponents:
            # Other deals each time, so that the best model isn't one that suits certain deals.
            found = evaluate(
                agent, opponent, self.settings, config.eval_games, config.seed + self.steps
            )
            found = dataclasses.replace(found, steps=self.steps, seconds=round(self.seconds, 1))
            self.evaluations.append(found)
            worths.append(worth_of(found, self.settings.num_players))
            told[f"eval/win_rate_{opponent}"] = found.win_rate
            told[f"eval/score_{opponent}"] = found.score
        self._tell(told)
        if config.keep_models:
            kept = kept_model(self.out, self.steps)
            kept.parent.mkdir(exist_ok=True)
            self._save_model(kept)
        write_evaluations(self.out, self.evaluations)
        if worths and (self.best is None or sum(worths) > self.best):
            self.best = sum(worths)
            self._save_model(self.out / BEST)
        self.evaluation_seconds = perf_counter() - start

    @abstractmethod
    def _agent(self) -> Any:
        """Return the agent to evaluate."""

    @abstractmethod
    def _take_snapshot(self) -> None:
        """Add the current policy to the pool."""

    @abstractmethod
    def _tell(self, scalars: Mapping[str, float]) -> None:
        """Add points to the curves."""

    @abstractmethod
    def _save_model(self, path: Path) -> None:
        """Write the current model."""

    @abstractmethod
    def _save(self) -> None:
        """Write the newest model and everything needed to resume exactly."""


def _plain(value: Any) -> Any:
    """Return a setting with plain Python values in place of numpy's, as in sweeps, and of paths."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.ndim:
        return value.tolist()
    if isinstance(value, Mapping):
        return {_plain(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return (list if isinstance(value, list) else tuple)(map(_plain, value))
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def saved_kinds(config: RunConfig) -> dict[str, Kind]:
    """Return the kinds of the settings that stay as they were when a run is resumed."""
    names = [one for one in dataclasses.fields(config) if one.name not in MAY_CHANGE]
    return {one.name: _SETTINGS[str(one.type)] for one in names}


def check_network(size: int, most: int) -> None:
    """Raise ValueError for networks of ``size`` numbers whose files couldn't be read again."""
    fits = (most - _ROOM) // 4
    if size > fits:
        raise ValueError(
            f"the network has {size:,} numbers; a model file holds {fits:,} at most: give fewer "
            "units or layers"
        )


def take_saved(config: RunConfig) -> None:
    """Fill in the settings of the run to resume.

    Raises:
        ValueError: there is none, or it has other settings.
        FileError: its settings are damaged.
    """
    folder = config.folder
    path = folder / CONFIG
    if path.is_file() and (trained := method_of(folder)) != config.method:
        raise ValueError(
            f"the run in {str(folder)!r} was trained by {trained!r}, not {config.method!r}: resume "
            "it as it was begun"
        )
    if not path.is_file():
        raise ValueError(
            f"nothing to resume: {str(path)!r} doesn't exist; leave out resume, or check out"
        )
    if not config.resumes:
        _check_unfinished(folder, config.checkpoint)
    kinds = saved_kinds(config)
    saved = read_config(folder, kinds)
    if config.num_players is None:
        config.num_players = saved["num_players"]
    for name in ("game", "num_players"):
        if saved[name] != getattr(config, name):
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={saved[name]!r}, not "
                f"{getattr(config, name)!r}: resume it as it was begun"
            )
    for name in kinds:
        setattr(config, name, saved[name])
    try:
        config.settings()
    except (TypeError, ValueError) as error:
        raise config_source(folder).error(error) from error


def _check_unfinished(folder: Path, checkpoint: Path) -> None:
    """Raise ValueError if there are models, which a start without a checkpoint would replace."""
    kept = [name for name in (MODEL, BEST, MODELS) if (folder / name).exists()]
    if kept:
        raise ValueError(
            f"nothing to resume: {str(folder / checkpoint)!r} doesn't exist, and starting anew "
            f"would replace {', '.join(kept)}: put the checkpoint back or, if the run was killed "
            "before its first one, delete the folder; or name another"
        )


def kept_model(folder: Path, steps: int) -> Path:
    """Return the file of the model that the run in ``folder`` evaluated after ``steps``."""
    return folder / MODELS / f"{steps}.zip"


def method_of(folder: Path) -> str | None:
    """Return the method of the run in ``folder``, such as ``"td"``; None without a run.

    Raises:
        FileError: its settings are damaged.
    """
    return read_config(folder, {"method": TEXT})["method"] if (folder / CONFIG).is_file() else None


def read_config(folder: Path, fields: Mapping[str, Kind]) -> dict[str, Any]:
    """Return the settings of the run in ``folder``; raise FileError if they don't match ``fields``.

    Runs from before methods were recorded used PPO.
    """
    source = config_source(folder)
    saved = {"method": "ppo", **source.parse(source.read_bytes(MOST_CONFIG), "it", {})}
    source.check_fields(saved, "it", fields)
    return saved


def check_new(folder: Path) -> None:
    """Raise ValueError if there is a run in ``folder``, which is never overwritten."""
    if (folder / CONFIG).exists():
        raise ValueError(
            f"{str(folder)!r} holds a run already: pass resume=True to continue it, or "
            "another folder"
        )


def is_over(config: Any, steps: int, seconds: float, ahead: float) -> bool:
    """Return whether a run's steps are used up, or its time is in ``ahead`` seconds."""
    if config.steps is not None and steps >= config.steps:
        return True
    return config.minutes is not None and seconds + ahead > config.minutes * 60


def part_left(config: Any, steps: int, seconds: float) -> float:
    """Return the remaining part of a run, 1 to 0."""
    parts = [0.0]
    if config.steps is not None:
        parts.append(steps / config.steps)
    if config.minutes is not None:
        parts.append(seconds / (config.minutes * 60))
    return max(0.0, 1.0 - max(parts))


def check_time_left(config: Any, steps: int, seconds: float) -> None:
    """Raise ValueError for a resumed run whose steps or time are used up."""
    if config.steps is not None and steps >= config.steps:
        raise ValueError(
            f"the run in {str(config.out)!r} already ran {steps} steps; pass larger `steps`"
        )
    if config.minutes is not None and seconds >= config.minutes * 60:
        raise ValueError(
            f"the run in {str(config.out)!r} already ran {seconds / 60:.1f} minutes; pass "
            "larger `minutes`"
        )


def check_length(config: Any) -> None:
    """Raise ValueError unless ``minutes`` or ``steps`` limit the run."""
    if config.minutes is None and config.steps is None:
        raise ValueError("pass minutes or steps: how long to train")
    for name in ("minutes", "steps"):
        value = getattr(config, name)
        if value is not None and not 0 < check_finite(value, name) <= MOST:
            raise ValueError(f"{name} is {value!r}; give a number above 0, of {MOST} at most")


def show(
    progress: Progress, config: Any, done: tuple[int, float], evaluations: Sequence[Evaluation]
) -> None:
    """Report progress; ``done`` is the run's steps and seconds."""
    steps, seconds = done
    text = f"{steps:,} steps"
    newest = {found.opponent: found for found in evaluations}
    for name, found in newest.items():
        text += (
            f", {found.win_rate:.0%} against {name}"
            if name != ALONE
            else f", {found.score:.1f} points"
        )
    if config.minutes is None:
        assert config.steps is not None
        progress(min(steps, config.steps), config.steps, text)
    else:
        total = config.minutes * 60
        progress(min(seconds, total), total, text)


def write_evaluations(out: Path, evaluations: Sequence[Evaluation]) -> None:
    """Write all evaluations of a run, one per line."""
    lines = [json.dumps(dataclasses.asdict(found)) + "\n" for found in evaluations]
    atomic_write_text(out / EVALUATIONS, "".join(lines))


def worth_of(found: Evaluation, num_players: int) -> float:
    """Return the value of an evaluation for choosing the best model."""
    return found.score if num_players == 1 else (found.wins + found.draws / 2) / found.games


def read_evaluations(saved: Sequence[dict[str, Any]]) -> list[Evaluation]:
    """Restore evaluations from ``dataclasses.asdict``; raise ValueError if they are invalid."""
    for found in saved:
        check_fields(found, _EVALUATION)
    return [
        Evaluation(
            **{name: found[name] for name in _EVALUATION if name != "wins_by_seat"},
            wins_by_seat=tuple(found["wins_by_seat"]),
        )
        for found in saved
    ]


def read_marks(saved: Any) -> dict[str, int]:
    """Return the marks of a run (see ``Run.marks``); raise ValueError if they are invalid."""
    check_fields(saved, dict.fromkeys(MARKS, COUNT))
    return {name: saved[name] for name in MARKS}


def config_source(folder: Path) -> Source:
    """Return the ``Source`` of the settings of the run in ``folder``."""
    return Source(folder / CONFIG, "settings file of a run", _TRAIN_ANEW)


def checkpoint_source(path: Path) -> Source:
    """Return the ``Source`` of a run's checkpoint."""
    return Source(path, "checkpoint of a run", _TRAIN_ANEW)


@contextlib.contextmanager
def torch_threads(threads: int | None) -> Iterator[None]:
    """Set torch's number of threads inside the block; None means torch's default."""
    import torch

    before = torch.get_num_threads()
    if threads is not None:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def interrupts(run: Any) -> Iterator[None]:
    """Make the first Ctrl-C stop the run at its next boundary, and the second at once.

    The second raises KeyboardInterrupt, even if a library replaces it with another error while
    cleaning up, as zipfile does.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    at_once = False

    def request_stop(number: int, frame: Any) -> None:
        nonlocal at_once
        at_once = run.stop
        run.stop = True
        if at_once:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, request_stop)
    try:
        yield
    except Exception as error:
        if at_once:
            raise KeyboardInterrupt from error
        raise
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def shown(config: Any) -> Iterator[Progress | None]:
    """Yield the progress function: the caller's, one that updates a bar, or None."""
    if config.progress is not True:
        yield config.progress or None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True)) as bar:
        task = bar.add_task("Training")

        def move(done: float, total: float, text: str) -> None:
            bar.update(task, completed=done, total=total, description=text)

        yield move
