"""Setting up any position: for analysis, problems and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from ..core.errors import all_or_nothing
from .components import (
    COLOURS,
    DISPLAY_SIZE,
    FIRST_SPIRIT,
    HAND_LIMIT,
    LADDER,
    NUM_ANIMALS,
    NUM_CARDS,
    NUM_CUBES,
    NUM_HEXES,
    NUM_SPACES,
    PER_SPACE,
    SPIRITS_DEALT,
    STACKS,
    TOKENS,
)
from .rules import clear_game, find_legal, index_board
from .state import ANIMAL_COLUMN, CHOOSING_SPIRIT, DISCARDING, TURN
from .supply import fill_space

Board = Mapping[int, Sequence[int]]


@all_or_nothing
def set_position(
    states: np.ndarray,
    i: int = 0,
    *,
    boards: Mapping[int, Board] | None = None,
    cubes: Mapping[int, Mapping[int, int]] | None = None,
    cards: Mapping[int, Sequence[int]] | None = None,
    spirit: Mapping[int, int] | None = None,
    dealt: Mapping[int, Sequence[int]] | None = None,
    display: Sequence[int] = (),
    deck: Sequence[int] | None = None,
    central: Sequence[Sequence[int]] | None = None,
    hand: Sequence[int] = (),
    taken: int = -1,
    took_card: bool = False,
    bag: Sequence[int] | None = None,
    discarded: Sequence[int] = (),
    first_player: int = 0,
    to_play: int = 0,
    turns: int = 0,
    last_round: bool = False,
    discarding: bool = False,
) -> None:
    """Put a position into ``states[i]``, a game already dealt (its players and options are kept).

    Args:
        states: ``(n,)`` records.
        i: which of them.
        boards: for each seat, the colours on its hexes from bottom to top, by hex number.
        cubes: for each seat, the hexes with a cube, each with the card that the cube came from.
            A card whose cubes are all settled is completed.
        cards: for each seat, the cards in its slots, 0 where a slot is empty; the spirit among them
            while it isn't settled.
        spirit: the spirit that each seat has kept.
        dealt: the two spirit cards that each seat was dealt; by default the one kept and others.
        display: animal cards face up, 0 for an empty place.
        deck: animal cards in the deck; by default all that are nowhere else.
        central: colours of the tokens on each space; by default spaces are filled from the bag,
            except the one taken.
        hand: colours of the tokens taken and not placed yet.
        taken: space that was taken this turn, -1 for none.
        took_card: a card was taken this turn.
        bag: how many tokens of each colour are in the bag; by default all that are nowhere else.
        discarded: colours of the tokens back in the box (solo).
        first_player, to_play, turns, last_round: as in the record.
        discarding: the turn is over, a card may be discarded (solo).

    Raises:
        ValueError: a stack that can't be, more tokens of a colour than there are, more than three
            on a space, a card in two places, more cards than fit, a spirit in a game without them,
            cubes that don't fit their card, a number out of range, ``discarding`` with several
            players.
    """
    record = states[i]
    boards, cubes, cards = dict(boards or {}), dict(cubes or {}), dict(cards or {})
    spirit, dealt = dict(spirit or {}), dict(dealt or {})
    seats = range(int(record["num_players"]))
    for seat in (*boards, *cubes, *cards, *spirit, *dealt, first_player, to_play):
        _check("seat", seat, len(seats))
    completed = {seat: _completed(cubes.get(seat, {}), cards.get(seat, ())) for seat in seats}
    _check_cards(cards, completed, display, deck or ())
    if discarding and len(seats) > 1:
        raise ValueError(f"discarding is for one player; this game has {len(seats)}")
    clear_game(states, i)
    for seat in seats:
        _set_board(record, seat, boards.get(seat, {}), cubes.get(seat, {}))
        _set_cards(record, seat, cards.get(seat, ()), completed[seat])
        record["spirit"][seat] = spirit.get(seat, 0)
    if record["spirits"]:
        _deal_spirits(record, dealt, spirit)
    else:
        _expect_no_spirits(record, dealt, spirit)
    for seat in seats:
        index_board(record, seat)
    _set_deck(record, display, deck, [*cards.values(), *completed.values()])
    _set_tokens(record, hand, taken, central, discarded, bag)
    record["took_card"] = took_card
    record["first_player"], record["to_play"] = first_player, to_play
    record["turns"], record["last_round"] = turns, last_round
    undecided = record["spirits"] and not record["spirit"][to_play]
    record["phase"] = DISCARDING if discarding else CHOOSING_SPIRIT if undecided else TURN
    find_legal(record)


def _check(name: str, value: int, count: int, first: int = 0) -> None:
    if value not in range(first, first + count):
        raise ValueError(f"{name} is {value!r}; allowed: {first} to {first + count - 1}")


def _completed(cubes: Mapping[int, int], cards: Sequence[int]) -> list[int]:
    """Return the cards whose cubes are all on the board."""
    completed = []
    for card, settled in Counter(cubes.values()).items():
        _check("card of a cube", card, NUM_CARDS, 1)
        if settled > NUM_CUBES[card] or (settled == NUM_CUBES[card]) == (card in cards):
            raise ValueError(
                f"{settled} cubes of card {card} are on the board; it has {NUM_CUBES[card]}, and "
                "is in a slot until they are all settled"
            )
        if card not in cards:
            completed.append(card)
    return completed


def _check_cards(cards, completed, display, deck) -> None:
    held = [card for slots in cards.values() for card in slots]
    everywhere = [*held, *(card for done in completed.values() for card in done), *display, *deck]
    for card, count in Counter(card for card in everywhere if card).items():
        _check("card", card, NUM_CARDS, 1)
        if count > 1:
            raise ValueError(f"card {card} is in two places")
    for card in (*display, *deck):
        _check("animal card", card, NUM_ANIMALS + 1)


def _set_board(record, seat: int, board: Board, cubes: Mapping[int, int]) -> None:
    hexes = int(NUM_HEXES[record["side"]])
    for hex_, stack in board.items():
        _check("hex", hex_, hexes)
        if tuple(stack) not in STACKS:
            raise ValueError(f"{tuple(stack)} on hex {hex_} is no stack; allowed: {STACKS}")
        record["stack"][seat, hex_] = STACKS.index(tuple(stack))
    for hex_, card in cubes.items():
        _check("hex", hex_, hexes)
        if not board.get(hex_):
            raise ValueError(f"hex {hex_} of seat {seat} is empty: no cube can be on it")
        record["cube"][seat, hex_] = card


def _set_cards(record, seat: int, cards: Sequence[int], completed: Sequence[int]) -> None:
    if len(cards) > HAND_LIMIT:
        raise ValueError(f"seat {seat} has {len(cards)} cards; at most {HAND_LIMIT}")
    cubes = record["cube"][seat].tolist()
    points = 0
    for slot, card in enumerate(cards):
        record["card"][seat, slot] = card
        record["cubes_left"][seat, slot] = NUM_CUBES[card] - (cubes.count(card) if card else 0)
        points += int(LADDER[card, cubes.count(card)]) if card else 0
    record["completed"][seat] = sum(1 << card for card in completed)
    points += sum(int(LADDER[card, NUM_CUBES[card]]) for card in completed)
    record["points"][seat, ANIMAL_COLUMN] = points


def _deal_spirits(record, dealt, spirit) -> None:
    """Set the spirit cards dealt: those given, else the one kept and the first not used."""
    given = [*(card for pair in dealt.values() for card in pair)]
    given += [card for seat, card in spirit.items() if seat not in dealt]
    for card in given:
        _check("spirit", card, NUM_CARDS + 1 - FIRST_SPIRIT, FIRST_SPIRIT)
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


def _expect_no_spirits(record, dealt, spirit) -> None:
    placed = [*record["card"].ravel().tolist(), *record["cube"].ravel().tolist()]
    if spirit or dealt or any(card >= FIRST_SPIRIT for card in placed):
        raise ValueError("this game is played without spirits; set it up with spirits=True")


def _set_deck(record, display, deck, elsewhere) -> None:
    places = int(DISPLAY_SIZE[record["num_players"]])
    if len(display) > places:
        raise ValueError(f"{len(display)} cards in a display of {places}")
    record["display"][: len(display)] = display
    if deck is None:
        used = {*display, *(card for cards in elsewhere for card in cards)}
        deck = [card for card in range(1, NUM_ANIMALS + 1) if card not in used]
    record["deck"] = sum(1 << card for card in deck)


def _set_tokens(record, hand, taken, central, discarded, bag) -> None:
    spaces = int(NUM_SPACES[record["num_players"]])
    _check("taken", taken, spaces + 1, -1)
    if len(hand) > PER_SPACE or (hand and taken < 0):
        raise ValueError(f"hand is {list(hand)} and taken is {taken}: a hand comes from a space")
    record["taken"] = taken
    record["hand"] = _counts(hand)
    record["discarded"] = _counts(discarded)
    for space, tokens in enumerate(central or ()):
        _check("space", space, spaces)
        _check(f"number of tokens on space {space}", len(tokens), PER_SPACE + 1)
        record["central"][space] = _counts(tokens)
    stacks = record["stack"].ravel().tolist()
    on_boards = [colour for stack in stacks for colour in STACKS[stack]]
    out = _counts(on_boards) + record["hand"] + record["discarded"] + record["central"].sum(axis=0)
    if bag is not None and len(bag) != len(COLOURS):
        raise ValueError(f"bag is {list(bag)}; give {len(COLOURS)} numbers: {', '.join(COLOURS)}")
    left = TOKENS - out if bag is None else np.array(bag)
    if (left < 0).any() or (left + out > TOKENS).any():
        raise ValueError(
            f"tokens in play {out.tolist()} and in the bag {left.tolist()}; there are "
            f"{TOKENS.tolist()} of {', '.join(COLOURS)}"
        )
    record["bag"] = left
    if central is None:
        for space in range(spaces):
            if space != taken:
                fill_space(record, space)


def _counts(colours: Sequence[int]) -> np.ndarray:
    for colour in colours:
        _check("colour", colour, len(COLOURS))
    return np.bincount(np.array(colours, dtype=np.int64), minlength=len(COLOURS)).astype(np.int8)
