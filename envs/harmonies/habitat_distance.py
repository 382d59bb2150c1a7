"""The distance of a board from the habitats of a card, and the resulting value of the card.

The distance of a habitat at a hex is the number of tokens missing around it. It is computed for all
hexes and all six rotations at once, on sets of hexes (as in ``habitats.py``).
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from .components import (
    FIRST_SPIRIT,
    HABITAT_FITS,
    HABITAT_KIND,
    HABITAT_SIZE,
    HEIGHT_OF_STACK,
    KIND,
    KIND_OF_STACK,
    LADDER,
    NUM_CARDS,
    NUM_CUBES,
    NUM_KINDS,
    NUM_ROTATIONS,
    SHAPE_OF_CARD,
    STACKS,
)
from .habitats import HABITAT_DOWN, ROOM
from .scoring import spirit_points
from .weights import WEIGHTS

# Probability that a cube will be settled, by the number of tokens that its habitat lacks.
_CHANCES = (WEIGHTS.ready, WEIGHTS.one_missing, WEIGHTS.two_missing, WEIGHTS.three_missing)
# Distances of a part that a habitat doesn't have: 0 everywhere.
_NOWHERE = np.uint64(0)
_ANYWHERE = (~_NOWHERE, _NOWHERE, _NOWHERE)
# Unsigned ``HABITAT_FITS`` and ``HABITAT_DOWN``, padded to eight rotations; the last two fit
# nowhere.
_TURNS = 8
_ROOM = np.uint64(ROOM)
_MORE = ((0, 0), (0, 0), (0, _TURNS - NUM_ROTATIONS))
_FITS = np.pad(HABITAT_FITS, _MORE).astype(np.uint64)
_DOWN = np.pad(HABITAT_DOWN.swapaxes(2, 3), (*_MORE[:2], *_MORE[1:])).astype(np.uint64).copy()
# Habitats that lack more tokens than this are not distinguished.
FAR = 3
# By number of tokens and kind: up to three kinds that become it with that many more tokens, and -1
# (every hex) if there is one at all.
BEFORE = np.zeros((FAR + 1, NUM_KINDS, 3), dtype=np.int64)
HAS_BEFORE = np.zeros((FAR + 1, NUM_KINDS), dtype=np.int64)
for _tokens in range(1, FAR + 1):
    for _kind in range(1, NUM_KINDS):
        _kinds = set()
        for _number, _stack in enumerate(STACKS):
            if len(_stack) >= _tokens and KIND_OF_STACK[_number] == _kind:
                _kinds.add(int(KIND_OF_STACK[STACKS.index(_stack[:-_tokens])]))
        if _kinds:
            _listed = sorted(_kinds)
            BEFORE[_tokens, _kind] = (_listed + _listed[:1] * 3)[:3]
            HAS_BEFORE[_tokens, _kind] = -1

# By kind, as bits: the colour of its last token; and the colours of the one before, for hexes that
# lack both.
LAST_COLOUR = np.zeros(NUM_KINDS, dtype=np.int64)
COLOURS_BEFORE = np.zeros(NUM_KINDS, dtype=np.int64)
for _number, _stack in enumerate(STACKS):
    if _stack:
        LAST_COLOUR[KIND_OF_STACK[_number]] = 1 << _stack[-1]
    if len(_stack) > 1:
        COLOURS_BEFORE[KIND_OF_STACK[_number]] |= 1 << _stack[-2]

# Tokens in the whole habitat of each card.
_HEIGHT_OF_KIND = np.zeros(NUM_KINDS, dtype=np.int64)
_HEIGHT_OF_KIND[KIND_OF_STACK] = HEIGHT_OF_STACK
TOKENS_OF_CARD = np.array(
    [sum(_HEIGHT_OF_KIND[kind] for kind in HABITAT_KIND[card]) for card in range(NUM_CARDS + 1)]
)


@kernel
def _lacking(kinds, kind, free):
    """Return the hexes with ``kind``, and those exactly 1, 2 and 3 tokens from it."""
    before = BEFORE[1, kind]
    one = np.int64(kinds[before[0]]) | np.int64(kinds[before[1]]) | np.int64(kinds[before[2]])
    two = np.int64(kinds[BEFORE[2, kind, 0]]) & HAS_BEFORE[2, kind]
    three = np.int64(kinds[BEFORE[3, kind, 0]]) & HAS_BEFORE[3, kind]
    return np.int64(kinds[kind]), one & free, two & free, three & free


@kernel
def _both(a, b):
    """Combine the distances of two parts: the hexes where both lack 0, 1, 2, 3 tokens together."""
    a0, a1, a2, a3 = a
    b0, b1, b2, b3 = b
    return (
        a0 & b0,
        a0 & b1 | a1 & b0,
        a0 & b2 | a1 & b1 | a2 & b0,
        a0 & b3 | a1 & b2 | a2 & b1 | a3 & b0,
    )


@kernel
def _moved(sets, down):
    a0, a1, a2, a3 = sets
    return (a0 << ROOM) >> down, (a1 << ROOM) >> down, (a2 << ROOM) >> down, (a3 << ROOM) >> down


@kernel
def near_habitats(kinds, free, side, card):
    """Return the free hexes at most 0, 1, 2, 3 tokens from being settled by ``card``, as bits.

    ``kinds`` is one row of ``state["hexes"]``, ``free`` the hexes without a cube.
    """
    shape = np.int64(SHAPE_OF_CARD[card])
    size = np.int64(HABITAT_SIZE[card])
    own = _lacking(kinds, np.int64(HABITAT_KIND[card, 0]), free)
    one = _lacking(kinds, np.int64(HABITAT_KIND[card, 1]), free)
    two = _lacking(kinds, np.int64(HABITAT_KIND[card, 2]), free)
    three = _lacking(kinds, np.int64(HABITAT_KIND[card, 3]), free)
    f0 = f1 = f2 = f3 = 0
    for turns in range(NUM_ROTATIONS):
        down = HABITAT_DOWN[side, shape, turns]
        others = _moved(one, down[0])
        if size > 2:
            others = _both(others, _moved(two, down[1]))
        if size > 3:
            others = _both(others, _moved(three, down[2]))
        fits = HABITAT_FITS[side, shape, turns]
        f0 |= others[0] & fits
        f1 |= others[1] & fits
        f2 |= others[2] & fits
        f3 |= others[3] & fits
    w0, w1, w2, w3 = _both(own, (f0, f1, f2, f3))
    w1 |= w0
    w2 |= w1
    w3 |= w2
    return w0 & free, w1 & free, w2 & free, w3 & free


@kernel
def wanted_hexes(kinds, free, side, card):
    """Return the hexes whose next token reduces the distance of a habitat of ``card``, by part.

    Returns:
        Three tuples of four sets, one for each kind in ``HABITAT_KIND``: hexes where the next token
        is the last one missing; where two are missing, on different hexes; where two are missing,
        both there.
    """
    shape = np.int64(SHAPE_OF_CARD[card])
    size = np.int64(HABITAT_SIZE[card])
    a0, a1, a2 = _lacking_unsigned(kinds, np.int64(HABITAT_KIND[card, 0]), free)
    a0 &= np.uint64(free)
    b = _lacking_unsigned(kinds, np.int64(HABITAT_KIND[card, 1]), free)
    c = e = _ANYWHERE
    if size > 2:
        c = _lacking_unsigned(kinds, np.int64(HABITAT_KIND[card, 2]), free)
    if size > 3:
        e = _lacking_unsigned(kinds, np.int64(HABITAT_KIND[card, 3]), free)
    fits = _FITS[side, shape]
    down = _DOWN[side, shape]
    last0 = last1 = last2 = last3 = _NOWHERE
    half0 = half1 = half2 = half3 = _NOWHERE
    first0 = first1 = first2 = first3 = _NOWHERE
    # Without branches and on contiguous arrays, the compiler vectorizes four iterations at once.
    for turn in range(_TURNS):
        d1, d2, d3 = down[0, turn], down[1, turn], down[2, turn]
        b0, b1, b2 = b[0] << _ROOM >> d1, b[1] << _ROOM >> d1, b[2] << _ROOM >> d1
        c0, c1, c2 = c[0] << _ROOM >> d2, c[1] << _ROOM >> d2, c[2] << _ROOM >> d2
        e0, e1, e2 = e[0] << _ROOM >> d3, e[1] << _ROOM >> d3, e[2] << _ROOM >> d3
        # No token missing of the first two parts, of the last two; one missing.
        ab = a0 & b0 & fits[turn]
        ce = c0 & e0 & fits[turn]
        ab1 = (a0 & b1 | a1 & b0) & fits[turn]
        ce1 = (c0 & e1 | c1 & e0) & fits[turn]
        last0 |= a1 & b0 & ce
        last1 |= (a0 & b1 & ce) << d1 >> _ROOM
        last2 |= (ab & c1 & e0) << d2 >> _ROOM
        last3 |= (ab & c0 & e1) << d3 >> _ROOM
        half0 |= a1 & (b1 & ce | b0 & ce1)
        half1 |= (b1 & (a1 & ce | a0 & ce1)) << d1 >> _ROOM
        half2 |= (c1 & (e1 & ab | e0 & ab1)) << d2 >> _ROOM
        half3 |= (e1 & (c1 & ab | c0 & ab1)) << d3 >> _ROOM
        first0 |= a2 & b0 & ce
        first1 |= (a0 & b2 & ce) << d1 >> _ROOM
        first2 |= (ab & c2 & e0) << d2 >> _ROOM
        first3 |= (ab & c0 & e2) << d3 >> _ROOM
    return (
        (np.int64(last0), np.int64(last1), np.int64(last2), np.int64(last3)),
        (np.int64(half0), np.int64(half1), np.int64(half2), np.int64(half3)),
        (np.int64(first0), np.int64(first1), np.int64(first2), np.int64(first3)),
    )


@kernel
def _lacking_unsigned(kinds, kind, free):
    """Return the first three sets of ``_lacking`` as unsigned words."""
    none, one, two, _ = _lacking(kinds, kind, free)
    return np.uint64(none), np.uint64(one), np.uint64(two)


@kernel
def card_value(kinds, free, side, card, left, tokens):
    """Return the expected points of the ``left`` cubes of a card, with ``tokens`` still to come.

    The nearest hexes get the next cubes, each with a probability depending on the missing tokens.
    """
    w0, w1, w2, w3 = near_habitats(kinds, free, side, card)
    n0, n1, n2, n3 = count_bits(w0), count_bits(w1), count_bits(w2), count_bits(w3)
    settled = np.int64(NUM_CUBES[card]) - left
    spirit = np.float64(0.0)
    if card >= FIRST_SPIRIT:
        spirit = WEIGHTS.spirit + np.float64(spirit_points(kinds, side, card))
    value = 0.0
    further = 1.0
    for k in range(left):
        gain = spirit + np.float64(LADDER[card, settled + k + 1])
        gain -= np.float64(LADDER[card, settled + k])
        if k < n0:
            value += WEIGHTS.ready * gain
        else:
            if k < n3:
                missing = 1 + (k >= n1) + (k >= n2)
                chance = _CHANCES[missing]
            else:
                missing = max(FAR + 1, TOKENS_OF_CARD[card])
                chance = WEIGHTS.more_missing * WEIGHTS.each_beyond ** (missing - FAR - 1)
            chance *= min(1.0, tokens / (WEIGHTS.tokens_needed * missing))
            value += chance * further * gain
            further *= WEIGHTS.further_cube
    return value


assert BEFORE[1, KIND.building].tolist() == [KIND.mountain1, KIND.trunk1, KIND.red]
