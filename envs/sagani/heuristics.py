"""What a position is worth to a seat, in points; for the greedy agent and guided search.

Points on the track, a part of the value of every tile that is not completed (the more of it the
fewer arrows are open and the more of the game is left), and the discs at risk: those that the next
tile would lack. With a tile in hand, the best of all its placements is added: what it completes and
serves, what serves it, the discs it costs.
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

# Part of a tile's value that it is worth by the number of its open arrows, while much of the game
# is left: 0 to 4 arrows.
PROSPECT = np.array([1.0, 0.55, 0.33, 0.18, 0.1])
# Own turns to come from which on the prospects are full.
FAR_TURNS = 10.0
# Points that a turn brings, to tell how far the end is.
POINTS_A_TURN = 3.0
# Discs wanted in the supply, and what each one lacking costs.
WANTED_DISCS = 7
DISC_RISK = 0.9
# What an arrow is worth less that could be covered and isn't yet.
NOT_COVERED = 0.01
# Solo advanced: what a tile beyond the two that a bonus allows costs.
OPEN_COST = 1.5


@kernel
def evaluate(state, seat):
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
    """Value the tiles not completed, and the discs left.

    Where moving discs is a choice, as if all that can be covered were covered and a new tile had
    its discs; a little less, so that covering is better than leaving it.
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

    Alone, by tiles only. If prospects faded near the goal, to score would cost them: who looks
    ahead would put off the end, and in the classic game that is to lose tiles.
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
    """Return what placing the tile in hand on ``cell`` adds, turned the best way."""
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
