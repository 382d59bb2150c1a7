"""Where things are: the same names in the same modules for every game.

Whoever knows one game's folder knows them all. CONTRIBUTING.md says what each module is for.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

from ludotheque.envs import game_names, get_game

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
    "table.text": {"describe"},
    "table.geometry": {"locate"},
    "table.picture": {"draw"},
}
# Names that only some games have, and the module they are then in.
OPTIONAL = {
    "PLANES": "observation",
    "observe_planes": "observation",
    "hides_action": "hidden",
    "check_options": "options",
}
TABLE = {"visible", "text", "geometry", "pieces", "picture"}


def defined_in(path: Path) -> set[str]:
    """The names that a module's own statements define; imported ones don't count."""
    names = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {
                leaf.id for t in node.targets for leaf in ast.walk(t) if isinstance(leaf, ast.Name)
            }
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def folder_of(name: str) -> Path:
    return Path(importlib.import_module(f"ludotheque.envs.{name}").__file__).parent


@pytest.mark.parametrize("module", CONTRACT)
@pytest.mark.parametrize("name", game_names())
def test_a_module_defines_what_the_contract_says(name, module):
    path = folder_of(name).joinpath(*module.split(".")).with_suffix(".py")
    assert CONTRACT[module] <= defined_in(path), f"{path} lacks names of the contract"


@pytest.mark.parametrize("name", game_names())
def test_a_name_of_the_contract_is_defined_once(name):
    """So that a search finds one place, and the file list can be trusted."""
    home = {each: module for module, names in CONTRACT.items() for each in names} | OPTIONAL
    folder = folder_of(name)
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for each in defined_in(path) & set(home):
            assert home[each] == module, f"{name}: {each} belongs in {home[each]}, not in {module}"


@pytest.mark.parametrize("name", game_names())
def test_the_game_is_made_of_these(name):
    package = f"ludotheque.envs.{name}"
    game = get_game(name)
    assert game.num_actions == len(importlib.import_module(f"{package}.actions").ACTIONS)
    assert game.options is importlib.import_module(f"{package}.options").OPTIONS
    assert game.dtype is importlib.import_module(f"{package}.state").DTYPE
    for kernel, module in [
        ("step", "rules"),
        ("observe", "observation"),
        ("determinize", "hidden"),
    ]:
        assert game.kernels[kernel] is getattr(
            importlib.import_module(f"{package}.{module}"), kernel
        )


@pytest.mark.parametrize("name", game_names())
def test_pictures_live_in_a_room_of_their_own(name):
    folder = folder_of(name)
    assert {path.stem for path in (folder / "table").glob("*.py")} - {"__init__"} <= TABLE
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("table", "core.drawing")), (
                    f"{path.name} imports {node.module}: rules must not depend on pictures"
                )


@pytest.mark.parametrize("name", game_names())
def test_set_position_has_the_same_form_everywhere(name):
    setter = importlib.import_module(f"ludotheque.envs.{name}.position").set_position
    first, second, *rest = inspect.signature(setter).parameters.values()
    assert (first.name, second.name, second.default) == ("states", "i", 0)
    assert all(p.kind in (p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in rest)
