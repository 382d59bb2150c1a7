"""The value of a position for a seat, in points; for the greedy agent and guided search.

It consists of the camp's expected points, estimated from the pawn's distance to the Moon and the
cards left to play, and the points of Shards; the value of Portals and Daggers, of a low card in
front of the seat and of its own ritual; and its lead over the others. It only uses what the seat
knows: of the roles, only its own.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from .components import (
    DAGGER,
    NO_CARD,
    NO_WORLD,
    POINTS_OF_CAMP,
    POINTS_OF_SHARDS,
    PORTAL,
    SHADOW,
    SHARD,
    SHARDS_THAT_SCORE,
    VALUE_OF,
    VALUES_IN_PLAY,
)
from .players import is_out

# Share of the cards left to play that are played off the Destination; by player count.
_OFF = np.array([0.0, 0.0, 0.0, 0.42, 0.48, 0.50])
# Typical deviation of the pawn from its expected square.
_SPREAD = 2.5
_SURVIVAL = 0.9  # of a round, for whoever is still in it
_ONE_SHARD = 0.5
_PORTAL_WORTH = 0.35
_DAGGER_WORTH = np.array([0.15, 0.25])  # to a Shaman, to a Shadow
_LOW_CARD = 0.4
_UNDERCUT = 0.6  # how likely one more player plays one of the lower values
_RITUAL = 0.3
_OTHERS = 0.25  # of the mean points of the others
_VICTORY = 4.0


@kernel
def evaluate(state, seat, memo):
    """Return the value of the position for ``seat``, in points."""
    num_players = np.int64(state["num_players"])
    others = np.int64(0)
    best_other = np.int64(0)
    for other in range(num_players):
        if other != seat:
            others += np.int64(state["points"][other])
            best_other = max(best_other, np.int64(state["points"][other]))
    points = np.int64(state["points"][seat])
    worth = points - _OTHERS * others / (num_players - 1)
    if state["terminated"]:
        if points == best_other:
            return worth
        return worth + (_VICTORY if points > best_other else -_VICTORY)
    if is_out(state, seat):
        return worth
    camp = np.int64(state["camp"][state["role"][seat]])
    moon = moon_chance(state)
    chance = moon if camp == SHADOW else 1.0 - moon
    worth += _SURVIVAL * POINTS_OF_CAMP[camp] * chance
    return worth + _tiles_worth(state, seat, camp) + _trick_worth(state, seat)


@kernel
def moon_chance(state):
    """Return the probability that the pawn reaches the Moon, from public information."""
    cards = np.int64(0)
    for seat in range(np.int64(state["num_players"])):
        if not is_out(state, seat):
            cards += count_bits(np.int64(state["hand"][seat]))
    squares = np.int64(state["moon"]) - np.int64(state["pawn"]) - np.int64(state["steps"])
    expected = _OFF[state["num_players"]] * cards
    spread = _SPREAD * min(1.0, 0.2 + cards / 20.0)
    if cards == 0:
        return 0.0
    # Close to the logistic function, and bit-identical with and without compilation.
    ahead = (expected - squares) / spread
    return 0.5 + 0.5 * ahead / np.sqrt(ahead * ahead + 4.0)


@kernel
def _tiles_worth(state, seat, camp):
    shards = np.int64(state["shown"][seat, SHARD]) + np.int64(state["hidden"][seat, SHARD])
    portals = np.int64(state["shown"][seat, PORTAL]) + np.int64(state["hidden"][seat, PORTAL])
    daggers = np.int64(state["shown"][seat, DAGGER]) + np.int64(state["hidden"][seat, DAGGER])
    worth = _PORTAL_WORTH * portals + _DAGGER_WORTH[camp] * min(daggers, 2)
    scores = shards >= SHARDS_THAT_SCORE
    return worth + (_SURVIVAL * POINTS_OF_SHARDS if scores else _ONE_SHARD * shards)


@kernel
def _trick_worth(state, seat):
    """Value a low card in front of the seat, and its own ritual."""
    worth = _RITUAL if state["performer"] == seat and state["doing"] != NO_WORLD else 0.0
    card = np.int64(state["front"][seat])
    if card == NO_CARD:
        return worth
    lower = (VALUE_OF[card] - 1) / VALUES_IN_PLAY[state["num_players"]]
    chance = _LOW_CARD
    for other in range(np.int64(state["num_players"])):
        if other != seat and not is_out(state, other):
            front = np.int64(state["front"][other])
            if front != NO_CARD and front < card:
                return worth
            if not np.int64(state["played"]) >> other & 1:
                chance *= 1.0 - _UNDERCUT * lower
    return worth + chance
