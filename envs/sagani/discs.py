"""Discs: alignments, completed tiles and cacophony (rulebook 2 to 5).

An arrow may be covered when another tile of its element lies in its direction, at any distance and
whatever lies between. There is no search on the board: for each of the player's other tiles, one
table look-up gives the direction of the new tile. This determines both which of its arrows the new
tile serves and which arrows of the new tile it serves
(``benchmarks/experiments/sagani_alignment.py`` compares other ways).
"""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import (
    CACOPHONY_PENALTY,
    DIRECTION_OF,
    GOAL,
    NUM_ARROWS,
    SPOT,
    SPOT_SHIFT,
    TILE_ELEMENT,
    TILE_VALUE,
)
from .track import move_marker


@kernel
def serve(state, seat, tile, cell):
    """Cover the arrows of the seat's other tiles that point at the new one, complete tiles.

    Returns the elements that lie in each direction of the new tile (as in ``arrows``).
    """
    element = TILE_ELEMENT[tile]
    spot = SPOT[cell] + SPOT_SHIFT
    sight = 0
    for k in range(np.int64(state["placed"][seat]) - 1):
        other = np.int64(state["table"][seat, k])
        direction = np.int64(DIRECTION_OF[spot - SPOT[state["cell"][other]]])
        arrows = np.int64(state["arrows"][other])
        arrow = arrows & 1 << (4 * direction + element)
        if arrow:
            state["arrows"][other] = arrows ^ arrow
            if arrows == arrow:
                complete(state, seat, other)
        # The opposite direction; if there is none, a bit that no arrow has.
        sight |= 1 << (4 * (direction ^ 4) + TILE_ELEMENT[other])
    return sight


@kernel
def look(state, seat, tile, cell):
    """Update what every tile of the seat sees after the placement (``sight``)."""
    element = TILE_ELEMENT[tile]
    spot = SPOT[cell] + SPOT_SHIFT
    sight = 0
    for k in range(np.int64(state["placed"][seat]) - 1):
        other = np.int64(state["table"][seat, k])
        direction = np.int64(DIRECTION_OF[spot - SPOT[state["cell"][other]]])
        state["sight"][other] |= np.uint32(1 << (4 * direction + element))
        sight |= 1 << (4 * (direction ^ 4) + TILE_ELEMENT[other])
    state["sight"][tile] = sight


@kernel
def pay_discs(state, seat, tile):
    """Put discs from the seat's supply on a new tile, and cacophony discs for missing ones."""
    left = np.int64(state["supply"][seat]) - NUM_ARROWS[tile]
    lacking = max(-left, 0)
    state["supply"][seat] = left + lacking
    state["cacophony"][seat] += lacking
    if not state["solo"]:
        move_marker(state, seat, -CACOPHONY_PENALTY * lacking)


@kernel
def complete(state, seat, tile):
    """Turn over a tile whose arrows are all covered: discs return to the supply, points score.

    Reaching the goal triggers the end at once, even if cacophony in the same turn takes some of the
    points away again.
    """
    state["supply"][seat] += NUM_ARROWS[tile]
    state["uncompleted"][seat] -= 1
    move_marker(state, seat, TILE_VALUE[tile])
    if state["score"][seat] >= GOAL[state["num_players"]] and not state["solo"]:
        state["last_round"] = True
