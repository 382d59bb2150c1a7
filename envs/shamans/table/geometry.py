"""Where everything is in a picture of Shamans: for drawing, and for finding what was clicked."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import Place, Rect, area_of, place_at
from ..components import FACE_UP, STABILISATION_SQUARES, VALUES, WORLDS
from .visible import Player, Visible, see

WIDTH, HEIGHT = 1440, 960
EDGE, GAP = 16, 8
COLUMN = 212  # title and decision, at the left
TITLE_HEIGHT = 148
TRACK_HEIGHT = 98
TABLE_HEIGHT = 300
ARTEFACTS_WIDTH = 356
# Cards are higher than wide by this.
CARD_SHAPE = 1.42
LARGE_HEAD, SMALL_HEAD = 36, 32
# A seat's part that is at least so wide has all in one line.
ONE_LINE = 800
WORLD_HEAD, RITUAL_HEIGHT, STATUS_HEIGHT = 30, 66, 24


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: it has all in one line.
        head: the strip with the name.
        role: the role card.
        front: the place for the card played in this trick.
        room: for the hand.
        hand: the cards in hand, each over the one before.
        tiles: the artefacts, in the order of ``Player.artefacts``.
    """

    seat: int
    box: Rect
    large: bool
    head: Rect
    role: Rect
    front: Rect
    room: Rect
    hand: list[Rect]
    tiles: list[Rect]


class Layout(NamedTuple):
    """All parts of a picture."""

    title: Rect
    track: Rect
    board: Rect
    artefacts: Rect
    column: Rect
    areas: list[Area]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    right, bottom = WIDTH - EDGE, HEIGHT - EDGE
    title = Rect(EDGE, EDGE, COLUMN, TITLE_HEIGHT)
    column = Rect(EDGE, title.bottom + GAP, COLUMN, bottom - title.bottom - GAP)
    left = title.right + GAP
    track = Rect(left, EDGE, right - left, TRACK_HEIGHT)
    top = track.bottom + GAP
    artefacts = Rect(right - ARTEFACTS_WIDTH, top, ARTEFACTS_WIDTH, TABLE_HEIGHT)
    board = Rect(left, top, artefacts.x - GAP - left, TABLE_HEIGHT)
    room = Rect(left, board.bottom + GAP, right - left, bottom - board.bottom - GAP)
    boxes = _shared(room, seen.num_players) if seen.seat is None else _around_seat(room, seen)
    areas = [_area(seen.players[seat], box) for seat, box in boxes]
    return Layout(title, track, board, artefacts, column, areas)


def _row(x: float, y: float, width: float, height: float, count: int) -> list[Rect]:
    """Divide a strip into equal parts."""
    each = (width - GAP * (count - 1)) / count
    return [Rect(x + k * (each + GAP), y, each, height) for k in range(count)]


def _shared(room: Rect, count: int) -> list[tuple[int, Rect]]:
    """Give the seats parts of one height: three lines of one, two of two, or three and two."""
    lines = {3: (1, 1, 1), 4: (2, 2), 5: (3, 2)}[count]
    height = (room.height - GAP * (len(lines) - 1)) / len(lines)
    boxes: list[Rect] = []
    for k, in_line in enumerate(lines):
        boxes += _row(room.x, room.y + k * (height + GAP), room.width, height, in_line)
    return list(enumerate(boxes))


def _around_seat(room: Rect, seen: Visible) -> list[tuple[int, Rect]]:
    """Put the seat that looks below the others, which sit clockwise from the left."""
    others = seen.num_players - 1
    height = 276
    boxes = _row(room.x, room.y, room.width, height, others)
    y = room.y + height + GAP
    boxes.append(Rect(room.x, y, room.width, room.bottom - y))
    return [((seen.seat + 1 + k) % seen.num_players, box) for k, box in enumerate(boxes)]


# A seat's part


def _area(player: Player, box: Rect) -> Area:
    large = box.width >= ONE_LINE
    head = Rect(box.x, box.y, box.width, LARGE_HEAD if large else SMALL_HEAD)
    inner = Rect(box.x + 12, head.bottom + 6, box.width - 24, box.bottom - head.bottom - 16)
    if large:
        return _in_one_line(player, box, head, inner)
    return _in_two_lines(player, box, head, inner)


def _in_one_line(player: Player, box: Rect, head: Rect, inner: Rect) -> Area:
    """Role, card played, hand and artefacts beside each other."""
    width = inner.height / CARD_SHAPE
    role = Rect(inner.x, inner.y, width, inner.height)
    front = role._replace(x=role.right + 12)
    tiles = Rect(inner.right - 216, inner.y, 216, inner.height)
    x = front.right + 18
    hand = Rect(x, inner.y, tiles.x - 18 - x, inner.height)
    slots, places = _fan(hand, player), _tiles(tiles, player, 66)
    return Area(player.seat, box, True, head, role, front, hand, slots, places)


def _in_two_lines(player: Player, box: Rect, head: Rect, inner: Rect) -> Area:
    """Role, card played and artefacts above the hand."""
    upper = 0.53 * (inner.height - GAP)
    role = Rect(inner.x, inner.y, upper / CARD_SHAPE, upper)
    front = role._replace(x=role.right + 8)
    x = front.right + 10
    tiles = _tiles(Rect(x, inner.y, inner.right - x, upper), player, 48)
    y = inner.y + upper + GAP
    hand = Rect(inner.x, y, inner.width, inner.bottom - y)
    return Area(player.seat, box, False, head, role, front, hand, _fan(hand, player), tiles)


def _fan(room: Rect, player: Player) -> list[Rect]:
    """Lay the cards of a hand side by side, over each other if there are many."""
    count = len(player.hand)
    width = room.height / CARD_SHAPE
    step = min(width + 5, (room.width - width) / (count - 1)) if count > 1 else 0
    return [Rect(room.x + k * step, room.y, width, room.height) for k in range(count)]


def visible_width(hand: list[Rect], k: int) -> float:
    """Return how much of a card of a hand the next one leaves uncovered."""
    width = hand[k].width
    return min(width, hand[k + 1].x - hand[k].x) if k < len(hand) - 1 else width


def _tiles(room: Rect, player: Player, largest: float) -> list[Rect]:
    """Put artefacts into lines, as large as they fit."""
    count = len(player.artefacts)
    if not count:
        return []
    sizes = []
    for in_line in range(1, count + 1):
        lines = -(-count // in_line)
        across = (room.width - 6 * (in_line - 1)) / in_line
        down = (room.height - 6 * (lines - 1)) / lines
        sizes.append((min(across, down, largest), in_line))
    size, in_line = max(sizes)
    step = size + 6
    return [
        Rect(room.x + k % in_line * step, room.y + k // in_line * step, size, size)
        for k in range(count)
    ]


# The table


def track_square(plan: Layout, seen: Visible, square: int) -> tuple[float, float]:
    """Return where a square of the Shadow track is."""
    first, last = plan.track.x + 34, plan.track.right - 80
    return first + (last - first) * square / seen.moon, plan.track.y + 58


def square_size(plan: Layout, seen: Visible) -> float:
    """Return the radius of the squares of the track."""
    return min(13.0, 0.42 * (plan.track.width - 114) / seen.moon)


def world_box(plan: Layout, seen: Visible, world: int) -> Rect:
    """Return where a world is."""
    inner = Rect(plan.board.x + 8, plan.board.y + 8, plan.board.width - 16, TABLE_HEIGHT - 16)
    return _row(*inner, len(seen.worlds))[world]


def world_slot(plan: Layout, seen: Visible, world: int, value: int) -> Rect:
    """Return where a card of a world is laid."""
    box = world_box(plan, seen, world)
    size = seen.worlds[world].size
    columns = 3 if size == 6 else 2
    lines = -(-size // columns)
    top = box.y + WORLD_HEAD + RITUAL_HEIGHT
    room = Rect(box.x + 6, top, box.width - 12, box.bottom - STATUS_HEIGHT - 2 - top)
    across, down = room.width / columns, room.height / lines
    width = min(across - 5, (down - 5) / 0.9)
    height = min(down - 5, width * CARD_SHAPE)
    line, column = divmod(value - 1, columns)
    x = room.centre[0] + (column - (columns - 1) / 2) * (width + 6)
    y = room.y + down * (line + 0.5)
    return Rect(x - width / 2, y - height / 2, width, height)


def display_place(plan: Layout, place: int) -> Rect:
    """Return where an artefact that lies face up is; after the last of them, the pile."""
    size = 84
    step = (plan.artefacts.width - 32 - size) / FACE_UP
    return Rect(plan.artefacts.x + 16 + step * place, plan.artefacts.y + 36, size, size)


def pile_place(plan: Layout) -> Rect:
    return display_place(plan, FACE_UP)


# The decision

BUTTON_HEIGHT, FIRST_BUTTON = 40, 236


def buttons(plan: Layout, seen: Visible) -> list[tuple[Place, str, Rect]]:
    """Return the buttons: what they stand for, their words and where they are."""
    words = {
        ("portal", "back"): "portal: pawn back",
        ("portal", "on"): "portal: pawn on",
        ("pass",): "pass",
        ("keep", True): "keep face up",
        ("keep", False): "keep face down",
        ("retreat",): f"pawn {STABILISATION_SQUARES} squares back",
    }
    choices = [tuple(parts.values()) for parts in seen.choices]
    found = [place for place in words if place in choices]
    box = plan.column
    return [
        (
            place,
            words[place],
            Rect(box.x + 14, box.y + FIRST_BUTTON + 48 * k, box.width - 28, BUTTON_HEIGHT),
        )
        for k, place in enumerate(found)
    ]


def looked_at_place(plan: Layout) -> Rect:
    """Return where the artefact is that is about to be kept."""
    return Rect(plan.column.centre[0] - 38, plan.column.y + 146, 76, 76)


def places(plan: Layout, seen: Visible) -> list[tuple[Place, Rect]]:
    """Return what can be clicked, what lies on top first."""
    found: list[tuple[Place, Rect]] = [(place, box) for place, _, box in buttons(plan, seen)]
    for parts in reversed(seen.choices):
        place = tuple(parts.values())
        if parts["kind"] == "card":
            found.append((place, _card_place(plan, seen, parts)))
        elif parts["kind"] == "take":
            top = parts["place"] == "top"
            found.append((place, pile_place(plan) if top else display_place(plan, parts["place"])))
        elif parts["kind"] == "ritual":
            found.append((place, world_box(plan, seen, WORLDS.index(parts["world"]))))
        elif "left" in parts:
            other = (seen.to_play + parts["left"]) % seen.num_players
            found.append((place, area_of(plan, other).box))
    return found


def _card_place(plan: Layout, seen: Visible, parts: dict[str, object]) -> Rect:
    """Return where a card of the hand is: the cards are in the order of their numbers."""
    player = seen.players[seen.to_play]
    names = [(WORLDS[card // VALUES], card % VALUES + 1) for card in player.hand]
    return area_of(plan, seen.to_play).hand[names.index((parts["world"], parts["value"]))]


def locate(x: float, y: float, state: np.void) -> Place | None:
    """Return what stands at a point of the picture, or None where nothing does.

    It is a legal action of the seat to play, named by the values of ``decode_action`` in their
    order: ``("card", "violet", 3)`` at a card of its hand, ``("take", 0)`` at an artefact,
    ``("take", "top")`` at the pile, ``("swap", 1)`` (or ``"eliminate"``, ``"guide"``) at another
    player's part, ``("ritual", "green")`` at a world, the others at their buttons.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    seen = see(state, int(state["to_play"]))
    return place_at(places(layout_of(seen), seen), x, y)
