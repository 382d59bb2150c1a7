"""Pictures and text boards of Sagani: what they show, what they must not, and clicks on them."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from pictures import (
    apart,
    check_any_last,
    check_apart,
    check_colours,
    check_edges,
    check_forfeit,
    check_picture,
    check_plain,
    check_refused,
    check_shown,
    check_ways_to_give,
    is_paint,
    lab,
    last_of,
    shapes,
    text_boxes,
    titles,
    views,
    words,
)

from ludotheque.envs import get_game
from ludotheque.envs.core.drawing.panels import Rect
from ludotheque.envs.core.drawing.words import MINUS, PLACES
from ludotheque.envs.sagani.components import (
    NUM_TILES,
    TILE_ELEMENT,
    TILE_VALUE,
)
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.state import PHASES, pile_tops, position_of
from ludotheque.envs.sagani.table import text as text_board
from ludotheque.envs.sagani.table.geometry import HEAD, area_of, layout_of, locate, places
from ludotheque.envs.sagani.table.picture import draw
from ludotheque.envs.sagani.table.pieces import (
    CACOPHONY_PAINT,
    ELEMENT_PAINTS,
    SEAT_PAINTS,
    arrow_centre,
)
from ludotheque.envs.sagani.table.visible import ELEMENT_LETTERS, see

GAME = get_game("sagani")
describe = GAME.describe
MODES = {
    "solo": (1, {}),
    "advanced": (1, {"solo": "advanced"}),
    "2": (2, {}),
    "3": (3, {}),
    "4": (4, {}),
    "choice": (2, {"alignments": "choice"}),
}
# Without the texts on tiles.
all_text_boxes = text_boxes
words, text_boxes = partial(words, moved=False), partial(text_boxes, moved=False)
modes = pytest.mark.parametrize("mode", MODES)


def games(seed: int, mode: str, plies: int = 10_000):
    """Play random legal actions; yield the states (one array, changed in place) at every ply."""
    num_players, options = MODES[mode]
    states = GAME.new_state(seed, num_players, **options)
    random = np.random.default_rng(seed)
    yield states
    while states[0]["ply"] < plies and not states[0]["terminated"]:
        legal = np.flatnonzero(GAME.legal_mask(states))
        # The interlude needs tiles set aside, which chance alone seldom does four times.
        aside = 5 in legal and random.random() < 0.8
        GAME.step(states, 5 if aside else int(random.choice(legal)))
        yield states


def played(seed: int, mode: str, plies: int = 10_000) -> np.ndarray:
    """A game after some random plies, or at its end."""
    *_, states = games(seed, mode, plies)
    return states


def at_phase(mode: str, phase: str, after: int = 0) -> np.ndarray:
    """A game in a phase."""
    for seed in range(50):
        for states in games(seed, mode):
            state = states[0]
            there = PHASES[state["phase"]] == phase and state["ply"] >= after
            if there and not state["terminated"]:
                return states
    raise AssertionError(f"no {phase} in {mode}")


def position(num_players: int = 2, **parts) -> np.ndarray:
    states = GAME.new_state(0, num_players)
    set_position(states, 0, playable=False, **parts)
    return states


# The picture


@modes
@pytest.mark.parametrize("plies", [0, 31, 10_000])
def test_the_picture_is_svg_and_pixels(mode, plies):
    state = played(3, mode, plies)[0]
    seat = None if plies else int(state["num_players"]) - 1
    check_picture(draw(state, seat, last_of(state)), 1200, 900)


def test_the_game_draws_describes_and_locates_through_its_object():
    state = played(1, "3", 50)[0]
    last = int(state["last_action"])
    assert GAME.draw(state, 1, last).svg() == draw(state, 1, last).svg()
    assert GAME.describe(state, seat=1) == text_board.describe(state, 1).replace(MINUS, "-")
    assert GAME.locate(260, 80, state) == locate(260, 80, state) == ("take", 0)


@modes
def test_no_text_overlaps_another_or_leaves_the_picture(mode):
    for states in games(11, mode):
        state = states[0]
        if state["ply"] % 17 and not state["terminated"]:
            continue
        seat = views(states)[state["ply"] % (state["num_players"] + 1)]
        check_texts(draw(state, seat, last_of(state)))


@pytest.mark.parametrize("num_players", [2, 3, 4])
@pytest.mark.parametrize("over", [False, True])
def test_no_text_overlaps_another_with_large_numbers(num_players, over):
    states = position(
        num_players, cacophony=[120, 119, 118, 117][:num_players], scores=[-188] * num_players
    )
    states[0]["uncompleted"][:] = 38
    states[0]["truncated"] = over
    states[0]["last_round"] = True
    for seat in views(states):
        check_texts(draw(states[0], seat))


@pytest.mark.parametrize("mode", ["2", "3", "4", "choice"])
def test_all_tables_of_a_picture_have_one_scale(mode):
    for plies in (12, 80, 150):
        states = played(3, mode, plies)
        for seat in views(states):
            areas = layout_of(see(states[0], seat)).areas
            sizes = {round(box.width, 6) for area in areas for box in area.cells.values()}
            assert len(areas) == states[0]["num_players"] and len(sizes) == 1
            for area in areas:
                boxes = area.cells.values()
                assert min(box.x for box in boxes) >= area.box.x
                assert max(box.right for box in boxes) <= area.box.right
                assert min(box.y for box in boxes) >= area.box.y + HEAD
                assert max(box.bottom for box in boxes) <= area.box.bottom


@pytest.mark.parametrize("plies", [20, 150])
def test_letters_of_elements_can_be_read_or_are_left_out(plies):
    """Where there is no room for a letter, the arrow has its element's colour and an outline."""
    states = played(3, "4", plies)
    for seat in views(states):
        canvas, seen = draw(states[0], seat), see(states[0], seat)
        found = [box for text, box in all_text_boxes(canvas) if text in ELEMENT_LETTERS]
        assert min(box.height for box in found) >= 0.73 * 9
        areas = layout_of(seen).areas
        small = next(iter(areas[0].cells.values())).width < 50
        assert small == (plies == 150)
        inside = [box for box in found if any(a.box.has(*box.centre) for a in areas)]
        assert bool(inside) != small
    pixels, checked = canvas.rgb(4), 0
    for area in areas:
        for at, face in seen.tables[area.seat].tiles.items():
            (x, y), scale = area.cells[at].centre, 0.97 * area.cells[at].width / 100
            for direction in set(face.arrows) - set(face.covered) if small else ():
                right, down = arrow_centre(direction)
                fill = ELEMENT_PAINTS[face.arrows[direction]].fill
                assert is_paint(pixels, 4 * (x + scale * right), 4 * (y + scale * down), fill)
                checked += 1
    assert bool(checked) == small


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_number_of_a_field_is_seen_or_told(num_players):
    """At the start all markers are on field 0 and may cover its number."""
    canvas = draw(GAME.new_state(0, num_players)[0])
    *_, told = (title for title in titles(canvas) if "from the bottom" in title)
    assert told.startswith("0 points, from the bottom: ") and told.count("player_") == num_players
    # Numbers that are written are not covered: the only one that could be is left out.
    track = layout_of(see(GAME.new_state(0, num_players)[0])).track
    zeros = [box for text, box in text_boxes(canvas) if text == "0" and track.has(*box.centre)]
    assert all(box.height < 0.73 * 9 for box in zeros)


def check_texts(canvas) -> None:
    # Smaller ones are on the edges of markers.
    boxes = [(text, box) for text, box in text_boxes(canvas) if box.height >= 0.73 * 9]
    check_apart(boxes)
    rounds = circle_boxes(canvas)
    for text, box in boxes:
        assert 16 < box.x < box.right < 1184, text
        assert 16 < box.y < box.bottom < 884, text
        # The column with the decision is the narrowest place for sentences.
        assert not (box.x < 206 < box.right), text
        for circle in rounds:
            # On a disc or beside it.
            inside = circle.x < box.x and box.right < circle.right
            assert inside or apart(box, circle), (text, circle)


def circle_boxes(canvas) -> list[Rect]:
    circles = [circle for circle, _ in shapes(canvas, "circle", moved=False)]
    numbers = [[float(circle.get(name)) for name in ("cx", "cy", "r")] for circle in circles]
    return [Rect(x - r, y - r, 2 * r, 2 * r) for x, y, r in numbers]


@pytest.mark.parametrize("seat", [None, 0, 2])
def test_nothing_lies_outside_the_picture_on_the_largest_tables(seat):
    """Tables as wide and as high as the canvas allows, many points, many discs."""
    tiles = iter(range(1, NUM_TILES + 1))
    tables = {}
    for owner in range(3):
        line = [TileAt(next(tiles), k, 0) for k in range(6)]
        corner = [TileAt(next(tiles), x, y) for x, y in ((17, 0), (17, 17), (0, 17), (17, 8))]
        tables[owner] = line + corner
    states = position(
        3, tables=tables, cacophony=[40] * 3, scores=[-140, 0, 140], markers=[2, 1, 0]
    )
    states[0]["truncated"] = True
    states[0]["ply"] = 499
    check_edges(draw(states[0], seat).rgb(), 12)


@modes
@pytest.mark.parametrize("plies", [2, 61])
def test_pictures_and_texts_do_not_tell_what_lies_in_the_piles(mode, plies):
    states = played(5, mode, plies)
    for seat in views(states):
        last = int(states[0]["last_action"])
        picture, text = draw(states[0], seat, last).svg(), describe(states[0], seat, last)
        changed = 0
        for copy in other_piles(states, seat):
            changed += not (copy[0]["pile"] == states[0]["pile"]).all()
            assert draw(copy[0], seat, last).svg() == picture
            assert describe(copy[0], seat, last) == text
        assert changed > 3


def other_piles(states, seat):
    """The same game with other tiles in the piles, the backs on top alike; another seed."""
    for seed in range(4):
        yield GAME.determinize(states, seat or 0, seed)
    state = states[0]
    drawn, tops = int(state["drawn"]), pile_tops(state)
    below = [k for k in range(drawn, NUM_TILES) if int(state["pile"][k]) not in tops]
    copy = states.copy()
    copy[0]["pile"][below] = state["pile"][below[::-1]]
    yield copy
    for top in filter(None, tops):
        at = state["pile"].tolist().index(top)
        for k in below:
            other = int(state["pile"][k])
            same = TILE_ELEMENT[other] == TILE_ELEMENT[top], TILE_VALUE[other] == TILE_VALUE[top]
            if all(same):
                copy = states.copy()
                copy[0]["pile"][[at, k]] = other, top
                yield copy


def test_what_is_put_aside_is_known_by_its_back_only():
    states = played(5, "advanced", 40)
    assert states[0]["num_aside"] == 5
    aside = states[0]["aside"].tolist()
    for k, tile in enumerate(aside):
        for other in range(1, NUM_TILES + 1):
            same = TILE_ELEMENT[other] == TILE_ELEMENT[tile], TILE_VALUE[other] == TILE_VALUE[tile]
            if all(same) and other not in aside:
                copy = states.copy()
                copy[0]["aside"][k] = other
                assert draw(copy[0], 0).svg() == draw(states[0], 0).svg()
                assert describe(copy[0], 0) == describe(states[0], 0)
    copy = states.copy()
    copy[0]["aside"][0] = next(t for t in range(1, NUM_TILES + 1) if TILE_VALUE[t] == 10)
    assert draw(copy[0], 0).svg() != draw(states[0], 0).svg()


def test_the_picture_and_the_text_change_with_everything_visible():
    tables = {
        0: [TileAt(8, 0, 0), TileAt(24, 1, 0, covered=["n"]), TileAt(10, 0, 1, flipped=True)],
        1: [TileAt(40, 0, 0)],
    }
    parts = dict(
        tables=tables,
        display=[3, 0, 5, 0, 0],
        interlude=[70, 0, 71, 0],
        pile=[2, *range(43, 69)],
        scores=[5, 9, 5],
        cacophony=[1, 0, 0],
    )
    changes = {
        "tile": dict(tables={**tables, 1: [TileAt(42, 0, 0)]}),
        "rotation": dict(tables={**tables, 1: [TileAt(40, 0, 0, rotation=1)]}),
        "place": dict(tables={**tables, 1: [TileAt(40, 0, 0), TileAt(42, 1, 0)]}),
        "covered": dict(tables={**tables, 1: [TileAt(40, 0, 0, covered=["ne"])]}),
        "other covered": dict(tables={**tables, 1: [TileAt(40, 0, 0, covered=["nw"])]}),
        "flipped": dict(tables={**tables, 1: [TileAt(40, 0, 0, flipped=True)]}),
        "display": dict(display=[4, 0, 5, 0, 0]),
        "space": dict(display=[0, 3, 5, 0, 0]),
        "interlude": dict(interlude=[72, 0, 71, 0]),
        "back": dict(pile=[6, *range(43, 69)]),
        "pile": dict(pile=[2, *range(43, 68)]),
        "score": dict(scores=[5, 10, 5]),
        "negative": dict(scores=[5, 9, -5]),
        "markers": dict(markers=[2, 1, 0]),
        "cacophony": dict(cacophony=[2, 0, 0]),
        "first player": dict(first_player=1),
        "turn": dict(turn=1),
        "last round": dict(last_round=True),
        "hand": dict(hand=7),
        "other hand": dict(hand=9),
    }
    base = position(3, **parts)[0]
    changed = {name: position(3, **(parts | change))[0] for name, change in changes.items()}
    check_shown(GAME, base, changed)


def test_a_tile_shows_its_arrows_and_discs_where_they_are():
    # Tile 8, fire 10: fire n, earth ne, earth e, fire nw.
    states = position(tables={0: [TileAt(8, 0, 0, rotation=1, covered=["e"])]})
    found = [t for t in titles(draw(states[0], 0)) if t.startswith("+0+0: ")]
    assert found == ["+0+0: fire 10, arrows ne fire, e fire covered, se earth, s earth"]
    cell = area_of(layout_of(see(states[0], 0)), 0).cells[0, 0]
    pixels = draw(states[0], 0).rgb()
    (x, y), size = cell.centre, cell.width
    # Beside the letters: covered arrow to the east, open arrow to the south.
    assert is_paint(pixels, x + 0.25 * size, y + 0.02 * size, SEAT_PAINTS[0].fill)
    assert is_paint(pixels, x - 0.08 * size, y + 0.36 * size, ELEMENT_PAINTS[1].fill)
    assert is_paint(pixels, x - 0.36 * size, y, ELEMENT_PAINTS[0].fill)


def test_a_completed_tile_shows_its_spirit():
    states = position(tables={0: [TileAt(1, 0, 0, flipped=True)]})
    assert "+0+0: fire 1, completed" in titles(draw(states[0], 0))


def test_markers_are_stacked_from_the_bottom():
    states = position(4, scores=[7, 7, 7, -3], markers=[2, 0, 1, 3])
    found = titles(draw(states[0]))
    assert "7 points, from the bottom: player_2, player_0, player_1" in found
    assert "0 points, from the bottom: player_3" in found
    assert "3 points in negative tokens" in found
    assert "−3" in words(draw(states[0]))
    assert "track, from the bottom: 0: p3, 7: p2 p0 p1" in describe(states[0])


def test_the_tile_in_hand_is_shown_turned_with_the_arrows_it_would_cover():
    # An earth tile lies west of where fire 10 (fire n, earth ne, earth e, fire nw) goes.
    states = position(tables={0: [TileAt(19, 0, 0)]}, hand=8)
    GAME.step(states, GAME.action_from_string("+1+0", states[0]))
    met = [face.marked for face in see(states[0], 0).turned]
    assert met == [frozenset(), frozenset(), frozenset({6}), frozenset()]
    found = words(draw(states[0], 0))
    assert {"0°", "90°", "180°: 1 of 4", "270°"} <= set(found)
    assert describe(states[0], 0).splitlines()[-5:] == [
        "  0       90     180     270",
        "f f e       f           e e",
        " F10e    F10f   eF10    fF10",
        "          e e   e f f   f",
        "                covers 1",
    ]


@pytest.mark.parametrize("mode", ["solo", "2", "4"])
def test_the_arrows_marked_are_those_that_get_covered(mode):
    checked = 0
    for states in games(8, mode):
        state = states[0]
        if PHASES[state["phase"]] != "ROTATE" or state["terminated"]:
            continue
        seat, tile = int(state["to_play"]), int(state["hand"])
        for turns, face in enumerate(see(state, seat).turned):
            met = face.marked
            copy = states.copy()
            GAME.step(copy, 11 + turns)
            lies = list(see(copy[0]).tables[seat].tiles.values())[-1]
            assert (lies.element, lies.value) == (TILE_ELEMENT[tile], TILE_VALUE[tile])
            assert (
                lies.flipped
                if len(met) == len(see(state).hand.arrows)
                else (set(lies.covered) == met)
            )
            checked += bool(met)
    assert checked > 10


def test_elements_and_discs_stay_apart_for_the_colour_blind():
    for paints in (ELEMENT_PAINTS, (*SEAT_PAINTS, CACOPHONY_PAINT)):
        check_colours((paint.fill for paint in paints), 30)
    lightness = sorted(lab(paint.fill, np.eye(3))[0] for paint in ELEMENT_PAINTS)
    assert min(np.diff(lightness)) > 10


# The last move


@modes
def test_the_last_move_is_told_of_the_one_who_made_it(mode):
    for seed in range(6):
        seat = tile = None
        for states in games(seed, mode):
            state = states[0]
            last = int(state["last_action"])
            if seat is not None:
                move = see(state, None, last).move
                assert move.seat == seat
                if 11 <= last < 15:
                    assert move.position == position_of(state, seat, int(state["cell"][tile]))
            seat, tile = int(state["to_play"]), int(state["hand"])


def test_the_last_move_can_be_given_in_several_ways():
    state = played(9, "2", 7)[0]
    check_ways_to_give(GAME, state, int(state["last_action"]))


@modes
@pytest.mark.parametrize("plies", [2, 3, 10_000])
def test_any_action_can_be_given_as_the_last(mode, plies):
    """Even one that doesn't fit the record: it is shown in notation."""
    check_any_last(GAME, see, played(4, mode, plies)[0])


def test_the_words_of_the_last_move():
    states = position(tables={0: [TileAt(19, 0, 0)]}, display=[0, 8, 0, 0, 0])
    told = []
    for text in ("take 2", "+1+0", "turn 180"):
        GAME.step(states, GAME.action_from_string(text, states[0]))
        told.append(see(states[0], 0, int(states[0]["last_action"])).move.text)
    assert told == [
        "player_0 took fire 10",
        "player_0 chose +1+0 for fire 10",
        "player_0 placed fire 10 at +1+0",
    ]
    assert "player_0 placed fire 10" in words(draw(states[0], 0, 13))


def test_a_disc_is_moved_while_a_tile_is_in_hand():
    """Both tiles are shown, the turn resumes, and the text says so."""
    states = GAME.new_state(0, 2, alignments="choice")
    laid = [TileAt(55, 0, 0), TileAt(56, 0, 1, flipped=True)]
    set_position(states, playable=False, tables={0: laid}, display=[3, 4])
    seen = see(states[0], 0)
    assert (seen.movable, seen.free) == ({(0, 0)}, set())
    assert seen.tables[0].tiles[0, 0].marked == {0}
    assert describe(states[0], 0).splitlines()[1] == (
        "player_0 takes a tile of the display, or moves a disc"
    )
    GAME.step(states, GAME.action_from_string("take 2", states[0]))
    seen = see(states[0], 0)
    assert (seen.movable, (0, 0) in seen.free) == ({(0, 0)}, False)
    GAME.step(states, GAME.action_from_string("+0+0", states[0]))
    seen = see(states[0], 0, int(states[0]["last_action"]))
    assert (seen.chosen, seen.pointed.code, seen.hand.code) == ((0, 0), "A1", "F6")
    assert seen.move.text == "player_0 chose +0+0 for air 1"
    assert {"chosen: air 1", "in hand: fire 6"} <= set(describe(states[0], 0).splitlines())
    found = titles(draw(states[0], 0))
    assert any(title.startswith("chosen: air 1") for title in found)
    assert any(title.startswith("in hand: fire 6") for title in found)
    GAME.step(states, GAME.action_from_string("cover n", states[0]))
    seen = see(states[0], 0, int(states[0]["last_action"]))
    assert (PHASES[states[0]["phase"]], seen.hand.code, seen.pointed) == ("PLACE", "F6", None)
    assert seen.move.text == "player_0 covered n of air 1"


# The end


@modes
def test_the_end_agrees_with_the_game(mode):
    for seed in range(6):
        states = played(seed, mode)
        scores, ranks = (numbers.tolist() for numbers in GAME.returns(states))
        text, found = describe(states[0]), words(draw(states[0]))
        assert "game over" in found
        if len(ranks) == 1:
            reached = MODES[mode][1] or ranks == [1]
            assert text.endswith("goal not reached") != reached
            continue
        order = sorted(range(len(ranks)), key=ranks.__getitem__)
        places = [f"{PLACES[ranks[s] - 1]}: player_{s}, {scores[s]:g} points" for s in order]
        assert text.splitlines()[-len(ranks) :] == places
        for score in scores:
            # Beside the table, and in the ranking.
            assert found.count(f"{score:g}".replace("-", "−")) >= 2


def test_the_end_names_the_places():
    states = position(3, scores=[50, 62, 62], markers=[2, 1, 0])
    states[0]["terminated"] = True
    assert describe(states[0]).splitlines()[-3:] == [
        "1st: player_2, 62 points",
        "2nd: player_1, 62 points",
        "3rd: player_0, 50 points",
    ]
    found = words(draw(states[0], 0))
    assert {"game over", "1st ★", "2nd", "3rd", "62", "50"} <= set(found)


def test_solo_tells_perfect_harmony():
    tables = {0: [TileAt(1, 0, 0, flipped=True)]}
    with pytest.raises(ValueError, match="hand is 0; alone one always has a tile"):
        position(1, tables=tables)
    states = position(1, tables=tables, scores=[75], last_round=True, hand=2)
    states[0]["terminated"] = True
    assert describe(states[0]).endswith("75 points with 1 tile: perfect harmony")
    states[0]["last_round"] = False
    assert describe(states[0]).endswith("75 points with 1 tile: goal not reached")


def test_who_forfeits_comes_last():
    check_forfeit(GAME, played(2, "3", 4), "3rd: player_1, forfeit")


@pytest.mark.parametrize("show", [draw, describe])
def test_bad_arguments_are_refused(show):
    state = played(2, "3", 4)[0]
    moves = (-1, GAME.num_actions, {"kind": "cell", "row": 40, "column": 1})
    check_refused(show, state, moves, r"action|row")


# Clicks


def point_of(states: np.ndarray, action: int) -> tuple[float, float]:
    """Where to click for an action, by the layout that is drawn."""
    seen = see(states[0], int(states[0]["to_play"]))
    name = tuple(GAME.decode_action(action).values())
    return next(box.centre for place, box in places(layout_of(seen), seen) if place == name)


@modes
def test_every_legal_action_has_its_point(mode):
    met = set()
    for states in games(1, mode):
        if states[0]["terminated"]:
            break
        legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
        # Of many cells, some.
        for action in legal[:: 1 + len(legal) // 6]:
            place = locate(*point_of(states, action), states[0])
            assert place == tuple(GAME.decode_action(action).values())
            met.add(place[0])
    wanted = {"cell", "turn"}
    if states[0]["num_players"] > 1:
        wanted |= {"take", "aside", "choose", "pass"}
    if mode == "choice":
        wanted |= {"cover", "done"}
    assert met == wanted


@pytest.mark.parametrize(
    ("mode", "phase"),
    [
        ("2", "TAKE"),
        ("4", "PLACE"),
        ("solo", "ROTATE"),
        ("3", "CHOOSE"),
        ("choice", "PLACE"),
        ("choice", "ALIGN"),
        ("choice", "ARROW"),
    ],
)
def test_a_point_names_parts_of_the_codec_or_nothing(mode, phase):
    states = at_phase(mode, phase, after=40)
    legal = {tuple(GAME.decode_action(a).values()) for a in np.flatnonzero(GAME.legal_mask(states))}
    every = {tuple(GAME.decode_action(action).values()) for action in range(GAME.num_actions)}
    found = {locate(x, y, states[0]) for x in range(0, 1200, 24) for y in range(0, 900, 24)}
    assert legal <= found
    assert found - {None} <= every
    assert None in found


def test_points_beside_everything_are_nothing():
    state = played(3, "2", 60)[0]
    for point in [(0, 0), (-50, 10), (1199, 899), (600, 1e9), (100, 700)]:
        assert locate(*point, state) is None


def test_the_spaces_lie_side_by_side_above_the_tables():
    state = position(tables={0: [TileAt(8, 0, 0)]}, display=[1, 2, 3, 4, 5])[0]
    found = [locate(267 + 89 * k, 88, state) for k in range(5)]
    assert found == [("take", k) for k in range(5)]
    found = [locate(723 + 69 * k, 88, state) for k in range(4)]
    assert found == [("choose", k) for k in range(4)]


def test_when_the_game_is_over_no_cell_is_found():
    state = played(3, "2")[0]
    found = {locate(x, y, state) for x in range(220, 1200, 60) for y in range(260, 900, 60)}
    assert found == {None}


# The text


def test_the_text_shows_the_table():
    states = position(
        tables={
            0: [TileAt(8, 0, 0, rotation=1, covered=["e"]), TileAt(36, 0, 1, flipped=True)],
            1: [TileAt(66, 0, 0), TileAt(39, -1, 0, rotation=3)],
        },
        display=[3, 0, 0, 9, 0],
        interlude=[0, 70],
        pile=[72, 71, *range(41, 65)],
        scores=[12, -4],
        cacophony=[0, 2],
    )
    assert describe(states[0], 0, 1) == "\n".join(
        [
            "Sagani, ply 0, seen by player_0",
            "player_0 takes a tile of the display",
            "last move: take 2",
            "",
            "display     1       2       3       4       5",
            "          f a                       f",
            "            F3                    eF10w",
            "                                    a",
            "interlude   1       2       3       4",
            "                  w e f",
            "                    A6",
            "",
            "piles: 0, 2 (A3 on top), 24 (W3 on top)",
            "left the game: 39 tiles",
            "track, from the bottom: 0: p1, 12: p0",
            "",
            "player_1",
            "-4 points, 2 unfinished",
            "20 discs, 2 cacophony",
            "       -1    +0",
            "             e a",
            " +0  f W3  eA10a",
            "     w",
            "",
            "player_0 (you), first player",
            "12 points, 1 unfinished",
            "20 discs, 0 cacophony",
            "       +0",
            " +1   (E6)",
            "         f",
            " +0   F10o",
            "       e e",
        ]
    )


@modes
def test_the_text_is_narrow_and_plain(mode):
    for states in games(6, mode):
        state = states[0]
        boards = max(int(state["east"][s] - state["west"][s]) for s in range(state["num_players"]))
        # A table of ten columns and the places beside it fit.
        check_plain(describe(state, 0, last_of(state)), 79 if boards < 10 else None)


def test_a_position_may_be_written_as_the_board_shows_it():
    states = position(tables={0: [TileAt(8, 0, 0)]}, hand=9)
    action = GAME.action_from_string("+0-1", states[0])
    assert GAME.action_from_string("+0\u22121", states[0]) == action
    assert GAME.action_to_string(action, states[0]) == "+0-1"
