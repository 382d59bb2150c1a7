"""The rules of Sàrèná as kernels on one record (rulebook: Mise en place, Règles de mouvement, Fin).

A move follows a line to a neighbouring circle with a whole stack. Onto a stack: at most four discs
together. Onto an empty circle: only one with arrows, and the stack is turned over.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below, next_word, shuffle
from ..core.state import begin
from .components import (
    ACTION_OF,
    ARROW_BITS,
    DISCS,
    EAST_BITS,
    FACES_PER_COLOUR,
    FIRST_FACE,
    FROM,
    NORTH_BITS,
    NUM_CIRCLES,
    NUM_COLOURS,
    NUM_DISCS,
    PER_DIRECTION,
    REVERSED_BYTE,
    SECOND_FACE,
    SOUTH_BITS,
    TO,
    WEST_BITS,
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
    for colour in range(NUM_COLOURS):
        state["secret"][colour] = colour
    shuffle(state, state["secret"], NUM_COLOURS)
    state["to_play"] = draw_below(state, options[0])
    _index_heights(state)
    _find_moves(state)


@kernel
def _turn_at_random(state):
    for disc in range(NUM_DISCS):
        if draw_below(state, 2):
            state["stack"][disc] = _turned_over(state["stack"][disc], 1)


@kernel
def _turn_balanced(state):
    """Turn the discs at random until every colour is on top as often as below.

    Trying again keeps all balanced deals equally likely. A try is one random word, a bit a disc.
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
    if under:
        state["stack"][end] = np.int64(state["stack"][end]) | stack << 4 * under
    else:
        state["stack"][end] = _turned_over(stack, moved)
    state["height"][end] = moved + under
    state["stack"][start] = 0
    state["height"][start] = 0
    start_bit = 1 << start
    end_bit = 1 << end
    state["by_height"][moved] ^= start_bit
    state["by_height"][0] ^= start_bit | (0 if under else end_bit)
    if under:
        state["by_height"][under] ^= end_bit
    state["by_height"][moved + under] ^= end_bit
    state["ply"] += 1
    following = state["to_play"] + 1
    state["to_play"] = 0 if following == state["num_players"] else following
    _find_moves(state)


@kernel
def _find_moves(state):
    """Work out who can move where, a whole direction at a time on sets of circles."""
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
def _index_heights(state):
    for height in range(5):
        state["by_height"][height] = 0
    for circle in range(NUM_CIRCLES):
        state["by_height"][np.int64(state["height"][circle])] |= 1 << circle


@kernel
def index_board(states, i):
    """Rebuild the indices of ``states[i]`` from its heights, and its end, after it was edited."""
    _index_heights(states[i])
    _find_moves(states[i])


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(120,)`` with 1 for each legal action; return how many there are."""
    count = 0
    for direction in range(4):
        moves = state["moves"][direction]
        first = direction * PER_DIRECTION
        for k in range(PER_DIRECTION):
            mask[first + k] = (moves >> FROM[first + k]) & 1
        count += count_bits(moves)
    return count


@kernel
def is_legal(state, action):
    """Say whether an action number 0..119 is legal."""
    return (state["moves"][action // PER_DIRECTION] >> FROM[action]) & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order."""
    east = count_bits(state["moves"][0])
    south = count_bits(state["moves"][1])
    west = count_bits(state["moves"][2])
    north = count_bits(state["moves"][3])
    k = below(word, east + south + west + north)
    if k < east:
        return ACTION_OF[0, select_bit(state["moves"][0], k)]
    k -= east
    if k < south:
        return ACTION_OF[1, select_bit(state["moves"][1], k)]
    k -= south
    if k < west:
        return ACTION_OF[2, select_bit(state["moves"][2], k)]
    return ACTION_OF[3, select_bit(state["moves"][3], k - west)]


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
            height = np.int64(state["height"][circle])
            stack = np.int64(state["stack"][circle])
            if height and (stack >> 4 * height - 2) & 3 == colour:
                discs += height
                for level in range(height):
                    disc = stack >> 4 * level
                    own += (disc & 3 == colour) or (disc >> 2 & 3 == colour)
        scores[seat] = discs
        ranks[seat] = discs * (NUM_DISCS + 1) + own
    rank_in_place(ranks, num_players)
