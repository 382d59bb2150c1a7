"""Mutation testing: break one rule of a game at a time, and see whether its tests notice.

    python -m ludotheque.testing.mutation --game sarena

A mutant is the game with one small change in one rule kernel: a comparison swapped, a condition
dropped, a number off by one. For each, ``tests/games/<game>/test_<game>_sentences.py`` runs on the
kernels; mutants for which no test fails have survived, and are listed with their lines. Some
survivors are equivalent to the original (a bound that is never reached); the others are rules
without a test.

The kernels run as plain Python (``NUMBA_DISABLE_JIT=1``), so nothing is recompiled. Each mutant
runs in its own process, forked from one that has loaded the libraries. This requires a system with
``fork``, and a checkout with the tests.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.util
import os
import resource
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# Imported by the rules, but not rules: components, and the numbering of actions and options.
NOT_RULES = {"components", "actions", "options"}
SWAPPED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
# A kernel that isn't a rule: the choice of a random legal action.
NO_RULE = {"random_action"}
MARKS = {"kernel", "allocating_kernel"}
SURVIVED, KILLED, BROKEN = 0, 1, 2
# Maximum processor time for a game's sentence tests, in seconds.
LONGEST = 3600


class Mutant(NamedTuple):
    """One change: its place, its description, and the whole module with it."""

    path: Path
    line: int
    kernel: str
    change: str
    tree: ast.Module

    @property
    def module(self) -> str:
        return f"ludotheque.envs.{self.path.parent.name}.{self.path.stem}"

    def __str__(self) -> str:
        where = self.path.relative_to(ROOT)
        return f"{where}:{self.line} {self.kernel}: {self.change}"


def rules_of(game: str) -> list[Path]:
    """Return the modules with a game's rules: ``rules`` and its imports."""
    found, left = [], [ROOT / "envs" / game / "rules.py"]
    while left:
        path = left.pop()
        if path in found or path.stem in NOT_RULES or not path.exists():
            continue
        found.append(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                left.append(path.with_name(f"{node.module}.py"))
    return sorted(found)


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield every mutant of the kernels in one module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and _is_kernel(function):
            for node in ast.walk(function):
                for change, undo in _changes(node):
                    mutated = ast.fix_missing_locations(copy.deepcopy(tree))
                    undo()
                    yield Mutant(path, getattr(node, "lineno", 0), function.name, change, mutated)


def _is_kernel(function: ast.FunctionDef) -> bool:
    marks = {getattr(mark, "id", "") for mark in function.decorator_list}
    return bool(marks & MARKS) and function.name not in NO_RULE


def _changes(node: ast.AST):
    """Make every change of ``node``, one at a time; yield its description and a way to undo it."""
    if isinstance(node, ast.Compare):
        for k, op in enumerate(node.ops):
            other = SWAPPED.get(type(op))
            if other:
                before = ast.unparse(node)
                node.ops[k] = other()
                yield f"{before}  ->  {ast.unparse(node)}", _restore(node.ops, k, op)
    if isinstance(node, ast.BoolOp):
        for k in range(len(node.values)):
            before = ast.unparse(node)
            values = list(node.values)
            # Drops a condition: it is made neutral, as Python compiles no "and" with a single one.
            neutral = ast.Constant(isinstance(node.op, ast.And))
            node.values[k] = ast.copy_location(neutral, node)
            yield f"{before}  ->  {ast.unparse(node)}", _restore(node, "values", values)
    if isinstance(node, (ast.If, ast.IfExp)):
        test = node.test
        node.test = ast.copy_location(ast.Constant(True), test)
        yield f"if {ast.unparse(test)}  ->  if True", _restore(node, "test", test)
    for name in ("left", "right"):
        part = getattr(node, name, None)
        if isinstance(node, ast.BinOp) and _is_number(part) and _counts(node):
            before = ast.unparse(node)
            larger = ast.Constant(part.value + 1)  # type: ignore[union-attr]
            setattr(node, name, ast.copy_location(larger, part))  # type: ignore[arg-type]
            yield f"{before}  ->  {ast.unparse(node)}", _restore(node, name, part)


def _restore(owner, key, value):
    def undo():
        if isinstance(owner, list):
            owner[key] = value
        else:
            setattr(owner, key, value)

    return undo


def _is_number(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _counts(node: ast.BinOp) -> bool:
    return isinstance(node.op, (ast.Add, ast.Sub))


class _Loader(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the mutated module in place of the original."""

    def __init__(self, mutant: Mutant):
        self.mutant = mutant

    def find_spec(self, name, path=None, target=None):
        if name != self.mutant.module:
            return None
        return importlib.util.spec_from_loader(name, self, origin=str(self.mutant.path))

    def exec_module(self, module):
        module.__file__ = str(self.mutant.path)
        exec(compile(self.mutant.tree, module.__file__, "exec"), module.__dict__)


def run_tests(mutant: Mutant | None, game: str, limit: int) -> tuple[int, float]:
    """Run the sentence tests on the kernels in a forked process.

    Args:
        limit: seconds of processor time; a longer run is considered endless.

    Returns:
        The fate of the mutant, and the processor time of the run.
    """
    child = os.fork()
    if child == 0:
        _be_tested(mutant, game, limit)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        return KILLED, seconds  # it reached the limit, or accessed invalid memory
    return {0: SURVIVED, 1: KILLED}.get(os.WEXITSTATUS(status), BROKEN), seconds


def _be_tested(mutant: Mutant | None, game: str, limit: int) -> None:
    code = BROKEN
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        if mutant is not None:
            sys.meta_path.insert(0, _Loader(mutant))
        import pytest

        file = ROOT / "tests" / "games" / game / f"test_{game}_sentences.py"
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", "not oracle"]
        code = pytest.main([str(file), *options, f"--rootdir={ROOT}"])
        # An error during import (2) also kills a mutant.
        code = KILLED if code == 2 else code
    finally:
        os._exit(int(code))


def survey(game: str, workers: int, only: str | None) -> tuple[int, list[Mutant]]:
    """Return the number of mutants, and the survivors."""
    mutants = [
        m
        for path in rules_of(game)
        for m in mutants_of(path)
        if only in (None, m.kernel, path.stem)
    ]
    whole, seconds = run_tests(None, game, LONGEST)
    if whole != SURVIVED:
        raise SystemExit(f"the sentences of {game} fail without a mutant: put that right first")
    limit = 10 + round(3 * seconds)
    survivors = []
    with ThreadPoolExecutor(workers) as pool:
        results = pool.map(lambda mutant: run_tests(mutant, game, limit)[0], mutants)
        for done, (mutant, result) in enumerate(zip(mutants, results, strict=True), 1):
            if result != KILLED:
                survivors.append(mutant)
                print(f"{done}/{len(mutants)} survived: {mutant}", flush=True)
    return len(mutants), survivors


def main(arguments: Sequence[str] | None = None) -> None:
    """Report the survivors of one game."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--game", required=True, help="name of the game")
    parser.add_argument("--only", help="only mutants of this module or kernel")
    parser.add_argument("--workers", type=int, default=2, help="mutants tested at once")
    args = parser.parse_args(arguments)
    if os.environ.get("NUMBA_DISABLE_JIT") != "1":
        os.environ["NUMBA_DISABLE_JIT"] = "1"
        os.execv(
            sys.executable, [sys.executable, "-m", "ludotheque.testing.mutation", *sys.argv[1:]]
        )
    import gymnasium  # noqa: F401  (loaded once, for all forks)
    import numba  # noqa: F401
    import pettingzoo  # noqa: F401
    import pytest  # noqa: F401

    total, survivors = survey(args.game, args.workers, args.only)
    killed = total - len(survivors)
    print(f"{args.game}: {killed} of {total} mutants killed ({killed / max(total, 1):.0%})")


if __name__ == "__main__":
    main()
