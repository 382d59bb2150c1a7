"""Notation of the actions of Saga.

===================  ==========================================================================
``new``              play a card: begin a new attack force
``strengthen 2``     play a card: onto the second attack force
``add Shadowland``   play a card: to the defence of Shadowland
``down 2``           play a card: face down onto the second attack force
``take 2``           take a card of the second attack force back (Fieldland)
``take Castleland``  take a card of the defence of Castleland back
``turn up 2``        turn a face-down card of the second attack force up
``pass``             end the turn; recruit nobody for free; add no last card
``recruit red 3``    recruit a free knight
``red 3``            the knight for what was chosen before
``hidden red 3``     the same, and the other players don't see it: put or taken back face down
===================  ==========================================================================

Forces are counted from 1, the oldest first; when one is gone those after it move up.
"""

from __future__ import annotations

from typing import Any

from .components import (
    ADD,
    CARD,
    COLOURS,
    DOWN,
    HIDDEN,
    KINGDOMS,
    MAX_FORCES,
    NEW,
    NUM_ACTIONS,
    NUM_VALUES,
    PASS,
    RECRUIT,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
    VALUES,
    knight_number,
)
from .fields import CHOICE_OF

_FORMS = (
    "new, strengthen 2, add Shadowland, down 2, take 2, take Castleland, turn up 2, pass, "
    "recruit red 3, red 3, hidden red 3"
)
# Kind of action, its first number, what its part counts; ``take`` comes in two kinds.
_PLACES = (
    ("strengthen", STRENGTHEN, "force"),
    ("add", ADD, "kingdom"),
    ("down", DOWN, "force"),
    ("take", TAKE_FORCE, "force"),
    ("take", TAKE_DEFENCE, "kingdom"),
    ("turn up", TURN_UP, "force"),
)
_KNIGHTS = (("recruit", RECRUIT), ("card", CARD), ("hidden", HIDDEN))
_SINGLE = {"new": NEW, "pass": PASS}


def decode_action(action: int) -> dict[str, Any]:
    """Return an action's parts by name.

    ``{"kind": "new"}``, ``{"kind": "strengthen", "force": 1}``, ``{"kind": "add", "kingdom":
    "Shadowland"}``, ``{"kind": "down", "force": 1}``, ``{"kind": "take", "force": 1}``,
    ``{"kind": "take", "kingdom": "Castleland"}``, ``{"kind": "turn up", "force": 1}``,
    ``{"kind": "pass"}``, and ``{"kind": "recruit", "colour": "red", "value": 3}`` or ``"card"`` or
    ``"hidden"``; forces count from 0.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0 to {NUM_ACTIONS - 1}")
    number = int(action)
    for kind, single in _SINGLE.items():
        if number == single:
            return {"kind": kind}
    for kind, first in reversed(_KNIGHTS):
        if number >= first:
            colour, value = divmod(number - first, NUM_VALUES)
            return {"kind": kind, "colour": COLOURS[colour], "value": value + 1}
    for kind, first, part in reversed(_PLACES):
        if number >= first:
            at = number - first
            return {"kind": kind, part: at if part == "force" else KINGDOMS[at]}
    raise AssertionError(f"action {action} has no kind")


def targets(action: int) -> tuple[tuple[str, int], ...]:
    """Return what an action is about: a choice and an own force or kingdom; a card; a knight."""
    if action >= HIDDEN:
        return (("hand", action - HIDDEN), ("choices", int(CHOICE_OF[DOWN])))
    for field, first in (("hand", CARD), ("free", RECRUIT)):
        if action >= first:
            return ((field, action - first),)
    if action == PASS:
        return ()
    choice = ("choices", int(CHOICE_OF[action]))
    if action == NEW:
        return (choice,)
    _, first, part = max((place for place in _PLACES if place[1] <= action), key=lambda p: p[1])
    return (choice, ("own_forces" if part == "force" else "kingdoms", action - first))


def encode_action(parts: dict[str, Any]) -> int:
    """Return the action number of parts as ``decode_action`` gives them, or raise ValueError."""
    kind = parts.get("kind")
    names = set(parts) - {"kind"}
    if kind in _SINGLE and not names:
        return _SINGLE[kind]
    for name, first in _KNIGHTS:
        if kind == name and names == {"colour", "value"}:
            colour = _expect(parts, "colour", COLOURS)
            return first + colour * NUM_VALUES + _expect(parts, "value", VALUES)
    for name, first, part in _PLACES:
        if kind == name and names == {part}:
            allowed = KINGDOMS if part == "kingdom" else range(MAX_FORCES)
            return first + _expect(parts, part, allowed)
    kinds = (
        "new; pass; strengthen, down, take or turn up with force; add or take with kingdom; "
        "recruit, card or hidden with colour and value"
    )
    raise ValueError(f"{parts!r} is no action; its kind and other parts are one of: {kinds}")


def _expect(parts: dict[str, Any], name: str, allowed) -> int:
    """Return where the value of a part stands among those allowed."""
    value = parts[name]
    if value not in allowed or isinstance(value, bool):
        values = ", ".join(map(repr, allowed))
        raise ValueError(f"{name} of {parts['kind']!r} is {value!r}; allowed: {values}")
    return allowed.index(value)


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number."""
    parts = decode_action(action)
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
    """Return the action number of a notation, or raise ValueError that says what is wrong."""
    words = text.strip().lower().split()
    if len(words) == 1 and words[0] in _SINGLE:
        return _SINGLE[words[0]]
    for kind, first in (("recruit", RECRUIT), ("hidden", HIDDEN)):
        if words[:1] == [kind] and len(words) == 3:
            return first + _knight(text, words[1:])
    if len(words) == 2 and words[0] in COLOURS:
        return CARD + _knight(text, words)
    kind, last = " ".join(words[:-1]), words[-1] if words else ""
    kingdoms = [name.lower() for name in KINGDOMS]
    for name, first, part in _PLACES:
        if kind == name:
            if part == "kingdom" and last in kingdoms:
                return first + kingdoms.index(last)
            if part == "force" and last.isdecimal() and 1 <= int(last) <= MAX_FORCES:
                return first + int(last) - 1
    raise ValueError(f"{text!r} is no action; write {_FORMS}")


def _knight(text: str, words: list[str]) -> int:
    colour, value = words
    if colour not in COLOURS or not value.isdecimal() or int(value) not in VALUES:
        raise ValueError(
            f"{text!r} names no knight; colours are {', '.join(COLOURS)}, values 1 to {max(VALUES)}"
        )
    return knight_number(colour, int(value))
