"""Saga's box, options and positions: what is refused, and what replays and settings keep."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

from ludotheque.envs import get_game, make_batch
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.saga.components import (
    COLOURS,
    GOLDLAND,
    KINGDOMS,
    PACK_VALUES,
    POWERS,
    RECONSTRUCTED,
    knight_name,
)
from ludotheque.envs.saga.position import set_position
from ludotheque.envs.saga.state import forces_of
from ludotheque.envs.saga.table.text import remarks

GAME = get_game("saga")
REAL = json.loads(json.dumps([pack["cards"] for pack in RECONSTRUCTED["packs"]["cards"]]))
ONE_REVERSE = tuple("reverse" if name == "Sealand" else "crown" for name in KINGDOMS)


def play(states, *texts):
    """Play actions in notation; return the record."""
    for text in texts:
        GAME.step(states, GAME.action_from_string(text))
    return states[0]


# ---- the box ------------------------------------------------------------------------------------


def test_packs_of_the_box():
    """Five packs of twelve with the same values; every colour is in every pack (confirmed)."""
    assert len(REAL) == 5
    groups = sorted([[1, 4, 4], [1, 3], [2, 2, 3], [3], [2, 4], [1]])
    for pack in REAL:
        assert sorted(value for _, value in pack) == list(PACK_VALUES)
        by_colour = {colour: sorted(v for c, v in pack if c == colour) for colour in COLOURS}
        assert sorted(by_colour.values()) == groups
    assert len({json.dumps(sorted(pack)) for pack in REAL}) == 5
    assert len(POWERS) == 13
    # What the figure of the conquest example shows.
    assert ["green", 4] in REAL[0] and ["yellow", 2] in REAL[0]
    assert any(["green", 4] in pack and ["blue", 3] in pack for pack in REAL[1:])


def test_reconstructed_data_is_marked():
    for part in ("packs", "first_game", "kingdoms"):
        assert RECONSTRUCTED[part]["confidence"] in ("reconstructed", "inferred")
    for side in RECONSTRUCTED["kingdoms"]["sides"].values():
        assert side["confidence"].startswith("inferred")


def test_data_is_that_handed_over(shared_data):
    """The data files contain what the research found, and no more."""
    data = json.loads((shared_data / "saga.json").read_text("utf-8"))
    assert [pack["cards"] for pack in data["packs"]] == REAL
    assert data["first_game_setup"]["value"] == RECONSTRUCTED["first_game"]["layout"]
    for kingdom in data["kingdoms"]:
        ours = RECONSTRUCTED["kingdoms"]["sides"][kingdom["name"]]
        assert {key: kingdom[key] for key in ours} == ours
    multiset = {str(value): PACK_VALUES.count(value) for value in (1, 2, 3, 4)}
    assert data["pack_value_multiset"]["value"] == multiset


# ---- positions ----------------------------------------------------------------------------------


def test_positions_that_cannot_be_are_refused():
    for parts, message in (
        ({"forces": {0: [["green 1"], [], ["blue 1"]]}}, "force 1 of seat 0 has no card"),
        ({"forces": {1: [[]]}, "down": {0: []}}, "force 0 of seat 1 has no card"),
        ({"fame": [1, 2, 3]}, "fame has 3 numbers for 2 seats"),
        ({"fame": [0, -1]}, "fame of seat 1 is -1; give a whole number from 0 to"),
        ({"fame": [70_000]}, "fame of seat 0 is 70000; give a whole number from 0 to"),
        ({"hands": {0: ["red 1", "red 5"]}}, "'red 5' is no knight"),
        ({"free": ["recruited red 1"]}, "'recruited red 1' lies in the centre"),
        ({"kingdoms": {"Sealand": (None, ["recruited red 1"])}}, "leave out the word"),
    ):
        states = GAME.new_state(1, 2)
        before = states.tobytes()
        with pytest.raises(ValueError, match=message):
            set_position(states, **parts)
        assert states.tobytes() == before


def test_position_may_have_a_force_of_face_down_cards_alone():
    """As after its last face-up card was taken back."""
    states = GAME.new_state(1, 2, sides="reverse")
    set_position(
        states,
        forces={0: [["green 1"], [], ["orange 1"]]},
        down={0: [(1, "blue 4")]},
        hands={0: ["red 1", "blue 1"], 1: ["red 1"]},
        kingdoms={name: (None, ["yellow 4", "red 4"]) for name in KINGDOMS},
    )
    first, second, third = forces_of(states[0], 0)
    assert (names(first.cards), names(third.cards)) == (["green 1"], ["orange 1"])
    assert second.cards == () and names(second.down) == ["blue 4"] and second.target == -1
    state = play(states, "strengthen 2", "red 1")
    assert KINGDOMS[forces_of(state, 0)[1].target] == "Castleland"


def names(knights) -> list[str]:
    return [knight_name(knight) for knight in knights]


def test_there_is_room_for_24_forces_and_as_many_cards_face_down():
    """More than a seat can have in a game; a position may fill all places."""
    states = GAME.new_state(1, 2, sides="reverse")
    parts = {
        "kingdoms": {"Sealand": (0, ["blue 4"])},
        "forces": {0: [["red 4"]] * 24},
        "hands": {0: ["green 1", "yellow 1"], 1: ["red 1"]},
    }
    set_position(states, **parts)
    legal = GAME.legal_actions_text(states)
    assert "new" not in legal and "strengthen 24" in legal and "down 24" in legal
    set_position(states, down={0: [(k, "blue 1") for k in range(24)]}, **parts)
    legal = GAME.legal_actions_text(states)
    assert "down 24" not in legal and "strengthen 24" in legal and "turn up 24" in legal


def test_conquests_are_told():
    states = GAME.new_state(1, 2)
    set_position(
        states,
        kingdoms={"Forestland": (None, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 3", "red 1"], 1: ["red 1"]},
    )
    before = play(states, "strengthen 1").copy()
    state = play(states, "blue 3")
    assert remarks(before, state) == ["player_0 conquers Forestland, its defence is 7 now"]


# ---- options ------------------------------------------------------------------------------------

OTHER_PACKS = [
    [
        [colour, value]
        for k, colour in enumerate(COLOURS)
        for value in ((1, 4) if (k + shift) % 2 else (2, 3))
    ]
    for shift in range(5)
]


def test_own_packs_may_be_tuples():
    tuples = tuple(tuple(tuple(card) for card in pack) for pack in OTHER_PACKS)
    same = GAME.encode_options(2, packs=tuples)
    assert np.array_equal(same, GAME.encode_options(2, packs=OTHER_PACKS))


def with_card(pack: int, card: int, value) -> list:
    packs = json.loads(json.dumps(OTHER_PACKS))
    packs[pack][card] = value
    return packs


@pytest.mark.parametrize(
    ("packs", "message"),
    [
        (OTHER_PACKS[:4], "five packs.*got 4"),
        ([*OTHER_PACKS[:4], OTHER_PACKS[0][:11]], "pack 5.*12 cards; got 11"),
        (with_card(1, 3, ["pink", 2]), "colour of a card in pack 2.*'pink'.*'red'"),
        (with_card(1, 3, ["red", 5]), "value of a card in pack 2.*is 5; allowed: 1, 2, 3, 4"),
        (with_card(1, 3, ["red", True]), "value of a card in pack 2.*True"),
        (with_card(2, 0, ["green", 1]), "pack 3.*values"),
        (with_card(0, 3, "red 3"), "pack 1.*a card is .colour, value."),
        (
            [[[COLOURS[max(k - 6, 0)], v] for k, v in enumerate([1, 2, 3, 4] * 3)]] * 5,
            "pack 1.*red cards is 7",
        ),
        ([[["red", v] for v in [1, 2, 3, 4] * 3]] * 5, "pack 1.*red cards is 12"),
        ("mine", "packs of saga is 'mine'; allowed: 'reconstructed'"),
        (7, "five packs.*got 7"),
        (None, "five packs.*got None"),
        (np.array(OTHER_PACKS, dtype=object), "(?s)five packs.*got array.*, which is no list"),
    ],
)
def test_packs_that_cannot_be_are_refused(packs, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, packs=packs)


def test_examples_in_the_words_of_options_are_json():
    """The command asks for JSON and shows these words when it gets something else."""
    words = {option.name: option.meaning for option in GAME.options}
    assert json.loads(words["packs"].split("`")[1]) in REAL[0]
    GAME.new_state(1, kingdoms=json.loads(words["kingdoms"].split("`")[1]))


def test_first_game_needs_its_castle_pack():
    with pytest.raises(ValueError, match="deal='first_game'.*use deal='random'"):
        GAME.new_state(1, packs=OTHER_PACKS, deal="first_game")
    shuffled = [REAL[0][::-1], *OTHER_PACKS[:0], *REAL[1:]]
    assert GAME.new_state(1, packs=shuffled, deal="first_game")["strength"][0].tolist() == [
        6,
        6,
        5,
        5,
        5,
        4,
    ]


@pytest.mark.parametrize(
    ("kingdoms", "message"),
    [
        ({"Goldlands": {}}, "'Goldlands'.*'Goldland'"),
        ({"Goldland": {"incom": 2}}, "entry for Goldland is 'incom'.*'income'"),
        ({"Goldland": {"income": -1}}, "income of Goldland is -1"),
        ({"Goldland": {"income": 2.0}}, "income of Goldland is 2.0"),
        ({"Goldland": {"crown": {"end": "plus_5"}}}, "'end' of Goldland.*defence_scores_0"),
        ({"Goldland": {"crown": {"in_play": "defence_scores_0"}}}, "'in_play' of Goldland"),
        ({"Goldland": {"crown": {"play": None}}}, "'play'.*'in_play', 'end'"),
        ({"Goldland": {"crown": "defence_minus_1"}}, "'crown' of Goldland.*give a dict"),
        ({"Goldland": 3}, "Goldland of saga is 3; give a dict"),
        ([1], "give .inferred. or a dict"),
        ("mine", "kingdoms of saga is 'mine'; allowed: 'inferred'"),
    ],
)
def test_kingdoms_that_cannot_be_are_refused(kingdoms, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, kingdoms=kingdoms)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ("both", "sides of saga is 'both'; allowed: 'crown', 'reverse', 'mixed'"),
        (["crown"] * 5, "one for Castleland.*got 5"),
        (["crown"] * 5 + ["front"], "side of Fieldland in saga is 'front'"),
        (3, "one word, or one for"),
    ],
)
def test_sides_that_cannot_be_are_refused(sides, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, sides=sides)


MINE = {
    "sides": ONE_REVERSE,
    "packs": tuple(tuple(map(tuple, pack)) for pack in OTHER_PACKS),
    "kingdoms": {"Goldland": {"income": 5}},
}


def test_own_contents_survive_replays(tmp_path):
    """The file stores them as JSON, and the game can be replayed from it."""
    env = TurnBasedEnv(GAME, 3, **MINE)
    env.reset(seed=5)
    env.action_space(env.agent_selection).seed(1)
    for _ in range(30):
        if env.terminations[env.agent_selection]:
            break
        env.step(env.sample_legal())
    replay = env.replay()
    path = tmp_path / "game.jsonl"
    replay.save(path)
    again = Replay.from_json(path.read_text("utf-8"))
    states = again.verify()
    assert GAME.digest(states) == env.state_digest()
    assert states["income"][0].tolist() == [1, 1, 1, 5, 1, 1]
    assert again.options["packs"] == OTHER_PACKS


def test_editing_a_replay_leaves_its_game_as_it_was():
    env = TurnBasedEnv(GAME, 2, **MINE)
    env.reset(seed=5)
    replay = env.replay()
    replay.options["kingdoms"]["Goldland"]["income"] = 9
    replay.options["packs"][0][0][1] = 9
    assert env.replay().options == Replay.from_json(env.replay().to_json()).options
    assert env.replay().options["kingdoms"] == MINE["kingdoms"]


def test_own_contents_survive_settings_and_pickles():
    mine = json.loads(json.dumps(MINE))
    settings = Settings("saga", 2, options=mine)
    mine["kingdoms"]["Goldland"]["income"] = 9
    mine["packs"][0][0] = ["red", 4]
    assert settings.named_options["kingdoms"] == {"Goldland": {"income": 5}}, "a copy is kept"
    again = Settings("saga", 2, options=settings.named_options)
    assert np.array_equal(again.options, settings.options)
    assert json.loads(json.dumps(settings.named_options)) == settings.named_options
    env = pickle.loads(pickle.dumps(TurnBasedEnv(GAME, 2, **MINE)))
    env.reset(seed=2)
    twin = TurnBasedEnv(GAME, 2, **MINE)
    twin.reset(seed=2)
    assert env.state_digest() == twin.state_digest()


def test_own_contents_in_batches():
    batch = make_batch("saga", 8, 3, **MINE)
    batch.reset(seed=3)
    for _ in range(400):
        batch.step(batch.random_actions())
    assert (batch.states["income"][:, GOLDLAND] == 5).all()


def test_options_have_one_number_each_unless_they_read_more():
    """In the other games nothing has changed: a number an option, its place among the choices."""
    assert get_game("sarena").encode_options(3, deal="balanced").tolist() == [3, 1]
    assert get_game("sagani").encode_options(2, canvas=14).tolist() == [2, 0, 0, 1]
    assert len(GAME.encode_options(2)) == 1 + 6 + 1 + 1 + 1 + 60 + 18
    with pytest.raises(TypeError, match="saga has no option 'side'"):
        GAME.encode_options(2, side="crown")
