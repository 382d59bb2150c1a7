"""Text boards of Harmonies, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, paragraphs, result_lines, wrapped
from ..components import CARD_NAMES, COLUMNS, HEX_COL, HEX_ROW, NUM_ROTATIONS, SIDES
from ..state import CATEGORIES, cards_of, completed_of
from .visible import FACE_DOWN, FACES, STACK_OF_KIND, Table, Visible, see

WIDTH = 79
# Letters of the colours; the last one stands for any.
LETTERS = "BANGYRx"
LEGEND = "B blue  A gray  N brown  G green  Y yellow  R red; * cube, + spirit's cube"
CELL = 5
CARD_CELL = 4
BLOCK = 16
WATER = ("river", "islands")


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    A stack is written as the letters of its tokens from bottom to top: ``NNG`` is a tree of three.
    A cube on it is ``*``, a spirit's ``+``. Columns of hexes are letters, rows numbers; even
    columns (b, d, f) are half a hex lower, with row numbers on the right.

    A card lists its points by cubes settled, with a bar after those reached: ``4 9|15`` pays 9.
    Its habitat is below, with ``*`` on the hex that gets the cube; ``xR`` is any building.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _supply(seen), _display(seen), *_tables(seen), _points(seen)]
    if seen.over:
        parts.append(_results(seen))
    return paragraphs(parts)


def side_words(seen: Visible) -> str:
    """Describe the side of the boards in play, and what water scores for on it."""
    return f"side {SIDES[seen.side]} ({WATER[seen.side]})"


def category_names(seen: Visible) -> list[str]:
    """Return the names of the scoring categories; that of water depends on the side."""
    return [WATER[seen.side] if name == "water" else name for name in CATEGORIES]


def end_words(seen: Visible) -> str:
    """Describe in two words whether the game is over or about to end."""
    if seen.over or not seen.last_round:
        return "game over" if seen.over else ""
    return "last turn" if seen.num_players == 1 else "last round"


def worth(card: int, table: Table) -> int:
    """Return the points of a completed card."""
    return table.points["spirits"] if FACES[card].spirit else FACES[card].ladder[-1]


def prompt(seen: Visible) -> str:
    """Describe the decision of the seat to play."""
    if seen.phase == "SPIRIT":
        return "keeps one of two Nature's Spirits"
    if seen.phase == "DISCARD":
        return "may discard a card of the display"
    kinds = {place[0] for place in seen.begun}
    if "take" in kinds:
        parts = ["takes the tokens of a space"]
    elif seen.hand:
        parts = [f"places {amount(len(seen.hand), 'token')}"]
    else:
        parts = ["has placed all tokens"]
    if "card" in kinds:
        parts.append("may take a card")
    if "settle" in kinds:
        parts.append("may settle a cube")
    return ", ".join(parts)


def solo_outcome(seen: Visible) -> str:
    """Describe the result of a solo game."""
    if seen.forfeit >= 0:
        return "forfeit"
    suns = amount(seen.suns, "sun")
    won = "won" if seen.ranks[0] == 1 else "not won"
    return f"{amount(seen.scores[0], 'point')}, {suns}: {won}"


def _heading(seen: Visible) -> list[str]:
    eyes = "all eyes" if seen.seat is None else f"seen by {name_of(seen.seat)}"
    lines = [f"Harmonies, {side_words(seen)}, ply {seen.ply}, {eyes}"]
    if not seen.over:
        lines.append(f"{name_of(seen.to_play)} {prompt(seen)}")
    if end_words(seen):
        lines.append(end_words(seen))
    if seen.move is not None:
        lines.append(f"last move: {seen.move.text}")
    if seen.num_players == 1 and not seen.over:
        lines.append(f"suns as it stands: {seen.suns}")
    return lines


def _letters(colours: Sequence[int]) -> str:
    return "".join(LETTERS[colour] for colour in colours)


def _supply(seen: Visible) -> list[str]:
    spaces = "  ".join(f"{k + 1} {_letters(c) or '---'}" for k, c in enumerate(seen.central))
    bag = " ".join(f"{letter} {n}" for letter, n in zip(LETTERS, seen.bag, strict=False))
    lines = [LEGEND, f"central board: {spaces}"]
    if not seen.over:
        lines.append(f"in hand: {' '.join(_letters([c]) for c in seen.hand) or 'no tokens'}")
    lines.append(f"bag: {sum(seen.bag)} tokens, {bag}; deck: {seen.deck} cards")
    return lines


# Cards


def _display(seen: Visible) -> list[str]:
    blocks = [_card(f"{k + 1} ", number) for k, number in enumerate(seen.display)]
    return ["display:", *_beside(blocks, BLOCK - 1)]


def _card(head: str, number: int, settled: int = 0) -> list[str]:
    face = FACES[number]
    lines = [head + (face.name or "-")]
    if face.spirit:
        rows = ", ".join(f"{size}:{points}" for size, points in face.rows)
        lines += [f"{face.landscape} {'groups' if face.groups else 'each'}", rows]
    elif number:
        ladder = [str(points) for points in face.ladder]
        lines.append(f"{' '.join(ladder[:settled])}|{' '.join(ladder[settled:])}")
    return lines + _habitat(number) if number else lines


def _habitat(number: int) -> list[str]:
    """Return a habitat as a small map, turned to be as low, then as narrow, as possible."""
    maps = [_turned(number, turns) for turns in range(NUM_ROTATIONS)]
    return min(maps, key=lambda lines: (len(lines), max(map(len, lines))))


def _turned(number: int, turns: int) -> list[str]:
    mark = "+" if FACES[number].spirit else "*"
    cells = {}
    for (q, r), kind in FACES[number].turned(turns):
        cells[q, 2 * r + q] = _letters(STACK_OF_KIND[kind]) + mark
        mark = ""
    west, rows = min(q for q, _ in cells), [y for _, y in cells]
    lines = []
    for y in range(min(rows), max(rows) + 1):
        line = ""
        for q in sorted(q for q, row in cells if row == y):
            line = line.ljust(2 + CARD_CELL * (q - west)) + cells[q, y]
        lines.append(line)
    return lines


def _beside(blocks: Sequence[list[str]], width: int) -> list[str]:
    rows = zip_longest(*blocks, fillvalue="")
    return ["".join(f"{cell:{width}}" for cell in row).rstrip() for row in rows]


# Tables


def _tables(seen: Visible) -> list[list[str]]:
    return [_table(seen, seat) for seat in looker_last(seen.seat, seen.num_players)]


def _table(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    several = seen.num_players > 1
    you = " (you)" if seat == seen.seat and several else ""
    first = ", first player" if seat == seen.first_player and several else ""
    cubes = amount(len(table.cubes), "cube")
    head = f"{name_of(seat)}{you}{first}: {table.total} points, {cubes}, {table.empty} empty hexes"
    board = _board(seen, seat)
    lines = [head, *_beside([board, _cards(table)], max(map(len, board)) + 2)]
    if table.completed:
        done = [f"{CARD_NAMES[card]} {worth(card, table)}" for card in table.completed]
        lines += wrapped("completed: ", done, WIDTH)
    return lines


def _cards(table: Table) -> list[str]:
    blocks = [_card(f"{k + 1} ", held.card, held.settled) for k, held in enumerate(table.cards)]
    for k, spirit in enumerate(table.offered):
        shown = ["face down"] if spirit == FACE_DOWN else _card("", spirit)
        blocks[k] = [f"spirit {k + 1}", *shown]
    return [*_beside(blocks[:2], BLOCK), "", *_beside(blocks[2:], BLOCK)]


def _board(seen: Visible, seat: int) -> list[str]:
    """Return the hexes: two lines per row, since every second column is half a hex lower."""
    table, side = seen.tables[seat], seen.side
    columns = COLUMNS[side]
    cells = {}
    for k, colours in enumerate(table.stacks):
        mark = "+" if FACES[table.cubes.get(k, 0)].spirit else "*" if k in table.cubes else ""
        col, row = int(HEX_COL[side, k]), int(HEX_ROW[side, k])
        cells[col, 2 * row + col % 2] = (_letters(colours) or ".") + mark
    lines = ["   " + "".join(f"{'abcdefg'[c]:{CELL}}" for c in range(len(columns))).rstrip()]
    for y in range(2 * max(columns) - 1):
        row = y // 2 + 1
        line = f"{row:2} " if y % 2 == 0 else "   "
        line += "".join(f"{cells.get((c, y), ''):{CELL}}" for c in range(len(columns)))
        lines.append(f"{line}{row}" if y % 2 else line.rstrip())
    return lines


# Points and the end


def _points(seen: Visible) -> list[str]:
    names = category_names(seen)
    widths = [*(max(len(name) + 1, 7) for name in names), 8]
    rows = {"points": [*names, "in all"]}
    for seat, table in enumerate(seen.tables):
        rows[name_of(seat)] = [*map(str, table.points.values()), str(table.total)]
    return [f"{head:10}" + "".join(map(str.rjust, row, widths)) for head, row in rows.items()]


def _results(seen: Visible) -> list[str]:
    if seen.num_players == 1:
        return [solo_outcome(seen)]
    return result_lines(seen, lambda seat: _result(seen, seat))


def _result(seen: Visible, seat: int) -> str:
    """Return a seat's points and, if others have the same, the cubes that break the tie."""
    words = amount(seen.scores[seat], "point")
    if seen.scores.count(seen.scores[seat]) > 1:
        words += f", {amount(len(seen.tables[seat].cubes), 'cube')}"
    return words


def remarks(before: np.void, after: np.void) -> list[str]:
    """Describe the consequences of an action, beyond the action itself.

    Args:
        before, after: the record before and after the action.
    """
    said = []
    for seat in range(int(after["num_players"])):
        held, now = ({held.card for held in cards_of(state, seat)} for state in (before, after))
        done = set(completed_of(after, seat)) - set(completed_of(before, seat))
        said += [f"{name_of(seat)} takes {CARD_NAMES[card]}" for card in now - held - {0}]
        said += [f"{name_of(seat)} completes {CARD_NAMES[card]}" for card in done]
    if after["last_round"] and not before["last_round"]:
        said.append("the end is set off: the round is finished")
    return said
