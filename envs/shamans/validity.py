"""Validation: which records are valid positions of Shamans."""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits
from ..core.jit import kernel
from ..core.state import seat_after
from ..core.validity import FINE, LAST_SEAT, numbered
from .actions import ACTIONS
from .artefacts import eclipse_shows, receiver_of
from .components import (
    DECK,
    ECLIPSE,
    FACE_UP,
    LED,
    MAX_HAND,
    MAX_PLAYERS,
    MAX_TRACK,
    NUM_ARTEFACTS,
    NUM_CARDS,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    PORTAL,
    RITUALS,
    STRAYED,
    TILES_IN_BOX,
    VALUES,
    WORLDS_IN_PLAY,
)
from .portals import is_asked_about, moon_in_reach
from .state import (
    ARTEFACT_PHASE,
    CARD_PHASE,
    DTYPE,
    ECLIPSE_PHASE,
    GUIDE_PHASE,
    KEEP_PHASE,
    LAST_PHASE,
    MOON_PHASE,
    NEUTRALISE_PHASE,
    ORDER_PHASE,
    PERMUTE_PHASE,
    PHASES,
    PORTAL_PHASE,
    STABILISE_PHASE,
    STAGE,
)

FIELD = numbered(DTYPE)
_SEATS = (1 << MAX_PLAYERS) - 1
_CARDS = (1 << NUM_CARDS) - 1
_A_SEAT = (-1, LAST_SEAT)
_A_CARD = (-1, NUM_CARDS - 1)
_A_WORLD = (-1, NUM_WORLDS - 1)
_A_TILE = (-1, NUM_TILES - 1)
_TILES = (0, NUM_ARTEFACTS)
_A_STAGE = (-1, len(STAGE) - 1)
LIMITS = {
    "phase": (0, len(PHASES) - 1),
    "hand": (0, _CARDS),
    "placed": (0, _CARDS),
    "points": (0, 1000),
    "round": (0, 3000),
    "ritual": (0, len(RITUALS) - 1),
    "start": (0, MAX_TRACK - 1),
    "moon": (1, MAX_TRACK),
    "marker": (0, LAST_SEAT),
    "won": (-1, 1),
    "sides": (-1, 1),
    "pawn": (0, MAX_TRACK),
    "eliminated": (0, _SEATS),
    "camp": (0, 1),
    "role": (0, MAX_PLAYERS - 1),
    "seen": (0, _SEATS),
    "shown": _TILES,
    "hidden": _TILES,
    "gone": _TILES,
    "display": _A_TILE,
    "pile": (0, ECLIPSE),
    "pile_size": _TILES,
    "looked_at": (-1, NUM_HELD - 1),  # a Mask isn't kept
    "arrow": (-1, 1),
    "given": _A_CARD,
    "held_then": (0, MAX_HAND),
    "plays": (STRAYED, LED),
    "deeds": (0, 127),
    "swaps": (0, 127),
    "eliminator": _A_SEAT,
    "guide": _A_SEAT,
    "destination": _A_WORLD,
    "turn": (0, LAST_SEAT),
    "played": (0, _SEATS),
    "front": _A_CARD,
    "stage": (0, len(STAGE) - 1),
    "after": _A_STAGE,
    "then": _A_STAGE,
    "card": _A_CARD,
    "steps": (0, MAX_TRACK),
    "mover": _A_SEAT,
    "asked": (0, MAX_PLAYERS),
    "resume": _A_STAGE,
    "stirred": _A_SEAT,
    "performer": _A_SEAT,
    "doing": _A_WORLD,
    "pending": (0, (1 << NUM_WORLDS) - 1),
    "target": _A_SEAT,
    "last_seat": _A_SEAT,
    "shown_action": (-1, len(ACTIONS) - 1),
    "shown_seat": _A_SEAT,
}


@kernel
def check(state):
    """Return the number of an impossible field, or FINE."""
    field = _check_cards(state)
    if field == FINE:
        field = _check_tiles(state)
    if field == FINE:
        field = _check_roles(state)
    if field == FINE:
        field = _check_worlds(state)
    if field == FINE:
        field = _check_given(state)
    # The pawn ends a round on the Moon.
    if field == FINE and state["pawn"] > state["moon"]:
        field = FIELD.pawn
    if field == FINE and state["start"] >= state["moon"]:
        field = FIELD.start
    if field != FINE:
        return field
    if state["terminated"] and state["forfeit"] < 0:
        # No decisions remain once the last round has been scored.
        return FINE if state["phase"] == CARD_PHASE else FIELD.phase
    # A forfeit or truncation leaves a decision open.
    field = _check_trick(state)
    return field if field != FINE else _check_decision(state)


@kernel
def _check_cards(state):
    """Check that cards are in one place and belong to the game, and hand sizes are equal."""
    num_players = np.int64(state["num_players"])
    seen = np.int64(state["placed"])
    if seen & ~DECK[num_players]:
        return FIELD.placed
    most = -1
    for seat in range(num_players):
        hand = np.int64(state["hand"][seat])
        if hand & (seen | ~DECK[num_players]):
            return FIELD.hand
        seen |= hand
        if not np.int64(state["eliminated"]) >> seat & 1:
            left = count_bits(hand) + (np.int64(state["played"]) >> seat & 1)
            if most >= 0 and left != most:
                return FIELD.hand
            most = left
    for seat in range(num_players):
        card = np.int64(state["front"][seat])
        if card >= 0:
            if seen >> card & 1 or card // VALUES != state["destination"]:
                return FIELD.front
            seen |= 1 << card
    card = np.int64(state["card"])
    return FIELD.card if card >= 0 and seen >> card & 1 else FINE


@kernel
def _check_tiles(state):
    """Count the artefacts of each kind, and the Eclipse: no more than exist."""
    size = np.int64(state["pile_size"])
    for kind in range(NUM_TILES + 1):
        count = np.int64(0)
        for k in range(size):
            count += state["pile"][k] == kind
        if kind == ECLIPSE:
            # It is resolved when it comes up, after the tile on it has been kept.
            early = eclipse_shows(state) and state["phase"] != KEEP_PHASE
            return FIELD.pile if count != (not state["eclipsed"]) or early else FINE
        count += np.int64(state["gone"][kind])
        for place in range(FACE_UP):
            count += state["display"][place] == kind
        count += state["looked_at"] == kind
        if kind < NUM_HELD:
            for seat in range(np.int64(state["num_players"])):
                count += np.int64(state["shown"][seat, kind])
                count += np.int64(state["hidden"][seat, kind])
        if count > TILES_IN_BOX[kind]:
            return FIELD.pile
    return FINE


@kernel
def _check_roles(state):
    """Check that seats have seen their role cards, and everybody those of eliminated players."""
    num_players = np.int64(state["num_players"])
    everybody = (1 << num_players) - 1
    lying = np.int64(0)
    shadows = np.int64(0)
    for seat in range(num_players):
        role = np.int64(state["role"][seat])
        lying |= 1 << role
        if role >= num_players:
            return FIELD.role
        out = np.int64(state["eliminated"]) >> seat & 1
        seen = np.int64(state["seen"][role])
        if not seen >> seat & 1 or (out and seen & everybody != everybody):
            return FIELD.seen
        shadows += state["camp"][role] == 1 and not out
    if lying != everybody:
        return FIELD.role
    if shadows == 0 and not state["terminated"]:
        return FIELD.eliminated
    if np.int64(state["eliminated"]) & ~everybody or np.int64(state["played"]) & ~everybody:
        return FIELD.eliminated
    return FINE


@kernel
def _check_worlds(state):
    """Check that the Destination and the worlds of rituals are in the game."""
    worlds = WORLDS_IN_PLAY[state["num_players"]]
    if state["destination"] >= worlds:
        return FIELD.destination
    if state["doing"] >= worlds:
        return FIELD.doing
    return FIELD.pending if np.int64(state["pending"]) >> worlds else FINE


@kernel
def _check_given(state):
    """Check who holds each card given during the Eclipse: its giver at first, then its receiver."""
    giving = state["phase"] == ECLIPSE_PHASE
    if giving and not state["eclipsed"]:
        return FIELD.eclipsed
    for giver in range(np.int64(state["num_players"])):
        card = np.int64(state["given"][giver])
        if not state["eclipsed"] and (card >= 0 or state["held_then"][giver]):
            return FIELD.given if card >= 0 else FIELD.held_then
        if card >= 0:
            holders = np.int64(0)
            for other in range(np.int64(state["num_players"])):
                holders += np.int64(state["hand"][other]) >> card & 1
            if not giving and state["held_then"][giver] == 0:
                return FIELD.held_then
            holder = giver if giving else receiver_of(state, giver)
            if holders != 1 or not np.int64(state["hand"][holder]) >> card & 1:
                return FIELD.given
        if state["held_then"][giver] > 0 and receiver_of(state, giver) == giver:
            return FIELD.held_then
    return FINE


@kernel
def _check_trick(state):
    """Check that a trick is on the table from its first card until it is gathered."""
    lies = False
    for seat in range(MAX_PLAYERS):
        if state["front"][seat] >= 0:
            lies = True
            if seat >= state["num_players"]:
                return FIELD.front
    begun = state["destination"] >= 0
    if (state["played"] != 0) != begun:
        return FIELD.played
    if state["performer"] >= 0:
        if state["then"] != (STAGE.TURN_OVER if lies else STAGE.NEW_TRICK):
            return FIELD.then
    elif begun and not lies:
        return FIELD.front
    laying = state["phase"] == MOON_PHASE and state["after"] == STAGE.LAYING
    return FINE if (state["card"] >= 0) == laying and (lies or not laying) else FIELD.card


@kernel
def _check_decision(state):
    """Check who decides, and the stage after it."""
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    out = np.int64(state["eliminated"]) >> seat & 1
    if state["stage"] != STAGE.WAITING:
        return FIELD.stage
    if out != (phase == GUIDE_PHASE):
        return FIELD.phase
    field = _check_turn(state)
    if field != FINE:
        return field
    if state["pawn"] >= state["moon"]:
        return FIELD.pawn
    if phase == CARD_PHASE and (state["hand"][seat] == 0 or seat != state["turn"]):
        return FIELD.turn
    if phase == MOON_PHASE and (state["pawn"] + 1 != state["moon"] or state["steps"] == 0):
        return FIELD.steps
    offered = phase in (MOON_PHASE, LAST_PHASE, PORTAL_PHASE)
    if offered and not is_asked_about(state, seat, PORTAL):
        return FIELD.phase
    if offered:
        field = _check_offer(state)
        if field != FINE:
            return field
    if phase == PORTAL_PHASE and not moon_in_reach(state):
        return FIELD.phase
    if phase == LAST_PHASE and seat != state["target"] and not moon_in_reach(state):
        return FIELD.target
    if (phase == KEEP_PHASE) != (state["looked_at"] >= 0):
        return FIELD.looked_at
    rite = phase in (STABILISE_PHASE, PERMUTE_PHASE, NEUTRALISE_PHASE, ORDER_PHASE)
    if rite and seat != state["performer"]:
        return FIELD.performer
    pending = np.int64(state["pending"])
    if pending and state["performer"] < 0:
        return FIELD.pending
    if phase == ORDER_PHASE and count_bits(pending) < 2:
        return FIELD.pending
    return FINE


@kernel
def _check_turn(state):
    """Check who has played a card, and who does a ritual: otherwise a turn might never end."""
    phase = state["phase"]
    turn = np.int64(state["turn"])
    performer = np.int64(state["performer"])
    played = np.int64(state["played"])
    all_have = _all_have_played(state)
    if np.int64(state["eliminated"]) >> turn & 1:
        return FIELD.turn
    for seat in range(np.int64(state["num_players"])):
        if state["front"][seat] >= 0 and not played >> seat & 1:
            return FIELD.front
    if (state["doing"] >= 0) != (performer >= 0 and phase != ORDER_PHASE):
        return FIELD.doing
    if performer >= 0:
        # Whose card completed a world; the rituals end the turn, or the trick.
        if performer != turn or phase in (CARD_PHASE, ARTEFACT_PHASE, GUIDE_PHASE):
            return FIELD.performer
        fits = played >> turn & 1 and (all_have or state["then"] != STAGE.NEW_TRICK)
        return FINE if fits else FIELD.played
    if phase == CARD_PHASE:
        return FIELD.played if played >> turn & 1 else FINE
    after = phase in (ARTEFACT_PHASE, GUIDE_PHASE, KEEP_PHASE, ECLIPSE_PHASE)
    return FIELD.played if after and not all_have else FINE


@kernel
def _check_offer(state):
    """Check who is asked about a Portal, and the stage after it."""
    asked = np.int64(state["asked"])
    if state["mover"] < 0:
        return FIELD.mover
    if asked < 1 or seat_after(state, np.int64(state["mover"]), asked - 1) != state["to_play"]:
        return FIELD.asked
    if state["phase"] == MOON_PHASE:
        if state["after"] == STAGE.RITUALS:
            return FINE if state["performer"] >= 0 else FIELD.after
        if state["after"] in (STAGE.LAYING, STAGE.CARD_TURN):
            return FINE if _can_play(state) else FIELD.after
        return _check_resumed(state) if state["after"] == STAGE.OFFERING else FIELD.after
    falls = state["resume"] == STAGE.FALLING
    return _check_resumed(state) if falls == (state["phase"] == LAST_PHASE) else FIELD.resume


@kernel
def _check_resumed(state):
    """Check the stage after everyone has been asked about a Portal."""
    resume = state["resume"]
    fits = False
    if resume == STAGE.RITUAL:
        fits = state["performer"] >= 0 and state["doing"] >= 0
    elif resume == STAGE.FALLING:
        target = np.int64(state["target"])
        fits = target >= 0 and state["performer"] >= 0
        fits = fits and not np.int64(state["eliminated"]) >> target & 1
    elif resume == STAGE.CARD_TURN:
        fits = _can_play(state)
    elif resume == STAGE.TRICK_OVER:
        fits = _all_have_played(state) and state["performer"] < 0
    elif resume == STAGE.OUT_OF_CARDS:
        fits = state["destination"] < 0 and state["performer"] < 0
    return FINE if fits else FIELD.resume


@kernel
def _all_have_played(state):
    """Return whether all who aren't eliminated have played a card to the trick."""
    everybody = (1 << np.int64(state["num_players"])) - 1
    done = np.int64(state["played"]) | np.int64(state["eliminated"])
    return done & everybody == everybody


@kernel
def _can_play(state):
    """Return whether the seat whose turn it is continues it, or has a card to play."""
    turn = np.int64(state["turn"])
    if state["card"] >= 0:
        return True
    return state["hand"][turn] != 0 and not np.int64(state["played"]) >> turn & 1
