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

from .components import (
    CELL,
    CELL_COL,
    CELL_ROW,
    CHOOSE,
    COVER,
    DIRECTIONS,
    DISPLAY_SIZE,
    DONE,
    INTERLUDE_SIZE,
    NUM_ACTIONS,
    NUM_ROTATIONS,
    PASS,
    SET_ASIDE,
    TAKE,
    TURN,
    WINDOW,
)

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
# The parts of each kind of action in ``decode_action``: name, first action, values in order.
_PARTS = {
    "take": ("space", TAKE, tuple(range(DISPLAY_SIZE))),
    "choose": ("space", CHOOSE, tuple(range(INTERLUDE_SIZE))),
    "turn": ("quarter_turns", TURN, tuple(range(NUM_ROTATIONS))),
    "cover": ("direction", COVER, DIRECTIONS),
}


def cell_to_string(cell: int) -> str:
    """Return a window cell's name, ``a1`` (north-west) to ``t20``."""
    return f"{_LETTERS[CELL_COL[cell]]}{CELL_ROW[cell] + 1}"


def decode_action(action: int) -> dict[str, Any]:
    """Return an action's parts: ``{"kind": "take", "space": 0}``, ``{"kind": "cell", "row": 9,
    "column": 11}``, ``{"kind": "turn", "quarter_turns": 1}``, ``{"kind": "pass"}`` and so on."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0 to {NUM_ACTIONS - 1}")
    if action >= CELL:
        row, column = divmod(int(action) - CELL, WINDOW)
        return {"kind": "cell", "row": row, "column": column}
    for kind, number in _ALONE.items():
        if action == number:
            return {"kind": kind}
    kind = max((k for k in _PARTS if _PARTS[k][1] <= action), key=lambda k: _PARTS[k][1])
    name, first, values = _PARTS[kind]
    return {"kind": kind, name: values[int(action) - first]}


def targets(action: int) -> tuple[tuple[str, int], ...]:
    """Return what an action is about: a tile of the display or interlude, a rotation, a cell."""
    if action >= CELL:
        return (("demand", action - CELL),)
    for field, first, count in (
        ("display", TAKE, DISPLAY_SIZE),
        ("interlude", CHOOSE, INTERLUDE_SIZE),
        ("turns", TURN, NUM_ROTATIONS),
    ):
        if first <= action < first + count:
            return ((field, action - first),)
    return ()


def encode_action(parts: dict[str, Any]) -> int:
    """Return the action number of parts as ``decode_action`` gives them, or raise ValueError."""
    kind = parts.get("kind")
    if kind in _ALONE:
        _expect_parts(parts, kind)
        return _ALONE[kind]
    if kind == "cell":
        _expect_parts(parts, kind, "row", "column")
        for name in ("row", "column"):
            if parts[name] not in range(WINDOW):
                raise ValueError(f"{name} is {parts[name]!r}; allowed: 0 to {WINDOW - 1}")
        return CELL + int(parts["row"]) * WINDOW + int(parts["column"])
    if kind not in _PARTS:
        kinds = ", ".join(("cell", *_PARTS, *_ALONE))
        raise ValueError(f"kind of action is {kind!r}; allowed: {kinds}")
    name, first, values = _PARTS[kind]
    _expect_parts(parts, kind, name)
    if parts[name] not in values:
        allowed = ", ".join(map(repr, values))
        raise ValueError(f"{name} of {kind!r} is {parts[name]!r}; allowed: {allowed}")
    return first + values.index(parts[name])


def _expect_parts(parts: dict[str, Any], kind: str, *names: str) -> None:
    if set(parts) != {"kind", *names}:
        wanted = ", ".join(("kind", *names))
        raise ValueError(f"the action {kind!r} has the parts {wanted}; got {sorted(parts)}")


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; cells are relative if ``state`` is given."""
    parts = decode_action(action)
    kind = parts["kind"]
    if kind == "cell":
        cell = int(action) - CELL
        if state is None:
            return cell_to_string(cell)
        from .state import position_of

        x, y = position_of(state, int(state["to_play"]), cell)
        return f"{x:+d}{y:+d}"
    if kind in _ALONE:
        return kind
    first, words = _WITH_PART[kind]
    return f"{kind} {words[int(action) - first]}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError that says what is wrong."""
    words = text.strip().lower().split()
    if len(words) == 1 and words[0] in _ALONE:
        return _ALONE[words[0]]
    if len(words) == 2 and words[0] in _WITH_PART:
        first, allowed = _WITH_PART[words[0]]
        if words[1] not in allowed:
            raise ValueError(f"{text!r} is no action; after {words[0]!r}: {', '.join(allowed)}")
        return first + allowed.index(words[1])
    cell = _cell_from_string("".join(words), state)
    if cell is None:
        raise ValueError(f"{text!r} is no action; write {_FORMS}")
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
