"""The components of Harmonies as constant arrays (from ``components.json``).

Colours of tokens: 0 blue, 1 gray, 2 brown, 3 green, 4 yellow, 5 red. Sides of the board: 0 A, 1 B.
Cards: 1 to 32 are animals, 33 to 42 Nature's Spirits, 0 is no card.

Hexes are numbered column by column from the left, each from its top: 0-22 on side A (columns of 5,
4, 5, 4, 5), 0-24 on side B (4, 3, 4, 3, 4, 3, 4). Odd columns are half a hex lower. The axial
coordinates are q = column, r = row - column // 2; a hex's number is ``STRIDE[side] * q + r``.
Therefore a step in one of the six directions is the same shift of a set of hexes everywhere, as
long as it stays on the board.

A hex holds one of 14 stacks (``STACKS``, 0 is none). The rules refer to its kind: the colour on top
and the height; all buildings are one kind, whatever is under the red token.
"""

from __future__ import annotations

import json
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np

_BOX = json.loads((Path(__file__).parent / "components.json").read_text(encoding="utf-8"))

PLAYER_COUNTS: tuple[int, ...] = tuple(_BOX["players"])
MAX_PLAYERS = max(PLAYER_COUNTS)

# Tokens.
COLOURS: tuple[str, ...] = tuple(_BOX["colours"])
NUM_COLOURS = len(COLOURS)
BLUE, GRAY, BROWN, GREEN, YELLOW, RED = range(NUM_COLOURS)
TOKENS = np.array([_BOX["tokens"][colour] for colour in COLOURS], dtype=np.int8)
PER_SPACE: int = _BOX["tokens_per_space"]
MAX_SPACES: int = _BOX["spaces"]
# Spaces of the central board and places of the display, by number of players.
NUM_SPACES = np.array([0, _BOX["spaces_solo"]] + [MAX_SPACES] * 3, dtype=np.int8)
MAX_DISPLAY: int = _BOX["display"]
DISPLAY_SIZE = np.array([0, _BOX["display_solo"]] + [MAX_DISPLAY] * 3, dtype=np.int8)
SOLO_DISPLAY: int = _BOX["display_solo"]

# Boards.
SIDES = ("A", "B")
COLUMNS = tuple(tuple(_BOX["boards"][side]["columns"]) for side in SIDES)
NUM_HEXES = np.array([sum(columns) for columns in COLUMNS], dtype=np.int8)
MAX_HEXES = int(NUM_HEXES.max())
BOARD = np.array([(1 << int(count)) - 1 for count in NUM_HEXES], dtype=np.int64)
STRIDE = np.array([columns[0] for columns in COLUMNS], dtype=np.int64)
# Clockwise from the bottom right: (q, r) of the six neighbours.
DIRECTIONS = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
HEX_COL = np.zeros((len(SIDES), MAX_HEXES), dtype=np.int8)
HEX_ROW = np.zeros((len(SIDES), MAX_HEXES), dtype=np.int8)
_HEX_AT: list[dict[tuple[int, int], int]] = [{}, {}]
for _side, _columns in enumerate(COLUMNS):
    _hexes = [(col, row) for col, count in enumerate(_columns) for row in range(count)]
    for _hex, (_col, _row) in enumerate(_hexes):
        HEX_COL[_side, _hex], HEX_ROW[_side, _hex] = _col, _row
        _HEX_AT[_side][_col, _row - _col // 2] = _hex


def axial_of(side: int, hex_: int) -> tuple[int, int]:
    """Return the axial coordinates (q, r) of a hex."""
    col = int(HEX_COL[side, hex_])
    return col, int(HEX_ROW[side, hex_]) - col // 2


def hex_at(side: int, q: int, r: int) -> int:
    """Return the number of the hex at (q, r), -1 if that is off the board."""
    return _HEX_AT[side].get((q, r), -1)


def _anchors(side: int, offsets) -> int:
    """Return the hexes from which every offset stays on the board, as bits."""
    places = _HEX_AT[side].items()
    fits = [h for (q, r), h in places if all(hex_at(side, q + a, r + b) >= 0 for a, b in offsets)]
    return sum(1 << h for h in fits)


# By direction: the hexes that have a neighbour there. Opposite directions are three apart.
HAS_NEIGHBOUR = np.array(
    [[_anchors(side, [direction]) for direction in DIRECTIONS] for side in range(len(SIDES))],
    dtype=np.int64,
)

# Stacks: colours from bottom to top; 0 is the empty hex.
STACKS: tuple[tuple[int, ...], ...] = (
    (),
    *(tuple(COLOURS.index(colour) for colour in stack) for stack in _BOX["stacks"]),
)
NUM_STACKS = len(STACKS)
MAX_HEIGHT = max(len(stack) for stack in STACKS)
# By colour and stack: the stack with a token of that colour on top; 0 where that isn't allowed.
STACKED = np.zeros((NUM_COLOURS, NUM_STACKS), dtype=np.uint8)
for _colour, _number in np.ndindex(STACKED.shape):
    _higher = (*STACKS[_number], _colour)
    if _higher in STACKS:
        STACKED[_colour, _number] = STACKS.index(_higher)

# Kinds: what a stack is in the landscape.
KINDS = (
    *("empty", "water", "mountain1", "mountain2", "mountain3", "trunk1", "trunk2"),
    *("tree1", "tree2", "tree3", "field", "red", "building"),
)
NUM_KINDS = len(KINDS)
KIND: Any = namedtuple("Kind", KINDS)(*range(NUM_KINDS))
# By colour on top: the first of its kinds; the others follow by height, up to the next colour's.
FIRST_KIND = np.array(
    [*(KIND.water, KIND.mountain1, KIND.trunk1, KIND.tree1, KIND.field, KIND.red), NUM_KINDS]
)

# Kind, colour on top (-1 for none) and height of each stack.
KIND_OF_STACK = np.array(
    [FIRST_KIND[stack[-1]] + len(stack) - 1 if stack else KIND.empty for stack in STACKS],
    dtype=np.uint8,
)
TOP_OF_STACK = np.array([stack[-1] if stack else -1 for stack in STACKS], dtype=np.int8)
HEIGHT_OF_STACK = np.array([len(stack) for stack in STACKS], dtype=np.int8)

# Stacking by kinds, from STACKED: those that a token of each colour may go on, including empty and
# repeated to fill the row; and by colour and kind, the resulting kind.
_ON = tuple(
    sorted({int(KIND_OF_STACK[stack]) for stack in np.flatnonzero(STACKED[colour])})
    for colour in range(NUM_COLOURS)
)
NUM_ON = np.array([len(kinds) for kinds in _ON])
MAX_ON = int(NUM_ON.max())
ON = np.array([[*kinds, *[KIND.empty] * (MAX_ON - len(kinds))] for kinds in _ON])
MAKES = np.zeros((NUM_COLOURS, NUM_KINDS), dtype=np.int64)
for _colour in range(NUM_COLOURS):
    for _under in np.flatnonzero(STACKED[_colour]):
        MAKES[_colour, KIND_OF_STACK[_under]] = KIND_OF_STACK[STACKED[_colour, _under]]
assert all(
    (KIND_OF_STACK[s] in _ON[c]) == (STACKED[c, s] > 0) for c, s in np.ndindex(STACKED.shape)
)

# Cards.
_CARDS = [*_BOX["animals"], *_BOX["spirits"]]
NUM_ANIMALS = len(_BOX["animals"])
NUM_SPIRITS = len(_BOX["spirits"])
NUM_CARDS = len(_CARDS)
FIRST_SPIRIT = NUM_ANIMALS + 1
# As bits: bit k is card k.
ALL_ANIMALS = ((1 << NUM_ANIMALS) - 1) << 1
ALL_SPIRITS = ((1 << NUM_SPIRITS) - 1) << FIRST_SPIRIT
CARD_NAMES: tuple[str, ...] = ("", *(card["name"] for card in _CARDS))
HAND_LIMIT: int = _BOX["hand_limit"]
SPIRITS_DEALT: int = _BOX["spirits_dealt"]
MAX_CUBES = max(len(card["ladder"]) for card in _BOX["animals"])
# Cubes on a card when it is taken, and the points by number of cubes settled from it. A spirit card
# has one cube, and its points are counted at the end.
NUM_CUBES = np.array([0] + [len(c.get("ladder", [0])) for c in _CARDS], dtype=np.int8)
LADDER = np.zeros((NUM_CARDS + 1, MAX_CUBES + 1), dtype=np.int8)
for _card in _BOX["animals"]:
    LADDER[_card["id"], 1 : len(_card["ladder"]) + 1] = _card["ladder"]

# Habitats: the kind of the hex that gets the cube, then those of the other hexes (at most three),
# KIND.empty where there are fewer; and their offsets (dq, dr) from it as printed.
MAX_OTHERS = max(len(card["pattern"]) for card in _CARDS) - 1
HABITAT_SIZE = np.array([0] + [len(card["pattern"]) for card in _CARDS], dtype=np.int8)
HABITAT_KIND = np.zeros((NUM_CARDS + 1, MAX_OTHERS + 1), dtype=np.int8)
HABITAT_OFFSETS: tuple[tuple[tuple[int, int], ...], ...] = (
    (),
    *(tuple((q, r) for q, r, _ in card["pattern"][1:]) for card in _CARDS),
)
for _number, _card in enumerate(_CARDS, start=1):
    for _k, (_q, _r, _name) in enumerate(_card["pattern"]):
        HABITAT_KIND[_number, _k] = KINDS.index(_name)

# Shapes: the different sets of offsets, each with its six rotations.
SHAPES = tuple(dict.fromkeys(HABITAT_OFFSETS[1:]))
NUM_ROTATIONS = 6
SHAPE_OF_CARD = np.array(
    [0] + [SHAPES.index(offsets) for offsets in HABITAT_OFFSETS[1:]], dtype=np.int8
)


def rotated(offsets, turns: int) -> tuple[tuple[int, int], ...]:
    """Return offsets rotated clockwise by ``turns`` sixths of a full turn."""
    for _ in range(turns):
        offsets = tuple((-r, q + r) for q, r in offsets)
    return tuple(offsets)


# By side, shape and rotation: the hexes where the habitat fits on the board, and how far in numbers
# its other hexes are from the one that gets the cube.
HABITAT_FITS = np.zeros((len(SIDES), len(SHAPES), NUM_ROTATIONS), dtype=np.int64)
HABITAT_SHIFT = np.zeros((len(SIDES), len(SHAPES), NUM_ROTATIONS, MAX_OTHERS), dtype=np.int64)
for _side in range(len(SIDES)):
    for _number, _offsets in enumerate(SHAPES):
        for _turns in range(NUM_ROTATIONS):
            _turned = rotated(_offsets, _turns)
            HABITAT_FITS[_side, _number, _turns] = _anchors(_side, _turned)
            for _k, (_q, _r) in enumerate(_turned):
                HABITAT_SHIFT[_side, _number, _turns, _k] = STRIDE[_side] * _q + _r

# Points of the landscapes.
_SCORING = _BOX["scoring"]
TREE_POINTS = np.array(_SCORING["tree"], dtype=np.int64)
MOUNTAIN_POINTS = np.array(_SCORING["mountain"], dtype=np.int64)
FIELD_POINTS: int = _SCORING["field"]
BUILDING_POINTS: int = _SCORING["building"]
ISLAND_POINTS: int = _SCORING["island"]
_RIVER = _SCORING["river"]
_LONGER = [_RIVER[-1] + _SCORING["river_beyond"] * k for k in range(1, 20)]
RIVER_POINTS = np.array(_RIVER + _LONGER, dtype=np.int64)
# Spirits: the landscape each counts, whether its groups or each of them, and the points for a group
# of 1, 2, 3 or more hexes, or for one of height 1, 2, 3.
LANDSCAPES = ("tree", "mountain", "field", "building", "water")
SPIRIT_LANDSCAPE = np.zeros(NUM_CARDS + 1, dtype=np.int8)
SPIRIT_COUNTS_GROUPS = np.zeros(NUM_CARDS + 1, dtype=np.bool_)
SPIRIT_POINTS = np.zeros((NUM_CARDS + 1, MAX_HEIGHT + 1), dtype=np.int64)
for _card in _BOX["spirits"]:
    SPIRIT_LANDSCAPE[_card["id"]] = LANDSCAPES.index(_card["of"])
    SPIRIT_COUNTS_GROUPS[_card["id"]] = _card["counts"] == "groups"
    SPIRIT_POINTS[_card["id"]] = _card["points"]

# Solo: points from which each sun is won, and suns for the side and for the spirit, by card.
SUNS_FROM: tuple[int, ...] = tuple(_BOX["solo"]["suns_from"])
SUNS_FOR_SIDE = np.array([_BOX["solo"]["side"][side] for side in SIDES], dtype=np.int64)
SUNS_WITHOUT_SPIRIT: int = _BOX["solo"]["no_spirit"]
SUNS_FOR_SPIRIT = np.where(
    SPIRIT_COUNTS_GROUPS, _BOX["solo"]["group_spirit"], _BOX["solo"]["count_spirit"]
)
# Suns that count as a win (rank 1) in the solo game: our choice, as the rulebook names no goal. On
# side A without spirits this is 90 points, on side B 110.
SOLO_GOAL = 6
