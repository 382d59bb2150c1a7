"""Pictures and text boards of Saga: what they show, what they must not, and clicks on them."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from pictures import (
    apart,
    check_any_last,
    check_colours,
    check_edges,
    check_forfeit,
    check_in_parts,
    check_picture,
    check_plain,
    check_refused,
    check_shown,
    check_ways_to_give,
    last_of,
    shapes,
    text_boxes,
    titles,
    views,
    words,
)

from ludotheque.envs import get_game
from ludotheque.envs.core.drawing.panels import uncovered
from ludotheque.envs.core.drawing.words import MINUS
from ludotheque.envs.saga.actions import CARD, HIDDEN
from ludotheque.envs.saga.components import (
    COLOURS,
    KINGDOMS,
    NUM_KNIGHTS,
    POWERS,
    POWERS_OF,
    WHEN,
)
from ludotheque.envs.saga.notation import knight_of
from ludotheque.envs.saga.observation import knows_pack
from ludotheque.envs.saga.position import set_position
from ludotheque.envs.saga.state import PHASES, forces_of
from ludotheque.envs.saga.table import text as text_board
from ludotheque.envs.saga.table.geometry import Rect, area_of, layout_of, locate
from ludotheque.envs.saga.table.picture import draw
from ludotheque.envs.saga.table.pieces import EMBLEMS, PAINTS
from ludotheque.envs.saga.table.visible import POWER_WORDS, see

GAME = get_game("saga")
describe = GAME.describe
# Players and sides.
MODES = {"2": (2, "crown"), "3": (3, "reverse"), "4": (4, "mixed")}
modes = pytest.mark.parametrize("mode", MODES)
ALL = [f"{colour} 3" for colour in COLOURS]
SEALAND_AND_FIELDLAND = ["reverse", "crown", "reverse", "reverse", "crown", "crown"]


def games(seed: int, mode: str, plies: int = 10_000, **options):
    """Play random legal actions; yield the states (changed in place) at every ply."""
    num_players, sides = MODES[mode]
    states = GAME.new_state(seed, num_players, **({"sides": sides} | options))
    random = np.random.default_rng(seed)
    yield states
    while states[0]["ply"] < plies and not (states[0]["terminated"] or states[0]["truncated"]):
        action = int(random.choice(np.flatnonzero(GAME.legal_mask(states))))
        GAME.step(states, action)
        yield states


def played(seed: int, mode: str, plies: int = 10_000) -> np.ndarray:
    """A game after some random plies, or at its end."""
    *_, states = games(seed, mode, plies)
    return states


def position(num_players: int = 2, sides="crown", **parts):
    states = GAME.new_state(0, num_players, sides=sides)
    set_position(states, 0, playable=False, **parts)
    return states


def busy(num_players: int = 4, **more):
    """Every kind of button, face-down cards of two seats, three digits of fame."""
    kingdoms = {
        "Castleland": (1, ["red 3", "yellow 2"]),
        "Forestland": (0, [f"{colour} {k % 4 + 1}" for k, colour in enumerate(COLOURS)]),
        "Sealand": (0, ["blue 4", "red 1"]),
        "Goldland": (None, ["orange 1"]),
        "Shadowland": (0, ["violet 4"]),
        "Fieldland": (0, ["yellow 3", "red 1", "green 2"]),
    }
    forces = {
        0: [["red 1", "blue 2"], ["violet 2"], ["orange 3", "green 1"], ["blue 1"]],
        1: [["yellow 2", "red 1"], ["orange 4"]],
    }
    down = {
        0: [(0, "yellow 3"), (0, "green 3"), (1, "green 4")],
        1: [(0, "green 2"), (1, "red 2")],
    }
    return position(
        num_players,
        SEALAND_AND_FIELDLAND,
        kingdoms=kingdoms,
        forces=forces,
        down=down,
        hands={0: ["red 3", "red 3", "green 1", "blue 3"], 1: ["red 3", "red 4", "green 1"]},
        free=["red 1", "red 1", "green 3", "blue 4", "violet 1", "yellow 2"],
        fame=[3, 112],
        **more,
    )


def check_texts(canvas, plan) -> None:
    boxes = text_boxes(canvas)
    for (one, first), (other, second) in itertools.combinations(boxes, 2):
        # Equal free knights lie on top of each other; so do hands of many cards.
        same = first.height == second.height and one == other and abs(first.x - second.x) < 8
        assert apart(first, second) or same, (one, other, first, second)
    parts = [plan.title, plan.decision, plan.free, plan.points]
    check_in_parts(boxes, parts + [part.box for part in (*plan.kingdoms, *plan.areas)])


# The picture


@modes
@pytest.mark.parametrize("plies", [0, 41, 10_000])
def test_the_picture_is_svg_and_pixels(mode, plies):
    state = played(3, mode, plies)[0]
    check_picture(draw(state, None, last_of(state)), 1440, 960, 0.4)


def test_the_game_draws_describes_and_locates_through_its_object():
    state = played(1, "3", 40)[0]
    last = int(state["last_action"])
    assert GAME.draw(state, 1, last).svg() == draw(state, 1, last).svg()
    assert GAME.describe(state, seat=1) == text_board.describe(state, 1).replace(MINUS, "-")
    assert GAME.locate(300, 700, state) == locate(300, 700, state)


@modes
def test_no_text_overlaps_another_or_leaves_its_part(mode):
    for states in games(11, mode):
        state = states[0]
        if state["ply"] % 17 and not state["terminated"]:
            continue
        seat = views(states)[state["ply"] % (state["num_players"] + 1)]
        check_texts(draw(state, seat, last_of(states[0])), layout_of(see(state, seat)))


@pytest.mark.parametrize("over", [False, True])
def test_no_text_overlaps_another_with_every_button_and_bounds(over):
    states = busy()
    states[0]["truncated"] = over
    for seat, last in itertools.product(views(states), (None, HIDDEN + 5)):
        check_texts(draw(states[0], seat, last), layout_of(see(states[0], seat)))


@pytest.mark.parametrize("count", range(1, 7))
def test_values_and_emblems_of_all_defenders_are_seen(count):
    defenders = [f"{colour} {k % 4 + 1}" for k, colour in enumerate(COLOURS[:count])]
    states = position(kingdoms={"Forestland": (0, defenders)})
    kingdom = see(states[0]).kingdoms[KINGDOMS.index("Forestland")]
    row = layout_of(see(states[0])).kingdoms[kingdom.number].cards
    canvas = draw(states[0])
    assert len(row) == count
    check_emblems(canvas, row)
    values = [box for _, box in text_boxes(canvas) if any(card.has(*box.centre) for card in row)]
    assert len(values) == count
    check_inside(Rect(row[0].x, row[0].y, row[-1].right - row[0].x, row[0].height), values)
    for k, value in enumerate(values):
        assert value.right <= row[k].x + uncovered(row, k).width


@pytest.mark.parametrize("cards", [2, 4, 6])
def test_emblems_of_forces_are_seen(cards):
    states = position(4, forces={seat: [ALL[:cards]] * 4 for seat in range(4)})
    for seat in (None, 0):
        canvas = draw(states[0], seat)
        for area in layout_of(see(states[0], seat)).areas:
            for group in area.forces:
                check_emblems(canvas, group.cards)


def check_emblems(canvas, row) -> None:
    """Each card's emblem is in the part that the next card doesn't cover."""
    found = []
    for path, (scale, x, y) in shapes(canvas, "path"):
        if path.get("d") in EMBLEMS:
            right, down, size = map(float, re.findall(r"-?[\d.]+", path.get("transform"))[:3])
            around = Rect(x + scale * right, y + scale * down, 0, 0).grown(10 * size * scale)
            found += [around] if any(card.has(*around.centre) for card in row) else []
    assert len(found) == len(row)
    for k, around in enumerate(found):
        check_inside(uncovered(row, k), [around])


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize(
    ("forces", "cards"),
    [(0, 1), (1, 1), (1, 6), (4, 1), (4, 6), (8, 1), (8, 6), (12, 1), (12, 6), (23, 1), (24, 1)],
)
def test_parts_lie_apart_however_many_forces_and_cards_there_are(num_players, forces, cards):
    """More than a game can have, but for a force with every card."""
    states = position(
        num_players,
        kingdoms={name: (k % num_players, ALL) for k, name in enumerate(KINGDOMS)},
        forces={seat: [ALL[:cards]] * forces for seat in range(num_players)},
        hands={seat: ALL * 3 for seat in range(num_players)},
        free=[f"{colour} {value}" for colour in COLOURS for value in (1, 2, 3, 4)],
    )
    for seat in views(states):
        seen = see(states[0], seat)
        plan = layout_of(seen)
        boxes = [plan.title, plan.decision, plan.free, plan.points]
        boxes += [part.box for part in (*plan.kingdoms, *plan.areas)]
        assert all(apart(*pair) for pair in itertools.combinations(boxes, 2))
        for area in plan.areas:
            groups = [*area.forces, *([area.new] if area.new else [])]
            check_inside(area.box, [*area.hand, *(group.box for group in groups)])
            assert all(apart(a.box, b.box) for a, b in itertools.combinations(groups, 2))
            lowest = max(card.bottom for card in area.hand)
            assert all(group.box.y > lowest for group in groups)
            for group in groups:
                check_inside(group.box, [*group.cards, *(box for _, box in group.buttons)])
                for (_, box), card in itertools.product(group.buttons, group.cards):
                    assert apart(box, card)
        for realm in plan.kingdoms:
            check_inside(realm.box, [*realm.cards, *(box for _, box in realm.buttons)])


def check_inside(outer: Rect, boxes: list[Rect]) -> None:
    for box in boxes:
        assert outer.x < box.x and box.right < outer.right
        assert outer.y < box.y and box.bottom < outer.bottom


# What is hidden


@modes
def test_pictures_and_texts_of_a_seat_do_not_tell_what_it_cannot_know(mode):
    """Including the last move: which card was put face down is hidden from the others."""
    changed = 0
    sides = SEALAND_AND_FIELDLAND if mode == "3" else MODES[mode][1]
    seen = games(5, mode, sides=sides, packs_known="once_shown")
    for states in itertools.chain(seen, games(11, mode, sides=sides)):
        last = last_of(states[0])
        hidden = last is not None and last >= HIDDEN
        often = 3 if states[0]["num_down"].any() else 19
        if states[0]["ply"] % often and not hidden:
            continue
        for seat in range(int(states[0]["num_players"])):
            shown = last
            if hidden and see(states[0], None, last).move.seat != seat:
                shown = HIDDEN + 3 + (last - HIDDEN) // NUM_KNIGHTS * NUM_KNIGHTS
            text, picture = describe(states[0], seat, last), draw(states[0], seat, last).svg()
            copy = GAME.determinize(states, seat, 7)
            changed += (copy[0]["hand"] != states[0]["hand"]).any()
            assert describe(copy[0], seat, shown) == text
            assert draw(copy[0], seat, shown).svg() == picture
    assert changed


def test_face_down_cards_are_shown_to_their_seat_and_to_all_eyes():
    states = busy()
    for seat in views(states):
        text = describe(states[0], seat)
        own = [owner for owner in (0, 1) if seat in (None, owner)]
        assert ("(Y3)" in text) == ("(G4)" in text) == (0 in own)
        assert ("(G2)" in text) == (1 in own)
        assert text.count("??: one of") == (3 if 0 not in own else 0) + (2 if 1 not in own else 0)
        found = titles(draw(states[0], seat))
        assert ("face down: yellow 3" in found) == (0 in own)
        assert ("face down: green 2" in found) == (1 in own)


def test_a_hand_is_shown_once_its_pack_is_known():
    for states in games(2, "3", 40, packs_known="once_shown"):
        for seat, other in itertools.product(range(3), range(3)):
            known = bool(knows_pack(states[0], seat, other))
            assert (see(states[0], seat).tables[other].hand is not None) == known
    (states,) = games(2, "3", 0, packs_known="once_shown")
    assert describe(states[0], 0).count("no card of its pack was seen yet") == 2
    assert "no card was seen yet: which pack it is isn't known" in words(draw(states[0], 0))
    assert "not known" not in describe(played(2, "3", 0)[0], 0)


def test_backs_tell_recruited_cards_apart():
    """Small letters and a corner of their back; a face-down card's back, whatever it is."""
    parts = dict(
        kingdoms={"Sealand": (0, ["blue 4", "recruited red 1"])},
        forces={0: [["red 1", "recruited blue 2"]]},
        down={0: [(0, "yellow 3"), (0, "recruited green 3")]},
        hands={0: ["red 3", "recruited red 4"], 1: ["red 1"]},
    )
    state = position(2, "reverse", **parts)[0]
    text = describe(state, 1)
    assert "small letters: recruited" in text and "  B4 r1" in text
    assert "  hand and 2 face down: R3 Y3 r4 g3" in text
    assert "R1 b2 ?? ??" in text and "??: one of Y3" in text and "??: one of g3" in text
    assert "(Y3) (g3)" in describe(state, 0)
    parts["down"] = {0: [(0, "recruited yellow 3"), (0, "green 3")]}
    other = position(2, "reverse", **parts)[0]
    assert draw(state, 1).svg() != draw(other, 1).svg(), "another lies below"
    state = position(2, "crown", **parts)[0]
    assert "small letters" not in describe(state, 1) and "  B4 R1" in describe(state, 1)


@modes
def test_known_bounds_hold_the_points(mode):
    """The all-seeing eye counts as the game does; for a seat the truth lies within its bounds."""
    for seed in range(2):
        for states in games(seed, mode):
            if states[0]["ply"] % 7 and not states[0]["terminated"]:
                continue
            scores, ranks = GAME.returns(states)
            for seat in views(states):
                seen = see(states[0], seat)
                for table, score in zip(seen.tables, scores, strict=True):
                    low, high = table.points.total
                    assert low <= score <= high and (low == high or seat is not None)
        assert see(states[0]).ranks == ranks.tolist()


def test_bounds_are_told_where_cards_lie_face_down():
    states = busy()
    states[0]["truncated"] = True
    assert see(states[0], 2).scores[1] == (117 - 10, 117 - 6)
    assert see(states[0], 1).scores[1] == (117 - 8, 117 - 8)
    text = describe(states[0], 2)
    assert text.splitlines()[-4] == "1st: player_1, 107..111 points"
    states[0]["fame"][2] = 108
    assert see(states[0], 3).ranks == [3, None, None, 4]
    assert "?: player_1, 107..111 points" in describe(states[0], 3)
    assert see(states[0]).ranks == [3, 1, 2, 4]


# What is shown


def test_the_picture_and_the_text_change_with_everything_visible():
    parts = dict(
        kingdoms={"Sealand": (0, ["blue 4"]), "Goldland": (None, ["orange 1", "red 2"])},
        forces={0: [["red 1", "blue 2"]], 1: [["yellow 2"], ["orange 4"]]},
        down={0: [(0, "yellow 3")], 1: [(0, "green 2")]},
        hands={0: ["red 3", "green 1"], 1: ["blue 1", "red 1"], 2: ["violet 2"]},
        free=["red 1", "green 3"],
        fame=[3, 12, 0],
    )
    changes = {
        "owner": dict(kingdoms={**parts["kingdoms"], "Sealand": (1, ["blue 4"])}),
        "defender": dict(kingdoms={**parts["kingdoms"], "Sealand": (0, ["blue 3"])}),
        "colour": dict(kingdoms={**parts["kingdoms"], "Sealand": (0, ["red 4"])}),
        "force": dict(forces={**parts["forces"], 0: [["red 1", "blue 3"]]}),
        "lead": dict(forces={**parts["forces"], 0: [["blue 2", "red 1"]]}),
        "order": dict(forces={**parts["forces"], 1: [["orange 4"], ["yellow 2"]]}),
        "down": dict(down={0: [(0, "yellow 3")], 1: [(1, "green 2")]}),
        "own down": dict(down={0: [(0, "yellow 2")], 1: [(0, "green 2")]}),
        "nothing down": dict(down={0: [(0, "yellow 3")]}),
        "hand": dict(hands={**parts["hands"], 0: ["red 3", "green 2"]}),
        "other hand": dict(hands={**parts["hands"], 2: ["violet 3"]}),
        "free": dict(free=["red 1"]),
        "fame": dict(fame=[3, 12, 1]),
        "used": dict(used=["Sealand"]),
        "played": dict(played=True),
        "turn": dict(to_play=1),
    }
    base = position(3, "reverse", **parts)[0]
    changed = {
        name: position(3, "reverse", **(parts | change))[0] for name, change in changes.items()
    }
    changed["side"] = position(3, ["crown"] + 5 * ["reverse"], **parts)[0]
    changed["first player"] = base.copy()
    changed["first player"]["first_player"] = (base["first_player"] + 1) % 3
    changed["ending"] = base.copy()
    changed["ending"]["ending"] = True
    check_shown(GAME, base, changed)


@pytest.mark.parametrize("power", POWERS)
def test_every_power_is_told_in_words_and_when_it_works(power):
    name = next(n for n, powers in zip(KINGDOMS, POWERS_OF, strict=True) if power in powers)
    end = WHEN[power] == "end"
    side = {"in_play": None, "end": None} | {WHEN[power]: power}
    states = GAME.new_state(0, 2, kingdoms={name: {"crown": side, "income": 3}})
    canvas, text = draw(states[0]), describe(states[0])
    told = f"{'at the end: end' if end else 'in play'}: {POWER_WORDS[power]}"
    assert told in titles(canvas)
    words_on_the_board = POWER_WORDS[power].replace(MINUS, "-")
    assert f"    {'end: ' if end else ''}{words_on_the_board}" in text
    assert "+3" in words(canvas)
    row = next(line for line in text.splitlines() if line[2:].startswith(name))
    assert row.split()[-4 - ("+1" in row or "-1" in row)] == "3"
    check_texts(canvas, layout_of(see(states[0])))


def test_a_kingdom_shows_its_strength_with_its_modifier():
    kingdoms = {"Castleland": (1, ["red 3", "blue 4"]), "Goldland": (None, [])}
    states = position(
        2, ["crown", "crown", "crown", "reverse", "crown", "crown"], kingdoms=kingdoms
    )
    canvas, text = draw(states[0]), describe(states[0])
    assert {"strength 3+4+1", "strength 0−1"} <= set(titles(canvas))
    assert {"8", "with +1", "\u22121", "with \u22121"} <= set(words(canvas))
    assert "R Castleland  crown    player_1       1         8  R3 B4 +1" in text


def test_free_knights_cost_their_value_but_for_the_free_recruit():
    states = position(
        sides="reverse",
        kingdoms={"Castleland": (None, ["red 1", "blue 2"])},
        hands={0: ["red 4", "red 1"], 1: ["red 1"]},
    )
    assert "cost their value" in words(draw(states[0]))
    for text in ("new", "red 4"):
        GAME.step(states, GAME.action_from_string(text))
    found = words(draw(states[0]))
    assert "one for free" in found and "cost their value" not in found


def test_forces_show_their_strength_against_the_kingdom():
    states = busy()
    assert "force 1, Castleland: R1 B2 (Y3) (G3) = 3 against 5" in describe(states[0])
    assert "attacks Castleland" in titles(draw(states[0]))


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_nothing_lies_outside_the_picture(seat):
    check_edges(draw(busy()[0], seat, 10).rgb(0.5), 4)


def test_colours_stay_apart_for_the_colour_blind():
    # Emblems tell them apart too.
    check_colours((paint.fill for paint in PAINTS), 14)


# The last move


@modes
def test_the_last_move_is_told_of_the_one_who_made_it(mode):
    """Of nobody where the record doesn't tell; and never in other words than what was done."""
    told = count = 0
    for seed in range(12):
        seat, taking, sides = None, False, SEALAND_AND_FIELDLAND if seed % 2 else MODES[mode][1]
        for states in games(seed, mode, sides=sides):
            state, last = states[0], last_of(states[0])
            if seat is not None:
                move = see(state, None, last).move
                assert move.seat in (seat, None)
                told += move.seat == seat
                count += 1
                if " took " in move.text:
                    assert taking
                if " played " in move.text or "began force" in move.text:
                    assert not taking
                if move.force is not None and CARD <= last < HIDDEN:
                    assert last - CARD in forces_of(state, seat)[move.force].cards
            seat, taking = int(state["to_play"]), PHASES[state["phase"]] == "TAKING"
    assert told > 0.93 * count


@modes
def test_the_last_move_stays_that_of_the_one_who_made_it_when_a_game_is_broken_off(mode):
    """Nobody knows it better because somebody forfeits or the plies run out."""
    for seed in range(5):
        for states in games(seed, mode):
            last = int(states[0]["last_action"])
            if last < 0 or states[0]["terminated"]:
                continue
            told = see(states[0], None, last).move.text
            forfeited, cut = states.copy(), states.copy()
            illegal = int(np.flatnonzero(GAME.legal_mask(states) == 0)[0])
            GAME.step(forfeited, illegal, illegal="lose")
            cut[0]["truncated"] = True
            assert see(forfeited[0], None, last).move.text == told
            assert see(cut[0], None, last).move.text == told


def test_the_last_move_can_be_given_in_several_ways():
    state = played(9, "2", 20)[0]
    check_ways_to_give(GAME, state, int(state["last_action"]))


@modes
@pytest.mark.parametrize("plies", [0, 3, 10_000])
def test_any_action_can_be_given_as_the_last(mode, plies):
    """Also one that doesn't fit the record."""
    check_any_last(GAME, see, played(4, mode, plies)[0])


def test_the_words_of_the_last_move():
    states = position(
        sides=SEALAND_AND_FIELDLAND,
        kingdoms={name: (None, [f"{COLOURS[k]} 4"]) for k, name in enumerate(KINGDOMS)}
        | {
            "Castleland": (None, ["red 4", "violet 4"]),
            "Sealand": (0, ["blue 4"]),
            "Fieldland": (1, ["yellow 4"]),
        },
        hands={0: ["red 3", "red 1", "green 3", "green 2"], 1: ["orange 1", "orange 4", "blue 1"]},
        free=["violet 2"],
        fame=[2, 0],
    )
    told = []
    moves = (
        *("recruit violet 2", "new", "red 3"),
        *("take fieldland", "yellow 4", "new", "orange 4"),
        *("down 1", "hidden green 2"),
        *("new", "blue 1", "pass"),
        *("turn up 1", "new", "green 3"),
    )
    for text in moves:
        GAME.step(states, GAME.action_from_string(text, states[0]))
        told.append(see(states[0], 1, last_of(states[0])).move.text)
    assert told == [
        "player_0 recruited violet 2",
        "player_0 begins a new force",
        "player_0 began force 1 with red 3",
        "player_1 takes a card of Fieldland back",
        "player_1 took yellow 4 back",
        "player_1 begins a new force",
        "player_1 played orange 4: it defends Goldland",
        "player_0 adds a card face down to force 1",
        "player_0 moved a card, face down",
        "player_1 begins a new force",
        "player_1 began force 1 with blue 1",
        "player_1 passed",
        "turned up a card of force 1",
        "player_0 begins a new force",
        "player_0 began force 2 with green 3",
    ]
    assert see(states[0], 0, HIDDEN + knight_of("red 1")).move.text == (
        "player_0 moved red 1, face down"
    )


# The end


def test_the_end_names_the_places():
    states = position(3, fame=[3, 7, 3])
    states[0]["terminated"] = True
    assert describe(states[0]).splitlines()[-3:] == [
        "1st: player_1, 7 points",
        "2nd: player_0, 3 points",
        "2nd: player_2, 3 points",
    ]
    found = words(draw(states[0], 0))
    assert {"game over", "1st ★", "2nd", "3"} <= set(found)


def test_who_forfeits_comes_last():
    check_forfeit(GAME, played(2, "3", 4), "3rd: player_1, forfeit")


@pytest.mark.parametrize("show", [draw, describe])
def test_bad_arguments_are_refused(show):
    moves = (-1, GAME.num_actions, {"kind": "strengthen", "force": 40})
    check_refused(show, played(2, "3", 4)[0], moves, r"action|force")


# Clicks


def check_clicks(states) -> set[str]:
    """Every legal action has its point, where the picture shows what it is."""
    state = states[0]
    found = dict(layout_of(see(state, int(state["to_play"]))).choices)
    kinds = set()
    for action in np.flatnonzero(GAME.legal_mask(states)).tolist():
        parts = tuple(GAME.decode_action(action).values())
        box = found[action]
        # Where a card is covered by the next one, its left edge is seen.
        assert locate(box.x + 2, box.centre[1], state) == parts
        kinds.add(parts[0])
    return kinds


@modes
def test_every_legal_action_has_its_point(mode):
    met = set()
    for seed in range(3):
        sides = SEALAND_AND_FIELDLAND if seed else MODES[mode][1]
        for states in games(seed, mode, sides=sides):
            if states[0]["ply"] % 5 == seed or states[0]["phase"] > 2:
                met |= check_clicks(states) if not states[0]["terminated"] else set()
    assert {"new", "strengthen", "take", "card", "pass", "recruit"} <= met


def test_every_kind_of_click():
    expected = {"new", "strengthen", "down", "add", "take", "turn up", "recruit"}
    assert check_clicks(busy()) == expected
    for text, kinds in (
        ("take 1", {"card", "hidden"}),
        ("take forestland", {"card"}),
        ("turn up 1", {"card"}),
        ("down 2", {"hidden"}),
        ("add shadowland", {"card"}),
    ):
        states = busy()
        GAME.step(states, GAME.action_from_string(text))
        assert check_clicks(states) == kinds
    states = position(
        sides="reverse",
        kingdoms={"Shadowland": (1, ["violet 3"])},
        hands={0: ["red 1"], 1: ["red 4", "blue 2"]},
    )
    for text in ("new", "red 1"):
        GAME.step(states, GAME.action_from_string(text))
    assert PHASES[states[0]["phase"]] == "LAST_CARD"
    assert check_clicks(states) == {"add", "pass"}


def test_points_beside_everything_are_nothing():
    state = played(3, "2", 60)[0]
    for point in [(0, 0), (-50, 10), (1439, 959), (600, 1e9), (30, 100)]:
        assert locate(*point, state) is None


def test_when_the_game_is_over_nothing_is_found():
    state = played(3, "2")[0]
    found = {locate(x, y, state) for x in range(0, 1440, 60) for y in range(0, 960, 60)}
    assert found == {None}


def test_buttons_are_shown_to_the_seat_to_play_alone():
    states = busy()
    for seat in views(states):
        shown = {"take back", "turn up", "+ card", "+ face down"} & set(
            words(draw(states[0], seat))
        )
        assert bool(shown) == (seat == 0)


@pytest.mark.parametrize("played_card", [False, True])
def test_a_new_force_is_offered_until_the_card_is_played(played_card):
    state = busy(played=played_card)[0]
    found = words(draw(state, 0))
    assert (area_of(layout_of(see(state, 0)), 0).new is None) == played_card
    assert ("new force" not in found) == played_card
    assert ("end the turn" in found) == played_card


# The text


def test_the_text_shows_the_table():
    states = busy(2)
    assert describe(states[0], 1, CARD) == "\n".join(TEXT)


TEXT = """\
Saga, ply 0, seen by player_1
player_0 plays a card, may recruit, may take a card back, may turn up a face-
  down card
last move: card: red 1

cards: R red, G green, B blue, O orange, V violet, Y yellow
in small letters: recruited, with another back than its seat's pack
free knights: R1 R1 G3 B4 V1 Y2

kingdom       side     held by   income  strength  defence
R Castleland  reverse  player_1       1         5  R3 Y2
    who conquers it recruits a knight for free
G Forestland  crown    player_0       1        13  G2 R1 B3 O4 V1 Y2
    end: cards in hand cost nothing
B Sealand     reverse  player_0       1         5  B4 R1
    once: a card face down onto an attack force
O Goldland    reverse  centre         2         0  O1 -1
    defence -1
V Shadowland  crown    player_0       1         4  V4
    once: add a card to this defence
Y Fieldland   crown    player_0       1         6  Y3 R1 G2
    each turn: take one own card back from the table
    end: +5 points

player_0, first player: 3 fame, 4 cards in hand
  hand and 3 face down: R3 R3 G1 G3 G4 B3 Y3
  force 1, Castleland: R1 B2 ?? ?? = 3 against 5
    ??: one of G1 G3 G4 Y3
    ??: one of G1 G3 G4 Y3
  force 2, Shadowland: V2 ?? = 2 against 4
    ??: one of R3 R3 G1 G3 G4 B3 Y3
  force 3, Goldland: O3 G1 = 4 against 0
  force 4, Sealand: B1 = 1 against 5

player_1 (you): 112 fame, 3 cards in hand
  hand: R3 R4 G1
  force 1, Fieldland: Y2 R1 (G2) = 3 against 6
  force 2, Goldland: O4 (R2) = 4 against 0

points now        fame  kingdoms    powers      hand    in all
player_0             3        28         5         0        36
player_1           112         5         0        -8       109
""".splitlines()


@modes
def test_the_text_is_narrow_and_plain(mode):
    for states in games(6, mode):
        state = states[0]
        check_plain(describe(state, state["ply"] % state["num_players"], last_of(state)))
