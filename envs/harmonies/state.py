"""The state of a game of Harmonies, one record a game, and readers of it in plain Python.

Colours, sides, cards, hexes, stacks and kinds are numbered as in ``components.py``.

Phases (``state["phase"]``) and what may be played in them:

    TURN      in any order: take the tokens of a space (once), place each of the three, take a card
              (at most once), settle cubes (any number); ``end`` once all three tokens are placed
    SPIRIT    spirits=True, first decision of each player's first turn: keep one of the two cards
    DISCARD   solo, after the end of a turn in which no card was taken and after the central board
              was filled again: discard a card of the display (it is replaced at once), or ``end``

``end`` also resolves the end of the turn: it checks for the end of the game, refills the central
board and the display, and begins the next player's turn. Once the game is over nothing is refilled.

The first player is drawn by lot. The only hidden information in the record is the spirit cards
dealt: ``bag`` and ``deck`` are unordered, and draws use the record's own generator. Rulings on
what the rulebook leaves open are in the README.
"""

from __future__ import annotations

from collections import namedtuple
from typing import NamedTuple

import numpy as np

from ..core.state import first_byte, game_dtype
from .components import (
    CARD_NAMES,
    HAND_LIMIT,
    MAX_DISPLAY,
    MAX_HEXES,
    MAX_PLAYERS,
    MAX_SPACES,
    NUM_COLOURS,
    NUM_CUBES,
    NUM_HEXES,
    NUM_KINDS,
    SPIRITS_DEALT,
    STACKS,
)

PHASES = ("TURN", "SPIRIT", "DISCARD")
TURN_PHASE, SPIRIT_PHASE, DISCARD_PHASE = range(len(PHASES))

# A turn has at most six actions besides the settling of cubes; a hex takes one cube; a seat chooses
# one spirit. All together have 36 turns at most (13 alone, with a discard each: fewer actions).
MAX_PLIES = 36 * 6 + MAX_PLAYERS * (MAX_HEXES + 1)

# Scoring categories: columns of ``state["points"]``.
CATEGORIES = ("trees", "mountains", "fields", "buildings", "water", "animals", "spirits")
COLUMN = namedtuple("Column", CATEGORIES)(*range(len(CATEGORIES)))

# Words of ``state["legal"]``: the actions below PLACE, then two colours or slots a word.
NUM_WORDS = 1 + (NUM_COLOURS + HAND_LIMIT) // 2
_SEATS = (MAX_PLAYERS,)
_HEXES = (MAX_PLAYERS, MAX_HEXES)

# Options.     side: 0 A, 1 B; spirits: played with spirit cards
# The round.   first_player; turns: those finished by all seats together; last_round: the end has
#              been set off
# Supply.      bag: tokens of each colour in the bag; central: those on each space of the central
#              board; discarded: solo, those put back into the box; deck: animal cards not seen
#              yet, as bits (bit k: card k); display: cards face up, 0 where there is none
# The turn.    taken: space that is empty because its tokens were taken this turn, else -1; hand:
#              those not placed yet, by colour; took_card: a card was taken this turn
# Spirits.     dealt: the two cards of each seat, as dealt (hidden from the others); spirit: the one
#              kept, 0 before the choice
# Cards.       card: in each slot above a seat's board, the spirit among them, 0 where there is
#              none; cubes_left: cubes still on it; completed: cards set aside, as bits
# Boards.      stack: on each hex (``STACKS``, 0 is none); cube: card that the cube on each hex came
#              from, 0 where there is none
# Points.      points: now, by ``CATEGORIES``
#
# The rest is derived from these, and kept up to date by every action for speed:
# top, height: colour on top of each hex (-1 for none), tokens on it; hexes: by kind, as bits;
# cubes: hexes with a cube, as bits; habitat: hexes where the habitat of the card in each slot is
# (cubes don't matter), as bits; legal: legal actions as bits: those below PLACE in the first word,
# then 50 a word
DTYPE = game_dtype(
    [
        ("side", np.int8),
        ("spirits", np.bool_),
        ("first_player", np.int8),
        ("turns", np.int8),
        ("last_round", np.bool_),
        ("taken", np.int8),
        ("took_card", np.bool_),
        ("hand", np.int8, (NUM_COLOURS,)),
        ("bag", np.int8, (NUM_COLOURS,)),
        ("central", np.int8, (MAX_SPACES, NUM_COLOURS)),
        ("discarded", np.int8, (NUM_COLOURS,)),
        ("deck", np.int64),
        ("display", np.uint8, (MAX_DISPLAY,)),
        ("dealt", np.uint8, (MAX_PLAYERS, SPIRITS_DEALT)),
        ("spirit", np.uint8, _SEATS),
        ("card", np.uint8, (MAX_PLAYERS, HAND_LIMIT)),
        ("cubes_left", np.int8, (MAX_PLAYERS, HAND_LIMIT)),
        ("completed", np.int64, _SEATS),
        ("stack", np.uint8, _HEXES),
        ("cube", np.uint8, _HEXES),
        ("points", np.int16, (MAX_PLAYERS, len(CATEGORIES))),
        ("top", np.int8, _HEXES),
        ("height", np.int8, _HEXES),
        ("hexes", np.int32, (MAX_PLAYERS, NUM_KINDS)),
        ("cubes", np.int32, _SEATS),
        ("habitat", np.int32, (MAX_PLAYERS, HAND_LIMIT)),
        ("legal", np.int64, (NUM_WORDS,)),
    ]
)
# A new game begins with 0 in all fields from here on; those before are options.
FIRST_BYTE = first_byte(DTYPE, "first_player")


class Card(NamedTuple):
    """A card above a player's board.

    Attributes:
        card: its number, 1 to 32 an animal, 33 to 42 a spirit; 0 for an empty slot.
        left: cubes still on it.
        settled: cubes settled from it.
    """

    card: int
    left: int
    settled: int

    @property
    def name(self) -> str:
        return CARD_NAMES[self.card]


def stacks_of(state: np.void, seat: int) -> list[tuple[int, ...]]:
    """Return the colours on each hex of a seat's board from bottom to top, by hex number."""
    hexes = int(NUM_HEXES[state["side"]])
    return [STACKS[stack] for stack in state["stack"][seat][:hexes].tolist()]


def cubes_of(state: np.void, seat: int) -> dict[int, int]:
    """Return the hexes of a seat with a cube, each with the card that the cube came from."""
    cards = state["cube"][seat].tolist()
    return {hex_: card for hex_, card in enumerate(cards) if card}


def cards_of(state: np.void, seat: int) -> list[Card]:
    """Return the cards in the four slots above a seat's board."""
    held = zip(state["card"][seat].tolist(), state["cubes_left"][seat].tolist(), strict=True)
    return [Card(card, left, int(NUM_CUBES[card]) - left) for card, left in held]


def completed_of(state: np.void, seat: int) -> list[int]:
    """Return a seat's completed cards in ascending order, the spirit among them."""
    cards = int(state["completed"][seat])
    return [card for card in range(cards.bit_length()) if cards >> card & 1]


def dealt_to(state: np.void, seat: int) -> tuple[int, int]:
    """Return the two spirit cards that a seat was dealt, (0, 0) without spirits."""
    first, second = state["dealt"][seat].tolist()
    return first, second


def central_of(state: np.void) -> list[list[int]]:
    """Return the colours of the tokens on each space of the central board, ascending."""
    return [_tokens(counts) for counts in state["central"].tolist()]


def hand_of(state: np.void) -> list[int]:
    """Return the colours of the tokens that were taken and not placed yet, ascending."""
    return _tokens(state["hand"].tolist())


def points_of(state: np.void, seat: int) -> dict[str, int]:
    """Return a seat's points as if the game ended now, by category (``CATEGORIES``)."""
    return dict(zip(CATEGORIES, state["points"][seat].tolist(), strict=True))


def _tokens(counts: list[int]) -> list[int]:
    return [colour for colour, count in enumerate(counts) for _ in range(count)]
