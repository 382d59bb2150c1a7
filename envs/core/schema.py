"""Description of an observation, field by field; tables, spaces and leak tests are made from it."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from math import prod
from typing import Any


@dataclass(frozen=True)
class Field:
    """A slice of an observation.

    Attributes:
        name: unique within the observation.
        shape: dimensions; the fields stand one after the other, each in row-major order.
        low, high: range of every number in the field, both included.
        meaning: a one-line description.
        visible_to: "all", or "seat" when only the observing seat knows it.
    """

    name: str
    shape: tuple[int, ...]
    low: int
    high: int
    meaning: str
    visible_to: str

    @property
    def size(self) -> int:
        return prod(self.shape)


def total_size(fields: tuple[Field, ...]) -> int:
    """Return how many numbers the fields hold together."""
    return sum(field.size for field in fields)


def slices(fields: tuple[Field, ...]) -> dict[str, slice]:
    """Return where each field stands in the flat observation."""
    result, start = {}, 0
    for field in fields:
        result[field.name] = slice(start, start + field.size)
        start += field.size
    return result


def offsets(fields: tuple[Field, ...]) -> Any:
    """Return the position of each field's first number, as a named tuple of ints.

    Compiled kernels can read it: ``AT = offsets(FLAT)``, then ``out[AT.hand + card]``.
    """
    starts = {name: part.start for name, part in slices(fields).items()}
    return namedtuple("Offsets", starts)(**starts)
