"""What is in the box of Sàrèná, as constant arrays (from ``components.json`` beside this file).

Circles are numbered row by row from the top left, 0 to 35. An action is a line followed in one
direction: 60 lines, 120 actions, grouped by direction (east, south, west, north) and within one by
the circle they leave.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

_BOX = json.loads((Path(__file__).parent / "components.json").read_text(encoding="utf-8"))

ROWS: int = _BOX["board"]["rows"]
COLS: int = _BOX["board"]["cols"]
NUM_CIRCLES = ROWS * COLS
MAX_HEIGHT: int = _BOX["max_height"]
COLOURS: tuple[str, ...] = tuple(_BOX["colours"])
NUM_COLOURS = len(COLOURS)
PLAYER_COUNTS: tuple[int, ...] = tuple(_BOX["players"])
EMPTY = -1
DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def _bits(circles) -> int:
    return sum(1 << int(circle) for circle in circles)


def _discs() -> np.ndarray:
    pairs = _BOX["discs"]["colour_pairs"]
    faces = [
        ["ABCD".index(letter) for letter in pair] for pair in pairs for _ in range(pairs[pair])
    ]
    return np.array(faces, dtype=np.int8)


def _actions() -> np.ndarray:
    moves = []
    for d_row, d_col in DIRECTIONS:
        for circle in range(NUM_CIRCLES):
            row, col = divmod(circle, COLS)
            if 0 <= row + d_row < ROWS and 0 <= col + d_col < COLS:
                moves.append((circle, circle + d_row * COLS + d_col))
    return np.array(moves, dtype=np.int8)


# The 36 discs: the two face colours of each.
DISCS = _discs()
NUM_DISCS = len(DISCS)
FACES_PER_COLOUR = 2 * NUM_DISCS // NUM_COLOURS

# The discs that carry each colour on their first and on their second face, as sets of bits.
FIRST_FACE = np.array([_bits(np.flatnonzero(DISCS[:, 0] == c)) for c in range(NUM_COLOURS)])
SECOND_FACE = np.array([_bits(np.flatnonzero(DISCS[:, 1] == c)) for c in range(NUM_COLOURS)])

IS_ARROW = np.zeros(NUM_CIRCLES, dtype=np.bool_)
for _row, _col in _BOX["board"]["arrow_circles"]:
    IS_ARROW[_row * COLS + _col] = True
ARROW_BITS = _bits(np.flatnonzero(IS_ARROW))

# Actions: the circle left and the circle entered.
FROM = np.ascontiguousarray(_actions()[:, 0])
TO = np.ascontiguousarray(_actions()[:, 1])
NUM_ACTIONS = len(FROM)
PER_DIRECTION = NUM_ACTIONS // len(DIRECTIONS)

# The circles from which each direction stays on the board, and the action of (direction, circle).
EAST_BITS, SOUTH_BITS, WEST_BITS, NORTH_BITS = (
    _bits(FROM[d * PER_DIRECTION : (d + 1) * PER_DIRECTION]) for d in range(len(DIRECTIONS))
)
ACTION_OF = np.full((len(DIRECTIONS), NUM_CIRCLES), -1, dtype=np.int16)
for _action in range(NUM_ACTIONS):
    ACTION_OF[_action // PER_DIRECTION, FROM[_action]] = _action

# Where the bits of a direction's set go in the mask, counted from the first of three rows: east and
# west skip a column, south and north a row, so that 15 actions fit in 18 bits either way.
ROW_BITS = np.array([k + k // (COLS - 1) for k in range(PER_DIRECTION // 2)], dtype=np.int32)
ALL_BITS = np.arange(PER_DIRECTION, dtype=np.int32)

# A stack is a 16-bit word; turning it over reverses its eight two-bit faces. One table a byte.
REVERSED_BYTE = np.array(
    [sum(((byte >> 2 * k) & 3) << 2 * (3 - k) for k in range(4)) for byte in range(256)],
    dtype=np.uint16,
)
