"""Saving and loading positions: records of one game, including edited ones."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .errors import StateError
from .files import atomic_write_bytes
from .loading import MEGABYTE, TEXT, WHOLE, Source, check_fits

if TYPE_CHECKING:
    from .game import Game

ABOUT, RECORDS = "ludotheque.json", "records.npz"
MOST_BYTES = {ABOUT: MEGABYTE, RECORDS: 256 * MEGABYTE}
# More than an array's header, and than compression adds to what can't be compressed.
_NPY_HEADER = MEGABYTE
_FIELDS = {"game": TEXT, "version": WHOLE, "layout": TEXT}


def save_states(game: Game, states: np.ndarray, path: str | Path) -> None:
    """Write records ``(n,)`` of ``game``; see ``Game.save_states``."""
    states = np.atleast_1d(np.asarray(states))
    if states.dtype != game.dtype or states.ndim != 1:
        raise StateError(
            f"got {states.dtype.type.__name__} of shape {states.shape}; give records of {game!r}, "
            "as game.new_state and env.get_state return them"
        )
    about = {"game": game.name, "version": game.version, "layout": _layout(game)}
    unpacked = _bytes_of(states)
    size = unpacked.nbytes + _NPY_HEADER
    check_fits(path, size, MOST_BYTES[RECORDS], "write fewer records to a file", RECORDS)
    records = io.BytesIO()
    np.savez_compressed(records, records=unpacked)
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr(ABOUT, json.dumps(about, indent=2))
        archive.writestr(RECORDS, records.getvalue())
    atomic_write_bytes(path, whole.getvalue())


def load_states(game: Game, path: str | Path) -> np.ndarray:
    """Return the records ``(n,)`` of a file; see ``Game.load_states``."""
    source = Source(Path(path), "file of positions", "give one that game.save_states wrote")
    members = source.read_members(MOST_BYTES)
    about = source.parse(members[ABOUT], ABOUT, _FIELDS)
    written = f"{about['game']}_v{about['version']}"
    if written != f"{game.name}_v{game.version}" or about["layout"] != _layout(game):
        raise source.error(
            f"it contains records of {written}, but this package has "
            f"{game.name}_v{game.version}, or another record layout"
        )
    found = source.unpack_arrays(members[RECORDS], MOST_BYTES[RECORDS])
    count = len(found["records"]) if "records" in found and found["records"].ndim else 0
    source.check_arrays(found, {"records": (np.uint8, (count, game.dtype.itemsize))})
    states = np.frombuffer(found["records"].tobytes(), game.dtype).copy()
    try:
        game.check_states(states, playable=False)
    except StateError as error:
        raise source.error(error) from error
    return states


def _bytes_of(states: np.ndarray) -> np.ndarray:
    """Return the records' bytes, uint8 ``(n, itemsize)``, with zeros between fields."""
    whole = np.zeros(len(states), states.dtype)
    for name in states.dtype.names or ():
        whole[name] = states[name]
    return whole.view(np.uint8).reshape(len(states), -1)


def _layout(game: Game) -> str:
    """Return a digest of the records' memory layout."""
    return hashlib.sha256(repr(game.dtype.descr).encode()).hexdigest()[:16]
