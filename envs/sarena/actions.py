"""The actions of Sàrèná: the 60 lines of the board, each followed in either direction.

Grouped by direction (east, south, west, north), and within one by the circle they leave.
"""

from __future__ import annotations

import numpy as np

from ..core.actions import ActionKind, ActionTable
from .components import COLS, NUM_CIRCLES, ROWS, bits_of

DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def _moves() -> list[tuple[int, int]]:
    moves = []
    for d_row, d_col in DIRECTIONS:
        for circle in range(NUM_CIRCLES):
            row, col = divmod(circle, COLS)
            if 0 <= row + d_row < ROWS and 0 <= col + d_col < COLS:
                moves.append((circle, circle + d_row * COLS + d_col))
    return moves


ACTIONS = ActionTable(
    ActionKind(
        None,
        only=_moves(),
        about=lambda start, end: (("top", start), ("top", end)),
        **{"from": range(NUM_CIRCLES), "to": range(NUM_CIRCLES)},
    )
)
NUM_ACTIONS = len(ACTIONS)
# The circle that each action leaves, and the one it enters.
FROM = np.array([start for start, _ in _moves()], dtype=np.int8)
TO = np.array([end for _, end in _moves()], dtype=np.int8)
PER_DIRECTION = NUM_ACTIONS // len(DIRECTIONS)

# The circles from which each direction stays on the board, and the action of (direction, circle).
EAST_BITS, SOUTH_BITS, WEST_BITS, NORTH_BITS = (
    bits_of(FROM[d * PER_DIRECTION : (d + 1) * PER_DIRECTION]) for d in range(len(DIRECTIONS))
)
ACTION_OF = np.full((len(DIRECTIONS), NUM_CIRCLES), -1, dtype=np.int16)
for _action in range(NUM_ACTIONS):
    ACTION_OF[_action // PER_DIRECTION, FROM[_action]] = _action
