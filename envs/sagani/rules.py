"""The rules of Sagani as kernels on one record: setting up, actions, results.

Laying tiles is in ``placement.py``, discs and points in ``alignment.py``, piles and display in
``display.py``, interlude and end in ``turns.py``.
"""

from __future__ import annotations

import numpy as np
from numba import literal_unroll

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below, shuffle
from ..core.state import begin, seats_ahead
from .actions import CELL, CHOOSE, COVER, DONE, PASS, SET_ASIDE, TAKE, TURN
from .alignment import complete, look, pay_discs, serve, standing
from .components import (
    BIT,
    CACOPHONY_PENALTY,
    CANVASES,
    DISCS,
    GOAL,
    MAX_PLAYERS,
    NUM_ARROWS,
    NUM_DIRECTIONS,
    NUM_ROTATIONS,
    NUM_TILES,
    ROWS_PER_WORD,
    TILE_VALUE,
    WINDOW,
    WORD,
)
from .display import (
    draw_tile,
    fill_display,
    hold,
    may_set_aside,
    put_low_tiles_aside,
    set_last_aside,
    spaces_taken,
)
from .options import OPTION_ALIGNMENTS, OPTION_CANVAS, OPTION_SOLO
from .placement import lay_tile, write_cells
from .state import (
    ALIGN_PHASE,
    ARRAYS,
    ARROW_PHASE,
    CHOOSE_PHASE,
    NUMBERS,
    PLACE_PHASE,
    ROTATE_PHASE,
    TAKE_PHASE,
)
from .turns import ask_next, finish_placement

_CANVASES = np.array(CANVASES)


@kernel
def setup(state, seed, options):
    """Shuffle the tiles, lay out the display, draw the first player (Mise en place)."""
    num_players = options[0]
    begin(state, seed, num_players)
    _clear(state)
    state["solo"] = num_players == 1 and options[OPTION_SOLO] == 1
    state["choice"] = options[OPTION_ALIGNMENTS] == 1
    state["canvas"] = _CANVASES[options[OPTION_CANVAS]]
    for k in range(NUM_TILES):
        state["pile"][k] = k + 1
    shuffle(state, state["pile"], NUM_TILES)
    first = draw_below(state, num_players)
    state["first_player"] = first
    state["turn"] = first
    state["to_play"] = first
    for seat in range(num_players):
        state["supply"][seat] = DISCS
        # The markers' stack on square 0, the first player's at the bottom.
        state["arrival"][seat] = seats_ahead(state, first, seat)
    if num_players == 1:
        if state["solo"]:
            put_low_tiles_aside(state)
        hold(state, 0, draw_tile(state))
    else:
        fill_display(state)


@kernel
def _clear(state):
    for name in literal_unroll(NUMBERS):
        state[name] = 0
    for name in literal_unroll(ARRAYS):
        state[name][:] = 0
    state["clock"] = MAX_PLAYERS


@kernel
def clear_game(states, i):
    """Take every tile, disc and marker of ``states[i]`` away; players, options and chance stay."""
    state = states[i]
    begin(state, state["seed"], state["num_players"])
    _clear(state)


@kernel
def step(state, action):
    """Play a legal action and what follows without a choice."""
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    state["last_seat"] = seat
    state["ply"] += 1
    if phase == PLACE_PHASE:
        state["hand_cell"] = action - CELL
        state["phase"] = ROTATE_PHASE
    elif phase == ROTATE_PHASE:
        _place(state, seat, action - TURN)
    elif phase == TAKE_PHASE:
        if action == SET_ASIDE:
            hold(state, seat, set_last_aside(state))
        else:
            hold(state, seat, np.int64(state["display"][action]))
            state["display"][action] = 0
    elif phase == CHOOSE_PHASE:
        if action == PASS:
            ask_next(state)
        else:
            hold(state, seat, np.int64(state["interlude"][action - CHOOSE]))
            state["interlude"][action - CHOOSE] = 0
            state["queue_taken"] = True
    elif phase == ALIGN_PHASE:
        if action != DONE:
            _point(state, seat, action - CELL)
        elif state["unpaid"]:
            _pay_new_tile(state, seat)
            _align(state, seat)
        else:
            _leave_discs(state)
    else:
        _cover(state, seat, action - COVER)


@kernel
def _place(state, seat, rotation):
    """Place the tile in hand: serve other tiles, pay its discs, cover its arrows (1 to 5)."""
    tile = np.int64(state["hand"])
    state["hand"] = 0
    cell = lay_tile(state, seat, tile, np.int64(state["hand_cell"]), rotation)
    if state["choice"]:
        look(state, seat, tile, cell)
        state["unpaid"] = tile
        _align(state, seat)
        return
    sight = serve(state, seat, tile, cell)
    pay_discs(state, seat, tile)
    arrows = np.int64(state["arrows"][tile]) & ~sight
    state["arrows"][tile] = arrows
    if arrows == 0:
        complete(state, seat, tile)
    finish_placement(state)


# Moving discs one by one (alignments="choice")


@kernel
def _find_ready(state, seat):
    """Find the seat's tiles with an arrow that can be covered, and whether it may stop there."""
    state["ready"][:] = 0
    ready = 0
    completable = False
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        arrows = np.int64(state["arrows"][tile])
        served = arrows & np.int64(state["sight"][tile])
        if served and tile != state["unpaid"]:
            cell = state["cell"][tile]
            state["ready"][WORD[cell]] |= 1 << BIT[cell]
            ready += 1
            completable |= served == arrows
    state["num_ready"] = ready
    unpaid = np.int64(state["unpaid"])
    state["may_stop"] = not completable or state["supply"][seat] >= NUM_ARROWS[unpaid]


@kernel
def _align(state, seat):
    """Ask for the next disc to move; if there is none, pay the new tile's discs or go on."""
    _find_ready(state, seat)
    if state["num_ready"] == 0 and state["unpaid"]:
        _pay_new_tile(state, seat)
        _find_ready(state, seat)
    if state["num_ready"]:
        state["phase"] = ALIGN_PHASE
    else:
        _leave_discs(state)


@kernel
def _pay_new_tile(state, seat):
    pay_discs(state, seat, np.int64(state["unpaid"]))
    state["unpaid"] = 0


@kernel
def _leave_discs(state):
    state["ready"][:] = 0
    state["num_ready"] = 0
    state["may_stop"] = False
    finish_placement(state)


@kernel
def _point(state, seat, cell):
    """Choose the tile on ``cell``; the directions of its arrows that can be covered are kept."""
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        if state["cell"][tile] == cell:
            served = np.int64(state["arrows"][tile]) & np.int64(state["sight"][tile])
            pointing = 0
            for direction in range(NUM_DIRECTIONS):
                pointing |= (served >> 4 * direction & 15 != 0) << direction
            state["pointing"] = pointing
            state["hand"] = tile
    state["hand_cell"] = cell
    state["phase"] = ARROW_PHASE


@kernel
def _cover(state, seat, direction):
    tile = np.int64(state["hand"])
    state["hand"] = 0
    state["pointing"] = 0
    arrows = np.int64(state["arrows"][tile]) & ~(15 << 4 * direction)
    state["arrows"][tile] = arrows
    if arrows == 0:
        complete(state, seat, tile)
    _align(state, seat)


# What is legal


@kernel
def _legal_but_cells(state):
    """Return the first of a phase's actions other than cells, and which are legal, as bits."""
    phase = state["phase"]
    if phase == TAKE_PHASE:
        aside = np.int64(may_set_aside(state)) << SET_ASIDE - TAKE
        return TAKE, spaces_taken(state["display"]) | aside
    if phase == CHOOSE_PHASE:
        return CHOOSE, spaces_taken(state["interlude"]) | 1 << PASS - CHOOSE
    if phase == ROTATE_PHASE:
        return TURN, (1 << NUM_ROTATIONS) - 1
    if phase == ARROW_PHASE:
        return COVER, np.int64(state["pointing"])
    return DONE, np.int64(state["may_stop"])


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(424,)`` with 1 for each legal action; return how many there are."""
    mask[:] = 0
    if state["phase"] == PLACE_PHASE:
        write_cells(state["free"][state["to_play"]], mask, CELL)
        return np.int64(state["num_free"][state["to_play"]])
    first, legal = _legal_but_cells(state)
    for k in range(NUM_DIRECTIONS):
        mask[first + k] = legal >> k & 1
    count = count_bits(legal)
    if state["phase"] == ALIGN_PHASE:
        write_cells(state["ready"], mask, CELL)
        count += np.int64(state["num_ready"])
    return count


@kernel
def is_legal(state, action):
    """Say whether an action number 0..423 is legal."""
    if action < CELL:
        first, legal = _legal_but_cells(state)
        return action >= first and legal >> action - first & 1 == 1
    cell = action - CELL
    if state["phase"] == PLACE_PHASE:
        return state["free"][state["to_play"], WORD[cell]] >> BIT[cell] & 1 == 1
    return state["phase"] == ALIGN_PHASE and state["ready"][WORD[cell]] >> BIT[cell] & 1 == 1


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order."""
    if state["phase"] == PLACE_PHASE:
        seat = state["to_play"]
        return _select_cell(state["free"][seat], below(word, state["num_free"][seat]))
    first, legal = _legal_but_cells(state)
    others = count_bits(legal)
    cells = np.int64(state["num_ready"] if state["phase"] == ALIGN_PHASE else 0)
    k = below(word, others + cells)
    if k < others:
        return first + select_bit(legal, k)
    return _select_cell(state["ready"], k - others)


@kernel
def _select_cell(cells, k):
    """Return the action of the k-th cell of a set."""
    word = 0
    inside = count_bits(cells[0])
    while k >= inside:
        k -= inside
        word += 1
        inside = count_bits(cells[word])
    return CELL + word * (ROWS_PER_WORD * WINDOW) + select_bit(cells[word], k)


@kernel
def returns(state, scores, ranks):
    """Fill points and ranks (Fin de la partie, Décompte final); in mid-game, as if it ended now.

    Equal points: the marker lower in the stack is ahead, so no two ranks are equal. Alone, the rank
    is 1 if the goal is reached, else 2: 75 points in some turn, or in the advanced count. The
    classic game's score is points up to the goal less one for every tile laid.
    """
    num_players = np.int64(state["num_players"])
    if num_players == 1:
        points = np.int64(state["score"][0])
        if state["solo"]:
            points += np.int64(state["bonus"])
            points -= CACOPHONY_PENALTY * np.int64(state["cacophony"][0])
            for k in range(np.int64(state["placed"][0])):
                tile = state["table"][0, k]
                if state["arrows"][tile]:
                    points -= TILE_VALUE[tile]
            ranks[0] = 1 if points >= GOAL[1] else 2
        else:
            # Classic: the fewer tiles the better, whatever the last one brings beyond the goal.
            points = min(points, GOAL[1]) - np.int64(state["placed"][0])
            ranks[0] = 1 if state["last_round"] else 2
        scores[0] = points
        return
    for seat in range(num_players):
        scores[seat] = state["score"][seat]
        ranks[seat] = standing(state["score"][seat], state["arrival"][seat])
    rank_in_place(ranks, num_players)
