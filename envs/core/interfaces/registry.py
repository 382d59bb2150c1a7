"""The list of games, and their registration with Gymnasium and PettingZoo."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import did_you_mean

if TYPE_CHECKING:
    from ..game import Game

# Name of the game → its id without the version, and the version.
GAMES = {
    "sarena": ("Sarena", 0),
    "sagani": ("Sagani", 1),
    "harmonies": ("Harmonies", 0),
    "saga": ("Saga", 1),
    "shamans": ("Shamans", 1),
}
NAMESPACE = "ludotheque"
_REGISTERED: dict[str, Game] = {}
_PACKAGE = __name__.rsplit(".", 3)[0]


def game_names() -> tuple[str, ...]:
    """Return the names of the games, for ``get_game`` and ``make_batch``."""
    return (*GAMES, *_REGISTERED)


def get_game(name: str) -> Game:
    """Return the game called ``name``.

    Raises:
        ValueError: unknown game; the message lists those available.
    """
    if name in _REGISTERED:
        return _REGISTERED[name]
    if name not in GAMES:
        names = game_names()
        hint = did_you_mean(name, names)
        raise ValueError(f"unknown game {name!r}; available: {', '.join(names)}.{hint}")
    return import_module(f"{_PACKAGE}.{name}").GAME


def register_game(game: Game) -> None:
    """Register your own game with ``get_game``, the agents, the command line and the registries.

    Its package (``Game.package``) must be imported in every process that looks it up by name.
    Registering the same game again has no effect. Gymnasium's id is the title without spaces and
    punctuation: ``"ludotheque/TicTacToe-v0"`` for "Tic-Tac-Toe".

    Raises:
        TypeError: this isn't a ``Game``.
        ValueError: another game has the name, or the id.
    """
    from ..game import Game

    if not isinstance(game, Game):
        raise TypeError(f"game is {game!r}; give a Game, such as the GAME of its package")
    if _REGISTERED.get(game.name, game) is not game or game.name in GAMES:
        raise ValueError(f"a game {game.name!r} already exists; give yours another name")
    word = _without_spaces(game.title)
    taken = {title: name for name, (title, _) in GAMES.items()}
    taken |= {_without_spaces(other.title): name for name, other in _REGISTERED.items()}
    if not word or taken.get(word, game.name) != game.name:
        problem = f"is also the id of {taken[word]!r}" if word else "has no letters for an id"
        raise ValueError(f"the title {game.title!r} {problem}; give your game another title")
    from .aec import TurnBasedEnv
    from .parallel import TurnBasedParallelEnv

    make = partial(TurnBasedEnv, game), partial(TurnBasedParallelEnv, game)
    _register(game.name, word, game.version, *make)
    _REGISTERED[game.name] = game


def _without_spaces(title: str) -> str:
    return re.sub(r"\W", "", title)


def register_environments() -> None:
    """Register every game with Gymnasium and PettingZoo; calling it again has no effect."""
    for name, (title, version) in GAMES.items():
        module = f"{_PACKAGE}.{name}_v{version}"
        _register(name, title, version, f"{module}:env", f"{module}:parallel_env")


def _register(name: str, title: str, version: int, aec: Any, parallel: Any) -> None:
    import gymnasium
    from pettingzoo import aec_registry, parallel_registry
    from pettingzoo import register as pettingzoo_register

    # No namespace context is open in a plain import; Gymnasium opens one for plugins only.
    gym_id = f"{NAMESPACE}/{title}-v{version}"
    if gym_id not in gymnasium.registry:
        gymnasium.register(
            gym_id,
            entry_point=f"{_PACKAGE}.core.interfaces.gym:SeatEnv",
            vector_entry_point=f"{_PACKAGE}.core.interfaces.gym:SeatVectorEnv",
            kwargs={"game": name},
            disable_env_checker=False,
        )
    zoo_id = f"{NAMESPACE}/{name}-v{version}"
    if zoo_id not in aec_registry:
        pettingzoo_register("aec", zoo_id, aec)
    if zoo_id not in parallel_registry:
        pettingzoo_register("parallel", zoo_id, parallel)
