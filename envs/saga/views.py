"""What a seat sees of a game of Saga, and what it cannot know.

Public: the table, fame, and what the packs hold. A pack is known by its back: from a seat's first
card on everybody knows its pack, and so its hand; with four players the last pack is known once the
others are. Hidden: the packs of seats that have shown no card yet; which card lies face down. Seats
count from the observing one.

What is known of a face-down card is kept with it (``down_knights``): it was in its owner's hand,
has a colour that was and stayed new in its force, and the owner never showed as many cards as it
has of that knight. Of several face-down cards of one seat, each is known for itself.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from .cards import gain_card, lose_card
from .components import (
    ADD,
    COLOUR_OF,
    DOWN,
    HIDDEN,
    MAX_FORCES,
    MAX_PLAYERS,
    NEW,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    POWERS,
    SEALAND,
    SHADOWLAND,
    STRENGTHEN,
    TAKE_FORCE,
    VALUES,
)
from .fields import (
    AT,
    BYTE,
    CHOICE_OF,
    FORCE_SIZE,
    HOW_MANY_DOWN,
    INCOME,
    KINGDOM_SIZE,
    LEADS,
    MARGIN,
    MARK_OF,
    ORDER,
    OWN_FORCE_SIZE,
    OWNER,
    SEAT_SIZE,
    STRENGTH,
    STRONGEST_OF,
)
from .legal import find_legal, only_pass
from .rules import deal_pack
from .state import (
    EXTRAS,
    FACE_DOWN_MARK,
    LAST_CARD,
    NO_TARGET,
    PHASES,
    PLACES,
    SEEN_KNIGHTS,
    UNSEEN_KNIGHTS,
)

_MOST = max(VALUES)
_OWN_FORCES = AT["own_forces"]
_OWN_DOWN = AT["own_down"]
_OTHER_FORCES = AT["other_forces"]
_KINGDOMS = AT["kingdoms"]
_POWERS = AT["powers"]
_HAND = AT["hand"]
_OTHER_HANDS = AT["other_hands"]
_FREE = AT["free"]
_SEATS = AT["seats"]
_CHOICES = AT["choices"]
_GAME = AT["game"]


@kernel
def knows_pack(state, seat, other):
    """Say whether ``seat`` knows the pack of ``other``, and so the cards that it holds."""
    num_players = np.int64(state["num_players"])
    shown = np.int64(state["shown"]) | 1 << seat
    if shown >> other & 1:
        return True
    # One pack, one seat: nothing is left in the box.
    return num_players + 1 == NUM_PACKS and count_bits(shown) + 1 == num_players


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with what ``seat`` sees."""
    out[:] = 0
    num_players = np.int64(state["num_players"])
    for ahead in range(num_players):
        other = seat + ahead
        if other >= num_players:
            other -= num_players
        _write_forces(state, other, ahead, out)
        _write_seat(state, seat, other, ahead, out)
    for slot in range(state["num_forces"][seat]):
        at = _OWN_FORCES + slot * OWN_FORCE_SIZE + ORDER
        _write_order(np.int64(state["order"][seat, slot]), out, at)
    for j in range(state["num_down"][seat]):
        at = _OWN_DOWN + np.int64(state["down_slot"][seat, j]) * NUM_COLOURS
        knight = np.int64(state["down_card"][seat, j])
        out[at + COLOUR_OF[knight]] = knight % _MOST + 1
    for kingdom in range(NUM_KINGDOMS):
        at = _KINGDOMS + kingdom * KINGDOM_SIZE
        for colour in range(NUM_COLOURS):
            out[at + colour] = state["defence"][kingdom, colour]
        out[at + STRENGTH] = state["strength"][kingdom]
        out[at + INCOME] = state["income"][kingdom]
        owner = np.int64(state["owner"][kingdom])
        ahead = owner - seat
        if ahead < 0:
            ahead += num_players
        out[at + OWNER + (ahead + 1 if owner >= 0 else 0)] = 1
    powers = np.int32(state["powers"])
    for k in range(len(POWERS)):
        out[_POWERS + k] = powers >> k & 1
    for knight in range(NUM_KNIGHTS):
        out[_FREE + knight] = state["free"][knight]
    chosen = np.int64(state["chosen"])
    if chosen >= 0:
        out[_CHOICES + CHOICE_OF[chosen]] = 1
        if MARK_OF[chosen] >= 0:
            out[MARK_OF[chosen]] = 1
        if state["to_play"] == seat:
            _write_promise(state, seat, chosen, out)
    _write_game(state, out)


@kernel
def _write_forces(state, other, ahead, out):
    """Write the forces of one seat, and the strongest one among the numbers of each kingdom."""
    at = _OWN_FORCES
    size = OWN_FORCE_SIZE
    if ahead:
        at = _OTHER_FORCES + (ahead - 1) * MAX_FORCES * FORCE_SIZE
        size = FORCE_SIZE
    for j in range(state["num_down"][other]):
        out[at + np.int64(state["down_slot"][other, j]) * size + HOW_MANY_DOWN] += 1
    for slot in range(state["num_forces"][other]):
        for colour in range(NUM_COLOURS):
            out[at + colour] = state["attack"][other, slot, colour]
        target = np.int64(state["target"][other, slot])
        if target >= 0:
            total = np.int64(state["total"][other, slot])
            out[at + target] += LEADS
            out[at + MARGIN] = total - np.int64(state["strength"][target])
            best = _KINGDOMS + target * KINGDOM_SIZE + STRONGEST_OF + ahead
            out[best] = max(np.int64(out[best]), total)
        at += size


@kernel
def _write_promise(state, seat, chosen, out):
    """Write by how much the force chosen beats its kingdom with each card of the hand."""
    slot = -1
    if STRENGTHEN <= chosen < ADD:
        slot = chosen - STRENGTHEN
    elif DOWN <= chosen < TAKE_FORCE:
        slot = chosen - DOWN
    elif chosen != NEW:
        return
    before = np.int64(state["total"][seat, slot]) if slot >= 0 else 0
    named = np.int64(state["target"][seat, slot]) if slot >= 0 else NO_TARGET
    for colour in range(NUM_COLOURS):
        if slot >= 0 and np.int64(state["having"][seat, colour]) >> slot & 1:
            continue
        beaten = before - np.int64(state["strength"][named if named >= 0 else colour])
        for value in range(1, NUM_VALUES + 1):
            knight = colour * NUM_VALUES + value - 1
            held = np.int64(state["hand"][seat, knight] > 0)
            out[_HAND + knight * 2 + 1] = (beaten + value) * held


@kernel
def _write_order(order, out, at):
    place = 0
    while order:
        place += 1
        if order & 15 != FACE_DOWN_MARK:
            out[at + (order & 15) - 1] = place
        order >>= 4


@kernel
def _write_seat(state, seat, other, ahead, out):
    known = knows_pack(state, seat, other)
    if other == seat:
        for knight in range(NUM_KNIGHTS):
            out[_HAND + knight * 2] = state["hand"][seat, knight]
    elif known:
        at = _OTHER_HANDS + (ahead - 1) * NUM_KNIGHTS
        for knight in range(NUM_KNIGHTS):
            out[at + knight] = state["hand"][other, knight]
        for j in range(state["num_down"][other]):
            out[at + np.int64(state["down_card"][other, j])] += 1
    at = _SEATS + ahead * SEAT_SIZE
    out[at] = 1
    out[at + 1] = state["to_play"] == other
    out[at + 2] = state["turn_of"] == other
    out[at + 3] = state["first_player"] == other
    out[at + 4] = known
    out[at + 5] = state["hand_size"][other]
    out[at + 6] = min(np.int64(state["fame"][other]), BYTE)


@kernel
def _write_game(state, out):
    out[_GAME + np.int64(state["phase"])] = 1
    at = _GAME + len(PHASES) - 2
    out[at + np.int64(state["num_players"])] = 1
    at = _GAME + len(PHASES) + MAX_PLAYERS - 1
    used = np.int64(state["used"])
    out[at] = state["played"]
    out[at + 1] = state["recruited"]
    out[at + 2] = state["took"]
    out[at + 3] = state["ending"]
    out[at + 4] = state["at_once"]
    out[at + 5] = used >> SHADOWLAND & 1
    out[at + 6] = used >> SEALAND & 1


# What a seat doesn't know


@kernel
def determinize(state, seat, seed):
    """Redraw what ``seat`` cannot know: packs not shown yet, face-down cards, chance to come.

    All ways to deal the packs that ``seat`` can't place are equally likely, and so are all cards
    that a face-down one can be, with those of the same knights that came to the hand later.
    """
    state["rng"] = seed
    state["seed"] = seed
    if state["last_action"] >= HIDDEN:
        state["last_action"] = -1  # says which card was put face down, or taken up
    _redraw_packs(state, seat)
    for other in range(np.int64(state["num_players"])):
        if other != seat and state["num_down"][other]:
            _redraw_down(state, other)
    if state["to_play"] != seat:
        find_legal(state)


@kernel
def _redraw_packs(state, seat):
    """Shuffle the packs of the seats that have shown no card among these and those in the box."""
    num_players = np.int64(state["num_players"])
    shown = np.int64(state["shown"]) | 1 << seat | 1 << num_players  # the centre's pack is seen
    hidden = (1 << NUM_PACKS) - 1 & ~shown
    count = count_bits(hidden)
    for last in range(count - 1, 0, -1):
        one = select_bit(hidden, last)
        other = select_bit(hidden, draw_below(state, last + 1))
        kept = np.int64(state["pack"][one])
        state["pack"][one] = state["pack"][other]
        state["pack"][other] = kept
    for other in range(num_players):
        if hidden >> other & 1:
            deal_pack(state, other, np.int64(state["pack"][other]))


@kernel
def _redraw_down(state, other):
    """Draw the face-down cards of a seat anew among all that it has and that they can be."""
    count = np.int64(state["num_down"][other])
    while True:
        for j in range(count):
            _take_up(state, other, j)
        while not _lay_down(state, other, count):
            pass
        if _can_go_on(state, other):
            return


@kernel
def _take_up(state, other, j):
    """Put a face-down card into the hand, but keep its place."""
    knight = np.int64(state["down_card"][other, j])
    slot = np.int64(state["down_slot"][other, j])
    state["having"][other, COLOUR_OF[knight]] &= ~(1 << slot)
    gain_card(state, other, knight)


@kernel
def _lay_down(state, other, count):
    """Draw a card for each place of a face-down one; return whether they can lie there together.

    Each is drawn from all cards that it can be, and a card drawn before is a failure: so all ways
    that succeed are equally likely. After a failure the hand is as before.
    """
    for j in range(count):
        slot = np.int64(state["down_slot"][other, j])
        knights = np.int64(state["down_knights"][other, j])
        left = 0
        for knight in range(NUM_KNIGHTS):
            left += np.int64(state["hand"][other, knight]) * (knights >> knight & 1)
        drawn_before = 0
        for k in range(j):
            drawn_before += knights >> np.int64(state["down_card"][other, k]) & 1
        drawn = draw_below(state, left + drawn_before)
        chosen = -1
        for knight in range(NUM_KNIGHTS):
            drawn -= np.int64(state["hand"][other, knight]) * (knights >> knight & 1)
            if drawn < 0:
                chosen = knight
                break
        if chosen < 0 or np.int64(state["having"][other, COLOUR_OF[chosen]]) >> slot & 1:
            for k in range(j):
                _take_up(state, other, k)
            return False
        state["down_card"][other, j] = chosen
        state["having"][other, COLOUR_OF[chosen]] |= 1 << slot
        lose_card(state, other, chosen)
    return True


@kernel
def _can_go_on(state, other):
    """Say whether the hand fits what the seat has chosen: it has a card for that place."""
    if state["to_play"] != other or state["terminated"]:
        return True
    find_legal(state)
    if state["phase"] == LAST_CARD:
        return not only_pass(state)
    legal = state["legal"]
    return legal[PLACES] | legal[EXTRAS] | legal[SEEN_KNIGHTS] | legal[UNSEEN_KNIGHTS] != 0
