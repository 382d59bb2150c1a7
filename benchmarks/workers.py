"""The gain from processes or Ray's workers: games and decisions a second, cost of a piece."""

from __future__ import annotations

import pickle
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ludotheque.agents.executors import ProcessExecutor, RayExecutor, gather
from ludotheque.agents.league import League
from ludotheque.agents.mcts import leaf_method
from ludotheque.agents.td.model import (
    ValueModel,
    positions_of,
    rivalry_of,
    zero_arrays,
    zero_model,
)
from ludotheque.agents.td.play import Plan
from ludotheque.agents.td.selfplay import Round, SelfPlay, play_pieces
from ludotheque.agents.td.tree import Method
from ludotheque.benchmarks.measure import (
    JsonFile,
    QuickOption,
    machine,
    print_machine,
    short,
    write_json,
)
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.settings import Settings

AGENTS = {"mcts": "mcts:simulations=100", "greedy": "greedy"}
# As in `ludotheque train --method td`: pieces per round, decisions per piece, and networks: the
# learner, the greedy agent and eight past selves.
PIECES, ROWS, NETWORKS = 8, 1024, 10
EMPTY_PIECES = 200


@dataclass
class Measured:
    """The results of one kind of executor; None where no pieces are handed out."""

    where: str
    piece_ms: float | None
    games_per_second: float
    decisions_per_second: float


def a_round(game_name: str, rows: int = ROWS, model: ValueModel | None = None) -> Round:
    """Return a round of self-play as in training with ``--method td``.

    Args:
        rows: decisions per piece.
        model: the learner and its past selves; None means networks of zeros.
    """
    game = get_game(game_name)
    settings = Settings(game, game.usual_players)
    model = model or zero_model(game, settings.num_players)
    about, inputs = model.about, tuple(model.about["inputs"])
    sizes = (len(positions_of(game, inputs)), *model.arrays["second"].shape, settings.num_players)
    networks = [model.arrays, zero_arrays(*sizes), *[model.arrays] * (NETWORKS - 2)]
    plan = Plan(
        rows=rows,
        temperature=0.03,
        by_policy=False,
        limit=min(32, about["limit"]),
        trace=0.7,
        rank_share=about["rank_share"],
        rivalry=rivalry_of(about),
        spread=about["spread"],
        search_share=0.0,
        keeps=False,
        rivals=np.linspace(0.8, 1, NETWORKS),
    )
    method = Method(
        simulations=0,
        candidates=1,
        limit=plan.limit,
        exploration=0.0,
        noise=1.0,
        scale=0.0,
        spread=plan.spread,
        rank_share=plan.rank_share,
        rivalry=plan.rivalry,
        playouts=0.0,
        greedy=False,
        leaf=leaf_method(game),
    )
    return Round(settings, inputs, networks, (plan, method), 0, (0, 1), np.uint64(1))


def measure(where: str, executor: Any, what: Round, games: int) -> Measured:
    """Measure ``executor`` after warming up its workers; None plays in this process."""
    _play(what, executor)
    piece = None
    if executor is not None:
        start = perf_counter()
        gather(executor, abs, [(k,) for k in range(EMPTY_PIECES)], lambda found: None)
        piece = (perf_counter() - start) / EMPTY_PIECES * 1e3
    _league(what, executor, 16)
    start = perf_counter()
    _league(what, executor, games)
    per_second = games / (perf_counter() - start)
    start = perf_counter()
    decisions = len(_play(what, executor).samples.seat)
    return Measured(where, piece, per_second, decisions / (perf_counter() - start))


def _play(what: Round, executor: Any) -> Any:
    games = SelfPlay(what.settings, what.inputs, PIECES, actors=executor)
    return games.play(what.networks, what.plans, what.size, what.seed)


def _league(what: Round, executor: Any, games: int) -> None:
    players = what.settings.num_players
    league = League(what.settings.game.name, AGENTS, num_players=players, seed=1)
    league.run(games, batch_size=min(10, games // 2), executor=executor)


def main(
    game: Annotated[str, typer.Option(help="The game.")] = "sarena",
    workers: Annotated[list[int], typer.Option(min=1, help="Processes; may be repeated.")] = (1, 2),  # type: ignore[assignment]
    ray: Annotated[str | None, typer.Option(help="Also measure this Ray cluster.")] = None,
    games: Annotated[int, typer.Option(min=2, help="Games of the league.")] = 400,
    quick: QuickOption = False,
    json: JsonFile = None,
) -> None:
    """Play the same league and the same round of self-play in one process and in others."""
    console, facts = Console(), machine()
    print_machine(console, facts)
    what = a_round(game, 64 if quick else ROWS)
    places: list[tuple[str, AbstractContextManager[Any]]] = [("this process", nullcontext())]
    places += [(f"processes: {count}", ProcessExecutor(count)) for count in workers]
    if ray is not None:
        places.append(("Ray", RayExecutor(ray)))
    table = Table("", title=game, title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("ms a piece", "games/s", "decisions/s"):
        table.add_column(heading, justify="right")
    found = []
    for where, place in places:
        with console.status(where), place as executor:
            found.append(measure(where, executor, what, 20 if quick else games))
        table.add_row(*_cells(found[-1]))
    console.print(table)
    sizes = [len(pickle.dumps(part)) for part in (what, play_pieces([0], 0, 1, what))]
    console.print(f"A piece of self-play: {sizes[0]:,} bytes to its actor, {sizes[1]:,} back.")
    if json:
        told = {"bytes_out": sizes[0], "bytes_back": sizes[1]}
        write_json(
            json, {"machine": facts, "workers": [asdict(one) for one in found], "piece": told}
        )


def _cells(found: Measured) -> tuple[str, ...]:
    piece = "" if found.piece_ms is None else f"{found.piece_ms:.2f}"
    speeds = (found.games_per_second, found.decisions_per_second)
    return (found.where, piece, *map(short, speeds))


if __name__ == "__main__":
    typer.run(main)
