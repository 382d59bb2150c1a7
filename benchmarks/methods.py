"""Learning curves of all training methods in one game, against `greedy` and another agent.

The methods train one after the other, and each keeps its model at every evaluation against
`greedy`. These models then play the other agent, so that its thinking takes no training time. If
the command is stopped, finished parts are kept, and running it again resumes it.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ludotheque.agents import make_agent
from ludotheque.agents.training.common import (
    CONFIG,
    EVALUATIONS,
    kept_model,
    write_evaluations,
)
from ludotheque.agents.training.evaluation import Evaluation, evaluate
from ludotheque.cli.common import UserError, check_players, choose, find_game
from ludotheque.cli.table import agent_for, check_target
from ludotheque.cli.train import METHODS, trainer_of
from ludotheque.envs.core.files import atomic_path
from ludotheque.envs.core.interfaces.settings import Settings

from .curves import DOTS, ENDINGS, evaluations_of, plot_curves

# Number of a method's decisions between evaluations.
EVERY = {"td": 400_000, "search": 20_000, "policy": 400_000, "ppo": 60_000}
# Maximum number of a run's models that play the other agent.
POINTS = 5
# Subfolder of a run for the games against the other agent; it exists once training has finished.
PLAYED = "played"
# Deals that aren't used for evaluation during training.
SEED = 2 * 10**9


def main(
    game: Annotated[str, typer.Option("--game", "-g", help="The game.")] = "sarena",
    players: Annotated[int | None, typer.Option(help="Seats.")] = None,
    method: Annotated[
        list[str] | None, typer.Option(help="METHOD or METHOD=N (decisions between evaluations).")
    ] = None,
    minutes: Annotated[float, typer.Option(help="Duration of each training.")] = 4.0,
    opponent: Annotated[str, typer.Option(help="Agent to play besides greedy.")] = "mcts",
    games: Annotated[int, typer.Option(min=1, help="Games per evaluation against it.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the trainings.")] = 1,
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = Path("runs/methods"),
    picture: Annotated[Path, typer.Option(help=".png, .svg or .pdf.")] = Path("methods.png"),
) -> None:
    """Train with every method and draw the learning curves."""
    check_target(picture, ENDINGS)
    found = find_game(game)
    agent_for(opponent, game)  # raises now, not after training
    settings = Settings(game, check_players(found, players))
    if settings.num_players == 1:
        raise UserError("alone there is nobody to beat: give at least 2 --players.")
    curves = {}
    for name, every in _chosen(method or METHODS).items():
        folder = out / f"{game}-{settings.num_players}" / name
        if not (folder / PLAYED / EVALUATIONS).is_file():
            seats = {"game": game, "num_players": settings.num_players}
            _train(name, folder, eval_every=every, minutes=minutes, seed=seed, **seats)
        _play(name, folder, opponent, settings, games)
        in_training, played = evaluations_of(folder), evaluations_of(folder / PLAYED)
        curves[name] = [*in_training, *played]
        typer.echo(
            f"{name}: {in_training[-1].steps:,} decisions, {_told(in_training[-1])}, "
            f"{_told(played[-1])}"
        )
    figure = plot_curves(curves)
    with atomic_path(picture) as temporary:
        figure.savefig(temporary, dpi=DOTS)
    typer.echo(picture)


def _chosen(methods: Any) -> dict[str, int]:
    """Return method → decisions between evaluations."""
    chosen = {}
    for one in methods:
        name, _, every = one.partition("=")
        name = choose(name, METHODS, "method")
        if every and not every.isdecimal():
            raise UserError(f"{one!r} doesn't say after how many decisions: give {name}=N.")
        chosen[name] = int(every or EVERY[name])
    return chosen


def _train(method: str, out: Path, **settings: Any) -> None:
    """Train with ``method`` into the folder ``out``, or resume the run there."""
    config, train = trainer_of(method)
    run = config(
        num_threads=1,  # like PPO
        out=out,
        resume=(out / CONFIG).is_file(),
        eval_opponents=("greedy",),
        keep_models=True,
        **settings,
    )
    if train(run).interrupted:
        raise SystemExit("stopped; the same command goes on")
    (out / PLAYED).mkdir(exist_ok=True)
    write_evaluations(out / PLAYED, [])


def _play(method: str, out: Path, opponent: str, settings: Settings, games: int) -> None:
    """Play with some of the models kept by the run in ``out``, if they haven't played yet."""
    kept, played = evaluations_of(out), evaluations_of(out / PLAYED)
    chosen = sorted({round(k) for k in np.linspace(0, len(kept) - 1, POINTS)})
    for one in [kept[k] for k in chosen][len(played) :]:
        kind = "ppo" if method == "ppo" else "td"
        agent = make_agent(f"{kind}:{kept_model(out, one.steps)}", settings.game)
        found = evaluate(agent, opponent, settings, games, SEED)
        played.append(dataclasses.replace(found, steps=one.steps, seconds=one.seconds))
        write_evaluations(out / PLAYED, played)


def _told(one: Evaluation) -> str:
    return (
        f"{one.win_rate:.0%} ({one.low:.0%}-{one.high:.0%}) of {one.games} against {one.opponent}"
    )
