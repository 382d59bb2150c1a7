"""The rules of Sàrèná as kernels on one record (rulebook: Mise en place, Règles de mouvement, Fin).

A move follows a line to a neighbouring circle with a whole stack. Onto a stack: at most four discs
together. Onto an empty circle: only one with arrows, and the stack is turned over.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit, write_bits, write_set
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below, next_word, shuffle
from ..core.state import begin
from .actions import (
    ACTION_OF,
    EAST_BITS,
    FROM,
    NORTH_BITS,
    PER_DIRECTION,
    SOUTH_BITS,
    TO,
    WEST_BITS,
)
from .components import (
    ARROW_BITS,
    COLS,
    DISCS,
    EMPTY,
    FACES_PER_COLOUR,
    FIRST_FACE,
    NUM_CIRCLES,
    NUM_COLOURS,
    NUM_DISCS,
    REVERSED_BYTE,
    ROWS,
    SECOND_FACE,
)

# options[0] is the player count in every game; then the game's own options.
OPTION_DEAL = 1
DEAL_BALANCED = 1
_SPARE_BITS = np.uint64(64 - NUM_DISCS)


@kernel
def setup(state, seed, options):
    """Deal the discs, the secret pawns and the first player (Mise en place du jeu)."""
    begin(state, seed, options[0])
    for circle in range(NUM_CIRCLES):
        state["height"][circle] = 1
        state["stack"][circle] = DISCS[circle, 0] | DISCS[circle, 1] << 2
    if options[OPTION_DEAL] == DEAL_BALANCED:
        _turn_balanced(state)
    else:
        _turn_at_random(state)
    shuffle(state, state["stack"], NUM_DISCS)
    state["takeovers"][:] = 0
    for colour in range(NUM_COLOURS):
        state["secret"][colour] = colour
    shuffle(state, state["secret"], NUM_COLOURS)
    state["to_play"] = draw_below(state, options[0])
    _index_stacks(state)
    _find_moves(state)


@kernel
def _turn_at_random(state):
    for disc in range(NUM_DISCS):
        if draw_below(state, 2):
            state["stack"][disc] = _turned_over(state["stack"][disc], 1)


@kernel
def _turn_balanced(state):
    """Turn the discs at random until every colour is on top as often as below.

    Retrying keeps all balanced deals equally likely. A try is one random word, one bit per disc.
    """
    half = FACES_PER_COLOUR // 2
    while True:
        sides = np.int64(next_word(state) >> _SPARE_BITS)
        balanced = 0
        for colour in range(NUM_COLOURS):
            on_top = sides & SECOND_FACE[colour] | ~sides & FIRST_FACE[colour]
            balanced += count_bits(on_top) == half
        if balanced == NUM_COLOURS:
            break
    for disc in range(NUM_DISCS):
        side = (sides >> disc) & 1
        state["stack"][disc] = DISCS[disc, 1 - side] | DISCS[disc, side] << 2


@kernel
def _turned_over(stack, height):
    """Reverse the discs and swap the faces of each: the two-bit faces in reverse order."""
    reversed_word = np.int64(REVERSED_BYTE[stack & 255]) << 8 | np.int64(REVERSED_BYTE[stack >> 8])
    return reversed_word >> 4 * (4 - np.int64(height))


@kernel
def step(state, action):
    """Move a stack (Règles de mouvement); the game ends when nothing can move (Fin du jeu)."""
    start = np.int64(FROM[action])
    end = np.int64(TO[action])
    moved = np.int64(state["height"][start])
    under = np.int64(state["height"][end])
    stack = np.int64(state["stack"][start])
    top = state["top"][start]
    underside = state["underside"][start]
    turned = under == 0
    comes = np.int64(underside if turned else top)
    goes = np.int64(top if turned else state["top"][end])
    discs = moved if turned else under
    state["takeovers"][state["to_play"], goes - comes & 3] += np.uint32(discs << 8 * comes)
    # Both outcomes are computed and one is chosen: a branch would be mispredicted too often.
    merged = np.int64(state["stack"][end]) | stack << 4 * under
    state["stack"][end] = _turned_over(stack, moved) if turned else merged
    state["top"][end] = underside if turned else top
    state["underside"][end] = top if turned else state["underside"][end]
    state["height"][end] = moved + under
    for colour in range(NUM_COLOURS):
        state["faces"][colour, end] += state["faces"][colour, start]
        state["faces"][colour, start] = 0
    state["stack"][start] = 0
    state["top"][start] = EMPTY
    state["underside"][start] = EMPTY
    state["height"][start] = 0
    state["by_height"][moved] ^= 1 << start
    state["by_height"][0] ^= 1 << start
    state["by_height"][under] ^= 1 << end
    state["by_height"][moved + under] ^= 1 << end
    state["ply"] += 1
    following = state["to_play"] + 1
    state["to_play"] = 0 if following == state["num_players"] else following
    _find_moves(state)


@kernel
def _find_moves(state):
    """Find the possible moves, one direction at a time, on sets of circles."""
    ones = state["by_height"][1]
    twos = state["by_height"][2]
    threes = state["by_height"][3]
    fours = state["by_height"][4]
    takes_4 = state["by_height"][0] & ARROW_BITS
    takes_3 = takes_4 | ones
    takes_2 = takes_3 | twos
    takes_1 = takes_2 | threes
    east = (
        ones & takes_1 >> 1 | twos & takes_2 >> 1 | threes & takes_3 >> 1 | fours & takes_4 >> 1
    ) & EAST_BITS
    south = (
        ones & takes_1 >> 6 | twos & takes_2 >> 6 | threes & takes_3 >> 6 | fours & takes_4 >> 6
    ) & SOUTH_BITS
    west = (
        ones & takes_1 << 1 | twos & takes_2 << 1 | threes & takes_3 << 1 | fours & takes_4 << 1
    ) & WEST_BITS
    north = (
        ones & takes_1 << 6 | twos & takes_2 << 6 | threes & takes_3 << 6 | fours & takes_4 << 6
    ) & NORTH_BITS
    state["moves"][0] = east
    state["moves"][1] = south
    state["moves"][2] = west
    state["moves"][3] = north
    state["terminated"] = (east | south | west | north) == 0


@kernel
def _index_stacks(state):
    """Compute the record's cached values from ``height`` and ``stack``."""
    for height in range(5):
        state["by_height"][height] = 0
    for circle in range(NUM_CIRCLES):
        height = np.int64(state["height"][circle])
        stack = np.int64(state["stack"][circle])
        state["by_height"][height] |= 1 << circle
        state["top"][circle] = (stack << 2 >> 4 * height) & 3 if height else EMPTY
        state["underside"][circle] = stack & 3 if height else EMPTY
        for colour in range(NUM_COLOURS):
            state["faces"][colour, circle] = 0
        for level in range(height):
            below = (stack >> 4 * level) & 3
            above = (stack >> 4 * level + 2) & 3
            state["faces"][below, circle] += 1
            if above != below:
                state["faces"][above, circle] += 1


@kernel
def index_board(states, i):
    """Update ``states[i]``, including its end, after its stacks were edited."""
    index_record(states[i])


@kernel
def index_record(state):
    """See ``index_board``."""
    _index_stacks(state)
    _find_moves(state)


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(120,)`` with 1 for each legal action; return how many there are."""
    # In this order: a row writes eight numbers, of which what follows it replaces the last three.
    for direction in range(0, 4, 2):
        # East, and west counted from the circle entered: five bits of each six.
        moves = state["moves"][direction] >> direction // 2
        for row in range(ROWS):
            at = direction * PER_DIRECTION + row * (COLS - 1)
            write_bits(moves >> row * COLS, mask, at)
        # South, and north counted from the circle entered.
        moves = state["moves"][direction + 1] >> 3 * direction
        write_set(moves, PER_DIRECTION, mask, (direction + 1) * PER_DIRECTION)
    return (
        count_bits(state["moves"][0])
        + count_bits(state["moves"][1])
        + count_bits(state["moves"][2])
        + count_bits(state["moves"][3])
    )


@kernel
def is_legal(state, action):
    """Return whether an action number 0..119 is legal."""
    return (state["moves"][action // PER_DIRECTION] >> FROM[action]) & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order."""
    to_east = count_bits(state["moves"][0])
    to_south = to_east + count_bits(state["moves"][1])
    to_west = to_south + count_bits(state["moves"][2])
    k = below(word, to_west + count_bits(state["moves"][3]))
    direction = np.int64(k >= to_east) + np.int64(k >= to_south) + np.int64(k >= to_west)
    before = max(
        to_east * np.int64(k >= to_east),
        to_south * np.int64(k >= to_south),
        to_west * np.int64(k >= to_west),
    )
    return np.int64(ACTION_OF[direction, select_bit(state["moves"][direction], k - before)])


@kernel
def returns(state, scores, ranks):
    """Count discs, break ties, rank (Fin du jeu); in mid-game, as if it ended now.

    Score: discs in the stacks topped by the seat's colour. Tie: of those discs, the ones with that
    colour on a face. Still tied: the rulebook is silent, the rank is shared.
    """
    num_players = state["num_players"]
    for seat in range(num_players):
        colour = state["secret"][seat]
        discs = 0
        own = 0
        for circle in range(NUM_CIRCLES):
            taken = state["top"][circle] == colour
            discs += np.int64(state["height"][circle]) * taken
            own += np.int64(state["faces"][colour, circle]) * taken
        scores[seat] = discs
        ranks[seat] = discs * (NUM_DISCS + 1) + own
    rank_in_place(ranks, num_players)
