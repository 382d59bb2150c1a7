"""Shared code of the pictures and texts of all games: seats, results, wording.

The argument ``seen`` is a game's own `Visible`: whatever may be shown of a record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

MINUS = "\u2212"
PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def check_seat(state: np.void, seat: int | None) -> None:
    """Raise ValueError for a seat that doesn't exist; None is valid and sees everything."""
    num_players = int(state["num_players"])
    if seat is not None and seat not in range(num_players):
        raise ValueError(
            f"seat must be 0..{num_players - 1}, or None for the all-seeing view, not {seat!r}"
        )


def action_number(
    last_action: int | Mapping[str, object],
    encode_action: Callable[[dict[str, object]], int],
    num_actions: int,
) -> int:
    """Return the number of an action given by its number or its parts.

    Raises:
        ValueError: no action has this number; also the errors of ``encode_action``.
    """
    if isinstance(last_action, Mapping):
        last_action = encode_action(dict(last_action))
    action = int(last_action)
    if not 0 <= action < num_actions:
        raise ValueError(
            f"last_action {action!r} is not an action; actions are 0 to {num_actions - 1}"
        )
    return action


# Results


def ranks_of(keys: Sequence) -> list[int]:
    """Return the rank of each key, 1 for the highest; equal keys share a rank."""
    return [1 + sum(other > key for other in keys) for key in keys]


def ranks_after_forfeit(num_players: int, forfeit: int) -> list[int]:
    """Return the ranks after a forfeit: that seat ranks last, in a solo game second."""
    last = max(num_players, 2)
    return [last if seat == forfeit else 1 for seat in range(num_players)]


def ranked(seen, words: Callable[[int], str]) -> list[tuple[int | None, int, str]]:
    """Return rank, seat and result of all seats, best first.

    Args:
        seen: has ``num_players``, ``ranks`` (None where unknown) and ``forfeit``.
        words: the result of a seat that has not forfeited.
    """
    seats = sorted(range(seen.num_players), key=lambda s: (seen.ranks[s] or len(PLACES) + 1, s))
    return [(seen.ranks[s], s, "forfeit" if s == seen.forfeit else words(s)) for s in seats]


def result_lines(seen, words: Callable[[int], str]) -> list[str]:
    """Return `ranked` as lines of text."""
    return [f"{ordinal(rank)}: {name_of(seat)}, {text}" for rank, seat, text in ranked(seen, words)]


# Words


def name_of(seat: int) -> str:
    return f"player_{seat}"


def ordinal(rank: int | None) -> str:
    """Return 1st, 2nd, 3rd, 4th, 5th; "?" for an unknown rank."""
    return "?" if rank is None else PLACES[rank - 1]


def minus(number: float) -> str:
    """Return a number as text, with a minus sign instead of a hyphen."""
    return f"{number:g}".replace("-", MINUS)


def signed(number: float) -> str:
    """Return a number as text, always with a sign."""
    return f"{number:+g}".replace("-", MINUS)


def amount(count: float, noun: str) -> str:
    """Return an amount in words: ``1 card``, ``2 cards``, ``−1 point``."""
    return f"{minus(count)} {noun}" if abs(count) == 1 else f"{minus(count)} {noun}s"


def looker_last(seat: int | None, num_players: int) -> list[int]:
    """Return the seats in turn order, the viewer last: the bottom of a text is read first."""
    first = 0 if seat is None else seat + 1
    return [(first + k) % num_players for k in range(num_players)]


def paragraphs(parts: Iterable[Sequence[str]]) -> str:
    """Join paragraphs, each a list of lines, with an empty line between them."""
    return "\n\n".join("\n".join(lines) for lines in parts)


def wrapped(head: str, words: Sequence[str], width: int) -> list[str]:
    """Return comma-separated words after a head, wrapped at ``width`` without breaking a word."""
    lines = [head]
    for k, word in enumerate(words):
        text = word + (", " if k < len(words) - 1 else "")
        if len(lines[-1] + text.rstrip()) > width:
            lines.append(" " * len(head))
        lines[-1] += text
    return [line.rstrip() for line in lines]
