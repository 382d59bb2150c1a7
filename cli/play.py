"""`ludotheque play`: play against agents, in the terminal or in a window.

Everything is shown as seen by the person's own seat, without hidden information.
"""

from __future__ import annotations

import difflib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from ludotheque.envs.core.drawing.words import MINUS
from ludotheque.web.table import PERSON

from .common import (
    FailedError,
    GameOption,
    JsonOption,
    PlayersOption,
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
from .table import (
    Table,
    check_target,
    fresh_seed,
    save_replay,
    seats_for,
    split_specs,
    writing,
)
from .web import (
    BrowserOption,
    ExplainOption,
    HostOption,
    PortOption,
    WebOption,
    Where,
    new_lobby,
    serve,
)

POLL_S = 0.05
HELP = """\
Type a move or its number, or:
  moves   list the legal moves with their numbers
  board   show the board again
  undo    take back your last move and what came after it
  help    show this
  quit    leave the game"""

WindowOption = Annotated[
    bool | None,
    typer.Option(
        "--window/--terminal",
        help="Where to show the game; by default a window if there is a display.",
    ),
]
# Python refuses to read numbers of some thousand digits.
_DIGITS = 10


def play(
    context: typer.Context,
    game: GameOption = "sarena",
    players: PlayersOption = None,
    opponents: Annotated[
        str,
        typer.Option("--opponents", help="One agent for all other seats, or one per seat: a,b,c."),
    ] = "greedy",
    seat: Annotated[int, typer.Option("--seat", help="Your seat, from 0.")] = 0,
    settings: SetOption = None,
    window: WindowOption = None,
    web: WebOption = False,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    browser: BrowserOption = True,
    explain: ExplainOption = False,
    cheat: Annotated[
        bool,
        typer.Option(
            "--cheat",
            help="With --explain: show what the other agents think while you play. The replay says "
            "so.",
        ),
    ] = False,
    save: Annotated[
        Path | None, typer.Option("--save", help="Save the game as a replay (.jsonl).")
    ] = None,
    seed: SeedOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play against agents, and with --web also against other people (`--opponents person`)."""
    if cheat and not explain:
        raise UserError("--cheat extends --explain: give both.")
    if explain and not web:
        raise UserError("--explain draws over the board in a browser: add --web.")
    if web and not _named(context):
        serve(new_lobby(), None, Where(host, port, browser))
        return
    found = find_game(game)
    players = check_players(found, players)
    check_seat(seat, players)
    if save is not None:
        check_target(save, (".jsonl",))
        if save.exists():
            raise UserError(f"{save} exists: its games would be lost. Choose another --save.")
    others = [other for other in range(players) if other != seat]
    specs = seats_for(split_specs(opponents), others, "opponents")
    options = game_options(found, settings)
    if web:
        # The seed would reveal everything hidden.
        seed = draw_seed(seed) if seed is not None else fresh_seed()
        agents = {seat: spec for seat, spec in specs.items() if spec != PERSON}
        table = Table(found, seed, players, options, agents)
        table.explain, table.cheat = explain, cheat
        _play_in_browser(table, seat, Where(host, port, browser), save)
        return
    table = Table(found, draw_seed(seed), players, options, specs)
    person = _WindowPerson if wants_window(window) else _TerminalPerson
    try:
        finished = _play(table, seat, person(table, seat), save)
        # Before the file, so that the result is shown even if the disk is full.
        if finished:
            _show_result(table, as_json)
        else:
            typer.echo(f"You left the game after {len(table.actions)} moves.", err=True)
    except KeyboardInterrupt:
        raise StoppedError(f"the game was left after {len(table.actions)} moves.") from None
    except ImportError as error:
        raise FailedError(f"{error}. Or use --terminal.") from error
    finally:
        if save is not None:
            save_replay(table, save)


def _named(context: typer.Context) -> bool:
    """Return whether a game was specified; otherwise the start page asks for one."""
    names = ("game", "opponents", "players", "settings", "save", "seed", "explain")
    sources = [context.get_parameter_source(name) for name in names]
    return any(source is not None and source.name == "COMMANDLINE" for source in sources)


def _play_in_browser(table: Table, seat: int, where: Where, save: Path | None) -> None:
    lobby = new_lobby(tuple(dict.fromkeys(table.specs.values())))
    room = lobby.add(table, first=seat)
    if save is None:
        serve(lobby, room, where)
        return
    games = _Games(save)
    room.on_change = games.keep
    try:
        serve(lobby, room, where)
    finally:
        games.write()


class _Games:
    """The file of the games at a table in a browser, written after each move.

    The games are not lost however the program ends. A new game at the table is added to those that
    are over; one that was left early is replaced.
    """

    def __init__(self, path: Path):
        self.path = path
        self._replays: dict[int, Any] = {}  # by seed
        self._failed = False

    def keep(self, table: Any) -> str:
        """Write all games; return the problem if that begins to fail, as on a full disk."""
        with table.lock:
            if not table.actions:
                return ""
            seed, replay = table.seed, table.replay()
        others = {key: old for key, old in self._replays.items() if old.scores and key != seed}
        self._replays = {**others, seed: replay}
        failed, self._failed = self._failed, False
        try:
            self.write()
        except FailedError as error:
            self._failed = True
            return "" if failed else f"{error} The next move tries again."
        return ""

    def write(self) -> None:
        """Write all games; raise FailedError if the file can't be written."""
        from ludotheque.envs.core.interfaces.replay import save_replays

        if self._replays:
            with writing(self.path):
                save_replays(self._replays.values(), self.path)


def wants_window(asked: bool | None) -> bool:
    """Return the choice made; by default, whether a window can be opened and drawn on."""
    if asked is not None:
        return asked
    if not (find_spec("pygame") and find_spec("resvg_py")):
        return False
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _play(table: Table, seat: int, person: Any, save: Path | None) -> bool:
    """Play to the end; return False if the person left before.

    The replay is written after each move, so that the game isn't lost however the program ends.
    """
    with person:
        person.show()
        while not table.over:
            if save is not None and table.actions:
                # A full disk is reported when the game is left.
                with suppress(FailedError):
                    save_replay(table, save)
            if table.to_play == seat:
                action = person.decide()
                if action is None:
                    return False
                table.take(action)
            else:
                other = table.to_play
                with err.status(f"{table.thinker(seat)} is thinking"):
                    table.agent_acts()
                person.tell(other)
            person.show()
        person.end()
    return True


def _show_result(table: Table, as_json: bool) -> None:
    if as_json:
        print_json(table.result())
        return
    typer.echo("The game is over.")
    for line in table.result_lines():
        typer.echo(line)


def _tell(table: Table, seat: int, viewer: int) -> None:
    """Print what an agent played, without anything hidden from the person's seat."""
    move = table.last_move(viewer)
    if move is not None:
        typer.echo(f"{table.name(seat)} plays {move}", err=True)


class _TerminalPerson:
    """Shows text and reads moves as text, all on stderr to keep the output of --json clean."""

    def __init__(self, table: Table, seat: int):
        self._table = table
        self._seat = seat

    def __enter__(self) -> _TerminalPerson:
        typer.echo(f"You are player_{self._seat}.", err=True)
        self._help()
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self) -> None:
        if self._table.to_play == self._seat and not self._table.over:
            self._board()

    def tell(self, seat: int) -> None:
        _tell(self._table, seat, self._seat)

    def end(self) -> None:
        # When the game is over everything is shown: that is how the score is checked.
        typer.echo(self._table.game.describe(self._table.states[0]), err=True)

    def decide(self) -> int | None:
        """Ask until the answer is a legal move; return None if the person leaves."""
        for words in _typed_lines():
            if words in ("quit", "exit", "q"):
                return None
            if words in ("help", "?", "h"):
                self._help()
            elif words == "board":
                self._board()
            elif words == "undo":
                typer.echo(_take_back(self._table, self._seat), err=True)
                self._board()
            elif words == "moves":
                typer.echo("\n".join(_listed(self._table.legal_moves())), err=True)
            elif (action := _meant(words, self._table.legal_moves())) is not None:
                return action
            elif words:
                typer.echo(self._complaint(words), err=True)
        raise FailedError(
            f"the input ended after {len(self._table.actions)} moves, before the game."
        )

    def _board(self) -> None:
        typer.echo(self._table.game.describe(self._table.states[0], self._seat), err=True)

    def _help(self) -> None:
        typer.echo(HELP, err=True)
        page = Path(str(import_module(self._table.game.home).__file__)).with_name("README.md")
        if page.exists():
            typer.echo(f"Rules and notation: {page}", err=True)

    def _complaint(self, words: str) -> str:
        try:
            self._table.game.action_from_string(words, self._table.states[0])
            problem = f"'{words}' is not allowed now."
        except ValueError:
            problem = f"'{words}' is neither a move nor a command."
        known = [*self._table.legal_moves(), "moves", "board", "undo", "help", "quit"]
        near = difflib.get_close_matches(words, known)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        return f"{problem}{hint} Type moves to list the legal ones, help for the commands."


def _listed(moves: dict[str, int]) -> list[str]:
    """List the legal moves with their numbers, in as many columns as fit the terminal."""
    cells = [f"{action} {move}" for move, action in moves.items()]
    wide = max(map(len, cells), default=0) + 2
    columns = max(1, shutil.get_terminal_size().columns // wide)
    rows = [cells[k : k + columns] for k in range(0, len(cells), columns)]
    return ["".join(cell.ljust(wide) for cell in row).rstrip() for row in rows]


def _meant(words: str, moves: dict[str, int]) -> int | None:
    """Return the legal action for an input: a number, or notation with or without punctuation."""
    if words in moves:
        return moves[words]
    if words.isdecimal() and len(words) < _DIGITS and int(words) in moves.values():
        return int(words)
    alike = [action for move, action in moves.items() if _bare(move) == _bare(words)]
    return alike[0] if len(alike) == 1 else None


def _bare(move: str) -> str:
    # A minus sign before a number is kept.
    return re.sub(r"-(?=[a-z])|[\s,]+", " ", move)


def _typed_lines() -> Iterator[str]:
    """Yield the typed lines, in lower case and stripped, until the end of the input."""
    while True:
        # Not input(): its prompt would go to stdout when that is a pipe.
        typer.echo("Your move: ", err=True, nl=False)
        line = sys.stdin.readline() if sys.stdin is not None else ""
        if not line:
            typer.echo(err=True)
            return
        # Boards show numbers with minus signs, notation has hyphens.
        yield line.strip().lower().replace(MINUS, "-")


class _WindowPerson:
    """Shows the drawing and turns clicks into moves.

    A move is chosen by clicking its places one after the other, in the order of the action's parts;
    a click that leads to no legal move starts again. Messages appear in the window's title bar and
    in the terminal.
    """

    KEYS = "click the places of a move; Escape: start over; u: undo; q: quit"

    def __init__(self, table: Table, seat: int):
        self._table = table
        self._seat = seat
        self._clicked: tuple = ()
        self._window: Any = None

    def __enter__(self) -> _WindowPerson:
        self._window = open_window(f"{self._table.game.title}: you are player_{self._seat}")
        return self

    def __exit__(self, *_: object) -> None:
        if self._window is not None:
            self._window.close()

    def show(self) -> None:
        # When the game is over everything is shown: that is how the score is checked.
        picture = self._table.draw(None if self._table.over else self._seat)
        self._window.show(picture.rgb())

    def tell(self, seat: int) -> None:
        _tell(self._table, seat, self._seat)

    def _say(self, text: str) -> None:
        self._window.say(text)
        typer.echo(text, err=True)

    def end(self) -> None:
        """Show the final position until a key is pressed or the window is closed."""
        self._say("The game is over: press a key in the window to close it.")
        while not any(event.kind in ("quit", "key") for event in self._window.poll(POLL_S)):
            pass

    def decide(self) -> int | None:
        """Wait for clicks that form a legal move; return None if the window is closed."""
        self._clicked = ()
        self._say(f"Your move: {self.KEYS}")
        while True:
            for event in self._window.poll(POLL_S):
                if event.kind == "quit" or event.key == "q":
                    return None
                if event.kind == "key":
                    self._press(event.key)
                if event.kind == "click":
                    action = self._click(self._place(event))
                    if action is not None:
                        return action

    def _press(self, key: str) -> None:
        if key == "u":
            self._say(_take_back(self._table, self._seat))
            self.show()
        if key in ("u", "escape"):
            self._clicked = ()
        if key in ("escape", "h", "f1", "?"):
            self._say(f"Your move: {self.KEYS}")

    def _place(self, event: Any) -> Any:
        return self._table.game.locate(event.x, event.y, self._table.states[0])

    def _click(self, place: Any) -> int | None:
        """Add a clicked place; return the move, if it is complete."""
        moves = {
            action: tuple(self._table.game.decode_action(action).values())
            for action in self._table.legal_moves().values()
        }
        # A click that continues no move may start another one.
        # A place may stand for several parts of an action at once: its kind and a position.
        parts = place if isinstance(place, tuple) else (place,)
        for clicked in ((*self._clicked, *parts), parts):
            begun = [action for action, move in moves.items() if move[: len(clicked)] == clicked]
            if begun:
                break
        self._clicked = clicked if begun else ()
        if len(begun) == 1 and moves[begun[0]] == clicked:
            return begun[0]
        named = [self._table.game.action_to_string(a, self._table.states[0]) for a in begun]
        if named:
            self._say(f"Moves from there: {', '.join(named)}.")
        else:
            firsts = dict.fromkeys(str(move[0]) for move in moves.values())
            self._say(f"No move starts there; moves start with: {', '.join(firsts)}.")
        return None


def _take_back(table: Table, seat: int) -> str:
    """Take back the person's last move; return the message to show."""
    try:
        table.undo(seat)
    except ValueError as error:
        return f"{str(error).capitalize()}."
    return "Your last move has been taken back."


def open_window(title: str) -> Any:
    """Open a window; raise FailedError without a display or without the extra [render]."""
    from ludotheque.envs.core.drawing.window import Window

    try:
        return Window(title)
    except (ImportError, RuntimeError) as error:
        raise FailedError(f"{error}. Or use --terminal.") from error
