"""Every rule on a game's page names a test that runs on the oracle and on the kernels."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from ludotheque.envs import game_names

TESTS = Path(__file__).parent.parent
# Files of a game's tests: those that drive the oracle and the kernels, and the others.
ON_BOTH = ("sentences", "differential", "cases")
OTHERS = ("invariants", "views", "pictures")
RULE = re.compile(r"^- \[(.)\] (.*(?:\n  .*)*)", re.MULTILINE)


def rules_of(root: Path, name: str) -> list[tuple[str, str]]:
    page = (root / "envs" / name / "README.md").read_text(encoding="utf-8")
    return RULE.findall(page)


def names_of_tests(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return {name for name in functions if name.startswith("test")}


def common_tests(name: str) -> set[str]:
    files = [TESTS / "games" / name / f"test_{name}_{kind}.py" for kind in ON_BOTH]
    return set().union(*(names_of_tests(path) for path in files if path.exists()))


@pytest.mark.parametrize("name", game_names())
def test_the_test_files_have_the_names_of_the_contract(name):
    there = {path.name for path in (TESTS / "games" / name).glob("test_*.py")}
    allowed = {f"test_{name}_{kind}.py" for kind in (*ON_BOTH, *OTHERS)}
    needed = {f"test_{name}_{kind}.py" for kind in ("sentences", "differential", "pictures")}
    assert needed <= there <= allowed


@pytest.mark.parametrize("name", game_names())
def test_every_rule_is_proved_on_oracle_and_kernels(root, name):
    rules = rules_of(root, name)
    known = common_tests(name)
    assert len(rules) > 10
    everywhere = set().union(*(names_of_tests(path) for path in TESTS.rglob("test_*.py")))
    for mark, rule in rules:
        named = set(re.findall(r"\btest_\w+(?=`|\[)", rule))
        assert named, f"{name}: a rule without a test: {rule}"
        assert mark == "x", f"{name}: not done: {rule}"
        assert named <= everywhere, f"{name}: no such test: {sorted(named - everywhere)}"
        contract = "test_contract.py" in rule
        assert named & known or contract, f"{name}: no test on both: {rule}"
