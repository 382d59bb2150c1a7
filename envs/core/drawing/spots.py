"""Clickable places in a picture: named shapes, for a pointer in a window and for a web page.

A game's ``geometry.spots`` lists them once. `spot_at` finds the place of a click, and `add_spots`
draws them over a picture, invisibly, each with the name of its place.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from .canvas import Canvas
from .panels import cylinder

__all__ = ["Ellipse", "Shape", "Spot", "Stack", "add_spots", "parts_of", "spot_at"]


class Shape(Protocol):
    """A part of the picture; `Rect` is one too."""

    def has(self, x: float, y: float) -> bool:
        """Return whether a point is in it."""
        ...

    def path(self) -> str:
        """Return it as an SVG path."""
        ...


# The values of `decode_action` that a shape stands for, in order, or a single value.
Spot = tuple[Any, Shape]


class Ellipse(NamedTuple):
    """An ellipse around (x, y)."""

    x: float
    y: float
    radius_x: float
    radius_y: float

    def has(self, x: float, y: float) -> bool:
        return ((x - self.x) / self.radius_x) ** 2 + ((y - self.y) / self.radius_y) ** 2 <= 1

    def path(self) -> str:
        turn = f"a {self.radius_x:g} {self.radius_y:g} 0 0 0"
        across = 2 * self.radius_x
        return f"M {self.x - self.radius_x:g} {self.y:g} {turn} {across:g} 0 {turn} {-across:g} 0 Z"


class Stack(NamedTuple):
    """Discs piled up on (x, y), in a slight perspective; ``radius`` and ``flat`` of a disc."""

    x: float
    y: float
    radius: float
    flat: float
    height: float

    def has(self, x: float, y: float) -> bool:
        across = (x - self.x) / self.radius
        if abs(across) > 1:
            return False
        reach = self.flat * (1 - across**2) ** 0.5
        return self.y - self.height - reach <= y <= self.y + reach

    def path(self) -> str:
        x, y, radius, flat, height = (round(float(number), 2) for number in self)
        return cylinder(x, y, radius, flat, height, whole=True)


def spot_at(spots: Iterable[Spot], x: float, y: float) -> Any:
    """Return the name of the first spot that contains a point, or None."""
    return next((place for place, shape in spots if shape.has(x, y)), None)


def parts_of(place: Any) -> tuple:
    """Return the parts of an action that a spot stands for as a tuple, even a single value."""
    return place if isinstance(place, tuple) else (place,)


def add_spots(canvas: Canvas, spots: Sequence[Spot]) -> None:
    """Draw spots over a picture as invisible paths, the first on top.

    Each has the attribute ``data-place``: its parts of an action, as JSON.
    """
    with canvas.group(fill="none", **{"class": "spots"}):
        for place, shape in reversed(spots):
            name = json.dumps(parts_of(place), default=_plain)
            canvas.path(shape.path(), **{"data-place": name})


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is not part of an action")
