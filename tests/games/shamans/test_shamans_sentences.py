"""The rules of Shamans, each in a position made for it, and the rulebook's example."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from ludotheque.envs import IllegalActionError, get_game, shamans_v0
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.envs.shamans.actions import FIRST_RITUAL, NUM_ACTIONS
from ludotheque.envs.shamans.components import (
    CAMPS,
    DECK,
    ECLIPSE,
    HAND_SIZE,
    LEFT,
    RIGHT,
    TILES,
    TRACK_START,
    VALUES,
    WORLD_RITUALS,
    WORLDS,
)
from ludotheque.envs.shamans.notation import action_from_string
from ludotheque.envs.shamans.options import read_rituals, read_track
from ludotheque.envs.shamans.position import set_position
from ludotheque.envs.shamans.state import (
    MAX_PLIES,
    PHASES,
    camp_of,
    card_name,
    card_passed_by,
    hand_of,
    is_eliminated,
    is_revealed,
    knows_camp,
    pile_of,
    placed_at,
    tiles_of,
)

GAME = get_game("shamans")
MOON = 30
MASKS = ("mask", "mask")
NO_TILES = {"pile": "", "display": (None, None)}
# One ritual a world, as long as they last; red is kept free of them.
RITUALS = {
    "violet": "illumination",
    "blue": "stabilisation",
    "green": "permutation",
    "yellow": "neutralisation",
    "orange": "stabilisation",
    "brown": "neutralisation",
    "red": "permutation",
}
every_count = pytest.mark.parametrize("num_players", GAME.player_counts)


def cards(text: str) -> list[int]:
    """``"violet 1 3, blue 2"`` as card numbers."""
    numbers = []
    for part in filter(None, text.split(",")):
        world, *values = part.split()
        numbers += [VALUES * WORLDS.index(world) + int(value) - 1 for value in values]
    return numbers


def bits(text: str) -> int:
    return sum(1 << card for card in cards(text))


def table(
    num_players: int,
    hands: list[str],
    *,
    camps: str | None = None,
    pawn: int = 10,
    placed: str = "",
    shown: dict | None = None,
    hidden: dict | None = None,
    display: tuple[str, str] = ("shard", "shard"),
    pile: str = "dagger dagger",
    guide: int = 0,
    arrow: int = LEFT,
    **options,
) -> np.ndarray:
    """A position in which ``guide`` leads.

    Args:
        hands: cards of each seat; those nowhere are not in the game.
        camps: a letter each seat, "s" Shaman or "o" Shadow (Ombre).
        shown, hidden: ``{seat: "dagger portal"}``, artefacts face up and face down.
        pile: from the top; "eclipse" is one.
    """
    camps = camps or {3: "sso", 4: "ssso", 5: "sssoo"}[num_players]
    states = GAME.new_state(1, num_players, **{"rounds": "single", **options})
    fewest = min(len(cards(hand)) for hand in hands)
    set_position(
        states,
        hands={seat: names_of(hands[seat])[:fewest] for seat in range(num_players)},
        camps=[CAMPS["so".index(letter)] for letter in camps],
        pawn=pawn,
        face_up={seat: names.split() for seat, names in (shown or {}).items()},
        face_down={seat: names.split() for seat, names in (hidden or {}).items()},
        display=display,
        pile=pile.split(),
        arrow="left" if arrow == LEFT else "right",
        to_play=guide,
    )
    # What no position may have, some tests need: a card at its world and in a hand, to have the
    # world complete; more cards in one hand than in another, to have one run out.
    states["placed"][0] = bits(placed)
    states["hand"][0, :num_players] = [bits(hand) for hand in hands]
    return states


def names_of(text: str) -> list[str]:
    return [card_name(card) for card in cards(text)]


def play(states: np.ndarray, *texts: str) -> np.ndarray:
    for text in texts:
        action = GAME.action_from_string(text, states[0])
        assert GAME.legal_mask(states)[action], (text, legal(states), phase(states))
        GAME.step(states, action)
    return states


def legal(states: np.ndarray) -> list[str]:
    return GAME.legal_actions_text(states)


def phase(states: np.ndarray) -> str:
    return PHASES[states["phase"][0]]


def points(states: np.ndarray) -> list[int]:
    return states["points"][0][: states["num_players"][0]].tolist()


def over(states: np.ndarray) -> bool:
    return bool(states["terminated"][0])


def names(numbers: list[int]) -> list[str]:
    return [card_name(card) for card in numbers]


def held(states: np.ndarray, seat: int, face_up: bool = True) -> list[str]:
    counts = tiles_of(states[0], seat, face_up)
    return [kind for kind, count in counts.items() for _ in range(count)]


def shown_at(states: np.ndarray) -> list[str | None]:
    return [None if kind < 0 else TILES[kind] for kind in states["display"][0].tolist()]


# Mise en place


@every_count
def test_setup_of_a_round(num_players):
    for seed in range(30):
        states = GAME.new_state(seed, num_players)
        state = states[0]
        hands = [hand_of(state, seat) for seat in range(num_players)]
        assert [len(hand) for hand in hands] == [HAND_SIZE[num_players]] * num_players
        assert HAND_SIZE[num_players] == {3: 9, 4: 9, 5: 11}[num_players]
        dealt = [card for hand in hands for card in hand]
        left_over = cards(
            ",".join(
                f"{world} {' '.join(map(str, placed_at(state, k)))}"
                for k, world in enumerate(WORLDS)
                if placed_at(state, k)
            )
        )
        assert len(left_over) == {3: 3, 4: 0, 5: 1}[num_players]
        worlds, values = {3: (5, 6), 4: (6, 6), 5: (7, 8)}[num_players]
        expected = [VALUES * world + value for world in range(worlds) for value in range(values)]
        assert sorted(dealt + left_over) == expected
        assert len(expected) == {3: 30, 4: 36, 5: 56}[num_players]
        assert int(DECK[num_players]).bit_count() == len(expected)
        camps = Counter(camp_of(state, seat) for seat in range(num_players))
        assert camps == {3: {"shaman": 2, "shadow": 1}, 4: {"shaman": 3, "shadow": 1}}.get(
            num_players, {"shaman": 3, "shadow": 2}
        )
        assert state["pawn"] == TRACK_START[num_players]
        assert state["moon"] == MOON
        tiles = state["display"].tolist() + pile_of(state)
        assert Counter(tiles) == {0: 5, 1: 2, 2: 3, 3: 2, ECLIPSE: 1}
        assert len(pile_of(state)) == 11 and pile_of(state)[0] != ECLIPSE
        assert not any(held(states, seat, up) for seat in range(num_players) for up in (0, 1))
        assert points(states) == [0] * num_players
        assert phase(states) == "CARD"
        assert state["to_play"] == state["guide"] == state["marker"]


def test_worlds_in_play():
    """Brown is for four and five players, red for five."""
    assert [WORLDS[5], WORLDS[6]] == ["brown", "red"]
    for num_players, worlds in ((3, 5), (4, 6), (5, 7)):
        states = GAME.new_state(2, num_players)
        dealt = [card for seat in range(num_players) for card in hand_of(states[0], seat)]
        assert {card // VALUES for card in dealt} == set(range(worlds))


def test_setup_is_random():
    """First player, roles, artefacts, arrow and the place of the Eclipse: all evenly."""
    firsts, shadows, arrows, places, shown, tops = (Counter() for _ in range(6))
    for seed in range(2000):
        state = GAME.new_state(seed, 5)[0]
        firsts[int(state["marker"])] += 1
        shadows[tuple(seat for seat in range(5) if camp_of(state, seat) == "shadow")] += 1
        arrows[int(state["arrow"])] += 1
        places[pile_of(state).index(ECLIPSE)] += 1
        shown.update(state["display"].tolist())
        tops[pile_of(state)[0]] += 1
    assert sorted(firsts) == [0, 1, 2, 3, 4] and min(firsts.values()) > 340
    assert len(shadows) == 10 and min(shadows.values()) > 150
    assert sorted(arrows) == [RIGHT, LEFT] and min(arrows.values()) > 900
    # Position 0 is the top.
    assert sorted(places) == list(range(1, 11)) and min(places.values()) > 150
    for counts, total in ((shown, 4000), (tops, 2000)):
        for kind, share in enumerate((5, 2, 3, 2)):
            assert abs(counts[kind] / total - share / 12) < 0.03


def test_roles_are_known_to_their_own_seats_only():
    state = GAME.new_state(3, 4)[0]
    for seat in range(4):
        for other in range(4):
            assert knows_camp(state, seat, other) == (seat == other)


def test_left_over_cards_count_for_their_worlds():
    """They lie at their worlds, face up, and the world is complete with the rest."""
    states = table(3, ["blue 1, violet 6", "green 2", "green 3"], placed="violet 1 2 3 4 5")
    play(states, "violet 6", "green 2", "green 3", "take top", "keep up")
    assert points(states)[0] == 1


# Tour de jeu


def test_any_card_may_be_played():
    states = table(3, ["violet 1", "violet 2, blue 3, green 4", "blue 1"])
    play(states, "violet 1")
    assert legal(states) == ["violet 2", "blue 3", "green 4"]


def test_play_goes_clockwise_from_the_guide():
    states = table(4, ["violet 1", "violet 2", "violet 3", "violet 4"], guide=2)
    seats = []
    for card in ("violet 3", "violet 4", "violet 1", "violet 2"):
        seats.append(int(states["to_play"][0]))
        play(states, card)
    assert seats == [2, 3, 0, 1]


def test_destination_cards_wait_for_the_end_of_the_trick():
    states = table(3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"])
    play(states, "violet 1", "violet 2")
    assert states["destination"][0] == 0
    assert states["pawn"][0] == 10
    assert placed_at(states[0], 0) == []
    assert states["front"][0][:3].tolist() == [0, 1, -1]
    play(states, "violet 3", "take 1")
    assert placed_at(states[0], 0) == [1, 2, 3]
    assert states["destination"][0] == -1


def test_another_world_moves_the_pawn_at_once():
    states = table(3, ["violet 1, blue 1", "green 2, blue 2", "violet 3, blue 3"])
    play(states, "violet 1", "green 2")
    assert states["pawn"][0] == 11
    assert placed_at(states[0], 2) == [2]
    assert states["to_play"][0] == 2


def test_who_completes_a_world_does_its_ritual():
    states = table(3, ["blue 1", "violet 4", "blue 2"], placed="violet 1 2 3 5 6")
    play(states, "blue 1", "violet 4")
    assert points(states) == [0, 1, 0]
    assert states["to_play"][0] == 2 and phase(states) == "CARD"


def test_the_guide_chooses_the_destination_freely():
    states = table(3, ["violet 1, green 5, blue 2", "blue 1 3 4", "blue 5 6, green 1"])
    assert legal(states) == ["violet 1", "blue 2", "green 5"]
    assert states["destination"][0] == -1


# Résolution des cartes


def test_lowest_takes_an_artefact_and_highest_leads():
    states = table(
        4,
        ["violet 3, blue 1", "violet 1, blue 2", "violet 6, blue 3", "green 1, blue 4"],
        display=("dagger", "portal"),
    )
    play(states, "violet 3", "violet 1", "violet 6", "green 1")
    assert phase(states) == "ARTEFACT" and states["to_play"][0] == 1
    assert legal(states) == ["take 1", "take 2", "take top"]
    play(states, "take 2")
    assert held(states, 1) == ["portal"]
    assert placed_at(states[0], 0) == [1, 3, 6]
    assert placed_at(states[0], 2) == [1]
    assert phase(states) == "CARD" and states["to_play"][0] == states["guide"][0] == 2


def test_a_lone_follower_is_both():
    states = table(3, ["violet 3, blue 1", "green 1, blue 2", "green 2, blue 3"], guide=0)
    play(states, "violet 3", "green 1", "green 2")
    assert phase(states) == "ARTEFACT" and states["to_play"][0] == 0
    play(states, "take 1")
    assert states["guide"][0] == states["to_play"][0] == 0


def test_values_off_the_destination_do_not_count():
    states = table(3, ["violet 3, blue 1", "violet 4, blue 2", "green 6, blue 3"])
    play(states, "violet 3", "violet 4", "green 6", "take 1")
    assert states["guide"][0] == 1


def test_an_empty_place_is_filled_at_once():
    states = table(
        3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="portal dagger"
    )
    play(states, "violet 1", "violet 2", "violet 3", "take 2")
    assert shown_at(states) == ["shard", "portal"]
    assert pile_of(states[0]) == [TILES.index("dagger")]


@pytest.mark.parametrize(("answer", "up"), [("keep up", True), ("keep down", False)])
def test_the_top_of_the_pile_may_be_kept_face_down(answer, up):
    states = table(
        3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="portal dagger"
    )
    play(states, "violet 1", "violet 2", "violet 3", "take top")
    assert phase(states) == "KEEP" and states["to_play"][0] == 0
    assert legal(states) == ["keep up", "keep down"]
    play(states, answer)
    assert held(states, 0, up) == ["portal"]
    assert held(states, 0, not up) == []
    assert shown_at(states) == ["shard", "shard"]
    assert phase(states) == "CARD"


def test_a_mask_of_the_pile_is_always_shown():
    states = table(
        3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="mask dagger"
    )
    play(states, "violet 1", "violet 2", "violet 3", "take top")
    assert phase(states) == "CARD"
    assert is_revealed(states[0], 0) and not is_revealed(states[0], 1)
    assert states["gone"][0].tolist() == [0, 0, 0, 1]


def test_a_mask_face_up_shows_the_role():
    states = table(
        3,
        ["violet 4, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        display=("mask", "shard"),
    )
    play(states, "violet 4", "violet 2", "violet 3", "take 1")
    assert [is_revealed(states[0], seat) for seat in range(3)] == [False, True, False]
    assert held(states, 1) == []


def test_places_stay_empty_when_the_pile_is():
    states = table(3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], pile="")
    play(states, "violet 1", "violet 2", "violet 3")
    assert legal(states) == ["take 1", "take 2"]
    play(states, "take 1")
    assert shown_at(states) == [None, "shard"]


def test_no_artefact_when_there_is_none():
    states = table(
        3,
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        display=(None, None),
        pile="",
    )
    play(states, "violet 1", "violet 2", "violet 3")
    assert phase(states) == "CARD" and states["to_play"][0] == 2
    assert not any(held(states, seat, up) for seat in range(3) for up in (True, False))


def test_highest_does_the_ritual_of_the_completed_destination():
    states = table(
        3, ["violet 1, blue 1", "violet 2, blue 2", "violet 6, blue 3"], placed="violet 3 4 5"
    )
    play(states, "violet 1", "violet 2", "violet 6", "take 1")
    assert points(states) == [0, 0, 1]


# Résolution de l'Éclipse


def eclipse_table(arrow: int, hands: list[str], **more) -> np.ndarray:
    return table(len(hands), hands, pile="dagger eclipse dagger", arrow=arrow, **more)


@pytest.mark.parametrize(("arrow", "receivers"), [(LEFT, [1, 2, 3, 0]), (RIGHT, [3, 0, 1, 2])])
def test_eclipse_passes_cards_by_its_arrow(arrow, receivers):
    states = eclipse_table(
        arrow,
        [
            "violet 2, blue 1, blue 5",
            "violet 1, blue 2, green 5",
            "violet 3, blue 3, orange 5",
            "violet 4, blue 4, yellow 5",
        ],
    )
    play(states, "violet 2", "violet 1", "violet 3", "violet 4", "take 1")
    assert pile_of(states[0]) == [TILES.index("dagger")]
    seats = []
    for seat in (1, 2, 3, 0):
        assert phase(states) == "ECLIPSE"
        assert legal(states) == names(hand_of(states[0], int(states["to_play"][0])))
        seats.append(int(states["to_play"][0]))
        # Nothing changes hands before everybody has chosen.
        assert len(hand_of(states[0], seat)) == 2
        play(states, f"blue {seat + 1}")
    # Clockwise from who took the artefact.
    assert seats == [1, 2, 3, 0]
    for seat, receiver in enumerate(receivers):
        assert f"blue {seat + 1}" in names(hand_of(states[0], receiver))
        assert len(hand_of(states[0], seat)) == 2
        assert card_passed_by(states[0], seat) == (VALUES + seat, receiver)
    assert phase(states) == "CARD" and states["to_play"][0] == 3


def test_eclipse_comes_up_under_a_tile_kept():
    states = eclipse_table(LEFT, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"])
    play(states, "violet 1", "violet 2", "violet 3", "take top")
    # It can be seen, but the tile in hand is dealt with first.
    assert phase(states) == "KEEP" and pile_of(states[0])[0] == ECLIPSE
    play(states, "keep down")
    assert phase(states) == "ECLIPSE"
    play(states, "blue 1", "blue 2", "blue 3")
    assert [names(hand_of(states[0], seat)) for seat in range(3)] == [
        ["blue 3"],
        ["blue 1"],
        ["blue 2"],
    ]
    assert held(states, 0, face_up=False) == ["dagger"]


@pytest.mark.parametrize("arrow", [LEFT, RIGHT])
def test_eclipse_in_the_middle_of_the_last_trick_skips_empty_hands(arrow):
    """A stabilisation uncovers it when two of four still have a card."""
    states = eclipse_table(
        arrow,
        ["violet 1", "blue 6", "violet 3", "violet 4"],
        placed="blue 1 2 3 4 5",
    )
    play(states, "violet 1", "blue 6")
    assert phase(states) == "STABILISE"
    play(states, "take 1")
    assert phase(states) == "ECLIPSE" and states["to_play"][0] == 2
    play(states, "violet 3")
    assert states["to_play"][0] == 3
    play(states, "violet 4")
    assert names(hand_of(states[0], 2)) == ["violet 4"]
    assert names(hand_of(states[0], 3)) == ["violet 3"]
    assert phase(states) == "CARD" and states["to_play"][0] == 2


def test_eclipse_does_nothing_for_a_single_hand():
    states = eclipse_table(LEFT, ["violet 1", "blue 6", "violet 3"], placed="blue 1 2 3 4 5")
    play(states, "violet 1", "blue 6", "take 1")
    assert phase(states) == "CARD" and states["to_play"][0] == 2
    assert states["eclipsed"][0] and pile_of(states[0]) == [TILES.index("dagger")]


def test_eclipse_in_the_last_resolution_does_nothing():
    states = eclipse_table(LEFT, ["violet 1", "violet 2", "violet 3"])
    play(states, "violet 1", "violet 2", "violet 3", "take 1")
    assert over(states)


def test_eclipse_skips_the_eliminated():
    states = eclipse_table(
        LEFT,
        ["yellow 6, blue 1", "violet 2, blue 2", "violet 3, blue 3", "violet 4, blue 4"],
        placed="yellow 1 2 3 4 5",
        shown={0: "dagger"},
    )
    play(states, "yellow 6", "violet 2", "violet 3", "violet 4", "take top", "keep up")
    play(states, *[f"blue {k}" for k in (1, 2, 3, 4)])
    play(states, "eliminate player_2")
    assert is_eliminated(states[0], 2)
    states = eclipse_table(
        LEFT,
        ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3", "violet 4, blue 4"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger"},
    )
    play(states, "violet 1", "yellow 6", "eliminate player_2", "violet 4", "take 1")
    assert phase(states) == "ECLIPSE"
    play(states, "blue 1", "blue 2", "blue 4")
    assert names(hand_of(states[0], 3)) == ["blue 2"]
    assert names(hand_of(states[0], 2)) == ["violet 3", "blue 3"]
    assert names(hand_of(states[0], 0)) == ["blue 4"]


def test_a_card_passed_is_known_until_it_is_seen():
    states = eclipse_table(LEFT, ["violet 1, blue 1 4", "violet 2, blue 2 5", "violet 3, blue 3 6"])
    play(states, "violet 1", "violet 2", "violet 3", "take 1", "blue 1", "blue 2", "blue 3")
    assert card_passed_by(states[0], 1) == (VALUES + 1, 2)
    play(states, "blue 2")
    assert card_passed_by(states[0], 1) is None
    assert card_passed_by(states[0], 0) == (VALUES, 1)


# Portail


@pytest.mark.parametrize("face_up", [True, False])
@pytest.mark.parametrize(("use", "square"), [("portal back", 9), ("portal on", 11)])
def test_portal_on_ones_own_turn(face_up, use, square):
    tiles = {"shown" if face_up else "hidden": {0: "portal"}}
    states = table(3, ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"], **tiles)
    assert legal(states) == ["violet 1", "blue 1", "portal back", "portal on"]
    play(states, use)
    assert states["pawn"][0] == square
    assert states["gone"][0].tolist() == [0, 1, 0, 0]
    assert states["to_play"][0] == 0 and legal(states) == ["violet 1", "blue 1"]


def test_both_portals_in_one_turn_the_one_face_up_first():
    states = table(
        3, ["violet 1", "violet 2", "violet 3"], shown={0: "portal"}, hidden={0: "portal"}
    )
    play(states, "portal back")
    assert held(states, 0) == [] and held(states, 0, face_up=False) == ["portal"]
    play(states, "portal back")
    assert states["pawn"][0] == 8
    assert legal(states) == ["violet 1"]


def test_a_portal_holder_leads_and_follows():
    states = table(3, ["violet 1", "violet 2", "violet 3"], hidden={1: "portal"})
    assert legal(states) == ["violet 1"]
    play(states, "violet 1")
    assert "portal on" in legal(states)


def test_the_track_has_a_first_square():
    states = table(3, ["violet 1", "violet 2", "violet 3"], pawn=0, shown={0: "portal"})
    play(states, "portal back")
    assert states["pawn"][0] == 0
    states = table(3, ["violet 1", "blue 6", "violet 3"], pawn=0, placed="blue 1 2 3 4 5")
    play(states, "violet 1", "blue 6", "retreat")
    assert states["pawn"][0] == 0


def test_the_moon_ends_the_round():
    states = table(3, ["violet 1", "blue 2", "violet 3"], pawn=MOON - 1)
    play(states, "violet 1", "blue 2")
    assert over(states) and states["pawn"][0] == MOON
    assert points(states) == [0, 0, 3]
    # The card is not laid any more.
    assert placed_at(states[0], 1) == []


@pytest.mark.parametrize("face_up", [True, False])
def test_portal_just_before_the_moon(face_up):
    tiles = {"shown" if face_up else "hidden": {0: "portal"}}
    states = table(
        3, ["violet 1, green 1", "blue 2, green 2", "violet 3, green 3"], pawn=MOON - 1, **tiles
    )
    play(states, "violet 1", "blue 2")
    assert phase(states) == "MOON" and states["to_play"][0] == 0
    assert states["pawn"][0] == MOON - 1
    assert legal(states) == ["portal back", "portal on", "pass"]
    play(states, "portal back")
    assert states["pawn"][0] == MOON - 1 and not over(states)
    assert placed_at(states[0], 1) == [2]
    assert phase(states) == "CARD" and states["to_play"][0] == 2


def test_passing_lets_the_moon_come():
    states = table(3, ["violet 1", "blue 2", "violet 3"], pawn=MOON - 1, shown={0: "portal"})
    play(states, "violet 1", "blue 2", "pass")
    assert over(states) and points(states) == [0, 0, 3]


def test_portal_holders_are_asked_clockwise_from_who_acts():
    states = table(
        5,
        ["violet 1", "violet 2", "blue 2", "violet 3", "violet 4"],
        pawn=MOON - 1,
        shown={1: "portal"},
        hidden={2: "portal"},
    )
    play(states, "violet 1", "violet 2", "portal back", "blue 2")
    # One step is left, from the square before the last.
    assert phase(states) == "CARD" and states["pawn"][0] == MOON - 1
    states = table(
        5,
        ["violet 1", "violet 2", "blue 2", "violet 3", "violet 4"],
        pawn=MOON - 1,
        shown={1: "portal"},
        hidden={2: "portal"},
    )
    play(states, "violet 1", "violet 2", "blue 2")
    asked = []
    while phase(states) == "MOON" and not over(states):
        asked.append(int(states["to_play"][0]))
        play(states, "pass")
    assert asked == [2, 1]
    assert over(states)


def test_nobody_is_asked_without_a_portal():
    states = table(
        3, ["violet 1", "blue 2", "violet 3"], pawn=MOON - 1, hidden={0: "dagger", 2: "shard"}
    )
    play(states, "violet 1", "blue 2")
    assert over(states)


def test_a_portal_may_push_the_pawn_onto_the_moon():
    states = table(
        3,
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        pawn=MOON - 1,
        shown={0: "portal"},
        camps="oss",
    )
    play(states, "portal on")
    assert over(states) and points(states) == [3, 0, 0]


def test_a_portal_against_a_portal():
    states = table(
        3,
        ["violet 1, blue 1", "violet 2, blue 2", "violet 3, blue 3"],
        pawn=MOON - 1,
        shown={0: "portal"},
        hidden={2: "portal"},
    )
    play(states, "portal on")
    assert phase(states) == "MOON" and states["to_play"][0] == 2
    play(states, "portal back")
    assert states["pawn"][0] == MOON - 1
    assert phase(states) == "CARD" and states["to_play"][0] == 0
    assert legal(states) == ["violet 1", "blue 1"]


def test_a_portal_on_before_the_moon_uses_up_the_other():
    """The step that waits comes after it: a Portal that stops the one doesn't stop the other."""
    for answer in ("portal back", "portal on", "pass"):
        states = table(
            3,
            ["violet 1, green 1", "blue 2, green 2", "violet 3, green 3"],
            pawn=MOON - 1,
            shown={2: "portal"},
            hidden={0: "portal"},
        )
        play(states, "violet 1", "blue 2", "portal on")
        assert phase(states) == "MOON" and states["to_play"][0] == 0
        play(states, answer)
        assert over(states) and points(states) == [0, 0, 3]


# Rituels


def test_ritual_of_stabilisation_two_squares_back():
    states = table(3, ["violet 1", "blue 6", "violet 3"], placed="blue 1 2 3 4 5")
    play(states, "violet 1", "blue 6")
    assert phase(states) == "STABILISE" and states["to_play"][0] == 1
    assert legal(states) == ["take 1", "take 2", "take top", "retreat"]
    play(states, "retreat")
    assert states["pawn"][0] == 9
    assert phase(states) == "CARD" and states["to_play"][0] == 2


@pytest.mark.parametrize("take", ["take 1", "take top"])
def test_ritual_of_stabilisation_an_artefact(take):
    states = table(
        3,
        ["violet 1", "blue 6", "violet 3"],
        placed="blue 1 2 3 4 5",
        display=("portal", "shard"),
        pile="portal dagger dagger",
    )
    play(states, "violet 1", "blue 6", take)
    if take == "take top":
        play(states, "keep down")
    assert held(states, 1, face_up=take == "take 1") == ["portal"]
    assert states["pawn"][0] == 11
    assert phase(states) == "CARD" and states["to_play"][0] == 2


def test_ritual_of_permutation():
    states = table(4, ["violet 1", "green 6", "violet 3", "violet 4"], placed="green 1 2 3 4 5")
    play(states, "violet 1", "green 6")
    assert phase(states) == "PERMUTE" and states["to_play"][0] == 1
    assert legal(states) == ["swap player_2", "swap player_3", "swap player_0"]
    play(states, "swap player_3")
    state = states[0]
    assert [camp_of(state, seat) for seat in range(4)] == ["shaman", "shadow", "shaman", "shaman"]
    # Both look at their new card, and know the one they gave.
    for seat, other in ((1, 1), (1, 3), (3, 1), (3, 3)):
        assert knows_camp(state, seat, other)
    assert not knows_camp(state, 0, 1) and not knows_camp(state, 1, 2)
    assert not is_revealed(state, 1)


def test_permutation_changes_who_wins():
    states = table(3, ["violet 1", "green 6", "blue 3"], placed="green 1 2 3 4 5", pawn=MOON - 2)
    play(states, "violet 1", "green 6", "swap player_2", "blue 3")
    assert points(states) == [0, 3, 0]


def test_permutation_of_a_role_shown_can_be_followed():
    states = table(
        3,
        ["violet 4, blue 1", "violet 2, blue 2", "green 6, blue 3"],
        placed="green 1 2 3 4 5",
        display=("mask", "shard"),
        guide=2,
    )
    play(states, "green 6", "violet 4", "violet 2")
    play(states, "take 1", "swap player_0")
    state = states[0]
    assert camp_of(state, 0) == "shadow" and is_revealed(state, 0)
    assert camp_of(state, 2) == "shaman" and not is_revealed(state, 2)


def test_ritual_of_illumination_is_kept():
    states = table(3, ["blue 1", "violet 4", "green 2"], placed="violet 1 2 3 5 6", pawn=MOON - 2)
    play(states, "blue 1", "violet 4")
    assert points(states) == [0, 1, 0]
    play(states, "green 2")
    assert over(states) and points(states) == [0, 1, 3]


def test_neutralisation_with_a_dagger_face_up_is_compulsory():
    states = table(
        4,
        ["violet 1", "yellow 6", "violet 3", "violet 4"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger dagger"},
    )
    play(states, "violet 1", "yellow 6")
    assert phase(states) == "NEUTRALISE" and states["to_play"][0] == 1
    assert legal(states) == ["eliminate player_2", "eliminate player_3", "eliminate player_0"]
    play(states, "eliminate player_2")
    assert held(states, 1) == ["dagger"] and states["gone"][0].tolist() == [1, 0, 0, 0]
    assert is_eliminated(states[0], 2) and is_revealed(states[0], 2)


def test_neutralisation_with_a_dagger_face_down_is_optional():
    hands = ["violet 1", "yellow 6", "violet 3"]
    made = {"placed": "yellow 1 2 3 4 5", "hidden": {1: "dagger"}}
    states = play(table(3, hands, **made), "violet 1", "yellow 6")
    assert legal(states) == ["pass", "eliminate player_2", "eliminate player_0"]
    play(states, "pass")
    assert held(states, 1, face_up=False) == ["dagger"]
    assert phase(states) == "CARD" and states["to_play"][0] == 2
    states = play(table(3, hands, **made), "violet 1", "yellow 6", "eliminate player_0")
    assert is_eliminated(states[0], 0)
    assert held(states, 1, face_up=False) == []


def test_the_dagger_face_up_goes_first():
    states = table(
        3,
        ["violet 1", "yellow 6", "violet 3"],
        placed="yellow 1 2 3 4 5",
        shown={1: "dagger"},
        hidden={1: "dagger"},
    )
    play(states, "violet 1", "yellow 6")
    assert "pass" not in legal(states)
    play(states, "eliminate player_0")
    assert held(states, 1) == [] and held(states, 1, face_up=False) == ["dagger"]


def test_neutralisation_without_a_dagger_does_nothing():
    states = table(
        3, ["violet 1", "yellow 6", "violet 3"], placed="yellow 1 2 3 4 5", hidden={1: "shard"}
    )
    play(states, "violet 1", "yellow 6")
    assert phase(states) == "CARD" and states["to_play"][0] == 2


def test_rituals_that_need_another_player_do_nothing_alone():
    """Two of three are out: a Dagger is kept, roles stay."""
    states = table(
        3,
        ["violet 1, green 6, yellow 6", "blue 1, blue 2, blue 3", "orange 1, orange 2, orange 3"],
        placed="violet 2, green 1 2 3 4 5, yellow 1 2 3 4 5",
        shown={0: "dagger"},
        camps="oss",
    )
    states["eliminated"][0] = 0b110
    states["hand"][0][1:] = 0
    play(states, "violet 1", "take 1", "green 6", "take 1", "yellow 6", "take 1")
    assert over(states)
    assert held(states, 0) == ["dagger", "dagger", "dagger", "shard"]
    assert points(states) == [0, 0, 0]


# Effet d'une élimination


def kill(target: int, num_players: int = 5, **made) -> np.ndarray:
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
    states = table(num_players, hands[:num_players], **made)
    return play(states, "violet 1", f"yellow {top}", f"eliminate player_{target}")


def test_eliminated_shaman_moves_the_pawn_by_its_cards():
    states = kill(2)
    assert is_revealed(states[0], 2)
    assert states["pawn"][0] == 10 + 1 + 3
    # Set aside: never placed, nor played.
    assert len(hand_of(states[0], 2)) == 3
    assert placed_at(states[0], 2) == []
    assert states["to_play"][0] == 3
    play(states, "violet 4", "violet 5", "take 1")
    assert states["to_play"][0] == 4


def test_eliminated_shaman_without_cards():
    states = kill(0, hands=["violet 1", "yellow 8", "violet 3", "violet 4", "violet 5"])
    assert states["pawn"][0] == 11


def test_eliminated_shaman_may_bring_the_moon():
    states = kill(2, pawn=MOON - 4)
    assert over(states) and states["pawn"][0] == MOON
    assert points(states) == [0, 0, 0, 3, 3]


def test_portal_before_the_last_step_of_an_elimination():
    states = kill(2, pawn=MOON - 3, hidden={4: "portal"})
    # One step for the card, one of three for the cards in hand.
    assert phase(states) == "MOON" and states["to_play"][0] == 4
    assert states["pawn"][0] == MOON - 1 and states["steps"][0] == 2
    play(states, "portal back")
    assert over(states) and points(states) == [0, 0, 0, 3, 3]
    states = kill(2, pawn=MOON - 4, hidden={4: "portal"})
    assert states["steps"][0] == 1
    play(states, "portal back")
    assert states["pawn"][0] == MOON - 1 and phase(states) == "CARD"


def test_every_step_to_the_moon_is_asked_about():
    states = kill(2, pawn=MOON - 3, hidden={4: "portal"}, shown={1: "dagger", 3: "portal"})
    assert [states["to_play"][0], phase(states)] == [3, "MOON"]
    play(states, "pass")
    assert states["to_play"][0] == 4
    play(states, "portal back")
    # The next step would be the Moon again: who passed is asked anew.
    assert [states["to_play"][0], phase(states)] == [3, "MOON"]
    play(states, "portal back")
    assert states["pawn"][0] == MOON - 1 and not over(states)


def test_eliminating_the_last_shadow_wins_the_round():
    states = kill(2, 3)
    assert over(states)
    assert points(states) == [2, 2, 0]
    assert states["pawn"][0] == 11


def test_eliminated_shadow_lays_its_cards_without_moving_the_pawn():
    states = kill(3)
    assert not over(states) and is_revealed(states[0], 3)
    assert placed_at(states[0], 2) == [3, 4] and placed_at(states[0], 0) == [4]
    assert states["pawn"][0] == 11
    assert hand_of(states[0], 3) == []
    assert states["to_play"][0] == 2


def test_the_killer_resolves_the_chain_in_an_order_of_its_choice():
    states = kill(
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
    assert phase(states) == "ORDER" and states["to_play"][0] == 1
    assert legal(states) == ["ritual violet", "ritual green", "ritual orange"]
    play(states, "ritual orange")
    assert phase(states) == "STABILISE" and states["to_play"][0] == 1
    play(states, "retreat")
    assert phase(states) == "ORDER"
    assert legal(states) == ["ritual violet", "ritual green"]
    play(states, "ritual violet")
    assert points(states) == [0, 1, 0, 0, 0]
    # The last one needs no choice.
    assert phase(states) == "PERMUTE"
    assert legal(states) == ["swap player_2", "swap player_4", "swap player_0"]
    play(states, "swap player_0")
    assert phase(states) == "CARD" and states["to_play"][0] == 2


def test_a_chain_may_hold_another_neutralisation():
    states = kill(
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
    assert phase(states) == "NEUTRALISE" and states["to_play"][0] == 1
    assert legal(states) == ["eliminate player_2", "eliminate player_4", "eliminate player_0"]
    play(states, "eliminate player_4")
    # That was the last Shadow.
    assert over(states) and points(states) == [2, 2, 2, 0, 0]


def test_chain_goes_on_after_a_shaman_is_eliminated_in_it():
    states = kill(
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
    play(states, "ritual brown", "eliminate player_2")
    assert states["pawn"][0] == 11 + 2
    assert points(states) == [0, 1, 0, 0, 0]
    assert phase(states) == "CARD" and states["to_play"][0] == 4


def test_portal_just_before_being_eliminated():
    for use, square in (("portal back", 10), ("portal on", 12), ("pass", 11)):
        states = kill(2, hidden={2: "portal"})
        assert phase(states) == "LAST" and states["to_play"][0] == 2
        assert legal(states) == ["portal back", "portal on", "pass"]
        assert not is_eliminated(states[0], 2) and not is_revealed(states[0], 2)
        play(states, use)
        assert is_eliminated(states[0], 2)
        assert states["pawn"][0] == square + 3


def test_both_portals_just_before_being_eliminated():
    states = kill(2, hidden={2: "portal portal"})
    play(states, "portal back")
    assert phase(states) == "LAST"
    play(states, "portal back")
    assert states["pawn"][0] == 9 + 3 and is_eliminated(states[0], 2)


def test_a_shadow_may_reach_the_moon_just_before_being_eliminated():
    states = kill(2, 3, pawn=MOON - 2, shown={1: "dagger", 2: "portal"})
    play(states, "portal on")
    assert over(states) and not is_eliminated(states[0], 2)
    assert points(states) == [0, 0, 3]


def test_others_may_stop_the_portal_of_who_is_eliminated():
    states = kill(4, pawn=MOON - 2, shown={1: "dagger", 4: "portal"}, hidden={0: "portal"})
    play(states, "portal on")
    assert phase(states) == "MOON" and states["to_play"][0] == 0
    play(states, "portal back")
    assert is_eliminated(states[0], 4) and states["pawn"][0] == MOON - 1
    assert phase(states) == "CARD"


def test_artefacts_leave_with_the_eliminated_player():
    states = kill(2, shown={1: "dagger", 2: "shard dagger"}, hidden={2: "shard"}, display=MASKS)
    assert held(states, 2) == []
    assert states["gone"][0].tolist() == [2, 0, 1, 0]
    # The one face down was not shown.
    assert tiles_of(states[0], 2, False)["shard"] == 1


def test_a_portal_that_left_is_not_asked_about():
    states = kill(2, pawn=MOON - 4, shown={1: "dagger", 2: "portal"})
    play(states, "pass")
    assert over(states)


def test_the_card_of_an_eliminated_player_does_not_count():
    """The rulebook's example: the eliminated Guide had the lowest card."""
    states = kill(0)
    play(states, "violet 3", "violet 4", "violet 5")
    assert phase(states) == "ARTEFACT" and states["to_play"][0] == 2
    play(states, "take 1")
    assert placed_at(states[0], 0) == [1, 3, 4, 5]
    assert states["guide"][0] == 4


def test_the_highest_card_of_an_eliminated_player_does_not_count():
    states = table(
        5,
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
    play(states, "violet 8", "yellow 8", "eliminate player_0", "violet 3", "violet 4", "violet 5")
    play(states, "take 1")
    assert states["guide"][0] == 4


def test_a_player_eliminated_before_its_turn_is_skipped_and_the_destination_stays():
    states = kill(0)
    assert states["destination"][0] == 0
    play(states, "violet 3", "violet 4")
    states = kill(3)
    play(states, "violet 3")
    assert states["to_play"][0] == 4


def test_an_eliminated_lone_follower_names_the_guide():
    states = kill(0)
    play(states, "green 1", "green 3", "green 5")
    assert phase(states) == "GUIDE" and states["to_play"][0] == 0
    assert legal(states) == [f"guide player_{seat}" for seat in (1, 2, 3, 4)]
    play(states, "guide player_3")
    # No artefact is taken; the card is laid all the same.
    assert not any(held(states, seat) for seat in range(5))
    assert placed_at(states[0], 0) == [1]
    assert phase(states) == "CARD" and states["to_play"][0] == states["guide"][0] == 3


def test_the_named_guide_does_the_ritual():
    states = kill(0, placed="yellow 1 2 3 4 5 6 7, violet 2 3 4 5 6 7 8")
    play(states, "green 1", "green 3", "green 5", "guide player_2")
    assert points(states) == [0, 0, 1, 0, 0]


def test_of_two_eliminated_followers_the_higher_names_the_guide():
    states = table(
        5,
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
    play(states, "violet 1", "violet 7", "yellow 8", "eliminate player_0")
    play(states, "brown 8", "eliminate player_1", "red 1")
    assert phase(states) == "GUIDE" and states["to_play"][0] == 1
    assert legal(states) == ["guide player_2", "guide player_3", "guide player_4"]


# Fin de manche ou de partie


def test_shamans_win_when_the_hands_are_empty():
    states = table(4, ["violet 1", "violet 2", "violet 3", "violet 4"])
    play(states, "violet 1", "violet 2", "violet 3", "violet 4", "take 1")
    assert over(states) and points(states) == [2, 2, 2, 0]


def test_the_last_trick_is_resolved():
    """Its artefact counts, its ritual is done: the last Dagger falls."""
    states = table(
        3,
        ["yellow 4", "yellow 5", "yellow 6"],
        placed="yellow 1 2 3",
        hidden={2: "dagger"},
        shown={0: "shard"},
        camps="oss",
    )
    play(states, "yellow 4", "yellow 5", "yellow 6", "take 1")
    assert phase(states) == "NEUTRALISE"
    play(states, "eliminate player_1")
    # Eliminated without cards: the pawn stays, the Shamans have held out.
    assert over(states) and points(states) == [2, 0, 2]


def test_the_eliminated_get_no_points():
    states = kill(
        2,
        hands=["violet 1", "yellow 8", "violet 3", "violet 4", "violet 5"],
        shown={1: "dagger", 2: "shard", 0: "shard shard"},
        display=MASKS,
    )
    play(states, "violet 4", "violet 5", "take top", "keep up")
    assert over(states) and points(states) == [4, 2, 0, 0, 0]


@pytest.mark.parametrize(("shards", "bonus"), [(0, 0), (1, 0), (2, 2), (3, 2)])
def test_points_for_shards_on_either_side(shards, bonus):
    for seat in (0, 2):
        states = table(
            3,
            ["violet 1", "violet 2", "violet 3"],
            hidden={seat: "shard " * shards},
            display=("dagger", "dagger"),
            pile="",
        )
        play(states, "violet 1", "violet 2", "violet 3", "take 1")
        expected = [2, 2, 0]
        expected[seat] += bonus
        assert points(states) == expected


def test_no_shadow_wins_by_eliminating_all_shamans():
    states = table(
        3,
        ["violet 1, blue 1", "orange 6, blue 2", "yellow 6, blue 3"],
        placed="yellow 1 2 3 4 5",
        shown={2: "dagger dagger"},
        guide=2,
        camps="sso",
    )
    play(states, "yellow 6", "violet 1", "blue 2", "take 1", "eliminate player_0")
    assert not over(states)
    states["eliminated"][0] |= 0b10  # the other Shaman too
    while not over(states):
        play(states, legal(states)[0])
    assert states["pawn"][0] < MOON
    assert points(states)[:2] == [0, 0] and points(states)[2] in (0, 2)


def test_round_goes_on_without_shamans_until_the_hands_are_empty():
    states = table(3, ["violet 1 2 3", "blue 1", "blue 2"], camps="oss", **NO_TILES)
    states["eliminated"][0] = 0b110
    play(states, "violet 1", "violet 2")
    assert not over(states)
    play(states, "violet 3")
    assert over(states) and points(states) == [0, 0, 0]


def test_next_round_is_dealt_anew_and_the_marker_goes_left():
    states = table(
        3,
        ["violet 1", "violet 2", "violet 3"],
        rounds="match",
        guide=2,
        shown={1: "dagger", 0: "shard shard"},
        display=("dagger", "dagger"),
        pile="dagger",
    )
    play(states, "violet 3", "violet 1", "violet 2", "take 1")
    assert not over(states) and states["round"][0] == 1
    # Only points are kept.
    assert points(states) == [4, 2, 0]
    assert not any(held(states, seat) for seat in range(3))
    assert states["marker"][0] == states["guide"][0] == states["to_play"][0] == 0
    assert states["pawn"][0] == TRACK_START[3]
    assert [len(hand_of(states[0], seat)) for seat in range(3)] == [9, 9, 9]
    assert not any(is_revealed(states[0], seat) for seat in range(3))


def last_trick(before: list[int], **made) -> np.ndarray:
    states = table(3, ["violet 1", "violet 2", "violet 3"], rounds="match", **made)
    states["points"][0][:3] = before
    return play(states, "violet 1", "violet 2", "violet 3", "take 1")


def test_match_ends_at_eight_points():
    states = last_trick([6, 5, 7])
    assert over(states) and points(states) == [8, 7, 7]
    assert GAME.returns(states)[1].tolist() == [1, 2, 2]


def test_match_goes_on_below_eight():
    assert not over(last_trick([5, 5, 7]))


def test_match_goes_on_while_the_first_place_is_shared():
    states = last_trick([6, 6, 7])
    assert not over(states) and points(states) == [8, 8, 7]


def test_a_tie_below_the_first_place_ends_the_match():
    states = last_trick([7, 6, 8])
    assert over(states) and points(states) == [9, 8, 8]


def test_match_does_not_end_in_the_middle_of_a_round():
    states = table(
        3, ["blue 1, blue 2", "violet 4, blue 3", "blue 4, blue 5"], placed="violet 1 2 3 5 6"
    )
    states["points"][0][1] = 7
    play(states, "blue 1", "violet 4")
    assert points(states)[1] == 8 and not over(states)


def test_single_round_ends_the_game():
    states = GAME.new_state(4, 3, rounds="single")
    while not over(states):
        play(states, legal(states)[0])
    assert states["round"][0] == 0
    scores, ranks = GAME.returns(states)
    assert scores.tolist() == points(states)
    assert ranks.min() == 1


def test_a_game_is_cut_off_where_ties_could_go_on_for_ever():
    states = GAME.new_state(4, 3)
    states["ply"][0] = MAX_PLIES - 1
    GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    assert states["truncated"][0] and not states["terminated"][0]


def test_a_round_that_is_broken_off_was_won_by_nobody():
    """By a forfeit or at the last action allowed: the round before is the last to have ended."""
    states = last_trick([0, 0, 0])
    ended = (0, ("shaman", "shaman", "shadow"), "shaman")
    assert GAME.camps(states[0]) == ended
    forfeited, cut_off = states.copy(), states.copy()
    GAME.step(forfeited, int(np.flatnonzero(~GAME.legal_mask(states))[0]), illegal="lose")
    cut_off["ply"] = MAX_PLIES - 1
    play(cut_off, legal(states)[0])
    for broken_off in (forfeited, cut_off):
        assert broken_off["terminated"][0] or broken_off["truncated"][0]
        assert GAME.camps(broken_off[0]) == ended
        assert "round 2, Shamans won round 1" in GAME.describe(broken_off[0])


# The data that are reconstructed


def test_reconstructed_worlds_are_those_of_the_file():
    state = GAME.new_state(1, 5)[0]
    assert [GAME_RITUALS[k] for k in state["ritual"]] == [WORLD_RITUALS[w] for w in WORLDS]
    assert WORLD_RITUALS == RITUALS


GAME_RITUALS = ("stabilisation", "permutation", "illumination", "neutralisation")


def test_worlds_of_ones_own():
    states = GAME.new_state(1, 4, rituals={"violet": "permutation", "red": "illumination"})
    rituals = [GAME_RITUALS[k] for k in states["ritual"][0]]
    assert rituals == ["permutation", *(RITUALS[world] for world in WORLDS[1:6]), "illumination"]
    states = table(
        3,
        ["blue 1", "violet 4", "blue 2"],
        placed="violet 1 2 3 5 6",
        rituals={"violet": "stabilisation"},
    )
    play(states, "blue 1", "violet 4")
    assert phase(states) == "STABILISE"


@pytest.mark.parametrize(
    "track", [{"start": 3, "moon": 9}, {"start": {3: 3, 4: 4, 5: 5}, "moon": 9}]
)
def test_a_track_of_ones_own(track):
    for num_players in (3, 4, 5):
        state = GAME.new_state(1, num_players, track=track)[0]
        start = track["start"]
        assert state["pawn"] == (start[num_players] if isinstance(start, dict) else start)
        assert state["moon"] == 9


def test_a_track_in_numbers_of_numpy():
    track = {"start": np.int64(4), "moon": np.arange(10)[9]}
    assert GAME.new_state(1, 3, track=track)["moon"][0] == 9
    plain = read_track(track)[0]
    assert json.loads(json.dumps(plain)) == read_track({"start": 4, "moon": 9})[0]


def test_the_shortest_track():
    states = GAME.new_state(1, 3, track={"start": 0, "moon": 1})
    for _ in range(40):
        if not over(states):
            play(states, legal(states)[0])
    assert states["round"][0] > 3 or over(states)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rituals": {"pink": "illumination"}}, "pink"),
        ({"rituals": {"blue": "party"}}, "party"),
        ({"rituals": "mine"}, "mine"),
        ({"track": {"start": 5}}, "start"),
        ({"track": {"start": 5, 9: "moon"}}, "'start', 9; give start and moon"),
        ({"track": {"start": {3: 1, "3": 2, 4: 3, 5: 4}, "moon": 9}}, "'3', '3'"),
        ({"track": {"start": 5, "moon": 5}}, "0 <= start < moon"),
        ({"track": {"start": -1, "moon": 5}}, "-1"),
        ({"track": {"start": 1, "moon": 101}}, "101"),
        ({"track": {"start": 1.5, "moon": 9}}, "1.5"),
        ({"track": {"start": {"3": 1}, "moon": 9}}, "3"),
        ({"track": 7}, "7"),
        ({"track": np.array([1, 9])}, "1, 9"),
        ({"rounds": "two"}, "two"),
    ],
)
def test_data_that_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        GAME.new_state(1, 3, **options)


def test_data_of_ones_own_are_in_a_replay():
    options = {"rituals": {"blue": "illumination"}, "track": {"start": 2, "moon": 9}}
    states = GAME.new_state(6, 3, **options)
    actions = []
    while not over(states):
        actions.append(int(np.flatnonzero(GAME.legal_mask(states))[-1]))
        GAME.step(states, actions[-1])
    plain = {
        "rounds": "match",
        "rituals": read_rituals(options["rituals"])[0],
        "track": read_track(options["track"])[0],
    }
    replay = Replay.record("shamans", 3, 6, actions, options=plain)
    assert replay.digest == GAME.digest(states)
    env = shamans_v0.env(num_players=3, **options)
    env.reset(seed=6)
    for action in actions:
        env.step(action)
    assert env.replay() == replay == Replay.from_json(env.replay().to_json())


# Actions


def test_notation_of_every_action():
    texts = [GAME.action_to_string(action) for action in range(NUM_ACTIONS)]
    assert len(set(texts)) == NUM_ACTIONS == 84
    for action, text in enumerate(texts):
        assert GAME.action_from_string(text) == action
        assert GAME.encode_action(GAME.decode_action(action)) == action
    assert texts[0] == "violet 1" and texts[55] == "red 8"
    assert texts[FIRST_RITUAL + 2] == "ritual green"


@pytest.mark.parametrize(
    "text", ["", "violet", "violet 9", "pink 1", "swap player_1", "swap +5", "take 3", "swap +0"]
)
def test_notation_that_is_refused(text):
    with pytest.raises(ValueError, match="action|state"):
        action_from_string(text)


def test_players_by_name():
    state = GAME.new_state(1, 3)[0]
    seat = int(state["to_play"])
    left = (seat + 1) % 3
    assert GAME.action_to_string(65, state) == f"swap player_{left}"
    assert GAME.action_from_string(f"swap player_{left}", state) == 65
    for text in (f"swap player_{seat}", "swap player_3", "swap left"):
        with pytest.raises(ValueError, match="no action"):
            GAME.action_from_string(text, state)


def test_an_illegal_action_is_refused():
    states = table(3, ["violet 1", "violet 2", "violet 3"])
    with pytest.raises(IllegalActionError, match="violet 2"):
        GAME.step(states, 1)


# Exemple d'un tour de jeu à 5 joueurs

ROY, PRIS, RACHEL, RICK, ELDON = range(5)


def test_the_rulebooks_example():
    states = table(
        5,
        [
            "violet 1, blue 1, green 1, yellow 1, orange 1",
            "violet 6, blue 2, green 2, yellow 2, orange 2",
            "red 6, blue 3, green 3, yellow 3, orange 3",
            "brown 5, blue 4, green 4, yellow 4, orange 4",
            "violet 7, blue 5, green 5, yellow 5, orange 5",
        ],
        camps="sssoo",
        pawn=TRACK_START[5],
        placed="violet 2 3 4 5 8, brown 1 2 3 4 6 7 8, red 1 2",
        shown={RICK: "dagger", PRIS: "shard"},
        display=("shard", "portal"),
        pile="dagger dagger",
        guide=ROY,
    )
    start = TRACK_START[5]
    play(states, "violet 1")
    assert states["destination"][0] == WORLDS.index("violet")
    assert states["to_play"][0] == PRIS
    play(states, "violet 6")
    assert states["pawn"][0] == start
    play(states, "red 6")
    assert states["pawn"][0] == start + 1
    assert placed_at(states[0], WORLDS.index("red")) == [1, 2, 6]
    assert states["to_play"][0] == RICK and phase(states) == "CARD"
    play(states, "brown 5")
    assert states["pawn"][0] == start + 2
    assert placed_at(states[0], WORLDS.index("brown")) == list(range(1, 9))
    assert phase(states) == "NEUTRALISE" and states["to_play"][0] == RICK
    play(states, "eliminate player_0")
    assert is_revealed(states[0], ROY) and camp_of(states[0], ROY) == "shaman"
    assert states["pawn"][0] == start + 6
    assert held(states, RICK) == []
    assert len(hand_of(states[0], ROY)) == 4
    assert states["to_play"][0] == ELDON and states["destination"][0] == 0
    play(states, "violet 7")
    assert phase(states) == "ARTEFACT" and states["to_play"][0] == PRIS
    play(states, "take 1")
    assert held(states, PRIS) == ["shard", "shard"]
    assert shown_at(states) == ["dagger", "portal"]
    assert placed_at(states[0], WORLDS.index("violet")) == list(range(1, 9))
    assert points(states) == [0, 0, 0, 0, 1]
    assert phase(states) == "CARD"
    assert states["guide"][0] == states["to_play"][0] == ELDON
