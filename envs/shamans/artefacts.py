"""Artefacts: taking one, refilling the two places, and the Eclipse."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from ..core.state import seat_after
from .actions import TAKE, TAKE_TOP
from .components import ECLIPSE, FACE_UP, LEFT, MASK, NO_CARD, NO_TILE, NO_WORLD, NOBODY
from .players import ask, is_out, reveal_role
from .state import ECLIPSE_PHASE, KEEP_PHASE, STAGE


@kernel
def artefacts_left(state):
    """Return the artefacts that can be taken: a bit for each place, then one for the pile."""
    left = np.int64(state["pile_size"] > 0) << FACE_UP
    for place in range(FACE_UP):
        left |= np.int64(state["display"][place] != NO_TILE) << place
    return left


@kernel
def pop_pile(state):
    """Take the tile on top of the pile; return its kind."""
    top = np.int64(state["pile_size"]) - 1
    kind = np.int64(state["pile"][top])
    # The record must not reveal the previous tile.
    state["pile"][top] = 0
    state["pile_size"] = top
    return kind


@kernel
def eclipse_shows(state):
    """Return whether the Eclipse is on top of the pile."""
    size = np.int64(state["pile_size"])
    return size > 0 and state["pile"][size - 1] == ECLIPSE


@kernel
def take_artefact(state, seat, action):
    """Take the artefact of an action (``TAKE``, ``TAKE_TOP``); one from the pile is seen first.

    A Mask shows the role at once.
    """
    state["stage"] = STAGE.TAKEN
    if action < TAKE_TOP:
        kind = np.int64(state["display"][action - TAKE])
        state["display"][action - TAKE] = NO_TILE
    else:
        kind = pop_pile(state)
        if kind != MASK:
            state["looked_at"] = kind
            ask(state, seat, KEEP_PHASE)
            return
    if kind == MASK:
        state["gone"][MASK] += 1
        reveal_role(state, seat)
    else:
        state["shown"][seat, kind] += 1


@kernel
def keep_artefact(state, seat, face_up):
    """Keep the artefact taken from the pile, face up or face down."""
    kind = np.int64(state["looked_at"])
    state["looked_at"] = NO_TILE
    state["shown"][seat, kind] += face_up
    state["hidden"][seat, kind] += not face_up
    state["stage"] = STAGE.TAKEN


@kernel
def fill_up(state):
    """Fill empty places from the pile; if the Eclipse comes up, resolve it. Then continue."""
    for place in range(FACE_UP):
        # The Eclipse is never on top here: it was resolved when it came up.
        empty = state["display"][place] == NO_TILE
        if empty and state["pile_size"] > 0 and not eclipse_shows(state):
            state["display"][place] = pop_pile(state)
    if eclipse_shows(state):
        pop_pile(state)
        state["eclipsed"] = True
        givers = 0
        for seat in range(np.int64(state["num_players"])):
            givers += _has_cards(state, seat)
        if givers > 1:
            ask(state, _next_giver(state), ECLIPSE_PHASE)
            return
    state["stage"] = STAGE.RITUALS if state["doing"] != NO_WORLD else STAGE.GATHERING


# The Eclipse (Résolution de l'Éclipse)


@kernel
def _has_cards(state, seat):
    return state["hand"][seat] != 0 and not is_out(state, seat)


@kernel
def _next_giver(state):
    """Return the next seat clockwise that has cards and hasn't chosen one to give; -1 if none."""
    for ahead in range(np.int64(state["num_players"])):
        seat = seat_after(state, state["to_play"], ahead)
        if state["given"][seat] == NO_CARD and _has_cards(state, seat):
            return seat
    return np.int64(NOBODY)


@kernel
def give_card(state, seat, card):
    """Choose a card to give; once everybody has chosen, all cards change hands."""
    state["given"][seat] = card
    giver = _next_giver(state)
    if giver != NOBODY:
        ask(state, giver, ECLIPSE_PHASE)
        return
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        state["held_then"][seat] = count_bits(state["hand"][seat]) if _has_cards(state, seat) else 0
    for seat in range(num_players):
        if state["held_then"][seat] > 0:
            card = np.int64(state["given"][seat])
            state["hand"][seat] ^= 1 << card
            state["hand"][receiver_of(state, seat)] ^= 1 << card
    state["stage"] = STAGE.TAKEN


@kernel
def receiver_of(state, seat):
    """Return who gets the card of ``seat``: the next participant in the arrow's direction."""
    ahead = np.int64(1) if state["arrow"] == LEFT else np.int64(state["num_players"]) - 1
    other = seat_after(state, seat, ahead)
    while state["held_then"][other] == 0:
        other = seat_after(state, other, ahead)
    return other


@kernel
def show_card(state, card):
    """Record that everybody sees a card that was given, so it is no longer secret."""
    for seat in range(np.int64(state["num_players"])):
        if state["given"][seat] == card:
            state["given"][seat] = NO_CARD
