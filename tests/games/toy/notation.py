"""Squares are written a1 (top left) to c3."""

from .actions import ACTIONS


def action_to_string(action, state=None):
    square = ACTIONS.decode(action)
    return f"{'abc'[square['column']]}{square['row'] + 1}"


def action_from_string(text, state=None):
    names = [action_to_string(action) for action in range(len(ACTIONS))]
    if text.strip().lower() not in names:
        raise ValueError(f"{text!r} is no square; squares are {', '.join(names)}")
    return names.index(text.strip().lower())
