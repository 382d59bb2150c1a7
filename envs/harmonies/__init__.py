"""Harmonies, by Johan Benvenuto: landscapes of tokens and animals that settle, 1 to 4 players."""

from __future__ import annotations

from ..core.assembly import assemble

GAME = assemble(
    __name__,
    "Harmonies",
    # Random play says little here, and `evaluate` plans a turn's tokens already; measured against
    # greedy.
    search={
        "leaf": "evaluate",
        "leaf_plies": 0,
        "leaf_scale": 10.0,
        "exploration": 0.5,
        "widening": 0.25,
    },
    training={"reward": "score_change", "reward_scale": 0.02},
    # `evaluate` takes long in the middle of a turn.
    learning={"method": "policy", "limit": 8},
)
