"""The components of Harmonies, drawn on a canvas: tokens, stacks, cubes, cards.

Colours differ in lightness where possible, and each has the symbol of its landscape.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.icons import Icons
from ...core.drawing.panels import Rect, cylinder, shift
from ..components import BLUE, BROWN, COLOURS, GRAY, GREEN, NUM_ROTATIONS, RED, YELLOW
from .geometry import (
    CARD_HEIGHT,
    CARD_WIDTH,
    ROW_STEP,
    SQUASH,
    TOKEN_HEIGHT,
    TOKEN_RADIUS,
    Grid,
)
from .visible import ANY, FACES, STACK_OF_KIND, Face


class Paint(NamedTuple):
    """Colours of the top, the side, the edge, and writing on the top."""

    fill: str
    side: str
    edge: str
    ink: str


PAINTS = {
    BLUE: Paint("#3f86d8", "#2a62a8", "#173a68", "#eaf4ff"),
    GRAY: Paint("#b4b9bd", "#868d93", "#43494e", "#3a4045"),
    BROWN: Paint("#5e3b22", "#432812", "#201006", "#f0d8b8"),
    GREEN: Paint("#6cb956", "#4a8d38", "#214d17", "#173d10"),
    YELLOW: Paint("#f8d850", "#cca425", "#7a5c06", "#7a5400"),
    RED: Paint("#e2462f", "#a82c1a", "#5c1108", "#fff0e6"),
}
# Colours used to draw `ANY`, from the left.
ANY_COLOURS = (BROWN, GRAY, RED)
CREAM = "#fffaf0"
INK = "#2e2820"
FAINT_INK = "#766b5c"
ACCENT = "#b0208f"
GOLD = "#e3b23c"
# Top, left, right and edge of a cube.
CUBE = ("#ffb057", "#f08a24", "#b85c0a", "#5e2d00")
SPIRIT_CUBE = ("#ffffff", "#e3dcf5", "#b3a4d8", "#4b3b7c")
# Fill, edge and ink of an animal card and of a spirit.
CARD_PAINTS = ((CREAM, "#6d5c40", INK), ("#efe9fb", "#5d4a94", "#5d4a94"))
# The colour that shows what each spirit counts.
LANDSCAPE_COLOUR = {
    "tree": GREEN,
    "mountain": GRAY,
    "field": YELLOW,
    "building": RED,
    "water": BLUE,
}
ICONS = Icons(Path(__file__).with_name("icons.svg"))


def symbol(canvas: Canvas, x: float, y: float, colour: int, size: float) -> None:
    """Draw the symbol of a colour's landscape, ``size`` wide, squashed as on a token."""
    with canvas.group(transform=shift(x, y, 1, SQUASH)):
        ICONS.draw(canvas, COLOURS[colour], 0, 0, size, PAINTS[colour].ink)


def token(
    canvas: Canvas, x: float, y: float, radius: float, colour: int, plain: bool = False
) -> None:
    """Draw a token standing on (x, y); a plain one has no symbol."""
    flat, height = SQUASH * radius, radius * TOKEN_HEIGHT / TOKEN_RADIUS
    paint = PAINTS[BROWN if colour == ANY else colour]
    side = paint.side
    if colour == ANY:
        sides = [PAINTS[each].side for each in ANY_COLOURS]
        stops = [((k + end) / 3, fill) for k, fill in enumerate(sides) for end in (0, 1)]
        side = canvas.linear_gradient(stops, end=(1, 0))
    style: Style = {"stroke": paint.edge, "stroke_width": max(0.7, radius / 18)}
    canvas.path(cylinder(x, y, radius, flat, height), fill=side, **style)
    canvas.ellipse(x, y - height, radius, flat, fill=paint.fill, **style)
    if not plain:
        symbol(canvas, x, y - height, colour, 1.15 * radius)


def stack(
    canvas: Canvas,
    x: float,
    y: float,
    size: float,
    colours: tuple[int, ...],
    cube: int = 0,
    ghost: bool = False,
    label: str = "",
) -> None:
    """Draw a stack on the hex around (x, y) with edges of length ``size``.

    Args:
        cube: the card that a cube on top came from, 0 for none.
        ghost: the cube isn't there yet, but may be settled there.
        label: the hex's name.
    """
    radius = TOKEN_RADIUS * size
    shadow: Style = {"fill": "#000000", "fill_opacity": 0.22}
    canvas.ellipse(x + 0.05 * size, y + 0.06 * size, radius, SQUASH * radius, **shadow)
    top, last = y, colours[-1]
    for colour in colours:
        token(canvas, x, top, radius, colour, plain=True)
        top -= TOKEN_HEIGHT * size
    if label:
        # On top of the stack: another stack may hide its side.
        ink = PAINTS[last].ink
        canvas.text(x, top + 0.4 * size, label, size=0.2 * size, bold=True, fill=ink)
        top -= 0.08 * size
    if not cube:
        symbol(canvas, x, top, last, (0.72 if label else 0.85) * size)
        return
    # The cube stands to the right of the symbol.
    symbol(canvas, x - 0.33 * size, top, last, 0.52 * size)
    draw_cube(canvas, x + 0.26 * size, top + 0.12 * size, 0.27 * size, cube, ghost)


def halo(canvas: Canvas, x: float, y: float, size: float, count: int) -> None:
    """Highlight a whole stack of this many tokens."""
    radius = TOKEN_RADIUS * size
    around = cylinder(x, y, radius, SQUASH * radius, count * TOKEN_HEIGHT * size, whole=True)
    canvas.path(around, fill="none", stroke=ACCENT, stroke_width=max(2.5, radius / 9))


def draw_cube(
    canvas: Canvas, x: float, y: float, size: float, card: int, ghost: bool = False
) -> None:
    """Draw a cube standing on (x, y); ``size`` is half its width."""
    top, left, right, edge = SPIRIT_CUBE if FACES[card].spirit else CUBE
    flat, tall = 0.5 * size, 1.05 * size
    style: Style = {"stroke": edge, "stroke_width": max(0.7, size / 9), "stroke_linejoin": "round"}
    a, b, c = (x - size, y), (x, y + flat), (x + size, y)
    up = [(px, py - tall) for px, py in (a, b, c, (x, y - flat))]
    if ghost:
        style |= {"stroke": ACCENT, "stroke_width": 2, "stroke_dasharray": "3 2"}
        canvas.polygon((a, b, c, up[2], up[3], up[0]), fill="#ffffff", fill_opacity=0.45, **style)
        return
    canvas.polygon((a, b, up[1], up[0]), fill=left, **style)
    canvas.polygon((b, c, up[2], up[1]), fill=right, **style)
    canvas.polygon(up, fill=top, **style)


# Cards


def card(
    canvas: Canvas, box: Rect, number: int, left: int, title: str = "", label: str = ""
) -> None:
    """Draw a card in its box: name, habitat, and cubes or points.

    Args:
        number: the card, 1 to 42.
        left: cubes still on it.
        title: start of the tooltip, before the description of the card.
        label: the number of its place.
    """
    face = FACES[number]
    settled = len(face.ladder) - left
    fill, edge, ink = CARD_PAINTS[face.spirit]
    words = title + face.words(settled)
    with canvas.group(transform=shift(box.x, box.y, box.width / CARD_WIDTH), title=words):
        whole = Rect(0, 0, CARD_WIDTH, CARD_HEIGHT).grown(-1)
        own, high = PAINTS[card_colour(face)], CARD_HEIGHT - 2
        canvas.rect(*whole, radius=8, fill=fill, stroke=edge, stroke_width=1.4 + 0.6 * face.spirit)
        # A band in the colour that the cubes settle on.
        band = f"M 9 2 H 11 V {high} H 9 A 7 7 0 0 1 2 {high - 7} V 9 A 7 7 0 0 1 9 2 Z"
        canvas.path(band, fill=own.fill)
        if label:
            canvas.text(6.6, CARD_HEIGHT - 10, label, size=8.5, bold=True, fill=own.ink)
        canvas.text(17, 13, face.name, size=13, bold=True, anchor="start", fill=ink)
        _habitat(canvas, Rect(14, 23, 79, 84), number)
        if face.spirit:
            _spirit_points(canvas, number, left)
        else:
            _ladder(canvas, number, settled)


def card_colour(face: Face) -> int:
    """Return the colour that the cubes of a card settle on."""
    return STACK_OF_KIND[face.habitat[0][1]][-1]


def _habitat(canvas: Canvas, box: Rect, number: int) -> None:
    face = FACES[number]
    fitted = [_fitted(box, face, turns) for turns in range(NUM_ROTATIONS)]
    turns = max(range(NUM_ROTATIONS), key=lambda turns: round(fitted[turns].size, 2))
    grid, hexes = fitted[turns], face.turned(turns)
    for at, _ in hexes:
        canvas.polygon(grid.outline(*at), fill="#efe4c8", stroke="#a08c62", stroke_width=1)
    for at, kind in sorted(hexes, key=lambda found: grid.at(*found[0])[1]):
        cube = number if at == hexes[0][0] else 0
        stack(canvas, *grid.at(*at), grid.size, STACK_OF_KIND[kind], cube)


def _fitted(box: Rect, face: Face, turns: int) -> Grid:
    unit, hexes = Grid(0, 0, 1), face.turned(turns)
    places = [unit.at(*at) for at, _ in hexes]
    rises = [SQUASH * TOKEN_RADIUS + TOKEN_HEIGHT * len(STACK_OF_KIND[kind]) for _, kind in hexes]
    rises[0] += 0.25  # the cube
    west, east = min(x for x, _ in places) - 1, max(x for x, _ in places) + 1
    north = min(y - rise for (_, y), rise in zip(places, rises, strict=True))
    south = max(y for _, y in places) + ROW_STEP / 2
    size = min(box.width / (east - west), box.height / (south - north), 19.5)
    x, y = box.centre
    return Grid(x - size * (east + west) / 2, y - size * (south + north) / 2, size)


def _ladder(canvas: Canvas, number: int, settled: int) -> None:
    ladder = FACES[number].ladder
    step = min(20.0, 92 / len(ladder))
    for k, points in enumerate(ladder):
        box = Rect(97, CARD_HEIGHT - 8 - step * (k + 1), 38, step).grown(-1)
        y = box.centre[1]
        scored, open_ = k == settled - 1, k >= settled
        fill = GOLD if scored else "#f3ead2" if open_ else "#e6dcc4"
        edge, width = ("#7a5c06", 1.2) if scored else ("#b9a67c", 0.8)
        canvas.rect(*box, radius=4, fill=fill, stroke=edge, stroke_width=width)
        if open_:
            draw_cube(canvas, 107, y + 3.2, 6, number)
        bold = scored or open_
        ink = INK if bold else "#a2957c"
        canvas.text(124, y, str(points), size=12.5, bold=bold, fill=ink)


def _spirit_points(canvas: Canvas, number: int, left: int) -> None:
    face = FACES[number]
    x, colour = 115, LANDSCAPE_COLOUR[face.landscape]
    for k, right in enumerate((-8, 0, 8) if face.groups else (0,)):
        token(canvas, x + right, 32 - 3 * (k % 2), 8, colour, plain=face.groups)
    canvas.text(x, 51, "group of" if face.groups else "each of", size=9.5, fill=FAINT_INK)
    for k, (size, points) in enumerate(face.rows):
        y = 65 + 18 * k
        canvas.rect(94, y - 8, 42, 16, radius=4, fill="#ffffff", stroke="#b3a4d8", stroke_width=0.8)
        canvas.text(98, y, size, size=11, anchor="start", fill=FAINT_INK)
        ink = CARD_PAINTS[True][2]
        canvas.text(132, y, str(points), size=12.5, bold=True, anchor="end", fill=ink)
    if left:
        draw_cube(canvas, 128, 15, 6.5, number)


def card_back(canvas: Canvas, box: Rect, title: str) -> None:
    """Draw a face-down spirit card."""
    whole, (light, dark, _) = Rect(0, 0, CARD_WIDTH, CARD_HEIGHT), CARD_PAINTS[True]
    x, y = whole.centre
    with canvas.group(transform=shift(box.x, box.y, box.width / CARD_WIDTH), title=title):
        canvas.rect(*whole.grown(-1), radius=8, fill=dark, stroke="#33275a")
        canvas.rect(*whole.grown(-8), radius=5, fill="none", stroke="#b3a4d8")
        canvas.text(x, y - 6, "?", size=40, bold=True, fill=light)
        canvas.text(x, y + 32, "Nature's Spirit", size=11, fill=light)
