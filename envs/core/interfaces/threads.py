"""A few threads that share a batch; kernels release the interpreter's lock.

One thread by default. Numba's own parallel loops are not used: they can't be cached safely and
don't survive a fork. A batch of a thousand games takes a tenth of a millisecond, which is what
handing a task to ``concurrent.futures`` and back costs; a pair of locks costs a fifth of that.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from ..errors import check_whole


class _Worker:
    """A thread that runs one task at a time.

    Attributes:
        resting: idle; the result of its last task has been collected.
    """

    def __init__(self):
        self.resting = True
        self._go = threading.Lock()
        self._done = threading.Lock()
        self._go.acquire()
        self._done.acquire()
        self._clear()
        threading.Thread(target=self._work, name="ludotheque", daemon=True).start()

    def _clear(self) -> None:
        self._task: Callable[..., Any] | None = None
        self._arguments: tuple[Any, ...] = ()
        self._result: Any = None
        self._error: BaseException | None = None

    def start(self, task: Callable[..., Any], arguments: tuple) -> None:
        """Begin ``task(*arguments)``; call ``result`` before the next."""
        self.resting = False
        self._task, self._arguments = task, arguments
        self._go.release()

    def result(self) -> Any:
        """Wait for the task; return what it returned, or raise what it raised."""
        try:
            self._done.acquire()
        except KeyboardInterrupt:
            # The task writes to arrays of the caller: let it come to rest, it is short.
            self._done.acquire()
            self.resting = True
            raise
        self.resting = True
        result, error = self._result, self._error
        self._clear()
        if error is not None:
            raise error
        return result

    def _work(self) -> None:
        while True:
            self._go.acquire()
            self._result = self._error = None
            try:
                assert self._task is not None
                self._result = self._task(*self._arguments)
            except BaseException as error:  # raised again in the calling thread
                self._error = error
            self._done.release()


_idle: list[_Worker] = []

# Threads don't exist in a forked child: it starts its own.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)


def check_num_threads(num_threads: int) -> int:
    """Return ``num_threads`` if it is a whole number from 1 up, else raise ValueError."""
    return check_whole(num_threads, "num_threads", 1)


def run(loop: Callable[..., Any], num_threads: int, states: Any, *args: Any) -> list[Any]:
    """Call ``loop(states, start, stop, *args)`` over slices, one per thread; return its results.

    The calling thread works too. Several threads may call this at the same time.
    """
    count = len(states)
    num_threads = max(1, min(num_threads, count))
    if num_threads == 1:
        return [loop(states, 0, count, *args)]
    edges = [count * k // num_threads for k in range(num_threads + 1)]
    workers = [_take_worker() for _ in range(num_threads - 1)]
    for worker, start, stop in zip(workers, edges[1:], edges[2:], strict=False):
        worker.start(loop, (states, start, stop, *args))
    results, errors = [], []
    for finish in (lambda: loop(states, 0, edges[1], *args), *(w.result for w in workers)):
        try:
            results.append(finish())
        except BaseException as error:  # the others must come to rest before it is raised
            errors.append(error)
    # One still at work after a second Ctrl-C is not used again.
    _idle.extend(worker for worker in workers if worker.resting)
    if errors:
        raise errors[0]
    return results


def _take_worker() -> _Worker:
    try:
        return _idle.pop()
    except IndexError:
        return _Worker()
