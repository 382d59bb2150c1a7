"""What a seat sees of a game of Shamans.

Public: cards played, how many cards and which tiles lie where, roles shown, who swapped with whom.
Known to the seat alone: its hand, its role, its tiles that lie face down; to two seats: the roles
that they swapped, a card that one gave the other during the Eclipse. Seats count from the observing
one.

A seat is asked about a Portal or a Dagger that lies face down (``is_asked_unseen``): the others
see neither who is asked nor what, and nothing is left of it once it has passed.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from .artefacts import eclipse_shows
from .components import (
    FACE_UP,
    FEWEST_PLAYERS,
    LEFT,
    MAX_PLAYERS,
    NO_CARD,
    NO_WORLD,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    PLAYER_COUNTS,
    SHADOW,
    VALUE_OF,
    VALUES,
    WHOLE_WORLD,
    WORLD_OF,
)
from .fields import AT, BYTE, COUNTS_OF_VALUE, SEAT_SIZE, WORLD_SIZE
from .rules import is_asked_unseen
from .state import ECLIPSE_PHASE, KEEP_PHASE, PHASES
from .track import is_out, seat_after

(
    _WORLDS,
    _VALUES,
    _PASSED,
    _ROLES,
    _PASSED_BY,
    _FACE_DOWN,
    _TOP,
    _SEATS,
    _WITNESSES,
    _DISPLAY,
    _TABLE,
    _PHASE,
    _CARD,
    _POINTS,
    _NUMBERS,
) = AT.values()
_NUM_PHASES = len(PHASES)
_NUM_COUNTS = len(PLAYER_COUNTS)
# Of a world: own cards; the Destination to a Shadow; cards there; flags.
_THERE = VALUES + 1
_FLAGS = _THERE + VALUES
_MAX_SEATS = MAX_PLAYERS
_BYTE_OF_CARDS = (1 << VALUES) - 1
# SPREAD[byte]: its bits, one number each.
SPREAD = np.array(
    [[byte >> bit & 1 for bit in range(VALUES)] for byte in range(1 << VALUES)], np.int8
)


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with what ``seat`` sees."""
    out[:] = 0
    if state["eclipsed"]:
        _write_passed(state, seat, out)
    for kind in range(NUM_HELD):
        out[_FACE_DOWN + kind] = state["hidden"][seat, kind]
    if state["phase"] == KEEP_PHASE and state["to_play"] == seat:
        out[_TOP + np.int64(state["looked_at"])] = 1
    unseen = is_asked_unseen(state) and state["to_play"] != seat
    for ahead in range(np.int64(state["num_players"])):
        _write_seat(state, seat, ahead, unseen, out)
    _write_table(state, out)
    _write_worlds(state, seat, out)
    if state["destination"] != NO_WORLD:
        _write_values(state, seat, out)
    _write_game(state, unseen, out)


@kernel
def _write_passed(state, seat, out):
    """Write what the seat gave and got during the Eclipse, while nobody else knows."""
    for ahead in range(np.int64(state["num_players"])):
        other = seat_after(state, seat, ahead)
        card = np.int64(state["given"][other])
        if card == NO_CARD:
            continue
        if ahead == 0:
            out[_PASSED + card] = 1
        elif state["phase"] != ECLIPSE_PHASE and np.int64(state["hand"][seat]) >> card & 1:
            out[_PASSED + card] = 2
            out[_PASSED_BY + 2 * ahead + 1] = 1
    card = np.int64(state["given"][seat])
    if card != NO_CARD and state["phase"] != ECLIPSE_PHASE:
        for ahead in range(1, np.int64(state["num_players"])):
            other = seat_after(state, seat, ahead)
            out[_PASSED_BY + 2 * ahead] = np.int64(state["hand"][other]) >> card & 1


@kernel
def _write_seat(state, seat, ahead, unseen, out):
    """Write what is known of one seat, and its role if the observing seat knows it."""
    num_players = np.int64(state["num_players"])
    other = seat_after(state, seat, ahead)
    role = np.int64(state["role"][other])
    camp = np.int64(state["camp"][role])
    seen = np.int64(state["seen"][role])
    everybody = (1 << num_players) - 1
    if seen >> seat & 1:
        out[_ROLES + 2 * ahead + camp] = 1
    for k in range(num_players):
        out[_WITNESSES + _MAX_SEATS * ahead + k] = seen >> seat_after(state, seat, k) & 1
    at = _SEATS + SEAT_SIZE * ahead
    front = np.int64(state["front"][other])
    out[at] = 1
    out[at + 1] = state["to_play"] == other and not unseen
    out[at + 2] = state["guide"] == other
    out[at + 3] = state["marker"] == other
    out[at + 4] = is_out(state, other)
    out[at + 5] = np.int64(state["played"]) >> other & 1
    out[at + 6] = state["performer"] == other
    out[at + 7] = state["target"] == other
    out[at + 8] = count_bits(np.int64(state["hand"][other]))
    out[at + 9] = VALUE_OF[front] if front != NO_CARD else 0
    out[at + 10] = camp + 1 if seen & everybody == everybody else 0
    face_down = np.int64(0)
    for kind in range(NUM_HELD):
        face_down += np.int64(state["hidden"][other, kind])
        out[at + 12 + kind] = state["shown"][other, kind]
    out[at + 11] = face_down
    out[_POINTS + ahead] = min(np.int64(state["points"][other]), BYTE)


@kernel
def _write_table(state, out):
    for place in range(FACE_UP):
        out[_DISPLAY + (NUM_TILES + 1) * place + np.int64(state["display"][place]) + 1] = 1
    for kind in range(NUM_TILES):
        out[_TABLE + kind] = state["gone"][kind]
    at = _TABLE + NUM_TILES
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
        at = _WORLDS + WORLD_SIZE * world
        own = SPREAD[np.int64(state["hand"][seat]) >> VALUES * world & _BYTE_OF_CARDS]
        there = SPREAD[np.int64(state["placed"]) >> VALUES * world & _BYTE_OF_CARDS]
        for k in range(VALUES):
            out[at + k] = own[k]
            out[at + _THERE + k] = there[k]
        out[at + _FLAGS + 1] = pending >> world & 1
        out[at + _FLAGS + 4 + np.int64(state["ritual"][world])] = 1
    at = _WORLDS + _FLAGS
    if state["destination"] != NO_WORLD:
        destination = WORLD_SIZE * np.int64(state["destination"])
        out[at + destination] = 1
        out[_WORLDS + VALUES + destination] = state["camp"][state["role"][seat]] == SHADOW
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
    for k in range(VALUES):
        lower = (1 << k) - 1
        higher = _BYTE_OF_CARDS & ~lower & ~(1 << k)
        at = _VALUES + COUNTS_OF_VALUE * k
        out[at] = count_bits(in_front & lower)
        out[at + 1] = count_bits(in_front & higher)
        out[at + 2] = count_bits(unseen & lower)
        out[at + 3] = count_bits(unseen & higher)


@kernel
def _write_game(state, unseen, out):
    if not unseen:
        out[_PHASE + np.int64(state["phase"])] = 1
    at = _PHASE + _NUM_PHASES
    out[at + np.int64(state["num_players"]) - FEWEST_PLAYERS] = 1
    out[at + _NUM_COUNTS] = state["single"]
    if state["card"] != NO_CARD:
        out[_CARD + VALUE_OF[state["card"]] - 1] = 1
    at = _NUMBERS
    out[at] = min(np.int64(state["round"]), BYTE)
    out[at + 1] = state["pawn"]
    out[at + 2] = np.int64(state["moon"]) - np.int64(state["pawn"])
    out[at + 3] = state["steps"]
    passed = 0
    for seat in range(np.int64(state["num_players"])):
        passed += state["held_then"][seat] > 0
    out[at + 4] = passed
