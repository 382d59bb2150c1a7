"""Points by category: their sum is the score in every game that has them."""

from __future__ import annotations

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game

GAMES = [get_game(name) for name in game_names()]
CASES = [(game, count) for game in GAMES if game.categories for count in game.player_counts]
MANY = 300


def finished(game, num_players: int, **options) -> np.ndarray:
    """Records of random games, played to the end."""
    states = game.new_states(MANY)
    seeds = np.arange(MANY, dtype=np.uint64)
    game.loops.deal(states, 0, MANY, seeds, game.encode_options(num_players, **options))
    scores = np.zeros((MANY, game.max_players), np.float32)
    ranks = np.zeros((MANY, game.max_players), np.int64)
    game.loops.playouts(states, 0, MANY, seeds, scores, ranks, np.zeros(MANY, np.int64))
    return states


@pytest.mark.parametrize(("game", "num_players"), CASES, ids=str)
def test_points_by_category_add_up_to_the_score(game, num_players):
    states = finished(game, num_players)
    used = set()
    for i in range(MANY):
        for seat, score in enumerate(game.returns(states, i)[0]):
            points = game.points_by_category(states, seat, i)
            assert tuple(points) == game.categories and sum(points.values()) == score, (i, points)
            used |= {name for name in points if points[name]}
    never = {"harmonies": {"spirits"}, "sagani": {"solo"} if num_players > 1 else set()}
    assert set(game.categories) - used == never.get(game.name, set())


@pytest.mark.parametrize("name", ["sarena", "shamans"])
def test_games_with_one_kind_of_points_have_no_categories(name):
    game = get_game(name)
    assert game.categories == () and game.points_by_category(game.new_state(1), 0) == {}


def test_a_seat_that_there_is_not_has_no_points():
    game = get_game("saga")
    with pytest.raises(ValueError, match="seat is 2"):
        game.points_by_category(game.new_state(1, 2), 2)
