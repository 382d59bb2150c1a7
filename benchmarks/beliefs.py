"""Accuracy of a baseline's beliefs: the probability that they assign to true hidden facts.

It is averaged over the decisions of new games and the facts in which uniform redraws differ, and
compared with the share of redraws that have the fact, its probability before any play.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.td.agent import TDAgent
from ludotheque.agents.td.belief_learner import facts_of, play_decisions, sums_of
from ludotheque.agents.td.model import read_value_model
from ludotheque.benchmarks.measure import JsonFile, write_json
from ludotheque.cli.common import UserError, check_players, find_game
from ludotheque.envs.core.schema import slices

DRAWS = 128
CHUNK = 256


def main(
    game: Annotated[str, typer.Option(help="The game.")] = "sarena",
    players: Annotated[int | None, typer.Option(help="Seats.")] = None,
    opponent: Annotated[
        str | None, typer.Option(help="Agent in all other seats; default: the baseline.")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="Seed of deals and redraws.")] = 10**9,
    model: Annotated[Path | None, typer.Option(help="Use this model file.")] = None,
    json: JsonFile = None,
) -> None:
    """Show how probable a baseline considers the true hidden facts."""
    found = find_game(game)
    players = check_players(found, players)
    read = read_value_model(model or baseline_path(found, players), found, players)
    if read.beliefs is None:
        raise UserError(
            f"the baseline of {game} for {players} players has learned no beliefs: "
            "choose another with --game and --players, or name a model that has some with --model."
        )
    agent = TDAgent(found, read)
    decisions = play_decisions(agent, games, seed, opponent)
    rows = measure(agent, read.beliefs, decisions, np.random.default_rng(seed))
    for row in rows:
        typer.echo(
            f"{row['facts']}: {row['before']:.1%} before any play, {row['believed']:.1%} believed "
            f"(± {row['error']:.1%}, {row['games']} games, {row['cases']:,} cases)"
        )
    if json:
        about = {"game": found.name, "players": players, "opponent": opponent, "seed": seed}
        write_json(json, {**about, "beliefs": rows})


def measure(
    agent: TDAgent, net: Any, decisions: Any, rng: np.random.Generator
) -> list[dict[str, Any]]:
    """Return the mean probability of true facts, before play and as believed, one row per field.

    ``error`` is half the 95 % interval of the believed one; games, not cases, are independent.
    """
    fields = slices(agent.game.hidden_facts)
    count = int(decisions.game.max()) + 1
    sums = {name: np.zeros((3, count)) for name in fields}
    for start in range(0, len(decisions.seen), CHUNK):
        some = slice(start, start + CHUNK)
        facts = facts_of(agent.game, decisions.states[some], DRAWS, rng)
        weights = sums_of(net, decisions.seen[some], facts)[:, 1:]
        weights = np.exp(weights - weights.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        before = facts[:, 1:].mean(axis=1)
        believed = np.einsum("nk,nkf->nf", weights, facts[:, 1:])
        case = (facts[:, 0] > 0) & (before > 0) & (before < 1)
        number = np.broadcast_to(decisions.game[some, None], case.shape)
        for name, part in fields.items():
            there = case[:, part]
            for k, values in enumerate((there, before[:, part], believed[:, part])):
                sums[name][k] += np.bincount(number[:, part][there], values[there], count)
    return [_row(name, *found) for name, found in sums.items()]


def _row(name: str, cases: np.ndarray, before: np.ndarray, believed: np.ndarray) -> dict[str, Any]:
    whole = max(cases.sum(), 1.0)
    mean = believed.sum() / whole
    # The standard error of a ratio of sums over games.
    error = 1.96 * np.sqrt(np.sum((believed - mean * cases) ** 2)) / whole
    return {
        "facts": name,
        "games": int(np.count_nonzero(cases)),
        "cases": int(cases.sum()),
        "before": float(before.sum() / whole),
        "believed": float(mean),
        "error": float(error),
    }


if __name__ == "__main__":
    typer.run(main)
