"""`ludotheque watch`: watch agents play each other, or a recorded game."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer

from .common import (
    FailedError,
    GameOption,
    JsonOption,
    SeedOption,
    SetOption,
    StoppedError,
    UserError,
    check_players,
    check_seat,
    draw_seed,
    err,
    find_game,
    game_options,
    print_json,
)
from .play import POLL_S, WindowOption, open_window, wants_window
from .table import (
    Table,
    check_target,
    load_replay,
    save_replay,
    seats_for,
    split_specs,
    writing,
)
from .web import BrowserOption, HostOption, PortOption, WebOption, Where, new_lobby, serve

# Animations are smaller than pictures: half the time, half the file size.
FILM_SCALE = 0.7
USUAL_AGENTS = ("greedy", "mcts")
# Options that a recorded game determines: parameter → option.
RECORDED = {
    "game": "--game",
    "agents": "--agents",
    "players": "--players",
    "settings": "--set",
    "seed": "--seed",
}
FILMS = (".gif", ".webp")
ENDINGS = (*FILMS, ".png", ".svg", ".jsonl")


def watch(
    context: typer.Context,
    game: GameOption = "sarena",
    agents: Annotated[
        str | None,
        typer.Option(
            "--agents",
            help="One agent for all seats, or one per seat; by default greedy,mcts in turn.",
        ),
    ] = None,
    players: Annotated[
        int | None,
        typer.Option(
            "--players",
            help="Number of players; by default one per agent, else 2, or the fewest the "
            "game allows.",
        ),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", help="Show this recorded game (.jsonl) instead.")
    ] = None,
    number: Annotated[
        int, typer.Option("--number", min=1, help="Which game of the replay file, counted from 1.")
    ] = 1,
    save: Annotated[
        list[Path] | None,
        typer.Option(
            "--save",
            help="Save the game: .gif or .webp (smaller) for an animation, .png or .svg for the "
            "final position, .jsonl for a replay. May be repeated.",
        ),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option("--seat", help="Show only what this seat knows; by default everything."),
    ] = None,
    seconds: Annotated[
        float,
        typer.Option("--seconds", min=0.0, max=3600.0, help="Seconds to show each position."),
    ] = 0.7,
    every: Annotated[
        int,
        typer.Option(
            "--every", min=1, help="Show only each k-th position, and the last, in animations."
        ),
    ] = 1,
    settings: SetOption = None,
    window: WindowOption = None,
    web: WebOption = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    browser: BrowserOption = True,
    explain: Annotated[
        bool, typer.Option("--explain", help="With --web: show what the agents think.")
    ] = False,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Watch agents play in a window or the terminal, or save their game."""
    for path in save or ():
        check_target(path, ENDINGS)
    if replay is not None:
        _check_unused(context)
        table, actions = load_replay(replay, number)
    else:
        table, actions = _new_table(game, agents, players, settings, seed), None
    if seat is not None:
        check_seat(seat, table.players)
    if explain and not web:
        raise UserError("--explain draws over the board in a browser: add --web.")
    if web:
        table.explain = explain
        _to_browser(table, actions, seat, Where(host, port, browser))
        return
    view = _View(table, seat, seconds)
    try:
        if save:
            _to_files(view, actions, save, every)
        elif wants_window(window):
            _to_window(view, actions)
        else:
            _to_terminal(view, actions, quiet=as_json)
    except KeyboardInterrupt:
        raise StoppedError(f"after {len(table.actions)} moves; no file was written.") from None
    except ImportError as error:
        raise FailedError(str(error)) from error
    if not table.over:
        return
    if as_json:
        print_json(table.result())
    else:
        typer.echo("\n".join(table.result_lines()))


def _check_unused(context: typer.Context) -> None:
    """Reject options that a recorded game already determines."""
    for name, option in RECORDED.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UserError(f"--replay shows a recorded game: leave out {option}.")


def _new_table(
    game: str,
    agents: str | None,
    players: int | None,
    settings: list[str] | None,
    seed: int | None,
) -> Table:
    found = find_game(game)
    if agents is None:
        # Two agents alternate in the seats of games for more players.
        players = check_players(found, players)
        specs = [USUAL_AGENTS[seat % len(USUAL_AGENTS)] for seat in range(players)]
    else:
        specs = split_specs(agents)
        if players is None:
            players = len(specs) if len(specs) > 1 else found.usual_players
        check_players(found, players)
    seats = seats_for(specs, range(players), "agents")
    options = game_options(found, settings)
    return Table(found, draw_seed(seed), players, options, seats)


def _to_browser(table: Table, actions: list[int] | None, seat: int | None, where: Where) -> None:
    for action in actions or ():
        table.take(action)
    lobby = new_lobby()
    serve(lobby, lobby.add(table, first=seat), where)


class _View:
    """How the game is shown: from which seat, and how fast."""

    def __init__(self, table: Table, seat: int | None, seconds: float):
        self.table = table
        self.seat = seat
        self.seconds = seconds

    def picture(self) -> Any:
        return self.table.draw(self.seat)

    def text(self) -> str:
        return self.table.game.describe(self.table.states[0], self.seat)


def _positions(view: _View, actions: list[int] | None, busy: Any = None) -> Iterator[None]:
    """Play the game (or the recorded actions), yielding at every position.

    `busy` is the caller's progress indicator; without one, a new one is shown.
    """
    table = view.table
    yield
    while not table.over and (actions is None or len(table.actions) < len(actions)):
        if actions is None:
            with busy or err.status(f"{table.thinker(view.seat)} is thinking"):
                table.agent_acts()
        else:
            table.take(actions[len(table.actions)])
        yield


def _to_files(view: _View, actions: list[int] | None, paths: list[Path], every: int) -> None:
    from ludotheque.envs.core.drawing.canvas import save_gif, save_png

    wants_film = any(path.suffix in FILMS for path in paths)
    frames = []
    with err.status("playing") as status:
        for _ in _positions(view, actions, busy=nullcontext()):
            status.update(f"drawing, {len(view.table.actions)} moves")
            if wants_film and len(view.table.actions) % every == 0:
                frames.append(view.picture().rgb(FILM_SCALE))
        if wants_film and len(view.table.actions) % every:
            frames.append(view.picture().rgb(FILM_SCALE))
    durations = [round(1000 * max(view.seconds, 0.02))] * len(frames)
    durations[-1:] = [4 * duration for duration in durations[-1:]]
    for path in paths:
        with err.status(f"writing {path}"), writing(path):
            if path.suffix in FILMS:
                save_gif(frames, path, durations)
            elif path.suffix == ".png":
                save_png(view.picture(), path)
            elif path.suffix == ".svg":
                view.picture().save(path)
            else:
                save_replay(view.table, path)
        typer.echo(f"wrote {path}", err=True)


def _to_window(view: _View, actions: list[int] | None) -> None:
    window = open_window(view.table.game.title)
    with window:
        for _ in _positions(view, actions):
            window.show(view.picture().rgb())
            end = time.monotonic() + view.seconds
            while time.monotonic() < end:
                if _closed(window.poll(POLL_S)):
                    return
        typer.echo("Press a key in the window to close it.", err=True)
        while not any(event.kind in ("quit", "key") for event in window.poll(POLL_S)):
            pass


def _closed(events: list[Any]) -> bool:
    return any(event.kind == "quit" or event.key in ("escape", "q") for event in events)


def _to_terminal(view: _View, actions: list[int] | None, quiet: bool) -> None:
    """Print every position; `quiet` prints none, and stdout holds the result only."""
    table = view.table
    for _ in _positions(view, actions):
        if quiet:
            continue
        if table.moves:
            typer.echo(f"\n{len(table.moves)}. {table.last_move(view.seat) or 'not shown'}")
        typer.echo(view.text())
        if sys.stdout.isatty():
            time.sleep(view.seconds)
