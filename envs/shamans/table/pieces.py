"""The components of Shamans, drawn on a canvas: cards, roles, artefacts; and the colours.

Colours of worlds differ in lightness where possible, and each world has a symbol. The images on the
cards are our own, not those of the game.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.icons import Icons
from ...core.drawing.panels import Look, Rect
from ..components import ECLIPSE, MAX_PLAYERS, VALUES, WORLDS
from ..state import card_name
from .text import role_words, tile_name
from .visible import FACE_DOWN, Held, Player


class Paint(NamedTuple):
    """Colours of the fill, the edge, writing on the fill, and a light background in that hue."""

    fill: str
    edge: str
    ink: str
    pale: str = ""


PAINTS = {
    "violet": Paint("#4d2a86", "#24104a", "#f1e9ff", "#ebe5f5"),
    "blue": Paint("#3d86dc", "#174a8a", "#ffffff", "#e3eefb"),
    "green": Paint("#6cc59a", "#22694a", "#0d3a26", "#e4f5ec"),
    "yellow": Paint("#f8de4a", "#9b7d06", "#5a4600", "#fcf6d6"),
    "orange": Paint("#d9831c", "#7a4404", "#2e1800", "#f9ead6"),
    "brown": Paint("#5c3012", "#2a1404", "#fbe6d2", "#eee3da"),
    "red": Paint("#d62f5c", "#78092b", "#ffffff", "#fae3e9"),
}
INK, WHITE = "#27243a", "#ffffff"
GOLD, CREAM = "#e6b93e", "#fffaf0"
# For the backs of cards and tiles, and the track.
NIGHT = Paint("#262a52", "#8f96cf", "#aeb4e6")
NIGHT_EDGE = "#12142e"
CAMP_PAINTS = {
    "shaman": Paint("#fdf1cf", "#a97b12", "#7a5600"),
    "shadow": Paint("#3a3547", "#0f0c18", "#f2e6ff"),
    None: NIGHT,
}
LOOK = Look(
    ink=INK,
    faint_ink="#6f6a86",
    accent="#b0208f",
    panel_fill="#fdfcff",
    panel_edge="#bdb8d2",
    on_turn="#f8e3f2",
    won="#fbeebf",
    seat_paints=[("#3b4270", WHITE)] * MAX_PLAYERS,
)
# By the names of worlds, rituals, artefacts and camps; also the Moon and the pawn.
ICONS = Icons(Path(__file__).with_name("icons.svg"))


# Cards


def card(
    canvas: Canvas, box: Rect, number: int, note: str = "", shown: float | None = None
) -> None:
    """Draw a card of a world.

    Args:
        number: the card, 0 to 55.
        note: text at the bottom.
        shown: uncovered width from the left, if not all of it.
    """
    world, width = WORLDS[number // VALUES], box.width
    paint = PAINTS[world]
    shown = min(shown or width, width)
    with canvas.group(title=card_name(number) + (f", {note}" if note else "")):
        edge: Style = {"stroke": paint.edge, "stroke_width": max(1, width / 45)}
        canvas.rect(*box, radius=0.1 * width, fill=paint.fill, **edge)
        size = min(0.5 * width, 0.4 * box.height, 1.2 * shown)
        if box.height < 1.2 * width:
            # No room below: the symbol goes beside the number.
            x, y, wide = 0.3 * width, 0.5 * box.height, 0.36 * width
            right, down = 0.69 * width, y
        else:
            x, y = min(0.25 * width, 0.53 * shown), 0.07 * width + 0.46 * size
            right, down = min(0.45 * width, 0.52 * shown), (0.58 if note else 0.7) * box.height
            wide = max(min((0.36 if note else 0.46) * width, 0.72 * shown), 0.3 * width)
        style: Style = {"size": size, "bold": True, "fill": paint.ink}
        canvas.text(box.x + x, box.y + y, str(number % VALUES + 1), **style)
        ICONS.draw(canvas, world, box.x + right, box.y + down, wide, paint.ink)
        if note:
            _note(canvas, box, note, shown)


def _note(canvas: Canvas, box: Rect, note: str, shown: float) -> None:
    """Write a note across the bottom of a card's visible part."""
    room = shown - 4
    size = min(12.0, room / (0.64 * len(note)))
    y = box.bottom - 0.1 * box.width - size / 2 - 3
    canvas.rect(box.x + 1.5, y - size / 2 - 3, box.width - 3, size + 6, fill=CREAM)
    canvas.text(box.x + 2 + room / 2, y, note, size=size, fill=INK)


def card_back(canvas: Canvas, box: Rect) -> None:
    """Draw a face-down card."""
    width = box.width
    style: Style = {"fill": NIGHT.fill, "stroke_width": 1}
    canvas.rect(*box, radius=0.1 * width, stroke=NIGHT.edge, **style)
    canvas.rect(*box.grown(-0.1 * width), radius=0.06 * width, stroke="#5a61a3", **style)
    ICONS.draw(canvas, "shard", *box.centre, 0.4 * width, NIGHT.ink)


def role(canvas: Canvas, box: Rect, player: Player) -> None:
    """Draw a role card, and below it who has seen it, or that everybody has."""
    paint, width, x = CAMP_PAINTS[player.camp], box.width, box.centre[0]
    edge, thick = (GOLD, 26) if player.revealed else (paint.edge, 50)
    style: Style = {"stroke": edge, "stroke_width": max(1.4, width / thick)}
    with canvas.group(title=role_words(player)):
        canvas.rect(*box, radius=0.1 * width, fill=paint.fill, **style)
        y = box.y + 0.36 * box.height
        if player.camp:
            ICONS.draw(canvas, player.camp, x, y, 0.58 * width, paint.ink)
        else:
            canvas.text(x, y, "?", size=0.5 * width, bold=True, fill=paint.ink)
        word = player.camp.capitalize() if player.camp else "role"
        style = {"size": 0.185 * width, "bold": True, "fill": paint.ink}
        canvas.text(x, box.y + 0.68 * box.height, word, **style)
        y = box.y + 0.87 * box.height
        if player.revealed:
            canvas.text(x, y, "shown", size=0.16 * width, fill=paint.ink)
        else:
            _seen_by(canvas, x, y, 0.08 * width, player.witnesses, paint.ink)


def _seen_by(canvas: Canvas, x: float, y: float, radius: float, seats: list[int], ink: str) -> None:
    """Draw an eye, and who has seen the card."""
    step = 2.25 * radius
    x -= step * len(seats) / 2
    ICONS.draw(canvas, "violet", x, y, 2.1 * radius, ink)
    for k, seat in enumerate(seats):
        at = x + step * (k + 1.1)
        LOOK.disc(canvas, at, y, radius, str(seat), CREAM, INK)


# Artefacts


def tiles(canvas: Canvas, box: Rect, held: Held, arrow: str = "") -> None:
    """Draw artefacts of one kind, the Eclipse, or the backs of tiles.

    Face-down artefacts have the colour of the backs, even for viewers who know them.

    Args:
        arrow: direction of the Eclipse.
    """
    kind, size = held.kind, box.width
    known = kind != FACE_DOWN
    words = tile_name(kind) + (", face down" if known and not held.face_up else "")
    with canvas.group(title=words + (f", {held.count} of them" if held.count > 1 else "")):
        if held.count > 1:
            tile_ground(canvas, box._replace(x=box.x + 3, y=box.y + 3), held.face_up)
        tile_ground(canvas, box, held.face_up and known)
        (x, y), ink = box.centre, INK if held.face_up else "#f0f1ff"
        if not known:
            canvas.text(x, y, "?", size=0.5 * size, bold=True, fill=NIGHT.ink)
        elif kind == ECLIPSE:
            ICONS.draw(canvas, "Eclipse", x, y - 0.1 * size, 0.66 * size)
            sign = {"left": "←", "right": "→", "": ""}[arrow]
            canvas.text(x, y + 0.37 * size, sign, size=0.3 * size, bold=True, fill=INK)
        elif size < 56:
            ICONS.draw(canvas, tile_name(kind), x, y, 0.62 * size, ink)
        else:
            ICONS.draw(canvas, tile_name(kind), x, y - 0.1 * size, 0.5 * size, ink)
            canvas.text(x, y + 0.33 * size, tile_name(kind), size=0.155 * size, fill=ink)
        if held.count > 1:
            radius = max(8.0, 0.16 * size)
            at = box.right - radius + 3, box.y + radius - 3
            LOOK.disc(canvas, *at, radius, str(held.count), "#2d3a8c", WHITE)


def tile(canvas: Canvas, box: Rect, kind: int, arrow: str = "") -> None:
    """Draw one face-up tile, or the back of one: `FACE_DOWN`."""
    tiles(canvas, box, Held(kind, True, 1), arrow)


def tile_ground(canvas: Canvas, box: Rect, face_up: bool) -> None:
    """Draw a tile with nothing on it."""
    fill, edge = ("#f4ead0", "#8a7440") if face_up else (NIGHT.fill, NIGHT.edge)
    canvas.rect(*box, radius=0.16 * box.width, fill=fill, stroke=edge, stroke_width=1.4)
