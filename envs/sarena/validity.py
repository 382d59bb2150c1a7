"""Validation: which records are valid positions of Sàrèná."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.validity import ANY, FINE, numbered
from .components import EMPTY, MAX_HEIGHT, NUM_CIRCLES, NUM_COLOURS, NUM_DISCS
from .rules import index_record
from .state import DTYPE

FIELD = numbered(DTYPE)
_EVERY_CIRCLE = (1 << NUM_CIRCLES) - 1
LIMITS = {
    "phase": (0, 0),
    "secret": (0, NUM_COLOURS - 1),
    "height": (0, MAX_HEIGHT),
    "stack": ANY,
    "takeovers": ANY,
    "top": (EMPTY, NUM_COLOURS - 1),
    "underside": (EMPTY, NUM_COLOURS - 1),
    "faces": (0, MAX_HEIGHT),
    "by_height": (0, _EVERY_CIRCLE),
    "moves": (0, _EVERY_CIRCLE),
}


@kernel
def check(state):
    """Return the number of an impossible field, or FINE."""
    pawns = 0
    for k in range(NUM_COLOURS):
        pawns |= 1 << np.int64(state["secret"][k])
    if pawns != (1 << NUM_COLOURS) - 1:
        return FIELD.secret
    discs = 0
    for circle in range(NUM_CIRCLES):
        height = np.int64(state["height"][circle])
        discs += height
        if np.int64(state["stack"][circle]) >> 4 * height:
            return FIELD.stack
    return FIELD.height if discs > NUM_DISCS else FINE


@kernel
def derive(state):
    """Recompute the cached values."""
    index_record(state)
