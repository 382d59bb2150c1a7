"""What a position is worth to a seat, for the greedy agent and the search."""

from ludotheque.envs.core.jit import kernel

from .rules import has_line


@kernel
def evaluate(state, seat, memo):
    return 1.0 * has_line(state, seat) - 1.0 * has_line(state, 1 - seat)
