"""The games' pages: tables as the game says, and every test they name exists."""

from __future__ import annotations

import re
from importlib import import_module
from inspect import signature
from pathlib import Path

import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.loops import ILLEGAL
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.testing import docs

GAMES = [get_game(name) for name in game_names()]
ROOT = Path(__file__).resolve().parents[2]
# Packages whose ``__all__`` is public.
PUBLIC = ("envs", "agents", "agents.td", "testing", "widget")


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_page_is_up_to_date(game):
    changes = docs.difference(game)
    assert not changes, f"{changes}\nPut it right with: make pages"


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_tables_say_all(game):
    sections = docs.sections(game)
    for number in range(game.num_actions):
        assert f"| {number} `" in sections["actions"]
    for form in game.observation_forms:
        for field in game.observation_schema(form):
            assert f"| `{field.name}` |" in sections[f"observation {form}"]
            assert field.meaning in sections[f"observation {form}"]
    for option in game.options:
        assert f"| `{option.name}` |" in sections["options"]
    named = [name for name in signature(TurnBasedEnv).parameters if name not in ("game", "options")]
    for name in named:
        assert f"| `{name}` |" in sections["options"]


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_help_of_the_environment_names_its_arguments(game):
    """``help(sarena_v0.env)`` shows ``**kwargs``: the names are in the text."""
    told = import_module(f"ludotheque.envs.{game.name}_v{game.version}").env.__doc__
    arguments = [name for name in signature(TurnBasedEnv).parameters if name != "game"]
    for name in [*arguments, *(option.name for option in game.options)]:
        assert name == "options" or re.search(rf"\b{name}\b", told), name
    assert f"envs/{game.name}/README.md" in told


def test_every_library_with_an_adapter_has_a_section():
    """Also in the reference, which mkdocs makes of these pages."""
    for page in ("libraries.md", "api/libraries.md"):
        text = (ROOT / "docs" / page).read_text("utf-8")
        headings = re.findall(r"^## (.+)$", text, re.M)
        for library in ("RLlib", "TorchRL"):
            assert any(library in heading for heading in headings), (page, library)
    assert "ludotheque.agents.rllib" in text


def test_every_reward_and_rule_is_explained():
    assert tuple(docs.REWARD_MEANINGS) == REWARDS
    assert tuple(docs.ILLEGAL_MEANINGS) == ILLEGAL


def test_every_page_is_in_the_contents_of_the_site():
    """`make docs` would reject the page; this checks it without building the site."""
    contents = (ROOT / "docs" / "contents.txt").read_text(encoding="utf-8").splitlines()
    found = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("envs/*/*.md")]
    pages = {path.relative_to(ROOT).with_suffix("").as_posix() for path in found}
    assert pages <= set(contents), "add them to docs/contents.txt"


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_are_in_the_reference(package):
    if package == "widget":
        pytest.importorskip("anywidget", reason="needs the extra [notebook]")
    reference = "".join(path.read_text("utf-8") for path in ROOT.glob("docs/api/*.md"))
    listed = set(re.findall(r"auto\w+:: ludotheque\.([\w.]+)", reference))
    module = import_module(f"ludotheque.{package}")
    functions = [name for name in module.__all__ if callable(getattr(module, name))]
    assert functions, "else nothing is compared"
    assert not [name for name in functions if f"{package}.{name}" not in listed]


def test_indices_of_the_tables_are_those_of_the_observation():
    game = get_game("sarena")
    rows = docs.sections(game)["observation flat"].splitlines()[2:]
    last = rows[-1].split("|")[1].strip().split("–")[-1]
    assert last == str(game.observation_size() - 1)
    planes = docs.sections(game)["observation planes"].splitlines()[2:]
    last = planes[-1].split("|")[1].strip().split("–")[-1]
    assert last == str(game.observation_shape("planes")[0] - 1)


def test_filling_keeps_the_prose_and_is_stable():
    game = get_game("sarena")
    page = docs.skeleton(game).replace("## Actions", "## Actions\n\nOur own words.")
    spoilt = page.replace("a1-b1", "z9-z9")
    assert docs.filled(game, spoilt) == page
    assert docs.filled(game, page) == page


@pytest.mark.parametrize(
    "spoil",
    [
        lambda page: page.replace("<!-- begin actions -->", ""),
        lambda page: page.replace("<!-- end actions -->", ""),
        lambda page: page + "<!-- begin actions -->",
    ],
)
def test_missing_markers_are_named(spoil):
    game = get_game("sarena")
    with pytest.raises(ValueError, match="'actions'") as error:
        docs.filled(game, spoil(docs.skeleton(game)))
    assert "<!-- begin actions -->\n<!-- end actions -->" in str(error.value)


def test_command(tmp_path, monkeypatch, capsys):
    path = tmp_path / "sarena.md"
    monkeypatch.setattr(docs, "page_path", lambda game: tmp_path / f"{game.name}.md")
    assert docs.main(["--write"]) == 0
    assert path.read_text(encoding="utf-8") == docs.skeleton(get_game("sarena"))
    assert docs.main(["--check"]) == 0
    path.write_text(path.read_text("utf-8").replace("int8", "int9"), encoding="utf-8")
    assert docs.main(["--check"]) == 1
    assert "int9" in capsys.readouterr().out
    assert docs.main(["--write", "--game", "sarena"]) == 0
    assert docs.main(["--check"]) == 0
    with pytest.raises(SystemExit):
        docs.main([])
