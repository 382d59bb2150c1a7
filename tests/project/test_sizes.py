"""Absurdly large numbers are refused with a message: nothing is allocated, and nothing hangs."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command import run_command

from ludotheque.agents import make_agent
from ludotheque.agents.executors import ProcessExecutor
from ludotheque.agents.league import League
from ludotheque.agents.pool import OpponentPool
from ludotheque.envs import get_game, make_batch
from ludotheque.envs.core.errors import MOST
from ludotheque.envs.core.interfaces.gym import SeatVectorEnv

HUGE = (10**10, 2**63, 10**30)
# For each, the largest feasible number is far below ten billion.
SIZES = {
    "mcts, simulations": lambda n: make_agent("mcts", simulations=n),
    "mcts, trees": lambda n: make_agent("mcts", determinize="tree", trees=n),
    "mcts, num_threads": lambda n: make_agent("mcts", num_threads=n),
    "baseline, simulations": lambda n: make_agent("baseline", simulations=n),
    "baseline, num_threads": lambda n: make_agent("baseline", num_threads=n),
    "batch, num_envs": lambda n: make_batch("sarena", n),
    "batch, num_threads": lambda n: make_batch("sarena", 4, num_threads=n),
    "vector, num_envs": lambda n: SeatVectorEnv("sarena", n),
    "league, batch_size": lambda n: a_league().run(2, batch_size=n),
    "league, games_per_pair": lambda n: a_league().run(n),
    "executor, workers": ProcessExecutor,
}
# Large numbers are harmless here: the excess is ignored, or never reached.
COUNTS = {
    "mcts, leaf_plies": lambda n: make_agent("mcts", leaf_plies=n),
    "vector, max_episode_steps": lambda n: SeatVectorEnv("sarena", 1, max_episode_steps=n),
    "pool, capacity": lambda n: OpponentPool("sarena", n),
    "game, number": get_game("sarena").explain,
}
SETTINGS = {
    "td": ("width", "pieces", "piece_rows", "window", "batch_size", "pool_size", "eval_games"),
    "search": ("simulations", "lesson_width", "lesson_window", "num_threads", "torch_threads"),
    "policy": ("epochs", "choice_batch"),
    "ppo": ("num_envs", "n_steps", "batch_size", "n_epochs", "pool_size", "torch_threads"),
}


def a_league() -> League:
    return League("sarena", {"a": "random", "b": "random"})


def refused(call, what: str, number: int) -> None:
    name = what.rpartition(", ")[2]
    with pytest.raises(ValueError, match=rf"{name}.* is {number}[;,].* (to|most) \d"):
        call(number)


@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("what", SIZES)
def test_a_size_that_nothing_has_room_for_is_refused(what, number):
    refused(SIZES[what], what, number)


@pytest.mark.parametrize("what", COUNTS)
def test_a_count_that_no_integer_holds_is_refused(what):
    refused(COUNTS[what], what, MOST + 1)


def config_of(method: str):
    """Return the class of a training's settings."""
    config = pytest.importorskip("ludotheque.agents.training.config", reason="needs [train]")
    from ludotheque.agents.td.trainer import CONFIGS

    return {"ppo": config.TrainConfig, **CONFIGS}[method]


SWEPT = {
    "td": {"width": np.int64(8), "trace": np.float32(0.5)},
    "ppo": {
        "learning_rate": np.float32(0.25),
        "fixed_opponents": {np.str_("greedy"): np.float32(0.5)},
        "net_arch": np.array([8, 1, 8]),
        "valued_by": (np.str_("greedy"),),
    },
}


@pytest.mark.training
@pytest.mark.parametrize("method", SWEPT)
def test_numbers_of_numpy_are_settings_of_a_training(method, tmp_path):
    """As in sweeps over ``np.arange``; they used to end in another library's TypeError."""
    start = {3: np.int64(12), 4: np.int64(11), 5: np.int8(10)}
    common = {
        "num_players": np.int64(3),
        "seed": np.uint64(3),
        "steps": np.int64(3000),
        "minutes": np.float64(1.5),
        "eval_games": np.int16(4),
        "eval_opponents": [np.str_("random")],
        "keep_models": np.True_,
        "options": {"track": {"start": start, "moon": np.int64(24)}},
        "out": tmp_path,
    }
    swept = SWEPT[method]
    config = config_of(method)(game="shamans", **common, **swept)
    saved = json.loads(config.to_json())
    assert saved["keep_models"] is True and saved["seed"] == 3 and saved["steps"] == 3000
    assert saved["options"] == {"track": {"start": {"3": 12, "4": 11, "5": 10}, "moon": 24}}
    for name, value in swept.items():
        told = value.tolist() if isinstance(value, np.ndarray) else value
        assert saved[name] == (list(told) if isinstance(told, tuple) else told)


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keep_models", 1),
        ("keep_models", np.array(True)),
        ("eval_games", np.array(4)),
        ("eval_games", np.array([4])),
        ("eval_games", np.True_),
        ("seed", np.array(3)),
        ("learning_rate", np.array(0.1)),
    ],
)
def test_what_is_no_number_is_no_setting_of_a_training(method, name, value, tmp_path):
    with pytest.raises(ValueError, match=name):
        config_of(method)(game="sarena", steps=100, out=tmp_path, **{name: value})


@pytest.mark.training
@pytest.mark.parametrize("number", HUGE)
@pytest.mark.parametrize("method", SETTINGS)
def test_sizes_of_a_training_are_refused(method, number, tmp_path):
    config = config_of(method)
    for name in SETTINGS[method]:
        settings = {"game": "sarena", "steps": 100, "out": tmp_path, name: number}
        refused(lambda _, one=settings: config(**one), name, number)
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    "arguments",
    [
        ("league", "--agents", "random,greedy", "--games", "10000000000"),
        ("league", "--agents", "random,mcts:simulations=10000000000"),
        ("watch", "--agents", "mcts:simulations=10000000000"),
        ("watch", "--agents", "random", "--seconds", "10000000000"),
        ("train", "--steps", "1" + 30 * "0"),
        ("train", "--minutes", "inf"),
        ("train", "--steps", "10", "--seed", "1" + 30 * "0"),
    ],
    ids=" ".join,
)
def test_commands_refuse_numbers_beyond_reason(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run_command(arguments, "", {"PATH": "", "HOME": str(tmp_path)})
    assert done.returncode == 2, done.stderr
    told = "3600" if "--seconds" in arguments else arguments[-1].rpartition("=")[2]
    assert told in done.stderr and "Traceback" not in done.stderr
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
