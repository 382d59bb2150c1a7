"""What a seat cannot know about a game of Shamans, resampled.

A seat knows its hand, the card it gave while the receiver still has it, the card it received, role
cards it has seen, and its own face-down tiles. It also knows that a tile kept face down isn't a
Mask, that the Eclipse isn't on top of the pile, and, if only holders are asked about a Portal or a
Dagger, that whoever is being asked has one. Cards played off the Destination reveal nothing (any
card may be played), nor does passing. Everything consistent with this is equally likely.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import allocating_kernel, kernel
from ..core.rng import draw_below, shuffle
from ..core.schema import Field, offsets
from ..core.state import seat_after
from .artefacts import eclipse_shows, receiver_of
from .components import (
    ARROWS,
    DAGGER,
    ECLIPSE,
    FACE_UP,
    MAX_PLAYERS,
    NO_CARD,
    NO_TILE,
    NUM_CARDS,
    NUM_HELD,
    NUM_TILES,
    PORTAL,
    SHADOW,
    SHADOWS_IN_PLAY,
    SHAMAN,
    SHARD,
    TILES_IN_BOX,
)
from .rounds import draw_card, draw_cards
from .rules import is_asked_unseen
from .state import ECLIPSE_PHASE, NEUTRALISE_PHASE

_OTHERS = MAX_PLAYERS - 1
HIDDEN_FACTS = (
    Field("shadows", (_OTHERS,), 0, 1, "each other seat, from the next on: is a Shadow", "seat"),
    Field("hands", (_OTHERS, NUM_CARDS), 0, 1, "cards of each other seat", "seat"),
)
FACTS_AT = offsets(HIDDEN_FACTS)


@kernel
def determinize(state, seat, seed):
    """Resample all that ``seat`` cannot know, uniformly among what is consistent."""
    state["rng"] = seed
    state["seed"] = seed
    if state["secret"] and state["last_seat"] != seat:
        state["secret"] = False
        state["last_action"] = state["shown_action"]
        state["last_seat"] = state["shown_seat"]
    _redraw_roles(state, seat)
    _redraw_hands(state, seat)
    if state["eclipsed"]:
        _redraw_given(state, seat)
    _redraw_tiles(state, seat)


@kernel
def _redraw_roles(state, seat):
    """Distribute the Shadows unknown to the seat over the role cards it hasn't seen."""
    num_players = np.int64(state["num_players"])
    shadows = SHADOWS_IN_PLAY[num_players]
    unseen = 0
    for card in range(num_players):
        if np.int64(state["seen"][card]) >> seat & 1:
            shadows -= state["camp"][card] == SHADOW
        else:
            unseen += 1
    for card in range(num_players):
        if not np.int64(state["seen"][card]) >> seat & 1:
            is_shadow = draw_below(state, unseen) < shadows
            state["camp"][card] = SHADOW if is_shadow else SHAMAN
            shadows -= is_shadow
            unseen -= 1


@kernel
def _redraw_hands(state, seat):
    """Deal the cards in the other hands (and those set aside) again, keeping hand sizes."""
    num_players = np.int64(state["num_players"])
    # The card that the seat gave stays where it is.
    kept = np.int64(0)
    if state["given"][seat] != NO_CARD and state["phase"] != ECLIPSE_PHASE:
        kept = np.int64(1) << np.int64(state["given"][seat])
    cards = np.int64(0)
    for other in range(num_players):
        if other != seat:
            cards |= np.int64(state["hand"][other])
    cards &= ~kept
    for other in range(num_players):
        if other == seat:
            continue
        hand = np.int64(state["hand"][other])
        size = count_bits(hand & ~kept)
        drawn = cards if size == count_bits(cards) else draw_cards(state, cards, size)
        cards &= ~drawn
        state["hand"][other] = hand & kept | drawn


@kernel
def _redraw_given(state, seat):
    """Draw which cards the others gave; each may be any card the receiver has had since then."""
    for giver in range(np.int64(state["num_players"])):
        if giver == seat:
            continue
        if state["phase"] == ECLIPSE_PHASE:
            if state["given"][giver] != NO_CARD:
                state["given"][giver] = draw_card(state, np.int64(state["hand"][giver]))
        elif state["held_then"][giver] > 0:
            receiver = receiver_of(state, giver)
            if receiver != seat:
                hand = np.int64(state["hand"][receiver])
                k = draw_below(state, np.int64(state["held_then"][receiver]))
                # Besides the hand, these are the cards that everybody has seen since.
                known = k >= count_bits(hand)
                state["given"][giver] = NO_CARD if known else select_bit(hand, k)


@allocating_kernel
def _redraw_tiles(state, seat):
    """Draw the others' face-down tiles, then the order of the pile."""
    unseen = np.zeros(NUM_TILES, np.int64)
    asked = np.int64(state["to_play"])
    # A seat that is asked about a face-down tile has such a tile.
    needed = np.int64(NO_TILE)
    if asked != seat and is_asked_unseen(state):
        needed = np.int64(DAGGER) if state["phase"] == NEUTRALISE_PHASE else np.int64(PORTAL)
        if state["hidden"][asked, needed] == 0:
            # No game reaches this, and drawing until it has one might not end.
            needed = np.int64(NO_TILE)
    _redraw_face_down(state, seat, unseen)
    while needed != NO_TILE and state["hidden"][asked, needed] == 0:
        _redraw_face_down(state, seat, unseen)
    if state["looked_at"] != NO_TILE and asked != seat:
        state["looked_at"] = _draw_held(state, unseen)
    _redraw_pile(state, unseen)


@kernel
def _redraw_face_down(state, seat, unseen):
    """Draw the others' face-down tiles; the remaining ones are left in ``unseen``."""
    _count_unseen(state, seat, unseen)
    for other in range(np.int64(state["num_players"])):
        if other == seat:
            continue
        count = 0
        for kind in range(NUM_HELD):
            count += np.int64(state["hidden"][other, kind])
            state["hidden"][other, kind] = 0
        for _ in range(count):
            state["hidden"][other, _draw_held(state, unseen)] += 1


@kernel
def _count_unseen(state, seat, unseen):
    """Count the tiles of each kind that the seat hasn't seen."""
    for kind in range(NUM_TILES):
        unseen[kind] = TILES_IN_BOX[kind] - state["gone"][kind]
    for kind in range(NUM_HELD):
        unseen[kind] -= state["hidden"][seat, kind]
        for other in range(np.int64(state["num_players"])):
            unseen[kind] -= state["shown"][other, kind]
    for place in range(FACE_UP):
        if state["display"][place] != NO_TILE:
            unseen[state["display"][place]] -= 1
    if state["looked_at"] != NO_TILE and state["to_play"] == seat:
        unseen[state["looked_at"]] -= 1


@kernel
def _draw_held(state, unseen):
    """Draw a tile other than a Mask, which would be public, from ``unseen``; return its kind."""
    k = draw_below(state, unseen[DAGGER] + unseen[PORTAL] + unseen[SHARD])
    kind = 0
    while k >= unseen[kind]:
        k -= unseen[kind]
        kind += 1
    unseen[kind] -= 1
    return kind


@kernel
def _redraw_pile(state, unseen):
    """Shuffle the remaining tiles into the pile; the Eclipse stays on top if it is visible.

    In a position that was set up there may be more than the pile has: the others aren't in it.
    """
    shows = eclipse_shows(state)
    at = 0
    for kind in range(NUM_TILES):
        for _ in range(unseen[kind]):
            state["pile"][at] = kind
            at += 1
    shuffle(state, state["pile"], at)
    tiles = np.int64(state["pile_size"]) - (not state["eclipsed"])
    state["pile"][tiles:] = 0
    if shows:
        state["pile"][tiles] = ECLIPSE
    elif not state["eclipsed"]:
        # Anywhere except on top, as at the start; the displaced tile goes on top.
        eclipse = draw_below(state, tiles)
        state["pile"][tiles] = state["pile"][eclipse]
        state["pile"][eclipse] = ECLIPSE
        state["arrow"] = ARROWS[draw_below(state, 2)]


@kernel
def hidden_facts(state, seat, out):
    """Fill the int8 vector ``out`` (``HIDDEN_FACTS``) with what ``seat`` can't know."""
    out[:] = 0
    for ahead in range(1, np.int64(state["num_players"])):
        other = seat_after(state, seat, ahead)
        out[FACTS_AT.shadows + ahead - 1] = state["camp"][state["role"][other]] == SHADOW
        hand = np.int64(state["hand"][other])
        for card in range(NUM_CARDS):
            out[FACTS_AT.hands + NUM_CARDS * (ahead - 1) + card] = hand >> card & 1


@kernel
def public_action(state):
    """Return the last action; -1 if only its player knows about it."""
    return -1 if state["secret"] else np.int64(state["last_action"])


def hides_action(state: np.void, seat: int) -> bool:
    """Return whether only another seat knows the last action: a given card, or a hidden pass."""
    return bool(state["secret"]) and state["last_seat"] != seat


def action_seen_by(state: np.void, seat: int | None, last_action: int | None) -> int | None:
    """Return the last action that ``seat`` (None sees all) may know, for pictures and texts.

    If it is hidden from the seat (``hides_action``), this is the last public action.
    """
    if last_action is None or seat is None or not hides_action(state, seat):
        return last_action
    return int(state["shown_action"]) if state["shown_action"] >= 0 else None
