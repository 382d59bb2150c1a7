"""Notation of the actions of Sàrèná: ``a1-b1`` moves the stack on a1 to b1.

Columns are letters from the left, rows are numbers from the top.
"""

from __future__ import annotations

from typing import Any

from .components import COLS, FROM, NUM_ACTIONS, NUM_CIRCLES, ROWS, TO

_LETTERS = "abcdef"
_ACTIONS = {
    (int(start), int(end)): action for action, (start, end) in enumerate(zip(FROM, TO, strict=True))
}


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


def decode_action(action: int) -> dict[str, Any]:
    """Return ``{"from": circle, "to": circle}`` of an action number."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action {action!r} is outside 0 to {NUM_ACTIONS - 1}")
    return {"from": int(FROM[action]), "to": int(TO[action])}


def targets(action: int) -> tuple[tuple[str, int], ...]:
    """Return the circles that an action is about: from where, to where."""
    return ("top", int(FROM[action])), ("top", int(TO[action]))


def encode_action(parts: dict[str, Any]) -> int:
    """Return the action number of ``{"from": circle, "to": circle}``, or raise ValueError."""
    if set(parts) != {"from", "to"}:
        raise ValueError(f"an action of Sàrèná has the parts 'from' and 'to', not {sorted(parts)}")
    action = _ACTIONS.get((parts["from"], parts["to"]))
    if action is None:
        raise ValueError(
            f"no line joins circles {parts['from']!r} and {parts['to']!r}; moves go to a "
            f"neighbour in the same row or column, circles are 0 to {NUM_CIRCLES - 1}"
        )
    return action


def action_to_string(action: int, state: Any = None) -> str:
    """Return the notation of an action number, such as ``a1-b1``."""
    parts = decode_action(action)
    return f"{circle_to_string(parts['from'])}-{circle_to_string(parts['to'])}"


def action_from_string(text: str, state: Any = None) -> int:
    """Return the action number of a notation, or raise ValueError that says what is wrong."""
    start, dash, end = text.strip().partition("-")
    if not dash:
        raise ValueError(f"{text!r} is no move; write the two circles, such as a1-b1")
    return encode_action({"from": circle_from_string(start), "to": circle_from_string(end)})
