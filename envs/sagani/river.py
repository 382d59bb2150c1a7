"""Piles, display, interlude and the end of the game (rulebook 1, Interlude, 6, Fin, Solo)."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .alignment import stands_before
from .components import (
    ASIDE_SIZE,
    BONUS,
    BONUS_FROM,
    BONUS_OPEN,
    DISPLAY_SIZE,
    FIRST_CELL,
    INTERLUDE_SIZE,
    LOW_VALUE,
    NUM_TILES,
    TILE_VALUE,
)
from .state import (
    CHOOSING,
    IN_DISPLAY,
    IN_HAND,
    IN_INTERLUDE,
    PLACING,
    PUT_ASIDE,
    REMOVED,
    ROTATING,
    TAKING,
)

ALL_INTERLUDE_SPACES = (1 << INTERLUDE_SIZE) - 1


@kernel
def put_low_tiles_aside(state):
    """Solo advanced: put the top tile aside while it is one of the first five of a low value."""
    while state["num_aside"] < ASIDE_SIZE and state["drawn"] < NUM_TILES:
        tile = state["pile"][state["drawn"]]
        if TILE_VALUE[tile] > LOW_VALUE:
            break
        state["drawn"] += 1
        state["aside"][state["num_aside"]] = tile
        state["num_aside"] += 1
        state["place"][tile] = PUT_ASIDE


@kernel
def draw_tile(state):
    """Return the next tile, from the piles and then from those put aside; 0 if there is none."""
    tile = 0
    if state["drawn"] < NUM_TILES:
        tile = np.int64(state["pile"][state["drawn"]])
        state["drawn"] += 1
        if state["solo"]:
            put_low_tiles_aside(state)
    elif state["aside_drawn"] < state["num_aside"]:
        tile = np.int64(state["aside"][state["aside_drawn"]])
        state["aside_drawn"] += 1
    return tile


@kernel
def fill_display(state):
    """Lay out five tiles, or what there is; fewer than five left in the piles set off the end."""
    for space in range(DISPLAY_SIZE):
        tile = draw_tile(state)
        state["display"][space] = tile
        if tile:
            state["place"][tile] = IN_DISPLAY
    drawn = np.int64(state["drawn"])
    if NUM_TILES - drawn < DISPLAY_SIZE:
        state["last_round"] = True


@kernel
def spaces_taken(spaces):
    """Return which spaces of the display or the interlude hold a tile, a bit each."""
    taken = 0
    for space in range(len(spaces)):
        taken |= (spaces[space] != 0) << space
    return taken


@kernel
def may_set_aside(state):
    """Say whether the last tile of the display may go to an interlude space."""
    last = spaces_taken(state["display"])
    return (
        state["drawn"] < NUM_TILES
        and last & (last - 1) == 0
        and last != 0
        and spaces_taken(state["interlude"]) != ALL_INTERLUDE_SPACES
    )


@kernel
def hold(state, seat, tile):
    """Take a tile in hand. A first tile goes anywhere, so only its rotation is asked."""
    state["hand"] = tile
    state["place"][tile] = IN_HAND
    state["hand_cell"] = FIRST_CELL
    state["phase"] = PLACING if state["placed"][seat] else ROTATING


@kernel
def set_last_aside(state):
    """Put the display's last tile on an interlude space; return the pile's top, turned over."""
    tile = 0
    for space in range(DISPLAY_SIZE):
        if state["display"][space]:
            tile = np.int64(state["display"][space])
            state["display"][space] = 0
    space = 0
    while state["interlude"][space]:
        space += 1
    state["interlude"][space] = tile
    state["place"][tile] = IN_INTERLUDE
    return draw_tile(state)


@kernel
def finish_placement(state):
    """Go on after a tile is placed and its discs are moved."""
    if state["num_players"] == 1:
        _go_on_alone(state)
    elif state["queue_next"]:
        ask_next(state)
    else:
        _finish_turn(state)


@kernel
def _go_on_alone(state):
    calm = state["placed"][0] >= BONUS_FROM and state["uncompleted"][0] <= BONUS_OPEN
    if state["solo"] and calm:
        state["bonus"] += BONUS
    tile = 0 if state["last_round"] else draw_tile(state)
    if tile:
        hold(state, 0, tile)
    else:
        state["phase"] = TAKING
        state["terminated"] = True


@kernel
def _finish_turn(state):
    """Go on after a turn: with the interlude if its four spaces are full and the display empty."""
    if (
        spaces_taken(state["display"]) == 0
        and spaces_taken(state["interlude"]) == ALL_INTERLUDE_SPACES
    ):
        _begin_interlude(state)
    else:
        _next_turn(state)


@kernel
def _next_turn(state):
    """Refill an empty display and pass the turn on; the game ends with a round, never within."""
    following = seat_after(state, state["turn"], 1)
    round_is_over = following == state["first_player"]
    if spaces_taken(state["display"]) == 0 and not (state["last_round"] and round_is_over):
        fill_display(state)
    state["phase"] = TAKING
    if state["last_round"] and round_is_over:
        state["terminated"] = True
        return
    state["turn"] = following
    state["to_play"] = following


@kernel
def _begin_interlude(state):
    """Line the seats up from last to first; of equal ones the upper marker chooses first."""
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        ahead = 0
        for other in range(num_players):
            if other != seat:
                ahead += stands_before(state, seat, other)
        state["queue"][ahead] = seat
    state["queue_taken"] = False
    ask_next(state)


@kernel
def ask_next(state):
    """Let the next seat of the interlude choose; after the last one, refill and go on."""
    asked = np.int64(state["queue_next"])
    if asked < state["num_players"]:
        state["to_play"] = state["queue"][asked]
        state["queue_next"] = asked + 1
        state["phase"] = CHOOSING
        return
    state["queue_next"] = 0
    if not state["queue_taken"]:
        for space in range(INTERLUDE_SIZE):
            state["place"][state["interlude"][space]] = REMOVED
            state["interlude"][space] = 0
    _next_turn(state)
