"""Batches of games in which the caller plays one seat and agents play the others.

Both the single and the vectorised Gymnasium environment are built on this, so they can't differ:
the single one is a batch of one.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..errors import StateError, check_choice
from ..loops import RAISE
from ..rng import decision_seed
from ..state import copied
from .batch import run_loop
from .checks import INTERRUPTED, check_any_legal, check_num_envs, refuse_illegal, seeds_for
from .opponents import Opponent, OpponentPool, check_act, make_opponents, query_agent
from .settings import (
    Restorable,
    Settings,
    check_flags,
    check_saved,
    saved_array,
    with_seeds_of,
)
from .threads import check_num_threads

__all__ = ["Opponent", "OpponentPool", "SeatBatch", "check_act", "query_agent"]

RANDOM = 0
# Maximum number of consecutive deals until the learner has a turn.
MOST_DEALS = 1000
# Maximum number of consecutive penalties for illegal actions before the game is truncated.
MOST_PENALTIES = 1000
# Drawing an opponent counts as a decision at a ply that no game reaches.
_DRAW = 1 << 30
# Maximum number of observation arrays kept for reuse, and the reference count of one that only the
# list refers to: the list itself, and the call that counts.
_MOST_KEPT = 3
_UNSHARED = 2


class SeatBatch(Restorable):
    """A batch of ``num_envs`` games with the caller in one seat of each.

    After ``deal`` and ``play`` each game is over or waits for the caller's seat.

    Args:
        settings: the settings of the games.
        num_envs: number of games.
        opponents: who plays the other seats: an agent's name (``"random"``, ``"greedy"``,
            ``"mcts:simulations=100"``), an agent, a pool, or a list with one of these for each seat
            (the entry of the learner's own seat is unused) or for each seat but the learner's.
        seat: the caller's seat, or ``"random"`` for one drawn from each game's seed.
        num_threads: maximum number of threads that share the batch; fewer are used if it is too
            small to benefit.
    """

    _DERIVED = ("game", "_everything")

    def __init__(
        self,
        settings: Settings,
        num_envs: int,
        opponents: Any,
        seat: int | str,
        num_threads: int = 1,
    ):
        self.settings = settings
        self.game = settings.game
        self.num_envs = check_num_envs(num_envs)
        self.num_threads = check_num_threads(num_threads)
        players = settings.num_players
        if seat != "random":
            check_choice(seat, range(players), "seat (a seat number, or 'random')")
        self.seat = seat
        self.set_opponents(opponents)
        self._allocate()

    def set_opponents(self, opponents: Any) -> None:
        """Set the opponents of future games; games in progress keep theirs.

        Args:
            opponents: see ``SeatBatch``.

        Raises:
            ValueError, TypeError: an unknown agent, a wrong number of agents, or an object that is
                no opponent.
        """
        players = self.settings.num_players
        self._sources = make_opponents(opponents, self.game, players, self.seat)

    def pool(self, seat: int) -> Any:
        """Return the pool that opponents at ``seat`` are drawn from, or None."""
        source = self._sources[seat]
        return source if hasattr(source, "draw") else None

    def opponent_of(self, row: int, seat: int) -> Any:
        """Return the agent at ``seat`` of game ``row``; None where actions are uniformly random.

        The result for the learner's own seat is meaningless.
        """
        return self._agents.get(int(self._agent_of[row, seat]))

    def _allocate(self) -> None:
        count, seats = self.num_envs, self.settings.num_players
        self.states = self.game.new_states(count)
        self.observations = np.zeros(
            (count, self.settings.observation_size), self.game.observation_dtype
        )
        self.masks = np.zeros((count, self.game.num_actions), np.int8)
        self.histories = np.full((count, self.settings.history, 2), -1, np.int16)
        self._handed_out: list[np.ndarray] = []
        self._everything = np.arange(count)
        self.learner = np.zeros(count, np.int64)
        # Illegal actions since the learner's last legal one, under ``illegal="penalty"``.
        self.penalties = np.zeros(count, np.int64)
        self.rewards = np.zeros(count, np.float32)
        self.scores = np.zeros((count, seats), np.float32)
        self.ranks = np.zeros((count, seats), np.int64)
        self._seat_rewards = np.zeros((count, seats), np.float32)
        self._is_random = np.ones((count, seats), np.bool_)
        # Who plays each seat of each game: RANDOM, or a number in _agents.
        self._agent_of = np.full((count, seats), RANDOM, np.int64)
        self._agents: dict[int, Any] = {}
        self._numbers: dict[int, int] = {}
        self.started = False
        # False from the first change of a step to ``finish``: still so after an interrupt.
        self._whole = True

    @property
    def over(self) -> np.ndarray:
        """bool ``(num_envs,)``: the games that have ended."""
        return self.states["terminated"] | self.states["truncated"]

    def seeds(self, seed: Any) -> np.ndarray:
        """Return the games' seeds for ``seed`` (see ``batch.seeds_for``)."""
        return seeds_for(seed, self.num_envs, self.states["seed"] if self.started else None)

    def following_seeds(self, rows: np.ndarray) -> np.ndarray:
        """Return the seeds of the games after those in ``rows``."""
        seeds = np.empty(len(rows), np.uint64)
        self.settings.loops.following_seeds(self.states, rows, seeds)
        return seeds

    def deal(self, seeds: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Deal new games in ``rows`` (default: all) from ``seeds`` (uint64, one for each row).

        Opponents who act before the learner play at once. A game that ends before the learner's
        first turn is not an episode: the game of the next seed is dealt instead. Call ``refresh``
        before reading the outputs, and ``finish`` at the end.

        Raises:
            ValueError: too many games in a row end before the learner's first turn.
        """
        for _ in range(MOST_DEALS):
            self._deal_once(seeds, rows)
            ended = self._everything if rows is None else rows
            ended = ended[self.over[ended]]
            if not len(ended):
                return
            rows, seeds = ended, self.following_seeds(ended)
        raise ValueError(
            f"in {MOST_DEALS} games in a row, the learner's seat had no turn: choose "
            "another seat or other options"
        )

    def _deal_once(self, seeds: np.ndarray, rows: np.ndarray | None) -> None:
        rows = self._everything if rows is None else rows
        if not len(rows):
            return
        self._whole = False
        random_seat = self.seat == "random"
        options = self.settings.options
        loops = self.settings.loops
        loops.deal_rows(self.states, rows, seeds, options, self.learner, random_seat)
        if not random_seat:
            self.learner[rows] = self.seat
        self._seat_opponents(rows, seeds)
        self.penalties[rows] = 0
        self.started = True
        self.rewards[rows] = 0
        self._play_opponents()

    def finish(self) -> None:
        """Mark a step or reset as complete.

        After an interrupt or an opponent's error it isn't, and ``play`` and ``check_started`` raise
        StateError.
        """
        self._whole = True

    def _seat_opponents(self, rows: np.ndarray, seeds: np.ndarray) -> None:
        if all(source is None for source in self._sources):
            self._is_random[rows] = True
            self._is_random[rows, self.learner[rows]] = False
            return
        self._agent_of[rows] = RANDOM
        for seat, source in enumerate(self._sources):
            if source is None:
                continue
            if hasattr(source, "draw"):
                for row, seed in zip(rows.tolist(), seeds.tolist(), strict=True):
                    drawn = source.draw(int(decision_seed(np.uint64(seed), _DRAW + seat)))
                    self._agent_of[row, seat] = self._number(drawn)
            else:
                self._agent_of[rows, seat] = self._number(source)
        self._forget_unused()
        self._is_random[rows] = self._agent_of[rows] == RANDOM
        self._is_random[rows, self.learner[rows]] = False

    def _number(self, agent: Any) -> int:
        if agent is None or getattr(agent, "is_uniform_random", False):
            return RANDOM
        number = self._numbers.get(id(agent))
        if number is None:
            number = max(self._agents, default=RANDOM) + 1
            self._agents[number] = agent
            self._numbers[id(agent)] = number
        return number

    def _forget_unused(self) -> None:
        if len(self._agents) > 2 * len(self._sources):
            used = set(np.unique(self._agent_of).tolist())
            for number in set(self._agents) - used:
                del self._numbers[id(self._agents.pop(number))]

    def play(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Play the learners' ``actions`` in ``rows`` (default: all), then the opponents' turns.

        ``actions[k]`` is for game ``rows[k]``. ``rewards`` is set to what each learner earned since
        its last action, including its own ply. Call ``refresh`` before reading the outputs, and
        ``finish`` at the end.

        With ``illegal="penalty"`` a game is truncated after ``MOST_PENALTIES`` penalties in a row,
        as a policy that repeats its action would never end it.

        Raises:
            StateError: the previous step was interrupted.
            IllegalActionError: an action is not legal, with ``illegal="raise"``; no game has
                changed.
        """
        settings = self.settings
        self.check_whole()
        rows = self._everything if rows is None else rows
        if settings.illegal == "raise":
            refuse_illegal(settings, self.states, actions, rows)
        self._whole = False
        self.rewards[rows] = 0
        plies = self.states["ply"][rows]
        self._play_rows(rows, actions, settings.rule)
        if settings.illegal == "penalty":
            self._cut_off(rows, self.states["ply"][rows] == plies)
        self._play_opponents()

    def _cut_off(self, rows: np.ndarray, penalized: np.ndarray) -> None:
        """Count penalties in a row, and truncate the games with too many."""
        self.penalties[rows] = np.where(penalized, self.penalties[rows] + 1, 0)
        for row in rows[self.penalties[rows] >= MOST_PENALTIES].tolist():
            self.states["truncated"][row] = True
            self.settings.loops.results(self.states, row, row + 1, self.scores, self.ranks)

    def check_started(self) -> None:
        """Raise StateError before the first deal, or after an interrupted step."""
        if not self.started:
            raise StateError("no game was dealt: call reset() first")
        self.check_whole()

    def check_whole(self) -> None:
        """Raise StateError after an interrupted step or reset."""
        if not self._whole:
            raise StateError(INTERRUPTED)

    def get_state(self) -> dict[str, Any]:
        """Return records, learners' seats and the opponents drawn, in new objects."""
        self.check_started()
        used = set(np.unique(self._agent_of).tolist())
        return {
            "states": copied(self.states),
            "learner": self.learner.copy(),
            "agent_of": self._agent_of.copy(),
            "penalties": self.penalties.copy(),
            "agents": {number: self._agents[number] for number in self._agents if number in used},
        }

    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state from ``get_state``, here or in a batch with the same settings.

        Opponents drawn from a pool are restored; fixed opponents remain those of this batch.

        Raises:
            StateError: the state doesn't fit; nothing has changed.
        """
        states, learner, numbers, agents = self._checked(saved)
        penalties = np.zeros_like(self.penalties)
        if "penalties" in saved:  # older states have none
            penalties = saved_array(saved, "penalties", penalties, 0, MOST_PENALTIES)
        agent_of = np.full_like(self._agent_of, RANDOM)
        for seat, source in enumerate(self._sources):
            if hasattr(source, "draw"):
                for number, agent in agents.items():
                    here = numbers[:, seat] == number
                    agent_of[here, seat] = self._number(agent)
            elif source is not None:
                agent_of[:, seat] = self._number(source)
        self._whole = False
        self.states = states
        self.learner = learner
        self.penalties = penalties
        self._agent_of = agent_of
        self._is_random = agent_of == RANDOM
        self._is_random[self._everything, self.learner] = False
        self.started = True
        self.rewards[:] = 0
        self.refresh()
        self.finish()

    def _checked(self, saved: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, dict[int, Any]]:
        """Return copies of the parts of a saved state; raise StateError if one is invalid."""
        check_saved(saved, ("states", "learner", "agent_of", "agents"))
        states = self.settings.adopt(saved["states"], self.num_envs)
        count, players = self._agent_of.shape
        learner = saved_array(saved, "learner", np.zeros(count, np.int64), 0, players - 1)
        if self.seat != "random" and (learner != self.seat).any():
            raise StateError(
                f"the saved state's learner sits at {sorted(set(learner.tolist()))}, and this "
                f"environment's seat is {self.seat}: make it with the same seat"
            )
        others = (states["to_play"] != learner) & ~(states["terminated"] | states["truncated"])
        if others.any():
            game = int(np.flatnonzero(others)[0])
            raise StateError(
                f"learner of game {game} is {learner[game]}, but {states['to_play'][game]} is to "
                "play there: a saved state has played the other seats"
            )
        shape = np.zeros((count, players), np.int64)
        numbers = saved_array(saved, "agent_of", shape, RANDOM, None)
        agents = saved["agents"]
        if not isinstance(agents, dict) or not all(hasattr(a, "act") for a in agents.values()):
            raise StateError(f"agents are {agents!r}; a saved state names agents by numbers")
        unknown = set(np.unique(numbers).tolist()) - {RANDOM, *agents}
        if unknown:
            raise StateError(f"agent_of names agents {sorted(unknown)}; agents has {[*agents]}")
        return states, learner, numbers, agents

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_handed_out": []}

    def _restore(self, state: dict[str, Any]) -> None:
        super()._restore(state)
        self._numbers = {id(agent): number for number, agent in self._agents.items()}

    def _made_anew(self) -> SeatBatch:
        return SeatBatch(self.settings, self.num_envs, self._sources, self.seat, self.num_threads)

    def _check_restored(self) -> None:
        self.set_opponents(self._sources)
        self._handed_out = []
        check_flags(started=self.started, _whole=self._whole)
        # After an interrupt the games may be torn; they are refused until the next deal.
        if not (self.started and self._whole):
            self.states = with_seeds_of(self.states)
            return
        saved = self.get_state()
        self.states, self.learner, self._agent_of, _ = self._checked(saved)
        self.penalties = saved_array(saved, "penalties", self.penalties, 0, MOST_PENALTIES)
        asked = ~self._is_random
        asked[self._everything, self.learner] = False
        if (self._agent_of[asked] == RANDOM).any():
            raise StateError("a seat of a pickle is played by nobody")

    def random_actions(self) -> np.ndarray:
        """Return a uniformly random legal action for each game, determined by its seed and ply."""
        actions = np.empty(self.num_envs, np.int64)
        self._run("random_actions", actions)
        return check_any_legal(actions)

    @property
    def _outputs(self) -> tuple[np.ndarray, ...]:
        return self.rewards, self._seat_rewards, self.scores, self.ranks

    def _play_rows(self, rows: np.ndarray, actions: np.ndarray, rule: tuple) -> None:
        loops = self.settings.loops
        loops.play_rows(self.states, rows, actions, self.learner, rule, self._outputs)

    def _play_opponents(self) -> None:
        """Play until every game is over or waits for its learner."""
        while True:
            self._run(
                "play_seats",
                self.learner,
                self._is_random,
                self.settings.reward_code,
                self._outputs,
            )
            waiting = self._agents and np.flatnonzero(
                ~self.over & (self.states["to_play"] != self.learner)
            )
            if not isinstance(waiting, np.ndarray) or not len(waiting):
                break
            self._play_agents(waiting)

    def refresh(self, anew: bool = False) -> None:
        """Fill ``observations``, ``masks`` and ``histories`` with the learners' views.

        With ``anew``, observations are written to a new array, for callers that return it to users.
        """
        if anew:
            self.observations = self._unused()
        self._run("views", self.learner, 1, self.observations, self.masks)
        if self.settings.history:
            self._run("histories", self.learner, self.histories)

    def _unused(self) -> np.ndarray:
        """Return an array for observations that isn't referenced elsewhere.

        Allocating memory costs more than filling it, so returned arrays are reused once nothing
        refers to them or to a view of them.
        """
        for k in range(len(self._handed_out)):
            if sys.getrefcount(self._handed_out[k]) == _UNSHARED:
                return self._handed_out[k]
        made = np.empty_like(self.observations)
        self._handed_out = [*self._handed_out[1 - _MOST_KEPT :], made]
        return made

    def seen(self, rows: Any = slice(None), copy: bool = True) -> dict[str, np.ndarray]:
        """Return the observations, masks and, if enabled, histories in ``rows``."""
        kept = self._kept()
        return {name: part[rows].copy() if copy else part[rows] for name, part in kept.items()}

    def handed_out(self) -> dict[str, np.ndarray]:
        """Return all views; observations aren't copied, being new (``refresh(anew=True)``)."""
        kept = self._kept()
        return {name: part if name == "observation" else part.copy() for name, part in kept.items()}

    def _kept(self) -> dict[str, np.ndarray]:
        shape = self.settings.observation_shape
        kept = {"observation": self.observations.reshape(-1, *shape), "action_mask": self.masks}
        if self.settings.history:
            kept["history"] = self.histories
        return kept

    def _play_agents(self, rows: np.ndarray) -> None:
        """Let the agents of ``rows`` play one ply; each agent plays all of its games at once."""
        numbers = self._agent_of[rows, self.states["to_play"][rows]]
        for number in np.unique(numbers).tolist():
            mine = rows[numbers == number]
            actions = query_agent(self._agents[number], self.settings, self.states[mine])
            refuse_illegal(self.settings, self.states, actions, mine)
            self._play_rows(mine, actions, (RAISE, 0.0, self.settings.reward_code))

    def _run(self, loop: str, *args: Any) -> list[Any]:
        return run_loop(self.settings, loop, self.num_threads, self.states, *args)


def check_batch(batch: Any, settings: Settings, num_envs: int) -> None:
    """Raise StateError unless the batch in a pickled environment is one of its settings."""
    good = isinstance(batch, SeatBatch) and batch.settings is settings
    if not good or batch.num_envs != num_envs:
        raise StateError(f"the games of a pickle aren't {num_envs} of {settings!r}")
