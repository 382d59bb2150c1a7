"""Random games of Sagani in every mode: invariants that no action may break.

Ten thousand games a mode here; a hundred thousand with

    python tests/games/sagani/test_sagani_invariants.py --games 100000
"""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.jit import JIT_DISABLED, kernel
from ludotheque.envs.core.rng import GAMMA, decision_seed, mix64, next_seed
from ludotheque.envs.sagani.actions import NUM_ACTIONS
from ludotheque.envs.sagani.components import (
    BIT,
    DISCS,
    NUM_ARROWS,
    NUM_TILES,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
    WORD,
)
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.rules import legal_actions, random_action, setup, step
from ludotheque.envs.sagani.state import (
    IN_DISPLAY,
    IN_HAND,
    IN_INTERLUDE,
    IN_PILE,
    MAX_PLIES,
    ON_TABLE,
    PUT_ASIDE,
)

GAME = get_game("sagani")
GAMES = 20 if JIT_DISABLED else 10_000
# Interval in plies between checks of the whole record, which is also checked at the end of a game.
EVERY = 37
MODES = {
    "solo classic": (1, {"solo": "classic"}),
    "solo advanced": (1, {"solo": "advanced"}),
    "2 players": (2, {}),
    "3 players": (3, {}),
    "4 players": (4, {}),
    "2 players by choice": (2, {"alignments": "choice"}),
    "2 players, small canvas": (2, {"canvas": 10}),
}
FINE = -1
RULES = (
    "the 72 tiles are each in one place",
    "discs in the supply and on the table are 24 and the cacophony discs",
    "the score is the value of the completed tiles less 2 for each cacophony disc",
    "as many tiles are uncompleted as have open arrows",
    "tiles touch the others, and fit in the canvas",
    "the free cells are the empty ones beside a tile, as far as the canvas goes",
    "the arrows that have a target are covered, the others are not",
    "the mask has as many ones as actions are counted, and at least one",
    "a game has at most MAX_PLIES actions",
    "the record ends up as it should at the end",
)


@kernel
def _places(state, places):
    """Say whether ``place`` agrees with the lists of tiles, and every tile is in one."""
    places[:] = 99
    for k in range(state["drawn"], NUM_TILES):
        places[state["pile"][k]] = IN_PILE
    count = NUM_TILES - np.int64(state["drawn"])
    for k in range(state["aside_drawn"], state["num_aside"]):
        places[state["aside"][k]] = PUT_ASIDE
        count += 1
    for tile in state["display"]:
        if tile:
            places[tile] = IN_DISPLAY
            count += 1
    for tile in state["interlude"]:
        if tile:
            places[tile] = IN_INTERLUDE
            count += 1
    if state["hand"]:
        places[state["hand"]] = IN_HAND
        count += 1
    for seat in range(state["num_players"]):
        for k in range(state["placed"][seat]):
            places[state["table"][seat, k]] = ON_TABLE + seat
            count += 1
    nowhere = 0
    for tile in range(1, NUM_TILES + 1):
        if places[tile] == 99:
            nowhere += 1
        elif places[tile] != state["place"][tile]:
            return False
    return count + nowhere == NUM_TILES and nowhere % 4 == 0


@kernel
def _board(state, seat, grid):
    """Lay the seat's tiles on a plain grid; return the number of the first rule broken, or -1."""
    grid[:] = 0
    discs = 0
    points = 0
    uncompleted = 0
    placed = np.int64(state["placed"][seat])
    for k in range(placed):
        tile = np.int64(state["table"][seat, k])
        row, col = np.int64(state["cell"][tile]) // WINDOW, np.int64(state["cell"][tile]) % WINDOW
        if grid[row, col] or min(row, col) < 1 or max(row, col) > WINDOW - 2:
            return 4
        grid[row, col] = tile
        if state["arrows"][tile]:
            uncompleted += 1
            discs += 0 if tile == state["unpaid"] else NUM_ARROWS[tile]
        else:
            points += TILE_VALUE[tile]
    cacophony = np.int64(state["cacophony"][seat])
    if np.int64(state["supply"][seat]) + discs != DISCS + cacophony:
        return 1
    if np.int64(state["score"][seat]) != points - (0 if state["solo"] else 2 * cacophony):
        return 2
    if uncompleted != state["uncompleted"][seat]:
        return 3
    return _cells(state, seat, grid, placed)


@kernel
def _cells(state, seat, grid, placed):
    """Compare the free cells with the grid."""
    canvas = np.int64(state["canvas"])
    north = west = WINDOW
    south = east = 0
    for row in range(WINDOW):
        for col in range(WINDOW):
            if grid[row, col]:
                north, south = min(north, row), max(south, row)
                west, east = min(west, col), max(east, col)
    if placed and (south - north >= canvas or east - west >= canvas):
        return 4
    count = 0
    for row in range(WINDOW):
        for col in range(WINDOW):
            beside = (
                (row > 0 and grid[row - 1, col])
                or (row < WINDOW - 1 and grid[row + 1, col])
                or (col > 0 and grid[row, col - 1])
                or (col < WINDOW - 1 and grid[row, col + 1])
            )
            if placed > 1 and grid[row, col] and not beside:
                return 4
            fits = max(south, row) - min(north, row) < canvas
            fits = fits and max(east, col) - min(west, col) < canvas
            free = bool(beside) and grid[row, col] == 0 and fits
            cell = row * WINDOW + col
            if (state["free"][seat, WORD[cell]] >> BIT[cell] & 1) != free:
                return 5
            count += free
    return FINE if count == state["num_free"][seat] else 5


@kernel
def _arrows(state, seat, grid):
    """Follow every arrow over the grid."""
    for k in range(state["placed"][seat]):
        tile = np.int64(state["table"][seat, k])
        row, col = np.int64(state["cell"][tile]) // WINDOW, np.int64(state["cell"][tile]) % WINDOW
        printed = TILE_ARROWS[tile, state["rotation"][tile]]
        for direction in range(8):
            wanted = printed >> 4 * direction & 15
            if wanted:
                down = (-1, -1, 0, 1, 1, 1, 0, -1)[direction]
                right = (0, 1, 1, 1, 0, -1, -1, -1)[direction]
                r, c = row + down, col + right
                target = False
                while 0 <= r < WINDOW and 0 <= c < WINDOW:
                    if grid[r, c] and wanted >> TILE_ELEMENT[grid[r, c]] & 1:
                        target = True
                    r, c = r + down, c + right
                covered = np.int64(state["arrows"][tile]) >> 4 * direction & 15 == 0
                if covered and not target:
                    return 6
                if target and not covered and not state["choice"]:
                    return 6
    return FINE


@kernel
def broken(state, mask, grid, places):
    """Return the number of the first rule broken in a position, or -1."""
    if not _places(state, places):
        return 0
    for seat in range(state["num_players"]):
        fault = _board(state, seat, grid)
        if fault == FINE:
            fault = _arrows(state, seat, grid)
        if fault != FINE:
            return fault
    if not state["terminated"]:
        count = legal_actions(state, mask)
        if count < 1 or count != mask.sum():
            return 7
    return 8 if state["ply"] > MAX_PLIES else FINE


@kernel
def play(states, seed, options, games, mask, grid, places, longest):
    """Play games; return ``(rule, seed)`` of the first fault."""
    state = states[0]
    for _ in range(games):
        setup(state, seed, options)
        word = decision_seed(seed, 0)
        fault = FINE
        while not state["terminated"] and fault == FINE:
            word += GAMMA
            step(state, random_action(state, mix64(word)))
            if state["ply"] % EVERY == 0:
                fault = broken(state, mask, grid, places)
        if fault == FINE:
            fault = broken(state, mask, grid, places)
        if fault == FINE and (state["hand"] or state["truncated"] or state["queue_next"]):
            fault = 9
        if fault != FINE:
            return fault, seed
        longest[0] = max(longest[0], np.int64(state["ply"]))
        seed = next_seed(seed)
    return FINE, seed


def check(mode: str, games: int) -> int:
    """Play random games of a mode; return how many plies the longest took."""
    num_players, options = MODES[mode]
    longest = np.zeros(1, np.int64)
    fault, seed = play(
        GAME.new_states(1),
        np.uint64(2024),
        GAME.encode_options(num_players, **options),
        games,
        np.zeros(NUM_ACTIONS, np.int8),
        np.zeros((WINDOW, WINDOW), np.int64),
        np.zeros(NUM_TILES + 1, np.int64),
        longest,
    )
    assert fault == FINE, f"{mode}, game of seed {seed}: not so: {RULES[fault]}"
    return int(longest[0])


@pytest.mark.parametrize("mode", MODES)
def test_random_games_break_no_rule(mode):
    assert 100 < check(mode, GAMES) <= MAX_PLIES


@pytest.mark.parametrize("solo", ["classic", "advanced"])
def test_points_near_the_goal_are_worth_taking_alone(solo):
    """The nearer the goal, the less an open tile must not be worth: scoring would cost points."""
    states = GAME.new_state(1, 1, solo=solo)
    waiting = {8: "ne e nw", 9: "e s w", 13: "e w nw", 14: "e w nw", 16: "ne sw nw", 24: "ne sw nw"}
    for score in range(40, 65):
        values = []
        for done in (0, 1):
            pieces = [
                TileAt(tile, x, 0, 0, () if x < done else covered.split(), x < done)
                for x, (tile, covered) in enumerate(waiting.items())
            ]
            set_position(states, tables={0: pieces}, hand=1, scores=[score + 10 * done])
            values.append(GAME.kernels["evaluate"](states[0], 0, GAME.new_memo()))
        assert values[0] < values[1], score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000, help="in each mode")
    games = parser.parse_args().games
    for mode in MODES:
        print(f"{mode}: {games} games, the longest of {check(mode, games)} plies", flush=True)


if __name__ == "__main__":
    main()
