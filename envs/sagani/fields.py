"""The fields of Sagani's two observation forms, and where each begins."""

from __future__ import annotations

from ..core.schema import Field, slices
from .components import (
    ARROWS_OF_VALUE,
    ASIDE_SIZE,
    CANVASES,
    DISPLAY_SIZE,
    ELEMENTS,
    INTERLUDE_SIZE,
    MAX_PLAYERS,
    NUM_CELLS,
    NUM_PILES,
    NUM_ROTATIONS,
    NUM_TILES,
    WINDOW,
)
from .state import PHASES

# Numbers for a tile's face, one that may be taken, a tile's back, one on a table, a seat, the game.
FACE_SIZE = 16
OFFER_SIZE = FACE_SIZE + 2
BACK_SIZE = 8
TILE_SIZE = 17
SEAT_SIZE = 13
GAME_SIZE = len(PHASES) + 1 + MAX_PLAYERS + 2 + len(CANVASES) + 1 + NUM_PILES
BYTE = 127  # numbers beyond are cut off

_GRID = (WINDOW, WINDOW)
_BACK = f"element ({', '.join(ELEMENTS)}), value ({', '.join(map(str, ARROWS_OF_VALUE))})"
_FACE = f"{_BACK}, arrows from north clockwise (0 none, 1-4 the element)"
_OFFER = (
    "as in hand; then, when one is to be taken, what it would bring on the best free cell: most "
    "arrows served, most points completed"
)
_TILE = (
    "each tile on a table: whose (4 seats), x, y from the first tile, open arrows from north "
    "clockwise (0 none, 1-4 the element), discs in the middle and on arrows, arrows that can be "
    "covered now"
)
_SEAT = (
    "each seat: is there, score (cut off at 127), score / 8, supply, cacophony discs, tiles not "
    "completed, tiles, seats ahead of it, is first player, has the turn, is to play, place in the "
    "interlude's line (0 none), markers in front of its own on the track (in a stack: below it)"
)
_GAME = (
    f"phase ({', '.join(PHASES).lower()}), last round, 1 to 4 players, advanced solo, alignments "
    f"by choice, canvas {', '.join(map(str, CANVASES))}, bonuses, tiles left in each pile"
)


def _map(name: str, planes: int, high: int, meaning: str) -> Field:
    return Field(name, (planes, *_GRID), 0, high, meaning, "all")


def _list(name: str, shape: tuple[int, ...], low: int, high: int, meaning: str) -> Field:
    return Field(name, shape, low, high, meaning, "all")


# Both forms begin with these, so that one kernel writes them.
_MAPS = (
    _map("demand", 4, NUM_TILES, "open arrows that a tile of each element would serve there"),
    _map("harvest", 4, BYTE, "points of the tiles that a tile of each element would complete"),
    _map("fit", 4, 4, "by rotation: arrows of the tile in hand that would be served there"),
    _map("bring", 2, BYTE, "by the tile in hand there: arrows served, points completed"),
    _map("chosen", 1, 1, "cell chosen for the tile in hand, or of the tile chosen"),
)

FLAT = (
    *_MAPS,
    _list("tiles", (NUM_TILES, TILE_SIZE), -WINDOW, WINDOW, _TILE),
    _list("unseen", (NUM_TILES,), 0, 1, "tiles of which nobody has seen the face"),
    _list("hand", (FACE_SIZE,), 0, 4, f"tile in hand: {_FACE}"),
    _list(
        "turns",
        (NUM_ROTATIONS, 2),
        0,
        4,
        "tile in hand on the chosen cell, by rotation: arrows served there, arrows left open",
    ),
    _list("display", (DISPLAY_SIZE, OFFER_SIZE), 0, BYTE, f"tiles of the display, {_OFFER}"),
    _list("interlude", (INTERLUDE_SIZE, OFFER_SIZE), 0, BYTE, f"of the interlude, {_OFFER}"),
    _list("tops", (NUM_PILES, BACK_SIZE), 0, 1, f"back of each pile's top tile: {_BACK}"),
    _list("aside", (ASIDE_SIZE, BACK_SIZE), 0, 1, "advanced solo: backs of the tiles put aside"),
    _list("seats", (MAX_PLAYERS, SEAT_SIZE), -BYTE - 1, BYTE, _SEAT),
    _list("game", (GAME_SIZE,), 0, NUM_TILES, _GAME),
)

OTHER_SEATS = ("next", "second", "third")
OTHER_PLANES = 21
PLANES = (
    *_MAPS,
    _map("free", 1, 1, "cells where a tile may go"),
    _map("element", 4, 1, f"tiles, by element: {', '.join(ELEMENTS)}"),
    _map("arrows", 32, 1, "open arrows, four elements for each direction from north clockwise"),
    _map("covered", 8, 1, "arrows with a disc, by direction"),
    _map("discs", 1, 4, "discs in the middle of the tile"),
    _map("sight", 32, 1, "what lies on each line, four elements for each direction"),
    *(
        _map(f"{seat}_{name}", planes, high, f"{seat} seat after: {meaning}")
        for seat in OTHER_SEATS
        for name, planes, high, meaning in (
            ("element", 4, 1, "tiles by element"),
            ("arrows", 8, 4, "open arrows by direction (0 none, 1-4 the element)"),
            ("discs", 1, 4, "discs in the middle of the tile"),
            ("covered", 8, 1, "arrows with a disc, by direction"),
        )
    ),
    _map("hand", FACE_SIZE, 4, f"tile in hand, whole planes: {_FACE}"),
    _map(
        "cards",
        1,
        4,
        "rows 0-4 display, 5-8 interlude, with the numbers of the tile in hand in columns 0-15; "
        "rows 9-11 tops of the piles, 12-16 tiles put aside, backs in columns 0-7",
    ),
    _list(
        "numbers",
        (1, *_GRID),
        -BYTE - 1,
        BYTE,
        "rows 0-3 seats, 4 game, from 16 on the tiles unseen: the flat observation's numbers",
    ),
)

# Where the fields begin.
AT = {name: part.start for name, part in slices(FLAT).items()}
PLANES_AT = {name: part.start for name, part in slices(PLANES).items()}
OTHER_SIZE = OTHER_PLANES * NUM_CELLS
