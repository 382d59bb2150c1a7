"""Nothing is hidden but chance, which is used up once the first seat is drawn."""

from ludotheque.envs.core.jit import kernel


@kernel
def determinize(state, seat, seed):
    state["rng"] = seed
    state["seed"] = seed
