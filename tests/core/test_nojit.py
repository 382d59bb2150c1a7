"""The kernels as plain Python: the same games, and nearly every line covered.

Compiled code is invisible to a debugger and to coverage. With NUMBA_DISABLE_JIT=1 the same source
runs as plain Python. Here some of the other tests run this way, which covers every line of the core
and of Sàrèná; and random games of every game, which must equal the compiled ones.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from coverage import Coverage
from play_everywhere import play

from ludotheque.envs import game_names
from ludotheque.envs.core.jit import JIT_DISABLED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(JIT_DISABLED, reason="the whole suite is running without JIT"),
]

# Rules against the oracle, the kit in one setting, every invariant, the recorded game.
SHARE = [
    "tests/games/sarena/test_sarena_differential.py::test_random_games[3-random]",
    "tests/games/sarena/test_sarena_differential.py::test_random_positions[4]",
    "tests/games/sarena/test_sarena_cases.py::test_recorded_position",
    "tests/games/sarena/test_sarena_cases.py::test_longest_game_has_45_plies",
    "tests/games/sarena/test_sarena_views.py::test_hidden_facts_are_the_others_colours",
    "tests/games/sarena/test_sarena_differential.py::test_nothing_may_be_played_after_the_end",
    "tests/core/test_invariants.py",
    "tests/core/test_rewards.py",
    "tests/core/test_bits_and_seats.py",
    "tests/core/test_contract.py",
    "tests/interfaces/test_gymnasium.py::test_equal_to_sync_vector_env[lose-SAME_STEP]",
    "tests/interfaces/test_gymnasium.py::test_random_opponents_in_kernels_and_as_agents_are_the_same",
    "tests/interfaces/test_batch.py::test_illegal_raises_and_changes_no_game",
    "tests/core/test_playthrough.py::test_recorded_game[sarena]",
    "tests/interfaces/test_history.py::test_interfaces_agree",
]
# Of the kit one setting of one game, and not the checks that take longest without compiling.
LEFT_OUT = (
    "turn_by_turn or rewards_add_up or first_player or redraws or in_other_forms or "
    "sarena-2 or sarena-4 or sarena-3-random or shows_pawns or saga or harmonies or shamans"
)
# Kernels, and the lines of each file that the share must reach, in percent.
KERNELS = {
    "core/bits.py": 100,
    "core/loops.py": 90,
    "core/rewards.py": 100,
    "core/rng.py": 95,
    # The code generation for clearing a record only applies when compiling.
    "core/state.py": 80,
    "sarena/heuristics.py": 100,
    "sarena/rules.py": 100,
    "sarena/hidden.py": 100,
    "sarena/observation.py": 100,
}


@pytest.fixture(scope="module")
def without_jit(root, tmp_path_factory) -> tuple[subprocess.CompletedProcess, dict]:
    """Pytest's output, and the coverage it measured."""
    folder = tmp_path_factory.mktemp("nojit")
    report = folder / "coverage.json"
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    env |= {"NUMBA_DISABLE_JIT": "1", "COVERAGE_FILE": str(folder / "coverage")}
    command = [sys.executable, "-m", "pytest", *SHARE, "-q", "-p", "no:cacheprovider"]
    command += ["-p", "no:xdist", "-k", f"not ({LEFT_OUT})"]
    command += ["--cov=ludotheque.envs", f"--cov-report=json:{report}"]
    done = subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, timeout=600, check=False
    )
    files = json.loads(report.read_text())["files"] if report.exists() else {}
    return done, files


def test_a_share_of_the_tests_passes_without_compiling(without_jit):
    done, _ = without_jit
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    passed = int(done.stdout.rsplit(" passed", 1)[0].split()[-1])
    assert passed > 50, done.stdout[-2000:]


@pytest.mark.parametrize("file", KERNELS)
def test_every_line_of_the_kernels_is_reached(file, without_jit):
    _, files = without_jit
    found = {name: data for name, data in files.items() if Path(name).as_posix().endswith(file)}
    assert len(found) == 1, f"{file} was not measured: {sorted(files)}"
    (data,) = found.values()
    covered = data["summary"]["percent_covered"]
    assert covered >= KERNELS[file], f"lines {data['missing_lines']} were not reached"


# Every game, in all its settings

PLAY = Path(__file__).with_name("play_everywhere.py")
MAKE_KERNELS = ("kernel", "allocating_kernel")
# Percentage of kernel lines in a game's file that its random games reach.
ENOUGH = 88
LESS = {
    # Few games reach the choice of the best last card; test_saga_views tests it.
    "saga/heuristics.py": 80,
    # Few of these games resample face-down cards; test_saga_views and the leak test do.
    "saga/hidden.py": 60,
    # Boards seldom leave their window in random play; test_sagani_sentences shifts it on purpose.
    "sagani/placement.py": 65,
    # Without compilation nothing uses an index except loops over arrays of games.
    "sarena/rules.py": 85,
}


@pytest.fixture(scope="module")
def plain(root, tmp_path_factory) -> tuple[dict[str, str], Coverage]:
    """The digest of each game played without compilation, and the lines covered."""
    folder = tmp_path_factory.mktemp("plain")
    settings = folder / "settings"
    lines = ["[run]", f"data_file = {folder / 'reached'}", "include ="]
    lines += [f"    {root / 'envs' / game / '*.py'}" for game in game_names()]
    settings.write_text("\n".join(lines), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", str(PLAY), *game_names()],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    reached = Coverage(config_file=str(settings))
    reached.load()
    return dict(line.split() for line in done.stdout.splitlines()), reached


@pytest.mark.parametrize("game", game_names())
def test_games_without_compiling_are_the_same(game, plain):
    """Legal actions, observations, redrawn positions and evaluations, in one digest."""
    assert plain[0][game] == play(game)


@pytest.mark.parametrize("game", game_names())
def test_random_games_reach_the_kernels(game, plain, root):
    reached, measured = {}, plain[1]
    played = measured.get_data().measured_files()
    for path in sorted((root / "envs" / game).glob("*.py")):
        lines = kernel_lines(path)
        # Random games neither set up positions nor reach impossible ones.
        if not lines or path.name in ("position.py", "validity.py"):
            continue
        assert str(path) in played, f"{path} was not measured"
        _, statements, _, missing, _ = measured.analysis2(str(path))
        missed = sorted(lines & set(missing))
        share = 1 - len(missed) / len(lines & set(statements))
        reached[f"{game}/{path.name}"] = 100 * share, missed
    assert len(reached) >= 4, "the files that hold kernels were not found"
    few = {name: of for name, of in reached.items() if of[0] < LESS.get(name, ENOUGH)}
    assert not few, f"percentage and missed lines: {few}"


def kernel_lines(path: Path) -> set[int]:
    """Return the numbers of the lines in the bodies of a file's kernels."""
    return {
        line
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef)
        and any(getattr(name, "id", "") in MAKE_KERNELS for name in node.decorator_list)
        for line in range(node.body[0].lineno, node.end_lineno + 1)
    }
