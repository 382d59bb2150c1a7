"""Disks that are full at a chosen moment."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest


@contextmanager
def disk_full_at(path: Path) -> Iterator[None]:
    """Let the disk be full when the file ``path`` is replaced inside the block, which must fail."""
    replaced = os.replace

    def refuse(source: Any, target: Any, *args: Any, **named: Any) -> None:
        if str(target) == str(path):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(target))
        replaced(source, target, *args, **named)

    with pytest.MonkeyPatch.context() as patched, pytest.raises(OSError, match="No space left"):
        patched.setattr(os, "replace", refuse)
        yield
