"""`ludotheque train`: train an agent by self-play."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import (
    Bar,
    FailedError,
    GameOption,
    JsonOption,
    PlayersOption,
    SetOption,
    StoppedError,
    UserError,
    arguments_checked,
    check_folder,
    check_players,
    choose,
    draw_seed,
    find_game,
    game_options,
    holds_files,
    kept_words,
    needs_extra,
    print_json,
    run_length,
)
from .workers import ActorsOption, RayOption, actors_for

DEFAULT_MINUTES = 20.0
METHODS = ("ppo", "td", "search", "policy")


def train(
    game: GameOption = "sarena",
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="ppo (MaskablePPO), td (values of positions), search (a policy learned from "
            "tree search) or policy (a policy over afterstates, learned from its own games); by "
            "default the method that suits the game, or that of the resumed run.",
        ),
    ] = None,
    players: PlayersOption = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes", help=f"Length of the whole run in minutes; {DEFAULT_MINUTES:g} by default."
        ),
    ] = None,
    steps: Annotated[
        int | None,
        typer.Option(
            "--steps",
            help="Length of the whole run in decisions of the learner, rounded up to whole rounds "
            "of self-play (rollouts with ppo).",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="Folder of the run; by default runs/GAME.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume the run in --out.")] = False,
    reward: Annotated[
        str | None,
        typer.Option(
            "--reward",
            help="With ppo: rank, win, score, margin or score_change; by default the reward that "
            "suits the game.",
        ),
    ] = None,
    observation: Annotated[
        str | None,
        typer.Option(
            "--observation",
            help="With ppo: flat, planes (where the game has them) or afterstates (flat, and the "
            "values of all actions by the greedy agent); by default flat.",
        ),
    ] = None,
    teacher: Annotated[
        str | None,
        typer.Option(
            "--teacher",
            help="With ppo: an agent whose play is imitated at first, for example greedy.",
        ),
    ] = None,
    settings: SetOption = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            help="Seed; with the same seed and --steps, results on one machine are reproducible "
            "(with --minutes they depend on the time). Drawn and shown if not given.",
        ),
    ] = None,
    actors: ActorsOption = None,
    ray: RayOption = None,
    as_json: JsonOption = False,
) -> None:
    """Train an agent by self-play; Ctrl-C keeps what was learned."""
    found = find_game(game)
    # A resumed run knows its number of players.
    if players is not None or not resume:
        players = check_players(found, players)
    minutes, steps = run_length(minutes, steps, DEFAULT_MINUTES)
    folder = folder or Path("runs") / game
    options = game_options(found, settings)
    _check_folder(folder, resume)
    asked = {"reward": reward, "observation": observation, "teacher": teacher}
    own = {name: value for name, value in asked.items() if value is not None}
    if resume and (seed is not None or settings or own):
        given = {"seed": seed, "set": settings, **own}
        names = " ".join(f"--{name}" for name, value in given.items() if value not in (None, []))
        raise UserError(f"a resumed run keeps its settings: leave out {names}.")
    method = _check_method(method, own, found, folder if resume else None)
    _check_reward(reward)
    make_config, run = trainer_of(method)
    with arguments_checked():
        config = make_config(
            game=game,
            num_players=players,
            minutes=minutes,
            steps=steps,
            out=folder,
            resume=resume,
            **own,
            seed=0 if resume else draw_seed(seed),
            options=options,
        )
    again = (
        f"resume with: ludotheque train --game {game} --method {method} "
        f"--players {config.num_players} --out {shlex.quote(str(folder))} --resume"
    )
    with _played_by(run, config, actors, ray) as trains:
        result = _train(trains, config, again)
    _show(result, as_json)
    if result.interrupted:
        raise StoppedError(f"what was learned is in {folder}; {again} --minutes MORE")


def _check_method(method: str | None, own: dict[str, str], game: Any, resumed: Path | None) -> str:
    """Return the method: as specified, else that of the run ``resumed``, else the game's.

    ``own`` are settings that only ppo has.
    """
    from ludotheque.agents.training.common import method_of

    if method is None and resumed is not None:
        with arguments_checked():
            method = method_of(resumed)
    usual = "ppo" if own else game.learning.get("method", "td")
    method = choose(usual if method is None else method, METHODS, "method")
    if method != "ppo" and own:
        names = " ".join(f"--{name}" for name in own)
        raise UserError(f"only ppo has these settings: leave out {names}, or give --method ppo.")
    return method


def trainer_of(method: str) -> tuple[Any, Any]:
    """Return the settings and the training function of ``method``."""
    try:
        if method != "ppo":
            from ludotheque.agents.td import trainer

            return trainer.CONFIGS[method], trainer.train_td
        from ludotheque.agents import ppo

        return ppo.TrainConfig, ppo.train
    except ModuleNotFoundError as error:
        raise needs_extra("train", error) from error


@contextlib.contextmanager
def _played_by(run: Any, config: Any, actors: int | None, ray: str | None) -> Iterator[Any]:
    """Return the training function with the specified actors."""
    if actors is None and ray is None:
        yield run
        return
    if config.method == "ppo":
        raise UserError("ppo has no actors: leave out --actors and --ray, or choose td.")
    if actors is not None and actors > config.pieces:
        raise UserError(
            f"a round has {config.pieces} pieces, which actors share: give at most "
            f"{config.pieces} --actors, or set more pieces in Python ({type(config).__name__})."
        )
    with actors_for(actors, ray) as executor:
        yield functools.partial(run, actors=executor)


def _train(run: Any, config: Any, again: str) -> Any:
    try:
        with Bar("Training", "steps" if config.minutes is None else "s") as bar:
            config.progress = bar
            return run(config)
    except KeyboardInterrupt:
        raise StoppedError(kept_words(config.folder, config.checkpoint, again)) from None
    except BlockingIOError as error:
        raise FailedError(str(error)) from error
    except OSError as error:
        raise FailedError(
            f"the run in {config.out} could not be read or written: {error}"
        ) from error
    except ValueError as error:
        # A run whose time is used up raises an error only when it is resumed.
        if not config.resume:
            raise
        raise UserError(str(error)) from error


def _check_reward(reward: str | None) -> None:
    from ludotheque.envs.core.rewards import REWARDS  # not at the top, so that --help is fast

    if reward is not None and reward not in REWARDS:
        raise UserError(f"unknown reward {reward!r}. Known: {', '.join(REWARDS)}.")


def _check_folder(folder: Path, resume: bool) -> None:
    """Neither overwrite a run nor start one because of a typo in its folder's name."""
    check_folder(folder, resume, "a run")
    if resume and not holds_files(folder):
        raise UserError(f"nothing to resume in {folder}: leave out --resume, or check --out.")


def _show(result: Any, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "model": str(result.model_path),
                "best": str(result.best_path) if result.best_path else None,
                "steps": result.steps,
                "seconds": round(result.seconds, 1),
                "interrupted": result.interrupted,
                "evaluations": [dataclasses.asdict(found) for found in result.evaluations],
            }
        )
        return
    typer.echo(f"{result.model_path}: {result.steps:,} steps in {result.seconds / 60:.1f} minutes")
    newest = {found.opponent: found for found in result.evaluations}
    for name, found in newest.items():
        if name == "alone":
            typer.echo(
                f"{found.score:.1f} points a game over {found.games} games; goal reached in "
                f"{found.win_rate:.1%}"
            )
            continue
        typer.echo(
            f"won {found.win_rate:.1%} of {found.games} games against {name} "
            f"(95 % interval {found.low:.1%} to {found.high:.1%})"
        )
