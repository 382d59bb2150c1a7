"""What an agent is, and how one is made from a few words."""

from __future__ import annotations

import difflib
from inspect import signature
from typing import Any

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.errors import check_choice
from ludotheque.envs.core.game import Game, check_seed, fresh_seed
from ludotheque.envs.core.rng import next_seed


def needs_train(error: ModuleNotFoundError) -> ModuleNotFoundError:
    """Return what to raise when a module of the extra [train] is missing: it says what to install.

    An ``error`` about a module of our own is returned as it is.
    """
    name = (error.name or "").partition(".")[0]
    if name == "ludotheque":
        return error
    return ModuleNotFoundError(
        f'training needs {name}, not installed. Try: pip install "ludotheque[train]"', name=name
    )


class Agent:
    """Plays any seat of a game, many games at once.

    Attributes:
        name: what tables and replays call it.
        needs_states: True for an agent that searches: ``act`` then gets records too.
        observation: the observation form it wants, or None for whatever the caller has.
    """

    name = "agent"
    needs_states = False
    observation: str | None = None

    def __init__(self, game: str | Game, seed: int | None = None):
        self.game = get_game(game) if isinstance(game, str) else game
        self._seed = np.uint64(fresh_seed() if seed is None else check_seed(seed))

    def act(
        self,
        observations: np.ndarray,
        masks: np.ndarray,
        *,
        states: np.ndarray | None = None,
        seeds: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return a legal action for each row.

        Args:
            observations: ``(n, ...)`` of the game's observation type, as the seat to act sees it.
            masks: int8 ``(n, num_actions)``; an agent never ignores it.
            states: ``(n,)`` records for an agent that needs them, with all that the seat to act
                can't know drawn anew; else None.
            seeds: uint64 ``(n,)``: with them the actions depend on nothing but the arguments.
                None uses the agent's own generator.

        Returns:
            int64 ``(n,)``.
        """
        raise TypeError(f"{type(self).__name__} doesn't say how it acts: define act()")

    def seeds_or_own(self, seeds: np.ndarray | None, count: int) -> np.ndarray:
        """Return ``seeds``, or ``count`` from the agent's own generator."""
        if seeds is not None:
            return np.ascontiguousarray(seeds, dtype=np.uint64)
        own = np.empty(count, np.uint64)
        for k in range(count):
            self._seed = np.uint64(next_seed(self._seed))
            own[k] = self._seed
        return own

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name} for {self.game.name}>"


AGENTS = ("random", "greedy", "mcts", "ppo")


def make_agent(spec: str | Agent, game: str | Game = "sarena", **settings: Any) -> Agent:
    """Return the agent that ``spec`` describes.

    Args:
        spec: ``"random"``, ``"greedy"``, ``"mcts"``, ``"ppo:PATH"``, with settings after a colon:
            ``"mcts:simulations=400,exploration=1.0"``. An agent is returned as it is: an ``Agent``,
            or any object with its method ``act``.
        game: what it is to play.
        settings: more settings, by name.

    Raises:
        ValueError: no such agent, or a setting that can't be read.
        TypeError: a setting that the agent doesn't have, or a class in place of an agent.
        FileNotFoundError: a model file that isn't there.
    """
    if isinstance(spec, type):
        raise TypeError(f"agent is the class {spec.__name__}; give one of its objects")
    if hasattr(spec, "act"):
        return spec
    kind, _, rest = str(spec).partition(":")
    check_choice(kind, AGENTS, "agent")
    settings = {**_parse(kind, rest), **settings}
    if kind == "random":
        from .random import RandomAgent as Kind
    elif kind == "greedy":
        from .greedy import GreedyAgent as Kind
    elif kind == "mcts":
        from .mcts import MCTSAgent as Kind
    else:
        from .policy import PPOAgent as Kind
    _check_settings(kind, Kind, settings)
    return Kind(game, **settings)


def _check_settings(kind: str, agent: type[Agent], settings: dict[str, Any]) -> None:
    known = [name for name in signature(agent).parameters if name != "game"]
    for name in settings:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(f"{kind} has no setting {name!r}; it has: {', '.join(known)}.{hint}")


def _parse(kind: str, text: str) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            if kind != "ppo" or "path" in settings:
                raise ValueError(f"{part!r} is no setting of {kind}: write name=value")
            settings["path"] = part
        else:
            settings[name.strip()] = _value(value.strip())
    return settings


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
