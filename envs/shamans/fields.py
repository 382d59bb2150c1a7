"""The fields of the observation of Shamans, and where each begins."""

from __future__ import annotations

from ..core.schema import Field, slices
from .components import (
    FACE_UP,
    MAX_HAND,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    PLAYER_COUNTS,
    RITUALS,
    TILES,
    TILES_IN_BOX,
    VALUES,
)
from .state import PHASES

BYTE = 127  # numbers beyond are cut off
SEAT_SIZE = 12 + NUM_HELD
WORLD_SIZE = 2 * VALUES + 5 + len(RITUALS)
COUNTS_OF_VALUE = 4
TABLE_SIZE = NUM_TILES + 4
NUMBERS = 5

_HELD = ", ".join(TILES[:NUM_HELD])
_WORLD = (
    "each world: own cards by value (those set aside, if out); is the Destination, and the seat is "
    "a Shadow; what all know: cards there by value, is the Destination, its ritual is to be done, "
    f"is being done, a card is on its way there; ritual: {', '.join(RITUALS)}"
)
_VALUE = (
    "each value, while there is a Destination: its cards in front of players that are lower, "
    "higher; those that the seat sees nowhere: lower, higher"
)
_SEAT = (
    "each seat: is there, is to play (if everybody may know), is Guide, has the First player "
    "marker, is eliminated, has played a card, does a ritual, is being eliminated, cards in hand "
    "(set aside, if eliminated), value of its card in front (0 none), camp known to all "
    f"(1 Shaman, 2 Shadow), artefacts face down, face up: {_HELD}"
)
_PHASE = (
    f"phase ({', '.join(PHASES).lower()}; none while a seat is asked unseen), "
    f"{PLAYER_COUNTS[0]} to {PLAYER_COUNTS[-1]} players, single round"
)
_TABLE = (
    f"artefacts that left the round where all could see it: {', '.join(TILES)}; tiles in the pile; "
    "the Eclipse is in the pile, has come up with its arrow to the left, to the right"
)
_NUMBERS = (
    "round, square of the pawn, steps to the Moon, steps that the pawn is about to go, cards "
    "passed by the Eclipse"
)

# Worlds, values, seats and places of the display are what actions are about
# (``notation.targets``): a row each. Numbers that may be large stand apart from those. That a
# Shadow sees the Destination as one is said outright: without it, policies trained on matches
# followed as Shadows, too (README, Strength).
FLAT = (
    Field("worlds", (NUM_WORLDS, WORLD_SIZE), 0, 1, _WORLD, "seat"),
    Field("values", (VALUES, COUNTS_OF_VALUE), 0, VALUES, _VALUE, "seat"),
    Field(
        "passed",
        (NUM_CARDS,),
        0,
        2,
        "cards of the Eclipse that only two seats know: 1 given by the seat, 2 given to it",
        "seat",
    ),
    Field(
        "roles",
        (MAX_PLAYERS, 2),
        0,
        1,
        "role in front of each seat, if the seat has seen it: Shaman, Shadow",
        "seat",
    ),
    Field(
        "passed_by",
        (MAX_PLAYERS, 2),
        0,
        1,
        "each seat: holds the card given by the seat; gave it the card it still holds",
        "seat",
    ),
    Field("face_down", (NUM_HELD,), 0, 5, f"own artefacts face down: {_HELD}", "seat"),
    Field("top", (NUM_HELD,), 0, 1, f"artefact of the pile to be kept: {_HELD}", "seat"),
    Field("seats", (MAX_PLAYERS, SEAT_SIZE), 0, MAX_HAND, _SEAT, "all"),
    Field(
        "witnesses",
        (MAX_PLAYERS, MAX_PLAYERS),
        0,
        1,
        "who has seen the role card in front of each seat, one row a card",
        "all",
    ),
    Field(
        "display",
        (FACE_UP, NUM_TILES + 1),
        0,
        1,
        f"artefacts face up: none, {', '.join(TILES)}",
        "all",
    ),
    Field("table", (TABLE_SIZE,), 0, int(TILES_IN_BOX.sum()), _TABLE, "all"),
    Field("phase", (len(PHASES) + len(PLAYER_COUNTS) + 1,), 0, 1, _PHASE, "all"),
    Field("card", (VALUES,), 0, 1, "value of the card on its way to its world", "all"),
    Field("points", (MAX_PLAYERS,), 0, BYTE, f"points of each seat (at most {BYTE})", "all"),
    Field("numbers", (NUMBERS,), 0, BYTE, _NUMBERS, "all"),
)
PLANES: tuple[Field, ...] = ()
AT = {name: part.start for name, part in slices(FLAT).items()}

assert max(VALUES, int(TILES_IN_BOX.max())) <= MAX_HAND <= BYTE
