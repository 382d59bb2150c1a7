"""Settings of a PPO run, validated and completed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.errors import MOST, check_choice, check_whole, is_whole
from ludotheque.envs.core.interfaces.settings import Settings

from ..afterstates import FORM, check_valuers
from ..archives import MOST_BYTES
from ..base import needs_train
from ..networks import ACTIVATIONS
from ..pool import SAMPLINGS
from ..specs import make_agent
from ..targets import ActionTargets, targets_of
from .common import RunConfig, check_network

try:
    import torch
    from sb3_contrib import MaskablePPO

    from ..board_policy import BoardPolicy
    from ..sb3 import SeatVecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error

# Kinds of networks, with their default widths.
NET_ARCHS = {"board": (32, 1, 16), "mlp": (256, 256)}
# On a board with more places than this, convolutions would take most of the time: places are
# embedded without their neighbours. So are places in a single row, which is no board.
SMALL_BOARD = 100
# Limits of the decisions between two updates, of layers, and of the units in a layer.
MOST_ROLLOUT = 1_000_000
MOST_LAYERS = 200
MOST_UNITS = 10_000
_DEVICE = re.compile(r"cpu|mps|cuda(:\d{1,3})?")
_TORCH_ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


@dataclass
class TrainConfig(RunConfig):
    """Settings for MaskablePPO by self-play, in addition to those of ``RunConfig``.

    The learner's seat is drawn for each game. ``seed`` is below 2**32.

    Attributes:
        observation: a form of the game, or ``"afterstates"``: flat, and the values of all actions
            (requires the board network).
        valued_by: whose values, with ``"afterstates"``; see ``Afterstates``.
        teacher: name of an agent to learn from at first: for ``teacher_steps`` decisions it plays
            the learner's seat, and the policy learns its actions (behaviour cloning) and the value
            network its results. None means to begin with random play, or with ``"afterstates"``
            as a soft greedy agent.
        teacher_steps: decisions of the teacher, included in the run's steps.
        reward: see ``Settings``; None means the game's preference, or ``"rank"``.
        reward_scale: factor for rewards in training, so that a game's sum is around 1. None means
            the game's preference if ``reward`` is the game's too, else 1.
        num_envs: number of games at once.
        n_steps: decisions per game in a rollout.
        batch_size: decisions per minibatch; must divide ``num_envs * n_steps``.
        n_epochs: passes over each rollout.
        network: ``"board"`` (see ``board_policy``; requires ``Game.targets`` and flat
            observations), ``"mlp"`` (any game), or ``"auto"``: board if possible.
        net_arch: for a board: width, depth and head; for an mlp: widths of the hidden layers of
            both the policy and the value network. None means (32, 1, 16), with depth 0 on boards
            with more than 100 places or a single row, or (256, 256) for an mlp.
        activation: activation of an mlp, ``"relu"`` or ``"tanh"``.
        learning_rate: initial learning rate; decays linearly to ``final_learning_rate``.
        final_learning_rate: learning rate at the end of the run.
        clip_range, ent_coef, vf_coef, max_grad_norm, gamma, gae_lambda: as in MaskablePPO.
        pool_sampling: ``"latest"``, ``"uniform"``, ``"recent"`` or ``"prioritized"``; see
            ``OpponentPool``.
        fixed_opponents: probabilities of other agents as opponents; the rest goes to past policies.
            Empty in solo games.
        device: device of the networks: ``"cpu"``, ``"cuda"``, ``"cuda:1"`` or ``"mps"``.

    Raises:
        ValueError: a value is invalid, there is no run to resume, or its time is used up.
    """

    method: ClassVar[str] = "ppo"

    reward: str | None = None
    observation: str = "flat"
    valued_by: tuple[str, ...] = ("greedy",)
    teacher: str | None = None
    teacher_steps: int = 100_000
    reward_scale: float | None = None
    num_envs: int = 128
    n_steps: int = 16
    batch_size: int = 256
    n_epochs: int = 2
    network: str = "auto"
    net_arch: tuple[int, ...] | None = None
    activation: str = "relu"
    learning_rate: float = 4e-3
    final_learning_rate: float = 2e-4
    clip_range: float = 0.2
    ent_coef: float = 0.01
    vf_coef: float = 0.5
    max_grad_norm: float = 0.5
    gamma: float = 1.0
    gae_lambda: float = 0.95
    pool_sampling: str = "recent"
    fixed_opponents: Mapping[str, float] = field(
        default_factory=lambda: {"random": 0.05, "greedy": 0.25}
    )
    device: str = "cpu"

    def __post_init__(self):
        game = self.complete()
        usual = {"reward": "rank", "reward_scale": 1.0, **game.training}
        if self.reward_scale is None:
            fits = self.reward in (None, usual["reward"])
            self.reward_scale = usual["reward_scale"] if fits else 1.0
        self.reward = self.reward or usual["reward"]
        if self.num_players == 1:
            self.fixed_opponents = {}
        self._check()
        self.check_kinds()

    def _check(self) -> None:
        check_choice(self.activation, tuple(ACTIVATIONS), "activation")
        check_choice(self.network, ("auto", *NET_ARCHS), "network")
        check_choice(self.pool_sampling, SAMPLINGS, "pool_sampling")
        self.check_common()
        self.check_counts(num_envs=MOST_ROLLOUT, n_steps=MOST_ROLLOUT, n_epochs=1000)
        check_whole(self.rollout, "num_envs * n_steps", 1, MOST_ROLLOUT)
        self.check_counts(batch_size=MOST_ROLLOUT, teacher_steps=MOST)
        self.valued_by = check_valuers(self.valued_by)
        if self.teacher is not None:
            if not isinstance(self.teacher, str):
                raise TypeError(f"teacher is {self.teacher!r}; give an agent's name, like 'greedy'")
            make_agent(self.teacher, self.game)
        # The limit of numpy's global generator, which SB3 seeds.
        if check_seed(self.seed) >= 1 << 32:
            raise ValueError(f"seed is {self.seed!r}; give a whole number from 0 to 2**32 - 1")
        if self.rollout % self.batch_size:
            raise ValueError(
                f"batch_size is {self.batch_size}; give a number that divides num_envs * n_steps "
                f"= {self.rollout}"
            )
        if self.rollout < 2 or self.batch_size < 2:
            raise ValueError("advantages are normalised: give a batch_size from 2 up")
        self._check_numbers()
        form = self.settings().observation
        layout = targets_of(self.settings().game) if form == "flat" else None
        if self.network == "auto":
            self.network = "mlp" if layout is None else "board"
        elif self.network == "board" and layout is None:
            raise ValueError(
                "network is 'board'; it needs flat observations of a game that says what its "
                "actions are about: give 'mlp'"
            )
        if self.observation == FORM and self.network != "board":
            raise ValueError(
                f"observation is {FORM!r}; it needs network='board' and a game that says what its "
                "actions are about"
            )
        if self.net_arch is None:
            self.net_arch = NET_ARCHS[self.network]
            if layout is not None and self.network == "board" and _seen_alone(layout):
                self.net_arch = (self.net_arch[0], 0, self.net_arch[2])
        self.net_arch = tuple(self.net_arch)
        if not self.net_arch or not all(is_whole(size) for size in self.net_arch):
            raise ValueError(f"net_arch is {self.net_arch}; give whole numbers")
        if len(self.net_arch) > MOST_LAYERS:
            raise ValueError(
                f"net_arch has {len(self.net_arch)} layers; a network has at most {MOST_LAYERS}"
            )
        if max(self.net_arch) > MOST_UNITS:
            raise ValueError(f"net_arch is {self.net_arch}; a layer has at most {MOST_UNITS} units")
        if self.network == "board" and len(self.net_arch) != 3:
            raise ValueError(f"net_arch is {self.net_arch}; a board needs (width, depth, head)")
        check_network(self._num_weights(layout), MOST_BYTES)
        # At depth 0, places are embedded without their neighbours.
        least = (1, 0, 1) if self.network == "board" else (1,) * len(self.net_arch)
        if any(size < few for size, few in zip(self.net_arch, least, strict=True)):
            raise ValueError(f"net_arch is {self.net_arch}; the minimum is {least}")

    def _check_numbers(self) -> None:
        """Check the settings that are any numbers of a range, and the device."""
        if not isinstance(self.device, str) or not _DEVICE.fullmatch(self.device):
            raise ValueError(f"device is {self.device!r}; give 'cpu', 'cuda', 'cuda:1' or 'mps'")
        self.check_numbers("learning_rate", "final_learning_rate", "clip_range", above=True)
        self.check_numbers("max_grad_norm", "reward_scale", above=True)
        self.check_numbers("ent_coef", "vf_coef")
        self.check_numbers("gamma", "gae_lambda", most=1)

    def _num_weights(self, layout: ActionTargets | None) -> int:
        """Return roughly how many numbers the network has."""
        sizes = self.net_arch or ()
        if self.network == "mlp" or layout is None:
            settings = self.settings()
            ends = settings.observation_size, settings.game.num_actions
            return sum(a * b for a, b in itertools.pairwise((ends[0], *sizes, ends[1])))
        width, depth, head = sizes
        seen = layout.planes.shape[1] + layout.num_things + len(layout.rest) + len(layout.scale)
        return width * (9 * seen + 9 * depth * width + 4 * head)

    def make_model(self, env: SeatVecEnv, learning_rate: Any = None) -> MaskablePPO:
        """Return a new MaskablePPO with these settings and a constant learning rate."""
        layers = list(self.net_arch or ())
        if self.network == "board":
            policy: Any = BoardPolicy
            policy_kwargs: dict[str, Any] = {"game": self.game, "net_arch": layers}
            if self.observation == FORM:
                policy_kwargs["valued_by"] = self.valued_by
        else:
            policy = "MlpPolicy"
            policy_kwargs = {
                "net_arch": {"pi": layers, "vf": layers},
                "activation_fn": _TORCH_ACTIVATIONS[self.activation],
            }
        return MaskablePPO(
            policy,
            env,
            learning_rate=self.learning_rate if learning_rate is None else learning_rate,
            n_steps=self.n_steps,
            batch_size=self.batch_size,
            n_epochs=self.n_epochs,
            gamma=self.gamma,
            gae_lambda=self.gae_lambda,
            clip_range=self.clip_range,
            ent_coef=self.ent_coef,
            vf_coef=self.vf_coef,
            max_grad_norm=self.max_grad_norm,
            policy_kwargs=policy_kwargs,
            seed=self.seed,
            device=self.device,
        )

    @property
    def rollout(self) -> int:
        """Steps in a rollout."""
        return self.num_envs * self.n_steps

    def settings(self) -> Settings:
        """Return the settings of the games."""
        return Settings(
            self.game,
            self.num_players,
            "flat" if self.observation == FORM else self.observation,
            self.reward or "rank",
            options=self.options,
        )


def _seen_alone(layout: ActionTargets) -> bool:
    return layout.num_places > SMALL_BOARD or 1 in layout.grid
