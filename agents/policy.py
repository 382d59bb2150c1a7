"""A trained policy as an agent, without torch and gradients.

``save_model`` adds two members to the zip file of a MaskablePPO model, so that one file serves
both: ``ludotheque.json`` names the game it was trained for, ``ludotheque.npz`` contains the
policy's weights. MaskablePPO.load can still read the file. Agents read only these two members,
which contain no code.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ludotheque.envs.core.errors import FileError, check_choice, check_finite
from ludotheque.envs.core.files import atomic_path
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.loading import COUNT, MEGABYTE, OBJECT, TEXT, Source, check_fits

from .afterstates import Afterstates
from .archives import MOST_BYTES
from .base import Agent, check_seeds
from .kernels import choose_best, choose_softmax
from .networks import Network, copy_network, make_network

if TYPE_CHECKING:
    from sb3_contrib import MaskablePPO

    from ludotheque.envs.core.interfaces.settings import Settings

ABOUT = "ludotheque.json"
WEIGHTS = "ludotheque.npz"
# The metadata that an agent reads from a file.
_FIELDS = {
    "game": TEXT,
    "version": COUNT,
    "num_players": COUNT,
    "observation": TEXT,
    "network": OBJECT,
}
# The default temperature of a trained agent. It learns at 1, where it still explores; at a lower
# temperature it is stronger (on Sàrèná it won 64 % instead of 50 % of its games against greedy) and
# its games still vary.
PLAYING = 0.25


def choose(
    logits: np.ndarray, masks: np.ndarray, seeds: np.ndarray | None, temperature: float = 1.0
) -> np.ndarray:
    """Return a legal action for each row, int64 ``(n,)``.

    Args:
        logits: float32 ``(n, num_actions)``.
        masks: int8 ``(n, num_actions)``, with at least a one in each row.
        seeds: uint64 ``(n,)``: each row's action is sampled from the softmax over its legal actions
            with its own seed, independently of the other rows. None takes the best action.
        temperature: of the softmax; values below 1 favour better actions.

    Raises:
        ValueError: a row has no legal action, logits aren't finite, or shapes differ.
    """
    if logits.ndim != 2 or masks.shape != logits.shape:
        raise ValueError(
            f"logits have shape {logits.shape} and masks {masks.shape}; give (n, num_actions) for "
            "both"
        )
    if not np.isfinite(logits).all():
        raise ValueError("the policy's logits aren't finite: its weights are too large")
    actions = np.empty(len(masks), np.int64)
    if seeds is None:
        choose_best(logits, masks, actions)
    else:
        choose_softmax(logits, masks, check_seeds(seeds, len(masks)), temperature, actions)
    if len(actions) and actions.min() < 0:
        raise ValueError(f"row {int(np.argmin(actions))} has no legal action: all masked")
    return actions


class LogitAgent(Agent):
    """Samples legal actions from the softmax of logits, or takes the best.

    Args:
        game: the game it plays.
        deterministic: take the most probable action instead of sampling.
        temperature: see ``choose``.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.

    Raises:
        ValueError: a setting is out of range.
    """

    def __init__(self, game: str | Game, deterministic: bool, temperature: float, seed: int | None):
        super().__init__(game, seed)
        check_choice(deterministic, (False, True), "deterministic")
        if not check_finite(temperature, "temperature") > 0:
            raise ValueError(f"temperature is {temperature!r}; give a number above 0")
        self.deterministic = deterministic
        self.temperature = temperature

    def pick(self, logits: np.ndarray, masks: np.ndarray, seeds: np.ndarray | None) -> np.ndarray:
        """Return a legal action for each row, see ``choose``."""
        if self.deterministic:
            return choose(logits, masks, None)
        return choose(logits, masks, self.seeds_or_own(seeds, len(masks)), self.temperature)


class PolicyAgent(LogitAgent):
    """Plays legal actions by a network.

    Args:
        game: the game it plays.
        network: the policy.
        observation: the observation form that the network reads.
        deterministic: take the most probable action instead of sampling.
        temperature: see ``choose``.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.
    """

    name = "policy"

    def __init__(
        self,
        game: str | Game,
        network: Network,
        observation: str = "flat",
        deterministic: bool = False,
        temperature: float = 1.0,
        seed: int | None = None,
    ):
        super().__init__(game, deterministic, temperature, seed)
        self.observation = observation
        self._take(network)

    def _made_anew(self) -> PolicyAgent:
        how = (self.deterministic, self.temperature, int(self._seed))
        return PolicyAgent(self.game, self.network, self.observation or "flat", *how)

    def _take(self, network: Network) -> None:
        self.network = network
        self.afterstates: Afterstates | None = None
        if network.valued_by:
            self.afterstates = Afterstates(self.game, network.valued_by)
            self.needs_states = True

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        masks = np.asarray(masks)
        if self.afterstates is not None:
            masks, seeds = self.checked(masks, seeds, states)
        return self.pick(self.logits(observations, masks, states, seeds), masks, seeds)

    def logits(self, observations, masks, states=None, seeds=None) -> np.ndarray:
        """Return the policy's logits, float32 ``(n, num_actions)``; arguments as for ``act``."""
        observations = np.asarray(observations)
        if self.afterstates is not None:
            if states is None:
                raise ValueError(
                    f"{self.name} values afterstates: pass states, determinized for the seat to act"
                )
            observations = self.afterstates.observe(observations, masks, states, seeds)
        return self.network.logits(observations, masks)


class PPOAgent(PolicyAgent):
    """The policy in a model file written by ``train`` or ``save_model``: ``"ppo:PATH"``.

    Attributes:
        about: the file's metadata: game, version, num_players, observation, options, reward, steps.

    Args:
        game: the game it plays.
        path: the model's zip file.
        deterministic, temperature, seed: see ``PolicyAgent``; temperature 1 plays as in training.
        num_players: reject models trained for another number; None accepts any.

    Raises:
        FileNotFoundError: there is no such file.
        FileError: the file is invalid or damaged, or a model of another game, version or number of
            players.
    """

    name = "ppo"

    def __init__(
        self,
        game: str | Game,
        path: str | os.PathLike | None = None,
        deterministic: bool = False,
        temperature: float = PLAYING,
        seed: int | None = None,
        num_players: int | None = None,
    ):
        if path is None:
            raise ValueError(
                "ppo needs a model file: write ppo:PATH, for example ppo:runs/sarena/model.zip; "
                "`ludotheque train` makes one"
            )
        LogitAgent.__init__(self, game, deterministic, temperature, seed)
        self.path = Path(path)
        self.about, arrays = read_model(path)
        _check_fits(self.path, self.about, self.game, num_players)
        self.observation = self.about["observation"]
        try:
            self._take(make_network(self.about["network"], arrays, self.game))
            wanted = (self.game.observation_size(self.observation), self.game.num_actions)
        except ValueError as error:
            raise _source(path).error(error) from error
        if self.afterstates is not None:
            wanted = (wanted[0] + self.afterstates.size, wanted[1])
        found = (self.network.num_inputs, self.network.num_actions)
        if wanted != found:
            raise FileError(
                f"{str(path)!r} holds a policy from {found[0]} numbers to {found[1]} actions; "
                f"{self.observation!r} observations of {self.game.name} have {wanted[0]}, and it "
                f"has {wanted[1]} actions: retrain it"
            )


def read_model(path: str | os.PathLike) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return a model file's metadata and weights. Raises the errors of ``PPOAgent``."""
    source = _source(path)
    if not source.path.exists():
        raise FileNotFoundError(
            f"no model at {str(path)!r}: train one with `ludotheque train`, or check the path"
        )
    data = source.read_members({ABOUT: MEGABYTE, WEIGHTS: MOST_BYTES})
    about = source.parse(data[ABOUT], ABOUT, _FIELDS)
    return about, source.unpack_arrays(data[WEIGHTS], MOST_BYTES)


def _source(path: str | os.PathLike) -> Source:
    return Source(
        Path(path),
        "model file that says which game it was trained for",
        "give a file that `ludotheque train` or ludotheque.agents.policy.save_model wrote",
    )


def _check_fits(path: Path, about: dict[str, Any], game: Game, num_players: int | None) -> None:
    found = f"{str(path)!r} holds a policy for {about['game']}_v{about['version']}"
    if about["game"] != game.name:
        raise FileError(f"{found}: it can't play {game.name}; give a model trained for it")
    if about["version"] != game.version:
        raise FileError(
            f"{found}, but this is {game.name}_v{game.version}, whose observations, actions or "
            "rules differ: retrain it"
        )
    if num_players not in (None, about["num_players"]):
        raise FileError(f"{found} with {about['num_players']} players, not {num_players}")


def describe_settings(settings: Settings) -> dict[str, Any]:
    """Return the metadata of a model file about the games it was trained on."""
    return {
        "game": settings.game.name,
        "version": settings.game.version,
        "num_players": settings.num_players,
        "observation": settings.observation,
        "options": settings.named_options,
        "reward": settings.reward,
    }


def save_model(model: MaskablePPO, path: str | os.PathLike, settings: Settings) -> None:
    """Write a MaskablePPO model so that both ``MaskablePPO.load`` and ``PPOAgent`` can read it.

    The file is written atomically.

    Args:
        model: a model with a ``BoardPolicy`` or an ``MlpPolicy``.
        path: path of the zip file.
        settings: the settings of its environment (``SeatVecEnv.settings``).
    """
    network = copy_network(model.policy, settings.game)
    about = {
        **describe_settings(settings),
        "network": network.about(),
        "steps": model.num_timesteps,
    }
    weights = io.BytesIO()
    np.savez(weights, **network.arrays)  # type: ignore[arg-type]
    told = json.dumps(about, indent=2)
    check_fits(path, len(told), MEGABYTE, "shorten the options", ABOUT)
    size = weights.getbuffer().nbytes
    check_fits(path, size, MOST_BYTES, "give the network fewer units or layers", WEIGHTS)
    whole = io.BytesIO()
    model.save(whole)
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr(ABOUT, told)
        archive.writestr(WEIGHTS, weights.getvalue())
    with atomic_path(path) as temporary:
        temporary.write_bytes(whole.getvalue())
