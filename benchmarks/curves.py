"""Learning curves of runs of `ludotheque train`: a picture of wins by decisions and by minutes.

A run's curve consists of its evaluations (``evaluations.jsonl``), with 95 % intervals. Baselines
keep theirs in their cards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludotheque.agents.baselines import baseline_counts, baseline_path
from ludotheque.agents.td.model import read_value_model
from ludotheque.agents.training.common import EVALUATIONS, read_evaluations
from ludotheque.agents.training.evaluation import ALONE, Evaluation
from ludotheque.cli.common import UserError, find_game
from ludotheque.cli.table import check_target
from ludotheque.envs.core.files import atomic_path
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.loading import MEGABYTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS = 110
ENDINGS = (".png", ".svg", ".pdf")


def main(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Folders of runs; NAME=FOLDER to name a curve.")
    ] = None,
    game: Annotated[
        str | None, typer.Option("--game", help="Also draw those of this game's baselines.")
    ] = None,
    picture: Annotated[Path, typer.Option("--out", help="The picture: .png, .svg or .pdf.")] = Path(
        "curves.png"
    ),
    opponent: Annotated[
        str | None,
        typer.Option("--opponent", help="Evaluations against this agent; by default all."),
    ] = None,
) -> None:
    """Draw the learning curves of runs and of baselines."""
    check_target(picture, ENDINGS)
    curves = curves_of_baselines(find_game(game)) if game else {}
    for run in runs or ():
        name, equals, folder = str(run).rpartition("=")
        curves[name if equals else Path(folder).name] = evaluations_of(Path(folder))
    if not curves:
        raise UserError("there is nothing to draw: give folders of runs, or --game.")
    figure = plot_curves(curves, opponent)
    with atomic_path(picture) as temporary:
        figure.savefig(temporary, dpi=DOTS)
    typer.echo(picture)


def curves_of_baselines(game: Game) -> dict[str, list[Evaluation]]:
    """Return the evaluations in the cards of a game's baselines, by names for the curves.

    Solo games are left out, whose curves show points instead of wins.

    Raises:
        UserError: no card has any.
    """
    curves = {}
    for players in baseline_counts(game):
        about = read_value_model(baseline_path(game, players), game).about
        if players > 1 and "curve" in about["card"]:
            curves[f"{about['method']}, {players} players"] = read_evaluations(
                about["card"]["curve"]
            )
    if not curves:
        raise UserError(
            f"no baseline of {game.name} has its curve in its card: train one with "
            f"`python -m ludotheque.agents.baselines {game.name} PLAYERS`."
        )
    return curves


def evaluations_of(folder: Path) -> list[Evaluation]:
    """Return the evaluations of the run in ``folder``, in order.

    Raises:
        UserError: there are none, or they are damaged.
    """
    path = folder / EVALUATIONS
    if not path.is_file():
        raise UserError(f"{folder} holds no evaluations: give the folder of a run.")
    if path.stat().st_size > MEGABYTE:
        raise UserError(f"{path} is larger than the evaluations of a run are.")
    try:
        lines = path.read_text("utf-8").splitlines()
        return read_evaluations([json.loads(line) for line in lines])
    except ValueError as error:
        raise UserError(f"{path} is damaged: {error}.") from error


def plot_curves(curves: Mapping[str, Sequence[Evaluation]], opponent: str | None = None) -> Figure:
    """Return a figure of win rates with intervals, by decisions and by minutes.

    Args:
        curves: name → evaluations of a run; for solo games, points per game are drawn.
        opponent: only evaluations against this one; None draws a row for each opponent.

    Raises:
        UserError: there is nothing to draw.
    """
    from matplotlib.figure import Figure

    everybody = (one.opponent for found in curves.values() for one in found)
    opponents = [opponent] if opponent else list(dict.fromkeys(everybody))
    figure = Figure(figsize=(9, 1.2 + 2.8 * len(opponents)), layout="constrained")
    rows: Any = figure.subplots(len(opponents), 2, sharey="row", sharex="col", squeeze=False)
    for axes, against in zip(rows, opponents, strict=True):
        _draw_row(axes, curves, against)
    rows[-1][0].set_xlabel("decisions")
    rows[-1][1].set_xlabel("minutes")
    lines = {line.get_label(): line for ax in rows[:, 0] for line in ax.get_lines()}
    figure.legend(
        lines.values(), lines.keys(), loc="outside lower center", ncols=4, fontsize="small"
    )
    return figure


def _draw_row(axes: Any, curves: Mapping[str, Sequence[Evaluation]], against: str) -> None:
    from matplotlib.ticker import EngFormatter, PercentFormatter

    for number, (name, found) in enumerate(curves.items()):
        some = [one for one in found if one.opponent == against]
        if some:
            _draw(axes, some, name, f"C{number}")
    if not axes[0].get_lines():
        raise UserError(f"there is no evaluation against {against} to draw.")
    axes[0].set_xscale("log")  # methods differ by factors of ten
    axes[0].xaxis.set_major_formatter(EngFormatter(sep=""))
    if against == ALONE:
        axes[0].set_ylabel("points a game")
    else:
        axes[0].set_ylabel(f"games won against {against}")
        axes[0].yaxis.set_major_formatter(PercentFormatter(1))
    for one in axes:
        one.grid(alpha=0.3)


def _draw(axes: Any, found: Sequence[Evaluation], label: str, color: str) -> None:
    for ax, x in (
        (axes[0], [one.steps for one in found]),
        (axes[1], [one.seconds / 60 for one in found]),
    ):
        if found[0].opponent == ALONE:
            ax.plot(x, [one.score for one in found], ".-", label=label, color=color)
        else:
            ax.plot(x, [one.win_rate for one in found], ".-", label=label, color=color)
            low, high = [one.low for one in found], [one.high for one in found]
            ax.fill_between(x, low, high, color=color, alpha=0.15)
