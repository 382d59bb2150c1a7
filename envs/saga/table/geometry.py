"""The layout of a picture of Saga, for drawing and for locating clicks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import (
    Place,
    Rect,
    area_of,
    equal_parts,
    fan,
    of_last_record,
    one_and_others,
    uncovered,
)
from ...core.drawing.spots import Spot, spot_at
from ..actions import ACTIONS, CARD, DOWN, HIDDEN, NEW, PASS, RECRUIT, TAKE_FORCE
from .visible import Kingdom, Visible, place_of, see

WIDTH, HEIGHT = 1440, 960
EDGE, GAP = 14, 8
COLUMN = 214
TITLE_HEIGHT, DECISION_HEIGHT, FREE_HEIGHT = 96, 256, 236
KINGDOM_HEIGHT = 248
LARGE_HEAD, SMALL_HEAD = 40, 32
# Size of a card in its own units; the gap between two; the visible part of one that is covered.
CARD_WIDTH, CARD_HEIGHT, SPACE = 40, 56, 3
# Width of the strip at the left with the value and the emblem of a card that another one covers.
STRIP = 19
COVERED = 0.52
HAND_SCALES = (1.65, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7)
FORCE_SCALES = (1.6, 1.4, 1.25, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.34)
PAD = 5
BUTTON_WIDTH, BUTTON_HEIGHT, BUTTON_SPACE = 84, 20, 4

# An action, and the place to click for it.
Choice = tuple[int, Rect]


class Group(NamedTuple):
    """A kingdom's part, an attack force, or the place for a new one.

    Attributes:
        cards: boxes of its cards, from the left; later ones lie on top.
        buttons: its actions.
        named: whether the kingdom's name is above the cards; if not, all words are beside them.
        letters: size of a force's letters.
    """

    box: Rect
    cards: list[Rect]
    buttons: list[Choice]
    named: bool = True
    letters: float = 0


class Area(NamedTuple):
    """A seat's part of the picture: its hand, its forces, and the place for a new one."""

    seat: int
    box: Rect
    large: bool
    hand: list[Rect]
    forces: list[Group]
    new: Group | None


class Layout(NamedTuple):
    """All parts of a picture.

    Attributes:
        knights: each free knight with its box; equal ones lie on top of each other.
        choices: clickable places, topmost first.
    """

    title: Rect
    decision: Rect
    free: Rect
    points: Rect
    knights: list[tuple[int, Rect]]
    kingdoms: list[Group]
    areas: list[Area]
    choices: list[Choice]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    left, right = Rect(0, 0, WIDTH, HEIGHT).grown(-EDGE).across(GAP, COLUMN, 0)
    title, decision, free, points = left.down(GAP, TITLE_HEIGHT, DECISION_HEIGHT, FREE_HEIGHT, 0)
    top, room = right.down(GAP, KINGDOM_HEIGHT, 0)
    boxes = top.across(GAP, *[0] * len(seen.kingdoms))
    realms = [_realm(seen, *pair) for pair in zip(seen.kingdoms, boxes, strict=True)]
    if seen.seat is None:
        parts = equal_parts(room, seen.num_players, GAP)
    else:
        parts = one_and_others(room, 620, seen.num_players - 1, GAP)
    seats = [((seen.seat or 0) + k) % seen.num_players for k in range(seen.num_players)]
    areas = [_area(seen, *pair) for pair in zip(seats, parts, strict=True)]
    plan = Layout(title, decision, free, points, _free(seen, free), realms, areas, [])
    return plan._replace(choices=_choices(plan, seen) if seen.choices else [])


# Rows of cards


def row_width(count: int, scale: float, covered: bool) -> float:
    """Return the width of a row of cards, side by side or each covered by the next."""
    return count * scale * CARD_WIDTH + (count - 1) * _gap(scale, covered)


def _gap(scale: float, covered: bool) -> float:
    return (COVERED - 1) * scale * CARD_WIDTH if covered else SPACE


def row_of(box: Rect, count: int, scale: float, covered: bool = False) -> list[Rect]:
    """Lay cards in a row from the left, closer together if necessary."""
    room = box._replace(height=scale * CARD_HEIGHT)
    return fan(room, count, scale * CARD_WIDTH, _gap(scale, covered))


def is_covered(row: Sequence[Rect], k: int) -> bool:
    """Return whether the next card of a row lies on a card's emblem."""
    return uncovered(row, k).width < 0.88 * row[k].width


def _hand(room: Rect, count: int) -> list[Rect]:
    for scale, lines, covered in _HAND_WAYS:
        per_line, high = -(-count // lines), lines * (scale * CARD_HEIGHT + SPACE)
        if high <= room.height and row_width(per_line, scale, covered) <= room.width:
            break
    cards: list[Rect] = []
    for line in range(lines):
        y = room.y + line * (scale * CARD_HEIGHT + SPACE)
        row = min(per_line, count - len(cards))
        cards += row_of(room._replace(y=y), row, scale, covered)
    return cards


# Layouts of a hand, best first: scale, rows, whether each card is covered by the next. The last one
# always works: cards are as close together as necessary.
_HAND_WAYS = sorted(
    itertools.product(HAND_SCALES, (1, 2, 3), (False, True)),
    key=lambda way: (-way[0] * (COVERED if way[2] else 1), way[1]),
)
_HAND_WAYS.append((HAND_SCALES[-1], 1, False))


# A seat's part


def _area(seen: Visible, seat: int, box: Rect) -> Area:
    table = seen.tables[seat]
    large = seen.num_players == 2 or seat == seen.seat
    head = LARGE_HEAD if large else SMALL_HEAD
    inner = Rect(box.x + 10, box.y + head + 8, box.width - 20, box.height - head - 14)
    # Twelve forces need the room.
    part = 0.36 if len(table.forces) < 9 else 0.27
    count = table.size if table.hand is None else len(table.hand)
    hand = _hand(inner._replace(height=part * inner.height), count)
    noted = table.mixed or table.hand is None
    top = max((card.bottom for card in hand), default=inner.y) + (24 if noted else 10)
    field = inner._replace(y=top, height=inner.bottom - top)
    begins = seat == seen.to_play and (NEW in seen.choices or seen.chosen == NEW)
    counts = [len(force.laid) for force in table.forces]
    rows = [_offered(seen, force=slot) if seat == seen.seat else [] for slot in range(len(counts))]
    groups = _groups(field, counts + [1] * begins, rows + [[]] * begins)
    new = groups.pop() if begins else None
    return Area(seat, box, large, hand, groups, new)


def _groups(field: Rect, counts: Sequence[int], rows: Sequence[list[int]]) -> list[Group]:
    """Lay out forces of these sizes, with buttons for these actions, as large as possible."""
    groups: list[Group] = []
    for way in _FORCE_WAYS:
        groups = _flow(field, counts, rows, *way)
        if all(g.box.bottom <= field.bottom and g.box.right <= field.right for g in groups):
            break
    return groups


# Layouts of forces, best first: scale, named, whether each card is covered by the next. The last
# one is for more forces than sensible play leads to.
_FORCE_WAYS = sorted(
    itertools.product(FORCE_SCALES, (True, False), (False, True)),
    key=lambda way: -way[0] * (1 if way[1] else 0.55) * (0.8 if way[2] else 1),
)


def _flow(
    field: Rect,
    counts: Sequence[int],
    rows: Sequence[list[int]],
    scale: float,
    named: bool,
    covered: bool,
) -> list[Group]:
    letters = min(13.5, max(9.5 if named else 7.5, 12 * scale))
    pad, above, beside = (5, letters + 7, 0) if named else (4, 0, 6.4 * letters + 10)
    least = 10.6 * letters if named else 0
    buttons = max((-(-len(row) // 2) for row in rows), default=0)
    height = 2 * (pad + above) + scale * CARD_HEIGHT + buttons * (BUTTON_HEIGHT + BUTTON_SPACE)
    groups: list[Group] = []
    x, y = field.x, field.y
    for count, row in zip(counts, rows, strict=True):
        width = beside + row_width(count, scale, covered)
        width = max(width, least, min(len(row), 2) * (BUTTON_WIDTH + BUTTON_SPACE)) + 2 * pad
        if groups and x + width > field.right:
            x, y = field.x, y + height + GAP - 2
        box = Rect(x, y, width, height)
        inner = Rect(x + pad + beside, y + pad + above, width - 2 * pad - beside, 0)
        cards = row_of(inner, count, scale, covered)
        groups.append(Group(box, cards, _buttons(box, row), named, letters))
        x += width + GAP - 2
    return groups


def _offered(seen: Visible, **part: object) -> list[int]:
    actions = [] if seen.seat is None else sorted(seen.choices)
    return [action for action in actions if part.items() <= ACTIONS.decode(action).items()]


def _buttons(box: Rect, actions: Sequence[int]) -> list[Choice]:
    columns, lines = min(len(actions), 2), -(-len(actions) // 2)
    step = BUTTON_HEIGHT + BUTTON_SPACE
    top = Rect(box.x + PAD, box.bottom - 2 - lines * step, box.width - 2 * PAD, BUTTON_HEIGHT)
    first = top.across(BUTTON_SPACE, *[0] * columns)
    places = first[0].repeated(len(actions), columns, BUTTON_SPACE) if first else []
    return list(zip(actions, places, strict=True))


# Kingdoms and free knights


def _realm(seen: Visible, kingdom: Kingdom, box: Rect) -> Group:
    room = Rect(box.x + 10, box.y + 152, box.width - 70, 0)
    buttons = _buttons(box, _offered(seen, kingdom=kingdom.name))
    # The strips of all cards stay visible.
    count = len(kingdom.cards)
    scale = min(1.12, room.width / (max(count - 1, 0) * STRIP + CARD_WIDTH))
    return Group(box, row_of(room, count, scale), buttons)


def _free(seen: Visible, panel: Rect) -> list[tuple[int, Rect]]:
    knights = sorted(set(seen.free))
    columns, scale = (4, 1.0) if len(knights) <= 12 else (6, 0.7)
    width, height = scale * CARD_WIDTH, scale * CARD_HEIGHT
    step = (panel.width - 24) / columns
    first = Rect(panel.x + 12 + (step - width) / 2, panel.y + 30, width, height)
    return list(zip(knights, first.repeated(len(knights), columns, step - width), strict=True))


# What can be clicked


def _choices(plan: Layout, seen: Visible) -> list[Choice]:
    area = area_of(plan, seen.to_play)
    found = [choice for part in (*plan.kingdoms, *area.forces) for choice in part.buttons]
    if area.new is not None:
        found.append((NEW, area.new.box))
    if PASS in seen.choices:
        x, y, width, _ = plan.decision
        found.append((PASS, Rect(x + 16, y + 134, width - 32, 34)))
    found += _cards(plan, seen, area)
    if seen.phase in ("TURN", "RECRUITING"):
        found += [(RECRUIT + knight, box) for knight, box in plan.knights]
    return found


def _cards(plan: Layout, seen: Visible, area: Area) -> list[Choice]:
    table = seen.tables[area.seat]
    slot, kingdom = place_of(seen.chosen)
    if seen.phase in ("PLACING", "LAST_KNIGHT"):
        first = HIDDEN if DOWN <= seen.chosen < TAKE_FORCE else CARD
        actions, row = [first + knight for knight in table.hand or ()], area.hand
    elif kingdom is not None and seen.phase == "TAKING":
        actions = [CARD + knight for knight in seen.kingdoms[kingdom].cards]
        row = plan.kingdoms[kingdom].cards
    elif slot is not None and seen.phase in ("TAKING", "TURNING"):
        laid, row = table.forces[slot].laid, area.forces[slot].cards
        cards = [(one.knight, one.up or seen.phase == "TURNING") for one in laid]
        actions = [(CARD if up else HIDDEN) + k for k, up in cards if k is not None]
    else:
        return []
    return [(action, uncovered(row, k)) for k, action in enumerate(actions)]


def locate(x: float, y: float, state: np.void) -> Place | None:
    """Return the place at a point of the picture, or None.

    Its name consists of values of ``decode_action``, in order. Every point names a whole action:
    ``("strengthen", 0)`` at a button of a force, ``("new",)``, ``("pass",)``, ``("recruit",
    "red", 3)`` at a free knight, ``("card", "red", 3)`` at a card once the place for it is chosen.
    The action may be illegal.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    return spot_at(_spots_of(state), x, y)


def spots(state: np.void, seat: int | None = None) -> list[Spot]:
    """Return the clickable places in ``seat``'s picture, topmost first.

    There are none for a seat that isn't to play.
    """
    choices = layout_of(see(state, seat)).choices
    return [(tuple(ACTIONS.decode(action).values()), box) for action, box in choices]


@of_last_record
def _spots_of(state: np.void):
    return spots(state, int(state["to_play"]))
