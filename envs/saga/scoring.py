"""The final score of Saga (Fin du jeu, Caractéristiques actives en fin de partie)."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import (
    BEST_FORCE,
    FAME_TAKEN,
    FIELDLAND,
    FIELDLAND_BONUS,
    FIELDLAND_SCORE,
    FORESTLAND,
    GOLDLAND,
    HAND_IS_FREE,
    NUM_CARDS,
    NUM_KINGDOMS,
    PLUS_5,
    SCORES_15,
    SCORES_NOTHING,
    SEALAND,
    TAKE_FAME,
    VALUE_OF,
)


@kernel
def points_for(powers, kingdom, strength):
    """Return the final points of a defence of this strength for the kingdom's owner."""
    if kingdom == FIELDLAND:
        bonus = FIELDLAND_BONUS if powers & PLUS_5 else 0
        return bonus + (FIELDLAND_SCORE if powers & SCORES_15 else strength)
    if kingdom == GOLDLAND and powers & SCORES_NOTHING:
        return 0
    return strength


@kernel
def hand_is_free(state, seat):
    """Say whether the cards in a seat's hand cost nothing (Les cartes en main valent 0)."""
    return state["powers"] & HAND_IS_FREE != 0 and state["owner"][FORESTLAND] == seat


@kernel
def hand_points(state, seat):
    """Return the cost of a seat's hand: the sum of its values."""
    points = 0
    for card in range(NUM_CARDS):
        points += np.int64(state["hand"][seat, card]) * VALUE_OF[card]
    return points


@kernel
def best_force(state, seat):
    """Return the total of the seat's strongest attack force; face-down cards count nothing."""
    best = 0
    for slot in range(state["num_forces"][seat]):
        best = max(best, np.int64(state["total"][seat, slot]))
    return best


@kernel
def kingdom_points(state, seat):
    """Return a seat's points for the defences of its kingdoms, without Fieldland's bonus."""
    points = np.int64(0)
    for kingdom in range(NUM_KINGDOMS):
        if state["owner"][kingdom] == seat:
            powers = np.int64(state["powers"]) & ~PLUS_5
            points += points_for(powers, kingdom, np.int64(state["strength"][kingdom]))
    return points


@kernel
def table_points(state, seat):
    """Return a seat's points for public things: tokens, kingdoms, powers at the end."""
    powers = np.int64(state["powers"])
    points = np.int64(state["fame"][seat])
    for kingdom in range(NUM_KINGDOMS):
        if state["owner"][kingdom] == seat:
            points += points_for(powers, kingdom, np.int64(state["strength"][kingdom]))
    if powers & BEST_FORCE and state["owner"][SEALAND] == seat:
        points += best_force(state, seat)
    owner = np.int64(state["owner"][FORESTLAND])
    if powers & TAKE_FAME and owner >= 0:
        for other in range(np.int64(state["num_players"])):
            taken = min(np.int64(state["fame"][other]), FAME_TAKEN)
            points += taken * (np.int64(owner == seat) - np.int64(other == seat))
    return points


@kernel
def total_points(state, seat):
    """Return a seat's score as if the game ended now."""
    points = table_points(state, seat)
    return points if hand_is_free(state, seat) else points - hand_points(state, seat)
