"""A model of Stable-Baselines3 as an agent."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import HISTORY, Settings

from .base import needs_train
from .policy import LogitAgent

try:
    import torch
    from stable_baselines3.common.base_class import BaseAlgorithm
except ModuleNotFoundError as error:
    raise needs_train(error) from error


class SB3Agent(LogitAgent):
    """Plays legal actions by a model of Stable-Baselines3 or sb3-contrib with any policy.

    MaskablePPO, PPO and A2C sample from their policy over the legal actions, DQN and QR-DQN take
    the best legal one. If the model is trained further, the agent changes with it.

    SB3's files contain pickles, which can run any code: load only your own, and share the files
    that ``save_model`` writes (``"ppo:PATH"``).

    Args:
        game: the game it plays.
        model: the result of ``MaskablePPO.load(path)`` or similar, trained on this game's
            observations from its Gymnasium environments or ``SeatVecEnv``. ``VecNormalize`` changes
            observations, which can't be detected in a loaded model.
        deterministic: take the most probable legal action.
        temperature: see ``policy.choose``; 1 plays as in training.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.

    Raises:
        TypeError: ``model`` isn't such a model.
        ValueError: it was trained on other observations or actions.
    """

    name = "sb3"

    def __init__(
        self,
        game: str | Game,
        model: BaseAlgorithm,
        deterministic: bool = False,
        temperature: float = 1.0,
        seed: int | None = None,
    ):
        super().__init__(game, deterministic, temperature, seed)
        if not isinstance(model, BaseAlgorithm):
            raise TypeError(
                f"model is {model!r}; load it first: MaskablePPO.load(path), DQN.load(path), ..."
            )
        # Not the model, which can't be sent to other processes.
        self.policy: Any = model.policy
        self._valued = _values_of(self.policy)
        self.deterministic = deterministic or self._valued is not None
        self.observation, self.history = _observed(model, self.game)

    def act(self, observations, masks, *, states=None, seeds=None, histories=None):
        """See ``Agent.act``."""
        masks = np.asarray(masks)
        seen: Any = observations
        if isinstance(self.policy.observation_space, spaces.Dict):
            seen = {"observation": observations, "action_mask": masks}
            if self.history:
                seen["history"] = histories
        return self.pick(self._logits(seen), masks, seeds)

    def _logits(self, seen: Any) -> np.ndarray:
        self.policy.set_training_mode(False)
        with torch.no_grad():
            tensors, _ = self.policy.obs_to_tensor(seen)
            if self._valued == "quantile_net":
                found = self.policy.quantile_net(tensors).mean(dim=1)
            elif self._valued == "q_net":
                found = self.policy.q_net(tensors)
            else:
                found = self.policy.get_distribution(tensors).distribution.logits
        return found.cpu().numpy().astype(np.float32)


def _values_of(policy: Any) -> str | None:
    """Return the name of the network for a policy's action values; None if it has logits."""
    for name in ("quantile_net", "q_net"):
        if hasattr(policy, name):
            return name
    if hasattr(policy, "lstm_actor") or not hasattr(policy, "get_distribution"):
        raise TypeError(
            f"the model's policy is a {type(policy).__name__}; an agent plays those of "
            "MaskablePPO, PPO, A2C, DQN and QRDQN"
        )
    return None


def _observed(model: BaseAlgorithm, game: Game) -> tuple[str, int]:
    """Return the observation form of a model, and the length of its histories."""
    if model.get_vec_normalize_env() is not None:
        raise ValueError(
            "the model was trained behind VecNormalize: write your own agent that scales "
            "observations in the same way"
        )
    seen, actions = model.observation_space, model.action_space
    if not isinstance(actions, spaces.Discrete) or actions.n != game.num_actions:
        raise ValueError(
            f"the model chooses from {actions}; {game.name} has {game.num_actions} actions"
        )
    history = 0
    if isinstance(seen, spaces.Dict) and "history" in seen.spaces:
        history = min((seen["history"].shape or (0,))[0], HISTORY)
    for form in game.observation_forms:
        space: Any = Settings(game, observation=form, history=history).observation_space()
        if not isinstance(seen, spaces.Dict):
            space = space["observation"]
        if _shapes(seen) == _shapes(space):
            return form, history
    raise ValueError(
        f"the model was trained on {_shapes(seen)}, which no observation form of {game.name} is "
        f"({', '.join(game.observation_forms)}): what a wrapper made of it, an agent of your own "
        "has to make too"
    )


def _shapes(space: Any) -> Any:
    """Return the dtype and shape of a space, or of each of its parts."""
    if isinstance(space, spaces.Dict):
        return {name: _shapes(part) for name, part in space.spaces.items()}
    return str(space.dtype), space.shape
