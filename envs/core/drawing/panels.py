"""Shared elements of all games' pictures: boxes, the seats' parts, panels, frames, buttons.

A game's ``geometry.py`` lays out the picture with these boxes; its ``picture.py`` draws the shared
elements with a `Look`, and only what is specific to the game itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np

from .canvas import Canvas
from .words import minus, name_of, ordinal

Found = TypeVar("Found")

INK, FAINT_INK, ACCENT = "#2e2820", "#766b5c", "#b0208f"

# Clickable places are named by the values of `decode_action`, in order.
Place = tuple[object, ...]


class Rect(NamedTuple):
    """A part of the picture."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    def has(self, x: float, y: float) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def path(self) -> str:
        """Return the box as an SVG path."""
        x, y, width, height = (round(float(number), 2) for number in self)
        return f"M {x:g} {y:g} h {width:g} v {height:g} h {-width:g} Z"

    def grown(self, by: float) -> Rect:
        """Return it grown by this much on each side; a negative amount shrinks it."""
        return Rect(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def less(self, left: float = 0, top: float = 0, right: float = 0, bottom: float = 0) -> Rect:
        """Return it without strips of these widths at its sides."""
        width, height = self.width - left - right, self.height - top - bottom
        return Rect(self.x + left, self.y + top, width, height)

    def middle(self, width: float, height: float) -> Rect:
        """Return a box of this size with the same centre."""
        x, y = self.centre
        return Rect(x - width / 2, y - height / 2, width, height)

    def across(self, gap: float, *widths: float) -> list[Rect]:
        """Split it from left to right; widths of 0 share the rest."""
        found, x = [], self.x
        for width in _shares(self.width, gap, widths):
            found.append(Rect(x, self.y, width, self.height))
            x += width + gap
        return found

    def down(self, gap: float, *heights: float) -> list[Rect]:
        """Split it from top to bottom; heights of 0 share the rest."""
        found, y = [], self.y
        for height in _shares(self.height, gap, heights):
            found.append(Rect(self.x, y, self.width, height))
            y += height + gap
        return found

    def grid(self, columns: int, rows: int, gap: float = 0) -> list[Rect]:
        """Split it into equal cells, line by line."""
        lines = self.down(gap, *[0] * rows)
        return [cell for line in lines for cell in line.across(gap, *[0] * columns)]

    def repeated(self, count: int, columns: int, gap: float = 0) -> list[Rect]:
        """Return ``count`` boxes of its size in rows of ``columns``, starting with itself."""
        steps = [divmod(k, columns) for k in range(count)]
        right, down = self.width + gap, self.height + gap
        return [self._replace(x=self.x + k * right, y=self.y + n * down) for n, k in steps]


def _shares(whole: float, gap: float, sizes: Sequence[float]) -> list[float]:
    rest = whole - gap * (len(sizes) - 1) - sum(sizes)
    return [size or rest / sizes.count(0) for size in sizes]


def equal_parts(room: Rect, count: int, gap: float) -> list[Rect]:
    """Give every seat an equal part: side by side, four in two lines."""
    columns = 2 if count == 4 else count
    return room.grid(columns, -(-count // columns), gap)


def one_and_others(room: Rect, wide: float, others: int, gap: float) -> list[Rect]:
    """Give the viewer a part of this width, and stack the others beside it from the top."""
    if not others:
        return [room._replace(width=wide)]
    first, beside = room.across(gap, wide, 0)
    return [first, *beside.grid(1, others, gap)]


def fan(room: Rect, count: int, width: float, gap: float) -> list[Rect]:
    """Lay cards side by side from the left, overlapping if there are too many."""
    step = width + gap
    if count > 1:
        step = min(step, (room.width - width) / (count - 1))
    return [Rect(room.x + k * step, room.y, width, room.height) for k in range(count)]


def squares(room: Rect, count: int, gap: float, largest: float) -> list[Rect]:
    """Arrange squares in rows from the top left, as large as possible."""
    ways = [(0.0, 1)]
    for columns in range(1, count + 1):
        cell = room.grid(columns, -(-count // columns), gap)[0]
        ways.append((min(cell.width, cell.height, largest), columns))
    size, columns = max(ways)
    return Rect(room.x, room.y, size, size).repeated(count, columns, gap)


def uncovered(row: Sequence[Rect], k: int) -> Rect:
    """Return the visible part of a box that the next one in its row covers."""
    box = row[k]
    if k + 1 == len(row) or row[k + 1].y != box.y:
        return box
    return box._replace(width=min(box.width, row[k + 1].x - box.x))


def area_of(plan, seat: int):
    """Return a seat's part of a layout that has ``areas``."""
    return next(area for area in plan.areas if area.seat == seat)


def of_last_record(work: Callable[[np.void], Found]) -> Callable[[np.void], Found]:
    """Cache the result of ``work(state)`` for the latest record.

    A pointer moving over a picture queries the same record many times.
    """
    kept: dict[bytes, Found] = {}

    def ask(state: np.void) -> Found:
        key = state.tobytes()
        if key not in kept:
            found = work(state)
            kept.clear()
            kept[key] = found
        return kept[key]

    return ask


def shift(x: float, y: float, scale: float, squash: float = 1) -> str:
    """Return the `transform` of a group drawn around (0, 0), to put it at (x, y).

    ``squash`` flattens it, like something lying on the table.
    """
    scales = f"{scale:.4f}" if squash == 1 else f"{scale:.4f} {squash * scale:.4f}"
    return f"translate({x:.2f} {y:.2f}) scale({scales})"


def cylinder(
    x: float, y: float, radius: float, flat: float, height: float, whole: bool = False
) -> str:
    """Return the outline of the side of a disc that stands on (x, y), or of the whole disc.

    ``radius`` and ``flat`` are half of its width and half of its depth, seen from the front.
    """
    back = 0 if whole else 1
    return (
        f"M {x - radius} {y} A {radius} {flat} 0 0 0 {x + radius} {y} v {-height} "
        f"A {radius} {flat} 0 0 {back} {x - radius} {y - height} Z"
    )


def head_path(box: Rect, height: float, radius: float) -> str:
    """Return the path of the top strip, of this height, of a box with round corners."""
    bottom = box.y + height
    corner = f"a {radius} {radius} 0 0 1 {radius}"
    return (
        f"M {box.x} {bottom} V {box.y + radius} {corner} {-radius} "
        f"H {box.right - radius} {corner} {radius} V {bottom} Z"
    )


@dataclass(frozen=True)
class Look:
    """A game's colours and lines, and the elements that every game draws with them.

    Attributes:
        ink, faint_ink: colours of text.
        accent: highlights: the seat to play, available choices, the last move.
        panel_fill, panel_edge: colours of panels.
        on_turn, won: backgrounds of the seat to play and of the winners.
        label_at: position of a panel's label, from its top left corner.
        line_step: distance between lines of text.
        frame_radius, frame_dash: corners and dashes of frames.
        frame_widths: line widths of solid and of dashed frames.
        seat_paints: fill and ink of each seat's badge.
        stripe: background of rows in a table of points.
    """

    ink: str = INK
    faint_ink: str = FAINT_INK
    accent: str = ACCENT
    panel_fill: str = "#fffdf8"
    panel_edge: str = "#cbbfa4"
    on_turn: str = "#f8e3f2"
    won: str = "#fbeebf"
    label_at: tuple[float, float] = (12, 15)
    line_step: float = 18
    frame_radius: float = 10
    frame_widths: tuple[float, float] = (3.5, 2)
    frame_dash: str = "7 5"
    seat_paints: Sequence[tuple[str, str]] = ()
    stripe: str = "#f5efe0"

    def panel(self, canvas: Canvas, box: Rect, label: str = "") -> None:
        """Draw an empty panel."""
        style: dict[str, Any] = {
            "fill": self.panel_fill,
            "stroke": self.panel_edge,
            "stroke_width": 1.5,
        }
        canvas.rect(*box, radius=12, **style)
        if label:
            right, down = self.label_at
            x, y, fill = box.x + right, box.y + down, self.faint_ink
            canvas.text(x, y, label, size=13, anchor="start", fill=fill)

    def text(self, canvas: Canvas, x: float, y: float, text: str, **style: Any) -> None:
        """Write a line of text to the right of (x, y), as `Canvas.text` does, in ink."""
        style = {"size": 13, "anchor": "start", "fill": self.ink, **style}
        canvas.text(x, y, text, **style)

    def frame(
        self,
        canvas: Canvas,
        box: Rect,
        dashed: bool = False,
        grow: float = 3,
        radius: float | None = None,
    ) -> None:
        """Highlight a part: a solid frame for the last move, a dashed one for a choice."""
        canvas.rect(
            *box.grown(grow),
            radius=self.frame_radius if radius is None else radius,
            fill="none",
            stroke=self.accent,
            stroke_width=self.frame_widths[dashed],
            stroke_dasharray=self.frame_dash if dashed else None,
        )

    def write(
        self, canvas: Canvas, x: float, y: float, lines: Sequence[str], **style: Any
    ) -> float:
        """Write lines downwards from (x, y); return the position of the next one."""
        for line in lines:
            self.text(canvas, x, y, line, **style)
            y += self.line_step
        return y

    def button(self, canvas: Canvas, box: Rect, text: str, size: float = 14) -> None:
        """Draw a button."""
        style: dict[str, Any] = {"fill": self.on_turn, "stroke": self.accent, "stroke_width": 2}
        canvas.rect(*box, radius=10, **style)
        canvas.text(*box.centre, text, size=size, bold=True, fill=self.accent)

    def label(
        self, canvas: Canvas, x: float, y: float, text: str, fill: str, ink: str, title: str
    ) -> float:
        """Write a word on a coloured label that starts at x; return where the next may start."""
        box = Rect(x, y - 9, 7.2 * len(text) + 12, 18)
        self.flag(canvas, box, text, fill, ink, title)
        return box.right + 5

    def flag(
        self, canvas: Canvas, box: Rect, text: str, fill: str, ink: str, title: str | None = None
    ) -> None:
        """Write a word on a coloured label that fills a box."""
        with canvas.group(title=title):
            canvas.rect(*box, radius=0.45 * box.height, fill=fill)
            canvas.text(*box.centre, text, size=0.62 * box.height, bold=True, fill=ink)

    def disc(
        self, canvas: Canvas, x: float, y: float, radius: float, text: str, fill: str, ink: str
    ) -> None:
        """Draw a disc with a short text: a number, a letter."""
        line = max(0.6, radius / 10)
        canvas.circle(x, y, radius, fill=fill, stroke=self.ink, stroke_width=line)
        canvas.text(x, y, text, size=1.2 * radius, bold=True, fill=ink)

    def empty(
        self,
        canvas: Canvas,
        box: Rect,
        title: str,
        lines: Sequence[str] = (),
        size: float = 14,
        edge: str = "",
    ) -> None:
        """Draw an empty place, with a label.

        Args:
            size: font size, reduced if the place is narrow.
        """
        canvas.rect(
            *box.grown(-1),
            radius=min(8.0, 0.1 * box.width),
            title=title,
            fill="#ffffff",
            fill_opacity=0.3,
            stroke=edge or self.faint_ink,
            stroke_width=1.2,
            stroke_dasharray="4 4",
        )
        size = min(size, 0.16 * box.width) if len("".join(lines)) > 2 else size
        x, y = box.centre
        y -= (len(lines) - 1) / 2 * 1.35 * size
        for k, line in enumerate(lines):
            canvas.text(x, y + 1.35 * size * k, line, size=size, fill=self.faint_ink)

    def last_move(
        self, canvas: Canvas, x: float, y: float, text: str, columns: int, gap: float = 19
    ) -> None:
        """Describe the last move, in lines of at most this many letters."""
        self.text(canvas, x, y, "last move", size=12, fill=self.faint_ink)
        self.write(canvas, x, y + gap, textwrap.wrap(text, columns), fill=self.accent)

    def area(self, canvas: Canvas, box: Rect, fill: str, edge: str, on_turn: bool) -> None:
        """Draw the background of a seat's part."""
        stroke, width = (self.accent, 3) if on_turn else (edge, 1.5)
        canvas.rect(*box, radius=14, fill=fill, stroke=stroke, stroke_width=width)

    def head(
        self,
        canvas: Canvas,
        box: Rect,
        height: float,
        on_turn: bool,
        won: bool,
        fill: str | None = None,
    ) -> None:
        """Draw the background of the head of a seat's part, which contains the name."""
        fill = self.on_turn if on_turn else self.won if won else fill or self.panel_fill
        canvas.rect(box.x + 3, box.y + 3, box.width - 6, height - 2, radius=11, fill=fill)

    def seat_name(
        self,
        canvas: Canvas,
        x: float,
        y: float,
        seat: int,
        seen,
        size: float,
        letter: float = 0.66,
    ) -> float:
        """Write a seat's name, and if it plays first or is the viewer; return where it ends.

        Args:
            seen: has ``num_players``, ``first_player``, ``seat`` and ``over``.
            letter: width of a letter, relative to the font size.
        """
        name = name_of(seat)
        canvas.text(x, y, name, size=size, bold=True, anchor="start", fill=self.ink)
        x += letter * size * len(name) + 6
        if seen.num_players == 1:
            return x
        if seat == seen.first_player:
            canvas.text(x + 6, y, "⚑", size=size, fill=self.accent, title="first player")
            x += 18
        if seat == seen.seat and not seen.over:
            canvas.text(x, y, "(you)", size=size - 4, anchor="start", fill=self.faint_ink)
            x += 40
        return x

    def title(
        self,
        canvas: Canvas,
        box: Rect,
        name: str,
        lines: Sequence[str],
        loud: str = "",
        y: float = 108,
    ) -> None:
        """Draw the game's name in a panel, lines below it from ``y`` on, then ``loud`` in bold."""
        self.panel(canvas, box)
        x = box.x + 16
        style: dict[str, Any] = {"bold": True, "anchor": "start"}
        canvas.text(x, box.y + 34, name, size=29, fill=self.ink, **style)
        y = self.write(canvas, x, box.y + y, lines, size=14, fill=self.faint_ink)
        if loud:
            canvas.text(x, y, loud, size=14, fill=self.accent, **style)

    def badge(self, canvas: Canvas, x: float, y: float, seat: int, radius: float) -> None:
        """Draw a seat's disc with its number."""
        self.disc(canvas, x, y, radius, str(seat), *self.seat_paints[seat])

    def seat_part(
        self,
        canvas: Canvas,
        box: Rect,
        head: float,
        seat: int,
        seen,
        ground: tuple[str, str],
        large: bool = True,
    ) -> float:
        """Draw a seat's part with its head: badge, name, final rank; return where they end.

        Args:
            head: height of the head.
            seen: as for `seat_name`; also ``to_play`` and ``ranks``.
            ground: fill and edge of the part.
            large: whether it has large letters.
        """
        on_turn = not seen.over and seat == seen.to_play
        won = seen.over and seen.ranks[seat] == 1
        self.area(canvas, box, *ground, on_turn)
        self.head(canvas, box, head, on_turn, won)
        y, size = box.y + head / 2 + 2, 17 if large else 14
        self.badge(canvas, box.x + 22, y, seat, 13 if large else 11)
        x = self.seat_name(canvas, box.x + 43, y, seat, seen, size)
        if seen.over and seen.num_players > 1:
            text = ordinal(seen.ranks[seat]) + (" ★" if won else "")
            style: dict[str, Any] = {"size": size - 2, "bold": True, "anchor": "start"}
            canvas.text(x + 4, y, text, fill="#8a6512" if won else self.faint_ink, **style)
            x += 56
        return x

    def decision(self, canvas: Canvas, box: Rect, seen, words: str, columns: int) -> float:
        """Write who decides what at the top of a box; return the position of the next line."""
        if seen.to_play is not None:
            x, y = box.x + 26, box.y + 26
            self.badge(canvas, x, y, seen.to_play, 13)
            you = " (you)" if seen.seat == seen.to_play and seen.num_players > 1 else ""
            style: dict[str, Any] = {"size": 16, "bold": True, "fill": self.accent}
            self.text(canvas, x + 20, y, name_of(seen.to_play) + you, **style)
        return self.write(canvas, box.x + 14, box.y + 54, textwrap.wrap(words, columns))

    def points(
        self,
        canvas: Canvas,
        box: Rect,
        rows: Sequence[tuple[str, Sequence]],
        column: float = 31,
        title: str | None = None,
    ) -> None:
        """Draw the points of all seats as a table that fills a box.

        Args:
            rows: a name and each seat's points, as numbers or bounds; the last row is the sum.
            column: width of a seat's column.
        """
        head, *lines = box.down(0, 40, *[0] * len(rows))
        first, right, y = box.x + 14, box.right - 12, head.centre[1]
        seats = len(rows[0][1])
        columns = [right - column * (seats - 1 - seat) for seat in range(seats)]
        style: dict[str, Any] = {"size": 13, "bold": True, "anchor": "start", "fill": self.ink}
        canvas.text(first, y, "points", title=title, **style)
        for seat, x in enumerate(columns):
            self.badge(canvas, x - 10, y, seat, 10)
        for line, (name, points) in zip(lines, rows, strict=True):
            last = line is lines[-1]
            y, fill = line.centre[1], self.won if last else self.stripe
            canvas.rect(box.x + 8, line.y + 2, box.width - 14, line.height - 4, radius=6, fill=fill)
            canvas.text(first, y, name, size=12, bold=last, anchor="start", fill=self.ink)
            for x, number in zip(columns, points, strict=True):
                self._number(canvas, x, y, number, last)

    def _number(self, canvas: Canvas, right: float, y: float, number, bold: bool) -> None:
        """Write a number, right-aligned at ``right``; bounds are written one above the other."""
        bounds = number if isinstance(number, tuple) else (number, number)
        low, high = map(minus, bounds)
        style: dict[str, Any] = {"bold": bold, "anchor": "end", "fill": self.ink}
        if low == high:
            canvas.text(right, y, low, size=12.5, **style)
            return
        with canvas.group(title=f"between {low} and {high}"):
            canvas.text(right, y - 7, low, size=10, **style)
            canvas.text(right, y + 7, f"…{high}", size=10, **style)

    def ranking(
        self,
        canvas: Canvas,
        box: Rect,
        y: float,
        rows: Iterable[tuple[int | None, int, str]],
        badge: Callable[[float, int], None] | None = None,
        fills: Mapping[int, str] | None = None,
        step: float = 46,
    ) -> None:
        """Draw the final ranking, one seat per line.

        Args:
            y: the middle of the first line.
            rows: as returned by `ranked`.
            badge: draws a seat at a height; by default the method `badge`.
            fills: colours of the seats' results, if not `ink`.
            step: distance between lines.
        """
        high = step - 6
        for rank, seat, text in rows:
            if rank == 1:
                room = Rect(box.x + 8, y - high / 2, box.width - 16, high)
                canvas.rect(*room, radius=10, fill=self.won)
            if badge is None:
                self.badge(canvas, box.x + 80, y, seat, 13)
            else:
                badge(y, seat)
            style: dict[str, Any] = {"size": 17, "bold": True}
            canvas.text(box.x + 20, y, ordinal(rank), anchor="start", fill=self.ink, **style)
            fill = (fills or {}).get(seat, self.ink)
            canvas.text(box.right - 20, y, text, anchor="end", fill=fill, **style)
            y += step
