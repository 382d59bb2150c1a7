"""The code on the pages works: Python blocks run, and commands parse."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ludotheque.envs import game_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    *sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "docs").rglob("*.md")
        if path.parent.name != "api"
    ),
    *(f"envs/{name}/README.md" for name in game_names()),
)
# Pages about commands, about packages that aren't installed, or without code.
WITHOUT_PYTHON = (
    "CONTRIBUTING.md",
    "docs/agents.md",
    "docs/citing.md",
    "docs/command.md",
    "docs/comparison.md",
    "docs/faq.md",
    "docs/machines.md",
    "docs/performance.md",
    "docs/tutorials/game.md",
    "docs/tutorials/torchrl.md",
)
# Blocks run with smaller numbers where these only affect the duration.
SHORTER = {
    "model.learn(100_000": "model.learn(2_048",
    "deals = 4, 50": "deals = 4, 1",
    "steps=200_000": "steps=2_000",
    "range(20):": "range(2):",
}
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"`((?:ludotheque|python|make|pip) [^`]+)`")


def blocks_of(page: str, *languages: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for language, body in BLOCK.findall(text) if language in languages]


def commands_of(page: str) -> list[str]:
    """Command lines of a page, from its blocks and its text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [" ".join(quoted.split()) for quoted in QUOTED.findall(BLOCK.sub("", text))]
    for body in blocks_of(page, "", "console", "bash", "sh"):
        found += [line.strip() for line in body.replace("\\\n", " ").splitlines()]
    starts = ("ludotheque ", "python ", "make ", "pip ", "bash ")
    return [line for line in found if line.startswith(starts)]


@pytest.mark.parametrize("page", PAGES)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    """Each block on its own, as users copy it."""
    monkeypatch.chdir(tmp_path)
    blocks = blocks_of(page, "python")
    assert bool(blocks) == (page not in WITHOUT_PYTHON)
    for body in blocks:
        for usual, short in SHORTER.items():
            body = body.replace(usual, short)
        exec(compile(body, page, "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("usual", SHORTER)
def test_numbers_that_are_made_smaller_are_on_a_page(usual):
    assert any(usual in body for page in PAGES for body in blocks_of(page, "python"))


@pytest.mark.parametrize("page", PAGES)
def test_commands_are_what_the_command_takes(page):
    for line in commands_of(page):
        words = shlex.split(line, comments=True)
        assert CHECKS[words[0]](words[1:]), f"{page}: {line}"


def _reads_ludotheque(words: list[str]) -> bool:
    """Whether the command parses these arguments; it isn't run."""
    typer = pytest.importorskip("typer")
    from ludotheque.cli.app import app

    sub = typer.main.get_command(app).commands[words[0]]
    with sub.make_context(words[0], list(words[1:])):
        return True


def _is_python_of_ours(words: list[str]) -> bool:
    if words[0] == "-m":
        return words[1] in ("venv", "pytest", "twine") or find_spec(words[1]) is not None
    return (ROOT / words[0]).is_file()


def _has_target(words: list[str]) -> bool:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = [word for word in words if "=" not in word]
    return all(re.search(rf"^{target}:", makefile, re.MULTILINE) for target in targets)


def _has_extra(words: list[str]) -> bool:
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r"\[(\w+)\]", " ".join(words))
    return words[0] == "install" and all(f"\n{extra} = [" in pyproject for extra in extras)


CHECKS = {
    "ludotheque": _reads_ludotheque,
    "python": _is_python_of_ours,
    "make": _has_target,
    "pip": _has_extra,
    "bash": lambda words: (ROOT / words[0]).is_file(),
}


@pytest.mark.parametrize("game", ["harmonies", "saga", "sagani", "shamans"])
def test_invariants_run_as_a_program(game):
    """As shown in their docstrings, with more games than in the test suite."""
    file = ROOT / "tests" / "games" / game / f"test_{game}_invariants.py"
    assert f"python {file.relative_to(ROOT).as_posix()} --" in file.read_text(encoding="utf-8")
    each = "--rounds" if game == "shamans" else "--games"
    done = subprocess.run(
        [sys.executable, file, each, "1"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 7, "a line for each setting"
