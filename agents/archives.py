"""Files of JSON values and arrays, which contain no code."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ludotheque.envs.core.files import atomic_path
from ludotheque.envs.core.loading import MEGABYTE, Kind, Source, check_fits

ARRAYS = "arrays.npz"
# Maximum sizes of a model's arrays, and of JSON values: 30,000 evaluations of a run.
MOST_BYTES = 256 * MEGABYTE
MOST_TEXT = 8 * MEGABYTE
# What is larger than a model is no more than this many times as large as its file.
EXPANSION = 32


def write_archive(
    path: str | os.PathLike,
    name: str,
    about: dict[str, Any],
    arrays: Mapping[str, np.ndarray],
    level: int = 1,
    most: int | None = None,
) -> None:
    """Write JSON values and arrays to a zip file, whole or not at all; the same bytes each time.

    Args:
        path: the file.
        name: of the member with the JSON values.
        about, arrays: the contents.
        level: of the compression.
        most: bytes of the arrays; by default those of a model.

    Raises:
        TooLargeError: there is more than ``read_archive`` accepts.
    """
    text = json.dumps(about)
    check_fits(path, len(text), MOST_TEXT, "shorten what is kept there", name)
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    size = packed.getbuffer().nbytes
    check_fits(path, size, MOST_BYTES if most is None else most, "use a smaller network", ARRAYS)
    with atomic_path(path) as temporary:
        for kind in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            with zipfile.ZipFile(temporary, "w") as archive:
                for member, data in ((name, text), (ARRAYS, packed.getbuffer())):
                    # A fixed date, so that equal models are equal files.
                    archive.writestr(zipfile.ZipInfo(member), data, kind, level)
            if size <= _unpacks_to(temporary):
                break


def read_archive(
    source: Source, name: str, fields: Mapping[str, Kind], most: int = MOST_BYTES
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Undo ``write_archive``.

    Args:
        source: the file.
        name: of the member with the JSON values.
        fields: of these values.
        most: bytes of the arrays.

    Raises:
        OSError, FileError: see ``Source``.
    """
    # Or a small file could take all memory, since the settings beside it can ask for any size.
    most = min(most, _unpacks_to(source.path)) if source.path.exists() else most
    data = source.read_members({name: MOST_TEXT, ARRAYS: most})
    about = source.parse(data[name], name, fields)
    return about, source.unpack_arrays(data[ARRAYS], most)


def _unpacks_to(path: Path) -> int:
    """Return how many bytes the arrays in a file may have, if they are those of a large run."""
    return max(MOST_BYTES, EXPANSION * path.stat().st_size)
