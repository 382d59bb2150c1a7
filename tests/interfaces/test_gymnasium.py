"""Gymnasium: one seat against agents, single and vectorised, and the two are the same."""

from __future__ import annotations

import copy
import pickle
import re

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import TimeLimit
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from ludotheque.agents import make_agent
from ludotheque.agents.base import Agent
from ludotheque.envs import (
    GameOverError,
    IllegalActionError,
    OutOfBoundsActionError,
    StateError,
    get_game,
    sarena_v0,
)
from ludotheque.envs.core.interfaces import seats
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.rng import next_seed, seat_of_seed

ID = "ludotheque/Sarena-v0"
MODES = list(AutoresetMode)


class First(Agent):
    """Plays the lowest legal action, and keeps its observations."""

    name = "first"

    def __init__(self, **attributes):
        super().__init__("sarena")
        self.shown = []
        self.__dict__.update(attributes)

    def act(self, observations, masks, *, states=None, seeds=None):
        self.shown.append((observations.copy(), masks.copy(), states, seeds))
        return masks.argmax(axis=1)


class Last(First):
    """Plays the highest legal action."""

    name = "last"

    def act(self, observations, masks, *, states=None, seeds=None):
        super().act(observations, masks, states=states, seeds=seeds)
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def pick(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play(env, seed=0, plies=1000) -> dict:
    """Play random legal actions after a reset; return the result of the last step, by name."""
    rng = np.random.default_rng(seed)
    seen, info = env.reset(seed=seed)
    reward = terminated = truncated = None
    for _ in range(plies):
        seen, reward, terminated, truncated, info = env.step(pick(seen["action_mask"], rng))
        if terminated or truncated:
            break
    return {"seen": seen, "reward": reward, "terminated": terminated, "info": info}


# Making


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"num_players": 3, "seat": 1, "observation": "planes"},
        {"num_players": 4, "reward": "score_change", "deal": "balanced"},
        {"illegal": "penalty", "opponents": "greedy"},
    ],
    ids=str,
)
def test_check_env(arguments):
    """Gymnasium's checker samples actions without masks: it wants illegal="lose" or "penalty"."""
    env = gymnasium.make(ID, **{"illegal": "lose", **arguments})
    check_env(env.unwrapped, skip_render_check=True)


def test_check_env_with_pictures():
    pytest.importorskip("resvg_py", reason="rgb_array needs the extra [render]")
    env = gymnasium.make(ID, illegal="lose", render_mode="rgb_array")
    assert env.render is not None
    env.reset(seed=0)
    assert env.render().shape[2] == 3
    check_env(gymnasium.make(ID, illegal="lose", render_mode="ansi").unwrapped)


@pytest.mark.parametrize(
    "code",
    [
        "import gymnasium, ludotheque.envs; env = gymnasium.make('ludotheque/Sarena-v0')",
        "import gymnasium; env = gymnasium.make('ludotheque.envs:ludotheque/Sarena-v0')",
        "import gymnasium; env = gymnasium.make_vec('ludotheque.envs:ludotheque/Sarena-v0', 3)",
    ],
)
def test_make_in_a_new_process(code, run_python):
    result = run_python(
        f"{code}\nprint(env.reset(seed=3)[0]['action_mask'].shape, type(env.unwrapped).__name__)",
        PYTHONWARNINGS="error",
    )
    assert result.returncode == 0, result.stderr
    name = "(3, 120) SeatVectorEnv" if "make_vec" in code else "(120,) SeatEnv"
    assert result.stdout.strip() == name


def test_make_vec_is_native():
    env = gymnasium.make_vec(ID, num_envs=5)
    assert isinstance(env, SeatVectorEnv)
    assert env.num_envs == 5
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert isinstance(gymnasium.make(ID).unwrapped, SeatEnv)
    sync = gymnasium.make_vec(ID, num_envs=2, vectorization_mode="sync")
    assert isinstance(sync, SyncVectorEnv)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"opponents": "greedie"}, ValueError, "Did you mean 'greedy'"),
        ({"opponents": 7}, TypeError, "neither act() nor draw()"),
        ({"opponents": First}, TypeError, "class First; give one of its objects"),
        ({"opponents": ["random", "random", "random"]}, ValueError, "got 3 opponents"),
        ({"opponents": ["random"]}, ValueError, "got 1 opponents"),
        ({"seat": 2}, ValueError, "allowed: 0, 1"),
        ({"seat": "first"}, ValueError, "'random'"),
        ({"num_players": 1}, ValueError, "allowed: 2, 3, 4"),
        ({"board": 1}, TypeError, "no option 'board'"),
        ({"illegal_reward": "x"}, ValueError, "illegal_reward is 'x'; give a finite number"),
    ],
)
@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_wrong_arguments(make, arguments, kind, message):
    with pytest.raises(kind, match=re.escape(message)):
        make(ID, **arguments)


@pytest.mark.parametrize("num_envs", [0, -1, 2.5])
def test_wrong_number_of_environments(num_envs):
    with pytest.raises((ValueError, TypeError), match="num_envs is"):
        SeatVectorEnv("sarena", num_envs=num_envs)


# The game that is played


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("reward", ["rank", "win", "score", "margin", "score_change"])
def test_learner_gets_its_own_turns_and_all_its_rewards(num_players, reward):
    """Observation, mask and reward are the learner's own, as in the AEC game of the same plies."""
    env = SeatEnv("sarena", num_players, opponents=First(), reward=reward)
    turns = sarena_v0.env(num_players=num_players, reward=reward)
    rng = np.random.default_rng(1)
    for seed in range(12):
        seen, info = env.reset(seed=seed)
        turns.reset(seed=seed)
        me = turns.possible_agents[env.seat]
        assert info["seat"] == env.seat == seat_of_seed(np.uint64(seed), num_players)
        assert opponents_play(turns, me) is not None
        over = False
        while not over:
            assert turns.agent_selection == me
            assert_sees(seen, turns.observe(me))
            assert np.array_equal(info["action_mask"], seen["action_mask"])
            assert np.array_equal(env.action_masks(), seen["action_mask"])
            action = pick(seen["action_mask"], rng)
            seen, got, over, truncated, info = env.step(action)
            turns.step(action)
            assert np.isclose(got, turns.rewards[me] + opponents_play(turns, me))
            assert over == turns.terminations[me] and not truncated
            assert env.state_digest() == turns.state_digest()
        assert np.array_equal(seen["observation"], turns.observe(me)["observation"])
        assert seen["action_mask"].all(), "the mask at the end is all ones, never all zeros"
        scores, ranks = env.results()
        assert list(zip(scores, ranks, strict=True)) == list(turns.results().values())


def opponents_play(turns, me) -> float:
    """Let the others play their lowest legal action; return the reward of ``me`` meanwhile."""
    got = 0.0
    while turns.agent_selection != me and not turns.terminations[turns.agent_selection]:
        turns.step(int(turns.observe(turns.agent_selection)["action_mask"].argmax()))
        got += turns.rewards[me]
    return got


def assert_sees(seen, other) -> None:
    assert np.array_equal(seen["observation"], other["observation"])
    assert np.array_equal(seen["action_mask"], other["action_mask"])


def test_resets_without_a_seed_go_on_from_the_first():
    env, again = SeatEnv("sarena"), SeatEnv("sarena")
    play(env, seed=5, plies=4)
    env.reset()
    again.reset(seed=int(next_seed(np.uint64(5))))
    assert env.state_digest() == again.state_digest()
    assert env.seat == again.seat


def test_a_seed_may_be_numpys():
    env, again = (gymnasium.make("ludotheque.envs:ludotheque/Sarena-v0") for _ in range(2))
    assert env.reset(seed=np.int64(5))[1].keys() == again.reset(seed=5)[1].keys()
    assert env.unwrapped.state_digest() == again.unwrapped.state_digest()
    with pytest.raises(ValueError, match="seed is -1; give a whole number from 0"):
        env.reset(seed=-1)


def test_unseeded_games_differ():
    digests = set()
    for _ in range(4):
        env = SeatEnv("sarena")
        env.reset()
        digests.add(env.state_digest())
    assert len(digests) == 4


@given(seed=st.integers(0, 2**64 - 1), num_players=st.sampled_from([2, 3, 4]))
@hypothesis_settings(max_examples=40, deadline=None)
def test_mask_is_never_all_zeros(seed, num_players):
    env = SeatEnv("sarena", num_players, illegal="lose", opponents=Last())
    seen, _ = env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    over = False
    while not over:
        assert env.observation_space.contains(seen)
        assert seen["action_mask"].any()
        action = int(rng.integers(120)) if rng.random() < 0.02 else pick(seen["action_mask"], rng)
        seen, _, over, _, info = env.step(action)
        assert np.array_equal(info["action_mask"], seen["action_mask"])
    assert seen["action_mask"].any()


# Seats and opponents


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_seat_is_fixed_or_random(num_players):
    for seat in range(num_players):
        env = SeatEnv("sarena", num_players, seat=seat)
        for seed in range(5):
            env.reset(seed=seed)
            assert env.seat == seat == env.get_state()["states"]["to_play"][0]
    env = SeatEnv("sarena", num_players)
    seats = []
    for seed in range(60):
        _, info = env.reset(seed=seed)
        seats.append(info["seat"])
    counts = np.bincount(seats, minlength=num_players)
    assert counts.min() > 60 / num_players / 3


def test_opponents_by_name_and_by_object_are_the_same():
    named = SeatEnv("sarena", 3, opponents="greedy", seat=1)
    given_ = SeatEnv("sarena", 3, opponents=make_agent("greedy"), seat=1)
    per_seat = SeatEnv("sarena", 3, opponents=["greedy", "greedy"], seat=1)
    with_own = SeatEnv("sarena", 3, opponents=["greedy", None, "greedy"], seat=1)
    assert len({digest_after(env) for env in (named, given_, per_seat, with_own)}) == 1
    assert digest_after(SeatEnv("sarena", 3, seat=1)) != digest_after(named)


def digest_after(env, seed=8, plies=5) -> str:
    play(env, seed, plies)
    return env.state_digest()


def test_random_opponents_in_kernels_and_as_agents_are_the_same():
    """Uniformly random seats are played in compiled code; as an agent they play the same."""
    slow = make_agent("random")
    slow.is_uniform_random = False
    for seed in range(5):
        fast = digest_after(SeatEnv("sarena", 4, opponents="random"), seed)
        assert fast == digest_after(SeatEnv("sarena", 4, opponents=slow), seed)


def test_a_different_opponent_in_each_seat():
    first, last = First(), Last()
    env = SeatEnv("sarena", 3, opponents=[first, last], seat=1)
    states = []
    seen, _ = env.reset(seed=2)
    rng = np.random.default_rng(0)
    for _ in range(4):
        states.append(env.get_state()["states"])
        seen, *_ = env.step(pick(seen["action_mask"], rng))
    game = get_game("sarena")
    own = [slice_ for slice_ in range(576, 580)]
    for agent, seat in ((first, 0), (last, 2)):
        pawn = game.observe(states[0], seat)[own]
        assert len(agent.shown) >= 4
        for observations, masks, records, seeds in agent.shown:
            assert np.array_equal(observations[0][own], pawn), "an opponent sees its own pawn"
            assert observations[0][583] == 1, "an opponent is asked at its turn"
            assert masks.any() and records is None and seeds.dtype == np.uint64


def test_an_opponent_that_searches_gets_no_secrets():
    """It gets records in which everything it can't know is resampled."""
    spy = First(needs_states=True)
    env = SeatEnv("sarena", 2, opponents=spy, seat=0)
    hidden_kept = []
    for seed in range(40):
        env.reset(seed=seed)
        play(env, seed, plies=2)
        true = env.get_state()["states"]
        _, _, records, _ = spy.shown[-1]
        assert records["secret"][0, 1] == true["secret"][0, 1]
        assert records["rng"][0] != true["rng"][0]
        assert records["seed"][0] != true["seed"][0]
        hidden_kept.append(bool(records["secret"][0, 0] == true["secret"][0, 0]))
    assert 2 < sum(hidden_kept) < 28, "the learner's pawn is drawn among three colours"


def test_an_opponent_may_want_another_observation_form():
    agent = First(observation="planes")
    env = SeatEnv("sarena", 2, opponents=agent)
    play(env, 1, plies=3)
    assert agent.shown[0][0].shape == (1, 49, 6, 6)
    assert env.observation_space["observation"].shape == (668,)


class Pool:
    """Draws by seed, and counts."""

    def __init__(self):
        self.agents = [First(), Last()]
        self.drawn = []

    def draw(self, seed):
        self.drawn.append(seed)
        return self.agents[seed % 2]


def test_a_pool_is_drawn_from_at_the_start_of_each_game_and_kept():
    pool = Pool()
    env = SeatEnv("sarena", 2, opponents=pool, seat=0)
    for game in range(8):
        before = [len(agent.shown) for agent in pool.agents]
        play(env, seed=game)
        moved = [len(agent.shown) > count for agent, count in zip(pool.agents, before, strict=True)]
        assert sum(moved) == 1, "one opponent plays a game to its end"
    assert len(set(pool.drawn)) == 16, "one draw a seat and game"
    again = Pool()
    other = SeatEnv("sarena", 2, opponents=again, seat=0)
    for game in range(8):
        play(other, seed=game)
    assert again.drawn == pool.drawn


def test_a_pool_without_past_selves_is_asked_all_the_same():
    """A pool with a length may be empty, and must still be queried."""

    class Young(Pool):
        def __len__(self):
            return 0

    pool = Young()
    play(SeatEnv("sarena", 2, opponents=pool, seat=0), seed=1)
    assert pool.drawn
    assert sum(len(agent.shown) for agent in pool.agents) > 5


def test_an_illegal_action_of_an_opponent_is_named():
    class Cheat(First):
        def act(self, observations, masks, *, states=None, seeds=None):
            return masks.argmin(axis=1)

    with pytest.raises(IllegalActionError, match="not legal for seat"):
        play(SeatEnv("sarena", 2, opponents=Cheat(), seat=0))


# Illegal actions and wrong calls


@pytest.fixture
def middle():
    def make(**arguments):
        env = SeatEnv("sarena", 2, seat=0, **arguments)
        play(env, seed=4, plies=5)
        return env, int(env.action_masks().argmin())

    return make


def test_illegal_raises_and_changes_nothing(middle):
    env, action = middle()
    before = env.state_digest()
    with pytest.raises(IllegalActionError, match=rf"action {action} \("):
        env.step(action)
    for outside in (-1, 120, 1.5, None):
        with pytest.raises(OutOfBoundsActionError):
            env.step(outside)
    assert env.state_digest() == before
    env.step(env.sample_legal())


def test_illegal_loses(middle):
    env, action = middle(illegal="lose")
    seen, reward, terminated, truncated, _ = env.step(action)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert seen["action_mask"].all()
    assert env.results()[1].tolist() == [2, 1]
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)


def test_illegal_costs_a_penalty(middle):
    env, action = middle(illegal="penalty", illegal_reward=-0.5)
    before, mask = env.state_digest(), env.action_masks()
    seen, reward, terminated, truncated, _ = env.step(action)
    assert (reward, terminated, truncated) == (-0.5, False, False)
    assert env.state_digest() == before
    assert np.array_equal(seen["action_mask"], mask)


def test_a_time_limit_ends_penalties(middle):
    """A policy without a mask may repeat one illegal action forever."""
    env, _ = middle(illegal="penalty", illegal_reward=-0.5)
    limited = TimeLimit(env, max_episode_steps=4)
    limited.reset(seed=0)
    steps = [limited.step(-1)[1:4] for _ in range(4)]
    assert steps == [(-0.5, False, False)] * 3 + [(-0.5, False, True)]


def test_penalties_in_a_row_end_the_game(monkeypatch):
    """A learner repeating an illegal action doesn't play forever; a legal one resets the count."""
    monkeypatch.setattr(seats, "MOST_PENALTIES", 3)
    env = SeatEnv("sarena", illegal="penalty", illegal_reward=-0.5)
    env.reset(seed=1)
    for action in (-1, -1, env.sample_legal(), -1, -1):
        assert env.step(action)[2:4] == (False, False)
    saved, twin = env.get_state(), env.clone()
    assert env.step(-1)[1:4] == (-0.5, False, True)
    assert twin.step(-1)[1:4] == (-0.5, False, True)
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)
    ended = env.get_state()
    env.set_state(saved)
    assert env.step(-1)[3]
    env.set_state(ended)
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)
    env.reset()
    assert not env.step(-1)[3]


def test_penalties_in_a_vector_are_counted_for_each_game(monkeypatch):
    monkeypatch.setattr(seats, "MOST_PENALTIES", 2)
    envs = SeatVectorEnv("sarena", 2, illegal="penalty", autoreset_mode="SameStep")
    envs.reset(seed=1)
    for ended in (False, True, False, True):
        actions = envs.random_actions()
        actions[1] = -1
        _, _, terminated, truncated, infos = envs.step(actions)
        assert truncated.tolist() == [False, ended]
        assert ("final_obs" in infos) == ended


@pytest.mark.parametrize("env", [SeatEnv("sarena"), SeatVectorEnv("sarena", 2)])
def test_steps_before_a_reset(env):
    with pytest.raises(GameOverError, match=r"call reset\(\)"):
        env.step(np.zeros(2, np.int64) if isinstance(env, SeatVectorEnv) else 0)
    with pytest.raises(StateError, match=r"call reset\(\)"):
        env.get_state()
    others = ("random_actions",) if isinstance(env, SeatVectorEnv) else ("sample_legal", "results")
    for name in ("action_masks", *others):
        with pytest.raises(StateError, match=r"call reset\(\)"):
            getattr(env, name)()


@pytest.mark.parametrize("mode", ["svg", "ansi"])
def test_a_picture_before_a_reset(mode):
    with pytest.raises(StateError, match=r"call reset\(\)"):
        SeatEnv("sarena", render_mode=mode).render()


def test_a_wrong_autoreset_mode_lists_the_right_ones():
    with pytest.raises(ValueError, match="'twice'; allowed: .*SAME_STEP or 'SameStep'"):
        gymnasium.make_vec(ID, num_envs=2, autoreset_mode="twice")


@pytest.mark.parametrize("actions", [np.zeros(3, int), np.zeros((2, 1), int), [0.5, 1.0], 0, None])
def test_wrong_actions_of_a_batch(actions):
    env = SeatVectorEnv("sarena", 2)
    env.reset(seed=0)
    before = env.state_digest()
    with pytest.raises(ValueError, match="give 2 integers"):
        env.step(actions)
    assert env.state_digest() == before


def test_one_illegal_action_in_a_batch_changes_no_game():
    env = SeatVectorEnv("sarena", 6)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.random_actions())
    actions, before = env.random_actions(), env.state_digest()
    actions[4] = env.action_masks()[4].argmin()
    with pytest.raises(IllegalActionError):
        env.step(actions)
    assert env.state_digest() == before


# The vectorised environment is many single ones


VARIANTS = {
    "default": {},
    "three seats": {"num_players": 3, "reward": "score_change", "seat": 2},
    "greedy": {"opponents": "greedy", "observation": "planes"},
    "mixed": {"num_players": 4, "opponents": ["random", "greedy", "random", "greedy"]},
    "lose": {"illegal": "lose", "reward": "margin"},
    "penalty": {"illegal": "penalty", "illegal_reward": -0.125},
}


def assert_equal(one, other, where="") -> None:
    """Compare nested observations and infos of vector environments, types included."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), f"{where}: {sorted(one)} and {sorted(other)}"
        for key in one:
            assert_equal(one[key], other[key], f"{where}[{key!r}]")
    elif isinstance(one, np.ndarray) and one.dtype == object:
        assert other.dtype == object and len(one) == len(other), where
        for k, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_equal(a, b, f"{where}[{k}]")
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype, f"{where}: {one.dtype} and {other.dtype}"
        np.testing.assert_array_equal(one, other, err_msg=where)
    else:
        assert one == other and type(one) is type(other), f"{where}: {one!r} and {other!r}"


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
@pytest.mark.parametrize("variant", VARIANTS)
def test_equal_to_sync_vector_env(variant, mode):
    count, arguments = 4, VARIANTS[variant]
    native = gymnasium.make_vec(ID, num_envs=count, autoreset_mode=mode, **arguments)
    sync = SyncVectorEnv(
        [lambda: gymnasium.make(ID, **arguments) for _ in range(count)], autoreset_mode=mode
    )
    assert native.single_observation_space == sync.single_observation_space
    assert native.observation_space == sync.observation_space
    assert native.action_space == sync.action_space
    rng = np.random.default_rng(0)
    seen, infos = native.reset(seed=21)
    assert_equal((seen, infos)[0], sync.reset(seed=21)[0], "reset")
    assert_equal(infos, sync.reset(seed=21)[1], "infos of reset")
    ended = 0
    for step in range(70):
        masks = seen["action_mask"]
        actions = np.array([pick(mask, rng) for mask in masks])
        if arguments.get("illegal"):
            actions[rng.random(count) < 0.05] = rng.integers(120)
        ours, theirs = native.step(actions), sync.step(actions)
        for name, one, other in zip(
            ("seen", "rewards", "terminated", "truncated", "infos"), ours, theirs, strict=True
        ):
            assert_equal(one, other, f"step {step}: {name}")
        seen, _, terminated, truncated, _ = ours
        over = terminated | truncated
        ended += over.sum()
        if mode is AutoresetMode.DISABLED and over.any():
            again = {"reset_mask": over}
            ours, theirs = native.reset(options=again), sync.reset(options=again)
            assert_equal(ours[0], theirs[0], f"reset after step {step}: seen")
            assert_equal(ours[1], theirs[1], f"reset after step {step}: infos")
            seen = ours[0]
    assert ended >= 4


def test_same_step_delivers_the_last_observation():
    env = gymnasium.make_vec(ID, num_envs=3, autoreset_mode="SameStep", seat=0)
    env.reset(seed=0)
    for _ in range(30):
        _, rewards, terminated, _, infos = env.step(env.random_actions())
        for row in np.flatnonzero(terminated):
            last = infos["final_obs"][row]
            assert last["action_mask"].all()
            assert np.abs(rewards[row]) <= 1
            assert last["observation"][587] > 20
        if terminated.any():
            assert np.array_equal(infos["_final_obs"], terminated)
            assert (env.results()[1][terminated] >= 1).all()
            return
    raise AssertionError("no game ended")


def test_disabled_wants_a_reset():
    env = gymnasium.make_vec(ID, num_envs=3, autoreset_mode="Disabled")
    env.reset(seed=0)
    over = np.zeros(3, bool)
    while not over.any():
        _, _, over, _, _ = env.step(env.random_actions())
    before = env.state_digest()
    with pytest.raises(GameOverError, match="reset_mask"):
        env.step(env.random_actions())
    assert env.state_digest() == before
    for mask in ([True] * 3, np.ones(2, bool), np.zeros(3, bool), np.ones(3, int)):
        with pytest.raises(ValueError, match="reset_mask"):
            env.reset(options={"reset_mask": mask})
    env.reset(options={"reset_mask": over})
    env.step(env.random_actions())


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_batch_size_and_threads_change_nothing(opponents):
    """Environment i of any batch plays the game of seed + i."""
    digests = []
    for count, threads in ((1, 1), (3, 1), (8, 1), (8, 3)):
        env = SeatVectorEnv("sarena", count, 3, opponents=opponents, num_threads=threads)
        env.reset(seed=50)
        for _ in range(15):
            env.step(env.random_actions())
        states = env.get_state()["states"]
        digests.append([get_game("sarena").digest(states, i) for i in range(count)])
    assert digests[0] == digests[1][:1]
    assert digests[1] == digests[2][:3]
    assert digests[2] == digests[3]


def test_seeds_one_for_each():
    env = SeatVectorEnv("sarena", 3)
    env.reset(seed=[5, None, 9])
    seeds = env.get_state()["states"]["seed"].tolist()
    assert seeds[0] == 5 and seeds[2] == 9
    with pytest.raises(ValueError, match="2 seeds for 3"):
        env.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="seed is -1"):
        env.reset(seed=-1)


@pytest.mark.parametrize("copies", [True, False])
def test_outputs_are_copies_unless_told(copies):
    env = SeatVectorEnv("sarena", 2, copy=copies)
    seen, _ = env.reset(seed=0)
    kept = copy.deepcopy(seen)
    for _ in range(3):
        env.step(env.random_actions())
    assert np.array_equal(seen["observation"], kept["observation"]) == copies


def test_observations_that_somebody_holds_stay_as_they_are():
    """Their memory is only reused once nothing refers to it, not even to a part of it."""
    env = SeatVectorEnv("sarena", 3)
    seen, _ = env.reset(seed=1)
    held = [(seen["observation"][1, ::2], seen["observation"][1, ::2].copy())]
    addresses = set()
    for _ in range(12):
        seen, *_ = env.step(env.random_actions())
        addresses.add(seen["observation"].ctypes.data)
        held.append((seen["observation"].T[3:], seen["observation"].T[3:].copy()))
    assert all(np.array_equal(part, before) for part, before in held)
    assert len(addresses) == 12
    held.clear()
    addresses = set()
    for _ in range(12):
        seen, *_ = env.step(env.random_actions())
        addresses.add(seen["observation"].ctypes.data)
    assert len(addresses) <= 3


# Save, restore, copy


def make_single():
    return SeatEnv("sarena", 3, opponents=["random", "greedy", "random"])


def make_vector():
    return SeatVectorEnv("sarena", 4, 3, opponents=["random", "greedy", "random"])


def advance(env, rng) -> tuple:
    masks = env.action_masks()
    if isinstance(env, SeatVectorEnv):
        return env.step(np.array([pick(mask, rng) for mask in masks]))
    return env.step(pick(masks, rng))


def restored(env):
    other = make_vector() if isinstance(env, SeatVectorEnv) else make_single()
    other.set_state(env.get_state())
    return other


COPIES = {
    "clone": lambda env: env.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "get_state and set_state": restored,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("make", [make_single, make_vector])
@pytest.mark.parametrize("plies", [0, 4, 7])
def test_copies_go_on_alike(make, how, plies):
    env = make()
    env.reset(seed=7)
    rng = np.random.default_rng(0)
    for _ in range(plies):
        advance(env, rng)
    twin = COPIES[how](env)
    assert twin.state_digest() == env.state_digest()
    before = env.state_digest()
    advance(twin, np.random.default_rng(3))
    assert env.state_digest() == before, "the copy is independent"
    twin = COPIES[how](env)
    for seed in range(8):
        ours = advance(env, np.random.default_rng(seed))
        theirs = advance(twin, np.random.default_rng(seed))
        for name, one, other in zip("srtui", ours, theirs, strict=True):
            assert_equal(one, other, f"{how}: {name}")
        if np.any(ours[2]) and not isinstance(env, SeatVectorEnv):
            break
    assert env.state_digest() == twin.state_digest()


def test_going_back():
    env = make_vector()
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    for _ in range(11):
        advance(env, rng)
    saved, digest = env.get_state(), env.state_digest()
    later = []
    for _ in range(2):
        for seed in range(6):
            advance(env, np.random.default_rng(seed))
        later.append(env.state_digest())
        env.set_state(saved)
        assert env.state_digest() == digest
    assert later[0] == later[1] != digest


def test_an_opponent_drawn_from_a_pool_is_restored():
    """Also in an environment whose own pool last drew another opponent."""

    def make():
        return SeatEnv("sarena", 2, opponents=Pool(), seat=0)

    for seed in range(12):
        env, other = make(), make()
        env.reset(seed=seed)
        other.reset(seed=seed + 1)
        other.set_state(env.get_state())
        for ply in range(4):
            advance(env, np.random.default_rng(ply))
            advance(other, np.random.default_rng(ply))
        assert other.state_digest() == env.state_digest(), f"seed {seed}"


def test_foreign_states_are_refused():
    env, other = SeatEnv("sarena", 2), SeatEnv("sarena", 3)
    env.reset(seed=0)
    other.reset(seed=0)
    before = env.state_digest()
    with pytest.raises(StateError, match="players"):
        env.set_state(other.get_state())
    vector = SeatVectorEnv("sarena", 3)
    vector.reset(seed=0)
    with pytest.raises(StateError, match="3"):
        env.set_state(vector.get_state())
    assert env.state_digest() == before


WRONG_PARTS = [
    *(("ended", wrong) for wrong in (np.zeros(3, bool), np.zeros(4, np.int8), 2, None, "x")),
    *(("steps", wrong) for wrong in (np.zeros(3, np.int64), np.full(4, -1), np.zeros(4), None)),
    *(("learner", wrong) for wrong in (np.zeros(3, np.int64), np.full(4, 9), None)),
]


@pytest.mark.parametrize(("part", "wrong"), WRONG_PARTS)
def test_a_part_of_a_vectors_state_that_does_not_fit_is_refused_and_changes_nothing(part, wrong):
    env, other = make_vector(), make_vector()
    for seed, one in enumerate((env, other)):
        one.reset(seed=seed)
        one.step(one.random_actions())
    before = other.get_state()
    with pytest.raises(StateError, match=part):
        other.set_state({**env.get_state(), part: wrong})
    after = other.get_state()
    for name in ("states", "learner", "ended", "steps"):
        assert np.array_equal(after[name], before[name]), name


def test_looking_at_an_environment_draws_the_learners_view():
    env = SeatEnv("sarena", 2, seat=0, render_mode="svg")
    play(env, plies=3)
    picture = env.render()
    game, state = get_game("sarena"), env.get_state()["states"][0]
    last = int(state["last_action"])
    assert picture == env._repr_svg_() == game.draw(state, 0, last).svg()
    assert picture != game.draw(state, None, last).svg()
    with pytest.raises(ValueError, match="render_mode"):
        gymnasium.make_vec(ID, num_envs=2, render_mode="rgb_array")


SHORT = {"track": {"start": 1, "moon": 2}, "rounds": "single"}


def test_a_game_over_before_the_learners_first_turn_is_no_episode():
    """On this track the first seats may end a round at once: half the games never reach seat 4."""
    single = SeatEnv("shamans", 5, seat=4, **SHORT)
    for seed in range(12):
        single.reset(seed=seed)
        single.step(single.sample_legal())


@pytest.mark.parametrize("mode", MODES)
def test_no_autoreset_begins_with_a_game_that_is_over(mode):
    env = gymnasium.make_vec(
        "ludotheque/Shamans-v1",
        16,
        num_players=5,
        seat=4,
        autoreset_mode=mode,
        **SHORT,
    )
    env.reset(seed=0)
    for _ in range(30):
        assert not (env._batch.over & ~env._ended).any()
        _, rewards, terminated, _, _ = env.step(env.random_actions())
        assert (rewards[terminated] != 0).all(), "every episode pays what its game was worth"
        if mode is AutoresetMode.DISABLED and terminated.any():
            env.reset(options={"reset_mask": terminated})
            assert not env._batch.over.any()


def test_a_seat_that_never_has_a_turn_is_told(monkeypatch):
    monkeypatch.setattr("ludotheque.envs.core.interfaces.seats.MOST_DEALS", 1)
    env = SeatVectorEnv("shamans", 64, 5, seat=4, **SHORT)
    with pytest.raises(ValueError, match="had no turn"):
        env.reset(seed=0)


def test_an_agent_whose_act_takes_too_little_is_told_at_once():
    class Plain:
        def act(self, observations, masks):
            return masks.argmax(1)

    told = r"takes no states and no seeds: write def act\(self, observations, masks, \*, states"
    with pytest.raises(TypeError, match=told):
        SeatEnv("sarena", opponents=Plain())
    with pytest.raises(TypeError, match=told):
        SeatEnv("sarena", opponents=["random", Plain()], seat=0)


def test_an_action_may_be_another_librarys_scalar():
    torch = pytest.importorskip("torch")
    envs = [SeatEnv("sarena", seat=0) for _ in range(2)]
    for env in envs:
        env.reset(seed=3)
    action = envs[0].sample_legal()
    seen = envs[0].step(action)[0], envs[1].step(torch.tensor(action))[0]
    assert np.array_equal(seen[0]["observation"], seen[1]["observation"])
    for wrong in (torch.tensor(1.0), torch.tensor([1, 2]), np.array([1])):
        with pytest.raises(ValueError, match="not in action space"):
            envs[0].step(wrong)


# The caller's limit


@pytest.mark.parametrize("mode", MODES)
def test_a_time_limit_is_that_of_single_environments(mode):
    """``make_vec(max_episode_steps=…)`` does what ``TimeLimit`` does to each environment."""
    native = gymnasium.make_vec(ID, 5, max_episode_steps=4, autoreset_mode=mode, opponents="random")
    one = {"opponents": "random"}
    sync = SyncVectorEnv(
        [lambda: TimeLimit(SeatEnv("sarena", **one), 4) for _ in range(5)], autoreset_mode=mode
    )
    seen, _ = native.reset(seed=8)
    same, _ = sync.reset(seed=8)
    rng = np.random.default_rng(0)
    cut = 0
    for k in range(20):
        assert np.array_equal(seen["observation"], same["observation"])
        actions = np.array([pick(mask, rng) for mask in seen["action_mask"]])
        if k == 10:
            saved = native.get_state()
            native.step(actions)
            native.set_state(saved)
        seen, *native_rest = native.step(actions)
        same, *sync_rest = sync.step(actions)
        for found, wanted in zip(native_rest[:3], sync_rest[:3], strict=True):
            assert np.array_equal(found, wanted)
        over = native_rest[1] | native_rest[2]
        cut += native_rest[2].sum()
        if mode is AutoresetMode.DISABLED and over.any():
            seen, _ = native.reset(options={"reset_mask": over})
            same, _ = sync.reset(options={"reset_mask": over})
    assert cut >= 10


def test_a_time_limit_is_a_number_of_steps():
    with pytest.raises(ValueError, match="max_episode_steps is 0; give a whole number from 1 up"):
        SeatVectorEnv("sarena", 2, max_episode_steps=0)
