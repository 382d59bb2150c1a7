"""Settings of a run that learns values, checked and completed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ludotheque.envs.core.errors import check_finite, check_whole
from ludotheque.envs.core.game import check_seed

from ..training.common import RunConfig
from .model import positions_of, usual_inputs

CHECKPOINT = Path("checkpoint") / "run.zip"


@dataclass
class TDConfig(RunConfig):
    """Settings of learning values; also those of every run, see ``RunConfig``.

    With ``steps``, results don't depend on ``num_threads``.

    Attributes:
        inputs: names of the observation's fields that the network sees; None: all but large maps.
        width, last_width: units of the two layers.
        trace: lambda of TD(lambda), 0 to 1; 1 learns from results alone.
        rank_share: how much of what is learned is the rank at the end, 0 to 1; the rest is the
            margin in points. Alone it is the score.
        temperature: of the noise that is added to values in self-play; falls linearly to
            ``final_temperature``. Values are scaled so that results have a standard deviation of 1.
        pieces, piece_rows: of a round of self-play: how many pieces, which threads share, and the
            decisions in each, rounded up to whole games.
        window: newest decisions that are learned from.
        reuse: how often a decision is learned from, on average.
        batch_size: decisions in a minibatch.
        learning_rate: of Adam; falls linearly to ``final_learning_rate``.
        averaging: part of the old weights that is kept at each minibatch in the running mean that
            plays.
        auxiliary: weight of the loss of what is learned beside the seat's value: the others'
            values, scores and ranks.
        pool_share: probability of a game against the greedy agent or a past self.

    Raises:
        ValueError: a value that isn't allowed, a folder without a run under ``resume``.
    """

    method: ClassVar[str] = "td"
    checkpoint: ClassVar[Path] = CHECKPOINT

    game: str = "saga"
    inputs: tuple[str, ...] | None = None
    width: int = 64
    last_width: int = 32
    trace: float = 0.7
    rank_share: float = 0.0
    temperature: float = 0.03
    final_temperature: float = 0.01
    pieces: int = 8
    piece_rows: int = 1024
    window: int = 65_536
    reuse: float = 2.0
    batch_size: int = 512
    learning_rate: float = 7e-4
    final_learning_rate: float = 1e-4
    averaging: float = 0.998
    auxiliary: float = 0.1
    pool_size: int = 8
    pool_share: float = 0.2
    eval_every: int = 100_000

    def __post_init__(self):
        game = self.complete()
        if self.num_players == 1:
            self.pool_share = 0.0
        inputs = usual_inputs(game) if self.inputs is None else self.inputs
        self.inputs = tuple(inputs)
        positions_of(game, self.inputs)
        self.settings()
        self._check()

    def _check(self) -> None:
        check_seed(self.seed)
        sizes = ("width", "last_width", "pieces", "piece_rows", "window", "batch_size", "pool_size")
        counts = ("snapshot_every", "eval_every", "eval_games", "checkpoint_every")
        for name in (*sizes, *counts, "num_threads"):
            check_whole(getattr(self, name), name, 1)
        for name in ("trace", "rank_share", "averaging", "pool_share"):
            if not 0 <= check_finite(getattr(self, name), name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number from 0 to 1")
        for name in ("temperature", "final_temperature", "auxiliary"):
            if check_finite(getattr(self, name), name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number from 0 up")
        for name in ("reuse", "learning_rate", "final_learning_rate"):
            if not check_finite(getattr(self, name), name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number above 0")
