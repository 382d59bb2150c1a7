"""A player's table: the window, where tiles may go, and laying one (rulebook 1)."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from .components import (
    BIT,
    CELL_COL,
    CELL_ROW,
    COL_BITS,
    NUM_WORDS,
    ROW_BITS,
    ROWS_PER_WORD,
    TILE_ARROWS,
    WINDOW,
    WORD,
)
from .state import ON_TABLE

_LAST = WINDOW - 1
_TOP_ROW_SHIFT = (ROWS_PER_WORD - 1) * WINDOW
_ALL_ROWS = (1 << ROWS_PER_WORD * WINDOW) - 1
_TWO_ROWS = (1 << _TOP_ROW_SHIFT) - 1
_LOW_ROW = (1 << WINDOW) - 1
_NOT_WEST = _ALL_ROWS & ~int(COL_BITS[0])
_NOT_EAST = _ALL_ROWS & ~int(COL_BITS[_LAST])


@kernel
def lay_tile(state, seat, tile, cell, rotation):
    """Put a tile on a free cell of the seat's table; return its cell once the window has moved."""
    placed = np.int64(state["placed"][seat])
    if placed == 0:
        state["origin"][seat] = cell
        state["north"][seat] = state["south"][seat] = CELL_ROW[cell]
        state["west"][seat] = state["east"][seat] = CELL_COL[cell]
    else:
        cell = _move_window(state, seat, cell)
        word = WORD[cell]
        bit = BIT[cell]
        # Always free in a game; not where ``set_position`` lays tiles that don't touch.
        was_free = state["free"][seat, word] >> bit & 1
        state["free"][seat, word] ^= was_free << bit
        state["num_free"][seat] -= was_free
    state["occupied"][seat, WORD[cell]] |= 1 << BIT[cell]
    _grow_box(state, seat, cell)
    _free_neighbours(state, seat, cell)
    state["table"][seat, placed] = tile
    state["placed"][seat] = placed + 1
    state["uncompleted"][seat] += 1
    state["place"][tile] = ON_TABLE + seat
    state["cell"][tile] = cell
    state["rotation"][tile] = rotation
    state["arrows"][tile] = TILE_ARROWS[tile, rotation]
    return cell


@kernel
def _grow_box(state, seat, cell):
    """Stretch the box around the seat's tiles; close the cells that would make it too large."""
    row = CELL_ROW[cell]
    col = CELL_COL[cell]
    canvas = np.int64(state["canvas"])
    north = np.int64(state["north"][seat])
    south = np.int64(state["south"][seat])
    if row < north or row > south:
        north = min(north, row)
        south = max(south, row)
        state["north"][seat] = north
        state["south"][seat] = south
        if south - north == canvas - 1:
            _close(state, seat, (north - 1) // ROWS_PER_WORD, ROW_BITS[north - 1])
            _close(state, seat, (south + 1) // ROWS_PER_WORD, ROW_BITS[south + 1])
    west = np.int64(state["west"][seat])
    east = np.int64(state["east"][seat])
    if col < west or col > east:
        west = min(west, col)
        east = max(east, col)
        state["west"][seat] = west
        state["east"][seat] = east
        if east - west == canvas - 1:
            for word in range(NUM_WORDS):
                _close(state, seat, word, COL_BITS[west - 1] | COL_BITS[east + 1])


@kernel
def _close(state, seat, word, bits):
    closed = state["free"][seat, word] & bits
    state["free"][seat, word] ^= closed
    state["num_free"][seat] -= count_bits(closed)


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
def _move_window(state, seat, cell):
    """Move the window one cell if ``cell`` is in its margin; return where the cell is then."""
    row = CELL_ROW[cell]
    col = CELL_COL[cell]
    step = 0
    if row == 0:
        step = WINDOW
        _shift_south(state["occupied"][seat])
        _shift_south(state["free"][seat])
    elif row == _LAST:
        step = -WINDOW
        _shift_north(state["occupied"][seat])
        _shift_north(state["free"][seat])
    elif col == 0:
        step = 1
        _shift_east(state["occupied"][seat])
        _shift_east(state["free"][seat])
    elif col == _LAST:
        step = -1
        _shift_west(state["occupied"][seat])
        _shift_west(state["free"][seat])
    if step:
        for k in range(state["placed"][seat]):
            state["cell"][state["table"][seat, k]] += step
        state["origin"][seat] += step
        down = step // WINDOW if step % WINDOW == 0 else 0
        right = step - down * WINDOW
        state["north"][seat] += down
        state["south"][seat] += down
        state["west"][seat] += right
        state["east"][seat] += right
    return cell + step


@kernel
def _shift_south(cells):
    for word in range(NUM_WORDS - 1, 0, -1):
        cells[word] = (cells[word] & _TWO_ROWS) << WINDOW | cells[word - 1] >> _TOP_ROW_SHIFT
    cells[0] = (cells[0] & _TWO_ROWS) << WINDOW


@kernel
def _shift_north(cells):
    for word in range(NUM_WORDS - 1):
        cells[word] = cells[word] >> WINDOW | (cells[word + 1] & _LOW_ROW) << _TOP_ROW_SHIFT
    cells[NUM_WORDS - 1] >>= WINDOW


@kernel
def _shift_east(cells):
    for word in range(NUM_WORDS):
        cells[word] = (cells[word] & _NOT_EAST) << 1


@kernel
def _shift_west(cells):
    for word in range(NUM_WORDS):
        cells[word] = (cells[word] & _NOT_WEST) >> 1
