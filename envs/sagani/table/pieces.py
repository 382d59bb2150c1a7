"""The components of Sagani, drawn on a canvas: tiles, discs, markers, symbols of the elements.

Tiles are drawn in a box of 100 x 100 units around their centre and then scaled. Elements differ in
colour, lightness, letter and symbol; players' discs don't use the elements' colours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import ACCENT, INK, Rect, cylinder, shift
from ..components import DIRECTIONS, ELEMENTS
from .visible import ELEMENT_LETTERS, Face


class Paint(NamedTuple):
    """Colours of the fill, the darker edge, and writing on the fill."""

    fill: str
    edge: str
    ink: str


# Distinguishable with any kind of colour blindness, and in grey, from light to dark: air, earth,
# fire, water.
ELEMENT_PAINTS = (
    Paint("#c9301f", "#6d150b", "#ffffff"),
    Paint("#6cc97f", "#256b3a", "#0c2f17"),
    Paint("#1f4f9f", "#0c2856", "#ffffff"),
    Paint("#eadcf8", "#7d62a3", "#3b2560"),
)
SEAT_PAINTS = (
    Paint("#fdfbf4", "#5d564b", "#2b2620"),
    Paint("#2a2622", "#000000", "#ffffff"),
    Paint("#8c5a2b", "#4a2c10", "#ffffff"),
    Paint("#9aa4ab", "#4c555b", "#15191c"),
)
CACOPHONY_PAINT = Paint("#e9b824", "#7a5a00", "#3a2b00")
CREAM = "#fffaf0"
GOLD = "#d9a520"

# Outlines of the symbols, about 40 units high, centred.
_SYMBOLS = (
    "M 3 -24 C 2 -15 9 -11 11 -4 C 14 -7 14 -11 13 -14 C 19 -7 20 1 18 8 A 18 16 0 0 1 -18 8 "
    "C -19 0 -14 -5 -13 -12 C -9 -10 -7 -8 -6 -4 C -5 -12 -3 -18 3 -24 Z",
    "M -23 18 C -20 0 -14 -19 -5 -19 C 1 -19 3 -9 6 -9 C 11 -9 18 4 23 18 Z",
    "M 0 -24 C 7 -11 16 -3 16 6 A 16 16 0 0 1 -16 6 C -16 -3 -7 -11 0 -24 Z",
    "M -14 14 A 10 10 0 0 1 -14 -6 A 12 12 0 0 1 8 -11 A 10 10 0 0 1 19 -3 A 9 9 0 0 1 15 14 Z",
)
# Position of a spirit's face relative to the centre of its symbol.
_FACES_AT = (6, 6, 6, 3)
_URN = (
    "M -9 -30 H 9 L 7 -24 C 22 -18 27 -6 26 4 C 25 18 14 25 10 30 H -10 C -14 25 -25 18 -26 4 "
    "C -27 -6 -22 -18 -7 -24 Z"
)
# The arrow to the north: a house that leaves room for a letter.
_ARROW = "M 0 -15 L 12.5 -2.5 V 11 H -12.5 V -2.5 Z"
_ARROW_AT = 31.5
_CORNER_AT = 31
# Size of the letters of elements, in a tile's units. Where they would be smaller than this in the
# picture they can't be read: there the colours tell the elements.
_LETTERS, _READABLE = 18, 9
# Icons of the numbers beside a table, in a circle of radius 10: outline, fill, ink, sign.
_ICONS = {
    "cacophony": (
        "M 10 0 A 10 10 0 1 1 -10 0 A 10 10 0 1 1 10 0 Z",
        CACOPHONY_PAINT.fill,
        CACOPHONY_PAINT.ink,
        "M -4 -4 L 4 4 M -4 4 L 4 -4",
    ),
    "unfinished": ("M -9 -9 H 9 V 9 H -9 Z", "#cfc4ac", INK, "M 0 -5 L 5 3.5 H -5 Z"),
}


def arrow_centre(direction: int) -> tuple[float, float]:
    """Return the centre of an arrow in a tile's units."""
    angle = math.radians(45 * direction)
    x, y = round(math.sin(angle)), -round(math.cos(angle))
    reach = _CORNER_AT if x and y else _ARROW_AT
    return x * reach, y * reach


def symbol(canvas: Canvas, x: float, y: float, element: int, size: float) -> None:
    """Draw an element's symbol, about ``size`` high."""
    paint = ELEMENT_PAINTS[element]
    with canvas.group(transform=shift(x, y, size / 44)):
        canvas.path(_SYMBOLS[element], fill=paint.fill, stroke=paint.edge, stroke_width=3)


def disc(canvas: Canvas, x: float, y: float, paint: Paint, radius: float) -> None:
    """Draw a disc from above."""
    canvas.circle(x, y, radius, fill=paint.fill, stroke=paint.edge, stroke_width=radius / 6)
    canvas.circle(x, y, 0.66 * radius, fill="none", stroke=paint.edge, stroke_width=radius / 12)


def icon(canvas: Canvas, x: float, y: float, kind: str, seat: int, radius: float) -> None:
    """Draw the icon of a number beside a table: ``supply``, ``cacophony``, ``unfinished``."""
    if kind == "supply":
        disc(canvas, x, y, SEAT_PAINTS[seat], radius)
        return
    outline, fill, ink, sign = _ICONS[kind]
    with canvas.group(transform=shift(x, y, radius / 10), stroke=ink, stroke_width=1.8):
        canvas.path(outline, fill=fill)
        canvas.path(sign, fill=ink)


def stack(
    canvas: Canvas,
    x: float,
    y: float,
    paints: Sequence[Paint],
    radius: float,
    thickness: float,
    texts: Sequence[str] = (),
) -> None:
    """Draw a stack of discs or markers seen from the front, with its foot on (x, y).

    Args:
        paints: of each, from bottom to top.
        texts: on the edge of each, if any.
    """
    flat = 0.52 * radius
    for level, paint in enumerate(paints):
        foot = y - level * thickness
        with canvas.group(fill=paint.fill, stroke=paint.edge, stroke_width=radius / 12):
            canvas.path(cylinder(x, foot, radius, flat, thickness))
            canvas.ellipse(x, foot - thickness, radius, flat)
        if texts:
            middle = foot + flat - thickness / 2 - 0.4
            canvas.text(x, middle, texts[level], size=thickness, bold=True, fill=paint.ink)


def tile(canvas: Canvas, box: Rect, face: Face, title: str, seat: int | None = None) -> None:
    """Draw one side of a tile in a square.

    Args:
        title: start of the tooltip, before the description of the tile.
        seat: the owner of the table it lies on, and so of its discs; None for no one.
    """
    asks = ", ".join(
        f"{DIRECTIONS[k]} {ELEMENTS[element]}{' covered' if k in face.covered else ''}"
        for k, element in face.arrows.items()
    )
    state = f", arrows {asks}" if asks else "" if seat is None else ", completed"
    x, y = box.centre
    transform = shift(x, y, box.width / 100)
    with canvas.group(transform=transform, title=f"{title}: {face.name}{state}"):
        paint, discs = ELEMENT_PAINTS[face.element], SEAT_PAINTS[seat or 0]
        canvas.rect(-48, -48, 96, 96, radius=10, fill=paint.fill, stroke=paint.edge, stroke_width=3)
        lettered = _LETTERS * box.width / 100 >= _READABLE
        if face.flipped:
            _spirit(canvas, face, paint, lettered)
            return
        canvas.path(_URN, fill=paint.edge, fill_opacity=0.35)
        for direction in face.arrows:
            _arrow(canvas, face, direction, discs, lettered)
        _middle(canvas, face, discs, 16 if lettered else 21)


def _arrow(canvas: Canvas, face: Face, direction: int, discs: Paint, lettered: bool) -> None:
    x, y = arrow_centre(direction)
    element = face.arrows[direction]
    paint = ELEMENT_PAINTS[element]
    transform = f"translate({x} {y}) rotate({45 * direction})"
    with canvas.group(transform=transform, stroke_linejoin="round"):
        if direction in face.marked:
            canvas.path(_ARROW, fill=ACCENT, stroke=ACCENT, stroke_width=11)
        canvas.path(_ARROW, fill=paint.fill, stroke=CREAM, stroke_width=4.5)
        # Without a letter, only this outline tells an arrow from a tile of its colour.
        edge = 1.2 if lettered else 2.8
        canvas.path(_ARROW, fill=paint.fill, stroke=paint.edge, stroke_width=edge)
    if direction in face.covered:
        disc(canvas, x, y, discs, 11.5)
    elif lettered:
        letter = ELEMENT_LETTERS[element]
        canvas.text(x, y + 0.5, letter, size=_LETTERS, bold=True, fill=paint.ink)


def _middle(canvas: Canvas, face: Face, discs: Paint, letters: float) -> None:
    """Draw the value on the stack of discs that covers it, or on a plate if there is none."""
    if not face.discs:
        canvas.circle(0, 0, 17, fill=CREAM, stroke=INK, stroke_width=1.2)
        canvas.text(0, 0, str(face.value), size=22, bold=True, fill=INK)
        return
    thickness = 5.0
    foot = 2 + thickness * face.discs / 2
    stack(canvas, 0, foot, [discs] * face.discs, 18, thickness)
    value = str(face.value)
    canvas.text(0, foot - thickness * face.discs, value, size=letters, bold=True, fill=discs.ink)


def _spirit(canvas: Canvas, face: Face, paint: Paint, lettered: bool) -> None:
    """Draw the other side: the element's spirit, and the value."""
    canvas.rect(-41, -41, 82, 82, radius=7, fill="none", stroke=GOLD, stroke_width=4)
    canvas.circle(0, -3, 35, fill=CREAM, fill_opacity=0.28)
    with canvas.group(transform=shift(0, -8, 1.25)):
        canvas.path(_SYMBOLS[face.element], fill=paint.fill, stroke=CREAM, stroke_width=5)
        canvas.path(_SYMBOLS[face.element], fill=paint.fill, stroke=paint.edge, stroke_width=1.8)
        _smile(canvas, _FACES_AT[face.element])
    canvas.circle(29, 29, 15, fill=CREAM, stroke=INK, stroke_width=1.5)
    canvas.text(29, 29, str(face.value), size=21, bold=True, fill=INK)
    if lettered:
        letter = ELEMENT_LETTERS[face.element]
        canvas.text(-31, 31, letter, size=_LETTERS, bold=True, fill=paint.ink)


def _smile(canvas: Canvas, y: float) -> None:
    for side in (-1, 1):
        canvas.ellipse(6 * side, y - 4, 3.6, 4.4, fill="#ffffff", stroke=INK, stroke_width=0.8)
        canvas.circle(6 * side + 0.8, y - 3.4, 1.9, fill=INK)
    canvas.path(
        f"M -5 {y + 4} Q 0 {y + 8.5} 5 {y + 4}",
        fill="none",
        stroke=INK,
        stroke_width=1.8,
        stroke_linecap="round",
    )
