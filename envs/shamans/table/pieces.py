"""The material of Shamans drawn on a canvas: cards, roles, artefacts, rituals, the Shadow pawn.

Colours of worlds differ in lightness where they can, and each world has a symbol. The pictures on
the cards are ours, not those of the game.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Rect, shift
from ..components import DAGGER, ECLIPSE, MASK, PORTAL, SHARD, VALUES, WORLDS
from .visible import FACE_DOWN, tile_name


class Paint(NamedTuple):
    """Fill, edge, what can be read on the fill, and a light ground of the same hue."""

    fill: str
    edge: str
    ink: str
    pale: str


PAINTS = {
    "violet": Paint("#4d2a86", "#24104a", "#f1e9ff", "#ebe5f5"),
    "blue": Paint("#3d86dc", "#174a8a", "#ffffff", "#e3eefb"),
    "green": Paint("#6cc59a", "#22694a", "#0d3a26", "#e4f5ec"),
    "yellow": Paint("#f8de4a", "#9b7d06", "#5a4600", "#fcf6d6"),
    "orange": Paint("#d9831c", "#7a4404", "#2e1800", "#f9ead6"),
    "brown": Paint("#5c3012", "#2a1404", "#fbe6d2", "#eee3da"),
    "red": Paint("#d62f5c", "#78092b", "#ffffff", "#fae3e9"),
}
INK = "#27243a"
FAINT_INK = "#6f6a86"
ACCENT = "#b0208f"
GOLD = "#e6b93e"
CREAM = "#fffaf0"
NIGHT = "#262a52"
NIGHT_EDGE = "#12142e"
NIGHT_INK = "#aeb4e6"
CAMP_PAINT = {
    "shaman": Paint("#fdf1cf", "#a97b12", "#7a5600", "#fdf1cf"),
    "shadow": Paint("#3a3547", "#0f0c18", "#f2e6ff", "#3a3547"),
}

# Symbols in a box of 20 x 20 units: (path, filled).
_SYMBOLS = {
    "violet": (
        ("M -10 0 C -5 -8 5 -8 10 0 C 5 8 -5 8 -10 0 Z", False),
        ("M 3.6 0 A 3.6 3.6 0 1 1 -3.6 0 A 3.6 3.6 0 1 1 3.6 0 Z", True),
    ),
    "blue": (
        ("M -9 -4 C -6 -8 -3 -8 0 -4 C 3 0 6 0 9 -4 M -9 4 C -6 0 -3 0 0 4 C 3 8 6 8 9 4", False),
    ),
    "green": (("M -8 8 C -10 -3 -1 -10 9 -9 C 10 2 4 10 -5 7 L -8 10 Z", True),),
    "yellow": (
        ("M 4.6 0 A 4.6 4.6 0 1 1 -4.6 0 A 4.6 4.6 0 1 1 4.6 0 Z", True),
        (
            "M 0 -7 V -10 M 0 7 V 10 M -7 0 H -10 M 7 0 H 10 "
            "M -5 -5 L -7 -7 M 5 -5 L 7 -7 M -5 5 L -7 7 M 5 5 L 7 7",
            False,
        ),
    ),
    "orange": (
        (
            "M 0 -10 C 2 -5 7 -3 7 3 A 7 7 0 0 1 -7 3 C -7 0 -5 -2 -4 -4 C -3 -2 -2 -1 -1 -1 "
            "C -2 -5 -1 -8 0 -10 Z",
            True,
        ),
    ),
    "brown": (("M -10 7 L -3 -8 L 1.5 -0.5 L 4.5 -5 L 10 7 Z", True),),
    "red": (("M 0 -10 L 7.5 -2 L 0 10 L -7.5 -2 Z", True),),
}
_RITUALS = {
    # Two squares back.
    "stabilisation": (
        ("M 0 -6 L -7 0 L 0 6 M -7 0 H 9", False),
        ("M 9 -6 L 2 0 L 9 6", False),
    ),
    # Two cards change places.
    "permutation": (
        ("M -9 -3 C -6 -9 4 -9 7 -3 M 7.6 -9 V -2.6 H 1.4", False),
        ("M 9 3 C 6 9 -4 9 -7 3 M -7.6 9 V 2.6 H -1.4", False),
    ),
    # A star.
    "illumination": (
        ("M 0 -10 L 2.4 -2.4 L 10 0 L 2.4 2.4 L 0 10 L -2.4 2.4 L -10 0 L -2.4 -2.4 Z", True),
        ("M -6 -6 L -4 -4 M 6 -6 L 4 -4 M -6 6 L -4 4 M 6 6 L 4 4", False),
    ),
    # A dagger through a circle.
    "neutralisation": (
        ("M 8.4 0 A 8.4 8.4 0 1 1 -8.4 0 A 8.4 8.4 0 1 1 8.4 0 Z", False),
        ("M -6 -6 L 6 6 M 6 -6 L -6 6", False),
    ),
}
_TILES = {
    DAGGER: (
        ("M 0 10 L -2.6 5 V -3 H 2.6 V 5 Z", True),
        ("M -6 -3 H 6 M 0 -3 V -8", False),
        ("M 1.8 -9 A 1.8 1.8 0 1 1 -1.8 -9 A 1.8 1.8 0 1 1 1.8 -9 Z", True),
    ),
    PORTAL: (
        ("M -7 9 V -1 A 7 8 0 0 1 7 -1 V 9", False),
        ("M -3 9 V 0 A 3 4 0 0 1 3 0 V 9 Z", True),
        ("M -10 9 H 10", False),
    ),
    SHARD: (("M 4 -10 A 10 10 0 1 0 9 5 A 8 8 0 0 1 4 -10 Z", True),),
    MASK: (
        (
            "M -8 -8 C -3 -10 3 -10 8 -8 C 9 2 5 9 0 10 C -5 9 -9 2 -8 -8 Z "
            "M -5 -3 C -4 -5 -2 -5 -1.4 -2.6 C -3 -1.4 -4 -1.6 -5 -3 Z "
            "M 5 -3 C 4 -5 2 -5 1.4 -2.6 C 3 -1.4 4 -1.6 5 -3 Z "
            "M -3 4 C -1 3 1 3 3 4 C 1 6 -1 6 -3 4 Z",
            True,
        ),
    ),
}
_SHAMAN = (
    ("M 0 -10 C 3 -6 3 -3 0 1 C -3 -3 -3 -6 0 -10 Z", True),
    ("M -3 1 C -8 0 -10 -4 -9 -8 C -5 -7 -3 -4 -3 1 Z", True),
    ("M 3 1 C 8 0 10 -4 9 -8 C 5 -7 3 -4 3 1 Z", True),
    ("M -7 2 H 7 C 7 7 4 10 0 10 C -4 10 -7 7 -7 2 Z", False),
)
_SHADOW = (
    (
        "M -9 -10 C -8 -4 -5 -4 -4 -5 H 4 C 5 -4 8 -4 9 -10 C 11 0 7 9 0 10 C -7 9 -11 0 -9 -10 Z",
        True,
    ),
)


def _sign(canvas: Canvas, paths, x: float, y: float, size: float, ink: str) -> None:
    """Draw paths of a box of 20 x 20 units around (x, y), ``size`` wide."""
    with canvas.group(transform=shift(x, y, size / 20)):
        for path, filled in paths:
            if filled:
                canvas.path(path, fill=ink, fill_rule="evenodd")
            else:
                canvas.path(
                    path,
                    fill="none",
                    stroke=ink,
                    stroke_width=2.2,
                    stroke_linecap="round",
                    stroke_linejoin="round",
                )


def symbol(canvas: Canvas, x: float, y: float, world: str, size: float, ink: str) -> None:
    """Draw the symbol of a world."""
    _sign(canvas, _SYMBOLS[world], x, y, size, ink)


def ritual(canvas: Canvas, x: float, y: float, name: str, size: float, ink: str) -> None:
    """Draw the icon of a ritual."""
    _sign(canvas, _RITUALS[name], x, y, size, ink)


# Cards


def card(
    canvas: Canvas,
    box: Rect,
    number: int,
    *,
    note: str = "",
    title: str = "",
    shown: float | None = None,
) -> None:
    """Draw a card of a world.

    Args:
        number: the card, 0 to 55.
        note: written at its foot.
        title: what is written when the mouse rests on it, after its name.
        shown: width from the left that nothing covers, if not all.
    """
    world, value = WORLDS[number // VALUES], number % VALUES + 1
    paint, width = PAINTS[world], box.width
    with canvas.group(title=f"{world} {value}{title}"):
        canvas.rect(
            *box,
            radius=0.1 * width,
            fill=paint.fill,
            stroke=paint.edge,
            stroke_width=max(1, width / 45),
        )
        if box.height < 1.2 * width:
            # No room below: the symbol stands beside the number.
            size, y = min(0.5 * width, 0.4 * box.height), box.centre[1]
            canvas.text(box.x + 0.3 * width, y, str(value), size=size, bold=True, fill=paint.ink)
            symbol(canvas, box.x + 0.69 * width, y, world, 0.36 * width, paint.ink)
        else:
            _card_face(canvas, box, world, value, min(shown or width, width), bool(note))
        if note:
            _note(canvas, box, note, shown or box.width)


def _card_face(
    canvas: Canvas, box: Rect, world: str, value: int, shown: float, noted: bool
) -> None:
    """Draw number and symbol of a card where it is to be seen."""
    width, ink = box.width, PAINTS[world].ink
    size = min(0.5 * width, 0.4 * box.height, 1.2 * shown)
    x = box.x + min(0.07 * width + 0.36 * size, 0.53 * shown)
    y = box.y + 0.07 * width + 0.46 * size
    canvas.text(x, y, str(value), size=size, bold=True, fill=ink)
    # It shows whole if there is room for one that can be made out.
    wide = (0.36 if noted else 0.46) * width
    x += 0.2 * width
    if x + wide / 2 > box.x + shown - 2:
        wide = max(min(wide, 0.72 * shown), 0.3 * width)
        x = box.x + 0.52 * shown
    symbol(canvas, x, box.y + (0.58 if noted else 0.7) * box.height, world, wide, ink)


def _note(canvas: Canvas, box: Rect, note: str, shown: float) -> None:
    """Write something across the foot of a card, as far as it is to be seen."""
    room = shown - 4
    size = min(12.0, room / (0.64 * len(note)))
    y = box.bottom - 0.1 * box.width - size / 2 - 3
    canvas.rect(box.x + 1.5, y - size / 2 - 3, box.width - 3, size + 6, fill=CREAM)
    canvas.text(box.x + 2 + room / 2, y, note, size=size, fill=INK)


def card_back(canvas: Canvas, box: Rect) -> None:
    """Draw a card that lies face down."""
    width = box.width
    canvas.rect(*box, radius=0.1 * width, fill=NIGHT, stroke="#8f96cf", stroke_width=1)
    inset = 0.1 * width
    canvas.rect(
        *box.grown(-inset),
        radius=0.06 * width,
        fill="none",
        stroke="#5a61a3",
        stroke_width=1,
    )
    _sign(canvas, _TILES[SHARD], *box.centre, 0.4 * width, NIGHT_INK)


def empty(
    canvas: Canvas, box: Rect, lines: tuple[str, ...] = (), *, edge: str = "#a39dbb", title: str
) -> None:
    """Draw a place without a card."""
    canvas.rect(
        *box.grown(-1),
        radius=min(7.0, 0.1 * box.width),
        title=title,
        fill="#ffffff",
        fill_opacity=0.3,
        stroke=edge,
        stroke_width=1.2,
        stroke_dasharray="4 4",
    )
    size = min(14.0, 0.16 * box.width)
    x, y = box.centre
    for k, line in enumerate(lines):
        shift = (k - (len(lines) - 1) / 2) * 1.35 * size
        canvas.text(x, y + shift, line, size=size, fill=FAINT_INK)


def role(canvas: Canvas, box: Rect, camp: str | None, revealed: bool, witnesses: list[int]) -> None:
    """Draw a role card; below, who has seen it, or that everybody has.

    Args:
        camp: None if it isn't known.
    """
    width = box.width
    title = f"role: {camp or 'not known'}; " + (
        "shown to all" if revealed else f"seen by {', '.join(map(str, witnesses)) or 'nobody'}"
    )
    paint = CAMP_PAINT[camp] if camp else Paint(NIGHT, "#8f96cf", NIGHT_INK, NIGHT)
    with canvas.group(title=title):
        canvas.rect(
            *box,
            radius=0.1 * width,
            fill=paint.fill,
            stroke=GOLD if revealed else paint.edge,
            stroke_width=max(1.6, width / 26) if revealed else max(1.2, width / 50),
        )
        x, y = box.x + width / 2, box.y + 0.36 * box.height
        if camp:
            _sign(canvas, _SHAMAN if camp == "shaman" else _SHADOW, x, y, 0.58 * width, paint.ink)
            if camp == "shadow":
                for side in (-1, 1):
                    canvas.ellipse(
                        x + 0.11 * width * side,
                        y + 0.02 * width,
                        0.055 * width,
                        0.035 * width,
                        fill="#e0446a",
                    )
            word = camp.capitalize()
        else:
            canvas.text(x, y, "?", size=0.5 * width, bold=True, fill=paint.ink)
            word = "role"
        canvas.text(
            x, box.y + 0.68 * box.height, word, size=0.185 * width, bold=True, fill=paint.ink
        )
        y = box.y + 0.87 * box.height
        if revealed:
            canvas.text(x, y, "shown", size=0.16 * width, fill=paint.ink)
        else:
            _witnesses(canvas, x, y, 0.08 * width, witnesses, paint.ink)


def _witnesses(
    canvas: Canvas, x: float, y: float, radius: float, seats: list[int], ink: str
) -> None:
    """An eye, and who has seen the card."""
    step = 2.25 * radius
    left = x - step * len(seats) / 2
    symbol(canvas, left, y, "violet", 2.1 * radius, ink)
    for k, seat in enumerate(seats):
        at = left + step * (k + 1.1)
        canvas.circle(at, y, radius, fill=CREAM, stroke=INK, stroke_width=0.6)
        canvas.text(at, y, str(seat), size=1.5 * radius, bold=True, fill=INK)


# Artefacts


def tile(
    canvas: Canvas,
    box: Rect,
    kind: int,
    *,
    face_up: bool = True,
    count: int = 1,
    arrow: str = "",
) -> None:
    """Draw an artefact, the Eclipse, or the back of a tile.

    Args:
        kind: ``FACE_DOWN`` for a tile that isn't known.
        face_up: False shows a tile that only some know, on the colour of the backs.
        count: of such tiles lying there.
        arrow: of the Eclipse.
    """
    size = box.width
    words = tile_name(kind) if face_up or kind == FACE_DOWN else f"{tile_name(kind)}, face down"
    with canvas.group(title=words + (f", {count} of them" if count > 1 else "")):
        if count > 1:
            tile_ground(canvas, box._replace(x=box.x + 3, y=box.y + 3), face_up)
        tile_ground(canvas, box, face_up and kind != FACE_DOWN)
        ink = INK if face_up else "#f0f1ff"
        x, y = box.centre
        named = size >= 56
        if kind == FACE_DOWN:
            canvas.text(x, y, "?", size=0.5 * size, bold=True, fill=NIGHT_INK)
        elif kind == ECLIPSE:
            _eclipse(canvas, x, y, size, arrow)
        else:
            up = 0.1 * size if named else 0
            _sign(canvas, _TILES[kind], x, y - up, (0.5 if named else 0.62) * size, ink)
            if named:
                down = 0.33 * size
                canvas.text(x, y + down, tile_name(kind), size=0.155 * size, fill=ink)
        if count > 1:
            radius = max(8.0, 0.16 * size)
            at = box.right - radius + 3, box.y + radius - 3
            canvas.circle(*at, radius, fill=ACCENT_BADGE, stroke=CREAM, stroke_width=1.2)
            canvas.text(*at, f"{count}", size=1.3 * radius, bold=True, fill="#ffffff")


ACCENT_BADGE = "#2d3a8c"


def tile_ground(canvas: Canvas, box: Rect, face_up: bool) -> None:
    """Draw a tile with nothing on it."""
    canvas.rect(
        *box,
        radius=0.16 * box.width,
        fill="#f4ead0" if face_up else NIGHT,
        stroke="#8a7440" if face_up else "#8f96cf",
        stroke_width=1.4,
    )


def _eclipse(canvas: Canvas, x: float, y: float, size: float, arrow: str) -> None:
    y -= 0.1 * size
    for k in range(12):
        angle = math.radians(30 * k)
        near, far = 0.25 * size, 0.33 * size
        canvas.line(
            x + near * math.cos(angle),
            y + near * math.sin(angle),
            x + far * math.cos(angle),
            y + far * math.sin(angle),
            stroke="#c47a08",
            stroke_width=0.04 * size,
            stroke_linecap="round",
        )
    canvas.circle(x, y, 0.21 * size, fill=NIGHT_EDGE, stroke=GOLD, stroke_width=0.035 * size)
    if arrow:
        sign = "←" if arrow == "left" else "→"
        canvas.text(x, y + 0.47 * size, sign, size=0.3 * size, bold=True, fill=INK)


# The track


def moon(canvas: Canvas, x: float, y: float, radius: float) -> None:
    """Draw the Moon at the end of the track, with the sign of the Shadows."""
    fill = canvas.radial_gradient(((0, "#fffbe2"), (1, "#e8d48a")), centre=(0.4, 0.4), radius=0.7)
    canvas.circle(x, y, 1.16 * radius, fill="#fff4b8", fill_opacity=0.16)
    canvas.circle(x, y, radius, fill=fill, stroke="#fff8d8", stroke_width=1.5, title="the Moon")
    _sign(canvas, _SHADOW, x, y, 0.95 * radius, "#6b5a20")


def pawn(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Draw the Shadow pawn standing on (x, y), ``size`` high."""
    path = (
        "M -7 0 C -7 -3 -5 -4 -4 -6 C -3 -10 -3 -12 -4.4 -14 A 5 5 0 1 1 4.4 -14 "
        "C 3 -12 3 -10 4 -6 C 5 -4 7 -3 7 0 Z"
    )
    with canvas.group(transform=shift(x, y, size / 22), title="the Shadow pawn"):
        canvas.ellipse(0, 0, 9, 3, fill="#000000", fill_opacity=0.4)
        canvas.path(path, fill="#0b0916", stroke="#ff5f8f", stroke_width=1.6)
        for side in (-1, 1):
            canvas.ellipse(1.9 * side, -16.6, 1.2, 0.8, fill="#ff5f8f")


def seat_mark(canvas: Canvas, x: float, y: float, radius: float, seat: int) -> None:
    """Draw the number of a seat in its circle."""
    canvas.circle(x, y, radius, fill="#3b4270", stroke="#171a38", stroke_width=1.2)
    canvas.text(x, y, str(seat), size=1.2 * radius, bold=True, fill="#ffffff")


def flag(canvas: Canvas, box: Rect, text: str, *, fill: str, ink: str, title: str) -> None:
    """Write a word on a coloured label."""
    with canvas.group(title=title):
        canvas.rect(*box, radius=0.45 * box.height, fill=fill)
        canvas.text(*box.centre, text, size=0.62 * box.height, bold=True, fill=ink)
