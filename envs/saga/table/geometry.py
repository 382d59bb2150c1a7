"""Where everything is in a picture of Saga: for drawing, and for finding what was clicked."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import Place, Rect, area_of, equal_parts, one_and_others, place_at
from ..actions import ACTIONS, ADD, DOWN, NEW, PASS, STRENGTHEN, TAKE_DEFENCE, TAKE_FORCE, TURN_UP
from ..components import COLOURS, NUM_KINGDOMS, NUM_VALUES
from .visible import Kingdom, Table, Visible, place_of, see

WIDTH, HEIGHT = 1440, 960
EDGE, GAP = 14, 8
COLUMN = 214
TITLE_HEIGHT, DECISION_HEIGHT, FREE_HEIGHT = 96, 256, 236
KINGDOM_HEIGHT = 248
LARGE_HEAD, SMALL_HEAD = 40, 32
# A card in its own units; the room between two.
CARD_WIDTH, CARD_HEIGHT, SPACE = 40, 56, 3
HAND_SCALES = (1.65, 1.5, 1.35, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7)
FORCE_SCALES = (1.6, 1.4, 1.25, 1.1, 1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.34)
# What is seen of a card that another covers.
COVERED = 0.52
PAD, COMPACT_PAD = 6, 4
CHIP_WIDTH = 84
CHIP_HEIGHT, CHIP_SPACE = 20, 4
NOTE_HEIGHT = 16


class Chip(NamedTuple):
    """A button on a force or a kingdom: the action that it stands for, and its word."""

    action: int
    word: str
    box: Rect


class Group(NamedTuple):
    """An attack force, or the place for a new one.

    Attributes:
        style: "named", "compact" without the name of its kingdom, "beside" with its cards on the
            same line, too.
        letters: size of the letters.
        cards: where its cards are, the first at the left; later ones lie on top.
    """

    box: Rect
    style: str
    letters: float
    cards: list[Rect]
    chips: list[Chip]


class Area(NamedTuple):
    """A seat's part of the picture: its hand, its forces, and where it can begin a new one.

    ``note`` is the line that says how many cards of the hand lie face down.
    """

    seat: int
    box: Rect
    large: bool
    hand: list[Rect]
    note: Rect
    forces: list[Group]
    new: Group | None


class Realm(NamedTuple):
    """A kingdom's part of the picture."""

    box: Rect
    cards: list[Rect]
    chips: list[Chip]


class Layout(NamedTuple):
    """All parts of a picture."""

    title: Rect
    decision: Rect
    free: Rect
    points: Rect
    kingdoms: list[Realm]
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    right, bottom = WIDTH - EDGE, HEIGHT - EDGE
    column, y = [], EDGE
    for height in (TITLE_HEIGHT, DECISION_HEIGHT, FREE_HEIGHT):
        column.append(Rect(EDGE, y, COLUMN, height))
        y += height + GAP
    points = Rect(EDGE, y, COLUMN, bottom - y)
    x = EDGE + COLUMN + GAP
    step = (right - x + GAP) / NUM_KINGDOMS
    realms = [
        _realm(seen, kingdom, Rect(x + step * k, EDGE, step - GAP, KINGDOM_HEIGHT))
        for k, kingdom in enumerate(seen.kingdoms)
    ]
    top = EDGE + KINGDOM_HEIGHT + GAP
    room = Rect(x, top, right - x, bottom - top)
    boxes = _shared(room, seen.num_players) if seen.seat is None else _around_seat(room, seen)
    areas = [_area(seen, seat, box, large) for seat, box, large in boxes]
    return Layout(*column, points, realms, areas)


def _shared(room: Rect, count: int) -> list[tuple[int, Rect, bool]]:
    """Give every seat an equal part."""
    return [(seat, box, count == 2) for seat, box in enumerate(equal_parts(room, count, GAP))]


def _around_seat(room: Rect, seen: Visible) -> list[tuple[int, Rect, bool]]:
    """Give the seat that looks the larger part, the others, in turn order, what is beside it."""
    others = seen.num_players - 1
    boxes = one_and_others(room, 620, others, GAP)
    return [
        ((seen.seat + k) % seen.num_players, box, k == 0 or others == 1)
        for k, box in enumerate(boxes)
    ]


# Rows of cards


def row_of(box: Rect, count: int, scale: float, step: float | None = None) -> list[Rect]:
    """Lay cards in a row from the left, closer where they need it; see ``step``, in cards."""
    width = scale * CARD_WIDTH
    across = width + SPACE if step is None else step * width
    if count > 1:
        across = min(across, (box.width - width) / (count - 1))
    return [Rect(box.x + k * across, box.y, width, scale * CARD_HEIGHT) for k in range(count)]


def _hand_cards(box: Rect, count: int) -> list[Rect]:
    """Lay a hand into lines: as large as it fits, cards side by side if they can."""
    for scale, lines, step in _HAND_WAYS:
        per_line = -(-count // lines)
        across = scale * CARD_WIDTH * (step or 1) + (SPACE if step is None else 0)
        high = lines * (scale * CARD_HEIGHT + SPACE) <= box.height
        if high and across * (per_line - 1) + scale * CARD_WIDTH <= box.width:
            break
    else:
        # As close together as need be.
        scale, lines, step, per_line = HAND_SCALES[-1], 1, None, count
    cards = []
    for line in range(lines):
        y = box.y + line * (scale * CARD_HEIGHT + SPACE)
        row = min(per_line, count - line * per_line)
        cards += row_of(box._replace(y=y), row, scale, step)
    return cards


# Ways to lay a hand, the best first: scale, lines, how far apart.
_HAND_WAYS = sorted(
    itertools.product(HAND_SCALES, (1, 2, 3), (None, COVERED)),
    key=lambda way: (-way[0] * (way[2] or 1), way[1]),
)


# A seat's part


def _area(seen: Visible, seat: int, box: Rect, large: bool) -> Area:
    table = seen.tables[seat]
    head = LARGE_HEAD if large else SMALL_HEAD
    inner = Rect(box.x + 10, box.y + head + 8, box.width - 20, box.height - head - 14)
    hand = _hand(table, inner)
    top = max((card.bottom for card in hand), default=inner.y) + 5
    note = Rect(inner.x, top, inner.width, NOTE_HEIGHT)
    top += NOTE_HEIGHT + 3 if table.mixed or table.hand is None else 5
    field = inner._replace(y=top, height=inner.bottom - top)
    acting = seat == seen.seat == seen.to_play and not seen.over
    begins = seat == seen.to_play and (NEW in seen.choices or seen.chosen == NEW)
    chips = [_force_chips(seen, slot) if acting else [] for slot in range(len(table.forces))]
    groups = _groups(field, table, chips, begins)
    new = groups.pop() if begins else None
    return Area(seat, box, large, hand, note, groups, new)


def _hand(table: Table, inner: Rect) -> list[Rect]:
    # Twelve forces need the room.
    part = 0.36 if len(table.forces) < 9 else 0.27
    room = inner._replace(height=part * inner.height)
    if table.hand is None:
        scale = max((s for s in HAND_SCALES if s * CARD_HEIGHT <= room.height), default=0.7)
        return row_of(room, table.size, min(scale, 1.1), 0.42)
    return _hand_cards(room, len(table.hand)) if table.hand else []


def _force_chips(seen: Visible, slot: int) -> list[tuple[int, str]]:
    kinds = (
        (STRENGTHEN, "+ card"),
        (DOWN, "+ face down"),
        (TAKE_FORCE, "take back"),
        (TURN_UP, "turn up"),
    )
    return [(first + slot, word) for first, word in kinds if first + slot in seen.choices]


def _groups(field: Rect, table: Table, chips: list[list], new: bool) -> list[Group]:
    """Lay the forces, and the place for a new one if that is wanted, into lines."""
    counts = [len(force.cards) for force in table.forces] + [1] * new
    chips = chips + [[]] * new
    groups: list[Group] = []
    for scale, style, step in _GROUP_WAYS if counts else ():
        groups = _flow(field, counts, chips, scale, style, step)
        if all(g.box.bottom <= field.bottom and g.box.right <= field.right for g in groups):
            break
    return groups


# Ways to lay forces, the best first: scale, style, how far cards are apart. The last is for more
# forces than anybody has who plays to win.
_GROUP_WAYS = sorted(
    itertools.product(FORCE_SCALES, ("named", "compact"), (None, COVERED)),
    key=lambda way: -way[0] * (1 if way[1] == "named" else 0.65) * (0.8 if way[2] else 1),
)
_GROUP_WAYS.append((FORCE_SCALES[-1], "beside", COVERED))


def _flow(
    field: Rect,
    counts: Sequence[int],
    chips: list[list],
    scale: float,
    style: str,
    step: float | None,
) -> list[Group]:
    named, beside = style == "named", style == "beside"
    letters = 7.5 if beside else min(13.5, max(9.5, 12 * scale))
    pad = PAD if named else COMPACT_PAD
    line = letters + 8
    lines = max(-(-len(row) // 2) for row in chips)
    above = 0 if beside else line
    height = 2 * pad + above + max(scale * CARD_HEIGHT, line if beside else 0)
    height += (line if named else 0) + lines * (CHIP_HEIGHT + CHIP_SPACE)
    least = 10.6 * letters + 2 * pad if named else 6.4 * letters + 20
    label = least - 2 * pad if beside else 0
    groups: list[Group] = []
    x, y = field.x, field.y
    for count, row in zip(counts, chips, strict=True):
        across = scale * CARD_WIDTH * (step or 1) + (SPACE if step is None else 0)
        width = across * (count - 1) + scale * CARD_WIDTH
        width = max(least, label + width + 2 * pad, _chips_width(row))
        if groups and x + width > field.right:
            x, y = field.x, y + height + GAP - 2
        box = Rect(x, y, width, height)
        inner = Rect(
            x + pad + label,
            y + pad + above - 2,
            width - 2 * pad - label,
            scale * CARD_HEIGHT,
        )
        cards = row_of(inner, count, scale, step)
        groups.append(Group(box, style, letters, cards, _chips(box, row)))
        x += width + GAP - 2
    return groups


def _chips_width(row: Sequence[tuple[int, str]]) -> float:
    """Return the width of a box that has buttons."""
    across = min(len(row), 2)
    return across * (CHIP_WIDTH + CHIP_SPACE) - CHIP_SPACE + 2 * PAD if row else 0


def _chips(box: Rect, row: Sequence[tuple[int, str]]) -> list[Chip]:
    """Put buttons at the bottom of a box, two in a line."""
    lines = -(-len(row) // 2)
    chips = []
    for k, (action, word) in enumerate(row):
        line, place = divmod(k, 2)
        alone = len(row) == 1 or (k == len(row) - 1 and place == 0)
        wide = box.width - 2 * PAD
        width = wide if alone else (wide - CHIP_SPACE) / 2
        y = box.bottom - 2 - (lines - line) * (CHIP_HEIGHT + CHIP_SPACE)
        where = Rect(box.x + PAD + place * (width + CHIP_SPACE), y, width, CHIP_HEIGHT)
        chips.append(Chip(action, word, where))
    return chips


# A kingdom's part


def _realm(seen: Visible, kingdom: Kingdom, box: Rect) -> Realm:
    # What isn't covered of six is narrower than their numbers, unless they are smaller.
    scale = {5: 0.92, 6: 0.8}.get(len(kingdom.cards), 1.12)
    room = Rect(box.x + 10, box.y + 152, box.width - 20 - 50, scale * CARD_HEIGHT)
    row = []
    if seen.seat is not None:
        kinds = ((ADD, "+ card"), (TAKE_DEFENCE, "take back"))
        number = kingdom.number
        row = [(first + number, word) for first, word in kinds if first + number in seen.choices]
    return Realm(box, row_of(room, len(kingdom.cards), scale), _chips(box, row))


def power_place(realm: Realm, k: int) -> Rect:
    """Return where the ``k``-th power of a kingdom is."""
    return Rect(realm.box.x + 8, realm.box.y + 60 + 45 * k, realm.box.width - 14, 42)


def shield_place(realm: Realm) -> tuple[float, float]:
    """Return the middle of the shield with the strength of a kingdom."""
    return realm.box.right - 30, realm.box.y + 182


# The column


def free_kinds(seen: Visible) -> list[tuple[int, int]]:
    """Return the free knights, each once, with how many there are."""
    return [(knight, seen.free.count(knight)) for knight in sorted(set(seen.free))]


def free_places(plan: Layout, seen: Visible) -> list[tuple[int, Rect]]:
    """Return where each free knight is; equal ones lie on top of each other."""
    kinds = free_kinds(seen)
    columns = 4 if len(kinds) <= 12 else 6
    scale = 1.0 if columns == 4 else 0.7
    room = Rect(plan.free.x + 12, plan.free.y + 30, COLUMN - 24, plan.free.height - 34)
    across, down = room.width / columns, scale * CARD_HEIGHT + 9
    width, height = scale * CARD_WIDTH, scale * CARD_HEIGHT
    places = []
    for k, (knight, _) in enumerate(kinds):
        line, place = divmod(k, columns)
        x = room.x + across * (place + 0.5) - width / 2
        places.append((knight, Rect(x, room.y + down * line, width, height)))
    return places


def button(plan: Layout) -> Rect:
    """Return the button to pass."""
    box = plan.decision
    return Rect(box.x + 16, box.y + 134, box.width - 32, 34)


# What can be clicked


def places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return what can be clicked, what lies on top of others first."""
    if seen.over:
        return []
    found: list[tuple[Place, Rect]] = []
    area = area_of(plan, seen.to_play)
    for part in (*plan.kingdoms, *area.forces):
        found += [(_parts(chip.action), chip.box) for chip in part.chips]
    if area.new is not None:
        found.append((_parts(NEW), area.new.box))
    if PASS in seen.choices:
        found.append((_parts(PASS), button(plan)))
    found += _cards(plan, seen, area)
    if seen.phase in ("TURN", "RECRUITING"):
        for knight, box in free_places(plan, seen):
            found.append((_named("recruit", knight), box))
    return found


def _cards(plan: Layout, seen: Visible, area: Area) -> list[tuple[Place, Rect]]:
    """Return the cards to choose from: of the hand, or of the force or defence chosen."""
    table = seen.tables[area.seat]
    if seen.phase in ("PLACING", "LAST_KNIGHT"):
        kind = "hidden" if DOWN <= seen.chosen < TAKE_FORCE else "card"
        cards = [(_named(kind, k), box) for k, box in zip(table.hand or (), area.hand, strict=True)]
        return cards[::-1]
    if seen.phase not in ("TAKING", "TURNING"):
        return []
    slot, kingdom = place_of(seen.chosen)
    if kingdom is not None:
        row = zip(seen.kingdoms[kingdom].cards, plan.kingdoms[kingdom].cards, strict=True)
        return [(_named("card", k), box) for k, box in row][::-1]
    cards = []
    for laid, box in zip(table.forces[slot].cards, area.forces[slot].cards, strict=True):
        kind = "card" if laid.up or seen.phase == "TURNING" else "hidden"
        if laid.knight is not None:
            cards.append((_named(kind, laid.knight), box))
    return cards[::-1]


def _parts(action: int) -> Place:
    return tuple(ACTIONS.decode(action).values())


def _named(kind: str, knight: int) -> Place:
    colour, value = divmod(knight, NUM_VALUES)
    return kind, COLOURS[colour], value + 1


def locate(x: float, y: float, state: np.void) -> Place | None:
    """Return what stands at a point of the picture, or None where nothing does.

    It is named by the values of ``decode_action``, in their order: every point names a whole
    action, as ``("strengthen", 0)`` at a button of a force, ``("new",)``, ``("pass",)``,
    ``("recruit", "red", 3)`` at a free knight, ``("card", "red", 3)`` at a card once the place for
    it is chosen. Whether it is legal is not asked.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    seen = see(state, int(state["to_play"]))
    return place_at(places(layout_of(seen), seen), x, y)
