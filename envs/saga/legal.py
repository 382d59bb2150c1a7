"""The legal actions of Saga, as kernels: stored in the record as sets of bits."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .actions import ADD, DOWN, NEW, PASS, STRENGTHEN, TAKE_DEFENCE, TAKE_FORCE, TURN_UP
from .cards import colours_of, hand_colours, recruits_of
from .components import (
    ADD_ONCE,
    CARDS_OF,
    FACE_DOWN,
    FIELDLAND,
    KNIGHTS_UPTO,
    MAX_DOWN,
    MAX_FORCES,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_VALUES,
    SEALAND,
    SHADOWLAND,
    TAKE_BACK,
)
from .state import (
    EXTRAS,
    FREE_KNIGHTS,
    LAST_KNIGHT,
    NUM_WORDS,
    PLACES,
    PLACING,
    RECRUITING,
    SEEN_CARDS,
    TAKING,
    TURN,
    TURNING,
    UNSEEN_CARDS,
)

_ALL_COLOURS = (1 << NUM_COLOURS) - 1
FIRST_EXTRA = TAKE_FORCE
_PASS_ONLY = 1 << PASS - FIRST_EXTRA


@kernel
def find_legal(state):
    """Compute the legal actions of the seat to play (``state["legal"]``)."""
    legal = state["legal"]
    for word in range(NUM_WORDS):
        legal[word] = 0
    if state["terminated"]:
        return
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    if phase == TURN:
        if state["played"]:
            legal[EXTRAS] = _PASS_ONLY | _extras(state, seat)
        else:
            legal[PLACES] = _places(state, seat)
            legal[EXTRAS] = _extras(state, seat)
        if not state["recruited"]:
            value = min(np.int64(state["fame"][seat]), NUM_VALUES)
            legal[FREE_KNIGHTS] = np.int64(state["free_knights"]) & KNIGHTS_UPTO[value]
    elif phase in (PLACING, LAST_KNIGHT):
        chosen = np.int64(state["chosen"])
        cards = np.int64(state["held"][seat]) & CARDS_OF[_new_colours(state, seat, chosen)]
        legal[UNSEEN_CARDS if chosen >= DOWN else SEEN_CARDS] = cards
    elif phase in (TAKING, TURNING):
        _find_own_cards(state, seat, np.int64(state["chosen"]))
    elif phase == RECRUITING:
        legal[EXTRAS] = _PASS_ONLY
        legal[FREE_KNIGHTS] = np.int64(state["free_knights"])
    else:
        legal[PLACES] = _last_places(state, seat)
        legal[EXTRAS] = _PASS_ONLY


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
    colours = hand_colours(state, seat)
    forces = _fitting_forces(state, seat, colours)
    places = forces << STRENGTHEN
    # There is always room in a game, but not in every position that can be set up.
    if state["num_forces"][seat] < MAX_FORCES:
        places |= 1 << NEW
    if _may_use(state, seat, ADD_ONCE, SHADOWLAND):
        fits = colours & ~colours_of(state["defence"][SHADOWLAND]) != 0
        places |= np.int64(fits) << ADD + SHADOWLAND
    if _may_use(state, seat, FACE_DOWN, SEALAND) and state["num_down"][seat] < MAX_DOWN:
        places |= forces << DOWN
    return places


@kernel
def _may_use(state, seat, power, kingdom):
    """Return whether a seat has a kingdom with a power that it hasn't used yet."""
    if state["powers"] & power == 0 or state["owner"][kingdom] != seat:
        return False
    return state["used"] >> kingdom & 1 == 0


@kernel
def _extras(state, seat):
    """Return what may be done besides the card of the turn, except for recruiting."""
    extras = 0
    if state["powers"] & TAKE_BACK and state["owner"][FIELDLAND] == seat and not state["took"]:
        extras |= _all_forces(state, seat) << TAKE_FORCE - FIRST_EXTRA
        for kingdom in range(NUM_KINGDOMS):
            if state["owner"][kingdom] == seat and colours_of(state["defence"][kingdom]):
                extras |= 1 << TAKE_DEFENCE - FIRST_EXTRA + kingdom
    ripe = np.int64(state["num_down"][seat]) - np.int64(state["fresh"])
    for j in range(ripe):
        extras |= 1 << TURN_UP - FIRST_EXTRA + np.int64(state["down_slot"][seat, j])
    return extras


@kernel
def _last_places(state, seat):
    colours = hand_colours(state, seat)
    places = _fitting_forces(state, seat, colours) << STRENGTHEN
    for kingdom in range(NUM_KINGDOMS):
        if state["owner"][kingdom] == seat and colours & ~colours_of(state["defence"][kingdom]):
            places |= 1 << ADD + kingdom
    return places


@kernel
def _new_colours(state, seat, place):
    """Return the colours that a place for a card doesn't have yet, as bits."""
    if place == NEW:
        return _ALL_COLOURS
    if ADD <= place < DOWN:
        return _ALL_COLOURS & ~colours_of(state["defence"][place - ADD])
    slot = place - (STRENGTHEN if place < ADD else DOWN)
    colours = 0
    for colour in range(NUM_COLOURS):
        colours |= (~np.int64(state["having"][seat, colour]) >> slot & 1) << colour
    return colours


@kernel
def _find_own_cards(state, seat, chosen):
    """Find the cards in the chosen force or defence, with face-down ones separate."""
    legal = state["legal"]
    if chosen >= TURN_UP:
        slot = chosen - TURN_UP
        ripe = np.int64(state["num_down"][seat]) - np.int64(state["fresh"])
        for j in range(ripe):
            if state["down_slot"][seat, j] == slot:
                legal[SEEN_CARDS] |= 1 << np.int64(state["down_card"][seat, j])
        return
    if chosen >= TAKE_DEFENCE:
        kingdom = chosen - TAKE_DEFENCE
        recruits = np.int64(state["recruits"][kingdom])
        legal[SEEN_CARDS] = _cards(state["defence"][kingdom], recruits)
        return
    slot = chosen - TAKE_FORCE
    recruits = recruits_of(np.int64(state["order"][seat, slot]))
    legal[SEEN_CARDS] = _cards(state["attack"][seat, slot], recruits)
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            legal[UNSEEN_CARDS] |= 1 << np.int64(state["down_card"][seat, j])


@kernel
def _cards(values, recruits):
    """Return the cards given as a value for each colour, and colours of recruits, as bits."""
    cards = 0
    for colour in range(NUM_COLOURS):
        value = np.int64(values[colour])
        if value:
            first = (recruits >> colour & 1) * NUM_KNIGHTS
            cards |= 1 << first + colour * NUM_VALUES + value - 1
    return cards


@kernel
def only_pass(state):
    """Return whether only ``pass`` is legal."""
    legal = state["legal"]
    if legal[EXTRAS] != _PASS_ONLY:
        return False
    cards = legal[SEEN_CARDS] | legal[UNSEEN_CARDS]
    return legal[PLACES] | legal[FREE_KNIGHTS] | cards == 0
