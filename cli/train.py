"""`ludotheque train`: an agent that learns by playing against its past selves."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import (
    Bar,
    FailedError,
    GameOption,
    JsonOption,
    SeedOption,
    StoppedError,
    UserError,
    arguments_checked,
    check_players,
    draw_seed,
    err,
    find_game,
    needs_extra,
    print_json,
)

DEFAULT_MINUTES = 20.0


def train(
    game: GameOption = "sarena",
    players: Annotated[int, typer.Option("--players", help="Seats at the table.")] = 2,
    minutes: Annotated[
        float | None,
        typer.Option("--minutes", help=f"How long; {DEFAULT_MINUTES:g} if nothing is said."),
    ] = None,
    steps: Annotated[
        int | None, typer.Option("--steps", help="How long, in decisions of the learner.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; runs/GAME if not given.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out.")] = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train an agent by self-play; Ctrl-C keeps what was learned."""
    found = find_game(game)
    check_players(found, players)
    for name, value in (("--minutes", minutes), ("--steps", steps)):
        if value is not None and value <= 0:
            raise UserError(f"{name} must be more than 0, not {value}.")
    if minutes is None and steps is None:
        minutes = DEFAULT_MINUTES
    folder = folder or Path("runs") / game
    _check_folder(folder, resume)
    try:
        from ludotheque.agents import ppo
    except ModuleNotFoundError as error:
        raise needs_extra("train", error) from error
    again = f"go on with: ludotheque train --game {game} --out {folder} --resume"
    bar = Bar("Training", "s" if steps is None else "steps")
    with arguments_checked():
        config = ppo.TrainConfig(
            game=game,
            num_players=players,
            minutes=minutes,
            steps=steps,
            out=folder,
            resume=resume,
            seed=draw_seed(seed),
            progress=bar,
        )
    try:
        with bar:
            result = ppo.train(config)
    except KeyboardInterrupt:
        raise StoppedError(f"what was learned is in {folder}; {again}") from None
    except OSError as error:
        raise FailedError(f"the run in {folder} could not be written: {error}") from error
    _show(result, as_json)


def _check_folder(folder: Path, resume: bool) -> None:
    """A run is never overwritten, and never begun anew by a typing error in its folder's name."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; --out wants a folder.")
    holds_something = folder.is_dir() and any(folder.iterdir())
    if holds_something and not resume:
        raise UserError(f"{folder} holds a run already: add --resume, or choose another --out.")
    if resume and not holds_something:
        raise UserError(f"nothing to resume in {folder}: leave out --resume, or check --out.")


def _show(result: Any, as_json: bool) -> None:
    evaluations = [_plain(evaluation) for evaluation in result.evaluations]
    if as_json:
        print_json({"model": str(result.model_path), "evaluations": evaluations})
        return
    for evaluation in evaluations[-1:]:
        err.print("last evaluation:", evaluation)
    typer.echo(result.model_path)


def _plain(evaluation: Any) -> Any:
    return dataclasses.asdict(evaluation) if dataclasses.is_dataclass(evaluation) else evaluation
