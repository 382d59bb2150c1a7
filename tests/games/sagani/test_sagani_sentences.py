"""The sentences of Sagani's rulebook, each tried on the oracle and on the kernels."""

from __future__ import annotations

from collections import Counter

import pytest
from oracles.sagani import DIRECTIONS, ELEMENTS, GOALS, STEPS, neighbours
from sagani_adapter import CANVAS, NUMBERS, TILES, Box, both, either_way, widest

from ludotheque.envs.sagani.position import TileAt

SEVERAL = [2, 3, 4]
OPPOSITE = {way: DIRECTIONS[(k + 4) % 8] for k, way in enumerate(DIRECTIONS)}
# A tile of 1 point with the one arrow n, asking for its own element; tile 9 has four arrows.
PLAIN = 55
FOUR_ARROWS = 9


def far_cell(game):
    """A legal cell, the one furthest to the north."""
    return max(game.legal_cells(), key=lambda cell: (cell[1], cell[0]))


def display_spaces(game) -> list[int]:
    return [space for space, number in enumerate(game.display) if number]


def idle_turn(game) -> None:
    """Take a tile and place it somewhere."""
    game.take(game.legal_tiles()[0])
    game.place(far_cell(game), 0)


def place_and_cover(game, cell, rotation: int = 0) -> None:
    """Place the tile in hand and move every disc that can be moved."""
    game.place(cell, rotation)
    while game.phase == "align":
        game.align(*game.legal_alignments()[0])


def set_aside_and_place(game) -> None:
    game.set_aside_last_tile()
    game.place(far_cell(game), 0)


# ---- Matériel ---------------------------------------------------------------------------------


@both
def test_box_has_72_tiles_18_of_each_element(rules):
    printed = [rules.printed(number)[:2] for number in range(1, 73)]
    assert Counter(element for element, _ in printed) == dict.fromkeys(ELEMENTS, 18)
    values = Counter(printed)
    for element in ELEMENTS:
        assert [values[element, value] for value in (1, 3, 6, 10)] == [2, 5, 6, 5]


@both
def test_value_follows_the_number_of_arrows(rules):
    printed = [rules.printed(number) for number in NUMBERS]
    for _, value, arrows in printed:
        assert value == {1: 1, 2: 3, 3: 6, 4: 10}[len(arrows)]
    assert sum(value for _, value, _ in printed) == 412
    asked = Counter(element for _, _, arrows in printed for element in arrows.values())
    assert asked == dict.fromkeys(ELEMENTS, 50)


@both
def test_no_two_tiles_and_no_two_rotations_are_alike(rules):
    seen = {
        (rules.printed(number)[0], frozenset(rules.printed(number, turns)[2].items()))
        for number in NUMBERS
        for turns in range(4)
    }
    assert len(seen) == 4 * 72


# ---- Mise en place ----------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [1, *SEVERAL])
@both
def test_setup_gives_24_discs_and_markers_on_square_0(rules, num_players):
    for seed in range(8):
        game = rules.dealt(seed, num_players)
        assert game.supply == [24] * num_players
        assert game.cacophony == [0] * num_players
        assert game.points == game.negative_tokens == [0] * num_players
        assert sorted(game.stacks[0]) == list(range(num_players))
        assert all(game.table(seat) == {} for seat in range(num_players))
        assert not game.last_round
        assert not game.is_over()


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_first_players_marker_is_at_the_bottom_at_the_start(rules, num_players):
    """Ruling: the rulebook doesn't say how the markers lie on square 0 at the start."""
    for seed in range(8):
        game = rules.dealt(seed, num_players)
        seats = [(game.first_player + k) % num_players for k in range(num_players)]
        assert game.stacks == {0: seats}
        assert [game.ranks()[seat] for seat in seats] == list(range(1, num_players + 1))


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_setup_makes_three_piles_and_a_display_of_five(rules, num_players):
    orders = set()
    for seed in range(8):
        game = rules.dealt(seed, num_players)
        assert sorted(game.order) == NUMBERS
        orders.add(tuple(game.order))
        assert game.display == game.order[:5]
        assert game.interlude == [0] * 4
        assert game.pile_sizes == [19, 24, 24]
        assert game.removed == game.low_tiles == []
        assert (game.phase, game.hand) == ("take", 0)
    assert len(orders) == 8


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_piles_are_used_one_after_the_other(rules, num_players):
    """The display and its refills are the tiles in their order, to the end of the game."""
    game = rules.dealt(3, num_players)
    drawn = 0
    while not game.is_over():
        if len(display_spaces(game)) == 5:
            assert game.display == game.order[drawn : drawn + 5]
            drawn += 5
            sizes = [24, 24, 24]
            for pile in range(3):
                sizes[pile] = max(0, min(24, 24 * (pile + 1) - drawn))
            assert game.pile_sizes == sizes
        idle_turn(game)
    assert drawn >= 60


@both
def test_backs_show_element_and_value_of_each_piles_top_tile(rules):
    game = rules.dealt(1)
    tops = [TILES[game.order[place]] for place in (5, 24, 48)]
    assert game.top_of_piles() == [(top.element, top.value) for top in tops]
    # The first pile is used up: 40 tiles are left.
    game = rules(pile=NUMBERS[32:], display=[1, 2, 3])
    tops = [TILES[number] for number in (33, 49)]
    assert game.top_of_piles() == [None, *((top.element, top.value) for top in tops)]


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_first_player_is_drawn_by_lot(rules, num_players):
    games = [rules.dealt(seed, num_players) for seed in range(150)]
    assert all(game.to_play == game.first_player for game in games)
    counts = Counter(game.first_player for game in games)
    assert len(counts) == num_players
    assert min(counts.values()) > 150 / num_players / 2


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_turns_go_round_from_the_first_player(rules, num_players):
    for first in range(num_players):
        game = rules(num_players=num_players, first_player=first)
        order = []
        for _ in range(3 * num_players):
            order.append(game.to_play)
            idle_turn(game)
        assert order == [(first + turn) % num_players for turn in range(3 * num_players)]
        assert game.first_player == first
        assert [len(game.table(seat)) for seat in range(num_players)] == [3] * num_players


# ---- 1. Choisir et placer une tuile -----------------------------------------------------------


@pytest.mark.parametrize("space", range(5))
@both
def test_any_tile_of_the_display_may_be_taken(rules, space):
    game = rules(display=[11, 22, 33, 44, 55])
    assert game.legal_tiles() == [0, 1, 2, 3, 4]
    assert not game.may_set_aside()
    game.take(space)
    assert game.hand == [11, 22, 33, 44, 55][space]
    assert game.phase == "place"
    assert game.legal_tiles() == []
    with pytest.raises(ValueError):
        game.take(space)
    game.place((0, 0), 0)
    assert game.table(0)[0, 0].tile == [11, 22, 33, 44, 55][space]
    assert game.hand == 0
    assert game.legal_tiles() == [other for other in range(5) if other != space]
    with pytest.raises(ValueError):
        game.take(space)


@both
def test_tiles_go_orthogonally_beside_tiles_completed_or_not(rules):
    box = Box()
    table = [box.open("fire", (0, 0), n="fire"), box.done("water", (5, -3))]
    game = rules(tables={0: table}, hand=PLAIN)
    assert set(game.legal_cells()) == {*neighbours((0, 0)), *neighbours((5, -3))}
    for cell in ((1, 1), (-1, -1), (0, 0), (2, 0)):
        with pytest.raises(ValueError):
            game.place(cell, 0)
    game.place((5, -2), 0)
    assert set(game.table(0)) == {(0, 0), (5, -3), (5, -2)}


@pytest.mark.parametrize("ahead", [17, 9, 8, 5])
@pytest.mark.parametrize("side", [(1, 0), (-1, 0), (0, 1), (0, -1)])
@both
def test_play_area_grows_to_all_sides(rules, side, ahead):
    """There is no edge at the table; here a square of 18 x 18 cells, anywhere.

    A line of tiles goes to one side of the first tile, then to the other.
    """
    game = rules(num_players=1, hand=1)
    cells = []
    for k in (*range(ahead + 1), *range(-1, ahead - CANVAS, -1)):
        cells.append((k * side[0], k * side[1]))
        game.place(cells[-1], 0)
        assert list(game.table(0)) == cells
        assert set(game.legal_cells()) == cells_beside(cells)
    assert len(cells) == CANVAS


def cells_beside(cells) -> set:
    """The empty cells beside those with tiles, as far as the square of 18 x 18 cells goes."""
    beside = {cell for placed in cells for cell in neighbours(placed)} - set(cells)
    return {cell for cell in beside if widest([*cells, cell]) <= CANVAS}


@pytest.mark.parametrize("corner", [(0, 0), (17, 0), (0, 17), (17, 17)])
@both
def test_play_area_winds_round_a_corner(rules, corner):
    """A spiral from a corner of the square: both sides' limits, and cells between two tiles."""
    east = 1 if corner[0] == 0 else -1
    north = 1 if corner[1] == 0 else -1
    game = rules(num_players=1, hand=1)
    game.place((0, 0), 0)
    cells = [(0, 0)]
    steps = [(east, 0)] * 17 + [(0, north)] * 17 + [(-east, 0)] * 17 + [(0, -north)] * 15
    for across, up in steps:
        cells.append((cells[-1][0] + across, cells[-1][1] + up))
        game.place(cells[-1], 0)
        assert set(game.legal_cells()) == cells_beside(cells)


@both
def test_rotation_turns_every_arrow_clockwise(rules):
    quarter = dict(zip(DIRECTIONS, [*DIRECTIONS[2:], *DIRECTIONS[:2]], strict=True))
    for number in NUMBERS:
        arrows = TILES[number].arrows
        for turns in range(4):
            assert rules.printed(number, turns)[2] == arrows
            arrows = {quarter[way]: element for way, element in arrows.items()}


@pytest.mark.parametrize("rotation", range(4))
@both
def test_any_rotation_may_be_chosen_and_stays(rules, rotation):
    """Tile 55 with its arrow turned towards a tile of its element, or not."""
    for way, (across, up) in [(way, STEPS[way]) for way in ("n", "e", "s", "w")]:
        game = rules(tables={0: [TileAt(56, across, up, flipped=True)]}, hand=PLAIN)
        with pytest.raises(ValueError):
            game.place((0, 0), 4)
        with pytest.raises(ValueError):
            game.place((0, 0), -1)
        game.place((0, 0), rotation)
        new = game.table(0)[0, 0]
        assert new.rotation == rotation
        assert new.flipped == (("n", "e", "s", "w").index(way) == rotation)


@both
def test_last_tile_of_the_display_may_be_placed(rules):
    game = rules(display=[0, 0, 30])
    assert game.may_set_aside()
    game.take(2)
    game.place((0, 0), 0)
    assert game.table(0)[0, 0].tile == 30
    assert game.interlude == [0] * 4
    assert game.display == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("space", range(5))
@both
def test_last_tile_of_the_display_may_be_set_aside_for_the_top_of_the_pile(rules, space):
    game = rules(display=[*[0] * space, 30], pile=[40, *range(1, 30)])
    game.set_aside_last_tile()
    assert game.interlude == [30, 0, 0, 0]
    assert game.display == [0] * 5
    assert (game.hand, game.phase, game.to_play) == (40, "place", 0)
    assert not game.may_set_aside()  # there is no way back: that tile has to be placed
    with pytest.raises(ValueError):
        game.take(space)
    with pytest.raises(ValueError):
        game.set_aside_last_tile()
    game.place((0, 0), 0)
    assert game.table(0)[0, 0].tile == 40
    assert (game.to_play, game.display, game.tiles_left()) == (1, [1, 2, 3, 4, 5], 24)
    assert game.interlude == [30, 0, 0, 0]


@both
def test_set_aside_tiles_take_the_first_free_interlude_space(rules):
    game = rules(display=[30], interlude=[40, 0, 50])
    game.set_aside_last_tile()
    assert game.interlude == [40, 30, 50, 0]


@both
def test_only_the_last_tile_of_the_display_may_be_set_aside(rules):
    game = rules()
    for left in (5, 4, 3, 2):
        assert len(game.legal_tiles()) == left
        assert not game.may_set_aside()
        with pytest.raises(ValueError):
            game.set_aside_last_tile()
        idle_turn(game)
    assert game.may_set_aside()


@both
def test_nothing_is_set_aside_without_a_tile_a_free_space_and_a_pile(rules):
    """None of them lacks in a game: an interlude, the refill or the end comes first."""
    assert not rules(display=[30], interlude=[40, 41, 42, 43]).may_set_aside()
    assert rules(display=[30], interlude=[40, 41, 42]).may_set_aside()
    assert rules(display=[30], left=1).may_set_aside()
    assert not rules(display=[30], left=0).may_set_aside()
    assert not rules(display=[]).may_set_aside()


# ---- 2. Placer des pions Accord, 3. Recevoir des pions Cacophonie ------------------------------


@pytest.mark.parametrize(("number", "arrows"), [(1, 1), (3, 2), (4, 3), (9, 4)])
@both
def test_new_tile_takes_a_disc_for_every_arrow(rules, number, arrows):
    game = rules(hand=number)
    game.place((0, 0), 0)
    assert game.table(0)[0, 0].discs == arrows
    assert game.supply == [24 - arrows, 24]


@either_way
@both
def test_freed_discs_pay_for_the_new_tile(rules, alignments):
    box = Box()
    table = [box.open("water", (0, 0), value=3, n="fire")]
    game = rules(tables={0: table}, hand=3, supply=[0, 24], alignments=alignments)
    place_and_cover(game, (0, 1))
    assert game.table(0)[0, 0].flipped
    assert game.table(0)[0, 1].discs == 2
    assert (game.supply[0], game.cacophony[0], game.points) == (0, 0, [3, 0])


@pytest.mark.parametrize("supply", range(6))
@either_way
@both
def test_cacophony_costs_2_points_each(rules, alignments, supply):
    game = rules(hand=FOUR_ARROWS, supply=[supply, 24], alignments=alignments, points=[10, 0])
    game.place((0, 0), 0)
    lacking = max(0, 4 - supply)
    assert game.cacophony == [lacking, 0]
    assert game.supply == [max(0, supply - 4), 24]
    assert game.points == [10 - 2 * lacking, 0]
    assert game.table(0)[0, 0].discs == 4


@both
def test_cacophony_discs_are_used_again_at_no_cost(rules):
    """Tile 2 takes a cacophony disc; tile 1 completes it and gets that disc."""
    game = rules(num_players=1, hand=2, pile=[1, *range(3, 73)], supply=[0])
    game.place((0, 0), 0)
    assert (game.cacophony, game.supply, game.points) == ([1], [0], [-2])
    game.place((0, 1), 0)
    assert game.table(0)[0, 0].flipped
    assert game.table(0)[0, 1].discs == 1
    assert (game.cacophony, game.supply, game.points) == ([1], [0], [-1])


@either_way
@both
def test_cacophony_is_due_even_if_the_tile_completes_at_once(rules, alignments):
    """Tile 3 asks for air to the north and fire to the north-west."""
    box = Box()
    table = [box.done("air", (0, 1)), box.done("fire", (-1, 1))]
    game = rules(tables={0: table}, hand=3, supply=[1, 24], alignments=alignments)
    place_and_cover(game, (0, 0))
    assert game.table(0)[0, 0].flipped
    assert (game.cacophony[0], game.supply[0], game.points) == (1, 2, [3 - 2, 0])


@both
def test_cacophony_is_unlimited(rules):
    """Twelve tiles of four arrows in a row, none of which can be completed there."""
    tens = [number for number in NUMBERS if TILES[number].value == 10]
    game = rules(num_players=1, hand=tens[0], pile=tens[1:] + [1], supply=[0])
    for x in range(12):
        game.place((x, 0), 0)
    assert game.cacophony == [48]
    assert game.points == [-96]
    assert game.negative_tokens == [96]


@pytest.mark.parametrize(
    ("points", "hand", "after"), [(3, FOUR_ARROWS, -5), (-5, 3, -9), (0, 1, -2), (9, 9, 1)]
)
@both
def test_track_stops_at_0_and_negative_tokens_record_the_rest(rules, points, hand, after):
    game = rules(points=[points, 20], hand=hand, supply=[0, 24])
    game.place((0, 0), 0)
    assert game.points == [after, 20]
    assert game.negative_tokens == [max(0, -after), 0]
    assert game.stacks == {max(0, after): [0], 20: [1]}


@pytest.mark.parametrize("points", [-12, -10, -5, 0])
@both
def test_points_scored_give_negative_tokens_back_first(rules, points):
    """Ruling: nobody has points and negative tokens."""
    table = [TileAt(FOUR_ARROWS, 0, 0, 0, ("e", "s", "w"))]
    game = rules(tables={0: table}, points=[points, 20], hand=2)
    game.place((0, 1), 0)
    assert game.points == [points + 10, 20]
    assert game.negative_tokens == [max(0, -(points + 10)), 0]


# ---- 4. Placer les pions sur les flèches ------------------------------------------------------


def beside(cell, but):
    """A cell beside this one, not among those."""
    return next(there for there in neighbours(cell) if there not in but)


def covered_by_target(rules, alignments, way, source, target, between=()) -> bool:
    """Whether an arrow for fire is covered when a fire tile is placed on the target's cell."""
    box = Box()
    aim, (hand, rotation) = box.open("water", source, **{way: "fire"}), box.tile("fire", 1)
    table = [aim, *between, TileAt(19, *beside(target, {source, target}), flipped=True)]
    game = rules(tables={0: table}, hand=hand, alignments=alignments)
    place_and_cover(game, target, rotation)
    assert game.points[0] == (TILES[aim.tile].value if game.table(0)[source].flipped else 0)
    return game.table(0)[source].flipped


def covered_as_source(rules, alignments, way, source, target, between=()) -> bool:
    """Whether an arrow for fire is covered when its tile is placed, the fire tile being there."""
    box = Box()
    hand, rotation = box.tile("water", None, **{way: "fire"})
    table = [box.done("fire", target), *between]
    table += [TileAt(19, *beside(source, {source, target}), flipped=True)]
    game = rules(tables={0: table}, hand=hand, alignments=alignments)
    place_and_cover(game, source, rotation)
    return way in game.table(0)[source].covered


@pytest.mark.parametrize("way", DIRECTIONS)
@pytest.mark.parametrize("covered", [covered_by_target, covered_as_source])
@either_way
@both
def test_alignment_in_eight_directions_over_any_distance(rules, alignments, covered, way):
    for distance in (1, 2, 3, 8, 16):
        for other in DIRECTIONS:
            if other == way or distance < 3:
                across, up = STEPS[other]
                target = (3 + distance * across, -2 + distance * up)
                assert covered(rules, alignments, way, (3, -2), target) == (other == way)


@pytest.mark.parametrize("way", DIRECTIONS)
@pytest.mark.parametrize("covered", [covered_by_target, covered_as_source])
@either_way
@both
def test_cells_off_the_eight_lines_are_no_targets(rules, alignments, covered, way):
    cells = [(x, y) for x in (-5, -2, -1, 1, 3) for y in (-4, -2, 2, 3) if abs(x) != abs(y)]
    for x, y in cells:
        assert not covered(rules, alignments, way, (0, 0), (x, y))


@pytest.mark.parametrize("element", ["earth", "water", "air"])
@either_way
@both
def test_tiles_of_another_element_are_no_targets(rules, alignments, element):
    box = Box()
    table = [box.open("water", (0, 0), n="fire")]
    hand, rotation = box.tile(element, 1)
    game = rules(tables={0: table}, hand=hand, alignments=alignments)
    place_and_cover(game, (0, 1), rotation)
    assert not game.table(0)[0, 0].flipped
    assert "n" not in game.table(0)[0, 0].covered


@pytest.mark.parametrize("covered", [covered_by_target, covered_as_source])
@either_way
@both
def test_alignment_goes_through_tiles_and_gaps(rules, alignments, covered):
    """An open tile, a completed one, three empty cells."""
    between = [TileAt(71, 1, 0), TileAt(72, 2, 0, flipped=True)]
    assert covered(rules, alignments, "e", (0, 0), (6, 0), between)
    assert not covered(rules, alignments, "w", (0, 0), (6, 0), between)


@pytest.mark.parametrize("flipped", [False, True])
@either_way
@both
def test_completed_tiles_are_targets(rules, alignments, flipped):
    hand, rotation = Box().tile("water", None, e="fire")
    game = rules(tables={0: [TileAt(1, 1, 0, flipped=flipped)]}, hand=hand, alignments=alignments)
    place_and_cover(game, (0, 0), rotation)
    assert "e" in game.table(0)[0, 0].covered


@either_way
@both
def test_new_tile_is_source_and_target(rules, alignments):
    """Tile 57 turned by 180 degrees asks for earth to the south and air to the south-east."""
    box = Box()
    below, rotation = box.tile("earth", 6, n="air")
    game = rules(tables={0: [TileAt(below, 0, 0, rotation)]}, hand=57, alignments=alignments)
    place_and_cover(game, (0, 1), 2)
    assert game.table(0)[0, 0].covered == {"n"}
    assert game.table(0)[0, 0].discs == 2
    assert game.table(0)[0, 1].covered == {"s"}
    assert game.table(0)[0, 1].discs == 1
    assert game.points == [0, 0]


@both
def test_no_tile_is_its_own_target(rules):
    for number in NUMBERS:
        game = rules(hand=number)
        game.place((0, 0), 0)
        assert game.table(0)[0, 0].covered == set()
        assert game.table(0)[0, 0].discs == len(TILES[number].arrows)


@either_way
@both
def test_one_tile_is_the_target_of_many(rules, alignments):
    """A ring of tiles, all of which ask for air in the middle."""
    box = Box()
    elements = ["fire", "earth", "water"] * 3
    table = [box.open(elements.pop(), STEPS[way], **{OPPOSITE[way]: "air"}) for way in DIRECTIONS]
    game = rules(tables={0: table}, hand=PLAIN, alignments=alignments, supply=[5, 24])
    place_and_cover(game, (0, 0))
    assert all(game.table(0)[STEPS[way]].flipped for way in DIRECTIONS)
    assert game.points[0] == sum(TILES[piece.tile].value for piece in table)
    assert game.supply[0] == 5 - 1 + sum(len(TILES[piece.tile].arrows) for piece in table)


@either_way
@both
def test_many_tiles_are_targets_of_one(rules, alignments):
    """Tile 64 asks for air, fire, water and earth on its four sides; each is two cells away."""
    box = Box()
    sides = {"n": "air", "e": "fire", "s": "water", "w": "earth"}
    table = [
        box.done(element, (2 * STEPS[way][0], 2 * STEPS[way][1])) for way, element in sides.items()
    ]
    table += [box.done("fire", (0, 1))]
    game = rules(tables={0: table}, hand=64, alignments=alignments)
    place_and_cover(game, (0, 0))
    assert game.table(0)[0, 0].flipped
    assert (game.points, game.supply) == ([10, 0], [24, 24])


@either_way
@both
def test_arrow_is_covered_once_and_for_good(rules, alignments):
    """Another target for a covered arrow moves no disc, and none comes back."""
    box = Box()
    number, rotation = box.tile("earth", 6, n="air")
    table = [TileAt(number, 0, 0, rotation, ("n",)), box.done("air", (0, 1))]
    hand, turns = box.tile("air", 1)
    game = rules(tables={0: table}, hand=hand, alignments=alignments)
    place_and_cover(game, (0, 2), turns)
    assert game.table(0)[0, 0].covered == {"n"}
    assert game.table(0)[0, 0].discs == 2
    assert game.supply[0] == 24 - 3 - 1


# ---- 5. Compléter une tuile -------------------------------------------------------------------


@pytest.mark.parametrize(("value", "arrows"), [(1, 1), (3, 2), (6, 3), (10, 4)])
@either_way
@both
def test_completed_tile_returns_its_discs_is_flipped_and_scores(rules, alignments, value, arrows):
    box = Box()
    element = "air" if value == 1 else "water"
    open_tile = box.open(element, (0, 0), value, n="air")
    hand, rotation = box.tile("air", 1)
    game = rules(
        tables={0: [open_tile]}, hand=hand, alignments=alignments, supply=[10, 24], points=[5, 0]
    )
    place_and_cover(game, (0, 1), rotation)
    completed = game.table(0)[0, 0]
    assert (completed.flipped, completed.discs, completed.covered) == (True, 0, set())
    assert game.supply[0] == 10 + arrows - 1
    assert game.points == [5 + value, 0]


def six_points_each(rules, **parts):
    """Everybody has a tile of 6 points with one open arrow, which a tile of air completes."""
    box = Box()
    elements = ("fire", "earth", "water")
    table = {seat: [box.open(elements[seat], (0, 0), 6, n="air")] for seat in range(3)}
    return rules(num_players=3, tables=table, display=[55, 56, 57, 58, 59], **parts)


@pytest.mark.parametrize("first", range(3))
@both
def test_marker_lands_on_top_of_the_others(rules, first):
    """On square 0 the markers lay the other way round."""
    seats = [(first + turn) % 3 for turn in range(3)]
    game = six_points_each(rules, first_player=first, stack=seats[::-1])
    for space in range(3):
        game.take(space)
        game.place((0, 1), 0)
    assert game.points == [6, 6, 6]
    assert game.stacks == {6: seats}
    assert [game.ranks()[seat] for seat in seats] == [1, 2, 3]


@both
def test_marker_that_comes_back_to_a_square_is_on_top(rules):
    """Three cacophony discs cost 6 points, and the new tile scores 6 at once."""
    box = Box()
    ways = {"n": (0, 1), "ne": (1, 1), "nw": (-1, 1)}
    hand, rotation = 22, 0
    assert TILES[hand].arrows == {"n": "fire", "ne": "water", "nw": "air"}
    table = [box.done(TILES[hand].arrows[way], cell) for way, cell in ways.items()]
    game = rules(tables={0: table}, hand=hand, points=[6, 6], stack=[0, 1], supply=[0, 24])
    assert game.ranks() == [1, 2]
    game.place((0, 0), rotation)
    assert game.points == [6, 6]
    assert game.cacophony[0] == 3
    assert game.stacks == {6: [1, 0]}
    assert game.ranks() == [2, 1]


@both
def test_marker_that_stays_on_square_0_keeps_its_place(rules):
    """Below zero only tokens come and go, so the order of the markers is that of square 0."""
    game = rules(display=[3, 10, 12], first_player=1, stack=[0, 1], supply=[0, 0])
    game.take(0)
    game.place((0, 0), 0)
    assert game.stacks == {0: [0, 1]}
    game.take(1)
    game.place((0, 0), 0)
    assert game.points == [-4, -4]
    assert game.stacks == {0: [0, 1]}
    assert game.ranks() == [1, 2]


@both
def test_marker_that_comes_to_square_0_is_on_top(rules):
    game = rules(points=[1, 0], stack=[0, 1], hand=1, supply=[0, 24])
    game.place((0, 0), 0)
    assert game.points == [-1, 0]
    assert game.stacks == {0: [1, 0]}


# ---- Interlude, 6. Remplir la rivière ---------------------------------------------------------


@both
def test_display_is_filled_only_when_it_is_empty(rules):
    game = rules()
    for left in (4, 3, 2, 1, 5, 4):
        idle_turn(game)
        assert len(display_spaces(game)) == left
    assert game.tiles_left() == 62


def interlude_about_to_start(rules, num_players: int = 2, **parts):
    """Three interlude spaces are full; the player to move has one tile of the display left.

    Tile 19, the last of the display, asks for earth; on top of the pile lies tile 38 (water, which
    asks for water). Tile 2 is the only one of fire in the interlude.
    """
    given = {
        "display": [0, 0, 0, 19],
        "interlude": [2, 37, 20],
        "pile": [38, *range(3, 19), *range(39, 55)],
    }
    return rules(num_players=num_players, **given | parts)


def interlude_started(rules, num_players: int = 2, **parts):
    game = interlude_about_to_start(rules, num_players, **parts)
    set_aside_and_place(game)
    assert game.phase == "interlude"
    return game


@both
def test_interlude_comes_before_the_display_is_filled(rules):
    game = interlude_started(rules)
    assert game.display == [0] * 5
    assert game.interlude == [2, 37, 20, 19]
    assert game.legal_tiles() == []
    assert game.legal_cells() == []
    assert not game.may_set_aside()
    with pytest.raises(ValueError):
        game.take(0)


@pytest.mark.parametrize("before", range(3))
@both
def test_no_interlude_with_fewer_than_four_tiles(rules, before):
    game = interlude_about_to_start(rules, interlude=[2, 37, 20][:before])
    set_aside_and_place(game)
    assert game.phase == "take"
    assert game.interlude == [*[2, 37, 20][:before], 19, *[0] * (3 - before)]
    assert len(display_spaces(game)) == 5
    assert game.choosers == []


@both
def test_no_interlude_while_the_display_has_tiles(rules):
    """It can't come up in a game: the fourth tile there is the last of the display."""
    game = rules(interlude=[2, 37, 20, 19], display=[1, 3])
    idle_turn(game)
    assert (game.phase, game.to_play) == ("take", 1)
    idle_turn(game)
    assert game.phase == "interlude"


@pytest.mark.parametrize("first", range(4))
@both
def test_interlude_goes_from_last_to_first_on_the_track(rules, first):
    for points in ([3, 1, 9, 5], [9, 5, 3, 1], [0, 2, 1, 44], [5, 3, 0, 2]):
        game = interlude_started(rules, 4, points=points, first_player=first)
        order = []
        while game.phase == "interlude":
            order.append(game.to_play)
            assert game.choosers[0] == game.to_play
            game.interlude_pass()
        assert order == sorted(range(4), key=lambda seat: points[seat])


@both
def test_interlude_starts_with_the_upper_of_equal_markers(rules):
    for stack in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        for points in ([0, 0, 0], [7, 7, 7]):
            game = interlude_started(rules, 3, points=points, stack=stack)
            assert game.choosers == stack[::-1]


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_everybody_may_take_one_interlude_tile(rules, num_players):
    game = interlude_started(rules, num_players)
    left = [0, 1, 2, 3]
    takers, before = [], game.removed
    while game.phase == "interlude":
        assert game.legal_interlude_spaces() == left
        takers.append(game.to_play)
        number = game.interlude[left[-1]]
        game.interlude_take(left[-1])
        assert (game.phase, game.hand) == ("place", number)
        with pytest.raises(ValueError):
            game.interlude_pass()
        game.place(far_cell(game), 0)
        left.pop()
        assert [space for space, number in enumerate(game.interlude) if number] == left
    assert sorted(takers) == list(range(num_players))
    tables = [len(game.table(seat)) for seat in range(num_players)]
    assert tables == [2] + [1] * (num_players - 1)
    assert game.removed == before
    assert (game.phase, game.to_play) == ("take", 1)  # an interlude is no turn


@both
def test_an_empty_interlude_space_can_not_be_chosen(rules):
    game = interlude_started(rules)
    game.interlude_take(1)
    game.place(far_cell(game), 0)
    assert game.legal_interlude_spaces() == [0, 2, 3]
    with pytest.raises(ValueError):
        game.interlude_take(1)


def waiting_for_fire() -> dict:
    """Seat 0 waits for a tile of fire, north of (0, 0), to complete a tile of 10 points."""
    return {0: [Box().open("air", (0, 0), 10, n="fire")]}


@both
def test_interlude_tile_is_placed_with_all_that_follows(rules):
    """A tile of 10 points is completed by tile 2, and one of its discs goes to that tile."""
    game = interlude_about_to_start(
        rules,
        points=[0, 3],
        supply=[0, 24],
        tables=waiting_for_fire(),
    )
    game.set_aside_last_tile()
    game.place((0, -1), 0)
    assert (game.points, game.to_play) == ([-2, 3], 0)
    game.interlude_take(0)
    game.place((0, 1), 0)
    assert game.points == [8, 3]
    assert (game.supply[0], game.cacophony[0]) == (3, 1)
    assert (game.phase, game.to_play) == ("interlude", 1)


@both
def test_interlude_order_is_that_of_its_start(rules):
    """Who scores in the interlude has had his choice: the others' order stays."""
    game = interlude_about_to_start(rules, 3, points=[1, 5, 3], tables=waiting_for_fire())
    game.set_aside_last_tile()
    game.place((0, -1), 0)
    assert game.choosers == [0, 2, 1]
    game.interlude_take(0)
    game.place((0, 1), 0)
    assert game.points == [11, 5, 3]
    assert game.choosers == [2, 1]


@both
def test_nobody_stands_behind_square_0_in_an_interlude(rules):
    """Negative tokens don't count for its order: on square 0 the upper marker chooses first."""
    game = interlude_started(rules, points=[-2, -7], stack=[1, 0])
    assert game.choosers == [0, 1]
    game = interlude_started(rules, points=[-7, -2], stack=[0, 1])
    assert game.choosers == [1, 0]
    game = interlude_started(rules, points=[-7, 1], stack=[0, 1])
    assert game.choosers == [0, 1]


@both
def test_who_takes_none_leaves_the_tiles_where_they_are(rules):
    game = interlude_started(rules, 3)
    game.interlude_pass()
    assert game.interlude == [2, 37, 20, 19]
    game.interlude_take(2)
    game.place(far_cell(game), 0)
    before = game.removed
    game.interlude_pass()
    assert game.interlude == [2, 37, 0, 19]
    assert game.removed == before
    assert len(display_spaces(game)) == 5


@both
def test_four_tiles_that_nobody_takes_leave_the_game(rules):
    game = interlude_started(rules, 3)
    before = game.removed
    for _ in range(3):
        game.interlude_pass()
    assert game.interlude == [0] * 4
    assert sorted({*game.removed} - {*before}) == [2, 19, 20, 37]
    assert (game.phase, game.choosers) == ("take", [])
    assert len(display_spaces(game)) == 5


@both
def test_an_interlude_begins_with_nobody_having_taken_a_tile(rules):
    """The four tiles of a second interlude leave, whatever was taken in the first."""
    game = interlude_started(rules)
    game.interlude_take(0)
    game.place(far_cell(game), 0)
    game.interlude_pass()
    before = game.removed
    for _ in range(4):
        idle_turn(game)
    set_aside_and_place(game)
    assert game.phase == "interlude"
    game.interlude_pass()
    game.interlude_pass()
    assert game.interlude == [0] * 4
    assert len(game.removed) == len(before) + 4


@pytest.mark.parametrize("first", range(3))
@both
def test_turns_go_on_after_the_player_who_brought_the_interlude(rules, first):
    game = interlude_started(rules, 3, first_player=first)
    for _ in range(3):
        game.interlude_pass()
    assert (game.phase, game.to_play) == ("take", (first + 1) % 3)
    assert len(display_spaces(game)) == 5


@both
def test_tiles_left_after_an_interlude_bring_the_next_one_sooner(rules):
    game = interlude_started(rules)
    for space in (0, 3):
        game.interlude_take(space)
        game.place(far_cell(game), 0)
    assert game.interlude == [0, 37, 20, 0]
    for phase in ("take", "interlude"):
        while len(display_spaces(game)) > 1:
            idle_turn(game)
        set_aside_and_place(game)
        assert game.phase == phase


# ---- Fin de la partie -------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_goal_is_reached_or_passed(rules, num_players):
    """The open tile is worth 1 point."""
    table = {0: [TileAt(PLAIN, 0, 0)]}
    goal = {2: 75, 3: 60, 4: 45}[num_players]
    assert goal == GOALS[num_players]
    for points, ends in ((goal - 1, False), (goal, True), (goal + 1, True), (99, True)):
        scores = [points - 1] + [0] * (num_players - 1)
        game = rules(num_players=num_players, tables=table, points=scores, hand=56)
        game.place((0, 1), 0)
        assert game.points[0] == points
        assert game.last_round == ends
        assert not game.is_over()


@pytest.mark.parametrize("num_players", SEVERAL)
@both
def test_round_is_finished_so_that_all_have_as_many_turns(rules, num_players):
    for first in range(num_players):
        for who in range(num_players):
            reaches = (first + who) % num_players
            scores = [0] * num_players
            scores[reaches] = 99
            game = rules(
                num_players=num_players,
                first_player=first,
                points=scores,
                tables={reaches: [TileAt(PLAIN, 0, 0)]},
                display=[56, 3, 4, 5, 6],
            )
            order = []
            while not game.is_over():
                order.append(game.to_play)
                assert len(order) <= num_players
                if game.to_play == reaches:
                    game.take(0)
                    game.place((0, 1), 0)
                    assert game.points[reaches] == 100
                else:
                    game.take(game.legal_tiles()[-1])
                    game.place((0, 0), 0)
                assert game.last_round == (len(order) > who)
            assert order == [(first + turn) % num_players for turn in range(num_players)]
            assert game.legal_tiles() == []
            with pytest.raises(ValueError):
                game.take(1)


@either_way
@both
def test_goal_reached_within_a_turn_counts_even_if_cacophony_takes_points_again(rules, alignments):
    """Ruling: "lorsqu'un joueur atteint ou franchit": the marker did stand there."""
    table = {0: [TileAt(PLAIN, 0, 0)]}
    game = rules(
        tables=table, points=[74, 0], supply=[0, 24], hand=64, display=[1], alignments=alignments
    )
    place_and_cover(game, (0, 1))
    assert game.points == [75 - 2 * 3, 0]
    assert game.last_round


@both
def test_goal_reached_in_an_interlude(rules):
    game = interlude_about_to_start(rules, points=[70, 71], tables=waiting_for_fire())
    game.set_aside_last_tile()
    game.place((0, -1), 0)
    game.interlude_take(0)
    game.place((0, 1), 0)
    assert game.points == [80, 71]
    assert (game.last_round, game.phase, game.to_play) == (True, "interlude", 1)
    game.interlude_pass()
    assert (game.phase, game.to_play) == ("take", 1)
    idle_turn(game)
    assert game.is_over()


@pytest.mark.parametrize(
    ("left", "ends"), [(11, False), (10, False), (9, True), (7, True), (5, True), (4, True)]
)
@both
def test_fewer_than_five_tiles_left_after_filling_the_display_end_the_game(rules, left, ends):
    game = rules(display=[30], left=left)
    idle_turn(game)
    assert game.last_round == ends
    assert len(display_spaces(game)) == min(5, left)
    assert game.tiles_left() == max(0, left - 5)
    assert not game.is_over()
    idle_turn(game)
    assert game.is_over() == ends


@both
def test_a_small_pile_does_not_end_the_game_before_the_display_is_filled(rules):
    game = rules(display=[30], left=5)
    game.set_aside_last_tile()
    assert (game.tiles_left(), game.last_round) == (4, False)
    game.place((0, 0), 0)
    # Ruling: the display gets what there is.
    assert (len(display_spaces(game)), game.tiles_left(), game.last_round) == (4, 0, True)
    assert game.display[4] == 0


@both
def test_piles_that_run_out_after_the_last_player_end_the_game_at_once(rules):
    """Ruling: "jouez jusqu'au joueur assis à droite du premier joueur" is done already."""
    game = rules(display=[30], left=9, turn=1)
    idle_turn(game)
    assert game.is_over()
    game = rules(display=[30], left=10, turn=1)
    idle_turn(game)
    assert not game.is_over()


@both
def test_display_is_not_filled_for_nobody(rules):
    """The round is finished and the end set off: nobody needs more tiles."""
    game = rules(display=[30], left=20, turn=1, last_round=True)
    idle_turn(game)
    assert game.is_over()
    assert (display_spaces(game), game.tiles_left()) == ([], 20)


@pytest.mark.parametrize(("num_players", "turns"), [(2, 33), (3, 22), (4, 17)])
@both
def test_length_of_a_game_without_points(rules, num_players, turns):
    """72 tiles without one being set aside."""
    game = rules(num_players=num_players, display=NUMBERS[:5])
    while not game.is_over():
        idle_turn(game)
    assert max(game.points) < GOALS[num_players]
    tables = [len(game.table(seat)) for seat in range(num_players)]
    assert tables == [turns] * num_players


@both
def test_an_interlude_of_the_last_turn_is_played(rules):
    """Ruling: the interlude follows a turn, and only then is the round finished."""
    game = interlude_about_to_start(rules, first_player=1, turn=0, points=[80, 0], last_round=True)
    set_aside_and_place(game)
    assert game.phase == "interlude"
    game.interlude_pass()
    assert not game.is_over()
    game.interlude_pass()
    assert game.is_over()


@both
def test_most_points_win_and_unfinished_tiles_cost_nothing(rules):
    game = rules(num_players=3, points=[12, 40, -3], tables={1: [TileAt(FOUR_ARROWS, 0, 0)]})
    assert game.scores() == [12, 40, -3]
    assert game.ranks() == [2, 1, 3]


@pytest.mark.parametrize("points", [20, 0, -4])
@both
def test_tie_goes_to_the_marker_at_the_bottom(rules, points):
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        game = rules(num_players=3, points=[points] * 3, stack=order)
        assert [game.ranks()[seat] for seat in order] == [1, 2, 3]


@both
def test_negative_tokens_decide_before_the_stack_on_square_0(rules):
    game = rules(num_players=3, points=[-6, -2, 0], stack=[0, 1, 2])
    assert game.stacks == {0: [0, 1, 2]}
    assert game.ranks() == [3, 2, 1]


# ---- Variantes solo ---------------------------------------------------------------------------


@pytest.mark.parametrize("solo", ["classic", "advanced"])
@both
def test_solo_has_no_display_and_no_interlude(rules, solo):
    for seed in range(6):
        game = rules.dealt(seed, 1, solo)
        low = [number for number in game.order if TILES[number].value <= 3][:5]
        kept = low if solo == "advanced" else []
        for number in [number for number in game.order if number not in kept][:12]:
            assert (game.phase, game.hand) == ("place", number)
            assert (game.display, game.interlude) == ([0] * 5, [0] * 4)
            assert game.legal_tiles() == game.legal_interlude_spaces() == []
            assert not game.may_set_aside()
            game.place(far_cell(game), 0)


@both
def test_classic_solo_ends_at_75_points(rules):
    game = rules(num_players=1, tables={0: [TileAt(PLAIN, 0, 0)]}, points=[73], hand=56)
    game.place((0, 1), 0)
    assert (game.points, game.is_over(), game.ranks()) == ([74], False, [2])
    for points in (74, 80):
        game = rules(num_players=1, tables={0: [TileAt(PLAIN, 0, 0)]}, points=[points], hand=56)
        game.place((0, 1), 0)
        assert (game.points, game.is_over(), game.ranks()) == ([points + 1], True, [1])
        assert game.legal_cells() == []


@both
def test_classic_solo_ends_even_if_cacophony_takes_points_again(rules):
    """Ruling: "dès que vous atteignez 75 points" ends the game with that turn."""
    game = rules(num_players=1, tables={0: [TileAt(PLAIN, 0, 0)]}, points=[74], hand=64, supply=[0])
    game.place((0, 1), 0)
    assert (game.points, game.is_over(), game.ranks()) == ([69], True, [1])


@pytest.mark.parametrize(("tiles", "perfect"), [(24, True), (25, True), (26, False)])
@both
def test_perfect_harmony_with_25_tiles_or_fewer(rules, tiles, perfect):
    """75 points with 25 tiles are a score of 50; ruling: fewer tiles are always better."""
    box = Box()
    table = [box.open("air", (0, 0), value=1, n="air")]
    hand, rotation = box.tile("air", 1)
    table += [box.done(("fire", "earth")[x % 2], (x // 2, -1 - x % 2)) for x in range(tiles - 2)]
    game = rules(num_players=1, tables={0: table}, points=[74], hand=hand)
    game.place((0, 1), rotation)
    assert game.is_over()
    assert len(game.table(0)) == tiles
    assert (game.scores()[0] >= 75 - 25) == perfect
    assert game.scores() == [75 - tiles]


@both
def test_points_beyond_the_goal_are_no_better_than_fewer_tiles(rules):
    """Classic: 84 points with two tiles count like 75 with two."""
    table = [TileAt(FOUR_ARROWS, 0, 0, 0, ("e", "s", "w"))]
    game = rules(num_players=1, tables={0: table}, hand=1, points=[74])
    game.place((0, 1), 0)
    assert game.is_over()
    assert (game.points, game.scores(), game.ranks()) == ([84], [73], [1])


@both
def test_classic_solo_cacophony_costs_at_once(rules):
    game = rules(num_players=1, hand=FOUR_ARROWS, supply=[1])
    game.place((0, 0), 0)
    assert (game.cacophony, game.points) == ([3], [-6])
    assert game.scores() == [-6 - 1]


@both
def test_classic_solo_goes_on_to_the_last_tile(rules):
    game = rules(num_players=1, hand=1)
    for turn in range(72):
        assert game.hand == turn + 1
        game.place(far_cell(game), 0)
    assert game.points[0] < 75
    assert game.is_over()
    assert game.ranks() == [2]


@both
def test_advanced_solo_keeps_five_low_tiles_for_the_end(rules):
    for seed in range(3):
        game = rules.dealt(seed, 1, "advanced")
        low = [number for number in game.order if TILES[number].value <= 3][:5]
        played = []
        while not game.is_over():
            played.append(game.hand)
            met = low[: len(game.low_tiles)] if len(played) < 60 else game.low_tiles
            assert game.low_tiles == met
            game.place(far_cell(game), 0)
        assert played == [number for number in game.order if number not in low] + low
        assert game.low_tiles == []


@both
def test_advanced_solo_low_tiles_are_put_aside_as_soon_as_they_lie_on_top(rules):
    """Ruling 9. Tiles of 1 or 3 points that come later than the fifth are played in turn."""
    pile = [5, 1, 3, 6, 2, 10, 12, 15, 18, 7]
    game = rules(num_players=1, solo="advanced", hand=4, pile=pile)
    hands, asides = [], []
    for x in range(9):
        hands.append(game.hand)
        asides.append(game.low_tiles)
        game.place((x, 0), 0)
    assert hands == [4, 5, 6, 15, 18, 7, 1, 3, 2]
    assert asides[:4] == [[], [1, 3], [1, 3, 2, 10, 12], [1, 3, 2, 10, 12]]
    assert asides[6:] == [[3, 2, 10, 12], [2, 10, 12], [10, 12]]


@both
def test_advanced_solo_may_have_fewer_low_tiles_than_five(rules):
    """Only in a position: the box has 28 of them."""
    game = rules(num_players=1, solo="advanced", hand=4, pile=[5, 1])
    for number, low in ((4, []), (5, [1]), (1, [])):
        assert (game.hand, game.low_tiles) == (number, low)
        game.place(far_cell(game), 0)
    assert game.is_over()


@both
def test_advanced_solo_does_not_end_at_75_points(rules):
    table = {0: [TileAt(PLAIN, 0, 0)]}
    game = rules(num_players=1, solo="advanced", tables=table, points=[80], hand=56)
    game.place((0, 1), 0)
    assert (game.points, game.is_over(), game.last_round) == ([81], False, False)


@both
def test_advanced_solo_cacophony_costs_at_the_end_only(rules):
    game = rules(num_players=1, solo="advanced", hand=FOUR_ARROWS, supply=[1])
    game.place((0, 0), 0)
    assert game.points == [0]
    assert game.cacophony == [3]
    assert game.scores() == [0 - 10 - 2 * 3]


@pytest.mark.parametrize(
    ("tiles", "open_tiles", "bonus"),
    [(4, 0, 0), (4, 2, 0), (5, 0, 5), (5, 1, 5), (5, 2, 5), (5, 3, 0), (9, 2, 5), (9, 3, 0)],
)
@both
def test_advanced_solo_bonus_needs_the_fifth_tile_and_two_open_tiles(
    rules, tiles, open_tiles, bonus
):
    """The last tile is completed at once by one that lies south of it."""
    for before in (0, 10):
        game = bonus_about_to_be_paid(rules, "advanced", tiles, open_tiles, before)
        assert len(game.table(0)) == tiles
        assert sum(not lies.flipped for lies in game.table(0).values()) == open_tiles
        assert game.bonus == before + bonus
        assert game.points == [1]


def bonus_about_to_be_paid(rules, solo: str, tiles: int, open_tiles: int, before: int):
    box = Box()
    hand, rotation = box.tile("air", 1, n="air")
    table = [box.done("air", (0, 0), value=1)]
    for x in range(1, tiles - 1):
        piece = box.open("water", (x, 0), n="fire") if x <= open_tiles else box.done("fire", (x, 0))
        table.append(piece)
    game = rules(num_players=1, solo=solo, tables={0: table}, hand=hand, bonus=before)
    game.place((0, 1), rotation + 2)
    return game


@both
def test_classic_solo_has_no_bonus(rules):
    assert bonus_about_to_be_paid(rules, "classic", 9, 1, 0).bonus == 0


@pytest.mark.parametrize("points", [74, 75, 76])
@both
def test_advanced_solo_reaches_its_goal_in_the_final_count(rules, points):
    """Ruling: the advanced game names no goal; 75 points in the final count stand for it."""
    table = {0: [TileAt(PLAIN, 0, 0), TileAt(FOUR_ARROWS, 1, 0), TileAt(16, 0, 1, flipped=True)]}
    for bonus, cacophony in ((0, 0), (20, 3)):
        on_track = points + 11 - bonus + 2 * cacophony
        game = rules(
            num_players=1,
            solo="advanced",
            tables=table,
            hand=20,
            points=[on_track],
            bonus=bonus,
            cacophony=[cacophony],
        )
        assert game.scores() == [points]
        assert game.ranks() == [1 if points >= 75 else 2]


# ---- moving discs is a choice -----------------------------------------------------------------


@both
def test_discs_may_be_left_where_they_are_and_moved_later(rules):
    table = {0: [TileAt(PLAIN, 0, 0)]}
    game = rules(tables=table, hand=56, alignments="choice")
    game.place((0, 1), 0)
    assert (game.phase, game.to_play) == ("align", 0)
    assert game.legal_alignments() == [((0, 0), "n")]
    assert game.may_stop()
    game.stop_aligning()
    assert game.legal_alignments() == [((0, 0), "n")]
    assert game.may_stop()
    game.stop_aligning()
    assert (game.points, game.to_play) == ([0, 0], 1)
    idle_turn(game)
    assert game.legal_alignments() == [((0, 0), "n")]
    game.take(game.legal_tiles()[0])
    game.place((1, 0), 0)
    game.align((0, 0), "n")
    assert game.points == [1, 0]
    assert game.table(0)[0, 0].flipped


def one_disc_waits(x: int = 0) -> list[TileAt]:
    """A tile of one point whose one disc could be moved north."""
    return [TileAt(PLAIN, x, 0), TileAt(56, x, 1, flipped=True)]


@both
def test_discs_may_be_moved_at_any_moment_of_ones_turn(rules):
    """À tout moment: before a tile is taken, and with one in hand."""
    for take_first in (False, True):
        game = rules(tables={0: one_disc_waits()}, alignments="choice", display=[3, 4])
        if take_first:
            game.take(0)
        asked = (game.phase, game.hand, game.legal_tiles(), game.legal_cells())
        assert game.legal_alignments() == [((0, 0), "n")]
        assert not game.may_stop()
        for wrong in (((0, 0), "s"), ((0, 1), "n"), ((1, 0), "n")):
            with pytest.raises(ValueError):
                game.align(*wrong)
        game.align((0, 0), "n")
        assert (game.points, game.to_play, game.supply[0]) == ([1, 0], 0, 24)
        # The turn resumes where it was.
        assert (game.phase, game.hand, game.legal_tiles(), game.legal_cells()) == asked
        assert game.legal_alignments() == []
        if not take_first:
            game.take(0)
        game.place((1, 0), 0)
        assert (game.phase, game.to_play) == ("take", 1)


@both
def test_discs_need_not_be_moved_before_a_tile_is_taken_and_placed(rules):
    game = rules(tables={0: one_disc_waits()}, alignments="choice", display=[39, 4])
    game.take(0)
    game.place((1, 0), 0)
    assert ((0, 0), "n") in game.legal_alignments()
    assert game.points == [0, 0]


@both
def test_discs_may_be_moved_after_the_last_tile_was_set_aside(rules):
    """The top of the pile has been turned over, and waits in hand."""
    game = rules(tables={0: one_disc_waits()}, alignments="choice", display=[3], pile=range(4, 20))
    game.set_aside_last_tile()
    game.align((0, 0), "n")
    assert (game.phase, game.hand, game.points) == ("place", 4, [1, 0])


@both
def test_discs_moved_before_a_tile_is_taken_may_bring_the_end(rules):
    game = rules(
        tables={0: one_disc_waits()}, alignments="choice", points=[74, 0], first_player=1, turn=0
    )
    game.align((0, 0), "n")
    assert (game.last_round, game.is_over(), game.phase) == (True, False, "take")
    idle_turn(game)
    assert game.is_over()


@both
def test_discs_may_be_moved_by_who_chooses_in_an_interlude(rules):
    """Also by who takes none; the order of the interlude stays."""
    game = interlude_started(rules, 3, alignments="choice", tables={2: one_disc_waits()})
    assert game.choosers == [2, 1, 0]
    game.align((0, 0), "n")
    assert (game.phase, game.to_play, game.points) == ("interlude", 2, [0, 0, 1])
    assert game.legal_interlude_spaces() == [0, 1, 2, 3]
    assert game.choosers == [2, 1, 0]
    game.interlude_pass()
    assert (game.choosers, game.legal_alignments()) == ([1, 0], [])


@both
def test_who_chooses_in_an_interlude_may_move_discs_with_the_tile_in_hand(rules):
    game = interlude_started(rules, alignments="choice", tables={1: one_disc_waits()})
    number = game.interlude[0]
    game.interlude_take(0)
    game.align((0, 0), "n")
    assert (game.phase, game.to_play, game.hand) == ("place", 1, number)


@both
def test_discs_are_moved_at_once_unless_it_is_a_choice(rules):
    """Otherwise nobody is asked for a disc, not even where one has been left by hand."""
    game = rules(tables={0: one_disc_waits()}, display=[3, 4])
    assert game.legal_alignments() == []
    with pytest.raises(ValueError):
        game.align((0, 0), "n")


@both
def test_classic_solo_ends_at_once_with_75_points_whatever_is_in_hand(rules):
    """La partie s'arrête dès que vous atteignez 75 points: the tile in hand doesn't count."""
    game = rules(
        num_players=1, tables={0: one_disc_waits()}, alignments="choice", points=[74], hand=39
    )
    game.align((0, 0), "n")
    assert game.is_over()
    assert (game.scores(), game.ranks()) == ([75 - 2], [1])
    assert (game.legal_cells(), game.legal_alignments()) == ([], [])


@both
def test_advanced_solo_goes_on_after_75_points(rules):
    game = rules(
        num_players=1,
        solo="advanced",
        tables={0: one_disc_waits()},
        alignments="choice",
        points=[74],
        hand=39,
    )
    game.align((0, 0), "n")
    assert (game.points, game.phase, game.hand) == ([75], "place", 39)


@both
def test_each_disc_is_moved_by_itself(rules):
    """The new tile lies between two of air, and serves the same arrow as the other one."""
    box = Box()
    number, rotation = box.tile("earth", 10, n="air", e="fire")
    table = [TileAt(number, 0, 0, rotation), box.done("fire", (1, 0)), box.done("air", (0, 2), 6)]
    hand, turns = box.tile("air", 1, e="air")
    game = rules(tables={0: table}, hand=hand, alignments="choice")
    game.place((0, 1), turns)
    assert game.legal_alignments() == [((0, 0), "e"), ((0, 0), "n")]
    for cell, way in (((0, 0), "s"), ((0, 1), "s"), ((1, 0), "w")):
        with pytest.raises(ValueError):
            game.align(cell, way)
    game.align((0, 0), "e")
    lies = game.table(0)[0, 0]
    assert (lies.covered, lies.discs, lies.flipped) == ({"e"}, 3, False)
    assert game.legal_alignments() == [((0, 0), "n")]
    game.align((0, 0), "n")
    assert game.table(0)[0, 0].covered == {"n", "e"}
    assert (game.phase, game.to_play) == ("take", 1)


@both
def test_new_tiles_arrows_wait_for_its_discs(rules):
    """Tile 39 turned by 180 degrees asks for fire to the south and water to the south-east."""
    box = Box()
    table = [box.open("fire", (0, 0), value=6, n="water"), box.done("water", (1, 0))]
    game = rules(tables={0: table}, hand=39, alignments="choice")
    game.place((0, 1), 2)
    assert game.legal_alignments() == [((0, 0), "n")]
    with pytest.raises(ValueError):
        game.align((0, 1), "s")
    game.stop_aligning()
    assert game.supply[0] == 24 - 3 - 2
    assert game.legal_alignments() == [((0, 0), "n"), ((0, 1), "s"), ((0, 1), "se")]
    game.align((0, 1), "s")
    game.align((0, 1), "se")
    assert game.points == [3, 0]
    game.stop_aligning()
    assert (game.points, game.to_play) == ([3, 0], 1)


@both
def test_nothing_is_asked_where_no_disc_can_be_moved(rules):
    game = rules(hand=39, alignments="choice", display=[3, 4])
    game.place((0, 0), 0)
    assert (game.phase, game.to_play, game.supply) == ("take", 1, [22, 24])


@both
def test_only_the_own_discs_may_be_moved(rules):
    """The other player's tile could be covered too, but not in this turn."""
    waiting = [TileAt(FOUR_ARROWS, 0, 0), TileAt(1, 0, 1, flipped=True)]
    game = rules(tables={1: waiting}, hand=39, alignments="choice", display=[3, 4])
    game.place((0, 0), 0)
    assert (game.phase, game.to_play) == ("take", 1)
    game.take(0)
    game.place((1, 0), 0)
    assert ((0, 0), "n") in game.legal_alignments()


@both
def test_who_is_short_of_discs_completes_tiles_before_taking_cacophony(rules):
    """Section 3: cacophony is received only "si vous ne pouvez pas compléter d'autres tuiles".

    Three tiles of two arrows can be completed by the new one, which has four; a fourth tile has
    another open arrow.
    """
    box = Box()
    hand, rotation = box.tile("air", 10)
    fourth, turns = box.tile("water", 6, n="air")
    table = [
        box.open("fire", (0, 0), 3, n="air"),
        box.open("earth", (-1, 0), 3, ne="air"),
        box.open("water", (0, -1), 3, n="air"),
        TileAt(fourth, 0, -2, turns),
    ]
    game = rules(tables={0: table}, hand=hand, supply=[0, 24], alignments="choice")
    game.place((0, 1), rotation)
    completing = {((-1, 0), "ne"), ((0, -1), "n"), ((0, 0), "n")}
    assert completing | {((0, -2), "n")} <= set(game.legal_alignments())
    assert not game.may_stop()
    with pytest.raises(ValueError):
        game.stop_aligning()
    game.align((0, -2), "n")  # completes nothing; allowed, but not enough
    assert not game.may_stop()
    game.align((0, 0), "n")
    assert not game.may_stop()  # two discs are still missing
    game.align((-1, 0), "ne")
    assert game.may_stop()  # the third tile may wait
    game.stop_aligning()
    assert ((0, -1), "n") in game.legal_alignments()
    assert (game.points, game.cacophony[0], game.supply[0]) == ([6, 0], 0, 0)


@both
def test_who_can_complete_nothing_takes_cacophony(rules):
    number, rotation = Box().tile("water", 6, n="air")
    game = rules(
        tables={0: [TileAt(number, 0, 0, rotation)]},
        hand=PLAIN,
        supply=[0, 24],
        alignments="choice",
    )
    game.place((0, 1), 0)
    assert game.legal_alignments() == [((0, 0), "n")]
    assert game.may_stop()
    game.stop_aligning()
    assert (game.points, game.cacophony[0]) == ([-2, 0], 1)


@pytest.mark.parametrize("supply", [0, 1, 2])
@both
def test_who_has_the_discs_may_leave_completed_tiles_waiting(rules, supply):
    game = rules(
        tables={0: [TileAt(PLAIN, 0, 0)]}, hand=56, supply=[supply, 24], alignments="choice"
    )
    game.place((0, 1), 0)
    assert game.may_stop() == (supply >= 1)


@both
def test_cacophony_is_received_once_the_new_tile_has_its_discs(rules):
    """After that a tile that can be completed may wait, whatever is in the supply."""
    game = rules(tables={0: [TileAt(PLAIN, 0, 0)]}, hand=56, supply=[1, 24], alignments="choice")
    game.place((0, 1), 0)
    game.stop_aligning()
    assert (game.supply[0], game.cacophony[0]) == (0, 0)
    assert game.may_stop()


def interlude_duel(rules, alignments: str):
    """Either player needs the one fire tile (1) of the interlude to complete a tile of 10 points.

    They are level, seat 0's marker on top. He is about to place tile 56, the last before the
    interlude, and would complete tile 55 (1 point) by it.
    """
    return rules(
        tables={
            0: [TileAt(9, 0, 0, 0, ("e", "s", "w")), TileAt(55, 1, 0, 2)],
            1: [TileAt(52, 0, 0, 0, ("ne", "e", "w"))],
        },
        hand=56,
        display=[],
        interlude=[1, 19, 37, 20],
        stack=[1, 0],
        alignments=alignments,
    )


@both
def test_moving_discs_at_once_can_be_worse_than_waiting(rules):
    """Level with the other and on top of the stack, seat 0 is first to choose, if it doesn't score.

    With every disc moved at once the point is scored, seat 1 chooses first and takes the fire tile
    that either needs for 10 points. Waiting, seat 0 gets it, and the point a moment later.
    """
    auto = interlude_duel(rules, "auto")
    auto.place((1, -1), 0)
    assert auto.points == [1, 0]
    assert auto.choosers == [1, 0]
    auto.interlude_take(0)
    auto.place((0, 1), 0)
    assert auto.points == [1, 10]

    waiting = interlude_duel(rules, "choice")
    waiting.place((1, -1), 0)
    assert ((1, 0), "s") in waiting.legal_alignments()
    waiting.stop_aligning()
    waiting.stop_aligning()
    assert waiting.choosers == [0, 1]
    waiting.interlude_take(0)
    waiting.place((0, 1), 0)
    waiting.align((0, 0), "n")
    waiting.align((1, 0), "s")
    assert waiting.points == [11, 0]


@both
def test_waiting_can_put_off_the_end_of_the_game(rules):
    """A player who is behind and could only just reach the goal need not bring the end about."""
    for alignments, ends in (("auto", True), ("choice", False)):
        game = rules(
            num_players=4,
            alignments=alignments,
            tables={0: [TileAt(PLAIN, 0, 0)]},
            points=[44, 0, 0, 0],
            hand=56,
        )
        game.place((0, 1), 0)
        if alignments == "choice":
            game.stop_aligning()
            game.stop_aligning()
        assert game.last_round == ends
