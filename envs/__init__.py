"""Five modern board games as reinforcement-learning environments.

Importing this package registers the games with Gymnasium and PettingZoo. It compiles nothing and
imports no rendering or training library.
"""

from __future__ import annotations

from .core.errors import (
    FileError,
    GameOverError,
    IllegalActionError,
    LudothequeError,
    OutOfBoundsActionError,
    StateError,
    TooLargeError,
)
from .core.interfaces.registry import game_names, get_game, register_environments, register_game

__version__ = "0.1.0"

__all__ = [
    "FileError",
    "GameOverError",
    "IllegalActionError",
    "LudothequeError",
    "OutOfBoundsActionError",
    "StateError",
    "TooLargeError",
    "__version__",
    "game_names",
    "get_game",
    "make_batch",
    "register_game",
    "seat_advantages",
]


def __getattr__(name: str):
    # Modules that compile kernels are imported lazily.
    if name == "make_batch":
        from .core.interfaces.batch import make_batch

        return make_batch
    if name == "seat_advantages":
        from .core.advantages import seat_advantages

        return seat_advantages
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


register_environments()
