"""A bounded pool of past policies and other agents to train against."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import check_choice, check_finite, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.rng import mix64

from .base import Agent
from .networks import Network
from .policy import PolicyAgent
from .specs import make_agent

SAMPLINGS = ("latest", "uniform", "recent", "prioritized")
# Weight of the newest game in the learner's win rate against a past self.
NEWEST = 0.02
# Decay under "recent": a past self is half as likely as one this much newer.
HALF_LIFE = 0.2
_UNIFORM = 2.0**-53
_SHIFT_11 = np.uint64(11)


class OpponentPool:
    """A pool of past policies, as plain weights, and fixed agents, to draw opponents from.

    ``SeatBatch`` draws an opponent when a game starts and keeps it to the end, even if it leaves
    the pool in the meantime.

    Args:
        game: the game they play.
        capacity: maximum number of past policies; the oldest is dropped.
        sampling: how past policies are drawn: ``"latest"``, ``"uniform"``, ``"recent"`` (newer ones
            more often: half as often for every fifth of the pool further back) or ``"prioritized"``
            (those that the learner beats less often are drawn more often: weight ``(1 - win rate)
            ** 2``, after
            Vinyals et al., Nature 2019).
        fixed: probabilities of other agents, by name: ``{"random": 0.1, "greedy": 0.2}``. The rest
            goes to past policies or, while there are none, to ``first``.
        first: the agent that replaces past policies while there are none.
        observation: the observation form of the past policies.

    Raises:
        ValueError: unknown sampling or agent, or invalid probabilities.
    """

    def __init__(
        self,
        game: str | Game,
        capacity: int = 20,
        sampling: str = "recent",
        fixed: Mapping[str, float] | None = None,
        first: str = "random",
        observation: str = "flat",
    ):
        check_choice(sampling, SAMPLINGS, "sampling of the pool")
        check_whole(capacity, "capacity of the pool", 1)
        fixed = dict(fixed or {})
        chances = [check_finite(one, f"chance of {name}") for name, one in fixed.items()]
        if any(chance < 0 for chance in chances) or sum(fixed.values()) > 1:
            raise ValueError(
                f"probabilities of fixed opponents are {fixed}; give numbers from 0 up that sum "
                "to 1 at most"
            )
        self.game = game
        self.capacity = capacity
        self.sampling = sampling
        self.observation = observation
        self.fixed = fixed
        self.agents: dict[str, Agent] = {name: make_agent(name, game) for name in {*fixed, first}}
        self._first = self.agents[first]
        self._fixed_agents = [self.agents[name] for name in fixed]
        self._edges = np.cumsum(list(fixed.values()))
        self.selves: deque[PolicyAgent] = deque()
        self._win_rates: dict[str, float] = {}
        self._chances: np.ndarray | None = None

    def add(self, network: Network, name: str) -> PolicyAgent:
        """Add a copy of the learner under a unique name; the oldest policy may be dropped."""
        agent = PolicyAgent(self.game, network, self.observation)
        agent.name = name
        self.selves.append(agent)
        self._win_rates[name] = 0.5
        while len(self.selves) > self.capacity:
            del self._win_rates[self.selves.popleft().name]
        self._chances = None
        return agent

    def draw(self, seed: int) -> Agent:
        """Return the opponent for a game, determined by ``seed`` (0 to 2**64 - 1) and the pool."""
        word = np.uint64(mix64(np.uint64(seed)))
        part = int(word >> _SHIFT_11) * _UNIFORM
        kind = int(np.searchsorted(self._edges, part, side="right"))
        if kind < len(self._fixed_agents):
            return self._fixed_agents[kind]
        if not self.selves:
            return self._first
        if self._chances is None:
            self._chances = np.cumsum(self.weights())
        word = np.uint64(mix64(word))
        part = int(word >> _SHIFT_11) * _UNIFORM * self._chances[-1]
        place = int(np.searchsorted(self._chances, part, side="right"))
        return self.selves[min(place, len(self.selves) - 1)]

    def weights(self) -> np.ndarray:
        """Return the probabilities of the past policies, oldest first: float64, summing to 1."""
        count = len(self.selves)
        if self.sampling == "latest":
            weights = np.zeros(count)
            weights[-1] = 1.0
        elif self.sampling == "uniform":
            weights = np.ones(count)
        elif self.sampling == "recent":
            ages = np.arange(count - 1, -1, -1)
            weights = 0.5 ** (ages / max(HALF_LIFE * self.capacity, 1.0))
        else:
            weights = np.array([(1.0 - self.win_rate(agent.name)) ** 2 for agent in self.selves])
            # One that is always beaten is still drawn occasionally, or it might be forgotten.
            weights += 0.01
        return weights / weights.sum()

    def record(self, agent: Agent, result: float) -> None:
        """Record a result of the learner against ``agent``: +1 won, 0 drawn, -1 lost."""
        name = getattr(agent, "name", "")  # an agent of one's own may have none
        rate = self._win_rates.get(name)
        if rate is not None:
            self._win_rates[name] = rate + NEWEST * ((result + 1.0) / 2.0 - rate)
            if self.sampling == "prioritized":
                self._chances = None

    def win_rate(self, name: str) -> float:
        """Return the learner's average result against a past policy, 0 to 1; initially 0.5."""
        return self._win_rates[name]

    def get_state(self) -> dict[str, Any]:
        """Return the state for ``set_state``, in new plain objects."""
        return {
            "selves": [(agent.name, agent.network) for agent in self.selves],
            "win_rates": dict(self._win_rates),
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state returned by ``get_state``, with new agents."""
        self.selves.clear()
        self._win_rates.clear()
        for name, network in saved["selves"]:
            self.add(network, name)
        self._win_rates.update(saved["win_rates"])
        self._chances = None

    def __repr__(self) -> str:
        count = len(self.selves)
        return f"<OpponentPool {count}/{self.capacity} selves, {self.sampling}, {self.fixed}>"
