"""The Stable-Baselines3 interface: its own checks, the vector environment's contract, masks."""

from __future__ import annotations

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import FlattenObservation

import ludotheque.envs  # noqa: F401  (registers the environments)
from ludotheque.envs import game_names, get_game, make_batch
from ludotheque.envs.core.errors import GameOverError, IllegalActionError, StateError
from ludotheque.envs.core.interfaces.opponents import determinized, query_agent
from ludotheque.envs.core.rng import next_seed

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402
from sb3_contrib.common.maskable.evaluation import evaluate_policy  # noqa: E402
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported  # noqa: E402
from stable_baselines3 import DQN, PPO  # noqa: E402
from stable_baselines3.common.env_checker import check_env  # noqa: E402
from stable_baselines3.common.monitor import Monitor  # noqa: E402
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize  # noqa: E402

from ludotheque.agents import make_agent, play_match  # noqa: E402
from ludotheque.agents.afterstates import FORM, VALUERS, Afterstates  # noqa: E402
from ludotheque.agents.pool import OpponentPool  # noqa: E402
from ludotheque.agents.sb3 import SeatVecEnv  # noqa: E402
from ludotheque.agents.sb3_agent import SB3Agent  # noqa: E402

NUM_ENVS = 8


@pytest.fixture(autouse=True)
def one_torch_thread():
    """Networks this small gain nothing from two, and lose a lot on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def random_actions(env: SeatVecEnv) -> np.ndarray:
    """A legal action for each game, by its seed and ply."""
    actions = np.empty(env.num_envs, np.int64)
    env.settings.loops.random_actions(env.states, 0, env.num_envs, actions)
    return actions


def fresh(**arguments) -> SeatVecEnv:
    env = SeatVecEnv("sarena", NUM_ENVS, **arguments)
    env.seed(5)
    env.reset()
    return env


@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_sb3_checks_the_gymnasium_environment(illegal):
    """check_env samples without masks: an option of ours lets it through (sb3-contrib 145)."""
    env = gymnasium.make("ludotheque/Sarena-v0", illegal=illegal, opponents="greedy")
    check_env(env.unwrapped, skip_render_check=True)


# SB3 treats anything with three dimensions as an image, and expects bytes from 0 to 255.
@pytest.mark.filterwarnings("ignore:.*image:UserWarning:stable_baselines3")
def test_sb3_checks_the_planes():
    env = gymnasium.make("ludotheque/Sarena-v0", illegal="lose", observation="planes")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("dict_observation", [False, True])
@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_what_a_step_returns(observation, dict_observation):
    env = fresh(observation=observation, dict_observation=dict_observation)
    for _ in range(40):
        seen, rewards, dones, infos = env.step(random_actions(env))
        rows = [
            {key: value[i] for key, value in seen.items()} if dict_observation else seen[i]
            for i in range(NUM_ENVS)
        ]
        assert all(env.observation_space.contains(row) for row in rows)
        assert rewards.dtype == np.float32 and rewards.shape == (NUM_ENVS,)
        assert dones.dtype == np.bool_ and len(infos) == NUM_ENVS
        assert env.action_masks().any(axis=1).all()
        for reward, done, info in zip(rewards, dones, infos, strict=True):
            assert bool(info) == done
            if done:
                assert reward in (-1, 0, 1) and info["episode"]["r"] == reward
                assert env.observation_space.contains(info["terminal_observation"])
                assert info["TimeLimit.truncated"] is False
            else:
                assert reward == 0


def test_no_game_is_over_before_the_learners_first_turn():
    """On this track the first seats may end a round at once: half the games never reach seat 4."""
    short = {"track": {"start": 1, "moon": 2}, "rounds": "single"}
    env = SeatVecEnv("shamans", 16, 5, seat=4, **short)
    env.reset()
    for _ in range(30):
        assert not env._batch.over.any()
        _, rewards, dones, infos = env.step(random_actions(env))
        assert (rewards[dones] != 0).all()
        assert all(info["episode"]["l"] > 0 for info in infos if info)


def test_outputs_are_not_overwritten_by_the_next_step():
    env = fresh()
    seen, rewards, dones, _ = env.step(random_actions(env))
    kept = seen.copy(), rewards.copy(), dones.copy()
    for _ in range(20):
        env.step(random_actions(env))
    for before, now in zip(kept, (seen, rewards, dones), strict=True):
        assert np.array_equal(before, now)


@pytest.mark.parametrize("opponents", ["random", "greedy"])
def test_same_games_as_the_single_environment(opponents):
    """Through DummyVecEnv of the Gymnasium environment, observation for observation."""
    native = SeatVecEnv("sarena", NUM_ENVS, opponents=opponents, dict_observation=True)

    def one():
        return Monitor(gymnasium.make("ludotheque/Sarena-v0", opponents=opponents))

    copies = DummyVecEnv([one for _ in range(NUM_ENVS)])
    for env in (native, copies):
        env.seed(11)
    expected, seen = copies.reset(), native.reset()
    ended = 0
    for _ in range(60):
        for key in expected:
            assert np.array_equal(expected[key], seen[key])
        actions = random_actions(native)
        expected, rewards, dones, infos = copies.step(actions)
        seen, our_rewards, our_dones, our_infos = native.step(actions)
        assert np.array_equal(rewards, our_rewards) and np.array_equal(dones, our_dones)
        for info, ours, done in zip(infos, our_infos, dones, strict=True):
            if done:
                ended += 1
                assert info["episode"]["r"] == ours["episode"]["r"]
                assert info["episode"]["l"] == ours["episode"]["l"]
                assert info["TimeLimit.truncated"] == ours["TimeLimit.truncated"]
                for key, value in info["terminal_observation"].items():
                    assert np.array_equal(value, ours["terminal_observation"][key])
    assert ended > 2 * NUM_ENVS


def test_games_go_on_from_their_seeds():
    env = fresh()
    assert env.states["seed"].tolist() == list(range(5, 5 + NUM_ENVS))
    first = [env.state_digest()]
    ended = np.zeros(NUM_ENVS, bool)
    while not ended.any():
        ended = env.step(random_actions(env))[2]
    row = int(np.argmax(ended))
    assert env.states["seed"][row] == next_seed(np.uint64(5 + row))
    env.seed(5)
    env.reset()
    first.append(env.state_digest())
    env.reset()
    first.append(env.state_digest())
    assert first[0] == first[1] != first[2]


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_reward_and_observation_are_the_learners_own(seat):
    """The tutorial's bug: the other side's observation with the own reward (PettingZoo 1147)."""
    env = fresh(seat=seat, reward="margin", opponents="greedy")
    ended = 0
    for _ in range(60):
        before = env.clone()
        seats = env.seats()
        seen, rewards, dones, infos = env.step(random_actions(env))
        for i in range(NUM_ENVS):
            if dones[i]:
                ended += 1
                scores = infos[i]["scores"]
                assert infos[i]["seat"] == seats[i]
                assert rewards[i] == scores[seats[i]] - scores[1 - seats[i]]
                # The end is seen from the learner's seat: its own secret colour is in the view.
                own = infos[i]["terminal_observation"][576:580]
                assert np.argmax(own) == before.states["secret"][i][seats[i]]
            else:
                assert env.states["to_play"][i] == seats[i]
                assert np.array_equal(seen[i], env.game.observe(env.states, int(seats[i]), i))
                assert np.array_equal(env.action_masks()[i], env.game.legal_mask(env.states, i))
    assert ended > NUM_ENVS
    if seat != "random":
        assert set(env.seats()) == {seat}
    else:
        assert set(env.seats()) == {0, 1}


def test_masks_answer_as_sb3_asks():
    """A batch that has the masks can return them (sb3-contrib 279)."""
    env = fresh()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), env.action_masks())
    assert is_masking_supported(VecNormalize(env))
    some = env.env_method("action_masks", indices=[2, 5])
    assert np.array_equal(some, env.action_masks()[[2, 5]])


def test_illegal_actions():
    env = fresh()
    for _ in range(3):  # at the start everything is legal
        env.step(random_actions(env))
    actions = random_actions(env)
    actions[3] = int(np.argmin(env.action_masks()[3]))
    before = env.state_digest()
    with pytest.raises(IllegalActionError, match="is not legal"):
        env.step(actions)
    assert env.state_digest() == before
    losing = fresh(illegal="lose")
    losing.set_state(env.get_state())
    _, rewards, dones, infos = losing.step(actions)
    assert rewards[3] == -1 and dones[3] and infos[3]["ranks"].tolist().count(1) == 1
    punished = fresh(illegal="penalty", illegal_reward=-0.25)
    punished.set_state(env.get_state())
    _, rewards, dones, _ = punished.step(actions)
    assert rewards[3] == -0.25 and not dones[3]


def test_wrong_use_is_told():
    with pytest.raises(GameOverError, match="reset"):
        SeatVecEnv("sarena", 2).step(np.zeros(2, int))
    with pytest.raises(StateError, match="reset"):
        SeatVecEnv("sarena", 2).get_state()
    with pytest.raises(ValueError, match="num_envs"):
        SeatVecEnv("sarena", 0)
    with pytest.raises(ValueError, match="render_mode"):
        SeatVecEnv("sarena", 2, render_mode="human")
    with pytest.raises(TypeError, match="option"):
        SeatVecEnv("sarena", 2, board="big")
    env = fresh()
    with pytest.raises(ValueError, match="shape"):
        env.step(np.zeros(3, int))
    with pytest.raises(AttributeError, match="action_masks"):
        env.env_method("fly")
    with pytest.raises(AttributeError):
        env.get_attr("wings")
    with pytest.raises(ValueError, match="one batch"):
        env.set_attr("opponents", "greedy", indices=[0])
    with pytest.raises(IndexError, match="doesn't exist"):
        env.env_method("action_masks", indices=NUM_ENVS)
    four = SeatVecEnv("sarena", NUM_ENVS, num_players=4)
    four.reset()
    with pytest.raises(StateError, match="players"):
        env.set_state(four.get_state())
    env.reset()
    saved = env.get_state()
    with pytest.raises(StateError, match="lengths"):
        env.set_state({**saved, "lengths": saved["lengths"] + 2**62})


def test_attributes_and_pictures():
    env = SeatVecEnv("sarena", 2, render_mode="rgb_array", num_players=3)
    assert env.get_attr("render_mode") == ["rgb_array"] * 2
    assert env.env_is_wrapped(Monitor) == [True] * 2
    assert env.env_is_wrapped(gymnasium.Wrapper, indices=[0, 1]) == [False, False]
    assert env.has_attr("action_masks") and not env.has_attr("wings")
    env.set_attr("opponents", "greedy")
    env.reset()
    picture = env.render()
    assert picture.dtype == np.uint8 and picture.ndim == 3
    assert env.env_method("render", indices=0)[0].shape == env.get_images()[0].shape
    env.close()


@pytest.mark.parametrize("copied", ["clone", "pickle", "state"])
def test_copies_in_mid_game_go_on_alike(copied):
    """Copies carry the game, not only the constructor's arguments (PettingZoo 1307)."""
    pool = OpponentPool("sarena", fixed={"greedy": 0.5})
    env = fresh(opponents=pool, num_players=3)
    for _ in range(15):
        env.step(random_actions(env))
    if copied == "clone":
        other = env.clone()
    elif copied == "pickle":
        other = pickle.loads(pickle.dumps(env))
    else:
        other = SeatVecEnv("sarena", NUM_ENVS, 3, opponents=pool)
        other.set_state(env.get_state())
    assert other.state_digest() == env.state_digest()
    for _ in range(30):
        actions = random_actions(env)
        for mine, theirs in zip(env.step(actions)[:3], other.step(actions)[:3], strict=True):
            assert np.array_equal(mine, theirs)
    assert other.state_digest() == env.state_digest()
    assert env.env_method("state_digests") == other.env_method("state_digests")


def test_threads_change_nothing():
    one, two = fresh(opponents="greedy"), fresh(opponents="greedy", num_threads=2)
    for _ in range(40):
        actions = random_actions(one)
        assert np.array_equal(one.step(actions)[0], two.step(actions)[0])
    assert one.state_digest() == two.state_digest()


def test_same_deals_as_the_batch_of_all_seats():
    batch = make_batch("sarena", NUM_ENVS)
    batch.reset(5)
    env = SeatVecEnv("sarena", NUM_ENVS)
    env.seed(5)
    env.reset()
    assert np.array_equal(batch.states["secret"], env.states["secret"])


class Counting:
    """A pool that records its calls."""

    def __init__(self):
        self.agents = [make_agent("greedy"), make_agent("random"), make_agent("greedy")]
        self.agents[1].is_uniform_random = False
        self.seeds, self.results = [], []

    def draw(self, seed):
        self.seeds.append(seed)
        return self.agents[seed % 3]

    def record(self, agent, result):
        self.results.append((agent, result))


def opponents_of(env: SeatVecEnv) -> list:
    others = (1 - env.seats()).tolist()
    return [env.opponent_of(row, seat) for row, seat in enumerate(others)]


def order(told):
    return id(told[0]), told[1]


def test_a_pools_agent_plays_its_game_to_the_end_and_is_recorded():
    pool = Counting()
    env = fresh(opponents=pool)
    opponents = opponents_of(env)
    played = 0
    for _ in range(60):
        before = len(pool.results)
        seats = env.seats()
        _, _, dones, infos = env.step(random_actions(env))
        told = pool.results[before:]
        ended = np.flatnonzero(dones)
        assert len(told) == len(ended)
        expected = []
        for i in ended:
            ranks = infos[i]["ranks"]
            result = int(np.sign(ranks[1 - seats[i]] - ranks[seats[i]]))
            expected.append((opponents[i], result))
        assert sorted(told, key=order) == sorted(expected, key=order)
        played += len(ended)
        now = opponents_of(env)
        for i in range(NUM_ENVS):
            assert dones[i] or now[i] is opponents[i]
        opponents = now
    assert played > NUM_ENVS


@pytest.mark.parametrize("policy", ["MlpPolicy", "MultiInputPolicy"])
def test_maskable_ppo_trains(policy):
    env = SeatVecEnv("sarena", 16, dict_observation=policy == "MultiInputPolicy")
    model = MaskablePPO(policy, env, n_steps=16, batch_size=64, n_epochs=1, seed=3, device="cpu")
    model.learn(16 * 16 * 4)
    assert len(model.ep_info_buffer) > 0
    assert {entry["r"] for entry in model.ep_info_buffer} <= {-1.0, 0.0, 1.0}
    mean, _ = evaluate_policy(model, env, n_eval_episodes=16)
    assert -1 <= mean <= 1


def test_sb3_wrappers_stand_on_it():
    env = VecNormalize(SeatVecEnv("sarena", 4), norm_obs=False)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, device="cpu")
    model.learn(64)


def test_an_evaluation_without_masks_comes_to_its_end(monkeypatch):
    """SB3's own evaluate_policy with an untrained PPO repeated one illegal action forever."""
    from stable_baselines3 import PPO
    from stable_baselines3.common.evaluation import evaluate_policy as evaluate

    from ludotheque.envs.core.interfaces import seats

    monkeypatch.setattr(seats, "MOST_PENALTIES", 20)
    env = SeatVecEnv("sarena", 2, illegal="penalty", illegal_reward=-0.1)
    model = PPO("MlpPolicy", env, n_steps=8, batch_size=8, seed=1)
    rewards, lengths = evaluate(model, env, n_eval_episodes=2, return_episode_rewards=True)
    # A few legal actions before the one that it repeats.
    assert min(lengths) >= 20 and max(rewards) < -1.9
    env = SeatVecEnv("sarena", 1, illegal="penalty")
    env.reset()
    for step in range(1, 21):
        env.step_async(np.array([-1]))
        _, _, dones, infos = env.step_wait()
        assert dones[0] == (step == 20)
    assert infos[0]["TimeLimit.truncated"] and infos[0]["episode"]["l"] == 20
    assert sorted(infos[0]["ranks"].tolist()) in ([1, 1], [1, 2])


# A model as an agent


def plain(kind, **settings):
    """A plain SB3 model on the Gymnasium environment, with a network of eight units."""
    env = gymnasium.make("ludotheque/Sarena-v0", illegal="lose", **settings)
    few = {"buffer_size": 10} if kind is DQN else {"n_steps": 8, "batch_size": 4}
    return kind("MultiInputPolicy", env, policy_kwargs={"net_arch": [8]}, seed=0, **few)


@pytest.mark.training
@pytest.mark.parametrize("kind", [MaskablePPO, PPO, DQN])
def test_a_model_that_sb3_saved_plays_legally(kind, tmp_path):
    """Its zip file is loaded as SB3 does; untrained, most of what it would choose is illegal."""
    plain(kind).save(tmp_path / "plain.zip")
    agent = SB3Agent("sarena", kind.load(tmp_path / "plain.zip"))
    twin = pickle.loads(pickle.dumps(agent))  # as executors send it
    first, second = (play_match("sarena", [one, "random"], range(12)) for one in (agent, twin))
    assert np.array_equal(first.scores, second.scores)
    assert len(np.unique(first.scores[:, 0])) > 1
    env = SeatVecEnv("sarena", 2, opponents=agent, seat=1)
    assert env.reset().shape[0] == 2  # the agent has the first move


@pytest.mark.training
def test_a_model_as_an_agent_chooses_as_sb3_does():
    model = plain(MaskablePPO, history=3)
    agent = SB3Agent("sarena", model, deterministic=True)
    assert (agent.observation, agent.history) == ("flat", 3)
    env = model.get_env()
    seen = env.reset()
    chosen = set()
    for _ in range(20):
        masks = get_action_masks(env)
        told, _ = model.predict(seen, action_masks=masks, deterministic=True)
        found = agent.act(seen["observation"], masks, histories=seen["history"])
        assert found.tolist() == told.tolist()
        chosen.add(int(found[0]))
        seen, *_ = env.step(told)
    assert len(chosen) > 5


@pytest.mark.training
def test_models_that_cannot_play_are_refused():
    with pytest.raises(TypeError, match="load it first"):
        SB3Agent("sarena", "model.zip")
    with pytest.raises(ValueError, match=r"chooses from Discrete.*sagani has"):
        SB3Agent("sagani", plain(PPO))
    envs = VecNormalize(SeatVecEnv("sarena", 4))
    scaled = PPO("MlpPolicy", envs, n_steps=8, batch_size=4, policy_kwargs={"net_arch": [8]})
    with pytest.raises(ValueError, match="VecNormalize"):
        SB3Agent("sarena", scaled)
    env = FlattenObservation(gymnasium.make("ludotheque/Sarena-v0", illegal="lose"))
    flat = PPO("MlpPolicy", env, n_steps=8, batch_size=4, policy_kwargs={"net_arch": [8]})
    with pytest.raises(ValueError, match="no observation form of sarena"):
        SB3Agent("sarena", flat)


@pytest.mark.parametrize("game", [get_game(name) for name in game_names()], ids=repr)
def test_afterstates_are_the_values_after_each_action(game):
    """Against flat observations, and the greedy agent's choices, which look at the same values."""
    flat, valued = (
        SeatVecEnv(game, 24, observation=form, opponents="greedy") for form in ("flat", FORM)
    )
    size, actions = flat.observation_space.shape[0], game.num_actions
    assert valued.observation_space.shape == (size + 1 + actions,)
    for env in (flat, valued):
        env.seed(8)
    plain, seen = flat.reset(), valued.reset()
    for _ in range(12):
        masks = valued.action_masks()
        assert seen.dtype == np.float32 and valued.observation_space.contains(seen[0])
        assert (seen[:, :size] == plain).all()
        below = seen[:, size + 1 :]
        assert (below[masks == 0] == 0).all() and (below <= 0).all() and (below >= -100).all()
        taken = query_agent(make_agent("greedy", game), valued.settings, valued.states)
        assert (below[np.arange(24), taken] == 0).all()
        states, seeds = determinized(valued.settings, valued.states)
        evaluate, step = game.kernels["evaluate"], game.kernels["step"]
        for row in range(24):
            for action in np.flatnonzero(masks[row]).tolist():
                after = states[row : row + 1].copy()
                seat = int(after[0]["to_play"])
                step(after[0], action)
                value = evaluate(after[0], seat, game.new_memo())
                worth = max(value - seen[row, size], -100.0)
                assert worth == pytest.approx(below[row, action], abs=1e-3)
        plain, seen = flat.step(taken)[0], valued.step(taken)[0]


@pytest.mark.parametrize("game", [get_game(name) for name in game_names()], ids=repr)
@pytest.mark.parametrize("valued_by", VALUERS)
def test_afterstates_tell_nothing_that_is_hidden(game, valued_by):
    """Games that the seat can't tell apart give the same observations."""
    env = SeatVecEnv(game, 32, observation=FORM, valued_by=valued_by)
    env.seed(4)
    env.reset()
    for _ in range(8):
        seen, _, dones, _ = env.step(random_actions(env))
    saved = env.get_state()
    for redraw in range(3):
        states = saved["states"].copy()
        for row in np.flatnonzero(~dones):
            seat = int(states[row]["to_play"])
            states[row] = game.determinize(states[row : row + 1], seat, redraw)[0]
        assert (states != saved["states"]).any()
        # By the seed of a game its decisions are repeatable; it is never observed.
        states["seed"] = saved["states"]["seed"]
        assert np.array_equal(env.set_state({**saved, "states": states}), seen)


def test_a_games_last_observation_has_no_values():
    env = SeatVecEnv("saga", 16, observation=FORM)
    env.seed(2)
    env.reset()
    size = get_game("saga").observation_size("flat")
    ended = 0
    while not ended:
        taken = query_agent(make_agent("greedy", "saga"), env.settings, env.states)
        _, _, dones, infos = env.step(taken)
        for row in np.flatnonzero(dones):
            last = infos[row]["terminal_observation"]
            assert last[:size].any() and not last[size:].any()
            ended += 1


def test_copies_of_environments_with_afterstates():
    env = SeatVecEnv("saga", 4, observation=FORM, valued_by=VALUERS)
    env.seed(6)
    env.reset()
    for twin in (env.clone(), pickle.loads(pickle.dumps(env))):
        actions = np.argmax(env.action_masks(), axis=1)
        saved = env.get_state()
        assert np.array_equal(env.step(actions)[0], twin.step(actions)[0])
        env.set_state(saved)


def test_afterstates_of_wrong_shapes_are_refused():
    """Kernels would play actions that don't exist."""
    game = get_game("sarena")
    env = fresh()
    afterstates = Afterstates(game, VALUERS)
    seen, masks = env.step(random_actions(env))[0], env.action_masks()
    states, seeds = determinized(env.settings, env.states)
    wide = np.ones((NUM_ENVS, game.num_actions + 1), np.int8)
    for asked in ((seen, wide, states), (seen, masks[1:], states), (seen[1:], masks, states)):
        with pytest.raises(ValueError, match="shape|observations for"):
            afterstates.observe(*asked, seeds)
    with pytest.raises(StateError, match="no records"):
        afterstates.observe(seen, masks, np.zeros(NUM_ENVS), seeds)
    with pytest.raises(ValueError, match="seeds"):
        afterstates.observe(seen, masks, states, seeds[1:])


def test_a_pickle_with_other_afterstates_is_refused():
    env = SeatVecEnv("saga", 4, observation=FORM)
    for wrong in (None, "greedy", Afterstates(get_game("saga"), VALUERS)):
        twin = env.clone()
        twin.afterstates = wrong
        with pytest.raises(StateError):
            pickle.loads(pickle.dumps(twin))
