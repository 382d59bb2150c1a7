"""Setting up any position of Sàrèná, for analysis, problems and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import check_whole, number_of
from ..core.forms import list_of, or_none, whole
from ..core.state import begin
from ..core.validity import all_or_nothing
from .components import COLOURS, MAX_HEIGHT, NUM_CIRCLES, NUM_COLOURS
from .rules import index_board

# A name, or a number.
Colour = Any


def _disc(faces: Any, where: str) -> tuple[int, int]:
    pair = faces.tolist() if isinstance(faces, np.ndarray) else faces
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise ValueError(f"{where}: a disc is {faces!r}; give two colours, (bottom face, top face)")
    return _colour(pair[0], where), _colour(pair[1], where)


def _colour(given: Any, where: str) -> int:
    return number_of(given, COLOURS, f"{where}: a colour")


FORMS = {
    "stacks": list_of(list_of(_disc)),
    "secrets": or_none(list_of(_colour)),
    "to_play": whole,
}


@all_or_nothing
def set_position(
    states: np.ndarray,
    i: int = 0,
    *,
    stacks: Sequence[Sequence[tuple[Colour, Colour]]],
    secrets: Sequence[Colour] | None = None,
    to_play: int = 0,
) -> None:
    """Set ``states[i]`` to any position; if an error is raised, it is unchanged.

    In the new position, no seat has made a move.

    Args:
        states: records ``(n,)`` of dealt games; the number of players is kept.
        i: index of the game.
        stacks: 36 stacks of at most 4 discs, each (bottom face, top face); a colour by its name
            (``COLOURS`` of the components) or its number, 0 to 3.
        secrets: the four pawns' colours, those of the seats first; None keeps the record's.
        to_play: the seat to play.

    Raises:
        ValueError: an invalid number of stacks, height, colour, seat or secrets.
    """
    record = states[i]
    _check_position(record, stacks, secrets, to_play)
    for circle, stack in enumerate(stacks):
        discs = [below | above << 2 for below, above in stack]
        record["height"][circle] = len(stack)
        record["stack"][circle] = sum(disc << 4 * level for level, disc in enumerate(discs))
    if secrets is not None:
        record["secret"][:] = secrets
    record["takeovers"][:] = 0
    begin(record, record["seed"], record["num_players"])
    record["to_play"] = to_play
    index_board(states, i)


def _check_position(record, stacks, secrets, to_play) -> None:
    if len(stacks) != NUM_CIRCLES:
        raise ValueError(
            f"a position has {NUM_CIRCLES} stacks (empty ones included), not {len(stacks)}"
        )
    for circle, stack in enumerate(stacks):
        if len(stack) > MAX_HEIGHT:
            raise ValueError(f"circle {circle} holds {len(stack)} discs; at most {MAX_HEIGHT}")
    if secrets is not None and sorted(secrets) != list(range(NUM_COLOURS)):
        raise ValueError(
            f"secrets are the colours 0..{NUM_COLOURS - 1} in some order, not {secrets}"
        )
    check_whole(to_play, "to_play", 0, int(record["num_players"]) - 1)
