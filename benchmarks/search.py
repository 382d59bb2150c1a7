"""Simulations a second of our MCTS at the opening, beside OpenSpiel's C++ bots.

A simulation is a descent, a new node and one random game to the end, in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from ludotheque.benchmarks import peers
from ludotheque.benchmarks.measure import (
    Bar,
    Probe,
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

OURS = "{game} MCTS"
HEX = peers.open_spiel_search("hex(board_size=11)").name
QUORIDOR = peers.open_spiel_search("quoridor(board_size=9)").name

# Ours, the other, the least ratio asked for. A new game is a line here and nothing else.
BARS = {
    "sarena": ((OURS, HEX, 5.0), (OURS, QUORIDOR, None)),
}


def mcts_probe(game: str, simulations: int) -> Probe:
    """Our MCTS on one game at the opening, one thread."""
    return Probe(
        OURS.format(game=game),
        partial(_build_mcts, game, simulations),
        unit="simulations",
        note=f"{simulations} simulations a search, {node_bytes(game)} bytes a node",
    )


def node_bytes(game: str) -> int:
    """Memory of one node of our search tree."""
    return int(_agent(game, 1).node_bytes)


def _agent(game: str, simulations: int):
    from ludotheque.agents.mcts import MCTSAgent

    return MCTSAgent(get_game(game), simulations=simulations)


def _build_mcts(game: str, simulations: int) -> Work:
    agent = _agent(game, simulations)
    states = get_game(game).new_state(seed=1)
    seeds = np.array([1], dtype=np.uint64)

    def work() -> int:
        nonlocal seeds
        agent.search(states, seeds)
        seeds = seeds + np.uint64(1)
        return simulations

    return work


def bars(games: Sequence[str]) -> list[Bar]:
    """The ratios to show for these games."""
    found = []
    for game in games:
        for ours, peer, target in BARS.get(game, ()):
            ours = ours.format(game=game)
            found.append(Bar(f"{ours} / {peer}", ours, peer, target))
    return found


def main(
    game: Annotated[list[str] | None, typer.Option(help="A game; may be repeated.")] = None,
    simulations: Annotated[int, typer.Option(min=1, help="Simulations a search.")] = 2000,
    seconds: Annotated[float, typer.Option(min=0.01, help="Least time of a measurement.")] = 1.0,
    repetitions: Annotated[int, typer.Option(min=1, help="Rounds.")] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="Show that it runs; noisy.")] = False,
    alone: Annotated[bool, typer.Option("--alone", help="Without the other libraries.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write everything measured here.")] = None,
):
    """Measure searches from the opening, with the ratios to OpenSpiel's C++ bots."""
    games = checked_games(game)
    console, facts = Console(), machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    ours = [mcts_probe(name, simulations) for name in games]
    others = [] if alone else peers.search(simulations)
    results = interleave({"Search from the opening": [*ours, *others]}, settings)
    ratios = compare(bars(games), results)
    print_results(console, results)
    print_ratios(console, [ratio for ratio in ratios if ratio.ratio is not None])
    memory = {name: node_bytes(name) for name in games}
    if json:
        write_json(json, record_of(facts, settings, results, ratios, node_bytes=memory))


if __name__ == "__main__":
    typer.run(main)
