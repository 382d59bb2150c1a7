"""The three functions that PettingZoo expects in an environment's module, for each game."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..game import Game
from .aec import TurnBasedEnv
from .parallel import TurnBasedParallelEnv
from .registry import get_game

_DOC = """Return {title} as {kind} environment, `{name}`.

Args:
    num_players: {players}.
    kwargs: ``observation``, ``history``, ``reward``, ``illegal``, ``illegal_reward``,
        ``render_mode``{more}, and the game's own: {options}. The game's page,
        ``envs/{game}/README.md``, has a table of all values.

Raises:
    ValueError, TypeError: an invalid argument; the message lists what is allowed.
"""


def entry_points(
    name: str,
) -> tuple[Callable[..., TurnBasedEnv], Callable[..., TurnBasedParallelEnv]]:
    """Return ``raw_env`` and ``parallel_env`` of the game called ``name``.

    ``env`` is ``raw_env``: the checks that PettingZoo's wrappers make are part of the environment.
    """
    game = get_game(name)
    usual = game.usual_players

    def raw_env(num_players: int = usual, **kwargs: Any) -> TurnBasedEnv:
        return TurnBasedEnv(name, num_players, **kwargs)

    def parallel_env(num_players: int = usual, **kwargs: Any) -> TurnBasedParallelEnv:
        return TurnBasedParallelEnv(name, num_players, **kwargs)

    counts = game.player_counts
    words = {
        "title": game.title,
        "game": name,
        "players": f"{counts[0]} to {counts[-1]}",
        "options": ", ".join(f"``{option.name}``" for option in game.options) or "none",
    }
    raw_env.__doc__ = _DOC.format(kind="an AEC", name="TurnBasedEnv", more="", **words)
    parallel_env.__doc__ = _DOC.format(
        kind="a parallel", name="TurnBasedParallelEnv", more=", ``waiting_mask``", **words
    )
    for function, made in ((raw_env, TurnBasedEnv), (parallel_env, TurnBasedParallelEnv)):
        vars(function)["__signature__"] = _signature(game, usual, made)
        function.__module__ = f"{__package__.rsplit('.', 2)[0]}.{name}_v{game.version}"
        function.__qualname__ = function.__name__
    return raw_env, parallel_env


def _signature(game: Game, usual: int, made: type) -> inspect.Signature:
    """Return a signature with all arguments, including the game's, for editors."""
    first = inspect.Parameter(
        "num_players", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=usual, annotation="int"
    )
    shared = [
        one
        for one in inspect.signature(TurnBasedEnv).parameters.values()
        if one.kind is one.KEYWORD_ONLY
    ]
    own = [
        inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default)
        for option in game.options
    ]
    return inspect.Signature([first, *shared, *own], return_annotation=made.__name__)
