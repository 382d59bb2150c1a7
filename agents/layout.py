"""Where the board is in a game's flat observation, and which places an action is about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ludotheque.envs.core.game import Game

# The parts of an action that are places of the board, by the names that games give them.
PLACES = ("from", "to")


@dataclass(frozen=True, eq=False)
class Layout:
    """A board game's observation and actions, taken apart.

    Attributes:
        grid: rows and columns of the board.
        planes: int64 ``(places, planes)``: where each place's numbers stand in the observation.
        rest: int64 ``(n,)``: where the numbers stand that belong to no place.
        scale: float32 ``(size,)``: what each number is multiplied by, to lie within -1 and 1.
        places: int64 ``(num_actions, 2)``: from where to where each action goes.
        framed: int64 ``(places,)``: each place's number when a frame of one place is laid around
            the board.
    """

    grid: tuple[int, int]
    planes: np.ndarray
    rest: np.ndarray
    scale: np.ndarray
    places: np.ndarray
    framed: np.ndarray


@lru_cache(maxsize=32)
def layout_of(game: Game) -> Layout | None:
    """Return a game's layout, or None if it isn't all about moves from place to place of a board.

    The board is the flat observation's fields of shape ``(k, rows, columns)``; an action is a move
    if ``decode_action`` gives its ``"from"`` and ``"to"``, counted row by row.
    """
    grid, planes, rest, scale, start = None, [], [], [], 0
    for field in game.observation_schema("flat"):
        positions = np.arange(start, start + field.size)
        start += field.size
        scale.append(np.full(field.size, 1.0 / max(abs(field.low), abs(field.high), 1)))
        if len(field.shape) == 3 and grid in (None, field.shape[1:]):
            grid = field.shape[1:]
            planes.append(positions.reshape(field.shape[0], -1))
        else:
            rest.append(positions)
    if grid is None:
        return None
    parts = [game.decode_action(action) for action in range(game.num_actions)]
    if not all(part.get(name) in range(grid[0] * grid[1]) for part in parts for name in PLACES):
        return None
    return Layout(
        tuple(grid),
        np.concatenate(planes).T.copy(),
        np.concatenate(rest) if rest else np.zeros(0, np.int64),
        np.concatenate(scale).astype(np.float32),
        np.array([[part[name] for name in PLACES] for part in parts], dtype=np.int64),
        np.arange((grid[0] + 2) * (grid[1] + 2))
        .reshape(grid[0] + 2, grid[1] + 2)[1:-1, 1:-1]
        .reshape(-1),
    )
