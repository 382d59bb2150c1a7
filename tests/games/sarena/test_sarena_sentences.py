"""The sentences of Sàrèná's rulebook, each tried on the oracle and on the kernels."""

from __future__ import annotations

import random

import pytest
from oracles.sarena import CIRCLES, COLOUR_PAIRS, SarenaOracle, deal, has_arrows, neighbours
from sarena_adapter import both

# Circles used by the small tests: a plain one in the middle and the four arrow circles round it.
PLAIN = 15
ARROWS_ROUND_PLAIN = [9, 14, 16, 21]


def board_with(stacks: dict[int, list]) -> list:
    """A board that is empty but for the given circles."""
    return [list(stacks.get(circle, [])) for circle in range(CIRCLES)]


def position(rules, stacks: dict[int, list], secrets=(0, 1, 2, 3), num_players: int = 2):
    return rules(board_with(stacks), list(secrets), num_players)


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
@both
def test_deal(rules, balanced):
    """One disc a circle, six of each pair of colours, either face up; or each colour nine times."""
    tops_seen, faces_up, places = set(), set(), set()
    for seed in range(30):
        game = rules.dealt(seed, balanced=balanced)
        assert [len(stack) for stack in game.stacks] == [1] * CIRCLES
        discs = [stack[0] for stack in game.stacks]
        assert sorted(tuple(sorted(disc)) for disc in discs) == sorted(COLOUR_PAIRS * 6)
        tops_seen.add(tuple([top for _, top in discs].count(colour) for colour in range(4)))
        faces_up.add(tuple(discs.count(pair) for pair in COLOUR_PAIRS))
        places.add(tuple(discs))
        assert len(game.legal_moves()) == 120
    assert len(places) == 30
    assert len(faces_up) > 15
    assert tops_seen == {(9, 9, 9, 9)} if balanced else len(tops_seen) > 15


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_pawns_and_first_player_are_drawn(rules, num_players):
    games = [rules.dealt(seed, num_players) for seed in range(40)]
    assert all(len(set(game.secrets)) == num_players for game in games)
    assert {game.to_play for game in games} == set(range(num_players))
    assert {game.secrets[0] for game in games} == set(range(4))


# ---- what all have seen -----------------------------------------------------------------------


@both
def test_moves_are_remembered_by_what_they_do_to_the_colours_on_top(rules):
    """Who covers a stack, or turns one over, takes its discs from a colour for another."""
    covered = {PLAIN: [(1, 3), (1, 2)], 14: [(0, 1)]}
    game = position(rules, covered | {21: [(2, 0), (2, 0), (1, 3)], 27: [(0, 3)]})
    assert [game.discs_changed(player) for player in (0, 1)] == [{}, {}]
    game.move(14, PLAIN)
    # Both discs that showed colour 2 on top count for colour 1 now.
    assert [game.discs_changed(player) for player in (0, 1)] == [{(1, 2): 2}, {}]
    game.move(27, 21)
    # A colour may cover itself: that is seen too.
    assert [game.discs_changed(player) for player in (0, 1)] == [{(1, 2): 2}, {(3, 3): 3}]
    game.move(PLAIN, 14)
    # Turned over onto the empty arrow circle, three discs show colour 1 below again.
    assert game.stacks[14] == [(1, 0), (2, 1), (3, 1)]
    assert game.discs_changed(0) == {(1, 2): 2, (1, 1): 3}


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_what_moves_did_adds_up(rules, num_players):
    """Alternately covered and turned over, for each player apart."""
    game = rules.dealt(5, num_players)
    expected = [{} for _ in range(num_players)]
    rng = random.Random(num_players)
    while not game.is_over():
        source, target = rng.choice(game.legal_moves())
        mine, moving, under = expected[game.to_play], game.stacks[source], game.stacks[target]
        came, went = (moving[-1][1], under[-1][1]) if under else (moving[0][0], moving[-1][1])
        mine[came, went] = mine.get((came, went), 0) + len(under or moving)
        game.move(source, target)
        assert [game.discs_changed(player) for player in range(num_players)] == expected


# ---- moves ------------------------------------------------------------------------------------


@both
def test_stack_on_occupied_circle(rules):
    """A single disc goes on top of its neighbour, on a plain circle, nothing turned over."""
    game = position(rules, {14: [(0, 1)], PLAIN: [(2, 3)]})
    game.move(14, PLAIN)
    assert game.stacks == board_with({PLAIN: [(2, 3), (0, 1)]})


@both
def test_no_split(rules):
    """A stack moves as a whole: nothing stays behind, wherever it goes."""
    game = position(rules, {PLAIN: [(0, 1), (2, 3), (1, 2)], 14: [(3, 0)]})
    for _, target in [move for move in game.legal_moves() if move[0] == PLAIN]:
        played = game.copy()
        played.move(PLAIN, target)
        assert played.stacks[PLAIN] == []
        assert sum(len(stack) for stack in played.stacks) == 4
        assert len(played.stacks[target]) == 3 + len(game.stacks[target])


@pytest.mark.parametrize("low", [1, 2, 3, 4])
@pytest.mark.parametrize("high", [1, 2, 3, 4])
@both
def test_no_stack_of_more_than_four(rules, low, high):
    game = position(rules, {14: [(0, 1)] * low, PLAIN: [(2, 3)] * high})
    allowed = low + high <= 4
    assert ((14, PLAIN) in game.legal_moves()) == allowed
    assert ((PLAIN, 14) in game.legal_moves()) == allowed
    if not allowed:
        with pytest.raises(ValueError, match="may not move"):
            game.move(PLAIN, 14)


@both
def test_flip_on_empty_arrow_circle(rules):
    """Order and faces are both reversed: what lay underneath is now seen on top."""
    for target in ARROWS_ROUND_PLAIN:
        game = position(rules, {PLAIN: [(0, 1), (0, 2), (3, 1)]})
        game.move(PLAIN, target)
        assert game.stacks == board_with({target: [(1, 3), (2, 0), (1, 0)]})


@both
def test_full_stack_may_still_go_to_an_empty_arrow_circle(rules):
    game = position(rules, {PLAIN: [(0, 1), (0, 2), (0, 3), (1, 2)]})
    game.move(PLAIN, 9)
    assert game.stacks == board_with({9: [(2, 1), (3, 0), (2, 0), (1, 0)]})


@both
def test_no_flip_on_occupied_arrow_circle(rules):
    game = position(rules, {PLAIN: [(0, 1), (0, 2)], 14: [(3, 1)]})
    game.move(PLAIN, 14)
    assert game.stacks == board_with({14: [(3, 1), (0, 1), (0, 2)]})


@both
def test_no_move_to_an_empty_plain_circle(rules):
    game = position(rules, {14: [(0, 1)]})
    assert has_arrows(14)
    assert game.legal_moves() == []
    assert game.is_over()
    for target in neighbours(14):
        with pytest.raises(ValueError, match="may not move"):
            game.move(14, target)
    assert game.stacks == board_with({14: [(0, 1)]})
    assert (game.ply, game.to_play) == (0, 0)


@pytest.mark.parametrize("target", [PLAIN, 8, 10, 13, 17, 27, 3])
@both
def test_no_move_off_the_lines(rules, target):
    """Not to itself, not diagonally, not two circles away, even where a disc lies there."""
    stacks = {PLAIN: [(0, 1)]} | {circle: [(2, 3)] for circle in [8, 10, 13, 17, 27, 3]}
    with pytest.raises(ValueError, match="may not move"):
        position(rules, stacks).move(PLAIN, target)


@both
def test_rows_do_not_wrap(rules):
    """The last circle of a row and the first of the next have neighbouring numbers only."""
    game = position(rules, {5: [(0, 1)], 6: [(1, 2)]})
    assert not game.is_legal(5, 6)
    assert not game.is_legal(6, 5)


@both
def test_no_move_from_an_empty_circle(rules):
    with pytest.raises(ValueError, match="may not move"):
        position(rules, {PLAIN: [(0, 1)]}).move(14, PLAIN)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_turns_go_round_and_anybody_moves_any_stack(rules, num_players):
    stacks = deal(random.Random(5))
    lists = []
    for first in range(num_players):
        game = rules(stacks, [0, 1, 2, 3], num_players, first)
        lists.append(game.legal_moves())
        for turn in range(8):
            assert game.to_play == (first + turn) % num_players
            game.move(*game.legal_moves()[0])
    assert all(moves == lists[0] for moves in lists)


@both
def test_copy_is_independent(rules):
    game = position(rules, {PLAIN: [(0, 1)], 14: [(2, 3)]}, num_players=3)
    game.move(14, PLAIN)
    twin = game.copy()
    twin.move(PLAIN, 9)
    assert game.stacks == board_with({PLAIN: [(0, 1), (2, 3)]})
    assert (game.ply, game.to_play) == (1, 1)
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


@both
def test_most_discs_wins_not_most_stacks(rules):
    stacks = {0: [(1, 0)], 2: [(2, 0)], 4: [(2, 3), (2, 3), (0, 1)]}
    game = position(rules, stacks)
    assert game.scores() == [2, 3]
    assert game.ranks() == [2, 1]


@both
def test_only_the_top_of_the_stack_counts(rules):
    game = position(rules, {0: [(1, 0), (1, 0), (0, 2)]})
    assert game.scores() == [0, 0]


@both
def test_unheld_colours_score_for_nobody(rules):
    stacks = {0: [(0, 2), (0, 2)], 2: [(1, 3)] * 4, 4: [(0, 1), (0, 3)]}
    two = position(rules, stacks)
    assert (two.scores(), two.ranks()) == ([0, 0], [1, 1])
    three = position(rules, stacks, num_players=3)
    assert three.scores() == [0, 0, 2]
    four = position(rules, stacks, num_players=4)
    assert four.scores() == [0, 0, 2, 6]


@both
def test_tie_break_counts_own_colour_on_either_face(rules):
    """Three discs each; player 0 has his colour on one face of two, player 1 of all three."""
    stacks = {0: [(2, 3), (0, 3), (1, 0)], 2: [(2, 1), (1, 3), (0, 1)]}
    game = position(rules, stacks)
    assert game.scores() == [3, 3]
    assert game.ranks() == [2, 1]


@both
def test_tie_break_looks_only_at_discs_taken(rules):
    """Discs of one's colour in somebody else's stack do not count."""
    stacks = {0: [(0, 1), (0, 1), (1, 0)], 2: [(2, 0), (2, 0), (3, 1)]}
    game = position(rules, stacks)
    assert game.scores() == [3, 3]
    assert game.ranks() == [1, 2]


@both
def test_tie_break_never_beats_discs(rules):
    stacks = {0: [(2, 3), (2, 3), (2, 0)], 2: [(1, 2), (3, 1)]}
    game = position(rules, stacks)
    assert game.scores() == [3, 2]
    assert game.ranks() == [1, 2]


@both
def test_remaining_tie_is_shared(rules):
    stacks = {0: [(2, 3), (0, 2), (2, 0)], 2: [(1, 3), (3, 2), (2, 1)]}
    game = position(rules, stacks)
    assert game.scores() == [3, 3]
    assert game.ranks() == [1, 1]


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_discs_are_counted_on_the_board_as_it_lies(rules, num_players):
    """After any moves, turned stacks among them: whole stacks by the colour that is on top."""
    rng = random.Random(num_players)
    for seed in range(5):
        game = rules.dealt(seed, num_players)
        while not game.is_over():
            game.move(*rng.choice(game.legal_moves()))
            tops = [(stack[-1][1], len(stack)) for stack in game.stacks if stack]
            taken = [sum(n for top, n in tops if top == pawn) for pawn in game.secrets]
            assert game.scores() == taken


@both
def test_ties_among_three_and_four(rules):
    level = {0: [(1, 0)], 2: [(2, 1)], 4: [(0, 2)], 7: [(2, 1), (0, 3)]}
    assert position(rules, level, num_players=3).ranks() == [1, 1, 1]
    assert position(rules, level, num_players=4).ranks() == [2, 2, 2, 1]
    broken = {0: [(1, 0), (2, 0)], 2: [(2, 3), (2, 1)], 4: [(0, 3), (0, 2)], 7: [(1, 3)]}
    game = position(rules, broken, num_players=4)
    assert game.scores() == [2, 2, 2, 1]
    assert game.ranks() == [1, 2, 2, 4]


@both
def test_secret_pawns_decide_who_takes_what(rules):
    stacks = {0: [(1, 0)] * 3, 2: [(0, 1)] * 2, 4: [(0, 3)]}
    assert position(rules, stacks, secrets=(3, 0, 1, 2), num_players=3).scores() == [1, 3, 2]
    assert position(rules, stacks, secrets=(2, 1), num_players=2).scores() == [0, 2]


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_random_games_end_within_the_bound(rules, num_players):
    rng = random.Random(num_players)
    for _ in range(10):
        game = rules(deal(rng), rng.sample(range(4), 4), num_players)
        while not game.is_over():
            game.move(*rng.choice(game.legal_moves()))
        assert game.ply <= 45
        assert sum(bool(stack) for stack in game.stacks) >= 9
        assert sum(len(stack) for stack in game.stacks) == 36
        if num_players == 4:
            assert sum(game.scores()) == 36
