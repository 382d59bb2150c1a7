"""Agents from specs such as ``"mcts:simulations=400"``."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from ludotheque.envs import get_game
from ludotheque.envs.core.errors import check_choice, did_you_mean, is_name
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.seats import check_act

from .base import Agent
from .baselines import BaselineAgent
from .greedy import GreedyAgent
from .mcts import SIMULATIONS, MCTSAgent
from .policy import PPOAgent
from .random import RandomAgent
from .td.agent import TDAgent

KINDS = {
    "random": RandomAgent,
    "greedy": GreedyAgent,
    "mcts": MCTSAgent,
    "ppo": PPOAgent,
    "td": TDAgent,
    "baseline": BaselineAgent,
}
# Agents that are read from a file: "ppo:PATH".
FROM_FILE = ("ppo", "td")
AGENTS = tuple(KINDS)
# Name → function that returns the agent for a game.
_registered: dict[str, Callable[[Game], Any]] = {}


def register_agent(name: str, make: Callable[[Game], Any]) -> None:
    """Let ``make_agent`` know an agent of your own by name, in this process.

    Wherever an agent is named, as in ``League``, ``exploit`` and the settings of a training, this
    name then stands for it.

    Args:
        name: any name that none of ``AGENTS`` begins.
        make: takes the game and returns an object with a method ``act``; a class, for example.

    Raises:
        ValueError: the name is taken, or isn't one.
        TypeError: ``make`` can't be called.
    """
    good = isinstance(name, str) and name and is_name(name)
    if not good or name.partition(":")[0] in KINDS:
        raise ValueError(f"name is {name!r}; give a text other than {', '.join(AGENTS)}")
    if not callable(make):
        raise TypeError(f"make is {make!r}; give a class, or a function of the game")
    _registered[name] = make


def make_agent(spec: str | Agent, game: str | Game = "sarena", **settings: Any) -> Agent:
    """Return the agent described by ``spec``.

    Args:
        spec: ``"random"``, ``"greedy"``, ``"mcts"``, ``"baseline"``, ``"ppo:PATH"``,
            ``"td:PATH"``, with settings after a colon: ``"mcts:simulations=400,exploration=1.0"``.
            ``"mcts:leaf=value"`` is ``"baseline"`` or, with ``path=PATH``, ``"td"``, searching.
            Agents (an ``Agent`` or any object with a method ``act``) are returned unchanged. Names
            of your own are known after ``register_agent``.
        game: the game it plays.
        settings: more settings, by name.

    Raises:
        ValueError: unknown agent, or invalid setting.
        TypeError: the agent has no such setting, or ``spec`` isn't an agent (for example a function
            or a class).
        FileNotFoundError: the model file doesn't exist.
    """
    if isinstance(spec, type):
        raise TypeError(f"agent is the class {spec.__name__}; give one of its objects")
    if not isinstance(spec, str) and hasattr(spec, "act"):
        check_act(spec)
        return spec
    if not isinstance(spec, str):
        raise TypeError(
            f"agent is {spec!r}; give an agent's name ({', '.join(AGENTS)}), or an object with a "
            "method act(observations, masks, *, states=None, seeds=None)"
        )
    if spec in _registered:
        found = get_game(game) if isinstance(game, str) else game
        return make_agent(_registered[spec](found), found)
    kind, _, rest = spec.partition(":")
    check_choice(kind, AGENTS, "agent")
    settings = {**_parse(kind, rest), **settings}
    if kind == "mcts" and settings.get("leaf") == "value":
        kind, settings = _with_network(settings)
    _check_settings(kind, KINDS[kind], settings)
    return KINDS[kind](game, **settings)


def _with_network(settings: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the agent that ``"mcts:leaf=value"`` means, and its settings."""
    others = {name: value for name, value in settings.items() if name != "leaf"}
    return "td" if "path" in others else "baseline", {"simulations": SIMULATIONS, **others}


def _check_settings(kind: str, agent: type[Agent], settings: dict[str, Any]) -> None:
    known = [name for name in signature(agent).parameters if name != "game"]
    for name in settings:
        if name not in known:
            hint = did_you_mean(name, known)
            raise TypeError(f"{kind} has no setting {name!r}; it has: {', '.join(known)}.{hint}")


def _parse(kind: str, text: str) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if not equals:
            if kind not in FROM_FILE or "path" in settings:
                raise ValueError(f"{part!r} is not a setting of {kind}: write name=value")
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
