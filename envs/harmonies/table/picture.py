"""Pictures of Harmonies, and what stands at a point of them.

They show the table as it lies: see ``visible.py`` for what that is. The text is in ``text.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Look, Rect
from ...core.drawing.words import amount, name_of, ordinal, ranked
from ..components import CARD_NAMES, COLOURS, SIDES, SOLO_GOAL, axial_of
from ..notation import hex_to_string
from ..state import CATEGORIES
from .geometry import (
    HEIGHT,
    LARGE_HEAD,
    SHORT_CHIP,
    SMALL_HEAD,
    WIDTH,
    Area,
    Layout,
    bag_place,
    button,
    display_place,
    hand_place,
    layout_of,
    space_at,
    space_grid,
)
from .pieces import (
    ACCENT,
    CREAM,
    FAINT_INK,
    INK,
    PAINTS,
    SPIRIT_EDGE,
    SPIRIT_FILL,
    card,
    card_back,
    card_colour,
    draw_cube,
    seat_badge,
    stack,
    sun,
    token,
)
from .text import prompt, solo_outcome, water_word
from .visible import FACE_DOWN, Table, Visible, is_spirit, points_of_card, see

PAPER = "#f2efe4"
PANEL_EDGE = "#d6ccb4"
FIELD = (("#e6eddc", "#d3dfc4"), ("#dcebee", "#c3dade"))
BOARD_FILL = (("#f3e6c6", "#e4d0a2"), ("#e9e2d2", "#d6cbb0"))
BOARD_EDGE = "#a88d58"
HEX_FILL, HEX_EDGE, HEX_INK = "#faf3de", "#b89f6c", "#9d8858"
CENTRAL_FILL = ("#b8cfa4", "#9cba86")
SPACE_FILL, SPACE_EDGE = "#f6f0dc", "#6f8a58"
WON = "#fbeebf"
LOOK = Look(
    ink=INK,
    faint_ink=FAINT_INK,
    accent=ACCENT,
    panel_fill="#fffdf8",
    panel_edge=PANEL_EDGE,
    on_turn="#f8e3f2",
    won=WON,
)
# Hexes are named where their edges are so long.
NAMED_FROM = 34


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: who looks, 0..num_players-1: its board is the largest, and of the spirit cards still
            to be chosen it sees its own alone. None gives all the same room and sees all.
        last_action: the action played last, to highlight: 0..265, or its parts as
            ``decode_action`` gives them.

    Returns:
        A canvas of 1440 x 960 units.

    Raises:
        ValueError: a seat or an action that can't be.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, plan.title, seen)
    _draw_central(canvas, plan, seen)
    _draw_display(canvas, plan, seen)
    _draw_bag(canvas, plan, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, plan, seen)
    return canvas


# The head


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    x = box.x + 16
    canvas.text(x, box.y + 34, "Harmonies", size=29, bold=True, anchor="start", fill=INK)
    for colour in range(len(COLOURS)):
        token(canvas, x + 13 + 30 * colour, box.y + 76, 12.5, colour)
    side = f"side {SIDES[seen.side]}: {water_word(seen)}"
    lines = [side, f"ply {seen.ply}, " + ("all eyes" if seen.seat is None else name_of(seen.seat))]
    if seen.over:
        lines.append("game over")
    elif seen.last_round:
        lines.append("last turn" if seen.num_players == 1 else "last round")
    for k, line in enumerate(lines):
        fill = ACCENT if k == 2 else INK if k == 0 else FAINT_INK
        y = box.y + 108 + 21 * k
        canvas.text(x, y, line, size=14, bold=k == 2, anchor="start", fill=fill)


def _draw_central(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.central
    fill = canvas.linear_gradient(((0, CENTRAL_FILL[0]), (1, CENTRAL_FILL[1])))
    canvas.rect(*box, radius=22, fill=fill, stroke="#6f8a58", stroke_width=2)
    canvas.text(box.x + 16, box.y + 15, "central board", size=13, anchor="start", fill="#3f5630")
    count = len(seen.central)
    grid = space_grid(plan, count)
    for space, colours in enumerate(seen.central):
        at = space_at(count, space)
        x, y = grid.at(*at)
        marked = seen.move is not None and seen.move.space == space
        canvas.polygon(
            grid.outline(*at, 0.97),
            title=f"space {space + 1}: {', '.join(COLOURS[c] for c in colours) or 'empty'}",
            fill=SPACE_FILL,
            stroke=ACCENT if marked or seen.may_take else SPACE_EDGE,
            stroke_width=3.5 if marked else 2,
            stroke_dasharray="7 5" if seen.may_take and not marked else None,
        )
        size = grid.size
        spots = ((-0.36, -0.04), (0.36, -0.04), (0, 0.38))
        canvas.text(x, y - 0.53 * size, str(space + 1), size=11, bold=True, fill=HEX_INK)
        for (right, down), colour in zip(spots, colours, strict=False):
            token(canvas, x + right * size, y + down * size, 0.32 * size, colour)


def _draw_display(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.display, "animal cards")
    count = len(seen.display)
    right = plan.display.right - 12
    text = f"{seen.deck} in the deck"
    canvas.text(right, plan.display.y + 15, text, size=13, anchor="end", fill=FAINT_INK)
    for place, number in enumerate(seen.display):
        box = display_place(plan, count, place)
        if number:
            title = f"place {place + 1} of the display: "
            card(canvas, box, number, points_of_card(number)[1], title=title)
        else:
            _empty_slot(canvas, box, f"place {place + 1} of the display")
        choosing = seen.may_take_card or seen.phase == "DISCARD"
        if number and choosing and not seen.over:
            LOOK.frame(canvas, box, dashed=True, grow=2)
        if seen.move is not None and seen.move.place == place:
            LOOK.frame(canvas, box, grow=1)
        x, y = box.centre[0], plan.display.bottom - 14
        canvas.text(x, y, str(place + 1), size=13, bold=True, fill=FAINT_INK)


def _empty_slot(canvas: Canvas, box: Rect, title: str) -> None:
    canvas.rect(
        *box.grown(-2),
        radius=8,
        title=title,
        fill="#ffffff",
        fill_opacity=0.25,
        stroke="#a89c80",
        stroke_width=1.2,
        stroke_dasharray="5 5",
    )


def _draw_bag(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.bag
    LOOK.panel(canvas, box, "in the bag")
    canvas.text(
        box.right - 12, box.y + 15, str(sum(seen.bag)), size=14, bold=True, anchor="end", fill=INK
    )
    for colour, count in enumerate(seen.bag):
        x, y = bag_place(plan, colour)
        with canvas.group(title=f"{count} {COLOURS[colour]} tokens in the bag"):
            token(canvas, x, y + 3, 13, colour)
            canvas.text(x + 20, y - 8, COLOURS[colour], size=11, anchor="start", fill=FAINT_INK)
            canvas.text(x + 20, y + 7, str(count), size=15, bold=True, anchor="start", fill=INK)


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, table = area.box, seen.tables[area.seat]
    on_turn = not seen.over and area.seat == seen.to_play
    top, bottom = FIELD[seen.side]
    fill = canvas.linear_gradient(((0, top), (1, bottom)))
    LOOK.area(canvas, box, fill, "#a9b694", on_turn)
    _draw_head(canvas, area, seen)
    _draw_cards(canvas, area, seen)
    _draw_board(canvas, area, seen)
    for number, chip in zip(table.completed, area.chips, strict=True):
        _draw_chip(canvas, chip, number, table, area.large)


def _draw_head(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Who it is, the points, cubes and empty hexes."""
    box, seat, large = area.box, area.seat, area.large
    table = seen.tables[seat]
    won = seen.over and seen.ranks[seat] == 1
    on_turn = not seen.over and seat == seen.to_play
    height = LARGE_HEAD if large else SMALL_HEAD
    LOOK.head(canvas, box, height, on_turn, won)
    y = box.y + height / 2 + 2
    radius = 13 if large else 11
    seat_badge(canvas, box.x + 22, y, seat, radius, 1.2 * radius)
    at = LOOK.seat_name(canvas, box.x + 43, y, seat, seen, 17 if large else 14)
    if seen.over and seen.num_players > 1:
        text = ordinal(seen.ranks[seat]) + (" ★" if won else "")
        fill = "#8a6512" if won else FAINT_INK
        size = 15 if large else 13
        canvas.text(at + 4, y, text, size=size, bold=True, anchor="start", fill=fill)
    right = box.right - 16
    points = "0" if seen.forfeit == seat else str(table.total)
    size = 24 if large else 19
    canvas.text(right, y, points, size=size, bold=True, anchor="end", fill=INK, title="points")
    chips = (("empty", table.empty, "empty hexes"), ("cube", len(table.cubes), "cubes settled"))
    for k, (kind, number, title) in enumerate(chips):
        x = right - (74 if large else 58) - (58 if large else 48) * k
        with canvas.group(title=f"{number} {title}"):
            if kind == "cube":
                draw_cube(canvas, x - 14, y + 4, 8 if large else 7, 1)
            else:
                _small_hex(canvas, x - 14, y, 9 if large else 8)
            canvas.text(x, y, str(number), size=15 if large else 13, anchor="start", fill=INK)


def _small_hex(canvas: Canvas, x: float, y: float, size: float) -> None:
    half, tall = size / 2, 0.78 * size
    points = ((size, 0), (half, tall), (-half, tall), (-size, 0), (-half, -tall), (half, -tall))
    canvas.polygon(
        [(x + a, y + b) for a, b in points], fill=HEX_FILL, stroke=BOARD_EDGE, stroke_width=1.5
    )


def _draw_cards(canvas: Canvas, area: Area, seen: Visible) -> None:
    table = seen.tables[area.seat]
    choosing = seen.phase == "SPIRIT" and not seen.over and area.seat == seen.to_play
    for k, (slot, held) in enumerate(zip(area.slots, table.cards, strict=True)):
        if k < len(table.offered):
            if table.offered[k] == FACE_DOWN:
                card_back(canvas, slot, "spirit card, face down")
            else:
                card(canvas, slot, table.offered[k], 1, title=f"spirit {k + 1}: ", label=str(k + 1))
            if choosing:
                LOOK.frame(canvas, slot, dashed=True, grow=2)
        elif held.card:
            card(canvas, slot, held.card, held.left, title=f"card {k + 1}: ", label=str(k + 1))
        else:
            _empty_slot(canvas, slot, f"place for card {k + 1}")
        if table.ready[k]:
            LOOK.frame(canvas, slot, dashed=True, grow=1)
        if _moved_by(seen, area.seat) and held.card and held.card == seen.move.card:
            LOOK.frame(canvas, slot, grow=1)


def _moved_by(seen: Visible, seat: int) -> bool:
    return seen.move is not None and seen.move.seat == seat


def _draw_board(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, size, table = area.board, area.grid.size, seen.tables[area.seat]
    fill = BOARD_FILL[seen.side]
    canvas.rect(
        box.x + 3,
        box.y + 5,
        box.width,
        box.height,
        radius=0.5 * size,
        fill="#000000",
        fill_opacity=0.15,
    )
    canvas.rect(
        *box,
        radius=0.5 * size,
        fill=canvas.linear_gradient(((0, fill[0]), (1, fill[1]))),
        stroke=BOARD_EDGE,
        stroke_width=1.5,
    )
    names = [hex_to_string(k, seen.side) for k in range(len(table.stacks))]
    named = size >= NAMED_FROM
    order = sorted(range(len(names)), key=lambda k: area.centre(k)[1])
    marked = seen.move.hex if _moved_by(seen, area.seat) else None
    ready = {k: slot for slot in reversed(range(4)) for k in table.ready[slot]}
    for k in order:
        x, y = area.centre(k)
        canvas.polygon(
            area.grid.outline(*axial_of(seen.side, k)),
            title=_hex_title(names[k], table, k),
            fill=HEX_FILL,
            stroke=HEX_EDGE,
            stroke_width=max(1, size / 30),
        )
        if not table.stacks[k]:
            text = max(9.0, 0.32 * size)
            canvas.text(x, y - 0.15 * size, names[k], size=text, fill=HEX_INK, fill_opacity=0.9)
    for k in order:
        colours = table.stacks[k]
        if not colours:
            continue
        x, y = area.centre(k)
        with canvas.group(title=_hex_title(names[k], table, k)):
            slot = ready.get(k)
            stack(
                canvas,
                x,
                y,
                size,
                colours,
                cube=table.cubes.get(k, 0),
                ghost=0 if slot is None else table.cards[slot].card,
                label=names[k] if named else "",
                marked=k == marked,
            )


def _hex_title(name: str, table: Table, k: int) -> str:
    """Say what is on a hex."""
    colours = ", ".join(COLOURS[colour] for colour in table.stacks[k])
    words = f"{name}: {colours or 'empty'}"
    if k in table.cubes:
        words += f"; {CARD_NAMES[table.cubes[k]]}"
    return words


def _draw_chip(canvas: Canvas, box: Rect, number: int, table: Table, large: bool) -> None:
    """A completed card: its name and its points."""
    spirit = is_spirit(number)
    points = table.points["spirits"] if spirit else points_of_card(number)[0]
    name = CARD_NAMES[number]
    with canvas.group(title=f"completed: {name}, {points} points"):
        canvas.rect(
            *box,
            radius=5,
            fill=SPIRIT_FILL if spirit else CREAM,
            stroke=SPIRIT_EDGE if spirit else "#6d5c40",
            stroke_width=1,
        )
        fill = PAINTS[card_colour(number)].fill
        canvas.rect(box.x + 2, box.y + 2, 6, box.height - 4, radius=2, fill=fill)
        size = 11 if large else 10
        y = box.centre[1]
        if box.width > SHORT_CHIP:
            canvas.text(box.x + 12, y, name, size=size, anchor="start", fill=INK)
        canvas.text(
            box.right - 6, y, str(points), size=size + 1, bold=True, anchor="end", fill="#7a5c06"
        )


# The decision and the points


def _draw_column(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    LOOK.panel(canvas, box)
    if seen.over:
        _draw_ranking(canvas, box, seen)
    else:
        _draw_decision(canvas, plan, seen)
    if seen.move is not None:
        LOOK.last_move(canvas, box.x + 14, box.y + 276, seen.move.text, 25)
    if seen.num_players == 1:
        _draw_suns(canvas, Rect(box.x, box.y + 352, box.width, 90), seen)
    _draw_points(canvas, Rect(box.x, box.bottom - 308, box.width, 308), seen)


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    x, y = box.x + 26, box.y + 26
    seat_badge(canvas, x, y, seen.to_play, 13, 15)
    you = " (you)" if seen.seat == seen.to_play and seen.num_players > 1 else ""
    name = f"{name_of(seen.to_play)}{you}"
    canvas.text(x + 20, y, name, size=16, bold=True, anchor="start", fill=ACCENT)
    LOOK.write(canvas, box.x + 14, box.y + 54, textwrap.wrap(prompt(seen), 25))
    for k, colour in enumerate(seen.hand):
        place = hand_place(plan, k, len(seen.hand))
        with canvas.group(title=f"{COLOURS[colour]} token in hand"):
            token(canvas, place.centre[0], place.y + 32, 24, colour)
            canvas.text(place.centre[0], place.bottom - 1, COLOURS[colour], size=12, fill=FAINT_INK)
    if seen.may_end:
        text = "discard none" if seen.phase == "DISCARD" else "end the turn"
        LOOK.button(canvas, button(plan), text, size=15)


def _draw_ranking(canvas: Canvas, box: Rect, seen: Visible) -> None:
    canvas.text(box.x + 14, box.y + 28, "game over", size=18, bold=True, anchor="start", fill=INK)
    y = box.y + 68
    if seen.num_players == 1:
        LOOK.write(canvas, box.x + 14, y, textwrap.wrap(solo_outcome(seen), 23), size=14)
        return
    LOOK.ranking(
        canvas,
        box,
        y,
        ranked(seen, lambda seat: f"{seen.scores[seat]:g}"),
        lambda y, seat: seat_badge(canvas, box.x + 82, y, seat, 13, 15),
    )


def _draw_suns(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """The suns of the solo game, as if it ended now."""
    text = f"{amount(seen.suns, 'sun')}, {SOLO_GOAL} are a win"
    canvas.text(box.x + 14, box.y + 8, text, size=13, anchor="start", fill=INK)
    for k in range(11):
        line, place = divmod(k, 6)
        sun(canvas, box.x + 26 + 31 * place, box.y + 36 + 32 * line, 13, shining=k < seen.suns)


def _draw_points(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """The points of all seats, as on the score pad."""
    step = 34
    first = box.x + 14
    right = box.right - 12
    columns = [right - 31 * (seen.num_players - 1 - seat) for seat in range(seen.num_players)]
    canvas.line(first, box.y, right, box.y, stroke=PANEL_EDGE, stroke_width=1.5)
    y = box.y + 20
    canvas.text(first, y, "points", size=13, bold=True, anchor="start", fill=INK)
    for seat, x in enumerate(columns):
        seat_badge(canvas, x - 10, y, seat, 10, 12, edge=1.2)
    names = [water_word(seen) if name == "water" else name for name in CATEGORIES]
    for k, name in enumerate((*names, "in all")):
        y = box.y + 20 + step * (k + 1)
        last = k == len(names)
        canvas.rect(
            first - 6,
            y - step / 2 + 2,
            right - first + 12,
            step - 4,
            radius=6,
            fill=WON if last else "#f6f1e3",
        )
        canvas.text(first, y, name, size=12, bold=last, anchor="start", fill=INK)
        for seat, x in enumerate(columns):
            table = seen.tables[seat]
            points = table.total if last else table.points[CATEGORIES[k]]
            canvas.text(x, y, str(points), size=12.5, bold=last, anchor="end", fill=INK)
