"""Evaluation of a learner in matches from every seat, on the same deals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludotheque.envs.core.interfaces.settings import Settings

from ..base import Agent
from ..match import Match
from ..ratings import wilson
from ..specs import make_agent

# Stands for the opponent in a solo game.
ALONE = "alone"


@dataclass(frozen=True)
class Evaluation:
    """Results of the learner against one kind of opponent, equally often in each seat.

    Attributes:
        steps: the learner's decisions in training so far.
        opponent: name of the agent in all other seats.
        games: number of games.
        wins, draws, losses: sole first place; shared first place; the rest. In solo games, a win
            means that the goal was reached.
        win_rate: wins / games.
        low, high: 95 % interval of the win rate (Wilson 1927).
        wins_by_seat: wins in each seat.
        score: the learner's mean score.
        seconds: duration of training so far.
    """

    steps: int
    opponent: str
    games: int
    wins: int
    draws: int
    losses: int
    win_rate: float
    low: float
    high: float
    wins_by_seat: tuple[int, ...]
    score: float = 0.0
    seconds: float = 0.0


def evaluate(
    agent: Agent, opponent: str | Agent, settings: Settings, games: int, seed: int
) -> Evaluation:
    """Play ``games`` games (the same number per seat) of ``agent`` against ``opponent``.

    The same deals are played from every seat. In solo games, ``opponent`` is only a label.
    """
    players = settings.num_players
    each = -(-games // players)
    seeds = np.random.default_rng(seed).integers(0, 1 << 64, each, np.uint64, endpoint=False)
    agents = [agent] if players == 1 else [agent, make_agent(opponent, settings.game)]
    # Game k: the agent, number 0, at seat k // each; the opponent, number 1, at all others.
    seats = np.repeat(np.arange(players), each)
    seating = (np.arange(players) != seats[:, None]).astype(np.int64)
    scores, ranks, _ = Match(settings, agents, seating, np.tile(seeds, players).tolist()).play()
    own = np.arange(len(seats)), seats
    first = ranks[own] == 1
    shared = (ranks == 1).sum(axis=1) > 1
    wins = (first & ~shared).reshape(players, each).sum(axis=1)
    won, total = int(wins.sum()), len(seats)
    low, high = wilson(won, total)
    return Evaluation(
        steps=0,
        opponent=str(getattr(opponent, "name", opponent)),
        games=total,
        wins=won,
        draws=int((first & shared).sum()),
        losses=int((~first).sum()),
        win_rate=won / total,
        low=low,
        high=high,
        wins_by_seat=tuple(wins.tolist()),
        score=float(scores[own].sum(dtype=np.float64)) / total,
    )
