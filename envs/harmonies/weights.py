"""The numbers that ``heuristics.py`` weighs with.

Found by an evolution strategy that maximised the points of the greedy agent, alone and with two
players, on both sides of the board.
"""

from __future__ import annotations

import numpy as np

_VALUES = {
    # Chance that a cube will be settled, by the tokens that its habitat lacks.
    "READY": 0.97,
    "ONE_MISSING": 0.55,
    "TWO_MISSING": 0.34,
    "THREE_MISSING": 0.19,
    "MORE_MISSING": 0.15,
    # Factors for each token missing beyond four, and for each further cube that isn't ready.
    "EACH_BEYOND": 0.73,
    "FURTHER_CUBE": 0.5,
    # Tokens still to be drawn for each one missing, so that the chance is a full one.
    "TOKENS_NEEDED": 5.09,
    # Points of a spirit beyond those it has now.
    "SPIRIT": 7.72,
    # Of each card already held: what it costs that its slot isn't free for another.
    "SLOT": 0.69,
    # Hexes that a turn uses up, points that it brings, turns from which on all hopes are full.
    "HEXES_A_TURN": 1.77,
    "TURN": 7.99,
    "FULL_TURNS": 3.04,
    # Hopes, in points: what may be built on.
    "TRUNK1": 2.08,
    "TRUNK2": 6.13,
    "LONE_RED": 0.41,
    "MOUNTAIN1": 0.83,
    "MOUNTAIN2": 1.45,
    # Part of the points of a mountain that is still alone; a field of one.
    "LONE_MOUNTAIN": 0.61,
    "LONE_FIELD": 1.22,
    # Buildings with two, one and no colour around them.
    "TWO_COLOURS": 3.26,
    "ONE_COLOUR": 1.14,
    "NO_COLOUR": 0.63,
    # Water beside an empty hex (side A); land with one way out (side B).
    "OPEN_WATER": 0.5,
    "ONE_WAY_OUT": 1.17,
}
NAMES = tuple(_VALUES)
WEIGHTS = np.array(list(_VALUES.values()))
(
    W_READY,
    W_ONE_MISSING,
    W_TWO_MISSING,
    W_THREE_MISSING,
    W_MORE_MISSING,
    W_EACH_BEYOND,
    W_FURTHER_CUBE,
    W_TOKENS_NEEDED,
    W_SPIRIT,
    W_SLOT,
    W_HEXES_A_TURN,
    W_TURN,
    W_FULL_TURNS,
    W_TRUNK1,
    W_TRUNK2,
    W_LONE_RED,
    W_MOUNTAIN1,
    W_MOUNTAIN2,
    W_LONE_MOUNTAIN,
    W_LONE_FIELD,
    W_TWO_COLOURS,
    W_ONE_COLOUR,
    W_NO_COLOUR,
    W_OPEN_WATER,
    W_ONE_WAY_OUT,
) = range(len(NAMES))
