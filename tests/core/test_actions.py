"""The action table: numbers and parts correspond one to one, and errors name what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.actions import ActionKind, ActionTable

TABLE = ActionTable(
    ActionKind("take", space=range(2), about=lambda space: (("display", space),)),
    ActionKind("take", place=("top",)),
    ActionKind("pass"),
    ActionKind("place", colour=("red", "blue"), hex=range(3)),
    ActionKind("keep", face_up=(True, False)),
    ActionKind(
        "move", start=range(2), end=range(2), only=[(0, 1), (1, 0)], about=lambda a, b: (("m", b),)
    ),
)


def test_numbers_follow_the_table_in_row_major_order():
    assert TABLE.first("pass") == 3
    assert TABLE.first("take", "place") == 2
    assert TABLE.decode(TABLE.first("place") + 3 * 1 + 2) == {
        "kind": "place",
        "colour": "blue",
        "hex": 2,
    }
    assert len(TABLE) == 2 + 1 + 1 + 6 + 2 + 2


@pytest.mark.parametrize("number", range(len(TABLE)))
def test_encode_is_the_inverse_of_decode(number):
    assert TABLE.encode(TABLE.decode(number)) == number


def test_numpy_integers_are_integers_and_booleans_are_not():
    assert TABLE.encode({"kind": "take", "space": np.int64(1)}) == 1
    with pytest.raises(ValueError, match="space of the action is True"):
        TABLE.encode({"kind": "take", "space": True})
    with pytest.raises(ValueError, match="face_up of the action is 1"):
        TABLE.encode({"kind": "keep", "face_up": 1})


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"kind": "swim"}, "kind of action is 'swim'; allowed: take, pass, place, keep, move"),
        ({}, "kind of action is None"),
        ({"kind": "place", "hex": 1}, "must have exactly these parts: kind, colour, hex"),
        ({"kind": "place", "colour": "rod", "hex": 1}, "Did you mean 'red'"),
        ({"kind": "place", "colour": "red", "hex": [1]}, "hex of the action is"),
        ({"kind": "move", "start": 1, "end": 1}, "there is no action"),
    ],
)
def test_a_wrong_action_is_told_what_is_wrong(parts, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        TABLE.encode(parts)


def test_targets_come_from_the_positions_of_the_parts():
    assert TABLE.targets(1) == (("display", 1),)
    assert TABLE.targets(TABLE.first("pass")) == ()
    assert TABLE.targets(len(TABLE) - 1) == (("m", 0),)


def test_a_number_outside_the_space_is_refused():
    for number in (-1, len(TABLE)):
        with pytest.raises(ValueError, match=f"outside 0 to {len(TABLE) - 1}"):
            TABLE.decode(number)


def test_a_decoded_action_is_a_copy():
    TABLE.decode(0)["space"] = 1
    assert TABLE.decode(0) == {"kind": "take", "space": 0}


@pytest.mark.parametrize("name", game_names())
def test_every_target_is_a_row_of_a_field(name):
    game = get_game(name)
    fields = {field.name: field for field in game.flat}
    for action in range(game.num_actions):
        about = game.targets(action)
        assert len(about) <= 2
        for field, row in about:
            assert 0 <= row < fields[field].size
