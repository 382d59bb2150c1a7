"""Batches of a league's games, which any process can play."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from ludotheque.envs.core.interfaces.settings import Settings

from .base import Agent
from .ledger import GameRecord
from .match import Match

Seats = tuple[str, ...]
# A game to be played: its deal, and who sits where.
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
    # Made by the process that asks for the batch, and sent by nobody else.
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


def seed_of(deal: int, first: int) -> int:
    return (first + deal) % 2**64
