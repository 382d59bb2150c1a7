"""Pictures of Saga, and the places in them.

They show what ``visible.py`` returns. The text is in ``text.py``.
"""

from __future__ import annotations

import textwrap

import numpy as np

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.panels import Look, Rect, head_path, uncovered
from ...core.drawing.words import minus, name_of, ranked, signed
from ..actions import ACTIONS, CARD, HIDDEN, NEW, PASS, LastAction
from ..components import KINGDOMS, VALUE_OF, WHEN
from ..state import CATEGORIES, Force, Laid
from .geometry import (
    HEIGHT,
    LARGE_HEAD,
    SMALL_HEAD,
    WIDTH,
    Area,
    Group,
    Layout,
    is_covered,
    layout_of,
)
from .pieces import (
    CREAM,
    PAINTS,
    SEAT_PAINTS,
    badge,
    card,
    card_back,
    cards_sign,
    coin,
    crown,
    emblem,
    power_icon,
    shield,
    sword,
)
from .text import guess_words, pass_words, prompt
from .visible import Kingdom, Move, Table, Visible, place_of, power_text, see, span

PAPER = "#e9e2d3"
REALM_FILL = "#fdf8ec"
AREA_FILL = ("#f6efdf", "#ebe0c8")
AREA_EDGE = "#b9a982"
HAND_FILL = "#d8c8a2"
LOOK = Look(frame_radius=7, frame_dash="6 4", seat_paints=SEAT_PAINTS, stripe="#f4eddd")
BUTTONS = {
    "strengthen": "+ card",
    "add": "+ card",
    "down": "+ face down",
    "take": "take back",
    "turn up": "turn up",
}
NO_MOVE = Move("")


def draw(state: np.void, seat: int | None = None, last_action: LastAction = None) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: the viewer, 0..num_players-1: its part is the largest, and it sees neither the others'
            face-down cards nor hands it can't know. None gives all the same room and sees all.
        last_action: the action played last, to highlight: 0..229, or its parts as
            ``decode_action`` gives them.

    Returns:
        A canvas of 1440 x 960 units.

    Raises:
        ValueError: an invalid seat or action.
    """
    seen = see(state, seat, last_action)
    plan = layout_of(seen)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    last = "game over" if seen.over else "last card played" if seen.ending else ""
    looker = "all eyes" if seen.seat is None else name_of(seen.seat)
    LOOK.title(canvas, plan.title, "Saga", [f"ply {seen.ply}, {looker}"], last, y=62)
    crown(canvas, plan.title.x + 116, plan.title.y + 33, 26)
    _draw_decision(canvas, plan.decision, seen)
    _draw_free(canvas, plan, seen)
    _draw_points(canvas, plan.points, seen)
    for kingdom, realm in zip(seen.kingdoms, plan.kingdoms, strict=True):
        _draw_kingdom(canvas, realm, kingdom, seen)
    for area in plan.areas:
        _draw_area(canvas, area, seen)
    _draw_choices(canvas, plan, seen)
    return canvas


# The column


def _draw_decision(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    if seen.over:
        LOOK.text(canvas, box.x + 14, box.y + 24, "game over", size=17, bold=True)
        rows = ranked(seen, lambda seat: span(seen.scores[seat]))
        LOOK.ranking(canvas, box, box.y + 57, rows, step=33)
    else:
        LOOK.decision(canvas, box, seen, prompt(seen), 28)
    if seen.move is not None:
        LOOK.last_move(canvas, box.x + 14, box.y + 188, seen.move.text, 28)


def _draw_free(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    box = plan.free
    LOOK.panel(canvas, box, "free knights")
    price = "one for free" if seen.phase == "RECRUITING" else "cost their value"
    canvas.text(box.right - 12, box.y + 16, price, size=11, anchor="end", fill=LOOK.faint_ink)
    for knight, place in plan.knights:
        count = seen.free.count(knight)
        for k in reversed(range(min(count, 3))):
            moved = place._replace(x=place.x + 3 * k, y=place.y + 3 * k)
            card(canvas, moved, knight, title="free: ")
        if count > 1:
            x, y = place.right - 5, place.bottom - 6
            canvas.circle(x, y, 9, fill=CREAM, stroke=LOOK.ink, stroke_width=1)
            canvas.text(x, y, f"×{count}", size=9.5, bold=True, fill=LOOK.ink)
    if not seen.free:
        canvas.text(*box.centre, "none", size=13, fill=LOOK.faint_ink)


def _draw_points(canvas: Canvas, box: Rect, seen: Visible) -> None:
    LOOK.panel(canvas, box)
    points = [table.points for table in seen.tables]
    rows: list = list(zip(CATEGORIES, zip(*points, strict=True), strict=True))
    rows.append(("in all", [one.total for one in points]))
    title = "at the end" if seen.over else "as if the game ended now"
    LOOK.points(canvas, box, rows, column=33, title=title)


# Kingdoms


def _draw_kingdom(canvas: Canvas, realm: Group, kingdom: Kingdom, seen: Visible) -> None:
    box, paint = realm.box, PAINTS[kingdom.number]
    canvas.rect(*box, radius=12, fill=REALM_FILL, stroke=paint.edge, stroke_width=1.6)
    canvas.path(head_path(box.grown(-1), 35, 11), fill=paint.fill)
    emblem(canvas, box.x + 21, box.y + 19, kingdom.number, 22, paint.ink)
    LOOK.text(canvas, box.x + 38, box.y + 19, kingdom.name, size=15.5, bold=True, fill=paint.ink)
    with canvas.group(title=f"{kingdom.income} fame a turn"):
        coin(canvas, box.right - 21, box.y + 19, 12.5, f"+{kingdom.income}")
    _draw_owner(canvas, box, kingdom)
    for k, power in enumerate(kingdom.powers):
        _draw_power(canvas, box.x + 8, box.y + 81 + 45 * k, kingdom, power)
    if not kingdom.powers:
        LOOK.text(canvas, box.x + 12, box.y + 80, "no power", size=12, fill=LOOK.faint_ink)
    _draw_defence(canvas, realm, kingdom, seen)


def _draw_owner(canvas: Canvas, box: Rect, kingdom: Kingdom) -> None:
    x, y, right = box.x + 18, box.y + 49, box.right - 10
    if kingdom.side == "crown":
        crown(canvas, x, y, 17)
    else:
        canvas.circle(x, y, 7.5, fill="#d9d0bd", stroke=LOOK.faint_ink, stroke_width=1)
        canvas.text(x, y, "↻", size=11, bold=True, fill=LOOK.ink)
    LOOK.text(canvas, x + 14, y, kingdom.side, size=11.5, fill=LOOK.faint_ink)
    if kingdom.owner is None:
        canvas.text(right, y, "centre", size=12, anchor="end", fill=LOOK.faint_ink)
    else:
        name = name_of(kingdom.owner)
        LOOK.text(canvas, right, y, name, size=12.5, bold=True, anchor="end")
        LOOK.badge(canvas, right - 0.66 * 12.5 * len(name) - 8, y, kingdom.owner, 9)


def _draw_power(canvas: Canvas, x: float, y: float, kingdom: Kingdom, power: str) -> None:
    words = power_text(kingdom, power)
    faded = "(used)" in words
    when = "at the end" if WHEN[power] == "end" else "in play"
    with canvas.group(title=f"{when}: {words}", opacity=0.5 if faded else None):
        power_icon(canvas, x + 16, y, 32, power)
        lines = textwrap.wrap(words, 24)
        for k, line in enumerate(lines):
            LOOK.text(canvas, x + 38, y + 14 * k - 7 * (len(lines) - 1), line, size=11)


def _draw_defence(canvas: Canvas, realm: Group, kingdom: Kingdom, seen: Visible) -> None:
    move = seen.move or NO_MOVE
    moved = move.kingdom == kingdom.number
    for k, (knight, place) in enumerate(zip(kingdom.cards, realm.cards, strict=True)):
        title = f"defends {kingdom.name}: "
        card(canvas, place, knight, title=title, covered=is_covered(realm.cards, k))
        if moved and move.knight == knight:
            LOOK.frame(canvas, place, grow=0)
    x, y = realm.box.right - 30, realm.box.y + 182
    if not kingdom.cards:
        LOOK.text(canvas, realm.box.x + 14, y, "no defenders", size=12, fill=LOOK.faint_ink)
    values = "+".join(str(VALUE_OF[knight]) for knight in kingdom.cards) or "0"
    change = signed(kingdom.modifier) if kingdom.modifier else ""
    with canvas.group(title=f"strength {values}{change}"):
        shield(canvas, x, y, 44, minus(kingdom.strength))
        if change:
            canvas.text(x, y + 36, f"with {change}", size=10.5, fill=LOOK.faint_ink)
    if moved or (place_of(seen.chosen)[1] == kingdom.number and not seen.over):
        LOOK.frame(canvas, realm.box, grow=1, radius=13)


# The seats' parts


def _draw_area(canvas: Canvas, area: Area, seen: Visible) -> None:
    box, table, large = area.box, seen.tables[area.seat], area.large
    fill = canvas.linear_gradient(((0, AREA_FILL[0]), (1, AREA_FILL[1])))
    head = LARGE_HEAD if large else SMALL_HEAD
    x = LOOK.seat_part(canvas, box, head, area.seat, seen, (fill, AREA_EDGE), large)
    y, radius = box.y + head / 2 + 2, 12 if large else 10
    for k, number in enumerate(table.kingdoms):
        badge(canvas, x + radius + (2 * radius + 3) * k, y, number, radius, KINGDOMS[number])
    _draw_numbers(canvas, box.right - 14, y, table, 18 if large else 15)
    _draw_hand(canvas, area, seen)
    for slot in range(len(table.forces)):
        _draw_force(canvas, area, slot, seen)
        _mark_force(canvas, area, slot, seen)
    if area.new is not None:
        _draw_new(canvas, area.new.box, seen.chosen == NEW)


def _draw_numbers(canvas: Canvas, right: float, y: float, table: Table, size: float) -> None:
    for number, what, sign in (
        (table.points.fame, "fame", coin),
        (table.size, "cards in hand", cards_sign),
    ):
        with canvas.group(title=f"{number} {what}"):
            LOOK.text(canvas, right, y, str(number), size=size, bold=True, anchor="end")
            right -= 0.7 * size * len(str(number)) + 0.85 * size
            sign(canvas, right, y, 0.62 * size)
        right -= 1.3 * size


def _draw_hand(canvas: Canvas, area: Area, seen: Visible) -> None:
    table, move = seen.tables[area.seat], seen.move or NO_MOVE
    if not area.hand:
        return
    top, bottom = area.hand[0].y, area.hand[-1].bottom
    strip = Rect(area.box.x + 5, top - 4, area.box.width - 10, bottom - top + 8)
    canvas.rect(*strip, radius=8, fill=HAND_FILL)
    note = f"{table.mixed} of these lie{'s' if table.mixed == 1 else ''} face down below"
    if table.hand is None:
        note = "no card was seen yet: which pack it is isn't known"
        for k, place in enumerate(area.hand):
            title = "a card of a pack not seen yet"
            card_back(canvas, place, title, covered=is_covered(area.hand, k))
    choosing = seen.choices and seen.phase in ("PLACING", "LAST_KNIGHT")
    hand = table.hand or ()
    for k, (knight, place) in enumerate(zip(hand, area.hand, strict=False)):
        fits = area.seat != seen.to_play or seen.choices & {CARD + knight, HIDDEN + knight}
        faded, covered = bool(choosing and not fits), is_covered(area.hand, k)
        card(canvas, place, knight, title="in hand: ", faded=faded, covered=covered)
    if move.to_hand and move.seat == area.seat and move.knight in hand:
        LOOK.frame(canvas, uncovered(area.hand, hand.index(move.knight)), grow=0)
    if table.mixed or table.hand is None:
        LOOK.text(canvas, area.box.x + 12, bottom + 13, note, size=11.5, fill=LOOK.faint_ink)


def _draw_force(canvas: Canvas, area: Area, slot: int, seen: Visible) -> None:
    group, force = area.forces[slot], seen.tables[area.seat].forces[slot]
    box, letters = group.box, group.letters
    target = None if force.target < 0 else seen.kingdoms[force.target]
    edge = PAINTS[target.number].edge if target else LOOK.faint_ink
    canvas.rect(*box, radius=9, fill=CREAM, stroke=edge, stroke_width=1.3)
    radius = 0.68 * letters
    x, y = box.x + 7 + radius, box.y + 7 + letters / 2
    canvas.circle(x, y, radius, fill="#e5dac2", stroke=LOOK.faint_ink, stroke_width=1)
    canvas.text(x, y, str(slot + 1), size=0.85 * letters, bold=True, fill=LOOK.ink)
    x += 2.1 * radius + 4
    if target:
        badge(canvas, x, y, target.number, 0.72 * letters, f"attacks {target.name}")
    x += 1.2 * letters
    style: Style = {"size": letters, "bold": True}
    if group.named:
        LOOK.text(canvas, x, y, target.name if target else "no target", **style)
        _draw_odds(canvas, group, force, target)
    else:
        odds = f"{force.strength}:{target.strength}" if target else "0"
        LOOK.text(canvas, x, y, odds, **style)
    for k, (laid, place) in enumerate(zip(force.laid, group.cards, strict=True)):
        covered = is_covered(group.cards, k)
        if laid.up and laid.knight is not None:
            card(canvas, place, laid.knight, covered=covered)
            continue
        back = f"face down: {guess_words(laid)}"
        card_back(canvas, place, back, laid.knight, recruited=laid.recruited, covered=covered)


def _draw_odds(canvas: Canvas, group: Group, force: Force, target: Kingdom | None) -> None:
    letters = group.letters
    x, y = group.box.x + 16, group.cards[0].bottom + 5 + letters / 2
    sword(canvas, x, y, 1.5 * letters)
    LOOK.text(canvas, x + letters, y, str(force.strength), size=1.1 * letters, bold=True)
    if target is None:
        return
    x += 3.9 * letters
    shield(canvas, x, y, 1.25 * letters)
    LOOK.text(canvas, x + letters, y, minus(target.strength), size=1.1 * letters)
    if target.owner is not None:
        with canvas.group(title=f"held by {name_of(target.owner)}"):
            LOOK.badge(canvas, x + 3.55 * letters, y, target.owner, 0.62 * letters)


def _mark_force(canvas: Canvas, area: Area, slot: int, seen: Visible) -> None:
    group, seat, move = area.forces[slot], area.seat, seen.move or NO_MOVE
    chosen = seat == seen.to_play and not seen.over and place_of(seen.chosen)[0] == slot
    moved = move.seat == seat and move.force == slot
    for k, laid in enumerate(seen.tables[seat].forces[slot].laid):
        if moved and laid == Laid(move.knight, True):
            LOOK.frame(canvas, uncovered(group.cards, k), grow=0)
    if chosen or (moved and move.knight is None):
        LOOK.frame(canvas, group.box, grow=1, radius=10)


def _draw_new(canvas: Canvas, box: Rect, chosen: bool) -> None:
    canvas.rect(*box, radius=9, fill=LOOK.on_turn, title="begin a new attack force")
    LOOK.frame(canvas, box, dashed=not chosen, grow=0, radius=9)
    x, y = box.centre
    canvas.text(x, y - 10, "+", size=24, bold=True, fill=LOOK.accent)
    canvas.text(x, y + 12, "new force", size=12, bold=True, fill=LOOK.accent)


def _draw_choices(canvas: Canvas, plan: Layout, seen: Visible) -> None:
    for action, place in plan.choices:
        kind = ACTIONS.decode(action)["kind"]
        if action not in seen.choices or action == NEW:
            continue
        if kind not in (*BUTTONS, "pass"):
            LOOK.frame(canvas, place, dashed=True, grow=0)
        elif seen.seat is not None:
            text = BUTTONS.get(kind) or pass_words(seen)
            LOOK.button(canvas, place, text, size=14 if action == PASS else 11)
