"""Calls from several threads on one environment take turns.

Kernels release the GIL and trust their records. Two of them on the same records would leave
positions that no game has, and read and write beyond arrays.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class Guard:
    """The lock of an environment, for its attribute ``_guard``; copies have their own.

    Attributes:
        lock: the thread that holds it may take it again, as when an opponent's ``act`` looks at the
            environment.
        process: the process that it was made for, or taken over by.
    """

    __slots__ = ("lock", "process")

    def __init__(self) -> None:
        self.lock, self.process = threading.RLock(), _process

    def held(self) -> Any:
        """Return the lock, to be held by ``with``."""
        if self.process is not _process:
            self.take_over()
        return self.lock

    def take_over(self) -> None:
        """In a forked child, replace a lock held by a thread that only the parent has."""
        with _process.lock:
            if self.process is not _process:
                if self.lock.acquire(blocking=False):
                    self.lock.release()
                else:
                    self.lock = threading.RLock()
                self.process = _process

    def __reduce__(self):
        return Guard, ()

    def __deepcopy__(self, memo: dict[int, Any]) -> Guard:
        return Guard()


class _Process:
    """This process; a forked child is another."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


_process = _Process()


def exclusive(method: Method) -> Method:
    """Let ``method`` of an environment wait until other threads' exclusive calls have ended."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **named: Any) -> Any:
        guard = self._guard
        # Not in a method of the guard: its call would take longer than all of this.
        if guard.process is not _process:
            guard.take_over()
        # ``with`` on the lock itself: Ctrl-C can't come between taking it and entering the block.
        with guard.lock:
            return method(self, *args, **named)

    return run  # type: ignore[return-value]


def _begin_process() -> None:
    global _process
    _process = _Process()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_process)
