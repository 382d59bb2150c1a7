"""The value of a position for a seat, in points; for the greedy agent and guided search.

The value of a board is its points, plus the prospects of its landscapes and cards in the turns
left, plus the value of those turns. With tokens in hand, it is the value after placing all of them
as well as possible: with each colour first, the others one after the other. After taking a card but
no tokens, this is done for the best space. Before taking a card, the best card of the display is
added.

Placements are tried on the record's own sets of hexes and undone afterwards.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from ..core.memo import row_of
from .components import (
    BLUE,
    BOARD,
    BUILDING_POINTS,
    GRAY,
    HAND_LIMIT,
    KIND,
    MAKES,
    MAX_DISPLAY,
    MOUNTAIN_POINTS,
    NUM_COLOURS,
    NUM_CUBES,
    NUM_KINDS,
    NUM_ON,
    NUM_SPACES,
    ON,
    PER_SPACE,
    YELLOW,
)
from .habitat_distance import card_value
from .rules import LAST_HEXES
from .scoring import (
    field_points,
    hexes_by_top,
    mountain_points,
    moved_by_one,
    near_colours,
    next_to,
    points_by_height,
    spirit_points,
    total_points,
    tree_points,
    water_points,
)
from .state import COLUMN, TURN_PHASE
from .supply import count_held, count_tokens, tokens_to_fill
from .weights import WEIGHTS

_ANY_COLOUR = (1 << NUM_COLOURS) - 1
# Factors of what a value depends on, in its key (see ``memo``): of the parts of a position, and of
# the set of hexes of each kind.
_FACTORS = np.random.default_rng(2024).integers(1 << 64, size=32, dtype=np.uint64) | np.uint64(1)
_PART, _KIND_PART = _FACTORS[:-NUM_KINDS], _FACTORS[-NUM_KINDS:]
MEMO_ROWS = 1 << 15
# Numbers of turns left are told apart as multiples of this part of a turn.
_LIMITS = 1 << 20


@kernel
def evaluate(state, seat, memo):
    """Value the position for ``seat`` in points, from what it knows."""
    if state["terminated"]:
        return np.float64(total_points(state, seat))
    limit = _turns_of_game(state, seat)
    if state["to_play"] != seat or state["phase"] != TURN_PHASE:
        return board_value(state, seat, limit, memo)
    tokens = _packed(state["hand"])
    if tokens:
        value = _best_value(state, seat, tokens, limit, memo)
    elif state["taken"] < 0 and state["took_card"]:
        value = -np.inf
        for space in range(NUM_SPACES[state["num_players"]]):
            tokens = _packed(state["central"][space])
            value = max(value, _best_value(state, seat, tokens, limit, memo))
    else:
        value = board_value(state, seat, limit, memo)
    if not state["took_card"]:
        option = _best_card(state, seat, limit)
        # At the start of a turn the display only breaks ties (a solo game may be a turn further).
        value += option * 0.01 if state["taken"] < 0 else option
    return value


@kernel
def glance(state, seat, memo):
    """Value the current board and cards of ``seat``, without tokens in hand."""
    return board_value(state, seat, _turns_of_game(state, seat), memo)


@kernel
def _turns_of_game(state, seat):
    """Return the number of turns of ``seat`` after this one, given the bag and the others."""
    if state["last_round"]:
        return 0.0
    num_players = np.int64(state["num_players"])
    turns = count_tokens(state["bag"]) / (num_players * tokens_to_fill(state))
    for other in range(num_players):
        if other != seat:
            turns = min(turns, _turns_of_board(state["hexes"][other]))
    return turns


@kernel
def _turns_of_board(kinds):
    """Return the number of turns that it takes to fill a board."""
    return max(count_bits(np.int64(kinds[KIND.empty])) - LAST_HEXES, 0) / WEIGHTS.hexes_a_turn


@kernel
def board_value(state, seat, limit, memo):
    """Value the board and the cards of ``seat`` with at most ``limit`` turns left."""
    key = _key(state, seat, limit)
    row = row_of(memo, key)
    if memo[row]["key"] != key:
        points = state["points"][seat]
        groups = np.int64(points[COLUMN.fields]) + np.int64(points[COLUMN.water])
        memo[row]["value"] = _value_with(state, seat, limit, groups)
        memo[row]["key"] = key
    return memo[row]["value"]


@kernel
def _key(state, seat, limit):
    """Return a number (uint64) that stands for what the value of a board depends on."""
    spirit = np.int64(state["spirit"][seat])
    key = np.uint64(np.int64(limit * _LIMITS)) * _PART[0]
    key += np.uint64(state["points"][seat, COLUMN.animals]) * _PART[1]
    key += np.uint64(state["cubes"][seat]) * _PART[2]
    key += np.uint64(np.int64(state["completed"][seat]) >> spirit & 1) * _PART[3]
    key += np.uint64(spirit) * _PART[4]
    key += np.uint64(state["side"]) * _PART[5]
    for slot in range(HAND_LIMIT):
        key += np.uint64(state["card"][seat, slot]) * _PART[7 + slot]
        key += np.uint64(state["cubes_left"][seat, slot]) * _PART[7 + HAND_LIMIT + slot]
    for kind in range(NUM_KINDS):
        key += np.uint64(state["hexes"][seat, kind]) * _KIND_PART[kind]
    return key


@kernel
def _value_with(state, seat, limit, groups):
    """Value a board as ``board_value``, given the points of its fields and its water."""
    kinds = state["hexes"][seat]
    free = ~np.int64(state["cubes"][seat])
    side = np.int64(state["side"])
    turns = min(limit, _turns_of_board(kinds))
    outlook = min(turns / WEIGHTS.full_turns, 1.0)
    near = near_colours(kinds, side)
    points = np.int64(state["points"][seat, COLUMN.animals])
    points += tree_points(kinds)
    points += mountain_points(kinds, side)
    points += BUILDING_POINTS * count_bits(np.int64(kinds[KIND.building]) & near[2])
    points += groups
    spirit = np.int64(state["spirit"][seat])
    if np.int64(state["completed"][seat]) >> spirit & 1:
        points += spirit_points(kinds, side, spirit)
    hope = _hope(kinds, free, side, near)
    value = points + outlook * hope + WEIGHTS.turn * turns
    tokens = PER_SPACE * turns
    held = 0
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        if card:
            left = np.int64(state["cubes_left"][seat, slot])
            value += card_value(kinds, free, side, card, left, tokens)
            held += 1
    # What the slots are worth that can't be used for other cards.
    return value - WEIGHTS.slot * held * (held - 1) / 2


@kernel
def _hope(kinds, free, side, near):
    """Return the expected points of landscapes while much of the game is left."""
    near_empty = next_to(np.int64(kinds[KIND.empty]), side)
    hope = WEIGHTS.trunk1 * count_bits(np.int64(kinds[KIND.trunk1]) & free)
    hope += WEIGHTS.trunk2 * count_bits(np.int64(kinds[KIND.trunk2]) & free)
    hope += WEIGHTS.lone_red * count_bits(np.int64(kinds[KIND.red]) & free)
    hope += WEIGHTS.mountain1 * count_bits(np.int64(kinds[KIND.mountain1]) & free)
    hope += WEIGHTS.mountain2 * count_bits(np.int64(kinds[KIND.mountain2]) & free)

    alone = near_empty & ~next_to(hexes_by_top(kinds, GRAY), side)
    hope += WEIGHTS.lone_mountain * points_by_height(kinds, KIND.mountain1, MOUNTAIN_POINTS, alone)
    fields = np.int64(kinds[KIND.field])
    hope += WEIGHTS.lone_field * count_bits(fields & ~next_to(fields, side) & near_empty)

    one, two, three = near
    buildings = np.int64(kinds[KIND.building]) & near_empty & ~three
    hope += WEIGHTS.two_colours * count_bits(buildings & two)
    hope += WEIGHTS.one_colour * count_bits(buildings & one & ~two)
    hope += WEIGHTS.no_colour * count_bits(buildings & ~one)

    water = np.int64(kinds[KIND.water])
    if side == 0:
        return hope + WEIGHTS.open_water * count_bits(water & near_empty)
    return hope + WEIGHTS.one_way_out * count_bits(_one_way_out(water, side))


@kernel
def _one_way_out(water, side):
    """Return the land next to water that has only one neighbouring hex of land."""
    land = BOARD[side] & ~water
    one = two = 0
    for near in moved_by_one(land, side):
        two |= one & near
        one |= near
    return land & one & ~two & next_to(water, side)


@kernel
def _packed(counts):
    """Return tokens by colour, packed in four bits per colour."""
    tokens = 0
    for colour in range(NUM_COLOURS):
        tokens |= np.int64(counts[colour]) << 4 * colour
    return tokens


@kernel
def _best_value(state, seat, tokens, limit, memo):
    """Value the board after placing ``tokens`` greedily, one after the other.

    Every colour is tried first; the others follow in the order of their gain.
    """
    board = _key(state, seat, limit)
    key = board + np.uint64(tokens) * _PART[6]
    row = row_of(memo, key)
    if memo[row]["key"] == key:
        return memo[row]["value"]
    best = -np.inf
    for colour in range(NUM_COLOURS):
        if tokens >> 4 * colour & 15:
            first = 1 << colour
            best = max(best, _value_from(state, seat, tokens, first, limit, board, memo))
    memo[row]["key"] = key
    memo[row]["value"] = best
    return best


@kernel
def _value_from(state, seat, tokens, colours, limit, key, memo):
    """Value the best placement of ``tokens`` whose first one has one of ``colours`` (bits).

    ``key`` is that of the board.
    """
    kinds = state["hexes"][seat]
    free = ~np.int64(state["cubes"][seat])
    side = np.int64(state["side"])
    # Searching groups takes long; only tokens of one colour change each.
    fields = np.int64(state["points"][seat, COLUMN.fields])
    water = np.int64(state["points"][seat, COLUMN.water])
    first = second = third = 0
    best = 0.0
    while tokens:
        best = -np.inf
        move = placed = 0
        for colour in range(NUM_COLOURS):
            if tokens >> 4 * colour & 15 and colours >> colour & 1:
                for k in range(NUM_ON[colour]):
                    before = ON[colour, k]
                    after = MAKES[colour, before]
                    hexes = np.int64(kinds[before]) & free
                    change = _KIND_PART[after] - _KIND_PART[before]
                    while hexes:
                        bit = hexes & -hexes
                        trial = bit << 8 | before << 4 | after
                        hexes ^= bit
                        found = key + np.uint64(bit) * change
                        row = row_of(memo, found)
                        if memo[row]["key"] != found:
                            _toggle(kinds, trial)
                            groups = fields + water
                            if colour == YELLOW:
                                groups = field_points(kinds, side) + water
                            elif colour == BLUE:
                                groups = fields + water_points(kinds, side)
                            memo[row]["value"] = _value_with(state, seat, limit, groups)
                            memo[row]["key"] = found
                            _toggle(kinds, trial)
                        value = memo[row]["value"]
                        if value > best:
                            best = value
                            move = trial
                            placed = colour
        tokens -= 1 << 4 * placed
        colours = _ANY_COLOUR
        _toggle(kinds, move)
        key += np.uint64(move >> 8) * (_KIND_PART[move & 15] - _KIND_PART[move >> 4 & 15])
        first, second, third = move, first, second
        if placed == YELLOW:
            fields = field_points(kinds, side)
        elif placed == BLUE:
            water = water_points(kinds, side)
    _toggle(kinds, first)
    _toggle(kinds, second)
    _toggle(kinds, third)
    return best


@kernel
def _toggle(kinds, move):
    """Change the kind of a hex, or change it back."""
    bit = move >> 8
    kinds[move >> 4 & 15] ^= bit
    kinds[move & 15] ^= bit


@kernel
def _best_card(state, seat, limit):
    """Value the best card of the display, if one can and should be taken."""
    held = count_held(state, seat)
    if held == HAND_LIMIT:
        return 0.0
    kinds = state["hexes"][seat]
    free = ~np.int64(state["cubes"][seat])
    side = np.int64(state["side"])
    tokens = PER_SPACE * min(limit, _turns_of_board(kinds))
    best = 0.0
    for place in range(MAX_DISPLAY):
        card = np.int64(state["display"][place])
        if card:
            left = np.int64(NUM_CUBES[card])
            value = card_value(kinds, free, side, card, left, tokens)
            best = max(best, value - WEIGHTS.slot * held)
    return best
