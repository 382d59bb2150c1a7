"""Distributing work over processes or machines: leagues, ratings, and self-play for training.

An *executor* is any object with ``submit(function, *arguments)`` that returns a future: those of
``concurrent.futures``, ``ProcessExecutor``, ``RayExecutor``. Pieces are independent of each other,
and their results are collected in order, so the output doesn't depend on the number of workers, who
finishes first, or who is lost on the way.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from typing import Any

from ludotheque.envs.core.errors import check_whole

# Pieces handed out while one's result is waited for: enough for a hundred workers and more. What
# was finished out of turn is lost with this process.
WINDOW = 256
# How often a piece is handed out again whose worker was lost.
RETRIES = 3
MOST_WORKERS = 1000


class ProcessExecutor:
    """Worker processes on this machine; if one dies, all are restarted.

    They end with this process, even if it is killed.

    Use it in a ``with`` block, or call ``shutdown``. Scripts need the guard ``if __name__ ==
    "__main__":``, as always with ``multiprocessing``.

    Args:
        workers: number of processes; None means the number of cores.
        interrupts: whether Ctrl-C in the terminal also interrupts the workers. If not, they finish
            their pieces, as needed for training, which stops at the end of a round.
    """

    def __init__(self, workers: int | None = None, interrupts: bool = True):
        if workers is not None:
            check_whole(workers, "workers", 1, MOST_WORKERS)
        self.workers = workers
        self.interrupts = interrupts
        self._pool: ProcessPoolExecutor | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return a future of ``function(*arguments)``, which must be picklable."""
        try:
            return self._opened().submit(function, *arguments)
        except BrokenExecutor:
            self.shutdown()
            return self._opened().submit(function, *arguments)

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Forked processes hang on locks that threads of the parent held.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.workers, context, _begin, (self.interrupts,))
        return self._pool

    def shutdown(self) -> None:
        """End the processes; pieces that haven't started are dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> ProcessExecutor:
        return self

    def __exit__(self, *error: Any) -> None:
        self.shutdown()


def _begin(interrupts: bool) -> None:
    """Prepare a worker process."""
    if not interrupts:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process if its parent is killed, instead of waiting for work forever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


class RayExecutor:
    """Ray's workers, on this machine or a cluster; Ray repeats the work of lost nodes.

    Ray is not a dependency: ``pip install "ray==2.60.0"`` in a separate environment, on every node
    with this package.

    Args:
        address: address of a running cluster (``"auto"`` finds it); ``"local"`` starts Ray on this
            machine if necessary.

    Raises:
        ImportError: ray isn't installed.
        ConnectionError: there is no cluster at ``address``.
    """

    def __init__(self, address: str = "local"):
        try:
            import ray
        except ImportError as error:
            raise ImportError(
                "RayExecutor needs ray: in an environment of its own, pip install ray ludotheque"
            ) from error
        self._ray = ray
        if not ray.is_initialized():
            ray.init(address=address, include_dashboard=False, log_to_driver=False)
        self._remote = ray.remote(max_retries=RETRIES)(_call)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return a future of ``function(*arguments)``, which must be picklable."""
        return self._remote.remote(function, *arguments).future()

    def shutdown(self) -> None:
        """Leave the cluster, or stop what was started here."""
        self._ray.shutdown()

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *error: Any) -> None:
        self.shutdown()


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def gather(
    executor: Any,
    function: Callable[..., Any],
    pieces: Sequence[tuple[Any, ...]],
    take: Callable[[Any], Any],
) -> None:
    """Call ``take(function(*piece))`` for each piece, in order; the functions run in ``executor``.

    Pieces whose worker was lost (``concurrent.futures.BrokenExecutor``) or interrupted are
    submitted again, up to three times. If a piece or ``take`` fails, or on Ctrl-C, finished pieces
    are still taken, the others are cancelled, and the error is raised.

    Raises:
        TypeError: the executor has no ``submit``.
        Whatever a piece or ``take`` raises.
    """
    check_executor(executor, "executor")

    def handed_out(piece: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        return piece, executor.submit(function, *piece)

    todo, begun = deque(pieces), deque[tuple[Any, Any]]()
    try:
        while todo or begun:
            while todo and len(begun) < WINDOW:
                begun.append(handed_out(todo.popleft()))
            result = _first_result(begun, handed_out)
            begun.popleft()
            take(result)
    except BaseException:
        for _, future in begun:
            _take_if_finished(future, take)
        raise


def _first_result(begun: deque[tuple[Any, Any]], handed_out: Callable[..., Any]) -> Any:
    """Return the result of the first piece; resubmit the pieces of lost workers."""
    for _ in range(RETRIES):
        piece, future = begun[0]
        try:
            return future.result()
        except (BrokenExecutor, KeyboardInterrupt) as error:
            if not _is_loss(future, error):
                raise
        # A pool of processes loses all that it had with one of them: all of it begins again now.
        begun[0] = handed_out(piece)
        for k in range(1, len(begun)):
            if _is_lost(begun[k][1]):
                begun[k] = handed_out(begun[k][0])
    return begun[0][1].result()


def check_executor(executor: Any, name: str) -> None:
    """Raise TypeError unless ``executor``, an argument called ``name``, has ``submit``."""
    if not hasattr(executor, "submit"):
        raise TypeError(
            f"{name} is {executor!r}; give an object with submit(function, *arguments), as "
            "ProcessExecutor, RayExecutor or one of concurrent.futures"
        )


def _is_loss(future: Any, error: BaseException) -> bool:
    """Return whether it was the worker that was lost or interrupted, not this process."""
    return isinstance(error, BrokenExecutor) or (future.done() and future.exception() is error)


def _is_lost(future: Any) -> bool:
    if not future.done() or future.cancelled():
        return False
    return isinstance(future.exception(), (BrokenExecutor, KeyboardInterrupt))


def _take_if_finished(future: Any, take: Callable[[Any], Any]) -> None:
    if future.done() and not future.cancelled() and future.exception() is None:
        take(future.result())
    else:
        future.cancel()
