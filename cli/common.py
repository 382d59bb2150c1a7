"""Shared code of the commands: options, errors, suggestions for names, progress bars."""

from __future__ import annotations

import difflib
import errno
import functools
import json
import math
import os
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

# Results go to `out`, messages to `err`, so that --json can be piped.
# No markup: paths and names may contain brackets.
out = Console(highlight=False, markup=False)
err = Console(stderr=True, highlight=False, markup=False)

GameOption = Annotated[str, typer.Option("--game", "-g", help="Which game.")]
SeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed", help="Seed; the same seed gives the same result. Drawn and shown if not given."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
PlayersOption = Annotated[
    int | None,
    typer.Option(
        "--players", help="Number of players; by default 2, or the fewest the game allows."
    ),
]
SeatingsOption = Annotated[
    str,
    typer.Option(
        "--seatings",
        help="Which seatings a deal is played in: all, or rotations: as many as there are seats.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A game option, e.g. deal=balanced; JSON if `ludotheque games` says so.",
    ),
]


class UserError(Exception):
    """An invalid argument: reported in one line, exit code 2."""


class FailedError(Exception):
    """A failure despite valid arguments: reported in one line, exit code 1."""


class StoppedError(Exception):
    """Ctrl-C was pressed; the message says what was kept. Exit code 130."""


def run_length(
    minutes: float | None, steps: int | None, usual: float
) -> tuple[float | None, int | None]:
    """Return the length of a training; ``usual`` minutes if none is given.

    Raises:
        UserError: a number isn't above 0.
    """
    for name, value in (("--minutes", minutes), ("--steps", steps)):
        if value is not None and not 0 < value < math.inf:
            raise UserError(f"{name} must be more than 0, not {value}.")
    return (usual if minutes is None and steps is None else minutes), steps


def friendly(command: Callable[..., None]) -> Callable[..., None]:
    """Report the three kinds of errors of `command` in one line on stderr, with an exit code."""

    @functools.wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except UserError as error:
            _end("Error", error, 2)
        except FailedError as error:
            _end("Error", error, 1)
        except StoppedError as error:
            _end("Stopped", error, 130)
        except KeyboardInterrupt:
            _end("Stopped", "by Ctrl-C.", 130)
        except BrokenPipeError:
            # The reader of the pipe has ended, as with `| head`: don't flush at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except OSError as error:
            # Files have been named by now: what is full is the disk that the output goes to.
            if error.errno == errno.ENOSPC:
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                _end("Error", f"the output could not be written: {error.strerror}.", 1)
            # Whatever looks a file or folder up first raises this.
            if error.errno != errno.ENAMETOOLONG:
                raise
            _end("Error", _told(error), 2)

    return run


def _end(kind: str, message: object, code: int) -> None:
    # Not through rich: a message may hold square brackets, and must not be wrapped.
    typer.echo(f"{kind}: {_printable(str(message))}", err=True)
    raise typer.Exit(code)


def _printable(text: str) -> str:
    """Return text without terminal control sequences, since messages may quote files."""
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape", "replace").decode("ascii")
        for letter in text
    )


@contextmanager
def arguments_checked() -> Iterator[None]:
    """Turn the errors of calls that check a user's arguments into UserError."""
    try:
        yield
    except (ValueError, TypeError, OSError) as error:  # TypeError: an agent's unknown setting
        raise UserError(_told(error)) from error


def _told(error: Exception) -> str:
    """Return an error's message and notes, without the leading number of system errors."""
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    return ". ".join([str(error), *getattr(error, "__notes__", ())])


def needs_extra(extra: str, error: ModuleNotFoundError) -> Exception:
    """Return the error for a missing optional module; `error` itself if it is ours."""
    name = (error.name or "").partition(".")[0]
    if name == "ludotheque":
        return error
    return FailedError(f"this needs {name}, not installed. Try: pip install 'ludotheque[{extra}]'")


def choose(value: str, allowed: Iterable[str], what: str) -> str:
    """Return `value` if allowed; otherwise raise UserError with the choices and a suggestion."""
    names = list(allowed)
    if value in names:
        return value
    near = difflib.get_close_matches(value.lower(), names, n=1, cutoff=0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise UserError(f"unknown {what} '{value}'.{hint} Known: {', '.join(names)}.")


def find_game(name: str) -> Any:
    """Return the game called `name`, or raise UserError."""
    from ludotheque.envs import game_names, get_game

    return get_game(choose(name, game_names(), "game"))


def check_players(game: Any, number: int | None) -> int:
    """Return `number` if the game allows that many players, or raise UserError.

    None means two, or the fewest the game allows.
    """
    if number is None:
        return game.usual_players
    if number not in game.player_counts:
        counts = ", ".join(str(count) for count in game.player_counts)
        raise UserError(f"{game.title} is for {counts} players, not {number}: see --players.")
    return number


def check_seat(seat: int, players: int) -> int:
    """Return `seat` if it is one of 0 .. players-1, or raise UserError."""
    if not 0 <= seat < players:
        raise UserError(f"there is no seat {seat}: use 0 to {players - 1}.")
    return seat


def game_options(game: Any, settings: Sequence[str] | None) -> dict[str, Any]:
    """Turn ["deal=balanced"] into {"deal": "balanced"}, checked against the game's options.

    A value is one of the option's choices, or JSON if the option accepts other values.
    """
    from ludotheque.envs.core.arguments import read_options

    known = {option.name: option for option in game.options}
    options = {}
    for setting in settings or ():
        name, equals, text = setting.partition("=")
        if not equals:
            raise UserError(f"'{setting}' is not NAME=VALUE, as in --set deal=balanced.")
        choose(name, known, f"option of {game.title}")
        # Choices may be numbers or booleans; users type their text.
        by_text = {str(choice): choice for choice in known[name].choices}
        if isinstance(by_text.get(text.capitalize()), bool):
            text = text.capitalize()
        if known[name].read is None or text in by_text:
            options[name] = by_text[choose(text, by_text, f"value of {name}")]
        else:
            options[name] = _from_json(known[name], text, by_text)
    with arguments_checked():
        # One by one and all together; compatibility doesn't depend on the number of players.
        read_options(game, min(game.player_counts), options)
    return options


def _from_json(option: Any, text: str, choices: Iterable[str]) -> Any:
    """Parse the JSON in ``text``; raise UserError with the values that the option accepts."""
    from ludotheque.envs.core.loading import parse_json

    takes = f"{', '.join(choices)}, or JSON ({option.meaning})"
    try:
        return parse_json(text)
    except ValueError as error:
        if text.strip()[:1] in ("[", "{", '"'):
            raise UserError(
                f"the value of {option.name} is not JSON: {error}. In a shell, put it in single "
                f"quotes. It takes {takes}."
            ) from error
    near = difflib.get_close_matches(text.lower(), list(choices), n=1, cutoff=0.5)
    hint = f" Did you mean '{near[0]}'?" if near else ""
    raise UserError(f"unknown value of {option.name} '{text}'.{hint} It takes {takes}.")


def holds_files(folder: Path) -> bool:
    """Return whether a folder isn't empty; hidden files, such as a lock, don't count."""
    return folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir())


def kept_words(folder: Path, checkpoint: Path, again: str = "") -> str:
    """Tell what a training that was interrupted has left in its folder, and how to go on."""
    saved = (folder / checkpoint).exists()
    kept = f"the last checkpoint is in {folder}" if saved else "nothing was learned yet"
    return f"{kept}; {again}" if again and holds_files(folder) else f"{kept}."


def check_folder(folder: Path, resume: bool, what: str = "results") -> None:
    """Raise UserError for a folder with contents, which are never overwritten."""
    try:
        str(folder).encode("utf-8")
    except UnicodeEncodeError:
        raise UserError(f"the name of {folder} isn't UTF-8; choose another --out.") from None
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file; --out must be a folder.")
    if holds_files(folder) and not resume:
        raise UserError(f"{folder} holds {what} already: add --resume, or choose another --out.")


def draw_seed(seed: int | None) -> int:
    """Return `seed`, or draw one and print it, so that the result can be reproduced."""
    if seed is None:
        seed = secrets.randbelow(2**31)
        err.print(f"seed {seed}", style="dim")
    elif seed < 0:
        raise UserError(f"the seed must be 0 or more, not {seed}.")
    return seed


def print_json(result: Any) -> None:
    """Print `result` on stdout as standard JSON."""
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False, allow_nan=False))


class Bar:
    """A progress bar on stderr: `with Bar("Playing") as bar: bar(done, total, "text")`.

    Nothing is drawn before the first call; if stderr isn't a terminal, only the final state is
    printed.
    """

    def __init__(self, label: str, unit: str = ""):
        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            TextColumn(f"{{task.completed:.0f}}/{{task.total:.0f}} {unit}".rstrip()),
            TimeRemainingColumn(),
            TextColumn("{task.fields[text]}"),
        )
        self._progress = Progress(*columns, console=err)
        self._label = label
        self._task: TaskID | None = None

    def __enter__(self) -> Bar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, done: float, total: float, text: str = "") -> None:
        if self._task is None:
            self._task = self._progress.add_task(self._label, total=total, text=text)
        self._progress.update(self._task, completed=done, total=total, text=text)
