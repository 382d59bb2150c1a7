"""Finding the habitats of cards on a board, for all hexes and rotations at once.

A board is thirteen sets of hexes, one per kind. A habitat in one rotation is then a few tests on
whole sets: those of its other hexes, shifted onto the hex that gets the cube.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import (
    HABITAT_FITS,
    HABITAT_KIND,
    HABITAT_SHIFT,
    HABITAT_SIZE,
    KIND,
    NUM_ROTATIONS,
    SHAPE_OF_CARD,
)

# Sets are shifted up by this much first, so that every shift that follows goes down.
ROOM = int(np.abs(HABITAT_SHIFT).max())
HABITAT_DOWN = HABITAT_SHIFT + ROOM
_EVERYWHERE = -1


@kernel
def find_habitat(state, seat, card):
    """Return the hexes of ``seat`` where ``card`` (not 0) has its habitat, as bits.

    The kinds must match exactly, in one of six rotations (Poser 1 cube Animal). Hexes that already
    have a cube are included.
    """
    side = np.int64(state["side"])
    shape = np.int64(SHAPE_OF_CARD[card])
    size = np.int64(HABITAT_SIZE[card])
    kinds = state["hexes"][seat]
    one = np.int64(kinds[HABITAT_KIND[card, 1]]) << ROOM
    # Parts that the habitat doesn't have match everywhere, so no branch depends on the card.
    two = np.int64(kinds[HABITAT_KIND[card, 2]]) << ROOM if size > 2 else _EVERYWHERE
    three = np.int64(kinds[HABITAT_KIND[card, 3]]) << ROOM if size > 3 else _EVERYWHERE
    found = 0
    for turns in range(NUM_ROTATIONS):
        down = HABITAT_DOWN[side, shape, turns]
        others = one >> down[0] & two >> down[1] & three >> down[2]
        found |= others & HABITAT_FITS[side, shape, turns]
    return found & np.int64(kinds[HABITAT_KIND[card, 0]])


assert KIND.empty == 0, "HABITAT_KIND is KIND.empty where a habitat has no more hexes"
