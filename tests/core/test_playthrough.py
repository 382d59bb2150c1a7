"""The recorded games: any change of a game's behaviour shows up as a difference here."""

from __future__ import annotations

from functools import lru_cache

import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.testing import playthrough as playthroughs
from ludotheque.testing.playthrough import difference, main, playthrough, told

HINT = "If the change is meant: make pages, raise the game's version, and say so in CHANGELOG.md"


@lru_cache
def fresh(name: str) -> str:
    return playthrough(get_game(name))


@pytest.mark.parametrize("name", game_names())
def test_recorded_game(name, root):
    recorded = (root / playthroughs.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    changes = difference(recorded, fresh(name), name)
    assert not changes, f"{changes[:20_000]}\n{HINT}"


@pytest.mark.parametrize("name", game_names())
def test_told_game(name, root):
    recorded = (root / playthroughs.TOLD / f"{name}.txt").read_text(encoding="utf-8")
    changes = difference(recorded, told(get_game(name)), name)
    assert not changes, f"{changes[:20_000]}\n{HINT}"


def test_sagani_is_told_with_what_happened(root):
    """Through an interlude to the end, with remarks on the consequences."""
    text = (root / playthroughs.TOLD / "sagani.txt").read_text(encoding="utf-8")
    text = " ".join(text.split())  # lines are wrapped
    for remark in ("completes", "the display is filled", "an interlude", "the end is set off"):
        assert remark in text


def test_every_recorded_file_is_of_a_game(root):
    names = {path.stem for path in (root / playthroughs.FOLDER).glob("*.txt")}
    assert names == set(game_names())


def test_recorded_in_another_process(run_python):
    """The text depends on nothing in this process."""
    code = (
        "import sys\n"
        "from ludotheque.envs import get_game\n"
        "from ludotheque.testing.playthrough import playthrough\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "print(playthrough(get_game('sarena')), end='')\n"
    )
    result = run_python(code, PYTHONHASHSEED="17", PYTHONIOENCODING="utf-8")
    assert result.returncode == 0, result.stderr
    assert result.stdout == fresh("sarena")


def test_a_game_is_written_down_in_full():
    text = fresh("sarena")
    game = get_game("sarena")
    for field in (*game.dtype.names, "legal", "reward rank", "reward score_change", "scores"):
        assert field in text
    assert all(f"sees {field.name}" in text for field in game.observation_schema())
    plies = [line for line in text.splitlines() if line.startswith("---- ply")]
    actions = [line for line in text.splitlines() if " plays " in line]
    assert len(plies) == len(actions) + 1 > 20
    assert all(len(line) <= 100 and line == line.rstrip() for line in text.splitlines())


def test_other_games_give_other_texts():
    game = get_game("sarena")
    assert playthrough(game, seed=1) != fresh("sarena")
    assert playthrough(game, num_players=2) != fresh("sarena")


def test_a_change_shows_as_a_difference():
    changed = fresh("sarena").replace("scores: ", "scores: 1", 1)
    changes = difference(fresh("sarena"), changed, "sarena")
    assert "sarena (recorded)" in changes and "\n-scores: " in changes and "\n+scores: 1" in changes
    assert difference(changed, changed) == ""


def test_command_writes_and_checks(tmp_path, capsys):
    path = tmp_path / "game.txt"
    arguments = ["--game", "sarena", "--out", str(path)]
    assert main(arguments) == 0
    assert path.read_text(encoding="utf-8") == fresh("sarena")
    assert main([*arguments, "--check"]) == 0
    path.write_text(fresh("sarena").replace("ranks: ", "ranks: 9 "), encoding="utf-8")
    assert main([*arguments, "--check"]) == 1
    assert "+ranks: " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--game", "sarana"], "invalid choice: 'sarana'"),
        (["--out", "somewhere.txt"], "--game"),
    ],
)
def test_command_refuses(arguments, message, capsys):
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    assert message in capsys.readouterr().err
