"""What nobody knows in a game of Sagani: the order of the piles, except for visible backs."""

from __future__ import annotations

import numpy as np

from ..core.jit import allocating_kernel, kernel
from ..core.rng import draw_below, shuffle
from .components import NUM_TILES, PILE_SIZE, TILE_ELEMENT, TILE_VALUE
from .state import IN_PILE, PUT_ASIDE


@allocating_kernel
def determinize(state, seat, seed):
    """Resample the order of the piles, uniformly among those with the visible backs.

    This is the same for every seat. Tiles put aside (solo advanced) are also known by their backs.
    """
    state["rng"] = seed
    state["seed"] = seed
    pile = state["pile"]
    drawn = np.int64(state["drawn"])
    aside = state["aside"][state["aside_drawn"] : state["num_aside"]]
    num_aside = len(aside)
    unseen = _in_order(np.concatenate((aside, pile[drawn:])))
    # A place whose back is known gets any unseen tile with that back, first those put aside, then
    # the tops. Places settled before are left out.
    for place in range(num_aside):
        _redraw_known(state, unseen, (place, aside[place]), place, len(unseen))
    settled = len(unseen)
    for first in range(0, NUM_TILES, PILE_SIZE):
        top = max(drawn, first)
        if top < first + PILE_SIZE:
            # Settled tops wait at the end of the piles, so that the rest can be shuffled as one.
            place = num_aside + top - drawn
            _redraw_known(state, unseen, (place, pile[top]), num_aside, settled)
            settled -= 1
            _swap(unseen, place, settled)
    shuffle(state, unseen[num_aside:], settled - num_aside)
    for first in range(NUM_TILES - PILE_SIZE, -1, -PILE_SIZE):
        top = max(drawn, first)
        if top < first + PILE_SIZE:
            _swap(unseen, num_aside + top - drawn, settled)
            settled += 1
    # Tiles put aside are among those that have left the piles too.
    for place in range(drawn):
        for k in range(num_aside):
            if pile[place] == aside[k]:
                pile[place] = unseen[k]
                break
    for place in range(len(unseen)):
        tile = unseen[place]
        state["place"][tile] = PUT_ASIDE if place < num_aside else IN_PILE
        if place < num_aside:
            aside[place] = tile
        else:
            pile[drawn + place - num_aside] = tile


@allocating_kernel
def _in_order(tiles):
    """Return tiles sorted by number, since a redraw must not depend on their true order."""
    found = np.zeros(NUM_TILES + 1, np.bool_)  # tiles are numbered from 1
    for k in range(len(tiles)):
        found[tiles[k]] = True
    ordered = tiles.copy()
    count = 0
    for tile in range(NUM_TILES + 1):
        if found[tile]:
            ordered[count] = tile
            count += 1
    return ordered


@kernel
def _swap(items, one, other):
    kept = items[one]
    items[one] = items[other]
    items[other] = kept


@kernel
def _redraw_known(state, tiles, known, first, end):
    """Put a random one of the tiles from ``first`` to ``end`` in a place whose back is known.

    ``known`` is the place, and a tile with that back.
    """
    place, like = known
    candidates = 0
    for k in range(first, end):
        candidates += _same_back(tiles[k], like)
    chosen = draw_below(state, candidates)
    for k in range(first, end):
        if _same_back(tiles[k], like):
            if chosen == 0:
                _swap(tiles, place, k)
                return
            chosen -= 1


@kernel
def _same_back(tile, other):
    return TILE_ELEMENT[tile] == TILE_ELEMENT[other] and TILE_VALUE[tile] == TILE_VALUE[other]
