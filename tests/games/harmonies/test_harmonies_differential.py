"""The compiled rules of Harmonies against the plain-Python oracle, at every ply of many games.

The kernels draw tokens and cards on demand. What they drew is put on top of the oracle's bag and
deck, which refuses what isn't there.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache, partial

import numpy as np
import pytest
from harmonies_adapter import bag_of, deck_of, display_of, spirit_of
from oracles.harmonies import (
    ANIMALS,
    COLUMNS,
    DIRECTIONS,
    PLACES,
    SHAPES,
    SPIRITS,
    STACKS,
    TOKENS,
    Deal,
    HarmoniesOracle,
    as_on_a_card,
    can_be_put_on,
    card_of,
    habitat_around_turned,
    habitat_hexes,
)

from ludotheque.envs import GameOverError, IllegalActionError, get_game
from ludotheque.envs.harmonies.scoring import suns
from ludotheque.envs.harmonies.state import (
    PHASES,
    cards_of,
    central_of,
    completed_of,
    cubes_of,
    dealt_to,
    hand_of,
    points_of,
    stacks_of,
)

COLOURS = list(TOKENS)
SIDES = ["A", "B"]
TASTES = ["any", "kinds", "pile", "build"]
SEEDS = 1500
STACK_FOR = {as_on_a_card(stack): stack for stack in STACKS if as_on_a_card(stack)}

every_setting = pytest.mark.parametrize(
    ("num_players", "side", "spirits"),
    [(count, side, spirits) for count in (1, 2, 3, 4) for side in SIDES for spirits in (0, 1)],
)


@pytest.fixture(scope="module")
def game():
    return get_game("harmonies")


def named(colours: list[int]) -> list[str]:
    return [COLOURS[colour] for colour in colours]


def tokens(counts: list[int]) -> list[str]:
    return [colour for colour, count in zip(COLOURS, counts, strict=True) for _ in range(count)]


def contents(states) -> tuple:
    """Every field's bytes: unlike the records' own bytes, without the padding between fields."""
    return tuple(states[name].tobytes() for name in states.dtype.names)


def deal_of(state) -> Deal:
    """What lies on the table and in the piles at the start of a game."""
    solo = state["num_players"] == 1
    seats = range(state["num_players"]) if state["spirits"] else []
    return Deal(
        spaces=[named(space) for space in central_of(state)[: 3 if solo else 5]],
        bag=tokens(bag_of(state)),
        shown=display_of(state)[: 3 if solo else 5],
        deck=deck_of(state),
        spirits=[list(dealt_to(state, seat)) for seat in seats],
    )


def oracle_of(states) -> HarmoniesOracle:
    """An oracle of the same game, read from a state at its start."""
    state = states[0]
    return HarmoniesOracle(
        deal_of(state),
        int(state["num_players"]),
        SIDES[state["side"]],
        int(state["first_player"]),
    )


def decision_of(game, state, action: int) -> tuple:
    """An action number as the oracle's decision."""
    parts = game.decode_action(action)
    seat = int(state["to_play"])
    kind = parts["kind"]
    if kind == "take":
        return ("space", parts["space"])
    if kind == "place":
        return ("token", parts["colour"], parts["hex"])
    if kind == "card":
        return ("card", display_of(state)[parts["place"]])
    if kind == "settle":
        return ("cube", cards_of(state, seat)[parts["slot"]].card, parts["hex"])
    if kind == "spirit":
        return ("spirit", dealt_to(state, seat)[parts["choice"]])
    if kind == "discard":
        return ("discard", display_of(state)[parts["place"]])
    assert kind == "end"
    return ("keep",) if PHASES[state["phase"]] == "DISCARD" else ("end",)


def legal_of(game, states) -> dict:
    """The legal decisions, each with its action."""
    mask = game.legal_mask(states)
    assert mask.dtype == np.int8
    assert mask.shape == (game.num_actions,)
    assert set(mask.tolist()) <= {0, 1}
    actions = np.flatnonzero(mask).tolist()
    legal = {decision_of(game, states[0], action): action for action in actions}
    assert len(legal) == len(actions)
    return legal


def assert_same(game, states, oracle, ply: int) -> dict:
    """Compare everything the oracle knows with the state; return the legal decisions."""
    state = states[0]
    assert state["ply"] == ply
    assert state["forfeit"] == -1
    assert not state["truncated"]
    assert bool(state["terminated"]) == oracle.is_over()
    assert_same_table(state, oracle)
    for seat, player in enumerate(oracle.players):
        assert_same_player(state, seat, player)
        expected = oracle.score_categories(seat)
        assert points_of(state, seat) == expected
        assert game.points_by_category(states, seat) == expected
    scores, ranks = game.returns(states)
    assert scores.dtype == np.float32
    assert scores.tolist() == oracle.scores()
    assert list(ranks) == oracle.ranks()
    if oracle.solo and not oracle.me.spirits_dealt:
        assert suns(state) == oracle.suns()
    legal = legal_of(game, states)
    assert sorted(legal, key=str) == sorted(oracle.legal_decisions(), key=str)
    return legal


def assert_same_table(state, oracle) -> None:
    spaces = [sorted(named(space)) for space in central_of(state)]
    assert spaces[: len(oracle.spaces)] == [sorted(space) for space in oracle.spaces]
    assert not any(spaces[len(oracle.spaces) :])
    assert Counter(tokens(bag_of(state))) == Counter(oracle.bag)
    assert Counter(tokens(state["discarded"].tolist())) == Counter(oracle.out_of_play)
    shown = [card or 0 for card in oracle.shown]
    assert display_of(state)[: len(shown)] == shown
    assert not any(display_of(state)[len(shown) :])
    assert deck_of(state) == sorted(oracle.deck)
    assert state["turns"] == sum(player.turns for player in oracle.players)
    assert bool(state["last_round"]) == oracle.last_round
    if oracle.is_over():
        return
    assert state["to_play"] == oracle.to_play
    assert Counter(named(hand_of(state))) == Counter(oracle.in_hand)
    assert bool(state["took_card"]) == oracle.card_taken
    phase = PHASES[state["phase"]]
    assert (phase == "SPIRIT") == bool(oracle.me.spirits_dealt)
    assert (phase == "DISCARD") == oracle.may_discard


def assert_same_player(state, seat: int, player) -> None:
    assert [named(stack) for stack in stacks_of(state, seat)] == player.board
    assert cubes_of(state, seat) == player.cubes
    held = {(card.card, card.settled) for card in cards_of(state, seat) if card.card}
    assert held == {(card.card, card.placed) for card in player.held}
    assert all(card.left > 0 for card in cards_of(state, seat) if card.card)
    assert completed_of(state, seat) == sorted(card.card for card in player.done)
    assert spirit_of(state, seat) == (player.spirit or 0)
    settled = any(card in SPIRITS for card in cubes_of(state, seat).values())
    assert settled == (player.spirit in player.cubes.values())


def play(game, states, oracle, decision: tuple, action: int) -> None:
    """The same decision on both sides."""
    game.step(states, action)
    if not states["terminated"][0]:
        put_on_top(states[0], oracle, decision)
    oracle.play(decision)


def put_on_top(state, oracle, decision: tuple) -> None:
    """What the kernels drew after this decision becomes what the oracle draws next."""
    if decision[0] == "end":
        bare = [n for n, space in enumerate(oracle.spaces) if oracle.solo or not space]
        drawn = [colour for n in bare for colour in named(central_of(state)[n])]
        left = Counter(oracle.bag)
        left.subtract(drawn)
        assert all(count >= 0 for count in left.values())
        oracle.bag = drawn + list(left.elements())
    if decision[0] in ("end", "discard"):
        gone = [None] if decision[0] == "end" else [decision[1]]
        places = [place for place, card in enumerate(oracle.shown) if card in gone]
        drawn = [display_of(state)[place] for place in places if display_of(state)[place]]
        assert set(drawn) <= set(oracle.deck)
        oracle.deck = drawn + [card for card in oracle.deck if card not in drawn]


# ---- how to choose ----------------------------------------------------------------------------


def chosen(rng: random.Random, oracle, legal: list[tuple], taste: str) -> tuple:
    """A random legal decision; preferences lead to all kinds of games."""
    if taste == "any":
        return rng.choice(legal)
    by_kind = {}
    for decision in legal:
        by_kind.setdefault(decision[0], []).append(decision)
    if taste == "pile" and "token" in by_kind:
        return highest_pile(rng, oracle, by_kind["token"])
    if taste == "pile" and "space" in by_kind:
        return min(by_kind["space"], key=lambda decision: hexes_needed(oracle, decision[1]))
    if taste == "build":
        for kind in ("cube", "card"):
            if kind in by_kind:
                return rng.choice(by_kind[kind])
        if "space" in by_kind:
            nearest = goals(oracle)[:1]
            return max(by_kind["space"], key=lambda decision: use_of(oracle, decision[1], nearest))
        if "token" in by_kind:
            return rng.choice(useful_tokens(oracle) or by_kind["token"])
    return rng.choice(by_kind[rng.choice(sorted(by_kind))])


def highest_pile(rng: random.Random, oracle, legal: list[tuple]) -> tuple:
    """A token onto others; if none fits, one that others can come onto later."""
    stacked = [decision for decision in legal if oracle.me.board[decision[2]]]
    bases = [decision for decision in legal if decision[1] in ("brown", "gray")]
    return rng.choice(stacked or bases or legal)


def hexes_needed(oracle, space: int) -> int:
    """How many empty hexes these tokens take if they are piled up as they come."""
    board = [list(stack) for stack in oracle.me.board]
    needed = 0
    for colour in sorted(oracle.spaces[space], key=["brown", "gray", *COLOURS].index):
        fitting = [
            stack
            for hexagon, stack in enumerate(board)
            if stack and hexagon not in oracle.me.cubes and can_be_put_on(colour, stack)
        ]
        needed += not fitting
        (fitting or [board[board.index([])]])[0].append(colour)
    return needed


def goals(oracle) -> list[list[tuple]]:
    """What is lacking for a cube, the nearest first: the hexes and the tokens each still needs."""
    found, lacks = [], cache(partial(lacking, oracle))
    for held in oracle.me.held:
        card = card_of(held.card)
        for hexagon in range(len(oracle.me.board)):
            if hexagon in oracle.me.cubes or lacks(hexagon, card.habitat[0]) is None:
                continue
            for turn in range(6):
                hexes = habitat_hexes(oracle.side, card, hexagon, turn)
                if None not in hexes:
                    goal = [
                        (end, lacks(end, wanted))
                        for end, wanted in zip(hexes, card.habitat, strict=True)
                    ]
                    if all(lack is not None for _, lack in goal):
                        found.append(goal)
    return sorted(found, key=lambda goal: sum(len(lack) for _, lack in goal))


def useful_tokens(oracle) -> list[tuple]:
    """Tokens in hand that approach the nearest goal that any of them helps."""
    for goal in goals(oracle):
        useful = [("token", lack[0], end) for end, lack in goal if lack]
        useful = [decision for decision in useful if decision[1] in oracle.in_hand]
        if useful:
            return useful
    return []


def use_of(oracle, space: int, nearest: list) -> int:
    """How many of a space's tokens the nearest goal needs, if there is one."""
    needed = Counter(colour for goal in nearest for _, lack in goal for colour in lack)
    return (needed & Counter(oracle.spaces[space])).total()


def lacking(oracle, hexagon: int, wanted: str) -> list[str] | None:
    """The tokens that make a hex the landscape wanted; None if that can't be any more."""
    stack = oracle.me.board[hexagon]
    if as_on_a_card(stack) == wanted:
        return []
    if wanted == "building" and stack in (["brown"], ["gray"], ["red"]):
        goal = [*stack, "red"]
    else:
        goal = STACK_FOR[wanted]
    if stack != goal[: len(stack)] or hexagon in oracle.me.cubes:
        return None
    return goal[len(stack) :]


def played_out(game, states, rng: random.Random, taste: str) -> tuple:
    """A whole game compared at every ply; returns the oracle and how often each kind occurred."""
    oracle = oracle_of(states)
    kinds = Counter()
    ply = 0
    legal = assert_same(game, states, oracle, ply)
    while not oracle.is_over():
        decision = chosen(rng, oracle, list(legal), taste)
        kinds[decision[0]] += 1
        play(game, states, oracle, decision, legal[decision])
        ply += 1
        legal = assert_same(game, states, oracle, ply)
    assert legal == {}
    return oracle, kinds


# ---- actions ----------------------------------------------------------------------------------


def test_action_codec_goes_there_and_back(game):
    names = set()
    kinds = Counter()
    states = {side: game.new_state(1, side=side) for side in SIDES}
    for action in range(game.num_actions):
        parts = game.decode_action(action)
        kinds[parts["kind"]] += 1
        assert game.encode_action(parts) == action
        text = game.action_to_string(action)
        names.add(text)
        assert game.action_from_string(text) == action
        for side in SIDES:
            text = game.action_to_string(action, states[side][0])
            assert game.action_from_string(text, states[side][0]) == action
    assert len(names) == game.num_actions
    assert kinds == {
        "take": 5,
        "card": 5,
        "end": 1,
        "spirit": 2,
        "discard": 3,
        "place": 6 * 25,
        "settle": 4 * 25,
    }


@pytest.mark.parametrize("side", SIDES)
def test_hexes_are_named_by_column_and_row(game, side):
    state = game.new_state(1, side=side)[0]
    for hexagon, (column, height) in enumerate(PLACES[side]):
        action = game.encode_action({"kind": "place", "colour": "blue", "hex": hexagon})
        name = f"{'abcdefg'[column]}{height // 2 + 1}"
        assert game.action_to_string(action, state) == f"blue {name}"
        assert game.action_from_string(f"blue {name}", state) == action


@pytest.mark.parametrize("action", [-1, 10_000])
def test_action_numbers_outside_the_table(game, action):
    states = game.new_state(3)
    before = contents(states)
    with pytest.raises((IllegalActionError, ValueError)):
        game.step(states, action)
    assert contents(states) == before


# ---- setup ------------------------------------------------------------------------------------


@every_setting
def test_setup_has_the_contents_of_the_box(game, num_players, side, spirits):
    for seed in range(50):
        states = game.new_state(seed, num_players=num_players, side=side, spirits=bool(spirits))
        table = deal_of(states[0])
        on_spaces = [colour for space in table.spaces for colour in space]
        assert Counter(on_spaces + table.bag) == Counter(TOKENS)
        assert [len(space) for space in table.spaces] == [3] * (3 if num_players == 1 else 5)
        assert sorted(table.shown + table.deck) == sorted(ANIMALS)
        assert len(table.shown) == (3 if num_players == 1 else 5)
        dealt = [card for pair in table.spirits for card in pair]
        assert len(dealt) == len(set(dealt)) == (2 * num_players if spirits else 0)
        assert set(dealt) <= set(SPIRITS)
        assert_same(game, states, oracle_of(states), ply=0)


def test_same_seed_same_game(game):
    def games() -> set:
        return {contents(game.new_state(n, num_players=3, spirits=True)) for n in range(50)}

    assert len(games()) == 50
    assert games() == games()


def assert_shares(counts: Counter, shares: dict, draws: int) -> None:
    """Each count is within five standard deviations of its share (seeds are fixed)."""
    assert set(counts) <= set(shares)
    for thing, share in shares.items():
        slack = 5 * (draws * share * (1 - share)) ** 0.5
        assert abs(counts[thing] - draws * share) <= slack, thing


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_setup_is_drawn_by_lot(game, num_players):
    """Tokens by their numbers in the box; cards, spirits and the first player evenly."""
    seen = {name: Counter() for name in ("tokens", "cards", "first cards", "spirits", "seats")}
    for seed in range(SEEDS):
        state = game.new_state(seed, num_players=num_players, spirits=True)[0]
        table = deal_of(state)
        seen["tokens"].update(table.spaces[-1])
        seen["cards"].update(table.shown)
        seen["first cards"][table.shown[0]] += 1
        seen["spirits"].update(table.spirits[-1])
        seen["seats"][int(state["first_player"])] += 1
        assert state["to_play"] == state["first_player"]
    box = {colour: count / 120 for colour, count in TOKENS.items()}
    assert_shares(seen["tokens"], box, 3 * SEEDS)
    assert_shares(seen["cards"], dict.fromkeys(ANIMALS, 1 / 32), SEEDS * len(table.shown))
    assert_shares(seen["first cards"], dict.fromkeys(ANIMALS, 1 / 32), SEEDS)
    assert_shares(seen["spirits"], dict.fromkeys(SPIRITS, 1 / 10), 2 * SEEDS)
    assert_shares(seen["seats"], dict.fromkeys(range(num_players), 1 / num_players), SEEDS)


@pytest.mark.parametrize("num_players", [1, 2])
def test_tokens_and_cards_are_drawn_by_lot(game, num_players):
    """From the same start, with other chance to come, the refill is as the bag and the deck are."""
    states = game.new_state(5, num_players=num_players)
    for text in ("take 1", "card 1"):
        game.step(states, game.action_from_string(text, states[0]))
    while not legal_of(game, states).get(("end",)):
        legal = legal_of(game, states)
        game.step(states, legal[next(d for d in legal if d[0] == "token")])
    start = states[0]
    bag = Counter(tokens(bag_of(start)))
    deck = deck_of(start)
    spaces = range(3) if num_players == 1 else [0]
    drawn_tokens, drawn_cards = Counter(), Counter()
    for seed in range(SEEDS):
        later = states.copy()
        later["rng"] = seed * 0x9E3779B97F4A7C15 % 2**64
        game.step(later, legal_of(game, states)["end",])
        drawn_tokens.update(c for space in spaces for c in named(central_of(later[0])[space]))
        drawn_cards[display_of(later[0])[0]] += 1
    shares = {colour: count / bag.total() for colour, count in bag.items()}
    assert_shares(drawn_tokens, shares, 3 * SEEDS * len(spaces))
    assert_shares(drawn_cards, dict.fromkeys(deck, 1 / len(deck)), SEEDS)


def test_cards_and_boards_are_the_oracles(root):
    """The file of the game's components, written from another source than the oracle."""
    text = (root / "envs" / "harmonies" / "components.json").read_text(encoding="utf-8")
    box = json.loads(text)
    assert box["colours"] == COLOURS
    assert box["tokens"] == TOKENS
    assert {side: tuple(board["columns"]) for side, board in box["boards"].items()} == COLUMNS
    assert sorted(box["stacks"]) == sorted(STACKS)
    cards = {card["id"]: card for card in [*box["animals"], *box["spirits"]]}
    assert sorted(cards) == [*ANIMALS, *SPIRITS]
    for number, card in cards.items():
        assert card["name"] == card_of(number).name
        assert six_layouts_of_file(card) == six_layouts_of_oracle(number)
        if number in ANIMALS:
            assert tuple(card["ladder"]) == ANIMALS[number].points
        else:
            spirit = SPIRITS[number]
            for size in range(1, 2 if number == 42 else 4):  # water is one token high
                points = spirit.points[min(size, len(spirit.points)) - 1]
                assert card["points"][size] == points
            assert (card["counts"], card["of"]) == (
                {"group": "groups", "each": "each"}[spirit.per],
                spirit.landscape,
            )


# Axial steps of the six directions, clockwise from straight up.
AXIAL = [(0, -1), (1, -1), (1, 0), (0, 1), (-1, 1), (-1, 0)]


def six_layouts_of_oracle(number: int) -> set[frozenset]:
    card = card_of(number)
    layouts = set()
    for turn in range(len(DIRECTIONS)):
        parts = {(0, 0): card.habitat[0]}
        for way, wanted in zip(SHAPES[card.shape], card.habitat[1:], strict=True):
            steps = [AXIAL[(turn + direction) % 6] for direction in way]
            parts[sum(q for q, _ in steps), sum(r for _, r in steps)] = wanted
        layouts.add(frozenset(parts.items()))
    return layouts


def six_layouts_of_file(card: dict) -> set[frozenset]:
    parts = {(q, r): words(kind) for q, r, kind in card["pattern"]}
    layouts = set()
    for _ in range(6):
        parts = {(-r, q + r): kind for (q, r), kind in parts.items()}
        layouts.add(frozenset(parts.items()))
    return layouts


def words(kind: str) -> str:
    """The file's "tree3" is the oracle's "tree 3"."""
    return f"{kind[:-1]} {kind[-1]}" if kind[-1].isdigit() else kind


# ---- games ------------------------------------------------------------------------------------


@every_setting
@pytest.mark.parametrize("taste", TASTES)
def test_random_games(game, num_players, side, spirits, taste):
    rng = random.Random(f"{num_players} {side} {spirits} {taste}")
    kinds = Counter()
    for _ in range(2 if taste == "build" else 1):
        states = game.new_state(
            rng.randrange(2**63), num_players=num_players, side=side, spirits=bool(spirits)
        )
        oracle, found = played_out(game, states, rng, taste)
        kinds += found
        assert len({player.turns for player in oracle.players}) == 1
        assert found["token"] == 3 * found["space"] == 3 * found["end"]
        assert found["spirit"] == num_players * spirits
    assert kinds["card"] > 0
    if taste == "build":
        assert kinds["cube"] > 5
    if num_players == 1 and taste in ("any", "kinds"):
        assert kinds["discard"] > 0
    if num_players == 1 and taste == "kinds":
        assert kinds["keep"] > 0


def test_builders_complete_cards_and_fill_their_hands(game):
    """What random games seldom reach: completed cards, settled spirits, full hands."""
    rng = random.Random(8)
    reached = Counter()
    for _ in range(4):
        states = game.new_state(rng.randrange(2**63), num_players=4, side="B", spirits=True)
        oracle, _ = played_out(game, states, rng, "build")
        for player in oracle.players:
            reached["completed"] += sum(card.card in ANIMALS for card in player.done)
            reached["spirits"] += player.spirit in player.cubes.values()
            reached["full"] += len(player.held) == 4
            reached["cubes"] += len(player.cubes)
    assert reached["completed"] > 8
    assert min(reached["spirits"], reached["full"]) > 0
    assert reached["cubes"] > 60


@pytest.mark.parametrize(("num_players", "turns"), [(1, 13), (4, 36)])
def test_games_that_end_by_the_bag(game, num_players, turns):
    """Tokens piled up, so that the boards don't end the game first.

    With two players they always do: of the 108 tokens of 36 turns 30 or more are blue or yellow and
    take a hex each, and the others, three a hex at most, don't fit on what is left.
    """
    rng = random.Random(4)
    ends = Counter()
    for _ in range(4):
        states = game.new_state(rng.randrange(2**63), num_players=num_players, side="B")
        oracle, _ = played_out(game, states, rng, "pile")
        if min(player.empty_hexes() for player in oracle.players) > 2:
            assert sum(player.turns for player in oracle.players) == turns
            assert sum(bag_of(states[0])) == (3 if num_players == 1 else 0)
            ends["bag"] += 1
    assert ends["bag"] > 0


@pytest.mark.parametrize("rounds", range(1, 5))
@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
def test_end_by_a_bag_that_was_short(game, num_players, rounds):
    """Tokens for so many rounds: it closes a round, as the full bag's 36 turns do for 2, 3 and 4.

    That a round would have to be finished without tokens to refill with can't happen.
    """
    turns = rounds * num_players
    states = game.new_state(rounds, num_players=num_players, side="B", spirits=True)
    left = random.Random(rounds).sample(
        tokens(bag_of(states[0])), (9 if num_players == 1 else 3) * (turns - 1)
    )
    states["bag"][0] = [left.count(colour) for colour in COLOURS]
    oracle, _ = played_out(game, states, random.Random(turns), "kinds")
    assert [player.turns for player in oracle.players] == [rounds] * num_players
    assert not any(bag_of(states[0]))


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_fewer_cards_when_the_deck_is_empty(game, num_players):
    """A deck that was small from the start: places in the display stay empty."""
    states = game.new_state(num_players, num_players=num_players)
    states["deck"][0] = sum(1 << card for card in deck_of(states[0])[:3])
    oracle, kinds = played_out(game, states, random.Random(1), "build")
    assert oracle.deck == []
    assert oracle.shown.count(None) > 1
    assert kinds["card"] == 3 + oracle.shown.count(None)


@every_setting
def test_every_action_tried(game, num_players, side, spirits):
    """Legal actions do what the oracle says; all others raise and leave the state as it was."""
    rng = random.Random(num_players)
    states = game.new_state(17, num_players=num_players, side=side, spirits=bool(spirits))
    oracle = oracle_of(states)
    moments = set()
    ply = 0
    legal = assert_same(game, states, oracle, ply)
    while not oracle.is_over():
        moment = (PHASES[states["phase"][0]], len(oracle.in_hand), oracle.card_taken)
        if moment not in moments and rng.random() < 0.5:
            moments.add(moment)
            try_everything(game, states, oracle, legal, ply)
        decision = chosen(rng, oracle, list(legal), "build" if rng.random() < 0.5 else "kinds")
        play(game, states, oracle, decision, legal[decision])
        ply += 1
        legal = assert_same(game, states, oracle, ply)
    assert len(moments) > 4
    before = contents(states)
    for action in range(game.num_actions):
        with pytest.raises(GameOverError):
            game.step(states, action)
    assert contents(states) == before


def try_everything(game, states, oracle, legal: dict, ply: int) -> None:
    before = contents(states)
    for decision, action in legal.items():
        trial, after = states.copy(), oracle.copy()
        play(game, trial, after, decision, action)
        assert_same(game, trial, after, ply + 1)
    for action in set(range(game.num_actions)) - set(legal.values()):
        with pytest.raises(IllegalActionError):
            game.step(states, action)
        assert contents(states) == before


def test_step_touches_one_game_of_the_batch(game):
    singles = [game.new_state(seed, num_players=3, spirits=True) for seed in range(3)]
    batch = np.concatenate(singles)
    action = legal_of(game, singles[1]).popitem()[1]
    game.step(batch, action, i=1)
    game.step(singles[1], action)
    assert contents(batch) == contents(np.concatenate(singles))
    for i, single in enumerate(singles):
        assert game.legal_mask(batch, i=i).tolist() == game.legal_mask(single).tolist()


# ---- habitats ---------------------------------------------------------------------------------
# Solo games in which the table is changed before every turn, so that the board fills with what one
# card's habitat needs. Chance could have brought all of it: no token or card is made or lost.


def change_first_card(states, card: int) -> None:
    """Exchange the first card of the display for this one, from the display or the deck."""
    display = states["display"][0]
    if card in display:
        display[display.tolist().index(card)] = display[0]
    else:
        states["deck"][0] += (1 << int(display[0])) - (1 << card)
    display[0] = card


def change_spirits(states, card: int) -> None:
    """Deal this spirit, and another."""
    if card not in states["dealt"][0][0]:
        states["dealt"][0][0][0] = card


def change_tokens(states, wanted: list[str]) -> None:
    """Put these tokens on the first space; those that aren't on the board change places for it."""
    state = states[0]
    others = list((off_the_board(states) - Counter(wanted)).elements())
    piles = [state["central"][0], state["central"][1], state["central"][2]]
    piles += [state["bag"], state["discarded"]]
    sizes = [int(pile.sum()) for pile in piles]
    assert sizes[:3] == [3, 3, 3]
    for pile, size in zip(piles, sizes, strict=True):
        colours = wanted if pile is piles[0] else [others.pop() for _ in range(size)]
        pile[:] = [colours.count(colour) for colour in COLOURS]
    assert not others


def off_the_board(states) -> Counter:
    state = states[0]
    counts = state["bag"] + state["discarded"] + state["central"].sum(axis=0)
    return Counter(tokens(counts.tolist()))


def take_over_table(states, oracle) -> None:
    """The oracle's table and piles become those of the state."""
    table = deal_of(states[0])
    oracle.spaces, oracle.bag = table.spaces, table.bag
    oracle.out_of_play = tokens(states["discarded"][0].tolist())


def add_to_plan(rng: random.Random, states, oracle, card: int, plan: list[tuple]) -> bool:
    """Plan one more habitat, or a part of one, on random hexes; False if tokens or hexes lack."""
    planned = [hexagon for _, hexagon in plan]
    free = [n for n, stack in enumerate(oracle.me.board) if not stack and n not in planned]
    stock = off_the_board(states) - Counter(colour for colour, _ in plan)
    habitat = card_of(card).habitat
    everywhere = [
        habitat_hexes(oracle.side, card_of(card), n, turn) for n in free for turn in range(6)
    ]
    whole = [hexes for hexes in everywhere if set(hexes) <= set(free)]
    hexes = rng.choice(whole) if whole else rng.sample(free, min(len(free), len(habitat)))
    parts = list(zip(hexes, habitat, strict=False))
    if rng.random() < 0.3:
        parts = parts[:1]
    added = False
    for hexagon, word in parts:
        stack = rng.choice(stacks_for(word))
        if not Counter(stack) - stock:
            stock -= Counter(stack)
            plan += [(colour, hexagon) for colour in stack]
            added = True
    return added


def stacks_for(word: str) -> list[list[str]]:
    return [stack for stack in STACKS if as_on_a_card(stack) == word]


def crowded_game(game, rng: random.Random, card: int, side: str) -> tuple:
    """Play a board full of the card's landscapes; returns the oracle and the rotations seen."""
    states = game.new_state(rng.randrange(2**63), num_players=1, side=side, spirits=card in SPIRITS)
    change = change_spirits if card in SPIRITS else change_first_card
    change(states, card)
    oracle = oracle_of(states)
    legal = legal_of(game, states)
    first = ("spirit" if card in SPIRITS else "card", card)
    play(game, states, oracle, first, legal[first])
    plan, seen, ply = [], set(), 1
    while not oracle.is_over():
        while len(plan) < 3:
            if not add_to_plan(rng, states, oracle, card, plan):
                return oracle, seen
        change_tokens(states, [colour for colour, _ in plan[:3]])
        take_over_table(states, oracle)
        decisions = [("space", 0)] + [("token", *plan.pop(0)) for _ in range(3)]
        for decision in decisions:
            play(game, states, oracle, decision, legal_of(game, states)[decision])
            ply += 1
        assert_same(game, states, oracle, ply)
        seen |= rotations(oracle, card)
        ending = [("end",), ("keep",)]
        for decision in ending:
            legal = legal_of(game, states)
            if decision in legal:
                play(game, states, oracle, decision, legal[decision])
                ply += 1
    return oracle, seen


def rotations(oracle, card: int) -> set[int]:
    """The rotations in which the card's habitat is on the board, for a cube that may settle."""
    hexes = range(len(oracle.me.board))
    return {
        turn
        for turn in range(6)
        for hexagon in hexes
        if habitat_around_turned(oracle.side, oracle.me.board, card_of(card), hexagon, turn)
    }


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("card", [*ANIMALS, *SPIRITS], ids=lambda card: card_of(card).name)
def test_habitat_in_six_rotations(game, card, side):
    """All settlements of a card are found, its habitat turned in each of the six ways."""
    rng = random.Random(f"{card} {side}")
    seen = set()
    for _ in range(12):
        _, found = crowded_game(game, rng, card, side)
        seen |= found
        if len(seen) == 6:
            break
    assert seen == set(range(6))
