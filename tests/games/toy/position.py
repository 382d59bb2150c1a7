"""Arbitrary positions, for analysis and tests."""

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.validity import all_or_nothing


@all_or_nothing
def set_position(states, i=0, *, squares, to_play=0):
    """Put nine squares (0 empty, else the seat plus one) into ``states[i]``."""
    states["square"][i] = [check_whole(mark, "square", 0, 2) for mark in squares]
    states["ply"][i] = (states["square"][i] > 0).sum()
    states["to_play"][i] = check_whole(to_play, "to_play", 0, 1)
