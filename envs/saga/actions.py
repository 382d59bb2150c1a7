"""The actions of Saga.

0        begin a new attack force
1-24     strengthen that attack force
25-30    add to the defence of that kingdom
31-54    add a card face down to that attack force
55-78    take a card of that attack force back
79-84    take a card of that kingdom's defence back
85-108   turn a face-down card of that attack force up
109      pass: end the turn, recruit nobody for free, add no last card
110-133  recruit that knight
134-157  that knight: the card that is played, taken back or turned up
158-181  that knight, which the other players don't see
"""

from __future__ import annotations

from ..core.actions import ActionKind, ActionTable
from .components import COLOURS, KINGDOMS, MAX_FORCES, NUM_VALUES, VALUES

# What a card can be chosen for, in the order of the observation's field of that name.
CHOICES = ("new force", "strengthen", "add to a defence", "face down", "take back", "turn up")
NEW_CHOICE, STRENGTHEN_CHOICE, ADD_CHOICE, DOWN_CHOICE, TAKE_CHOICE, TURN_UP_CHOICE = range(
    len(CHOICES)
)


def _place(kind: str, choice: int, field: str, **part) -> ActionKind:
    return ActionKind(kind, about=lambda at: (("choices", choice), (field, at)), **part)


def _knight(kind: str, field: str, *choice: tuple[str, int]) -> ActionKind:
    def about(colour: int, value: int):
        return ((field, colour * NUM_VALUES + value), *choice)

    return ActionKind(kind, about=about, colour=COLOURS, value=VALUES)


_FORCES = range(MAX_FORCES)
ACTIONS = ActionTable(
    ActionKind("new", about=lambda: (("choices", NEW_CHOICE),)),
    _place("strengthen", STRENGTHEN_CHOICE, "own_forces", force=_FORCES),
    _place("add", ADD_CHOICE, "kingdoms", kingdom=KINGDOMS),
    _place("down", DOWN_CHOICE, "own_forces", force=_FORCES),
    _place("take", TAKE_CHOICE, "own_forces", force=_FORCES),
    _place("take", TAKE_CHOICE, "kingdoms", kingdom=KINGDOMS),
    _place("turn up", TURN_UP_CHOICE, "own_forces", force=_FORCES),
    ActionKind("pass"),
    _knight("recruit", "free"),
    _knight("card", "hand"),
    _knight("hidden", "hand", ("choices", DOWN_CHOICE)),
)
NUM_ACTIONS = len(ACTIONS)
NEW = ACTIONS.first("new")
STRENGTHEN = ACTIONS.first("strengthen")
ADD = ACTIONS.first("add")
DOWN = ACTIONS.first("down")
TAKE_FORCE = ACTIONS.first("take", "force")
TAKE_DEFENCE = ACTIONS.first("take", "kingdom")
TURN_UP = ACTIONS.first("turn up")
PASS = ACTIONS.first("pass")
RECRUIT = ACTIONS.first("recruit")
CARD = ACTIONS.first("card")
HIDDEN = ACTIONS.first("hidden")
