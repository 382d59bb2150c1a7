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

# A one in the low bit of each of a stack's eight faces.
_EVERY_FACE = 0x5555

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
def _count_faces(stack, height, colour):
    """Count the faces of one colour in a stack, without a branch."""
    # A two-bit face equal to the colour becomes 00, then 01 in ``equal``; others become 00 there.
    different = stack ^ colour * _EVERY_FACE
    equal = ~(different | different >> 1) & _EVERY_FACE & (1 << 4 * height) - 1
    pairs = (equal & 0x1111) + (equal >> 2 & 0x1111)
    halves = (pairs + (pairs >> 4)) & 0x0F0F
    return (halves + (halves >> 8)) & 15


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with what ``seat`` sees.

    No branch depends on the board: mispredicted ones would cost more than all the arithmetic.
    """
    own = np.int32(state["secret"][seat])
    for circle in range(NUM_CIRCLES):
        height = np.int32(state["height"][circle])
        stack = np.int32(state["stack"][circle])
        occupied = height > 0
        top = (stack << 2 >> 4 * height) - own & 3
        underside = stack - own & 3
        for colour in range(4):
            out[colour * NUM_CIRCLES + circle] = occupied & (top == colour)
            out[_UNDERSIDE + colour * NUM_CIRCLES + circle] = occupied & (underside == colour)
            out[_HEIGHT + colour * NUM_CIRCLES + circle] = height == colour + 1
            out[_FACES + colour * NUM_CIRCLES + circle] = _count_faces(
                stack, height, own + colour & 3
            )
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
