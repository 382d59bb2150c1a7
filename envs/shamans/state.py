"""The state of a game of Shamans, one record a game, and readers of it in plain Python.

Worlds, cards, tiles, camps and rituals are numbered as in ``components.py``, actions as in
``actions.py``. Sets of cards, seats or worlds are bits; -1 is none.

The phase is the kind of decision. Between two decisions the rules run automatically from stage to
stage; the record also contains the stage to return to, so that after an interruption (a Portal, the
Eclipse, a ritual) the game resumes where it was.

A role card has the number of the seat that it was dealt to. Swaps of role cards are public; the
role on a card is known to those who have looked at it (``seen``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.state import game_dtype
from .components import (
    CAMPS,
    FACE_UP,
    MAX_PLAYERS,
    NUM_ARTEFACTS,
    NUM_CARDS,
    NUM_DEEDS,
    NUM_HELD,
    NUM_TILES,
    NUM_WORLDS,
    TILES,
    VALUES,
    WORLDS,
)

# Ties could continue round after round forever; longer games are truncated.
MAX_PLIES = 3000

PHASES = (
    "CARD",
    "MOON",
    "LAST",
    "PORTAL",
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
    CARD_PHASE,  # a player in turn: a card of the hand, or a Portal first
    MOON_PHASE,  # who may hold a Portal, before a step to the Moon: use it, or pass
    LAST_PHASE,  # the same, before an elimination
    PORTAL_PHASE,  # the same, at another moment at which it can matter
    ARTEFACT_PHASE,  # who played the lowest card: an artefact face up, or the top of the pile
    KEEP_PHASE,  # who took the top of the pile and looks at it: keep it face up or face down
    ECLIPSE_PHASE,  # everybody with a card, one after the other and unseen: a card to give
    STABILISE_PHASE,  # who does the ritual: two squares back, or an artefact
    PERMUTE_PHASE,  # who does the ritual: a player to swap roles with
    NEUTRALISE_PHASE,  # who does the ritual and may have a Dagger: whom to eliminate, or pass
    ORDER_PHASE,  # who eliminated a Shadow: the world whose ritual comes first
    GUIDE_PHASE,  # an eliminated player with the only card of the Destination: the next Guide
) = range(len(PHASES))


class Stages(NamedTuple):
    """What the rules do next, by number."""

    WAITING: int  # for a decision
    CARD_TURN: int  # of ``turn``; Portals are offered before
    ADVANCING: int  # ``steps`` squares, asking for Portals before the Moon; then comes ``after``
    LAYING: int  # ``card`` goes to its world
    TURN_OVER: int  # the next player's turn, or the end of the trick
    TRICK_OVER: int  # who has the lowest card?
    TAKEN: int  # places are filled up, the Eclipse is looked for; then the ritual or trick goes on
    GATHERING: int  # the highest card's player lays the cards
    RITUALS: int  # the next of ``pending``; then comes ``then``
    RITUAL: int  # that of ``doing``, once Portals were offered
    NEW_TRICK: int  # of ``turn``, if there are cards
    OFFERING: int  # Portals to one after the other; then comes ``resume``
    FALLING: int  # ``target`` is eliminated
    OUT_OF_CARDS: int  # the round is over, and the Shamans have held out
    ROUND_OVER: int  # ``won``: points, next round or end of the game


STAGE = Stages(*range(len(Stages._fields)))
NEW_TRICK, RITUAL_STAGE = STAGE.NEW_TRICK, STAGE.RITUALS
_SEATS = (MAX_PLAYERS,)
DTYPE = game_dtype(
    [
        ("hand", np.int64, _SEATS),  # cards; of an eliminated Shaman, those set aside
        ("placed", np.int64),  # cards at their worlds
        ("points", np.int16, _SEATS),  # victory points
        ("round", np.int16),  # from 0
        ("single", np.bool_),  # option: one round is the game
        ("holders_only", np.bool_),  # option: who has no Portal or Dagger isn't asked about one
        ("ritual", np.int8, (NUM_WORLDS,)),  # option: of each world
        ("start", np.int8),  # option: square on which the pawn starts
        ("moon", np.int8),  # option: last square of the track
        ("marker", np.int8),  # seat with the First player marker
        ("won", np.int8),  # camp that won the last round that has ended
        ("sides", np.int8, _SEATS),  # camp in which each seat was at its end
        ("pawn", np.int8),  # square of the Shadow pawn
        ("eliminated", np.uint8),  # seats
        ("camp", np.int8, _SEATS),  # on each role card
        ("role", np.int8, _SEATS),  # card in front of each seat
        ("seen", np.uint8, _SEATS),  # seats that know what is on each role card
        # Artefacts of each seat by kind. Those that an eliminated seat had face down stay in
        # ``hidden``: they left the round unseen. ``gone`` are the others that left it.
        ("shown", np.int8, (MAX_PLAYERS, NUM_HELD)),
        ("hidden", np.int8, (MAX_PLAYERS, NUM_HELD)),
        ("gone", np.int8, (NUM_TILES,)),
        ("display", np.int8, (FACE_UP,)),  # artefact face up in each place
        # From the bottom; the tiles are shuffled here, so it has room for all twelve artefacts.
        ("pile", np.int8, (NUM_ARTEFACTS,)),
        ("pile_size", np.int8),
        ("looked_at", np.int8),  # tile of the pile that is about to be kept
        ("eclipsed", np.bool_),  # the Eclipse is out of the pile
        ("arrow", np.int8),  # of the Eclipse: 1 to the left, -1 to the right
        ("given", np.int8, _SEATS),  # card that each seat gave, until everybody has seen it
        ("held_then", np.int8, _SEATS),  # cards of each giver right after the Eclipse, else 0
        # What everybody has seen in the round, for those who remember it.
        ("plays", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how each played which card: ``PLAYS``
        ("deeds", np.int8, (MAX_PLAYERS, NUM_DEEDS)),  # how often
        ("swaps", np.int8, (MAX_PLAYERS, MAX_PLAYERS)),  # with whom, of who did the permutation
        ("eliminator", np.int8, _SEATS),  # who eliminated each seat
        ("guide", np.int8),
        ("destination", np.int8),  # world, -1 before the first card
        ("turn", np.int8),  # seat whose card turn it is; after the trick, who leads next
        ("played", np.uint8),  # seats that played a card
        ("front", np.int8, _SEATS),  # card in front of each seat
        ("stage", np.int8),
        ("after", np.int8),  # stage after an advance
        ("then", np.int8),  # stage after the rituals
        ("card", np.int8),  # on its way to its world
        ("steps", np.int8),  # that the pawn has to go
        ("mover", np.int8),  # seat that makes it go; of an offer, where it began
        ("asked", np.int8),  # how many, from the mover on, were offered a use of Portals or skipped
        ("resume", np.int8),  # stage after Portals were offered
        ("stirred", np.int8),  # who moved the pawn or did a ritual since the last offer
        ("performer", np.int8),  # seat that does the rituals
        ("doing", np.int8),  # world of the ritual being done
        ("pending", np.uint8),  # worlds whose rituals are still to be done
        ("target", np.int8),  # seat being eliminated
        ("last_seat", np.int8),  # who took the last action
        ("secret", np.bool_),  # only that seat knows it
        ("shown_action", np.int8),  # the last action that everybody knows
        ("shown_seat", np.int8),  # who took it
    ]
)


def card_name(card: int) -> str:
    """Return the name of a card, ``violet 1`` to ``red 8``."""
    return f"{WORLDS[card // VALUES]} {card % VALUES + 1}"


def cards_of(bits: int) -> list[int]:
    """Return the cards of a set in ascending order."""
    return [card for card in range(int(bits).bit_length()) if int(bits) >> card & 1]


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
    """Return the current camp of a seat, ``"shaman"`` or ``"shadow"``."""
    return CAMPS[state["camp"][state["role"][seat]]]


def rounds_ended(state: np.void) -> int:
    """Return the number of finished rounds, without one ended by a forfeit or by MAX_PLIES."""
    return int(state["round"]) + bool(state["terminated"] and state["forfeit"] < 0)


def camps_of_round(state: np.void) -> tuple[int, tuple[str, ...], str] | None:
    """Return ``(round, camps, winner)`` of the last finished round, None before the first.

    Rounds count from 0; ``camps`` is the camp of each seat at the end, eliminated or not, and
    ``winner`` the camp that won. All of this became public when the round ended.
    """
    if state["won"] < 0:
        return None
    sides = state["sides"][: state["num_players"]].tolist()
    return rounds_ended(state) - 1, tuple(CAMPS[camp] for camp in sides), CAMPS[state["won"]]


def knows_camp(state: np.void, seat: int, other: int) -> bool:
    """Return whether ``seat`` has seen the role card in front of ``other``."""
    return bool(int(state["seen"][state["role"][other]]) >> seat & 1)


def is_revealed(state: np.void, seat: int) -> bool:
    """Return whether everybody has seen the role card in front of a seat."""
    everybody = (1 << int(state["num_players"])) - 1
    return int(state["seen"][state["role"][seat]]) & everybody == everybody


def tiles_of(state: np.void, seat: int, face_up: bool) -> dict[str, int]:
    """Return the number of artefacts of each kind in front of a seat, face up or face down."""
    counts = state["shown" if face_up else "hidden"][seat].tolist()
    return dict(zip(TILES[:NUM_HELD], counts, strict=True))


def pile_of(state: np.void) -> list[int]:
    """Return the kinds of the tiles in the pile from top to bottom; 4 is the Eclipse."""
    return state["pile"][: state["pile_size"]].tolist()[::-1]


def card_passed_by(state: np.void, seat: int) -> tuple[int, int] | None:
    """Return ``(card, holder)`` for the card a seat gave during the Eclipse, while it is secret."""
    card = int(state["given"][seat])
    if card < 0 or state["phase"] == ECLIPSE_PHASE:
        return None
    (holder,) = (s for s in range(int(state["num_players"])) if int(state["hand"][s]) >> card & 1)
    return card, holder
