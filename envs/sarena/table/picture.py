"""Pictures and text boards of Sàrèná.

Both show what is public (every disc, both its faces) and the secret colours that the viewer may
know: a seat knows only its own until the game is over; None shows all of them.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...core.drawing.canvas import Canvas, Style
from ...core.drawing.panels import cylinder
from ...core.drawing.words import name_of, ordinal
from ..components import COLOURS, COLS, IS_ARROW, NUM_CIRCLES, ROWS
from ..notation import circle_to_string
from ..state import Stack
from .geometry import (
    BOARD,
    COL_STEP,
    DISC_HEIGHT,
    DISC_X,
    DISC_Y,
    HEIGHT,
    LEFT,
    PANEL,
    RING_X,
    RING_Y,
    ROW_STEP,
    TOP,
    WIDTH,
    circle_centre,
)
from .text import LETTERS, _faces, outcome, result_of
from .visible import Visible, discs_on_top, see

# Fill, dark edge and letter of each colour. Distinguishable with any kind of colour blindness, and
# in grey, from light to dark: yellow, green, red, blue.
FACES = (
    ("#f6cf3c", "#a8830a", "#3a2d00"),
    ("#cf3a2b", "#7d1c12", "#ffffff"),
    ("#4fb58c", "#1f6b4d", "#06281b"),
    ("#2c5aa8", "#142f5e", "#ffffff"),
)
PAPER = "#f6f1e7"
WOOD = ("#e8d9bb", "#d8c49d")
INK = "#2e2820"
FAINT_INK = "#7a6f60"
LINE = "#8f7a58"
PLAIN_FILL = "#efe4cd"
ARROW_FILL = "#b8965c"
ARROW_INK = "#4a3512"
ACCENT = "#a3239b"
PAWN = "#27231f"
EDGE = "#15110c"


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | tuple[int, int] | Mapping[str, int] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: the viewer, 0..num_players-1; None sees all secret colours.
        last_action: the move to highlight: an action 0..119, ``(from, to)`` or
            ``{"from": ..., "to": ...}`` in circles.

    Returns:
        A canvas of 1084 x 880 units.

    Raises:
        ValueError: an invalid seat or action.
    """
    seen = see(state, seat, last_action)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_board(canvas, seen)
    for circle, stack in enumerate(seen.stacks):
        if stack:
            _draw_stack(canvas, circle, stack, seen)
    _draw_panel(canvas, seen)
    return canvas


# What may be seen


def _draw_board(canvas: Canvas, seen: Visible) -> None:
    x, y, width, height = BOARD
    canvas.rect(x + 3, y + 5, width, height, radius=26, fill="#000000", fill_opacity=0.16)
    canvas.rect(
        x,
        y,
        width,
        height,
        radius=26,
        fill=canvas.linear_gradient(((0, WOOD[0]), (1, WOOD[1]))),
        stroke="#b39a6c",
        stroke_width=2,
    )
    for col in range(COLS):
        for line in (y + 24, y + height - 24):
            _write_coordinate(canvas, LEFT + col * COL_STEP, line, "abcdef"[col])
    for row in range(ROWS):
        _write_coordinate(canvas, x + 24, TOP + row * ROW_STEP, str(row + 1))
    style: Style = {"stroke": LINE, "stroke_width": 4, "stroke_linecap": "round"}
    for row in range(ROWS):
        canvas.line(*circle_centre(row * COLS), *circle_centre(row * COLS + COLS - 1), **style)
    for col in range(COLS):
        canvas.line(*circle_centre(col), *circle_centre((ROWS - 1) * COLS + col), **style)
    if seen.move is not None:
        ends = (*circle_centre(seen.move[0]), *circle_centre(seen.move[1]))
        canvas.line(*ends, stroke=ACCENT, stroke_width=9)
    for circle in range(NUM_CIRCLES):
        _draw_circle(canvas, circle, seen)


def _write_coordinate(canvas: Canvas, x: float, y: float, text: str) -> None:
    canvas.text(x, y, text, size=18, bold=True, fill="#8a744c")


def _draw_circle(canvas: Canvas, circle: int, seen: Visible) -> None:
    x, y = circle_centre(circle)
    arrow = bool(IS_ARROW[circle])
    moved = seen.move is not None and circle in seen.move
    kind = "arrow circle" if arrow else "plain circle"
    with canvas.group(title=f"{circle_to_string(circle)}: {kind}"):
        if arrow:
            _draw_arrowheads(canvas, circle)
        canvas.ellipse(
            x,
            y,
            RING_X,
            RING_Y,
            fill=ARROW_FILL if arrow else PLAIN_FILL,
            stroke=ACCENT if moved else ARROW_INK if arrow else LINE,
            stroke_width=5 if moved else 3,
        )
        if arrow:
            _draw_turning_arrows(canvas, x, y)
        if moved and circle == seen.move[0] and not seen.stacks[circle]:
            canvas.ellipse(
                x,
                y,
                DISC_X,
                DISC_Y,
                fill="none",
                stroke=ACCENT,
                stroke_width=3,
                stroke_dasharray="7 6",
            )


def _draw_arrowheads(canvas: Canvas, circle: int) -> None:
    """Draw arrowheads from an arrow circle along each of its lines."""
    x, y = circle_centre(circle)
    row, col = divmod(circle, COLS)
    for d_row, d_col in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        if not (0 <= row + d_row < ROWS and 0 <= col + d_col < COLS):
            continue
        tip_x, tip_y = x + d_col * (RING_X + 13), y + d_row * (RING_Y + 13)
        foot_x, foot_y = x + d_col * RING_X, y + d_row * RING_Y
        canvas.polygon(
            (
                (tip_x, tip_y),
                (foot_x + d_row * 10, foot_y + d_col * 10),
                (foot_x - d_row * 10, foot_y - d_col * 10),
            ),
            fill=ARROW_INK,
        )


def _draw_turning_arrows(canvas: Canvas, x: float, y: float) -> None:
    """Draw two arrows around the centre of an empty arrow circle: stacks are turned over here."""
    style: Style = {"fill": "none", "stroke": ARROW_INK, "stroke_width": 4}
    for sign in (1, -1):
        canvas.path(
            f"M {x - 20 * sign} {y + 3 * sign} A 20 15 0 0 1 {x + 15 * sign} {y - 10 * sign}",
            **style,
        )
        tip_x, tip_y = x + 24 * sign, y - 3 * sign
        canvas.polygon(
            (
                (tip_x, tip_y),
                (tip_x - 15 * sign, tip_y - 2 * sign),
                (tip_x - 3 * sign, tip_y - 14 * sign),
            ),
            fill=ARROW_INK,
        )


def _draw_stack(canvas: Canvas, circle: int, stack: Stack, seen: Visible) -> None:
    x, y = circle_centre(circle)
    top = stack[-1][1]
    title = (
        f"{circle_to_string(circle)}: {LETTERS[top]}{len(stack)}, from the bottom {_faces(stack)}"
    )
    with canvas.group(title=title):
        canvas.ellipse(x + 3, y + 4, DISC_X + 3, DISC_Y + 3, fill="#000000", fill_opacity=0.22)
        for level, (below, above) in enumerate(stack):
            foot = y - level * DISC_HEIGHT
            _draw_band(canvas, x, foot, below)
            _draw_band(canvas, x, foot - DISC_HEIGHT / 2, above)
        _draw_sides(canvas, x, y, len(stack))
        _draw_top(canvas, x, y - len(stack) * DISC_HEIGHT, top)
        if seen.move is not None and circle == seen.move[1]:
            canvas.path(
                _outline(x, y, len(stack) * DISC_HEIGHT, whole=True),
                fill="none",
                stroke=ACCENT,
                stroke_width=4,
            )
        if len(stack) > 1:
            _draw_badge(canvas, x + DISC_X - 5, y - len(stack) * DISC_HEIGHT - 20, len(stack))


def _outline(x: float, y: float, height: float, whole: bool = False) -> str:
    return cylinder(x, y, DISC_X, DISC_Y, height, whole)


def _draw_band(canvas: Canvas, x: float, y: float, colour: int) -> None:
    """Draw half the height of a disc's edge, in the colour of its face."""
    fill, edge, ink = FACES[colour]
    half = DISC_HEIGHT / 2
    canvas.path(_outline(x, y, half), fill=fill, stroke=edge, stroke_width=0.8)
    canvas.text(x, y - half / 2 + DISC_Y, LETTERS[colour], size=9, bold=True, fill=ink)


def _draw_sides(canvas: Canvas, x: float, y: float, count: int) -> None:
    """Shade the stack like a round body, and separate its discs."""
    shade = canvas.linear_gradient(
        ((0, "#00000066"), (0.25, "#00000000"), (0.75, "#00000000"), (1, "#00000066")),
        end=(1, 0),
    )
    canvas.path(_outline(x, y, count * DISC_HEIGHT), fill=shade)
    for level in range(1, count):
        foot = y - level * DISC_HEIGHT
        canvas.path(
            f"M {x - DISC_X} {foot} A {DISC_X} {DISC_Y} 0 0 0 {x + DISC_X} {foot}",
            fill="none",
            stroke=EDGE,
            stroke_width=1.8,
        )
    body = _outline(x, y, count * DISC_HEIGHT, whole=True)
    canvas.path(body, fill="none", stroke=EDGE, stroke_width=1.8)


def _draw_top(canvas: Canvas, x: float, y: float, colour: int) -> None:
    fill, edge, ink = FACES[colour]
    canvas.ellipse(x, y, DISC_X, DISC_Y, fill=fill, stroke=EDGE, stroke_width=1.8)
    canvas.ellipse(x, y, DISC_X - 6, DISC_Y - 5, fill="none", stroke=edge, stroke_width=1.5)
    canvas.text(x, y, LETTERS[colour], size=28, bold=True, fill=ink)


def _draw_badge(canvas: Canvas, x: float, y: float, count: int) -> None:
    canvas.circle(x, y, 11, fill="#ffffff", stroke=INK, stroke_width=2)
    canvas.text(x, y, str(count), size=15, bold=True, fill=INK)


# The panel beside it


def _draw_panel(canvas: Canvas, seen: Visible) -> None:
    x, y, width, height = PANEL
    canvas.rect(x, y, width, height, radius=18, fill="#fffdf8", stroke="#d9cdb6", stroke_width=1.5)
    canvas.text(x + 20, y + 34, "Sàrèná", size=30, bold=True, anchor="start", fill=INK)
    canvas.text(x + width - 20, y + 38, f"ply {seen.ply}", size=16, anchor="end", fill=FAINT_INK)
    eyes = "all secrets shown" if seen.seat is None else f"seen by player_{seen.seat}"
    canvas.text(x + 20, y + 66, eyes, size=14, anchor="start", fill=FAINT_INK)
    at: float = y + 92
    for seat in range(seen.num_players):
        _draw_player(canvas, x + 12, at, width - 24, seat, seen)
        at += 62
    if seen.unused:
        at = _draw_unused(canvas, x + 20, at + 18, seen) + 14
    at = _draw_outcome(canvas, x + 20, at + 20, seen)
    _draw_counts(canvas, x + 20, max(at, y + 490), width - 40, seen)
    _draw_legend(canvas, x + 20, y + height - 118)


def _draw_player(
    canvas: Canvas, x: float, y: float, width: float, seat: int, seen: Visible
) -> None:
    on_turn = not seen.over and seat == seen.to_play
    won = seen.over and seen.ranks[seat] == min(seen.ranks)
    canvas.rect(
        x,
        y,
        width,
        54,
        radius=12,
        fill="#f6e6f4" if on_turn else "#fbeebf" if won else "#f5f0e6",
        stroke=ACCENT if on_turn else "#a8830a" if won else "none",
        stroke_width=2,
    )
    _draw_pawn(canvas, x + 28, y + 27, seen.secrets[seat])
    you = " (you)" if seat == seen.seat else ""
    canvas.text(x + 56, y + 18, f"player_{seat}{you}", size=16, bold=True, anchor="start", fill=INK)
    canvas.text(
        x + 56, y + 38, _note(seen, seat), size=14, anchor="start", fill=ACCENT if on_turn else INK
    )
    if won:
        canvas.text(x + width - 22, y + 26, "★", size=24, fill="#a8830a")


def _note(seen: Visible, seat: int) -> str:
    """Return the second line of a player's box."""
    if seen.over:
        return f"{ordinal(seen.ranks[seat])}, {result_of(seen, seat)}"
    if seat == seen.to_play:
        return "▶ to move"
    colour = seen.secrets[seat]
    return "secret face down" if colour is None else f"secret {COLOURS[colour]}"


def _draw_pawn(canvas: Canvas, x: float, y: float, colour: int | None, scale: float = 1) -> None:
    """Draw a black pawn; its secret side shows the colour, or a question mark if face down."""
    with canvas.group(transform=f"translate({x:g} {y:g}) scale({scale:g})"):
        canvas.path("M -15 21 C -15 10 -7 8 -6 -2 L 6 -2 C 7 8 15 10 15 21 Z", fill=PAWN)
        fill, _, ink = ("#55504a", "", "#ffffff") if colour is None else FACES[colour]
        canvas.circle(0, -8, 14, fill=fill, stroke=PAWN, stroke_width=3)
        letter = "?" if colour is None else LETTERS[colour]
        canvas.text(0, -8, letter, size=16, bold=True, fill=ink)


def _draw_unused(canvas: Canvas, x: float, y: float, seen: Visible) -> float:
    canvas.text(x, y, "not drawn", size=14, anchor="start", fill=FAINT_INK)
    for k, colour in enumerate(seen.unused):
        _draw_pawn(canvas, x + 100 + 34 * k, y, colour, scale=0.7)
    return y + 16


def _draw_outcome(canvas: Canvas, x: float, y: float, seen: Visible) -> float:
    if seen.move is not None:
        start, end = (circle_to_string(circle) for circle in seen.move)
        canvas.text(
            x, y, f"last move  {start} → {end}", size=15, anchor="start", fill=ACCENT, bold=True
        )
        y += 26
    for line in outcome(seen, names_in_line=2) if seen.over else ():
        canvas.text(x, y, line, size=15, bold=True, anchor="start", fill=INK)
        y += 22
    return y


def _draw_counts(canvas: Canvas, x: float, y: float, width: float, seen: Visible) -> None:
    counts = discs_on_top(seen.stacks)
    canvas.text(x, y, "discs topped by each colour", size=14, anchor="start", fill=FAINT_INK)
    room = width - 62
    longest = max(18, *counts)
    for colour, count in enumerate(counts):
        fill, edge, ink = FACES[colour]
        line = y + 30 + 32 * colour
        canvas.circle(x + 12, line, 12, fill=fill, stroke=edge, stroke_width=1.5)
        canvas.text(x + 12, line, LETTERS[colour], size=14, bold=True, fill=ink)
        canvas.rect(x + 32, line - 9, room, 18, radius=5, fill="#efe7d8")
        length = room * count / longest
        if count:
            canvas.rect(x + 32, line - 9, length, 18, radius=5, fill=fill, stroke=edge)
        if colour in seen.secrets:
            _write_owner(canvas, x + 32, line, length, room, colour, seen)
        canvas.text(x + width, line, str(count), size=16, bold=True, anchor="end", fill=INK)


def _write_owner(
    canvas: Canvas, x: float, y: float, length: float, room: float, colour: int, seen: Visible
) -> None:
    """Write the holder of a colour beside its bar, or inside a long one."""
    seat = seen.secrets.index(colour)
    name = "you" if seat == seen.seat else name_of(seat)
    inside = length > 0.55 * room
    canvas.text(
        x + 6 if inside else x + length + 6,
        y,
        name,
        size=12,
        anchor="start",
        fill=FACES[colour][2] if inside else FAINT_INK,
    )


def _draw_legend(canvas: Canvas, x: float, y: float) -> None:
    for k, (arrow, lines) in enumerate(
        (
            (True, ("empty arrow circle:", "what enters is turned over")),
            (False, ("empty plain circle:", "no stack can go there")),
        )
    ):
        middle = y + 26 + 56 * k
        with canvas.group(transform=f"translate({x + 20:g} {middle:g}) scale(0.45)"):
            canvas.ellipse(
                0,
                0,
                RING_X,
                RING_Y,
                fill=ARROW_FILL if arrow else PLAIN_FILL,
                stroke=ARROW_INK if arrow else LINE,
                stroke_width=4,
            )
            if arrow:
                _draw_turning_arrows(canvas, 0, 0)
        for row, text in enumerate(lines):
            canvas.text(
                x + 50, middle - 9 + 18 * row, text, size=13, anchor="start", fill=FAINT_INK
            )
