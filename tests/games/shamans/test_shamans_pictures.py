"""Pictures and text boards of Shamans: what they show, what they must not, and clicks on them."""

from __future__ import annotations

import itertools
import re
from functools import cache

import numpy as np
import pytest
from pictures import (
    apart,
    check_any_last,
    check_apart,
    check_colours,
    check_edges,
    check_forfeit,
    check_in_parts,
    check_picture,
    check_plain,
    check_refused,
    check_shown,
    check_ways_to_give,
    is_paint,
    last_of,
    text_boxes,
    titles,
    views,
    words,
)

from ludotheque.envs import get_game
from ludotheque.envs.shamans.components import (
    ECLIPSE,
    HAND_SIZE,
    NUM_CARDS,
    RITUALS,
    VALUES,
    WORLDS,
    WORLDS_IN_PLAY,
)
from ludotheque.envs.shamans.rules import is_asked_unseen
from ludotheque.envs.shamans.state import (
    CARD_PHASE,
    ECLIPSE_PHASE,
    KEEP_PHASE,
    NEW_TRICK,
    ORDER_PHASE,
    PERMUTE_PHASE,
    PHASES,
    RITUAL_STAGE,
    card_passed_by,
    hand_of,
    knows_camp,
)
from ludotheque.envs.shamans.table.geometry import (
    ARTEFACTS,
    BOARD,
    COLUMN,
    TITLE,
    TRACK,
    layout_of,
    locate,
    track_square,
)
from ludotheque.envs.shamans.table.picture import draw
from ludotheque.envs.shamans.table.pieces import PAINTS
from ludotheque.envs.shamans.table.text import describe
from ludotheque.envs.shamans.table.visible import FACE_DOWN, see

GAME = get_game("shamans")
counts = pytest.mark.parametrize("num_players", [3, 4, 5])
VIOLET, BLUE, GREEN, YELLOW, ORANGE, BROWN, RED = range(7)
SHOW_ALL = 31


def games(seed: int, num_players: int, plies: int = 10_000, **options):
    """Play a game that mostly follows suit, so that rounds are long; yield it at every ply."""
    states = GAME.new_state(seed, num_players, **options)
    random = np.random.default_rng(seed)
    yield states
    while states[0]["ply"] < plies and not states[0]["terminated"]:
        legal = np.flatnonzero(GAME.legal_mask(states))
        following = legal[legal // VALUES == states[0]["destination"]]
        cards = legal[legal < NUM_CARDS]
        if len(following) and random.random() < 0.85:
            legal = following
        elif len(cards) and random.random() < 0.8:
            legal = cards
        GAME.step(states, int(random.choice(legal)))
        yield states


@cache
def positions(num_players: int) -> list[np.ndarray]:
    """Some positions of each phase, and the ends of games."""
    found: dict[tuple, list[np.ndarray]] = {}
    for seed in range(10):
        for states in games(seed, num_players):
            state = states[0]
            phase = "OVER" if state["terminated"] else PHASES[state["phase"]]
            kind = phase, bool(state["eclipsed"]), bool(state["eliminated"])
            kept = found.setdefault(kind, [])
            if not kept or (len(kept) < 2 and state["ply"] > kept[0][0]["ply"] + 40):
                kept.append(states.copy())
    return [states for kept in found.values() for states in kept]


def played(seed: int, num_players: int, plies: int = 10_000, **options) -> np.ndarray:
    *_, states = games(seed, num_players, plies, **options)
    return states


def in_phase(num_players: int, phase: str) -> np.ndarray:
    """Return a position of a phase."""
    for states in positions(num_players):
        if PHASES[states[0]["phase"]] == phase and not states[0]["terminated"]:
            return states.copy()
    pytest.fail(f"no {phase} was met in the games of {num_players} players")


def bits(*cards: tuple[int, int]) -> int:
    return sum(1 << VALUES * world + value - 1 for world, value in cards)


def check_texts(canvas, plan) -> None:
    """No text lies on another, leaves its part of the picture, or is too small to read."""
    boxes = text_boxes(canvas)
    check_apart(boxes)
    parts = [TITLE, TRACK, BOARD, ARTEFACTS, COLUMN]
    check_in_parts(boxes, parts + [area.box for area in plan.areas])
    assert all(box.height > 5 for _, box in boxes), "large enough to read"


# The picture


@counts
@pytest.mark.parametrize("plies", [0, 30, 10_000])
def test_the_picture_is_svg_and_pixels(num_players, plies):
    state = played(3, num_players, plies)[0]
    check_picture(draw(state, None, last_of(state)), 1440, 960)


def test_the_game_draws_describes_and_locates_through_its_object():
    state = played(1, 4, 25)[0]
    last = last_of(state)
    assert len({GAME.draw(state, 1, last).svg(), draw(state, 1, last).svg()}) == 1
    assert GAME.describe(state, seat=1) == describe(state, 1)
    assert GAME.locate(560, 860, state) == locate(560, 860, state)


@counts
def test_no_text_overlaps_another_or_leaves_its_part(num_players):
    for k, states in enumerate(positions(num_players)):
        seats = (int(states[0]["to_play"]), (None, k % num_players)[k % 2])
        for seat in seats:
            check_texts(draw(states[0], seat, last_of(states[0])), layout_of(see(states[0], seat)))


@counts
def test_no_text_overlaps_another_when_there_is_much_of_everything(num_players):
    """Full hands, all kinds of artefacts, two digits of points, everybody knows every role."""
    states = GAME.new_state(0, num_players)
    state = states[0]
    full = int(WORLDS_IN_PLAY[num_players]) - 1
    state["points"][:num_players] = 17
    state["shown"][:num_players] = 2
    state["hidden"][:num_players] = 2
    state["gone"] = [5, 2, 3, 2]
    state["seen"][: num_players - 1] = SHOW_ALL & ~1
    state["front"][:num_players] = [VALUES * full + k for k in range(num_players)]
    state["destination"] = full
    state["eclipsed"] = True
    state["given"][:num_players] = [hand_of(state, (s + 1) % num_players)[0] for s in range(3)] + [
        -1
    ] * (num_players - 3)
    state["card"], state["steps"], state["pawn"] = 2, 5, state["moon"] - 1
    state["placed"] = 0
    state["pending"], state["doing"], state["performer"], state["won"] = 0b110, 0, 0, 1
    state["eliminated"] = 0b100
    state["round"] = 99
    for state["guide"], state["marker"] in ((0, 0), (1, 2)):
        for seat in views(states):
            for last in (3, GAME.action_from_string("eliminate +2"), 60):
                check_texts(draw(state, seat, last), layout_of(see(state, seat)))


@counts
def test_cards_and_artefacts_lie_apart_in_their_parts(num_players):
    states = GAME.new_state(0, num_players)
    for shown, hidden in ((0, 0), (1, 0), (2, 2)):
        states[0]["shown"][:num_players] = shown
        states[0]["hidden"][:num_players] = hidden
        for seat in views(states):
            for area in layout_of(see(states[0], seat)).areas:
                parts = [area.role, area.front, area.room, *area.tiles]
                for part in (*parts, *area.hand):
                    assert area.box.x < part.x and part.right < area.box.right
                    assert area.head.bottom < part.y and part.bottom < area.box.bottom
                assert all(apart(*pair) for pair in itertools.combinations(parts, 2))
                assert all(tile.width >= 30 for tile in area.tiles), "large enough to read"
                steps = [b.x - a.x for a, b in itertools.pairwise(area.hand)]
                assert all(step > (15 if seat not in (None, area.seat) else 26) for step in steps)


@counts
@pytest.mark.parametrize("seat", [None, 0])
def test_nothing_lies_outside_the_picture(num_players, seat):
    states = GAME.new_state(0, num_players)
    states[0]["pawn"] = states[0]["moon"]
    check_edges(draw(states[0], seat).rgb(), 12)


@pytest.mark.parametrize(("start", "moon"), [(0, 1), (0, 3), (12, 24), (50, 100), (99, 100)])
def test_tracks_of_any_length_fit(start, moon):
    states = GAME.new_state(0, 3, track={"start": start, "moon": moon})
    for states[0]["pawn"] in {0, start, moon // 2, moon}:
        seen = see(states[0])
        check_texts(draw(states[0]), layout_of(seen))
        places = [track_square(seen, square) for square in range(moon + 1)]
        assert all(TRACK.has(*place) for place in places)
        track = "".join(re.findall(r"^[.@sM]+$", describe(states[0]), re.MULTILINE))
        assert len(track) == moon + 1 and track[int(states[0]["pawn"])] == "@"


# What is hidden


@counts
def test_what_a_seat_cannot_know_changes_nothing(num_players):
    """As the conformance kit does, on positions of every phase, and with the last move."""
    for k, states in enumerate(positions(num_players)):
        for seat in {int(states[0]["to_play"]), k % num_players}:
            drawn = GAME.determinize(states, seat, k)
            last, redrawn = last_of(states[0]), last_of(drawn[0])
            assert describe(drawn[0], seat, redrawn) == describe(states[0], seat, last)
            # Not compared within the assert: the report of a difference takes minutes.
            same = draw(drawn[0], seat, redrawn).svg() == draw(states[0], seat, last).svg()
            assert same, (seat, PHASES[states[0]["phase"]])


@counts
def test_hands_and_tiles_face_down_are_shown_to_their_seat_and_to_all_eyes(num_players):
    states = GAME.new_state(2, num_players)
    states[0]["hidden"][0] = [1, 0, 2]
    for seat, shown in ((None, True), (0, True), (1, False)):
        text, canvas = describe(states[0], seat), draw(states[0], seat)
        assert ("1 dagger face down, 2 shards face down" in text) == shown
        assert ("3 face down" in text) != shown
        found = titles(canvas)
        assert ("shard, face down, 2 of them" in found) == shown
        assert ("face down, 3 of them" in found) != shown
        player = see(states[0], seat).players[0]
        assert player.hand == (hand_of(states[0], 0) if shown else [FACE_DOWN] * len(player.hand))
        assert len(player.hand) == HAND_SIZE[num_players]


def test_roles_are_shown_to_those_who_have_seen_them():
    states = GAME.new_state(1, 5)
    state = states[0]
    state["camp"][:] = [0, 1, 0, 1, 0]
    state["phase"], state["performer"], state["doing"] = PERMUTE_PHASE, 0, GREEN
    state["placed"], state["to_play"] = int(state["placed"]) | 0xFF << VALUES * GREEN, 0
    state["then"] = NEW_TRICK
    assert "not known" in describe(state, 0) and "not known" not in describe(state)
    GAME.step(states, GAME.action_from_string("swap +3"))
    # Seats 0 and 3 know both cards; the Shadow of seat 3 is seat 0's now.
    for seat in range(5):
        camps = [player.camp for player in see(state, seat).players]
        expected = ["shadow", "shadow", "shaman", "shaman", "shaman"]
        knows = [knows_camp(state, seat, other) for other in range(5)]
        assert knows == [other == seat or {seat, other} == {0, 3} for other in range(5)]
        assert camps == [c if k else None for c, k in zip(expected, knows, strict=True)]
    text = describe(state, 1)
    assert text.count("role not known (seen by 0, 3)") == 2
    assert "Shadow (seen by 0, 3)" in titles(draw(state, 3))


def test_a_card_passed_by_the_eclipse_is_shown_to_the_two_who_know_it():
    for states in positions(5):
        passed = card_passed_by(states[0], 0)
        if passed is not None:
            break
    card, holder = passed
    note = see(states[0], holder).players[holder].notes[card]
    assert note == "from 0"
    assert see(states[0], 0).players[holder].notes == {card: "from you"}
    assert see(states[0], 0).players[holder].hand[-1] == card
    others = set(range(5)) - {0, holder}
    assert all(card not in see(states[0], seat).players[holder].hand for seat in others)
    name = f"{WORLDS[card // VALUES]} {card % VALUES + 1}"
    assert f"known: {name} (from you)" in describe(states[0], 0)
    assert f"{name}, from you" in titles(draw(states[0], 0))


def test_a_card_chosen_during_the_eclipse_is_marked_for_its_seat():
    states = in_phase(4, "ECLIPSE")
    seat = int(states[0]["to_play"])
    GAME.step(states, hand_of(states[0], seat)[-1])
    assert states[0]["phase"] == ECLIPSE_PHASE
    assert see(states[0], seat).players[seat].notes[int(states[0]["given"][seat])] == "given"
    other = (seat + 1) % 4
    assert "given" not in see(states[0], other).players[seat].notes.values()


def test_a_decision_about_a_tile_face_down_is_seen_by_its_seat_alone():
    """If only holders are asked; else it is no secret."""
    states = GAME.new_state(4, 4, asked="holders")
    state = states[0]
    state["pawn"] = state["moon"] - 1
    for holder in (1, 2):
        copy = states.copy()
        copy[0]["hidden"][holder, 1] = 1
        copy[0]["to_play"] = 0
        copy[0]["hand"][0] |= 1
        while not is_asked_unseen(copy[0]):
            legal = np.flatnonzero(GAME.legal_mask(copy))
            off = legal[legal // VALUES != copy[0]["destination"]]
            GAME.step(copy, int(off[0]))
        for seat in range(4):
            seen = see(copy[0], seat)
            assert (seen.to_play == holder) == (seat == holder)
            assert bool(seen.choices) == (seat == holder)
            assert ("may use a portal" in describe(copy[0], seat)) == (seat == holder)
            assert ("pass" in words(draw(copy[0], seat))) == (seat == holder)
        assert see(copy[0]).to_play == holder


def test_the_tile_looked_at_is_shown_to_its_seat_alone():
    states = in_phase(5, "KEEP")
    seat = int(states[0]["to_play"])
    kind = int(states[0]["looked_at"])
    assert see(states[0], seat).looked_at == see(states[0]).looked_at == kind
    assert see(states[0], (seat + 1) % 5).looked_at == FACE_DOWN
    assert f"player_{seat} looks at a tile from the pile" in describe(states[0], (seat + 1) % 5)


def test_the_pile_is_shown_to_all_eyes_alone():
    states = GAME.new_state(0, 3)
    assert "pile from the top: " in describe(states[0])
    assert "pile from the top: " not in describe(states[0], 1)
    assert see(states[0]).arrow in ("left", "right") and see(states[0], 1).arrow == ""
    states[0]["pile"][states[0]["pile_size"] - 1] = ECLIPSE
    assert see(states[0], 1).arrow in ("left", "right"), "it lies on top"


# What is shown


def table() -> np.ndarray:
    """A trick of five players in which much has happened."""
    states = GAME.new_state(0, 5)
    state = states[0]
    state["camp"][:] = [0, 1, 0, 1, 0]
    state["seen"][:] = [1, SHOW_ALL, 4, 8 | 1, 16]
    state["points"][:] = [2, 5, 0, 3, 1]
    state["round"], state["won"], state["marker"], state["guide"] = 2, 1, 2, 4
    state["hand"][:] = [
        bits((BLUE, 2), (BLUE, 7), (RED, 1)),
        bits((GREEN, 1), (ORANGE, 8)),
        bits((VIOLET, 3), (YELLOW, 5), (YELLOW, 6)),
        bits((RED, 5), (RED, 6), (BROWN, 2)),
        bits((ORANGE, 1), (BROWN, 3)),
    ]
    state["placed"] = bits((VIOLET, 1), (VIOLET, 8), (BLUE, 4)) | 0xFF << VALUES * GREEN
    state["front"][:] = [-1, VALUES * YELLOW, -1, -1, VALUES * YELLOW + 6]
    state["destination"], state["played"], state["eliminated"] = YELLOW, 0b10011, 0b00010
    state["turn"] = state["to_play"] = 2
    state["phase"] = CARD_PHASE
    state["shown"][:] = 0
    state["shown"][0], state["shown"][2] = [1, 0, 2], [0, 1, 0]
    state["hidden"][0], state["hidden"][3] = [0, 1, 0], [1, 0, 1]
    state["gone"] = [1, 0, 0, 1]
    state["display"] = [0, 3]
    state["pile"][:] = 0
    state["pile"][:3] = [2, 4, 0]
    state["pile_size"] = 3
    state["pawn"] = 17
    state["ply"], state["last_seat"], state["last_action"] = 140, 0, VALUES + 3
    return states


def test_the_text_shows_the_table():
    assert describe(table()[0], 0, VALUES + 3) == TEXT


TEXT = """\
Shamans, round 3, Shadows won round 2, seen by player_0
player_2: plays a card, the Destination is yellow, or uses a portal
3 Shamans, 2 Shadows; won: Shaman +2, Shadow +3, 2 shards: +2, to 8 points
last move: player_0 played blue 4

Shadow track: pawn on 17, Moon on 30: 13 to go
.....s...........@............M

violet  illumination    1 . . . . . . 8
blue    stabilisation   . . . 4 . . . .
green   permutation     1 2 3 4 5 6 7 8  complete
yellow  neutralisation  . . . . . . . .  destination
orange  stabilisation   . . . . . . . .
brown   neutralisation  . . . . . . . .
red     permutation     . . . . . . . .

artefacts: [1] dagger  [2] mask  pile of 3
Eclipse: in the pile
out of the round: 1 dagger, 1 mask

Destination: yellow; Guide: player_4
  player_4 yellow 7
  player_0 played to another world
  player_1 yellow 1 (eliminated: doesn't count)

player_1 (eliminated): 5 points, Shadow, shown to all
  2 cards set aside

player_2 (First player): 0 points, role not known (seen by 2)
  3 cards in hand
  artefacts: 1 portal

player_3: 3 points, Shadow (seen by 0, 3)
  3 cards in hand
  artefacts: 2 face down

player_4 (Guide): 1 point, role not known (seen by 4)
  2 cards in hand

player_0 (you): 2 points, Shaman (seen by 0)
  3 cards in hand: blue 2 7, red 1
  artefacts: 1 dagger, 2 shards, 1 portal face down"""


def test_the_ply_is_for_all_eyes():
    """Others would tell from it that a player passed unseen."""
    state = table()[0]
    assert "Shadows won round 2, ply 140, all eyes" in describe(state)
    assert "ply 140, all eyes" in words(draw(state))
    later = state.copy()
    later["ply"] += 1
    for seat in range(5):
        assert describe(later, seat) == describe(state, seat)
        assert draw(later, seat).svg() == draw(state, seat).svg()


def test_a_single_round_is_to_no_number_of_points():
    match, single = GAME.new_state(2, 3)[0], GAME.new_state(2, 3, rounds="single")[0]
    assert "2 shards: +2, to 8 points\n" in describe(match)
    assert "2 shards: +2\n" in describe(single)
    goal = "first to lead with 8 wins"
    assert goal in words(draw(match)) and goal not in words(draw(single))


def test_the_picture_and_the_text_change_with_everything_visible():
    def placed(state):
        state["placed"] ^= bits((VIOLET, 1))

    def hand(state):
        state["hand"][0] ^= bits((RED, 1), (RED, 2))

    def others_hand(state):
        state["hand"][3] ^= bits((RED, 5))

    def front(state):
        state["front"][4] -= 1

    def elsewhere(state):
        state["played"] ^= 1

    def destination(state):
        state["destination"] = RED

    def shown(state):
        state["shown"][2] = [1, 0, 0]

    def hidden(state):
        state["hidden"][3] = [1, 0, 0]

    def own_hidden(state):
        state["hidden"][0] = [0, 0, 1]

    def seen_role(state):
        state["seen"][4] |= 1

    def witnesses(state):
        state["seen"][4] |= 2

    def revealed(state):
        state["seen"][2] = SHOW_ALL

    def eclipsed(state):
        state["eclipsed"] = True

    def on_top(state):
        state["pile"][2] = ECLIPSE

    def pending(state):
        state["performer"], state["pending"], state["phase"] = 2, 0b110, ORDER_PHASE

    def keeping(state):
        state["looked_at"], state["phase"] = 0, KEEP_PHASE

    changes = [
        lambda state, name=name, value=value: state.__setitem__(name, value)
        for name, value in {
            "pawn": 18,
            "start": 8,
            "moon": 25,
            "points": [3, 5, 0, 3, 1],
            "round": 3,
            "won": 0,
            "marker": 3,
            "guide": 0,
            "to_play": 3,
            "eliminated": 0,
            "gone": [1, 1, 0, 1],
            "display": [3, 0],
            "pile_size": 2,
            "phase": PERMUTE_PHASE,
            "ritual": [0, 1, 2, 3, 0, 1, 2],
            "target": 3,
            "steps": 2,
            "card": 2,
            "single": True,
        }.items()
    ]
    changes += [placed, hand, others_hand, front, elsewhere, destination, shown, hidden]
    changes += [own_hidden, seen_role, witnesses, revealed, eclipsed, on_top, pending, keeping]
    changed = {}
    for k, change in enumerate(changes):
        changed[k] = table()[0]
        change(changed[k])
    check_shown(GAME, table()[0], changed)


def test_cards_at_worlds_show_their_colours():
    states = table()
    seen = see(states[0])
    plan = layout_of(seen)
    pixels = draw(states[0]).rgb()
    for world in seen.worlds:
        for value in range(1, world.size + 1):
            slot = plan.slots[world.number][value - 1]
            paint = PAINTS[world.name]
            is_fill = is_paint(pixels, slot.centre[0], slot.y + 4, paint.fill)
            assert is_fill == (value in world.values), (world.name, value)


def test_rituals_are_icons_and_words():
    rituals = dict(zip(WORLDS, itertools.cycle(RITUALS), strict=False))
    states = GAME.new_state(0, 5, rituals=rituals)
    found, text = words(draw(states[0], 0)), describe(states[0], 0)
    for world, ritual in rituals.items():
        assert ritual in found and re.search(rf"^{world} +{ritual} ", text, re.MULTILINE)


def test_colours_stay_apart_for_the_colour_blind():
    # Symbols tell them apart too.
    check_colours((paint.fill for paint in PAINTS.values()), 18)


@counts
def test_the_text_is_narrow_and_plain(num_players):
    for states in positions(num_players):
        for seat in (None, 1):
            check_plain(describe(states[0], seat, last_of(states[0])))


# The last move


@counts
def test_the_last_move_is_told_of_the_one_who_made_it(num_players):
    seat = None
    for states in games(7, num_players, 400):
        state = states[0]
        if seat is not None:
            move = see(state, None, last_of(state)).move
            assert move.text.startswith(f"player_{seat} ")
            assert see(state, seat, last_of(state)).move == move
        seat = int(state["to_play"])


def test_what_only_its_seat_knows_gives_way_to_the_last_move_that_all_know():
    states = in_phase(5, "ECLIPSE")
    seat, before = int(states[0]["to_play"]), int(states[0]["shown_action"])
    card = hand_of(states[0], seat)[0]
    GAME.step(states, card)
    name = f"{WORLDS[card // VALUES]} {card % VALUES + 1}"
    assert see(states[0], seat, card).move.text == f"player_{seat} gave {name}"
    told = see(states[0], (seat + 1) % 5, card).move.text
    assert GAME.action_to_string(before).split()[0] in told or "took" in told or "kept" in told
    assert name not in told


def test_the_last_move_can_be_given_in_several_ways():
    state = played(9, 4, 20)[0]
    check_ways_to_give(GAME, state, int(state["last_action"]))


@counts
@pytest.mark.parametrize("plies", [0, 14, 10_000])
def test_any_action_can_be_given_as_the_last(num_players, plies):
    """Even one that doesn't fit the record: it is shown in notation."""
    check_any_last(GAME, see, played(4, num_players, plies)[0])


def test_the_card_played_last_is_found_on_the_table():
    for states in games(5, 4, 60):
        state = states[0]
        last = last_of(state)
        if last is not None and last < NUM_CARDS and not state["secret"]:
            move = see(state, None, last).move
            fresh = state["played"] == 0 and all(
                len(hand_of(state, seat)) == HAND_SIZE[4] for seat in range(4)
            )
            assert move.card == (None if fresh else last)


# The end


@counts
def test_the_end_agrees_with_the_game(num_players):
    for seed in range(3):
        states = played(seed, num_players)
        scores, ranks = GAME.returns(states)
        seen = see(states[0], 0)
        assert seen.scores == scores.tolist() and seen.ranks == ranks.tolist()
        assert "game over" in words(draw(states[0], 0)) and "game over" in describe(states[0], 0)
        assert all(player.revealed for player in seen.players)
        best = seen.ranks.index(1)
        assert f"1st: player_{best}, {seen.scores[best]:g} points" in describe(states[0])


@counts
def test_no_places_are_shown_before_the_end(num_players):
    for plies in (0, 20):
        states = played(0, num_players, plies)
        assert not states[0]["terminated"]
        for seat in (None, 0):
            shown = [*words(draw(states[0], seat)), *titles(draw(states[0], seat))]
            shown += describe(states[0], seat).splitlines()
            assert not [text for text in shown if re.search(r"\b\d(st|nd|rd|th)\b", text)]
    assert "1st ★" in words(draw(played(0, num_players)[0], 0))


def test_a_single_round_names_its_winners():
    states = played(0, 3, rounds="single")
    camp = "Shamans" if states[0]["won"] == 0 else "Shadows"
    assert f"single round, {camp} won" in describe(states[0])
    assert f"{camp} won" in words(draw(states[0]))


def test_who_forfeits_comes_last():
    states = played(2, 4, 4)
    check_forfeit(GAME, states, "4th: player_1, forfeit")
    assert "role not known" in describe(states[0], 0), "roles stay hidden"


@pytest.mark.parametrize("show", [draw, describe])
def test_bad_arguments_are_refused(show):
    moves = (-1, GAME.num_actions, {"kind": "take", "place": 40})
    check_refused(show, played(2, 3, 4)[0], moves, r"action|place")


# Clicks


def visible_point(found, wanted) -> tuple[float, float]:
    """Return a point of a place that nothing covers."""
    box = next(box for place, box in found if place == wanted)
    return box.x + 8, box.y + 8


@counts
def test_every_legal_action_has_its_point(num_players):
    met = set()
    for states in positions(num_players):
        if states[0]["terminated"]:
            continue
        seen = see(states[0], int(states[0]["to_play"]))
        found = layout_of(seen).places
        legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
        assert len(found) == len(legal)
        for action in legal:
            wanted = tuple(GAME.decode_action(action).values())
            assert locate(*visible_point(found, wanted), states[0]) == wanted
            met.add(wanted[0])
    assert met >= {"card", "portal", "pass", "take", "keep", "retreat", "swap", "eliminate"}


def test_the_order_of_rituals_is_chosen_at_the_worlds():
    state = table()[0]
    state["performer"], state["pending"], state["phase"] = 2, 0b110, ORDER_PHASE
    state["then"] = RITUAL_STAGE
    seen = see(state, 2)
    found = layout_of(seen).places
    assert {place for place, _ in found} == {("ritual", "blue"), ("ritual", "green")}
    assert locate(*visible_point(found, ("ritual", "green")), state) == ("ritual", "green")


@counts
def test_a_point_names_a_legal_action_or_nothing(num_players):
    for states in positions(num_players)[::12]:
        legal = np.flatnonzero(GAME.legal_mask(states)) if not states[0]["terminated"] else []
        names = {tuple(GAME.decode_action(int(action)).values()) for action in legal}
        found = {locate(x, y, states[0]) for x in range(10, 1440, 90) for y in range(10, 960, 60)}
        assert found <= names | {None}
        assert None in found


def test_points_beside_everything_are_nothing():
    state = played(3, 4, 20)[0]
    for point in [(0, 0), (-50, 10), (1439, 959), (600, 1e9), (30, 590)]:
        assert locate(*point, state) is None


def test_when_the_game_is_over_nothing_is_found():
    state = played(3, 3)[0]
    found = {locate(x, y, state) for x in range(0, 1440, 120) for y in range(0, 960, 120)}
    assert found == {None}
