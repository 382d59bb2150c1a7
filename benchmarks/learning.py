"""Decisions a second of self-play, and simulations a second of the search with a network.

Both use the included baselines. A decision of self-play tries the legal actions and rates them with
the network; a simulation is a descent, a new node whose actions are rated, and in some games a
playout. Forced moves are neither counted nor searched.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from ludotheque.agents.baselines import BaselineAgent, baseline_path
from ludotheque.agents.match import Match
from ludotheque.agents.search import MOST_SIMULATIONS
from ludotheque.agents.td.model import read_value_model
from ludotheque.agents.td.selfplay import SelfPlay
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
    counting,
    interleave,
    machine,
    print_machine,
    print_ratios,
    print_results,
    record_of,
    write_json,
)
from ludotheque.benchmarks.workers import PIECES, ROWS, a_round
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.opponents import query_agent
from ludotheque.envs.core.interfaces.settings import Settings as GameSettings

ALL, ONE, SEARCH = "{game} td self-play", "{game} td self-play, one core", "{game} baseline"
ALPHA_ZERO, MCTX = (probe.name for probe in peers.network_search())
GAMES = 8  # that positions to search are taken from
POSITIONS = 64
GOALS = (
    "Goals: on two idle cores 20,000 decisions of self-play a second in Sàrèná, 5,000 in every "
    "game; per core, 10,000 simulations in every game. Per core is per second of processor time."
)


def self_play_probe(game: str, threads: int, rows: int = ROWS) -> Probe:
    """Self-play as in `train --method td`, by the baseline for the usual number of players.

    Args:
        threads: 1, or all cores.
        rows: decisions per piece of a round.
    """
    return Probe(
        (ONE if threads == 1 else ALL).format(game=game),
        partial(_build_self_play, game, threads, rows),
        unit="decisions",
        threads="1" if threads == 1 else "all",
        note="td: legal actions rated, up to the baseline's limit; a fifth of the games against "
        "greedy and past selves, whose decisions don't count",
    )


def _build_self_play(name: str, threads: int, rows: int) -> Work:
    game = get_game(name)
    what = a_round(name, rows, read_value_model(baseline_path(game, game.usual_players), game))
    player = SelfPlay(what.settings, what.inputs, max(PIECES, threads), threads)
    seed = what.seed

    def work() -> int:
        nonlocal seed
        played = player.play(what.networks, what.plans, what.size, seed)
        seed = seed + np.uint64(1)
        return len(played.samples.seat)

    return work


def search_probe(game: str, simulations: int, positions: int = POSITIONS) -> Probe:
    """The search of `baseline`, on one thread, in positions of whole games."""
    return Probe(
        SEARCH.format(game=game),
        partial(_build_search, game, simulations, positions),
        unit="simulations",
        note=f"baseline: {simulations} simulations a search, {positions} positions of whole games",
    )


def _build_search(name: str, simulations: int, positions: int) -> Work:
    settings = GameSettings(name)
    states = decisions(settings, positions)
    agent = BaselineAgent(name, simulations=simulations)
    # Every search of more than one action makes all of its simulations.
    search = partial(query_agent, agent, settings, states)
    return counting(search, simulations * len(states))


def decisions(settings: GameSettings, count: int) -> np.ndarray:
    """Return records of `count` real choices, from the first ply to the last of some games."""
    match = Match(
        settings,
        [BaselineAgent(settings.game)],
        np.zeros((GAMES, settings.num_players), np.int64),
        range(GAMES),
    )
    found = [match.states.copy()]
    while match.step():
        found.append(match.states[~match.finished])
    states = np.concatenate(found)
    legal = [settings.game.legal_mask(states, k).sum() for k in range(len(states))]
    states = states[np.array(legal) > 1]
    return states[np.linspace(0, len(states) - 1, count).astype(np.int64)]


def bars(names: Sequence[str]) -> list[Bar]:
    """Return the ratios to show for these games; none has a goal."""
    found = []
    for game in names:
        alone, together, ours = (name.format(game=game) for name in (ONE, ALL, SEARCH))
        found.append(Bar(f"{together}: all cores / one", together, alone))
        found += [Bar(f"{ours} / {peer}", ours, peer) for peer in (ALPHA_ZERO, MCTX)]
    return found


def main(
    game: GamesOption = None,
    simulations: Annotated[
        int, typer.Option(min=1, max=MOST_SIMULATIONS, help="Simulations per search.")
    ] = 200,
    seconds: SecondsOption = 1.0,
    repetitions: RoundsOption = 5,
    quick: QuickOption = False,
    alone: AloneOption = False,
    json: JsonFile = None,
):
    """Measure self-play and the search with a network, beside OpenSpiel's AlphaZero and mctx."""
    names = checked_games(game)
    console, facts = Console(), machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    rows, positions = (64, 8) if quick else (ROWS, POSITIONS)
    threads = sorted({facts["cores"] or 1, 1}, reverse=True)
    playing = [self_play_probe(name, count, rows) for name in names for count in threads]
    searching = [search_probe(name, simulations, positions) for name in names]
    if not alone:
        playing += peers.self_play()
        searching += peers.network_search(simulations)
    with Neighbours() as others:
        groups = {"Self-play": playing, "Search with a network": searching}
        results = interleave(groups, settings)
    print_results(console, results, per_core=True)
    console.print(GOALS, highlight=False)
    ratios = compare(bars(names), results)
    print_ratios(console, ratios, others)
    if json:
        write_json(json, record_of(facts, settings, results, ratios, others_share=others.share))


if __name__ == "__main__":
    typer.run(main)
