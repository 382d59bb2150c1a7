"""Description of an observation, field by field; tables, spaces and leak tests are made from it."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np


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


def scales(fields: tuple[Field, ...]) -> Any:
    """Return what each number is multiplied by for a network, so that most are around 1.

    float32 ``(size,)``. Numbers that may be large are mostly small: a root keeps them in sight.
    """
    each = [
        np.full(field.size, max(abs(field.low), abs(field.high), 1) ** -0.5) for field in fields
    ]
    return np.concatenate(each).astype(np.float32)


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
