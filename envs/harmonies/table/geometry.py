"""The layout of a picture of Harmonies, for drawing and for locating clicks."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
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
from ...core.drawing.spots import Spot, Stack, spot_at
from ..components import COLOURS, COLUMNS, HAND_LIMIT, axial_of
from .visible import Visible, see

WIDTH, HEIGHT = 1440, 960
EDGE, GAP = 16, 8
HEAD_HEIGHT = 172
COLUMN = 208  # the decision, at the left
CENTRAL_WIDTH, BAG_WIDTH = 262, 190
# Size of a card, in its own units.
CARD_WIDTH, CARD_HEIGHT = 140, 112
CARD_SCALES = (1.3, 1.2, 1.1, 1.0, 0.9, 0.84, 0.75)
LARGEST_HEX = 70
LARGE_HEAD, SMALL_HEAD = 38, 32
# Completed cards, with their names or without.
CHIP_HEIGHT, CHIP_GAP = 18, 5
LARGE_CHIP, SMALL_CHIP, SHORT_CHIP = 115, 108, 30
# Boards are drawn in a slight perspective: flat things are squashed by this, and tokens rise.
SQUASH = 0.8
TOKEN_RADIUS, TOKEN_HEIGHT = 0.73, 0.25
ROW_STEP = math.sqrt(3) * SQUASH
# Room for the first row's stacks with a cube, and the frame around the hexes.
RISE, FRAME = 0.85, 0.42
# Positions of the central board's spaces: like the pips of a die, three in a zigzag.
SPACES = {3: ((0, 0), (1, 0), (2, -1)), 5: ((0, 0), (2, -1), (1, 0), (0, 1), (2, 0))}


class Grid(NamedTuple):
    """Hexes in the picture: the centre of the hex at q = 0, r = 0, and the length of an edge."""

    x: float
    y: float
    size: float

    def at(self, q: float, r: float) -> tuple[float, float]:
        """Return the centre of a hex."""
        return self.x + 1.5 * self.size * q, self.y + ROW_STEP * self.size * (r + q / 2)

    def outline(self, q: float, r: float, part: float = 1) -> list[tuple[float, float]]:
        """Return the corners of a hex, or of a smaller one inside it."""
        x, y = self.at(q, r)
        size = part * self.size
        return [
            (x + size * math.cos(angle), y + SQUASH * size * math.sin(angle))
            for angle in (math.radians(60 * k) for k in range(6))
        ]


class Hex(NamedTuple):
    """A hex around (x, y) with edges of length ``size``."""

    x: float
    y: float
    size: float

    def has(self, x: float, y: float) -> bool:
        right, down = abs(x - self.x) / self.size, abs(y - self.y) / (SQUASH * self.size)
        return down <= math.sqrt(0.75) and math.sqrt(3) * right + down <= math.sqrt(3)

    def path(self) -> str:
        corners = Grid(self.x, self.y, self.size).outline(0, 0)
        return "M " + " L ".join(f"{x:.2f} {y:.2f}" for x, y in corners) + " Z"


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: whether it has large letters.
        head: height of its head.
        board: the frame around its hexes.
        centres: the centre of each hex.
        slots: boxes of the four cards.
        chips: boxes of its completed cards, in the order of ``completed``.
    """

    seat: int
    box: Rect
    large: bool
    head: float
    grid: Grid
    board: Rect
    centres: list[tuple[float, float]]
    slots: list[Rect]
    chips: list[Rect]

    def hexes(self, stacks: Sequence[tuple[int, ...]]) -> list[Spot]:
        """Return each hex's shape; a stack comes before what it hides."""
        size = self.grid.size
        radius, flat = TOKEN_RADIUS * size, SQUASH * TOKEN_RADIUS * size
        front = sorted(range(len(stacks)), key=lambda k: -self.centres[k][1])
        found: list[Spot] = [
            (k, Stack(*self.centres[k], radius, flat, len(stacks[k]) * TOKEN_HEIGHT * size))
            for k in front
            if stacks[k]
        ]
        return found + [(k, Hex(*at, size)) for k, at in enumerate(self.centres)]


class Layout(NamedTuple):
    """All parts of a picture.

    Attributes:
        spaces: hexes of the central board, on its ``grid``.
        cards: boxes of the display's cards.
        hand: boxes of the tokens in hand.
        button: the button that ends the turn.
    """

    title: Rect
    central: Rect
    grid: Grid
    spaces: Sequence[tuple[int, int]]
    display: Rect
    cards: list[Rect]
    bag: Rect
    column: Rect
    hand: list[Rect]
    button: Rect
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    head, body = Rect(0, 0, WIDTH, HEIGHT).grown(-EDGE).down(GAP, HEAD_HEIGHT, 0)
    title, central, display, bag = head.across(GAP, COLUMN, CENTRAL_WIDTH, 0, BAG_WIDTH)
    column, room = body.across(GAP, COLUMN, 0)
    held = len(seen.hand)
    hand = column.less(top=128)._replace(height=66).middle(62 * held - 4, 66)
    return Layout(
        title=title,
        central=central,
        grid=_central_grid(central, len(seen.central)),
        spaces=SPACES[len(seen.central)],
        display=display,
        cards=_display_cards(display, len(seen.display)),
        bag=bag,
        column=column,
        hand=hand.grid(held, 1, 4) if held else [],
        button=column.less(24, 212, 24, column.height - 252),
        areas=_areas(room, seen),
    )


def _central_grid(box: Rect, count: int) -> Grid:
    size, up = (45, 0.5) if count > 3 else (47, 0.25)
    x, y = box.centre
    return Grid(x - 1.5 * size, y + 7 - up * ROW_STEP * size, size)


def _display_cards(box: Rect, count: int) -> list[Rect]:
    room = box.less(top=27)
    cells = room.middle(min(box.width, 181 * count), room.height).grid(count, 1)
    scale = min(1.08, (cells[0].width - 8) / CARD_WIDTH)
    cards = [cell.middle(scale * CARD_WIDTH, scale * CARD_HEIGHT) for cell in cells]
    return [place._replace(y=room.y) for place in cards]


def _areas(room: Rect, seen: Visible) -> list[Area]:
    count = seen.num_players
    if seen.seat is None:
        boxes = equal_parts(room, count, GAP)
        return [_area(seen, seat, box, count < 3) for seat, box in enumerate(boxes)]
    wide = (room.width, 652, 620, 620)[count - 1]
    boxes = one_and_others(room, wide, count - 1, GAP)
    return [_area(seen, (seen.seat + k) % count, box, k == 0) for k, box in enumerate(boxes)]


# Cards and board in a seat's part


def _area(seen: Visible, seat: int, box: Rect, large: bool) -> Area:
    head = LARGE_HEAD if large else SMALL_HEAD
    inner = box.less(10, head + 6, 10)
    chips = _chips(len(seen.tables[seat].completed), inner, large)
    rows = len({chip.y for chip in chips}) or 1
    inner = inner.less(bottom=7 + (CHIP_HEIGHT + CHIP_GAP) * rows)
    _, slots, field, size = max(_arrangements(inner, seen.side), key=lambda found: found[0])
    across, down = _board_size(seen.side)
    board = field.middle(across * size, (down + RISE) * size).less(top=RISE * size)
    top = board.y + FRAME * SQUASH * size
    grid = Grid(board.x + (FRAME + 1) * size, top + ROW_STEP / 2 * size, size)
    hexes = range(len(seen.tables[seat].stacks))
    centres = [grid.at(*axial_of(seen.side, hex_)) for hex_ in hexes]
    return Area(seat, box, large, head, grid, board, centres, slots, chips)


def _board_size(side: int) -> tuple[float, float]:
    columns = COLUMNS[side]
    across = 1.5 * (len(columns) - 1) + 2 + 2 * FRAME
    return across, ROW_STEP * max(columns) + 2 * FRAME * SQUASH


def _arrangements(inner: Rect, side: int) -> Iterator[tuple[float, list[Rect], Rect, float]]:
    """Yield ways to arrange four cards and a board: score, slots, the board's room and size."""
    across, down = _board_size(side)
    forms = ((4, True), (2, True), (2, False), (1, False))
    for scale, (in_row, above) in itertools.product(CARD_SCALES, forms):
        first = Rect(0, 0, scale * CARD_WIDTH, scale * CARD_HEIGHT)
        last = first.repeated(HAND_LIMIT, in_row, GAP)[-1]
        if above:
            cards, field = inner.down(GAP, last.bottom, 0)
        else:
            field, cards = inner.across(GAP, 0, last.right)
        size = min(field.width / across, field.height / (down + RISE), LARGEST_HEX)
        if size <= 0 or last.right > inner.width or last.bottom > inner.height:
            continue
        x, y, _, _ = cards.middle(last.right, last.bottom)
        slots = first._replace(x=x, y=y).repeated(HAND_LIMIT, in_row, GAP)
        # Cards belong above the board; they are put beside it only where that gains a lot of room.
        yield size * scale**0.6 * (1.25 if above else 1), slots, field, size


def _chips(count: int, inner: Rect, large: bool) -> list[Rect]:
    """Arrange completed cards in rows at the bottom, without names if there are many."""
    width = LARGE_CHIP if large else SMALL_CHIP
    if not large and count * (width + CHIP_GAP) > inner.width + CHIP_GAP:
        width = SHORT_CHIP
    columns = int((inner.width + CHIP_GAP) / (width + CHIP_GAP))
    rows = -(-count // columns)
    y = inner.bottom - (CHIP_HEIGHT + CHIP_GAP) * rows
    return Rect(inner.x, y, width, CHIP_HEIGHT).repeated(count, columns, CHIP_GAP)


# What can be clicked


def places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return the clickable places other than hexes, on the board and the central board."""
    if seen.over:
        return []
    own = area_of(plan, seen.to_play).slots
    table = seen.table_of_turn()
    if seen.phase == "SPIRIT":
        return [(("spirit", k), own[k]) for k in range(len(table.offered))]
    kind = "discard" if seen.phase == "DISCARD" else "card"
    found: list[tuple[Place, Rect]] = [
        ((kind, place), plan.cards[place]) for place, card in enumerate(seen.display) if card
    ]
    if seen.phase == "TURN":
        found += [(("settle", k), own[k]) for k, held in enumerate(table.cards) if held.card]
        hand = zip(seen.hand, plan.hand, strict=True)
        found += [(("place", COLOURS[colour]), box) for colour, box in hand]
    if ("end",) in seen.begun:
        found.append((("end",), plan.button))
    return found


def spots(state: np.void, seat: int | None = None) -> list[Spot]:
    """Return the clickable places in ``seat``'s picture, topmost first."""
    seen = see(state, seat)
    plan = layout_of(seen)
    found: list[Spot] = [*places(plan, seen)]
    if seen.over or seen.phase != "TURN":
        return found
    central = [(("take", space), plan.grid.at(*at)) for space, at in enumerate(plan.spaces)]
    size = plan.grid.size
    found += [(place, Hex(*at, size)) for place, at in central if place in seen.begun]
    return found + area_of(plan, seen.to_play).hexes(seen.table_of_turn().stacks)


@of_last_record
def _spots_of(state: np.void):
    return spots(state, int(state["to_play"]))


def locate(x: float, y: float, state: np.void) -> Place | int | None:
    """Return the place at a point of the picture, or None.

    Its name consists of values of ``decode_action``, in order. A point names a whole action
    (``("take", 0)``, ``("card", 2)``, ``("end",)``, ``("spirit", 1)``, ``("discard", 0)``), its
    first parts (``("place", "blue")`` at a token in hand, ``("settle", 0)`` at a card above the
    board) or its last: a hex, ``11``. The action may be illegal.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    return spot_at(_spots_of(state), x, y)
