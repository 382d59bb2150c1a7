"""Training by self-play: MaskablePPO against a pool of past policies.

A single learn loop, with a boundary before each rollout. ``training.common`` describes what happens
there, and the run's folder.
"""

from __future__ import annotations

from .training.common import TrainResult
from .training.config import TrainConfig
from .training.evaluation import Evaluation, evaluate
from .training.run import train

__all__ = ["Evaluation", "TrainConfig", "TrainResult", "evaluate", "train"]
