"""Positions from outside this project, on the kernels; the oracle has them all in its own test."""

from __future__ import annotations

import numpy as np
import pytest
from oracles.sagani import DIRECTIONS, load_cases
from sagani_adapter import either_way, legal_decisions

from ludotheque.envs import get_game
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.state import ALIGNING, POINTING, position_of, table_of


@pytest.fixture(scope="module")
def game():
    return get_game("sagani")


# ---- the case file ----------------------------------------------------------------------------


def in_the_box(case: dict) -> bool:
    """Whether no tile is in the position twice."""
    numbers = [record["tile_id"] for record in [*case["board"], case["place"]]]
    return len(set(numbers)) == len(numbers)


PLACEMENTS = [case for case in load_cases() if case["kind"] == "placement" and in_the_box(case)]


@either_way
@pytest.mark.parametrize("case", PLACEMENTS, ids=lambda case: case["id"])
def test_case_placement(game, case, alignments):
    """The positions that the box can make, with the first tile of the list as the origin."""
    states = game.new_state(1, alignments=alignments)
    origin = case["board"][0] if case["board"] else case["place"]
    fields = ("tile_id", "x", "y", "rot", "covered", "flipped")
    pieces = [TileAt(*(record[field] for field in fields)) for record in case["board"]]
    set_position(
        states,
        tables={0: pieces},
        hand=case["place"]["tile_id"],
        display=(0,) * 5,
        scores=[case["score"], 0],
        cacophony=[96, 0],
    )
    states["supply"][0][0] = case["supply"]

    cell = tuple(case["place"][axis] - origin[axis] for axis in "xy")
    if case["board"]:
        game.step(states, legal_decisions(game, states)["cell", cell])
    game.step(states, legal_decisions(game, states)["turn", case["place"]["rot"]])
    while states["phase"][0] in (ALIGNING, POINTING):
        # Moving every disc is what "auto" does; stopping is the lowest number that can be left.
        actions = np.flatnonzero(game.legal_mask(states)).tolist()
        game.step(states, max(actions))

    state = states[0]
    corner = position_of(state, 0, int(state["origin"][0]))
    assert corner == (0, 0)
    table = table_of(state, 0)
    before = {record["tile_id"] for record in case["board"] if record["flipped"]}
    new = table[cell]
    found = {
        "score": int(state["score"][0]),
        "supply": int(state["supply"][0]),
        "cacophony_taken": int(state["cacophony"][0]) - 96,
        "completed": sorted({piece.tile for piece in table.values() if piece.flipped} - before),
        "new_tile_covered": sorted(DIRECTIONS[way] for way in new.covered),
        "new_tile_flipped": new.flipped,
    }
    expected = case["expect"] | case.get("also", {})
    expected = {field: value for field, value in expected.items() if field in found}
    assert {field: found[field] for field in expected} == expected
