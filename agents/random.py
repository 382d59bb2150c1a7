"""The agent that plays uniformly random legal actions."""

from __future__ import annotations

import numpy as np

from .base import Agent
from .kernels import choose_random


class RandomAgent(Agent):
    """Plays a uniformly random legal action."""

    name = "random"
    # Environments play this agent's turns in compiled code, with the same result.
    is_uniform_random = True

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        masks, seeds = self.checked(masks, seeds)
        actions = np.zeros(len(masks), np.int64)
        choose_random(masks, seeds, actions)
        return actions
