"""Where things are: the same names in the same modules for every game."""

from __future__ import annotations

import shutil
import sys

import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.testing.files import FILE_CHECKS


@pytest.mark.parametrize("check", FILE_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", game_names())
def test_the_file_contract_holds(name, check):
    check(get_game(name).home)


@pytest.fixture
def broken(tmp_path, monkeypatch, root):
    """An unassembled copy of the worked example: its files can be broken one by one."""
    folder = tmp_path / "broken_toy"
    shutil.copytree(root / "tests" / "games" / "toy", folder)
    (folder / "__init__.py").write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "broken_toy"]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("hidden.py", "def determinize", "def redraw", "hidden does not define determinize"),
        ("rules.py", "def has_line", "def evaluate", "evaluate belongs in heuristics"),
        ("state.py", "import numpy", "from .table import text\nimport numpy", "state imports"),
        ("position.py", "*, squares", "squares=()", "squares must be given by name"),
    ],
)
def test_a_drifting_game_is_found(broken, file, old, new, message):
    path = broken / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(AssertionError, match=message):
        for check in FILE_CHECKS:
            check("broken_toy")
