"""What nobody knows of a game of Sagani: the order of the piles, except for the backs that show."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.rng import draw_below, shuffle
from .components import ASIDE_SIZE, NUM_PILES, NUM_TILES, PILE_SIZE, TILE_ELEMENT, TILE_VALUE
from .state import IN_PILE, PUT_ASIDE


@kernel
def determinize(state, seat, seed):
    """Redraw the order of the piles, uniformly among those with the backs that can be seen.

    The same for every seat. Tiles put aside (solo advanced) are known by their backs too.
    """
    state["rng"] = seed
    state["seed"] = seed
    drawn = np.int64(state["drawn"])
    first_aside = np.int64(state["aside_drawn"])
    asides = np.int64(state["num_aside"]) - first_aside
    # A place whose back is known gets any unseen tile with that back, first those put aside, then
    # the tops. Places settled before are left out.
    for k in range(asides):
        _redraw_known(state, first_aside + k, True, first_aside + k, NUM_TILES)
    known = 0
    for pile in range(NUM_PILES):
        top = max(drawn, pile * PILE_SIZE)
        if top < (pile + 1) * PILE_SIZE:
            # Settled tops wait at the end of the piles, so that the rest can be shuffled as one.
            _redraw_known(state, top, False, ASIDE_SIZE, NUM_TILES - known)
            known += 1
            _swap(state["pile"], top, NUM_TILES - known)
    shuffle(state, state["pile"][drawn:], NUM_TILES - drawn - known)
    for pile in range(NUM_PILES - 1, -1, -1):
        top = max(drawn, pile * PILE_SIZE)
        if top < (pile + 1) * PILE_SIZE:
            _swap(state["pile"], top, NUM_TILES - known)
            known -= 1


@kernel
def _swap(items, one, other):
    kept = items[one]
    items[one] = items[other]
    items[other] = kept


@kernel
def _redraw_known(state, place, is_aside, from_aside, to_pile):
    """Swap the tile at ``place`` with a random one that has the same back.

    Candidates are the tiles put aside from ``from_aside`` on and those of the piles up to
    ``to_pile``.
    """
    own = np.int64(state["aside"][place] if is_aside else state["pile"][place])
    drawn = np.int64(state["drawn"])
    to_aside = np.int64(state["num_aside"])
    candidates = 0
    for k in range(from_aside, to_aside):
        candidates += _same_back(np.int64(state["aside"][k]), own)
    for k in range(drawn, to_pile):
        candidates += _same_back(np.int64(state["pile"][k]), own)
    chosen = draw_below(state, candidates)
    for k in range(from_aside, to_aside):
        if _same_back(np.int64(state["aside"][k]), own):
            if chosen == 0:
                _rename(state["pile"], drawn, own, np.int64(state["aside"][k]))
                _swap(state["aside"], place, k)
                return
            chosen -= 1
    for k in range(drawn, to_pile):
        if _same_back(np.int64(state["pile"][k]), own):
            if chosen == 0:
                drawn_tile = state["pile"][k]
                state["pile"][k] = own
                if is_aside:
                    _rename(state["pile"], drawn, own, np.int64(drawn_tile))
                    state["aside"][place] = drawn_tile
                    state["place"][own] = IN_PILE
                    state["place"][drawn_tile] = PUT_ASIDE
                else:
                    state["pile"][place] = drawn_tile
                return
            chosen -= 1


@kernel
def _rename(pile, drawn, one, other):
    """Swap two tiles among those that have left the piles: tiles put aside are there too."""
    for k in range(drawn):
        if pile[k] == one:
            pile[k] = other
        elif pile[k] == other:
            pile[k] = one


@kernel
def _same_back(tile, other):
    return TILE_ELEMENT[tile] == TILE_ELEMENT[other] and TILE_VALUE[tile] == TILE_VALUE[other]
