"""The piles and the display: drawing, filling, taking, setting aside (rulebook 1, 6, Solo)."""

from __future__ import annotations

import numpy as np

from ..core.bits import lowest_bit
from ..core.jit import kernel
from .components import (
    ASIDE_SIZE,
    DISPLAY_SIZE,
    FIRST_CELL,
    INTERLUDE_SIZE,
    LOW_VALUE,
    NUM_TILES,
    TILE_VALUE,
)
from .state import (
    IN_DISPLAY,
    IN_HAND,
    IN_INTERLUDE,
    PLACE_PHASE,
    PUT_ASIDE,
    ROTATE_PHASE,
)

ALL_INTERLUDE_SPACES = (1 << INTERLUDE_SIZE) - 1


@kernel
def put_low_tiles_aside(state):
    """Solo advanced: put the top tile aside while it is one of the first five of a low value."""
    while state["num_aside"] < ASIDE_SIZE and state["drawn"] < NUM_TILES:
        tile = state["pile"][state["drawn"]]
        if TILE_VALUE[tile] > LOW_VALUE:
            break
        state["drawn"] += 1
        state["aside"][state["num_aside"]] = tile
        state["num_aside"] += 1
        state["place"][tile] = PUT_ASIDE


@kernel
def draw_tile(state):
    """Return the next tile, from the piles and then from those put aside; 0 if there is none."""
    tile = 0
    if state["drawn"] < NUM_TILES:
        tile = np.int64(state["pile"][state["drawn"]])
        state["drawn"] += 1
        if state["solo"]:
            put_low_tiles_aside(state)
    elif state["aside_drawn"] < state["num_aside"]:
        tile = np.int64(state["aside"][state["aside_drawn"]])
        state["aside_drawn"] += 1
    return tile


@kernel
def fill_display(state):
    """Lay out five tiles, or all that are left; fewer than five in the piles trigger the end."""
    for space in range(DISPLAY_SIZE):
        tile = draw_tile(state)
        state["display"][space] = tile
        if tile:
            state["place"][tile] = IN_DISPLAY
    drawn = np.int64(state["drawn"])
    if NUM_TILES - drawn < DISPLAY_SIZE:
        state["last_round"] = True


@kernel
def spaces_taken(spaces):
    """Return the spaces of the display or the interlude that hold a tile, as bits."""
    taken = 0
    for space in range(len(spaces)):
        taken |= (spaces[space] != 0) << space
    return taken


@kernel
def may_set_aside(state):
    """Return whether the last tile of the display may go to an interlude space."""
    last = spaces_taken(state["display"])
    return (
        state["drawn"] < NUM_TILES
        and last & (last - 1) == 0
        and last != 0
        and spaces_taken(state["interlude"]) != ALL_INTERLUDE_SPACES
    )


@kernel
def hold(state, seat, tile):
    """Take a tile in hand. A first tile may go anywhere, so only its rotation is chosen."""
    state["hand"] = tile
    state["place"][tile] = IN_HAND
    state["hand_cell"] = FIRST_CELL
    state["phase"] = PLACE_PHASE if state["placed"][seat] else ROTATE_PHASE


@kernel
def set_last_aside(state):
    """Put the display's last tile on an interlude space; return the pile's top, turned over."""
    last = lowest_bit(spaces_taken(state["display"]))
    tile = np.int64(state["display"][last])
    state["display"][last] = 0
    empty = lowest_bit(~spaces_taken(state["interlude"]))
    state["interlude"][empty] = tile
    state["place"][tile] = IN_INTERLUDE
    return draw_tile(state)
