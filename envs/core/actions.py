"""The action space of a game as a table: numbers, named parts, and what an action concerns.

A game lists its kinds of action in the order of their numbers. Each kind has named parts, and the
kind's actions are numbered in row-major order of the parts' values: the last part varies fastest.

    ACTIONS = ActionTable(
        ActionKind("take", space=range(5), about=lambda space: (("display", space),)),
        ActionKind("pass"),
        ActionKind("place", colour=COLOURS, hex=range(25)),
    )
    TAKE = ACTIONS.first("take")                     # 0; kernels compute with these constants
    ACTIONS.decode(0)                                # {"kind": "take", "space": 0}
    ACTIONS.encode({"kind": "place", "colour": "red", "hex": 3})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .errors import check_choice

Parts = dict[str, Any]
# A field of the flat observation and a row of it.
Target = tuple[str, int]


class ActionKind:
    """Consecutive actions that differ only in the values of their parts.

    Attributes:
        kind: value of the part ``"kind"``. None leaves that part out, for a game with one kind.
        parts: allowed values of each part, by name.
        rows: parts of each action, in order.
        about: called with the index of each part's value; returns the action's targets, at most
            two. None if the actions concern nothing in the observation.
    """

    def __init__(
        self,
        kind: str | None,
        *,
        about: Callable[..., tuple[Target, ...]] | None = None,
        only: Iterable[tuple[Any, ...]] | None = None,
        **parts: Sequence[Any],
    ):
        """Args: ``only`` lists the combinations of values that exist; by default all of them."""
        self.kind = kind
        self.about = about
        self.parts = {name: tuple(values) for name, values in parts.items()}
        head = {} if kind is None else {"kind": kind}
        combinations = product(*self.parts.values()) if only is None else only
        self.rows = [head | dict(zip(self.parts, row, strict=True)) for row in combinations]

    def targets(self, row: Parts) -> tuple[Target, ...]:
        """Return the targets of an action given by its parts."""
        if self.about is None:
            return ()
        return self.about(*(values.index(row[name]) for name, values in self.parts.items()))


class ActionTable:
    """All actions of a game, numbered from 0; ``len(table)`` is the size of the action space."""

    def __init__(self, *kinds: ActionKind):
        self.kinds = kinds
        self._rows = [row for kind in kinds for row in kind.rows]
        self._numbers = {_key(row): number for number, row in enumerate(self._rows)}
        self._targets = [kind.targets(row) for kind in kinds for row in kind.rows]

    def __len__(self) -> int:
        return len(self._rows)

    def first(self, kind: str, *names: str) -> int:
        """Return the first number of a kind; ``names`` of parts distinguish kinds of one name.

        Raises:
            KeyError: there is no such kind.
        """
        for number, row in enumerate(self._rows):
            if row.get("kind") == kind and set(names) <= set(row):
                return number
        raise KeyError(kind)

    def decode(self, action: int) -> Parts:
        """Return an action's parts by name: a new dict.

        Raises:
            ValueError: a number outside the action space.
        """
        if not 0 <= action < len(self):
            raise ValueError(f"action {action!r} is outside 0 to {len(self) - 1}")
        return dict(self._rows[int(action)])

    def targets(self, action: int) -> tuple[Target, ...]:
        """Return what an action concerns: pairs of an observation field and one of its rows."""
        return self._targets[int(action)]

    def encode(self, parts: Mapping[str, Any]) -> int:
        """Return the number of an action given by its parts.

        Raises:
            ValueError: there is no such action; the message names the invalid part and its choices.
        """
        parts = {name: _plain(value) for name, value in parts.items()}
        number = self._numbers.get(_key(parts))
        # True equals 1 as a key, but isn't a space or the value of a card.
        if number is not None and all(
            type(value) is type(parts[name]) for name, value in self._rows[number].items()
        ):
            return number
        raise ValueError(self._complaint(parts))

    def _complaint(self, parts: Parts) -> str:
        kinds = [kind for kind in self.kinds if kind.kind == parts.get("kind")]
        if not kinds:
            names = ", ".join(dict.fromkeys(str(kind.kind) for kind in self.kinds))
            return f"kind of action is {parts.get('kind')!r}; allowed: {names}"
        named = [kind for kind in kinds if set(kind.rows[0]) == set(parts)]
        if not named:
            wanted = "; or ".join(", ".join(kind.rows[0]) for kind in kinds)
            return f"an action {parts!r} must have exactly these parts: {wanted}"
        for name, values in named[0].parts.items():
            try:
                check_choice(parts[name], values, f"{name} of the action")
            except ValueError as error:
                return str(error)
        return f"there is no action {parts!r}"


def _key(parts: Mapping[str, Any]) -> frozenset:
    try:
        return frozenset(parts.items())
    except TypeError:  # an unhashable value belongs to no action
        return frozenset()


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
