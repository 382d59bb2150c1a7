"""The options of Shamans: number of rounds, and custom data for what is reconstructed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..core.arguments import Option
from ..core.errors import check_choice, check_whole
from .components import (
    MAX_TRACK,
    PLAYER_COUNTS,
    RITUALS,
    TRACK_MOON,
    TRACK_START,
    WORLD_RITUALS,
    WORLDS,
)

ROUNDS = ("match", "single")
ASKED = ("everyone", "holders")
SINGLE = ROUNDS.index("single")
HOLDERS_ONLY = ASKED.index("holders")
RECONSTRUCTED = "reconstructed"


def read_rituals(value: Any) -> tuple[Any, Sequence[int]]:
    """Return ``(plain, numbers)`` of the option ``rituals``: a ritual for each world in order.

    Args:
        value: ``"reconstructed"``, or ``{"blue": "illumination", ...}`` for worlds with another
            ritual.

    Raises:
        ValueError: unknown world or ritual.
    """
    if _is_reconstructed(value):
        return value, [RITUALS.index(ritual) for ritual in WORLD_RITUALS.values()]
    _expect_mapping(value, "rituals", '{"blue": "illumination"}')
    for world, ritual in value.items():
        check_choice(world, WORLDS, "world in rituals of shamans")
        check_choice(ritual, RITUALS, f"ritual of {world} of shamans")
    plain = {**WORLD_RITUALS, **value}
    return plain, [RITUALS.index(ritual) for ritual in plain.values()]


def read_track(value: Any) -> tuple[Any, Sequence[int]]:
    """Return ``(plain, numbers)`` of the option ``track``: the starts, then the Moon's square.

    Args:
        value: ``"reconstructed"``, or ``{"start": 12, "moon": 24}``: the pawn starts on square 12
            and the Moon is square 24, the first square being 0. ``start`` can be given for each
            player count: ``{"3": 14, "4": 12, "5": 10}``.

    Raises:
        ValueError: not 0 <= start < moon <= 100.
    """
    if _is_reconstructed(value):
        return value, [*(TRACK_START[count] for count in PLAYER_COUNTS), TRACK_MOON]
    _expect_mapping(value, "track", '{"start": 12, "moon": 24}')
    if set(value) != {"start", "moon"}:
        parts = ", ".join(map(repr, value)) or "none"
        raise ValueError(f"track of shamans has the parts {parts}; give start and moon")
    starts, counts = value["start"], [str(count) for count in PLAYER_COUNTS]
    if not isinstance(starts, Mapping):
        starts = dict.fromkeys(counts, starts)
    # As numbers or, as in JSON, as text; each at most once.
    named = [str(count) for count in starts]
    if sorted(named) != sorted(counts):
        raise ValueError(
            f"start in track of shamans is for {named} players; give one square, or one "
            f"for each of {', '.join(counts)}"
        )
    moon = check_whole(value["moon"], "moon in track of shamans", 1, MAX_TRACK)
    plain = {
        count: check_whole(start, f"start for {count} players in track of shamans", 0, moon - 1)
        for count, start in zip(named, starts.values(), strict=True)
    }
    return {"start": plain, "moon": moon}, [*(plain[count] for count in counts), moon]


def _is_reconstructed(value: Any) -> bool:
    return isinstance(value, str) and value == RECONSTRUCTED


def _expect_mapping(value: Any, name: str, example: str) -> None:
    if not isinstance(value, Mapping):
        raise ValueError(
            f"{name} of shamans is {value!r}; allowed: {RECONSTRUCTED!r}, or a dict like {example}"
        )


_ROUNDS = "as many rounds as it takes to reach 8 points, or a single round"
_ASKED = (
    "who is asked about a Portal or Dagger: every player who may hold one as far as the others "
    "know, or only its holders, which is faster but reveals that they hold one"
)
_RITUALS = (
    'which world has which ritual: our reconstruction, or a dict like {"blue": "illumination"}'
)
_TRACK = 'squares of the start and the Moon: our reconstruction, or {"start": 12, "moon": 24}'

OPTIONS = (
    Option("rounds", ROUNDS, "match", _ROUNDS),
    Option("asked", ASKED, "everyone", _ASKED),
    Option("rituals", (RECONSTRUCTED,), RECONSTRUCTED, _RITUALS, read_rituals),
    Option("track", (RECONSTRUCTED,), RECONSTRUCTED, _TRACK, read_track),
)
