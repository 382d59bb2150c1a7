"""The layout of a picture of Sagani, for drawing and for locating clicks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import (
    Place,
    Rect,
    area_of,
    equal_parts,
    of_last_record,
    one_and_others,
)
from ...core.drawing.spots import Spot, spot_at
from ..components import DIRECTIONS, DISPLAY_SIZE, INTERLUDE_SIZE, NUM_PILES, NUM_ROTATIONS, WINDOW
from .pieces import arrow_centre
from .visible import Face, Position, Visible, see

WIDTH, HEIGHT = 1200, 900
EDGE, GAP = 16, 8
COLUMN = 190  # the title, and the decision below it
LARGEST_CELL = 104
HEAD, CHIPS = 40, 28
AXIS = 18


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: whether it has large letters and axes.
        margin: whether there is room around the tiles for the next one.
        cells: boxes of the table's cells, row by row from the north-west.
    """

    seat: int
    box: Rect
    large: bool
    margin: bool
    cells: dict[Position, Rect]

    @property
    def narrow(self) -> bool:
        """Whether the head needs a second line, for the points and the items beside the table."""
        return self.box.width < (470 if self.large else 415)


class Layout(NamedTuple):
    """All parts of a picture: panels, and the spaces in them."""

    title: Rect
    display: Rect
    interlude: Rect
    piles: Rect
    track: Rect
    column: Rect
    display_spaces: list[Rect]
    interlude_spaces: list[Rect]
    pile_spaces: list[Rect]
    hand: Rect  # the tile in hand, or the one whose disc is moved
    waiting: Rect  # the tile in hand meanwhile
    turned: list[Rect]
    button: Rect
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    page = Rect(0, 0, WIDTH, HEIGHT).grown(-EDGE)
    head, track, body = page.down(GAP, 134, 90, 0)
    title, display, interlude, piles = head.across(GAP, COLUMN, 462, 284, 0)
    column, room = body.across(GAP, COLUMN, 0)
    x, y = column.x, column.y
    several = seen.num_players > 1
    return Layout(
        title=title,
        display=display if several else display._replace(width=interlude.right - display.x),
        interlude=interlude,
        piles=piles,
        track=track,
        column=column,
        display_spaces=_spaces(display, 82, DISPLAY_SIZE if several else 0),
        interlude_spaces=_spaces(interlude, 62, INTERLUDE_SIZE if several else 0),
        pile_spaces=_spaces(piles, 56, NUM_PILES),
        hand=Rect(x + 21, y + 106, 148, 148),
        waiting=Rect(x + 105, y + 266, 56, 56),
        turned=Rect(x + 3, y + 90, 92, 114).repeated(NUM_ROTATIONS, 2),
        button=Rect(x + 20, y + 270, column.width - 40, 44),
        areas=_areas(room, seen),
    )


def _spaces(panel: Rect, size: float, count: int) -> list[Rect]:
    """Return squares side by side in a panel."""
    gap = 7
    return panel.less(top=10).middle(count * (size + gap) - gap, size).grid(count, 1, gap)


def _areas(room: Rect, seen: Visible) -> list[Area]:
    """Give all seats equal parts, or the viewer a larger one with the others beside it."""
    count = seen.num_players
    if seen.seat is None:
        boxes = equal_parts(room, count, GAP)
    else:
        wide = (room.width, 560, 500, 440)[count - 1]
        boxes = one_and_others(room, wide, min(count - 1, 2), GAP)
        if count == 4:
            boxes[1:2] = boxes[1].across(GAP, 0, 0)
    areas = []
    for k, box in enumerate(boxes):
        seat = ((seen.seat or 0) + k) % count
        large = seen.seat is None or seat == seen.seat
        margin = count == 1 or seat == seen.seat
        areas.append(Area(seat, box, large, margin, {}))
    # One scale for all tables, so that they can be compared.
    size = min(LARGEST_CELL, *(_room_for_a_cell(seen, area) for area in areas))
    return [area._replace(cells=_cells(seen, area, size)) for area in areas]


def _field(area: Area) -> Rect:
    """Return the part of a seat's area that is for its tiles, below the head."""
    axis = AXIS if area.large else 0
    head = HEAD + CHIPS * area.narrow
    return area.box.grown(-6).less(left=axis, top=head, bottom=axis)


def _columns_and_rows(seen: Visible, area: Area) -> tuple[range, range]:
    """Return the columns from the west and the rows from the north that a table covers."""
    positions = list(seen.tables[area.seat].tiles) or [(0, 0)]
    if seen.chosen is not None and area.seat == seen.to_play:
        positions.append(seen.chosen)
    xs, ys = [x for x, _ in positions], [y for _, y in positions]
    columns = range(min(xs) - area.margin, max(xs) + area.margin + 1)
    return columns, range(max(ys) + area.margin, min(ys) - area.margin - 1, -1)


def _room_for_a_cell(seen: Visible, area: Area) -> float:
    """Return the largest size of cells with which a seat's tiles fit in its area."""
    columns, rows = _columns_and_rows(seen, area)
    field = _field(area)
    return min(field.width / len(columns), field.height / len(rows))


def _cells(seen: Visible, area: Area, size: float) -> dict[Position, Rect]:
    """Lay out a seat's cells, of a given size, in the middle of its area."""
    columns, rows = _columns_and_rows(seen, area)
    x, y = _field(area).centre
    first = Rect(x - len(columns) / 2 * size, y - len(rows) / 2 * size, size, size)
    squares = first.repeated(len(columns) * len(rows), len(columns))
    return dict(zip(((x, y) for y in rows for x in columns), squares, strict=True))


# What can be clicked


def places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return the places of everything an action can concern, legal or not, topmost first."""
    found: list[tuple[Place, Rect]] = []
    found += [(("turn", k), box) for k, box in enumerate(plan.turned[: len(seen.turned)])]
    found += [((name,), plan.button) for name in ("pass", "done") if (name,) in seen.legal]
    if ("aside",) in seen.legal:
        pile = next(k for k, (size, _) in enumerate(seen.piles) if size)
        empty = [k for k, face in enumerate(seen.interlude) if face is None]
        boxes = [*(plan.interlude_spaces[k] for k in empty), plan.pile_spaces[pile]]
        found += [(("aside",), box) for box in boxes]
    found += [(("take", k), box) for k, box in enumerate(plan.display_spaces)]
    found += [(("choose", k), box) for k, box in enumerate(plan.interlude_spaces)]
    if seen.over:
        return found
    cells = area_of(plan, seen.to_play).cells
    if seen.pointed is not None and seen.chosen is not None:
        found += _arrows(seen.pointed, plan.hand) + _arrows(seen.pointed, cells[seen.chosen])
    row, column = seen.origin
    named = [((row - y, column + x), box) for (x, y), box in cells.items()]
    window = range(WINDOW)
    found += [(("cell", *at), box) for at, box in named if at[0] in window and at[1] in window]
    return found


def _arrows(face: Face, box: Rect) -> list[tuple[Place, Rect]]:
    """Return the arrows of the chosen tile, drawn in a square."""
    x, y = box.centre
    scale = box.width / 100
    found: list[tuple[Place, Rect]] = []
    for direction in face.arrows:
        right, down = arrow_centre(direction)
        spot = Rect(x + scale * right, y + scale * down, 0, 0).grown(13 * scale)
        found.append((("cover", DIRECTIONS[direction]), spot))
    return found


def spots(state: np.void, seat: int | None = None) -> list[Spot]:
    """Return the clickable places in ``seat``'s picture, topmost first."""
    seen = see(state, seat)
    return [*places(layout_of(seen), seen)]


@of_last_record
def _spots_of(state: np.void):
    return spots(state, int(state["to_play"]))


def locate(x: float, y: float, state: np.void) -> Place | None:
    """Return the place at a point of the picture, or None.

    Its name consists of values of ``decode_action``, in order, so every point names one action:
    ``("take", 0)``, ``("aside",)``, ``("choose", 3)``, ``("pass",)``, ``("turn", 1)``,
    ``("cover", "ne")``, ``("done",)``, ``("cell", 9, 11)``. The action may be illegal.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    return spot_at(_spots_of(state), x, y)
