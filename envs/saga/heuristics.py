"""The value of a position for a seat, in points; for the greedy agent and guided search.

It is the estimated final score of the seat minus a mixture of the best and the mean of the other
seats' scores. An estimate consists of the tokens, the kingdoms with their future income (less for
kingdoms threatened by another seat's force), the prospects of attack forces (more for those that
lack little), and the hand: as many cards as there are turns will be played, the others cost their
value. If a place for a card has been chosen, the best card for it is found.

For the others' hands, only public information is used: the number of cards, their total value
including face-down cards, and what these can be.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import select_bit
from ..core.jit import kernel
from .actions import ADD, DOWN, NEW, STRENGTHEN
from .cards import defence_modifier
from .components import (
    BEST_FORCE,
    COLOUR_OF,
    FAME_TAKEN,
    FORESTLAND,
    HAND_IS_FREE,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    SEALAND,
    TAKE_FAME,
    VALUE_OF,
)
from .scoring import best_force, hand_is_free, hand_points, points_for, table_points, total_points
from .state import CENTRE, LAST_CARD, LAST_KNIGHT, PLACING, SEEN_CARDS, TAKING, UNSEEN_CARDS

# Meanings of ``WEIGHTS``.
(
    W_TURNS,  # turns to come for each card of the smallest hand
    W_THREAT,  # part of a kingdom that is lost to a force that lacks nothing more
    W_THREAT_NEED,  # and how fast that falls with what the force lacks
    W_WEAK,  # part that is lost anyway, with strength 0
    W_WEAK_STRENGTH,  # and how fast that falls with strength
    W_FORCE,  # part of a kingdom that a force is worth that lacks one point
    W_FORCE_NEED,  # and how fast that falls with what it lacks
    W_STOLEN,  # how much more a kingdom of another seat is worth
    W_GUARD,  # worth of each point of a force that waits at the seat's own kingdom
    W_HAND,  # part of its value that a card in hand is worth that will be played
    W_DOWN,  # part of its mean value that a face-down card of another seat is taken for
    W_BEST,  # weight of the best other seat, against the mean of the others
    W_SOON,  # turns to come from which on forces and threats count in full
) = range(13)
# Fitted by self-play on dealt games of all player counts and sides.
WEIGHTS = np.array([0.93, 0.5, 0.32, 0.4, 0.25, 0.55, 0.25, 0.6, 0.13, 0.2, 0.8, 0.5, 1.65])

# A hypothetical card play: the kingdom that it wins or strengthens, and the new strength; the force
# that it changes, and the new total (0: gone); target and total of a new force; the card's value.
_NO_MOVE = (-1, 0, -1, 0, -1, 0, 0)


@kernel
def evaluate(state, seat, memo):
    """Value the position for ``seat`` in points, from what it knows."""
    if state["terminated"] or state["truncated"]:
        return _final_margin(state, seat)
    chooses = state["to_play"] == seat and state["chosen"] >= 0
    if chooses and state["phase"] == PLACING:
        return _best_card(state, seat)
    if chooses and state["phase"] == LAST_KNIGHT:
        return _best_last_card(state, seat)
    if state["phase"] in (LAST_CARD, LAST_KNIGHT):
        return _final_margin(state, seat)
    value = _margin(state, seat, _NO_MOVE)
    if chooses and state["phase"] == TAKING:
        value -= 0.5  # a card that can be played again is no gain in itself
    return value


@kernel
def _final_margin(state, seat):
    """Return the seat's score minus the best other score, given what is known of their cards."""
    best = -np.inf
    for other in range(np.int64(state["num_players"])):
        if other != seat:
            points = table_points(state, other)
            if not hand_is_free(state, other):
                points -= _pool_points(state, other)
            best = max(best, np.float64(points))
    return np.float64(total_points(state, seat)) - best


@kernel
def _pool_points(state, seat):
    """Return the total value of a seat's hand and face-down cards, which is public."""
    points = hand_points(state, seat)
    for j in range(state["num_down"][seat]):
        points += VALUE_OF[np.int64(state["down_card"][seat, j])]
    return points


# Hypothetical card plays


@kernel
def _best_card(state, seat):
    """Return the value after the best card for the chosen place."""
    place = np.int64(state["chosen"])
    cards = state["legal"][SEEN_CARDS] | state["legal"][UNSEEN_CARDS]
    best = -np.inf
    while cards:
        card = select_bit(cards, 0)
        cards &= cards - 1
        best = max(best, _margin(state, seat, _move(state, seat, place, card)))
    return best


@kernel
def _move(state, seat, place, card):
    """Return the effect of playing a card (see ``_NO_MOVE``)."""
    colour = np.int64(COLOUR_OF[card])
    value = np.int64(VALUE_OF[card])
    if place == NEW:
        if _wins(state, seat, colour, value):
            return (colour, value + defence_modifier(state, colour), -1, 0, -1, 0, value)
        return (-1, 0, -1, 0, colour, value, value)
    if ADD <= place < DOWN:
        kingdom = place - ADD
        return (kingdom, np.int64(state["strength"][kingdom]) + value, -1, 0, -1, 0, value)
    slot = place - (DOWN if place >= DOWN else STRENGTHEN)
    total = np.int64(_strength_of(state, seat, slot, True)) + value
    kingdom = np.int64(state["target"][seat, slot])
    seen = np.int64(state["total"][seat, slot]) + value
    if place < DOWN and kingdom >= 0 and _wins(state, seat, kingdom, seen):
        return (kingdom, total + defence_modifier(state, kingdom), slot, 0, -1, 0, value)
    return (-1, 0, slot, total, -1, 0, value)


@kernel
def _wins(state, seat, kingdom, total):
    return state["owner"][kingdom] != seat and total > state["strength"][kingdom]


@kernel
def _best_last_card(state, seat):
    """Return the final margin after the best last card for the chosen place."""
    place = np.int64(state["chosen"])
    cards = state["legal"][SEEN_CARDS]
    best = 0.0
    while cards:
        value = VALUE_OF[select_bit(cards, 0)]
        cards &= cards - 1
        gain = 0 if hand_is_free(state, seat) else value
        if place >= ADD:
            kingdom = place - ADD
            strength = np.int64(state["strength"][kingdom])
            powers = np.int64(state["powers"])
            gain += points_for(powers, kingdom, strength + value)
            gain -= points_for(powers, kingdom, strength)
        elif state["powers"] & BEST_FORCE and state["owner"][SEALAND] == seat:
            total = np.int64(state["total"][seat, place - STRENGTHEN]) + value
            gain += max(total - best_force(state, seat), 0)
        best = max(best, np.float64(gain))
    return _final_margin(state, seat) + best


# Estimates


@kernel
def _margin(state, seat, move):
    """Return the seat's estimate minus that of the others, after a move."""
    num_players = np.int64(state["num_players"])
    spent = np.int64(move[6] > 0)
    fewest = np.int64(state["hand_size"][seat]) - spent
    for other in range(num_players):
        if other != seat:
            fewest = min(fewest, np.int64(state["hand_size"][other]))
    turns = WEIGHTS[W_TURNS] * fewest
    best = -np.inf
    total = 0.0
    for other in range(num_players):
        if other != seat:
            value = _estimate(state, other, seat, turns, move)
            best = max(best, value)
            total += value
    others = WEIGHTS[W_BEST] * best + (1.0 - WEIGHTS[W_BEST]) * total / (num_players - 1)
    return _estimate(state, seat, seat, turns, move) - others


@kernel
def _estimate(state, player, viewer, turns, move):
    """Estimate the final score of ``player`` from what ``viewer`` knows."""
    soon = min(turns / WEIGHTS[W_SOON], 1.0)
    incomes = _incomes(state, player, turns)
    points = np.float64(state["fame"][player])
    for kingdom in range(NUM_KINGDOMS):
        owner = np.int64(state["owner"][kingdom])
        strength = np.int64(state["strength"][kingdom])
        if move[0] == kingdom:
            owner = viewer
            strength = move[1]
        worth = _worth(state, kingdom, strength, incomes)
        if owner == player:
            threat = _strongest(state, kingdom, player, viewer, move, False)
            loss = WEIGHTS[W_WEAK] * np.exp(-WEIGHTS[W_WEAK_STRENGTH] * strength)
            if threat > 0:
                need = max(strength - threat, 0.0)
                loss += WEIGHTS[W_THREAT] * np.exp(-WEIGHTS[W_THREAT_NEED] * need)
            guard = _strongest(state, kingdom, player, viewer, move, True)
            points += worth * (1.0 - min(loss, 1.0) * soon) + WEIGHTS[W_GUARD] * guard * soon
        else:
            total = _strongest(state, kingdom, player, viewer, move, True)
            if total > 0:
                need = max(strength - total, 0.0)
                won = _worth(state, kingdom, np.int64(max(total, strength + 1.0)), incomes)
                if owner != CENTRE:
                    won *= 1.0 + WEIGHTS[W_STOLEN]
                points += won * soon * WEIGHTS[W_FORCE] * np.exp(-WEIGHTS[W_FORCE_NEED] * need)
    return points + _powers(state, player, viewer, move) + _hand(state, player, viewer, turns, move)


@kernel
def _incomes(state, player, turns):
    """Return how often a player will get income: the one who got it last waits longest."""
    if turns <= 0.0:
        return 0.0
    num_players = np.int64(state["num_players"])
    ahead = (player - np.int64(state["turn_of"]) + num_players) % num_players
    return turns + (1.0 - ahead / num_players if ahead else 0.0)


@kernel
def _worth(state, kingdom, strength, incomes):
    """Return the value of a kingdom: points at the end, and income until then."""
    points = points_for(np.int64(state["powers"]), kingdom, strength)
    return np.float64(points) + np.float64(state["income"][kingdom]) * incomes


@kernel
def _strongest(state, kingdom, player, viewer, move, own):
    """Return the strongest force at a kingdom: of ``player`` if ``own``, else of the others."""
    best = 0.0
    for other in range(np.int64(state["num_players"])):
        if (other == player) == own:
            for slot in range(state["num_forces"][other]):
                if state["target"][other, slot] == kingdom:
                    mine = other == viewer
                    if mine and slot == move[2]:
                        total = np.float64(move[3])
                    else:
                        total = _strength_of(state, other, slot, mine)
                    best = max(best, total)
            if other == viewer and move[4] == kingdom:
                best = max(best, np.float64(move[5]))
    return best


@kernel
def _strength_of(state, seat, slot, mine):
    """Return the total of a force, including face-down cards: known or estimated."""
    total = np.float64(state["total"][seat, slot])
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            if mine:
                total += np.float64(VALUE_OF[state["down_card"][seat, j]])
            else:
                total += WEIGHTS[W_DOWN] * _mean_of_down(state, seat, j)
    return total


@kernel
def _mean_of_down(state, seat, j):
    """Return the mean value of all cards that a face-down card can be."""
    count = 0
    points = 0
    for knight in range(NUM_KNIGHTS):
        cards = np.int64(state["can_be"][seat, j, knight])
        count += cards
        points += cards * np.int64(VALUE_OF[knight])
    return points / count


@kernel
def _powers(state, player, viewer, move):
    """Return the points of end-of-game powers that don't belong to a kingdom's defence."""
    powers = np.int64(state["powers"])
    points = 0.0
    if powers & BEST_FORCE and _owner(state, SEALAND, viewer, move) == player:
        points += best_force(state, player)
    owner = _owner(state, FORESTLAND, viewer, move)
    if powers & TAKE_FAME and owner != CENTRE:
        if owner == player:
            points += FAME_TAKEN * (np.float64(state["num_players"]) - 1.0)
        else:
            points -= FAME_TAKEN
    return points


@kernel
def _owner(state, kingdom, viewer, move):
    return viewer if move[0] == kingdom else np.int64(state["owner"][kingdom])


@kernel
def _hand(state, player, viewer, turns, move):
    """Return the value of a hand: cards that will be played, minus the values of the others."""
    size = np.float64(state["hand_size"][player])
    if player == viewer:
        points = np.float64(hand_points(state, player) - move[6])
        size -= move[6] > 0
    else:
        points = np.float64(_pool_points(state, player))
    if size <= 0.0:
        return 0.0
    part = min(turns / size, 1.0)
    free = state["powers"] & HAND_IS_FREE and _owner(state, FORESTLAND, viewer, move) == player
    cost = 0.0 if free else 1.0 - part
    return points * (WEIGHTS[W_HAND] * part - cost)
