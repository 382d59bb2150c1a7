"""From scores and ranks to rewards, for any number of seats, ties and forfeits included."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludotheque.envs.core.rewards import (
    RANK,
    REWARDS,
    SCORE_CHANGE,
    WIN,
    forfeit_ranks,
    rank_in_place,
    utilities,
)


def paid(reward: str, scores, ranks) -> list[float]:
    out = np.full(len(scores), 99, np.float32)
    scores, ranks = np.array(scores, np.float32), np.array(ranks, np.int64)
    utilities(REWARDS.index(reward), scores, ranks, len(scores), out)
    return out.tolist()


@pytest.mark.parametrize(
    ("reward", "ranks", "expected"),
    [
        ("rank", [1, 2], [1, -1]),
        ("rank", [1, 1], [0, 0]),
        ("rank", [3, 1, 2], [-1, 1, 0]),
        ("rank", [1, 1, 3], [0.5, 0.5, -1]),
        ("rank", [1, 2, 2], [1, -0.5, -0.5]),
        ("rank", [1, 1, 1], [0, 0, 0]),
        ("rank", [4, 1, 2, 2], [-1, 1, 0, 0]),
        ("rank", [1, 2, 3, 4, 5], [1, 0.5, 0, -0.5, -1]),
        ("win", [2, 1], [-1, 1]),
        ("win", [1, 1], [0, 0]),
        ("win", [1, 2, 3], [1, -0.5, -0.5]),
        ("win", [1, 3, 1], [0.5, -1, 0.5]),
        ("win", [1, 1, 1, 1], [0, 0, 0, 0]),
        ("win", [2, 1, 4, 3], [-1 / 3, 1, -1 / 3, -1 / 3]),
    ],
)
def test_by_rank(reward, ranks, expected):
    assert paid(reward, [0] * len(ranks), ranks) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("reward", "scores", "expected"),
    [
        ("score", [3, 8], [3, 8]),
        ("margin", [3, 8], [-5, 5]),
        ("margin", [4, 9, 7], [-5, 2, -2]),
        ("margin", [5, 5, 1], [0, 0, -4]),
    ],
)
def test_by_score(reward, scores, expected):
    assert paid(reward, scores, [1] * len(scores)) == expected


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("rank", "goal"), [(1, 1.0), (2, -1.0)])
def test_one_seat(reward, rank, goal):
    """A solo game: the goal is reached or not, or the score is what counts."""
    assert paid(reward, [7], [rank]) == [goal if reward in ("rank", "win") else 7]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_every_ranking_adds_up_to_nothing(count):
    for keys in itertools.product(range(3), repeat=count):
        ranks = np.array(keys, np.int64)
        rank_in_place(ranks, count)
        for reward in ("rank", "win"):
            rewards = paid(reward, keys, ranks)
            assert sum(rewards) == pytest.approx(0, abs=1e-6)
            best = max(rewards)
            assert all((r == best) == (k == 1) for r, k in zip(rewards, ranks, strict=True))


def test_ranks_share_places_and_skip():
    for keys in itertools.product((-5, 0, 7, 10**12), repeat=4):
        ranks = np.array(keys, np.int64)
        rank_in_place(ranks, 4)
        assert ranks.tolist() == [1 + sum(other > key for other in keys) for key in keys]


def test_ranks_of_some_seats_only():
    ranks = np.array([3, 9, 100], np.int64)
    rank_in_place(ranks, 2)
    assert ranks.tolist() == [2, 1, 100]


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_who_forfeits_is_last(count):
    for seat in range(count):
        scores, ranks = np.full(count, 5, np.float32), np.zeros(count, np.int64)
        forfeit_ranks(seat, count, scores, ranks)
        assert scores.tolist() == [0] * count
        assert ranks.tolist() == [max(count, 2) if other == seat else 1 for other in range(count)]
        assert paid("rank", scores, ranks)[seat] == -1
        assert paid("win", scores, ranks)[seat] == -1


def test_codes_are_places_in_the_list():
    assert (REWARDS[RANK], REWARDS[WIN], REWARDS[SCORE_CHANGE]) == ("rank", "win", "score_change")
    assert RANK < WIN < 2, "those that are paid by rank come first"
