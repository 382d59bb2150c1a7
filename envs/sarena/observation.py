"""What a seat observes of a game of Sàrèná.

Public: both faces of every disc, the order in every stack, and the effect of each seat's moves on
the colours on top. Hidden: the other seats' secret colours until the game is over, and undrawn
pawns. Colours are numbered relative to the seat: 0 is its own secret colour, k the colour k after
it in the order yellow, red, green, blue.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.schema import Field, offsets
from ..core.state import seat_after, seats_ahead
from .components import (
    ARROW_BITS,
    COLOURS,
    COLS,
    MAX_HEIGHT,
    MAX_PLAYERS,
    NUM_CIRCLES,
    ROWS,
)
from .state import MAX_PLIES

_GRID = (ROWS, COLS)
# Maximum number of discs changed by a seat's moves: 23 moves in a game for two, four discs each.
_MOST_DISCS = 4 * -(-MAX_PLIES // 2)
_TAKEOVERS = (
    "effect of each seat's moves, from the observing seat on: number of discs whose top colour "
    "changed, by how far the old colour comes after the new one, by the new colour"
)
_PAWNS = "secret colours of the seats, from the observing seat on, once the game is over"

FLAT = (
    Field("top", (4, *_GRID), 0, 1, "colour on top of the stack, one plane per colour", "all"),
    Field("underside", (4, *_GRID), 0, 1, "colour it would show if turned over", "all"),
    Field("height", (4, *_GRID), 0, 1, "one plane each for 1, 2, 3 and 4 discs", "all"),
    Field("faces", (4, *_GRID), 0, 4, "discs in the stack with that colour on either face", "all"),
    Field("secret", (4,), 0, 1, "the seat's own secret colour: " + ", ".join(COLOURS), "seat"),
    Field("players", (3,), 0, 1, "2, 3 or 4 players", "all"),
    Field(
        "turn",
        (4,),
        0,
        1,
        "seat to play, counted from the observing seat: itself, next, ...",
        "all",
    ),
    Field("ply", (1,), 0, MAX_PLIES, "number of actions taken so far", "all"),
    Field("takeovers", (MAX_PLAYERS, 4, 4), 0, _MOST_DISCS, _TAKEOVERS, "all"),
    Field("pawns", (MAX_PLAYERS, 4), 0, 1, _PAWNS, "all"),
)
PLANES = (
    *(
        Field(
            f"disc_{level}_{side}",
            (4, *_GRID),
            0,
            1,
            f"colour of the {where} face of disc {level} from the bottom, one plane per colour",
            "all",
        )
        for level in range(1, MAX_HEIGHT + 1)
        for side, where in (("below", "lower"), ("above", "upper"))
    ),
    Field("arrows", (1, *_GRID), 0, 1, "circles with arrows", "all"),
    Field("secret", (4, *_GRID), 0, 1, "the seat's own secret colour, constant planes", "seat"),
    Field("players", (3, *_GRID), 0, 1, "2, 3 or 4 players, constant planes", "all"),
    Field(
        "turn",
        (4, *_GRID),
        0,
        1,
        "seat to play, counted from the observing seat, constant planes",
        "all",
    ),
    Field(
        "ply", (1, *_GRID), 0, MAX_PLIES, "number of actions taken so far, a constant plane", "all"
    ),
    Field(
        "takeovers",
        (MAX_PLAYERS, *_GRID),
        0,
        _MOST_DISCS,
        "one plane per seat: `takeovers` and, from 16, `pawns` of the flat observation, then 0",
        "all",
    ),
)
AT = offsets(FLAT)
PLANES_AT = offsets(PLANES)


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with the observation of ``seat``."""
    own = np.int64(state["secret"][seat])
    for circle in range(NUM_CIRCLES):
        top = state["top"][circle]
        underside = state["underside"][circle]
        height = state["height"][circle]
        for k in range(4):
            colour = (own + k) & 3
            out[AT.top + k * NUM_CIRCLES + circle] = top == colour
            out[AT.underside + k * NUM_CIRCLES + circle] = underside == colour
            out[AT.height + k * NUM_CIRCLES + circle] = height == k + 1
            out[AT.faces + k * NUM_CIRCLES + circle] = state["faces"][colour, circle]
    out[AT.secret :] = 0
    out[AT.secret + own] = 1
    out[AT.players + np.int64(state["num_players"]) - 2] = 1
    out[AT.turn + seats_ahead(state, seat, state["to_play"])] = 1
    out[AT.ply] = state["ply"]
    for ahead in range(np.int64(state["num_players"])):
        other = seat_after(state, seat, ahead)
        _write_takeovers(state, other, own, out, AT.takeovers + 16 * ahead)
    if state["terminated"]:
        _write_pawns(state, seat, out, AT.pawns, 4)


@kernel
def _write_pawns(state, seat, out, at, stride):
    """Write every seat's secret colour, shown at the end (Fin du jeu)."""
    own = np.int64(state["secret"][seat])
    for ahead in range(np.int64(state["num_players"])):
        colour = np.int64(state["secret"][seat_after(state, seat, ahead)])
        out[at + stride * ahead + (colour - own & 3)] = 1


@kernel
def _write_takeovers(state, seat, own, out, at):
    """Write the effect of one seat's moves, with colours relative to ``own``.

    The masks rule out negative indices, so four numbers are written at once, in a quarter of the
    time.
    """
    right = np.uint32(8 * own)
    left = np.uint32(32 - 8 * own & 31)
    for after in range(4):
        discs = state["takeovers"][seat & 3, after]
        discs = (discs >> right) | (discs << left)
        there = (at & 0xFFFF) + 4 * after
        out[there] = discs & 255
        out[there + 1] = discs >> np.uint32(8) & 255
        out[there + 2] = discs >> np.uint32(16) & 255
        out[there + 3] = discs >> np.uint32(24)


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with the observation of ``seat``."""
    out[:] = 0
    own = np.int64(state["secret"][seat])
    players = np.int64(state["num_players"])
    ahead = seats_ahead(state, seat, state["to_play"])
    for circle in range(NUM_CIRCLES):
        stack = np.int64(state["stack"][circle])
        for face in range(2 * np.int64(state["height"][circle])):
            colour = (stack >> 2 * face) - own & 3
            out[(4 * face + colour) * NUM_CIRCLES + circle] = 1
        out[PLANES_AT.arrows + circle] = (ARROW_BITS >> circle) & 1
        out[PLANES_AT.secret + own * NUM_CIRCLES + circle] = 1
        out[PLANES_AT.players + (players - 2) * NUM_CIRCLES + circle] = 1
        out[PLANES_AT.turn + ahead * NUM_CIRCLES + circle] = 1
        out[PLANES_AT.ply + circle] = state["ply"]
    for ahead in range(players):
        other = seat_after(state, seat, ahead)
        _write_takeovers(state, other, own, out, PLANES_AT.takeovers + NUM_CIRCLES * ahead)
    if state["terminated"]:
        _write_pawns(state, seat, out, PLANES_AT.takeovers + 16, NUM_CIRCLES)
