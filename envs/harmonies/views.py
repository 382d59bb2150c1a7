"""What a seat sees of a game of Harmonies, and what it cannot know.

Public: boards, cards, tokens, and so what is left in the bag and in the deck; the spirit that a
seat has kept. Hidden: what will be drawn from the bag and the deck; the spirit cards dealt to other
seats but for those kept. Seats count from the observing one.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from ..core.schema import Field, total_size
from .components import (
    BUILDING,
    COLOURS,
    EMPTY,
    FIELD,
    FIRST_SPIRIT,
    GRAY,
    HABITAT_KIND,
    HABITAT_SIZE,
    HAND_LIMIT,
    HEX_COL,
    HEX_ROW,
    KINDS,
    MAX_CUBES,
    MAX_DISPLAY,
    MAX_HEIGHT,
    MAX_HEXES,
    MAX_PLAYERS,
    MAX_SPACES,
    NUM_ANIMALS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_HEXES,
    NUM_KINDS,
    NUM_SPIRITS,
    PER_SPACE,
    SPIRITS_DEALT,
    TOKENS,
    WATER,
)
from .prospects import COLOURS_BEFORE, FAR, LAST_COLOUR, near_habitats, wanted_hexes
from .scoring import hexes_by_top, next_to
from .state import CATEGORIES, PHASES
from .supply import tokens_in_bag

# A turn has at most six actions besides the settling of cubes; a hex takes one cube; a seat chooses
# one spirit. All together have 36 turns at most (13 alone, with a discard each: fewer actions).
MAX_PLIES = 36 * 6 + MAX_PLAYERS * (MAX_HEXES + 1)

_BYTE = 127
_OTHERS = MAX_PLAYERS - 1
_COLOURS = ", ".join(COLOURS)
_LANDSCAPE_KINDS = NUM_KINDS - WATER
_SLOT_NUMBERS = NUM_CARDS + 2
_DISPLAY_NUMBERS = NUM_ANIMALS + 1 + FAR + 1
_SPACE_NUMBERS = NUM_COLOURS + 2
_AWAY = ", ".join(map(str, range(FAR + 1)))
_SEAT_NUMBERS = 8 + len(CATEGORIES)
_GAME_NUMBERS = len(PHASES) + MAX_PLAYERS + 8
_SEATS = (
    "playing, to play, first player, empty hexes, cubes settled, empty slots, cards completed, "
    f"points at most {_BYTE}, then points for {', '.join(CATEGORIES)}"
)
_GAME = (
    f"phase ({', '.join(PHASES).lower()}), 1 to 4 players, side A, side B, with spirits, last "
    "round, tokens taken, card taken, turns finished, tokens in the bag"
)
_NO_CARD = "the first number stands for none"

# Maps of one row: hexes have the same numbers on both sides, but not the same neighbours.
_LINE = (1, MAX_HEXES)
_BOARDS = (
    Field(
        "hexes",
        (_LANDSCAPE_KINDS, *_LINE),
        0,
        1,
        f"own board, one row a kind of hex: {', '.join(KINDS[WATER:])}",
        "all",
    ),
    Field("cubes", (1, *_LINE), 0, 1, "own hexes with a cube", "all"),
    Field("settle", (HAND_LIMIT, *_LINE), 0, 1, "where each own card may settle a cube", "all"),
    Field(
        "near",
        (NUM_COLOURS + 2, *_LINE),
        0,
        1,
        f"own hexes next to: {_COLOURS}, a field of one, a mountain that is alone",
        "all",
    ),
    Field(
        "builds",
        (NUM_COLOURS, *_LINE),
        0,
        1,
        f"where {_COLOURS} would be the third colour around a building",
        "all",
    ),
    Field(
        "completes",
        (NUM_COLOURS, *_LINE),
        0,
        1,
        f"where {_COLOURS} would be the last token of a habitat of an own card",
        "all",
    ),
    Field(
        "advances",
        (NUM_COLOURS, *_LINE),
        0,
        1,
        f"where {_COLOURS} would be the last token but one of a habitat of an own card",
        "all",
    ),
    Field(
        "others_top",
        (_OTHERS, NUM_COLOURS, MAX_HEXES),
        0,
        1,
        f"boards of the other seats, one row a colour on top: {_COLOURS}",
        "all",
    ),
    Field("others_height", (_OTHERS, MAX_HEXES), 0, MAX_HEIGHT, "tokens on their hexes", "all"),
    Field("others_cubes", (_OTHERS, MAX_HEXES), 0, 1, "their hexes with a cube", "all"),
)
_NUMBERS = (
    Field(
        "slots",
        (HAND_LIMIT, _SLOT_NUMBERS),
        0,
        MAX_CUBES,
        f"own cards, by number; {_NO_CARD}; then the cubes still on the card",
        "all",
    ),
    Field(
        "display",
        (MAX_DISPLAY, _DISPLAY_NUMBERS),
        0,
        MAX_HEXES,
        f"animal cards of the display, by number; {_NO_CARD}; then, with an empty slot, own hexes "
        f"at most {_AWAY} tokens from its habitat",
        "all",
    ),
    Field(
        "others_cards",
        (_OTHERS, NUM_CARDS + 1),
        0,
        MAX_CUBES,
        "cubes still on the cards of each other seat, by number; 0 if it doesn't hold the card",
        "all",
    ),
    Field("deck", (NUM_ANIMALS,), 0, 1, "animal cards not seen yet", "all"),
    Field(
        "hand", (NUM_COLOURS, 1), 0, PER_SPACE, f"tokens taken, not placed yet: {_COLOURS}", "all"
    ),
    Field(
        "central",
        (MAX_SPACES, _SPACE_NUMBERS),
        0,
        PER_SPACE,
        f"tokens on each space: {_COLOURS}; of those, tokens of a colour in `completes`, in "
        "`advances`",
        "all",
    ),
    Field("bag", (NUM_COLOURS,), 0, int(TOKENS.max()), "tokens in the bag", "all"),
    Field(
        "spirits",
        (MAX_PLAYERS, NUM_SPIRITS + 1),
        0,
        1,
        f"spirit kept by each seat; {_NO_CARD} yet",
        "all",
    ),
    Field("dealt", (SPIRITS_DEALT, NUM_SPIRITS), 0, 1, "spirit cards dealt to the seat", "seat"),
    Field("seats", (MAX_PLAYERS, _SEAT_NUMBERS), 0, _BYTE, _SEATS, "all"),
    Field("game", (_GAME_NUMBERS,), 0, _BYTE, _GAME, "all"),
)
FLAT = _BOARDS + _NUMBERS
FLAT_SIZE = total_size(FLAT)

_ROWS, _COLS = 5, 7
_GRID = (_ROWS, _COLS)
_CELLS = _ROWS * _COLS
_NUMBER_PLANES = -(-total_size(_NUMBERS) // _CELLS)
PLANES = (
    Field("board", (1, *_GRID), 0, 1, "hexes of the board", "all"),
    Field(
        "hexes", (_LANDSCAPE_KINDS, *_GRID), 0, 1, f"own hexes: {', '.join(KINDS[WATER:])}", "all"
    ),
    Field("cubes", (1, *_GRID), 0, 1, "own hexes with a cube", "all"),
    Field("habitat", (HAND_LIMIT, *_GRID), 0, 1, "where the habitat of each own card is", "all"),
    Field("others_top", (_OTHERS * NUM_COLOURS, *_GRID), 0, 1, "as in the flat observation", "all"),
    Field("others_height", (_OTHERS, *_GRID), 0, MAX_HEIGHT, "as in the flat observation", "all"),
    Field("others_cubes", (_OTHERS, *_GRID), 0, 1, "as in the flat observation", "all"),
    Field(
        "numbers",
        (_NUMBER_PLANES, *_GRID),
        0,
        _BYTE,
        "the flat observation from `slots` on but `dealt` and what cards and spaces would bring (0 "
        "there), a number a cell, then 0",
        "all",
    ),
    Field("dealt", (1, *_GRID), 0, 1, "`dealt` of the flat observation, a number a cell", "seat"),
)
# Where a hex is on the grid: the columns of the board, each from its top.
CELL = HEX_ROW.astype(np.int64) * _COLS + HEX_COL


def _starts(fields) -> dict[str, int]:
    starts, start = {}, 0
    for field in fields:
        starts[field.name] = start
        start += field.size
    return starts


(
    _HEXES,
    _CUBES,
    _SETTLE,
    _NEAR,
    _BUILDS,
    _COMPLETES,
    _ADVANCES,
    _OTHERS_TOP,
    _OTHERS_HEIGHT,
    _OTHERS_CUBES,
    _SLOTS,
    _DISPLAY,
    _OTHERS_CARDS,
    _DECK,
    _HAND,
    _CENTRAL,
    _BAG,
    _SPIRITS,
    _DEALT,
    _SEATS_AT,
    _GAME_AT,
) = _starts(FLAT).values()
_PLANE_AT = _starts(PLANES)
_P_HEXES = _PLANE_AT["hexes"]
_P_CUBES = _PLANE_AT["cubes"]
_P_HABITAT = _PLANE_AT["habitat"]
_P_OTHERS_TOP = _PLANE_AT["others_top"]
_P_OTHERS_HEIGHT = _PLANE_AT["others_height"]
_P_OTHERS_CUBES = _PLANE_AT["others_cubes"]
_P_NUMBERS = _PLANE_AT["numbers"]
_P_DEALT = _PLANE_AT["dealt"]
_DEALT_SIZE = SPIRITS_DEALT * NUM_SPIRITS
_AFTER_DEALT = _SEATS_AT - _SLOTS
_MASK = (1 << MAX_HEXES) - 1


@kernel
def _seat_after(state, seat, ahead):
    """Return the seat that sits ``ahead`` seats after ``seat``."""
    other = seat + ahead
    num_players = np.int64(state["num_players"])
    return other - num_players if other >= num_players else other


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with what ``seat`` sees."""
    out[:] = 0
    _write_own_board(state, seat, out)
    _write_neighbours(state, seat, out)
    completing, advancing = _write_wanted(state, seat, out)
    for ahead in range(1, np.int64(state["num_players"])):
        _write_other_board(state, _seat_after(state, seat, ahead), ahead - 1, out)
    _write_numbers(state, seat, out[_SLOTS:])
    _write_offers(state, seat, completing, advancing, out)


@kernel
def _write_own_board(state, seat, out):
    stack = state["stack"][seat]
    cubes = np.int32(state["cubes"][seat])
    for hex_ in range(MAX_HEXES):
        # Stacks have the numbers of their kinds, but for the buildings: they are the last.
        for kind in range(WATER, BUILDING):
            out[(kind - WATER) * MAX_HEXES + hex_] = stack[hex_] == kind
        out[(BUILDING - WATER) * MAX_HEXES + hex_] = stack[hex_] >= BUILDING
    _write_hexes(cubes, out, _CUBES)
    for slot in range(HAND_LIMIT):
        found = np.int32(state["habitat"][seat, slot])
        _write_hexes(found & ~cubes, out, _SETTLE + slot * MAX_HEXES)


@kernel
def _write_neighbours(state, seat, out):
    """Write what is next to the hexes of the own board."""
    kinds = state["hexes"][seat]
    side = np.int64(state["side"])
    one = 0
    two = 0
    three = 0
    for colour in range(NUM_COLOURS):
        near = next_to(hexes_by_top(kinds, colour), side)
        _write_hexes(np.int32(near), out, _NEAR + colour * MAX_HEXES)
        three |= two & near
        two |= one & near
        one |= near
    fields = np.int64(kinds[FIELD])
    mountains = hexes_by_top(kinds, GRAY)
    at = _NEAR + NUM_COLOURS * MAX_HEXES
    _write_hexes(np.int32(next_to(fields & ~next_to(fields, side), side)), out, at)
    alone = mountains & ~next_to(mountains, side)
    _write_hexes(np.int32(next_to(alone, side)), out, at + MAX_HEXES)
    unfinished = np.int64(kinds[BUILDING]) & two & ~three
    if unfinished:
        for colour in range(NUM_COLOURS):
            lacking = unfinished & ~next_to(hexes_by_top(kinds, colour), side)
            hexes = next_to(lacking, side)
            _write_hexes(np.int32(hexes), out, _BUILDS + colour * MAX_HEXES)


@kernel
def _write_wanted(state, seat, out):
    """Write the tokens that own cards want; return their colours, as bits: last ones, others."""
    kinds = state["hexes"][seat]
    side = np.int64(state["side"])
    free = ~np.int64(state["cubes"][seat])
    completing = 0
    advancing = 0
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        if card:
            last, half, first = wanted_hexes(kinds, free, side, card)
            for part in range(HABITAT_SIZE[card]):
                kind = np.int64(HABITAT_KIND[card, part])
                colour = LAST_COLOUR[kind]
                if last[part]:
                    completing |= 1 << colour
                    _add_hexes(last[part], out, _COMPLETES + colour * MAX_HEXES)
                if half[part]:
                    advancing |= 1 << colour
                    _add_hexes(half[part], out, _ADVANCES + colour * MAX_HEXES)
                if first[part]:
                    advancing |= COLOURS_BEFORE[kind]
                    for before in range(NUM_COLOURS):
                        if COLOURS_BEFORE[kind] >> before & 1:
                            _add_hexes(first[part], out, _ADVANCES + before * MAX_HEXES)
    return completing, advancing


@kernel
def _add_hexes(hexes, out, at):
    """Add a set of hexes to the 25 numbers of another."""
    line = out[at : at + MAX_HEXES]
    for hex_ in range(MAX_HEXES):
        line[hex_] |= hexes >> hex_ & 1


@kernel
def _write_hexes(hexes, out, at):
    """Write a set of hexes, an int32, as 25 numbers."""
    # A slice from 0 up: the compiler then knows that no index is negative, and uses vectors.
    line = out[at : at + MAX_HEXES]
    for hex_ in range(MAX_HEXES):
        line[hex_] = hexes >> hex_ & 1


@kernel
def _write_other_board(state, seat, k, out):
    top = state["top"][seat]
    height = state["height"][seat]
    cubes = np.int32(state["cubes"][seat])
    at = _OTHERS_TOP + k * NUM_COLOURS * MAX_HEXES
    for hex_ in range(MAX_HEXES):
        for colour in range(NUM_COLOURS):
            out[at + colour * MAX_HEXES + hex_] = top[hex_] == colour
    for hex_ in range(MAX_HEXES):
        out[_OTHERS_HEIGHT + k * MAX_HEXES + hex_] = height[hex_]
    _write_hexes(cubes, out, _OTHERS_CUBES + k * MAX_HEXES)


@kernel
def _write_offers(state, seat, completing, advancing, out):
    """Write what the spaces and the cards of the display would bring to the own board."""
    for space in range(MAX_SPACES):
        at = _CENTRAL + space * _SPACE_NUMBERS
        for colour in range(NUM_COLOURS):
            tokens = state["central"][space, colour]
            out[at + NUM_COLOURS] += tokens * (completing >> colour & 1)
            out[at + NUM_COLOURS + 1] += tokens * (advancing >> colour & 1)
    room = False
    for slot in range(HAND_LIMIT):
        room |= state["card"][seat, slot] == 0
    if room:
        kinds = state["hexes"][seat]
        free = ~np.int64(state["cubes"][seat])
        for place in range(MAX_DISPLAY):
            card = np.int64(state["display"][place])
            if card:
                w0, w1, w2, w3 = near_habitats(kinds, free, np.int64(state["side"]), card)
                at = _DISPLAY + place * _DISPLAY_NUMBERS + NUM_ANIMALS + 1
                out[at] = count_bits(w0)
                out[at + 1] = count_bits(w1)
                out[at + 2] = count_bits(w2)
                out[at + 3] = count_bits(w3)


# Fields from ``slots`` on; ``out`` starts there


@kernel
def _write_numbers(state, seat, out):
    num_players = np.int64(state["num_players"])
    for slot in range(HAND_LIMIT):
        at = slot * _SLOT_NUMBERS
        out[at + np.int64(state["card"][seat, slot])] = 1
        out[at + NUM_CARDS + 1] = state["cubes_left"][seat, slot]
    for place in range(MAX_DISPLAY):
        card = np.int64(state["display"][place])
        out[_DISPLAY - _SLOTS + place * _DISPLAY_NUMBERS + card] = 1
    deck = np.uint32(state["deck"] >> 1)
    for card in range(NUM_ANIMALS):
        out[_DECK - _SLOTS + card] = deck >> np.uint32(card) & np.uint32(1)
    for colour in range(NUM_COLOURS):
        out[_HAND - _SLOTS + colour] = state["hand"][colour]
        out[_BAG - _SLOTS + colour] = state["bag"][colour]
    for space in range(MAX_SPACES):
        for colour in range(NUM_COLOURS):
            at = _CENTRAL - _SLOTS + space * _SPACE_NUMBERS
            out[at + colour] = state["central"][space, colour]
    for ahead in range(num_players):
        other = _seat_after(state, seat, ahead)
        spirit = max(np.int64(state["spirit"][other]) - FIRST_SPIRIT + 1, 0)
        out[_SPIRITS - _SLOTS + ahead * (NUM_SPIRITS + 1) + spirit] = 1
        _write_seat(state, other, out, _SEATS_AT - _SLOTS + ahead * _SEAT_NUMBERS)
        if ahead:
            _write_cards(state, other, out, _OTHERS_CARDS - _SLOTS + (ahead - 1) * (NUM_CARDS + 1))
    if state["spirits"]:
        for k in range(SPIRITS_DEALT):
            dealt = np.int64(state["dealt"][seat, k]) - FIRST_SPIRIT
            out[_DEALT - _SLOTS + k * NUM_SPIRITS + dealt] = 1
    _write_game(state, out, _GAME_AT - _SLOTS)


@kernel
def _write_cards(state, seat, out, at):
    for slot in range(HAND_LIMIT):
        # An empty slot has no cubes: it writes 0 for card 0.
        out[at + np.int64(state["card"][seat, slot])] = state["cubes_left"][seat, slot]


@kernel
def _write_seat(state, seat, out, at):
    total = 0
    for category in range(len(CATEGORIES)):
        points = np.int64(state["points"][seat, category])
        total += points
        out[at + 8 + category] = min(points, _BYTE)
    empty_slots = 0
    for slot in range(HAND_LIMIT):
        empty_slots += state["card"][seat, slot] == 0
    out[at] = 1
    out[at + 1] = state["to_play"] == seat
    out[at + 2] = state["first_player"] == seat
    out[at + 3] = count_bits(np.int64(state["hexes"][seat, EMPTY]))
    out[at + 4] = count_bits(np.int64(state["cubes"][seat]))
    out[at + 5] = empty_slots
    out[at + 6] = count_bits(state["completed"][seat])
    out[at + 7] = min(total, _BYTE)


@kernel
def _write_game(state, out, at):
    out[at + np.int64(state["phase"])] = 1
    at += len(PHASES) - 1
    out[at + np.int64(state["num_players"])] = 1
    at += MAX_PLAYERS + 1
    out[at] = state["side"] == 0
    out[at + 1] = state["side"] == 1
    out[at + 2] = state["spirits"]
    out[at + 3] = state["last_round"]
    out[at + 4] = state["taken"] >= 0
    out[at + 5] = state["took_card"]
    out[at + 6] = state["turns"]
    out[at + 7] = tokens_in_bag(state)


# Planes


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with what ``seat`` sees."""
    out[:] = 0
    side = np.int64(state["side"])
    for hex_ in range(NUM_HEXES[side]):
        cell = CELL[side, hex_]
        stack = np.int64(state["stack"][seat, hex_])
        out[cell] = 1
        if stack:
            out[_P_HEXES + (min(stack, BUILDING) - WATER) * _CELLS + cell] = 1
        out[_P_CUBES + cell] = np.int64(state["cubes"][seat]) >> hex_ & 1
        for slot in range(HAND_LIMIT):
            found = np.int64(state["habitat"][seat, slot]) >> hex_ & 1
            out[_P_HABITAT + slot * _CELLS + cell] = found
    for ahead in range(1, np.int64(state["num_players"])):
        _write_other_planes(state, _seat_after(state, seat, ahead), ahead - 1, out)
    _write_numbers(state, seat, out[_P_NUMBERS:])
    # What the seat alone knows has a plane of its own.
    for k in range(_DEALT_SIZE):
        out[_P_DEALT + k] = out[_P_NUMBERS + _DEALT - _SLOTS + k]
        out[_P_NUMBERS + _DEALT - _SLOTS + k] = 0


@kernel
def _write_other_planes(state, seat, k, out):
    side = np.int64(state["side"])
    for hex_ in range(NUM_HEXES[side]):
        cell = CELL[side, hex_]
        top = np.int64(state["top"][seat, hex_])
        if top >= 0:
            out[_P_OTHERS_TOP + (k * NUM_COLOURS + top) * _CELLS + cell] = 1
        out[_P_OTHERS_HEIGHT + k * _CELLS + cell] = state["height"][seat, hex_]
        out[_P_OTHERS_CUBES + k * _CELLS + cell] = np.int64(state["cubes"][seat]) >> hex_ & 1


# What a seat doesn't know


@kernel
def determinize(state, seat, seed):
    """Redraw what ``seat`` cannot know: the other seats' spirit cards, and the chance to come.

    Of a seat that has kept a spirit the other card is redrawn, of one that hasn't both. All ways to
    deal the spirit cards that ``seat`` has not seen are equally likely.
    """
    state["rng"] = seed
    state["seed"] = seed
    if not state["spirits"]:
        return
    unseen = ((1 << NUM_SPIRITS) - 1) << FIRST_SPIRIT
    num_players = np.int64(state["num_players"])
    for k in range(SPIRITS_DEALT):
        unseen &= ~(1 << np.int64(state["dealt"][seat, k]))
    for other in range(num_players):
        unseen &= ~(1 << np.int64(state["spirit"][other]))
    for other in range(num_players):
        for k in range(SPIRITS_DEALT):
            if other != seat and state["dealt"][other, k] != state["spirit"][other]:
                spirit = select_bit(unseen, draw_below(state, count_bits(unseen)))
                unseen &= ~(1 << spirit)
                state["dealt"][other, k] = spirit


assert total_size(_NUMBERS) == FLAT_SIZE - _SLOTS
