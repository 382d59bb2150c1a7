"""The compact observation of a game of Sagani: what a seat's decisions turn on, in few numbers.

Nothing in it depends on where a table lies in its window, so that a small network need not learn
the same thing cell by cell: lines and free cells are counted, not drawn. So it tells less than the
other forms. All of it is public.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit
from ..core.jit import kernel
from ..core.schema import Field, offsets, total_size
from ..core.state import seat_after
from .components import (
    BIT,
    DIRECTION_OF,
    DISPLAY_SIZE,
    ELEMENT_OF_BIT,
    ELEMENTS,
    INTERLUDE_SIZE,
    MAX_PLAYERS,
    NUM_ARROWS,
    NUM_DIRECTIONS,
    NUM_ELEMENTS,
    NUM_ROTATIONS,
    NUM_TILES,
    NUM_WORDS,
    RAY_STEP,
    ROWS_PER_WORD,
    SPOT,
    SPOT_SHIFT,
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
    reach,
    write_back,
    write_game,
    write_seat,
    write_tops,
)
from .state import ARROW_PHASE, PUT_ASIDE, ROTATE_PHASE

NUM_OPEN = 10  # so many of a seat's own tiles are told one by one
MAX_ARROWS = 4
_ALL_OF_FIRST = 0x11111111  # arrows in all directions that ask for the first element


def _field(name: str, shape: tuple[int, ...], high: int, meaning: str) -> Field:
    return Field(name, shape, 0, high, meaning, "all")


def _words(columns: tuple[Field, ...]) -> str:
    return "; ".join(column.meaning for column in columns)


# Columns of the lists. A tile on offer or in hand; a table; a tile that is not completed.
_OFFER = (
    _field("element", (4,), 1, f"element ({', '.join(ELEMENTS)})"),
    _field("arrows", (1,), 4, "arrows"),
    _field("asks", (4,), 4, "arrows by the element they ask for"),
    _field("serves", (1,), BYTE, "on the seat's free cells, most arrows that it would serve"),
    _field("completes", (1,), BYTE, "most points that it would complete"),
    _field("served", (1,), 4, "most of its own arrows served"),
    _field("aligned", (1,), BYTE, "most arrows served either way"),
    _field("points", (1,), BYTE, "most points, its own if all its arrows are served included"),
)
_TABLE = (
    _field("asks", (4,), BYTE, "open arrows by element"),
    _field("near", (4,), BYTE, "those with a free cell on their line"),
    _field("lacking", (4,), NUM_TILES, "tiles with 1 to 4 open arrows"),
    _field("worth", (4,), BYTE, "their points"),
    _field("middle", (1,), BYTE, "discs in the middle of tiles"),
    _field("covered", (1,), BYTE, "on arrows"),
    _field("coverable", (1,), BYTE, "arrows that can be covered now"),
    _field("completable", (1,), BYTE, "points of tiles completed by that"),
    _field("element", (4,), NUM_TILES, "tiles by element"),
    _field(
        "serves", (4,), BYTE, "most arrows that one more tile on a free cell serves, by element"
    ),
    _field("once", (4,), BYTE, "free cells where it serves at least one"),
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
    _field("offered", (1,), 4, "of these, those that ask for an element on offer or in hand"),
    _field("coverable", (1,), 4, "those that can be covered now"),
    _field("paid", (1,), 1, "has its discs"),
    _field("chosen", (1,), 1, "is chosen to move a disc on"),
)
OFFER_AT, TABLE_AT, OPEN_AT = offsets(_OFFER), offsets(_TABLE), offsets(_OPEN)
OFFER_SIZE, TABLE_SIZE, OPEN_SIZE = total_size(_OFFER), total_size(_TABLE), total_size(_OPEN)

_AS_FLAT = {field.name: field for field in FLAT}
_LINES = "the seat's open arrows, by direction from north clockwise, by element"
_UNSEEN = "tiles of which nobody has seen the face, by element, by arrows (1 to 4)"
_HAND = (
    f"tile in hand: {_words(_OFFER)}. What it would bring is told to who holds it, and once a cell "
    "is chosen, for that cell"
)
_ASIDE = "advanced solo: tiles put aside, by element and by arrows (1 to 4)"
COMPACT = (
    _field("hand", (OFFER_SIZE,), BYTE, _HAND),
    _AS_FLAT["turns"],
    _field("display", (DISPLAY_SIZE, OFFER_SIZE), BYTE, "tiles of the display, as in hand"),
    _field("interlude", (INTERLUDE_SIZE, OFFER_SIZE), BYTE, "of the interlude, as in hand"),
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


@kernel
def observe_compact(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``COMPACT``) with what ``seat`` sees."""
    out[:] = 0
    hand = np.int64(state["hand"])
    holds = seat == state["to_play"] and hand > 0
    _write_faces(state, out)
    for ahead in range(np.int64(state["num_players"])):
        at = COMPACT_AT.tables + ahead * TABLE_SIZE
        _write_table(state, seat_after(state, seat, ahead), out, at)
        write_seat(state, seat_after(state, seat, ahead), out, COMPACT_AT.seats + ahead * SEAT_SIZE)
    _write_own_tiles(state, seat, _elements_on_offer(state, hand if holds else 0), out)
    turning = holds and state["phase"] == ROTATE_PHASE
    if turning:
        _write_chosen(state, seat, hand, out)
    _write_cells(state, seat, hand if holds and not turning else 0, out)
    _write_tiles_left(state, out)
    write_tops(state, out, COMPACT_AT.tops, BACK_SIZE)
    write_game(state, out, COMPACT_AT.game)


@kernel
def _add(out, at, number):
    """Add to a number that is cut off at 127."""
    out[at] = min(np.int64(out[at]) + number, BYTE)


@kernel
def _raise(out, at, number):
    """Keep the larger of two numbers, cut off at 127."""
    out[at] = max(np.int64(out[at]), min(number, BYTE))


@kernel
def _asking_for(arrows, element):
    """Count the arrows of a word that ask for an element."""
    return count_bits(arrows & _ALL_OF_FIRST << element)


# Tiles on offer and in hand


@kernel
def _write_faces(state, out):
    _write_face(np.int64(state["hand"]), out, COMPACT_AT.hand)
    for space in range(DISPLAY_SIZE):
        tile = np.int64(state["display"][space])
        _write_face(tile, out, COMPACT_AT.display + space * OFFER_SIZE)
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        _write_face(tile, out, COMPACT_AT.interlude + space * OFFER_SIZE)


@kernel
def _write_face(tile, out, at):
    if tile:
        out[at + OFFER_AT.element + TILE_ELEMENT[tile]] = 1
        out[at + OFFER_AT.arrows] = NUM_ARROWS[tile]
        for element in range(NUM_ELEMENTS):
            out[at + OFFER_AT.asks + element] = _asking_for(TILE_ARROWS[tile, 0], element)


@kernel
def _elements_on_offer(state, hand):
    """Return the elements of the tiles that may be taken, and of the one in hand, as bits."""
    elements = np.int64(hand > 0) << TILE_ELEMENT[hand]
    for space in range(DISPLAY_SIZE):
        tile = np.int64(state["display"][space])
        elements |= np.int64(tile > 0) << TILE_ELEMENT[tile]
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        elements |= np.int64(tile > 0) << TILE_ELEMENT[tile]
    return elements


@kernel
def _write_chosen(state, seat, hand, out):
    """Write what the tile in hand brings on the cell chosen for it, and by rotation."""
    sight, demand, harvest = _look_from(state, seat, np.int64(state["hand_cell"]))
    _write_gain(hand, sight, demand, harvest, out, COMPACT_AT.hand)
    for rotation in range(NUM_ROTATIONS):
        served = count_bits(TILE_ARROWS[hand, rotation] & sight)
        out[COMPACT_AT.turns + 2 * rotation] = served
        out[COMPACT_AT.turns + 2 * rotation + 1] = NUM_ARROWS[hand] - served


@kernel
def _write_gain(tile, sight, demand, harvest, out, at):
    """Keep the most of what a tile brings on several cells, as ``_look_from`` tells of each."""
    if tile == 0:
        return
    element = TILE_ELEMENT[tile]
    serves = demand >> 8 * element & 255
    completes = harvest >> 16 * element & 0xFFFF
    served = 0
    for rotation in range(NUM_ROTATIONS):
        served = max(served, count_bits(TILE_ARROWS[tile, rotation] & sight))
    own = TILE_VALUE[tile] if served == NUM_ARROWS[tile] else 0
    _raise(out, at + OFFER_AT.serves, serves)
    _raise(out, at + OFFER_AT.completes, completes)
    _raise(out, at + OFFER_AT.served, served)
    _raise(out, at + OFFER_AT.aligned, serves + served)
    _raise(out, at + OFFER_AT.points, completes + own)


# Free cells


@kernel
def _look_from(state, seat, cell):
    """Return what a tile on a cell of the seat's table would be in line with.

    The elements in each direction, as in ``arrows``; the arrows that a tile of each element would
    serve there, a byte an element; the points it would complete, two bytes an element.
    """
    spot = SPOT[cell] + SPOT_SHIFT
    sight = demand = harvest = 0
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        direction = np.int64(DIRECTION_OF[spot - SPOT[state["cell"][tile]]])
        arrows = np.int64(state["arrows"][tile])
        sight |= 1 << (4 * (direction ^ 4) + TILE_ELEMENT[tile])
        asks = arrows >> 4 * direction & 15
        if asks:
            element = ELEMENT_OF_BIT[asks] - 1
            demand += 1 << 8 * element
            if arrows & (arrows - 1) == 0:
                harvest += TILE_VALUE[tile] << 16 * element
    return sight, demand, harvest


@kernel
def _write_cells(state, seat, hand, out):
    """Write what can be had on the free cells of every table, and on the seat's by which tile."""
    for ahead in range(np.int64(state["num_players"])):
        owner = seat_after(state, seat, ahead)
        for word in range(NUM_WORDS):
            cells = state["free"][owner, word]
            while cells:
                cell = word * ROWS_PER_WORD * WINDOW + lowest_bit(cells)
                cells &= cells - 1
                sight, demand, harvest = _look_from(state, owner, cell)
                _write_cell(demand, harvest, out, COMPACT_AT.tables + ahead * TABLE_SIZE)
                if ahead == 0:
                    _write_gains(state, hand, sight, demand, harvest, out)


@kernel
def _write_cell(demand, harvest, out, at):
    for element in range(NUM_ELEMENTS):
        serves = demand >> 8 * element & 255
        _raise(out, at + TABLE_AT.serves + element, serves)
        _raise(out, at + TABLE_AT.completes + element, harvest >> 16 * element & 0xFFFF)
        _add(out, at + TABLE_AT.once + element, np.int64(serves >= 1))
        _add(out, at + TABLE_AT.twice + element, np.int64(serves >= 2))


@kernel
def _write_gains(state, hand, sight, demand, harvest, out):
    _write_gain(hand, sight, demand, harvest, out, COMPACT_AT.hand)
    for space in range(DISPLAY_SIZE):
        tile = np.int64(state["display"][space])
        at = COMPACT_AT.display + space * OFFER_SIZE
        _write_gain(tile, sight, demand, harvest, out, at)
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        at = COMPACT_AT.interlude + space * OFFER_SIZE
        _write_gain(tile, sight, demand, harvest, out, at)


# Tables


@kernel
def _write_table(state, seat, out, at):
    """Write a table's tiles and their arrows; what one more tile brings is written by cells."""
    placed = np.int64(state["placed"][seat])
    for k in range(placed):
        tile = np.int64(state["table"][seat, k])
        out[at + TABLE_AT.element + TILE_ELEMENT[tile]] += 1
        if state["arrows"][tile]:
            _count_open_tile(state, seat, tile, out, at)
    out[at + TABLE_AT.free] = min(np.int64(state["num_free"][seat]), BYTE)
    if placed:
        out[at + TABLE_AT.box] = state["south"][seat] - state["north"][seat] + 1
        out[at + TABLE_AT.box + 1] = state["east"][seat] - state["west"][seat] + 1


@kernel
def _count_open_tile(state, seat, tile, out, at):
    arrows = np.int64(state["arrows"][tile])
    near = _near(state, seat, tile)
    for element in range(NUM_ELEMENTS):
        _add(out, at + TABLE_AT.asks + element, _asking_for(arrows, element))
        _add(out, at + TABLE_AT.near + element, _asking_for(near, element))
    left = count_bits(arrows)
    out[at + TABLE_AT.lacking + left - 1] += 1
    _add(out, at + TABLE_AT.worth + left - 1, TILE_VALUE[tile])
    if tile != state["unpaid"]:
        _add(out, at + TABLE_AT.middle, left)
        _add(out, at + TABLE_AT.covered, NUM_ARROWS[tile] - left)
        coverable = arrows & np.int64(state["sight"][tile])
        _add(out, at + TABLE_AT.coverable, count_bits(coverable))
        if coverable == arrows:
            _add(out, at + TABLE_AT.completable, TILE_VALUE[tile])


@kernel
def _near(state, seat, tile):
    """Return the open arrows of a tile on whose line a tile may be laid now."""
    cell = np.int64(state["cell"][tile])
    arrows = np.int64(state["arrows"][tile])
    far = reach(state, seat, cell)
    near = 0
    while arrows:
        arrow = lowest_bit(arrows)
        arrows &= arrows - 1
        step = RAY_STEP[arrow >> 2]
        there = cell
        for _ in range(far >> 8 * (arrow >> 2) & 255):
            there += step
            if state["free"][seat, WORD[there]] >> BIT[there] & 1:
                near |= 1 << arrow
                break
    return near


@kernel
def _write_own_tiles(state, seat, elements, out):
    """Write the seat's tiles that aren't completed; ``elements``: of the tiles to be had."""
    found = 0
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        arrows = np.int64(state["arrows"][tile])
        for direction in range(NUM_DIRECTIONS if arrows else 0):
            asks = arrows >> 4 * direction & 15
            if asks:
                out[COMPACT_AT.lines + direction * NUM_ELEMENTS + ELEMENT_OF_BIT[asks] - 1] += 1
        if arrows and found < NUM_OPEN:
            _write_open_tile(state, seat, tile, elements, out, COMPACT_AT.open + found * OPEN_SIZE)
            found += 1


@kernel
def _write_open_tile(state, seat, tile, elements, out, at):
    arrows = np.int64(state["arrows"][tile])
    left = count_bits(arrows)
    near = _near(state, seat, tile)
    out[at + OPEN_AT.value] = TILE_VALUE[tile]
    out[at + OPEN_AT.left] = left
    for element in range(NUM_ELEMENTS):
        out[at + OPEN_AT.asks + element] = _asking_for(arrows, element)
    out[at + OPEN_AT.near] = count_bits(near)
    out[at + OPEN_AT.offered] = count_bits(near & elements * _ALL_OF_FIRST)
    if tile != state["unpaid"]:
        out[at + OPEN_AT.paid] = 1
        out[at + OPEN_AT.covered] = NUM_ARROWS[tile] - left
        out[at + OPEN_AT.coverable] = count_bits(arrows & np.int64(state["sight"][tile]))
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
