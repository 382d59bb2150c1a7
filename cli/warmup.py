"""`ludotheque warmup`: compile the kernels now instead of on first use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter
from typing import Annotated, Any

import typer

from .common import Bar, JsonOption, find_game, out, print_json

GamesOption = Annotated[
    list[str] | None,
    typer.Option("--game", "-g", help="A game; may be repeated. Every game if not given."),
]


def warmup(game: GamesOption = None, as_json: JsonOption = False) -> None:
    """Compile the kernels of games and agents into the cache; cached ones take no time."""
    from ludotheque.envs import game_names
    from ludotheque.envs.core.interpreted import compile_at_once
    from ludotheque.envs.core.jit import cache_dir

    compile_at_once()
    games = [find_game(name) for name in dict.fromkeys(game or game_names())]
    seconds: dict[str, float] = {}
    total = sum(1 for one in games for _ in steps(one))
    done = 0
    with Bar("Compiling") as bar:
        for one in games:
            start = perf_counter()
            for label, compile_it in steps(one):
                bar(done, total, f"{one.name}: {label}")
                compile_it()
                done += 1
            seconds[one.name] = round(perf_counter() - start, 1)
        bar(done, total, "done")
    folder = cache_dir()
    if as_json:
        print_json({"seconds": seconds, "folder": None if folder is None else str(folder)})
        return
    for name, took in seconds.items():
        out.print(f"{name}: {took:.1f} s")
    out.print(
        "Nothing was cached: there is no home directory; set LUDOTHEQUE_CACHE_DIR."
        if folder is None
        else f"Kept in {folder}."
    )


def steps(game: Any) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield what to compile: a name, and a call that compiles it by using it."""
    yield "turn by turn", partial(_play_turns, game)
    for form in game.observation_forms:
        yield f"batches, {form}", partial(_play_batch, game, form)
        yield f"one seat, {form}", partial(_play_seat, game, form)
    for agent in ("greedy", "mcts:simulations=2"):
        yield agent.partition(":")[0], partial(_play_match, game, agent)
    yield "td", partial(_play_values, game)


def _play_turns(game: Any) -> None:
    from ludotheque.envs.core.interfaces.aec import TurnBasedEnv

    env = TurnBasedEnv(game)
    env.reset(seed=0)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    env.results()
    game.determinize(env.get_state()["states"], 0, 0)


def _play_batch(game: Any, form: str) -> None:
    from ludotheque.envs.core.interfaces.batch import BatchEnv

    batch = BatchEnv(game, 1, observation=form, history=1)
    batch.reset(0)
    batch.step(batch.random_actions())
    batch.observe(0)


def _play_seat(game: Any, form: str) -> None:
    from ludotheque.envs.core.interfaces.gym import SeatVectorEnv

    envs = SeatVectorEnv(game, 1, observation=form)
    envs.reset(seed=0)
    envs.step(envs.random_actions())


def _play_values(game: Any) -> None:
    from ludotheque.agents.td.agent import TDAgent
    from ludotheque.agents.td.model import zero_model

    _play_match(game, TDAgent(game, zero_model(game, game.usual_players)))


def _play_match(game: Any, agent: Any) -> None:
    from ludotheque.agents.match import play_match

    players = game.usual_players
    play_match(game, [agent] * players, range(1), num_players=players)
