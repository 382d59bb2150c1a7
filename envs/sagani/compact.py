"""The compact observation of Sagani: the information most relevant to decisions, in few numbers.

It doesn't depend on the position of a table in its window, so a small network needn't learn the
same thing for every cell: lines and free cells are counted, not drawn. It therefore contains less
than the other forms. All of it is public.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit
from ..core.jit import allocating_kernel, kernel
from ..core.schema import Field, offsets, total_size
from ..core.state import seat_after
from .components import (
    BIT,
    DISPLAY_SIZE,
    ELEMENTS,
    INTERLUDE_SIZE,
    MAX_PLAYERS,
    NUM_ARROWS,
    NUM_CELLS,
    NUM_DIRECTIONS,
    NUM_ELEMENTS,
    NUM_ROTATIONS,
    NUM_TILES,
    NUM_WORDS,
    RAY_STEP,
    ROWS_PER_WORD,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
    WORD,
)
from .observation import (
    BACK_SIZE,
    BYTE,
    FLAT,
    SEAT_SIZE,
    elements_on_offer,
    reach,
    sight_from,
    write_back,
    write_game,
    write_seat,
    write_tops,
)
from .state import ARROW_PHASE, PUT_ASIDE, ROTATE_PHASE

NUM_OPEN = 10  # maximum number of a seat's own tiles that are listed
MAX_ARROWS = 4
ALL_OF_FIRST = 0x11111111  # arrows in all directions that ask for the first element
# The gain of a tile of an element on a cell, in 16 bits: arrows served, points completed.
CELL_MASK = 511
SERVED_BITS = 7
MOST_SERVED = (1 << SERVED_BITS) - 1
MOST_POINTS = 511
assert NUM_TILES <= MOST_SERVED and TILE_VALUE.sum() <= MOST_POINTS


def _field(name: str, shape: tuple[int, ...], high: int, meaning: str) -> Field:
    return Field(name, shape, 0, high, meaning, "all")


def _words(columns: tuple[Field, ...]) -> str:
    return "; ".join(column.meaning for column in columns)


# Columns of the lists. A tile on offer or in hand; a table; a tile that is not completed.
_OFFER = (
    _field("element", (4,), 1, f"element ({', '.join(ELEMENTS)})"),
    _field("arrows", (1,), 4, "arrows"),
    _field("asks", (4,), 4, "arrows by required element"),
    _field("serves", (1,), BYTE, "on the seat's free cells: most arrows that it would cover"),
    _field("completes", (1,), BYTE, "most points that it would complete"),
    _field("served", (1,), 4, "most of its own arrows covered"),
    _field("aligned", (1,), BYTE, "most arrows covered in total"),
    _field("points", (1,), BYTE, "most points, including its own if all its arrows are covered"),
)
_TABLE = (
    _field("asks", (4,), BYTE, "open arrows by element"),
    _field("near", (4,), BYTE, "those with a free cell on their line"),
    _field("lacking", (4,), NUM_TILES, "tiles with 1 to 4 open arrows"),
    _field("worth", (4,), BYTE, "their points"),
    _field("middle", (1,), BYTE, "discs in the middle of tiles"),
    _field("covered", (1,), BYTE, "on arrows"),
    _field("coverable", (1,), BYTE, "arrows that can be covered now"),
    _field("completable", (1,), BYTE, "points of the tiles this would complete"),
    _field("element", (4,), NUM_TILES, "tiles by element"),
    _field("serves", (4,), BYTE, "most arrows that another tile on a free cell covers, by element"),
    _field("once", (4,), BYTE, "free cells where it covers at least one"),
    _field("twice", (4,), BYTE, "at least two"),
    _field("completes", (4,), BYTE, "most points that it completes"),
    _field("free", (1,), BYTE, "free cells"),
    _field("box", (2,), WINDOW, "rows and columns with tiles"),
)
_OPEN = (
    _field("value", (1,), 10, "value"),
    _field("left", (1,), 4, "open arrows"),
    _field("covered", (1,), 4, "arrows with a disc"),
    _field("asks", (4,), 4, "open arrows by element"),
    _field("near", (1,), 4, "those with a free cell on their line"),
    _field("offered", (1,), 4, "of these, those for an element on offer or in hand"),
    _field("coverable", (1,), 4, "those that can be covered now"),
    _field("paid", (1,), 1, "has its discs"),
    _field("chosen", (1,), 1, "is chosen for moving a disc"),
)
OFFER_AT, TABLE_AT, OPEN_AT = offsets(_OFFER), offsets(_TABLE), offsets(_OPEN)
OFFER_SIZE, TABLE_SIZE, OPEN_SIZE = total_size(_OFFER), total_size(_TABLE), total_size(_OPEN)

_AS_FLAT = {field.name: field for field in FLAT}
_LINES = "the seat's open arrows, by direction clockwise from north, by element"
_UNSEEN = "tiles whose face nobody has seen, by element, by number of arrows (1 to 4)"
_HAND = (
    f"tile in hand: {_words(_OFFER)}. Its gain is given to its holder only and, once a cell is "
    "chosen, for that cell"
)
_ASIDE = "advanced solo: tiles put aside, by element and by number of arrows (1 to 4)"
COMPACT = (
    _field("hand", (OFFER_SIZE,), BYTE, _HAND),
    _AS_FLAT["turns"],
    _field("display", (DISPLAY_SIZE, OFFER_SIZE), BYTE, "tiles of the display, as in hand"),
    _field("interlude", (INTERLUDE_SIZE, OFFER_SIZE), BYTE, "tiles of the interlude, as in hand"),
    _field("tables", (MAX_PLAYERS, TABLE_SIZE), BYTE, f"each seat: {_words(_TABLE)}"),
    _field("lines", (NUM_DIRECTIONS, NUM_ELEMENTS), NUM_TILES, _LINES),
    _field(
        "open",
        (NUM_OPEN, OPEN_SIZE),
        10,
        f"the seat's {NUM_OPEN} oldest tiles not completed: {_words(_OPEN)}",
    ),
    _field("unseen", (NUM_ELEMENTS, MAX_ARROWS), NUM_TILES, _UNSEEN),
    _AS_FLAT["tops"],
    _field("aside", (BACK_SIZE,), 5, _ASIDE),
    _AS_FLAT["seats"],
    _AS_FLAT["game"],
)
COMPACT_AT = offsets(COMPACT)


@allocating_kernel
def observe_compact(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``COMPACT``) with the observation of ``seat``."""
    out[:] = 0
    num_players = np.int64(state["num_players"])
    hand = np.int64(state["hand"])
    holds = seat == state["to_play"] and hand > 0
    elements = elements_on_offer(state) | np.int64(holds) << TILE_ELEMENT[hand]
    # The only array that a kernel of the game allocates: storing values by cell is five times as
    # fast as looking up each tile's direction from every free cell.
    notes = np.empty((3, NUM_CELLS), np.int64)
    cells, gains, sights = notes[0], notes[1], notes[2]
    for ahead in range(num_players - 1, -1, -1):
        other = seat_after(state, seat, ahead)
        count = _list_free(state, other, cells)
        gains[:] = 0
        own = ahead == 0
        _write_table(state, other, ahead, elements if own else -1, gains, out)
        _write_best(cells[:count], gains, out, COMPACT_AT.tables + ahead * TABLE_SIZE)
        write_seat(state, other, out, COMPACT_AT.seats + ahead * SEAT_SIZE)
    # The seat's own table was processed last.
    _look_around(state, seat, cells, count, sights)
    for space in range(DISPLAY_SIZE):
        tile = np.int64(state["display"][space])
        at = COMPACT_AT.display + space * OFFER_SIZE
        _write_offer(tile, cells[:count], gains, sights, out, at)
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        at = COMPACT_AT.interlude + space * OFFER_SIZE
        _write_offer(tile, cells[:count], gains, sights, out, at)
    if holds and state["phase"] == ROTATE_PHASE:
        cells[0] = state["hand_cell"]
        count = 1
        _look_around(state, seat, cells, count, sights)
        _write_turns(hand, sights[cells[0]], out)
    _write_offer(hand, cells[: count if holds else 0], gains, sights, out, COMPACT_AT.hand)
    _write_tiles_left(state, out)
    write_tops(state, out, COMPACT_AT.tops, BACK_SIZE)
    write_game(state, out, COMPACT_AT.game)


@kernel
def _write_lanes(lanes, out, at):
    """Write four 16-bit numbers, clipped to 127."""
    for k in range(4):
        out[at + k] = min(lanes >> 16 * k & 0xFFFF, BYTE)


# Free cells


@kernel
def _list_free(state, seat, cells):
    """Fill the cells of the seat's table where a tile may go; return their number."""
    count = 0
    for word in range(NUM_WORDS):
        free = state["free"][seat, word]
        while free:
            cells[count] = word * (ROWS_PER_WORD * WINDOW) + lowest_bit(free)
            free &= free - 1
            count += 1
    return count


@kernel
def _look_around(state, seat, cells, count, sights):
    """Fill the elements in each direction of the first ``count`` cells, as in ``arrows``."""
    tiles = state["table"][seat][: np.int64(state["placed"][seat])]
    for k in range(0, count, 4):
        a = cells[k]
        b = cells[min(k + 1, count - 1)]
        c = cells[min(k + 2, count - 1)]
        d = cells[min(k + 3, count - 1)]
        sights[a], sights[b], sights[c], sights[d] = sight_from(state, tiles, a, b, c, d)


@kernel
def _write_best(cells, gains, out, at):
    """Write the gain of one more tile of each element on a table's free cells."""
    for element in range(NUM_ELEMENTS):
        serves = once = twice = completes = 0
        for k in range(len(cells)):
            gain = gains[cells[k] & CELL_MASK] >> 16 * element
            served = gain & MOST_SERVED
            serves = max(serves, served)
            completes = max(completes, gain >> SERVED_BITS & MOST_POINTS)
            once += served >= 1
            twice += served >= 2
        out[at + TABLE_AT.serves + element] = serves
        out[at + TABLE_AT.once + element] = min(once, BYTE)
        out[at + TABLE_AT.twice + element] = min(twice, BYTE)
        out[at + TABLE_AT.completes + element] = min(completes, BYTE)


# Tiles on offer and in hand


@kernel
def _write_offer(tile, cells, gains, sights, out, at):
    """Write a tile, and its highest gain on one of the cells."""
    if tile == 0:
        return
    tile &= 127
    element = TILE_ELEMENT[tile]
    arrows = NUM_ARROWS[tile]
    out[at + OFFER_AT.element + element] = 1
    out[at + OFFER_AT.arrows] = arrows
    for asked in range(NUM_ELEMENTS):
        out[at + OFFER_AT.asks + asked] = count_bits(TILE_ARROWS[tile, 0] & ALL_OF_FIRST << asked)
    most_serves = most_completes = most_served = most_aligned = most_points = 0
    for k in range(len(cells)):
        cell = cells[k] & CELL_MASK
        gain = gains[cell] >> 16 * element
        serves = gain & MOST_SERVED
        completes = gain >> SERVED_BITS & MOST_POINTS
        served = 0
        for rotation in range(NUM_ROTATIONS):
            served = max(served, count_bits(TILE_ARROWS[tile, rotation] & sights[cell]))
        most_serves = max(most_serves, serves)
        most_completes = max(most_completes, completes)
        most_served = max(most_served, served)
        most_aligned = max(most_aligned, serves + served)
        most_points = max(most_points, completes + TILE_VALUE[tile] * (served == arrows))
    out[at + OFFER_AT.serves] = most_serves
    out[at + OFFER_AT.completes] = min(most_completes, BYTE)
    out[at + OFFER_AT.served] = most_served
    out[at + OFFER_AT.aligned] = most_aligned
    out[at + OFFER_AT.points] = min(most_points, BYTE)


@kernel
def _write_turns(hand, sight, out):
    """Write the arrows that each rotation of the tile in hand serves and leaves open."""
    for rotation in range(NUM_ROTATIONS):
        served = count_bits(TILE_ARROWS[hand, rotation] & sight)
        out[COMPACT_AT.turns + 2 * rotation] = served
        out[COMPACT_AT.turns + 2 * rotation + 1] = NUM_ARROWS[hand] - served


# Tables


@kernel
def _write_table(state, seat, ahead, elements, gains, out):
    """Write a table's tiles; fill ``gains`` with the gain of a tile of each element on each cell.

    ``elements`` are those of the available tiles, as bits; below 0 the table is another seat's.
    """
    at = COMPACT_AT.tables + ahead * TABLE_SIZE
    placed = np.int64(state["placed"][seat])
    lying = asks = near = lacking = worth = found = 0
    middle = covered = coverable = completable = 0
    for k in range(placed):
        tile = np.int64(state["table"][seat, k])
        arrows = np.int64(state["arrows"][tile])
        lying += 1 << 16 * TILE_ELEMENT[tile]
        if arrows:
            left = count_bits(arrows)
            nearby = _follow(state, seat, tile, gains)
            lacking += 1 << 16 * (left - 1)
            worth += TILE_VALUE[tile] << 16 * (left - 1)
            asks += _by_element(arrows)
            near += _by_element(nearby)
            can = np.int64(0)
            if tile != state["unpaid"]:
                can = arrows & np.int64(state["sight"][tile])
                middle += left
                covered += NUM_ARROWS[tile] - left
                coverable += count_bits(can)
                completable += TILE_VALUE[tile] * (can == arrows)
            if elements >= 0:
                _write_lines(arrows, out)
                if found < NUM_OPEN:
                    row = COMPACT_AT.open + found * OPEN_SIZE
                    _write_open(state, tile, nearby, nearby & elements * ALL_OF_FIRST, out, row)
                    out[row + OPEN_AT.coverable] = count_bits(can)
                found += 1
    _write_lanes(lying, out, at + TABLE_AT.element)
    _write_lanes(asks, out, at + TABLE_AT.asks)
    _write_lanes(near, out, at + TABLE_AT.near)
    _write_lanes(lacking, out, at + TABLE_AT.lacking)
    _write_lanes(worth, out, at + TABLE_AT.worth)
    out[at + TABLE_AT.middle] = min(middle, BYTE)
    out[at + TABLE_AT.covered] = min(covered, BYTE)
    out[at + TABLE_AT.coverable] = min(coverable, BYTE)
    out[at + TABLE_AT.completable] = min(completable, BYTE)
    out[at + TABLE_AT.free] = min(np.int64(state["num_free"][seat]), BYTE)
    if placed:
        out[at + TABLE_AT.box] = state["south"][seat] - state["north"][seat] + 1
        out[at + TABLE_AT.box + 1] = state["east"][seat] - state["west"][seat] + 1


@kernel
def _by_element(arrows):
    """Count the arrows of a word by the element they ask for, in 16 bits per element."""
    lanes = 0
    for element in range(NUM_ELEMENTS):
        lanes |= count_bits(arrows & ALL_OF_FIRST << element) << 16 * element
    return lanes


@kernel
def _follow(state, seat, tile, gains):
    """Add the gain of a tile on the lines of a tile's open arrows.

    Returns the arrows that have a free cell on their line.
    """
    cell = np.int64(state["cell"][tile])
    arrows = np.int64(state["arrows"][tile])
    # The last arrow also completes the tile and scores its points.
    brings = 1 + (TILE_VALUE[tile] << SERVED_BITS) * (arrows & (arrows - 1) == 0)
    far = reach(state, seat, cell)
    near = 0
    while arrows:
        arrow = lowest_bit(arrows)
        arrows &= arrows - 1
        step = RAY_STEP[arrow >> 2]
        gain = brings << 16 * (arrow & 3)
        there = cell
        free = 0
        for _ in range(far >> 8 * (arrow >> 2) & 255):
            # The mask rules out negative indices, which saves a check each time.
            there = there + step & CELL_MASK
            gains[there] += gain
            free |= state["free"][seat, WORD[there]] >> BIT[there]
        near |= (free & 1) << arrow
    return near


@kernel
def _write_lines(arrows, out):
    while arrows:
        out[COMPACT_AT.lines + lowest_bit(arrows)] += 1
        arrows &= arrows - 1


@kernel
def _write_open(state, tile, near, offered, out, at):
    """Write one of the seat's tiles that aren't completed."""
    arrows = np.int64(state["arrows"][tile])
    left = count_bits(arrows)
    paid = tile != state["unpaid"]
    out[at + OPEN_AT.value] = TILE_VALUE[tile]
    out[at + OPEN_AT.left] = left
    out[at + OPEN_AT.covered] = NUM_ARROWS[tile] - left if paid else 0
    _write_lanes(_by_element(arrows), out, at + OPEN_AT.asks)
    out[at + OPEN_AT.near] = count_bits(near)
    out[at + OPEN_AT.offered] = count_bits(offered)
    out[at + OPEN_AT.paid] = paid
    out[at + OPEN_AT.chosen] = state["phase"] == ARROW_PHASE and state["pointed"] == tile


# Piles


@kernel
def _write_tiles_left(state, out):
    for tile in range(1, NUM_TILES + 1):
        if state["place"][tile] <= PUT_ASIDE:
            kind = TILE_ELEMENT[tile] * MAX_ARROWS + NUM_ARROWS[tile] - 1
            out[COMPACT_AT.unseen + kind] += 1
    for k in range(np.int64(state["aside_drawn"]), np.int64(state["num_aside"])):
        write_back(np.int64(state["aside"][k]), out, COMPACT_AT.aside)
