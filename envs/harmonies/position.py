"""Setting up any position: for analysis, problems and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import numpy as np

from ..core.errors import check_whole, number_of
from ..core.forms import dict_of, flag, list_of, name_or_number, or_none, whole
from ..core.validity import all_or_nothing
from .components import (
    COLOURS,
    DISPLAY_SIZE,
    FIRST_SPIRIT,
    HAND_LIMIT,
    NUM_ANIMALS,
    NUM_CARDS,
    NUM_COLOURS,
    NUM_CUBES,
    NUM_HEXES,
    NUM_SPACES,
    PER_SPACE,
    SPIRITS_DEALT,
    STACKS,
    TOKENS,
)
from .rules import clear_game, index_board
from .state import DISCARD_PHASE, SPIRIT_PHASE, TURN_PHASE
from .supply import fill_space

# More than a game can have.
MAX_TURNS = 100
# A name, or a number.
Colour = Any
Board = Mapping[int, Sequence[Colour]]


@dataclass(frozen=True)
class Position:
    """The arguments of ``set_position``. Colours are given by name or number.

    Attributes:
        boards: for each seat, the colours on its hexes from bottom to top, by hex number.
        cubes: for each seat, the hexes with a cube, each with the card that the cube came from.
            A card whose cubes are all settled is completed.
        cards: for each seat, the cards in its slots, 0 for an empty slot; including the spirit
            until it is settled.
        spirit: the spirit that each seat has kept.
        dealt: the two spirit cards dealt to each seat; by default the one kept and another.
        display: animal cards face up, 0 for an empty place.
        deck: animal cards in the deck; by default all others.
        central: colours of the tokens on each space; by default spaces are filled from the bag,
            except the one taken.
        hand: colours of the tokens taken and not placed yet.
        taken: space that was taken this turn, -1 for none.
        took_card: whether a card was taken this turn.
        bag: number of tokens of each colour in the bag; by default all others.
        discarded: colours of the tokens back in the box (solo).
        first_player, to_play, turns, last_round: as in the record.
        discarding: the turn is over, a card may be discarded (solo).
    """

    boards: Mapping[int, Board] = field(default_factory=dict)
    cubes: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    cards: Mapping[int, Sequence[int]] = field(default_factory=dict)
    spirit: Mapping[int, int] = field(default_factory=dict)
    dealt: Mapping[int, Sequence[int]] = field(default_factory=dict)
    display: Sequence[int] = ()
    deck: Sequence[int] | None = None
    central: Sequence[Sequence[Colour]] | None = None
    hand: Sequence[Colour] = ()
    taken: int = -1
    took_card: bool = False
    bag: Sequence[int] | None = None
    discarded: Sequence[Colour] = ()
    first_player: int = 0
    to_play: int = 0
    turns: int = 0
    last_round: bool = False
    discarding: bool = False


_NUMBERS = list_of(whole)
_COLOURS = list_of(name_or_number)
FORMS = {
    "boards": dict_of(whole, dict_of(whole, _COLOURS)),
    "cubes": dict_of(whole, dict_of(whole, whole)),
    "cards": dict_of(whole, _NUMBERS),
    "spirit": dict_of(whole, whole),
    "dealt": dict_of(whole, _NUMBERS),
    "display": _NUMBERS,
    "deck": or_none(_NUMBERS),
    "central": or_none(list_of(_COLOURS)),
    "hand": _COLOURS,
    "taken": whole,
    "took_card": flag,
    "bag": or_none(_NUMBERS),
    "discarded": _COLOURS,
    "first_player": whole,
    "to_play": whole,
    "turns": whole,
    "last_round": flag,
    "discarding": flag,
}

NEEDED_TO_PLAY = "each seat with a turn to come room for its tokens (boards, last_round)"


@all_or_nothing
def set_position(states: np.ndarray, i: int = 0, **position: Any) -> None:
    """Set ``states[i]``, a dealt game, to any position; its players and options are kept.

    Args:
        states: records ``(n,)``.
        i: index of the game.
        **position: attributes of ``Position``; omitted ones have their defaults.

    Raises:
        TypeError: ``Position`` has no such attribute.
        ValueError: an invalid stack, too many tokens of a colour, more than three on a space, a
            card in two places, too many cards, a spirit in a game without spirits, cubes that don't
            match their card, a number out of range, or ``discarding`` with several players.
    """
    record, given = states[i], _numbered(Position(**position))
    seats = range(int(record["num_players"]))
    named = (*given.boards, *given.cubes, *given.cards, *given.spirit, *given.dealt)
    for seat in (*named, given.first_player, given.to_play):
        check_whole(seat, "seat", 0, len(seats) - 1)
    completed = {
        seat: _completed(given.cubes.get(seat, {}), given.cards.get(seat, ())) for seat in seats
    }
    _check_cards(given, completed)
    check_whole(given.turns, "turns", 0, MAX_TURNS)
    for seat, card in given.spirit.items():
        check_whole(card, f"spirit of seat {seat}", FIRST_SPIRIT, NUM_CARDS)
    if given.discarding and len(seats) > 1:
        raise ValueError(f"discarding is for one player; this game has {len(seats)}")
    clear_game(states, i)
    for seat in seats:
        _set_board(record, seat, given.boards.get(seat, {}), given.cubes.get(seat, {}))
        _set_cards(record, seat, given.cards.get(seat, ()), completed[seat])
        record["spirit"][seat] = given.spirit.get(seat, 0)
    if record["spirits"]:
        _deal_spirits(record, given.dealt, given.spirit)
    else:
        _expect_no_spirits(record, given)
    _set_deck(record, given, completed)
    _set_tokens(record, given)
    for name in ("took_card", "first_player", "to_play", "turns", "last_round"):
        record[name] = getattr(given, name)
    undecided = record["spirits"] and not record["spirit"][given.to_play]
    phase = SPIRIT_PHASE if undecided else TURN_PHASE
    record["phase"] = DISCARD_PHASE if given.discarding else phase
    index_board(states, i)


def _numbered(given: Position) -> Position:
    """Return the position with colours as numbers."""
    boards = {
        seat: {hex_: _colours(stack) for hex_, stack in board.items()}
        for seat, board in given.boards.items()
    }
    central = None if given.central is None else [_colours(tokens) for tokens in given.central]
    hand, discarded = _colours(given.hand), _colours(given.discarded)
    return replace(given, boards=boards, central=central, hand=hand, discarded=discarded)


def _colours(given: Sequence[Colour]) -> list[int]:
    """Return the numbers of colours."""
    return [number_of(colour, COLOURS, "colour") for colour in given]


def _completed(cubes: Mapping[int, int], cards: Sequence[int]) -> list[int]:
    completed = []
    for card, settled in Counter(cubes.values()).items():
        check_whole(card, "card of a cube", 1, NUM_CARDS)
        if settled > NUM_CUBES[card] or (settled == NUM_CUBES[card]) == (card in cards):
            raise ValueError(
                f"{settled} cubes of card {card} are on the board; it has {NUM_CUBES[card]}, and "
                "is in a slot until they are all settled"
            )
        if card not in cards:
            completed.append(card)
    return completed


def _check_cards(given: Position, completed: Mapping[int, list[int]]) -> None:
    piles = (given.display, given.deck or ())
    everywhere = chain(*given.cards.values(), *completed.values(), *piles)
    for card, count in Counter(card for card in everywhere if card).items():
        check_whole(card, "card", 1, NUM_CARDS)
        if count > 1:
            raise ValueError(f"card {card} is in two places")
    for card in chain(*piles):
        check_whole(card, "animal card", 0, NUM_ANIMALS)


def _set_board(record, seat: int, board: Board, cubes: Mapping[int, int]) -> None:
    hexes = int(NUM_HEXES[record["side"]])
    for hex_, stack in board.items():
        check_whole(hex_, "hex", 0, hexes - 1)
        if tuple(stack) not in STACKS:
            allowed = ["+".join(COLOURS[colour] for colour in one) for one in STACKS[1:]]
            raise ValueError(
                f"{'+'.join(COLOURS[colour] for colour in stack)} on hex {hex_} is no stack; "
                f"allowed, from the bottom up: {', '.join(allowed)}"
            )
        record["stack"][seat, hex_] = STACKS.index(tuple(stack))
    for hex_, card in cubes.items():
        check_whole(hex_, "hex", 0, hexes - 1)
        if not board.get(hex_):
            raise ValueError(f"hex {hex_} of seat {seat} is empty: no cube can be on it")
        record["cube"][seat, hex_] = card


def _set_cards(record, seat: int, cards: Sequence[int], completed: Sequence[int]) -> None:
    if len(cards) > HAND_LIMIT:
        raise ValueError(f"seat {seat} has {len(cards)} cards; at most {HAND_LIMIT}")
    cubes = record["cube"][seat].tolist()
    for slot, card in enumerate(cards):
        record["card"][seat, slot] = card
        record["cubes_left"][seat, slot] = NUM_CUBES[card] - (cubes.count(card) if card else 0)
    record["completed"][seat] = sum(1 << card for card in completed)


def _deal_spirits(record, dealt, spirit) -> None:
    """Set the spirit cards dealt: those given, else the one kept and the first not used."""
    given = list(chain(*dealt.values()))
    given += [card for seat, card in spirit.items() if seat not in dealt]
    for card in given:
        check_whole(card, "spirit", FIRST_SPIRIT, NUM_CARDS)
    if len(set(given)) < len(given):
        raise ValueError(f"a spirit card is in two places: {sorted(given)}")
    unused = [card for card in range(FIRST_SPIRIT, NUM_CARDS + 1) if card not in given]
    for seat in range(int(record["num_players"])):
        pair = list(dealt.get(seat, [spirit[seat]] if seat in spirit else []))
        while len(pair) < SPIRITS_DEALT:
            pair.append(unused.pop(0))
        if seat in spirit and spirit[seat] not in pair:
            raise ValueError(f"seat {seat} has kept spirit {spirit[seat]}, but was dealt {pair}")
        placed = [*record["card"][seat].tolist(), *record["cube"][seat].tolist()]
        kept = [card for card in placed if card >= FIRST_SPIRIT]
        if kept != ([spirit[seat]] if seat in spirit else []):
            raise ValueError(f"seat {seat} has spirits {kept} in its slots and on its board")
        if seat not in spirit and record["card"][seat].all():
            raise ValueError(
                f"seat {seat} has {HAND_LIMIT} cards and no room for the spirit it has still to "
                f"keep; give it a spirit, or at most {HAND_LIMIT - 1} cards"
            )
        record["dealt"][seat] = pair


def _expect_no_spirits(record, given: Position) -> None:
    placed = [*record["card"].ravel().tolist(), *record["cube"].ravel().tolist()]
    if given.spirit or given.dealt or any(card >= FIRST_SPIRIT for card in placed):
        raise ValueError("this game is played without spirits; set it up with spirits=True")


def _set_deck(record, given: Position, completed: Mapping[int, list[int]]) -> None:
    places = int(DISPLAY_SIZE[record["num_players"]])
    if len(given.display) > places:
        raise ValueError(f"{len(given.display)} cards in a display of {places}")
    record["display"][: len(given.display)] = given.display
    deck = given.deck
    if deck is None:
        used = {*given.display, *chain(*given.cards.values(), *completed.values())}
        deck = [card for card in range(1, NUM_ANIMALS + 1) if card not in used]
    record["deck"] = sum(1 << card for card in deck)


def _set_tokens(record, given: Position) -> None:
    spaces = int(NUM_SPACES[record["num_players"]])
    hand, taken, bag = given.hand, given.taken, given.bag
    check_whole(taken, "taken", -1, spaces - 1)
    if len(hand) > PER_SPACE or (hand and taken < 0):
        raise ValueError(f"hand is {list(hand)} and taken is {taken}: a hand comes from a space")
    record["taken"] = taken
    record["hand"] = _counts(hand)
    record["discarded"] = _counts(given.discarded)
    for space, tokens in enumerate(given.central or ()):
        check_whole(space, "space", 0, spaces - 1)
        check_whole(len(tokens), f"number of tokens on space {space}", 0, PER_SPACE)
        record["central"][space] = _counts(tokens)
    stacks = record["stack"].ravel().tolist()
    on_boards = [colour for stack in stacks for colour in STACKS[stack]]
    out = _counts(on_boards) + record["hand"] + record["discarded"] + record["central"].sum(axis=0)
    if bag is not None and len(bag) != NUM_COLOURS:
        raise ValueError(f"bag is {list(bag)}; give {NUM_COLOURS} numbers: {', '.join(COLOURS)}")
    left = TOKENS - out if bag is None else np.array(bag)
    if (left < 0).any() or (left + out > TOKENS).any():
        raise ValueError(
            f"tokens in play {out.tolist()} and in the bag {left.tolist()}; there are "
            f"{TOKENS.tolist()} of {', '.join(COLOURS)}"
        )
    record["bag"] = left
    if given.central is None:
        for space in range(spaces):
            if space != taken:
                fill_space(record, space)


def _counts(colours: Sequence[int]) -> np.ndarray:
    return np.bincount(np.array(colours, dtype=np.int64), minlength=NUM_COLOURS).astype(np.int8)
