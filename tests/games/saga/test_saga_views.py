"""What a seat of Saga sees and what it can't: packs not shown yet, face-down cards."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import numpy as np
import pytest
from saga_adapter import OnKernels, OnOracle

from ludotheque.envs import get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.saga.actions import HIDDEN
from ludotheque.envs.saga.components import (
    COLOURS,
    KINGDOMS,
    NUM_CARDS,
    PACKS,
    POWERS,
    knight_name,
)
from ludotheque.envs.saga.notation import knight_of
from ludotheque.envs.saga.observation import knows_pack
from ludotheque.envs.saga.position import set_position
from ludotheque.envs.saga.state import (
    PHASES,
    defence_of,
    forces_of,
    free_of,
    hand_of,
    owner_of,
    powers_of,
)

GAME = get_game("saga")
FIELDS = {field.name: field for field in GAME.observation_schema()}
SLICES = slices(GAME.observation_schema())
STRONG = (None, ["red 4", "green 4", "blue 4", "orange 4", "violet 4", "yellow 4"])


def see(states, seat) -> dict[str, np.ndarray]:
    """What a seat observes, by field, in the field's shape."""
    seen = GAME.observe(states, seat)
    return {name: seen[part].reshape(FIELDS[name].shape) for name, part in SLICES.items()}


def play(states, *texts):
    for text in texts:
        GAME.step(states, GAME.action_from_string(text))
    return states


def position(num_players=2, sides="reverse", **parts):
    """Sealand is seat 0's, no kingdom can be conquered."""
    states = GAME.new_state(1, num_players, sides=sides)
    kingdoms = {**dict.fromkeys(KINGDOMS, STRONG), "Sealand": (0, ["blue 4"])}
    parts["kingdoms"] = {**kingdoms, **parts.get("kingdoms", {})}
    hands = {seat: ["violet 1"] * 3 for seat in range(num_players)}
    parts["hands"] = {**hands, **parts.get("hands", {})}
    set_position(states, **parts)
    return states


def redraws(states, seat, count=300):
    """Copies of a game with what ``seat`` can't know resampled."""
    many = np.repeat(states, count)
    seats, seeds = np.full(count, seat), np.arange(count, dtype=np.uint64)
    GAME.loops.redraw(many, 0, count, seats, seeds)
    return many


def lying_down(states, seat=0) -> Counter:
    """The face-down cards of a seat in each of many games, by name."""
    found = Counter()
    for state in states:
        down = [knight for force in forces_of(state, seat) for knight in force.down]
        found[tuple(knight_name(knight) for knight in down)] += 1
    return found


# ---- packs ------------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_nothing_is_hidden_but_what_lies_face_down(num_players):
    """Packs are known by their backs, so only future chance is resampled."""
    states = GAME.new_state(3, num_players, sides="mixed")
    for seat in range(num_players):
        seen = see(states, seat)
        for ahead in range(num_players):
            other = (seat + ahead) % num_players
            assert np.flatnonzero(seen["seats"][ahead, 10:]).tolist() == [states["pack"][0, other]]
            if ahead:
                hand = states["hand"][0, other].tolist()
                assert seen["other_hands"][ahead - 1].tolist() == hand
        drawn = GAME.determinize(states, seat, 11)
        for name in GAME.dtype.names:
            assert name in ("rng", "seed") or np.array_equal(drawn[name], states[name])


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_packs_are_hidden_until_a_card_is_seen(num_players):
    """The others' hands are resampled evenly among the packs that the seat hasn't seen."""
    assert FIELDS["hand"].visible_to == "seat"
    states = GAME.new_state(3, num_players, packs_known="once_shown")
    state = states[0]
    order = state["pack"].tolist()
    first = int(state["to_play"])
    seen = see(states, first)
    assert seen["hand"][:, 0].sum() == 12 and not seen["other_hands"].any()
    assert seen["seats"][:num_players, 4].tolist() == [1] + [0] * (num_players - 1)
    assert seen["seats"][:num_players, 5].tolist() == [12] * num_players
    drawn = redraws(states, first)
    known = {first, num_players}
    orders = Counter(tuple(pack) for pack in drawn["pack"].tolist())
    unknown = [order[k] for k in range(5) if k not in known]
    expected = set()
    for others in itertools.permutations(unknown):
        left = list(others)
        expected.add(tuple(order[k] if k in known else left.pop(0) for k in range(5)))
    assert set(orders) == expected
    can_have = np.flatnonzero(seen["seats"][1, 10:]).tolist()
    assert can_have == sorted({one[(first + 1) % num_players] for one in expected})
    for one in drawn[:20]:
        for seat in range(num_players):
            assert sorted(PACKS[one["pack"][seat]].tolist()) == hand_of(one, seat)


def test_a_card_shows_the_pack():
    """From a seat's first card on its pack is public, with that reading."""
    states = GAME.new_state(3, 3, packs_known="once_shown")
    first = int(states["to_play"][0])
    other = (first + 1) % 3
    play(states, "new")
    assert not see(states, other)["seats"][2, 4], "not before the card lies there"
    GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    seen = see(states, other)
    assert seen["seats"][:3, 4].tolist() == [1, 0, 1]
    assert seen["other_hands"][1].tolist() == states["hand"][0, first].tolist()
    drawn = redraws(states, other)
    assert len({tuple(hand) for hand in drawn["hand"][:, first].tolist()}) == 1
    third = (first + 2) % 3
    assert len({tuple(hand) for hand in drawn["hand"][:, third].tolist()}) == 2


def test_the_last_pack_of_four_is_known_by_elimination():
    states = GAME.new_state(5, 4, packs_known="once_shown")
    for _ in range(2):
        play(states, "new")
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    seat = int(states["to_play"][0])
    last = (seat + 1) % 4
    seen = see(states, seat)
    assert seen["seats"][:, 4].tolist() == [1, 1, 1, 1]
    assert seen["other_hands"][0].tolist() == states["hand"][0, last].tolist()
    drawn = redraws(states, seat, 50)
    assert (drawn["pack"] == states["pack"]).all()
    # Those who have played don't know yet which of the two has which.
    watcher = (seat + 2) % 4
    assert see(states, watcher)["seats"][:, 4].sum() == 2
    assert len({tuple(pack) for pack in redraws(states, watcher)["pack"].tolist()}) == 2


def test_own_packs_are_redrawn_too():
    packs = [
        [[c, v] for k, c in enumerate(COLOURS) for v in ((1, 4) if (k + s) % 2 else (2, 3))]
        for s in range(5)
    ]
    states = GAME.new_state(3, 2, packs=packs, packs_known="once_shown")
    seat = int(states["to_play"][0])
    drawn = redraws(states, seat)
    hands = {tuple(hand) for hand in drawn["hand"][:, 1 - seat].tolist()}
    assert len(hands) == 2, "the packs are of two sorts"


# ---- face-down cards --------------------------------------------------------------------------


def test_face_down_card_is_hidden_from_the_others():
    states = position(
        forces={0: [["green 3"]]},
        hands={0: ["green 1", "blue 3", "red 1", "red 1", "orange 2"]},
    )
    play(states, "down 1", "hidden blue 3")
    mine, theirs = see(states, 0), see(states, 1)
    assert mine["own_down"][0].tolist() == [0, 0, 3, 0, 0, 0, 0, 0, 2, 0, 0, 0]
    assert not theirs["own_down"].any()
    assert mine["own_forces"][0].tolist() == [0, 7, 0, 0, 0, 0, -21, 1, 0, 0, 1, 0, 0, 0, 0]
    assert theirs["other_forces"][0].tolist() == mine["own_forces"][0].tolist()
    # To the others the hand and the face-down card are one.
    pool = Counter(["green 1", "blue 3", "red 1", "red 1", "orange 2"])
    shown = theirs["other_hands"][0]
    assert {knight_name(k): int(shown[k]) for k in np.flatnonzero(shown)} == pool
    assert theirs["seats"][1, 5] == 4
    assert mine["hand"][knight_of("blue 3"), 0] == 0
    # The colour must be new; each card is as likely as the next, so red 1 twice as likely.
    found = lying_down(redraws(states, 1, 4000))
    assert set(found) == {("blue 3",), ("red 1",), ("orange 2",)}
    assert found[("red 1",)] == pytest.approx(2000, rel=0.1)
    assert found[("blue 3",)] == pytest.approx(1000, rel=0.15)
    assert lying_down(redraws(states, 0, 20)) == {("blue 3",): 20}


def test_choice_and_last_action_do_not_give_it_away():
    states = position(forces={0: [["green 3"]]}, hands={0: ["blue 3", "red 1", "red 1"]})
    play(states, "down 1")
    for name in ("choices", "force"):
        assert see(states, 1)[name].tolist() == see(states, 0)[name].tolist()
    # With which card the force gets how strong is for the seat that holds the cards.
    assert see(states, 0)["hand"][knight_of("blue 3"), 1] == 3 + 3 - 24
    assert not see(states, 1)["hand"][:, 1].any()
    action = GAME.action_from_string("hidden blue 3")
    GAME.step(states, action)
    assert states["last_action"][0] == action >= HIDDEN
    # Who laid it keeps the action; for others it goes with the card that lies there.
    assert (redraws(states, 0, 20)["last_action"] == action).all()
    drawn = redraws(states, 1, 20)
    assert (drawn["last_action"] - HIDDEN == drawn["down_card"][:, 0, 0]).all()
    assert len(set(drawn["last_action"].tolist())) == 2
    others = play(position(forces={0: [["green 3"]]}, hands={0: ["blue 3", "red 1", "red 1"]}))
    play(others, "down 1", "hidden red 1")
    assert np.array_equal(GAME.observe(states, 1), GAME.observe(others, 1))
    assert not np.array_equal(GAME.observe(states, 0), GAME.observe(others, 0))


def test_later_cards_narrow_down_what_it_can_be():
    """A colour that joins the force and a knight whose copies are all shown are ruled out."""
    states = position(
        forces={0: [["green 3"]]},
        hands={0: ["blue 3", "red 1", "orange 2", "violet 1", "yellow 1", "red 2"]},
    )
    play(states, "down 1", "hidden blue 3")
    assert len(lying_down(redraws(states, 1))) == 6
    play(states, "new", "violet 1", "strengthen 1", "red 1", "pass")
    found = set(lying_down(redraws(states, 1)))
    assert found == {("blue 3",), ("orange 2",), ("violet 1",), ("yellow 1",)}, "neither is red"
    play(states, "new", "violet 1", "new", "orange 2", "pass")
    found = set(lying_down(redraws(states, 1)))
    assert found == {("blue 3",), ("violet 1",), ("yellow 1",)}, "orange 2 has been shown"


def test_a_card_that_comes_to_the_hand_later_is_not_it():
    states = position(
        forces={0: [["green 3"]]},
        hands={0: ["blue 3", "red 1", "red 1"]},
        free=["yellow 2"],
        fame=[9, 9],
    )
    play(states, "down 1", "hidden blue 3", "recruit yellow 2")
    assert see(states, 1)["other_hands"][0][knight_of("recruited yellow 2")] == 1
    assert set(lying_down(redraws(states, 1))) == {("blue 3",), ("red 1",)}


def test_two_face_down_cards_of_a_force_have_different_colours():
    states = position(
        forces={0: [["green 3"]]},
        down={0: [(0, "blue 3"), (0, "red 1")]},
        hands={0: ["blue 1", "red 2"]},
    )
    found = lying_down(redraws(states, 1, 2000))
    assert len(found) > 4
    assert all(one.split()[0] != other.split()[0] for one, other in found)
    first = ["blue 3", "red 1", "blue 1", "red 2"]
    # Drawn among all cards of both places: of every pair of different colours as many.
    for pair in found:
        assert set(pair) <= set(first)
        assert found[pair] == pytest.approx(2000 / len(found), rel=0.3)


# What the others can make of face-down cards: of equal ones some have come back to the hand, some
# were recruited, some have been seen.
PUZZLES = {
    "came back": (
        {"forces": {0: [["green 3"], ["red 1"]]}, "hands": {0: ["red 1", "blue 4", "orange 1"]}},
        ["down 1", "hidden blue 4", "take 2", "red 1"],
    ),
    "came back and seen": (
        {"forces": {0: [["green 3"], ["red 1"]]}, "hands": {0: ["red 1", "blue 4", "orange 1"]}},
        ["down 1", "hidden blue 4", "take 2", "red 1", "new", "violet 1", "new", "red 1"],
    ),
    "recruited": (
        {
            "forces": {0: [["green 3"]]},
            "hands": {0: ["red 1", "blue 4", "recruited red 1", "recruited red 2"]},
            "free": ["red 1"],
            "fame": [3],
        },
        ["down 1", "hidden blue 4", "recruit red 1"],
    ),
    "two, of both backs": (
        {
            "forces": {0: [["green 3"], ["yellow 2"]]},
            "down": {0: [(0, "recruited red 1"), (1, "blue 4")]},
            "hands": {0: ["recruited blue 1", "recruited red 1", "blue 4", "orange 1"]},
        },
        [],
    ),
    "three": (
        {
            "forces": {0: [["green 3"], ["yellow 2"]]},
            "down": {0: [(0, "red 1"), (1, "blue 4"), (1, "violet 3")]},
            "hands": {0: ["red 1", "green 4"]},
        },
        [],
    ),
}


@pytest.mark.parametrize("puzzle", PUZZLES)
def test_face_down_cards_are_drawn_from_all_ways_they_can_be(puzzle):
    """The oracle lists the ways; each is drawn as often, and the observation counts the cards."""
    parts, texts = PUZZLES[puzzle]
    sides = ["reverse", "crown", "reverse", "reverse", "reverse", "crown"]
    held = {"kingdoms": {"Fieldland": (0, ["yellow 4"])}}
    kernels = OnKernels(position(sides=sides, **held, **parts))
    kingdoms = {**dict.fromkeys(KINGDOMS, STRONG), "Sealand": (0, ["blue 4"]), **held["kingdoms"]}
    parts = {**parts, "hands": {1: ["violet 1"] * 3, **parts["hands"]}, "kingdoms": kingdoms}
    oracle = OnOracle.position(options={"sides": sides}, **parts)
    for text in texts:
        kernels.play(text)
        oracle.play(text)
    assert kernels.can_be(0) == oracle.can_be(0)
    ways = oracle.game.players[0].ways()
    expected = Counter(tuple(" ".join(words(card)) for card in way) for way in ways)
    tries = 4000
    found = lying_down(redraws(kernels.states, 1, tries))
    assert set(found) == set(expected)
    for way, count in expected.items():
        share = tries * count / len(ways)
        assert abs(found[way] - share) < 5 * share**0.5


def words(card) -> list[str]:
    return ["recruited"] * card.recruited + [card.colour, str(card.value)]


def test_what_face_down_cards_can_be_is_observed_by_all():
    """For each of a seat's, the oldest first: its force, its back, and how often `determinize`
    draws each card; equal for the seat itself and for the others."""
    states = position(
        forces={0: [["green 3"], ["yellow 2"]]},
        down={0: [(1, "blue 4"), (0, "recruited red 1")]},
        hands={0: ["blue 4", "recruited violet 2", "orange 1"]},
    )
    rows = see(states, 1)["down"].reshape(4, 6, 26)
    assert np.array_equal(see(states, 0)["down"].reshape(4, 6, 26)[0], rows[1])
    assert not rows[[0, 2, 3]].any() and not rows[1, 2:].any()
    (force, back, *own), (other_force, other_back, *recruited) = rows[1, :2].tolist()
    assert (force, back, other_force, other_back) == (2, 0, 1, 1)
    names = {knight_name(k): count for k, count in enumerate(own) if count}
    assert names == {"blue 4": 2, "orange 1": 1}
    names = {knight_name(24 + k): count for k, count in enumerate(recruited) if count}
    assert names == {"recruited red 1": 1, "recruited violet 2": 1}
    found = lying_down(redraws(states, 1, 3000))
    blue = sum(count for way, count in found.items() if way[1] == "blue 4")
    assert blue == pytest.approx(2000, rel=0.1)


def test_estimates_reckon_with_what_a_face_down_card_can_be():
    """A force is the more of a threat the more its face-down card can be worth; not is."""
    hand = ["red 1", "red 4", "recruited red 3", "recruited red 4"]
    kingdoms = {"Forestland": (1, ["green 4", "blue 4"])}

    def estimate(card: str) -> float:
        rest = hand.copy()
        rest.remove(card)
        parts = {"forces": {0: [["green 3"]]}, "down": {0: [(0, card)]}, "hands": {0: rest}}
        return GAME.kernels["evaluate"](position(kingdoms=kingdoms, **parts)[0], 1, GAME.new_memo())

    own, other, recruited = map(estimate, ("red 1", "red 4", "recruited red 4"))
    assert own == pytest.approx(other) and recruited < own - 0.1


def test_redraw_fits_the_place_that_a_seat_has_chosen():
    """Who has chosen the force has a card for it in hand: not all can lie on the table."""
    states = position(
        forces={0: [["green 3"], ["red 1", "orange 1", "violet 1", "yellow 1", "green 1"]]},
        down={0: [(0, "red 1")]},
        hands={0: ["blue 3", "red 2"]},
    )
    drawn = lying_down(redraws(states, 1, 200))
    assert ("blue 3",) in drawn
    play(states, "strengthen 2")
    assert PHASES[states["phase"][0]] == "PLACING"
    many = redraws(states, 1, 200)
    assert ("blue 3",) not in lying_down(many)
    for i in range(200):
        assert GAME.legal_mask(many, i).sum() > 0


def test_redraws_are_sound_in_random_games():
    """Redrawn games keep all that the seat sees, have the same cards in all, and can be played."""
    rng = np.random.default_rng(3)
    checked = 0
    for seed, sides in itertools.product(range(25), ("reverse", "mixed")):
        states = GAME.new_state(seed, 3, sides=sides)
        while not (states["terminated"][0] or states["truncated"][0]):
            legal = np.flatnonzero(GAME.legal_mask(states))
            down = [a for a in legal if "down" in GAME.action_to_string(int(a)).split()]
            # Face-down cards are rare in random games: lay them where it can be done.
            GAME.step(states, int(rng.choice(down or legal)))
            if not states["num_down"][0].any():
                continue
            for seat in range(3):
                checked += 1
                drawn = GAME.determinize(states, seat, int(rng.integers(2**32)))
                assert np.array_equal(GAME.observe(drawn, seat), GAME.observe(states, seat))
                value = GAME.kernels["evaluate"](states[0], seat, GAME.new_memo())
                assert GAME.kernels["evaluate"](drawn[0], seat, GAME.new_memo()) == pytest.approx(
                    value
                )
                assert drawn["hand_size"].tolist() == states["hand_size"].tolist()
                for other in range(3):
                    assert Counter(everything(drawn[0], other)) == Counter(
                        everything(states[0], other)
                    )
                if not drawn["terminated"][0]:
                    assert GAME.legal_mask(drawn).any()
    assert checked > 300


def test_redraws_are_among_the_ways_of_the_oracle():
    """Games on both, with cards put face down as soon as it can be and seldom turned up."""
    rng = random.Random(2)
    likely = {"down": 50, "turn": 0.02, "take": 2}
    sides = ["reverse", "crown", "reverse", "reverse", "crown", "crown"]
    checked = 0
    for seed in range(10):
        kernels = OnKernels.dealt(seed, 2, sides=sides)
        oracle = OnOracle.same_as(kernels)
        while not (kernels.over or kernels.cut_off):
            for seat, player in enumerate(oracle.game.players):
                if any(force.face_down for force in player.forces):
                    ways = {tuple(" ".join(words(card)) for card in way) for way in player.ways()}
                    drawn = redraws(kernels.states, 1 - seat, 10)
                    assert set(lying_down(drawn, seat)) <= ways
                    checked += 1
            texts = sorted(kernels.legal())
            (text,) = rng.choices(texts, [likely.get(text.split()[0], 1) for text in texts])
            kernels.play(text)
            oracle.play(text)
    assert checked > 100


def everything(state, seat) -> list[int]:
    down = [knight for force in forces_of(state, seat) for knight in force.down]
    return hand_of(state, seat) + down


def test_public_fields_are_the_table():
    """Everybody sees the same table, seats counted from its own."""
    states = position(
        3,
        forces={0: [["green 3", "blue 1"]], 2: [["yellow 2"], ["red 3"]]},
        kingdoms={"Goldland": (2, ["orange 2", "red 1"])},
        free=["red 2", "red 2"],
        fame=[3, 200, 5],
    )
    for seat in range(3):
        seen = see(states, seat)
        ahead = {other: (other - seat) % 3 for other in range(3)}
        forces = {
            ahead[0]: [[0, 7, 1, 0, 0, 0, 4 - 24, 0, 0, 0, 1, 2, 0, 0, 0]],
            ahead[2]: [
                [0, 0, 0, 0, 0, 6, 2 - 24, 0, 0, 0, 0, 0, 0, 0, 1],
                [7, 0, 0, 0, 0, 0, 3 - 24, 0, 0, 1, 0, 0, 0, 0, 0],
            ],
        }
        for place in range(3):
            shown = seen["other_forces"][24 * (place - 1) :] if place else seen["own_forces"]
            for slot, force in enumerate([*forces.get(place, []), [0] * 15]):
                assert shown[slot].tolist() == force
        goldland, castleland = seen["kingdoms"][3].tolist(), seen["kingdoms"][0].tolist()
        assert goldland[:9] == [1, 0, 0, 2, 0, 0, 2, goldland[7], 0]
        assert goldland[9:14] == [0] + [int(k == ahead[2]) for k in range(4)]
        assert castleland[9:14] == [1, 0, 0, 0, 0]
        assert castleland[14:18] == [3 if k == ahead[2] else 0 for k in range(4)]
        assert seen["free"].sum() == 2 and seen["free"][knight_of("red 2")] == 2
        assert seen["seats"][ahead[1], 6:10].tolist() == [127, 0, 2, 0]
        assert seen["hand"].shape == (NUM_CARDS, 2)


# ---- the observation, written a second time ---------------------------------------------------


def force_row(state, force) -> list[int]:
    """The numbers of one force, from what the readers of ``state.py`` say."""
    values, order = [0] * 6, [0] * 6
    for place, (card, up, _) in enumerate(force.laid, start=1):
        if up:
            colour, value = divmod(card % 24, 4)
            values[colour] = value + 1 + 4 * (colour == force.target)
            order[colour] = -place if card >= 24 else place
    margin = force.strength - int(state["strength"][force.target]) if force.target >= 0 else 0
    recruited = sum(card >= 24 for card in force.down)
    return [*values, margin, len(force.down) - recruited, recruited, *order]


def own_down_row(force) -> list[int]:
    """Values and places of the face-down cards of a force."""
    row = [0] * 12
    for place, (card, up, _) in enumerate(force.laid, start=1):
        if not up:
            colour, value = divmod(card % 24, 4)
            row[colour], row[6 + colour] = value + 1, -place if card >= 24 else place
    return row


def down_rows(state, seat) -> list[int]:
    """The oldest face-down cards of a seat: their forces, backs, and what they can be."""
    rows = []
    for j in range(min(int(state["num_down"][seat]), 6)):
        card, slot = int(state["down_card"][seat, j]), int(state["down_slot"][seat, j])
        rows += [slot + 1, card >= 24, *state["can_be"][seat, j].tolist()]
    return rows + [0] * (6 * 26 - len(rows))


def promise(state, seat, knight) -> int:
    """By how much the force chosen beats its kingdom with one more knight, face up."""
    action = int(state["chosen"])
    parts = GAME.decode_action(action) if action >= 0 else {"kind": "none"}
    if state["to_play"] != seat or parts["kind"] not in ("new", "strengthen", "down"):
        return 0
    target, strength = knight % 24 // 4, knight % 4 + 1
    if parts["kind"] != "new":
        force = forces_of(state, seat)[parts["force"]]
        if any(card % 24 // 4 == target for card in (*force.cards, *force.down)):
            return 0
        target = force.target if force.target >= 0 else target
        strength += force.strength
    return strength - int(state["strength"][target])


def can_have(state, seat, other) -> set[int]:
    """The packs that another can have: its own where they have shown one, else those not seen."""
    players = int(state["num_players"])
    seen = {k for k in range(players) if int(state["shown"]) >> k & 1} | {seat}
    pack = state["pack"].tolist()
    return {pack[other]} if other in seen else set(range(5)) - {pack[k] for k in (*seen, players)}


def written(state, seat) -> list[int]:
    """The whole observation, field by field."""
    players = int(state["num_players"])
    order = [(seat + k) % players for k in range(players)]
    action = int(state["chosen"])
    chosen = GAME.decode_action(action) if action >= 0 else {"kind": "none"}
    rows = {other: forces_of(state, other) for other in order}
    out = []
    for slot in range(24):
        mine = rows[seat][slot : slot + 1]
        out += force_row(state, mine[0]) if mine else [0] * 15
    for slot in range(24):
        out += own_down_row(rows[seat][slot]) if slot < len(rows[seat]) else [0] * 12
    for k in range(1, 4):
        theirs = rows[order[k]] if k < players else []
        for slot in range(24):
            out += force_row(state, theirs[slot]) if slot < len(theirs) else [0] * 15
    for k in range(4):
        out += down_rows(state, order[k]) if k < players else [0] * 6 * 26
    for kingdom, name in enumerate(KINGDOMS):
        defence, recruited = [0] * 6, [0] * 6
        for card in defence_of(state, kingdom):
            defence[card % 24 // 4] = card % 4 + 1
            recruited[card % 24 // 4] = card >= 24
        owner = owner_of(state, kingdom)
        owners = [owner is None] + [k < players and owner == order[k] for k in range(4)]
        best = [
            max([f.strength for f in rows[order[k]] if f.target == kingdom], default=0)
            if k < players
            else 0
            for k in range(4)
        ]
        is_chosen = chosen.get("kingdom") == name
        numbers = [int(state["strength"][kingdom]), int(state["income"][kingdom]), is_chosen]
        out += [*defence, *numbers, *owners, *best, *recruited, state["side"][kingdom]]
    out += [power in powers_of(state) for power in POWERS]
    hand = Counter(hand_of(state, seat))
    for card in range(48):
        out += [hand[card], promise(state, seat, card) if hand[card] else 0]
    knows = [k < players and knows_pack(state, seat, order[k]) for k in range(4)]
    for k in range(1, 4):
        pool = Counter(everything(state, order[k])) if knows[k] else Counter()
        out += [pool[card] for card in range(48)]
    free = Counter(free_of(state))
    out += [free[knight] for knight in range(24)]
    for k in range(4):
        if k >= players:
            out += [0] * 15
            continue
        here = [state[name] == order[k] for name in ("to_play", "turn_of", "first_player")]
        fame = int(state["fame"][order[k]])
        in_full = [fame // 10_000, fame // 100 % 100, fame % 100]
        packs = can_have(state, seat, order[k])
        known = [len(packs) == 1, len(hand_of(state, order[k])), min(fame, 127)]
        out += [1, *here, *known, *in_full, *(pack in packs for pack in range(5))]
    kinds = ("new", "strengthen", "add", "down", "take", "turn up")
    out += [chosen["kind"] == kind for kind in kinds]
    out += [chosen.get("force") == slot for slot in range(24)]
    out += [state["phase"] == k for k in range(len(PHASES))]
    out += [players == count for count in (2, 3, 4)]
    out += [state[name] for name in ("played", "recruited", "took", "ending", "at_once")]
    out += [int(state["used"]) >> kingdom & 1 for kingdom in (4, 2)]
    left = 1000 - int(state["ply"])
    out += [state["fresh"], state["terminated"], left // 100, left % 100]
    return [int(number) for number in out]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_observation_is_as_written_a_second_time(num_players):
    """In random games, for the seats in turn; face-down cards as often as can be."""
    rng = np.random.default_rng(num_players)
    kinds = set()
    for seed, retake in ((1, "at_once"), (2, "with_card"), (3, "at_once")):
        known = "once_shown" if seed == 2 else "from_setup"
        options = {"sides": "reverse", "retake": retake, "packs_known": known}
        states = GAME.new_state(seed, num_players, **options)
        for ply in range(150):
            seat = ply * 3 // 2 % num_players  # also one that doesn't play
            assert GAME.observe(states, seat).tolist() == written(states[0], seat)
            if states["terminated"][0]:
                break
            legal = np.flatnonzero(GAME.legal_mask(states))
            rare = [a for a in legal if GAME.decode_action(int(a))["kind"] in ("down", "turn up")]
            action = int(rng.choice(rare or legal))
            kinds.add(GAME.decode_action(action)["kind"])
            GAME.step(states, action)
    assert {"new", "strengthen", "recruit", "card"} <= kinds


# ---- all that a seat may know is in what it sees, and nothing else ------------------------------


class Record:
    """A position on the kernels and on the oracle, made of one description.

    Attributes:
        options: of the game, and ``num_players``.
        parts: as for `set_position`, no kingdom so weak that a force takes it.
        marks: what can't be set there: fields of the record, by name.
        texts: actions played then.
    """

    # Names in the record → those of the oracle.
    MARKS = {
        "first_player": "first_player",
        "played": "card_played",
        "recruited": "recruited",
        "took": "taken_back",
        "ending": "ending",
    }

    def __init__(self, options, parts, marks=None, texts=()):
        self.options, self.parts, self.texts = options, parts, tuple(texts)
        self.marks = dict(marks or {})

    def but(self, **changes) -> Record:
        """The same in all but what is given; parts, options and marks one by one."""
        found = {"options": self.options, "parts": self.parts, "marks": self.marks}
        found = {name: {**old, **changes.get(name, {})} for name, old in found.items()}
        return Record(**found, texts=changes.get("texts", self.texts))

    def views(self) -> list[tuple[str, bytes]]:
        """For each seat what it may know, by the oracle, and what it observes."""
        kernels = OnKernels.position(**self._arguments())
        oracle = OnOracle.position(**self._arguments())
        state, game = kernels.states[0], oracle.game
        for name, value in self.marks.items():
            if name in self.MARKS:
                state[name] = value
                setattr(game, self.MARKS[name], value)
        if "pack" in self.marks:  # another one from the box
            state["pack"][[0, 4]] = state["pack"][[4, 0]]
            game.packs[0] = list(reversed(game.packs[0]))
        if "over" in self.marks:
            state["terminated"], game.phase = True, "over"
        for text in self.texts:
            kernels.play(text)
            oracle.play(text)
        state["ply"] = plies = self.marks.get("ply", 0)
        return [
            (
                repr((game.known(seat), oracle.begun, plies)),
                GAME.observe(kernels.states, seat).tobytes(),
            )
            for seat in range(game.num_players)
        ]

    def _arguments(self) -> dict:
        options = dict(self.options)
        return {"num_players": options.pop("num_players"), "options": options, **self.parts}


def random_record(rng: random.Random) -> Record:
    """Cards of all sorts everywhere, one or two face down for each seat."""

    def cards(count, seat=True):
        back = ["", "recruited "] if seat else [""]
        colours = rng.sample(COLOURS, count)
        return [f"{rng.choice(back)}{colour} {rng.randint(1, 4)}" for colour in colours]

    players = rng.randint(2, 4)
    sides = rng.choices(["crown", "reverse"], k=6)
    sides[2] = "reverse"
    seats = range(players)
    owners = [rng.choice([None, *seats]) for _ in KINGDOMS]
    strong = [f"{rng.choice(['', 'recruited '])}{colour} {rng.randint(3, 4)}" for colour in COLOURS]
    kingdoms = {
        name: (
            owner,
            [card.removeprefix("recruited ") for card in strong] if owner is None else strong,
        )
        for name, owner in zip(KINGDOMS, owners, strict=True)
    }
    forces, down = {}, {}
    for seat in seats:
        (*first, hidden), (*second, other) = cards(3), cards(3)
        # What lies face down in the first force fits the third one too.
        forces[seat] = [first, second, [other_value(card) for card in first]]
        down[seat] = [(0, hidden), (1, other)][: rng.randint(1, 2)]
    hands = {seat: [other_value(down[seat][0][1]), *cards(6), *cards(3)] for seat in seats}
    fame = [rng.randint(0, 300) for _ in seats]
    parts = {"kingdoms": kingdoms, "forces": forces, "down": down, "hands": hands, "fame": fame}
    parts |= {"free": cards(3, seat=False), "to_play": rng.choice(seats)}
    marks = {"first_player": 0, "recruited": True}
    return Record({"num_players": players, "sides": sides}, parts, marks)


def other_back(card: str) -> str:
    return card.removeprefix("recruited ") if "recruited" in card else f"recruited {card}"


def other_value(card: str) -> str:
    return f"{card[:-1]}{int(card[-1]) % 4 + 1}"


def with_force(record: Record, change) -> Record:
    """One force of seat 1 is another."""
    forces = record.parts["forces"]
    changed = [change(list(forces[1][0])), *forces[1][1:]]
    return record.but(parts={"forces": {**forces, 1: changed}})


def with_defence(record: Record, change) -> Record:
    """Castleland is another's, and so is a card of its defence."""
    (owner, cards), kingdoms = record.parts["kingdoms"]["Castleland"], record.parts["kingdoms"]
    found = change(owner, list(cards))
    return record.but(parts={"kingdoms": {**kingdoms, "Castleland": found}})


def with_down(record: Record, change) -> Record:
    """A face-down card of seat 1 is another, with the hand."""
    down, hands = record.parts["down"], record.parts["hands"]
    first, hand = change(down[1][0], list(hands[1]))
    changed = {"down": {**down, 1: [first, *down[1][1:]]}, "hands": {**hands, 1: hand}}
    return record.but(parts=changed)


def exchanged(laid: tuple[int, str], hand: list[str]):
    """The face-down card is one of the hand with the same back, and that is in the hand."""
    (slot, card), (other, *rest) = laid, hand
    return (slot, other), [card, *rest]


def in_other_order(record: Record) -> Record:
    """The last two forces of seat 1 were begun the other way round."""
    forces, down = record.parts["forces"], record.parts["down"]
    first, *rest = forces[1]
    moved = [((0, 2, 1)[slot], card) for slot, card in down[1]]
    return record.but(
        parts={"forces": {**forces, 1: [first, *rest[::-1]]}, "down": {**down, 1: moved}}
    )


def with_part(name: str, change):
    return lambda record: record.but(parts={name: change(record.parts[name])})


def with_mark(**marks):
    return lambda record: record.but(marks=marks)


def with_option(**options):
    return lambda record: record.but(options=options)


def flipped(record: Record, place: int) -> Record:
    sides = list(record.options["sides"])
    sides[place] = "crown" if sides[place] == "reverse" else "reverse"
    return record.but(options={"sides": sides})


def more(amount: int):
    return with_part("fame", lambda fame: [fame[0], min(fame[1] + amount, 19_000), *fame[2:]])


# Records that are changed.
RECORDS = 4
# A kingdom with two sides that are alike.
PLAIN = {"Fieldland": {"crown": {}, "reverse": {}}}
# What is changed in a record, one kind of fact after the other.
CHANGES = {
    "owner": lambda r: with_defence(r, lambda o, cards: (1 if o == 0 else 0, cards)),
    "card of a defence": lambda r: with_defence(r, lambda o, c: (o, [other_value(c[0]), *c[1:]])),
    "back in a defence": lambda r: with_defence(r, lambda o, c: (0, [other_back(c[0]), *c[1:]])),
    "card less in a defence": lambda r: with_defence(r, lambda o, cards: (o, cards[1:])),
    "side of a kingdom": lambda r: flipped(r, 1),
    "side that makes no difference": lambda r: flipped(r, 5),
    "income": with_option(kingdoms={**PLAIN, "Goldland": {"income": 5}}),
    "free knights": with_part("free", lambda free: [*free, "red 1"]),
    "card of a force": lambda r: with_force(r, lambda cards: [other_value(cards[0]), cards[1]]),
    "back in a force": lambda r: with_force(r, lambda cards: [cards[0], other_back(cards[1])]),
    "back of its first card": lambda r: with_force(r, lambda c: [other_back(c[0]), c[1]]),
    "order in a force": lambda r: with_force(r, lambda cards: cards[::-1]),
    "order of forces": in_other_order,
    "force less": with_part("forces", lambda forces: {**forces, 1: forces[1][:2]}),
    "which card lies face down": lambda r: with_down(r, exchanged),
    "back of a face-down card": lambda r: with_down(
        r, lambda laid, hand: ((laid[0], other_back(laid[1])), hand)
    ),
    "face-down card less": with_part("down", lambda down: {**down, 1: down[1][1:]}),
    "force of a face-down card": with_part(
        "down", lambda down: {**down, 1: [(2, down[1][0][1]), *down[1][1:]]}
    ),
    "hand": with_part(
        "hands", lambda hands: {**hands, 1: [*hands[1][1:], other_value(hands[1][0])]}
    ),
    "back in a hand": with_part(
        "hands", lambda hands: {**hands, 1: [*hands[1][1:], other_back(hands[1][0])]}
    ),
    "cards in hand": with_part("hands", lambda hands: {**hands, 1: hands[1][1:]}),
    "one fame": more(1),
    "a hundred fame": more(100),
    "ten thousand fame": more(10_000),
    "power of Sealand used": with_part("used", lambda used: ["Sealand"]),
    "whose turn": with_part("to_play", lambda seat: 1 - min(seat, 1)),
    "first player": with_mark(first_player=1),
    "card played": with_mark(played=True),
    "not recruited": with_mark(recruited=False),
    "card taken back": with_mark(took=True),
    "last card played": with_mark(ending=True),
    "game over": with_mark(over=True),
    "actions left": with_mark(ply=1),
    "many actions left": with_mark(ply=100),
    "which pack": with_mark(pack=True),
    "retake": with_option(retake="with_card"),
    "how packs are known": with_option(packs_known="once_shown"),
    "place for a card": lambda r: r.but(texts=["new"]),
    "other place for a card": lambda r: r.but(texts=["strengthen 2"]),
    "number of players": lambda r: r.but(
        options={"num_players": min(r.options["num_players"] + 1, 4)},
        parts={"fame": [*r.parts["fame"], 0][:4]},
    ),
}


def test_a_seat_sees_what_it_may_know_and_nothing_else():
    """A change of anything changes what a seat sees if, and only if, it may know of it.

    What a seat may know the oracle says, written from the rulebook. Also: no two records look the
    same to a seat that knows how they differ.
    """
    rng = random.Random(5)
    seen: dict[bytes, str] = {}
    told = Counter()
    for _ in range(RECORDS):
        base = random_record(rng).but(parts={"used": []})
        base.options["kingdoms"] = PLAIN
        before = base.views()
        for kind, change in CHANGES.items():
            for (facts, view), (old_facts, old_view) in zip(
                change(base).views(), before, strict=False
            ):
                assert (facts != old_facts) == (view != old_view), kind
                told[kind] += facts != old_facts
                assert seen.setdefault(view, facts) == facts, kind
    assert set(told) == set(CHANGES) and min(told.values()) > 0
    assert told["which card lies face down"] == RECORDS, "its owner alone knows"


def test_what_is_remembered_of_a_face_down_card_is_seen():
    """Whether it was laid this turn, and what was in the hand then: the table looks the same."""
    kingdoms = {**dict.fromkeys(KINGDOMS, STRONG), "Sealand": (0, ["blue 4"])}
    parts = {"kingdoms": kingdoms, "forces": {0: [["green 3"], ["orange 4"]]}, "fame": [9]}
    hand = ["red 1", "recruited blue 1", "violet 1"]
    options = {"num_players": 2, "sides": "reverse"}

    def record(texts, hand=hand, **more):
        hands = {0: hand, 1: ["violet 1"] * 5}
        return Record(options, {**parts, "free": ["red 2"], "hands": hands, **more}, texts=texts)

    laid = ["down 1", "hidden recruited blue 1"]
    now = record(laid)
    earlier = record(
        [], ["red 1", "violet 1"], down={0: [(0, "recruited blue 1")]}, used=["Sealand"]
    )
    earlier.marks["played"] = True
    before, after = record(["recruit red 2", *laid]), record([*laid, "recruit red 2"])
    played = record([*laid, "pass", "new", "violet 1", "new", "red 1", "pass"])
    over = record([*laid, "pass", "new", "violet 1", "strengthen 1", "red 1", "pass"])
    for one, other in ((now, earlier), (before, after), (played, over)):
        for (facts, view), (other_facts, other_view) in zip(
            one.views(), other.views(), strict=True
        ):
            assert facts != other_facts and view != other_view


# ---- what actions are about -------------------------------------------------------------------


def test_actions_are_about_forces_kingdoms_and_cards():
    about = {GAME.action_to_string(k): GAME.targets(k) for k in range(GAME.num_actions)}
    assert about["pass"] == () and about["new"] == (("choices", 0),)
    assert about["strengthen 3"] == (("choices", 1), ("own_forces", 2))
    assert about["down 3"] == (("choices", 3), ("own_forces", 2))
    assert about["take 12"] == (("choices", 4), ("own_forces", 11))
    assert about["take Sealand"] == (("choices", 4), ("kingdoms", 2))
    assert about["add Shadowland"] == (("choices", 2), ("kingdoms", 4))
    assert about["turn up 1"] == (("choices", 5), ("own_forces", 0))
    assert about["recruit green 1"] == (("free", 4),)
    assert about["green 1"] == (("hand", 4),)
    assert about["recruited green 1"] == (("hand", 28),)
    assert about["hidden green 1"] == (("hand", 4), ("choices", 3))
    assert about["hidden recruited green 1"] == (("hand", 28), ("choices", 3))
    assert len(set(about.values())) == GAME.num_actions
