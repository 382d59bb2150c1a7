"""Cases of Shamans that are in no rulebook: data of one's own, notation, rounds broken off."""

from __future__ import annotations

import json

import numpy as np
import pytest
from shamans_adapter import GAME, Kernels

from ludotheque.envs import IllegalActionError, shamans_v1
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.envs.shamans.actions import FIRST_RITUAL, NUM_ACTIONS
from ludotheque.envs.shamans.components import RITUALS as GAME_RITUALS
from ludotheque.envs.shamans.components import WORLD_RITUALS, WORLDS
from ludotheque.envs.shamans.notation import action_from_string
from ludotheque.envs.shamans.options import read_rituals, read_track
from ludotheque.envs.shamans.position import set_position
from ludotheque.envs.shamans.state import MAX_PLIES

# One ritual a world, as long as they last; red is kept free of them.
RITUALS = {
    "violet": "illumination",
    "blue": "stabilisation",
    "green": "permutation",
    "yellow": "neutralisation",
    "orange": "stabilisation",
    "brown": "neutralisation",
    "red": "permutation",
}


# The data that are reconstructed


def test_reconstructed_worlds_are_those_of_the_file():
    state = GAME.new_state(1, 5)[0]
    assert [GAME_RITUALS[k] for k in state["ritual"]] == [WORLD_RITUALS[w] for w in WORLDS]
    assert WORLD_RITUALS == RITUALS


def test_worlds_of_ones_own():
    states = GAME.new_state(1, 4, rituals={"violet": "permutation", "red": "illumination"})
    rituals = [GAME_RITUALS[k] for k in states["ritual"][0]]
    assert rituals == ["permutation", *(RITUALS[world] for world in WORLDS[1:6]), "illumination"]
    states = GAME.new_state(1, 3, rounds="single", rituals={"violet": "stabilisation"})
    hands = {0: ["blue 1"], 1: ["violet 4"], 2: ["blue 2"]}
    set_position(states, hands=hands, placed=[f"violet {k}" for k in (1, 2, 3, 5, 6)])
    game = Kernels(states)
    game.play("blue 1", "violet 4")
    assert game.phase == "stabilisation"


@pytest.mark.parametrize(
    "track", [{"start": 3, "moon": 9}, {"start": {3: 3, 4: 4, 5: 5}, "moon": 9}]
)
def test_a_track_of_ones_own(track):
    for num_players in (3, 4, 5):
        state = GAME.new_state(1, num_players, track=track)[0]
        start = track["start"]
        assert state["pawn"] == (start[num_players] if isinstance(start, dict) else start)
        assert state["moon"] == 9


def test_a_track_in_numbers_of_numpy():
    track = {"start": np.int64(4), "moon": np.arange(10)[9]}
    assert GAME.new_state(1, 3, track=track)["moon"][0] == 9
    plain = read_track(track)[0]
    assert json.loads(json.dumps(plain)) == read_track({"start": 4, "moon": 9})[0]


def test_the_shortest_track():
    states = GAME.new_state(1, 3, track={"start": 0, "moon": 1})
    for _ in range(40):
        if not states["terminated"][0]:
            GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    assert states["round"][0] > 3 or states["terminated"][0]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rituals": {"pink": "illumination"}}, "pink"),
        ({"rituals": {"blue": "party"}}, "party"),
        ({"rituals": "mine"}, "mine"),
        ({"track": {"start": 5}}, "start"),
        ({"track": {"start": 5, 9: "moon"}}, "'start', 9; give start and moon"),
        ({"track": {"start": {3: 1, "3": 2, 4: 3, 5: 4}, "moon": 9}}, "'3', '3'"),
        ({"track": {"start": 5, "moon": 5}}, "from 0 to 4"),
        ({"track": {"start": -1, "moon": 5}}, "-1"),
        ({"track": {"start": 1, "moon": 101}}, "101"),
        ({"track": {"start": 1.5, "moon": 9}}, "1.5"),
        ({"track": {"start": {"3": 1}, "moon": 9}}, "3"),
        ({"track": 7}, "7"),
        ({"track": np.array([1, 9])}, "1, 9"),
        ({"rounds": "two"}, "two"),
    ],
)
def test_data_that_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        GAME.new_state(1, 3, **options)


def test_data_of_ones_own_are_in_a_replay():
    options = {"rituals": {"blue": "illumination"}, "track": {"start": 2, "moon": 9}}
    states = GAME.new_state(6, 3, **options)
    actions = []
    while not states["terminated"][0]:
        actions.append(int(np.flatnonzero(GAME.legal_mask(states))[-1]))
        GAME.step(states, actions[-1])
    plain = {
        "rounds": "match",
        "asked": "everyone",
        "rituals": read_rituals(options["rituals"])[0],
        "track": read_track(options["track"])[0],
    }
    replay = Replay.record("shamans", 3, 6, actions, options=plain)
    assert replay.digest == GAME.digest(states)
    env = shamans_v1.env(num_players=3, **options)
    env.reset(seed=6)
    for action in actions:
        env.step(action)
    assert env.replay() == replay == Replay.from_json(env.replay().to_json())


# Actions


def test_notation_of_every_action():
    texts = [GAME.action_to_string(action) for action in range(NUM_ACTIONS)]
    assert len(set(texts)) == NUM_ACTIONS == 84
    for action, text in enumerate(texts):
        assert GAME.action_from_string(text) == action
        assert GAME.encode_action(GAME.decode_action(action)) == action
    assert texts[0] == "violet 1" and texts[55] == "red 8"
    assert texts[FIRST_RITUAL + 2] == "ritual green"


@pytest.mark.parametrize(
    "text", ["", "violet", "violet 9", "pink 1", "swap player_1", "swap +5", "take 3", "swap +0"]
)
def test_notation_that_is_refused(text):
    with pytest.raises(ValueError, match="action|state"):
        action_from_string(text)


def test_players_by_name():
    state = GAME.new_state(1, 3)[0]
    seat = int(state["to_play"])
    left = (seat + 1) % 3
    assert GAME.action_to_string(65, state) == f"swap player_{left}"
    assert GAME.action_from_string(f"swap player_{left}", state) == 65
    for text in (f"swap player_{seat}", "swap player_3", "swap left"):
        with pytest.raises(ValueError, match="is not an action"):
            GAME.action_from_string(text, state)


def test_an_illegal_action_is_refused():
    states = Kernels.table(["violet 1", "violet 2", "violet 3"]).states
    with pytest.raises(IllegalActionError, match="violet 2"):
        GAME.step(states, 1)


def test_a_round_that_is_broken_off_was_won_by_nobody():
    """By a forfeit or at the last action allowed: the round before is the last to have ended."""
    game = Kernels.table(["violet 1", "violet 2", "violet 3"], rounds="match")
    states = game.play("violet 1", "violet 2", "violet 3", "take 1").states
    ended = (0, ("shaman", "shaman", "shadow"), "shaman")
    assert GAME.camps(states[0]) == ended
    forfeited, cut_off = states.copy(), states.copy()
    GAME.step(forfeited, int(np.flatnonzero(~GAME.legal_mask(states))[0]), illegal="lose")
    cut_off["ply"] = MAX_PLIES - 1
    GAME.step(cut_off, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    for broken_off in (forfeited, cut_off):
        assert broken_off["terminated"][0] or broken_off["truncated"][0]
        assert GAME.camps(broken_off[0]) == ended
        assert "round 2, Shamans won round 1" in GAME.describe(broken_off[0])
