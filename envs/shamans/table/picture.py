"""Pictures of Shamans, and what stands at a point of them.

They show the table as the seat that looks sees it: see ``visible.py`` for what that is. The text is
in ``text.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Look, Place, Rect
from ...core.drawing.words import amount, name_of, ordinal, ranked
from ..components import ECLIPSE, GOAL, NO_TILE, NOBODY, NUM_TILES, VALUES
from .geometry import (
    HEIGHT,
    RITUAL_HEIGHT,
    STATUS_HEIGHT,
    WIDTH,
    WORLD_HEAD,
    Area,
    Layout,
    buttons,
    display_place,
    layout_of,
    looked_at_place,
    pile_place,
    places,
    square_size,
    track_square,
    visible_width,
    world_box,
    world_slot,
)
from .pieces import (
    ACCENT,
    FAINT_INK,
    GOLD,
    INK,
    NIGHT,
    NIGHT_EDGE,
    NIGHT_INK,
    PAINTS,
    card,
    card_back,
    empty,
    flag,
    moon,
    pawn,
    ritual,
    role,
    seat_mark,
    symbol,
    tile,
    tile_ground,
)
from .text import (
    camps_words,
    eclipse_words,
    outcome,
    points_words,
    prompt,
    ritual_words,
    round_words,
)
from .visible import FACE_DOWN, Player, Visible, World, see

PAPER = "#dedcea"
PANEL_FILL = "#fdfcff"
PANEL_EDGE = "#bdb8d2"
ON_TURN = "#f8e3f2"
WON = "#fbeebf"
LOOK = Look(
    ink=INK,
    faint_ink=FAINT_INK,
    accent=ACCENT,
    panel_fill=PANEL_FILL,
    panel_edge=PANEL_EDGE,
    on_turn=ON_TURN,
    won=WON,
    label_at=(14, 18),
    frame_radius=9,
    frame_widths=(3.5, 2.2),
    frame_dash="7 4",
)
OUT = "#d3d0de"
# The Moon is larger than the squares: it lies a little beyond the last one.
MOON_SHIFT = 37


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: who looks, 0..num_players-1: it sits at the bottom, and of what is hidden it sees
            what it knows. None sees all, and the pile.
        last_action: the action played last, to highlight: 0..83, or its parts as
            ``decode_action`` gives them. If the seat may not know it, the last one that everybody
            knows takes its place.

    Returns:
        A canvas of 1440 x 960 units.

    Raises:
        ValueError: a seat or an action that can't be.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_title(canvas, plan.title, seen)
    _draw_track(canvas, plan, seen)
    _draw_board(canvas, plan, seen)
    _draw_artefacts(canvas, plan, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_column(canvas, plan, seen)
    _draw_choices(canvas, plan, seen)
    return canvas


# Title and track


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    x = box.x + 14
    canvas.text(x, box.y + 30, "Shamans", size=29, bold=True, anchor="start", fill=INK)
    for k, world in enumerate(seen.worlds):
        paint = PAINTS[world.name]
        at = x + 12 + 27 * k
        canvas.circle(at, box.y + 66, 11.5, fill=paint.fill, stroke=paint.edge, stroke_width=1)
        symbol(canvas, at, box.y + 66, world.name, 13, paint.ink)
    eyes = f"ply {seen.ply}, all eyes" if seen.seat is None else f"seen by {name_of(seen.seat)}"
    before = outcome(seen) or camps_words(seen)
    lines = [round_words(seen), before, eyes]
    for k, line in enumerate(lines):
        y = box.y + 95 + 19 * k
        fill = INK if k == 0 else FAINT_INK
        canvas.text(x, y, line, size=13.5, bold=k == 0, anchor="start", fill=fill)


def _draw_track(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.track
    fill = canvas.linear_gradient(((0, "#474d8a"), (0.7, NIGHT), (1, NIGHT_EDGE)), end=(1, 0))
    canvas.rect(*box, radius=14, fill=fill, stroke=NIGHT_EDGE, stroke_width=1.5)
    for k in range(46):
        # Stars, always the same ones.
        x, y = box.x + 12 + (k * 617) % (box.width - 24), box.y + 8 + (k * 37) % (box.height - 16)
        canvas.circle(x, y, 0.7 + k % 3 * 0.35, fill="#ffffff", fill_opacity=0.35)
    steps = seen.moon - seen.pawn
    words = f"{amount(steps, 'step')} to the Moon"
    if seen.steps:
        words += f", about to go {seen.steps} on"
    label = "Shadow track"
    canvas.text(box.x + 16, box.y + 17, label, size=13, anchor="start", fill=NIGHT_INK)
    canvas.text(
        box.x + 124, box.y + 17, words, size=13.5, bold=True, anchor="start", fill="#ffffff"
    )
    first, last = track_square(plan, seen, 0), track_square(plan, seen, seen.moon)
    canvas.line(*first, *last, stroke="#8f96cf", stroke_width=2)
    for square in range(seen.moon):
        _draw_square(canvas, plan, seen, square)
    moon(canvas, last[0] + MOON_SHIFT, last[1] - 8, 31)
    x, y = track_square(plan, seen, seen.pawn)
    there = seen.pawn == seen.moon
    pawn(canvas, x + (MOON_SHIFT if there else 0), y + (14 if there else 6), 40)


def _draw_square(canvas: Canvas, plan: Layout, seen: Visible, square: int) -> None:
    x, y = track_square(plan, seen, square)
    radius = square_size(plan, seen)
    gone, start = square <= seen.pawn, square == seen.start
    canvas.circle(
        x,
        y,
        radius,
        fill="#6a3b73" if gone else "#3a4180",
        stroke=GOLD if start else "#8f96cf",
        stroke_width=3 if start else 1.2,
        title=f"square {square}" + (", the start" if start else ""),
    )
    wide = 2.4 * radius > 17
    if square == seen.pawn or start or square % (5 if wide else 10) == 0:
        below = y + radius + 13
        fill = GOLD if start else "#ffffff" if square == seen.pawn else NIGHT_INK
        # Numbers close to the pawn's would run into it.
        near = abs(square - seen.pawn) * (track_square(plan, seen, 1)[0] - first_x(plan, seen))
        if square == seen.pawn or near > 24:
            canvas.text(x, below, str(square), size=12, bold=square == seen.pawn, fill=fill)


def first_x(plan: Layout, seen: Visible) -> float:
    return track_square(plan, seen, 0)[0]


# Worlds


def _draw_board(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.board)
    for world in seen.worlds:
        _draw_world(canvas, plan, seen, world)


def _draw_world(canvas: Canvas, plan: Layout, seen: Visible, world: World) -> None:
    box, paint = world_box(plan, seen, world.number), PAINTS[world.name]
    now = world.status in ("destination", "ritual now")
    canvas.rect(
        *box,
        radius=10,
        fill=paint.pale,
        stroke=paint.edge if now else paint.fill,
        stroke_width=4 if now else 1.5,
    )
    x = box.centre[0]
    canvas.path(
        f"M {box.x} {box.y + WORLD_HEAD} V {box.y + 10} a 10 10 0 0 1 10 -10 "
        f"H {box.right - 10} a 10 10 0 0 1 10 10 V {box.y + WORLD_HEAD} Z",
        fill=paint.fill,
    )
    y = box.y + WORLD_HEAD / 2
    symbol(canvas, box.x + 18, y, world.name, 18, paint.ink)
    canvas.text(box.x + 34, y, world.name, size=15, bold=True, anchor="start", fill=paint.ink)
    y = box.y + WORLD_HEAD
    with canvas.group(title=f"ritual: {world.ritual}"):
        canvas.circle(x, y + 25, 19, fill="#ffffff", stroke=paint.edge, stroke_width=1.2)
        ritual(canvas, x, y + 25, world.ritual, 24, INK)
        canvas.text(x, y + RITUAL_HEIGHT - 10, world.ritual, size=11.5, fill=INK)
    for value in range(1, world.size + 1):
        slot = world_slot(plan, seen, world.number, value)
        _draw_world_card(canvas, slot, seen, world, value)
    if world.status:
        _draw_status(canvas, box, world)


def _draw_world_card(canvas: Canvas, slot: Rect, seen: Visible, world: World, value: int) -> None:
    number = VALUES * world.number + value - 1
    paint = PAINTS[world.name]
    if value in world.values:
        card(canvas, slot, number, title=", laid")
    else:
        coming = world.coming == value
        title = f"{world.name} {value}, " + ("on its way" if coming else "missing")
        empty(canvas, slot, edge=paint.edge if coming else "#a39dbb", title=title)
        size = min(0.5 * slot.width, 0.4 * slot.height)
        style = {"bold": True, "fill": paint.edge} if coming else {"fill": "#8b85a3"}
        canvas.text(*slot.centre, str(value), size=size, **style)
        if coming:
            LOOK.frame(canvas, slot, dashed=True, grow=1)
    if seen.move is not None and seen.move.card == number and value in world.values:
        LOOK.frame(canvas, slot, grow=1)


def _draw_status(canvas: Canvas, box: Rect, world: World) -> None:
    fill, ink = {
        "destination": (INK, "#ffffff"),
        "ritual now": (ACCENT, "#ffffff"),
        "ritual to come": (ON_TURN, ACCENT),
        "complete": ("#ffffff", FAINT_INK),
    }[world.status]
    room = Rect(box.x + 6, box.bottom - STATUS_HEIGHT, box.width - 12, STATUS_HEIGHT - 6)
    flag(canvas, room, world.status, fill=fill, ink=ink, title=f"{world.name}: {world.status}")


# Artefacts


def _draw_artefacts(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.artefacts
    LOOK.panel(canvas, box, "artefacts")
    for place, kind in enumerate(seen.display):
        where = display_place(plan, place)
        if kind == NO_TILE:
            empty(canvas, where, ("none",), title=f"place {place + 1} for an artefact")
        else:
            tile(canvas, where, kind)
        _caption(canvas, where, str(place + 1))
    _draw_pile(canvas, plan, seen)
    x, y = box.x + 14, box.y + 164
    canvas.line(x, y - 14, box.right - 14, y - 14, stroke=PANEL_EDGE, stroke_width=1.2)
    tile(canvas, Rect(x, y - 6, 44, 44), ECLIPSE, arrow=seen.arrow)
    lines = eclipse_words(seen).split(", ")
    LOOK.write(canvas, x + 54, y + 16 - 9 * (len(lines) - 1), lines)
    y += 52
    canvas.text(x, y, "out of the round", size=12, anchor="start", fill=FAINT_INK)
    for kind in range(NUM_TILES):
        at = x + 134 + 50 * kind
        tile(canvas, Rect(at, y - 12, 24, 24), kind)
        canvas.text(at + 31, y, str(seen.gone[kind]), size=13, bold=True, anchor="start", fill=INK)
    if seen.pile:
        y += 26
        canvas.text(x, y + 1, "pile from the top", size=12, anchor="start", fill=FAINT_INK)
        for k, kind in enumerate(seen.pile):
            tile(canvas, Rect(x + 30 * k, y + 11, 26, 26), kind)


def _caption(canvas: Canvas, box: Rect, text: str) -> None:
    x = box.centre[0]
    canvas.text(x, box.bottom + 14, text, size=13, bold=True, fill=FAINT_INK)


def _draw_pile(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = pile_place(plan)
    if seen.pile_size == 0:
        empty(canvas, box, ("empty",), title="the pile is empty")
        return
    for k in range(min(3, seen.pile_size) - 1, 0, -1):
        tile_ground(canvas, box._replace(x=box.x + 3 * k, y=box.y - 3 * k), face_up=False)
    if seen.eclipse == "on top":
        tile(canvas, box, ECLIPSE, arrow=seen.arrow)
    else:
        tile(canvas, box, FACE_DOWN)
    _caption(canvas, box, f"pile {seen.pile_size}")


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, player = area.box, seen.players[area.seat]
    on_turn = not seen.over and area.seat == seen.to_play
    LOOK.area(canvas, box, OUT if player.eliminated else "#f0eef8", PANEL_EDGE, on_turn)
    _draw_head(canvas, area, seen)
    role(canvas, area.role, player.camp, player.revealed, player.witnesses)
    _draw_front(canvas, area, seen)
    _draw_hand(canvas, area, player)
    for where, held in zip(area.tiles, player.artefacts, strict=True):
        tile(canvas, where, held.kind, face_up=held.face_up, count=held.count)
    if seen.move is not None and len(seen.move.seats) > 1 and area.seat in seen.move.seats:
        LOOK.frame(canvas, area.role, grow=2)


def _draw_head(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Who it is, and the points."""
    box, seat, large = area.head, area.seat, area.large
    player = seen.players[seat]
    won = seen.over and seen.ranks[seat] == 1
    on_turn = not seen.over and seat == seen.to_play
    fill = OUT if player.eliminated else PANEL_FILL
    LOOK.head(canvas, box, box.height, on_turn, won, fill)
    y = box.centre[1] + 2
    seat_mark(canvas, box.x + 21, y, 12 if large else 11, seat)
    size = 16 if large else 14
    x = box.x + 40
    you = seat == seen.seat
    name = "you" if you else name_of(seat)
    canvas.text(x, y, name, size=size, bold=True, anchor="start", fill=INK)
    x += 0.66 * size * len(name) + 10
    labels = []
    if seat == seen.marker and not seen.over:
        labels.append(("1st", GOLD, INK, "First player marker"))
    if seat == seen.guide and not seen.over:
        labels.append(("Guide", INK, "#ffffff", "Guide of this trick"))
    if player.eliminated:
        labels.append(("out", "#8d2340", "#ffffff", "eliminated"))
    elif seat == seen.target:
        labels.append(("⚔", "#8d2340", "#ffffff", "is being eliminated"))
    if seen.over:
        labels.append((ordinal(seen.ranks[seat]), WON, "#7a5600", "place"))
    for text, fill, ink, title in labels:
        width = 7.2 * len(text) + 12
        flag(canvas, Rect(x, y - 9, width, 18), text, fill=fill, ink=ink, title=title)
        x += width + 5
    right = box.right - 14
    points = "0" if seen.forfeit == seat else str(player.points)
    size = 21 if large else 18
    canvas.text(right, y, points, size=size, bold=True, anchor="end", fill=INK, title="points")


def _draw_front(canvas: Canvas, area: Area, seen: Visible) -> None:
    """The card that was played in this trick."""
    player = seen.players[area.seat]
    if player.front is not None:
        note = "not counted" if player.eliminated else ""
        card(canvas, area.front, player.front, note=note, title=", played in this trick")
        if seen.move is not None and seen.move.card == player.front:
            LOOK.frame(canvas, area.front, grow=2)
        return
    lines, title = ("no card", "played"), "no card in this trick"
    if player.elsewhere:
        lines, title = ("played", "to another", "world"), "has played to another world"
    elif player.laid:
        lines, title = ("card laid",), "the cards of the trick are laid"
    empty(canvas, area.front, lines, title=title)


def _draw_hand(canvas: Canvas, area: Area, player: Player) -> None:
    if not player.hand:
        x, y = area.room.x + 4, area.room.centre[1]
        canvas.text(x, y, "no cards in hand", size=13, anchor="start", fill=FAINT_INK)
    for k, (where, number) in enumerate(zip(area.hand, player.hand, strict=True)):
        shown = visible_width(area.hand, k)
        if number == FACE_DOWN:
            card_back(canvas, where)
        else:
            note = player.notes.get(number, "")
            title = f", {note}" if note else ""
            card(canvas, where, number, note=note, title=title, shown=shown)
    backs = player.hand.count(FACE_DOWN)
    if backs:
        _draw_count(canvas, area.hand[backs - 1], visible_width(area.hand, backs - 1), player)


def _draw_count(canvas: Canvas, back: Rect, shown: float, player: Player) -> None:
    """How many cards there are, on the last one that lies face down."""
    where = "set aside" if player.eliminated else "in hand"
    with canvas.group(title=f"{len(player.hand)} cards {where}"):
        radius = min(0.2 * back.height, shown / 2 - 1)
        x, y = back.x + shown / 2, back.centre[1]
        canvas.circle(x, y, radius, fill="#ffffff", stroke=NIGHT_EDGE, stroke_width=1.2)
        canvas.text(x, y, str(len(player.hand)), size=1.1 * radius, bold=True, fill=INK)


# The decision and the points


def _draw_column(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    LOOK.panel(canvas, box)
    if seen.over:
        _draw_ranking(canvas, box, seen)
    else:
        _draw_decision(canvas, plan, seen)
    if seen.move is not None:
        LOOK.last_move(canvas, box.x + 14, box.y + 396, seen.move.text, 25, gap=20)
    _draw_points(canvas, Rect(box.x, box.bottom - 296, box.width, 296), seen)


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.column
    if seen.to_play is not None:
        x, y = box.x + 26, box.y + 26
        seat_mark(canvas, x, y, 13, seen.to_play)
        name = "you" if seen.seat == seen.to_play else name_of(seen.to_play)
        canvas.text(x + 20, y, name, size=16, bold=True, anchor="start", fill=ACCENT)
    words = prompt(seen)
    lines = textwrap.wrap(words[0].upper() + words[1:], 25)
    y = LOOK.write(canvas, box.x + 14, box.y + 56, lines)
    if seen.performer not in (NOBODY, seen.to_play):
        lines = textwrap.wrap(ritual_words(seen), 27)
        LOOK.write(canvas, box.x + 14, y + 3, lines, size=12, fill=FAINT_INK)
    if seen.looked_at is not None:
        kind = seen.looked_at
        tile(canvas, looked_at_place(plan), kind)
    for _, text, where in buttons(plan, seen):
        LOOK.button(canvas, where, text)


def _draw_ranking(canvas: Canvas, box: Rect, seen: Visible) -> None:
    canvas.text(box.x + 14, box.y + 28, "game over", size=18, bold=True, anchor="start", fill=INK)
    if outcome(seen):
        LOOK.write(canvas, box.x + 14, box.y + 54, [outcome(seen)])
    LOOK.ranking(
        canvas,
        box,
        box.y + 94,
        ranked(seen, lambda seat: f"{seen.scores[seat]:g}"),
        lambda y, seat: seat_mark(canvas, box.x + 82, y, 13, seat),
    )


def _draw_points(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """The points of all seats as bars, and what pays."""
    left, right = box.x + 14, box.right - 14
    canvas.line(left, box.y, right, box.y, stroke=PANEL_EDGE, stroke_width=1.5)
    canvas.text(left, box.y + 20, "points", size=13, bold=True, anchor="start", fill=INK)
    for seat, player in enumerate(seen.players):
        y = box.y + 50 + 33 * seat
        seat_mark(canvas, left + 10, y, 10.5, seat)
        room = Rect(left + 28, y - 9, right - left - 60, 18)
        canvas.rect(*room, radius=5, fill="#eae7f3")
        part = min(1, max(0, player.points / GOAL))
        if part:
            fill = "#7d6bb5" if part < 1 else GOLD
            canvas.rect(*room._replace(width=part * room.width), radius=5, fill=fill)
        for k in range(1, GOAL):
            x = room.x + k * room.width / GOAL
            canvas.line(x, room.y, x, room.bottom, stroke="#ffffff", stroke_width=1)
        points = str(player.points)
        canvas.text(right, y, points, size=14, bold=True, anchor="end", fill=INK)
    lines = [camps_words(seen), *points_words()]
    if not seen.single:
        lines.append(f"first to lead with {GOAL} wins")
    LOOK.write(canvas, left, box.bottom - 69, lines, size=12, fill=FAINT_INK)


def _draw_choices(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    """Dashed frames around what can be chosen; buttons and cards of the hand show it themselves."""
    own = [where for _, _, where in buttons(plan, seen)]
    for place, where in places(plan, seen):
        if place[0] != "card" and where not in own:
            LOOK.frame(
                canvas, where, dashed=True, grow=-4 if len(place) == 2 and _is_part(place) else 2
            )


def _is_part(place: Place) -> bool:
    """Say whether a choice is a part of the picture with an edge of its own."""
    return place[0] in ("swap", "eliminate", "guide", "ritual")
