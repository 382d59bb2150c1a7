"""Distributing work over processes or machines: leagues, ratings, and self-play for training.

An *executor* is any object with ``submit(function, *arguments)`` that returns a future: those of
``concurrent.futures``, ``ProcessExecutor``, ``RayExecutor``. Pieces are independent of each other,
and their results are collected in order, so the output doesn't depend on the number of workers, who
finishes first, or who is lost on the way.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import shutil
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, NamedTuple

from ludotheque.envs.core.errors import check_whole

# Maximum number of pieces submitted ahead of the one waited for: enough for over a hundred workers.
# Results that arrive out of order are lost if this process ends.
WINDOW = 256
# How often a piece is resubmitted if its worker is lost.
RETRIES = 3
LOST = (BrokenExecutor, CancelledError)
# The methods required of a future.
FUTURE = ("result", "done", "cancelled", "exception", "cancel")
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
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Return a future of ``function(*arguments)``, which must be picklable."""
        try:
            return self._submit(function, *arguments)
        except BrokenExecutor:
            self._close_pool()
            return self._submit(function, *arguments)

    def _submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        pool = self._opened()
        # A piece starts a process if none waits and there may be more.
        with _interrupts_blocked():
            return pool.submit(_work, function, *arguments)

    @contextmanager
    def share(self, value: Any) -> Iterator[Any]:
        """Yield what stands for ``value`` among the arguments of ``submit``: see ``shared``."""
        handle, path = tempfile.mkstemp(dir=self._shared_folder())
        try:
            with open(handle, "wb") as file:
                pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
            yield _InFile(path)
        finally:
            os.unlink(path)

    def _shared_folder(self) -> str:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="ludotheque-")
        return self._folder.name

    def _opened(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Forked processes hang on locks that threads of the parent held.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(
                self.workers, context, _begin, (self.interrupts, self._shared_folder())
            )
        return self._pool

    def shutdown(self) -> None:
        """End the processes; pieces that haven't started are dropped."""
        self._close_pool()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _close_pool(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

    def __enter__(self) -> ProcessExecutor:
        return self

    def __exit__(self, *error: Any) -> None:
        self.shutdown()


class _InFile(NamedTuple):
    """Stands for a value that workers on this machine read from a file."""

    path: str


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Delay Ctrl-C to the end of the block, and in processes started in it until they are ready.

    In the midst of starting, it would show a traceback of each of them.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # Its start, which is part of the first process's, would let Ctrl-C through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """Whether this process, a worker, is at work on a piece."""

    busy = False


def _interrupt_worker(number: int, frame: Any) -> None:
    """End the piece on Ctrl-C, or the process if there is none: quietly, in either case."""
    if _Worker.busy:
        raise KeyboardInterrupt
    os._exit(1)


def _begin(interrupts: bool, folder: str) -> None:
    """Prepare a worker process."""
    signal.signal(signal.SIGINT, _interrupt_worker if interrupts else signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()


def _end_with_parent(folder: str) -> None:
    """End this process if its parent is killed, and remove what the parent no longer can."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    shutil.rmtree(folder, ignore_errors=True)
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

    def share(self, value: Any) -> AbstractContextManager[Any]:
        """Return a context with what stands for ``value`` in ``submit``: see ``shared``."""
        # Ray itself substitutes the value, and drops it with the last reference.
        return nullcontext(self._ray.put(value))

    def shutdown(self) -> None:
        """Leave the cluster, or stop what was started here."""
        self._ray.shutdown()

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *error: Any) -> None:
        self.shutdown()


def _work(function: Callable[..., Any], *arguments: Any) -> Any:
    """Do a piece in a worker process."""
    _Worker.busy = True
    try:
        return _call(function, *arguments)
    finally:
        _Worker.busy = False


def _call(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*map(_value, arguments))


def _value(argument: Any) -> Any:
    if isinstance(argument, _InFile):
        return pickle.loads(Path(argument.path).read_bytes())
    return argument


def shared(executor: Any, value: Any) -> AbstractContextManager[Any]:
    """Return a context with what to submit instead of ``value``, if many pieces need it.

    It is pickled once instead of with every piece, if the executor has a method ``share``. Within
    the context, it may be an argument of ``submit``, though not a part of one; functions get the
    value.
    """
    return executor.share(value) if hasattr(executor, "share") else nullcontext(value)


def _ticketed(ticket: str, function: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """Return a piece's ticket with its result, so that results can't be confused."""
    return ticket, function(*arguments)


def gather(
    executor: Any,
    function: Callable[..., Any],
    pieces: Sequence[tuple[Any, ...]],
    take: Callable[[Any], Any],
) -> None:
    """Call ``take(function(*piece))`` for each piece, in order; the functions run in ``executor``.

    Pieces whose worker was lost (``concurrent.futures.BrokenExecutor``) or interrupted, and those
    that were cancelled, are submitted again, up to three times. If a piece or ``take`` fails, or on
    Ctrl-C, finished pieces are still taken, the others are cancelled, and the error is raised.

    Raises:
        TypeError: the executor has no ``submit``, or that returns no future.
        ValueError: a future returned something other than its piece's result.
        Whatever a piece or ``take`` raises.
    """
    check_executor(executor, "executor")
    # Pieces of other calls have the same numbers.
    call = secrets.token_hex(8)

    def handed_out(number: int) -> tuple[int, Any]:
        future = executor.submit(_ticketed, f"{number} {call}", function, *pieces[number])
        _check_future(future, executor)
        return number, future

    todo, begun = deque(range(len(pieces))), deque[tuple[int, Any]]()
    try:
        while todo or begun:
            while todo and len(begun) < WINDOW:
                begun.append(handed_out(todo.popleft()))
            result = _first_result(begun, handed_out, call)
            begun.popleft()
            take(result)
    except BaseException:
        for number, future in begun:
            # Only the first error is reported.
            with suppress(Exception):
                _take_if_finished(f"{number} {call}", future, take)
        raise


def _first_result(begun: deque[tuple[int, Any]], handed_out: Callable[..., Any], call: str) -> Any:
    """Return the result of the first piece; resubmit the pieces of lost workers."""
    number = begun[0][0]
    for _ in range(RETRIES):
        future = begun[0][1]
        try:
            return _result_of(number, call, future.result())
        except (*LOST, KeyboardInterrupt) as error:
            if not _is_loss(future, error):
                raise
        # A process pool that loses a worker loses all of its pieces, so all are resubmitted now.
        begun[0] = handed_out(number)
        for k in range(1, len(begun)):
            if _is_lost(begun[k][1]):
                begun[k] = handed_out(begun[k][0])
    return _result_of(number, call, begun[0][1].result())


def _result_of(number: int, call: str, found: Any) -> Any:
    """Return the result that a future returned, after checking that it is of piece ``number``."""
    if not _is_of(f"{number} {call}", found):
        raise ValueError(
            f"the executor returned {found!r:.80} for piece {number}; each future must return what "
            "the function that was submitted with it returns"
        )
    return found[1]


def _is_of(ticket: str, found: Any) -> bool:
    return isinstance(found, tuple) and len(found) == 2 and found[0] == ticket


def _check_future(future: Any, executor: Any) -> None:
    missing = [name for name in FUTURE if not callable(getattr(future, name, None))]
    if missing:
        raise TypeError(
            f"{executor!r} submitted a function and returned {future!r:.80}, which has no "
            f"{missing[0]}: give an executor whose submit returns a concurrent.futures.Future"
        )


def check_executor(executor: Any, name: str) -> None:
    """Raise TypeError unless ``executor``, an argument called ``name``, has ``submit``."""
    if not hasattr(executor, "submit"):
        raise TypeError(
            f"{name} is {executor!r}; give an object with submit(function, *arguments), as "
            "ProcessExecutor, RayExecutor or one of concurrent.futures"
        )


def _is_loss(future: Any, error: BaseException) -> bool:
    """Return whether the worker, not this process, was lost or interrupted."""
    return isinstance(error, LOST) or (future.done() and future.exception() is error)


def _is_lost(future: Any) -> bool:
    if not future.done():
        return False
    return future.cancelled() or isinstance(future.exception(), (*LOST, KeyboardInterrupt))


def _take_if_finished(ticket: str, future: Any, take: Callable[[Any], Any]) -> None:
    if not future.done() or future.cancelled() or future.exception() is not None:
        future.cancel()
        return
    found = future.result()
    if _is_of(ticket, found):
        take(found[1])
