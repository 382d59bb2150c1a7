"""The list of games, and how Gymnasium and PettingZoo get to know them."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..game import Game

# Name of the game → its id without the version, and the version.
GAMES = {
    "sarena": ("Sarena", 0),
    "sagani": ("Sagani", 0),
    "harmonies": ("Harmonies", 0),
    "saga": ("Saga", 0),
    "shamans": ("Shamans", 0),
}
NAMESPACE = "ludotheque"
_PACKAGE = __name__.rsplit(".", 3)[0]


def game_names() -> tuple[str, ...]:
    """Return the names of the games, for ``get_game`` and ``make_batch``."""
    return tuple(GAMES)


def get_game(name: str) -> Game:
    """Return the game called ``name``.

    Raises:
        ValueError: there is no such game; the message lists those there are.
    """
    if name not in GAMES:
        near = difflib.get_close_matches(str(name).lower(), GAMES, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"there is no game {name!r}; there is: {', '.join(GAMES)}.{hint}")
    return import_module(f"{_PACKAGE}.{name}").GAME


def register_environments() -> None:
    """Make every game known to Gymnasium and PettingZoo; calling it again changes nothing."""
    import gymnasium
    from pettingzoo import aec_registry, parallel_registry
    from pettingzoo import register as pettingzoo_register

    for name, (title, version) in GAMES.items():
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
            pettingzoo_register("aec", zoo_id, f"{_PACKAGE}.{name}_v{version}:env")
        if zoo_id not in parallel_registry:
            pettingzoo_register("parallel", zoo_id, f"{_PACKAGE}.{name}_v{version}:parallel_env")
