"""What a seat observes of a game of Shamans.

Public: cards played, by whom and how, the number of cards and the visible tiles everywhere, roles
shown, players' deeds in rituals and with Portals, who swapped with whom.
Private to a seat: its hand, its role and its face-down tiles; to two seats: the roles that they
swapped, a card that one gave the other during the Eclipse. Seats are relative to the observing one.

If only holders are asked, and a seat is asked about a face-down Portal or Dagger
(``is_asked_unseen``), the others see neither who is asked nor what, and no trace of it remains
afterwards.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, write_bits
from ..core.jit import kernel
from ..core.schema import Field, offsets
from ..core.state import seat_after
from .artefacts import eclipse_shows
from .components import (
    DEEDS,
    FACE_UP,
    FEWEST_PLAYERS,
    FOLLOWED,
    LED,
    LEFT,
    MAX_HAND,
    MAX_PLAYERS,
    NO_CARD,
    NO_WORLD,
    NOBODY,
    NUM_CARDS,
    NUM_DEEDS,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    PERMUTED,
    PLAYER_COUNTS,
    RITUALS,
    SHADOW,
    STRAYED,
    TILES,
    TILES_IN_BOX,
    VALUE_OF,
    VALUES,
    WHOLE_WORLD,
    WORLD_OF,
)
from .players import is_out
from .rules import is_asked_unseen
from .state import ECLIPSE_PHASE, KEEP_PHASE, PHASES

BYTE = 127  # larger numbers are clipped
SEAT_SIZE = 15 + NUM_HELD
WORLD_SIZE = 2 * VALUES + 5 + len(RITUALS)
COUNTS_OF_VALUE = 4
DEEDS_SIZE = NUM_DEEDS + 3 * MAX_PLAYERS
_NUM_PHASES = len(PHASES)
_NUM_COUNTS = len(PLAYER_COUNTS)

_HELD = ", ".join(TILES[:NUM_HELD])
_WORLD = (
    "each world: own cards by value (those set aside, if eliminated); is the Destination, and the "
    "seat is a Shadow; public: cards there by value, is the Destination, its ritual is to be done, "
    f"is being done, a card is on its way there; ritual: {', '.join(RITUALS)}"
)
_VALUE = (
    "for each value, while there is a Destination: lower and higher cards of the Destination in "
    "front of players; lower and higher ones that the seat hasn't seen"
)
_PASSED = "cards passed by the Eclipse that only two seats know: 1 given by the seat, 2 given to it"
_ROLE = "role in front of each seat, if the observing seat has seen it: Shaman, Shadow"
_PASSED_BY = "each seat: holds the card that the observing seat gave; gave it a card it still holds"
_WITNESSES = "who has seen the role card in front of each seat, one row per card"
_DISPLAY = f"artefacts face up: none, {', '.join(TILES)}"
_SEAT = (
    "each seat: exists, is to play (if public), is Guide, has the First player "
    "marker, is eliminated, has played a card, does a ritual, is being eliminated, cards in hand "
    "(set aside, if eliminated), value of its card in front (0 none), camp known to all "
    f"(1 Shaman, 2 Shadow), artefacts face down, face up: {_HELD}; moves the pawn, or had the "
    "first offer of a Portal; has chosen a card for the Eclipse; cards in hand right after it"
)
_PLAYED = (
    f"cards that each seat has played in this round: {LED} led with, {FOLLOWED} followed with, "
    f"{STRAYED} off the Destination"
)
_DEEDS = (
    f"how often each seat did what in this round: {', '.join(DEEDS)} (step: of the pawn, by a card "
    "of the seat, played or set aside); permutations with each seat, done by it; who eliminated "
    "it; to whom its role card was dealt"
)
_PHASE = (
    f"phase ({', '.join(PHASES).lower()}; none while a seat is asked in secret), "
    f"{PLAYER_COUNTS[0]} to {PLAYER_COUNTS[-1]} players, single round, only holders are asked"
)
_TABLE = (
    f"artefacts that left the round in public: {', '.join(TILES)}; tiles in the pile; "
    "the Eclipse is in the pile, has come up with its arrow to the left, to the right"
)
_NUMBERS = (
    "round, square of the pawn, steps to the Moon, steps that the pawn is about to make, cards "
    "passed by the Eclipse, square on which the pawn starts"
)

# Worlds, values, seats and places of the display are targets of actions (``ACTIONS.targets``) and
# have one row each. Numbers that may be large are in separate fields. An explicit flag marks the
# Destination for a Shadow: without it, policies trained on matches also followed as Shadows
# (README, Strength).
FLAT = (
    Field("worlds", (NUM_WORLDS, WORLD_SIZE), 0, 1, _WORLD, "seat"),
    Field("values", (VALUES, COUNTS_OF_VALUE), 0, VALUES, _VALUE, "seat"),
    Field("passed", (NUM_CARDS,), 0, 2, _PASSED, "seat"),
    Field("roles", (MAX_PLAYERS, 2), 0, 1, _ROLE, "seat"),
    Field("passed_by", (MAX_PLAYERS, 2), 0, 1, _PASSED_BY, "seat"),
    Field("face_down", (NUM_HELD,), 0, 5, f"own artefacts face down: {_HELD}", "seat"),
    Field("top", (NUM_HELD,), 0, 1, f"artefact of the pile to be kept: {_HELD}", "seat"),
    Field("seats", (MAX_PLAYERS, SEAT_SIZE), 0, MAX_HAND, _SEAT, "all"),
    Field("witnesses", (MAX_PLAYERS, MAX_PLAYERS), 0, 1, _WITNESSES, "all"),
    Field("display", (FACE_UP, NUM_TILES + 1), 0, 1, _DISPLAY, "all"),
    Field("table", (NUM_TILES + 4,), 0, int(TILES_IN_BOX.sum()), _TABLE, "all"),
    Field("plays", (MAX_PLAYERS, NUM_CARDS), STRAYED, LED, _PLAYED, "all"),
    Field("deeds", (MAX_PLAYERS, DEEDS_SIZE), 0, BYTE, _DEEDS, "all"),
    Field("phase", (_NUM_PHASES + _NUM_COUNTS + 2,), 0, 1, _PHASE, "all"),
    Field("card", (VALUES,), 0, 1, "value of the card on its way to its world", "all"),
    Field("points", (MAX_PLAYERS,), 0, BYTE, f"points of each seat (at most {BYTE})", "all"),
    Field("numbers", (6,), 0, BYTE, _NUMBERS, "all"),
)
PLANES: tuple[Field, ...] = ()
AT = offsets(FLAT)
# Offsets in a seat's deeds, after the counts and the swaps.
_ELIMINATED_BY = NUM_DEEDS + MAX_PLAYERS
_DEALT_TO = _ELIMINATED_BY + MAX_PLAYERS
# Offsets in a world's row: own cards; the Destination for a Shadow; cards there; flags.
_THERE = VALUES + 1
_FLAGS = _THERE + VALUES

assert VALUES == 8, "write_bits writes so many numbers"
assert max(VALUES, int(TILES_IN_BOX.max())) <= MAX_HAND <= BYTE


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with the observation of ``seat``."""
    out[:] = 0
    if state["eclipsed"]:
        _write_passed(state, seat, out)
    for kind in range(NUM_HELD):
        out[AT.face_down + kind] = state["hidden"][seat, kind]
    if state["phase"] == KEEP_PHASE and state["to_play"] == seat:
        out[AT.top + np.int64(state["looked_at"])] = 1
    unseen = is_asked_unseen(state) and state["to_play"] != seat
    for ahead in range(np.int64(state["num_players"])):
        _write_seat(state, seat, ahead, unseen, out)
        _write_deeds(state, seat, ahead, out)
    _write_table(state, out)
    _write_worlds(state, seat, out)
    if state["destination"] != NO_WORLD:
        _write_values(state, seat, out)
    _write_game(state, unseen, out)


@kernel
def _write_passed(state, seat, out):
    """Write the cards that the seat gave and received during the Eclipse, while still secret."""
    own = np.int64(state["given"][seat])
    if own != NO_CARD:
        out[AT.passed + own] = 1
    if state["phase"] == ECLIPSE_PHASE:
        return
    for ahead in range(1, np.int64(state["num_players"])):
        other = seat_after(state, seat, ahead)
        if own != NO_CARD:
            out[AT.passed_by + 2 * ahead] = np.int64(state["hand"][other]) >> own & 1
        card = np.int64(state["given"][other])
        if card != NO_CARD and np.int64(state["hand"][seat]) >> card & 1:
            out[AT.passed + card] = 2
            out[AT.passed_by + 2 * ahead + 1] = 1


@kernel
def _write_seat(state, seat, ahead, unseen, out):
    """Write what is known about one seat, including its role if the observing seat knows it."""
    num_players = np.int64(state["num_players"])
    other = seat_after(state, seat, ahead)
    front = np.int64(state["front"][other])
    role = np.int64(state["role"][other])
    camp = np.int64(state["camp"][role])
    seen = np.int64(state["seen"][role])
    everybody = (1 << num_players) - 1
    if seen >> seat & 1:
        out[AT.roles + 2 * ahead + camp] = 1
    # Rotated so that the observing seat is bit 0.
    witnesses = (seen & everybody) >> seat | seen << (num_players - seat) & everybody
    for k in range(MAX_PLAYERS):
        out[AT.witnesses + MAX_PLAYERS * ahead + k] = witnesses >> k & 1
    # Indexing a part without negative numbers is faster.
    start = AT.seats + SEAT_SIZE * ahead
    row = out[start : start + SEAT_SIZE]
    row[0] = 1
    row[1] = state["to_play"] == other and not unseen
    row[2] = state["guide"] == other
    row[3] = state["marker"] == other
    row[4] = is_out(state, other)
    row[5] = np.int64(state["played"]) >> other & 1
    row[6] = state["performer"] == other
    row[7] = state["target"] == other
    row[8] = count_bits(np.int64(state["hand"][other]))
    row[9] = VALUE_OF[front] if front != NO_CARD else 0
    row[10] = camp + 1 if seen & everybody == everybody else 0
    face_down = np.int64(0)
    for kind in range(NUM_HELD):
        face_down += np.int64(state["hidden"][other, kind])
        row[12 + kind] = state["shown"][other, kind]
    row[11] = face_down
    row[12 + NUM_HELD] = state["mover"] == other and not unseen
    row[13 + NUM_HELD] = state["phase"] == ECLIPSE_PHASE and state["given"][other] != NO_CARD
    row[14 + NUM_HELD] = state["held_then"][other]
    out[AT.points + ahead] = min(np.int64(state["points"][other]), BYTE)


@kernel
def _write_deeds(state, seat, ahead, out):
    """Write one seat's deeds in the round."""
    other = seat_after(state, seat, ahead)
    start = AT.plays + NUM_CARDS * ahead
    cards = out[start : start + NUM_CARDS]
    for card in range(NUM_CARDS):
        cards[card] = state["plays"][other, card]
    start = AT.deeds + DEEDS_SIZE * ahead
    row = out[start : start + DEEDS_SIZE]
    for deed in range(NUM_DEEDS):
        row[deed] = state["deeds"][other, deed]
    if state["deeds"][other, PERMUTED] > 0:
        for k in range(np.int64(state["num_players"])):
            row[NUM_DEEDS + k] = state["swaps"][other, seat_after(state, seat, k)]
    killer = np.int64(state["eliminator"][other])
    if killer != NOBODY:
        row[_ELIMINATED_BY + _ahead_of(state, seat, killer)] = 1
    row[_DEALT_TO + _ahead_of(state, seat, np.int64(state["role"][other]))] = 1


@kernel
def _ahead_of(state, seat, other):
    """Return the distance of another seat after ``seat`` in turn order."""
    ahead = other - seat
    return ahead + np.int64(state["num_players"]) if ahead < 0 else ahead


@kernel
def _write_table(state, out):
    for place in range(FACE_UP):
        out[AT.display + (NUM_TILES + 1) * place + np.int64(state["display"][place]) + 1] = 1
    for kind in range(NUM_TILES):
        out[AT.table + kind] = state["gone"][kind]
    at = AT.table + NUM_TILES
    out[at] = state["pile_size"]
    if not state["eclipsed"] and not eclipse_shows(state):
        out[at + 1] = 1
    elif state["arrow"] == LEFT:
        out[at + 2] = 1
    else:
        out[at + 3] = 1


@kernel
def _write_worlds(state, seat, out):
    pending = np.int64(state["pending"])
    for world in range(NUM_WORLDS):
        at = AT.worlds + WORLD_SIZE * world
        own = np.int64(state["hand"][seat]) >> VALUES * world
        there = np.int64(state["placed"]) >> VALUES * world
        write_bits(own, out, at)
        write_bits(there, out, at + _THERE)
        out[at + _FLAGS + 1] = pending >> world & 1
        out[at + _FLAGS + 4 + np.int64(state["ritual"][world])] = 1
    at = AT.worlds + _FLAGS
    if state["destination"] != NO_WORLD:
        destination = WORLD_SIZE * np.int64(state["destination"])
        out[at + destination] = 1
        out[AT.worlds + VALUES + destination] = state["camp"][state["role"][seat]] == SHADOW
    if state["doing"] != NO_WORLD:
        out[at + WORLD_SIZE * np.int64(state["doing"]) + 2] = 1
    if state["card"] != NO_CARD:
        out[at + WORLD_SIZE * WORLD_OF[state["card"]] + 3] = 1


@kernel
def _write_values(state, seat, out):
    """Count the Destination's cards below and above each value, in front and unseen ones."""
    num_players = np.int64(state["num_players"])
    in_front = np.int64(0)
    for other in range(num_players):
        if state["front"][other] != NO_CARD:
            in_front |= 1 << VALUE_OF[state["front"][other]] - 1
    at = VALUES * np.int64(state["destination"])
    seen = in_front | np.int64(state["hand"][seat]) >> at | np.int64(state["placed"]) >> at
    unseen = WHOLE_WORLD[num_players] & ~seen
    lower, unseen_lower = np.int64(0), np.int64(0)
    higher, unseen_higher = count_bits(in_front), count_bits(unseen)
    for k in range(VALUES):
        higher -= in_front >> k & 1
        unseen_higher -= unseen >> k & 1
        at = AT.values + COUNTS_OF_VALUE * k
        out[at] = lower
        out[at + 1] = higher
        out[at + 2] = unseen_lower
        out[at + 3] = unseen_higher
        lower += in_front >> k & 1
        unseen_lower += unseen >> k & 1


@kernel
def _write_game(state, unseen, out):
    if not unseen:
        out[AT.phase + np.int64(state["phase"])] = 1
    at = AT.phase + _NUM_PHASES
    out[at + np.int64(state["num_players"]) - FEWEST_PLAYERS] = 1
    out[at + _NUM_COUNTS] = state["single"]
    out[at + _NUM_COUNTS + 1] = state["holders_only"]
    if state["card"] != NO_CARD:
        out[AT.card + VALUE_OF[state["card"]] - 1] = 1
    at = AT.numbers
    out[at] = min(np.int64(state["round"]), BYTE)
    out[at + 1] = state["pawn"]
    out[at + 2] = np.int64(state["moon"]) - np.int64(state["pawn"])
    out[at + 3] = state["steps"]
    passed = 0
    for seat in range(np.int64(state["num_players"])):
        passed += state["held_then"][seat] > 0
    out[at + 4] = passed
    out[at + 5] = state["start"]
