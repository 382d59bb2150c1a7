"""What a seat is shown of a table, as messages of plain values without hidden information.

Everything sent to a page or a notebook cell is created here, from the game's own pictures.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs.core.drawing.spots import parts_of
from ludotheque.envs.core.drawing.words import name_of

from .pages import rules_of
from .table import PERSON, Table, is_over

Message = dict[str, Any]


def table_message(table: Table, seat: int | None) -> Message:
    """Return what doesn't change during a game: the game, and who sits where."""
    seats = [
        {
            "name": name_of(other),
            "who": table.specs.get(other, "you" if other == seat else PERSON),
        }
        for other in range(table.players)
    ]
    return {
        "kind": "table",
        "game": table.game.name,
        "title": table.game.title,
        "seat": seat,
        "seats": seats,
        "explain": table.explain,
        "cheat": table.cheat,
        # Nobody plays at this seat, or an agent does: pages watch and step.
        "watching": seat in table.specs or (seat is None and not table.open_hands),
        "live": bool(table.agents),
        "rules": rules_of(table.game),
    }


def view_of(table: Table, seat: int | None, ply: int) -> Message:
    """Return what ``seat`` sees after ``ply`` actions; None sees everything.

    ``svg`` is the picture, clickable if the seat is to decide; ``to_play`` is None if it may not
    know; ``words`` is the last move, ``trace`` its place as SVG paths; ``points`` is text. Once the
    game is over everything is shown, so that the score can be checked.
    """
    state = table.positions[ply][0]
    over = is_over(table.positions[ply])
    eyes = None if over else seat
    action = table.action_before(ply)
    told = ply > 0 and table.actions[ply - 1] is not None
    seen = table.game.see(state, eyes, action)
    mine = table.open_hands if seat is None else seen.to_play == seat and seat not in table.specs
    yours = not over and mine
    clickable = not over and (yours or eyes is None or table.explain)
    return {
        "svg": table.game.draw(state, eyes, action, clickable=clickable).svg(),
        "to_play": None if over else seen.to_play,
        "yours": yours,
        "points": table.game.points_seen(state, eyes),
        "over": over,
        "result": _result(table, ply) if over else [],
        "words": _words(table, eyes, ply, seen) if told else "",
        "trace": _trace(table, seat, ply, action) if action is not None else [],
    }


def moves_of(table: Table) -> list[tuple[int, tuple, str]]:
    """Return the legal actions: number, parts, notation. Only for the seat to play."""
    state = table.states[0]
    legal = np.flatnonzero(table.game.legal_mask(table.states)).tolist()
    return [
        (a, tuple(table.game.decode_action(a).values()), table.game.action_to_string(a, state))
        for a in legal
    ]


def _result(table: Table, ply: int) -> list[Message]:
    """Return the seats' results, best first."""
    scores, ranks = table.game.returns(table.positions[ply])
    order = sorted(range(len(ranks)), key=lambda seat: (ranks[seat], seat))
    return [
        {"seat": seat, "rank": int(ranks[seat]), "points": f"{scores[seat]:g}"} for seat in order
    ]


def _words(table: Table, seat: int | None, ply: int, seen: Any) -> str:
    text = getattr(seen.move, "text", "")
    if text or table.hides(seat, ply):
        return text
    actor = int(table.positions[ply - 1]["to_play"][0])
    return f"{name_of(actor)} plays {table.moves[ply - 1]}"


def _trace(table: Table, seat: int | None, ply: int, action: int) -> list[str]:
    """Return the places of the last action's parts in the picture before it."""
    if table.hides(seat, ply):
        return []
    before = table.positions[ply - 1][0]
    left = tuple(table.game.decode_action(action).values())
    shapes = [(parts_of(place), shape) for place, shape in table.game.spots(before, seat)]
    found = []
    while left:
        near = [(p, shape) for p, shape in shapes if left[: len(p)] == p]
        if not near:
            return []
        parts, shape = max(near, key=lambda pair: len(pair[0]))
        found.append(shape.path())
        left = left[len(parts) :]
    return found


def film_of(table: Table, seat: int | None) -> Film:
    """Return the film of a table for a seat, which all pages of the seat share.

    A page that is reloaded gets what has already been drawn.
    """
    with table.lock:
        if seat not in table.films:
            table.films[seat] = Film(table, seat)
        return table.films[seat]


class Film:
    """What a seat has been shown of a table, as a sequence of frames.

    A new frame starts when the position looks different to this seat, so the number of frames
    reveals nothing about hidden actions.

    Args:
        table: the table.
        seat: the observing seat; None sees everything.
    """

    def __init__(self, table: Table, seat: int | None):
        self.table = table
        self.seat = seat
        self._plies: list[int] = []
        self._next = 0  # the first ply that hasn't been examined
        self._last: tuple[int, Message] = (-1, {})
        self._age = table.age

    def __len__(self) -> int:
        """Return the current number of frames."""
        with self.table.lock:
            self._catch_up()
            return len(self._plies)

    def ply(self, frame: int) -> int:
        """Return the number of actions played before a frame."""
        return self._plies[frame]

    def message(self, frame: int) -> Message:
        """Return a frame as a message; the newest includes the seat's legal moves.

        Raises:
            ValueError: there is no such frame.
        """
        with self.table.lock:
            count = len(self)
            if not 0 <= frame < count:
                raise ValueError(f"there is no frame {frame}; there are {count}, from 0")
            view = self._view(self._plies[frame])
            newest = frame == count - 1
            choosing = newest and view["yours"]
            return {
                "kind": "view",
                "frame": frame,
                "frames": count,
                "age": self.table.age,
                **view,
                "yours": choosing,
                "moves": moves_of(self.table) if choosing else [],
                "undo": self.seat is not None and self.table.undo_to(self.seat) is not None,
            }

    def _view(self, ply: int) -> Message:
        if self._last[0] != ply:
            return view_of(self.table, self.seat, ply)
        return self._last[1]

    def _catch_up(self) -> None:
        plies, start, last = self._plies, self._next, self._last
        if self._age != self.table.age:
            plies, start, last = [], 0, (-1, {})
        end = len(self.table.actions) + 1
        if start == end:
            return
        plies = [*plies]
        for ply in range(start, end):
            # Seats that may count actions see each of them.
            if self.table.game.see(self.table.positions[ply][0], self.seat).ply is None:
                view = view_of(self.table, self.seat, ply)
                if self._content(view) == self._content(last[1]):
                    continue
                last = (ply, view)
            plies.append(ply)
        # At once: Ctrl-C must not leave out a frame, or show one twice.
        self.__dict__.update(_age=self.table.age, _plies=plies, _next=end, _last=last)

    @staticmethod
    def _content(view: Message) -> Message:
        return {name: value for name, value in view.items() if name not in ("words", "trace")}
