"""The list of games, and their registration with Gymnasium and PettingZoo."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ..errors import did_you_mean

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
        ValueError: unknown game; the message lists those available.
    """
    if name not in GAMES:
        hint = did_you_mean(name, GAMES)
        raise ValueError(f"unknown game {name!r}; available: {', '.join(GAMES)}.{hint}")
    return import_module(f"{_PACKAGE}.{name}").GAME


def register_environments() -> None:
    """Register every game with Gymnasium and PettingZoo; calling it again changes nothing."""
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
