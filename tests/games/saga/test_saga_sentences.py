"""The sentences of Saga's rulebook, each tried on the oracle and on the kernels."""

from __future__ import annotations

from collections import Counter

import pytest
from oracles.saga import COLOUR_OF, COLOURS, FIRST_GAME, KINGDOMS, PACKS, POWERS
from saga_adapter import both

from ludotheque.envs import IllegalActionError

# Kingdoms that nothing in a test shall conquer.
STRONG = (None, ["red 4", "green 4", "blue 4", "orange 4", "violet 4", "yellow 4"])
COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])
BOX = [sorted(f"{colour} {value}" for colour, value in pack) for pack in PACKS.values()]


def position(rules, num_players=2, sides="crown", *, options=None, **parts):
    """A game in a position: small hands but for those given, strong kingdoms but for those."""
    options = {"sides": sides, **(options or {})}
    hands = {seat: ["red 1"] for seat in range(num_players)}
    parts["hands"] = {**hands, **parts.get("hands", {})}
    parts["kingdoms"] = {**dict.fromkeys(KINGDOMS, STRONG), **parts.get("kingdoms", {})}
    return rules.position(num_players, options=options, **parts)


def one_reverse(name: str) -> list[str]:
    """All kingdoms with their crown up but one."""
    return ["reverse" if kingdom == name else "crown" for kingdom in KINGDOMS]


def one_crown(name: str) -> list[str]:
    return ["crown" if kingdom == name else "reverse" for kingdom in KINGDOMS]


# ---- setup ------------------------------------------------------------------------------------


@COUNTS
@both
def test_setup(rules, num_players):
    """A pack for each player, one for the defences, the rest in the box; no fame."""
    in_play = set()
    for seed in range(20):
        game = rules.dealt(seed, num_players)
        packs = [sorted(game.hand(seat)) for seat in range(num_players)]
        packs.append(sorted(card for name in KINGDOMS for card in game.defenders(name)))
        left = list(BOX)
        for pack in packs:
            left.remove(pack)
        assert len(left) == 4 - num_players
        in_play.add(tuple(map(tuple, packs)))
        assert all(game.fame(seat) == 0 for seat in range(num_players))
        assert all(game.forces(seat) == [] for seat in range(num_players))
        assert all(game.owner(name) is None for name in KINGDOMS)
        assert game.free == []
        assert game.legal() == {"new"}
        game.play("new")
        assert game.legal() == set(game.hand(game.to_play))
    assert len(in_play) > 15, "any pack can be anybody's"


@COUNTS
@both
def test_packs_are_known_by_their_backs(rules, num_players):
    """All see the backs of a hand; or, with the other reading, only those of cards played."""
    game = rules.dealt(7, num_players)
    seats = range(num_players)
    pairs = [(one, other) for one in seats for other in seats if one != other]
    assert all(game.known_of(one, other) == game.hand(other) for one, other in pairs)

    game = rules.dealt(7, num_players, packs_known="once_shown")
    assert all(game.known_of(one, other) is None for one, other in pairs)
    first = game.to_play
    game.play("new", game.hand(first)[0])
    others = [seat for seat in seats if seat != first]
    assert all(game.known_of(seat, first) == game.hand(first) for seat in others)
    assert all(game.known_of(first, seat) is None for seat in others)
    if num_players == 4:
        game.play("new", game.hand(game.to_play)[0])
        third, fourth = (first + 2) % 4, (first + 3) % 4
        assert game.known_of(third, fourth) == game.hand(fourth), "the only pack left"
        assert game.known_of(first, fourth) is None


@both
def test_defenders_are_dealt_by_the_rules(rules):
    """Two for each kingdom: one of its colour, the other of another; they are its strength."""
    seconds = Counter()
    for seed in range(100):
        game = rules.dealt(seed, sides="reverse")
        for kingdom, colour in COLOUR_OF.items():
            dealt = [card.split() for card in game.defenders(kingdom)]
            assert len(dealt) == 2 and [one for one, _ in dealt].count(colour) == 1
            seconds[kingdom, *(other for other, _ in dealt if other != colour)] += 1
            strength = sum(int(value) for _, value in dealt)
            assert game.strength(kingdom) == strength - (kingdom == "Goldland")
    assert len(seconds) == 30, "any other colour can be second"


@pytest.mark.parametrize("num_players", [3, 4])
@both
def test_fixed_layout_of_the_first_game(rules, num_players):
    """The castle pack lies in the centre as in the picture; the others are drawn."""
    packs = set()
    for seed in range(20):
        game = rules.dealt(seed, num_players, deal="first_game")
        for name, cards in FIRST_GAME.items():
            expected = sorted(f"{colour} {value}" for colour, value in cards)
            assert sorted(game.defenders(name)) == expected
        dealt = [sorted(game.hand(seat)) for seat in range(num_players)]
        assert all(pack in BOX[1:] for pack in dealt)
        packs |= set(map(tuple, dealt))
        assert len(set(map(tuple, dealt))) == num_players
    assert len(packs) == 4


@both
def test_first_player_is_drawn_and_turns_go_clockwise(rules):
    assert {rules.dealt(seed, 4).to_play for seed in range(40)} == {0, 1, 2, 3}
    game = rules.dealt(3, 4)
    seat = game.to_play
    for ahead in range(1, 6):
        game.play("new")
        game.play(min(game.legal()))
        assert game.to_play == game.turn_of == (seat + ahead) % 4


@pytest.mark.parametrize("side", ["crown", "reverse"])
@both
def test_all_kingdoms_on_one_side(rules, side):
    game = rules.dealt(2, sides=side)
    assert set(game.sides.values()) == {side}
    assert game.powers == set().union(*(POWERS[name, side] for name in KINGDOMS))


@both
def test_both_sides_have_all_powers(rules):
    found = [rules.dealt(0, sides=side).powers for side in ("crown", "reverse")]
    assert len(found[0] | found[1]) == len(found[0]) + len(found[1]) == 13


@both
def test_sides_mixed_at_random_or_given(rules):
    seen = {tuple(rules.dealt(seed, sides="mixed").sides.values()) for seed in range(60)}
    assert len(seen) > 30
    given = one_reverse("Goldland")
    assert list(rules.dealt(4, sides=given).sides.values()) == given
    half = ["mixed", *["crown"] * 5]
    seen = {tuple(rules.dealt(seed, sides=half).sides.values()) for seed in range(20)}
    assert seen == {("crown",) * 6, ("reverse", *["crown"] * 5)}


@both
def test_own_packs_are_dealt(rules):
    """Who has the box can say what is in it."""
    values = [(1, 4), (2, 3)]
    packs = [
        [(colour, value) for k, colour in enumerate(COLOURS) for value in values[(k + shift) % 2]]
        for shift in range(5)
    ]
    for seed in range(10):
        game = rules.dealt(seed, 4, packs=packs)
        dealt = [sorted(game.hand(seat)) for seat in range(4)]
        dealt.append(sorted(card for name in KINGDOMS for card in game.defenders(name)))
        given = [sorted(f"{colour} {value}" for colour, value in pack) for pack in packs]
        assert sorted(dealt) == sorted(given)


@both
def test_own_kingdoms_change_income_and_powers(rules):
    kingdoms = {
        "Goldland": {"income": 4, "crown": {"in_play": "defence_minus_1"}, "reverse": {}},
        "Fieldland": {"crown": {"in_play": "take_back_1_card_each_turn", "end": None}},
    }
    powers = rules.dealt(1, kingdoms=kingdoms).powers
    assert {"defence_minus_1", "take_back_1_card_each_turn"} <= powers
    assert not {"defence_scores_0", "plus_5"} & powers
    powers = rules.dealt(1, kingdoms=kingdoms, sides="reverse").powers
    assert "defence_minus_1" not in powers and "defence_scores_15" in powers
    assert rules.dealt(1, kingdoms={}).powers == rules.dealt(1).powers
    for income in (0, 4, 9):
        game = position(
            rules,
            options={"kingdoms": {"Goldland": {"income": income}}},
            kingdoms={"Goldland": (1, ["orange 4"]), "Sealand": (1, ["blue 4"])},
            hands={0: ["red 1", "red 1"]},
        )
        assert game.play("new", "red 1").fame(1) == income + 1


# ---- turns ------------------------------------------------------------------------------------


@both
def test_income_comes_first_and_only_then(rules):
    """A fame a kingdom, two from Goldland, as a turn begins; not for what is conquered in it."""
    game = position(
        rules,
        kingdoms={
            "Goldland": (1, ["orange 4"]),
            "Sealand": (1, ["blue 4"]),
            "Forestland": (None, ["green 1"]),
        },
        hands={0: ["green 2", "green 1", "blue 1"], 1: ["red 1", "green 1"]},
    )
    game.play("new", "green 2")
    assert game.owner("Forestland") == 0
    assert game.fame(0) == 0
    assert game.fame(1) == 3
    assert game.to_play == 1


@both
def test_a_card_must_be_played(rules):
    game = position(rules, hands={0: ["red 1", "blue 2"]}, kingdoms={"Castleland": STRONG})
    assert "pass" not in game.legal()
    assert game.legal() == {"new"}
    game.play("new")
    assert game.legal() == {"red 1", "blue 2"}


@both
def test_card_opens_a_force_against_the_kingdom_of_its_colour(rules):
    game = position(rules, hands={0: ["yellow 2", "blue 1"]}, kingdoms={"Fieldland": STRONG})
    game.play("new", "yellow 2")
    (force,) = game.forces(0)
    assert force.target == "Fieldland"
    assert force.cards == ["yellow 2"] and force.strength == 2


@both
def test_card_strengthens_a_force_that_keeps_its_target(rules):
    game = position(
        rules,
        hands={0: ["blue 3", "red 1"]},
        forces={0: [["yellow 2"]]},
        kingdoms={"Fieldland": STRONG, "Sealand": STRONG},
    )
    game.play("strengthen 1", "blue 3")
    (force,) = game.forces(0)
    assert force.target == "Fieldland"
    assert force.cards == ["yellow 2", "blue 3"] and force.strength == 5


@both
def test_no_colour_twice_in_a_force(rules):
    game = position(
        rules,
        hands={0: ["blue 3", "yellow 1"]},
        forces={0: [["yellow 2"], ["yellow 1", "blue 1"]]},
        kingdoms={"Fieldland": STRONG},
    )
    assert game.legal() == {"new", "strengthen 1"}
    game.play("strengthen 1")
    assert game.legal() == {"blue 3"}


@both
def test_several_forces_may_attack_one_kingdom(rules):
    game = position(
        rules,
        hands={0: ["yellow 3", "red 1"]},
        forces={0: [["yellow 2"], ["yellow 1", "blue 1"]]},
        kingdoms={"Fieldland": STRONG},
    )
    game.play("new", "yellow 3")
    assert [force.target for force in game.forces(0)] == ["Fieldland"] * 3


@both
def test_as_many_forces_as_a_seat_can_have_cards(rules):
    """Who holds its pack and all knights of the centre can begin a force with every card."""
    own = BOX[0] + BOX[1]
    game = position(rules, hands={0: own[-1:]}, forces={0: [[card] for card in own[:-1]]})
    assert "new" in game.legal()
    game.play("new", own[-1])
    assert [force.cards for force in game.forces(0)] == [[card] for card in own]
    assert game.over


@both
def test_force_at_a_kingdom_of_ones_own_waits(rules):
    """It may be built, but it conquers nothing while the kingdom is its owner's."""
    game = position(
        rules,
        kingdoms={"Forestland": (0, ["green 1"])},
        hands={0: ["green 4", "red 1", "blue 1"]},
    )
    game.play("new", "green 4")
    assert game.owner("Forestland") == 0
    assert [force.strength for force in game.forces(0)] == [4]


# ---- conquests --------------------------------------------------------------------------------


@both
def test_conquest_of_the_rulebooks_example(rules):
    """Green 4 and yellow 2 defend Forestland; green 4 is strengthened with blue 3: 7 against 6."""
    game = position(
        rules,
        kingdoms={"Forestland": (None, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 3", "red 1"]},
    )
    assert game.strength("Forestland") == 6
    game.play("strengthen 1", "blue 3")
    assert game.owner("Forestland") == 0
    assert sorted(game.defenders("Forestland")) == ["blue 3", "green 4"]
    assert game.strength("Forestland") == 7
    assert game.forces(0) == []
    assert sorted(game.free) == ["green 4", "yellow 2"]


@both
def test_conquest_of_the_example_from_a_player(rules):
    """ "Si Forestland avait appartenu à un joueur, celui-ci aurait dû reprendre en main …"."""
    game = position(
        rules,
        kingdoms={"Forestland": (1, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 3", "red 1"], 1: ["red 1"]},
    )
    game.play("strengthen 1", "blue 3")
    assert game.owner("Forestland") == 0
    assert game.hand(1) == ["red 1", "green 4", "yellow 2"]
    assert game.free == []


@both
def test_equal_strength_does_not_conquer(rules):
    game = position(
        rules,
        kingdoms={"Forestland": (None, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 2", "red 1"]},
    )
    game.play("strengthen 1", "blue 2")
    assert game.owner("Forestland") is None
    assert len(game.forces(0)) == 1


@both
def test_new_force_may_conquer_with_its_first_card(rules):
    game = position(rules, kingdoms={"Sealand": (None, ["blue 1"])}, hands={0: ["blue 2", "red 1"]})
    assert game.play("new", "blue 2").owner("Sealand") == 0


@both
def test_no_card_may_be_added_to_a_defence(rules):
    game = position(
        rules,
        kingdoms={"Forestland": (0, ["green 4"]), "Goldland": STRONG},
        hands={0: ["blue 2", "red 1"]},
    )
    assert game.legal() == {"new"}


@both
def test_several_conquests_follow_each_other(rules):
    """A seat conquers again and again, each time with the card that it plays."""
    game = position(
        rules,
        kingdoms={"Sealand": (None, ["blue 1"]), "Goldland": (None, ["orange 1"])},
        hands={0: ["blue 2", "orange 2", "red 1"], 1: ["red 1", "red 1"]},
    )
    game.play("new", "blue 2")
    game.play("new", "red 1")
    game.play("new", "orange 2")
    assert game.owned(0) == ["Sealand", "Goldland"]


@both
def test_forces_after_one_that_is_gone_move_up(rules):
    """With their cards, those face down too; each still gets no colour twice."""
    game = position(
        rules,
        forces={0: [["green 1"], ["blue 2"], ["red 3", "green 2"], ["orange 1"], ["violet 4"]]},
        down={0: [(3, "red 2"), (0, "yellow 1"), (2, "yellow 3")]},
        hands={0: ["red 1", "red 4", "red 4", "green 4", "yellow 4"], 1: ["red 1"] * 3},
        kingdoms={"Sealand": (1, ["blue 2"])},
    )
    before = game.forces(0)
    can_be = game.can_be(0)
    for cards in (can_be[0], can_be[2]):
        cards.remove("red 4")  # one of two is seen
    game.play("strengthen 2", "red 4")
    assert game.owned(0) == ["Sealand"]
    assert game.forces(0) == [before[0], *before[2:]]
    assert game.can_be(0) == can_be
    game.play("pass", "new", "red 1")
    assert game.copy().play("strengthen 1").legal() == {"red 1", "red 4"}
    assert game.copy().play("strengthen 3").legal() == {"green 4", "yellow 4"}
    assert "strengthen 2" not in game.legal(), "red, green and yellow are there"
    assert game.copy().play("turn up 2").forces(0)[1].cards == ["red 3", "green 2", "yellow 3"]
    assert game.copy().play("turn up 3").forces(0)[2].cards == ["orange 1", "red 2"]


@both
def test_castleland_is_one_stronger(rules):
    """Its crown side: at least two more than the knights' values are needed."""
    parts = {
        "kingdoms": {"Castleland": (None, ["red 3"])},
        "hands": {0: ["red 4", "blue 1", "blue 1"]},
    }
    game = position(rules, **parts)
    assert game.strength("Castleland") == 4
    assert game.play("new", "red 4").owner("Castleland") is None
    parts["forces"] = {0: [["red 4"]]}
    game = position(rules, **parts)
    assert game.play("strengthen 1", "blue 1").owner("Castleland") == 0
    game = position(rules, sides="reverse", **{**parts, "forces": {}})
    assert game.play("new", "red 4").owner("Castleland") == 0


@both
def test_goldland_is_one_weaker(rules):
    """Its reverse side: as much as the knights' values is enough."""
    parts = {
        "kingdoms": {"Goldland": (None, ["orange 3"])},
        "hands": {0: ["orange 3", "blue 1", "blue 1"]},
    }
    game = position(rules, sides=one_reverse("Goldland"), **parts)
    assert game.strength("Goldland") == 2
    assert game.play("new", "orange 3").owner("Goldland") == 0
    assert position(rules, **parts).play("new", "orange 3").owner("Goldland") is None


# ---- a waiting force at a kingdom of one's own --------------------------------------------------


def waiting(rules, retake):
    """Seat 0 holds Forestland (2) with a force of 6 before it; seat 1 conquers it with 5."""
    return position(
        rules,
        options={"retake": retake},
        to_play=1,
        kingdoms={"Forestland": (0, ["green 2"])},
        forces={0: [["green 4", "blue 2"]], 1: [["green 1"]]},
        hands={0: ["red 1", "red 1"], 1: ["blue 4", "red 1"]},
    )


@both
def test_waiting_force_retakes_with_the_next_card(rules):
    game = waiting(rules, "with_card")
    game.play("strengthen 1", "blue 4")
    assert game.owner("Forestland") == 1
    assert game.hand(0) == ["red 1", "red 1", "green 2"]
    assert game.to_play == 0
    game.play("strengthen 1", "red 1")
    assert game.owner("Forestland") == 0
    assert sorted(game.hand(1)) == ["blue 4", "green 1", "red 1"]


@both
def test_taking_a_card_back_from_a_waiting_force_is_no_attack(rules):
    """Retake with a card: a force that has lost a card, but not its lead, keeps waiting."""
    for place, card, waits in (
        ("take 1", "red 1", True),
        ("take 1", "hidden violet 1", True),
        ("take 1", "green 4", False),
    ):
        game = position(
            rules,
            sides=one_crown("Fieldland"),
            options={"retake": "with_card"},
            forces={0: [["green 4", "red 1"]]},
            down={0: [(0, "violet 1")]},
            kingdoms={
                "Fieldland": (0, ["yellow 4"]),
                "Forestland": (1, ["green 1"]),
                "Castleland": (1, []),
            },
            hands={0: ["blue 1", "blue 1"]},
        )
        assert game.forces(0)[0].strength == 5 > game.strength("Forestland")
        game.play(place, card)
        assert game.owner("Forestland") == 1
        assert len(game.forces(0)) == waits
        assert game.owner("Castleland") == (1 if waits else 0)


@both
def test_waiting_force_retakes_at_once(rules):
    game = waiting(rules, "at_once").play("strengthen 1", "blue 4")
    assert game.owner("Forestland") == 0
    assert game.strength("Forestland") == 6
    assert game.hand(0) == ["red 1", "red 1", "green 2"]
    assert sorted(game.hand(1)) == ["blue 4", "green 1", "red 1"]


def castleland_retaken(rules, retake):
    """Seat 1 takes Castleland from seat 0, which has a stronger force before it; one is free."""
    return position(
        rules,
        sides=one_reverse("Castleland"),
        options={"retake": retake},
        to_play=1,
        kingdoms={"Castleland": (0, ["red 2"])},
        forces={0: [["red 4", "blue 2"]], 1: [["red 1"]]},
        hands={0: ["red 1", "red 1"], 1: ["blue 4", "red 1"]},
        free=["green 1", "green 2"],
    )


@both
def test_free_recruit_comes_before_a_waiting_force_retakes_castleland(rules):
    game = castleland_retaken(rules, "at_once")
    game.play("strengthen 1", "blue 4")
    assert (game.owner("Castleland"), game.phase, game.to_play) == (1, "free recruit", 1)
    game.play("recruit green 2")
    assert (game.owner("Castleland"), game.phase, game.to_play) == (0, "free recruit", 0)
    game.play("recruit green 1")
    assert game.hand(0) == ["red 1", "red 1", "red 2", "green 1"]
    assert game.hand(1) == ["red 1", "red 1", "green 2", "blue 4"]
    assert game.turn_of == game.to_play == 0, "the turn of seat 1 is over"


@both
def test_free_recruit_without_a_retake(rules):
    """Retake with a card: the waiting force stays where it is."""
    game = castleland_retaken(rules, "with_card")
    game.play("strengthen 1", "blue 4", "recruit green 2")
    assert game.owner("Castleland") == 1 and game.to_play == 0


@pytest.mark.parametrize(("retake", "owner"), [("at_once", 0), ("with_card", 1)])
@both
def test_who_loses_a_kingdom_by_a_take_back_may_retake_it(rules, retake, owner):
    game = fieldland(
        rules,
        options={"retake": retake},
        forces={0: [["green 4", "red 4"]], 1: [["green 3"]]},
    )
    game.play("take Forestland", "green 4")
    assert game.owner("Forestland") == owner
    assert [len(game.forces(seat)) for seat in (0, 1)] == [int(owner == 1), 0]
    assert game.to_play == 0


@both
def test_castleland_lost_by_a_take_back_is_retaken_after_the_free_recruit(rules):
    game = fieldland(
        rules,
        sides=one_reverse("Castleland"),
        kingdoms={"Fieldland": (0, ["yellow 2"]), "Castleland": (0, ["red 4"])},
        forces={0: [["red 4"]], 1: [["red 3"]]},
        free=["blue 4"],
    )
    game.play("take Castleland", "red 4")
    assert (game.owner("Castleland"), game.to_play) == (1, 1)
    game.play("pass")
    assert (game.owner("Castleland"), game.to_play, game.phase) == (0, 0, "free recruit")


# ---- recruiting -------------------------------------------------------------------------------


def recruiting(rules, **parts):
    return position(
        rules,
        free=["blue 3", "green 1"],
        hands={0: ["red 1", "red 1"]},
        kingdoms={"Sealand": (None, ["blue 2"])},
        **parts,
    )


@both
def test_recruit_costs_the_value_in_fame(rules):
    game = recruiting(rules, fame=[5])
    assert {"recruit blue 3", "recruit green 1"} <= game.legal()
    game.play("recruit blue 3")
    assert game.fame(0) == 2
    assert game.hand(0) == ["red 1", "red 1", "blue 3"]
    assert game.free == ["green 1"]


@both
def test_no_recruit_on_credit(rules):
    assert "recruit blue 3" not in recruiting(rules, fame=[2]).legal()
    assert "recruit green 1" in recruiting(rules, fame=[2]).legal()
    assert recruiting(rules).legal() == {"new"}


@both
def test_one_recruit_a_turn_before_or_after_the_card(rules):
    game = recruiting(rules, fame=[9])
    game.play("recruit blue 3")
    assert game.legal() == {"new"}
    game.play("new", "red 1")
    assert game.to_play == 1

    game = recruiting(rules, fame=[9])
    game.play("new", "red 1")
    assert game.to_play == 0
    assert game.legal() == {"recruit blue 3", "recruit green 1", "pass"}
    game.play("recruit green 1")
    assert game.to_play == 1


@both
def test_equal_free_knights_are_recruited_one_by_one(rules):
    game = position(rules, free=["blue 3"] * 2, fame=[3, 3], hands={0: ["red 1"] * 2})
    game.play("recruit blue 3", "new", "red 1")
    assert game.free == ["blue 3"] and "recruit blue 3" in game.legal()
    game.play("recruit blue 3")
    assert game.free == [] and game.legal() == {"new"}


@both
def test_recruit_may_be_played_at_once(rules):
    game = recruiting(rules, fame=[3])
    game.play("recruit blue 3", "new", "blue 3")
    assert game.owner("Sealand") == 0


@both
def test_every_player_may_recruit_what_is_free(rules):
    game = recruiting(rules, fame=[0, 3])
    game.play("new", "red 1")
    assert game.to_play == 1
    assert "recruit blue 3" in game.legal()


@both
def test_free_recruit_on_the_conquest_of_castleland(rules):
    """Reverse side: into the hand, at that moment only, beside the recruit of the turn."""
    parts = {
        "sides": "reverse",
        "kingdoms": {"Castleland": (None, ["red 1", "blue 2"])},
        "hands": {0: ["red 4", "red 1"]},
        "fame": [4],
    }
    game = position(rules, **parts)
    game.play("new", "red 4")
    assert game.phase == "free recruit"
    assert game.legal() == {"recruit red 1", "recruit blue 2", "pass"}
    game.play("recruit blue 2")
    assert game.fame(0) == 4
    assert game.hand(0) == ["red 1", "recruited blue 2"]
    assert game.legal() == {"recruit red 1", "pass"}
    assert game.play("recruit red 1").fame(0) == 3

    game = position(rules, **parts)
    game.play("new", "red 4", "pass")
    assert game.phase == "turn" and game.to_play == 0, "declined"
    parts |= {"sides": "crown", "forces": {0: [["red 4"]]}, "hands": {0: ["green 4", "red 1"]}}
    game = position(rules, **parts)
    game.play("strengthen 1", "green 4")
    assert game.owner("Castleland") == 0
    assert game.phase == "turn", "not on the other side"


@both
def test_no_free_recruit_where_nobody_is_free(rules):
    game = position(
        rules,
        sides="reverse",
        kingdoms={"Castleland": (1, ["red 1"])},
        hands={0: ["red 4", "red 1"]},
    )
    game.play("new", "red 4")
    assert game.phase == "turn"


# ---- Shadowland: a card for its defence ---------------------------------------------------------


def shadowland(rules, **parts):
    return position(
        rules,
        **{
            "kingdoms": {"Shadowland": (0, ["violet 2"]), "Castleland": STRONG},
            "hands": {0: ["violet 1", "blue 3", "red 1"], 1: ["red 1", "red 1"]},
            **parts,
        },
    )


@both
def test_shadowland_takes_a_card_once(rules):
    game = shadowland(rules)
    assert game.legal() == {"new", "add Shadowland"}
    game.play("add Shadowland")
    assert game.legal() == {"blue 3", "red 1"}, "no colour twice"
    game.play("blue 3")
    assert sorted(game.defenders("Shadowland")) == ["blue 3", "violet 2"]
    assert game.strength("Shadowland") == 5
    assert game.to_play == 1, "it was the card of the turn"
    game.play("new", "red 1")
    assert game.to_play == 0
    assert game.legal() == {"new"}, "the power is used"


@both
def test_shadowlands_power_is_for_its_owner_and_its_crown_side(rules):
    assert shadowland(rules, sides="reverse").legal() == {"new"}
    assert shadowland(rules, kingdoms={"Shadowland": (1, ["violet 2"])}).legal() == {"new"}
    assert shadowland(rules, used=["Shadowland"]).legal() == {"new"}
    assert shadowland(rules, hands={0: ["violet 1", "violet 3"]}).legal() == {"new"}


@both
def test_shadowlands_power_comes_back_with_a_conquest(rules):
    game = shadowland(
        rules,
        used=["Shadowland"],
        kingdoms={"Shadowland": (1, ["violet 2"])},
        hands={0: ["violet 3", "red 1", "red 1"], 1: ["red 1", "red 1"]},
    )
    game.play("new", "violet 3", "new", "red 1")
    assert game.legal() == {"new", "add Shadowland"}


# ---- Fieldland: a card back ---------------------------------------------------------------------


def fieldland(rules, **parts):
    return position(
        rules,
        **{
            "kingdoms": {
                "Fieldland": (0, ["yellow 2", "red 1"]),
                "Forestland": (0, ["green 4", "blue 1"]),
                "Sealand": STRONG,
            },
            "forces": {0: [["blue 3", "red 2"]]},
            "hands": {0: ["orange 1", "orange 1"]},
            **parts,
        },
    )


@both
def test_fieldland_takes_one_card_a_turn_back(rules):
    """Of any own attack or defence force, beside the card of the turn, before it or after."""
    game = fieldland(rules)
    assert game.legal() == {"new", "strengthen 1", "take 1", "take Fieldland", "take Forestland"}
    game.play("take 1")
    assert game.legal() == {"blue 3", "red 2"}
    game.play("red 2")
    assert game.hand(0) == ["red 2", "orange 1", "orange 1"]
    assert game.forces(0)[0].strength == 3
    assert game.legal() == {"new", "strengthen 1"}, "once a turn"

    game = fieldland(rules)
    game.play("new", "orange 1")
    assert "take 2" in game.legal(), "the card just played, too"
    game.play("take Forestland", "blue 1")
    assert game.defenders("Forestland") == ["green 4"]
    assert game.strength("Forestland") == 4
    assert game.to_play == 1


@both
def test_fieldlands_power_is_for_its_owner_and_its_crown_side(rules):
    assert fieldland(rules, sides="reverse").legal() == {"new", "strengthen 1"}
    game = fieldland(rules, kingdoms={"Fieldland": (1, ["yellow 2"]), "Sealand": STRONG})
    assert game.legal() == {"new", "strengthen 1"}
    game.play("new", "orange 1")
    assert game.to_play == 1 and "take Fieldland" in game.legal()


@both
def test_no_card_is_taken_back_from_a_kingdom_without_defenders(rules):
    kingdoms = {"Fieldland": (0, []), "Forestland": (0, ["green 4"])}
    game = fieldland(rules, kingdoms=kingdoms, forces={})
    assert game.legal() == {"new", "take Forestland"}


@both
def test_only_cards_of_the_place_chosen_are_taken_back(rules):
    game = fieldland(
        rules,
        forces={0: [["blue 3"], ["green 3"]]},
        down={0: [(0, "orange 2"), (0, "red 1"), (1, "violet 1"), (1, "red 1")]},
    )
    game.play("take 2")
    assert game.legal() == {"green 3", "hidden red 1", "hidden violet 1"}
    game.play("hidden red 1")
    assert game.hand(0) == ["red 1", "orange 1", "orange 1"]
    assert [force.down for force in game.forces(0)] == [["orange 2", "red 1"], ["violet 1"]]


@both
def test_a_force_with_no_card_is_gone(rules):
    game = fieldland(rules, forces={0: [["blue 3"]]})
    game.play("take 1", "blue 3")
    assert game.forces(0) == []
    assert game.legal() == {"new"}


@both
def test_next_card_leads_when_the_first_is_taken_back(rules):
    """It names the target; and the force conquers at once if it is stronger than that kingdom."""
    game = fieldland(
        rules,
        forces={0: [["blue 3", "violet 2"]]},
        kingdoms={
            "Fieldland": (0, ["yellow 2"]),
            "Sealand": STRONG,
            "Shadowland": STRONG,
        },
    )
    game.play("take 1", "blue 3")
    (force,) = game.forces(0)
    assert force.target == "Shadowland" and force.cards == ["violet 2"]

    game = fieldland(
        rules,
        forces={0: [["blue 3", "violet 2"]]},
        kingdoms={
            "Fieldland": (0, ["yellow 2"]),
            "Sealand": STRONG,
            "Shadowland": (1, ["violet 1"]),
        },
    )
    game.play("take 1", "blue 3")
    assert game.owner("Shadowland") == 0 and game.forces(0) == []


@both
def test_taking_a_defender_back_may_lose_the_kingdom_to_a_waiting_force(rules):
    game = fieldland(rules, forces={1: [["green 4"]]})
    game.play("take Forestland", "blue 1")
    assert game.owner("Forestland") == 0, "4 against 4: no change"
    game = fieldland(rules, forces={1: [["green 4"]]})
    game.play("take Forestland", "green 4")
    assert game.owner("Forestland") == 1
    assert game.hand(0) == ["green 4", "blue 1", "orange 1", "orange 1"]
    assert game.forces(1) == []
    assert game.to_play == 0 and game.phase == "turn", "the turn goes on"


@both
def test_a_force_at_another_kingdom_takes_nothing(rules):
    game = fieldland(rules, forces={1: [["orange 4", "red 4"]]})
    game.play("take Forestland", "green 4")
    assert game.owner("Forestland") == 0 and len(game.forces(1)) == 1


@both
def test_the_strongest_waiting_force_conquers_then_the_next_clockwise(rules):
    def owner_after(forces, taker):
        game = position(
            rules,
            4,
            to_play=taker,
            kingdoms={
                "Fieldland": (taker, ["yellow 2"]),
                "Forestland": (taker, ["green 1", "red 4"]),
            },
            forces=forces,
            hands={seat: ["red 1", "red 1"] for seat in range(4)},
        )
        return game.play("take Forestland", "red 4").owner("Forestland")

    assert owner_after({1: [["green 2"]], 3: [["green 3"]]}, 0) == 3
    assert owner_after({1: [["green 2"], ["green 3"]], 3: [["green 2", "blue 1"]]}, 0) == 1
    assert owner_after({1: [["green 2", "blue 1"]], 3: [["green 3"]]}, 2) == 3
    assert owner_after({0: [["green 3"]], 1: [["green 2", "blue 1"]]}, 2) == 0
    assert owner_after({1: [["green 1"]]}, 0) == 0


@both
def test_kingdom_without_defenders_has_strength_0(rules):
    game = fieldland(rules, kingdoms={"Fieldland": (0, ["yellow 2"]), "Sealand": STRONG})
    game.play("take Fieldland", "yellow 2")
    assert game.owner("Fieldland") == 0 and game.strength("Fieldland") == 0
    game = fieldland(
        rules,
        kingdoms={"Fieldland": (0, ["yellow 2"]), "Sealand": STRONG},
        forces={1: [["yellow 1"]]},
    )
    game.play("take Fieldland", "yellow 2")
    assert game.owner("Fieldland") == 1


@both
def test_castleland_lost_by_a_take_back_recruits_out_of_turn(rules):
    sides = one_reverse("Castleland")
    game = fieldland(
        rules,
        sides=sides,
        kingdoms={"Fieldland": (0, ["yellow 2"]), "Castleland": (0, ["red 4"])},
        forces={1: [["red 3"]]},
        free=["blue 4"],
    )
    game.play("take Castleland", "red 4")
    assert game.to_play == 1 and game.phase == "free recruit"
    game.play("recruit blue 4")
    assert game.hand(1) == ["red 1", "blue 4"]
    assert game.to_play == 0 and "new" in game.legal()


# ---- Sealand: a card face down ------------------------------------------------------------------


def sealand(rules, **parts):
    return position(
        rules,
        **{
            "sides": "reverse",
            "kingdoms": {"Sealand": (0, ["blue 4"]), "Forestland": (None, ["green 4", "red 2"])},
            "forces": {0: [["green 3"]]},
            "hands": {0: ["green 1", "blue 4", "red 1", "red 1"], 1: ["violet 1"] * 3},
            **parts,
        },
    )


@both
def test_sealand_lays_one_card_face_down(rules):
    """Worth nothing while it lies so; its colour must be new; it was the card of the turn."""
    game = sealand(rules)
    assert game.legal() == {"new", "strengthen 1", "down 1"}
    game.play("down 1")
    assert game.legal() == {"hidden blue 4", "hidden red 1"}
    game.play("hidden blue 4")
    (force,) = game.forces(0)
    assert force.strength == 3 and force.down == ["blue 4"]
    assert game.owner("Forestland") is None
    assert game.to_play == 1
    game.play("new", "violet 1")
    assert "down 1" not in game.legal(), "once"
    game.play("strengthen 1")
    assert game.legal() == {"red 1"}, "no colour twice, the face-down one counts"


@both
def test_face_down_card_is_turned_up_on_a_later_turn(rules):
    game = sealand(rules, fame=[9], free=["violet 1"])
    game.play("down 1", "hidden blue 4")
    assert game.legal() == {"recruit violet 1", "pass"}, "not on the same turn"
    game.play("pass", "new", "violet 1")
    assert "turn up 1" in game.legal()
    game.play("turn up 1")
    assert game.owner("Forestland") == 0, "7 against 6"
    assert sorted(game.defenders("Forestland")) == ["blue 4", "green 3"]
    assert "new" in game.legal(), "the card of the turn is still to be played"


@both
def test_face_down_card_may_be_turned_up_without_a_conquest(rules):
    game = sealand(rules, kingdoms={"Forestland": STRONG}, down={0: [(0, "blue 4")]})
    game.play("turn up 1")
    (force,) = game.forces(0)
    assert force.strength == 7 and force.down == [] and force.cards == ["green 3", "blue 4"]
    assert force.target == "Forestland"


@both
def test_owner_may_turn_up_after_losing_sealand(rules):
    game = sealand(
        rules,
        kingdoms={"Sealand": (1, ["blue 4"]), "Forestland": STRONG},
        down={0: [(0, "blue 3")]},
    )
    assert game.legal() == {"new", "strengthen 1", "turn up 1"}


@both
def test_face_down_card_is_turned_up_when_its_force_conquers(rules):
    game = sealand(rules, down={0: [(0, "blue 4")]}, hands={0: ["red 4", "green 1"]})
    game.play("strengthen 1", "red 4")
    assert game.owner("Forestland") == 0
    assert game.strength("Forestland") == 11
    assert game.can_be(0) == []


@both
def test_several_face_down_cards_are_turned_up_one_by_one(rules):
    game = sealand(rules, kingdoms={"Forestland": STRONG}, down={0: [(0, "blue 4"), (0, "red 2")]})
    game.play("turn up 1")
    assert game.legal() == {"blue 4", "red 2"}
    game.play("red 2")
    (force,) = game.forces(0)
    assert force.strength == 5 and force.down == ["blue 4"]
    assert "turn up 1" in game.legal()


@both
def test_face_down_cards_of_several_forces(rules):
    """Each is turned up in its own force, whatever lies face down elsewhere."""
    game = sealand(
        rules,
        kingdoms={"Goldland": STRONG},
        forces={0: [["green 3"], ["orange 1"]]},
        down={0: [(1, "blue 4"), (0, "violet 2"), (1, "red 1"), (0, "yellow 2")]},
    )
    can_be = game.can_be(0)
    first = game.copy().play("turn up 1")
    assert first.legal() == {"violet 2", "yellow 2"}
    first.play("violet 2")
    assert [force.down for force in first.forces(0)] == [["yellow 2"], ["blue 4", "red 1"]]
    assert first.forces(0)[0].cards == ["green 3", "violet 2"]
    no_violet = [[card for card in cards if card != "violet 2"] for cards in can_be[1:]]
    assert first.can_be(0) == no_violet, "the others stay what they can be"
    game.play("turn up 2", "red 1")
    assert [force.down for force in game.forces(0)] == [["violet 2", "yellow 2"], ["blue 4"]]
    game.play("turn up 2", "turn up 1", "yellow 2", "turn up 1")
    assert [force.cards for force in game.forces(0)] == [
        ["green 3", "violet 2", "yellow 2"],
        ["orange 1", "blue 4", "red 1"],
    ]


# Fieldland's power and Sealand's in one game.
MEETING = ["crown", "crown", "reverse", "crown", "crown", "crown"]


def meeting(rules, **parts):
    return sealand(
        rules,
        **{
            "sides": MEETING,
            "kingdoms": {
                "Sealand": (0, ["blue 4"]),
                "Fieldland": (0, ["yellow 3"]),
                "Shadowland": (0, ["violet 4", "red 1"]),
            },
            "down": {0: [(0, "red 2")]},
            "fame": [9, 9],
            "free": ["orange 1"],
            **parts,
        },
    )


@both
def test_card_of_this_turn_stays_down_when_another_is_turned_up(rules):
    game = meeting(rules)
    game.play("down 1", "hidden blue 4", "turn up 1")
    assert "turn up 1" not in game.legal()
    assert game.forces(0)[0].down == ["blue 4"]
    game.play("pass", "new", "violet 1", "pass")
    assert "turn up 1" in game.legal()


@both
def test_card_of_this_turn_may_be_taken_back(rules):
    """The one of an earlier turn may still be turned up."""
    game = meeting(rules)
    game.play("down 1", "hidden blue 4", "take 1", "hidden blue 4")
    assert "turn up 1" in game.legal()
    game.play("turn up 1")
    assert game.forces(0)[0].cards == ["green 3", "red 2"]


@both
def test_card_of_this_turn_stays_down_when_another_seats_is_turned_up(rules):
    """Seat 1's force takes Shadowland, with a card turned up for it."""
    game = meeting(
        rules,
        forces={0: [["green 3"]], 1: [["violet 3"]]},
        down={1: [(0, "blue 1")]},
    )
    game.play("down 1", "hidden blue 4", "take Shadowland", "violet 4")
    assert game.owner("Shadowland") == 1
    assert game.defenders("Shadowland") == ["blue 1", "violet 3"]
    assert game.legal() == {"recruit orange 1", "pass"}


@both
def test_sealands_power_comes_back_with_a_conquest(rules):
    game = sealand(
        rules,
        used=["Sealand"],
        kingdoms={"Sealand": (1, ["blue 2"])},
        hands={0: ["blue 3", "red 1", "red 1"], 1: ["violet 1"] * 3},
        forces={0: [["green 3"]]},
    )
    game.play("new", "blue 3", "new", "violet 1")
    assert "down 1" in game.legal()


@both
def test_sealands_power_is_for_its_owner_and_its_reverse_side(rules):
    assert "down 1" not in sealand(rules, sides="crown").legal()
    assert "down 1" not in sealand(rules, used=["Sealand"]).legal()
    assert "down 1" not in sealand(rules, kingdoms={"Sealand": (1, ["blue 4"])}).legal()
    assert "down 1" not in sealand(rules, forces={}).legal()


@both
def test_others_see_that_a_card_lies_face_down_but_not_which(rules):
    game = sealand(rules)
    game.play("down 1", "hidden blue 4")
    assert game.seen_by(0, 0) == [(["green 3", "blue 4"], 0)]
    assert game.seen_by(1, 0) == [(["green 3"], 1)]


@both
def test_face_down_card_can_be_any_that_its_seat_had_of_a_new_colour(rules):
    """Whatever the hand has, and a card that lies face down elsewhere; not what comes later."""
    game = sealand(
        rules,
        forces={0: [["green 3"], ["orange 1", "red 2"]]},
        down={0: [(1, "violet 2")]},
        hands={0: ["green 1", "blue 4", "red 1", "red 1"], 1: ["violet 1"] * 3},
        fame=[9],
        free=["yellow 3"],
    )
    assert game.can_be(0) == [["green 1", "blue 4", "violet 2"]]
    game.play("down 1", "hidden blue 4", "recruit yellow 3", "pass")
    both = ["blue 4", "violet 2"]
    assert game.can_be(0) == [["red 1", "red 1", *both], ["green 1", *both]]


@both
def test_cards_that_a_seat_shows_are_not_the_one_that_lies_face_down(rules):
    """A colour that joins its force, and a knight of which the seat has shown all copies."""
    game = sealand(
        rules,
        kingdoms={"Sealand": (0, ["blue 4"]), "Shadowland": (1, ["violet 2"])},
        down={0: [(0, "blue 4")]},
        hands={0: ["red 1", "red 2", "orange 2", "orange 2", "yellow 1"], 1: ["violet 1"] * 5},
    )
    either = ["red 1", "red 2", "blue 4", "orange 2"]
    assert game.can_be(0) == [[*either, "orange 2", "yellow 1"]]
    game.play("new", "orange 2", "pass", "new", "violet 1")
    assert game.can_be(0) == [[*either, "yellow 1"]], "one is left"
    game.play("new", "yellow 1", "pass", "new", "violet 1")
    assert game.can_be(0) == [either]
    game.play("strengthen 1", "red 1", "pass", "new", "violet 1")
    assert game.can_be(0) == [["blue 4", "orange 2"]]
    game.play("strengthen 2", "red 2", "pass", "new", "violet 1", "turn up 1")
    assert game.can_be(0) == []


@both
def test_the_back_of_a_face_down_card_is_seen(rules):
    """It is that of its seat's pack, or the centre's, of a knight recruited before."""
    hand = ["green 1", "blue 4", "red 1", "recruited red 1", "recruited yellow 2"]
    game = sealand(rules, hands={0: hand, 1: ["violet 1"] * 3})
    own, recruited = ["red 1", "blue 4"], ["recruited red 1", "recruited yellow 2"]
    game.play("down 1")
    assert game.legal() == {f"hidden {card}" for card in own + recruited}
    assert game.copy().play("hidden red 1").can_be(0) == [own]
    assert game.copy().play("hidden recruited red 1").can_be(0) == [recruited]


@both
@pytest.mark.parametrize(("known", "back"), [("from_setup", "recruited "), ("once_shown", "")])
def test_knights_keep_their_backs(rules, known, back):
    """From the free knights to the hand, a force, a defence and the hand again."""
    game = sealand(
        rules,
        options={"packs_known": known},
        free=["red 3"],
        fame=[9],
        kingdoms={"Castleland": (1, ["red 1"]), "Sealand": (0, ["blue 4"])},
        forces={1: [["red 3"]]},
        hands={0: ["red 1", "red 3", "green 1"], 1: ["violet 1"] * 3},
    )
    game.play("recruit red 3", "new")
    assert game.legal() == {"green 1", "red 1", "red 3", f"{back}red 3"}
    game.play(f"{back}red 3")
    assert game.owner("Castleland") == 0
    assert game.defenders("Castleland") == [f"{back}red 3"]
    game.play("strengthen 1", "violet 1")
    assert game.owner("Castleland") == 1
    assert sorted(game.hand(0)) == sorted(["red 1", "red 3", "green 1", f"{back}red 3"])


@both
def test_of_equal_cards_a_seat_chooses_the_back(rules):
    """A face-down card of the one back is none of the other, whatever lies open."""
    game = sealand(rules, hands={0: ["red 1", "recruited red 1", "blue 4"], 1: ["violet 1"] * 3})
    down = game.copy().play("down 1", "hidden recruited red 1", "new", "violet 1")
    assert down.can_be(0) == [["recruited red 1"]]
    assert down.known_of(1, 0) == ["red 1", "blue 4", "recruited red 1"]
    game.play("down 1", "hidden blue 4", "new", "violet 1", "new", "recruited red 1")
    assert game.can_be(0) == [["red 1", "blue 4"]]


@both
def test_recruited_cards_of_a_defence_keep_their_backs(rules):
    """Added to it, and taken back from there or from a force."""
    game = sealand(
        rules,
        sides=["reverse", "reverse", "reverse", "reverse", "crown", "crown"],
        kingdoms={name: (0, [f"{COLOUR_OF[name]} 4"]) for name in KINGDOMS},
        forces={0: [["green 3", "recruited red 1"]]},
        hands={0: ["red 1", "recruited red 1", "recruited red 2"], 1: ["violet 1"] * 3},
    )
    assert game.copy().play("take 1").legal() == {"green 3", "recruited red 1"}
    game.play("add Shadowland", "recruited red 1")
    assert game.defenders("Shadowland") == ["violet 4", "recruited red 1"]
    game.play("take Shadowland")
    assert game.legal() == {"violet 4", "recruited red 1"}
    game.play("recruited red 1")
    assert game.defenders("Shadowland") == ["violet 4"]
    assert game.hand(0) == ["red 1", "recruited red 1", "recruited red 2"]


@both
def test_cards_that_came_back_to_the_hand_are_not_the_one_that_lies_face_down(rules):
    """Nor do they make it likelier that it is one that equals them."""
    game = sealand(
        rules,
        sides=["crown", "crown", "reverse", "crown", "crown", "crown"],
        kingdoms={"Sealand": (0, ["blue 4"]), "Fieldland": (0, ["yellow 4"])},
        forces={0: [["green 3"], ["red 1"]]},
        hands={0: ["red 1", "blue 4", "orange 1"], 1: ["violet 1"] * 4},
    )
    game.play("down 1", "hidden blue 4", "take 2", "red 1")
    assert game.hand(0) == ["red 1", "red 1", "orange 1"]
    assert game.can_be(0) == [["red 1", "blue 4", "orange 1"]]
    game.play("new", "violet 1", "new", "red 1", "pass", "new", "violet 1")
    assert game.can_be(0) == [["red 1", "blue 4", "orange 1"]], "it may have been the other one"


@both
def test_face_down_card_can_be_taken_back(rules):
    """Mixed sides. A force of face-down cards alone names no kingdom; a card face up then leads."""
    game = position(
        rules,
        sides=one_crown("Fieldland"),
        kingdoms={"Fieldland": (0, ["yellow 1"]), "Forestland": STRONG, "Castleland": STRONG},
        forces={0: [["green 3"]]},
        down={0: [(0, "blue 4")]},
        hands={0: ["red 1", "red 1", "red 1"], 1: ["violet 1"] * 3},
    )
    game.play("take 1")
    assert game.legal() == {"green 3", "hidden blue 4"}
    taken = game.copy()
    taken.play("hidden blue 4")
    assert taken.forces(0)[0].down == [] and "blue 4" in taken.hand(0)
    game.play("green 3")
    (force,) = game.forces(0)
    assert force.target == "" and force.strength == 0 and force.down == ["blue 4"]
    game.play("strengthen 1", "red 1")
    assert game.forces(0)[0].target == "Castleland"


# ---- end and score ------------------------------------------------------------------------------


@both
def test_game_ends_at_once_with_the_last_card(rules):
    game = position(
        rules, hands={0: ["blue 1"]}, kingdoms={"Sealand": STRONG}, fame=[9], free=["red 1"]
    )
    game.play("new", "blue 1")
    assert game.over and not game.cut_off


@both
def test_last_card_conquers_first(rules):
    game = position(
        rules, hands={0: ["blue 3"], 1: ["red 2"]}, kingdoms={"Sealand": (1, ["blue 2"])}
    )
    game.play("new", "blue 3")
    assert game.over and game.owner("Sealand") == 0
    assert game.scores() == [3, -4], "the loser's knights are in hand again"


@both
def test_free_recruit_of_the_last_conquest_counts_against(rules):
    game = position(
        rules,
        sides="reverse",
        hands={0: ["red 4"]},
        kingdoms={"Castleland": (None, ["red 1", "blue 2"])},
    )
    game.play("new", "red 4")
    assert not game.over and game.phase == "free recruit"
    assert game.copy().play("pass").over
    game.play("recruit blue 2")
    assert game.over and game.scores()[0] == 4 - 2


@pytest.mark.parametrize(
    ("sides", "kingdom", "cards_of_kingdom", "texts"),
    [
        ("crown", "Shadowland", ["violet 1"], ["add Shadowland", "red 1"]),
        ("reverse", "Sealand", ["blue 4"], ["down 1", "hidden red 1"]),
    ],
)
@both
def test_last_card_played_by_a_power_ends_the_game(rules, sides, kingdom, cards_of_kingdom, texts):
    game = position(
        rules,
        sides=sides,
        kingdoms={kingdom: (0, cards_of_kingdom), "Forestland": STRONG},
        forces={0: [["green 1"]]},
        hands={0: ["red 1"]},
    )
    assert game.play(*texts).over


@both
def test_score_of_the_rulebooks_example(rules):
    """20 tokens, defences of 10 and 13, a force of 7, three cards of 4 in hand: 39."""
    game = position(
        rules,
        sides="reverse",
        kingdoms={
            "Shadowland": (0, ["violet 4", "red 3", "blue 3"]),
            "Sealand": (0, ["blue 4", "red 4", "violet 3", "yellow 2"]),
            "Forestland": STRONG,
        },
        forces={0: [["green 4", "blue 3"]]},
        hands={0: ["red 1", "green 1", "blue 2"]},
        fame=[20],
    )
    assert game.scores()[0] == 39


@both
def test_cards_in_hand_cost_their_value_and_forces_bring_nothing(rules):
    game = position(
        rules,
        hands={0: ["red 4", "red 3"], 1: ["red 1"]},
        forces={1: [["green 4", "red 4"]]},
        fame=[2, 2],
    )
    assert game.scores() == [-5, 1]


@both
def test_castleland_and_goldland_count_with_their_modifiers(rules):
    kingdoms = {"Castleland": (0, ["red 4"]), "Goldland": (0, ["orange 4"])}
    hands = {0: [], 1: []}
    game = position(rules, sides=one_reverse("Goldland"), kingdoms=kingdoms, hands=hands)
    assert game.scores() == [5 + 3, 0]


@both
def test_goldlands_defence_scores_nothing(rules):
    kingdoms = {"Goldland": (0, ["orange 4", "red 4"])}
    hands = {0: [], 1: []}
    assert position(rules, kingdoms=kingdoms, hands=hands).scores() == [0, 0]
    assert position(rules, sides="reverse", kingdoms=kingdoms, hands=hands).scores() == [7, 0]


@both
def test_fieldland_brings_five_or_counts_fifteen(rules):
    kingdoms = {"Fieldland": (0, ["yellow 4", "red 4"])}
    hands = {0: [], 1: []}
    assert position(rules, kingdoms=kingdoms, hands=hands).scores() == [13, 0]
    assert position(rules, sides="reverse", kingdoms=kingdoms, hands=hands).scores() == [15, 0]
    kingdoms = {"Fieldland": (0, ["yellow 4", "red 4", "green 4", "blue 4"])}
    assert position(rules, sides="reverse", kingdoms=kingdoms, hands=hands).scores() == [15, 0]


@both
def test_forestland_pardons_the_hand(rules):
    kingdoms = {"Forestland": (0, ["green 4"])}
    hands = {0: ["red 4"], 1: ["red 4"]}
    assert position(rules, kingdoms=kingdoms, hands=hands).scores() == [4, -4]
    assert position(rules, sides="reverse", kingdoms=kingdoms, hands=hands).scores() == [0, -4]


@both
def test_forestland_takes_two_fame_from_each_opponent(rules):
    """Of each what it has: who has one gives one, who has none gives nothing."""
    game = position(
        rules,
        4,
        sides="reverse",
        kingdoms={"Forestland": (1, ["green 4"])},
        hands={seat: [] for seat in range(4)},
        fame=[5, 1, 1, 0],
    )
    assert game.scores() == [3, 4 + 1 + 2 + 1, 0, 0]


@both
def test_forestlands_fame_goes_to_any_owner_on_its_reverse_side(rules):
    parts = {"hands": {0: [], 1: []}, "fame": [5, 5]}
    mine = {"Forestland": (0, ["green 4"])}
    assert position(rules, sides="reverse", kingdoms=mine, **parts).scores() == [11, 3]
    assert position(rules, sides="crown", kingdoms=mine, **parts).scores() == [9, 5]
    assert position(rules, sides="reverse", **parts).scores() == [5, 5], "nobody has it"


@both
def test_sealand_counts_the_best_attack_force(rules):
    kingdoms = {"Sealand": (0, ["blue 4"])}
    forces = {0: [["green 4"], ["red 3", "blue 3"]], 1: [["red 4"]]}
    hands = {0: [], 1: []}
    game = position(rules, kingdoms=kingdoms, forces=forces, hands=hands)
    assert game.scores() == [4 + 6, 0]


@both
def test_face_down_cards_are_worth_nothing_at_the_end(rules):
    game = position(
        rules,
        sides="reverse",
        kingdoms={"Sealand": (0, ["blue 4"])},
        forces={0: [["green 4"]]},
        down={0: [(0, "red 4")]},
        hands={0: [], 1: []},
    )
    assert game.scores() == [4, 0]


def last_card(rules, **parts):
    return position(
        rules,
        **{
            "sides": "reverse",
            "kingdoms": {
                "Shadowland": (1, ["violet 3"]),
                "Fieldland": STRONG,
                "Forestland": (None, ["green 4", "red 4"]),
            },
            "forces": {1: [["green 4"]]},
            "hands": {0: ["yellow 1"], 1: ["red 4", "violet 4", "blue 3"]},
            **parts,
        },
    )


@both
def test_shadowland_adds_a_last_card_to_a_defence(rules):
    game = last_card(rules)
    game.play("new", "yellow 1")
    assert not game.over
    assert game.to_play == 1 and game.phase == "end card"
    assert game.legal() == {"strengthen 1", "add Shadowland", "pass"}
    game.play("add Shadowland")
    assert game.legal() == {"red 4", "blue 3"}, "no colour twice"
    game.play("red 4")
    assert game.over
    assert game.scores()[1] == 7 - 7


@both
def test_shadowlands_last_card_may_go_to_any_defence_of_its_owner(rules):
    kingdoms = {"Shadowland": (1, ["violet 3"]), "Castleland": (1, ["red 1", "green 1"])}
    game = last_card(rules, kingdoms=kingdoms, forces={})
    game.play("new", "yellow 1")
    assert game.legal() == {"add Castleland", "add Shadowland", "pass"}
    game.play("add Castleland")
    assert game.legal() == {"blue 3", "violet 4"}
    game.play("blue 3")
    assert game.defenders("Castleland") == ["red 1", "green 1", "blue 3"]
    assert game.over and game.scores()[1] == 3 + 5 - 8


@both
def test_nobody_adds_a_last_card_while_shadowland_lies_in_the_centre(rules):
    game = position(rules, 4, sides="reverse", hands={3: ["red 4"]}, forces={3: [["green 4"]]})
    assert game.play("new", "red 1").over


@both
def test_shadowlands_last_card_conquers_nothing(rules):
    game = last_card(rules)
    game.play("new", "yellow 1", "strengthen 1", "blue 3")
    assert game.over and game.owner("Forestland") is None
    assert game.scores()[1] == 3 - 8


@both
def test_shadowlands_last_card_is_a_choice(rules):
    game = last_card(rules)
    game.play("new", "yellow 1", "pass")
    assert game.over and game.scores()[1] == 3 - 11


@both
def test_shadowlands_last_card_needs_a_card_and_a_place(rules):
    assert last_card(rules, sides="crown").play("new", "yellow 1").over
    none = last_card(rules, kingdoms={"Fieldland": STRONG}, forces={})
    assert none.play("new", "yellow 1").over
    same = last_card(rules, forces={}, hands={0: ["yellow 1"], 1: ["violet 4", "violet 4"]})
    assert same.play("new", "yellow 1").over
    own = last_card(
        rules,
        kingdoms={"Shadowland": (0, ["violet 3"]), "Fieldland": STRONG},
        hands={0: ["yellow 1"]},
    )
    assert own.play("new", "yellow 1").over, "the hand that ended the game is empty"


@both
def test_shadowlands_last_card_adds_to_sealands_force(rules):
    """With these sides both can meet: the card comes first, then the sums."""
    sides = one_reverse("Shadowland")
    game = last_card(
        rules,
        sides=sides,
        kingdoms={
            "Shadowland": (1, ["violet 3"]),
            "Sealand": (1, ["blue 1"]),
            "Fieldland": STRONG,
            "Forestland": STRONG,
        },
    )
    game.play("new", "yellow 1", "strengthen 1", "red 4")
    assert game.scores()[1] == 3 + 1 + 8 - 7


@both
def test_highest_score_wins_and_ties_are_shared(rules):
    game = position(rules, 4, hands={seat: [] for seat in range(4)}, fame=[3, 7, 7, 1])
    assert game.scores() == [3, 7, 7, 1]
    assert game.ranks() == [3, 1, 1, 4]


@both
def test_game_is_cut_off(rules):
    """Taking a card back every turn can go on forever; the score is that of the end."""
    game = position(
        rules,
        kingdoms={"Fieldland": (0, ["yellow 4"])},
        hands={0: ["red 1", "red 1"], 1: ["red 2", "red 1"]},
    )
    game.cut_off_after_a_card()
    game.play("new")
    assert not game.cut_off
    game.play("red 1")
    assert game.cut_off and not game.over
    assert game.legal() == set()
    assert game.scores() == [4 + 5 - 1, -3], "as at the end"


@both
def test_game_that_ends_with_its_last_action_is_not_cut_off(rules):
    game = position(rules)
    game.cut_off_after_a_card()
    game.play("new", "red 1")
    assert game.over and not game.cut_off


@both
def test_only_what_is_legal_can_be_played(rules):
    game = position(rules, hands={0: ["red 1", "blue 2"]})
    before = game.view()
    for text in ("strengthen 1", "pass", "blue 2", "recruit red 1"):
        with pytest.raises(IllegalActionError, match=text):
            game.play(text)
        assert game.view() == before
