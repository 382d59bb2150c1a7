"""Learning by self-play on afterstates: the agent ``td:FILE`` and its trainer.

``agent`` plays with numba alone; ``trainer`` needs the extra [train].
"""

from __future__ import annotations

from .agent import TDAgent
from .model import ValueModel, read_value_model, save_value_model

__all__ = ["TDAgent", "ValueModel", "read_value_model", "save_value_model"]
