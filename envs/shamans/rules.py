"""The rules of Shamans as kernels on one record: setup, legal actions, steps, returns.

They combine ``rounds.py`` (dealing, points), ``tricks.py``, ``artefacts.py`` (with the Eclipse),
``rituals.py`` (with eliminations), ``track.py`` and ``portals.py``. Each part sets the next stage;
``run`` goes from stage to stage until somebody has to decide.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit, write_set
from ..core.jit import kernel, link_late
from ..core.rewards import rank_in_place
from ..core.rng import below, draw_below
from ..core.state import begin, seat_after
from .actions import (
    BACK,
    ELIMINATE,
    FIRST_RITUAL,
    HIDE,
    NAME_GUIDE,
    NUM_ACTIONS,
    ON,
    PASS,
    RETREAT,
    SHOW,
    SWAP,
    TAKE,
)
from .artefacts import artefacts_left, fill_up, give_card, keep_artefact, take_artefact
from .components import (
    DAGGER,
    FEWEST_PLAYERS,
    NOBODY,
    NUM_CARDS,
    NUM_WORLDS,
    PLAYER_COUNTS,
    PORTAL,
    PORTAL_BACK,
    PORTAL_ON,
    RETREATED,
    SHAMAN,
    STABILISATION_SQUARES,
    TOOK_ARTEFACT,
)
from .options import HOLDERS_ONLY, SINGLE
from .portals import has_tile, offer_before, offer_portals, spend_tile
from .rituals import begin_ritual, do_ritual, eliminate, neutralise, next_ritual, swap_roles
from .rounds import deal_round, end_round
from .state import (
    ARTEFACT_PHASE,
    CARD_PHASE,
    ECLIPSE_PHASE,
    KEEP_PHASE,
    LAST_PHASE,
    MAX_PLIES,
    MOON_PHASE,
    NEUTRALISE_PHASE,
    ORDER_PHASE,
    PERMUTE_PHASE,
    PORTAL_PHASE,
    STABILISE_PHASE,
    STAGE,
)
from .track import advance, go_back, start_advance
from .tricks import gather, lay_card, pass_turn, play_card, resolve_trick, start_trick, take_turn

# options[0] is the player count in every game; then the game's own options.
OPTION_ROUNDS = 1
OPTION_ASKED = 2
OPTION_RITUALS = 3
OPTION_STARTS = OPTION_RITUALS + NUM_WORLDS  # one for each player count
OPTION_MOON = OPTION_STARTS + len(PLAYER_COUNTS)

# Legal actions are two sets: cards, and the others as bits from ``NUM_CARDS`` on.
_BACK, _ON, _PASS = 1 << BACK - NUM_CARDS, 1 << ON - NUM_CARDS, 1 << PASS - NUM_CARDS
_KEEP = (1 << SHOW - NUM_CARDS) | (1 << HIDE - NUM_CARDS)
_RETREAT = 1 << RETREAT - NUM_CARDS


@kernel
def setup(state, seed, options):
    """Draw the first player and deal the first round (Mise en place)."""
    num_players = options[0]
    begin(state, seed, num_players)
    state["single"] = options[OPTION_ROUNDS] == SINGLE
    state["holders_only"] = options[OPTION_ASKED] == HOLDERS_ONLY
    for value in range(OPTION_STARTS - OPTION_RITUALS):
        state["ritual"][value] = options[OPTION_RITUALS + value]
    state["start"] = options[OPTION_STARTS + num_players - FEWEST_PLAYERS]
    state["moon"] = options[OPTION_MOON]
    state["round"] = 0
    state["won"] = NOBODY
    state["last_seat"] = NOBODY
    state["secret"] = False
    state["shown_action"] = -1
    state["shown_seat"] = NOBODY
    state["points"][:] = 0
    state["sides"][:] = NOBODY
    state["marker"] = draw_below(state, num_players)
    deal_round(state)
    run(state)


@link_late
@kernel
def run(state):
    """Go from stage to stage until somebody has to decide or the game is over."""
    while state["stage"] != STAGE.WAITING and not state["terminated"]:
        stage = state["stage"]
        if stage == STAGE.TURN_OVER:
            pass_turn(state)
        elif stage == STAGE.ADVANCING:
            advance(state)
        elif stage == STAGE.LAYING:
            lay_card(state)
        elif stage == STAGE.TRICK_OVER:
            resolve_trick(state)
        elif stage == STAGE.TAKEN:
            fill_up(state)
        elif stage == STAGE.GATHERING:
            gather(state)
        elif stage == STAGE.NEW_TRICK:
            start_trick(state)
        elif stage == STAGE.RITUALS:
            next_ritual(state)
        elif stage == STAGE.CARD_TURN:
            take_turn(state)
        elif stage == STAGE.OFFERING:
            offer_portals(state)
        elif stage == STAGE.RITUAL:
            do_ritual(state)
        elif stage == STAGE.FALLING:
            eliminate(state)
        elif stage == STAGE.OUT_OF_CARDS:
            state["won"] = SHAMAN
            state["stage"] = STAGE.ROUND_OVER
        else:  # STAGE.ROUND_OVER
            end_round(state)


@kernel
def step(state, action):
    """Play a legal action and its forced consequences."""
    seat = np.int64(state["to_play"])
    phase = np.int64(state["phase"])
    _note_action(state, seat, phase, action)
    state["ply"] += 1
    if action < NUM_CARDS:
        if phase == CARD_PHASE:
            play_card(state, seat, action)
        else:
            give_card(state, seat, action)
    elif action < TAKE:
        if phase == NEUTRALISE_PHASE:
            state["stage"] = STAGE.RITUALS
        else:
            _answer_with_portal(state, seat, phase, action)
    elif action < SHOW:
        if phase == STABILISE_PHASE:
            state["deeds"][seat, TOOK_ARTEFACT] += 1
        take_artefact(state, seat, action)
    elif action < RETREAT:
        keep_artefact(state, seat, action == SHOW)
    elif action == RETREAT:
        state["deeds"][seat, RETREATED] += 1
        go_back(state, seat, STABILISATION_SQUARES)
        state["stage"] = STAGE.RITUALS
    elif action < ELIMINATE:
        swap_roles(state, seat, seat_after(state, seat, action - SWAP + 1))
    elif action < NAME_GUIDE:
        neutralise(state, seat, seat_after(state, seat, action - ELIMINATE + 1))
    elif action < FIRST_RITUAL:
        state["turn"] = seat_after(state, seat, action - NAME_GUIDE + 1)
        state["stage"] = STAGE.GATHERING
    else:
        begin_ritual(state, action - FIRST_RITUAL)
    run(state)
    if state["ply"] >= MAX_PLIES and not state["terminated"]:
        state["truncated"] = True


@kernel
def _answer_with_portal(state, seat, phase, action):
    """Use a Portal, or pass (Portail)."""
    if action == PASS:
        state["stage"] = STAGE.ADVANCING if phase == MOON_PHASE else STAGE.OFFERING
        return
    spend_tile(state, seat, PORTAL)
    state["deeds"][seat, PORTAL_ON if action == ON else PORTAL_BACK] += 1
    after = STAGE.CARD_TURN if phase == CARD_PHASE else STAGE.OFFERING
    stage = after
    if phase == MOON_PHASE:
        # The waiting step is considered again. A step forward comes before it, and is another one
        # that would reach the Moon.
        after, stage = np.int64(state["after"]), STAGE.ADVANCING
        state["asked"] = 0
    elif phase != CARD_PHASE:
        # Everyone is asked again.
        offer_before(state, seat, np.int64(state["resume"]))
    if action == ON:
        start_advance(state, np.int64(state["steps"]) + 1, seat, after)
    else:
        go_back(state, seat, 1)
        state["stage"] = stage


@kernel
def is_asked_unseen(state):
    """Return whether a seat is asked only because of its face-down Portal or Dagger.

    That it has one is private. If everyone who may hold one is asked, being asked is no secret.
    """
    if not state["holders_only"]:
        return False
    seat = state["to_play"]
    phase = state["phase"]
    if phase == NEUTRALISE_PHASE:
        return state["shown"][seat, DAGGER] == 0
    offered = phase in (MOON_PHASE, LAST_PHASE, PORTAL_PHASE)
    return offered and state["shown"][seat, PORTAL] == 0


@kernel
def _note_action(state, seat, phase, action):
    """Record whose action it is and whether it is public."""
    secret = phase == ECLIPSE_PHASE or (action == PASS and is_asked_unseen(state))
    state["last_seat"] = seat
    state["secret"] = secret
    if not secret:
        state["shown_action"] = action
        state["shown_seat"] = seat


# What is legal


@kernel
def legal_words(state):
    """Return the legal actions as two sets: the cards, and the others (bit 0: ``NUM_CARDS``)."""
    phase = state["phase"]
    seat = np.int64(state["to_play"])
    cards = np.int64(0)
    others = np.int64(0)
    if phase in (CARD_PHASE, ECLIPSE_PHASE):
        cards = np.int64(state["hand"][seat])
        if phase == CARD_PHASE and has_tile(state, seat, PORTAL):
            others = np.int64(_BACK | _ON)
    elif phase == ARTEFACT_PHASE:
        others = artefacts_left(state) << TAKE - NUM_CARDS
    elif phase == KEEP_PHASE:
        others = np.int64(_KEEP)
    elif phase == STABILISE_PHASE:
        others = artefacts_left(state) << TAKE - NUM_CARDS | _RETREAT
    elif phase in (MOON_PHASE, LAST_PHASE, PORTAL_PHASE):
        others = np.int64(_PASS)
        if has_tile(state, seat, PORTAL):
            others |= _BACK | _ON
    elif phase == PERMUTE_PHASE:
        others = _others_left(state, seat) << SWAP - NUM_CARDS
    elif phase == NEUTRALISE_PHASE:
        if has_tile(state, seat, DAGGER):
            others = _others_left(state, seat) << ELIMINATE - NUM_CARDS
        if state["shown"][seat, DAGGER] == 0:
            others |= _PASS
    elif phase == ORDER_PHASE:
        others = np.int64(state["pending"]) << FIRST_RITUAL - NUM_CARDS
    else:  # GUIDE_PHASE
        others = _others_left(state, seat) << NAME_GUIDE - NUM_CARDS
    return cards, others


@kernel
def _others_left(state, seat):
    """Return the other players who are not eliminated: bit 0 for the next one clockwise."""
    num_players = np.int64(state["num_players"])
    left = ~np.int64(state["eliminated"]) & ((1 << num_players) - 1)
    # Rotated so that the seat itself is bit 0.
    turned = left >> seat | left << (num_players - seat)
    return turned >> 1 & ((1 << (num_players - 1)) - 1)


@kernel
def legal_actions(state, mask):
    """Fill the bool or int8 mask ``(NUM_ACTIONS,)``; return how many are legal."""
    cards, others = legal_words(state)
    write_set(cards, NUM_CARDS, mask, 0)
    write_set(others, NUM_ACTIONS - NUM_CARDS, mask, NUM_CARDS)
    return count_bits(cards) + count_bits(others)


@kernel
def is_legal(state, action):
    """Return whether an action (0 to NUM_ACTIONS - 1) is legal."""
    cards, others = legal_words(state)
    if action < NUM_CARDS:
        return (cards >> action & 1) != 0
    return (others >> (action - NUM_CARDS) & 1) != 0


@kernel
def random_action(state, word):
    """Return the ``below(word, count)``-th legal action, ascending."""
    cards, others = legal_words(state)
    in_hand = count_bits(cards)
    k = below(word, in_hand + count_bits(others))
    if k < in_hand:
        return select_bit(cards, k)
    return NUM_CARDS + select_bit(others, k - in_hand)


@kernel
def returns(state, scores, ranks):
    """Fill each seat's score (victory points so far) and its rank, 1 for the best."""
    num_players = np.int64(state["num_players"])
    for seat in range(num_players):
        scores[seat] = state["points"][seat]
        ranks[seat] = state["points"][seat]
    rank_in_place(ranks, num_players)
