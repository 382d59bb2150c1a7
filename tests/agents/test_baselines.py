"""Additions to the included baselines, and their tables."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from ludotheque.agents import (
    baselines,  # noqa: E402
    make_agent,
)
from ludotheque.agents.baselines import __main__ as making  # noqa: E402
from ludotheque.agents.td.model import (  # noqa: E402
    BELIEFS,
    ValueModel,
    read_value_model,
    save_value_model,
)
from ludotheque.agents.training.evaluation import Evaluation  # noqa: E402
from ludotheque.benchmarks import beliefs  # noqa: E402
from ludotheque.benchmarks.curves import curves_of_baselines, plot_curves  # noqa: E402
from ludotheque.cli.common import UserError  # noqa: E402
from ludotheque.envs import get_game  # noqa: E402
from ludotheque.envs.core import hardware  # noqa: E402


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Stand in for the package's folder: with a copy of the baseline of Sàrèná for three."""
    path = baselines.baseline_path(get_game("sarena"), 3)
    shutil.copy(path, tmp_path)
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_evaluations_of_a_run_become_a_baselines_curve(folder):
    found = [
        Evaluation(1000 * k, "greedy", 300, 30 * k, 0, 300 - 30 * k, k / 10, 0, 1, (10,) * 3)
        for k in range(1, 4)
    ]
    run = folder / "runs" / "baselines" / "sarena-3"
    run.mkdir(parents=True)
    lines = [json.dumps(dataclasses.asdict(one)) + "\n" for one in found]
    (run / "evaluations.jsonl").write_text("".join(lines))
    game, path = get_game("sarena"), folder / "sarena-3.zip"
    before = read_value_model(path, game)
    making.add_curve(making.recipe_of(("sarena", 3)))
    after = read_value_model(path, game)
    assert all((after.arrays[name] == array).all() for name, array in before.arrays.items())
    assert {**after.about["card"], "curve": None} == {**before.about["card"], "curve": None}
    assert curves_of_baselines(game) == {"td, 3 players": found}
    plot_curves(curves_of_baselines(game)).savefig(folder / "curves.svg")
    labels = re.findall(r"<!-- (.+) -->", (folder / "curves.svg").read_text("utf-8"))
    assert {"td, 3 players", "games won against greedy", "minutes"} <= set(labels)


@pytest.mark.parametrize(
    ("cpuinfo", "named"),
    [
        ("flags\t: abc\nmodel name\t: Abacus: 13 rods\nmodel name\t: other\n", "Abacus: 13 rods"),
        ("flags\t: abc\nmodel name\t:\n", "slide rule"),  # such as on ARM
        (None, "slide rule"),
    ],
)
def test_a_card_names_the_processor(folder, monkeypatch, cpuinfo, named):
    monkeypatch.setattr(hardware, "CPUINFO", folder / "cpuinfo")
    monkeypatch.setattr(hardware.platform, "processor", lambda: "slide rule")
    monkeypatch.setattr(making, "count_cores", lambda: 5)
    if cpuinfo is not None:
        (folder / "cpuinfo").write_text(cpuinfo)
    monkeypatch.setattr(making, "BELIEF_GAMES", {})
    monkeypatch.setattr(making, "CARD_GAMES", 3)
    recipe, game = making.recipe_of(("sarena", 3)), get_game("sarena")
    recipe.folder.mkdir(parents=True)
    found = Evaluation(1000, "greedy", 3, 1, 0, 2, 1 / 3, 0, 1, (1, 0, 0), seconds=90.0)
    line = json.dumps(dataclasses.asdict(found))
    (recipe.folder / "evaluations.jsonl").write_text(line + "\n")
    trained = shutil.copy(folder / "sarena-3.zip", folder / "trained.zip")
    making.write(recipe, trained)
    card = read_value_model(folder / "sarena-3.zip", game).about["card"]
    assert card["machine"] == f"{named}, 5 cores" and card["minutes"] == 1.5


@pytest.mark.training
def test_a_second_run_begins_where_the_first_one_ended(folder, monkeypatch):
    few = {"steps": 300, "pieces": 1, "piece_rows": 300, "eval_games": 3}
    key = ("sarena", 3)
    monkeypatch.setitem(making.RECIPES, key, ("td", {**few, "width": 5, "last_width": 3}))
    monkeypatch.setitem(making.FINISH, key, {**few, "learning_rate": 1e-30})
    monkeypatch.setattr(making, "BELIEF_GAMES", {})
    monkeypatch.setattr(making, "CARD_GAMES", 3)
    recipe, game = making.recipe_of(key), get_game("sarena")
    making.make(recipe)
    made, first = (
        read_value_model(path, game) for path in (recipe.path, recipe.folder / "best.zip")
    )
    # Steps as small as those of the second run change nothing.
    assert made.arrays["first"].shape == first.arrays["first"].shape
    assert np.allclose(made.arrays["first"], first.arrays["first"], rtol=1e-3, atol=1e-4)
    card = made.about["card"]
    steps = [one["steps"] for one in card["curve"]]
    assert steps == sorted(set(steps)) and len(steps) == 2 and steps[1] >= 600
    assert made.about["steps"] == steps[1] and card["finish"]["learning_rate"] == 1e-30
    # Stopped before the card was written, the same command doesn't train again.
    models = [folder / "model.zip" for folder in (recipe.folder, recipe.last_folder)]
    before = [path.stat().st_mtime_ns for path in models]
    recipe.path.unlink()
    making.make(recipe)
    assert [path.stat().st_mtime_ns for path in models] == before
    again = read_value_model(recipe.path, game)
    assert (again.arrays["first"] == made.arrays["first"]).all()
    # Killed in its last save, a run has evaluations of its end and an older model.
    older = read_value_model(models[0], game)
    save_value_model(ValueModel({**older.about, "steps": 1}, older.arrays), models[1])
    making.make(recipe)
    again = read_value_model(recipe.path, game)
    assert again.about["steps"] == steps[1]
    assert (again.arrays["first"] == made.arrays["first"]).all()


def test_every_card_names_a_machine_and_its_cores():
    for game in map(get_game, ("sarena", "sagani", "harmonies", "saga", "shamans")):
        for path in Path(baselines.__file__).parent.glob(f"{game.name}-*.zip"):
            card = read_value_model(path, game).about["card"]
            assert re.fullmatch(r"[A-Z].+, \d+ cores", card["machine"]), path


@pytest.mark.parametrize(("game", "wanted"), [("sagani", True), ("sarena", "maybe")])
def test_beliefs_that_a_baseline_lacks_are_refused_before_it_plays(game, wanted):
    with pytest.raises(ValueError, match=f"beliefs is '?{wanted}"):
        baselines.BaselineAgent(game, beliefs=wanted)


def test_a_game_without_curves_is_told_how_to_get_them(folder):
    game = get_game("sagani")
    with pytest.raises(UserError, match="agents.baselines sagani PLAYERS"):
        curves_of_baselines(game)
    with pytest.raises(FileNotFoundError, match="sarena-3"):
        making.add_curve(making.recipe_of(("sarena", 3)))


def test_a_baseline_learns_what_is_hidden_and_keeps_the_rest(folder, monkeypatch, capsys):
    game, path = get_game("sarena"), folder / "sarena-3.zip"
    before = read_value_model(path, game)
    monkeypatch.setitem(making.BELIEF_GAMES, ("sarena", 3), 100)
    making.add_beliefs(making.recipe_of(("sarena", 3)))
    after = read_value_model(path, game)
    assert after.about["beliefs"]["games"] == 100 and after.about["card"] == before.about["card"]
    for name in set(before.arrays) - set(BELIEFS):
        assert (after.arrays[name] == before.arrays[name]).all()
    capsys.readouterr()
    beliefs.main(game="sarena", players=3, games=20, seed=1, json=folder / "found.json")
    (row,) = json.loads((folder / "found.json").read_text())["beliefs"]
    assert row["games"] == 20 and row["before"] == pytest.approx(1 / 3, abs=0.02)
    assert row["believed"] - row["error"] > row["before"]
    assert "colours: 33" in capsys.readouterr().out


def test_a_baseline_without_beliefs_says_so(folder):
    shutil.copy(Path(baselines.__file__).parent / "sagani-2.zip", folder)
    with pytest.raises(UserError, match="has learned no beliefs"):
        beliefs.main(game="sagani", players=2)


def test_playouts_are_those_of_the_search():
    with pytest.raises(ValueError, match="playouts is 2; give a number from 0 to 1"):
        make_agent("baseline:playouts=2", "sarena")
    agent = make_agent("baseline:simulations=8,playouts=0.25", "sarena")
    assert agent.agent_for(4).playouts == agent.agent_for(2).playouts == 0.25
    usual = make_agent("baseline", "sarena")
    assert usual.agent_for(4).playouts == 0.5 and usual.agent_for(2).playouts == 0.0
