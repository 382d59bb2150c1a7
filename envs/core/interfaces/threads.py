"""A small pool of threads that share a batch; kernels release the GIL.

One thread by default. Numba's own parallel loops are not used: they can't be cached safely and
don't survive a fork. A batch of a thousand games takes a tenth of a millisecond, which is what
handing a task to ``concurrent.futures`` and back costs; a queue costs a fifth of that.

Ctrl-C may interrupt the calling thread between any two bytecodes, so nothing here waits for
something only that thread may have recorded. Slices that haven't been started are withdrawn, and
running ones finish, before the interrupt reaches the caller. No thread uses its arrays after that.
"""

from __future__ import annotations

import _thread
import os
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from ..errors import check_whole

MOST_THREADS = 256


class _Job:
    """Slices of a batch, taken one after the other by the calling thread and the workers.

    All fields but ``results`` are changed by single atomic calls.

    Attributes:
        todo: slices that haven't been started.
        running: an entry for each worker that may be running.
        ended: gets an entry when a worker has stopped.
        results: ``(value, error)`` of each slice.
    """

    def __init__(self, loop: Callable[..., Any], states: Any, num_slices: int, args: tuple):
        count = len(states)
        self.loop, self.states, self.args = loop, states, args
        self.edges = [count * k // num_slices for k in range(num_slices + 1)]
        self.todo = list(range(num_slices - 1, -1, -1))
        self.running: list[None] = []
        self.ended: SimpleQueue[None] = SimpleQueue()
        self.results: list[tuple[Any, BaseException | None]] = [(None, None)] * num_slices

    def assist(self) -> None:
        """Take slices, in a worker."""
        self.running.append(None)  # before a slice is taken, so that none is overlooked
        try:
            self.take()
        finally:
            self.running.pop()
            self.ended.put(None)

    def take(self) -> None:
        """Take slices until none is left."""
        while self.todo:
            try:
                k = self.todo.pop()
            except IndexError:  # another thread was faster
                return
            start, stop = self.edges[k], self.edges[k + 1]
            try:
                self.results[k] = self.loop(self.states, start, stop, *self.args), None
            except BaseException as error:  # raised in the calling thread, once all have stopped
                self.results[k] = None, error
                if not isinstance(error, Exception):
                    self.todo.clear()

    def wait(self) -> None:
        """Wait until all workers have stopped."""
        while self.running:
            self.ended.get()

    def cancel(self) -> None:
        """Withdraw the slices that haven't been started, and wait for the running ones."""
        self.todo.clear()
        while self.running:
            # Not ``ended``: the interrupted wait may have taken an entry from it.
            time.sleep(1e-4)


def _serve(jobs: SimpleQueue[_Job]) -> None:
    while True:
        jobs.get().assist()


class _Workers:
    """Threads that wait for jobs; as many as were ever needed at once.

    A forked child doesn't inherit its parent's threads and starts its own.
    """

    def __init__(self):
        self.start_anew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.start_anew)

    def start_anew(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._threads: list[int] = []

    def call(self, job: _Job, count: int) -> None:
        """Offer a job to ``count`` workers."""
        while len(self._threads) < count:
            # Not threading.Thread: an interrupt while it starts may leave its locks held.
            self._threads.append(_thread.start_new_thread(_serve, (self._jobs,)))
        for _ in range(count):
            self._jobs.put(job)


_workers = _Workers()


def check_num_threads(num_threads: int) -> int:
    """Return ``num_threads`` if it is from 1 to ``MOST_THREADS``, else raise ValueError."""
    return check_whole(num_threads, "num_threads", 1, MOST_THREADS)


def run(loop: Callable[..., Any], num_threads: int, states: Any, *args: Any) -> list[Any]:
    """Call ``loop(states, start, stop, *args)`` over slices, one per thread; return its results.

    The calling thread works too. Several threads may call this at the same time. When it returns or
    raises, even KeyboardInterrupt, no thread is using ``states`` and ``args``; if it raises, some
    slices may not have been processed.
    """
    num_threads = max(1, min(num_threads, len(states)))
    if num_threads == 1:
        return [loop(states, 0, len(states), *args)]
    job = _Job(loop, states, num_threads, args)
    try:
        _workers.call(job, num_threads - 1)
        job.take()
        job.wait()
    except BaseException:
        while True:  # further Ctrl-C don't leave threads running either
            try:
                job.cancel()
                break
            except BaseException:  # noqa: S112
                continue
        raise
    for _, error in job.results:
        if error is not None:
            raise error
    return [value for value, _ in job.results]
