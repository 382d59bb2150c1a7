"""The folder of a league: its settings, and one line of JSON for each finished game.

``league.json`` contains the settings and never changes. ``games.jsonl`` is append-only. A batch of
games is written at once and flushed to disk, so a crash can only truncate the end of the file, or
leave zeros there; such an end is dropped when the file is next opened. Anything else that isn't a
result is an error: it may be somebody's work.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ludotheque.envs.core.files import atomic_write_bytes, lock_folder
from ludotheque.envs.core.loading import (
    COUNT,
    COUNTS,
    MEGABYTE,
    NUMBERS,
    OBJECT,
    TEXT,
    TEXTS,
    Source,
    check_fields,
    check_fits,
    parse_json,
)

CONFIG, GAMES, TABLE = "league.json", "games.jsonl", "table.json"
_log = logging.getLogger("ludotheque.league")


_FIELDS = {
    "deal": COUNT,
    "seats": TEXTS,
    "seed": COUNT,
    "scores": NUMBERS,
    "ranks": COUNTS,
    "rewards": NUMBERS,
    "actions": COUNTS,
}
_CONFIG = {
    "game": TEXT,
    "version": COUNT,
    "num_players": COUNT,
    "options": OBJECT,
    "reward": TEXT,
    "seed": COUNT,
    "agents": OBJECT,
}
# Limits for all games, several million, and for the settings.
MOST_BYTES = 2048 * MEGABYTE
MOST_CONFIG = MEGABYTE
# The start of every line; and of numbers up to the largest score, sums are finite.
_START = b'{"deal":'
_LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class GameRecord:
    """A finished game; tuples are indexed by seat.

    Attributes:
        deal: number of the deal; every table plays the same deals in every seating.
        seats: agents by seat.
        seed: seed of the deal, for ``game.new_state``.
        scores, ranks, rewards: the result; rank 1 is best, ties share.
        actions: action numbers in order.
    """

    deal: int
    seats: tuple[str, ...]
    seed: int
    scores: tuple[float, ...]
    ranks: tuple[int, ...]
    rewards: tuple[float, ...]
    actions: tuple[int, ...]

    @property
    def key(self) -> tuple[int, tuple[str, ...]]:
        """The game's unique key in the league."""
        return self.deal, self.seats

    def to_line(self) -> str:
        """Return the game as a line of JSON, including the newline."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":")) + "\n"

    @classmethod
    def from_line(cls, line: bytes) -> GameRecord:
        """Return the game in a line; raise ValueError if there is none."""
        fields = parse_json(line)
        check_fields(fields, _FIELDS)
        ranks = fields["ranks"]
        lengths = {len(fields[name]) for name in ("seats", "scores", "ranks", "rewards")}
        wrong = len(lengths) != 1 or ranks != true_ranks(ranks)
        wrong = wrong or not are_results((*fields["scores"], *fields["rewards"]))
        if set(fields) != set(_FIELDS) or wrong:
            raise ValueError("no result of a game")
        values: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in fields.items()
        }
        return cls(**values)


def true_ranks(ranks: Sequence[int]) -> list[int]:
    """Return the ranks in the order of ``ranks``: one more than how many are better."""
    return [1 + sum(other < rank for other in ranks) for rank in ranks]


def are_results(numbers: Iterable[float]) -> bool:
    """Return whether a game can have these scores and rewards, which are float32."""
    return all(abs(number) <= _LARGEST for number in numbers)


class Ledger:
    """The results of one league in a folder.

    Args:
        folder: the folder, created if necessary.
        config: the settings of the league as JSON values.
        resume: continue the league in the folder.

    Raises:
        FileExistsError: the folder contains results, and ``resume`` is False.
        ValueError: the folder contains another league; the message names the differences.
        TooLargeError: the settings couldn't be read again.
        OSError: the folder can't be created or written.
    """

    def __init__(self, folder: Path, config: dict[str, Any], resume: bool):
        self.folder = folder
        self.path = folder / GAMES
        self.config = config
        self._held = ExitStack()
        self._file: Any = None
        self._end = 0
        try:
            self._prepare(resume)
        except (FileExistsError, NotADirectoryError, PermissionError) as error:
            if error.errno is None:
                raise
            raise type(error)(
                f"can't keep a league's results in {folder}: {error.strerror}; name a folder that "
                "can be made and written"
            ) from error

    def _prepare(self, resume: bool) -> None:
        size = len(self._settings())
        check_fits(self.folder / CONFIG, size, MOST_CONFIG, "give the agents shorter names")
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._has_games() and not resume:
            raise FileExistsError(
                f"{self.folder} already holds results of a league: continue it with resume=True, "
                "or name another folder"
            )
        self._compare()

    def _settings(self) -> bytes:
        return (json.dumps(self.config, indent=2, ensure_ascii=False) + "\n").encode("utf-8")

    def _has_games(self) -> bool:
        return self.path.exists() and self.path.stat().st_size > 0

    def _compare(self) -> dict[str, Any] | None:
        """Return the folder's league; raise ValueError if it has games of another one."""
        kept = read_config(self.folder)
        if self._has_games():
            _compare(self.folder, kept, self.config)
        return kept

    def __enter__(self) -> Ledger:
        """Open for ``append``, which only one process at a time can do; nothing is written yet."""
        with ExitStack() as held:
            held.enter_context(lock_folder(self.folder, "a league", (CONFIG, TABLE)))
            if self._compare() != self.config:
                atomic_write_bytes(self.folder / CONFIG, self._settings())
            self.path.touch()
            self._file = held.enter_context(open(self.path, "r+b", buffering=0))
            self._held = held.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()
        self._file = None

    def load(self) -> list[GameRecord]:
        """Return the finished games, without an incomplete end left by a crash.

        While the ledger is open, the incomplete end is also removed from the file and logged.

        Raises:
            ValueError: a line isn't a result, nor what a crash leaves at the end.
        """
        games, good_end, bad_line, end = [], 0, 0, 0
        if not self.path.exists():
            return []
        data = _source(self.path).read_bytes(MOST_BYTES)
        for number, line in enumerate(data.splitlines(keepends=True), start=1):
            end += len(line)
            game = _read(line)
            if game is None and _is_torn(line, end == len(data)):
                bad_line = bad_line or number
            elif game is None or bad_line:
                raise ValueError(
                    f"{self.path}, line {bad_line or number}: this is not a result, and not what a "
                    "crash leaves at the end: the file was edited, or is of another version. "
                    "Delete that line, or name another folder"
                )
            else:
                games.append(game)
                good_end = end
        if bad_line and self._file:
            torn = len(data) - good_end
            _log.warning("%s: dropped a torn end of %d bytes, left by a crash", self.path, torn)
            self._file.truncate(good_end)
        self._end = good_end
        return games

    def append(self, games: Iterable[GameRecord]) -> None:
        """Append games and flush them to disk. Ctrl-C is delayed until this is done.

        Raises:
            TooLargeError: ``load`` couldn't read all games again; nothing is written.
        """
        data = "".join(game.to_line() for game in games).encode("utf-8")
        start = self._end
        remedy = "ask for fewer games, or play others in another folder with another seed"
        check_fits(self.path, start + len(data), MOST_BYTES, remedy)
        try:
            self._write(start, data)
        except KeyboardInterrupt:
            self._write(start, data)
            raise

    def _write(self, start: int, data: bytes) -> None:
        """Replace the contents of the file from ``start`` on with ``data``."""
        self._file.truncate(start)
        self._file.seek(start)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            # For example on a full disk: no partial line may precede what is written next.
            self._file.truncate(start)
            error.filename = str(self.path)
            raise
        self._end = start + len(data)


def read_config(folder: Path) -> dict[str, Any] | None:
    """Return the contents of ``league.json``, or None; raise FileError if it is damaged."""
    path = folder / CONFIG
    if not path.is_file():
        return None
    source = _source(path)
    return source.parse(source.read_bytes(MOST_CONFIG), "it", _CONFIG)


def _source(path: Path) -> Source:
    return Source(path, "file of a league", "name another folder")


def _read(line: bytes) -> GameRecord | None:
    # A complete line ends in a newline: without it, even valid JSON may be a truncated number.
    if not line.endswith(b"\n"):
        return None
    try:
        return GameRecord.from_line(line)
    except ValueError:
        return None


def _is_torn(line: bytes, is_last: bool) -> bool:
    """Return whether a crash may leave such a line at the end, or it is empty."""
    cut_off = is_last and not line.endswith(b"\n")
    cut_off &= line.startswith(_START) or _START.startswith(line)
    # Zeros in place of blocks. In UTF-16, only every other byte is zero.
    return cut_off or b"\0\0" in line or not line.strip()


def _compare(folder: Path, kept: dict[str, Any] | None, config: dict[str, Any]) -> None:
    if kept is None:
        raise ValueError(f"{folder} contains games but no {CONFIG}: name another folder")
    differences = [
        f"{key} is {kept.get(key)!r} there and {config.get(key)!r} here"
        for key in sorted({*kept, *config})
        if kept.get(key) != config.get(key)
    ]
    if differences:
        raise ValueError(
            f"{folder} holds another league ({'; '.join(differences)}): give the same arguments to "
            "continue it, or name another folder"
        )
