"""Settings of a run that learns values, checked and completed."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludotheque.envs import get_game
from ludotheque.envs.core.errors import check_finite, check_whole
from ludotheque.envs.core.game import check_seed
from ludotheque.envs.core.interfaces.settings import Settings

from ..training.common import Progress, check_length, take_saved
from ..training.evaluation import ALONE
from .model import positions_of, usual_inputs

CHECKPOINT = Path("checkpoint") / "run.zip"


@dataclass
class TDConfig:
    """Settings of a run, which ends after ``minutes`` or ``steps``, whichever comes first.

    Attributes:
        game: name of the game.
        num_players: number of players. None: as in the resumed run, else 2, or the fewest the game
            allows.
        minutes: time for the whole run, including evaluations and time before a resume.
        steps: decisions of the learner in the whole run; rounded up to whole rounds.
        out: the run's folder; None: ``runs/GAME``.
        resume: continue the run in ``out``, with its settings except minutes and steps.
        seed: random seed. With ``steps``, results are the same on one machine, whatever
            ``num_threads``.
        progress: called as ``progress(done, total, text)`` after each round (seconds, or steps if
            only those are limited); True shows a bar.
        options: the game's variants, as ``{"deal": "balanced"}``.
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
        auxiliary: weight of the loss of what is learned beside the value: the others' values,
            scores and ranks.
        pool_size: past selves that are kept.
        pool_share: probability of a game against the greedy agent or a past self.
        snapshot_every: steps from one past self to the next.
        eval_every: steps from one evaluation to the next; there is one at the end too.
        eval_games: games of an evaluation against each of ``eval_opponents``.
        eval_opponents: names of agents; ``("alone",)`` in a game alone.
        checkpoint_every: steps from one save to the next; there is one at the end too.
        num_threads: threads for the games.
        torch_threads: threads for learning.

    Raises:
        ValueError: a value that isn't allowed, a folder without a run under ``resume``.
    """

    game: str = "saga"
    num_players: int | None = None
    minutes: float | None = None
    steps: int | None = None
    out: str | os.PathLike | None = None
    resume: bool = False
    seed: int = 0
    progress: Progress | bool | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    inputs: tuple[str, ...] | None = None
    width: int = 64
    last_width: int = 32
    trace: float = 0.7
    rank_share: float = 0.0
    temperature: float = 0.05
    final_temperature: float = 0.01
    pieces: int = 8
    piece_rows: int = 1024
    window: int = 65_536
    reuse: float = 2.0
    batch_size: int = 512
    learning_rate: float = 1e-3
    final_learning_rate: float = 1e-4
    averaging: float = 0.998
    auxiliary: float = 0.25
    pool_size: int = 8
    pool_share: float = 0.3
    snapshot_every: int = 100_000
    eval_every: int = 200_000
    eval_games: int = 400
    eval_opponents: tuple[str, ...] = ("random", "greedy")
    checkpoint_every: int = 500_000
    num_threads: int = 1
    torch_threads: int = 1

    def __post_init__(self):
        game = get_game(self.game)
        self.out = Path("runs", self.game) if self.out is None else Path(self.out)
        check_length(self)
        if self.resume:
            take_saved(self, CHECKPOINT, "td")
        if self.num_players is None:
            self.num_players = game.usual_players
        if self.num_players == 1:
            self.eval_opponents, self.pool_share = (ALONE,), 0.0
        self.eval_opponents = tuple(self.eval_opponents)
        self.inputs = usual_inputs(game) if self.inputs is None else tuple(self.inputs)
        positions_of(game, self.inputs)
        self.settings()
        self._check()

    def _check(self) -> None:
        check_seed(self.seed)
        counts = ("width", "last_width", "pieces", "piece_rows", "window", "batch_size")
        counts += ("pool_size", "snapshot_every", "eval_every", "eval_games", "checkpoint_every")
        for name in (*counts, "num_threads", "torch_threads"):
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

    @property
    def folder(self) -> Path:
        """The run's folder."""
        return Path(self.out or f"runs/{self.game}")

    def settings(self) -> Settings:
        """Return the settings of the games."""
        return Settings(self.game, self.num_players, options=self.options)

    def to_json(self) -> str:
        """Return the settings as text; ``progress`` and ``resume`` are left out."""
        values = {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}
        del values["progress"], values["resume"]
        values["out"] = str(self.out)
        values["options"] = dict(self.options)
        return json.dumps({"method": "td", **values}, indent=2) + "\n"
