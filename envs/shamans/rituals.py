"""Completed worlds, their rituals, and the consequences of an elimination."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from .artefacts import show_card
from .components import (
    DAGGER,
    ILLUMINATION,
    NO_WORLD,
    NOBODY,
    NUM_CARDS,
    NUM_HELD,
    PERMUTATION,
    PERMUTED,
    POINTS_OF_ILLUMINATION,
    SHADOW,
    SHAMAN,
    STABILISATION,
    STEPPED,
    VALUES,
    WHOLE_WORLD,
    WORLD_OF,
)
from .players import ask, is_out, reveal_role
from .portals import is_asked_about, may_hold, offer_before, spend_tile
from .state import NEUTRALISE_PHASE, ORDER_PHASE, PERMUTE_PHASE, STABILISE_PHASE, STAGE
from .track import start_advance

_CARDS_OF_WORLD = (1 << VALUES) - 1


@kernel
def place_card(state, card):
    """Lay a card at its world; return the world as a bit if that completes it, else 0."""
    state["placed"] |= 1 << np.int64(card)
    world = WORLD_OF[card]
    cards = np.int64(state["placed"]) >> VALUES * world & _CARDS_OF_WORLD
    return (1 << world) if cards == WHOLE_WORLD[state["num_players"]] else 0


@kernel
def start_rituals(state, worlds, performer, then):
    """Let ``performer`` do the rituals of ``worlds`` (bits, maybe none), followed by ``then``."""
    if worlds == 0:
        state["stage"] = then
        return
    state["pending"] = worlds
    state["performer"] = performer
    state["then"] = then
    state["stage"] = STAGE.RITUALS


@kernel
def next_ritual(state):
    """Begin the next ritual; if there are several, the performer chooses."""
    pending = np.int64(state["pending"])
    state["doing"] = NO_WORLD
    if pending == 0:
        state["performer"] = NOBODY
        state["stage"] = state["then"]
    elif pending & (pending - 1):
        ask(state, state["performer"], ORDER_PHASE)
    else:
        begin_ritual(state, select_bit(pending, 0))


@kernel
def begin_ritual(state, world):
    """Begin the ritual of a world; Portals are offered if it leaves a decision."""
    performer = np.int64(state["performer"])
    state["pending"] = np.int64(state["pending"]) & ~(1 << world)
    state["doing"] = world
    state["stage"] = STAGE.RITUALS
    ritual = state["ritual"][world]
    if ritual != STABILISATION:
        state["deeds"][performer, PERMUTED + ritual - PERMUTATION] += 1
    if ritual == ILLUMINATION:
        state["points"][performer] += POINTS_OF_ILLUMINATION
    elif ritual == STABILISATION or _has_effect(state, performer, ritual):
        offer_before(state, performer, STAGE.RITUAL)


@kernel
def _has_effect(state, performer, ritual):
    """Return whether a ritual on another player may have an effect, by public information."""
    if count_bits(np.int64(state["eliminated"])) >= np.int64(state["num_players"]) - 1:
        return False
    return ritual == PERMUTATION or may_hold(state, performer, DAGGER)


@kernel
def do_ritual(state):
    """Let the performer decide (Effets des rituels)."""
    performer = np.int64(state["performer"])
    ritual = state["ritual"][state["doing"]]
    if ritual == STABILISATION:
        ask(state, performer, STABILISE_PHASE)
    elif ritual == PERMUTATION:
        ask(state, performer, PERMUTE_PHASE)
    elif is_asked_about(state, performer, DAGGER):
        ask(state, performer, NEUTRALISE_PHASE)
    else:
        state["stage"] = STAGE.RITUALS


@kernel
def swap_roles(state, seat, other):
    """Swap the role cards of two players; both look at their new one (Permutation)."""
    card, other_card = np.int64(state["role"][seat]), np.int64(state["role"][other])
    state["role"][seat], state["role"][other] = other_card, card
    state["seen"][card] |= 1 << seat | 1 << other
    state["seen"][other_card] |= 1 << seat | 1 << other
    state["swaps"][seat, other] += 1
    state["stirred"] = seat
    state["stage"] = STAGE.RITUALS


@kernel
def neutralise(state, performer, target):
    """Discard a Dagger to eliminate ``target``; Portals can be used first (Neutralisation)."""
    spend_tile(state, performer, DAGGER)
    state["target"] = target
    offer_before(state, performer, STAGE.FALLING)


@kernel
def eliminate(state):
    """Eliminate the target (Effet d'une élimination)."""
    target = np.int64(state["target"])
    state["target"] = NOBODY
    state["eliminated"] |= 1 << target
    state["eliminator"][target] = state["performer"]
    state["stirred"] = state["performer"]
    reveal_role(state, target)
    # Its artefacts leave the round; face-down ones stay hidden.
    for kind in range(NUM_HELD):
        state["gone"][kind] += state["shown"][target, kind]
        state["shown"][target, kind] = 0
    if state["camp"][state["role"][target]] == SHAMAN:
        steps = count_bits(state["hand"][target])
        state["deeds"][target, STEPPED] += steps
        start_advance(state, steps, state["performer"], STAGE.RITUALS)
    elif shadows_left(state) == 0:
        state["won"] = SHAMAN
        state["stage"] = STAGE.ROUND_OVER
    else:
        state["pending"] |= _lay_hand(state, target)
        state["stage"] = STAGE.RITUALS


@kernel
def shadows_left(state):
    """Count the Shadows who are not eliminated."""
    count = 0
    for seat in range(np.int64(state["num_players"])):
        count += not is_out(state, seat) and state["camp"][state["role"][seat]] == SHADOW
    return count


@kernel
def _lay_hand(state, seat):
    """Lay all cards of a hand at their worlds; return the worlds completed, as bits."""
    completed = 0
    for card in range(NUM_CARDS):
        if np.int64(state["hand"][seat]) >> card & 1:
            show_card(state, card)
            completed |= place_card(state, card)
    state["hand"][seat] = 0
    return completed
