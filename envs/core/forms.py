"""Validation of the structure of positions, before anything is built from them.

A form reads a value: it returns the value in plain types, or raises a ValueError that names the
place in the position, the value and what is expected. Limits are checked by the game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from .errors import did_you_mean, is_whole

Form = Callable[[Any, str], Any]


def whole(value: Any, where: str) -> int:
    """Read an integer."""
    if not is_whole(value):
        _refuse(value, where, "a whole number")
    return int(value)


def flag(value: Any, where: str) -> bool:
    """Read True or False."""
    if not isinstance(value, (bool, np.bool_)):
        _refuse(value, where, "True or False")
    return bool(value)


def text(value: Any, where: str) -> str:
    """Read a name."""
    if not isinstance(value, str):
        _refuse(value, where, "a name, as text")
    return str(value)


def name_or_number(value: Any, where: str) -> str | int:
    """Read a name or a number."""
    if isinstance(value, str):
        return str(value)
    if not is_whole(value):
        _refuse(value, where, "a name, as text, or a whole number")
    return int(value)


def or_none(form: Form) -> Form:
    """Return a form that also accepts None."""
    return lambda value, where: None if value is None else form(value, where)


def list_of(form: Form) -> Form:
    """Return the form of a list, or any other iterable, with items of ``form``."""

    def read(value: Any, where: str) -> list:
        return [form(part, f"{where}[{k}]") for k, part in enumerate(_parts(value, where))]

    return read


def row_of(*forms: Form, least: int | None = None) -> Form:
    """Return the form of a tuple with an item per form; those after ``least`` are optional.

    The result is a tuple.
    """
    least = len(forms) if least is None else least
    wanted = str(least) if least == len(forms) else f"{least} to {len(forms)}"

    def read(value: Any, where: str) -> tuple:
        parts = _parts(value, where)
        if not least <= len(parts) <= len(forms):
            _refuse(value, where, f"a tuple of {wanted} parts")
        pairs = enumerate(zip(parts, forms, strict=False))
        return tuple(form(part, f"{where}[{k}]") for k, (part, form) in pairs)

    return read


def dict_of(key: Form, form: Form) -> Form:
    """Return the form of a dictionary."""

    def read(value: Any, where: str) -> dict:
        if not isinstance(value, Mapping):
            _refuse(value, where, "a dictionary")
        return {
            key(name, f"a key of {where}"): form(part, f"{where}[{name!r}]")
            for name, part in value.items()
        }

    return read


def read_position(position: Mapping[str, Any], forms: Mapping[str, Form]) -> dict[str, Any]:
    """Return the parts of a position in plain types.

    Raises:
        TypeError: a position of the game has no such part.
        ValueError: a part has the wrong form.
    """
    for name in position:
        if name not in forms:
            allowed = ", ".join(forms)
            raise TypeError(
                f"a position has no part {name!r}; allowed: {allowed}.{did_you_mean(name, forms)}"
            )
    return {name: forms[name](value, name) for name, value in position.items()}


def _parts(value: Any, where: str) -> list:
    no_list = isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable)
    if no_list or (isinstance(value, np.ndarray) and not value.ndim):
        _refuse(value, where, "a list")
    return list(value)


def _refuse(value: Any, where: str, wanted: str) -> None:
    raise ValueError(f"{where} is {value!r}; give {wanted}")
