"""What is legal in Saga, as kernels: kept in the record as sets of bits."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import below
from .cards import defence_colours, force_colours, hand_colours
from .components import (
    ADD,
    ADD_ONCE,
    CARD,
    DOWN,
    FACE_DOWN,
    FIELDLAND,
    HIDDEN,
    KNIGHTS_OF,
    KNIGHTS_UPTO,
    MAX_DOWN,
    MAX_FORCES,
    NEW,
    NUM_ACTIONS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_VALUES,
    PASS,
    RECRUIT,
    SEALAND,
    SHADOWLAND,
    STRENGTHEN,
    TAKE_BACK,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
)
from .state import LAST_CARD, LAST_KNIGHT, NUM_WORDS, PLACING, RECRUITING, TAKING, TURN, TURNING

_ALL_COLOURS = (1 << NUM_COLOURS) - 1
_PASS_ONLY = 1 << PASS


@kernel
def find_legal(state):
    """Work out the legal actions of the seat to play (``state["legal"]``)."""
    legal = state["legal"]
    legal[0] = 0
    legal[1] = 0
    legal[2] = 0
    if state["terminated"]:
        return
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    if phase == TURN:
        legal[0] = _places(state, seat) | _extras(state, seat)
        if not state["recruited"]:
            value = min(np.int64(state["fame"][seat]), NUM_VALUES)
            legal[1] = np.int64(state["free_knights"]) & KNIGHTS_UPTO[value]
    elif phase in (PLACING, LAST_KNIGHT):
        chosen = np.int64(state["chosen"])
        knights = np.int64(state["held"][seat]) & KNIGHTS_OF[_new_colours(state, seat, chosen)]
        if chosen >= DOWN:
            legal[2] = knights
        else:
            legal[1] = knights << NUM_KNIGHTS
    elif phase in (TAKING, TURNING):
        _find_own_cards(state, seat, np.int64(state["chosen"]))
    elif phase == RECRUITING:
        legal[0] = _PASS_ONLY
        legal[1] = np.int64(state["free_knights"])
    else:
        legal[0] = _PASS_ONLY | _last_places(state, seat)


@kernel
def _fitting_forces(state, seat, colours):
    """Return the forces of a seat that lack one of ``colours``, as bits."""
    forces = 0
    for colour in range(NUM_COLOURS):
        if colours >> colour & 1:
            forces |= ~np.int64(state["having"][seat, colour])
    return forces & _all_forces(state, seat)


@kernel
def _all_forces(state, seat):
    return (1 << np.int64(state["num_forces"][seat])) - 1


@kernel
def _places(state, seat):
    """Return the places for the card of the turn; ``pass`` once it is played."""
    if state["played"]:
        return _PASS_ONLY
    colours = hand_colours(state, seat)
    forces = _fitting_forces(state, seat, colours)
    places = forces << STRENGTHEN
    if state["num_forces"][seat] < MAX_FORCES:
        places |= 1 << NEW
    if _may_use(state, seat, ADD_ONCE, SHADOWLAND):
        fits = colours & ~defence_colours(state, SHADOWLAND) != 0
        places |= np.int64(fits) << ADD + SHADOWLAND
    if _may_use(state, seat, FACE_DOWN, SEALAND) and state["num_down"][seat] < MAX_DOWN:
        places |= forces << DOWN
    return places


@kernel
def _may_use(state, seat, power, kingdom):
    """Say whether a seat has a kingdom with a power that it hasn't used yet."""
    if state["powers"] & power == 0 or state["owner"][kingdom] != seat:
        return False
    return state["used"] >> kingdom & 1 == 0


@kernel
def _extras(state, seat):
    """Return what may be done beside the card of the turn, but for recruiting."""
    extras = 0
    if state["powers"] & TAKE_BACK and state["owner"][FIELDLAND] == seat and not state["took"]:
        extras |= _all_forces(state, seat) << TAKE_FORCE
        for kingdom in range(NUM_KINGDOMS):
            if state["owner"][kingdom] == seat and defence_colours(state, kingdom):
                extras |= 1 << TAKE_DEFENCE + kingdom
    ripe = np.int64(state["num_down"][seat]) - np.int64(state["fresh"])
    for j in range(ripe):
        extras |= 1 << TURN_UP + np.int64(state["down_slot"][seat, j])
    return extras


@kernel
def _last_places(state, seat):
    colours = hand_colours(state, seat)
    places = _fitting_forces(state, seat, colours) << STRENGTHEN
    for kingdom in range(NUM_KINGDOMS):
        if state["owner"][kingdom] == seat and colours & ~defence_colours(state, kingdom):
            places |= 1 << ADD + kingdom
    return places


@kernel
def _new_colours(state, seat, place):
    """Return the colours that a place for a card doesn't have yet, as bits."""
    if place == NEW:
        return _ALL_COLOURS
    if place < ADD:
        return _ALL_COLOURS & ~force_colours(state, seat, place - STRENGTHEN)
    if place < DOWN:
        return _ALL_COLOURS & ~defence_colours(state, place - ADD)
    return _ALL_COLOURS & ~force_colours(state, seat, place - DOWN)


@kernel
def _find_own_cards(state, seat, chosen):
    """Find the cards that lie in the force or defence chosen, face down ones apart."""
    if chosen >= TURN_UP:
        slot = chosen - TURN_UP
        ripe = np.int64(state["num_down"][seat]) - np.int64(state["fresh"])
        for j in range(ripe):
            if state["down_slot"][seat, j] == slot:
                state["legal"][1] |= 1 << NUM_KNIGHTS + np.int64(state["down_card"][seat, j])
        return
    if chosen >= TAKE_DEFENCE:
        state["legal"][1] = _knights(state["defence"][chosen - TAKE_DEFENCE]) << NUM_KNIGHTS
        return
    slot = chosen - TAKE_FORCE
    state["legal"][1] = _knights(state["attack"][seat, slot]) << NUM_KNIGHTS
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            state["legal"][2] |= 1 << np.int64(state["down_card"][seat, j])


@kernel
def _knights(values):
    """Return the knights given as a value for each colour, as bits."""
    knights = 0
    for colour in range(NUM_COLOURS):
        value = np.int64(values[colour])
        if value:
            knights |= 1 << colour * NUM_VALUES + value - 1
    return knights


@kernel
def only_pass(state):
    """Say whether nothing but ``pass`` is legal."""
    legal = state["legal"]
    return legal[0] == _PASS_ONLY and legal[1] == 0 and legal[2] == 0


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(134,)`` with 1 for each legal action; return how many there are."""
    word = state["legal"][0]
    low = np.int32(word & 0x7FFFFFFF)
    high = np.int32(word >> 31)
    for k in range(31):
        mask[k] = low >> k & 1
        mask[31 + k] = high >> k & 1
    word = state["legal"][1]
    recruit = np.int32(word & _KNIGHTS)
    card = np.int32(word >> NUM_KNIGHTS)
    hidden = np.int32(state["legal"][2])
    for k in range(NUM_KNIGHTS):
        mask[RECRUIT + k] = recruit >> k & 1
        mask[CARD + k] = card >> k & 1
        mask[HIDDEN + k] = hidden >> k & 1
    return (
        count_bits(state["legal"][0]) + count_bits(state["legal"][1]) + count_bits(np.int64(hidden))
    )


@kernel
def is_legal(state, action):
    """Say whether an action number 0..133 is legal."""
    if action < RECRUIT:
        return state["legal"][0] >> action & 1 == 1
    if action < HIDDEN:
        return state["legal"][1] >> action - RECRUIT & 1 == 1
    return state["legal"][2] >> action - HIDDEN & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order."""
    legal = state["legal"]
    upto_0 = count_bits(legal[0])
    upto_1 = upto_0 + count_bits(legal[1])
    k = below(word, upto_1 + count_bits(legal[2]))
    if k < upto_0:
        return select_bit(legal[0], k)
    if k < upto_1:
        return RECRUIT + select_bit(legal[1], k - upto_0)
    return HIDDEN + select_bit(legal[2], k - upto_1)


_KNIGHTS = (1 << NUM_KNIGHTS) - 1

assert RECRUIT == PASS + 1 == 62, "the first word has 62 actions"
assert CARD == RECRUIT + NUM_KNIGHTS and HIDDEN + NUM_KNIGHTS == NUM_ACTIONS
assert NUM_WORDS == 3 and LAST_CARD > RECRUITING and TURN == 0
