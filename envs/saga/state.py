"""The state of a game of Saga, one record a game, and readers of it in plain Python.

Colours, kingdoms, knights, cards, powers and actions are numbered as in ``components.py``.

Phases (``state["phase"]``) and what may be played in them:

    TURN        in any order: one card (where it goes; then PLACING asks for the knight), one
                recruit, one card back (Fieldland), face-down cards up; ``pass`` once the card is
                played. When only ``pass`` is left, the turn ends automatically
    PLACING     the knight for the place chosen
    TAKING      the knight taken back from the force or defence chosen
    TURNING     the knight turned up, where the force chosen has several face-down cards
    RECRUITING  Castleland was conquered: a knight for free, or ``pass``; out of turn, too
    LAST_CARD   at the end of the game: Shadowland's owner adds a card to a force, or passes
    LAST_KNIGHT the knight for it

The rulings on the game's page (README.md) settle what the rulebook leaves open.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.state import first_byte, game_dtype
from .components import (
    MAX_DOWN,
    MAX_FORCES,
    MAX_PLAYERS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    NUM_VALUES,
    POWERS,
)

# The rules don't end a game in which somebody takes a card back every turn.
MAX_PLIES = 1000

PHASES = ("TURN", "PLACING", "TAKING", "TURNING", "RECRUITING", "LAST_CARD", "LAST_KNIGHT")
TURN, PLACING, TAKING, TURNING, RECRUITING, LAST_CARD, LAST_KNIGHT = range(len(PHASES))

# Kinds of points (see ``rules.points_by_category``).
CATEGORIES = ("fame", "kingdoms", "powers", "hand")

CENTRE = -1
NO_TARGET = -1
# Four bits in ``order``: three for the colour + 1, or for a card that lies face down; one for the
# back.
FACE_DOWN_MARK = WHAT_MARK = 7
RECRUITED_MARK = 8
# Words of ``state["legal"]``: places for a card; from ``TAKE_FORCE`` on, what else may be done, up
# to ``pass``; knights to recruit; cards to choose; cards that the others don't see.
NUM_WORDS = 5
PLACES, EXTRAS, FREE_KNIGHTS, SEEN_CARDS, UNSEEN_CARDS = range(NUM_WORDS)

_SEATS = (MAX_PLAYERS,)
_FORCES = (MAX_PLAYERS, MAX_FORCES)
_DOWN = (MAX_PLAYERS, MAX_DOWN)

# Options.     side: of each kingdom, 0 crown, 1 reverse; powers: those in this game, as bits;
#              income: of each kingdom; at_once: retake="at_once"; contents: knights of each pack;
#              backs: knights recruited are told from those of the own pack: backs are seen in hand,
#              and cards may be laid face down. If not, all that a seat has counts as of its pack
# The deal.    pack: of each seat, then of the centre, then those in the box; shown: seats whose
#              pack everybody has seen, as bits; first_player
# The turn.    turn_of: whose turn it is (to_play differs in RECRUITING and at the end); played,
#              recruited, took: done this turn; fresh: the last face-down card of turn_of was put
#              there this turn; ending: the last card was played; chosen: action that chose the
#              place, -1 for none
# Players.     fame; hand: how many of each card; hand_size; held: cards in hand, as bits
# Free.        free: how many of each knight can be recruited; free_knights: as bits
# Kingdoms.    owner: seat, or CENTRE; defence: value of the defender of each colour, 0 for none;
#              recruits: colours of those that its owner had recruited, as bits; strength: of the
#              defence, +1 and -1 counted; used: kingdoms whose power was used since they were
#              conquered, as bits
# Forces.      num_forces: of each seat, the oldest first; attack: value of the face-up card of each
#              colour, 0 for none; order: the cards as they came, four bits each, the first lowest:
#              colour + 1, or FACE_DOWN_MARK, and RECRUITED_MARK; target: the kingdom that the first
#              face-up card names; total: values of the face-up cards; having: forces that have a
#              card of each colour, face-down ones too, as bits
# Face down.   num_down: face-down cards of each seat, the oldest first; down_slot: their forces;
#              down_card: which cards; can_be: how many cards of each knight (and of that back) each
#              can be, for all that the other seats know: as many as its seat had when it was laid
#              and has not shown since
#
# legal: legal actions, as bits (``NUM_WORDS``)
DTYPE = game_dtype(
    [
        ("side", np.int8, (NUM_KINGDOMS,)),
        ("income", np.int8, (NUM_KINGDOMS,)),
        ("powers", np.int32),
        ("at_once", np.bool_),
        ("backs", np.bool_),
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
        ("hand", np.int8, (MAX_PLAYERS, NUM_CARDS)),
        ("hand_size", np.int8, _SEATS),
        ("held", np.int64, _SEATS),
        ("free", np.int8, (NUM_KNIGHTS,)),
        ("free_knights", np.int32),
        ("owner", np.int8, (NUM_KINGDOMS,)),
        ("defence", np.int8, (NUM_KINGDOMS, NUM_COLOURS)),
        ("recruits", np.int8, (NUM_KINGDOMS,)),
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
        ("can_be", np.int8, (*_DOWN, NUM_KNIGHTS)),
        ("legal", np.int64, (NUM_WORDS,)),
    ]
)
# A new game begins with 0 in all fields from here on; those before are options.
FIRST_BYTE = first_byte(DTYPE, "first_player")


class Laid(NamedTuple):
    """A card of an attack force.

    Attributes:
        knight: the number of the card, None if unknown.
        up: whether it lies face up.
        guesses: cards that a face-down card can be as far as the other seats know; listed twice if
            it can be either of two equal ones.
    """

    knight: Any
    up: bool
    guesses: tuple[int, ...] = ()

    @property
    def recruited(self) -> bool:
        """Whether it has the back of a recruited knight, which is public."""
        known = self.guesses[:1] if self.knight is None else (self.knight,)
        return any(card >= NUM_KNIGHTS for card in known)


class Force(NamedTuple):
    """An attack force.

    Attributes:
        target: kingdom that it attacks, -1 if all its cards are face down.
        laid: its cards, oldest first; the first face-up one names the target.
        strength: of the face-up cards.
    """

    target: int
    laid: tuple[Laid, ...]
    strength: int

    @property
    def cards(self) -> tuple[int, ...]:
        """The face-up cards."""
        return tuple(card.knight for card in self.laid if card.up)

    @property
    def down(self) -> tuple[int, ...]:
        """The face-down cards, oldest first."""
        return tuple(card.knight for card in self.laid if not card.up)


def hand_of(state: np.void, seat: int) -> list[int]:
    """Return the cards in a seat's hand, ascending."""
    return _listed(state["hand"][seat].tolist())


def free_of(state: np.void) -> list[int]:
    """Return the free knights, ascending."""
    return _listed(state["free"].tolist())


def forces_of(state: np.void, seat: int) -> list[Force]:
    """Return a seat's attack forces, the oldest first."""
    forces = []
    slots = state["down_slot"][seat, : state["num_down"][seat]]
    for slot in range(state["num_forces"][seat]):
        hidden = np.flatnonzero(slots == slot).tolist()
        values = state["attack"][seat, slot].tolist()
        word = int(state["order"][seat, slot])
        laid = []
        while word:
            mark, first, word = word & WHAT_MARK, _first(word & RECRUITED_MARK), word >> 4
            if mark == FACE_DOWN_MARK:
                laid.append(_face_down(state, seat, hidden.pop(0), first))
            else:
                knight = (mark - 1) * NUM_VALUES + values[mark - 1] - 1
                laid.append(Laid(first + knight, True))
        target, total = int(state["target"][seat, slot]), int(state["total"][seat, slot])
        forces.append(Force(target, tuple(laid), total))
    return forces


def _face_down(state: np.void, seat: int, j: int, first: int) -> Laid:
    guesses = tuple(first + knight for knight in _listed(state["can_be"][seat, j].tolist()))
    return Laid(int(state["down_card"][seat, j]), False, guesses)


def _first(recruited: int) -> int:
    """Return the number of the first card with a back."""
    return NUM_KNIGHTS if recruited else 0


def defence_of(state: np.void, kingdom: int) -> list[int]:
    """Return the cards that defend a kingdom, by colour."""
    values, recruits = state["defence"][kingdom].tolist(), int(state["recruits"][kingdom])
    return [
        _first(recruits >> colour & 1) + colour * NUM_VALUES + value - 1
        for colour, value in enumerate(values)
        if value
    ]


def owner_of(state: np.void, kingdom: int) -> int | None:
    """Return the seat that holds a kingdom, None for the centre of the table."""
    owner = int(state["owner"][kingdom])
    return None if owner == CENTRE else owner


def kingdoms_of(state: np.void, seat: int) -> list[int]:
    """Return the kingdoms that a seat holds."""
    return [kingdom for kingdom in range(NUM_KINGDOMS) if state["owner"][kingdom] == seat]


def powers_of(state: np.void) -> list[str]:
    """Return the names of the powers in this game."""
    return [power for k, power in enumerate(POWERS) if state["powers"] >> k & 1]


def _listed(counts: list[int]) -> list[int]:
    return [card for card, count in enumerate(counts) for _ in range(count)]


assert NUM_COLOURS < FACE_DOWN_MARK, "four bits a card in ``order``"
