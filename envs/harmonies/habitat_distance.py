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
    HABITAT_SHIFT,
    HABITAT_SIZE,
    HEIGHT_OF_STACK,
    KIND,
    KIND_OF_STACK,
    LADDER,
    MAX_HEXES,
    NUM_CARDS,
    NUM_CUBES,
    NUM_KINDS,
    NUM_ROTATIONS,
    SHAPE_OF_CARD,
    STACKS,
)
from .scoring import spirit_points
from .weights import WEIGHTS

# Probability that a cube will be settled, by the number of tokens that its habitat lacks.
_CHANCES = (WEIGHTS.ready, WEIGHTS.one_missing, WEIGHTS.two_missing, WEIGHTS.three_missing)
# Sets are unsigned 32-bit words here, and every result is cast back to them: the compiler then
# works on all rotations at once.
_U32 = np.uint32
_NOWHERE = _U32(0)
# Distances of a part that a habitat doesn't have: 0 everywhere.
_ANYWHERE = (~_NOWHERE, _NOWHERE, _NOWHERE, _NOWHERE)
_EVERY_HEX = (1 << MAX_HEXES) - 1
_SHIFTS = _U32(31)
# ``HABITAT_FITS`` and ``HABITAT_SHIFT``, the latter as shifts up and down one of which is 0; padded
# to eight rotations, of which the last two fit nowhere.
_TURNS = 8
_MORE = ((0, 0), (0, 0), (0, _TURNS - NUM_ROTATIONS))
_FITS = np.pad(HABITAT_FITS, _MORE).astype(_U32)
_SHIFT = np.pad(HABITAT_SHIFT.swapaxes(2, 3), (*_MORE[:2], *_MORE[1:]))
_UP = np.maximum(-_SHIFT, 0).astype(_U32)
_DOWN = np.maximum(_SHIFT, 0).astype(_U32)
# Habitats that lack more tokens than this are not distinguished.
FAR = 3
# By number of tokens and kind: up to three kinds that become it with that many more tokens, and all
# bits if there is one at all.
BEFORE = np.zeros((FAR + 1, NUM_KINDS, 3), dtype=np.int64)
HAS_BEFORE = np.zeros((FAR + 1, NUM_KINDS), dtype=np.uint32)
for _tokens in range(1, FAR + 1):
    for _kind in range(1, NUM_KINDS):
        _kinds = set()
        for _number, _stack in enumerate(STACKS):
            if len(_stack) >= _tokens and KIND_OF_STACK[_number] == _kind:
                _kinds.add(int(KIND_OF_STACK[STACKS.index(_stack[:-_tokens])]))
        if _kinds:
            _listed = sorted(_kinds)
            BEFORE[_tokens, _kind] = (_listed + _listed[:1] * 3)[:3]
            HAS_BEFORE[_tokens, _kind] = ~_NOWHERE

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

# By number of missing tokens, more than ``FAR``: the probability that a cube will be settled.
_CHANCE_OF_MORE = np.zeros(max(FAR + 1, int(TOKENS_OF_CARD.max())) + 1)
_CHANCE_OF_MORE[FAR + 1 :] = WEIGHTS.more_missing
for _missing in range(FAR + 2, len(_CHANCE_OF_MORE)):
    _CHANCE_OF_MORE[_missing:] *= WEIGHTS.each_beyond


@kernel
def _lacking(kinds, kind, free):
    """Return the hexes with ``kind``, and those exactly 1, 2 and 3 tokens from it."""
    before = BEFORE[1, kind]
    one = _U32(kinds[before[0]]) | _U32(kinds[before[1]]) | _U32(kinds[before[2]])
    two = _U32(kinds[BEFORE[2, kind, 0]]) & HAS_BEFORE[2, kind]
    three = _U32(kinds[BEFORE[3, kind, 0]]) & HAS_BEFORE[3, kind]
    return _U32(kinds[kind]), _U32(one & free), _U32(two & free), _U32(three & free)


@kernel
def _moved(hexes, up, down):
    return _U32(_U32(hexes << (up & _SHIFTS)) >> (down & _SHIFTS))


@kernel
def near_habitats(kinds, free, side, card):
    """Return the free hexes at most 0, 1, 2, 3 tokens from being settled by ``card``, as bits.

    ``kinds`` is one row of ``state["hexes"]``, ``free`` the hexes without a cube.
    """
    shape = np.int64(SHAPE_OF_CARD[card])
    size = np.int64(HABITAT_SIZE[card])
    without = _U32(free & _EVERY_HEX)
    a0, a1, a2, a3 = _lacking(kinds, np.int64(HABITAT_KIND[card, 0]), without)
    b0, b1, b2, b3 = _lacking(kinds, np.int64(HABITAT_KIND[card, 1]), without)
    c = e = _ANYWHERE
    if size > 2:
        c = _lacking(kinds, np.int64(HABITAT_KIND[card, 2]), without)
    if size > 3:
        e = _lacking(kinds, np.int64(HABITAT_KIND[card, 3]), without)
    c0, c1, c2, c3 = c
    e0, e1, e2, e3 = e
    fits, up, down = _FITS[side, shape], _UP[side, shape], _DOWN[side, shape]
    f0 = f1 = f2 = f3 = _NOWHERE
    for turn in range(_TURNS):
        # The other parts, moved onto the hex that gets the cube.
        u, d = up[0, turn], down[0, turn]
        p0, p1, p2, p3 = _moved(b0, u, d), _moved(b1, u, d), _moved(b2, u, d), _moved(b3, u, d)
        u, d = up[1, turn], down[1, turn]
        q0, q1, q2, q3 = _moved(c0, u, d), _moved(c1, u, d), _moved(c2, u, d), _moved(c3, u, d)
        u, d = up[2, turn], down[2, turn]
        r0, r1, r2, r3 = _moved(e0, u, d), _moved(e1, u, d), _moved(e2, u, d), _moved(e3, u, d)
        # Two of them together lack 0, 1, 2, 3 tokens; then all three.
        fit = fits[turn]
        t0 = _U32(p0 & q0 & fit)
        t1 = _U32((p0 & q1 | p1 & q0) & fit)
        t2 = _U32((p0 & q2 | p1 & q1 | p2 & q0) & fit)
        t3 = _U32((p0 & q3 | p1 & q2 | p2 & q1 | p3 & q0) & fit)
        f0 = _U32(f0 | t0 & r0)
        f1 = _U32(f1 | t0 & r1 | t1 & r0)
        f2 = _U32(f2 | t0 & r2 | t1 & r1 | t2 & r0)
        f3 = _U32(f3 | t0 & r3 | t1 & r2 | t2 & r1 | t3 & r0)
    w0 = a0 & f0 & without
    w1 = w0 | (a0 & f1 | a1 & f0) & without
    w2 = w1 | (a0 & f2 | a1 & f1 | a2 & f0) & without
    w3 = w2 | (a0 & f3 | a1 & f2 | a2 & f1 | a3 & f0) & without
    return np.int64(w0), np.int64(w1), np.int64(w2), np.int64(w3)


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
    without = _U32(free & _EVERY_HEX)
    a0, a1, a2, _ = _lacking(kinds, np.int64(HABITAT_KIND[card, 0]), without)
    a0 &= without
    b0, b1, b2, _ = _lacking(kinds, np.int64(HABITAT_KIND[card, 1]), without)
    c = e = _ANYWHERE
    if size > 2:
        c = _lacking(kinds, np.int64(HABITAT_KIND[card, 2]), without)
    if size > 3:
        e = _lacking(kinds, np.int64(HABITAT_KIND[card, 3]), without)
    c0, c1, c2, _ = c
    e0, e1, e2, _ = e
    fits, up, down = _FITS[side, shape], _UP[side, shape], _DOWN[side, shape]
    last0 = last1 = last2 = last3 = _NOWHERE
    half0 = half1 = half2 = half3 = _NOWHERE
    first0 = first1 = first2 = first3 = _NOWHERE
    for turn in range(_TURNS):
        u1, d1 = up[0, turn], down[0, turn]
        u2, d2 = up[1, turn], down[1, turn]
        u3, d3 = up[2, turn], down[2, turn]
        p0, p1, p2 = _moved(b0, u1, d1), _moved(b1, u1, d1), _moved(b2, u1, d1)
        q0, q1, q2 = _moved(c0, u2, d2), _moved(c1, u2, d2), _moved(c2, u2, d2)
        r0, r1, r2 = _moved(e0, u3, d3), _moved(e1, u3, d3), _moved(e2, u3, d3)
        # No token missing of the first two parts, of the last two; one missing.
        fit = fits[turn]
        ab = _U32(a0 & p0 & fit)
        ce = _U32(q0 & r0 & fit)
        ab1 = _U32((a0 & p1 | a1 & p0) & fit)
        ce1 = _U32((q0 & r1 | q1 & r0) & fit)
        last0 = _U32(last0 | a1 & p0 & ce)
        last1 = _U32(last1 | _moved(a0 & p1 & ce, d1, u1))
        last2 = _U32(last2 | _moved(ab & q1 & r0, d2, u2))
        last3 = _U32(last3 | _moved(ab & q0 & r1, d3, u3))
        half0 = _U32(half0 | a1 & (p1 & ce | p0 & ce1))
        half1 = _U32(half1 | _moved(p1 & (a1 & ce | a0 & ce1), d1, u1))
        half2 = _U32(half2 | _moved(q1 & (r1 & ab | r0 & ab1), d2, u2))
        half3 = _U32(half3 | _moved(r1 & (q1 & ab | q0 & ab1), d3, u3))
        first0 = _U32(first0 | a2 & p0 & ce)
        first1 = _U32(first1 | _moved(a0 & p2 & ce, d1, u1))
        first2 = _U32(first2 | _moved(ab & q2 & r0, d2, u2))
        first3 = _U32(first3 | _moved(ab & q0 & r2, d3, u3))
    return (
        (np.int64(last0), np.int64(last1), np.int64(last2), np.int64(last3)),
        (np.int64(half0), np.int64(half1), np.int64(half2), np.int64(half3)),
        (np.int64(first0), np.int64(first1), np.int64(first2), np.int64(first3)),
    )


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
                chance = _CHANCE_OF_MORE[missing]
            chance *= min(1.0, tokens / (WEIGHTS.tokens_needed * missing))
            value += chance * further * gain
            further *= WEIGHTS.further_cube
    return value


assert BEFORE[1, KIND.building].tolist() == [KIND.mountain1, KIND.trunk1, KIND.red]
