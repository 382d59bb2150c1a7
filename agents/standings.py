"""The table of a league: ratings, results and their uncertainty."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ludotheque.envs.core.files import atomic_write_text

from .camps import Round
from .ledger import GameRecord
from .ratings import import_cli_extra, rate, wilson


@dataclass(frozen=True)
class LeagueRow:
    """One agent's results.

    Attributes:
        name: of the agent.
        rating: openskill's mu (25 is average).
        uncertainty: two sigma; the strength is within rating ± uncertainty.
        games: seats played; an agent in two seats of one game counts twice.
        wins: games ranked first alone.
        draws: games ranked first with others.
        losses: the other games.
        mean_score, mean_rank, mean_reward: over its games; 0 without any.
    """

    name: str
    rating: float
    uncertainty: float
    games: int
    wins: int
    draws: int
    losses: int
    mean_score: float
    mean_rank: float
    mean_reward: float


@dataclass(frozen=True)
class LeaguePair:
    """Results of ``name`` against ``other``, by their ranks in each game that both played.

    Attributes:
        games: comparisons; wins + draws + losses.
        points: share of wins, a draw being half (0.5 without games).
        low, high: Wilson 95 % interval of ``points``.
        win_low, win_high: Wilson 95 % interval of the share of wins alone.
    """

    name: str
    other: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    low: float
    high: float
    win_low: float
    win_high: float


@dataclass(frozen=True)
class LeagueCamp:
    """Results of an agent's camps, in games with camps (``Game.camps``).

    Attributes:
        name, camp: names of the agent and the camp.
        rounds: number of rounds that it ended in this camp; two seats count twice.
        wins: number of those that the camp won.
        share: wins / rounds (0.5 without rounds).
        low, high: Wilson 95 % interval of ``share``.
    """

    name: str
    camp: str
    rounds: int
    wins: int
    share: float
    low: float
    high: float


@dataclass(frozen=True)
class LeagueTable:
    """A league's results.

    Attributes:
        config: game, version, players, options, reward, seed and agents.
        games: number of games played.
        rows: best rating first.
        pairs: ``pairs[name][other]``, for all names in both orders.
        camps: rows of all agents in all camps; None for games without camps.
    """

    config: dict[str, Any]
    games: int
    rows: tuple[LeagueRow, ...]
    pairs: dict[str, dict[str, LeaguePair]]
    camps: tuple[LeagueCamp, ...] | None = None

    def row(self, name: str) -> LeagueRow:
        """Return the row of an agent; raise KeyError if it isn't in the league."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no agent {name!r}; there is: {', '.join(row.name for row in self.rows)}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain dicts, lists, strings and numbers."""
        names = [row.name for row in self.rows]
        camps = {} if self.camps is None else {"camps": [asdict(camp) for camp in self.camps]}
        return {
            **self.config,
            "games": self.games,
            "rating": "openskill PlackettLuce mu; uncertainty is two sigma",
            "rows": [asdict(row) for row in self.rows],
            "pairs": [
                asdict(self.pairs[name][other]) for name, other in itertools.permutations(names, 2)
            ],
            **camps,
        }

    def to_json(self) -> str:
        """Return ``to_dict`` as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | Path) -> None:
        """Write ``to_json`` to a file atomically."""
        atomic_write_text(path, self.to_json())

    def print(self, console: Any = None) -> None:
        """Print ratings, pairs and camps with rich, on ``console`` or standard output.

        Raises:
            ModuleNotFoundError: rich isn't installed.
        """
        console = console or import_cli_extra("rich.console").Console(highlight=False)
        console.print(self._ratings_table())
        console.print(self._pairs_table())
        if self.camps is not None:
            console.print(self._camps_table())

    def _ratings_table(self) -> Any:
        config = self.config
        players, games = config["num_players"], self.games
        title = f"{config['game']}, {players} players, {games} games; rating ± 2 sigma, means"
        names = ("rating", "games", "win", "draw", "loss", "score", "rank")
        table = _rich_table(title, ("agent", *names))
        for row in self.rows:
            counts = (row.wins, row.draws, row.losses)
            shares = [f"{count / row.games:.1%}" if row.games else "-" for count in counts]
            rating = f"{row.rating:.1f} ± {row.uncertainty:.1f}"
            means = (f"{row.mean_score:.2f}", f"{row.mean_rank:.2f}")
            table.add_row(_plain(row.name), rating, str(row.games), *shares, *means)
        return table

    def _pairs_table(self) -> Any:
        names = [row.name for row in self.rows]
        columns = ("agent", *map(_plain, names))
        table = _rich_table("points of row against column, 95 % interval, win-draw-loss", columns)
        for name in names:
            cells = (_cell(self.pairs[name].get(other)) for other in names)
            table.add_row(_plain(name), *cells)
        return table

    def _camps_table(self) -> Any:
        rows = self.camps or ()
        camps = {row.camp: None for row in rows}
        title = "rounds that the agent's camp won, 95 % interval, won of rounds"
        table = _rich_table(title, ("agent", *camps))
        for row in self.rows:
            own = {found.camp: found for found in rows if found.name == row.name}
            table.add_row(_plain(row.name), *(_camp_cell(own[camp]) for camp in camps))
        return table


def build_table(
    config: dict[str, Any],
    names: Sequence[str],
    games: Iterable[GameRecord],
    rounds_of: Callable[[GameRecord], Sequence[Round]] | None = None,
) -> LeagueTable:
    """Return the table of ``games``; the order of games and names doesn't matter.

    Args:
        config: the settings of the league.
        names: the names of all agents.
        games: the finished games.
        rounds_of: game → its rounds, for games with camps.

    Raises:
        ModuleNotFoundError: openskill isn't installed.
    """
    games = sorted(games, key=lambda game: game.key)
    names = sorted(names)
    ratings = rate(names, [(game.seats, game.ranks) for game in games])
    rows = [_row(name, ratings[name], games) for name in names]
    rows.sort(key=lambda row: (-row.rating, row.name))
    pairs = _pairs(names, games)
    camps = None
    if rounds_of is not None:
        camps = _camps([row.name for row in rows], [(g.seats, rounds_of(g)) for g in games])
    return LeagueTable(config, len(games), tuple(rows), pairs, camps)


def _row(name: str, rating: Any, games: Sequence[GameRecord]) -> LeagueRow:
    own = [(game, seat) for game in games for seat, who in enumerate(game.seats) if who == name]
    firsts = [game.ranks.count(1) for game, seat in own if game.ranks[seat] == 1]
    wins = firsts.count(1)
    return LeagueRow(
        name=name,
        rating=rating.mu,
        uncertainty=2 * rating.sigma,
        games=len(own),
        wins=wins,
        draws=len(firsts) - wins,
        losses=len(own) - len(firsts),
        mean_score=_mean([game.scores[seat] for game, seat in own]),
        mean_rank=_mean([game.ranks[seat] for game, seat in own]),
        mean_reward=_mean([game.rewards[seat] for game, seat in own]),
    )


def _pairs(names: Sequence[str], games: Sequence[GameRecord]) -> dict[str, dict[str, LeaguePair]]:
    counts = {pair: [0, 0, 0] for pair in itertools.permutations(names, 2)}
    for game in games:
        for one, two in itertools.permutations(range(len(game.seats)), 2):
            if game.seats[one] != game.seats[two]:
                behind = game.ranks[one] > game.ranks[two]
                level = game.ranks[one] == game.ranks[two]
                counts[game.seats[one], game.seats[two]][1 if level else 2 * behind] += 1
    pairs: dict[str, dict[str, LeaguePair]] = {name: {} for name in names}
    for (name, other), (wins, draws, losses) in counts.items():
        pairs[name][other] = _pair(name, other, wins, draws, losses)
    return pairs


def _pair(name: str, other: str, wins: int, draws: int, losses: int) -> LeaguePair:
    games = wins + draws + losses
    points = wins + draws / 2
    share = points / games if games else 0.5
    intervals = (*wilson(points, games), *wilson(wins, games))
    return LeaguePair(name, other, games, wins, draws, losses, share, *intervals)


def _camps(
    names: Sequence[str], games: Sequence[tuple[Sequence[str], Sequence[Round]]]
) -> tuple[LeagueCamp, ...]:
    counts: dict[tuple[str, str], list[int]] = {}
    for seats, rounds in games:
        for played in rounds:
            for name, camp in zip(seats, played.camps, strict=True):
                own = counts.setdefault((name, camp), [0, 0])
                own[0] += 1
                own[1] += camp == played.winner
    camps = sorted({camp for _, camp in counts})
    found = []
    for name, camp in itertools.product(names, camps):
        total, wins = counts.get((name, camp), (0, 0))
        share = wins / total if total else 0.5
        found.append(LeagueCamp(name, camp, total, wins, share, *wilson(wins, total)))
    return tuple(found)


def _mean(values: Sequence[float]) -> float:
    return float(sum(values) / len(values)) if values else 0.0


def _cell(pair: LeaguePair | None) -> str:
    if pair is None or not pair.games:
        return "-"
    counts = f"{pair.wins}-{pair.draws}-{pair.losses}"
    return f"{pair.points:.0%} ({pair.low:.0%} to {pair.high:.0%})\n{counts}"


def _camp_cell(camp: LeagueCamp) -> str:
    if not camp.rounds:
        return "-"
    return f"{camp.share:.0%} ({camp.low:.0%} to {camp.high:.0%})\n{camp.wins} of {camp.rounds}"


def _rich_table(title: str, columns: Sequence[Any]) -> Any:
    table = import_cli_extra("rich.table").Table(title=title, title_justify="left")
    for number, column in enumerate(columns):
        # Long names, such as paths of models, are wrapped and never cut.
        table.add_column(column, justify="right" if number else "left", overflow="fold")
    return table


def _plain(name: str) -> Any:
    # Names may hold square brackets, which rich would read as markup.
    return import_cli_extra("rich.text").Text(name)
