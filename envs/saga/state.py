"""The state of a game of Saga, one record a game, and readers of it in plain Python.

Colours, kingdoms, knights, powers and actions are numbered as in ``components.py``.

Phases (``state["phase"]``) and what may be played in them:

    TURN        in any order: one card (where it goes; then PLACING asks for the knight), one
                recruit, one card back (Fieldland), face-down cards up; ``pass`` once the card is
                played. When nothing but ``pass`` is left the turn ends by itself
    PLACING     the knight for the place chosen
    TAKING      the knight taken back from the force or defence chosen
    TURNING     the knight turned up, where the force chosen has several face-down cards
    RECRUITING  Castleland was conquered: a knight for free, or ``pass``; out of turn, too
    LAST_CARD   at the end of the game: Shadowland's owner adds a card to a force, or passes
    LAST_KNIGHT the knight for it

Where the rulebook leaves a choice, the rulings on the game's page (README.md) say what is played.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.state import game_dtype
from .components import (
    COLOURS,
    KINGDOMS,
    MAX_DOWN,
    MAX_FORCES,
    MAX_PLAYERS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    POWERS,
    SIDES,
)

# Nothing in the rules ends a game in which somebody takes a card back every turn.
MAX_PLIES = 1000

PHASES = ("TURN", "PLACING", "TAKING", "TURNING", "RECRUITING", "LAST_CARD", "LAST_KNIGHT")
TURN, PLACING, TAKING, TURNING, RECRUITING, LAST_CARD, LAST_KNIGHT = range(len(PHASES))

CENTRE = -1
NO_TARGET = -1
# Stands in ``order`` for a card that lies face down.
FACE_DOWN_MARK = 15
# Words of ``state["legal"]``: places for a card; from ``TAKE_FORCE`` on, what else may be done, up
# to ``pass``; knights to recruit and, from bit ``NUM_KNIGHTS`` on, those to choose; knights that
# the others don't see.
NUM_WORDS = 4
PLACES, EXTRAS, SEEN_KNIGHTS, UNSEEN_KNIGHTS = range(NUM_WORDS)

_SEATS = (MAX_PLAYERS,)
_FORCES = (MAX_PLAYERS, MAX_FORCES)
_DOWN = (MAX_PLAYERS, MAX_DOWN)

# Options.     side: of each kingdom, 0 crown, 1 reverse; powers: those in this game, as bits;
#              income: of each kingdom; at_once: retake="at_once"; contents: knights of each pack
# The deal.    pack: of each seat, then of the centre, then those in the box; shown: seats of which
#              a card was seen, as bits; first_player
# The turn.    turn_of: whose turn it is (to_play differs in RECRUITING and at the end); played,
#              recruited, took: done this turn; fresh: the last face-down card of turn_of was put
#              there this turn; ending: the last card was played; chosen: action that chose the
#              place, -1 for none
# Players.     fame; hand: how many of each knight; hand_size; held: knights in hand, as bits
# Free.        free: how many of each knight can be recruited; free_knights: as bits
# Kingdoms.    owner: seat, or CENTRE; defence: value of the defender of each colour, 0 for none;
#              strength: of the defence, +1 and -1 counted; used: kingdoms whose power was used
#              since they were conquered, as bits
# Forces.      num_forces: of each seat, the oldest first; attack: value of the face-up card of each
#              colour, 0 for none; order: the cards as they came, four bits each, the first lowest:
#              colour + 1, or FACE_DOWN_MARK; target: the kingdom that the first face-up card names;
#              total: values of the face-up cards; having: forces that have a card of each colour,
#              face-down ones too, as bits
# Face down.   num_down: face-down cards of each seat, the oldest first; down_slot: their forces;
#              down_card: which knights; down_knights: knights that they can be, as bits, for all
#              that the other seats know
#
# legal: legal actions, as bits (``NUM_WORDS``)
DTYPE = game_dtype(
    [
        ("side", np.int8, (NUM_KINGDOMS,)),
        ("income", np.int8, (NUM_KINGDOMS,)),
        ("powers", np.int32),
        ("at_once", np.bool_),
        ("contents", np.int8, (NUM_PACKS, NUM_KNIGHTS)),
        ("pack", np.int8, (NUM_PACKS,)),
        ("shown", np.int8),
        ("first_player", np.int8),
        ("turn_of", np.int8),
        ("played", np.bool_),
        ("recruited", np.bool_),
        ("took", np.bool_),
        ("fresh", np.bool_),
        ("ending", np.bool_),
        ("chosen", np.int8),
        ("fame", np.int16, _SEATS),
        ("hand", np.int8, (MAX_PLAYERS, NUM_KNIGHTS)),
        ("hand_size", np.int8, _SEATS),
        ("held", np.int32, _SEATS),
        ("free", np.int8, (NUM_KNIGHTS,)),
        ("free_knights", np.int32),
        ("owner", np.int8, (NUM_KINGDOMS,)),
        ("defence", np.int8, (NUM_KINGDOMS, NUM_COLOURS)),
        ("strength", np.int8, (NUM_KINGDOMS,)),
        ("used", np.int8),
        ("attack", np.int8, (*_FORCES, NUM_COLOURS)),
        ("order", np.int32, _FORCES),
        ("target", np.int8, _FORCES),
        ("total", np.int8, _FORCES),
        ("num_forces", np.int8, _SEATS),
        ("having", np.int32, (MAX_PLAYERS, NUM_COLOURS)),
        ("num_down", np.int8, _SEATS),
        ("down_slot", np.int8, _DOWN),
        ("down_card", np.int8, _DOWN),
        ("down_knights", np.int32, _DOWN),
        ("legal", np.int64, (NUM_WORDS,)),
    ]
)


class Force(NamedTuple):
    """An attack force.

    Attributes:
        target: kingdom that it attacks, -1 if all its cards are face down.
        laid: its cards as they came, each with whether it lies face up; the first that does names
            the target.
        strength: of the cards that lie face up.
    """

    target: int
    laid: tuple[tuple[int, bool], ...]
    strength: int

    @property
    def cards(self) -> tuple[int, ...]:
        """The knights that lie face up."""
        return tuple(knight for knight, up in self.laid if up)

    @property
    def down(self) -> tuple[int, ...]:
        """The knights that lie face down, the oldest first."""
        return tuple(knight for knight, up in self.laid if not up)


def hand_of(state: np.void, seat: int) -> list[int]:
    """Return the knights in a seat's hand, ascending."""
    return _knights(state["hand"][seat].tolist())


def free_of(state: np.void) -> list[int]:
    """Return the free knights, ascending."""
    return _knights(state["free"].tolist())


def fame_of(state: np.void, seat: int) -> int:
    """Return a seat's points of fame in tokens."""
    return int(state["fame"][seat])


def forces_of(state: np.void, seat: int) -> list[Force]:
    """Return a seat's attack forces, the oldest first."""
    forces = []
    down = list(
        zip(state["down_slot"][seat].tolist(), state["down_card"][seat].tolist(), strict=True)
    )[: state["num_down"][seat]]
    for slot in range(state["num_forces"][seat]):
        hidden = [card for at, card in down if at == slot]
        values = state["attack"][seat, slot].tolist()
        word = int(state["order"][seat, slot])
        laid = []
        while word:
            mark, word = word & 15, word >> 4
            up = mark != FACE_DOWN_MARK
            knight = (mark - 1) * NUM_VALUES + values[mark - 1] - 1 if up else hidden.pop(0)
            laid.append((knight, up))
        target, total = int(state["target"][seat, slot]), int(state["total"][seat, slot])
        forces.append(Force(target, tuple(laid), total))
    return forces


def defence_of(state: np.void, kingdom: int) -> list[int]:
    """Return the knights that defend a kingdom, ascending."""
    values = state["defence"][kingdom].tolist()
    return [colour * NUM_VALUES + value - 1 for colour, value in enumerate(values) if value]


def owner_of(state: np.void, kingdom: int) -> int | None:
    """Return the seat that holds a kingdom, None for the centre of the table."""
    owner = int(state["owner"][kingdom])
    return None if owner == CENTRE else owner


def kingdoms_of(state: np.void, seat: int) -> list[int]:
    """Return the kingdoms that a seat holds."""
    return [kingdom for kingdom in range(NUM_KINGDOMS) if state["owner"][kingdom] == seat]


def sides_of(state: np.void) -> dict[str, str]:
    """Return the side that lies up of each kingdom, by name: "crown" or "reverse"."""
    return {name: SIDES[side] for name, side in zip(KINGDOMS, state["side"].tolist(), strict=True)}


def powers_of(state: np.void) -> list[str]:
    """Return the names of the powers in this game."""
    return [power for k, power in enumerate(POWERS) if state["powers"] >> k & 1]


def target_name(force: Force) -> str:
    """Return the name of the kingdom that a force attacks, "" for none."""
    return KINGDOMS[force.target] if force.target >= 0 else ""


def _knights(counts: list[int]) -> list[int]:
    return [knight for knight, count in enumerate(counts) for _ in range(count)]


assert len(COLOURS) < 16, "four bits a colour in ``order``"
