"""An executor for tests, whose pieces run elsewhere as far as they can tell."""

from __future__ import annotations

import pickle
from concurrent.futures import BrokenExecutor, Future


class Late:
    """Does nothing before a result is asked for, and loses its workers at times.

    What it is given is packed and unpacked, as for another machine. ``losing`` says which
    submissions are lost, counted from 0, ``error`` how.
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
