"""Icons of a game: an SVG file, read once, drawn in pictures in any size and ink."""

from __future__ import annotations

import os
from typing import Any
from xml.etree import ElementTree

from .canvas import Canvas
from .panels import shift


class Icons:
    """The icons of an SVG file.

    Each is a group (``<g id="sword">``) around the origin, in a box of 20 x 20 units. A fill or
    stroke of ``currentColor`` is drawn in the requested ink. Line and fill attributes of the root
    element (``stroke-width``) apply to all icons.

    Args:
        path: the file.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        root = ElementTree.parse(path).getroot()
        for element in root.iter():
            element.tag = element.tag.rpartition("}")[2]
            element.text = element.tail = None
        self._style = {
            name: value
            for name, value in root.attrib.items()
            if name.startswith(("fill", "stroke"))
        }
        self._icons = {group.attrib.pop("id"): group for group in root}

    def draw(
        self,
        canvas: Canvas,
        name: str,
        x: float,
        y: float,
        size: float,
        ink: str | None = None,
        **style: Any,
    ) -> None:
        """Draw an icon around (x, y), its box ``size`` wide.

        Args:
            style: attributes of its group, as for `Canvas.group`.

        Raises:
            KeyError: a name that isn't in the file.
        """
        style = {**self._style, "color": ink, **style}
        with canvas.group(transform=shift(x, y, size / 20), **style):
            canvas.insert([self._icons[name]])
