"""Self-play: a round of games in pieces that threads share, and the newest decisions of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.interfaces.threads import run
from ludotheque.envs.core.rng import GAMMA, mix64

from .agent import compile_for
from .model import form_of, make_tree, make_work, positions_of, stack
from .play import Lessons, Plan, Samples, Taken
from .tree import Method


class Played(NamedTuple):
    """Decisions of a round, piece after piece: the same whatever the number of threads.

    Attributes:
        samples, lessons, taken: rows of all pieces.
        games, plies: how many were played.
    """

    samples: Samples
    lessons: Lessons
    taken: Taken
    games: int
    plies: int


class SelfPlay:
    """Plays rounds of games.

    Args:
        settings: of the games.
        inputs: names of the fields that the networks see.
        pieces: of a round.
        rows: decisions of a piece, rounded up to whole games.
        num_threads: threads that share the pieces.
        kept: actions of a decision that are kept as ``Taken``; 0: decisions aren't kept.
    """

    def __init__(
        self,
        settings: Settings,
        inputs: tuple[str, ...],
        pieces: int,
        rows: int,
        num_threads: int,
        kept: int = 0,
    ):
        self.settings = settings
        self.inputs = inputs
        self.num_threads = num_threads
        self.pieces = np.arange(pieces)
        game = settings.game
        size = game.observation_size(form_of(game))
        positions = positions_of(game, inputs)
        self.columns: Any = slice(None) if len(positions) == size else positions
        # A game begun before the piece is full is played to its end; among more than two a decision
        # leaves two rows. Rows not used cost nothing.
        most = rows + game.max_plies * min(settings.num_players, 2)
        self._samples = [_make_samples(most, size, settings.num_players) for _ in range(pieces)]
        self.kept = kept
        rows = most if kept else 0
        self._taken = [_make_taken(rows, rows * kept, len(positions)) for _ in range(pieces)]

    def play(
        self,
        networks: Sequence[Mapping[str, np.ndarray]],
        plans: tuple[Plan, Method],
        size: tuple[int, int],
        seed: np.uint64,
    ) -> Played:
        """Play a round.

        Args:
            networks: the first learns, the others are rivals (see ``Plan``).
            plans: how games are played, and searched.
            size: how many searched decisions a piece keeps, and how many actions of each.
            seed: of the round.
        """
        game = self.settings.game
        nets = stack(game, self.inputs, list(networks))
        kept = [_make_lessons(game, *size) for _ in self.pieces]
        counts = run(self._play_pieces, self.num_threads, self.pieces, nets, plans, kept, seed)
        flat = [count for some in counts for count in some]
        parts = [
            Samples(*(array[:used] for array in buffer))
            for buffer, (used, _, _) in zip(self._samples, flat, strict=True)
        ]
        samples = Samples(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
        samples = samples._replace(seen=samples.seen[:, self.columns])
        found = [Lessons(*(array[: one.used[0]] for array in one)) for one in kept]
        lessons = Lessons(*(np.concatenate(arrays) for arrays in zip(*found, strict=True)))
        taken = _join_taken(self._taken)
        return Played(samples, lessons, taken, sum(c[1] for c in flat), sum(c[2] for c in flat))

    def _play_pieces(self, pieces, start, stop, nets, plans, kept, seed):
        game = self.settings.game
        work = make_work(game, nets, self.kept)
        tree = make_tree(game, plans[1].simulations, plans[1].limit)
        searches = plans[0].search_share > 0
        play_games = compile_for(game, "play and search" if searches else "play").play_games
        counts = []
        for piece in range(start, stop):
            with np.errstate(over="ignore"):
                own = np.uint64(mix64(seed + GAMMA * np.uint64(piece + 1)))
            arrays = (self._samples[piece], kept[piece], self._taken[piece])
            counts.append(play_games(own, self.settings.options, nets, work, tree, plans, arrays))
        return counts


def _make_lessons(game: Game, rows: int, width: int) -> Lessons:
    return Lessons(
        state=game.new_states(rows),
        action=np.empty((rows, width), np.int16),
        policy=np.empty((rows, width), np.float32),
        value=np.empty((rows, width), np.float32),
        visits=np.empty((rows, width), np.float32),
        used=np.zeros(1, np.int64),
    )


def _make_taken(rows: int, afterstates: int, inputs: int) -> Taken:
    return Taken(
        first=np.empty(rows, np.int64),
        count=np.empty(rows, np.int64),
        chosen=np.empty(rows, np.int64),
        likely=np.empty(rows, np.float32),
        expected=np.empty(rows, np.float32),
        seen=np.empty((afterstates, inputs), np.int8),
        base=np.empty(afterstates, np.float32),
        used=np.zeros(2, np.int64),
    )


def _join_taken(pieces: Sequence[Taken]) -> Taken:
    """Return the rows and afterstates in use of all pieces, one after the other."""
    used = np.array([one.used for one in pieces])
    before = np.cumsum(used[:, 1]) - used[:, 1]
    parts = [one._replace(first=one.first + n) for one, n in zip(pieces, before, strict=True)]
    joined = {}
    for name in Taken._fields:
        place = 1 if name in ("seen", "base") else 0
        arrays = [getattr(one, name)[: one.used[place]] for one in parts]
        joined[name] = np.concatenate(arrays)
    return Taken(**{**joined, "used": used.sum(0)})


def _make_samples(rows: int, size: int, seats: int) -> Samples:
    return Samples(
        seen=np.empty((rows, size), np.int8),
        seat=np.empty(rows, np.int64),
        base=np.empty(rows, np.float32),
        value=np.empty(rows, np.float32),
        target=np.empty(rows, np.float32),
        outcome=np.empty((rows, 3, seats), np.float32),
    )


class Window:
    """The newest rows, as many as it holds; older ones are overwritten.

    Attributes:
        arrays: by name, ``(capacity, ...)`` each.
        filled, place: rows in use, and where the next goes.
    """

    def __init__(self, **arrays: np.ndarray):
        self.arrays = arrays
        self.capacity = len(next(iter(arrays.values())))
        self.filled = 0
        self.place = 0

    def add(self, **new: np.ndarray) -> None:
        """Take in rows of all arrays."""
        count = len(next(iter(new.values())))
        rows = (self.place + np.arange(count)) % self.capacity
        for name, array in self.arrays.items():
            array[rows] = new[name]
        self.filled = min(self.capacity, self.filled + count)
        self.place = (self.place + count) % self.capacity

    def get_state(self) -> dict[str, np.ndarray]:
        """Return the rows in use and the place."""
        used = {name: array[: self.filled] for name, array in self.arrays.items()}
        return {**used, "place": np.array([self.place])}

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Undo ``get_state``; raise ValueError for a place beyond the rows."""
        self.filled = len(saved[next(iter(self.arrays))])
        self.place = check_whole(saved["place"][0], "place", 0, self.capacity - 1)
        for name, array in self.arrays.items():
            array[: self.filled] = saved[name]


def sample_window(capacity: int, inputs: int, seats: int) -> Window:
    """Return a window of ``seen`` int8 ``(capacity, inputs)`` and ``goal`` float32
    ``(capacity, 3 * seats)``: what each output of the network should be."""
    seen = np.empty((capacity, inputs), np.int8)
    return Window(seen=seen, goal=np.empty((capacity, 3 * seats), np.float32))


def goals(samples: Samples) -> np.ndarray:
    """Return what each output of the network should be for samples."""
    goal = samples.outcome.reshape(len(samples.seat), -1).copy()
    # The network adds to what ``evaluate`` says.
    goal[:, 0] = samples.target - samples.base
    return goal


def lesson_window(game: Game, capacity: int, width: int) -> Window:
    """Return a window of the arrays of ``Lessons``."""
    arrays = _make_lessons(game, capacity, width)._asdict()
    del arrays["used"]
    return Window(**arrays)
