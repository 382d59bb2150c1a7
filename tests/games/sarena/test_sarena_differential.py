"""The compiled rules of Sàrèná against the plain-Python oracle, at every ply of many games."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from oracles.sarena import (
    CIRCLES,
    COLOUR_PAIRS,
    SarenaOracle,
    deal,
    has_arrows,
    load_traces,
    neighbours,
    stacks_from_labels,
)
from sarena_adapter import discs_changed

from ludotheque.envs import GameOverError, IllegalActionError, get_game
from ludotheque.envs.sarena.position import set_position
from ludotheque.envs.sarena.state import stacks_of

TRACES = load_traces()
GAMES_PER_SETTING = 60
LONGEST_GAME = 45


@pytest.fixture(scope="module")
def game():
    return get_game("sarena")


@pytest.fixture(scope="module")
def actions(game) -> dict:
    """The action number of every (from, to), read from the game's own codec."""
    decoded = [game.decode_action(action) for action in range(game.num_actions)]
    return {(move["from"], move["to"]): action for action, move in enumerate(decoded)}


def by_id(record: dict) -> str:
    return record["id"]


def plain_stacks(states, i: int = 0) -> list:
    """The board of a state as lists of tuples of plain integers."""
    return [[(int(low), int(high)) for low, high in stack] for stack in stacks_of(states[i])]


def contents(states) -> tuple:
    """Every field's bytes: unlike the records' own bytes, without the padding between fields."""
    return tuple(states[name].tobytes() for name in states.dtype.names)


def oracle_of(states) -> SarenaOracle:
    """An oracle of the same game, read from a state at its start."""
    secrets = [int(colour) for colour in states["secret"][0]]
    return SarenaOracle(
        plain_stacks(states), secrets, int(states["num_players"][0]), int(states["to_play"][0])
    )


def placed(game, stacks, secrets=(0, 1, 2, 3), num_players: int = 2, to_play: int = 0):
    """A state and an oracle with the same position."""
    states = game.new_state(1, num_players=num_players)
    set_position(states, 0, stacks=stacks, secrets=list(secrets), to_play=to_play)
    return states, SarenaOracle(stacks, list(secrets), num_players, to_play)


def assert_same(game, actions, states, oracle) -> None:
    """Board, legal actions, turn, flags, scores and ranks are those of the oracle."""
    legal = oracle.legal_moves()
    mask = game.legal_mask(states)
    assert plain_stacks(states) == oracle.stacks
    assert mask.dtype == np.int8
    assert mask.shape == (120,)
    assert set(mask.tolist()) <= {0, 1}
    assert np.flatnonzero(mask).tolist() == sorted(actions[move] for move in legal)
    assert bool(states["terminated"][0]) == (not legal)
    assert not states["truncated"][0]
    assert states["ply"][0] == oracle.ply
    assert states["forfeit"][0] == -1
    for player in range(oracle.num_players):
        assert discs_changed(states, player) == oracle.discs_changed(player)
    if legal:
        assert states["to_play"][0] == oracle.to_play
    scores, ranks = game.returns(states)
    assert scores.dtype == np.float32
    assert scores.tolist() == oracle.scores()
    assert list(ranks) == oracle.ranks()


def chosen(rng: random.Random, oracle: SarenaOracle, taste: str) -> tuple[int, int]:
    """A random legal move; tastes lead to long games, short games and games between."""
    legal = oracle.legal_moves()
    flips = [move for move in legal if not oracle.stacks[move[1]]]
    merges = [move for move in legal if oracle.stacks[move[1]]]
    preferred = {"flips": flips, "merges": merges, "any": legal}[taste]
    return rng.choice(preferred or legal)


def scattered(rng: random.Random) -> list:
    """A position that need not arise in play: some discs of the box, piled up anywhere."""
    discs = [stack[0] for stack in deal(rng)]
    discs = discs[: rng.randint(1, 36)]
    circles = rng.sample(range(CIRCLES), rng.randint(-(-len(discs) // 4), 36))
    stacks = [[] for _ in range(CIRCLES)]
    for disc in discs:
        free = [circle for circle in circles if len(stacks[circle]) < 4]
        stacks[rng.choice(free)].append(disc)
    return stacks


# ---- actions ----------------------------------------------------------------------------------


def test_actions_are_the_120_moves_along_the_lines(game, actions):
    lines = {(one, other) for one in range(CIRCLES) for other in neighbours(one)}
    assert game.num_actions == 120
    assert set(actions) == lines
    assert sorted(actions.values()) == list(range(120))


def test_action_codec_goes_there_and_back(game, actions):
    names = set()
    for (source, target), action in actions.items():
        assert game.encode_action({"from": source, "to": target}) == action
        text = game.action_to_string(action)
        assert text == f"{circle_name(source)}-{circle_name(target)}"
        assert game.action_from_string(text) == action
        names.add(text)
    assert len(names) == 120


def circle_name(circle: int) -> str:
    row, column = divmod(circle, 6)
    return "abcdef"[column] + "123456"[row]


@pytest.mark.parametrize("deal_option", ["random", "balanced"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_every_action_is_legal_at_the_start(game, num_players, deal_option):
    for seed in range(20):
        states = game.new_state(seed, num_players=num_players, deal=deal_option)
        assert game.legal_mask(states).tolist() == [1] * 120


# ---- setup ------------------------------------------------------------------------------------


@pytest.mark.parametrize("deal_option", ["random", "balanced"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_setup_has_the_contents_of_the_box(game, num_players, deal_option):
    tops_seen = set()
    splits_seen = set()
    for seed in range(100):
        states = game.new_state(seed, num_players=num_players, deal=deal_option)
        stacks = plain_stacks(states)
        assert [len(stack) for stack in stacks] == [1] * 36
        discs = [stack[0] for stack in stacks]
        assert sorted(tuple(sorted(disc)) for disc in discs) == sorted(COLOUR_PAIRS * 6)
        tops = Counter(top for _, top in discs)
        tops_seen.add(tuple(tops[colour] for colour in range(4)))
        splits_seen.add(tuple(discs.count(pair) for pair in COLOUR_PAIRS))
        assert sorted(states["secret"][0].tolist()) == [0, 1, 2, 3]
        assert states["num_players"][0] == num_players
        assert 0 <= states["to_play"][0] < num_players
        assert states["ply"][0] == 0
        assert not states["terminated"][0]
    if deal_option == "balanced":
        assert tops_seen == {(9, 9, 9, 9)}
    else:
        assert len(tops_seen) > 50
    # Which face of each kind of disc is up differs from game to game, balanced or not.
    assert len(splits_seen) > 20


def test_random_deal_is_the_default(game):
    for seed in range(5):
        default = game.new_state(seed)
        assert contents(default) == contents(game.new_state(seed, num_players=2, deal="random"))


def assert_even(counts: Counter, cells: int) -> None:
    """Each cell is within five standard deviations of an even spread (seeds are fixed)."""
    total = sum(counts.values())
    share = 1 / cells
    slack = 5 * (total * share * (1 - share)) ** 0.5
    assert len(counts) == cells
    assert max(abs(count - total * share) for count in counts.values()) < slack


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_first_player_and_pawns_are_drawn_by_lot(game, num_players):
    """Both are uniform and independent."""
    first = Counter()
    pawns = Counter()
    first_with_pawn = Counter()
    for seed in range(2400):
        state = game.new_state(seed, num_players=num_players)[0]
        first[int(state["to_play"])] += 1
        pawns[tuple(state["secret"].tolist())] += 1
        first_with_pawn[int(state["to_play"]), int(state["secret"][0])] += 1
    assert_even(first, num_players)
    assert_even(pawns, 24)
    assert_even(first_with_pawn, 4 * num_players)


@pytest.mark.parametrize("deal_option", ["random", "balanced"])
def test_discs_are_dealt_evenly(game, deal_option):
    """Each of the twelve ways a disc can lie comes up equally often on each circle."""
    lying = [Counter() for _ in range(CIRCLES)]
    for seed in range(2400):
        stacks = plain_stacks(game.new_state(seed, deal=deal_option))
        for counter, stack in zip(lying, stacks, strict=True):
            counter[stack[0]] += 1
    for counter in lying:
        assert_even(counter, 12)


def test_same_seed_same_game(game):
    games = {contents(game.new_state(seed, num_players=3)) for seed in range(50)}
    assert len(games) == 50
    assert games == {contents(game.new_state(seed, num_players=3)) for seed in range(50)}


# ---- the state --------------------------------------------------------------------------------


def test_state_packs_discs_from_the_bottom(game):
    """Disc k from the bottom in bits 4k..4k+3: the low two are its bottom face."""
    stacks = [[] for _ in range(CIRCLES)]
    stacks[15] = [(0, 1), (2, 3), (1, 0), (3, 2)]
    stacks[35] = [(1, 3)]
    states, _ = placed(game, stacks)
    assert states["height"][0].tolist() == [len(stack) for stack in stacks]
    # (bottom, top) = top * 4 + bottom: 0b0100, 0b1110, 0b0001, 0b1011 from the bottom up.
    assert states["stack"][0][15] == 0b1011_0001_1110_0100
    assert states["stack"][0][35] == 0b1101
    assert np.flatnonzero(states["stack"][0]).tolist() == [15, 35]


def test_state_packs_discs_after_a_flip(game, actions):
    stacks = [[] for _ in range(CIRCLES)]
    stacks[15] = [(0, 1), (2, 3), (1, 0)]
    states, _ = placed(game, stacks)
    game.step(states, actions[15, 9])
    assert np.flatnonzero(states["height"][0]).tolist() == [9]
    assert states["height"][0][9] == 3
    # Turned over: (0, 1), (3, 2), (1, 0) from the bottom up.
    assert states["stack"][0][9] == 0b0001_1011_0100
    assert np.flatnonzero(states["stack"][0]).tolist() == [9]


def test_step_touches_one_game_of_the_batch(game, actions):
    singles = [game.new_state(seed, num_players=3) for seed in range(3)]
    batch = np.concatenate(singles)
    action = actions[0, 1]
    game.step(batch, action, i=1)
    game.step(singles[1], action)
    assert contents(batch) == contents(np.concatenate(singles))
    assert game.legal_mask(batch, i=1).tolist() == game.legal_mask(singles[1]).tolist()
    assert game.legal_mask(batch, i=2).tolist() == [1] * 120


# ---- random games -----------------------------------------------------------------------------


@pytest.mark.parametrize("deal_option", ["random", "balanced"])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games(game, actions, num_players, deal_option):
    rng = random.Random(f"{num_players} {deal_option}")
    lengths = set()
    for number in range(GAMES_PER_SETTING):
        taste = ["any", "flips", "merges"][number % 3]
        states = game.new_state(number, num_players=num_players, deal=deal_option)
        oracle = oracle_of(states)
        assert_same(game, actions, states, oracle)
        while not oracle.is_over():
            move = chosen(rng, oracle, taste)
            game.step(states, actions[move])
            oracle.move(*move)
            assert_same(game, actions, states, oracle)
        assert oracle.ply <= LONGEST_GAME
        assert np.count_nonzero(states["height"][0]) >= 9
        lengths.add(oracle.ply)
    # The tastes do reach short and long games.
    assert min(lengths) < 27
    assert max(lengths) > 32


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_positions(game, actions, num_players):
    """Positions that play would seldom reach, with the small counts that make ties."""
    rng = random.Random(num_players)
    broken_ties = shared_places = ended = 0
    for _ in range(300):
        secrets = rng.sample(range(4), 4)
        to_play = rng.randrange(num_players)
        states, oracle = placed(game, scattered(rng), secrets, num_players, to_play)
        assert_same(game, actions, states, oracle)
        scores, ranks = oracle.scores(), oracle.ranks()
        broken_ties += len(set(scores)) < len(set(ranks))
        shared_places += len(set(ranks)) < num_players
        ended += oracle.is_over()
    assert min(broken_ties, shared_places, ended) > 0


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_positions_played_to_the_end(game, actions, num_players):
    rng = random.Random(num_players + 10)
    for _ in range(40):
        secrets = rng.sample(range(4), 4)
        states, oracle = placed(game, scattered(rng), secrets, num_players)
        while not oracle.is_over():
            move = chosen(rng, oracle, "any")
            game.step(states, actions[move])
            oracle.move(*move)
            assert_same(game, actions, states, oracle)


def test_every_action_tried_in_many_positions(game, actions):
    """Legal actions do what the oracle says; all others raise and leave the state as it was."""
    rng = random.Random(99)
    tried = Counter()
    for _ in range(30):
        states, oracle = placed(game, scattered(rng), rng.sample(range(4), 4), 3)
        before = contents(states)
        legal = oracle.legal_moves()
        refusal = IllegalActionError if legal else GameOverError
        for move, action in actions.items():
            trial = states.copy()
            tried[move in legal] += 1
            if move in legal:
                after = oracle.copy()
                after.move(*move)
                game.step(trial, action)
                assert_same(game, actions, trial, after)
            else:
                with pytest.raises(refusal):
                    game.step(trial, action)
                assert contents(trial) == before
        assert contents(states) == before
    assert min(tried[True], tried[False]) > 100


@pytest.mark.parametrize("action", [-1, 120, 1000])
def test_action_numbers_outside_the_table(game, action):
    states = game.new_state(3)
    before = contents(states)
    with pytest.raises((IllegalActionError, ValueError)):
        game.step(states, action)
    assert contents(states) == before


# ---- the end ----------------------------------------------------------------------------------


def test_nothing_may_be_played_after_the_end(game, actions):
    (record,) = [record for record in TRACES["games"] if record["id"] == "longest_45"]
    stacks = stacks_from_labels(record["final_board"], record["colours"])
    states, _ = placed(game, stacks)
    assert not game.legal_mask(states).any()
    before = contents(states)
    for action in actions.values():
        with pytest.raises(GameOverError):
            game.step(states, action)
    assert contents(states) == before


# ---- secret pawns -----------------------------------------------------------------------------


def test_pawns_decide_who_takes_what(game):
    """Every way of handing out the four pawns, for every number of players."""
    stacks = [[] for _ in range(CIRCLES)]
    assert all(has_arrows(circle) for circle in (0, 2, 4, 7))
    stacks[0], stacks[2], stacks[4] = [(1, 0)] * 4, [(2, 1)] * 3, [(0, 2)] * 2
    stacks[7] = [(2, 3)]
    discs_of = [4, 3, 2, 1]
    for num_players, pawns in itertools.product((2, 3, 4), itertools.permutations(range(4))):
        states, _ = placed(game, stacks, pawns, num_players)
        scores, ranks = game.returns(states)
        expected = [discs_of[colour] for colour in pawns[:num_players]]
        assert scores.tolist() == expected
        assert list(ranks) == [1 + sum(other > mine for other in expected) for mine in expected]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"stacks": [[]] * 35}, "36 stacks"),
        ({"stacks": [[(0, 1)] * 5] + [[]] * 35}, "5 discs; at most 4"),
        ({"stacks": [[(0, 4)]] + [[]] * 35}, "colour is 4; give a whole number from 0 to 3"),
        ({"secrets": [0, 1, 1, 3]}, "secrets are the colours"),
        ({"to_play": 2}, "to_play is 2"),
        ({"to_play": 0.5}, "to_play is 0.5"),
    ],
)
def test_a_position_that_cannot_be_changes_nothing(game, wrong, message):
    states = game.new_state(3)
    before = contents(states)
    with pytest.raises(ValueError, match=message):
        set_position(states, **{"stacks": [[(0, 1)]] * 36, **wrong})
    assert contents(states) == before
