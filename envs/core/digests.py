"""Digests of everything that the machine code of a kernel depends on."""

from __future__ import annotations

import enum
import hashlib
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

# Kernels may read these modules, whose versions are part of an entry's name or don't matter.
_LIBRARIES = {*sys.stdlib_module_names, "numba", "numpy", "scipy"}


def digest(function: Callable[..., Any]) -> str:
    """Return a hex digest of everything that the machine code of ``function`` depends on."""
    hasher = hashlib.sha256()
    _feed_function(hasher, function, {})
    return hasher.hexdigest()


def all_names(code: types.CodeType) -> list[str]:
    """Return the names that a function's code reads, including those in nested functions."""
    names = list(code.co_names)
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            names += all_names(const)
    return names


def _put(hasher, text: str) -> None:
    """Feed a text preceded by its length, so that consecutive texts can't be confused."""
    hasher.update(f"{len(text)}:{text}".encode())


def _feed_function(hasher, function, seen: dict[int, int]) -> None:
    """Feed a function; ``seen`` numbers those already fed, of which only the number is fed again.

    Without the number, names that mean the same functions in another way had the same digest.
    """
    if id(function) in seen:
        _put(hasher, f"function {seen[id(function)]}")
        return
    seen[id(function)] = len(seen)
    _feed_code(hasher, function.__code__)
    for cell in function.__closure__ or ():
        _feed_value(hasher, function.__name__, cell.cell_contents, seen)
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        _feed_value(hasher, function.__name__, value, seen)
    for name in all_names(function.__code__):
        if name in function.__globals__:
            _put(hasher, name)
            _feed_value(hasher, name, function.__globals__[name], seen)


def _feed_code(hasher, code: types.CodeType) -> None:
    _put(hasher, code.co_code.hex())
    _put(hasher, repr((code.co_names, code.co_varnames, code.co_freevars)))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            _feed_code(hasher, const)
        else:
            _put(hasher, repr(const))


def _feed_value(hasher, name: str, value: Any, seen: dict[int, int]) -> None:
    # For a kernel, its function; for a numba intrinsic, the function that generates its code.
    compiled = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    if isinstance(compiled, types.FunctionType):
        _feed_function(hasher, compiled, seen)
    elif isinstance(value, types.FunctionType):
        _feed_function(hasher, value, seen)
    elif isinstance(value, np.ndarray):
        _put(hasher, f"{value.dtype.descr}{value.shape}")
        hasher.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (bool, int, float, str, np.generic, np.dtype)):
        _put(hasher, repr(value))
    elif isinstance(value, tuple):
        _put(hasher, f"tuple {len(value)} {getattr(value, '_fields', ())}")
        for item in value:
            _feed_value(hasher, name, item, seen)
    elif isinstance(value, types.ModuleType):
        if value.__name__.partition(".")[0] not in _LIBRARIES:
            raise TypeError(
                f"a kernel reads {name!r}, the module {value.__name__}: import its constants by "
                "name, so that the kernel cache can tell when they change"
            )
        _put(hasher, value.__name__)
    elif isinstance(value, enum.EnumMeta):
        members: list[enum.Enum] = list(value)
        _put(hasher, repr([(member.name, member.value) for member in members]))
    elif isinstance(value, type) or callable(value):
        _put(hasher, f"{value.__module__}.{getattr(value, '__qualname__', name)}")
        if hasattr(value, "_fields"):  # a NamedTuple: machine code accesses its fields by position
            _put(hasher, repr(value._fields))
    else:
        raise TypeError(
            f"a kernel reads {name!r}, a {type(value).__name__}: kernels may read numbers, "
            "strings, tuples, numpy arrays and other kernels"
        )
