"""Decisions, eliminations and public roles."""

from __future__ import annotations

import numpy as np

from ..core.jit import kernel
from .components import MAX_PLAYERS
from .state import STAGE


@kernel
def ask(state, seat, phase):
    """Let ``seat`` decide."""
    state["to_play"] = seat
    state["phase"] = phase
    state["stage"] = STAGE.WAITING


@kernel
def is_out(state, seat):
    """Return whether a seat was eliminated (0 or 1)."""
    return np.int64(state["eliminated"]) >> seat & 1


@kernel
def reveal_role(state, seat):
    """Show everybody the role card in front of a seat."""
    state["seen"][state["role"][seat]] = (1 << MAX_PLAYERS) - 1
