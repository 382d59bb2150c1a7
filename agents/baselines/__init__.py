"""Trained agents included in the package: ``"baseline"``, for every game and number of players.

Each is a model file trained by self-play, with a card that records how it was trained and its
results. ``python -m ludotheque.agents.baselines`` trains them again.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ludotheque.envs.core.errors import check_choice, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.threads import check_num_threads

from ..base import Agent
from ..search import MOST_SIMULATIONS
from ..td.agent import TDAgent

FOLDER = Path(__file__).parent


def baseline_path(game: Game, num_players: int) -> Path:
    """Return the path of a game's baseline for a number of players."""
    return FOLDER / f"{game.name}-{num_players}.zip"


def baseline_counts(game: Game) -> tuple[int, ...]:
    """Return the numbers of players that have a baseline."""
    return tuple(n for n in game.player_counts if baseline_path(game, n).is_file())


class BaselineAgent(Agent):
    """The trained agent included in the package, for any number of players.

    Args:
        game: the game it plays.
        simulations: number of search simulations per decision; 0 plays without search.
        num_threads: threads that share a batch of decisions.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.
        beliefs: use learned beliefs in the search, see ``TDAgent``; None means if the baseline has
            learned any.

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
    ):
        super().__init__(game, seed)
        self.simulations = check_whole(simulations, "simulations", 0, MOST_SIMULATIONS)
        self.num_threads = check_num_threads(num_threads)
        check_choice(beliefs, (None, True, False), "beliefs")
        self.beliefs = beliefs
        self._agents: dict[int, TDAgent] = {}
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
        for players in np.unique(states["num_players"]).tolist():
            rows = np.flatnonzero(states["num_players"] == players)
            agent = self.agent_for(players)
            actions[rows] = agent.act(None, masks[rows], states=states[rows], seeds=seeds[rows])
        return actions

    def agent_for(self, num_players: int) -> TDAgent:
        """Return the agent for a number of players.

        Raises:
            ValueError: there is none, or it lacks the requested beliefs.
        """
        if num_players not in self._agents:
            path = baseline_path(self.game, num_players)
            if not path.is_file():
                counts = ", ".join(map(str, baseline_counts(self.game)))
                raise ValueError(
                    f"{self.game.name} has no baseline for {num_players} players; there is one "
                    f"for: {counts}"
                )
            self._agents[num_players] = TDAgent(
                self.game,
                path,
                simulations=self.simulations,
                num_threads=self.num_threads,
                num_players=num_players,
                beliefs=self.beliefs,
            )
        return self._agents[num_players]
