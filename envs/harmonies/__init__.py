"""Harmonies, by Johan Benvenuto: landscapes of tokens and animals that settle, 1 to 4 players."""

from __future__ import annotations

from ..core.assembly import assemble

GAME = assemble(
    __name__,
    "Harmonies",
    # Random playouts are uninformative here, and `evaluate` already plans a turn's tokens; measured
    # against greedy.
    search={
        "leaf": "evaluate",
        "leaf_plies": 0,
        "leaf_scale": 10.0,
        "exploration": 0.5,
        "widening": 0.25,
    },
    training={"reward": "score_change", "reward_scale": 0.02},
    # `evaluate` is slow in the middle of a turn.
    learning={"method": "policy", "limit": 8},
)
