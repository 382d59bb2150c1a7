"""Sagani's oracle and kernels behind the same words, so that one test can drive both."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pytest
from oracles.sagani import (
    DIRECTIONS,
    ELEMENTS,
    OWN_DISCS,
    PlacedTile,
    SaganiOracle,
    load_tiles,
)

from ludotheque.envs import get_game
from ludotheque.envs.sagani.components import (
    BIT,
    NUM_TILES,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
    WORD,
)
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.state import (
    ALIGN_PHASE,
    CHOOSE_PHASE,
    PLACE_PHASE,
    ROTATE_PHASE,
    TAKE_PHASE,
    aside_of,
    back_of,
    directions_of,
    pile_sizes,
    pile_tops,
    position_of,
    removed,
    table_of,
    track_of,
)

GAME = get_game("sagani")
ACTIONS = {tuple(GAME.decode_action(a).values()): a for a in range(GAME.num_actions)}
TILES = load_tiles()
NUMBERS = sorted(TILES)
CANVAS = 18
PHASES = {TAKE_PHASE: "take", PLACE_PHASE: "place", ROTATE_PHASE: "place"}
PHASES |= {CHOOSE_PHASE: "interlude", ALIGN_PHASE: "align"}

Cell = tuple[int, int]


def free_positions(state: np.void, seat: int) -> set[Cell]:
    """Where the kernels let a seat's next tile go; only (0, 0) before the first."""
    if not state["placed"][seat]:
        return {(0, 0)}
    free = state["free"][seat][WORD] >> BIT & 1
    return {position_of(state, seat, cell) for cell in np.flatnonzero(free).tolist()}


def negative_points(state: np.void, seat: int) -> int:
    """The points a seat holds in negative tokens: what its score is below 0."""
    return max(0, -int(state["score"][seat]))


class Seen(NamedTuple):
    """A tile on a table, as both sides tell it."""

    tile: int
    rotation: int
    discs: int
    covered: set[str]
    flipped: bool


class Box:
    """Picks tiles by what is printed on them, none twice; the lowest number that will do."""

    def __init__(self) -> None:
        self.left = list(NUMBERS)

    def tile(self, element: str, value: int | None = None, **arrows: str) -> tuple[int, int]:
        """A tile and a rotation in which it has these arrows, and perhaps more."""
        for number in self.left:
            what = TILES[number]
            if what.element != element or value not in (None, what.value):
                continue
            for rotation in range(4):
                if arrows.items() <= PlacedTile(what, rotation).arrows.items():
                    self.left.remove(number)
                    return number, rotation
        raise LookupError(f"no {element} tile of {value} points with {arrows} is left")

    def open(self, element: str, cell: Cell, value: int | None = None, **arrows: str) -> TileAt:
        """A tile that lies on a cell with these arrows open, the others being covered."""
        number, rotation = self.tile(element, value, **arrows)
        covered = [way for way in PlacedTile(TILES[number], rotation).arrows if way not in arrows]
        return TileAt(number, *cell, rotation, covered)

    def done(self, element: str, cell: Cell, value: int | None = None) -> TileAt:
        """A completed tile on a cell."""
        number, _ = self.tile(element, value)
        return TileAt(number, *cell, flipped=True)


@dataclass
class Position:
    """A position in mid-game; what is not given is as at the start of a game.

    Attributes:
        display: None for the five lowest numbers that are nowhere else.
        pile: what is left in the piles, next first; None for all tiles that are nowhere else.
        left: keep so many tiles in the pile, its last ones.
        supply: of the seats; None for what the tables leave of 24 and the cacophony discs.
        stack: seats from the bottom of the markers' stack to its top.
    """

    num_players: int = 2
    solo: str = "classic"
    alignments: str = "auto"
    tables: dict[int, Sequence[TileAt]] = field(default_factory=dict)
    hand: int = 0
    display: Sequence[int] | None = None
    interlude: Sequence[int] = ()
    pile: Sequence[int] | None = None
    left: int | None = None
    points: Sequence[int] | None = None
    stack: Sequence[int] | None = None
    supply: Sequence[int] | None = None
    cacophony: Sequence[int] | None = None
    first_player: int = 0
    turn: int | None = None
    last_round: bool = False
    bonus: int = 0

    def __post_init__(self) -> None:
        seats = range(self.num_players)
        self.tables = {seat: list(self.tables.get(seat, ())) for seat in seats}
        laid = [piece.tile for pieces in self.tables.values() for piece in pieces]
        used = [*laid, self.hand, *(self.display or ()), *self.interlude, *(self.pile or ())]
        assert max(Counter(number for number in used if number).values(), default=1) == 1
        unused = [number for number in NUMBERS if number not in used]
        if self.display is None:
            self.display = unused[: 5 if self.num_players > 1 else 0]
        if self.pile is None:
            self.pile = [number for number in unused if number not in self.display]
        if self.left is not None:
            self.pile = self.pile[len(self.pile) - self.left :]
        self.display = [*self.display, *[0] * (5 - len(self.display))]
        self.interlude = [*self.interlude, *[0] * (4 - len(self.interlude))]
        self.points = [0] * self.num_players if self.points is None else self.points
        self.cacophony = [0] * self.num_players if self.cacophony is None else self.cacophony
        if self.turn is None:
            self.turn = self.first_player
        if self.stack is None:
            self.stack = [(self.first_player + seat) % self.num_players for seat in seats]
        if self.supply is None:
            self.supply = [
                OWN_DISCS + self.cacophony[seat] - self.discs_on_table(seat) for seat in seats
            ]

    def discs_on_table(self, seat: int) -> int:
        open_tiles = [piece for piece in self.tables[seat] if not piece.flipped]
        return sum(len(TILES[piece.tile].arrows) for piece in open_tiles)

    def gone(self) -> list[int]:
        """The tiles that are nowhere."""
        laid = [piece.tile for pieces in self.tables.values() for piece in pieces]
        there = {*laid, self.hand, *self.display, *self.interlude, *self.pile}
        return [number for number in NUMBERS if number not in there]


class Oracle:
    """A game in the oracle. Methods that are not here are its own."""

    def __init__(self, **parts) -> None:
        given = Position(**parts)
        game = SaganiOracle(
            NUMBERS, given.num_players, given.first_player, given.solo, given.alignments
        )
        # Tiles not in the piles any more are those that were on top of them.
        order = [None] * (NUM_TILES - len(given.pile)) + [TILES[n] for n in given.pile]
        game.piles = [[what for what in order[k : k + 24] if what] for k in (0, 24, 48)]
        game.river = [TILES.get(number) for number in given.display]
        game.interlude = [TILES.get(number) for number in given.interlude]
        game.removed = [TILES[number] for number in given.gone()]
        game.low_tiles = []
        game.track.piles = {0: list(given.stack)}
        for seat in given.stack:
            game.track.add(seat, given.points[seat])
        for seat, area in enumerate(game.areas):
            area.cacophony = given.cacophony[seat]
            area.supply = given.supply[seat]
            for piece in given.tables[seat]:
                area.tiles[piece.x, piece.y] = placed_tile(piece)
        if given.num_players == 1:
            game.turns[0] = len(given.tables[0])
        game.to_play = given.turn
        game.last_round = given.last_round
        game.bonus = given.bonus
        game.hand = TILES.get(given.hand)
        game.phase = "place" if given.hand else "take"
        self.game = game

    @classmethod
    def dealt(cls, seed: int, num_players: int = 2, solo: str = "classic") -> Oracle:
        rng = random.Random(seed)
        first = rng.randrange(num_players)
        stack = [(first + seat) % num_players for seat in range(num_players)]
        rules = object.__new__(cls)
        rules.order = rng.sample(NUMBERS, NUM_TILES)
        rules.game = SaganiOracle(rules.order, num_players, first, solo, start_pile=stack)
        return rules

    def __getattr__(self, name: str):
        return getattr(self.game, name)

    @staticmethod
    def printed(number: int, rotation: int = 0) -> tuple[str, int, dict[str, str]]:
        what = TILES[number]
        return what.element, what.value, PlacedTile(what, rotation).arrows

    # ---- decisions ----------------------------------------------------------------------------

    def legal_cells(self) -> list[Cell]:
        tiles = self.game.areas[self.game.to_play].tiles
        return [cell for cell in self.game.legal_cells() if widest([*tiles, cell]) <= CANVAS]

    def place(self, cell: Cell, rotation: int) -> None:
        if cell not in self.legal_cells():
            raise ValueError(f"no tile may go to {cell}")
        self.game.place(cell, rotation)
        self._go_on()

    def align(self, cell: Cell, direction: str) -> None:
        self.game.align(cell, direction)
        self._go_on()

    def stop_aligning(self) -> None:
        self.game.stop_aligning()
        self._go_on()

    def _go_on(self) -> None:
        """Where there is no disc to move nothing is asked."""
        while self.game.phase == "align" and not self.game.legal_alignments():
            self.game.stop_aligning()

    # ---- what lies where ----------------------------------------------------------------------

    @property
    def hand(self) -> int:
        return number_of(self.game.hand)

    @property
    def display(self) -> list[int]:
        return [number_of(what) for what in self.game.river]

    @property
    def interlude(self) -> list[int]:
        return [number_of(what) for what in self.game.interlude]

    @property
    def removed(self) -> list[int]:
        return sorted(what.id for what in self.game.removed)

    @property
    def low_tiles(self) -> list[int]:
        return [what.id for what in self.game.low_tiles]

    @property
    def pile_sizes(self) -> list[int]:
        return [len(pile) for pile in self.game.piles]

    @property
    def points(self) -> list[int]:
        return list(self.game.track.points)

    @property
    def negative_tokens(self) -> list[int]:
        return [max(0, -points) for points in self.game.track.points]

    @property
    def stacks(self) -> dict[int, list[int]]:
        return {square: seats for square, seats in self.game.track.piles.items() if seats}

    @property
    def supply(self) -> list[int]:
        return [area.supply for area in self.game.areas]

    @property
    def cacophony(self) -> list[int]:
        return [area.cacophony for area in self.game.areas]

    def table(self, seat: int) -> dict[Cell, Seen]:
        tiles = self.game.areas[seat].tiles
        return {
            cell: Seen(lies.tile.id, lies.rotation, lies.discs, lies.covered, lies.flipped)
            for cell, lies in tiles.items()
        }

    def scores(self) -> list[int]:
        """Ruling: classic solo counts points up to the goal, less one for every tile."""
        if self.game.mode != "classic":
            return self.game.scores()
        return [min(self.points[0], self.game.goal()) - len(self.game.areas[0].tiles)]

    def ranks(self) -> list[int]:
        """Ruling: alone, the goal reached is rank 1."""
        if self.game.mode == "river":
            return self.game.ranks()
        advanced = self.game.mode == "advanced"
        reached = self.scores()[0] >= self.game.goal() if advanced else self.game.last_round
        return [1 if reached else 2]


class Kernels:
    """A game on the kernels; cells are those of the position, methods those of the oracle."""

    def __init__(self, **parts) -> None:
        given = Position(**parts)
        self.states = GAME.new_state(
            1, num_players=given.num_players, solo=given.solo, alignments=given.alignments
        )
        # The kernels count cells from a seat's first tile.
        self.corners = {
            seat: (pieces[0].x, pieces[0].y) if pieces else (0, 0)
            for seat, pieces in given.tables.items()
        }
        set_position(
            self.states,
            playable=False,
            tables=given.tables,
            hand=given.hand,
            display=given.display,
            interlude=given.interlude,
            pile=given.pile,
            scores=given.points,
            markers=given.stack,
            # So that no table has too many discs; supplies are put right below.
            cacophony=[NUM_TILES * 4] * given.num_players,
            first_player=given.first_player,
            turn=given.turn,
            last_round=given.last_round,
        )
        state = self.states[0]
        for seat in range(given.num_players):
            state["cacophony"][seat] = given.cacophony[seat]
            state["supply"][seat] = given.supply[seat]
        state["bonus"] = given.bonus

    @classmethod
    def dealt(cls, seed: int, num_players: int = 2, solo: str = "classic") -> Kernels:
        rules = object.__new__(cls)
        rules.states = GAME.new_state(seed, num_players=num_players, solo=solo)
        rules.order = rules.states[0]["pile"].tolist()
        rules.corners = dict.fromkeys(range(num_players), (0, 0))
        return rules

    @staticmethod
    def printed(number: int, rotation: int = 0) -> tuple[str, int, dict[str, str]]:
        word = int(TILE_ARROWS[number, rotation])
        arrows = {
            DIRECTIONS[way]: ELEMENTS[(word >> 4 * way & 15).bit_length() - 1]
            for way in directions_of(word)
        }
        return ELEMENTS[TILE_ELEMENT[number]], int(TILE_VALUE[number]), arrows

    @property
    def state(self) -> np.void:
        return self.states[0]

    # ---- decisions ----------------------------------------------------------------------------

    def _legal(self, kind: str) -> list[tuple]:
        actions = np.flatnonzero(GAME.legal_mask(self.states)).tolist()
        decoded = [tuple(GAME.decode_action(action).values()) for action in actions]
        return [parts for parts in decoded if parts[0] == kind]

    def _play(self, *parts) -> None:
        if parts not in ACTIONS:
            raise ValueError(f"there is no action {parts}")
        try:
            GAME.step(self.states, ACTIONS[parts])
        except RuntimeError as error:
            raise ValueError(f"the game is over: {error}") from error

    def _corner(self) -> Cell:
        """The first tile's column in the window, and the row that y = 0 is in."""
        seat = self.to_play
        row, column = divmod(int(self.state["origin"][seat]), WINDOW)
        x, y = self.corners[seat]
        return column - x, row + y

    def _cells(self) -> list[Cell]:
        column, row = self._corner()
        return sorted((across - column, row - down) for _, down, across in self._legal("cell"))

    def _at(self, cell: Cell) -> tuple[str, int, int]:
        column, row = self._corner()
        return "cell", row - cell[1], column + cell[0]

    def legal_tiles(self) -> list[int]:
        return [space for _, space in self._legal("take")]

    def take(self, space: int) -> None:
        self._play("take", space)

    def may_set_aside(self) -> bool:
        return ("aside",) in self._legal("aside")

    def set_aside_last_tile(self) -> None:
        self._play("aside")

    def legal_cells(self) -> list[Cell]:
        """A first tile's cell is not asked for."""
        if self.state["phase"] == ROTATE_PHASE:
            return [(0, 0)]
        lying = self.table(self.to_play)
        return (
            [cell for cell in self._cells() if cell not in lying] if self.phase == "place" else []
        )

    def place(self, cell: Cell, rotation: int) -> None:
        if cell not in self.legal_cells() or rotation not in range(4):
            raise ValueError(f"no tile may go to {cell} with rotation {rotation}")
        if self.state["phase"] == PLACE_PHASE:
            self._play(*self._at(cell))
            assert len(self._legal("turn")) == 4
        seat, there = self.to_play, int(self.state["hand_cell"])
        before = int(self.state["origin"][seat])
        self._play("turn", rotation)
        # The window moves along when a tile is placed on its outermost ring, and only then.
        on_ring = {*divmod(there, WINDOW)} & {0, WINDOW - 1}
        first = len(self.table(seat)) == 1
        assert first or bool(on_ring) == (int(self.state["origin"][seat]) != before)

    def legal_alignments(self) -> list[tuple[Cell, str]]:
        if self.phase == "over":
            return []
        lying = self.table(self.to_play)
        found = []
        for cell in self._cells():
            if cell not in lying:
                continue
            chosen = self.states.copy()
            GAME.step(chosen, ACTIONS[self._at(cell)])
            actions = np.flatnonzero(GAME.legal_mask(chosen)).tolist()
            found += [(cell, GAME.decode_action(action)["direction"]) for action in actions]
        return sorted(found)

    def align(self, cell: Cell, direction: str) -> None:
        if (cell, direction) not in self.legal_alignments():
            raise ValueError(f"no alignment at {cell} to the {direction}")
        self._play(*self._at(cell))
        self._play("cover", direction)

    def may_stop(self) -> bool:
        return ("done",) in self._legal("done")

    def stop_aligning(self) -> None:
        self._play("done")

    def legal_interlude_spaces(self) -> list[int]:
        return [space for _, space in self._legal("choose")]

    def interlude_take(self, space: int) -> None:
        self._play("choose", space)

    def interlude_pass(self) -> None:
        self._play("pass")

    # ---- what lies where ----------------------------------------------------------------------

    @property
    def phase(self) -> str:
        return "over" if self.is_over() else PHASES[int(self.state["phase"])]

    @property
    def to_play(self) -> int:
        return int(self.state["to_play"])

    @property
    def first_player(self) -> int:
        return int(self.state["first_player"])

    @property
    def last_round(self) -> bool:
        return bool(self.state["last_round"])

    @property
    def hand(self) -> int:
        return int(self.state["hand"])

    @property
    def display(self) -> list[int]:
        return self.state["display"].tolist()

    @property
    def interlude(self) -> list[int]:
        return self.state["interlude"].tolist()

    @property
    def removed(self) -> list[int]:
        return removed(self.state)

    @property
    def low_tiles(self) -> list[int]:
        return aside_of(self.state)

    @property
    def pile_sizes(self) -> list[int]:
        return pile_sizes(self.state)

    def tiles_left(self) -> int:
        return sum(self.pile_sizes)

    def top_of_piles(self) -> list[tuple[str, int] | None]:
        backs = [back_of(top) if top else None for top in pile_tops(self.state)]
        return [back and (ELEMENTS[back[0]], back[1]) for back in backs]

    @property
    def choosers(self) -> list[int]:
        asked = int(self.state["queue_next"])
        seats = self.state["queue"][: self.state["num_players"]].tolist()
        return seats[asked - 1 :] if asked else []

    @property
    def points(self) -> list[int]:
        return self._of_seats("score")

    @property
    def negative_tokens(self) -> list[int]:
        return [negative_points(self.state, seat) for seat in range(len(self.points))]

    @property
    def stacks(self) -> dict[int, list[int]]:
        return dict(track_of(self.state))

    @property
    def supply(self) -> list[int]:
        return self._of_seats("supply")

    @property
    def cacophony(self) -> list[int]:
        return self._of_seats("cacophony")

    @property
    def bonus(self) -> int:
        return int(self.state["bonus"])

    def _of_seats(self, name: str) -> list[int]:
        return self.state[name][: self.state["num_players"]].tolist()

    def table(self, seat: int) -> dict[Cell, Seen]:
        x0, y0 = self.corners[seat]
        found = {}
        for (x, y), lies in table_of(self.state, seat).items():
            covered = {DIRECTIONS[way] for way in lies.covered}
            seen = Seen(lies.tile, lies.rotation, lies.discs, covered, lies.flipped)
            found[x + x0, y + y0] = seen
        return found

    def is_over(self) -> bool:
        return bool(self.state["terminated"])

    def scores(self) -> list[int]:
        return GAME.returns(self.states)[0].astype(int).tolist()

    def ranks(self) -> list[int]:
        return GAME.returns(self.states)[1].tolist()


def placed_tile(piece: TileAt) -> PlacedTile:
    """A tile on the oracle's table, as it lies in mid-game."""
    lies = PlacedTile(TILES[piece.tile], piece.rotation, flipped=piece.flipped)
    if not piece.flipped:
        lies.covered = set(piece.covered)
        assert lies.covered < set(lies.arrows)
        lies.discs = len(lies.arrows) - len(lies.covered)
    return lies


def number_of(what) -> int:
    """A tile's number, 0 for none."""
    return 0 if what is None else what.id


def widest(cells: Sequence[Cell]) -> int:
    """The longer side of the smallest rectangle round some cells."""
    return max(max(line) - min(line) + 1 for line in zip(*cells, strict=True))


both = pytest.mark.parametrize("rules", [Oracle, Kernels], ids=["oracle", "kernels"])
either_way = pytest.mark.parametrize("alignments", ["auto", "choice"])
