"""The rulebook's sentences, each on the kernels and the oracle together."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.sagani import DIRECTIONS, ELEMENTS, PlacedTile
from sagani_adapter import (
    MODES,
    NUMBERS,
    SEVERAL,
    TILES,
    Pair,
    anything,
    assert_even,
    between_turns,
    either_way,
    every_mode,
    interlude_duel,
    keen,
    legal_decisions,
    play_all,
    straight,
    until,
    widest,
)

from ludotheque.envs import get_game
from ludotheque.envs.sagani.components import (
    NUM_ARROWS,
    NUM_TILES,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
)
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.state import (
    PLACING,
    directions_of,
    negative_points,
    pile_sizes,
    pile_tops,
    table_of,
    track_of,
)


@pytest.fixture(scope="module")
def game():
    return get_game("sagani")


# ---- setup ------------------------------------------------------------------------------------


@every_mode
def test_setup(game, mode):
    for seed in range(30):
        pair = Pair(game, seed, mode)
        assert sorted(pair.state["pile"].tolist()) == NUMBERS
        assert pair.oracle.turns == [0] * pair.oracle.num_players


@pytest.mark.parametrize("mode", SEVERAL)
def test_first_player_is_drawn_by_lot(game, mode):
    num_players, _ = MODES[mode]
    first = Counter()
    for seed in range(1200):
        state = game.new_state(seed, num_players=num_players)[0]
        assert state["first_player"] == state["to_play"]
        first[int(state["first_player"])] += 1
    assert_even(first, num_players)


def test_first_players_marker_is_at_the_bottom_at_the_start(game):
    """Ruling: the rulebook doesn't say how the markers lie on square 0 at the start."""
    for seed in range(20):
        state = game.new_state(seed, num_players=4)[0]
        first = int(state["first_player"])
        assert track_of(state) == [(0, [(first + k) % 4 for k in range(4)])]


def test_tiles_are_shuffled_evenly(game):
    """Every tile comes up equally often at every place of the piles, whatever comes before it."""
    places = np.zeros((73, 72), dtype=int)
    after = Counter()
    for seed in range(3000):
        pile = game.new_state(seed)[0]["pile"].tolist()
        places[pile, range(72)] += 1
        after[pile[0] % 6, pile[1] % 6] += 1
    assert places[0].sum() == 0
    expected = 3000 / 72
    assert abs(places[1:] - expected).max() < 6 * expected**0.5
    same = after.total() / 36
    assert max(abs(count - same) for count in after.values()) < 6 * same**0.5


@pytest.mark.parametrize("mode", SEVERAL)
def test_games_end_by_points_and_by_empty_piles(game, mode):
    rng = random.Random(mode)
    ends = Counter()
    for seed in range(6):
        pair = Pair(game, seed, mode)
        pair.run(keen if seed % 2 else anything, rng)
        ends["points" if max(pair.oracle.scores()) >= pair.oracle.goal() else "piles"] += 1
    assert ends["piles"]


# ---- the edge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("canvas", [10, 14, 18])
@every_mode
def test_tiles_stay_in_the_square_of_the_canvas(game, mode, canvas):
    """A line of tiles grows to the edge and no further; in the other direction there is room."""
    rng = random.Random(f"{mode} {canvas}")
    pair = Pair(game, 5, mode, canvas=canvas)
    pair.run(straight, rng)
    for area in pair.oracle.areas:
        assert widest(area.tiles) == min(canvas, len(area.tiles))


@pytest.mark.parametrize("mode", SEVERAL)
def test_markers_that_return_to_their_square_lie_on_top(game, mode):
    """Ties above zero, on zero and below, made in every order of arrival."""
    rng = random.Random(mode)
    num_players, _ = MODES[mode]
    for seed in range(12):
        pair = until(Pair(game, seed, mode), between_turns, rng)
        for points in (rng.choice([7, 0, -4]), rng.choice([7, 0, -4])):
            for seat in rng.sample(range(num_players), num_players):
                pair.set_points(seat, points + 3 * (seed % 2))
        pair.check()
        for _ in range(60):
            if not pair.oracle.is_over():
                pair.play(anything(pair, rng))


@either_way
@pytest.mark.parametrize("mode", [*SEVERAL, "solo classic"])
def test_goal_reached_within_a_turn_counts(game, mode, alignments):
    """A tile completed before the new one's cacophony may bring the goal for a moment only."""
    rng = random.Random(f"{mode} {alignments}")
    moments = 0
    for seed in range(16):
        pair = Pair(game, seed, mode, alignments)
        for _ in range(rng.randrange(10, 60)):
            if not pair.oracle.is_over():
                pair.play(keen(pair, rng))
        for _ in range(60):
            if pair.oracle.is_over():
                break
            own = pair.oracle.to_play
            turn_begins = "place" if mode == "solo classic" else "take"
            if pair.oracle.phase == turn_begins and pair.cell is None:
                pair.set_points(own, pair.oracle.goal() - 1)
                pair.set_supply(own, 0)
            ended = pair.oracle.last_round
            pair.play(keen(pair, rng))
            if not ended and pair.oracle.last_round:
                moments += pair.oracle.track.points[own] < pair.oracle.goal()
    assert moments


def test_moving_discs_at_once_can_be_worse_than_waiting(game):
    """A point now costs seat 0 the first choice in the interlude, and with it the fire tile."""
    auto = interlude_duel(game, "auto")
    play_all(game, auto, ("cell", (1, -1)), ("turn", 0))
    assert auto["score"][0].tolist()[:2] == [1, 0]
    assert auto["to_play"][0] == 1
    play_all(game, auto, ("choose", 0), ("cell", (0, 1)), ("turn", 0))
    assert auto["score"][0].tolist()[:2] == [1, 10]

    choice = interlude_duel(game, "choice")
    play_all(game, choice, ("cell", (1, -1)), ("turn", 0))
    assert ("cell", (1, 0)) in legal_decisions(game, choice)
    play_all(game, choice, ("done",), ("done",))
    assert choice["to_play"][0] == 0
    play_all(game, choice, ("choose", 0), ("cell", (0, 1)), ("turn", 0))
    play_all(game, choice, ("cell", (0, 0)), ("cover", "n"), ("cell", (1, 0)), ("cover", "s"))
    assert choice["score"][0].tolist()[:2] == [11, 0]


# ---- alone -------------------------------------------------------------------------------------


def test_points_beyond_the_goal_are_no_better_than_fewer_tiles(game):
    """Classic: 85 points with two tiles count like 75 with two."""
    states = game.new_state(1, 1)
    set_position(states, tables={0: [TileAt(9, 0, 0, 0, ("e", "s", "w"))]}, hand=2, scores=[74])
    play_all(game, states, ("cell", (0, 1)), ("turn", 2))
    assert states["terminated"][0]
    assert states["score"][0][0] == 85
    scores, ranks = game.returns(states)
    assert (scores.tolist(), ranks.tolist()) == ([73], [1])


@pytest.mark.parametrize("solo", ["classic", "advanced"])
def test_points_near_the_goal_are_worth_taking_alone(game, solo):
    """The nearer the goal, the less an open tile must not be worth: scoring would cost points."""
    states = game.new_state(1, 1, solo=solo)
    waiting = {8: "ne e nw", 9: "e s w", 13: "e w nw", 14: "e w nw", 16: "ne sw nw", 24: "ne sw nw"}
    for score in range(40, 65):
        values = []
        for done in (0, 1):
            pieces = [
                TileAt(tile, x, 0, 0, () if x < done else covered.split(), x < done)
                for x, (tile, covered) in enumerate(waiting.items())
            ]
            set_position(states, tables={0: pieces}, scores=[score + 10 * done])
            values.append(game.kernels["evaluate"](states[0], 0))
        assert values[0] < values[1], score


# ---- the box, setup, the river ----------------------------------------------------------------


def test_box_has_72_tiles_18_of_each_element():
    assert sorted(TILES) == list(range(1, NUM_TILES + 1)) == NUMBERS
    assert np.bincount(TILE_ELEMENT[1:]).tolist() == [18] * 4
    for number, what in TILES.items():
        assert ELEMENTS[TILE_ELEMENT[number]] == what.element


def test_value_follows_the_number_of_arrows():
    for number, what in TILES.items():
        assert NUM_ARROWS[number] == len(what.arrows)
        assert TILE_VALUE[number] == what.value == {1: 1, 2: 3, 3: 6, 4: 10}[len(what.arrows)]


def test_rotation_turns_every_arrow_clockwise():
    for number, what in TILES.items():
        for turns in range(4):
            ways = {DIRECTIONS[way] for way in directions_of(int(TILE_ARROWS[number, turns]))}
            assert ways == set(PlacedTile(what, turns).arrows)


@every_mode
def test_setup_gives_24_discs_and_markers_on_square_0(game, mode):
    state = Pair(game, 1, mode).state
    players = int(state["num_players"])
    assert state["score"][:players].tolist() == [0] * players
    assert state["supply"][:players].tolist() == [24] * players


@pytest.mark.parametrize("mode", SEVERAL)
def test_setup_makes_three_piles_and_a_river_of_five(game, mode):
    state = Pair(game, 1, mode).state
    assert all(state["display"])
    assert pile_sizes(state) == [19, 24, 24]
    assert not any(state["interlude"])


def take_and_place(pair: Pair, slot: int) -> None:
    """One turn: that tile of the river, beside another one where there is one."""
    pair.play(("take", slot))
    if pair.phase == PLACING:
        pair.play(min(pair.choices))
    pair.play(("turn", 0))


@pytest.mark.parametrize("mode", SEVERAL)
def test_turns_go_round_from_the_first_player(game, mode):
    for seed in range(8):
        pair = Pair(game, seed, mode)
        players = int(pair.state["num_players"])
        first = int(pair.state["first_player"])
        for turn in range(3 * players):
            assert pair.state["to_play"] == (first + turn) % players
            take_and_place(pair, min(d[1] for d in pair.choices if d[0] == "take"))
        assert pair.state["first_player"] == first


@pytest.mark.parametrize("slot", range(5))
def test_any_tile_of_the_river_may_be_taken(game, slot):
    pair = Pair(game, 1, "two players")
    tile = pair.state["display"][slot]
    seat = int(pair.state["to_play"])
    take_and_place(pair, slot)
    assert pair.state["table"][seat, 0] == tile
    assert set(pair.choices) == {("take", other) for other in range(5) if other != slot}


def test_only_the_last_tile_of_the_river_may_be_set_aside(game):
    pair = Pair(game, 1, "two players")
    for slot in range(4):
        assert ("aside",) not in pair.choices
        take_and_place(pair, slot)
    assert set(pair.choices) == {("take", 4), ("aside",)}


def test_last_tile_of_the_river_may_be_placed(game):
    pair = Pair(game, 1, "two players")
    for slot in range(5):
        take_and_place(pair, slot)
    assert all(pair.state["display"])
    assert not any(pair.state["interlude"])


def test_last_tile_of_the_river_may_be_set_aside_for_the_top_of_the_pile(game):
    pair = Pair(game, 1, "two players")
    for slot in range(4):
        take_and_place(pair, slot)
    last, top = int(pair.state["display"][4]), pile_tops(pair.state)[0]
    pair.play(("aside",))
    assert pair.state["interlude"].tolist() == [last, 0, 0, 0]
    assert pair.state["hand"] == top
    assert {kind for kind, *_ in pair.choices} == {"cell"}  # it must be placed


# ---- discs and cacophony ----------------------------------------------------------------------


def place_first(game, number: int, supply: int = 24):
    """Two players' game in which the first one has placed that tile with that many discs."""
    states = game.new_state(1, num_players=2)
    set_position(states, hand=number)
    states["supply"][0, 0] = supply
    game.step(states, game.action_from_string("turn 0"))
    return states[0]


@pytest.mark.parametrize(("number", "arrows"), [(1, 1), (3, 2), (4, 3), (9, 4)])
def test_new_tile_takes_a_disc_for_every_arrow(game, number, arrows):
    state = place_first(game, number)
    assert table_of(state, 0)[0, 0].discs == arrows
    assert state["supply"][0] == 24 - arrows


@pytest.mark.parametrize("supply", range(5))
def test_cacophony_costs_2_points_each(game, supply):
    state = place_first(game, 9, supply)
    assert state["cacophony"][0] == 4 - supply
    assert state["supply"][0] == 0
    assert state["score"][0] == -2 * (4 - supply)
    assert negative_points(state, 0) == 2 * (4 - supply)


def test_no_tile_is_its_own_target(game):
    for number in NUMBERS:
        assert table_of(place_first(game, number), 0)[0, 0].covered == ()
