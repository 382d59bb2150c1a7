"""Pictures of Harmonies, and the places in them.

They show what ``visible.py`` returns. The text is in ``text.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import numpy as np

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.panels import Look, Rect
from ...core.drawing.words import amount, name_of, ranked
from ..components import CARD_NAMES, COLOURS, SOLO_GOAL, axial_of
from ..notation import hex_to_string
from ..state import CATEGORIES
from .geometry import HEIGHT, SHORT_CHIP, WIDTH, Area, Grid, Layout, layout_of, places
from .pieces import (
    ACCENT,
    CARD_PAINTS,
    FAINT_INK,
    ICONS,
    INK,
    PAINTS,
    card,
    card_back,
    card_colour,
    draw_cube,
    halo,
    stack,
    token,
)
from .text import category_names, end_words, prompt, side_words, solo_outcome, worth
from .visible import FACES, Table, Visible, see

PAPER = "#f2efe4"
FIELD = (("#e6eddc", "#d3dfc4"), ("#dcebee", "#c3dade"))
BOARD_FILL = (("#f3e6c6", "#e4d0a2"), ("#e9e2d2", "#d6cbb0"))
BOARD_EDGE = "#a88d58"
HEX_FILL, HEX_EDGE, HEX_INK = "#faf3de", "#b89f6c", "#9d8858"
CENTRAL_FILL = ("#b8cfa4", "#9cba86")
SPACE_FILL, SPACE_EDGE = "#f6f0dc", "#6f8a58"
LOOK = Look(
    ink=INK,
    faint_ink=FAINT_INK,
    accent=ACCENT,
    panel_fill="#fffdf8",
    panel_edge="#d6ccb4",
    on_turn="#f8e3f2",
    won="#fbeebf",
    seat_paints=(
        ("#fdfbf4", "#2b2620"),
        ("#2a2622", "#ffffff"),
        ("#8e5aa8", "#ffffff"),
        ("#2f9c95", "#ffffff"),
    ),
)
# Minimum edge length of hexes that are labelled.
NAMED_FROM = 34
MOST_SUNS = 11


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: the viewer, 0..num_players-1: its board is the largest, and of the spirit cards still
            to be chosen it sees only its own. None gives all boards the same room and sees all.
        last_action: the action played last, to highlight: 0..265, or its parts as
            ``decode_action`` gives them.

    Returns:
        A canvas of 1440 x 960 units.

    Raises:
        ValueError: an invalid seat or action.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, plan.title, seen)
    _draw_central(canvas, plan, seen)
    _draw_display(canvas, plan, seen)
    _draw_bag(canvas, plan.bag, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, plan, seen)
    for place, box in places(plan, seen):
        # The tokens in hand and the button already show it.
        if place in seen.begun and box not in (*plan.hand, plan.button):
            LOOK.frame(canvas, box, dashed=True, grow=2)
    return canvas


# The head


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    eyes = "all eyes" if seen.seat is None else name_of(seen.seat)
    lines = [side_words(seen), f"ply {seen.ply}, {eyes}"]
    LOOK.title(canvas, box, "Harmonies", lines, end_words(seen))
    for colour in range(len(COLOURS)):
        token(canvas, box.x + 29 + 30 * colour, box.y + 76, 12.5, colour)


def _draw_central(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box, grid = plan.central, plan.grid
    fill = canvas.linear_gradient(((0, CENTRAL_FILL[0]), (1, CENTRAL_FILL[1])))
    canvas.rect(*box, radius=22, fill=fill, stroke=SPACE_EDGE, stroke_width=2)
    LOOK.text(canvas, box.x + 16, box.y + 15, "central board", fill="#3f5630")
    for space, (at, colours) in enumerate(zip(plan.spaces, seen.central, strict=True)):
        marked, choosing = seen.moved("central", space), ("take", space) in seen.begun
        canvas.polygon(
            grid.outline(*at, 0.97),
            title=f"space {space + 1}: {', '.join(COLOURS[c] for c in colours) or 'empty'}",
            fill=SPACE_FILL,
            stroke=ACCENT if marked or choosing else SPACE_EDGE,
            stroke_width=3.5 if marked else 2,
            stroke_dasharray="7 5" if choosing and not marked else None,
        )
        (x, y), size = grid.at(*at), grid.size
        canvas.text(x, y - 0.53 * size, str(space + 1), size=11, bold=True, fill=HEX_INK)
        spots = ((-0.36, -0.04), (0.36, -0.04), (0, 0.38))
        for (right, down), colour in zip(spots, colours, strict=False):
            token(canvas, x + right * size, y + down * size, 0.32 * size, colour)


def _draw_display(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.display, "animal cards")
    right, y = plan.display.right - 12, plan.display.y + 15
    LOOK.text(canvas, right, y, f"{seen.deck} in the deck", anchor="end", fill=FAINT_INK)
    for place, (number, box) in enumerate(zip(seen.display, plan.cards, strict=True)):
        title = f"place {place + 1} of the display"
        if number:
            card(canvas, box, number, len(FACES[number].ladder), title=f"{title}: ")
        else:
            LOOK.empty(canvas, box, title)
        if seen.moved("display", place):
            LOOK.frame(canvas, box, grow=1)
        x, y = box.centre[0], plan.display.bottom - 14
        canvas.text(x, y, str(place + 1), size=13, bold=True, fill=FAINT_INK)


def _draw_bag(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box, "in the bag")
    x, text = box.right - 12, str(sum(seen.bag))
    LOOK.text(canvas, x, box.y + 15, text, size=14, anchor="end", bold=True)
    cells = Rect(box.x + 10, box.y + 30, 86, 43).repeated(len(COLOURS), 2)
    for colour, (cell, count) in enumerate(zip(cells, seen.bag, strict=True)):
        x, y = cell.x + 34, cell.y + 20
        with canvas.group(title=f"{count} {COLOURS[colour]} tokens in the bag"):
            token(canvas, x - 20, y + 3, 13, colour)
            LOOK.text(canvas, x, y - 8, COLOURS[colour], size=11, fill=FAINT_INK)
            LOOK.text(canvas, x, y + 7, str(count), size=15, bold=True)


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    top, bottom = FIELD[seen.side]
    ground = canvas.linear_gradient(((0, top), (1, bottom))), "#a9b694"
    LOOK.seat_part(canvas, area.box, area.head, area.seat, seen, ground, area.large)
    _draw_numbers(canvas, area, seen)
    _draw_cards(canvas, area, seen)
    _draw_board(canvas, area, seen)
    table = seen.tables[area.seat]
    for number, chip in zip(table.completed, area.chips, strict=True):
        _draw_chip(canvas, chip, number, table, area.large)


def _draw_numbers(canvas: Canvas, area: Area, seen: Visible) -> None:
    table, large = seen.tables[area.seat], area.large
    x, y = area.box.right - 16, area.box.y + area.head / 2 + 2
    points = "0" if seen.forfeit == area.seat else str(table.total)
    size = 24 if large else 19
    LOOK.text(canvas, x, y, points, title="points", size=size, bold=True, anchor="end")
    size = 15 if large else 13
    x -= 74 if large else 58
    with canvas.group(title=f"{table.empty} empty hexes"):
        corners = Grid(x - 14, y, 9 if large else 8).outline(0, 0)
        canvas.polygon(corners, fill=HEX_FILL, stroke=BOARD_EDGE, stroke_width=1.5)
        LOOK.text(canvas, x, y, str(table.empty), size=size)
    x -= 58 if large else 48
    with canvas.group(title=f"{len(table.cubes)} cubes settled"):
        draw_cube(canvas, x - 14, y + 4, 8 if large else 7, 1)
        LOOK.text(canvas, x, y, str(len(table.cubes)), size=size)


def _draw_cards(canvas: Canvas, area: Area, seen: Visible) -> None:
    table = seen.tables[area.seat]
    moved = seen.move.card if seen.move is not None and seen.move.seat == area.seat else None
    for k, (slot, held) in enumerate(zip(area.slots, table.cards, strict=True)):
        offered = k < len(table.offered)
        number, left = (table.offered[k], 1) if offered else (held.card, held.left)
        if number:
            title = f"spirit {k + 1}: " if offered else f"card {k + 1}: "
            card(canvas, slot, number, left, title=title, label=str(k + 1))
        elif offered:
            card_back(canvas, slot, "spirit card, face down")
        else:
            LOOK.empty(canvas, slot, f"place for card {k + 1}")
        if number and number == moved:
            LOOK.frame(canvas, slot, grow=1)


def _draw_board(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, size, table = area.board, area.grid.size, seen.tables[area.seat]
    top, bottom = BOARD_FILL[seen.side]
    fill = canvas.linear_gradient(((0, top), (1, bottom)))
    shadow = box._replace(x=box.x + 3, y=box.y + 5)
    canvas.rect(*shadow, radius=0.5 * size, fill="#000000", fill_opacity=0.15)
    canvas.rect(*box, radius=0.5 * size, fill=fill, stroke=BOARD_EDGE, stroke_width=1.5)
    names = [hex_to_string(k, seen.side) for k in range(len(table.stacks))]
    order = sorted(range(len(names)), key=lambda k: area.centres[k][1])
    style: Style = {"fill": HEX_FILL, "stroke": HEX_EDGE, "stroke_width": max(1, size / 30)}
    for k in order:
        corners = area.grid.outline(*axial_of(seen.side, k))
        canvas.polygon(corners, title=_hex_title(names[k], table, k), **style)
        if not table.stacks[k]:
            (x, y), text = area.centres[k], max(9.0, 0.32 * size)
            canvas.text(x, y - 0.15 * size, names[k], size=text, fill=HEX_INK, fill_opacity=0.9)
    ready = seen.ready if area.seat == seen.to_play else []
    ghosts = {hex_: table.cards[slot].card for slot, hex_ in reversed(ready)}
    for k in order:
        if not table.stacks[k]:
            continue
        cube, label = table.cubes.get(k, 0), names[k] if size >= NAMED_FROM else ""
        at, colours = area.centres[k], table.stacks[k]
        with canvas.group(title=_hex_title(names[k], table, k)):
            stack(canvas, *at, size, colours, cube or ghosts.get(k, 0), not cube, label)
            if seen.moved("hexes", k) and seen.move.seat == area.seat:
                halo(canvas, *at, size, len(colours))


def _hex_title(name: str, table: Table, k: int) -> str:
    colours = ", ".join(COLOURS[colour] for colour in table.stacks[k])
    cube = f"; {CARD_NAMES[table.cubes[k]]}" if k in table.cubes else ""
    return f"{name}: {colours or 'empty'}{cube}"


def _draw_chip(canvas: Canvas, box: Rect, number: int, table: Table, large: bool) -> None:
    face, points = FACES[number], worth(number, table)
    fill, edge, _ = CARD_PAINTS[face.spirit]
    size, y = 11 if large else 10, box.centre[1]
    with canvas.group(title=f"completed: {face.name}, {points} points"):
        canvas.rect(*box, radius=5, fill=fill, stroke=edge, stroke_width=1)
        band = Rect(box.x + 2, box.y + 2, 6, box.height - 4)
        canvas.rect(*band, radius=2, fill=PAINTS[card_colour(face)].fill)
        if box.width > SHORT_CHIP:
            LOOK.text(canvas, box.x + 12, y, face.name, size=size)
        style: Style = {"size": size + 1, "bold": True, "anchor": "end", "fill": "#7a5c06"}
        canvas.text(box.right - 6, y, str(points), **style)


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
        _draw_suns(canvas, box.x + 14, box.y + 360, seen)
    _, points = box.down(0, 0, 308)
    canvas.line(box.x + 14, points.y, box.right - 12, points.y, stroke=LOOK.panel_edge)
    tables = seen.tables
    rows = [
        (name, [table.points[category] for table in tables])
        for name, category in zip(category_names(seen), CATEGORIES, strict=True)
    ]
    LOOK.points(canvas, points, [*rows, ("in all", [table.total for table in tables])])


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.decision(canvas, plan.column, seen, prompt(seen), 25)
    for colour, place in zip(seen.hand, plan.hand, strict=True):
        x = place.centre[0]
        with canvas.group(title=f"{COLOURS[colour]} token in hand"):
            token(canvas, x, place.y + 32, 24, colour)
            canvas.text(x, place.bottom - 1, COLOURS[colour], size=12, fill=FAINT_INK)
    if ("end",) in seen.begun:
        text = "discard none" if seen.phase == "DISCARD" else "end the turn"
        LOOK.button(canvas, plan.button, text, size=15)


def _draw_ranking(canvas: Canvas, box: Rect, seen: Visible) -> None:
    x, y = box.x + 14, box.y + 28
    LOOK.text(canvas, x, y, "game over", size=18, bold=True)
    if seen.num_players == 1:
        LOOK.write(canvas, x, y + 40, textwrap.wrap(solo_outcome(seen), 23), size=14)
        return
    rows = ranked(seen, lambda seat: f"{seen.scores[seat]:g}")
    LOOK.ranking(canvas, box, y + 40, rows)


def _draw_suns(canvas: Canvas, x: float, y: float, seen: Visible) -> None:
    LOOK.text(canvas, x, y, f"{amount(seen.suns, 'sun')}, {SOLO_GOAL} are a win")
    for k, place in enumerate(Rect(x, y + 16, 31, 32).repeated(MOST_SUNS, 6)):
        name = "sun" if k < seen.suns else "sun-to-win"
        ICONS.draw(canvas, name, place.x + 12, place.y + 12, 26)
