"""Ctrl-C at any step of the interpreter."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class Interrupt:
    """Sends SIGINT at the n-th step of the interpreter inside some modules.

    Args:
        moment: how many steps come before it.
        modules: names that those of the modules begin with.
    """

    def __init__(self, moment: int, *modules: str):
        self.moment = self.left = moment
        self.modules = modules
        self.struck = False

    def __call__(self, frame: FrameType, event: str, arg: Any):
        if not frame.f_globals.get("__name__", "").startswith(self.modules):
            return None
        frame.f_trace_opcodes = True
        if event in ("opcode", "call"):
            self.left -= 1
            if self.left < 0 and not self.struck:
                self.struck = True
                sys.settrace(None)
                # Python's handler runs here, in the frame that is traced.
                signal.raise_signal(signal.SIGINT)
        return self

    def strikes(self, call: Callable[[], Any]) -> bool:
        """Return whether the signal came before the call's end, whatever the call made of it."""
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

    @property
    def steps(self) -> int:
        """How many steps there were until the signal, or in all."""
        return self.moment - max(0, self.left)
