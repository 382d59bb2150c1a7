"""What every kind of training shares: a run's files, its length, how it stops and is shown."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludotheque.envs.core.files import atomic_write_text

from .evaluation import ALONE, Evaluation

# Files of a run's folder.
EVALUATIONS = "evaluations.jsonl"
CONFIG = "config.json"
MODEL = "model.zip"
BEST = "best.zip"
# These may change when a run is resumed; everything else stays as it was.
MAY_CHANGE = ("minutes", "steps", "out", "resume", "progress")

Progress = Callable[[float, float, str], None]


@dataclass(frozen=True)
class TrainResult:
    """What a run came to.

    Attributes:
        model_path: the newest model.
        best_path: the model of the best evaluation, or None.
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


def take_saved(config: Any, checkpoint: Path, method: str) -> None:
    """Fill in the settings of the run that is to be resumed.

    Raises:
        ValueError: there is none, or it was begun otherwise.
    """
    folder = config.folder
    path = folder / CONFIG
    if path.is_file() and (trained := method_of(folder)) != method:
        raise ValueError(
            f"the run in {str(folder)!r} was trained by {trained!r}, not {method!r}: resume it as "
            "it was begun"
        )
    for name in (CONFIG, checkpoint):
        if not (folder / name).is_file():
            raise ValueError(
                f"nothing to resume: {str(folder / name)!r} doesn't exist; leave out resume, "
                "or check out"
            )
    saved = json.loads(path.read_text())
    if config.num_players is None:
        config.num_players = saved["num_players"]
    for name in ("game", "num_players"):
        if saved[name] != getattr(config, name):
            raise ValueError(
                f"the run in {str(folder)!r} has {name}={saved[name]!r}, not "
                f"{getattr(config, name)!r}: resume it as it was begun"
            )
    for field in dataclasses.fields(config):
        if field.name in saved and field.name not in MAY_CHANGE:
            setattr(config, field.name, saved[field.name])


def method_of(folder: Path) -> str | None:
    """Return how the run in ``folder`` is trained, ``"ppo"`` or ``"td"``; None without a run."""
    path = folder / CONFIG
    return json.loads(path.read_text()).get("method", "ppo") if path.is_file() else None


def check_new(folder: Path) -> None:
    """Raise ValueError if there is a run in ``folder``: it is never overwritten."""
    if (folder / CONFIG).exists():
        raise ValueError(
            f"{str(folder)!r} holds a run already: pass resume=True to continue it, or "
            "another folder"
        )


def is_over(config: Any, steps: int, seconds: float, ahead: float) -> bool:
    """Return whether a run has had its steps, or has no time for what takes ``ahead`` seconds."""
    if config.steps is not None and steps >= config.steps:
        return True
    return config.minutes is not None and seconds + ahead > config.minutes * 60


def part_left(config: Any, steps: int, seconds: float) -> float:
    """Return how much of a run is to come, 1 to 0."""
    parts = [0.0]
    if config.steps is not None:
        parts.append(steps / config.steps)
    if config.minutes is not None:
        parts.append(seconds / (config.minutes * 60))
    return max(0.0, 1.0 - max(parts))


def check_time_left(config: Any, steps: int, seconds: float) -> None:
    """Raise ValueError for a resumed run that has had its steps or its time."""
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
    """Raise ValueError unless ``minutes`` or ``steps`` say how long the run is."""
    if config.minutes is None and config.steps is None:
        raise ValueError("pass minutes or steps: how long to train")
    for name in ("minutes", "steps"):
        value = getattr(config, name)
        if value is not None and not value > 0:
            raise ValueError(f"{name} is {value!r}; give a number above 0")


def show(
    progress: Progress, config: Any, done: tuple[int, float], evaluations: Sequence[Evaluation]
) -> None:
    """Tell ``progress`` how far the run is: ``done`` is its steps and seconds."""
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
    """Write all evaluations of a run, one a line."""
    lines = [json.dumps(dataclasses.asdict(found)) + "\n" for found in evaluations]
    atomic_write_text(out / EVALUATIONS, "".join(lines))


def worth_of(found: Evaluation, num_players: int) -> float:
    """Return what an evaluation counts when the best model is looked for."""
    return found.score if num_players == 1 else (found.wins + found.draws / 2) / found.games


def read_evaluations(saved: Sequence[dict[str, Any]]) -> list[Evaluation]:
    """Undo ``dataclasses.asdict`` on each."""
    return [
        Evaluation(**{**found, "wins_by_seat": tuple(found["wins_by_seat"])}) for found in saved
    ]


@contextlib.contextmanager
def interrupts(run: Any) -> Iterator[None]:
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
def shown(config: Any) -> Iterator[Progress | None]:
    """Give the progress function: the caller's, one that moves a bar, or none."""
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
