"""The rules of Harmonies as kernels on one record: setting up, actions, results.

The bag and the deck are in ``supply.py``, habitats in ``habitats.py``, points in ``scoring.py``.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit, write_set
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below
from ..core.state import begin, clear_from, seat_after
from .actions import CARD, DISCARD, END, NUM_ACTIONS, PLACE, SETTLE, SPIRIT, TAKE
from .components import (
    ALL_ANIMALS,
    BOARD,
    DISPLAY_SIZE,
    FIRST_SPIRIT,
    HAND_LIMIT,
    HEIGHT_OF_STACK,
    KIND,
    KIND_OF_STACK,
    LADDER,
    MAX_DISPLAY,
    MAX_HEXES,
    MAX_ON,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_CUBES,
    NUM_SPACES,
    ON,
    SOLO_DISPLAY,
    SOLO_GOAL,
    SPIRITS_DEALT,
    STACKED,
    TOKENS,
    TOP_OF_STACK,
)
from .habitats import find_habitat
from .options import OPTION_SIDE, OPTION_SPIRITS
from .scoring import (
    score_animals,
    score_landscapes,
    score_spirit,
    score_token,
    suns_for,
    total_points,
)
from .state import (
    CATEGORIES,
    COLUMN,
    DISCARD_PHASE,
    FIRST_BYTE,
    NUM_WORDS,
    SPIRIT_PHASE,
    TURN_PHASE,
)
from .supply import (
    count_held,
    count_tokens,
    deal_spirits,
    draw_card,
    fill_central,
    fill_display,
    fill_space,
    tokens_to_fill,
)

# A player with this few empty hexes at the end of a turn triggers the end of the game.
LAST_HEXES = 2

_PER_WORD = 2 * MAX_HEXES


@kernel
def setup(state, seed, options):
    """Fill the bag, the central board and the display, draw the first player (Mise en place)."""
    num_players = options[0]
    begin(state, seed, num_players)
    state["side"] = options[OPTION_SIDE]
    state["spirits"] = options[OPTION_SPIRITS] == 1
    _clear(state)
    first = draw_below(state, num_players)
    state["first_player"] = first
    for space in range(NUM_SPACES[num_players]):
        fill_space(state, space)
    fill_display(state)
    if state["spirits"]:
        deal_spirits(state)
    _begin_turn(state, first)
    _find_legal(state)


@kernel
def _clear(state):
    """Clear the table; side and players stay."""
    clear_from(state, FIRST_BYTE)
    for colour in range(len(TOKENS)):
        state["bag"][colour] = TOKENS[colour]
    state["deck"] = ALL_ANIMALS
    for seat in range(MAX_PLAYERS):
        _index_seat(state, seat)


@kernel
def clear_game(states, i):
    """Clear the table of ``states[i]``; players, options and the random generator stay."""
    state = states[i]
    begin(state, state["seed"], state["num_players"])
    _clear(state)
    _begin_turn(state, 0)


@kernel
def index_board(states, i):
    """Recompute every derived field of ``states[i]``, points and legal actions included."""
    index_record(states[i])


@kernel
def index_record(state):
    """See ``index_board``."""
    for seat in range(state["num_players"]):
        _index_seat(state, seat)
    _find_legal(state)


@kernel
def _index_seat(state, seat):
    state["hexes"][seat, :] = 0
    cubes = 0
    for hex_ in range(MAX_HEXES):
        stack = state["stack"][seat, hex_]
        state["top"][seat, hex_] = TOP_OF_STACK[stack]
        state["height"][seat, hex_] = HEIGHT_OF_STACK[stack]
        state["hexes"][seat, KIND_OF_STACK[stack]] |= 1 << hex_
        cubes |= np.int64(state["cube"][seat, hex_] != 0) << hex_
    # Side A has two hexes less.
    state["hexes"][seat, KIND.empty] &= BOARD[state["side"]]
    state["cubes"][seat] = cubes
    _find_habitats(state, seat)
    score_landscapes(state, seat)
    score_animals(state, seat)


# Playing


@kernel
def step(state, action):
    """Play a legal action and its forced consequences."""
    seat = np.int64(state["to_play"])
    state["ply"] += 1
    if action >= SETTLE:
        slot = (action - SETTLE) // MAX_HEXES
        _settle(state, seat, slot, action - SETTLE - slot * MAX_HEXES)
    elif action >= PLACE:
        colour = (action - PLACE) // MAX_HEXES
        _place(state, seat, colour, action - PLACE - colour * MAX_HEXES)
    elif action < CARD:
        _take_space(state, action - TAKE)
    elif action < END:
        _take_card(state, seat, action - CARD)
    elif action == END:
        if state["phase"] == DISCARD_PHASE:
            _begin_turn(state, seat)
        else:
            _end_turn(state, seat)
    elif action < DISCARD:
        _keep_spirit(state, seat, action - SPIRIT)
    else:
        state["display"][action - DISCARD] = draw_card(state)
        _begin_turn(state, seat)
    _find_legal(state)


@kernel
def _take_space(state, space):
    """Take the tokens of a space (Prendre et placer des jetons)."""
    for colour in range(NUM_COLOURS):
        state["hand"][colour] = state["central"][space, colour]
        state["central"][space, colour] = 0
    state["taken"] = space


@kernel
def _place(state, seat, colour, hex_):
    """Place a token of the hand (Règles de placement d'un jeton)."""
    state["hand"][colour] -= 1
    before = np.int64(state["stack"][seat, hex_])
    after = np.int64(STACKED[colour, before])
    state["stack"][seat, hex_] = after
    state["top"][seat, hex_] = colour
    state["height"][seat, hex_] += 1
    state["hexes"][seat, KIND_OF_STACK[before]] ^= 1 << hex_
    state["hexes"][seat, KIND_OF_STACK[after]] ^= 1 << hex_
    _find_habitats(state, seat)
    score_token(state, seat, colour)


@kernel
def _find_habitats(state, seat):
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        state["habitat"][seat, slot] = find_habitat(state, seat, card) if card else 0


@kernel
def _take_card(state, seat, place):
    """Take an animal card of the display with its cubes (Prendre 1 carte Animal)."""
    card = np.int64(state["display"][place])
    state["display"][place] = 0
    state["took_card"] = True
    _add_card(state, seat, card)


@kernel
def _add_card(state, seat, card):
    """Put a card into the first empty slot."""
    slot = 0
    while state["card"][seat, slot]:
        slot += 1
    state["card"][seat, slot] = card
    state["cubes_left"][seat, slot] = NUM_CUBES[card]
    state["habitat"][seat, slot] = find_habitat(state, seat, card)


@kernel
def _keep_spirit(state, seat, choice):
    """Keep one of the two spirit cards dealt (Cartes Esprit de la nature)."""
    spirit = np.int64(state["dealt"][seat, choice])
    state["spirit"][seat] = spirit
    _add_card(state, seat, spirit)
    state["phase"] = TURN_PHASE


@kernel
def _settle(state, seat, slot, hex_):
    """Settle a cube (Poser 1 cube Animal); a completed card leaves its slot."""
    card = np.int64(state["card"][seat, slot])
    left = np.int64(state["cubes_left"][seat, slot]) - 1
    state["cubes_left"][seat, slot] = left
    state["cube"][seat, hex_] = card
    state["cubes"][seat] |= 1 << hex_
    settled = NUM_CUBES[card] - left
    gain = np.int64(LADDER[card, settled]) - np.int64(LADDER[card, settled - 1])
    state["points"][seat, COLUMN.animals] += gain
    if left == 0:
        state["card"][seat, slot] = 0
        state["habitat"][seat, slot] = 0
        state["completed"][seat] |= 1 << card
        if card >= FIRST_SPIRIT:
            score_spirit(state, seat)


@kernel
def _end_turn(state, seat):
    """Check for the end of the game, refill, pass on to the next player (Fin de partie)."""
    state["turns"] += 1
    empty = count_bits(np.int64(state["hexes"][seat, KIND.empty]))
    if empty <= LAST_HEXES or count_tokens(state["bag"]) < tokens_to_fill(state):
        state["last_round"] = True
    following = seat_after(state, seat, 1)
    if state["last_round"] and following == state["first_player"]:
        state["terminated"] = True
        return
    fill_central(state)
    fill_display(state)
    state["taken"] = -1
    if state["num_players"] == 1 and not state["took_card"]:
        state["phase"] = DISCARD_PHASE
    else:
        _begin_turn(state, following)


@kernel
def _begin_turn(state, seat):
    state["to_play"] = seat
    state["taken"] = -1
    state["took_card"] = False
    undecided = state["spirits"] and state["spirit"][seat] == 0
    state["phase"] = SPIRIT_PHASE if undecided else TURN_PHASE


# What is legal


@kernel
def _find_legal(state):
    """Compute the legal actions of the seat to play (``state["legal"]``)."""
    for word in range(1, NUM_WORDS):
        state["legal"][word] = 0
    if state["terminated"]:
        state["legal"][0] = 0
    elif state["phase"] == TURN_PHASE:
        seat = np.int64(state["to_play"])
        _find_placements(state, seat)
        _find_settlements(state, seat)
        state["legal"][0] = _find_others(state, seat)
    elif state["phase"] == SPIRIT_PHASE:
        state["legal"][0] = ((1 << SPIRITS_DEALT) - 1) << SPIRIT
    else:
        state["legal"][0] = 1 << END | _cards_in_display(state) << DISCARD


@kernel
def _find_placements(state, seat):
    """Find where each token in hand makes an allowed stack, on hexes without a cube."""
    free = ~np.int64(state["cubes"][seat])
    for colour in range(NUM_COLOURS):
        hexes = 0
        for k in range(MAX_ON):
            hexes |= np.int64(state["hexes"][seat, ON[colour, k]])
        _allow(state, colour, hexes & free * (state["hand"][colour] > 0))


@kernel
def _find_settlements(state, seat):
    """Find where each card has its habitat, on hexes without a cube."""
    free = ~np.int64(state["cubes"][seat])
    for slot in range(HAND_LIMIT):
        _allow(state, NUM_COLOURS + slot, np.int64(state["habitat"][seat, slot]) & free)


@kernel
def _allow(state, group, hexes):
    """Make an action legal on ``hexes``; groups are the colours to place, then the slots."""
    state["legal"][1 + group // 2] |= hexes << group % 2 * MAX_HEXES


@kernel
def _find_others(state, seat):
    """Return the legal actions that concern no hex, as bits."""
    actions = 0
    if state["taken"] < 0:
        spaces = np.int64(NUM_SPACES[state["num_players"]])
        actions |= ((1 << spaces) - 1) << TAKE
    elif count_tokens(state["hand"]) == 0:
        actions |= 1 << END
    if not state["took_card"] and count_held(state, seat) < HAND_LIMIT:
        actions |= _cards_in_display(state) << CARD
    return actions


@kernel
def _cards_in_display(state):
    """Return the places of the display that hold a card, as bits."""
    places = 0
    for place in range(MAX_DISPLAY):
        places |= np.int64(state["display"][place] != 0) << place
    return places


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(266,)`` with 1 for each legal action; return how many there are."""
    first = state["legal"][0]
    write_set(first, PLACE, mask, 0)
    count = count_bits(first)
    for word in range(1, NUM_WORDS):
        actions = state["legal"][word]
        write_set(actions, _PER_WORD, mask, PLACE + (word - 1) * _PER_WORD)
        count += count_bits(actions)
    return count


@kernel
def is_legal(state, action):
    """Return whether an action number 0..265 is legal."""
    if action < PLACE:
        return state["legal"][0] >> action & 1 == 1
    word = (action - PLACE) // _PER_WORD
    return state["legal"][1 + word] >> (action - PLACE - word * _PER_WORD) & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order; -1 if none is."""
    legal = state["legal"]
    count = 0
    for other in range(NUM_WORDS):
        count += count_bits(legal[other])
    if count == 0:
        return np.int64(-1)
    k = below(word, count)
    # No branch depends on which word of the set it is in.
    group = before = upto = 0
    for other in range(NUM_WORDS - 1):
        upto += count_bits(legal[other])
        group += k >= upto
        before = max(before, upto * (k >= upto))
    at = PLACE + (group - 1) * _PER_WORD if group else 0
    return at + select_bit(legal[group], k - before)


# Results


@kernel
def returns(state, scores, ranks):
    """Fill points and ranks (Fin de partie, Comptage des points); in mid-game, as if it ended now.

    Ties go to the seat with more cubes on its board, otherwise they are shared. In solo games, the
    rank is 1 with ``SOLO_GOAL`` suns or more, else 2.
    """
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        points = total_points(state, seat)
        scores[seat] = points
        ranks[seat] = points << 8 | count_bits(np.int64(state["cubes"][seat]))
    if num_players == 1:
        points = ranks[0] >> 8
        side = np.int64(state["side"])
        won = suns_for(points, side, state["spirits"], np.int64(state["spirit"][0])) >= SOLO_GOAL
        ranks[0] = 1 if won else 2
    else:
        rank_in_place(ranks, num_players)


@kernel
def points_by_category(state, seat, out):
    """Fill a seat's points by ``CATEGORIES`` (Comptage des points), as if the game ended now."""
    for category in range(len(CATEGORIES)):
        out[category] = state["points"][seat, category]


assert DISPLAY_SIZE[1] == SOLO_DISPLAY and DISPLAY_SIZE.max() == MAX_DISPLAY
assert NUM_ACTIONS == PLACE + (NUM_WORDS - 1) * _PER_WORD, "two colours or slots a word"
