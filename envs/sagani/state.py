"""The state of a game of Sagani, one record per game, and its readers in plain Python.

The kernels (``rules.py`` and the modules it names) write it. Tiles are numbers 1 to 72 as in
``tiles.csv``, 0 is no tile. Positions are relative to a player's first tile: ``(x, y)``, x grows to
the east, y to the north. Directions are 0 n, 1 ne, 2 e, ... 7 nw; rotations are quarter turns
clockwise. See ``components.py`` for elements and cells.

Phases (``PHASES[state["phase"]]``) and what may be played in them:

    TAKE      take a tile of the display (0-4), or set the last one aside (5)
    PLACE     choose the cell of the tile in hand (24-423); left out for a player's first tile
    ROTATE    turn the tile in hand and place it (11-14)
    CHOOSE    interlude: take one of the tiles (6-9), or none (10)
    ALIGN     alignments="choice": choose the tile whose disc is moved (24-423), or stop (23)
    ARROW     alignments="choice": choose the arrow it is moved onto (15-22)

Under ``alignments="choice"`` a placement consists of ROTATE; alternating ALIGN and ARROW while
another tile has an arrow to cover and the player has not stopped; the discs for the new tile; then
again ALIGN and ARROW, now including the new tile. ALIGN is skipped if no arrow can be covered.
Stopping before the discs are paid is not allowed while there are too few and a tile can be
completed (rulebook 3: cacophony discs come only "si vous ne pouvez pas compléter d'autres tuiles").
Arrows left open can be covered later ("à tout moment"): in TAKE, PLACE and CHOOSE a tile may also
be chosen to move its disc (24-423), followed by ARROW and then the interrupted phase.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.state import first_byte, game_dtype
from .components import (
    ASIDE_SIZE,
    DISPLAY_SIZE,
    ELEMENTS,
    INTERLUDE_SIZE,
    MAX_PLAYERS,
    NUM_DIRECTIONS,
    NUM_PILES,
    NUM_TILES,
    NUM_WORDS,
    PILE_SIZE,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
)

# Each tile is taken, given a cell and turned. Each seat may pass in each of at most 11 interludes,
# which require a tile set aside since the last one, and so a display each. With
# alignments="choice", a tile and an arrow are chosen for each of 200 arrows, and each placement is
# stopped twice.
MAX_PLIES = 3 * NUM_TILES + 11 * MAX_PLAYERS + 2 * 200 + 2 * NUM_TILES

PHASES = ("TAKE", "PLACE", "ROTATE", "CHOOSE", "ALIGN", "ARROW")
TAKE_PHASE, PLACE_PHASE, ROTATE_PHASE, CHOOSE_PHASE, ALIGN_PHASE, ARROW_PHASE = range(len(PHASES))

# Where a tile is: ``state["place"][tile]``. On a player's table: ON_TABLE + seat.
IN_PILE, PUT_ASIDE, IN_DISPLAY, IN_INTERLUDE, IN_HAND, REMOVED, ON_TABLE = range(7)

# Kinds of points (see ``rules.points_by_category``).
CATEGORIES = (*ELEMENTS, "cacophony", "solo")
CACOPHONY, SOLO = range(len(ELEMENTS), len(CATEGORIES))

_SEATS = (MAX_PLAYERS,)
_BY_TILE = (NUM_TILES + 1,)

# Options.     solo: 1 in the advanced solo game, else 0; choice: alignments="choice";
#              canvas: side of the square that a player's tiles must fit in
# The round.   first_player; turn: seat whose turn it is (``to_play`` may be another one in an
#              interlude); last_seat: who played the last action; last_round: the end has been set
#              off
# Supply.      pile: the three piles in the order they are drawn from, 24 tiles each; drawn: tiles
#              that have left them; aside: solo advanced, the tiles kept for the end;
#              num_aside, aside_drawn: how many were put there and taken back;
#              display, interlude: tiles on those spaces, 0 where empty
# Interlude.   queue: seats in the order they choose; queue_next: how many have been asked, 0 while
#              there is no interlude; queue_taken: somebody took a tile
# In hand.     hand: tile about to be placed; hand_cell: its cell
# Players.     score: points on the track less negative tokens (the marker stands on
#              max(0, score)); arrival: when the marker came to its square, counted by ``clock``;
#              bonus: solo advanced; supply: discs the player can use; cacophony: those received
#              that are cacophony discs; uncompleted: tiles not yet turned over
# Tables.      placed: tiles of each seat; table: those tiles in the order of placement; origin:
#              cell of the first; north, south, west, east: outermost rows and columns
# Tiles.       place, cell (in the window of the player's table), rotation, and arrows: those not
#              covered yet, four bits a direction (8 + element), all 0 once the tile is turned over
# Indices.     occupied: cells with tiles; free: cells where a tile may go; num_free: how many
# Choice.      unpaid: new tile that has not got its discs yet; may_stop: in ALIGN; sight: what lies
#              in each direction of a tile, as in arrows; pointed: tile chosen last to move a disc
#              on; pointing: in ARROW, its arrows that can be covered, a bit a direction;
#              interrupted: in ARROW, the phase that goes on after it; movable: cells of each seat's
#              tiles on which a disc can be moved; num_movable: how many
DTYPE = game_dtype(
    [
        ("solo", np.int8),
        ("choice", np.bool_),
        ("canvas", np.int8),
        ("first_player", np.int8),
        ("turn", np.int8),
        ("last_seat", np.int8),
        ("last_round", np.bool_),
        ("pile", np.uint8, (NUM_TILES,)),
        ("drawn", np.int8),
        ("aside", np.uint8, (ASIDE_SIZE,)),
        ("num_aside", np.int8),
        ("aside_drawn", np.int8),
        ("display", np.uint8, (DISPLAY_SIZE,)),
        ("interlude", np.uint8, (INTERLUDE_SIZE,)),
        ("queue", np.int8, _SEATS),
        ("queue_next", np.int8),
        ("queue_taken", np.bool_),
        ("hand", np.uint8),
        ("hand_cell", np.int16),
        ("score", np.int16, _SEATS),
        ("arrival", np.int16, _SEATS),
        ("clock", np.int16),
        ("bonus", np.int16),
        ("supply", np.int16, _SEATS),
        ("cacophony", np.int16, _SEATS),
        ("uncompleted", np.int8, _SEATS),
        ("placed", np.int8, _SEATS),
        ("table", np.uint8, (MAX_PLAYERS, NUM_TILES)),
        ("origin", np.int16, _SEATS),
        ("north", np.int8, _SEATS),
        ("south", np.int8, _SEATS),
        ("west", np.int8, _SEATS),
        ("east", np.int8, _SEATS),
        ("place", np.int8, _BY_TILE),
        ("rotation", np.int8, _BY_TILE),
        ("cell", np.int16, _BY_TILE),
        ("arrows", np.uint32, _BY_TILE),
        ("occupied", np.int64, (MAX_PLAYERS, NUM_WORDS)),
        ("free", np.int64, (MAX_PLAYERS, NUM_WORDS)),
        ("num_free", np.int16, _SEATS),
        ("unpaid", np.uint8),
        ("may_stop", np.bool_),
        ("sight", np.uint32, _BY_TILE),
        ("pointed", np.uint8),
        ("pointing", np.uint8),
        ("interrupted", np.int8),
        ("num_movable", np.int16, _SEATS),
        ("movable", np.int64, (MAX_PLAYERS, NUM_WORDS)),
    ]
)
# A new game begins with 0 in all fields from here on; those before are options.
FIRST_BYTE = first_byte(DTYPE, "first_player")


class Placed(NamedTuple):
    """A tile on a player's table.

    Attributes:
        tile: its number, 1 to 72.
        rotation: quarter turns clockwise, 0 to 3.
        discs: discs still in its centre, one per uncovered arrow; 0 once it is turned over. A new
            tile that hasn't received its discs yet (``alignments="choice"``) counts as having them.
        covered: directions 0 to 7 of the arrows with a disc, as turned; empty once turned over.
        flipped: completed and turned over.
    """

    tile: int
    rotation: int
    discs: int
    covered: tuple[int, ...]
    flipped: bool


def tiles_of(state: np.void, seat: int) -> list[int]:
    """Return the numbers of a seat's tiles, oldest first."""
    return state["table"][seat][: state["placed"][seat]].tolist()


def table_of(state: np.void, seat: int) -> dict[tuple[int, int], Placed]:
    """Return a seat's tiles by position ``(x, y)`` relative to its first tile, oldest first."""
    return {
        position_of(state, seat, int(state["cell"][tile])): placed(state, tile)
        for tile in tiles_of(state, seat)
    }


def placed(state: np.void, tile: int) -> Placed:
    """Return how a tile lies on the table it is on."""
    rotation = int(state["rotation"][tile])
    at = directions_of(int(TILE_ARROWS[tile, rotation]))
    still = directions_of(int(state["arrows"][tile]))
    flipped = not still
    covered = () if flipped else tuple(direction for direction in at if direction not in still)
    return Placed(tile, rotation, len(still), covered, flipped)


@cache
def directions_of(arrows: int) -> tuple[int, ...]:
    """Return the directions in which a word of arrows has one."""
    return tuple(direction for direction in range(NUM_DIRECTIONS) if arrows >> 4 * direction & 15)


def position_of(state: np.void, seat: int, cell: int) -> tuple[int, int]:
    """Return a window cell of a seat's table as ``(x, y)`` relative to its first tile."""
    row, column = divmod(int(state["origin"][seat]), WINDOW)
    return cell % WINDOW - column, row - cell // WINDOW


def pile_sizes(state: np.void) -> list[int]:
    """Return the number of tiles left in each of the three piles."""
    drawn = int(state["drawn"])
    return [min(PILE_SIZE, max(0, PILE_SIZE * (k + 1) - drawn)) for k in range(NUM_PILES)]


def pile_tops(state: np.void) -> list[int]:
    """Return the tile on top of each pile, 0 for an empty one.

    Only its element and value (on the back) are public; nobody may know more.
    """
    drawn = int(state["drawn"])
    tops = [max(PILE_SIZE * k, drawn) for k in range(NUM_PILES)]
    return [
        int(state["pile"][top]) if top < PILE_SIZE * (k + 1) else 0 for k, top in enumerate(tops)
    ]


def back_of(tile: int) -> tuple[int, int]:
    """Return the element and value on a tile's back."""
    return int(TILE_ELEMENT[tile]), int(TILE_VALUE[tile])


def aside_of(state: np.void) -> list[int]:
    """Return the tiles still put aside in solo advanced, next first; all may know their backs."""
    return state["aside"][state["aside_drawn"] : state["num_aside"]].tolist()


def removed(state: np.void) -> list[int]:
    """Return the tiles that left the game after an interlude in which nobody took one."""
    return np.flatnonzero(state["place"] == REMOVED).tolist()


def track_of(state: np.void) -> list[tuple[int, list[int]]]:
    """Return the squares of the track with markers, and the seats there from bottom to top.

    All markers start on square 0, the first player's at the bottom, the others on it in turn order.
    A marker that moves to another square goes on top of those there.
    """
    stacks: dict[int, list[int]] = {}
    for seat in np.argsort(state["arrival"][: state["num_players"]]).tolist():
        stacks.setdefault(max(0, int(state["score"][seat])), []).append(seat)
    return sorted(stacks.items())
