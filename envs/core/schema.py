"""Descriptions of observations by field, from which tables, spaces and leak tests are generated."""

from __future__ import annotations

import builtins
from collections import namedtuple
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Field:
    """A slice of an observation.

    Attributes:
        name: unique within the observation.
        shape: dimensions; fields are stored one after the other, each in row-major order.
        low, high: inclusive range of the field's numbers.
        meaning: a one-line description.
        visible_to: "all", or "seat" when only the observing seat knows it.
        start: offset in the flat observation; set in the fields returned by ``Game``.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    visible_to: str
    start: int = field(default=0, compare=False)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def slice(self) -> builtins.slice:
        """The slice of the field in the flat observation."""
        return slice(self.start, self.start + self.size)


def total_size(fields: tuple[Field, ...]) -> int:
    """Return the total size of the fields."""
    return sum(field.size for field in fields)


def scales(fields: tuple[Field, ...]) -> Any:
    """Return the factor for each number that scales it to around 1 for a network.

    float32 ``(size,)``. The divisor is the square root of the field's limit: values in large ranges
    are mostly small.
    """
    each = [
        np.full(field.size, max(abs(field.low), abs(field.high), 1) ** -0.5) for field in fields
    ]
    return np.concatenate(each).astype(np.float32)


def slices(fields: tuple[Field, ...]) -> dict[str, slice]:
    """Return the slice of each field in the flat observation."""
    result, start = {}, 0
    for one in fields:
        result[one.name] = slice(start, start + one.size)
        start += one.size
    return result


def offsets(fields: tuple[Field, ...]) -> Any:
    """Return the offset of each field's first number, as a named tuple of ints.

    Compiled kernels can read it: ``AT = offsets(FLAT)``, then ``out[AT.hand + card]``.
    """
    starts = {name: part.start for name, part in slices(fields).items()}
    return namedtuple("Offsets", starts)(**starts)


def located(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return the fields with their ``start``."""
    parts = slices(fields)
    return tuple(replace(one, start=parts[one.name].start) for one in fields)


def explain(fields: tuple[Field, ...], number: int) -> str:
    """Describe a number of the flat observation in words: see ``Game.explain``."""
    one = next(one for one in fields if number < one.slice.stop)
    index = ", ".join(map(str, np.unravel_index(number - one.start, one.shape)))
    who = "all" if one.visible_to == "all" else "only the seat itself"
    return f"{one.name}[{index}]: {one.meaning}; {one.low} to {one.high}, known to {who}"


def read(fields: tuple[Field, ...], observation: np.ndarray) -> dict[str, np.ndarray]:
    """Return the fields of ``(..., size)`` numbers by name, as views: see ``Game.read``."""
    ahead = observation.shape[:-1]
    return {one.name: observation[..., one.slice].reshape(*ahead, *one.shape) for one in fields}
