"""Notation of the actions of Saga, as in the table on the game's page.

Forces are counted from 1, oldest first; when one is removed, those after it move up.
"""

from __future__ import annotations

from typing import Any

from .actions import ACTIONS
from .components import COLOURS, KINGDOMS, NUM_KNIGHTS, RECRUITED, VALUES, knight_number

_FORMS = (
    "new, strengthen 2, add Shadowland, down 2, take 2, take Castleland, turn up 2, pass, "
    "recruit red 3, red 3, recruited red 3, hidden red 3, hidden recruited red 3"
)
# Words before a knight → kind of action.
_KNIGHTS = {"": "card"} | {
    kind: kind for kind in ("recruit", RECRUITED, "hidden", f"hidden {RECRUITED}")
}
_PLACES = ("strengthen", "add", "down", "take", "turn up")


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number."""
    parts = ACTIONS.decode(action)
    kind = parts["kind"]
    if "force" in parts:
        return f"{kind} {parts['force'] + 1}"
    if "kingdom" in parts:
        return f"{kind} {parts['kingdom']}"
    if "colour" in parts:
        knight = f"{parts['colour']} {parts['value']}"
        return knight if kind == "card" else f"{kind} {knight}"
    return kind


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError."""
    words = text.strip().lower().split()
    if len(words) == 1 and words[0] in ("new", "pass"):
        return ACTIONS.first(words[0])
    before, last = " ".join(words[:-2]), " ".join(words[-1:])
    if len(words) >= 2 and before in _KNIGHTS and (before or words[0] in COLOURS):
        return ACTIONS.first(_KNIGHTS[before]) + knight_of(" ".join(words[-2:]))
    kind = " ".join(words[:-1])
    kingdoms = {name.lower(): name for name in KINGDOMS}
    if kind in _PLACES:
        force = int(last) - 1 if last.isdecimal() else -1
        parts = {"kingdom": kingdoms[last]} if last in kingdoms else {"force": force}
        try:
            return ACTIONS.encode({"kind": kind, **parts})
        except ValueError:
            pass  # the error below lists the valid forms
    raise ValueError(f"{text!r} is not an action; write {_FORMS}")


def knight_of(card: str) -> int:
    """Return the number of a card written "red 3" or "recruited red 3", or raise ValueError."""
    knight = card.removeprefix(f"{RECRUITED} ")
    colour, _, value = knight.partition(" ")
    if colour not in COLOURS or not value.isdecimal() or int(value) not in VALUES:
        raise ValueError(
            f"{card!r} is no knight; write a colour ({', '.join(COLOURS)}) and a value "
            f"({min(VALUES)} to {max(VALUES)}), after {RECRUITED!r} if it was recruited"
        )
    return knight_number(colour, int(value)) + (NUM_KNIGHTS if knight != card else 0)
