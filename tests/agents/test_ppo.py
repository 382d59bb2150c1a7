"""Training by self-play, the pool of past selves, and trained policies as agents."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import zipfile
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from disks import disk_full_at

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.errors import FileError, StateError
from ludotheque.envs.core.files import LOCK
from ludotheque.envs.core.interfaces.opponents import query_agent

torch = pytest.importorskip("torch")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO  # noqa: E402

from ludotheque.agents import make_agent, policy, register_agent, specs  # noqa: E402
from ludotheque.agents.archives import read_archive, write_archive  # noqa: E402
from ludotheque.agents.baselines import baseline_path  # noqa: E402
from ludotheque.agents.networks import BoardNetwork, MlpNetwork, copy_network  # noqa: E402
from ludotheque.agents.policy import (  # noqa: E402
    ABOUT,
    PolicyAgent,
    PPOAgent,
    choose,
    save_model,
)
from ludotheque.agents.pool import SAMPLINGS, OpponentPool  # noqa: E402
from ludotheque.agents.ppo import TrainConfig, TrainResult, evaluate, train  # noqa: E402
from ludotheque.agents.ratings import wilson  # noqa: E402
from ludotheque.agents.sb3 import SeatVecEnv  # noqa: E402
from ludotheque.agents.targets import targets_of  # noqa: E402
from ludotheque.agents.training.checkpoint import pack_games, unpack_games  # noqa: E402
from ludotheque.agents.training.common import CHECKPOINT, STATE, checkpoint_source  # noqa: E402

pytestmark = pytest.mark.training
GAMES = [get_game(name) for name in game_names()]
SARENA = get_game("sarena")

TINY = {
    "steps": 2048,
    "num_envs": 32,
    "n_steps": 8,
    "batch_size": 64,
    "n_epochs": 2,
    "net_arch": (8, 1, 8),
    "pool_size": 2,
    "pool_sampling": "prioritized",
    "snapshot_every": 256,
    "eval_every": 512,
    "eval_games": 8,
    "checkpoint_every": 512,
    "torch_threads": 1,
}


def tiny(out: Path, **changes) -> TrainConfig:
    return TrainConfig(out=out, **{**TINY, **changes})


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> TrainResult:
    """A tiny run, complete."""
    return train(tiny(tmp_path_factory.mktemp("runs") / "finished"))


def checkpoint(out: Path) -> tuple[dict, dict[str, np.ndarray]]:
    source = checkpoint_source(out / CHECKPOINT)
    return read_archive(source, STATE, {})


def views(
    count: int, seed: int = 0, game: str = "sarena"
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Observations, masks and seeds from the middle of some games."""
    env = SeatVecEnv(game, count)
    env.seed(seed)
    env.reset()
    rng = np.random.default_rng(seed)
    for _ in range(6):
        masks = env.action_masks()
        seen = env.step(np.argmax(masks * rng.random(masks.shape), axis=1))[0]
    return seen, env.action_masks(), rng.integers(0, 1 << 64, count, np.uint64)


def write_members(path: Path, members: dict[str, str | bytes]) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)


# The run


def test_a_runs_files(finished: TrainResult):
    out = finished.out
    assert finished.steps == 2048 and not finished.interrupted
    lines = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    assert [(line["steps"], line["opponent"]) for line in lines] == [
        (steps, name) for steps in (512, 1024, 1536, 2048) for name in ("random", "greedy")
    ]
    for line, found in zip(lines, finished.evaluations, strict=True):
        assert line["win_rate"] == found.win_rate and sum(found.wins_by_seat) == found.wins
        assert found.low <= found.win_rate <= found.high
        assert found.wins + found.draws + found.losses == found.games == 8
    assert json.loads((out / "config.json").read_text())["net_arch"] == [8, 1, 8]
    assert list((out / "tensorboard").iterdir())
    assert finished.model_path == out / "model.zip" and finished.best_path == out / "best.zip"
    names = {path.name for path in out.rglob("*") if path.is_file()}
    assert {name for name in names if name.startswith(".")} == {LOCK}, "a temporary file is left"


def sitting(about: dict, arrays: dict[str, np.ndarray]) -> list[list[str | None]]:
    """Who plays each seat of each game; agents' numbers depend on when a run was resumed."""
    names = {one["number"]: one["name"] for one in about["agents"]}
    rows = zip(arrays["games/agent_of"].tolist(), arrays["games/learner"].tolist(), strict=True)
    return [
        [names.get(number) for seat, number in enumerate(row) if seat != own] for row, own in rows
    ]


def test_a_run_stopped_and_resumed_gives_the_same_weights(finished: TrainResult, tmp_path):
    def stop(done, total, text):
        if done == 1024:
            signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    result = train(tiny(tmp_path, progress=stop))
    assert result.interrupted and result.steps == 1024
    assert signal.getsignal(signal.SIGINT) is before
    assert PPOAgent("sarena", result.model_path).about["steps"] == 1024
    result = train(TrainConfig(out=tmp_path, resume=True, steps=2048))
    assert not result.interrupted and result.steps == 2048
    expected, found = checkpoint(finished.out), checkpoint(tmp_path)
    (about, arrays), (about_found, arrays_found) = expected, found
    assert set(arrays) == set(arrays_found)
    for name in set(arrays) - {"games/agent_of"}:
        assert np.array_equal(arrays[name], arrays_found[name]), name
    assert sitting(*expected) == sitting(*found)
    for name in ("pool", "evicted", "updates", "learning_rate_left"):
        assert about[name] == about_found[name]

    def played(evaluation):
        return evaluation.steps, evaluation.opponent, evaluation.wins

    assert [*map(played, result.evaluations)] == [*map(played, finished.evaluations)]


def test_training_at_a_full_table_with_a_variant(tmp_path):
    config = tiny(tmp_path, steps=512, num_players=4, options={"deal": "balanced"})
    result = train(config)
    assert [len(found.wins_by_seat) for found in result.evaluations] == [4, 4]
    about = PPOAgent("sarena", result.model_path, num_players=4).about
    assert about["options"] == {"deal": "balanced"} and about["num_players"] == 4


def test_training_leaves_the_callers_generators_alone(tmp_path):
    torch.manual_seed(1)
    np.random.seed(1)
    train(tiny(tmp_path, steps=256, eval_every=10**9, eval_opponents=()))
    drawn = torch.rand(1).item(), np.random.rand()
    torch.manual_seed(1)
    np.random.seed(1)
    assert drawn == (torch.rand(1).item(), np.random.rand())


def test_a_bar_is_shown_when_asked(tmp_path, capfd):
    train(tiny(tmp_path, steps=512, network="mlp", net_arch=(8,), progress=True))
    assert "512 steps" in capfd.readouterr().err


def test_minutes_are_kept(tmp_path):
    result = train(tiny(tmp_path, steps=None, minutes=0.05))
    assert result.steps >= 256 and result.seconds > 0.05 * 60 / 2
    with pytest.raises(ValueError, match="pass larger `minutes`"):
        train(TrainConfig(out=tmp_path, resume=True, minutes=0.0001))
    more = train(TrainConfig(out=tmp_path, resume=True, minutes=result.seconds / 60 + 0.05))
    assert more.steps > result.steps


def test_training_in_a_thread(tmp_path):
    """Signals belong to the main thread; a run elsewhere does without."""
    results = []
    config = tiny(tmp_path, steps=256, eval_opponents=("random",))
    thread = threading.Thread(target=lambda: results.append(train(config)))
    thread.start()
    thread.join()
    assert results[0].steps == 256


def test_ctrl_c_leaves_a_model_that_can_be_loaded_and_resumed(tmp_path):
    out = tmp_path / "run"
    code = (
        "from pathlib import Path; from ludotheque.agents.ppo import TrainConfig, train;"
        f"r = train(TrainConfig(out={str(out)!r}, minutes=5, num_envs=32, n_steps=8, "
        "batch_size=64, net_arch=(8, 1, 8), torch_threads=1, progress=lambda d, t, s: print(s)));"
        "print('interrupted', r.interrupted, r.steps)"
    )
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment
    )
    for line in process.stdout:
        if line.startswith("1,024 steps"):
            break
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert rest.splitlines()[-1].startswith("interrupted True")
    agent = make_agent(f"ppo:{out / 'model.zip'}")
    assert agent.about["steps"] >= 1024
    result = train(TrainConfig(out=out, resume=True, steps=agent.about["steps"] + 256))
    assert result.steps == agent.about["steps"] + 256


@pytest.mark.parametrize(
    "changes, named",
    [
        ({"steps": None}, "minutes or steps"),
        ({"minutes": -1}, "minutes is -1"),
        ({"batch_size": 100}, "divides"),
        ({"num_envs": 0}, "num_envs is 0"),
        ({"pool_sampling": "best"}, "pool_sampling"),
        ({"activation": "gelu"}, "activation"),
        ({"network": "deep"}, "network"),
        ({"network": "board", "observation": "planes"}, "flat observations"),
        ({"net_arch": (64, 64)}, "width, depth, head"),
        ({"net_arch": (8, -1, 4)}, "the minimum is"),
        ({"net_arch": (8.5, 0, 4)}, "whole numbers"),
        ({"network": "mlp", "net_arch": ()}, "whole numbers"),
        ({"network": "mlp", "observation": "afterstates"}, "needs network='board'"),
        ({"valued_by": ("mcts",)}, "valued_by is 'mcts'"),
        ({"valued_by": ("greedy", "greedy")}, "once each"),
        ({"valued_by": ()}, "one or both"),
        ({"valued_by": 5}, "valued_by is 5"),
        ({"teacher": "gredy"}, "greedy"),
        ({"teacher_steps": 0}, "teacher_steps is 0"),
        ({"num_players": 7}, "num_players"),
        ({"options": {"deal": "rigged"}}, "deal"),
        ({"reward": "fame"}, "reward"),
        ({"seed": 1 << 32}, "seed is 4294967296"),
        ({"seed": -1}, "seed is -1"),
        ({"resume": True}, "nothing to resume"),
    ],
)
def test_wrong_settings_are_told(tmp_path, changes, named):
    with pytest.raises(ValueError, match=named):
        tiny(tmp_path, **changes)


def test_a_run_that_diverges_says_so(tmp_path):
    with pytest.raises(ValueError, match=r"has diverged after .* lower learning_rate \(1e\+07\)"):
        train(tiny(tmp_path / "run", learning_rate=1e7, final_learning_rate=1e7))


@pytest.mark.parametrize(
    ("network", "net_arch"),
    [
        ("mlp", (9000, 9000)),
        ("mlp", (1000,) * 70),
        ("board", (9999, 9, 9)),
        ("board", (64, 9999, 9)),
    ],
)
def test_a_network_that_could_not_be_read_again_is_refused(tmp_path, network, net_arch):
    """Before it takes gigabytes."""
    with pytest.raises(ValueError, match=r"the network has \d+,.*fewer units"):
        tiny(tmp_path, network=network, net_arch=net_arch)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_grad_norm": float("inf")},
        {"clip_range": -1},
        {"gamma": 2.0},
        {"gae_lambda": float("nan")},
        {"ent_coef": -0.1},
        {"vf_coef": float("inf")},
        {"final_learning_rate": 0.0},
        {"reward_scale": float("inf")},
        {"vf_coef": 1e300},
        {"clip_range": 1e300},
        {"device": "td:/dev/zero"},
        {"network": "mlp", "net_arch": (1,) * 201},
    ],
)
def test_numbers_out_of_range_are_refused(tmp_path, wrong):
    """Infinity would be refused by whoever resumes the run: it isn't JSON."""
    with pytest.raises(ValueError, match=f"^{list(wrong)[-1]} (is|has) "):
        tiny(tmp_path, **wrong)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (("greedy", "gredy"), "Did you mean 'greedy'"),
        ("gredy", "Did you mean 'greedy'"),
        (("ppo:none.zip",), "none.zip"),
        ((make_agent("greedy"),), "give names of agents"),
        ((f"td:{baseline_path(get_game('sarena'), 3)}",), "with 3 players, not 2"),
    ],
)
def test_opponents_of_evaluations_are_checked_before_training(tmp_path, named, message):
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        tiny(tmp_path, eval_opponents=named)
    assert tiny(tmp_path, eval_opponents="greedy").eval_opponents == ("greedy",)


def test_a_model_as_large_as_allowed_is_read(tmp_path, monkeypatch):
    """SB3 keeps two networks, and two moments of every weight."""
    config = tiny(tmp_path, network="mlp", net_arch=(700, 700))
    model = config.make_model(SeatVecEnv("sarena", 8))
    for weight in model.policy.parameters():
        weight.grad = torch.zeros_like(weight)
    model.policy.optimizer.step()
    path = tmp_path / "large.zip"
    save_model(model, path, config.settings())
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("ludotheque.npz").file_size
    assert path.stat().st_size > 6 * size > 6_000_000
    monkeypatch.setattr(policy, "MOST_BYTES", size)
    assert PPOAgent("sarena", path).about["game"] == "sarena"


def test_a_teacher_is_named(tmp_path):
    with pytest.raises(TypeError, match="give an agent's name, like 'greedy'"):
        tiny(tmp_path / "run", teacher=make_agent("greedy"))


def test_players_and_folder_are_the_games_unless_told():
    config = TrainConfig(game="shamans", steps=1)
    assert (config.num_players, config.out) == (3, Path("runs/shamans"))


def test_what_was_learned_is_kept_if_an_evaluation_fails(finished: TrainResult, tmp_path):
    def broken(*_):
        raise OSError("the opponent's file is gone")

    with pytest.MonkeyPatch.context() as patched, pytest.raises(OSError, match="file is gone"):
        patched.setattr("ludotheque.agents.training.common.evaluate", broken)
        train(tiny(tmp_path))
    state, _ = checkpoint(tmp_path)
    assert state["steps"] > 0 and state["marks"]["evaluation"] == 0
    again = train(tiny(tmp_path, resume=True))
    assert again.steps == finished.steps and len(again.evaluations) > 0


def test_an_opponent_of_ones_own_needs_no_name(monkeypatch, tmp_path):
    class First:
        def __init__(self, game):
            pass

        def act(self, observations, masks, *, states=None, seeds=None):
            return masks.argmax(axis=1)

    monkeypatch.setattr(specs, "_registered", {})
    register_agent("first", First)
    mine = {"fixed_opponents": {"first": 0.5}, "eval_opponents": ("first",)}
    assert train(tiny(tmp_path, **mine)).steps == train(tiny(tmp_path / "usual")).steps


@pytest.mark.parametrize("full", ["checkpoint/run.zip", "model.zip", "best.zip"])
def test_a_disk_that_is_full_at_the_first_evaluation_loses_nothing(
    finished: TrainResult, full, tmp_path
):
    """A run isn't begun anew where there are models: a checkpoint has to come before them."""
    out = tmp_path / "run"
    with disk_full_at(out / full):
        train(tiny(out))
    again = train(tiny(out, resume=True))
    assert again.steps == finished.steps
    found, wanted = (
        [replace(one, seconds=0.0) for one in r.evaluations] for r in (again, finished)
    )
    assert found == wanted


def test_a_run_is_not_overwritten_or_resumed_as_another(finished: TrainResult):
    with pytest.raises(ValueError, match="holds a run already"):
        train(tiny(finished.out))
    with pytest.raises(ValueError, match="num_players=2, not 3"):
        TrainConfig(out=finished.out, resume=True, steps=9999, num_players=3)
    with pytest.raises(ValueError, match="pass larger `steps`"):
        train(TrainConfig(out=finished.out, resume=True, steps=2048))


def test_a_checkpoint_that_no_training_writes_is_called_damaged(finished: TrainResult, tmp_path):
    """Adam takes square roots of values derived from these."""
    for name in ("step", "exp_avg_sq"):
        out = tmp_path / name
        shutil.copytree(finished.out, out)
        about, arrays = checkpoint(out)
        arrays[f"adam/0/{name}"][...] = -7.0
        write_archive(out / CHECKPOINT, STATE, about, arrays)
        with pytest.raises(FileError, match=f"adam/0/{name} holds -7"):
            train(TrainConfig(out=out, resume=True, steps=9999))


def test_wilson_interval():
    """Against the example of Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    assert wilson(0, 0) == (0.0, 1.0)


def test_evaluation_counts_from_every_seat():
    settings = tiny(Path("unused"), num_players=3).settings()
    found = evaluate(make_agent("random"), "random", settings, 300, seed=1)
    assert found.games == 300 and len(found.wins_by_seat) == 3
    assert all(15 <= wins <= 52 for wins in found.wins_by_seat)
    assert found == evaluate(make_agent("random"), "random", settings, 300, seed=1)


def test_training_alone(tmp_path):
    """A solo game has no opponents: what counts is the score, and how often the goal is reached."""
    changes = {"game": "sagani", "eval_every": 1024, "net_arch": None}
    config = tiny(tmp_path, num_players=1, **changes)
    assert (config.reward, config.reward_scale) == ("score_change", 0.02), "what suits the game"
    other = tiny(tmp_path, num_players=1, reward="rank", **changes)
    assert (other.reward, other.reward_scale) == ("rank", 1.0)
    assert config.net_arch == (32, 0, 16), "the window has 400 places: each is seen alone"
    result = train(config)
    assert {found.opponent for found in result.evaluations} == {"alone"}
    last = result.evaluations[-1]
    env = SeatVecEnv("sagani", 8, 1, reward="score_change")
    scaled = SeatVecEnv("sagani", 8, 1, reward="score_change", reward_scale=0.01)
    agent, finals = PPOAgent("sagani", result.model_path), []
    for each in (env, scaled):
        each.seed(5)
        seen = each.reset()
    while len(finals) < 8:
        actions = agent.act(seen, env.action_masks(), seeds=np.arange(8, dtype=np.uint64))
        seen, rewards, dones, infos = env.step(actions)
        _, smaller, _, infos_scaled = scaled.step(actions)
        assert np.allclose(smaller, rewards * 0.01)
        for row in np.flatnonzero(dones):
            finals.append(infos[row]["scores"][0])
            assert infos_scaled[row]["episode"]["r"] == infos[row]["episode"]["r"] == finals[-1]
    again = evaluate(agent, "alone", config.settings(), config.eval_games, config.seed + last.steps)
    assert replace(last, steps=0, seconds=0.0) == again, "the saved model plays as it was evaluated"
    with pytest.raises(ValueError, match="reward_scale is 0"):
        tiny(tmp_path, reward_scale=0)


@pytest.mark.slow
def test_a_short_run_beats_random_from_each_seat(tmp_path):
    """The tutorial's agent won 0.27 of its games against random (PettingZoo 1147)."""
    config = TrainConfig(
        out=tmp_path,
        steps=49_152,
        num_envs=64,
        n_steps=32,
        batch_size=128,
        n_epochs=2,
        learning_rate=3e-3,
        fixed_opponents={"random": 1.0},
        eval_opponents=(),
        torch_threads=1,
    )
    agent = PPOAgent("sarena", train(config).model_path)
    found = evaluate(agent, "random", config.settings(), 1000, seed=3)
    # About 0.83, minus three interval widths for other machines' rounding.
    assert min(found.wins_by_seat) > 0.7 * 500, found


# The pool


def small_network(seed: int = 0) -> MlpNetwork:
    rng = np.random.default_rng(seed)
    sizes = (get_game("sarena").observation_size(), 8, 120)
    arrays = {}
    for k in range(2):
        arrays[f"weight_{k}"] = rng.standard_normal((sizes[k], sizes[k + 1]))
        arrays[f"bias_{k}"] = rng.standard_normal(sizes[k + 1])
    return MlpNetwork(arrays, "relu")


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_how_a_pool_draws(sampling):
    pool = OpponentPool("sarena", 4, sampling, {"greedy": 0.25})
    assert {pool.draw(seed).name for seed in range(40)} == {"random", "greedy"}
    for k in range(6):
        pool.add(small_network(k), f"self-{k}")
    assert [agent.name for agent in pool.selves] == [f"self-{k}" for k in range(2, 6)]
    for _ in range(300):
        pool.record(pool.selves[0], -1)
        pool.record(pool.selves[3], +1)
    pool.record(make_agent("greedy"), 1)
    names = [pool.draw(seed).name for seed in range(4000)]
    assert names == [pool.draw(seed).name for seed in range(4000)]
    counts = [names.count(f"self-{k}") for k in range(2, 6)]
    assert names.count("greedy") == pytest.approx(1000, abs=120)
    assert counts == pytest.approx(list(3000 * pool.weights()), abs=150)
    if sampling == "latest":
        assert counts[:3] == [0, 0, 0]
    elif sampling == "uniform":
        assert min(counts) > 600
    elif sampling == "recent":
        assert counts == sorted(counts) and counts[0] > 0
    else:
        assert counts[0] > counts[1] > counts[3] > 0


def test_a_pools_state_comes_back():
    pool = OpponentPool("sarena", 3, "prioritized", {"random": 0.1})
    for k in range(4):
        pool.add(small_network(k), f"self-{k}")
        pool.record(pool.selves[-1], k % 2)
    other = OpponentPool("sarena", 3, "prioritized", {"random": 0.1})
    other.set_state(pool.get_state())
    assert [other.draw(s).name for s in range(200)] == [pool.draw(s).name for s in range(200)]
    assert len(other.selves) == 3 and "3/3" in repr(other)


def test_a_game_is_finished_against_a_past_self_that_has_left():
    pool = OpponentPool("sarena", 1)
    pool.add(small_network(1), "old")
    env = SeatVecEnv("sarena", 16, opponents=pool)
    env.seed(1)
    env.reset()
    old = pool.selves[0]
    pool.add(small_network(2), "new")
    finished = np.zeros(16, bool)
    while not finished.all():
        playing = [
            env.opponent_of(row, seat) for row, seat in enumerate((1 - env.seats()).tolist())
        ]
        for i in range(16):
            assert playing[i] is (pool.selves[0] if finished[i] else old)
        actions = np.empty(16, np.int64)
        env.settings.loops.random_actions(env.states, 0, 16, actions)
        finished |= env.step(actions)[2]


def test_wrong_pools_are_told():
    with pytest.raises(ValueError, match="sampling"):
        OpponentPool("sarena", sampling="best")
    with pytest.raises(ValueError, match="capacity"):
        OpponentPool("sarena", 0)
    with pytest.raises(ValueError, match="sum to 1"):
        OpponentPool("sarena", fixed={"random": 0.7, "greedy": 0.7})
    with pytest.raises(ValueError, match="greddy"):
        OpponentPool("sarena", fixed={"greddy": 0.1})


# The agent


def test_the_agent_plays_what_the_policy_says(finished: TrainResult):
    agent = PPOAgent("sarena", finished.model_path, deterministic=True)
    model = MaskablePPO.load(finished.model_path, device="cpu")
    seen, masks, _ = views(200)
    expected, _ = model.predict(seen, deterministic=True, action_masks=masks)
    assert np.array_equal(agent.act(seen, masks), expected)
    distribution = model.policy.get_distribution(torch.from_numpy(seen), action_masks=masks)
    theirs = distribution.distribution.probs.detach().numpy()
    one = np.repeat(seen[:1], 20_000, axis=0), np.repeat(masks[:1], 20_000, axis=0)
    seeds = np.random.default_rng(1).integers(0, 1 << 64, 20_000, np.uint64)
    agent = PPOAgent("sarena", finished.model_path, temperature=1)
    drawn = np.bincount(agent.act(*one, seeds=seeds), minlength=120) / 20_000
    assert np.abs(drawn - theirs[0]).max() < 0.02


@pytest.mark.parametrize(
    "game, network, net_arch",
    [
        ("sarena", "board", (8, 1, 4)),
        ("sarena", "board", (6, 3, 8)),
        ("sagani", "board", (8, 0, 4)),
        ("sagani", "board", (4, 2, 4)),
        ("sarena", "mlp", (12,)),
        ("sarena", "mlp", (16, 8)),
    ],
)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_copied_networks_say_what_torch_says(tmp_path, game, network, net_arch, activation):
    config = tiny(tmp_path, game=game, network=network, net_arch=net_arch, activation=activation)
    env = SeatVecEnv(game, config.num_envs)
    model = config.make_model(env)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
    seen, masks, _ = views(50, game=game)
    distribution = model.policy.get_distribution(torch.from_numpy(seen)).distribution
    expected = distribution.logits.detach().numpy()
    found = copy_network(model.policy, env.game).logits(seen, masks)
    # Logits may differ by a number for each row: the same for legal and illegal actions.
    legal = masks.astype(bool)
    shift = (expected - found)[np.arange(50), legal.argmax(axis=1)][:, None]
    assert np.abs(expected - found - shift)[legal].max() < 1e-3


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_copied_network_on_afterstates_says_what_torch_says(tmp_path, game):
    valued = {"observation": "afterstates", "valued_by": ("greedy", "baseline")}
    config = tiny(tmp_path, game=game.name, net_arch=(4, 0, 4), **valued)
    env = SeatVecEnv(game, 24, config.num_players, **valued)
    env.seed(3)
    seen, masks = env.reset(), env.action_masks()
    model = config.make_model(env)
    with torch.no_grad():
        for parameter in model.policy.parameters():
            parameter += 0.2 * torch.randn_like(parameter)
        tensors = model.policy.obs_to_tensor(seen)[0]
        logits = model.policy.get_distribution(tensors, action_masks=masks).distribution.logits
    expected = logits.detach().numpy()
    found = copy_network(model.policy, env.game).logits(seen, masks)
    legal = masks.astype(bool)
    shift = (expected - found)[np.arange(24), legal.argmax(axis=1)][:, None]
    assert np.abs(expected - found - shift)[legal].max() < 2e-3


def test_a_large_pool_of_deep_networks_is_saved(tmp_path):
    config = tiny(tmp_path, network="mlp", net_arch=(4,) * 10)
    network = copy_network(config.make_model(SeatVecEnv("sarena", 32)).policy, SARENA)
    pool, again = OpponentPool("sarena", 1000), OpponentPool("sarena", 1000)
    for number in range(1000):
        pool.add(network, f"self-{number}")
    env, other = SeatVecEnv("sarena", 8, opponents=pool), SeatVecEnv("sarena", 8, opponents=again)
    env.seed(1)
    seen = env.reset()
    about, arrays = pack_games(env, pool)
    write_archive(tmp_path / "run.zip", STATE, about, arrays)
    about, arrays = read_archive(checkpoint_source(tmp_path / "run.zip"), STATE, {})
    assert np.array_equal(unpack_games(other, again, about, arrays, network), seen)
    assert [agent.name for agent in again.selves] == [agent.name for agent in pool.selves]


def test_fixed_opponents_with_settings_are_resumed(finished: TrainResult, tmp_path):
    """Agents whose own name isn't what the run calls them, and two of one name."""
    named = {
        "greedy:seed=3": 0.2,
        f"ppo:{finished.model_path}": 0.3,
        f"ppo:{finished.best_path}": 0.3,
    }
    settings = {"fixed_opponents": named, "eval_opponents": (), "steps": 1024}

    def stop(done, total, text):
        if done == 512:
            signal.raise_signal(signal.SIGINT)

    whole = train(tiny(tmp_path / "whole", **settings))
    train(tiny(tmp_path / "parts", **settings, progress=stop))
    assert {one["name"] for one in checkpoint(tmp_path / "parts")[0]["agents"]} >= set(named)
    parts = train(TrainConfig(out=tmp_path / "parts", resume=True, steps=1024))
    expected, found = checkpoint(whole.out), checkpoint(parts.out)
    assert sitting(*expected) == sitting(*found)
    for name in set(expected[1]) - {"games/agent_of"}:
        assert np.array_equal(expected[1][name], found[1][name]), name


TAUGHT = {"observation": "afterstates", "teacher": "greedy", "teacher_steps": 512}


def test_a_taught_run_stopped_and_resumed_gives_the_same_weights(tmp_path):
    """Stopped while it is taught, and again afterwards."""
    settings = {"eval_opponents": (), "snapshot_every": 256, "steps": 1024, **TAUGHT}
    whole = train(tiny(tmp_path / "whole", **settings))
    for when in (256, 768):

        def stop(done, total, text, when=when):
            if done == when:
                signal.raise_signal(signal.SIGINT)

        out = tmp_path / "parts"
        part = train(tiny(out, **settings, resume=when > 256, progress=stop))
        assert part.interrupted and part.steps == when
    parts = train(TrainConfig(out=out, resume=True, steps=1024))
    assert whole.steps == parts.steps == 1024
    expected, found = checkpoint(whole.out)[1], checkpoint(parts.out)[1]
    for name in set(expected) - {"games/agent_of"}:
        assert np.array_equal(expected[name], found[name]), name


def test_a_pupil_plays_as_its_teacher(tmp_path):
    """Without afterstates, so that it has to learn; agreement is counted on other deals."""

    def agreement(network) -> float:
        env = SeatVecEnv("sarena", 200, opponents="greedy")
        env.seed(77)
        env.reset()
        teacher, pupil = make_agent("greedy"), PolicyAgent("sarena", network, deterministic=True)
        same = 0.0
        for _ in range(5):
            taught = query_agent(teacher, env.settings, env.states)
            same += np.mean(taught == query_agent(pupil, env.settings, env.states))
            env.step(taught)
        return same / 5

    steps = 16 * 2048
    config = tiny(tmp_path, steps=steps, teacher="greedy", teacher_steps=steps, eval_opponents=())
    untaught = copy_network(config.make_model(SeatVecEnv("sarena", 32)).policy, SARENA)
    taught = PPOAgent("sarena", train(config).model_path).network
    assert agreement(taught) > 2 * agreement(untaught)


def test_a_model_on_afterstates_plays_everywhere(tmp_path):
    result = train(tiny(tmp_path, steps=256, **{**TAUGHT, "teacher_steps": 256}))
    spec = f"ppo:{result.model_path}"
    agent = make_agent(spec)
    assert agent.needs_states and agent.observation == "flat"
    env = gymnasium.make("ludotheque/Sarena-v0", opponents=spec)
    env.reset(seed=1)
    again = MaskablePPO.load(result.model_path)
    assert again.policy.valued_by == ("greedy",)
    masks = np.ones((1, 120), np.int8)
    nobody = agent.act(np.zeros((0, 668), np.int8), masks[:0], states=SARENA.new_states(0))
    assert nobody.shape == (0,)
    with pytest.raises(ValueError, match="pass states"):
        agent.act(np.zeros((1, 668), np.int8), masks)
    with zipfile.ZipFile(result.model_path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members[ABOUT])
    for wrong in (["somebody"], 5, None, True, "greedy", {"greedy": 1}, [["greedy"]]):
        about["network"]["valued_by"] = wrong
        write_members(tmp_path / "other.zip", {**members, ABOUT: json.dumps(about)})
        with pytest.raises(FileError, match="valued_by"):
            make_agent(f"ppo:{tmp_path / 'other.zip'}")


@pytest.mark.parametrize("game", [game for game in GAMES if game.targets], ids=repr)
def test_actions_say_what_they_are_about(game):
    """Every pair names a row of the flat observation, and legal actions of a kind differ."""
    fields = {field.name: field for field in game.observation_schema("flat")}
    seen = set()
    for action in range(game.num_actions):
        about = game.targets(action)
        assert len(about) <= 2
        for name, row in about:
            shape = fields[name].shape
            rows = shape[1] * shape[2] if len(shape) == 3 else shape[0]
            assert 0 <= row < rows, (action, name, row)
        assert not about or about not in seen, f"{about} says nothing apart of two actions"
        seen.add(about)


def test_a_board_network_checks_its_game():
    layout = targets_of(get_game("sarena"))
    assert layout.grid == (6, 6) and layout.planes.shape == (36, 16)
    assert len(layout.rest) == get_game("sarena").observation_size() - layout.planes.size
    assert layout.framed[[0, 5, 35]].tolist() == [9, 14, 54]
    model = tiny(Path("unused")).make_model(SeatVecEnv("sarena", 32))
    network = copy_network(model.policy, get_game("sarena"))
    arrays = {**network.arrays, "thing": np.zeros((25, 8))}
    with pytest.raises(ValueError, match="25 things"):
        BoardNetwork(arrays, get_game("sarena"))
    seen, masks, _ = views(6)
    for wrong in ((seen[:, :100], masks), (seen, masks[:, :100]), (seen[:3], masks)):
        with pytest.raises(ValueError, match="the policy needs"):
            network.logits(*wrong)


def test_the_agent_depends_on_its_seeds_alone(finished: TrainResult):
    agent = PPOAgent("sarena", finished.model_path)
    seen, masks, seeds = views(64)
    together = agent.act(seen, masks, seeds=seeds)
    alone = [
        agent.act(seen[i : i + 1], masks[i : i + 1], seeds=seeds[i : i + 1])[0] for i in range(64)
    ]
    assert together.tolist() == alone
    assert together.tolist() != agent.act(seen, masks, seeds=seeds[::-1]).tolist()
    own = [PPOAgent("sarena", finished.model_path, seed=4).act(seen, masks) for _ in range(2)]
    assert np.array_equal(*own)


def test_a_pickled_agent_is_checked_like_a_new_one(finished: TrainResult):
    agent = PPOAgent("sarena", finished.model_path, seed=4)
    seen, masks, _ = views(8)
    again = pickle.loads(pickle.dumps(agent))
    assert again.path == agent.path and again.about == agent.about
    assert np.array_equal(again.act(seen, masks), agent.act(seen, masks))
    for name, wrong in (("temperature", float("nan")), ("temperature", -1), ("network", None)):
        agent = PPOAgent("sarena", finished.model_path)
        setattr(agent, name, wrong)
        with pytest.raises(StateError):
            pickle.loads(pickle.dumps(agent))


def test_the_agent_never_ignores_the_mask(finished: TrainResult):
    """Even if the policy is sure of an illegal action (PettingZoo 863)."""
    rng = np.random.default_rng(0)
    logits = np.where(rng.random((500, 120)) < 0.5, 1e4, -1e4).astype(np.float32)
    masks = (rng.random((500, 120)) < 0.03).astype(np.int8)
    masks[np.arange(500), rng.integers(0, 120, 500)] = 1
    for seeds in (
        None,
        rng.integers(0, 1 << 64, 500, np.uint64),
        np.full(500, 2**64 - 1, np.uint64),
    ):
        assert masks[np.arange(500), choose(logits, masks, seeds)].all()
    masks[7] = 0
    with pytest.raises(ValueError, match="row 7 has no legal action"):
        choose(logits, masks, None)


def test_the_agent_reads_no_code_and_needs_no_torch(finished: TrainResult, run_python):
    code = (
        "import sys; from ludotheque.agents import make_agent;"
        f"make_agent('ppo:{finished.model_path}');"
        "sys.exit('torch' in sys.modules or 'stable_baselines3' in sys.modules)"
    )
    assert run_python(code).returncode == 0


def changed(source: Path, target: Path, **changes) -> Path:
    """A copy of a model with other metadata."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == ABOUT:
                data = json.dumps({**json.loads(data), **changes}).encode()
            new.writestr(name, data)
    return target


@pytest.mark.parametrize(
    "changes, named",
    [
        ({"game": "chess", "version": 3}, "chess_v3.*can't play sarena"),
        ({"version": 99}, "sarena_v99.*retrain it"),
        ({"observation": "planes"}, "from 668 numbers"),
    ],
)
def test_a_model_of_another_game_is_refused(finished, tmp_path, changes, named):
    path = changed(finished.model_path, tmp_path / "other.zip", **changes)
    with pytest.raises(ValueError, match=named):
        make_agent(f"ppo:{path}")


def test_what_is_no_model_is_refused(finished: TrainResult, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.zip"):
        make_agent("ppo:nowhere.zip")
    with pytest.raises(ValueError, match="ppo:PATH"):
        make_agent("ppo")
    (tmp_path / "text.zip").write_text("hello")
    for path in (tmp_path / "text.zip", tmp_path):
        with pytest.raises(ValueError, match="not a model file"):
            make_agent(f"ppo:{path}")
    model = MaskablePPO("MlpPolicy", SeatVecEnv("sarena", 2), n_steps=2, batch_size=2, device="cpu")
    model.save(tmp_path / "plain.zip")
    with pytest.raises(ValueError, match="save_model"):
        make_agent(f"ppo:{tmp_path / 'plain.zip'}")
    with pytest.raises(ValueError, match="2 players, not 4"):
        PPOAgent("sarena", finished.model_path, num_players=4)
    with pytest.raises(ValueError, match="temperature"):
        PPOAgent("sarena", finished.model_path, temperature=0)
    with pytest.raises(ValueError, match="temperature is 'cold'; give a finite number"):
        make_agent(f"ppo:{finished.model_path},temperature=cold")
    with pytest.raises(ValueError, match="deterministic is 'no'"):
        make_agent(f"ppo:{finished.model_path},deterministic=no")


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("ludotheque.json", b"", "damaged"),
        ("ludotheque.json", b"[]", "save_model"),
        ("ludotheque.json", b"{}", "has no game"),
        ("ludotheque.npz", b"", "damaged"),
        ("ludotheque.npz", b"PK", "damaged"),
    ],
)
def test_a_damaged_model_is_refused(finished: TrainResult, tmp_path, name, content, told):
    path = tmp_path / "damaged.zip"
    with zipfile.ZipFile(finished.model_path) as good, zipfile.ZipFile(path, "w") as damaged:
        for member in good.namelist():
            damaged.writestr(member, content if member == name else good.read(member))
    with pytest.raises(ValueError, match=f"damaged.zip.*{told}"):
        make_agent(f"ppo:{path}")


def test_ones_own_model_becomes_an_agent(tmp_path):
    env = SeatVecEnv("sarena", 4, num_players=3, observation="planes", deal="balanced")
    model = MaskablePPO("MlpPolicy", env, n_steps=8, batch_size=32, n_epochs=1, device="cpu")
    model.learn(32)
    save_model(model, tmp_path / "mine.zip", env.settings)
    agent = make_agent(f"ppo:{tmp_path / 'mine.zip'}")
    assert agent.about["num_players"] == 3 and agent.about["options"] == {"deal": "balanced"}
    found = evaluate(agent, "random", env.settings, 30, seed=0)
    assert found.games == 30


def test_a_policy_plays_a_seat_of_any_environment():
    agent = PolicyAgent("sarena", small_network())
    env = SeatVecEnv("sarena", 8, num_players=4, opponents=[agent, "greedy", "random", agent])
    env.seed(0)
    env.reset()
    for _ in range(20):
        actions = np.empty(8, np.int64)
        env.settings.loops.random_actions(env.states, 0, 8, actions)
        env.step(actions)
