"""Every game as a Gymnasium environment: the caller plays one seat, agents play the others."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..arguments import check_action, check_seed
from ..errors import GameOverError, check_whole
from ..game import Game
from .checks import check_actions, check_mask, check_num_envs, digest_all
from .exclusive import Guard, exclusive
from .seats import SeatBatch, check_batch
from .settings import (
    Rendering,
    Restorable,
    Settings,
    check_saved,
    last_action_of,
    saved_array,
    shorten,
)


def _game_metadata(game: Game) -> dict[str, Any]:
    return {
        "name": f"{game.name}_v{game.version}",
        "render_modes": list(Rendering.MODES),
        "render_fps": 2,
    }


class SeatEnv(Restorable, gymnasium.Env):
    """One seat of a board game against agents, or a solo game.

    Observation: ``{"observation": int8 (size,) or (planes, rows, cols), "action_mask": int8
    (num_actions,)}`` at the learner's own decisions; ``info["action_mask"]`` and ``action_masks()``
    return the mask too. It is never all zeros: at the end of a game it is all ones.
    Action: ``Discrete(num_actions)``.
    Reward: everything the seat earned since its last action, including the opponents' plies. What
    their plies before its first turn earned it is not paid, since ``reset`` returns no reward.
    End: by the rules (terminated), or truncated by the game's limit of plies.

    Args:
        game, num_players, observation, history, reward, illegal, illegal_reward, options: see
            ``Settings``.
        opponents, seat: see ``SeatBatch``.
        render_mode: None, ``"human"``, ``"rgb_array"``, ``"ansi"`` or ``"svg"``; pictures show what
            the learner's seat may see.
    """

    _DERIVED = ("game", "_guard")
    metadata = {"render_modes": list(Rendering.MODES), "render_fps": 2}

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        num_players: int | None = None,
        *,
        opponents: Any = "random",
        seat: int | str = "random",
        observation: str = "flat",
        history: int = 0,
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        **options: Any,
    ):
        self.settings = Settings(
            game, num_players, observation, reward, illegal, illegal_reward, options, history
        )
        self.game = self.settings.game
        self.metadata = _game_metadata(self.game)
        self.render_mode = render_mode
        self._rendering = Rendering(self.game, render_mode)
        self.observation_space = self.settings.observation_space()
        self.action_space = self.settings.action_space()
        self._guard = Guard()
        self._batch = SeatBatch(self.settings, 1, opponents, seat)

    @property
    def seat(self) -> int:
        """The learner's seat in the game in progress."""
        return int(self._batch.learner[0])

    def observation_schema(self):
        """Return the fields of the observation, in order."""
        return self.game.observation_schema(self.settings.observation)

    @exclusive
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        """Deal a new game and play the opponents' turns before the learner's first one.

        Args:
            seed: determines the game, the same one in every interface. None continues from the last
                game.
            options: unused; variants are chosen when the environment is created.

        Raises:
            ValueError: a seed that isn't a whole number from 0 to 2**64 - 1.
        """
        # Gymnasium accepts only Python integers.
        super().reset(seed=None if seed is None else check_seed(seed))
        self._batch.deal(self._batch.seeds([seed]))
        self._batch.refresh()
        self._batch.finish()
        return self._seen(), self._info()

    @exclusive
    def step(self, action: int):
        """Play ``action``, then the opponents' turns; return Gymnasium's five values.

        Raises:
            IllegalActionError: the action is not legal, with ``illegal="raise"``; nothing has
                changed.
            GameOverError: the game is over, or none has been dealt.
        """
        if not self._batch.started:
            raise GameOverError("no game was dealt: call reset() before step()")
        if self._batch.over[0]:
            raise GameOverError("this game is over: call reset() before the next step()")
        number = check_action(action)
        self._batch.play(np.array([number], dtype=np.int64))
        self._batch.refresh()
        self._batch.finish()
        state = self._batch.states[0]
        return (
            self._seen(),
            float(self._batch.rewards[0]),
            bool(state["terminated"]),
            bool(state["truncated"]),
            self._info(),
        )

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the int8 mask of the currently legal actions (for MaskablePPO)."""
        self._batch.check_started()
        return self._batch.masks[0].copy()

    def sample_legal(self) -> int:
        """Return a legal action sampled from the seeded action space."""
        return int(self.action_space.sample(self.action_masks()))

    @exclusive
    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(scores, ranks)`` of all seats: final, or as if the game ended now.

        Omniscient before the end: the others' points may be hidden; the seat's own are not.
        """
        self._batch.check_started()
        return self.game.returns(self._batch.states)

    def _seen(self) -> dict[str, np.ndarray]:
        return {name: part[0].copy() for name, part in self._batch.seen(copy=False).items()}

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._batch.masks[0].copy(), "seat": self.seat}

    @exclusive
    def render(self) -> Any:
        """Return or show a picture of what the learner's seat may see, by ``render_mode``."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing: make the environment with render_mode")
            return None
        self._batch.check_started()
        return self._rendering.render(self._batch.states[0], self.seat)

    @exclusive
    def _repr_svg_(self) -> str | None:
        if not self._batch.started:
            return None
        state = self._batch.states[0]
        return self.game.draw(state, self.seat, last_action_of(state)).svg()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._rendering.close()

    @exclusive
    def get_state(self) -> dict[str, Any]:
        """Return the game in progress and the learner's seat, in new objects. Omniscient."""
        return self._batch.get_state()

    @exclusive
    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state returned by ``get_state``; raise StateError if it doesn't fit."""
        self._batch.set_state(saved)

    def clone(self) -> SeatEnv:
        """Return an independent copy with the same game in progress."""
        return copy.deepcopy(self)

    def _made_anew(self) -> SeatEnv:
        return SeatEnv(render_mode=self.render_mode, **self.settings.arguments)

    def _check_restored(self) -> None:
        check_batch(self._batch, self.settings, 1)

    @exclusive
    def state_digest(self) -> str:
        """Return a hex digest of the whole state, including hidden parts and chance; omniscient."""
        return self.game.digest(self._batch.states)

    def __repr__(self) -> str:
        return f"<SeatEnv {self.settings!r}>"


class SeatVectorEnv(Restorable, VectorEnv):
    """``num_envs`` games, played as one batch, with the learner in one seat of each.

    Behaves like a ``SyncVectorEnv`` of ``SeatEnv``, but is many times faster.

    Args:
        game, num_players, observation, history, reward, illegal, illegal_reward, options: see
            ``Settings``.
        num_envs: number of games.
        opponents, seat, num_threads: see ``SeatBatch``.
        autoreset_mode: NEXT_STEP (the step after the end of a game deals the next one and ignores
            the action), SAME_STEP (the next game is dealt at once; the last observation and info
            are in ``infos["final_obs"]`` and ``infos["final_info"]``), or DISABLED (the caller
            resets all games, or some with ``options={"reset_mask": bool (num_envs,)}``).
        max_episode_steps: truncate a game after this many decisions of the learner, as Gymnasium's
            ``TimeLimit`` does; None means the game's own limit. ``results()`` are those of games
            that ended.
        copy: return new arrays; False returns the same buffers at each step, which is faster.
        render_mode: must be None; use a single environment for pictures.
    """

    _DERIVED = ("game", "autoreset_mode", "_guard")

    def __init__(  # noqa: PLR0913
        self,
        game: str | Game,
        num_envs: int = 1,
        num_players: int | None = None,
        *,
        opponents: Any = "random",
        seat: int | str = "random",
        observation: str = "flat",
        history: int = 0,
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        copy: bool = True,
        num_threads: int = 1,
        render_mode: None = None,
        **options: Any,
    ):
        if render_mode is not None:
            raise ValueError(
                f"render_mode is {render_mode!r}; a vectorised environment doesn't "
                "render: use gymnasium.make for pictures"
            )
        self.settings = Settings(
            game, num_players, observation, reward, illegal, illegal_reward, options, history
        )
        self.game = self.settings.game
        self.num_envs = check_num_envs(num_envs)
        self.autoreset_mode = _check_autoreset_mode(autoreset_mode)
        self.metadata = {**_game_metadata(self.game), "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        if max_episode_steps is not None:
            check_whole(max_episode_steps, "max_episode_steps", 1)
        self.max_episode_steps = max_episode_steps
        self.copy = copy
        self.single_observation_space = self.settings.observation_space()
        self.single_action_space = self.settings.action_space()
        self.observation_space = shorten(batch_space(self.single_observation_space, num_envs))
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._guard = Guard()
        self._batch = SeatBatch(self.settings, num_envs, opponents, seat, num_threads)
        self._rewards = np.zeros(num_envs, np.float64)
        self._ended = np.zeros(num_envs, np.bool_)
        self._steps = np.zeros(num_envs, np.int64)

    @exclusive
    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None):
        """Deal new games: all of them, or those in ``options["reset_mask"]``.

        ``seed``: environment i gets ``seed + i``, or ``seed[i]``; None continues from the previous
        games.
        """
        batch = self._batch
        rows = np.arange(self.num_envs)
        if options and "reset_mask" in options:
            rows = np.flatnonzero(
                check_mask(options["reset_mask"], self.num_envs, "options['reset_mask']")
            )
            if len(rows) < self.num_envs:
                batch.check_whole()
        batch.deal(batch.seeds(seed)[rows], rows)
        batch.refresh(anew=self.copy)
        self._ended[rows] = False
        self._steps[rows] = 0
        batch.finish()
        return self._seen(), self._infos(rows)

    @exclusive
    def step(self, actions: np.ndarray):
        """Play ``actions`` (integers, ``(num_envs,)``), then the opponents' turns.

        Raises:
            IllegalActionError: an action is not legal, with ``illegal="raise"``; no game has
                changed.
            GameOverError: with DISABLED, a game is over and was not reset.
            ValueError: ``actions`` have the wrong shape or type.
        """
        batch = self._batch
        if not batch.started:
            raise GameOverError("no game was dealt: call reset() before step()")
        actions = check_actions(actions, self.num_envs)
        everything = np.arange(self.num_envs)
        steps = self._steps + 1
        if self.autoreset_mode is AutoresetMode.NEXT_STEP and self._ended.any():
            stale, live = np.flatnonzero(self._ended), np.flatnonzero(~self._ended)
            batch.play(actions[live], live)
            batch.deal(batch.following_seeds(stale), stale)
            batch.rewards[stale] = 0
            steps[stale] = 0
        else:
            if self._ended.any():
                raise GameOverError(
                    f"game {np.flatnonzero(self._ended)[0]} is over: reset it before the next step "
                    "(options={'reset_mask': ...})"
                )
            batch.play(actions)
        batch.refresh(anew=self.copy)
        terminated = batch.states["terminated"].copy()
        truncated = batch.states["truncated"].copy()
        if self.max_episode_steps is not None:
            truncated |= steps >= self.max_episode_steps
        self._rewards[:] = batch.rewards
        over = terminated | truncated
        final: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and over.any():
            final = self._deal_ended(np.flatnonzero(over))
            steps[over] = 0
        else:
            self._ended[:] = over
        self._steps = steps
        batch.finish()
        rewards = self._rewards.copy() if self.copy else self._rewards
        return self._seen(), rewards, terminated, truncated, {**final, **self._infos(everything)}

    def _deal_ended(self, rows: np.ndarray) -> dict[str, Any]:
        """Deal new games in ``rows`` and return the last observations and infos of the old ones."""
        seen = self._seen()
        final: dict[str, Any] = {}
        for row in rows.tolist():
            last = {
                "final_obs": {key: value[row].copy() for key, value in seen.items()},
                "final_info": {
                    "action_mask": seen["action_mask"][row].copy(),
                    "seat": int(self._batch.learner[row]),
                },
            }
            final = self._add_info(final, last, row)
        self._batch.deal(self._batch.following_seeds(rows), rows)
        self._batch.refresh(anew=self.copy)
        return final

    @exclusive
    def action_masks(self) -> np.ndarray:
        """Return the int8 masks ``(num_envs, num_actions)`` of the currently legal actions."""
        self._batch.check_started()
        return self._batch.masks.copy()

    @exclusive
    def random_actions(self) -> np.ndarray:
        """Return a uniformly random legal action for each game, determined by its seed and ply."""
        self._batch.check_started()
        return self._batch.random_actions()

    @exclusive
    def results(self) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(scores, ranks)``, both ``(num_envs, num_players)``, of the last games."""
        return self._batch.scores.copy(), self._batch.ranks.copy()

    def _seen(self) -> dict[str, np.ndarray]:
        return self._batch.handed_out() if self.copy else self._batch.seen(copy=False)

    def _infos(self, rows: np.ndarray) -> dict[str, Any]:
        """Return infos in Gymnasium's vector form: values and whether they are set."""
        present = np.zeros(self.num_envs, np.bool_)
        present[rows] = True
        masks, seats = self._batch.masks.copy(), self._batch.learner.copy()
        if len(rows) < self.num_envs:
            masks[~present] = 0
            seats[~present] = 0
        return {
            "action_mask": masks,
            "_action_mask": present,
            "seat": seats,
            "_seat": present.copy(),
        }

    @exclusive
    def get_state(self) -> dict[str, Any]:
        """Return the games in progress and the learners' seats, in new objects. Omniscient."""
        counts = {"ended": self._ended.copy(), "steps": self._steps.copy()}
        return {**self._batch.get_state(), **counts}

    @exclusive
    def set_state(self, saved: dict[str, Any]) -> None:
        """Restore a state returned by ``get_state``; raise StateError if it doesn't fit."""
        check_saved(saved, ("ended", "steps"))
        ended = saved_array(saved, "ended", self._ended, 0, 1)
        steps = saved_array(saved, "steps", self._steps, 0, None)
        self._batch.set_state(saved)
        self._ended, self._steps = ended, steps

    def clone(self) -> SeatVectorEnv:
        """Return an independent copy with the same games in progress."""
        return copy.deepcopy(self)

    def _made_anew(self) -> SeatVectorEnv:
        return SeatVectorEnv(
            num_envs=self.num_envs,
            autoreset_mode=self.autoreset_mode,
            max_episode_steps=self.max_episode_steps,
            **self.settings.arguments,
        )

    def _check_restored(self) -> None:
        check_batch(self._batch, self.settings, self.num_envs)

    @exclusive
    def state_digest(self) -> str:
        """Return a hex digest of all games, including hidden parts; omniscient."""
        return digest_all(self.game, self._batch.states)

    def __repr__(self) -> str:
        return f"<SeatVectorEnv {self.num_envs} x {self.settings!r}>"


def _check_autoreset_mode(mode: Any) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError as error:
        allowed = ", ".join(f"{one} or {one.value!r}" for one in AutoresetMode)
        raise ValueError(f"autoreset_mode is {mode!r}; allowed: {allowed}") from error
