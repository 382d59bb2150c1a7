"""A game in progress: who decides, what agents do, and what has been played."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ludotheque.envs.core.game import Game
    from ludotheque.envs.core.interfaces.replay import Replay

    from .view import Film

PERSON = "person"
# The name in the replay of a person who was shown what the agents thought.
CHEAT = "person (saw the agents' minds)"


class Table:
    """A game from its deal on, and who sits where. Thread-safe.

    Args:
        game: the game.
        seed: seed of the deal and of the agents' decisions.
        players: number of seats.
        options: the game's options.
        specs: seat -> the agent's spec; the other seats are people's.
        agents: seat -> the agent; created from ``specs`` if not given.

    Attributes:
        positions: records ``(1,)`` before the first action and after each.
        actions, moves: the actions as numbers and in notation; None and empty if unknown.
        open_hands: whether one person sees everything and plays every seat.
        age: number of times that actions were taken back or a new game was dealt; older requests
            are then outdated.
        explain: show people what an agent would do in their place.
        cheat: also show them what the other seats' agents think.
        illegal: the rule for illegal actions of the replay that is shown.
        films: seat -> what has been shown there, see `film_of`.

    Raises:
        ValueError: the game or an agent doesn't support an argument.
    """

    def __init__(
        self,
        game: Game,
        seed: int,
        players: int,
        options: Mapping[str, Any],
        specs: Mapping[int, str],
        agents: Mapping[int, Any] | None = None,
    ):
        from ludotheque.envs.core.interfaces.settings import Settings

        self.game = game
        self.seed = seed
        self.players = players
        self.options = dict(options)
        self.specs = dict(specs)
        if agents is None:
            from ludotheque.agents import make_agent

            agents = {seat: make_agent(spec, game=game) for seat, spec in self.specs.items()}
        self.agents = dict(agents)
        self.settings = Settings(game, players, options=self.options)
        self.positions = [game.new_state(seed, num_players=players, **self.options)]
        self.actions: list[int | None] = []
        self.moves: list[str] = []
        self.age = 0
        self.explain = self.cheat = self.open_hands = False
        self.illegal = "raise"
        self.films: dict[int | None, Film] = {}
        self.lock = threading.RLock()

    @classmethod
    def of_replay(cls, replay: Replay) -> Table:
        """Return a table that shows a recorded game; nobody plays.

        Raises:
            StateError: the game breaks the rules, or its result differs from the recorded one.
        """
        from ludotheque.envs import get_game

        replay.verify()
        names = replay.agents or ["unknown"] * replay.num_players
        game = get_game(replay.game)
        specs = dict(enumerate(names))
        table = cls(game, replay.seed, replay.num_players, replay.options, specs, agents={})
        table.illegal = replay.illegal
        for action in replay.action_numbers():
            table.take(action)
        return table

    @classmethod
    def of_states(cls, game: Game, states: np.ndarray) -> Table:
        """Return a table that shows records ``(n,)`` one after the other; nobody plays."""
        players = int(states["num_players"].max())
        specs = dict.fromkeys(range(players), "")
        table = cls(game, int(states["seed"][0]), players, {}, specs, agents={})
        table.positions = [states[k : k + 1].copy() for k in range(len(states))]
        table.actions = [None] * (len(states) - 1)
        table.moves = [""] * (len(states) - 1)
        return table

    @property
    def states(self) -> np.ndarray:
        """The current record, of shape ``(1,)``."""
        return self.positions[-1]

    @property
    def to_play(self) -> int:
        """The seat that decides next."""
        return int(self.states["to_play"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return is_over(self.states)

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat in range(self.players) if seat not in self.specs]

    @property
    def agent_is_next(self) -> bool:
        """Whether an agent decides next."""
        return not self.over and self.to_play in self.agents

    def name(self, seat: int) -> str:
        """The name of the player at a seat, for people."""
        return f"player_{seat} ({self.specs.get(seat, 'you')})"

    def legal_moves(self) -> dict[str, int]:
        """The legal actions by their notation, in ascending order."""
        actions = np.flatnonzero(self.game.legal_mask(self.states)).tolist()
        state = self.states[0]
        return {self.game.action_to_string(action, state): action for action in actions}

    def take(self, action: int) -> None:
        """Play a legal action for the seat to play; an illegal one raises and changes nothing."""
        with self.lock:
            states = self.states.copy()
            move = self._notation(action, states[0])
            self.game.step(states, action, illegal=self.illegal)
            self._add(states, action, move)

    def _add(self, states: np.ndarray, action: int | None, move: str) -> None:
        self._change(
            positions=[*self.positions, states],
            actions=[*self.actions, action],
            moves=[*self.moves, move],
        )

    def _change(self, **attributes: Any) -> None:
        """Set attributes at once: Ctrl-C can't come between them."""
        self.__dict__.update(attributes)

    def _notation(self, action: int, state: np.void) -> str:
        from ludotheque.envs.core.interfaces.replay import NO_ACTION

        known = 0 <= action < self.game.num_actions
        return self.game.action_to_string(action, state) if known else NO_ACTION

    def action_before(self, ply: int) -> int | None:
        """Return the action that led to the position after ``ply`` actions.

        None at the deal, if it is unknown, and for numbers outside the action space.
        """
        action = self.actions[ply - 1] if ply else None
        return None if action is None or action not in range(self.game.num_actions) else action

    def last_move(self, seat: int | None) -> str | None:
        """Return the last move, None if it is hidden from the seat; seat None sees everything."""
        return None if self.hides(seat, len(self.actions)) else self.moves[-1]

    def hides(self, seat: int | None, ply: int) -> bool:
        """Return whether the action that led to the position ``ply`` is hidden from a seat."""
        hides = self.game.hides_action
        return seat is not None and hides is not None and hides(self.positions[ply][0], seat)

    def thinker(self, seat: int | None) -> str:
        """Return the name of who is to play, or a general one if ``seat`` may not know it."""
        if seat is not None and self.game.hides_action is not None:
            return "an agent"
        return self.name(self.to_play)

    def draw(self, seat: int | None) -> Any:
        """Return the picture as seen by a seat (None: everything), with the last move marked."""
        last = self.action_before(len(self.actions))
        return self.game.draw(self.states[0], seat, last_action=last)

    def agent_acts(self) -> int:
        """Let the agent to play act, and return its action.

        Its decision is determined by the game's seed, as in a league, so `watch` can show a
        league's game. While it thinks, others may use the table.

        Raises:
            ValueError: meanwhile the table has changed; the action isn't played.
        """
        from ludotheque.envs.core.interfaces.seats import query_agent

        positions = self.positions
        agent = self.agents[int(positions[-1]["to_play"][0])]
        (action,) = query_agent(agent, self.settings, positions[-1]).tolist()
        with self.lock:
            if self.positions is not positions:
                raise ValueError("the game has moved on while the agent was thinking")
            self.take(action)
        return action

    def undo_to(self, seat: int) -> int | None:
        """Return the ply that `undo` would go back to for the only person, or None."""
        if self.people != [seat]:
            return None
        plies = range(len(self.actions) - 1, -1, -1)
        return next((ply for ply in plies if self.positions[ply]["to_play"][0] == seat), None)

    def undo(self, seat: int) -> None:
        """Go back to the last decision of the person at ``seat``, who plays against agents only.

        Raises:
            ValueError: other people play too, or there is nothing to take back.
        """
        with self.lock:
            ply = self.undo_to(seat)
            if ply is None:
                alone = self.people == [seat]
                raise ValueError(
                    "there is nothing to take back yet"
                    if alone
                    else "only someone who plays against agents alone can take moves back"
                )
            self._change(
                positions=self.positions[: ply + 1],
                actions=self.actions[:ply],
                moves=self.moves[:ply],
                age=self.age + 1,
            )

    def deal(self, seed: int) -> None:
        """Start a new game with the same people, agents and options."""
        with self.lock:
            states = self.game.new_state(seed, num_players=self.players, **self.options)
            self._begin(states, seed)

    def _begin(self, states: np.ndarray, seed: int, **others: Any) -> None:
        fresh: dict[str, Any] = {"positions": [states], "actions": [], "moves": []}
        self._change(seed=seed, age=self.age + 1, **fresh, **others)

    def replay(self) -> Replay:
        """Return the game so far as a replay.

        Raises:
            ValueError: the actions are unknown.
        """
        if None in self.actions:
            raise ValueError("these positions have no actions between them, so there is no replay")
        from ludotheque.envs.core.interfaces.replay import Replay

        person = CHEAT if self.cheat else PERSON
        return Replay.record(
            self.game.name,
            self.players,
            self.seed,
            [action for action in self.actions if action is not None],
            options=self.options,
            illegal=self.illegal,
            agents=[self.specs.get(seat, person) for seat in range(self.players)],
        )

    def result(self) -> dict:
        """Return the final result as JSON values."""
        scores, ranks = self.game.returns(self.states)
        return {
            "game": self.game.name,
            "seed": self.seed,
            "players": [self.specs.get(seat, PERSON) for seat in range(self.players)],
            "scores": [float(score) for score in scores[: self.players]],
            "ranks": [int(rank) for rank in ranks[: self.players]],
            "plies": len(self.actions),
            "moves": self.moves,
        }

    def result_lines(self) -> list[str]:
        """Return the final result for people, best first."""
        from ludotheque.envs.core.drawing.words import amount

        result = self.result()
        if self.players == 1:
            goal = "the goal is reached" if result["ranks"] == [1] else "the goal is not reached"
            return [f"{self.name(0)}: {amount(result['scores'][0], 'point')}; {goal}"]
        order = sorted(range(self.players), key=lambda seat: (result["ranks"][seat], seat))
        return [
            f"{result['ranks'][seat]}. {self.name(seat)}: {amount(result['scores'][seat], 'point')}"
            for seat in order
        ]


def is_over(states: np.ndarray) -> bool:
    """Return whether a ``(1,)`` record's game has ended."""
    return bool(states["terminated"][0] or states["truncated"][0])
