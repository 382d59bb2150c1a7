"""Notation of the actions of Sàrèná: ``a1-b1`` moves the stack on a1 to b1.

Columns are letters from the left, rows are numbers from the top.
"""

from __future__ import annotations

from typing import Any

from .actions import ACTIONS
from .components import COLS, ROWS

_LETTERS = "abcdef"


def circle_to_string(circle: int) -> str:
    """Return a circle's name, ``a1`` to ``f6``."""
    row, col = divmod(circle, COLS)
    return f"{_LETTERS[col]}{row + 1}"


def circle_from_string(text: str) -> int:
    """Return the number of the circle called ``text``, or raise ValueError."""
    name = text.strip().lower()
    if len(name) == 2 and name[0] in _LETTERS and name[1].isdigit() and 1 <= int(name[1]) <= ROWS:
        return (int(name[1]) - 1) * COLS + _LETTERS.index(name[0])
    raise ValueError(f"{text!r} is no circle; circles are a1 (top left) to f6 (bottom right)")


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number, such as ``a1-b1``."""
    parts = ACTIONS.decode(action)
    return f"{circle_to_string(parts['from'])}-{circle_to_string(parts['to'])}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError."""
    start, dash, end = text.strip().partition("-")
    if not dash:
        raise ValueError(f"{text!r} is no move; write the two circles, such as a1-b1")
    parts = {"from": circle_from_string(start), "to": circle_from_string(end)}
    try:
        return ACTIONS.encode(parts)
    except ValueError:
        raise ValueError(
            f"{text!r} is no move: no line joins these circles; moves go to a neighbour in the "
            "same row or column"
        ) from None
