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

Columns are letters from the left, rows numbers from the top of the column. Which hex ``c3`` is
depends on the side of the board: it needs the state. Without one a hex is ``hex11``, by number, and
that is understood everywhere.
"""

from __future__ import annotations

import re
from typing import Any

from .components import (
    CARD,
    COLOURS,
    COLUMNS,
    DISCARD,
    END,
    HAND_LIMIT,
    HEX_COL,
    HEX_ROW,
    MAX_DISPLAY,
    MAX_HEXES,
    MAX_SPACES,
    NUM_ACTIONS,
    PLACE,
    SETTLE,
    SIDES,
    SOLO_DISPLAY,
    SPIRIT,
    SPIRITS_DEALT,
    TAKE,
)

_LETTERS = "abcdefg"
_NAMED_HEX = re.compile(r"([a-g])([1-9])")
_NUMBERED_HEX = re.compile(r"hex(\d+)")
_FORMS = "take 2, card 3, end, spirit 1, discard 2, blue c3 (or another colour), settle 1 c3"
# Actions with one number: the part's name in ``decode_action``, the first action, how many.
_NUMBERED = {
    "take": ("space", TAKE, MAX_SPACES),
    "card": ("place", CARD, MAX_DISPLAY),
    "spirit": ("choice", SPIRIT, SPIRITS_DEALT),
    "discard": ("place", DISCARD, SOLO_DISPLAY),
}

# The field of the flat observation that each of them is about.
_ABOUT = {"take": "central", "card": "display", "spirit": "dealt", "discard": "display"}


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


def decode_action(action: int) -> dict[str, Any]:
    """Return an action's parts by name.

    ``{"kind": "take", "space": 1}``, ``{"kind": "card", "place": 2}``, ``{"kind": "end"}``,
    ``{"kind": "spirit", "choice": 0}``, ``{"kind": "discard", "place": 1}``,
    ``{"kind": "place", "colour": "blue", "hex": 11}``,
    ``{"kind": "settle", "slot": 0, "hex": 11}``; all count from 0.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0 to {NUM_ACTIONS - 1}")
    number = int(action)
    if number >= SETTLE:
        slot, hex_ = divmod(number - SETTLE, MAX_HEXES)
        return {"kind": "settle", "slot": slot, "hex": hex_}
    if number >= PLACE:
        colour, hex_ = divmod(number - PLACE, MAX_HEXES)
        return {"kind": "place", "colour": COLOURS[colour], "hex": hex_}
    if number == END:
        return {"kind": "end"}
    for kind, (part, first, count) in _NUMBERED.items():
        if first <= number < first + count:
            return {"kind": kind, part: number - first}
    raise AssertionError(f"action {action} has no kind")


def targets(action: int) -> tuple[tuple[str, int], ...]:
    """Return what an action is about: a hex and a token or card, a space, a card of the display.

    Discarding a card names it twice: that tells it from taking one.
    """
    parts = decode_action(action)
    kind = parts["kind"]
    if kind == "place":
        return (("hexes", parts["hex"]), ("hand", COLOURS.index(parts["colour"])))
    if kind == "settle":
        return (("hexes", parts["hex"]), ("slots", parts["slot"]))
    if kind == "end":
        return ()
    about = (_ABOUT[kind], parts[_NUMBERED[kind][0]])
    return (about, about) if kind == "discard" else (about,)


def encode_action(parts: dict[str, Any]) -> int:
    """Return the action number of parts as ``decode_action`` gives them, or raise ValueError."""
    kind = parts.get("kind")
    if kind == "end":
        _expect_parts(parts, kind)
        return END
    if kind == "place":
        _expect_parts(parts, kind, "colour", "hex")
        colour = _expect(parts, "colour", COLOURS)
        return PLACE + MAX_HEXES * colour + _expect(parts, "hex", range(MAX_HEXES))
    if kind == "settle":
        _expect_parts(parts, kind, "slot", "hex")
        slot = _expect(parts, "slot", range(HAND_LIMIT))
        return SETTLE + MAX_HEXES * slot + _expect(parts, "hex", range(MAX_HEXES))
    if kind not in _NUMBERED:
        kinds = ", ".join((*_NUMBERED, "end", "place", "settle"))
        raise ValueError(f"kind of action is {kind!r}; allowed: {kinds}")
    part, first, count = _NUMBERED[kind]
    _expect_parts(parts, kind, part)
    return first + _expect(parts, part, range(count))


def _expect_parts(parts: dict[str, Any], kind: str, *names: str) -> None:
    if set(parts) != {"kind", *names}:
        wanted = ", ".join(("kind", *names))
        raise ValueError(f"the action {kind!r} has the parts {wanted}; got {sorted(parts)}")


def _expect(parts: dict[str, Any], name: str, allowed) -> int:
    """Return where the value of a part stands among those allowed."""
    if parts[name] not in allowed:
        values = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} of {parts['kind']!r} is {parts[name]!r}; allowed: {values}")
    return allowed.index(parts[name])


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; hexes have names if ``state`` is given."""
    parts = decode_action(action)
    kind = parts["kind"]
    if kind == "end":
        return kind
    if kind in _NUMBERED:
        return f"{kind} {parts[_NUMBERED[kind][0]] + 1}"
    hex_ = parts["hex"]
    # The actions on the last two hexes exist on side B only, but have a name on A too.
    named = state is not None and hex_ < sum(COLUMNS[state["side"]])
    where = hex_to_string(hex_, int(state["side"])) if named else f"hex{hex_}"
    if kind == "place":
        return f"{parts['colour']} {where}"
    return f"settle {parts['slot'] + 1} {where}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError that says what is wrong."""
    words = text.strip().lower().split()
    if words == ["end"]:
        return END
    if len(words) == 2 and words[0] in _NUMBERED:
        _, first, count = _NUMBERED[words[0]]
        return first + _number(text, words[1], count)
    if len(words) == 2 and words[0] in COLOURS:
        return PLACE + MAX_HEXES * COLOURS.index(words[0]) + _hex(words[1], state)
    if len(words) == 3 and words[0] == "settle":
        slot = _number(text, words[1], HAND_LIMIT)
        return SETTLE + MAX_HEXES * slot + _hex(words[2], state)
    raise ValueError(f"{text!r} is no action; write {_FORMS}")


def _number(text: str, word: str, count: int) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= count:
        raise ValueError(f"{text!r} is no action; its number must be 1 to {count}")
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
