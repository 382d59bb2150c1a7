"""What a seat of Harmonies cannot know: spirit cards of others that were not kept, and chance."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from .components import ALL_SPIRITS, SPIRITS_DEALT


@kernel
def determinize(state, seat, seed):
    """Resample what ``seat`` cannot know: the other seats' spirit cards and future chance.

    If another seat has kept a spirit, only its second card is resampled, otherwise both. All deals
    of the spirit cards that ``seat`` has not seen are equally likely.
    """
    state["rng"] = seed
    state["seed"] = seed
    if not state["spirits"]:
        return
    unseen = ALL_SPIRITS
    num_players = np.int64(state["num_players"])
    for k in range(SPIRITS_DEALT):
        unseen &= ~(1 << np.int64(state["dealt"][seat, k]))
    for other in range(num_players):
        unseen &= ~(1 << np.int64(state["spirit"][other]))
    for other in range(num_players):
        for k in range(SPIRITS_DEALT):
            if other != seat and state["dealt"][other, k] != state["spirit"][other]:
                spirit = select_bit(unseen, draw_below(state, count_bits(unseen)))
                unseen &= ~(1 << spirit)
                state["dealt"][other, k] = spirit
