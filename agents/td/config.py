"""Settings of a run that learns values, checked and completed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.errors import check_finite, check_whole

from ..training.common import RunConfig
from .model import positions_of, usual_inputs

LIMIT = 32
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
        result_weight: weight of the loss of the seat's value, by results.
        auxiliary: weight of the loss of what is learned beside it: the others' values, scores and
            ranks.
        pool_share: probability of a game against the greedy agent or a past self.
        limit: actions of a decision that the network sees, the best at a glance; None: what suits
            the game, or 32.
        decay: weight decay of the first layer (AdamW), against learning by heart.

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
    window: int = 150_000
    reuse: float = 4.0
    batch_size: int = 256
    learning_rate: float = 7e-4
    final_learning_rate: float = 1e-4
    averaging: float = 0.995
    result_weight: float = 1.0
    auxiliary: float = 0.1
    pool_size: int = 8
    pool_share: float = 0.2
    eval_every: int = 100_000
    limit: int | None = None
    decay: float = 0.0

    @property
    def searches(self) -> bool:
        """Whether some decisions are searched."""
        return False

    def __post_init__(self):
        game = self.complete()
        if self.limit is None:
            self.limit = game.learning.get("limit", LIMIT)
        if self.num_players == 1:
            self.pool_share = 0.0
        inputs = usual_inputs(game) if self.inputs is None else self.inputs
        self.inputs = tuple(inputs)
        positions_of(game, self.inputs)
        self.settings()
        self._check()

    def _check(self) -> None:
        check_seed(self.seed)
        sizes = ("width", "last_width", "limit", "pieces", "piece_rows", "window", "batch_size")
        counts = ("pool_size", "snapshot_every", "eval_every", "eval_games", "checkpoint_every")
        for name in (*sizes, *counts, "num_threads"):
            check_whole(getattr(self, name), name, 1)
        for name in ("trace", "rank_share", "averaging", "pool_share"):
            if not 0 <= check_finite(getattr(self, name), name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number from 0 to 1")
        for name in ("temperature", "final_temperature", "result_weight", "auxiliary", "decay"):
            if check_finite(getattr(self, name), name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number from 0 up")
        for name in ("reuse", "learning_rate", "final_learning_rate"):
            if not check_finite(getattr(self, name), name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number above 0")


@dataclass
class SearchConfig(TDConfig):
    """Settings of learning from search: of ``TDConfig``, and how some decisions are searched.

    A share of the decisions of self-play is searched (playout-cap randomization, as in KataGo, Wu
    2019), and the policy learns what the search made of them (see ``tree``). Other decisions are
    taken by the policy, with noise of ``temperature``. By default the value stays ``evaluate``
    times its weight; with ``result_weight`` it learns from results, with ``value_weight`` from what
    the search found.

    Attributes:
        simulations: of a searched decision.
        candidates: actions of it that are searched.
        search_share: part of the decisions that are searched, 0 to 1.
        exploration, scale: see ``TDAgent``.
        lesson_width: actions of a searched decision that the policy learns from.
        lesson_window: newest searched decisions that are learned from.
        lesson_batch: searched decisions in a minibatch.
        lesson_weight, value_weight: weights of the losses of policy and value, by search.
        sharpness: how much a value of 1 adds to a logit before anything is learned.

    Raises:
        ValueError: as ``TDConfig``.
    """

    method: ClassVar[str] = "search"

    window: int = 50_000
    reuse: float = 1.0
    batch_size: int = 128
    averaging: float = 0.99
    result_weight: float = 0.0
    auxiliary: float = 0.01
    temperature: float = 1.0
    final_temperature: float = 0.5
    simulations: int = 32
    candidates: int = 8
    search_share: float = 0.5
    exploration: float = 1.0
    scale: float = 20.0
    lesson_width: int = 8
    lesson_window: int = 100_000
    lesson_batch: int = 128
    lesson_weight: float = 1.0
    value_weight: float = 0.0
    sharpness: float = 20.0

    @property
    def searches(self) -> bool:
        """Whether some decisions are searched."""
        return True

    def _check(self) -> None:
        super()._check()
        for name in ("simulations", "candidates", "lesson_width", "lesson_window", "lesson_batch"):
            check_whole(getattr(self, name), name, 1)
        if not 0 <= check_finite(self.search_share, "search_share") <= 1:
            raise ValueError(f"search_share is {self.search_share!r}; give a number from 0 to 1")
        for name in ("exploration", "scale", "lesson_weight", "value_weight"):
            if check_finite(getattr(self, name), name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)!r}; give a number from 0 up")
        if not check_finite(self.sharpness, "sharpness") > 0:
            raise ValueError(f"sharpness is {self.sharpness!r}; give a number above 0")
