"""Validation of what callers pass to every game: options, actions and seeds."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import OutOfBoundsActionError, check_choice

if TYPE_CHECKING:
    from .game import Game

SEED_BITS = 64


@dataclass(frozen=True)
class Option:
    """A variant of a game, chosen when a game is dealt.

    Attributes:
        name: the keyword argument.
        choices: the allowed values; kernels get the index in this tuple.
        default: one of the choices.
        meaning: a one-line description.
        read: for options with more values than can be listed. It is called with any value,
            including the choices, and returns ``(plain, numbers)``: the value in a form that JSON
            can store, for replays, and the integers that ``setup`` reads, the same number for every
            value. It raises ValueError for invalid values.
    """

    name: str
    choices: tuple[Any, ...]
    default: Any
    meaning: str
    read: Callable[[Any], tuple[Any, Sequence[int]]] | None = None


def read_options(
    game: Game, num_players: int, options: Mapping[str, Any]
) -> tuple[dict[str, Any], np.ndarray]:
    """Return every option's plain value by name, and what ``Game.encode_options`` returns.

    Replays and saved settings store the plain values; encoding them gives the same array. Raises
    the errors of ``Game.encode_options``.
    """
    check_choice(num_players, game.player_counts, f"num_players of {game.name}")
    names = [option.name for option in game.options]
    for name in options:
        if name not in names:
            raise TypeError(
                f"got an unexpected keyword argument {name!r}: {game.name} has no option {name!r}; "
                f"it has: {', '.join(names) or 'none'}"
            )
    plain, encoded = {}, [num_players]
    for option in game.options:
        value = options.get(option.name, option.default)
        if option.read is None:
            check_choice(value, option.choices, f"{option.name} of {game.name}")
            plain[option.name] = value
            encoded.append(option.choices.index(value))
        else:
            plain[option.name], numbers = option.read(value)
            encoded.extend(numbers)
    if game.check_options is not None:
        game.check_options(plain)
    return plain, np.array(encoded, dtype=np.int64)


def check_action(action: Any) -> int:
    """Return ``action`` as an int.

    Raises:
        OutOfBoundsActionError: it isn't an integer.
    """
    if isinstance(action, (int, np.integer)) and not isinstance(action, bool):
        if abs(int(action)) >> 62:
            raise OutOfBoundsActionError(f"action is not in action space: {action}")
        return int(action)
    shape = getattr(action, "shape", None)
    if shape == () and not isinstance(action, np.generic):
        # An array with a single element, from numpy or another library.
        with contextlib.suppress(TypeError):
            return operator.index(action)
    raise OutOfBoundsActionError(
        f"action is not in action space: {action!r} is not a whole number; actions are integers"
    )


def check_seed(seed: Any) -> int:
    """Return ``seed`` as an int from 0 to 2**64 - 1, or raise ValueError."""
    whole = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
    if whole and 0 <= seed < 1 << SEED_BITS:
        return int(seed)
    raise ValueError(f"seed is {seed!r}; give a whole number from 0 to 2**{SEED_BITS} - 1")


def fresh_seed() -> int:
    """Return a random seed from the operating system."""
    return int(np.random.SeedSequence().generate_state(1, dtype=np.uint64)[0])
