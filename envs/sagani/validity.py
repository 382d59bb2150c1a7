"""Validation: which records are valid positions of Sagani."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.validity import ANY, FINE, LAST_SEAT, numbered
from .components import (
    ASIDE_SIZE,
    BIT,
    BONUS,
    CANVASES,
    CELL_COL,
    CELL_ROW,
    DISCS,
    FIRST_CELL,
    MAX_CANVAS,
    MAX_PLAYERS,
    NUM_ARROWS,
    NUM_CELLS,
    NUM_DIRECTIONS,
    NUM_ROTATIONS,
    NUM_TILES,
    ROWS_PER_WORD,
    TILE_ARROWS,
    WINDOW,
    WORD,
)
from .placement import free_anew
from .rules import find_movable_of
from .state import (
    ALIGN_PHASE,
    ARROW_PHASE,
    CHOOSE_PHASE,
    DTYPE,
    IN_DISPLAY,
    IN_HAND,
    IN_INTERLUDE,
    IN_PILE,
    ON_TABLE,
    PHASES,
    PLACE_PHASE,
    PUT_ASIDE,
    ROTATE_PHASE,
    TAKE_PHASE,
)

FIELD = numbered(DTYPE)
_A_TILE = (0, NUM_TILES)
_A_CELL = (0, NUM_CELLS - 1)
_A_LINE = (0, WINDOW - 1)
_CELLS = (0, (1 << ROWS_PER_WORD * WINDOW) - 1)
_ARROWS = (0, (1 << 4 * NUM_DIRECTIONS) - 1)
_COUNT = (0, 32_000)
LIMITS = {
    "phase": (0, len(PHASES) - 1),
    "solo": (0, 1),
    "canvas": (1, MAX_CANVAS),
    "first_player": (0, LAST_SEAT),
    "turn": (0, LAST_SEAT),
    "last_seat": (0, LAST_SEAT),
    "pile": _A_TILE,
    "drawn": _A_TILE,
    "aside": _A_TILE,
    "num_aside": (0, ASIDE_SIZE),
    "aside_drawn": (0, ASIDE_SIZE),
    "display": _A_TILE,
    "interlude": _A_TILE,
    "queue": (0, MAX_PLAYERS - 1),
    "queue_next": (0, MAX_PLAYERS),
    "hand": _A_TILE,
    "hand_cell": _A_CELL,
    "score": (-32_000, 32_000),
    "arrival": _COUNT,
    "clock": _COUNT,
    "bonus": (0, NUM_TILES * BONUS),
    "supply": _COUNT,
    "cacophony": _COUNT,
    "uncompleted": _A_TILE,
    "placed": _A_TILE,
    "table": _A_TILE,
    "origin": _A_CELL,
    "north": _A_LINE,
    "south": _A_LINE,
    "west": _A_LINE,
    "east": _A_LINE,
    "place": (0, ON_TABLE + MAX_PLAYERS - 1),
    "rotation": (0, NUM_ROTATIONS - 1),
    "cell": _A_CELL,
    "arrows": _ARROWS,
    "occupied": _CELLS,
    "free": _CELLS,
    "num_free": _A_CELL,
    "unpaid": _A_TILE,
    "sight": ANY,
    "pointed": _A_TILE,
    "pointing": (0, (1 << NUM_DIRECTIONS) - 1),
    "interrupted": (0, len(PHASES) - 1),
    "num_movable": _A_TILE,
    "movable": _CELLS,
}


@kernel
def check(state):
    """Return the number of an impossible field, or FINE."""
    field = FIELD.canvas
    for side in CANVASES:
        if state["canvas"] == side:
            field = FINE
    if field == FINE:
        field = _check_places(state)
    for seat in range(state["num_players"]):
        if field == FINE:
            field = _check_table(state, seat)
    if field == FINE and not state["terminated"]:
        field = _check_decision(state)
    return field


@kernel
def _check_places(state):
    """Compare each tile's recorded place with the places: no tile may be in two."""
    counts = np.int64(0)
    if state["aside_drawn"] > state["num_aside"]:
        return FIELD.aside_drawn
    for k in range(state["drawn"], NUM_TILES):
        counts += 1
        tile = np.int64(state["pile"][k])
        if tile == 0 or state["place"][tile] != IN_PILE:
            return FIELD.pile
        for other in range(state["drawn"], k):
            if state["pile"][other] == tile:
                return FIELD.pile
    for k in range(state["aside_drawn"], state["num_aside"]):
        counts += 1
        if state["aside"][k] == 0 or state["place"][state["aside"][k]] != PUT_ASIDE:
            return FIELD.aside
    if _is_repeated(state["aside"], state["aside_drawn"], state["num_aside"]):
        return FIELD.aside
    if _is_repeated(state["display"], 0, len(state["display"])):
        return FIELD.display
    if _is_repeated(state["interlude"], 0, len(state["interlude"])):
        return FIELD.interlude
    for tile in state["display"]:
        counts += tile > 0
        if tile and state["place"][tile] != IN_DISPLAY:
            return FIELD.display
    for tile in state["interlude"]:
        counts += tile > 0
        if tile and state["place"][tile] != IN_INTERLUDE:
            return FIELD.interlude
    if state["hand"]:
        counts += 1
        if state["place"][state["hand"]] != IN_HAND:
            return FIELD.hand
    for seat in range(state["num_players"]):
        counts += np.int64(state["placed"][seat])
        for k in range(state["placed"][seat]):
            tile = np.int64(state["table"][seat, k])
            if tile == 0 or state["place"][tile] != ON_TABLE + seat:
                return FIELD.table
    # No tile was counted twice, so each must have been counted.
    there = np.int64(0)
    for tile in range(1, NUM_TILES + 1):
        place = np.int64(state["place"][tile])
        if place in (IN_DISPLAY, IN_INTERLUDE, IN_HAND, IN_PILE, PUT_ASIDE) or place >= ON_TABLE:
            there += 1
    return FIELD.place if there != counts else FINE


@kernel
def _is_repeated(tiles, first, end):
    """Return whether a tile is twice among some; 0 is none."""
    for k in range(first, end):
        for other in range(first, k):
            if tiles[k] and tiles[other] == tiles[k]:
                return True
    return False


@kernel
def _check_table(state, seat):
    """Check the cells and arrows of a seat's tiles, and count its discs."""
    discs = np.int64(state["supply"][seat])
    uncompleted = 0
    placed = np.int64(state["placed"][seat])
    for k in range(placed):
        tile = np.int64(state["table"][seat, k])
        cell = np.int64(state["cell"][tile])
        row, col = CELL_ROW[cell], CELL_COL[cell]
        if min(row, col) < 1 or max(row, col) > WINDOW - 2:
            return FIELD.cell
        for other in range(k):
            if state["cell"][state["table"][seat, other]] == cell:
                return FIELD.cell
        arrows = np.int64(state["arrows"][tile])
        if arrows & ~TILE_ARROWS[tile, state["rotation"][tile]]:
            return FIELD.arrows
        if arrows:
            uncompleted += 1
            discs += 0 if tile == state["unpaid"] else NUM_ARROWS[tile]
    if uncompleted != state["uncompleted"][seat]:
        return FIELD.uncompleted
    if discs != DISCS + np.int64(state["cacophony"][seat]):
        return FIELD.supply
    if placed and state["origin"][seat] not in (state["cell"][state["table"][seat, 0]],):
        return FIELD.origin
    return _check_box(state, seat)


@kernel
def _check_box(state, seat):
    """Compare the box around a seat's tiles with their cells; it must fit the canvas."""
    if state["placed"][seat] == 0:
        return FINE
    north = west = WINDOW
    south = east = 0
    for k in range(state["placed"][seat]):
        cell = state["cell"][state["table"][seat, k]]
        north, south = min(north, CELL_ROW[cell]), max(south, CELL_ROW[cell])
        west, east = min(west, CELL_COL[cell]), max(east, CELL_COL[cell])
    if north != state["north"][seat] or south != state["south"][seat]:
        return FIELD.north
    if west != state["west"][seat] or east != state["east"][seat]:
        return FIELD.west
    canvas = np.int64(state["canvas"])
    return FIELD.canvas if south - north >= canvas or east - west >= canvas else FINE


@kernel
def _check_decision(state):
    """Check who decides what."""
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    inner = state["interrupted"] if phase == ARROW_PHASE else phase
    if phase == ARROW_PHASE and (inner == ARROW_PHASE or not state["choice"]):
        return FIELD.interrupted
    if state["num_players"] == 1 and inner in (TAKE_PHASE, CHOOSE_PHASE):
        return FIELD.phase
    if (inner in (PLACE_PHASE, ROTATE_PHASE)) != (state["hand"] > 0):
        return FIELD.hand
    if inner == ALIGN_PHASE and not state["choice"]:
        return FIELD.phase
    for tile in (state["unpaid"], state["pointed"]):
        asked = phase == ARROW_PHASE or tile == state["unpaid"]
        if tile and asked and state["place"][tile] != ON_TABLE + seat:
            return FIELD.unpaid if tile == state["unpaid"] else FIELD.pointed
    if inner == ROTATE_PHASE and not _may_lie(state, seat, np.int64(state["hand_cell"])):
        return FIELD.hand_cell
    if state["unpaid"] and inner != ALIGN_PHASE:
        return FIELD.unpaid
    if phase == ARROW_PHASE:
        arrows = np.int64(state["arrows"][state["pointed"]])
        for direction in range(NUM_DIRECTIONS):
            if state["pointing"] >> direction & 1 and not arrows >> 4 * direction & 15:
                return FIELD.pointing
    if state["num_players"] > 1:
        in_queue = state["queue_next"] > 0
        if inner == CHOOSE_PHASE and not in_queue:
            return FIELD.queue_next
        if inner == TAKE_PHASE and (in_queue or seat != state["turn"]):
            return FIELD.turn
        if in_queue:
            asked = np.int64(state["queue_next"]) - 1
            if asked >= state["num_players"] or state["queue"][asked] != seat:
                return FIELD.queue
            for k in range(state["num_players"]):
                if state["queue"][k] >= state["num_players"]:
                    return FIELD.queue
    return FINE


@kernel
def _may_lie(state, seat, cell):
    """Return whether the tile in hand may be put on a cell."""
    if state["placed"][seat] == 0:
        return cell == FIRST_CELL
    return state["free"][seat, WORD[cell]] >> BIT[cell] & 1 == 1


@kernel
def derive(state):
    """Recompute the cached values."""
    for seat in range(state["num_players"]):
        free_anew(state, seat)
        if state["choice"]:
            find_movable_of(state, np.int64(seat))
        else:
            # If discs move at once, there is nothing to find beforehand.
            state["movable"][seat][:] = 0
            state["num_movable"][seat] = 0
