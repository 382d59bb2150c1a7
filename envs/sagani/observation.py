"""What a seat observes of a game of Sagani: as numbers and maps, and as planes.

Public: everything face up, and the element and value on the back of each pile's top tile and of the
tiles put aside in the advanced solo game. Hidden: the order of the piles, and which of the tiles
with those backs they are. Seats are relative to the observing one; maps show its own table.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit, write_bytes
from ..core.jit import kernel
from ..core.schema import Field, offsets
from ..core.state import seat_after
from .components import (
    ARROWS_OF_VALUE,
    ASIDE_SIZE,
    BONUS,
    CANVASES,
    CELL_COL,
    CELL_ROW,
    DISPLAY_SIZE,
    ELEMENT_OF_BIT,
    ELEMENTS,
    INTERLUDE_SIZE,
    MAX_PLAYERS,
    NUM_ARROWS,
    NUM_CELLS,
    NUM_DIRECTIONS,
    NUM_ELEMENTS,
    NUM_PILES,
    NUM_ROTATIONS,
    NUM_TILES,
    NUM_WORDS,
    PILE_SIZE,
    RAY_STEP,
    ROWS_PER_WORD,
    SIGHT_OF,
    SPOT,
    SPOT_SHIFT,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
)
from .placement import write_cells
from .state import (
    ARROW_PHASE,
    CHOOSE_PHASE,
    PHASES,
    PLACE_PHASE,
    PUT_ASIDE,
    ROTATE_PHASE,
    TAKE_PHASE,
)
from .track import standing, stands_before

# Numbers for a tile's face, one that may be taken, a tile's back, one on a table, a seat, the game.
FACE_SIZE = 16
OFFER_SIZE = FACE_SIZE + 2
BACK_SIZE = 8
TILE_SIZE = 17
SEAT_SIZE = 15
GAME_SIZE = len(PHASES) + 1 + MAX_PLAYERS + 2 + len(CANVASES) + 1 + NUM_PILES + 1
BYTE = 127  # larger numbers are clipped

_GRID = (WINDOW, WINDOW)
_BACK = f"element ({', '.join(ELEMENTS)}), value ({', '.join(map(str, ARROWS_OF_VALUE))})"
_FACE = f"{_BACK}, arrows clockwise from north (0 none, 1-4 the element)"
_OFFER = (
    "as in hand; then, when a tile is to be taken, its gain on the best free cell: most arrows "
    "covered, most points completed"
)
_TILE = (
    "each tile on a table: owner (4 seats), x, y from the first tile, open arrows clockwise from "
    "north (0 none, 1-4 the element), discs in the middle and on arrows, arrows that can be "
    "covered now"
)
_SEAT = (
    "each seat: exists, score (at most 127), score / 8, supply, cacophony discs, tiles not "
    "completed, tiles, seats ahead of it, is first player, has the turn, is to play, place in the "
    "interlude's order (0 none), markers ahead of its own on the track (in a stack: below it), "
    f"score modulo 8, cacophony discs beyond {BYTE}"
)
_TURNS = "tile in hand on the chosen cell, by rotation: arrows covered, arrows left open"
_GAME = (
    f"phase ({', '.join(PHASES).lower()}; with arrow, the interrupted one too), last round, 1 to 4 "
    f"players, advanced solo, alignments by choice, canvas {', '.join(map(str, CANVASES))}, "
    f"bonuses, tiles left in each pile, game over"
)
_CARDS = (
    "rows 0-4 display, 5-8 interlude, in columns 0-15 the numbers as for the tile in hand; "
    "rows 9-11 tops of the piles, 12-16 tiles put aside, backs in columns 0-7"
)
_NUMBERS = "numbers of the flat observation: rows 0-3 seats, from 4 the game, from 16 unseen tiles"


def _map(name: str, planes: int, high: int, meaning: str) -> Field:
    return Field(name, (planes, *_GRID), 0, high, meaning, "all")


def _list(name: str, shape: tuple[int, ...], low: int, high: int, meaning: str) -> Field:
    return Field(name, shape, low, high, meaning, "all")


# Both forms start with these, so that one kernel writes them.
_MAPS = (
    _map("demand", 4, NUM_TILES, "open arrows that a tile of each element would cover there"),
    _map("harvest", 4, BYTE, "points of the tiles that a tile of each element would complete"),
    _map("fit", 4, 4, "by rotation: arrows of the tile in hand that would be covered there"),
    _map("bring", 2, BYTE, "gain from the tile in hand there: arrows covered, points completed"),
    _map("chosen", 1, 1, "cell chosen for the tile in hand, or of the tile whose disc is moved"),
)

FLAT = (
    *_MAPS,
    _list("tiles", (NUM_TILES, TILE_SIZE), -WINDOW, WINDOW, _TILE),
    _list("unseen", (NUM_TILES,), 0, 1, "tiles whose face nobody has seen"),
    _list("hand", (FACE_SIZE,), 0, 4, f"tile in hand: {_FACE}"),
    _list("turns", (NUM_ROTATIONS, 2), 0, 4, _TURNS),
    _list("display", (DISPLAY_SIZE, OFFER_SIZE), 0, BYTE, f"tiles of the display, {_OFFER}"),
    _list("interlude", (INTERLUDE_SIZE, OFFER_SIZE), 0, BYTE, f"tiles of the interlude, {_OFFER}"),
    _list("tops", (NUM_PILES, BACK_SIZE), 0, 1, f"back of each pile's top tile: {_BACK}"),
    _list("aside", (ASIDE_SIZE, BACK_SIZE), 0, 1, "advanced solo: backs of the tiles put aside"),
    _list("seats", (MAX_PLAYERS, SEAT_SIZE), -BYTE - 1, BYTE, _SEAT),
    _list("game", (GAME_SIZE,), 0, NUM_TILES, _GAME),
)

OTHER_SEATS = ("next", "second", "third")
OTHER_PLANES = 21
PLANES = (
    *_MAPS,
    _map("free", 1, 1, "cells where a tile may go"),
    _map("element", 4, 1, f"tiles, by element: {', '.join(ELEMENTS)}"),
    _map("arrows", 32, 1, "open arrows, four elements for each direction clockwise from north"),
    _map("covered", 8, 1, "arrows with a disc, by direction"),
    _map("discs", 1, 4, "discs in the middle of the tile"),
    _map("sight", 32, 1, "elements on each line, four for each direction"),
    *(
        _map(f"{seat}_{name}", planes, high, f"{seat} seat after the observing one: {meaning}")
        for seat in OTHER_SEATS
        for name, planes, high, meaning in (
            ("element", 4, 1, "tiles by element"),
            ("arrows", 8, 4, "open arrows by direction (0 none, 1-4 the element)"),
            ("discs", 1, 4, "discs in the middle of the tile"),
            ("covered", 8, 1, "arrows with a disc, by direction"),
        )
    ),
    _map("hand", FACE_SIZE, 4, f"tile in hand, constant planes: {_FACE}"),
    _map("cards", 1, 4, _CARDS),
    _list("numbers", (1, *_GRID), -BYTE - 1, BYTE, _NUMBERS),
)

AT = offsets(FLAT)
PLANES_AT = offsets(PLANES)
_UNSEEN_ROW = PLANES_AT.numbers + 16 * WINDOW
OTHER_SIZE = OTHER_PLANES * NUM_CELLS


@kernel
def _clip(number):
    return min(max(number, -BYTE - 1), BYTE)


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with the observation of ``seat``."""
    out[: AT.tiles] = 0
    _write_maps(state, seat, out)
    out[AT.tiles :] = 0
    num_players = np.int64(state["num_players"])
    for ahead in range(num_players):
        _write_tiles(state, seat_after(state, seat, ahead), ahead, out)
    for tile in range(1, NUM_TILES + 1):
        out[AT.unseen + tile - 1] = state["place"][tile] <= PUT_ASIDE
    _write_face(np.int64(state["hand"]), out, AT.hand)
    if state["phase"] == ROTATE_PHASE and seat == state["to_play"]:
        _write_turns(np.int64(state["hand"]), np.int64(state["hand_cell"]), out)
    takes = state["phase"] == TAKE_PHASE or state["phase"] == CHOOSE_PHASE
    best = np.int64(0)
    if takes and seat == state["to_play"]:
        best = _best_by_element(state, seat, out)
    for space in range(DISPLAY_SIZE):
        _write_offer(np.int64(state["display"][space]), best, out, AT.display + space * OFFER_SIZE)
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        _write_offer(tile, best, out, AT.interlude + space * OFFER_SIZE)
    write_tops(state, out, AT.tops, BACK_SIZE)
    _write_aside(state, out, AT.aside, BACK_SIZE)
    for ahead in range(num_players):
        write_seat(state, seat_after(state, seat, ahead), out, AT.seats + ahead * SEAT_SIZE)
    write_game(state, out, AT.game)


# Maps of the seat's own table: the first planes of both forms


@kernel
def _write_maps(state, seat, out):
    """Write ``demand``, ``harvest``, ``fit``, ``bring`` and ``chosen``."""
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        if state["arrows"][tile]:
            _write_rays(state, seat, tile, out)
    if seat != state["to_play"]:
        return
    tile = np.int64(state["hand"])
    if state["phase"] == PLACE_PHASE:
        _write_free(state, seat, tile, out)
    elif state["phase"] == ROTATE_PHASE:
        cell = np.int64(state["hand_cell"])
        out[AT.chosen + cell] = 1
        own = state["table"][seat][: np.int64(state["placed"][seat])]
        sight, _, _, _ = sight_from(state, own, cell, cell, cell, cell)
        _write_fit(tile, cell, sight, out)
    elif state["phase"] == ARROW_PHASE:
        out[AT.chosen + np.int64(state["cell"][state["pointed"]])] = 1


@kernel
def _write_free(state, seat, tile, out):
    """Write ``fit`` and ``bring`` on the free cells.

    Only tiles of elements that the tile in hand asks for count. They are collected first, in the
    part of ``out`` that later holds the tiles. Cells are processed four at a time, since iterating
    over them takes most of the time.
    """
    asked = _elements_of(TILE_ARROWS[tile, 0])
    count = 0
    for k in range(np.int64(state["placed"][seat])):
        other = np.int64(state["table"][seat, k])
        out[AT.tiles + count] = other
        count += asked >> TILE_ELEMENT[other] & 1
    noted = out[AT.tiles : AT.tiles + count]
    for word in range(NUM_WORDS):
        first = word * (ROWS_PER_WORD * WINDOW)
        cells = state["free"][seat, word]
        while cells:
            a = first + lowest_bit(cells)
            cells &= cells - 1
            b = first + lowest_bit(cells) if cells else a
            cells &= cells - 1
            c = first + lowest_bit(cells) if cells else a
            cells &= cells - 1
            d = first + lowest_bit(cells) if cells else a
            cells &= cells - 1
            from_a, from_b, from_c, from_d = sight_from(state, noted, a, b, c, d)
            _write_gain(tile, a, from_a, out)
            _write_gain(tile, b, from_b, out)
            _write_gain(tile, c, from_c, out)
            _write_gain(tile, d, from_d, out)


@kernel
def _elements_of(arrows):
    """Return the elements that a word of arrows asks for, as bits."""
    arrows |= arrows >> 16
    arrows |= arrows >> 8
    return (arrows | arrows >> 4) & 15


@kernel
def _write_rays(state, seat, tile, out):
    """Count a tile's open arrows on the cells they point at, up to one cell beyond all tiles.

    If only one arrow is open, the tile's points are also counted on its cells.
    """
    arrows = np.int64(state["arrows"][tile])
    last = arrows & (arrows - 1) == 0
    cell = np.int64(state["cell"][tile])
    far = reach(state, seat, cell)
    while arrows:
        arrow = lowest_bit(arrows)
        arrows &= arrows - 1
        at = (arrow & 3) * NUM_CELLS + cell
        step = RAY_STEP[arrow >> 2]
        distance = far >> 8 * (arrow >> 2) & 255
        there = AT.demand + at
        for _ in range(distance):
            # The mask rules out negative indices, which saves two thirds of the instructions.
            there += step
            out[there & 0xFFFF] += 1
        if last:
            there = AT.harvest + at
            for _ in range(distance):
                there += step
                out[there & 0xFFFF] = min(out[there & 0xFFFF] + TILE_VALUE[tile], BYTE)


@kernel
def reach(state, seat, cell):
    """Return the number of steps from a cell to one beyond all tiles: a byte per direction."""
    north = CELL_ROW[cell] - np.int64(state["north"][seat]) + 1
    south = np.int64(state["south"][seat]) - CELL_ROW[cell] + 1
    west = CELL_COL[cell] - np.int64(state["west"][seat]) + 1
    east = np.int64(state["east"][seat]) - CELL_COL[cell] + 1
    right = north | min(north, east) << 8 | east << 16 | min(south, east) << 24
    left = south | min(south, west) << 8 | west << 16 | min(north, west) << 24
    return right | left << 32


@kernel
def sight_from(state, tiles, a, b, c, d):
    """Return the elements of some tiles in each direction of four cells, as in ``arrows``.

    The masks rule out negative indices, which saves a check each time.
    """
    spot_a = SPOT[a] + SPOT_SHIFT
    spot_b = SPOT[b] + SPOT_SHIFT
    spot_c = SPOT[c] + SPOT_SHIFT
    spot_d = SPOT[d] + SPOT_SHIFT
    from_a = from_b = from_c = from_d = 0
    for k in range(len(tiles)):
        tile = tiles[k] & 127
        spot = np.int64(SPOT[state["cell"][tile] & 511])
        element = 1 << TILE_ELEMENT[tile]
        from_a |= element << SIGHT_OF[spot_a - spot & 2047]
        from_b |= element << SIGHT_OF[spot_b - spot & 2047]
        from_c |= element << SIGHT_OF[spot_c - spot & 2047]
        from_d |= element << SIGHT_OF[spot_d - spot & 2047]
    return from_a, from_b, from_c, from_d


@kernel
def _write_fit(tile, cell, sight, out):
    for rotation in range(NUM_ROTATIONS):
        served = TILE_ARROWS[tile & 127, rotation] & sight
        out[AT.fit + rotation * NUM_CELLS + (cell & 511)] = count_bits(served)


@kernel
def _write_gain(tile, cell, sight, out):
    """Write ``fit`` and ``bring`` on a cell."""
    _write_fit(tile, cell, sight, out)
    cell &= 511
    there = (TILE_ELEMENT[tile] & 3) * NUM_CELLS + cell
    out[AT.bring + cell] = out[AT.demand + there]
    out[AT.bring + NUM_CELLS + cell] = out[AT.harvest + there]


# Lists


@kernel
def _write_turns(tile, cell, out):
    """Write the arrows that each rotation of the tile in hand would serve; ``fit`` is written."""
    for rotation in range(NUM_ROTATIONS):
        served = out[AT.fit + rotation * NUM_CELLS + cell]
        out[AT.turns + 2 * rotation] = served
        out[AT.turns + 2 * rotation + 1] = NUM_ARROWS[tile] - served


@kernel
def _write_tiles(state, seat, ahead, out):
    """Write the tiles of one seat's table."""
    origin = state["origin"][seat]
    col = CELL_COL[origin]
    row = CELL_ROW[origin]
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k]) & 127
        cell = np.int64(state["cell"][tile]) & 511
        arrows = np.int64(state["arrows"][tile])
        at = AT.tiles + (tile - 1) * TILE_SIZE & 0xFFFF
        out[at + ahead] = 1
        out[at + 4] = CELL_COL[cell] - col
        out[at + 5] = row - CELL_ROW[cell]
        asked = _spread(arrows)
        write_bytes(asked, out, at + 6)
        # There are no discs on a tile turned over, nor on one that hasn't received its discs yet.
        has_discs = np.int64(arrows != 0) & np.int64(tile != state["unpaid"])
        middle = count_bits(arrows)
        out[at + 14] = middle * has_discs
        out[at + 15] = (NUM_ARROWS[tile] - middle) * has_discs
        # If discs move at once, ``sight`` is empty.
        out[at + 16] = count_bits(arrows & np.int64(state["sight"][tile])) * has_discs


@kernel
def _spread(arrows):
    """Return the elements that arrows ask for, 1 to 4, a byte per direction; 0 for no arrow.

    At most one of four bits is set; its position is computed as the number minus a correction.
    """
    asked = arrows - (arrows >> 2 & 0x11111111) - ((arrows & 0x88888888) >> 1)
    asked = (asked | asked << 16) & 0x0000FFFF0000FFFF
    asked = (asked | asked << 8) & 0x00FF00FF00FF00FF
    return (asked | asked << 4) & 0x0F0F0F0F0F0F0F0F


@kernel
def _write_face(tile, out, at):
    if tile:
        write_back(tile, out, at)
        asked = _spread(TILE_ARROWS[tile, 0])
        write_bytes(asked, out, at + 8)


@kernel
def _best_by_element(state, seat, out):
    """Return the highest gain of a tile of each element on offer on one of the seat's free cells.

    Two bytes per element: arrows served, points completed. The maps must have been written.
    """
    best = np.int64(0)
    elements = elements_on_offer(state)
    for element in range(NUM_ELEMENTS):
        if not elements >> element & 1:
            continue
        arrows = np.int64(0)
        points = np.int64(0)
        for word in range(NUM_WORDS):
            first = element * NUM_CELLS + word * (ROWS_PER_WORD * WINDOW)
            cells = state["free"][seat, word]
            while cells:
                at = first + lowest_bit(cells) & 0xFFFF
                arrows = max(arrows, np.int64(out[AT.demand + at]))
                points = max(points, np.int64(out[AT.harvest + at]))
                cells &= cells - 1
        best |= (arrows | points << 8) << 16 * element
    return best


@kernel
def elements_on_offer(state):
    """Return the elements of the tiles of display and interlude, as bits."""
    elements = np.int64(0)
    for space in range(DISPLAY_SIZE):
        tile = np.int64(state["display"][space])
        elements |= np.int64(tile > 0) << TILE_ELEMENT[tile]
    for space in range(INTERLUDE_SIZE):
        tile = np.int64(state["interlude"][space])
        elements |= np.int64(tile > 0) << TILE_ELEMENT[tile]
    return elements


@kernel
def _write_offer(tile, best, out, at):
    if tile:
        _write_face(tile, out, at)
        of_element = best >> 16 * TILE_ELEMENT[tile]
        out[at + FACE_SIZE] = of_element & 255
        out[at + FACE_SIZE + 1] = of_element >> 8 & 255


@kernel
def write_back(tile, out, at):
    """Count a tile's back, by element and by number of arrows."""
    out[at + TILE_ELEMENT[tile]] += 1
    out[at + 3 + NUM_ARROWS[tile]] += 1


@kernel
def write_tops(state, out, at, stride):
    """Write the backs of the piles' top tiles, ``stride`` numbers apart."""
    drawn = np.int64(state["drawn"])
    for pile in range(NUM_PILES):
        top = max(drawn, pile * PILE_SIZE)
        if top < (pile + 1) * PILE_SIZE:
            write_back(np.int64(state["pile"][top]), out, at + pile * stride)


@kernel
def _write_aside(state, out, at, stride):
    """Write the backs of the tiles put aside."""
    for k in range(np.int64(state["aside_drawn"]), np.int64(state["num_aside"])):
        write_back(np.int64(state["aside"][k]), out, at + k * stride)


@kernel
def write_seat(state, seat, out, at):
    """Write a row of ``seats``."""
    score = np.int64(state["score"][seat])
    out[at] = 1
    out[at + 1] = _clip(score)
    out[at + 2] = score >> 3
    out[at + 3] = _clip(np.int64(state["supply"][seat]))
    out[at + 4] = _clip(np.int64(state["cacophony"][seat]))
    out[at + 5] = state["uncompleted"][seat]
    out[at + 6] = state["placed"][seat]
    own = standing(score, state["arrival"][seat])
    ahead = 0
    before = 0
    for other in range(np.int64(state["num_players"])):
        ahead += standing(state["score"][other], state["arrival"][other]) > own
        before += stands_before(state, other, seat)
    out[at + 7] = ahead
    out[at + 8] = state["first_player"] == seat
    out[at + 9] = state["turn"] == seat
    out[at + 10] = state["to_play"] == seat
    asked = np.int64(state["queue_next"])
    if asked:
        for k in range(asked - 1, np.int64(state["num_players"])):
            if state["queue"][k] == seat:
                out[at + 11] = k - asked + 2
    # Below 0 this isn't the order by points, but it determines the order of an interlude.
    out[at + 12] = before
    # With an eighth of the score and the excess of the discs, both are exact.
    out[at + 13] = score & 7
    out[at + 14] = max(np.int64(state["cacophony"][seat]) - BYTE, 0)


@kernel
def write_game(state, out, at):
    """Write ``game``."""
    out[at + np.int64(state["phase"])] = 1
    if state["phase"] == ARROW_PHASE:
        out[at + np.int64(state["interrupted"])] = 1
    at += len(PHASES)
    out[at] = state["last_round"]
    out[at + np.int64(state["num_players"])] = 1
    at += 1 + MAX_PLAYERS
    out[at] = state["solo"]
    out[at + 1] = state["choice"]
    at += 2
    for k in range(len(CANVASES)):
        out[at + k] = state["canvas"] == CANVASES[k]
    at += len(CANVASES)
    out[at] = np.int64(state["bonus"]) // BONUS
    drawn = np.int64(state["drawn"])
    for pile in range(NUM_PILES):
        out[at + 1 + pile] = min(max((pile + 1) * PILE_SIZE - drawn, 0), PILE_SIZE)
    out[at + 1 + NUM_PILES] = state["terminated"]


# Planes


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with the observation of ``seat``."""
    out[: AT.tiles] = 0
    _write_maps(state, seat, out)
    out[AT.tiles :] = 0
    _write_own_planes(state, seat, out)
    num_players = np.int64(state["num_players"])
    for ahead in range(1, num_players):
        other = seat_after(state, seat, ahead)
        _write_other_planes(state, other, out, PLANES_AT.next_element + (ahead - 1) * OTHER_SIZE)
    if state["hand"]:
        at = PLANES_AT.cards
        # Written once as a row and then copied to whole planes.
        _write_face(np.int64(state["hand"]), out, at)
        for k in range(FACE_SIZE):
            out[PLANES_AT.hand + k * NUM_CELLS : PLANES_AT.hand + (k + 1) * NUM_CELLS] = out[at + k]
            out[at + k] = 0
    for space in range(DISPLAY_SIZE):
        _write_face(np.int64(state["display"][space]), out, PLANES_AT.cards + space * WINDOW)
    at = PLANES_AT.cards + DISPLAY_SIZE * WINDOW
    for space in range(INTERLUDE_SIZE):
        _write_face(np.int64(state["interlude"][space]), out, at + space * WINDOW)
    at += INTERLUDE_SIZE * WINDOW
    write_tops(state, out, at, WINDOW)
    _write_aside(state, out, at + NUM_PILES * WINDOW, WINDOW)
    for ahead in range(num_players):
        write_seat(state, seat_after(state, seat, ahead), out, PLANES_AT.numbers + ahead * WINDOW)
    write_game(state, out, PLANES_AT.numbers + MAX_PLAYERS * WINDOW)
    for tile in range(1, NUM_TILES + 1):
        out[_UNSEEN_ROW + tile - 1] = state["place"][tile] <= PUT_ASIDE


@kernel
def _write_own_planes(state, seat, out):
    write_cells(state["free"][seat], out, PLANES_AT.free)
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        cell = np.int64(state["cell"][tile])
        element = TILE_ELEMENT[tile]
        arrows = np.int64(state["arrows"][tile])
        out[PLANES_AT.element + element * NUM_CELLS + cell] = 1
        if arrows:
            covered = TILE_ARROWS[tile, state["rotation"][tile]] ^ arrows
            for direction in range(NUM_DIRECTIONS):
                bit = arrows >> 4 * direction & 15
                if bit:
                    plane = 4 * direction + ELEMENT_OF_BIT[bit] - 1
                    out[PLANES_AT.arrows + plane * NUM_CELLS + cell] = 1
                at = PLANES_AT.covered + direction * NUM_CELLS + cell
                out[at] = covered >> 4 * direction & 15 != 0
            if tile != state["unpaid"]:
                out[PLANES_AT.discs + cell] = count_bits(arrows)
        _write_seen(state, seat, cell, element, out)


@kernel
def _write_seen(state, seat, cell, element, out):
    """Mark a tile on the cells that see it, to one cell beyond all tiles."""
    far = reach(state, seat, cell)
    for direction in range(NUM_DIRECTIONS):
        # Cells in this direction see the tile in the opposite one.
        at = PLANES_AT.sight + (4 * (direction ^ 4) + element) * NUM_CELLS + cell
        step = RAY_STEP[direction]
        for distance in range(1, (far >> 8 * direction & 255) + 1):
            out[at + distance * step] = 1


@kernel
def _write_other_planes(state, seat, out, at):
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        cell = at + np.int64(state["cell"][tile])
        arrows = np.int64(state["arrows"][tile])
        out[cell + TILE_ELEMENT[tile] * NUM_CELLS] = 1
        if arrows:
            covered = TILE_ARROWS[tile, state["rotation"][tile]] ^ arrows
            for direction in range(NUM_DIRECTIONS):
                bit = arrows >> 4 * direction & 15
                out[cell + (4 + direction) * NUM_CELLS] = ELEMENT_OF_BIT[bit]
                out[cell + (13 + direction) * NUM_CELLS] = covered >> 4 * direction & 15 != 0
            if tile != state["unpaid"]:
                out[cell + 12 * NUM_CELLS] = count_bits(arrows)
