"""Interpreting the first calls of a game's loops, so that first moves don't wait.

Compiling a game takes seconds; a move in plain Python takes milliseconds. As long as no compiled
kernels are cached, loops over a single game therefore run as plain Python, and are compiled once
that has taken a second in total. Both give identical results. Playing by hand, inspecting a
position or trying a page's examples involves no wait, and training starts a second later.
"""

from __future__ import annotations

import os
import types
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from .digests import all_names
from .state import copied


def _seconds() -> float:
    text = os.environ.get("LUDOTHEQUE_COMPILE_AFTER") or "1"
    try:
        return float(text)
    except ValueError:
        raise ValueError(
            f"the environment variable LUDOTHEQUE_COMPILE_AFTER is {text!r}: give seconds of plain "
            "Python before a game's kernels are compiled, such as 1; 0 compiles at once"
        ) from None


# Seconds of plain Python after which a game's loops are compiled.
COMPILE_AFTER = _seconds()


def compile_at_once() -> None:
    """Disable interpretation in this process, for measurements and to warm up."""
    global COMPILE_AFTER
    COMPILE_AFTER = 0.0


class Patience:
    """The time for which the loops of a game have been interpreted, in seconds."""

    def __init__(self) -> None:
        self.spent = 0.0

    @property
    def lasts(self) -> bool:
        return self.spent < COMPILE_AFTER


def interpret_first(loop: Any, patience: Patience) -> None:
    """Run calls of ``loop`` from Python as plain Python as long as ``patience`` lasts.

    This applies only to calls on a single record (the first argument is ``states`` ``(1,)``), and
    only if no compiled loop is cached. Once it is compiled, calls have no overhead.
    """
    resolve = getattr(loop, "_compile_for_args", None)
    if resolve is None:
        return  # not compiled at all, or by an incompatible numba
    twin: Callable[..., Any] | None = None

    def find_or_compile(*args: Any, **named: Any) -> Any:
        nonlocal twin
        if named or not patience.lasts or len(args[0]) != 1 or _is_kept(loop, args):
            return resolve(*args, **named)
        if twin is None:
            twin = _interpreted(loop.py_func, patience)
        return twin

    loop._compile_for_args = find_or_compile


def _is_kept(loop: Any, args: tuple) -> bool:
    """Return whether the kernel cache contains the loop for these arguments."""
    is_kept = getattr(loop._cache, "is_kept", None)
    return is_kept is not None and is_kept(tuple(map(loop.typeof_pyval, args)), loop.targetctx)


def _interpreted(function: types.FunctionType, patience: Patience) -> Callable[..., Any]:
    plain = in_python(function, {})

    def run(states: np.ndarray, *args: Any) -> Any:
        start = perf_counter()
        # On a copy: Ctrl-C may stop this anywhere, but no game may be left halfway through a move.
        copy = copied(states)
        with np.errstate(over="ignore"):  # whole numbers wrap around
            result = plain(copy, *args)
        if states.flags.writeable:
            states[:] = copy
        patience.spent += perf_counter() - start
        return result

    return run


def in_python(function: types.FunctionType, made: dict[Any, types.FunctionType]) -> Any:
    """Return a copy of ``function`` that calls kernels as plain Python.

    Args:
        made: existing copies, by their originals.
    """
    if function not in made:
        names = {**function.__globals__}
        copy = types.FunctionType(function.__code__, names, function.__name__)
        copy.__defaults__, made[function] = function.__defaults__, copy
        for name in all_names(function.__code__):
            called = names.get(name)
            plain = getattr(called, "plain", None) or getattr(called, "py_func", None)
            if isinstance(plain, types.FunctionType):
                names[name] = in_python(plain, made)
    return made[function]
