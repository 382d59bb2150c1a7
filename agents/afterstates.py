"""Values of the positions that actions lead to, as part of an observation.

The observation form ``"afterstates"`` of ``SeatVecEnv`` and ``TrainConfig``. A policy that only
sees the position before its action has to learn by itself what each action is worth. Greedy agents,
searches and value networks look at the position after it (its afterstate; Sutton and Barto,
"Reinforcement learning", 2018, section 6.8).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import check_choice
from ludotheque.envs.core.game import Game

from .baselines import BaselineAgent
from .greedy import GreedyAgent

FORM = "afterstates"
# Agents whose values can be observed.
VALUERS: dict[str, Any] = {"greedy": GreedyAgent, "baseline": BaselineAgent}
# Differences between values are cut off here: such actions are hopeless anyway, and a network's
# input shouldn't be any number.
_FAR = 100.0


class Afterstates:
    """Extends flat observations by the values of the legal actions.

    An observation is float32: the ``num_flat`` numbers of the flat observation, followed for each
    of ``valued_by`` by the value of the best legal action, and, for every action, how far its value
    is below that: -100 to 0, with 0 for illegal actions. Values are in points, or in sixths of a
    disc in Sàrèná, as in the game's ``evaluate``.

    Hidden information and chance are resampled before actions are tried, as for agents that look
    ahead, so an observation contains nothing that the seat can't know.

    Args:
        game: the game.
        valued_by: whose values: ``"greedy"`` (the game's ``evaluate``), ``"baseline"`` (the value
            network of the game's baseline, as included in this version of the package), or both.

    Raises:
        ValueError: an unknown or repeated name, or none; or the game has no baseline.
    """

    def __init__(self, game: Game, valued_by: Iterable[str] = ("greedy",)):
        self.game = game
        self.valued_by = check_valuers(valued_by)
        # Seeds are given: their own generators aren't used.
        self._agents = [VALUERS[name](game, seed=0) for name in self.valued_by]

    def __reduce__(self) -> Any:
        # So that pickles are checked like arguments.
        return type(self), (self.game, self.valued_by)

    @property
    def size(self) -> int:
        """How many numbers are added to a flat observation."""
        return len(self.valued_by) * (1 + self.game.num_actions)

    def observe(
        self, observations: np.ndarray, masks: np.ndarray, states: np.ndarray, seeds: np.ndarray
    ) -> np.ndarray:
        """Return the extended observations, float32 ``(n, size)``.

        Args:
            observations: ``(n, num_flat)``, flat.
            masks: int8 ``(n, num_actions)``; a row without legal actions gets zeros.
            states: ``(n,)`` records determinized for the seat to act.
            seeds: uint64 ``(n,)``.

        Raises:
            ValueError: the shapes differ.
            StateError: ``states`` aren't records of the game.
        """
        masks, seeds = self._agents[0].checked(masks, seeds, states)
        if len(observations) != len(masks):
            raise ValueError(f"{len(observations)} observations for {len(masks)} records")
        count, size = len(observations), math.prod(observations.shape[1:])
        flat = observations.reshape(count, size)
        width = 1 + self.game.num_actions
        seen = np.zeros((count, size + len(self._agents) * width), np.float32)
        seen[:, :size] = flat
        legal = masks.astype(np.bool_)
        rows = np.flatnonzero(legal.any(axis=1))
        legal = legal[rows]
        for k, agent in enumerate(self._agents):
            values = agent.values(states[rows], masks[rows], seeds[rows])
            best = np.where(legal, values, -np.inf).max(axis=1, initial=-np.inf)
            start = size + k * width
            seen[rows, start] = best
            below = np.where(legal, np.maximum(values - best[:, None], -_FAR), 0.0)
            seen[rows, start + 1 : start + width] = below
        return seen


def check_valuers(valued_by: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; raise ValueError if they are unknown, repeated or none."""
    if isinstance(valued_by, str):
        valued_by = (valued_by,)
    names = tuple(valued_by) if isinstance(valued_by, Iterable) else (valued_by,)
    for name in names:
        check_choice(name, tuple(VALUERS), "valued_by")
    if len(set(names)) != len(names) or not names:
        raise ValueError(
            f"valued_by is {names!r}; give one or both of {', '.join(VALUERS)}, once each"
        )
    return names
