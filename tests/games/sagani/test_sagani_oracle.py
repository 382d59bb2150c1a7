"""The plain-Python oracle of Sagani against the case file and against the rulebook's sentences.

The cases (tests/cases/sagani_cases.json) were asserted by other implementations' tests or derived
by hand; none contradicts the rulebook. The nine `peer_wdigba_calc_*` positions hold tile 41 twice,
which no box does, but every other fact in them is ordinary, so they are replayed as they stand.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest
from oracles.sagani import (
    BONUS,
    CACOPHONY_PENALTY,
    DIRECTIONS,
    ELEMENTS,
    GOALS,
    STEPS,
    PlacedTile,
    PlayArea,
    SaganiOracle,
    ScoreTrack,
    Tile,
    load_cases,
    load_tiles,
    neighbours,
)

CASES = {case["id"]: case for case in load_cases()}
TILES = load_tiles()
NUMBERS = list(range(1, 73))
PLAIN = Tile(0, "air", 1, {"n": "air"})


def of_kind(kind: str):
    """A parametrisation over the cases of a kind."""
    return pytest.mark.parametrize("name", [n for n, case in CASES.items() if case["kind"] == kind])


def tile(element: str, value: int = 1, **arrows: str) -> Tile:
    """A tile that is in no box: tile("fire", n="water")."""
    return Tile(0, element, value, arrows)


def put(area: PlayArea, what: Tile | int, cell, rotation=0, flipped=False, covered=()) -> None:
    """Lay a tile into a play area as it may lie in mid-game; the supply is left alone."""
    what = TILES[what] if isinstance(what, int) else what
    placed = PlacedTile(what, rotation, flipped=flipped)
    if not flipped:
        placed.covered = set(covered)
        placed.discs = len(placed.arrows) - len(placed.covered)
    area.tiles[cell] = placed


def game(num_players: int = 2, **kwargs) -> SaganiOracle:
    order = kwargs.pop("order", NUMBERS)
    return SaganiOracle(order, num_players, **kwargs)


def with_hand(oracle: SaganiOracle, what: Tile | int) -> SaganiOracle:
    """The same game with that tile in the hand of the player to move, to be placed next."""
    oracle.hand = TILES[what] if isinstance(what, int) else what
    oracle.phase = "place"
    return oracle


def set_points(oracle: SaganiOracle, player: int, points: int) -> None:
    oracle.track.add(player, points - oracle.track.points[player])


def far_cell(oracle: SaganiOracle):
    """A legal cell, the one furthest to the north."""
    return max(oracle.legal_cells(), key=lambda cell: (cell[1], cell[0]))


def idle_turn(oracle: SaganiOracle, slot: int | None = None) -> None:
    """Take a tile and place it somewhere."""
    oracle.take(oracle.legal_tiles()[0] if slot is None else slot)
    oracle.place(far_cell(oracle), 0)


def last_of_river(oracle: SaganiOracle, what: Tile = PLAIN) -> None:
    """Leave one tile in the river."""
    oracle.river = [what] + [None] * 4


def fill_interlude(oracle: SaganiOracle, *tiles: Tile) -> None:
    oracle.interlude = list(tiles) + [None] * (4 - len(tiles))


def keep_in_piles(oracle: SaganiOracle, count: int) -> None:
    """Leave `count` tiles, all in the last pile that has some."""
    rest = [what for pile in oracle.piles for what in pile][-count:] if count else []
    oracle.piles = [[], [], rest]


# ---- the case file ----------------------------------------------------------------------------


@of_kind("placement")
def test_case_placement(name):
    """Every field of the case: points, supply, cacophony, arrows covered, tiles completed."""
    case = CASES[name]
    oracle = with_hand(game(), case["place"]["tile_id"])
    area = oracle.areas[0]
    for record in case["board"]:
        cell = (record["x"], record["y"])
        put(area, record["tile_id"], cell, record["rot"], record["flipped"], record["covered"])
        assert set(record["covered"]) <= set(area.tiles[cell].arrows)
    area.supply = case["supply"]
    set_points(oracle, 0, case["score"])

    cell = (case["place"]["x"], case["place"]["y"])
    assert case["own_referee_agrees"]
    assert cell in oracle.legal_cells()
    oracle.place(cell, case["place"]["rot"])

    completed = [area.tiles[event[1]].tile.id for event in oracle.events if event[0] == "complete"]
    (received,) = [event[1] for event in oracle.events if event[0] == "cacophony"]
    found = {
        "score": oracle.track.points[0],
        "supply": area.supply,
        "cacophony_taken": received,
        "arrows_newly_covered": sum(event[0] == "align" for event in oracle.events),
        "completed": sorted(completed),
        "new_tile_covered": sorted(area.tiles[cell].covered),
        "new_tile_flipped": area.tiles[cell].flipped,
    }
    expected = case["expect"] | case.get("also", {})
    assert set(expected) <= set(found)
    assert {field: found[field] for field in expected} == expected
    assert area.cacophony == received


@of_kind("line_of_sight")
def test_case_line_of_sight(name):
    case = CASES[name]
    area = PlayArea()
    for record in case["tiles"]:
        put(area, tile(record["element"]), (record["x"], record["y"]))
    found = area.has_target(tuple(case["from_"]), case["direction"], case["arrow_element"])
    assert found == case["expect"]
    assert case["own_referee_agrees"]


@of_kind("legal_cells")
def test_case_legal_cells(name):
    case = CASES[name]
    area = PlayArea()
    for x, y in case["occupied"]:
        put(area, PLAIN, (x, y), flipped=True)
    found = area.legal_cells()
    if not case["occupied"]:
        assert case["expect"] == "any single cell (origin by convention)"
        assert found == [(0, 0)]
    elif "expect" in case:
        assert found == sorted(tuple(cell) for cell in case["expect"])
    else:
        for text, expected in case["expect_member"].items():
            x, y = text.split(",")
            assert ((int(x), int(y)) in found) == expected


def test_case_custom_tiles_that_point_at_each_other():
    """peer_pokani_mutual: fire tiles with one fire arrow, not in the box."""
    assert CASES["peer_pokani_mutual"]["kind"] == "note_custom_tiles"
    oracle = with_hand(game(1), tile("fire", n="fire"))
    area = oracle.areas[0]
    oracle.place((0, 0), 0)
    with_hand(oracle, tile("fire", n="fire")).place((0, 1), 2)
    assert (oracle.scores(), area.supply) == ([2], 24)
    area.supply = 0
    with_hand(oracle, tile("fire", n="fire")).place((0, 2), 2)
    assert area.tiles[0, 2].flipped
    assert (area.cacophony, area.supply) == (1, 1)
    assert oracle.scores() == [2 - 2 + 1]


def test_case_end_by_points():
    """flow_end_points_2p."""
    assert CASES["flow_end_points_2p"]["players"] == 2
    oracle = game()
    set_points(oracle, 0, 74)
    put(oracle.areas[0], tile("fire", n="air"), (0, 0))
    oracle.areas[0].supply = 23
    with_hand(oracle, PLAIN).place((0, 1), 0)
    assert oracle.scores() == [75, 0]
    assert (oracle.last_round, oracle.is_over(), oracle.to_play) == (True, False, 1)
    idle_turn(oracle)
    assert oracle.is_over()
    assert oracle.turns == [1, 1]


def test_case_end_by_empty_piles():
    """flow_end_stack."""
    assert CASES["flow_end_stack"]["players"] == 2
    oracle = game()
    keep_in_piles(oracle, 5)
    last_of_river(oracle)
    idle_turn(oracle)
    assert len(oracle.river_slots()) == 5
    assert (oracle.tiles_left(), oracle.last_round, oracle.is_over()) == (0, True, False)
    idle_turn(oracle)
    assert oracle.is_over()


def interlude_about_to_start(num_players: int = 2, **kwargs) -> SaganiOracle:
    """Three interlude spaces are full; the player to move has one tile of the river left."""
    oracle = game(num_players, **kwargs)
    last_of_river(oracle)
    fill_interlude(oracle, tile("fire", n="fire"), tile("water", n="fire"), tile("earth", n="air"))
    return oracle


def test_case_interlude_starts():
    """flow_intermezzo_start."""
    assert CASES["flow_intermezzo_start"]["players"] == 2
    for points, first in (([0, 1], 0), ([1, 0], 1)):
        oracle = interlude_about_to_start()
        for player, amount in enumerate(points):
            set_points(oracle, player, amount)
        oracle.set_aside_last_tile()
        oracle.place((0, 0), 0)
        assert oracle.phase == "interlude"
        assert oracle.river_slots() == []
        assert oracle.interlude_spaces() == [0, 1, 2, 3]
        assert oracle.choosers == [first, 1 - first]
        assert oracle.to_play == first


def interlude_started(num_players: int = 2, **kwargs) -> SaganiOracle:
    oracle = interlude_about_to_start(num_players, **kwargs)
    oracle.set_aside_last_tile()
    oracle.place(far_cell(oracle), 0)
    assert oracle.phase == "interlude"
    return oracle


def test_case_nobody_takes_an_interlude_tile():
    """flow_intermezzo_none."""
    assert CASES["flow_intermezzo_none"]["players"] == 2
    oracle = interlude_started()
    four = list(oracle.interlude)
    oracle.interlude_pass()
    oracle.interlude_pass()
    assert oracle.interlude_spaces() == []
    assert oracle.removed == four
    assert (oracle.phase, oracle.to_play, len(oracle.river_slots())) == ("take", 1, 5)


def test_case_interlude_keeps_what_is_left():
    """flow_intermezzo_keeps."""
    assert CASES["flow_intermezzo_keeps"]["players"] == 2
    oracle = interlude_started()
    rest = [what for space, what in enumerate(oracle.interlude) if space != 1]
    oracle.interlude_take(1)
    oracle.place(far_cell(oracle), 0)
    oracle.interlude_pass()
    assert oracle.interlude == [rest[0], None, rest[1], rest[2]]
    assert oracle.removed == []
    assert (oracle.phase, oracle.to_play, len(oracle.river_slots())) == ("take", 1, 5)


def track_of(case: dict) -> ScoreTrack:
    """Markers moved in the order in which they reached their scores."""
    track = ScoreTrack(case["players"])
    for _, player in sorted((when, seat) for seat, when in enumerate(case["reached_at"])):
        track.add(player, case["scores"][player])
    assert track.points == case["scores"]
    return track


def test_case_ranking():
    """flow_winner_order."""
    case = CASES["flow_winner_order"]
    oracle = game(case["players"])
    oracle.track = track_of(case)
    assert oracle.track.leaders() == case["expect_ranking"]
    assert [oracle.ranks()[player] for player in case["expect_ranking"]] == [1, 2, 3, 4]


def test_case_interlude_order():
    """flow_intermezzo_tie."""
    case = CASES["flow_intermezzo_tie"]
    assert track_of(case).stragglers() == case["expect_order"]
    oracle = interlude_about_to_start(case["players"])
    oracle.track = track_of(case)
    oracle.set_aside_last_tile()
    oracle.place((0, 0), 0)
    order = []
    while oracle.phase == "interlude":
        order.append(oracle.to_play)
        oracle.interlude_pass()
    assert order == case["expect_order"]


def test_case_goals():
    """flow_threshold."""
    thresholds = {int(n): goal for n, goal in CASES["flow_threshold"]["thresholds"].items()}
    assert thresholds == GOALS
    assert {n: game(n).goal() for n in thresholds} == thresholds


def test_case_bonus():
    """flow_solo_b_bonus: the n-th tile placed, and how many lie face up afterwards."""
    case = CASES["flow_solo_b_bonus"]
    rows = zip(case["placed_number"], case["face_up_at_end"], case["expect_bonus"], strict=True)
    for number, face_up, bonus in rows:
        oracle = game(1, solo="advanced")
        oracle.turns[0] = number - 1
        for x in range(face_up - 1):
            put(oracle.areas[0], tile("fire", n="water"), (x, 0))
        with_hand(oracle, tile("fire", n="water")).place(far_cell(oracle), 0)
        assert len(oracle.areas[0].open_tiles()) == face_up
        assert oracle.bonus == bonus


def test_case_advanced_score():
    """flow_solo_b_score."""
    case = CASES["flow_solo_b_score"]
    oracle = game(1, solo="advanced")
    oracle.track.add(0, case["track"])
    oracle.bonus = case["bonus_turns"] * BONUS
    oracle.areas[0].cacophony = case["cacophony"]
    for x, value in enumerate(case["incomplete_values"]):
        put(oracle.areas[0], tile("fire", value, n="water"), (x, 0))
    put(oracle.areas[0], tile("fire", 6, n="water"), (9, 0), flipped=True)
    assert oracle.scores() == [case["expect"]]


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


# ---- the box ----------------------------------------------------------------------------------


def test_box_has_72_tiles_18_of_each_element():
    assert sorted(TILES) == NUMBERS
    assert Counter(what.element for what in TILES.values()) == dict.fromkeys(ELEMENTS, 18)
    values = Counter((what.element, what.value) for what in TILES.values())
    for element in ELEMENTS:
        assert [values[element, value] for value in (1, 3, 6, 10)] == [2, 5, 6, 5]


def test_value_follows_the_number_of_arrows():
    for what in TILES.values():
        assert what.value == {1: 1, 2: 3, 3: 6, 4: 10}[len(what.arrows)]
    assert sum(what.value for what in TILES.values()) == 412
    asked = Counter(element for what in TILES.values() for element in what.arrows.values())
    assert asked == dict.fromkeys(ELEMENTS, 50)


def test_no_two_tiles_and_no_two_rotations_are_alike():
    seen = {
        (what.element, frozenset(PlacedTile(what, rotation).arrows.items()))
        for what in TILES.values()
        for rotation in range(4)
    }
    assert len(seen) == 4 * 72


# ---- Mise en place ----------------------------------------------------------------------------


def test_setup_makes_three_piles_and_a_river_of_five():
    order = random.Random(1).sample(NUMBERS, 72)
    for num_players in (2, 3, 4):
        oracle = game(num_players, order=order)
        assert [what.id for what in oracle.river] == order[:5]
        assert [len(pile) for pile in oracle.piles] == [19, 24, 24]
        assert [what.id for pile in oracle.piles for what in pile] == order[5:]
        assert oracle.interlude == [None] * 4


def test_piles_are_used_one_after_the_other():
    order = random.Random(2).sample(NUMBERS, 72)
    oracle = game(order=order)
    assert [oracle._draw().id for _ in range(67)] == order[5:]


def test_backs_show_element_and_value_of_each_piles_top_tile():
    oracle = game()
    tops = [TILES[number] for number in (6, 25, 49)]
    assert oracle.top_of_piles() == [(top.element, top.value) for top in tops]
    oracle.piles[0] = []
    assert oracle.top_of_piles()[0] is None


def test_setup_gives_24_discs_and_markers_on_square_0():
    for num_players in (1, 2, 3, 4):
        oracle = game(num_players)
        assert [area.supply for area in oracle.areas] == [24] * num_players
        assert oracle.scores() == [0] * num_players
        assert oracle.track.piles == {0: list(range(num_players))}
    assert game(3, start_pile=[2, 0, 1]).track.piles == {0: [2, 0, 1]}


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_turns_go_round_from_the_first_player(num_players):
    for first in range(num_players):
        oracle = game(num_players, first_player=first)
        order = []
        for _ in range(3 * num_players):
            order.append(oracle.to_play)
            idle_turn(oracle)
        assert order == [(first + turn) % num_players for turn in range(3 * num_players)]
        assert oracle.first_player == first
        assert oracle.turns == [3] * num_players


# ---- 1. Choisir et placer une tuile -----------------------------------------------------------


def test_any_tile_of_the_river_may_be_taken():
    for slot in range(5):
        oracle = game()
        what = oracle.river[slot]
        assert oracle.legal_tiles() == [0, 1, 2, 3, 4]
        oracle.take(slot)
        assert oracle.hand == what
        oracle.place((0, 0), 0)
        assert oracle.areas[0].tiles[0, 0].tile == what
        assert oracle.legal_tiles() == [other for other in range(5) if other != slot]


def test_tiles_go_orthogonally_beside_tiles_completed_or_not():
    area = PlayArea()
    put(area, PLAIN, (0, 0))
    put(area, PLAIN, (5, -3), flipped=True)
    assert set(area.legal_cells()) == set(neighbours((0, 0)) + neighbours((5, -3)))
    for cell in ((1, 1), (-1, -1), (0, 0), (2, 0)):
        with pytest.raises(ValueError, match="no tile may go"):
            area.put(PLAIN, cell, 0)


def test_play_area_has_no_edge():
    oracle = game(1)
    for x in range(40):
        with_hand(oracle, tile("fire", n="water")).place((-x, 0), 0)
    assert (-40, 0) in with_hand(oracle, PLAIN).legal_cells()


def test_rotation_turns_every_arrow_clockwise():
    printed = tile("fire", n="air", ne="water", e="earth", nw="fire")
    assert PlacedTile(printed, 0).arrows == printed.arrows
    quarter = {"e": "air", "se": "water", "s": "earth", "ne": "fire"}
    assert PlacedTile(printed, 1).arrows == quarter
    assert PlacedTile(printed, 3).arrows == {"w": "air", "nw": "water", "n": "earth", "sw": "fire"}
    for rotation in (-1, 4):
        with pytest.raises(ValueError, match="rotation"):
            PlayArea().put(printed, (0, 0), rotation)


def test_last_tile_of_the_river_may_be_placed():
    oracle = game()
    last_of_river(oracle)
    assert oracle.may_set_aside()
    idle_turn(oracle)
    assert oracle.interlude_spaces() == []
    assert len(oracle.river_slots()) == 5


def test_last_tile_of_the_river_may_be_set_aside_for_the_top_of_the_pile():
    oracle = game()
    last_of_river(oracle)
    top = oracle.piles[0][0]
    oracle.set_aside_last_tile()
    assert oracle.interlude == [PLAIN, None, None, None]
    assert oracle.river_slots() == []
    assert (oracle.hand, oracle.phase, oracle.to_play) == (top, "place", 0)
    assert not oracle.may_set_aside()  # there is no way back: that tile has to be placed
    with pytest.raises(ValueError):
        oracle.take(0)
    oracle.place((0, 0), 0)
    assert (oracle.to_play, len(oracle.river_slots()), oracle.tiles_left()) == (1, 5, 61)
    assert oracle.interlude == [PLAIN, None, None, None]


def test_only_the_last_tile_of_the_river_may_be_set_aside():
    oracle = game()
    for left in (5, 4, 3, 2):
        assert len(oracle.legal_tiles()) == left
        assert not oracle.may_set_aside()
        with pytest.raises(ValueError):
            oracle.set_aside_last_tile()
        idle_turn(oracle)
    assert oracle.may_set_aside()


def test_nothing_is_set_aside_when_the_piles_are_empty():
    """It can't come up: the end has come before the river is down to one tile with no pile."""
    oracle = game()
    last_of_river(oracle)
    keep_in_piles(oracle, 1)
    assert oracle.may_set_aside()
    keep_in_piles(oracle, 0)
    assert not oracle.may_set_aside()


# ---- 2. and 3. Discs and cacophony ------------------------------------------------------------


def test_new_tile_takes_a_disc_for_every_arrow():
    for number, arrows in ((1, 1), (3, 2), (4, 3), (9, 4)):
        oracle = with_hand(game(), number)
        oracle.place((0, 0), 0)
        assert oracle.areas[0].tiles[0, 0].discs == arrows
        assert oracle.areas[0].supply == 24 - arrows


def test_freed_discs_pay_for_the_new_tile():
    oracle = with_hand(game(), tile("water", s="earth", e="earth"))
    area = oracle.areas[0]
    put(area, tile("fire", 3, n="water", s="air"), (0, 0), covered=["s"])
    area.supply = 0
    oracle.place((0, 1), 0)
    assert area.tiles[0, 0].flipped
    assert area.tiles[0, 1].discs == 2
    assert (area.supply, area.cacophony, oracle.scores()) == (0, 0, [3, 0])


def test_cacophony_costs_2_points_each():
    for supply in range(5):
        oracle = with_hand(game(), 9)
        oracle.areas[0].supply = supply
        oracle.place((0, 0), 0)
        assert oracle.areas[0].cacophony == 4 - supply
        assert oracle.areas[0].supply == 0
        assert oracle.scores() == [-CACOPHONY_PENALTY * (4 - supply), 0]


def test_cacophony_discs_are_used_again_at_no_cost():
    oracle = with_hand(game(1), tile("fire", n="fire"))
    area = oracle.areas[0]
    area.supply = 0
    oracle.place((0, 0), 0)
    assert (area.cacophony, area.supply, oracle.scores()) == (1, 0, [-2])
    with_hand(oracle, tile("fire", n="air")).place((0, 1), 0)
    # Completed by it: the cacophony disc came back and lies on the new tile.
    assert (area.cacophony, area.supply, oracle.scores()) == (1, 0, [-1])
    with_hand(oracle, tile("air", n="water")).place((0, 2), 0)
    assert (area.cacophony, area.supply, oracle.scores()) == (1, 0, [0])


def test_cacophony_is_due_even_if_the_tile_completes_at_once():
    oracle = with_hand(game(), tile("fire", 3, n="air", e="air"))
    area = oracle.areas[0]
    put(area, PLAIN, (0, 1), flipped=True)
    put(area, PLAIN, (1, 0), flipped=True)
    area.supply = 1
    oracle.place((0, 0), 0)
    assert area.tiles[0, 0].flipped
    assert (area.cacophony, area.supply, oracle.scores()) == (1, 2, [3 - 2, 0])


def test_cacophony_is_unlimited():
    oracle = game(1)
    oracle.areas[0].supply = 0
    for x in range(12):
        with_hand(oracle, tile("fire", 10, n="air", ne="air", nw="air", s="air")).place((x, 0), 0)
    assert oracle.areas[0].cacophony == 48
    assert oracle.scores() == [-96]


def test_track_stops_at_0_and_negative_tokens_record_the_rest():
    track = ScoreTrack(2)
    track.add(0, 3)
    track.add(0, -8)
    assert (track.points[0], track.square(0)) == (-5, 0)
    track.add(0, 3)
    assert (track.points[0], track.square(0)) == (-2, 0)
    track.add(0, 6)
    assert (track.points[0], track.square(0)) == (4, 4)


# ---- 4. Placer les pions sur les flèches ------------------------------------------------------


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_alignment_in_eight_directions_over_any_distance(direction):
    across, up = STEPS[direction]
    for distance in (1, 2, 3, 8, 31):
        area = PlayArea()
        put(area, tile("water", **{direction: "fire"}), (3, -2))
        put(area, tile("fire"), (3 + distance * across, -2 + distance * up))
        assert area.alignments() == [((3, -2), direction)]
        for other in DIRECTIONS:
            assert area.has_target((3, -2), other, "fire") == (other == direction)
            assert not area.has_target((3, -2), other, "air")


def test_cells_off_the_eight_lines_are_no_targets():
    area = PlayArea()
    put(area, PLAIN, (0, 0))
    for cell in ((1, 2), (-3, 1), (5, -4)):
        put(area, tile("fire"), cell)
    assert not any(area.has_target((0, 0), way, "fire") for way in DIRECTIONS)


def test_alignment_goes_through_tiles_and_gaps():
    area = PlayArea()
    put(area, tile("water", e="fire"), (0, 0))
    put(area, PLAIN, (1, 0))
    put(area, PLAIN, (2, 0), flipped=True)
    put(area, tile("fire"), (6, 0))
    assert area.alignments() == [((0, 0), "e")]


def test_completed_tiles_are_targets():
    area = PlayArea()
    put(area, tile("water", e="fire"), (0, 0))
    put(area, tile("fire"), (1, 0), flipped=True)
    assert area.alignments() == [((0, 0), "e")]


def test_new_tile_is_source_and_target():
    oracle = with_hand(game(), tile("air", 3, s="fire", n="fire"))
    area = oracle.areas[0]
    put(area, tile("fire", 3, n="air", s="air"), (0, 0))
    oracle.place((0, 1), 0)
    assert area.tiles[0, 0].covered == {"n"}
    assert area.tiles[0, 1].covered == {"s"}


def test_no_tile_is_its_own_target():
    oracle = with_hand(game(), 1)
    oracle.place((0, 0), 0)
    assert oracle.areas[0].tiles[0, 0].covered == set()


def test_one_tile_is_the_target_of_many():
    oracle = with_hand(game(), tile("air", n="water"))
    area = oracle.areas[0]
    for direction, (across, up) in STEPS.items():
        opposite = DIRECTIONS[(DIRECTIONS.index(direction) + 4) % 8]
        put(area, tile("fire", **{opposite: "air"}), (across, up))
    oracle.place((0, 0), 0)
    assert oracle.scores() == [8, 0]


def test_arrow_is_covered_once_and_for_good():
    area = PlayArea()
    put(area, tile("fire", 3, n="air", s="air"), (0, 0), covered=["n"])
    put(area, PLAIN, (0, 1), flipped=True)
    put(area, PLAIN, (0, 2), flipped=True)
    assert area.alignments() == []
    with pytest.raises(ValueError, match="no alignment"):
        area.align((0, 0), "n")
    assert area.tiles[0, 0].covered == {"n"}


# ---- 5. Compléter une tuile -------------------------------------------------------------------


def test_completed_tile_returns_its_discs_is_flipped_and_scores():
    for arrows, value in ((1, 1), (2, 3), (3, 6), (4, 10)):
        oracle = with_hand(game(), PLAIN)
        area = oracle.areas[0]
        directions = DIRECTIONS[:arrows]
        put(
            area,
            tile("fire", value, **dict.fromkeys(directions, "air")),
            (0, 0),
            0,
            False,
            directions[1:],
        )
        area.supply = 10
        oracle.place((0, 1), 0)
        placed = area.tiles[0, 0]
        assert placed.flipped
        assert (placed.discs, placed.covered) == (0, set())
        assert area.supply == 10 + arrows - 1
        assert oracle.scores() == [value, 0]


def test_marker_lands_on_top_of_the_others():
    track = ScoreTrack(3)
    for player in (2, 0, 1):
        track.add(player, 6)
    assert track.piles[6] == [2, 0, 1]
    assert track.leaders() == [2, 0, 1]
    assert track.stragglers() == [1, 0, 2]


def test_marker_that_comes_back_to_a_square_is_on_top():
    track = ScoreTrack(2)
    for player in (0, 1):
        track.add(player, 6)
    track.add(0, -6)
    track.add(0, 6)
    assert track.leaders() == [1, 0]


def test_marker_that_stays_on_square_0_keeps_its_place():
    """Below zero only tokens come and go, so the order of the markers is that of square 0."""
    track = ScoreTrack(2)
    track.add(1, -2)
    track.add(1, -2)
    track.add(0, -4)
    assert track.points == [-4, -4]
    assert track.piles[0] == [0, 1]
    assert track.leaders() == [0, 1]


# ---- Interlude and 6. Remplir la rivière ------------------------------------------------------


def test_river_is_filled_only_when_it_is_empty():
    oracle = game()
    for left in (4, 3, 2, 1, 5, 4):
        idle_turn(oracle)
        assert len(oracle.river_slots()) == left
    assert oracle.tiles_left() == 62


def test_interlude_comes_before_the_river_is_filled():
    oracle = interlude_started()
    assert oracle.river_slots() == []
    assert oracle.legal_tiles() == []
    with pytest.raises(ValueError):
        oracle.take(0)


def test_no_interlude_with_fewer_than_four_tiles():
    for before in range(3):
        oracle = game()
        last_of_river(oracle)
        fill_interlude(oracle, *[PLAIN] * before)
        oracle.set_aside_last_tile()
        oracle.place((0, 0), 0)
        assert oracle.phase == "take"
        assert len(oracle.interlude_spaces()) == before + 1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_everybody_may_take_one_interlude_tile(num_players):
    oracle = interlude_started(num_players)
    left = 4
    takers = []
    while oracle.phase == "interlude":
        assert len(oracle.legal_interlude_spaces()) == left
        takers.append(oracle.to_play)
        oracle.interlude_take(oracle.legal_interlude_spaces()[-1])
        assert oracle.phase == "place"
        oracle.place(far_cell(oracle), 0)
        left -= 1
    assert sorted(takers) == list(range(num_players))
    assert len(oracle.interlude_spaces()) == 4 - num_players
    assert [len(area.tiles) for area in oracle.areas] == [2] + [1] * (num_players - 1)
    assert oracle.turns == [1] + [0] * (num_players - 1)  # an interlude is no turn


def test_interlude_tile_is_placed_with_all_that_follows():
    oracle = interlude_about_to_start()
    set_points(oracle, 1, 3)
    put(oracle.areas[0], tile("air", 10, n="fire"), (0, 0))
    oracle.areas[0].supply = 0
    oracle.set_aside_last_tile()
    oracle.hand = tile("water", s="water")
    oracle.place((0, -1), 0)
    assert oracle.scores() == [-2, 3]
    assert oracle.to_play == 0
    oracle.interlude_take(0)
    oracle.place((0, 1), 0)
    # The air tile completes (+10) and its disc goes to the fire tile: no cacophony.
    assert oracle.scores() == [8, 3]
    assert oracle.areas[0].supply == 0
    assert (oracle.phase, oracle.to_play) == ("interlude", 1)


def test_nobody_stands_behind_square_0_in_an_interlude():
    """Negative tokens don't count for its order: on square 0 the upper marker chooses first."""
    oracle = interlude_about_to_start()
    put(oracle.areas[0], tile("air", 10, n="fire"), (0, 0))
    oracle.areas[0].supply = 0
    oracle.set_aside_last_tile()
    oracle.hand = tile("water", s="water")
    oracle.place((0, -1), 0)
    assert oracle.scores() == [-2, 0]
    assert oracle.track.piles[0] == [0, 1]
    assert (oracle.phase, oracle.to_play) == ("interlude", 1)


def test_interlude_order_is_that_of_its_start():
    """Who scores in the interlude has had his choice: the others' order stays."""
    oracle = interlude_about_to_start(3)
    for player, points in ((0, 1), (1, 5), (2, 3)):
        set_points(oracle, player, points)
    put(oracle.areas[0], tile("air", 10, n="fire"), (0, 0))
    oracle.set_aside_last_tile()
    oracle.hand = tile("water", s="water")
    oracle.place((0, -1), 0)
    assert oracle.choosers == [0, 2, 1]
    oracle.interlude_take(0)
    oracle.place((0, 1), 0)
    assert oracle.scores() == [11, 5, 3]
    assert oracle.choosers == [2, 1]


def test_turns_go_on_after_the_player_who_brought_the_interlude():
    for first in range(3):
        oracle = interlude_started(3, first_player=first)
        for _ in range(3):
            oracle.interlude_pass()
        assert (oracle.phase, oracle.to_play) == ("take", (first + 1) % 3)
        assert len(oracle.river_slots()) == 5


def test_tiles_left_after_an_interlude_bring_the_next_one_sooner():
    oracle = interlude_started()
    for space in (0, 3):
        oracle.interlude_take(space)
        oracle.place(far_cell(oracle), 0)
    assert oracle.interlude_spaces() == [1, 2]
    last_of_river(oracle)
    oracle.set_aside_last_tile()
    assert oracle.interlude_spaces() == [0, 1, 2]
    oracle.place(far_cell(oracle), 0)
    assert oracle.phase == "take"
    last_of_river(oracle)
    oracle.set_aside_last_tile()
    oracle.place(far_cell(oracle), 0)
    assert oracle.phase == "interlude"


# ---- Fin de la partie -------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_goal_is_reached_or_passed(num_players):
    for points, ends in ((GOALS[num_players] - 1, False), (GOALS[num_players], True), (99, True)):
        oracle = game(num_players)
        put(oracle.areas[0], tile("fire", n="air"), (0, 0))
        set_points(oracle, 0, points - 1)
        with_hand(oracle, PLAIN).place((0, 1), 0)
        assert oracle.scores()[0] == points
        assert oracle.last_round == ends


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_round_is_finished_so_that_all_have_as_many_turns(num_players):
    for first in range(num_players):
        for who in range(num_players):
            oracle = game(num_players, first_player=first)
            for _ in range(who):
                idle_turn(oracle)
            set_points(oracle, oracle.to_play, 99)
            for turn in range(who, num_players):
                assert not oracle.is_over()
                assert oracle.to_play == (first + turn) % num_players
                idle_turn(oracle)
            assert oracle.is_over()
            assert oracle.turns == [1] * num_players


def test_goal_reached_within_a_turn_counts_even_if_cacophony_takes_points_again():
    """Ruling: "lorsqu'un joueur atteint ou franchit": the marker did stand there."""
    oracle = with_hand(game(), tile("air", 3, n="air", s="air"))
    put(oracle.areas[0], tile("fire", n="air"), (0, 0))
    set_points(oracle, 0, 74)
    oracle.areas[0].supply = 0
    oracle.place((0, 1), 0)
    assert oracle.scores() == [73, 0]
    assert oracle.last_round


def test_goal_reached_in_an_interlude():
    oracle = interlude_about_to_start()
    put(oracle.areas[0], tile("air", 10, n="fire"), (0, 0))
    set_points(oracle, 0, 70)
    set_points(oracle, 1, 71)
    oracle.set_aside_last_tile()
    oracle.hand = tile("water", s="water")
    oracle.place((0, -1), 0)
    oracle.interlude_take(0)
    oracle.place((0, 1), 0)
    assert (oracle.last_round, oracle.phase, oracle.to_play) == (True, "interlude", 1)
    oracle.interlude_pass()
    assert (oracle.phase, oracle.to_play) == ("take", 1)
    idle_turn(oracle)
    assert oracle.is_over()


def test_fewer_than_five_tiles_left_after_filling_the_river_end_the_game():
    for left, ends in ((10, False), (9, True), (7, True), (5, True), (4, True)):
        oracle = game()
        keep_in_piles(oracle, left)
        last_of_river(oracle)
        idle_turn(oracle)
        assert oracle.last_round == ends
        assert len(oracle.river_slots()) == min(5, left)
        assert not oracle.is_over()


def test_a_small_pile_does_not_end_the_game_before_the_river_is_filled():
    oracle = game()
    keep_in_piles(oracle, 5)
    last_of_river(oracle)
    oracle.set_aside_last_tile()
    assert (oracle.tiles_left(), oracle.last_round) == (4, False)
    oracle.place((0, 0), 0)
    # Ruling: the river gets what there is.
    assert (len(oracle.river_slots()), oracle.tiles_left(), oracle.last_round) == (4, 0, True)


def test_piles_that_run_out_after_the_last_player_end_the_game_at_once():
    """Ruling: "jouez jusqu'au joueur assis à droite du premier joueur" is done already."""
    oracle = game()
    idle_turn(oracle)
    keep_in_piles(oracle, 9)
    last_of_river(oracle)
    idle_turn(oracle)
    assert oracle.is_over()
    assert oracle.turns == [1, 1]


@pytest.mark.parametrize(("num_players", "turns"), [(2, 33), (3, 22), (4, 17)])
def test_length_of_a_game_without_points(num_players, turns):
    oracle = game(num_players, order=random.Random(3).sample(NUMBERS, 72))
    oracle.goal = lambda: 1000
    while not oracle.is_over():
        idle_turn(oracle)
    assert oracle.turns == [turns] * num_players


def test_an_interlude_of_the_last_turn_is_played():
    """Ruling: the interlude follows a turn, and only then is the round finished."""
    oracle = interlude_about_to_start(first_player=1)
    set_points(oracle, 0, 80)
    oracle.to_play = 0
    oracle.last_round = True
    oracle.set_aside_last_tile()
    oracle.place((0, 0), 0)
    assert oracle.phase == "interlude"
    oracle.interlude_pass()
    assert not oracle.is_over()
    oracle.interlude_pass()
    assert oracle.is_over()


def test_most_points_win_and_unfinished_tiles_cost_nothing():
    oracle = game(3)
    for player, points in enumerate((12, 40, -3)):
        set_points(oracle, player, points)
    put(oracle.areas[1], 9, (0, 0))
    assert oracle.scores() == [12, 40, -3]
    assert oracle.ranks() == [2, 1, 3]


def test_tie_goes_to_the_marker_at_the_bottom():
    for order in ([0, 1, 2], [2, 0, 1]):
        oracle = game(3)
        for player in order:
            oracle.track.add(player, 20)
        assert [oracle.ranks()[player] for player in order] == [1, 2, 3]


def test_negative_tokens_decide_before_the_stack_on_square_0():
    oracle = game(3)
    for player, points in enumerate((-6, -2, 0)):
        oracle.track.add(player, points)
    assert oracle.track.piles[0] == [0, 1, 2]
    assert oracle.ranks() == [3, 2, 1]


# ---- Variantes solo ---------------------------------------------------------------------------


def test_solo_has_no_river_and_no_interlude():
    for solo in ("classic", "advanced"):
        oracle = game(1, solo=solo, order=[3, 4, 8, *[n for n in NUMBERS if n not in (3, 4, 8)]])
        assert oracle.river_slots() == []
        assert not oracle.may_set_aside()
        assert (oracle.phase, oracle.hand.id) == ("place", 3 if solo == "classic" else 4)
        oracle.place((0, 0), 0)
        assert (oracle.phase, oracle.hand.id) == ("place", 4 if solo == "classic" else 8)


def test_classic_solo_ends_at_75_points():
    oracle = game(1)
    put(oracle.areas[0], tile("fire", n="air"), (0, 0))
    set_points(oracle, 0, 73)
    with_hand(oracle, PLAIN).place((0, 1), 0)
    assert (oracle.scores(), oracle.is_over()) == ([74], False)
    with_hand(oracle, PLAIN).place((0, 2), 2)
    assert (oracle.scores(), oracle.is_over()) == ([76], True)  # both plain tiles are completed


@pytest.mark.parametrize(("tiles", "perfect"), [(24, True), (25, True), (26, False)])
def test_perfect_harmony_with_25_tiles_or_fewer(tiles, perfect):
    oracle = game(1)
    put(oracle.areas[0], tile("fire", n="air"), (0, 0))
    set_points(oracle, 0, 74)
    oracle.turns[0] = tiles - 1
    assert not oracle.perfect_harmony()
    with_hand(oracle, PLAIN).place((0, 1), 0)
    assert oracle.is_over()
    assert oracle.perfect_harmony() == perfect


def test_classic_solo_cacophony_costs_at_once():
    oracle = with_hand(game(1), 9)
    oracle.areas[0].supply = 1
    oracle.place((0, 0), 0)
    assert oracle.scores() == [-6]


def test_classic_solo_goes_on_to_the_last_tile():
    oracle = game(1)
    oracle.goal = lambda: 1000
    for turn in range(72):
        assert oracle.hand.id == turn + 1
        oracle.place(far_cell(oracle), 0)
    assert oracle.is_over()
    assert not oracle.perfect_harmony()


def test_advanced_solo_keeps_five_low_tiles_for_the_end():
    order = random.Random(5).sample(NUMBERS, 72)
    low = [number for number in order if TILES[number].value <= 3][:5]
    oracle = game(1, solo="advanced", order=order)
    oracle.goal = lambda: 1  # points do not end it
    played = []
    while not oracle.is_over():
        played.append(oracle.hand.id)
        oracle.place(far_cell(oracle), 0)
    assert played == [number for number in order if number not in low] + low


def test_advanced_solo_low_tiles_later_than_the_fifth_are_played_in_turn():
    low = [1, 2, 3, 10, 12, 15]
    oracle = game(1, solo="advanced", order=low + [n for n in NUMBERS if n not in low])
    assert oracle.hand.id == 15
    assert [what.id for what in oracle.low_tiles] == low[:5]


def test_advanced_solo_cacophony_costs_at_the_end_only():
    oracle = with_hand(game(1, solo="advanced"), 9)
    oracle.areas[0].supply = 1
    oracle.place((0, 0), 0)
    assert oracle.track.points == [0]
    assert oracle.areas[0].cacophony == 3
    assert oracle.scores() == [0 - 10 - 2 * 3]


def test_advanced_solo_bonus_needs_the_fifth_tile_and_two_open_tiles():
    for placed, open_tiles, bonus in ((4, 0, 0), (5, 0, 5), (5, 1, 5), (60, 2, 5), (60, 3, 0)):
        oracle = game(1, solo="advanced")
        area = oracle.areas[0]
        put(area, PLAIN, (0, 0), flipped=True)
        for x in range(1, open_tiles + 1):
            put(area, tile("fire", n="water"), (x, 0))
        oracle.turns[0] = placed - 1
        # This one is completed at once by the plain tile.
        with_hand(oracle, tile("earth", s="air")).place((0, 1), 0)
        assert len(area.open_tiles()) == open_tiles
        assert oracle.bonus == bonus
        assert oracle.track.points == [1]


# ---- moving discs is a choice -----------------------------------------------------------------


def choosing(**kwargs) -> SaganiOracle:
    return game(alignments="choice", **kwargs)


def test_discs_may_be_left_where_they_are_and_moved_later():
    oracle = with_hand(choosing(), PLAIN)
    area = oracle.areas[0]
    put(area, tile("fire", n="air"), (0, 0))
    oracle.place((0, 1), 0)
    assert oracle.legal_alignments() == [((0, 0), "n")]
    oracle.stop_aligning()
    assert oracle.legal_alignments() == [((0, 0), "n")]
    oracle.stop_aligning()
    assert oracle.scores() == [0, 0]
    idle_choice_turn(oracle)
    oracle.take(oracle.legal_tiles()[0])
    oracle.place((1, 0), 0)
    oracle.align((0, 0), "n")
    assert oracle.scores() == [1, 0]


def idle_choice_turn(oracle: SaganiOracle) -> None:
    idle_turn(oracle)
    oracle.stop_aligning()
    oracle.stop_aligning()


def test_new_tiles_arrows_wait_for_its_discs():
    oracle = with_hand(choosing(), tile("water", s="fire"))
    put(oracle.areas[0], tile("fire", n="air"), (0, 0))
    oracle.place((0, 1), 0)
    assert oracle.legal_alignments() == []
    with pytest.raises(ValueError, match="no alignment"):
        oracle.align((0, 1), "s")
    oracle.stop_aligning()
    assert oracle.discs_are_laid()
    assert oracle.legal_alignments() == [((0, 1), "s")]
    oracle.align((0, 1), "s")
    oracle.stop_aligning()
    assert (oracle.scores(), oracle.to_play) == ([1, 0], 1)


def test_who_is_short_of_discs_completes_tiles_before_taking_cacophony():
    """Section 3: cacophony is received only "si vous ne pouvez pas compléter d'autres tuiles"."""
    oracle = with_hand(choosing(), tile("air", 3, n="water", e="water"))
    area = oracle.areas[0]
    put(area, tile("fire", n="air"), (0, 0))
    put(area, tile("fire", ne="air"), (-1, 0))
    put(area, tile("fire", n="air"), (0, -1))
    put(area, tile("earth", 3, n="air", s="fire"), (0, -2))
    area.supply = 0
    oracle.place((0, 1), 0)
    completing = [((-1, 0), "ne"), ((0, -1), "n"), ((0, 0), "n")]
    assert set(oracle.legal_alignments()) == {*completing, ((0, -2), "n")}
    assert not oracle.may_stop()
    with pytest.raises(ValueError, match="have to be moved"):
        oracle.stop_aligning()
    oracle.align((0, -2), "n")  # completes nothing; allowed, but not enough
    assert not oracle.may_stop()
    oracle.align((0, 0), "n")
    assert not oracle.may_stop()  # one disc is still missing
    oracle.align((-1, 0), "ne")
    assert oracle.may_stop()  # the third tile may wait
    oracle.stop_aligning()
    assert oracle.legal_alignments() == [((0, -1), "n")]
    oracle.stop_aligning()
    assert (oracle.scores(), area.cacophony, area.supply) == ([2, 0], 0, 0)


def test_who_can_complete_nothing_takes_cacophony():
    oracle = with_hand(choosing(), tile("air", n="water"))
    area = oracle.areas[0]
    put(area, tile("fire", 3, n="air", s="air"), (0, 0))
    area.supply = 0
    oracle.place((0, 1), 0)
    assert oracle.legal_alignments() == [((0, 0), "n")]
    assert oracle.may_stop()
    oracle.stop_aligning()
    assert (oracle.scores(), area.cacophony) == ([-2, 0], 1)


def test_who_has_the_discs_may_leave_completed_tiles_waiting():
    oracle = with_hand(choosing(), tile("air", n="water"))
    area = oracle.areas[0]
    put(area, tile("fire", n="air"), (0, 0))
    area.supply = 1
    oracle.place((0, 1), 0)
    assert oracle.may_stop()


def interlude_duel(alignments: str) -> SaganiOracle:
    """Both players need the one fire tile of the interlude; seat 0, level with seat 1, is to move.

    Placing the tile in his hand, seat 0 could complete a tile of 1 point. It is the fourth tile
    of the interlude that was set aside in this turn.
    """
    oracle = interlude_about_to_start(alignments=alignments, start_pile=[1, 0])
    for area in oracle.areas:
        put(area, tile("air", 10, n="fire"), (0, 0))
        put(area, tile("earth", 1, s="water"), (1, 0))
    oracle.set_aside_last_tile()
    return with_hand(oracle, tile("water", w="earth"))


def test_moving_discs_at_once_can_be_worse_than_waiting():
    """Level with the other and on top of the stack, seat 0 is first to choose, if it doesn't score.

    With every disc moved at once the point is scored, seat 1 chooses first and takes the fire tile
    that either needs for 10 points. Waiting, seat 0 gets it, and the point a moment later.
    """
    auto = interlude_duel("auto")
    auto.place((1, -1), 0)
    assert auto.scores() == [1, 0]
    assert auto.choosers == [1, 0]
    auto.interlude_take(0)
    auto.place((0, 1), 0)
    assert auto.scores() == [1, 10]
    assert "fire" not in {auto.interlude[space].element for space in auto.interlude_spaces()}

    waiting = interlude_duel("choice")
    waiting.place((1, -1), 0)
    assert ((1, 0), "s") in waiting.legal_alignments()
    waiting.stop_aligning()
    waiting.stop_aligning()
    assert waiting.choosers == [0, 1]
    waiting.interlude_take(0)
    waiting.place((0, 1), 0)
    waiting.align((0, 0), "n")
    waiting.align((1, 0), "s")
    assert waiting.scores() == [11, 0]


def test_waiting_can_put_off_the_end_of_the_game():
    """A player who is behind and could only just reach the goal need not bring the end about."""
    for alignments, ends in (("auto", True), ("choice", False)):
        oracle = with_hand(game(4, alignments=alignments), PLAIN)
        put(oracle.areas[0], tile("fire", n="air"), (0, 0))
        set_points(oracle, 0, 44)
        oracle.place((0, 1), 0)
        if alignments == "choice":
            oracle.stop_aligning()
            oracle.stop_aligning()
        assert oracle.last_round == ends


# ---- whole games ------------------------------------------------------------------------------


def assert_invariants(oracle: SaganiOracle) -> None:
    """72 tiles, the discs of every player, and scores that add up."""
    lying = [placed.tile for area in oracle.areas for placed in area.tiles.values()]
    shown = [what for what in oracle.river + oracle.interlude + [oracle.hand] if what is not None]
    piled = [what for pile in oracle.piles for what in pile]
    everywhere = lying + shown + piled + oracle.removed + oracle.low_tiles
    assert sorted(what.id for what in everywhere) == NUMBERS
    for area, points in zip(oracle.areas, oracle.track.points, strict=True):
        tiles = area.tiles.values()
        on_tiles = sum(placed.discs + len(placed.covered) for placed in tiles)
        assert area.supply >= 0
        if oracle.discs_are_laid() or area is not oracle.areas[oracle.to_play]:
            assert area.supply + on_tiles == 24 + area.cacophony
        completed = sum(placed.tile.value for placed in tiles if placed.flipped)
        penalty = 0 if oracle.mode == "advanced" else CACOPHONY_PENALTY * area.cacophony
        assert points == completed - penalty


def random_decision(oracle: SaganiOracle, rng: random.Random) -> None:
    """Any of the decisions open to the player."""
    if oracle.phase == "place":
        oracle.place(rng.choice(oracle.legal_cells()), rng.randrange(4))
    elif oracle.phase == "align":
        alignments = oracle.legal_alignments()
        if alignments and (rng.random() < 0.7 or not oracle.may_stop()):
            oracle.align(*rng.choice(alignments))
        else:
            oracle.stop_aligning()
    elif oracle.phase == "interlude":
        if rng.random() < 0.5:
            oracle.interlude_take(rng.choice(oracle.legal_interlude_spaces()))
        else:
            oracle.interlude_pass()
    elif oracle.may_set_aside() and rng.random() < 0.7:
        oracle.set_aside_last_tile()
    else:
        oracle.take(rng.choice(oracle.legal_tiles()))


@pytest.mark.parametrize("alignments", ["auto", "choice"])
@pytest.mark.parametrize(
    ("num_players", "solo"),
    [(1, "classic"), (1, "advanced"), (2, "classic"), (3, "classic"), (4, "classic")],
)
def test_random_games_keep_the_box_together(num_players, solo, alignments):
    rng = random.Random(f"{num_players} {solo} {alignments}")
    for _ in range(3):
        first = rng.randrange(num_players)
        order = rng.sample(NUMBERS, 72)
        oracle = SaganiOracle(order, num_players, first, solo, alignments)
        while not oracle.is_over():
            random_decision(oracle, rng)
            assert_invariants(oracle)
        assert len(set(oracle.turns)) == 1
        assert sorted(oracle.ranks()) == list(range(1, num_players + 1))
