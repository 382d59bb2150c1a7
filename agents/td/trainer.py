"""Training of value networks by self-play and TD(lambda).

In each round, games are played with the running mean of the weights, targets are computed for the
decisions, and minibatches are drawn from recent ones. See ``training.common`` for boundaries and
the run's folder.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
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
    SECONDS,
    Kind,
    check_arrays,
    check_numbers,
    or_null,
)

from ..archives import read_archive, write_archive
from ..base import needs_train
from ..executors import check_executor
from ..mcts import leaf_method, usual_settings
from ..training.common import (
    CHECKPOINT,
    FILES,
    MODEL,
    STATE,
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
from .config import PolicyConfig, SearchConfig, TDConfig
from .model import (
    ValueModel,
    describe,
    positions_of,
    save_value_model,
    zero_arrays,
)
from .play import Plan, Samples
from .selfplay import (
    Played,
    SelfPlay,
    check_lessons,
    columns_of,
    goals,
    lesson_window,
    sample_window,
)
from .tree import Method

try:
    import torch
    from torch.utils.tensorboard import SummaryWriter

    from .learner import Choices, Learner, Lesson
    from .lessons import choices, lesson, see_afterstates
except ModuleNotFoundError as error:
    raise needs_train(error) from error

__all__ = [
    "CONFIGS",
    "PolicyConfig",
    "SearchConfig",
    "TDConfig",
    "TDTrainer",
    "TrainResult",
    "train_td",
]

CONFIGS = {config.method: config for config in (TDConfig, SearchConfig, PolicyConfig)}
FORMAT = 2
# More bytes than an array takes in a file besides its numbers.
_HEADER = 512
_FIELDS = {
    "format": COUNT,
    "steps": COUNT,
    "round": COUNT,
    "seconds": SECONDS,
    "spread": Kind("a number above 0", lambda value: NUMBER.holds(value) and 0 < value < 1e9),
    "weight": Kind("a number within 1e6", lambda value: NUMBER.holds(value) and abs(value) <= 1e6),
    "marks": OBJECT,
    "best": or_null(NUMBER),
    "pool": COUNT,
    "evaluations": OBJECTS,
}
# Probability of each past self relative to the next newer one.
OLDER = 0.8


def train_td(config: TDConfig, actors: Any = None) -> TrainResult:
    """Learn by self-play until the time or the steps are used up, and save the result.

    Ctrl-C finishes the round (a second or two), saves and returns; a second Ctrl-C raises
    KeyboardInterrupt at once, and the last checkpoint remains.

    Args:
        config: the settings of the run.
        actors: executor for the pieces of each round, any object with
            ``submit(function, *arguments)``: ``ProcessExecutor(workers, interrupts=False)``,
            ``RayExecutor``, one of ``concurrent.futures``. The result doesn't depend on it. None
            means threads of this process.

    Raises:
        TypeError: ``actors`` has no ``submit``.
        ValueError: ``out`` contains a run and ``resume`` is False, or the run's time is used up.
        BlockingIOError: another process is writing to ``out``.
        OSError: a file can't be written.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(lock_folder(config.folder, "a run", FILES))
        trainer = TDTrainer(config, actors)
        stack.enter_context(torch_threads(config.torch_threads))
        stack.enter_context(interrupts(trainer))
        trainer.start()
        with shown(config) as progress:
            trainer.learn(progress)
    return trainer.result()


class TDTrainer(Run):
    """A run in progress: the state of ``train_td``.

    Attributes:
        learner: the network in training, its optimizer and the running mean that plays.
    """

    steps = 0

    def __init__(self, config: TDConfig, actors: Any = None):
        super().__init__(config)
        if actors is not None:
            check_executor(actors, "actors")
        self.actors = actors
        self.settings = config.settings()
        self.round = 0
        self.spread, self.weight = 1.0, 1.0
        self.pool: list[dict[str, np.ndarray]] = []
        self.round_seconds = 0.0

    def start(self) -> None:
        """Create everything, or restore it from the saved run."""
        config, settings = self.config, self.settings
        self.clock = perf_counter()
        if not config.resumes:
            self.write_settings()
        (self.out / CHECKPOINT).parent.mkdir(parents=True, exist_ok=True)
        inputs = config.inputs or ()
        kept = min(config.limit, settings.game.num_actions) if config.keeps else 0
        by = (config.num_threads, kept, self.actors)
        self.games = SelfPlay(settings, inputs, config.pieces, *by)
        self.num_inputs = len(positions_of(settings.game, inputs))
        self.columns = columns_of(settings.game, inputs)
        self.num_outputs = 3 * settings.num_players + len(settings.game.categories)
        self.window = sample_window(config.window, self.num_inputs, self.num_outputs)
        if config.searches:
            width = config.lesson_width
            self.lessons = lesson_window(settings.game, config.lesson_window, width)
        sizes = (self.num_inputs, config.width, config.last_width)
        self.fixed = zero_arrays(*sizes, settings.num_players)
        self.begun = config.begun()
        self.responds = isinstance(config, PolicyConfig) and config.against is not None
        if self.responds and self.begun is not None:
            self.fixed = dict(self.begun.arrays)
        self.learner = Learner(
            (*sizes, settings.num_players, len(settings.game.categories)),
            config.averaging,
            (config.result_weight, config.auxiliary, config.category_weight),
            config.decay,
            config.leads,
        )
        if config.resumes:
            self._load()
            self.write_results()
            check_time_left(config, self.steps, self.seconds)
            self.write_settings()
        else:
            self._calibrate()
        self.writer = SummaryWriter(str(self.out / "tensorboard"), purge_step=self.steps)

    def learn(self, progress: Progress | None = None) -> None:
        """Play and learn in rounds until the run ends."""
        over = False
        if self.config.resumes and self._is_due("evaluation", self.config.eval_every):
            self._evaluate_or_save()  # the run was stopped in it
        while not over:
            start = perf_counter()
            played = self._play()
            play_seconds = perf_counter() - start
            losses = self._train(played)
            self.round_seconds = perf_counter() - start
            self._log(played, play_seconds, losses)
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
            "lead": "policy" if config.leads else "value",
            "limit": config.limit,
            "spread": self.spread,
            "rank_share": config.rank_share,
            "rivalry": config.rivalry,
            "method": config.method,
            "steps": self.steps,
            "seed": config.seed,
        }
        return ValueModel(about, self._acting())

    # A round

    def _calibrate(self) -> None:
        """Play a round like the greedy agent, to measure the scale of results and ``evaluate``.

        A run that starts from a model uses the model's.

        One unit of value is the standard deviation of results. The weight of ``evaluate`` is the
        slope of results against it near the end of games. The slope is smaller earlier, since more
        luck is still to come; but the difference of ``evaluate`` between two actions is worth as
        many points then as later.
        """
        config = self.config
        if self.begun is not None:
            self.spread = float(self.begun.about["spread"])
            self.weight = float(self.begun.arrays["weight"][0])
            self.learner.begin_as(self.begun.arrays, self.weight * config.sharpness)
            return
        plan = self._plan(0.0, np.ones(1))
        plan = plan._replace(rank_share=0.0, search_share=0.0, by_policy=False, keeps=False)
        played = self._play_round([self.fixed], plan)
        outcome = played.samples.outcome[:, :, 0].astype(np.float64)
        points, ranks = outcome[:, 0], outcome[:, 2]
        self.spread = float(np.std(points)) or 1.0
        share = config.rank_share if self.settings.num_players > 1 else 0.0
        goal = (1.0 - share) * points / self.spread + share * ranks
        late = _near_end(played.samples)
        worth = played.samples.base.astype(np.float64)
        self.weight = max(_slope(worth[late], goal[late]), 1e-6)
        scale = self._scale_inputs(played)
        bias = float(goal.mean() - self.weight * worth.mean())
        self.learner.begin(np.random.default_rng([config.seed, 0]), scale, bias)

    def _scale_inputs(self, played: Played) -> np.ndarray:
        """Return the divisor of each input that scales its non-zero values to around 1."""
        seen = played.samples.seen
        squares = np.einsum("ij,ij->j", seen, seen, dtype=np.float64)
        there = np.maximum(np.count_nonzero(seen, axis=0), 1)
        return np.maximum(np.sqrt(squares / there), 1.0).astype(np.float32)

    def _acting(self, newest: bool = False) -> dict[str, np.ndarray]:
        arrays = self.learner.acting(newest)
        gain = arrays.pop("gain")[0]
        sharpness = self.weight * self.config.sharpness
        if not self.config.leads:
            # No policy is learned: logits follow the values.
            arrays["policy"] = arrays["last"][0] * np.float32(self.config.sharpness)
        return {**arrays, "weight": np.array([self.weight, gain * sharpness], np.float32)}

    def _play(self) -> Played:
        config = self.config
        left = part_left(config, self.steps, self.seconds)
        fall = config.temperature - config.final_temperature
        rivals = [self.fixed, *self.pool]
        # The newest past self is as likely as the greedy agent, older ones are less likely.
        chances = [1.0, *(OLDER ** np.arange(len(self.pool))[::-1])]
        shares = np.array([1.0 - config.pool_share, *chances])
        shares[1:] *= config.pool_share / sum(chances)
        self.round += 1
        plan = self._plan(config.final_temperature + fall * left, np.cumsum(shares))
        # Learning from its own decisions requires the newest weights.
        played = self._play_round([self._acting(newest=config.keeps), *rivals], plan)
        self.window.add(seen=played.samples.seen, goal=goals(played.samples))
        if config.searches:
            self.lessons.add(
                **{name: getattr(played.lessons, name) for name in self.lessons.arrays}
            )
        self.steps += len(played.samples.seat)
        return played

    def _plan(self, temperature: float, rivals: np.ndarray) -> Plan:
        config = self.config
        return Plan(
            rows=config.piece_rows,
            temperature=float(temperature),
            by_policy=config.leads,
            limit=min(config.limit, self.settings.game.num_actions),
            trace=float(config.trace),
            rank_share=float(config.rank_share),
            rivalry=float(config.rivalry),
            spread=float(self.spread),
            search_share=config.search_share if config.searches else 0.0,
            keeps=config.keeps,
            rivals=rivals.astype(np.float64),
        )

    def _play_round(self, networks: list[dict[str, np.ndarray]], plan: Plan) -> Played:
        words = np.random.SeedSequence([self.config.seed, self.round])
        seed = words.generate_state(1, np.uint64)[0]
        return self.games.play(networks, (plan, self._method(plan)), self._lesson_size(), seed)

    def _method(self, plan: Plan) -> Method:
        config = self.config
        searches = config.searches
        return Method(
            simulations=config.simulations if searches else 0,
            candidates=config.candidates if searches else 1,
            limit=plan.limit,
            exploration=float(config.exploration) if searches else 0.0,
            noise=1.0,
            scale=float(config.scale) if searches else 0.0,
            spread=plan.spread,
            rank_share=plan.rank_share,
            rivalry=plan.rivalry,
            playouts=float(config.playouts) if searches else 0.0,
            greedy=usual_settings(self.settings.game)["leaf"] == "evaluate",
            leaf=leaf_method(self.settings.game),
        )

    def _lesson_size(self) -> tuple[int, int]:
        """Return the number of searched decisions that a piece keeps, and of actions for each."""
        config = self.config
        if not config.searches:
            return 0, 1
        return round(config.piece_rows * config.search_share * 1.5) + 1, config.lesson_width

    def _train(self, played: Played) -> list[float]:
        """Learn from minibatches of the window; return the mean losses (see ``Learner.step``)."""
        config = self.config
        left = part_left(config, self.steps, self.seconds)
        fall = config.learning_rate - config.final_learning_rate
        self.rate = config.final_learning_rate + fall * left
        new = len(played.samples.seat)
        count = max(1, round(config.reuse * new / config.batch_size))
        if isinstance(config, PolicyConfig):
            count = config.epochs * -(-new // config.choice_batch)
        rng = np.random.default_rng([config.seed, 1, self.round])
        rows = rng.integers(0, self.window.filled, (count, config.batch_size))
        arrays = self.window.arrays
        losses = [
            torch.stack(
                self.learner.step(arrays["seen"][some], arrays["goal"][some], self.rate, one)
            )
            for some, one in zip(rows, self._lessons(played, rng, count), strict=True)
        ]
        return torch.stack(losses).mean(0).tolist()

    def _lessons(
        self, played: Played, rng: np.random.Generator, count: int
    ) -> Iterator[Lesson | Choices | None]:
        """Yield minibatches for the policy."""
        config = self.config
        if isinstance(config, PolicyConfig):
            yield from choices(played, config, rng, self.weight)
        elif isinstance(config, SearchConfig) and self.lessons.filled:
            for rows in rng.integers(0, self.lessons.filled, (count, config.lesson_batch)):
                yield lesson(self.lessons, rows, config, self._afterstates)
        else:
            yield from itertools.repeat(None, count)

    def _afterstates(self, states: np.ndarray, actions: np.ndarray) -> tuple[Any, Any]:
        """See ``lessons.see_afterstates``."""
        seen, bases = see_afterstates(self.settings.game, states, actions)
        return seen[:, self.columns], bases * np.float32(self.weight)

    # Boundaries

    def _at_boundary(self, progress: Progress | None) -> bool:
        ahead = self.round_seconds + self.evaluation_seconds
        over = is_over(self.config, self.steps, self.seconds, ahead)
        return self.pass_boundary(over, progress)

    def _take_snapshot(self) -> None:
        if not self.responds:
            self.pool = [*self.pool, self._acting()][-self.config.pool_size :]

    def _agent(self) -> TDAgent:
        return TDAgent(self.settings.game, self.model(), num_threads=self.config.num_threads)

    def _tell(self, scalars: Mapping[str, float]) -> None:
        for name, value in scalars.items():
            self.writer.add_scalar(name, value, self.steps)

    def _save_model(self, path: Path) -> None:
        save_value_model(self.model(), path)

    def _log(self, played: Played, play_seconds: float, losses: list[float]) -> None:
        samples = played.samples
        scalars: dict[str, float] = {
            "train/loss": losses[0],
            "train/policy_loss": losses[1],
            "train/search_value_loss": losses[2],
            "train/learning_rate": self.rate,
            "train/target_mean": float(samples.target.mean()),
            "train/error_of_evaluate": float(np.mean((samples.target - samples.base) ** 2)),
            "time/decisions_per_second": len(samples.seat) / self.round_seconds,
            "time/play_share": play_seconds / self.round_seconds,
            "play/plies_per_game": played.plies / played.games,
        }
        self._tell(scalars)

    # Saving and resuming

    def _save(self) -> None:
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
        if self.config.searches:
            saved = self.lessons.get_state()
            # As plain bytes: an array of records couldn't be validated when it is read.
            saved["state"] = saved["state"].view(np.uint8).reshape(len(saved["state"]), -1)
            arrays |= {f"lessons/{name}": array for name, array in saved.items()}
        for number, network in enumerate(self.pool):
            arrays |= {f"pool/{number}/{name}": array for name, array in network.items()}
        most = self._most_bytes()
        write_archive(self.out / CHECKPOINT, STATE, about, arrays, most=most)
        self._save_model(self.out / MODEL)

    def _load(self) -> None:
        source = checkpoint_source(self.out / CHECKPOINT)
        about, arrays = read_archive(source, STATE, _FIELDS, self._most_bytes())
        if about["format"] != FORMAT:
            raise source.error(f"its format is {about['format']}, and this version reads {FORMAT}")
        try:
            check_arrays(arrays, self._shapes(about["pool"], arrays))
            _check_learned(arrays)
            self._take(about, arrays)
        except ValueError as error:
            raise source.error(error) from error

    def _most_bytes(self) -> int:
        """Return how many bytes the arrays of a checkpoint of this run may have."""
        parts = [*self.window.arrays.values()]
        if self.config.searches:
            parts += self.lessons.arrays.values()
        fixed = sum(array.nbytes for array in self.fixed.values())
        learned = sum(
            np.dtype(dtype).itemsize * math.prod(shape)
            for dtype, shape in self.learner.shapes().values()
        )
        rows = sum(array.nbytes for array in parts)
        fixed += _HEADER * len(self.fixed)
        return rows + learned + self.config.pool_size * fixed + MEGABYTE

    def _shapes(self, pool: int, arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
        """Return names, types and shapes of the saved arrays, with ``pool`` past selves."""
        config = self.config
        if pool > config.pool_size:
            raise ValueError(f"it has {pool} past selves, of {config.pool_size} at most")
        rows = len(np.atleast_1d(arrays.get("window/goal", ())))
        if rows > config.window:
            raise ValueError(f"it has {rows} decisions, of {config.window} at most")
        wanted = {f"learner/{name}": kind for name, kind in self.learner.shapes().items()}
        wanted["window/seen"] = np.int8, (rows, self.num_inputs)
        wanted["window/goal"] = np.float32, (rows, self.num_outputs)
        wanted["window/place"] = np.int64, (1,)
        if config.searches:
            rows = len(np.atleast_1d(arrays.get("lessons/action", ())))
            if rows > config.lesson_window:
                raise ValueError(f"it has {rows} lessons, of {config.lesson_window} at most")
            for name, array in self.lessons.arrays.items():
                wanted[f"lessons/{name}"] = array.dtype, (rows, *array.shape[1:])
            wanted["lessons/state"] = np.uint8, (rows, self.settings.game.dtype.itemsize)
            wanted["lessons/place"] = np.int64, (1,)
        for number in range(pool):
            for name, array in self.fixed.items():
                wanted[f"pool/{number}/{name}"] = array.dtype, array.shape
        return wanted

    def _take(self, about: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        def under(prefix: str) -> dict[str, np.ndarray]:
            names = [name for name in arrays if name.startswith(prefix)]
            return {name.removeprefix(prefix): arrays[name] for name in names}

        self.learner.set_state(under("learner/"))
        self.window.set_state(under("window/"))
        if self.config.searches:
            lessons = under("lessons/")
            lessons["state"] = lessons["state"].view(self.settings.game.dtype)[:, 0]
            check_lessons(self.settings.game, self.settings.num_players, lessons)
            self.lessons.set_state(lessons)
        self.pool = [under(f"pool/{number}/") for number in range(about["pool"])]
        self.steps, self.round = about["steps"], about["round"]
        self.before = about["seconds"]
        self.spread, self.weight = about["spread"], about["weight"]
        self.marks, self.best = read_marks(about["marks"]), about["best"]
        self.evaluations = read_evaluations(about["evaluations"])


def _near_end(samples: Samples) -> np.ndarray:
    """Return which samples are in the last quarter of their game, bool."""
    results = np.array(
        [np.roll(o[0], s) for o, s in zip(samples.outcome, samples.seat, strict=True)]
    )
    ends = (np.flatnonzero((results[1:] != results[:-1]).any(axis=1)) + 1).tolist()
    late = np.zeros(len(results), np.bool_)
    for first, stop in itertools.pairwise([0, *ends, len(results)]):
        late[stop - -(-(stop - first) // 4) : stop] = True
    return late


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    """Return the slope of the least-squares line through the points."""
    x = x - x.mean()
    return float(np.sum(x * (y - y.mean())) / max(np.sum(x * x), 1e-12))


def _check_learned(arrays: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError for weights or a state of Adam that no training comes to."""
    for name, array in arrays.items():
        if name.startswith("pool/") or name.endswith(("/weight", "/mean")):
            check_numbers(array, name)
        elif name.endswith(("/step", "/exp_avg_sq")) and array.min(initial=0.0) < 0:
            raise ValueError(f"{name} holds {array.min():g}; the least is 0")
