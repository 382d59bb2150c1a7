"""Pictures of Sagani, and the places in them.

They show what ``visible.py`` returns. The text is in ``text.py``.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import ACCENT, FAINT_INK, INK, Look, Place, Rect
from ...core.drawing.words import amount, minus, name_of, ordinal, ranked, signed
from ..components import ELEMENTS, GOAL, NUM_ELEMENTS, PERFECT_HARMONY
from .geometry import HEAD, HEIGHT, WIDTH, Area, Layout, layout_of, places
from .pieces import CREAM, ELEMENT_PAINTS, GOLD, SEAT_PAINTS, icon, stack, symbol, tile
from .text import prompt, solo_outcome
from .visible import ELEMENT_LETTERS, Face, Position, Visible, position_words, see

PAPER = "#f4eee0"
PANEL_EDGE = "#d9cdb6"
FIELD = ("#ece0c6", "#dfd0ae")
SPACE_FILL = "#e7dabd"
SPACE_EDGE = "#b39f78"
NEGATIVE = "#a8201a"
LOOK = Look(
    panel_edge=PANEL_EDGE,
    frame_widths=(4, 2.5),
    seat_paints=[(paint.fill, paint.ink) for paint in SEAT_PAINTS],
)
# Items beside a table: field of ``Table``, and description.
BESIDE = {
    "supply": "discs in the supply",
    "cacophony": "cacophony received",
    "unfinished": "tiles not completed",
}


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: the viewer, 0..num_players-1: its table is the largest. None gives all the same room.
            All viewers see the same.
        last_action: the action played last, to highlight: 0..423, or its parts as
            ``decode_action`` gives them.

    Returns:
        A canvas of 1200 x 900 units.

    Raises:
        ValueError: an invalid seat or action.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, plan.title, seen)
    if seen.num_players == 1:
        _draw_solo(canvas, plan.display, seen)
    else:
        LOOK.panel(canvas, plan.display, "display")
        _draw_spaces(canvas, plan.display_spaces, seen.display, "display")
        _draw_interlude(canvas, plan, seen)
    _draw_piles(canvas, plan, seen)
    _draw_track(canvas, plan.track, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, plan, seen)
    for place, box in places(plan, seen):
        _mark(canvas, place, box, seen)
    return canvas


def _frame(canvas: Canvas, box: Rect, dashed: bool = False, grow: float = -1) -> None:
    """Highlight a square."""
    LOOK.frame(canvas, box, dashed, grow, radius=box.width / 8)


def _mark(canvas: Canvas, place: Place, box: Rect, seen: Visible) -> None:
    """Highlight what can be taken now, and the space that the last move concerned."""
    kind = place[0]
    if place in seen.legal and kind in ("take", "choose", "aside"):
        _frame(canvas, box, dashed=True, grow=2)
    elif place in seen.movable_places:
        _frame(canvas, box, dashed=True)
    if kind in ("take", "choose") and seen.move is not None and place == seen.move.place:
        _frame(canvas, box, grow=2)


# Above the tables


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    looker = "all eyes" if seen.seat is None else name_of(seen.seat)
    loud = "game over" if seen.over else "last round" if seen.last_round else ""
    LOOK.title(canvas, box, "Sagani", [f"ply {seen.ply}, {looker}"], loud, y=94)
    for element in range(NUM_ELEMENTS):
        symbol(canvas, box.x + 24 + 26 * element, box.y + 68, element, 20)


def _draw_space(canvas: Canvas, box: Rect, title: str) -> None:
    """Draw an empty space for a tile."""
    with canvas.group(fill=SPACE_FILL, stroke=SPACE_EDGE, stroke_width=1.5, title=title):
        canvas.rect(*box.grown(-2), radius=box.width / 10)


def _draw_spaces(
    canvas: Canvas, boxes: Sequence[Rect], faces: Sequence[Face | None], name: str
) -> None:
    """Draw spaces with their numbers, and the tiles there."""
    for k, (box, face) in enumerate(zip(boxes, faces, strict=True)):
        title = f"space {k + 1} of the {name}"
        _draw_space(canvas, box, title)
        if face is not None:
            tile(canvas, box, face, title)
        canvas.text(box.centre[0], box.bottom + 11, str(k + 1), size=12, fill=FAINT_INK)


def _draw_interlude(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.interlude
    LOOK.panel(canvas, box, "interlude")
    if seen.removed:
        text = f"{seen.removed} left the game"
        canvas.text(box.right - 12, box.y + 15, text, size=12, anchor="end", fill=FAINT_INK)
    _draw_spaces(canvas, plan.interlude_spaces, seen.interlude, "interlude")


def _draw_piles(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.piles, "piles")
    for k, (box, (size, top)) in enumerate(zip(plan.pile_spaces, seen.piles, strict=True)):
        _draw_space(canvas, box, f"pile {k + 1}")
        if top is not None:
            # The edges of the tiles below are visible, all alike.
            for level in range(min(3, (size - 1 + 7) // 8), 0, -1):
                x, y, width, height = box.grown(-2)
                with canvas.group(fill="#b9a88a", stroke="#6d604a", stroke_width=1):
                    canvas.rect(x + 2.5 * level, y + 2.5 * level, width, height, radius=6)
            tile(canvas, box, top, f"pile {k + 1}, {amount(size, 'tile')}, on top")
        x, y = box.centre[0], plan.piles.bottom - 15
        canvas.text(x, y, str(size), size=13, bold=True, fill=INK)


def _draw_solo(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """Draw the goal of a solo game, and the progress towards it."""
    placed = len(seen.tables[0].tiles)
    if seen.advanced:
        LOOK.panel(canvas, box, "solo, advanced: place all 72 tiles")
        _draw_count(canvas, box, seen)
        LOOK.text(canvas, box.x + 14, box.y + 117, f"{amount(placed, 'tile')} placed", size=14)
        _draw_aside(canvas, box.right - 300, box.y, seen)
        return
    LOOK.panel(canvas, box, "solo, classic: 75 points with as few tiles as you can")
    counters = Rect(box.x + 14, box.y + 50, 24, 24).repeated(PERFECT_HARMONY, PERFECT_HARMONY, 4)
    for k, counter in enumerate(counters):
        fill, edge = (GOLD, "#8a6512") if k < placed else (SPACE_FILL, SPACE_EDGE)
        canvas.rect(*counter, radius=4, fill=fill, stroke=edge, stroke_width=1.5)
    words = f"{amount(placed, 'tile')} placed; perfect harmony with {PERFECT_HARMONY} or fewer"
    LOOK.text(canvas, box.x + 14, box.y + 100, words, size=16)


def _draw_count(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """Draw what the advanced game counts at its end, in its current state."""
    unfinished, cacophony = seen.deductions
    parts = {
        "track": seen.tables[0].score,
        "bonus": seen.bonus,
        "unfinished": -unfinished,
        "cacophony": -cacophony,
    }
    for k, (name, points) in enumerate([*parts.items(), ("in all", sum(parts.values()))]):
        last = name == "in all"
        x = box.x + 44 + 84 * k + 18 * last
        text = signed(points) if k and not last else f"{'= ' * last}{minus(points)}"
        fill = NEGATIVE if points < 0 else INK
        canvas.text(x, box.y + 62, text, size=22 if last else 18, bold=True, fill=fill)
        canvas.text(x, box.y + 90, name, size=13, fill=FAINT_INK)


def _draw_aside(canvas: Canvas, x: float, y: float, seen: Visible) -> None:
    if seen.aside:
        LOOK.text(canvas, x, y + 15, "put aside for the end", fill=FAINT_INK)
    for k, face in enumerate(seen.aside):
        tile(canvas, Rect(x + 2 + 58 * k, y + 46, 52, 52), face, f"put aside, {ordinal(k + 1)}")


# The track


def _draw_track(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    goal = int(GOAL[seen.num_players])
    LOOK.write(canvas, box.x + 12, box.y + 24, ["harmony", "track"], size=14, bold=True)
    if not seen.advanced:
        text = f"goal {goal}" if seen.num_players == 1 else f"end {goal}"
        LOOK.text(canvas, box.x + 12, box.y + 68, text, fill=FAINT_INK)
    last = max(goal + 14, *(field for field, _ in seen.track))
    in_row = -(-(last + 1) // 10) * 5
    width, height = (box.width - 100) / in_row, (box.height - 10) / 2
    fields = Rect(box.x + 92, box.y + 5, width, height).repeated(2 * in_row, in_row)
    step = 5 if width >= 14 else 10
    crowded = [field for field, seats in seen.track if len(seats) > 1]
    for field, place in enumerate(fields):
        fill = "#efe4cb" if field // 5 % 2 else "#f8f1e0"
        if field == goal and not seen.advanced:
            fill = GOLD
        edge = "none" if width < 14 else PANEL_EDGE
        canvas.rect(place.x, place.y + 1, width, height - 2, fill=fill, stroke=edge, stroke_width=1)
        if field % step == 0 and field not in crowded:
            x, y = place.centre[0], place.y + 7.5
            canvas.text(x, y, str(field), size=9.5, bold=field == goal, fill=INK)
    for field, seats in seen.track:
        _draw_markers(canvas, fields[field], field, seats)


def _draw_markers(canvas: Canvas, box: Rect, field: int, seats: Sequence[int]) -> None:
    names = ", ".join(name_of(seat) for seat in seats)
    radius = max(8, min(0.44 * box.width, 14))
    thickness = min(8.5, 28 / len(seats))
    with canvas.group(title=f"{field} points, from the bottom: {names}"):
        paints = [SEAT_PAINTS[seat] for seat in seats]
        stack(canvas, box.centre[0], box.y + 31, paints, radius, thickness, list(map(str, seats)))


# The tables


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    table, seat = seen.tables[area.seat], area.seat
    on_turn = not seen.over and seat == seen.to_play
    _draw_head(canvas, area, seen)
    if area.large:
        _draw_axes(canvas, area)
    if not table.tiles and not (on_turn and seen.chosen is not None):
        canvas.text(*area.cells[0, 0].centre, "no tiles yet", size=14, fill=FAINT_INK)
    if on_turn and seen.phase == "PLACE" and area.margin:
        _draw_free(canvas, area, seen)
    for position, face in table.tiles.items():
        box = area.cells[position]
        tile(canvas, box.grown(-0.015 * box.width), face, position_words(position), seat)
    if on_turn and seen.turned and seen.chosen is not None:
        _draw_turning(canvas, area.cells[seen.chosen], seen.turned[0])
    framed = _framed(area, seen)
    if framed is not None:
        _frame(canvas, area.cells[framed])


def _framed(area: Area, seen: Visible) -> Position | None:
    """Return the chosen cell or tile, or else the one that the last move concerned."""
    seat, move = area.seat, seen.move
    if seat == seen.to_play and (seen.chosen is not None or seen.movable):
        return seen.chosen
    if move is None or move.seat != seat or move.position not in seen.tables[seat].tiles:
        return None
    return move.position


def _draw_axes(canvas: Canvas, area: Area) -> None:
    """Write positions relative to the first tile, as in the names of actions."""
    (west, top), first = next(iter(area.cells.items()))
    columns, rows = (len({position[axis] for position in area.cells}) for axis in (0, 1))
    if max(columns, rows) < 4:
        return
    # If cells are small, not every name fits.
    every = math.ceil(26 / first.width)
    for (east, north), box in area.cells.items():
        x, y = box.centre
        if north == top and east % every == 0:
            canvas.text(x, area.box.bottom - 12, signed(east), size=11, fill=FAINT_INK)
        if east == west and north % every == 0:
            canvas.text(area.box.x + 16, y, signed(north), size=11, fill=FAINT_INK)


def _draw_free(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Draw the cells where the tile in hand may go."""
    for position in seen.free:
        box = area.cells[position]
        canvas.rect(
            *box.grown(-0.03 * box.width),
            radius=box.width / 9,
            title=position_words(position),
            fill="#ffffff",
            fill_opacity=0.4,
            stroke=ACCENT,
            stroke_width=2,
            stroke_dasharray="6 5",
        )
        canvas.text(*box.centre, "+", size=0.4 * box.width, fill=ACCENT)


def _draw_turning(canvas: Canvas, box: Rect, hand: Face) -> None:
    """Draw the tile in hand on its cell before it is turned."""
    paint = ELEMENT_PAINTS[hand.element]
    for fill, opacity in ((CREAM, 1), (paint.fill, 0.6)):
        canvas.rect(
            *box.grown(-0.03 * box.width), radius=box.width / 9, fill=fill, fill_opacity=opacity
        )
    canvas.text(*box.centre, "↻", size=0.58 * box.width, bold=True, fill=paint.edge)


def _draw_head(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Draw the seat's name, its points, and the items beside the table."""
    box, seat, large = area.box, area.seat, area.large
    fill = canvas.linear_gradient(((0, FIELD[0]), (1, FIELD[1])))
    LOOK.seat_part(canvas, box, HEAD, seat, seen, (fill, "#b39a6c"), large)
    y = box.y + HEAD + 15 if area.narrow else box.y + HEAD / 2 + 2
    left = _draw_score(canvas, box.right - 14, y, area, seen)
    step = 56 if large else 48
    x = box.x + 8 if area.narrow else left - 14 - 3 * step
    for k, (kind, words) in enumerate(BESIDE.items()):
        number = getattr(seen.tables[seat], kind)
        at = x + step * k
        with canvas.group(title=f"{number} {words}"):
            icon(canvas, at + 10, y, kind, seat, 9 if large else 7.5)
            LOOK.text(canvas, at + 22, y, str(number), size=15 if large else 13)


def _draw_score(canvas: Canvas, right: float, y: float, area: Area, seen: Visible) -> float:
    """Write a seat's points, right-aligned at ``right``; return where they start."""
    seat, size = area.seat, 24 if area.large and not area.narrow else 18
    on_track = seen.tables[seat].score
    # The score of the classic solo game also counts tiles; the points are those on the track.
    classic = seen.num_players == 1 and not seen.advanced
    points = seen.scores[seat] if seen.over and not classic else on_track
    text = minus(points)
    width = 0.7 * size * len(text) + 12
    title = f"{-on_track} points in negative tokens" if points < 0 and on_track < 0 else "points"
    if points < 0:
        ground = Rect(right - width, y - 0.62 * size, width, 1.24 * size)
        canvas.rect(*ground, radius=7, fill=NEGATIVE, title=title)
    fill = "#ffffff" if points < 0 else INK
    canvas.text(right - width / 2, y, text, size=size, bold=True, fill=fill, title=title)
    return right - max(width, 2.4 * size)


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
    _draw_legend(canvas, box.x + 24, box.bottom - 142)


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    y = LOOK.decision(canvas, box, seen, prompt(seen), 23)
    for turns, (face, part) in enumerate(zip(seen.turned, plan.turned, strict=False)):
        _draw_turned(canvas, part, 90 * turns, face, seen.to_play)
    if seen.pointed is not None:
        tile(canvas, plan.hand, seen.pointed, "chosen", seen.to_play)
        if seen.hand is not None:
            LOOK.text(canvas, plan.button.x, plan.waiting.centre[1], "in hand", fill=FAINT_INK)
            tile(canvas, plan.waiting, seen.hand, "in hand", seen.to_play)
    elif seen.hand is not None and not seen.turned:
        tile(canvas, plan.hand, seen.hand, "in hand", seen.to_play)
    if seen.queue and seen.hand is None and seen.pointed is None:
        names = ", ".join(name_of(seat) for seat in seen.queue)
        lines = ["then", *textwrap.wrap(names, 21)]
        LOOK.write(canvas, box.x + 14, y + 8, lines, fill=FAINT_INK)
    for kind, text in (("pass", "no tile"), ("done", "no more discs")):
        if (kind,) in seen.legal:
            LOOK.button(canvas, plan.button, text, size=15)


def _draw_turned(canvas: Canvas, part: Rect, degrees: int, face: Face, seat: int) -> None:
    """Draw the possible orientations of the tile in hand, and the arrows they would cover."""
    tile(canvas, part.middle(80, 80), face, f"turned by {degrees} degrees", seat)
    words = f"{degrees}°"
    if face.marked:
        words += f": {len(face.marked)} of {len(face.arrows)}"
    x, y = part.centre
    canvas.text(x, y + 52, words, size=12, fill=ACCENT if face.marked else FAINT_INK)


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
        ranked(seen, lambda seat: minus(seen.scores[seat])),
        lambda y, seat: LOOK.badge(canvas, box.x + 76, y, seat, 13),
        fills=dict.fromkeys(red, NEGATIVE),
    )


def _draw_legend(canvas: Canvas, x: float, y: float) -> None:
    for element, name in enumerate(ELEMENTS):
        line, column = divmod(element, 2)
        paint, letter = ELEMENT_PAINTS[element], ELEMENT_LETTERS[element]
        LOOK.disc(canvas, x + 86 * column, y + 26 * line, 10, letter, paint.fill, paint.ink)
        LOOK.text(canvas, x + 16 + 86 * column, y + 26 * line, name)
    for k, (kind, words) in enumerate(BESIDE.items()):
        icon(canvas, x, y + 58 + 24 * k, kind, 0, 8)
        LOOK.text(canvas, x + 16, y + 58 + 24 * k, words, size=12.5)
