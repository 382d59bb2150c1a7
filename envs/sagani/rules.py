"""The rules of Sagani as kernels on one record: setting up, actions, results.

Laying tiles is in ``placement.py``, discs in ``discs.py``, points in ``track.py``, piles and
display in ``display.py``, interlude and end in ``turns.py``.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, lowest_bit, select_bit
from ..core.jit import kernel
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below, shuffle
from ..core.state import begin, clear_from, seats_ahead
from .actions import CELL, CHOOSE, COVER, DONE, PASS, SET_ASIDE, TAKE, TURN
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
    NUM_WORDS,
    ROWS_PER_WORD,
    TILE_ELEMENT,
    TILE_VALUE,
    WINDOW,
    WORD,
)
from .discs import complete, look, pay_discs, serve
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
    ARROW_PHASE,
    CACOPHONY,
    CHOOSE_PHASE,
    FIRST_BYTE,
    PLACE_PHASE,
    ROTATE_PHASE,
    SOLO,
    TAKE_PHASE,
)
from .track import standing
from .turns import ask_next, finish_placement, stop_alone

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
    clear_from(state, FIRST_BYTE)
    state["clock"] = MAX_PLAYERS


@kernel
def clear_game(states, i):
    """Remove every tile, disc and marker of ``states[i]``; players, options and chance stay."""
    state = states[i]
    begin(state, state["seed"], state["num_players"])
    _clear(state)


@kernel
def step(state, action):
    """Play a legal action and its forced consequences."""
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    state["last_seat"] = seat
    state["ply"] += 1
    if state["choice"] and action >= CELL and _is_movable(state, seat, action - CELL):
        _point(state, seat, action - CELL)
    elif phase == PLACE_PHASE:
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
    elif phase == ARROW_PHASE:
        _cover(state, seat, action - COVER)
    elif state["unpaid"]:
        _pay_new_tile(state, seat)
        _align(state, seat)
    else:
        _leave_discs(state)


@kernel
def _place(state, seat, rotation):
    """Place the tile in hand: serve other tiles, pay its discs, cover its arrows (1 to 5)."""
    tile = np.int64(state["hand"])
    state["hand"] = 0
    cell = lay_tile(state, seat, tile, np.int64(state["hand_cell"]), rotation)
    if state["choice"]:
        look(state, seat, tile, cell)
        state["unpaid"] = tile
        find_movable_of(state, seat)
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
def _served(state, tile):
    """Return the arrows of a tile that can get a disc; none before the tile has its discs."""
    arrows = np.int64(state["arrows"][tile]) & np.int64(state["sight"][tile])
    return 0 if tile == state["unpaid"] else arrows


@kernel
def find_movable_of(state, seat):
    """Find the seat's tiles on which a disc can be moved, after one was laid."""
    state["movable"][seat][:] = 0
    state["num_movable"][seat] = 0
    for k in range(np.int64(state["placed"][seat])):
        _note_movable(state, seat, np.int64(state["table"][seat, k]))


@kernel
def _note_movable(state, seat, tile):
    """Record whether a disc can be moved on a tile."""
    cell = state["cell"][tile]
    before = np.int64(_is_movable(state, seat, cell))
    now = np.int64(_served(state, tile) != 0)
    state["movable"][seat, WORD[cell]] ^= (before ^ now) << BIT[cell]
    state["num_movable"][seat] += now - before


@kernel
def _is_movable(state, seat, cell):
    return state["movable"][seat, WORD[cell]] >> BIT[cell] & 1 == 1


@kernel
def find_movable(states, i):
    """Update ``states[i]`` after its tables were edited."""
    if states[i]["choice"]:
        for seat in range(states[i]["num_players"]):
            find_movable_of(states[i], np.int64(seat))


@kernel
def _align(state, seat):
    """Ask for the next disc to move; if there is none, pay the new tile's discs or continue."""
    if state["num_movable"][seat] == 0 and state["unpaid"]:
        _pay_new_tile(state, seat)
    if state["num_movable"][seat]:
        state["may_stop"] = not (_lacks_discs(state, seat) and _can_complete(state, seat))
        state["phase"] = ALIGN_PHASE
    else:
        _leave_discs(state)


@kernel
def _lacks_discs(state, seat):
    """Return whether a new tile waits for more discs than are in the supply."""
    return state["supply"][seat] < NUM_ARROWS[state["unpaid"]]


@kernel
def _can_complete(state, seat):
    """Return whether one of the seat's tiles other than the new one can be completed."""
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        served = _served(state, tile)
        if served and served == np.int64(state["arrows"][tile]):
            return True
    return False


@kernel
def _pay_new_tile(state, seat):
    tile = np.int64(state["unpaid"])
    pay_discs(state, seat, tile)
    state["unpaid"] = 0
    _note_movable(state, seat, tile)


@kernel
def _leave_discs(state):
    state["may_stop"] = False
    finish_placement(state)


@kernel
def _point(state, seat, cell):
    """Choose the tile on ``cell``, and store the directions of its arrows that can be covered."""
    for k in range(np.int64(state["placed"][seat])):
        tile = np.int64(state["table"][seat, k])
        if state["cell"][tile] == cell:
            served = _served(state, tile)
            pointing = 0
            for direction in range(NUM_DIRECTIONS):
                pointing |= (served >> 4 * direction & 15 != 0) << direction
            state["pointing"] = pointing
            state["pointed"] = tile
    state["interrupted"] = state["phase"]
    state["phase"] = ARROW_PHASE


@kernel
def _cover(state, seat, direction):
    """Move a disc of the chosen tile, then resume what was interrupted.

    The classic solo game is over as soon as the goal is reached, even with a tile in hand.
    """
    tile = np.int64(state["pointed"])
    state["pointing"] = 0
    arrows = np.int64(state["arrows"][tile]) & ~(15 << 4 * direction)
    state["arrows"][tile] = arrows
    if arrows == 0:
        complete(state, seat, tile)
    _note_movable(state, seat, tile)
    state["phase"] = state["interrupted"]
    state["interrupted"] = 0
    if state["phase"] == ALIGN_PHASE:
        _align(state, seat)
    elif state["num_players"] == 1 and state["last_round"]:
        stop_alone(state)


# What is legal


@kernel
def _legal_but_cells(state):
    """Return the first of a phase's actions other than cells, and the legal ones as bits."""
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
def _num_offered(state):
    """Return the number of tiles on which the seat to play may move a disc now."""
    count = np.int64(state["num_movable"][state["to_play"]])
    phase = state["phase"]
    if count and phase in (ROTATE_PHASE, ARROW_PHASE):
        return np.int64(0)
    return count


@kernel
def legal_actions(state, mask):
    """Fill the int8 mask ``(424,)`` with 1 for each legal action; return how many there are."""
    mask[:] = 0
    seat = state["to_play"]
    if state["phase"] == PLACE_PHASE:
        write_cells(state["free"][seat], mask, CELL)
        count = np.int64(state["num_free"][seat])
    else:
        first, legal = _legal_but_cells(state)
        for k in range(NUM_DIRECTIONS):
            mask[first + k] = legal >> k & 1
        count = count_bits(legal)
    offered = _num_offered(state)
    if offered:
        for word in range(NUM_WORDS):
            cells = state["movable"][seat, word]
            while cells:
                mask[CELL + word * (ROWS_PER_WORD * WINDOW) + lowest_bit(cells)] = 1
                cells &= cells - 1
    return count + offered


@kernel
def is_legal(state, action):
    """Return whether an action number 0..423 is legal."""
    if action < CELL:
        first, legal = _legal_but_cells(state)
        return action >= first and legal >> action - first & 1 == 1
    cell = action - CELL
    seat = state["to_play"]
    if _is_movable(state, seat, cell):
        return _num_offered(state) > 0
    free = state["free"][seat, WORD[cell]] >> BIT[cell] & 1 == 1
    return state["phase"] == PLACE_PHASE and free


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action in ascending order; -1 if none is."""
    seat = state["to_play"]
    offered = _num_offered(state)
    if state["phase"] == PLACE_PHASE:
        count = np.int64(state["num_free"][seat]) + offered
        if count == 0:
            return np.int64(-1)
        k = below(word, count)
        if offered:
            return _select_of_two(state["free"][seat], state["movable"][seat], k)
        return _select_cell(state["free"][seat], k)
    first, legal = _legal_but_cells(state)
    others = count_bits(legal)
    if others + offered == 0:
        return np.int64(-1)
    k = below(word, others + offered)
    if k < others:
        return first + select_bit(legal, k)
    return _select_cell(state["movable"][seat], k - others)


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
def _select_of_two(cells, others, k):
    """Return the action of the k-th cell in the union of two sets."""
    word = 0
    inside = count_bits(cells[0] | others[0])
    while k >= inside:
        k -= inside
        word += 1
        inside = count_bits(cells[word] | others[word])
    return CELL + word * (ROWS_PER_WORD * WINDOW) + select_bit(cells[word] | others[word], k)


@kernel
def returns(state, scores, ranks):
    """Fill points and ranks (Fin de la partie, Décompte final); in mid-game, as if it ended now.

    Equal points: the marker lower in the stack is ahead, so no two ranks are equal. In solo games
    the rank is 1 if the goal is reached (75 points in some turn, or in the advanced count), else 2.
    The classic solo score is points up to the goal minus one per tile placed.
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
            # Classic: the fewer tiles the better; points beyond the goal don't count.
            points = min(points, GOAL[1]) - np.int64(state["placed"][0])
            ranks[0] = 1 if state["last_round"] else 2
        scores[0] = points
        return
    for seat in range(num_players):
        scores[seat] = state["score"][seat]
        ranks[seat] = standing(state["score"][seat], state["arrival"][seat])
    rank_in_place(ranks, num_players)


@kernel
def points_by_category(state, seat, out):
    """Fill a seat's points by ``CATEGORIES``, as if the game ended now.

    Completed tiles by element, cacophony discs, and what only a solo game counts: bonuses and
    unfinished tiles in the advanced one, in the classic one the tiles placed and points beyond the
    goal. They add up to the score unless ``set_position`` put another one on the track.
    """
    out[:] = 0.0
    placed = np.int64(state["placed"][seat])
    for k in range(placed):
        tile = np.int64(state["table"][seat, k])
        if state["arrows"][tile] == 0:
            out[TILE_ELEMENT[tile]] += TILE_VALUE[tile]
        elif state["solo"]:
            out[SOLO] -= TILE_VALUE[tile]
    out[CACOPHONY] = -CACOPHONY_PENALTY * np.int64(state["cacophony"][seat])
    if state["solo"]:
        out[SOLO] += np.int64(state["bonus"])
    elif state["num_players"] == 1:
        out[SOLO] = min(GOAL[1] - np.int64(state["score"][seat]), 0) - placed
