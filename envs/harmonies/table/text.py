"""Text boards of Harmonies, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, result_lines, wrapped
from ..components import (
    CARD_NAMES,
    COLUMNS,
    HEX_COL,
    HEX_ROW,
    KIND_OF_STACK,
    KINDS,
    NUM_ROTATIONS,
    SIDES,
    STACKS,
)
from ..state import CATEGORIES, cards_of, completed_of
from .visible import (
    FACE_DOWN,
    Visible,
    counts_groups,
    is_spirit,
    ladder_of,
    points_of_card,
    see,
    spirit_landscape,
    spirit_rows,
    turned_habitat,
)

WIDTH = 79
# Letters of the colours: those of blue, green, yellow and red begin them.
LETTERS = "BANGYR"
LEGEND = "B blue  A gray  N brown  G green  Y yellow  R red; * cube, + spirit's cube"
CELL = 5
CARD_CELL = 4
BLOCK = 16
_STACK_OF_KIND = {KINDS[int(KIND_OF_STACK[k])]: STACKS[k] for k in reversed(range(len(STACKS)))}


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    A stack is the letters of its tokens from the bottom to the top: ``NNG`` is a tree of three. A
    cube on it is ``*``, that of a spirit ``+``. Columns of hexes are letters, rows numbers; even
    columns (b, d, f) sit half a hex lower, their row numbers stand at the right.

    A card has its points by cubes settled, a bar after those settled: ``4 9|15`` pays 9. Below it
    is its habitat, the hex that gets the cube with its ``*``; ``xR`` is any building.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _supply(seen), _display(seen), *_tables(seen), _points(seen)]
    if seen.over:
        parts.append(_results(seen))
    return "\n\n".join("\n".join(part) for part in parts)


def water_word(seen: Visible) -> str:
    """Return what water scores for: the river of side A, the islands of side B."""
    return ("river", "islands")[seen.side]


def prompt(seen: Visible) -> str:
    """Say what the seat to play decides."""
    if seen.phase == "SPIRIT":
        return "keeps one of two Nature's Spirits"
    if seen.phase == "DISCARD":
        return "may discard a card of the display"
    if seen.may_take:
        parts = ["takes the tokens of a space"]
    elif seen.hand:
        parts = [f"places {amount(len(seen.hand), 'token')}"]
    else:
        parts = ["has placed all tokens"]
    if seen.may_take_card:
        parts.append("may take a card")
    if any(seen.table_of_turn().ready):
        parts.append("may settle a cube")
    return ", ".join(parts)


def solo_outcome(seen: Visible) -> str:
    """Say how a game alone has ended."""
    if seen.forfeit >= 0:
        return "forfeit"
    suns = amount(seen.suns, "sun")
    return f"{seen.scores[0]:g} points, {suns}: {'won' if seen.ranks[0] == 1 else 'not won'}"


def _heading(seen: Visible) -> list[str]:
    eyes = "all eyes" if seen.seat is None else f"seen by player_{seen.seat}"
    side = f"side {SIDES[seen.side]} ({water_word(seen)})"
    doing = "game over" if seen.over else f"player_{seen.to_play} {prompt(seen)}"
    lines = [f"Harmonies, {side}, ply {seen.ply}, {eyes}", doing]
    if seen.last_round and not seen.over:
        lines.append("last turn" if seen.num_players == 1 else "last round")
    if seen.move is not None:
        lines.append(f"last move: {seen.move.text}")
    if seen.num_players == 1 and not seen.over:
        lines.append(f"suns as it stands: {seen.suns}")
    return lines


def _letters(colours: Sequence[int]) -> str:
    return "".join(LETTERS[colour] for colour in colours)


def _supply(seen: Visible) -> list[str]:
    spaces = "  ".join(f"{k + 1} {_letters(c) or '---'}" for k, c in enumerate(seen.central))
    bag = " ".join(f"{letter} {n}" for letter, n in zip(LETTERS, seen.bag, strict=True))
    lines = [LEGEND, f"central board: {spaces}"]
    if not seen.over:
        lines.append(f"in hand: {' '.join(_letters([c]) for c in seen.hand) or 'no tokens'}")
    lines.append(f"bag: {sum(seen.bag)} tokens, {bag}; deck: {seen.deck} cards")
    return lines


# Cards


def _display(seen: Visible) -> list[str]:
    blocks = [
        _card(f"{place + 1} ", number, points_of_card(number)[1]) if number else [f"{place + 1} -"]
        for place, number in enumerate(seen.display)
    ]
    return ["display:", *_beside(blocks, BLOCK - 1)]


def _card(head: str, number: int, left: int) -> list[str]:
    """A card as lines: name, points, habitat."""
    lines = [f"{head}{CARD_NAMES[number]}"]
    if is_spirit(number):
        kind = spirit_landscape(number)
        rows = ", ".join(f"{size}:{points}" for size, points in spirit_rows(number))
        lines += [f"{kind} {'groups' if counts_groups(number) else 'each'}", rows]
    else:
        ladder = [str(points) for points in ladder_of(number)]
        settled = len(ladder) - left
        lines.append(f"{' '.join(ladder[:settled])}|{' '.join(ladder[settled:])}")
    return [*lines, *_habitat(number)]


def _habitat(number: int) -> list[str]:
    """A habitat as a small map, turned so that it is low."""
    return min((_turned(number, turns) for turns in range(NUM_ROTATIONS)), key=_extent)


def _extent(lines: list[str]) -> tuple[int, int]:
    return len(lines), max(map(len, lines))


def _turned(number: int, turns: int) -> list[str]:
    mark = "+" if is_spirit(number) else "*"
    cells = {}
    for k, ((q, r), kind) in enumerate(turned_habitat(number, turns)):
        letters = "xR" if kind == "building" else _letters(_STACK_OF_KIND[kind])
        cells[q, 2 * r + q] = letters + (mark if k == 0 else "")
    west, north = min(q for q, _ in cells), min(y for _, y in cells)
    south = max(y for _, y in cells)
    lines = []
    for y in range(north, south + 1):
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
    """All tables, that of the seat that looks last, nearest to where the answer is typed."""
    return [_table(seen, seat) for seat in looker_last(seen.seat, seen.num_players)]


def _table(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    several = seen.num_players > 1
    you = " (you)" if seat == seen.seat and several else ""
    first = ", first player" if seat == seen.first_player and several else ""
    cubes = amount(len(table.cubes), "cube")
    head = f"player_{seat}{you}{first}: {table.total} points, {cubes}, {table.empty} empty hexes"
    board = _board(seen, seat)
    width = max(map(len, board)) + 2
    lines = [head, *(f"{b:{width}}{c}".rstrip() for b, c in _padded(board, _cards(seen, seat)))]
    if table.completed:
        done = [
            f"{CARD_NAMES[n]} {table.points['spirits'] if is_spirit(n) else points_of_card(n)[0]}"
            for n in table.completed
        ]
        lines += wrapped("completed: ", done, WIDTH)
    return lines


def _padded(one: list[str], other: list[str]):
    return zip_longest(one, other, fillvalue="")


def _cards(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    blocks = []
    for k, held in enumerate(table.cards):
        if k < len(table.offered):
            spirit = table.offered[k]
            shown = ["face down"] if spirit == FACE_DOWN else _card("", spirit, 1)
            blocks.append([f"spirit {k + 1}", *shown])
        elif held.card:
            blocks.append(_card(f"{k + 1} ", held.card, held.left))
        else:
            blocks.append([f"{k + 1} -"])
    upper, lower = _beside(blocks[:2], BLOCK), _beside(blocks[2:], BLOCK)
    return [*upper, "", *lower]


def _board(seen: Visible, seat: int) -> list[str]:
    """The hexes: two lines a row, since every second column sits half a hex lower."""
    table, side = seen.tables[seat], seen.side
    columns = COLUMNS[side]
    cells = {}
    for k, colours in enumerate(table.stacks):
        mark = ("+" if is_spirit(table.cubes[k]) else "*") if k in table.cubes else ""
        at = int(HEX_COL[side, k]), 2 * int(HEX_ROW[side, k]) + int(HEX_COL[side, k]) % 2
        cells[at] = (_letters(colours) or ".") + mark
    lines = ["   " + "".join(f"{'abcdefg'[c]:{CELL}}" for c in range(len(columns))).rstrip()]
    for y in range(2 * max(columns) - 1):
        row = y // 2 + 1
        line = f"{row:2} " if y % 2 == 0 else "   "
        line += "".join(f"{cells.get((c, y), ''):{CELL}}" for c in range(len(columns)))
        lines.append(f"{line}{row}" if y % 2 else line.rstrip())
    return lines


# Points and the end


def _points(seen: Visible) -> list[str]:
    names = [water_word(seen) if name == "water" else name for name in CATEGORIES]
    widths = [max(len(name) + 1, 7) for name in names]
    head = "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    lines = [f"points    {head}  in all"]
    for seat, table in enumerate(seen.tables):
        numbers = zip(table.points.values(), widths, strict=True)
        row = "".join(f"{points:>{width}}" for points, width in numbers)
        lines.append(f"player_{seat:<3}{row}{table.total:>8}")
    return lines


def _results(seen: Visible) -> list[str]:
    if seen.num_players == 1:
        return [solo_outcome(seen)]
    return result_lines(seen, lambda seat: _result(seen, seat))


def _result(seen: Visible, seat: int) -> str:
    """A seat's points; where others have the same, also the cubes that break the tie."""
    words = f"{seen.scores[seat]:g} points"
    if seen.scores.count(seen.scores[seat]) > 1:
        words += f", {amount(len(seen.tables[seat].cubes), 'cube')}"
    return words


def remarks(before: np.void, after: np.void) -> list[str]:
    """Say what an action brought about, beyond the action itself.

    Args:
        before, after: the record on both sides of it.
    """
    said = []
    for seat in range(int(after["num_players"])):
        # Slots without a card are 0.
        held, now = (
            {card.card for card in cards_of(state, seat)} | {0} for state in (before, after)
        )
        done = set(completed_of(after, seat)) - set(completed_of(before, seat))
        said += [f"{name_of(seat)} takes {CARD_NAMES[card]}" for card in now - held]
        said += [f"{name_of(seat)} completes {CARD_NAMES[card]}" for card in done]
    if after["last_round"] and not before["last_round"]:
        said.append("the end is set off: the round is finished")
    return said
