"""What a seat of Sàrèná cannot know: the other pawns' colours, including undrawn ones."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from ..core.schema import Field
from ..core.state import seat_after
from .components import MAX_PLAYERS, NUM_COLOURS

_OTHERS = MAX_PLAYERS - 1
_COLOUR = "secret colour of each other seat, from the next on: which after the one's own"
HIDDEN_FACTS = (Field("colours", (_OTHERS, NUM_COLOURS - 1), 0, 1, _COLOUR, "seat"),)


@kernel
def determinize(state, seat, seed):
    """Resample what ``seat`` cannot know: the other pawns' colours and future chance.

    All orders of the other pawns are equally likely. Once the game is over the players show their
    pawns, and only undrawn ones are resampled.
    """
    state["rng"] = seed
    state["seed"] = seed
    shown = np.int64(state["num_players"]) if state["terminated"] else 0
    unseen = (1 << NUM_COLOURS) - 1
    for place in range(NUM_COLOURS):
        if place == seat or place < shown:
            unseen &= ~(1 << np.int64(state["secret"][place]))
    for place in range(NUM_COLOURS):
        if place != seat and place >= shown:
            colour = select_bit(unseen, draw_below(state, count_bits(unseen)))
            unseen &= ~(1 << colour)
            state["secret"][place] = colour


@kernel
def hidden_facts(state, seat, out):
    """Fill the int8 vector ``out`` (``HIDDEN_FACTS``) with what ``seat`` can't know."""
    out[:] = 0
    own = np.int64(state["secret"][seat])
    for ahead in range(1, np.int64(state["num_players"])):
        colour = np.int64(state["secret"][seat_after(state, seat, ahead)])
        out[(NUM_COLOURS - 1) * (ahead - 1) + (colour - own & NUM_COLOURS - 1) - 1] = 1
