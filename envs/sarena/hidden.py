"""What a seat of Sàrèná cannot know: the other pawns' colours, those that nobody drew included."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.rng import shuffle
from .components import NUM_COLOURS


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
