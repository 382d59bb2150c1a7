"""The size of the square that the tables of Sagani need, which determined the canvas.

For each number of players and each agent, it prints the side of the square that a game's largest
table needed: the 95 % quantile and the maximum.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from ludotheque.agents import make_agent
from ludotheque.agents.match import Match
from ludotheque.envs.core.interfaces.settings import Settings

MODES: tuple[tuple[str, int, dict[str, str]], ...] = (
    ("2 players", 2, {}),
    ("3 players", 3, {}),
    ("4 players", 4, {}),
    ("alone, classic", 1, {}),
    ("alone, advanced", 1, {"solo": "advanced"}),
)


def sides(agent: str, num_players: int, games: int, seed: int, **options) -> np.ndarray:
    """Return the side of the square that each game's largest table needed, int64 ``(games,)``."""
    settings = Settings("sagani", num_players, options=options)
    seating = np.zeros((games, num_players), dtype=int)
    match = Match(settings, [make_agent(agent, "sagani")], seating, range(seed, seed + games))
    while match.step():
        pass
    # Tables only grow, so they are largest at the end.
    states, seats = match.states, slice(num_players)
    tall = states["south"][:, seats] - states["north"][:, seats]
    wide = states["east"][:, seats] - states["west"][:, seats]
    return np.maximum(tall, wide).max(axis=1).astype(np.int64) + 1


def main(
    agents: Annotated[str, typer.Option(help="Separated by commas; also ppo:FILE.")] = (
        "random,greedy"
    ),
    games: Annotated[int, typer.Option(min=1, help="Games for each.")] = 1000,
    players: Annotated[
        list[int] | None, typer.Option(help="Only this number of players; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the first game.")] = 0,
):
    """Measure the size of the square that games need."""
    table = Table("mode", "agent", "games", "95 % within", "largest")
    for mode, num_players, options in MODES:
        if players and num_players not in players:
            continue
        for agent in agents.split(","):
            found = sides(agent, num_players, games, seed, **options)
            within = int(np.percentile(found, 95, method="higher"))
            table.add_row(mode, agent, str(games), str(within), str(found.max()))
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
