"""The header that every game's record starts with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic

from .jit import kernel

# rng:         generator of the game's chance (SplitMix64)
# seed:        what the game was dealt from
# num_players: seats in the game
# to_play:     seat that acts next
# phase:       kind of decision, numbered by the game
# forfeit:     seat that lost by an illegal action under illegal="lose", else -1
# ply:         actions taken so far
# last_action: the action taken last through an interface, -1 before the first
# terminated:  over by the rules;  truncated: over by max_plies
# told:        number of public actions so far; ``told_actions`` and ``told_seats`` hold the latest,
#              number n at n % HISTORY, -1 where there is none
HISTORY = 64
HEADER = [
    ("rng", np.uint64),
    ("seed", np.uint64),
    ("num_players", np.int8),
    ("to_play", np.int8),
    ("phase", np.int8),
    ("forfeit", np.int8),
    ("ply", np.int32),
    ("last_action", np.int32),
    ("terminated", np.bool_),
    ("truncated", np.bool_),
    ("told", np.int32),
    ("told_actions", np.int16, (HISTORY,)),
    ("told_seats", np.int8, (HISTORY,)),
]


def game_dtype(fields: list[tuple]) -> np.dtype:
    """Return the aligned record type of a game: the common header, then the game's own fields."""
    return np.dtype(HEADER + fields, align=True)


def copied(states: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """Return a copy of records, of type ``dtype`` if given, in which bytes between fields are 0.

    In numpy's own copies they hold whatever was in memory, and would be sent along.
    """
    copy = np.zeros(states.shape, dtype or states.dtype)
    copy[...] = states
    return copy


@intrinsic
def _zero_bytes(typing_context, record, start):
    """Set the bytes of a record to 0, from byte ``start`` on."""

    def write(context, builder, signature, arguments):
        pointer, first = arguments
        size = context.get_constant(types.intp, record.size)
        address = cgutils.pointer_add(builder, pointer, first)
        cgutils.memset(builder, address, builder.sub(size, first), 0)
        return context.get_dummy_value()

    return types.void(record, types.intp), write


def _clear_from(state, start):
    """Set every field that begins at byte ``start`` (``first_byte``) or later to 0.

    Setting them one by one takes up to three seconds to compile.
    """
    _zero_bytes(state, start)  # type: ignore[call-arg]


def _clear_plainly(state, start):
    fields: Any = state.dtype.fields
    for name, (_, at, *_) in fields.items():
        if at >= start:
            state[name] = 0


clear_from = kernel(_clear_from, plain=_clear_plainly)


def first_byte(dtype: np.dtype, name: str) -> int:
    """Return where a field begins in a record; for ``clear_from``."""
    fields: Any = dtype.fields
    return fields[name][1]


@kernel
def begin(state, seed, num_players):
    """Set the header of a new game; every game's ``setup`` starts with it."""
    state["rng"] = seed
    state["seed"] = seed
    state["num_players"] = num_players
    state["to_play"] = 0
    state["phase"] = 0
    state["forfeit"] = -1
    state["ply"] = 0
    state["last_action"] = -1
    state["terminated"] = False
    state["truncated"] = False
    state["told"] = 0
    for place in range(HISTORY):
        state["told_actions"][place] = -1
        state["told_seats"][place] = -1


@kernel
def told_to_all(state):
    """Return the last action, for games in which all actions are public."""
    return np.int64(state["last_action"])


@kernel
def no_facts(state, seat, out):
    """Fill nothing, for games without hidden facts."""


@kernel
def no_categories(state, seat, out):
    """Fill nothing, for games with one kind of points."""


@kernel
def remember(state, seat, action):
    """Add a public action to the history."""
    place = state["told"] % HISTORY
    state["told_actions"][place] = action
    state["told_seats"][place] = seat
    state["told"] += 1


@kernel
def write_history(state, seat, out):
    """Write the last ``len(out)`` public actions, oldest first: relative seats and numbers."""
    start = np.int64(state["told"]) - len(out)
    for k in range(len(out)):
        if start + k < 0:
            out[k, 0] = -1
            out[k, 1] = -1
        else:
            place = (start + k) % HISTORY
            out[k, 0] = seats_ahead(state, seat, state["told_seats"][place])
            out[k, 1] = state["told_actions"][place]


@kernel
def seat_after(state, seat, ahead):
    """Return the seat that is ``ahead`` places after ``seat`` in turn order.

    ``ahead`` may be anything from 0 to the number of players.
    """
    seat = np.int64(seat) + ahead
    num_players = np.int64(state["num_players"])
    return seat - num_players if seat >= num_players else seat


@kernel
def seats_ahead(state, seat, other):
    """Return how many places after ``seat`` the seat ``other`` sits in turn order."""
    ahead = np.int64(other) - np.int64(seat)
    return ahead + np.int64(state["num_players"]) if ahead < 0 else ahead
