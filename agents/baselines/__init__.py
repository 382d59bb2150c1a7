"""Trained agents included in the package: ``"baseline"``, for every game and number of players.

Each is a model file trained by self-play, with a card that records how it was trained and its
results. ``python -m ludotheque.agents.baselines`` trains them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_choice, check_share, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.threads import check_num_threads

from ..base import Agent
from ..search import MOST_SIMULATIONS
from ..td.agent import TDAgent

FOLDER = Path(__file__).parent


class Variant(NamedTuple):
    """A variant of a game that has a baseline of its own.

    Attributes:
        name: in the name of its file; empty for all other games.
        options: the variant's options.
        field, value: of its records, and of no others.
    """

    name: str = ""
    options: Mapping[str, Any] = MappingProxyType({})
    field: str = ""
    value: int = 0


# (game, players) → variants in which its baseline for that number of players doesn't play.
VARIANTS = {("sagani", 1): (Variant("advanced", {"solo": "advanced"}, "solo", 1),)}
USUAL = Variant()
# (game, players) → weight of playouts in its search, where another than the game's is better.
PLAYOUTS = {("sarena", 4): 0.5}


def variants_of(game: Game, num_players: int) -> tuple[Variant, ...]:
    """Return the variants with a baseline of their own for a number of players, ``USUAL`` first."""
    return (USUAL, *VARIANTS.get((game.name, num_players), ()))


def baseline_path(game: Game, num_players: int, variant: Variant = USUAL) -> Path:
    """Return the path of a game's baseline for a number of players."""
    ending = f"-{variant.name}" if variant.name else ""
    return FOLDER / f"{game.name}-{num_players}{ending}.zip"


def baseline_counts(game: Game) -> tuple[int, ...]:
    """Return the numbers of players that have a baseline."""
    return tuple(n for n in game.player_counts if baseline_path(game, n).is_file())


class BaselineAgent(Agent):
    """The trained agent included in the package, for any number of players.

    A few variants have an agent of their own, which plays when it is given their records.

    Args:
        game: the game it plays.
        simulations: number of search simulations per decision; 0 plays without search.
        num_threads: threads that share a batch of decisions.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.
        beliefs: use learned beliefs in the search, see ``TDAgent``; None means if the baseline has
            learned any.
        playouts: weight of a playout in the values of the search, see ``TDAgent``; None means
            0.5 in Sàrèná for four, and otherwise the game's preference.

    Raises:
        ValueError: the game has no baseline, or a setting is out of range.
    """

    name = "baseline"
    needs_states = True

    def __init__(
        self,
        game: str | Game,
        simulations: int = 0,
        num_threads: int = 1,
        seed: int | None = None,
        beliefs: bool | None = None,
        playouts: float | None = None,
    ):
        super().__init__(game, seed)
        self.simulations = check_whole(simulations, "simulations", 0, MOST_SIMULATIONS)
        self.num_threads = check_num_threads(num_threads)
        check_choice(beliefs, (None, True, False), "beliefs")
        self.beliefs = beliefs
        self.playouts = playouts if playouts is None else check_share(playouts, "playouts")
        self._agents: dict[tuple[int, str], TDAgent] = {}
        if not baseline_counts(self.game):
            raise ValueError(
                f"{self.game.name} has no baseline; train one: `ludotheque train --game "
                f"{self.game.name} --method td`, and use it as td:FILE"
            )
        if beliefs:
            # Now, not at the first decision, in the middle of a league.
            for num_players in baseline_counts(self.game):
                self.agent_for(num_players)

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        if states is None:
            raise ValueError("baseline looks ahead: pass states, determinized for the seat to act")
        masks, seeds = self.checked(masks, seeds, states)
        actions = np.zeros(len(states), np.int64)
        for players, variant, rows in self._parts(states):
            agent = self.agent_for(players, variant)
            actions[rows] = agent.act(None, masks[rows], states=states[rows], seeds=seeds[rows])
        return actions

    def values(self, states, masks, seeds=None) -> np.ndarray:
        """See ``TDAgent.values``."""
        masks, seeds = self.checked(masks, seeds, states)
        values = np.zeros(masks.shape)
        for players, variant, rows in self._parts(states):
            agent = self.agent_for(players, variant)
            values[rows] = agent.values(states[rows], masks[rows], seeds[rows])
        return values

    def files(self, num_players: int) -> list[Path]:
        """Return the model files that play with a number of players."""
        variants = variants_of(self.game, num_players)
        return [baseline_path(self.game, num_players, variant) for variant in variants]

    def agent_of(self, state: np.void) -> TDAgent:
        """Return the agent that plays from a record; see ``agent_for`` for the errors."""
        ((players, variant, _),) = self._parts(np.array([state]))
        return self.agent_for(players, variant)

    def _parts(self, states: np.ndarray) -> Iterator[tuple[int, Variant, np.ndarray]]:
        """Yield the rows of each number of players and variant."""
        for players in np.unique(states["num_players"]).tolist():
            left = states["num_players"] == players
            for variant in variants_of(self.game, players)[1:]:
                mine = left & (states[variant.field] == variant.value)
                left &= ~mine
                if mine.any():
                    yield players, variant, np.flatnonzero(mine)
            if left.any():
                yield players, USUAL, np.flatnonzero(left)

    def agent_for(self, num_players: int, variant: Variant = USUAL) -> TDAgent:
        """Return the agent for a number of players and a variant.

        Raises:
            ValueError: there is none, or it lacks the requested beliefs.
        """
        key = num_players, variant.name
        if key not in self._agents:
            path = baseline_path(self.game, num_players, variant)
            if not path.is_file():
                counts = ", ".join(map(str, baseline_counts(self.game)))
                raise ValueError(
                    f"{self.game.name} has no baseline for {num_players} players; there is one "
                    f"for: {counts}"
                )
            self._agents[key] = TDAgent(
                self.game,
                path,
                simulations=self.simulations,
                num_threads=self.num_threads,
                num_players=num_players,
                beliefs=self.beliefs,
                playouts=self._playouts(num_players),
            )
        return self._agents[key]

    def _playouts(self, num_players: int) -> float | None:
        if self.playouts is None:
            return PLAYOUTS.get((self.game.name, num_players))
        return self.playouts
