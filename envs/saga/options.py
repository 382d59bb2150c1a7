"""The options of Saga, and the validation of those with structured values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arguments import Option
from ..core.errors import check_choice, check_whole
from .components import (
    COLOURS,
    FIRST_GAME,
    INCOME,
    KINGDOMS,
    NUM_COLOURS,
    NUM_KINGDOMS,
    NUM_PACKS,
    PACK_SIZE,
    PACKS,
    POWERS_OF,
    SIDE_POWERS,
    SIDES,
    VALUES,
    WHEN,
    knight_number,
    powers_as_bits,
)

# Named values; ``read_sides`` and the others document further ones.
SIDES_CHOICES = (*SIDES, "mixed")
PACKS_CHOICES = ("reconstructed",)
KINGDOMS_CHOICES = ("inferred",)

# Positions of each option's numbers in the array that ``setup`` reads, after the player count.
MIXED = SIDES_CHOICES.index("mixed")
OPTION_SIDES = 1
OPTION_DEAL = OPTION_SIDES + NUM_KINGDOMS
OPTION_RETAKE = OPTION_DEAL + 1
OPTION_PACKS_KNOWN = OPTION_RETAKE + 1
OPTION_PACKS = OPTION_PACKS_KNOWN + 1
OPTION_KINGDOMS = OPTION_PACKS + NUM_PACKS * PACK_SIZE
# A kingdom's numbers: its income, the powers of its crown and of its reverse side as bits.
PER_KINGDOM = 1 + len(SIDES)

MAX_INCOME = 9
# The keys of a kingdom's entry.
_KEYS = ("income", *SIDES)
_SLOTS = ("in_play", "end")


def read_sides(value: Any) -> tuple[Any, list[int]]:
    """Read ``"crown"``, ``"reverse"``, ``"mixed"``, or one of these for each kingdom.

    Raises:
        ValueError: anything else.
    """
    if isinstance(value, str):
        check_choice(value, SIDES_CHOICES, "sides of saga")
        return value, [SIDES_CHOICES.index(value)] * NUM_KINGDOMS
    what = f"sides of saga are one word, or one for {', '.join(KINGDOMS)}"
    sides = _listed(value, NUM_KINGDOMS, what)
    for name, side in zip(KINGDOMS, sides, strict=True):
        check_choice(side, SIDES_CHOICES, f"side of {name} in saga")
    return sides, [SIDES_CHOICES.index(side) for side in sides]


def read_packs(value: Any) -> tuple[Any, list[int]]:
    """Read ``"reconstructed"``, or five packs of twelve cards ``[colour, value]``.

    The first is the castle pack. As in the rulebook, all packs have the same values; and each must
    be able to provide the initial defences: a card of every colour, and at most six of one.

    Raises:
        ValueError: invalid packs; the message names the pack and the reason.
    """
    if isinstance(value, str):
        check_choice(value, PACKS_CHOICES, "packs of saga")
        return value, PACKS.ravel().tolist()
    packs = _listed(value, NUM_PACKS, "packs of saga: a game has five packs, the castle pack first")
    plain = []
    for number, pack in enumerate(packs, start=1):
        what = f"pack {number} of saga"
        cards = _listed(pack, PACK_SIZE, f"{what}: a pack has {PACK_SIZE} cards")
        plain.append([_read_card(card, what) for card in cards])
        _check_pack(plain, what)
    return plain, [knight_number(*card) for pack in plain for card in pack]


def _read_card(card: Any, what: str) -> list:
    colour, value = _listed(card, 2, f'{what}: a card is [colour, value], as ["red", 3]')
    check_choice(colour, COLOURS, f"colour of a card in {what}")
    check_choice(value, VALUES, f"value of a card in {what}")
    return [colour, value]


def _check_pack(packs: list[list], what: str) -> None:
    colours = [colour for colour, _ in packs[-1]]
    for colour in COLOURS:
        number = f"{what} can't defend six kingdoms: its number of {colour} cards"
        check_whole(colours.count(colour), number, 1, PACK_SIZE - NUM_COLOURS)
    first, values = (sorted(value for _, value in pack) for pack in (packs[0], packs[-1]))
    if values != first:
        raise ValueError(
            f"{what} has the values {values}, pack 1 has {first}; all packs have the same values"
        )


def read_kingdoms(value: Any) -> tuple[Any, list[int]]:
    """Read ``"inferred"``, or the differences from it by kingdom.

    For example ``{"Goldland": {"income": 3, "crown": {"in_play": "defence_minus_1", "end":
    None}}}``: omitted kingdoms, incomes and sides are unchanged. On a given side, an omitted power
    means none. A kingdom can only have powers that the rulebook gives it.

    Raises:
        ValueError: an invalid name, income or power.
    """
    if isinstance(value, str):
        check_choice(value, KINGDOMS_CHOICES, "kingdoms of saga")
        return value, _numbers_of_kingdoms({})
    plain = {}
    for name, changes in _mapping(value, KINGDOMS, "kingdoms", 'give "inferred" or a dict').items():
        plain[name] = _read_kingdom(name, _mapping(changes, _KEYS, name))
    return plain, _numbers_of_kingdoms(plain)


def _read_kingdom(name: str, changes: dict[str, Any]) -> dict[str, Any]:
    plain = {}
    for key, value in changes.items():
        if key == "income":
            check_choice(value, range(MAX_INCOME + 1), f"income of {name}")
            plain[key] = value
            continue
        side = _mapping(value, _SLOTS, f"side {key!r} of {name}")
        for slot, power in side.items():
            allowed = [p for p in POWERS_OF[KINGDOMS.index(name)] if WHEN[p] == slot]
            check_choice(power, (None, *allowed), f"power {slot!r} of {name}")
        plain[key] = {slot: side.get(slot) for slot in _SLOTS}
    return plain


def _numbers_of_kingdoms(plain: Mapping[str, Any]) -> list[int]:
    numbers = np.column_stack((INCOME, SIDE_POWERS))
    for name, changes in plain.items():
        for key, value in changes.items():
            number = value if key == "income" else powers_as_bits(value)
            numbers[KINGDOMS.index(name), _KEYS.index(key)] = number
    return numbers.ravel().tolist()


def check_options(options: Mapping[str, Any]) -> None:
    """Check that the castle pack has the cards of the first game's layout.

    Raises:
        ValueError: it doesn't.
    """
    if options["deal"] != "first_game" or isinstance(options["packs"], str):
        return
    castle = sorted(knight_number(*card) for card in options["packs"][0])
    if castle != sorted(FIRST_GAME.ravel().tolist()):
        raise ValueError(
            "deal='first_game' lays out the cards of the reconstructed castle pack, and the first "
            "of the packs given has others: use deal='random'"
        )


def _listed(value: Any, count: int, what: str) -> list:
    """Return a list or tuple of ``count`` items as a list, or raise ValueError."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) == count:
            return list(value)
        raise ValueError(f"{what}; got {len(value)}: {value!r}")
    raise ValueError(f"{what}; got {value!r}, which is no list")


def _mapping(
    value: Any, keys: tuple[str, ...], what: str, advice: str = "give a dict"
) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"{what} of saga is {value!r}; {advice} with {', '.join(keys)}")
    for key in value:
        check_choice(key, keys, f"an entry for {what}")
    return dict(value)


OPTIONS = (
    Option(
        "sides",
        SIDES_CHOICES,
        "crown",
        "sides of the kingdoms; mixed draws each at random; or six of these words, one per kingdom",
        read_sides,
    ),
    Option(
        "deal",
        ("random", "first_game"),
        "random",
        "the six defences: random, or the layout for a first game (reconstructed)",
    ),
    Option(
        "retake",
        ("at_once", "with_card"),
        "at_once",
        "when a force that waits at its owner's kingdom retakes it from a weaker conqueror: at "
        "once, or when a card is added",
    ),
    Option(
        "packs_known",
        ("from_setup", "once_shown"),
        "from_setup",
        "the backs of hands and of face-down cards are public; or a pack is known from its first "
        "card on, and backs reveal nothing more",
    ),
    Option(
        "packs",
        PACKS_CHOICES,
        "reconstructed",
        'contents of the packs; or five lists of twelve cards such as `["red", 3]`',
        read_packs,
    ),
    Option(
        "kingdoms",
        KINGDOMS_CHOICES,
        "inferred",
        'income and powers of the kingdoms; or a dict such as `{"Goldland": {"income": 3}}`',
        read_kingdoms,
    ),
)
