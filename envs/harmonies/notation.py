"""Notation of the actions of Harmonies.

================  =======================================================================
``take 2``        take the three tokens of the second space of the central board
``card 3``        take the third animal card of the display
``end``           end the turn; in the solo game after it, discard no card
``spirit 1``      keep the first of the two spirit cards
``discard 2``     solo: discard the second card of the display
``blue c3``       place a blue token on c3
``settle 1 c3``   settle a cube of the card in the first slot on c3
================  =======================================================================

Columns are letters from the left, rows are numbers from the top of the column. Which hex ``c3`` is
depends on the side of the board, so names need the state. ``hex11``, a hex by its number, is
understood with and without one.
"""

from __future__ import annotations

import re
from typing import Any

from .actions import ACTIONS, END, PLACE, SETTLE
from .components import COLOURS, COLUMNS, HAND_LIMIT, HEX_COL, HEX_ROW, MAX_HEXES, SIDES

_LETTERS = "abcdefg"
_NAMED_HEX = re.compile(r"([a-g])([1-9])")
_NUMBERED_HEX = re.compile(r"hex(\d+)")
_FORMS = "take 2, card 3, end, spirit 1, discard 2, blue c3 (or another colour), settle 1 c3"
# How many actions there are of each kind that is written with one number.
_NUMBERED = {kind.kind: len(kind.rows) for kind in ACTIONS.kinds if len(kind.parts) == 1}


def hex_to_string(hex_: int, side: int) -> str:
    """Return a hex's name, ``a1`` (top left) to ``e5`` on side A (0) or ``g4`` on side B (1)."""
    return f"{_LETTERS[HEX_COL[side, hex_]]}{HEX_ROW[side, hex_] + 1}"


def hex_from_string(text: str, side: int) -> int:
    """Return the number of the hex called ``text`` on a side (0 A, 1 B), or raise ValueError."""
    columns = COLUMNS[side]
    match = _NAMED_HEX.fullmatch(text)
    if match:
        col, row = _LETTERS.index(match[1]), int(match[2]) - 1
        if col < len(columns) and row < columns[col]:
            return sum(columns[:col]) + row
    raise ValueError(
        f"{text!r} is no hex of side {SIDES[side]}; its hexes are a1 (top left) to "
        f"{_LETTERS[len(columns) - 1]}{columns[-1]} (bottom right)"
    )


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; with ``state``, hexes are named."""
    parts = ACTIONS.decode(action)
    kind = parts["kind"]
    if kind == "end":
        return kind
    if kind in _NUMBERED:
        return f"{kind} {action - ACTIONS.first(kind) + 1}"
    hex_ = parts["hex"]
    # The last two hexes exist on side B only, but their actions have a name on side A too.
    named = state is not None and hex_ < sum(COLUMNS[state["side"]])
    where = hex_to_string(hex_, int(state["side"])) if named else f"hex{hex_}"
    if kind == "place":
        return f"{parts['colour']} {where}"
    return f"settle {parts['slot'] + 1} {where}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError."""
    words = text.strip().lower().split()
    if words == ["end"]:
        return END
    if len(words) == 2 and words[0] in _NUMBERED:
        return ACTIONS.first(words[0]) + _number(text, words[1], _NUMBERED[words[0]])
    if len(words) == 2 and words[0] in COLOURS:
        return PLACE + MAX_HEXES * COLOURS.index(words[0]) + _hex(words[1], state)
    if len(words) == 3 and words[0] == "settle":
        slot = _number(text, words[1], HAND_LIMIT)
        return SETTLE + MAX_HEXES * slot + _hex(words[2], state)
    raise ValueError(f"{text!r} is not an action; write {_FORMS}")


def _number(text: str, word: str, count: int) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= count:
        raise ValueError(f"{text!r} is not an action; its number must be 1 to {count}")
    return int(word) - 1


def _hex(word: str, state: Any) -> int:
    match = _NUMBERED_HEX.fullmatch(word)
    if match:
        if int(match[1]) < MAX_HEXES:
            return int(match[1])
        raise ValueError(f"{word!r} is no hex; their numbers are 0 to {MAX_HEXES - 1}")
    if state is None:
        raise ValueError(f"which hex {word!r} is depends on the side: pass the state")
    return hex_from_string(word, int(state["side"]))
