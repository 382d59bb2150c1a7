"""Portals: who may hold one, and when they are offered (Portail).

Using a Portal now instead of later makes a difference if it would be lost with its owner's
elimination, if the pawn is about to enter the Moon, or if Portals alone might move it there before
something else happens. At these moments Portals are offered to one player after the other; at any
other, waiting costs nothing. Who is asked follows from public information only, so it reveals
nothing about face-down tiles.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .components import FACE_UP, NOBODY, NUM_HELD, PORTAL, TILES_IN_BOX
from .players import ask, is_out
from .state import LAST_PHASE, MOON_PHASE, PORTAL_PHASE, STAGE


@kernel
def has_tile(state, seat, kind):
    """Return whether a tile of a kind lies in front of a seat, face up or face down."""
    return state["shown"][seat, kind] > 0 or state["hidden"][seat, kind] > 0


@kernel
def spend_tile(state, seat, kind):
    """Discard a seat's tile, a face-up one if possible."""
    if state["shown"][seat, kind] > 0:
        state["shown"][seat, kind] -= 1
    else:
        state["hidden"][seat, kind] -= 1
    state["gone"][kind] += 1


# Possible holdings, by public information


@kernel
def count_unseen(state, kind):
    """Return the number of hidden tiles of a kind: in the pile, or face down in front of a seat."""
    count = TILES_IN_BOX[kind] - np.int64(state["gone"][kind])
    for place in range(FACE_UP):
        count -= state["display"][place] == kind
    for seat in range(np.int64(state["num_players"])):
        count -= np.int64(state["shown"][seat, kind])
    return count


@kernel
def count_face_down(state, seat):
    """Return the number of face-down tiles in front of a seat that is in the round."""
    count = np.int64(0)
    if not is_out(state, seat):
        for kind in range(NUM_HELD):
            count += np.int64(state["hidden"][seat, kind])
    return count


@kernel
def may_hold(state, seat, kind):
    """Return whether a seat may have a tile of a kind, by public information."""
    if state["shown"][seat, kind] > 0:
        return True
    return count_face_down(state, seat) > 0 and count_unseen(state, kind) > 0


@kernel
def is_asked_about(state, seat, kind):
    """Return whether a seat is asked about a tile: if it may hold one, or does (option)."""
    if state["holders_only"]:
        return not is_out(state, seat) and has_tile(state, seat, kind)
    return may_hold(state, seat, kind)


@kernel
def moon_in_reach(state):
    """Return whether Portals alone may move the pawn to the Moon, by public information."""
    squares = np.int64(state["moon"]) - np.int64(state["pawn"])
    if squares > TILES_IN_BOX[PORTAL]:
        return False
    shown = np.int64(0)
    face_down = np.int64(0)
    for seat in range(np.int64(state["num_players"])):
        shown += np.int64(state["shown"][seat, PORTAL])
        face_down += count_face_down(state, seat)
    return squares <= shown + min(face_down, count_unseen(state, PORTAL))


# Offering them


@kernel
def offer_before(state, actor, stage):
    """Offer Portals clockwise from ``actor``; then comes ``stage``."""
    state["mover"] = actor
    state["asked"] = 0
    state["resume"] = stage
    state["stage"] = STAGE.OFFERING


@kernel
def offer_after(state, stage):
    """Offer them if the pawn has moved or a ritual was done; return whether that comes first."""
    actor = np.int64(state["stirred"])
    state["stirred"] = NOBODY
    if actor == NOBODY or not moon_in_reach(state):
        return False
    offer_before(state, actor, stage)
    return True


@kernel
def offer_portals(state):
    """Ask the next seat that may hold a Portal, or continue."""
    while state["asked"] < state["num_players"]:
        seat = seat_after(state, state["mover"], np.int64(state["asked"]))
        # Skipped or asked: the record must not reveal who was asked before.
        state["asked"] += 1
        if _is_offered(state, seat):
            ask(state, seat, LAST_PHASE if state["resume"] == STAGE.FALLING else PORTAL_PHASE)
            return
    state["mover"] = NOBODY
    state["asked"] = 0
    state["stirred"] = NOBODY
    state["stage"] = state["resume"]


@kernel
def _is_offered(state, seat):
    """Return whether a Portal can matter now and the seat may hold one."""
    resume = state["resume"]
    if resume == STAGE.CARD_TURN and state["turn"] == seat:
        # It can use them in its turn, which comes next.
        return False
    target = resume == STAGE.FALLING and state["target"] == seat
    return (target or moon_in_reach(state)) and is_asked_about(state, seat, PORTAL)


@kernel
def ask_before_moon(state):
    """Ask the next seat clockwise from the mover that may hold a Portal; return if there is one."""
    while state["asked"] < state["num_players"]:
        seat = seat_after(state, state["mover"], np.int64(state["asked"]))
        state["asked"] += 1
        if is_asked_about(state, seat, PORTAL):
            ask(state, seat, MOON_PHASE)
            return True
    return False
