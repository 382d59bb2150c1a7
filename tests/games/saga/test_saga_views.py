"""What a seat of Saga sees and what it can't: packs not shown yet, face-down cards."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.saga.actions import HIDDEN
from ludotheque.envs.saga.components import (
    COLOURS,
    KINGDOMS,
    NUM_KNIGHTS,
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
    """Copies of a game with what ``seat`` can't know drawn anew."""
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
def test_packs_are_hidden_until_a_card_is_seen(num_players):
    """The others' hands are drawn anew among the packs that the seat hasn't seen, evenly."""
    assert FIELDS["hand"].visible_to == "seat"
    states = GAME.new_state(3, num_players)
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
    for one in drawn[:20]:
        for seat in range(num_players):
            assert sorted(PACKS[one["pack"][seat]].tolist()) == hand_of(one, seat)


def test_a_card_shows_the_pack():
    """From a seat's first card on its pack is public: the back is one of the five."""
    states = GAME.new_state(3, 3)
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
    states = GAME.new_state(5, 4)
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
    states = GAME.new_state(3, 2, packs=packs)
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
    assert mine["own_down"][0].tolist() == [0, 0, 3, 0, 0, 0]
    assert not theirs["own_down"].any()
    assert mine["own_forces"][0].tolist() == [0, 7, 0, 0, 0, 0, -21, 1, 0, 1, 0, 0, 0, 0]
    assert theirs["other_forces"][0].tolist() == [0, 7, 0, 0, 0, 0, -21, 1]
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
    assert (redraws(states, 1, 20)["last_action"] == -1).all()
    others = play(position(forces={0: [["green 3"]]}, hands={0: ["blue 3", "red 1", "red 1"]}))
    play(others, "down 1", "hidden red 1")
    assert np.array_equal(GAME.observe(states, 1), GAME.observe(others, 1))
    assert not np.array_equal(GAME.observe(states, 0), GAME.observe(others, 0))


def test_later_cards_narrow_down_what_it_can_be():
    """A colour that joins the force, a knight of which the seat shows all, are ruled out."""
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
    assert see(states, 1)["other_hands"][0][knight_of("yellow 2")] == 1
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
                value = GAME.kernels["evaluate"](states[0], seat)
                assert GAME.kernels["evaluate"](drawn[0], seat) == pytest.approx(value)
                assert drawn["hand_size"].tolist() == states["hand_size"].tolist()
                for other in range(3):
                    assert Counter(everything(drawn[0], other)) == Counter(
                        everything(states[0], other)
                    )
                if not drawn["terminated"][0]:
                    assert GAME.legal_mask(drawn).any()
    assert checked > 300


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
            ahead[0]: [[0, 7, 1, 0, 0, 0, 4 - 24, 0]],
            ahead[2]: [[0, 0, 0, 0, 0, 6, 2 - 24, 0], [7, 0, 0, 0, 0, 0, 3 - 24, 0]],
        }
        for place in range(3):
            shown = seen["other_forces"][24 * (place - 1) :] if place else seen["own_forces"]
            for slot, force in enumerate([*forces.get(place, []), [0] * 8]):
                assert shown[slot][:8].tolist() == force
        goldland, castleland = seen["kingdoms"][3].tolist(), seen["kingdoms"][0].tolist()
        assert goldland[:9] == [1, 0, 0, 2, 0, 0, 2, goldland[7], 0]
        assert goldland[9:14] == [0] + [int(k == ahead[2]) for k in range(4)]
        assert castleland[9:14] == [1, 0, 0, 0, 0]
        assert castleland[14:] == [3 if k == ahead[2] else 0 for k in range(4)]
        assert seen["free"].sum() == 2 and seen["free"][knight_of("red 2")] == 2
        assert seen["seats"][ahead[1], 6] == 127
        assert seen["hand"].shape == (NUM_KNIGHTS, 2)


# ---- the observation, written a second time ---------------------------------------------------


def force_row(state, force, own) -> list[int]:
    """The numbers of one force, from what the readers of ``state.py`` say."""
    values, order = [0] * 6, [0] * 6
    for place, (knight, up, _) in enumerate(force.laid, start=1):
        if up:
            values[knight // 4] = knight % 4 + 1 + 4 * (knight // 4 == force.target)
            order[knight // 4] = place
    margin = force.strength - int(state["strength"][force.target]) if force.target >= 0 else 0
    return [*values, margin, len(force.down), *(order if own else [])]


def promise(state, seat, knight) -> int:
    """By how much the force chosen beats its kingdom with one more knight, face up."""
    action = int(state["chosen"])
    parts = GAME.decode_action(action) if action >= 0 else {"kind": "none"}
    if state["to_play"] != seat or parts["kind"] not in ("new", "strengthen", "down"):
        return 0
    target, strength = knight // 4, knight % 4 + 1
    if parts["kind"] != "new":
        force = forces_of(state, seat)[parts["force"]]
        if any(card // 4 == knight // 4 for card in (*force.cards, *force.down)):
            return 0
        target = force.target if force.target >= 0 else target
        strength += force.strength
    return strength - int(state["strength"][target])


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
        out += force_row(state, mine[0], True) if mine else [0] * 14
    for slot in range(24):
        down = rows[seat][slot].down if slot < len(rows[seat]) else ()
        out += [next((k % 4 + 1 for k in down if k // 4 == colour), 0) for colour in range(6)]
    for k in range(1, 4):
        theirs = rows[order[k]] if k < players else []
        for slot in range(24):
            out += force_row(state, theirs[slot], False) if slot < len(theirs) else [0] * 8
    for kingdom, name in enumerate(KINGDOMS):
        defence = [0] * 6
        for knight in defence_of(state, kingdom):
            defence[knight // 4] = knight % 4 + 1
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
        out += [*defence, *numbers, *owners, *best]
    out += [power in powers_of(state) for power in POWERS]
    hand = Counter(hand_of(state, seat))
    for knight in range(24):
        out += [hand[knight], promise(state, seat, knight) if hand[knight] else 0]
    knows = [k < players and knows_pack(state, seat, order[k]) for k in range(4)]
    for k in range(1, 4):
        pool = Counter(everything(state, order[k])) if knows[k] else Counter()
        out += [pool[knight] for knight in range(24)]
    free = Counter(free_of(state))
    out += [free[knight] for knight in range(24)]
    for k in range(4):
        if k >= players:
            out += [0] * 7
            continue
        here = [state[name] == order[k] for name in ("to_play", "turn_of", "first_player")]
        fame = min(int(state["fame"][order[k]]), 127)
        out += [1, *here, knows[k], len(hand_of(state, order[k])), fame]
    kinds = ("new", "strengthen", "add", "down", "take", "turn up")
    out += [chosen["kind"] == kind for kind in kinds]
    out += [chosen.get("force") == slot for slot in range(24)]
    out += [state["phase"] == k for k in range(len(PHASES))]
    out += [players == count for count in (2, 3, 4)]
    out += [state[name] for name in ("played", "recruited", "took", "ending", "at_once")]
    out += [int(state["used"]) >> kingdom & 1 for kingdom in (4, 2)]
    return [int(number) for number in out]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_observation_is_as_written_a_second_time(num_players):
    """At every ply of random games, for every seat; face-down cards as often as can be."""
    rng = np.random.default_rng(num_players)
    kinds = set()
    for seed, retake in ((1, "at_once"), (2, "with_card"), (3, "at_once")):
        states = GAME.new_state(seed, num_players, sides="reverse", retake=retake)
        for _ in range(150):
            for seat in range(num_players):
                assert GAME.observe(states, seat).tolist() == written(states[0], seat)
            if states["terminated"][0]:
                break
            legal = np.flatnonzero(GAME.legal_mask(states))
            rare = [a for a in legal if GAME.decode_action(int(a))["kind"] in ("down", "turn up")]
            action = int(rng.choice(rare or legal))
            kinds.add(GAME.decode_action(action)["kind"])
            GAME.step(states, action)
    assert {"new", "strengthen", "recruit", "card"} <= kinds


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
    assert about["hidden green 1"] == (("hand", 4), ("choices", 3))
    assert len(set(about.values())) == GAME.num_actions
