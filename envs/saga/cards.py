"""Moving cards: hands, attack forces, defences, and what the others can know about them."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import (
    CASTLELAND,
    COLOUR_OF,
    GOLDLAND,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_KNIGHTS,
    NUM_VALUES,
    STRONGER,
    VALUE_OF,
    WEAKER,
)
from .state import FACE_DOWN_MARK, NO_TARGET, RECRUITED_MARK, WHAT_MARK


@kernel
def gain_card(state, seat, card):
    """Add a card to a hand."""
    state["hand"][seat, card] += 1
    state["hand_size"][seat] += 1
    state["held"][seat] |= 1 << card


@kernel
def lose_card(state, seat, card):
    """Take a card out of a hand."""
    state["hand"][seat, card] -= 1
    state["hand_size"][seat] -= 1
    if state["hand"][seat, card] == 0:
        state["held"][seat] &= ~(1 << card)


@kernel
def free_card(state, knight):
    """Put a card of the centre among the free knights."""
    state["free"][knight] += 1
    state["free_knights"] |= 1 << knight


@kernel
def recruit_card(state, seat, knight):
    """Move a free knight to a hand, where its back distinguishes it from the seat's own pack."""
    state["free"][knight] -= 1
    if state["free"][knight] == 0:
        state["free_knights"] &= ~(1 << knight)
    gain_card(state, seat, knight + NUM_KNIGHTS if state["backs"] else knight)


@kernel
def hand_colours(state, seat):
    """Return the colours in a hand, as bits."""
    held = np.int64(state["held"][seat])
    held |= held >> NUM_KNIGHTS
    colours = 0
    for colour in range(NUM_COLOURS):
        colours |= np.int64(held >> NUM_VALUES * colour & 15 != 0) << colour
    return colours


@kernel
def colours_of(values):
    """Return the colours that have a value in an array ``(6,)``, as bits."""
    colours = 0
    for colour in range(NUM_COLOURS):
        colours |= np.int64(values[colour] != 0) << colour
    return colours


@kernel
def defence_modifier(state, kingdom):
    """Return the modifier of a kingdom's defence (Défense +1, Défense -1)."""
    if kingdom == CASTLELAND and state["powers"] & STRONGER:
        return 1
    return -1 if kingdom == GOLDLAND and state["powers"] & WEAKER else 0


@kernel
def defend(state, kingdom, card):
    """Add a card to a defence."""
    colour = np.int64(COLOUR_OF[card])
    state["defence"][kingdom, colour] = VALUE_OF[card]
    state["recruits"][kingdom] |= np.int64(card >= NUM_KNIGHTS) << colour


@kernel
def leave_defence(state, kingdom, card):
    """Take a card out of a defence."""
    colour = np.int64(COLOUR_OF[card])
    state["defence"][kingdom, colour] = 0
    state["recruits"][kingdom] &= ~(1 << colour)


@kernel
def update_strength(state, kingdom):
    """Compute the strength of a defence."""
    strength = defence_modifier(state, kingdom)
    for colour in range(NUM_COLOURS):
        strength += np.int64(state["defence"][kingdom, colour])
    state["strength"][kingdom] = strength


@kernel
def add_open(state, seat, slot, card):
    """Add a card face up to an attack force, which may be the next new one."""
    if slot == state["num_forces"][seat]:
        state["num_forces"][seat] += 1
    _set_open(state, seat, slot, _lay(state, seat, slot, card), card)


@kernel
def _lay(state, seat, slot, card):
    """Lay a card on top of a force, face down; return its place in the order."""
    state["having"][seat, COLOUR_OF[card]] |= 1 << slot
    order = np.int64(state["order"][seat, slot])
    at = 0
    while order >> at:
        at += 4
    mark = FACE_DOWN_MARK | (RECRUITED_MARK if card >= NUM_KNIGHTS else 0)
    state["order"][seat, slot] = order | mark << at
    return at


@kernel
def _set_open(state, seat, slot, at, card):
    """Turn a card in a force face up; the first such card names the target."""
    colour = np.int64(COLOUR_OF[card])
    value = np.int64(VALUE_OF[card])
    order = np.int64(state["order"][seat, slot]) & ~(WHAT_MARK << at) | (colour + 1) << at
    state["order"][seat, slot] = order
    state["attack"][seat, slot, colour] = value
    state["total"][seat, slot] += value
    state["target"][seat, slot] = _target(order)
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            # No colour twice in a force: the face-down card has another.
            _rule_colour_out(state, seat, j, colour)


@kernel
def _rule_colour_out(state, seat, j, colour):
    for value in range(NUM_VALUES):
        state["can_be"][seat, j, colour * NUM_VALUES + value] = 0


@kernel
def _target(order):
    """Return the colour of the first face-up card, or ``NO_TARGET``."""
    while order & WHAT_MARK == FACE_DOWN_MARK:
        order >>= 4
    return (order & WHAT_MARK) - 1


@kernel
def remove_open(state, seat, slot, colour):
    """Take a face-up card out of an attack force; return whether the force still exists."""
    order = np.int64(state["order"][seat, slot])
    at = 0
    while order >> at & WHAT_MARK != colour + 1:
        at += 4
    state["total"][seat, slot] -= state["attack"][seat, slot, colour]
    state["attack"][seat, slot, colour] = 0
    state["having"][seat, colour] &= ~(1 << slot)
    return _close_gap(state, seat, slot, at)


@kernel
def _close_gap(state, seat, slot, at):
    """Take a place out of the order of a force; return whether the force still exists."""
    order = np.int64(state["order"][seat, slot])
    order = order & ((1 << at) - 1) | order >> (at + 4) << at
    state["order"][seat, slot] = order
    state["target"][seat, slot] = _target(order)
    if order == 0:
        drop_force(state, seat, slot)
    return order != 0


@kernel
def recruits_of(order):
    """Return the colours of a force's recruited cards, as bits; one more for face-down ones."""
    colours = 0
    while order:
        if order & RECRUITED_MARK:
            colours |= 1 << (order & WHAT_MARK) - 1
        order >>= 4
    return colours


@kernel
def drop_force(state, seat, slot):
    """Take a force off the table; those after it move up."""
    last = np.int64(state["num_forces"][seat]) - 1
    for k in range(slot, last):
        state["order"][seat, k] = state["order"][seat, k + 1]
        state["target"][seat, k] = state["target"][seat, k + 1]
        state["total"][seat, k] = state["total"][seat, k + 1]
        for colour in range(NUM_COLOURS):
            state["attack"][seat, k, colour] = state["attack"][seat, k + 1, colour]
    clear_force(state, seat, last)
    state["num_forces"][seat] = last
    for colour in range(NUM_COLOURS):
        slots = np.int64(state["having"][seat, colour])
        state["having"][seat, colour] = slots & ((1 << slot) - 1) | slots >> (slot + 1) << slot
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] > slot:
            state["down_slot"][seat, j] -= 1


@kernel
def clear_force(state, seat, slot):
    """Empty what the record holds of one force."""
    state["order"][seat, slot] = 0
    state["target"][seat, slot] = NO_TARGET
    state["total"][seat, slot] = 0
    for colour in range(NUM_COLOURS):
        state["attack"][seat, slot, colour] = 0


@kernel
def add_down(state, seat, slot, card):
    """Add a card of the hand face down to an attack force.

    It stays part of the hand: for the others it may be any card with that back that the seat has in
    hand or face down.
    """
    j = np.int64(state["num_down"][seat])
    first = first_of_back(card)
    for knight in range(NUM_KNIGHTS):
        state["can_be"][seat, j, knight] = pool_of(state, seat, first + knight)
    for colour in range(NUM_COLOURS):
        if state["attack"][seat, slot, colour]:
            _rule_colour_out(state, seat, j, colour)
    state["num_down"][seat] = j + 1
    state["down_slot"][seat, j] = slot
    state["down_card"][seat, j] = card
    _lay(state, seat, slot, card)


@kernel
def first_of_back(card):
    """Return the number of the first card with the same back, 0 or ``NUM_KNIGHTS``."""
    return NUM_KNIGHTS if card >= NUM_KNIGHTS else 0


@kernel
def _place_of_down(state, seat, j):
    """Return the position of a seat's ``j``-th face-down card in the order of its force."""
    slot = np.int64(state["down_slot"][seat, j])
    before = 0
    for k in range(j):
        before += state["down_slot"][seat, k] == slot
    order = np.int64(state["order"][seat, slot])
    at = 0
    while before or order >> at & WHAT_MARK != FACE_DOWN_MARK:
        before -= order >> at & WHAT_MARK == FACE_DOWN_MARK
        at += 4
    return at


@kernel
def _forget_down(state, seat, j):
    """Remove the ``j``-th face-down card of a seat from the list."""
    last = np.int64(state["num_down"][seat]) - 1
    for k in range(j, last):
        state["down_slot"][seat, k] = state["down_slot"][seat, k + 1]
        state["down_card"][seat, k] = state["down_card"][seat, k + 1]
        for knight in range(NUM_KNIGHTS):
            state["can_be"][seat, k, knight] = state["can_be"][seat, k + 1, knight]
    state["down_slot"][seat, last] = 0
    state["down_card"][seat, last] = 0
    for knight in range(NUM_KNIGHTS):
        state["can_be"][seat, last, knight] = 0
    state["num_down"][seat] = last
    if j == last and seat == state["turn_of"]:
        state["fresh"] = False


@kernel
def remove_down(state, seat, j):
    """Take the ``j``-th face-down card of a seat out of its force."""
    colour = np.int64(COLOUR_OF[state["down_card"][seat, j]])
    slot = np.int64(state["down_slot"][seat, j])
    at = _place_of_down(state, seat, j)
    _forget_down(state, seat, j)
    state["having"][seat, colour] &= ~(1 << slot)
    _close_gap(state, seat, slot, at)


@kernel
def turn_up(state, seat, j):
    """Turn the ``j``-th face-down card of a seat up."""
    card = np.int64(state["down_card"][seat, j])
    slot = np.int64(state["down_slot"][seat, j])
    at = _place_of_down(state, seat, j)
    _forget_down(state, seat, j)
    _set_open(state, seat, slot, at, card)
    rule_out(state, seat, card)


@kernel
def find_down(state, seat, slot, card):
    """Return the index of a seat's face-down ``card`` in a force; any card if that is -1."""
    for j in range(state["num_down"][seat]):
        here = state["down_slot"][seat, j] == slot
        if here and (card < 0 or state["down_card"][seat, j] == card):
            return j
    return -1


@kernel
def pool_of(state, seat, card):
    """Count the cards like ``card`` that a seat has in its hand or face down."""
    count = np.int64(state["hand"][seat, card])
    for j in range(state["num_down"][seat]):
        count += state["down_card"][seat, j] == card
    return count


@kernel
def rule_out(state, seat, card):
    """Limit the guesses for a seat's face-down cards after it showed a card, to the copies left."""
    if state["num_down"][seat]:
        left = pool_of(state, seat, card)
        knight = card % NUM_KNIGHTS
        for j in range(state["num_down"][seat]):
            if first_of_back(np.int64(state["down_card"][seat, j])) == card - knight:
                can_be = np.int64(state["can_be"][seat, j, knight])
                state["can_be"][seat, j, knight] = min(can_be, left)


assert NUM_KNIGHTS == NUM_COLOURS * NUM_VALUES and NUM_VALUES == 4 and NUM_CARDS < 64
