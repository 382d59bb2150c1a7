"""Delaying Ctrl-C and other signals until something that mustn't be interrupted has ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

# Programs set handlers for these that may raise: for Ctrl-C, time limits and requests to end.
_NAMES = ("SIGINT", "SIGALRM", "SIGVTALRM", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_DELAYED = [getattr(signal, name) for name in _NAMES if hasattr(signal, name)]


class _Delayed:
    """A signal's handler during a block of ``signals_delayed``.

    Attributes:
        handler: the handler of the program.
        block: has ``came``, number → (handler, frame); it is None once the block has ended.
    """

    def __init__(self, handler: Any, block: SimpleNamespace):
        self.handler, self.block = handler, block

    def __call__(self, number: int, frame: Any) -> None:
        came = self.block.came
        again = came is not None and number == signal.SIGINT and came.pop(number, None)
        if came is None or again:
            self.handler(number, frame)
        else:
            came[number] = self.handler, frame


@contextmanager
def signals_delayed() -> Iterator[None]:
    """Call signal handlers at the end of the block; a second Ctrl-C takes effect at once."""
    found = {number: signal.getsignal(number) for number in _DELAYED}
    earlier = [one for one in found.values() if isinstance(one, _Delayed)]
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or any(one.block.came is not None for one in earlier):
        yield
        return
    block = SimpleNamespace(came={})
    # A handler of an earlier block remains if another signal's raised while it was being replaced.
    own = {n: one.handler if isinstance(one, _Delayed) else one for n, one in found.items()}
    own = {number: handler for number, handler in own.items() if callable(handler)}
    try:
        for number, handler in own.items():
            signal.signal(number, _Delayed(handler, block))
        yield
    finally:
        came, block.came = block.came, None
        for number, handler in own.items():
            signal.signal(number, handler)
        _call_all(came)


def _call_all(came: dict[int, tuple[Any, Any]]) -> None:
    """Call all handlers, even if one raises. (ExitStack would leave the frames in a cycle.)"""
    if came:
        number = next(iter(came))
        handler, frame = came.pop(number)
        try:
            handler(number, frame)
        finally:
            _call_all(came)
