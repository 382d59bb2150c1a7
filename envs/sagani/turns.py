"""The consequences of a placement: interlude, refill, next turn, end (Interlude, 6, Fin, Solo)."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from ..core.state import seat_after
from .components import BONUS, BONUS_FROM, BONUS_OPEN, INTERLUDE_SIZE
from .display import ALL_INTERLUDE_SPACES, draw_tile, fill_display, hold, spaces_taken
from .state import CHOOSE_PHASE, REMOVED, TAKE_PHASE
from .track import stands_before


@kernel
def finish_placement(state):
    """Continue after a tile has been placed and its discs moved."""
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
        stop_alone(state)


@kernel
def stop_alone(state):
    """End a solo game; a tile in hand stays there."""
    state["phase"] = TAKE_PHASE
    state["terminated"] = True


@kernel
def _finish_turn(state):
    """Continue after a turn: with the interlude if its spaces are full and the display is empty."""
    if (
        spaces_taken(state["display"]) == 0
        and spaces_taken(state["interlude"]) == ALL_INTERLUDE_SPACES
    ):
        _begin_interlude(state)
    else:
        _next_turn(state)


@kernel
def _next_turn(state):
    """Refill an empty display and pass the turn on; the game ends with a round, never within.

    A position that was set up may have too few tiles for that: it ends when there is none to take.
    """
    following = seat_after(state, state["turn"], 1)
    round_is_over = following == state["first_player"]
    if spaces_taken(state["display"]) == 0 and not (state["last_round"] and round_is_over):
        fill_display(state)
    state["phase"] = TAKE_PHASE
    if (state["last_round"] and round_is_over) or spaces_taken(state["display"]) == 0:
        state["terminated"] = True
        return
    state["turn"] = following
    state["to_play"] = following


@kernel
def _begin_interlude(state):
    """Order the seats from last to first; of equal ones, the upper marker chooses first."""
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        ahead = 0
        for other in range(num_players):
            ahead += stands_before(state, seat, other)
        state["queue"][ahead] = seat
    state["queue_taken"] = False
    ask_next(state)


@kernel
def ask_next(state):
    """Let the next seat of the interlude choose; after the last one, refill and continue."""
    asked = np.int64(state["queue_next"])
    if asked < state["num_players"]:
        state["to_play"] = state["queue"][asked]
        state["queue_next"] = asked + 1
        state["phase"] = CHOOSE_PHASE
        return
    state["queue_next"] = 0
    if not state["queue_taken"]:
        for space in range(INTERLUDE_SIZE):
            state["place"][state["interlude"][space]] = REMOVED
            state["interlude"][space] = 0
    _next_turn(state)
