"""The value of a position for a seat that knows only its own colour; for the greedy agent."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import NUM_CIRCLES, NUM_COLOURS

# The weight of a disc, in halves, in a stack that can neither move nor be covered; else one less.
FIRM = 2


@kernel
def evaluate(state, seat, memo):
    """Value the position for ``seat``: own discs minus the mean of the three other colours.

    A stack that can neither move nor be covered counts in full, any other by half. The other seats'
    colours are secret, so all colours but the seat's own are treated alike. Returns whole numbers
    (sixths of a disc, as a float), so that equal positions have exactly equal values.
    """
    movable = state["moves"][0] | state["moves"][1] | state["moves"][2] | state["moves"][3]
    targets = (
        state["moves"][0] << 1
        | state["moves"][1] << 6
        | state["moves"][2] >> 1
        | state["moves"][3] >> 6
    )
    loose = movable | targets
    own = np.int64(state["secret"][seat])
    value = 0
    for circle in range(NUM_CIRCLES):
        halves = FIRM - ((loose >> circle) & 1)
        thirds = NUM_COLOURS - 1 if state["top"][circle] == own else -1
        value += halves * thirds * np.int64(state["height"][circle])
    return np.float64(value)
