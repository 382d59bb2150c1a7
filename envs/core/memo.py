"""A memory of values computed before, for heuristics that meet the same thing again and again.

A value is found by a key of 64 bits that stands for everything it depends on, so what is remembered
doesn't change results. A new value replaces the one in its row.
"""

from __future__ import annotations

import numpy as np

from .jit import kernel

MEMO = np.dtype([("key", np.uint64), ("value", np.float64)])
_SCATTER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT_32 = np.uint64(32)


def make_memo(rows: int) -> np.ndarray:
    """Return an empty memory, for one thread; ``rows`` is a power of 2."""
    memo = np.zeros(rows, MEMO)
    memo["value"] = np.nan
    return memo


@kernel
def row_of(memo, key):
    """Return the row (int64) of the value for ``key``."""
    return np.int64(key * _SCATTER >> _SHIFT_32) & len(memo) - 1
