"""Pictures and text boards of Harmonies: what they show, what they must not, and clicks on them."""

from __future__ import annotations

import itertools
import re
from xml.etree import ElementTree

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
    shapes,
    text_boxes,
    titles,
    views,
    words,
)

from ludotheque.envs import get_game
from ludotheque.envs.harmonies.actions import END, PLACE, SETTLE
from ludotheque.envs.harmonies.components import (
    CARD_NAMES,
    FIRST_SPIRIT,
    MAX_HEXES,
    NUM_CARDS,
    NUM_CUBES,
    NUM_HEXES,
    STACKS,
)
from ludotheque.envs.harmonies.notation import hex_to_string
from ludotheque.envs.harmonies.position import set_position
from ludotheque.envs.harmonies.state import PHASES
from ludotheque.envs.harmonies.table.geometry import area_of, layout_of, locate, places
from ludotheque.envs.harmonies.table.picture import draw
from ludotheque.envs.harmonies.table.pieces import CUBE, PAINTS, SPIRIT_CUBE
from ludotheque.envs.harmonies.table.text import describe
from ludotheque.envs.harmonies.table.visible import FACES, see

GAME = get_game("harmonies")
BLUE, GRAY, BROWN, GREEN, YELLOW, RED = range(6)
SPIRITS = range(FIRST_SPIRIT, NUM_CARDS + 1)
MODES = {
    "solo": (1, {}),
    "solo-B": (1, {"side": "B", "spirits": True}),
    "2": (2, {"spirits": True}),
    "3-B": (3, {"side": "B"}),
    "4": (4, {"spirits": True}),
    "4-B": (4, {"side": "B"}),
}
modes = pytest.mark.parametrize("mode", MODES)


def games(seed: int, mode: str, plies: int = 10_000):
    """Play random legal actions, cubes first; yield the states (changed in place) at every ply."""
    num_players, options = MODES[mode]
    states = GAME.new_state(seed, num_players, **options)
    random = np.random.default_rng(seed)
    yield states
    while states[0]["ply"] < plies and not states[0]["terminated"]:
        legal = np.flatnonzero(GAME.legal_mask(states))
        settling = legal[legal >= SETTLE]
        GAME.step(states, int(random.choice(settling if len(settling) else legal)))
        yield states


def played(seed: int, mode: str, plies: int = 10_000) -> np.ndarray:
    """A game after some random plies, or at its end."""
    *_, states = games(seed, mode, plies)
    return states


def position(num_players: int = 2, *, spirits: bool = False, side: str = "A", **parts):
    states = GAME.new_state(0, num_players, spirits=spirits, side=side)
    set_position(states, 0, playable=False, **parts)
    return states


def check_texts(canvas, plan) -> None:
    # A hex's name may lie behind the stack in front of it.
    boxes = [box for box in text_boxes(canvas) if not re.fullmatch(r"[a-g][1-5]", box[0])]
    check_apart(boxes)
    parts = [plan.title, plan.central, plan.display, plan.bag, plan.column]
    check_in_parts(boxes, parts + [area.box for area in plan.areas])


# The picture


@modes
@pytest.mark.parametrize("plies", [0, 31, 10_000])
def test_the_picture_is_svg_and_pixels(mode, plies):
    state = played(3, mode, plies)[0]
    check_picture(draw(state, None, last_of(state)), 1440, 960)


def test_the_game_draws_describes_and_locates_through_its_object():
    state = played(1, "3-B", 50)[0]
    last = int(state["last_action"])
    assert GAME.draw(state, 1, last).svg() == draw(state, 1, last).svg()
    assert GAME.describe(state, seat=1) == describe(state, 1)
    assert GAME.locate(560, 90, state) == locate(560, 90, state)


@modes
def test_no_text_overlaps_another_or_leaves_its_part(mode):
    for states in games(11, mode):
        state = states[0]
        if state["ply"] % 23 and not state["terminated"]:
            continue
        seat = views(states)[state["ply"] % (state["num_players"] + 1)]
        check_texts(
            draw(state, seat, last_of(state)),
            layout_of(see(state, seat)),
        )


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
@pytest.mark.parametrize("side", ["A", "B"])
def test_no_text_overlaps_another_with_the_longest_texts(num_players, side):
    """Every card above a board or completed, three digits of points everywhere, and every card."""
    names = sorted(range(1, FIRST_SPIRIT), key=lambda card: (-len(CARD_NAMES[card]), card))
    small = [card for card in names if NUM_CUBES[card] < 3]
    tops = {hex_: [BLUE] for hex_ in range(10)}
    cubes = {hex_: small[hex_ // 2] for hex_ in range(10)}
    held = [card for card in names if card not in small[:5]]
    states = position(
        num_players,
        side=side,
        boards={0: tops},
        cubes={0: cubes},
        cards={seat: held[4 * seat : 4 * seat + 4] for seat in range(num_players)},
        display=held[16 : 19 if num_players == 1 else 21],
        hand=[YELLOW, YELLOW, YELLOW],
        taken=0,
        last_round=True,
    )
    for over in (False, True):
        states[0]["points"][:] = 0
        states[0]["points"][:, :2] = 60
        states[0]["truncated"] = over
        for seat in views(states):
            check_texts(draw(states[0], seat, 10), layout_of(see(states[0], seat)))


@pytest.mark.parametrize("num_players", [1, 2, 3, 4])
@pytest.mark.parametrize("side", [0, 1])
def test_cards_boards_and_completed_cards_lie_apart_in_their_parts(num_players, side):
    states = GAME.new_state(0, num_players, side="AB"[side], spirits=True)
    for count in (0, 1, 4, 8, 12):
        states[0]["completed"][:] = ((1 << count) - 1) << 1
        for seat in views(states):
            for area in layout_of(see(states[0], seat)).areas:
                parts = [*area.slots, area.board, *area.chips]
                for part in parts:
                    assert area.box.x < part.x and part.right < area.box.right
                    assert area.box.y < part.y and part.bottom < area.box.bottom
                assert all(apart(*pair) for pair in itertools.combinations(parts, 2))
                assert len(area.centres) == NUM_HEXES[side]
                assert all(area.board.has(*centre) for centre in area.centres)
                assert area.grid.size > 17, "boards are large enough to read"


@pytest.mark.parametrize("seat", [None, 0, 3])
def test_nothing_lies_outside_the_picture(seat):
    """Boards full of the highest stacks, with cubes."""
    high = {0: [GRAY] * 3, 5: [BROWN, BROWN, GREEN], 18: [BROWN, BROWN, GREEN], 22: [BROWN, RED]}
    states = position(
        4,
        boards={seat: high if seat < 3 else {22: [YELLOW]} for seat in range(4)},
        cubes={0: {0: 1, 5: 2, 18: 3, 22: 4}},
        cards={0: [1, 2, 3, 4]},
    )
    check_edges(draw(states[0], seat, 10).rgb(), 12)


# What is hidden


@pytest.mark.parametrize("mode", ["2", "4"])
@pytest.mark.parametrize("plies", [0, 1, 12, 60])
def test_spirit_cards_of_others_are_hidden(mode, plies):
    states = played(5, mode, plies)
    for seat in range(int(states[0]["num_players"])):
        last = int(states[0]["last_action"]) if plies else None
        picture, text = draw(states[0], seat, last).svg(), describe(states[0], seat, last)
        changed = 0
        for redraw in range(4):
            copy = GAME.determinize(states, seat, redraw)
            changed += not (copy[0]["dealt"] == states[0]["dealt"]).all()
            assert draw(copy[0], seat, last).svg() == picture
            assert describe(copy[0], seat, last) == text
        assert changed > 2


def test_spirit_cards_offered_are_shown_to_their_seat_and_to_all_eyes():
    states = position(3, spirits=True, dealt={0: [34, 40], 1: [33, 42], 2: [35, 36]})
    names = [CARD_NAMES[card] for card in (34, 40)]
    for seat, shown in ((None, True), (0, True), (1, False)):
        canvas = draw(states[0], seat)
        assert (set(names) <= set(words(canvas))) == shown
        assert all((name in describe(states[0], seat)) == shown for name in names)
        backs = titles(canvas).count("spirit card, face down")
        assert backs == describe(states[0], seat).count("face down") == (0 if seat is None else 4)
    GAME.step(states, GAME.action_from_string("spirit 2"))
    for seat in views(states):
        found = words(draw(states[0], seat))
        assert "Marmot" in found and "Butterfly" not in found, "the one kept is open to all"


# What is shown


def test_the_picture_and_the_text_change_with_everything_visible():
    boards = {0: {3: [BLUE], 9: [BROWN, GREEN]}, 1: {0: [RED], 7: [GRAY, GRAY]}}
    parts = dict(
        boards=boards,
        cubes={1: {7: 24}},
        cards={0: [5, 33], 1: [24, 7, 35]},
        spirit={0: 33, 1: 35},
        dealt={0: [33, 34], 1: [35, 36], 2: [37, 38]},
        display=[1, 2, 3, 4, 6],
        deck=[8, 9, 10, 11],
        central=[[0, 1, 2], [3, 4, 5], [], [0, 0, 1], [2, 2, 3]],
        hand=[4],
        taken=2,
        bag=[6, 5, 4, 3, 2, 1],
    )
    changes = {
        "colour": dict(boards={**boards, 0: {3: [YELLOW], 9: [BROWN, GREEN]}}),
        "height": dict(boards={**boards, 0: {3: [BLUE], 9: [BROWN, BROWN, GREEN]}}),
        "below": dict(boards={**boards, 1: {0: [BROWN, RED], 7: [GRAY, GRAY]}}),
        "hex": dict(boards={**boards, 1: {1: [RED], 7: [GRAY, GRAY]}}),
        "cube": dict(cubes={1: {0: 24}}),
        "no cube": dict(cubes={}),
        "card": dict(cards={0: [6, 33], 1: [24, 7, 35]}, display=[1, 2, 3, 4, 5]),
        "slot": dict(cards={0: [5, 0, 33], 1: [24, 7, 35]}),
        "display": dict(display=[1, 2, 3, 4, 12]),
        "place": dict(display=[2, 1, 3, 4, 6]),
        "deck": dict(deck=[8, 9, 10]),
        "central": dict(central=[[0, 1, 3], [3, 4, 5], [], [0, 0, 1], [2, 2, 3]]),
        "space": dict(central=[[3, 4, 5], [0, 1, 2], [], [0, 0, 1], [2, 2, 3]]),
        "hand": dict(hand=[3]),
        "hand empty": dict(hand=[]),
        "took card": dict(took_card=True),
        "bag": dict(bag=[6, 5, 4, 3, 2, 2]),
        "first player": dict(first_player=1),
        "turn": dict(to_play=1),
        "last round": dict(last_round=True),
    }
    base = position(3, spirits=True, **parts)[0]
    changed = {
        name: position(3, spirits=True, **(parts | change))[0] for name, change in changes.items()
    }
    changed["side"] = position(3, spirits=True, side="B", **parts)[0]
    check_shown(GAME, base, changed)


@pytest.mark.parametrize("side", ["A", "B"])
def test_stacks_show_their_colours_and_cubes_where_they_are(side):
    """Every stack there is, seen on the pixels of its hex."""
    boards = {k: list(STACKS[k + 1]) for k in range(len(STACKS) - 1)}
    cubes = {0: 1, 1: 33}
    states = position(
        2,
        side=side,
        spirits=True,
        boards={0: boards},
        cubes={0: cubes},
        cards={0: [1]},
        spirit={0: 33},
    )
    area = area_of(layout_of(see(states[0], 0)), 0)
    pixels, size = draw(states[0], 0).rgb(), area.grid.size
    for hex_, colours in boards.items():
        x, y = area.centres[hex_]
        top = y - 0.25 * size * len(colours)
        # Beside the symbol, the cube and the hex's name.
        assert is_paint(pixels, x - 0.45 * size, top - 0.28 * size, PAINTS[colours[-1]].fill)
        cube = cubes.get(hex_)
        if cube:
            fill = (SPIRIT_CUBE if cube >= FIRST_SPIRIT else CUBE)[0]
            assert is_paint(pixels, x + 0.26 * size, top - 0.24 * size, fill)


def test_titles_tell_what_lies_on_a_hex():
    states = position(boards={0: {4: [BROWN, GREEN]}}, cubes={0: {4: 16}}, cards={0: [16]})
    found = titles(draw(states[0], 0))
    assert "a5: brown, green; Parrot" in found
    assert "card 1: Parrot: 4-9-14, 1 settled; habitat tree2, water, water" in found


def ghosts(canvas) -> list[str]:
    """Names of the hexes with a dashed cube."""
    groups = ElementTree.fromstring(canvas.svg()).iterfind(".//{*}g[{*}title]")
    dashed = [g for g in groups if any(e.get("stroke-dasharray") == "3 2" for e in g)]
    return [group.findtext("{*}title").split(":")[0] for group in dashed]


@modes
def test_what_may_be_chosen_is_marked(mode):
    """Cubes where they may be settled, frames around cards, edges of spaces."""
    found = 0
    for states in itertools.chain(*(games(seed, mode) for seed in range(12))):
        state = states[0]
        if found and state["ply"] == 0:
            break
        legal = [GAME.decode_action(a) for a in np.flatnonzero(GAME.legal_mask(states)).tolist()]
        settled = {parts["hex"] for parts in legal if parts["kind"] == "settle"}
        if not settled and state["ply"] % 11:
            continue
        canvas = draw(state)
        assert sorted(ghosts(canvas)) == sorted(hex_to_string(k, state["side"]) for k in settled)
        of_cards = ("card", "discard", "spirit", "settle")
        cards = {tuple(parts.values())[:2] for parts in legal if parts["kind"] in of_cards}
        spaces = [parts for parts in legal if parts["kind"] == "take"]
        for tag, count in (("rect", len(cards)), ("polygon", len(spaces))):
            dashes = [e.get("stroke-dasharray") for e, _ in shapes(canvas, tag)]
            assert dashes.count("7 5") == count
        found += len(settled)
    assert found, mode


@pytest.mark.parametrize("card", range(1, NUM_CARDS + 1))
def test_every_card_shows_its_name_points_and_habitat(card):
    states = position(
        1,
        spirits=card >= FIRST_SPIRIT,
        **(
            dict(spirit={0: card}, cards={0: [card]})
            if card >= FIRST_SPIRIT
            else dict(cards={0: [card]})
        ),
    )
    canvas, text = draw(states[0], 0), describe(states[0], 0)
    assert CARD_NAMES[card] in words(canvas) and f"1 {CARD_NAMES[card]}" in text
    if card in SPIRITS:
        numbers = [str(points) for _, points in FACES[card].rows]
    else:
        numbers = [str(points) for points in FACES[card].ladder]
        assert f"|{' '.join(numbers)}" in text
    assert set(numbers) <= set(words(canvas))
    lines = text[text.index(f"1 {CARD_NAMES[card]}") :]
    assert len(re.findall(r"[A-Z][+*]", lines)) == 1
    letters = {"water": "B", "field": "Y", "building": "xR", "tree3": "NNG", "mountain3": "AAA"}
    for _, kind in FACES[card].habitat:
        assert letters.get(kind, "") in lines


def test_colours_stay_apart_for_the_colour_blind():
    # Symbols tell them apart too.
    check_colours((paint.fill for paint in PAINTS.values()), 14)


# The last move


@modes
def test_the_last_move_is_told_of_the_one_who_made_it(mode):
    for seed in range(2):
        seat = None
        for states in games(seed, mode):
            state = states[0]
            last = int(state["last_action"])
            if seat is not None:
                move = see(state, None, last).move
                assert move.seat == seat
                if last >= PLACE:
                    assert ("hexes", (last - PLACE) % MAX_HEXES) in move.about
            seat = int(state["to_play"])


def test_the_last_move_can_be_given_in_several_ways():
    state = played(9, "2", 20)[0]
    check_ways_to_give(GAME, state, int(state["last_action"]))


@modes
@pytest.mark.parametrize("plies", [0, 3, 10_000])
def test_any_action_can_be_given_as_the_last(mode, plies):
    """Even one that doesn't fit the record: it is shown in notation."""
    check_any_last(GAME, see, played(4, mode, plies)[0])


def test_the_words_of_the_last_move():
    states = position(
        spirits=True,
        boards={0: {0: [YELLOW], 5: [BROWN, GREEN], 2: [YELLOW]}},
        dealt={0: [34, 35]},
        display=[31, 2, 3, 4, 5],
        central=[[BLUE, GREEN, GREEN], [RED, RED, GRAY]],
    )
    told = []
    moves = (
        "spirit 2",
        "card 1",
        "take 1",
        "green a2",
        "settle 2 a1",
        "blue c1",
        "green e5",
        "settle 2 a3",
        "end",
    )
    for text in moves:
        GAME.step(states, GAME.action_from_string(text, states[0]))
        told.append(see(states[0], 0, int(states[0]["last_action"])).move.text)
    assert told == [
        "player_0 kept the Deer",
        "player_0 took Ladybug",
        "player_0 took blue, green, green",
        "player_0 placed green on a2",
        "player_0 settled Ladybug on a1",
        "player_0 placed blue on c1",
        "player_0 placed green on e5",
        "player_0 settled Ladybug on a3",
        "player_0 ended the turn",
    ]
    assert "player_0 ended the turn" in words(draw(states[0], 0, END))


def test_who_ended_the_turn_before_another_forfeits():
    for states in games(8, "3-B"):
        if states[0]["last_action"] == END:
            break
    ended, last = see(states[0], None, END).move.text, int(states[0]["to_play"])
    GAME.step(states, END, illegal="lose")
    assert states[0]["forfeit"] == last
    assert see(states[0], None, END).move.text == ended == f"player_{(last - 1) % 3} ended the turn"


# The end


@modes
def test_the_end_agrees_with_the_game(mode):
    for seed in range(3):
        states = played(seed, mode)
        scores, ranks = GAME.returns(states)
        seen = see(states[0])
        assert seen.scores == scores.tolist() and seen.ranks == ranks.tolist()


def test_the_end_names_the_places():
    lonely = {0: [GREEN], 4: [GREEN], 20: [GREEN]}
    states = position(
        3,
        boards={0: lonely, 1: {0: [BROWN, GREEN], 9: [BLUE]}, 2: {0: [BROWN, GREEN]}},
        cubes={1: {9: 7}},
        cards={1: [7]},
    )
    states[0]["points"][1, 5] = 0
    states[0]["terminated"] = True
    assert describe(states[0]).splitlines()[-3:] == [
        "1st: player_1, 3 points, 1 cube",
        "2nd: player_0, 3 points, 0 cubes",
        "2nd: player_2, 3 points, 0 cubes",
    ]
    found = words(draw(states[0], 0))
    assert {"game over", "1st ★", "2nd", "3"} <= set(found)


def test_solo_tells_the_suns():
    states = position(1, boards={0: {0: [BROWN, BROWN, GREEN]}})
    states[0]["points"][0, 5] = 83
    states[0]["terminated"] = True
    assert describe(states[0]).endswith("90 points, 6 suns: won")
    states[0]["points"][0, 5] = 82
    assert describe(states[0]).endswith("89 points, 5 suns: not won")
    assert "5 suns, 6 are a win" in words(draw(states[0]))
    assert "1 sun, 6 are a win" in words(draw(position(1, spirits=True)[0]))


def test_who_forfeits_comes_last():
    check_forfeit(GAME, played(2, "3-B", 4), "3rd: player_1, forfeit")


@pytest.mark.parametrize(
    ("num_players", "spirits", "parts", "match"),
    [
        (1, False, {"display": [1, 2, 3, 4]}, "4 cards in a display of 3"),
        (2, False, {"display": [1, 2, 3, 4, 5, 6]}, "6 cards in a display of 5"),
        (2, False, {"discarding": True}, "discarding is for one player"),
        (2, False, {"cards": {0: [33]}}, "without spirits"),
        (2, False, {"boards": {1: {0: [YELLOW]}}, "cubes": {1: {0: 33}}}, "without spirits"),
        (2, True, {"cards": {1: [1, 2, 3, 4]}}, "no room for the spirit"),
        (2, False, {"central": [[BLUE] * 4]}, "number of tokens on space 0 is 4"),
        (2, False, {"bag": [1, 2]}, "bag is .1, 2.; give 6 numbers"),
    ],
)
def test_positions_that_cannot_be_are_refused(num_players, spirits, parts, match):
    """Playing on from each would have led to actions outside the rules."""
    states = GAME.new_state(0, num_players, spirits=spirits)
    before = states.tobytes()
    with pytest.raises(ValueError, match=match):
        set_position(states, 0, playable=False, **parts)
    assert states.tobytes() == before


@pytest.mark.parametrize("show", [draw, describe])
def test_bad_arguments_are_refused(show):
    moves = (-1, GAME.num_actions, {"kind": "take", "space": 40})
    check_refused(show, played(2, "3-B", 4)[0], moves, r"action|space")


# Clicks


def points_of(states: np.ndarray, action: int) -> list[tuple[float, float]]:
    """The points to click for an action, in order, by the layout that is drawn."""
    seat = int(states[0]["to_play"])
    seen = see(states[0], seat)
    plan = layout_of(seen)
    parts = tuple(GAME.decode_action(action).values())
    if parts[0] == "take":
        return [plan.grid.at(*plan.spaces[parts[1]])]
    first = next(box.centre for place, box in places(plan, seen) if place == parts[:2])
    if parts[0] in ("place", "settle"):
        height = len(seen.tables[seat].stacks[parts[2]])
        area = area_of(plan, seat)
        x, y = area.centres[parts[2]]
        return [first, (x, y - 0.25 * area.grid.size * height)]
    return [first]


@modes
def test_every_legal_action_has_its_points(mode):
    wanted = {"take", "card", "place", "settle", "end"}
    wanted |= {"spirit"} if MODES[mode][1].get("spirits") else set()
    wanted |= {"discard"} if mode.startswith("solo") else set()
    met = set()
    for states in itertools.chain(*(games(seed, mode) for seed in range(10))):
        if met == wanted and states[0]["ply"] == 0:
            break
        legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
        # Of many hexes, some.
        for action in legal[:: 1 + len(legal) // 4]:
            clicked = ()
            for point in points_of(states, action):
                place = locate(*point, states[0])
                clicked += place if isinstance(place, tuple) else (place,)
            assert clicked == tuple(GAME.decode_action(action).values())
            met.add(clicked[0])
    assert met == wanted


@pytest.mark.parametrize(
    ("mode", "phase"), [("2", "TURN"), ("4", "SPIRIT"), ("solo", "DISCARD"), ("3-B", "TURN")]
)
def test_a_point_names_parts_of_the_codec_or_nothing(mode, phase):
    for states in games(2, mode):
        if PHASES[states[0]["phase"]] == phase and (phase == "SPIRIT" or states[0]["ply"] > 20):
            break
    every = [tuple(GAME.decode_action(action).values()) for action in range(GAME.num_actions)]
    begun = {parts[:n] for parts in every for n in (1, 2, 3)}
    hexes = set(range(NUM_HEXES[states[0]["side"]]))
    found = {locate(x, y, states[0]) for x in range(0, 1440, 24) for y in range(0, 960, 20)}
    assert found - {None} <= begun | hexes
    assert None in found
    assert (hexes <= found) == (phase == "TURN")


def test_points_beside_everything_are_nothing():
    state = played(3, "2", 60)[0]
    for point in [(0, 0), (-50, 10), (1439, 959), (600, 1e9), (30, 590)]:
        assert locate(*point, state) is None


def test_when_the_game_is_over_nothing_is_found():
    state = played(3, "2")[0]
    found = {locate(x, y, state) for x in range(0, 1440, 40) for y in range(0, 960, 40)}
    assert found == {None}


# The text


def test_the_text_shows_the_table():
    states = position(
        spirits=True,
        boards={
            0: {0: [BLUE], 6: [BROWN, BROWN, GREEN], 9: [YELLOW], 22: [GRAY, RED]},
            1: {4: [GRAY, GRAY]},
        },
        cubes={0: {0: 1, 9: 33}, 1: {4: 24}},
        cards={0: [1, 13], 1: [24]},
        spirit={0: 33},
        dealt={0: [33, 34], 1: [35, 36]},
        display=[3, 0, 30, 12, 31],
        central=[[BLUE, GREEN, RED], [], [YELLOW, YELLOW, GRAY], [BROWN] * 3, [GRAY] * 3],
        hand=[BLUE],
        taken=1,
    )
    assert describe(states[0], 0, 1) == "\n".join(TEXT)


TEXT = """\
Harmonies, side A (river), ply 0, seen by player_0
player_0 places 1 token, may take a card
last move: player_0 took blue

B blue  A gray  N brown  G green  Y yellow  R red; * cube, + spirit's cube
central board: 1 BGR  2 ---  3 AYY  4 NNN  5 AAA
in hand: B
bag: 98 tokens, B 20 A 16 N 16 G 17 Y 16 R 13; deck: 25 cards

display:
1 Fish         2 -            3 Raccoon      4 Hedgehog     5 Ladybug
|3 6 10 16                    |6 12          |5 12          |2 5 8 12 17
      B*                            Y*         xR*            Y*
  AAA                           B       B          NG             G
                                    B          NG

player_1: 5 points, 1 cube, 22 empty hexes
   a    b    c    d    e       spirit 1        spirit 2
 1 .         .         .       face down       face down
        .         .         1
 2 .         .         .       3 -             4 -
        .         .         2
 3 .         .         .
        .         .         3
 4 .         .         .
        .         .         4
 5 AA*       .         .

player_0 (you), first player: 13 points, 2 cubes, 19 empty hexes
   a    b    c    d    e       1 Crocodile     2 Bee
 1 B*        Y+        .       4|9 15          |8 18
        .         .         1            B*          NG*
 2 .         .         .             B           Y       Y
        NNG       .         2    NNG                 Y
 3 .         .         .
        .         .         3  3 -             4 -
 4 .         .         .
        .         .         4
 5 .         .         AR
completed: Lion 2

points      trees mountains fields buildings  river animals spirits  in all
player_0        7         0      0         0      0       4       2      13
player_1        0         0      0         0      0       5       0       5
""".splitlines()


@modes
def test_the_text_is_narrow_and_plain(mode):
    for states in games(6, mode):
        check_plain(describe(states[0], 0, last_of(states[0])))
