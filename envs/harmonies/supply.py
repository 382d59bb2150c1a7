"""The bag, the central board, the deck and the display: drawing, taking and refilling."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from .components import (
    ALL_SPIRITS,
    DISPLAY_SIZE,
    HAND_LIMIT,
    NUM_COLOURS,
    NUM_SPACES,
    PER_SPACE,
    SPIRITS_DEALT,
)


@kernel
def count_tokens(counts):
    """Add up tokens counted by colour."""
    tokens = 0
    for colour in range(NUM_COLOURS):
        tokens += np.int64(counts[colour])
    return tokens


@kernel
def count_held(state, seat):
    """Count the cards above the board of ``seat``."""
    held = 0
    for slot in range(HAND_LIMIT):
        held += state["card"][seat, slot] != 0
    return held


@kernel
def fill_space(state, space):
    """Draw three tokens from the bag onto an empty space of the central board."""
    left = count_tokens(state["bag"])
    for _ in range(min(PER_SPACE, left)):
        drawn = draw_below(state, left)
        # The tokens lie in the order of their colours: count the colours that end before this one.
        colour = 0
        upto = 0
        for other in range(NUM_COLOURS - 1):
            upto += np.int64(state["bag"][other])
            colour += drawn >= upto
        state["bag"][colour] -= 1
        state["central"][space, colour] += 1
        left -= 1


@kernel
def tokens_to_fill(state):
    """Return how many tokens the central board needs at the end of a turn."""
    return PER_SPACE * NUM_SPACES[1] if state["num_players"] == 1 else PER_SPACE


@kernel
def fill_central(state):
    """Fill the central board at the end of a turn; in solo games, all of its spaces (Mode solo)."""
    if state["num_players"] > 1:
        fill_space(state, np.int64(state["taken"]))
        return
    for space in range(NUM_SPACES[1]):
        for colour in range(NUM_COLOURS):
            state["discarded"][colour] += state["central"][space, colour]
            state["central"][space, colour] = 0
        fill_space(state, space)


@kernel
def draw_card(state):
    """Draw a random animal card from the deck; 0 if it is empty."""
    deck = state["deck"]
    if deck == 0:
        return 0
    card = select_bit(deck, draw_below(state, count_bits(deck)))
    state["deck"] = deck & ~(1 << card)
    return card


@kernel
def fill_display(state):
    """Draw a card for every empty place of the display."""
    for place in range(DISPLAY_SIZE[state["num_players"]]):
        if state["display"][place] == 0:
            state["display"][place] = draw_card(state)


@kernel
def deal_spirits(state):
    """Deal two spirit cards to each seat (Cartes Esprit de la nature)."""
    undealt = ALL_SPIRITS
    for seat in range(np.int64(state["num_players"])):
        for k in range(SPIRITS_DEALT):
            spirit = select_bit(undealt, draw_below(state, count_bits(undealt)))
            undealt &= ~(1 << spirit)
            state["dealt"][seat, k] = spirit
