"""Notation of the actions of Sagani.

=================  ==================================================================
``take 2``         take the tile on the second space of the display
``aside``          put the display's last tile aside, turn over the top of the pile
``choose 3``       interlude: take the tile on the third interlude space
``pass``           interlude: take none
``turn 90``        turn the tile in hand by 90 degrees clockwise and place it
``cover ne``       move a disc onto the arrow that points north-east
``done``           leave the other discs where they are
``+2-1``           the cell two to the east and one to the south of the first tile
``l11``            the same cell as column and row of the window
=================  ==================================================================

A cell is written relative to the first tile of the player to act when the state is given, else by
its place in the window; both are understood.
"""

from __future__ import annotations

import re
from typing import Any

from .actions import ACTIONS, CELL, CHOOSE, COVER, DONE, PASS, SET_ASIDE, TAKE, TURN
from .components import (
    CELL_COL,
    CELL_ROW,
    DIRECTIONS,
    DISPLAY_SIZE,
    INTERLUDE_SIZE,
    NUM_ROTATIONS,
    WINDOW,
)
from .state import position_of

# As pictures show it.
_MINUS = "\u2212"
_LETTERS = "abcdefghijklmnopqrst"
_RELATIVE = re.compile(r"([+-]\d+)([+-]\d+)")
_IN_WINDOW = re.compile(r"([a-t])(\d+)")
_FORMS = (
    "take 1, aside, choose 1, pass, turn 90, cover ne, done, or a cell such as +2-1 (east, north "
    "of the first tile) or l11 (column and row of the window)"
)
# Words with a number or name: first action, and what may follow.
_WITH_PART = {
    "take": (TAKE, tuple(str(k + 1) for k in range(DISPLAY_SIZE))),
    "choose": (CHOOSE, tuple(str(k + 1) for k in range(INTERLUDE_SIZE))),
    "turn": (TURN, tuple(str(90 * k) for k in range(NUM_ROTATIONS))),
    "cover": (COVER, DIRECTIONS),
}
_ALONE = {"aside": SET_ASIDE, "pass": PASS, "done": DONE}


def cell_to_string(cell: int) -> str:
    """Return a window cell's name, ``a1`` (north-west) to ``t20``."""
    return f"{_LETTERS[CELL_COL[cell]]}{CELL_ROW[cell] + 1}"


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; cells are relative if ``state`` is given."""
    kind = ACTIONS.decode(action)["kind"]
    if kind == "cell":
        cell = int(action) - CELL
        if state is None:
            return cell_to_string(cell)
        x, y = position_of(state, int(state["to_play"]), cell)
        return f"{x:+d}{y:+d}"
    if kind in _ALONE:
        return kind
    first, words = _WITH_PART[kind]
    return f"{kind} {words[int(action) - first]}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError."""
    # Boards show positions with minus signs.
    words = text.strip().lower().replace(_MINUS, "-").split()
    if len(words) == 1 and words[0] in _ALONE:
        return _ALONE[words[0]]
    if len(words) == 2 and words[0] in _WITH_PART:
        first, allowed = _WITH_PART[words[0]]
        if words[1] not in allowed:
            raise ValueError(f"{text!r} is not an action; after {words[0]!r}: {', '.join(allowed)}")
        return first + allowed.index(words[1])
    cell = _cell_from_string("".join(words), state)
    if cell is None:
        raise ValueError(f"{text!r} is not an action; write {_FORMS}")
    return CELL + cell


def _cell_from_string(text: str, state: Any) -> int | None:
    if match := _IN_WINDOW.fullmatch(text):
        row, column = int(match[2]) - 1, _LETTERS.index(match[1])
    elif match := _RELATIVE.fullmatch(text):
        if state is None:
            raise ValueError(f"{text!r} counts from the first tile: pass the state too")
        origin = int(state["origin"][int(state["to_play"])])
        row = int(CELL_ROW[origin]) - int(match[2])
        column = int(CELL_COL[origin]) + int(match[1])
    else:
        return None
    if row not in range(WINDOW) or column not in range(WINDOW):
        raise ValueError(f"the cell {text!r} is outside the window of {WINDOW} x {WINDOW} cells")
    return row * WINDOW + column
