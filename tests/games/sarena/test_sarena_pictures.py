"""Pictures and text boards of Sàrèná: what they show, and what they must not."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from pictures import check_edges, check_picture, check_plain, check_refused, words

from ludotheque.envs import get_game
from ludotheque.envs.sarena.components import COLOURS, IS_ARROW, NUM_CIRCLES
from ludotheque.envs.sarena.position import set_position
from ludotheque.envs.sarena.state import stacks_of
from ludotheque.envs.sarena.table.geometry import circle_centre, locate
from ludotheque.envs.sarena.table.picture import draw
from ludotheque.envs.sarena.table.text import LETTERS, describe

GAME = get_game("sarena")
Y, R, G, B = range(4)
SEATS = [(players, seat) for players in (2, 3, 4) for seat in range(players)]


def played(seed: int, num_players: int, plies: int = 1000) -> tuple[np.ndarray, int | None]:
    """A game after some random moves, and the last of them."""
    states = GAME.new_state(seed, num_players)
    random = np.random.default_rng(seed)
    last = None
    while states[0]["ply"] < plies and not states[0]["terminated"]:
        last = int(random.choice(np.flatnonzero(GAME.legal_mask(states))))
        GAME.step(states, last)
    return states, last


def position(stacks: dict[int, list[tuple[int, int]]], secrets, num_players=2) -> np.ndarray:
    """A game with these stacks and no others; there may be more discs than the box holds."""
    states = GAME.new_state(0, num_players)
    board = [stacks.get(circle, []) for circle in range(NUM_CIRCLES)]
    set_position.__wrapped__(states, stacks=board, secrets=secrets)
    return states


def other_secrets(states: np.ndarray, seat: int):
    """The same game with every arrangement of the pawns that `seat` does not hold."""
    own = states[0]["secret"][seat]
    rest = [colour for colour in range(4) if colour != own]
    for order in itertools.permutations(rest):
        copy = states.copy()
        copy[0]["secret"] = np.insert(np.array(order, np.int8), seat, own)
        yield copy


# The picture


@pytest.mark.parametrize("plies", [0, 12, 1000])
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_picture_is_svg_and_pixels(num_players, plies):
    states, last = played(3, num_players, plies)
    canvas = draw(states[0], None, last)
    check_picture(canvas, canvas.width, canvas.height)


def test_the_game_draws_and_describes_through_its_object():
    states, last = played(1, 3, 5)
    assert GAME.draw(states[0], 1, last).svg() == draw(states[0], 1, last).svg()
    assert GAME.describe(states[0], seat=1) == describe(states[0], 1)


def test_nothing_lies_outside_the_picture():
    """The highest stacks, in the first row too, and the longest texts: a tie of four."""
    four = {top: [(other, top)] * 4 for top, other in ((Y, R), (R, Y), (G, B), (B, G))}
    board = {circle: four[circle % 4] for circle in range(NUM_CIRCLES)}
    states = position(board, [Y, R, G, B], 4)
    states[0]["truncated"] = True
    states[0]["ply"] = 45
    canvas = draw(states[0], 0, (0, 6))
    assert "shared win:" in words(canvas)
    check_edges(canvas.rgb(), 8)


@pytest.mark.parametrize(("num_players", "seat"), SEATS)
@pytest.mark.parametrize("plies", [0, 9])
def test_the_picture_of_a_seat_does_not_tell_other_secrets(num_players, seat, plies):
    states, last = played(5, num_players, plies)
    assert not states[0]["terminated"]
    seen = {draw(copy[0], seat, last).svg() for copy in other_secrets(states, seat)}
    assert len(seen) == 1
    told = {describe(copy[0], seat, last) for copy in other_secrets(states, seat)}
    assert len(told) == 1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_at_the_end_the_secrets_of_the_players_are_shown(num_players):
    states, _ = played(6, num_players)
    assert states[0]["terminated"]
    pictures, texts = set(), set()
    for copy in other_secrets(states, 0):
        pictures.add(draw(copy[0], 0).svg())
        texts.add(describe(copy[0], 0))
    # Pawns that nobody drew stay face down: their order makes no picture of its own.
    assert len(pictures) == len(texts) == {2: 3, 3: 6, 4: 6}[num_players]


def test_a_truncated_game_is_over_too():
    states, _ = played(7, 2, 5)
    hidden = draw(states[0], 0).svg()
    states[0]["truncated"] = True
    assert len({draw(copy[0], 0).svg() for copy in other_secrets(states, 0)} - {hidden}) == 3


def test_the_picture_changes_with_everything_visible():
    states, last = played(8, 3, 10)
    base = draw(states[0], 1, last).svg()
    stacks = stacks_of(states[0])
    high = next(circle for circle in range(NUM_CIRCLES) if len(stacks[circle]) > 1)
    changes = {}
    for bit in range(4 * len(stacks[high])):  # each face of each disc
        copy = states.copy()
        copy[0]["stack"][high] ^= 1 << bit
        changes[f"face bit {bit}"] = draw(copy[0], 1, last).svg()
    for name, value in (("ply", 11), ("to_play", (int(states[0]["to_play"]) + 1) % 3)):
        copy = states.copy()
        copy[0][name] = value
        changes[name] = draw(copy[0], 1, last).svg()
    own = states.copy()
    own[0]["secret"][[1, 3]] = own[0]["secret"][[3, 1]]
    changes["own secret"] = draw(own[0], 1, last).svg()
    changes["seat"] = draw(states[0], 0, last).svg()
    changes["everything open"] = draw(states[0], None, last).svg()
    changes["last move"] = draw(states[0], 1, None).svg()
    assert base not in changes.values(), [k for k, v in changes.items() if v == base]
    assert len(set(changes.values())) == len(changes)


def test_each_disc_shows_both_faces_from_the_bottom_upwards():
    states = position({14: [(Y, B), (G, R), (B, Y)], 0: [(R, G)]}, [Y, R, G, B])
    svg = draw(states[0]).svg()
    assert "c3: Y3, from the bottom YB GR BY" in svg
    assert "a1: G1, from the bottom RG" in svg
    # Their colours in the pixels, up the edge of the stack beside the small letters.
    x, y = circle_centre(14)
    pixels = draw(states[0]).rgb()
    edge = [tuple(int(v) for v in pixels[y + 20 - 9 * k, x - 14]) for k in range(6)]
    fills = {"Y": (246, 207, 60), "R": (207, 58, 43), "G": (79, 181, 140), "B": (44, 90, 168)}
    nearest = [
        min(
            fills,
            key=lambda name: sum((a - b) ** 2 for a, b in zip(fills[name], colour, strict=True)),
        )
        for colour in edge
    ]
    assert "".join(nearest) == "YBGRBY"


def test_arrow_circles_look_different_from_plain_ones():
    pixels = draw(position({}, [Y, R, G, B])[0]).rgb()
    looks = {True: set(), False: set()}
    for circle in range(NUM_CIRCLES):
        x, y = circle_centre(circle)
        looks[bool(IS_ARROW[circle])].add(pixels[y - 25 : y + 26, x - 30 : x + 31].tobytes())
    assert len(looks[True]) == len(looks[False]) == 1
    assert looks[True] != looks[False]


def test_the_last_move_can_be_given_in_three_ways():
    states, last = played(9, 2, 6)
    parts = GAME.decode_action(last)
    pair = parts["from"], parts["to"]
    pictures = {draw(states[0], 0, move).svg() for move in (last, np.int64(last), parts, pair)}
    assert len(pictures) == 1
    start, end = GAME.action_to_string(last).split("-")
    assert f"last move  {start} → {end}" in words(draw(states[0], 0, last))


def test_the_end_names_the_winner_and_breaks_the_tie():
    # Three discs each; yellow is on two of the first player's, red on three of the other's.
    stacks = {0: [(R, Y), (Y, G), (B, G)], 35: [(R, B), (B, R), (Y, R)]}
    stacks[0][-1] = (B, Y)
    stacks[0][0] = (R, G)
    states = position(stacks, [Y, R, G, B])
    states[0]["terminated"] = True
    texts = words(draw(states[0], 0))
    assert "2nd, 3 discs (2 own)" in texts
    assert "1st, 3 discs (3 own)" in texts
    assert "player_1 wins" in texts
    assert describe(states[0]).splitlines()[-3:] == [
        "1st: player_1, 3 discs (3 own)",
        "2nd: player_0, 3 discs (2 own)",
        "player_1 wins",
    ]


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_end_agrees_with_the_game(num_players):
    for seed in range(12):
        states, _ = played(seed, num_players)
        scores, ranks = (result.tolist() for result in GAME.returns(states))
        lines = describe(states[0])
        told = re.findall(r"^(\d)\w\w: player_(\d), (\d+) discs?\b", lines, re.MULTILINE)
        places = {int(seat): (float(discs), int(rank)) for rank, seat, discs in told}
        assert places == dict(enumerate(zip(scores, ranks, strict=True)))
        notes = [text for text in words(draw(states[0])) if " disc" in text and ", " in text]
        assert [note[0] for note in notes] == [str(rank) for rank in ranks]


def test_one_disc_is_one():
    states = position({0: [(R, Y)], 1: [(Y, R), (G, R)]}, [Y, R, G, B])
    states[0]["terminated"] = True
    assert describe(states[0]).splitlines()[-3:-1] == [
        "1st: player_1, 2 discs",
        "2nd: player_0, 1 disc",
    ]
    found = words(draw(states[0]))
    assert "2nd, 1 disc" in found and not any("1 discs" in text for text in found)


def test_who_forfeits_comes_last():
    states, _ = played(2, 3, 4)
    states[0]["terminated"] = True
    states[0]["forfeit"] = 1
    assert re.search(r"3rd: player_1, \d+ discs.*, forfeit", describe(states[0]))
    assert any(text.startswith("3rd, ") and "forfeit" in text for text in words(draw(states[0])))


@pytest.mark.parametrize("show", [draw, describe])
def test_bad_arguments_are_refused(show):
    state = played(2, 3, 4)[0][0]
    check_refused(show, state, (-1, 120, (0, 36), {"from": 40, "to": 1}), "action")


# Clicks


def test_every_centre_is_found_again():
    assert [locate(*circle_centre(circle)) for circle in range(NUM_CIRCLES)] == list(range(36))
    with pytest.raises(ValueError, match="circle must be"):
        circle_centre(36)


def test_points_beside_the_circles_are_no_circle():
    canvas = draw(GAME.new_state(0)[0])
    between = [(x + 58, y) for x, y in (circle_centre(0), circle_centre(20))]
    for point in [(0, 0), (-50, 10), (canvas.width - 20, 300), (canvas.width, 1e9), *between]:
        assert locate(*point) is None


@pytest.mark.parametrize("height", [1, 2, 3, 4])
def test_with_the_state_a_click_on_top_of_a_stack_counts_for_the_stack(height):
    states = position({circle: [(Y, R)] * height for circle in range(NUM_CIRCLES)}, [Y, R, G, B])
    pixels = draw(states[0]).rgb()
    for circle in range(NUM_CIRCLES):
        x, y = circle_centre(circle)
        top = y - 18 * height
        assert tuple(pixels[top, x - 20]) == (207, 58, 43)  # that is the red top
        assert locate(x, top, states[0]) == circle
        assert locate(x, y, states[0]) == circle
    assert locate(0, 0, states[0]) is None


def test_with_the_state_empty_circles_are_found_too():
    states = position({}, [Y, R, G, B])
    for circle in range(NUM_CIRCLES):
        assert locate(*circle_centre(circle), states[0]) == circle


# The text


def test_the_text_shows_every_stack():
    states = position({14: [(Y, B), (G, R), (B, Y)], 0: [(R, G)], 1: [(G, B)]}, [Y, R, G, B])
    assert describe(states[0], 1, (13, 14)) == "\n".join(
        [
            "Sàrèná, ply 0, seen by player_1",
            "player_0 to move, last move b3-c3",
            "secrets: player_0 ?, player_1 (you) R, not drawn ? ?",
            "Y yellow, R red, G green, B blue; < > circle with an arrow, ( ) without",
            "G3 three discs, green on top; below them each disc, lower face first: BG",
            "",
            "         a           b           c           d           e           f",
            " 1      <G1>--------(B1)--------<  >--------(  )--------<  >--------(  )",
            "         RG          GB",
            "         |           |           |           |           |           |",
            " 2      (  )--------<  >--------(  )--------<  >--------(  )--------<  >",
            "",
            "         |           |           |           |           |           |",
            " 3      <  >--------(  )--------<Y3>--------(  )--------<  >--------(  )",
            "                              YB GR BY",
            "         |           |           |           |           |           |",
            " 4      (  )--------<  >--------(  )--------<  >--------(  )--------<  >",
            "",
            "         |           |           |           |           |           |",
            " 5      <  >--------(  )--------<  >--------(  )--------<  >--------(  )",
            "",
            "         |           |           |           |           |           |",
            " 6      (  )--------<  >--------(  )--------<  >--------(  )--------<  >",
            "",
            "         a           b           c           d           e           f",
            "",
            "discs topped by Y 3, R 0, G 1, B 1",
        ]
    )


def test_the_legend_explains_every_sign_of_the_board():
    states = position({0: [(R, G)], 14: [(Y, B), (G, R), (B, Y)]}, [Y, R, G, B])
    head, rest = describe(states[0], 0).split("\n\n", 1)
    board = rest.rsplit("\n\n", 1)[0]
    colours, stack = head.splitlines()[-2:]
    for letter, name in zip(LETTERS, COLOURS, strict=True):
        assert f"{letter} {name}" in colours
    for signs, arrow in (("< >", True), ("( )", False)):
        marks = {board.count(sign) for sign in signs.split()}
        assert signs in colours and marks == {int(IS_ARROW.sum() if arrow else (~IS_ARROW).sum())}
    assert re.search(r"\b[A-Z]\d\b", stack) and re.search(r"\b[A-Z]{2}\b", stack)


@pytest.mark.parametrize("seed", range(3))
def test_the_text_is_narrow_and_its_colours_only_paint(seed):
    states, last = played(seed, 4, 15)
    plain = describe(states[0], 2, last)
    check_plain(plain)
    painted = describe(states[0], 2, last, colour=True)
    assert painted != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == plain
