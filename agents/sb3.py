"""A Stable-Baselines3 vector environment on the native batch, for MaskablePPO and others."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from time import perf_counter
from typing import Any

import numpy as np
from gymnasium import spaces

from ludotheque.envs.core.errors import GameOverError, StateError, check_choice
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.checks import check_actions, digest_all
from ludotheque.envs.core.interfaces.exclusive import Guard, exclusive
from ludotheque.envs.core.interfaces.opponents import determinized
from ludotheque.envs.core.interfaces.seats import SeatBatch, check_batch
from ludotheque.envs.core.interfaces.settings import (
    Restorable,
    Settings,
    check_saved,
    saved_array,
)

from .afterstates import FORM, Afterstates
from .base import needs_train

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error

RENDER_MODES = (None, "rgb_array")
# Methods supported by ``env_method``, with one row per environment.
ROW_METHODS = ("action_masks", "render", "seats", "state_digests")

# No game is longer; a counter of more could overflow.
_LONGEST = 2**40


class SeatVecEnv(Restorable, VecEnv):
    """``num_envs`` games with the learner in one seat of each, played as one batch.

    Every observation is the learner's own, at its own decisions; every reward is the sum of what
    its seat earned since its last action. When a game ends, the next one is dealt at once from the
    next seed.

    Observation: int8 ``(num_envs, size)`` or ``(num_envs, planes, rows, columns)``; float32
    ``(num_envs, size)`` with ``observation="afterstates"`` (see ``Afterstates``); with
    ``dict_observation`` or a ``history`` the dictionary ``{"observation", "action_mask"}`` (and
    ``"history"``) of the Gymnasium environment. MaskablePPO finds the masks by itself
    (``env_method("action_masks")``).

    Infos: empty, except when a game has ended: ``terminal_observation``, ``TimeLimit.truncated``,
    ``episode`` (``r``: sum of rewards, ``l``: decisions, ``t``: seconds, as SB3's Monitor gives),
    ``seat``, and ``scores`` and ``ranks`` of all seats.

    Args:
        game, num_players, history, reward, illegal, illegal_reward, options: see
            ``Settings``.
        num_envs: number of games.
        observation: a form of the game, or ``"afterstates"``: flat, and the values of all actions.
        valued_by: whose values; see ``Afterstates``. For other forms it has no effect.
        opponents, seat, num_threads: see ``SeatBatch``. A pool with a method
            ``record(agent, result)`` receives the result of each game against its agents: +1 if the
            learner's rank is better, 0 if equal, -1 if worse.
        dict_observation: include the mask in the observation.
        reward_scale: factor for rewards; the sums in the infos are not scaled.
        render_mode: None or ``"rgb_array"``.

    Raises:
        ValueError, TypeError: an invalid argument; the message lists what is allowed.
    """

    _DERIVED = ("game", "_guard")

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        num_envs: int,
        num_players: int | None = None,
        *,
        opponents: Any = "random",
        seat: int | str = "random",
        observation: str = "flat",
        valued_by: Iterable[str] = ("greedy",),
        history: int = 0,
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        dict_observation: bool = False,
        reward_scale: float = 1.0,
        num_threads: int = 1,
        render_mode: str | None = None,
        **options: Any,
    ):
        check_choice(render_mode, RENDER_MODES, "render_mode")
        form = "flat" if observation == FORM else observation
        self.settings = Settings(
            game, num_players, form, reward, illegal, illegal_reward, options, history
        )
        self.game = self.settings.game
        self.afterstates = Afterstates(self.game, valued_by) if observation == FORM else None
        self.dict_observation = dict_observation or self.settings.history > 0
        self.reward_scale = reward_scale
        self.render_mode = render_mode
        self._guard = Guard()
        self._batch = SeatBatch(self.settings, num_envs, opponents, seat, num_threads)
        space = self._observation_space()
        super().__init__(
            num_envs,
            space if self.dict_observation else space["observation"],
            self.settings.action_space(),
        )
        self._actions: np.ndarray | None = None
        self._returns = np.zeros(num_envs, np.float64)
        self._lengths = np.zeros(num_envs, np.int64)
        self._started_at = perf_counter()

    def _observation_space(self) -> spaces.Dict:
        space = self.settings.observation_space()
        if self.afterstates is not None:
            size = self.settings.observation_size + self.afterstates.size
            seen = spaces.Box(-np.inf, np.inf, (size,), np.float32)
            space = spaces.Dict({**space.spaces, "observation": seen})
        return space

    @property
    def states(self) -> np.ndarray:
        """The records of the games in progress, ``(num_envs,)``; not a copy. Omniscient."""
        return self._batch.states

    @exclusive
    def reset(self) -> Any:
        """Deal new games in all environments and return the observations.

        Seeds set with ``seed()`` are used once; otherwise each game continues from the previous
        one.
        """
        batch = self._batch
        batch.deal(batch.seeds(self._seeds))
        batch.refresh()
        self._reset_seeds()
        self._reset_options()
        self._returns[:] = 0
        self._lengths[:] = 0
        batch.finish()
        return self._seen()

    def step_async(self, actions: np.ndarray) -> None:
        """Store the actions (integers, ``(num_envs,)``) for ``step_wait``."""
        if not self._batch.started:
            raise GameOverError("no game was dealt: call reset() before step()")
        self._actions = check_actions(actions, self.num_envs)

    @exclusive
    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play the actions and the opponents' turns; return observations, rewards, dones and infos.

        Raises:
            IllegalActionError: an action is not legal, with ``illegal="raise"``; no game has
                changed.
        """
        batch = self._batch
        assert self._actions is not None, "step_wait() without step_async()"
        batch.play(self._actions)
        rewards = batch.rewards.copy()
        dones = batch.over
        self._returns += rewards
        self._lengths += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(dones)
        batch.refresh()
        if len(ended):
            self._end_games(ended, infos)
            batch.deal(batch.following_seeds(ended), ended)
            batch.refresh()
        batch.finish()
        return self._seen(), rewards * self.reward_scale, dones, infos

    def _end_games(self, rows: np.ndarray, infos: list[dict[str, Any]]) -> None:
        """Fill the infos of the finished games ``rows``, and update the pools."""
        batch = self._batch
        seconds = round(perf_counter() - self._started_at, 6)
        seen = self._seen(rows)
        truncated = batch.states["truncated"] & ~batch.states["terminated"]
        for k, row in enumerate(rows.tolist()):
            last = {key: seen[key][k] for key in seen} if self.dict_observation else seen[k]
            infos[row] = {
                "terminal_observation": last,
                "TimeLimit.truncated": bool(truncated[row]),
                "episode": {
                    "r": float(self._returns[row]),
                    "l": int(self._lengths[row]),
                    "t": seconds,
                },
                "seat": int(batch.learner[row]),
                "scores": batch.scores[row].copy(),
                "ranks": batch.ranks[row].copy(),
            }
        self._returns[rows] = 0
        self._lengths[rows] = 0
        for seat in range(self.settings.num_players):
            if hasattr(batch.pool(seat), "record"):
                self._record(seat, rows[batch.learner[rows] != seat])

    def _record(self, seat: int, rows: np.ndarray) -> None:
        batch = self._batch
        results = np.sign(batch.ranks[rows, seat] - batch.ranks[rows, batch.learner[rows]])
        for row, result in zip(rows.tolist(), results.tolist(), strict=True):
            opponent = batch.opponent_of(row, seat)
            if opponent is not None:
                batch.pool(seat).record(opponent, result)

    def _seen(self, rows: Any = slice(None)) -> Any:
        seen = self._batch.seen(rows)
        if self.afterstates is not None:
            known, seeds = determinized(self.settings, self._batch.states[rows])
            # What a game's last position would lead to isn't defined.
            masks = seen["action_mask"] * ~self._batch.over[rows, None]
            seen["observation"] = self.afterstates.observe(seen["observation"], masks, known, seeds)
        return seen if self.dict_observation else seen["observation"]

    def pool(self, seat: int) -> Any:
        """Return the pool that opponents at ``seat`` are drawn from, or None."""
        return self._batch.pool(seat)

    def opponent_of(self, row: int, seat: int) -> Any:
        """Return the agent at ``seat`` of game ``row`` (see ``SeatBatch.opponent_of``)."""
        return self._batch.opponent_of(row, seat)

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the int8 masks ``(num_envs, num_actions)`` of the currently legal actions."""
        return self._batch.masks.copy()

    @exclusive
    def seats(self) -> np.ndarray:
        """Return the learner's seat in each game, int64 ``(num_envs,)``."""
        return self._batch.learner.copy()

    @exclusive
    def state_digests(self) -> list[str]:
        """Return a hex digest of each game, including hidden parts; omniscient."""
        return [self.game.digest(self._batch.states, i) for i in range(self.num_envs)]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether ``get_attr`` supports the name."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute, which all games share, for each of ``indices``."""
        value = getattr(self, attr_name)
        return [value for _ in self._rows(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all games, which are one batch and can't differ.

        Setting ``opponents`` applies to future games.
        """
        if indices is not None and set(self._rows(indices)) != set(range(self.num_envs)):
            raise ValueError(
                f"cannot set {attr_name!r} for some environments: they are one batch; "
                "leave out indices"
            )
        if attr_name == "opponents":
            self._batch.set_opponents(value)
        else:
            setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call one of ``ROW_METHODS`` for each game of ``indices`` and return the results.

        Raises:
            AttributeError: another method; as one batch, the games have none of their own.
        """
        if method_name not in ROW_METHODS:
            raise AttributeError(
                f"the games of a SeatVecEnv have no method {method_name!r}; "
                f"they have: {', '.join(ROW_METHODS)}"
            )
        if method_name == "render":
            return [self._picture(row) for row in self._rows(indices)]
        answers = getattr(self, method_name)(*method_args, **method_kwargs)
        return [answers[row] for row in self._rows(indices)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        """Return True only for ``Monitor``, whose additions the infos already contain."""
        return [issubclass(wrapper_class, Monitor) for _ in self._rows(indices)]

    def _rows(self, indices: int | Iterable[int] | None) -> Sequence[int]:
        rows = list(self._get_indices(indices))
        for row in rows:
            if not -self.num_envs <= row < self.num_envs:
                raise IndexError(f"environment {row} of {self.num_envs} doesn't exist")
        return rows

    def get_images(self) -> list[np.ndarray]:
        """Return a uint8 ``(height, width, 3)`` picture of each game as seen by the learner."""
        return [self._picture(row) for row in range(self.num_envs)]

    @exclusive
    def _picture(self, row: int) -> np.ndarray:
        batch = self._batch
        return self.game.draw(batch.states[row], int(batch.learner[row]), None).rgb()

    def close(self) -> None:
        """Do nothing; there are no resources to release."""

    @exclusive
    def get_state(self) -> dict[str, Any]:
        """Return the games in progress, seats and opponents in new objects. Omniscient.

        The opponents are the same objects, so that games continue against their own.
        """
        return {
            **self._batch.get_state(),
            "returns": self._returns.copy(),
            "lengths": self._lengths.copy(),
        }

    @exclusive
    def set_state(self, saved: dict[str, Any]) -> Any:
        """Restore a state returned by ``get_state``, and return the observations.

        Raises:
            StateError: the state doesn't fit; nothing has changed.
        """
        check_saved(saved, ("returns", "lengths"))
        lengths = saved_array(saved, "lengths", self._lengths, 0, _LONGEST)
        returns = np.asarray(saved["returns"])
        like = self._returns
        if (returns.dtype, returns.shape) != (like.dtype, like.shape) or not np.isfinite(
            returns
        ).all():
            raise StateError(f"returns of a saved state aren't {like.shape} finite float64")
        self._batch.set_state(saved)
        self._returns, self._lengths = returns.copy(), lengths
        return self._seen()

    def clone(self) -> SeatVecEnv:
        """Return an independent copy with the same games in progress."""
        return copy.deepcopy(self)

    def _made_anew(self) -> SeatVecEnv:
        return SeatVecEnv(num_envs=self.num_envs, **self.settings.arguments)

    def _check_restored(self) -> None:
        check_batch(self._batch, self.settings, self.num_envs)
        if not isinstance(self.afterstates, Afterstates | None):
            raise StateError(f"afterstates of a pickle are {self.afterstates!r}")
        whole = self._observation_space()
        space = whole if self.dict_observation else whole["observation"]
        if self.observation_space != space:
            raise StateError(f"observations of a pickle are {self.observation_space}, not {space}")
        if self._actions is not None:
            self._actions = check_actions(self._actions, self.num_envs)

    @exclusive
    def state_digest(self) -> str:
        """Return a hex digest of all games, including hidden parts; omniscient."""
        return digest_all(self.game, self._batch.states)

    def __repr__(self) -> str:
        return f"<SeatVecEnv {self.num_envs} x {self.settings!r}>"
