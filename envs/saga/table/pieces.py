"""The components of Saga, drawn on a canvas: knights, shields, fame, and the powers as icons.

Colours differ in lightness where possible, and each has the emblem of its kingdom.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ...core.drawing.canvas import Canvas
from ...core.drawing.panels import INK, Rect, shift
from ...core.drawing.words import MINUS
from ..components import COLOUR_OF, NUM_KNIGHTS, VALUE_OF, WHEN, knight_name
from .geometry import CARD_HEIGHT, CARD_WIDTH, STRIP


class Paint(NamedTuple):
    """Colours of the fill, a darker fill, the edge, and writing on the fill."""

    fill: str
    side: str
    edge: str
    ink: str


PAINTS = (
    Paint("#b8262e", "#8c161d", "#560a0f", "#fff1ea"),
    Paint("#58a86b", "#3c8550", "#1c4a2a", "#0c2c15"),
    Paint("#3a7fd0", "#265fa4", "#133763", "#f0f7ff"),
    Paint("#ef8a1f", "#c86c0c", "#6d3a03", "#3a1d00"),
    Paint("#52297a", "#3a1a5a", "#230d39", "#f3e8ff"),
    Paint("#f9e05a", "#dcbd2c", "#7c6606", "#5a4700"),
)
SEAT_PAINTS = (
    ("#fdfbf4", "#2b2620"),
    ("#2a2622", "#ffffff"),
    ("#a8326f", "#ffffff"),
    ("#2f9c95", "#ffffff"),
)
CREAM = "#fffaf0"
GOLD, GOLD_EDGE, GOLD_INK = "#f0c548", "#8a6512", "#5b4006"
STEEL: dict[str, Any] = {"fill": "#dfe4ea", "stroke": "#4a525c"}
BACK, BACK_EDGE, BACK_LINE, BACK_INK = "#6b4a36", "#35231a", "#c9a981", "#f4e3c8"
RECRUITED_BACK = "#40566b"

# Emblems of the kingdoms in a box of 20 x 20 units: castle, tree, waves, gold, moon, wheat.
EMBLEMS = (
    "M -9 9 V -9 H -5.5 V -5.5 H -2 V -9 H 2 V -5.5 H 5.5 V -9 H 9 V 9 H 3 V 5 "
    "A 3 3 0 0 0 -3 5 V 9 Z",
    "M 0 -10 L 7 -1 H 3.8 L 9 6 H 1.8 V 10 H -1.8 V 6 H -9 L -3.8 -1 H -7 Z",
    "M -10 -5 C -7 -9 -3 -9 0 -5 C 3 -1 7 -1 10 -5 V -1 C 7 3 3 3 0 -1 C -3 -5 -7 -5 -10 -1 Z "
    "M -10 4 C -7 0 -3 0 0 4 C 3 8 7 8 10 4 V 8 C 7 12 3 12 0 8 C -3 4 -7 4 -10 8 Z",
    "M -9.5 8 L -7.5 2 H -2 L 0 8 Z M 0.6 8 L 2.4 2 H 7.8 L 9.6 8 Z "
    "M -4.7 0 L -2.9 -6 H 2.6 L 4.6 0 Z",
    "M 4 -9 A 9.6 9.6 0 1 0 9 5 A 8 8 0 0 1 4 -9 Z",
    "M -0.8 10 V -2 H 0.8 V 10 Z M 0 -10 C 3.4 -7.4 3.4 -4.6 0 -2 C -3.4 -4.6 -3.4 -7.4 0 -10 Z "
    "M -1 2.5 C -1 -2 -4 -4.4 -8 -4.4 C -8 0 -5 2.5 -1 2.5 Z "
    "M 1 2.5 C 1 -2 4 -4.4 8 -4.4 C 8 0 5 2.5 1 2.5 Z "
    "M -1 8.5 C -1 4.6 -4 2.4 -8 2.4 C -8 6.4 -5 8.5 -1 8.5 Z "
    "M 1 8.5 C 1 4.6 4 2.4 8 2.4 C 8 6.4 5 8.5 1 8.5 Z",
)
# Where a recruited card shows its back: the lower left corner, which no other card covers.
_CORNER = f"M 1 {CARD_HEIGHT - 13} L 13 {CARD_HEIGHT - 1} H 5 A 4 4 0 0 1 1 {CARD_HEIGHT - 5} Z"
_SHIELD = "M -10 -11 C -5 -9 5 -9 10 -11 C 11 0 8 8 0 12 C -8 8 -11 0 -10 -11 Z"
_SWORD = "M 0 -11 L 1.9 -8 V 3 H 5 V 5.4 H 1.4 V 10.5 H -1.4 V 5.4 H -5 V 3 H -1.9 V -8 Z"
_CROWN = "M -9 7 L -10 -5 L -4.6 0 L 0 -8 L 4.6 0 L 10 -5 L 9 7 Z"


def emblem(canvas: Canvas, x: float, y: float, colour: int, size: float, ink: str) -> None:
    """Draw the emblem of a colour's kingdom, ``size`` wide."""
    canvas.path(EMBLEMS[colour], fill=ink, transform=shift(x, y, size / 20))


def badge(canvas: Canvas, x: float, y: float, colour: int, radius: float, title: str) -> None:
    """Draw a disc in a kingdom's colour with its emblem."""
    fill, _, edge, ink = PAINTS[colour]
    with canvas.group(title=title):
        canvas.circle(x, y, radius, fill=fill, stroke=edge, stroke_width=max(1, radius / 10))
        emblem(canvas, x, y, colour, 1.22 * radius, ink)


# Cards, in a box of CARD_WIDTH x CARD_HEIGHT units


def card(
    canvas: Canvas,
    box: Rect,
    knight: int,
    *,
    title: str = "",
    faded: bool = False,
    covered: bool = False,
) -> None:
    """Draw a knight: value at the top left, emblem below; if recruited, a corner of its back.

    If the next card covers it, the emblem is in the strip that remains visible.
    """
    colour, (fill, side, edge, ink) = COLOUR_OF[knight], PAINTS[COLOUR_OF[knight]]
    name, opacity = title + knight_name(knight), 0.5 if faded else None
    at = shift(box.x, box.y, box.width / CARD_WIDTH)
    with canvas.group(transform=at, title=name, opacity=opacity):
        _ground(canvas, canvas.linear_gradient(((0, fill), (0.55, fill), (1, side))), edge)
        canvas.text(11, 13, str(VALUE_OF[knight]), size=18, bold=True, fill=ink)
        if covered:
            emblem(canvas, STRIP / 2, CARD_HEIGHT / 2 + 4, colour, 16, ink)
        else:
            emblem(canvas, CARD_WIDTH / 2 + 3, CARD_HEIGHT / 2 + 9, colour, 22, ink)
        if knight >= NUM_KNIGHTS:
            canvas.path(_CORNER, fill=RECRUITED_BACK, stroke=BACK_LINE, stroke_width=1)


def card_back(
    canvas: Canvas,
    box: Rect,
    title: str,
    knight: int | None = None,
    *,
    recruited: bool = False,
    covered: bool = False,
) -> None:
    """Draw a face-down card, with its value for a viewer who knows it; see `card`."""
    x, y = STRIP / 2 + 1.5 if covered else CARD_WIDTH / 2 + 2, CARD_HEIGHT / 2 + 8
    with canvas.group(transform=shift(box.x, box.y, box.width / CARD_WIDTH), title=title):
        _ground(canvas, RECRUITED_BACK if recruited else BACK, BACK_EDGE)
        canvas.rect(4, 4, CARD_WIDTH - 8, CARD_HEIGHT - 8, radius=3, fill="none", stroke=BACK_LINE)
        if knight is None:
            canvas.text(11.5, 14.5, "?", size=14, bold=True, fill=BACK_INK)
            crown(canvas, x, y, 16, BACK_LINE)
            return
        fill, _, edge, ink = PAINTS[COLOUR_OF[knight]]
        canvas.rect(3, 4, 17, 17, radius=4, fill=fill, stroke=edge, stroke_width=1)
        canvas.text(11.5, 12.5, str(VALUE_OF[knight]), size=13, bold=True, fill=ink)
        emblem(canvas, x, y, COLOUR_OF[knight], 14 if covered else 16, BACK_INK)


def _ground(canvas: Canvas, fill: str, edge: str) -> None:
    box = Rect(0, 0, CARD_WIDTH, CARD_HEIGHT).grown(-0.6)
    canvas.rect(*box, radius=5, fill=fill, stroke=edge, stroke_width=1.2)


# Signs


def crown(canvas: Canvas, x: float, y: float, size: float, fill: str = GOLD) -> None:
    at = shift(x, y, size / 20)
    canvas.path(_CROWN, fill=fill, stroke=GOLD_EDGE, stroke_linejoin="round", transform=at)


def shield(canvas: Canvas, x: float, y: float, size: float, text: str = "") -> None:
    """Draw a shield, ``size`` wide, with a strength on it."""
    canvas.path(_SHIELD, stroke_width=1.5, transform=shift(x, y, size / 20), **STEEL)
    part = 0.58 if len(text) < 2 else 0.5
    canvas.text(x, y - 0.02 * size, text, size=part * size, bold=True, fill=INK)


def sword(canvas: Canvas, x: float, y: float, size: float) -> None:
    turned = f"{shift(x, y, size / 22)} rotate(40)"
    canvas.path(_SWORD, stroke_width=1.3, transform=turned, **STEEL)


def coin(canvas: Canvas, x: float, y: float, radius: float, text: str = "") -> None:
    """Draw a token of fame."""
    canvas.circle(x, y, radius, fill=GOLD, stroke=GOLD_EDGE, stroke_width=max(1, radius / 8))
    if text:
        size = radius * (1.15 if len(text) < 3 else 0.9)
        canvas.text(x, y, text, size=size, bold=True, fill=GOLD_INK)
    else:
        crown(canvas, x, y, 1.1 * radius, "#fff0c0")


def cards_sign(canvas: Canvas, x: float, y: float, radius: float) -> None:
    """Draw a small hand of cards."""
    style: dict[str, Any] = {"fill": CREAM, "stroke": BACK_EDGE, "stroke_width": 1.3}
    for turn in (-18, 0, 18):
        turned = f"{shift(x, y + 0.5 * radius, radius / 12)} rotate({turn})"
        canvas.rect(-5, -17, 10, 15, radius=2, transform=turned, **style)


def _card_sign(canvas: Canvas, x: float, text: str, fill: str = CREAM, ink: str = INK) -> None:
    canvas.rect(x - 7, -10, 14, 20, radius=2.5, fill=fill, stroke=BACK_EDGE)
    canvas.text(x, 0, text, size=13, bold=True, fill=ink)


def _free_sign(canvas: Canvas) -> None:
    coin(canvas, 7, 4, 6)
    canvas.line(2, 9, 12, -1, stroke="#a01818", stroke_width=2)


def _star(canvas: Canvas) -> None:
    canvas.text(7, 7, "★", size=11, fill="#ffd76a")


# Powers

# Contents of each power's icon, in a box of 30 x 30 units, lowest first: sign and position.
_ICONS: dict[str, tuple[tuple, ...]] = {
    "defence_plus_1": ((shield, 0, 0, 22, "+1"),),
    "free_recruit_on_conquest": ((_card_sign, -4, "+"), (_free_sign,)),
    "hand_cards_cost_0": ((_card_sign, 0, "0"),),
    "take_2_from_each_opponent": ((coin, -1, 1, 10, "+2"),),
    "one_face_down_card_once": ((_card_sign, 0, "?", BACK, BACK_INK),),
    "score_one_own_attack_force": ((sword, -2, 0, 20), (_star,)),
    "defence_minus_1": ((shield, 0, 0, 22, f"{MINUS}1"),),
    "defence_scores_0": ((shield, 0, 0, 22, "0"),),
    "add_1_card_to_its_defence_once": ((shield, 5, 2, 17), (_card_sign, -4.5, "+")),
    "add_1_card_to_any_own_force": ((shield, 5, 2, 17), (_card_sign, -4.5, "+")),
    "take_back_1_card_each_turn": ((_card_sign, 0, "↺"),),
    "plus_5": ((coin, -1, 1, 10, "+5"),),
    "defence_scores_15": ((shield, 0, 0, 22, "15"),),
}


def power_icon(canvas: Canvas, x: float, y: float, size: float, power: str) -> None:
    """Draw a power's icon around (x, y): light if it works during play, dark if at the end."""
    end = WHEN[power] == "end"
    fill, edge = ("#4b4238", "#2b241c") if end else ("#fff3cf", "#b08d3c")
    with canvas.group(transform=shift(x, y, size / 30)):
        canvas.rect(-15, -15, 30, 30, radius=6, fill=fill, stroke=edge, stroke_width=1.1)
        for sign, *where in _ICONS[power]:
            sign(canvas, *where)
        if end:
            canvas.text(10.8, -10.2, "⚑", size=9.6, fill="#ffd76a")


assert set(_ICONS) == set(WHEN)
