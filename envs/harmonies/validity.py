"""Validation: which records are valid positions of Harmonies."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from ..core.validity import FINE, LAST_SEAT, STUCK, numbered
from .components import (
    ALL_ANIMALS,
    DISPLAY_SIZE,
    FIRST_SPIRIT,
    HAND_LIMIT,
    MAX_CUBES,
    MAX_DISPLAY,
    MAX_HEIGHT,
    MAX_HEXES,
    MAX_SPACES,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_CUBES,
    NUM_HEXES,
    NUM_SPACES,
    NUM_STACKS,
    PER_SPACE,
    SPIRITS_DEALT,
    STACKS,
    TOKENS,
)
from .rules import LAST_HEXES, index_record
from .state import DISCARD_PHASE, DTYPE, PHASES, SPIRIT_PHASE

FIELD = numbered(DTYPE)
_TOKENS = int(TOKENS.max())
_CARDS = (1 << NUM_CARDS + 1) - 2
_HEXES = (1 << MAX_HEXES) - 1
LIMITS = {
    "phase": (0, len(PHASES) - 1),
    "side": (0, 1),
    "first_player": (0, LAST_SEAT),
    "turns": (0, 100),
    "taken": (-1, MAX_SPACES - 1),
    "hand": (0, PER_SPACE),
    "bag": (0, _TOKENS),
    "central": (0, PER_SPACE),
    "discarded": (0, _TOKENS),
    "deck": (0, ALL_ANIMALS),
    "display": (0, FIRST_SPIRIT - 1),
    "dealt": (0, NUM_CARDS),
    "spirit": (0, NUM_CARDS),
    "card": (0, NUM_CARDS),
    "cubes_left": (0, MAX_CUBES),
    "completed": (0, _CARDS),
    "stack": (0, NUM_STACKS - 1),
    "cube": (0, NUM_CARDS),
    "points": (-1000, 1000),
    "top": (-1, NUM_COLOURS - 1),
    "height": (0, MAX_HEIGHT),
    "hexes": (0, _HEXES),
    "cubes": (0, _HEXES),
    "habitat": (0, _HEXES),
    "legal": (0, (1 << 2 * MAX_HEXES) - 1),
}
# Tokens of each colour in each stack.
_IN_STACK = np.array(
    [[stack.count(colour) for colour in range(NUM_COLOURS)] for stack in STACKS], dtype=np.int64
)


@kernel
def check(state):
    """Return the number of an impossible field, or FINE."""
    field = _check_tokens(state)
    if field == FINE:
        field = _check_places(state)
    for seat in range(state["num_players"]):
        if field == FINE:
            field = _check_seat(state, seat)
    if field != FINE:
        return field
    seat = state["to_play"]
    undecided = state["spirits"] and state["spirit"][seat] == 0
    if (state["phase"] == SPIRIT_PHASE) != undecided and not state["terminated"]:
        return FIELD.phase
    if state["phase"] == DISCARD_PHASE and state["num_players"] > 1:
        return FIELD.phase
    return FINE if state["terminated"] else _check_room(state)


@kernel
def _check_room(state):
    """Check that seats with turns to come have room for tokens: the end is triggered before."""
    held = 0
    for colour in range(NUM_COLOURS):
        held += np.int64(state["hand"][colour])
    num_players = np.int64(state["num_players"])
    for ahead in range(num_players):
        seat = seat_after(state, np.int64(state["to_play"]), ahead)
        if ahead and state["last_round"] and seat == state["first_player"]:
            break
        wanted = held if ahead == 0 and state["taken"] >= 0 else LAST_HEXES + 1
        for hex_ in range(NUM_HEXES[state["side"]]):
            wanted -= state["stack"][seat, hex_] == 0
        if wanted > 0:
            return STUCK
    return FINE


@kernel
def _check_tokens(state):
    """Count the tokens of each colour: no more than exist, at most three in a hand."""
    held = 0
    for colour in range(NUM_COLOURS):
        count = np.int64(state["bag"][colour]) + np.int64(state["hand"][colour])
        count += np.int64(state["discarded"][colour])
        held += np.int64(state["hand"][colour])
        for space in range(MAX_SPACES):
            count += np.int64(state["central"][space, colour])
        for seat in range(state["num_players"]):
            for hex_ in range(MAX_HEXES):
                count += _IN_STACK[state["stack"][seat, hex_], colour]
        if count > TOKENS[colour]:
            return FIELD.bag
    for space in range(MAX_SPACES):
        tokens = 0
        for colour in range(NUM_COLOURS):
            tokens += np.int64(state["central"][space, colour])
        if space == state["taken"] and tokens and not state["terminated"]:
            return FIELD.taken
        in_use = space < NUM_SPACES[state["num_players"]]
        if tokens > (PER_SPACE if in_use else 0):
            return FIELD.central
    if held > PER_SPACE or (held and state["taken"] < 0):
        return FIELD.hand
    return FINE


@kernel
def _check_places(state):
    """Look for a card in two places."""
    seen = np.int64(state["deck"])
    if seen & 1:
        return FIELD.deck
    for place in range(MAX_DISPLAY):
        bit = 1 << np.int64(state["display"][place])
        if bit > 1 and place >= DISPLAY_SIZE[state["num_players"]]:
            return FIELD.display
        if bit > 1 and seen & bit:
            return FIELD.display
        seen |= bit
    for seat in range(state["num_players"]):
        done = np.int64(state["completed"][seat])
        if done & 1 or seen & done & ~1:
            return FIELD.completed
        seen |= done
        for slot in range(HAND_LIMIT):
            bit = 1 << np.int64(state["card"][seat, slot])
            if bit > 1 and seen & bit:
                return FIELD.card
            seen |= bit
    return FINE


@kernel
def _check_seat(state, seat):
    """Compare a seat's cubes with its cards, its board with its side, its spirits."""
    hexes = np.int64(NUM_HEXES[state["side"]])
    for hex_ in range(MAX_HEXES):
        if hex_ >= hexes and state["stack"][seat, hex_]:
            return FIELD.stack
        card = np.int64(state["cube"][seat, hex_])
        if card and (state["stack"][seat, hex_] == 0 or not _has(state, seat, card)):
            return FIELD.cube
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        settled = 0
        for hex_ in range(MAX_HEXES):
            settled += card > 0 and state["cube"][seat, hex_] == card
        left = np.int64(state["cubes_left"][seat, slot])
        if left + settled != NUM_CUBES[card] or (card > 0 and left == 0):
            return FIELD.cubes_left
    for k in range(SPIRITS_DEALT):
        dealt = np.int64(state["dealt"][seat, k])
        if state["spirits"] != (dealt >= FIRST_SPIRIT):
            return FIELD.dealt
    kept = state["spirit"][seat]
    if kept and kept != state["dealt"][seat, 0] and kept != state["dealt"][seat, 1]:
        return FIELD.spirit
    # A spirit is chosen at the start of a seat's first turn, and needs a slot.
    empty = False
    for slot in range(HAND_LIMIT):
        card = state["card"][seat, slot]
        empty |= card == 0
        if card >= FIRST_SPIRIT and card != kept:
            return FIELD.card
    return FINE if kept or empty or not state["spirits"] else FIELD.spirit


@kernel
def _has(state, seat, card):
    """Return whether a card is in a slot of a seat, or completed."""
    found = np.int64(state["completed"][seat]) >> card & 1 == 1
    for slot in range(HAND_LIMIT):
        found |= state["card"][seat, slot] == card
    return found


@kernel
def derive(state):
    """Recompute the cached values."""
    index_record(state)
