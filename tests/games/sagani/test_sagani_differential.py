"""The kernels of Sagani against the oracle: every ply of random games, and single positions."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.sagani import CACOPHONY_PENALTY, SaganiOracle
from sagani_adapter import GAME, NUMBERS, either_way, widest
from sagani_pair import (
    MODES,
    SEVERAL,
    WAYS,
    Pair,
    anything,
    apart,
    between_turns,
    contents,
    every_mode,
    keen,
    putting_off,
    stirred,
    straight,
    until,
)

from ludotheque.envs import GameOverError, IllegalActionError
from ludotheque.envs.sagani.position import TileAt, set_position


@pytest.fixture(scope="module")
def game():
    return GAME


# ---- actions ----------------------------------------------------------------------------------


def test_action_codec_goes_there_and_back(game):
    names = set()
    for action in range(game.num_actions):
        assert game.encode_action(game.decode_action(action)) == action
        text = game.action_to_string(action)
        assert game.action_from_string(text) == action
        names.add(text)
    assert len(names) == game.num_actions


@every_mode
def test_actions_in_words_of_the_player_to_move(game, mode):
    """With the state, cells are written relative to the first tile."""
    rng = random.Random(mode)
    pair = Pair(game, 3, mode, "choice")
    for _ in range(40):
        for (kind, *values), action in pair.choices.items():
            text = game.action_to_string(action, pair.state)
            assert game.action_from_string(text, pair.state) == action
            if kind == "cell":
                ((x, y),) = values
                assert text == f"{x:+d}{y:+d}"
        pair.play(keen(pair, rng))


@pytest.mark.parametrize("action", [-1, 424, 1000])
def test_action_numbers_outside_the_table(game, action):
    states = game.new_state(3)
    before = contents(states)
    with pytest.raises((IllegalActionError, ValueError)):
        game.step(states, action)
    assert contents(states) == before


def test_same_seed_same_game(game):
    deals = {contents(game.new_state(seed, num_players=3)) for seed in range(50)}
    assert len(deals) == 50
    assert deals == {contents(game.new_state(seed, num_players=3)) for seed in range(50)}


def test_defaults(game):
    for seed in range(5):
        default = game.new_state(seed)
        spelled_out = game.new_state(seed, num_players=2, solo="classic", alignments="auto")
        assert contents(default) == contents(spelled_out)


# ---- setup ------------------------------------------------------------------------------------


def assert_even(counts: Counter, cells: int) -> None:
    """Each cell is within five standard deviations of an even spread (seeds are fixed)."""
    total = sum(counts.values())
    share = 1 / cells
    slack = 5 * (total * share * (1 - share)) ** 0.5
    assert len(counts) == cells
    assert max(abs(count - total * share) for count in counts.values()) < slack


@every_mode
def test_deals_are_those_of_the_oracle(game, mode):
    for seed in range(30):
        pair = Pair(game, seed, mode)
        assert sorted(pair.state["pile"].tolist()) == NUMBERS
        assert pair.oracle.turns == [0] * pair.oracle.num_players


@pytest.mark.parametrize("mode", SEVERAL)
def test_first_player_is_drawn_evenly(game, mode):
    num_players, _ = MODES[mode]
    first = Counter()
    for seed in range(1200):
        state = game.new_state(seed, num_players=num_players)[0]
        assert state["first_player"] == state["to_play"]
        first[int(state["first_player"])] += 1
    assert_even(first, num_players)


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


# ---- whole games ------------------------------------------------------------------------------


@either_way
@every_mode
@pytest.mark.parametrize("way", WAYS)
def test_games(game, mode, alignments, way):
    pair = Pair(game, 5, mode, alignments)
    pair.run(WAYS[way], random.Random(f"{mode} {alignments} {way}"))
    assert len(set(pair.oracle.turns)) == 1


def assert_box_is_whole(oracle: SaganiOracle) -> None:
    """72 tiles, the discs of every player, and scores that add up."""
    lying = [placed.tile for area in oracle.areas for placed in area.tiles.values()]
    shown = [what for what in oracle.river + oracle.interlude + [oracle.hand] if what is not None]
    piled = [what for pile in oracle.piles for what in pile]
    everywhere = lying + shown + piled + oracle.removed + oracle.low_tiles
    assert sorted(what.id for what in everywhere) == NUMBERS
    for area, points in zip(oracle.areas, oracle.track.points, strict=True):
        tiles = area.tiles.values()
        on_tiles = sum(placed.discs + len(placed.covered) for placed in tiles)
        assert area.supply >= 0
        if oracle.discs_are_laid() or area is not oracle.areas[oracle.to_play]:
            assert area.supply + on_tiles == 24 + area.cacophony
        completed = sum(placed.tile.value for placed in tiles if placed.flipped)
        penalty = 0 if oracle.mode == "advanced" else CACOPHONY_PENALTY * area.cacophony
        assert points == completed - penalty


@either_way
@every_mode
def test_games_keep_the_box_together(game, mode, alignments):
    rng = random.Random(f"{mode} {alignments} box")
    pair = Pair(game, 11, mode, alignments)
    while not pair.oracle.is_over():
        assert_box_is_whole(pair.oracle)
        pair.play(anything(pair, rng))
    assert_box_is_whole(pair.oracle)
    assert sorted(pair.oracle.ranks()) == list(range(1, pair.oracle.num_players + 1))


@pytest.mark.parametrize("mode", SEVERAL)
def test_games_with_interludes(game, mode):
    """Interludes in which all, some and none take a tile; several in one game."""
    rng = random.Random(mode)
    taken = Counter()
    for seed in range(6):
        pair = Pair(game, seed, mode, "choice" if seed % 2 else "auto")
        while not pair.oracle.is_over():
            opens = pair.oracle.phase == "interlude" and not taken["now"]
            taken["interludes"] += opens
            taken["now"] = bool(pair.oracle.choosers)
            pair.play(apart(pair, rng) if seed < 3 else anything(pair, rng))
        taken["choose"] += pair.happened["choose"]
        taken["pass"] += pair.happened["pass"]
        taken["removed"] += len(pair.oracle.removed)
    assert min(taken[what] for what in ("interludes", "choose", "pass", "removed")) > 0


@every_mode
def test_games_with_discs_moved_at_every_moment(game, mode):
    rng = random.Random(mode)
    happened = Counter()
    for seed in range(2):
        pair = Pair(game, seed, mode, "choice")
        pair.run(putting_off, rng)
        happened += pair.happened
    several = ["take", "interlude"] if mode in SEVERAL else []
    assert all(happened[f"cover in {phase}"] for phase in ["place", *several])


@either_way
@every_mode
def test_games_stirred_up(game, mode, alignments):
    """Markers near the goal and hands nearly empty: ends, ties and cacophony in every mixture."""
    rng = random.Random(f"{mode} {alignments}")
    met = Counter()
    for seed in range(4):
        pair = Pair(game, seed, mode, alignments)
        way = keen if seed % 2 else anything
        for _ in range(rng.randrange(30)):
            if not pair.oracle.is_over():
                pair.play(way(pair, rng))
        while not pair.oracle.is_over():
            stirred(pair, rng)
            # Supplies don't add up any more with what lies on the tables; nobody compares that.
            before = list(pair.oracle.track.points)
            pair.play(way(pair, rng))
            met["tokens"] += min(pair.oracle.track.points) < 0
            met["stack"] += len(set(before)) < len(before)
        met["goal"] += max(pair.oracle.track.points) >= pair.oracle.goal()
        met["cacophony"] += any(area.cacophony for area in pair.oracle.areas)
    assert met["cacophony"]
    if mode != "solo advanced":
        assert met["tokens"]
        assert met["goal"]
    if mode in SEVERAL:
        assert met["stack"]


@pytest.mark.parametrize("mode", SEVERAL)
def test_games_end_by_points_and_by_empty_piles(game, mode):
    rng = random.Random(mode)
    ends = Counter()
    for seed in range(4):
        pair = Pair(game, seed, mode)
        pair.run(keen if seed % 2 else anything, rng)
        ends["points" if max(pair.oracle.scores()) >= pair.oracle.goal() else "piles"] += 1
    assert ends["piles"]


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
    for seed in range(6):
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
        if moments and seed >= 4:
            break
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


# ---- illegal actions and batches --------------------------------------------------------------


@either_way
@every_mode
def test_every_action_tried(game, mode, alignments):
    """Legal actions do what the oracle says; all others raise and leave the state as it was."""
    rng = random.Random(f"{mode} {alignments}")
    pair = Pair(game, 8, mode, alignments)
    while not pair.oracle.is_over():
        if rng.random() < 0.06:
            before = contents(pair.states)
            legal = pair.choices
            for action in set(range(game.num_actions)) - set(legal.values()):
                with pytest.raises(IllegalActionError):
                    game.step(pair.states, action)
            assert contents(pair.states) == before
            for decision in rng.sample(sorted(legal, key=repr), min(3, len(legal))):
                pair.copy().play(decision)
            assert contents(pair.states) == before
        pair.play(anything(pair, rng))
    before = contents(pair.states)
    for action in range(0, game.num_actions, 7):
        with pytest.raises(GameOverError):
            game.step(pair.states, action)
    assert contents(pair.states) == before


def test_step_touches_one_game_of_the_batch(game):
    singles = [game.new_state(seed, num_players=3) for seed in range(3)]
    batch = np.concatenate(singles)
    for action in (0, 11, 1):
        game.step(batch, action, i=1)
        game.step(singles[1], action)
    assert contents(batch) == contents(np.concatenate(singles))
    for i, single in enumerate(singles):
        assert game.legal_mask(batch, i=i).tolist() == game.legal_mask(single).tolist()


# ---- positions that cannot be ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"markers": (0, 0)}, "markers is .*give each seat of 0 to 1 once"),
        ({"markers": (1,)}, "markers is .*give each seat of 0 to 1 once"),
        ({"scores": [3]}, "scores is .*give 2 numbers, one a seat"),
        ({"cacophony": [0, 0, 1]}, "cacophony is .*give 2 numbers, one a seat"),
        ({"tables": {0: [TileAt(1, 0, 0, 4)]}}, "tile 1 has rotation 4; allowed: 0 to 3"),
        ({"tables": {0: [TileAt(1, 0, 0, -1)]}}, "tile 1 has rotation -1; allowed: 0 to 3"),
        ({"tables": {0: [TileAt(1, 0, 0, 0, ("up",))]}}, "tile 1 as it lies has no arrow 'up'"),
    ],
)
def test_positions_that_cannot_be_are_refused(game, parts, message):
    states = game.new_state(1)
    before = states.tobytes()
    with pytest.raises(ValueError, match=message):
        set_position(states, display=(2, 3), **parts)
    assert states.tobytes() == before
