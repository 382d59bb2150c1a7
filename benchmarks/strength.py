"""Strength of agents: the mean score of each on many deals, solo or in all seats.

All agents get the same deals. The standard error is that of the mean over deals, since the seats of
one deal are not independent.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ludotheque.agents import make_agent
from ludotheque.agents.match import play_match
from ludotheque.benchmarks.measure import (
    JsonFile,
    checked_games,
    machine,
    print_machine,
    write_json,
)
from ludotheque.cli.common import UserError, check_players, game_options
from ludotheque.cli.table import split_specs
from ludotheque.envs import get_game

QUICK_GAMES = 4


@dataclass
class Strength:
    """The results of one agent.

    Attributes:
        games: number of deals.
        mean, error: mean score of a seat, and its standard error.
        least, most: lowest and highest score of a seat.
        first: share of seats with rank 1; in solo games, of games in which the goal was reached.
        plies: mean length of a game.
        seconds: per game, on this machine.
    """

    agent: str
    games: int
    mean: float
    error: float
    least: float
    most: float
    first: float
    plies: float
    seconds: float


def measure(
    game: str, agent: str, players: int, games: int, seed: int = 0, **options: Any
) -> Strength:
    """Play `games` deals, from `seed` up, with `agent` in all seats.

    Raises:
        ValueError: unknown game, agent, number of players or option.
    """
    player = make_agent(agent, game)
    # Kernels are compiled before the clock starts.
    play_match(game, [player] * players, [seed], **options)
    start = perf_counter()
    scores, ranks, actions = play_match(
        game, [player] * players, range(seed, seed + games), **options
    )
    seconds = perf_counter() - start
    each = scores.astype(float).mean(axis=1)
    error = each.std(ddof=1) / np.sqrt(games) if games > 1 else float("nan")
    return Strength(
        agent,
        games,
        float(each.mean()),
        float(error),
        float(scores.min()),
        float(scores.max()),
        float((ranks == 1).mean()),
        float(np.mean([len(played) for played in actions])),
        seconds / games,
    )


def main(
    game: Annotated[str, typer.Option(help="The game.")] = "sarena",
    players: Annotated[
        int | None, typer.Option(help="Seats, all played by one agent.", show_default="fewest")
    ] = None,
    agents: Annotated[
        str, typer.Option(help="Agents, e.g. random,greedy,mcts:simulations=50,ppo:model.zip.")
    ] = "random,greedy,mcts",
    games: Annotated[int, typer.Option(min=1, max=100_000, help="Deals per agent.")] = 200,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A game option; may be repeated."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first deal; increases by one.")] = 0,
    quick: Annotated[bool, typer.Option("--quick", help="Check that it runs; few deals.")] = False,
    json: JsonFile = None,
):
    """Play deals with one agent in all seats; show the mean score of each.

    The agents don't meet; `ludotheque league` lets them play each other.
    """
    (name,) = checked_games([game])
    found = get_game(name)
    try:
        players = check_players(found, min(found.player_counts) if players is None else players)
        options = game_options(found, settings)
        specs = split_specs(agents)
        for spec in specs:
            make_agent(spec, name)
    except (UserError, ValueError, TypeError, OSError) as error:
        raise typer.BadParameter(str(error)) from error
    console, facts = Console(), machine()
    print_machine(console, facts)
    table = Table(
        "",
        title=_title(found, players, options),
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    for heading in ("deals", "mean score", "lowest", "highest", "first", "plies", "s/game"):
        table.add_column(heading, justify="right")
    runs = []
    for spec in specs:
        with console.status(f"{spec} plays"):
            count = QUICK_GAMES if quick else games
            runs.append(measure(name, spec, players, count, seed, **options))
        table.add_row(*_cells(runs[-1]))
    console.print(table)
    if players > 1:
        console.print(
            "Each agent sat in all seats; `ludotheque league` lets agents play each other.",
            highlight=False,
        )
    if json:
        about = {"game": name, "players": players, "options": options, "seed": seed}
        write_json(json, {"machine": facts, **about, "strength": [asdict(run) for run in runs]})


def _title(game, players: int, options: dict[str, object]) -> str:
    seats = "alone" if players == 1 else f"{players} players, one agent in all seats"
    return ", ".join([game.title, seats, *(f"{name} {value}" for name, value in options.items())])


def _cells(run: Strength) -> tuple[str, ...]:
    return (
        run.agent,
        str(run.games),
        f"{run.mean:.1f} ± {run.error:.1f}",
        f"{run.least:g}",
        f"{run.most:g}",
        f"{run.first:.0%}",
        f"{run.plies:.0f}",
        f"{run.seconds:.2g}",
    )


if __name__ == "__main__":
    typer.run(main)
