"""Pictures of Shamans, and the places in them.

They show what ``visible.py`` returns for the viewer. The text is in ``text.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import numpy as np

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.panels import Rect, head_path, uncovered
from ...core.drawing.words import amount, ranked
from ..components import ECLIPSE, GOAL, NO_TILE, NOBODY, NUM_TILES, VALUES
from .geometry import (
    ARTEFACTS,
    BOARD,
    BUTTONS,
    COLUMN,
    HEIGHT,
    LOOKED_AT,
    RITUAL_HEIGHT,
    STATUS_HEIGHT,
    TITLE,
    TRACK,
    WIDTH,
    WORLD_HEAD,
    Area,
    Layout,
    layout_of,
    track_square,
)
from .pieces import (
    GOLD,
    ICONS,
    INK,
    LOOK,
    NIGHT,
    NIGHT_EDGE,
    PAINTS,
    WHITE,
    card,
    card_back,
    role,
    tile,
    tile_ground,
    tiles,
)
from .text import (
    POINTS_WORDS,
    camps_words,
    eclipse_words,
    heading,
    outcome,
    prompt,
    ritual_words,
)
from .visible import FACE_DOWN, Player, Visible, World, see

PAPER = "#dedcea"
GROUND, OUT = "#f0eef8", "#d3d0de"
BLOOD = "#8d2340"
# The Moon is larger than the squares and lies a little beyond the last one.
MOON_SHIFT = 37
# How far a choice's frame extends beyond its edge; less for things with an edge of their own.
FRAMES = {"take": 2, "ritual": -4, "swap": -4, "eliminate": -4, "guide": -4}
# Fill and ink by a world's status.
STATUS_PAINTS = {
    "destination": (INK, WHITE),
    "ritual now": (LOOK.accent, WHITE),
    "ritual to come": (LOOK.on_turn, LOOK.accent),
    "complete": (WHITE, LOOK.faint_ink),
}


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: the viewer, 0..num_players-1: it sits at the bottom, and sees the hidden things that
            it knows. None sees everything, even the pile.
        last_action: the action played last, to highlight: 0..83, or its parts as
            ``decode_action`` gives them. If the seat may not know it, the last public action is
            highlighted instead.

    Returns:
        A canvas of 1440 x 960 units.

    Raises:
        ValueError: an invalid seat or action.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, seen)
    _draw_track(canvas, seen)
    LOOK.panel(canvas, BOARD)
    for world in seen.worlds:
        _draw_world(canvas, plan, world, seen)
    _draw_artefacts(canvas, plan, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, seen)
    for place, box in plan.places:
        if place in BUTTONS:
            LOOK.button(canvas, box, BUTTONS[place])
        elif place[0] in FRAMES:
            LOOK.frame(canvas, box, dashed=True, grow=FRAMES[place[0]])
    return canvas


# Title and track


def _draw_title(canvas: Canvas, seen: Visible) -> None:
    LOOK.title(canvas, TITLE, "Shamans", heading(seen), y=94)
    for k, world in enumerate(seen.worlds):
        x, y, paint = TITLE.x + 26 + 27 * k, TITLE.y + 66, PAINTS[world.name]
        canvas.circle(x, y, 11.5, fill=paint.fill, stroke=paint.edge, stroke_width=1)
        ICONS.draw(canvas, world.name, x, y, 13, paint.ink)


def _draw_track(canvas: Canvas, seen: Visible) -> None:
    box = TRACK
    fill = canvas.linear_gradient(((0, "#474d8a"), (0.7, NIGHT.fill), (1, NIGHT_EDGE)), end=(1, 0))
    canvas.rect(*box, radius=14, fill=fill, stroke=NIGHT_EDGE, stroke_width=1.5)
    ICONS.draw(canvas, "stars", *box.centre, box.width)
    words = f"{amount(seen.moon - seen.pawn, 'step')} to the Moon"
    if seen.steps:
        words += f", about to go {seen.steps} on"
    LOOK.text(canvas, box.x + 16, box.y + 17, "Shadow track", fill=NIGHT.ink)
    LOOK.text(canvas, box.x + 124, box.y + 17, words, size=13.5, bold=True, fill=WHITE)
    first, last = track_square(seen, 0), track_square(seen, seen.moon)
    canvas.line(*first, *last, stroke=NIGHT.edge, stroke_width=2)
    step = (last[0] - first[0]) / seen.moon
    for square in range(seen.moon):
        _draw_square(canvas, seen, square, step)
    x, y = track_square(seen, seen.pawn)
    ICONS.draw(canvas, "moon", last[0] + MOON_SHIFT, last[1] - 8, 62, title="the Moon")
    if seen.pawn == seen.moon:
        x, y = x + MOON_SHIFT, y + 8
    ICONS.draw(canvas, "pawn", x, y - 14, 40, title="the Shadow pawn")


def _draw_square(canvas: Canvas, seen: Visible, square: int, step: float) -> None:
    """Draw a square of the track, without numbers that would overlap the pawn's."""
    x, y = track_square(seen, square)
    radius = min(13.0, 0.42 * step)
    here, start = square == seen.pawn, square == seen.start
    edge, thick = (GOLD, 3) if start else (NIGHT.edge, 1.2)
    style: Style = {"stroke": edge, "stroke_width": thick}
    style["title"] = f"square {square}" + (", the start" if start else "")
    canvas.circle(x, y, radius, fill="#6a3b73" if square <= seen.pawn else "#3a4180", **style)
    numbered = start or square % (5 if radius > 7 else 10) == 0
    if here or (numbered and abs(square - seen.pawn) * step > 24):
        fill = GOLD if start else WHITE if here else NIGHT.ink
        canvas.text(x, y + radius + 13, str(square), size=12, bold=here, fill=fill)


# Worlds


def _draw_world(canvas: Canvas, plan: Layout, world: World, seen: Visible) -> None:
    box, paint = plan.worlds[world.number], PAINTS[world.name]
    now = world.status in ("destination", "ritual now")
    edge, thick = (paint.edge, 4) if now else (paint.fill, 1.5)
    canvas.rect(*box, radius=10, fill=paint.pale, stroke=edge, stroke_width=thick)
    canvas.path(head_path(box, WORLD_HEAD, 10), fill=paint.fill)
    y = box.y + WORLD_HEAD / 2
    ICONS.draw(canvas, world.name, box.x + 18, y, 18, paint.ink)
    LOOK.text(canvas, box.x + 34, y, world.name, size=15, bold=True, fill=paint.ink)
    x, y = box.centre[0], box.y + WORLD_HEAD
    with canvas.group(title=f"ritual: {world.ritual}"):
        canvas.circle(x, y + 25, 19, fill=WHITE, stroke=paint.edge, stroke_width=1.2)
        ICONS.draw(canvas, world.ritual, x, y + 25, 24, INK)
        canvas.text(x, y + RITUAL_HEIGHT - 10, world.ritual, size=11.5, fill=INK)
    for value, slot in enumerate(plan.slots[world.number], 1):
        _draw_slot(canvas, slot, world, value, seen)
    if world.status:
        room = Rect(box.x + 6, box.bottom - STATUS_HEIGHT, box.width - 12, STATUS_HEIGHT - 6)
        title = f"{world.name}: {world.status}"
        LOOK.flag(canvas, room, world.status, *STATUS_PAINTS[world.status], title)


def _draw_slot(canvas: Canvas, slot: Rect, world: World, value: int, seen: Visible) -> None:
    """Draw the place of a card at a world, and the card if it has been laid."""
    number, edge = VALUES * world.number + value - 1, PAINTS[world.name].edge
    if value in world.values:
        card(canvas, slot, number)
        if seen.move is not None and seen.move.card == number:
            LOOK.frame(canvas, slot, grow=1)
        return
    coming = world.coming == value
    title = f"{world.name} {value}, " + ("on its way" if coming else "missing")
    size = min(0.5 * slot.width, 0.4 * slot.height)
    LOOK.empty(canvas, slot, title, [str(value)], size, edge if coming else "")
    if coming:
        LOOK.frame(canvas, slot, dashed=True, grow=1)


# Artefacts


def _draw_artefacts(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = ARTEFACTS
    LOOK.panel(canvas, box, "artefacts")
    for k in range(min(3, seen.pile_size) - 1, 0, -1):
        below = plan.display[-1]
        tile_ground(canvas, below._replace(x=below.x + 3 * k, y=below.y - 3 * k), face_up=False)
    top = ECLIPSE if seen.eclipse == "on top of the pile" else FACE_DOWN
    lying = [None if kind == NO_TILE else kind for kind in seen.display]
    lying.append(top if seen.pile_size else None)
    names = [*map(str, range(1, len(lying))), f"pile {seen.pile_size}"]
    for where, kind, name in zip(plan.display, lying, names, strict=True):
        if kind is None:
            LOOK.empty(canvas, where, f"{name}: no artefact", ["none"])
        else:
            tile(canvas, where, kind, seen.arrow)
        style: Style = {"size": 13, "bold": True, "fill": LOOK.faint_ink}
        canvas.text(where.centre[0], where.bottom + 14, name, **style)
    x, y = box.x + 14, box.y + 164
    canvas.line(x, y - 14, box.right - 14, y - 14, stroke=LOOK.panel_edge, stroke_width=1.2)
    tile(canvas, Rect(x, y - 6, 44, 44), ECLIPSE, seen.arrow)
    lines = eclipse_words(seen).split(", ")
    LOOK.write(canvas, x + 54, y + 16 - 9 * (len(lines) - 1), lines)
    y += 52
    LOOK.text(canvas, x, y, "out of the round", size=12, fill=LOOK.faint_ink)
    for kind in range(NUM_TILES):
        at = x + 134 + 50 * kind
        tile(canvas, Rect(at, y - 12, 24, 24), kind)
        LOOK.text(canvas, at + 31, y, str(seen.gone[kind]), bold=True)
    if seen.pile:
        y += 26
        LOOK.text(canvas, x, y + 1, "pile from the top", size=12, fill=LOOK.faint_ink)
        for k, kind in enumerate(seen.pile):
            tile(canvas, Rect(x + 30 * k, y + 11, 26, 26), kind)


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, player = area.box, seen.players[area.seat]
    ground = (OUT if player.eliminated else GROUND, LOOK.panel_edge)
    x = LOOK.seat_part(canvas, box, area.head.height, area.seat, seen, ground, area.large)
    y = area.head.centre[1] + 2
    labels = (
        (area.seat == seen.guide and not seen.over, "Guide", INK, "Guide of this trick"),
        (player.eliminated, "out", BLOOD, "eliminated"),
        (area.seat == seen.target, "⚔", BLOOD, "is being eliminated"),
    )
    for is_so, text, fill, title in labels:
        if is_so:
            x = LOOK.label(canvas, x + 4, y, text, fill, WHITE, title)
    points = "0" if seen.forfeit == area.seat else str(player.points)
    size = 21 if area.large else 18
    LOOK.text(canvas, box.right - 14, y, points, title="points", size=size, bold=True, anchor="end")
    role(canvas, area.role, player)
    _draw_front(canvas, area.front, player, seen)
    _draw_hand(canvas, area, player)
    for where, held in zip(area.tiles, player.artefacts, strict=True):
        tiles(canvas, where, held)
    if seen.move is not None and area.seat in seen.move.seats:
        LOOK.frame(canvas, area.role, grow=2)


def _draw_front(canvas: Canvas, box: Rect, player: Player, seen: Visible) -> None:
    """Draw the card played in this trick."""
    if player.front is None:
        title, *lines = {
            "": ("no card in this trick", "no card", "played"),
            "elsewhere": ("has played to another world", "played", "to another", "world"),
            "laid": ("the cards of the trick are laid", "card laid"),
        }[player.played]
        LOOK.empty(canvas, box, title, lines)
        return
    card(canvas, box, player.front, "not counted" if player.eliminated else "")
    if seen.move is not None and seen.move.card == player.front:
        LOOK.frame(canvas, box, grow=2)


def _draw_hand(canvas: Canvas, area: Area, player: Player) -> None:
    if not area.hand:
        x, y = area.room.x + 4, area.room.centre[1]
        LOOK.text(canvas, x, y, "no cards in hand", fill=LOOK.faint_ink)
        return
    backs = player.hand.count(FACE_DOWN)
    for k, (where, number) in enumerate(zip(area.hand, player.hand, strict=True)):
        shown = uncovered(area.hand, k)
        if number != FACE_DOWN:
            card(canvas, where, number, player.notes.get(number, ""), shown.width)
            continue
        card_back(canvas, where)
        if k == backs - 1:
            # The number of cards, on the last face-down one.
            radius = min(0.2 * where.height, shown.width / 2 - 1)
            LOOK.disc(canvas, *shown.centre, radius, str(len(player.hand)), WHITE, INK)


# The decision and the points


def _draw_column(canvas: Canvas, seen: Visible) -> None:
    box, x = COLUMN, COLUMN.x + 14
    LOOK.panel(canvas, box)
    if seen.over:
        LOOK.text(canvas, x, box.y + 28, "game over", size=18, bold=True)
        LOOK.text(canvas, x, box.y + 54, outcome(seen))
        rows = ranked(seen, lambda seat: f"{seen.scores[seat]:g}")
        LOOK.ranking(canvas, box, box.y + 94, rows)
    else:
        words = prompt(seen)
        y = LOOK.decision(canvas, box, seen, words[0].upper() + words[1:], 25)
        if seen.performer not in (NOBODY, seen.to_play):
            lines = textwrap.wrap(ritual_words(seen), 27)
            LOOK.write(canvas, x, y + 3, lines, size=12, fill=LOOK.faint_ink)
    if seen.looked_at is not None:
        tile(canvas, LOOKED_AT, seen.looked_at)
    if seen.move is not None:
        LOOK.last_move(canvas, x, box.y + 396, seen.move.text, 25, gap=20)
    _draw_points(canvas, box.down(0, 0, 296)[1], seen)


def _draw_points(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """Draw the points of all seats as bars, and how they are earned."""
    left, right = box.x + 14, box.right - 14
    canvas.line(left, box.y, right, box.y, stroke=LOOK.panel_edge, stroke_width=1.5)
    LOOK.text(canvas, left, box.y + 20, "points", bold=True)
    for seat, player in enumerate(seen.players):
        y = box.y + 50 + 33 * seat
        LOOK.badge(canvas, left + 10, y, seat, 10.5)
        parts = Rect(left + 28, y - 9, right - left - 60, 18).grid(GOAL, 1, 1)
        fill = "#7d6bb5" if player.points < GOAL else GOLD
        for k, part in enumerate(parts):
            canvas.rect(*part, radius=3, fill=fill if k < player.points else "#eae7f3")
        LOOK.text(canvas, right, y, str(player.points), size=14, bold=True, anchor="end")
    lines = [camps_words(seen), *POINTS_WORDS]
    if not seen.single:
        lines.append(f"first to lead with {GOAL} wins")
    LOOK.write(canvas, left, box.bottom - 69, lines, size=12, fill=LOOK.faint_ink)
