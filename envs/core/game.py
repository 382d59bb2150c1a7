"""The class ``Game``: a game's record type, kernels and notation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from .arguments import Option, check_action, check_seed, read_options
from .errors import (
    GameOverError,
    IllegalActionError,
    OutOfBoundsActionError,
    StateError,
    check_choice,
    check_whole,
    check_writeable,
)
from .loops import GAME_OVER, ILLEGAL, KERNELS, REFUSED, compile_loops
from .memo import make_memo
from .pictures import Pictures
from .schema import Field, explain, located, read, total_size
from .state import HEADER, copied
from .validity import Validity

# "flat": everything, as numbers; "planes": everything, on the board's grid; "compact": a few
# numbers, the most relevant.
OBSERVATION_FORMS = ("flat", "planes", "compact")


@dataclass(frozen=True, eq=False)
class Game(Pictures):
    """A game that fulfils the engine contract. Every interface is built on this class alone.

    Methods that take ``states`` trust what the records hold, since checking it takes longer than a
    step: kernels index arrays with it, and a record edited by hand may lead them out of bounds.
    Check such a record with ``check_states`` first, or edit it by ``set_position``, which does.
    So do ``load_states``, the ``set_state`` of every interface, and unpickling.

    Attributes:
        name: short name, an identifier, which is also the package's (``"sarena"``).
        title: the name on the box.
        version: of the environment; raised when results are no longer comparable.
        dtype: the record type of a game in progress.
        player_counts: the possible numbers of players; 1 is solo.
        num_actions: size of the action space, at most 32,767; action numbers are stable within a
            version.
        options: variants.
        flat, planes, compact: fields of the observation forms; the latter two may be empty.
        kernels: ``setup``, ``legal_actions``, ``is_legal``, ``random_action``, ``step``,
            ``observe``, ``observe_planes``, ``observe_compact``, ``returns``, ``determinize``,
            ``evaluate`` (record, seat, ``new_memo()`` → the value for the seat, which the memory
            doesn't change), ``glance`` (a faster ``evaluate`` for discarding weak actions; the same
            function if there is none), ``public_action`` (record → the public form of the last
            action: its number; ``num_actions`` if its details are hidden; -1 if it is entirely
            hidden), ``hidden_facts`` (fills the fields of that name, relative to a seat),
            ``points_by_category`` (record, seat, float32 array → fills the seat's points by
            ``categories``, as if the game ended now; in a dealt game their sum is its score).
        decode_action, encode_action: action number ↔ its parts by name.
        action_to_string, action_from_string: action number ↔ notation; both also take the state,
            which may be needed to name a card.
        targets: action number → what the action concerns in the flat observation: at most two pairs
            of a field's name and a row (for a map: a place, counted row by row), or nothing.
            Trained policies score actions by their targets; None if unspecified.
        search: settings for ``MCTSAgent`` that suit the game better than its defaults.
        training: the same for ``TrainConfig``: reward and reward_scale.
        learning: settings for training that suit the game: ``method`` ("td", "search" or "policy"),
            ``inputs`` and ``limit`` (``TDConfig``), ``exploration``, ``scale`` and ``playouts``
            (``TDAgent``); others keep their defaults.
        camps: for games whose players change camps between rounds: record → ``(round, camps,
            winner)`` of the last finished round, None before the end of the first. Rounds count
            from 0; ``camps`` names the camp of each seat, ``winner`` the camp that won.
        hides_action: for games with hidden actions: ``(record, seat)`` → whether the last action is
            hidden from the seat.
        hidden_facts: fields of what a seat can't know but can infer from the others' play, such as
            the roles, by seats after its own. Their probabilities can be learned
            (``agents.td.beliefs``). Empty if there are none.
        categories: names of the kinds of points that a seat's score is the sum of, which networks
            learn to predict (``agents.td``). Empty if there is one kind.
        limits: the limits of a record's fields (``validity.Limits``); ``kernels`` then also has
            ``check`` and ``derive``.
        memo_rows: how many values ``evaluate`` can remember; a power of 2.
        package: importable package of a game outside ``ludotheque.envs``, with its ``GAME`` and its
            pictures in ``table``; empty for games inside.
        check_options: called with the plain values of all options; raises ValueError if they are
            incompatible.

    Raises:
        ValueError: an attribute that interfaces and records build on is invalid.
    """

    name: str
    title: str
    version: int
    dtype: np.dtype
    player_counts: tuple[int, ...]
    num_actions: int
    max_plies: int
    options: tuple[Option, ...]
    flat: tuple[Field, ...]
    planes: tuple[Field, ...]
    kernels: Mapping[str, Any]
    decode_action: Callable[[int], dict[str, Any]]
    encode_action: Callable[[dict[str, Any]], int]
    action_to_string: Callable[..., str]
    action_from_string: Callable[..., int]
    targets: Callable[[int], tuple[tuple[str, int], ...]] | None = None
    camps: Callable[[np.void], tuple[int, tuple[str, ...], str] | None] | None = None
    hides_action: Callable[[np.void, int], bool] | None = None
    search: Mapping[str, Any] = field(default_factory=dict)
    training: Mapping[str, Any] = field(default_factory=dict)
    learning: Mapping[str, Any] = field(default_factory=dict)
    check_options: Callable[[Mapping[str, Any]], None] | None = None
    observation_dtype: np.dtype = field(default_factory=lambda: np.dtype(np.int8))
    limits: Mapping[str, Any] = field(default_factory=dict)
    package: str = ""
    compact: tuple[Field, ...] = ()
    hidden_facts: tuple[Field, ...] = ()
    categories: tuple[str, ...] = ()
    memo_rows: int = 1

    def __post_init__(self) -> None:
        _check(self)
        for form in (*OBSERVATION_FORMS, "hidden_facts"):
            object.__setattr__(self, form, located(getattr(self, form)))

    def __repr__(self) -> str:
        return f"<Game {self.name}_v{self.version}>"

    def __reduce__(self):
        return load_game, (self.home,)

    def __deepcopy__(self, memo) -> Game:
        return self

    @property
    def home(self) -> str:
        """The package that defines the game; its attribute ``GAME`` is this object."""
        return self.package or f"{__package__.rpartition('.')[0]}.{self.name}"

    @property
    def max_players(self) -> int:
        return max(self.player_counts)

    @property
    def usual_players(self) -> int:
        """Default number of players: 2, or the fewest the game allows if 2 can't play."""
        return 2 if 2 in self.player_counts else min(self.player_counts)

    @property
    def observation_forms(self) -> tuple[str, ...]:
        return tuple(form for form in OBSERVATION_FORMS if getattr(self, form))

    @cached_property
    def loops(self) -> SimpleNamespace:
        """The batch loops of this game with flat observations."""
        return compile_loops(self.name, self.num_actions, self._loop_kernels("observe"))

    @cached_property
    def _loops_by_form(self) -> dict[str, SimpleNamespace]:
        return {"flat": self.loops}

    def loops_for(self, form: str) -> SimpleNamespace:
        """Return the batch loops that write observations of ``form``."""
        made = self._loops_by_form
        if form not in made:
            check_choice(form, self.observation_forms, f"observation of {self.name}")
            kernels = self._loop_kernels(f"observe_{form}")
            name = f"{self.name}_{form}"
            made[form] = compile_loops(name, self.num_actions, kernels, made=self.loops)
        return made[form]

    def _loop_kernels(self, observe: str) -> dict[str, Any]:
        return {name: self.kernels[observe if name == "observe" else name] for name in KERNELS}

    def observation_schema(self, form: str = "flat") -> tuple[Field, ...]:
        """Return the fields of an observation form, in order."""
        check_choice(form, self.observation_forms, f"observation of {self.name}")
        return getattr(self, form)

    def observation_size(self, form: str = "flat") -> int:
        """Return the size of an observation."""
        return total_size(self.observation_schema(form))

    def observation_shape(self, form: str = "flat") -> tuple[int, ...]:
        """Return ``(size,)``, or ``(planes, rows, columns)``."""
        size = self.observation_size(form)
        if form != "planes":
            return (size,)
        grid = self.planes[0].shape[1:]
        return (size // int(np.prod(grid)), *grid)

    def read(self, observation: Any, form: str = "flat") -> dict[str, np.ndarray]:
        """Return the fields of an observation by name, as views.

        Args:
            observation: an observation of ``form``, or an array of several, ``(..., *shape)``, or
                the dictionary returned by an environment.
            form: the form of the observation.

        Raises:
            ValueError: the shape is wrong.

        Example:
            ``game.read(observation)["secret"]``
        """
        numbers = observation["observation"] if isinstance(observation, Mapping) else observation
        numbers, shape = np.asarray(numbers), self.observation_shape(form)
        ahead = numbers.shape[: max(0, numbers.ndim - len(shape))]
        if numbers.shape != (*ahead, *shape):
            raise ValueError(
                f"an observation of shape {numbers.shape} is not one of {self.name} in the form "
                f"{form!r}, which has {shape}; forms: {', '.join(self.observation_forms)}"
            )
        return read(self.observation_schema(form), numbers.reshape(*ahead, -1))

    def explain(self, number: int, form: str = "flat") -> str:
        """Describe number ``number`` of a (flattened) observation in words.

        Raises:
            ValueError: there is no such number.
        """
        number = check_whole(number, "number", 0, self.observation_size(form) - 1)
        return explain(self.observation_schema(form), number)

    def encode_options(self, num_players: int, **options: Any) -> np.ndarray:
        """Return the int64 array that ``setup`` reads: number of players, then options.

        Options with ``Option.read`` have as many numbers as it returns.

        Raises:
            ValueError: invalid number of players or option value.
            TypeError: the game has no such option.
        """
        return read_options(self, num_players, options)[1]

    def new_states(self, count: int) -> np.ndarray:
        """Return ``count`` blank records."""
        return np.zeros(count, dtype=self.dtype)

    def new_memo(self) -> np.ndarray:
        """Return an empty memory for ``evaluate`` and ``glance``, to be used by one thread."""
        return make_memo(self.memo_rows)

    def new_state(self, seed: int, num_players: int | None = None, **options: Any) -> np.ndarray:
        """Deal one game from ``seed`` (0 to 2**64 - 1); return a ``(1,)`` array of records.

        ``num_players`` defaults to 2 if the game allows it, otherwise to the fewest players.
        """
        if num_players is None:
            num_players = self.usual_players
        states = self.new_states(1)
        encoded = self.encode_options(num_players, **options)
        self.loops.deal(states, 0, 1, np.array([check_seed(seed)], dtype=np.uint64), encoded)
        return states

    def legal_mask(self, states: np.ndarray, i: int = 0) -> np.ndarray:
        """Return the int8 mask ``(num_actions,)`` of game ``i``; all zeros once it is over.

        Raises:
            StateError: the records are of another game; so in all methods with ``states`` and
                ``i``.
            ValueError: there is no game ``i``; likewise.
        """
        i = self._row(states, i)
        mask = np.empty(self.num_actions, dtype=np.int8)
        self.loops.turn(states, i, mask, np.empty(3, np.int64))
        return mask

    def observe(self, states: np.ndarray, seat: int, i: int = 0, form: str = "flat") -> np.ndarray:
        """Return what ``seat`` observes in game ``i``."""
        i = self._row(states, i)
        check_choice(seat, range(int(states["num_players"][i])), "seat")
        observation = np.empty(self.observation_size(form), dtype=self.observation_dtype)
        self.loops_for(form).view(states, i, seat, observation)
        return observation.reshape(self.observation_shape(form))

    def step(self, states: np.ndarray, action: int, i: int = 0, *, illegal: str = "raise") -> None:
        """Play ``action`` in game ``i``, in place; ``illegal`` as in every interface.

        The record is trusted, as in all methods that take ``states``: see ``Game``.

        Raises:
            IllegalActionError: the action is not legal; the state is unchanged.
            GameOverError: the game has ended.
            StateError: the array can't be written.
            ValueError: unknown ``illegal`` mode.
        """
        check_choice(illegal, ILLEGAL, "illegal")
        i = self._row(states, i)
        check_writeable(states)
        count = self.max_players
        rewards, scores = np.empty((2, count), dtype=np.float32)
        ranks = np.empty(count, dtype=np.int64)
        rule = (ILLEGAL.index(illegal), 0.0, 0)
        seen = np.empty(self.num_actions, np.int8), np.empty(3, np.int64)
        one = states[i : i + 1]
        code = self.loops.play(one, check_action(action), rule, rewards, scores, ranks, *seen)
        if code in (REFUSED, GAME_OVER):
            self.raise_refusal(states, i, action, code)

    def returns(self, states: np.ndarray, i: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """Return ``(scores, ranks)`` of the seats: final, or as if the game ended now.

        Omniscient before the end: part of the others' points may be hidden.
        Scores are float32; ranks int64, 1 is best and equal results share a rank.
        """
        i = self._row(states, i)
        scores = np.zeros((len(states), self.max_players), dtype=np.float32)
        ranks = np.zeros((len(states), self.max_players), dtype=np.int64)
        self.loops.results(states, i, i + 1, scores, ranks)
        seats = int(states["num_players"][i])
        return scores[i, :seats], ranks[i, :seats]

    def points_by_category(self, states: np.ndarray, seat: int, i: int = 0) -> dict[str, float]:
        """Return a seat's points in game ``i`` by ``categories``, as if the game ended now.

        Omniscient, as ``returns`` is. Empty for games with one kind of points.
        """
        i = self._row(states, i)
        check_choice(seat, range(int(states["num_players"][i])), "seat")
        points = np.full(len(self.categories), np.nan, dtype=np.float32)
        self.kernels["points_by_category"](states[i], seat, points)
        return dict(zip(self.categories, points.tolist(), strict=True))

    def determinize(self, states: np.ndarray, seat: int, seed: int, i: int = 0) -> np.ndarray:
        """Return a ``(1,)`` copy of game ``i``, with all that ``seat`` can't know resampled."""
        i = self._row(states, i)
        check_choice(seat, range(int(states["num_players"][i])), "seat")
        copy = copied(states[i : i + 1])
        seeds = np.array([check_seed(seed)], dtype=np.uint64)
        self.loops.redraw(copy, 0, 1, np.array([seat], dtype=np.int64), seeds)
        return copy

    @cached_property
    def _validity(self) -> Validity:
        return Validity(self)

    def check_states(self, states: np.ndarray, playable: bool = True) -> None:
        """Check whether records ``(n,)`` are valid positions.

        Compiled on first use. With ``playable``, games must be over or have legal actions.

        Raises:
            StateError: a record isn't a valid position; the message names the record and the field.
        """
        self._validity.check(states, playable)

    def set_position(
        self, states: np.ndarray, i: int = 0, *, playable: bool = True, **position: Any
    ) -> None:
        """Set ``states[i]`` to any position; if an error is raised, it is unchanged.

        Args:
            states: records ``(n,)`` of dealt games; the number of players and options are kept.
            i: index of the game.
            playable: refuse a position in which nobody has a legal action though the game isn't
                over, now or after some action. False sets such a position for its points and its
                picture; neither interfaces nor agents take it.
            position: depends on the game; ``help(f"{game.home}.position.set_position")`` lists it.

        Raises:
            ValueError, TypeError: the position is invalid; the message names the part, or what is
                missing to play on.
        """
        import_module(f"{self.home}.position").set_position(
            states, i, playable=playable, **position
        )

    def save_states(self, states: np.ndarray, path: str | Path) -> None:
        """Write records ``(n,)``, including edited ones, to a file atomically.

        Records contain hidden information. To save played games as text, use ``Replay``.

        Raises:
            StateError: the records are of another game.
            OSError: the file can't be written.
        """
        from .positions import save_states

        save_states(self, states, path)

    def load_states(self, path: str | Path) -> np.ndarray:
        """Return the validated records ``(n,)`` from a file written by `save_states`.

        Raises:
            FileError: the file is invalid or of another game or version, or a record is invalid.
            OSError: the file doesn't exist or can't be read.
        """
        from .positions import load_states

        return load_states(self, path)

    def digest(self, states: np.ndarray, i: int = 0) -> str:
        """Return a hex digest of the whole state of game ``i``, including hidden parts and chance.

        Omniscient for anyone who can enumerate what may be hidden. Computed field by field, so
        that padding between fields doesn't matter.
        """
        i = self._row(states, i)
        hasher = hashlib.sha256(f"{self.name}_v{self.version}".encode())
        record = states[i : i + 1].tobytes()
        for part in self._fields_in_bytes:
            hasher.update(record[part])
        return hasher.hexdigest()

    @cached_property
    def _fields_in_bytes(self) -> list[slice]:
        """The bytes of a record that belong to fields, in order: neighbours in one slice."""
        found: list[slice] = []
        fields: Any = self.dtype.fields or {}
        for kind, start, *_ in (fields[name] for name in self.dtype.names or ()):
            end = start + kind.itemsize
            if found and found[-1].stop == start:
                start = found.pop().start
            found.append(slice(start, end))
        return found

    def legal_actions_text(self, states: np.ndarray, i: int = 0) -> list[str]:
        """Return the notation of every legal action of game ``i``."""
        legal = np.flatnonzero(self.legal_mask(states, i))
        return [self.action_to_string(int(action), states[i]) for action in legal]

    def _row(self, states: np.ndarray, i: int) -> int:
        """Return ``i`` if it is valid, which kernels don't check."""
        if getattr(states, "dtype", None) != self.dtype or states.ndim != 1:
            raise StateError(
                f"states is {type(states).__name__}; give records (n,) of {self!r}, as new_state "
                "returns them"
            )
        return check_whole(i, "i, the index of the game,", 0, len(states) - 1)

    def raise_refusal(self, states: np.ndarray, i: int, action: Any, code: int = REFUSED) -> None:
        """Raise the error for an ``action`` that game ``i`` rejected with ``code``."""
        state = states[i]
        if code == GAME_OVER:
            raise GameOverError(f"this game of {self.title} is over: reset it before the next step")
        if not 0 <= action < self.num_actions:
            raise OutOfBoundsActionError(
                f"action is not in action space: {action!r}; {self.name} has actions "
                f"0 to {self.num_actions - 1}"
            )
        # The number of legal actions would reveal the seat's hand to anyone who reads the message,
        # and the ply would reveal to the seat how many hidden decisions others have taken.
        raise IllegalActionError(
            f"action {action} ({self.action_to_string(int(action), state)}) is not legal for "
            f"seat {state['to_play']} of {self.title} now: "
            "choose one where action_mask is 1"
        )


def _check(game: Game) -> None:
    """Raise ValueError for what would fail later: in a record's header, an id or a file's name."""
    of = f"of {game.name!r}"
    if not (isinstance(game.name, str) and game.name.isidentifier()):
        raise ValueError(
            f"name {of} isn't an identifier, such as 'sarena': folders are named by it"
        )
    if not (isinstance(game.title, str) and game.title.isprintable() and game.title.strip()):
        raise ValueError(f"title {of} is {game.title!r}; give the name on the box")
    check_whole(game.version, f"version {of}")
    if not isinstance(game.player_counts, tuple) or not game.player_counts:
        raise ValueError(f"player_counts {of} is {game.player_counts!r}; give a tuple of counts")
    for count in game.player_counts:
        check_whole(count, f"a count in player_counts {of}", 1, np.iinfo(np.int8).max)
    # Histories also hold num_actions itself.
    check_whole(game.num_actions, f"num_actions {of}", 1, np.iinfo(np.int16).max)
    check_whole(game.max_plies, f"max_plies {of}", 1, np.iinfo(np.int32).max)
    header = [name for name, *_ in HEADER]
    if list(game.dtype.names or ())[: len(header)] != header:
        raise ValueError(f"dtype {of} doesn't begin with the common header: use game_dtype")


def load_game(package: str) -> Game:
    """Return the game defined in ``package``, which is how pickled games are restored."""
    return import_module(package).GAME
