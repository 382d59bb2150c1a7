"""The command line: one Typer application, one module for each command."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from . import bench, exploit, games, league, play, rate, train, warmup, watch
from .common import friendly

app = typer.Typer(
    help="Board games as reinforcement learning environments: play, train, compare.",
    no_args_is_help=True,
    add_completion=False,
    # Usage errors are reported in one line; anything else is a bug and needs a plain traceback.
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"ludotheque {version('ludotheque')}")
        raise typer.Exit


@app.callback()
def _root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Options before the name of a command."""


app.command("games")(friendly(games.games))
app.command("play")(friendly(play.play))
app.command("watch")(friendly(watch.watch))
app.command("train")(friendly(train.train))
app.command("league")(friendly(league.league))
app.command("rate")(friendly(rate.rate))
app.command("exploit")(friendly(exploit.exploit))
app.command("warmup")(friendly(warmup.warmup))
app.add_typer(bench.app, name="bench")
