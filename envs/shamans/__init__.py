"""Shamans, by Cédrick Chaboussit: hidden roles, tricks and rituals, 3 to 5 players."""

from __future__ import annotations

from ..core.assembly import assemble
from .state import camps_of_round

GAME = assemble(
    __name__,
    "Shamans",
    version=1,
    camps=camps_of_round,
    # Random players hardly ever follow, so playouts are uninformative; measured against greedy.
    search={"leaf": "evaluate", "leaf_plies": 12, "leaf_scale": 3.0},
    learning={"method": "policy", "playouts": 0.5, "exploration": 0.3, "scale": 100.0},
)
