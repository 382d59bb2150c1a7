"""Icons of a game: drawn in an SVG file, read once, put into pictures in any size and ink."""

from __future__ import annotations

import os
from xml.etree import ElementTree

from .canvas import Canvas
from .panels import shift


class Icons:
    """The icons of an SVG file, which any editor for such files can show and change.

    Each is a group (``<g id="sword">``) around the origin, in a box of 20 x 20 units. What has the
    fill or stroke ``currentColor`` is drawn in the ink that is asked for. Other elements at the top
    of the file are not drawn.

    Args:
        path: the file.
    """

    def __init__(self, path: str | os.PathLike) -> None:
        self._icons = {}
        for group in ElementTree.parse(path).getroot():
            for element in group.iter():
                element.tag = element.tag.rpartition("}")[2]
                element.tail = None
            if "id" in group.attrib:
                self._icons[group.attrib.pop("id")] = group

    def draw(
        self,
        canvas: Canvas,
        name: str,
        x: float,
        y: float,
        size: float,
        ink: str | None = None,
        **style: object,
    ) -> None:
        """Draw an icon around (x, y), ``size`` wide where it fills its box.

        Args:
            style: of the group that it is in, as for `Canvas.group`.

        Raises:
            KeyError: a name that isn't in the file.
        """
        with canvas.group(transform=shift(x, y, size / 20), color=ink, **style):
            canvas.insert([self._icons[name]])
