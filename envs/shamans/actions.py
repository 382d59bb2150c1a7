"""The actions of Shamans in the order of their numbers; README.md says what each one means.

Players are counted to the left of the one who acts.
"""

from __future__ import annotations

from ..core.actions import ActionKind, ActionTable
from .components import FACE_UP, MAX_PLAYERS, NUM_CARDS, VALUES, WORLDS

NUM_TARGETS = MAX_PLAYERS - 1
# Distance of a player to the left, in seats.
_LEFT = range(1, MAX_PLAYERS)


def _about_seat(*fields: str):
    return lambda at: tuple((field, at + 1) for field in fields)


ACTIONS = ActionTable(
    ActionKind(
        "card",
        world=WORLDS,
        value=range(1, VALUES + 1),
        about=lambda world, value: (("values", value), ("worlds", world)),
    ),
    ActionKind("portal", direction=("back", "on")),
    ActionKind("pass"),
    ActionKind("take", place=range(FACE_UP), about=lambda place: (("display", place),)),
    ActionKind("take", place=("top",)),
    ActionKind("keep", face_up=(True, False)),
    ActionKind("retreat"),
    # The order of the targets distinguishes the actions on one player.
    ActionKind("swap", left=_LEFT, about=_about_seat("roles", "seats")),
    ActionKind("eliminate", left=_LEFT, about=_about_seat("seats", "roles")),
    ActionKind("guide", left=_LEFT, about=_about_seat("seats")),
    ActionKind("ritual", world=WORLDS, about=lambda world: (("worlds", world),)),
)
NUM_ACTIONS = len(ACTIONS)
BACK = ACTIONS.first("portal")
ON = BACK + 1
PASS = ACTIONS.first("pass")
TAKE = ACTIONS.first("take")
TAKE_TOP = TAKE + FACE_UP
SHOW = ACTIONS.first("keep")
HIDE = SHOW + 1
RETREAT = ACTIONS.first("retreat")
SWAP = ACTIONS.first("swap")
ELIMINATE = ACTIONS.first("eliminate")
NAME_GUIDE = ACTIONS.first("guide")
FIRST_RITUAL = ACTIONS.first("ritual")

assert BACK == NUM_CARDS, "cards come first: legal cards are a set of bits"
