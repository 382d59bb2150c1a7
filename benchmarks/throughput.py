"""Random legal play through every interface, compared with PettingZoo, OpenSpiel and Pgx.

A ply includes the mask and the flat observation of the seat that plays next, except in whole random
games, which aren't observed. Our interfaces and the others alternate in one process; what counts is
the median of the ratio over the rounds.

The copy floor of a game is the time it takes to copy the record, observation and mask of as many
games: no ply that fills them can be faster. The ratios include the time of a ply as a multiple of
the floor.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from importlib import import_module
from typing import Annotated

import gymnasium
import numba
import numpy as np
import typer
from rich.console import Console

from ludotheque.benchmarks import peers, startup
from ludotheque.benchmarks.measure import (
    AloneOption,
    Bar,
    ChartFile,
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
    save_chart,
    write_json,
)
from ludotheque.envs import get_game, make_batch
from ludotheque.envs.core.interfaces import threads as thread_pool
from ludotheque.envs.core.interfaces.registry import GAMES, NAMESPACE

VECTOR_ENVS = 256
PLIES_PER_SLICE = 16_384
STATES_PER_THREAD, GAMES_PER_STATE = 64, 64  # a slice of random games: about 4000

# Names of probes, used by the bars below.
ENV, RAW_ENV = "{game} env()", "{game} raw_env()"
BATCH_1, BATCH_2 = "{game} batch 1024, 1 thread", "{game} batch 1024, 2 threads"
GAMES_1, GAMES_2 = "{game} random games, 1 thread", "{game} random games, 2 threads"
FLOOR = "{game} copy floor 1024"
NATIVE, SYNC = f"{{game}} vector {VECTOR_ENVS}", f"{{game}} SyncVectorEnv {VECTOR_ENVS}"
PGX_HEX = peers.pgx_batch("hex", 1024).name
PGX_CONNECT_FOUR = peers.pgx_batch("connect_four", 1024).name
PGX_HEX_CHEAPER = peers.pgx_batch("hex", 1024, True).name
PGX_CONNECT_FOUR_CHEAPER = peers.pgx_batch("connect_four", 1024, True).name
HAVANNAH = peers.open_spiel_rollouts("havannah(board_size=8)").name
QUORIDOR = peers.open_spiel_rollouts("quoridor(board_size=9)").name
HEARTS = peers.open_spiel_rollouts("hearts").name
GIN_RUMMY = peers.open_spiel_rollouts("gin_rummy").name

# Ours, the other, the minimum ratio. A new game only needs a line here.
BARS_OF_EVERY_GAME = (
    (FLOOR, BATCH_1, None),
    (BATCH_2, BATCH_1, 1.7),
    (GAMES_2, GAMES_1, 1.7),
    (NATIVE, SYNC, 20.0),
    (ENV, peers.pettingzoo_aec().name, 6.0),
    (RAW_ENV, peers.pettingzoo_aec(raw=True).name, 2.0),
)
# Pgx uses all cores, so both of our thread counts are shown.
BARS = {
    "sarena": (
        (BATCH_1, PGX_HEX, 25.0),
        (BATCH_2, PGX_HEX, 25.0),
        (BATCH_1, PGX_CONNECT_FOUR, 3.0),
        (BATCH_2, PGX_CONNECT_FOUR, 3.0),
        (BATCH_2, PGX_HEX_CHEAPER, None),
        (BATCH_2, PGX_CONNECT_FOUR_CHEAPER, None),
        (GAMES_1, HAVANNAH, 3.0),
    ),
    "sagani": (
        (BATCH_1, PGX_HEX, 5.0),
        (GAMES_1, QUORIDOR, 1.0),
    ),
    "harmonies": (
        (BATCH_1, PGX_HEX, 5.0),
        (GAMES_1, QUORIDOR, 1.0),
    ),
    "saga": (
        (BATCH_1, PGX_HEX, 10.0),
        (GAMES_1, HEARTS, 0.5),
        (GAMES_1, GIN_RUMMY, 10.0),
    ),
    "shamans": (
        (BATCH_1, PGX_HEX, 15.0),
        (GAMES_1, HEARTS, 0.5),
    ),
}


def env_probe(game: str, raw: bool = False) -> Probe:
    """One game through PettingZoo's AEC interface."""
    entry = "raw_env" if raw else "env"
    return Probe(
        (RAW_ENV if raw else ENV).format(game=game),
        partial(_build_env, game, entry),
        note="AEC: last() and step(), the same loop for all",
    )


def _build_env(name: str, entry: str) -> Work:
    game = get_game(name)
    module = import_module(f"ludotheque.envs.{game.name}_v{game.version}")
    return partial(peers.play_aec_game, getattr(module, entry)(), random.Random(1))


def gymnasium_probe(game: str) -> Probe:
    """One game through `gymnasium.make`, one seat against a random opponent."""
    return Probe(
        f"{game} gymnasium.make",
        partial(_build_gymnasium, game),
        unit="steps",
        note="a step is the learner's ply and the answers of the others",
    )


def _build_gymnasium(name: str) -> Work:
    env = gymnasium.make(gymnasium_id(name), opponents="random")
    generator = random.Random(1)

    def play() -> int:
        observation, _ = env.reset(seed=generator.getrandbits(31))
        steps, over = 0, False
        while not over:
            legal = np.flatnonzero(observation["action_mask"])
            action = int(legal[int(generator.random() * len(legal))])
            observation, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
            steps += 1
        return steps

    return play


def vector_probe(game: str, native: bool) -> Probe:
    """`VECTOR_ENVS` games, one seat each against a random opponent: native or as a list."""
    return Probe(
        (NATIVE if native else SYNC).format(game=game),
        partial(_build_vector, game, native),
        unit="steps",
        batch=VECTOR_ENVS,
        ours=native,
        note="gymnasium.make_vec; a step is the learner's ply and the answers of the others",
    )


def _build_vector(name: str, native: bool) -> Work:
    # `make_vec` creates copies of environments that have no vector class.
    mode = None if native else "sync"
    env = gymnasium.make_vec(gymnasium_id(name), VECTOR_ENVS, mode, opponents="random")
    observation, _ = env.reset(seed=1)
    actions = np.zeros(VECTOR_ENVS, dtype=np.int64)

    def work() -> int:
        nonlocal observation
        pick_legal(observation["action_mask"], actions)
        observation, *_ = env.step(actions)
        return VECTOR_ENVS

    return work


@numba.njit
def pick_legal(masks, actions):
    """Fill `actions` (n,) with a uniformly random legal action of each row of `masks` (n, k)."""
    for i in range(len(masks)):
        nth = np.random.randint(max(1, masks[i].sum()))
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if nth == 0:
                    actions[i] = action
                    break
                nth -= 1


def batch_probe(game: str, num_envs: int, num_threads: int) -> Probe:
    """`num_envs` games through `make_batch`, all seats."""
    plural = "s" if num_threads > 1 else ""
    return Probe(
        f"{game} batch {num_envs}, {num_threads} thread{plural}",
        partial(_build_batch, game, num_envs, num_threads),
        batch=num_envs,
        threads=str(num_threads),
        note="make_batch: random_actions() and step(), auto-reset",
    )


def _build_batch(name: str, num_envs: int, num_threads: int) -> Work:
    batch = make_batch(name, num_envs, num_threads=num_threads)
    batch.reset(seed=1)
    steps = max(1, PLIES_PER_SLICE // num_envs)

    def work() -> int:
        for _ in range(steps):
            batch.step(batch.random_actions())
        return steps * num_envs

    return work


def floor_probe(game: str, num_envs: int) -> Probe:
    """Copying the record, the observation and the mask of every ply."""
    return Probe(
        FLOOR.format(game=game),
        partial(_build_floor, game, num_envs),
        batch=num_envs,
        note="copy floor: as many bytes as records, observations and masks have, copied",
    )


def _build_floor(name: str, num_envs: int) -> Work:
    game = get_game(name)
    size = game.dtype.itemsize + game.observation_size() + game.num_actions
    there, here = np.ones((2, num_envs, size), np.int8)

    def work() -> int:
        np.copyto(there, here)
        return num_envs

    return work


def games_probe(game: str, num_threads: int) -> Probe:
    """Whole random games in compiled code, including the setup."""
    return Probe(
        (GAMES_1 if num_threads == 1 else GAMES_2).format(game=game),
        partial(_build_games, game, num_threads),
        threads=str(num_threads),
        note="setup and playout kernels; no mask, no observation",
    )


def _build_games(name: str, num_threads: int) -> Work:
    game = get_game(name)
    count = STATES_PER_THREAD * num_threads
    states = game.new_states(count)
    seeds = np.arange(1, count + 1, dtype=np.uint64)
    options = game.encode_options(min(game.player_counts, key=lambda count: abs(count - 2)))
    scores = np.zeros((count, game.max_players), dtype=np.float32)
    ranks = np.zeros((count, game.max_players), dtype=np.int64)

    def work() -> int:
        nonlocal seeds
        loop = game.loops.random_games
        arguments = (seeds, options, GAMES_PER_STATE, scores, ranks)
        plies = thread_pool.run(loop, num_threads, states, *arguments)
        seeds = seeds + np.uint64(count)
        return sum(plies)

    return work


def gymnasium_id(name: str) -> str:
    """Return Gymnasium's id of a game, ``ludotheque/Sarena-v0``."""
    title, version = GAMES[name]
    return f"{NAMESPACE}/{title}-v{version}"


def groups(
    games: Sequence[str], batches: Sequence[int] = peers.BATCHES, with_peers: bool = True
) -> dict[str, list[Probe]]:
    """Return everything to measure. Only probes in the same group are compared."""
    rollouts = [peers.open_spiel_rollouts(game) for game in peers.OPEN_SPIEL_ROLLOUTS]
    found = {
        "One game from Python": [
            *(env_probe(game, raw) for game in games for raw in (False, True)),
            *(gymnasium_probe(game) for game in games),
            *peers.from_python(),
        ],
        f"Vector of {VECTOR_ENVS}, one seat against random": [
            vector_probe(game, native) for game in games for native in (True, False)
        ],
        **{f"Batch of {size}": _batch_group(games, size) for size in batches},
        "Random games in compiled code": [
            *(games_probe(game, threads) for game in games for threads in (1, 2)),
            *rollouts,
        ],
    }
    if with_peers:
        return found
    kept = {SYNC.format(game=game) for game in games}
    return {
        group: [probe for probe in probes if probe.ours or probe.name in kept]
        for group, probes in found.items()
    }


def _batch_group(games: Sequence[str], size: int) -> list[Probe]:
    threads = (1, 2) if size > 1 else (1,)
    cheaper = (False, True) if size == 1024 else (False,)
    return [
        *(batch_probe(game, size, count) for game in games for count in threads),
        *(floor_probe(game, size) for game in games if size == 1024),
        *(peers.pgx_batch(game, size, pick) for game in peers.PGX_GAMES for pick in cheaper),
    ]


def bars(games: Sequence[str]) -> list[Bar]:
    """Return the ratios to show for these games."""
    found = []
    for game in games:
        for ours, peer, target in (*BARS.get(game, ()), *BARS_OF_EVERY_GAME):
            ours, peer = ours.format(game=game), peer.format(game=game)
            found.append(Bar(f"{ours} / {peer}", ours, peer, target))
    return found


def main(
    game: GamesOption = None,
    batch: Annotated[
        list[int] | None,
        typer.Option(
            min=1,
            max=1_000_000,
            help="Batch size; may be repeated.",
            show_default=peers.SHOWN_BATCHES,
        ),
    ] = None,
    only: Annotated[str, typer.Option(help="Only groups with this text in their name.")] = "",
    seconds: SecondsOption = 1.0,
    repetitions: RoundsOption = 5,
    quick: QuickOption = False,
    alone: AloneOption = False,
    start_up: Annotated[
        bool, typer.Option("--startup", help="Measure only import and first move.")
    ] = False,
    json: JsonFile = None,
    chart: ChartFile = None,
):
    """Measure random legal play in every interface, compared with other libraries."""
    games = checked_games(game)
    console, facts = Console(), machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    if start_up:
        waits = startup.measure(games)
        startup.print_waits(console, waits)
        kernels = {name: startup.shares(name) for name in games}
        for name, found in kernels.items():
            startup.print_shares(console, name, found)
        if json:
            waited = [asdict(wait) for wait in waits]
            write_json(json, {"machine": facts, "startup": waited, "kernels": kernels})
        return
    chosen = groups(games, batch or peers.BATCHES, not alone)
    chosen = {group: probes for group, probes in chosen.items() if only.lower() in group.lower()}
    with Neighbours() as others:
        results = interleave(chosen, settings)
    ratios = compare(bars(games), results, judge=others.quiet and not quick)
    print_results(console, results)
    print_ratios(console, ratios, others)
    if json:
        write_json(json, record_of(facts, settings, results, ratios, others_share=others.share))
    if chart:
        title = f"Random legal play, {facts['cpu']}, {facts['cores']} cores"
        save_chart(chart, results, title)


if __name__ == "__main__":
    typer.run(main)
