"""The 424 actions of Sagani: their numbers, their parts, and their targets."""

from __future__ import annotations

from ..core.actions import ActionKind, ActionTable
from .components import DIRECTIONS, DISPLAY_SIZE, INTERLUDE_SIZE, NUM_ROTATIONS, WINDOW

ACTIONS = ActionTable(
    # 0-4: take the tile on a space of the display.
    ActionKind("take", space=range(DISPLAY_SIZE), about=lambda space: (("display", space),)),
    # 5: put the last tile of the display on an interlude space, turn over the top of the pile.
    ActionKind("aside"),
    # 6-9: interlude, take the tile on a space.
    ActionKind("choose", space=range(INTERLUDE_SIZE), about=lambda space: (("interlude", space),)),
    # 10: interlude, take none.
    ActionKind("pass"),
    # 11-14: turn the tile in hand clockwise and place it.
    ActionKind("turn", quarter_turns=range(NUM_ROTATIONS), about=lambda turns: (("turns", turns),)),
    # 15-22: cover the arrow in a direction (``alignments="choice"``).
    ActionKind("cover", direction=DIRECTIONS),
    # 23: leave the other discs where they are (``alignments="choice"``).
    ActionKind("done"),
    # 24-423: cell of the window: where the tile in hand goes, or whose discs are moved.
    ActionKind(
        "cell",
        row=range(WINDOW),
        column=range(WINDOW),
        about=lambda row, column: (("demand", row * WINDOW + column),),
    ),
)
NUM_ACTIONS = len(ACTIONS)
TAKE = ACTIONS.first("take")
SET_ASIDE = ACTIONS.first("aside")
CHOOSE = ACTIONS.first("choose")
PASS = ACTIONS.first("pass")
TURN = ACTIONS.first("turn")
COVER = ACTIONS.first("cover")
DONE = ACTIONS.first("done")
CELL = ACTIONS.first("cell")
