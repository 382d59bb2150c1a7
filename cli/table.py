"""A game being played: whose decision it is, what the agents do, what has been done."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from .common import FailedError, UserError, arguments_checked, choose, needs_extra


def split_specs(text: str) -> list[str]:
    """Split "greedy,mcts:simulations=9,time=1,ppo:a.zip" at the commas between agents.

    A part like `time=1` names no agent: it is one more setting of the agent before it.
    """
    specs: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name = part.partition(":")[0]
        if specs and "=" in name:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    if not specs:
        raise UserError("no agent named; for example --agents random,greedy.")
    return specs


def check_specs(specs: Sequence[str]) -> None:
    """Raise UserError for the first spec whose agent nobody knows."""
    from ludotheque.agents import AGENTS

    for spec in specs:
        choose(spec.partition(":")[0], AGENTS, "agent")


@functools.cache
def agent_for(spec: str, game_name: str) -> Any:
    """Return the agent of a spec, made once; raises UserError, or FailedError without its extra."""
    from ludotheque.agents import make_agent

    check_specs([spec])
    try:
        return make_agent(spec, game=game_name)
    except ModuleNotFoundError as error:
        raise needs_extra("train", error) from error
    except (ValueError, TypeError, OSError) as error:
        raise UserError(f"agent '{spec}': {error}") from error


def seats_for(specs: Sequence[str], seats: Sequence[int], what: str) -> dict[int, str]:
    """Give a spec to each of the seats: one spec for all of them, or one for each."""
    if len(specs) == 1:
        specs = [*specs] * len(seats)
    if len(specs) != len(seats):
        several = len(seats) > 1
        raise UserError(
            f"{len(specs)} {what} for {len(seats)} {'seats' if several else 'seat'}: name one"
            f"{f', or {len(seats)} with commas' if several else ''}."
        )
    return dict(zip(seats, specs, strict=True))


class Table:
    """One game, and who sits where.

    Args:
        game: what is played.
        seed: deals the game, and makes the agents' decisions repeatable.
        players: number of seats.
        options: of the game.
        specs: seat -> agent's spec; the other seats are a person's.
    """

    def __init__(self, game: Any, seed: int, players: int, options: dict, specs: dict[int, str]):
        from ludotheque.envs.core.interfaces.settings import Settings

        self.game = game
        self.seed = seed
        self.players = players
        self.options = options
        self.specs = specs
        self.agents = {seat: agent_for(spec, game.name) for seat, spec in specs.items()}
        with arguments_checked():
            self.states = game.new_state(seed, num_players=players, **options)
            self._settings = Settings(game, players, options=options)
        self.actions: list[int] = []
        self.moves: list[str] = []
        self.illegal = "raise"

    @property
    def to_play(self) -> int:
        """The seat that decides next."""
        return int(self.states["to_play"][0])

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.states["terminated"][0] or self.states["truncated"][0])

    def name(self, seat: int) -> str:
        """Who sits there, for people."""
        return f"player_{seat} ({self.specs.get(seat, 'you')})"

    def legal_moves(self) -> dict[str, int]:
        """The legal actions by their notation, in ascending order."""
        actions = np.flatnonzero(self.game.legal_mask(self.states)).tolist()
        state = self.states[0]
        return {self.game.action_to_string(action, state): action for action in actions}

    def take(self, action: int) -> None:
        """Take a legal action for the seat to play."""
        move = self.game.action_to_string(action, self.states[0])
        self.game.step(self.states, action, illegal=self.illegal)
        self.actions.append(action)
        self.moves.append(move)

    def last_move(self, seat: int | None) -> str | None:
        """The last move, or None if a seat may not know of it; seat None may know everything."""
        hides = self.game.hides_action
        if seat is not None and hides is not None and hides(self.states[0], seat):
            return None
        return self.moves[-1]

    def thinker(self, seat: int | None) -> str:
        """Who is to play, for people; not by name where ``seat`` may not know it."""
        if seat is not None and self.game.hides_action is not None:
            return "an agent"
        return self.name(self.to_play)

    def draw(self, seat: int | None) -> Any:
        """The picture as a seat sees it (None: everything), the last move marked."""
        last = self.actions[-1] if self.actions else None
        return self.game.draw(self.states[0], seat, last_action=last)

    def agent_acts(self) -> int:
        """Let the agent whose turn it is decide and act; return its action.

        Its decision follows from the game's seed, as in a league: `watch` shows a league's game.
        """
        from ludotheque.envs.core.interfaces.seats import query_agent

        (action,) = query_agent(self.agents[self.to_play], self._settings, self.states).tolist()
        self.take(action)
        return action

    def result(self) -> dict:
        """The final result, ready for JSON."""
        scores, ranks = self.game.returns(self.states)
        return {
            "game": self.game.name,
            "seed": self.seed,
            "players": [self.specs.get(seat, "person") for seat in range(self.players)],
            "scores": [float(score) for score in scores[: self.players]],
            "ranks": [int(rank) for rank in ranks[: self.players]],
            "plies": len(self.actions),
            "moves": self.moves,
        }

    def result_lines(self) -> list[str]:
        """The final result, for people: the best first."""
        result = self.result()
        if self.players == 1:
            goal = "the goal is reached" if result["ranks"] == [1] else "the goal is not reached"
            return [f"{self.name(0)}: {result['scores'][0]:g} points; {goal}"]
        order = sorted(range(self.players), key=lambda seat: (result["ranks"][seat], seat))
        return [
            f"{result['ranks'][seat]}. {self.name(seat)}: {result['scores'][seat]:g} points"
            for seat in order
        ]


def check_target(path: Path, endings: Sequence[str]) -> None:
    """Before anything is played: a game is not played for a file that can't be written."""
    choose(path.suffix, endings, f"ending of {path.name}:")
    if not path.parent.is_dir():
        raise UserError(f"the folder {path.parent} of {path.name} does not exist.")
    if path.is_dir():
        raise UserError(f"{path} is a folder; give the name of a file in it.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Around what writes a file: if that fails, as on a full disk, it is told which file."""
    try:
        yield
    except OSError as error:
        raise FailedError(f"{path} could not be written: {error}") from error


def save_replay(table: Table, path: Path) -> None:
    """Write the game so far as a replay; raises FailedError if the file can't be written."""
    from ludotheque.envs.core.interfaces.replay import Replay

    replay = Replay.record(
        table.game.name,
        table.players,
        table.seed,
        table.actions,
        options=table.options,
        illegal=table.illegal,
        agents=[table.specs.get(seat, "person") for seat in range(table.players)],
    )
    with writing(path):
        replay.save(path)


def load_replay(path: Path, number: int) -> tuple[Table, list[int]]:
    """Return a table set up as in the `number`-th game of a file, and that game's actions.

    Raises:
        UserError: no such file or game in it, or a game that the rules don't allow.
    """
    from ludotheque.envs import get_game
    from ludotheque.envs.core.interfaces.replay import load_replays

    with arguments_checked():
        replays = load_replays(path)
        if not 1 <= number <= len(replays):
            raise UserError(f"{path} holds {len(replays)} games; there is no number {number}.")
        replay = replays[number - 1]
        replay.verify()
        actions = replay.action_numbers()
    names = replay.agents or ["unknown"] * replay.num_players
    table = Table(get_game(replay.game), replay.seed, replay.num_players, replay.options, {})
    table.specs = dict(enumerate(names))
    table.illegal = replay.illegal
    return table, actions
