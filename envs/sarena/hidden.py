"""What a seat of Sàrèná cannot know: the other pawns' colours, those that nobody drew included."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.rng import shuffle
from ..core.schema import Field
from ..core.state import seat_after
from .components import MAX_PLAYERS, NUM_COLOURS

_OTHERS = MAX_PLAYERS - 1
_COLOUR = "secret colour of each other seat, from the next on: which after the one's own"
HIDDEN_FACTS = (Field("colours", (_OTHERS, NUM_COLOURS - 1), 0, 1, _COLOUR, "seat"),)


@kernel
def determinize(state, seat, seed):
    """Redraw what ``seat`` cannot know: the other pawns' colours, and the chance to come.

    Every order of the other pawns is as likely as the next. Once the game is over the players show
    their pawns, and only those nobody drew are redrawn.
    """
    state["rng"] = seed
    state["seed"] = seed
    if state["terminated"]:
        first = np.int64(state["num_players"])
        shuffle(state, state["secret"][first:], NUM_COLOURS - first)
        return
    own = state["secret"][seat]
    state["secret"][seat] = state["secret"][NUM_COLOURS - 1]
    shuffle(state, state["secret"], NUM_COLOURS - 1)
    state["secret"][NUM_COLOURS - 1] = state["secret"][seat]
    state["secret"][seat] = own


@kernel
def hidden_facts(state, seat, out):
    """Fill the int8 vector ``out`` (``HIDDEN_FACTS``) with what ``seat`` can't know."""
    out[:] = 0
    own = np.int64(state["secret"][seat])
    for ahead in range(1, np.int64(state["num_players"])):
        colour = np.int64(state["secret"][seat_after(state, seat, ahead)])
        out[(NUM_COLOURS - 1) * (ahead - 1) + (colour - own & NUM_COLOURS - 1) - 1] = 1
