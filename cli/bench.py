"""`ludotheque bench`: the speed of games, search and training, and the strength of agents.

Each benchmark is a script; this passes on the arguments, so everything after its name is the same
as for `python -m ludotheque.benchmarks.NAME`. Only `--json` is extended: without a file name the
record is printed, and the tables go to stderr.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

from .common import StoppedError, friendly, needs_extra

app = typer.Typer(
    help="Measure speed: games, search, self-play, training, workers; and how well agents play.",
    no_args_is_help=True,
)
HANDED_ON = {
    "allow_extra_args": True,
    "ignore_unknown_options": True,
    "help_option_names": [],
}


def throughput(context: typer.Context) -> None:
    """Plies a second with random moves, through each interface, against other libraries."""
    _bench("throughput", context.args)


def search(context: typer.Context) -> None:
    """Simulations a second of the tree search."""
    _bench("search", context.args)


def learning(context: typer.Context) -> None:
    """Decisions a second of self-play, and simulations a second of the search with a network."""
    _bench("learning", context.args)


def training(context: typer.Context) -> None:
    """Steps a second of training, and the share of time that the game takes."""
    _bench("training", context.args)


def strength(context: typer.Context) -> None:
    """Mean score of each agent alone, or in all seats; `league` lets agents play each other."""
    _bench("strength", context.args)


def curves(context: typer.Context) -> None:
    """Draw learning curves of runs: win rate by decisions and by minutes."""
    _bench("curves", context.args)


def methods(context: typer.Context) -> None:
    """Train with every method in one game and draw the learning curves."""
    _bench("methods", context.args)


def beliefs(context: typer.Context) -> None:
    """How probable a baseline considers the true hidden facts."""
    _bench("beliefs", context.args)


def workers(context: typer.Context) -> None:
    """Games and decisions a second in one process and in several, and what a piece costs."""
    _bench("workers", context.args)


_COMMANDS = (
    throughput,
    search,
    learning,
    training,
    strength,
    curves,
    methods,
    workers,
    beliefs,
)
for _command in _COMMANDS:
    app.command(_command.__name__, context_settings=HANDED_ON)(friendly(_command))


def _bench(name: str, arguments: list[str]) -> None:
    try:
        module = import_module(f"ludotheque.benchmarks.{name}")
    except ModuleNotFoundError as error:
        raise needs_extra("bench", error) from error
    try:
        if _wants_json_printed(arguments):
            _run_and_print(name, module, arguments)
        else:
            _run(name, module, arguments)
    except KeyboardInterrupt:
        raise StoppedError("by Ctrl-C; nothing was written.") from None


def _wants_json_printed(arguments: list[str]) -> bool:
    """Whether --json is given without a file name."""
    if "--json" not in arguments:
        return False
    following = arguments[arguments.index("--json") + 1 :]
    return not following or following[0].startswith("-")


def _run(name: str, module: Any, arguments: list[str]) -> None:
    script = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    script.command()(module.main)
    try:
        script(arguments, prog_name=f"ludotheque bench {name}")
    except SystemExit as end:
        if end.code:
            raise typer.Exit(int(end.code)) from None


def _run_and_print(name: str, module: Any, arguments: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.json"
        at = arguments.index("--json") + 1
        with contextlib.redirect_stdout(sys.stderr):
            _run(name, module, [*arguments[:at], str(record), *arguments[at:]])
        typer.echo(record.read_text("utf-8"))
