"""Ratings with uncertainties, and confidence intervals of proportions.

Ratings are openskill's Plackett-Luce model (Weng and Lin, "A Bayesian approximation method for
online ranking", JMLR 2011): each agent's strength is a normal distribution (mu, sigma), updated
game by game. The update depends on the order of the games, so the games are rated in several
shuffled orders, each from the start, and the results are averaged. The shuffles are fixed, so
ratings depend on the set of games only. ``tau`` is 0, since agents don't change, so sigma keeps
shrinking.

Reliability of sigma: in simulated leagues of four agents (50 to 1000 games per pair), averaged
ratings varied by a third to a half of it, so an interval of two sigma is conservative. An agent
that wins every game has no finite strength; its rating keeps rising slowly with more games.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

Z_95 = 1.959963984540054
_PASSES = 20
_UPDATES = 50_000


class Rating(NamedTuple):
    """Strength as a normal distribution; 25 is the average of all agents."""

    mu: float
    sigma: float


def rate(
    names: Sequence[str],
    games: Sequence[tuple[Sequence[str], Sequence[float]]],
    fixed: Mapping[str, Rating] | None = None,
) -> dict[str, Rating]:
    """Return the rating of each name.

    Ratings are meaningful over many games. In a single game, openskill's handling of ties can look
    odd: if two of five share a victory, the third gains more than they do (26.6 versus 26.0).

    Args:
        names: all agents; those without games keep the prior (25, 25/3).
        games: for each game the players by seat, and their ranks (1 is best, ties share). A name at
            several seats counts as several equal players, whose changes are averaged.
        fixed: known ratings that don't change.

    Raises:
        ModuleNotFoundError: openskill isn't installed.
    """
    model = import_cli_extra("openskill.models").PlackettLuce(tau=0.0)
    rng = np.random.default_rng(0)
    mus, variances = [], []
    for _ in range(passes_for(len(games))):
        known = {name: model.rating(*rating) for name, rating in (fixed or {}).items()}
        ratings = {name: model.rating() for name in names} | known
        for k in rng.permutation(len(games)).tolist():
            _update(model, ratings, *games[k])
            ratings |= known
        mus.append([ratings[name].mu for name in names])
        variances.append([ratings[name].sigma ** 2 for name in names])
    # The uncertainty includes what the choice of shuffles leaves in the average.
    variance = np.mean(variances, axis=0) + np.var(mus, axis=0) / len(mus)
    mu, sigma = np.mean(mus, axis=0).tolist(), np.sqrt(variance).tolist()
    return {name: Rating(mu[k], sigma[k]) for k, name in enumerate(names)}


def passes_for(games: int) -> int:
    """Return the number of orders in which games are rated: 20, fewer from 2,500 games on."""
    return max(4, min(_PASSES, _UPDATES // max(games, 1)))


def _update(model: Any, ratings: dict[str, Any], players: Sequence[str], ranks: Sequence) -> None:
    rated = model.rate([[ratings[name]] for name in players], ranks=[float(r) for r in ranks])
    if len(set(players)) == len(players):
        for name, (new,) in zip(players, rated, strict=True):
            ratings[name] = new
        return
    for name in set(players):
        own = [new for other, (new,) in zip(players, rated, strict=True) if other == name]
        ratings[name] = model.rating(
            mu=sum(new.mu for new in own) / len(own),
            sigma=sum(new.sigma for new in own) / len(own),
        )


def wilson(points: float, games: int, z: float = Z_95) -> tuple[float, float]:
    """Return the Wilson score interval (95 % by default) of a proportion.

    Args:
        points: successes; a draw may count as half, which makes the interval wider than necessary.
        games: trials; without any, the interval is (0, 1).

    Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference",
        JASA 1927.
    """
    if games == 0:
        return 0.0, 1.0
    share = points / games
    centre = share + z * z / (2 * games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    # At 0 and 1, rounding may put the bounds slightly beyond the proportion itself.
    low = 0.0 if points <= 0 else (centre - half) / scale
    high = 1.0 if points >= games else (centre + half) / scale
    return low, high


def import_cli_extra(module: str) -> Any:
    """Return a module of the extra [cli].

    Raises:
        ModuleNotFoundError: it isn't installed; the message explains how to.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        raise ModuleNotFoundError(
            f'a league needs {name}, not installed. Try: pip install "ludotheque[cli]"', name=name
        ) from error
