"""Shared code for tables in commands: agents from specs, files of replays."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ludotheque.web.table import Table as PlainTable

from .common import FailedError, UserError, arguments_checked, choose, needs_extra


def split_specs(text: str) -> list[str]:
    """Split "greedy,mcts:simulations=9,time=1,ppo:a.zip" at the commas between agents.

    A part like `time=1` isn't an agent but a setting of the agent before it.
    """
    specs: list[str] = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name = part.partition(":")[0]
        if specs and "=" in name:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    if not specs:
        raise UserError("no agent named; for example random,greedy.")
    return specs


def check_specs(specs: Sequence[str]) -> None:
    """Raise UserError for the first spec of an unknown agent, or that no replay can name."""
    from ludotheque.agents import AGENTS
    from ludotheque.envs.core.errors import is_name

    for spec in specs:
        if not is_name(spec):
            raise UserError(
                f"agent '{_escaped(spec)}' has a control character, or bytes that aren't UTF-8, in "
                "its name, which replays and leagues can't keep: rename the file."
            )
        choose(spec.partition(":")[0], AGENTS, "agent")


def _escaped(text: str) -> str:
    return repr(text)[1:-1]


@functools.cache
def agent_for(spec: str, game_name: str) -> Any:
    """Return the agent of a spec, or raise UserError, or FailedError for a missing extra."""
    from ludotheque.agents import make_agent

    check_specs([spec])
    try:
        return make_agent(spec, game=game_name)
    except ModuleNotFoundError as error:
        raise needs_extra("train", error) from error
    except (ValueError, TypeError, OSError) as error:
        raise UserError(f"agent '{spec}': {error}") from error


def own_agent(spec: str, game: Any) -> Any:
    """Return an agent from a spec or from the user's own class: ``package.module:Class``."""
    head, colon, name = spec.partition(":")
    if not (colon and "." in head and name.isidentifier()):
        check_specs([spec])
        return spec
    from importlib import import_module

    from ludotheque.agents import make_agent

    # As with `python -m`, packages in the current folder count too.
    if "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        made = getattr(import_module(head), name)
    except (ImportError, AttributeError) as error:
        raise UserError(f"there is no {name} in {head}: {error}.") from error
    try:
        return make_agent(made(game), game)
    except Exception as error:
        raise UserError(
            f"{spec} gives no agent ({type(error).__name__}: {error}): name a class whose objects "
            "have a method act, and which takes the game as its only argument."
        ) from error


def seats_for(specs: Sequence[str], seats: Sequence[int], what: str) -> dict[int, str]:
    """Assign a spec to each seat: one spec for all of them, or one for each."""
    if len(specs) == 1:
        specs = [*specs] * len(seats)
    if len(specs) != len(seats):
        several = len(seats) > 1
        raise UserError(
            f"{len(specs)} {what} for {len(seats)} {'seats' if several else 'seat'}: name one"
            f"{f', or {len(seats)} with commas' if several else ''}."
        )
    return dict(zip(seats, specs, strict=True))


class Table(PlainTable):
    """A table whose agents are shared by all tables; invalid arguments raise UserError.

    Args:
        game, seed, players, options: see the base class.
        specs: the agent's spec by seat; the other seats are a person's.
    """

    def __init__(self, game: Any, seed: int, players: int, options: dict, specs: dict[int, str]):
        agents = {seat: agent_for(spec, game.name) for seat, spec in specs.items()}
        with arguments_checked():
            super().__init__(game, seed, players, options, specs, agents)


def fresh_seed() -> int:
    """Return a random seed."""
    from ludotheque.envs.core.arguments import fresh_seed as drawn

    return drawn()


def check_target(path: Path, endings: Sequence[str]) -> None:
    """Check, before anything is played, that a file can be written."""
    choose(path.suffix, endings, f"ending of {path.name}:")
    check_place(path)


def check_place(path: Path) -> None:
    """Check, before anything is played, that there can be a file of this name."""
    # Where a link leads: that file is replaced.
    target = Path(os.path.realpath(path))
    if not target.parent.is_dir():
        raise UserError(f"the folder {target.parent} of {path.name} does not exist.")
    if target.is_dir():
        raise UserError(f"{path} is a folder; give the name of a file in it.")
    if target.exists() and not target.is_file():
        raise UserError(f"{path} is a device, a pipe or a socket; give the name of a file.")
    if not os.access(target.parent, os.W_OK):
        raise UserError(f"the folder {target.parent} of {path.name} can't be written.")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Name the file in errors while writing it, as on a full disk."""
    try:
        yield
    except OSError as error:
        raise FailedError(f"{path} could not be written: {error}") from error


def save_replay(table: PlainTable, path: Path) -> None:
    """Write the game so far as a replay; raise FailedError if the file can't be written."""
    replay = table.replay()
    with writing(path):
        replay.save(path)


def load_replay(path: Path, number: int) -> tuple[Table, list[int]]:
    """Return a table for the `number`-th game of a file, and that game's actions.

    Raises:
        UserError: there is no such file or game in it, or the game breaks the rules.
    """
    from ludotheque.envs import get_game
    from ludotheque.envs.core.interfaces.replay import load_replays

    with arguments_checked():
        replays = load_replays(path)
        if not 1 <= number <= len(replays):
            raise UserError(f"{path} holds {len(replays)} games; there is no number {number}.")
        replay = replays[number - 1]
        replay.verify()
        actions = replay.action_numbers()
    names = replay.agents or ["unknown"] * replay.num_players
    table = Table(get_game(replay.game), replay.seed, replay.num_players, replay.options, {})
    table.specs = dict(enumerate(names))
    table.illegal = replay.illegal
    return table, actions
