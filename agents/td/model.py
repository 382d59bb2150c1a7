"""A value network as plain arrays, and its file format.

The file is a zip of ``model.json``, the metadata, and ``arrays.npz``. Neither contains code.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import FileError
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.loading import (
    COUNT,
    LARGEST_WEIGHT,
    NUMBER,
    OBJECT,
    POSITIVE,
    TEXT,
    TEXTS,
    Kind,
    Source,
    check_arrays,
    check_fields,
)
from ludotheque.envs.core.schema import Field, slices, total_size

from ..archives import read_archive, write_archive
from ..search import make_scratch
from .beliefs import BeliefNet, make_belief
from .kernels import Nets, Work
from .tree import NODE, Tree

ABOUT = "model.json"
KIND = "afterstate values"
# Metadata of a model file.
_SHARE = Kind("a number from 0 to 1", lambda value: NUMBER.holds(value) and 0 <= value <= 1)
_FIELDS = {
    "kind": Kind(repr(KIND), lambda value: value == KIND),
    "game": TEXT,
    "version": COUNT,
    "num_players": COUNT,
    "options": OBJECT,
    "schema": TEXT,
    "inputs": TEXTS,
    "lead": Kind("'value' or 'policy'", lambda value: value in ("value", "policy")),
    "limit": POSITIVE,
    "spread": Kind("a number above 0", lambda value: NUMBER.holds(value) and value > 0),
    "rank_share": _SHARE,
}
# Fields that older files lack.
_NEWER_FIELDS = {"rivalry": _SHARE}
_NAMES = ("first", "first_bias", "second", "second_bias", "last", "last_bias", "policy")
# Arrays of the belief network, if a model has one.
BELIEFS = ("belief_first", "belief_first_bias", "belief_last", "belief_last_bias")
# Maps with more places than this are excluded unless inputs are named: what is learned about one
# place doesn't apply to others, and games on such boards fill few of them.
SMALL_MAP = 100


@dataclass(frozen=True, eq=False)
class ValueModel:
    """A value network and its metadata.

    Attributes:
        about: JSON values: kind, game, version, num_players, options, digest of the schema, names
            of the inputs, settings for play (lead, limit: see ``TDAgent``; spread, rank_share,
            rivalry: of its values), and what the trainer adds.
        arrays: float32 arrays ``first``, ``first_bias``, ``second``, ``second_bias``, ``last``,
            ``last_bias``, ``policy`` and ``weight``; shapes as in ``Nets`` for one network. With
            beliefs also those of ``BeliefNet``, under ``BELIEFS``.
    """

    about: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]

    @property
    def beliefs(self) -> BeliefNet | None:
        """The belief network, or None."""
        if BELIEFS[0] not in self.arrays:
            return None
        return BeliefNet(*(self.arrays[name] for name in BELIEFS))


def form_of(game: Game) -> str:
    """Return the networks' observation form: "compact" if the game has it, else "flat"."""
    return "compact" if game.compact else "flat"


def schema_digest(game: Game) -> str:
    """Return a hex digest of the observation's fields: names, shapes and ranges, in order."""
    return _digest(game.observation_schema(form_of(game)))


def hidden_digest(game: Game) -> str:
    """Return a hex digest of the fields of hidden facts, to which beliefs apply."""
    return _digest(game.hidden_facts)


def _digest(schema: tuple[Field, ...]) -> str:
    fields = [(one.name, list(one.shape), one.low, one.high) for one in schema]
    return hashlib.sha256(json.dumps(fields).encode()).hexdigest()


def usual_inputs(game: Game) -> tuple[str, ...]:
    """Return the names of a network's input fields if none are specified.

    The game's preference (``Game.learning``), otherwise all but large maps.
    """
    if "inputs" in game.learning:
        return tuple(game.learning["inputs"])
    fields = game.observation_schema(form_of(game))
    large = [len(one.shape) == 3 and one.shape[1] * one.shape[2] > SMALL_MAP for one in fields]
    return tuple(one.name for one, is_large in zip(fields, large, strict=True) if not is_large)


def positions_of(game: Game, inputs: tuple[str, ...]) -> np.ndarray:
    """Return the positions of the fields ``inputs`` in the observation, int64, ascending.

    Raises:
        ValueError: an unknown field, or none.
    """
    known = slices(game.observation_schema(form_of(game)))
    for name in inputs:
        if name not in known:
            raise ValueError(f"{game.name} observes no {name!r}; it has: {', '.join(known)}")
    if not inputs:
        raise ValueError(f"inputs is empty; name fields of the observation: {', '.join(known)}")
    parts = [np.arange(part.start, part.stop) for name, part in known.items() if name in inputs]
    return np.concatenate(parts)


def zero_model(game: Game, num_players: int, width: int = 64, last_width: int = 32) -> ValueModel:
    """Return a model whose network adds nothing: it plays like the greedy agent."""
    inputs = usual_inputs(game)
    sizes = (len(positions_of(game, inputs)), width, last_width, num_players)
    about = describe(game, num_players, {}, inputs)
    about |= {"lead": "value", "limit": game.num_actions, "spread": 1.0, "rank_share": 0.0}
    return ValueModel(about, zero_arrays(*sizes))


def zero_arrays(inputs: int, width: int, last_width: int, seats: int) -> dict[str, np.ndarray]:
    """Return the arrays of a network of zeros with ``evaluate`` as it is."""
    shapes = shapes_of(inputs, width, last_width, seats)
    arrays = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    return {**arrays, "weight": np.ones(2, np.float32)}


def shapes_of(inputs: int, width: int, last_width: int, seats: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of a network's arrays."""
    return {
        "first": (inputs, width),
        "first_bias": (width,),
        "second": (width, last_width),
        "second_bias": (last_width,),
        "last": (seats, last_width),
        "last_bias": (seats,),
        "policy": (last_width,),
        "weight": (2,),
    }


def rivalry_of(about: Mapping[str, Any]) -> float:
    """Return the ``rivalry`` that a model was trained with (see ``TDConfig``)."""
    return float(about.get("rivalry", 1.0))


def describe(
    game: Game, num_players: int, options: Mapping[str, Any], inputs: tuple[str, ...]
) -> dict[str, Any]:
    """Return the metadata of a model."""
    return {
        "kind": KIND,
        "game": game.name,
        "version": game.version,
        "num_players": num_players,
        "options": dict(options),
        "schema": schema_digest(game),
        "inputs": list(inputs),
    }


def stack(game: Game, inputs: tuple[str, ...], networks: list[Mapping[str, np.ndarray]]) -> Nets:
    """Return the networks as kernels read them."""
    positions = positions_of(game, inputs)
    rows = np.full(_padded(game), -1, np.int32)
    rows[positions] = np.arange(len(positions))

    def all_of(name: str) -> np.ndarray:
        return np.ascontiguousarray(np.stack([arrays[name] for arrays in networks]), np.float32)

    return Nets(
        rows=rows,
        **{name: all_of(name) for name in _NAMES},
        weight=all_of("weight").astype(np.float64),
    )


def make_work(game: Game, nets: Nets, kept: int = 0) -> Work:
    """Return arrays for one thread to work in; ``kept``: how many actions stay seen."""
    seats = game.max_players
    seen = np.zeros((3, _padded(game)), np.int8)
    return Work(
        game=game.new_states(1),
        known=game.new_states(1),
        trial=game.new_states(1),
        mask=np.zeros(game.num_actions, np.int8),
        actions=np.zeros(game.num_actions, np.int64),
        bases=np.zeros(game.num_actions),
        values=np.zeros(game.num_actions),
        logits=np.zeros(max(game.num_actions, seats)),
        sorted=np.zeros(game.num_actions),
        seen=seen,
        words=seen.view(np.uint64),
        best=np.zeros(game.observation_size(form_of(game)), np.int8),
        kept=np.zeros((kept, nets.first.shape[1]), np.int8),
        sums=np.zeros(nets.first.shape[2], np.float32),
        hidden=np.zeros(nets.second.shape[2], np.float32),
        scores=np.zeros(seats, np.float32),
        ranks=np.zeros(seats, np.int64),
        utility=np.zeros(seats, np.float32),
        memo=game.new_memo(),
    )


def make_tree(game: Game, simulations: int, limit: int, believes: bool = False) -> Tree:
    """Return arrays for one thread to search in; ``believes``: draws as a network says."""
    record = game.new_states(1)
    return Tree(
        # A simulation adds one node's children, and now and then those of others that redraws need.
        nodes=np.zeros(1 + (simulations + simulations // 4 + 2) * limit, NODE),
        path=np.zeros(game.max_plies + 2, np.int32),
        game=record,
        legal=np.zeros(game.num_actions, np.int8),
        score=np.zeros(game.num_actions),
        order=np.zeros(game.num_actions, np.int64),
        policy=np.zeros(game.num_actions),
        belief=make_belief(game, believes),
        playout=make_scratch(game, record),
    )


def _padded(game: Game) -> int:
    """Return the size of an observation, rounded up to whole words of eight bytes."""
    return -(-game.observation_size(form_of(game)) // 8) * 8


def save_value_model(model: ValueModel, path: str | os.PathLike, half: bool = False) -> None:
    """Write a model file atomically; ``half`` stores 16 bits per number."""
    kind = np.float16 if half else np.float32
    arrays = {name: array.astype(kind) for name, array in model.arrays.items()}
    write_archive(path, ABOUT, dict(model.about), arrays, level=9 if half else 1)


def read_value_model(
    path: str | os.PathLike, game: Game, num_players: int | None = None
) -> ValueModel:
    """Read a model file and validate it for ``game``.

    Raises:
        FileNotFoundError: there is no such file.
        FileError: the file is invalid or damaged, a model of another game, version, observation or
            number of players, or its arrays don't match.
    """
    source = source_of(path)
    if not source.path.exists():
        raise FileNotFoundError(
            f"no model at {str(path)!r}: train one with `ludotheque train --method td`, or check "
            "the path"
        )
    about, arrays = read_archive(source, ABOUT, _FIELDS)
    _check_game(source.path, about, game, num_players)
    halves = {name: array for name, array in arrays.items() if array.dtype == np.float16}
    arrays |= {name: array.astype(np.float32) for name, array in halves.items()}
    model = ValueModel(about, arrays)
    try:
        check_model(model, game)
    except ValueError as error:
        raise source.error(error) from error
    return model


def _check_game(path: Path, about: dict, game: Game, num_players: int | None) -> None:
    found = f"{str(path)!r} holds values for {about['game']}_v{about['version']}"
    if about["game"] != game.name:
        raise FileError(f"{found}: it can't play {game.name}; give a model trained for it")
    if about["version"] != game.version or about["schema"] != schema_digest(game):
        raise FileError(
            f"{found}, but this is {game.name}_v{game.version}, and its observations or rules are "
            "not those that the model was trained on: retrain it"
        )
    if num_players not in (None, about["num_players"]):
        raise FileError(f"{found} with {about['num_players']} players, not {num_players}")


def check_model(model: ValueModel, game: Game) -> None:
    """Raise ValueError unless the arrays fit together and the game: kernels run on them unchecked.

    The widths of the layers are those of ``second``.
    """
    about, arrays = model.about, model.arrays
    check_fields(about, _FIELDS)
    check_fields(about, {name: kind for name, kind in _NEWER_FIELDS.items() if name in about})
    if about["num_players"] not in game.player_counts:
        raise ValueError(f"{game.name} isn't played by {about['num_players']}")
    inputs = len(positions_of(game, tuple(about["inputs"])))
    second = arrays.get("second", np.zeros(()))
    width, last_width = second.shape if second.ndim == 2 else (0, 0)
    wanted = shapes_of(inputs, width, last_width, about["num_players"])
    wanted |= _belief_shapes(game, inputs, arrays)
    shapes = {name: (np.float32, shape) for name, shape in wanted.items()}
    check_arrays(arrays, shapes, LARGEST_WEIGHT)
    if model.beliefs is not None and about.get("hidden") != hidden_digest(game):
        raise ValueError(
            f"its beliefs are about other hidden facts than those of {game.name}_v{game.version}: "
            "let it learn them again"
        )


def _belief_shapes(
    game: Game, inputs: int, arrays: Mapping[str, np.ndarray]
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the network of beliefs, as wide as its bias; none without one."""
    if not any(name in arrays for name in BELIEFS):
        return {}
    width = arrays[BELIEFS[1]].size if BELIEFS[1] in arrays else 0
    facts = total_size(game.hidden_facts)
    return dict(zip(BELIEFS, ((inputs, width), (width,), (facts, width), (facts,)), strict=True))


def source_of(path: str | os.PathLike) -> Source:
    """Return a file of this kind of training, to be read."""
    return Source(
        Path(path),
        f"file of {KIND}",
        "give one that `ludotheque train --method td` wrote",
    )
