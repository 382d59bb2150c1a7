"""The material of Saga drawn on a canvas: knights, shields, fame, and the powers as icons.

Colours differ in lightness where they can, and each has the emblem of its kingdom.
"""

from __future__ import annotations

from typing import NamedTuple

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import Rect, shift
from ..components import COLOUR_OF, COLOURS, VALUE_OF, WHEN, knight_name
from .geometry import CARD_HEIGHT, CARD_WIDTH

RED, GREEN, BLUE, ORANGE, VIOLET, YELLOW = range(len(COLOURS))


class Paint(NamedTuple):
    """Fill, a darker fill, the edge, and what can be read on the fill."""

    fill: str
    side: str
    edge: str
    ink: str


PAINTS = {
    RED: Paint("#b8262e", "#8c161d", "#560a0f", "#fff1ea"),
    GREEN: Paint("#58a86b", "#3c8550", "#1c4a2a", "#0c2c15"),
    BLUE: Paint("#3a7fd0", "#265fa4", "#133763", "#f0f7ff"),
    ORANGE: Paint("#ef8a1f", "#c86c0c", "#6d3a03", "#3a1d00"),
    VIOLET: Paint("#52297a", "#3a1a5a", "#230d39", "#f3e8ff"),
    YELLOW: Paint("#f9e05a", "#dcbd2c", "#7c6606", "#5a4700"),
}
SEAT_PAINTS = (
    ("#fdfbf4", "#2b2620"),
    ("#2a2622", "#ffffff"),
    ("#a8326f", "#ffffff"),
    ("#2f9c95", "#ffffff"),
)
CREAM = "#fffaf0"
INK = "#2e2820"
FAINT_INK = "#6f6556"
ACCENT = "#b0208f"
GOLD, GOLD_EDGE, GOLD_INK = "#f0c548", "#8a6512", "#5b4006"
STEEL, STEEL_EDGE = "#dfe4ea", "#4a525c"
BACK, BACK_EDGE = "#6b4a36", "#35231a"

# Emblems of the kingdoms in a box of 20 x 20 units.
_EMBLEMS = {
    RED: (
        "M -9 9 V -9 H -5.5 V -5.5 H -2 V -9 H 2 V -5.5 H 5.5 V -9 H 9 V 9 H 3 V 5 "
        "A 3 3 0 0 0 -3 5 V 9 Z",
    ),
    GREEN: ("M 0 -10 L 7 -1 H 3.8 L 9 6 H 1.8 V 10 H -1.8 V 6 H -9 L -3.8 -1 H -7 Z",),
    BLUE: (
        "M -10 -5 C -7 -9 -3 -9 0 -5 C 3 -1 7 -1 10 -5 V -1 C 7 3 3 3 0 -1 C -3 -5 -7 -5 -10 -1 Z",
        "M -10 4 C -7 0 -3 0 0 4 C 3 8 7 8 10 4 V 8 C 7 12 3 12 0 8 C -3 4 -7 4 -10 8 Z",
    ),
    ORANGE: (
        "M -9.5 8 L -7.5 2 H -2 L 0 8 Z",
        "M 0.6 8 L 2.4 2 H 7.8 L 9.6 8 Z",
        "M -4.7 0 L -2.9 -6 H 2.6 L 4.6 0 Z",
    ),
    VIOLET: ("M 4 -9 A 9.6 9.6 0 1 0 9 5 A 8 8 0 0 1 4 -9 Z",),
    YELLOW: (
        "M -0.8 10 V -2 H 0.8 V 10 Z",
        "M 0 -10 C 3.4 -7.4 3.4 -4.6 0 -2 C -3.4 -4.6 -3.4 -7.4 0 -10 Z",
        "M -1 2.5 C -1 -2 -4 -4.4 -8 -4.4 C -8 0 -5 2.5 -1 2.5 Z",
        "M 1 2.5 C 1 -2 4 -4.4 8 -4.4 C 8 0 5 2.5 1 2.5 Z",
        "M -1 8.5 C -1 4.6 -4 2.4 -8 2.4 C -8 6.4 -5 8.5 -1 8.5 Z",
        "M 1 8.5 C 1 4.6 4 2.4 8 2.4 C 8 6.4 5 8.5 1 8.5 Z",
    ),
}
_SHIELD = "M -10 -11 C -5 -9 5 -9 10 -11 C 11 0 8 8 0 12 C -8 8 -11 0 -10 -11 Z"
_SWORD = "M 0 -11 L 1.9 -8 V 3 H 5 V 5.4 H 1.4 V 10.5 H -1.4 V 5.4 H -5 V 3 H -1.9 V -8 Z"
_CROWN = "M -9 7 L -10 -5 L -4.6 0 L 0 -8 L 4.6 0 L 10 -5 L 9 7 Z"


def emblem(canvas: Canvas, x: float, y: float, colour: int, size: float, ink: str) -> None:
    """Draw the emblem of a colour's kingdom, ``size`` wide."""
    with canvas.group(transform=shift(x, y, size / 20)):
        for path in _EMBLEMS[colour]:
            canvas.path(path, fill=ink)


def badge(canvas: Canvas, x: float, y: float, colour: int, radius: float, title: str = "") -> None:
    """Draw a disc in a kingdom's colour with its emblem."""
    paint = PAINTS[colour]
    with canvas.group(title=title or None):
        canvas.circle(
            x, y, radius, fill=paint.fill, stroke=paint.edge, stroke_width=max(1, radius / 10)
        )
        emblem(canvas, x, y, colour, 1.22 * radius, paint.ink)


def seat_badge(canvas: Canvas, x: float, y: float, seat: int, radius: float) -> None:
    """Draw a player's disc with its number."""
    fill, ink = SEAT_PAINTS[seat]
    canvas.circle(x, y, radius, fill=fill, stroke=INK, stroke_width=max(1, radius / 9))
    canvas.text(x, y, str(seat), size=1.2 * radius, bold=True, fill=ink)


# Cards


def card(canvas: Canvas, box: Rect, knight: int, *, title: str = "", faded: bool = False) -> None:
    """Draw a knight: its value at the top left, its emblem below."""
    colour, value = int(COLOUR_OF[knight]), int(VALUE_OF[knight])
    paint = PAINTS[colour]
    scale = box.width / CARD_WIDTH
    words = f"{title}{knight_name(knight)}"
    with canvas.group(
        transform=shift(box.x, box.y, scale), title=words, opacity=0.5 if faded else None
    ):
        canvas.rect(
            0.6,
            0.6,
            CARD_WIDTH - 1.2,
            CARD_HEIGHT - 1.2,
            radius=5,
            fill=canvas.linear_gradient(((0, paint.fill), (0.55, paint.fill), (1, paint.side))),
            stroke=paint.edge,
            stroke_width=1.2,
        )
        canvas.text(11, 13, str(value), size=18, bold=True, fill=paint.ink)
        emblem(canvas, CARD_WIDTH / 2 + 3, CARD_HEIGHT / 2 + 9, colour, 22, paint.ink)


def card_back(canvas: Canvas, box: Rect, title: str, knight: int | None = None) -> None:
    """Draw a card that lies face down; with what it is for the one who knows."""
    scale = box.width / CARD_WIDTH
    with canvas.group(transform=shift(box.x, box.y, scale), title=title):
        canvas.rect(
            0.6,
            0.6,
            CARD_WIDTH - 1.2,
            CARD_HEIGHT - 1.2,
            radius=5,
            fill=BACK,
            stroke=BACK_EDGE,
            stroke_width=1.2,
        )
        canvas.rect(4, 4, CARD_WIDTH - 8, CARD_HEIGHT - 8, radius=3, fill="none", stroke="#c9a981")
        if knight is None:
            canvas.text(11.5, 14.5, "?", size=14, bold=True, fill="#f4e3c8")
            crown(canvas, CARD_WIDTH / 2 + 2, CARD_HEIGHT / 2 + 7, 16, "#c9a981")
            return
        paint = PAINTS[int(COLOUR_OF[knight])]
        canvas.rect(3, 4, 17, 17, radius=4, fill=paint.fill, stroke=paint.edge, stroke_width=1)
        value = str(int(VALUE_OF[knight]))
        canvas.text(11.5, 12.5, value, size=13, bold=True, fill=paint.ink)
        emblem(
            canvas, CARD_WIDTH / 2 + 2, CARD_HEIGHT / 2 + 9, int(COLOUR_OF[knight]), 16, "#f4e3c8"
        )


# Signs


def crown(canvas: Canvas, x: float, y: float, size: float, fill: str = GOLD) -> None:
    with canvas.group(transform=shift(x, y, size / 20)):
        canvas.path(_CROWN, fill=fill, stroke=GOLD_EDGE, stroke_width=1, stroke_linejoin="round")


def shield(
    canvas: Canvas, x: float, y: float, size: float, text: str = "", fill: str = STEEL
) -> None:
    """Draw a shield, ``size`` wide, with a strength on it."""
    with canvas.group(transform=shift(x, y, size / 20)):
        canvas.path(_SHIELD, fill=fill, stroke=STEEL_EDGE, stroke_width=1.5)
    if text:
        part = 0.58 if len(text) < 2 else 0.5
        canvas.text(x, y - 0.02 * size, text, size=part * size, bold=True, fill=INK)


def sword(canvas: Canvas, x: float, y: float, size: float) -> None:
    with canvas.group(transform=f"{shift(x, y, size / 22)} rotate(40)"):
        canvas.path(_SWORD, fill=STEEL, stroke=STEEL_EDGE, stroke_width=1.3)


def coin(canvas: Canvas, x: float, y: float, radius: float, text: str = "") -> None:
    """Draw a token of fame."""
    canvas.circle(x, y, radius, fill=GOLD, stroke=GOLD_EDGE, stroke_width=max(1, radius / 8))
    if text:
        size = radius * (1.15 if len(text) < 3 else 0.9)
        canvas.text(x, y, text, size=size, bold=True, fill=GOLD_INK)
    else:
        crown(canvas, x, y, 1.1 * radius, "#fff0c0")


def cards_sign(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Draw a small hand of cards."""
    for turn in (-18, 0, 18):
        with canvas.group(transform=f"{shift(x, y + 0.3 * size, size / 20)} rotate({turn})"):
            canvas.rect(-5, -17, 10, 15, radius=2, fill=CREAM, stroke=BACK_EDGE, stroke_width=1.3)


# Powers


def power_icon(canvas: Canvas, x: float, y: float, size: float, power: str) -> None:
    """Draw the icon of a power around (x, y): light if it works in play, dark if at the end."""
    end = WHEN[power] == "end"
    half = size / 2
    canvas.rect(
        x - half,
        y - half,
        size,
        size,
        radius=size / 5,
        fill="#4b4238" if end else "#fff3cf",
        stroke="#2b241c" if end else "#b08d3c",
        stroke_width=1.2,
    )
    _ICONS[power](canvas, x, y, size / 30)
    if end:
        canvas.text(x + 0.36 * size, y - 0.34 * size, "⚑", size=0.32 * size, fill="#ffd76a")


def _shield_icon(text: str):
    def draw(canvas, x, y, unit):
        shield(canvas, x, y, 22 * unit)
        canvas.text(x, y - 0.5 * unit, text, size=10.5 * unit, bold=True, fill=INK)

    return draw


def _coin_icon(text: str):
    def draw(canvas, x, y, unit):
        coin(canvas, x - unit, y + unit, 10 * unit)
        canvas.text(x - unit, y + unit, text, size=11 * unit, bold=True, fill=GOLD_INK)

    return draw


def _card_icon(text: str, fill: str = CREAM, ink: str = INK, on_shield: bool = False):
    def draw(canvas, x, y, unit):
        if on_shield:
            shield(canvas, x + 5 * unit, y + 2 * unit, 17 * unit)
            x -= 4.5 * unit
        canvas.rect(
            x - 7 * unit,
            y - 10 * unit,
            14 * unit,
            20 * unit,
            radius=2.5 * unit,
            fill=fill,
            stroke=BACK_EDGE,
            stroke_width=1.1,
        )
        canvas.text(x, y, text, size=13 * unit, bold=True, fill=ink)

    return draw


def _recruit_icon(canvas, x, y, unit):
    _card_icon("+")(canvas, x - 4 * unit, y, unit)
    coin(canvas, x + 7 * unit, y + 4 * unit, 6 * unit)
    canvas.line(
        x + 2 * unit, y + 9 * unit, x + 12 * unit, y - unit, stroke="#a01818", stroke_width=2 * unit
    )


def _force_icon(canvas, x, y, unit):
    sword(canvas, x - 2 * unit, y, 20 * unit)
    canvas.text(x + 7 * unit, y + 7 * unit, "★", size=11 * unit, fill="#ffd76a")


_ICONS = {
    "defence_plus_1": _shield_icon("+1"),
    "free_recruit_on_conquest": _recruit_icon,
    "hand_cards_cost_0": _card_icon("0"),
    "take_2_from_each_opponent": _coin_icon("+2"),
    "one_face_down_card_once": _card_icon("?", BACK, "#f4e3c8"),
    "score_one_own_attack_force": _force_icon,
    "defence_minus_1": _shield_icon("\u22121"),
    "defence_scores_0": _shield_icon("0"),
    "add_1_card_to_its_defence_once": _card_icon("+", on_shield=True),
    "add_1_card_to_any_own_force": _card_icon("+", on_shield=True),
    "take_back_1_card_each_turn": _card_icon("↺"),
    "plus_5": _coin_icon("+5"),
    "defence_scores_15": _shield_icon("15"),
}

assert set(_ICONS) == set(WHEN)
