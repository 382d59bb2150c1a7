"""Three ways to find the habitats of Harmonies' cards, compared on the boards of the same games.

``sets``, used by the game (``envs/harmonies/habitats.py``), represents a board as thirteen sets of
hexes, and a habitat in one rotation as a few tests on whole sets. ``scan`` is a plain search with
tables: every hex, every rotation, every hex of the habitat. ``plain`` is the same search without
tables, as in a first version: offsets are rotated and added to axial coordinates, and the hex there
is looked up.

All three search the boards of recorded games for all 42 cards, and must find the same hexes.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ludotheque.agents import make_agent
from ludotheque.benchmarks.measure import Settings, Work, compare_ways, counting
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.jit import kernel
from ludotheque.envs.harmonies.components import (
    HABITAT_KIND,
    HABITAT_OFFSETS,
    HABITAT_SIZE,
    KIND_OF_STACK,
    MAX_HEXES,
    MAX_OTHERS,
    NUM_CARDS,
    NUM_HEXES,
    NUM_ROTATIONS,
    SHAPE_OF_CARD,
    SHAPES,
    SIDES,
    axial_of,
    hex_at,
    rotated,
)
from ludotheque.envs.harmonies.habitats import find_habitat

# By side, shape, rotation and hex: the habitat's other hexes, -1 off the board.
OTHERS = np.full((len(SIDES), len(SHAPES), NUM_ROTATIONS, MAX_HEXES, MAX_OTHERS), -1)
# By side and hex: its coordinates; by side and coordinates (shifted by MARGIN): the hex, or -1.
MARGIN = 4
AXIAL = np.zeros((len(SIDES), MAX_HEXES, 2), dtype=np.int64)
HEX_AT = np.full((len(SIDES), 7 + 2 * MARGIN, 9 + 2 * MARGIN), -1)
OFFSETS = np.zeros((NUM_CARDS + 1, MAX_OTHERS, 2), dtype=np.int64)
for _side in range(len(SIDES)):
    for _hex in range(NUM_HEXES[_side]):
        _q, _r = axial_of(_side, _hex)
        AXIAL[_side, _hex] = _q, _r
        HEX_AT[_side, _q + MARGIN, _r + MARGIN] = _hex
        for _shape, _offsets in enumerate(SHAPES):
            for _turns in range(NUM_ROTATIONS):
                for _k, (_dq, _dr) in enumerate(rotated(_offsets, _turns)):
                    OTHERS[_side, _shape, _turns, _hex, _k] = hex_at(_side, _q + _dq, _r + _dr)
for _card, _offsets in enumerate(HABITAT_OFFSETS):
    OFFSETS[_card, : len(_offsets)] = np.array(_offsets).reshape(-1, 2)


@kernel
def sets_all(states, found):
    """Fill the hexes ``(n, 43)`` of every card on the board of seat 0 of every game."""
    for i in range(len(states)):
        for card in range(1, NUM_CARDS + 1):
            found[i, card] = find_habitat(states[i], 0, card)


@kernel
def scan_all(states, found):
    """As ``sets_all``, by hex and rotation, with a table of the other hexes."""
    for i in range(len(states)):
        side = np.int64(states[i]["side"])
        stack = states[i]["stack"][0]
        for card in range(1, NUM_CARDS + 1):
            hexes = np.int64(0)
            for hex_ in range(NUM_HEXES[side]):
                if KIND_OF_STACK[stack[hex_]] == HABITAT_KIND[card, 0]:
                    others = OTHERS[side, SHAPE_OF_CARD[card], :, hex_]
                    hexes |= np.int64(_scan_one(stack, others, card)) << hex_
            found[i, card] = hexes


@kernel
def _scan_one(stack, others, card):
    for turns in range(NUM_ROTATIONS):
        for k in range(1, HABITAT_SIZE[card]):
            other = others[turns, k - 1]
            if other < 0 or KIND_OF_STACK[stack[other]] != HABITAT_KIND[card, k]:
                break
        else:
            return True
    return False


@kernel
def plain_all(states, found):
    """As ``sets_all``, by hex and rotation, with coordinates."""
    for i in range(len(states)):
        side = np.int64(states[i]["side"])
        stack = states[i]["stack"][0]
        for card in range(1, NUM_CARDS + 1):
            hexes = np.int64(0)
            for hex_ in range(NUM_HEXES[side]):
                hexes |= np.int64(_plain_one(stack, side, hex_, card)) << hex_
            found[i, card] = hexes


@kernel
def _plain_one(stack, side, hex_, card):
    if KIND_OF_STACK[stack[hex_]] != HABITAT_KIND[card, 0]:
        return False
    for turns in range(NUM_ROTATIONS):
        for k in range(1, HABITAT_SIZE[card]):
            dq, dr = OFFSETS[card, k - 1]
            for _ in range(turns):
                dq, dr = -dr, dq + dr
            q = AXIAL[side, hex_, 0] + dq + MARGIN
            r = AXIAL[side, hex_, 1] + dr + MARGIN
            other = HEX_AT[side, q, r]
            if other < 0 or KIND_OF_STACK[stack[other]] != HABITAT_KIND[card, k]:
                break
        else:
            return True
    return False


def record(agent_name: str, side: str, num_games: int) -> np.ndarray:
    """Return records of solo games at all plies."""
    env = BatchEnv(get_game("harmonies"), num_games, 1, side=side, autoreset=False)
    env.reset(1)
    agent = make_agent(agent_name, "harmonies")
    records = []
    while not env.states["terminated"].all():
        live = np.flatnonzero(~env.states["terminated"])
        actions = query_agent(agent, env.settings, env.states[live])
        for k, i in enumerate(live):
            env.game.step(env.states, int(actions[k]), int(i))
        records.append(env.states[live].copy())
    return np.concatenate(records)


def searches(states: np.ndarray) -> dict[str, Work]:
    """Return functions that search the boards in each way and return the number of cards.

    Raises:
        AssertionError: they don't find the same hexes.
    """
    ways = {"sets": sets_all, "scan": scan_all, "plain": plain_all}
    found = {name: np.zeros((len(states), NUM_CARDS + 1), np.int64) for name in ways}
    for name, way in ways.items():
        way(states, found[name])
        assert np.array_equal(found[name], found["sets"]), f"{name} finds other hexes"
    assert found["sets"].any(), "there is no habitat on any board"
    return {
        name: counting(partial(way, states, found[name]), len(states) * NUM_CARDS)
        for name, way in ways.items()
    }


def main(
    games: Annotated[int, typer.Option(help="Recorded games of each kind.")] = 20,
    seconds: Annotated[float, typer.Option(help="Length of a round.")] = 0.5,
    repetitions: Annotated[int, typer.Option(help="Rounds.")] = 5,
    quick: Annotated[bool, typer.Option(help="Only check that it runs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the figures to this JSON file.")] = None,
) -> None:
    """Compare the ways to find habitats, in cards per board a second."""
    groups = {
        f"{agent}, side {side}": searches(record(agent, side, 3 if quick else games))
        for agent, side in (("random", "A"), ("greedy", "A"), ("greedy", "B"))
    }
    compare_ways(groups, "cards", Settings.of(seconds, repetitions, quick), out)


if __name__ == "__main__":
    typer.run(main)
