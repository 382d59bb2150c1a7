"""Sagani in plain Python, written from the rulebook alone, to check the fast rules against.

Section names in quotes are those of the French rulebook ("1. Choisir et placer une tuile", ...).
Where it is silent or can be read in two ways, the comment says "Ruling" and what was decided.

A play area is a dictionary cell -> placed tile. A cell is (x, y) with x growing to the east and y
to the north; there is no edge, and coordinates may be negative. Directions are the eight words
n, ne, e, se, s, sw, w, nw. A rotation is a number of quarter turns clockwise.

A turn is a chain of small decisions, each with a method:

    phase "take"       take(slot), or set_aside_last_tile()          the player's turn begins
    phase "place"      place(cell, rotation)                         a tile is in hand
    phase "align"      align(cell, direction), or stop_aligning()    only with alignments="choice"
    phase "interlude"  interlude_take(space), or interlude_pass()
    phase "over"

With alignments="choice", align(cell, direction) is there in every phase but the last.
"""

from __future__ import annotations

import copy
import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path

DIRECTIONS = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
STEPS = {
    "n": (0, 1),
    "ne": (1, 1),
    "e": (1, 0),
    "se": (1, -1),
    "s": (0, -1),
    "sw": (-1, -1),
    "w": (-1, 0),
    "nw": (-1, 1),
}
DIRECTION_OF_STEP = {step: direction for direction, step in STEPS.items()}
ELEMENTS = ("fire", "earth", "water", "air")
NUM_TILES = 72
NUM_PILES = 3
RIVER = 5
INTERLUDE_SPACES = 4
OWN_DISCS = 24
CACOPHONY_PENALTY = 2
GOALS = {2: 75, 3: 60, 4: 45}
SOLO_GOAL = 75
HARMONY_TILES = 25
LOW_VALUES = (1, 3)
LOW_TILES = 5
BONUS = 5
BONUS_FROM_TILE = 5
BONUS_OPEN_TILES = 2

_HERE = Path(__file__).parent
TILE_TABLE = _HERE.parent.parent / "envs" / "sagani" / "tiles.csv"
CASES = _HERE.parent / "cases" / "sagani_cases.json"

Cell = tuple[int, int]
Alignment = tuple[Cell, str]


@dataclass(frozen=True)
class Tile:
    """A spirit tile: what is printed on it ("Les tuiles Esprit de la Nature").

    Attributes:
        id: 1..72.
        element: background colour, the same on both sides.
        value: points, on both sides.
        arrows: direction -> element, with the tile the way it is printed; face with the urn only.
    """

    id: int
    element: str
    value: int
    arrows: dict[str, str]

    def __deepcopy__(self, memo: dict) -> Tile:
        return self


@dataclass
class PlacedTile:
    """A tile in a play area.

    Attributes:
        tile: what it is.
        rotation: quarter turns clockwise, 0..3.
        discs: discs in the middle; none before they are laid, none once it is completed.
        covered: directions, as it lies, of the arrows that have a disc.
        flipped: completed, spirit side up.
    """

    tile: Tile
    rotation: int
    discs: int = 0
    covered: set[str] = field(default_factory=set)
    flipped: bool = False

    @cached_property
    def arrows(self) -> dict[str, str]:
        """The arrows as the tile lies: direction -> element."""
        return {turned(way, self.rotation): asks for way, asks in self.tile.arrows.items()}


def turned(direction: str, quarter_turns: int) -> str:
    """The direction an arrow points to after that many quarter turns clockwise."""
    return DIRECTIONS[(DIRECTIONS.index(direction) + 2 * quarter_turns) % 8]


@cache
def direction_to(start: Cell, target: Cell) -> str | None:
    """In which of the eight directions `target` lies, None if it lies on no line or is `start`."""
    across = target[0] - start[0]
    up = target[1] - start[1]
    if (across, up) == (0, 0) or (across and up and abs(across) != abs(up)):
        return None
    return DIRECTION_OF_STEP[(across > 0) - (across < 0), (up > 0) - (up < 0)]


def neighbours(cell: Cell) -> list[Cell]:
    """The four cells that share a side with this one."""
    x, y = cell
    return [(x, y + 1), (x + 1, y), (x, y - 1), (x - 1, y)]


class PlayArea:
    """One player's tiles and discs ("1. Choisir et placer une tuile" to "5. Compléter une tuile").

    Attributes:
        tiles: cell -> placed tile.
        supply: discs the player can use, cacophony discs among them: they work like the others.
        cacophony: cacophony discs received so far; they stay with the player for good.
    """

    def __init__(self, supply: int = OWN_DISCS) -> None:
        self.tiles: dict[Cell, PlacedTile] = {}
        self.supply = supply
        self.cacophony = 0

    def legal_cells(self) -> list[Cell]:
        """Where a tile may go, sorted ("1. Choisir et placer une tuile").

        The first tile goes anywhere, which is one cell up to a shift: (0, 0). Later ones go to an
        empty cell that shares a side with a tile, completed or not; a corner is not enough.
        """
        if not self.tiles:
            return [(0, 0)]
        beside = {cell for placed in self.tiles for cell in neighbours(placed)}
        return sorted(beside - set(self.tiles))

    def put(self, tile: Tile, cell: Cell, rotation: int) -> None:
        """Place a tile, still without discs, in any rotation ("1. Choisir et placer une tuile")."""
        if cell not in self.legal_cells():
            raise ValueError(f"no tile may go to {cell}; allowed are {self.legal_cells()}")
        if rotation not in range(4):
            raise ValueError(f"a rotation is 0..3, got {rotation}")
        self.tiles[cell] = PlacedTile(tile, rotation)

    def has_target(self, cell: Cell, direction: str, element: str) -> bool:
        """Whether an arrow finds a target ("4. Placer les pions sur les flèches").

        Another tile of that element, exactly in that direction, at any distance. Tiles and gaps on
        the way do not matter, and completed tiles are targets as well ("5. Compléter une tuile").
        """
        # A loop: a generator takes twice as long, in what the oracle does most.
        for other, placed in self.tiles.items():
            if placed.tile.element == element and direction_to(cell, other) == direction:
                return True
        return False

    def open_arrows(self, cell: Cell) -> list[str]:
        """Directions of the arrows of a tile that could still get a disc from its middle."""
        placed = self.tiles[cell]
        if not placed.discs:
            # Completed, or the discs are not laid yet: there is nothing to move.
            return []
        # A covered arrow "n'a plus d'importance", it is never covered twice.
        return [way for way in placed.arrows if way not in placed.covered]

    def alignments(self) -> list[Alignment]:
        """Every disc that may move to an arrow now: (cell, direction), sorted."""
        return sorted(
            (cell, way)
            for cell, placed in self.tiles.items()
            for way in self.open_arrows(cell)
            if self.has_target(cell, way, placed.arrows[way])
        )

    def can_align(self, cell: Cell, direction: str) -> bool:
        """Whether a disc may move from the middle of that tile to that arrow."""
        if cell not in self.tiles or direction not in self.open_arrows(cell):
            return False
        return self.has_target(cell, direction, self.tiles[cell].arrows[direction])

    def can_be_completed(self, cell: Cell) -> bool:
        """Whether every arrow of a tile that still needs a disc could get it now."""
        arrows = self.open_arrows(cell)
        return bool(arrows) and all(self.can_align(cell, way) for way in arrows)

    def align(self, cell: Cell, direction: str) -> int:
        """Move a disc from the middle of a tile to its arrow; return the points scored.

        If it was the last one, the tile is completed: all its discs go back to the supply, it is
        turned over and scores its value ("5. Compléter une tuile").
        """
        if not self.can_align(cell, direction):
            raise ValueError(f"no alignment at {cell} to the {direction}: {self.alignments()}")
        placed = self.tiles[cell]
        placed.discs -= 1
        placed.covered.add(direction)
        if placed.discs:
            return 0
        self.supply += len(placed.covered)
        placed.covered = set()
        placed.flipped = True
        return placed.tile.value

    def lay_discs(self, cell: Cell) -> int:
        """Put a disc for every arrow on a new tile; return how many cacophony discs that took.

        "2. Placer des pions Accord", "3. Recevoir des pions Cacophonie": what the supply lacks
        is made up with cacophony discs. They are unlimited ("Mise en place", 2).
        """
        placed = self.tiles[cell]
        needed = len(placed.arrows)
        received = max(0, needed - self.supply)
        self.supply = self.supply + received - needed
        self.cacophony += received
        placed.discs = needed
        return received

    def open_tiles(self) -> list[PlacedTile]:
        """The tiles that are not completed."""
        return [placed for placed in self.tiles.values() if not placed.flipped]


class ScoreTrack:
    """The markers ("Mise en place", 3; "3. Recevoir des pions Cacophonie"; "5. Compléter").

    Attributes:
        points: each player's total. The marker stands on square max(0, points), and negative
            tokens record what is missing below zero. Ruling: points scored later give tokens back
            before the marker moves on, so that a player never has both.
        piles: square -> players whose marker stands there, from the bottom of the stack up.

    Ruling: the rulebook doesn't say in what order the markers lie on square 0 at the start. The
    caller does, from the bottom up; left out, it is the order of the seats.
    """

    def __init__(self, num_players: int, start_pile: Sequence[int] | None = None) -> None:
        pile = list(range(num_players)) if start_pile is None else list(start_pile)
        if sorted(pile) != list(range(num_players)):
            raise ValueError(f"a pile of the markers of {num_players} players, got {pile}")
        self.points = [0] * num_players
        self.piles: dict[int, list[int]] = {0: pile}

    def square(self, player: int) -> int:
        return max(0, self.points[player])

    def add(self, player: int, amount: int) -> None:
        """Move a marker; it lands on top of those on its new square.

        A marker that doesn't leave its square (it stands on 0 and tokens come or go) keeps its
        place in the stack; one that leaves a square and comes back is on top.
        """
        before = self.square(player)
        self.points[player] += amount
        after = self.square(player)
        if after != before:
            self.piles[before].remove(player)
            self.piles.setdefault(after, []).append(player)

    def leaders(self) -> list[int]:
        """All players, the one ahead first ("Fin de la partie", "Interlude").

        More points are ahead; between equals, the marker further down in the stack. Ruling: that
        also settles ties below zero, where all markers stand on square 0.
        """

        def standing(player: int) -> tuple[int, int]:
            return (-self.points[player], self.piles[self.square(player)].index(player))

        return sorted(range(len(self.points)), key=standing)

    def stragglers(self) -> list[int]:
        """All players, the one furthest behind on the track first: the order of the interlude.

        Nobody stands behind square 0: there the stack alone decides, whatever the negative tokens.
        """

        def standing(player: int) -> tuple[int, int]:
            square = self.square(player)
            return (square, -self.piles[square].index(player))

        return sorted(range(len(self.points)), key=standing)


class SaganiOracle:
    """One game in progress.

    Args:
        order: the 72 tiles (numbers or `Tile`s) in the order in which they will be turned up.
        num_players: 1 to 4.
        first_player: the seat that begins and keeps the first player tile.
        solo: "classic" or "advanced", for one player.
        alignments: "auto" moves every disc that can move at once; "choice" leaves each to the
            player ("Vous pouvez ...").
        start_pile: seats from the bottom of the stack of markers up; see `ScoreTrack`.
    """

    def __init__(
        self,
        order: Sequence[int | Tile],
        num_players: int = 2,
        first_player: int = 0,
        solo: str = "classic",
        alignments: str = "auto",
        start_pile: Sequence[int] | None = None,
    ) -> None:
        if num_players not in (1, 2, 3, 4):
            raise ValueError(f"1 to 4 players, got {num_players}")
        if first_player not in range(num_players):
            raise ValueError(f"first_player must be a seat 0..{num_players - 1}")
        if solo not in ("classic", "advanced"):
            raise ValueError(f"solo must be 'classic' or 'advanced', got {solo!r}")
        if alignments not in ("auto", "choice"):
            raise ValueError(f"alignments must be 'auto' or 'choice', got {alignments!r}")
        table = load_tiles()
        tiles = [tile if isinstance(tile, Tile) else table[tile] for tile in order]
        self.num_players = num_players
        self.first_player = first_player
        self.mode = "river" if num_players > 1 else solo
        self.choice = alignments == "choice"
        # "Mise en place", 5: three piles, used one after the other. Ruling: of equal height.
        height = -(-len(tiles) // NUM_PILES) if tiles else 1
        self.piles = [tiles[i : i + height] for i in range(0, len(tiles), height)]
        self.river: list[Tile | None] = [None] * RIVER
        self.interlude: list[Tile | None] = [None] * INTERLUDE_SPACES
        self.removed: list[Tile] = []
        self.low_tiles: list[Tile] = []
        self.areas = [PlayArea() for _ in range(num_players)]
        self.track = ScoreTrack(num_players, start_pile)
        self.turns = [0] * num_players
        self.bonus = 0
        self.to_play = first_player
        self.hand: Tile | None = None
        self.new_cell: Cell | None = None
        self.last_round = False
        self.choosers: list[int] = []
        self.someone_took = False
        self.events: list[tuple] = []
        if self.mode == "river":
            # "Mise en place", 6.
            self._fill_river()
            self.phase = "take"
        else:
            self._solo_draw()

    def copy(self) -> SaganiOracle:
        """An independent copy of the game."""
        return copy.deepcopy(self)

    def known(self, player: int) -> dict[str, object]:
        """What a player may know, fact by fact; seats count from his own.

        All lies open but the piles: of these, the back of each top tile shows ("1. Choisir et
        placer une tuile"), and which tiles have not been seen yet. So do the backs of the tiles put
        aside in the advanced solo game.
        """
        seats = [(player + ahead) % self.num_players for ahead in range(self.num_players)]
        hidden = [tile for pile in self.piles for tile in pile] + self.low_tiles
        facts: dict[str, object] = {
            "players": self.num_players,
            "mode": self.mode,
            "moving discs is a choice": self.choice,
            "phase": self.phase,
            "to play": seats.index(self.to_play),
            "turn": seats.index(self.after_interlude if self.choosers else self.to_play),
            "first player": seats.index(self.first_player),
            "interlude's line": [seats.index(chooser) for chooser in self.choosers],
            "last round": self.last_round,
            "bonus": self.bonus,
            "river": [tile and tile.id for tile in self.river],
            "interlude": [tile and tile.id for tile in self.interlude],
            "hand": self.hand and self.hand.id,
            "tops": self.top_of_piles(),
            "tiles left": [len(pile) for pile in self.piles],
            "put aside": [(tile.element, tile.value) for tile in self.low_tiles],
            "not seen": {tile.id for tile in hidden},
            "stacks": {
                square: [seats.index(seat) for seat in pile]
                for square, pile in self.track.piles.items()
                if pile
            },
        }
        for ahead, seat in enumerate(seats):
            area = self.areas[seat]
            facts[f"table of {ahead}"] = dict(area.tiles)
            facts[f"supply of {ahead}"] = area.supply
            facts[f"cacophony of {ahead}"] = area.cacophony
            facts[f"points of {ahead}"] = self.track.points[seat]
        return facts

    # ---- piles and river ----------------------------------------------------------------------

    def tiles_left(self) -> int:
        """Tiles in the three piles together."""
        return sum(len(pile) for pile in self.piles)

    def top_of_piles(self) -> list[tuple[str, int] | None]:
        """Element and value of the top tile of each pile: the back shows them.

        "Même si elle se trouve face cachée, vous connaissez la couleur et la valeur" ("1. Choisir
        et placer une tuile"). The arrows are on the hidden side.
        """
        return [(pile[0].element, pile[0].value) if pile else None for pile in self.piles]

    def _draw(self) -> Tile:
        """Turn up the top tile of the pile in use ("Mise en place", 6: first, second, third)."""
        return next(pile for pile in self.piles if pile).pop(0)

    def river_slots(self) -> list[int]:
        """The slots of the river that hold a tile."""
        return [slot for slot, tile in enumerate(self.river) if tile is not None]

    def interlude_spaces(self) -> list[int]:
        """The interlude spaces that hold a tile."""
        return [space for space, tile in enumerate(self.interlude) if tile is not None]

    def _fill_river(self) -> None:
        """Put 5 new tiles in the river ("6. Remplir la rivière").

        Ruling: with fewer than 5 in the piles, those there are.
        """
        for slot in range(RIVER):
            self.river[slot] = self._draw() if self.tiles_left() else None

    # ---- 1. Choisir et placer une tuile ---------------------------------------------------------

    def legal_tiles(self) -> list[int]:
        """The slots of the river the player may take from."""
        return self.river_slots() if self.phase == "take" else []

    def take(self, slot: int) -> None:
        """Take a tile from the river; it is placed next ("1. Choisir et placer une tuile")."""
        if slot not in self.legal_tiles():
            raise ValueError(f"slot {slot} can't be taken from: {self.legal_tiles()}")
        self.hand, self.river[slot] = self.river[slot], None
        self.phase = "place"

    def may_set_aside(self) -> bool:
        """Whether the player may put the river's last tile on an interlude space ("1.", !).

        Ruling: not if the piles are empty, as the player must then turn up a tile from them.
        """
        return (
            self.phase == "take"
            and len(self.river_slots()) == 1
            and len(self.interlude_spaces()) < INTERLUDE_SPACES
            and self.tiles_left() > 0
        )

    def set_aside_last_tile(self) -> None:
        """Put the river's last tile on an interlude space and turn up the top of the pile instead.

        That one must then be placed ("1. Choisir et placer une tuile", !).
        """
        if not self.may_set_aside():
            raise ValueError("the river's last tile can't be put aside now")
        (slot,) = self.river_slots()
        self.interlude[self.interlude.index(None)] = self.river[slot]
        self.river[slot] = None
        self.hand = self._draw()
        self.phase = "place"

    def legal_cells(self) -> list[Cell]:
        """Where the tile in hand may go; each with any of the four rotations."""
        return self.areas[self.to_play].legal_cells() if self.phase == "place" else []

    def place(self, cell: Cell, rotation: int) -> None:
        """Place the tile in hand ("1. Choisir et placer une tuile").

        With "auto" all follows: discs that can move do so before the new tile takes its own, so
        that freed discs serve for it ("2. Placer des pions Accord", astuce); then the new tile's.
        """
        if self.phase != "place":
            raise ValueError(f"no tile to place, the phase is {self.phase!r}")
        self.areas[self.to_play].put(self.hand, cell, rotation)
        self.hand = None
        self.new_cell = cell
        self.events = [("place", cell)]
        self.phase = "align"
        if not self.choice:
            for _ in ("the other tiles", "all tiles"):
                for alignment in self.legal_alignments():
                    self.align(*alignment)
                self.stop_aligning()

    # ---- 2 to 5: discs, alignments, completion --------------------------------------------------

    def discs_are_laid(self) -> bool:
        """Whether the new tile has received its discs."""
        return self.new_cell is None

    def legal_alignments(self) -> list[Alignment]:
        """The discs the player may move now ("4. Placer les pions sur les flèches").

        "Vous pouvez vérifier à tout moment": before a tile is taken, with one in hand, once it is
        placed. A new tile's own discs move once it has got them. Ruling: the moment is one of the
        player's own, his turn or his choice in an interlude. "auto" has moved all there are.
        """
        return self.areas[self.to_play].alignments() if self._may_move_discs() else []

    def _may_move_discs(self) -> bool:
        return self.phase == "align" or (self.choice and self.phase != "over")

    def align(self, cell: Cell, direction: str) -> None:
        """Move a disc to an arrow; a completed tile scores ("4.", "5. Compléter une tuile").

        Alone, the classic game is over "dès que vous atteignez 75 points" ("Jeu Solo Classique").
        Ruling: with a tile in hand at once, that one is not placed; else with the placement.
        """
        if not self._may_move_discs():
            raise ValueError(f"no discs to move, the phase is {self.phase!r}")
        area = self.areas[self.to_play]
        points = area.align(cell, direction)
        self.events.append(("align", cell, direction))
        if area.tiles[cell].flipped:
            self.events.append(("complete", cell))
        self._add_points(points)
        if self.mode == "classic" and self.last_round and self.phase == "place":
            self.phase = "over"

    def may_stop(self) -> bool:
        """Whether the player may leave the discs where they are.

        Cacophony comes only "si vous n'avez pas assez de pions Accord [...] et si vous ne pouvez
        pas compléter d'autres tuiles pour récupérer des pions" ("3. Recevoir des pions
        Cacophonie"): who is short of discs for the new tile has to go on while a tile can be
        completed. Which one, and what else he moves, is up to him.
        """
        if self.phase != "align" or self.discs_are_laid():
            return self.phase == "align"
        area = self.areas[self.to_play]
        short = area.supply < len(area.tiles[self.new_cell].arrows)
        return not (short and any(area.can_be_completed(cell) for cell in area.tiles))

    def stop_aligning(self) -> None:
        """Stop moving discs: the new tile gets its discs, or, if it has them, the turn is over."""
        if not self.may_stop():
            raise ValueError(f"discs have to be moved, or the phase is wrong: {self.phase!r}")
        if self.new_cell is None:
            self._end_of_placing()
            return
        received = self.areas[self.to_play].lay_discs(self.new_cell)
        self.new_cell = None
        self.events.append(("cacophony", received))
        if self.mode != "advanced":
            # "pénalité immédiate"; in advanced solo it is counted at the end only.
            self._add_points(-CACOPHONY_PENALTY * received)

    def _add_points(self, amount: int) -> None:
        """Move the player's marker; reaching the goal brings the end ("Fin de la partie")."""
        self.track.add(self.to_play, amount)
        if self.mode != "advanced" and self.track.points[self.to_play] >= self.goal():
            self.last_round = True

    def _end_of_placing(self) -> None:
        if self.choosers:
            self._next_chooser()
        else:
            self._end_of_turn()

    # ---- end of a turn ------------------------------------------------------------------------

    def goal(self) -> int:
        """The points that bring the end ("Fin de la partie"; "Jeu Solo Classique")."""
        return GOALS.get(self.num_players, SOLO_GOAL)

    def _end_of_turn(self) -> None:
        """What follows a turn: an interlude, if the four spaces are full, comes before all else."""
        self.turns[self.to_play] += 1
        if self.mode != "river":
            self._end_of_solo_turn()
        elif not self.river_slots() and len(self.interlude_spaces()) == INTERLUDE_SPACES:
            self._start_interlude()
        else:
            self._after_turn(self.to_play)

    def _after_turn(self, player: int) -> None:
        """Fill an empty river, check for the end, pass the turn on clockwise.

        "6. Remplir la rivière", "Fin de la partie": all play the same number of turns. Ruling: if
        the river's refill at the very end of a round leaves fewer than 5 tiles, the game ends at
        once, as the round is finished.
        """
        next_player = (player + 1) % self.num_players
        round_is_finished = next_player == self.first_player
        over = self.last_round and round_is_finished
        if not over and not self.river_slots():
            self._fill_river()
            if self.tiles_left() < RIVER:
                self.last_round = True
        self.to_play = next_player
        self.phase = "over" if self.last_round and round_is_finished else "take"

    # ---- Interlude ------------------------------------------------------------------------------

    def _start_interlude(self) -> None:
        """Everybody may take one tile, from the last on the track to the first ("Interlude")."""
        self.after_interlude = self.to_play
        self.someone_took = False
        self.choosers = self.track.stragglers()
        self.to_play = self.choosers[0]
        self.phase = "interlude"

    def legal_interlude_spaces(self) -> list[int]:
        """The interlude spaces the player may take from; passing is always allowed."""
        return self.interlude_spaces() if self.phase == "interlude" else []

    def interlude_take(self, space: int) -> None:
        """Take one of the tiles; it is placed at once, with all that follows ("Interlude")."""
        if space not in self.legal_interlude_spaces():
            raise ValueError(f"space {space} can't be taken from: {self.legal_interlude_spaces()}")
        self.hand, self.interlude[space] = self.interlude[space], None
        self.someone_took = True
        self.phase = "place"

    def interlude_pass(self) -> None:
        """Take none ("Un joueur peut choisir de ne pas prendre de tuile")."""
        if self.phase != "interlude":
            raise ValueError(f"nothing to pass on, the phase is {self.phase!r}")
        self._next_chooser()

    def _next_chooser(self) -> None:
        self.choosers.pop(0)
        if self.choosers:
            self.to_play = self.choosers[0]
            self.phase = "interlude"
            return
        if not self.someone_took:
            # Only then do the tiles leave the game; else those left stay where they are.
            self.removed += [tile for tile in self.interlude if tile is not None]
            self.interlude = [None] * INTERLUDE_SPACES
        self._after_turn(self.after_interlude)

    # ---- Variantes solo -------------------------------------------------------------------------

    def _solo_draw(self) -> None:
        """Turn up the next tile, which must be placed; the end if there is none ("Variantes")."""
        self._put_low_tiles_aside()
        if self.tiles_left():
            self.hand = self._draw()
            self._put_low_tiles_aside()
        elif self.low_tiles:
            self.hand = self.low_tiles.pop(0)
        self.phase = "over" if self.hand is None else "place"

    def _put_low_tiles_aside(self) -> None:
        """Advanced: the first five tiles of 1 or 3 points met in the pile are put aside unseen.

        They come last, in the order in which they were met ("Jeu Solo Avancé"). Ruling: a tile is
        met as soon as it lies on top of the pile, as its back shows what it is worth.
        """
        if self.mode != "advanced":
            return
        while self.tiles_left() and len(self.low_tiles) < LOW_TILES:
            top = next(pile for pile in self.piles if pile)[0]
            if top.value not in LOW_VALUES:
                return
            self.low_tiles.append(self._draw())

    def _end_of_solo_turn(self) -> None:
        """Advanced: the bonus ("Points Bonus"). Classic: the end at 75 points.

        Ruling: "dès que vous atteignez 75 points" ends the game with the turn in which they are
        reached, even if cacophony of the same turn takes some away again.
        """
        if self.mode == "advanced":
            open_tiles = len(self.areas[0].open_tiles())
            if self.turns[0] >= BONUS_FROM_TILE and open_tiles <= BONUS_OPEN_TILES:
                self.bonus += BONUS
        if self.last_round:
            self.phase = "over"
        else:
            self._solo_draw()

    def perfect_harmony(self) -> bool:
        """Classic solo: 75 points with 25 tiles or fewer ("Jeu Solo Classique")."""
        return self.mode == "classic" and self.last_round and self.turns[0] <= HARMONY_TILES

    # ---- results ------------------------------------------------------------------------------

    def is_over(self) -> bool:
        return self.phase == "over"

    def scores(self) -> list[int]:
        """Each player's total, were the game scored now.

        Advanced solo ("Décompte final"): the track, less the values of unfinished tiles, plus the
        bonus, less 2 for every cacophony disc received. Elsewhere unfinished tiles cost nothing.
        """
        if self.mode != "advanced":
            return list(self.track.points)
        area = self.areas[0]
        unfinished = sum(placed.tile.value for placed in area.open_tiles())
        penalty = CACOPHONY_PENALTY * area.cacophony
        return [self.track.points[0] - unfinished + self.bonus - penalty]

    def ranks(self) -> list[int]:
        """Each player's place, 1 the best ("Fin de la partie"): markers' stacks leave no ties."""
        leaders = self.track.leaders()
        return [1 + leaders.index(player) for player in range(self.num_players)]


def load_tiles() -> dict[int, Tile]:
    """The 72 tiles by number, from the table of the box's contents."""
    if not _TILES:
        with TILE_TABLE.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                arrows = {way: row[way] for way in DIRECTIONS if row[way]}
                number = int(row["tile_id"])
                _TILES[number] = Tile(number, row["element"], int(row["value"]), arrows)
    return _TILES


_TILES: dict[int, Tile] = {}


def load_cases() -> list[dict]:
    """The positions and facts in tests/cases (its `axes` describes the format)."""
    return json.loads(CASES.read_text(encoding="utf-8"))["cases"]
