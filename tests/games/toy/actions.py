"""The nine actions: mark a square, numbered row by row."""

from ludotheque.envs.core.actions import ActionKind, ActionTable

from .components import SIDE

ACTIONS = ActionTable(
    ActionKind(
        "mark",
        row=range(SIDE),
        column=range(SIDE),
        about=lambda row, column: (("own", SIDE * row + column),),
    )
)
