"""The layout of the picture of Sàrèná, in units."""

from __future__ import annotations

import numpy as np

from ...core.drawing.spots import Ellipse, Spot, Stack, spot_at
from ..components import COLS, NUM_CIRCLES

# The picture, in units: a slight perspective, in which stacks rise upwards.
WIDTH, HEIGHT = 1084, 880


LEFT, TOP = 122, 158


COL_STEP, ROW_STEP = 116, 124


RING_X, RING_Y = 47, 33


DISC_X, DISC_Y = 39, 26


DISC_HEIGHT = 18


BOARD = (22, 22, 756, 836)


PANEL = (796, 22, 266, 836)


def circle_centre(circle: int) -> tuple[int, int]:
    """Return the centre of a circle 0..35 in the picture's units."""
    if not 0 <= circle < NUM_CIRCLES:
        raise ValueError(f"circle must be 0..{NUM_CIRCLES - 1}, not {circle!r}")
    row, col = divmod(circle, COLS)
    return LEFT + col * COL_STEP, TOP + row * ROW_STEP


def locate(x: float, y: float, state: np.void | None = None) -> int | None:
    """Return the circle 0..35 at a point of the picture, or None outside all of them.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there. With it, a click anywhere on a stack counts as the stack's
            circle, even where a high stack hides the circle behind it; without it, only the circles
            on the board count.
    """
    return spot_at(_CIRCLES if state is None else spots(state), x, y)


def spots(state: np.void, seat: int | None = None) -> list[Spot]:
    """Return the circles' shapes, topmost first; the same for every seat."""
    heights = state["height"].tolist()
    standing = [circle for circle in reversed(range(NUM_CIRCLES)) if heights[circle]]
    found: list[Spot] = [
        (k, Stack(*circle_centre(k), DISC_X, DISC_Y, heights[k] * DISC_HEIGHT)) for k in standing
    ]
    return found + _CIRCLES


_CIRCLES: list[Spot] = [
    (circle, Ellipse(*circle_centre(circle), RING_X, RING_Y)) for circle in range(NUM_CIRCLES)
]
