"""The compact observation of Sagani in plain Python."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from sagani_adapter import free_positions
from sagani_sight import STEPS, VALUES, Sight, face

from ludotheque.envs.sagani.components import TILE_ARROWS, TILE_ELEMENT, TILE_VALUE, WINDOW
from ludotheque.envs.sagani.state import (
    ARROW_PHASE,
    ROTATE_PHASE,
    aside_of,
    directions_of,
    position_of,
)


class Outline(Sight):
    """The compact view of a seat, field by field."""

    def __init__(self, states: np.ndarray, seat: int):
        super().__init__(states, seat)
        self.states = states
        self.free = sorted(free_positions(self.state, seat)) if self.table else []
        self.mine = seat == self.state["to_play"] and int(self.state["hand"]) > 0
        self.turning = self.mine and self.state["phase"] == ROTATE_PHASE

    @cached_property
    def wanted(self) -> tuple[np.ndarray, np.ndarray]:
        """By element and free cell: open arrows to serve there, points to complete."""
        serves, completes = np.zeros((2, 4, WINDOW, WINDOW), int)
        for start, direction, element, placed in self.open_arrows(self.seat):
            for there in self.ray(start, direction):
                serves[element][self.cell(there)] += 1
                if placed.discs == 1:
                    completes[element][self.cell(there)] += int(TILE_VALUE[placed.tile])
        return serves, completes

    @cached_property
    def elements(self) -> dict[tuple[int, int], int]:
        return {at: int(TILE_ELEMENT[placed.tile]) for at, placed in self.table.items()}

    @cached_property
    def coverables(self) -> np.ndarray:
        return Sight.tiles(self)[:, 16] if self.state["choice"] else np.zeros(72, int)

    @cache  # noqa: B019
    def served(self, tile: int, rotation: int, position: tuple[int, int]) -> int:
        """Arrows of a tile that would be served on a position."""
        printed, count = int(TILE_ARROWS[tile, rotation]), 0
        for direction in directions_of(printed):
            right, up = STEPS[direction]
            line = [(position[0] + k * right, position[1] + k * up) for k in range(1, WINDOW)]
            count += any(self.elements.get(at) == element_of(printed, direction) for at in line)
        return count

    def chosen_position(self) -> tuple[int, int]:
        if not self.table:
            return (0, 0)
        return position_of(self.state, self.seat, int(self.state["hand_cell"]))

    def offer(self, tile: int, at: list[tuple[int, int]]) -> list[int]:
        """A tile, and its highest gain on some positions."""
        if not tile:
            return [0] * 14
        element, printed = int(TILE_ELEMENT[tile]), int(TILE_ARROWS[tile, 0])
        wanted = [element_of(printed, direction) for direction in directions_of(printed)]
        row = [*face(tile)[:4], len(wanted), *(wanted.count(k) for k in range(4))]
        brings = [[0] * 5]
        for position in at:
            there = element, *self.cell(position)
            serves, completes = (int(numbers[there]) for numbers in self.wanted)
            served = max(self.served(tile, rotation, position) for rotation in range(4))
            own = int(TILE_VALUE[tile]) if served == len(wanted) else 0
            brings.append([serves, completes, served, serves + served, completes + own])
        return [*row, *np.minimum(np.max(brings, axis=0), 127)]

    def hand(self) -> list[int]:
        at = [self.chosen_position()] if self.turning else self.free if self.mine else []
        return self.offer(int(self.state["hand"]), at)

    def turns(self) -> list[list[int]]:
        hand = int(self.state["hand"])
        if not self.turning:
            return [[0, 0]] * 4
        arrows = len(directions_of(int(TILE_ARROWS[hand, 0])))
        served = [self.served(hand, turn, self.chosen_position()) for turn in range(4)]
        return [[count, arrows - count] for count in served]

    def display(self) -> list[list[int]]:
        return [self.offer(int(tile), self.free) for tile in self.state["display"]]

    def interlude(self) -> list[list[int]]:
        return [self.offer(int(tile), self.free) for tile in self.state["interlude"]]

    def tables(self) -> list[list[int]]:
        rows = [Outline(self.states, seat).table_row() for seat in self.seats]
        return rows + [[0] * 43] * (4 - len(rows))

    def is_near(self, position: tuple[int, int], direction: int) -> bool:
        return any(there in self.free for there in self.ray(position, direction))

    def coverable(self, tile: int) -> int:
        """Arrows of a tile of the seat's that a disc may be moved onto."""
        return int(self.coverables[tile - 1])

    def table_row(self) -> list[int]:
        asks, near, lacking, worth, lying = np.zeros((5, 4), int)
        middle = covered = coverable = completable = 0
        for position, direction, element, _ in self.open_arrows(self.seat):
            asks[element] += 1
            near[element] += self.is_near(position, direction)
        for placed in self.table.values():
            lying[TILE_ELEMENT[placed.tile]] += 1
            if not placed.flipped:
                lacking[placed.discs - 1] += 1
                worth[placed.discs - 1] += TILE_VALUE[placed.tile]
                if placed.tile != self.state["unpaid"]:
                    middle += placed.discs
                    covered += len(placed.covered)
                    coverable += self.coverable(placed.tile)
                    if self.coverable(placed.tile) == placed.discs:
                        completable += int(TILE_VALUE[placed.tile])
        demand, points = (
            [[int(numbers[k, *self.cell(at)]) for at in self.free] for k in range(4)]
            for numbers in self.wanted
        )
        rows = {y for _, y in self.table}
        columns = {x for x, _ in self.table}
        row = [*asks, *near, *lacking, *worth, middle, covered, coverable, completable, *lying]
        row += [max(by_cell, default=0) for by_cell in demand]
        row += [sum(number >= 1 for number in by_cell) for by_cell in demand]
        row += [sum(number >= 2 for number in by_cell) for by_cell in demand]
        row += [max(by_cell, default=0) for by_cell in points]
        row += [len(self.free), span(rows), span(columns)]
        return [min(number, 127) for number in row]

    def lines(self) -> np.ndarray:
        seen = np.zeros((8, 4), int)
        for _, direction, element, _ in self.open_arrows(self.seat):
            seen[direction, element] += 1
        return seen

    def open(self) -> np.ndarray:
        state, seen = self.state, np.zeros((10, 12), int)
        tiles = [*state["display"], *state["interlude"], *([state["hand"]] if self.mine else [])]
        on_offer = {int(TILE_ELEMENT[tile]) for tile in tiles if tile}
        lying = [(at, placed) for at, placed in self.table.items() if not placed.flipped]
        for row, (at, placed) in zip(seen, lying, strict=False):
            arrows = [(way, asked) for p, way, asked, _ in self.open_arrows(self.seat) if p == at]
            near = [asked for way, asked in arrows if self.is_near(at, way)]
            paid = placed.tile != state["unpaid"]
            chosen = state["phase"] == ARROW_PHASE and state["pointed"] == placed.tile
            wanted = [asked for _, asked in arrows]
            row[:] = [
                TILE_VALUE[placed.tile],
                len(arrows),
                len(placed.covered) if paid else 0,
                *(wanted.count(element) for element in range(4)),
                len(near),
                sum(asked in on_offer for asked in near),
                self.coverable(placed.tile) if paid else 0,
                paid,
                chosen,
            ]
        return seen

    def unseen(self) -> np.ndarray:
        seen = np.zeros((4, 4), int)
        for tile in np.flatnonzero(Sight.unseen(self)) + 1:
            seen[TILE_ELEMENT[tile], VALUES.index(int(TILE_VALUE[tile]))] += 1
        return seen

    def aside(self) -> np.ndarray:
        return np.sum([face(tile)[:8] for tile in aside_of(self.state)] or [[0] * 8], axis=0)


def element_of(arrows: int, direction: int) -> int:
    return (arrows >> 4 * direction & 15).bit_length() - 1


def span(numbers: set[int]) -> int:
    return max(numbers) - min(numbers) + 1 if numbers else 0
