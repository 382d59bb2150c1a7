"""The method of all measurements: excluding warm-up, alternating with peers, taking medians.

A `Probe` is one thing to measure. Building it imports what it needs, so a missing package is
reported and stops nothing. `interleave` runs a group of probes A B A B ..., so that other load on
the machine affects all of them, and `ratio` compares round by round.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter, process_time
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from ludotheque.cli.common import UserError
from ludotheque.cli.table import check_place
from ludotheque.envs.core.hardware import count_cores, processor_name


def _writable(path: Path | None) -> Path | None:
    """Create the file's folder; raise, before anything is measured, if it can't be written."""
    if path is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            check_place(path)
        except OSError as error:
            raise typer.BadParameter(f"can't make the folder of {path}: {error}") from error
        except UserError as error:
            raise typer.BadParameter(f"can't write {path}: {error}") from error
    return path


GamesOption = Annotated[list[str] | None, typer.Option(help="A game; may be repeated.")]
SecondsOption = Annotated[float, typer.Option(min=0.01, help="Minimum duration of a round.")]
RoundsOption = Annotated[int, typer.Option(min=1, help="Rounds.")]
QuickOption = Annotated[bool, typer.Option("--quick", help="Check that it runs; noisy.")]
AloneOption = Annotated[bool, typer.Option("--alone", help="Skip the other libraries.")]
JsonFile = Annotated[
    Path | None, typer.Option(callback=_writable, help="Write everything measured here.")
]
ChartFile = Annotated[Path | None, typer.Option(callback=_writable, help="Write a PNG chart here.")]
Work = Callable[[], int]  # does a slice of work and returns the number of units

PACKAGES = (
    "ludotheque",
    "numpy",
    "numba",
    "gymnasium",
    "pettingzoo",
    "stable-baselines3",
    "sb3-contrib",
    "torch",
    "jax",
    "pgx",
    "mctx",
    "open-spiel",
    "flax",
)
WARM_UP_SECONDS = 0.3
QUIET = 0.05  # of all cores; above, other programs slow many threads more than one: no verdict


class NotInstalledError(Exception):
    """A probe's package is missing; the message names it."""


@dataclass(frozen=True)
class Settings:
    """Duration of a measurement: `repetitions` rounds of at least `seconds` each."""

    seconds: float = 1.0
    repetitions: int = 5

    def __post_init__(self):
        if self.seconds <= 0:
            raise ValueError(f"seconds is {self.seconds}; give a time above 0")
        if self.repetitions < 1:
            raise ValueError(f"repetitions is {self.repetitions}; give 1 or more")

    @classmethod
    def of(cls, seconds: float, repetitions: int, quick: bool) -> Settings:
        """Return settings from a script's options; `quick` only checks that everything runs."""
        return cls(0.1, 3) if quick else cls(seconds, repetitions)


@dataclass(frozen=True)
class Probe:
    """One thing to measure.

    Args:
        name: unique in its run; other tables refer to it.
        build: imports, prepares and returns the `Work`; raises `NotInstalledError`.
        unit: what is counted: "plies", "steps", "simulations".
        batch: number of games advanced together.
        threads: number of threads available, as text ("1", "2", "all").
        ours: False for another library.
        note: what a reader must know to interpret the figure.
    """

    name: str
    build: Callable[[], Work]
    unit: str = "plies"
    batch: int = 1
    threads: str = "1"
    ours: bool = True
    note: str = ""


@dataclass
class Result:
    """Rates of one probe, one per round, in units a second; or why there are none.

    `core_rates` are per second of processor time of this process: of one core, whatever else runs.
    """

    name: str
    group: str
    unit: str
    batch: int
    threads: str
    ours: bool
    note: str
    rates: list[float] = field(default_factory=list)
    median: float | None = None
    skipped: str = ""
    core_rates: list[float] = field(default_factory=list)
    median_per_core: float | None = None


@dataclass(frozen=True)
class Bar:
    """A ratio to reach: the median of `ours` / `peer` over the rounds, at least `target`.

    A bar without a target is shown but not judged.
    """

    name: str
    ours: str
    peer: str
    target: float | None = None


@dataclass
class Ratio:
    """The result of a `Bar`; `ratio` is None if one side was not measured.

    `reached` is None without a target, or if the run was too short or disturbed.
    """

    name: str
    ours: str
    peer: str
    target: float | None
    ratios: list[float]
    ratio: float | None
    reached: bool | None


def need(module: str, package: str | None = None) -> Any:
    """Import `module`, or raise `NotInstalledError` naming the `package` that contains it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise NotInstalledError(f"{package or module} not installed ({error})") from error


def rates(work: Work, seconds: float) -> tuple[float, float]:
    """Repeat `work` for at least `seconds`; return its units a second, and per core and second."""
    done, start, used = 0, perf_counter(), process_time()
    elapsed = 0.0
    while elapsed < seconds:
        done += work()
        elapsed = perf_counter() - start
    return done / elapsed, done / max(process_time() - used, 1e-9)


def checked_games(names: Sequence[str] | None) -> list[str]:
    """Return the requested games, or all; raise for an unknown one before anything runs."""
    from ludotheque.envs import game_names, get_game

    names = list(names or game_names())
    try:
        for name in names:
            get_game(name)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--game") from error
    return names


def interleave(
    groups: Mapping[str, Sequence[Probe]], settings: Settings, console: Console | None = None
) -> list[Result]:
    """Measure one group of probes after another, the probes of a group round by round.

    Returns:
        One `Result` per probe, in the order given. A probe that cannot be built is skipped, with
        the reason in `skipped`. Ctrl-C ends the run; the finished groups are returned.
    """
    from ludotheque.envs.core.interpreted import compile_at_once

    compile_at_once()
    results = []
    total = sum(len(probes) for probes in groups.values()) * settings.repetitions
    with _progress(console) as progress:
        task = progress.add_task("measuring", total=total)
        try:
            for group, probes in groups.items():
                progress.update(task, description=group)
                advance = partial(progress.advance, task)
                results += _measure_group(group, probes, settings, advance)
        except KeyboardInterrupt:
            progress.console.print("[yellow]Stopped: only finished groups are shown.[/]")
    return results


def _measure_group(group, probes, settings, advance) -> list[Result]:
    results = [Result(group=group, **{k: getattr(p, k) for k in _COPIED}) for p in probes]
    works = [
        _prepare(probe, result, settings) for probe, result in zip(probes, results, strict=True)
    ]
    advance(settings.repetitions * works.count(None))
    for _ in range(settings.repetitions):
        for work, result in zip(works, results, strict=True):
            if work is not None:
                rate, core_rate = rates(work, settings.seconds)
                result.rates.append(rate)
                result.core_rates.append(core_rate)
                advance(1)
    for result in results:
        if result.rates:
            result.median = statistics.median(result.rates)
            result.median_per_core = statistics.median(result.core_rates)
    return results


_COPIED = ("name", "unit", "batch", "threads", "ours", "note")


def _prepare(probe: Probe, result: Result, settings: Settings) -> Work | None:
    try:
        work = probe.build()
    except NotInstalledError as missing:
        result.skipped = str(missing)
        return None
    except Exception as error:
        if probe.ours:
            raise
        # An incompatible version of a peer must not prevent the other measurements.
        result.skipped = f"failed: {type(error).__name__}: {error}"
        return None
    rates(work, min(WARM_UP_SECONDS, settings.seconds))
    return work


class Neighbours:
    """The share of the processor that other programs use while the block runs.

    Attributes:
        share: 0 to 1 of all cores, set after the block; None if unknown.
    """

    share: float | None = None

    def __enter__(self) -> Neighbours:
        self._start = perf_counter()
        self._before = self._taken()
        return self

    def __exit__(self, *_: object) -> None:
        taken, cores = self._taken(), os.cpu_count() or 1
        if taken is not None and self._before is not None:
            wall = perf_counter() - self._start
            self.share = max(0.0, (taken - self._before) / (wall * cores))

    @property
    def quiet(self) -> bool:
        """Whether ratios measured in the block may be judged."""
        return self.share is None or self.share <= QUIET

    @staticmethod
    def _taken() -> float | None:
        try:
            fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        except OSError:  # not Linux
            return None
        user, nice, system, _idle, _waiting, *interrupts = (int(field) for field in fields)
        ticks = user + nice + system + sum(interrupts)
        return ticks / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])

    def __str__(self) -> str:
        return "unknown" if self.share is None else f"{self.share:.0%} of all cores"


def compare(bars: Iterable[Bar], results: Iterable[Result], judge: bool = True) -> list[Ratio]:
    """Return the ratio of every bar, round by round; `judge` compares it with the target."""
    rates = {result.name: result.rates for result in results}
    return [_compare_one(bar, rates, judge) for bar in bars]


def _compare_one(bar: Bar, rates: dict[str, list[float]], judge: bool) -> Ratio:
    pairs = zip(rates.get(bar.ours, []), rates.get(bar.peer, []), strict=False)
    ratios = [ours / peer for ours, peer in pairs]
    ratio = statistics.median(ratios) if ratios else None
    reached = None
    if judge and ratio is not None and bar.target is not None:
        reached = bool(ratio >= bar.target)
    return Ratio(
        bar.name,
        bar.ours,
        bar.peer,
        bar.target,
        ratios,
        ratio,
        reached,
    )


def machine() -> dict[str, Any]:
    """Return the processor, available cores, load, and versions of what is measured."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "cpu": processor_name(),
        "cores": count_cores(),
        "load_before": load,
        "system": platform.platform(),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def print_machine(console: Console, facts: dict[str, Any]) -> None:
    """Print a line for the machine and one for the versions; warn if the machine is busy."""
    console.print(f"{facts['cpu']}, {facts['cores']} cores, {facts['system']}", highlight=False)
    found = {k: v for k, v in facts["packages"].items() if v != "not installed"}
    versions = ", ".join(f"{name} {number}" for name, number in found.items())
    console.print(f"Python {facts['python']}, {versions}", highlight=False)
    load = facts["load_before"]
    if load is not None and load > 0.5:
        console.print(f"[yellow]Load average {load:.2f}: figures taken now are noisy.[/]")


def print_results(console: Console, results: Sequence[Result], *, per_core: bool = False) -> None:
    """Print a table of rates for every group, with notes below.

    Args:
        per_core: also show rates per core, which other programs hardly affect.
    """
    for group in dict.fromkeys(result.group for result in results):
        table = Table("", title=group, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
        for heading in ("threads", "a second", "spread", *["per core"] * per_core):
            table.add_column(heading, justify="right")
        for result in (r for r in results if r.group == group):
            table.add_row(*_cells(result, per_core))
        console.print(table)
        for note in dict.fromkeys(r.note for r in results if r.group == group and r.note):
            console.print(f"  {escape(note)}", style="dim", highlight=False)


def _cells(result: Result, per_core: bool) -> tuple[str, ...]:
    name = f"[{'cyan' if result.ours else 'default'}]{escape(result.name)}[/]"
    if result.median is None:
        return name, "", "-", f"[yellow]{escape(result.skipped)}[/]"
    spread = (max(result.rates) - min(result.rates)) / 2 / result.median
    cells = (name, result.threads, short(result.median), f"±{100 * spread:.0f} %")
    return (*cells, short(result.median_per_core or 0.0)) if per_core else cells


def print_ratios(
    console: Console, ratios: Sequence[Ratio], others: Neighbours | None = None
) -> None:
    """Print the table of targets and results, without targets that were not measured."""
    ratios = [ratio for ratio in ratios if ratio.ratio is not None]
    if not ratios:
        return
    title = "Ratios (median over the rounds of ours / other)"
    table = Table("", title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("ratio", "goal", ""):
        table.add_column(heading, justify="right")
    for ratio in ratios:
        table.add_row(
            escape(ratio.name),
            f"{ratio.ratio:.2f}",
            "" if ratio.target is None else f"{ratio.target:g}",
            _verdict(ratio),
        )
    console.print(table)
    if others is not None:
        console.print(f"Other programs meanwhile: {others}.", highlight=False)
        if not others.quiet:
            console.print(
                f"[yellow]Above {QUIET:.0%}, ratios mean little: run it on a quiet machine."
            )


def _verdict(ratio: Ratio) -> str:
    if ratio.target is None:
        return ""
    if ratio.reached is None:
        return "[yellow]too short or disturbed to say[/]"
    return "[green]reached[/]" if ratio.reached else "[red]missed[/]"


def short(number: float) -> str:
    """Return a rate in short form: 812, 9.3 k, 12.4 M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.3g} {letter}"
    return f"{number:.3g}"


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write `record` as JSON atomically: to a temporary file beside `path` that is renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_text(json.dumps(record, indent=1) + "\n")
    beside.replace(path)


def record_of(
    facts: dict[str, Any],
    settings: Settings,
    results: Sequence[Result],
    ratios: Sequence[Ratio] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return everything a run measured, for `write_json`."""
    return {
        "machine": facts,
        "settings": asdict(settings),
        "results": [asdict(result) for result in results],
        "ratios": [asdict(ratio) for ratio in ratios],
        **more,
    }


def counting(way: Callable[[], object], units: int) -> Work:
    """Return `Work` for a function that does a fixed number of units per call."""

    def work() -> int:
        way()
        return units

    return work


def compare_ways(
    groups: Mapping[str, Mapping[str, Work]], unit: str, settings: Settings, path: Path | None
) -> None:
    """Measure alternatives by group and name; print the rates, and write them to `path`.

    Args:
        unit: what is counted, in the plural.
    """
    console, facts = Console(), machine()
    print_machine(console, facts)

    def probe(name: str, way: Work) -> Probe:
        return Probe(name, lambda: way, unit=unit)

    probes = {
        title: [probe(f"{title}: {name}", way) for name, way in ways.items()]
        for title, ways in groups.items()
    }
    results = interleave(probes, settings, console)
    print_results(console, results)
    if path is not None:
        write_json(path, record_of(facts, settings, results))


def save_chart(path: Path, results: Sequence[Result], title: str) -> None:
    """Save a PNG with a horizontal bar per result, on a log scale, in two colours."""
    matplotlib = need("matplotlib")
    matplotlib.use("Agg")
    from matplotlib.patches import Patch
    from matplotlib.pyplot import close, subplots

    shown = [result for result in results if result.median is not None]
    if not shown:
        return
    figure, axes = subplots(figsize=(10, 1.2 + 0.27 * len(shown)), layout="constrained")
    colours = ["#0b7285" if result.ours else "#adb5bd" for result in shown]
    medians = [result.median for result in shown if result.median is not None]
    bars = axes.barh([result.name for result in shown], medians, color=colours)
    axes.bar_label(bars, [short(median) for median in medians], padding=3, fontsize=8)
    axes.set(xscale="log", xlabel=f"{shown[0].unit} a second (logarithmic)", title=title)
    axes.margins(x=0.12, y=0.01)
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(
        handles=[
            Patch(color="#0b7285", label="ludotheque"),
            Patch(color="#adb5bd", label="others"),
        ],
        loc="lower right",
        fontsize=8,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{os.getpid()}.{path.name}")
    figure.savefig(beside, dpi=120, format="png")
    close(figure)
    beside.replace(path)


def _progress(console: Console | None) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console or Console(stderr=True),
        transient=True,
    )
