"""Training of value networks by self-play and TD(lambda).

A round: games are played with the running mean of the weights, each decision is given its target,
and minibatches are drawn from the newest decisions. Boundaries and the run's folder:
``training.common``.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from ludotheque.envs.core.files import lock_folder
from ludotheque.envs.core.loading import (
    COUNT,
    MEGABYTE,
    NUMBER,
    OBJECT,
    OBJECTS,
    check_arrays,
    or_null,
)

from ..base import needs_train
from ..training.common import (
    MODEL,
    Progress,
    Run,
    TrainResult,
    check_time_left,
    checkpoint_source,
    interrupts,
    is_over,
    part_left,
    read_evaluations,
    read_marks,
    shown,
    torch_threads,
)
from .agent import TDAgent
from .config import CHECKPOINT, TDConfig
from .kernels import Plan
from .model import (
    ValueModel,
    describe,
    positions_of,
    read_archive,
    save_value_model,
    write_archive,
    zero_arrays,
)
from .selfplay import Played, SelfPlay, Window

try:
    import torch
    from torch.utils.tensorboard import SummaryWriter

    from .learner import Learner
except ModuleNotFoundError as error:
    raise needs_train(error) from error

__all__ = ["TDConfig", "TDTrainer", "TrainResult", "train_td"]

STATE = "run.json"
FORMAT = 1
_FIELDS = {
    "format": COUNT,
    "steps": COUNT,
    "round": COUNT,
    "seconds": NUMBER,
    "spread": NUMBER,
    "weight": NUMBER,
    "marks": OBJECT,
    "best": or_null(NUMBER),
    "pool": COUNT,
    "evaluations": OBJECTS,
}
# Of the decisions that are learned from, nearly all.
MOST_BYTES = 4096 * MEGABYTE
# Chance of each past self against the next newer one.
OLDER = 0.8


def train_td(config: TDConfig) -> TrainResult:
    """Learn values by self-play until the time or the steps are over; save what came of it.

    Ctrl-C finishes the round (a second or two), saves and returns; a second Ctrl-C raises
    KeyboardInterrupt at once, and the last checkpoint stands.

    Raises:
        ValueError: ``out`` holds a run and ``resume`` is False, or the run has had its time.
        BlockingIOError: another process writes in ``out``.
        OSError: a file can't be written.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock_folder(config.folder, "a run"))
        trainer = TDTrainer(config)
        stack.enter_context(torch_threads(config.torch_threads))
        stack.enter_context(interrupts(trainer))
        trainer.start()
        with shown(config) as progress:
            trainer.learn(progress)
    return trainer.result()


class TDTrainer(Run):
    """A run in progress: everything that ``train_td`` holds.

    Attributes:
        learner: the network in training, its optimizer and the running mean that plays.
    """

    steps = 0

    def __init__(self, config: TDConfig):
        super().__init__(config)
        self.settings = config.settings()
        self.round = 0
        self.spread, self.weight = 1.0, 1.0
        self.pool: list[dict[str, np.ndarray]] = []
        self.round_seconds = 0.0

    def start(self) -> None:
        """Make everything, or take it up where the saved run stopped."""
        config, settings = self.config, self.settings
        self.clock = perf_counter()
        if not config.resumes:
            self.write_settings()
        (self.out / CHECKPOINT).parent.mkdir(parents=True, exist_ok=True)
        inputs = config.inputs or ()
        self.games = SelfPlay(
            settings, inputs, config.pieces, config.piece_rows, config.num_threads
        )
        self.num_inputs = len(positions_of(settings.game, inputs))
        self.window = Window(config.window, self.num_inputs, settings.num_players)
        sizes = (self.num_inputs, config.width, config.last_width)
        self.greedy = zero_arrays(*sizes, settings.num_players)
        self.learner = Learner(
            (*sizes, 3 * settings.num_players),
            config.averaging,
            config.auxiliary,
        )
        if config.resumes:
            self._load()
            check_time_left(config, self.steps, self.seconds)
            self.write_settings()
        else:
            self._calibrate()
        self.writer = SummaryWriter(str(self.out / "tensorboard"), purge_step=self.steps)

    def learn(self, progress: Progress | None = None) -> None:
        """Play and learn, round after round, until the run is over."""
        over = False
        while not over:
            start = perf_counter()
            played = self._play()
            play_seconds = perf_counter() - start
            loss = self._train(len(played.samples.seat))
            self.round_seconds = perf_counter() - start
            self._log(played, play_seconds, loss)
            over = self._at_boundary(progress)
        self.writer.close()

    def model(self) -> ValueModel:
        """Return the running mean of the weights as a model."""
        config = self.config
        about = {
            **describe(
                self.settings.game,
                self.settings.num_players,
                self.settings.named_options,
                config.inputs or (),
            ),
            "steps": self.steps,
            "spread": self.spread,
            "seed": config.seed,
        }
        return ValueModel(about, self._acting())

    # A round

    def _calibrate(self) -> None:
        """Play a round as the greedy agent does, to learn the size of scores and of ``evaluate``.

        One unit of value is the standard deviation of results. The weight of ``evaluate`` is the
        slope of results against it.
        """
        config = self.config
        plan = self._plan(0.0, np.ones(1))._replace(rank_share=0.0)
        played = self._play_round([self.greedy], plan)
        outcome = played.samples.outcome[:, :, 0].astype(np.float64)
        margins, ranks = outcome[:, 0], outcome[:, 2]
        self.spread = float(np.std(margins)) or 1.0
        share = config.rank_share if self.settings.num_players > 1 else 0.0
        goal = (1.0 - share) * margins / self.spread + share * ranks
        worth = played.samples.base.astype(np.float64)
        spread_of_worth = float(np.std(worth)) or 1.0
        slope = float(np.mean((worth - worth.mean()) * (goal - goal.mean()))) / spread_of_worth**2
        # Never so little that the others' noise drowns it.
        self.weight = max(slope, 0.1 / spread_of_worth)
        scale = self._scale_inputs(played)
        bias = float(goal.mean() - self.weight * worth.mean())
        self.learner.begin(np.random.default_rng([config.seed, 0]), scale, bias)

    def _scale_inputs(self, played: Played) -> np.ndarray:
        """Return what each input is divided by to be around 1 where it isn't 0."""
        seen = played.samples.seen
        squares = np.einsum("ij,ij->j", seen, seen, dtype=np.float64)
        there = np.maximum(np.count_nonzero(seen, axis=0), 1)
        return np.maximum(np.sqrt(squares / there), 1.0).astype(np.float32)

    def _acting(self) -> dict[str, np.ndarray]:
        return {**self.learner.acting(), "weight": np.array([self.weight], np.float32)}

    def _play(self) -> Played:
        config = self.config
        left = part_left(config, self.steps, self.seconds)
        fall = config.temperature - config.final_temperature
        rivals = [self.greedy, *self.pool]
        # The newest past self and the greedy agent as often, older ones less.
        chances = [1.0, *(OLDER ** np.arange(len(self.pool))[::-1])]
        shares = np.array([1.0 - config.pool_share, *chances])
        shares[1:] *= config.pool_share / sum(chances)
        self.round += 1
        plan = self._plan(config.final_temperature + fall * left, np.cumsum(shares))
        played = self._play_round([self._acting(), *rivals], plan)
        self.window.add(played.samples)
        self.steps += len(played.samples.seat)
        return played

    def _plan(self, temperature: float, rivals: np.ndarray) -> Plan:
        config = self.config
        return Plan(
            rows=config.piece_rows,
            temperature=float(temperature),
            trace=float(config.trace),
            rank_share=float(config.rank_share),
            spread=float(self.spread),
            rivals=rivals.astype(np.float64),
        )

    def _play_round(self, networks: list[dict[str, np.ndarray]], plan: Plan) -> Played:
        words = np.random.SeedSequence([self.config.seed, self.round])
        return self.games.play(networks, plan, words.generate_state(1, np.uint64)[0])

    def _train(self, new: int) -> float:
        """Learn from minibatches of the window; return the mean loss of the value."""
        config = self.config
        left = part_left(config, self.steps, self.seconds)
        fall = config.learning_rate - config.final_learning_rate
        self.rate = config.final_learning_rate + fall * left
        count = max(1, round(config.reuse * new / config.batch_size))
        rng = np.random.default_rng([config.seed, 1, self.round])
        rows = rng.integers(0, self.window.filled, (count, config.batch_size))
        arrays = self.window.arrays
        losses = [
            self.learner.step(arrays["seen"][some], arrays["goal"][some], self.rate)
            for some in rows
        ]
        return float(torch.stack(losses).mean())

    # What happens at a boundary

    def _at_boundary(self, progress: Progress | None) -> bool:
        ahead = self.round_seconds + self.evaluation_seconds
        over = is_over(self.config, self.steps, self.seconds, ahead)
        return self.pass_boundary(over, progress)

    def _take_snapshot(self) -> None:
        self.pool = [*self.pool, self._acting()][-self.config.pool_size :]

    def _agent(self) -> TDAgent:
        return TDAgent(self.settings.game, self.model(), num_threads=self.config.num_threads)

    def _tell(self, scalars: Mapping[str, float]) -> None:
        for name, value in scalars.items():
            self.writer.add_scalar(name, value, self.steps)

    def _save_model(self, path: Path) -> None:
        save_value_model(self.model(), path)

    def _log(self, played: Played, play_seconds: float, loss: float) -> None:
        samples = played.samples
        scalars: dict[str, float] = {
            "train/loss": loss,
            "train/learning_rate": self.rate,
            "train/target_mean": float(samples.target.mean()),
            "train/error_of_evaluate": float(np.mean((samples.target - samples.base) ** 2)),
            "time/decisions_per_second": len(samples.seat) / self.round_seconds,
            "time/play_share": play_seconds / self.round_seconds,
            "play/plies_per_game": played.plies / played.games,
        }
        self._tell(scalars)

    # Saving and taking up

    def _save(self) -> None:
        self._save_model(self.out / MODEL)
        about = {
            "format": FORMAT,
            "steps": self.steps,
            "round": self.round,
            "seconds": self.seconds,
            "spread": self.spread,
            "weight": self.weight,
            "marks": dict(self.marks),
            "best": self.best,
            "pool": len(self.pool),
            "evaluations": [dataclasses.asdict(found) for found in self.evaluations],
        }
        arrays = {f"learner/{name}": array for name, array in self.learner.get_state().items()}
        arrays |= {f"window/{name}": array for name, array in self.window.get_state().items()}
        for number, network in enumerate(self.pool):
            arrays |= {f"pool/{number}/{name}": array for name, array in network.items()}
        write_archive(self.out / CHECKPOINT, STATE, about, arrays)

    def _load(self) -> None:
        source = checkpoint_source(self.out / CHECKPOINT)
        about, arrays = read_archive(source, STATE, _FIELDS, MOST_BYTES)
        if about["format"] != FORMAT:
            raise source.error(f"its format is {about['format']}, and this version reads {FORMAT}")
        try:
            check_arrays(arrays, self._shapes(about["pool"], arrays))
            self._take(about, arrays)
        except ValueError as error:
            raise source.error(error) from error

    def _shapes(self, pool: int, arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return names, types and shapes of what was saved, with ``pool`` past selves."""
        config, seats = self.config, self.settings.num_players
        if pool > config.pool_size:
            raise ValueError(f"it has {pool} past selves, of {config.pool_size} at most")
        rows = len(np.atleast_1d(arrays.get("window/goal", ())))
        if rows > config.window:
            raise ValueError(f"it has {rows} decisions, of {config.window} at most")
        wanted = {f"learner/{name}": kind for name, kind in self.learner.shapes().items()}
        wanted["window/seen"] = np.int8, (rows, self.num_inputs)
        wanted["window/goal"] = np.float32, (rows, 3 * seats)
        wanted["window/place"] = np.int64, (1,)
        for number in range(pool):
            for name, array in self.greedy.items():
                wanted[f"pool/{number}/{name}"] = array.dtype, array.shape
        return wanted

    def _take(self, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        def under(prefix: str) -> dict[str, np.ndarray]:
            names = [name for name in arrays if name.startswith(prefix)]
            return {name.removeprefix(prefix): arrays[name] for name in names}

        self.learner.set_state(under("learner/"))
        self.window.set_state(under("window/"))
        self.pool = [under(f"pool/{number}/") for number in range(about["pool"])]
        self.steps, self.round = about["steps"], about["round"]
        self.before = about["seconds"]
        self.spread, self.weight = about["spread"], about["weight"]
        self.marks, self.best = read_marks(about["marks"]), about["best"]
        self.evaluations = read_evaluations(about["evaluations"])
