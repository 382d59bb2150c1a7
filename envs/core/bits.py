"""Sets of up to 63 things as the bits of an int64 (bit k: thing k is in the set)."""

from __future__ import annotations

from .jit import kernel

_PAIRS = 0x5555555555555555
_NIBBLES = 0x3333333333333333
_BYTES = 0x0F0F0F0F0F0F0F0F


@kernel
def count_bits(bits):
    """Count the things in a set below 2**63."""
    bits = bits - ((bits >> 1) & _PAIRS)
    bits = (bits & _NIBBLES) + ((bits >> 2) & _NIBBLES)
    bits = (bits + (bits >> 4)) & _BYTES
    bits = bits + (bits >> 8)
    bits = bits + (bits >> 16)
    bits = bits + (bits >> 32)
    return bits & 0x7F


@kernel
def select_bit(bits, k):
    """Return the number of the k-th thing in the set, counted from 0; there must be one."""
    position = 0
    width = 32
    while width:
        low = bits & ((1 << width) - 1)
        inside = count_bits(low)
        if k >= inside:
            k -= inside
            bits >>= width
            position += width
        else:
            bits = low
        width >>= 1
    return position
