"""What a seat observes of a game of Harmonies.

Public: boards, cards, tokens, and so the contents of the bag and the deck; the spirit that a seat
has kept. Hidden: future draws from the bag and the deck; the spirit cards dealt to other seats,
except for those kept. Seats are relative to the observing one.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, write_set
from ..core.jit import kernel
from ..core.schema import Field, offsets, total_size
from ..core.state import seat_after
from .components import (
    COLOURS,
    FIRST_SPIRIT,
    GRAY,
    HABITAT_KIND,
    HAND_LIMIT,
    HEX_COL,
    HEX_ROW,
    KIND,
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
)
from .habitat_distance import COLOURS_BEFORE, FAR, LAST_COLOUR, near_habitats, wanted_hexes
from .scoring import hexes_by_top, near_colours, next_to, total_points
from .state import CATEGORIES, PHASES
from .supply import count_held, count_tokens

_BYTE = 127
_OTHERS = MAX_PLAYERS - 1
_COLOURS = ", ".join(COLOURS)
_LANDSCAPE_KINDS = NUM_KINDS - KIND.water
_SLOT_NUMBERS = NUM_CARDS + 2
_DISPLAY_NUMBERS = NUM_ANIMALS + 1 + FAR + 1
_SPACE_NUMBERS = NUM_COLOURS + 2
_AWAY = ", ".join(map(str, range(FAR + 1)))
_SEAT_NUMBERS = 8 + len(CATEGORIES)
_GAME_NUMBERS = len(PHASES) + MAX_PLAYERS + 9
_SEATS = (
    "playing, to play, first player, empty hexes, cubes settled, empty slots, cards completed, "
    f"points at most {_BYTE}, then points for {', '.join(CATEGORIES)}"
)
_GAME = (
    f"phase ({', '.join(PHASES).lower()}), 1 to 4 players, side A, side B, with spirits, last "
    "round, tokens taken, card taken, turns finished, tokens in the bag, game over"
)
_NO_CARD = "the first number means none"
_HABITAT = "of a habitat of an own card"


def _public(name: str, shape: tuple[int, ...], high: int, meaning: str) -> Field:
    return Field(name, shape, 0, high, meaning, "all")


def _map(name: str, rows: int, meaning: str) -> Field:
    # One row of hexes: numbers are the same on both sides, but neighbours differ.
    return _public(name, (rows, 1, MAX_HEXES), 1, meaning)


_BOARDS = (
    _map("hexes", _LANDSCAPE_KINDS, f"own board, one row per kind of hex: {', '.join(KINDS[1:])}"),
    _map("cubes", 1, "own hexes with a cube"),
    _map("settle", HAND_LIMIT, "hexes where each own card may settle a cube"),
    _map(
        "near",
        NUM_COLOURS + 2,
        f"own hexes next to: {_COLOURS}, a field of one, an isolated mountain",
    ),
    _map(
        "builds", NUM_COLOURS, f"hexes where {_COLOURS} would be the third colour around a building"
    ),
    _map("completes", NUM_COLOURS, f"hexes where {_COLOURS} would be the last token {_HABITAT}"),
    _map(
        "advances",
        NUM_COLOURS,
        f"hexes where {_COLOURS} would be the last token but one {_HABITAT}",
    ),
    _public(
        "others_top",
        (_OTHERS, NUM_COLOURS, MAX_HEXES),
        1,
        f"boards of the other seats, one row per top colour: {_COLOURS}",
    ),
    _public("others_height", (_OTHERS, MAX_HEXES), MAX_HEIGHT, "number of tokens on their hexes"),
    _public("others_cubes", (_OTHERS, MAX_HEXES), 1, "their hexes with a cube"),
)
_NUMBERS = (
    _public(
        "slots",
        (HAND_LIMIT, _SLOT_NUMBERS),
        MAX_CUBES,
        f"own cards, by number; {_NO_CARD}; then the cubes still on the card",
    ),
    _public(
        "display",
        (MAX_DISPLAY, _DISPLAY_NUMBERS),
        MAX_HEXES,
        f"animal cards of the display, by number; {_NO_CARD}; then, with an empty slot, own hexes "
        f"at most {_AWAY} tokens from its habitat",
    ),
    _public(
        "others_cards",
        (_OTHERS, NUM_CARDS + 1),
        MAX_CUBES,
        "cubes still on the cards of each other seat, by number; 0 if it doesn't hold the card",
    ),
    _public("deck", (NUM_ANIMALS,), 1, "animal cards that haven't been seen"),
    _public("hand", (NUM_COLOURS, 1), PER_SPACE, f"tokens taken but not placed: {_COLOURS}"),
    _public(
        "central",
        (MAX_SPACES, _SPACE_NUMBERS),
        PER_SPACE,
        f"tokens on each space: {_COLOURS}; of those, tokens of a colour in `completes`, in "
        "`advances`",
    ),
    _public("bag", (NUM_COLOURS,), int(TOKENS.max()), "tokens in the bag"),
    _public(
        "spirits", (MAX_PLAYERS, NUM_SPIRITS + 1), 1, f"spirit kept by each seat; {_NO_CARD} yet"
    ),
    Field("dealt", (SPIRITS_DEALT, NUM_SPIRITS), 0, 1, "spirit cards dealt to the seat", "seat"),
    _public("seats", (MAX_PLAYERS, _SEAT_NUMBERS), _BYTE, _SEATS),
    _public("game", (_GAME_NUMBERS,), _BYTE, _GAME),
)
FLAT = _BOARDS + _NUMBERS
AT = offsets(FLAT)
# From `slots` on, the numbers are the same in both observations.
NUMBERS_AT = offsets(_NUMBERS)

_ROWS, _COLS = 5, 7
_GRID = (_ROWS, _COLS)
_CELLS = _ROWS * _COLS
_NUMBER_PLANES = -(-total_size(_NUMBERS) // _CELLS)
_AS_FLAT = "as in the flat observation"
PLANES = (
    _public("board", (1, *_GRID), 1, "hexes of the board"),
    _public("hexes", (_LANDSCAPE_KINDS, *_GRID), 1, f"own hexes: {', '.join(KINDS[KIND.water :])}"),
    _public("cubes", (1, *_GRID), 1, "own hexes with a cube"),
    _public("habitat", (HAND_LIMIT, *_GRID), 1, "hexes with the habitat of each own card"),
    _public("others_top", (_OTHERS * NUM_COLOURS, *_GRID), 1, _AS_FLAT),
    _public("others_height", (_OTHERS, *_GRID), MAX_HEIGHT, _AS_FLAT),
    _public("others_cubes", (_OTHERS, *_GRID), 1, _AS_FLAT),
    _public(
        "numbers",
        (_NUMBER_PLANES, *_GRID),
        _BYTE,
        "the flat observation from `slots` on, except `dealt` and the gains from cards and spaces "
        "(0 there), one number per cell, then 0",
    ),
    Field(
        "dealt", (1, *_GRID), 0, 1, "`dealt` of the flat observation, one number per cell", "seat"
    ),
)
PLANES_AT = offsets(PLANES)
# Position of a hex on the grid: the columns of the board, each from its top.
CELL = HEX_ROW.astype(np.int64) * _COLS + HEX_COL

# By colours as bits: the bits of all hexes in the place of each of these colours, two colours per
# word.
_PLACES = np.zeros((1 << NUM_COLOURS, NUM_COLOURS // 2), dtype=np.int64)
for _colours in range(1 << NUM_COLOURS):
    for _colour in range(NUM_COLOURS):
        if _colours >> _colour & 1:
            _PLACES[_colours, _colour // 2] |= ((1 << MAX_HEXES) - 1) << 32 * (_colour % 2)
# The same by card and part of its habitat, for the last token of the part and the one before; 0 for
# parts that the habitat doesn't have.
_LAST = _PLACES[LAST_COLOUR[HABITAT_KIND]]
_BEFORE = _PLACES[COLOURS_BEFORE[HABITAT_KIND]]


@kernel
def observe(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``FLAT``) with the observation of ``seat``."""
    # What isn't always written.
    out[AT.builds : AT.completes] = 0
    out[AT.others_top :] = 0
    _write_own_board(state, seat, out)
    _write_neighbours(state, seat, out)
    completing, advancing = _write_wanted(state, seat, out)
    _write_other_boards(state, seat, out)
    _write_numbers(state, seat, out[AT.slots :])
    _write_offers(state, seat, completing, advancing, out)


@kernel
def _write_own_board(state, seat, out):
    for kind in range(KIND.water, NUM_KINDS):
        at = AT.hexes + (kind - KIND.water) * MAX_HEXES
        _write_hexes(np.int64(state["hexes"][seat, kind]), out, at)
    cubes = state["cubes"][seat]
    _write_hexes(cubes, out, AT.cubes)
    for slot in range(HAND_LIMIT):
        _write_hexes(state["habitat"][seat, slot] & ~cubes, out, AT.settle + slot * MAX_HEXES)


@kernel
def _write_neighbours(state, seat, out):
    """Write the neighbours of the hexes of the own board."""
    kinds = state["hexes"][seat]
    side = np.int64(state["side"])
    for colour in range(NUM_COLOURS):
        near = next_to(hexes_by_top(kinds, colour), side)
        _write_hexes(near, out, AT.near + colour * MAX_HEXES)
    fields = np.int64(kinds[KIND.field])
    mountains = hexes_by_top(kinds, GRAY)
    at = AT.near + NUM_COLOURS * MAX_HEXES
    _write_hexes(next_to(fields & ~next_to(fields, side), side), out, at)
    _write_hexes(next_to(mountains & ~next_to(mountains, side), side), out, at + MAX_HEXES)
    _, two, three = near_colours(kinds, side)
    unfinished = np.int64(kinds[KIND.building]) & two & ~three
    if unfinished:
        for colour in range(NUM_COLOURS):
            lacking = unfinished & ~next_to(hexes_by_top(kinds, colour), side)
            _write_hexes(next_to(lacking, side), out, AT.builds + colour * MAX_HEXES)


@kernel
def _write_wanted(state, seat, out):
    """Write the tokens that own cards need; return their colours, as bits: last ones, others."""
    kinds = state["hexes"][seat]
    side = np.int64(state["side"])
    free = ~np.int64(state["cubes"][seat])
    last0 = last1 = last2 = other0 = other1 = other2 = 0
    for slot in range(HAND_LIMIT):
        card = np.int64(state["card"][seat, slot])
        if card:
            last, half, first = wanted_hexes(kinds, free, side, card)
            one, two, three = _by_colour(last, _LAST[card])
            last0, last1, last2 = last0 | one, last1 | two, last2 | three
            one, two, three = _by_colour(half, _LAST[card])
            other0, other1, other2 = other0 | one, other1 | two, other2 | three
            one, two, three = _by_colour(first, _BEFORE[card])
            other0, other1, other2 = other0 | one, other1 | two, other2 | three
    completing = _write_pairs(last0, last1, last2, out, AT.completes)
    advancing = _write_pairs(other0, other1, other2, out, AT.advances)
    return completing, advancing


@kernel
def _by_colour(hexes, colours):
    """Combine the hexes wanted for each part by the colours of the parts, two per word."""
    a, b, c, d = hexes
    a, b, c, d = a | a << 32, b | b << 32, c | c << 32, d | d << 32
    return (
        a & colours[0, 0] | b & colours[1, 0] | c & colours[2, 0] | d & colours[3, 0],
        a & colours[0, 1] | b & colours[1, 1] | c & colours[2, 1] | d & colours[3, 1],
        a & colours[0, 2] | b & colours[1, 2] | c & colours[2, 2] | d & colours[3, 2],
    )


@kernel
def _write_pairs(one, two, three, out, at):
    """Write six sets of hexes, two per word; return the non-empty ones as bits."""
    some = 0
    for colour in range(NUM_COLOURS):
        word = one if colour < 2 else two if colour < 4 else three
        hexes = word >> 32 * (colour & 1) & 0xFFFFFFFF
        _write_hexes(hexes, out, at + colour * MAX_HEXES)
        some |= np.int64(hexes != 0) << colour
    return some


@kernel
def _write_hexes(hexes, out, at):
    write_set(np.int64(hexes), MAX_HEXES, out, at)


@kernel
def _write_other_boards(state, seat, out):
    """Write the boards of the other seats."""
    for k in range(np.int64(state["num_players"]) - 1):
        other = seat_after(state, seat, k + 1)
        kinds = state["hexes"][other]
        for colour in range(NUM_COLOURS):
            at = AT.others_top + (k * NUM_COLOURS + colour) * MAX_HEXES
            _write_hexes(hexes_by_top(kinds, colour), out, at)
        for hex_ in range(MAX_HEXES):
            out[AT.others_height + k * MAX_HEXES + hex_] = state["height"][other, hex_]
        _write_hexes(np.int64(state["cubes"][other]), out, AT.others_cubes + k * MAX_HEXES)


@kernel
def _write_offers(state, seat, completing, advancing, out):
    """Write the gain of the spaces and of the display's cards on the own board."""
    for space in range(MAX_SPACES):
        at = AT.central + space * _SPACE_NUMBERS
        for colour in range(NUM_COLOURS):
            tokens = state["central"][space, colour]
            out[at + NUM_COLOURS] += tokens * (completing >> colour & 1)
            out[at + NUM_COLOURS + 1] += tokens * (advancing >> colour & 1)
    if count_held(state, seat) < HAND_LIMIT:
        kinds = state["hexes"][seat]
        free = ~np.int64(state["cubes"][seat])
        for place in range(MAX_DISPLAY):
            card = np.int64(state["display"][place])
            if card:
                at = AT.display + place * _DISPLAY_NUMBERS + NUM_ANIMALS + 1
                near = near_habitats(kinds, free, np.int64(state["side"]), card)
                for away in range(FAR + 1):
                    out[at + away] = count_bits(near[away])


# Fields from ``slots`` on, where ``out`` starts


@kernel
def _write_numbers(state, seat, out):
    num_players = np.int64(state["num_players"])
    for slot in range(HAND_LIMIT):
        at = slot * _SLOT_NUMBERS
        out[at + np.int64(state["card"][seat, slot])] = 1
        out[at + NUM_CARDS + 1] = state["cubes_left"][seat, slot]
    for place in range(MAX_DISPLAY):
        card = np.int64(state["display"][place])
        out[NUMBERS_AT.display + place * _DISPLAY_NUMBERS + card] = 1
    write_set(state["deck"] >> 1, NUM_ANIMALS, out, NUMBERS_AT.deck)
    for colour in range(NUM_COLOURS):
        out[NUMBERS_AT.hand + colour] = state["hand"][colour]
        out[NUMBERS_AT.bag + colour] = state["bag"][colour]
    for space in range(MAX_SPACES):
        for colour in range(NUM_COLOURS):
            at = NUMBERS_AT.central + space * _SPACE_NUMBERS
            out[at + colour] = state["central"][space, colour]
    for ahead in range(num_players):
        other = seat_after(state, seat, ahead)
        spirit = max(np.int64(state["spirit"][other]) - FIRST_SPIRIT + 1, 0)
        out[NUMBERS_AT.spirits + ahead * (NUM_SPIRITS + 1) + spirit] = 1
        _write_seat(state, other, out, NUMBERS_AT.seats + ahead * _SEAT_NUMBERS)
        if ahead:
            at = NUMBERS_AT.others_cards + (ahead - 1) * (NUM_CARDS + 1)
            # An empty slot has no cubes: it writes 0 for card 0.
            for slot in range(HAND_LIMIT):
                out[at + np.int64(state["card"][other, slot])] = state["cubes_left"][other, slot]
    if state["spirits"]:
        for k in range(SPIRITS_DEALT):
            dealt = np.int64(state["dealt"][seat, k]) - FIRST_SPIRIT
            out[NUMBERS_AT.dealt + k * NUM_SPIRITS + dealt] = 1
    _write_game(state, out, NUMBERS_AT.game)


@kernel
def _write_seat(state, seat, out, at):
    for category in range(len(CATEGORIES)):
        out[at + 8 + category] = min(np.int64(state["points"][seat, category]), _BYTE)
    out[at] = 1
    out[at + 1] = state["to_play"] == seat
    out[at + 2] = state["first_player"] == seat
    out[at + 3] = count_bits(np.int64(state["hexes"][seat, KIND.empty]))
    out[at + 4] = count_bits(np.int64(state["cubes"][seat]))
    out[at + 5] = HAND_LIMIT - count_held(state, seat)
    out[at + 6] = count_bits(state["completed"][seat])
    out[at + 7] = min(total_points(state, seat), _BYTE)


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
    out[at + 7] = count_tokens(state["bag"])
    out[at + 8] = state["terminated"]


# Planes


@kernel
def observe_planes(state, seat, out):
    """Fill the int8 vector ``out`` (fields of ``PLANES``) with the observation of ``seat``."""
    out[:] = 0
    side = np.int64(state["side"])
    for hex_ in range(NUM_HEXES[side]):
        cell = CELL[side, hex_]
        stack = np.int64(state["stack"][seat, hex_])
        out[PLANES_AT.board + cell] = 1
        if stack:
            out[PLANES_AT.hexes + (min(stack, KIND.building) - KIND.water) * _CELLS + cell] = 1
        out[PLANES_AT.cubes + cell] = np.int64(state["cubes"][seat]) >> hex_ & 1
        for slot in range(HAND_LIMIT):
            found = np.int64(state["habitat"][seat, slot]) >> hex_ & 1
            out[PLANES_AT.habitat + slot * _CELLS + cell] = found
    for ahead in range(1, np.int64(state["num_players"])):
        _write_other_planes(state, seat_after(state, seat, ahead), ahead - 1, out)
    _write_numbers(state, seat, out[PLANES_AT.numbers :])
    # Private information has a separate plane.
    for k in range(SPIRITS_DEALT * NUM_SPIRITS):
        out[PLANES_AT.dealt + k] = out[PLANES_AT.numbers + NUMBERS_AT.dealt + k]
        out[PLANES_AT.numbers + NUMBERS_AT.dealt + k] = 0


@kernel
def _write_other_planes(state, seat, k, out):
    side = np.int64(state["side"])
    for hex_ in range(NUM_HEXES[side]):
        cell = CELL[side, hex_]
        top = np.int64(state["top"][seat, hex_])
        if top >= 0:
            out[PLANES_AT.others_top + (k * NUM_COLOURS + top) * _CELLS + cell] = 1
        out[PLANES_AT.others_height + k * _CELLS + cell] = state["height"][seat, hex_]
        out[PLANES_AT.others_cubes + k * _CELLS + cell] = np.int64(state["cubes"][seat]) >> hex_ & 1
