"""The requests that a page or a notebook cell may send to a table, over any transport.

A message is a dict with ``"do"`` and its arguments; nothing else has any effect:

| do | with | |
|---|---|---|
| `act` | `action`, `frame`, `age` | play a legal action, if the frame is still the newest |
| `undo` | `frame`, `age` | take back the last decision, for one person against agents |
| `again` | `age` | deal a new game with the same seats, for one person against agents |
| `frame` | `at` | show an earlier position |
| `next` | | let the watched agents play an action |
| `look` | `seat` | show what that seat sees, for spectators; -1 shows everything |
| `mind` | `at` | show what an agent thinks there, at a table with `explain` |
| `save` | | return the replay, once the game is over |
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

from ludotheque.envs.core.arguments import fresh_seed
from ludotheque.envs.core.errors import LudothequeError, is_whole

from .mind import mind_of
from .table import Table
from .view import Message, film_of, table_message

FIELDS: dict[str, tuple[str, ...]] = {
    "act": ("action", "frame", "age"),
    "undo": ("frame", "age"),
    "again": ("age",),
    "frame": ("at",),
    "next": (),
    "look": ("seat",),
    "mind": ("at",),
    "save": (),
}
# Requests that change the table, rejected while an agent thinks.
CHANGES = ("act", "undo", "again", "next")
# Requests for which an agent thinks. Meanwhile others may look at the table.
THOUGHTS = ("next", "mind")
MOVED_ON = "the game has moved on: look again"


class Refused(Exception):
    """The request can't be fulfilled; nothing has changed."""


def check_message(message: Any) -> Message:
    """Return a message after validating its form.

    Raises:
        Refused: the form is wrong; the text explains why.
    """
    what = message.get("do") if isinstance(message, dict) else None
    if not isinstance(what, str) or what not in FIELDS:
        raise Refused(f"a message needs 'do': one of {', '.join(FIELDS)}")
    if set(message) != {"do", *FIELDS[what]}:
        raise Refused(f"{what} takes: {', '.join(FIELDS[what]) or 'no arguments'}")
    for name in FIELDS[what]:
        if not is_whole(message[name]):
            raise Refused(f"{name} of {what} must be a whole number")
    return message


class Guest:
    """A page or cell that shows a table as seen by a seat; None sees everything and doesn't play.

    Several guests may share a seat; each gets all messages.
    """

    def __init__(self, table: Table, seat: int | None):
        self.table = table
        self.seat = seat
        self.film = film_of(table, seat)
        self._sees_all = seat is None
        self._told = (table.age, 0)  # the table's age and the number of frames when last sent

    def hello(self) -> list[Message]:
        """Return the first messages: the table and a frame (the first one of a recorded game)."""
        recorded = not (self.table.agents or self.table.people or self.table.open_hands)
        # Meanwhile others may take moves back or switch seats.
        with self.table.lock:
            frame = 0 if recorded else len(self.film) - 1
            head = table_message(self.table, self.seat) | {"chooses": self._sees_all}
            messages = [head, self.film.message(frame)]
            self._told = (self.table.age, len(self.film))
            return messages

    def news(self) -> list[Message]:
        """Return the frames since the last call."""
        with self.table.lock:
            age, told = self._told
            count = len(self.film)
            if age != self.table.age:
                told = count - 1
            messages = [self.film.message(frame) for frame in range(told, count)]
            self._told = (self.table.age, count)
            return messages

    def ask(self, message: Any) -> list[Message]:
        """Execute a message and return the answer, which may consist of `news` only.

        Raises:
            Refused: the request can't be fulfilled.
        """
        asked = dict(check_message(message))
        do = asked.pop("do")
        answer: Callable[..., list[Message]] = getattr(self, f"_{do}")
        try:
            with nullcontext() if do in THOUGHTS else self.table.lock:
                return answer(**asked)
        except (LudothequeError, ValueError) as error:
            raise Refused(str(error)) from error

    def _act(self, action: int, frame: int, age: int) -> list[Message]:
        self._check_newest(frame, age)
        if self.table.over or not self._may_act():
            raise Refused("it is not your turn")
        self.table.take(action)
        return []

    def _may_act(self) -> bool:
        if self.seat is None:
            return self.table.open_hands
        return self.table.to_play == self.seat and self.seat not in self.table.specs

    def _undo(self, frame: int, age: int) -> list[Message]:
        self._check_newest(frame, age)
        self.table.undo(self._person())
        return []

    def _again(self, age: int) -> list[Message]:
        if age != self.table.age:
            raise Refused("a new game has started since")
        if self.table.people != [self._person()]:
            raise Refused("only someone who plays against agents alone can start over")
        self.table.deal(fresh_seed())
        return []

    def _frame(self, at: int) -> list[Message]:
        return [self.film.message(at)]

    def _next(self) -> list[Message]:
        if self.seat in self.table.people or not self.table.agent_is_next:
            raise Refused("there is no agent to wait for")
        self.table.agent_acts()
        return []

    def _look(self, seat: int) -> list[Message]:
        if not self._sees_all:
            raise Refused("only someone who sees everything can switch seats")
        if not -1 <= seat < self.table.players:
            raise Refused(f"there is no seat {seat}: -1 to {self.table.players - 1}")
        shown = None if seat < 0 else seat
        # At once, for Ctrl-C in a notebook.
        self.__dict__.update(seat=shown, film=film_of(self.table, shown))
        return self.hello()

    def _mind(self, at: int) -> list[Message]:
        with self.table.lock:
            if not 0 <= at < len(self.film):
                raise Refused(f"there is no frame {at}")
            ply, age = self.film.ply(at), self.table.age
        thoughts = mind_of(self.table, self.seat, ply)
        if age != self.table.age:
            raise Refused(MOVED_ON)
        return [{"kind": "mind", "frame": at, "age": age, **thoughts}]

    def _save(self) -> list[Message]:
        # A replay contains the seed, and with it everything hidden.
        if not self.table.over and not self._sees_all:
            raise Refused("the game can be saved when it is over")
        replay = self.table.replay()
        name = f"{self.table.game.name}-{replay.digest[:8] if replay.digest else 'game'}.jsonl"
        return [{"kind": "file", "name": name, "text": replay.to_json() + "\n"}]

    def _person(self) -> int:
        if self.seat is None or self.seat in self.table.specs:
            raise Refused("spectators can't play")
        return self.seat

    def _check_newest(self, frame: int, age: int) -> None:
        if (frame, age) != (len(self.film) - 1, self.table.age):
            raise Refused(MOVED_ON)
