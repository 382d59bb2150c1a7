"""Points of the landscapes (Comptage des points) and of the spirits, on sets of hexes as bits."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from .components import (
    BLUE,
    BOARD,
    BUILDING_POINTS,
    FIELD_POINTS,
    FIRST_KIND,
    GRAY,
    GREEN,
    HAND_LIMIT,
    HAS_NEIGHBOUR,
    ISLAND_POINTS,
    KIND,
    LADDER,
    MAX_HEIGHT,
    MOUNTAIN_POINTS,
    NUM_ANIMALS,
    NUM_COLOURS,
    NUM_CUBES,
    RED,
    RIVER_POINTS,
    SPIRIT_COUNTS_GROUPS,
    SPIRIT_LANDSCAPE,
    SPIRIT_POINTS,
    STRIDE,
    SUNS_FOR_SIDE,
    SUNS_FOR_SPIRIT,
    SUNS_FROM,
    SUNS_WITHOUT_SPIRIT,
    TREE_POINTS,
    YELLOW,
)
from .state import COLUMN

# First kind of the landscapes that spirits count, in the order of LANDSCAPES.
_FIRST_COUNTED = np.array([KIND.tree1, KIND.mountain1, KIND.field, KIND.building, KIND.water])
_LARGE_GROUP = 3
_ALL = -1


@kernel
def moved_by_one(hexes, side):
    """Return the set moved by one hex in each of the six directions."""
    has = HAS_NEIGHBOUR[side]
    stride = STRIDE[side]
    return (
        (hexes & has[0]) << stride,
        (hexes & has[1]) << 1,
        (hexes & has[2]) >> stride - 1,
        (hexes & has[3]) >> stride,
        (hexes & has[4]) >> 1,
        (hexes & has[5]) << stride - 1,
    )


@kernel
def next_to(hexes, side):
    """Return the hexes next to a hex of the set."""
    a, b, c, d, e, f = moved_by_one(hexes, side)
    return a | b | c | d | e | f


@kernel
def group_of(some, hexes, side):
    """Return the part of the set ``hexes`` that is connected with ``some`` of them."""
    group = some
    grown = (group | next_to(group, side)) & hexes
    while grown != group:
        group = grown
        grown = (group | next_to(group, side)) & hexes
    return group


@kernel
def count_groups(hexes, side):
    """Count the connected groups of a set."""
    groups = 0
    while hexes:
        hexes &= ~group_of(hexes & -hexes, hexes, side)
        groups += 1
    return groups


# The landscapes; ``kinds`` is one row of ``state["hexes"]``


@kernel
def hexes_by_top(kinds, colour):
    """Return the hexes with ``colour`` on top."""
    hexes = 0
    for kind in range(FIRST_KIND[colour], FIRST_KIND[colour + 1]):
        hexes |= np.int64(kinds[kind])
    return hexes


@kernel
def points_by_height(kinds, first, points, counted):
    """Score the hexes of a landscape that are ``counted``; ``first`` is its kind of height 1."""
    total = 0
    for height in range(1, MAX_HEIGHT + 1):
        total += points[height] * count_bits(np.int64(kinds[first + height - 1]) & counted)
    return total


@kernel
def tree_points(kinds):
    """Score trees by their height."""
    return points_by_height(kinds, KIND.tree1, TREE_POINTS, _ALL)


@kernel
def mountain_points(kinds, side):
    """Score mountains by their height, those that are next to another one."""
    counted = next_to(hexes_by_top(kinds, GRAY), side)
    return points_by_height(kinds, KIND.mountain1, MOUNTAIN_POINTS, counted)


@kernel
def field_points(kinds, side):
    """Score each field: a group of two or more."""
    yellow = np.int64(kinds[KIND.field])
    return FIELD_POINTS * count_groups(yellow & next_to(yellow, side), side)


@kernel
def building_points(kinds, side):
    """Score buildings with three or more colours around them (the colours on top)."""
    _, _, three = near_colours(kinds, side)
    return BUILDING_POINTS * count_bits(np.int64(kinds[KIND.building]) & three)


@kernel
def near_colours(kinds, side):
    """Return the hexes next to at least one, two and three colours; none if nothing is built."""
    one = two = three = 0
    if kinds[KIND.building]:
        for colour in range(NUM_COLOURS):
            near = next_to(hexes_by_top(kinds, colour), side)
            three |= two & near
            two |= one & near
            one |= near
    return one, two, three


@kernel
def river_length(water, side):
    """Return the tokens on the longest of the shortest paths within a group of water (side A)."""
    longest = np.int64(water != 0)
    starts = water & next_to(water, side)
    while starts:
        reached = starts & -starts
        starts &= ~reached
        length = 1
        grown = (reached | next_to(reached, side)) & water
        while grown != reached:
            reached = grown
            length += 1
            grown = (reached | next_to(reached, side)) & water
        longest = max(longest, length)
        # No path is longer than the size of its group.
        if count_bits(reached) <= longest:
            starts &= ~reached
    return longest


@kernel
def water_points(kinds, side):
    """Score the longest river (side A), or the islands (side B)."""
    water = np.int64(kinds[KIND.water])
    if side == 0:
        return np.int64(RIVER_POINTS[river_length(water, side)])
    return ISLAND_POINTS * count_groups(BOARD[side] & ~water, side)


@kernel
def spirit_points(kinds, side, spirit):
    """Score a spirit card on the board as it is now."""
    first = _FIRST_COUNTED[SPIRIT_LANDSCAPE[spirit]]
    if not SPIRIT_COUNTS_GROUPS[spirit]:
        return points_by_height(kinds, first, SPIRIT_POINTS[spirit], _ALL)
    points = 0
    hexes = np.int64(kinds[first])
    while hexes:
        group = group_of(hexes & -hexes, hexes, side)
        hexes &= ~group
        points += SPIRIT_POINTS[spirit, min(count_bits(group), _LARGE_GROUP)]
    return points


# Points kept in the record


@kernel
def score_token(state, seat, colour):
    """Update the points of ``seat`` after a token of ``colour`` was placed."""
    kinds = state["hexes"][seat]
    side = np.int64(state["side"])
    points = state["points"][seat]
    if colour == BLUE:
        points[COLUMN.water] = water_points(kinds, side)
    elif colour == GREEN:
        points[COLUMN.trees] = tree_points(kinds)
    elif colour == YELLOW:
        points[COLUMN.fields] = field_points(kinds, side)
    elif colour in (GRAY, RED):
        # A red token may cover a mountain.
        points[COLUMN.mountains] = mountain_points(kinds, side)
    points[COLUMN.buildings] = building_points(kinds, side)
    score_spirit(state, seat)


@kernel
def score_spirit(state, seat):
    """Update the spirit's points of ``seat``; there are none until it is settled."""
    spirit = np.int64(state["spirit"][seat])
    if (np.int64(state["completed"][seat]) >> spirit) & 1:
        side = np.int64(state["side"])
        state["points"][seat, COLUMN.spirits] = spirit_points(state["hexes"][seat], side, spirit)


@kernel
def score_landscapes(state, seat):
    """Recompute all points of ``seat`` except those of its animal cards."""
    state["points"][seat, COLUMN.spirits] = 0
    for colour in range(NUM_COLOURS):
        score_token(state, seat, colour)


@kernel
def score_animals(state, seat):
    """Recompute the points of the animal cards of ``seat``, completed or not."""
    points = 0
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        points += np.int64(LADDER[card, NUM_CUBES[card] - state["cubes_left"][seat, slot]])
    for card in range(1, NUM_ANIMALS + 1):
        if state["completed"][seat] >> card & 1:
            points += np.int64(LADDER[card, NUM_CUBES[card]])
    state["points"][seat, COLUMN.animals] = points


@kernel
def total_points(state, seat):
    """Return the score of ``seat`` as if the game ended now."""
    total = 0
    for category in range(state["points"].shape[1]):
        total += np.int64(state["points"][seat, category])
    return total


# Solo


@kernel
def suns_for(points, side, spirits, spirit):
    """Return the suns for ``points``, side, and the ``spirit`` kept (0 for none yet)."""
    suns = SUNS_FOR_SIDE[side]
    for k in range(len(SUNS_FROM)):
        suns += points >= SUNS_FROM[k]
    return suns + (SUNS_FOR_SPIRIT[spirit] if spirits else SUNS_WITHOUT_SPIRIT)


def suns(state: np.void, seat: int = 0) -> int:
    """Return the suns of a seat in the solo game, as if it ended now (Mode solo)."""
    points = int(total_points(state, seat))
    spirit = int(state["spirit"][seat])
    return int(suns_for(points, int(state["side"]), bool(state["spirits"]), spirit))
