"""Validation: which records are valid positions of Saga."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.validity import ANY, FINE, LAST_SEAT, STUCK, numbered
from .actions import (
    ACTIONS,
    ADD,
    DOWN,
    NEW,
    PASS,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
)
from .cards import first_of_back, pool_of, update_strength
from .components import (
    COLOUR_OF,
    MAX_CARDS,
    MAX_DOWN,
    MAX_FAME,
    MAX_FORCES,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    PACK_SIZE,
    POWERS,
)
from .legal import find_legal, only_pass
from .options import MAX_INCOME
from .state import (
    CENTRE,
    DTYPE,
    FACE_DOWN_MARK,
    LAST_CARD,
    LAST_KNIGHT,
    NO_TARGET,
    PHASES,
    PLACING,
    RECRUITING,
    TAKING,
    TURNING,
    WHAT_MARK,
)

FIELD = numbered(DTYPE)
_COLOURS = (1 << NUM_COLOURS) - 1
_CARDS = (0, MAX_CARDS)
_VALUE = (0, NUM_VALUES)
LIMITS = {
    "phase": (0, len(PHASES) - 1),
    "side": (0, 1),
    "income": (0, MAX_INCOME),
    "powers": (0, (1 << len(POWERS)) - 1),
    "contents": _CARDS,
    "pack": (0, NUM_PACKS - 1),
    "shown": (0, (1 << MAX_PLAYERS) - 1),
    "first_player": (0, LAST_SEAT),
    "turn_of": (0, LAST_SEAT),
    "chosen": (-1, len(ACTIONS) - 1),
    "fame": (0, MAX_FAME),
    "hand": _CARDS,
    "hand_size": (0, 127),
    "held": (0, (1 << NUM_CARDS) - 1),
    # All copies of a card, here and at a seat, fit into a number in its hand.
    "free": _CARDS,
    "free_knights": (0, (1 << NUM_KNIGHTS) - 1),
    "owner": (CENTRE, LAST_SEAT),
    "defence": _VALUE,
    "recruits": (0, _COLOURS),
    "strength": (-1, 127),
    "used": (0, _COLOURS),
    "attack": _VALUE,
    "order": ANY,
    "target": (NO_TARGET, NUM_KINGDOMS - 1),
    "total": (0, 127),
    "num_forces": (0, MAX_FORCES),
    "having": (0, (1 << MAX_FORCES) - 1),
    "num_down": (0, MAX_DOWN),
    "down_slot": (0, MAX_FORCES - 1),
    "down_card": (0, NUM_CARDS - 1),
    "can_be": (0, 127),
    "legal": (0, (1 << 62) - 1),
}


@kernel
def check(state):
    """Return the number of an impossible field, or FINE."""
    field = _check_packs(state)
    if field == FINE:
        field = _check_hands(state)
    for seat in range(MAX_PLAYERS):
        if field == FINE:
            field = _check_down(state, seat)
        for slot in range(MAX_FORCES):
            if field == FINE:
                field = _check_force(state, seat, slot)
    if field == FINE:
        field = _check_chosen(state)
    return _check_ending(state) if field == FINE else field


@kernel
def _check_packs(state):
    """Check that there are five packs of twelve, and that a seat that has shown none holds its own.

    Packs that weren't shown are dealt again for a seat that can't know them.
    """
    packs = 0
    for place in range(NUM_PACKS):
        packs |= 1 << np.int64(state["pack"][place])
        size = 0
        for knight in range(NUM_KNIGHTS):
            size += np.int64(state["contents"][place, knight])
        if size != PACK_SIZE:
            return FIELD.contents
    if packs != (1 << NUM_PACKS) - 1:
        return FIELD.pack
    for seat in range(state["num_players"]):
        if not state["shown"] >> seat & 1:
            for card in range(NUM_CARDS):
                held = 0
                if card < NUM_KNIGHTS:
                    held = np.int64(state["contents"][state["pack"][seat], card])
                if state["hand"][seat, card] != held:
                    return FIELD.shown
    return FINE


@kernel
def _check_ending(state):
    """Check that a turn that ends the game asks for nothing but a recruit or Shadowland's card.

    In any other phase, a seat without cards might have its turn again. Shadowland's owner is only
    asked if it can add a card: whoever doesn't see its cards would deal them forever.
    """
    if state["terminated"]:
        return FINE
    last = state["phase"] in (LAST_CARD, LAST_KNIGHT)
    if last != state["ending"] and (last or state["phase"] != RECRUITING):
        return FIELD.ending
    return FIELD.phase if state["phase"] == LAST_CARD and only_pass(state) else FINE


@kernel
def _check_chosen(state):
    """Check the chosen place: the phase must ask a card for it."""
    chosen = np.int64(state["chosen"])
    phase = state["phase"]
    asked = phase in (PLACING, TAKING, TURNING, LAST_KNIGHT)
    if chosen < 0:
        return FIELD.chosen if asked and not state["terminated"] else FINE
    taking = TAKE_FORCE <= chosen < TURN_UP
    turning = TURN_UP <= chosen < PASS
    if phase == TAKING:
        fits = taking
    elif phase == TURNING:
        fits = turning
    elif phase == LAST_KNIGHT:
        # The last card starts no force, and lies face up.
        fits = STRENGTHEN <= chosen < DOWN
    else:
        fits = chosen < TAKE_FORCE and asked
    seat = np.int64(state["to_play"])
    forces = np.int64(state["num_forces"][seat])
    if chosen == NEW:
        fits = fits and forces < MAX_FORCES
    if DOWN <= chosen < TAKE_FORCE:
        fits = fits and state["num_down"][seat] < MAX_DOWN
    for first, end in ((STRENGTHEN, ADD), (DOWN, TAKE_FORCE), (TAKE_FORCE, TAKE_DEFENCE)):
        if first <= chosen < end:
            fits = fits and chosen - first < forces
    if turning:
        fits = fits and chosen - TURN_UP < forces
    return FINE if fits else FIELD.chosen


@kernel
def _check_hands(state):
    """Compare the cached values of hands and free knights with the cards."""
    for seat in range(MAX_PLAYERS):
        size = 0
        for card in range(NUM_CARDS):
            held = np.int64(state["hand"][seat, card])
            size += held
            if (np.int64(state["held"][seat]) >> card & 1) != (held > 0):
                return FIELD.held
        if size != state["hand_size"][seat]:
            return FIELD.hand_size
        # Playing the last card ends the game.
        if size == 0 and seat < state["num_players"] and not state["ending"]:
            return STUCK
    for knight in range(NUM_KNIGHTS):
        if (np.int64(state["free_knights"]) >> knight & 1) != (state["free"][knight] > 0):
            return FIELD.free_knights
    return FINE


@kernel
def _check_down(state, seat):
    """Check a seat's face-down cards: each is in a force, and its guesses have its back."""
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] >= state["num_forces"][seat]:
            return FIELD.down_slot
        card = np.int64(state["down_card"][seat, j])
        first = first_of_back(card)
        if state["can_be"][seat, j, card - first] == 0:
            return FIELD.can_be
        # Other guesses would be drawn in vain, maybe forever, or leave fewer than no card in hand.
        slot = np.int64(state["down_slot"][seat, j])
        for knight in range(NUM_KNIGHTS):
            left = pool_of(state, seat, first + knight)
            if state["attack"][seat, slot, COLOUR_OF[knight]]:
                left = 0
            if state["can_be"][seat, j, knight] > left:
                return FIELD.can_be
    return FINE


@kernel
def _check_force(state, seat, slot):
    """Compare the cached values of a force with its order; unused slots must be empty."""
    order = np.int64(state["order"][seat, slot]) & 0xFFFFFFFF
    if (slot < state["num_forces"][seat]) != (order != 0):
        return FIELD.order
    total = 0
    seen = 0
    first = NO_TARGET
    down = 0
    while order:
        colour = (order & WHAT_MARK) - 1
        order >>= 4
        if colour == FACE_DOWN_MARK - 1:
            down += 1
            continue
        if colour < 0 or seen >> colour & 1 or state["attack"][seat, slot, colour] == 0:
            return FIELD.order
        if first == NO_TARGET:
            first = colour
        seen |= 1 << colour
        total += np.int64(state["attack"][seat, slot, colour])
    for colour in range(NUM_COLOURS):
        if state["attack"][seat, slot, colour] != 0 and not seen >> colour & 1:
            return FIELD.attack
    if total != state["total"][seat, slot]:
        return FIELD.total
    if first != state["target"][seat, slot]:
        return FIELD.target
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            colour = np.int64(COLOUR_OF[state["down_card"][seat, j]])
            if seen >> colour & 1:
                return FIELD.down_card
            seen |= 1 << colour
            down -= 1
    if down:
        return FIELD.num_down
    for colour in range(NUM_COLOURS):
        if (np.int64(state["having"][seat, colour]) >> slot & 1) != (seen >> colour & 1):
            return FIELD.having
    return FINE


@kernel
def derive(state):
    """Recompute the cached values."""
    for kingdom in range(NUM_KINGDOMS):
        update_strength(state, kingdom)
    find_legal(state)
