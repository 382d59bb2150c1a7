"""Simulations a second of our MCTS at the opening, compared with OpenSpiel's C++ bots.

A simulation is a descent, a new node and one random playout in all of them, except for "guided",
which uses our agent's defaults: in some games, a few greedy plies instead of the playout.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from ludotheque.agents.mcts import MCTSAgent
from ludotheque.agents.search import MOST_SIMULATIONS
from ludotheque.benchmarks import peers
from ludotheque.benchmarks.measure import (
    AloneOption,
    Bar,
    GamesOption,
    JsonFile,
    Neighbours,
    Probe,
    QuickOption,
    RoundsOption,
    SecondsOption,
    Settings,
    Work,
    checked_games,
    compare,
    interleave,
    machine,
    print_machine,
    print_ratios,
    print_results,
    record_of,
    write_json,
)
from ludotheque.envs import get_game

PLAIN, GUIDED = "{game} MCTS, plain UCT", "{game} MCTS, guided"
HEX = peers.open_spiel_search("hex(board_size=11)").name
QUORIDOR = peers.open_spiel_search("quoridor(board_size=9)").name
HEARTS = peers.open_spiel_ismcts("hearts").name

# Ours, the other, the minimum ratio. A new game only needs a line here.
BARS = {
    "sarena": ((PLAIN, HEX, 5.0), (GUIDED, HEX, None), (PLAIN, QUORIDOR, None)),
    "sagani": ((PLAIN, QUORIDOR, 2.0), (GUIDED, QUORIDOR, None)),
    "harmonies": ((PLAIN, QUORIDOR, None), (GUIDED, QUORIDOR, None)),
    "saga": ((PLAIN, HEARTS, None), (GUIDED, HEARTS, None)),
    "shamans": ((PLAIN, HEARTS, 1.0), (GUIDED, HEARTS, None)),
}


def mcts_probe(game: str, simulations: int, guided: bool = False) -> Probe:
    """Our MCTS on one game at the opening, one thread.

    Args:
        guided: use our agent's default settings for this game, which take more time but need fewer
            simulations; the other libraries' searches are plain UCT.
    """
    return Probe(
        (GUIDED if guided else PLAIN).format(game=game),
        partial(_build_mcts, game, simulations, guided),
        unit="simulations",
        note=f"{simulations} simulations a search, {node_bytes()} bytes a node",
    )


def node_bytes() -> int:
    """Return the memory of one node of our search tree; a simulation adds at most one node."""
    return int(MCTSAgent.node_bytes)


def _build_mcts(game: str, simulations: int, guided: bool) -> Work:
    # A game's default may be another leaf evaluation; the others' searches play to the end.
    plain: dict[str, Any] = {} if guided else {"guided": False, "leaf": "playout"}
    agent = MCTSAgent(get_game(game), simulations=simulations, **plain)
    states = get_game(game).new_state(seed=1)
    seeds = np.array([1], dtype=np.uint64)

    def work() -> int:
        nonlocal seeds
        visits, _ = agent.search(states, seeds)
        seeds = seeds + np.uint64(1)
        return int(visits.sum())

    return work


def bars(games: Sequence[str]) -> list[Bar]:
    """Return the ratios to show for these games."""
    found = []
    for game in games:
        for ours, peer, target in BARS.get(game, ()):
            ours = ours.format(game=game)
            found.append(Bar(f"{ours} / {peer}", ours, peer, target))
    return found


def main(
    game: GamesOption = None,
    simulations: Annotated[
        int, typer.Option(min=1, max=MOST_SIMULATIONS, help="Simulations per search.")
    ] = 2000,
    seconds: SecondsOption = 1.0,
    repetitions: RoundsOption = 5,
    quick: QuickOption = False,
    alone: AloneOption = False,
    json: JsonFile = None,
):
    """Measure searches from the opening, with the ratios to OpenSpiel's C++ bots."""
    games = checked_games(game)
    console, facts = Console(), machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    ours = [mcts_probe(name, simulations, guided) for name in games for guided in (False, True)]
    peer_probes = [] if alone else peers.search(simulations)
    group = {"Search from the opening": [*ours, *peer_probes]}
    with Neighbours() as others:
        results = interleave(group, settings)
    ratios = compare(bars(games), results, judge=others.quiet and not quick)
    print_results(console, results)
    print_ratios(console, ratios, others)
    if json:
        write_json(
            json,
            record_of(
                facts, settings, results, ratios, others_share=others.share, node_bytes=node_bytes()
            ),
        )


if __name__ == "__main__":
    typer.run(main)
