"""The components of Sagani as constant arrays (from ``tiles.csv`` beside this file).

Tiles keep their numbers of ``tiles.csv``, 1 to 72; 0 is no tile, so tables by tile have 73 entries.
Elements: 0 fire, 1 earth, 2 water, 3 air. Directions: 0 n, 1 ne, 2 e, 3 se, 4 s, 5 sw, 6 w, 7 nw.
A rotation is a number of quarter turns clockwise: it adds 2 to every direction.

A player's table is represented by a window of 20 x 20 cells, numbered row by row from the
north-west: cell = row * 20 + column. The outermost cells are margin: after every placement the
window is moved so that the tiles lie in the inner 18 x 18. The window's cells are packed in words
of three rows (60 bits): see ``WORD`` and ``BIT``.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

ELEMENTS = ("fire", "earth", "water", "air")
DIRECTIONS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
NUM_ELEMENTS = len(ELEMENTS)
NUM_DIRECTIONS = len(DIRECTIONS)
NUM_ROTATIONS = 4
# Rows towards the south, columns towards the east.
D_ROW = np.array([-1, -1, 0, 1, 1, 1, 0, -1])
D_COL = np.array([0, 1, 1, 1, 0, -1, -1, -1])

PLAYER_COUNTS = (1, 2, 3, 4)
MAX_PLAYERS = 4
DISCS = 24  # of each player
NUM_TILES = 72
NUM_PILES = 3
PILE_SIZE = NUM_TILES // NUM_PILES
DISPLAY_SIZE = 5
INTERLUDE_SIZE = 4
ASIDE_SIZE = 5
CACOPHONY_PENALTY = 2
# Points that trigger the end, by number of players; in the classic solo game, the goal.
GOAL = np.array([0, 75, 75, 60, 45])
PERFECT_HARMONY = 25  # solo classic: tiles
BONUS = 5  # solo advanced
BONUS_FROM = 5
BONUS_OPEN = 2
LOW_VALUE = 3  # solo advanced: tiles up to this value are put aside

MAX_CANVAS = 18
CANVASES = (10, 14, MAX_CANVAS)
WINDOW = MAX_CANVAS + 2
NUM_CELLS = WINDOW * WINDOW
FIRST_CELL = (WINDOW // 2 - 1) * WINDOW + WINDOW // 2 - 1
ROWS_PER_WORD = 3
NUM_WORDS = -(-WINDOW // ROWS_PER_WORD)


def _read_tiles() -> list[dict[str, str]]:
    with (Path(__file__).parent / "tiles.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _arrow_word(row: dict[str, str]) -> int:
    """Return a tile's arrows: four bits per direction, one per element."""
    wanted = ((k, row[direction]) for k, direction in enumerate(DIRECTIONS))
    return sum(1 << ELEMENTS.index(element) << 4 * k for k, element in wanted if element)


_TILES = _read_tiles()
TILE_ELEMENT = np.array([0] + [ELEMENTS.index(row["element"]) for row in _TILES])
TILE_VALUE = np.array([0] + [int(row["value"]) for row in _TILES])
# Arrows of each tile turned by 0 to 3 quarter turns. Direction k has bits 4k to 4k + 3: all 0 for
# no arrow, else the bit of the element it asks for.
TILE_ARROWS = np.zeros((NUM_TILES + 1, NUM_ROTATIONS), dtype=np.int64)
for _tile, _row in enumerate(_TILES, start=1):
    for _turns in range(NUM_ROTATIONS):
        _word = _arrow_word(_row) << 8 * _turns
        TILE_ARROWS[_tile, _turns] = (_word | _word >> 32) & 0xFFFFFFFF
ARROWS_OF_VALUE = {1: 1, 3: 2, 6: 3, 10: 4}
NUM_ARROWS = np.array([0] + [ARROWS_OF_VALUE[int(row["value"])] for row in _TILES])

CELL_ROW = np.arange(NUM_CELLS) // WINDOW
CELL_COL = np.arange(NUM_CELLS) % WINDOW
# Position of a cell's bit in packed sets of cells.
WORD = CELL_ROW // ROWS_PER_WORD
BIT = CELL_ROW % ROWS_PER_WORD * WINDOW + CELL_COL

# The direction in which a cell lies from another, 8 if on none of the eight lines, by the
# difference of their ``SPOT``, plus ``SPOT_SHIFT``.
NO_DIRECTION = 8
_SPOTS = 2 * WINDOW
SPOT = (CELL_ROW * _SPOTS + CELL_COL).astype(np.int16)
SPOT_SHIFT = (WINDOW - 1) * (_SPOTS + 1)
DIRECTION_OF = np.full(2 * SPOT_SHIFT + 1, NO_DIRECTION, dtype=np.int8)
for _direction in range(NUM_DIRECTIONS):
    for _distance in range(1, WINDOW):
        _difference = _distance * (D_ROW[_direction] * _SPOTS + D_COL[_direction])
        DIRECTION_OF[SPOT_SHIFT + _difference] = _direction
# Offset of the opposite direction in a word of four bits per direction; beyond it if there is none.
SIGHT_OF = (4 * (DIRECTION_OF.astype(np.int64) ^ 4)).astype(np.int8)

# The step from a cell to the next in a direction.
RAY_STEP = D_ROW * WINDOW + D_COL
# The element of the only bit set in four bits, plus 1; 0 for no bit.
ELEMENT_OF_BIT = np.array([0, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0])
