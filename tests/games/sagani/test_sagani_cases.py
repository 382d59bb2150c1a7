"""Positions and facts from outside this project, each on the oracle and on the kernels.

They were asserted by other implementations' tests or derived by hand; none contradicts the
rulebook (`tests/cases/sagani_cases.json`).
"""

from __future__ import annotations

from collections import Counter

import pytest
from oracles.sagani import BONUS, GOALS, load_cases
from sagani_adapter import NUMBERS, TILES, Box, both, either_way

from ludotheque.envs.sagani.position import TileAt

CASES = {case["id"]: case for case in load_cases()}
PLAIN = 55  # a tile of 1 point, with the arrow n for air, its own element


def of_kind(kind: str):
    """A parametrisation over the cases of a kind."""
    return pytest.mark.parametrize("name", [n for n, case in CASES.items() if case["kind"] == kind])


def pieces_of(case: dict) -> list[TileAt]:
    """The tiles of a position.

    The `peer_wdigba_calc_*` positions hold the completed tile 41 twice, which no box does; of a
    completed tile only the element counts, so another one of that element stands for the second.
    """
    used = {record["tile_id"] for record in [*case["board"], case["place"]]}
    pieces, laid = [], set()
    for record in case["board"]:
        number = record["tile_id"]
        if number in laid:
            assert record["flipped"]
            element = TILES[number].element
            number = next(n for n in NUMBERS if n not in used and TILES[n].element == element)
        laid.add(number)
        covered, flipped = record["covered"], record["flipped"]
        pieces.append(TileAt(number, record["x"], record["y"], record["rot"], covered, flipped))
    return pieces


@of_kind("placement")
@either_way
@both
def test_case_placement(rules, alignments, name):
    """Every field of the case: points, supply, cacophony, arrows covered, tiles completed."""
    case = CASES[name]
    place = case["place"]
    cell = (place["x"], place["y"])
    before = pieces_of(case)
    game = rules(
        tables={0: before},
        hand=place["tile_id"],
        points=[case["score"], 0],
        supply=[case["supply"], 24],
        alignments=alignments,
    )
    # A first tile is laid at (0, 0), wherever that is.
    assert cell in game.legal_cells()
    game.place(cell, place["rot"])
    while game.phase == "align":
        game.align(*game.legal_alignments()[0])

    table = game.table(0)
    new = table[cell]
    covered = {(p.x, p.y): len(TILES[p.tile].arrows if p.flipped else p.covered) for p in before}
    now = {at: len(TILES[t.tile].arrows if t.flipped else t.covered) for at, t in table.items()}
    done = {piece.tile for piece in before if piece.flipped}
    found = {
        "score": game.points[0],
        "supply": game.supply[0],
        "cacophony_taken": game.cacophony[0],
        "arrows_newly_covered": sum(now.values()) - sum(covered.values()),
        "completed": sorted({lies.tile for lies in table.values() if lies.flipped} - done),
        "new_tile_covered": sorted(new.covered),
        "new_tile_flipped": new.flipped,
    }
    expected = case["expect"] | case.get("also", {})
    assert set(expected) <= set(found)
    assert {field: found[field] for field in expected} == expected
    assert case["own_referee_agrees"]


@of_kind("line_of_sight")
@both
def test_case_line_of_sight(rules, name):
    """Whether the arrow's disc may be moved; a tile of another element was placed elsewhere."""
    case = CASES[name]
    box, source = Box(), tuple(case["from_"])
    direction, element = case["direction"], case["arrow_element"]
    # The tile with the arrow first, as its element doesn't matter.
    table = [
        box.open(
            next(r["element"] for r in case["tiles"] if (r["x"], r["y"]) == source),
            source,
            **{direction: element},
        )
    ]
    for record in case["tiles"]:
        cell = (record["x"], record["y"])
        if cell != source:
            table.append(box.done(record["element"], cell))
    hand, rotation = box.tile("fire" if element != "fire" else "air", 1)
    game = rules(tables={0: table}, hand=hand, alignments="choice")
    game.place(max(game.legal_cells()), rotation)
    assert ((source, direction) in game.legal_alignments()) == case["expect"]
    assert case["own_referee_agrees"]


@of_kind("legal_cells")
@both
def test_case_legal_cells(rules, name):
    case = CASES[name]
    table = [TileAt(k, x, y, flipped=True) for k, (x, y) in enumerate(case["occupied"], 1)]
    found = rules(tables={0: table}, hand=PLAIN).legal_cells()
    if not case["occupied"]:
        assert case["expect"] == "any single cell (origin by convention)"
        assert found == [(0, 0)]
    elif "expect" in case:
        assert found == sorted(tuple(cell) for cell in case["expect"])
    else:
        for text, expected in case["expect_member"].items():
            x, y = text.split(",")
            assert ((int(x), int(y)) in found) == expected


@both
def test_case_tiles_that_point_at_each_other(rules):
    """peer_pokani_mutual, with tiles of the box: it has no two that point straight at each other.

    Tile 2 asks for fire to the north; tile 10, turned by 180 degrees, for fire to the south and
    water to the south-west. The third tile completes at once too, with no disc in the supply.
    """
    assert CASES["peer_pokani_mutual"]["kind"] == "note_custom_tiles"
    water = TileAt(37, -1, 0, flipped=True)
    game = rules(tables={0: [TileAt(2, 0, 0), water]}, hand=10)
    game.place((0, 1), 2)
    assert game.table(0)[0, 0].flipped
    assert game.table(0)[0, 1].flipped
    assert (game.points, game.supply) == ([1 + 3, 0], [24, 24])

    # Tile 15, turned likewise, asks for fire to the south-west and water to the south-east.
    box = Box()
    corners = [box.done("fire", (-1, 1)), box.done("fire", (0, 1)), box.done("water", (1, 1))]
    game = rules(tables={0: corners}, hand=15, supply=[0, 24])
    game.place((0, 2), 2)
    assert game.table(0)[0, 2].flipped
    assert (game.cacophony[0], game.supply[0]) == (2, 2)
    assert game.points == [3 - 2 * 2, 0]


@both
def test_case_end_by_points(rules):
    """flow_end_points_2p."""
    assert CASES["flow_end_points_2p"]["players"] == 2
    game = rules(tables={0: [TileAt(PLAIN, 0, 0)]}, points=[74, 0], hand=56)
    game.place((0, 1), 0)
    assert game.points == [75, 0]
    assert (game.last_round, game.is_over(), game.to_play) == (True, False, 1)
    game.take(0)
    game.place((0, 0), 0)
    assert game.is_over()


@both
def test_case_end_by_empty_piles(rules):
    """flow_end_stack."""
    assert CASES["flow_end_stack"]["players"] == 2
    game = rules(display=[30], left=5)
    game.take(0)
    game.place((0, 0), 0)
    assert len(game.legal_tiles()) == 5
    assert (game.tiles_left(), game.last_round, game.is_over()) == (0, True, False)
    game.take(0)
    game.place((0, 0), 0)
    assert game.is_over()


def interlude_of(rules, case: dict, **parts):
    """The interlude begins: seat 0 has set the last tile aside and placed another."""
    given = {"display": [19], "interlude": [2, 37, 20], "pile": [38, *range(3, 15)]}
    game = rules(num_players=case["players"], **given | parts)
    game.set_aside_last_tile()
    game.place((0, 0), 0)
    return game


@pytest.mark.parametrize(("points", "first"), [([0, 1], 0), ([1, 0], 1)])
@both
def test_case_interlude_starts(rules, points, first):
    """flow_intermezzo_start."""
    game = interlude_of(rules, CASES["flow_intermezzo_start"], points=points)
    assert game.phase == "interlude"
    assert game.display == [0] * 5
    assert game.legal_interlude_spaces() == [0, 1, 2, 3]
    assert game.choosers == [first, 1 - first]
    assert game.to_play == first


@both
def test_case_nobody_takes_an_interlude_tile(rules):
    """flow_intermezzo_none."""
    game = interlude_of(rules, CASES["flow_intermezzo_none"])
    before = game.removed
    game.interlude_pass()
    game.interlude_pass()
    assert game.interlude == [0] * 4
    assert sorted({*game.removed} - {*before}) == [2, 19, 20, 37]
    assert (game.phase, game.to_play, len(game.legal_tiles())) == ("take", 1, 5)


@both
def test_case_interlude_keeps_what_is_left(rules):
    """flow_intermezzo_keeps."""
    game = interlude_of(rules, CASES["flow_intermezzo_keeps"])
    before = game.removed
    game.interlude_take(1)
    game.place(game.legal_cells()[0], 0)
    game.interlude_pass()
    assert game.interlude == [2, 0, 20, 19]
    assert game.removed == before
    assert (game.phase, game.to_play, len(game.legal_tiles())) == ("take", 1, 5)


def standing(case: dict) -> dict:
    """The markers moved in the order in which they reached their scores."""
    seats = sorted(range(case["players"]), key=lambda seat: case["reached_at"][seat])
    return {"points": case["scores"], "stack": seats}


@both
def test_case_ranking(rules):
    """flow_winner_order."""
    case = CASES["flow_winner_order"]
    game = rules(num_players=case["players"], **standing(case))
    assert [game.ranks()[player] for player in case["expect_ranking"]] == [1, 2, 3, 4]


@both
def test_case_interlude_order(rules):
    """flow_intermezzo_tie."""
    case = CASES["flow_intermezzo_tie"]
    game = interlude_of(rules, case, **standing(case))
    order = []
    while game.phase == "interlude":
        order.append(game.to_play)
        game.interlude_pass()
    assert order == case["expect_order"]


@both
def test_case_goals(rules):
    """flow_threshold: one point less doesn't end the game."""
    thresholds = {int(n): goal for n, goal in CASES["flow_threshold"]["thresholds"].items()}
    assert thresholds == GOALS
    for num_players, goal in thresholds.items():
        for points in (goal - 1, goal):
            game = rules(
                num_players=num_players,
                tables={0: [TileAt(PLAIN, 0, 0)]},
                points=[points - 1] + [0] * (num_players - 1),
                hand=56,
            )
            game.place((0, 1), 0)
            assert game.last_round == (points == goal)


@both
def test_case_bonus(rules):
    """flow_solo_b_bonus: the n-th tile placed, and how many lie face up afterwards."""
    case = CASES["flow_solo_b_bonus"]
    rows = zip(case["placed_number"], case["face_up_at_end"], case["expect_bonus"], strict=True)
    for number, face_up, bonus in rows:
        box = Box()
        hand, rotation = box.tile("air", 1)
        table = [box.open("water", (x, 0), n="fire") for x in range(face_up - 1)]
        table += [box.done("earth", (x, 0)) for x in range(face_up - 1, number - 1)]
        game = rules(num_players=1, solo="advanced", tables={0: table}, hand=hand)
        game.place((0, 1), rotation)
        lying = game.table(0).values()
        assert (len(lying), sum(not lies.flipped for lies in lying)) == (number, face_up)
        assert game.bonus == bonus


@both
def test_case_advanced_score(rules):
    """flow_solo_b_score."""
    case, box = CASES["flow_solo_b_score"], Box()
    table = [box.open("fire", (x, 0), v, n="fire") for x, v in enumerate(case["incomplete_values"])]
    game = rules(
        num_players=1,
        solo="advanced",
        tables={0: [*table, box.done("fire", (9, 0), 6)]},
        hand=56,
        points=[case["track"]],
        bonus=case["bonus_turns"] * BONUS,
        cacophony=[case["cacophony"]],
    )
    assert game.scores() == [case["expect"]]


def test_every_case_is_used():
    kinds = Counter(case["kind"] for case in CASES.values())
    assert len(CASES) == 62
    assert kinds == {
        "placement": 31,
        "line_of_sight": 16,
        "legal_cells": 4,
        "flow": 5,
        "solo_b": 2,
        "ranking": 1,
        "table": 1,
        "intermezzo_order": 1,
        "note_custom_tiles": 1,
    }
