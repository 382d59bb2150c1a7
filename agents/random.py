"""The agent that plays uniformly random legal actions."""

from __future__ import annotations

import numpy as np

from .base import Agent
from .kernels import choose_random


class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    name = "random"
    # Environments play such an agent's turns in compiled code, with the same result.
    is_uniform_random = True

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        actions = np.zeros(len(masks), np.int64)
        choose_random(np.asarray(masks), self.seeds_or_own(seeds, len(masks)), actions)
        return actions
