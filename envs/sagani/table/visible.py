"""What a picture or a text of Sagani may show: everything on the table, and nothing hidden.

Of tiles in the piles only the backs of the top ones are here, and of tiles put aside (solo
advanced) only the backs, so what is drawn from these can't tell the order of the piles. All else
lies open to everybody: a seat sees what all see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of, numbers_of
from ...core.drawing.words import (
    action_number,
    check_numbers,
    ranks_after_forfeit,
    ranks_of,
)
from ..actions import ACTIONS, CELL, CHOOSE, COVER, DONE, NUM_ACTIONS, PASS, SET_ASIDE, TAKE, TURN
from ..components import (
    CACOPHONY_PENALTY,
    DIRECTION_OF,
    DIRECTIONS,
    DISPLAY_SIZE,
    ELEMENTS,
    GOAL,
    INTERLUDE_SIZE,
    NUM_DIRECTIONS,
    NUM_TILES,
    SPOT,
    SPOT_SHIFT,
    TILE_ARROWS,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
)
from ..notation import action_to_string
from ..state import (
    ALIGNING,
    CHOOSING,
    PHASES,
    PLACING,
    POINTING,
    ROTATING,
    TAKING,
    aside_of,
    back_of,
    free_positions,
    negative_points,
    pile_sizes,
    pile_tops,
    position_of,
    removed,
    table_of,
    track_of,
)

Position = tuple[int, int]


class Face(NamedTuple):
    """A tile with its arrows up, or turned over (``flipped``: ``arrows`` is empty then).

    Attributes:
        element, value: as printed on both sides.
        arrows: direction 0 to 7, as it lies, to the element it asks for.
        covered: directions of the arrows with a disc.
        discs: discs on its middle.
    """

    element: int
    value: int
    arrows: dict[int, int]
    covered: tuple[int, ...] = ()
    discs: int = 0
    flipped: bool = False


class Back(NamedTuple):
    """The back of a face-down tile."""

    element: int
    value: int


class Table(NamedTuple):
    """A seat's play area and what lies beside it; positions count from its first tile."""

    tiles: dict[Position, Face]
    free: frozenset[Position]  # where its next tile may go
    score: int
    negative: int
    supply: int
    cacophony: int
    unfinished: int


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: what was done, in words.
        seat: who did it, None if the record doesn't tell.
        position: the tile or space of that seat's table it was about.
        space: the space of the display or interlude ("take" or "choose", number) it was about.
    """

    text: str
    seat: int | None = None
    position: Position | None = None
    space: tuple[str, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads."""

    advanced: bool  # the advanced solo game
    last_round: bool
    goal: int
    display: list[Face | None]
    interlude: list[Face | None]
    piles: list[tuple[int, Back | None]]  # tiles left, and the top one's back
    aside: list[Back]
    removed: int
    may_set_aside: bool
    hand: Face | None  # not turned; in ARROW the tile chosen, as it lies
    chosen: Position | None  # the cell of ``hand``
    met: list[frozenset[int]]  # by quarter turns: directions in which ``hand`` would meet a target
    ready: dict[Position, frozenset[int]]  # ALIGN: tiles with arrows that can be covered, and which
    pointing: frozenset[int]  # directions that can be covered (ARROW)
    may_stop: bool
    queue: list[int]  # seats that choose after ``to_play`` in this interlude
    tables: list[Table]
    track: list[tuple[int, list[int]]]
    bonus: int
    deductions: tuple[int, int]  # solo advanced: unfinished tiles and cacophony, so far


def see(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
    scores: Sequence[float] | None = None,
    ranks: Sequence[int] | None = None,
) -> Visible:
    """Return what may be shown of a record to a seat; None is the all-seeing eye.

    Raises:
        ValueError: a seat, an action or a length of ``scores`` or ``ranks`` that can't be.
    """
    common = common_of(state, seat, PHASES)
    num_players = int(state["num_players"])
    check_numbers(num_players, scores=scores, ranks=ranks)
    over = common["over"]
    to_play, phase = int(state["to_play"]), int(state["phase"])
    deductions = _deductions(state) if state["solo"] else (0, 0)
    result_scores, result_ranks = _result(state, sum(deductions)) if over else ([], [])
    if over:
        result_scores = result_scores if scores is None else [float(x) for x in scores]
        result_ranks = result_ranks if ranks is None else [int(x) for x in ranks]
    holding = not over and bool(state["hand"])
    tables = [_table(state, other) for other in range(num_players)]
    hand = _hand(state, tables) if holding else None
    chosen = None
    if holding and phase in (ROTATING, POINTING):
        chosen = (0, 0)
        if tables[to_play].tiles:
            chosen = position_of(state, to_play, int(state["hand_cell"]))
    return Visible(
        **common,
        **numbers_of(state, "bonus"),
        advanced=bool(state["solo"]),
        last_round=bool(state["last_round"]),
        goal=int(GOAL[num_players]),
        display=[_lying(tile) for tile in state["display"].tolist()],
        interlude=[_lying(tile) for tile in state["interlude"].tolist()],
        piles=[
            (size, Back(*back_of(top)) if top else None)
            for size, top in zip(pile_sizes(state), pile_tops(state), strict=True)
        ],
        aside=[Back(*back_of(tile)) for tile in aside_of(state)],
        removed=len(removed(state)),
        may_set_aside=not over and phase == TAKING and _may_set_aside(state),
        hand=hand,
        chosen=chosen,
        met=_met(state, to_play) if holding and phase == ROTATING else [frozenset()] * 4,
        ready=_ready(state) if not over and phase == ALIGNING else {},
        pointing=frozenset(
            k for k in range(NUM_DIRECTIONS) if holding and int(state["pointing"]) >> k & 1
        ),
        may_stop=not over and phase == ALIGNING and bool(state["may_stop"]),
        queue=_queue(state) if not over else [],
        tables=tables,
        track=track_of(state),
        deductions=deductions,
        scores=result_scores,
        ranks=result_ranks,
        move=None if last_action is None else _move(state, tables, last_action),
    )


def tile_words(face: Face | Back) -> str:
    """Return a tile in words: ``fire 10``."""
    return f"{ELEMENTS[face.element]} {face.value}"


def position_words(position: Position) -> str:
    """Return a position as in the notation of actions: ``+2-1``."""
    return f"{position[0]:+d}{position[1]:+d}"


# Tiles


def _arrows(word: int) -> dict[int, int]:
    """Return direction → element of a word of arrows."""
    nibbles = ((k, word >> 4 * k & 15) for k in range(NUM_DIRECTIONS))
    return {k: nibble.bit_length() - 1 for k, nibble in nibbles if nibble}


def _lying(tile: int, rotation: int = 0) -> Face | None:
    """Return a tile that is on no table, None for no tile."""
    if not tile:
        return None
    return Face(*back_of(tile), _arrows(int(TILE_ARROWS[tile, rotation])))


def _table(state: np.void, seat: int) -> Table:
    tiles = {}
    for position, lies in table_of(state, seat).items():
        arrows = {} if lies.flipped else _arrows(int(TILE_ARROWS[lies.tile, lies.rotation]))
        unpaid = lies.tile == state["unpaid"]
        tiles[position] = Face(
            *back_of(lies.tile),
            arrows,
            covered=lies.covered,
            discs=0 if unpaid else lies.discs,
            flipped=lies.flipped,
        )
    return Table(
        tiles=tiles,
        free=frozenset(free_positions(state, seat)),
        score=int(state["score"][seat]),
        negative=negative_points(state, seat),
        supply=int(state["supply"][seat]),
        cacophony=int(state["cacophony"][seat]),
        unfinished=int(state["uncompleted"][seat]),
    )


def _hand(state: np.void, tables: Sequence[Table]) -> Face | None:
    if int(state["phase"]) != POINTING:
        return _lying(int(state["hand"]))
    seat = int(state["to_play"])
    return tables[seat].tiles.get(position_of(state, seat, int(state["hand_cell"])))


def _met(state: np.void, seat: int) -> list[frozenset[int]]:
    """Return in which directions the tile in hand would meet targets, for each rotation."""
    cell = int(state["hand_cell"])
    sight = 0
    for tile in state["table"][seat][: state["placed"][seat]].tolist():
        direction = int(DIRECTION_OF[SPOT[int(state["cell"][tile])] + SPOT_SHIFT - SPOT[cell]])
        if direction < NUM_DIRECTIONS:
            sight |= 1 << (4 * direction + int(TILE_ELEMENT[tile]))
    tile = int(state["hand"])
    return [frozenset(_arrows(int(TILE_ARROWS[tile, turns]) & sight)) for turns in range(4)]


def _ready(state: np.void) -> dict[Position, frozenset[int]]:
    """Return the tiles with arrows that can be covered now, and in which directions."""
    seat = int(state["to_play"])
    found = {}
    for tile in state["table"][seat][: state["placed"][seat]].tolist():
        served = int(state["arrows"][tile]) & int(state["sight"][tile])
        if served and tile != state["unpaid"]:
            position = position_of(state, seat, int(state["cell"][tile]))
            found[position] = frozenset(_arrows(served))
    return found


def _may_set_aside(state: np.void) -> bool:
    few = np.count_nonzero(state["display"]) == 1
    room = np.count_nonzero(state["interlude"]) < INTERLUDE_SIZE
    return bool(few and room and state["drawn"] < NUM_TILES)


def _queue(state: np.void) -> list[int]:
    asked = int(state["queue_next"])
    return state["queue"][asked : state["num_players"]].tolist() if asked else []


# The result


def _deductions(state: np.void) -> tuple[int, int]:
    """Points that unfinished tiles and cacophony discs cost at the end of solo advanced."""
    tiles = state["table"][0][: state["placed"][0]].tolist()
    unfinished = sum(int(TILE_VALUE[tile]) for tile in tiles if state["arrows"][tile])
    return unfinished, CACOPHONY_PENALTY * int(state["cacophony"][0])


def _result(state: np.void, deducted: int) -> tuple[list[float], list[int]]:
    """Points and ranks (Fin de la partie, Décompte final); who forfeits comes last."""
    num_players, forfeit = int(state["num_players"]), int(state["forfeit"])
    if forfeit >= 0:
        return [0.0] * num_players, ranks_after_forfeit(num_players, forfeit)
    points = state["score"][:num_players].tolist()
    if num_players > 1:
        keys = [(points[s], -int(state["arrival"][s])) for s in range(num_players)]
        return [float(x) for x in points], ranks_of(keys)
    total = points[0] + int(state["bonus"]) - deducted
    if not state["solo"]:
        total = min(total, int(GOAL[1])) - int(state["placed"][0])
    done = total >= GOAL[1] if state["solo"] else bool(state["last_round"])
    return [float(total)], [1 if done else 2]


# The last move


def _move(state: np.void, tables: Sequence[Table], last_action) -> Move:
    """Say what was done, as far as the record after it tells: it keeps no list of moves."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    seat = _actor(state, action)
    if seat is None:
        return Move(action_to_string(action))
    name = f"player_{seat}"
    hand = _lying(int(state["hand"]))
    if action < TURN and action != PASS:
        return _taken(action, seat, hand)
    if action == PASS:
        return Move(f"{name} took no tile", seat)
    if action == DONE:
        return Move(f"{name} moved no more discs", seat)
    if action < COVER:
        position = next(reversed(tables[seat].tiles))
        words = f"{tile_words(tables[seat].tiles[position])} at {position_words(position)}"
        return Move(f"{name} placed {words}", seat, position)
    if action < DONE:
        position = position_of(state, seat, int(state["hand_cell"]))
        # Alone, the next tile in hand has taken over ``hand_cell``.
        on = None if state["hand"] else tables[seat].tiles.get(position)
        where = f" of {tile_words(on)}" if on else ""
        direction = DIRECTIONS[action - COVER]
        return Move(f"{name} covered {direction}{where}", seat, position if on else None)
    position = position_of(state, seat, action - CELL)
    on = tables[seat].tiles.get(position, hand)
    return Move(f"{name} chose {position_words(position)} for {tile_words(on)}", seat, position)


def _taken(action: int, seat: int, hand: Face) -> Move:
    name = f"player_{seat}"
    if action == SET_ASIDE:
        return Move(f"{name} set a tile aside, drew {tile_words(hand)}", seat)
    if action >= CHOOSE:
        space = action - CHOOSE
        words = f"{name} took {tile_words(hand)} of the interlude"
        return Move(words, seat, space=("choose", space))
    return Move(f"{name} took {tile_words(hand)}", seat, space=("take", action - TAKE))


def _actor(state: np.void, action: int) -> int | None:
    """Return who has just played ``action``, or None if that doesn't fit the record."""
    to_play, phase = int(state["to_play"]), int(state["phase"])
    if action < PASS:  # the tile is in hand now
        in_hand = state["hand"] and phase in (PLACING, ROTATING)
        return to_play if in_hand else None
    if action >= CELL:
        chosen = phase in (ROTATING, POINTING) and int(state["hand_cell"]) == action - CELL
        return to_play if chosen else None
    if action >= COVER and not state["choice"]:
        return None
    if state["num_players"] == 1:
        candidates = [] if action == PASS else [0]
    elif phase in (ALIGNING, POINTING):
        candidates = [] if action == PASS else [to_play]
    else:
        candidates = _before(state, action)
    if TURN <= action < COVER:
        candidates = [seat for seat in candidates if _has_placed(state, seat, action - TURN)]
    elif COVER <= action < DONE and not state["hand"]:
        candidates = [seat for seat in candidates if _has_covered(state, seat, action - COVER)]
    return candidates[0] if len(candidates) == 1 else None


def _before(state: np.void, action: int) -> list[int]:
    """Return who may have acted last, now that somebody takes or chooses a tile."""
    num_players, turn = int(state["num_players"]), int(state["turn"])
    asked = int(state["queue_next"])
    queue = state["queue"][:num_players].tolist()
    if state["phase"] not in (TAKING, CHOOSING):
        return []
    if asked:
        return [queue[asked - 2] if asked > 1 else turn]
    last_chooser = [queue[-1]] if len(set(queue)) == num_players else []
    if action == PASS:
        return last_chooser
    ended = bool(state["terminated"]) and int(state["forfeit"]) < 0
    before = turn if ended else (turn - 1) % num_players
    full = np.count_nonzero(state["display"]) == DISPLAY_SIZE or state["drawn"] == NUM_TILES
    # After an interlude the display is filled again, or the game is over.
    return sorted({before, *(last_chooser if full or ended else [])})


def _has_placed(state: np.void, seat: int, rotation: int) -> bool:
    """Say whether a seat's newest tile may be the one just placed with this rotation."""
    count = int(state["placed"][seat])
    if not count:
        return False
    tile = int(state["table"][seat][count - 1])
    if int(state["rotation"][tile]) != rotation:
        return False
    # A next tile in hand has its own cell; else the window may have moved by one since.
    if state["hand"] or state["num_players"] == 1:
        return True
    moved = int(state["cell"][tile]) - int(state["hand_cell"])
    return moved in (0, 1, -1, WINDOW, -WINDOW)


def _has_covered(state: np.void, seat: int, direction: int) -> bool:
    """Say whether a seat may have just covered the arrow in a direction."""
    for tile in state["table"][seat][: state["placed"][seat]].tolist():
        if state["cell"][tile] == state["hand_cell"]:
            had = _arrows(int(TILE_ARROWS[tile, int(state["rotation"][tile])]))
            return direction in had and direction not in _arrows(int(state["arrows"][tile]))
    return False
