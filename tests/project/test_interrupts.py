"""Ctrl-C at any moment of long operations: nothing finished is lost, and the next call works.

``PYTHONPATH=tests python tests/project/test_interrupts.py 2000 league`` interrupts this often, half
of the time inside any Python module.
"""

from __future__ import annotations

import io
import signal
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from interrupts import ANYWHERE, Interrupt, all_steps, moments

from ludotheque.agents.league import League
from ludotheque.agents.ledger import CONFIG, GAMES, TABLE
from ludotheque.envs import get_game
from ludotheque.envs.core.files import LOCK, atomic_write_bytes
from ludotheque.envs.core.interfaces.replay import load_replays

# A file that an interrupt kept from being closed is closed later, which Python reports.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
FILES = "ludotheque.envs.core.files"


def names(folder: Path) -> set[str]:
    """The files in a folder and its subfolders; no others may be left there."""
    return {path.name for path in folder.rglob("*") if path.is_file()}


# Files


def test_an_interrupted_write_leaves_the_old_file_or_the_new_one_and_nothing_else(tmp_path):
    path = tmp_path / "a.txt"

    def write() -> None:
        atomic_write_bytes(path, b"new")

    path.write_bytes(b"old")
    for moment in range(all_steps(write, FILES)):
        path.write_bytes(b"old")
        assert Interrupt(moment, FILES).strikes(write)
        assert path.read_bytes() in (b"old", b"new"), f"interrupted at step {moment}"
        assert names(tmp_path) == {"a.txt"}, f"interrupted at step {moment}"


# Leagues


def league(folder: Path) -> None:
    League("sarena", {"a": "random", "b": "random"}, folder, seed=5, resume=True).run(6)


def results(folder: Path) -> list[str]:
    """Return the finished games; they are written as they end."""
    path = folder / GAMES
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # At most one partial line may be at the end.
    return sorted(line for line in text.splitlines(keepends=True) if line.endswith("\n"))


LEAGUE = ("ludotheque.agents.league", "ludotheque.agents.ledger", "ludotheque.agents.match", FILES)


def strike_leagues(tmp_path: Path, count: int, modules=LEAGUE, seed: int = 1) -> int:
    """Interrupt ``count`` leagues; return how many were interrupted before their end."""
    league(tmp_path / "warm")
    steps = all_steps(lambda: league(tmp_path / "whole"), *modules)
    whole = results(tmp_path / "whole")
    assert len(whole) == 6
    struck = 0
    for number, moment in enumerate(moments(count, steps, seed)):
        folder = tmp_path / str(number)
        struck += Interrupt(moment, *modules).strikes(lambda at=folder: league(at))
        assert set(results(folder)) <= set(whole), f"interrupted at step {moment}"
        assert names(folder) <= {CONFIG, GAMES, TABLE, LOCK}, f"interrupted at step {moment}"
        league(folder)
        assert results(folder) == whole, f"interrupted at step {moment}"
    return struck


def test_a_league_keeps_its_games_and_goes_on(tmp_path):
    assert strike_leagues(tmp_path, 40) >= 36


# Training


def train(folder: Path, resume: bool) -> Any:
    from ludotheque.agents.td.trainer import TDConfig, train_td

    sizes = {"width": 4, "last_width": 4, "pieces": 1, "piece_rows": 64, "window": 256}
    few = {"eval_games": 2, "eval_opponents": ("random",), "snapshot_every": 60}
    every = {"checkpoint_every": 60}
    return train_td(
        TDConfig(game="sarena", out=folder, steps=128, resume=resume, **sizes, **few, **every)
    )


TRAINING = ("ludotheque.agents.td.trainer", "ludotheque.agents.training.", FILES)


def strike_trainings(tmp_path: Path, count: int, modules=TRAINING, seed: int = 2) -> int:
    """Interrupt ``count`` training runs, half of them twice; return how many were interrupted.

    The first Ctrl-C asks a run to stop, the second stops it; the result stays the same.
    """
    train(tmp_path / "warm", resume=False)
    steps = all_steps(lambda: train(tmp_path / "whole", resume=False), *modules)
    whole = (tmp_path / "whole" / "model.zip").read_bytes()
    known = {name for name in names(tmp_path / "whole") if not name.startswith("events.")}
    struck = 0
    for number, moment in enumerate(moments(count, steps, seed)):
        folder = tmp_path / str(number)
        interrupt = Interrupt(moment, *modules, again=moment % (steps // 4) if number % 2 else None)
        struck += interrupt.strikes(lambda at=folder: train(at, resume=False))
        left = {name for name in names(folder) if not name.startswith("events.")}
        assert left <= known, f"interrupted at step {moment}"
        try:
            assert train(folder, resume=left > {LOCK}).steps >= 128
        except ValueError as error:
            # It had finished and saved the result.
            assert "already ran" in str(error), f"interrupted at step {moment}: {error}"
        assert (folder / "model.zip").read_bytes() == whole, f"interrupted at step {moment}"
    return struck


@pytest.mark.training
def test_a_training_goes_on_from_wherever_it_was_stopped(tmp_path):
    pytest.importorskip("torch", reason="needs the extra [train]")
    assert strike_trainings(tmp_path, 4) >= 3


@pytest.mark.training
def test_what_a_library_makes_of_ctrl_c_is_ctrl_c_again():
    """``zipfile`` raises ValueError if it is interrupted while writing a member."""
    common = pytest.importorskip("ludotheque.agents.training.common", reason="needs [train]")

    class Run:
        stop = False

    run, before = Run(), signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), common.interrupts(run):
        signal.raise_signal(signal.SIGINT)
        assert run.stop
        with zipfile.ZipFile(io.BytesIO(), "w") as archive, archive.open("half", "w"):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(ValueError, match="another"), common.interrupts(Run()):
        signal.raise_signal(signal.SIGINT)
        raise ValueError("another")


# Playing


PLAYING = ("ludotheque.cli.play", "ludotheque.cli.table", "ludotheque.envs.core.interfaces.replay")


def strike_games(tmp_path: Path, count: int, modules=(*PLAYING, FILES), seed: int = 3) -> int:
    """Interrupt ``count`` games that are played and saved; return how many were interrupted."""
    from typer.testing import CliRunner

    from ludotheque.cli.app import app

    game = get_game("sarena")
    typed = [game.action_to_string(action, None) for action in range(40)]

    def play(path: Path) -> None:
        arguments = ["play", "--terminal", "--seed", "7", "--opponents", "random"]
        done = CliRunner().invoke(
            app, [*arguments, "--save", str(path)], input="\n".join([*typed, "quit", ""])
        )
        assert done.exit_code in (0, 130) or isinstance(done.exception, KeyboardInterrupt), done

    play(tmp_path / "warm.jsonl")
    (warm,) = load_replays(tmp_path / "warm.jsonl")
    # A few legal moves, and one with an explanation.
    typed = [*warm.actions[0:10:2], "nonsense"]
    steps = all_steps(lambda: play(tmp_path / "whole.jsonl"), *modules)
    (whole,) = load_replays(tmp_path / "whole.jsonl")
    path, kept, struck = tmp_path / "played.jsonl", set(), 0
    for moment in moments(count, steps, seed):
        path.unlink(missing_ok=True)
        struck += Interrupt(moment, *modules).strikes(lambda: play(path))
        assert names(tmp_path) <= {"warm.jsonl", "whole.jsonl", "played.jsonl"}, f"at {moment}"
        if path.exists():
            (replay,) = load_replays(path)
            replay.verify()
            assert replay.actions == whole.actions[: len(replay.actions)]
            kept.add(len(replay.actions))
    assert len(kept) > 2
    path.unlink(missing_ok=True)
    play(path)
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    return struck


def test_a_game_that_is_played_is_kept_up_to_the_last_move(tmp_path):
    pytest.importorskip("typer.testing", reason="needs the extra [cli]")
    assert strike_games(tmp_path, 12) >= 10


if __name__ == "__main__":
    import tempfile

    strikes = {"league": strike_leagues, "play": strike_games, "train": strike_trainings}
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for what in sys.argv[2:] or strikes:
        total = part = 0
        while total < wanted:
            for more in ({}, {"modules": ANYWHERE}):
                with tempfile.TemporaryDirectory() as name:
                    total += strikes[what](Path(name), 50, seed=part, **more)
            part += 1
            print(f"{what}: struck {total} times", flush=True)
