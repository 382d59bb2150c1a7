"""The visible part of a record that all games share; games extend it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..actions import ActionTable
from .words import check_seat, ranks_after_forfeit


@dataclass(frozen=True, kw_only=True)
class VisibleBase:
    """What the pictures and texts of all games read from a record.

    Attributes:
        seat: the observing seat; None sees everything.
        to_play: the seat to play, None if it is hidden.
        phase: the phase's name, ``""`` if it is hidden.
        ply: number of actions played, None if it is hidden.
        forfeit: the seat that has forfeited, -1 for none.
        scores, ranks: of the seats, empty until the game is over.
        move: the last move, in the game's form.
    """

    seat: int | None
    num_players: int
    first_player: int
    to_play: Any
    phase: str
    ply: int | None
    over: bool
    forfeit: int
    scores: Sequence[Any] = ()
    ranks: Sequence[Any] = ()
    move: Any = field(default=None)


def common_of(state: np.void, seat: int | None, phases: Sequence[str] = ()) -> dict[str, Any]:
    """Return the fields of `VisibleBase` that all games' records have.

    Args:
        phases: names of the phases, for games with phases.

    Raises:
        ValueError: there is no such seat.
    """
    check_seat(state, seat)
    names = state.dtype.names or ()
    return {
        "seat": seat,
        "over": bool(state["terminated"]) or bool(state["truncated"]),
        "phase": phases[int(state["phase"])] if phases else "",
        "first_player": int(state["first_player"]) if "first_player" in names else 0,
        **numbers_of(state, "num_players", "to_play", "ply", "forfeit"),
    }


def numbers_of(state: np.void, *names: str) -> dict[str, Any]:
    """Return whole-number fields of a record by name, as Python ints."""
    return {name: int(state[name]) for name in names}


def fields_of(kind: type, state: np.void) -> dict[str, Any]:
    """Return the fields of a dataclass that a record has under the same names, as Python values.

    Hidden values must be replaced afterwards.
    """
    shared = state.dtype.names or ()
    names = (item.name for item in fields(kind) if item.name in shared)
    return {name: state[name].tolist() for name in names}


def legal_of(state: np.void, legal_actions: Callable[..., int], num_actions: int) -> list[int]:
    """Return the legal actions of a record, none if the game is over.

    Args:
        legal_actions: the game's kernel.
    """
    if state["terminated"] or state["truncated"]:
        return []
    mask = np.zeros(num_actions, dtype=np.int8)
    legal_actions(state, mask)
    return np.flatnonzero(mask).tolist()


def choices_of(
    state: np.void, legal_actions: Callable[..., int], actions: ActionTable
) -> list[tuple[Any, ...]]:
    """Return the actions of `legal_of`, each as the values of its parts."""
    legal = legal_of(state, legal_actions, len(actions))
    return [tuple(actions.decode(action).values()) for action in legal]


def result_of(state: np.void, returns: Callable[..., None]) -> dict[str, Any]:
    """Return ``scores`` and ``ranks`` of a finished game, else none; a forfeit ranks last.

    Args:
        returns: the game's kernel.
    """
    num_players, forfeit = int(state["num_players"]), int(state["forfeit"])
    if not (state["terminated"] or state["truncated"]):
        return {"scores": [], "ranks": []}
    scores = np.zeros(num_players, dtype=np.float32)
    ranks = np.zeros(num_players, dtype=np.int64)
    if forfeit >= 0:
        ranks[:] = ranks_after_forfeit(num_players, forfeit)
    else:
        returns(state, scores, ranks)
    return {"scores": scores.tolist(), "ranks": ranks.tolist()}
