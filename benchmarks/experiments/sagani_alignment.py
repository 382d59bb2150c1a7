"""Three ways to find the arrows that a new tile of Sagani covers, compared on the same games.

``tiles``, used by the game (``envs/sagani/discs.py``), looks up the direction of the new tile from
each of the player's tiles in a table. ``lines`` stores, for every element, row, column and
diagonal, the tiles there and those with an open arrow along it, as bits. ``scan`` stores only a
board and walks the eight rays from the new cell.

All three replay the placements of recorded games and must cover the same arrows.
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
from ludotheque.envs.core.bits import select_bit
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.jit import kernel
from ludotheque.envs.sagani.components import (
    CELL_COL,
    CELL_ROW,
    D_COL,
    D_ROW,
    DIRECTION_OF,
    ELEMENT_OF_BIT,
    NUM_CELLS,
    NUM_TILES,
    SPOT,
    SPOT_SHIFT,
    TILE_ARROWS,
    TILE_ELEMENT,
    WINDOW,
)

# Axes: columns, rising diagonals, rows, falling diagonals. Directions 0 to 3 (north to south-east)
# and their opposites 4 to 7 run along them.
AXES = 4
LINES = 2 * WINDOW - 1
LINE = np.stack([CELL_COL, CELL_ROW + CELL_COL, CELL_ROW, CELL_ROW - CELL_COL + WINDOW - 1])
PLACE = np.stack([CELL_ROW, CELL_ROW, CELL_COL, CELL_ROW])
# Whether a direction leads to higher positions on its line.
UPWARD = np.array([False, False, True, True, True, True, False, False])


@kernel
def tiles_covered(cells, tiles, rotations, count, arrows):
    """Check every tile; return the number of arrows covered in the end."""
    covered = 0
    for new in range(count):
        element = TILE_ELEMENT[tiles[new]]
        spot = SPOT[cells[new]] + SPOT_SHIFT
        sight = 0
        for k in range(new):
            direction = np.int64(DIRECTION_OF[spot - SPOT[cells[k]]])
            arrow = arrows[k] & 1 << (4 * direction + element)
            if arrow:
                arrows[k] ^= arrow
                covered += 1
            sight |= 1 << (4 * (direction ^ 4) + TILE_ELEMENT[tiles[k]])
        printed = TILE_ARROWS[tiles[new], rotations[new]]
        arrows[new] = printed & ~sight
        covered += _arrows_in(printed & sight)
    return covered


@kernel
def _arrows_in(word):
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


@kernel
def scan_covered(cells, tiles, rotations, count, arrows, board):
    """Walk the rays from the new cell over the board (number of the tile plus 1)."""
    covered = 0
    for new in range(count):
        element = TILE_ELEMENT[tiles[new]]
        printed = TILE_ARROWS[tiles[new], rotations[new]]
        row = CELL_ROW[cells[new]]
        col = CELL_COL[cells[new]]
        sight = 0
        for direction in range(8):
            r = row + D_ROW[direction]
            c = col + D_COL[direction]
            while 0 <= r < WINDOW and 0 <= c < WINDOW:
                k = np.int64(board[r * WINDOW + c]) - 1
                if k >= 0:
                    sight |= 1 << (4 * direction + TILE_ELEMENT[tiles[k]])
                    arrow = arrows[k] & 1 << (4 * (direction ^ 4) + element)
                    if arrow:
                        arrows[k] ^= arrow
                        covered += 1
                r += D_ROW[direction]
                c += D_COL[direction]
        arrows[new] = printed & ~sight
        covered += _arrows_in(printed & sight)
        board[cells[new]] = new + 1
    for new in range(count):
        board[cells[new]] = 0
    return covered


@kernel
def lines_covered(cells, tiles, rotations, count, arrows, board, lying, asking):
    """Look along ``lying[axis, element, line]`` and ``asking[direction, element, line]``."""
    covered = 0
    for new in range(count):
        element = TILE_ELEMENT[tiles[new]]
        cell = cells[new]
        word = TILE_ARROWS[tiles[new], rotations[new]]
        for direction in range(8):
            axis = direction & 3
            line = LINE[axis, cell]
            place = PLACE[axis, cell]
            below = (1 << place) - 1
            above = ~(below << 1 | 1)
            # Tiles in this direction that ask for the new one's element, back along the line.
            ahead = above if UPWARD[direction] else below
            asked = asking[direction ^ 4, element, line] & ahead
            asking[direction ^ 4, element, line] ^= asked
            while asked:
                there = select_bit(asked, 0)
                asked &= asked - 1
                covered += 1
                k = np.int64(board[_cell_at(axis, line, there)]) - 1
                arrows[k] &= ~(15 << 4 * (direction ^ 4))
            wanted = word >> 4 * direction & 15
            if wanted:
                wants = ELEMENT_OF_BIT[wanted] - 1
                if lying[axis, wants, line] & ahead:
                    word &= ~(15 << 4 * direction)
                    covered += 1
                else:
                    asking[direction, wants, line] |= 1 << place
        for axis in range(AXES):
            lying[axis, element, LINE[axis, cell]] |= 1 << PLACE[axis, cell]
        arrows[new] = word
        board[cell] = new + 1
    for new in range(count):
        board[cells[new]] = 0
    lying[:] = 0
    asking[:] = 0
    return covered


@kernel
def _cell_at(axis, line, place):
    if axis == 0:
        return place * WINDOW + line
    if axis == 1:
        return place * WINDOW + line - place
    if axis == 2:
        return line * WINDOW + place
    return place * WINDOW + place - line + WINDOW - 1


@kernel
def replay_tiles(games, counts, arrows):
    """Replay the ``(n, 3, 72)`` games; return the arrows covered."""
    covered = 0
    for i in range(len(games)):
        covered += tiles_covered(games[i, 0], games[i, 1], games[i, 2], counts[i], arrows)
    return covered


@kernel
def replay_scan(games, counts, arrows, board):
    """As ``replay_tiles``, with a board."""
    covered = 0
    for i in range(len(games)):
        game = games[i]
        covered += scan_covered(game[0], game[1], game[2], counts[i], arrows, board)
    return covered


@kernel
def replay_lines(games, counts, arrows, board, lying, asking):
    """As ``replay_tiles``, with lines."""
    covered = 0
    for i in range(len(games)):
        game = games[i]
        covered += lines_covered(game[0], game[1], game[2], counts[i], arrows, board, lying, asking)
    return covered


def record(agent_name: str, num_players: int, num_games: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the placements of games: cells, tiles, rotations ``(n, 3, 72)``, and their counts."""
    env = BatchEnv(get_game("sagani"), num_games, num_players, autoreset=False)
    env.reset(1)
    agent = make_agent(agent_name, "sagani")
    while not env.states["terminated"].all():
        live = np.flatnonzero(~env.states["terminated"])
        actions = np.zeros(num_games, np.int64)
        actions[live] = query_agent(agent, env.settings, env.states[live])
        for i in live:
            env.game.step(env.states, int(actions[i]), int(i))
    tables, counts = [], []
    for state in env.states:
        for seat in range(num_players):
            tiles = np.zeros(NUM_TILES, np.int64)
            placed = int(state["placed"][seat])
            tiles[:placed] = state["table"][seat][:placed]
            tables.append([state["cell"][tiles], tiles, state["rotation"][tiles]])
            counts.append(placed)
    return np.array(tables, dtype=np.int64), np.array(counts, dtype=np.int64)


def replays(games: np.ndarray, counts: np.ndarray) -> dict[str, Work]:
    """Return functions that replay the games in each way and return the number of placements.

    Raises:
        AssertionError: they don't cover the same number of arrows.
    """
    arrows = np.zeros(NUM_TILES, np.int64)
    board = np.zeros(NUM_CELLS, np.int8)
    lying = np.zeros((AXES, 4, LINES), np.int64)
    asking = np.zeros((8, 4, LINES), np.int64)
    ways = {
        "tiles": partial(replay_tiles, games, counts, arrows),
        "lines": partial(replay_lines, games, counts, arrows, board, lying, asking),
        "scan": partial(replay_scan, games, counts, arrows, board),
    }
    covered = {name: int(way()) for name, way in ways.items()}
    assert len(set(covered.values())) == 1, f"covered arrows differ: {covered}"
    placements = int(counts.sum())
    return {name: counting(way, placements) for name, way in ways.items()}


def main(
    games: Annotated[int, typer.Option(help="Recorded games of each kind.")] = 200,
    seconds: Annotated[float, typer.Option(help="Length of a round.")] = 0.5,
    repetitions: Annotated[int, typer.Option(help="Rounds.")] = 5,
    quick: Annotated[bool, typer.Option(help="Only check that it runs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the figures to this JSON file.")] = None,
) -> None:
    """Compare the ways to find alignments, in placements a second."""
    groups = {
        title: replays(*record(agent, players, 20 if quick else games))
        for title, agent, players in (
            ("random, 2 players", "random", 2),
            ("greedy, 2 players", "greedy", 2),
            ("random, alone (72 tiles)", "random", 1),
        )
    }
    compare_ways(groups, "placements", Settings.of(seconds, repetitions, quick), out)


if __name__ == "__main__":
    typer.run(main)
