"""Symptoms that people reported for environments like these, one test per report.

Each test is named after the symptom, and its docstring says where it was reported. Other files test
many of the promises in full; here is a short direct test of each symptom.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
import json
import pickle
import textwrap
import zipfile

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from ludotheque.agents import make_agent
from ludotheque.agents.rllib import rllib_aec, rllib_env
from ludotheque.envs import (
    IllegalActionError,
    game_names,
    get_game,
    make_batch,
    sarena_v0,
)
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.testing import conformance, contract, seed_everything

GAMES = [get_game(name) for name in game_names()]
SARENA = get_game("sarena")


def is_missing(module: str) -> bool:
    return importlib.util.find_spec(module) is None


needs_sb3 = pytest.mark.skipif(is_missing("sb3_contrib"), reason="needs the extra [train]")
needs_ray = pytest.mark.skipif(
    is_missing("ray"),
    reason="ray pins gymnasium 1.2.2, so it is never installed with the rest",
)


def in_mid_game(env, plies: int = 9, seed: int = 3):
    """Random legal actions of an AEC environment."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        env.step(conformance.random_legal(env, rng))
    return env


def an_illegal_action(env) -> int:
    return int(env.observe(env.agent_selection)["action_mask"].argmin())


# Copies and states


WRAPPERS = {
    "none": lambda env: env,
    "BaseWrapper": BaseWrapper,
    "OrderEnforcing": OrderEnforcingWrapper,
    "AssertOutOfBounds": AssertOutOfBoundsWrapper,
    "TerminateIllegal": lambda env: TerminateIllegalWrapper(env, illegal_reward=-1),
}


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS.keys())
@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copied_environment_holds_an_empty_game(how, wrap):
    """github.com/Farama-Foundation/PettingZoo/issues/1307

    EzPickle rebuilds an environment from its constructor's arguments: board, mask, rewards and
    chance are lost, so neither tree search nor checkpoints work.
    """
    env = in_mid_game(wrap(sarena_v0.env(num_players=3, reward="score_change")))
    twin = how(env)
    assert twin.unwrapped.state_digest() == env.unwrapped.state_digest()
    rng, other = np.random.default_rng(1), np.random.default_rng(1)
    for _ in range(10):
        assert conformance.difference(conformance.snapshot(env), conformance.snapshot(twin)) is None
        env.step(conformance.random_legal(env, rng))
        twin.step(conformance.random_legal(twin, other))


def test_a_copied_environment_has_no_cumulative_rewards():
    """github.com/Farama-Foundation/PettingZoo/issues/1186

    A step in a deep copy raised AttributeError: the copy was an object that was never reset.
    """
    twin = copy.deepcopy(in_mid_game(sarena_v0.env()))
    twin.step(twin.sample_legal())
    assert set(twin._cumulative_rewards) == set(twin.agents)


def test_there_is_no_standard_way_to_copy_a_state():
    """github.com/Farama-Foundation/PettingZoo/issues/1271

    get_state, set_state, clone and state_digest are public and documented in every interface.
    """
    environments = [
        sarena_v0.env(),
        sarena_v0.parallel_env(),
        SeatEnv("sarena"),
        SeatVectorEnv("sarena", 3),
        make_batch("sarena", 3),
    ]
    for env in environments:
        env.reset(seed=4)
        saved, digest = env.get_state(), env.state_digest()
        twin = env.clone()
        env.reset(seed=5)
        assert twin.state_digest() == digest != env.state_digest()
        env.set_state(saved)
        assert env.state_digest() == digest
        for name in ("get_state", "set_state", "clone", "state_digest"):
            assert getattr(type(env), name).__doc__


# Illegal actions


AGENTS = ["random", "greedy", "mcts:simulations=8"]


@pytest.mark.parametrize("spec", AGENTS)
def test_a_trained_agent_plays_illegal_moves(spec):
    """github.com/Farama-Foundation/PettingZoo/issues/863

    The policy was called without its mask. Our agents take the mask and can't ignore it, and
    sample_legal and Space.sample(mask) don't depend on remembering it.
    """
    agent = make_agent(spec, seed=1)
    states = np.concatenate([SARENA.new_state(seed) for seed in range(24)])
    masks = np.stack([SARENA.legal_mask(states, i) for i in range(24)])
    masks[np.arange(120) % 24 != np.arange(24)[:, None]] = 0
    seen = np.stack([SARENA.observe(states, int(s["to_play"]), i) for i, s in enumerate(states)])
    actions = agent.act(seen, masks, states=states)
    if not spec.startswith("mcts"):  # a search takes the legal actions from the states
        assert masks[np.arange(24), actions].all()
    assert all(SARENA.legal_mask(states, i)[a] for i, a in enumerate(actions))

    env = in_mid_game(sarena_v0.env())
    for _ in range(12):
        action = env.sample_legal()
        mask = env.observe(env.agent_selection)["action_mask"]
        assert mask[action]
        assert mask[env.action_space(env.agent_selection).sample(mask)]
        env.step(action)


def test_illegal_moves_end_games_at_once():
    """github.com/Farama-Foundation/PettingZoo/issues/181

    15 % of RLlib's moves in hanabi were illegal and ended the game. Ending it is a choice of the
    constructor, and by default the error names the move and whose it was.
    """
    env = in_mid_game(sarena_v0.env())
    action = an_illegal_action(env)
    seat = env.agent_selection.removeprefix("player_")
    text = rf"action {action} \({SARENA.action_to_string(action)}\) is not legal for seat {seat} "
    with pytest.raises(IllegalActionError, match=text):
        env.step(action)
    assert not any(env.terminations.values())
    env = in_mid_game(sarena_v0.env(illegal="lose"))
    env.step(an_illegal_action(env))
    assert all(env.terminations.values())


def test_no_penalty_without_ending_the_game():
    """github.com/Farama-Foundation/PettingZoo/issues/185"""
    env = in_mid_game(sarena_v0.env(illegal="penalty", illegal_reward=-0.3))
    agent, before = env.agent_selection, env.state_digest()
    env.step(an_illegal_action(env))
    assert env.rewards[agent] == pytest.approx(-0.3)
    assert not any(env.terminations.values())
    assert (env.agent_selection, env.state_digest()) == (agent, before)


@pytest.mark.parametrize("illegal", ["lose", "penalty"])
def test_check_env_crashes_because_it_samples_without_a_mask(illegal):
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/145"""
    check_env(gymnasium.make("ludotheque/Sarena-v0", illegal=illegal).unwrapped)


@needs_sb3
def test_check_env_of_sb3_crashes_because_it_samples_without_a_mask():
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/145"""
    from stable_baselines3.common.env_checker import check_env as check_env_of_sb3

    check_env_of_sb3(SeatEnv("sarena", illegal="lose"))


# Seeds


def test_an_environment_ignores_its_seed(run_python):
    """github.com/Farama-Foundation/PettingZoo/issues/1223

    Everything random is derived from the seed: two processes play the same game.
    """
    code = textwrap.dedent(
        """
        from ludotheque.envs import sarena_v0
        from ludotheque.testing import seed_everything
        env = sarena_v0.env(num_players=4)
        seed_everything(env, 12)
        while not env.terminations[env.agent_selection]:
            env.step(env.sample_legal())
        print(env.state_digest(), list(env.rewards.values()))
        """
    )
    results = [run_python(code, PYTHONHASHSEED=seed) for seed in ("1", "2")]
    assert results[0].returncode == 0, results[0].stderr
    assert results[0].stdout == results[1].stdout != run_python(code.replace("12", "13")).stdout


def test_a_seeded_run_is_not_repeated_because_spaces_have_their_own_luck():
    """github.com/Farama-Foundation/PettingZoo/issues/558"""

    def run() -> list[str]:
        env = sarena_v0.env()
        seed_everything(env, 6)
        seen = []
        for _ in range(20):
            env.step(
                int(env.action_space(env.agent_selection).sample(env.last()[0]["action_mask"]))
            )
            seen.append(env.state_digest())
        return seen

    assert run() == run()


# Masks


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_mask_does_not_fit_sample(game):
    """github.com/Farama-Foundation/PettingZoo/pull/1038 and /pull/1339

    Masks as lists, bool or int64 fail in Discrete.sample(mask), which requires int8 of its shape.
    """
    name = f"ludotheque/{game.name}-v{game.version}"
    conformance.check_mask_form(lambda: pettingzoo.make("aec", name))
    env = SeatEnv(game)
    seen, info = env.reset(seed=0)
    for _ in range(8):
        for mask in (seen["action_mask"], info["action_mask"], env.action_masks()):
            assert isinstance(mask, np.ndarray)
            assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,))
            assert mask[env.action_space.sample(mask)]
        seen, _, over, _, info = env.step(env.sample_legal())
        if over:
            break


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_large_action_spaces_break_the_simplex_check(game):
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/81, /195 and /247,
    github.com/DLR-RM/stable-baselines3/issues/1553 and /1596

    MaskablePPO died after 100 000 steps with 700 to 7830 actions: ours stay in the hundreds.
    """
    assert game.num_actions <= 500


@needs_sb3
def test_masked_distributions_are_sound_for_every_mask():
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/81

    Float32 logits, however far apart, with masks of real games, including the ends.
    """
    import torch
    from sb3_contrib.common.maskable.distributions import MaskableCategorical

    batch = make_batch("sarena", 256, autoreset=False)
    batch.reset(0)
    rng = torch.Generator().manual_seed(0)
    while not batch.terminated.all():
        logits = torch.randn((256, 120), generator=rng) * 60
        spread = MaskableCategorical(logits=logits, masks=batch.action_masks, validate_args=True)
        drawn = spread.sample().numpy()
        assert batch.action_masks[np.arange(256), drawn].all()
        assert torch.isfinite(spread.log_prob(torch.from_numpy(drawn))).all()
        if batch.terminated.any():
            break
        batch.step(drawn)


def test_a_mask_is_left_all_zeros():
    """github.com/DLR-RM/stable-baselines3/issues/1596

    A mask has a one whenever somebody acts; at the end it is all zeros for PettingZoo, whose agents
    then take no action, and all ones if a batch continues.
    """
    conformance.check_mask_form(sarena_v0.env, seed=1)
    batch, vector = make_batch("sarena", 16, 3), SeatVectorEnv("sarena", 16, 3)
    batch.reset(0)
    seen, _ = vector.reset(seed=0)
    for _ in range(100):
        assert batch.action_masks.any(axis=1).all()
        assert seen["action_mask"].any(axis=1).all()
        batch.step(batch.random_actions())
        seen, *_ = vector.step(vector.random_actions())


def test_actions_are_illegal_despite_the_mask():
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/200

    About 8 in 350 000 steps: the mask was read from a board that had changed. Here it is computed
    from the state on request, and agrees with a trial of every action.
    """
    conformance.check_masks_by_trial(sarena_v0.env, seed=8)
    env, other = in_mid_game(sarena_v0.env(), 4), in_mid_game(sarena_v0.env(), 20, seed=9)
    expected = other.observe(other.agent_selection)["action_mask"]
    env.observe(env.agent_selection)
    env.set_state(other.get_state())
    assert np.array_equal(env.observe(env.agent_selection)["action_mask"], expected)
    assert np.array_equal(env.infos[env.agent_selection]["action_mask"], expected)

    batch = make_batch("sarena", 512)
    batch.reset(0)
    rng = np.random.default_rng(0)
    for _ in range(60):  # illegal="raise": an action that the mask allows is never refused
        batch.step((batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1))


# Learning


@needs_sb3
def test_nobody_knows_how_to_train_many_agents_with_maskable_ppo():
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/250

    A class in the package, not in a tutorial: random seats, opponents from a pool.
    """
    from sb3_contrib import MaskablePPO

    from ludotheque.agents.pool import OpponentPool
    from ludotheque.agents.sb3 import SeatVecEnv

    pool = OpponentPool("sarena", fixed={"random": 0.5, "greedy": 0.5})
    env = SeatVecEnv("sarena", 8, 3, opponents=pool, seat="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0)
    model.learn(256)
    assert model.num_timesteps >= 256
    assert set(env.seats().tolist()) == {0, 1, 2}


@needs_sb3
def test_sb3_asks_each_environment_for_its_mask():
    """github.com/Stable-Baselines-Team/stable-baselines3-contrib/issues/279

    The batch has all masks in one array, and answers SB3's calls from it.
    """
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    from ludotheque.agents.sb3 import SeatVecEnv

    env = SeatVecEnv("sarena", 5)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (5, 120)
    assert np.array_equal(masks, env.action_masks())
    assert np.array_equal(env.env_method("action_masks", indices=[3])[0], masks[3])


def test_the_learner_is_handed_the_other_seats_observation_and_reward():
    """github.com/Farama-Foundation/PettingZoo/issues/1147

    The tutorial's step returns the opponent's observation and the own reward, and its agent wins
    27 % against random play. In ``test_ppo.py`` a short run beats random play from each seat.
    """
    for seat in (0, 1):
        env = SeatEnv("sarena", 2, seat=seat)
        turns = sarena_v0.env()
        won = []
        for seed in range(30):
            seen, _ = env.reset(seed=seed)
            total = 0.0
            over = False
            while not over:
                turns.reset(seed=seed)
                saved = {**turns.get_state(), "agent_selection": f"player_{seat}"}
                turns.set_state({**saved, "states": env.get_state()["states"]})
                mine = turns.observe(f"player_{seat}")
                assert np.array_equal(seen["observation"], mine["observation"])
                seen, reward, over, _, _ = env.step(env.sample_legal())
                total += reward
            _, ranks = env.results()
            won.append(total)
            assert total == (0 if ranks[0] == ranks[1] else 1 if ranks[seat] == 1 else -1)
        assert min(won) == -1 and max(won) == 1, "won and lost from this seat"


@needs_sb3
def test_there_is_no_standard_recipe_for_self_play(tmp_path):
    """github.com/Farama-Foundation/PettingZoo/issues/1067, github.com/ray-project/ray/issues/32382

    One command and one class: pool of past selves, random seats, ratings, resume.
    """
    from ludotheque.agents.league import League
    from ludotheque.agents.pool import SAMPLINGS
    from ludotheque.agents.ppo import TrainConfig, train

    for sampling in SAMPLINGS:
        out = tmp_path / sampling
        small = {"num_envs": 8, "n_steps": 8, "batch_size": 64, "net_arch": (8, 1, 8)}
        small |= {"pool_size": 2, "pool_sampling": sampling, "snapshot_every": 64}
        small |= {"eval_games": 2, "torch_threads": 1}
        first = train(TrainConfig(out=out, steps=128, **small))
        again = train(TrainConfig(out=out, steps=256, resume=True))
        assert (first.steps, again.steps) == (128, 256)
        run = json.loads(zipfile.ZipFile(out / "checkpoint" / "run.zip").read("run.json"))
        assert len(run["pool"]) == 2, "past selves are kept, the oldest dropped"
    table = League("sarena", {"trained": f"ppo:{again.model_path}", "random": "random"}).run(4)
    assert table.games == 4
    assert {row.name for row in table.rows} == {"trained", "random"}


# RLlib


def test_rllibs_action_masking_wants_other_keys():
    """github.com/ray-project/ray/issues/32850, /44452, /44780, /47361 and /52290

    RLlib's masked modules read "observations" and "action_mask", both float32. This needs no ray.
    """
    for form, shape in (("flat", (668,)), ("planes", (49, 6, 6))):
        env = rllib_aec("sarena", num_players=3, observation=form, deal="balanced")
        env.reset(seed=1)
        for agent in env.possible_agents:
            space = env.observation_space(agent)
            assert space is env.observation_space(agent)
            assert set(space.spaces) == {"observations", "action_mask"}
            seen = env.observe(agent)
            assert set(seen) == {"observations", "action_mask"}
            assert space.contains(seen)
            assert seen["observations"].shape == shape
            assert seen["observations"].dtype == seen["action_mask"].dtype == np.float32
            plain = env.unwrapped.observe(agent)
            assert np.array_equal(seen["observations"], plain["observation"])
            assert np.array_equal(seen["action_mask"], plain["action_mask"])
    twin = pickle.loads(pickle.dumps(env))
    assert twin.unwrapped.state_digest() == env.unwrapped.state_digest()


@pytest.mark.skipif(not is_missing("ray"), reason="ray is installed")
def test_without_ray_the_helper_says_what_is_missing():
    """github.com/ray-project/ray/issues/44452"""
    with pytest.raises(ImportError, match="rllib_env needs ray"):
        rllib_env("sarena")


@needs_ray
@pytest.mark.filterwarnings("ignore")  # ray's own, of several kinds
def test_rllibs_action_masking_example_trains():
    """github.com/ray-project/ray/issues/44452 and /52290: new API stack, ray 2.60."""
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import (
        ActionMaskingTorchRLModule,
    )
    from ray.tune.registry import register_env

    register_env("sarena", lambda config: rllib_env("sarena", **config))
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        config = (
            PPOConfig()
            .environment("sarena", env_config={"num_players": 2})
            .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *args, **kwargs: "shared")
            .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
            .env_runners(num_env_runners=0)
            .training(train_batch_size_per_learner=200, minibatch_size=100, num_epochs=1)
        )
        algorithm = config.build_algo()
        assert algorithm.train()["env_runners"]["num_episodes"] > 0
        for episode in algorithm.env_runner.sample(num_episodes=3):
            returns = [float(each.get_return()) for each in episode.agent_episodes.values()]
            assert sorted(returns) in ([-1, 1], [0, 0])
    finally:
        ray.shutdown()


def test_rllibs_first_check_samples_illegal_actions():
    """github.com/ray-project/ray/issues/27987"""
    for illegal in ("lose", "penalty"):
        env = rllib_aec("sarena", illegal=illegal)
        seed_everything(env, 0)
        for _ in range(200):
            if not env.agents or env.terminations[env.agent_selection]:
                env.reset()
            env.step(int(env.action_space(env.agent_selection).sample()))


# Kernels


def test_a_cache_crashes_when_the_number_of_threads_changes(run_python, tmp_path):
    """github.com/numba/numba/issues/7518, github.com/lmcinnes/pynndescent/pull/175

    Numba's parallel kernels can't be cached safely: ours are serial, with our own threads.
    """
    code = textwrap.dedent(
        """
        from ludotheque.envs import make_batch
        batch = make_batch("sarena", 512, num_threads=THREADS)
        batch.reset(1)
        for _ in range(40):
            batch.step(batch.random_actions())
        print(batch.state_digest())
        """
    )
    printed = set()
    for numba_threads, ours in (("1", "1"), ("2", "3"), ("1", "2")):
        result = run_python(code.replace("THREADS", ours), NUMBA_NUM_THREADS=numba_threads)
        assert result.returncode == 0, result.stderr
        printed.add(result.stdout)
    assert len(printed) == 1


# Hidden things


@pytest.mark.parametrize("setting", contract.settings(SARENA), ids=str)
def test_a_redraw_hands_over_the_opponents_real_cards(setting):
    """github.com/google-deepmind/open_spiel/pull/1613"""
    contract.check_determinize(setting, seed=21)
    contract.check_hidden_varies(setting, seed=21)


@pytest.mark.parametrize("form", ["flat", "planes"])
def test_an_observation_shows_hidden_things(form):
    """github.com/google-deepmind/open_spiel/pull/1613

    Every distribution of the other pawns looks the same from a seat.
    """
    states = in_mid_game(sarena_v0.env(num_players=2), 12).get_state()["states"]
    for seat in (0, 1):
        own = int(states["secret"][0, seat])
        seen = set()
        for rest in itertools.permutations([colour for colour in range(4) if colour != own]):
            changed = states.copy()
            changed["secret"][0] = [*rest[:seat], own, *rest[seat:]]
            seen.add(SARENA.observe(changed, seat, form=form).tobytes())
        assert len(seen) == 1


def test_observe_gives_the_current_agents_view_whoever_asks():
    """github.com/Farama-Foundation/PettingZoo/issues/355 and /pull/359"""
    env = in_mid_game(sarena_v0.env(num_players=4))
    states = env.get_state()["states"]
    views = [env.observe(agent) for agent in env.possible_agents]
    for seat, view in enumerate(views):
        assert np.array_equal(view["observation"], SARENA.observe(states, seat))
        assert view["observation"][576 + int(states["secret"][0, seat])] == 1
        assert view["action_mask"].any() == (seat == states["to_play"][0])
    assert len({view["observation"].tobytes() for view in views}) == 4
    conformance.check_observe_is_pure(sarena_v0.env, seed=2)


# Pictures


def test_pictures_need_a_display_or_are_black(run_python):
    """github.com/Farama-Foundation/PettingZoo/issues/778, github.com/openai/gym/pull/3037,
    github.com/pygame/pygame/issues/2463
    """
    pytest.importorskip("resvg_py", reason="rgb_array needs the extra [render]")
    code = textwrap.dedent(
        """
        import os, sys
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
            os.environ.pop(name, None)
        from ludotheque.envs import sarena_v0
        env = sarena_v0.env(render_mode="rgb_array")
        env.reset(seed=0)
        picture = env.render()
        assert picture.std() > 20 and picture.mean() > 30, "black"
        assert env._repr_svg_().lstrip().startswith("<svg")
        assert "pygame" not in sys.modules
        print(picture.dtype, picture.ndim, picture.shape[2])
        """
    )
    result = run_python(code)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["uint8", "3", "3"]


# The parallel form and rewards


def test_turn_based_games_have_no_parallel_form_or_a_stale_one():
    """github.com/Farama-Foundation/PettingZoo/issues/1273 and /pull/559

    Ours asks everybody and plays the action of the agent to act; all observations are current.
    """
    env = sarena_v0.parallel_env(num_players=3)
    seen, _ = env.reset(seed=0)
    for _ in range(10):
        mover = env.agent_selection
        actions = {agent: 0 for agent in env.agents}
        actions[mover] = int(np.flatnonzero(seen[mover]["action_mask"])[-1])
        seen, *_ = env.step(actions)
        for seat, agent in enumerate(env.agents):
            now = SARENA.observe(env.get_state()["states"], seat)
            assert np.array_equal(seen[agent]["observation"], now)


@pytest.mark.parametrize("reward", REWARDS)
def test_rewards_of_steps_and_returns_of_games_are_mixed_up(reward):
    """github.com/google-deepmind/open_spiel/issues/68

    Rewards of steps add up to the documented return of the game, and to 0 over the seats where they
    should.
    """
    contract.check_rewards(contract.Setting(SARENA, 3, {}), seed=5)
    env = sarena_v0.env(num_players=3, reward=reward)
    env.reset(seed=2)
    start = [score for score, _ in env.results().values()]
    total = np.zeros(3)
    told = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        _, got, over, _, _ = env.last()
        told[agent] += got
        env.step(None if over else env.sample_legal())
        if env.agents and not over:
            total += list(env.rewards.values())
    assert np.allclose(total, list(told.values()), atol=1e-5), "last() tells every reward once"
    scores = np.array([score for score, _ in env.results().values()])
    if reward in ("rank", "win"):
        assert abs(total.sum()) < 1e-6
    elif reward == "score":
        assert np.allclose(total, scores)
    elif reward == "score_change":
        assert np.allclose(total, scores - start)
    else:
        assert np.allclose(total, [scores[k] - np.delete(scores, k).max() for k in range(3)])
