"""Ctrl-C at any moment of what takes long: nothing finished is lost, and the next call works.

``python tests/project/test_interrupts.py 3000`` interrupts each so often.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import pytest
from interrupts import Interrupt

from ludotheque.agents.league import League
from ludotheque.envs import get_game
from ludotheque.envs.core.files import LOCK, atomic_write_bytes
from ludotheque.envs.core.interfaces.replay import load_replays

# A file that an interrupt kept from being closed is closed later, which Python reports.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
GAMES = 6
FILES = "ludotheque.envs.core.files"


def moments(count: int, steps: int, seed: int) -> list[int]:
    """Moments all over a call of so many steps, the first and the last among them."""
    rng = random.Random(seed)
    return [0, steps - 1, *(rng.randrange(steps) for _ in range(count - 2))]


def all_steps(call: Any, *modules: str) -> int:
    """Return how many steps a call has inside modules."""
    interrupt = Interrupt(sys.maxsize, *modules)
    assert not interrupt.strikes(call)
    return sys.maxsize - interrupt.left


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
        assert [one.name for one in tmp_path.iterdir()] == ["a.txt"], f"at step {moment}"


# Leagues


def league(folder: Path) -> None:
    League("sarena", {"a": "random", "b": "random"}, folder, seed=5, resume=True).run(GAMES)


def results(folder: Path) -> list[str]:
    """Return the finished games; they are written as they end."""
    path = folder / "games.jsonl"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    # Half a line at most may stand at the end.
    return sorted(line for line in text.splitlines(keepends=True) if line.endswith("\n"))


LEAGUE = ("ludotheque.agents.league", "ludotheque.agents.ledger", "ludotheque.agents.match", FILES)


def test_a_league_keeps_its_games_and_goes_on(tmp_path, count=40):
    league(tmp_path / "warm")
    steps = all_steps(lambda: league(tmp_path / "whole"), *LEAGUE)
    whole = results(tmp_path / "whole")
    assert len(whole) == GAMES
    struck = 0
    for number, moment in enumerate(moments(count, steps, seed=1)):
        folder = tmp_path / str(number)
        struck += Interrupt(moment, *LEAGUE).strikes(lambda at=folder: league(at))
        assert set(results(folder)) <= set(whole), f"interrupted at step {moment}"
        league(folder)
        assert results(folder) == whole, f"interrupted at step {moment}"
    assert struck >= 0.9 * count


# Training


def train(folder: Path, resume: bool) -> Any:
    from ludotheque.agents.td.trainer import TDConfig, train_td

    sizes = {"width": 4, "last_width": 4, "pieces": 1, "piece_rows": 64, "window": 256}
    few = {"eval_games": 2, "eval_opponents": ("random",), "snapshot_every": 60}
    return train_td(TDConfig(game="sarena", out=folder, steps=128, resume=resume, **sizes, **few))


TRAINING = ("ludotheque.agents.td.trainer", "ludotheque.agents.training.", FILES)


@pytest.mark.training
def test_a_training_goes_on_from_wherever_it_was_stopped(tmp_path, count=4):
    pytest.importorskip("torch", reason="needs the extra [train]")
    train(tmp_path / "warm", resume=False)
    steps = all_steps(lambda: train(tmp_path / "whole", resume=False), *TRAINING)
    for number, moment in enumerate(moments(count, steps, seed=2)):
        folder = tmp_path / str(number)
        Interrupt(moment, *TRAINING).strikes(lambda at=folder: train(at, resume=False))
        begun = folder.is_dir() and any(path.name != LOCK for path in folder.iterdir())
        result = None
        try:
            result = train(folder, resume=begun)
        except ValueError as error:
            # It had come to its end, and saved it.
            assert "time" in str(error) or "steps" in str(error), f"at step {moment}: {error}"
        assert result is None or result.steps >= 128, f"interrupted at step {moment}"
        assert (folder / "model.zip").exists(), f"interrupted at step {moment}"


# Playing


PLAYING = ("ludotheque.cli.play", "ludotheque.cli.table", "ludotheque.envs.core.interfaces.replay")


def test_a_game_that_is_played_is_kept_up_to_the_last_move(tmp_path, count=12):
    testing = pytest.importorskip("typer.testing", reason="needs the extra [cli]")
    from ludotheque.cli.app import app

    # Those that are legal are played, the others explained.
    game = get_game("sarena")
    moves = [game.action_to_string(action, None) for action in range(game.num_actions)][:40]

    def play(path: Path) -> str:
        arguments = ["play", "--terminal", "--seed", "7", "--opponents", "random"]
        done = testing.CliRunner().invoke(
            app, [*arguments, "--save", str(path)], input="\n".join([*moves, "quit", ""])
        )
        assert done.exit_code in (0, 130) or isinstance(done.exception, KeyboardInterrupt), done
        return done.output

    play(tmp_path / "warm.jsonl")
    steps = all_steps(lambda: play(tmp_path / "whole.jsonl"), *PLAYING, FILES)
    (whole,) = load_replays(tmp_path / "whole.jsonl")
    kept = set()
    for number, moment in enumerate(moments(count, steps, seed=3)):
        path = tmp_path / f"{number}.jsonl"
        assert Interrupt(moment, *PLAYING, FILES).strikes(lambda at=path: play(at))
        if path.exists():
            (replay,) = load_replays(path)
            replay.verify()
            assert replay.actions == whole.actions[: len(replay.actions)]
            kept.add(len(replay.actions))
    assert len(kept) > 2
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


if __name__ == "__main__":
    import tempfile

    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 3000
    checks = [test_a_league_keeps_its_games_and_goes_on]
    checks.append(test_a_game_that_is_played_is_kept_up_to_the_last_move)
    checks.append(test_a_training_goes_on_from_wherever_it_was_stopped)
    for check, share in zip(checks, (1, 1, 0.1), strict=True):
        with tempfile.TemporaryDirectory() as name:
            check(Path(name), int(wanted * share))
            print(f"{check.__name__}: interrupted {int(wanted * share)} times")
