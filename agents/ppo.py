"""Training by self-play: MaskablePPO against a pool of its past selves.

One learn loop from start to end, with a boundary before each rollout. What happens there, and the
run's folder: ``training.common``.
"""

from __future__ import annotations

from .training.common import TrainResult
from .training.config import TrainConfig
from .training.evaluation import Evaluation, evaluate
from .training.run import train

__all__ = ["Evaluation", "TrainConfig", "TrainResult", "evaluate", "train"]
