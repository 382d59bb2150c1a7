"""Self-play: a round of games in pieces that threads share, and the newest decisions of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.interfaces.threads import run
from ludotheque.envs.core.rng import GAMMA, mix64

from .agent import compile_for
from .kernels import Plan, Samples
from .model import make_work, positions_of, stack


class Played(NamedTuple):
    """Decisions of a round, piece after piece: the same whatever the number of threads.

    Attributes:
        samples: rows of all pieces.
        games, plies: how many were played.
    """

    samples: Samples
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
    """

    def __init__(
        self, settings: Settings, inputs: tuple[str, ...], pieces: int, rows: int, num_threads: int
    ):
        self.settings = settings
        self.inputs = inputs
        self.num_threads = num_threads
        self.pieces = np.arange(pieces)
        game = settings.game
        size = game.observation_size()
        positions = positions_of(game, inputs)
        self._columns: Any = slice(None) if len(positions) == size else positions
        # A game begun before the piece is full is played to its end. Rows not used cost nothing.
        most = rows + game.max_plies
        self._buffers = [_make_samples(most, size, settings.num_players) for _ in range(pieces)]

    def play(
        self, networks: Sequence[Mapping[str, np.ndarray]], plan: Plan, seed: np.uint64
    ) -> Played:
        """Play a round; ``networks[0]`` learns, the others are rivals (see ``Plan``)."""
        nets = stack(self.settings.game, self.inputs, list(networks))
        counts = run(self._play_pieces, self.num_threads, self.pieces, nets, plan, seed)
        flat = [count for some in counts for count in some]
        parts = [
            Samples(*(array[:used] for array in buffer))
            for buffer, (used, _, _) in zip(self._buffers, flat, strict=True)
        ]
        joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
        samples = Samples(*joined)
        samples = samples._replace(seen=samples.seen[:, self._columns])
        return Played(samples, sum(c[1] for c in flat), sum(c[2] for c in flat))

    def _play_pieces(self, pieces, start, stop, nets, plan, seed) -> list[tuple[int, int, int]]:
        work = make_work(self.settings.game, nets)
        play_games = compile_for(self.settings.game).play_games
        counts = []
        for piece in range(start, stop):
            with np.errstate(over="ignore"):
                own = np.uint64(mix64(seed + GAMMA * np.uint64(piece + 1)))
            samples = self._buffers[piece]
            counts.append(play_games(own, self.settings.options, nets, plan, work, samples))
        return counts


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
    """The newest decisions, as many as it holds; older ones are overwritten.

    Attributes:
        arrays: ``seen`` int8 ``(capacity, inputs)``, ``goal`` float32 ``(capacity, 3 * seats)``:
            what each output of the network should be.
        filled, place: rows in use, and where the next goes.
    """

    def __init__(self, capacity: int, inputs: int, seats: int):
        self.arrays: dict[str, np.ndarray] = {
            "seen": np.empty((capacity, inputs), np.int8),
            "goal": np.empty((capacity, 3 * seats), np.float32),
        }
        self.filled = 0
        self.place = 0

    def add(self, samples: Samples) -> None:
        """Take in the samples of a round."""
        goal = samples.outcome.reshape(len(samples.seat), -1).copy()
        # The network adds to what ``evaluate`` says.
        goal[:, 0] = samples.target - samples.base
        capacity = len(self.arrays["seen"])
        rows = (self.place + np.arange(len(goal))) % capacity
        self.arrays["seen"][rows] = samples.seen
        self.arrays["goal"][rows] = goal
        self.filled = min(capacity, self.filled + len(goal))
        self.place = (self.place + len(goal)) % capacity

    def get_state(self) -> dict[str, np.ndarray]:
        """Return the rows in use and the place."""
        used = {name: array[: self.filled] for name, array in self.arrays.items()}
        return {**used, "place": np.array([self.place])}

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Undo ``get_state``; raise ValueError for a place beyond the rows."""
        self.filled = len(saved["seen"])
        self.place = check_whole(saved["place"][0], "place", 0, len(self.arrays["seen"]) - 1)
        for name, array in self.arrays.items():
            array[: self.filled] = saved[name]
