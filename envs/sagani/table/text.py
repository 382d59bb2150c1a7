"""Text boards of Sagani, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

import numpy as np

from ...core.drawing.words import amount, looker_last, minus, name_of, paragraphs, result_lines
from ..components import DIRECTIONS, ELEMENTS, NUM_ROTATIONS, PERFECT_HARMONY
from ..state import back_of, tiles_of
from .visible import ELEMENT_LETTERS, Face, Visible, see

WIDTH = 79
BETWEEN = "    "
# A tile is five columns wide and three lines high; a free place has this in its centre.
TILE_WIDTH = 5
FREE = "+"


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes.

    A tile is written as its element's letter and its value, surrounded by its arrows, each as the
    letter of the element it asks for; ``o`` is an arrow with a disc. There are as many discs in the
    centre of a tile as open arrows. A completed tile is in brackets. Here, a fire tile worth 6
    points asks for water to the north-west and air to the north, its north-east arrow is covered,
    and a completed earth tile is next to it::

        w a o
         F6   (E10)

    Rows and columns are named by their distance east and north of the first tile, as in the names
    of actions; ``+`` is a place where the tile in hand may go.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _supply(seen), *_tables(seen)]
    if seen.over:
        parts.append(_results(seen))
    else:
        if seen.pointed is not None:
            parts.append([f"chosen: {seen.pointed.name}", *_beside([_block(seen.pointed)])])
        if seen.hand is not None:
            parts.append(_in_hand(seen.hand, seen.turned))
    return paragraphs(parts)


def prompt(seen: Visible) -> str:
    """Describe the decision of the seat to play."""
    hand = "" if seen.hand is None else seen.hand.name
    pointed = "" if seen.pointed is None else seen.pointed.name
    stop = ", or stops" if ("done",) in seen.legal else ""
    move = ", or moves a disc" if seen.movable else ""
    take = f"takes a tile of the display{move}"
    if ("aside",) in seen.legal:
        take = "takes the last tile, or sets it aside and draws the top of the pile"
        if move:
            take = f"takes the last tile, sets it aside for the pile's top{move}"
    return {
        "TAKE": take,
        "PLACE": f"chooses where {hand} goes{move}",
        "ROTATE": f"turns {hand} and places it",
        "CHOOSE": f"interlude: takes one of the tiles, or none{move}",
        "ALIGN": f"chooses a tile to move a disc on{stop}",
        "ARROW": f"chooses the arrow of {pointed} to cover",
    }[seen.phase]


def solo_outcome(seen: Visible) -> str:
    """Describe the result of a solo game."""
    if seen.forfeit >= 0:
        return "forfeit"
    placed = len(seen.tables[0].tiles)
    points = seen.scores[0] if seen.advanced else seen.tables[0].score
    words = f"{minus(points)} points with {amount(placed, 'tile')}"
    if seen.advanced:
        return words
    if seen.ranks[0] > 1:
        return f"{words}: goal not reached"
    return f"{words}: perfect harmony" if placed <= PERFECT_HARMONY else f"{words}: goal reached"


def _heading(seen: Visible) -> list[str]:
    eyes = "all eyes" if seen.seat is None else f"seen by player_{seen.seat}"
    doing = "game over" if seen.over else f"player_{seen.to_play} {prompt(seen)}"
    lines = [f"Sagani, ply {seen.ply}, {eyes}", doing]
    if seen.queue:
        lines.append("then " + ", ".join(name_of(seat) for seat in seen.queue))
    if seen.last_round and not seen.over:
        lines.append("last round")
    if seen.move is not None:
        lines.append(f"last move: {seen.move.text}")
    return lines


# Display, interlude, piles, track


def _supply(seen: Visible) -> list[str]:
    lines = []
    if seen.num_players > 1:
        lines += _spaces("display", seen.display)
        if any(seen.interlude):
            lines += _spaces("interlude", seen.interlude)
    piles = ", ".join(f"{size} ({top.code} on top)" if top else "0" for size, top in seen.piles)
    lines.append(f"piles: {piles}")
    if seen.aside:
        lines.append("put aside: " + ", ".join(face.code for face in seen.aside))
    if seen.removed:
        lines.append(f"left the game: {seen.removed} tiles")
    if seen.num_players > 1:
        track = (f"{field}: {' '.join(f'p{s}' for s in seats)}" for field, seats in seen.track)
        lines.append("track, from the bottom: " + ", ".join(track))
    if seen.advanced:
        unfinished, cacophony = seen.deductions
        lines.append(
            f"at the end: bonus +{seen.bonus}, unfinished tiles -{unfinished}, "
            f"cacophony -{cacophony}"
        )
    return lines


def _spaces(name: str, tiles: Sequence[Face | None]) -> list[str]:
    """Return tiles side by side, with the numbers of their spaces above."""
    blocks = [_block(tile) if tile else EMPTY for tile in tiles]
    lines = [f"{name:10}" + "   ".join(str(k + 1).center(TILE_WIDTH) for k in range(len(tiles)))]
    return [lines[0].rstrip(), *((" " * 10 + line).rstrip() for line in _beside(blocks, "   "))]


def _in_hand(hand: Face, turned: Sequence[Face]) -> list[str]:
    words = f"in hand: {hand.name}"
    if not turned:
        return [words, *_beside([_block(hand)])]
    names = (f"{90 * turns}".center(TILE_WIDTH) for turns in range(NUM_ROTATIONS))
    covers = [f"covers {len(face.marked)}" if face.marked else "" for face in turned]
    counts = " ".join(text.center(TILE_WIDTH + 2) for text in covers).rstrip()
    return [
        f"{words}, to be turned by",
        "   ".join(names).rstrip(),
        *_beside(map(_block, turned), "   "),
        *([counts] if counts else []),
    ]


# Tables


def _tables(seen: Visible) -> list[list[str]]:
    """Return all tables, side by side where they fit; the viewer's comes last, on its own."""
    order = looker_last(seen.seat, seen.num_players)
    joined: list[list[str]] = []
    for seat in order:
        lines = _table(seen, seat)
        width = _width(joined[-1]) if joined else WIDTH
        if seat == seen.seat or width + len(BETWEEN) + _width(lines) > WIDTH:
            joined.append(lines)
            continue
        pairs = zip_longest(joined[-1], lines, fillvalue="")
        joined[-1] = [f"{one:{width}}{BETWEEN}{other}".rstrip() for one, other in pairs]
    return joined


def _width(lines: Sequence[str]) -> int:
    return max(map(len, lines))


def _table(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    several = seen.num_players > 1
    you = " (you)" if seat == seen.seat and several else ""
    first = ", first player" if seat == seen.first_player and several else ""
    return [
        f"player_{seat}{you}{first}",
        f"{table.score} points, {table.unfinished} unfinished",
        f"{table.supply} discs, {table.cacophony} cacophony",
        *_grid(seen, seat),
    ]


def _grid(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    on_turn = seat == seen.to_play and not seen.over
    cells = {position: _block(face) for position, face in table.tiles.items()}
    if on_turn and seen.phase == "PLACE":
        cells.update({position: _middle_only(FREE) for position in seen.free})
    if on_turn and seen.turned and seen.chosen is not None:
        cells[seen.chosen] = _middle_only(f"?{seen.turned[0].code}?")
    if not cells:
        return ["  no tiles yet"]
    columns = range(min(x for x, _ in cells), max(x for x, _ in cells) + 1)
    rows = range(max(y for _, y in cells), min(y for _, y in cells) - 1, -1)
    lines = ["     " + " ".join(f"{x:+d}".center(TILE_WIDTH) for x in columns).rstrip()]
    for y in rows:
        lines += _row(f"{y:+d}", [cells.get((x, y)) for x in columns])
    while not lines[-1]:
        lines.pop()
    return lines


def _row(name: str, blocks: Sequence[tuple[str, str, str] | None]) -> list[str]:
    low = all(block is None or not block[0].strip() + block[2].strip() for block in blocks)
    lines = _beside(block or EMPTY for block in blocks)
    if low:
        lines = lines[1:2]
    at = len(lines) // 2
    return [(f"{name if k == at else '':>3}  {line}").rstrip() for k, line in enumerate(lines)]


def _beside(blocks: Iterable[tuple[str, str, str]], between: str = " ") -> list[str]:
    return [between.join(parts).rstrip() for parts in zip(*blocks, strict=True)]


def _middle_only(text: str) -> tuple[str, str, str]:
    return " " * TILE_WIDTH, text.center(TILE_WIDTH), " " * TILE_WIDTH


EMPTY = _middle_only("")


def _block(face: Face) -> tuple[str, str, str]:
    """Return a tile as three lines of five characters."""
    if face.flipped:
        return _middle_only(f"({face.code})")
    signs = {
        k: "o" if k in face.covered else ELEMENT_LETTERS[element].lower()
        for k, element in face.arrows.items()
    }
    n, ne, e, se, s, sw, w, nw = (signs.get(k, " ") for k in range(len(DIRECTIONS)))
    return f"{nw} {n} {ne}", f"{w}{face.code.center(3)}{e}", f"{sw} {s} {se}"


# The end


def _results(seen: Visible) -> list[str]:
    if seen.num_players == 1:
        return [solo_outcome(seen)]
    return result_lines(seen, lambda seat: amount(seen.scores[seat], "point"))


def remarks(before: np.void, after: np.void) -> list[str]:
    """Describe the consequences of an action, beyond the action itself.

    Args:
        before, after: the record before and after the action.
    """
    said = []
    for seat in range(int(after["num_players"])):
        done = tiles_of(before, seat)
        for tile in tiles_of(after, seat):
            was_open = tile not in done or before["arrows"][tile]
            if was_open and not after["arrows"][tile]:
                element, value = back_of(tile)
                said.append(f"{name_of(seat)} completes {ELEMENTS[element]} {value}")
        discs = int(after["cacophony"][seat]) - int(before["cacophony"][seat])
        if discs:
            said.append(f"{name_of(seat)} lacks {amount(discs, 'disc')}: cacophony")
    if after["queue_next"] and not before["queue_next"]:
        said.append(f"an interlude: {name_of(int(after['to_play']))} chooses first")
    if before["queue_next"] and not after["queue_next"]:
        kept = np.count_nonzero(after["interlude"])
        said.append(f"the interlude is over, {amount(int(kept), 'tile')} left there")
    filled = np.count_nonzero(after["display"]) > np.count_nonzero(before["display"])
    if filled and not after["terminated"]:
        said.append("the display is filled")
    if after["last_round"] and not before["last_round"]:
        alone = after["num_players"] == 1
        said.append("the goal is reached" if alone else "the end is set off: the round is finished")
    return said
