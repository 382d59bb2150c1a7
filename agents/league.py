"""Leagues: agents play each other on the same deals and get ratings with uncertainties."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

from ludotheque.envs.core.arguments import check_seed, fresh_seed
from ludotheque.envs.core.errors import GameOverError, IllegalActionError, check_whole, is_name
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.checks import MOST_GAMES
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.envs.core.interfaces.settings import Settings

from .base import Agent
from .baselines import BaselineAgent
from .batches import (
    Planned,
    Seats,
    check_records,
    match_of,
    pack,
    play_batch,
    records_of,
    seed_of,
)
from .camps import Round, rounds_of
from .executors import gather
from .ledger import TABLE, GameRecord, Ledger, read_config
from .ratings import import_cli_extra
from .specs import make_agent
from .standings import LeagueTable, build_table

# All games of a league are held in memory.
MOST_PLANNED = 10_000_000
# Characters of a setting of an agent in the settings of a league.
MOST_TEXT = 1000
ALL, ROTATIONS = SEATINGS = ("all", "rotations")
_log = logging.getLogger("ludotheque.league")


class League:
    """A round robin between agents.

    A *table* is a set of agents that play together: every pair with two players, every combination
    with more; if there are fewer agents than seats, every way to fill the seats that includes all
    of them. All tables play the same *deals*, each deal in every distinct seating, so that the luck
    of deal and seat is the same for all. Deal ``k`` has the seed ``seed + k``, from which the
    agents' seeds are derived, so every game of a league can be reproduced.

    Args:
        game: the game or its name.
        agents: name in the table → agent, or its spec (see ``make_agent``).
        out: folder for the results, created if necessary: ``games.jsonl`` with a line per finished
            game, ``league.json`` with the settings, ``table.json`` with the last run's table. None
            keeps the results in memory.
        num_players: number of seats.
        seed: seed of the first deal. None takes the folder's when resuming, else draws one.
        reward: the reward recorded as ``rewards`` and ``mean_reward``; ratings depend on ranks
            only.
        resume: continue the league in ``out``, which must have the same settings.
        seatings: "rotations" seats a table of different agents in as many ways as there are seats,
            instead of all: one order of the agents, another one for each deal, rotated. All sit in
            every seat equally often; with five players a deal takes 5 games per table, not 120.
        options: the game's variants.

    Raises:
        ValueError: fewer than two agents, an unknown agent, option or seatings, or another league
            in ``out``.
        FileExistsError: ``out`` contains results and ``resume`` is False.
        OSError: ``out`` can't be written.
        ModuleNotFoundError: openskill isn't installed.
    """

    def __init__(
        self,
        game: str | Game,
        agents: Mapping[str, str | Agent],
        out: str | Path | None = None,
        num_players: int = 2,
        seed: int | None = 0,
        reward: str = "rank",
        *,
        resume: bool = False,
        seatings: str = ALL,
        **options: Any,
    ):
        import_cli_extra("openskill.models")  # now, not after all games
        if num_players == 1:
            raise ValueError(
                "num_players is 1; a league needs two seats or more. Alone, compare mean scores: "
                "ludotheque bench strength --players 1"
            )
        if seatings not in SEATINGS:
            raise ValueError(f"seatings is {seatings!r}; choose from {', '.join(SEATINGS)}")
        self.settings = Settings(game, num_players, reward=reward, options=options)
        self.game = self.settings.game
        _check_names(agents)
        self.agents = {name: make_agent(spec, self.game) for name, spec in agents.items()}
        self.out = None if out is None else Path(out)
        if seed is None:
            kept = read_config(self.out) if self.out and resume else None
            seed = kept["seed"] if kept else fresh_seed() >> 32
        self.seed = check_seed(seed)
        described = {
            name: _describe(spec, self.agents[name], num_players) for name, spec in agents.items()
        }
        self.config = {
            "game": self.game.name,
            "version": self.game.version,
            "num_players": num_players,
            "options": self.settings.named_options,
            "reward": reward,
            "seed": self.seed,
            "agents": described,
        }
        if seatings != ALL:
            self.config["seatings"] = seatings
        self._tables = _tables(sorted(self.agents), num_players)
        self._rotates = seatings == ROTATIONS and len(self.agents) >= num_players
        self._games: dict[tuple[int, Seats], GameRecord] = {}
        self._rounds: dict[tuple[int, Seats], list[Round]] = {}
        self._ledger = Ledger(self.out, self.config, resume) if self.out else None
        if self._ledger:
            self._load(self._ledger)

    @property
    def games(self) -> list[GameRecord]:
        """The finished games, by deal and seating."""
        return sorted(self._games.values(), key=lambda game: game.key)

    def deals_for(self, games_per_pair: int) -> int:
        """Return the number of deals that give every table at least ``games_per_pair`` games.

        Raises:
            ValueError: it is less than 1, or a league can't have that many games.
        """
        games_per_pair = check_whole(games_per_pair, "games_per_pair", 1)
        seatings = [len(self._seatings(table, 0)) for table in self._tables]
        deals = -(-games_per_pair // min(seatings))
        if deals * sum(seatings) > MOST_PLANNED:
            raise ValueError(
                f"games_per_pair is {games_per_pair}, which makes {deals * sum(seatings)} games; a "
                f"league has at most {MOST_PLANNED}"
            )
        return deals

    def run(
        self,
        games_per_pair: int,
        progress: Callable[[int, int], Any] | bool | None = None,
        batch_size: int = 64,
        executor: Any = None,
    ) -> LeagueTable:
        """Play until every table has finished its games, and return the table of all results.

        Finished games are not played again, so a longer run continues a shorter one. Finished games
        are kept on Ctrl-C (KeyboardInterrupt) and on errors.

        Args:
            games_per_pair: games per table, rounded up to whole deals in every seating.
            progress: called regularly with (finished games, total games); True shows a progress
                bar.
            batch_size: number of games played at once; results don't depend on it. Larger is
                faster, but games are only saved when their batch is finished.
            executor: where the batches are played (see ``executors``): ``ProcessExecutor(4)``,
                ``RayExecutor()``, or any object with ``submit``. None means this process. Results
                are identical byte for byte.

        Raises:
            ValueError: a number is less than 1, or a league can't have that many games.
            TooLargeError: the file of the games would be too large to be read again; those of
                earlier batches are kept.
            BlockingIOError: another process is using the folder; the message says which.
        """
        check_whole(batch_size, "batch_size", 1, MOST_GAMES)
        deals = self.deals_for(games_per_pair)
        self._tell_rounding(games_per_pair, deals)
        with self._opened(), _reporting(progress) as report:
            # By deal first: whenever it stops, all tables have nearly the same number of games.
            plan = [
                (deal, seats)
                for deal in range(deals)
                for table in self._tables
                for seats in self._seatings(table, deal)
            ]
            todo = [game for game in plan if game not in self._games]
            done = len(plan) - len(todo)
            report(done, len(plan))
            batches = [todo[k : k + batch_size] for k in range(0, len(todo), batch_size)]
            if executor is not None:
                self._play_elsewhere(executor, batches, len(plan), report)
                batches = []
            for k, batch in enumerate(batches):
                self._play(batch, done + k * batch_size, len(plan), report)
        table = self.table()
        if self.out:
            table.save(self.out / TABLE)
        return table

    def _seatings(self, table: Seats, deal: int) -> list[Seats]:
        """Return a table's seatings in a deal; every name sits in every seat equally often."""
        if not self._rotates:
            return _permutations(table)
        first, *rest = table
        orders = _permutations(tuple(rest))
        order = (first, *orders[deal % len(orders)])
        return [order[k:] + order[:k] for k in range(len(order))]

    def table(self) -> LeagueTable:
        """Return the table of the games finished so far."""
        rounds_of = None if self.game.camps is None else self._rounds_of
        return build_table(self.config, list(self.agents), self._games.values(), rounds_of)

    def replay(self, seats: Sequence[str] | None = None, deal: int = 0) -> Replay:
        """Return the replay of a finished game.

        Args:
            seats: agents by seat; None means the best of the table, best first.
            deal: number of the deal.

        Raises:
            ValueError: there is no such finished game.
        """
        if seats is None:
            best = [row.name for row in self.table().rows]
            order = {name: place for place, name in enumerate(best)}
            fit = [key for key in self._games if key[0] == deal]
            fit.sort(key=lambda key: [order[name] for name in key[1]])
            seats = fit[0][1] if fit else tuple(best)
        record = self._games.get((deal, tuple(seats)))
        if record is None:
            raise ValueError(
                f"no finished game of deal {deal} with {', '.join(seats)} at the seats in this "
                f"order; league.games lists the {len(self._games)} there are"
            )
        return Replay.record(
            self.game.name,
            self.settings.num_players,
            record.seed,
            record.actions,
            options=dict(self.settings.named_options),
            agents=list(record.seats),
        )

    def save_replay(
        self, path: str | Path, seats: Sequence[str] | None = None, deal: int = 0
    ) -> None:
        """Write ``replay(seats, deal)`` to a file."""
        self.replay(seats, deal).save(path)

    def _play(self, batch: list[Planned], done: int, total: int, report: Callable) -> None:
        match = match_of(self.settings, self.agents, batch, self.seed)
        try:
            unfinished = len(batch)
            while unfinished:
                unfinished = match.step()
                report(done + len(batch) - unfinished, total)
        finally:
            self._keep(records_of(match, batch, self.seed))

    def _play_elsewhere(
        self, executor: Any, batches: list[list[Planned]], total: int, report: Callable
    ) -> None:
        """Play the batches in an executor, and keep their order."""
        carried = pack(self.settings, self.agents)
        done = total - sum(len(batch) for batch in batches)

        waiting = {batch[0]: batch for batch in batches}

        def take(records: list[GameRecord]) -> None:
            nonlocal done
            check_records(records, waiting, self.seed, self.game.num_actions)
            self._keep(records)
            done += len(records)
            report(done, total)

        gather(executor, play_batch, [(carried, batch, self.seed) for batch in batches], take)

    def _rounds_of(self, record: GameRecord) -> list[Round]:
        """Return a game's rounds, which are cached."""
        if record.key not in self._rounds:
            self._rounds[record.key] = rounds_of(
                self.game,
                record.seed,
                record.actions,
                self.settings.num_players,
                **self.settings.named_options,
            )
        return self._rounds[record.key]

    def _keep(self, records: list[GameRecord]) -> None:
        self._games.update((record.key, record) for record in records)
        if self._ledger and records:
            self._ledger.append(records)

    def _load(self, ledger: Ledger) -> None:
        tables = set(self._tables)
        games: dict[tuple[int, Seats], GameRecord] = {}
        for record in ledger.load():
            bad_action = max(record.actions, default=0) >= self.game.num_actions
            if (
                tuple(sorted(record.seats)) not in tables
                or record.seats not in self._seatings(tuple(sorted(record.seats)), record.deal)
                or record.seed != seed_of(record.deal, self.seed)
                or bad_action
            ):
                raise _not_of_this_league(ledger.path, record)
            if games.setdefault(record.key, record) != record:
                raise ValueError(
                    f"{ledger.path} holds two results of deal {record.deal} with "
                    f"{', '.join(record.seats)} at the seats: delete a line, or name another folder"
                )
        self._games = games
        if self.game.camps is not None:
            # The table needs the rounds; better told now than after more games.
            for record in games.values():
                try:
                    self._rounds_of(record)
                except (IllegalActionError, GameOverError) as error:
                    raise _not_of_this_league(ledger.path, record) from error

    @contextmanager
    def _opened(self) -> Iterator[None]:
        if self._ledger is None:
            yield
            return
        with self._ledger:
            self._load(self._ledger)
            yield

    def _tell_rounding(self, games_per_pair: int, deals: int) -> None:
        counts = sorted({deals * len(self._seatings(table, 0)) for table in self._tables})
        if counts != [games_per_pair]:
            _log.warning(
                "games_per_pair=%d is rounded up to whole deals in every seating: %s games at each "
                "table",
                games_per_pair,
                " or ".join(str(count) for count in counts),
            )

    def __repr__(self) -> str:
        return f"<League {', '.join(self.agents)}; {self.settings!r}; {len(self._games)} games>"


def _not_of_this_league(path: Path, record: GameRecord) -> ValueError:
    return ValueError(
        f"{path} holds a game that isn't of this league: deal {record.deal}, seed {record.seed}, "
        f"{', '.join(record.seats)}; name another folder"
    )


def _tables(names: Sequence[str], seats: int) -> list[Seats]:
    """Return the sets of agents that play together, each sorted."""
    if len(names) >= seats:
        return list(combinations(names, seats))
    filled = combinations_with_replacement(names, seats)
    return [table for table in filled if len(set(table)) == len(names)]


@cache
def _permutations(names: Seats) -> list[Seats]:
    return sorted(set(permutations(names)))


def _check_names(agents: Any) -> None:
    if not isinstance(agents, Mapping):
        raise TypeError(
            f"agents is {agents!r}; give a dict of name → agent, as in "
            '{"random": "random", "search": "mcts:simulations=100"}'
        )
    if len(agents) < 2:
        raise ValueError(f"a league needs two or more agents, got {list(agents)}")
    for name in agents:
        if not isinstance(name, str) or not name:
            raise ValueError(f"an agent's name is {name!r}; give text that isn't empty")
        for text in (name, agents[name]):
            if isinstance(text, str) and not is_name(text):
                raise ValueError(
                    f"an agent is called {text!r}; names and files can't contain control "
                    "characters, or bytes that aren't UTF-8"
                )


def _describe(spec: str | Agent, agent: Agent, num_players: int) -> str:
    """Return what must stay the same when a league is resumed."""
    text = spec if isinstance(spec, str) else _settings_of(agent)
    path = getattr(agent, "path", None)
    files = [] if path is None else [Path(path)]
    if isinstance(agent, BaselineAgent):
        files = agent.files(num_players)
    found = b"".join(file.read_bytes() for file in files if file.is_file())
    if found:
        # A model that was trained further is another agent, whatever its name.
        text += f" sha256:{hashlib.sha256(found).hexdigest()[:16]}"
    return text


def _settings_of(agent: Agent) -> str:
    plain = (str, int, float, bool, type(None))
    settings = {
        key: value
        for key, value in sorted(getattr(agent, "__dict__", {}).items())
        if not key.startswith("_") and isinstance(value, plain)
    }
    inner = ", ".join(f"{key}={_short(value)}" for key, value in settings.items())
    return f"{type(agent).__name__}({inner})"


def _short(value: Any) -> str:
    """Return a setting as text; a long one, like a prompt, is represented by its digest."""
    text = repr(value)
    if len(text) <= MOST_TEXT:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{text[:100]}... sha256:{digest}"


@contextmanager
def _reporting(progress: Callable[[int, int], Any] | bool | None) -> Iterator[Callable]:
    """Yield the function to call with (finished games, total games)."""
    if callable(progress):
        yield progress
    elif not progress:
        yield lambda done, total: None
    else:
        rich = import_cli_extra("rich.progress")
        console = import_cli_extra("rich.console").Console(stderr=True)
        columns = (*rich.Progress.get_default_columns(), rich.MofNCompleteColumn())
        with rich.Progress(*columns, console=console) as bar:
            task = bar.add_task("Playing", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)
