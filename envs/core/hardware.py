"""The processor of this machine, for the record of measurements."""

from __future__ import annotations

import os
import platform
from pathlib import Path

# Names the processor on Linux, where `platform.processor` usually knows the architecture only.
CPUINFO = Path("/proc/cpuinfo")


def processor_name() -> str:
    """Return the processor's model, or its architecture if the system doesn't tell."""
    otherwise = platform.processor() or platform.machine()
    try:
        lines = CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not on macOS or Windows
        return otherwise
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or otherwise


def count_cores() -> int | None:
    """Return the number of cores that this process may use; None if unknown."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count()
