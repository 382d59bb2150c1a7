"""Shared code of the tests of pictures and texts: reading SVG, and checks for every game."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

from ludotheque.envs.core.drawing.canvas import FONT_FILES, FONT_FOLDER, Canvas
from ludotheque.envs.core.drawing.panels import Rect
from ludotheque.envs.core.game import Game

SVG = "{http://www.w3.org/2000/svg}"
TextBox = tuple[str, Rect]


def views(states: np.ndarray) -> list[int | None]:
    """All viewers of a game: omniscient, and each seat."""
    return [None, *range(int(states[0]["num_players"]))]


def last_of(state: np.void) -> int | None:
    """The last action of a record that keeps it."""
    return int(state["last_action"]) if state["ply"] else None


# What is in a picture


def shapes(canvas: Canvas, tag: str, moved: bool = True) -> Iterator[tuple]:
    """Yield all shapes of a kind, each with its scale and shift.

    Args:
        moved: also those in groups that are shifted or scaled, as the parts of a tile.
    """
    yield from _shapes(ElementTree.fromstring(canvas.svg()), tag, (1.0, 0.0, 0.0), moved)


def _shapes(element, tag: str, place: tuple[float, float, float], moved: bool) -> Iterator[tuple]:
    scale, x, y = place
    for child in element:
        if child.tag == SVG + tag:
            yield child, place
        elif child.tag == f"{SVG}g":
            numbers = re.findall(r"-?[\d.]+", child.get("transform", ""))
            if not numbers:
                yield from _shapes(child, tag, place, moved)
            elif moved:
                right, down, grow = map(float, numbers[:3])
                inner = scale * grow, x + scale * right, y + scale * down
                yield from _shapes(child, tag, inner, moved)


def words(canvas: Canvas, moved: bool = True) -> list[str]:
    """All texts of a picture, without the titles."""
    return [_text_of(element) for element, _ in shapes(canvas, "text", moved)]


def _text_of(element) -> str:
    return element.text or element[-1].tail


def titles(canvas: Canvas) -> list[str]:
    return [e.text for e in ElementTree.fromstring(canvas.svg()).iter(f"{SVG}title")]


def text_boxes(canvas: Canvas, moved: bool = True) -> list[TextBox]:
    """All texts of a picture, each with the box of its capital letters."""
    boxes = []
    for element, (scale, right, down) in shapes(canvas, "text", moved):
        text, size = _text_of(element), scale * float(element.get("font-size"))
        x = right + scale * float(element.get("x"))
        y = down + scale * float(element.get("y"))
        width = font(element.get("font-weight") == "bold").getlength(text) * size / 100
        x -= {"start": 0, "middle": width / 2, "end": width}[element.get("text-anchor")]
        boxes.append((text, Rect(x, y - 0.73 * size, width, 0.73 * size)))
    return boxes


@cache
def font(bold: bool):
    image_font = pytest.importorskip("PIL.ImageFont")
    return image_font.truetype(str(FONT_FOLDER / FONT_FILES[bold]), 100)


def apart(one: Rect, other: Rect) -> bool:
    across = one.right <= other.x or other.right <= one.x
    return across or one.bottom <= other.y or other.bottom <= one.y


def rgb(fill: str) -> np.ndarray:
    return np.array([int(fill[k : k + 2], 16) for k in (1, 3, 5)])


def is_paint(pixels: np.ndarray, x: float, y: float, fill: str) -> bool:
    """Return whether a point has a colour, up to rounding."""
    return np.abs(pixels[round(y), round(x)].astype(int) - rgb(fill)).max() <= 3


# Checks of a picture


def check_picture(canvas: Canvas, width: int, height: int, scale: float = 0.5) -> None:
    """It is SVG and pixels of its size, and has more than one colour."""
    root = ElementTree.fromstring(canvas.svg())
    assert root.get("viewBox") == f"0 0 {width} {height}"
    pixels = canvas.rgb(scale)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (height * scale, width * scale, 3)
    # Each colour as one number: rows take twenty times as long to sort.
    colours = pixels.astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], np.uint32)
    assert len(np.unique(colours)) > 100


def check_edges(pixels: np.ndarray, width: int) -> None:
    """Nothing lies outside the picture, or too close to its edge."""
    across = pixels.swapaxes(0, 1)
    for edge in (pixels[:width], pixels[-width:], across[:width], across[-width:]):
        assert (edge == pixels[0, 0]).all()


def check_apart(boxes: Sequence[TextBox]) -> None:
    """No text overlaps another."""
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        assert apart(first, second), (one, other)


def check_in_parts(boxes: Iterable[TextBox], parts: Sequence[Rect]) -> None:
    """Every text is in one part of the picture, and ends where that ends."""
    for text, box in boxes:
        inside = [p for p in parts if p.x < box.x and box.right < p.right and p.has(*box.centre)]
        assert len(inside) == 1, text


def check_colours(fills: Iterable[str], least: float) -> None:
    """Colours stay this far apart in CIELAB, also for the colour-blind.

    The simulation is that of Machado, Oliveira and Fernandes 2009.
    """
    fills = list(fills)
    blind = (
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
        [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
        [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
    )
    assert len(fills) > 1
    for matrix in blind:
        colours = [lab(fill, np.array(matrix)) for fill in fills]
        for one, other in itertools.combinations(colours, 2):
            assert np.linalg.norm(one - other) > least


def lab(fill: str, matrix: np.ndarray) -> np.ndarray:
    """A perceived colour, in CIELAB."""
    value = rgb(fill) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    seen = np.clip(matrix @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(to_xyz @ seen / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


# Checks of pictures and texts together


def check_shown(game: Game, base: np.void, changed: Mapping[object, np.void]) -> None:
    """Pictures and texts of all these records differ, and those of other viewers."""
    for show in (lambda *a: game.draw(*a).svg(), game.describe):
        shown = {name: show(state, 0) for name, state in changed.items()}
        shown["seat"] = show(base, 1)
        shown["all eyes"] = show(base, None)
        shown["last move"] = show(base, 0, 3)
        shown["base"] = show(base, 0)
        alike = [(a, b) for a, b in itertools.combinations(shown, 2) if shown[a] == shown[b]]
        assert not alike


def check_ways_to_give(game: Game, state: np.void, last: int) -> None:
    """The last action may be any integer, or its parts."""
    ways = (last, np.int64(last), game.decode_action(last))
    assert len({game.draw(state, 0, move).svg() for move in ways}) == 1
    assert len({game.describe(state, 0, move) for move in ways}) == 1


def check_any_last(game: Game, see, state: np.void) -> None:
    """Any action may be given as the last, even one that doesn't fit the record."""
    for action in range(game.num_actions):
        assert see(state, 0, action).move.text
    for action in range(0, game.num_actions, 29):
        assert "last move: " in game.describe(state, 0, action)
        game.draw(state, 0, action)


def check_refused(show, state: np.void, moves: Iterable[object], match: str) -> None:
    """Nonexistent seats and these last moves are refused, with a matching error."""
    num_players = int(state["num_players"])
    for seat in (-1, num_players):
        with pytest.raises(ValueError, match=rf"seat must be 0\.\.{num_players - 1}, or None"):
            show(state, seat)
    for move in moves:
        with pytest.raises(ValueError, match=match):
            show(state, 0, move)


def check_forfeit(game: Game, states: np.ndarray, line: str) -> None:
    """After a forfeit of seat 1 the text ends with this line, and the picture shows it."""
    states[0]["terminated"] = True
    states[0]["forfeit"] = 1
    assert game.describe(states[0]).endswith(line)
    assert "forfeit" in words(game.draw(states[0]))


def check_plain(text: str, width: int | None = 79) -> None:
    """A text has no colour codes or trailing blanks, and at most this width."""
    assert "\x1b" not in text
    assert not re.search(r" +$", text, re.MULTILINE)
    if width is not None:
        assert max(map(len, text.splitlines())) <= width
