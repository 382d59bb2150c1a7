"""Notation of the actions of Shamans.

======================  ================================================================
``violet 3``            play that card; during the Eclipse, give it
``portal back``         use a Portal: the pawn goes a square back; or ``portal on``
``pass``                use no Portal now, show no Dagger that lies face down
``take 1``, ``take 2``  take the artefact that lies face up in that place
``take top``            take the artefact on top of the pile
``keep up``             keep it face up; or ``keep down``
``retreat``             stabilisation: the pawn goes two squares back
``swap +1``             permutation: swap roles with the next player to the left
``eliminate +2``        neutralisation: eliminate the second player to the left
``guide +1``            eliminated: name the next player to the left as the Guide
``ritual green``        do the ritual of that world first
======================  ================================================================

With a state, players have their names: ``swap player_2``. Both are understood, names if there is a
state.
"""

from __future__ import annotations

from typing import Any

from .components import (
    BACK,
    ELIMINATE,
    FACE_UP,
    FIRST_RITUAL,
    HIDE,
    NAME_GUIDE,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_TARGETS,
    ON,
    PASS,
    RETREAT,
    SHOW,
    SWAP,
    TAKE,
    TAKE_TOP,
    VALUES,
    WORLDS,
)

_FIXED = {
    "portal back": BACK,
    "portal on": ON,
    "pass": PASS,
    **{f"take {place + 1}": TAKE + place for place in range(FACE_UP)},
    "take top": TAKE_TOP,
    "keep up": SHOW,
    "keep down": HIDE,
    "retreat": RETREAT,
}
_FIXED_NAMES = {action: text for text, action in _FIXED.items()}
_TARGETED = {"swap": SWAP, "eliminate": ELIMINATE, "guide": NAME_GUIDE}
_PARTS = {
    BACK: {"kind": "portal", "direction": "back"},
    ON: {"kind": "portal", "direction": "on"},
    PASS: {"kind": "pass"},
    **{TAKE + place: {"kind": "take", "place": place} for place in range(FACE_UP)},
    TAKE_TOP: {"kind": "take", "place": "top"},
    SHOW: {"kind": "keep", "face_up": True},
    HIDE: {"kind": "keep", "face_up": False},
    RETREAT: {"kind": "retreat"},
}
_FORMS = (
    "violet 3, portal back, portal on, pass, take 1, take top, keep up, keep down, retreat, "
    "swap +1, eliminate +2, guide +1, ritual green"
)


def decode_action(action: int) -> dict[str, Any]:
    """Return an action's parts by name; players count from 1, the next one to the left.

    ``{"kind": "card", "world": "violet", "value": 3}``, ``{"kind": "portal", "direction": "back"}``
    (or ``"on"``), ``{"kind": "pass"}``, ``{"kind": "take", "place": 0}`` (or 1, ``"top"``),
    ``{"kind": "keep", "face_up": True}``, ``{"kind": "retreat"}``, ``{"kind": "swap", "left": 1}``,
    ``{"kind": "eliminate", "left": 2}``, ``{"kind": "guide", "left": 1}``,
    ``{"kind": "ritual", "world": "green"}``.
    """
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0 to {NUM_ACTIONS - 1}")
    number = int(action)
    if number < NUM_CARDS:
        world, value = divmod(number, VALUES)
        return {"kind": "card", "world": WORLDS[world], "value": value + 1}
    if number in _PARTS:
        return dict(_PARTS[number])
    if number >= FIRST_RITUAL:
        return {"kind": "ritual", "world": WORLDS[number - FIRST_RITUAL]}
    for kind, first in _TARGETED.items():
        if first <= number < first + NUM_TARGETS:
            return {"kind": kind, "left": number - first + 1}
    raise AssertionError(f"action {action} has no kind")


def targets(action: int) -> tuple[tuple[str, int], ...]:
    """Return what an action is about: a card's value and world, a place, a player, a world."""
    if action < NUM_CARDS:
        world, value = divmod(int(action), VALUES)
        return (("values", value), ("worlds", world))
    if TAKE <= action < TAKE + FACE_UP:
        return (("display", action - TAKE),)
    if action >= FIRST_RITUAL:
        return (("worlds", action - FIRST_RITUAL),)
    # In this order or that, so that they differ in what is made of the same player.
    for fields, first in (
        (("roles", "seats"), SWAP),
        (("seats", "roles"), ELIMINATE),
        (("seats",), NAME_GUIDE),
    ):
        if first <= action < first + NUM_TARGETS:
            return tuple((field, action - first + 1) for field in fields)
    return ()


def encode_action(parts: dict[str, Any]) -> int:
    """Return the action number of parts as ``decode_action`` gives them, or raise ValueError."""
    kind = parts.get("kind")
    kinds = ["card", "portal", "pass", "take", "keep", "retreat", *_TARGETED, "ritual"]
    if kind not in kinds:
        raise ValueError(f"kind of action is {kind!r}; allowed: {', '.join(kinds)}")
    if kind == "card":
        _expect_parts(parts, kind, "world", "value")
        world = _expect(parts, "world", WORLDS)
        return VALUES * world + _expect(parts, "value", range(1, VALUES + 1))
    if kind == "ritual":
        _expect_parts(parts, kind, "world")
        return FIRST_RITUAL + _expect(parts, "world", WORLDS)
    if kind in _TARGETED:
        _expect_parts(parts, kind, "left")
        return _TARGETED[kind] + _expect(parts, "left", range(1, NUM_TARGETS + 1))
    candidates = {number: known for number, known in _PARTS.items() if known["kind"] == kind}
    names = next(iter(candidates.values())).keys() - {"kind"}
    _expect_parts(parts, kind, *names)
    for name in names:
        _expect(parts, name, [known[name] for known in candidates.values()])
    return next(number for number, known in candidates.items() if known == parts)


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
    """Return the notation of an action number; players have names if ``state`` is given."""
    parts = decode_action(action)
    number = int(action)
    if number in _FIXED_NAMES:
        return _FIXED_NAMES[number]
    if parts["kind"] == "card":
        return f"{parts['world']} {parts['value']}"
    if parts["kind"] == "ritual":
        return f"ritual {parts['world']}"
    left = parts["left"]
    # A player count may have no such player, but the action has a name all the same.
    if state is None or left >= state["num_players"]:
        return f"{parts['kind']} +{left}"
    seat = (int(state["to_play"]) + left) % int(state["num_players"])
    return f"{parts['kind']} player_{seat}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError that says what is wrong."""
    words = text.strip().lower().split()
    joined = " ".join(words)
    if joined in _FIXED:
        return _FIXED[joined]
    if len(words) == 2:
        first, second = words
        if first in WORLDS:
            return VALUES * WORLDS.index(first) + _number(text, second, VALUES) - 1
        if first == "ritual" and second in WORLDS:
            return FIRST_RITUAL + WORLDS.index(second)
        if first in _TARGETED:
            return _TARGETED[first] + _left(text, second, state) - 1
    raise ValueError(f"{text!r} is no action; write {_FORMS}")


def _number(text: str, word: str, most: int) -> int:
    if not word.isdecimal() or not 1 <= int(word) <= most:
        raise ValueError(f"{text!r} is no action; its number must be 1 to {most}")
    return int(word)


def _left(text: str, word: str, state: Any) -> int:
    """Return how far to the left of the seat to play the player called ``word`` sits."""
    if word.startswith("+"):
        return _number(text, word[1:], NUM_TARGETS)
    seat = word.removeprefix("player_")
    if not word.startswith("player_") or not seat.isdecimal():
        raise ValueError(f"{text!r} is no action; write the player as +1 or as player_1")
    if state is None:
        raise ValueError(f"who {word!r} is depends on who is to play: pass the state, or write +1")
    count = int(state["num_players"])
    left = (int(seat) - int(state["to_play"])) % count
    if int(seat) >= count or left == 0:
        raise ValueError(f"{text!r} is no action; name another of the {count} players")
    return left
