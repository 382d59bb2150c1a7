"""What a seat sees of Sagani, compared with plain Python, and what is redrawn."""

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
from sagani_outline import Outline
from sagani_pair import Pair, putting_off
from sagani_sight import GAME, MODES, Sight, positions

from ludotheque.envs.core.schema import slices
from ludotheque.envs.sagani.components import PILE_SIZE, TILE_ELEMENT, WINDOW
from ludotheque.envs.sagani.placement import free_anew
from ludotheque.envs.sagani.state import (
    IN_PILE,
    PUT_ASIDE,
    aside_of,
    back_of,
    pile_tops,
    tiles_of,
)

every_mode = pytest.mark.parametrize("mode", MODES)


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
def test_compact_observation(mode):
    for states in positions(mode, seed=6):
        for seat in range(int(states["num_players"][0])):
            outline, seen = Outline(states, seat), GAME.observe(states, seat, form="compact")
            for name, part in slices(GAME.observation_schema("compact")).items():
                expected = getattr(outline, {"seats": "seats_rows"}.get(name, name))()
                where = f"{name} of seat {seat} at ply {states['ply'][0]}"
                assert np.array_equal(seen[part], np.ravel(expected)), where


def test_compact_observation_is_the_same_wherever_a_table_lies():
    """The tables are moved in their windows, each as far as it goes."""
    moved = 0
    for states in positions("3 players by choice", seed=8):
        state = states[0]
        before = [GAME.observe(states, seat, form="compact") for seat in range(3)]
        for seat in range(3):
            if tiles_of(state, seat):
                moved += shift_to_corner(state, seat)
        after = [GAME.observe(states, seat, form="compact") for seat in range(3)]
        assert np.array_equal(before, after), f"ply {state['ply']}"
    assert moved > 20


def shift_to_corner(state: np.void, seat: int) -> bool:
    """Move a seat's tiles to the north-west of its window; say whether they were elsewhere."""
    down, right = 1 - int(state["north"][seat]), 1 - int(state["west"][seat])
    by = down * WINDOW + right
    for tile in tiles_of(state, seat):
        state["cell"][tile] += by
    state["origin"][seat] += by
    for name, step in (("north", down), ("south", down), ("west", right), ("east", right)):
        state[name][seat] += step
    if seat == state["to_play"]:
        state["hand_cell"] += by
    free_anew(state, seat)
    return by != 0


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
        # Tiles put aside have left the piles, which must not reveal what they were.
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
    """Whatever changes one thing that a seat may know changes its observation."""
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
