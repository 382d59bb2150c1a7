"""The state of a game of Sàrèná, one record a game."""

from __future__ import annotations

import numpy as np

from ..core.state import game_dtype
from .components import MAX_HEIGHT, MAX_PLAYERS, NUM_CIRCLES, NUM_COLOURS

# At most 27 moves merge two stacks, and at most 18 empty a plain circle for good (the page).
MAX_PLIES = 45

# secret:    colour of each seat's secret pawn; from num_players on, the pawns nobody drew
# height:    discs on each circle, 0..4
# stack:     the discs of each circle, four bits each, lowest disc in the lowest bits; in a disc,
#            the low two bits are the colour below, the high two the colour on top
# takeovers: the effect of each seat's moves on the colours on top, the only clue to its pawn: the
#            number of discs in which one colour replaced another, by covering or turning a stack.
#            One word per distance from the new colour to the old one (0 if a colour was covered by
#            the same one); in a word, one byte per new colour
#
# The following are derived from these, and updated by every move for speed:
# top:       colour on top of each circle's stack, EMPTY (-1) if there is none
# underside: colour the stack would show if turned over, EMPTY if there is none
# faces:     discs of each circle's stack with each colour on a face
# by_height: circles that hold 0, 1, 2, 3 and 4 discs, as sets of bits
# moves:     circles whose stack may move east, south, west, north, as sets of bits
DTYPE = game_dtype(
    [
        ("secret", np.int8, (NUM_COLOURS,)),
        ("height", np.uint8, (NUM_CIRCLES,)),
        ("stack", np.uint16, (NUM_CIRCLES,)),
        ("takeovers", np.uint32, (MAX_PLAYERS, NUM_COLOURS)),
        ("top", np.int8, (NUM_CIRCLES,)),
        ("underside", np.int8, (NUM_CIRCLES,)),
        ("faces", np.int8, (NUM_COLOURS, NUM_CIRCLES)),
        ("by_height", np.int64, (MAX_HEIGHT + 1,)),
        ("moves", np.int64, (4,)),
    ]
)

Stack = list[tuple[int, int]]


def stacks_of(state: np.void) -> list[Stack]:
    """Return the 36 stacks of one record as lists of (bottom face, top face), lowest disc first."""
    stacks = []
    for word, height in zip(state["stack"].tolist(), state["height"].tolist(), strict=True):
        discs = [(word >> 4 * level) & 15 for level in range(height)]
        stacks.append([(disc & 3, disc >> 2) for disc in discs])
    return stacks
