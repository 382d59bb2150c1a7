"""Time to the first move of a program, each time in a fresh process."""

from __future__ import annotations

import json
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

# Libraries that users have loaded anyway come first and are not counted.
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
# The same, with the compile time of each kernel, excluding the kernels it calls.
SHARES = (
    """
import json, sys
from time import perf_counter
from numba.core import event

class Shares(event.Listener):
    def __init__(self):
        self.running, self.seconds = [], {}
    def on_start(self, event):
        self.running.append([perf_counter(), 0.0])
    def on_end(self, event):
        start, inner = self.running.pop()
        took = perf_counter() - start
        name = event.data["dispatcher"].py_func.__qualname__
        self.seconds[name] = self.seconds.get(name, 0.0) + took - inner
        if self.running:
            self.running[-1][1] += took

shares = Shares()
event.register("numba:compile", shares)
"""
    + FIRST_MOVE
    + """
print(json.dumps(shares.seconds))
"""
)
WARM_RUNS = 5
LARGEST = 8


@dataclass
class Wait:
    """A wait in seconds: its median over `times`, and the maximum allowed."""

    name: str
    times: list[float]
    seconds: float
    limit: float
    reached: bool


def measure(games: Sequence[str]) -> list[Wait]:
    """Time the import and each game's first move: with a warm, a cold and a complete cache."""
    waits = [_wait("import ludotheque.envs", [_run(IMPORT) for _ in range(WARM_RUNS)], 0.5)]
    for game in games:
        with tempfile.TemporaryDirectory() as cache:
            cold = _run(FIRST_MOVE, game, cache=cache)
            compiled = _run(FIRST_MOVE, game, cache=cache, LUDOTHEQUE_COMPILE_AFTER="0")
            warm = [_run(FIRST_MOVE, game, cache=cache) for _ in range(WARM_RUNS)]
        waits.append(_wait(f"{game}: first move, warm cache", warm, 1.0))
        waits.append(_wait(f"{game}: first move, cold cache", [cold], 3.0))
        waits.append(_wait(f"{game}: first move, compiled", [compiled], 8.0))
    return waits


def shares(game: str) -> list[tuple[str, float]]:
    """Return the kernels of a first compiled move and their seconds, longest first."""
    with tempfile.TemporaryDirectory() as cache:
        printed = _output(SHARES, game, cache=cache, LUDOTHEQUE_COMPILE_AFTER="0")
        seconds = json.loads(printed.splitlines()[-1])
    return sorted(seconds.items(), key=lambda kernel: -kernel[1])


def print_shares(console: Console, game: str, found: Sequence[tuple[str, float]]) -> None:
    """Print a table of the kernels that take longest to compile."""
    total = sum(seconds for _, seconds in found)
    table = Table("", title=f"{game}: {len(found)} kernels, {total:.1f} s", box=SIMPLE_HEAD)
    for heading in ("seconds", "share"):
        table.add_column(heading, justify="right")
    for name, seconds in found[:LARGEST]:
        table.add_row(name, f"{seconds:.2f}", f"{seconds / total:.0%}")
    console.print(table)


def print_waits(console: Console, waits: Sequence[Wait]) -> None:
    """Print a table of waits."""
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


def _run(code: str, *arguments: str, cache: str | None = None, **environment: str) -> float:
    return float(_output(code, *arguments, cache=cache, **environment).split()[-1])


def _output(code: str, *arguments: str, cache: str | None = None, **environment: str) -> str:
    usual = {key: os.environ[key] for key in os.environ if key != "LUDOTHEQUE_COMPILE_AFTER"}
    environment = usual | environment
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
    return done.stdout
