"""A trick: playing cards, the lowest and the highest card, the next Guide."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .artefacts import can_take, lowest_card, show_card
from .components import NO_CARD, NO_WORLD, NOBODY, SHAMAN, WORLD_OF
from .rituals import place_card, start_rituals
from .state import (
    ARTEFACT_PHASE,
    CARD_PHASE,
    GATHERING,
    GUIDE_PHASE,
    LAYING,
    NEW_TRICK,
    ROUND_OVER,
    TRICK_OVER,
    TURN_OVER,
)
from .track import ask, is_out, start_advance


@kernel
def play_card(state, seat, card):
    """Play a card; off the Destination, the pawn goes on before the card is laid (Tour de jeu)."""
    world = WORLD_OF[card]
    state["hand"][seat] ^= 1 << card
    state["played"] = np.int64(state["played"]) | 1 << seat
    if state["destination"] == NO_WORLD:
        state["destination"] = world
    show_card(state, card)
    if state["destination"] == world:
        state["front"][seat] = card
        state["stage"] = TURN_OVER
    else:
        state["card"] = card
        start_advance(state, 1, seat, LAYING)


@kernel
def lay_card(state):
    """Lay the card that was played off the Destination; its player does the world's ritual."""
    completed = place_card(state, state["card"])
    state["card"] = NO_CARD
    start_rituals(state, completed, state["turn"], TURN_OVER)


@kernel
def pass_turn(state):
    """Let the next player play a card, or end the trick."""
    out = np.int64(state["played"]) | np.int64(state["eliminated"])
    seat = np.int64(state["turn"])
    for _ in range(np.int64(state["num_players"]) - 1):
        seat = seat_after(state, seat, 1)
        if not out >> seat & 1:
            state["turn"] = seat
            ask(state, seat, CARD_PHASE)
            return
    state["stage"] = TRICK_OVER


@kernel
def highest_card(state, eliminated):
    """Return who played the highest card, of the players left or of the eliminated ones; or -1."""
    highest = np.int64(NOBODY)
    for seat in range(np.int64(state["num_players"])):
        if (
            state["front"][seat] != NO_CARD
            and is_out(state, seat) == eliminated
            and (highest < 0 or state["front"][seat] > state["front"][highest])
        ):
            highest = np.int64(seat)
    return highest


@kernel
def resolve_trick(state):
    """Give the lowest card's player an artefact (Résolution des cartes)."""
    lowest = lowest_card(state)
    if lowest == NOBODY:
        # Only eliminated players went to the Destination: the highest of them names the Guide.
        ask(state, highest_card(state, 1), GUIDE_PHASE)
    elif can_take(state):
        ask(state, lowest, ARTEFACT_PHASE)
    else:
        state["stage"] = GATHERING


@kernel
def gather(state):
    """Let who has the highest card, or was named, lay the cards and do the ritual."""
    highest = highest_card(state, 0)
    if highest != NOBODY:
        state["turn"] = highest
    completed = 0
    for seat in range(np.int64(state["num_players"])):
        card = np.int64(state["front"][seat])
        if card != NO_CARD:
            completed |= place_card(state, card)
            state["front"][seat] = NO_CARD
    start_rituals(state, completed, state["turn"], NEW_TRICK)


@kernel
def start_trick(state):
    """Let the new Guide lead, if there are cards; else the Shamans have held out."""
    guide = np.int64(state["turn"])
    state["guide"] = guide
    state["played"] = 0
    state["destination"] = NO_WORLD
    if state["hand"][guide] != 0:
        ask(state, guide, CARD_PHASE)
    else:
        state["won"] = SHAMAN
        state["stage"] = ROUND_OVER
