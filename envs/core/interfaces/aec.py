"""Every game as a PettingZoo AEC environment."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from ..arguments import check_action, check_seed, fresh_seed
from ..errors import GameOverError, StateError, is_whole
from ..game import Game
from ..loops import FORFEITED, PENALIZED, PLAYED
from ..rng import next_seed
from ..state import copied
from .checks import INTERRUPTED
from .exclusive import Guard, exclusive
from .replay import Replay
from .settings import Rendering, Restorable, Settings, check_flags, check_saved, last_action_of

_BEFORE_RESET = {"rewards", "terminations", "truncations", "infos", "agent_selection", "agents"}


def _agents(num_players: int) -> list[str]:
    return [f"player_{seat}" for seat in range(num_players)]


class TurnBasedEnv(Restorable, AECEnv):
    """PettingZoo's AEC API for a board game; with a single agent for a solo mode.

    Observation: ``{"observation": int8 (size,) or (planes, rows, cols), "action_mask": int8
    (num_actions,)}``, the mask all zeros for an agent that is not to act; ``info["action_mask"]``
    holds the same mask. Fields and ranges: ``observation_schema()``. With ``history=k`` also
    ``"history"``, int16 (k, 2): the last k public actions
    (``Settings.history_space``).
    Action: ``Discrete(num_actions)``; names: ``game.action_to_string``.
    Reward: at the end, by rank, from +1 to -1; see ``reward`` for alternatives.
    End: by the rules (terminated), or at ``max_plies`` where a game might never end (truncated).
    Hidden information: ``observe``, ``last``, ``infos`` and error messages show an agent only what
    its seat may know. ``rewards`` is omniscient (with ``reward="score_change"`` the rewards of
    others reveal their scores, part of which may be hidden), as is whatever says so below.

    PettingZoo's usual checks (order of calls, bounds, legality) are built in, with the same errors,
    so no wrapper is needed.

    Args:
        game, num_players, observation, history, reward, illegal, illegal_reward, options: see
            ``Settings``.
        render_mode: None, ``"human"``, ``"rgb_array"``, ``"ansi"`` or ``"svg"``.
    """

    _DERIVED = ("game", "possible_agents", "_seats", "_guard")
    # False while a step, reset or set_state changes things: still so after an interrupt.
    _whole = True

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        num_players: int | None = None,
        *,
        observation: str = "flat",
        history: int = 0,
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **options: Any,
    ):
        self.settings = Settings(
            game, num_players, observation, reward, illegal, illegal_reward, options, history
        )
        self.game = self.settings.game
        self.metadata: dict[str, Any] = {
            "name": f"{self.game.name}_v{self.game.version}",
            "render_modes": list(Rendering.MODES),
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self._rendering = Rendering(self.game, render_mode)
        self.possible_agents = _agents(self.settings.num_players)
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {
            agent: self.settings.observation_space() for agent in self.possible_agents
        }
        self.action_spaces = {agent: self.settings.action_space() for agent in self.possible_agents}
        self._guard = Guard()
        self._states: Any = None  # an array of one record, once reset
        self._seed: int | None = None
        self._actions: list[int] = []
        self._stepped = True
        self._infos: Any = None
        # The acting agent's info, if last() made it; a new list at each change.
        self._told: list[dict[str, Any]] = []
        count = self.game.max_players
        self._seat_rewards = np.zeros(count, dtype=np.float32)
        self._scores = np.zeros(count, dtype=np.float32)
        self._ranks = np.zeros(count, dtype=np.int64)
        self._legal = np.zeros(self.game.num_actions, dtype=np.int8)
        self._now = np.zeros(3, dtype=np.int64)
        self._play = self.settings.loops.play
        self._view = self.settings.loops.view
        self._turn = self.settings.loops.turn

    # Spaces and observations

    def observation_space(self, agent: str):
        """Return the space of ``agent``'s observations, the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str):
        """Return the space of ``agent``'s actions, the same object each time."""
        return self.action_spaces[agent]

    def observation_schema(self):
        """Return the fields of the observation, in order."""
        return self.game.observation_schema(self.settings.observation)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Return ``agent``'s observation and mask in new arrays, without side effects.

        Raises:
            AssertionError: before the first reset.
            ValueError: there is no such agent.
            StateError: the last step was interrupted.
        """
        if self._states is None:
            EnvLogger.error_observe_before_reset()
        seat = self._seats.get(agent)
        if seat is None:
            raise ValueError(f"there is no agent {agent!r}; agents: {self.possible_agents}")
        observation = np.empty(self.settings.observation_size, self.game.observation_dtype)
        # Not ``exclusive``: a wrapper of what is called at each ply would take a tenth of its time.
        with self._guard.held():
            if not self._whole:
                self._check_whole()
            self._view(self._states, 0, seat, observation)
            legal = self._legal
            mask = legal.copy() if seat == self._to_play else np.zeros(len(legal), np.int8)
        if self.settings.observation != "flat":
            observation = observation.reshape(self.settings.observation_shape)
        seen = {"observation": observation, "action_mask": mask}
        if self.settings.history:
            with self._guard.held():
                seen["history"] = self.settings.histories(self._states, np.array([seat]))[0]
        return seen

    def last(self, observe: bool = True):
        """Return ``(observation, reward, terminated, truncated, info)`` of the agent to act.

        The reward is the sum since that agent's last action.
        """
        if self._states is None:
            EnvLogger.error_observe_before_reset()
        agent, told = self.agent_selection, self._told
        seen = self.observe(agent) if observe else None
        if self._infos is None and seen is not None and agent == self._acting:
            # The infos of all agents take longer.
            if not told:
                told.append({"action_mask": seen["action_mask"].copy()})
            info = told[0]
        else:
            info = self.infos[agent]
        return (
            seen,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            info,
        )

    @exclusive
    def state(self) -> np.ndarray:
        """Return all seats' observations in one int8 vector, for centralised critics.

        Omniscient with respect to the players: it contains what all seats know together, but
        neither undrawn pawns or cards nor future chance events.
        """
        if self._states is None:
            EnvLogger.error_state_before_reset()
        views = [self.game.observe(self._states, seat) for seat in range(len(self._seats))]
        return np.concatenate(views)

    # The game

    @exclusive
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Args:
            seed: determines the game, the same one in every interface. None continues from the
                previous game, so the first seed determines the whole run.
            options: unused; variants are chosen when the environment is created.
        """
        if seed is not None:
            self._seed = check_seed(seed)
        elif self._seed is None:
            self._seed = fresh_seed()
        else:
            self._seed = int(next_seed(np.uint64(self._seed)))
        states = self.game.new_states(1)
        seeds = np.array([self._seed], dtype=np.uint64)
        self.settings.loops.deal(states, 0, 1, seeds, self.settings.options)
        self._begin_change()
        self._states = states
        self._actions = []
        self._begin()
        self._finish()

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._stepped = True
        self._read_state()

    def _read_state(self) -> None:
        """Set what PettingZoo reads: the agent to act, ends and infos, from the state."""
        self._turn(self._states, 0, self._legal, self._now)
        terminated, truncated = self._read_turn()
        self.terminations = dict.fromkeys(self.agents, terminated)
        self.truncations = dict.fromkeys(self.agents, truncated)

    def _read_turn(self) -> tuple[bool, bool]:
        """Set the agent to act and the infos; return whether the game is terminated, truncated."""
        # The mask is kept for observe() and infos: the legal actions are found once a ply.
        self._to_play, terminated, truncated = self._now.tolist()
        self._acting = self.agent_selection = self.possible_agents[self._to_play]
        return bool(terminated), bool(truncated)

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The agents' infos: their masks.

        Raises:
            AttributeError: before the first reset.
            StateError: the last step was interrupted.
        """
        if self._states is None:
            raise AttributeError("infos cannot be accessed before reset")
        if self._infos is None:
            # Made on demand, which most loops never do: they read the acting agent's from last().
            # Those of another thread's step would stay when that has ended.
            with self._guard.held():
                self._check_whole()
                size = len(self._legal)
                infos = {agent: {"action_mask": np.zeros(size, np.int8)} for agent in self.agents}
                if self._acting in infos:
                    mask = self._legal.copy()
                    infos[self._acting] = self._told[0] if self._told else {"action_mask": mask}
                self._infos = infos
                return infos
        return self._infos

    def _begin_change(self) -> None:
        """Mark the game as changing; until ``_finish``, there are no infos."""
        self._infos, self._told = None, []
        self._whole = False

    def _finish(self) -> None:
        """Mark a change as complete, and show it."""
        self._whole = True
        if self.render_mode == "human":
            self.render()

    def _check_whole(self) -> None:
        """Raise StateError after an interrupted step or reset."""
        if not self._whole:
            raise StateError(INTERRUPTED)

    @exclusive
    def step(self, action: int | None) -> None:
        """Play ``action`` for the agent to act; must be None for an agent whose game is over.

        Raises:
            AssertionError: before the first reset, or for an action outside the action space.
            IllegalActionError: the action is not legal, with ``illegal="raise"``; the state is
                unchanged.
            ValueError: an action other than None once the game is over.
            StateError: the last step was interrupted: reset, or restore a state.
        """
        if self._states is None:
            EnvLogger.error_step_before_reset()
        self._check_whole()
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        self._stepped = True
        if self.terminations[agent] or self.truncations[agent]:
            # An action other than None raises an error and changes nothing.
            self._infos = self.infos
            self._whole = action is not None
            self._was_dead_step(action)
            self._whole = True
            return
        self._play_action(agent, check_action(action))

    def _play_action(self, agent: str, action: int) -> None:
        results = self._seat_rewards, self._scores, self._ranks, self._legal, self._now
        self._begin_change()
        code = self._play(self._states, action, self.settings.rule, *results)
        if code not in (PLAYED, FORFEITED, PENALIZED):
            self._whole = True
            self.game.raise_refusal(self._states, 0, action, code)
        self._cumulative_rewards[agent] = 0.0
        if code != PENALIZED:
            self._actions.append(action)
        rewards = self._seat_rewards.tolist()
        if any(rewards):
            self.rewards = dict(zip(self.agents, rewards, strict=False))
            for other, reward in self.rewards.items():
                self._cumulative_rewards[other] += reward
        else:
            self.rewards = dict.fromkeys(self.agents, 0.0)
        terminated, truncated = self._read_turn()
        if terminated or truncated:
            self.terminations = dict.fromkeys(self.agents, terminated)
            self.truncations = dict.fromkeys(self.agents, truncated)
        self._finish()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """Yield the agent to act until all are done; call ``step`` in each iteration."""
        if self._states is None:
            EnvLogger.error_agent_iter_before_reset()
        return _CheckedIterable(self, max_iter)

    def sample_legal(self, agent: str | None = None) -> int:
        """Return a legal action for the agent to act, sampled from its seeded action space.

        Raises:
            GameOverError: its game is over.
        """
        agent = agent or self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            raise GameOverError(f"{agent} has no legal action: its game is over; step(None)")
        return int(self.action_space(agent).sample(self.observe(agent)["action_mask"]))

    @exclusive
    def results(self) -> dict[str, tuple[float, int]]:
        """Return each agent's ``(score, rank)``: final, or as if the game ended now.

        Omniscient before the end: the others' points may be hidden. An agent's own score contains
        nothing that it doesn't know.
        """
        if self._states is None:
            EnvLogger.error_state_before_reset()
        scores, ranks = self.game.returns(self._states)
        pairs = zip(scores.tolist(), ranks.tolist(), strict=True)
        return dict(zip(self.possible_agents, pairs, strict=True))

    @exclusive
    def replay(self) -> Replay:
        """Return the game so far as a replay: seed, variants, actions and digest.

        Omniscient: the seed determines everything hidden and all future chance events.

        Raises:
            StateError: seed, variants and actions do not reproduce the game.
        """
        if self._states is None:
            EnvLogger.error_state_before_reset()
        self._check_whole()
        settings = self.settings
        replay = Replay.record(
            self.game.name,
            settings.num_players,
            int(self._states["seed"][0]),
            self._actions,
            options=dict(settings.named_options),
            illegal="lose" if self._states["forfeit"][0] >= 0 else "raise",
        )
        if replay.digest != self.state_digest():
            raise StateError(
                "this game can't be reproduced from its seed, variants and actions: its "
                "state was edited, or came from an environment made with other variants"
            )
        return replay

    # Pictures

    @exclusive
    def render(self, seat: int | None = None) -> Any:
        """Return or show a picture, by ``render_mode``, as ``seat`` sees it.

        None is omniscient: everything is shown face up.

        Raises:
            ValueError: there is no such seat.
        """
        if self._states is None:
            EnvLogger.error_render_before_reset()
        if self.render_mode is None:
            EnvLogger._generic_warning(
                "[WARNING]: render() does nothing: make the environment with render_mode"
            )
            return None
        return self._rendering.render(self._states[0], seat)

    @exclusive
    def _repr_svg_(self) -> str | None:
        if self._states is None:
            return None
        return self.game.draw(self._states[0], None, last_action_of(self._states[0])).svg()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._rendering.close()

    # Save, restore, copy

    _saved_keys = (
        "states",
        "agents",
        "rewards",
        "cumulative_rewards",
        "agent_selection",
        "actions",
    )

    @exclusive
    def get_state(self) -> dict[str, Any]:
        """Return the complete state of the game, in new objects; takes a few microseconds.

        The record itself is ``["states"]``, an array of length 1. Omniscient.
        """
        if self._states is None:
            EnvLogger.error_state_before_reset()
        self._check_whole()
        return {
            "states": copied(self._states),
            "agents": list(self.agents),
            "rewards": dict(self.rewards),
            "cumulative_rewards": dict(self._cumulative_rewards),
            "agent_selection": self.agent_selection,
            "actions": list(self._actions),
        }

    @exclusive
    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state from ``get_state``, here or in an environment with the same settings.

        Raises:
            StateError: the state is of another game, version or player count; nothing has changed.
        """
        states = self._checked(saved)
        self._begin_change()
        self._take(states, saved)
        self._finish()

    def _take(self, states: np.ndarray, saved: dict[str, Any]) -> None:
        """Take over a record and what was saved with it."""
        self._states = states
        self._seed = int(states["seed"][0])
        self.agents = list(saved["agents"])
        self.rewards = dict(saved["rewards"])
        self._cumulative_rewards = dict(saved["cumulative_rewards"])
        self._actions = list(saved["actions"])
        self._stepped = True
        self._read_state()
        self.agent_selection = saved["agent_selection"]

    def _checked(self, saved: Any) -> np.ndarray:
        """Validate what ``get_state`` returned, and return a copy of its record."""
        check_saved(saved, self._saved_keys)
        states = self.settings.adopt(saved["states"], 1)
        try:
            self._check_turns(saved, states[0])
        except TypeError as error:  # something isn't a list, or can't be compared
            raise StateError(f"agents or actions of a saved state are wrong: {error}") from error
        return states

    def _check_turns(self, saved: dict[str, Any], state: np.void) -> None:
        """Raise StateError unless agents, rewards and actions belong to ``state``."""
        agents, acting = saved["agents"], saved["agent_selection"]
        over = state["terminated"] or state["truncated"]
        # Once the game is over, agents leave one by one.
        whole = [agent for agent in self.possible_agents if agent in agents] == list(agents)
        if not whole or not (over or len(agents) == len(self.possible_agents)):
            raise StateError(f"agents are {agents!r}; this environment has {self.possible_agents}")
        if acting not in self._seats or not (over or self._seats[acting] == state["to_play"]):
            raise StateError(f"agent_selection is {acting!r}, which isn't to play in this state")
        for name in ("rewards", "cumulative_rewards"):
            check_saved(saved[name], tuple(agents), name)
            for agent, reward in saved[name].items():
                if agent not in self._seats or not np.isfinite(reward):
                    raise StateError(f"{name} of a saved state has {reward!r} for {agent!r}")
        self._check_actions(saved["actions"], state)

    def _check_actions(self, actions: Any, state: np.void) -> None:
        """Raise StateError unless ``actions`` may be the last ones that led to ``state``.

        Whether they are is only known once they are played again, as ``replay`` does. Of a record
        from elsewhere, no action may be known.
        """
        if not isinstance(actions, (list, tuple)):
            raise StateError(f"actions of a saved state are {actions!r}; give a list")
        for action in actions:
            if not is_whole(action) or not 0 <= action < self.game.num_actions:
                raise StateError(f"actions of a saved state contain {action!r}")
        lost = int(state["forfeit"] >= 0)  # by an action that isn't counted
        played = int(state["ply"])
        if len(actions) > played + lost:
            raise StateError(
                f"actions of a saved state are {len(actions)}, but only {played} were played in "
                "its game; of a position that was set up, give []"
            )
        known = actions[: len(actions) - lost]
        if known and known[-1] != state["last_action"]:
            raise StateError(
                f"the last action of a saved state is {known[-1]}, but that of its game was "
                f"{state['last_action']}"
            )

    def clone(self) -> TurnBasedEnv:
        """Return an independent copy with the same game in progress, without the window."""
        return copy.deepcopy(self)

    @exclusive
    def state_digest(self) -> str:
        """Return a hex digest of the whole state, including hidden parts and chance.

        Omniscient for anyone who can enumerate what may be hidden.
        """
        if self._states is None:
            EnvLogger.error_state_before_reset()
        return self.game.digest(self._states)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        for bound_loop in ("_play", "_view", "_turn"):
            del state[bound_loop]
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self._play = self.settings.loops.play
        self._view = self.settings.loops.view
        self._turn = self.settings.loops.turn

    def _made_anew(self) -> TurnBasedEnv:
        return TurnBasedEnv(render_mode=self.render_mode, **self.settings.arguments)

    def _check_restored(self) -> None:
        check_flags(_whole=self._whole)
        self._infos, self._told = None, []
        for spaces in (self.observation_spaces, self.action_spaces):
            if list(spaces) != self.possible_agents:
                raise StateError(
                    f"a pickle has spaces of {list(spaces)}: not {self.possible_agents}"
                )
        if self._states is None:
            self._seed = None if self._seed is None else check_seed(self._seed)
        elif self._whole:
            saved = self.get_state()
            self._take(self._checked(saved), saved)
        else:
            # The game may be torn. It is refused until the next reset, which needs the seed alone.
            self._states = self.game.new_states(1)
            seeds = np.array([check_seed(self._seed)], np.uint64)
            self.settings.loops.deal(self._states, 0, 1, seeds, self.settings.options)
            self._begin()

    def __getattr__(self, name: str) -> Any:
        if name in _BEFORE_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __str__(self) -> str:
        return str(self.metadata["name"])

    def __repr__(self) -> str:
        return f"<TurnBasedEnv {self.settings!r}>"


class _CheckedIterator(AECIterator):
    """Reject loops over ``agent_iter`` that don't call ``step``, as PettingZoo's wrapper does."""

    def __next__(self) -> str:
        agent = super().__next__()
        assert self.env._stepped, "need to call step() or reset() in a loop over `agent_iter`"
        self.env._stepped = False
        return agent


class _CheckedIterable(AECIterable):
    def __iter__(self) -> Iterator[str]:
        return _CheckedIterator(self.env, self.max_iter)
