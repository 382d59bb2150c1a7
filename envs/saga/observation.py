"""What a seat observes of a game of Saga.

Public: the table, fame, and what the packs hold. A pack is known by its back: from a seat's first
card on everybody knows its pack, and so its hand; with four players the last pack is known once the
others are. Seats count from the observing one.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from ..core.schema import Field, offsets
from ..core.state import seat_after, seats_ahead
from .actions import ACTIONS, ADD, CHOICES, DOWN, NEW, STRENGTHEN, TAKE_FORCE, TURN_UP
from .components import (
    COLOUR_OF,
    COLOURS,
    KINGDOMS,
    MAX_FORCES,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    PACK_SIZE,
    POWERS,
    SEALAND,
    SHADOWLAND,
    VALUES,
)
from .state import FACE_DOWN_MARK, NO_TARGET, PHASES

BYTE = 127
MOST = max(VALUES)
# Added to the value of the card that names the target.
LEADS = MOST
# The strongest defence has the highest value of every colour, and one more.
_STRONGEST = NUM_COLOURS * MOST + 1
_VALUES = "value of its card of each colour"
_FORCE = (
    f"{_VALUES}, 0 for none or face down, {LEADS} more for the one that names the kingdom; by how "
    "much it is stronger than that kingdom; face-down cards in it"
)
# Numbers for a force, one of the observing seat's, a kingdom, a seat, the game.
FORCE_SIZE = NUM_COLOURS + 2
OWN_FORCE_SIZE = FORCE_SIZE + NUM_COLOURS
KINGDOM_SIZE = NUM_COLOURS + 1 + 1 + 1 + 1 + MAX_PLAYERS + MAX_PLAYERS
SEAT_SIZE = 7
GAME_SIZE = len(PHASES) + (MAX_PLAYERS - 1) + 7

FLAT = (
    Field(
        "own_forces",
        (MAX_FORCES, OWN_FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"own attack forces: {_FORCE}; place of the face-up card of each colour, 1 came first, "
        f"face-down ones count (colours: {', '.join(COLOURS)})",
        "all",
    ),
    Field(
        "own_down",
        (MAX_FORCES, NUM_COLOURS),
        0,
        MOST,
        "own forces: value of the face-down card of each colour",
        "seat",
    ),
    Field(
        "other_forces",
        ((MAX_PLAYERS - 1) * MAX_FORCES, FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"attack forces of the other seats, {MAX_FORCES} each: {_FORCE}",
        "all",
    ),
    Field(
        "kingdoms",
        (NUM_KINGDOMS, KINGDOM_SIZE),
        -1,
        _STRONGEST,
        f"{_VALUES}; strength of its defence; income; chosen; its owner: none, then the seats; the "
        "strongest force of each seat at it",
        "all",
    ),
    Field("powers", (len(POWERS),), 0, 1, f"powers in this game: {', '.join(POWERS)}", "all"),
    Field(
        "hand",
        (NUM_KNIGHTS, 2),
        -_STRONGEST,
        _STRONGEST,
        "own hand: how many of each knight; once a force is chosen for a card, by how much that is "
        "stronger than its kingdom with it, face up",
        "seat",
    ),
    Field(
        "other_hands",
        (MAX_PLAYERS - 1, NUM_KNIGHTS),
        0,
        PACK_SIZE,
        "hand and face-down cards together of each other seat, once its pack is known: how many of "
        "each knight",
        "all",
    ),
    Field("free", (NUM_KNIGHTS,), 0, PACK_SIZE, "free knights: how many of each", "all"),
    Field(
        "seats",
        (MAX_PLAYERS, SEAT_SIZE),
        0,
        BYTE,
        "playing, to play, its turn, first player, pack is known, cards in hand, fame at most "
        f"{BYTE}",
        "all",
    ),
    Field("choices", (len(CHOICES),), 0, 1, f"chosen for a card: {', '.join(CHOICES)}", "all"),
    Field("force", (MAX_FORCES,), 0, 1, "the force chosen, of the seat to play", "all"),
    Field(
        "game",
        (GAME_SIZE,),
        0,
        1,
        f"phase ({', '.join(PHASES).lower()}), 2 to {MAX_PLAYERS} players, card played, recruited, "
        f"card taken back, last card played, retake at once, power used of {KINGDOMS[SHADOWLAND]}, "
        f"of {KINGDOMS[SEALAND]}",
        "all",
    ),
)

AT = offsets(FLAT)
# Within a force, and within a kingdom.
MARGIN, HOW_MANY_DOWN, ORDER = NUM_COLOURS, NUM_COLOURS + 1, NUM_COLOURS + 2
STRENGTH, INCOME, CHOSEN, OWNER = range(NUM_COLOURS, NUM_COLOURS + 4)
STRONGEST_OF = OWNER + 1 + MAX_PLAYERS

# What each action that chooses a place stands for, and where in the observation its force or
# kingdom is marked, -1 for none.
CHOICE_OF = np.full(TURN_UP + MAX_FORCES, -1)
MARK_OF = np.full(TURN_UP + MAX_FORCES, -1)
for _action in range(TURN_UP + MAX_FORCES):
    (_, CHOICE_OF[_action]), *_places = ACTIONS.targets(_action)
    for _field, _row in _places:
        _own = _field == "own_forces"
        MARK_OF[_action] = AT.force + _row if _own else AT.kingdoms + _row * KINGDOM_SIZE + CHOSEN


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
        other = seat_after(state, seat, ahead)
        _write_forces(state, other, ahead, out)
        _write_seat(state, seat, other, ahead, out)
    for slot in range(state["num_forces"][seat]):
        at = AT.own_forces + slot * OWN_FORCE_SIZE + ORDER
        _write_order(np.int64(state["order"][seat, slot]), out, at)
    for j in range(state["num_down"][seat]):
        at = AT.own_down + np.int64(state["down_slot"][seat, j]) * NUM_COLOURS
        knight = np.int64(state["down_card"][seat, j])
        out[at + COLOUR_OF[knight]] = knight % MOST + 1
    for kingdom in range(NUM_KINGDOMS):
        at = AT.kingdoms + kingdom * KINGDOM_SIZE
        for colour in range(NUM_COLOURS):
            out[at + colour] = state["defence"][kingdom, colour]
        out[at + STRENGTH] = state["strength"][kingdom]
        out[at + INCOME] = state["income"][kingdom]
        owner = np.int64(state["owner"][kingdom])
        out[at + OWNER + (seats_ahead(state, seat, owner) + 1 if owner >= 0 else 0)] = 1
    powers = np.int32(state["powers"])
    for k in range(len(POWERS)):
        out[AT.powers + k] = powers >> k & 1
    for knight in range(NUM_KNIGHTS):
        out[AT.free + knight] = state["free"][knight]
    chosen = np.int64(state["chosen"])
    if chosen >= 0:
        out[AT.choices + CHOICE_OF[chosen]] = 1
        if MARK_OF[chosen] >= 0:
            out[MARK_OF[chosen]] = 1
        if state["to_play"] == seat:
            _write_promise(state, seat, chosen, out)
    _write_game(state, out)


@kernel
def _write_forces(state, other, ahead, out):
    """Write the forces of one seat, and the strongest one among the numbers of each kingdom."""
    at = AT.own_forces
    size = OWN_FORCE_SIZE
    if ahead:
        at = AT.other_forces + (ahead - 1) * MAX_FORCES * FORCE_SIZE
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
            best = AT.kingdoms + target * KINGDOM_SIZE + STRONGEST_OF + ahead
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
            out[AT.hand + knight * 2 + 1] = (beaten + value) * held


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
            out[AT.hand + knight * 2] = state["hand"][seat, knight]
    elif known:
        at = AT.other_hands + (ahead - 1) * NUM_KNIGHTS
        for knight in range(NUM_KNIGHTS):
            out[at + knight] = state["hand"][other, knight]
        for j in range(state["num_down"][other]):
            out[at + np.int64(state["down_card"][other, j])] += 1
    at = AT.seats + ahead * SEAT_SIZE
    out[at] = 1
    out[at + 1] = state["to_play"] == other
    out[at + 2] = state["turn_of"] == other
    out[at + 3] = state["first_player"] == other
    out[at + 4] = known
    out[at + 5] = state["hand_size"][other]
    out[at + 6] = min(np.int64(state["fame"][other]), BYTE)


@kernel
def _write_game(state, out):
    out[AT.game + np.int64(state["phase"])] = 1
    at = AT.game + len(PHASES) - 2
    out[at + np.int64(state["num_players"])] = 1
    at = AT.game + len(PHASES) + MAX_PLAYERS - 1
    used = np.int64(state["used"])
    out[at] = state["played"]
    out[at + 1] = state["recruited"]
    out[at + 2] = state["took"]
    out[at + 3] = state["ending"]
    out[at + 4] = state["at_once"]
    out[at + 5] = used >> SHADOWLAND & 1
    out[at + 6] = used >> SEALAND & 1
