"""Every game as a PettingZoo parallel environment: all agents act, one action counts."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from ..errors import StateError, check_choice
from .aec import TurnBasedEnv
from .exclusive import Guard, exclusive
from .settings import Cloned, check_saved, unpickling

WAITING_MASKS = ("zeros", "ones")


class TurnBasedParallelEnv(Cloned, ParallelEnv):
    """The parallel API for ``TurnBasedEnv``, for trainers that expect every agent at each step.

    The games are turn-based: the action of the agent to act is played, and the others are ignored.
    At every step, every agent gets a new observation and its reward of this ply.

    Args:
        args, kwargs: see ``TurnBasedEnv``.
        waiting_mask: the masks of agents that are not to act: ``"zeros"``, since they can do
            nothing, or ``"ones"``, for trainers whose policies can't handle an empty mask (their
            actions are ignored).

    Raises:
        ValueError, TypeError: an invalid argument; the message lists what is allowed.
    """

    def __init__(self, *args: Any, waiting_mask: str = "zeros", **kwargs: Any):
        check_choice(waiting_mask, WAITING_MASKS, "waiting_mask")
        self.waiting_mask = waiting_mask
        self.aec_env = TurnBasedEnv(*args, **kwargs)
        self.game = self.aec_env.game
        self.metadata = {**self.aec_env.metadata, "is_parallelizable": True}
        self.render_mode = self.aec_env.render_mode
        self.possible_agents = self.aec_env.possible_agents
        self.observation_spaces = self.aec_env.observation_spaces
        self.action_spaces = self.aec_env.action_spaces
        self.agents: list[str] = []

    def observation_space(self, agent: str):
        """Return the space of ``agent``'s observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str):
        """Return the space of ``agent``'s actions, the same object each time."""
        return self.action_spaces[agent]

    def observation_schema(self):
        """Return the fields of the observation, in order."""
        return self.aec_env.observation_schema()

    @property
    def _guard(self) -> Guard:
        return self.aec_env._guard

    @property
    def agent_selection(self) -> str:
        """The agent whose action the next step will play."""
        return self.aec_env.agent_selection

    @exclusive
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None):
        """Deal a new game; return observations and infos of all agents."""
        self.aec_env.reset(seed=seed, options=options)
        self.agents = self.aec_env.agents[:]
        return self._observations(), self._infos()

    @exclusive
    def step(self, actions: dict[str, int]):
        """Play the action of the agent to act.

        The rewards of others are omniscient with ``reward="score_change"`` (see ``TurnBasedEnv``).

        Returns:
            Observations, rewards, terminations, truncations and infos of the agents that were live.

        Raises:
            AssertionError: before the first reset.
            ValueError: the agent to act is missing from ``actions``.
            The errors of ``TurnBasedEnv.step``.
        """
        env = self.aec_env
        if env._states is None:
            EnvLogger.error_step_before_reset()
        if not self.agents:
            return {}, {}, {}, {}, {}
        if env.agent_selection not in actions:
            raise ValueError(
                f"{env.agent_selection} is to act, but actions has only {sorted(actions)}"
            )
        env.step(actions[env.agent_selection])
        terminations, truncations = dict(env.terminations), dict(env.truncations)
        over = any(terminations.values()) or any(truncations.values())
        result = (
            self._observations(),
            dict(env.rewards),
            terminations,
            truncations,
            self._infos(),
        )
        if over:
            self.agents = []
        return result

    def _observations(self) -> dict[str, Any]:
        seen = {agent: self.aec_env.observe(agent) for agent in self.agents}
        return self._with_masks(seen)

    def _infos(self) -> dict[str, Any]:
        return self._with_masks(dict(self.aec_env.infos))

    def _with_masks(self, parts: dict[str, Any]) -> dict[str, Any]:
        """Return ``parts``, with the masks of waiting agents set according to ``waiting_mask``."""
        if self.waiting_mask == "zeros":
            return parts
        ones = {"action_mask": np.ones(self.game.num_actions, np.int8)}
        return {
            agent: part if part["action_mask"].any() else {**part, **copy.deepcopy(ones)}
            for agent, part in parts.items()
        }

    def state(self):
        """Return every seat's observation, omniscient (see ``TurnBasedEnv.state``)."""
        return self.aec_env.state()

    def render(self, seat: int | None = None) -> Any:
        """Return or show a picture, by ``render_mode``, as ``seat`` sees it; None is omniscient."""
        return self.aec_env.render(seat)

    def close(self) -> None:
        """Close the window, if there is one."""
        self.aec_env.close()

    @exclusive
    def get_state(self) -> dict[str, Any]:
        """Return the complete state, omniscient (see ``TurnBasedEnv.get_state``)."""
        return {**self.aec_env.get_state(), "live": list(self.agents)}

    @exclusive
    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state returned by ``get_state`` (see ``TurnBasedEnv.set_state``)."""
        check_saved(saved, ("live", "states"))
        live = saved["live"]
        if live not in ([], self.possible_agents):
            raise StateError(f"live agents are {live!r}; they are all or none")
        self.aec_env.set_state(saved)
        self.agents = list(live)

    def clone(self) -> TurnBasedParallelEnv:
        """Return an independent copy with the same game in progress."""
        return copy.deepcopy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        with unpickling(type(self)):
            self.__dict__.update(state)
            env = self.aec_env
            if not isinstance(env, TurnBasedEnv):
                raise TypeError(f"aec_env is {env!r}")
            check_choice(self.waiting_mask, WAITING_MASKS, "waiting_mask")
            self.game, self.possible_agents = env.game, env.possible_agents
            if self.agents not in ([], self.possible_agents):
                raise StateError(f"live agents are {self.agents!r}; they are all or none")

    def __deepcopy__(self, memo: dict[int, Any]) -> TurnBasedParallelEnv:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    def state_digest(self) -> str:
        """Return a hex digest of the whole state; omniscient (see ``TurnBasedEnv``)."""
        return self.aec_env.state_digest()

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def __repr__(self) -> str:
        return f"<TurnBasedParallelEnv {self.aec_env.settings!r}>"
