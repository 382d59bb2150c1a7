"""A small pool of threads that share a batch; kernels release the interpreter's lock.

One thread by default. Numba's own parallel loops are not used: they can't be cached safely and
don't survive a fork.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any


@lru_cache(maxsize=8)
def _pool(num_threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(num_threads, thread_name_prefix="ludotheque")


# The threads of a pool don't exist in a forked child: it starts its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)


def check_num_threads(num_threads: int) -> int:
    """Return ``num_threads`` if it is a whole number from 1 up, else raise ValueError."""
    if not isinstance(num_threads, int) or isinstance(num_threads, bool) or num_threads < 1:
        raise ValueError(f"num_threads is {num_threads!r}; give a whole number from 1 up")
    return num_threads


def run(loop: Callable[..., Any], num_threads: int, states: Any, *args: Any) -> list[Any]:
    """Call ``loop(states, start, stop, *args)`` over slices, one a thread; return its results.

    The calling thread works too, so ``num_threads`` slices need one thread fewer from the pool.
    """
    count = len(states)
    num_threads = max(1, min(num_threads, count))
    if num_threads == 1:
        return [loop(states, 0, count, *args)]
    edges = [count * k // num_threads for k in range(num_threads + 1)]
    pool = _pool(num_threads - 1)
    others = [
        pool.submit(loop, states, edges[k], edges[k + 1], *args) for k in range(1, num_threads)
    ]
    first = loop(states, edges[0], edges[1], *args)
    return [first] + [other.result() for other in others]
