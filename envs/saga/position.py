"""Setting up any position: for analysis, problems and tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..core.errors import check_choice, check_whole
from ..core.forms import dict_of, flag, list_of, or_none, row_of, text, whole
from ..core.validity import all_or_nothing
from .cards import add_down, add_open, defend, free_card, gain_card, lose_card, update_strength
from .components import COLOUR_OF, KINGDOMS, MAX_DOWN, MAX_FAME, MAX_FORCES, NUM_KNIGHTS, RECRUITED
from .legal import find_legal
from .notation import knight_of
from .rules import clear_table
from .state import CENTRE

Cards = Sequence[str]
_CARDS = list_of(text)
FORMS = {
    "kingdoms": or_none(dict_of(text, row_of(or_none(whole), _CARDS))),
    "forces": or_none(dict_of(whole, list_of(_CARDS))),
    "down": or_none(dict_of(whole, list_of(row_of(whole, text)))),
    "hands": or_none(dict_of(whole, _CARDS)),
    "free": _CARDS,
    "fame": list_of(whole),
    "used": _CARDS,
    "played": flag,
    "to_play": whole,
}

NEEDED_TO_PLAY = "each seat a card (hands): who plays the last one ends the game"


@all_or_nothing
def set_position(  # noqa: PLR0913
    states: np.ndarray,
    i: int = 0,
    *,
    kingdoms: Mapping[str, tuple[int | None, Cards]] | None = None,
    forces: Mapping[int, Sequence[Cards]] | None = None,
    down: Mapping[int, Sequence[tuple[int, str]]] | None = None,
    hands: Mapping[int, Cards] | None = None,
    free: Cards = (),
    fame: Sequence[int] = (),
    used: Sequence[str] = (),
    played: bool = False,
    to_play: int = 0,
) -> None:
    """Set ``states[i]``, a dealt game, to any position; its players and options are kept.

    Cards are written as ``"red 3"``, or ``"recruited red 3"`` with the back of a recruited knight;
    if backs reveal nothing (``state["backs"]``), the two are the same. The cards needn't be those
    of the box. All seats count as having shown a card.

    Args:
        states: records ``(n,)``.
        i: index of the game.
        kingdoms: owner (None: the centre) and defenders by name; the others are in the centre
            without defenders.
        forces: for each seat its attack forces, each with its face-up cards in the order played;
            none for a force of face-down cards only.
        down: for each seat its face-down cards, oldest first: number of the force, card. They lie
            on top of the face-up cards, and were in the hand together with its present cards.
        hands: the cards in each seat's hand.
        free: the free knights.
        fame: the fame of each seat.
        used: kingdoms whose once-only power was used.
        played: the seat to play has played its card.
        to_play: the seat to play, which has already received its income.

    Raises:
        ValueError: invalid cards, kingdoms, seats or numbers.
    """
    record = states[i]
    kingdoms, forces = dict(kingdoms or {}), dict(forces or {})
    down, hands = dict(down or {}), dict(hands or {})
    seats = range(int(record["num_players"]))
    owners = [owner for owner, _ in kingdoms.values() if owner is not None]
    for seat in (*owners, *forces, *down, *hands, to_play):
        check_choice(seat, seats, "seat")
    for name in (*kingdoms, *used):
        check_choice(name, KINGDOMS, "kingdom")
    _check_cards(kingdoms, forces, down)
    _check_centre(kingdoms, free)
    if len(fame) > len(seats):
        raise ValueError(f"fame has {len(fame)} numbers for {len(seats)} seats; give one a seat")
    for seat, points in enumerate(fame):
        check_whole(points, f"fame of seat {seat}", most=MAX_FAME)
    clear_table(states, i)
    for seat, cards in hands.items():
        for card in cards:
            gain_card(record, seat, _card(record, card))
    for seat, rows in forces.items():
        for slot, cards in enumerate(rows):
            for card in cards:
                add_open(record, seat, slot, _card(record, card))
            record["num_forces"][seat] = slot + 1  # also one of face-down cards alone
    for seat, hidden in down.items():
        for _, card in hidden:
            gain_card(record, seat, _card(record, card))
        for slot, card in hidden:
            add_down(record, seat, slot, _card(record, card))
            lose_card(record, seat, _card(record, card))
    for name, (owner, cards) in kingdoms.items():
        kingdom = KINGDOMS.index(name)
        record["owner"][kingdom] = CENTRE if owner is None else owner
        for card in cards:
            defend(record, kingdom, _card(record, card))
    for kingdom in range(len(KINGDOMS)):
        update_strength(record, kingdom)
    for card in free:
        free_card(record, knight_of(card))
    record["fame"][: len(fame)] = fame
    record["used"] = sum(1 << KINGDOMS.index(name) for name in used)
    record["played"] = played
    record["to_play"] = record["turn_of"] = to_play
    record["shown"] = (1 << len(seats)) - 1
    find_legal(record)


def _card(record: np.void, text: str) -> int:
    card = knight_of(text)
    return card if record["backs"] else card % NUM_KNIGHTS


def _check_centre(kingdoms, free) -> None:
    centre = [card for owner, cards in kingdoms.values() if owner is None for card in cards]
    for card in (*free, *centre):
        if knight_of(card) >= NUM_KNIGHTS:
            raise ValueError(f"{card!r} lies in the centre; leave out the word {RECRUITED!r}")


def _check_cards(kingdoms, forces, down) -> None:
    rows = [cards for _, cards in kingdoms.values()]
    for seat, groups in forces.items():
        check_whole(len(groups), f"number of forces of seat {seat}", most=MAX_FORCES)
        hidden = down.get(seat, ())
        for slot, cards in enumerate(groups):
            rows.append([*cards, *(card for at, card in hidden if at == slot)])
            if not rows[-1]:
                raise ValueError(f"force {slot} of seat {seat} has no card; leave it out")
    for seat, hidden in down.items():
        check_whole(len(hidden), f"number of face-down cards of seat {seat}", most=MAX_DOWN)
        slots = range(len(forces.get(seat, ())))
        for slot, _ in hidden:
            check_choice(slot, slots, f"force of a face-down card of seat {seat}")
    for cards in rows:
        if len({COLOUR_OF[knight_of(card)] for card in cards}) < len(cards):
            raise ValueError(f"{list(cards)} has a colour twice")
