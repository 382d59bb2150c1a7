"""The fields of Saga's observation, and where the numbers stand in it."""

from __future__ import annotations

import numpy as np

from ..core.schema import Field, slices
from .components import (
    ADD,
    COLOURS,
    DOWN,
    KINGDOMS,
    MAX_FORCES,
    MAX_PLAYERS,
    NEW,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    PACK_SIZE,
    POWERS,
    SEALAND,
    SHADOWLAND,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
    VALUES,
)
from .state import PHASES

BYTE = 127
MOST = max(VALUES)
# Added to the value of the card that names the target.
LEADS = MOST
# The strongest defence has the highest value of every colour, and one more.
_STRONGEST = NUM_COLOURS * MOST + 1
_COLOURS = ", ".join(COLOURS)
_VALUES = "value of its card of each colour"
CHOICES = ("new force", "strengthen", "add to a defence", "face down", "take back", "turn up")
_NEW, _STRENGTHEN, _ADD, _DOWN, _TAKE, _TURN_UP = range(len(CHOICES))
_FORCE = (
    f"{_VALUES}, 0 for none or face down, {LEADS} more for the one that names the kingdom; by how "
    "much it is stronger than that kingdom; face-down cards in it"
)
# Numbers for a force, one of the observing seat's, a kingdom, a seat, the game.
FORCE_SIZE = NUM_COLOURS + 2
OWN_FORCE_SIZE = FORCE_SIZE + NUM_COLOURS
KINGDOM_SIZE = NUM_COLOURS + 1 + 1 + 1 + 1 + MAX_PLAYERS + MAX_PLAYERS
SEAT_SIZE = 7
GAME_SIZE = len(PHASES) + (MAX_PLAYERS - 1) + 7

FLAT = (
    Field(
        "own_forces",
        (MAX_FORCES, OWN_FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"own attack forces: {_FORCE}; place of the face-up card of each colour, 1 came first, "
        f"face-down ones count (colours: {_COLOURS})",
        "all",
    ),
    Field(
        "own_down",
        (MAX_FORCES, NUM_COLOURS),
        0,
        MOST,
        "own forces: value of the face-down card of each colour",
        "seat",
    ),
    Field(
        "other_forces",
        ((MAX_PLAYERS - 1) * MAX_FORCES, FORCE_SIZE),
        -_STRONGEST,
        _STRONGEST,
        f"attack forces of the other seats, {MAX_FORCES} each: {_FORCE}",
        "all",
    ),
    Field(
        "kingdoms",
        (NUM_KINGDOMS, KINGDOM_SIZE),
        -1,
        _STRONGEST,
        f"{_VALUES}; strength of its defence; income; chosen; its owner: none, then the seats; the "
        "strongest force of each seat at it",
        "all",
    ),
    Field("powers", (len(POWERS),), 0, 1, f"powers in this game: {', '.join(POWERS)}", "all"),
    Field(
        "hand",
        (NUM_KNIGHTS, 2),
        -_STRONGEST,
        _STRONGEST,
        "own hand: how many of each knight; once a force is chosen for a card, by how much that is "
        "stronger than its kingdom with it, face up",
        "seat",
    ),
    Field(
        "other_hands",
        (MAX_PLAYERS - 1, NUM_KNIGHTS),
        0,
        PACK_SIZE,
        "hand and face-down cards together of each other seat, once its pack is known: how many of "
        "each knight",
        "all",
    ),
    Field("free", (NUM_KNIGHTS,), 0, PACK_SIZE, "free knights: how many of each", "all"),
    Field(
        "seats",
        (MAX_PLAYERS, SEAT_SIZE),
        0,
        BYTE,
        "playing, to play, its turn, first player, pack is known, cards in hand, fame at most "
        f"{BYTE}",
        "all",
    ),
    Field("choices", (len(CHOICES),), 0, 1, f"chosen for a card: {', '.join(CHOICES)}", "all"),
    Field("force", (MAX_FORCES,), 0, 1, "the force chosen, of the seat to play", "all"),
    Field(
        "game",
        (GAME_SIZE,),
        0,
        1,
        f"phase ({', '.join(PHASES).lower()}), 2 to {MAX_PLAYERS} players, card played, recruited, "
        f"card taken back, last card played, retake at once, power used of {KINGDOMS[SHADOWLAND]}, "
        f"of {KINGDOMS[SEALAND]}",
        "all",
    ),
)

# Where the fields begin.
AT = {name: part.start for name, part in slices(FLAT).items()}
# Within a force, and within a kingdom.
MARGIN, HOW_MANY_DOWN, ORDER = NUM_COLOURS, NUM_COLOURS + 1, NUM_COLOURS + 2
STRENGTH, INCOME, CHOSEN, OWNER = range(NUM_COLOURS, NUM_COLOURS + 4)
STRONGEST_OF = OWNER + 1 + MAX_PLAYERS

# What each action that chooses a place stands for, and where in the observation its force or
# kingdom is marked, -1 for none.
CHOICE_OF = np.full(TURN_UP + MAX_FORCES, -1)
MARK_OF = np.full(TURN_UP + MAX_FORCES, -1)
for _choice, _first, _count, _at, _step in (
    (_NEW, NEW, 1, -1, 0),
    (_STRENGTHEN, STRENGTHEN, MAX_FORCES, AT["force"], 1),
    (_ADD, ADD, NUM_KINGDOMS, AT["kingdoms"] + CHOSEN, KINGDOM_SIZE),
    (_DOWN, DOWN, MAX_FORCES, AT["force"], 1),
    (_TAKE, TAKE_FORCE, MAX_FORCES, AT["force"], 1),
    (_TAKE, TAKE_DEFENCE, NUM_KINGDOMS, AT["kingdoms"] + CHOSEN, KINGDOM_SIZE),
    (_TURN_UP, TURN_UP, MAX_FORCES, AT["force"], 1),
):
    for _k in range(_count):
        CHOICE_OF[_first + _k] = _choice
        MARK_OF[_first + _k] = _at + _k * _step
