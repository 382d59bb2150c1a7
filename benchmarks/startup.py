"""How long a program waits before its first move, each time in a fresh process."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

# What a user of the three libraries has loaded anyway comes first and is not counted.
IMPORT = """
import numpy, numba, gymnasium
from time import perf_counter
start = perf_counter()
import ludotheque.envs
print(perf_counter() - start)
"""
FIRST_MOVE = """
import sys
from importlib import import_module
from time import perf_counter
import ludotheque.envs
start = perf_counter()
game = ludotheque.envs.get_game(sys.argv[1])
env = import_module(f"ludotheque.envs.{game.name}_v{game.version}").env()
env.reset(seed=1)
observation, *_ = env.last()
env.step(int(observation["action_mask"].argmax()))
print(perf_counter() - start)
"""
WARM_RUNS = 5


@dataclass
class Wait:
    """A wait in seconds, its median over `times`, and the most allowed."""

    name: str
    times: list[float]
    seconds: float
    limit: float
    reached: bool


def measure(games: Sequence[str]) -> list[Wait]:
    """Times the import, and for each game the first move from a warm and from a cold cache."""
    waits = [_wait("import ludotheque.envs", [_run(IMPORT) for _ in range(WARM_RUNS)], 0.5)]
    for game in games:
        with tempfile.TemporaryDirectory() as cache:
            cold = _run(FIRST_MOVE, game, cache=cache)
            warm = [_run(FIRST_MOVE, game, cache=cache) for _ in range(WARM_RUNS)]
        waits.append(_wait(f"{game}: first move, warm cache", warm, 1.0))
        waits.append(_wait(f"{game}: first move, cold cache", [cold], 20.0))
    return waits


def print_waits(console: Console, waits: Sequence[Wait]) -> None:
    """The table of waits."""
    table = Table("", title="Start-up", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("seconds", "at most", ""):
        table.add_column(heading, justify="right")
    for wait in waits:
        verdict = "[green]reached[/]" if wait.reached else "[red]missed[/]"
        table.add_row(wait.name, f"{wait.seconds:.2f}", f"{wait.limit:g}", verdict)
    console.print(table)


def _wait(name: str, times: list[float], limit: float) -> Wait:
    seconds = statistics.median(times)
    return Wait(name, times, seconds, limit, seconds <= limit)


def _run(code: str, *arguments: str, cache: str | None = None) -> float:
    environment = dict(os.environ)
    if cache:
        environment["LUDOTHEQUE_CACHE_DIR"] = cache
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"the start-up of a fresh process failed:\n{done.stderr}")
    return float(done.stdout.split()[-1])
