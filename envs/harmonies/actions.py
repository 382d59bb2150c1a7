"""The 266 actions of Harmonies: their numbers, their parts, and their targets.

Discarding a card has it as both targets, which distinguishes it from taking one.
"""

from __future__ import annotations

from ..core.actions import ActionKind, ActionTable
from .components import (
    COLOURS,
    HAND_LIMIT,
    MAX_DISPLAY,
    MAX_HEXES,
    MAX_SPACES,
    SOLO_DISPLAY,
    SPIRITS_DEALT,
)

ACTIONS = ActionTable(
    # 0-4: take the three tokens of a space of the central board.
    ActionKind("take", space=range(MAX_SPACES), about=lambda space: (("central", space),)),
    # 5-9: take an animal card of the display.
    ActionKind("card", place=range(MAX_DISPLAY), about=lambda place: (("display", place),)),
    # 10: end the turn; in the solo game after it, discard no card.
    ActionKind("end"),
    # 11-12: keep one of the two spirit cards.
    ActionKind("spirit", choice=range(SPIRITS_DEALT), about=lambda choice: (("dealt", choice),)),
    # 13-15: solo, discard a card of the display.
    ActionKind("discard", place=range(SOLO_DISPLAY), about=lambda place: (("display", place),) * 2),
    # 16-165: place a token of the hand.
    ActionKind(
        "place",
        colour=COLOURS,
        hex=range(MAX_HEXES),
        about=lambda colour, hex_: (("hexes", hex_), ("hand", colour)),
    ),
    # 166-265: settle a cube from the card in a slot.
    ActionKind(
        "settle",
        slot=range(HAND_LIMIT),
        hex=range(MAX_HEXES),
        about=lambda slot, hex_: (("hexes", hex_), ("slots", slot)),
    ),
)
NUM_ACTIONS = len(ACTIONS)
TAKE = ACTIONS.first("take")
CARD = ACTIONS.first("card")
END = ACTIONS.first("end")
SPIRIT = ACTIONS.first("spirit")
DISCARD = ACTIONS.first("discard")
PLACE = ACTIONS.first("place")
SETTLE = ACTIONS.first("settle")
