"""The material of Harmonies drawn on a canvas: tokens, stacks, cubes, cards.

Colours differ in lightness where they can, and each has the symbol of its landscape.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Rect
from ..components import (
    BLUE,
    BROWN,
    CARD_NAMES,
    COLOURS,
    GRAY,
    GREEN,
    KIND_OF_STACK,
    KINDS,
    NUM_ROTATIONS,
    RED,
    STACKS,
    YELLOW,
)
from .geometry import (
    CARD_HEIGHT,
    CARD_WIDTH,
    ROW_STEP,
    SQUASH,
    TOKEN_HEIGHT,
    TOKEN_RADIUS,
    Grid,
)
from .visible import (
    card_words,
    counts_groups,
    habitat_of,
    is_spirit,
    ladder_of,
    spirit_landscape,
    spirit_rows,
    turned_habitat,
)


class Paint(NamedTuple):
    """Fill of the top, the side, the edge, and what can be read on the top."""

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
# Under a building any of three colours may be.
ANY_BASE = (BROWN, GRAY, RED)
SEAT_PAINTS = (
    ("#fdfbf4", "#2b2620"),
    ("#2a2622", "#ffffff"),
    ("#8e5aa8", "#ffffff"),
    ("#2f9c95", "#ffffff"),
)
CREAM = "#fffaf0"
INK = "#2e2820"
FAINT_INK = "#766b5c"
ACCENT = "#b0208f"
GOLD = "#e3b23c"
CUBE = ("#ffb057", "#f08a24", "#b85c0a", "#5e2d00")
SPIRIT_CUBE = ("#ffffff", "#e3dcf5", "#b3a4d8", "#4b3b7c")
SPIRIT_FILL, SPIRIT_EDGE = "#efe9fb", "#5d4a94"
# What each spirit counts, by the colour that shows it.
LANDSCAPE_COLOUR = {
    "tree": GREEN,
    "mountain": GRAY,
    "field": YELLOW,
    "building": RED,
    "water": BLUE,
}
# Stack of each kind; of the buildings one, the token below is drawn in three colours.
STACK_OF_KIND = {KINDS[int(KIND_OF_STACK[k])]: STACKS[k] for k in reversed(range(len(STACKS)))}

# Symbols of the landscapes in a box of 20 x 20 units: (path, filled).
_SYMBOLS = {
    BLUE: (
        (
            "M -9 -3 C -6 -7 -3 -7 0 -3 C 3 1 6 1 9 -3 M -9 4 C -6 0 -3 0 0 4 C 3 8 6 8 9 4",
            False,
        ),
    ),
    GRAY: (("M -10 7 L -3 -8 L 1.5 -0.5 L 4.5 -5 L 10 7 Z", True),),
    BROWN: (
        ("M 7.5 0 A 7.5 7.5 0 1 1 -7.5 0 A 7.5 7.5 0 1 1 7.5 0 Z", False),
        ("M 3 0 A 3 3 0 1 1 -3 0 A 3 3 0 1 1 3 0 Z", False),
    ),
    GREEN: (("M -8 8 C -10 -3 -1 -10 9 -9 C 10 2 4 10 -5 7 L -8 10 Z", True),),
    YELLOW: (
        ("M 0 9 L 0 -2", False),
        ("M 0 -10 C 3.4 -7.4 3.4 -4.6 0 -2 C -3.4 -4.6 -3.4 -7.4 0 -10 Z", True),
        ("M -1 2.5 C -1 -2 -4 -4.4 -8 -4.4 C -8 0 -5 2.5 -1 2.5 Z", True),
        ("M 1 2.5 C 1 -2 4 -4.4 8 -4.4 C 8 0 5 2.5 1 2.5 Z", True),
        ("M -1 8.5 C -1 4.6 -4 2.4 -8 2.4 C -8 6.4 -5 8.5 -1 8.5 Z", True),
        ("M 1 8.5 C 1 4.6 4 2.4 8 2.4 C 8 6.4 5 8.5 1 8.5 Z", True),
    ),
    RED: (
        (
            "M -10 0.5 L 0 -9 L 10 0.5 L 7 0.5 L 7 8 L 2 8 L 2 3 L -2 3 L -2 8 L -7 8 L -7 0.5 Z",
            True,
        ),
    ),
}


def _at(x: float, y: float, across: float, down: float | None = None) -> str:
    down = across if down is None else down
    return f"translate({x:.2f} {y:.2f}) scale({across:.4f} {down:.4f})"


def seat_badge(
    canvas: Canvas,
    x: float,
    y: float,
    seat: int,
    radius: float,
    size: float,
    edge: float = 1.5,
) -> None:
    """Draw a player's disc with its number, in letters of a size."""
    fill, ink = SEAT_PAINTS[seat]
    canvas.circle(x, y, radius, fill=fill, stroke=INK, stroke_width=edge)
    canvas.text(x, y, str(seat), size=size, bold=True, fill=ink)


def symbol(canvas: Canvas, x: float, y: float, colour: int, size: float, ink: str) -> None:
    """Draw the symbol of a colour's landscape, ``size`` wide, seen as flat on a token."""
    with canvas.group(transform=_at(x, y, size / 20, SQUASH * size / 20)):
        for path, filled in _SYMBOLS[colour]:
            if filled:
                canvas.path(path, fill=ink)
            else:
                canvas.path(path, fill="none", stroke=ink, stroke_width=2.4, stroke_linecap="round")


def token(
    canvas: Canvas,
    x: float,
    y: float,
    radius: float,
    colour: int,
    *,
    base: bool = False,
    plain: bool = False,
    height: float | None = None,
) -> None:
    """Draw a token that stands on (x, y).

    Args:
        base: any of the colours that may be under a building.
        plain: without its symbol.
        height: of the token; by default in proportion.
    """
    height = radius * TOKEN_HEIGHT / TOKEN_RADIUS if height is None else height
    flat = SQUASH * radius
    paint = PAINTS[colour]
    line = max(0.7, radius / 18)
    side = (
        f"M {x - radius} {y} A {radius} {flat} 0 0 0 {x + radius} {y} v {-height} "
        f"A {radius} {flat} 0 0 1 {x - radius} {y - height} Z"
    )
    canvas.path(side, fill=_base_fill(canvas) if base else paint.side, stroke="none")
    canvas.path(side, fill="none", stroke=paint.edge, stroke_width=line)
    canvas.ellipse(
        x, y - height, radius, flat, fill=paint.fill, stroke=paint.edge, stroke_width=line
    )
    if not plain:
        symbol(canvas, x, y - height, colour, 1.15 * radius, paint.ink)


def _base_fill(canvas: Canvas) -> str:
    stops = []
    for k, colour in enumerate(ANY_BASE):
        stops += [(k / 3, PAINTS[colour].side), ((k + 1) / 3, PAINTS[colour].side)]
    return canvas.linear_gradient(tuple(stops), end=(1, 0))


def stack(
    canvas: Canvas,
    x: float,
    y: float,
    size: float,
    colours: tuple[int, ...],
    *,
    cube: int = 0,
    ghost: int = 0,
    any_base: bool = False,
    label: str = "",
    marked: bool = False,
) -> None:
    """Draw a stack on the hex around (x, y) whose edges are ``size`` long.

    Args:
        cube: card that a cube on top came from, 0 for none.
        ghost: card whose cube may be settled there.
        any_base: it is a building that may stand on any colour.
        label: the hex's name.
        marked: it is highlighted.
    """
    radius, height = TOKEN_RADIUS * size, TOKEN_HEIGHT * size
    canvas.ellipse(
        x + 0.05 * size, y + 0.06 * size, radius, SQUASH * radius, fill="#000000", fill_opacity=0.22
    )
    last = len(colours) - 1
    for level, colour in enumerate(colours):
        base = any_base and level == 0 and last == 1
        token(canvas, x, y - level * height, radius, colour, base=base, plain=True)
    top, paint = y - len(colours) * height, PAINTS[colours[-1]]
    if marked:
        _halo(canvas, x, y, radius, len(colours) * height)
    if label:
        # On top of the stack: its side may be hidden by what stands in front.
        canvas.text(x, top + 0.4 * size, label, size=0.2 * size, bold=True, fill=paint.ink)
        top -= 0.08 * size
    if not (cube or ghost):
        symbol(canvas, x, top, colours[-1], (0.72 if label else 0.85) * size, paint.ink)
        return
    # The cube stands to the right of the symbol.
    symbol(canvas, x - 0.33 * size, top, colours[-1], 0.52 * size, paint.ink)
    draw_cube(
        canvas, x + 0.26 * size, top + 0.12 * size, 0.27 * size, cube or ghost, ghost=not cube
    )


def _halo(canvas: Canvas, x: float, y: float, radius: float, height: float) -> None:
    """Outline a whole stack."""
    flat = SQUASH * radius
    canvas.path(
        f"M {x - radius} {y} A {radius} {flat} 0 0 0 {x + radius} {y} v {-height} "
        f"A {radius} {flat} 0 0 0 {x - radius} {y - height} Z",
        fill="none",
        stroke=ACCENT,
        stroke_width=max(2.5, radius / 9),
    )


def draw_cube(
    canvas: Canvas, x: float, y: float, size: float, card: int, *, ghost: bool = False
) -> None:
    """Draw a cube that stands on (x, y), ``size`` being half its width."""
    top, left, right, edge = SPIRIT_CUBE if is_spirit(card) else CUBE
    flat, tall = 0.5 * size, 1.05 * size
    style = {"stroke": edge, "stroke_width": max(0.7, size / 9), "stroke_linejoin": "round"}
    a, b = (x - size, y), (x, y + flat)
    c, d = (x + size, y), (x, y - flat)
    up = [(px, py - tall) for px, py in (a, b, c, d)]
    if ghost:
        outline = (a, b, c, up[2], up[3], up[0])
        style |= {"stroke": ACCENT, "stroke_width": 2, "stroke_dasharray": "3 2"}
        canvas.polygon(outline, fill="#ffffff", fill_opacity=0.45, **style)
        return
    canvas.polygon((a, b, up[1], up[0]), fill=left, **style)
    canvas.polygon((b, c, up[2], up[1]), fill=right, **style)
    canvas.polygon(up, fill=top, **style)


# Cards


def card(
    canvas: Canvas,
    box: Rect,
    number: int,
    left: int,
    *,
    title: str = "",
    label: str = "",
) -> None:
    """Draw a card in its box: its name, its habitat, and its cubes or its points.

    Args:
        number: the card, 1 to 42.
        left: cubes still on it.
        title: what is written when the mouse rests on it, before the card's own words.
        label: the number of its place.
    """
    spirit = is_spirit(number)
    settled = 0 if spirit else len(ladder_of(number)) - left
    words = f"{title}{card_words(number, settled)}"
    with canvas.group(transform=_at(box.x, box.y, box.width / CARD_WIDTH), title=words):
        own = PAINTS[card_colour(number)]
        canvas.rect(
            1,
            1,
            CARD_WIDTH - 2,
            CARD_HEIGHT - 2,
            radius=8,
            fill=SPIRIT_FILL if spirit else CREAM,
            stroke=SPIRIT_EDGE if spirit else "#6d5c40",
            stroke_width=2 if spirit else 1.4,
        )
        # The band of the colour that the cubes settle on.
        canvas.path(
            f"M 9 2 H 11 V {CARD_HEIGHT - 2} H 9 "
            f"A 7 7 0 0 1 2 {CARD_HEIGHT - 9} V 9 A 7 7 0 0 1 9 2 Z",
            fill=own.fill,
        )
        if label:
            canvas.text(6.6, CARD_HEIGHT - 10, label, size=8.5, bold=True, fill=own.ink)
        ink = SPIRIT_EDGE if spirit else INK
        canvas.text(17, 13, CARD_NAMES[number], size=13, bold=True, anchor="start", fill=ink)
        _habitat(canvas, Rect(14, 23, 79, 84), number)
        if spirit:
            _spirit_points(canvas, number, left)
        else:
            _ladder(canvas, number, left)


def card_colour(number: int) -> int:
    """Return the colour that the cubes of a card settle on."""
    return STACK_OF_KIND[habitat_of(number)[0][1]][-1]


def _habitat(canvas: Canvas, box: Rect, number: int) -> None:
    size, turns, left, top = max(_fitted(box, number, turns) for turns in range(NUM_ROTATIONS))
    hexes = turned_habitat(number, -turns)
    grid = Grid(left, top, size)
    for at, _ in hexes:
        canvas.polygon(grid.outline(*at), fill="#efe4c8", stroke="#a08c62", stroke_width=1)
    cube_at = hexes[0][0]
    for at, kind in sorted(hexes, key=lambda found: grid.at(*found[0])[1]):
        x, y = grid.at(*at)
        colours = STACK_OF_KIND[kind]
        stack(
            canvas,
            x,
            y,
            size,
            colours,
            cube=number if at == cube_at else 0,
            any_base=kind == "building",
        )


def _fitted(box: Rect, number: int, turns: int) -> tuple[float, int, float, float]:
    """Fit the habitat, turned, into a box: the size of its hexes, the turns, where (0, 0) is."""
    hexes = turned_habitat(number, turns)
    unit = Grid(0, 0, 1)
    places = [unit.at(*at) for at, _ in hexes]
    rises = [
        TOKEN_HEIGHT * len(STACK_OF_KIND[kind]) + (0.25 if k == 0 else 0)
        for k, (_, kind) in enumerate(hexes)
    ]
    west, east = min(x for x, _ in places) - 1, max(x for x, _ in places) + 1
    south = max(y for _, y in places) + ROW_STEP / 2
    flat = SQUASH * TOKEN_RADIUS
    north = min(
        y - max(ROW_STEP / 2, flat + rise) for (_, y), rise in zip(places, rises, strict=True)
    )
    size = min(box.width / (east - west), box.height / (south - north), 19.5)
    x, y = box.centre
    return (
        round(size, 2),
        -turns,
        x - size * (east + west) / 2,
        y - size * (south + north) / 2,
    )


def _ladder(canvas: Canvas, number: int, left: int) -> None:
    """The spaces for cubes with their points, the first at the bottom."""
    ladder = ladder_of(number)
    settled = len(ladder) - left
    step = min(20.0, 92 / len(ladder))
    for k, points in enumerate(ladder):
        y = CARD_HEIGHT - 8 - step * (k + 0.5)
        scored = k == settled - 1
        canvas.rect(
            97,
            y - step / 2 + 1,
            38,
            step - 2,
            radius=4,
            fill=GOLD if scored else "#f3ead2" if k >= settled else "#e6dcc4",
            stroke="#7a5c06" if scored else "#b9a67c",
            stroke_width=1.2 if scored else 0.8,
        )
        if k >= settled:
            draw_cube(canvas, 107, y + 3.2, 6, number)
        fill = INK if k >= settled or scored else "#a2957c"
        canvas.text(124, y, str(points), size=12.5, bold=k >= settled or scored, fill=fill)


def _spirit_points(canvas: Canvas, number: int, left: int) -> None:
    """What a spirit counts, and the points by size."""
    landscape = spirit_landscape(number)
    groups = counts_groups(number)
    x = 115
    for k, shift in enumerate((-8, 0, 8) if groups else (0,)):
        token(canvas, x + shift, 32 - 3 * (k % 2), 8, LANDSCAPE_COLOUR[landscape], plain=groups)
    canvas.text(x, 51, "group of" if groups else "each of", size=9.5, fill=FAINT_INK)
    rows = spirit_rows(number)
    for k, (size, points) in enumerate(rows):
        y = 65 + 18 * k
        canvas.rect(94, y - 8, 42, 16, radius=4, fill="#ffffff", stroke="#b3a4d8", stroke_width=0.8)
        canvas.text(98, y, size, size=11, anchor="start", fill=FAINT_INK)
        canvas.text(132, y, str(points), size=12.5, bold=True, anchor="end", fill=SPIRIT_EDGE)
    if left:
        draw_cube(canvas, 128, 15, 6.5, number)


def card_back(canvas: Canvas, box: Rect, title: str) -> None:
    """Draw a spirit card that lies face down."""
    with canvas.group(transform=_at(box.x, box.y, box.width / CARD_WIDTH), title=title):
        canvas.rect(
            1, 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, radius=8, fill=SPIRIT_EDGE, stroke="#33275a"
        )
        canvas.rect(
            8, 8, CARD_WIDTH - 16, CARD_HEIGHT - 16, radius=5, fill="none", stroke="#b3a4d8"
        )
        canvas.text(CARD_WIDTH / 2, CARD_HEIGHT / 2 - 6, "?", size=40, bold=True, fill="#efe9fb")
        canvas.text(CARD_WIDTH / 2, CARD_HEIGHT - 24, "Nature's Spirit", size=11, fill="#efe9fb")


def sun(canvas: Canvas, x: float, y: float, radius: float, shining: bool = True) -> None:
    """Draw a sun of the solo game."""
    points = []
    for k in range(16):
        reach = radius if k % 2 == 0 else 0.66 * radius
        angle = math.radians(22.5 * k)
        points.append((x + reach * math.sin(angle), y - reach * math.cos(angle)))
    canvas.polygon(
        points,
        fill=GOLD if shining else "#e9e0cb",
        stroke="#8a6512" if shining else "#b9a67c",
        stroke_width=1,
    )
    canvas.circle(x, y, 0.45 * radius, fill="#ffe49a" if shining else "#f3ecdb")


assert len(COLOURS) == len(PAINTS) == len(_SYMBOLS)
