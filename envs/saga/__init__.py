"""Saga, by Wolfgang Kramer and Horst-Rainer Rösner: knights and six kingdoms, 2 to 4 players."""

from __future__ import annotations

from ..core.assembly import assemble

GAME = assemble(
    __name__,
    "Saga",
    version=1,
    # Random playouts are uninformative here; measured against greedy. Greedy plies before the
    # evaluation would take five times as long.
    search={"leaf": "evaluate", "leaf_plies": 0, "leaf_scale": 10.0, "exploration": 0.5},
    # Values learned from results mislead here, and so do too many inputs: see docs/learning.md.
    learning={
        "method": "policy",
        "inputs": (
            "own_forces",
            "kingdoms",
            "powers",
            "hand",
            "free",
            "seats",
            "choices",
            "force",
            "game",
        ),
        "limit": 12,
    },
)
