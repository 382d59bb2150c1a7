"""Shared code of the scripts: play against random before and after training, and the result."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from ludotheque.agents.training.evaluation import Evaluation, evaluate
from ludotheque.envs.core.interfaces.settings import Settings

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GAMES = 1000


def example(name: str) -> Any:
    """Return a module of ``examples``."""
    sys.path.insert(0, str(EXAMPLES))
    return importlib.import_module(name)


class Progress:
    """Measures an agent against random play, before training and after.

    Args:
        library: pip's name of the package.
        agent: an object with ``act``, which plays with its current weights.
        game, num_players: the game and the number of players.
    """

    def __init__(self, library: str, agent: Any, game: str = "sarena", num_players: int = 2):
        self.library, self.agent = library, agent
        self.settings = Settings(game, num_players)
        self.before = self._measured()
        self.start = perf_counter()

    def _measured(self) -> Evaluation:
        return evaluate(self.agent, "random", self.settings, GAMES, seed=1)

    def finish(self, steps: int, agent: Any = None, **more: Any) -> None:
        """Print the result as JSON; raise AssertionError unless play improved beyond noise.

        ``steps`` is the length of training; ``agent`` replaces the agent; ``more`` is also printed.
        """
        seconds = perf_counter() - self.start
        self.agent = agent or self.agent
        after = self._measured()
        told = {
            "library": self.library,
            "version": importlib.metadata.version(self.library),
            "game": self.settings.game.name,
            "steps": steps,
            "seconds": round(seconds),
            "before": self.before.win_rate,
            "after": after.win_rate,
            **more,
        }
        print(json.dumps(told))
        assert after.low > self.before.high, "no better than before, or by no more than noise"
