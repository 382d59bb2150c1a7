"""A trick: playing cards, the lowest and the highest card, the next Guide."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .artefacts import artefacts_left, show_card
from .components import (
    FOLLOWED,
    LED,
    NO_CARD,
    NO_WORLD,
    NOBODY,
    STEPPED,
    STRAYED,
    WORLD_OF,
)
from .players import ask, is_out
from .portals import offer_after, offer_before
from .rituals import place_card, start_rituals
from .state import ARTEFACT_PHASE, CARD_PHASE, GUIDE_PHASE, STAGE
from .track import start_advance

HIGHEST, LOWEST = 1, -1


@kernel
def play_card(state, seat, card):
    """Play a card; off the Destination, the pawn advances before it is laid (Tour de jeu)."""
    world = WORLD_OF[card]
    state["hand"][seat] ^= 1 << card
    state["played"] = np.int64(state["played"]) | 1 << seat
    show_card(state, card)
    if state["destination"] == NO_WORLD:
        state["destination"] = world
        state["plays"][seat, card] = LED
    else:
        state["plays"][seat, card] = FOLLOWED
    if state["destination"] == world:
        state["front"][seat] = card
        state["stage"] = STAGE.TURN_OVER
    else:
        state["plays"][seat, card] = STRAYED
        state["deeds"][seat, STEPPED] += 1
        state["card"] = card
        start_advance(state, 1, seat, STAGE.LAYING)


@kernel
def lay_card(state):
    """Lay a card played off the Destination; if it completes its world, do the ritual."""
    completed = place_card(state, state["card"])
    state["card"] = NO_CARD
    start_rituals(state, completed, state["turn"], STAGE.TURN_OVER)


@kernel
def pass_turn(state):
    """Let the next player play a card, or end the trick."""
    out = np.int64(state["played"]) | np.int64(state["eliminated"])
    seat = np.int64(state["turn"])
    for _ in range(np.int64(state["num_players"]) - 1):
        seat = seat_after(state, seat, 1)
        if not out >> seat & 1:
            state["turn"] = seat
            state["stage"] = STAGE.CARD_TURN
            return
    state["stage"] = STAGE.TRICK_OVER


@kernel
def take_turn(state):
    """Let the player whose turn it is play a card, or use a Portal first."""
    if not offer_after(state, STAGE.CARD_TURN):
        ask(state, state["turn"], CARD_PHASE)


@kernel
def follower_with(state, which, eliminated):
    """Return who played the ``HIGHEST`` or ``LOWEST`` card of the Destination, -1 for nobody.

    Only players in the round count or, with ``eliminated``, only the others.
    """
    found = np.int64(NOBODY)
    for seat in range(np.int64(state["num_players"])):
        if state["front"][seat] == NO_CARD or is_out(state, seat) != eliminated:
            continue
        if found < 0 or which * state["front"][seat] > which * state["front"][found]:
            found = np.int64(seat)
    return found


@kernel
def resolve_trick(state):
    """Give the lowest card's player an artefact (Résolution des cartes)."""
    if offer_after(state, STAGE.TRICK_OVER):
        return
    lowest = follower_with(state, LOWEST, 0)
    if lowest == NOBODY:
        # Only eliminated players played to the Destination: the highest of them names the Guide.
        ask(state, follower_with(state, HIGHEST, 1), GUIDE_PHASE)
    elif artefacts_left(state) != 0:
        ask(state, lowest, ARTEFACT_PHASE)
    else:
        state["stage"] = STAGE.GATHERING


@kernel
def gather(state):
    """Let the player of the highest card, or the one named, lay the cards and do the ritual."""
    highest = follower_with(state, HIGHEST, 0)
    if highest != NOBODY:
        state["turn"] = highest
    completed = 0
    for seat in range(np.int64(state["num_players"])):
        card = np.int64(state["front"][seat])
        if card != NO_CARD:
            completed |= place_card(state, card)
            state["front"][seat] = NO_CARD
    start_rituals(state, completed, state["turn"], STAGE.NEW_TRICK)


@kernel
def start_trick(state):
    """Let the new Guide lead if there are cards; otherwise offer Portals for the last time."""
    guide = np.int64(state["turn"])
    state["played"] = 0
    state["destination"] = NO_WORLD
    if state["hand"][guide] != 0:
        state["guide"] = guide
        state["stage"] = STAGE.CARD_TURN
    else:
        offer_before(state, guide, STAGE.OUT_OF_CARDS)
