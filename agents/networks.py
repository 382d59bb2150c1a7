"""Trained policies as plain arrays, which run without torch."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_choice
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.loading import TEXT, TEXTS, check_arrays, check_fields, check_numbers

from .afterstates import check_valuers
from .targets import ActionTargets, targets_of

KINDS = ("mlp", "board")
ACTIVATIONS = {
    "relu": lambda x: np.maximum(x, 0, out=x),
    "tanh": lambda x: np.tanh(x, out=x),
}


class Network(ABC):
    """A policy's weights as float32 arrays by name.

    Attributes:
        kind: one of ``KINDS``.
        arrays: the weights; copies that nobody else modifies.
        num_inputs, num_actions: sizes of an observation and of the action space.
        valued_by: whose values of the actions an observation contains, see ``Afterstates``.

    Raises:
        ValueError: the arrays have other names or shapes, or implausible numbers (see
            ``loading.check_numbers``), since kernels use them unchecked.
    """

    kind = ""
    game: Game | None = None
    num_inputs = 0
    num_actions = 0
    valued_by: tuple[str, ...] = ()

    def __init__(self, arrays: Mapping[str, np.ndarray]):
        self.arrays = {
            name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()
        }
        for name, array in self.arrays.items():
            check_numbers(array, name)

    def about(self) -> dict[str, Any]:
        """Return everything needed besides the arrays, as JSON values."""
        return {"kind": self.kind}

    def __reduce__(self) -> Any:
        # So that pickles are checked like files.
        return make_network, (self.about(), self.arrays, self.game)

    def logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Return float32 ``(n, num_actions)``; the logits of illegal actions are undefined.

        Args:
            observations: ``(n, ...)``, with ``num_inputs`` entries per row.
            masks: int8 ``(n, num_actions)``.

        Raises:
            ValueError: the shapes are wrong.
        """
        rows = observations.reshape(len(observations), math.prod(observations.shape[1:]))
        if rows.shape[1] != self.num_inputs or masks.shape != (len(rows), self.num_actions):
            raise ValueError(
                f"observations have shape {observations.shape} and masks {masks.shape}; the policy "
                f"needs (n, {self.num_inputs}) and (n, {self.num_actions})"
            )
        return self._logits(rows, masks)

    @abstractmethod
    def _logits(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Implement ``logits``; shapes are checked and observations ``(n, num_inputs)``."""


class MlpNetwork(Network):
    """Linear layers ``weight_k`` (inputs, outputs) and ``bias_k``, an activation between them."""

    kind = "mlp"

    def __init__(self, arrays: Mapping[str, np.ndarray], activation: str):
        super().__init__(arrays)
        check_choice(activation, tuple(ACTIVATIONS), "activation of a policy")
        self.activation = activation
        self.depth = max(1, len(self.arrays) // 2)
        # Each layer has as many inputs as the previous one has outputs.
        sizes = [_size(self.arrays, "weight_0", 2, 0)]
        sizes += [_size(self.arrays, f"weight_{k}", 2, 1) for k in range(self.depth)]
        wanted: dict[str, Any] = {}
        for k in range(self.depth):
            wanted[f"weight_{k}"] = np.float32, (sizes[k], sizes[k + 1])
            wanted[f"bias_{k}"] = np.float32, (sizes[k + 1],)
        check_arrays(self.arrays, wanted)
        self.num_inputs, self.num_actions = sizes[0], sizes[-1]

    def about(self) -> dict[str, Any]:
        """See ``Network.about``."""
        return {"kind": self.kind, "activation": self.activation}

    def _logits(self, observations, masks):
        x = observations.astype(np.float32)
        # ``policy.choose`` reports logits that aren't finite.
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(self.depth):
                x = x @ self.arrays[f"weight_{k}"]
                x += self.arrays[f"bias_{k}"]
                if k < self.depth - 1:
                    ACTIVATIONS[self.activation](x)
        return x


class BoardNetwork(Network):
    """The weights of a ``board_policy.Board``.

    Arrays, with ``width`` features per thing and ``head`` features per action:
        first: (planes, 3, 3 * width): what a place's entries add to the 3 x 3 places around it; or
            (planes, 1, width), to the place itself. rows: (numbers, width), for the lists, one
            after the other. thing: (things, width), the bias of each thing.
        whole: (rest, width), whole_bias: (width,).
        more: (depth - 1, width, 3, 3 * width), more_bias: (depth - 1, width).
        ends: (width, 2 * head), for an action's first and second target; mean: (width, head) and
            bias: (kinds, head) are added to both; score: (head,).
        gain: (valuers,), with ``valued_by``: the factors of the values of the actions.
    """

    kind = "board"

    def __init__(self, arrays: Mapping[str, np.ndarray], game: Game, valued_by: Iterable[str] = ()):
        super().__init__(arrays)
        layout = targets_of(game)
        if layout is None:
            raise ValueError(f"{game.name} has no Game.targets: its policies are of kind mlp")
        self.game = game
        self.layout = layout
        self.num_actions = len(layout.targets)
        self._flat_dtype = game.observation_dtype
        self.valued_by = check_valuers(valued_by) if valued_by else ()
        self.num_inputs = len(layout.scale) + len(self.valued_by) * (1 + self.num_actions)
        _check_board(self.arrays, layout, game, len(self.valued_by))
        flat = [rows.reshape(-1) for rows in layout.lists]
        named = ("planes", "rest", "scale", "targets", "kinds", "framed")
        positions = Positions(
            **{name: getattr(layout, name) for name in named},
            listed=np.concatenate(flat) if flat else np.zeros(0, np.int64),
            row_ends=np.cumsum([len(rows) for rows in layout.lists], dtype=np.int64),
            number_ends=np.cumsum([rows.shape[1] for rows in layout.lists], dtype=np.int64),
            line=layout.grid[1] + 2,
        )
        self._positions = tuple(positions)
        self._weights = tuple(self.arrays[name] for name in Weights._fields)

    def about(self) -> dict[str, Any]:
        """See ``Network.about``."""
        return {**super().about(), **({"valued_by": [*self.valued_by]} if self.valued_by else {})}

    def _logits(self, observations, masks):
        if not self.valued_by:
            return self._score(observations, masks)
        size = len(self.layout.scale)
        valued = observations[:, size:].reshape(-1, len(self.valued_by), 1 + self.num_actions)
        # The kernel is compiled for the integers of flat observations.
        flat = observations[:, :size].astype(self._flat_dtype)
        return self._score(flat, masks) + np.einsum(
            "nka,k->na", valued[:, :, 1:], self.arrays["gain"]
        )

    def _score(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        arrays, layout = self.arrays, self.layout
        things, width = arrays["thing"].shape
        rows, columns = layout.grid
        out = np.zeros((len(observations), self.num_actions), np.float32)
        scratch = (
            np.empty((2, (rows + 2) * (columns + 2) * width), np.float32),
            np.empty((layout.num_rows, width), np.float32),
            np.empty((2, width), np.float32),
            np.empty((things + 1, arrays["ends"].shape[1]), np.float32),
            np.empty(things + 1, np.bool_),
        )
        board_logits(
            np.ascontiguousarray(observations),
            np.ascontiguousarray(masks),
            self._positions,
            self._weights,
            scratch,
            out,
        )
        return out


def _size(arrays: Mapping[str, np.ndarray], name: str, ndim: int, axis: int) -> int:
    """Return the size of an array along an axis; raise ValueError if there is no such array."""
    array = arrays.get(name)
    if array is None or array.ndim != ndim:
        found = "there is none" if array is None else f"it has shape {array.shape}"
        raise ValueError(f"{name} should be an array of {ndim} dimensions; {found}")
    return array.shape[axis]


def _check_board(
    arrays: Mapping[str, np.ndarray], layout: ActionTargets, game: Game, valuers: int
) -> None:
    """Raise ValueError unless the arrays have the shapes listed in ``BoardNetwork``."""
    numbers = sum(rows.shape[1] for rows in layout.lists)
    planes = layout.planes.shape[1]
    wanted = (layout.num_things, planes, numbers, len(layout.rest))
    ranks = {"thing": 2, "first": 3, "rows": 2, "whole": 2}
    found = tuple(_size(arrays, name, ndim, 0) for name, ndim in ranks.items())
    if wanted != found:
        raise ValueError(
            f"the policy is for {found[0]} things, {found[1]} planes, {found[2]} numbers in "
            f"lists and {found[3]} in all but the board; {game.name} has {wanted}"
        )
    width, head = _size(arrays, "thing", 2, 1), _size(arrays, "score", 1, 0)
    more = _size(arrays, "more", 4, 0)
    alone = _size(arrays, "first", 3, 1) == 1
    shapes = {
        "first": (planes, 1, width) if alone else (planes, 3, 3 * width),
        "rows": (numbers, width),
        "thing": (layout.num_things, width),
        "whole": (len(layout.rest), width),
        "whole_bias": (width,),
        # Without neighbours there are no further layers.
        "more": (0 if alone else more, width, 3, 3 * width),
        "more_bias": (0 if alone else more, width),
        "ends": (width, 2 * head),
        "mean": (width, head),
        "bias": (layout.num_kinds, head),
        "score": (head,),
        **({"gain": (valuers,)} if valuers else {}),
    }
    check_arrays(arrays, {name: (np.float32, shape) for name, shape in shapes.items()})


class Positions(NamedTuple):
    """Positions of an observation's entries, and the targets of actions.

    Attributes:
        planes, rest, scale, targets, kinds, framed: see ``ActionTargets``.
        listed: int64, the rows of all lists, concatenated.
        row_ends, number_ends: int64, per list: its end among all lists' rows, and among the columns
            of all lists.
        line: places per row of the framed board.
    """

    planes: Any
    rest: Any
    scale: Any
    targets: Any
    kinds: Any
    framed: Any
    listed: Any
    row_ends: Any
    number_ends: Any
    line: int


class Weights(NamedTuple):
    """The arrays of a ``BoardNetwork``."""

    first: Any
    rows: Any
    thing: Any
    whole: Any
    whole_bias: Any
    more: Any
    more_bias: Any
    ends: Any
    mean: Any
    bias: Any
    score: Any


class Scratch(NamedTuple):
    """Work arrays of ``board_logits``."""

    seen: Any
    seen_rows: Any
    pooled: Any
    heads: Any
    known: Any


@kernel
def board_logits(observations, masks, positions, weights, scratch, out):
    """Score the legal actions of each row, skipping zeros (see ``BoardNetwork``).

    Observations are mostly zeros, and so are half of the outputs of a ReLU: this is as fast as
    matrix products for many rows, and much faster for few. The board is padded by one place on
    each side, to ``line`` places per row, so that a place adds to three neighbours at a time.

    Arguments that belong together come as plain tuples: a NamedTuple costs numba's dispatcher a
    microsecond more.
    """
    positions = Positions(*positions)
    weights = Weights(*weights)
    scratch = Scratch(*scratch)
    planes, framed = positions.planes, positions.framed
    targets, kinds = positions.targets, positions.kinds
    first, thing, ends = weights.first, weights.thing, weights.ends
    mean, bias, score = weights.mean, weights.bias, weights.score
    seen, seen_rows, pooled = scratch.seen, scratch.seen_rows, scratch.pooled
    heads, known = scratch.heads, scratch.known
    num_places = len(planes)
    num_things, width = thing.shape
    head = len(score)
    scale, whole, whole_bias = positions.scale, weights.whole, weights.whole_bias
    lists = (positions.listed, positions.row_ends, positions.number_ends)
    board = (planes, framed, positions.line)
    layers = (first, thing, weights.more, weights.more_bias)
    for row in range(len(observations)):
        _see_rest(observations[row], positions.rest, scale, whole, whole_bias, pooled[0])
        _see_rows(
            observations[row], lists, scale, weights.rows, thing[num_places:], pooled[0], seen_rows
        )
        last = seen_rows.reshape(-1)
        if num_places:
            now = _see_places(observations[row], board, scale, layers, pooled[0], seen)
            last = seen[now]
        averaged = num_places if num_places else num_things
        alone = first.shape[1] == 1
        for o in range(width):
            pooled[1, o] = 0.0
        for p in range(averaged):
            if num_places and alone and not _holds(observations[row], planes[p]):
                continue
            at = (framed[p] if num_places else p) * width
            for o in range(width):
                x = last[at + o]
                pooled[1, o] += x if x > 0.0 else np.float32(0.0)
        # The last row belongs to no target: it is added to every action.
        for h in range(head):
            heads[num_things, h] = 0.0
        for i in range(width):
            x = pooled[1, i] / np.float32(averaged)
            for h in range(head):
                heads[num_things, h] += x * mean[i, h]
        for t in range(num_things):
            known[t] = False
        for action in range(len(targets)):
            if masks[row, action]:
                for k in range(2):
                    t = targets[action, k]
                    if t < num_things and not known[t]:
                        known[t] = True
                        if t < num_places:
                            at = framed[t] * width
                            _head_of(last[at : at + width], ends, heads[t])
                        else:
                            _head_of(seen_rows[t - num_places], ends, heads[t])
                start = targets[action, 0]
                end = targets[action, 1]
                total = np.float32(0.0)
                for h in range(head):
                    x = heads[num_things, h] + bias[kinds[action], h]
                    if start < num_things:
                        x += heads[start, h]
                    if end < num_things:
                        x += heads[end, head + h]
                    total += (x if x > 0.0 else np.float32(0.0)) * score[h]
                out[row, action] = total


@kernel
def _holds(observation, positions):
    """Return whether a place has a non-zero entry; without neighbours, empty ones don't count."""
    held = False
    for position in positions:
        held |= observation[position] != 0
    return held


@kernel
def _see_rest(observation, rest, scale, whole, whole_bias, out):
    width = len(out)
    for o in range(width):
        out[o] = whole_bias[o]
    for k in range(len(rest)):
        x = np.float32(observation[rest[k]])
        if x != 0.0:
            x *= scale[rest[k]]
            for o in range(width):
                out[o] += x * whole[k, o]


@kernel
def _see_rows(observation, lists, scale, rows, thing, of_rest, seen_rows):
    """Compute the features of the rows of all lists."""
    listed, row_ends, number_ends = lists
    width = len(of_rest)
    row = 0
    at = 0
    first_number = 0
    for k in range(len(row_ends)):
        numbers = number_ends[k] - first_number
        while row < row_ends[k]:
            for o in range(width):
                seen_rows[row, o] = thing[row, o] + of_rest[o]
            for i in range(numbers):
                x = np.float32(observation[listed[at + i]])
                if x != 0.0:
                    x *= scale[listed[at + i]]
                    for o in range(width):
                        seen_rows[row, o] += x * rows[first_number + i, o]
            at += numbers
            row += 1
        first_number = number_ends[k]


@kernel
def _see_places(observation, board, scale, layers, of_rest, seen):
    """Compute the features of all places, layer by layer; return which half of ``seen`` is last."""
    planes, framed, line = board
    first, thing, more, more_bias = layers
    num_places = len(planes)
    width = len(of_rest)
    for p in range(num_places):
        for o in range(width):
            seen[0, framed[p] * width + o] = thing[p, o] + of_rest[o]
    after = seen[0]
    alone = first.shape[1] == 1
    for p in range(num_places):
        for i in range(planes.shape[1]):
            x = np.float32(observation[planes[p, i]])
            if x != 0.0:
                x *= scale[planes[p, i]]
                if alone:
                    at = framed[p] * width
                    for o in range(width):
                        after[at + o] += x * first[i, 0, o]
                else:
                    _add_around(after, x, first, i, framed[p], line, width)
    now = 0
    for layer in range(len(more)):
        before = seen[now]
        now = 1 - now
        after = seen[now]
        around = more[layer]
        for p in range(num_places):
            for o in range(width):
                after[framed[p] * width + o] = more_bias[layer, o]
        for p in range(num_places):
            for i in range(width):
                x = before[framed[p] * width + i]
                if x > 0.0:
                    _add_around(after, x, around, i, framed[p], line, width)
    return now


@kernel
def _head_of(seen, ends, head):
    for h in range(len(head)):
        head[h] = 0.0
    for i in range(len(seen)):
        x = seen[i]
        if x > 0.0:
            for h in range(len(head)):
                head[h] += x * ends[i, h]


@kernel
def _add_around(values, x, weights, i, middle, line, width):
    """Add ``x`` times its weights to the 3 x 3 places around ``middle``."""
    for above in range(3):
        # In a slice the compiler knows that no index is negative, and vectorizes the loop.
        base = (middle + (above - 1) * line - 1) * width
        around = values[base : base + 3 * width]
        for o in range(3 * width):
            around[o] += x * weights[i, above, o]


def make_network(
    about: Mapping[str, Any], arrays: Mapping[str, np.ndarray], game: Game | None
) -> Network:
    """Restore a network from ``Network.about`` and ``Network.arrays``.

    Raises:
        ValueError: they don't fit together, or ``game``, which those of kind mlp don't need.
    """
    check_fields(about, {"kind": TEXT})
    check_choice(about["kind"], KINDS, "kind of a policy")
    if about["kind"] == "board":
        if game is None:
            raise ValueError("a policy of kind board needs its game")
        about = {"valued_by": [], **about}
        check_fields(about, {"valued_by": TEXTS})
        return BoardNetwork(arrays, game, about["valued_by"])
    check_fields(about, {"activation": TEXT})
    return MlpNetwork(arrays, about["activation"])


def copy_network(policy: Any, game: Game) -> Network:
    """Return the weights of a MaskablePPO policy: a ``BoardPolicy`` or an ``MlpPolicy``.

    Raises:
        ValueError: it has layers that ``Network`` doesn't support.
    """
    if hasattr(policy, "board_arrays"):
        return BoardNetwork(policy.board_arrays(), game, policy.valued_by)
    from torch import nn

    kinds = {nn.ReLU: "relu", nn.Tanh: "tanh"}
    arrays: dict[str, np.ndarray] = {}
    used: set[str] = set()
    layers = [*policy.features_extractor.children(), *policy.mlp_extractor.policy_net]
    for module in [*layers, policy.action_net]:
        if type(module) in kinds:
            used.add(kinds[type(module)])
        elif isinstance(module, nn.Linear):
            k = len(arrays) // 2
            arrays[f"weight_{k}"] = module.weight.detach().cpu().numpy().T.copy()
            arrays[f"bias_{k}"] = module.bias.detach().cpu().numpy().copy()
        elif not isinstance(module, nn.Flatten):
            raise ValueError(
                f"the policy holds a {type(module).__name__}; agents support linear layers, "
                "ReLU and Tanh: use MlpPolicy"
            )
    if len(used) != 1:
        raise ValueError(f"the policy's activations are {sorted(used)}; use one kind")
    return MlpNetwork(arrays, used.pop())
