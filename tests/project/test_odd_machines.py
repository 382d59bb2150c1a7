"""Commands on machines that lack something: accents, a home, a name, colours, a display."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest

from ludotheque.envs.core.jit import cache_dir

COMMANDS = {
    "games": ["games"],
    "watch": ["watch", "--game", "sarena", "--agents", "random", "--seed", "1", "--terminal"],
    "watch alone": [
        *("watch", "--game", "sagani", "--players", "1", "--agents", "random"),
        *("--seed", "1", "--terminal"),
    ],
    "play": ["play", "--game", "sarena", "--seed", "1", "--terminal"],
}
ODD = {"TERM": "dumb", "NO_COLOR": "1", "COLUMNS": "80"}


# A user without a name, who may read everything and write nothing: the interpreter may be in a home
# directory that others can't access.
NOBODY = ("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups")
READING = ("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search")


def run(command: str, *prefix: str, **more) -> subprocess.CompletedProcess:
    """Run a command without a home directory, whose output goes to a pipe."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    environment = {**kept, **ODD, **more.pop("environment", {})}
    # Kernels compiled by other tests are reused, or compiled again.
    environment.setdefault("LUDOTHEQUE_CACHE_DIR", str(cache_dir() or ""))
    return subprocess.run(
        [*prefix, sys.executable, "-m", "ludotheque.cli", *COMMANDS[command]],
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


def test_minus_signs_where_they_cannot_be_encoded():
    done = run("watch alone", environment={"PYTHONIOENCODING": "cp1252"})
    check(done)
    text = done.stdout.decode("cp1252")
    assert re.search(r"^-\d+ points", text, re.MULTILINE) and not re.search(r"\?\d", text)


@pytest.fixture(scope="module")
def nobody() -> tuple[str, ...]:
    """The prefix of a command that runs it as a user without a name."""
    if not hasattr(os, "getuid") or os.getuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only the superuser can be another user, and with setpriv")
    for prefix in ((*NOBODY, *READING), NOBODY):
        if not subprocess.run([*prefix, sys.executable, "-c", ""], capture_output=True).returncode:
            return prefix
    pytest.skip("nobody else can enter the interpreter's folder, nor may be let in")


@pytest.mark.parametrize("command", ["games", "watch"])
def test_a_user_without_name_home_or_anything_to_write(command, nobody, tmp_path):
    tmp_path.chmod(0o755)
    # If nothing is compiled, no folder is named, and no home directory is found.
    cache = {"LUDOTHEQUE_CACHE_DIR": ""} if command == "games" else {}
    check(run(command, *nobody, cwd=tmp_path, environment=cache))
    assert not list(tmp_path.iterdir())
