"""A game of Sàrèná in words: the board, whose turn it is, and the result."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np

from ...core.drawing.words import amount, name_of, ordinal
from ..components import COLOURS, COLS, IS_ARROW, ROWS
from ..notation import circle_to_string
from ..state import Stack
from .visible import Visible, discs_on_top, own_discs, see, winners

LETTERS = "".join(colour[0].upper() for colour in COLOURS)
LEGEND = (
    ", ".join(f"{colour[0].upper()} {colour}" for colour in COLOURS)
    + "; < > circle with an arrow, ( ) without",
    "G3 three discs, green on top; below them each disc, lower face first: BG",
)


# The colours in a terminal: bold black or white letters on a 256-colour background.
TERMINAL = {
    "Y": "\x1b[1;30;48;5;220m",
    "R": "\x1b[1;97;48;5;160m",
    "G": "\x1b[1;30;48;5;72m",
    "B": "\x1b[1;97;48;5;25m",
}


TEXT_COLUMN = 12


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | tuple[int, int] | Mapping[str, int] | None = None,
    *,
    colour: bool = False,
) -> str:
    """Return a text board of about 27 lines, at most 76 columns wide.

    Circles with arrows are `< >`, plain ones `( )`. `<Y3>` is a stack of three with yellow on
    top; its discs are listed below it from bottom to top, each as its lower and its upper face:
    `RG BY RY`.

    Args:
        state, seat, last_action: as for `draw`.
        colour: whether to colour the letters with ANSI codes, for a terminal.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    text = "\n".join([*_heading(seen), *LEGEND, "", *_board_lines(seen), "", *_result_lines(seen)])
    if colour:
        text = re.sub(rf"(?<![A-Za-z])[{LETTERS}]+(?![A-Za-z])", _painted, text)
    return text


def outcome(seen: Visible, names_in_line: int = 4) -> list[str]:
    """Return the winners in words, in short lines."""
    names = [name_of(seat) for seat in winners(seen)]
    if len(names) == 1:
        return [f"{names[0]} wins"]
    parts = [names[k : k + names_in_line] for k in range(0, len(names), names_in_line)]
    return ["shared win:", *(", ".join(part) for part in parts)]


def _heading(seen: Visible) -> list[str]:
    eyes = "all secrets shown" if seen.seat is None else f"seen by player_{seen.seat}"
    doing = "game over" if seen.over else f"player_{seen.to_play} to move"
    if seen.move is not None:
        doing += ", last move {}-{}".format(*(circle_to_string(circle) for circle in seen.move))
    secrets = [
        f"player_{seat}{' (you)' if seat == seen.seat else ''} {letter_of(colour)}"
        for seat, colour in enumerate(seen.secrets)
    ]
    if seen.unused:
        secrets.append("not drawn " + " ".join(letter_of(colour) for colour in seen.unused))
    return [f"Sàrèná, ply {seen.ply}, {eyes}", doing, "secrets: " + ", ".join(secrets)]


def letter_of(colour: int | None) -> str:
    return "?" if colour is None else LETTERS[colour]


def _board_lines(seen: Visible) -> list[str]:
    margin = "    "
    names = margin + "".join(name.center(TEXT_COLUMN) for name in "abcdef"[:COLS]).rstrip()
    lines = [names]
    for row in range(ROWS):
        circles = range(row * COLS, (row + 1) * COLS)
        marks = "".join(
            _mark(circle, seen.stacks[circle]).center(TEXT_COLUMN, "-") for circle in circles
        )
        # The lines end at the outer circles.
        marks = " " * (len(marks) - len(marks.lstrip("-"))) + marks.strip("-")
        faces = "".join(_faces(seen.stacks[circle]).center(TEXT_COLUMN) for circle in circles)
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


def _result_lines(seen: Visible) -> list[str]:
    counts = zip(LETTERS, discs_on_top(seen.stacks), strict=True)
    lines = ["discs topped by " + ", ".join(f"{letter} {count}" for letter, count in counts)]
    if seen.over:
        lines += [
            f"{ordinal(rank)}: {name_of(seat)}, {result_of(seen, seat)}"
            for rank, seat in sorted(zip(seen.ranks, range(seen.num_players), strict=True))
        ]
        lines.append(" ".join(outcome(seen)))
    return lines


def _painted(letters: re.Match[str]) -> str:
    return "".join(TERMINAL[letter] + letter + "\x1b[0m" for letter in letters.group())


def result_of(seen: Visible, seat: int) -> str:
    """Return a seat's score and, if others have the same, the count that breaks the tie."""
    text = amount(seen.scores[seat], "disc")
    secret = seen.secrets[seat]
    if secret is not None and seen.scores.count(seen.scores[seat]) > 1:
        text += f" ({own_discs(seen.stacks, secret)[1]} own)"
    return text + (", forfeit" if seat == seen.forfeit else "")
