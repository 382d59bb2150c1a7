"""Setting up any position: for analysis, problems and tests."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import check_whole
from ..core.forms import dict_of, flag, list_of, name_or_number, or_none, row_of, whole
from ..core.validity import all_or_nothing
from .components import (
    DIRECTIONS,
    DISCS,
    DISPLAY_SIZE,
    FIRST_CELL,
    INTERLUDE_SIZE,
    NUM_ARROWS,
    NUM_ROTATIONS,
    NUM_TILES,
    TILE_ARROWS,
    WINDOW,
)
from .discs import look
from .placement import lay_tile
from .rules import clear_game, find_movable
from .state import (
    IN_DISPLAY,
    IN_HAND,
    IN_INTERLUDE,
    IN_PILE,
    PLACE_PHASE,
    REMOVED,
    ROTATE_PHASE,
    TAKE_PHASE,
    directions_of,
)


class TileAt(NamedTuple):
    """A tile on a table: number, position, quarter turns, covered directions, flipped or not."""

    tile: int
    x: int
    y: int
    rotation: int = 0
    covered: Sequence[int | str] = ()
    flipped: bool = False


def _tile_at(value: Any, where: str) -> TileAt:
    return TileAt(*_TILE(value, where))


_TILE = row_of(whole, whole, whole, whole, list_of(name_or_number), flag, least=3)
_NUMBERS = list_of(whole)
FORMS = {
    "tables": or_none(dict_of(whole, list_of(_tile_at))),
    "hand": whole,
    "display": _NUMBERS,
    "interlude": _NUMBERS,
    "pile": or_none(_NUMBERS),
    "scores": or_none(_NUMBERS),
    "markers": or_none(_NUMBERS),
    "cacophony": or_none(_NUMBERS),
    "first_player": whole,
    "turn": whole,
    "last_round": flag,
}
# Limit of scores and discs received: more than any game can reach.
LEAST, MOST = {"scores": -30_000, "cacophony": 0}, 30_000
NEEDED_TO_PLAY = "tiles to take (display), or one to place (hand)"
# Stands for an omitted part.
_DEFAULTS = {
    "tables": None,
    "hand": 0,
    "display": (),
    "interlude": (),
    "pile": None,
    "scores": None,
    "markers": None,
    "cacophony": None,
    "first_player": 0,
    "turn": 0,
    "last_round": False,
}


@all_or_nothing
def set_position(states: np.ndarray, i: int = 0, **position: Any) -> None:
    """Set ``states[i]``, a dealt game, to any position; its players and options are kept.

    The discs on a table come from its player's 24 and ``cacophony``, and the rest is the supply.

    Args:
        states: records ``(n,)``.
        i: index of the game.
        position: the parts below, all optional.
        tables: each seat's tiles. The first one is the origin; x grows to the east, y to the north.
            They needn't be adjacent.
        hand: the tile that the seat to play has to place; 0 if it is to take one from the display
            (not in solo games).
        display, interlude: the tiles there, at most 5 and 4; 0 is an empty space.
        pile: the tiles left in the piles, next first; None means all other tiles in ascending
            order. Tiles that are nowhere have left the game, which ends when there is none to take.
        scores: the seats' points minus negative tokens.
        markers: seats from the bottom of the stack to the top, as if they had arrived in that
            order.
        cacophony: number of cacophony discs that each seat has received.
        first_player, turn: seats; ``turn`` is the seat to play.
        last_round: the end has been triggered.

    Raises:
        TypeError: a position has no such part.
        ValueError: a tile is in two places, a table is too large or has more discs than the player,
            or a seat or number is out of range.
    """
    given = SimpleNamespace(**_DEFAULTS | position)
    seats = int(states[i]["num_players"])
    given.tables = dict(given.tables or {})
    given.scores = [0] * seats if given.scores is None else given.scores
    given.cacophony = [0] * seats if given.cacophony is None else given.cacophony
    given.display = _padded(given.display, DISPLAY_SIZE)
    given.interlude = _padded(given.interlude, INTERLUDE_SIZE)
    laid = [piece.tile for pieces in given.tables.values() for piece in pieces]
    used = [tile for tile in (*laid, given.hand, *given.display, *given.interlude) if tile]
    if given.pile is None:
        given.pile = [tile for tile in range(1, NUM_TILES + 1) if tile not in used]
    _check_tiles([*used, *given.pile])
    if seats == 1 and not given.hand:
        raise ValueError(f"hand is 0; alone one always has a tile to place: give 1 to {NUM_TILES}")
    for name in ("scores", "cacophony"):
        numbers = getattr(given, name)
        if len(numbers) != seats:
            raise ValueError(f"{name} is {numbers!r}; give {seats} numbers, one a seat")
        for seat, number in enumerate(numbers):
            check_whole(number, f"{name} of seat {seat}", LEAST[name], MOST)
    for seat in (*given.tables, given.first_player, given.turn):
        if seat not in range(seats):
            raise ValueError(f"seat is {seat!r}; allowed: 0 to {seats - 1}")
    if given.markers is None:
        given.markers = [(given.first_player + k) % seats for k in range(seats)]
    if sorted(given.markers) != list(range(seats)):
        raise ValueError(f"markers is {given.markers!r}; give each seat of 0 to {seats - 1} once")
    clear_game(states, i)
    _put_tiles(states[i], given)
    _put_seats(states, i, given)
    find_movable(states, i)


def _put_tiles(record: np.void, given: SimpleNamespace) -> None:
    record["place"][:] = REMOVED
    record["place"][list(given.pile)] = IN_PILE
    record["place"][given.display] = IN_DISPLAY
    record["place"][given.interlude] = IN_INTERLUDE
    record["place"][given.hand] = IN_HAND
    record["place"][0] = IN_PILE
    drawn = [tile for tile in range(1, NUM_TILES + 1) if tile not in given.pile]
    record["pile"][:] = [*drawn, *given.pile]
    record["drawn"] = len(drawn)
    record["display"][:] = given.display
    record["interlude"][:] = given.interlude
    record["hand"] = given.hand
    record["hand_cell"] = FIRST_CELL


def _put_seats(states: np.ndarray, i: int, given: SimpleNamespace) -> None:
    record = states[i]
    record["first_player"] = given.first_player
    record["turn"] = record["to_play"] = given.turn
    record["last_round"] = given.last_round
    for seat in range(len(given.markers)):
        record["cacophony"][seat] = given.cacophony[seat]
        record["supply"][seat] = DISCS + given.cacophony[seat]
        record["score"][seat] = given.scores[seat]
        record["arrival"][seat] = given.markers.index(seat)
        _lay_table(states, i, seat, given.tables.get(seat, ()))
    record["phase"] = TAKE_PHASE
    if given.hand:
        record["phase"] = PLACE_PHASE if record["placed"][given.turn] else ROTATE_PHASE


def _padded(tiles: Sequence[int], size: int) -> list[int]:
    if len(tiles) > size:
        raise ValueError(f"{len(tiles)} tiles for {size} spaces: {list(tiles)}")
    return [*tiles, *[0] * (size - len(tiles))]


def _check_tiles(tiles: list[int]) -> None:
    for tile in tiles:
        if tile not in range(1, NUM_TILES + 1):
            raise ValueError(f"tile is {tile!r}; allowed: 1 to {NUM_TILES}")
        if tiles.count(tile) > 1:
            raise ValueError(f"tile {tile} is in two places")


def _lay_table(states: np.ndarray, i: int, seat: int, pieces: Sequence[TileAt]) -> None:
    record = states[i]
    for piece, cell in zip(pieces, _cells(pieces, seat, int(record["canvas"])), strict=True):
        lay_tile(record, seat, piece.tile, cell, piece.rotation)
        if record["choice"]:  # if discs move at once, sight isn't used
            look(record, seat, piece.tile, cell)
        record["arrows"][piece.tile] = _uncovered(piece)
        if piece.flipped:
            record["uncompleted"][seat] -= 1
        else:
            record["supply"][seat] -= int(NUM_ARROWS[piece.tile])
    if record["supply"][seat] < 0:
        raise ValueError(f"seat {seat} has {-record['supply'][seat]} discs too few for its table")


def _cells(pieces: Sequence[TileAt], seat: int, canvas: int) -> list[int]:
    """Return each tile's cell, in a window in which all of them are off the margin."""
    if not pieces:
        return []
    for piece in pieces:
        if piece.rotation not in range(NUM_ROTATIONS):
            raise ValueError(
                f"tile {piece.tile} has rotation {piece.rotation!r}; allowed: 0 to "
                f"{NUM_ROTATIONS - 1} quarter turns clockwise"
            )
    xs, ys = [piece.x for piece in pieces], [piece.y for piece in pieces]
    width, height = max(xs) - min(xs) + 1, max(ys) - min(ys) + 1
    if max(width, height) > canvas:
        raise ValueError(
            f"the tiles of seat {seat} need {width} x {height} cells; the canvas is "
            f"{canvas} x {canvas}"
        )
    row, col = divmod(FIRST_CELL, WINDOW)
    north = min(max(1, row - (max(ys) - ys[0])), WINDOW - 1 - height)
    west = min(max(1, col - (xs[0] - min(xs))), WINDOW - 1 - width)
    cells = [
        (north + max(ys) - y) * WINDOW + west + x - min(xs) for x, y in zip(xs, ys, strict=True)
    ]
    if len(set(cells)) < len(cells):
        raise ValueError(f"two tiles of seat {seat} are on one cell")
    return cells


def _uncovered(piece: TileAt) -> int:
    arrows = int(TILE_ARROWS[piece.tile, piece.rotation])
    if piece.flipped:
        return 0
    for direction in piece.covered:
        k = DIRECTIONS.index(direction) if direction in DIRECTIONS else direction
        if k not in directions_of(arrows):
            raise ValueError(f"tile {piece.tile} as it lies has no arrow {direction!r} to cover")
        arrows &= ~(15 << 4 * k)
    if not arrows:
        raise ValueError(f"tile {piece.tile} has all arrows covered: it must be flipped")
    return arrows
