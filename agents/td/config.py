"""Settings of runs with td, search and policy, validated and completed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from ludotheque.envs import get_game
from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.errors import MOST
from ludotheque.envs.core.hardware import count_cores
from ludotheque.envs.core.interfaces.threads import MOST_THREADS

from ..archives import MOST_BYTES
from ..search import MOST_SIMULATIONS
from ..training.common import RunConfig, check_network
from .model import ValueModel, positions_of, read_value_model, rivalry_of, usual_inputs

GREEDY = "greedy"


def _all_cores() -> int:
    return min(count_cores() or 1, MOST_THREADS)


@dataclass
class TDConfig(RunConfig):
    """Settings for learning values, in addition to those of ``RunConfig``.

    With ``steps``, results don't depend on ``num_threads``.

    Attributes:
        inputs: names of the observation fields that the network receives; None means all but large
            maps.
        width, last_width: numbers of units in the two layers.
        trace: lambda of TD(lambda), 0 to 1; 1 learns from results only.
        rank_share: share of the final rank in the target, 0 to 1; the rest is the points.
        rivalry: how much the best other score is subtracted from a seat's points in the target: 1
            is the margin, 0 the score alone, as in solo games.
        temperature: temperature of the noise on values in self-play; decays linearly to
            ``final_temperature``. Values are scaled so that results have a standard deviation of 1.
        pieces, piece_rows: number of pieces in a round of self-play, and of decisions per piece,
            rounded up to whole games.
        window: number of recent decisions to learn from.
        reuse: average number of times that a decision is used.
        batch_size: decisions per minibatch.
        learning_rate: initial learning rate of Adam; decays linearly to ``final_learning_rate``.
        averaging: share of the old weights kept at each minibatch in the running mean that plays.
        result_weight: weight of the loss of the seat's value, by results.
        auxiliary: weight of the auxiliary loss: the others' values, scores and ranks.
        category_weight: weight of the seat's own points by category (``Game.categories``), which
            are auxiliary too.
        pool_share: probability of a game against the greedy agent or a past policy.
        limit: number of actions that the network evaluates per decision, the best by ``glance``;
            None means the game's preference, or 32, or 16 for a policy.
        decay: weight decay of the first layer (AdamW), against overfitting.
        sharpness: amount that a value of 1 adds to a logit initially.
        start: a model file to start from, whose inputs, widths and limit are kept; None means a
            network that adds nothing to ``evaluate``.
        num_threads: number of threads for the games; by default one for each core.

    Raises:
        ValueError: a value is invalid, or there is no run to resume.
        FileError: ``start`` isn't a model for the game.
    """

    method: ClassVar[str] = "td"
    usual_limit: ClassVar[int] = 32

    game: str = "saga"
    inputs: tuple[str, ...] | None = None
    width: int = 64
    last_width: int = 32
    trace: float = 0.7
    rank_share: float = 0.0
    rivalry: float = 1.0
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
    category_weight: float = 0.1
    pool_size: int = 8
    pool_share: float = 0.2
    eval_every: int = 100_000
    limit: int | None = None
    decay: float = 0.0
    sharpness: float = 20.0
    start: str | None = None
    num_threads: int = field(default_factory=_all_cores)

    @property
    def searches(self) -> bool:
        """Whether some decisions are searched."""
        return False

    @property
    def keeps(self) -> bool:
        """Whether the policy learns from the decisions of self-play themselves."""
        return False

    @property
    def leads(self) -> bool:
        """Whether the policy plays and learns."""
        return self.searches or self.keeps

    def __post_init__(self):
        game = self.complete()
        if self.limit is None:
            self.limit = game.learning.get("limit", self.usual_limit)
        if self.num_players == 1:
            self.pool_share = 0.0
        inputs = usual_inputs(game) if self.inputs is None else self.inputs
        self.inputs = tuple(inputs)
        positions_of(game, self.inputs)
        model = self.begun()
        if model is not None:
            self.inputs = tuple(model.about["inputs"])
            self.width, self.last_width = model.arrays["second"].shape
            self.limit, self.rank_share = model.about["limit"], model.about["rank_share"]
            self.rivalry = rivalry_of(model.about)
        self.settings()
        self._check()
        self.check_kinds()

    def begun(self) -> ValueModel | None:
        """Return the model to start from; None means the greedy agent."""
        if self.start is None:
            return None
        return read_value_model(self.start, get_game(self.game), self.num_players)

    def _check(self) -> None:
        check_seed(self.seed)
        self.check_common()
        self.check_counts(width=10_000, last_width=10_000, limit=MOST, batch_size=1_000_000)
        self.check_counts(pieces=10_000, piece_rows=1_000_000, window=10_000_000)
        inputs = len(positions_of(get_game(self.game), self.inputs or ()))
        check_network((inputs + self.last_width) * self.width, MOST_BYTES)
        self.check_numbers("trace", "rank_share", "rivalry", "averaging", "pool_share", most=1)
        self.check_numbers("temperature", "final_temperature", "decay")
        self.check_numbers("result_weight", "auxiliary", "category_weight")
        self.check_numbers("reuse", "learning_rate", "final_learning_rate", above=True)
        self.check_numbers("sharpness", above=True)


@dataclass
class SearchConfig(TDConfig):
    """Settings for learning from search, in addition to those of ``TDConfig``.

    A share of the decisions of self-play is searched (playout-cap randomization, as in KataGo, Wu
    2019), and the policy learns the search's improved policy (see ``tree``). Other decisions are
    made by the policy, with noise of ``temperature``. By default the value remains ``evaluate``
    times its weight; with ``result_weight`` it learns from results, with ``value_weight`` from the
    search values.

    Attributes:
        simulations: number of simulations per searched decision.
        candidates: number of actions searched at the root.
        search_share: share of the decisions that are searched, 0 to 1.
        exploration, scale, playouts: see ``TDAgent``; playouts are as in the game's ``mcts``.
        lesson_width: number of actions per searched decision that the policy learns from.
        lesson_window: number of recent searched decisions to learn from.
        lesson_batch: searched decisions per minibatch.
        lesson_weight, value_weight: weights of the losses of policy and value, by search.

    Raises:
        ValueError: see ``TDConfig``.
    """

    method: ClassVar[str] = "search"

    window: int = 50_000
    reuse: float = 1.0
    batch_size: int = 128
    averaging: float = 0.99
    result_weight: float = 0.0
    auxiliary: float = 0.01
    category_weight: float = 0.01
    temperature: float = 1.0
    final_temperature: float = 0.5
    simulations: int = 32
    candidates: int = 8
    search_share: float = 0.5
    exploration: float = 1.0
    scale: float = 20.0
    playouts: float = 0.0
    lesson_width: int = 8
    lesson_window: int = 100_000
    lesson_batch: int = 128
    lesson_weight: float = 1.0
    value_weight: float = 0.0

    @property
    def searches(self) -> bool:
        """Whether some decisions are searched."""
        return True

    def _check(self) -> None:
        super()._check()
        self.check_counts(simulations=MOST_SIMULATIONS, candidates=MOST, lesson_width=10_000)
        self.check_counts(lesson_window=10_000_000, lesson_batch=1_000_000)
        self.check_numbers("playouts", "search_share", most=1)
        self.check_numbers("exploration", "scale", "lesson_weight", "value_weight")


@dataclass
class PolicyConfig(TDConfig):
    """Settings for learning a policy over afterstates from its own games, as PPO does.

    The policy is a softmax over the logits of the afterstates, initially ``evaluate`` times its
    weight and ``sharpness``: a soft greedy agent. A decision's advantage is its target (see
    ``TDConfig.trace``) minus the policy's expected value. The loss is clipped
    (Schulman et al., "Proximal policy optimization algorithms", 2017); the value learns as in
    ``TDConfig``, from recent decisions.

    Attributes:
        epochs: number of passes over a round's decisions.
        choice_batch: decisions per minibatch of the policy.
        clip: how far the probability ratio of an action may differ from 1.
        entropy: weight of the policy's entropy.
        against: "greedy" or a model file: the agent in all other seats, to which a best response is
            learned, starting from a copy of it. None means self-play.

    Raises:
        ValueError: see ``TDConfig``.
    """

    method: ClassVar[str] = "policy"
    usual_limit: ClassVar[int] = 16

    trace: float = 0.95
    temperature: float = 1.0
    final_temperature: float = 1.0
    learning_rate: float = 5e-4
    final_learning_rate: float = 5e-5
    epochs: int = 2
    choice_batch: int = 512
    clip: float = 0.2
    entropy: float = 0.003
    against: str | None = None

    @property
    def keeps(self) -> bool:
        """Whether the policy learns from the decisions of self-play themselves."""
        return True

    def __post_init__(self):
        greedy = self.against == GREEDY
        if self.against is not None:
            self.start = None if greedy else self.against
            self.eval_opponents = (GREEDY if greedy else f"td:{self.against}",)
        super().__post_init__()
        if self.against is not None:
            self.pool_share = 1.0

    def _check(self) -> None:
        super()._check()
        self.check_counts(epochs=1000, choice_batch=1_000_000)
        self.check_numbers("entropy")
        self.check_numbers("clip", above=True)
        if (self.temperature, self.final_temperature) != (1.0, 1.0):
            raise ValueError("temperature is 1 with method policy: what is learned is its own play")
