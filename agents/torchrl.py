"""The games for TorchRL: all seats of many games as one environment with a batch size.

TorchRL is not a dependency: ``pip install torchrl==0.14.1``, preferably in a separate environment.
`TorchRLEnv` steps the native batch; `SeatGAE` computes advantages along each seat's own decisions,
whereas TorchRL's estimators assume that the next step in time is the player's next one::

    env = TorchRLEnv("sarena", num_envs=256)
    collector = Collector(env, policy, frames_per_batch=8192, total_frames=1_000_000)
    gae = SeatGAE(critic)
    loss = ClipPPOLoss(policy, critic)
    for data in collector:
        data = gae(data)
        ...

``tests/integrations/with_torchrl.py`` is the complete loop.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ludotheque.envs import seat_advantages
from ludotheque.envs.core.arguments import check_seed
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.batch import BatchEnv

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"TorchRLEnv needs {error.name}, not installed. Try, in an environment of its own: "
        'pip install "torchrl==0.14.1" ludotheque',
        name=error.name,
    ) from error


class TorchRLEnv(EnvBase):
    """A batch of ``num_envs`` games in which one policy plays every seat; a step is one ply.

    Batch size ``(num_envs,)``. Keys: "observation", int8 ``(num_envs, size)`` or ``(num_envs,
    planes, rows, cols)``, as observed by the seat to play; "action_mask", bool ``(num_envs,
    num_actions)``; "to_play", int64 ``(num_envs, 1)``, that seat; "history" with ``history``;
    "action", int64 ``(num_envs,)``; "reward", float32 ``(num_envs, num_players)``, every seat's
    reward of the ply; "done", "terminated", "truncated". Random actions are legal; around
    transforms and in collectors without a policy, add TorchRL's ``ActionMask()`` for that.

    Finished games return their final observations, and TorchRL's collectors deal the next ones by a
    partial reset. `set_seed` seeds the next reset: environment i gets ``seed + i``.

    Attributes:
        batch: the games.
        observation_scale: float32, factors that scale observations for a network.

    Args:
        game, num_envs, num_players, kwargs: see ``BatchEnv``: ``observation``, ``history``,
            ``reward``, ``illegal``, ``num_threads``, the game's options.
        device: the device of the tensors.

    Raises:
        ValueError, TypeError: an invalid argument; the message lists what is allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        num_players: int | None = None,
        *,
        device: Any = "cpu",
        **kwargs: Any,
    ):
        if "autoreset" in kwargs:
            raise TypeError("autoreset is TorchRL's: its collectors reset the games that ended")
        self.batch = BatchEnv(game, num_envs, num_players, autoreset=False, **kwargs)
        super().__init__(device=torch.device(device), batch_size=torch.Size([num_envs]))
        self.observation_scale = torch.from_numpy(self.batch.observation_scale).to(self.device)
        self._next_seed: int | None = None
        self._make_specs()

    def _make_specs(self) -> None:
        batch, count = self.batch, self.batch.num_envs
        actions = batch.game.num_actions
        spaces: Any = batch.single_observation_space
        seen = {
            name: Bounded(
                low=torch.from_numpy(spaces[name].low).expand(count, *spaces[name].shape),
                high=torch.from_numpy(spaces[name].high).expand(count, *spaces[name].shape),
                dtype=torch.from_numpy(spaces[name].low).dtype,
            )
            for name in ("observation", "history")
            if name in spaces.spaces
        }
        whole = torch.Size([count])
        self.observation_spec = Composite(
            **seen,
            action_mask=Binary(actions, (count, actions), dtype=torch.bool),
            to_play=Categorical(batch.num_players, (count, 1)),
            shape=whole,
        ).to(self.device)
        self.action_spec = Categorical(actions, whole, device=self.device)
        self.reward_spec = Unbounded((count, batch.num_players), device=self.device)
        flag = Categorical(2, (count, 1), dtype=torch.bool, device=self.device)
        self.done_spec = Composite(
            **{name: flag.clone() for name in ("done", "terminated", "truncated")}, shape=whole
        )

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDictBase:
        asked = None if tensordict is None else tensordict.get("_reset", None)
        mask = None if asked is None else asked.reshape(-1).cpu().numpy()
        seed, self._next_seed = self._next_seed, None
        if mask is None or mask.all():
            self.batch.reset(seed)
        elif mask.any():
            self.batch.reset(seed, mask=mask)
        return self._shown()

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        self.batch.step(tensordict["action"].reshape(-1).cpu().numpy())
        shown = self._shown()
        shown["reward"] = self._copied(self.batch.rewards)
        return shown

    def _shown(self) -> TensorDictBase:
        """Return the current observations in new tensors, as the batch overwrites its arrays."""
        batch = self.batch
        mask = self._copied(batch.action_masks).bool()
        self.action_spec.update_mask(mask)
        terminated = self._copied(batch.terminated)[:, None]
        truncated = self._copied(batch.truncated)[:, None]
        shown = {
            "observation": self._copied(batch.observations),
            "action_mask": mask,
            "to_play": self._copied(batch.to_play)[:, None],
            "terminated": terminated,
            "truncated": truncated,
            "done": terminated | truncated,
        }
        if batch.settings.history:
            shown["history"] = self._copied(batch.histories)
        return TensorDict(shown, batch_size=self.batch_size, device=self.device)

    def _copied(self, array: np.ndarray) -> torch.Tensor:
        return torch.tensor(array, device=self.device)

    def _set_seed(self, seed: int | None) -> None:
        self._next_seed = None if seed is None else check_seed(seed)


class SeatGAE:
    """Adds "advantage" and "value_target" to a batch of `TorchRLEnv`, along each seat's decisions.

    Args:
        value_network: a module that writes "state_value" ``(..., 1)``.
        gamma, gae_lambda: see ``seat_advantages``.
    """

    def __init__(self, value_network: Any, gamma: float = 1.0, gae_lambda: float = 0.95):
        self.value_network = value_network
        self.gamma, self.gae_lambda = gamma, gae_lambda

    @torch.no_grad()
    def __call__(self, tensordict: TensorDictBase) -> TensorDictBase:
        """Fill and return ``tensordict``, of batch size ``(num_envs, plies)``.

        Also "state_value"; "advantage" and "value_target" are float32 ``(num_envs, plies, 1)``.

        Raises:
            ValueError: the batch size is wrong, or values aren't finite.
        """
        if tensordict.batch_dims != 2:
            raise ValueError(
                f"the batch size is {tuple(tensordict.batch_size)}; give (num_envs, plies), as a "
                "collector does"
            )
        self.value_network(tensordict)
        last = self.value_network(tensordict["next"][:, -1])
        values = torch.cat([tensordict["state_value"], last["state_value"][:, None]], 1)
        to_play = torch.cat([tensordict["to_play"], last["to_play"][:, None]], 1)
        parts = {
            "rewards": tensordict["next", "reward"],
            "dones": tensordict["next", "done"].squeeze(-1),
            "to_play": to_play.squeeze(-1),
            "values": values.squeeze(-1),
        }
        # There the envs come first, here the plies.
        by_ply = {name: part.transpose(0, 1).cpu().numpy() for name, part in parts.items()}
        found = seat_advantages(**by_ply, gamma=self.gamma, gae_lambda=self.gae_lambda)
        for name, array in zip(("advantage", "value_target"), found, strict=True):
            column = torch.from_numpy(array).transpose(0, 1)[..., None]
            tensordict[name] = column.to(tensordict.device or "cpu")
        return tensordict
