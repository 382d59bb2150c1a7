"""Commands on machines that lack something: accents, a home, a name, colours, a display."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ludotheque.envs.core.jit import cache_dir

COMMANDS = {
    "games": ["games"],
    "watch": ["watch", "--game", "sarena", "--agents", "random", "--seed", "1", "--terminal"],
    "play": ["play", "--game", "sarena", "--seed", "1", "--terminal"],
}
ODD = {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80"}


def run(command: str, **more) -> subprocess.CompletedProcess:
    """Run a command without a home directory, whose output goes to a pipe."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    environment = {**kept, **ODD, **more.pop("environment", {})}
    # What other tests have compiled is taken from there, or compiled again.
    environment.setdefault("LUDOTHEQUE_CACHE_DIR", str(cache_dir() or ""))
    return subprocess.run(
        [sys.executable, "-m", "ludotheque.cli", *COMMANDS[command]],
        input=b"moves\nquit\n",
        capture_output=True,
        env=environment,
        timeout=300,
        check=False,
        **more,
    )


def check(done: subprocess.CompletedProcess) -> None:
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    assert b"Traceback" not in done.stderr and b"\x1b[" not in done.stdout


@pytest.mark.parametrize("encoding", ["cp932", "ascii"])
@pytest.mark.parametrize("command", COMMANDS)
def test_output_without_accents(command, encoding):
    done = run(command, environment={"PYTHONIOENCODING": encoding})
    check(done)
    text = done.stdout.decode(encoding, "replace")
    if command == "games":
        assert "sarena" in text and max(map(len, text.splitlines())) <= 80


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0, reason="only the superuser can be another user"
)
@pytest.mark.parametrize("command", ["games", "watch"])
def test_a_user_without_name_home_or_anything_to_write(command):
    try:
        done = run(command, user=54321, group=54321, cwd="/")
    except PermissionError:
        pytest.skip("the interpreter lies in a folder that other users can't enter")
    check(done)
