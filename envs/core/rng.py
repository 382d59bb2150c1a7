"""Random numbers that live in the state: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).

The generator is one 64-bit word, so a game record contains its own chance, and a copy of a game
continues with the same draws.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_EPISODE = np.uint64(0xD1B54A32D192ED03)
_DECISION = np.uint64(0x8CB92BA72F3D8DD7)
_SEAT = np.uint64(0xAEF17502108EF2D9)
_SHIFT_27 = np.uint64(27)
_SHIFT_30 = np.uint64(30)
_SHIFT_31 = np.uint64(31)
_SHIFT_32 = np.uint64(32)
_LOW_32 = np.uint64(0xFFFFFFFF)


@kernel
def mix64(word):
    """Scramble a uint64 into a uint64, one to one."""
    word = (word ^ (word >> _SHIFT_30)) * _MIX_1
    word = (word ^ (word >> _SHIFT_27)) * _MIX_2
    return word ^ (word >> _SHIFT_31)


@kernel
def next_word(state):
    """Draw a uint64 from the generator in ``state["rng"]``, and advance it."""
    state["rng"] = state["rng"] + GAMMA
    return mix64(state["rng"])


@kernel
def below(word, bound):
    """Map a uint64 to 0..bound-1 (int64). The bias is under bound / 2**32."""
    return np.int64(((word >> _SHIFT_32) * np.uint64(bound)) >> _SHIFT_32)


@kernel
def draw_below(state, bound):
    """Draw an integer in 0..bound-1 from the state's generator, exactly uniform (Lemire 2019)."""
    wide = np.uint64(bound)
    product = (next_word(state) >> _SHIFT_32) * wide
    # The threshold is less than the bound, so its division is rarely needed.
    if (product & _LOW_32) < wide:
        threshold = (_LOW_32 + np.uint64(1) - wide) % wide
        while (product & _LOW_32) < threshold:
            product = (next_word(state) >> _SHIFT_32) * wide
    return np.int64(product >> _SHIFT_32)


@kernel
def shuffle(state, items, count):
    """Shuffle the first ``count`` entries of a 1-D array in place (Fisher and Yates)."""
    for last in range(count - 1, 0, -1):
        other = draw_below(state, last + 1)
        kept = items[last]
        items[last] = items[other]
        items[other] = kept


@kernel
def next_seed(seed):
    """Return the seed of the game that follows the game dealt from ``seed``."""
    return mix64(seed + _EPISODE)


@kernel
def decision_seed(seed, ply):
    """Return the seed of the decision taken at ``ply`` of the game dealt from ``seed``.

    Agents receive it, so it must not reveal the deal: the exclusive or of a word and its scrambled
    form can only be inverted by a search (Davies–Meyer construction).
    """
    word = mix64(seed ^ _DECISION) + GAMMA * np.uint64(ply + 1)
    return mix64(mix64(word) ^ word)


@kernel
def seat_of_seed(seed, num_players):
    """Return the learner's seat in the game dealt from ``seed``, when seats are random."""
    return below(mix64(seed ^ _SEAT), num_players)
