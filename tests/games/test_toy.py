"""The worked example: a game outside the package gets every interface, agent, picture and check."""

from __future__ import annotations

import dataclasses
import pickle
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pettingzoo
import pytest
import toy
from toy.position import set_position

import ludotheque.envs
from ludotheque.agents import make_agent
from ludotheque.agents.league import League
from ludotheque.agents.match import play_match
from ludotheque.envs import get_game, make_batch, register_game
from ludotheque.envs.core.interfaces import registry
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.replay import Replay, load_replays
from ludotheque.testing import AEC_CHECKS, GAME_CHECKS, settings
from ludotheque.testing.files import FILE_CHECKS

with warnings.catch_warnings():
    # PettingZoo's tests import its own connect four, which warns of its own old ways.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, parallel_api_test, seed_test

GAME = toy.GAME
TAKEN_OUT = [f"ludotheque/{name}-v0" for name in ("Toy", "toy", "NoughtsCrosses", "noughts")]


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """The game is known while a test runs, and the others find five games as before."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    for known in (gymnasium.registry, pettingzoo.aec_registry, pettingzoo.parallel_registry):
        for name in TAKEN_OUT:
            monkeypatch.setitem(known, name, None)  # taken out again with what the game puts there
            del known[name]
    register_game(GAME)


def test_it_is_as_short_as_the_docs_say():
    files = Path(toy.__file__).parent.rglob("*.py")
    lines = [line for path in files for line in path.read_text().splitlines() if line.strip()]
    assert len(lines) < 150


@pytest.mark.parametrize("check", FILE_CHECKS, ids=lambda check: check.__name__)
def test_the_file_contract_holds(check):
    check("toy")


def test_a_position_can_be_set():
    states = GAME.new_state(1)
    set_position(states, squares=[1, 1, 0, 2, 2, 0, 0, 0, 0], to_play=1)
    GAME.step(states, GAME.action_from_string("c2"))
    assert GAME.returns(states)[1].tolist() == [2, 1]
    with pytest.raises(ValueError, match="square is 3"):
        set_position(states, squares=[3] * 9)


def test_it_is_known_by_its_name():
    assert get_game("toy") is GAME
    assert "toy" in ludotheque.envs.game_names()
    with pytest.raises(ValueError, match="a game 'sarena' already exists"):
        register_game(dataclasses.replace(GAME, name="sarena"))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "a/../b"}, "isn't an identifier"),
        ({"title": ""}, "the name on the box"),
        ({"version": 1.5}, "version of 'toy' is 1.5"),
        ({"player_counts": ()}, "give a tuple of counts"),
        ({"player_counts": (2, 200)}, "is 200; give a whole number from 1 to 127"),
        ({"num_actions": 40_000}, "from 1 to 32767"),
        ({"max_plies": 0}, "max_plies of 'toy' is 0"),
        ({"dtype": np.dtype([("square", np.int8)])}, "use game_dtype"),
    ],
    ids=str,
)
def test_a_game_that_breaks_the_contract_is_refused_at_once(changes, told):
    with pytest.raises(ValueError, match=told):
        dataclasses.replace(GAME, **changes)


@pytest.mark.parametrize("title", ["Sarena", "T o y", "?!"])
def test_a_title_whose_id_another_game_has_is_refused(title):
    """Gymnasium's id would make the other game."""
    game = dataclasses.replace(GAME, name="mine", title=title)
    with pytest.raises(ValueError, match="give your game another title"):
        register_game(game)
    assert "mine" not in ludotheque.envs.game_names()


def test_a_title_may_have_spaces():
    register_game(dataclasses.replace(GAME, name="noughts", title="Noughts & Crosses"))
    env = gymnasium.make("ludotheque/NoughtsCrosses-v0")
    assert env.unwrapped.settings.game.name == "noughts"


def test_only_games_are_registered():
    with pytest.raises(TypeError, match="give a Game"):
        register_game(toy)


def test_it_survives_a_pickle():
    assert pickle.loads(pickle.dumps(GAME)) is GAME


@pytest.mark.parametrize("check", GAME_CHECKS, ids=lambda check: check.__name__)
def test_the_engine_contract_holds(check):
    for setting in settings(GAME):
        check(setting)


@pytest.mark.parametrize("check", AEC_CHECKS, ids=lambda check: check.__name__)
def test_the_aec_checks_hold(check):
    check(lambda: TurnBasedEnv("toy"))


@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
def test_pettingzoo_takes_it():
    make = lambda: pettingzoo.make("aec", "ludotheque/toy-v0")  # noqa: E731
    api_test(make(), num_cycles=50)
    seed_test(make)
    parallel_api_test(pettingzoo.make("parallel", "ludotheque/toy-v0"), num_cycles=50)


@pytest.mark.parametrize("vector", [False, True])
def test_gymnasium_takes_it(vector):
    make = gymnasium.make_vec if vector else gymnasium.make
    env = make("ludotheque/Toy-v0", opponents="greedy", **({"num_envs": 4} if vector else {}))
    _, info = env.reset(seed=3)
    rewards = 0.0
    for _ in range(20):
        mask = info["action_mask"] if vector else env.unwrapped.action_masks()
        action = np.argmax(mask, axis=-1)
        _, reward, terminated, truncated, info = env.step(action if vector else int(action))
        rewards += np.abs(reward).sum()
        if not vector and (terminated or truncated):
            _, info = env.reset()
    assert rewards > 0
    env.close()


def test_batches_step_it():
    batch = make_batch("toy", num_envs=64)
    batch.reset(seed=0)
    finished = 0
    for _ in range(30):
        batch.step(batch.random_actions())
        finished += int(batch.terminated.sum())
    assert finished > 100


def test_search_beats_random():
    result = play_match(GAME, ["mcts:simulations=400", "random"], seeds=range(40))
    assert (result.ranks[:, 0] < result.ranks[:, 1]).mean() > 0.8


@pytest.mark.training
def test_a_policy_trains_on_it():
    from sb3_contrib import MaskablePPO

    from ludotheque.agents.sb3 import SeatVecEnv

    env = SeatVecEnv("toy", 16)
    env.seed(0)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, seed=0, device="cpu")
    model.learn(512)
    observations = env.reset()
    actions, _ = model.predict(observations, action_masks=env.action_masks())
    assert env.action_masks()[np.arange(16), actions].all()


@pytest.mark.training
def test_values_are_trained_on_it(tmp_path):
    """It has no categories of points to predict."""
    from ludotheque.agents.td.trainer import TDConfig, train_td

    sizes = {"steps": 300, "pieces": 2, "piece_rows": 64, "window": 500, "eval_opponents": ()}
    result = train_td(TDConfig(game="toy", out=tmp_path / "run", **sizes))
    played = play_match(GAME, [f"td:{result.model_path}", "random"], seeds=range(40))
    assert (played.ranks[:, 0] < played.ranks[:, 1]).mean() > 0.6


def test_a_league_is_played(tmp_path):
    agents = {name: name for name in ("random", "greedy", "mcts")}
    league = League("toy", agents, tmp_path / "league")
    table = league.run(games_per_pair=10, progress=False)
    assert [row.name for row in table.rows][-1] == "random"


def test_it_is_drawn_told_and_replayed(tmp_path):
    states = GAME.new_state(1)
    actions = [GAME.action_from_string(text) for text in ("b2", "a1", "c1", "a3", "a2")]
    for action in actions:
        GAME.step(states, action)
    assert GAME.describe(states[0]).splitlines()[2].split().count(".") == 2
    assert GAME.draw(states[0]).svg().startswith("<svg")
    replay = Replay.record("toy", 2, 1, actions)
    replay.save(tmp_path / "toy.jsonl")
    assert load_replays(tmp_path / "toy.jsonl") == [replay]


def test_what_is_clicked_is_an_action():
    states = GAME.new_state(1)
    row, column = GAME.locate(130, 10, states[0])[1:]
    assert GAME.encode_action({"kind": "mark", "row": row, "column": column}) == 2


def test_an_agent_that_knows_the_rules_wins_a_won_game():
    states = GAME.new_state(1)
    for text in ("a1", "a3", "b1", "b3"):
        GAME.step(states, GAME.action_from_string(text))
    agent = make_agent("greedy", GAME)
    observations = GAME.observe(states, int(states["to_play"][0]))[None]
    masks = GAME.legal_mask(states)[None]
    (action,) = agent.act(observations, masks, states=states, seeds=np.zeros(1, np.uint64))
    assert GAME.action_to_string(int(action)) in ("c1", "b2")
