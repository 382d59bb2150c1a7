"""Where everything is in a picture of Sagani: for drawing, and for finding what was clicked."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import Place, Rect, area_of, equal_parts, place_at
from ..components import (
    CELL_COL,
    CELL_ROW,
    DIRECTIONS,
    DISPLAY_SIZE,
    INTERLUDE_SIZE,
    NUM_PILES,
    WINDOW,
)
from .pieces import arrow_centre
from .visible import Position, Visible, see

WIDTH, HEIGHT = 1200, 900
EDGE, GAP = 16, 8
HEAD_HEIGHT = 134
TRACK_HEIGHT = 90
COLUMN = 190  # the decision, at the left
RIVER_SIZE, RIVER_STEP = 82, 89
ROW_SIZE, ROW_STEP = 62, 68
PILE_SIZES = (70, 50, 50)
HAND_SIZE = 148
PREVIEW_SIZE = 80
# Cells are at most so large: on the tables of the seat that looks (or of all), on the others.
LARGEST_CELL, LARGEST_SMALL_CELL = 104, 74
LARGE_HEAD, SMALL_HEAD, NARROW_HEAD = 42, 34, 60
AXIS = 18


def around(x: float, y: float, size: float) -> Rect:
    """Return the square of a size around a point."""
    return Rect(x - size / 2, y - size / 2, size, size)


class Grid(NamedTuple):
    """A table's cells in the picture: ``west``, ``north`` is the position at (x, y)."""

    west: int
    north: int
    columns: int
    rows: int
    x: float
    y: float
    size: float

    def centre(self, position: Position) -> tuple[float, float]:
        east, north = position
        return self.x + (east - self.west) * self.size, self.y + (self.north - north) * self.size

    def position_at(self, x: float, y: float) -> Position | None:
        column = math.floor((x - self.x) / self.size + 0.5)
        row = math.floor((y - self.y) / self.size + 0.5)
        if not (0 <= column < self.columns and 0 <= row < self.rows):
            return None
        return self.west + column, self.north - row


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: it has large letters and axes.
        margin: it has room for the next tile around those that lie there.
    """

    seat: int
    box: Rect
    large: bool
    margin: bool
    grid: Grid


class Layout(NamedTuple):
    """All parts of a picture."""

    title: Rect
    river: Rect
    row: Rect
    piles: Rect
    track: Rect
    column: Rect
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    plan = frame_of(seen.num_players)
    # What the track and the decision leave is for the tables.
    room = Rect(
        plan.column.right + GAP,
        plan.column.y,
        plan.track.right - plan.column.right - GAP,
        plan.column.height,
    )
    boxes = _shared(room, seen.num_players) if seen.seat is None else _around_seat(room, seen)
    areas = []
    for seat, box, large in boxes:
        margin = seen.num_players == 1 or seat == seen.seat
        areas.append(Area(seat, box, large, margin, _grid(seen, seat, box, large, margin)))
    return plan._replace(areas=areas)


def frame_of(num_players: int) -> Layout:
    """Lay out what is beside the tables."""
    right, bottom = WIDTH - EDGE, HEIGHT - EDGE
    title = Rect(EDGE, EDGE, COLUMN, HEAD_HEIGHT)
    river = Rect(title.right + GAP, EDGE, 5 * RIVER_STEP + 17, HEAD_HEIGHT)
    row = Rect(river.right + GAP, EDGE, 4 * ROW_STEP + 12, HEAD_HEIGHT)
    piles = Rect(row.right + GAP, EDGE, right - row.right - GAP, HEAD_HEIGHT)
    if num_players == 1:
        river = Rect(river.x, EDGE, piles.x - GAP - river.x, HEAD_HEIGHT)
    track = Rect(EDGE, title.bottom + GAP, right - EDGE, TRACK_HEIGHT)
    top = track.bottom + GAP
    column = Rect(EDGE, top, COLUMN, bottom - top)
    return Layout(title, river, row, piles, track, column, [])


def _shared(room: Rect, count: int) -> list[tuple[int, Rect, bool]]:
    """Give every seat an equal part."""
    return [(seat, box, True) for seat, box in enumerate(equal_parts(room, count, GAP))]


def _around_seat(room: Rect, seen: Visible) -> list[tuple[int, Rect, bool]]:
    """Give the seat that looks the larger part, the others, in turn order, what is beside it."""
    others = seen.num_players - 1
    if not others:
        return [(seen.seat, room, True)]
    wide = (0, 560, 570, 520)[others]
    boxes = [(seen.seat, Rect(room.x, room.y, wide, room.height), True)]
    x = room.x + wide + GAP
    beside = Rect(x, room.y, room.right - x, room.height)
    half = (beside.height - GAP) / 2
    narrow = (beside.width - GAP) / 2
    lower = beside.y + half + GAP
    parts = {
        1: [beside],
        2: [beside._replace(height=half), beside._replace(y=lower, height=half)],
        3: [
            Rect(beside.x, beside.y, narrow, half),
            Rect(beside.x + narrow + GAP, beside.y, narrow, half),
            beside._replace(y=lower, height=half),
        ],
    }[others]
    for k, box in enumerate(parts):
        boxes.append(((seen.seat + 1 + k) % seen.num_players, box, False))
    return boxes


def head_height(box: Rect, large: bool) -> int:
    """Return the height of a table's head."""
    if is_narrow(box, large):
        return NARROW_HEAD
    return LARGE_HEAD if large else SMALL_HEAD


def is_narrow(box: Rect, large: bool) -> bool:
    """Say whether a table's head needs two lines."""
    return box.width < (400 if large else 420)


def _grid(seen: Visible, seat: int, box: Rect, large: bool, margin: bool) -> Grid:
    """Fit a seat's tiles into its part."""
    head = head_height(box, large)
    axis = AXIS if large else 0
    field = Rect(
        box.x + axis + 6, box.y + head + 6, box.width - axis - 12, box.height - head - axis - 12
    )
    positions = list(seen.tables[seat].tiles) or [(0, 0)]
    if seen.chosen is not None and seat == seen.to_play:
        positions.append(seen.chosen)
    west, east = min(x for x, _ in positions) - margin, max(x for x, _ in positions) + margin
    south, north = min(y for _, y in positions) - margin, max(y for _, y in positions) + margin
    columns, rows = east - west + 1, north - south + 1
    largest = LARGEST_CELL if large else LARGEST_SMALL_CELL
    size = min(field.width / columns, field.height / rows, largest)
    x, y = field.centre
    return Grid(
        west=west,
        north=north,
        columns=columns,
        rows=rows,
        x=x - (columns - 1) / 2 * size,
        y=y - (rows - 1) / 2 * size,
        size=size,
    )


# Squares in them


def river_space(plan: Layout, space: int) -> Rect:
    """Return where a tile of the display is."""
    x = plan.river.x + 8 + RIVER_STEP * (space + 0.5)
    return around(x, plan.river.y + 72, RIVER_SIZE)


def row_space(plan: Layout, space: int) -> Rect:
    """Return where a tile of the interlude is."""
    x = plan.row.x + 6 + ROW_STEP * (space + 0.5)
    return around(x, plan.row.y + 72, ROW_SIZE)


def pile_space(plan: Layout, pile: int) -> Rect:
    """Return where a pile is."""
    free = plan.piles.width - sum(PILE_SIZES)
    gap = free / (NUM_PILES + 1)
    x = plan.piles.x + gap * (pile + 1) + sum(PILE_SIZES[:pile]) + PILE_SIZES[pile] / 2
    return around(x, plan.piles.y + 72, PILE_SIZES[pile])


def hand_space(plan: Layout) -> Rect:
    """Return where the tile in hand is shown."""
    return around(plan.column.x + plan.column.width / 2, plan.column.y + 180, HAND_SIZE)


def preview_space(plan: Layout, turns: int) -> Rect:
    """Return where the tile in hand is shown turned by a number of quarter turns."""
    line, place = divmod(turns, 2)
    x = plan.column.x + plan.column.width * (0.26 + 0.48 * place)
    return around(x, plan.column.y + 142 + 114 * line, PREVIEW_SIZE)


def button(plan: Layout) -> Rect:
    """Return the button to take no tile, or to move no more discs."""
    return Rect(plan.column.x + 20, plan.column.y + 270, plan.column.width - 40, 44)


# What can be clicked


def fixed_places(plan: Layout) -> list[tuple[Place, Rect]]:
    """Return the spaces of the display and the interlude."""
    return [
        *((("take", space), river_space(plan, space)) for space in range(DISPLAY_SIZE)),
        *((("choose", space), row_space(plan, space)) for space in range(INTERLUDE_SIZE)),
    ]


def decision_places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return what the decision at hand has beside spaces and cells."""
    if seen.phase == "ROTATE" and seen.hand is not None:
        return [(("turn", turns), preview_space(plan, turns)) for turns in range(4)]
    if seen.phase == "CHOOSE" and not seen.over:
        return [(("pass",), button(plan))]
    if seen.may_stop:
        return [(("done",), button(plan))]
    if seen.may_set_aside:
        empty = [k for k in range(INTERLUDE_SIZE) if seen.interlude[k] is None]
        current = next(k for k, (size, _) in enumerate(seen.piles) if size)
        squares = [*(row_space(plan, k) for k in empty), pile_space(plan, current)]
        return [(("aside",), square) for square in squares]
    if seen.phase == "ARROW" and seen.hand is not None:
        return _arrow_places(plan, seen)
    return []


def _arrow_places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return the arrows of the tile chosen, in hand and on the table."""
    grid = area_of(plan, seen.to_play).grid
    squares = [hand_space(plan), around(*grid.centre(seen.chosen), grid.size)]
    places = []
    for square in squares:
        x, y = square.centre
        scale = square.width / 100
        for direction in seen.hand.arrows:
            right, down = arrow_centre(direction)
            spot = around(x + scale * right, y + scale * down, 26 * scale)
            places.append((("cover", DIRECTIONS[direction]), spot))
    return places


def cell_place(origin: tuple[int, int], position: Position) -> Place | None:
    """Return the window's cell at a position, given the row and column of the first tile."""
    row, column = origin[0] - position[1], origin[1] + position[0]
    if row not in range(WINDOW) or column not in range(WINDOW):
        return None
    return "cell", row, column


def locate(x: float, y: float, state: np.void | None = None) -> Place | None:
    """Return what stands at a point of the picture, or None where nothing does.

    It is named by the values of ``decode_action``, in their order, so that one point names one
    action: ``("take", 0)``, ``("aside",)``, ``("choose", 3)``, ``("pass",)``, ``("turn", 1)``,
    ``("cover", "ne")``, ``("done",)``, ``("cell", 9, 11)``. Whether it is legal is not asked.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play. Without it, only the spaces of
            the display and the interlude are known.
    """
    if state is None:
        return place_at(fixed_places(frame_of(2)), x, y)
    seen = see(state, int(state["to_play"]))
    plan = layout_of(seen)
    fixed = fixed_places(plan) if seen.num_players > 1 else []
    place = place_at([*decision_places(plan, seen), *fixed], x, y)
    if place is not None or seen.over:
        return place
    position = area_of(plan, seen.to_play).grid.position_at(x, y)
    if position is None:
        return None
    origin = int(state["origin"][seen.to_play])
    return cell_place((int(CELL_ROW[origin]), int(CELL_COL[origin])), position)
