"""Files of JSON values and arrays, which contain no code."""

from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from ludotheque.envs.core.files import atomic_path
from ludotheque.envs.core.loading import MEGABYTE, Kind, Source

ARRAYS = "arrays.npz"
# Maximum size of a model's arrays.
MOST_BYTES = 256 * MEGABYTE


def write_archive(
    path: str | os.PathLike,
    name: str,
    about: dict[str, Any],
    arrays: Mapping[str, np.ndarray],
    level: int = 1,
) -> None:
    """Write JSON values and arrays to a zip file, whole or not at all; the same bytes each time."""
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    with atomic_path(path) as temporary, zipfile.ZipFile(temporary, "w") as archive:
        for member, data in ((name, json.dumps(about, indent=2)), (ARRAYS, packed.getbuffer())):
            # A fixed date, so that equal models are equal files.
            info = zipfile.ZipInfo(member)
            archive.writestr(info, data, zipfile.ZIP_DEFLATED, level)


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
    data = source.read_members({name: MEGABYTE, ARRAYS: most})
    about = source.parse(data[name], name, fields)
    return about, source.unpack_arrays(data[ARRAYS], most)
