"""Options for distributing games, for commands that play many."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

import typer

from .common import UserError, arguments_checked

WorkersOption = Annotated[
    int,
    typer.Option(
        "--workers", min=1, help="Number of processes that play; results don't depend on it."
    ),
]
RayOption = Annotated[
    str | None,
    typer.Option("--ray", help="Play on Ray: the address of a cluster, auto, or local."),
]
ActorsOption = Annotated[
    int | None,
    typer.Option(
        "--actors",
        min=1,
        help="Number of processes that play while this one learns, with td, search or policy; the "
        "result doesn't depend on it. By default none: this process plays too.",
    ),
]


def executor_for(workers: int, ray: str | None) -> AbstractContextManager[Any]:
    """Return the executor of the games, to be used in a ``with`` block; None means this process.

    Raises:
        UserError: both options are given, there are too many workers, ray isn't installed, or there
            is no cluster.
    """
    if ray is not None and workers > 1:
        raise UserError("give --workers or --ray, not both; Ray has its own number of workers.")
    return _executor(workers if workers > 1 else None, ray)


def actors_for(actors: int | None, ray: str | None) -> AbstractContextManager[Any]:
    """Return the executor of the games to learn from; see ``executor_for``."""
    if ray is not None and actors is not None:
        raise UserError("give --actors or --ray, not both; Ray has its own number of workers.")
    # An interrupted training run finishes its round.
    return _executor(actors, ray, interrupts=False)


def _executor(
    workers: int | None, ray: str | None, interrupts: bool = True
) -> AbstractContextManager[Any]:
    if ray is None and workers is None:
        return nullcontext()
    from ludotheque.agents.executors import ProcessExecutor, RayExecutor

    if ray is None:
        with arguments_checked():
            return ProcessExecutor(workers, interrupts)
    try:
        return RayExecutor(ray)
    except ImportError as error:
        raise UserError(f"{error}.") from error
    except (ConnectionError, ValueError) as error:
        raise UserError(f"there is no Ray cluster at {ray}: {error}.") from error
