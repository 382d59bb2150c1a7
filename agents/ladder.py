"""The ladder: ratings on a fixed scale for each game, against rungs that don't change.

The rungs were rated once, in a league among themselves (``measure_ladder``), and are stored in
``ladders/``; 25 is the average rung. An agent is rated by games against them: the same rung in all
other seats, each deal from every seat. Only the agent's rating changes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.errors import check_finite, check_whole
from ludotheque.envs.core.files import atomic_write_text
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.loading import (
    COUNT,
    COUNTS,
    MEGABYTE,
    NUMBER,
    NUMBERS,
    OBJECT,
    OBJECTS,
    TEXT,
    Kind,
    Source,
    check_fields,
    check_fits,
)

from .base import Agent
from .baselines import baseline_counts
from .executors import gather
from .league import League
from .ledger import are_results, true_ranks
from .match import Match
from .ratings import Rating, rate, wilson
from .specs import make_agent

FOLDER = Path(__file__).parent / "ladders"
RUNGS = ("random", "greedy", "mcts:simulations=50", "mcts:simulations=200", "mcts:simulations=1000")
KIND = "ludotheque rating"
# Included if the game has a baseline.
LEARNED = ("baseline", "baseline:simulations=200")
MOST_BYTES = 256 * MEGABYTE
MOST_LADDER = MEGABYTE
# Fields of the files.
_LADDER = {
    "game": TEXT,
    "version": COUNT,
    "num_players": COUNT,
    "games": COUNT,
    "seed": COUNT,
    "rungs": OBJECT,
}
_RATING = {"mu": NUMBER, "sigma": NUMBER}
_RECORD = {
    "kind": Kind(repr(KIND), lambda value: value == KIND),
    "game": TEXT,
    "version": COUNT,
    "num_players": COUNT,
    "agent": TEXT,
    "seed": COUNT,
    "ladder": OBJECT,
    "games": OBJECTS,
    "rating": NUMBER,
    "uncertainty": NUMBER,
}
_GAME = {"rung": TEXT, "seed": COUNT, "seat": COUNT, "scores": NUMBERS, "ranks": COUNTS}
# Deals per round, each from every seat against every rung.
DEALS = 8
# The agent's name in the ratings.
OWN = "agent"


@dataclass(frozen=True)
class Ladder:
    """The rungs of a game for a number of players.

    Attributes:
        game, version, num_players: what the ladder applies to.
        games, seed: number of games of the league that rated it, and seed of its first deal.
        rungs: spec → rating, weakest first.
    """

    game: str
    version: int
    num_players: int
    games: int
    seed: int
    rungs: Mapping[str, Rating]

    def to_json(self) -> str:
        """Return the ladder in the format of its file."""
        rungs = {name: rating._asdict() for name, rating in self.rungs.items()}
        return json.dumps({**asdict(self), "rungs": rungs}, indent=2) + "\n"


@dataclass(frozen=True)
class AgainstRung:
    """The agent's results against a rung.

    Attributes:
        rung, rung_rating: the rung's spec and rating.
        games, wins, draws: of the agent; a draw is a shared first place.
        low, high: 95 % interval (Wilson) of the win rate.
        score: the agent's mean score.
    """

    rung: str
    rung_rating: float
    games: int
    wins: int
    draws: int
    low: float
    high: float
    score: float


@dataclass(frozen=True)
class Rated:
    """An agent's place on the ladder.

    Attributes:
        rating, uncertainty: on the game's scale; the uncertainty is two sigma.
        decisions_per_second: of the agent, including forced moves.
        rows: one per rung.
        record: JSON values with all games, which ``check_record`` replays.
        interrupted: stopped by Ctrl-C, so the uncertainty may exceed ``precision``.
    """

    rating: float
    uncertainty: float
    decisions_per_second: float
    rows: tuple[AgainstRung, ...]
    record: dict[str, Any]
    interrupted: bool = False


def ladder_path(game: Game, num_players: int) -> Path:
    """Return the path of a game's ladder for a number of players."""
    return FOLDER / f"{game.name}-{num_players}.json"


def read_ladder(game: str | Game, num_players: int) -> Ladder:
    """Return the ladder of a game.

    Raises:
        ValueError: there is none for this number of players or version of the game.
    """
    game = get_game(game) if isinstance(game, str) else game
    path = ladder_path(game, num_players)
    if num_players == 1:
        raise ValueError(
            "num_players is 1; a ladder needs two seats or more. Alone, compare mean scores on the "
            f"same deals: ludotheque bench strength --game {game.name} --players 1 "
            "--agents greedy,mcts,baseline"
        )
    if not path.is_file():
        have = sorted(p.stem.rpartition("-")[2] for p in FOLDER.glob(f"{game.name}-*.json"))
        raise ValueError(
            f"{game.name} has no ladder for {num_players} players; there is one for: "
            f"{', '.join(have) or 'none'}. `ludotheque rate --measure` makes one"
        )
    source = Source(path, "ladder", "`ludotheque rate --measure` writes one")
    saved = source.parse(source.read_text(MOST_LADDER), "it", _LADDER)
    if saved["version"] != game.version:
        raise ValueError(
            f"the ladder in {str(path)!r} is of {game.name}_v{saved['version']}, and this is "
            f"{game.name}_v{game.version}: `ludotheque rate --measure` makes a new one"
        )
    return _ladder(saved, source)


def _ladder(saved: Mapping[str, Any], source: Source) -> Ladder:
    """Return the ladder of a file whose fields have been checked."""
    rungs = {}
    for name, rating in saved["rungs"].items():
        source.check_fields(rating, f"its rung {name!r}", _RATING)
        rungs[name] = Rating(rating["mu"], rating["sigma"])
    return Ladder(**{**{field: saved[field] for field in _LADDER}, "rungs": rungs})


def rung_league(
    game: str | Game,
    num_players: int,
    rungs: tuple[str, ...] | None = None,
    **how: Any,
) -> League:
    """Return the league that rates the rungs of a game.

    Args:
        game, num_players: the game and the number of players.
        rungs: specs of agents; None means the default ones.
        **how: ``out``, ``seed``, ``resume`` and ``seatings``, as for ``League``, which also lists
            the errors.
    """
    game = get_game(game) if isinstance(game, str) else game
    if rungs is None:
        rungs = (*RUNGS, *(LEARNED if num_players in baseline_counts(game) else ()))
    return League(game, {rung: rung for rung in rungs}, num_players=num_players, **how)


def measure_ladder(
    league: League,
    games: int = 200,
    progress: Callable[[int, int], Any] | bool | None = None,
    executor: Any = None,
) -> Ladder:
    """Rate the rungs by ``games`` games at every table of a league; see its ``run``."""
    table = league.run(games, progress, executor=executor)
    found = {row.name: Rating(row.rating, row.uncertainty / 2) for row in table.rows}
    ordered = dict(sorted(found.items(), key=lambda item: item[1].mu))
    game, players = league.game, league.settings.num_players
    return Ladder(game.name, game.version, players, games, league.seed, ordered)


def save_ladder(ladder: Ladder, path: str | os.PathLike | None = None) -> Path:
    """Write a ladder, by default to where ``read_ladder`` looks, and return the path."""
    to = ladder_path(get_game(ladder.game), ladder.num_players) if path is None else Path(path)
    text = ladder.to_json()
    check_fits(to, len(text.encode("utf-8")), MOST_LADDER, "give the rungs shorter names")
    to.parent.mkdir(parents=True, exist_ok=True)
    atomic_write_text(to, text)
    return to


def rate_agent(  # noqa: PLR0913
    agent: str | Agent,
    game: str | Game = "sarena",
    num_players: int = 2,
    *,
    ladder: Ladder | None = None,
    precision: float = 1.0,
    max_rounds: int = 40,
    seed: int = 0,
    progress: Callable[[int, int], Any] | None = None,
    executor: Any = None,
    keep: Callable[[dict[str, Any]], Any] | None = None,
    earlier: Mapping[str, Any] | None = None,
) -> Rated:
    """Rate an agent on a game's ladder.

    Ctrl-C ends the rating with the rounds that are complete; before the first it is raised.

    Args:
        agent: an agent, or its spec as for ``make_agent``.
        game, num_players: the game and the number of players.
        ladder: None means the game's own.
        precision: stop when two sigma are at most this, in points of the scale.
        max_rounds: stop after this many rounds; in each the agent plays 8 deals from every seat
            against every rung.
        seed: seed of the first deal.
        progress: called with (rounds, max_rounds) after each round.
        executor: where the games are played (see ``executors``); None means this process. The
            rating doesn't depend on it.
        keep: called with the record so far after each round, to save it.
        earlier: a record of the same agent to continue, from ``read_record``; its seed is used.

    Raises:
        ValueError: unknown agent, game or ladder, a number out of range, or ``earlier`` is of
            another game or ladder, or of an agent that plays differently.
        ModuleNotFoundError: openskill isn't installed.
    """
    if not check_finite(precision, "precision") > 0:
        raise ValueError(f"precision is {precision!r}; give a number above 0")
    check_whole(max_rounds, "max_rounds", 1)
    found = get_game(game) if isinstance(game, str) else game
    ladder = ladder or read_ladder(found, num_players)
    own = make_agent(agent, found)
    settings = Settings(found, num_players)
    record: dict[str, Any] = {
        "kind": KIND,
        "game": found.name,
        "version": found.version,
        "num_players": num_players,
        "agent": agent if isinstance(agent, str) else repr(agent),
        "seed": check_seed(seed),
        "ladder": json.loads(ladder.to_json()),
        "games": [],
    }
    if earlier is not None:
        _continue(record, earlier)
        # A model trained on since then is another agent, under whatever name.
        rung, seeds = next(_rounds(earlier["games"]))
        _replay(settings, own, earlier["games"], rung, seeds[:DEALS])
    games = record["games"]
    spent = np.zeros(2)
    interrupted = False
    done = len(games) // (DEALS * num_players * len(ladder.rungs))
    rating = _rating(ladder, games, num_players)
    while done == 0 or (2 * rating.sigma > precision and done < max_rounds):
        seeds = _seeds(record["seed"], done)
        try:
            games += _play_round(settings, own, ladder, seeds, spent, executor)
        except KeyboardInterrupt:
            if not games:
                raise
            interrupted = True
            break
        done += 1
        rating = _rating(ladder, games, num_players)
        record |= {"rating": rating.mu, "uncertainty": 2 * rating.sigma}
        if keep is not None:
            keep(record)
        if progress is not None:
            progress(done, max_rounds)
    rows = tuple(_row(ladder, rung, games) for rung in ladder.rungs)
    speed = spent[0] / max(spent[1], 1e-9)
    return Rated(rating.mu, 2 * rating.sigma, speed, rows, record, interrupted)


def _continue(record: dict[str, Any], earlier: Mapping[str, Any]) -> None:
    """Take the rounds of ``earlier`` into a new record; raise ValueError if it doesn't fit."""
    for name in ("game", "version", "num_players", "ladder"):
        if record[name] != earlier[name]:
            raise ValueError(
                f"the record to continue has another {name} ({earlier[name]!r}, not "
                f"{record[name]!r}): start a new rating"
            )
    taken = ("seed", "games", "rating", "uncertainty")
    record |= {name: earlier[name] for name in taken}
    record["games"] = list(earlier["games"])


def _play_round(
    settings: Settings,
    own: Agent,
    ladder: Ladder,
    seeds: list[int],
    spent: np.ndarray,
    executor: Any,
) -> list[dict[str, Any]]:
    """Play some deals against every rung; add the agent's decisions and seconds to ``spent``."""
    pieces = [(settings, own, rung, seeds) for rung in ladder.rungs]
    games: list[dict[str, Any]] = []

    waiting = {rung: (rung, seeds) for rung in ladder.rungs}

    def take(played: Any) -> None:
        if executor is not None:
            _check_played(played, waiting, settings.num_players)
        games.extend(played[0])
        spent[:] += played[1]

    if executor is None:
        for piece in pieces:
            take(_play_timed(*piece))
    else:
        gather(executor, _play_timed, pieces, take)
    return games


def _seeds(first: int, number: int) -> list[int]:
    """Return the seeds of a round's deals."""
    return [(first + number * DEALS + k) % 2**64 for k in range(DEALS)]


def check_record(
    path: str | os.PathLike, agent: str | Agent | None = None, ladder: Ladder | None = None
) -> int:
    """Replay the games of a record and return their number.

    The record must contain all games of its rounds and use the ladder of this version, so its
    author can neither omit losses nor change the ratings of the rungs.

    Args:
        path: path of the JSON file, as written by `ludotheque rate --out` (``Rated.record``).
        agent: None means the spec in the record.
        ladder: the ladder of the rating; None means the game's own.

    Raises:
        FileError: the file isn't a record.
        ValueError: the ladder differs or doesn't exist; games are missing or surplus; a game has a
            different result; the rating or its uncertainty doesn't follow from the games; or there
            is no such agent.
    """
    record = read_record(path, ladder)
    game, players = get_game(record["game"]), record["num_players"]
    ladder = ladder or read_ladder(game, players)
    settings = Settings(game, players)
    try:
        own = make_agent(record["agent"] if agent is None else agent, game)
    except TypeError as error:
        raise ValueError(f"the record's agent: {error}") from error
    if getattr(own, "time", None) is not None:
        raise ValueError(
            f"the record's agent, {record['agent']}, plays by the clock, and its games can't be "
            "replayed; rate it with a number of simulations"
        )
    for rung, seeds in _rounds(record["games"]):
        _replay(settings, own, record["games"], rung, seeds)
    return len(record["games"])


def read_record(path: str | os.PathLike, ladder: Ladder | None = None) -> dict[str, Any]:
    """Return the record of a rating, as JSON values, without replaying its games.

    Raises:
        FileError: the file isn't a record.
        ValueError: the ladder differs or doesn't exist; games are missing or surplus; the rating or
            its uncertainty doesn't follow from the games.
    """
    source = Source(Path(path), "record of a rating", "give what `ludotheque rate --out` wrote")
    record = source.parse(source.read_text(MOST_BYTES), "it", _RECORD)
    source.check_fields(record["ladder"], "its ladder", _LADDER)
    for number, one in enumerate(record["games"]):
        source.check_fields(one, f"its game {number}", _GAME)
    game, players = get_game(record["game"]), record["num_players"]
    if game.version != record["version"]:
        raise ValueError(
            f"the record is of {game.name}_v{record['version']}, and this is v{game.version}"
        )
    ladder = ladder or read_ladder(game, players)
    if dict(_ladder(record["ladder"], source).rungs) != dict(ladder.rungs):
        raise ValueError(
            f"the record's rungs, or their ratings, aren't those of {game.name}'s ladder for "
            f"{players} players here: the rating is on another scale"
        )
    _check_complete(record, ladder, players)
    for number, one in enumerate(record["games"]):
        if not _has_result(one, players):
            raise source.error(
                f"its game {number} has scores {one['scores']!r:.60} and ranks "
                f"{one['ranks']!r:.60} for {players} players"
            )
    rating = _rating(ladder, record["games"], players)
    for what, found, told in (
        ("a rating", rating.mu, record["rating"]),
        ("an uncertainty", 2 * rating.sigma, record["uncertainty"]),
    ):
        if abs(found - told) > 1e-6:
            raise ValueError(f"the games give {what} of {found:.3f}, not {told:.3f}")
    return record


def _check_complete(record: Mapping[str, Any], ladder: Ladder, players: int) -> None:
    """Raise ValueError unless a record contains every game of its rounds once."""
    games = record["games"]
    rounds = len(games) // (DEALS * players * len(ladder.rungs))
    wanted = {
        (rung, seed, seat)
        for number in range(rounds)
        for seed in _seeds(record["seed"], number)
        for rung in ladder.rungs
        for seat in range(players)
    }
    found = [_key(one) for one in games]
    if not rounds or len(found) != len(wanted) or set(found) != wanted:
        raise ValueError(
            f"the record's {len(games)} games aren't those of whole rounds from seed "
            f"{record['seed']} on: {DEALS} deals, from every seat against every rung, each once"
        )


def _key(game: Mapping[str, Any]) -> tuple[str, int, int]:
    return game["rung"], game["seed"], game["seat"]


def _rounds(games: list[dict[str, Any]]) -> Iterator[tuple[str, list[int]]]:
    """Yield the rungs with the seeds of their games."""
    for rung in dict.fromkeys(one["rung"] for one in games):
        yield rung, list(dict.fromkeys(one["seed"] for one in games if one["rung"] == rung))


def _replay(
    settings: Settings, own: Agent, games: list[dict[str, Any]], rung: str, seeds: list[int]
) -> None:
    """Play the games of some deals against a rung again; raise ValueError if one differs."""
    recorded = {_key(one): one for one in games}
    for other in _play(settings, own, rung, seeds):
        one = recorded[_key(other)]
        if one != other:
            raise ValueError(
                f"the game from seed {one['seed']} with the agent at seat {one['seat']} against "
                f"{rung} came out {other['scores']}, not {one['scores']}: the record is of another "
                "agent, or of one that doesn't play the same every time"
            )


def _play(settings: Settings, own: Any, rung: str, seeds: list[int]) -> list[dict[str, Any]]:
    """Play each deal from every seat."""
    players = settings.num_players
    seats = np.repeat(np.arange(players), len(seeds))
    seating = (np.arange(players) != seats[:, None]).astype(np.int64)
    agents = [own, make_agent(rung, settings.game)]
    scores, ranks, _ = Match(settings, agents, seating, seeds * players).play()
    return [
        {
            "rung": rung,
            "seed": seed,
            "seat": int(seat),
            "scores": scores[k].tolist(),
            "ranks": ranks[k].tolist(),
        }
        for k, (seed, seat) in enumerate(zip(seeds * players, seats, strict=True))
    ]


def _play_timed(
    settings: Settings, own: Agent, rung: str, seeds: list[int]
) -> tuple[list[dict[str, Any]], tuple[int, float]]:
    """Return the games, and the number and total time of the agent's decisions."""
    timed = _Timed(own)
    games = _play(settings, timed, rung, seeds)
    return games, (timed.decisions, timed.seconds)


def _check_played(played: Any, waiting: dict[str, tuple[str, list[int]]], players: int) -> None:
    """Check what an executor returned for ``_play_timed``; its rung is removed from ``waiting``.

    Raises:
        ValueError: it isn't the games of a rung that is waited for, and two numbers.
    """
    try:
        games, (decisions, seconds) = played
        rung, seeds = waiting.pop(games[0]["rung"])
        for one in games:
            check_fields(one, _GAME)
        wanted = [(rung, seed, seat) for seat in range(players) for seed in seeds]
        good = [(one["rung"], one["seed"], one["seat"]) for one in games] == wanted
        good = good and all(_has_result(one, players) for one in games)
        good = good and decisions >= 0 and math.isfinite(seconds)
    except (KeyError, IndexError, TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(
            f"the executor returned {played!r:.80}; it must return what the function returns: the "
            "games of a round against a rung"
        )


def _has_result(game: Mapping[str, Any], players: int) -> bool:
    """Return whether a game has a score and a rank of each player."""
    ranks = game["ranks"]
    whole = len(game["scores"]) == players == len(ranks) and ranks == true_ranks(ranks)
    return whole and are_results(game["scores"])


def _rating(ladder: Ladder, games: list[dict[str, Any]], players: int) -> Rating:
    names = [OWN, *ladder.rungs]
    played = [
        ([OWN if seat == one["seat"] else one["rung"] for seat in range(players)], one["ranks"])
        for one in games
    ]
    return rate(names, played, fixed=ladder.rungs)[OWN]


def _row(ladder: Ladder, rung: str, games: list[dict[str, Any]]) -> AgainstRung:
    mine = [one for one in games if one["rung"] == rung]
    first = [one for one in mine if one["ranks"][one["seat"]] == 1]
    wins = sum(one["ranks"].count(1) == 1 for one in first)
    low, high = wilson(wins, len(mine))
    return AgainstRung(
        rung=rung,
        rung_rating=ladder.rungs[rung].mu,
        games=len(mine),
        wins=wins,
        draws=len(first) - wins,
        low=low,
        high=high,
        score=sum(one["scores"][one["seat"]] for one in mine) / len(mine),
    )


class _Timed:
    """An agent whose decisions are counted and timed."""

    def __init__(self, agent: Agent):
        self._agent = agent
        self.decisions, self.seconds = 0, 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._agent, name)

    def __repr__(self) -> str:
        return repr(self._agent)  # errors name the agent

    def act(self, observations: Any, masks: Any, **more: Any) -> Any:
        """Ask the agent."""
        self.decisions += len(masks)
        start = perf_counter()
        actions = self._agent.act(observations, masks, **more)
        self.seconds += perf_counter() - start
        return actions
