"""What a seat sees of a game of Sàrèná, and what it cannot know.

Public: both faces of every disc and the order in every stack. Hidden: the other seats' secret
colours and the pawns nobody drew. Colours are numbered as the seat sees them: 0 is its own secret
colour, k the colour k after it in the order yellow, red, green, blue.
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.rng import shuffle
from ..core.schema import Field, total_size
from .components import ARROW_BITS, COLOURS, MAX_HEIGHT, NUM_CIRCLES, NUM_COLOURS, ROWS

_COLOUR_NAMES = ("own", "second", "third", "fourth")
_GRID = (ROWS, ROWS)
MAX_PLIES = 45
MAX_SEATS = 4

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
FLAT_SIZE = total_size(FLAT)
PLANES_SIZE = total_size(PLANES)

_UNDERSIDE = 4 * NUM_CIRCLES
_HEIGHT = 8 * NUM_CIRCLES
_FACES = 12 * NUM_CIRCLES
_SECRET = 16 * NUM_CIRCLES
_PLAYERS = _SECRET + 4
_TURN = _PLAYERS + 3
_PLY = _TURN + 4


@kernel
def _whose_turn(state, seat):
    """Return how many seats after ``seat`` the next to act sits."""
    ahead = np.int64(state["to_play"]) - seat
    return ahead if ahead >= 0 else ahead + np.int64(state["num_players"])


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
            out[k * NUM_CIRCLES + circle] = top == colour
            out[_UNDERSIDE + k * NUM_CIRCLES + circle] = underside == colour
            out[_HEIGHT + k * NUM_CIRCLES + circle] = height == k + 1
            out[_FACES + k * NUM_CIRCLES + circle] = state["faces"][colour, circle]
    out[_SECRET:] = 0
    out[_SECRET + own] = 1
    out[_PLAYERS + np.int64(state["num_players"]) - 2] = 1
    out[_TURN + _whose_turn(state, seat)] = 1
    out[_PLY] = state["ply"]


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with every disc that ``seat`` sees."""
    out[:] = 0
    own = np.int64(state["secret"][seat])
    players = np.int64(state["num_players"])
    ahead = _whose_turn(state, seat)
    for circle in range(NUM_CIRCLES):
        stack = np.int64(state["stack"][circle])
        for face in range(2 * np.int64(state["height"][circle])):
            colour = (stack >> 2 * face) - own & 3
            out[(4 * face + colour) * NUM_CIRCLES + circle] = 1
        out[32 * NUM_CIRCLES + circle] = (ARROW_BITS >> circle) & 1
        out[(33 + own) * NUM_CIRCLES + circle] = 1
        out[(35 + players) * NUM_CIRCLES + circle] = 1
        out[(40 + ahead) * NUM_CIRCLES + circle] = 1
        out[44 * NUM_CIRCLES + circle] = state["ply"]


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
