"""What a seat observes of a game of Saga.

Public: the table, fame, and the contents of the packs. A pack is known by its back, even in hand,
and so is the hand; with ``packs_known="once_shown"``, only from the seat's first card on, and with
four players, the last pack once the others are. Seats are relative to the observing one.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit
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
    NUM_BACKS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    PACK_SIZE,
    POWERS,
    SEALAND,
    SHADOWLAND,
    VALUE_OF,
    VALUES,
)
from .state import (
    FACE_DOWN_MARK,
    MAX_PLIES,
    NO_TARGET,
    PHASES,
    RECRUITED_MARK,
    WHAT_MARK,
)

BYTE = 127
MOST = max(VALUES)
# Added to the value of the card that names the target.
LEADS = MOST
# The strongest defence has the highest value of every colour, plus one.
_STRONGEST = NUM_COLOURS * MOST + 1
_VALUES = "value of its card of each colour"
_FORCE = (
    f"{_VALUES}, 0 for none or face down, plus {LEADS} for the one that determines the kingdom; "
    "how much stronger it is than that kingdom; face-down cards in it with the back of the seat's "
    "pack, and with that of a recruit; position of the face-up card of each colour, from 1 for "
    "the first, counting face-down ones, negative for a recruit"
)
# Maximum number of a seat's face-down cards with a row: three times the maximum in a million random
# games.
NUM_DOWN = 6
# Fame and plies are split into hundreds and ones, to fit in int8.
HUNDRED = 100
# Numbers for a force, a face-down card, a kingdom, a seat, the game.
FORCE_SIZE = NUM_COLOURS + 1 + NUM_BACKS + NUM_COLOURS
OWN_DOWN_SIZE = 2 * NUM_COLOURS
DOWN_SIZE = 2 + NUM_KNIGHTS
KINGDOM_SIZE = NUM_COLOURS + 1 + 1 + 1 + 1 + MAX_PLAYERS + MAX_PLAYERS + NUM_COLOURS + 1
SEAT_SIZE = 5 + 5 + NUM_PACKS
GAME_SIZE = len(PHASES) + (MAX_PLAYERS - 1) + 11

FLAT = (
    Field(
        "own_forces",
        (MAX_FORCES, FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"own attack forces: {_FORCE} (colours: {', '.join(COLOURS)})",
        "all",
    ),
    Field(
        "own_down",
        (MAX_FORCES, OWN_DOWN_SIZE),
        -MAX_FORCES,
        MAX_FORCES,
        "own forces: value of the face-down card of each colour; its position, as for the others",
        "seat",
    ),
    Field(
        "other_forces",
        ((MAX_PLAYERS - 1) * MAX_FORCES, FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"attack forces of the other seats, {MAX_FORCES} each, as the own ones",
        "all",
    ),
    Field(
        "down",
        (MAX_PLAYERS * NUM_DOWN, DOWN_SIZE),
        0,
        MAX_FORCES,
        f"the {NUM_DOWN} oldest face-down cards of each seat: number of the force, 0 for no card; "
        "recruited; for each knight, how many cards it can be as far as the others know; "
        "`determinize` draws one of these",
        "all",
    ),
    Field(
        "kingdoms",
        (NUM_KINGDOMS, KINGDOM_SIZE),
        -1,
        _STRONGEST,
        f"{_VALUES}; strength of its defence; income; chosen; its owner: none, then the seats; the "
        "strongest force of each seat at it; its card of each colour is recruited; reverse side",
        "all",
    ),
    Field("powers", (len(POWERS),), 0, 1, f"powers in this game: {', '.join(POWERS)}", "all"),
    Field(
        "hand",
        (NUM_CARDS, 2),
        -_STRONGEST,
        _STRONGEST,
        "own hand: number of each knight of its pack, then of each recruited one; once a force is "
        "chosen for a card, how much stronger than its kingdom each would make it, face up",
        "seat",
    ),
    Field(
        "other_hands",
        (MAX_PLAYERS - 1, NUM_CARDS),
        0,
        PACK_SIZE,
        "hand and face-down cards together of each other seat, if its pack is known: number of "
        "each knight of its pack, then of each recruited one",
        "all",
    ),
    Field("free", (NUM_KNIGHTS,), 0, PACK_SIZE, "number of free knights of each kind", "all"),
    Field(
        "seats",
        (MAX_PLAYERS, SEAT_SIZE),
        0,
        BYTE,
        "playing, to play, its turn, first player, pack is known, cards in hand, fame at most "
        f"{BYTE}, fame in ten thousands, hundreds and ones, packs that can be its own (the "
        "castle pack first)",
        "all",
    ),
    Field("choices", (len(CHOICES),), 0, 1, f"choice for a card: {', '.join(CHOICES)}", "all"),
    Field("force", (MAX_FORCES,), 0, 1, "the chosen force of the seat to play", "all"),
    Field(
        "game",
        (GAME_SIZE,),
        0,
        HUNDRED,
        f"phase ({', '.join(PHASES).lower()}), 2 to {MAX_PLAYERS} players, card played, recruited, "
        f"card taken back, last card played, retake at once, power used of {KINGDOMS[SHADOWLAND]}, "
        f"of {KINGDOMS[SEALAND]}, the youngest face-down card was laid this turn, game over, "
        "actions before it is truncated: hundreds and ones",
        "all",
    ),
)

AT = offsets(FLAT)
# Within a force, and within a kingdom.
MARGIN, HOW_MANY_DOWN, ORDER = NUM_COLOURS, NUM_COLOURS + 1, NUM_COLOURS + 1 + NUM_BACKS
STRENGTH, INCOME, CHOSEN, OWNER = range(NUM_COLOURS, NUM_COLOURS + 4)
STRONGEST_OF = OWNER + 1 + MAX_PLAYERS
RECRUITS = STRONGEST_OF + MAX_PLAYERS
REVERSE = RECRUITS + NUM_COLOURS

# The choice of each action that chooses a place, and where the observation marks its force or
# kingdom, -1 for none.
CHOICE_OF = np.full(TURN_UP + MAX_FORCES, -1)
MARK_OF = np.full(TURN_UP + MAX_FORCES, -1)
for _action in range(TURN_UP + MAX_FORCES):
    (_, CHOICE_OF[_action]), *_places = ACTIONS.targets(_action)
    for _field, _row in _places:
        _own = _field == "own_forces"
        MARK_OF[_action] = AT.force + _row if _own else AT.kingdoms + _row * KINGDOM_SIZE + CHOSEN


@kernel
def knows_pack(state, seat, other):
    """Return whether ``seat`` knows the pack of ``other``, and so the cards that it holds."""
    return count_bits(packs_of(state, seat, other)) == 1


@kernel
def packs_of(state, seat, other):
    """Return the packs that ``other`` may have as far as ``seat`` knows, as bits."""
    num_players = np.int64(state["num_players"])
    shown = np.int64(state["shown"]) | 1 << seat
    if shown >> other & 1:
        return 1 << np.int64(state["pack"][other])
    left = (1 << NUM_PACKS) - 1
    for place in range(num_players + 1):
        if place == num_players or shown >> place & 1:  # the centre's has been seen by all
            left &= ~(1 << np.int64(state["pack"][place]))
    return left


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with the observation of ``seat``."""
    out[:] = 0
    num_players = np.int64(state["num_players"])
    for ahead in range(num_players):
        other = seat_after(state, seat, ahead)
        _write_forces(state, other, ahead, out)
        _write_seat(state, seat, other, ahead, out)
    if state["num_down"][seat]:
        _write_own_down(state, seat, out)
    for kingdom in range(NUM_KINGDOMS):
        at = AT.kingdoms + kingdom * KINGDOM_SIZE
        for colour in range(NUM_COLOURS):
            out[at + colour] = state["defence"][kingdom, colour]
        recruits = np.int32(state["recruits"][kingdom])
        if recruits:
            for colour in range(NUM_COLOURS):
                out[at + RECRUITS + colour] = recruits >> colour & 1
        out[at + REVERSE] = state["side"][kingdom]
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
    """Write the forces of one seat, and the strongest one in each kingdom's row."""
    at = AT.own_forces
    if ahead:
        at = AT.other_forces + (ahead - 1) * MAX_FORCES * FORCE_SIZE
    for j in range(state["num_down"][other]):
        slot = np.int64(state["down_slot"][other, j])
        recruited = np.int64(state["down_card"][other, j] >= NUM_KNIGHTS)
        out[at + slot * FORCE_SIZE + HOW_MANY_DOWN + recruited] += 1
        if j < NUM_DOWN:
            row = AT.down + (ahead * NUM_DOWN + j) * DOWN_SIZE
            out[row] = slot + 1
            out[row + 1] = recruited
            for knight in range(NUM_KNIGHTS):
                out[row + 2 + knight] = state["can_be"][other, j, knight]
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
        _write_order(np.int64(state["order"][other, slot]), out, at + ORDER)
        at += FORCE_SIZE


@kernel
def _write_promise(state, seat, chosen, out):
    """Write the margin by which the chosen force beats its kingdom with each card of the hand."""
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
            for first in range(0, NUM_CARDS, NUM_KNIGHTS):
                card = first + colour * NUM_VALUES + value - 1
                held = np.int64(state["hand"][seat, card] > 0)
                out[AT.hand + card * 2 + 1] = (beaten + value) * held


@kernel
def _write_order(order, out, at):
    place = 0
    while order:
        place += 1
        if order & WHAT_MARK != FACE_DOWN_MARK:
            out[at + (order & WHAT_MARK) - 1] = -place if order & RECRUITED_MARK else place
        order >>= 4


@kernel
def _write_own_down(state, seat, out):
    """Write the seat's own face-down cards, each with its position in its force."""
    for slot in range(state["num_forces"][seat]):
        at = AT.own_down + slot * OWN_DOWN_SIZE
        order = np.int64(state["order"][seat, slot])
        place = 0
        for j in range(state["num_down"][seat]):
            if state["down_slot"][seat, j] == slot:
                place += 1
                while order & WHAT_MARK != FACE_DOWN_MARK:
                    place += 1
                    order >>= 4
                card = np.int64(state["down_card"][seat, j])
                out[at + COLOUR_OF[card]] = VALUE_OF[card]
                out[at + NUM_COLOURS + COLOUR_OF[card]] = (
                    -place if order & RECRUITED_MARK else place
                )
                order >>= 4


@kernel
def _write_seat(state, seat, other, ahead, out):
    packs = packs_of(state, seat, other)
    known = packs & (packs - 1) == 0
    if other == seat:
        for knight in range(NUM_KNIGHTS):
            out[AT.hand + knight * 2] = state["hand"][seat, knight]
            recruit = NUM_KNIGHTS + knight
            out[AT.hand + recruit * 2] = state["hand"][seat, recruit]
    elif known:
        at = AT.other_hands + (ahead - 1) * NUM_CARDS
        for knight in range(NUM_KNIGHTS):
            out[at + knight] = state["hand"][other, knight]
            out[at + NUM_KNIGHTS + knight] = state["hand"][other, NUM_KNIGHTS + knight]
        for j in range(state["num_down"][other]):
            out[at + np.int64(state["down_card"][other, j])] += 1
    at = AT.seats + ahead * SEAT_SIZE
    out[at] = 1
    out[at + 1] = state["to_play"] == other
    out[at + 2] = state["turn_of"] == other
    out[at + 3] = state["first_player"] == other
    out[at + 4] = known
    out[at + 5] = state["hand_size"][other]
    fame = np.int64(state["fame"][other])
    out[at + 6] = min(fame, BYTE)
    if fame >= HUNDRED:
        out[at + 7] = fame // HUNDRED // HUNDRED
        out[at + 8] = fame // HUNDRED % HUNDRED
    out[at + 9] = fame % HUNDRED
    while packs:
        out[at + 10 + lowest_bit(packs)] = 1
        packs &= packs - 1


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
    out[at + 7] = state["fresh"]
    out[at + 8] = state["terminated"]
    left = MAX_PLIES - np.int64(state["ply"])
    out[at + 9] = left // HUNDRED
    out[at + 10] = left % HUNDRED
