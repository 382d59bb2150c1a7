"""Edited pickles of environments: refused, or harmless.

Kernels write to the arrays of an environment without checking their sizes.
"""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from pickles import edited

from ludotheque.envs import make_batch, sarena_v0
from ludotheque.envs.core.errors import StateError
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.interfaces.replay import Replay


def make_sb3():
    pytest.importorskip("stable_baselines3")
    from ludotheque.agents.sb3 import SeatVecEnv

    return SeatVecEnv("sarena", 4, 3, history=2, opponents=["greedy", "random", "random"])


USUAL = {"num_players": 3, "history": 2}
# An environment, and the object in it with the arrays that kernels write to.
KINDS = {
    "AEC": (lambda: sarena_v0.env(**USUAL), lambda env: env),
    "parallel": (lambda: sarena_v0.parallel_env(**USUAL), lambda env: env.aec_env),
    "batch": (lambda: make_batch("sarena", 4, keep_final=True, **USUAL), lambda env: env),
    "seat": (lambda: SeatEnv("sarena", **USUAL), lambda env: env._batch),
    "vector": (lambda: SeatVectorEnv("sarena", 4, **USUAL), lambda env: env._batch),
    "SB3": (make_sb3, lambda env: env._batch),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def begun(kind: str, played: bool = True):
    make, holder = KINDS[kind]
    env = make()
    if played:
        env.reset() if kind == "SB3" else env.reset(seed=3)
    return env, holder(env)


def arrays_of(part) -> dict[str, np.ndarray]:
    # The buffer of ``observations`` isn't pickled twice.
    found = {name: value for name, value in vars(part).items() if name not in ("_flat", "options")}
    return {name: value for name, value in found.items() if isinstance(value, np.ndarray)}


@kinds
@pytest.mark.parametrize("played", [True, False], ids=["in a game", "before the first reset"])
def test_arrays_of_another_size_or_type_are_refused(kind, played):
    env, part = begun(kind, played)
    arrays = {name: array for name, array in arrays_of(part).items() if name not in part._DERIVED}
    assert len(arrays) >= 4
    for name, array in arrays.items():
        other = np.zeros(array.shape, np.float64 if array.dtype != np.float64 else np.int8)
        longer, deeper = np.concatenate([array, array]), array[None]
        for wrong in (array[:-1], array[:0], longer, deeper, other, array.astype(object), 7):
            with pytest.raises(StateError):
                pickle.loads(edited(env, part, **{name: wrong}))


@kinds
def test_arrays_that_are_scattered_or_read_only_are_put_in_order(kind):
    env, part = begun(kind)
    for name, array in arrays_of(part).items():
        scattered = np.repeat(array, 2, axis=0)[::2]
        closed = array.copy()
        closed.flags.writeable = False
        for changed in (scattered, closed):
            twin = pickle.loads(edited(env, part, **{name: changed}))
            assert vars(KINDS[kind][1](twin))[name].flags.carray, name
            assert twin.state_digest() == env.state_digest()
            assert play_on(kind, twin) == play_on(kind, pickle.loads(pickle.dumps(env)))


def play_on(kind: str, env) -> str:
    """Play some plies and return a digest."""
    for _ in range(4):
        if kind in ("AEC", "parallel"):
            agent = env.agent_selection
            turns = env if kind == "AEC" else env.aec_env
            action = int(turns.observe(agent)["action_mask"].argmax())
            env.step(action if kind == "AEC" else {agent: action})
        elif kind == "seat":
            env.step(int(env.action_masks().argmax()))
        elif kind == "SB3":
            env.step(env.action_masks().argmax(axis=1))
        else:
            env.step(env.random_actions())
    return env.state_digest()


@kinds
def test_what_follows_from_the_arguments_is_worked_out_anew(kind):
    """Options tell ``setup`` how many play; numbers and seats are where kernels look."""
    env, part = begun(kind)
    settings, wanted = env.aec_env.settings if kind == "parallel" else env.settings, play_on
    changes = {
        "options": np.array([100, 100], np.int64),
        "rule": (7, "x", None),
        "reward_code": 99,
        "observation_size": 2,
        "observation_shape": (1, 1),
    }
    twin = pickle.loads(edited(env, settings, **changes))
    assert wanted(kind, twin) == wanted(kind, pickle.loads(pickle.dumps(env)))
    for name in part._DERIVED:
        twin = pickle.loads(edited(env, part, **{name: ["nobody"] * 99}))
        assert wanted(kind, twin) == wanted(kind, pickle.loads(pickle.dumps(env)))
    for name, wrong in {
        "num_players": 9,
        "game": "chess",
        "observation": "none",
        "reward": None,
        "illegal": 3,
        "illegal_reward": float("nan"),
        "named_options": {"deal": "none"},
        "history": 2000,
    }.items():
        with pytest.raises(StateError, match="this pickle holds no"):
            pickle.loads(edited(env, settings, **{name: wrong}))


@kinds
def test_another_number_of_players_is_refused(kind):
    for played in (True, False):
        env, _ = begun(kind, played)
        settings = env.aec_env.settings if kind == "parallel" else env.settings
        for num_players in (2, 4):
            with pytest.raises(StateError):
                pickle.loads(edited(env, settings, num_players=num_players))


@pytest.mark.parametrize("kind", ["batch", "seat", "vector", "SB3"])
def test_numbers_of_games_that_differ_are_refused(kind):
    """An action is read for each game."""
    for played in (True, False):
        env, part = begun(kind, played)
        for count in (1, 3, 5, 10**9, 0, -1, None):
            if count != part.num_envs:
                with pytest.raises(StateError):
                    pickle.loads(edited(env, part, num_envs=count))
                if kind in ("vector", "SB3"):
                    with pytest.raises(StateError):
                        pickle.loads(edited(env, env, num_envs=count))
    env, part = begun("seat")
    many, _ = begun("vector")
    with pytest.raises(StateError, match="the games of a pickle aren't 1"):
        pickle.loads(edited(env, env, _batch=many._batch))


@kinds
def test_a_torn_game_is_not_looked_at_before_the_next_reset(kind):
    env, part = begun(kind)
    part._whole = False
    states = "_states" if kind in ("AEC", "parallel") else "states"
    torn = vars(part)[states].copy()
    for name in torn.dtype.names:
        if name != "seed":
            torn[name] = 100
    twin = pickle.loads(edited(env, part, **{states: torn}))
    inner = KINDS[kind][1](twin)
    assert inner._whole is False and not (vars(inner)[states]["to_play"] == 100).any()
    twin.reset()
    env.reset()
    assert play_on(kind, twin) == play_on(kind, env), "the seed goes on"


def test_a_vector_of_a_pickle_is_played_by_somebody():
    env = SeatVectorEnv("sarena", 4, 2, opponents="greedy", seat=0)
    env.reset(seed=1)
    batch = env._batch
    nobody = np.zeros_like(batch._agent_of)
    with pytest.raises(StateError, match="is played by nobody"):
        pickle.loads(edited(env, batch, _agent_of=nobody))
    far = np.full_like(batch.learner, 7)
    with pytest.raises(StateError, match="learner"):
        pickle.loads(edited(env, batch, learner=far))


def test_a_learner_plays_no_other_seat():
    """It would get the mask of the seat to play, and move for it."""
    for seat, told in (
        ("random", "learner of game 0 is [01], but"),
        (0, r"sits at \[1\].*seat is 0"),
    ):
        env = SeatVectorEnv("sarena", 4, 2, opponents="random", seat=seat)
        env.reset(seed=1)
        saved = env.get_state()
        other = {**saved, "learner": 1 - saved["learner"]}
        before, learner = env._batch.states.copy(), env._batch.learner.copy()
        with pytest.raises(StateError, match=told):
            env.set_state(other)
        assert (env._batch.states == before).all() and (env._batch.learner == learner).all()


def test_a_state_of_another_fixed_seat_is_refused():
    """Its opponents have other seats: one of them would be played at random."""
    settings = {"num_players": 3, "opponents": ["greedy", "greedy"]}
    envs = [gymnasium.make("ludotheque/Saga-v1", seat=seat, **settings) for seat in (0, 1)]
    first, second = (env.unwrapped for env in envs)
    first.reset(seed=1)
    second.reset(seed=3)
    with pytest.raises(StateError, match=r"sits at \[1\].*seat is 0"):
        first.set_state(second.get_state())
    second.set_state(second.get_state())


def test_a_replay_of_a_pickle_is_looked_at():
    replay = Replay.record("sarena", 2, 5, [])
    assert pickle.loads(pickle.dumps(replay)) == replay
    for changes in ({"agents": ["\x1b[2J", "b"]}, {"actions": [None]}, {"game": "chess"}):
        with pytest.raises(StateError):
            pickle.loads(edited(replay, replay, **changes))
