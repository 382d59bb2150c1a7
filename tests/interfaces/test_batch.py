"""Batches of games, all seats played by the caller: the same games as everywhere else."""

from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from numba.core import event

from ludotheque.envs import (
    GameOverError,
    IllegalActionError,
    OutOfBoundsActionError,
    StateError,
    get_game,
    make_batch,
    sarena_v0,
)
from ludotheque.envs.core.interfaces import batch as interfaces
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.envs.core.rng import next_seed

GAME = get_game("sarena")
OUTPUTS = (
    "observations",
    "action_masks",
    "to_play",
    "rewards",
    "terminated",
    "truncated",
    "scores",
    "ranks",
)


def outputs(batch) -> dict[str, np.ndarray]:
    return {name: getattr(batch, name).copy() for name in OUTPUTS}


def assert_same_outputs(one: dict, other: dict, rows=slice(None)) -> None:
    for name in OUTPUTS:
        np.testing.assert_array_equal(one[name][rows], other[name], err_msg=name)


def digests(states) -> list[str]:
    return [GAME.digest(states, i) for i in range(len(states))]


def run(batch, steps: int, seed: int = 0) -> list[str]:
    """Play the batch's own random actions; return the digests after each step."""
    batch.reset(seed)
    seen = []
    for _ in range(steps):
        batch.step(batch.random_actions())
        seen.append(batch.state_digest())
    return seen


# One seed is one game


@given(
    seed=st.integers(0, 2**64 - 2),
    picks=st.lists(st.integers(0, 2**16), min_size=1, max_size=50),
    num_players=st.sampled_from([2, 3, 4]),
    deal=st.sampled_from(["random", "balanced"]),
)
@hypothesis_settings(max_examples=60, deadline=None)
def test_one_seed_is_one_game_everywhere(seed, picks, num_players, deal):
    """Single records, AEC, parallel and batch, driven by the same picks among the legal actions."""
    states = GAME.new_state(seed, num_players, deal=deal)
    turns = sarena_v0.env(num_players=num_players, deal=deal)
    parallel = sarena_v0.parallel_env(num_players=num_players, deal=deal)
    batch = make_batch("sarena", 2, num_players, deal=deal, autoreset=False)
    turns.reset(seed=seed)
    parallel.reset(seed=seed)
    batch.reset([seed + 1, seed])
    for pick in picks:
        legal = np.flatnonzero(GAME.legal_mask(states))
        if not len(legal) or batch.terminated[0]:
            break
        action = int(legal[pick % len(legal)])
        GAME.step(states, action)
        turns.step(action)
        parallel.step({parallel.agent_selection: action})
        other = np.flatnonzero(batch.action_masks[0])
        batch.step(np.array([other[pick % len(other)], action]))
        digest = GAME.digest(states)
        assert turns.state_digest() == digest
        assert parallel.state_digest() == digest
        assert batch.state_digest(1) == digest


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_one_seed_is_one_game_against_random_opponents(num_players):
    """Random opponents draw from seed and ply, like the batch's random actions."""
    batch = make_batch("sarena", 3, num_players, autoreset=False)
    single = SeatEnv("sarena", num_players)
    vector = SeatVectorEnv("sarena", 3, num_players)
    batch.reset(40)
    single.reset(seed=42)
    vector.reset(seed=40)
    saved = vector.get_state()["states"]
    assert GAME.digest(saved, 2) == single.state_digest()
    for i in range(3):
        wanted = GAME.digest(saved, i)
        for _ in range(num_players):
            if batch.state_digest(i) == wanted:
                break
            batch.step(batch.random_actions())
        else:
            raise AssertionError(f"game {i} is another one")
        batch.reset(40)


@pytest.mark.parametrize("arguments", [{}, {"num_players": 4, "observation": "planes"}], ids=str)
def test_any_size_and_any_number_of_threads(arguments):
    reference = make_batch("sarena", 13, **arguments)
    reference.reset(100)
    others = [
        (make_batch("sarena", stop - start, num_threads=threads, **arguments), start, stop)
        for start, stop, threads in [(0, 1, 1), (0, 13, 2), (3, 10, 4), (12, 13, 3), (0, 13, 50)]
    ]
    for batch, start, _ in others:
        batch.reset(100 + start)
    for _ in range(80):
        actions = reference.random_actions()
        reference.step(actions)
        for batch, start, stop in others:
            assert np.array_equal(batch.random_actions(), actions[start:stop])
            batch.step(actions[start:stop])
            assert_same_outputs(outputs(reference), outputs(batch), slice(start, stop))
    for batch, start, stop in others:
        assert digests(batch.states) == digests(reference.states)[start:stop]


def test_another_process_plays_the_same_games(run_python):
    code = (
        "from ludotheque.envs import make_batch\n"
        "batch = make_batch('sarena', 257, 3, num_threads=2, deal='balanced')\n"
        "batch.reset(7)\n"
        "for _ in range(70):\n"
        "    batch.step(batch.random_actions())\n"
        "print(batch.state_digest(), int(batch.observations.sum()))\n"
    )
    batch = make_batch("sarena", 257, 3, deal="balanced")
    *_, digest = run(batch, 70, seed=7)
    expected = f"{digest} {int(batch.observations.sum())}"
    for environment in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2", "NUMBA_NUM_THREADS": "1"}):
        result = run_python(code, **environment)
        assert result.returncode == 0, result.stderr
        assert result.stdout.strip() == expected


def test_unseeded_batches_differ():
    one, other = make_batch("sarena", 4), make_batch("sarena", 4)
    one.reset()
    other.reset()
    assert len({*digests(one.states), *digests(other.states)}) == 8


# Ends


@pytest.mark.parametrize("reward", REWARDS)
def test_autoreset_delivers_the_final_results(reward):
    """The last ply of a game returns its rewards, flags and results, and the next observation."""
    batch = make_batch("sarena", 5, 3, reward=reward)
    twin = make_batch("sarena", 5, 3, reward=reward, autoreset=False)
    batch.reset(3)
    twin.reset(3)
    ended = 0
    for _ in range(90):
        actions, seeds = batch.random_actions(), batch.states["seed"].copy()
        batch.step(actions)
        twin.step(actions)
        np.testing.assert_array_equal(batch.rewards, twin.rewards)
        np.testing.assert_array_equal(batch.terminated, twin.terminated)
        np.testing.assert_array_equal(batch.truncated, twin.truncated)
        np.testing.assert_array_equal(batch.scores, twin.scores)
        np.testing.assert_array_equal(batch.ranks, twin.ranks)
        over = np.flatnonzero(twin.terminated)
        ended += len(over)
        for i in over:
            scores, ranks = GAME.returns(twin.states, i)
            assert batch.scores[i].tolist() == scores.tolist()
            assert batch.ranks[i].tolist() == ranks.tolist()
            following = int(next_seed(seeds[i]))
            assert batch.states["seed"][i] == following
            assert batch.state_digest(i) == GAME.digest(GAME.new_state(following, 3))
            assert twin.action_masks[i].all(), "a finished game has a mask of ones"
        if len(over):
            states = twin.get_state()
            states[over] = batch.get_state()[over]
            scores, ranks = twin.scores.copy(), twin.ranks.copy()
            twin.set_state(states)
            twin.scores[:], twin.ranks[:] = scores, ranks
    assert ended >= 10


def test_results_are_kept_until_the_next_game_ends():
    batch = make_batch("sarena", 1)
    batch.reset(0)
    while not batch.terminated[0]:
        batch.step(batch.random_actions())
    scores = batch.scores.copy()
    for _ in range(10):
        batch.step(batch.random_actions())
        assert np.array_equal(batch.scores, scores)
        assert not batch.terminated[0]


def test_without_autoreset_a_finished_game_wants_a_reset():
    batch = make_batch("sarena", 3, autoreset=False)
    batch.reset(0)
    while not batch.terminated.any():
        batch.step(batch.random_actions())
    (over, *_) = np.flatnonzero(batch.terminated)
    before = batch.state_digest()
    with pytest.raises(GameOverError, match=f"game {over} is over"):
        batch.step(batch.random_actions())
    assert batch.state_digest() == before
    batch.reset()
    batch.step(batch.random_actions())


@given(seed=st.integers(0, 2**64 - 8), num_players=st.sampled_from([2, 3, 4]))
@hypothesis_settings(max_examples=30, deadline=None)
def test_mask_is_never_all_zeros(seed, num_players):
    batch = make_batch("sarena", 4, num_players)
    batch.reset(seed)
    for _ in range(50):
        assert batch.action_masks.any(axis=1).all()
        assert batch.action_masks.dtype == np.int8
        batch.step(batch.random_actions())


# Observations of each seat


def test_every_seat_is_seen_as_in_the_turns():
    batch = make_batch("sarena", 3, 4, observation="planes")
    batch.reset(8)
    turns = [sarena_v0.env(num_players=4, observation="planes") for _ in range(3)]
    for i, env in enumerate(turns):
        env.reset(seed=8 + i)
    for _ in range(6):
        actions = batch.random_actions()
        batch.step(actions)
        for env, action in zip(turns, actions.tolist(), strict=True):
            env.step(action)
    before = batch.state_digest(), outputs(batch)
    for seat in range(4):
        seen, masks = batch.observe(seat)
        for i, env in enumerate(turns):
            expected = env.observe(f"player_{seat}")
            assert np.array_equal(seen[i], expected["observation"])
            assert np.array_equal(masks[i], expected["action_mask"])
    seen, _ = batch.observe(np.array([0, 3, 2]))
    assert np.array_equal(seen[1], turns[1].observe("player_3")["observation"])
    assert batch.state_digest() == before[0], "looking is pure"
    assert_same_outputs(before[1], outputs(batch))
    with pytest.raises(ValueError, match="allowed: 0 to 3"):
        batch.observe(4)


@pytest.mark.parametrize("seat", [2**70, 0.5, True, "0", np.array([0.0, 1.0])], ids=repr)
def test_what_is_no_seat_is_not_observed(seat):
    batch = make_batch("sarena", 2)
    batch.reset(0)
    with pytest.raises(ValueError, match="seats are .*; give a seat"):
        batch.observe(seat)


@pytest.mark.parametrize("make", [make_batch, SeatVectorEnv])
def test_actions_that_cannot_be_written_to_compile_nothing(make):
    """A kernel's type includes whether an array may be written to."""
    env = make("sarena", 4)
    env.reset(seed=0)
    env.step(env.random_actions())
    actions = env.random_actions()
    actions.flags.writeable = False
    with event.install_recorder("numba:compile") as compiled:
        env.step(actions)
    assert not compiled.buffer


def test_shapes_and_types():
    batch = make_batch("sarena", 6, 3)
    assert batch.reset(0) is batch.observations
    assert batch.step(batch.random_actions()) is batch.observations
    wanted = {
        "observations": (np.int8, (6, 668)),
        "action_masks": (np.int8, (6, 120)),
        "to_play": (np.int64, (6,)),
        "rewards": (np.float32, (6, 3)),
        "terminated": (np.bool_, (6,)),
        "truncated": (np.bool_, (6,)),
        "scores": (np.float32, (6, 3)),
        "ranks": (np.int64, (6, 3)),
    }
    for name, (dtype, shape) in wanted.items():
        assert (getattr(batch, name).dtype, getattr(batch, name).shape) == (dtype, shape), name
    assert make_batch("sarena", 2, observation="planes").observations.shape == (2, 49, 6, 6)


# Illegal actions and wrong calls


@pytest.fixture
def middle():
    def make(**arguments):
        batch = make_batch("sarena", 4, 3, **arguments)
        run(batch, 6)
        actions = batch.random_actions()
        actions[2] = batch.action_masks[2].argmin()
        return batch, actions

    return make


def test_illegal_raises_and_changes_no_game(middle):
    for threads in (1, 3):
        batch, actions = middle(num_threads=threads)
        before, seen = batch.state_digest(), outputs(batch)
        text = re.escape(f"action {actions[2]} ({GAME.action_to_string(int(actions[2]))})")
        with pytest.raises(IllegalActionError, match=text):
            batch.step(actions)
        actions[2] = 120
        with pytest.raises(OutOfBoundsActionError, match="120"):
            batch.step(actions)
        assert batch.state_digest() == before
        assert_same_outputs(seen, outputs(batch))


def test_illegal_loses(middle):
    batch, actions = middle(illegal="lose")
    loser = int(batch.to_play[2])
    batch.step(actions)
    assert batch.terminated.tolist() == [False, False, True, False]
    assert batch.rewards[2].tolist() == [-1.0 if seat == loser else 0.5 for seat in range(3)]
    assert batch.ranks[2].tolist() == [3 if seat == loser else 1 for seat in range(3)]
    assert batch.states["ply"][2] == 0, "the next game was dealt"
    assert batch.states["ply"][0] == 7


def test_illegal_costs_a_penalty(middle):
    batch, actions = middle(illegal="penalty", illegal_reward=-2)
    mover, before = int(batch.to_play[2]), batch.state_digest(2)
    batch.step(actions)
    assert batch.rewards[2].tolist() == [-2.0 if seat == mover else 0.0 for seat in range(3)]
    assert batch.state_digest(2) == before
    assert not batch.terminated.any()
    assert batch.to_play[2] == mover
    assert batch.states["ply"][0] == 7


@pytest.mark.parametrize(
    "actions", [np.zeros(3, int), np.zeros((4, 1), int), np.zeros(4), [None] * 4, 0, "abcd"]
)
def test_wrong_actions(actions, middle):
    batch, _ = middle()
    before = batch.state_digest()
    with pytest.raises(ValueError, match="give 4 integers"):
        batch.step(actions)
    assert batch.state_digest() == before


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.uint64, list])
def test_every_kind_of_integers(kind):
    batch, twin = make_batch("sarena", 3), make_batch("sarena", 3)
    batch.reset(0)
    twin.reset(0)
    actions = batch.random_actions()
    batch.step(actions)
    twin.step(actions.tolist() if kind is list else actions.astype(kind))
    assert batch.state_digest() == twin.state_digest()


def test_before_the_first_reset():
    batch = make_batch("sarena", 2)
    for call in (batch.random_actions, batch.get_state, lambda: batch.step([0, 0])):
        with pytest.raises(StateError, match=r"reset\(\) needs to be called first"):
            call()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "num_envs is 0"),
        ({"num_envs": 2.0}, "num_envs is 2.0"),
        ({"num_envs": 2, "num_threads": 0}, "num_threads is 0"),
        ({"num_envs": 2, "num_threads": True}, "num_threads is True"),
        ({"num_envs": 2, "num_players": 9}, "num_players of sarena is 9; allowed: 2, 3, 4"),
        ({"num_envs": 2, "observation": "plane"}, "Did you mean 'planes'"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_batch("sarena", **arguments)
    with pytest.raises(ValueError, match="Did you mean 'sarena'"):
        make_batch("sarana", 2)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, [0, 1], [0, 1, 2, 3], [0, -1, 2], "abc"])
def test_wrong_seeds(seed):
    batch = make_batch("sarena", 3)
    with pytest.raises((ValueError, TypeError)):
        batch.reset(seed)


def test_a_seed_in_an_array_without_axes_is_refused_as_others_are():
    with pytest.raises(ValueError, match=r"seed is array\(5\); give a whole number"):
        make_batch("sarena", 3).reset(seed=np.array(5))


def test_the_largest_seeds():
    batch = make_batch("sarena", 2)
    batch.reset(2**64 - 2)
    assert batch.states["seed"].tolist() == [2**64 - 2, 2**64 - 1]
    batch.step(batch.random_actions())


@pytest.mark.parametrize(
    ("games", "threads", "expected"),
    [(255, 2, [1, 1]), (256, 2, [1, 2]), (512, 3, [1, 3]), (4095, 2, [1, 2]), (4096, 2, [2, 2])],
)
def test_threads_work_where_they_pay(games, threads, expected, monkeypatch):
    """Drawing random actions is too little work per game to be shared earlier."""
    used = []
    bytes_each = GAME.dtype.itemsize + GAME.observation_size()
    monkeypatch.setattr(interfaces, "LEAST_SLICE", 128 * bytes_each)
    monkeypatch.setattr(interfaces, "run", lambda loop, count, *args: used.append(count))
    for loop in ("random_actions", "advance"):
        interfaces.run_loop(Settings("sarena"), loop, threads, GAME.new_states(games))
    assert used == expected


# Save, restore, copy


def restored(batch):
    other = make_batch("sarena", batch.num_envs, 3, observation=batch.settings.observation)
    other.set_state(batch.get_state())
    return other


COPIES = {
    "clone": lambda batch: batch.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda batch: pickle.loads(pickle.dumps(batch)),
    "get_state and set_state": restored,
}


@pytest.mark.parametrize("form", ["flat", "planes"])
@pytest.mark.parametrize("how", COPIES)
def test_copies_go_on_alike(how, form):
    for steps in (0, 5, 28, 40):
        batch = make_batch("sarena", 6, 3, observation=form, num_threads=2)
        run(batch, steps)
        twin = COPIES[how](batch)
        before = batch.state_digest()
        assert twin.state_digest() == before
        for name in ("observations", "action_masks", "to_play", "terminated"):
            if how != "get_state and set_state" or name != "terminated":
                assert np.array_equal(getattr(twin, name), getattr(batch, name)), name
        twin.step(twin.random_actions())
        assert batch.state_digest() == before, "the copy is independent"
        twin = COPIES[how](batch)
        for _ in range(40):
            actions = batch.random_actions()
            batch.step(actions)
            twin.step(actions)
            for name in OUTPUTS[:6]:
                assert np.array_equal(getattr(twin, name), getattr(batch, name)), name
        assert batch.state_digest() == twin.state_digest()


def test_a_copy_before_the_first_reset_is_usable():
    for how in ("clone", "deepcopy", "pickle"):
        twin = COPIES[how](make_batch("sarena", 2))
        twin.reset(0)
        twin.step(twin.random_actions())
        assert twin.states["ply"].tolist() == [1, 1]


def test_outputs_of_a_copy_are_one_buffer():
    """The view that is written and the one that is read still share memory."""
    batch = make_batch("sarena", 3, observation="planes")
    batch.reset(0)
    for twin in (batch.clone(), pickle.loads(pickle.dumps(batch))):
        before = twin.observations.copy()
        twin.step(twin.random_actions())
        assert not np.array_equal(twin.observations, before)


RECORDS = {
    "AEC": (lambda: sarena_v0.env(), lambda env: env._states),
    "parallel": (lambda: sarena_v0.parallel_env(), lambda env: env.aec_env._states),
    "batch": (lambda: make_batch("sarena", 3), lambda env: env.states),
    "seat": (lambda: SeatEnv("sarena"), lambda env: env._batch.states),
    "vector": (lambda: SeatVectorEnv("sarena", 3), lambda env: env._batch.states),
}


@pytest.mark.parametrize(("make", "records"), RECORDS.values(), ids=RECORDS)
def test_a_pickle_is_looked_at_as_set_state_looks(make, records):
    """Kernels take their indices from records, so that a damaged one could break the process."""
    env = make()
    env.reset(seed=3)
    assert pickle.loads(pickle.dumps(env)).state_digest() == env.state_digest()
    records(env)["height"][-1, 5] = 9
    damaged = pickle.dumps(env)
    with pytest.raises(StateError, match="'height'.*allowed: 0 to 4"):
        pickle.loads(damaged)
    # Copies are made during searches, and are not validated.
    assert copy.deepcopy(env).state_digest() == env.clone().state_digest() == env.state_digest()


def test_what_was_saved_is_not_changed_by_playing_on():
    batch = make_batch("sarena", 3)
    run(batch, 5)
    saved = batch.get_state()
    kept = digests(saved)
    batch.step(batch.random_actions())
    batch.set_state(saved)
    batch.step(batch.random_actions())
    assert digests(saved) == kept


def test_a_finished_game_that_was_restored_is_followed_by_the_next():
    turns = sarena_v0.env()
    turns.reset(seed=2)
    while not turns.terminations[turns.agent_selection]:
        turns.step(turns.sample_legal())
    batch = make_batch("sarena", 1)
    batch.set_state(turns.get_state()["states"])
    assert batch.terminated[0] and batch.action_masks.all()
    batch.step(batch.random_actions())
    assert batch.states["ply"][0] == 0
    assert not batch.rewards.any()


def test_foreign_states_are_refused():
    batch, other = make_batch("sarena", 3, 2), make_batch("sarena", 3, 4)
    batch.reset(0)
    other.reset(0)
    before = batch.state_digest()
    with pytest.raises(StateError, match="players"):
        batch.set_state(other.get_state())
    with pytest.raises(StateError, match=r"this environment has \(3,\)"):
        batch.set_state(batch.get_state()[:2])
    with pytest.raises(StateError, match="not a state of sarena_v0"):
        batch.set_state(np.zeros(3))
    assert batch.state_digest() == before


def test_a_state_moves_between_interfaces():
    """The record of one is the record of all."""
    turns = sarena_v0.env(num_players=3)
    turns.reset(seed=2)
    for _ in range(9):
        turns.step(turns.sample_legal())
    batch = make_batch("sarena", 1, 3)
    batch.set_state(turns.get_state()["states"])
    assert batch.state_digest(0) == turns.state_digest()
    assert np.array_equal(batch.observations[0], turns.last()[0]["observation"])
    action = batch.random_actions()
    batch.step(action)
    turns.step(int(action[0]))
    assert batch.state_digest(0) == turns.state_digest()


# Custom loops


def test_reset_of_some_leaves_the_others(middle):
    batch, _ = middle()
    before, digests_before = outputs(batch), digests(batch.states)
    following = int(next_seed(batch.states["seed"][3]))
    mask = np.array([False, True, False, True])
    seen = batch.reset([None, 70, None, None], mask=mask)
    assert seen is batch.observations
    fresh = make_batch("sarena", 4, 3)
    fresh.reset([0, 70, 0, following])
    after = digests(batch.states)
    assert [after[0], after[2]] == [digests_before[0], digests_before[2]]
    assert [after[1], after[3]] == [digests(fresh.states)[1], digests(fresh.states)[3]]
    for name in OUTPUTS:
        found = getattr(batch, name)
        np.testing.assert_array_equal(found[~mask], before[name][~mask], err_msg=name)
        if name not in ("scores", "ranks"):
            np.testing.assert_array_equal(found[mask], getattr(fresh, name)[mask], err_msg=name)


def test_games_that_ended_can_be_dealt_alone():
    """Resetting by hand deals the same games as autoreset."""
    by_hand = make_batch("sarena", 8, autoreset=False, history=3)
    at_once = make_batch("sarena", 8, history=3)
    by_hand.reset(1)
    at_once.reset(1)
    ended = 0
    for _ in range(120):
        actions = at_once.random_actions()
        at_once.step(actions)
        by_hand.step(actions)
        over = by_hand.terminated | by_hand.truncated
        if over.any():
            by_hand.reset(mask=over)
            ended += over.sum()
            assert not by_hand.terminated.any() and not by_hand.rewards[over].any()
        assert by_hand.state_digest() == at_once.state_digest()
        for name in ("observations", "action_masks", "to_play", "histories"):
            np.testing.assert_array_equal(getattr(by_hand, name), getattr(at_once, name))
    assert ended > 8


@pytest.mark.parametrize("mask", [np.ones(3, bool), np.ones(4), [True] * 4, np.zeros(4, bool)])
def test_wrong_masks_are_refused(mask, middle):
    batch, _ = middle()
    before = batch.state_digest()
    with pytest.raises(ValueError, match="mask"):
        batch.reset(0, mask=mask)
    assert batch.state_digest() == before


def test_before_the_first_reset_there_is_nothing_to_leave():
    batch = make_batch("sarena", 2)
    with pytest.raises(StateError, match=re.escape("reset()")):
        batch.reset(0, mask=np.array([True, False]))


@pytest.mark.parametrize("form", ["flat", "planes"])
def test_last_observations_under_autoreset(form):
    """Every seat's final observation, with everything else unchanged."""
    keeping = make_batch("sarena", 6, 3, observation=form, keep_final=True, history=2)
    plain = make_batch("sarena", 6, 3, observation=form, history=2)
    single = make_batch("sarena", 6, 3, observation=form, autoreset=False)
    keeping.reset(5)
    plain.reset(5)
    single.reset(5)
    assert not keeping.final_observations.any() and plain.final_observations is None
    ended = 0
    for _ in range(60):
        actions = plain.random_actions()
        for batch in (keeping, plain, single):
            batch.step(actions)
        for name in (*OUTPUTS, "histories"):
            np.testing.assert_array_equal(getattr(keeping, name), getattr(plain, name))
        over = single.terminated
        if over.any():
            for seat in range(3):
                seen, _ = single.observe(seat)
                np.testing.assert_array_equal(keeping.final_observations[over, seat], seen[over])
            single.reset(mask=over)
            ended += 1
    assert ended > 3


def test_flags_are_checked():
    with pytest.raises(TypeError, match="keep_final is 1; give True or False"):
        make_batch("sarena", 2, keep_final=1)


@pytest.mark.parametrize("game", ["sarena", "sagani"])
@pytest.mark.parametrize("form", ["flat", "planes"])
def test_scale_of_observations(game, form):
    """Flags are unchanged, and no number exceeds the square root of its limit."""
    batch = make_batch(game, 1, observation=form)
    space = batch.single_observation_space["observation"]
    assert batch.observation_scale.shape == space.shape
    assert batch.observation_scale.dtype == np.float32
    most = np.maximum(np.abs(space.low.astype(float)), np.abs(space.high.astype(float)))
    np.testing.assert_allclose(most * batch.observation_scale, np.sqrt(most), rtol=1e-6)
    assert (batch.observation_scale[most <= 1] == 1).all()


@pytest.mark.parametrize("form", ["flat", "planes"])
@pytest.mark.parametrize("count", [1, 3, 64])
def test_other_libraries_read_the_arrays_without_a_copy(form, count):
    """By DLPack; JAX copies arrays that aren't aligned to 64 bytes."""
    batch = make_batch("sarena", count, observation=form)
    batch.reset(0)
    for array in (batch.observations, batch.action_masks):
        assert array.ctypes.data % 64 == 0
        other = np.from_dlpack(array)
        assert np.shares_memory(other, array)
    seen = np.from_dlpack(batch.observations)
    batch.step(batch.random_actions())
    assert np.array_equal(seen, batch.observations)


def test_actions_in_a_column_are_told_how(middle):
    batch, _ = middle()
    with pytest.raises(ValueError, match=re.escape("give 4 integers (without the second axis")):
        batch.step(batch.random_actions()[:, None])


def test_records_read_by_np_load_become_records_of_the_game(tmp_path):
    """Their fields aren't aligned, which numpy ignores and compiled code doesn't."""
    batch, other = make_batch("sarena", 3), make_batch("sarena", 3)
    batch.reset(seed=1)
    np.save(tmp_path / "states.npy", batch.get_state())
    found = np.load(tmp_path / "states.npy")
    assert not found.dtype.isalignedstruct
    other.set_state(found)
    assert other.states.dtype.isalignedstruct
    assert other.states.tobytes() == batch.states.tobytes()
