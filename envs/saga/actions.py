"""The actions of Saga: the game's page lists their numbers."""

from __future__ import annotations

from collections.abc import Mapping

from ..core.actions import ActionKind, ActionTable
from .components import COLOURS, KINGDOMS, MAX_FORCES, NUM_KNIGHTS, NUM_VALUES, RECRUITED, VALUES

# An action by its number or by its parts, None for no action.
LastAction = int | Mapping[str, object] | None
# Choices for a card, in the order of the observation's field of that name.
CHOICES = ("new force", "strengthen", "add to a defence", "face down", "take back", "turn up")


def _place(kind: str, choice: str, field: str, **part) -> ActionKind:
    chosen = ("choices", CHOICES.index(choice))
    return ActionKind(kind, about=lambda at: (chosen, (field, at)), **part)


def _knight(kind: str, field: str, *choice: tuple[str, int], first: int = 0) -> ActionKind:
    def about(colour: int, value: int):
        return ((field, first + colour * NUM_VALUES + value), *choice)

    return ActionKind(kind, about=about, colour=COLOURS, value=VALUES)


_FACE_DOWN = ("choices", CHOICES.index("face down"))
_FORCES = range(MAX_FORCES)
ACTIONS = ActionTable(
    ActionKind("new", about=lambda: (("choices", CHOICES.index("new force")),)),
    _place("strengthen", "strengthen", "own_forces", force=_FORCES),
    _place("add", "add to a defence", "kingdoms", kingdom=KINGDOMS),
    _place("down", "face down", "own_forces", force=_FORCES),
    _place("take", "take back", "own_forces", force=_FORCES),
    _place("take", "take back", "kingdoms", kingdom=KINGDOMS),
    _place("turn up", "turn up", "own_forces", force=_FORCES),
    ActionKind("pass"),
    _knight("recruit", "free"),
    # By the number of the card: those of the own pack, then recruited ones.
    _knight("card", "hand"),
    _knight(RECRUITED, "hand", first=NUM_KNIGHTS),
    _knight("hidden", "hand", _FACE_DOWN),
    _knight(f"hidden {RECRUITED}", "hand", _FACE_DOWN, first=NUM_KNIGHTS),
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
