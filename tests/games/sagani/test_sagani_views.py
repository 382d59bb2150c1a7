"""What a seat sees of Sagani, written again in plain Python, and what is redrawn."""

from __future__ import annotations

import itertools
import random
import re
from collections import Counter
from math import factorial

import numpy as np
import pytest
from knowledge import Knowledge, differing
from sagani_adapter import free_positions
from sagani_changes import CHANGES, FACTS, NOT_ALONE, known
from sagani_pair import Pair, putting_off

from ludotheque.envs import get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.sagani.components import (
    ARROWS_OF_VALUE,
    CANVASES,
    PILE_SIZE,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
)
from ludotheque.envs.sagani.state import (
    ARROW_PHASE,
    CHOOSE_PHASE,
    IN_PILE,
    PLACE_PHASE,
    PUT_ASIDE,
    ROTATE_PHASE,
    TAKE_PHASE,
    aside_of,
    back_of,
    directions_of,
    pile_sizes,
    pile_tops,
    position_of,
    table_of,
    track_of,
)

GAME = get_game("sagani")
MODES = {
    "solo classic": (1, {}),
    "solo advanced": (1, {"solo": "advanced"}),
    "2 players": (2, {}),
    "3 players by choice": (3, {"alignments": "choice"}),
    "4 players, small canvas": (4, {"canvas": 10}),
}
STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
VALUES = list(ARROWS_OF_VALUE)

every_mode = pytest.mark.parametrize("mode", MODES)


def positions(mode: str, seed: int):
    """Yield some positions of a random game, its end included."""
    num_players, options = MODES[mode]
    states = GAME.new_state(seed, num_players, **options)
    rng = random.Random(seed)
    while not states["terminated"][0]:
        if rng.random() < 0.12:
            yield states.copy()
        legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
        GAME.step(states, rng.choice(legal))
    yield states


class Sight:
    """A seat's view of one record, put together from the readers of ``state.py``."""

    def __init__(self, states: np.ndarray, seat: int):
        self.state = state = states[0]
        self.seat = seat
        self.seats = [(seat + k) % int(state["num_players"]) for k in range(state["num_players"])]
        self.table = table_of(state, seat)
        self.origin = self.cell_of_origin()
        xs, ys = [x for x, _ in self.table], [y for _, y in self.table]
        self.box = (min(xs) - 1, max(xs) + 1, min(ys) - 1, max(ys) + 1) if xs else (0, 0, 0, 0)

    def cell_of_origin(self) -> tuple[int, int]:
        return divmod(int(self.state["origin"][self.seat]), WINDOW)

    def cell(self, position: tuple[int, int]) -> tuple[int, int]:
        return self.origin[0] - position[1], self.origin[1] + position[0]

    def ray(self, position: tuple[int, int], direction: int):
        """The positions in a direction, to one beyond all tiles."""
        west, east, south, north = self.box
        (x, y), (right, up) = position, STEPS[direction]
        x, y = x + right, y + up
        while west <= x <= east and south <= y <= north:
            yield x, y
            x, y = x + right, y + up

    def open_arrows(self, seat: int):
        """Position, direction and element of each open arrow of a seat, and its tile."""
        for position, placed in table_of(self.state, seat).items():
            printed = int(TILE_ARROWS[placed.tile, placed.rotation])
            if not placed.flipped:
                for direction in directions_of(printed):
                    if direction not in placed.covered:
                        element = (printed >> 4 * direction & 15).bit_length() - 1
                        yield position, direction, element, placed

    def demand(self) -> np.ndarray:
        seen = np.zeros((4, WINDOW, WINDOW), int)
        for position, direction, element, _ in self.open_arrows(self.seat):
            for there in self.ray(position, direction):
                seen[element][self.cell(there)] += 1
        return seen

    def harvest(self) -> np.ndarray:
        seen = np.zeros((4, WINDOW, WINDOW), int)
        for position, direction, element, placed in self.open_arrows(self.seat):
            if placed.discs == 1:
                for there in self.ray(position, direction):
                    seen[element][self.cell(there)] += int(TILE_VALUE[placed.tile])
        return np.minimum(seen, 127)

    def fit(self) -> np.ndarray:
        seen = np.zeros((4, WINDOW, WINDOW), int)
        hand = int(self.state["hand"])
        if self.seat != self.state["to_play"] or not hand:
            return seen
        if self.state["phase"] == PLACE_PHASE:
            wanted = free_positions(self.state, self.seat)
        elif self.state["phase"] == ROTATE_PHASE and self.table:
            wanted = {position_of(self.state, self.seat, int(self.state["hand_cell"]))}
        else:
            return seen
        for x, y in wanted:
            for rotation in range(4):
                printed = int(TILE_ARROWS[hand, rotation])
                for direction in directions_of(printed):
                    element = (printed >> 4 * direction & 15).bit_length() - 1
                    right, up = STEPS[direction]
                    line = [(x + k * right, y + k * up) for k in range(1, WINDOW)]
                    seen[rotation][self.cell((x, y))] += any(
                        there in self.table and TILE_ELEMENT[self.table[there].tile] == element
                        for there in line
                    )
        return seen

    def bring(self) -> np.ndarray:
        seen = np.zeros((2, WINDOW, WINDOW), int)
        hand, state = int(self.state["hand"]), self.state
        if self.seat == state["to_play"] and hand and state["phase"] == PLACE_PHASE:
            element = int(TILE_ELEMENT[hand])
            for position in free_positions(state, self.seat):
                at = self.cell(position)
                seen[0][at] = self.demand()[element][at]
                seen[1][at] = self.harvest()[element][at]
        return seen

    def turns(self) -> np.ndarray:
        state = self.state
        seen = np.zeros((4, 2), int)
        if self.seat == state["to_play"] and state["phase"] == ROTATE_PHASE:
            at = divmod(int(state["hand_cell"]), WINDOW)
            arrows = 1 + VALUES.index(int(TILE_VALUE[state["hand"]]))
            for rotation in range(4):
                served = self.fit()[rotation][at]
                seen[rotation] = served, arrows - served
        return seen

    def offers(self, tiles: list[int]) -> np.ndarray:
        """Tiles that may be taken: their faces, and the best they bring on a free cell."""
        state, seen = self.state, np.zeros((len(tiles), 18), int)
        asked = self.seat == state["to_play"] and state["phase"] in (TAKE_PHASE, CHOOSE_PHASE)
        free = [self.cell(p) for p in free_positions(state, self.seat)] if self.table else []
        for row, tile in zip(seen, tiles, strict=True):
            row[:16] = face(tile)
            if tile and asked and free:
                element = int(TILE_ELEMENT[tile])
                row[16] = max(self.demand()[element][at] for at in free)
                row[17] = max(self.harvest()[element][at] for at in free)
        return seen

    def chosen(self) -> np.ndarray:
        seen = np.zeros((1, WINDOW, WINDOW), int)
        state = self.state
        if self.seat == state["to_play"] and state["phase"] == ROTATE_PHASE:
            seen[0][divmod(int(state["hand_cell"]), WINDOW)] = 1
        if self.seat == state["to_play"] and state["phase"] == ARROW_PHASE:
            seen[0][divmod(int(state["cell"][state["pointed"]]), WINDOW)] = 1
        return seen

    def tiles(self) -> np.ndarray:
        seen = np.zeros((72, 17), int)
        for ahead, seat in enumerate(self.seats):
            for (x, y), placed in table_of(self.state, seat).items():
                row = seen[placed.tile - 1]
                row[[ahead]] = 1
                row[4:6] = x, y
                if not placed.flipped and placed.tile != self.state["unpaid"]:
                    row[14] = placed.discs
                    row[15] = len(placed.covered)
            lying = {p: int(TILE_ELEMENT[t.tile]) for p, t in table_of(self.state, seat).items()}
            for (x, y), direction, element, placed in self.open_arrows(seat):
                row = seen[placed.tile - 1]
                row[6 + direction] = element + 1
                right, up = STEPS[direction]
                line = [(x + k * right, y + k * up) for k in range(1, WINDOW)]
                if placed.tile != self.state["unpaid"]:
                    row[16] += any(lying.get(there) == element for there in line)
        return seen

    def unseen(self) -> np.ndarray:
        return np.array(
            [self.state["place"][tile] in (IN_PILE, PUT_ASIDE) for tile in range(1, 73)]
        )

    def hand(self) -> np.ndarray:
        return face(int(self.state["hand"]))

    def display(self) -> np.ndarray:
        return self.offers(self.state["display"].tolist())

    def interlude(self) -> np.ndarray:
        return self.offers(self.state["interlude"].tolist())

    def tops(self) -> np.ndarray:
        return np.array([face(tile)[:8] for tile in pile_tops(self.state)])

    def aside(self) -> np.ndarray:
        tiles = [0] * int(self.state["aside_drawn"]) + aside_of(self.state)
        return np.array([face(tile)[:8] for tile in (tiles + [0] * 5)[:5]])

    def seats_rows(self) -> np.ndarray:
        state, seen = self.state, np.zeros((4, 15), int)
        track = [seat for _, stack in track_of(state) for seat in stack[::-1]]  # last to first
        # Stable: negative tokens decide.
        order = sorted(track, key=lambda seat: int(state["score"][seat]))
        asked = int(state["queue_next"])
        waiting = state["queue"][asked - 1 : state["num_players"]].tolist() if asked else []
        for ahead, seat in enumerate(self.seats):
            score = int(state["score"][seat])
            seen[ahead] = (
                1,
                min(max(score, -128), 127),
                score // 8,
                min(int(state["supply"][seat]), 127),
                min(int(state["cacophony"][seat]), 127),
                sum(not placed.flipped for placed in table_of(state, seat).values()),
                len(table_of(state, seat)),
                len(order) - 1 - order.index(seat),
                seat == state["first_player"],
                seat == state["turn"],
                seat == state["to_play"],
                waiting.index(seat) + 1 if seat in waiting else 0,
                len(track) - 1 - track.index(seat),
                score % 8,
                max(int(state["cacophony"][seat]) - 127, 0),
            )
        return seen

    def game(self) -> np.ndarray:
        state = self.state
        phases = {int(state["phase"])}
        if state["phase"] == ARROW_PHASE:
            phases.add(int(state["interrupted"]))
        phase = [int(k in phases) for k in range(6)]
        players = [int(k == state["num_players"]) for k in range(1, 5)]
        canvas = [int(k == state["canvas"]) for k in CANVASES]
        rest = [int(state["bonus"]) // 5, *pile_sizes(state), int(state["terminated"])]
        options = [int(state["solo"]), int(state["choice"])]
        return np.array([*phase, int(state["last_round"]), *players, *options, *canvas, *rest])


def face(tile: int) -> np.ndarray:
    """A tile's 16 numbers, as printed."""
    seen = np.zeros(16, int)
    if tile:
        seen[TILE_ELEMENT[tile]] = 1
        seen[4 + VALUES.index(int(TILE_VALUE[tile]))] = 1
        printed = int(TILE_ARROWS[tile, 0])
        for direction in directions_of(printed):
            seen[8 + direction] = (printed >> 4 * direction & 15).bit_length()
    return seen


@every_mode
def test_flat_observation(mode):
    for states in positions(mode, seed=3):
        for seat in range(int(states["num_players"][0])):
            sight, seen = Sight(states, seat), GAME.observe(states, seat)
            parts = slices(GAME.observation_schema("flat"))
            for name, part in parts.items():
                expected = getattr(sight, {"seats": "seats_rows"}.get(name, name))()
                where = f"{name} of seat {seat} at ply {states['ply'][0]}"
                assert np.array_equal(seen[part], np.ravel(expected)), where


def planes_of(states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    """The planes by field."""
    planes = GAME.observe(states, seat, form="planes")
    fields, start = {}, 0
    for field in GAME.observation_schema("planes"):
        fields[field.name] = planes[start : start + field.shape[0]]
        start += field.shape[0]
    return fields


@every_mode
def test_planes(mode):
    for states in positions(mode, seed=4):
        for seat in range(int(states["num_players"][0])):
            check_planes(Sight(states, seat), planes_of(states, seat))


def check_planes(sight: Sight, planes: dict[str, np.ndarray]) -> None:
    state = sight.state
    for name in ("demand", "harvest", "fit", "bring", "chosen"):
        assert np.array_equal(planes[name], getattr(sight, name)()), name
    free = free_positions(state, sight.seat) if sight.table else set()
    assert set(zip(*np.nonzero(planes["free"][0]), strict=True)) == {sight.cell(p) for p in free}
    expected = {name: np.zeros((size, WINDOW, WINDOW), int) for name, size in SIZES.items()}
    for position, placed in sight.table.items():
        at, element = sight.cell(position), int(TILE_ELEMENT[placed.tile])
        expected["element"][element][at] = 1
        expected["discs"][0][at] = 0 if placed.tile == state["unpaid"] else placed.discs
        for direction in placed.covered:
            expected["covered"][direction][at] = 1
        for direction in range(8):
            for there in sight.ray(position, direction):
                expected["sight"][4 * ((direction + 4) % 8) + element][sight.cell(there)] = 1
    for position, direction, element, _ in sight.open_arrows(sight.seat):
        expected["arrows"][4 * direction + element][sight.cell(position)] = 1
    for name, numbers in expected.items():
        assert np.array_equal(planes[name], numbers), name
    check_others(sight, planes)
    cards = planes["cards"][0]
    assert np.array_equal(cards[:5, :16], sight.display()[:, :16])
    assert np.array_equal(cards[5:9, :16], sight.interlude()[:, :16])
    assert np.array_equal(cards[9:12, :8], sight.tops())
    assert np.array_equal(cards[12:17, :8], sight.aside())
    assert (planes["hand"] == sight.hand()[:, None, None]).all()
    numbers = planes["numbers"][0]
    assert np.array_equal(numbers[:4, :15], sight.seats_rows())
    assert np.array_equal(numbers.ravel()[4 * WINDOW :][: len(sight.game())], sight.game())
    assert np.array_equal(numbers.ravel()[16 * WINDOW :][:72], sight.unseen())


SIZES = {"element": 4, "arrows": 32, "covered": 8, "discs": 1, "sight": 32}


def check_others(sight: Sight, planes: dict[str, np.ndarray]) -> None:
    for ahead, name in enumerate(("next", "second", "third"), start=1):
        element, arrows = planes[f"{name}_element"], planes[f"{name}_arrows"]
        if ahead >= len(sight.seats):
            assert not element.any() and not arrows.any()
            continue
        other = Sight(sight.state[None], sight.seats[ahead])
        for position, placed in other.table.items():
            at = (slice(None), *other.cell(position))
            assert element[at].tolist() == [int(k == TILE_ELEMENT[placed.tile]) for k in range(4)]
        assert element.sum() == len(other.table)
        covered = planes[f"{name}_covered"]
        expected = np.zeros_like(covered)
        for position, placed in other.table.items():
            for direction in placed.covered:
                expected[(direction, *other.cell(position))] = 1
        assert np.array_equal(covered, expected)
        found = list(other.open_arrows(other.seat))
        assert np.count_nonzero(arrows) == len(found)
        for position, direction, asked, _ in found:
            assert arrows[(direction, *other.cell(position))] == asked + 1


# What is redrawn


@every_mode
def test_redraw_keeps_what_is_seen(mode):
    for states in positions(mode, seed=5):
        drawn = GAME.determinize(states, 0, seed=9)[0]
        state = states[0]
        left = state["pile"][state["drawn"] :]
        asides = [
            (back_of(tile), back_of(other))
            for tile, other in zip(aside_of(state), aside_of(drawn), strict=True)
        ]
        tops = [
            (back_of(t), back_of(o))
            for t, o in zip(pile_tops(state), pile_tops(drawn), strict=True)
            if t
        ]
        assert all(one == other for one, other in asides + tops)
        before = Counter([*left.tolist(), *aside_of(state)])
        assert before == Counter([*drawn["pile"][state["drawn"] :].tolist(), *aside_of(drawn)])
        assert all(drawn["place"][tile] == PUT_ASIDE for tile in aside_of(drawn))
        # Tiles put aside have left the piles, and what they were must not be told there.
        gone = set(drawn["pile"][: state["drawn"]].tolist())
        assert sorted(drawn["pile"].tolist()) == list(range(1, 73))
        assert gone >= set(aside_of(drawn))
        assert all(drawn["place"][tile] == IN_PILE for tile in drawn["pile"][state["drawn"] :])
        for name in set(GAME.dtype.names) - {"rng", "seed", "pile", "aside", "place"}:
            assert np.array_equal(drawn[name], state[name]), name


def test_redraws_are_uniform():
    """Near the end of a game, every order with the known back on top comes equally often."""
    states = GAME.new_state(1, 2)
    rng = random.Random(1)
    while states["drawn"][0] < 67:
        GAME.step(states, rng.choice(np.flatnonzero(GAME.legal_mask(states)).tolist()))
    drawn = int(states["drawn"][0])
    # Tiles with the top's back: two of the five, so that there is something to choose.
    pile = states["pile"][0]
    top = back_of(int(pile[drawn]))
    twin = next(t for t in range(1, 73) if back_of(t) == top and t != pile[drawn])
    where = int(np.flatnonzero(pile == twin)[0])
    pile[[where, drawn + 1]] = pile[[drawn + 1, where]]
    left = pile[drawn:].tolist()
    tops = sum(back_of(tile) == top for tile in left)
    orders = tops * factorial(len(left) - 1)
    count = 200 * orders
    seen = Counter(
        tuple(GAME.determinize(states, 0, seed)[0]["pile"][drawn:].tolist())
        for seed in range(count)
    )
    assert len(seen) == orders
    chi_square = sum((n - 200) ** 2 / 200 for n in seen.values())
    assert chi_square < orders + 5 * (2 * orders) ** 0.5


def test_tops_of_all_three_piles_are_redrawn_evenly():
    """Each tile with the right back is on top equally often, whichever pile it was in."""
    states = GAME.new_state(2, 2)
    drawn = int(states["drawn"][0])
    for k, top in enumerate((drawn, PILE_SIZE, 2 * PILE_SIZE)):
        back = back_of(int(states["pile"][0][top]))
        able = [int(t) for t in states["pile"][0][drawn:] if back_of(int(t)) == back]
        seen = Counter(
            int(GAME.determinize(states, 0, seed)[0]["pile"][top])
            for seed in range(400 * len(able))
        )
        assert set(seen) == set(able), f"top {k}"
        assert all(abs(n - 400) < 110 for n in seen.values()), f"top {k}: {seen}"


# Everything that a seat may know


@pytest.mark.parametrize(
    ("mode", "alignments", "never"),
    [
        ("four players", "choice", {"bonus", "put aside"}),
        ("solo advanced", "auto", NOT_ALONE),
    ],
)
def test_everything_that_a_seat_may_know_is_observed(mode, alignments, never):
    """Whatever changes one thing that a seat may know changes what it sees."""
    rng = random.Random(mode)
    seen = {form: Knowledge() for form in ("flat", "planes")}
    pair, met, changed = Pair(GAME, 1, mode, alignments), Counter(), set()
    while not pair.oracle.is_over():
        pair.play(putting_off(pair, rng))
        asked = pair.oracle.phase, len(pair.oracle.choosers), pair.cell is None
        met[asked] += 1
        # Once at the start, once later on, and at the end.
        if met[asked] in (2, 20) or pair.oracle.is_over():
            changed |= look_at_changes(pair, seen, rng)
    assert changed == FACTS - never
    assert min(map(len, seen.values())) > 50


def look_at_changes(pair: Pair, seen: dict[str, Knowledge], rng: random.Random) -> set[str]:
    """Note what is known and seen of a position and of those that differ in one thing."""
    changed = set()
    twins = [pair.copy() for _ in CHANGES]
    for change, twin in zip(CHANGES, twins, strict=True):
        change(twin, rng)
    for form, seat in itertools.product(seen, range(pair.oracle.num_players)):
        before = known(pair, seat, form)
        for twin in (pair, *twins):
            facts = known(twin, seat, form)
            seen[form].note(facts, GAME.observe(twin.states, seat, form=form))
            changed |= {re.sub(r" of \d$", "", name) for name in differing(before, facts)}
    return changed
