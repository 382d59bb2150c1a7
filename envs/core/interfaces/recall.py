"""What each seat has seen and done since the deal: information states with perfect recall."""

from __future__ import annotations

import hashlib

import numpy as np

from ..game import Game


class Recall:
    """Digests of what the seats have seen and done; equal for games a seat can't distinguish.

    A seat sees its observation, the public actions, whether it is to play, and if so its mask.
    Hidden actions of others leave no trace, not even of the fact that something was done.

    Args:
        game: the game.
        num_players: number of seats.
    """

    def __init__(self, game: Game, num_players: int):
        self._game = game
        self._digests = [b""] * num_players
        self._views = [b""] * num_players

    def digest(self, seat: int) -> str:
        """Return the digest of a seat, 32 hex digits; empty before the deal."""
        return self._digests[seat].hex()

    def look(self, states: np.ndarray, actor: int | None = None, action: int = 0) -> None:
        """Record what the seats see after the deal, or after the ``action`` of ``actor``.

        Args:
            states: the game's record, of shape ``(1,)``.
            actor: who played; None after the deal.
            action: number of the action.
        """
        for seat in range(len(self._digests)):
            view = self._view(states, seat)
            if seat == actor:
                self._note(seat, action.to_bytes(4, "little"))
            if seat == actor or view != self._views[seat]:
                self._note(seat, view)
            self._views[seat] = view

    def forget_others(self, states: np.ndarray, seat: int) -> None:
        """Restart the memory of all seats but ``seat`` with what they see now."""
        for other in range(len(self._digests)):
            if other != seat:
                self._views[other] = self._view(states, other)
                self._digests[other] = b""
                self._note(other, self._views[other])

    def _view(self, states: np.ndarray, seat: int) -> bytes:
        told = np.empty((1, 2), np.int16)
        self._game.loops.histories(states, 0, 1, np.array([seat]), told[None])
        # The count of public actions: the latest may equal the one before.
        parts = [self._game.observe(states, seat), states["told"], told]
        over = states["terminated"][0] or states["truncated"][0]
        if states["to_play"][0] == seat and not over:
            parts.append(self._game.legal_mask(states))
        return b"".join(part.tobytes() for part in parts)

    def _note(self, seat: int, what: bytes) -> None:
        self._digests[seat] = hashlib.sha256(self._digests[seat] + what).digest()[:16]
