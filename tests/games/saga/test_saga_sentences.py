"""The rules of Saga, sentence by sentence, on positions set up for them."""

from __future__ import annotations

import json
import pickle
from collections import Counter

import numpy as np
import pytest

from ludotheque.envs import IllegalActionError, get_game, make_batch
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.saga.components import (
    COLOURS,
    INCOME,
    KINGDOMS,
    PACK_VALUES,
    POWERS,
    RECONSTRUCTED,
    knight_name,
)
from ludotheque.envs.saga.position import knight_of, set_position
from ludotheque.envs.saga.state import (
    MAX_PLIES,
    PHASES,
    defence_of,
    fame_of,
    forces_of,
    free_of,
    hand_of,
    kingdoms_of,
    owner_of,
    powers_of,
    sides_of,
    target_name,
)
from ludotheque.envs.saga.table.text import remarks

GAME = get_game("saga")
CASTLELAND, FORESTLAND, SEALAND, GOLDLAND, SHADOWLAND, FIELDLAND = range(6)
# Kingdoms that nothing in a test shall conquer.
STRONG = (None, ["red 4", "green 4", "blue 4", "orange 4", "violet 4", "yellow 4"])
COUNTS = pytest.mark.parametrize("num_players", [2, 3, 4])

REAL = json.loads(json.dumps([pack["cards"] for pack in RECONSTRUCTED["packs"]["cards"]]))


def position(num_players=2, sides="crown", retake="at_once", **parts):
    """A game in a position: small hands but for those given, strong kingdoms but for those."""
    states = GAME.new_state(1, num_players, sides=sides, retake=retake)
    hands = {seat: ["red 1"] for seat in range(num_players)}
    parts["hands"] = {**hands, **parts.get("hands", {})}
    parts["kingdoms"] = {**dict.fromkeys(KINGDOMS, STRONG), **parts.get("kingdoms", {})}
    set_position(states, **parts)
    return states


def one_reverse(name: str) -> list[str]:
    """All kingdoms with their crown up but one."""
    return ["reverse" if kingdom == name else "crown" for kingdom in KINGDOMS]


def one_crown(name: str) -> list[str]:
    return ["crown" if kingdom == name else "reverse" for kingdom in KINGDOMS]


def play(states, *texts):
    """Play actions in notation; return the record."""
    for text in texts:
        GAME.step(states, GAME.action_from_string(text))
    return states[0]


def legal(states) -> set[str]:
    return set(GAME.legal_actions_text(states))


def names(knights) -> list[str]:
    return [knight_name(knight) for knight in knights]


def cards(state, seat=0) -> list[str]:
    return names(hand_of(state, seat))


def defenders(state, kingdom) -> list[str]:
    return names(defence_of(state, kingdom))


def scores(states) -> list[float]:
    return GAME.returns(states)[0].tolist()


def phase(states) -> str:
    return PHASES[states["phase"][0]]


# ---- setup ------------------------------------------------------------------------------------


def test_packs_of_the_box():
    """Five packs of twelve with the same values; every colour is in every pack (confirmed)."""
    assert len(REAL) == 5
    groups = sorted([[1, 4, 4], [1, 3], [2, 2, 3], [3], [2, 4], [1]])
    for pack in REAL:
        assert sorted(value for _, value in pack) == list(PACK_VALUES)
        by_colour = {colour: sorted(v for c, v in pack if c == colour) for colour in COLOURS}
        assert sorted(by_colour.values()) == groups
    assert len({json.dumps(sorted(pack)) for pack in REAL}) == 5
    # What the figure of the conquest example shows.
    assert ["green", 4] in REAL[0] and ["yellow", 2] in REAL[0]
    assert any(["green", 4] in pack and ["blue", 3] in pack for pack in REAL[1:])


def test_reconstructed_data_is_marked():
    for part in ("packs", "first_game", "kingdoms"):
        assert RECONSTRUCTED[part]["confidence"] in ("reconstructed", "inferred")
    for side in RECONSTRUCTED["kingdoms"]["sides"].values():
        assert side["confidence"].startswith("inferred")


def test_data_is_that_handed_over(shared_data):
    """The data files say what the research found, no more."""
    data = json.loads((shared_data / "saga.json").read_text("utf-8"))
    assert [pack["cards"] for pack in data["packs"]] == REAL
    assert data["first_game_setup"]["value"] == RECONSTRUCTED["first_game"]["layout"]
    for kingdom in data["kingdoms"]:
        ours = RECONSTRUCTED["kingdoms"]["sides"][kingdom["name"]]
        assert {key: kingdom[key] for key in ours} == ours
    multiset = {str(value): PACK_VALUES.count(value) for value in (1, 2, 3, 4)}
    assert data["pack_value_multiset"]["value"] == multiset


@COUNTS
def test_setup(num_players):
    """A pack for each player, one for the defences, the rest in the box; no fame."""
    for seed in range(20):
        state = GAME.new_state(seed, num_players)[0]
        packs = [Counter(names(hand_of(state, seat))) for seat in range(num_players)]
        centre = [card for kingdom in range(6) for card in defenders(state, kingdom)]
        packs.append(Counter(centre))
        box = [Counter(f"{colour} {value}" for colour, value in pack) for pack in REAL]
        for pack in packs:
            assert pack in box
            box.remove(pack)
        assert len(box) == 4 - num_players
        assert all(fame_of(state, seat) == 0 for seat in range(num_players))
        assert all(forces_of(state, seat) == [] for seat in range(num_players))
        assert all(owner_of(state, kingdom) is None for kingdom in range(6))
        assert free_of(state) == []


def test_defenders_are_dealt_by_the_rules():
    """Two for each kingdom: one of its colour, the other of another."""
    seconds = Counter()
    for seed in range(100):
        state = GAME.new_state(seed)[0]
        for kingdom, colour in enumerate(COLOURS):
            dealt = [card.split()[0] for card in defenders(state, kingdom)]
            assert len(dealt) == 2 and dealt.count(colour) == 1
            seconds[kingdom, *(other for other in dealt if other != colour)] += 1
    assert len(seconds) == 30, "any other colour can be second"


def test_fixed_layout_of_the_first_game():
    layout = RECONSTRUCTED["first_game"]["layout"]
    packs = set()
    for seed in range(20):
        states = GAME.new_state(seed, 3, deal="first_game")
        for kingdom, name in enumerate(KINGDOMS):
            expected = sorted(f"{colour} {value}" for colour, value in layout[name])
            assert sorted(defenders(states[0], kingdom)) == expected
        packs |= {tuple(cards(states[0], seat)) for seat in range(3)}
    assert len(packs) == 4, "the castle pack is in the centre, the others are drawn"


def test_first_player_is_drawn_and_turns_go_clockwise():
    firsts = {int(GAME.new_state(seed, 4)["first_player"][0]) for seed in range(40)}
    assert firsts == {0, 1, 2, 3}
    states = GAME.new_state(3, 4)
    seat = int(states["to_play"][0])
    assert seat == states["first_player"][0]
    for ahead in range(1, 6):
        play(states, "new")
        play(states, GAME.legal_actions_text(states)[0])
        assert states["to_play"][0] == (seat + ahead) % 4


@pytest.mark.parametrize("side", ["crown", "reverse"])
def test_all_kingdoms_on_one_side(side):
    state = GAME.new_state(2, sides=side)[0]
    assert set(sides_of(state).values()) == {side}
    expected = RECONSTRUCTED["kingdoms"]["sides"]
    powers = [expected[name][side][slot] for name in KINGDOMS for slot in ("in_play", "end")]
    assert set(powers_of(state)) == set(powers) - {None}


def test_both_sides_have_all_powers():
    found = {
        p for side in ("crown", "reverse") for p in powers_of(GAME.new_state(0, sides=side)[0])
    }
    assert found == set(POWERS) and len(POWERS) == 13


def test_sides_mixed_at_random_or_given():
    seen = {tuple(sides_of(GAME.new_state(seed, sides="mixed")[0]).values()) for seed in range(60)}
    assert len(seen) > 30
    given = one_reverse("Goldland")
    assert list(sides_of(GAME.new_state(4, sides=given)[0]).values()) == given
    half = ["mixed", *["crown"] * 5]
    seen = {tuple(sides_of(GAME.new_state(seed, sides=half)[0]).values()) for seed in range(20)}
    assert seen == {("crown",) * 6, ("reverse", *["crown"] * 5)}


# ---- turns ------------------------------------------------------------------------------------


def test_income_comes_first_and_only_then():
    """A fame a kingdom, two from Goldland, as a turn begins; not for what is conquered in it."""
    assert INCOME.tolist() == [1, 1, 1, 2, 1, 1]
    states = position(
        kingdoms={
            "Goldland": (1, ["orange 4"]),
            "Sealand": (1, ["blue 4"]),
            "Forestland": (None, ["green 1"]),
        },
        hands={0: ["green 2", "green 1", "blue 1"], 1: ["red 1", "green 1"]},
    )
    play(states, "new", "green 2")
    assert owner_of(states[0], FORESTLAND) == 0
    assert fame_of(states[0], 0) == 0
    assert fame_of(states[0], 1) == 3
    assert states["to_play"][0] == 1


def test_a_card_must_be_played():
    states = position(hands={0: ["red 1", "blue 2"]}, kingdoms={"Castleland": STRONG})
    assert "pass" not in legal(states)
    assert legal(states) == {"new"}
    play(states, "new")
    assert legal(states) == {"red 1", "blue 2"}


def test_card_opens_a_force_against_the_kingdom_of_its_colour():
    states = position(hands={0: ["yellow 2", "blue 1"]}, kingdoms={"Fieldland": STRONG})
    state = play(states, "new", "yellow 2")
    (force,) = forces_of(state, 0)
    assert target_name(force) == "Fieldland"
    assert names(force.cards) == ["yellow 2"] and force.strength == 2


def test_card_strengthens_a_force_that_keeps_its_target():
    states = position(
        hands={0: ["blue 3", "red 1"]},
        forces={0: [["yellow 2"]]},
        kingdoms={"Fieldland": STRONG, "Sealand": STRONG},
    )
    state = play(states, "strengthen 1", "blue 3")
    (force,) = forces_of(state, 0)
    assert target_name(force) == "Fieldland"
    assert names(force.cards) == ["yellow 2", "blue 3"] and force.strength == 5


def test_no_colour_twice_in_a_force():
    states = position(
        hands={0: ["blue 3", "yellow 1"]},
        forces={0: [["yellow 2"], ["yellow 1", "blue 1"]]},
        kingdoms={"Fieldland": STRONG},
    )
    assert legal(states) == {"new", "strengthen 1"}
    play(states, "strengthen 1")
    assert legal(states) == {"blue 3"}


def test_several_forces_may_attack_one_kingdom():
    states = position(
        hands={0: ["yellow 3", "red 1"]},
        forces={0: [["yellow 2"], ["yellow 1", "blue 1"]]},
        kingdoms={"Fieldland": STRONG},
    )
    state = play(states, "new", "yellow 3")
    assert [force.target for force in forces_of(state, 0)] == [FIELDLAND] * 3


def test_as_many_forces_as_a_seat_can_have_cards():
    """Who holds its pack and all knights of the centre can begin a force with every card."""
    own = [f"{colour} {value}" for pack in REAL[:2] for colour, value in pack]
    states = position(hands={0: own[-1:]}, forces={0: [[card] for card in own[:-1]]})
    assert "new" in legal(states)
    state = play(states, "new", own[-1])
    assert [force.cards for force in forces_of(state, 0)] == [(knight_of(card),) for card in own]
    assert state["terminated"]


def test_force_at_a_kingdom_of_ones_own_waits():
    """It may be built, but it conquers nothing while the kingdom is its owner's."""
    states = position(
        kingdoms={"Forestland": (0, ["green 1"])},
        hands={0: ["green 4", "red 1", "blue 1"]},
    )
    state = play(states, "new", "green 4")
    assert owner_of(state, FORESTLAND) == 0
    assert [force.strength for force in forces_of(state, 0)] == [4]


# ---- conquests --------------------------------------------------------------------------------


def test_conquest_of_the_rulebooks_example():
    """Green 4 and yellow 2 defend Forestland; green 4 is strengthened with blue 3: 7 against 6."""
    states = position(
        kingdoms={"Forestland": (None, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 3", "red 1"]},
    )
    assert states["strength"][0, FORESTLAND] == 6
    before = play(states, "strengthen 1").copy()
    state = play(states, "blue 3")
    assert remarks(before, state) == ["player_0 conquers Forestland, its defence is 7 now"]
    assert owner_of(state, FORESTLAND) == 0
    assert sorted(defenders(state, FORESTLAND)) == ["blue 3", "green 4"]
    assert state["strength"][FORESTLAND] == 7
    assert forces_of(state, 0) == []
    assert sorted(names(free_of(state))) == ["green 4", "yellow 2"]


def test_conquest_of_the_example_from_a_player():
    """ "Si Forestland avait appartenu à un joueur, celui-ci aurait dû reprendre en main …"."""
    states = position(
        kingdoms={"Forestland": (1, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 3", "red 1"], 1: ["red 1"]},
    )
    state = play(states, "strengthen 1", "blue 3")
    assert owner_of(state, FORESTLAND) == 0
    assert cards(state, 1) == ["red 1", "green 4", "yellow 2"]
    assert free_of(state) == []


def test_equal_strength_does_not_conquer():
    states = position(
        kingdoms={"Forestland": (None, ["green 4", "yellow 2"])},
        forces={0: [["green 4"]]},
        hands={0: ["blue 2", "red 1"]},
    )
    state = play(states, "strengthen 1", "blue 2")
    assert owner_of(state, FORESTLAND) is None
    assert len(forces_of(state, 0)) == 1


def test_new_force_may_conquer_with_its_first_card():
    states = position(kingdoms={"Sealand": (None, ["blue 1"])}, hands={0: ["blue 2", "red 1"]})
    assert owner_of(play(states, "new", "blue 2"), SEALAND) == 0


def test_no_card_may_be_added_to_a_defence():
    states = position(
        kingdoms={"Forestland": (0, ["green 4"]), "Goldland": STRONG},
        hands={0: ["blue 2", "red 1"]},
    )
    assert legal(states) == {"new"}


def test_several_conquests_follow_each_other():
    """A seat conquers again and again, each time with the card that it plays."""
    states = position(
        kingdoms={"Sealand": (None, ["blue 1"]), "Goldland": (None, ["orange 1"])},
        hands={0: ["blue 2", "orange 2", "red 1"], 1: ["red 1", "red 1"]},
    )
    play(states, "new", "blue 2")
    play(states, "new", "red 1")
    state = play(states, "new", "orange 2")
    assert kingdoms_of(state, 0) == [SEALAND, GOLDLAND]


def test_castleland_is_one_stronger():
    """Its crown side: at least two more than the knights' values are needed."""
    parts = {
        "kingdoms": {"Castleland": (None, ["red 3"])},
        "hands": {0: ["red 4", "blue 1", "blue 1"]},
    }
    states = position(**parts)
    assert states["strength"][0, CASTLELAND] == 4
    assert owner_of(play(states, "new", "red 4"), CASTLELAND) is None
    parts["forces"] = {0: [["red 4"]]}
    states = position(**parts)
    assert owner_of(play(states, "strengthen 1", "blue 1"), CASTLELAND) == 0
    states = position(sides="reverse", **{**parts, "forces": {}})
    assert owner_of(play(states, "new", "red 4"), CASTLELAND) == 0


def test_goldland_is_one_weaker():
    """Its reverse side: as much as the knights' values is enough."""
    parts = {
        "kingdoms": {"Goldland": (None, ["orange 3"])},
        "hands": {0: ["orange 3", "blue 1", "blue 1"]},
    }
    states = position(sides=one_reverse("Goldland"), **parts)
    assert states["strength"][0, GOLDLAND] == 2
    assert owner_of(play(states, "new", "orange 3"), GOLDLAND) == 0
    assert owner_of(play(position(**parts), "new", "orange 3"), GOLDLAND) is None


# ---- a waiting force at a kingdom of one's own --------------------------------------------------


def waiting(retake):
    """Seat 0 holds Forestland (2) with a force of 6 before it; seat 1 conquers it with 5."""
    return position(
        retake=retake,
        to_play=1,
        kingdoms={"Forestland": (0, ["green 2"])},
        forces={0: [["green 4", "blue 2"]], 1: [["green 1"]]},
        hands={0: ["red 1", "red 1"], 1: ["blue 4", "red 1"]},
    )


def test_waiting_force_retakes_with_the_next_card():
    states = waiting("with_card")
    state = play(states, "strengthen 1", "blue 4")
    assert owner_of(state, FORESTLAND) == 1
    assert cards(state, 0) == ["red 1", "red 1", "green 2"]
    assert state["to_play"] == 0
    state = play(states, "strengthen 1", "red 1")
    assert owner_of(state, FORESTLAND) == 0
    assert sorted(cards(state, 1)) == ["blue 4", "green 1", "red 1"]


def test_taking_a_card_back_from_a_waiting_force_is_no_attack():
    """Retake with a card: a force that has lost a card, and not its lead, goes on waiting."""
    for place, card, waits in (
        ("take 1", "red 1", True),
        ("take 1", "hidden violet 1", True),
        ("take 1", "green 4", False),
    ):
        states = position(
            sides=one_crown("Fieldland"),
            retake="with_card",
            forces={0: [["green 4", "red 1"]]},
            down={0: [(0, "violet 1")]},
            kingdoms={
                "Fieldland": (0, ["yellow 4"]),
                "Forestland": (1, ["green 1"]),
                "Castleland": (1, []),
            },
            hands={0: ["blue 1", "blue 1"]},
        )
        assert forces_of(states[0], 0)[0].strength == 5 > states["strength"][0, FORESTLAND]
        state = play(states, place, card)
        assert owner_of(state, FORESTLAND) == 1
        assert len(forces_of(state, 0)) == waits
        assert owner_of(state, CASTLELAND) == (1 if waits else 0)


def test_waiting_force_retakes_at_once():
    state = play(waiting("at_once"), "strengthen 1", "blue 4")
    assert owner_of(state, FORESTLAND) == 0
    assert state["strength"][FORESTLAND] == 6
    assert cards(state, 0) == ["red 1", "red 1", "green 2"]
    assert sorted(cards(state, 1)) == ["blue 4", "green 1", "red 1"]


# ---- recruiting -------------------------------------------------------------------------------


def recruiting(**parts):
    return position(
        free=["blue 3", "green 1"],
        hands={0: ["red 1", "red 1"]},
        kingdoms={"Sealand": (None, ["blue 2"])},
        **parts,
    )


def test_recruit_costs_the_value_in_fame():
    states = recruiting(fame=[5])
    assert {"recruit blue 3", "recruit green 1"} <= legal(states)
    state = play(states, "recruit blue 3")
    assert fame_of(state, 0) == 2
    assert cards(state) == ["red 1", "red 1", "blue 3"]
    assert names(free_of(state)) == ["green 1"]


def test_no_recruit_on_credit():
    assert "recruit blue 3" not in legal(recruiting(fame=[2]))
    assert "recruit green 1" in legal(recruiting(fame=[2]))
    assert legal(recruiting()) == {"new"}


def test_one_recruit_a_turn_before_or_after_the_card():
    states = recruiting(fame=[9])
    play(states, "recruit blue 3")
    assert legal(states) == {"new"}
    play(states, "new", "red 1")
    assert states["to_play"][0] == 1

    states = recruiting(fame=[9])
    play(states, "new", "red 1")
    assert states["to_play"][0] == 0
    assert legal(states) == {"recruit blue 3", "recruit green 1", "pass"}
    play(states, "recruit green 1")
    assert states["to_play"][0] == 1


def test_recruit_may_be_played_at_once():
    states = recruiting(fame=[3])
    state = play(states, "recruit blue 3", "new", "blue 3")
    assert owner_of(state, SEALAND) == 0


def test_every_player_may_recruit_what_is_free():
    states = recruiting(fame=[0, 3])
    play(states, "new", "red 1")
    assert states["to_play"][0] == 1
    assert "recruit blue 3" in legal(states)


def test_free_recruit_on_the_conquest_of_castleland():
    """Reverse side: into the hand, at that moment only, beside the recruit of the turn."""
    parts = {
        "sides": "reverse",
        "kingdoms": {"Castleland": (None, ["red 1", "blue 2"])},
        "hands": {0: ["red 4", "red 1"]},
        "fame": [4],
    }
    states = position(**parts)
    play(states, "new", "red 4")
    assert phase(states) == "RECRUITING"
    assert legal(states) == {"recruit red 1", "recruit blue 2", "pass"}
    state = play(states, "recruit blue 2")
    assert fame_of(state, 0) == 4
    assert cards(state) == ["red 1", "blue 2"]
    assert legal(states) == {"recruit red 1", "pass"}
    assert fame_of(play(states, "recruit red 1"), 0) == 3

    states = position(**parts)
    play(states, "new", "red 4", "pass")
    assert phase(states) == "TURN" and states["to_play"][0] == 0, "declined"
    states = position(**{**parts, "sides": "crown"})
    play(states, "new", "red 4")
    assert phase(states) == "TURN", "not on the other side"


def test_no_free_recruit_where_nobody_is_free():
    states = position(
        sides="reverse",
        kingdoms={"Castleland": (1, ["red 1"])},
        hands={0: ["red 4", "red 1"]},
    )
    play(states, "new", "red 4")
    assert phase(states) == "TURN"


# ---- Shadowland: a card for its defence ---------------------------------------------------------


def shadowland(**parts):
    return position(
        **{
            "kingdoms": {"Shadowland": (0, ["violet 2"]), "Castleland": STRONG},
            "hands": {0: ["violet 1", "blue 3", "red 1"], 1: ["red 1", "red 1"]},
            **parts,
        }
    )


def test_shadowland_takes_a_card_once():
    states = shadowland()
    assert legal(states) == {"new", "add Shadowland"}
    play(states, "add Shadowland")
    assert legal(states) == {"blue 3", "red 1"}, "no colour twice"
    state = play(states, "blue 3")
    assert sorted(defenders(state, SHADOWLAND)) == ["blue 3", "violet 2"]
    assert state["strength"][SHADOWLAND] == 5
    assert state["to_play"] == 1, "it was the card of the turn"
    play(states, "new", "red 1")
    assert states["to_play"][0] == 0
    assert legal(states) == {"new"}, "the power is used"


def test_shadowlands_power_is_for_its_owner_and_its_crown_side():
    assert legal(shadowland(sides="reverse")) == {"new"}
    assert legal(shadowland(kingdoms={"Shadowland": (1, ["violet 2"])})) == {"new"}
    assert legal(shadowland(used=["Shadowland"])) == {"new"}
    assert legal(shadowland(hands={0: ["violet 1", "violet 3"]})) == {"new"}


def test_shadowlands_power_comes_back_with_a_conquest():
    states = shadowland(
        used=["Shadowland"],
        kingdoms={"Shadowland": (1, ["violet 2"])},
        hands={0: ["violet 3", "red 1", "red 1"], 1: ["red 1", "red 1"]},
    )
    play(states, "new", "violet 3", "new", "red 1")
    assert legal(states) == {"new", "add Shadowland"}


# ---- Fieldland: a card back ---------------------------------------------------------------------


def fieldland(**parts):
    return position(
        **{
            "kingdoms": {
                "Fieldland": (0, ["yellow 2", "red 1"]),
                "Forestland": (0, ["green 4", "blue 1"]),
                "Sealand": STRONG,
            },
            "forces": {0: [["blue 3", "red 2"]]},
            "hands": {0: ["orange 1", "orange 1"]},
            **parts,
        }
    )


def test_fieldland_takes_one_card_a_turn_back():
    """Of any own attack or defence force, beside the card of the turn, before it or after."""
    states = fieldland()
    assert legal(states) == {"new", "strengthen 1", "take 1", "take Fieldland", "take Forestland"}
    play(states, "take 1")
    assert legal(states) == {"blue 3", "red 2"}
    state = play(states, "red 2")
    assert cards(state) == ["red 2", "orange 1", "orange 1"]
    assert forces_of(state, 0)[0].strength == 3
    assert legal(states) == {"new", "strengthen 1"}, "once a turn"

    states = fieldland()
    play(states, "new", "orange 1")
    assert "take 2" in legal(states), "the card just played, too"
    state = play(states, "take Forestland", "blue 1")
    assert defenders(state, FORESTLAND) == ["green 4"]
    assert state["strength"][FORESTLAND] == 4
    assert state["to_play"] == 1


def test_fieldlands_power_is_for_its_owner_and_its_crown_side():
    assert legal(fieldland(sides="reverse")) == {"new", "strengthen 1"}
    states = fieldland(kingdoms={"Fieldland": (1, ["yellow 2"]), "Sealand": STRONG})
    assert legal(states) == {"new", "strengthen 1"}
    play(states, "new", "orange 1")
    assert states["to_play"][0] == 1 and "take Fieldland" in legal(states)


def test_a_force_with_no_card_is_gone():
    states = fieldland(forces={0: [["blue 3"]]})
    state = play(states, "take 1", "blue 3")
    assert forces_of(state, 0) == []
    assert legal(states) == {"new"}


def test_next_card_leads_when_the_first_is_taken_back():
    """It names the target; and the force conquers at once if it is stronger than that kingdom."""
    states = fieldland(
        forces={0: [["blue 3", "violet 2"]]},
        kingdoms={
            "Fieldland": (0, ["yellow 2"]),
            "Sealand": STRONG,
            "Shadowland": STRONG,
        },
    )
    state = play(states, "take 1", "blue 3")
    (force,) = forces_of(state, 0)
    assert target_name(force) == "Shadowland" and names(force.cards) == ["violet 2"]

    states = fieldland(
        forces={0: [["blue 3", "violet 2"]]},
        kingdoms={
            "Fieldland": (0, ["yellow 2"]),
            "Sealand": STRONG,
            "Shadowland": (1, ["violet 1"]),
        },
    )
    state = play(states, "take 1", "blue 3")
    assert owner_of(state, SHADOWLAND) == 0 and forces_of(state, 0) == []


def test_taking_a_defender_back_may_lose_the_kingdom_to_a_waiting_force():
    states = fieldland(forces={1: [["green 4"]]})
    state = play(states, "take Forestland", "blue 1")
    assert owner_of(state, FORESTLAND) == 0, "4 against 4: no change"
    states = fieldland(forces={1: [["green 4"]]})
    state = play(states, "take Forestland", "green 4")
    assert owner_of(state, FORESTLAND) == 1
    assert cards(state) == ["green 4", "blue 1", "orange 1", "orange 1"]
    assert forces_of(state, 1) == []
    assert state["to_play"] == 0 and phase(states) == "TURN", "the turn goes on"


def test_the_strongest_waiting_force_conquers_then_the_next_clockwise():
    def owner_after(forces, taker):
        states = position(
            4,
            to_play=taker,
            kingdoms={
                "Fieldland": (taker, ["yellow 2"]),
                "Forestland": (taker, ["green 1", "red 4"]),
            },
            forces=forces,
            hands={seat: ["red 1", "red 1"] for seat in range(4)},
        )
        return owner_of(play(states, "take Forestland", "red 4"), FORESTLAND)

    assert owner_after({1: [["green 2"]], 3: [["green 3"]]}, 0) == 3
    assert owner_after({1: [["green 2"], ["green 3"]], 3: [["green 2", "blue 1"]]}, 0) == 1
    assert owner_after({1: [["green 2", "blue 1"]], 3: [["green 3"]]}, 2) == 3
    assert owner_after({0: [["green 3"]], 1: [["green 2", "blue 1"]]}, 2) == 0
    assert owner_after({1: [["green 1"]]}, 0) == 0


def test_kingdom_without_defenders_has_strength_0():
    states = fieldland(kingdoms={"Fieldland": (0, ["yellow 2"]), "Sealand": STRONG})
    state = play(states, "take Fieldland", "yellow 2")
    assert owner_of(state, FIELDLAND) == 0 and state["strength"][FIELDLAND] == 0
    states = fieldland(
        kingdoms={"Fieldland": (0, ["yellow 2"]), "Sealand": STRONG}, forces={1: [["yellow 1"]]}
    )
    state = play(states, "take Fieldland", "yellow 2")
    assert owner_of(state, FIELDLAND) == 1


def test_castleland_lost_by_a_take_back_recruits_out_of_turn():
    sides = one_reverse("Castleland")
    states = fieldland(
        sides=sides,
        kingdoms={"Fieldland": (0, ["yellow 2"]), "Castleland": (0, ["red 4"])},
        forces={1: [["red 3"]]},
        free=["blue 4"],
    )
    play(states, "take Castleland", "red 4")
    assert states["to_play"][0] == 1 and phase(states) == "RECRUITING"
    state = play(states, "recruit blue 4")
    assert cards(state, 1) == ["red 1", "blue 4"]
    assert states["to_play"][0] == 0 and "new" in legal(states)


# ---- Sealand: a card face down ------------------------------------------------------------------


def sealand(**parts):
    return position(
        **{
            "sides": "reverse",
            "kingdoms": {"Sealand": (0, ["blue 4"]), "Forestland": (None, ["green 4", "red 2"])},
            "forces": {0: [["green 3"]]},
            "hands": {0: ["green 1", "blue 4", "red 1", "red 1"], 1: ["violet 1"] * 3},
            **parts,
        }
    )


def test_sealand_lays_one_card_face_down():
    """Worth nothing while it lies so; its colour must be new; it was the card of the turn."""
    states = sealand()
    assert legal(states) == {"new", "strengthen 1", "down 1"}
    play(states, "down 1")
    assert legal(states) == {"hidden blue 4", "hidden red 1"}
    state = play(states, "hidden blue 4")
    (force,) = forces_of(state, 0)
    assert force.strength == 3 and names(force.down) == ["blue 4"]
    assert owner_of(state, FORESTLAND) is None
    assert state["to_play"] == 1
    play(states, "new", "violet 1")
    assert "down 1" not in legal(states), "once"
    play(states, "strengthen 1")
    assert legal(states) == {"red 1"}, "no colour twice, the face-down one counts"


def test_face_down_card_is_turned_up_on_a_later_turn():
    states = sealand(fame=[9], free=["violet 1"])
    play(states, "down 1", "hidden blue 4")
    assert legal(states) == {"recruit violet 1", "pass"}, "not on the same turn"
    play(states, "pass", "new", "violet 1")
    assert "turn up 1" in legal(states)
    state = play(states, "turn up 1")
    assert owner_of(state, FORESTLAND) == 0, "7 against 6"
    assert sorted(defenders(state, FORESTLAND)) == ["blue 4", "green 3"]
    assert "new" in legal(states), "the card of the turn is still to be played"


def test_face_down_card_may_be_turned_up_without_a_conquest():
    states = sealand(kingdoms={"Forestland": STRONG}, down={0: [(0, "blue 4")]})
    state = play(states, "turn up 1")
    (force,) = forces_of(state, 0)
    assert force.strength == 7 and force.down == () and names(force.cards) == ["green 3", "blue 4"]
    assert target_name(force) == "Forestland"


def test_owner_may_turn_up_after_losing_sealand():
    states = sealand(
        kingdoms={"Sealand": (1, ["blue 4"]), "Forestland": STRONG}, down={0: [(0, "blue 3")]}
    )
    assert legal(states) == {"new", "strengthen 1", "turn up 1"}


def test_face_down_card_is_turned_up_when_its_force_conquers():
    states = sealand(down={0: [(0, "blue 4")]}, hands={0: ["red 4", "green 1"]})
    state = play(states, "strengthen 1", "red 4")
    assert owner_of(state, FORESTLAND) == 0
    assert state["strength"][FORESTLAND] == 11
    assert state["num_down"][0] == 0


def test_several_face_down_cards_are_turned_up_one_by_one():
    states = sealand(kingdoms={"Forestland": STRONG}, down={0: [(0, "blue 4"), (0, "red 2")]})
    play(states, "turn up 1")
    assert phase(states) == "TURNING"
    assert legal(states) == {"blue 4", "red 2"}
    state = play(states, "red 2")
    (force,) = forces_of(state, 0)
    assert force.strength == 5 and names(force.down) == ["blue 4"]
    assert "turn up 1" in legal(states)


def test_sealands_power_comes_back_with_a_conquest():
    states = sealand(
        used=["Sealand"],
        kingdoms={"Sealand": (1, ["blue 2"])},
        hands={0: ["blue 3", "red 1", "red 1"], 1: ["violet 1"] * 3},
        forces={0: [["green 3"]]},
    )
    states["strength"][0, FORESTLAND] = 20
    play(states, "new", "blue 3", "new", "violet 1")
    assert "down 1" in legal(states)


def test_sealands_power_is_for_its_owner_and_its_reverse_side():
    assert "down 1" not in legal(sealand(sides="crown"))
    assert "down 1" not in legal(sealand(used=["Sealand"]))
    assert "down 1" not in legal(sealand(kingdoms={"Sealand": (1, ["blue 4"])}))
    assert "down 1" not in legal(sealand(forces={}))


def test_face_down_card_can_be_taken_back():
    """Mixed sides. A force of face-down cards alone names no kingdom; a card face up then leads."""
    states = position(
        sides=one_crown("Fieldland"),
        kingdoms={"Fieldland": (0, ["yellow 1"]), "Forestland": STRONG, "Castleland": STRONG},
        forces={0: [["green 3"]]},
        down={0: [(0, "blue 4")]},
        hands={0: ["red 1", "red 1", "red 1"], 1: ["violet 1"] * 3},
    )
    play(states, "take 1")
    assert legal(states) == {"green 3", "hidden blue 4"}
    taken = states.copy()
    state = play(taken, "hidden blue 4")
    assert forces_of(state, 0)[0].down == () and "blue 4" in cards(state)
    state = play(states, "green 3")
    (force,) = forces_of(state, 0)
    assert target_name(force) == "" and force.strength == 0 and names(force.down) == ["blue 4"]
    state = play(states, "strengthen 1", "red 1")
    assert target_name(forces_of(state, 0)[0]) == "Castleland"


# ---- end and score ------------------------------------------------------------------------------


def test_game_ends_at_once_with_the_last_card():
    states = position(hands={0: ["blue 1"]}, kingdoms={"Sealand": STRONG}, fame=[9], free=["red 1"])
    state = play(states, "new", "blue 1")
    assert state["terminated"] and not state["truncated"]


def test_last_card_conquers_first():
    states = position(hands={0: ["blue 3"], 1: ["red 2"]}, kingdoms={"Sealand": (1, ["blue 2"])})
    state = play(states, "new", "blue 3")
    assert state["terminated"] and owner_of(state, SEALAND) == 0
    assert scores(states) == [3, -4], "the loser's knights are in hand again"


def test_free_recruit_of_the_last_conquest_counts_against():
    states = position(
        sides="reverse", hands={0: ["red 4"]}, kingdoms={"Castleland": (None, ["red 1", "blue 2"])}
    )
    play(states, "new", "red 4")
    assert not states["terminated"][0] and phase(states) == "RECRUITING"
    state = play(states.copy(), "pass")
    assert state["terminated"]
    state = play(states, "recruit blue 2")
    assert state["terminated"] and scores(states)[0] == 4 - 2


@pytest.mark.parametrize(
    ("sides", "kingdom", "cards_of_kingdom", "texts"),
    [
        ("crown", "Shadowland", ["violet 1"], ["add Shadowland", "red 1"]),
        ("reverse", "Sealand", ["blue 4"], ["down 1", "hidden red 1"]),
    ],
)
def test_last_card_played_by_a_power_ends_the_game(sides, kingdom, cards_of_kingdom, texts):
    states = position(
        sides=sides,
        kingdoms={kingdom: (0, cards_of_kingdom), "Forestland": STRONG},
        forces={0: [["green 1"]]},
        hands={0: ["red 1"]},
    )
    assert play(states, *texts)["terminated"]


def test_score_of_the_rulebooks_example():
    """20 tokens, defences of 10 and 13, a force of 7, three cards of 4 in hand: 39."""
    states = position(
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
    assert scores(states)[0] == 39


def test_cards_in_hand_cost_their_value_and_forces_bring_nothing():
    states = position(
        hands={0: ["red 4", "red 3"], 1: ["red 1"]}, forces={1: [["green 4", "red 4"]]}, fame=[2, 2]
    )
    assert scores(states) == [-5, 1]


def test_castleland_and_goldland_count_with_their_modifiers():
    kingdoms = {"Castleland": (0, ["red 4"]), "Goldland": (0, ["orange 4"])}
    hands = {0: [], 1: []}
    states = position(sides=one_reverse("Goldland"), kingdoms=kingdoms, hands=hands)
    assert scores(states) == [5 + 3, 0]


def test_goldlands_defence_scores_nothing():
    kingdoms = {"Goldland": (0, ["orange 4", "red 4"])}
    hands = {0: [], 1: []}
    assert scores(position(kingdoms=kingdoms, hands=hands)) == [0, 0]
    assert scores(position(sides="reverse", kingdoms=kingdoms, hands=hands)) == [7, 0]


def test_fieldland_brings_five_or_counts_fifteen():
    kingdoms = {"Fieldland": (0, ["yellow 4", "red 4"])}
    hands = {0: [], 1: []}
    assert scores(position(kingdoms=kingdoms, hands=hands)) == [13, 0]
    assert scores(position(sides="reverse", kingdoms=kingdoms, hands=hands)) == [15, 0]
    kingdoms = {"Fieldland": (0, ["yellow 4", "red 4", "green 4", "blue 4"])}
    assert scores(position(sides="reverse", kingdoms=kingdoms, hands=hands)) == [15, 0]


def test_forestland_pardons_the_hand():
    kingdoms = {"Forestland": (0, ["green 4"])}
    hands = {0: ["red 4"], 1: ["red 4"]}
    assert scores(position(kingdoms=kingdoms, hands=hands)) == [4, -4]
    assert scores(position(sides="reverse", kingdoms=kingdoms, hands=hands)) == [0, -4]


def test_forestland_takes_two_fame_from_each_opponent():
    """Of each what it has: who has one gives one, who has none gives nothing."""
    states = position(
        4,
        sides="reverse",
        kingdoms={"Forestland": (1, ["green 4"])},
        hands={seat: [] for seat in range(4)},
        fame=[5, 1, 1, 0],
    )
    assert scores(states) == [3, 4 + 1 + 2 + 1, 0, 0]


def test_sealand_counts_the_best_attack_force():
    kingdoms = {"Sealand": (0, ["blue 4"])}
    forces = {0: [["green 4"], ["red 3", "blue 3"]], 1: [["red 4"]]}
    hands = {0: [], 1: []}
    states = position(kingdoms=kingdoms, forces=forces, hands=hands)
    assert scores(states) == [4 + 6, 0]


def test_face_down_cards_are_worth_nothing_at_the_end():
    states = position(
        sides="reverse",
        kingdoms={"Sealand": (0, ["blue 4"])},
        forces={0: [["green 4"]]},
        down={0: [(0, "red 4")]},
        hands={0: [], 1: []},
    )
    assert scores(states) == [4, 0]


def last_card(**parts):
    return position(
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
        }
    )


def test_shadowland_adds_a_last_card_to_a_defence():
    states = last_card()
    play(states, "new", "yellow 1")
    assert not states["terminated"][0]
    assert states["to_play"][0] == 1 and phase(states) == "LAST_CARD"
    assert legal(states) == {"strengthen 1", "add Shadowland", "pass"}
    play(states, "add Shadowland")
    assert legal(states) == {"red 4", "blue 3"}, "no colour twice"
    state = play(states, "red 4")
    assert state["terminated"]
    assert scores(states)[1] == 7 - 7


def test_shadowlands_last_card_conquers_nothing():
    states = last_card()
    state = play(states, "new", "yellow 1", "strengthen 1", "blue 3")
    assert state["terminated"] and owner_of(state, FORESTLAND) is None
    assert scores(states)[1] == 3 - 8


def test_shadowlands_last_card_is_a_choice():
    states = last_card()
    state = play(states, "new", "yellow 1", "pass")
    assert state["terminated"] and scores(states)[1] == 3 - 11


def test_shadowlands_last_card_needs_a_card_and_a_place():
    assert play(last_card(sides="crown"), "new", "yellow 1")["terminated"]
    none = last_card(kingdoms={"Fieldland": STRONG}, forces={})
    assert play(none, "new", "yellow 1")["terminated"]
    same = last_card(forces={}, hands={0: ["yellow 1"], 1: ["violet 4", "violet 4"]})
    assert play(same, "new", "yellow 1")["terminated"]
    own = last_card(
        kingdoms={"Shadowland": (0, ["violet 3"]), "Fieldland": STRONG}, hands={0: ["yellow 1"]}
    )
    assert play(own, "new", "yellow 1")["terminated"], "the hand that ended the game is empty"


def test_shadowlands_last_card_adds_to_sealands_force():
    """With these sides both can meet: the card comes first, then the sums."""
    sides = one_reverse("Shadowland")
    states = last_card(
        sides=sides,
        kingdoms={
            "Shadowland": (1, ["violet 3"]),
            "Sealand": (1, ["blue 1"]),
            "Fieldland": STRONG,
            "Forestland": STRONG,
        },
    )
    play(states, "new", "yellow 1", "strengthen 1", "red 4")
    assert scores(states)[1] == 3 + 1 + 8 - 7


def test_highest_score_wins_and_ties_are_shared():
    states = position(4, hands={seat: [] for seat in range(4)}, fame=[3, 7, 7, 1])
    found, ranks = GAME.returns(states)
    assert found.tolist() == [3, 7, 7, 1]
    assert ranks.tolist() == [3, 1, 1, 4]


def test_game_is_cut_off_at_max_plies():
    """Taking a card back every turn can go on for ever."""
    states = position(
        kingdoms={"Fieldland": (0, ["yellow 4"]), "Castleland": STRONG},
        hands={0: ["red 1", "red 1"], 1: ["red 2", "red 1"]},
    )
    states["ply"][0] = MAX_PLIES - 2
    state = play(states, "new")
    assert not state["truncated"]
    state = play(states, "red 1")
    assert state["truncated"] and not state["terminated"]
    assert GAME.legal_mask(states).sum() == 0
    assert scores(states) == [4 + 5 - 1, -3], "as at the end"


def test_positions_that_cannot_be_are_refused():
    for parts, message in (
        ({"forces": {0: [["green 1"], [], ["blue 1"]]}}, "force 1 of seat 0 has no card"),
        ({"forces": {1: [[]]}, "down": {0: []}}, "force 0 of seat 1 has no card"),
        ({"fame": [1, 2, 3]}, "fame has 3 numbers for 2 seats"),
        ({"fame": [0, -1]}, "fame of seat 1 is -1; give 0 to"),
        ({"fame": [70_000]}, "fame of seat 0 is 70000; give 0 to"),
        ({"hands": {0: ["red 1", "red 5"]}}, "'red 5' is no knight"),
    ):
        states = GAME.new_state(1, 2)
        before = states.tobytes()
        with pytest.raises(ValueError, match=message):
            set_position(states, **parts)
        assert states.tobytes() == before


def test_position_may_have_a_force_of_face_down_cards_alone():
    """As after its last face-up card was taken back."""
    states = position(
        sides="reverse",
        forces={0: [["green 1"], [], ["orange 1"]]},
        down={0: [(1, "blue 4")]},
        hands={0: ["red 1", "blue 1"]},
    )
    first, second, third = forces_of(states[0], 0)
    assert (names(first.cards), names(third.cards)) == (["green 1"], ["orange 1"])
    assert second.cards == () and names(second.down) == ["blue 4"] and second.target == -1
    state = play(states, "strengthen 2", "red 1")
    assert target_name(forces_of(state, 0)[1]) == "Castleland"


def test_only_the_mask_is_legal():
    states = position(hands={0: ["red 1", "blue 2"]})
    before = GAME.digest(states)
    with pytest.raises(IllegalActionError, match="strengthen 1"):
        play(states, "strengthen 1")
    assert GAME.digest(states) == before


# ---- options ------------------------------------------------------------------------------------

OTHER_PACKS = [
    [
        [colour, value]
        for k, colour in enumerate(COLOURS)
        for value in ((1, 4) if (k + shift) % 2 else (2, 3))
    ]
    for shift in range(5)
]


def test_own_packs_are_dealt():
    for seed in range(10):
        state = GAME.new_state(seed, 4, packs=OTHER_PACKS)[0]
        dealt = [cards(state, seat) for seat in range(4)]
        dealt.append(sorted((c for k in range(6) for c in defenders(state, k)), key=knight_of))
        given = [sorted((f"{c} {v}" for c, v in pack), key=knight_of) for pack in OTHER_PACKS]
        assert sorted(dealt) == sorted(given)


def test_own_packs_may_be_tuples():
    tuples = tuple(tuple(tuple(card) for card in pack) for pack in OTHER_PACKS)
    same = GAME.encode_options(2, packs=tuples)
    assert np.array_equal(same, GAME.encode_options(2, packs=OTHER_PACKS))


def with_card(pack: int, card: int, value) -> list:
    packs = json.loads(json.dumps(OTHER_PACKS))
    packs[pack][card] = value
    return packs


@pytest.mark.parametrize(
    ("packs", "message"),
    [
        (OTHER_PACKS[:4], "five packs.*got 4"),
        ([*OTHER_PACKS[:4], OTHER_PACKS[0][:11]], "pack 5.*12 cards; got 11"),
        (with_card(1, 3, ["pink", 2]), "colour of a card in pack 2.*'pink'.*'red'"),
        (with_card(1, 3, ["red", 5]), "value of a card in pack 2.*is 5; allowed: 1, 2, 3, 4"),
        (with_card(1, 3, ["red", True]), "value of a card in pack 2.*True"),
        (with_card(2, 0, ["green", 1]), "pack 3.*values"),
        (with_card(0, 3, "red 3"), "pack 1.*a card is .colour, value."),
        (
            [[[COLOURS[max(k - 6, 0)], v] for k, v in enumerate([1, 2, 3, 4] * 3)]] * 5,
            "pack 1.*7 red cards",
        ),
        ([[["red", v] for v in [1, 2, 3, 4] * 3]] * 5, "pack 1.*12 red cards"),
        ("mine", "packs of saga is 'mine'; allowed: 'reconstructed'"),
        (7, "five packs.*got 7"),
        (None, "five packs.*got None"),
        (np.array(OTHER_PACKS, dtype=object), "(?s)five packs.*got array.*, which is no list"),
    ],
)
def test_packs_that_cannot_be_are_refused(packs, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, packs=packs)


def test_examples_in_the_words_of_options_are_json():
    """The command asks for JSON and shows these words when it gets something else."""
    words = {option.name: option.meaning for option in GAME.options}
    assert json.loads(words["packs"].split("`")[1]) in REAL[0]
    GAME.new_state(1, kingdoms=json.loads(words["kingdoms"].split("`")[1]))


def test_first_game_needs_its_castle_pack():
    with pytest.raises(ValueError, match="deal='first_game'.*use deal='random'"):
        GAME.new_state(1, packs=OTHER_PACKS, deal="first_game")
    shuffled = [REAL[0][::-1], *OTHER_PACKS[:0], *REAL[1:]]
    assert GAME.new_state(1, packs=shuffled, deal="first_game")["strength"][0].tolist() == [
        6,
        6,
        5,
        5,
        5,
        4,
    ]


def test_own_kingdoms_change_income_and_powers():
    kingdoms = {
        "Goldland": {"income": 4, "crown": {"in_play": "defence_minus_1"}, "reverse": {}},
        "Fieldland": {"crown": {"in_play": "take_back_1_card_each_turn", "end": None}},
    }
    state = GAME.new_state(1, kingdoms=kingdoms)[0]
    assert state["income"].tolist() == [1, 1, 1, 4, 1, 1]
    powers = set(powers_of(state))
    assert "defence_minus_1" in powers and "defence_scores_0" not in powers
    assert "plus_5" not in powers and "take_back_1_card_each_turn" in powers
    reverse = powers_of(GAME.new_state(1, kingdoms=kingdoms, sides="reverse")[0])
    assert "defence_minus_1" not in reverse and "defence_scores_15" in reverse
    assert GAME.new_state(1, kingdoms={})["powers"] == GAME.new_state(1)["powers"]


@pytest.mark.parametrize(
    ("kingdoms", "message"),
    [
        ({"Goldlands": {}}, "'Goldlands'.*'Goldland'"),
        ({"Goldland": {"incom": 2}}, "entry for Goldland is 'incom'.*'income'"),
        ({"Goldland": {"income": -1}}, "income of Goldland is -1"),
        ({"Goldland": {"income": 2.0}}, "income of Goldland is 2.0"),
        ({"Goldland": {"crown": {"end": "plus_5"}}}, "'end' of Goldland.*defence_scores_0"),
        ({"Goldland": {"crown": {"in_play": "defence_scores_0"}}}, "'in_play' of Goldland"),
        ({"Goldland": {"crown": {"play": None}}}, "'play'.*'in_play', 'end'"),
        ({"Goldland": {"crown": "defence_minus_1"}}, "'crown' of Goldland.*give a dict"),
        ({"Goldland": 3}, "Goldland of saga is 3; give a dict"),
        ([1], "give .inferred. or a dict"),
        ("mine", "kingdoms of saga is 'mine'; allowed: 'inferred'"),
    ],
)
def test_kingdoms_that_cannot_be_are_refused(kingdoms, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, kingdoms=kingdoms)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ("both", "sides of saga is 'both'; allowed: 'crown', 'reverse', 'mixed'"),
        (["crown"] * 5, "one for Castleland.*got 5"),
        (["crown"] * 5 + ["front"], "side of Fieldland in saga is 'front'"),
        (3, "one word, or one for"),
    ],
)
def test_sides_that_cannot_be_are_refused(sides, message):
    with pytest.raises(ValueError, match=message):
        GAME.new_state(1, sides=sides)


MINE = {
    "sides": tuple(one_reverse("Sealand")),
    "packs": tuple(tuple(map(tuple, pack)) for pack in OTHER_PACKS),
    "kingdoms": {"Goldland": {"income": 5}},
}


def test_own_contents_survive_replays(tmp_path):
    """The file holds them, as JSON does, and the game can be played again from it."""
    env = TurnBasedEnv(GAME, 3, **MINE)
    env.reset(seed=5)
    env.action_space(env.agent_selection).seed(1)
    for _ in range(30):
        if env.terminations[env.agent_selection]:
            break
        env.step(env.sample_legal())
    replay = env.replay()
    path = tmp_path / "game.jsonl"
    replay.save(path)
    again = Replay.from_json(path.read_text("utf-8"))
    states = again.verify()
    assert GAME.digest(states) == env.state_digest()
    assert states["income"][0].tolist() == [1, 1, 1, 5, 1, 1]
    assert again.options["packs"] == OTHER_PACKS


def test_editing_a_replay_leaves_its_game_as_it_was():
    env = TurnBasedEnv(GAME, 2, **MINE)
    env.reset(seed=5)
    replay = env.replay()
    replay.options["kingdoms"]["Goldland"]["income"] = 9
    replay.options["packs"][0][0][1] = 9
    assert env.replay().options == Replay.from_json(env.replay().to_json()).options
    assert env.replay().options["kingdoms"] == MINE["kingdoms"]


def test_own_contents_survive_settings_and_pickles():
    mine = json.loads(json.dumps(MINE))
    settings = Settings("saga", 2, options=mine)
    mine["kingdoms"]["Goldland"]["income"] = 9
    mine["packs"][0][0] = ["red", 4]
    assert settings.named_options["kingdoms"] == {"Goldland": {"income": 5}}, "a copy is kept"
    again = Settings("saga", 2, options=settings.named_options)
    assert np.array_equal(again.options, settings.options)
    assert json.loads(json.dumps(settings.named_options)) == settings.named_options
    env = pickle.loads(pickle.dumps(TurnBasedEnv(GAME, 2, **MINE)))
    env.reset(seed=2)
    twin = TurnBasedEnv(GAME, 2, **MINE)
    twin.reset(seed=2)
    assert env.state_digest() == twin.state_digest()


def test_own_contents_in_batches():
    batch = make_batch("saga", 8, 3, **MINE)
    batch.reset(seed=3)
    for _ in range(400):
        batch.step(batch.random_actions())
    assert (batch.states["income"][:, GOLDLAND] == 5).all()


def test_options_have_one_number_each_unless_they_read_more():
    """In the other games nothing has changed: a number an option, its place among the choices."""
    assert get_game("sarena").encode_options(3, deal="balanced").tolist() == [3, 1]
    assert get_game("sagani").encode_options(2, canvas=14).tolist() == [2, 0, 0, 1]
    assert len(GAME.encode_options(2)) == 1 + 6 + 1 + 1 + 60 + 18
    with pytest.raises(TypeError, match="saga has no option 'side'"):
        GAME.encode_options(2, side="crown")
