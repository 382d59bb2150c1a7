"""Sets of up to 63 things as the bits of an int64 (bit k: thing k is in the set)."""

from __future__ import annotations

import numpy as np

from .jit import kernel

_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_1, _2, _4, _8, _56 = (np.uint64(shift) for shift in (1, 2, 4, 8, 56))
_LOW_BYTE = np.uint64(255)
_SHIFTS = tuple(np.uint64(8 * k) for k in range(8))
_ANY_INDEX = (1 << 40) - 1

# SELECT[byte, k]: the position of the k-th 1 in a byte.
SELECT = np.zeros((256, 8), dtype=np.int8)
for _byte in range(256):
    for _k, _place in enumerate(place for place in range(8) if _byte >> place & 1):
        SELECT[_byte, _k] = _place
# SPREAD[byte]: its bits as the bytes of a word.
SPREAD = np.array([sum((byte >> k & 1) << 8 * k for k in range(8)) for byte in range(256)])


@kernel
def _count_in_bytes(word):
    """Count the ones of each byte of a uint64, in that byte."""
    word = word - ((word >> _1) & _PAIRS)
    word = (word & _NIBBLES) + ((word >> _2) & _NIBBLES)
    return (word + (word >> _4)) & _BYTES


@kernel
def count_bits(bits):
    """Count the things in a set (int64)."""
    return np.int64((_count_in_bytes(np.uint64(bits)) * _EVERY_BYTE) >> _56)


@kernel
def select_bit(bits, k):
    """Return the number (int64) of the k-th thing in a set, counted from 0; there must be one."""
    word = np.uint64(bits)
    # Byte b of ``sums``: how many things there are up to byte b. No branch depends on the set.
    sums = _count_in_bytes(word) * _EVERY_BYTE
    byte = np.uint64(0)
    before = np.int64(0)
    for b in range(7):
        upto = np.int64((sums >> np.uint64(8 * b)) & _LOW_BYTE)
        passed = upto <= k
        byte += np.uint64(passed)
        before = upto if passed else before
    shift = byte * _8
    return np.int64(shift) + np.int64(SELECT[(word >> shift) & _LOW_BYTE, k - before])


@kernel
def lowest_bit(bits):
    """Return the number (int64) of the first thing in a set; there must be one."""
    # The count compiles to a single instruction.
    return count_bits((bits & -bits) - 1)


@kernel
def write_bytes(word, out, at):
    """Write the eight bytes of a word to the vector ``out`` starting at ``at``, lowest byte first.

    The mask rules out negative indices; otherwise the compiler wouldn't write all bytes at once.
    """
    word = np.uint64(word)
    at &= _ANY_INDEX
    out[at] = word & _LOW_BYTE
    out[at + 1] = word >> _SHIFTS[1] & _LOW_BYTE
    out[at + 2] = word >> _SHIFTS[2] & _LOW_BYTE
    out[at + 3] = word >> _SHIFTS[3] & _LOW_BYTE
    out[at + 4] = word >> _SHIFTS[4] & _LOW_BYTE
    out[at + 5] = word >> _SHIFTS[5] & _LOW_BYTE
    out[at + 6] = word >> _SHIFTS[6] & _LOW_BYTE
    out[at + 7] = word >> _SHIFTS[7]


@kernel
def write_bits(bits, out, at):
    """Write the lowest eight bits of a set as numbers, 0 or 1: five times as fast as a loop."""
    write_bytes(SPREAD[bits & 255], out, at)


@kernel
def write_set(bits, count, out, at):
    """Write the lowest ``count`` bits of a set (int64), at least eight, as numbers, 0 or 1."""
    last = count - 8
    for k in range(0, last, 8):
        write_bits(bits >> k, out, at + k)
    # Some of these were written already.
    write_bits(bits >> last, out, at + last)
