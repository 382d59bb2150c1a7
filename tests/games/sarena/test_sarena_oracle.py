"""The plain-Python oracle of Sàrèná against recorded games and against the rulebook's sentences."""

from __future__ import annotations

import itertools
import random

import pytest
from oracles.sarena import (
    CIRCLES,
    COLOUR_PAIRS,
    COLUMNS,
    SarenaOracle,
    deal,
    has_arrows,
    load_traces,
    moves_from_rows,
    neighbours,
    stacks_from_labels,
)

# In YRN games N stands for both colours nobody holds, merged: to the oracle it is one more colour.
TRACES = load_traces()
GAMES = TRACES["games"]
POSITIONS = TRACES["positions"]

# Circles used by the small tests: a plain one in the middle and the four arrow circles round it.
PLAIN = 15
ARROWS_ROUND_PLAIN = [9, 14, 16, 21]


def by_id(record: dict) -> str:
    return record["id"]


def board_with(stacks: dict[int, list]) -> list:
    """A board that is empty but for the given circles."""
    return [list(stacks.get(circle, [])) for circle in range(CIRCLES)]


def oracle_with(stacks: dict[int, list], secrets=(0, 1, 2, 3), num_players: int = 2):
    return SarenaOracle(board_with(stacks), list(secrets), num_players)


def recorded(record: dict, board: list, secrets: list[int] | None = None) -> SarenaOracle:
    """An oracle on a recorded board; by default every colour of its labels has a holder."""
    labels = record["colours"]
    secrets = secrets or list(range(len(labels)))
    return SarenaOracle(stacks_from_labels(board, labels), secrets, len(secrets))


def assert_scored_as(record: dict, board: list, final: dict) -> None:
    """Compare every number of a recorded result, for all colours and for every pair of players."""
    labels = record["colours"]
    everybody = recorded(record, board)
    assert everybody.is_over() == final["finished_per_engine"]
    discs = final["discs_under_top_colour"]
    showing = final["of_those_discs_showing_that_colour_on_a_face"]
    assert everybody.scores() == [discs.get(label, 0) for label in labels]
    assert everybody.tie_break_counts() == [showing.get(label, 0) for label in labels]

    if labels == "YRN":
        pairs = {"YR": final["engine_score_Y_minus_R"]}
    else:
        pairs = final["engine_score_pairs"]
        assert len(pairs) == 6
    for (one, other), signed in pairs.items():
        duel = recorded(record, board, [labels.index(one), labels.index(other)])
        mine, yours = duel.scores()
        first, second = duel.tie_break_counts()
        assert signed == (mine - yours or first - second)
        assert duel.ranks() == ([1, 1] if signed == 0 else [1, 2] if signed > 0 else [2, 1])


# ---- recorded games and positions -------------------------------------------------------------


def test_recorded_board_is_ours():
    meta = TRACES["meta"]
    assert (meta["rows"], meta["cols"]) == (6, 6)
    assert meta["cell_order"] == "row-major, index = row*6+col"
    arrows = sorted(COLUMNS * row + column for row, column in meta["arrow_circles"])
    assert [circle for circle in range(CIRCLES) if has_arrows(circle)] == arrows
    assert (len(GAMES), len(POSITIONS)) == (31, 12)
    assert sum(len(game["plies"]) for game in GAMES) == 908


@pytest.mark.parametrize("record", GAMES, ids=by_id)
def test_recorded_game(record):
    labels = record["colours"]
    two_players = recorded(record, record["initial"], [0, 1])
    assert record["n_plies"] == len(record["plies"])
    for number, ply in enumerate(record["plies"]):
        assert (ply["ply"], ply["player"]) == (number, number % 2)
        assert (two_players.ply, two_players.to_play) == (ply["ply"], ply["player"])
        assert two_players.stacks == stacks_from_labels(ply["board"], labels)
        assert two_players.legal_moves() == sorted(moves_from_rows(ply["legal"]))
        assert not two_players.is_over()
        two_players.move(*moves_from_rows([ply["move"]])[0])
    assert two_players.stacks == stacks_from_labels(record["final_board"], labels)
    assert two_players.is_over()
    assert_scored_as(record, record["final_board"], record["final"])


@pytest.mark.parametrize("record", GAMES, ids=by_id)
def test_recorded_setup_has_the_discs_of_the_box(record):
    discs = [disc for stack in record["initial"] for disc in stack]
    assert [len(stack) for stack in record["initial"]] == [1] * CIRCLES
    colour_pairs = sorted("".join(sorted(disc)) for disc in discs)
    if record["colours"] == "YRN":
        assert colour_pairs == ["NN"] * 6 + ["NR"] * 12 + ["NY"] * 12 + ["RY"] * 6
    else:
        pairs = itertools.combinations("ABCD", 2)
        assert colour_pairs == sorted(["".join(pair) for pair in pairs] * 6)


@pytest.mark.parametrize("record", POSITIONS, ids=by_id)
def test_recorded_position(record):
    labels = record["colours"]
    position = recorded(record, record["board"])
    legal = sorted(moves_from_rows(record["legal"]))
    assert position.legal_moves() == legal
    assert position.is_over() == record["finished"]
    after = record["after_each_move"]
    assert sorted(moves_from_rows([entry["move"] for entry in after])) == legal
    for entry in after:
        played = position.copy()
        played.move(*moves_from_rows([entry["move"]])[0])
        assert played.stacks == stacks_from_labels(entry["board"], labels)
    assert_scored_as(record, record["board"], record["score_if_scored_now"])


def test_longest_game_has_45_plies():
    (record,) = [game for game in GAMES if game["id"] == "longest_45"]
    oracle = recorded(record, record["initial"])
    merges = moves_out_of_plain = 0
    for ply in record["plies"]:
        source, target = moves_from_rows([ply["move"]])[0]
        merges += bool(oracle.stacks[target])
        moves_out_of_plain += not has_arrows(source)
        oracle.move(source, target)
    assert oracle.is_over()
    # 36 discs make at least 9 stacks: at most 27 merges; 18 plain circles are each left once.
    assert (oracle.ply, merges, 45 - merges) == (45, 27, 18)
    assert moves_out_of_plain == 18
    assert [len(stack) for stack in oracle.stacks if stack] == [4] * 9


# ---- the board and the setup ------------------------------------------------------------------


def test_circles_and_lines():
    lines = [(one, other) for one in range(CIRCLES) for other in neighbours(one)]
    assert len(lines) == 120
    assert all((other, one) in lines for one, other in lines)
    assert neighbours(0) == [1, 6]
    assert neighbours(5) == [4, 11]
    assert neighbours(PLAIN) == ARROWS_ROUND_PLAIN
    assert all(has_arrows(one) != has_arrows(other) for one, other in lines)


@pytest.mark.parametrize("balanced", [False, True])
def test_deal(balanced):
    rng = random.Random(11)
    tops_seen = set()
    for _ in range(20):
        stacks = deal(rng, balanced)
        assert [len(stack) for stack in stacks] == [1] * CIRCLES
        discs = [stack[0] for stack in stacks]
        assert sorted(tuple(sorted(disc)) for disc in discs) == sorted(COLOUR_PAIRS * 6)
        tops_seen.add(tuple([top for _, top in discs].count(colour) for colour in range(4)))
        assert len(SarenaOracle(stacks, [0, 1], 2).legal_moves()) == 120
    if balanced:
        assert tops_seen == {(9, 9, 9, 9)}
    else:
        assert len(tops_seen) > 10


# ---- moves ------------------------------------------------------------------------------------


def test_stack_on_occupied_circle():
    """A single disc goes on top of its neighbour, on a plain circle, nothing turned over."""
    oracle = oracle_with({14: [(0, 1)], PLAIN: [(2, 3)]})
    oracle.move(14, PLAIN)
    assert oracle.stacks == board_with({PLAIN: [(2, 3), (0, 1)]})


def test_no_split():
    """A stack moves as a whole: nothing stays behind, wherever it goes."""
    oracle = oracle_with({PLAIN: [(0, 1), (2, 3), (1, 2)], 14: [(3, 0)]})
    for _, target in [move for move in oracle.legal_moves() if move[0] == PLAIN]:
        played = oracle.copy()
        played.move(PLAIN, target)
        assert played.stacks[PLAIN] == []
        assert sum(len(stack) for stack in played.stacks) == 4
        assert len(played.stacks[target]) == 3 + len(oracle.stacks[target])


@pytest.mark.parametrize("low", [1, 2, 3, 4])
@pytest.mark.parametrize("high", [1, 2, 3, 4])
def test_no_stack_of_more_than_four(low, high):
    oracle = oracle_with({14: [(0, 1)] * low, PLAIN: [(2, 3)] * high})
    allowed = low + high <= 4
    assert ((14, PLAIN) in oracle.legal_moves()) == allowed
    assert ((PLAIN, 14) in oracle.legal_moves()) == allowed
    if not allowed:
        with pytest.raises(ValueError, match="may not move"):
            oracle.move(PLAIN, 14)


def test_flip_on_empty_arrow_circle():
    """Order and faces are both reversed: what lay underneath is now seen on top."""
    for target in ARROWS_ROUND_PLAIN:
        oracle = oracle_with({PLAIN: [(0, 1), (0, 2), (3, 1)]})
        oracle.move(PLAIN, target)
        assert oracle.stacks == board_with({target: [(1, 3), (2, 0), (1, 0)]})


def test_full_stack_may_still_go_to_an_empty_arrow_circle():
    oracle = oracle_with({PLAIN: [(0, 1), (0, 2), (0, 3), (1, 2)]})
    oracle.move(PLAIN, 9)
    assert oracle.stacks == board_with({9: [(2, 1), (3, 0), (2, 0), (1, 0)]})


def test_no_flip_on_occupied_arrow_circle():
    oracle = oracle_with({PLAIN: [(0, 1), (0, 2)], 14: [(3, 1)]})
    oracle.move(PLAIN, 14)
    assert oracle.stacks == board_with({14: [(3, 1), (0, 1), (0, 2)]})


def test_no_move_to_an_empty_plain_circle():
    oracle = oracle_with({14: [(0, 1)]})
    assert has_arrows(14)
    assert oracle.legal_moves() == []
    assert oracle.is_over()
    for target in neighbours(14):
        with pytest.raises(ValueError, match="may not move"):
            oracle.move(14, target)
    assert oracle.stacks == board_with({14: [(0, 1)]})
    assert (oracle.ply, oracle.to_play) == (0, 0)


@pytest.mark.parametrize("target", [PLAIN, 8, 10, 13, 17, 27, 3])
def test_no_move_off_the_lines(target):
    """Not to itself, not diagonally, not two circles away, even where a disc lies there."""
    stacks = {PLAIN: [(0, 1)]} | {circle: [(2, 3)] for circle in [8, 10, 13, 17, 27, 3]}
    with pytest.raises(ValueError, match="may not move"):
        oracle_with(stacks).move(PLAIN, target)


def test_rows_do_not_wrap():
    """The last circle of a row and the first of the next have neighbouring numbers only."""
    oracle = oracle_with({5: [(0, 1)], 6: [(1, 2)]})
    assert not oracle.is_legal(5, 6)
    assert not oracle.is_legal(6, 5)


def test_no_move_from_an_empty_circle():
    with pytest.raises(ValueError, match="may not move"):
        oracle_with({PLAIN: [(0, 1)]}).move(14, PLAIN)


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_turns_go_round_and_anybody_moves_any_stack(num_players):
    stacks = deal(random.Random(5))
    lists = []
    for first in range(num_players):
        oracle = SarenaOracle(stacks, [0, 1, 2, 3], num_players, first)
        lists.append(oracle.legal_moves())
        for turn in range(8):
            assert oracle.to_play == (first + turn) % num_players
            oracle.move(*oracle.legal_moves()[0])
    assert all(moves == lists[0] for moves in lists)


def test_copy_is_independent():
    oracle = oracle_with({PLAIN: [(0, 1)], 14: [(2, 3)]}, num_players=3)
    oracle.move(14, PLAIN)
    twin = oracle.copy()
    twin.move(PLAIN, 9)
    assert oracle.stacks == board_with({PLAIN: [(0, 1), (2, 3)]})
    assert (oracle.ply, oracle.to_play) == (1, 1)
    assert (twin.ply, twin.to_play) == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([[]] * 35, [0, 1], 2), "36 circles"),
        (([[(0, 1)] * 5] + [[]] * 35, [0, 1], 2), "higher than 4"),
        (([[]] * 36, [0, 1], 5), "2, 3 or 4"),
        (([[]] * 36, [0, 0], 2), "pawn"),
        (([[]] * 36, [0, 1], 3), "pawn"),
        (([[]] * 36, [0, 1], 2, 2), "to_play"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        SarenaOracle(*arguments)


# ---- the end ----------------------------------------------------------------------------------


def test_most_discs_wins_not_most_stacks():
    stacks = {0: [(1, 0)], 2: [(2, 0)], 4: [(2, 3), (2, 3), (0, 1)]}
    oracle = oracle_with(stacks)
    assert oracle.scores() == [2, 3]
    assert oracle.ranks() == [2, 1]


def test_only_the_top_of_the_stack_counts():
    oracle = oracle_with({0: [(1, 0), (1, 0), (0, 2)]})
    assert oracle.scores() == [0, 0]


def test_unheld_colours_score_for_nobody():
    stacks = {0: [(0, 2), (0, 2)], 2: [(1, 3)] * 4, 4: [(0, 1), (0, 3)]}
    two = oracle_with(stacks)
    assert (two.scores(), two.tie_break_counts(), two.ranks()) == ([0, 0], [0, 0], [1, 1])
    three = oracle_with(stacks, num_players=3)
    assert three.scores() == [0, 0, 2]
    four = oracle_with(stacks, num_players=4)
    assert four.scores() == [0, 0, 2, 6]


def test_tie_break_counts_own_colour_on_either_face():
    """Three discs each; player 0 has his colour on one face of two, player 1 of all three."""
    stacks = {0: [(2, 3), (0, 3), (1, 0)], 2: [(2, 1), (1, 3), (0, 1)]}
    oracle = oracle_with(stacks)
    assert oracle.scores() == [3, 3]
    assert oracle.tie_break_counts() == [2, 3]
    assert oracle.ranks() == [2, 1]


def test_tie_break_looks_only_at_discs_taken():
    """Discs of one's colour in somebody else's stack do not count."""
    stacks = {0: [(0, 1), (0, 1), (1, 0)], 2: [(2, 0), (2, 0), (3, 1)]}
    oracle = oracle_with(stacks)
    assert oracle.scores() == [3, 3]
    assert oracle.tie_break_counts() == [3, 1]
    assert oracle.ranks() == [1, 2]


def test_tie_break_never_beats_discs():
    stacks = {0: [(2, 3), (2, 3), (2, 0)], 2: [(1, 2), (3, 1)]}
    oracle = oracle_with(stacks)
    assert oracle.scores() == [3, 2]
    assert oracle.tie_break_counts() == [1, 2]
    assert oracle.ranks() == [1, 2]


def test_remaining_tie_is_shared():
    stacks = {0: [(2, 3), (0, 2), (2, 0)], 2: [(1, 3), (3, 2), (2, 1)]}
    oracle = oracle_with(stacks)
    assert oracle.scores() == [3, 3]
    assert oracle.tie_break_counts() == [2, 2]
    assert oracle.ranks() == [1, 1]


def test_ties_among_three_and_four():
    level = {0: [(1, 0)], 2: [(2, 1)], 4: [(0, 2)], 7: [(2, 1), (0, 3)]}
    assert oracle_with(level, num_players=3).ranks() == [1, 1, 1]
    assert oracle_with(level, num_players=4).ranks() == [2, 2, 2, 1]
    broken = {0: [(1, 0), (2, 0)], 2: [(2, 3), (2, 1)], 4: [(0, 3), (0, 2)], 7: [(1, 3)]}
    oracle = oracle_with(broken, num_players=4)
    assert oracle.scores() == [2, 2, 2, 1]
    assert oracle.tie_break_counts() == [2, 1, 1, 1]
    assert oracle.ranks() == [1, 2, 2, 4]


def test_secret_pawns_decide_who_takes_what():
    stacks = {0: [(1, 0)] * 3, 2: [(0, 1)] * 2, 4: [(0, 3)]}
    assert oracle_with(stacks, secrets=(3, 0, 1, 2), num_players=3).scores() == [1, 3, 2]
    assert oracle_with(stacks, secrets=(2, 1), num_players=2).scores() == [0, 2]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games_end_within_the_bound(num_players):
    rng = random.Random(num_players)
    for _ in range(10):
        oracle = SarenaOracle(deal(rng), rng.sample(range(4), 4), num_players)
        while not oracle.is_over():
            oracle.move(*rng.choice(oracle.legal_moves()))
        assert oracle.ply <= 45
        assert sum(bool(stack) for stack in oracle.stacks) >= 9
        assert sum(len(stack) for stack in oracle.stacks) == 36
        if num_players == 4:
            assert sum(oracle.scores()) == 36
