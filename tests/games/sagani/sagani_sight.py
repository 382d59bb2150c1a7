"""What a seat sees of Sagani, written again in plain Python from the readers of ``state.py``."""

from __future__ import annotations

import random

import numpy as np
from sagani_adapter import free_positions

from ludotheque.envs import get_game
from ludotheque.envs.sagani.components import (
    ARROWS_OF_VALUE,
    CANVASES,
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
