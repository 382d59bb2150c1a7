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

from .actions import ACTIONS, HIDE, NUM_TARGETS, SHOW
from .components import FACE_UP, VALUES, WORLDS

_TARGETED = ("swap", "eliminate", "guide")
# Actions that are written as they are, in the words of their parts.
_FIXED = {
    **{
        f"portal {direction}": ACTIONS.encode({"kind": "portal", "direction": direction})
        for direction in ("back", "on")
    },
    **{
        f"take {place + 1}": ACTIONS.encode({"kind": "take", "place": place})
        for place in range(FACE_UP)
    },
    "take top": ACTIONS.encode({"kind": "take", "place": "top"}),
    "keep up": SHOW,
    "keep down": HIDE,
    "pass": ACTIONS.first("pass"),
    "retreat": ACTIONS.first("retreat"),
}
_FIXED_NAMES = {action: text for text, action in _FIXED.items()}
_FORMS = (
    "violet 3, portal back, portal on, pass, take 1, take top, keep up, keep down, retreat, "
    "swap +1, eliminate +2, guide +1, ritual green"
)


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; players have names if ``state`` is given."""
    parts = ACTIONS.decode(action)
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
            value = _number(text, second, VALUES)
            return ACTIONS.encode({"kind": "card", "world": first, "value": value})
        if first == "ritual" and second in WORLDS:
            return ACTIONS.encode({"kind": "ritual", "world": second})
        if first in _TARGETED:
            return ACTIONS.encode({"kind": first, "left": _left(text, second, state)})
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
