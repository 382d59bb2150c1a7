"""Validation: which records are valid positions of Sàrèná."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.validity import ANY, FINE, numbered
from .components import EMPTY, MAX_HEIGHT, MAX_PLAYERS, NUM_CIRCLES, NUM_COLOURS, NUM_DISCS
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
    return FIELD.height if discs > NUM_DISCS else _check_takeovers(state)


@kernel
def _check_takeovers(state):
    """Check that each seat has changed at most four discs in each of its turns."""
    num_players = np.int64(state["num_players"])
    turns = (np.int64(state["ply"]) + num_players - 1) // num_players
    for seat in range(MAX_PLAYERS):
        discs = 0
        for after in range(NUM_COLOURS):
            for colour in range(NUM_COLOURS):
                discs += np.int64(state["takeovers"][seat, after]) >> 8 * colour & 255
        if discs > (MAX_HEIGHT * turns if seat < num_players else 0):
            return FIELD.takeovers
    return FINE


@kernel
def derive(state):
    """Recompute the cached values."""
    index_record(state)
