"""Adapters for libraries that aren't dependencies, as far as they work without them."""

from __future__ import annotations

import copy
import pickle
from importlib.util import find_spec

import gymnasium
import numpy as np
import pytest

from ludotheque.agents.rllib import LegalDiscrete, RLlibVectorEnv, rllib_aec
from ludotheque.envs import game_names
from ludotheque.envs.core.interfaces.gym import SeatVectorEnv


@pytest.mark.skipif(find_spec("torchrl") is not None, reason="torchrl is installed")
def test_without_torchrl_the_module_says_what_is_missing():
    with pytest.raises(ModuleNotFoundError, match='pip install "torchrl==0.14.1"'):
        import ludotheque.agents.torchrl  # noqa: F401


@pytest.mark.skipif(find_spec("pyspiel") is not None, reason="open_spiel is installed")
def test_without_open_spiel_the_package_says_what_is_missing():
    with pytest.raises(ModuleNotFoundError, match="needs open_spiel. Try: pip install"):
        import ludotheque.openspiel  # noqa: F401


# RLlib


@pytest.mark.parametrize("game", game_names())
def test_samples_of_rllibs_action_space_are_legal(game):
    """RLlib's check plays one of the first seat's, whatever the rule for illegal actions."""
    env = rllib_aec(game)
    for seed in range(5):
        env.reset(seed=seed)
        acting = env.agent_selection
        legal = env.observe(acting)["action_mask"]
        space = env.action_space(acting)
        assert space is env.action_space(acting)
        assert all(legal[space.sample()] for _ in range(10))
        env.step(int(space.sample()))


def test_elsewhere_it_is_a_plain_space():
    mask = np.zeros(4, np.int8)
    space = LegalDiscrete(4, lambda: mask)
    assert {int(space.sample()) for _ in range(100)} == {0, 1, 2, 3}
    mask[2] = 1
    assert space.sample() == 2
    assert space.sample(np.array([0, 1, 0, 0], np.int8)) == 1
    for twin in (copy.deepcopy(space), pickle.loads(pickle.dumps(space))):
        assert type(twin) is gymnasium.spaces.Discrete and twin == space


def test_rllibs_vector_environment_plays_the_native_one():
    native = SeatVectorEnv("sarena", 6, opponents="random")
    renamed = RLlibVectorEnv("sarena", 6, opponents="random")
    seen, _ = native.reset(seed=2)
    other, infos = renamed.reset(seed=2)
    for _ in range(30):
        assert infos == {} and renamed.observation_space.contains(other)
        assert other["observations"].dtype == other["action_mask"].dtype == np.float32
        assert np.array_equal(seen["observation"], other["observations"])
        assert np.array_equal(seen["action_mask"], other["action_mask"])
        actions = native.random_actions()
        seen, *rest, _ = native.step(actions)
        other, *others, infos = renamed.step(actions)
        assert all(np.array_equal(one, two) for one, two in zip(rest, others, strict=True))
    with pytest.raises(ValueError, match="history is 2"):
        RLlibVectorEnv("sarena", history=2)
