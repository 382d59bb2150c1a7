"""What a picture or a text of Sagani may show: everything on the table, and nothing hidden.

Tiles in the piles appear only as the backs of the top ones, and tiles put aside (solo advanced)
only as backs, so pictures and texts can't reveal the order of the piles. Everything else is public:
all seats see the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.panels import Place
from ...core.drawing.visible import VisibleBase, choices_of, common_of, numbers_of, result_of
from ...core.drawing.words import action_number, minus, name_of, signed
from ..actions import ACTIONS, CELL, NUM_ACTIONS
from ..components import (
    CACOPHONY_PENALTY,
    ELEMENTS,
    NUM_ROTATIONS,
    SIGHT_OF,
    SPOT,
    SPOT_SHIFT,
    TILE_ARROWS,
    TILE_ELEMENT,
    WINDOW,
)
from ..notation import action_to_string
from ..rules import legal_actions, returns
from ..state import (
    ARROW_PHASE,
    PHASES,
    ROTATE_PHASE,
    Placed,
    aside_of,
    back_of,
    directions_of,
    pile_sizes,
    pile_tops,
    position_of,
    removed,
    table_of,
    tiles_of,
    track_of,
)

ELEMENT_LETTERS = "".join(element[0].upper() for element in ELEMENTS)
Position = tuple[int, int]


class Face(NamedTuple):
    """One side of a tile: the front with its arrows, as turned, or the back, which has none.

    Attributes:
        element, value: as printed on both sides.
        arrows: direction (0 to 7) → the element that the arrow asks for.
        covered: directions of the arrows with a disc.
        marked: directions of the arrows that can be covered now.
        discs: number of discs in its centre.
    """

    element: int
    value: int
    arrows: Mapping[int, int]
    covered: tuple[int, ...] = ()
    marked: frozenset[int] = frozenset()
    discs: int = 0

    @property
    def flipped(self) -> bool:
        return not self.arrows

    @property
    def name(self) -> str:
        """The tile in words: ``fire 10``."""
        return f"{ELEMENTS[self.element]} {self.value}"

    @property
    def code(self) -> str:
        """The abbreviation of the tile: ``F10``."""
        return f"{ELEMENT_LETTERS[self.element]}{self.value}"


class Table(NamedTuple):
    """A seat's play area and the items beside it; positions are relative to its first tile."""

    tiles: dict[Position, Face]
    score: int
    supply: int
    cacophony: int
    unfinished: int


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: the move in words.
        seat: who made it, None if it isn't the record's last action.
        place: its parts.
        position: the tile or cell of that seat's table that it concerned.
    """

    text: str
    seat: int | None = None
    place: Place | None = None
    position: Position | None = None


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads."""

    advanced: bool  # the advanced solo game
    last_round: bool  # the end has been triggered, and others play on
    display: list[Face | None]
    interlude: list[Face | None]
    piles: list[tuple[int, Face | None]]  # tiles left, and the top one's back
    aside: list[Face]
    removed: int
    legal: frozenset[Place]
    free: frozenset[Position]  # where the tile in hand may go
    movable: frozenset[Position]  # tiles with a disc that may be moved now
    origin: tuple[int, int]  # row and column in the window of the first tile of ``to_play``
    hand: Face | None  # not turned
    turned: list[Face]  # ROTATE: ``hand`` by quarter turns
    pointed: Face | None  # ARROW: the tile whose disc is moved, as it lies
    chosen: Position | None  # the cell of ``pointed``, or of ``hand`` in ROTATE
    queue: list[int]  # seats that choose after ``to_play`` in this interlude
    tables: list[Table]
    track: list[tuple[int, list[int]]]
    bonus: int

    @property
    def movable_places(self) -> set[Place]:
        """Return the tiles in ``movable``, as named in actions."""
        row, column = self.origin
        return {("cell", row - y, column + x) for x, y in self.movable}

    @property
    def deductions(self) -> tuple[int, int]:
        """Return the current cost of unfinished tiles and cacophony discs (advanced solo game)."""
        table = self.tables[0]
        unfinished = sum(face.value for face in table.tiles.values() if not face.flipped)
        return unfinished, CACOPHONY_PENALTY * table.cacophony


def see(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Visible:
    """Return what may be shown of a record to a seat; None sees everything.

    Raises:
        ValueError: an invalid seat or action.
    """
    common = common_of(state, seat, PHASES)
    to_play = int(state["to_play"])
    legal = choices_of(state, legal_actions, ACTIONS)
    tables = [_table(state, other, bool(legal)) for other in range(common["num_players"])]
    hand = int(state["hand"]) if legal else 0
    chosen = _chosen(state) if legal else None
    lying = tables[to_play].tiles
    row, column = divmod(int(state["origin"][to_play]), WINDOW)
    cells = frozenset((at[2] - column, row - at[1]) for at in legal if at[0] == "cell")
    asked = int(state["queue_next"])
    return Visible(
        **common,
        **result_of(state, returns),
        **numbers_of(state, "bonus"),
        advanced=bool(state["solo"]),
        last_round=bool(state["last_round"]) and len(tables) > 1,
        display=_offer(state["display"].tolist()),
        interlude=_offer(state["interlude"].tolist()),
        piles=[
            (size, _back(top) if top else None)
            for size, top in zip(pile_sizes(state), pile_tops(state), strict=True)
        ],
        aside=[_back(tile) for tile in aside_of(state)],
        removed=len(removed(state)),
        legal=frozenset(legal),
        free=cells - lying.keys(),
        movable=cells & lying.keys(),
        origin=(row, column),
        hand=_front(hand) if hand else None,
        turned=_turned(state) if legal and state["phase"] == ROTATE_PHASE else [],
        pointed=lying[chosen] if chosen is not None and state["phase"] == ARROW_PHASE else None,
        chosen=chosen,
        queue=state["queue"][asked : len(tables)].tolist() if legal and asked else [],
        tables=tables,
        track=track_of(state),
        move=None if last_action is None else _move(state, tables, last_action),
    )


def position_words(position: Position) -> str:
    """Return a position as in the notation of actions, with a minus sign: ``+2−1``."""
    return signed(position[0]) + signed(position[1])


# Tiles


def _front(
    tile: int, rotation: int = 0, covered: tuple[int, ...] = (), marked: int = 0, discs: int = 0
) -> Face:
    """Return a tile face up; ``marked`` is a word of arrows, with any elements."""
    word = int(TILE_ARROWS[tile, rotation])
    arrows = {k: (word >> 4 * k & 15).bit_length() - 1 for k in directions_of(word)}
    return Face(*back_of(tile), arrows, covered, frozenset(directions_of(word & marked)), discs)


def _back(tile: int) -> Face:
    return Face(*back_of(tile), {})


def _offer(tiles: Iterable[int]) -> list[Face | None]:
    return [_front(tile) if tile else None for tile in tiles]


def _table(state: np.void, seat: int, playing: bool) -> Table:
    choosing = playing and seat == state["to_play"]
    return Table(
        {
            position: _back(lies.tile) if lies.flipped else _lying(state, lies, choosing)
            for position, lies in table_of(state, seat).items()
        },
        *(int(state[name][seat]) for name in ("score", "supply", "cacophony", "uncompleted")),
    )


def _lying(state: np.void, lies: Placed, choosing: bool) -> Face:
    tile = lies.tile
    unpaid = tile == state["unpaid"]
    asked = tile == state["pointed"] if state["phase"] == ARROW_PHASE else not unpaid
    marked = 0
    if state["choice"] and choosing and asked and state["phase"] != ROTATE_PHASE:
        marked = int(state["arrows"][tile]) & int(state["sight"][tile])
    return _front(tile, lies.rotation, lies.covered, marked, 0 if unpaid else lies.discs)


def _chosen(state: np.void) -> Position | None:
    """Return the cell of the tile to be turned, or of the one whose disc is moved."""
    seat, phase = int(state["to_play"]), int(state["phase"])
    if phase == ARROW_PHASE:
        return position_of(state, seat, int(state["cell"][state["pointed"]]))
    if phase != ROTATE_PHASE:
        return None
    return position_of(state, seat, int(state["hand_cell"])) if state["placed"][seat] else (0, 0)


def _turned(state: np.void) -> list[Face]:
    """Return the possible orientations of the tile in hand, marking the arrows they would cover."""
    spot = SPOT[int(state["hand_cell"])] + SPOT_SHIFT
    sight = 0
    for tile in tiles_of(state, int(state["to_play"])):
        direction = int(SIGHT_OF[spot - SPOT[int(state["cell"][tile])]])
        sight |= 1 << int(TILE_ELEMENT[tile]) + direction
    return [_front(int(state["hand"]), turns, marked=sight) for turns in range(NUM_ROTATIONS)]


# The last move


def _move(state: np.void, tables: list[Table], last_action) -> Move:
    """Describe the last move; an action that isn't the record's last gives its notation."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    if action != state["last_action"]:
        return Move(action_to_string(action))
    seat = int(state["last_seat"])
    tiles, hand = tables[seat].tiles, _back(int(state["hand"])).name
    position = None
    place = tuple(ACTIONS.decode(action).values())
    kind = str(place[0])
    if kind == "turn":
        position = next(reversed(tiles))
        text = f"placed {tiles[position].name} at {position_words(position)}"
    elif kind == "cover":
        position = position_of(state, seat, int(state["cell"][state["pointed"]]))
        text = f"covered {place[1]} of {tiles[position].name}"
    elif kind == "cell":
        position = position_of(state, seat, action - CELL)
        name = tiles[position].name if position in tiles else hand
        text = f"chose {position_words(position)} for {name}"
    else:
        text = {
            "take": f"took {hand}",
            "aside": f"set a tile aside, drew {hand}",
            "choose": f"took {hand} of the interlude",
            "pass": "took no tile",
            "done": "moved no more discs",
        }[kind]
    return Move(f"{name_of(seat)} {text}", seat, place, position)


def points_seen(seen: Visible) -> list[str]:
    """Return the points of each seat as text."""
    return [minus(table.score) for table in seen.tables]
