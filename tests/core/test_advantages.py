"""Advantages along each seat's own decisions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ludotheque.envs import make_batch, seat_advantages


def slowly(rewards, dones, to_play, values, gamma, gae_lambda):
    """The definition, decision by decision and forward in time."""
    plies, envs, _ = rewards.shape
    wanted = np.zeros((plies, envs))
    for i in range(envs):
        for t in range(plies):
            seat, at, weight = to_play[t, i], t, 1.0
            while True:
                earned, after, over = 0.0, at, False
                while True:
                    earned += rewards[after, i, seat]
                    over = dones[after, i]
                    after += 1
                    if over or after == plies or to_play[after, i] == seat:
                        break
                known = not over and to_play[after, i] == seat
                worth = 0.0 if over else values[after, i] if known else None
                value = values[at, i]
                delta = earned if worth is None else earned + gamma * worth - value
                wanted[t, i] += weight * delta
                if over or after == plies:
                    break
                at, weight = after, weight * gamma * gae_lambda
    return wanted


@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(0, 12), st.integers(1, 3), st.integers(1, 4)),
    gamma=st.sampled_from([0.0, 0.9, 1.0]),
    gae_lambda=st.sampled_from([0.0, 0.95, 1.0]),
)
@hypothesis_settings(max_examples=200, deadline=None)
def test_as_by_definition(seed, shape, gamma, gae_lambda):
    rng = np.random.default_rng(seed)
    plies, envs, players = shape
    rewards = rng.normal(size=shape).astype(np.float32)
    dones = rng.random((plies, envs)) < 0.2
    to_play = rng.integers(players, size=(plies + 1, envs))
    values = rng.normal(size=(plies + 1, envs)).astype(np.float32)
    given_ = rewards, dones, to_play, values
    advantages, returns = seat_advantages(*given_, gamma=gamma, gae_lambda=gae_lambda)
    wanted = slowly(*given_, gamma, gae_lambda)
    np.testing.assert_allclose(advantages, wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(returns, wanted + values[:-1], rtol=1e-4, atol=1e-4)
    assert advantages.dtype == returns.dtype == np.float32


@pytest.mark.parametrize("num_players", [2, 3])
def test_returns_of_a_whole_game_are_its_results(num_players):
    """Undiscounted, with lambda 1 and values of 0, each decision's return is its seat's result."""
    batch = make_batch("sarena", 16, num_players, reward="rank")
    batch.reset(3)
    rewards, dones, to_play = [], [], [batch.to_play.copy()]
    while len(dones) < 60 or not all(np.any(dones, axis=0)):
        batch.step(batch.random_actions())
        rewards.append(batch.rewards.copy())
        dones.append(batch.terminated | batch.truncated)
        to_play.append(batch.to_play.copy())
    _, returns = seat_advantages(
        rewards, dones, to_play, np.zeros((len(dones) + 1, 16)), gae_lambda=1.0
    )
    for i in range(16):
        end = int(np.argmax([done[i] for done in dones]))
        results = rewards[end][i]
        for t in range(end + 1):
            assert returns[t, i] == results[to_play[t][i]]


GOOD = {
    "rewards": np.zeros((4, 2, 3)),
    "dones": np.zeros((4, 2), bool),
    "to_play": np.zeros((5, 2), int),
    "values": np.zeros((5, 2)),
}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rewards": np.zeros((4, 2))}, r"rewards have shape \(4, 2\); give \(plies, num_envs"),
        ({"dones": np.zeros((5, 2), bool)}, r"dones has shape \(5, 2\).*require \(4, 2\)$"),
        ({"values": np.zeros((4, 2))}, r"values has shape \(4, 2\).*\(5, 2\) \(one more row"),
        ({"to_play": np.zeros((4, 2), int)}, r"to_play has shape \(4, 2\).*one more row"),
        (
            {"to_play": np.full((5, 2), 3)},
            "to_play has seats 3 to 3; rewards are of seats 0 to 2",
        ),
        ({"to_play": np.full((5, 2), -1)}, "seats -1 to -1"),
        ({"to_play": np.zeros((5, 2))}, "to_play holds float64; give integers"),
        ({"values": np.full((5, 2), np.nan)}, "values holds numbers that aren't finite"),
        ({"gamma": 1.1}, "gamma is 1.1; give a number from 0 to 1"),
        ({"gae_lambda": float("nan")}, "gae_lambda is nan"),
    ],
)
def test_what_does_not_fit_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        seat_advantages(**{**GOOD, **wrong})
