"""Building blocks of all games' pictures: boxes, rows, icons."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
import pytest
from pictures import apart, is_paint, titles, words

from ludotheque.envs import get_game
from ludotheque.envs.core.drawing.canvas import Canvas
from ludotheque.envs.core.drawing.icons import Icons
from ludotheque.envs.core.drawing.panels import Rect, fan, head_path, squares, uncovered
from ludotheque.envs.core.drawing.visible import fields_of
from ludotheque.envs.core.drawing.words import MINUS, amount, minus, paragraphs, signed

ROOM = Rect(10, 20, 300, 100)


def inside(box: Rect, room: Rect) -> bool:
    across = room.x - 1e-9 <= box.x and box.right <= room.right + 1e-9
    return across and room.y - 1e-9 <= box.y and box.bottom <= room.bottom + 1e-9


def test_a_grid_fills_its_box_row_by_row():
    cells = ROOM.grid(3, 2, gap=6)
    assert len(cells) == 6
    assert cells[0][:2] == (10, 20) and cells[2].right == 310 and cells[5].bottom == 120
    assert cells[3].x == 10 and cells[3].y == cells[0].bottom + 6
    assert cells[1].x == cells[0].right + 6
    assert {(round(c.width, 9), round(c.height, 9)) for c in cells} == {(96, 47)}
    assert cells[0].repeated(6, 3, 6) == cells


def test_parts_of_a_box_share_what_is_left():
    assert [part.width for part in ROOM.across(10, 60, 0, 0, 50)] == [60, 80, 80, 50]
    assert [part.bottom for part in ROOM.down(10, 20, 0)] == [40, 120]


def test_strips_are_taken_off_the_sides():
    assert ROOM.less(1, 2, 3, 4) == Rect(11, 22, 296, 94)
    assert ROOM.middle(20, 10).centre == ROOM.centre


@pytest.mark.parametrize("count", [0, 1, 2, 4, 12])
def test_a_fan_stays_in_its_room(count):
    cards = fan(ROOM, count, 70, 5)
    assert len(cards) == count
    assert all(inside(card, ROOM) and card.width == 70 for card in cards)
    steps = {round(b.x - a.x, 6) for a, b in itertools.pairwise(cards)}
    assert steps == ({75.0} if 1 < count < 5 else {round(230 / 11, 6)} if count == 12 else set())


def test_a_box_is_uncovered_up_to_the_next_of_its_row():
    row = [Rect(0, 0, 40, 9), Rect(30, 0, 40, 9), Rect(75, 0, 40, 9), Rect(0, 9, 40, 9)]
    assert [uncovered(row, k).width for k in range(4)] == [30, 40, 40, 40]


def test_the_path_of_a_head_covers_the_top_but_not_its_corners():
    canvas = Canvas(60, 40, "#ffffff")
    canvas.path(head_path(Rect(10, 5, 40, 30), 20, 10), fill="#c00000")
    pixels = canvas.rgb(1)
    assert is_paint(pixels, 30, 6, "#c00000") and is_paint(pixels, 11, 23, "#c00000")
    assert all(is_paint(pixels, x, y, "#ffffff") for x, y in ((11, 6), (48, 6), (30, 27)))


def test_numbers_have_a_minus_sign():
    assert [minus(number) for number in (-3, 0, 2.5, 7.0)] == ["\u22123", "0", "2.5", "7"]
    assert [signed(number) for number in (-3, 0, 7.0)] == ["\u22123", "+0", "+7"]
    assert [amount(number, "point") for number in (-1, -2)] == ["\u22121 point", "\u22122 points"]


@pytest.mark.parametrize(
    ("name", "num_players", "options", "negative"),
    [
        ("sarena", 4, {}, False),
        ("sagani", 1, {}, True),
        ("sagani", 1, {"solo": "advanced"}, True),
        ("sagani", 3, {}, True),
        ("harmonies", 2, {}, False),
        ("saga", 3, {"sides": "reverse"}, True),
        ("shamans", 3, {}, False),
    ],
)
def test_no_game_shows_a_hyphen_for_a_minus_sign(name, num_players, options, negative):
    """In pictures and their titles, of a random game; text boards can be written anywhere."""
    game = get_game(name)
    states = game.new_state(1, num_players, **options)
    random = np.random.default_rng(1)
    met = False
    while True:
        over = bool(states[0]["terminated"] or states[0]["truncated"])
        if states[0]["ply"] % 13 == 0 or over:
            last = None
            if "last_action" in (states.dtype.names or ()) and states[0]["ply"]:
                last = int(states[0]["last_action"])
            for seat in (None, 0):
                canvas = game.draw(states[0], seat, last)
                text = game.describe(states[0], seat, last)
                assert text.encode("cp1252")
                shown = [*words(canvas), *titles(canvas)]
                # Harmonies joins the points of a card by hyphens: "5-10-17".
                assert not [one for one in shown if re.search(r"(?<!\d)-\d", one)]
                if name != "harmonies":
                    assert not [one for one in shown if re.search(r"-\d", one)]
                met |= any(MINUS in one for one in shown)
        if over:
            break
        game.step(states, int(random.choice(np.flatnonzero(game.legal_mask(states)))))
    assert met == negative


@pytest.mark.parametrize("count", range(9))
def test_squares_are_apart_and_as_large_as_they_fit(count):
    found = squares(ROOM, count, 6, 80)
    assert len(found) == count
    assert all(inside(square, ROOM) and square.width == square.height for square in found)
    assert all(apart(*pair) for pair in itertools.combinations(found, 2))
    sizes = {1: 80, 3: 80, 4: 70.5, 8: 47}
    if count in sizes:
        assert found[0].width == pytest.approx(sizes[count])


def test_icons_have_the_ink_and_the_size_asked_for(tmp_path):
    file = tmp_path / "icons.svg"
    file.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" stroke="none"><g id="box">'
        '<path d="M -10 -10 H 10 V 10 H -10 Z" fill="currentColor"/></g></svg>'
    )
    icons = Icons(file)
    canvas = Canvas(80, 40)
    icons.draw(canvas, "box", 20, 20, 20, "#d55e00", title="one")
    icons.draw(canvas, "box", 60, 20, 10, "#0072b2")
    pixels = canvas.rgb()
    assert is_paint(pixels, 12, 12, "#d55e00") and is_paint(pixels, 60, 20, "#0072b2")
    assert is_paint(pixels, 52, 12, "#ffffff")
    assert ElementTree.fromstring(canvas.svg()).find(".//{*}title").text == "one"
    with pytest.raises(KeyError):
        icons.draw(canvas, "circle", 0, 0, 20)


def test_fields_are_those_that_dataclass_and_record_share():
    @dataclass
    class Seen:
        moon: int
        points: list[int]
        players: list

    record = np.zeros((), dtype=[("points", np.int16, (2,)), ("moon", np.int8), ("hand", "i8")])[()]
    assert fields_of(Seen, record) == {"moon": 0, "points": [0, 0]}


def test_paragraphs_have_an_empty_line_between_them():
    assert paragraphs([["a", "b"], ["c"]]) == "a\nb\n\nc"


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "1 disc"), (1.0, "1 disc"), (0, "0 discs"), (2.5, "2.5 discs"), (-1, "\u22121 disc")],
)
def test_one_thing_is_one(count, words):
    assert amount(count, "disc") == words
