"""`ludotheque bench`: how fast games, search and training run here."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from .common import Stopped, friendly, needs_extra

app = typer.Typer(
    help="Measure speed on this machine: games, search, training.", no_args_is_help=True
)

QuickOption = Annotated[bool, typer.Option("--quick", help="Seconds, not minutes; less exact.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Folder for the results, and for the chart if any.")
]


def throughput(
    quick: QuickOption = False, out: OutOption = None, as_json: JsonOption = False
) -> None:
    """Plies a second with random moves, through each interface, against other libraries."""
    _run("throughput", quick, out, as_json)


def search(quick: QuickOption = False, out: OutOption = None, as_json: JsonOption = False) -> None:
    """Simulations a second of the tree search."""
    _run("search", quick, out, as_json)


def training(
    quick: QuickOption = False, out: OutOption = None, as_json: JsonOption = False
) -> None:
    """Steps a second of training, and the share of time that the game takes."""
    _run("training", quick, out, as_json)


for _command in (throughput, search, training):
    app.command(_command.__name__)(friendly(_command))


def _run(name: str, quick: bool, out: Path | None, as_json: bool) -> None:
    """Run a benchmark, which is a script of its own, with the same options."""
    try:
        module = import_module(f"ludotheque.benchmarks.{name}")
        arguments = [
            *(["--quick"] if quick else []),
            *(["--json"] if as_json else []),
            *(["--out", str(out)] if out else []),
        ]
        code = module.main(arguments)
    except ModuleNotFoundError as error:
        raise needs_extra("bench", error) from error
    except KeyboardInterrupt:
        raise Stopped("by Ctrl-C; the measurement in progress is lost.") from None
    if code:
        raise typer.Exit(code)
