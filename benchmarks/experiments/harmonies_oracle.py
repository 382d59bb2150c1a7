"""Whole random games of Harmonies a second: the compiled rules and the plain-Python oracle.

The oracle (`tests/oracles/harmonies.py`) was written for readability, from the rulebook alone; the
tests compare every ply with it. Both deal, play at random to the end and score, for two players on
side A. This requires a checkout: installed packages have no tests.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.console import Console

from ludotheque.benchmarks.measure import (
    Bar,
    Neighbours,
    NotInstalledError,
    Probe,
    Settings,
    Work,
    compare,
    interleave,
    machine,
    need,
    print_machine,
    print_ratios,
    print_results,
    record_of,
    write_json,
)
from ludotheque.envs import get_game

TESTS = Path(__file__).resolve().parents[2] / "tests"
KERNELS, ORACLE = "kernels", "oracle"
PLAYERS, SIDE = 2, "A"
AT_ONCE = 64
TARGET = 200.0


def kernels() -> Work:
    """Random games with the compiled rules, `AT_ONCE` per slice."""
    game = get_game("harmonies")
    states = game.new_states(AT_ONCE)
    seeds = np.arange(1, AT_ONCE + 1, dtype=np.uint64)
    options = game.encode_options(PLAYERS, side=SIDE)
    scores = np.zeros((AT_ONCE, game.max_players), dtype=np.float32)
    ranks = np.zeros((AT_ONCE, game.max_players), dtype=np.int64)

    def work() -> int:
        nonlocal seeds
        game.loops.random_games(states, 0, AT_ONCE, seeds, options, 1, scores, ranks)
        seeds = seeds + np.uint64(AT_ONCE)
        return AT_ONCE

    return work


def oracle() -> Work:
    """Random games with the oracle, one per slice.

    Raises:
        NotInstalledError: there is no oracle next to this package.
    """
    if not (TESTS / "oracles" / "harmonies.py").is_file():
        raise NotInstalledError(f"no oracle in {TESTS}: run this in a checkout")
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    plain = need("oracles.harmonies")
    rng = random.Random(1)

    def work() -> int:
        game = plain.HarmoniesOracle(
            plain.deal(rng, PLAYERS), PLAYERS, SIDE, first_player=rng.randrange(PLAYERS)
        )
        while not game.is_over():
            game.play(rng.choice(game.legal_decisions()))
        game.ranks()
        return 1

    return work


def main(
    seconds: Annotated[float, typer.Option(min=0.01, help="Minimum duration of a round.")] = 1.0,
    repetitions: Annotated[int, typer.Option(min=1, help="Rounds.")] = 5,
    quick: Annotated[bool, typer.Option("--quick", help="Check that it runs; noisy.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write everything measured here.")] = None,
):
    """Compare whole random games a second of the compiled rules and of the oracle."""
    console, facts = Console(), machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    probes = [
        Probe(KERNELS, kernels, unit="games", batch=AT_ONCE, note="set up, played out, scored"),
        Probe(ORACLE, oracle, unit="games", ours=False),
    ]
    with Neighbours() as others:
        results = interleave({f"Random games, {PLAYERS} players, side {SIDE}": probes}, settings)
    bars = [Bar(f"{KERNELS} / {ORACLE}", KERNELS, ORACLE, TARGET)]
    ratios = compare(bars, results, judge=others.quiet and not quick)
    print_results(console, results)
    print_ratios(console, ratios, others)
    if json:
        write_json(json, record_of(facts, settings, results, ratios, others_share=others.share))


if __name__ == "__main__":
    typer.run(main)
