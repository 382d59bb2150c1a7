"""Replays: written, read, played again and verified."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludotheque.envs import IllegalActionError, StateError, get_game, sarena_v0
from ludotheque.envs.core.interfaces.replay import Replay, load_replays, save_replays

GAME = get_game("sarena")


def played(seed: int, plies: int = 1000, **kwargs):
    """Return an environment some plies into a random game."""
    env = sarena_v0.env(**kwargs)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        if any(env.terminations.values()):
            break
        env.step(int(rng.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))))
    return env


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("deal", ["random", "balanced"])
def test_a_game_is_played_again(tmp_path, num_players, deal):
    games = [played(seed, num_players=num_players, deal=deal) for seed in range(3)]
    path = tmp_path / "games.jsonl"
    save_replays([env.replay() for env in games], path)
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3
    for env, replay in zip(games, load_replays(path), strict=True):
        states = replay.verify()
        assert GAME.digest(states) == env.state_digest()
        scores, ranks = GAME.returns(states)
        assert replay.scores == scores.tolist() and replay.ranks == ranks.tolist()
        assert replay.options == {"deal": deal} and replay.seed == env.get_state()["states"]["seed"]


def test_an_unfinished_game_is_played_again():
    env = played(5, plies=7)
    replay = Replay.from_json(env.replay().to_json())
    assert replay.scores is None and len(replay.actions) == 7
    assert GAME.digest(replay.verify()) == env.state_digest()


def test_the_states_on_the_way_are_those_of_the_game():
    env = sarena_v0.env()
    env.reset(seed=3)
    digests = [env.state_digest()]
    for _ in range(6):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
        digests.append(env.state_digest())
    assert [GAME.digest(states) for states in env.replay().states()] == digests


def test_actions_are_readable_and_numbered():
    env = played(2, plies=5)
    replay = env.replay()
    assert [GAME.action_from_string(text) for text in replay.actions] == replay.action_numbers()
    assert all(text[2] == "-" for text in replay.actions)


def test_a_game_lost_by_an_illegal_action_is_played_again():
    env = played(4, plies=10, illegal="lose")
    illegal = int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0])
    loser = env.agent_selection
    env.step(illegal)
    assert env.results()[loser][1] == 2
    replay = Replay.from_json(env.replay().to_json())
    assert GAME.digest(replay.verify()) == env.state_digest()
    assert replay.ranks[env.possible_agents.index(loser)] == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": 77}, "ply 0|digest|can't be played"),
        ({"version": 99}, "sarena_v99"),
        ({"digest": "0" * 64}, "digest"),
        ({"scores": [1.0, 2.0]}, "scores are"),
        ({"ranks": [3, 3]}, "ranks are"),
        ({"actions": ["a1-a1"]}, "no line joins"),
        ({"actions": ["z9-a1"]}, "no circle"),
        ({"actions": ["a1-b1", "a1-b1"]}, "ply 1"),
        ({"colour": "red"}, "not a replay"),
        ({"game": "chess"}, "not a replay: unknown game 'chess'"),
        ({"num_players": 7}, "not a replay: num_players"),
        ({"seed": -1}, "not a replay: seed is -1"),
        ({"options": {"size": 8}}, "not a replay: .* no option 'size'"),
        ({"options": {"deal": 3}}, "not a replay: deal"),
        ({"actions": [None]}, "action 0 .* None"),
        ({"illegal": None}, "illegal .* None.*'raise' or 'lose'"),
        ({"illegal": "penalty"}, "illegal"),
        ({"agents": 5}, "agents .* 5.*2 names"),
        ({"agents": ["greedy"]}, "agents .*2 names"),
        # Control sequences that a terminal would obey: set its title, clear it, start a new line.
        ({"agents": ["\x1b]0;title\x07", "b"]}, r"agents .*x1b.* can't contain control characters"),
        ({"agents": ["a", "\x9b2J"]}, "can't contain control characters"),
        ({"agents": ["a", "td:\udcff.zip"]}, "bytes that aren't UTF-8"),
        ({"agents": ["a\r\n1. a: 99 points", "b"]}, "can't contain control characters"),
    ],
)
def test_what_does_not_fit_is_refused(change, message):
    line = json.loads(played(1).replay().to_json())
    with pytest.raises(StateError, match=message):
        Replay.from_json(json.dumps({**line, **change})).verify()


def test_a_damaged_file_names_its_line(tmp_path):
    path = tmp_path / "games.jsonl"
    save_replays([played(1).replay()] * 2, path)
    path.write_text(path.read_text(encoding="utf-8")[:-40], encoding="utf-8")
    with pytest.raises(StateError, match="line 2"):
        load_replays(path)


def test_a_line_of_an_unknown_game_is_named_too(tmp_path):
    path = tmp_path / "games.jsonl"
    line = json.loads(played(1).replay().to_json())
    path.write_text("\n".join(map(json.dumps, (line, {**line, "game": "chess"}))))
    with pytest.raises(StateError, match="line 2: .*chess"):
        load_replays(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\x89PNG\r\n")
    with pytest.raises(StateError, match=r"games.jsonl.*UTF-8"):
        load_replays(path)


def test_names_may_hold_what_some_take_for_a_line_end(tmp_path):
    replay = played(1).replay()
    replay.agents = ["one\u2028two", "three\u2029four"]
    replay.save(tmp_path / "game.jsonl")
    assert load_replays(tmp_path / "game.jsonl") == [replay]


def test_a_rule_for_illegal_actions_that_there_is_not():
    with pytest.raises(ValueError, match="illegal is 'forgive'; allowed: 'raise'"):
        GAME.step(GAME.new_state(1), 0, illegal="forgive")


def test_a_replay_of_illegal_actions_can_not_be_recorded():
    with pytest.raises(StateError, match="ply 1") as raised:
        Replay.record("sarena", 2, 0, ["a1-b1", "a1-b1"])
    assert isinstance(raised.value.__cause__, IllegalActionError)


def test_a_game_becomes_a_moving_picture(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
    replay = played(0, plies=3).replay()
    replay.save_gif(tmp_path / "game.gif", seat=1)
    with image.open(tmp_path / "game.gif") as gif:
        assert gif.n_frames == 4
