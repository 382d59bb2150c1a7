"""`ludotheque league`: agents play each other, and get ratings with their uncertainty."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table as RichTable

from .common import (
    Bar,
    GameOption,
    JsonOption,
    SeedOption,
    StoppedError,
    UserError,
    arguments_checked,
    check_players,
    draw_seed,
    find_game,
    needs_extra,
    out,
    print_json,
)
from .table import agent_for, check_specs, split_specs


def league(
    game: GameOption = "sarena",
    agents: Annotated[
        str, typer.Option("--agents", help="Two or more, e.g. random,greedy,mcts,ppo:model.zip.")
    ] = "random,greedy,mcts",
    players: Annotated[int, typer.Option("--players", help="Seats at the table.")] = 2,
    games: Annotated[
        int, typer.Option("--games", min=1, help="Games of each pair; seats rotate.")
    ] = 100,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder of results; runs/league if not given.")
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep the games in --out; play those missing."),
    ] = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let agents play each other; Ctrl-C keeps the games that are finished."""
    found = find_game(game)
    check_players(found, players)
    specs = split_specs(agents)
    check_specs(specs)
    if len(set(specs)) != len(specs) or len(specs) < 2:
        raise UserError(f"a league wants two or more different agents, not {', '.join(specs)}.")
    folder = folder or Path("runs") / "league"
    _check_folder(folder, resume)
    for spec in specs:
        agent_for(spec, game)
    try:
        from ludotheque.agents.league import League
    except ModuleNotFoundError as error:
        raise needs_extra("cli", error) from error
    with arguments_checked():
        plan = League(
            game,
            {spec: spec for spec in specs},
            folder,
            num_players=players,
            seed=draw_seed(seed),
        )
    again = f"ludotheque league --game {game} --agents {agents} --games {games} --out {folder}"
    stopped = f"finished games are in {folder}; go on with: {again} --resume"
    try:
        with Bar("Playing", "games") as bar:
            table = plan.run(games, progress=bar)
    except KeyboardInterrupt:
        raise StoppedError(stopped) from None
    if as_json:
        print_json(_as_data(table))
    else:
        out.print(_rich(table))


def _check_folder(folder: Path, resume: bool) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; --out wants a folder.")
    if folder.is_dir() and any(folder.iterdir()) and not resume:
        raise UserError(f"{folder} holds results already: add --resume, or choose another --out.")


def _as_data(table: Any) -> Any:
    data = table.to_json()
    return json.loads(data) if isinstance(data, str) else data


def _rich(table: Any) -> RichTable:
    shown = RichTable("agent", "rating ± uncertainty", "games", "win", "draw", "loss", "mean score")
    for column in shown.columns[1:]:
        column.justify = "right"
    for row in table.rows:
        shown.add_row(
            row.name,
            f"{row.rating:.1f} ± {row.uncertainty:.1f}",
            str(row.games),
            f"{row.wins / row.games:.1%}" if row.games else "-",
            f"{row.draws / row.games:.1%}" if row.games else "-",
            f"{row.losses / row.games:.1%}" if row.games else "-",
            f"{row.mean_score:.2f}",
        )
    return shown
