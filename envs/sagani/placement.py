"""A player's table: the window, where tiles may go, and placing one (rulebook 1)."""

from __future__ import annotations

import numpy as np

from ..core.bits import write_bits
from ..core.jit import kernel
from .components import (
    BIT,
    CELL_COL,
    CELL_ROW,
    NUM_CELLS,
    NUM_WORDS,
    ROWS_PER_WORD,
    TILE_ARROWS,
    WINDOW,
    WORD,
)
from .state import ON_TABLE


@kernel
def lay_tile(state, seat, tile, cell, rotation):
    """Put a tile on a free cell of the seat's table; return its cell after the window has moved."""
    placed = np.int64(state["placed"][seat])
    step = 0
    if placed == 0:
        state["origin"][seat] = cell
        state["north"][seat] = state["south"][seat] = CELL_ROW[cell]
        state["west"][seat] = state["east"][seat] = CELL_COL[cell]
    else:
        step = _move_window(state, seat, cell)
        cell += step
    state["table"][seat, placed] = tile
    state["placed"][seat] = placed + 1
    state["uncompleted"][seat] += 1
    state["place"][tile] = ON_TABLE + seat
    state["cell"][tile] = cell
    state["rotation"][tile] = rotation
    state["arrows"][tile] = TILE_ARROWS[tile, rotation]
    if _grow_box(state, seat, cell) or step:
        free_anew(state, seat)
    else:
        _occupy(state, seat, cell)
        _free_neighbours(state, seat, cell)
    return cell


@kernel
def _move_window(state, seat, cell):
    """Move the window by one cell if ``cell`` is in its margin; return the shift of each cell."""
    row = CELL_ROW[cell]
    col = CELL_COL[cell]
    down = np.int64(row == 0) - np.int64(row == WINDOW - 1)
    right = np.int64(col == 0) - np.int64(col == WINDOW - 1)
    step = down * WINDOW + right
    if step:
        for k in range(state["placed"][seat]):
            state["cell"][state["table"][seat, k]] += step
        state["origin"][seat] += step
        state["north"][seat] += down
        state["south"][seat] += down
        state["west"][seat] += right
        state["east"][seat] += right
    return step


@kernel
def _grow_box(state, seat, cell):
    """Extend the box around the seat's tiles; return whether it reached the canvas's limit."""
    row = CELL_ROW[cell]
    col = CELL_COL[cell]
    limit = np.int64(state["canvas"]) - 1
    north = min(np.int64(state["north"][seat]), row)
    south = max(np.int64(state["south"][seat]), row)
    west = min(np.int64(state["west"][seat]), col)
    east = max(np.int64(state["east"][seat]), col)
    taller = south - north > np.int64(state["south"][seat]) - np.int64(state["north"][seat])
    wider = east - west > np.int64(state["east"][seat]) - np.int64(state["west"][seat])
    state["north"][seat] = north
    state["south"][seat] = south
    state["west"][seat] = west
    state["east"][seat] = east
    return taller and south - north == limit or wider and east - west == limit


@kernel
def free_anew(state, seat):
    """Recompute the free cells after the window has moved or the canvas has closed some."""
    state["occupied"][seat][:] = 0
    state["free"][seat][:] = 0
    state["num_free"][seat] = 0
    for k in range(state["placed"][seat]):
        _occupy(state, seat, state["cell"][state["table"][seat, k]])
    for k in range(state["placed"][seat]):
        _free_neighbours(state, seat, np.int64(state["cell"][state["table"][seat, k]]))


@kernel
def _occupy(state, seat, cell):
    word = WORD[cell]
    bit = BIT[cell]
    # A cell that isn't free: the first tile's, or one of ``set_position`` that isn't adjacent.
    was_free = state["free"][seat, word] >> bit & 1
    state["free"][seat, word] ^= was_free << bit
    state["num_free"][seat] -= was_free
    state["occupied"][seat, word] |= 1 << bit


@kernel
def _free_neighbours(state, seat, cell):
    """Free the four cells beside a new tile, if they are empty and not beyond the canvas."""
    row = CELL_ROW[cell]
    col = CELL_COL[cell]
    reach = np.int64(state["canvas"]) - 1
    if row > np.int64(state["south"][seat]) - reach:
        _free_cell(state, seat, cell - WINDOW)
    if row < np.int64(state["north"][seat]) + reach:
        _free_cell(state, seat, cell + WINDOW)
    if col > np.int64(state["east"][seat]) - reach:
        _free_cell(state, seat, cell - 1)
    if col < np.int64(state["west"][seat]) + reach:
        _free_cell(state, seat, cell + 1)


@kernel
def _free_cell(state, seat, cell):
    word = WORD[cell]
    bit = BIT[cell]
    taken = state["occupied"][seat, word] | state["free"][seat, word]
    new = ~(taken >> bit) & 1
    state["free"][seat, word] |= new << bit
    state["num_free"][seat] += new


@kernel
def write_cells(cells, out, at):
    """Write the cells of a set as 0 and 1 to ``out``, starting at ``at``, row by row."""
    for word in range(NUM_WORDS - 1):
        # Four of the last eight numbers belong to the next word, which is written afterwards.
        for k in range(0, ROWS_PER_WORD * WINDOW, 8):
            write_bits(cells[word] >> k, out, at + word * (ROWS_PER_WORD * WINDOW) + k)
    last = (NUM_WORDS - 1) * (ROWS_PER_WORD * WINDOW)
    for k in range(0, NUM_CELLS - last, 8):
        write_bits(cells[NUM_WORDS - 1] >> k, out, at + last + k)
