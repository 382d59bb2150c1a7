"""The state of a game of Shamans, one record a game, and readers of it in plain Python.

Worlds, cards, tiles, camps and rituals are numbered as in ``components.py``, actions as in
``actions.py``.

Phases (``state["phase"]``), who is to play, and what:

    CARD        a player in turn: a card of the hand, or a Portal first
    MOON        who holds a Portal, before a step that would take the pawn to the Moon: use it, pass
    LAST        who is about to be eliminated and holds a Portal: use it, pass
    ARTEFACT    who played the lowest card: an artefact that lies face up, or the top of the pile
    KEEP        who took the top of the pile and looks at it: keep it face up or face down
    ECLIPSE     everybody with a card, one after the other and unseen: a card to give
    STABILISE   who does the ritual: two squares back, or an artefact
    PERMUTE     who does the ritual: a player to swap roles with
    NEUTRALISE  who does the ritual and has a Dagger: a player to eliminate, or pass if no Dagger
                lies face up
    ORDER       who eliminated a Shadow: the world whose ritual comes first
    GUIDE       an eliminated player with the only card of the Destination: the next Guide

Between two decisions the rules run by themselves from stage to stage (``state["stage"]``); where a
stage leads back to is in the record too, so that an interruption (a Portal, the Eclipse, a ritual)
goes on where it came in. Stages:

    WAITING     for a decision
    CARD_TURN   of ``turn``
    ADVANCING   ``steps`` squares, asking for Portals before the Moon; then comes ``after``
    LAYING      ``card`` goes to its world
    TURN_OVER   the next player's turn, or the end of the trick
    TRICK_OVER  who has the lowest card?
    TAKEN       places are filled up, the Eclipse is looked for; then the ritual or trick goes on
    GATHERING   the highest card's player lays the cards
    RITUALS     the next of ``pending``; then comes ``then``
    NEW_TRICK   of ``turn``, if there are cards
    TARGETED    ``target`` may use Portals
    FALLING     ``target`` is eliminated
    ROUND_OVER  ``won``: points, next round or end of the game

A role card has the number of the seat that it was dealt to. Everybody can follow the cards when
two are swapped; what is on a card is known to who has looked at it (``seen``).
"""

from __future__ import annotations

import numpy as np

from ..core.state import game_dtype
from .components import (
    CAMPS,
    FACE_UP,
    MAX_PLAYERS,
    NUM_ARTEFACTS,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    TILES,
    VALUES,
    WORLDS,
)

# Ties could go on round by round for ever; a longer game is cut off (truncated).
MAX_PLIES = 3000

PHASES = (
    "CARD",
    "MOON",
    "LAST",
    "ARTEFACT",
    "KEEP",
    "ECLIPSE",
    "STABILISE",
    "PERMUTE",
    "NEUTRALISE",
    "ORDER",
    "GUIDE",
)
(
    CARD_PHASE,
    MOON_PHASE,
    LAST_PHASE,
    ARTEFACT_PHASE,
    KEEP_PHASE,
    ECLIPSE_PHASE,
    STABILISE_PHASE,
    PERMUTE_PHASE,
    NEUTRALISE_PHASE,
    ORDER_PHASE,
    GUIDE_PHASE,
) = range(len(PHASES))

# Stages.
(
    WAITING,
    CARD_TURN,
    ADVANCING,
    LAYING,
    TURN_OVER,
    TRICK_OVER,
    TAKEN,
    GATHERING,
    RITUAL_STAGE,
    NEW_TRICK,
    TARGETED,
    FALLING,
    ROUND_OVER,
) = range(13)

_SEATS = (MAX_PLAYERS,)

# Options.     single: one round is the game; ritual: of each world; start, moon: squares of the
#              track
# The match.   round: from 0; marker: seat with the First player marker; points: victory points;
#              won: camp that won the round before (or the last one), -1 before; sides: camp in
#              which each seat was at its end, -1 before
# The round.   pawn: square of the Shadow pawn; eliminated: seats, as bits
# Cards.       hand: of each seat, as bits; an eliminated Shaman's cards stay there, set aside;
#              placed: cards at their worlds, as bits
# Roles.       camp: on each role card; role: card in front of each seat; seen: seats that know what
#              is on each card, as bits
# Artefacts.   shown, hidden: those of each seat, face up and face down, by kind; hidden ones of an
#              eliminated seat left the round, unseen; gone: others that left it; display: face up
#              in the two places, -1 for none; pile: from the bottom; looked_at: tile of the pile
#              that is about to be kept, -1; eclipsed: the Eclipse is out of the pile; arrow: of the
#              Eclipse, 1 to the left, -1 to the right
# The Eclipse. given: card that each seat gave, until everybody has seen it, else -1; held_then:
#              cards in hand of each seat right after it, 0 if it took no part
# The trick.   guide; destination: world, -1 before the first card; turn: seat whose card turn it is
#              or was last, and from the end of a trick on who leads next; played: seats that played
#              a card, as bits; front: card in front of each seat, -1 for none
# On the way.  stage, after, then: see above; card: on its way to its world, -1 for none; steps:
#              that the pawn has to go; mover: who made it go; asked: how many seats, from the mover
#              on, were asked about this step or passed over; performer: who does the rituals, -1;
#              doing: world of the ritual being done, -1; pending: worlds whose rituals are still to
#              be done, as bits; target: who is being eliminated, -1
# Last action. last_seat: who took it; secret: only that seat knows; shown_action, shown_seat: the
#              last action that everybody knows and who took it, -1 for none
DTYPE = game_dtype(
    [
        ("hand", np.int64, _SEATS),
        ("placed", np.int64),
        ("points", np.int16, _SEATS),
        ("round", np.int16),
        ("single", np.bool_),
        ("ritual", np.int8, (NUM_WORLDS,)),
        ("start", np.int8),
        ("moon", np.int8),
        ("marker", np.int8),
        ("won", np.int8),
        ("sides", np.int8, _SEATS),
        ("pawn", np.int8),
        ("eliminated", np.uint8),
        ("camp", np.int8, _SEATS),
        ("role", np.int8, _SEATS),
        ("seen", np.uint8, _SEATS),
        ("shown", np.int8, (MAX_PLAYERS, NUM_HELD)),
        ("hidden", np.int8, (MAX_PLAYERS, NUM_HELD)),
        ("gone", np.int8, (NUM_TILES,)),
        ("display", np.int8, (FACE_UP,)),
        # The tiles are shuffled here: it has room for all twelve, and a game for eleven.
        ("pile", np.int8, (NUM_ARTEFACTS,)),
        ("pile_size", np.int8),
        ("looked_at", np.int8),
        ("eclipsed", np.bool_),
        ("arrow", np.int8),
        ("given", np.int8, _SEATS),
        ("held_then", np.int8, _SEATS),
        ("guide", np.int8),
        ("destination", np.int8),
        ("turn", np.int8),
        ("played", np.uint8),
        ("front", np.int8, _SEATS),
        ("stage", np.int8),
        ("after", np.int8),
        ("then", np.int8),
        ("card", np.int8),
        ("steps", np.int8),
        ("mover", np.int8),
        ("asked", np.int8),
        ("performer", np.int8),
        ("doing", np.int8),
        ("pending", np.uint8),
        ("target", np.int8),
        ("last_seat", np.int8),
        ("secret", np.bool_),
        ("shown_action", np.int8),
        ("shown_seat", np.int8),
    ]
)


def card_name(card: int) -> str:
    """Return the name of a card, ``violet 1`` to ``red 8``."""
    return f"{WORLDS[card // VALUES]} {card % VALUES + 1}"


def cards_of(bits: int) -> list[int]:
    """Return the cards of a set in ascending order."""
    return [card for card in range(int(bits).bit_length()) if int(bits) >> card & 1]


def seats_of(bits: int) -> list[int]:
    """Return the seats of a set in ascending order."""
    return cards_of(bits)


def hand_of(state: np.void, seat: int) -> list[int]:
    """Return the cards in a seat's hand, ascending; of an eliminated seat, those set aside."""
    return cards_of(state["hand"][seat])


def placed_at(state: np.void, world: int) -> list[int]:
    """Return the values of the cards placed at a world, ascending."""
    return [card % VALUES + 1 for card in cards_of(state["placed"]) if card // VALUES == world]


def is_eliminated(state: np.void, seat: int) -> bool:
    """Return whether a seat was eliminated in this round."""
    return bool(int(state["eliminated"]) >> seat & 1)


def camp_of(state: np.void, seat: int) -> str:
    """Return the camp of a seat now, ``"shaman"`` or ``"shadow"``."""
    return CAMPS[state["camp"][state["role"][seat]]]


def rounds_ended(state: np.void) -> int:
    """Return how many rounds have ended; one broken off by a forfeit or by MAX_PLIES has not."""
    last_has = bool(state["terminated"] and state["forfeit"] < 0)
    return int(state["round"]) + last_has


def camps_of_round(state: np.void) -> tuple[int, tuple[str, ...], str] | None:
    """Return ``(round, camps, winner)`` of the last round that has ended, None before.

    Rounds count from 0; ``camps`` says in which camp each seat was at the end, eliminated or not,
    and ``winner`` which camp won. All that was shown when the round ended.
    """
    if state["won"] < 0:
        return None
    sides = state["sides"][: state["num_players"]].tolist()
    return rounds_ended(state) - 1, tuple(CAMPS[camp] for camp in sides), CAMPS[state["won"]]


def knows_camp(state: np.void, seat: int, other: int) -> bool:
    """Return whether ``seat`` has seen the role card that lies in front of ``other``."""
    return bool(int(state["seen"][state["role"][other]]) >> seat & 1)


def is_revealed(state: np.void, seat: int) -> bool:
    """Return whether everybody has seen the role card in front of a seat."""
    everybody = (1 << int(state["num_players"])) - 1
    return int(state["seen"][state["role"][seat]]) & everybody == everybody


def tiles_of(state: np.void, seat: int, face_up: bool) -> dict[str, int]:
    """Return how many artefacts of each kind lie in front of a seat, face up or face down."""
    counts = state["shown" if face_up else "hidden"][seat].tolist()
    return dict(zip(TILES[:NUM_HELD], counts, strict=True))


def pile_of(state: np.void) -> list[int]:
    """Return the kinds of the tiles in the pile from the top down; 4 is the Eclipse."""
    return state["pile"][: state["pile_size"]].tolist()[::-1]


def card_passed_by(state: np.void, seat: int) -> tuple[int, int] | None:
    """Return ``(card, holder)`` of what a seat gave during the Eclipse, None if that is over.

    It is over once everybody has seen the card. The two seats know it, nobody else.
    """
    card = int(state["given"][seat])
    if card < 0 or state["phase"] == ECLIPSE_PHASE:
        return None
    (holder,) = (s for s in range(int(state["num_players"])) if int(state["hand"][s]) >> card & 1)
    return card, holder
