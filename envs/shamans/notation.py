"""Notation of the actions of Shamans, such as ``violet 3`` or ``eliminate +2``; see README.md.

``+2`` is the second player to the left. Given a state, players are named: ``swap player_2``. Both
forms can be read, names only with a state.
"""

from __future__ import annotations

from typing import Any

from .actions import ACTIONS, NUM_ACTIONS, NUM_TARGETS
from .components import FACE_UP, VALUES, WORLDS

_TARGETED = ("swap", "eliminate", "guide")
_FORMS = (
    "violet 3, portal back, portal on, pass, take 1, take top, keep up, keep down, retreat, "
    "swap +1, eliminate +2, guide +1, ritual green"
)


def _text(action: int) -> str:
    """Return the notation of an action without a state."""
    parts = ACTIONS.decode(action)
    kind = parts.pop("kind")
    if kind == "card":
        return f"{parts['world']} {parts['value']}"
    if kind == "keep":
        return "keep up" if parts["face_up"] else "keep down"
    if kind in _TARGETED:
        return f"{kind} +{parts['left']}"
    if parts.get("place") in range(FACE_UP):
        return f"take {parts['place'] + 1}"
    return " ".join([kind, *parts.values()])


_TEXTS = [_text(action) for action in range(NUM_ACTIONS)]
_NUMBERS = {text: action for action, text in enumerate(_TEXTS)}


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number; players have names if ``state`` is given."""
    parts = ACTIONS.decode(action)
    left = parts.get("left")
    # Actions have a name even if there is no such player.
    if state is None or left is None or left >= state["num_players"]:
        return _TEXTS[int(action)]
    seat = (int(state["to_play"]) + left) % int(state["num_players"])
    return f"{parts['kind']} player_{seat}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError."""
    words = text.strip().lower().split()
    if len(words) == 2:
        first, second = words
        if first in WORLDS:
            _check_number(text, second, VALUES)
        elif first in _TARGETED and second.startswith("+"):
            _check_number(text, second[1:], NUM_TARGETS)
        elif first in _TARGETED:
            words[1] = f"+{_left(text, second, state)}"
    number = _NUMBERS.get(" ".join(words))
    if number is None:
        raise ValueError(f"{text!r} is not an action; write {_FORMS}")
    return number


def _check_number(text: str, word: str, most: int) -> None:
    if word not in map(str, range(1, most + 1)):
        raise ValueError(f"{text!r} is not an action; its number must be 1 to {most}")


def _left(text: str, word: str, state: Any) -> int:
    """Return the distance of the player called ``word`` to the left of the seat to play."""
    seat = word.removeprefix("player_")
    if not word.startswith("player_") or not seat.isdecimal():
        raise ValueError(f"{text!r} is not an action; write the player as +1 or as player_1")
    if state is None:
        raise ValueError(f"who {word!r} is depends on who is to play: pass the state, or write +1")
    count = int(state["num_players"])
    left = (int(seat) - int(state["to_play"])) % count
    if int(seat) >= count or left == 0:
        raise ValueError(f"{text!r} is not an action; name another of the {count} players")
    return left
