"""Batches of a league's games, which any process can play."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ludotheque.envs.core.interfaces.settings import Settings

from .base import Agent
from .ledger import GameRecord
from .match import Match

Seats = tuple[str, ...]
# A game to be played: its deal and its seating.
Planned = tuple[int, Seats]


def play_batch(carried: bytes, batch: list[Planned], seed: int) -> list[GameRecord]:
    """Play a batch of a league's games in this process, and return them.

    Args:
        carried: the settings and agents, as packed by `League.run`.
        batch: deals and seatings.
        seed: seed of the first deal.
    """
    match = match_of(*_opened(carried), batch, seed)
    match.play()
    return records_of(match, batch, seed)


def pack(settings: Settings, agents: Mapping[str, Agent]) -> bytes:
    """Return settings and agents packed for other processes."""
    for name, agent in agents.items():
        try:
            pickle.dumps(agent)
        except Exception as error:
            raise TypeError(
                f"agent {name!r} can't be sent to other processes ({error}): make it picklable, or "
                "leave executor out"
            ) from error
    return pickle.dumps((settings, dict(agents)))


@lru_cache(maxsize=2)
def _opened(carried: bytes) -> tuple[Settings, dict[str, Agent]]:
    """Undo ``pack``, once per process for all batches of a league."""
    # Created by the process that requests the batch, never received from elsewhere.
    return pickle.loads(carried)


def match_of(
    settings: Settings, agents: Mapping[str, Agent], batch: list[Planned], seed: int
) -> Match:
    names = list(agents)
    seating = [[names.index(name) for name in seats] for _, seats in batch]
    seeds = [seed_of(deal, seed) for deal, _ in batch]
    return Match(settings, list(agents.values()), seating, seeds)


def records_of(match: Match, batch: list[Planned], seed: int) -> list[GameRecord]:
    """Return the finished games."""
    return [
        GameRecord(
            deal=batch[k][0],
            seats=batch[k][1],
            seed=seed_of(batch[k][0], seed),
            scores=tuple(match.scores[k].tolist()),
            ranks=tuple(match.ranks[k].tolist()),
            rewards=tuple(match.rewards[k].tolist()),
            actions=tuple(match.actions(k).tolist()),
        )
        for k in np.flatnonzero(match.finished).tolist()
    ]


def check_records(
    records: Any, waiting: dict[Planned, list[Planned]], seed: int, num_actions: int
) -> None:
    """Check that ``records`` are all games of one of the batches waited for, which is removed.

    Args:
        records: what an executor returned for ``play_batch``.
        waiting: batches by their first game.
        seed: seed of the first deal.
        num_actions: of the game.

    Raises:
        ValueError: they aren't.
    """
    good = isinstance(records, list) and all(isinstance(one, GameRecord) for one in records)
    batch = waiting.pop(records[0].key, None) if good and records else None
    if batch is None or [one.key for one in records] != batch:
        raise ValueError(
            f"the executor returned {records!r:.80}; it must return what play_batch returns: the "
            "games of its batch"
        )
    for one in records:
        try:
            # Parsed like a saved line, so that everything written can be read again.
            read = GameRecord.from_line(one.to_line().encode())
        except (TypeError, ValueError) as error:
            raise ValueError(f"the executor returned {one!r:.80}: {error}") from error
        foreign = max(read.actions, default=0) >= num_actions
        if read != one or one.seed != seed_of(one.deal, seed) or foreign:
            raise ValueError(f"the executor returned {one!r:.80}, which is no game of this league")


def seed_of(deal: int, first: int) -> int:
    return (first + deal) % 2**64
