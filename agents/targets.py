"""The targets of actions in a game's flat observation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.schema import Field, scales

TARGETS = 2  # maximum number of targets of an action


@dataclass(frozen=True, eq=False)
class ActionTargets:
    """The structure of a game's observations and actions.

    Targets are the places of the board, counted row by row, followed by the rows of each list.

    Attributes:
        grid: rows and columns of the board; (0, 0) without one.
        planes: int64 ``(places, planes)``: indices of each place's numbers in the observation.
        lists: an int64 array ``(rows, numbers)`` per list: indices of each row's numbers.
        rest: int64 ``(n,)``: indices of the numbers that belong to no place.
        scale: float32 ``(size,)``: factors that scale each number to around 1.
        targets: int64 ``(num_actions, 2)``: the targets of each action; ``num_things`` means none.
        kinds: int64 ``(num_actions,)``: actions with the same kinds of targets share a kind; those
            without targets have one each.
        framed: int64 ``(places,)``: each place's index on a board with a border of one place.
    """

    grid: tuple[int, int]
    planes: np.ndarray
    lists: tuple[np.ndarray, ...]
    rest: np.ndarray
    scale: np.ndarray
    targets: np.ndarray
    kinds: np.ndarray
    framed: np.ndarray

    @property
    def num_places(self) -> int:
        return len(self.planes)

    @property
    def num_rows(self) -> int:
        return sum(len(rows) for rows in self.lists)

    @property
    def num_things(self) -> int:
        return self.num_places + self.num_rows

    @property
    def num_kinds(self) -> int:
        return int(self.kinds.max()) + 1


@lru_cache(maxsize=32)
def targets_of(game: Game) -> ActionTargets | None:
    """Return the targets of a game's actions, or None for games without ``targets``.

    The board is the flat observation's fields of shape ``(k, rows, columns)``, all of one size; the
    lists are the other fields that ``game.targets`` names.
    """
    if game.targets is None:
        return None
    fields = game.observation_schema("flat")
    about = [game.targets(action) for action in range(game.num_actions)]
    named = {name for pairs in about for name, _ in pairs}
    grid, start = (0, 0), 0
    planes: list[np.ndarray] = []
    lists: list[np.ndarray] = []
    rest: list[np.ndarray] = []
    first: dict[str, int] = {}
    for field in fields:
        positions = np.arange(start, start + field.size)
        start += field.size
        if _is_map(field, grid):
            grid = field.shape[1], field.shape[2]
            first[field.name] = 0
            planes.append(positions.reshape(field.shape[0], -1))
            continue
        rest.append(positions)
        if field.name in named:
            first[field.name] = sum(len(rows) for rows in lists)
            lists.append(positions.reshape(field.shape[0], -1))
    places = grid[0] * grid[1]
    maps = {field.name for field in fields if _is_map(field, grid)}
    first = {name: row + (0 if name in maps else places) for name, row in first.items()}
    things = [[first[name] + row for name, row in pairs] for pairs in about]
    nothing = places + sum(len(rows) for rows in lists)
    return ActionTargets(
        grid,
        np.concatenate(planes).T.copy() if planes else np.zeros((0, 0), np.int64),
        tuple(lists),
        np.concatenate(rest) if rest else np.zeros(0, np.int64),
        scales(fields),
        np.array([(each + [nothing] * TARGETS)[:TARGETS] for each in things], dtype=np.int64),
        _kinds(about),
        _framed(grid),
    )


def _is_map(field: Field, grid: tuple[int, int]) -> bool:
    return len(field.shape) == 3 and grid in ((0, 0), field.shape[1:])


def _kinds(about: list[tuple[tuple[str, int], ...]]) -> np.ndarray:
    """Number the kinds of actions by the names of their targets."""
    keys = [tuple(name for name, _ in pairs) or action for action, pairs in enumerate(about)]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return np.array([numbers[key] for key in keys], dtype=np.int64)


def _framed(grid: tuple[int, int]) -> np.ndarray:
    rows, columns = grid
    frame = np.arange((rows + 2) * (columns + 2)).reshape(rows + 2, columns + 2)
    return frame[1:-1, 1:-1].reshape(-1)
