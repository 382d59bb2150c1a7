"""The kernels of Sagani against the oracle: every ply of random games, and single positions."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from sagani_adapter import (
    SEVERAL,
    WAYS,
    Pair,
    anything,
    apart,
    contents,
    either_way,
    every_mode,
    keen,
    stirred,
)

from ludotheque.envs import GameOverError, IllegalActionError, get_game
from ludotheque.envs.sagani.position import TileAt, set_position


@pytest.fixture(scope="module")
def game():
    return get_game("sagani")


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


# ---- whole games ------------------------------------------------------------------------------


@either_way
@every_mode
@pytest.mark.parametrize("way", WAYS)
def test_games(game, mode, alignments, way):
    rng = random.Random(f"{mode} {alignments} {way}")
    for seed in range(2):
        pair = Pair(game, seed, mode, alignments)
        pair.run(WAYS[way], rng)
        assert len(set(pair.oracle.turns)) == 1


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


@either_way
@every_mode
def test_games_stirred_up(game, mode, alignments):
    """Markers near the goal and hands nearly empty: ends, ties and cacophony in every mixture."""
    rng = random.Random(f"{mode} {alignments}")
    met = Counter()
    for seed in range(8):
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
