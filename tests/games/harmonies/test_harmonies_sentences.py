"""The sentences of Harmonies' rulebook, each tried on the oracle and on the kernels."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache

import pytest
from harmonies_adapter import HarmoniesKernels, both, new_game, suns_of
from oracles.harmonies import (
    ANIMALS,
    CATEGORIES,
    COLUMNS,
    NEIGHBOURS,
    PLACES,
    SHAPES,
    SPIRITS,
    STACKS,
    TOKENS,
    HarmoniesOracle,
    Held,
    as_on_a_card,
    can_be_put_on,
    card_of,
    deal,
    groups,
    habitat_around,
    habitat_hexes,
    island_points,
    landscape,
    river_length,
    walk,
)

from ludotheque.envs.harmonies import scoring
from ludotheque.envs.harmonies.components import NUM_HEXES

Game = HarmoniesOracle | HarmoniesKernels
SIDES = ["A", "B"]
ALL_CARDS = sorted([*ANIMALS, *SPIRITS])

# A stack for each landscape of the habitats; buildings get each of their three bases in turn.
STACK_FOR = {
    "water": ["blue"],
    "field": ["yellow"],
    "tree 1": ["green"],
    "tree 2": ["brown", "green"],
    "tree 3": ["brown", "brown", "green"],
    "mountain 1": ["gray"],
    "mountain 2": ["gray", "gray"],
    "mountain 3": ["gray", "gray", "gray"],
    "building": ["gray", "red"],
}
BUILDINGS = [["brown", "red"], ["gray", "red"], ["red", "red"]]


def card_name(card: int) -> str:
    return card_of(card).name


def at(side: str, column: int, row: int) -> int:
    """The hex in this column, from the left, and this row, from the top."""
    return PLACES[side].index((column, 2 * row + column % 2))


def board_of(side: str, stacks: dict[tuple[int, int], str]) -> list:
    """A board from {(column, row): "gray gray"}, empty elsewhere."""
    board = [[] for _ in PLACES[side]]
    for (column, row), stack in stacks.items():
        board[at(side, column, row)] = stack.split()
    return board


def all_over(side: str, stack: str) -> list:
    """A board with the same stack on every hex."""
    return [stack.split() for _ in PLACES[side]]


@cache
def bare_game(rules: type, side: str) -> Game:
    """A game reused by tests that set the first player's board and cards."""
    return new_game(rules, 2, side)


def scored(rules: type, side: str, board: list, category: str) -> int:
    """A board's points in one category."""
    game = bare_game(rules, side)
    game.me.board, game.me.held = board, []
    return game.score_categories(0)[category]


def spirit_points(rules: type, side: str, board: list, card: int) -> int:
    """A board's points for a spirit that is settled."""
    game = new_game(rules, 2, side)
    game.me.board, game.me.spirit, game.me.done = board, card, [Held(card, 1)]
    return game.score_categories(0)["spirits"]


def cube_hexes(rules: type, side: str, board: list, card: int) -> list[int]:
    """The hexes where a cube may settle, with this card above this board."""
    game = bare_game(rules, side)
    game.me.board, game.me.held = board, [Held(card)]
    return [hexagon for _, hexagon in settlements(game)]


def show(game: Game, *cards: int) -> None:
    """Change the cards face up for these, and the deck for all the others."""
    rest = [card for card in ANIMALS if card not in cards]
    places = len(game.shown)
    game.shown = [*cards, *rest][:places]
    game.deck = [*cards, *rest][places:]


def hold(game: Game, *cards: int) -> None:
    """Give the player to move these cards, as if taken on earlier turns."""
    game.me.held = [Held(card) for card in cards]


def plant(side: str, board: list, card: int, hexagon: int, turn: int) -> bool:
    """Lay the card's habitat round a hex; False if it doesn't fit on the board."""
    hexes = habitat_hexes(side, card_of(card), hexagon, turn)
    if None in hexes:
        return False
    for end, wanted in zip(hexes, card_of(card).habitat, strict=True):
        board[end] = list(STACK_FOR[wanted])
    return True


def planted(side: str, card: int, turn: int = 0) -> tuple[list, int]:
    """A board with the card's habitat only, and the hex for its cube."""
    for hexagon in range(len(PLACES[side])):
        board = [[] for _ in PLACES[side]]
        if plant(side, board, card, hexagon, turn):
            return board, hexagon
    raise AssertionError("every habitat fits on both boards, turned in every way")


def place_somewhere(game: Game) -> None:
    """Place the tokens in hand, each on its first legal hex."""
    for colour in list(game.in_hand):
        hexes = [n for n in range(len(game.me.board)) if game.can_place(colour, n)]
        game.place(colour, hexes[0])


def play_turn(game: Game, hexes: list[int] | None = None) -> None:
    """A turn with no card: the first space that has tokens, on the given or the first hexes."""
    game.take_space(next(n for n in range(len(game.spaces)) if game.can_take_space(n)))
    if hexes is None:
        place_somewhere(game)
    else:
        for colour, hexagon in zip(list(game.in_hand), hexes, strict=True):
            game.place(colour, hexagon)
    game.end_turn()
    if game.may_discard:
        game.keep()


def fill_to(game: Game, player: int, empty: int) -> None:
    """Fill a player's board with lone yellow tokens but for so many hexes."""
    board = game.players[player].board
    for hexagon in range(len(board)):
        board[hexagon] = [] if hexagon < empty else ["yellow"]


def tokens_everywhere(game: Game) -> Counter:
    """All tokens of the box, wherever they are."""
    seen = Counter(game.bag) + Counter(game.out_of_play) + Counter(game.in_hand)
    for tokens in game.spaces:
        seen += Counter(tokens)
    for player in game.players:
        for stack in player.board:
            seen += Counter(stack)
    return seen


# ---- setup ------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_setup(rules, num_players):
    """Five spaces of three tokens, 105 in the bag, five cards face up, empty boards."""
    game = new_game(rules, num_players)
    assert TOKENS == {
        "blue": 23,
        "gray": 23,
        "brown": 21,
        "green": 19,
        "yellow": 19,
        "red": 15,
    }
    assert tokens_everywhere(game) == Counter(TOKENS)
    assert [len(tokens) for tokens in game.spaces] == [3] * 5
    assert len(game.bag) == 105
    assert (len(game.shown), len(game.deck)) == (5, 27)
    assert sorted(game.shown + game.deck) == list(range(1, 33))
    assert [player.board for player in game.players] == [[[]] * 23] * num_players
    assert not any(player.cards() or player.spirits_dealt for player in game.players)


@both
def test_setup_is_left_to_chance(rules):
    """Every colour, card and spirit comes first in some game."""
    games = [new_game(rules, 3, spirits=True, seed=seed) for seed in range(200)]
    assert {game.spaces[0][0] for game in games} == set(TOKENS)
    assert {game.shown[0] for game in games} == set(ANIMALS)
    assert {game.players[0].spirits_dealt[0] for game in games} == set(SPIRITS)


@both
def test_setup_solo(rules):
    """Three spaces and three cards."""
    game = new_game(rules, 1)
    assert [len(tokens) for tokens in game.spaces] == [3] * 3
    assert len(game.bag) == 111
    assert (len(game.shown), len(game.deck)) == (3, 29)


def test_boards():
    """Side A has 23 hexes, side B 25; neighbours share an edge."""
    assert {side: len(PLACES[side]) for side in SIDES} == {"A": 23, "B": 25}
    assert COLUMNS == {"A": (5, 4, 5, 4, 5), "B": (4, 3, 4, 3, 4, 3, 4)}
    for side, joins in (("A", 50), ("B", 54)):
        pairs = [
            (one, other) for one in range(len(PLACES[side])) for other in NEIGHBOURS[side][one]
        ]
        assert len(pairs) == 2 * joins
        assert all((other, one) in pairs for one, other in pairs)
        assert groups(side, list(range(len(PLACES[side])))) == [list(range(len(PLACES[side])))]
        for hexagon, others in enumerate(NEIGHBOURS[side]):
            assert scoring.next_to(1 << hexagon, SIDES.index(side)) == sum(
                1 << other for other in others
            )
        assert NUM_HEXES[SIDES.index(side)] == len(PLACES[side])
    # The second column lies half a hex lower than the first.
    assert sorted(NEIGHBOURS["A"][at("A", 0, 0)]) == [at("A", 0, 1), at("A", 1, 0)]
    around = [(2, 1), (2, 3), (1, 1), (1, 2), (3, 1), (3, 2)]
    assert sorted(NEIGHBOURS["A"][at("A", 2, 2)]) == sorted(at("A", *place) for place in around)
    around = [(1, 0), (1, 2), (0, 1), (0, 2), (2, 1), (2, 2)]
    assert sorted(NEIGHBOURS["B"][at("B", 1, 1)]) == sorted(at("B", *place) for place in around)


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
@both
def test_two_spirits_dealt_one_kept_on_the_first_turn(rules, num_players):
    """Each player chooses when his first turn comes, before all else; the other is gone."""
    game = new_game(rules, num_players, spirits=True)
    dealt = [list(player.spirits_dealt) for player in game.players]
    assert len(set(itertools.chain(*dealt))) == 2 * num_players
    for seat in range(num_players):
        kept, other = dealt[seat]
        assert game.to_play == seat
        assert game.legal_decisions() == [("spirit", kept), ("spirit", other)]
        assert not game.can_choose_spirit(next(n for n in SPIRITS if n not in dealt[seat]))
        game.choose_spirit(kept)
        assert game.me.held == [Held(kept)]
        assert not game.can_choose_spirit(other)
        play_turn(game)
    kinds = {decision[0] for decision in game.legal_decisions()}
    assert kinds == {"space", "card"}
    assert [player.spirit for player in game.players] == [kept for kept, _ in dealt]


@both
def test_no_spirits_unless_chosen(rules):
    game = new_game(rules, 2, spirits=False)
    for _ in game.players:
        assert {decision[0] for decision in game.legal_decisions()} == {"space", "card"}
        assert not any(player.spirits_dealt or player.spirit for player in game.players)
        play_turn(game)


@both
def test_seats_play_clockwise_from_the_first_player(rules):
    game = new_game(rules, 4, first_player=2)
    seats = []
    for _ in range(8):
        seats.append(game.to_play)
        play_turn(game)
    assert seats == [2, 3, 0, 1, 2, 3, 0, 1]


# ---- tokens -----------------------------------------------------------------------------------


@both
def test_stackings(rules):
    """The figure's table: a token on an empty hex always, and eight stackings; nothing else."""
    on_others = {
        ("brown", "brown"),
        ("brown", "green"),
        ("brown brown", "green"),
        ("gray", "gray"),
        ("gray gray", "gray"),
        ("brown", "red"),
        ("gray", "red"),
        ("red", "red"),
    }
    game = new_game(rules)
    game.take_space(0)
    for stack, colour in itertools.product([[], *STACKS], TOKENS):
        game.in_hand, game.me.board[5] = [colour], stack
        allowed = not stack or (" ".join(stack), colour) in on_others
        assert game.can_place(colour, 5) == allowed
        assert can_be_put_on(colour, stack) == allowed
    assert len(STACKS) == len(TOKENS) + len(on_others) == 14


@pytest.mark.parametrize("stack", STACKS, ids=" ".join)
@pytest.mark.parametrize("colour", TOKENS)
@both
def test_stackings_in_play(rules, stack, colour):
    """What the table allows is what a turn allows, and the token goes on top."""
    game = new_game(rules)
    game.spaces[0] = [colour, "blue", "yellow"]
    game.me.board[5] = list(stack)
    game.take_space(0)
    assert game.can_place(colour, 5) == can_be_put_on(colour, stack)
    if game.can_place(colour, 5):
        game.place(colour, 5)
        assert game.me.board[5] == [*stack, colour]
    else:
        with pytest.raises(ValueError, match="may not place"):
            game.place(colour, 5)
        assert game.me.board[5] == stack


@pytest.mark.parametrize("from_spirit", [False, True])
@both
def test_no_token_on_a_cube(rules, from_spirit):
    """Neither on the cube of an animal nor on that of a spirit."""
    game = new_game(rules)
    game.spaces[0] = ["gray", "gray", "gray"]
    hold(game, 40 if from_spirit else 23)  # Marmot, Fennec fox
    game.me.board = planted("A", game.me.held[0].card)[0]
    (hexagon,) = [n for _, n in settlements(game)]
    game.take_space(0)
    assert game.can_place("gray", hexagon)
    game.settle(game.me.held[0].card, hexagon)
    assert not game.can_place("gray", hexagon)
    free = [n for n in range(23) if game.can_place("gray", n)]
    assert hexagon not in free
    assert len(free) >= 20


def settlements(game: Game) -> list[tuple[int, int]]:
    return [tuple(rest) for kind, *rest in game.legal_decisions() if kind == "cube"]


@both
def test_take_all_tokens_of_one_space_once(rules):
    game = new_game(rules)
    space = list(game.spaces[3])
    game.take_space(3)
    assert Counter(game.in_hand) == Counter(space)
    assert game.spaces[3] == []
    assert not any(game.can_take_space(n) for n in range(5))
    place_somewhere(game)
    assert not any(game.can_take_space(n) for n in range(5))


@both
def test_tokens_in_any_order(rules):
    """Each of the six orders of three different tokens can be played."""
    for order in itertools.permutations(["blue", "gray", "red"]):
        game = new_game(rules)
        game.spaces[0] = ["blue", "gray", "red"]
        game.take_space(0)
        for hexagon, colour in enumerate(order):
            assert all(game.can_place(c, hexagon) == (c in order[hexagon:]) for c in TOKENS)
            game.place(colour, hexagon)
        assert [stack[0] for stack in game.me.board[:3]] == list(order)
        assert game.legal_decisions()[-1] == ("end",)


@both
def test_tokens_of_one_turn_may_be_stacked(rules):
    game = new_game(rules)
    game.spaces[0] = ["green", "brown", "brown"]
    game.take_space(0)
    for colour in ("brown", "brown", "green"):
        game.place(colour, 7)
    assert game.me.board[7] == ["brown", "brown", "green"]


@both
def test_turn_ends_only_with_three_tokens_placed(rules):
    game = new_game(rules)
    assert not game.can_end_turn()
    game.take_space(0)
    for hexagon, colour in enumerate(list(game.in_hand)):
        assert not game.can_end_turn()
        game.place(colour, hexagon)
    assert game.can_end_turn()
    game.end_turn()
    assert game.to_play == 1


@both
def test_table_is_completed_at_the_end_of_the_turn(rules):
    """Three new tokens from the bag and a new card, not before."""
    game = new_game(rules)
    bag, deck = Counter(game.bag), set(game.deck)
    taken = game.shown[2]
    game.take_card(taken)
    game.take_space(4)
    place_somewhere(game)
    assert (game.spaces[4], len(game.bag)) == ([], 105)
    assert (game.shown[2], len(game.deck)) == (None, 27)
    game.end_turn()
    assert (len(game.spaces[4]), len(game.bag)) == (3, 102)
    assert Counter(game.spaces[4]) + Counter(game.bag) == bag
    assert game.shown[2] in deck
    assert set(game.deck) == deck - {game.shown[2]}


@both
def test_cards_shown_become_fewer_when_the_deck_is_empty(rules):
    game = new_game(rules)
    game.deck = []
    taken = game.shown[0]
    game.take_card(taken)
    play_turn(game)
    assert game.shown[0] is None
    assert len([d for d in game.legal_decisions() if d[0] == "card"]) == 4


@both
def test_a_token_always_fits(rules):
    """Whoever begins a turn has three empty hexes, and an empty hex takes any token.

    With two or fewer empty hexes at the end of a turn nobody begins another round, and tokens never
    go away again. The players here fill their boards as fast as they can; the last round, in which
    some have ended the game and others still play, is played too.
    """
    for num_players, side, seed in itertools.product([1, 2, 3, 4], SIDES, range(3)):
        game = new_game(rules, num_players, side, seed=seed)
        rng = random.Random(seed)
        while not game.is_over():
            assert game.me.empty_hexes() >= 3
            empty = [n for n, stack in enumerate(game.me.board) if not stack]
            assert not any(hexagon in game.me.cubes for hexagon in empty)
            spaces = [decision for decision in game.legal_decisions() if decision[0] == "space"]
            game.play(rng.choice(spaces))
            fitting = {("token", colour, n) for colour in game.in_hand for n in empty}
            assert fitting <= set(game.legal_decisions())
            place_on_empty_hexes(game)
            game.end_turn()
            if game.may_discard:
                game.keep()
        assert min(player.empty_hexes() for player in game.players) <= 2


def place_on_empty_hexes(game: Game) -> None:
    for colour in list(game.in_hand):
        game.place(colour, game.me.board.index([]))


@both
def test_a_token_always_fits_on_a_board_full_of_cubes(rules):
    """With cubes on all but three hexes the three tokens still go there."""
    game = new_game(rules)
    fill_to(game, 0, empty=3)
    game.me.cubes = dict.fromkeys(range(3, 23), 31)
    game.take_space(0)
    for _ in range(3):
        assert all(game.can_place(colour, game.me.board.index([])) for colour in game.in_hand)
        game.place(game.in_hand[0], game.me.board.index([]))
    assert game.can_end_turn()


# ---- animal cards -----------------------------------------------------------------------------


@both
def test_one_card_a_turn(rules):
    game = new_game(rules)
    first, second = game.shown[:2]
    game.take_card(first)
    assert game.me.held == [Held(first)]
    assert not any(game.can_take_card(card) for card in ANIMALS)
    play_turn(game)
    assert game.can_take_card(second)
    assert not game.can_take_card(first)
    assert not game.can_take_card(game.deck[0])


@pytest.mark.parametrize("moment", range(5))
@both
def test_card_at_any_moment_of_the_turn(rules, moment):
    """Before the tokens are taken, before or between placing them, and after."""
    game = new_game(rules)
    card = game.shown[0]
    steps = [lambda: game.take_space(0)]
    steps += [lambda n=n: game.place(game.in_hand[0], n) for n in range(3)]
    steps.insert(moment, lambda: game.take_card(card))
    for step in steps:
        step()
    assert [held.card for held in game.me.held] == [card]
    game.end_turn()


@both
def test_no_need_to_take_a_card(rules):
    game = new_game(rules)
    play_turn(game)
    assert game.players[0].held == []
    assert game.to_play == 1


@both
def test_at_most_four_cards_above_the_board(rules):
    game = new_game(rules)
    hold(game, 1, 2, 3)
    show(game, 10, 11, 12, 13, 14)
    assert game.can_take_card(10)
    game.take_card(10)
    game.card_taken = False
    assert not any(game.can_take_card(card) for card in ANIMALS)


@both
def test_unfinished_spirit_counts_as_a_card(rules):
    game = new_game(rules)
    show(game, 10, 11, 12, 13, 14)
    hold(game, 1, 2, 3, 33)
    assert not game.can_take_card(10)
    hold(game, 1, 2, 33)
    game.me.done = [Held(40, 1)]  # settled: beside the board
    assert game.can_take_card(10)


@pytest.mark.parametrize("card", [30, 33], ids=card_name)
@both
def test_completed_card_makes_room_at_once(rules, card):
    """A card, or a spirit, whose last cube settles is put aside, and another may be taken."""
    game = new_game(rules)
    show(game, 10, 11, 12, 13, 14)
    hold(game, 1, 2, 3, card)
    game.me.held[3].placed = game.me.held[3].cubes - 1
    game.me.board, hexagon = planted("A", card)
    assert not game.can_take_card(10)
    game.settle(card, hexagon)
    assert [held.card for held in game.me.held] == [1, 2, 3]
    assert [held.card for held in game.me.done] == [card]
    assert game.can_take_card(10)
    assert not game.can_settle(card, hexagon)


@both
def test_cubes_never_run_out(rules):
    """A card may be taken though 66 cubes of the box are on cards and boards already."""
    game = new_game(rules, 4)
    assert sum(len(card.points) for card in ANIMALS.values()) == 96
    cubes = itertools.accumulate(len(ANIMALS[card].points) for card in ANIMALS)
    taken = [card for card, sum_so_far in zip(ANIMALS, cubes, strict=True) if sum_so_far <= 66]
    show(game, *(card for card in ANIMALS if card not in taken))
    game.players[3].done = [Held(card, len(ANIMALS[card].points)) for card in taken]
    assert all(game.can_take_card(card) for card in game.shown)


# ---- cubes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("moment", range(5))
@both
def test_cube_at_any_moment_of_the_turn(rules, moment):
    """Before the tokens are taken, before or between placing them, and after."""
    game = new_game(rules)
    hold(game, 26)
    game.me.board, hexagon = planted("A", 26)
    empty = [n for n in range(23) if not game.me.board[n]]
    steps = [lambda: game.take_space(0)]
    steps += [lambda n=n: game.place(game.in_hand[0], n) for n in empty[-3:]]
    steps.insert(moment, lambda: game.settle(26, hexagon))
    for step in steps:
        step()
    assert game.me.cubes == {hexagon: 26}
    game.end_turn()


@pytest.mark.parametrize("side", SIDES)
@both
def test_cube_from_any_card_to_any_hex(rules, side):
    """From each of four cards, on the first hex of the board and on the last."""
    for place, hexagon in itertools.product(range(4), (0, len(PLACES[side]) - 1)):
        game = new_game(rules, 2, side)
        others = [1, 2, 3]
        hold(game, *others[:place], 26, *others[place:])
        game.me.board[hexagon] = ["gray"]
        game.me.board[NEIGHBOURS[side][hexagon][0]] = ["yellow"]
        assert settlements(game) == [(26, hexagon)]
        game.settle(26, hexagon)
        assert game.me.cubes == {hexagon: 26}


@both
def test_card_taken_this_turn_may_settle_before_any_token(rules):
    game = new_game(rules)
    show(game, 26)
    game.me.board, hexagon = planted("A", 26)
    assert settlements(game) == []
    game.take_card(26)
    assert settlements(game) == [(26, hexagon)]


@both
def test_any_number_of_cubes_in_a_turn(rules):
    """Every cube of a card, and of several cards, in one turn; the lowest space goes first."""
    game = new_game(rules)
    hold(game, 26, 31)  # Meerkat: mountain 1 beside a field; Ladybug: field beside a tree 1
    game.me.board = board_of(
        "A",
        {
            (2, 2): "yellow",
            (2, 1): "gray",
            (2, 3): "gray",
            (1, 1): "gray",
            (1, 2): "gray",
            (3, 1): "green",
        },
    )
    for placed, place in enumerate([(2, 1), (2, 3), (1, 1)], start=1):
        game.settle(26, at("A", *place))
        assert game.me.held[0] == Held(26, placed)
        assert game.score_categories(0)["animals"] == (2, 5, 9, 14)[placed - 1]
    game.settle(31, at("A", 2, 2))
    game.settle(26, at("A", 1, 2))
    assert game.score_categories(0)["animals"] == 14 + 2
    assert game.me.held == [Held(31, 1)]
    assert game.me.done == [Held(26, 4)]
    assert len(game.me.cubes) == 5


@both
def test_cubes_are_settled_between_tokens(rules):
    """A token placed after the cube may break the habitat within the same turn."""
    game = new_game(rules)
    hold(game, 26)
    game.spaces[0] = ["yellow", "gray", "blue"]
    game.me.board[at("A", 2, 1)] = ["gray"]
    game.take_space(0)
    assert settlements(game) == []
    game.place("yellow", at("A", 2, 2))
    assert settlements(game) == [(26, at("A", 2, 1))]
    game.settle(26, at("A", 2, 1))
    assert not game.can_place("gray", at("A", 2, 1))
    game.place("gray", at("A", 2, 3))
    assert settlements(game) == [(26, at("A", 2, 3))]


@both
def test_only_the_cubes_own_hex_must_be_free(rules):
    """Fish: water beside a mountain 3. The mountain may have a cube, the water may not."""
    game = new_game(rules)
    hold(game, 3, 25)
    game.me.board = board_of(
        "A", {(2, 2): "gray gray gray", (2, 1): "blue", (2, 3): "blue", (3, 1): "yellow"}
    )
    game.settle(25, at("A", 2, 2))  # Vulture, on the mountain
    game.settle(3, at("A", 2, 1))
    assert not game.can_settle(3, at("A", 2, 1))
    assert not game.can_settle(25, at("A", 2, 2))
    game.settle(3, at("A", 2, 3))
    assert len(game.me.cubes) == 3


@both
def test_a_token_serves_many_habitats(rules):
    """One yellow token: six Meerkats round it, of the same card."""
    game = new_game(rules)
    hold(game, 26)
    centre = at("A", 2, 2)
    game.me.board[centre] = ["yellow"]
    for beside in NEIGHBOURS["A"][centre]:
        game.me.board[beside] = ["gray"]
    assert settlements(game) == [(26, beside) for beside in sorted(NEIGHBOURS["A"][centre])]
    for _ in range(4):
        game.settle(*settlements(game)[0])
    assert game.me.done == [Held(26, 4)]


@both
def test_settled_cubes_stay_when_the_habitat_goes(rules):
    """The rulebook's example: a red token on a gray one; the fennecs stay, and score."""
    game = new_game(rules)
    hold(game, 23)  # Fennec fox: mountain 1, mountain 1, field in a line
    game.me.board = board_of("A", {(2, 0): "gray", (2, 1): "gray", (2, 2): "yellow"})
    game.spaces[0] = ["red", "blue", "blue"]
    game.settle(23, at("A", 2, 0))
    game.take_space(0)
    game.place("red", at("A", 2, 1))
    assert not habitat_around("A", game.me.board, ANIMALS[23], at("A", 2, 0))
    assert game.me.cubes == {at("A", 2, 0): 23}
    assert game.score_categories(0)["animals"] == 4


@both
def test_cube_only_from_a_card_above_the_board(rules):
    game = new_game(rules)
    game.me.board, hexagon = planted("A", 26)
    hold(game, 31)
    assert not game.can_settle(26, hexagon)
    game.players[1].held = [Held(26)]
    assert not game.can_settle(26, hexagon)


@both
def test_cube_only_on_ones_own_board(rules):
    game = new_game(rules)
    hold(game, 26)
    game.players[1].board, hexagon = planted("A", 26)
    assert not game.can_settle(26, hexagon)
    assert settlements(game) == []


# ---- habitats ---------------------------------------------------------------------------------


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("card", ALL_CARDS, ids=card_name)
@both
def test_habitat_in_six_rotations(rules, card, side):
    """Wherever the habitat fits, turned in each of six ways, its cube may settle there."""
    for turn in range(6):
        fits = 0
        for hexagon in range(len(PLACES[side])):
            board = [[] for _ in PLACES[side]]
            if plant(side, board, card, hexagon, turn):
                fits += 1
                found = cube_hexes(rules, side, board, card)
                assert hexagon in found
                # Only a habitat that is the same seen from another of its hexes allows two.
                assert len(found) == 1 or card_of(card).habitat[0] in card_of(card).habitat[1:]
        assert fits > 0


@pytest.mark.parametrize("card", ALL_CARDS, ids=card_name)
@both
def test_habitat_needs_every_part(rules, card):
    """Without any one hex, or with any other stack there, the cube may not settle."""
    side = "B"
    for turn in range(6):
        board, hexagon = planted(side, card, turn)
        hexes = habitat_hexes(side, card_of(card), hexagon, turn)
        for end, wanted in zip(hexes, card_of(card).habitat, strict=True):
            for stack in [[], *STACKS]:
                changed = [list(other) for other in board]
                changed[end] = list(stack)
                allowed = as_on_a_card(stack) == wanted
                assert (hexagon in cube_hexes(rules, side, changed, card)) == allowed


@pytest.mark.parametrize("card", ALL_CARDS, ids=card_name)
def test_habitat_is_its_own_mirror_image(card):
    """Seen in a mirror, every habitat is itself in one of the rotations."""

    def laid_out(mirrored: bool) -> set[frozenset]:
        layouts = set()
        for turn in range(6):
            ways = [
                [(-d if mirrored else d) + turn for d in way] for way in SHAPES[card_of(card).shape]
            ]
            layouts.add(
                frozenset(
                    (tuple(sorted(d % 6 for d in way)), wanted)
                    for way, wanted in zip(ways, card_of(card).habitat[1:], strict=True)
                )
            )
        return layouts

    assert laid_out(mirrored=True) == laid_out(mirrored=False)


@pytest.mark.parametrize(
    "card", [n for n in ALL_CARDS if "building" in card_of(n).habitat], ids=card_name
)
@both
def test_buildings_of_any_kind(rules, card):
    """Brown, gray or red below; a lone red token is no building."""
    board, hexagon = planted("A", card)
    places = [n for n in range(23) if landscape(board[n]) == "building"]
    for bases in itertools.product(BUILDINGS, repeat=len(places)):
        for place, stack in zip(places, bases, strict=True):
            board[place] = list(stack)
        assert hexagon in cube_hexes(rules, "A", board, card)
    board[places[-1]] = ["red"]
    assert hexagon not in cube_hexes(rules, "A", board, card)


@both
def test_size_of_trees_and_mountains_is_exact(rules):
    for kind, card in (("tree", 11), ("mountain", 3)):  # Squirrel: tree 3; Fish: mountain 3
        board, hexagon = planted("A", card)
        (place,) = [n for n in range(23) if landscape(board[n]) == kind]
        for size in (1, 2, 3):
            board[place] = list(STACK_FOR[f"{kind} {size}"])
            assert (hexagon in cube_hexes(rules, "A", board, card)) == (size == 3)


@both
def test_habitat_must_be_on_the_board(rules):
    """A habitat doesn't go on beyond the edge, nor come back on the other side."""
    game = new_game(rules)
    hold(game, 4)  # Otter: water, tree 1, tree 1 in a line
    corner = at("A", 0, 0)
    game.me.board = all_over("A", "green")
    game.me.board[corner] = ["blue"]
    assert settlements(game) == [(4, corner)]
    # Down the edge and to the lower right are the only lines; without them nothing is left.
    game.me.board[at("A", 0, 2)] = []
    assert settlements(game) == [(4, corner)]
    game.me.board[at("A", 2, 1)] = []
    assert settlements(game) == []
    assert walk("A", corner, (0,)) is None


def test_cards_of_the_box():
    """32 animals and 10 spirits; points rise with each cube; every shape has its hexes."""
    assert (len(ANIMALS), len(SPIRITS)) == (32, 10)
    for card in ANIMALS.values():
        assert 2 <= len(card.points) <= 5
        assert list(card.points) == sorted(set(card.points))
    for card in [*ANIMALS.values(), *SPIRITS.values()]:
        assert len(card.habitat) == 1 + len(SHAPES[card.shape])
        assert set(card.habitat) <= set(STACK_FOR)


# ---- the end of the game ----------------------------------------------------------------------


@pytest.mark.parametrize(("empty_after", "ends"), [(0, True), (1, True), (2, True), (3, False)])
@both
def test_end_by_the_board(rules, empty_after, ends):
    """Two or fewer empty hexes at the end of a turn; here the last in turn order fills them."""
    game = new_game(rules)
    play_turn(game)
    fill_to(game, 1, empty=empty_after + 3)
    play_turn(game, hexes=[0, 1, 2])
    assert game.players[1].empty_hexes() == empty_after
    assert game.is_over() == ends


@both
def test_end_by_the_board_is_tested_at_the_end_of_the_turn(rules):
    game = new_game(rules)
    play_turn(game)
    fill_to(game, 1, empty=3)
    game.take_space(0)
    place_on_empty_hexes(game)
    assert game.me.empty_hexes() == 0
    assert not game.is_over()
    assert game.can_take_card(game.shown[0])
    game.end_turn()
    assert game.is_over()
    assert game.legal_decisions() == []


@pytest.mark.parametrize("first_player", range(4))
@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_equal_turns(rules, num_players, first_player):
    """Whoever brings the end about, everybody has then played as many turns."""
    first_player %= num_players
    for filler in range(num_players):
        game = new_game(rules, num_players, first_player=first_player)
        for _ in range(num_players):
            play_turn(game)
        fill_to(game, filler, empty=3)
        before = len(game.bag)
        while not game.is_over():
            assert game.last_round == (game.players[filler].turns == 2)
            play_turn(game, hexes=[0, 1, 2] if game.to_play == filler else None)
        assert [player.turns for player in game.players] == [2] * num_players
        # The central board is completed during the last round too, but after its last turn.
        assert before - len(game.bag) == 3 * (num_players - 1)


@pytest.mark.parametrize("num_players", [2, 3, 4])
@both
def test_end_by_the_bag(rules, num_players):
    """105 tokens are 35 times three: the bag is empty at the end of turn 36, a round's last."""
    game = new_game(rules, num_players)
    for turn in range(1, 37):
        assert not game.is_over()
        assert all(len(tokens) == 3 for tokens in game.spaces)
        game.take_space(0)
        game.out_of_play += game.in_hand  # only the bag matters here
        game.in_hand = []
        game.end_turn()
        assert len(game.bag) == max(0, 105 - 3 * turn)
    assert game.is_over()
    assert [player.turns for player in game.players] == [36 // num_players] * num_players


@both
def test_end_by_the_bag_needs_an_empty_bag_when_completing(rules):
    """The bag may run out at the end of a turn: the game goes on while it isn't needed."""
    game = new_game(rules)
    game.bag = game.bag[:3]
    play_turn(game)
    assert game.bag == []
    assert not game.is_over()
    play_turn(game)
    assert game.is_over()


@pytest.mark.parametrize("num_players", [1, 2])
@both
def test_a_bag_with_just_enough_tokens_goes_on(rules, num_players):
    """As many as the board wants, at the end of a round: one more round is played."""
    game = new_game(rules, num_players)
    for _ in range(num_players - 1):
        play_turn(game)
    game.bag = game.bag[: 9 if num_players == 1 else 3]
    play_turn(game)
    assert game.bag == []
    assert all(len(tokens) == 3 for tokens in game.spaces)
    for _ in range(num_players):
        assert not game.is_over()
        play_turn(game)
    assert game.is_over()


@both
def test_tokens_are_conserved(rules):
    """120 tokens in random games, turn by turn, in all modes."""
    for num_players in (1, 2, 3, 4):
        game = new_game(rules, num_players, "B", spirits=True, seed=num_players)
        rng = random.Random(num_players)
        while not game.is_over():
            assert tokens_everywhere(game) == Counter(TOKENS)
            game.play(rng.choice(game.legal_decisions()))
        assert tokens_everywhere(game) == Counter(TOKENS)


def with_points(game: Game, seat: int, fields: int, cubes: int) -> None:
    """Give a seat 5 points a field, and cubes on the board that score nothing."""
    places = [(0, 0), (2, 0), (4, 0), (0, 3), (2, 3), (4, 3)]
    player = game.players[seat]
    player.board = board_of("A", {})
    for column, row in places[:fields]:
        player.board[at("A", column, row)] = ["yellow"]
        player.board[at("A", column, row + 1)] = ["yellow"]
    player.cubes = dict.fromkeys(range(cubes), 0)


@pytest.mark.parametrize(
    ("results", "ranks"),
    [
        ([(3, 0), (2, 5)], [1, 2]),
        ([(2, 1), (2, 4)], [2, 1]),
        ([(2, 4), (2, 4)], [1, 1]),
        ([(1, 0), (1, 0), (1, 0)], [1, 1, 1]),
        ([(1, 2), (3, 0), (1, 2)], [2, 1, 2]),
        ([(2, 2), (2, 2), (2, 3), (1, 9)], [2, 2, 1, 4]),
        ([(0, 0), (4, 1), (4, 1), (4, 0)], [4, 1, 1, 3]),
    ],
)
@both
def test_ties(rules, results, ranks):
    """Most points, then most cubes, then the place is shared."""
    game = new_game(rules, len(results))
    for seat, (fields, cubes) in enumerate(results):
        with_points(game, seat, fields, cubes)
    assert game.scores() == [5 * fields for fields, _ in results]
    assert game.ranks() == ranks


@both
def test_the_spirits_cube_counts_in_ties(rules):
    """It "fonctionne exactement comme les autres cubes Animal"."""
    game = new_game(rules)
    for player in game.players:
        player.board, hexagon = planted("A", 41)  # Dragonfly: scores nothing for lone water
        player.held = [Held(41)]
    assert game.ranks() == [1, 1]
    game.settle(41, hexagon)
    assert game.scores() == [6, 6]
    assert game.cubes_placed() == [1, 0]
    assert game.ranks() == [1, 2]


# ---- landscapes -------------------------------------------------------------------------------


@both
def test_trees(rules):
    """1, 3 and 7 points by height; trunks without a crown score nothing."""
    board = board_of(
        "A",
        {
            (0, 0): "green",
            (1, 0): "brown green",
            (2, 0): "brown brown green",
            (3, 0): "brown",
            (4, 0): "brown brown",
            (4, 4): "green",
        },
    )
    assert scored(rules, "A", board, "trees") == 1 + 3 + 7 + 1


@both
def test_mountains(rules):
    """1, 3 and 7 by height if another mountain is beside, whatever its height; else nothing."""
    board = board_of("A", {(0, 0): "gray gray gray", (0, 1): "gray", (4, 4): "gray gray"})
    assert scored(rules, "A", board, "mountains") == 7 + 1
    board[at("A", 4, 3)] = ["gray", "red"]  # no mountain any more
    assert scored(rules, "A", board, "mountains") == 7 + 1
    board[at("A", 4, 3)] = ["gray", "gray"]
    assert scored(rules, "A", board, "mountains") == 7 + 1 + 3 + 3


@both
def test_fields(rules):
    """5 points a group of two or more, however large; single tokens score nothing."""
    board = board_of("A", {(0, 0): "yellow", (2, 0): "yellow"})
    assert scored(rules, "A", board, "fields") == 0
    board[at("A", 1, 0)] = ["yellow"]  # joins them
    assert scored(rules, "A", board, "fields") == 5
    assert scored(rules, "A", all_over("A", "yellow"), "fields") == 5
    board = board_of("A", {(0, 0): "yellow", (0, 1): "yellow", (4, 3): "yellow", (4, 4): "yellow"})
    assert scored(rules, "A", board, "fields") == 10


@both
def test_buildings(rules):
    """5 points with three colours or more around: tops only, red too, each colour once."""
    around = [(2, 1), (2, 3), (1, 1), (1, 2), (3, 1), (3, 2)]

    def points(*stacks: str, centre: str = "gray red") -> int:
        board = board_of("A", dict(zip(around, stacks, strict=False)))
        board[at("A", 2, 2)] = centre.split()
        return scored(rules, "A", board, "buildings")

    assert points("blue", "yellow", "green") == 5
    assert points("blue", "yellow") == 0
    assert points("blue", "yellow", "blue", "yellow", "blue", "yellow") == 0
    assert points("blue", "yellow", "red") == 5
    assert points("blue", "yellow", "brown") == 5
    assert points("blue", "yellow", "brown brown green", "green") == 5
    # Colours that are covered don't count: brown under green, gray under red.
    assert points("brown green", "brown brown green", "gray red") == 0
    assert points("gray red", "gray", "green") == 5
    assert points("blue", "yellow", "green", "gray", "red", "brown") == 5
    for centre, expected in (("red red", 5), ("brown red", 5), ("red", 0), ("gray", 0)):
        assert points("blue", "yellow", "green", centre=centre) == expected
    # Colours further away don't count.
    board = board_of("A", {(2, 2): "red red", (2, 1): "blue", (2, 3): "green", (2, 0): "yellow"})
    assert scored(rules, "A", board, "buildings") == 0


@both
def test_each_building_scores(rules):
    board = board_of("A", {(2, 1): "red red", (2, 2): "gray red", (1, 1): "blue", (3, 1): "green"})
    assert scored(rules, "A", board, "buildings") == 10


def length_of_river(rules: type, board: list) -> int:
    if rules is HarmoniesOracle:
        return river_length("A", board)
    water = sum(1 << hexagon for hexagon, stack in enumerate(board) if stack == ["blue"])
    return int(scoring.river_length(water, SIDES.index("A")))


# A way of thirteen tokens over side A that never comes beside itself.
LONG_RIVER = [
    *((0, 0), (1, 0), (1, 1), (0, 2), (0, 3), (1, 3), (2, 3)),
    *((3, 3), (4, 3), (4, 2), (3, 1), (3, 0), (4, 0)),
]


@pytest.mark.parametrize(
    ("tokens", "points"),
    list(enumerate([0, 0, 2, 5, 8, 11, 15, 19, 23, 27, 31, 35, 39, 43])),
)
@both
def test_river_by_its_length(rules, tokens, points):
    board = board_of("A", dict.fromkeys(LONG_RIVER[:tokens], "blue"))
    assert length_of_river(rules, board) == tokens
    assert scored(rules, "A", board, "water") == points


RING = [(1, 0), (2, 0), (3, 0), (3, 1), (2, 2), (1, 1)]


@both
def test_river_ring(rules):
    """A ring of six: from any token the furthest is opposite, four tokens by the shortest way."""
    board = board_of("A", dict.fromkeys(RING, "blue"))
    assert len(groups("A", [n for n, stack in enumerate(board) if stack])) == 1
    assert length_of_river(rules, board) == 4
    assert scored(rules, "A", board, "water") == 8
    # Opened at one place it is a river of five; filled in the middle, three tokens across.
    board[at("A", *RING[0])] = []
    assert scored(rules, "A", board, "water") == 11
    board = board_of("A", dict.fromkeys([*RING, (2, 1)], "blue"))
    assert scored(rules, "A", board, "water") == 5


@both
def test_river_triangle(rules):
    """Three tokens that all touch: two tokens from one to another."""
    board = board_of("A", dict.fromkeys([(0, 0), (0, 1), (1, 0)], "blue"))
    assert scored(rules, "A", board, "water") == 2


@both
def test_river_with_a_side_token(rules):
    """Its ends are the two that are furthest apart, wherever on the board they are."""
    board = board_of("A", dict.fromkeys([(0, 2), (1, 1), (1, 2), (2, 1), (2, 3)], "blue"))
    assert length_of_river(rules, board) == 4
    assert scored(rules, "A", board, "water") == 8


@both
def test_only_the_longest_river_scores(rules):
    three = [(0, 0), (0, 1), (0, 2)]
    four = [(4, 0), (4, 1), (4, 2), (4, 3)]
    board = board_of("A", dict.fromkeys([*three, *four], "blue"))
    assert length_of_river(rules, board) == 4
    assert scored(rules, "A", board, "water") == 8
    # A side arm shorter than the main one adds nothing.
    board[at("A", 3, 1)] = ["blue"]
    assert scored(rules, "A", board, "water") == 8


@both
def test_islands(rules):
    """5 points a group of hexes, empty or not, that blue tokens cut off; one at least."""
    assert scored(rules, "B", board_of("B", {}), "water") == 5
    assert scored(rules, "B", board_of("B", {(0, 0): "blue"}), "water") == 5
    corner = {(0, 1): "blue", (1, 0): "blue"}
    assert scored(rules, "B", board_of("B", corner), "water") == 10
    assert scored(rules, "B", board_of("B", {**corner, (0, 0): "gray"}), "water") == 10
    assert scored(rules, "B", board_of("B", {**corner, (0, 0): "blue"}), "water") == 5
    wall = dict.fromkeys([(3, 0), (3, 1), (3, 2)], "blue")
    assert scored(rules, "B", board_of("B", {**wall, **corner}), "water") == 15
    # The oracle alone: of 25 hexes 23 blue tokens can't cover all.
    assert island_points("B", all_over("B", "blue")) == 5


@both
def test_rivers_on_side_a_and_islands_on_side_b(rules):
    for side, points in (("A", 8), ("B", 5)):
        board = board_of(side, {(0, 0): "blue", (0, 1): "blue", (0, 2): "blue", (0, 3): "blue"})
        assert scored(rules, side, board, "water") == points


# ---- points of cards --------------------------------------------------------------------------


@pytest.mark.parametrize("card", ANIMALS, ids=card_name)
@both
def test_animal_card_scores_its_lowest_bare_space(rules, card):
    """Not a sum; nothing without a cube; no penalty for an unfinished card."""
    game = new_game(rules)
    for placed in range(len(ANIMALS[card].points) + 1):
        game.me.held = [Held(card, placed)]
        expected = (0, *ANIMALS[card].points)[placed]
        assert game.score_categories(0)["animals"] == expected
    game.me.done, game.me.held = game.me.held, []
    assert game.score_categories(0)["animals"] == ANIMALS[card].points[-1]


SPIRIT_BOARD = {
    # Fields of one, two and four tokens.
    (0, 0): "yellow",
    (0, 2): "yellow",
    (0, 3): "yellow",
    (4, 0): "yellow",
    (4, 1): "yellow",
    (4, 2): "yellow",
    (3, 1): "yellow",
    # Trees 1, 2, 3, 3; trunks are no trees.
    (1, 0): "green",
    (2, 0): "brown green",
    (3, 0): "brown brown green",
    (2, 4): "brown brown green",
    (4, 4): "brown",
    # Buildings: one alone and two together; a lone red token joins nothing.
    (1, 1): "red red",
    (1, 3): "gray red",
    (0, 4): "brown red",
    (1, 2): "red",
    # Water: one alone.
    (4, 3): "blue",
    # Mountains 1, 2 and 3.
    (2, 1): "gray",
    (2, 2): "gray gray",
    (3, 2): "gray gray gray",
}


@pytest.mark.parametrize(
    ("card", "points"),
    [
        (33, 2 + 2 + 10),  # Lion: fields of 1 or 2 give 2, larger ones 10
        (34, 5 + 5 + 5),  # Butterfly: 5 a field of any size
        (35, 4 + 4 + 4),  # Deer: 4 a tree 2 or 3
        (36, 3 + 3 + 1 + 1),  # Owl: 3 a tree 1 or 2, 1 a tree 3
        (37, 4 + 4),  # Cat: 4 a group of buildings
        (38, 6),  # Crane: 6 a group of two buildings or more
        (39, 4 + 4),  # Ram: 4 a mountain 2 or 3
        (40, 3 + 3 + 1),  # Marmot: 3 a mountain 1 or 2, 1 a mountain 3
        (41, 0),  # Dragonfly: 7 a group of two water tokens or more
        (42, 2),  # Tortoise: 2 a water token
    ],
    ids=[card_name(card) for card in SPIRITS],
)
@both
def test_spirit_points(rules, card, points):
    board = board_of("A", SPIRIT_BOARD)
    assert spirit_points(rules, "A", board, card) == points
    assert spirit_points(rules, "A", board_of("A", {}), card) == 0


@both
def test_spirit_points_of_water_groups(rules):
    """Dragonfly and Tortoise with groups of one, two and three."""
    water = [(0, 0), (0, 2), (0, 3), (4, 0), (4, 1), (4, 2)]
    board = board_of("A", dict.fromkeys(water, "blue"))
    assert spirit_points(rules, "A", board, 41) == 7 + 7
    assert spirit_points(rules, "A", board, 42) == 12


@both
def test_spirit_counts_lonely_mountains(rules):
    """ "même pour les Montagnes isolées": the Ram scores a mountain that itself scores nothing."""
    board = board_of("A", {(0, 0): "gray gray", (4, 4): "gray gray gray"})
    assert scored(rules, "A", board, "mountains") == 0
    assert spirit_points(rules, "A", board, 39) == 8


@both
def test_spirit_scores_only_once_settled_and_on_top_of_the_rest(rules):
    game = new_game(rules)
    game.me.board, hexagon = planted("A", 39)
    hold(game, 39)
    assert game.score_categories(0) == {
        **dict.fromkeys(CATEGORIES, 0),
        "mountains": 10,
    }
    game.settle(39, hexagon)
    assert game.score_categories(0)["mountains"] == 10
    assert game.score_categories(0)["spirits"] == 8
    # It is the final board that counts.
    game.me.board[at("A", 4, 4)] = ["gray", "gray"]
    assert game.score_categories(0)["spirits"] == 12


@pytest.mark.parametrize(
    ("card", "points"),
    [
        (33, 2),  # Lion: a field of two
        (34, 5 + 5),  # Butterfly: two fields of one
        (35, 4 + 4),  # Deer: trees 2, 3 and 1
        (36, 1 + 3 + 3),  # Owl: trees 3, 1 and 1
        (37, 4 + 4),  # Cat: two lone buildings
        (38, 6),  # Crane: two buildings together
        (39, 4 + 4),  # Ram: mountains 3 and 2
        (40, 3 + 3 + 3),  # Marmot: mountains 2, 1 and 1
        (41, 0),  # Dragonfly: water alone
        (42, 2 + 2),  # Tortoise: two water tokens
    ],
    ids=[card_name(card) for card in SPIRITS],
)
@both
def test_spirit_settles_like_an_animal(rules, card, points):
    """Its one cube completes the card, which scores its own habitat at once."""
    game = new_game(rules)
    hold(game, card)
    game.me.board, hexagon = planted("A", card)
    without = game.scores()[0]
    game.settle(card, hexagon)
    assert (game.me.held, game.me.done) == ([], [Held(card, 1)])
    assert game.score_categories(0)["spirits"] == points
    assert game.scores()[0] == without + points


# ---- solo -------------------------------------------------------------------------------------


@both
def test_solo_discards_the_six_tokens_left_over(rules):
    game = new_game(rules, 1)
    others = game.spaces[1] + game.spaces[2]
    bag = Counter(game.bag)
    play_turn(game)
    assert Counter(game.out_of_play) == Counter(others)
    assert [len(tokens) for tokens in game.spaces] == [3] * 3
    assert Counter(itertools.chain(*game.spaces, game.bag)) == bag
    assert len(game.bag) == 102


@both
def test_solo_may_discard_a_card_if_none_was_taken(rules):
    """After the table is completed; the next card of the deck replaces it."""
    game = new_game(rules, 1)
    game.take_space(0)
    place_somewhere(game)
    game.end_turn()
    shown, deck = list(game.shown), set(game.deck)
    assert game.legal_decisions() == [*(("discard", card) for card in shown), ("keep",)]
    kept = game.copy()
    kept.keep()
    assert kept.shown == shown
    discarded = [game.copy() for _ in shown]
    for place, after in enumerate(discarded):
        after.discard(shown[place])
        new = after.shown[place]
        assert after.shown == [*shown[:place], new, *shown[place + 1 :]]
        assert new in deck
        assert set(after.deck) == deck - {new}
    for after in (kept, *discarded):
        assert after.to_play == 0
        assert not after.can_keep()
        assert {decision[0] for decision in after.legal_decisions()} == {"space", "card"}


@both
def test_solo_discards_no_card_after_taking_one(rules):
    game = new_game(rules, 1)
    game.take_card(game.shown[0])
    game.take_space(0)
    place_somewhere(game)
    game.end_turn()
    assert {decision[0] for decision in game.legal_decisions()} == {"space", "card"}
    assert None not in game.shown


@both
def test_no_discard_with_several_players(rules):
    game = new_game(rules, 2)
    play_turn(game)
    assert game.to_play == 1
    assert not game.can_keep()


@both
def test_solo_ends_when_nine_tokens_are_not_to_be_had(rules):
    """111 tokens complete the board twelve times; three stay: the thirteenth turn is the last."""
    game = new_game(rules, 1)
    for _ in range(13):
        assert not game.is_over()
        game.take_space(0)
        game.out_of_play += game.in_hand
        game.in_hand = []
        game.end_turn()
        if game.may_discard:
            game.keep()
    assert game.is_over()
    assert game.players[0].turns == 13
    assert len(game.bag) == 3


@both
def test_solo_ends_by_the_board_without_a_discard(rules):
    game = new_game(rules, 1)
    fill_to(game, 0, empty=5)
    game.take_space(0)
    for hexagon, colour in enumerate(list(game.in_hand)):
        game.place(colour, hexagon)
    game.end_turn()
    assert game.is_over()
    assert game.legal_decisions() == []
    assert game.ranks() == [2]


@both
def test_suns(rules):
    """By score, plus the side's, plus the spirit's (no spirit 2, groups 1, each landscape 0)."""
    by_score = {0: 0, 39: 0, 40: 1, 69: 1, 70: 2, 89: 2, 90: 3, 109: 3, 110: 4, 129: 4}
    by_score |= {130: 5, 139: 5, 140: 6, 149: 6, 150: 7, 159: 7, 160: 8, 250: 8}
    of_spirit = dict.fromkeys((33, 34, 37, 38, 41), 1) | dict.fromkeys((35, 36, 39, 40, 42), 0)
    of_spirit[None] = 2
    for (score, base), (spirit, more) in itertools.product(by_score.items(), of_spirit.items()):
        assert suns_of(rules, score, "A", spirit) == base + 1 + more
        assert suns_of(rules, score, "B", spirit) == base + more


@both
def test_suns_of_a_game(rules):
    game = new_game(rules, 1, spirits=True)
    game.me.spirits_dealt = [33, 35]
    game.choose_spirit(33)
    assert game.suns() == 0 + 1 + 1
    game.me.board = board_of("A", dict.fromkeys(LONG_RIVER, "blue"))
    assert game.scores() == [43]
    assert game.suns() == 1 + 1 + 1
    assert new_game(rules, 1, "B").suns() == 2


@pytest.mark.parametrize(
    ("side", "last_card", "points", "suns", "rank"),
    [("A", 3, 90, 6, 1), ("A", 5, 89, 5, 2), ("B", 3, 95, 5, 2)],
)
@both
def test_six_suns_win_the_solo_game(rules, side, last_card, points, suns, rank):
    """The goal is ours (ruling 11); on side B there is one island."""
    game = new_game(rules, 1, side)
    game.me.done = [Held(card, len(ANIMALS[card].points)) for card in (9, 10, 13, 20, 31)]
    game.me.held = [Held(last_card, 1)]
    assert game.scores() == [points]
    assert game.suns() == suns
    assert game.ranks() == [rank]


# ---- the oracle itself ------------------------------------------------------------------------


@pytest.mark.parametrize("spirits", [False, True])
@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_legal_decisions_are_those_that_do_not_raise(num_players, side, spirits):
    """Every decision there could be, tried along a game."""
    game = new_game(HarmoniesOracle, num_players, side, spirits, seed=7)
    rng = random.Random(7)
    hexes = range(len(PLACES[side]))
    thinkable = [
        *(("spirit", card) for card in SPIRITS),
        *(("space", space) for space in range(-1, 6)),
        *(("token", colour, n) for colour in TOKENS for n in [-1, *hexes, len(hexes)]),
        *(("card", card) for card in ALL_CARDS),
        *(("cube", card, n) for card in ALL_CARDS for n in [-1, *hexes, len(hexes)]),
        *(("discard", card) for card in ALL_CARDS),
        ("end",),
        ("keep",),
    ]
    ply = 0
    while not game.is_over():
        legal = game.legal_decisions()
        assert legal
        assert len(legal) == len(set(legal))
        if ply % 23 == 0:
            before = repr(vars(game))
            for decision in thinkable:
                if decision not in legal:
                    with pytest.raises(ValueError, match="may not"):
                        game.play(decision)
            assert repr(vars(game)) == before
            for decision in legal:
                game.copy().play(decision)
            assert repr(vars(game)) == before
        game.play(rng.choice(legal))
        ply += 1
    with pytest.raises(ValueError, match="may not"):
        game.play(("end",))
    assert game.legal_decisions() == []


def test_wrong_setups_are_refused():
    table = deal(random.Random(1), 2)
    for num_players, side, first_player in [(0, "A", 0), (5, "A", 0), (2, "C", 0), (2, "A", 2)]:
        with pytest.raises(ValueError, match="player|side"):
            HarmoniesOracle(table, num_players, side, first_player)
    with pytest.raises(ValueError, match="spirits"):
        HarmoniesOracle(deal(random.Random(1), 3, spirits=True), 2, "A")
