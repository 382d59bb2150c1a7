"""The state of a game of Sàrèná, one record a game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.state import game_dtype
from .components import IS_ARROW, MAX_HEIGHT, NUM_CIRCLES, NUM_COLOURS
from .rules import index_board

# secret:    colour of each seat's secret pawn; from num_players on, the pawns nobody drew
# height:    discs on each circle, 0..4
# stack:     the discs of each circle, four bits each, lowest disc in the lowest bits; in a disc,
#            the low two bits are the colour below, the high two the colour on top
#
# What follows could be worked out from these; it is kept up to date by every move, for speed:
# top:       colour on top of each circle's stack, EMPTY (-1) if there is none
# underside: colour the stack would show if turned over, EMPTY if there is none
# faces:     discs of each circle's stack with each colour on a face
# by_height: circles that hold 0, 1, 2, 3 and 4 discs, as sets of bits
# moves:     circles whose stack may move east, south, west, north, as sets of bits
DTYPE = game_dtype(
    [
        ("secret", np.int8, (NUM_COLOURS,)),
        ("height", np.uint8, (NUM_CIRCLES,)),
        ("stack", np.uint16, (NUM_CIRCLES,)),
        ("top", np.int8, (NUM_CIRCLES,)),
        ("underside", np.int8, (NUM_CIRCLES,)),
        ("faces", np.int8, (NUM_COLOURS, NUM_CIRCLES)),
        ("by_height", np.int64, (MAX_HEIGHT + 1,)),
        ("moves", np.int64, (4,)),
    ]
)

Stack = list[tuple[int, int]]


def stacks_of(state: np.void) -> list[Stack]:
    """Return the 36 stacks of one record as lists of (bottom face, top face), lowest disc first."""
    stacks = []
    for word, height in zip(state["stack"].tolist(), state["height"].tolist(), strict=True):
        discs = [(word >> 4 * level) & 15 for level in range(height)]
        stacks.append([(disc & 3, disc >> 2) for disc in discs])
    return stacks


def set_position(
    states: np.ndarray,
    i: int,
    stacks: Sequence[Sequence[tuple[int, int]]],
    secrets: Sequence[int] | None = None,
    to_play: int = 0,
) -> None:
    """Put an arbitrary position into ``states[i]``: analysis, problems, tests.

    Args:
        states: ``(n,)`` records of a game already set up (its player count is kept).
        i: which of them.
        stacks: 36 stacks of at most 4 discs, each (bottom face, top face) with colours 0..3.
        secrets: the four pawns' colours, seats first; None keeps those of the record.
        to_play: the seat that moves next.

    Raises:
        ValueError: a number of circles, a height, a colour, a seat or secrets that can't be.
    """
    _check_position(states[i], stacks, secrets, to_play)
    record = states[i]
    for circle, stack in enumerate(stacks):
        discs = [below | above << 2 for below, above in stack]
        record["height"][circle] = len(stack)
        record["stack"][circle] = sum(disc << 4 * level for level, disc in enumerate(discs))
    if secrets is not None:
        record["secret"][:] = secrets
    record["to_play"] = to_play
    record["ply"] = 0
    record["last_action"] = -1
    record["forfeit"] = -1
    record["truncated"] = False
    index_board(states, i)


def _check_position(record, stacks, secrets, to_play) -> None:
    if len(stacks) != NUM_CIRCLES:
        raise ValueError(
            f"a position has {NUM_CIRCLES} stacks (empty ones included), not {len(stacks)}"
        )
    for circle, stack in enumerate(stacks):
        if len(stack) > MAX_HEIGHT:
            raise ValueError(f"circle {circle} holds {len(stack)} discs; at most {MAX_HEIGHT}")
        if any(not 0 <= face < NUM_COLOURS for disc in stack for face in disc):
            raise ValueError(f"circle {circle} holds {stack}; colours are 0..{NUM_COLOURS - 1}")
    if secrets is not None and sorted(secrets) != list(range(NUM_COLOURS)):
        raise ValueError(
            f"secrets are the colours 0..{NUM_COLOURS - 1} in some order, not {secrets}"
        )
    if not 0 <= to_play < record["num_players"]:
        raise ValueError(f"to_play is a seat 0..{record['num_players'] - 1}, not {to_play}")


def arrow_circles() -> list[int]:
    """Return the numbers of the 18 circles with arrows."""
    return [int(circle) for circle in np.flatnonzero(IS_ARROW)]
