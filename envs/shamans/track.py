"""The Shadow track: the pawn's way to the Moon and back.

Before the Moon, Portals are offered (``portals.py``).
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import NOBODY, SHADOW
from .portals import ask_before_moon
from .state import STAGE


@kernel
def go_back(state, mover, squares):
    """Move the pawn back, at most to the first square of the track."""
    state["pawn"] = max(np.int64(state["pawn"]) - squares, 0)
    state["stirred"] = mover


@kernel
def start_advance(state, steps, mover, after):
    """Let the pawn advance, square by square, followed by the stage ``after``."""
    state["steps"] = steps
    state["mover"] = mover
    state["asked"] = 0
    state["after"] = after
    state["stage"] = STAGE.ADVANCING


@kernel
def advance(state):
    """Continue the pawn's advance (``start_advance``); before the Moon, Portals are offered.

    Reaching the Moon ends the round (the Shadows win).
    """
    while state["steps"] > 0:
        square = np.int64(state["pawn"]) + 1
        if square >= state["moon"]:
            if ask_before_moon(state):
                return
            state["pawn"] = square
            state["steps"] = 0
            state["mover"] = NOBODY
            state["won"] = SHADOW
            state["stage"] = STAGE.ROUND_OVER
            return
        state["pawn"] = square
        state["steps"] -= 1
        state["asked"] = 0
        state["stirred"] = state["mover"]
    if state["after"] != STAGE.OFFERING:
        state["mover"] = NOBODY
    state["stage"] = state["after"]
