"""The value network on the afterstates of one decision, one at a time and in batches.

``incremental``, used by the agents (``agents/td/kernels.py``), adds to the first layer's sums what
changed since the previous afterstate. ``from zero`` adds up every afterstate anew. ``torch`` passes
512 afterstates at a time to dense layers in float32, as a search of many games in lock-step could.

All three must find the same values. What the afterstates cost to make (step, ``evaluate`` and
``observe``) is the same for all and not counted.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

from ludotheque.agents import make_agent
from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.td.kernels import add_changes, begin_sums, finish
from ludotheque.agents.td.model import (
    form_of,
    make_work,
    positions_of,
    read_value_model,
    stack,
)
from ludotheque.benchmarks.measure import Settings, Work, compare_ways, counting
from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.jit import kernel

BATCH = 512
# Afterstates taken from a decision, as many as a search expands in Harmonies.
CHOICES = 8


@kernel
def value_all(seen, fresh, nets, work, values):
    """Fill the values of observations ``(n, size)``; ``fresh``: each is added up anew."""
    now, before = 0, 2
    size = seen.shape[1]
    for i in range(len(seen)):
        for k in range(size):
            work.seen[now, k] = seen[i, k]
        if fresh or i % CHOICES == 0:
            begin_sums(nets, 0, work)
            before = 2
        add_changes(nets, 0, work, now, before)
        values[i] = finish(nets, 0, work)[0]
        before = now
        now = 1 - now


def record(name: str, players: int, num_games: int) -> np.ndarray:
    """Return observations of the afterstates of decisions of greedy games, int8 ``(n, size)``."""
    game = get_game(name)
    env = BatchEnv(game, num_games, players, observation=form_of(game), autoreset=False)
    env.reset(1)
    trial = BatchEnv(game, CHOICES, players, observation=form_of(game), autoreset=False)
    trial.reset(1)
    agent = make_agent("greedy", game)
    seen = []
    while not env.states["terminated"].all():
        live = np.flatnonzero(~env.states["terminated"])
        actions = query_agent(agent, env.settings, env.states[live])
        for i, chosen in zip(live, actions, strict=True):
            legal = np.flatnonzero(game.legal_mask(env.states, int(i)))
            if len(legal) >= CHOICES:
                trial.states[:] = env.states[i]
                for k, action in enumerate(legal[:CHOICES]):
                    game.step(trial.states, int(action), k)
                seen.append(trial.observe(int(env.states["to_play"][i]))[0].reshape(CHOICES, -1))
            game.step(env.states, int(chosen), int(i))
    return np.concatenate(seen)


def ways_of(name: str, num_games: int) -> dict[str, Work]:
    """Return functions that value the same afterstates in each way and return their number.

    Raises:
        AssertionError: they don't find the same values.
    """
    game = get_game(name)
    players = game.usual_players
    model = read_value_model(baseline_path(game, players), game)
    inputs = tuple(model.about["inputs"])
    nets, seen = stack(game, inputs, [model.arrays]), record(name, players, num_games)
    layers = [
        torch.tensor(np.asarray(getattr(nets, part)[0], np.float32))
        for part in ("first", "first_bias", "second", "second_bias", "last", "last_bias")
    ]
    rows = torch.tensor(seen[:, positions_of(game, inputs)])

    def dense() -> np.ndarray:
        first, first_bias, second, second_bias, last, last_bias = layers
        parts = []
        with torch.no_grad():
            for batch in rows.split(BATCH):
                hidden = torch.relu(batch.float() @ first + first_bias)
                hidden = torch.relu(hidden @ second + second_bias)
                parts.append(hidden @ last[0] + last_bias[0])
        return torch.cat(parts).numpy()

    work = make_work(game, nets)
    found = {way: np.zeros(len(seen)) for way in ("incremental", "from zero")}
    for fresh, values in enumerate(found.values()):
        value_all(seen, bool(fresh), nets, work, values)
        assert np.allclose(values, dense(), rtol=1e-3, atol=1e-3), "other values than torch's"
    return {
        **{
            way: counting(partial(value_all, seen, bool(fresh), nets, work, values), len(seen))
            for fresh, (way, values) in enumerate(found.items())
        },
        f"torch, {BATCH} at a time": counting(dense, len(seen)),
    }


def main(
    games: Annotated[int, typer.Option(help="Recorded games.")] = 8,
    seconds: Annotated[float, typer.Option(help="Length of a round.")] = 0.5,
    repetitions: Annotated[int, typer.Option(help="Rounds.")] = 5,
    quick: Annotated[bool, typer.Option(help="Only check that it runs.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the figures to this JSON file.")] = None,
) -> None:
    """Compare the ways to value afterstates, in afterstates per second of one thread."""
    torch.set_num_threads(1)
    groups = {name: ways_of(name, 1 if quick else games) for name in game_names()}
    compare_ways(groups, "afterstates", Settings.of(seconds, repetitions, quick), out)


if __name__ == "__main__":
    typer.run(main)
