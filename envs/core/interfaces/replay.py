"""Replays: a game's seed, variants and actions in notation, as one line of JSON per game."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..arguments import check_seed, read_options
from ..errors import FileError, LudothequeError, StateError, is_name, is_whole
from ..files import atomic_path, atomic_write_bytes
from ..loading import (
    COUNT,
    MEGABYTE,
    NUMBERS,
    TEXT,
    WHOLES,
    Source,
    check_fits,
    or_null,
    parse_json,
)
from ..state import copied
from .registry import get_game
from .settings import unpickling

# Enough for a hundred thousand games.
MOST_BYTES = 512 * MEGABYTE
# The rules for illegal actions that a replay can have: a penalty leaves no trace in a game.
RULES = ("raise", "lose")
# Notation for a number outside the action space that lost the game.
NO_ACTION = "no action"


@dataclass
class Replay:
    """A game from the deal to its last action.

    Attributes:
        game, version: the game and its version; other versions may have other rules or action
            numbers.
        num_players, seed, options: the arguments of the deal.
        actions: in notation, in order.
        illegal: the rule for illegal actions; with ``"lose"`` the last action may be illegal.
        agents: the agent at each seat, without control characters; informative only.
        scores, ranks: the results, if the game is over.
        digest: of the state after the last action, including hidden parts and chance.
    """

    game: str
    num_players: int
    seed: int
    actions: list[str] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)
    version: int | None = None
    illegal: str = "raise"
    agents: list[str] | None = None
    scores: list[float] | None = None
    ranks: list[int] | None = None
    digest: str | None = None

    def __post_init__(self):
        kinds = {"game": str, "num_players": int, "seed": int, "actions": list, "options": dict}
        for name, kind in kinds.items():
            value = getattr(self, name)
            if not isinstance(value, kind) or isinstance(value, bool):
                raise StateError(
                    f"{name} of a replay is {getattr(self, name)!r}; it must be {kind.__name__}"
                )
        _check_contents(self)
        # Options may hold lists and dicts that the game played is still using.
        self.options = copy.deepcopy(self.options)
        current = get_game(self.game).version
        if self.version is None:
            self.version = current
        if self.version != current:
            raise StateError(
                f"this replay is of {self.game}_v{self.version}, and this package plays "
                f"{self.game}_v{current}: play it with the package that wrote it"
            )

    def __setstate__(self, state: dict[str, Any]) -> None:
        # As a line of a file is.
        with unpickling(Replay):
            self.__init__(**state)  # type: ignore[misc]

    @classmethod
    def record(
        cls, game: str, num_players: int, seed: int, actions: Iterable[int], **fields: Any
    ) -> Replay:
        """Return the replay of ``actions`` (numbers or notation), with results and digest.

        Raises:
            StateError: an action is illegal in its position.
        """
        replay = cls(game, num_players, int(seed), **fields)
        rules = get_game(game)
        states = replay._deal()
        for action in actions:
            number = _number(rules, action, states)
            known = 0 <= number < rules.num_actions
            told = rules.action_to_string(number, states[0]) if known else NO_ACTION
            replay.actions.append(told)
            replay._play(states, number)
        replay.digest = rules.digest(states)
        if states["terminated"][0] or states["truncated"][0]:
            scores, ranks = rules.returns(states)
            replay.scores, replay.ranks = scores.tolist(), ranks.tolist()
        return replay

    def states(self) -> Iterator[np.ndarray]:
        """Yield the ``(1,)`` records before the first action and after each, as copies.

        Raises:
            StateError: an action is illegal in its position.
        """
        rules = get_game(self.game)
        states = self._deal()
        yield copied(states)
        for text in self.actions:
            self._play(states, _number(rules, text, states))
            yield copied(states)

    def action_numbers(self) -> list[int]:
        """Return the actions as numbers."""
        rules = get_game(self.game)
        return [
            _number(rules, text, states)
            for text, states in zip(self.actions, self.states(), strict=False)
        ]

    def verify(self) -> np.ndarray:
        """Replay the game and return its last record, of shape ``(1,)``.

        Raises:
            StateError: an action is illegal, or the state, scores or ranks differ from those
                recorded.
        """
        *_, states = self.states()
        rules = get_game(self.game)
        if self.digest is not None and rules.digest(states) != self.digest:
            raise StateError(
                f"after {len(self.actions)} actions the state's digest is {rules.digest(states)}, "
                f"the replay says {self.digest}: the file was edited or the rules differ"
            )
        scores, ranks = rules.returns(states)
        if self.scores is not None and scores.tolist() != self.scores:
            raise StateError(f"scores are {scores.tolist()}, the replay says {self.scores}")
        if self.ranks is not None and ranks.tolist() != self.ranks:
            raise StateError(f"ranks are {ranks.tolist()}, the replay says {self.ranks}")
        return states

    def to_json(self) -> str:
        """Return the replay as one line of JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> Replay:
        """Return the replay in a line of JSON, or raise StateError."""
        try:
            replay = cls(**parse_json(line))
            read_options(get_game(replay.game), replay.num_players, replay.options)
            check_seed(replay.seed)
        except StateError:
            raise
        except (ValueError, TypeError) as error:
            # Also an unknown game, option or number of players.
            raise StateError(f"this line is not a replay: {error}") from error
        return replay

    def save(self, path: str | Path) -> None:
        """Write this replay to a file of its own."""
        save_replays([self], path)

    def save_gif(self, path: str | Path, seat: int | None = None, ms_per_frame: int = 700) -> None:
        """Write the game as an animated GIF as seen by ``seat`` (None: everything)."""
        from ..drawing.canvas import save_gif

        with atomic_path(Path(path)) as aside:
            save_gif(list(self.frames(seat)), aside, ms_per_frame)

    def frames(self, seat: int | None = None) -> Iterator[np.ndarray]:
        """Yield a picture (uint8 ``(height, width, 3)``) of each state."""
        rules = get_game(self.game)
        last = None
        for k, states in enumerate(self.states()):
            yield rules.draw(states[0], seat, last).rgb()
            if k < len(self.actions):
                last = _number(rules, self.actions[k], states)

    def _deal(self) -> np.ndarray:
        return get_game(self.game).new_state(self.seed, self.num_players, **self.options)

    def _play(self, states: np.ndarray, action: int) -> None:
        rules = get_game(self.game)
        ply = int(states["ply"][0])
        try:
            rules.step(states, action, illegal=self.illegal)
        except LudothequeError as error:
            raise StateError(f"ply {ply} of the replay can't be played: {error}") from error


def _check_contents(replay: Replay) -> None:
    """Raise StateError for invalid contents."""
    if replay.illegal not in RULES:
        raise StateError(
            f"illegal of a replay is {replay.illegal!r}; it must be {' or '.join(map(repr, RULES))}"
        )
    for ply, action in enumerate(replay.actions):
        if not isinstance(action, str) and not is_whole(action):
            raise StateError(
                f"action {ply} of a replay is {action!r}; it must be notation or a number"
            )
    kinds = {"version": COUNT, "scores": NUMBERS, "ranks": WHOLES, "digest": TEXT}
    for name, kind in kinds.items():
        value = getattr(replay, name)
        if not or_null(kind).holds(value):
            raise StateError(f"{name} of a replay is {value!r}; it must be {kind.words}, or null")
    names = replay.agents
    if names is None:
        return
    listed = isinstance(names, (list, tuple)) and len(names) == replay.num_players
    if not listed or not all(isinstance(name, str) for name in names):
        raise StateError(
            f"agents of a replay are {names!r}; they must be {replay.num_players} names, or null"
        )
    if not all(map(is_name, names)):
        raise StateError(
            f"agents of a replay are {names!r}; names can't contain control characters, or bytes "
            "that aren't UTF-8"
        )


def _number(rules, action: int | str, states: np.ndarray) -> int:
    if not isinstance(action, str):
        if not is_whole(action):
            raise StateError(f"{action!r} is not an action; give notation or a whole number")
        return int(action)
    if action == NO_ACTION:
        return -1
    try:
        return rules.action_from_string(action, states[0])
    except ValueError as error:
        raise StateError(f"ply {int(states['ply'][0])} of the replay: {error}") from error


def save_replays(replays: Iterable[Replay], path: str | Path) -> None:
    """Write replays to a file, one line of JSON each; the file is replaced atomically.

    Raises:
        TooLargeError: there are more than ``load_replays`` reads; nothing is written.
    """
    data = "".join(replay.to_json() + "\n" for replay in replays).encode("utf-8")
    check_fits(path, len(data), MOST_BYTES, "write fewer games to a file")
    atomic_write_bytes(path, data)


def load_replays(path: str | Path) -> list[Replay]:
    """Return the replays of a file.

    Raises:
        FileError: a line is not a replay, or is of another version; the message names the line.
            Also if the file isn't text, or is larger than 512 megabytes.
    """
    replays = []
    source = Source(Path(path), "file of replays", "give one that Replay.save or `--save` wrote")
    text = source.read_text(MOST_BYTES)
    # Not splitlines(): it breaks lines at characters that JSON allows inside a name.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                replays.append(Replay.from_json(line))
            except StateError as error:
                raise FileError(f"{path}, line {number}: {error}") from error
    return replays
