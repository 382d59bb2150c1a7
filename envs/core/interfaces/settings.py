"""The settings shared by every interface, validated once and turned into kernel arguments."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from ..arguments import read_options
from ..errors import StateError, check_choice, check_finite, check_whole
from ..game import Game
from ..loops import ILLEGAL
from ..rewards import REWARDS
from ..schema import scales
from ..state import HISTORY, copied
from .registry import get_game


class Settings:
    """A game with its variants, observation form, reward and rule for illegal actions.

    Args:
        game: the game or its name.
        num_players: number of seats; by default 2, or the fewest the game allows.
        observation: form of the observations: ``"flat"``, in some games also ``"planes"`` or
            ``"compact"``.
        reward: ``"rank"``, ``"win"``, ``"score"``, ``"margin"`` or ``"score_change"``.
        illegal: the effect of an illegal action: ``"raise"`` raises an error, ``"lose"`` ends the
            game, ``"penalty"`` costs ``illegal_reward`` and changes nothing else. A learner's game
            against agents (Gymnasium, SB3) is truncated after 1,000 penalties in a row; PettingZoo
            and batches don't count them, so the caller's loop must end by itself.
        illegal_reward: the penalty; with ``"lose"``, the loser's reward if rewards are scores.
        options: the game's variants.
        history: number of recent public actions to include in observations, 0 to 64 (see
            ``history_space``).

    Raises:
        ValueError, TypeError: an invalid value or name; the message lists what is allowed.
    """

    def __init__(
        self,
        game: str | Game,
        num_players: int | None = None,
        observation: str = "flat",
        reward: str = "rank",
        illegal: str = "raise",
        illegal_reward: float = -1.0,
        options: Mapping[str, Any] | None = None,
        history: int = 0,
    ):
        self.game = get_game(game) if isinstance(game, str) else game
        if num_players is None:
            num_players = self.game.usual_players
        self.named_options, self.options = read_options(self.game, num_players, options or {})
        check_choice(observation, self.game.observation_forms, f"observation of {self.game.name}")
        check_choice(reward, REWARDS, "reward")
        check_choice(illegal, ILLEGAL, "illegal")
        self.num_players = num_players
        self.history = check_whole(history, "history", 0, HISTORY)
        self.observation = observation
        self.reward = reward
        self.illegal = illegal
        self.illegal_reward = check_finite(illegal_reward, "illegal_reward")
        self.illegal_code = ILLEGAL.index(illegal)
        self.reward_code = REWARDS.index(reward)
        # In the form of the loops' argument: (illegal, penalty, reward_kind).
        self.rule = (self.illegal_code, self.illegal_reward, self.reward_code)
        self.observation_size = self.game.observation_size(observation)
        self.observation_shape = self.game.observation_shape(observation)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of an environment with these settings: the game, and the rest by name."""
        return {
            "game": self.game,
            "num_players": self.num_players,
            "observation": self.observation,
            "reward": self.reward,
            "illegal": self.illegal,
            "illegal_reward": self.illegal_reward,
            "history": self.history,
            **self.named_options,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Kernels index arrays by values derived from the arguments, so these are recomputed.
        with unpickling(type(self)):
            names = ("game", "num_players", "observation", "reward", "illegal", "illegal_reward")
            values = [state[name] for name in names]
            self.__init__(*values, state["named_options"], state["history"])  # type: ignore[misc]

    def __deepcopy__(self, memo: dict[int, Any]) -> Settings:
        twin = memo[id(self)] = type(self).__new__(type(self))
        twin.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return twin

    @property
    def loops(self) -> SimpleNamespace:
        """The game's batch loops for this observation form."""
        return self.game.loops_for(self.observation)

    def observation_space(self) -> spaces.Dict:
        """Return a new space for one seat's observation and mask."""
        fields = self.game.observation_schema(self.observation)
        dtype = self.game.observation_dtype
        low = np.concatenate([np.full(field.size, field.low, dtype) for field in fields])
        high = np.concatenate([np.full(field.size, field.high, dtype) for field in fields])
        shape = self.observation_shape
        box = spaces.Box(low.reshape(shape), high.reshape(shape), shape, dtype)
        seen: dict[str, spaces.Space] = {
            "observation": shorten(box),
            "action_mask": spaces.Box(0, 1, (self.game.num_actions,), np.int8),
        }
        if self.history:
            seen["history"] = self.history_space()
        return spaces.Dict(seen)

    def observation_scale(self) -> np.ndarray:
        """Return the factors that scale observations for a network to around 1.

        The array is float32 and has the shape of an observation.
        """
        fields = self.game.observation_schema(self.observation)
        return scales(fields).reshape(self.observation_shape)

    def history_space(self) -> spaces.Box:
        """Return the space of histories: int16 ``(history, 2)``, oldest action first.

        A row is ``(ahead, action)``: who acted, as the number of seats after the observing one, and
        the action's number, or ``num_actions`` if its details are hidden (a card played face down).
        Rows before the first action are -1. Actions that are entirely hidden are left out.
        """
        low, high = np.full((2, self.history, 2), -1, np.int16)
        high[:] = self.num_players - 1, self.game.num_actions
        return spaces.Box(low, high, dtype=np.int16)

    def histories(self, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Return int16 ``(len(states), history, 2)``: see ``history_space``.

        ``seats[i]`` is the observing seat; -1 means the seat to play.
        """
        out = np.empty((len(states), self.history, 2), np.int16)
        self.loops.histories(states, 0, len(states), seats, out)
        return out

    def action_space(self) -> spaces.Discrete:
        """Return a new action space."""
        return spaces.Discrete(self.game.num_actions)

    def adopt(self, states: np.ndarray, count: int) -> np.ndarray:
        """Return a copy of saved ``states`` after validating them against these settings.

        Raises:
            StateError: the record type, the number of games or the number of players differs, or a
                record isn't a valid position (see ``Game.check_states``).
        """
        states = np.atleast_1d(np.asarray(states))
        if states.dtype != self.game.dtype:
            raise StateError(
                f"this is not a state of {self.game.name}_v{self.game.version}: its record type "
                f"differs (a state of another game or version?)"
            )
        if states.shape != (count,):
            raise StateError(f"got {states.shape} states; this environment has ({count},)")
        players = set(states["num_players"].tolist())
        if players != {self.num_players}:
            raise StateError(
                f"got a state with {sorted(players)} players; this environment has "
                f"num_players={self.num_players}"
            )
        self.game.check_states(states)
        # Not the type of ``states``, whose fields needn't be aligned (np.load's aren't).
        return copied(states, self.game.dtype)

    def __repr__(self) -> str:
        defaults = {option.name: option.default for option in self.game.options}
        values = {
            "num_players": self.num_players,
            **{name: x for name, x in self.named_options.items() if x != defaults[name]},
            "observation": self.observation,
            "reward": self.reward,
            "illegal": self.illegal,
        }
        arguments = ", ".join(f"{name}={value!r}" for name, value in values.items())
        return f"{self.game.name}_v{self.game.version}, {arguments}"


def shorten(space: spaces.Space) -> Any:
    """Return ``space`` with a short ``repr`` that shows only the widest bounds."""
    for one in space.values() if isinstance(space, spaces.Dict) else (space,):
        if isinstance(one, spaces.Box):
            one.low_repr, one.high_repr = str(one.low.min()), str(one.high.max())
    return space


def last_action_of(state: np.void) -> int | None:
    """Return the last action, or None before the first."""
    return int(state["last_action"]) if state["last_action"] >= 0 else None


def check_saved(saved: Any, keys: tuple[str, ...], what: str = "a saved state") -> None:
    """Raise StateError unless ``saved`` is a dict with ``keys``, as ``get_state`` returns."""
    if not isinstance(saved, dict) or not set(keys) <= set(saved):
        has = list(saved) if isinstance(saved, dict) else type(saved).__name__
        raise StateError(f"{what} has {', '.join(keys)}; got {has}")


def saved_array(
    saved: dict[str, Any], name: str, like: np.ndarray, low: int, high: int | None
) -> np.ndarray:
    """Return a copy of an array of whole numbers or flags in a saved state.

    Raises:
        StateError: its shape or type differs from ``like``, or it isn't between ``low`` and
            ``high``.
    """
    found = np.asarray(saved[name])
    if found.dtype != like.dtype or found.shape != like.shape:
        raise StateError(
            f"{name} of a saved state is {found.dtype} {found.shape}, not {like.dtype} {like.shape}"
        )
    if found.size and (found.min() < low or (high is not None and found.max() > high)):
        limits = f"from {low} up" if high is None else f"from {low} to {high}"
        raise StateError(f"{name} of a saved state holds numbers that aren't {limits}")
    return found.copy()


@contextmanager
def unpickling(kind: type) -> Iterator[None]:
    """Turn errors about parts of a pickle that are missing or wrong into StateError."""
    try:
        yield
    except StateError:
        raise
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise StateError(
            f"this pickle holds no {kind.__name__} of this version: {type(error).__name__}: {error}"
        ) from error


class Cloned:
    """Base of objects whose ``copy.copy`` is a clone: a shallow one would share their arrays."""

    def __copy__(self):
        return copy.deepcopy(self)


class Restorable(Cloned, ABC):
    """Base of objects that are copied unchecked, but validated when unpickled.

    A pickle comes from outside, like an argument of ``set_state``; ``clone`` and ``copy.deepcopy``
    are called during searches and shouldn't pay for validation. Kernels write into all arrays
    without looking, so each must be as in a new object with the same arguments.
    """

    # Attributes that follow from the arguments; indices into arrays depend on them.
    _DERIVED: ClassVar[tuple[str, ...]] = ()
    settings: Settings

    def _restore(self, state: dict[str, Any]) -> None:
        """Restore what ``__getstate__`` returned."""
        self.__dict__.update(state)

    @abstractmethod
    def _made_anew(self) -> Any:
        """Return a new object with the same arguments, which are checked."""

    @abstractmethod
    def _check_restored(self) -> None:
        """Raise StateError for games in progress that ``set_state`` would reject."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        with unpickling(type(self)):
            self._restore(state)
            if not isinstance(self.settings, Settings):
                raise TypeError(f"settings are {self.settings!r}")
            like = vars(self._made_anew())
            self.__dict__.update({name: like[name] for name in self._DERIVED})
            for name, wanted in like.items():
                if isinstance(wanted, np.ndarray):
                    self.__dict__[name] = _array_like(wanted, self.__dict__[name], name)
            self._check_restored()

    def __deepcopy__(self, memo: dict[int, Any]):
        twin = memo[id(self)] = type(self).__new__(type(self))
        guard = self.__dict__.get("_guard")
        if guard is not None:
            guard.take_over()
        # A copy isn't checked, so no other thread may change the original meanwhile.
        with nullcontext() if guard is None else guard.lock:
            state: Any = self.__getstate__()
            twin._restore(copy.deepcopy(state, memo))
        return twin


def _array_like(wanted: np.ndarray, found: Any, name: str) -> np.ndarray:
    """Return an array of a pickle as kernels need it: in one piece, aligned and writable.

    Raises:
        StateError: its type or shape isn't that of ``wanted``.
    """
    if type(found) is not np.ndarray or (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
        told = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else repr(found)[:60]
        raise StateError(f"{name} in a pickle is {told}, not {wanted.dtype} {wanted.shape}")
    return found if found.flags.carray else found.copy()


def with_seeds_of(states: np.ndarray) -> np.ndarray:
    """Return blank records with the seeds of ``states``, which is all that the next deal needs."""
    blank = np.zeros_like(states)
    blank["seed"] = states["seed"]
    return blank


def check_flags(**flags: Any) -> None:
    """Raise StateError for values of a pickle that aren't True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise StateError(f"{name} in a pickle is {flag!r}, not True or False")


class Rendering:
    """Rendering of one record in every render mode, for both AEC and Gymnasium.

    ``human`` shows a window; ``rgb_array`` returns uint8 ``(height, width, 3)``; ``ansi`` returns
    text; ``svg`` returns an SVG document. All but ``human`` work without a display.
    """

    MODES = ("human", "rgb_array", "ansi", "svg")

    def __init__(self, game: Game, mode: str | None):
        if mode is not None:
            check_choice(mode, self.MODES, "render_mode")
        self.game = game
        self.mode = mode
        self._window: Any = None

    def render(self, state: np.void, seat: int | None) -> Any:
        """Return or show the picture of ``state`` as seen by ``seat`` (None: everything).

        Once a person has closed the window, it isn't opened again.
        """
        last_action = last_action_of(state)
        if self.mode == "ansi":
            return self.game.describe(state, seat, last_action)
        if self.mode == "human" and self._window is not None and self._window.quit_requested:
            return None
        canvas = self.game.draw(state, seat, last_action)
        if self.mode == "svg":
            return canvas.svg()
        if self.mode == "rgb_array":
            return canvas.rgb()
        if self._window is None:
            from ..drawing.window import Window

            self._window = Window(self.game.title)
        self._window.show(canvas.rgb())
        self._window.poll()
        return None

    def close(self) -> None:
        if self._window is not None:
            self._window.close()
            self._window = None

    def __getstate__(self) -> dict[str, Any]:
        return {"game": self.game, "mode": self.mode, "_window": None}

    def __deepcopy__(self, memo) -> Rendering:
        return Rendering(self.game, self.mode)
