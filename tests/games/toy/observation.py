"""What a seat observes: the squares, whose turn it is."""

from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.schema import Field, offsets

FLAT = (
    Field("own", (1, 3, 3), 0, 1, "squares that the seat has marked", "all"),
    Field("other", (1, 3, 3), 0, 1, "squares that the other seat has marked", "all"),
    Field("turn", (1,), 0, 1, "the seat is to play", "all"),
)
AT = offsets(FLAT)


@kernel
def observe(state, seat, out):
    for square in range(9):
        out[AT.own + square] = state["square"][square] == seat + 1
        out[AT.other + square] = state["square"][square] == 2 - seat
    out[AT.turn] = state["to_play"] == seat
