"""The rules as kernels: a seat drawn by lot begins, three marks in a line win."""

import numpy as np

from ludotheque.envs.core.jit import allocating_kernel, kernel
from ludotheque.envs.core.rng import below, draw_below
from ludotheque.envs.core.state import begin

LINES = np.array(
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
)


@kernel
def setup(state, seed, options):
    begin(state, seed, options[0])
    state["to_play"] = draw_below(state, 2)
    state["square"][:] = 0


@kernel
def is_legal(state, action):
    return state["square"][action] == 0


@allocating_kernel
def legal_actions(state, mask):
    mask[:] = state["square"] == 0
    return mask.sum()


@allocating_kernel
def random_action(state, word):
    empty = np.flatnonzero(state["square"] == 0)
    return empty[below(word, len(empty))]


@allocating_kernel
def has_line(state, seat):
    won = False
    for line in LINES:
        won |= (state["square"][line] == seat + 1).all()
    return won


@kernel
def step(state, action):
    seat = np.int64(state["to_play"])
    state["square"][action] = seat + 1
    state["ply"] += 1
    state["to_play"] = 1 - seat
    state["terminated"] = has_line(state, seat) or state["ply"] == 9


@kernel
def returns(state, scores, ranks):
    for seat in range(2):
        scores[seat] = has_line(state, seat)
        ranks[seat] = 1 + has_line(state, 1 - seat)
