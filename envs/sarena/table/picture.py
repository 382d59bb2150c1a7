"""Pictures and text boards of Sàrèná.

Both show what is open to everybody (every disc, both its faces) and the secret colours that the
viewer may know: with a seat, that seat's own until the game is over; with None, all of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...core.drawing.canvas import Canvas
from ...core.drawing.words import check_numbers, check_seat, name_of, ordinal, ranks_of
from ..actions import ACTIONS
from ..components import COLOURS, COLS, IS_ARROW, NUM_CIRCLES, NUM_COLOURS, ROWS
from ..notation import circle_to_string
from ..state import Stack, stacks_of

__all__ = ["circle_centre", "describe", "draw", "locate"]

LETTERS = "".join(colour[0].upper() for colour in COLOURS)

# The picture, in units: circles are seen a little from the front, so a stack rises upwards.
WIDTH, HEIGHT = 1084, 880
LEFT, TOP = 122, 158
COL_STEP, ROW_STEP = 116, 124
RING_X, RING_Y = 47, 33
DISC_X, DISC_Y = 39, 26
DISC_HEIGHT = 18
BOARD = (22, 22, 756, 836)
PANEL = (796, 22, 266, 836)

# Fill, dark edge and letter of each colour. They stay apart for every kind of colour blindness, and
# in grey from light to dark: yellow, green, red, blue.
FACES = (
    ("#f6cf3c", "#a8830a", "#3a2d00"),
    ("#cf3a2b", "#7d1c12", "#ffffff"),
    ("#4fb58c", "#1f6b4d", "#06281b"),
    ("#2c5aa8", "#142f5e", "#ffffff"),
)
# The same in a terminal: bold black or white letters on a background of the 256-colour palette.
TERMINAL = {
    "Y": "\x1b[1;30;48;5;220m",
    "R": "\x1b[1;97;48;5;160m",
    "G": "\x1b[1;30;48;5;72m",
    "B": "\x1b[1;97;48;5;25m",
}
TEXT_COLUMN = 12
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


class _View(NamedTuple):
    """What may be shown: everything that a picture or a text reads, and nothing else."""

    stacks: list[Stack]
    seat: int | None
    num_players: int
    to_play: int
    ply: int
    over: bool
    forfeit: int
    secrets: list[int | None]  # of each seat; None where it is face down
    unused: list[int | None]  # the pawns nobody drew, by colour
    scores: list[float]  # empty until the game is over
    ranks: list[int]
    move: tuple[int, int] | None


def circle_centre(circle: int) -> tuple[int, int]:
    """Return the middle of a circle 0..35 in the picture's units."""
    if not 0 <= circle < NUM_CIRCLES:
        raise ValueError(f"circle must be 0..{NUM_CIRCLES - 1}, not {circle!r}")
    row, col = divmod(circle, COLS)
    return LEFT + col * COL_STEP, TOP + row * ROW_STEP


def locate(x: float, y: float, state: np.void | None = None) -> int | None:
    """Return the circle 0..35 at a point of the picture, or None beside all of them.

    Args:
        x, y: in the picture's units (pixels of `draw(...).rgb(1.0)`).
        state: the record drawn there. With it, a click anywhere on a stack counts for the stack's
            circle, though a high one hides part of the circle behind; without it, only the
            circles on the board count.
    """
    if state is not None:
        # From the front: what hides comes before what is hidden.
        for circle in reversed(range(NUM_CIRCLES)):
            if _is_on_stack(x, y, circle, int(state["height"][circle])):
                return circle
    for circle in range(NUM_CIRCLES):
        centre_x, centre_y = circle_centre(circle)
        if ((x - centre_x) / RING_X) ** 2 + ((y - centre_y) / RING_Y) ** 2 <= 1:
            return circle
    return None


def _is_on_stack(x: float, y: float, circle: int, height: int) -> bool:
    if not height:
        return False
    centre_x, centre_y = circle_centre(circle)
    across = (x - centre_x) / DISC_X
    if abs(across) > 1:
        return False
    reach = DISC_Y * (1 - across**2) ** 0.5
    return centre_y - height * DISC_HEIGHT - reach <= y <= centre_y + reach


def draw(
    state: np.void,
    seat: int | None = None,
    last_action: int | tuple[int, int] | Mapping[str, int] | None = None,
    *,
    scores: Sequence[float] | None = None,
    ranks: Sequence[int] | None = None,
) -> Canvas:
    """Draw one record.

    Args:
        state: one record, for example ``states[0]``.
        seat: whose eyes, 0..num_players-1; None sees all secret colours.
        last_action: the move to highlight: an action 0..119, ``(from, to)`` or
            ``{"from": ..., "to": ...}`` in circles.
        scores, ranks: one number a seat, shown when the game is over; counted here if left out.

    Returns:
        A canvas of 1084 x 880 units.

    Raises:
        ValueError: a seat, an action or a length of `scores` or `ranks` that can't be.
    """
    view = _view_of(state, seat, last_action, scores, ranks)
    canvas = Canvas(WIDTH, HEIGHT, PAPER)
    _draw_board(canvas, view)
    for circle, stack in enumerate(view.stacks):
        if stack:
            _draw_stack(canvas, circle, stack, view)
    _draw_panel(canvas, view)
    return canvas


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | tuple[int, int] | Mapping[str, int] | None = None,
    *,
    scores: Sequence[float] | None = None,
    ranks: Sequence[int] | None = None,
    colour: bool = False,
) -> str:
    """Return a text board, 24 lines or so of at most 76 columns.

    Circles with arrows are `< >`, plain ones `( )`. `<Y3>` is a stack of three with yellow on
    top; below it stand its discs from the bottom upwards, each as its face below and its face
    above: `RG BY RY`.

    Args:
        state, seat, last_action, scores, ranks: as for `draw`.
        colour: paint the colour letters with ANSI codes, for a terminal.

    Raises:
        ValueError: as `draw`.
    """
    view = _view_of(state, seat, last_action, scores, ranks)
    text = "\n".join([*_heading(view), "", *_board_lines(view), "", *_result_lines(view)])
    if colour:
        text = re.sub(rf"(?<![A-Za-z])[{LETTERS}]+(?![A-Za-z])", _painted, text)
    return text


# What may be seen


def _view_of(state, seat, last_action, scores, ranks) -> _View:
    num_players = int(state["num_players"])
    check_seat(state, seat)
    check_numbers(num_players, scores=scores, ranks=ranks)
    over = bool(state["terminated"]) or bool(state["truncated"])
    pawns = [int(colour) for colour in state["secret"]]
    stacks = stacks_of(state)
    shown = [seat is None or over or seat == other for other in range(num_players)]
    secrets = [pawns[other] if shown[other] else None for other in range(num_players)]
    unused = sorted(pawns[num_players:])
    result_scores, result_ranks = [], []
    if over:
        counted = _result(stacks, pawns[:num_players], int(state["forfeit"]))
        result_scores = [float(x) for x in (counted[0] if scores is None else scores)]
        result_ranks = [int(x) for x in (counted[1] if ranks is None else ranks)]
    return _View(
        stacks=stacks,
        seat=seat,
        num_players=num_players,
        to_play=int(state["to_play"]),
        ply=int(state["ply"]),
        over=over,
        forfeit=int(state["forfeit"]),
        secrets=secrets,
        unused=unused if seat is None else [None] * len(unused),
        scores=result_scores,
        ranks=result_ranks,
        move=_move_of(last_action),
    )


def _move_of(last_action) -> tuple[int, int] | None:
    if last_action is None:
        return None
    if np.ndim(last_action) == 0 and not isinstance(last_action, Mapping):
        last_action = ACTIONS.decode(int(last_action))
    if isinstance(last_action, Mapping):
        last_action = last_action["from"], last_action["to"]
    start, end = last_action
    for circle in (start, end):
        if not 0 <= circle < NUM_CIRCLES:
            raise ValueError(
                f"last_action {last_action!r} names circle {circle!r}; "
                f"circles are 0 to {NUM_CIRCLES - 1}"
            )
    return int(start), int(end)


def _result(
    stacks: Sequence[Stack], colours: Sequence[int], forfeit: int
) -> tuple[list[int], list[int]]:
    """Discs and rank of each seat (Fin du jeu); a seat that forfeited comes last."""
    keys = [(seat != forfeit, *_own_discs(stacks, colour)) for seat, colour in enumerate(colours)]
    return [key[1] for key in keys], ranks_of(keys)


def _own_discs(stacks: Sequence[Stack], colour: int) -> tuple[int, int]:
    """Discs in the stacks with that colour on top, and how many of them carry it on a face."""
    discs = [disc for stack in stacks if stack and stack[-1][1] == colour for disc in stack]
    return len(discs), sum(colour in disc for disc in discs)


def _discs_on_top(stacks: Sequence[Stack]) -> list[int]:
    """Discs that each colour would take now."""
    counts = [0] * NUM_COLOURS
    for stack in stacks:
        if stack:
            counts[stack[-1][1]] += len(stack)
    return counts


def _winners(view: _View) -> list[int]:
    best = min(view.ranks)
    return [seat for seat, rank in enumerate(view.ranks) if rank == best]


def _outcome(view: _View, names_in_line: int = 4) -> list[str]:
    """Who has won, in words, in short lines."""
    names = [name_of(seat) for seat in _winners(view)]
    if len(names) == 1:
        return [f"{names[0]} wins"]
    parts = [names[k : k + names_in_line] for k in range(0, len(names), names_in_line)]
    return ["shared win:", *(", ".join(part) for part in parts)]


# The text


def _heading(view: _View) -> list[str]:
    eyes = "all secrets shown" if view.seat is None else f"seen by player_{view.seat}"
    doing = "game over" if view.over else f"player_{view.to_play} to move"
    if view.move is not None:
        doing += ", last move {}-{}".format(*(circle_to_string(circle) for circle in view.move))
    secrets = [
        f"player_{seat}{' (you)' if seat == view.seat else ''} {_letter(colour)}"
        for seat, colour in enumerate(view.secrets)
    ]
    if view.unused:
        secrets.append("not drawn " + " ".join(_letter(colour) for colour in view.unused))
    return [f"Sàrèná, ply {view.ply}, {eyes}", doing, "secrets: " + ", ".join(secrets)]


def _letter(colour: int | None) -> str:
    return "?" if colour is None else LETTERS[colour]


def _board_lines(view: _View) -> list[str]:
    margin = "    "
    names = margin + "".join(name.center(TEXT_COLUMN) for name in "abcdef"[:COLS]).rstrip()
    lines = [names]
    for row in range(ROWS):
        circles = range(row * COLS, (row + 1) * COLS)
        marks = "".join(
            _mark(circle, view.stacks[circle]).center(TEXT_COLUMN, "-") for circle in circles
        )
        # The lines end at the outer circles.
        marks = " " * (len(marks) - len(marks.lstrip("-"))) + marks.strip("-")
        faces = "".join(_faces(view.stacks[circle]).center(TEXT_COLUMN) for circle in circles)
        lines.append((f" {row + 1}  " + marks).rstrip())
        lines.append((margin + faces).rstrip())
        if row < ROWS - 1:
            lines.append((margin + "|".center(TEXT_COLUMN) * COLS).rstrip())
    return [*lines, names]


def _mark(circle: int, stack: Stack) -> str:
    inside = f"{LETTERS[stack[-1][1]]}{len(stack)}" if stack else "  "
    return f"<{inside}>" if IS_ARROW[circle] else f"({inside})"


def _faces(stack: Stack) -> str:
    return " ".join(LETTERS[below] + LETTERS[above] for below, above in stack)


def _result_lines(view: _View) -> list[str]:
    counts = zip(LETTERS, _discs_on_top(view.stacks), strict=True)
    lines = ["discs topped by " + ", ".join(f"{letter} {count}" for letter, count in counts)]
    if view.over:
        lines += [
            f"{ordinal(rank)}: {name_of(seat)}, {_result_of(view, seat)}"
            for rank, seat in sorted(zip(view.ranks, range(view.num_players), strict=True))
        ]
        lines.append(" ".join(_outcome(view)))
    return lines


def _painted(letters: re.Match[str]) -> str:
    return "".join(TERMINAL[letter] + letter + "\x1b[0m" for letter in letters.group())


# The picture


def _draw_board(canvas: Canvas, view: _View) -> None:
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
    style = {"stroke": LINE, "stroke_width": 4, "stroke_linecap": "round"}
    for row in range(ROWS):
        canvas.line(*circle_centre(row * COLS), *circle_centre(row * COLS + COLS - 1), **style)
    for col in range(COLS):
        canvas.line(*circle_centre(col), *circle_centre((ROWS - 1) * COLS + col), **style)
    if view.move is not None:
        ends = (*circle_centre(view.move[0]), *circle_centre(view.move[1]))
        canvas.line(*ends, stroke=ACCENT, stroke_width=9)
    for circle in range(NUM_CIRCLES):
        _draw_circle(canvas, circle, view)


def _write_coordinate(canvas: Canvas, x: float, y: float, text: str) -> None:
    canvas.text(x, y, text, size=18, bold=True, fill="#8a744c")


def _draw_circle(canvas: Canvas, circle: int, view: _View) -> None:
    x, y = circle_centre(circle)
    arrow = bool(IS_ARROW[circle])
    moved = view.move is not None and circle in view.move
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
        if moved and circle == view.move[0] and not view.stacks[circle]:
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
    """Point from an arrow circle along each of its lines."""
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
    """Two arrows around the middle of an empty arrow circle: what comes here turns over."""
    style = {"fill": "none", "stroke": ARROW_INK, "stroke_width": 4}
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


def _draw_stack(canvas: Canvas, circle: int, stack: Stack, view: _View) -> None:
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
        if view.move is not None and circle == view.move[1]:
            canvas.path(
                _outline(x, y, len(stack) * DISC_HEIGHT, back=True),
                fill="none",
                stroke=ACCENT,
                stroke_width=4,
            )
        if len(stack) > 1:
            _draw_badge(canvas, x + DISC_X - 5, y - len(stack) * DISC_HEIGHT - 20, len(stack))


def _outline(x: float, y: float, height: float, back: bool = False) -> str:
    """The path around a cylinder that stands on (x, y): its side, or with `back` all of it."""
    return (
        f"M {x - DISC_X} {y} A {DISC_X} {DISC_Y} 0 0 0 {x + DISC_X} {y} v {-height} "
        f"A {DISC_X} {DISC_Y} 0 0 {0 if back else 1} {x - DISC_X} {y - height} Z"
    )


def _draw_band(canvas: Canvas, x: float, y: float, colour: int) -> None:
    """Half the height of a disc's edge, in the colour of the face it belongs to."""
    fill, edge, ink = FACES[colour]
    half = DISC_HEIGHT / 2
    canvas.path(_outline(x, y, half), fill=fill, stroke=edge, stroke_width=0.8)
    canvas.text(x, y - half / 2 + DISC_Y, LETTERS[colour], size=9, bold=True, fill=ink)


def _draw_sides(canvas: Canvas, x: float, y: float, count: int) -> None:
    """Shade the stack as a round body, and part its discs."""
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
    body = _outline(x, y, count * DISC_HEIGHT, back=True)
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


def _draw_panel(canvas: Canvas, view: _View) -> None:
    x, y, width, height = PANEL
    canvas.rect(x, y, width, height, radius=18, fill="#fffdf8", stroke="#d9cdb6", stroke_width=1.5)
    canvas.text(x + 20, y + 34, "Sàrèná", size=30, bold=True, anchor="start", fill=INK)
    canvas.text(x + width - 20, y + 38, f"ply {view.ply}", size=16, anchor="end", fill=FAINT_INK)
    eyes = "all secrets shown" if view.seat is None else f"seen by player_{view.seat}"
    canvas.text(x + 20, y + 66, eyes, size=14, anchor="start", fill=FAINT_INK)
    at = y + 92
    for seat in range(view.num_players):
        _draw_player(canvas, x + 12, at, width - 24, seat, view)
        at += 62
    if view.unused:
        at = _draw_unused(canvas, x + 20, at + 18, view) + 14
    at = _draw_outcome(canvas, x + 20, at + 20, view)
    _draw_counts(canvas, x + 20, max(at, y + 490), width - 40, view)
    _draw_legend(canvas, x + 20, y + height - 118)


def _draw_player(canvas: Canvas, x: float, y: float, width: float, seat: int, view: _View) -> None:
    on_turn = not view.over and seat == view.to_play
    won = view.over and view.ranks[seat] == min(view.ranks)
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
    _draw_pawn(canvas, x + 28, y + 27, view.secrets[seat])
    you = " (you)" if seat == view.seat else ""
    canvas.text(x + 56, y + 18, f"player_{seat}{you}", size=16, bold=True, anchor="start", fill=INK)
    canvas.text(
        x + 56, y + 38, _note(view, seat), size=14, anchor="start", fill=ACCENT if on_turn else INK
    )
    if won:
        canvas.text(x + width - 22, y + 26, "★", size=24, fill="#a8830a")


def _note(view: _View, seat: int) -> str:
    """The second line of a player's box."""
    if view.over:
        return f"{ordinal(view.ranks[seat])}, {_result_of(view, seat)}"
    if seat == view.to_play:
        return "▶ to move"
    colour = view.secrets[seat]
    return "secret face down" if colour is None else f"secret {COLOURS[colour]}"


def _result_of(view: _View, seat: int) -> str:
    """A seat's score; where others have the same, also the count that breaks the tie."""
    text = f"{view.scores[seat]:g} discs"
    if view.scores.count(view.scores[seat]) > 1:
        text += f" ({_own_discs(view.stacks, view.secrets[seat])[1]} own)"
    return text + (", forfeit" if seat == view.forfeit else "")


def _draw_pawn(canvas: Canvas, x: float, y: float, colour: int | None, scale: float = 1) -> None:
    """A black pawn; its secret side shows the colour, or a question mark when face down."""
    with canvas.group(transform=f"translate({x:g} {y:g}) scale({scale:g})"):
        canvas.path("M -15 21 C -15 10 -7 8 -6 -2 L 6 -2 C 7 8 15 10 15 21 Z", fill=PAWN)
        fill, _, ink = ("#55504a", "", "#ffffff") if colour is None else FACES[colour]
        canvas.circle(0, -8, 14, fill=fill, stroke=PAWN, stroke_width=3)
        letter = "?" if colour is None else LETTERS[colour]
        canvas.text(0, -8, letter, size=16, bold=True, fill=ink)


def _draw_unused(canvas: Canvas, x: float, y: float, view: _View) -> float:
    canvas.text(x, y, "not drawn", size=14, anchor="start", fill=FAINT_INK)
    for k, colour in enumerate(view.unused):
        _draw_pawn(canvas, x + 100 + 34 * k, y, colour, scale=0.7)
    return y + 16


def _draw_outcome(canvas: Canvas, x: float, y: float, view: _View) -> float:
    if view.move is not None:
        start, end = (circle_to_string(circle) for circle in view.move)
        canvas.text(
            x, y, f"last move  {start} → {end}", size=15, anchor="start", fill=ACCENT, bold=True
        )
        y += 26
    for line in _outcome(view, names_in_line=2) if view.over else ():
        canvas.text(x, y, line, size=15, bold=True, anchor="start", fill=INK)
        y += 22
    return y


def _draw_counts(canvas: Canvas, x: float, y: float, width: float, view: _View) -> None:
    counts = _discs_on_top(view.stacks)
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
        if colour in view.secrets:
            _write_owner(canvas, x + 32, line, length, room, colour, view)
        canvas.text(x + width, line, str(count), size=16, bold=True, anchor="end", fill=INK)


def _write_owner(
    canvas: Canvas, x: float, y: float, length: float, room: float, colour: int, view: _View
) -> None:
    """Name the holder of a colour beside its bar, or in it where it is long."""
    seat = view.secrets.index(colour)
    name = "you" if seat == view.seat else name_of(seat)
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
