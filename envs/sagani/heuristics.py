"""The value of a position for a seat, in points; for the greedy agent and guided search.

It is the sum of points on the track, a part of the value of every uncompleted tile (larger with
fewer open arrows and more of the game left), and a penalty for discs that the next tile would lack.
With a tile in hand, its best placement is added: the tiles it completes and serves, the tiles that
serve it, and the discs it costs.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit
from ..core.jit import kernel
from .components import (
    BONUS_OPEN,
    CACOPHONY_PENALTY,
    DIRECTION_OF,
    DISPLAY_SIZE,
    GOAL,
    NUM_ARROWS,
    NUM_ROTATIONS,
    NUM_TILES,
    NUM_WORDS,
    ROWS_PER_WORD,
    SPOT,
    SPOT_SHIFT,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
)
from .state import ON_TABLE, ROTATE_PHASE

# Part of a tile's value that counts while much of the game is left, by its number of open arrows, 0
# to 4.
PROSPECT = np.array([1.0, 0.55, 0.33, 0.18, 0.1])
# Number of own turns left from which on prospects count in full.
FAR_TURNS = 10.0
# Points per turn, to estimate the distance to the end.
POINTS_A_TURN = 3.0
# Number of discs wanted in the supply, and the cost of each missing one.
WANTED_DISCS = 7
DISC_RISK = 0.9
# Deduction for an arrow that could be covered but isn't yet.
NOT_COVERED = 0.01
# Solo advanced: cost of each tile beyond the two that a bonus allows.
OPEN_COST = 1.5


@kernel
def evaluate(state, seat, memo):
    """Value the position for ``seat`` in points, from what it knows."""
    outlook = _outlook(state, seat)
    value = _tiles_and_discs(state, seat, outlook)
    if state["num_players"] == 1 and not state["solo"]:
        value += np.float64(min(np.int64(state["score"][seat]), GOAL[1]))
        value -= np.float64(state["placed"][seat])
    else:
        value += np.float64(state["score"][seat])
    if state["solo"]:
        cacophony = np.float64(state["cacophony"][seat])
        value += np.float64(state["bonus"]) - CACOPHONY_PENALTY * cacophony
        value -= OPEN_COST * max(np.int64(state["uncompleted"][seat]) - BONUS_OPEN, 0)
    if seat != state["to_play"] or state["hand"] == 0:
        return value
    if state["phase"] == ROTATE_PHASE:
        value += _best_rotation(state, seat, np.int64(state["hand_cell"]), outlook)
    elif state["num_players"] > 1:
        # Alone, the tile in hand is the next one and not yet this decision's business.
        value += _best_placement(state, seat, outlook)
    return value


@kernel
def _tiles_and_discs(state, seat, outlook):
    """Value the uncompleted tiles and the discs left.

    If moving discs is a choice, all arrows that can be covered count as covered and a new tile as
    having its discs, minus a little, so that covering is better than waiting.
    """
    value = 0.0
    supply = np.int64(state["supply"][seat])
    unpaid = np.int64(state["unpaid"])
    returned = 0
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        arrows = np.int64(state["arrows"][tile])
        if arrows:
            left = arrows
            if state["choice"]:
                left &= ~np.int64(state["sight"][tile])
                value -= NOT_COVERED * count_bits(arrows ^ left)
            if left:
                value += _prospect(tile, count_bits(left), outlook)
            else:
                value += np.float64(TILE_VALUE[tile])
                if tile == unpaid:
                    returned = NUM_ARROWS[tile]
                else:
                    supply += NUM_ARROWS[tile]
    if unpaid and state["place"][unpaid] == ON_TABLE + seat:
        supply -= NUM_ARROWS[unpaid]
        if supply < 0:
            value += CACOPHONY_PENALTY * supply
            supply = 0
        supply += returned
    return value - _risk(supply)


@kernel
def _outlook(state, seat):
    """Return how much of the game is left, 0 to 1.

    In solo games by tiles only. If prospects faded near the goal, scoring would reduce them: a
    search would delay the end, which costs tiles in the classic game.
    """
    num_players = np.int64(state["num_players"])
    turns = (NUM_TILES - np.int64(state["drawn"])) / num_players
    if num_players == 1:
        turns += np.float64(np.int64(state["num_aside"]) - np.int64(state["aside_drawn"]))
        return min(turns / FAR_TURNS, 1.0)
    best = 0
    for other in range(num_players):
        best = max(best, np.int64(state["score"][other]))
    turns = min(turns + DISPLAY_SIZE / num_players, (GOAL[num_players] - best) / POINTS_A_TURN)
    if state["last_round"]:
        turns = 0.0
    return min(max(turns, 0.0) / FAR_TURNS, 1.0)


@kernel
def _prospect(tile, open_arrows, outlook):
    return np.float64(TILE_VALUE[tile]) * PROSPECT[open_arrows] * outlook


@kernel
def _risk(supply):
    return DISC_RISK * max(WANTED_DISCS - supply, 0)


@kernel
def _best_placement(state, seat, outlook):
    best = -np.inf
    for word in range(NUM_WORDS):
        cells = state["free"][seat, word]
        while cells:
            cell = word * ROWS_PER_WORD * WINDOW + lowest_bit(cells)
            best = max(best, _best_rotation(state, seat, cell, outlook))
            cells &= cells - 1
    return best


@kernel
def _best_rotation(state, seat, cell, outlook):
    """Return the value of placing the tile in hand on ``cell`` in its best rotation."""
    new = np.int64(state["hand"])
    element = TILE_ELEMENT[new]
    spot = SPOT[cell] + SPOT_SHIFT
    sight = 0
    gain = 0.0
    refund = 0
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        direction = np.int64(DIRECTION_OF[spot - SPOT[state["cell"][tile]]])
        arrows = np.int64(state["arrows"][tile])
        sight |= 1 << (4 * (direction ^ 4) + TILE_ELEMENT[tile])
        if arrows >> (4 * direction + element) & 1:
            before = count_bits(arrows)
            gain -= _prospect(tile, before, outlook)
            if before == 1:
                gain += np.float64(TILE_VALUE[tile])
                refund += NUM_ARROWS[tile]
            else:
                gain += _prospect(tile, before - 1, outlook)
    cost = NUM_ARROWS[new]
    supply = np.int64(state["supply"][seat]) + refund - cost
    if supply < 0:
        gain += CACOPHONY_PENALTY * supply
        supply = 0
    best = -np.inf
    for rotation in range(NUM_ROTATIONS):
        left = count_bits(TILE_ARROWS[new, rotation] & ~sight)
        if left:
            value = _prospect(new, left, outlook) - _risk(supply)
        else:
            value = np.float64(TILE_VALUE[new]) - _risk(supply + cost)
        best = max(best, value)
    return gain + best + _risk(np.int64(state["supply"][seat]))
