"""Ctrl-C at any step of the interpreter."""

from __future__ import annotations

import random
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

ANYWHERE = ("",)


class Interrupt:
    """Sends SIGINT at the n-th step of the interpreter inside some modules.

    Args:
        moment: number of steps before it.
        modules: prefixes of the modules' names.
        again: number of steps before a second SIGINT, if the first doesn't end the call.
    """

    def __init__(self, moment: int, *modules: str, again: int | None = None):
        self.left, self.again = moment, again
        self.modules = modules
        self.struck = False

    def __call__(self, frame: FrameType, event: str, arg: Any):
        if not frame.f_globals.get("__name__", "").startswith(self.modules):
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "call"):
            self.left -= 1
            if self.left < 0:
                self._strike()
        return self

    def _strike(self) -> None:
        self.struck = True
        if self.again is None:
            sys.settrace(None)
        else:
            self.left, self.again = self.again, None
        # Python's handler runs here, in the frame that is traced. If it raises, nothing is traced
        # any more.
        signal.raise_signal(signal.SIGINT)

    def strikes(self, call: Callable[[], Any]) -> bool:
        """Return whether the signal came before the end of the call, however it was handled."""
        before = sys.gettrace()
        # A process that was started in the background ignores SIGINT, and so would Python.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.settrace(self)
        try:
            call()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
            signal.signal(signal.SIGINT, handler)
        return self.struck


def all_steps(call: Callable[[], Any], *modules: str) -> int:
    """Return the number of steps of a call inside modules."""
    interrupt = Interrupt(sys.maxsize, *modules)
    assert not interrupt.strikes(call)
    return sys.maxsize - interrupt.left


def moments(count: int, steps: int, seed: int) -> Iterator[int]:
    """Yield moments spread over a call of this many steps, including the first and the last."""
    rng = random.Random(seed)
    yield from (0, steps - 1)
    for _ in range(count - 2):
        yield rng.randrange(steps)
