"""The sentences of Shamans' rulebook, each tried on the oracle and on the kernels."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from shamans_adapter import GAME, MOON, Kernels, both

from ludotheque.envs.shamans.components import PLAYER_COUNTS, WORLDS
from ludotheque.envs.shamans.state import MAX_PLIES

NO_TILES = {"pile": "", "display": (None, None)}
every_count = pytest.mark.parametrize("num_players", PLAYER_COUNTS)


# Mise en place


@every_count
@both
def test_setup_of_a_round(rules, num_players):
    worlds, values = {3: (5, 6), 4: (6, 6), 5: (7, 8)}[num_players]
    deck = {f"{world} {value + 1}" for world in WORLDS[:worlds] for value in range(values)}
    camps = {3: (2, 1), 4: (3, 1), 5: (3, 2)}[num_players]
    seats = range(num_players)
    for seed in range(20):
        game = rules.dealt(seed, num_players)
        hands = [game.hand(seat) for seat in seats]
        assert [len(hand) for hand in hands] == [{3: 9, 4: 9, 5: 11}[num_players]] * num_players
        left_over = [f"{world} {value}" for world in WORLDS for value in game.placed(world)]
        assert len(left_over) == {3: 3, 4: 0, 5: 1}[num_players]
        assert Counter([card for hand in hands for card in hand] + left_over) == Counter(deck)
        roles = Counter(game.camp(seat) for seat in seats)
        assert (roles["shaman"], roles["shadow"]) == camps
        assert (game.pawn, game.moon) == ({3: 20, 4: 15, 5: 5}[num_players], 30)
        tiles = Counter([*game.display, *game.pile])
        assert tiles == {"dagger": 5, "portal": 2, "shard": 3, "mask": 2, "eclipse": 1}
        assert len(game.pile) == 11 and game.pile[0] != "eclipse"
        assert not any(game.held(seat, face_up) for seat in seats for face_up in (True, False))
        assert game.gone == []
        assert game.points == [0] * num_players
        assert game.phase == "card" and game.destination is None
        assert game.to_play == game.guide == game.marker
        assert game.told(0) is None


@both
def test_worlds_in_play(rules):
    """Brown is for four and five players, red for five."""
    assert [WORLDS[5], WORLDS[6]] == ["brown", "red"]
    for num_players, worlds in ((3, 5), (4, 6), (5, 7)):
        game = rules.dealt(2, num_players)
        dealt = [card.split()[0] for seat in range(num_players) for card in game.hand(seat)]
        assert set(dealt) == set(WORLDS[:worlds])


@both
def test_setup_is_random(rules):
    """First player, roles, cards, artefacts, arrow, place of the Eclipse: all evenly."""
    firsts, shadows, dealt, arrows, places, shown, tops = (Counter() for _ in range(7))
    for seed in range(200):
        game = rules.dealt(seed, 5)
        firsts[game.marker] += 1
        shadows[tuple(seat for seat in range(5) if game.camp(seat) == "shadow")] += 1
        dealt.update(game.hand(3))
        arrows[game.arrow] += 1
        places[game.pile.index("eclipse")] += 1
        shown.update(game.display)
        tops[game.pile[0]] += 1
    assert sorted(firsts) == [0, 1, 2, 3, 4] and min(firsts.values()) > 20
    assert len(shadows) == 10 and min(shadows.values()) > 8
    # Of the 56 cards a hand has 11.
    assert len(dealt) == 56 and 20 < min(dealt.values()) < max(dealt.values()) < 65
    assert sorted(arrows) == ["left", "right"] and min(arrows.values()) > 70
    # Position 0 is the top.
    assert sorted(places) == list(range(1, 11)) and min(places.values()) > 8
    for counts, total in ((shown, 400), (tops, 200)):
        for kind, share in {"dagger": 5, "portal": 2, "shard": 3, "mask": 2}.items():
            assert abs(counts[kind] / total - share / 12) < 0.09


@both
def test_roles_are_known_to_their_own_seats_only(rules):
    game = rules.dealt(3, 4)
    for seat in range(4):
        for other in range(4):
            assert game.knows(seat, other) == (seat == other)


@both
def test_left_over_cards_count_for_their_worlds(rules):
    """They lie at their worlds, face up, and the world is complete with the rest."""
    game = rules.table(["blue 1, violet 6", "green 2", "green 3"], placed="violet 1 2 3 4 5")
    game.play("violet 6", "green 2", "green 3", "take top", "keep up")
    assert game.points[0] == 1


# Tour de jeu


@both
def test_any_card_may_be_played(rules):
    game = rules.table(["violet 1", "violet 2, blue 3, green 4", "blue 1"])
    game.play("violet 1")
    assert game.legal() == {"violet 2", "blue 3", "green 4"}


@both
def test_play_goes_clockwise_from_the_guide(rules):
    game = rules.table(["violet 1", "violet 2", "violet 3", "violet 4"], guide=2)
    seats = []
    for card in ("violet 3", "violet 4", "violet 1", "violet 2"):
        seats.append(game.to_play)
        game.play(card)
    assert seats == [2, 3, 0, 1]


@both
def test_destination_cards_wait_for_the_end_of_the_trick(rules):
    game = rules.table(["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"])
    game.play("violet 1", "violet 2")
    assert game.destination == "violet"
    assert game.pawn == 10
    assert game.placed("violet") == []
    assert [game.front(seat) for seat in range(3)] == ["violet 1", "violet 2", None]
    game.play("violet 3", "take 1")
    assert game.placed("violet") == [1, 2, 3]
    assert game.destination is None


@both
def test_another_world_moves_the_pawn_at_once(rules):
    game = rules.table(["violet 1, blue 1", "green 2, blue 2", "violet 3, blue 3"])
    game.play("violet 1", "green 2")
    assert game.pawn == 11
    assert game.placed("green") == [2]
    assert game.to_play == 2


@both
def test_who_completes_a_world_does_its_ritual(rules):
    game = rules.table(["blue 1", "violet 4", "blue 2"], placed="violet 1 2 3 5 6")
    game.play("blue 1", "violet 4")
    assert game.points == [0, 1, 0]
    assert game.to_play == 2 and game.phase == "card"


@both
def test_a_ritual_is_done_once(rules):
    """Worlds completed before are not completed again by a trick."""
    every = " ".join(map(str, range(1, 9)))
    game = rules.table(
        ["violet 1 2", "violet 3 4", "red 1 2", "violet 5 6", "violet 7 8"],
        placed=f"red 3 4 5 6 7 8, blue {every}, orange {every}",
    )
    game.play("violet 1", "violet 3", "red 1", "violet 5", "violet 7", "take 1")
    assert game.phase == "card" and game.to_play == 4
    game.play("violet 8", "violet 2", "violet 4", "red 2")
    assert game.phase == "permutation" and game.to_play == 2
    game.play("swap player_0", "violet 6", "take 1")
    # The cards of the last trick complete violet, whose ritual is an illumination, and no more.
    assert game.points[4] == 1 + 2 * (game.camp(4) == "shaman")
    assert game.over


@both
def test_the_guide_chooses_the_destination_freely(rules):
    game = rules.table(["violet 1, green 5, blue 2", "blue 1 3 4", "blue 5 6, green 1"])
    assert game.legal() == {"violet 1", "blue 2", "green 5"}
    assert game.destination is None


# Résolution des cartes


@both
def test_lowest_takes_an_artefact_and_highest_leads(rules):
    game = rules.table(
        ["violet 3, blue 1", "violet 1, blue 2", "violet 6, blue 3", "green 1, blue 4"],
        display=("dagger", "portal"),
    )
    game.play("violet 3", "violet 1", "violet 6", "green 1")
    assert game.phase == "artefact" and game.to_play == 1
    assert game.legal() == {"take 1", "take 2", "take top"}
    game.play("take 2")
    assert game.held(1) == ["portal"]
    assert game.placed("violet") == [1, 3, 6]
    assert game.placed("green") == [1]
    assert game.phase == "card" and game.to_play == game.guide == 2


@pytest.mark.parametrize("guide", range(5))
@both
def test_lowest_and_highest_wherever_they_sit(rules, guide):
    for turned in range(5):
        values = [[4, 1, 8, 5, 2][(seat + turned) % 5] for seat in range(5)]
        hands = [f"violet {values[seat]}, blue {seat + 1}" for seat in range(5)]
        game = rules.table(hands, guide=guide)
        game.play(*[f"violet {values[(guide + ahead) % 5]}" for ahead in range(5)])
        assert game.to_play == values.index(1)
        game.play("take 1")
        assert game.to_play == game.guide == values.index(8)


@both
def test_a_lone_follower_is_both(rules):
    game = rules.table(["violet 3, blue 1", "green 1, blue 2", "green 2, blue 3"], guide=0)
    game.play("violet 3", "green 1", "green 2")
    assert game.phase == "artefact" and game.to_play == 0
    game.play("take 1")
    assert game.guide == game.to_play == 0


@both
def test_values_off_the_destination_do_not_count(rules):
    game = rules.table(["violet 3, blue 1", "violet 4, blue 2", "green 6, blue 3"])
    game.play("violet 3", "violet 4", "green 6", "take 1")
    assert game.guide == 1


@both
def test_an_empty_place_is_filled_at_once(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="portal dagger"
    )
    game.play("violet 1", "violet 2", "violet 3", "take 2")
    assert game.display == ["shard", "portal"]
    assert game.pile == ["dagger"]


@pytest.mark.parametrize(("answer", "up"), [("keep up", True), ("keep down", False)])
@both
def test_the_top_of_the_pile_may_be_kept_face_down(rules, answer, up):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="portal dagger"
    )
    game.play("violet 1", "violet 2", "violet 3", "take top")
    assert game.phase == "keep" and game.to_play == 0
    assert game.legal() == {"keep up", "keep down"}
    game.play(answer)
    assert game.held(0, up) == ["portal"]
    assert game.held(0, not up) == []
    assert game.display == ["shard", "shard"]
    assert game.phase == "card"


@both
def test_a_mask_of_the_pile_is_always_shown(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="mask dagger"
    )
    game.play("violet 1", "violet 2", "violet 3", "take top")
    assert game.phase == "card"
    assert game.is_revealed(0) and not game.is_revealed(1)
    assert game.gone == ["mask"]


@both
def test_a_mask_face_up_shows_the_role(rules):
    game = rules.table(
        ["violet 4, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        display=("mask", "shard"),
    )
    game.play("violet 4", "violet 2", "violet 3", "take 1")
    assert [game.is_revealed(seat) for seat in range(3)] == [False, True, False]
    assert game.held(1) == []


@both
def test_places_stay_empty_when_the_pile_is(rules):
    game = rules.table(["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="")
    game.play("violet 1", "violet 2", "violet 3")
    assert game.legal() == {"take 1", "take 2"}
    game.play("take 1")
    assert game.display == [None, "shard"]


@both
def test_no_artefact_when_there_is_none(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        display=(None, None),
        pile="",
    )
    game.play("violet 1", "violet 2", "violet 3")
    assert game.phase == "card" and game.to_play == 2
    assert not any(game.held(seat, up) for seat in range(3) for up in (True, False))


@both
def test_highest_does_the_ritual_of_the_completed_destination(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 6, blue 3"], placed="violet 3 4 5"
    )
    game.play("violet 1", "violet 2", "violet 6", "take 1")
    assert game.points == [0, 0, 1]


# Résolution de l'Éclipse


def eclipse_table(rules, arrow: str, hands: list[str], **more):
    return rules.table(hands, pile="dagger eclipse dagger", arrow=arrow, **more)


@pytest.mark.parametrize(("arrow", "receivers"), [("left", [1, 2, 3, 0]), ("right", [3, 0, 1, 2])])
@both
def test_eclipse_passes_cards_by_its_arrow(rules, arrow, receivers):
    game = eclipse_table(
        rules,
        arrow,
        [
            "violet 2, blue 1, blue 5",
            "violet 1, blue 2, green 5",
            "violet 3, blue 3, orange 5",
            "violet 4, blue 4, yellow 5",
        ],
    )
    game.play("violet 2", "violet 1", "violet 3", "violet 4", "take 1")
    assert game.pile == ["dagger"]
    seats = []
    for seat in (1, 2, 3, 0):
        assert game.phase == "give"
        assert game.legal() == set(game.hand(game.to_play))
        seats.append(game.to_play)
        # Nothing changes hands before everybody has chosen.
        assert len(game.hand(seat)) == 2
        game.play(f"blue {seat + 1}")
    # Clockwise from who took the artefact.
    assert seats == [1, 2, 3, 0]
    for seat, receiver in enumerate(receivers):
        assert f"blue {seat + 1}" in game.hand(receiver)
        assert len(game.hand(seat)) == 2
        assert game.passed_by(seat) == (f"blue {seat + 1}", receiver)
    assert game.phase == "card" and game.to_play == 3


@both
def test_eclipse_comes_up_under_a_tile_kept(rules):
    game = eclipse_table(
        rules, "left", ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"]
    )
    game.play("violet 1", "violet 2", "violet 3", "take top")
    # It can be seen, but the tile in hand is dealt with first.
    assert game.phase == "keep" and game.pile[0] == "eclipse"
    game.play("keep down")
    assert game.phase == "give"
    game.play("blue 1", "blue 2", "blue 3")
    assert [game.hand(seat) for seat in range(3)] == [
        ["blue 3"],
        ["blue 1"],
        ["blue 2"],
    ]
    assert game.held(0, face_up=False) == ["dagger"]


@pytest.mark.parametrize("arrow", ["left", "right"])
@both
def test_eclipse_in_the_middle_of_the_last_trick_skips_empty_hands(rules, arrow):
    """A stabilisation uncovers it when two of four still have a card."""
    game = eclipse_table(
        rules,
        arrow,
        ["violet 1", "blue 6", "violet 3", "violet 4"],
        placed="blue 1 2 3 4 5",
    )
    game.play("violet 1", "blue 6")
    assert game.phase == "stabilisation"
    game.play("take 1")
    assert game.phase == "give" and game.to_play == 2
    game.play("violet 3")
    assert game.to_play == 3
    game.play("violet 4")
    assert game.hand(2) == ["violet 4"]
    assert game.hand(3) == ["violet 3"]
    assert game.phase == "card" and game.to_play == 2


@both
def test_a_portal_waits_until_the_eclipse_is_resolved(rules):
    hands = [f"violet {k}, blue {k}" for k in (1, 2, 3)]
    game = eclipse_table(rules, "left", hands, shown={0: "portal"})
    game.play("violet 1", "violet 2", "violet 3", "take 1")
    assert game.phase == "give" and game.to_play == 0
    assert game.legal() == {"blue 1"}


@both
def test_eclipse_does_nothing_for_a_single_hand(rules):
    game = eclipse_table(rules, "left", ["violet 1", "blue 6", "violet 3"], placed="blue 1 2 3 4 5")
    game.play("violet 1", "blue 6", "take 1")
    assert game.phase == "card" and game.to_play == 2
    assert game.pile == ["dagger"]


@both
def test_eclipse_in_the_last_resolution_does_nothing(rules):
    game = eclipse_table(rules, "left", ["violet 1", "violet 2", "violet 3"])
    game.play("violet 1", "violet 2", "violet 3", "take 1")
    assert game.over


@both
def test_eclipse_skips_the_eliminated(rules):
    game = eclipse_table(
        rules,
        "left",
        ["yellow 6, blue 1", "violet 2, blue 2", "violet 3, blue 3", "violet 4, blue 4"],
        placed="yellow 1 2 3 4 5",
        shown={0: "dagger"},
    )
    game.play("yellow 6", "violet 2", "violet 3", "violet 4", "take top", "keep up")
    game.play(*[f"blue {k}" for k in (1, 2, 3, 4)])
    game.play("eliminate player_2")
    assert game.is_eliminated(2)
    game = eclipse_table(
        rules,
        "left",
        ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3", "violet 4, blue 4"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger"},
    )
    game.play("violet 1", "yellow 6", "eliminate player_2", "violet 4", "take 1")
    assert game.phase == "give"
    game.play("blue 1", "blue 2", "blue 4")
    assert game.hand(3) == ["blue 2"]
    assert game.set_aside(2) == ["violet 3", "blue 3"]
    assert game.hand(0) == ["blue 4"]


@both
def test_a_card_passed_is_known_until_it_is_seen(rules):
    game = eclipse_table(
        rules, "left", ["violet 1, blue 1 4", "violet 2, blue 2 5", "violet 3, blue 3 6"]
    )
    game.play("violet 1", "violet 2", "violet 3", "take 1", "blue 1", "blue 2", "blue 3")
    assert game.passed_by(1) == ("blue 2", 2)
    game.play("blue 2")
    assert game.passed_by(1) is None
    assert game.passed_by(0) == ("blue 1", 1)


@both
def test_a_card_passed_is_no_secret_once_it_is_off_the_hand(rules):
    """Played to another world, or laid from the hand of a Shadow that is eliminated."""
    hands = [
        "violet 1, blue 1 8, green 1",
        "violet 2, blue 2, yellow 8, green 2",
        "violet 3, blue 3, orange 3, green 3",
        "violet 4, blue 4, orange 4, green 4",
        "violet 5, blue 5, orange 5, green 5",
    ]
    made = {"placed": "yellow 1 2 3 4 5 6 7", "shown": {1: "dagger"}}
    game = eclipse_table(rules, "left", hands, **made)
    game.play(*[f"violet {value}" for value in range(1, 6)], "take 1")
    game.play(*[f"blue {value}" for value in range(1, 6)])
    assert [game.passed_by(seat) for seat in range(5)] == [
        (f"blue {seat + 1}", (seat + 1) % 5) for seat in range(5)
    ]
    game.play("orange 5", "blue 5")
    assert game.passed_by(4) is None and game.passed_by(3) == ("blue 4", 4)
    game.play("yellow 8", "eliminate player_4")
    assert game.passed_by(3) is None
    assert game.passed_by(1) == ("blue 2", 2)


@both
def test_eclipse_of_a_ritual_begins_with_who_does_it(rules):
    hands = ["violet 1, green 1", "blue 6, green 2", "violet 3, green 3"]
    game = eclipse_table(rules, "right", hands, placed="blue 1 2 3 4 5")
    game.play("violet 1", "blue 6", "take 1")
    assert game.phase == "give"
    assert game.to_play == 1
    game.play("green 2", "green 3", "green 1")
    assert [game.hand(seat)[-1] for seat in range(3)] == ["green 2", "green 3", "green 1"]
    # The trick resumes where it was.
    assert game.phase == "card" and game.to_play == 2 and game.destination == "violet"


@both
def test_eclipse_is_resolved_before_places_are_filled(rules):
    """Both places are empty, and the Eclipse comes up when the first one is filled."""
    hands = ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"]
    game = rules.table(hands, display=(None, None), pile="dagger portal eclipse shard")
    game.play("violet 1", "violet 2", "violet 3", "take top", "keep up")
    assert game.phase == "give" and game.display == ["portal", None]
    game.play("blue 1", "blue 2", "blue 3")
    assert game.phase == "card" and game.display == ["portal", "shard"]


# Portail


@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize(("use", "square"), [("portal back", 9), ("portal on", 11)])
@both
def test_portal_on_ones_own_turn(rules, face_up, use, square):
    tiles = {"shown" if face_up else "hidden": {0: "portal"}}
    game = rules.table(["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], **tiles)
    assert game.legal() == {"violet 1", "blue 1", "portal back", "portal on"}
    game.play(use)
    assert game.pawn == square
    assert game.gone == ["portal"]
    assert game.to_play == 0 and game.legal() == {"violet 1", "blue 1"}


@both
def test_both_portals_in_one_turn_the_one_face_up_first(rules):
    game = rules.table(
        ["violet 1", "violet 2", "violet 3"], shown={0: "portal"}, hidden={0: "portal"}
    )
    game.play("portal back")
    assert game.held(0) == [] and game.held(0, face_up=False) == ["portal"]
    game.play("portal back")
    assert game.pawn == 8
    assert game.legal() == {"violet 1"}


@both
def test_a_portal_holder_leads_and_follows(rules):
    game = rules.table(["violet 1", "violet 2", "violet 3"], hidden={1: "portal"})
    assert game.legal() == {"violet 1"}
    game.play("violet 1")
    assert "portal on" in game.legal()


@both
def test_the_track_has_a_first_square(rules):
    game = rules.table(["violet 1", "violet 2", "violet 3"], pawn=0, shown={0: "portal"})
    game.play("portal back")
    assert game.pawn == 0
    game = rules.table(["violet 1", "blue 6", "violet 3"], pawn=0, placed="blue 1 2 3 4 5")
    game.play("violet 1", "blue 6", "retreat")
    assert game.pawn == 0


@both
def test_the_moon_ends_the_round(rules):
    game = rules.table(["violet 1", "blue 2", "violet 3"], pawn=MOON - 1)
    game.play("violet 1", "blue 2")
    assert game.over and game.pawn == MOON
    assert game.points == [0, 0, 3]
    # The card is not laid any more.
    assert game.placed("blue") == []


@pytest.mark.parametrize("face_up", [True, False])
@both
def test_portal_just_before_the_moon(rules, face_up):
    tiles = {"shown" if face_up else "hidden": {0: "portal"}}
    game = rules.table(
        ["violet 1, green 1", "blue 2, green 2", "violet 3, green 3"], pawn=MOON - 1, **tiles
    )
    game.play("violet 1", "blue 2")
    assert game.phase == "moon" and game.to_play == 0
    assert game.pawn == MOON - 1
    assert game.legal() == {"portal back", "portal on", "pass"}
    game.play("portal back")
    assert game.pawn == MOON - 1 and not game.over
    assert game.placed("blue") == [2]
    assert game.phase == "card" and game.to_play == 2


@both
def test_passing_lets_the_moon_come(rules):
    game = rules.table(["violet 1", "blue 2", "violet 3"], pawn=MOON - 1, shown={0: "portal"})
    game.play("violet 1", "blue 2", "pass")
    assert game.over and game.points == [0, 0, 3]


@both
def test_portal_holders_are_asked_clockwise_from_who_acts(rules):
    game = rules.table(
        ["violet 1", "violet 2", "blue 2", "violet 3", "violet 4"],
        pawn=MOON - 1,
        shown={1: "portal"},
        hidden={2: "portal"},
    )
    game.play("violet 1", "violet 2", "portal back", "blue 2")
    # One step is left, from the square before the last.
    assert game.pass_by("portal").phase == "card" and game.pawn == MOON - 1
    game = rules.table(
        ["violet 1", "violet 2", "blue 2", "violet 3", "violet 4"],
        pawn=MOON - 1,
        shown={1: "portal"},
        hidden={2: "portal"},
    )
    game.play("violet 1", "violet 2", "blue 2")
    asked = []
    while game.phase == "moon" and not game.over:
        asked.append(game.to_play)
        game.play("pass")
    assert asked == [2, 1]
    assert game.over


@both
def test_nobody_is_asked_without_a_portal(rules):
    tiles = {"hidden": {0: "dagger", 2: "shard"}}
    hands = ["violet 1", "blue 2", "violet 3"]
    game = rules.table(hands, pawn=MOON - 1, asked="holders", **tiles)
    assert game.play("violet 1", "blue 2").over
    # Or, where all are asked who may hold one, with nothing face down.
    game = rules.table(hands, pawn=MOON - 1, shown={0: "dagger", 2: "shard"})
    assert game.play("violet 1", "blue 2").over


@both
def test_who_may_hold_a_portal_is_asked_too(rules):
    """For all that the others see: a tile lies face down, and not both Portals lie elsewhere."""
    hands = ["violet 1, blue 1", "blue 2, green 2", "violet 3, green 3"]
    made = {"pawn": MOON - 1, "hidden": {0: "dagger", 2: "shard"}}
    for display, asked in (
        (("shard", "shard"), [2, 0]),
        (("portal", "shard"), [2, 0]),
        (("portal", "portal"), []),
    ):
        game = rules.table(hands, display=display, **made).play("violet 1", "blue 2")
        found = []
        while not game.over:
            assert game.phase == "moon" and game.legal() == {"pass"}
            found.append(game.to_play)
            game.play("pass")
        assert sorted(found) == sorted(asked)
    # One lies before a player, who is asked anyhow; the other is on the display.
    game = rules.table(hands, display=("portal", None), shown={1: "portal"}, **made)
    game.play("violet 1", "blue 2")
    assert (game.to_play, game.legal()) == (1, {"pass", "portal back", "portal on"})
    assert game.play("pass").over


@both
def test_who_may_hold_a_dagger_is_asked_too(rules):
    hands = ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3"]
    made = {"placed": "yellow 1 2 3 4 5"}
    game = rules.table(hands, hidden={1: "shard"}, **made).play("violet 1", "yellow 6")
    assert (game.phase, game.to_play, game.legal()) == ("neutralisation", 1, {"pass"})
    assert game.play("pass").phase == "card"
    # All five are in sight.
    shown = {0: "dagger dagger dagger", 2: "dagger"}
    made |= {"display": ("dagger", "shard"), "pile": "mask"}
    game = rules.table(hands, hidden={1: "shard"}, shown=shown, **made).play("violet 1", "yellow 6")
    assert game.phase == "card"
    assert game.play("violet 3", "take 1").phase == "card"


# At any moment


@pytest.mark.parametrize("asked", ["everyone", "holders"])
@both
def test_portal_before_the_round_ends_for_want_of_cards(rules, asked):
    """The last trick is resolved, and the pawn stands before the Moon."""
    for answer, points in (
        ("portal on", [3, 0, 0]),
        ("portal back", [0, 2, 2]),
        ("pass", [0, 2, 2]),
    ):
        game = rules.table(
            ["violet 1", "violet 2", "violet 3"],
            camps="oss",
            pawn=MOON - 1,
            hidden={0: "portal"},
            asked=asked,
            display=(None, None),
            pile="",
        )
        game.play("violet 1", "violet 2", "violet 3")
        assert (game.phase, game.to_play, game.over) == ("portal", 0, False)
        assert game.legal() == {"portal on", "portal back", "pass"}
        assert game.play(answer).over and game.points == points


@both
def test_portals_of_two_before_the_round_ends(rules):
    """Two squares, two Portals: after the first one, who passed is asked again, or stops it."""
    for answers, points in (
        (("pass", "portal on", "portal on"), [3, 0, 0]),
        (("pass", "portal on", "pass"), [0, 2, 2]),
        (("portal on", "portal back"), [0, 2, 2]),
    ):
        game = rules.table(
            ["violet 1", "violet 2", "violet 3"],
            camps="oss",
            pawn=MOON - 2,
            shown={0: "portal", 1: "portal"},
            guide=1,
        )
        game.play("violet 2", "violet 3", "violet 1", "take 1")
        # From who would have led, clockwise.
        assert (game.phase, game.to_play) == ("portal", 0)
        assert game.play(*answers).pass_by("portal").over and game.points == points


@both
def test_nobody_is_asked_before_the_end_if_the_moon_is_too_far(rules):
    """As far as all can see: two squares, but only one tile that may be a Portal."""
    made = {"display": (None, None), "pile": ""}
    for hidden, over in (({0: "portal"}, True), ({0: "portal", 1: "shard"}, False)):
        game = rules.table(
            ["violet 1", "violet 2", "violet 3"], pawn=MOON - 2, hidden=hidden, **made
        )
        assert game.play("violet 1", "violet 2", "violet 3").over == over


@pytest.mark.parametrize(
    ("world", "ritual"),
    [("blue", "stabilisation"), ("green", "permutation"), ("yellow", "neutralisation")],
)
@both
def test_portal_before_a_ritual(rules, world, ritual):
    """A Shadow gets the pawn to the Moon before it is sent back, or its role is swapped."""
    game = rules.table(
        ["violet 1, orange 1", f"{world} 6, orange 2", "violet 3, orange 3"],
        camps="sso",
        pawn=MOON - 2,
        placed=f"{world} 1 2 3 4 5",
        shown={1: "dagger"},
        hidden={2: "portal"},
    )
    game.play("violet 1", f"{world} 6")
    assert (game.phase, game.to_play) == ("portal", 2)
    assert game.play("portal on").over and game.points == [0, 0, 3]
    # Passing lets the ritual be done.
    game = rules.table(
        ["violet 1, orange 1", f"{world} 6, orange 2", "violet 3, orange 3"],
        pawn=MOON - 2,
        placed=f"{world} 1 2 3 4 5",
        shown={1: "dagger"},
        hidden={2: "portal"},
    )
    game.play("violet 1", f"{world} 6", "pass")
    assert (game.phase, game.to_play) == (ritual, 1)


@both
def test_no_portal_is_offered_before_a_ritual_without_a_decision(rules):
    """An illumination; a neutralisation by who can't have a Dagger; far from the Moon."""
    for world, pawn in (("violet", MOON - 2), ("yellow", MOON - 2), ("blue", MOON - 3)):
        game = rules.table(
            ["orange 1, red 1", f"{world} 6, red 2", "orange 3, red 3"],
            pawn=pawn,
            placed=f"{world} 1 2 3 4 5",
            shown={2: "portal"},
        )
        game.play("orange 1", f"{world} 6")
        assert game.to_play == (1 if world == "blue" else 2)
        assert game.phase == ("stabilisation" if world == "blue" else "card")


@both
def test_portal_after_a_card_has_moved_the_pawn(rules):
    """Whose turn comes next may use it then and isn't asked before."""
    hands = ["violet 1, blue 1", "green 2, blue 2", "violet 3, blue 3"]
    game = rules.table(hands, pawn=MOON - 2, hidden={0: "portal"}).play("violet 1", "green 2")
    assert (game.phase, game.to_play) == ("portal", 0)
    assert game.play("pass").to_play == 2 and game.phase == "card"
    # Nothing has moved since: nobody is asked again.
    assert game.play("violet 3", "take 1").phase == "card"
    game = rules.table(hands, pawn=MOON - 2, hidden={2: "portal"}).play("violet 1", "green 2")
    assert (game.phase, game.to_play) == ("card", 2)
    assert "portal on" in game.legal()


@both
def test_portal_after_the_last_card_of_a_trick_has_moved_the_pawn(rules):
    hands = ["violet 1, blue 1", "violet 2, blue 2", "green 3, blue 3"]
    game = rules.table(hands, pawn=MOON - 2, hidden={1: "portal"})
    game.play("violet 1", "violet 2", "green 3")
    assert (game.phase, game.to_play) == ("portal", 1)
    assert game.play("pass").phase == "artefact"


@both
def test_portal_after_another_was_used(rules):
    hands = ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"]
    game = rules.table(hands, pawn=MOON - 2, shown={0: "portal", 2: "portal"})
    game.play("portal on")
    assert (game.phase, game.to_play) == ("portal", 2)
    game.play("portal back")
    assert (game.phase, game.to_play, game.pawn) == ("card", 0, MOON - 2)


@both
def test_portal_before_another_is_eliminated(rules):
    """The last Shadow's elimination would end the round; another sends the pawn to the Moon."""
    made = {"pawn": MOON - 2, "shown": {1: "dagger", 2: "portal"}, "camps": "osss"}
    for answer, points in (("portal on", [3, 0, 0, 0]), ("pass", [0, 2, 2, 2])):
        game = kill(rules, 0, 4, **made)
        assert (game.phase, game.to_play) == ("last words", 2)
        assert game.play(answer).over and game.points == points


@both
def test_only_who_is_eliminated_is_asked_far_from_the_moon(rules):
    game = kill(rules, 2, hidden={2: "shard", 3: "portal"})
    assert (game.phase, game.to_play, game.legal()) == ("last words", 2, {"pass"})
    assert game.play("pass").is_eliminated(2)
    assert game.phase == "card"


@both
def test_a_portal_may_push_the_pawn_onto_the_moon(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        pawn=MOON - 1,
        shown={0: "portal"},
        camps="oss",
    )
    game.play("portal on")
    assert game.over and game.points == [3, 0, 0]


@both
def test_a_portal_against_a_portal(rules):
    game = rules.table(
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        pawn=MOON - 1,
        shown={0: "portal"},
        hidden={2: "portal"},
    )
    game.play("portal on")
    assert game.phase == "moon" and game.to_play == 2
    game.play("portal back")
    assert game.pawn == MOON - 1
    assert game.phase == "card" and game.to_play == 0
    assert game.legal() == {"violet 1", "blue 1"}


@both
def test_a_portal_on_before_the_moon_uses_up_the_other(rules):
    """The step that waits comes after it: a Portal that stops the one doesn't stop the other."""
    for answer in ("portal back", "portal on", "pass"):
        game = rules.table(
            ["violet 1, green 1", "blue 2, green 2", "violet 3, green 3"],
            pawn=MOON - 1,
            shown={2: "portal"},
            hidden={0: "portal"},
        )
        game.play("violet 1", "blue 2", "portal on")
        assert game.phase == "moon" and game.to_play == 0
        game.play(answer)
        assert game.over and game.points == [0, 0, 3]


# Rituels


@both
def test_ritual_of_stabilisation_two_squares_back(rules):
    game = rules.table(["violet 1", "blue 6", "violet 3"], placed="blue 1 2 3 4 5")
    game.play("violet 1", "blue 6")
    assert game.phase == "stabilisation" and game.to_play == 1
    assert game.legal() == {"take 1", "take 2", "take top", "retreat"}
    game.play("retreat")
    assert game.pawn == 9
    assert game.phase == "card" and game.to_play == 2


@pytest.mark.parametrize("take", ["take 1", "take top"])
@both
def test_ritual_of_stabilisation_an_artefact(rules, take):
    game = rules.table(
        ["violet 1", "blue 6", "violet 3"],
        placed="blue 1 2 3 4 5",
        display=("portal", "shard"),
        pile="portal dagger dagger",
    )
    game.play("violet 1", "blue 6", take)
    if take == "take top":
        game.play("keep down")
    assert game.held(1, face_up=take == "take 1") == ["portal"]
    assert game.pawn == 11
    assert game.phase == "card" and game.to_play == 2


@both
def test_ritual_of_permutation(rules):
    game = rules.table(["violet 1", "green 6", "violet 3", "violet 4"], placed="green 1 2 3 4 5")
    game.play("violet 1", "green 6")
    assert game.phase == "permutation" and game.to_play == 1
    assert game.legal() == {"swap player_2", "swap player_3", "swap player_0"}
    game.play("swap player_3")
    assert [game.camp(seat) for seat in range(4)] == ["shaman", "shadow", "shaman", "shaman"]
    # Both look at their new card, and know the one they gave.
    for seat, other in ((1, 1), (1, 3), (3, 1), (3, 3)):
        assert game.knows(seat, other)
    assert not game.knows(0, 1) and not game.knows(1, 2)
    assert not game.is_revealed(1)


@both
def test_permutation_changes_who_wins(rules):
    game = rules.table(["violet 1", "green 6", "blue 3"], placed="green 1 2 3 4 5", pawn=MOON - 2)
    game.play("violet 1", "green 6", "swap player_2", "blue 3")
    assert game.points == [0, 3, 0]


@both
def test_permutation_of_a_role_shown_can_be_followed(rules):
    game = rules.table(
        ["violet 4, blue 1", "violet 2, blue 2", "green 6, blue 3"],
        placed="green 1 2 3 4 5",
        display=("mask", "shard"),
        guide=2,
    )
    game.play("green 6", "violet 4", "violet 2")
    game.play("take 1", "swap player_0")
    assert game.camp(0) == "shadow" and game.is_revealed(0)
    assert game.camp(2) == "shaman" and not game.is_revealed(2)


@both
def test_ritual_of_illumination_is_kept(rules):
    game = rules.table(["blue 1", "violet 4", "green 2"], placed="violet 1 2 3 5 6", pawn=MOON - 2)
    game.play("blue 1", "violet 4")
    assert game.points == [0, 1, 0]
    game.play("green 2")
    assert game.over and game.points == [0, 1, 3]


@both
def test_neutralisation_with_a_dagger_face_up_is_compulsory(rules):
    game = rules.table(
        ["violet 1", "yellow 6", "violet 3", "violet 4"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger dagger"},
    )
    game.play("violet 1", "yellow 6")
    assert game.phase == "neutralisation" and game.to_play == 1
    assert game.legal() == {"eliminate player_2", "eliminate player_3", "eliminate player_0"}
    game.play("eliminate player_2")
    assert game.held(1) == ["dagger"] and game.gone == ["dagger"]
    assert game.is_eliminated(2) and game.is_revealed(2)


@both
def test_neutralisation_with_a_dagger_face_down_is_optional(rules):
    hands = ["violet 1", "yellow 6", "violet 3"]
    made = {"placed": "yellow 1 2 3 4 5", "hidden": {1: "dagger"}}
    game = rules.table(hands, **made).play("violet 1", "yellow 6")
    assert game.legal() == {"pass", "eliminate player_2", "eliminate player_0"}
    game.play("pass")
    assert game.held(1, face_up=False) == ["dagger"]
    assert game.phase == "card" and game.to_play == 2
    game = rules.table(hands, **made).play("violet 1", "yellow 6", "eliminate player_0")
    assert game.is_eliminated(0)
    assert game.held(1, face_up=False) == []


@both
def test_the_dagger_face_up_goes_first(rules):
    game = rules.table(
        ["violet 1", "yellow 6", "violet 3"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger"},
        hidden={1: "dagger"},
    )
    game.play("violet 1", "yellow 6")
    assert "pass" not in game.legal()
    game.play("eliminate player_0")
    assert game.held(1) == [] and game.held(1, face_up=False) == ["dagger"]


@both
def test_neutralisation_without_a_dagger_does_nothing(rules):
    hands = ["violet 1", "yellow 6", "violet 3"]
    for tiles in ({"shown": {1: "shard"}}, {"hidden": {1: "shard"}, "asked": "holders"}):
        game = rules.table(hands, placed="yellow 1 2 3 4 5", **tiles)
        game.play("violet 1", "yellow 6")
        assert game.phase == "card" and game.to_play == 2


@both
def test_rituals_that_need_another_player_do_nothing_alone(rules):
    """Two of three are out: a Dagger is kept, roles stay."""
    game = rules.table(
        ["violet 1, green 6, yellow 6", "", ""],
        placed="violet 2, green 1 2 3 4 5, yellow 1 2 3 4 5",
        shown={0: "dagger"},
        camps="oss",
        eliminated=(1, 2),
    )
    game.play("violet 1", "take 1", "green 6", "take 1", "yellow 6", "take 1")
    assert game.over
    assert game.held(0) == ["dagger", "dagger", "dagger", "shard"]
    assert game.points == [0, 0, 0]


# Effet d'une élimination


def kill(rules, target: int, num_players: int = 5, **made):
    """Seat 1 completes yellow and eliminates ``target`` in the first trick."""
    hands = made.pop("hands", None) or [
        "violet 1, blue 1 2 3",
        "yellow 8, blue 4",
        "violet 3, green 1 2",
        "violet 4, green 3 4",
        "violet 5, green 5 6",
    ]
    top = 8 if num_players == 5 else 6
    hands = [hand.replace("yellow 8", f"yellow {top}") for hand in hands]
    made.setdefault("placed", f"yellow {' '.join(map(str, range(1, top)))}")
    made.setdefault("shown", {1: "dagger"})
    game = rules.table(hands[:num_players], **made)
    game.play("violet 1", f"yellow {top}").pass_by("portal")
    return game.play(f"eliminate player_{target}")


@both
def test_eliminated_shaman_moves_the_pawn_by_its_cards(rules):
    game = kill(rules, 2)
    assert game.is_revealed(2)
    assert game.pawn == 10 + 1 + 3
    # Set aside: never placed, nor played.
    assert game.set_aside(2) == ["violet 3", "green 1", "green 2"]
    assert game.placed("green") == []
    assert game.to_play == 3
    game.play("violet 4", "violet 5", "take 1")
    assert game.to_play == 4


@both
def test_eliminated_shaman_without_cards(rules):
    game = kill(rules, 0, hands=["violet 1", "yellow 8", "violet 3", "violet 4", "violet 5"])
    assert game.pawn == 11


@both
def test_eliminated_shaman_may_bring_the_moon(rules):
    game = kill(rules, 2, pawn=MOON - 4)
    assert game.over and game.pawn == MOON
    assert game.points == [0, 0, 0, 3, 3]


@both
def test_portal_before_the_last_step_of_an_elimination(rules):
    game = kill(rules, 2, pawn=MOON - 3, hidden={4: "portal"})
    # One step for the card, one of three for the cards in hand.
    assert game.phase == "moon" and game.to_play == 4
    assert game.pawn == MOON - 1
    game.play("portal back")
    assert game.over and game.points == [0, 0, 0, 3, 3]
    game = kill(rules, 2, pawn=MOON - 4, hidden={4: "portal"})
    assert game.phase == "moon"
    game.play("portal back")
    assert game.pass_by("portal").phase == "card" and game.pawn == MOON - 1


@both
def test_every_step_to_the_moon_is_asked_about(rules):
    game = kill(rules, 2, pawn=MOON - 3, hidden={4: "portal"}, shown={1: "dagger", 3: "portal"})
    game.pass_by("last words")
    assert [game.to_play, game.phase] == [3, "moon"]
    game.play("pass")
    assert game.to_play == 4
    game.play("portal back")
    # The next step would be the Moon again: players who passed are asked again.
    assert [game.to_play, game.phase] == [3, "moon"]
    game.play("portal back")
    assert game.pawn == MOON - 1 and not game.over


@both
def test_eliminating_the_last_shadow_wins_the_round(rules):
    game = kill(rules, 2, 3)
    assert game.over
    assert game.points == [2, 2, 0]
    assert game.pawn == 11


@both
def test_eliminated_shadow_lays_its_cards_without_moving_the_pawn(rules):
    game = kill(rules, 3)
    assert not game.over and game.is_revealed(3)
    assert game.placed("green") == [3, 4] and game.placed("violet") == [4]
    assert game.pawn == 11
    assert game.hand(3) == []
    assert game.to_play == 2


@both
def test_the_killer_resolves_the_chain_in_an_order_of_its_choice(rules):
    game = kill(
        rules,
        3,
        hands=[
            "violet 1, blue 1",
            "yellow 8, blue 4",
            "violet 3, green 1",
            "orange 8, green 8, violet 8",
            "violet 5, green 5",
        ],
        placed="yellow 1 2 3 4 5 6 7, orange 1 2 3 4 5 6 7, green 1 2 3 4 5 6 7, "
        "violet 2 3 4 5 6 7 1",
    )
    assert game.phase == "order" and game.to_play == 1
    assert game.legal() == {"ritual violet", "ritual green", "ritual orange"}
    game.play("ritual orange")
    assert game.phase == "stabilisation" and game.to_play == 1
    game.play("retreat")
    assert game.phase == "order"
    assert game.legal() == {"ritual violet", "ritual green"}
    game.play("ritual violet")
    assert game.points == [0, 1, 0, 0, 0]
    # The last one needs no choice.
    assert game.phase == "permutation"
    assert game.legal() == {"swap player_2", "swap player_4", "swap player_0"}
    game.play("swap player_0")
    assert game.phase == "card" and game.to_play == 2


@both
def test_a_chain_may_hold_another_neutralisation(rules):
    game = kill(
        rules,
        3,
        hands=[
            "violet 1, blue 1",
            "yellow 8, blue 4",
            "violet 3, green 1",
            "brown 8, blue 7",
            "violet 5, green 5",
        ],
        placed="yellow 1 2 3 4 5 6 7, brown 1 2 3 4 5 6 7",
        shown={1: "dagger dagger"},
    )
    assert game.phase == "neutralisation" and game.to_play == 1
    assert game.legal() == {"eliminate player_2", "eliminate player_4", "eliminate player_0"}
    game.play("eliminate player_4")
    # That was the last Shadow.
    assert game.over and game.points == [2, 2, 2, 0, 0]


@both
def test_chain_goes_on_after_a_shaman_is_eliminated_in_it(rules):
    game = kill(
        rules,
        3,
        hands=[
            "violet 1, blue 1",
            "yellow 8, blue 4",
            "violet 3, green 1",
            "brown 8, violet 8",
            "violet 5, green 5",
        ],
        placed="yellow 1 2 3 4 5 6 7, brown 1 2 3 4 5 6 7, violet 1 2 3 4 5 6 7",
        shown={1: "dagger dagger"},
    )
    game.play("ritual brown", "eliminate player_2")
    assert game.pawn == 11 + 2
    assert game.points == [0, 1, 0, 0, 0]
    assert game.phase == "card" and game.to_play == 4


@both
def test_portal_just_before_being_eliminated(rules):
    for use, square in (("portal back", 10), ("portal on", 12), ("pass", 11)):
        game = kill(rules, 2, hidden={2: "portal"})
        assert game.phase == "last words" and game.to_play == 2
        assert game.legal() == {"portal back", "portal on", "pass"}
        assert not game.is_eliminated(2) and not game.is_revealed(2)
        game.play(use)
        assert game.is_eliminated(2)
        assert game.pawn == square + 3


@both
def test_both_portals_just_before_being_eliminated(rules):
    game = kill(rules, 2, hidden={2: "portal portal"})
    game.play("portal back")
    assert game.phase == "last words"
    game.play("portal back")
    assert game.pawn == 9 + 3 and game.is_eliminated(2)


@both
def test_a_shadow_may_reach_the_moon_just_before_being_eliminated(rules):
    game = kill(rules, 2, 3, pawn=MOON - 2, shown={1: "dagger", 2: "portal"})
    game.play("portal on")
    assert game.over and not game.is_eliminated(2)
    assert game.points == [0, 0, 3]


@both
def test_others_may_stop_the_portal_of_who_is_eliminated(rules):
    game = kill(rules, 4, pawn=MOON - 2, shown={1: "dagger", 4: "portal"}, hidden={0: "portal"})
    game.play("portal on")
    assert game.phase == "moon" and game.to_play == 0
    game.play("portal back")
    assert game.is_eliminated(4) and game.pawn == MOON - 1
    assert game.phase == "card"


@both
def test_artefacts_leave_with_the_eliminated_player(rules):
    game = kill(
        rules,
        2,
        shown={1: "dagger", 2: "shard dagger"},
        hidden={2: "shard"},
        display=("mask", "mask"),
    ).pass_by("last words")
    assert game.held(2) == []
    assert game.gone == ["dagger", "dagger", "shard"]
    # The one face down was not shown.
    assert game.removed_unseen(2) == ["shard"]


@pytest.mark.parametrize("face_up", [True, False])
@both
def test_a_portal_that_left_is_not_asked_about(rules, face_up):
    tiles = {"shown": {1: "dagger"}, "hidden": {2: "portal"}}
    if face_up:
        tiles = {"shown": {1: "dagger", 2: "portal"}}
    game = kill(rules, 2, pawn=MOON - 4, **tiles)
    game.play("pass")
    assert game.over


@both
def test_the_card_of_an_eliminated_player_does_not_count(rules):
    """The rulebook's example: the eliminated Guide had the lowest card."""
    game = kill(rules, 0)
    game.play("violet 3", "violet 4", "violet 5")
    assert game.phase == "artefact" and game.to_play == 2
    game.play("take 1")
    assert game.placed("violet") == [1, 3, 4, 5]
    assert game.guide == 4


@both
def test_the_highest_card_of_an_eliminated_player_does_not_count(rules):
    game = rules.table(
        [
            "violet 8, blue 1",
            "yellow 8, blue 4",
            "violet 3, green 1",
            "violet 4, green 3",
            "violet 5, green 5",
        ],
        placed="yellow 1 2 3 4 5 6 7",
        shown={1: "dagger"},
    )
    game.play("violet 8", "yellow 8", "eliminate player_0", "violet 3", "violet 4", "violet 5")
    game.play("take 1")
    assert game.guide == 4


@both
def test_a_player_eliminated_before_its_turn_is_skipped_and_the_destination_stays(rules):
    game = kill(rules, 0)
    assert game.destination == "violet"
    game.play("violet 3", "violet 4")
    game = kill(rules, 3)
    game.play("violet 3")
    assert game.to_play == 4


@both
def test_tricks_go_on_without_the_eliminated(rules):
    game = rules.table(["violet 1, blue 1", "", "violet 3, blue 3"], eliminated=(1,), camps="sso")
    game.play("violet 1")
    assert game.phase == "card" and game.to_play == 2
    game.play("violet 3")
    assert game.phase == "artefact" and game.to_play == 0


@pytest.mark.parametrize("named", [1, 2, 3, 4])
@both
def test_an_eliminated_lone_follower_names_the_guide(rules, named):
    game = kill(rules, 0)
    game.play("green 1", "green 3", "green 5")
    assert game.phase == "name" and game.to_play == 0
    assert game.legal() == {f"guide player_{seat}" for seat in (1, 2, 3, 4)}
    game.play(f"guide player_{named}")
    # No artefact is taken; the card is laid all the same.
    assert not any(game.held(seat) for seat in range(5))
    assert game.placed("violet") == [1]
    assert game.phase == "card" and game.to_play == game.guide == named


@both
def test_the_named_guide_does_the_ritual(rules):
    game = kill(rules, 0, placed="yellow 1 2 3 4 5 6 7, violet 2 3 4 5 6 7 8")
    game.play("green 1", "green 3", "green 5", "guide player_2")
    assert game.points == [0, 0, 1, 0, 0]


@both
def test_of_two_eliminated_followers_the_higher_names_the_guide(rules):
    game = rules.table(
        [
            "violet 1, blue 1",
            "violet 7, blue 2",
            "yellow 8, blue 3",
            "brown 8, blue 4",
            "red 1, blue 5",
        ],
        placed="yellow 1 2 3 4 5 6 7, brown 1 2 3 4 5 6 7",
        shown={2: "dagger", 3: "dagger"},
    )
    game.play("violet 1", "violet 7", "yellow 8", "eliminate player_0")
    game.play("brown 8", "eliminate player_1", "red 1")
    assert game.phase == "name" and game.to_play == 1
    assert game.legal() == {"guide player_2", "guide player_3", "guide player_4"}


# Fin de manche ou de partie


@both
def test_shamans_win_when_the_hands_are_empty(rules):
    game = rules.table(["violet 1", "violet 2", "violet 3", "violet 4"])
    game.play("violet 1", "violet 2", "violet 3", "violet 4", "take 1")
    assert game.over and game.points == [2, 2, 2, 0]


@both
def test_the_last_trick_is_resolved(rules):
    """Its artefact counts, its ritual is done: the last Dagger falls."""
    game = rules.table(
        ["yellow 4", "yellow 5", "yellow 6"],
        placed="yellow 1 2 3",
        hidden={2: "dagger"},
        shown={0: "shard"},
        camps="oss",
    )
    game.play("yellow 4", "yellow 5", "yellow 6", "take 1")
    assert game.phase == "neutralisation"
    game.play("eliminate player_1")
    # Eliminated without cards: the pawn stays, the Shamans have held out.
    assert game.over and game.points == [2, 0, 2]


@both
def test_the_eliminated_get_no_points(rules):
    game = kill(
        rules,
        2,
        hands=["violet 1", "yellow 8", "violet 3", "violet 4", "violet 5"],
        shown={1: "dagger", 2: "shard", 0: "shard shard"},
        display=("mask", "mask"),
    )
    game.play("violet 4", "violet 5", "take top", "keep up")
    assert game.over and game.points == [4, 2, 0, 0, 0]


@pytest.mark.parametrize(("shards", "bonus"), [(0, 0), (1, 0), (2, 2), (3, 2)])
@both
def test_points_for_shards_on_either_side(rules, shards, bonus):
    for seat in (0, 2):
        game = rules.table(
            ["violet 1", "violet 2", "violet 3"],
            hidden={seat: "shard " * shards},
            display=("dagger", "dagger"),
            pile="",
        )
        game.play("violet 1", "violet 2", "violet 3", "take 1")
        expected = [2, 2, 0]
        expected[seat] += bonus
        assert game.points == expected


@both
def test_no_shadow_wins_by_eliminating_all_shamans(rules):
    game = rules.table(
        ["violet 1, blue 1", "", "yellow 6, blue 3"],
        placed="yellow 1 2 3 4 5",
        shown={2: "dagger"},
        display=("dagger", "dagger"),
        guide=2,
        camps="sso",
        eliminated=(1,),
    )
    game.play("yellow 6", "violet 1", "take 1", "eliminate player_0")
    assert game.is_eliminated(0) and not game.over
    game.play("blue 3", "take 1")
    assert game.over and game.pawn == 12
    assert game.points == [0, 0, 0]


@both
def test_round_goes_on_without_shamans_until_the_hands_are_empty(rules):
    game = rules.table(["violet 1 2 3", "", ""], camps="oss", eliminated=(1, 2), **NO_TILES)
    game.play("violet 1", "violet 2")
    assert not game.over
    game.play("violet 3")
    assert game.over and game.points == [0, 0, 0]


@both
def test_next_round_is_dealt_anew_and_the_marker_goes_left(rules):
    game = rules.table(
        ["violet 1", "violet 2", "violet 3"],
        rounds="match",
        guide=2,
        shown={1: "dagger", 0: "shard shard"},
        display=("dagger", "dagger"),
        pile="dagger",
    )
    game.play("violet 3", "violet 1", "violet 2", "take 1")
    assert not game.over and game.round == 1
    # Only points are kept.
    assert game.points == [4, 2, 0]
    assert not any(game.held(seat) for seat in range(3))
    assert game.marker == game.guide == game.to_play == 0
    assert game.pawn == 20
    assert [len(game.hand(seat)) for seat in range(3)] == [9, 9, 9]
    assert not any(game.is_revealed(seat) for seat in range(3))


def last_trick(rules, before: list[int]):
    game = rules.table(["violet 1", "violet 2", "violet 3"], rounds="match", points=before)
    return game.play("violet 1", "violet 2", "violet 3", "take 1")


@both
def test_match_ends_at_eight_points(rules):
    game = last_trick(rules, [6, 5, 7])
    assert game.over and game.points == [8, 7, 7]
    assert game.ranks == [1, 2, 2]


@both
def test_match_goes_on_below_eight(rules):
    assert not last_trick(rules, [5, 5, 7]).over


@both
def test_match_goes_on_while_the_first_place_is_shared(rules):
    game = last_trick(rules, [6, 6, 7])
    assert not game.over and game.points == [8, 8, 7]


@both
def test_a_tie_below_the_first_place_ends_the_match(rules):
    game = last_trick(rules, [7, 6, 8])
    assert game.over and game.points == [9, 8, 8]


@both
def test_match_does_not_end_in_the_middle_of_a_round(rules):
    game = rules.table(
        ["blue 1, blue 2", "violet 4, blue 3", "blue 4, blue 5"],
        placed="violet 1 2 3 5 6",
        points=[0, 7, 0],
    )
    game.play("blue 1", "violet 4")
    assert game.points[1] == 8 and not game.over


@both
def test_single_round_ends_the_game(rules):
    game = rules.dealt(4, 3, rounds="single").play_out()
    assert game.round == 0
    assert max(game.points) < 8
    assert game.ranks == [1 + sum(o > p for o in game.points) for p in game.points]


# Ce que chacun sait


@both
def test_everybody_is_told_of_a_card_played(rules):
    game = rules.table(["violet 1", "blue 2", "violet 3"])
    game.play("violet 1")
    assert [game.told(seat) for seat in range(3)] == ["violet 1"] * 3
    game.play("blue 2")
    assert [game.told(seat) for seat in range(3)] == ["blue 2"] * 3


@both
def test_cards_for_the_eclipse_are_chosen_unseen(rules):
    game = eclipse_table(rules, "left", [f"violet {k}, blue {k}" for k in (1, 2, 3)])
    game.play("violet 1", "violet 2", "violet 3", "take 1", "blue 1")
    assert [game.told(seat) for seat in range(3)] == ["blue 1", "take 1", "take 1"]


@both
def test_cards_are_remembered_with_who_led_and_followed(rules):
    game = rules.table(["violet 1, blue 1", "blue 2, green 2", "violet 3, blue 3"])
    game.play("violet 1", "blue 2", "violet 3", "take 1", "blue 3")
    assert [set(game.done(seat)) for seat in range(3)] == [
        {"led violet 1"},
        {"strayed blue 2", "step"},
        {"followed violet 3", "led blue 3"},
    ]


@pytest.mark.parametrize(
    ("world", "answer", "done"),
    [
        ("blue", "retreat", {"retreat"}),
        ("blue", "take 1", {"artefact"}),
        ("green", "swap player_0", {"permutation", "swapped player_0"}),
        ("yellow", "eliminate player_2", {"neutralisation", "eliminated player_2"}),
        ("violet", None, {"illumination"}),
    ],
)
@both
def test_deeds_in_rituals_are_remembered(rules, world, answer, done):
    game = rules.table(
        ["orange 1, red 1", f"{world} 6, red 2", "orange 3, red 3"],
        placed=f"{world} 1 2 3 4 5",
        shown={1: "dagger"},
        camps="oss",
    )
    game.play("orange 1", f"{world} 6", *([answer] if answer else []))
    assert set(game.done(1)) == {f"strayed {world} 6", "step", *done}
    assert set(game.done(0)) == {"led orange 1"}


@both
def test_portals_used_are_remembered_until_the_round_ends(rules):
    game = rules.table(
        ["violet 1", "violet 2", "violet 3"], shown={0: "portal portal"}, rounds="match"
    )
    game.play("portal on", "portal back")
    assert game.done(0) == {"portal on": 1, "portal back": 1}
    game.play("violet 1", "violet 2", "violet 3", "take 1")
    assert game.round == 1 and not any(game.done(seat) for seat in range(3))


@pytest.mark.parametrize("face_up", [True, False])
@both
def test_a_pass_before_the_moon_is_told_if_the_portal_lies_face_up(rules, face_up):
    tiles = {"shown": {3: "portal"}} if face_up else {"hidden": {3: "portal"}}
    tiles.setdefault("hidden", {})[0] = "portal"
    made = {"pawn": MOON - 1, "asked": "holders", **tiles}
    game = rules.table([f"violet {k}, blue {k}" for k in (1, 2, 3, 4)], **made)
    game.play("violet 1", "blue 2")
    assert game.phase == "moon" and game.to_play == 3
    game.play("pass")
    seen = "pass" if face_up else "blue 2"
    assert [game.told(seat) for seat in range(4)] == [seen, seen, seen, "pass"]


@pytest.mark.parametrize("face_up", [True, False])
@both
def test_a_pass_before_an_elimination_is_told_if_the_portal_lies_face_up(rules, face_up):
    tiles = {"shown": {1: "dagger"}, "hidden": {2: "portal"}}
    if face_up:
        tiles = {"shown": {1: "dagger", 2: "portal"}}
    game = kill(rules, 2, asked="holders", **tiles).play("pass")
    seen = "pass" if face_up else "eliminate player_2"
    assert [game.told(seat) for seat in range(5)] == [seen, seen, "pass", seen, seen]


@both
def test_a_dagger_not_shown_is_not_told_of(rules):
    hands = ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3"]
    made = {"placed": "yellow 1 2 3 4 5", "hidden": {1: "dagger"}}
    game = rules.table(hands, asked="holders", **made)
    game.play("violet 1", "yellow 6", "pass")
    assert [game.told(seat) for seat in range(3)] == ["yellow 6", "pass", "yellow 6"]


@pytest.mark.parametrize("face_up", [True, False])
@both
def test_only_a_portal_face_up_shows_who_is_asked(rules, face_up):
    tiles = {"shown" if face_up else "hidden": {0: "portal"}}
    made = {"pawn": MOON - 1, "asked": "holders", **tiles}
    game = rules.table([f"violet {k}, blue {k}" for k in (1, 2, 3)], **made)
    assert [game.seen_to_play(seat) for seat in range(3)] == [0, 0, 0]
    game.play("violet 1")
    assert [game.seen_to_play(seat) for seat in range(3)] == [1, 1, 1]
    game.play("blue 2")
    assert game.phase == "moon" and game.to_play == 0
    seen = 0 if face_up else None
    assert [game.seen_to_play(seat) for seat in range(3)] == [0, seen, seen]
    game.play("portal back")
    # Everybody sees a Portal that is used.
    assert [game.told(seat) for seat in range(3)] == ["portal back"] * 3
    assert [game.seen_to_play(seat) for seat in range(3)] == [2, 2, 2]


@both
def test_only_a_dagger_face_up_shows_who_does_the_ritual(rules):
    hands = ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3"]
    for side, seen in (("shown", 1), ("hidden", None)):
        made = {"placed": "yellow 1 2 3 4 5", side: {1: "dagger"}}
        game = rules.table(hands, asked="holders", **made).play("violet 1", "yellow 6")
        assert game.phase == "neutralisation"
        assert [game.seen_to_play(seat) for seat in range(3)] == [seen, 1, seen]


@both
def test_that_all_are_asked_is_no_secret(rules):
    """Who may hold one is asked and passes before everybody's eyes."""
    hands = [f"violet {k}, blue {k}" for k in (1, 2, 3)]
    for tile in ("portal", "shard"):
        game = rules.table(hands, pawn=MOON - 1, hidden={0: tile}).play("violet 1", "blue 2")
        assert game.phase == "moon"
        assert [game.seen_to_play(seat) for seat in range(3)] == [0, 0, 0]
        game.play("pass")
        assert [game.told(seat) for seat in range(3)] == ["pass"] * 3


# What the rulebook doesn't end: ties could go on round after round


def test_a_game_is_cut_off_at_a_number_of_actions():
    for ply in (MAX_PLIES - 2, MAX_PLIES - 1):
        states = GAME.new_state(4, 3)
        states["ply"] = ply
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
        assert states["truncated"][0] == (ply == MAX_PLIES - 1)
        assert not states["terminated"][0]


def test_a_game_that_is_over_is_not_cut_off():
    game = Kernels.table(["violet 1", "violet 2", "violet 3"])
    game.play("violet 1", "violet 2", "violet 3")
    game.states["ply"] = MAX_PLIES - 1
    game.play("take 1")
    assert game.over and not game.states["truncated"][0]


# Exemple d'un tour de jeu à 5 joueurs

ROY, PRIS, RACHEL, RICK, ELDON = range(5)


@both
def test_the_rulebooks_example(rules):
    game = rules.table(
        [
            "violet 1, blue 1, green 1, yellow 1, orange 1",
            "violet 6, blue 2, green 2, yellow 2, orange 2",
            "red 6, blue 3, green 3, yellow 3, orange 3",
            "brown 5, blue 4, green 4, yellow 4, orange 4",
            "violet 7, blue 5, green 5, yellow 5, orange 5",
        ],
        camps="sssoo",
        pawn=5,
        placed="violet 2 3 4 5 8, brown 1 2 3 4 6 7 8, red 1 2",
        shown={RICK: "dagger", PRIS: "shard"},
        display=("shard", "portal"),
        pile="dagger dagger",
        guide=ROY,
    )
    game.play("violet 1")
    assert game.destination == "violet"
    assert game.to_play == PRIS
    game.play("violet 6")
    assert game.pawn == 5
    game.play("red 6")
    assert game.pawn == 5 + 1
    assert game.placed("red") == [1, 2, 6]
    assert game.to_play == RICK and game.phase == "card"
    game.play("brown 5")
    assert game.pawn == 5 + 2
    assert game.placed("brown") == list(range(1, 9))
    assert game.phase == "neutralisation" and game.to_play == RICK
    game.play("eliminate player_0")
    assert game.is_revealed(ROY) and game.camp(ROY) == "shaman"
    assert game.pawn == 5 + 6
    assert game.held(RICK) == []
    assert len(game.set_aside(ROY)) == 4 and game.hand(ROY) == []
    assert game.to_play == ELDON and game.destination == "violet"
    game.play("violet 7")
    assert game.phase == "artefact" and game.to_play == PRIS
    game.play("take 1")
    assert game.held(PRIS) == ["shard", "shard"]
    assert game.display == ["dagger", "portal"]
    assert game.placed("violet") == list(range(1, 9))
    assert game.points == [0, 0, 0, 0, 1]
    assert game.phase == "card"
    assert game.guide == game.to_play == ELDON
