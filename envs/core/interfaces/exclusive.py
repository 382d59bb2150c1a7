"""Calls from several threads on one environment take turns.

Kernels release the GIL and trust their records. Two of them on the same records would leave
positions that no game has, and read and write beyond arrays.
"""

from __future__ import annotations

import functools
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])

_guards: weakref.WeakSet[Guard] = weakref.WeakSet()


class Guard:
    """The lock of an environment, for its attribute ``_guard``; copies have their own.

    Attributes:
        lock: may be taken again by the thread that holds it, as when an opponent's ``act`` looks at
            the environment.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        _guards.add(self)

    def __reduce__(self):
        return Guard, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Guard:
        return Guard()


def exclusive(method: Method) -> Method:
    """Let ``method`` of an environment wait until other threads' exclusive calls have ended."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        # ``with`` on the lock itself: Ctrl-C can't come between taking it and entering the block.
        with self._guard.lock:
            return method(self, *args, **named)

    return run  # type: ignore[return-value]


def _free_in_child() -> None:
    """Replace the locks held by threads that a forked child doesn't have."""
    for guard in list(_guards):
        if guard.lock.acquire(blocking=False):
            guard.lock.release()
        else:
            guard.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_free_in_child)
