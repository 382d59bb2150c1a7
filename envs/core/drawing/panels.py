"""What the pictures of all games share: boxes, the seats' parts, panels, frames, buttons.

A game's ``geometry.py`` makes its parts of the picture from these boxes; its ``picture.py`` draws
what is alike everywhere with a `Look`, and only what is its own by itself.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from .canvas import Canvas
from .words import name_of, ordinal

# What can be clicked is named by the values of `decode_action`, in their order.
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

    def grown(self, by: float) -> Rect:
        """Return it with so much more on each side; less if that is negative."""
        return Rect(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)


def equal_parts(room: Rect, count: int, gap: float) -> list[Rect]:
    """Give every seat an equal part: side by side, four in two lines."""
    columns = 2 if count == 4 else count
    rows = -(-count // columns)
    width = (room.width - gap * (columns - 1)) / columns
    height = (room.height - gap * (rows - 1)) / rows
    return [
        Rect(
            room.x + seat % columns * (width + gap),
            room.y + seat // columns * (height + gap),
            width,
            height,
        )
        for seat in range(count)
    ]


def one_and_others(room: Rect, wide: float, others: int, gap: float) -> list[Rect]:
    """Give the seat that looks a part so wide, and the others, from the top, what is beside it."""
    x = room.x + wide + gap
    height = (room.height - gap * (others - 1)) / max(others, 1)
    beside = [Rect(x, room.y + k * (height + gap), room.right - x, height) for k in range(others)]
    return [room._replace(width=wide), *beside]


def area_of(plan, seat: int):
    """Return a seat's part of a layout that has ``areas``."""
    return next(area for area in plan.areas if area.seat == seat)


def place_at(places: Iterable[tuple[Place, Rect]], x: float, y: float) -> Place | None:
    """Return the first place that has a point, or None."""
    return next((place for place, box in places if box.has(x, y)), None)


def shift(x: float, y: float, scale: float) -> str:
    """Return the `transform` of a group drawn around (0, 0), to put it at (x, y)."""
    return f"translate({x:.2f} {y:.2f}) scale({scale:.4f})"


@dataclass(frozen=True)
class Look:
    """A game's colours and lines, and what is drawn with them in every game.

    Attributes:
        ink, faint_ink: texts.
        accent: what is to be noticed: who is to play, what can be chosen, the last move.
        panel_fill, panel_edge: panels.
        on_turn, won: behind the seat to play, behind the winners.
        label_at: where a panel's label is, from its top left corner.
        line_step: from one line of text to the next.
        frame_radius, frame_dash: corners and dashes of frames.
        frame_widths: how thick a whole frame is, and a dashed one.
    """

    ink: str
    faint_ink: str
    accent: str
    panel_fill: str
    panel_edge: str
    on_turn: str
    won: str
    label_at: tuple[float, float] = (12, 15)
    line_step: float = 18
    frame_radius: float = 10
    frame_widths: tuple[float, float] = (3.5, 2)
    frame_dash: str = "7 5"

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

    def frame(
        self,
        canvas: Canvas,
        box: Rect,
        dashed: bool = False,
        grow: float = 3,
        radius: float | None = None,
    ) -> None:
        """Highlight a part: whole for what was done last, dashed for what can be chosen."""
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
        """Write lines from (x, y) down; return where the next one would be."""
        style = {"size": 13, "fill": self.ink, **style}
        for line in lines:
            canvas.text(x, y, line, anchor="start", **style)
            y += self.line_step
        return y

    def button(self, canvas: Canvas, box: Rect, text: str, size: float = 14) -> None:
        """Draw a button."""
        style: dict[str, Any] = {"fill": self.on_turn, "stroke": self.accent, "stroke_width": 2}
        canvas.rect(*box, radius=10, **style)
        canvas.text(*box.centre, text, size=size, bold=True, fill=self.accent)

    def last_move(
        self, canvas: Canvas, x: float, y: float, text: str, columns: int, gap: float = 19
    ) -> None:
        """Tell the last move, in lines of so many letters."""
        canvas.text(x, y, "last move", size=12, anchor="start", fill=self.faint_ink)
        self.write(canvas, x, y + gap, textwrap.wrap(text, columns), fill=self.accent)

    def area(self, canvas: Canvas, box: Rect, fill: str, edge: str, on_turn: bool) -> None:
        """Draw the ground of a seat's part."""
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
        """Draw the ground of the head of a seat's part, where the name is written."""
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
        """Write a seat's name, whether it plays first and whether it looks; return where it ends.

        Args:
            seen: has ``num_players``, ``first_player``, ``seat`` and ``over``.
            letter: how wide a letter is, in sizes.
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

    def ranking(
        self,
        canvas: Canvas,
        box: Rect,
        y: float,
        rows: Iterable[tuple[int | None, int, str]],
        badge: Callable[[float, int], None],
        fills: Mapping[int, str] | None = None,
    ) -> None:
        """Draw the places at the end, one below the other.

        Args:
            y: the middle of the first.
            rows: as `ranked` gives them.
            badge: draws a seat at a height.
            fills: colours of the seats' results, where they are not `ink`.
        """
        for rank, seat, text in rows:
            if rank == 1:
                canvas.rect(box.x + 8, y - 20, box.width - 16, 40, radius=10, fill=self.won)
            badge(y, seat)
            style: dict[str, Any] = {"size": 17, "bold": True}
            canvas.text(box.x + 20, y, ordinal(rank), anchor="start", fill=self.ink, **style)
            fill = (fills or {}).get(seat, self.ink)
            canvas.text(box.right - 20, y, text, anchor="end", fill=fill, **style)
            y += 46
