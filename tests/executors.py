"""An executor for tests, whose pieces run elsewhere as far as they can tell."""

from __future__ import annotations

import pickle
from concurrent.futures import BrokenExecutor, Future


class Late:
    """Does nothing until a result is requested, and sometimes loses its workers.

    Arguments are pickled and unpickled, as for another machine. ``losing`` lists the submissions
    that are lost, counted from 0, and ``error`` is the error raised for them.
    """

    def __init__(self, losing=(), error: BaseException | None = None):
        self.losing, self.count = set(losing), 0
        self.error = error or BrokenExecutor("lost")

    def submit(self, function, *arguments):
        number, self.count = self.count, self.count + 1
        future: Future = Future()
        if number in self.losing:
            future.set_exception(self.error)
            return future
        packed = pickle.dumps((function, arguments))

        def result(timeout=None):
            function, arguments = pickle.loads(packed)
            return pickle.loads(pickle.dumps(function(*arguments)))

        future.result = result
        return future
