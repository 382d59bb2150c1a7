"""The errors of the suite. Each is also the built-in error that a caller would expect."""

from __future__ import annotations

import difflib
import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import category

import numpy as np


class LudothequeError(Exception):
    """Base class of the suite's own errors."""


class IllegalActionError(LudothequeError, ValueError):
    """The action is not legal now; nothing has changed."""


class OutOfBoundsActionError(IllegalActionError, AssertionError):
    """The action is outside the action space (where PettingZoo raises AssertionError)."""


class GameOverError(LudothequeError, RuntimeError):
    """The game has ended; reset it before the next step."""


class StateError(LudothequeError, ValueError):
    """A saved state or replay doesn't fit this game, version or number of players."""


class FileError(StateError):
    """A file is damaged, too large or of the wrong kind."""


class TooLargeError(FileError, OSError):
    """A file isn't written, since it would be too large to be read again."""


def did_you_mean(value: object, known: Iterable[object]) -> str:
    """Return ``" Did you mean 'x'?"`` with the known name closest to ``value``, or ``""``."""
    names = [name for name in known if isinstance(name, str)]
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(str(value).lower(), lowered, n=1, cutoff=0.5)
    return f" Did you mean {lowered[near[0]]!r}?" if near else ""


def check_choice(value: object, allowed: Iterable[object], what: str) -> None:
    """Check that ``value`` is one of ``allowed``, and of the same type.

    Raises:
        ValueError: it isn't; the message lists the allowed values and suggests the closest.
    """
    allowed = list(allowed)
    if any(value is a or (type(value) is type(a) and value == a) for a in allowed):
        return
    message = f"{what} is {value!r}; allowed: {', '.join(repr(a) for a in allowed)}"
    hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
    raise ValueError(f"{message}.{hint}" if hint else message)


def is_name(text: str) -> bool:
    """Return whether a text can be shown in terminals and stored as UTF-8.

    Terminals interpret control characters as commands. Surrogates stand for the bytes of file names
    that aren't UTF-8.
    """
    return not any(category(letter) in ("Cc", "Cs") for letter in text)


def is_whole(value: object) -> bool:
    """Return whether ``value`` is a Python or numpy integer; booleans are not."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


# The largest count of anything: kernel integers and floats represent it exactly.
MOST = 10**15


def check_writeable(states: Any) -> None:
    """Raise StateError unless an array can be written; compiled code wouldn't notice."""
    if not states.flags.writeable:
        raise StateError(
            "states can't be written (read-only, or a file opened for reading): pass states.copy()"
        )


def check_whole(value: Any, what: str, least: int = 0, most: int = MOST) -> int:
    """Return ``value`` as an int.

    Raises:
        ValueError: it isn't a whole number from ``least`` to ``most``.
    """
    if is_whole(value) and least <= value <= most:
        return int(value)
    endless = most == MOST and not (is_whole(value) and value > most)
    limits = f"from {least} up" if endless else f"from {least} to {most}"
    raise ValueError(f"{what} is {value!r}; give a whole number {limits}")


def number_of(value: Any, names: Sequence[str], what: str) -> int:
    """Return the number of something given by its name or number (from 0).

    Raises:
        ValueError: neither; the message lists the names.
    """
    if isinstance(value, str):
        check_choice(value, names, what)
        return names.index(value)
    return check_whole(value, what, 0, len(names) - 1)


def check_finite(value: Any, what: str) -> float:
    """Return ``value``, which must be a finite number; raise ValueError if it isn't one."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value):
        raise ValueError(f"{what} is {value!r}; give a finite number")
    return float(value)


def check_share(value: Any, what: str) -> float:
    """Return ``value``, a number from 0 to 1; raise ValueError if it isn't one."""
    share = check_finite(value, what)
    if not 0 <= share <= 1:
        raise ValueError(f"{what} is {value!r}; give a number from 0 to 1")
    return share
