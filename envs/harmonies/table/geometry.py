"""Where everything is in a picture of Harmonies: for drawing, and for finding what was clicked."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import Place, Rect, area_of, equal_parts, one_and_others, place_at
from ..components import (
    CARD_NAMES,
    COLOURS,
    COLUMNS,
    HAND_LIMIT,
    axial_of,
)
from .visible import Table, Visible, see

WIDTH, HEIGHT = 1440, 960
EDGE, GAP = 16, 8
HEAD_HEIGHT = 172
COLUMN = 208  # the decision, at the left
CENTRAL_WIDTH, BAG_WIDTH = 262, 190
# A card in its own units.
CARD_WIDTH, CARD_HEIGHT = 140, 112
CARD_SCALES = (1.3, 1.2, 1.1, 1.0, 0.9, 0.84, 0.75)
LARGEST_HEX = 70
LARGE_HEAD, SMALL_HEAD = 38, 32
CHIP_HEIGHT = 21
SHORT_CHIP = 30  # without a name
# Boards are seen a little from the front: everything flat is squashed by this, and tokens rise.
SQUASH = 0.8
TOKEN_RADIUS, TOKEN_HEIGHT = 0.73, 0.25
ROW_STEP = math.sqrt(3) * SQUASH
# Room for stacks of the first row, with a cube; and the frame around the hexes.
RISE, FRAME = 0.85, 0.42


class Grid(NamedTuple):
    """Hexes in the picture: the middle of the one at q = 0, r = 0, and the length of an edge."""

    x: float
    y: float
    size: float

    def at(self, q: float, r: float) -> tuple[float, float]:
        """Return the middle of a hex."""
        return self.x + 1.5 * self.size * q, self.y + ROW_STEP * self.size * (r + q / 2)

    def outline(self, q: float, r: float, part: float = 1) -> list[tuple[float, float]]:
        """Return the corners of a hex, or of one smaller than it."""
        x, y = self.at(q, r)
        size = part * self.size
        return [
            (x + size * math.cos(angle), y + SQUASH * size * math.sin(angle))
            for angle in (math.radians(60 * k) for k in range(6))
        ]

    def covers(self, q: float, r: float, x: float, y: float) -> bool:
        """Say whether a point is on a hex."""
        middle_x, middle_y = self.at(q, r)
        right, down = abs(x - middle_x) / self.size, abs(y - middle_y) / (SQUASH * self.size)
        return down <= math.sqrt(0.75) and math.sqrt(3) * right + down <= math.sqrt(3)


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: it has large letters.
        board: the frame around its hexes.
        slots: where the four cards are.
        chips: where its completed cards are, in the order of ``completed``.
    """

    seat: int
    box: Rect
    large: bool
    side: int
    grid: Grid
    board: Rect
    slots: list[Rect]
    chips: list[Rect]

    def centre(self, hex_: int) -> tuple[float, float]:
        """Return the middle of a hex on the board."""
        return self.grid.at(*axial_of(self.side, hex_))

    def hex_at(self, x: float, y: float, table: Table) -> int | None:
        """Return the hex at a point; a stack is in front of what it hides."""
        size = self.grid.size
        centres = sorted(
            ((self.centre(k), k) for k in range(len(table.stacks))), key=lambda at: -at[0][1]
        )
        for (cx, cy), k in centres:
            across = (x - cx) / (TOKEN_RADIUS * size)
            if not table.stacks[k] or abs(across) > 1:
                continue
            reach = SQUASH * TOKEN_RADIUS * size * math.sqrt(1 - across**2)
            if cy - len(table.stacks[k]) * TOKEN_HEIGHT * size - reach <= y <= cy + reach:
                return k
        for _, k in centres:
            if self.grid.covers(*axial_of(self.side, k), x, y):
                return k
        return None


class Layout(NamedTuple):
    """All parts of a picture."""

    title: Rect
    central: Rect
    display: Rect
    bag: Rect
    column: Rect
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    right, bottom = WIDTH - EDGE, HEIGHT - EDGE
    title = Rect(EDGE, EDGE, COLUMN, HEAD_HEIGHT)
    central = Rect(title.right + GAP, EDGE, CENTRAL_WIDTH, HEAD_HEIGHT)
    bag = Rect(right - BAG_WIDTH, EDGE, BAG_WIDTH, HEAD_HEIGHT)
    display = Rect(central.right + GAP, EDGE, bag.x - central.right - 2 * GAP, HEAD_HEIGHT)
    top = title.bottom + GAP
    column = Rect(EDGE, top, COLUMN, bottom - top)
    room = Rect(column.right + GAP, top, right - column.right - GAP, bottom - top)
    boxes = _shared(room, seen.num_players) if seen.seat is None else _around_seat(room, seen)
    areas = [_area(seen, seat, box, large) for seat, box, large in boxes]
    return Layout(title, central, display, bag, column, areas)


def _shared(room: Rect, count: int) -> list[tuple[int, Rect, bool]]:
    """Give every seat an equal part."""
    return [(seat, box, count < 3) for seat, box in enumerate(equal_parts(room, count, GAP))]


def _around_seat(room: Rect, seen: Visible) -> list[tuple[int, Rect, bool]]:
    """Give the seat that looks the larger part, the others, in turn order, what is beside it."""
    others = seen.num_players - 1
    wide = (room.width, 652, 620, 620)[others]
    boxes = one_and_others(room, wide, others, GAP)
    return [((seen.seat + k) % seen.num_players, box, k == 0) for k, box in enumerate(boxes)]


# Cards and board in a seat's part


def _area(seen: Visible, seat: int, box: Rect, large: bool) -> Area:
    head = LARGE_HEAD if large else SMALL_HEAD
    inner = Rect(box.x + 10, box.y + head + 6, box.width - 20, box.height - head - 11)
    chips = _chips(seen.tables[seat], inner, large)
    lowest = min((chip.y for chip in chips), default=inner.bottom - CHIP_HEIGHT)
    inner = inner._replace(height=lowest - 4 - inner.y)
    best = max(_arrangements(inner, seen.side), key=lambda found: found[0])
    _, slots, field, size = best
    width, height = _hexes_size(seen.side, size)
    x = field.x + (field.width - width) / 2
    y = field.y + (field.height - height - RISE * size) / 2 + RISE * size
    board = Rect(x, y, width, height)
    grid = Grid(
        x=x + (FRAME + 1) * size, y=y + FRAME * SQUASH * size + ROW_STEP / 2 * size, size=size
    )
    return Area(seat, box, large, seen.side, grid, board, slots, chips)


def _hexes_size(side: int, size: float) -> tuple[float, float]:
    """Return width and height of a board with hexes of a size, its frame included."""
    columns = COLUMNS[side]
    across = 1.5 * (len(columns) - 1) + 2 + 2 * FRAME
    down = ROW_STEP * max(columns) + 2 * FRAME * SQUASH
    return across * size, down * size


def _arrangements(inner: Rect, side: int) -> Iterator[tuple[float, list[Rect], Rect, float]]:
    """Yield ways to put four cards and a board: how good, the slots, the board's room, its size."""
    for scale in CARD_SCALES:
        width, height = scale * CARD_WIDTH, scale * CARD_HEIGHT
        for in_row, above in ((4, True), (2, True), (2, False), (1, False)):
            lines = HAND_LIMIT // in_row
            cards_width = in_row * width + (in_row - 1) * GAP
            cards_height = lines * height + (lines - 1) * GAP
            if above:
                field = Rect(
                    inner.x,
                    inner.y + cards_height + GAP,
                    inner.width,
                    inner.height - cards_height - GAP,
                )
                x, y = inner.x + (inner.width - cards_width) / 2, inner.y
            else:
                rest = inner.width - cards_width - GAP
                field = Rect(inner.x, inner.y, rest, inner.height)
                x = inner.right - cards_width
                y = inner.y + (inner.height - cards_height) / 2
            if cards_width > inner.width or cards_height > inner.height:
                continue
            across, down = _hexes_size(side, 1)
            size = min(field.width / across, field.height / (down + RISE), LARGEST_HEX)
            if size <= 0:
                continue
            slots = [
                Rect(
                    x + k % in_row * (width + GAP), y + k // in_row * (height + GAP), width, height
                )
                for k in range(HAND_LIMIT)
            ]
            # Cards belong above the board: they lie beside it where that gains a lot.
            yield size * scale**0.6 * (1.25 if above else 1), slots, field, size


def _chips(table: Table, inner: Rect, large: bool) -> list[Rect]:
    """Put completed cards into lines at the bottom."""
    if not table.completed:
        return []
    widths = [_chip_width(card, large) for card in table.completed]
    if not large and sum(widths) + 5 * (len(widths) - 1) > inner.width:
        widths = [SHORT_CHIP] * len(widths)
    lines: list[list[float]] = [[]]
    for width in widths:
        if lines[-1] and sum(lines[-1]) + 5 * len(lines[-1]) + width > inner.width:
            lines.append([])
        lines[-1].append(width)
    chips = []
    for number, line in enumerate(lines):
        x = inner.x
        y = inner.bottom - CHIP_HEIGHT * (len(lines) - number)
        for width in line:
            chips.append(Rect(x, y, width, CHIP_HEIGHT - 3))
            x += width + 5
    return chips


def _chip_width(card: int, large: bool) -> float:
    """Return the width of a completed card's chip with its name."""
    return 0.66 * (11 if large else 10) * len(CARD_NAMES[card]) + 42


# The head and the column


def space_grid(plan: Layout, count: int) -> Grid:
    """Return the grid of the central board's spaces; see `space_at`."""
    size = 45 if count > 3 else 47
    x, y = plan.central.centre
    up = 0.5 if count > 3 else 0.25
    return Grid(x - 1.5 * size, y + 7 - up * ROW_STEP * size, size)


def space_at(count: int, space: int) -> tuple[int, int]:
    """Return q and r of a space: the five lie like the pips of a die, three in a zigzag."""
    if count > 3:
        return ((0, 0), (2, -1), (1, 0), (0, 1), (2, 0))[space]
    return ((0, 0), (1, 0), (2, -1))[space]


def display_place(plan: Layout, count: int, place: int) -> Rect:
    """Return where a card of the display is."""
    step = plan.display.width / count if count > 3 else plan.display.width / 4
    left = plan.display.x + (plan.display.width - step * count) / 2
    scale = min(1.0, (step - 8) / CARD_WIDTH) if count > 3 else 1.08
    width, height = scale * CARD_WIDTH, scale * CARD_HEIGHT
    x = left + step * (place + 0.5) - width / 2
    return Rect(x, plan.display.y + 27, width, height)


def bag_place(plan: Layout, colour: int) -> tuple[float, float]:
    """Return where the number of a colour in the bag is."""
    line, column = divmod(colour, 2)
    return plan.bag.x + 24 + 86 * column, plan.bag.y + 50 + 43 * line


def hand_place(plan: Layout, k: int, count: int) -> Rect:
    """Return where a token in hand is."""
    middle = plan.column.x + plan.column.width / 2
    return Rect(middle + 62 * (k - (count - 1) / 2) - 29, plan.column.y + 128, 58, 66)


def button(plan: Layout) -> Rect:
    """Return the button to end the turn."""
    return Rect(plan.column.x + 24, plan.column.y + 212, plan.column.width - 48, 40)


# What can be clicked


def places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return what can be clicked but hexes: on the board and the central board."""
    if seen.over:
        return []
    own = area_of(plan, seen.to_play).slots
    table = seen.table_of_turn()
    found: list[tuple[Place, Rect]] = []
    if seen.phase == "SPIRIT":
        return [(("spirit", k), own[k]) for k in range(len(table.offered))]
    kind = "discard" if seen.phase == "DISCARD" else "card"
    count = len(seen.display)
    for place, card in enumerate(seen.display):
        if card:
            found.append(((kind, place), display_place(plan, count, place)))
    if seen.phase == "TURN":
        found += [(("settle", k), own[k]) for k, card in enumerate(table.cards) if card.card]
        found += [
            (("place", COLOURS[colour]), hand_place(plan, k, len(seen.hand)))
            for k, colour in enumerate(seen.hand)
        ]
    if seen.may_end:
        found.append((("end",), button(plan)))
    return found


def locate(x: float, y: float, state: np.void) -> Place | int | None:
    """Return what stands at a point of the picture, or None where nothing does.

    It is named by the values of ``decode_action``, in their order. One point names a whole action
    (``("take", 0)``, ``("card", 2)``, ``("end",)``, ``("spirit", 1)``, ``("discard", 0)``), or
    how it begins (``("place", "blue")`` at a token in hand, ``("settle", 0)`` at a card above the
    board) or ends: a hex, ``11``. Whether it is legal is not asked.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    seen = see(state, int(state["to_play"]))
    plan = layout_of(seen)
    place = place_at(places(plan, seen), x, y)
    if place is not None or seen.over or seen.phase != "TURN":
        return place
    space = _space_under(plan, seen, x, y)
    if space is not None:
        return "take", space
    return area_of(plan, seen.to_play).hex_at(x, y, seen.table_of_turn())


def _space_under(plan: Layout, seen: Visible, x: float, y: float) -> int | None:
    if not seen.may_take or not plan.central.has(x, y):
        return None
    count = len(seen.central)
    grid = space_grid(plan, count)
    for space in range(count):
        if grid.covers(*space_at(count, space), x, y):
            return space
    return None
