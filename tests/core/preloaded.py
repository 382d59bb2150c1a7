"""Run code in a separate process that has already loaded numba and Gymnasium.

Importing them takes half the time of a short program. Here each runs in a fork of a process that
has done only that: nothing of Ludothèque is imported or compiled.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from functools import cache
from importlib import invalidate_caches
from pathlib import Path

# Variables that numba reads on import; all others are set in the fork.
AT_IMPORT = {"NUMBA_OPT": "3", "NUMBA_DISABLE_JIT": "0"}
STREAMS = ("stdout", "stderr")


def can_run(environment: Mapping[str, str]) -> bool:
    """Return whether a fork is equivalent to a new Python with these variables."""
    settings = {name for name in environment if name.startswith("NUMBA_")}
    return hasattr(os, "fork") and settings <= set(AT_IMPORT)


def run(code: str, environment: Mapping[str, str]) -> tuple[int, str, str]:
    """Run ``code``; return its exit code and what it wrote to stdout and stderr."""
    server = _server(*(environment.get(name, usual) for name, usual in AT_IMPORT.items()))
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name, stream) for stream in STREAMS]
        job = {"code": code, "environment": dict(environment), "files": [*map(str, files)]}
        server.stdin.write(json.dumps(job) + "\n")
        server.stdin.flush()
        status = int(server.stdout.readline())
        out, err = (path.read_text(encoding="utf-8") for path in files)
    return status, out, err


@cache
def _server(*settings: str) -> subprocess.Popen:
    server = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **dict(zip(AT_IMPORT, settings, strict=True))},
    )
    atexit.register(server.communicate)  # the end of its input is its own
    return server


def _serve() -> None:
    import gymnasium  # noqa: F401
    import numba  # noqa: F401
    import pettingzoo  # noqa: F401

    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if not child:
            _be_a_new_python(**job)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _be_a_new_python(code: str, environment: dict[str, str], files: list[str]) -> None:
    status = 1
    try:
        for number, path in enumerate(files, start=1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), number)
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), encoding="utf-8")
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), encoding="utf-8", line_buffering=True)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[:1] = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
        sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
        sys.argv = ["-c"]
        invalidate_caches()
        exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})
        status = 0
    except SystemExit as leaving:
        status = leaving.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve()
