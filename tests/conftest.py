"""Fixtures for the whole suite."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
GAMES = ("sagani", "harmonies", "saga", "shamans", "sarena")
# Their fixtures take long to make: not in two workers.
ALONE = ("test_browser", "test_jit_cache", "test_nojit", "test_packaging", "test_toy")
# Their tests play Sàrèná where they name no game.
ON_SARENA = (
    "test_agents",
    "test_batch",
    "test_guest",
    "test_gymnasium",
    "test_league",
    "test_pettingzoo",
    "test_server",
    "test_widget",
)

# Rewrite their asserts, so that failures are explained as in tests.
pytest.register_assert_rewrite("knowledge", "pictures", "serving")

# No test may depend on a display, or open a window if there happens to be one.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("MPLBACKEND", "agg")
# Test compiled code, here and in the processes that tests start.
os.environ.setdefault("LUDOTHEQUE_COMPILE_AFTER", "0")

# Two workers share two cores: torch's threads would only wait for each other there.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that starts this in the background makes it ignore Ctrl-C, and its subprocesses too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """Give all tests of a game to one worker, so that no two compile its kernels.

    Not by group marks: pytest-xdist 3.8 silently loses them under pytest 9.2.
    """
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Groups(config, log)


def group_of(nodeid: str) -> str:
    """Return the group of a test: its module, its game, or the test itself."""
    path, _, name = nodeid.partition("::")
    folder, stem = Path(path).parent.name, Path(path).stem
    words = re.split(r"[^a-z]+", f"{name} {folder}")
    if stem in ALONE:
        return stem
    usual = "sarena" if stem in ON_SARENA else nodeid
    return next((game for game in GAMES if game in words), usual)


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository's top folder."""
    return ROOT


def _handed_over(name: str) -> Path:
    """A folder from outside, kept beside the checkout; skips the test if there is none."""
    folder = ROOT.parent / "shared" / name
    if not folder.is_dir():
        pytest.skip(f"compares with files from outside, and there is no folder {folder}")
    return folder


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """Positions, traces and scores from outside."""
    return _handed_over("cases")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Component data from outside."""
    return _handed_over("data")


@pytest.fixture(scope="session")
def run_python() -> Callable[..., subprocess.CompletedProcess]:
    """Run Python code in a separate process: `run_python(code, **environment)`.

    Compiled kernels are shared with this process through the folder of LUDOTHEQUE_CACHE_DIR, or
    the default one.
    """

    def run(code: str, timeout: float = 300, **environment: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, **environment},
        )

    return run


@pytest.fixture(autouse=True, scope="session")
def _threads_for_few_games() -> None:
    """Let threads share batches that are too small to benefit."""
    from ludotheque.envs.core.interfaces import batch

    batch.LEAST_SLICE = 0
