"""Run the command `ludotheque` in a separate process that has already loaded its modules.

Most of a short command's time is Python's start and its imports. Here each runs in a fork of a
process that has only done the imports.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ludotheque.cli import main

COMMAND = (sys.executable, "-m", "ludotheque.cli")
TIMEOUT = 300
LOADED = ("ludotheque.cli.app", "ludotheque.agents.training", "sb3_contrib", "tensorboard")
CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()


def run_command(
    arguments: tuple[str, ...], typed: str, environment: Mapping[str, str], fresh: bool = False
) -> subprocess.CompletedProcess:
    """Run the command to its end; with ``fresh``, in a new Python process."""
    if fresh or not CAN_FORK:
        return subprocess.run(
            [*COMMAND, *arguments],
            input=typed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=TIMEOUT,
            env=environment,
        )
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name, stream) for stream in ("stdin", "stdout", "stderr")]
        files[0].write_text(typed, encoding="utf-8")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(LOADED))
        where = (os.getcwd(), dict(environment), [str(path) for path in files])
        process = context.Process(target=_be_the_command, args=(arguments, *where))
        process.start()
        process.join(TIMEOUT)
        if process.exitcode is None:
            process.kill()
            raise subprocess.TimeoutExpired(list(arguments), TIMEOUT)
        said, told = (path.read_text(encoding="utf-8") for path in files[1:])
        return subprocess.CompletedProcess(arguments, process.exitcode, said, told)


def _be_the_command(arguments, folder, environment, files) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, (path, flags) in enumerate(
        zip(files, (os.O_RDONLY, *2 * (os.O_WRONLY | os.O_CREAT,)), strict=True)
    ):
        os.dup2(os.open(path, flags, 0o600), number)
    sys.stdin = io.TextIOWrapper(io.FileIO(0), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(io.FileIO(1, "w"), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(io.FileIO(2, "w"), encoding="utf-8", line_buffering=True)
    sys.argv = ["ludotheque", *arguments]
    main()
