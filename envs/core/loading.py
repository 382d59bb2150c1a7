"""Safe reading of untrusted files: models, runs, replays and leagues.

Files that are too large are rejected before they are unpacked, no code in them is run, and the
result has the requested fields, types and shapes. Any problem raises ``FileError``, which names the
file, what was found, what was expected and what to do.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import reprlib
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from .errors import FileError, TooLargeError, is_whole

MEGABYTE = 1 << 20
# Of JSON: lists and objects inside each other.
MOST_LEVELS = 100
_TOO_DEEP = f"lists or objects are nested too deeply; {MOST_LEVELS} levels are allowed"
# Weights of trained networks are far below this; sums of larger ones might overflow.
LARGEST_WEIGHT = 1e6
# The start of a small array in numpy's format: version 1.0, header length, header.
_NPY = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '([<|][iuf][1248])', 'fortran_order': (False|True), "
    rb"'shape': \(((?:\d{1,12}(?:, |,|(?=\))))*)\), \} *\n",
    re.DOTALL,
)
# At the end of a zip file: a record of 22 bytes that may be followed by a comment; in files that
# need 64 bits, another of 56 bytes and its locator of 20 precede it.
_END, _LONG_END, _LOCATOR = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_END_SIZE, _LONG_END_SIZE, _LOCATOR_SIZE = 22, 56, 20
_LONGEST_TAIL = (1 << 16) + _END_SIZE + _LOCATOR_SIZE + _LONG_END_SIZE

Shapes = Mapping[str, tuple[Any, tuple[int, ...]]]


class Kind(NamedTuple):
    """A kind of JSON value: its description, and a test whether a value is of that kind."""

    words: str
    holds: Callable[[Any], bool]


def _is_number(value: Any) -> bool:
    return (is_whole(value) and abs(value) < 1 << 64) or (
        isinstance(value, float) and math.isfinite(value)
    )


def _list_of(kind: Kind) -> Kind:
    return Kind(
        f"a list of {kind.words.split(' ', 1)[1]}s",
        lambda value: isinstance(value, (list, tuple)) and all(map(kind.holds, value)),
    )


def or_null(kind: Kind) -> Kind:
    """Return a kind that also allows null."""
    return Kind(f"{kind.words} or null", lambda value: value is None or kind.holds(value))


TEXT = Kind("a text", lambda value: isinstance(value, str))
FLAG = Kind("true or false", lambda value: isinstance(value, bool))
WHOLE = Kind("a whole number", lambda value: is_whole(value) and abs(value) < 1 << 64)
COUNT = Kind("a count", lambda value: is_whole(value) and 0 <= value < 1 << 64)
POSITIVE = Kind("a whole number from 1 up", lambda value: is_whole(value) and 0 < value < 1 << 64)
NUMBER = Kind("a number", _is_number)
SECONDS = Kind("a number from 0 up", lambda value: _is_number(value) and value >= 0)
OBJECT = Kind("an object", lambda value: isinstance(value, dict))
TEXTS, WHOLES, COUNTS = map(_list_of, (TEXT, WHOLE, COUNT))
NUMBERS, OBJECTS = map(_list_of, (NUMBER, OBJECT))


def check_fits(
    path: str | os.PathLike, size: int, most: int, remedy: str, what: str = "it"
) -> None:
    """Check, before a file is written, that its reader's limit allows that many bytes.

    Args:
        path: the file.
        size: of the file or of ``what``, a part of it.
        most: the limit.
        remedy: what to do instead.
        what: the name of the part.

    Raises:
        TooLargeError: it doesn't.
    """
    if size > most:
        raise TooLargeError(
            f"{os.fspath(path)!r} isn't written: {what} would have {size:,} bytes; the limit is "
            f"{most:,}; {remedy}"
        )


@dataclass(frozen=True)
class Source:
    """A file to be read.

    Attributes:
        path: the path of the file.
        what: what it should be, in words: ``"model file"``.
        remedy: what to do if it isn't.
    """

    path: Path
    what: str
    remedy: str

    def error(self, problem: object) -> FileError:
        """Return the error for a problem with the file."""
        if isinstance(problem, Exception) and not isinstance(problem, ValueError):
            problem = repr(problem)
        return FileError(
            f"{str(self.path)!r} is not a {self.what}, or is damaged: {problem}; {self.remedy}"
        )

    def check_size(self, most: int) -> None:
        """Check that the file exists and has at most ``most`` bytes.

        Raises:
            OSError: it doesn't exist or can't be read.
            FileError: it is a folder, a pipe or a device, or larger.
        """
        found = os.stat(self.path)
        if not stat.S_ISREG(found.st_mode):
            raise self.error(
                "it is a folder" if stat.S_ISDIR(found.st_mode) else "it isn't a regular file"
            )
        if found.st_size > most:
            raise self.error(f"it has {found.st_size:,} bytes; the limit is {most:,}")

    def read_bytes(self, most: int) -> bytes:
        """Return the content. Raises the errors of ``check_size``."""
        self.check_size(most)
        with open(self.path, "rb") as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise self.error(f"it has more than {most:,} bytes")
        return data

    def read_text(self, most: int) -> str:
        """Return the content as text in UTF-8. Raises the errors of ``check_size``."""
        try:
            return self.read_bytes(most).decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error(f"it isn't UTF-8 text ({error})") from error

    def read_members(self, most: Mapping[str, int]) -> dict[str, bytes]:
        """Return members of a zip file, by name; ``most`` has the largest size of each.

        Raises:
            OSError, FileError: as in ``check_size``, or it isn't a zip file, or a member is
                missing.
        """
        # The rest of the file may be another library's: SB3 keeps a network seven times, as two
        # networks and two moments of each of their weights besides ours.
        self.check_size(8 * sum(most.values()) + MEGABYTE)
        with self._damage_told(), self._archive(self.path) as archive:
            return {name: self._unpack(archive, name, limit) for name, limit in most.items()}

    def parse(self, data: bytes | str, where: str, fields: Mapping[str, Kind]) -> dict[str, Any]:
        """Return the JSON object in ``data``, checked by ``check_fields``."""
        with self._damage_told(where):
            found = parse_json(data)
        self.check_fields(found, where, fields)
        return found

    def check_fields(self, found: Any, where: str, fields: Mapping[str, Kind]) -> None:
        """Check that ``found`` is an object with these fields, of these kinds; more are allowed.

        Raises:
            FileError: it isn't.
        """
        try:
            check_fields(found, fields)
        except ValueError as error:
            raise self.error(f"{where} {error}") from error

    def unpack_arrays(self, packed: bytes, most: int) -> dict[str, np.ndarray]:
        """Return the arrays in the content of an ``npz`` file.

        Raises:
            FileError: the content is invalid, an array isn't numeric, or there are more than
                ``most`` bytes.
        """
        found: dict[str, np.ndarray] = {}
        with self._damage_told("its arrays:"), self._archive(io.BytesIO(packed)) as archive:
            for info in archive.infolist():
                name = info.filename.removesuffix(".npy")
                if name in found:
                    raise self.error(f"two arrays are called {name!r}")
                data = self._unpack(archive, info.filename, most)
                most -= len(data)
                found[name] = _parse_array(data)
        return found

    def check_arrays(
        self, found: Mapping[str, np.ndarray], wanted: Shapes, largest: float = math.inf
    ) -> None:
        """Check names, types and shapes, and that numbers are finite and at most ``largest``.

        Raises:
            FileError: for the first problem found.
        """
        try:
            check_arrays(found, wanted, largest)
        except ValueError as error:
            raise self.error(error) from error

    @contextmanager
    def _archive(self, file: Path | io.BytesIO) -> Iterator[zipfile.ZipFile]:
        """Open a zip file, unless its directory, which is read whole, is large."""
        with open(file, "rb") if isinstance(file, Path) else file as opened:
            size = _directory_size(opened)
            if size > MEGABYTE:
                raise self.error(f"its directory has {size:,} bytes; the limit is {MEGABYTE:,}")
            with zipfile.ZipFile(opened) as archive:
                yield archive

    def _unpack(self, archive: zipfile.ZipFile, name: str, most: int) -> bytes:
        try:
            info = archive.getinfo(name)
        except KeyError:
            raise self.error(f"it has no member {name}") from None
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.error(f"{name} has an unknown compression ({info.compress_type})")
        if info.file_size > most:
            raise self.error(f"{name} has {info.file_size:,} bytes; the limit is {most:,}")
        with archive.open(info) as member:
            # Not archive.read(info), which unpacks up to a gigabyte before it looks at the size.
            return member.read(info.file_size + 1)

    def _damage_told(self, where: str = "") -> _DamageTold:
        return _DamageTold(self, where)


def _directory_size(file: BinaryIO) -> int:
    """Return the size of a zip file's directory as ``zipfile`` finds it, 0 if there is none."""
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - _LONGEST_TAIL))
    tail = file.read()
    at = len(tail) - _END_SIZE
    if not (tail[at : at + 4] == _END and tail.endswith(b"\0\0")):
        at = tail.rfind(_END)
    if at < 0:
        return 0
    locator = at - _LOCATOR_SIZE
    if tail[max(0, locator) : at].startswith(_LOCATOR):
        longer = tail[max(0, locator - _LONG_END_SIZE) : locator]
        if longer.startswith(_LONG_END):
            return int.from_bytes(longer[40:48], "little")
    return int.from_bytes(tail[at + 12 : at + 16], "little")


class _DamageTold:
    """Turn any error that a parser raises on invalid bytes into ``FileError``.

    Zip and JSON parsers raise more kinds of errors than they document, and different ones in
    different versions of Python.
    """

    def __init__(self, source: Source, where: str):
        self.source, self.where = source, where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, Exception) and not isinstance(error, (FileError, PermissionError)):
            told = f"{type(error).__name__}: {error}"
            raise self.source.error(f"{self.where} {told}".strip()) from error


def parse_json(data: bytes | str) -> Any:
    """Return the JSON value in ``data`` (UTF-8); raise ValueError if there is none.

    It has at most ``MOST_LEVELS`` levels, so that it can be copied, shown and written again.
    """
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError(_TOO_DEEP) from error
    if text.count("[") + text.count("{") > MOST_LEVELS and _is_deep(value):
        raise ValueError(_TOO_DEEP)
    return value


def _is_deep(value: Any) -> bool:
    level: list[Any] = [[value]]
    for _ in range(MOST_LEVELS + 1):
        parts = [one.values() if isinstance(one, dict) else one for one in level]
        level = [one for part in parts for one in part if isinstance(one, (dict, list))]
        if not level:
            return False
    return True


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


def check_fields(found: Any, fields: Mapping[str, Kind]) -> None:
    """Raise ValueError unless ``found`` is an object with ``fields``; see ``Source``."""
    if not isinstance(found, dict):
        raise ValueError(f"is not an object but {_short(found)}")
    missing = [name for name in fields if name not in found]
    if missing:
        raise ValueError(f"has no {', '.join(missing)}")
    for name, kind in fields.items():
        if not kind.holds(found[name]):
            raise ValueError(f"has {name} {_short(found[name])}, which should be {kind.words}")


def check_arrays(
    found: Mapping[str, np.ndarray], wanted: Shapes, largest: float = math.inf
) -> None:
    """Raise ValueError unless the arrays match ``wanted``; see ``Source``."""
    if set(found) != set(wanted):
        differing = sorted(set(found) ^ set(wanted))
        raise ValueError(
            f"it has {len(found)} arrays instead of {len(wanted)}; see {differing[:3]}"
        )
    for name, (dtype, shape) in wanted.items():
        array = found[name]
        if array.dtype != dtype or array.shape != tuple(shape):
            raise ValueError(
                f"{name} is {array.dtype} {array.shape}, not {np.dtype(dtype)} {tuple(shape)}"
            )
        check_numbers(array, name, largest)


def check_numbers(array: np.ndarray, name: str, largest: float = LARGEST_WEIGHT) -> None:
    """Raise ValueError for numbers that aren't finite, or larger than ``largest``."""
    if array.dtype.kind != "f" or not array.size:
        return
    low, high = float(array.min()), float(array.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError(f"{name} holds numbers that aren't finite")
    if max(-low, high) > largest:
        raise ValueError(f"{name} holds {max(-low, high):g}; the limit is {largest:g}")


def _parse_array(data: bytes) -> np.ndarray:
    """Return the array in the content of an ``npy`` file; raise ValueError unless it is numeric."""
    header = _NPY.match(data)
    if header is None or header.end() != 10 + int.from_bytes(header[1], "little"):
        raise ValueError("an array's header isn't that of a numeric array written by numpy.savez")
    dtype = np.dtype(header[2].decode())
    shape = tuple(int(size) for size in header[4].replace(b",", b" ").split())
    if math.prod(shape) * dtype.itemsize != len(data) - header.end():
        raise ValueError(f"an array of shape {shape} has {len(data) - header.end()} bytes")
    flat = np.frombuffer(data, dtype, offset=header.end())
    return flat.reshape(shape, order="F" if header[3] == b"True" else "C").copy()


def _short(value: Any) -> str:
    # Not repr: a value in which lists are repeated within lists may have no end.
    text = reprlib.repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
