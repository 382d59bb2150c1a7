"""Pictures of Saga, and what stands at a point of them.

They show the table as it lies: see ``visible.py`` for what that is. The text is in ``text.py``.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Look, Rect
from ...core.drawing.words import name_of, ordinal, ranked
from ..actions import CARD, HIDDEN, NEW, PASS, RECRUIT
from ..components import KINGDOMS, VALUE_OF
from .geometry import (
    HEIGHT,
    LARGE_HEAD,
    SMALL_HEAD,
    WIDTH,
    Area,
    Chip,
    Group,
    Layout,
    Realm,
    button,
    free_kinds,
    free_places,
    layout_of,
    power_place,
    shield_place,
)
from .pieces import (
    ACCENT,
    CREAM,
    FAINT_INK,
    INK,
    PAINTS,
    badge,
    card,
    card_back,
    cards_sign,
    coin,
    crown,
    emblem,
    power_icon,
    seat_badge,
    shield,
    sword,
)
from .text import guess_words, pass_words, prompt
from .visible import (
    CATEGORIES,
    Attack,
    Kingdom,
    Laid,
    Visible,
    place_of,
    power_text,
    power_when,
    see,
    span,
)

PAPER = "#e9e2d3"
REALM_FILL = "#fdf8ec"
AREA_FILL = ("#f6efdf", "#ebe0c8")
AREA_EDGE = "#b9a982"
HAND_FILL = "#d8c8a2"
FORCE_FILL = "#fffaf0"
ON_TURN = "#f8e3f2"
WON = "#fbeebf"
LOOK = Look(
    ink=INK,
    faint_ink=FAINT_INK,
    accent=ACCENT,
    panel_fill="#fffdf8",
    panel_edge="#cbbfa4",
    on_turn=ON_TURN,
    won=WON,
    label_at=(12, 16),
    line_step=1.36 * 13,
    frame_radius=7,
    frame_dash="6 4",
)


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: who looks, 0..num_players-1: its part is the largest, and it sees no card that lies
            face down and no hand that it can't know. None gives all the same room and sees all.
        last_action: the action played last, to highlight: 0..181, or its parts as
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
    _draw_decision(canvas, plan, seen)
    _draw_free(canvas, plan, seen)
    _draw_points(canvas, plan.points, seen)
    for kingdom, realm in zip(seen.kingdoms, plan.kingdoms, strict=True):
        _draw_kingdom(canvas, realm, kingdom, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    return canvas


# Parts of everything


def _draw_chip(canvas: Canvas, chip: Chip) -> None:
    canvas.rect(*chip.box, radius=6, fill=ON_TURN, stroke=ACCENT, stroke_width=1.4)
    canvas.text(*chip.box.centre, chip.word, size=11, bold=True, fill=ACCENT)


# The column


def _draw_title(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    canvas.text(box.x + 14, box.y + 31, "Saga", size=32, bold=True, anchor="start", fill=INK)
    crown(canvas, box.x + 124, box.y + 30, 26)
    looker = "all eyes" if seen.seat is None else name_of(seen.seat)
    text = f"ply {seen.ply}, {looker}"
    canvas.text(box.x + 14, box.y + 60, text, size=13, anchor="start", fill=FAINT_INK)
    last = "game over" if seen.over else "the last card was played" if seen.ending else ""
    if last:
        canvas.text(box.x + 14, box.y + 80, last, size=13, bold=True, anchor="start", fill=ACCENT)


def _draw_decision(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.decision
    LOOK.panel(canvas, box)
    if seen.over:
        _draw_ranking(canvas, box, seen)
    else:
        seat_badge(canvas, box.x + 26, box.y + 25, seen.to_play, 13)
        you = " (you)" if seen.seat == seen.to_play else ""
        text = f"{name_of(seen.to_play)}{you}"
        canvas.text(box.x + 46, box.y + 25, text, size=16, bold=True, anchor="start", fill=ACCENT)
        LOOK.write(canvas, box.x + 14, box.y + 53, textwrap.wrap(prompt(seen), 28)[:5])
        if PASS in seen.choices and seen.seat is not None:
            LOOK.button(canvas, button(plan), pass_words(seen))
    if seen.move is not None:
        LOOK.last_move(canvas, box.x + 14, box.y + 188, seen.move.text, 28)


def _draw_ranking(canvas: Canvas, box: Rect, seen: Visible) -> None:
    canvas.text(box.x + 14, box.y + 24, "game over", size=17, bold=True, anchor="start", fill=INK)
    y = box.y + 57
    for rank, seat, text in ranked(seen, lambda seat: span(seen.scores[seat])):
        if rank == 1:
            canvas.rect(box.x + 8, y - 15, box.width - 16, 30, radius=9, fill=WON)
        place = ordinal(rank)
        canvas.text(box.x + 18, y, place, size=15, bold=True, anchor="start", fill=INK)
        seat_badge(canvas, box.x + 76, y, seat, 11)
        canvas.text(box.right - 20, y, text, size=15, bold=True, anchor="end", fill=INK)
        y += 33


def _draw_free(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    LOOK.panel(canvas, plan.free, "free knights")
    right = plan.free.right - 12
    price = "one for free" if seen.phase == "RECRUITING" else "cost their value"
    canvas.text(right, plan.free.y + 16, price, size=11, anchor="end", fill=FAINT_INK)
    for (knight, count), (_, box) in zip(free_kinds(seen), free_places(plan, seen), strict=True):
        for k in reversed(range(min(count, 3))):
            card(canvas, box._replace(x=box.x + 3 * k, y=box.y + 3 * k), knight, title="free: ")
        if count > 1:
            x, y = box.right - 5, box.bottom - 6
            canvas.circle(x, y, 9, fill=CREAM, stroke=INK, stroke_width=1)
            canvas.text(x, y, f"×{count}", size=9.5, bold=True, fill=INK)
        if RECRUIT + knight in seen.choices:
            LOOK.frame(canvas, box, dashed=True, grow=2)
    if not seen.free:
        x, y = plan.free.centre
        canvas.text(x, y, "none", size=13, fill=FAINT_INK)


def _draw_points(canvas: Canvas, box: Rect, seen: Visible) -> None:
    """The points of all seats, by category."""
    LOOK.panel(canvas, box)
    rows = (*CATEGORIES, "in all")
    step = (box.height - 46) / len(rows)
    first, right = box.x + 12, box.right - 10
    columns = [right - 33 * (seen.num_players - 1 - seat) for seat in range(seen.num_players)]
    title = "at the end" if seen.over else "as if the game ended now"
    canvas.text(
        first, box.y + 22, "points", size=12, bold=True, anchor="start", fill=INK, title=title
    )
    for seat, x in enumerate(columns):
        seat_badge(canvas, x - 11, box.y + 22, seat, 10)
    for k, name in enumerate(rows):
        y = box.y + 42 + step * (k + 0.5)
        last = k == len(rows) - 1
        canvas.rect(
            first - 5,
            y - step / 2 + 2,
            right - first + 9,
            step - 4,
            radius=6,
            fill=WON if last else "#f4eddd",
        )
        canvas.text(first, y, name, size=12, bold=last, anchor="start", fill=INK)
        for seat, x in enumerate(columns):
            points = seen.tables[seat].points
            value = points.total if last else points[k]
            bounds = value if isinstance(value, tuple) else (value, value)
            _draw_number(canvas, x, y, bounds, last)


def _draw_number(canvas: Canvas, x: float, y: float, bounds: tuple[int, int], bold: bool) -> None:
    """Write a number at the right of a cell; within bounds one above the other."""
    low, high = (str(value).replace("-", "\u2212") for value in bounds)
    if low == high:
        canvas.text(x, y, low, size=12.5, bold=bold, anchor="end", fill=INK)
        return
    with canvas.group(title=f"between {low} and {high}"):
        canvas.text(x, y - 7, low, size=10, bold=bold, anchor="end", fill=INK)
        canvas.text(x, y + 7, f"…{high}", size=10, bold=bold, anchor="end", fill=INK)


# Kingdoms


def _draw_kingdom(canvas: Canvas, realm: Realm, kingdom: Kingdom, seen: Visible) -> None:
    box, paint = realm.box, PAINTS[kingdom.number]
    canvas.rect(*box, radius=12, fill=REALM_FILL, stroke=paint.edge, stroke_width=1.6)
    canvas.path(
        f"M {box.x + 1} {box.y + 36} V {box.y + 12} a 11 11 0 0 1 11 -11 H {box.right - 12} "
        f"a 11 11 0 0 1 11 11 V {box.y + 36} Z",
        fill=paint.fill,
    )
    emblem(canvas, box.x + 21, box.y + 19, kingdom.number, 22, paint.ink)
    canvas.text(
        box.x + 38, box.y + 19, kingdom.name, size=15.5, bold=True, anchor="start", fill=paint.ink
    )
    with canvas.group(title=f"{kingdom.income} fame a turn"):
        coin(canvas, box.right - 21, box.y + 19, 12.5, f"+{kingdom.income}")
    _draw_owner(canvas, box, kingdom)
    for k, power in enumerate(kingdom.powers):
        _draw_power(canvas, power_place(realm, k), kingdom, power)
    if not kingdom.powers:
        place = power_place(realm, 0)
        canvas.text(place.x + 4, place.y + 20, "no power", size=12, anchor="start", fill=FAINT_INK)
    _draw_defence(canvas, realm, kingdom, seen)
    for chip in realm.chips:
        _draw_chip(canvas, chip)
    chosen = not seen.over and place_of(seen.chosen)[1] == kingdom.number
    if chosen or (seen.move is not None and seen.move.kingdom == kingdom.number):
        LOOK.frame(canvas, box, grow=1, radius=13)


def _draw_owner(canvas: Canvas, box: Rect, kingdom: Kingdom) -> None:
    y = box.y + 49
    x = box.x + 18
    if kingdom.side == "crown":
        crown(canvas, x, y, 17)
    else:
        canvas.circle(x, y, 7.5, fill="#d9d0bd", stroke=FAINT_INK, stroke_width=1)
        canvas.text(x, y, "↻", size=11, bold=True, fill=INK)
    canvas.text(x + 14, y, kingdom.side, size=11.5, anchor="start", fill=FAINT_INK)
    right = box.right - 10
    if kingdom.owner is None:
        canvas.text(right, y, "centre", size=12, anchor="end", fill=FAINT_INK)
    else:
        name = name_of(kingdom.owner)
        canvas.text(right, y, name, size=12.5, bold=True, anchor="end", fill=INK)
        seat_badge(canvas, right - 0.66 * 12.5 * len(name) - 8, y, kingdom.owner, 9)


def _draw_power(canvas: Canvas, place: Rect, kingdom: Kingdom, power: str) -> None:
    used = kingdom.used and "once" in power
    words = power_text(kingdom, power)
    with canvas.group(title=f"{power_when(power)}: {words}", opacity=0.5 if used else None):
        power_icon(canvas, place.x + 16, place.centre[1], 32, power)
        lines = textwrap.wrap(words, 24)
        top = place.centre[1] - 7 * (len(lines) - 1)
        for k, line in enumerate(lines):
            canvas.text(place.x + 38, top + 14 * k, line, size=11, anchor="start", fill=INK)


def _draw_defence(canvas: Canvas, realm: Realm, kingdom: Kingdom, seen: Visible) -> None:
    choosing = seen.phase == "TAKING" and place_of(seen.chosen)[1] == kingdom.number
    for knight, box in zip(kingdom.cards, realm.cards, strict=True):
        card(canvas, box, knight, title=f"defends {kingdom.name}: ")
        if choosing and CARD + knight in seen.choices:
            LOOK.frame(canvas, box, dashed=True, grow=0)
        move = seen.move
        if move is not None and move.kingdom == kingdom.number and move.knight == knight:
            LOOK.frame(canvas, box, grow=0)
    if not kingdom.cards:
        canvas.text(
            realm.box.x + 14,
            realm.box.y + 182,
            "no defenders",
            size=12,
            anchor="start",
            fill=FAINT_INK,
        )
    x, y = shield_place(realm)
    text = str(kingdom.strength).replace("-", "\u2212")
    with canvas.group(title=f"strength {_sum_words(kingdom)}"):
        shield(canvas, x, y, 44, text)
        if kingdom.modifier:
            sign = "+1" if kingdom.modifier > 0 else "\u22121"
            canvas.text(x, y + 36, f"with {sign}", size=10.5, fill=FAINT_INK)


def _sum_words(kingdom: Kingdom) -> str:
    values = "+".join(str(int(VALUE_OF[knight])) for knight in kingdom.cards) or "0"
    return f"{values}{kingdom.modifier:+d}" if kingdom.modifier else values


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box = area.box
    on_turn = not seen.over and area.seat == seen.to_play
    fill = canvas.linear_gradient(((0, AREA_FILL[0]), (1, AREA_FILL[1])))
    LOOK.area(canvas, box, fill, AREA_EDGE, on_turn)
    _draw_head(canvas, area, seen)
    _draw_hand(canvas, area, seen)
    table = seen.tables[area.seat]
    for slot, (force, group) in enumerate(zip(table.forces, area.forces, strict=True)):
        _draw_force(canvas, group, force, slot, area.seat, seen)
    if area.new is not None:
        _draw_new(canvas, area.new, seen.chosen == NEW)


def _draw_head(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Who it is, its kingdoms, its cards, fame and points."""
    box, seat, large = area.box, area.seat, area.large
    table = seen.tables[seat]
    won = seen.over and seen.ranks[seat] == 1
    on_turn = not seen.over and seat == seen.to_play
    height = LARGE_HEAD if large else SMALL_HEAD
    LOOK.head(canvas, box, height, on_turn, won)
    y = box.y + height / 2 + 2
    radius = 13 if large else 11
    seat_badge(canvas, box.x + 22, y, seat, radius)
    size = 17 if large else 14
    x = box.x + 43
    canvas.text(x, y, name_of(seat), size=size, bold=True, anchor="start", fill=INK)
    x += 0.66 * size * len(name_of(seat)) + 8
    if seat == seen.first_player:
        canvas.text(x + 4, y, "⚑", size=size, fill=ACCENT, title="first player")
        x += 16
    if seat == seen.seat and not seen.over:
        canvas.text(x, y, "(you)", size=size - 4, anchor="start", fill=FAINT_INK)
        x += 42
    if seen.over:
        text = ordinal(seen.ranks[seat]) + (" ★" if won else "")
        canvas.text(x, y, text, size=size - 2, bold=True, anchor="start", fill=INK)
        x += 52
    for k, number in enumerate(table.kingdoms):
        badge(canvas, x + 12 + (2 * radius + 1) * k, y, number, radius - 1, KINGDOMS[number])
    _draw_numbers(canvas, box.right - 14, y, table, large)


def _draw_numbers(canvas: Canvas, right: float, y: float, table, large: bool) -> None:
    """At the right of the head: cards in hand, fame."""
    size = 18 if large else 15
    with canvas.group(title=f"{table.fame} fame"):
        text = str(table.fame)
        canvas.text(right, y, text, size=size, bold=True, anchor="end", fill=INK)
        right -= 0.7 * size * len(text) + 0.85 * size
        coin(canvas, right, y, 0.62 * size)
    right -= 1.3 * size
    with canvas.group(title=f"{table.size} cards in hand"):
        text = str(table.size)
        canvas.text(right, y, text, size=size - 2, anchor="end", fill=INK)
        right -= 0.66 * size * len(text) + 0.75 * size
        cards_sign(canvas, right, y, size)


def _draw_hand(canvas: Canvas, area: Area, seen: Visible) -> None:
    table = seen.tables[area.seat]
    if area.hand:
        top, bottom = area.hand[0].y, area.hand[-1].bottom
        strip = Rect(area.box.x + 5, top - 4, area.box.width - 10, bottom - top + 8)
        canvas.rect(*strip, radius=8, fill=HAND_FILL)
    if table.hand is None:
        for box in area.hand:
            card_back(canvas, box, "a card of a pack not seen yet")
        text = "no card was seen yet: which pack it is isn't known"
    else:
        choosing = _choosing_of_hand(area, seen)
        for knight, box in zip(table.hand, area.hand, strict=True):
            fits = seen.choices & {CARD + knight, HIDDEN + knight}
            card(canvas, box, knight, title="in hand: ", faded=choosing and not fits)
        text = f"{table.mixed} of these lie{'s' if table.mixed == 1 else ''} face down below"
        _mark_hand(canvas, area, seen)
    if table.hand is None or table.mixed:
        note = area.note
        canvas.text(note.x + 2, note.centre[1], text, size=11.5, anchor="start", fill=FAINT_INK)


def _choosing_of_hand(area: Area, seen: Visible) -> bool:
    """Say whether the one who looks sees which cards of this hand may be chosen."""
    choosing = seen.phase in ("PLACING", "LAST_KNIGHT") and area.seat == seen.to_play
    return choosing and bool(seen.choices)


def _mark_hand(canvas: Canvas, area: Area, seen: Visible) -> None:
    """Mark the cards that may be chosen, and the one that has come last."""
    table = seen.tables[area.seat]
    choosing = _choosing_of_hand(area, seen)
    move = seen.move
    came = move.knight if move is not None and move.to_hand and move.seat == area.seat else None
    for k, (knight, box) in enumerate(zip(table.hand, area.hand, strict=True)):
        whole = k + 1 == len(area.hand) or area.hand[k + 1].x >= box.right - 1
        if choosing and seen.choices & {CARD + knight, HIDDEN + knight}:
            LOOK.frame(canvas, box if whole else _shown(area.hand, k), dashed=True, grow=0)
        if knight == came:
            LOOK.frame(canvas, box if whole else _shown(area.hand, k), grow=0)
            came = None


def _shown(row: Sequence[Rect], k: int) -> Rect:
    """Return what is seen of a card that the next one covers."""
    box = row[k]
    if k + 1 == len(row) or row[k + 1].y != box.y:
        return box
    return box._replace(width=min(box.width, row[k + 1].x - box.x))


def _draw_force(
    canvas: Canvas, group: Group, force: Attack, slot: int, seat: int, seen: Visible
) -> None:
    box, letters = group.box, group.letters
    edge = PAINTS[force.target].edge if force.target >= 0 else FAINT_INK
    canvas.rect(*box, radius=9, fill=FORCE_FILL, stroke=edge, stroke_width=1.3)
    y = box.y + 5 + letters / 2 + 2
    radius = 0.68 * letters
    canvas.circle(box.x + 7 + radius, y, radius, fill="#e5dac2", stroke=FAINT_INK, stroke_width=1)
    x = box.x + 7 + radius
    canvas.text(x, y, str(slot + 1), size=0.85 * letters, bold=True, fill=INK)
    x += 2.1 * radius + 4
    if force.target >= 0:
        badge(canvas, x, y, force.target, 0.72 * letters, f"attacks {KINGDOMS[force.target]}")
    x += 1.2 * letters
    if group.style != "named":
        text = _odds(force, seen)
        right = group.cards[0].x if group.style == "beside" else box.right - 4
        canvas.text(right - 4, y, text, size=letters, bold=True, anchor="end", fill=INK)
    else:
        name = KINGDOMS[force.target] if force.target >= 0 else "no target"
        canvas.text(x, y, name, size=letters, bold=True, anchor="start", fill=INK)
        _draw_odds(canvas, group, force, seat, seen)
    for laid, place in zip(force.cards, group.cards, strict=True):
        _draw_laid(canvas, place, laid, seen)
    _mark_force(canvas, group, force, slot, seat, seen)
    for chip in group.chips:
        _draw_chip(canvas, chip)


def _odds(force: Attack, seen: Visible) -> str:
    if force.target < 0:
        return "0"
    return f"{force.strength}:{seen.kingdoms[force.target].strength}"


def _draw_odds(canvas: Canvas, group: Group, force: Attack, seat: int, seen: Visible) -> None:
    """Its strength against that of its kingdom."""
    letters = group.letters
    x = group.box.x + 16
    y = max(place.bottom for place in group.cards) + 4 + letters / 2 + 1
    sword(canvas, x, y, 1.5 * letters)
    text = str(force.strength)
    canvas.text(x + letters, y, text, size=1.1 * letters, bold=True, anchor="start", fill=INK)
    if force.target < 0:
        return
    kingdom = seen.kingdoms[force.target]
    x += 3.9 * letters
    shield(canvas, x, y, 1.25 * letters)
    text = str(kingdom.strength).replace("-", "\u2212")
    canvas.text(x + letters, y, text, size=1.1 * letters, anchor="start", fill=INK)
    if kingdom.owner is not None:
        title = f"held by {name_of(kingdom.owner)}"
        with canvas.group(title=title):
            seat_badge(canvas, x + 3.55 * letters, y, kingdom.owner, 0.62 * letters)


def _draw_laid(canvas: Canvas, box: Rect, laid: Laid, seen: Visible) -> None:
    if laid.up:
        card(canvas, box, laid.knight)
    else:
        card_back(canvas, box, f"face down: {guess_words(laid)}", laid.knight)


def _mark_force(
    canvas: Canvas, group: Group, force: Attack, slot: int, seat: int, seen: Visible
) -> None:
    acting = seat == seen.to_play and not seen.over
    chosen = acting and place_of(seen.chosen)[0] == slot
    choosing = chosen and seen.phase in ("TAKING", "TURNING")
    for k, laid in enumerate(force.cards):
        if choosing and laid.knight is not None:
            first = CARD if laid.up or seen.phase == "TURNING" else HIDDEN
            if first + laid.knight in seen.choices:
                LOOK.frame(canvas, _shown(group.cards, k), dashed=True, grow=0)
    move = seen.move
    moved = move is not None and move.seat == seat and move.force == slot
    if moved and move.knight is not None:
        for k, laid in enumerate(force.cards):
            if laid == Laid(move.knight, True):
                LOOK.frame(canvas, _shown(group.cards, k), grow=0)
    if chosen or (moved and move.knight is None):
        LOOK.frame(canvas, group.box, grow=1, radius=10)


def _draw_new(canvas: Canvas, group: Group, chosen: bool) -> None:
    box = group.box
    canvas.rect(
        *box,
        radius=9,
        fill=ON_TURN,
        stroke=ACCENT,
        stroke_width=3.5 if chosen else 2,
        stroke_dasharray=None if chosen else "6 4",
        title="begin a new attack force",
    )
    x, y = box.centre
    canvas.text(x, y - 10, "+", size=24, bold=True, fill=ACCENT)
    canvas.text(x, y + 12, "new force", size=12, bold=True, fill=ACCENT)
