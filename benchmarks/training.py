"""Environment steps a second of MaskablePPO, end to end, and the environment's share of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer
from rich.console import Console

from ludotheque.benchmarks.measure import (
    checked_games,
    machine,
    need,
    print_machine,
    short,
    write_json,
)

AIM = 0.10  # of the time in the environment


@dataclass
class Training:
    """What one run of MaskablePPO came to; `env_share` is a part of `seconds`."""

    game: str
    num_envs: int
    timesteps: int
    seconds: float
    env_seconds: float
    steps_per_second: float
    env_share: float
    torch_threads: int


class Stopwatch:
    """Counts the time spent in `step_async`, `step_wait` and `reset` of a vector environment."""

    def __init__(self, env: Any):
        self.seconds = 0.0
        for name in ("step_async", "step_wait", "reset", "action_masks"):
            if hasattr(env, name):
                setattr(env, name, self._timed(getattr(env, name)))

    def _timed(self, method):
        def wrapped(*args, **kwargs):
            start = perf_counter()
            try:
                return method(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - start

        return wrapped


def measure(game: str, num_envs: int, timesteps: int, seed: int = 1) -> Training:
    """Trains against random opponents for `timesteps`, after one rollout of warm-up."""
    torch = need("torch")
    maskable = need("sb3_contrib", "sb3-contrib").MaskablePPO
    seat_env = need("ludotheque.agents.sb3").SeatVecEnv
    env = seat_env(game, num_envs=num_envs, opponents="random")
    n_steps = max(16, 4096 // num_envs)
    model = maskable("MultiInputPolicy", env, n_steps=n_steps, batch_size=1024, seed=seed)
    model.learn(n_steps * num_envs)  # compiles kernels, warms torch
    watch, before = Stopwatch(model.env), model.num_timesteps
    start = perf_counter()
    model.learn(timesteps, reset_num_timesteps=False)
    seconds, done = perf_counter() - start, model.num_timesteps - before
    env.close()
    return Training(
        game,
        num_envs,
        done,
        seconds,
        watch.seconds,
        done / seconds,
        watch.seconds / seconds,
        torch.get_num_threads(),
    )


def main(
    game: Annotated[list[str] | None, typer.Option(help="A game; may be repeated.")] = None,
    num_envs: Annotated[int, typer.Option(min=1, help="Games advanced together.")] = 64,
    timesteps: Annotated[int, typer.Option(min=1, help="Steps to train, about.")] = 100_000,
    quick: Annotated[bool, typer.Option("--quick", help="Show that it runs; noisy.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write everything measured here.")] = None,
):
    """Train with MaskablePPO for a while; show the speed and where the time goes."""
    console, facts = Console(), machine()
    print_machine(console, facts)
    runs = []
    for name in checked_games(game):
        with console.status(f"training {name}"):
            runs.append(measure(name, num_envs, 8192 if quick else timesteps))
        run = runs[-1]
        console.print(
            f"{name}: {short(run.steps_per_second)} steps a second, {run.env_share:.1%} of the "
            f"time in the environment (aim: under {AIM:.0%}); {run.num_envs} games, "
            f"{run.timesteps} steps in {run.seconds:.1f} s, {run.torch_threads} torch threads"
        )
    if json:
        write_json(json, {"machine": facts, "training": [asdict(run) for run in runs]})


if __name__ == "__main__":
    typer.run(main)
