"""The components of Sàrèná as constant arrays (from ``components.json`` beside this file).

Circles are numbered row by row from the top left, 0 to 35.
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
MAX_PLAYERS = max(PLAYER_COUNTS)
EMPTY = -1


def bits_of(circles) -> int:
    """Return a set of circles as the bits of one integer."""
    return sum(1 << int(circle) for circle in circles)


def _discs() -> np.ndarray:
    pairs = _BOX["discs"]["colour_pairs"]
    faces = [
        ["ABCD".index(letter) for letter in pair] for pair in pairs for _ in range(pairs[pair])
    ]
    return np.array(faces, dtype=np.int8)


# The 36 discs: the two face colours of each.
DISCS = _discs()
NUM_DISCS = len(DISCS)
FACES_PER_COLOUR = 2 * NUM_DISCS // NUM_COLOURS

# The discs that carry each colour on their first and on their second face, as sets of bits.
FIRST_FACE = np.array([bits_of(np.flatnonzero(DISCS[:, 0] == c)) for c in range(NUM_COLOURS)])
SECOND_FACE = np.array([bits_of(np.flatnonzero(DISCS[:, 1] == c)) for c in range(NUM_COLOURS)])

IS_ARROW = np.zeros(NUM_CIRCLES, dtype=np.bool_)
for _row, _col in _BOX["board"]["arrow_circles"]:
    IS_ARROW[_row * COLS + _col] = True
ARROW_BITS = bits_of(np.flatnonzero(IS_ARROW))

# A stack is a 16-bit word; turning it over reverses its eight two-bit faces. One table a byte.
REVERSED_BYTE = np.array(
    [sum(((byte >> 2 * k) & 3) << 2 * (3 - k) for k in range(4)) for byte in range(256)],
    dtype=np.uint16,
)
