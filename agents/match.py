"""Games between agents, played as a batch: the basis of leagues and evaluations.

``play_match`` plays games to the end, ``Match`` plays them ply by ply. Agents receive decision
seeds derived from the games' seeds, so results depend on those alone and not on the number of games
(for agents whose ``act`` treats rows independently).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.errors import IllegalActionError
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.checks import refuse_illegal
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.loops import RAISE

from .base import Agent
from .specs import make_agent


class MatchResult(NamedTuple):
    """Finished games.

    Attributes:
        scores: float32 ``(n, num_players)``.
        ranks: int64 ``(n, num_players)``; 1 is best, equal results share a rank.
        actions: for each game int32 ``(plies,)``, for ``Replay.record``.
    """

    scores: np.ndarray
    ranks: np.ndarray
    actions: list[np.ndarray]


class Match:
    """A batch of ``n`` games; any agent may sit in any seat of any game.

    Args:
        settings: the settings of the games; illegal actions always raise.
        agents: the agents.
        seating: integers ``(n, num_players)``: ``seating[k, seat]`` is the index in ``agents`` of
            the agent at ``seat`` in game ``k``; an agent may sit in several seats.
        seeds: ``(n,)``, the seeds of the games, from which the agents' seeds are derived.

    Attributes:
        states: ``(n,)`` records.
        finished: bool ``(n,)``; the results below are valid where it is True.
        scores, rewards: float32 ``(n, num_players)``; rewards are sums over the game.
        ranks: int64 ``(n, num_players)``.

    Raises:
        ValueError: ``seating`` or ``seeds`` have an invalid shape or number.
    """

    def __init__(
        self, settings: Settings, agents: Sequence[Agent], seating: Any, seeds: Sequence[int]
    ):
        self.settings = settings
        self.agents = list(agents)
        dealt = np.array([check_seed(seed) for seed in seeds], np.uint64)
        count, seats = len(dealt), settings.num_players
        self.seating = _check_seating(seating, (count, seats), len(self.agents))
        self.states = settings.game.new_states(count)
        settings.loops.deal(self.states, 0, count, dealt, settings.options)
        self.finished = np.zeros(count, np.bool_)
        self.scores, self.rewards, self._ply_rewards = np.zeros((3, count, seats), np.float32)
        self.ranks = np.zeros((count, seats), np.int64)
        self._actions = np.zeros((count, settings.game.max_plies), np.int32)
        # play_rows also adds up one seat's rewards; a match wants all seats' and ignores these.
        self._no_learner = np.zeros(count, np.int64)
        self._no_rewards = np.zeros(count, np.float32)

    @property
    def plies(self) -> np.ndarray:
        """int32 ``(n,)``: number of actions played so far."""
        return self.states["ply"]

    def actions(self, k: int) -> np.ndarray:
        """Return the actions of game ``k`` so far, int32 ``(plies,)``."""
        return self._actions[k, : self.plies[k]].copy()

    def step(self) -> int:
        """Play a ply in each unfinished game; each agent plays all of its games at once.

        Returns:
            The number of unfinished games.

        Raises:
            IllegalActionError: an agent chose an illegal action; its games have not changed.
            ValueError: an agent returned a wrong number of actions.
        """
        rows = np.flatnonzero(~self.finished)
        turns = self.seating[rows, self.states["to_play"][rows]]
        for number in np.unique(turns).tolist():
            mine = rows[turns == number]
            self._play(mine, self._ask(self.agents[number], mine))
        return int(np.count_nonzero(~self.finished))

    def play(self) -> MatchResult:
        """Play all games to the end."""
        while self.step():
            pass
        return MatchResult(
            self.scores, self.ranks, [self.actions(k) for k in range(len(self.states))]
        )

    def _ask(self, agent: Agent, rows: np.ndarray) -> np.ndarray:
        states = self.states[rows]
        actions = query_agent(agent, self.settings, states)
        try:
            refuse_illegal(self.settings, states, actions)
        except IllegalActionError as error:
            error.add_note(f"The action was chosen by {agent!r}.")
            raise
        return actions

    def _play(self, rows: np.ndarray, actions: np.ndarray) -> None:
        self._actions[rows, self.states["ply"][rows]] = actions
        self.settings.loops.play_rows(
            self.states,
            rows,
            actions,
            self._no_learner,
            (RAISE, 0.0, self.settings.reward_code),
            (self._no_rewards, self._ply_rewards, self.scores, self.ranks),
        )
        self.rewards[rows] += self._ply_rewards[rows]
        # Last, so that Ctrl-C before this line leaves no partly counted game among the finished.
        self.finished[rows] = self.states["terminated"][rows] | self.states["truncated"][rows]


def play_match(
    game: str | Game,
    agents_per_seat: Sequence[str | Agent],
    seeds: Sequence[int],
    num_players: int | None = None,
    *,
    seating: Any = None,
    **options: Any,
) -> MatchResult:
    """Play one game per seed to the end, as a batch, and return the results.

    Use many games at once (hundreds): each agent decides for all of its games in a single call of
    ``act``.

    Args:
        game: the game or its name.
        agents_per_seat: agents, or their specs (see ``make_agent``), by seat. With ``seating``,
            the agents that take part.
        seeds: ``(n,)`` integers from 0 to 2**64 - 1; the same seed gives the same deal.
        num_players: number of seats; None means the number of agents, or of columns in ``seating``.
        seating: ``(n, num_players)`` indices of agents, to rotate seats: with two agents, ``[[0,
            1], [1, 0]]`` and the same seed twice play one deal from both sides.
        options: the game's variants.

    Returns:
        ``(scores, ranks, actions)``, a ``MatchResult``.

    Raises:
        ValueError: unknown agents or options, or mismatched shapes.

    Example:
        >>> scores, ranks, actions = play_match("sarena", ["greedy", "random"], range(100))
        >>> float((ranks[:, 0] < ranks[:, 1]).mean())  # how often greedy won  # doctest: +SKIP
    """
    agents = [make_agent(agent, game) for agent in agents_per_seat]
    seeds = list(seeds)
    if seating is None:
        seating = np.tile(np.arange(len(agents)), (len(seeds), 1))
    seating = np.asarray(seating)
    if num_players is None:
        num_players = seating.shape[-1] if seating.ndim else 0
    settings = Settings(game, num_players, options=options)
    return Match(settings, agents, seating, seeds).play()


def _check_seating(seating: Any, shape: tuple[int, int], agents: int) -> np.ndarray:
    seating = np.asarray(seating)
    if seating.shape != shape or seating.dtype.kind not in "iu":
        raise ValueError(
            f"seating has shape {seating.shape} and type {seating.dtype}; for {shape[0]} games of "
            f"{shape[1]} players it must be integers {shape}: which agent sits at each seat"
        )
    if seating.size and (seating.min() < 0 or seating.max() >= agents):
        raise ValueError(
            f"seating names agents {seating.min()} to {seating.max()}; there are {agents} agents: "
            f"use numbers from 0 to {agents - 1}"
        )
    return seating.astype(np.int64)
