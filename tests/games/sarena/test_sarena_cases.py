"""Games and positions of Sàrèná recorded outside the project, on the oracle and the kernels."""

from __future__ import annotations

import itertools

import pytest
from oracles.sarena import (
    CIRCLES,
    COLUMNS,
    SarenaOracle,
    has_arrows,
    load_traces,
    moves_from_rows,
    stacks_from_labels,
)

# In YRN games N stands for both colours nobody holds, merged: to the game it is one more colour.
from sarena_adapter import both

TRACES = load_traces()
GAMES = TRACES["games"]
POSITIONS = TRACES["positions"]


def by_id(record: dict) -> str:
    return record["id"]


def recorded(rules, record: dict, board: list, secrets: list[int] | None = None):
    """A game on a recorded board; by default every colour of its labels has a holder."""
    labels = record["colours"]
    secrets = secrets or list(range(len(labels)))
    return rules(stacks_from_labels(board, labels), secrets, len(secrets))


def assert_scored_as(rules, record: dict, board: list, final: dict) -> None:
    """Compare every number of a recorded result, for all colours and for every pair of players."""
    labels = record["colours"]
    everybody = recorded(rules, record, board)
    assert everybody.is_over() == final["finished_per_engine"]
    discs = final["discs_under_top_colour"]
    showing = final["of_those_discs_showing_that_colour_on_a_face"]
    assert everybody.scores() == [discs.get(label, 0) for label in labels]
    if issubclass(rules, SarenaOracle):  # the kernels show the tie-break in the ranks alone
        assert everybody.tie_break_counts() == [showing.get(label, 0) for label in labels]

    if labels == "YRN":
        pairs = {"YR": final["engine_score_Y_minus_R"]}
    else:
        pairs = final["engine_score_pairs"]
        assert len(pairs) == 6
    for (one, other), signed in pairs.items():
        duel = recorded(rules, record, board, [labels.index(one), labels.index(other)])
        mine, yours = duel.scores()
        # The recorded difference is that of the discs, or of the tie-break if these are equal.
        assert mine == yours or signed == mine - yours
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
@both
def test_recorded_game(rules, record):
    labels = record["colours"]
    two_players = recorded(rules, record, record["initial"], [0, 1])
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
    assert_scored_as(rules, record, record["final_board"], record["final"])


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
@both
def test_recorded_position(rules, record):
    labels = record["colours"]
    position = recorded(rules, record, record["board"])
    legal = sorted(moves_from_rows(record["legal"]))
    assert position.legal_moves() == legal
    assert position.is_over() == record["finished"]
    after = record["after_each_move"]
    assert sorted(moves_from_rows([entry["move"] for entry in after])) == legal
    for entry in after:
        played = position.copy()
        played.move(*moves_from_rows([entry["move"]])[0])
        assert played.stacks == stacks_from_labels(entry["board"], labels)
    assert_scored_as(rules, record, record["board"], record["score_if_scored_now"])


@both
def test_longest_game_has_45_plies(rules):
    (record,) = [game for game in GAMES if game["id"] == "longest_45"]
    game = recorded(rules, record, record["initial"])
    merges = moves_out_of_plain = 0
    for ply in record["plies"]:
        source, target = moves_from_rows([ply["move"]])[0]
        merges += bool(game.stacks[target])
        moves_out_of_plain += not has_arrows(source)
        game.move(source, target)
    assert game.is_over()
    # 36 discs make at least 9 stacks: at most 27 merges; 18 plain circles are each left once.
    assert (game.ply, merges, 45 - merges) == (45, 27, 18)
    assert moves_out_of_plain == 18
    assert [len(stack) for stack in game.stacks if stack] == [4] * 9
