"""Pickles in which somebody has changed something."""

from __future__ import annotations

import io
import pickle
from typing import Any


def edited(whole: Any, part: Any, **changes: Any) -> bytes:
    """Return the pickle of ``whole`` in which attributes of ``part``, an object in it, differ."""

    class Editor(pickle.Pickler):
        def reducer_override(self, found: Any) -> Any:
            if found is not part:
                return NotImplemented
            build, arguments, state, *rest = found.__reduce_ex__(4)
            return (build, arguments, {**state, **changes}, *rest)

    written = io.BytesIO()
    Editor(written, pickle.HIGHEST_PROTOCOL).dump(whole)
    return written.getvalue()
