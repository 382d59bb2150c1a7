"""Clickable places in pictures: every legal action, and none unless requested."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.drawing.canvas import Canvas
from ludotheque.envs.core.drawing.panels import Rect
from ludotheque.envs.core.drawing.spots import Ellipse, Stack, add_spots, parts_of, spot_at

PLIES = 60


def positions(game, every: int = 12):
    """Some records of a random game."""
    rng = np.random.default_rng(3)
    states = game.new_state(3)
    for ply in range(PLIES):
        legal = np.flatnonzero(game.legal_mask(states))
        if not len(legal):
            return
        if ply % every == 0:
            yield states
        game.step(states, int(rng.choice(legal)))


def named(svg: str) -> list[tuple]:
    """The places that a picture names, in the order in which they are drawn."""
    names = (element.get("data-place") for element in ElementTree.fromstring(svg).iter())
    return [tuple(json.loads(name)) for name in names if name is not None]


@pytest.mark.parametrize("name", game_names())
def test_every_legal_action_can_be_clicked(name):
    game = get_game(name)
    for states in positions(game):
        seat = int(states["to_play"][0])
        places = set(named(game.draw(states[0], seat, clickable=True).svg()))
        for action in np.flatnonzero(game.legal_mask(states)).tolist():
            move = tuple(game.decode_action(action).values())
            cuts = [(move[:k], move[k:]) for k in range(1, len(move))]
            assert move in places or any({*cut} <= places for cut in cuts), move


@pytest.mark.parametrize("name", game_names())
def test_a_picture_that_is_not_asked_names_nothing(name):
    game = get_game(name)
    state = next(positions(game))[0]
    plain, asked = (game.draw(state, 0, clickable=asked).svg() for asked in (False, True))
    assert named(plain) == []
    # Clickable places are drawn on top, at the end.
    assert asked.startswith(plain.removesuffix("</svg>"))


@pytest.mark.parametrize("name", game_names())
def test_points_are_told_for_every_seat(name):
    game = get_game(name)
    for states in positions(game, every=20):
        seats = int(states["num_players"][0])
        for viewer in (None, *range(seats)):
            points = game.points_seen(states[0], viewer)
            assert len(points) == seats
            assert all(isinstance(text, str) for text in points)


def test_what_lies_on_top_is_found_first_and_drawn_last():
    below, above = Rect(0, 0, 10, 10), Ellipse(5, 5, 2, 2)
    spots = [(("card", "red", 3), above), (7, below)]
    assert spot_at(spots, 5, 5) == ("card", "red", 3)
    assert spot_at(spots, 1, 1) == 7
    assert spot_at(spots, 11, 1) is None
    canvas = Canvas(20, 20)
    add_spots(canvas, spots)
    assert named(canvas.svg()) == [(7,), ("card", "red", 3)]


def test_a_stack_is_as_high_as_its_discs():
    stack = Stack(50, 100, 10, 5, 40)
    assert stack.has(50, 56) and not stack.has(50, 54)
    assert stack.has(50, 104) and not stack.has(50, 106)
    assert not stack.has(61, 80)


def test_one_value_is_a_place_of_one_part():
    assert parts_of(11) == (11,)
    assert parts_of(("end",)) == ("end",)


def test_a_place_that_json_can_not_hold_is_told():
    with pytest.raises(TypeError, match="is not part of an action"):
        add_spots(Canvas(9, 9), [((object(),), Rect(0, 0, 1, 1))])


SHOW = {
    "describe": lambda game, states: game.describe(states),
    "remarks": lambda game, states: game.remarks(states, states),
    "draw": lambda game, states: game.draw(states),
    "see": lambda game, states: game.see(states),
    "points_seen": lambda game, states: game.points_seen(states),
    "spots": lambda game, states: game.spots(states),
    "locate": lambda game, states: game.locate(0, 0, states),
}


@pytest.mark.parametrize("show", SHOW.values(), ids=SHOW)
def test_what_shows_one_record_rejects_an_array_of_records(show):
    game = get_game("sarena")
    with pytest.raises(TypeError, match=r"states\[0\], not an array of shape \(1,\)"):
        show(game, game.new_state(1))
