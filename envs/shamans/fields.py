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
SEAT_SIZE = 13 + NUM_HELD
GAME_SIZE = len(PHASES) + len(PLAYER_COUNTS) + 7
TABLE_SIZE = NUM_TILES + 4

_HELD = ", ".join(TILES[:NUM_HELD])
_SEAT = (
    "each seat: is there, is to play (if everybody may know), is Guide, has the First player "
    "marker, is eliminated, has played a card, does a ritual, is being eliminated, cards in hand "
    f"(set aside, if eliminated), points (at most {BYTE}), value of its card in front (0 none), "
    f"camp known to all (1 Shaman, 2 Shadow), artefacts face down, face up: {_HELD}"
)
_GAME = (
    f"phase ({', '.join(PHASES).lower()}; none while a seat is asked unseen), "
    f"{PLAYER_COUNTS[0]} to {PLAYER_COUNTS[-1]} players, single round, round, square of the pawn, "
    "steps to the Moon, steps that the pawn is about to go, value of the card on its way to its "
    "world (0 none), cards passed by the Eclipse"
)
_TABLE = (
    f"artefacts that left the round where all could see it: {', '.join(TILES)}; tiles in the pile; "
    "the Eclipse is in the pile, has come up with its arrow to the left, to the right"
)

FLAT = (
    Field("hand", (NUM_CARDS,), 0, 1, "own cards, by number; those set aside, if out", "seat"),
    Field("placed", (NUM_CARDS,), 0, 1, "cards at their worlds, by number", "all"),
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
    Field("seats", (MAX_PLAYERS, SEAT_SIZE), 0, BYTE, _SEAT, "all"),
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
    Field(
        "worlds",
        (NUM_WORLDS, 4 + len(RITUALS)),
        0,
        1,
        "each world: is the Destination, its ritual is to be done, is being done, a card is on its "
        f"way there; ritual: {', '.join(RITUALS)}",
        "all",
    ),
    Field("game", (GAME_SIZE,), 0, BYTE, _GAME, "all"),
)
PLANES: tuple[Field, ...] = ()
AT = {name: part.start for name, part in slices(FLAT).items()}

assert max(MAX_HAND, VALUES) <= BYTE
