"""The track: points, markers and their order."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel


@kernel
def move_marker(state, seat, points):
    """Score points. A marker that reaches another square is put on top of those there.

    Below 0 it stays on square 0 and negative tokens count the rest.
    """
    score = np.int64(state["score"][seat])
    if max(score + points, 0) != max(score, 0):
        state["clock"] += 1
        state["arrival"][seat] = state["clock"]
    state["score"][seat] = score + points


@kernel
def standing(points, arrival):
    """Return a key that is higher for seats further ahead: more points, else lower in the stack."""
    return (np.int64(points) << 16) - arrival


@kernel
def stands_before(state, seat, other):
    """Return whether a marker is ahead of another on the track, where nobody is below 0."""
    own = standing(max(state["score"][seat], 0), state["arrival"][seat])
    return own > standing(max(state["score"][other], 0), state["arrival"][other])
