"""Folders of runs and leagues, and files: one writer, killed at any moment, full disks."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ludotheque.agents.league import League
from ludotheque.envs import FileError, get_game
from ludotheque.envs.core import files
from ludotheque.envs.core.files import atomic_write_bytes, lock_folder
from ludotheque.envs.core.interfaces.replay import load_replays

needs_locks = pytest.mark.skipif(files.fcntl is None, reason="no file locks")
TWO = {"a": "random", "b": "greedy"}


def trainer(method: str):
    """Return the settings and the class of a small run."""
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    usual = {"game": "sarena", "eval_games": 2, "eval_opponents": ("random",)}
    if method == "td":
        from ludotheque.agents.td.trainer import TDConfig, train_td

        sizes = {"width": 4, "last_width": 4, "pieces": 1, "piece_rows": 64, "window": 256}
        return lambda **more: TDConfig(**{**usual, **sizes, "steps": 128, **more}), train_td
    from ludotheque.agents.ppo import TrainConfig, train

    sizes = {"num_envs": 4, "n_steps": 16, "batch_size": 32, "net_arch": (4, 1, 4)}
    return lambda **more: TrainConfig(**{**usual, **sizes, "steps": 128, **more}), train


@needs_locks
def test_who_holds_a_folder_is_told(tmp_path):
    code = (
        "import sys; from ludotheque.envs.core.files import lock_folder\n"
        f"with lock_folder({str(tmp_path)!r}, 'a run'): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        told = f"process {other.pid} on .* is writing a run in '{tmp_path}'"
        with pytest.raises(BlockingIOError, match=told), lock_folder(tmp_path, "a run"):
            pass
        other.kill()
    with lock_folder(tmp_path, "a run"):
        pass


@pytest.mark.skipif(os.name != "posix", reason="links and pipes as POSIX has them")
def test_nothing_is_written_through_a_link_out_of_the_folder(tmp_path):
    """Somebody else may have created the folder."""
    own, folder = tmp_path / "own.txt", tmp_path / "run"
    own.write_text("precious", encoding="utf-8")
    (folder / "checkpoint").mkdir(parents=True)
    for name in (files.LOCK, "games.jsonl", "best.zip", "checkpoint/run.zip"):
        for target in (own, tmp_path / "new.txt"):
            (folder / name).symlink_to(target)
            with (
                pytest.raises(PermissionError, match="outside the folder"),
                lock_folder(folder, "a run"),
            ):
                pass
            (folder / name).unlink()
    os.mkfifo(folder / files.LOCK)
    with pytest.raises(PermissionError, match="isn't a file"), lock_folder(folder, "a run"):
        pass
    (folder / files.LOCK).unlink()
    (folder / "latest.zip").symlink_to("best.zip")
    with lock_folder(folder, "a run"):
        assert (folder / files.LOCK).is_file()
    assert own.read_text("utf-8") == "precious" and not (tmp_path / "new.txt").exists()


@needs_locks
def test_another_league_writes_nothing_into_a_folder_that_is_held(tmp_path):
    first = League("sarena", TWO, tmp_path, seed=1)
    other = League("sarena", {**TWO, "c": "random"}, tmp_path, seed=2, resume=True)
    with first._ledger:
        config = (tmp_path / "league.json").read_bytes()
        with pytest.raises(BlockingIOError, match="is writing a league"):
            other.run(2)
        assert (tmp_path / "league.json").read_bytes() == config
    first.run(2)
    with pytest.raises(ValueError, match="holds another league"):
        other.run(2)


@needs_locks
@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_second_training_is_told_who_holds_the_folder(method, tmp_path):
    config, train = trainer(method)
    with (
        lock_folder(tmp_path / "run", "a run"),
        pytest.raises(BlockingIOError, match=f"process {os.getpid()} on "),
    ):
        train(config(out=tmp_path / "run"))
    assert [path.name for path in (tmp_path / "run").iterdir()] == [".lock"]


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_run_killed_before_its_first_checkpoint_goes_on(method, tmp_path, monkeypatch):
    config, train = trainer(method)

    class Killed(BaseException):
        pass

    def killed(*_, **__):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("ludotheque.agents.training.common.Run.pass_boundary", killed)
        with pytest.raises(Killed):
            train(config(out=tmp_path / "killed", seed=3))
    assert not (tmp_path / "killed" / "model.zip").exists()
    with pytest.raises(ValueError, match="holds a run already"):
        train(config(out=tmp_path / "killed"))
    resumed = train(config(out=tmp_path / "killed", resume=True))
    whole = train(config(out=tmp_path / "whole", seed=3))
    found, wanted = ([(e.wins, e.score) for e in result.evaluations] for result in (resumed, whole))
    assert resumed.steps == whole.steps and found == wanted


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_run_without_its_checkpoint_is_not_begun_anew(method, tmp_path):
    """Someone may have moved it: the models would be replaced by untrained ones."""
    config, train = trainer(method)
    train(config(out=tmp_path, seed=3))
    (checkpoint,) = (tmp_path / "checkpoint").iterdir()
    moved = checkpoint.rename(tmp_path / "moved")

    def written() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in tmp_path.rglob("*.*") if path.is_file()}

    before = written()
    with pytest.raises(ValueError, match="put the checkpoint back") as caught:
        train(config(out=tmp_path, resume=True, steps=256))
    assert "best.zip" in str(caught.value)
    checkpoint.mkdir()
    with pytest.raises(FileError, match="it is a folder"):
        train(config(out=tmp_path, resume=True, steps=256))
    checkpoint.rmdir()
    models = {path: data for path, data in before.items() if path.suffix in (".zip", ".jsonl")}
    assert models and models.items() <= written().items()
    moved.rename(checkpoint)
    assert train(config(out=tmp_path, resume=True, steps=256)).steps >= 256


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_run_with_a_model_has_a_checkpoint(method, tmp_path):
    """Also if it is evaluated before the first checkpoint is due, and killed after that."""
    config, train = trainer(method)
    told = []

    def look(*_) -> None:
        if (tmp_path / "best.zip").exists():
            told.append(any((tmp_path / "checkpoint").iterdir()))

    train(config(out=tmp_path, eval_every=64, checkpoint_every=10**6, steps=256, progress=look))
    assert len(told) > 1 and all(told[1:])


def test_a_full_disk_names_the_file_and_keeps_what_was_there(tmp_path):
    """Simulated by a limit on file sizes, which the system enforces in the same place."""
    import resource

    path = tmp_path / "model.zip"
    atomic_write_bytes(path, b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(OSError, match="model.zip"):
            atomic_write_bytes(path, bytes(10_000))
        league = League("sarena", TWO, tmp_path / "league", seed=1)
        with pytest.raises(OSError, match="games.jsonl"):
            league.run(20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"old" and len(list(tmp_path.glob("*.zip"))) == 1
    again = League("sarena", TWO, tmp_path / "league", seed=1, resume=True)
    assert again.run(20).games == 20


def test_a_game_that_is_played_is_saved_as_it_goes(tmp_path):
    """After SIGKILL in the middle, the moves so far are in the file."""
    path = tmp_path / "game.jsonl"
    command = [sys.executable, "-m", "ludotheque.cli", "play", "--terminal", "--save", str(path)]
    game = get_game("sarena")
    states = game.new_state(5)
    with subprocess.Popen(
        [*command, "--seed", "5", "--seat", "0", "--opponents", "random"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as play:
        assert play.stdin is not None and play.stderr is not None
        told = io.StringIO()
        moves = 0
        while moves < 3:
            text = play.stderr.read(1)
            assert text, told.getvalue()
            told.write(text)
            if told.getvalue().endswith("Your move: "):
                moves += 1
                if path.exists():
                    states = load_replays(path)[0].verify()
                if moves < 3:
                    states = _after_agents(game, states)
                    legal = np.flatnonzero(game.legal_mask(states))
                    text = game.action_to_string(int(legal[0]), states[0])
                    play.stdin.write(text + "\n")
                    play.stdin.flush()
        os.kill(play.pid, signal.SIGKILL)
    (saved,) = load_replays(path)
    saved.verify()
    assert len(saved.actions) >= 3


def _after_agents(game, states):
    """The position in which the person decides: the file may lack the last agent moves."""
    from ludotheque.agents import make_agent
    from ludotheque.envs.core.interfaces.seats import query_agent
    from ludotheque.envs.core.interfaces.settings import Settings

    states, agent, settings = states.copy(), make_agent("random", game), Settings(game, 2)
    while states["to_play"][0] != 0:
        game.step(states, int(query_agent(agent, settings, states)[0]))
    return states


def test_the_temporary_file_is_not_left_behind(tmp_path):
    with pytest.raises(KeyError), files.atomic_path(tmp_path / "a.json") as temporary:
        temporary.write_text(json.dumps({}))
        raise KeyError("stopped")
    assert not list(Path(tmp_path).iterdir())


@needs_locks
@pytest.mark.parametrize("method", ["td", "ppo"])
@pytest.mark.training
def test_what_a_killed_process_left_half_written_is_removed(method, tmp_path, monkeypatch):
    """A checkpoint may have gigabytes; each kill used to leave one."""
    make, train = trainer(method)
    train(make(out=tmp_path / "run"))
    left = {"model.zip", "config.json", "evaluations.jsonl", "checkpoint/run.zip"}
    left |= {"checkpoint/run.zip", "models/128.zip"}
    (tmp_path / "run" / "models").mkdir(exist_ok=True)
    for name in left:
        monkeypatch.setattr(files.os, "replace", killed)
        # Like a killed process, which removes nothing.
        monkeypatch.setattr(files.Path, "unlink", lambda *_, **__: None)
        with pytest.raises(InterruptedError):
            atomic_write_bytes(tmp_path / "run" / name, b"half")
        monkeypatch.undo()
    kept = {"run/.model-notes.zip", "run/.of-the-user-0123456789ab.txt"}
    for name in kept:
        (tmp_path / name).write_text("kept")
    assert len(temporaries(tmp_path)) == len(left) + 1
    train(make(out=tmp_path / "run", steps=256, resume=True))
    assert [path.name for path in temporaries(tmp_path)] == [".of-the-user-0123456789ab.txt"]
    assert all((tmp_path / name).read_text() == "kept" for name in kept)


def killed(*_):
    raise InterruptedError


def temporaries(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*-*") if path.stem[-13:-12] == "-"]


@needs_locks
def test_what_a_killed_league_left_half_written_is_removed(tmp_path):
    league = League("sarena", TWO, tmp_path, seed=1)
    (tmp_path / ".table-0123456789ab.json").write_text("{")
    (tmp_path / ".league-0123456789ab.json").write_text("{")
    league.run(2)
    assert not list(tmp_path.glob(".*-*"))
