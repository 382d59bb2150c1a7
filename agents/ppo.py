"""Training by self-play: MaskablePPO against a pool of its past selves.

One learn loop from start to end. At every boundary (before each rollout) the run takes a snapshot
for the pool, evaluates, saves, and stops if it has to; so a run that is stopped and resumed goes
through the same numbers as one that isn't.

A run's folder holds:
    model.zip           the newest policy: ``"ppo:FOLDER/model.zip"`` plays with it
    best.zip            the policy of the best evaluation
    evaluations.jsonl   one evaluation a line
    config.json         the settings
    checkpoint/run.pt   everything needed to resume exactly
    tensorboard/        curves: ``tensorboard --logdir FOLDER/tensorboard``
"""

from __future__ import annotations

from .training.common import TrainResult
from .training.config import TrainConfig
from .training.evaluation import Evaluation, evaluate
from .training.run import train

__all__ = ["Evaluation", "TrainConfig", "TrainResult", "evaluate", "train"]
