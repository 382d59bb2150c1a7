"""The numbers that ``heuristics.py`` weighs with.

Found by an evolution strategy that maximised the points of the greedy agent, alone and with two
players, on both sides of the board.
"""

from __future__ import annotations

from typing import NamedTuple


class _Weights(NamedTuple):
    # Chance that a cube will be settled, by the tokens that its habitat lacks.
    ready: float = 0.97
    one_missing: float = 0.55
    two_missing: float = 0.34
    three_missing: float = 0.19
    more_missing: float = 0.15
    # Factors for each token missing beyond four, and for each further cube that isn't ready.
    each_beyond: float = 0.73
    further_cube: float = 0.5
    # Tokens still to be drawn for each one missing, so that the chance is a full one.
    tokens_needed: float = 5.09
    # Points of a spirit beyond those it has now.
    spirit: float = 7.72
    # Of each card already held: what it costs that its slot isn't free for another.
    slot: float = 0.69
    # Hexes that a turn uses up, points that it brings, turns from which on all hopes are full.
    hexes_a_turn: float = 1.77
    turn: float = 7.99
    full_turns: float = 3.04
    # Hopes, in points: what may be built on.
    trunk1: float = 2.08
    trunk2: float = 6.13
    lone_red: float = 0.41
    mountain1: float = 0.83
    mountain2: float = 1.45
    # Part of the points of a mountain that is still alone; a field of one.
    lone_mountain: float = 0.61
    lone_field: float = 1.22
    # Buildings with two, one and no colour around them.
    two_colours: float = 3.26
    one_colour: float = 1.14
    no_colour: float = 0.63
    # Water beside an empty hex (side A); land with one way out (side B).
    open_water: float = 0.5
    one_way_out: float = 1.17


WEIGHTS = _Weights()
