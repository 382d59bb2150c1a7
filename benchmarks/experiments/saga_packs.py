"""Whether beliefs about Saga's hidden packs, or face-down cards, can be learned from the play.

Saga names no hidden facts, so that its agents sample what they can't know uniformly. Here it names
them, and a network learns, in games of the baseline against itself, to tell the truth from uniform
redraws (``agents/td/belief_learner.py``). If it considers the truth no likelier than uniform draws
do, the play reveals nothing, and a search has nothing to gain.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Annotated, Any

import numpy as np
import typer

from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.td.agent import TDAgent
from ludotheque.agents.td.belief_learner import learn_beliefs, play_decisions
from ludotheque.agents.td.model import ValueModel, read_value_model
from ludotheque.benchmarks.beliefs import measure
from ludotheque.envs import get_game
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.schema import Field
from ludotheque.envs.core.state import seat_after
from ludotheque.envs.saga.components import MAX_DOWN, MAX_PLAYERS, NUM_KNIGHTS, NUM_PACKS

_OTHERS = MAX_PLAYERS - 1


@kernel
def packs(state, seat, out):
    """Fill ``out`` with the pack of each other seat."""
    out[:] = 0
    for ahead in range(1, np.int64(state["num_players"])):
        pack = np.int64(state["pack"][seat_after(state, seat, ahead)])
        out[NUM_PACKS * (ahead - 1) + pack] = 1


@kernel
def face_down(state, seat, out):
    """Fill ``out`` with the knight on each face-down card of each other seat."""
    out[:] = 0
    for ahead in range(1, np.int64(state["num_players"])):
        other = seat_after(state, seat, ahead)
        for j in range(np.int64(state["num_down"][other])):
            place = MAX_DOWN * (ahead - 1) + j
            out[NUM_KNIGHTS * place + state["down_card"][other, j] % NUM_KNIGHTS] = 1


class Facts(StrEnum):
    """What beliefs are about."""

    PACKS = "packs"
    FACE_DOWN = "face_down"


# Kernel, shape of its field, and the options with which there are such facts.
_FACTS: dict[Facts, tuple[Any, tuple[int, ...], dict[str, str]]] = {
    Facts.PACKS: (packs, (_OTHERS, NUM_PACKS), {"packs_known": "once_shown"}),
    Facts.FACE_DOWN: (face_down, (_OTHERS, MAX_DOWN, NUM_KNIGHTS), {"sides": "reverse"}),
}


def game_with(facts: Facts) -> tuple[Game, dict[str, str]]:
    """Return Saga with these hidden facts named, and the options with which there are some."""
    saga = get_game("saga")
    fill, shape, options = _FACTS[facts]
    field = Field(str(facts), shape, 0, 1, "what the seat can't know", "seat")
    kernels = {**saga.kernels, "hidden_facts": fill}
    return replace(saga, hidden_facts=(field,), kernels=kernels), options


def main(
    facts: Annotated[Facts, typer.Option(help="What beliefs are about.")] = Facts.PACKS,
    players: Annotated[int, typer.Option(min=2, max=MAX_PLAYERS, help="Seats.")] = 2,
    games: Annotated[int, typer.Option(min=10, help="Games to learn from, and to measure.")] = 2000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of games and network.")] = 1,
    quick: Annotated[bool, typer.Option(help="Only check that it runs.")] = False,
) -> None:
    """Learn beliefs, and measure in other games how probable they consider the truth."""
    game, options = game_with(facts)
    games = 10 if quick else games
    model = read_value_model(baseline_path(game, players), game)
    model = ValueModel({**model.about, "options": options}, model.arrays)
    model = learn_beliefs(model, game, games, seed)
    agent = TDAgent(game, model)
    played = play_decisions(agent, games, 10**9 + seed)
    (row,) = measure(agent, model.beliefs, played, np.random.default_rng(seed))
    typer.echo(
        f"{facts}: {row['before']:.1%} before any play, {row['believed']:.1%} believed "
        f"(± {row['error']:.1%}; {row['cases']:,} cases in {row['games']} of {games} games, "
        f"{len(played.seen):,} decisions)"
    )


if __name__ == "__main__":
    typer.run(main)
