"""`ludotheque league`: a tournament between agents, with ratings and their uncertainty."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from .common import (
    Bar,
    FailedError,
    GameOption,
    JsonOption,
    PlayersOption,
    SeatingsOption,
    SeedOption,
    SetOption,
    StoppedError,
    UserError,
    arguments_checked,
    check_folder,
    check_players,
    draw_seed,
    find_game,
    game_options,
    needs_extra,
    out,
)
from .table import agent_for, check_specs, split_specs
from .workers import RayOption, WorkersOption, executor_for


def league(
    game: GameOption = "sarena",
    agents: Annotated[
        str, typer.Option("--agents", help="Two or more, e.g. random,greedy,mcts,ppo:model.zip.")
    ] = "random,greedy,mcts",
    players: PlayersOption = None,
    games: Annotated[
        int, typer.Option("--games", min=1, help="Games per pair of agents; seats rotate.")
    ] = 100,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder for the results; by default runs/league.")
    ] = None,
    seatings: SeatingsOption = "all",
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the league in --out: play only the missing games."),
    ] = False,
    settings: SetOption = None,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let agents play each other; Ctrl-C keeps the games that are finished."""
    found = find_game(game)
    players = check_players(found, players)
    specs = split_specs(agents)
    check_specs(specs)
    if len(set(specs)) != len(specs) or len(specs) < 2:
        raise UserError(f"a league needs two or more different agents, not {', '.join(specs)}.")
    folder = folder or Path("runs") / "league"
    check_folder(folder, resume)
    options = game_options(found, settings)
    for spec in specs:
        agent_for(spec, game)  # reports an unreadable model before anything is written
    if not resume:
        seed = draw_seed(seed)
    try:
        from ludotheque.agents.league import League

        with arguments_checked():
            plan = League(
                game,
                _names(specs),
                folder,
                num_players=players,
                seed=seed,
                resume=resume,
                seatings=seatings,
                **options,
            )
            plan.deals_for(games)
    except ModuleNotFoundError as error:
        raise needs_extra("cli", error) from error
    words: list[object] = [
        "league",
        "--game",
        game,
        "--agents",
        agents,
        "--players",
        players,
        "--games",
        games,
    ]
    words += ["--seatings", seatings] if seatings != "all" else []
    words += ["--workers", workers] if workers > 1 else []
    words += ["--ray", ray] if ray else []
    words += [word for setting in settings or () for word in ("--set", setting)]
    again = shlex.join(["ludotheque", *map(str, words), "--out", str(folder)])
    stopped = f"finished games are in {folder}; resume with: {again} --resume"
    try:
        with executor_for(workers, ray) as executor, Bar("Playing", "games") as bar:
            table = plan.run(games, progress=bar, executor=executor)
    except KeyboardInterrupt:
        raise StoppedError(stopped) from None
    except OSError as error:
        raise FailedError(f"{error}. Finished games are in {folder}.") from error
    if as_json:
        typer.echo(table.to_json(), nl=False)
    else:
        table.print(out)


def _names(specs: list[str]) -> dict[str, str]:
    """Map names to specs; the kind replaces a path if it is the only one of its kind."""
    kinds = [spec.partition(":")[0] for spec in specs]
    names = {}
    for kind, spec in zip(kinds, specs, strict=True):
        has_path = "=" not in spec and kind != spec
        names[kind if has_path and kinds.count(kind) == 1 else spec] = spec
    return names
