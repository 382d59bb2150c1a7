"""The layout of a picture of Shamans, for drawing and for locating clicks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.drawing.panels import Place, Rect, area_of, fan, of_last_record, squares
from ...core.drawing.spots import Spot, spot_at
from ...core.drawing.words import looker_last
from ..components import FACE_UP, STABILISATION_SQUARES, VALUES, WORLDS
from .visible import Player, Visible, see

WIDTH, HEIGHT = 1440, 960
GAP = 8
# The parts of the picture: a column at the left, the table, and the seats below it.
_LEFT, _RIGHT = Rect(0, 0, WIDTH, HEIGHT).grown(-16).across(GAP, 212, 0)
TITLE, COLUMN = _LEFT.down(GAP, 148, 0)
TRACK, _TABLE, SEATS = _RIGHT.down(GAP, 98, 300, 0)
BOARD, ARTEFACTS = _TABLE.across(GAP, 0, 356)
# Ratio of a card's height to its width.
CARD_SHAPE = 1.42
# Minimum width of a seat's part that fits in one line.
ONE_LINE = 800
WORLD_HEAD, RITUAL_HEIGHT, STATUS_HEIGHT = 30, 66, 24
# Position of the artefact about to be kept.
LOOKED_AT = Rect(COLUMN.x, COLUMN.y + 146, COLUMN.width, 76).middle(76, 76)
# A button's choice, and its label.
BUTTONS: dict[Place, str] = {
    ("portal", "back"): "portal: pawn back",
    ("portal", "on"): "portal: pawn on",
    ("pass",): "pass",
    ("keep", True): "keep face up",
    ("keep", False): "keep face down",
    ("retreat",): f"pawn {STABILISATION_SQUARES} squares back",
}


class Area(NamedTuple):
    """A seat's part of the picture.

    Attributes:
        large: whether everything is in one line.
        head: the strip with the name.
        role: the role card.
        front: the place for the card played in this trick.
        room: for the hand.
        hand: the cards in hand, each on top of the previous one.
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
    """The variable parts of a picture.

    Attributes:
        worlds: boxes of the worlds, in order; slots: of their cards, by value.
        display: the places for artefacts, then the pile.
        places: clickable places, topmost first.
    """

    areas: list[Area]
    worlds: list[Rect]
    slots: list[list[Rect]]
    display: list[Rect]
    places: list[tuple[Place, Rect]]


def layout_of(seen: Visible) -> Layout:
    """Lay out a picture."""
    seats = looker_last(seen.seat, seen.num_players)
    boxes = _boxes(seen.num_players, seen.seat is not None)
    areas = [_area(seen.players[seat], box) for seat, box in zip(seats, boxes, strict=True)]
    worlds = BOARD.grown(-8).grid(len(seen.worlds), 1, GAP)
    slots = [_slots(box, seen.worlds[0].size) for box in worlds]
    first = Rect(ARTEFACTS.x + 16, ARTEFACTS.y + 36, 84, 84)
    plan = Layout(areas, worlds, slots, first.repeated(FACE_UP + 1, FACE_UP + 1, 36), [])
    return plan._replace(places=_places(seen, plan))


def _boxes(count: int, looks: bool) -> list[Rect]:
    """Divide the room for the seats into rows; the viewer gets the lower row."""
    if looks:
        others, own = SEATS.down(GAP, 276, 0)
        return [*others.grid(count - 1, 1, GAP), own]
    in_lines = {3: (1, 1, 1), 4: (2, 2), 5: (3, 2)}[count]
    boxes: list[Rect] = []
    for line, in_line in zip(SEATS.grid(1, len(in_lines), GAP), in_lines, strict=True):
        boxes += line.grid(in_line, 1, GAP)
    return boxes


def _area(player: Player, box: Rect) -> Area:
    """Lay out role, played card and artefacts in a row, and the hand in it or below."""
    large = box.width >= ONE_LINE
    head, inner = box.less(bottom=10).down(6, 36 if large else 32, 0)
    upper = room = inner.less(12, 0, 12)
    if not large:
        upper, room = upper.down(GAP, 0.53 * upper.height, 0)
    width = upper.height / CARD_SHAPE
    role, front, tiles = upper.across(10, width, width, 0)
    if large:
        room, tiles = tiles.less(left=6).across(18, 0, 216)
    hand = fan(room, len(player.hand), room.height / CARD_SHAPE, 5)
    artefacts = squares(tiles, len(player.artefacts), 6, 66 if large else 48)
    return Area(player.seat, box, large, head, role, front, room, hand, artefacts)


def _slots(box: Rect, size: int) -> list[Rect]:
    columns = 3 if size == 6 else 2
    room = box.less(6, WORLD_HEAD + RITUAL_HEIGHT, 6, STATUS_HEIGHT + 2)
    cells = room.grid(columns, -(-size // columns))
    width = min(cells[0].width - 5, (cells[0].height - 5) / 0.9)
    height = min(cells[0].height - 5, width * CARD_SHAPE)
    return [cell.middle(width, height) for cell in cells[:size]]


def track_square(seen: Visible, square: int) -> tuple[float, float]:
    """Return the position of a square of the Shadow track."""
    return TRACK.x + 34 + (TRACK.width - 114) * square / seen.moon, TRACK.y + 58


def _places(seen: Visible, plan: Layout) -> list[tuple[Place, Rect]]:
    buttons = [place for place in BUTTONS if place in seen.choices]
    first = Rect(COLUMN.x + 14, COLUMN.y + 236, COLUMN.width - 28, 40)
    found = dict(zip(buttons, first.repeated(len(buttons), 1, 8), strict=True))
    # Each card of the hand lies on top of the previous one.
    for place in reversed(seen.choices):
        if place not in found:
            found[place] = _place(seen, plan, place)
    return list(found.items())


def _place(seen: Visible, plan: Layout, place: tuple[Any, ...]) -> Rect:
    match place:
        case ("card", world, value):
            card = VALUES * WORLDS.index(world) + value - 1
            hand = seen.players[seen.to_play].hand
            return area_of(plan, seen.to_play).hand[hand.index(card)]
        case ("take", number):
            return plan.display[-1 if number == "top" else number]
        case ("ritual", world):
            return plan.worlds[WORLDS.index(world)]
    # The remaining actions name a seat, by its distance from the seat to play.
    return area_of(plan, (seen.to_play + place[1]) % seen.num_players).box


def locate(x: float, y: float, state: np.void) -> Place | None:
    """Return the place at a point of the picture, or None.

    It is a legal action of the seat to play, named by the values of ``decode_action``, in order:
    ``("card", "violet", 3)`` at a card in its hand, ``("take", 0)`` at an artefact, ``("take",
    "top")`` at the pile, ``("swap", 1)`` (or ``"eliminate"``, ``"guide"``) at another player's
    part, ``("ritual", "green")`` at a world, the others at their buttons.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there, seen by the seat to play.
    """
    return spot_at(_spots_of(state), x, y)


def spots(state: np.void, seat: int | None = None) -> list[Spot]:
    """Return the clickable places in ``seat``'s picture, topmost first.

    There are none for a seat that isn't to play.
    """
    return [*layout_of(see(state, seat)).places]


@of_last_record
def _spots_of(state: np.void):
    return spots(state, int(state["to_play"]))
