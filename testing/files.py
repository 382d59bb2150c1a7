"""The file contract: the same names in the same modules of every game's package.

Knowing one game's folder means knowing them all, and rules can be found by file name.
CONTRIBUTING.md describes the modules.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

# Module → the names that it defines itself, for every game.
CONTRACT = {
    "components": {"PLAYER_COUNTS"},
    "actions": {"ACTIONS"},
    "state": {"DTYPE", "MAX_PLIES"},
    "rules": {"setup", "step", "legal_actions", "is_legal", "random_action", "returns"},
    "observation": {"FLAT", "AT", "observe"},
    "hidden": {"determinize"},
    "notation": {"action_to_string", "action_from_string"},
    "options": {"OPTIONS"},
    "position": {"set_position"},
    "heuristics": {"evaluate"},
    "validity": {"LIMITS"},
    "table.visible": {"see", "points_seen"},
    "table.text": {"describe"},
    "table.geometry": {"locate", "spots"},
    "table.picture": {"draw"},
}
# Names that only some games have, and the module they are then in.
OPTIONAL = {
    "PLANES": "observation",
    "observe_planes": "observation",
    "COMPACT": "compact",
    "observe_compact": "compact",
    "hides_action": "hidden",
    "HIDDEN_FACTS": "hidden",
    "hidden_facts": "hidden",
    "CATEGORIES": "state",
    "points_by_category": "rules",
    "check_options": "options",
    "MEMO_ROWS": "heuristics",
    "check": "validity",
    "derive": "validity",
}
TABLE = {"__init__", "visible", "text", "geometry", "pieces", "picture"}


def check_names(package: str) -> None:
    """Every module of the contract defines its names."""
    for module, names in CONTRACT.items():
        path = _folder(package).joinpath(*module.split(".")).with_suffix(".py")
        assert path.exists(), f"{package} lacks the module {module}"
        missing = names - _defined_in(path)
        assert not missing, f"{package}.{module} does not define {', '.join(sorted(missing))}"


def check_one_home(package: str) -> None:
    """No name of the contract is defined anywhere else, so that a search finds one place."""
    home = {name: module for module, names in CONTRACT.items() for name in names} | OPTIONAL
    folder = _folder(package)
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for name in sorted(_defined_in(path) & set(home)):
            assert home[name] == module, f"{package}: {name} belongs in {home[name]}, not {module}"


def check_pictures_apart(package: str) -> None:
    """Pictures live in ``table``, and no rule depends on them."""
    folder = _folder(package)
    strange = {path.stem for path in (folder / "table").glob("*.py")} - TABLE
    assert not strange, f"{package}.table has modules that no other game has: {sorted(strange)}"
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                drawing = "table" in (node.module or "").split(".") or "drawing" in str(node.module)
                assert not drawing, f"{package}.{path.stem} imports {node.module}"


def check_position(package: str) -> None:
    """``set_position(states, i=0, *, ...)``: the same form in every game."""
    parameters = inspect.signature(import_module(f"{package}.position").set_position).parameters
    first, second, *rest = parameters.values()
    assert (first.name, second.name, second.default) == ("states", "i", 0), f"{package}: {first}"
    for parameter in rest:
        kinds = (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD)
        assert parameter.kind in kinds, f"{package}: {parameter.name} must be given by name"


FILE_CHECKS: tuple[Callable[[str], None], ...] = (
    check_names,
    check_one_home,
    check_pictures_apart,
    check_position,
)


def _folder(package: str) -> Path:
    return Path(str(import_module(package).__file__)).parent


def _defined_in(path: Path) -> set[str]:
    """Return the names that a module's own statements define; imported ones don't count."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            leaves = [leaf for target in node.targets for leaf in ast.walk(target)]
            names |= {leaf.id for leaf in leaves if isinstance(leaf, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names
