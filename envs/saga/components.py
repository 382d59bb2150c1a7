"""The components of Saga as constant arrays.

``components.json`` contains facts from the rulebook or several reviews. ``reconstructed.json``
contains what hasn't been published and was reconstructed: the colours of each pack's cards, which
powers are on which side of a kingdom, and the layout of the first game. Use the options ``packs``
and ``kingdoms`` to play with other contents (``options.py``).

Colours and kingdoms have the same numbers: 0 red, Castleland; 1 green, Forestland; 2 blue, Sealand;
3 orange, Goldland; 4 violet, Shadowland; 5 yellow, Fieldland. A knight is its ``colour * 4 + value
- 1``, 0 to 23: two cards of the same colour and value are the same knight. Packs have different
backs. All free knights belong to the centre, so a seat's card has the back of its own pack or of a
recruited knight: its number is its knight's, plus 24 if it was recruited.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np


def _read(name: str) -> dict[str, Any]:
    return json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))


_BOX = _read("components.json")
RECONSTRUCTED = _read("reconstructed.json")

COLOURS = tuple(kingdom["colour"] for kingdom in _BOX["kingdoms"])
KINGDOMS = tuple(kingdom["name"] for kingdom in _BOX["kingdoms"])
NUM_COLOURS = NUM_KINGDOMS = len(COLOURS)
CASTLELAND, FORESTLAND, SEALAND, GOLDLAND, SHADOWLAND, FIELDLAND = range(NUM_KINGDOMS)
SIDES = ("crown", "reverse")
# Prefix of a knight with the back of a recruited one.
RECRUITED = "recruited"

PLAYER_COUNTS = (2, 3, 4)
MAX_PLAYERS = 4
NUM_PACKS = 5
PACK_SIZE = 12
VALUES = (1, 2, 3, 4)
PACK_VALUES = tuple(_BOX["pack_values"])
NUM_VALUES = len(VALUES)
NUM_KNIGHTS = NUM_COLOURS * NUM_VALUES
# Knights by their backs: those of a seat's own pack, then those recruited.
NUM_BACKS = 2
NUM_CARDS = NUM_BACKS * NUM_KNIGHTS

# Powers: one bit each in ``state["powers"]``, in the order of their kingdoms; when they work.
POWERS = tuple(power for kingdom in _BOX["kingdoms"] for power in kingdom["powers"])
POWERS_OF = tuple(tuple(kingdom["powers"]) for kingdom in _BOX["kingdoms"])
WHEN = dict(_BOX["powers"])
(
    STRONGER,
    FREE_RECRUIT,
    HAND_IS_FREE,
    TAKE_FAME,
    FACE_DOWN,
    BEST_FORCE,
    WEAKER,
    SCORES_NOTHING,
    ADD_ONCE,
    ADD_LAST,
    TAKE_BACK,
    PLUS_5,
    SCORES_15,
) = (1 << k for k in range(len(POWERS)))
FAME_TAKEN = 2
FIELDLAND_BONUS = 5
FIELDLAND_SCORE = 15

# A seat has only its pack and the knights it recruits from the centre, which limits its attack
# forces and face-down cards.
MAX_CARDS = 2 * PACK_SIZE
# No game comes near it; a position that was set up may, and its income is cut off there.
MAX_FAME = 32_000
MAX_FORCES = MAX_DOWN = MAX_CARDS

# Of each card, whatever its back.
COLOUR_OF = np.tile(np.repeat(np.arange(NUM_COLOURS), NUM_VALUES), NUM_BACKS)
VALUE_OF = np.tile(np.array(VALUES), NUM_BACKS * NUM_COLOURS)
# Cards of a set of colours (bits), and knights worth at most a number, as bits.
_BITS = 1 << np.arange(NUM_CARDS)
CARDS_OF = np.array(
    [_BITS[colours >> COLOUR_OF & 1 == 1].sum() for colours in range(1 << NUM_COLOURS)]
)
KNIGHTS_UPTO = np.array(
    [_BITS[:NUM_KNIGHTS][value >= VALUE_OF[:NUM_KNIGHTS]].sum() for value in range(NUM_VALUES + 1)]
)


def knight_number(colour: str, value: int) -> int:
    """Return the number of a knight, as 2 for red 3."""
    return COLOURS.index(colour) * NUM_VALUES + value - 1


def knight_name(card: int) -> str:
    """Return the name of a card, such as "red 3" or "recruited red 3"."""
    back = "" if card < NUM_KNIGHTS else f"{RECRUITED} "
    return f"{back}{COLOURS[COLOUR_OF[card]]} {VALUE_OF[card]}"


# Reconstructed: knights of each pack; lead and second of each kingdom in the first game; income and
# powers (bits) of each kingdom on its two sides.
PACKS = np.array(
    [[knight_number(*card) for card in pack["cards"]] for pack in RECONSTRUCTED["packs"]["cards"]]
)
FIRST_GAME = np.array(
    [
        [knight_number(*card) for card in RECONSTRUCTED["first_game"]["layout"][name]]
        for name in KINGDOMS
    ]
)
_KINGDOM_SIDES = RECONSTRUCTED["kingdoms"]["sides"]
INCOME = np.array([_KINGDOM_SIDES[name]["income"] for name in KINGDOMS])


def powers_as_bits(side: dict[str, Any]) -> int:
    """Return the powers of ``{"in_play": power or None, "end": power or None}`` as bits."""
    named = (side.get(slot) for slot in ("in_play", "end"))
    return sum(1 << POWERS.index(power) for power in named if power is not None)


SIDE_POWERS = np.array(
    [[powers_as_bits(_KINGDOM_SIDES[name][side]) for side in SIDES] for name in KINGDOMS]
)

assert len(PACKS) == NUM_PACKS and len(PACK_VALUES) == PACK_SIZE
