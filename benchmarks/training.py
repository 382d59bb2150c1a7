"""Environment steps a second of MaskablePPO, end to end, and the environment's share of time."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from ludotheque.benchmarks.measure import (
    GamesOption,
    JsonFile,
    QuickOption,
    checked_games,
    machine,
    need,
    print_machine,
    short,
    write_json,
)
from ludotheque.envs import get_game

AIM = 0.10  # of the time in the environment


@dataclass
class Training:
    """The result of a run of MaskablePPO; `env_share` is a fraction of `seconds`."""

    game: str
    opponents: str
    num_envs: int
    timesteps: int
    seconds: float
    env_seconds: float
    steps_per_second: float
    env_share: float
    torch_threads: int


class Stopwatch:
    """Measures the time spent in a vector environment: steps, resets and masks."""

    def __init__(self, env: Any):
        self.seconds = 0.0
        for name in ("step_async", "step_wait", "reset", "env_method"):
            setattr(env, name, self._timed(getattr(env, name)))

    def _timed(self, method):
        def wrapped(*args, **kwargs):
            start = perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - start

        return wrapped


def measure(
    game: str,
    timesteps: int,
    num_envs: int | None = None,
    opponents: str = "random",
    torch_threads: int | None = None,
    seed: int = 1,
) -> Training:
    """Train with the network and sizes of `ludotheque train`, after one rollout of warm-up.

    Args:
        timesteps: decisions of the learner, rounded up to whole rollouts.
        num_envs: number of games advanced together; None means the default of `ludotheque train`.
        opponents: name of an agent; its time counts as time in the environment.
        torch_threads: number of threads; None means torch's default.
    """
    torch = need("torch")
    seat_env = need("ludotheque.agents.sb3").SeatVecEnv
    config = need("ludotheque.agents.ppo").TrainConfig
    counts = get_game(game).player_counts
    usual = config(game=game, num_players=min(counts, key=lambda n: abs(n - 2)), steps=timesteps)
    if num_envs:
        usual.num_envs = num_envs
        usual.batch_size = min(usual.batch_size, usual.rollout)
    usual.seed = seed
    if torch_threads:
        torch.set_num_threads(torch_threads)
    env = seat_env(
        game,
        usual.num_envs,
        usual.num_players,
        opponents=opponents,
        reward=usual.reward,
        reward_scale=usual.reward_scale,
    )
    model = usual.make_model(env)
    model.learn(usual.rollout)  # compiles kernels, warms torch
    watch, before = Stopwatch(model.env), model.num_timesteps
    start = perf_counter()
    model.learn(timesteps, reset_num_timesteps=False)
    seconds, done = perf_counter() - start, model.num_timesteps - before
    env.close()
    return Training(
        game,
        opponents,
        env.num_envs,
        done,
        seconds,
        watch.seconds,
        done / seconds,
        watch.seconds / seconds,
        torch.get_num_threads(),
    )


def main(
    game: GamesOption = None,
    opponents: Annotated[
        list[str] | None, typer.Option(help="An agent; may be repeated.", show_default="random")
    ] = None,
    num_envs: Annotated[
        int | None, typer.Option(min=1, help="Games advanced together.", show_default="as train")
    ] = None,
    timesteps: Annotated[int, typer.Option(min=1, help="Approximate number of steps.")] = 100_000,
    torch_threads: Annotated[
        int | None, typer.Option(min=1, help="Threads of torch.", show_default="torch's choice")
    ] = None,
    quick: QuickOption = False,
    json: JsonFile = None,
):
    """Train with MaskablePPO for a while; show the speed and the environment's share."""
    games = checked_games(game)
    console, facts = Console(), machine()
    print_machine(console, facts)
    table = Table("", title="MaskablePPO", title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("games", "threads", "steps/s", "in env", "aim"):
        table.add_column(heading, justify="right")
    runs = []
    for name in games:
        for opponent in opponents or ["random"]:
            with console.status(f"training {name} against {opponent}"):
                steps = 1 if quick else timesteps  # one rollout
                runs.append(measure(name, steps, num_envs, opponent, torch_threads))
            table.add_row(*_cells(runs[-1]))
    console.print(table)
    if json:
        write_json(json, {"machine": facts, "training": [asdict(run) for run in runs]})


def _cells(run: Training) -> tuple[str, ...]:
    return (
        f"{run.game} against {run.opponents}",
        str(run.num_envs),
        str(run.torch_threads),
        short(run.steps_per_second),
        f"{run.env_share:.1%}",
        f"under {AIM:.0%}",
    )


if __name__ == "__main__":
    typer.run(main)
