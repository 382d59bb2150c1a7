"""`ludotheque rate`: an agent's rating on a game's fixed scale."""

from __future__ import annotations

import dataclasses
import json
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import (
    Bar,
    FailedError,
    GameOption,
    JsonOption,
    PlayersOption,
    SeatingsOption,
    SeedOption,
    StoppedError,
    UserError,
    arguments_checked,
    check_folder,
    check_players,
    draw_seed,
    find_game,
    needs_extra,
    out,
    print_json,
)
from .table import check_place, own_agent, writing
from .workers import RayOption, WorkersOption, executor_for


def rate(
    agent: Annotated[
        str | None,
        typer.Argument(
            help="baseline, greedy, mcts:simulations=9, td:FILE, ppo:FILE or package.module:Class."
        ),
    ] = None,
    game: GameOption = "sarena",
    players: PlayersOption = None,
    precision: Annotated[
        float,
        typer.Option(
            "--precision", help="Stop when the uncertainty of the rating is at most this much."
        ),
    ] = 1.0,
    rounds: Annotated[
        int,
        typer.Option(
            "--rounds", min=1, help="Maximum number of rounds of 8 deals from every seat."
        ),
    ] = 40,
    record: Annotated[
        Path | None,
        typer.Option(
            "--out",
            help="Write a record of all games to this JSON file; with --measure, keep them in "
            "this folder.",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option("--check", help="Replay the games of a record and compare."),
    ] = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Rate the rungs themselves, and write the ladder.")
    ] = False,
    games: Annotated[
        int, typer.Option("--games", min=1, help="With --measure, games per pair of rungs.")
    ] = 200,
    seatings: SeatingsOption = "all",
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Continue the rating, or the --measure, in --out."),
    ] = False,
    replace: Annotated[
        bool,
        typer.Option(
            "--replace", help="With --measure, replace a ladder that was measured before."
        ),
    ] = False,
    workers: WorkersOption = 1,
    ray: RayOption = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Rate an agent against the game's ladder: agents of fixed strength."""
    found = find_game(game)
    players = check_players(found, players)
    try:
        from ludotheque.agents import ladder
    except ModuleNotFoundError as error:
        raise needs_extra("cli", error) from error
    if check is not None:
        _check(ladder, check, None if agent is None else own_agent(agent, found))
        return
    if measure:
        folder = record or Path("runs") / f"ladder-{found.name}-{players}"
        check_folder(folder, resume)
        place = ladder.ladder_path(found, players)
        if place.exists() and not replace:
            raise UserError(
                f"there is a ladder already, by which agents are rated: {place}; add --replace to "
                "write a new one in its place."
            )
        check_place(place)
        with arguments_checked():
            seed = seed if resume else draw_seed(seed)
            plan = ladder.rung_league(
                found, players, out=folder, seed=seed, resume=resume, seatings=seatings
            )
            plan.deals_for(games)
        with executor_for(workers, ray) as executor:
            _measure(plan, games, executor)
        return
    if agent is None:
        raise UserError("name an agent to rate, e.g. ludotheque rate greedy --game sarena.")
    rated = own_agent(agent, found)
    if record is not None:
        check_place(record)
        if record.exists() and not resume:
            raise UserError(f"{record} exists already: add --resume, or choose another --out.")
    earlier = _earlier(ladder, record, agent) if resume else None
    seed = 0 if resume else draw_seed(seed)

    writes = _Record(record, agent)
    try:
        with (
            executor_for(workers, ray) as executor,
            Bar("Playing", "rounds") as bar,
            arguments_checked(),
        ):
            result = ladder.rate_agent(
                rated,
                found,
                players,
                precision=precision,
                max_rounds=rounds,
                seed=seed,
                progress=bar,
                executor=executor,
                keep=writes.keep,
                earlier=earlier,
            )
    except KeyboardInterrupt:
        raise StoppedError("nothing was written: a rating needs a complete round.") from None
    if as_json:
        values = dataclasses.asdict(result)
        del values["record"]
        print_json(values)
    else:
        _print(agent, result)
    writes.check()
    if result.interrupted:
        goes_on = "" if record is None else "; the same command with --resume continues it"
        raise StoppedError(f"the rating is of the complete rounds only{goes_on}.")


class _Record:
    """The file of a rating's record, written after each round.

    A round that can't be written, as on a full disk, doesn't end the rating: the next one tries
    again. What another process has written meanwhile isn't replaced.
    """

    def __init__(self, path: Path | None, agent: str):
        self.path, self.agent = path, agent
        self.error: OSError | None = None
        self._left = self._found()

    def _found(self) -> tuple[int, int] | None:
        """Return what tells the file from one that replaces it; None without a file."""
        if self.path is None or not self.path.exists():
            return None
        about = self.path.stat()
        return about.st_ino, about.st_mtime_ns

    def keep(self, played: dict[str, Any]) -> None:
        from ludotheque.agents.ladder import MOST_BYTES
        from ludotheque.envs.core.files import atomic_write_text
        from ludotheque.envs.core.loading import check_fits

        if self.path is not None:
            text = json.dumps({**played, "agent": self.agent}) + "\n"
            try:
                if self._found() not in (None, self._left):
                    raise FileExistsError("another process has written it meanwhile")
                check_fits(self.path, len(text), MOST_BYTES, "play fewer games")
                atomic_write_text(self.path, text)
                self._left, self.error = self._found(), None
            except OSError as error:
                self.error = error

    def check(self) -> None:
        """Raise FailedError if the last round couldn't be written."""
        if self.path is not None and self.error is not None:
            with writing(self.path):
                raise self.error


def _earlier(ladder: Any, record: Path | None, agent: str) -> dict[str, Any]:
    """Return the record to continue."""
    if record is None or not record.is_file():
        raise UserError("--resume continues the record in --out: name one that exists.")
    with arguments_checked():
        found = ladder.read_record(record)
    if found["agent"] != agent:
        raise UserError(f"{record} is a record of {found['agent']}, not of {agent}.")
    return found


def _check(ladder: Any, path: Path, agent: Any) -> None:
    with arguments_checked():
        try:
            games = ladder.check_record(path, agent)
        except OSError as error:
            raise UserError(f"{path} can't be read: {error}.") from error
    out.print(f"{games} games replayed: the results and the rating are the same.")


def _measure(plan: Any, games: int, executor: Any) -> None:
    from ludotheque.agents.ladder import ladder_path, measure_ladder, save_ladder

    folder, game, players = plan.out, plan.game.name, plan.settings.num_players
    words = f"--measure --game {game} --players {players} --games {games}"
    if "seatings" in plan.config:
        words += f" --seatings {plan.config['seatings']}"
    if ladder_path(plan.game, players).exists():
        words += " --replace"
    again = f"ludotheque rate {words} --out {shlex.quote(str(folder))} --resume"
    try:
        with Bar("Playing", "games") as bar:
            found = measure_ladder(plan, games, bar, executor)
    except KeyboardInterrupt:
        raise StoppedError(f"finished games are in {folder}; resume with: {again}") from None
    except OSError as error:
        raise FailedError(f"{error}. Finished games are in {folder}.") from error
    with writing(ladder_path(plan.game, players)):
        out.print(f"{save_ladder(found)}")
    for name, rating in found.rungs.items():
        out.print(f"  {rating.mu:5.1f} ± {2 * rating.sigma:.1f}  {name}")


def _print(agent: str, result: Any) -> None:
    from rich.table import Column, Table

    out.print(
        f"{agent}: rating {result.rating:.1f} ± {result.uncertainty:.1f}, "
        f"{result.decisions_per_second:,.0f} decisions a second"
    )
    table = Table(
        Column("Against", overflow="fold"),
        "Rating",
        "Games",
        "Wins",
        "95 %",
        "Draws",
        "Mean points",
    )
    for row in result.rows:
        table.add_row(
            row.rung,
            f"{row.rung_rating:.1f}",
            str(row.games),
            f"{row.wins / row.games:.0%}",
            f"{row.low:.0%} to {row.high:.0%}",
            str(row.draws),
            f"{row.score:.1f}",
        )
    out.print(table)
