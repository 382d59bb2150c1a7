"""Sagani, by Uwe Rosenberg: spirits of the elements in harmony, 1 to 4 players."""

from __future__ import annotations

from ..core.assembly import assemble

GAME = assemble(
    __name__,
    "Sagani",
    version=1,
    # Random play ends far below zero points: playouts are uninformative; measured against greedy.
    search={
        "leaf": "evaluate",
        "leaf_plies": 6,
        "leaf_scale": 10.0,
        "exploration": 0.5,
        "widening": 0.25,
    },
    # An agent that learns only from wins beats random play at 50 points below zero and stays there.
    training={"reward": "score_change", "reward_scale": 0.02},
)
