"""Self-play: rounds of games, in pieces that threads or actors share, and replay windows."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.interfaces.threads import run
from ludotheque.envs.core.loading import check_arrays, check_numbers
from ludotheque.envs.core.rng import GAMMA, mix64

from ..executors import gather, shared
from .agent import compile_for
from .model import form_of, make_tree, make_work, positions_of, stack
from .play import Lessons, Plan, Samples, Taken
from .tree import Method


class Played(NamedTuple):
    """Decisions of a round, or of a piece of it; they don't depend on who plays the pieces.

    Attributes:
        samples, lessons, taken: rows, piece after piece.
        games, plies: numbers of games and plies played.
    """

    samples: Samples
    lessons: Lessons
    taken: Taken
    games: int
    plies: int


class Round(NamedTuple):
    """Everything that determines a round; picklable, to be sent to actors.

    Attributes:
        settings: of the games.
        inputs: names of the fields that are the networks' inputs.
        networks: the first learns, the others are rivals (see ``Plan``).
        plans: settings of play and of search.
        kept: actions per decision that are kept as ``Taken``; 0 keeps no decisions.
        size: number of searched decisions that a piece keeps, and of actions for each.
        seed: of the round.
    """

    settings: Settings
    inputs: tuple[str, ...]
    networks: Sequence[Mapping[str, np.ndarray]]
    plans: tuple[Plan, Method]
    kept: int
    size: tuple[int, int]
    seed: np.uint64


class SelfPlay:
    """Plays rounds of games.

    Args:
        settings: of the games.
        inputs: names of the fields that are the networks' inputs.
        pieces: per round; each has the plan's number of rows, rounded up to whole games.
        num_threads: threads that share the pieces.
        kept: see ``Round``.
        actors: an executor that plays the pieces instead of threads (see ``executors``).
    """

    def __init__(
        self,
        settings: Settings,
        inputs: tuple[str, ...],
        pieces: int,
        num_threads: int = 1,
        kept: int = 0,
        actors: Any = None,
    ):
        self.settings = settings
        self.inputs = inputs
        self.num_threads = num_threads
        self.pieces = range(pieces)
        self.kept = kept
        self.actors = actors

    def play(
        self,
        networks: Sequence[Mapping[str, np.ndarray]],
        plans: tuple[Plan, Method],
        size: tuple[int, int],
        seed: np.uint64,
    ) -> Played:
        """Play a round; arguments as in ``Round``.

        Raises:
            ValueError: weights aren't finite, or an actor returned something unexpected.
        """
        for network in networks:
            for name, array in network.items():
                _check_weights(array, name)
        what = Round(self.settings, self.inputs, networks, plans, self.kept, size, seed)
        found: list[list[Played]] = []
        if self.actors is None:
            found = run(play_pieces, self.num_threads, self.pieces, what)
        else:
            with shared(self.actors, what) as there:
                pieces = [(self.pieces, piece, piece + 1, there) for piece in self.pieces]

                def take(piece: Any) -> None:
                    found.append(checked(piece, what))

                gather(self.actors, play_pieces, pieces, take)
        return _join(list(itertools.chain(*found)))


def _check_weights(array: np.ndarray, name: str) -> None:
    try:
        check_numbers(array, name)
    except ValueError as error:
        raise ValueError(
            f"the network has diverged ({error}): choose a lower learning_rate"
        ) from error


def play_pieces(pieces: Sequence[int], start: int, stop: int, what: Round) -> list[Played]:
    """Play some of a round's pieces, in any thread, process or machine."""
    game = what.settings.game
    plan, method = what.plans
    nets = stack(game, what.inputs, list(what.networks))
    work = make_work(game, nets, what.kept)
    tree = make_tree(game, method.simulations, method.limit)
    use = "play and search" if plan.search_share > 0 else "play"
    play_games = compile_for(game, use).play_games
    found = []
    for piece in pieces[start:stop]:
        with np.errstate(over="ignore"):
            seed = np.uint64(mix64(what.seed + GAMMA * np.uint64(piece + 1)))
        kept = _make_kept(what, nets.first.shape[1])
        counts = play_games(seed, what.settings.options, nets, work, tree, what.plans, kept)
        found.append(_cut(what, kept, counts))
    return found


def _make_kept(what: Round, inputs: int) -> tuple[Samples, Lessons, Taken]:
    """Return empty arrays for a piece."""
    game, seats = what.settings.game, what.settings.num_players
    # The last game is played to its end; with more than two players, a decision may give two rows.
    # Unused rows cost nothing.
    most = what.plans[0].rows + game.max_plies * min(seats, 2)
    rows = most if what.kept else 0
    return (
        _make_samples(most, game, seats),
        _make_lessons(game, *what.size),
        _make_taken(rows, rows * what.kept, inputs),
    )


def _cut(what: Round, kept: tuple[Samples, Lessons, Taken], counts: tuple[int, int, int]) -> Played:
    """Return the rows in use, and of the observations only the networks' inputs."""
    samples, lessons, taken = kept
    used, games, plies = counts
    samples = Samples(*(array[:used] for array in samples))
    samples = samples._replace(seen=samples.seen[:, columns_of(what.settings.game, what.inputs)])
    lessons = Lessons(*(array[: lessons.used[0]] for array in lessons))
    rows, afterstates = taken.used
    parts = {name: getattr(taken, name)[:rows] for name in Taken._fields}
    for name in ("seen", "base"):
        parts[name] = getattr(taken, name)[:afterstates]
    return Played(samples, lessons, Taken(**{**parts, "used": taken.used}), games, plies)


def columns_of(game: Game, inputs: tuple[str, ...]) -> Any:
    """Return the columns of the fields ``inputs`` in observations: a slice if that is all."""
    positions = positions_of(game, inputs)
    return slice(None) if len(positions) == game.observation_size(form_of(game)) else positions


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


def checked(found: Any, what: Round) -> list[Played]:
    """Return what an actor returned for a piece, once it is known to be one of ``what``.

    Raises:
        ValueError: it isn't; kernels and what is learned would use it unchecked.
    """
    try:
        (played,) = found
        if not isinstance(played, Played):
            raise TypeError(f"{played!r:.40} is no Played")
        _check_rows(played, what)
        _check_taken(played.taken)
        check_lessons(what.settings.game, what.settings.num_players, played.lessons._asdict())
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        raise ValueError(f"an actor returned something other than a piece: {error}") from error
    return found


def _check_rows(played: Played, what: Round) -> None:
    """Raise ValueError unless all arrays have the types and shapes of a piece."""
    check_whole(played.games, "games", 1)
    check_whole(played.plies, "plies", 1)
    inputs = len(positions_of(what.settings.game, what.inputs))
    like = Played(*_make_kept(what, inputs), 0, 0)
    like = like._replace(samples=like.samples._replace(seen=like.samples.seen[:, :inputs]))
    rows = {"samples": len(played.samples.seat), "lessons": len(played.lessons.action)}
    rows["taken"] = rows["samples"] if what.plans[0].keeps else 0
    for part, count in rows.items():
        for name, wanted in getattr(like, part)._asdict().items():
            array = getattr(getattr(played, part), name)
            sizes = {"used": min(count, 1) if part == "lessons" else wanted.shape[0]}
            if part == "taken" and name in ("seen", "base"):
                sizes[name] = int(played.taken.used[1])
            shape = (sizes.get(name, count), *wanted.shape[1:])
            check_arrays({name: array}, {name: (wanted.dtype, shape)})
    seats = played.samples.seat
    if not len(seats) or seats.min() < 0 or seats.max() >= what.settings.num_players:
        raise ValueError("seat names seats that there aren't")


def _check_taken(taken: Taken) -> None:
    """Raise ValueError unless the rows name afterstates that there are."""
    if not len(taken.first):
        return
    ends = taken.first + taken.count
    good = taken.first.min() >= 0 and taken.count.min() > 0 and ends.max() <= len(taken.seen)
    good &= taken.chosen.min() >= 0 and (taken.chosen < taken.count).all()
    if not good or not taken.likely.min() > 0:
        raise ValueError("taken names afterstates that there aren't")


def check_lessons(game: Game, num_players: int, lessons: Mapping[str, np.ndarray]) -> None:
    """Raise ValueError unless lessons could be those of a run.

    Records are possible, for ``num_players``, actions are legal there or -1, and policies and
    visits are shares.
    """
    states, actions = lessons["state"], lessons["action"]
    if not len(states):
        return
    game.check_states(states)
    others = states["num_players"] != num_players
    if others.any():
        found = int(states["num_players"][others][0])
        raise ValueError(f"a lesson is for {found} players, and the run for {num_players}")
    for name in ("policy", "visits"):
        check_numbers(lessons[name], f"{name} of the lessons", 1.001)
        if lessons[name].min() < 0:
            raise ValueError(f"{name} of the lessons holds {lessons[name].min():g}, below 0")
    count = len(states)
    seen = np.empty((count, game.observation_size()), game.observation_dtype)
    masks = np.empty((count, game.num_actions), np.int8)
    game.loops.views(states, 0, count, np.full(count, -1), 0, seen, masks)
    inside = (actions >= -1) & (actions < game.num_actions)
    legal = np.take_along_axis(masks, np.where(inside, actions, 0).clip(0).astype(np.int64), axis=1)
    wrong = np.flatnonzero((~inside | (actions >= 0) & (legal == 0)).any(axis=1))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(f"lesson {row} has actions {actions[row].tolist()}, not all legal")


def _join(pieces: Sequence[Played]) -> Played:
    """Return the rows of all pieces, concatenated."""
    taken = [piece.taken for piece in pieces]
    afterstates = np.array([one.used[1] for one in taken])
    before = np.cumsum(afterstates) - afterstates
    taken = [one._replace(first=one.first + n) for one, n in zip(taken, before, strict=True)]
    used = np.sum([one.used for one in taken], axis=0)
    return Played(
        Samples(*map(np.concatenate, zip(*(piece.samples for piece in pieces), strict=True))),
        Lessons(*map(np.concatenate, zip(*(piece.lessons for piece in pieces), strict=True))),
        Taken(*map(np.concatenate, zip(*taken, strict=True)))._replace(used=used),
        sum(piece.games for piece in pieces),
        sum(piece.plies for piece in pieces),
    )


def _make_samples(rows: int, game: Game, seats: int) -> Samples:
    return Samples(
        seen=np.empty((rows, game.observation_size(form_of(game))), np.int8),
        seat=np.empty(rows, np.int64),
        base=np.empty(rows, np.float32),
        value=np.empty(rows, np.float32),
        target=np.empty(rows, np.float32),
        outcome=np.empty((rows, 3, seats), np.float32),
        categories=np.empty((rows, len(game.categories)), np.float32),
    )


class Window:
    """A ring buffer: the newest rows overwrite the oldest.

    Attributes:
        arrays: by name, ``(capacity, ...)`` each.
        filled, place: number of rows in use, and position of the next row.
    """

    def __init__(self, **arrays: np.ndarray):
        self.arrays = arrays
        self.capacity = len(next(iter(arrays.values())))
        self.filled = 0
        self.place = 0

    def add(self, **new: np.ndarray) -> None:
        """Add rows to all arrays."""
        count = len(next(iter(new.values())))
        rows = (self.place + np.arange(count)) % self.capacity
        for name, array in self.arrays.items():
            array[rows] = new[name]
        self.filled = min(self.capacity, self.filled + count)
        self.place = (self.place + count) % self.capacity

    def get_state(self) -> dict[str, np.ndarray]:
        """Return the rows in use and the position of the next row."""
        used = {name: array[: self.filled] for name, array in self.arrays.items()}
        return {**used, "place": np.array([self.place])}

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` returned, from a window of the same capacity.

        Raises:
            ValueError: there are too many rows, or the position of the next one would leave a gap:
                rows that were never written would count as used.
        """
        filled = len(saved[next(iter(self.arrays))])
        check_whole(filled, "the number of rows", 0, self.capacity)
        place = check_whole(saved["place"][0], "place", 0, self.capacity - 1)
        if filled < self.capacity and place != filled:
            raise ValueError(
                f"place is {place}; after {filled} of {self.capacity} rows it is {filled}"
            )
        for name, array in self.arrays.items():
            array[:filled] = saved[name]
        self.filled, self.place = filled, place


def sample_window(capacity: int, inputs: int, outputs: int) -> Window:
    """Return a window of ``seen``, int8 ``(capacity, inputs)``, and ``goal``, float32
    ``(capacity, outputs)``: the target of each output of the network."""
    seen = np.empty((capacity, inputs), np.int8)
    return Window(seen=seen, goal=np.empty((capacity, outputs), np.float32))


def goals(samples: Samples) -> np.ndarray:
    """Return the targets of the network's outputs for samples."""
    outcome = samples.outcome.reshape(len(samples.seat), -1)
    goal = np.concatenate([outcome, samples.categories], axis=1)
    # The network's output is added to ``evaluate``.
    goal[:, 0] = samples.target - samples.base
    return goal


def lesson_window(game: Game, capacity: int, width: int) -> Window:
    """Return a window of the arrays of ``Lessons``."""
    arrays = _make_lessons(game, capacity, width)._asdict()
    del arrays["used"]
    return Window(**arrays)
