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
from ..core.schema import Field, total_size
from .cards import gain_card, lose_card
from .components import (
    ADD,
    COLOUR_OF,
    COLOURS,
    DOWN,
    HIDDEN,
    KINGDOMS,
    MAX_DOWN,
    MAX_FORCES,
    MAX_PLAYERS,
    NEW,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    PACK_SIZE,
    POWERS,
    SEALAND,
    SHADOWLAND,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
    VALUES,
)
from .legal import find_legal, only_pass
from .options import MAX_INCOME
from .rules import deal_pack
from .state import FACE_DOWN_MARK, LAST_CARD, PHASES

_BYTE = 127
_MOST = max(VALUES)
# The strongest defence has the highest value of every colour, and one more.
_STRONGEST = NUM_COLOURS * _MOST + 1
_COLOURS = ", ".join(COLOURS)
_VALUES = "value of its card of each colour"
_CHOICES = ("new force", "strengthen", "add to a defence", "face down", "take back", "turn up")
_NUM_CHOICES = len(_CHOICES)
_SEAT_NUMBERS = 7
_GAME_NUMBERS = len(PHASES) + (MAX_PLAYERS - 1) + 7

FLAT = (
    Field(
        "forces",
        (MAX_PLAYERS, MAX_FORCES, NUM_COLOURS),
        0,
        _MOST,
        f"attack forces of each seat: {_VALUES} ({_COLOURS}), 0 for none or face down",
        "all",
    ),
    Field(
        "leads",
        (MAX_PLAYERS, MAX_FORCES, NUM_COLOURS),
        0,
        1,
        "the colour of the kingdom that each of them attacks",
        "all",
    ),
    Field(
        "margins",
        (MAX_PLAYERS, MAX_FORCES),
        -_STRONGEST,
        _STRONGEST,
        "by how much each is stronger than that kingdom; 0 for no force",
        "all",
    ),
    Field("down", (MAX_PLAYERS, MAX_FORCES), 0, MAX_DOWN, "face-down cards in each", "all"),
    Field(
        "own_down",
        (MAX_FORCES, NUM_COLOURS),
        0,
        _MOST,
        "own forces: value of the face-down card of each colour",
        "seat",
    ),
    Field(
        "own_order",
        (MAX_FORCES, NUM_COLOURS),
        0,
        NUM_COLOURS,
        "own forces: place of the face-up card of each colour, 1 came first; face-down ones count",
        "all",
    ),
    Field("defence", (NUM_KINGDOMS, NUM_COLOURS), 0, _MOST, f"kingdoms: {_VALUES}", "all"),
    Field("strength", (NUM_KINGDOMS,), -1, _STRONGEST, "strength of each defence", "all"),
    Field(
        "owner",
        (NUM_KINGDOMS, 1 + MAX_PLAYERS),
        0,
        1,
        "owner of each kingdom: none, then the seats",
        "all",
    ),
    Field("income", (NUM_KINGDOMS,), 0, MAX_INCOME, "fame a turn of each kingdom", "all"),
    Field("powers", (len(POWERS),), 0, 1, f"powers in this game: {', '.join(POWERS)}", "all"),
    Field(
        "hands",
        (MAX_PLAYERS, NUM_KNIGHTS),
        0,
        PACK_SIZE,
        "own hand; of each other seat hand and face-down cards together, once its pack is known: "
        "how many of each knight",
        "all",
    ),
    Field("free", (NUM_KNIGHTS,), 0, PACK_SIZE, "free knights", "all"),
    Field(
        "seats",
        (MAX_PLAYERS, _SEAT_NUMBERS),
        0,
        _BYTE,
        "playing, to play, its turn, first player, pack is known, cards in hand, fame at most "
        f"{_BYTE}",
        "all",
    ),
    Field(
        "chosen",
        (_NUM_CHOICES + MAX_FORCES + NUM_KINGDOMS,),
        0,
        1,
        f"place chosen for a card: {', '.join(_CHOICES)}; the force; the kingdom",
        "all",
    ),
    Field(
        "game",
        (_GAME_NUMBERS,),
        0,
        1,
        f"phase ({', '.join(PHASES).lower()}), 2 to {MAX_PLAYERS} players, card played, recruited, "
        f"card taken back, last card played, retake at once, power used of {KINGDOMS[SHADOWLAND]}, "
        f"of {KINGDOMS[SEALAND]}",
        "all",
    ),
)
FLAT_SIZE = total_size(FLAT)


def _starts(fields) -> tuple[int, ...]:
    starts, start = [], 0
    for field in fields:
        starts.append(start)
        start += field.size
    return tuple(starts)


(
    _FORCES,
    _LEADS,
    _MARGINS,
    _DOWN_AT,
    _OWN_DOWN,
    _OWN_ORDER,
    _DEFENCE,
    _STRENGTH,
    _OWNER,
    _INCOME,
    _POWERS,
    _HANDS,
    _FREE,
    _SEATS,
    _CHOSEN,
    _GAME,
) = _starts(FLAT)
_PER_SEAT = MAX_FORCES * NUM_COLOURS

# What each action that chooses a place writes in ``chosen``: its kind, then the force or kingdom.
_KIND = np.zeros(TURN_UP + MAX_FORCES, dtype=np.int64)
_PLACE = np.zeros(TURN_UP + MAX_FORCES, dtype=np.int64)
for _kind, _first, _count, _at in (
    (0, NEW, 1, -1),
    (1, STRENGTHEN, MAX_FORCES, _NUM_CHOICES),
    (2, ADD, NUM_KINGDOMS, _NUM_CHOICES + MAX_FORCES),
    (3, DOWN, MAX_FORCES, _NUM_CHOICES),
    (4, TAKE_FORCE, MAX_FORCES, _NUM_CHOICES),
    (4, TAKE_DEFENCE, NUM_KINGDOMS, _NUM_CHOICES + MAX_FORCES),
    (5, TURN_UP, MAX_FORCES, _NUM_CHOICES),
):
    for _k in range(_count):
        _KIND[_first + _k] = _kind
        _PLACE[_first + _k] = _kind if _at < 0 else _at + _k


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
        _write_order(np.int64(state["order"][seat, slot]), out, _OWN_ORDER + slot * NUM_COLOURS)
    for j in range(state["num_down"][seat]):
        at = _OWN_DOWN + np.int64(state["down_slot"][seat, j]) * NUM_COLOURS
        knight = np.int64(state["down_card"][seat, j])
        out[at + COLOUR_OF[knight]] = knight % _MOST + 1
    for kingdom in range(NUM_KINGDOMS):
        for colour in range(NUM_COLOURS):
            at = _DEFENCE + kingdom * NUM_COLOURS
            out[at + colour] = state["defence"][kingdom, colour]
        out[_STRENGTH + kingdom] = state["strength"][kingdom]
        out[_INCOME + kingdom] = state["income"][kingdom]
        owner = np.int64(state["owner"][kingdom])
        ahead = owner - seat
        if ahead < 0:
            ahead += num_players
        out[_OWNER + kingdom * (1 + MAX_PLAYERS) + (ahead + 1 if owner >= 0 else 0)] = 1
    powers = np.int32(state["powers"])
    for k in range(len(POWERS)):
        out[_POWERS + k] = powers >> k & 1
    for knight in range(NUM_KNIGHTS):
        out[_FREE + knight] = state["free"][knight]
    chosen = np.int64(state["chosen"])
    if chosen >= 0:
        out[_CHOSEN + _KIND[chosen]] = 1
        out[_CHOSEN + _PLACE[chosen]] = 1
    _write_game(state, out)


@kernel
def _write_forces(state, other, ahead, out):
    for slot in range(state["num_forces"][other]):
        at = ahead * _PER_SEAT + slot * NUM_COLOURS
        for colour in range(NUM_COLOURS):
            out[_FORCES + at + colour] = state["attack"][other, slot, colour]
        target = np.int64(state["target"][other, slot])
        if target >= 0:
            out[_LEADS + at + target] = 1
            margin = np.int64(state["total"][other, slot]) - np.int64(state["strength"][target])
            out[_MARGINS + ahead * MAX_FORCES + slot] = margin
    for j in range(state["num_down"][other]):
        out[_DOWN_AT + ahead * MAX_FORCES + np.int64(state["down_slot"][other, j])] += 1


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
    if known:
        at = _HANDS + ahead * NUM_KNIGHTS
        for knight in range(NUM_KNIGHTS):
            out[at + knight] = state["hand"][other, knight]
        if other != seat:
            for j in range(state["num_down"][other]):
                out[at + np.int64(state["down_card"][other, j])] += 1
    at = _SEATS + ahead * _SEAT_NUMBERS
    out[at] = 1
    out[at + 1] = state["to_play"] == other
    out[at + 2] = state["turn_of"] == other
    out[at + 3] = state["first_player"] == other
    out[at + 4] = known
    out[at + 5] = state["hand_size"][other]
    out[at + 6] = min(np.int64(state["fame"][other]), _BYTE)


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
    that a face-down one can be.
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
    return state["legal"][0] | state["legal"][1] | state["legal"][2] != 0
