"""A round: the deal and the points."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below, shuffle
from ..core.state import seat_after
from .components import (
    ARROWS,
    ARTEFACTS_IN_BOX,
    DECK,
    ECLIPSE,
    FACE_UP,
    GOAL,
    HAND_SIZE,
    MAX_PLAYERS,
    NO_CARD,
    NO_TILE,
    NO_WORLD,
    NOBODY,
    NUM_ARTEFACTS,
    NUM_HELD,
    PILE_SIZE,
    POINTS_OF_CAMP,
    POINTS_OF_SHARDS,
    SHADOW,
    SHADOWS_IN_PLAY,
    SHAMAN,
    SHARD,
    SHARDS_THAT_SCORE,
)
from .players import is_out, reveal_role
from .state import CARD_PHASE, STAGE


@kernel
def deal_round(state):
    """Set up a round; the holder of the marker leads (Mise en place d'une manche)."""
    state["pawn"] = state["start"]
    clear_table(state)
    _deal_cards(state)
    _deal_roles(state)
    _deal_artefacts(state)
    state["turn"] = state["marker"]
    state["stage"] = STAGE.NEW_TRICK


@kernel
def clear_table(state):
    """Clear the table; the pawn, the marker and the points stay."""
    state["eliminated"] = 0
    state["placed"] = 0
    state["eclipsed"] = False
    state["destination"] = NO_WORLD
    state["played"] = 0
    state["after"] = 0
    state["then"] = 0
    state["card"] = NO_CARD
    state["steps"] = 0
    state["mover"] = NOBODY
    state["asked"] = 0
    state["resume"] = 0
    state["stirred"] = NOBODY
    state["plays"][:] = 0
    state["deeds"][:] = 0
    state["swaps"][:] = 0
    state["eliminator"][:] = NOBODY
    state["performer"] = NOBODY
    state["doing"] = NO_WORLD
    state["pending"] = 0
    state["target"] = NOBODY
    state["hand"][:] = 0
    state["front"][:] = NO_CARD
    state["given"][:] = NO_CARD
    state["held_then"][:] = 0
    state["shown"][:] = 0
    state["hidden"][:] = 0
    state["gone"][:] = 0
    state["display"][:] = NO_TILE
    state["pile"][:] = 0
    state["pile_size"] = 0
    state["looked_at"] = NO_TILE


@kernel
def draw_card(state, cards):
    """Return one card of a set, each equally likely."""
    return select_bit(cards, draw_below(state, count_bits(cards)))


@kernel
def draw_cards(state, cards, count):
    """Return ``count`` cards of a set as a set."""
    drawn = np.int64(0)
    for _ in range(count):
        drawn |= 1 << draw_card(state, cards & ~drawn)
    return drawn


@kernel
def _deal_cards(state):
    """Deal the hands; cards left over go to their worlds."""
    num_players = np.int64(state["num_players"])
    cards = DECK[num_players]
    for seat in range(num_players):
        state["hand"][seat] = draw_cards(state, cards, HAND_SIZE[num_players])
        cards &= ~state["hand"][seat]
    state["placed"] = cards


@kernel
def _deal_roles(state):
    num_players = np.int64(state["num_players"])
    state["camp"][:] = SHAMAN
    for seat in range(MAX_PLAYERS):
        state["role"][seat] = seat
        state["seen"][seat] = 1 << seat
    shadows = 0
    while shadows < SHADOWS_IN_PLAY[num_players]:
        seat = draw_below(state, num_players)
        shadows += state["camp"][seat] == SHAMAN
        state["camp"][seat] = SHADOW


@kernel
def _deal_artefacts(state):
    """Place two face up; then the Eclipse goes anywhere in the pile except on top."""
    for place in range(NUM_ARTEFACTS):
        state["pile"][place] = ARTEFACTS_IN_BOX[place]
    shuffle(state, state["pile"], NUM_ARTEFACTS)
    for place in range(FACE_UP):
        state["display"][place] = state["pile"][NUM_ARTEFACTS - 1 - place]
    top = PILE_SIZE - 1
    eclipse = draw_below(state, top)
    state["pile"][top] = state["pile"][eclipse]
    state["pile"][eclipse] = ECLIPSE
    state["pile_size"] = PILE_SIZE
    state["pile"][PILE_SIZE:] = 0
    state["arrow"] = ARROWS[draw_below(state, 2)]


@kernel
def score_round(state):
    """Pay for the round and show all roles (Fin de manche)."""
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        camp = np.int64(state["camp"][state["role"][seat]])
        state["sides"][seat] = camp
        if not is_out(state, seat):
            if camp == state["won"]:
                state["points"][seat] += POINTS_OF_CAMP[camp]
            # Shards are shown for their points; showing the others too makes no difference.
            for kind in range(NUM_HELD):
                state["shown"][seat, kind] += state["hidden"][seat, kind]
                state["hidden"][seat, kind] = 0
            if state["shown"][seat, SHARD] >= SHARDS_THAT_SCORE:
                state["points"][seat] += POINTS_OF_SHARDS
        reveal_role(state, seat)


@kernel
def match_is_over(state):
    """Return whether one player has the most points, and enough (Fin de partie)."""
    most = 0
    leaders = 0
    for seat in range(np.int64(state["num_players"])):
        points = np.int64(state["points"][seat])
        if points > most:
            most = points
            leaders = 0
        leaders += points == most
    return most >= GOAL and leaders == 1


@kernel
def end_round(state):
    """Pay for the round; deal the next one unless the game is over."""
    score_round(state)
    if state["single"] or match_is_over(state):
        state["terminated"] = True
        # No more decisions.
        state["phase"] = CARD_PHASE
        return
    state["round"] += 1
    state["marker"] = seat_after(state, state["marker"], 1)
    deal_round(state)
