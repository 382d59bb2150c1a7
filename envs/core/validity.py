"""Validation of records that come from outside.

Kernels trust the record: they index arrays with its numbers without checking them. A record that
was saved, sent or edited is therefore validated before a kernel runs on it. First, a kernel shared
by all games checks every number against the limits of its field (``LIMITS``). Then the game's
``check`` compares the fields with each other, and the values that it caches for speed are
recomputed (``derive``) and must be equal. All of this is compiled on first use.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import StateError, check_whole, check_writeable
from .forms import read_position
from .jit import kernel, specialize
from .state import HEADER

if TYPE_CHECKING:
    from .game import Game

# As an upper limit: the last seat of the record's game.
LAST_SEAT = -1000
# As limits: any number.
ANY = None
FINE, STUCK = -1, -2
FORFEIT = [field[0] for field in HEADER].index("forfeit")

Limits = Mapping[str, tuple[int, int] | None]
_HEADER_NAMES = {field[0] for field in HEADER}


def numbered(dtype: np.dtype) -> Any:
    """Return the number of each field of a record, as a named tuple of ints that kernels read."""
    names = dtype.names or ()
    return namedtuple("FieldNumbers", names)(*range(len(names)))


@kernel
def first_outside(records, seats_at, table):
    """Return ``(row, line)`` of the first number outside its limits, ``(-1, -1)`` if none is.

    Args:
        records: uint8 ``(n, itemsize)``.
        seats_at: byte offset of the number of players in a record.
        table: int64 ``(lines, 6)``: each field's byte offset, bytes per number, whether it is
            signed, count of numbers, and limits.
    """
    for row in range(len(records)):
        last_seat = np.int64(records[row, seats_at]) - 1
        for line in range(len(table)):
            at = table[line, 0]
            size = table[line, 1]
            high = last_seat if table[line, 5] == LAST_SEAT else table[line, 5]
            for _ in range(table[line, 3]):
                value = np.int64(0)
                for k in range(size):
                    value |= np.int64(records[row, at + k]) << 8 * k
                if table[line, 2] and size < 8 and value >> (8 * size - 1):
                    value -= np.int64(1) << 8 * size
                if value < table[line, 4] or value > high:
                    return row, line
                at += size
    return -1, -1


def nothing_wrong(state):
    """Replace the ``check`` of a game that has none."""
    return FINE


def nothing_derived(state):
    """Replace the ``derive`` of a game that has none."""


# Bound by ``Validity``.
check = derive = legal_actions = None


def look_at_all(states, derived, mask, found):
    """Fill ``found`` with the first record that ``check`` rejects, and the field's number.

    Recomputes cached values in ``derived``, a copy. A game that isn't over but has no legal action
    is ``STUCK``, and so is one that ``check`` predicts will reach such a position.
    """
    for i in range(len(states)):
        field = check(states[i])
        lost = states[i]["forfeit"] >= 0
        if field == FINE and lost and not states[i]["terminated"]:
            field = FORFEIT
        if field == FINE:
            # A forfeit ends a game at any point.
            if not lost:
                derive(derived[i])
            over = derived[i]["terminated"] or derived[i]["truncated"]
            if not over and legal_actions(derived[i], mask) == 0:
                field = STUCK
        if field != FINE:
            found[0] = i
            found[1] = field
            return
    found[0] = -1


class Validity:
    """Validation of the records of one game; created on first use."""

    def __init__(self, game: Game):
        self.game = game
        names = game.dtype.names or ()
        limits = {**_header_limits(game), **game.limits}
        lines = [(name, _line(game.dtype, name, limits)) for name in names]
        self._names = [name for name, line in lines if line is not None]
        self._table = np.array([line for _, line in lines if line is not None], np.int64)
        self._limits = limits
        self._counts = set(game.player_counts)
        self._seats_at = (game.dtype.fields or {})["num_players"][1]
        kernels = game.kernels
        bound = {
            "check": kernels.get("check", kernel(nothing_wrong)),
            "derive": kernels.get("derive", kernel(nothing_derived)),
            "legal_actions": kernels["legal_actions"],
        }
        self._look = specialize(look_at_all, f"{game.name}_look_at_all", **bound)

    def check(self, states: np.ndarray, playable: bool) -> None:
        """Raise StateError for the first invalid record; the message names the field."""
        states = np.ascontiguousarray(states)
        if not self._counts.issuperset(states["num_players"].tolist()):
            counts = np.isin(states["num_players"], self.game.player_counts)
            self._refuse(states, int(np.argmin(counts)), "num_players", "")
        # Copied as bytes, so that padding is equal in the copy.
        records = states.view(np.uint8).reshape(len(states), self.game.dtype.itemsize)
        worked_out = records.copy()
        row, line = first_outside(records, self._seats_at, self._table)
        if row >= 0:
            name = self._names[line]
            low, high = self._limits.get(name) or (0, 1)
            last = int(states["num_players"][row]) - 1 if high == LAST_SEAT else high
            self._refuse(states, int(row), name, f"; allowed: {low} to {last}")
        derived, found = worked_out.view(self.game.dtype).reshape(-1), np.zeros(2, np.int64)
        mask = np.empty(self.game.num_actions, np.int8)
        self._look(states, derived, mask, found)
        row, field = found.tolist()
        if row >= 0 and field == STUCK and playable:
            raise StateError(f"game {row} isn't over, but a player has no legal action")
        if row >= 0 and field != STUCK:
            self._refuse(states, row, self._names_of(field), ", which contradicts other fields")
        if worked_out.tobytes() == records.tobytes():
            return
        for name in self.game.dtype.names or ():
            same = states[name] == derived[name]
            if not same.all():
                row = int(np.argmin(same.reshape(len(states), -1).all(axis=1)))
                wanted = np.array2string(derived[name][row], threshold=8)
                self._refuse(states, row, name, f"; the other fields imply {wanted}")

    def _names_of(self, field: int) -> str:
        return (self.game.dtype.names or ())[field]

    def _refuse(self, states: np.ndarray, row: int, name: str, problem: str) -> None:
        value = np.array2string(states[name][row], threshold=8)
        raise StateError(
            f"game {row} isn't a valid game of {self.game.title}: "
            f"field {name!r} is {value}{problem}"
        )


def all_or_nothing(setter: Callable[..., None]) -> Callable[..., None]:
    """Make ``setter(states, i, **position)`` of a game atomic: it sets a valid position or nothing.

    The parts of the position are read by the ``FORMS`` of the setter's module, if it has any (see
    ``forms``). It raises ValueError for invalid positions and for parts with the wrong form,
    TypeError for unknown parts; the record is unchanged after these and any other errors. A
    position that can't be played on is only set with ``playable=False``, for its points.
    """
    package = setter.__module__.rpartition(".")[0]
    forms = setter.__globals__.get("FORMS")

    @wraps(setter)
    def set_whole(
        states: np.ndarray, i: int = 0, *, playable: bool = True, **position: Any
    ) -> None:
        game = import_module(package).GAME
        if not isinstance(states, np.ndarray) or states.dtype != game.dtype or states.ndim != 1:
            raise ValueError(
                f"states is {type(states).__name__}; give records (n,) of {game!r}, as "
                "game.new_state returns them"
            )
        i = check_whole(i, "i, the record to set up,", 0, len(states) - 1)
        check_writeable(states)
        if forms is not None:
            position = read_position(position, forms)
        before = states[i].copy()
        try:
            setter(states, i, **position)
            game.check_states(states[i : i + 1], playable=False)
            if playable:
                _check_playable(game, states[i : i + 1], setter.__globals__.get("NEEDED_TO_PLAY"))
        except (AttributeError, KeyError, IndexError, OverflowError) as error:
            states[i] = before
            raise ValueError(f"a part of the position has the wrong form: {error!r}") from error
        except BaseException:
            states[i] = before
            raise

    return set_whole


def _check_playable(game: Game, states: np.ndarray, needed: str | None) -> None:
    """Raise StateError, with what the game needs, if a valid position can't be played on."""
    try:
        game.check_states(states)
    except StateError as error:
        needs = f": give {needed}" if needed else ""
        raise StateError(
            f"a player has no legal action in this position, or has none later{needs}; with "
            "playable=False it is set all the same, for its points"
        ) from error


def _header_limits(game: Game) -> dict[str, tuple[int, int] | None]:
    return {
        "rng": ANY,
        "seed": ANY,
        "num_players": (min(game.player_counts), max(game.player_counts)),
        "to_play": (0, LAST_SEAT),
        "phase": (0, 127),
        "forfeit": (-1, LAST_SEAT),
        "ply": (0, game.max_plies),
        "last_action": (-1, game.num_actions - 1),
        "told": (0, game.max_plies),
        "told_actions": (-1, game.num_actions),
        "told_seats": (-1, LAST_SEAT),
    }


def _line(dtype: np.dtype, name: str, limits: Limits) -> tuple[int, ...] | None:
    """Return a field's line in the table of ``first_outside``; None without limits."""
    kind, at = (dtype.fields or {})[name][:2]
    shape = kind.shape
    base = kind.base
    allowed = limits.get(name, (0, 1) if base.kind == "b" else ANY)
    if allowed is None:
        return None
    count = int(np.prod(shape)) if shape else 1
    return (at, base.itemsize, int(base.kind == "i"), count, *allowed)


def unlimited(game: Game) -> list[str]:
    """Return the fields of a record without limits, other than flags."""
    named = {*_HEADER_NAMES, *game.limits}
    fields = game.dtype.fields or {}
    return [name for name in fields if name not in named and fields[name][0].base.kind != "b"]
