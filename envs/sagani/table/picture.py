"""Pictures of Sagani, and what stands at a point of them.

They show the table as it lies: see ``visible.py`` for what that is. The text is in ``text.py``.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Look, Rect
from ...core.drawing.words import amount, name_of, ordinal, ranked
from ..components import (
    DISPLAY_SIZE,
    ELEMENTS,
    INTERLUDE_SIZE,
    NUM_ELEMENTS,
    NUM_PILES,
    NUM_ROTATIONS,
    PERFECT_HARMONY,
)
from .geometry import (
    HEIGHT,
    ROW_SIZE,
    WIDTH,
    Area,
    Layout,
    button,
    hand_space,
    head_height,
    is_narrow,
    layout_of,
    pile_space,
    preview_space,
    river_space,
    row_space,
)
from .pieces import (
    ACCENT,
    CREAM,
    ELEMENT_PAINTS,
    FAINT_INK,
    GOLD,
    INK,
    SEAT_PAINTS,
    back,
    badge,
    cacophony_disc,
    disc,
    seat_disc,
    stack,
    symbol,
    tile,
)
from .text import prompt, solo_outcome
from .visible import Table, Visible, position_words, see

PAPER = "#f4eee0"
PANEL_EDGE = "#d9cdb6"
FIELD = ("#ece0c6", "#dfd0ae")
SPACE_FILL = "#e7dabd"
SPACE_EDGE = "#b39f78"
LOOK = Look(
    ink=INK,
    faint_ink=FAINT_INK,
    accent=ACCENT,
    panel_fill="#fffdf8",
    panel_edge=PANEL_EDGE,
    on_turn="#f6e3f4",
    won="#fbeebf",
    frame_widths=(4, 2.5),
)
NEGATIVE = "#a8201a"


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
    *,
    scores: Sequence[float] | None = None,
    ranks: Sequence[int] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: who looks, 0..num_players-1: its table is the largest. None gives all the same room.
            Nobody sees more than the others.
        last_action: the action played last, to highlight: 0..423, or its parts as
            ``decode_action`` gives them.
        scores, ranks: one number a seat, shown when the game is over; counted here if left out.

    Returns:
        A canvas of 1200 x 900 units.

    Raises:
        ValueError: a seat, an action or a length of `scores` or `ranks` that can't be.
    """
    seen = see(state, seat, last_action, scores, ranks)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, plan.title, seen)
    if seen.num_players == 1:
        _draw_solo(canvas, plan, seen)
    else:
        _draw_river(canvas, plan, seen)
        _draw_row(canvas, plan, seen)
    _draw_piles(canvas, plan, seen)
    _draw_track(canvas, plan.track, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, plan, seen)
    return canvas


# The head


def _space(canvas: Canvas, square: Rect, title: str) -> None:
    """An empty space for a tile."""
    canvas.rect(
        *square.grown(-2),
        radius=square.width / 10,
        title=title,
        fill=SPACE_FILL,
        stroke=SPACE_EDGE,
        stroke_width=1.5,
    )


def _frame(canvas: Canvas, square: Rect, dashed: bool = False, grow: float = 3) -> None:
    """Highlight a square."""
    LOOK.frame(canvas, square, dashed, grow, radius=square.width / 8)


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    canvas.text(box.x + 16, box.y + 34, "Sagani", size=32, bold=True, anchor="start", fill=INK)
    for element in range(NUM_ELEMENTS):
        symbol(canvas, box.x + 24 + 26 * element, box.y + 68, element, 20)
    lines = [f"ply {seen.ply}, " + ("all eyes" if seen.seat is None else name_of(seen.seat))]
    if seen.over:
        lines.append("game over")
    elif seen.last_round and seen.num_players > 1:
        lines.append("last round")
    for k, line in enumerate(lines):
        canvas.text(
            box.x + 16,
            box.y + 94 + 20 * k,
            line,
            size=14,
            bold=k > 0,
            anchor="start",
            fill=ACCENT if k else FAINT_INK,
        )


def _draw_river(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.river, "display")
    for space in range(DISPLAY_SIZE):
        square = river_space(plan, space)
        x, y = square.centre
        face = seen.display[space]
        _space(canvas, square, f"space {space + 1} of the display")
        if face is not None:
            title = f"space {space + 1} of the display: "
            tile(canvas, x, y, square.width, face, SEAT_PAINTS[0], title=title)
        if seen.phase == "TAKE" and face is not None and not seen.over:
            _frame(canvas, square, dashed=True, grow=1)
        if seen.move is not None and seen.move.space == ("take", space):
            _frame(canvas, square, grow=0)
        canvas.text(x, square.bottom + 11, str(space + 1), size=12, fill=FAINT_INK)


def _draw_row(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.row, "interlude")
    if seen.removed:
        text = f"{seen.removed} left the game"
        x, y = plan.row.right - 12, plan.row.y + 15
        canvas.text(x, y, text, size=12, anchor="end", fill=FAINT_INK)
    for space in range(INTERLUDE_SIZE):
        square = row_space(plan, space)
        x, y = square.centre
        face = seen.interlude[space]
        _space(canvas, square, f"space {space + 1} of the interlude")
        if face is not None:
            title = f"space {space + 1} of the interlude: "
            tile(canvas, x, y, ROW_SIZE, face, SEAT_PAINTS[0], title=title)
        choosing = seen.phase == "CHOOSE" and face is not None and not seen.over
        if choosing or (seen.may_set_aside and face is None):
            _frame(canvas, square, dashed=True, grow=1)
        if seen.move is not None and seen.move.space == ("choose", space):
            _frame(canvas, square, grow=0)
        canvas.text(x, square.bottom + 11, str(space + 1), size=12, fill=FAINT_INK)


def _draw_piles(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.piles, "piles")
    for pile in range(NUM_PILES):
        square = pile_space(plan, pile)
        x, y = square.centre
        size, top = seen.piles[pile]
        _space(canvas, square, f"pile {pile + 1}")
        if top is not None:
            # The tiles below peek out, all alike.
            for k in range(min(3, (size - 1 + 7) // 8), 0, -1):
                _hidden(canvas, square, 2.5 * k)
            back(canvas, x, y, square.width, top, f"pile {pile + 1}, {size} tiles, on top: ")
        canvas.text(x, plan.piles.bottom - 13, str(size), size=13, bold=True, fill=INK)


def _hidden(canvas: Canvas, square: Rect, down: float) -> None:
    canvas.rect(
        square.x + 2 + down,
        square.y + 2 + down,
        square.width - 4,
        square.height - 4,
        radius=square.width / 10,
        fill="#b9a88a",
        stroke="#6d604a",
        stroke_width=1,
    )


def _draw_solo(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.river
    table = seen.tables[0]
    if seen.advanced:
        LOOK.panel(canvas, box, "solo, advanced: place all 72 tiles")
        _draw_count(canvas, box, seen, table)
        if seen.aside:
            _draw_aside(canvas, Rect(box.right - 300, box.y, 300, box.height), seen)
        return
    LOOK.panel(canvas, box, "solo, classic: 75 points with as few tiles as you can")
    placed = len(table.tiles)
    y = box.y + 50
    for k in range(PERFECT_HARMONY):
        done = k < placed
        canvas.rect(
            box.x + 14 + 28 * k,
            y,
            24,
            24,
            radius=4,
            fill=GOLD if done else SPACE_FILL,
            stroke="#8a6512" if done else SPACE_EDGE,
            stroke_width=1.5,
        )
    words = f"{amount(placed, 'tile')} placed; perfect harmony with {PERFECT_HARMONY} or fewer"
    canvas.text(box.x + 14, y + 50, words, size=16, anchor="start", fill=INK)


def _draw_count(canvas: Canvas, box: Rect, seen: Visible, table: Table) -> None:
    """What the advanced game counts at its end, as it stands."""
    unfinished, cacophony = seen.deductions
    parts = (
        ("track", table.score),
        ("bonus", seen.bonus),
        ("unfinished", -unfinished),
        ("cacophony", -cacophony),
        ("in all", table.score + seen.bonus - unfinished - cacophony),
    )
    for k, (name, points) in enumerate(parts):
        last = k == len(parts) - 1
        x = box.x + 44 + 84 * k + (18 if last else 0)
        text = _signed(points) if k else str(points)
        if last:
            text = f"= {_minus(points)}"
        fill = NEGATIVE if points < 0 else INK
        canvas.text(x, box.y + 62, text, size=22 if last else 18, bold=True, fill=fill)
        canvas.text(x, box.y + 90, name, size=13, fill=FAINT_INK)
    placed = f"{amount(len(table.tiles), 'tile')} placed"
    canvas.text(box.x + 14, box.y + 117, placed, size=14, anchor="start", fill=INK)


def _draw_aside(canvas: Canvas, box: Rect, seen: Visible) -> None:
    canvas.text(box.x, box.y + 15, "put aside for the end", size=13, anchor="start", fill=FAINT_INK)
    for k, face in enumerate(seen.aside):
        back(canvas, box.x + 28 + 58 * k, box.y + 72, 52, face, f"put aside, {ordinal(k + 1)}: ")


def _minus(points: float) -> str:
    return f"{points:g}".replace("-", "−")


def _signed(points: float) -> str:
    return _minus(points) if points < 0 else f"+{points:g}"


# The track


def _draw_track(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    alone = seen.num_players == 1
    x = box.x + 12
    canvas.text(x, box.y + 24, "harmony", size=14, bold=True, anchor="start", fill=INK)
    canvas.text(x, box.y + 42, "track", size=14, bold=True, anchor="start", fill=INK)
    if not seen.advanced:
        goal = f"goal {seen.goal}" if alone else f"end {seen.goal}"
        canvas.text(x, box.y + 68, goal, size=13, anchor="start", fill=FAINT_INK)
    last = max(seen.goal + 14, *(field for field, _ in seen.track))
    in_row = -(-(last + 1) // 10) * 5
    room = Rect(box.x + 92, box.y + 5, box.width - 100, (box.height - 10) / 2)
    width = room.width / in_row
    for field in range(2 * in_row):
        line, place = divmod(field, in_row)
        y = room.y + line * room.height
        _draw_field(canvas, Rect(room.x + place * width, y, width, room.height), field, seen)
    step = 5 if width >= 14 else 10
    crowded = [field for field, seats in seen.track if len(seats) > 1]
    for field in range(0, 2 * in_row, step):
        if field in crowded:
            continue
        line, place = divmod(field, in_row)
        x, y = room.x + (place + 0.5) * width, room.y + line * room.height + 7.5
        canvas.text(x, y, str(field), size=9.5, bold=field == seen.goal, fill=INK)
    for field, seats in seen.track:
        line, place = divmod(field, in_row)
        names = ", ".join(name_of(seat) for seat in seats)
        with canvas.group(title=f"{field} points, from the bottom: {names}"):
            stack(
                canvas,
                room.x + (place + 0.5) * width,
                room.y + line * room.height + 31,
                [SEAT_PAINTS[seat] for seat in seats],
                max(8, min(0.44 * width, 14)),
                min(8.5, 28 / len(seats)),
                [str(seat) for seat in seats],
            )


def _draw_field(canvas: Canvas, box: Rect, field: int, seen: Visible) -> None:
    goal = field == seen.goal and not seen.advanced
    narrow = box.width < 14
    canvas.rect(
        box.x,
        box.y + 1,
        box.width,
        box.height - 2,
        fill=GOLD if goal else "#efe4cb" if field // 5 % 2 else "#f8f1e0",
        stroke="none" if narrow else PANEL_EDGE,
        stroke_width=1,
    )


# The tables


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, table = area.box, seen.tables[area.seat]
    on_turn = not seen.over and area.seat == seen.to_play
    fill = canvas.linear_gradient(((0, FIELD[0]), (1, FIELD[1])))
    LOOK.area(canvas, box, fill, "#b39a6c", on_turn)
    _draw_head(canvas, area, seen)
    if area.large:
        _draw_axes(canvas, area)
    if area.margin:
        _draw_choices(canvas, area, seen)
    if not table.tiles and not (on_turn and seen.chosen is not None):
        x, y = area.grid.centre((0, 0))
        canvas.text(x, y, "no tiles yet", size=14, fill=FAINT_INK)
    for position, face in table.tiles.items():
        x, y = area.grid.centre(position)
        marked = seen.pointing if position == seen.chosen else seen.ready.get(position, frozenset())
        tile(
            canvas,
            x,
            y,
            0.97 * area.grid.size,
            face,
            SEAT_PAINTS[area.seat],
            marked=marked if on_turn else frozenset(),
            title=f"{position_words(position)}: ",
        )
    _draw_marks(canvas, area, seen)


def _cell(area: Area, position: tuple[int, int]) -> Rect:
    x, y = area.grid.centre(position)
    size = 0.94 * area.grid.size
    return Rect(x - size / 2, y - size / 2, size, size)


def _draw_axes(canvas: Canvas, area: Area) -> None:
    """Positions from the first tile, as actions name them."""
    grid, box = area.grid, area.box
    if not grid.columns > 3 and not grid.rows > 3:
        return
    # Where cells are small, not every name fits.
    every = math.ceil(26 / grid.size)
    for column in range(grid.columns):
        east = grid.west + column
        if east % every == 0:
            x = grid.centre((east, grid.north))[0]
            canvas.text(x, box.bottom - 12, f"{east:+d}", size=11, fill=FAINT_INK)
    for row in range(grid.rows):
        north = grid.north - row
        if north % every == 0:
            y = grid.centre((grid.west, north))[1]
            canvas.text(box.x + 16, y, f"{north:+d}", size=11, fill=FAINT_INK)


def _draw_choices(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Where the tile in hand may go."""
    if area.seat != seen.to_play or seen.phase != "PLACE" or seen.over:
        return
    for position in seen.tables[area.seat].free:
        square = _cell(area, position)
        canvas.rect(
            *square,
            radius=square.width / 9,
            title=position_words(position),
            fill="#ffffff",
            fill_opacity=0.4,
            stroke=ACCENT,
            stroke_width=2,
            stroke_dasharray="6 5",
        )
        canvas.text(*square.centre, "+", size=0.4 * square.width, fill=ACCENT)


def _draw_marks(canvas: Canvas, area: Area, seen: Visible) -> None:
    """The cell or tile chosen, tiles to choose from, and the last move."""
    on_turn = area.seat == seen.to_play and not seen.over
    if on_turn and seen.chosen is not None:
        square = _cell(area, seen.chosen)
        if seen.phase == "ROTATE":
            _draw_turning(canvas, square, seen)
        _frame(canvas, square, grow=1)
        return
    if on_turn and seen.ready:
        for position in seen.ready:
            _frame(canvas, _cell(area, position), dashed=True, grow=1)
        return
    move = seen.move
    if (
        move is not None
        and move.seat == area.seat
        and move.position in seen.tables[move.seat].tiles
    ):
        _frame(canvas, _cell(area, move.position), grow=1)


def _draw_turning(canvas: Canvas, square: Rect, seen: Visible) -> None:
    """The tile in hand on its cell, not turned yet."""
    paint = ELEMENT_PAINTS[seen.hand.element]
    canvas.rect(*square, radius=square.width / 9, fill=CREAM)
    canvas.rect(*square, radius=square.width / 9, fill=paint.fill, fill_opacity=0.6)
    x, y = square.centre
    canvas.text(x, y, "↻", size=0.62 * square.width, bold=True, fill=paint.edge)


def _draw_head(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Who it is, the points, and what lies beside the table."""
    box, seat, large = area.box, area.seat, area.large
    table = seen.tables[seat]
    won = seen.over and seen.ranks[seat] == 1
    on_turn = not seen.over and seat == seen.to_play
    height = head_height(box, large)
    LOOK.head(canvas, box, height, on_turn, won)
    narrow = is_narrow(box, large)
    y = box.y + (19 if narrow else height / 2 + 1)
    radius = 14 if large else 11
    seat_disc(canvas, box.x + 24, y, seat, radius, 1.2 * radius)
    at = LOOK.seat_name(canvas, box.x + 46, y, seat, seen, 17 if large else 14, letter=0.64)
    left = _draw_score(canvas, box.right - 14, y, area, seen)
    step = 58 if large and box.width >= 500 else 52 if large else 48
    if narrow:
        y += 27
        left = box.x + 22 + 3 * step
    if seen.over and seen.num_players > 1:
        _write_place(canvas, box.right - 14 if narrow else at, y, area, seen)
    _draw_chips(canvas, left - 8 - 3 * step, y, step, area, table)


def _draw_chips(canvas: Canvas, x: float, y: float, step: float, area: Area, table: Table) -> None:
    """What lies beside a table."""
    large = area.large
    chips = (
        ("supply", table.supply, "discs in the supply"),
        ("cacophony", table.cacophony, "cacophony discs received"),
        ("unfinished", table.unfinished, "tiles not completed"),
    )
    for k, (kind, number, title) in enumerate(chips):
        at = x + step * k
        with canvas.group(title=f"{number} {title}"):
            _draw_icon(canvas, at + 10, y, kind, area.seat, 9 if large else 7.5)
            LOOK.write(canvas, at + 22, y, [str(number)], size=15 if large else 13)


def _draw_score(canvas: Canvas, right: float, y: float, area: Area, seen: Visible) -> float:
    """Write a seat's points up to ``right``; return where they begin."""
    seat, size = area.seat, 24 if area.large else 18
    table = seen.tables[seat]
    # Alone, the classic game's score counts tiles too; its points are what stands on the track.
    classic = seen.num_players == 1 and not seen.advanced
    points = seen.scores[seat] if seen.over and not classic else table.score
    text = _minus(points)
    width = 0.7 * size * len(text) + 12
    title = "points"
    if points < 0:
        title = f"{table.negative} points in negative tokens" if table.negative else "points"
        canvas.rect(
            right - width, y - 0.62 * size, width, 1.24 * size, radius=7, fill=NEGATIVE, title=title
        )
    fill = "#ffffff" if points < 0 else INK
    canvas.text(right - width / 2, y, text, size=size, bold=True, fill=fill, title=title)
    return right - max(width, 2.4 * size) - 8


def _write_place(canvas: Canvas, x: float, y: float, area: Area, seen: Visible) -> None:
    """Write a seat's place at the end: up to ``x`` in a narrow head, else from there."""
    first = seen.ranks[area.seat] == 1
    canvas.text(
        x,
        y,
        ordinal(seen.ranks[area.seat]) + (" ★" if first else ""),
        size=16 if area.large else 13,
        bold=True,
        anchor="end" if is_narrow(area.box, area.large) else "start",
        fill="#8a6512" if first else FAINT_INK,
    )


def _draw_icon(canvas: Canvas, x: float, y: float, kind: str, seat: int, radius: float) -> None:
    if kind == "supply":
        disc(canvas, x, y, SEAT_PAINTS[seat], radius)
    elif kind == "cacophony":
        cacophony_disc(canvas, x, y, radius)
    else:
        size = 1.8 * radius
        canvas.rect(
            x - size / 2,
            y - size / 2,
            size,
            size,
            radius=3,
            fill="#cfc4ac",
            stroke=INK,
            stroke_width=1.2,
        )
        canvas.polygon(
            (
                (x, y - 0.6 * radius),
                (x + 0.55 * radius, y + 0.4 * radius),
                (x - 0.55 * radius, y + 0.4 * radius),
            ),
            fill=INK,
        )


# The decision


def _draw_column(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    LOOK.panel(canvas, box)
    if seen.over:
        _draw_ranking(canvas, box, seen)
    else:
        _draw_decision(canvas, plan, seen)
    if seen.move is not None:
        LOOK.last_move(canvas, box.x + 14, box.y + 388, seen.move.text, 23)
    _draw_legend(canvas, Rect(box.x, box.bottom - 150, box.width, 150))


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    seat_disc(canvas, box.x + 26, box.y + 26, seen.to_play, 13, 15)
    you = " (you)" if seen.seat == seen.to_play and seen.num_players > 1 else ""
    name = f"player_{seen.to_play}{you}"
    canvas.text(box.x + 46, box.y + 26, name, size=16, bold=True, anchor="start", fill=ACCENT)
    lines = textwrap.wrap(prompt(seen), 23)
    y = LOOK.write(canvas, box.x + 14, box.y + 56, lines)
    if seen.phase == "ROTATE" and seen.hand is not None:
        for turns in range(NUM_ROTATIONS):
            _draw_preview(canvas, preview_space(plan, turns), turns, seen)
    elif seen.hand is not None:
        square = hand_space(plan)
        x, middle = square.centre
        marked = seen.pointing if seen.phase == "ARROW" else frozenset()
        tile(
            canvas,
            x,
            middle,
            square.width,
            seen.hand,
            SEAT_PAINTS[seen.to_play],
            marked=marked,
            title="in hand: ",
        )
    elif seen.phase == "CHOOSE":
        then = ", ".join(name_of(seat) for seat in seen.queue)
        if then:
            LOOK.write(
                canvas, box.x + 14, y + 8, ["then", *textwrap.wrap(then, 21)], fill=FAINT_INK
            )
        LOOK.button(canvas, button(plan), "no tile", size=15)
    if seen.may_stop:
        LOOK.button(canvas, button(plan), "no more discs", size=15)


def _draw_preview(canvas: Canvas, square: Rect, turns: int, seen: Visible) -> None:
    """The tile in hand as it may lie, and the arrows that would be covered."""
    x, y = square.centre
    met = seen.met[turns]
    tile(
        canvas,
        x,
        y,
        square.width,
        seen.hand,
        SEAT_PAINTS[seen.to_play],
        turns=turns,
        marked=met,
        title=f"turned by {90 * turns} degrees: ",
    )
    words = f"{90 * turns}°"
    if met:
        words += f": {len(met)} of {len(seen.hand.arrows)}"
    canvas.text(x, square.bottom + 12, words, size=12, fill=ACCENT if met else FAINT_INK)


def _draw_ranking(canvas: Canvas, box: Rect, seen: Visible) -> None:
    canvas.text(box.x + 14, box.y + 28, "game over", size=18, bold=True, anchor="start", fill=INK)
    y = box.y + 66
    if seen.num_players == 1:
        LOOK.write(canvas, box.x + 14, y, textwrap.wrap(solo_outcome(seen), 21), size=14)
        return
    red = [s for s in range(seen.num_players) if s == seen.forfeit or seen.scores[s] < 0]
    LOOK.ranking(
        canvas,
        box,
        y,
        ranked(seen, lambda seat: _minus(seen.scores[seat])),
        lambda y, seat: seat_disc(canvas, box.x + 76, y, seat, 13, 15),
        fills=dict.fromkeys(red, NEGATIVE),
    )


def _draw_legend(canvas: Canvas, box: Rect) -> None:
    x = box.x + 14
    for element, name in enumerate(ELEMENTS):
        line, place = divmod(element, 2)
        at = x + 10 + 86 * place
        badge(canvas, at, box.y + 8 + 26 * line, element, 10)
        canvas.text(at + 16, box.y + 8 + 26 * line, name, size=13, anchor="start", fill=INK)
    for k, (kind, words) in enumerate(
        (
            ("supply", "discs in the supply"),
            ("cacophony", "cacophony received"),
            ("unfinished", "tiles not completed"),
        )
    ):
        y = box.y + 66 + 24 * k
        _draw_icon(canvas, x + 10, y, kind, 0, 8)
        canvas.text(x + 26, y, words, size=12.5, anchor="start", fill=INK)
