"""Losing by an illegal action is the same in every interface, even outside the action space."""

from __future__ import annotations

import numpy as np
import pytest

from ludotheque.envs import make_batch, sarena_v0
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv

PLIES, SEED = 4, 5
RULES = {"num_players": 2, "illegal": "lose", "reward": "margin"}
# The outcome: the loser's reward, whether the game is over, and the digest of the record.
Lost = tuple[float, bool, str]


class Last:
    """Plays the legal action with the largest number, as all do before."""

    name = "last"

    def act(self, observations, masks, *, states=None, seeds=None):
        return np.array([last(mask) for mask in masks])


def last(mask: np.ndarray) -> int:
    return int(np.flatnonzero(mask)[-1])


def turn_by_turn(bad) -> Lost:
    env = sarena_v0.env(**RULES)
    env.reset(seed=SEED)
    for _ in range(PLIES):
        env.step(last(env.observe(env.agent_selection)["action_mask"]))
    loser = env.agent_selection
    env.step(bad(env.observe(loser)["action_mask"]))
    return env.rewards[loser], env.terminations[loser], env.state_digest()


def parallel(bad) -> Lost:
    env = sarena_v0.parallel_env(**RULES)
    seen, _ = env.reset(seed=SEED)
    for ply in range(PLIES + 1):
        masks = {agent: seen[agent]["action_mask"] for agent in env.agents}
        loser = max(masks, key=lambda agent: masks[agent].any())  # whose turn it is
        choose = bad if ply == PLIES else last
        actions = {agent: choose(masks[agent]) if agent == loser else 0 for agent in env.agents}
        seen, rewards, over, _, _ = env.step(actions)
    return rewards[loser], over[loser], env.state_digest()


def batch(bad) -> Lost:
    env = make_batch("sarena", 1, autoreset=False, **RULES)
    env.reset(SEED)
    for _ in range(PLIES):
        env.step(np.array([last(env.action_masks[0])]))
    loser = env.to_play[0]
    env.step(np.array([bad(env.action_masks[0])]))
    return env.rewards[0, loser], env.terminated[0], env.state_digest(0)


def one_seat(bad) -> Lost:
    env = SeatEnv("sarena", opponents=Last(), seat=1, **RULES)
    seen, _ = env.reset(seed=SEED)
    for _ in range(PLIES // 2):
        seen, *_ = env.step(last(seen["action_mask"]))
    _, reward, over, _, _ = env.step(bad(seen["action_mask"]))
    return reward, over, env.state_digest()


def native_vector(bad) -> Lost:
    env = SeatVectorEnv("sarena", 1, opponents=Last(), seat=1, **RULES)
    seen, _ = env.reset(seed=SEED)
    for _ in range(PLIES // 2):
        seen, *_ = env.step(np.array([last(seen["action_mask"][0])]))
    _, rewards, over, _, _ = env.step(np.array([bad(seen["action_mask"][0])]))
    return rewards[0], over[0], ""


def sb3(bad) -> Lost:
    pytest.importorskip("stable_baselines3")
    from ludotheque.agents.sb3 import SeatVecEnv

    env = SeatVecEnv("sarena", 1, opponents=Last(), seat=1, **RULES)
    env.seed(SEED)
    env.reset()
    for _ in range(PLIES // 2):
        env.step(np.array([last(env.action_masks()[0])]))
    _, rewards, over, _ = env.step(np.array([bad(env.action_masks()[0])]))
    return rewards[0], over[0], ""


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(lambda mask: int(np.argmin(mask)), id="illegal here"),
        pytest.param(lambda mask: len(mask), id="one too high"),
        pytest.param(lambda mask: -1, id="negative"),
        pytest.param(lambda mask: 2**40, id="huge"),
    ],
)
def test_the_same_is_lost_in_every_interface(bad):
    reward, over, digest = turn_by_turn(bad)
    assert reward < 0 and over
    for play in (parallel, batch, one_seat, native_vector, sb3):
        found = play(bad)
        assert found[:2] == (reward, over), play.__name__
        assert found[2] in (digest, ""), play.__name__
