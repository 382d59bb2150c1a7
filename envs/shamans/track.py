"""The Shadow track: the pawn's way, and the Portals that may stop it before the Moon."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .components import MAX_PLAYERS, PORTAL, SHADOW
from .state import MOON_PHASE, STAGE


@kernel
def ask(state, seat, phase):
    """Let ``seat`` decide."""
    state["to_play"] = seat
    state["phase"] = phase
    state["stage"] = STAGE.WAITING


@kernel
def is_out(state, seat):
    """Return whether a seat was eliminated (0 or 1)."""
    return np.int64(state["eliminated"]) >> seat & 1


@kernel
def has_tile(state, seat, kind):
    """Return whether a tile of a kind lies in front of a seat, face up or face down."""
    return state["shown"][seat, kind] > 0 or state["hidden"][seat, kind] > 0


@kernel
def spend_tile(state, seat, kind):
    """Discard a tile of a seat: one that lies face up before one that lies face down."""
    if state["shown"][seat, kind] > 0:
        state["shown"][seat, kind] -= 1
    else:
        state["hidden"][seat, kind] -= 1
    state["gone"][kind] += 1


@kernel
def go_back(state, squares):
    """Move the pawn back, at most to the first square of the track."""
    state["pawn"] = max(np.int64(state["pawn"]) - squares, 0)


@kernel
def start_advance(state, steps, mover, after):
    """Let the pawn go on, square by square; then comes the stage ``after``."""
    state["steps"] = steps
    state["mover"] = mover
    state["asked"] = 0
    state["after"] = after
    state["stage"] = STAGE.ADVANCING


@kernel
def advance(state):
    """Go on with the pawn (``start_advance``); before the Moon every holder of a Portal is asked.

    Reaching the Moon ends the round (the Shadows win).
    """
    while state["steps"] > 0:
        square = np.int64(state["pawn"]) + 1
        if square >= state["moon"]:
            if _ask_before_moon(state):
                return
            state["pawn"] = square
            state["steps"] = 0
            state["won"] = SHADOW
            state["stage"] = STAGE.ROUND_OVER
            return
        state["pawn"] = square
        state["steps"] -= 1
        state["asked"] = 0
    state["stage"] = state["after"]


@kernel
def _ask_before_moon(state):
    """Ask the next holder of a Portal, clockwise from the mover; return whether there is one."""
    while state["asked"] < state["num_players"]:
        seat = seat_after(state, state["mover"], np.int64(state["asked"]))
        # Passed over or asked: the record must not tell who was asked before.
        state["asked"] += 1
        if not is_out(state, seat) and has_tile(state, seat, PORTAL):
            ask(state, seat, MOON_PHASE)
            return True
    return False


@kernel
def reveal_role(state, seat):
    """Show everybody the role card in front of a seat."""
    state["seen"][state["role"][seat]] = (1 << MAX_PLAYERS) - 1
