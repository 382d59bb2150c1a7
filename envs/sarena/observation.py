"""What a seat observes of a game of Sàrèná.

Public: both faces of every disc and the order in every stack. Hidden: the other seats' secret
colours and the pawns nobody drew. Colours are numbered as the seat sees them: 0 is its own secret
colour, k the colour k after it in the order yellow, red, green, blue.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.schema import Field, offsets
from ..core.state import seats_ahead
from .components import ARROW_BITS, COLOURS, COLS, MAX_HEIGHT, NUM_CIRCLES, ROWS
from .state import MAX_PLIES

_GRID = (ROWS, COLS)

FLAT = (
    Field("top", (4, *_GRID), 0, 1, "colour on top of the stack, one plane a colour", "all"),
    Field("underside", (4, *_GRID), 0, 1, "colour it would show if turned over", "all"),
    Field("height", (4, *_GRID), 0, 1, "one plane each for 1, 2, 3 and 4 discs", "all"),
    Field("faces", (4, *_GRID), 0, 4, "discs of the stack with that colour on a face", "all"),
    Field("secret", (4,), 0, 1, "the seat's own secret colour: " + ", ".join(COLOURS), "seat"),
    Field("players", (3,), 0, 1, "2, 3 or 4 players", "all"),
    Field("turn", (4,), 0, 1, "whose turn, counted from the seat: itself, next, ...", "all"),
    Field("ply", (1,), 0, MAX_PLIES, "actions taken so far", "all"),
)
PLANES = (
    *(
        Field(
            f"disc_{level}_{side}",
            (4, *_GRID),
            0,
            1,
            f"colour {where} of disc {level} from the bottom, one plane a colour",
            "all",
        )
        for level in range(1, MAX_HEIGHT + 1)
        for side, where in (("below", "below"), ("above", "on top"))
    ),
    Field("arrows", (1, *_GRID), 0, 1, "circles with arrows", "all"),
    Field("secret", (4, *_GRID), 0, 1, "the seat's own secret colour, whole planes", "seat"),
    Field("players", (3, *_GRID), 0, 1, "2, 3 or 4 players, whole planes", "all"),
    Field("turn", (4, *_GRID), 0, 1, "whose turn, counted from the seat, whole planes", "all"),
    Field("ply", (1, *_GRID), 0, MAX_PLIES, "actions taken so far, a whole plane", "all"),
)
AT = offsets(FLAT)
PLANES_AT = offsets(PLANES)


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with what ``seat`` sees."""
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


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with every disc that ``seat`` sees."""
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
