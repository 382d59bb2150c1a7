"""Files that may come from anywhere: damaged ones raise the documented error, and no other.

``python tests/project/test_damaged_files.py 20000`` damages this many files of each kind.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import random
import shutil
import struct
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludotheque.agents import archives, ladder, make_agent, policy
from ludotheque.agents.archives import ARRAYS, read_archive, write_archive
from ludotheque.agents.league import League
from ludotheque.agents.match import play_match
from ludotheque.agents.networks import BoardNetwork, MlpNetwork
from ludotheque.agents.policy import ABOUT, WEIGHTS
from ludotheque.agents.targets import targets_of
from ludotheque.agents.td.model import ABOUT as ABOUT_VALUES
from ludotheque.agents.td.model import save_value_model, zero_model
from ludotheque.agents.training import common
from ludotheque.agents.training.common import CHECKPOINT, STATE, checkpoint_source
from ludotheque.envs import FileError, TooLargeError, get_game, make_batch
from ludotheque.envs.core import positions
from ludotheque.envs.core.interfaces import replay as replay_module
from ludotheque.envs.core.interfaces.replay import Replay, load_replays, save_replays

GAME = get_game("sarena")


# Whole files


def board_arrays(width: int = 4, head: int = 3, layers: int = 1) -> dict[str, np.ndarray]:
    layout = targets_of(GAME)
    assert layout is not None
    planes = layout.planes.shape[1]
    numbers = sum(rows.shape[1] for rows in layout.lists)
    shapes = {
        "first": (planes, 3, 3 * width),
        "rows": (numbers, width),
        "thing": (layout.num_things, width),
        "whole": (len(layout.rest), width),
        "whole_bias": (width,),
        "more": (layers, width, 3, 3 * width),
        "more_bias": (layers, width),
        "ends": (width, 2 * head),
        "mean": (width, head),
        "bias": (layout.num_kinds, head),
        "score": (head,),
    }
    rng = np.random.default_rng(1)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def mlp_arrays() -> dict[str, np.ndarray]:
    sizes = [GAME.observation_size(), 8, 8, GAME.num_actions]
    rng = np.random.default_rng(1)
    arrays = {}
    for k in range(3):
        arrays[f"weight_{k}"] = rng.normal(size=sizes[k : k + 2]).astype(np.float32)
        arrays[f"bias_{k}"] = rng.normal(size=sizes[k + 1]).astype(np.float32)
    return arrays


def about(**more: Any) -> dict[str, Any]:
    base = {"game": "sarena", "version": GAME.version, "num_players": 2, "observation": "flat"}
    return {**base, "network": {"kind": "board"}, **more}


def npz(arrays: dict[str, np.ndarray]) -> bytes:
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    return packed.getvalue()


def write_zip(path: Path, members: dict[str, bytes], kind: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", kind) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


@contextlib.contextmanager
def memory_within(megabytes: int) -> Iterator[None]:
    """Assert that no more memory is used at any time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < megabytes << 20
    finally:
        tracemalloc.stop()


def policy_file(path: Path, arrays: dict[str, np.ndarray] | None = None, **more: Any) -> Path:
    """Write a model file of a policy."""
    arrays = board_arrays() if arrays is None else arrays
    return write_zip(path, {ABOUT: json.dumps(about(**more)).encode(), WEIGHTS: npz(arrays)})


def mlp_file(path: Path) -> Path:
    return policy_file(path, mlp_arrays(), network={"kind": "mlp", "activation": "relu"})


def value_file(path: Path) -> Path:
    save_value_model(zero_model(GAME, 2, 8, 4), path)
    return path


def replay_file(path: Path) -> Path:
    games = play_match("sarena", ["random", "random"], [1, 2])
    save_replays([Replay.record("sarena", 2, k + 1, games.actions[k]) for k in range(2)], path)
    return path


def positions_file(path: Path) -> Path:
    GAME.save_states(np.concatenate([GAME.new_state(seed) for seed in range(3)]), path)
    return path


def go_on(path: Path) -> None:
    """Play on from the positions of a file."""
    batch = make_batch("sarena", 3)
    batch.set_state(GAME.load_states(path))
    for _ in range(50):
        batch.step(batch.random_actions())


def play(kind: str, path: Path) -> None:
    """Play a game with the agent of a file."""
    scores, _, _ = play_match("sarena", [f"{kind}:{path}", "random"], [3])
    assert np.isfinite(scores).all()


def verify(path: Path) -> None:
    for replay in load_replays(path):
        replay.verify()


class Use:
    """A kind of file: how an intact one is written, and how one is used."""

    def __init__(self, ending: str, write: Callable[[Path], Path], use: Callable[[Path], Any]):
        self.ending, self.write, self.use = ending, write, use


def league(folder: Path) -> None:
    League("sarena", {"a": "random", "b": "random"}, folder, seed=5, resume=True).table()


def league_folder(path: Path) -> Path:
    League("sarena", {"a": "random", "b": "random"}, path, seed=5).run(4)
    return path


KINDS = {
    "policy": Use("zip", policy_file, lambda path: play("ppo", path)),
    "mlp": Use("zip", mlp_file, lambda path: play("ppo", path)),
    "values": Use("zip", value_file, lambda path: play("td", path)),
    "replays": Use("jsonl", replay_file, verify),
    "positions": Use("zip", positions_file, go_on),
}
IN_FOLDERS = {"league": ("league.json", "games.jsonl")}


# Arrays that hold something.
NAMES = sorted(name for name, array in board_arrays().items() if array.size)


# Damage


def damage_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat or drop some bytes."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(max(1, len(found)))
        kind = rng.randrange(6)
        if kind == 0:
            found[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del found[at:]
        elif kind == 2:
            del found[at : at + rng.randrange(1, 40)]
        elif kind == 3:
            found[at:at] = found[at : at + rng.randrange(1, 40)]
        elif kind == 4:
            found[at : at + 8] = rng.choice((b"\0" * 8, b"\xff" * 8, b"\x7f" + b"\xff" * 7))
        else:
            found[at : at + 4] = rng.randbytes(4)
    return bytes(found)


JUNK = (None, True, -1, 0, 3, 2**63, 2**64, 10**400, 0.5, 1e308, -0.0, "", "x", "sarena", [], {})
JUNK += ([[]], {"a": 1}, [-1], [0, 0], "9" * 50, "\ud800", float("nan"))


def damage_json(value: Any, rng: random.Random) -> Any:
    """Replace, drop or add one value somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        name = rng.choice(list(value))
        kind = rng.randrange(8)
        if kind == 0:
            return {key: one for key, one in value.items() if key != name}
        if kind == 1:
            return {**value, rng.choice(("more", "_check", "arrays")): rng.choice(JUNK)}
        return {**value, name: damage_json(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.8:
        k = rng.randrange(len(value))
        kind = rng.randrange(4)
        if kind == 0:
            return value[:k] + value[k + 1 :]
        if kind == 1:
            return [*value, value[k]]
        return [*value[:k], damage_json(value[k], rng), *value[k + 1 :]]
    if isinstance(value, int) and rng.random() < 0.4:
        return value + rng.choice((-1, 1, 2, 1000))
    return rng.choice(JUNK)


def damage_arrays(data: bytes, rng: random.Random) -> bytes:
    """Change shape, type or numbers of an array, or which arrays there are."""
    with np.load(io.BytesIO(data)) as loaded:
        arrays = dict(loaded)
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.randrange(8)
    if kind == 0:
        del arrays[name]
    elif kind == 1:
        arrays[rng.choice((name + "_", "more", "weight_3"))] = array
    elif kind == 2:
        size = rng.choice((0, 1, 3, 64, 3000))
        arrays[name] = np.resize(array, (size, *array.shape[1:]))
    elif kind == 3:
        arrays[name] = np.resize(array, (*array.shape[:-1], rng.choice((0, 1, 3, 5, 200))))
    elif kind == 4:
        arrays[name] = array.reshape(rng.choice(((-1,), (1, -1), (-1, 1), (1, 1, -1))))
    elif kind == 5:
        arrays[name] = array.astype(rng.choice(("f8", "i4", "f2", "c8", "b1", "U3", "O")))
    elif kind == 6:
        worst = rng.choice((np.nan, np.inf, 3e38, -3e38, 1e6, 1e30))
        arrays[name] = np.where(rng.random() < 0.5, worst, array).astype(np.float32)
    else:
        other = rng.choice(list(arrays))
        arrays[name], arrays[other] = arrays[other], array
    packed = io.BytesIO()
    np.savez(packed, **arrays)  # type: ignore[arg-type]
    return packed.getvalue()


def damage(data: bytes, ending: str, rng: random.Random) -> bytes:
    """Damage a file: its bytes, or only its contents."""
    if rng.random() < 0.4:
        return damage_bytes(data, rng)
    if ending == "zip":
        return damage_zip(data, rng)
    if ending == "json":
        return json.dumps(damage_json(json.loads(data), rng)).encode()
    lines = data.decode().splitlines()
    k = rng.randrange(len(lines))
    lines[k] = json.dumps(damage_json(json.loads(lines[k]), rng))
    return ("\n".join(lines) + "\n").encode()


def damage_zip(data: bytes, rng: random.Random) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = rng.choice(list(members))
    inside = members[name]
    if rng.random() < 0.2:
        members[name] = damage_bytes(inside, rng)
    elif name.endswith("json"):
        members[name] = json.dumps(damage_json(json.loads(inside), rng)).encode()
    else:
        members[name] = damage_arrays(inside, rng)
    packed = io.BytesIO()
    kind = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    with zipfile.ZipFile(packed, "w", kind) as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return packed.getvalue()


def check_damaged(use: Callable[[], Any], what: str) -> bool:
    """Return whether a file was refused with the documented error, which must name it."""
    try:
        use()
    except FileError as error:
        assert what in str(error), f"{error} doesn't name {what}"
        return True
    return False


def fuzz(kind: str, folder: Path, count: int, seed: int) -> Iterator[bool]:
    """Use ``count`` damaged files of a kind; yield for each whether it was refused."""
    one = KINDS[kind]
    whole = one.write(folder / f"whole.{one.ending}").read_bytes()
    path = folder / f"damaged.{one.ending}"
    for number in range(count):
        rng = random.Random(f"{kind} {seed} {number}")
        path.write_bytes(damage(whole, one.ending, rng))
        try:
            yield check_damaged(lambda: one.use(path), path.name)
        except StateErrorOfAGame:
            yield True
        except BaseException:
            print(f"{kind}: damaged file {number} of seed {seed}", file=sys.stderr)
            raise


# A replay whose actions can't be played raises StateError, not FileError.
from ludotheque.envs import StateError as StateErrorOfAGame  # noqa: E402


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_refused_or_harmless(kind, tmp_path, count=60):
    refused = list(fuzz(kind, tmp_path, count, seed=0))
    assert sum(refused) > count / 2


def test_damaged_leagues_are_refused_or_harmless(tmp_path, count=40):
    whole = league_folder(tmp_path / "whole")
    damaged = tmp_path / "damaged"
    refused = 0
    for number in range(count):
        rng = random.Random(number)
        shutil.copytree(whole, damaged)
        name = rng.choice(("league.json", "games.jsonl"))
        ending = name.partition(".")[2]
        (damaged / name).write_bytes(damage((whole / name).read_bytes(), ending, rng))
        try:
            league(damaged)
        except ValueError as error:
            assert str(damaged) in str(error), error
            refused += 1
        shutil.rmtree(damaged)
    assert refused > count / 4


# Runs


def resume(method: str, folder: Path) -> Any:
    """Resume a run until everything has been read, and return it."""
    if method != "ppo":
        from ludotheque.agents.td.trainer import CONFIGS, TDTrainer

        run = TDTrainer(CONFIGS[method](game="sarena", out=folder, resume=True, steps=10_000))
        run.start()
        run.writer.close()
        return run
    else:
        from ludotheque.agents.training.config import TrainConfig
        from ludotheque.agents.training.run import _Run

        run = _Run(TrainConfig(game="sarena", out=folder, resume=True, steps=10_000))
        run.start()
        run.model.logger.close()
        return run


def run_folder(method: str, folder: Path) -> Path:
    """Train briefly."""
    evaluations = {"eval_games": 2, "eval_opponents": ("random",), "snapshot_every": 60}
    if method != "ppo":
        from ludotheque.agents.td.trainer import CONFIGS, train_td

        sizes = {"width": 4, "last_width": 4, "pieces": 1, "piece_rows": 64, "window": 256}
        if method == "search":
            sizes |= {"simulations": 4, "lesson_window": 256}
        train_td(CONFIGS[method](game="sarena", out=folder, steps=128, **sizes, **evaluations))
    else:
        from ludotheque.agents.ppo import TrainConfig, train

        sizes = {"num_envs": 4, "n_steps": 16, "batch_size": 32, "net_arch": (4, 1, 4)}
        train(TrainConfig(game="sarena", out=folder, steps=128, **sizes, **evaluations))
    return folder


def damage_checkpoint(path: Path, rng: random.Random) -> None:
    path.write_bytes(damage(path.read_bytes(), path.suffix[1:], rng))


def fuzz_run(method: str, folder: Path, count: int, seed: int) -> int:
    """Resume ``count`` damaged runs; return how many were refused."""
    whole = run_folder(method, folder / "whole")
    damaged = folder / "damaged"
    refused = 0
    for number in range(count):
        rng = random.Random(f"{method} {seed} {number}")
        shutil.copytree(whole, damaged)
        name = rng.choice(("checkpoint/run.zip", "checkpoint/run.zip", "config.json"))
        damage_checkpoint(damaged / name, rng)
        try:
            resume(method, damaged)
        except ValueError as error:
            assert str(error)
            refused += 1
        except BaseException:
            print(f"{method}: damaged run {number} of seed {seed}", file=sys.stderr)
            raise
        shutil.rmtree(damaged)
    return refused


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "search", "ppo"])
def test_damaged_runs_are_refused_or_harmless(method, tmp_path, count=25):
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    assert fuzz_run(method, tmp_path, count, seed=0) > count / 3


# Damage found earlier


def test_a_longer_score_does_not_reach_the_kernel(tmp_path):
    for size in (4, 64, 3_000_000):
        arrays = {**board_arrays(), "score": np.ones(size, np.float32)}
        with pytest.raises(FileError, match=r"model.zip.*\(4, 8\)|model.zip.*ends is"):
            make_agent(f"ppo:{policy_file(tmp_path / 'model.zip', arrays)}")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("worst", [np.nan, np.inf, 3e38])
def test_weights_that_no_training_ends_with_are_refused(name, worst, tmp_path):
    arrays = board_arrays()
    arrays[name].flat[-1] = worst
    with pytest.raises(FileError, match=f"{name} holds"):
        make_agent(f"ppo:{policy_file(tmp_path / 'model.zip', arrays)}")
    with pytest.raises(ValueError, match=f"{name} holds"):
        BoardNetwork(arrays, GAME)


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_another_shape_are_refused(name, tmp_path):
    whole = board_arrays()[name]
    for array in (whole[..., :-1], np.concatenate([whole, whole]), whole[None], whole.ravel()[:0]):
        arrays = {**board_arrays(), name: array}
        with pytest.raises(ValueError, match=r"arrays|is float32|policy is for|should be"):
            BoardNetwork(arrays, GAME)
    without = {key: array for key, array in board_arrays().items() if key != name}
    with pytest.raises(ValueError, match=name):
        BoardNetwork(without, GAME)


def test_layers_that_do_not_fit_are_refused():
    arrays = mlp_arrays()
    for change in (
        {"bias_1": np.zeros(3, np.float32)},
        {"weight_1": np.zeros((9, 8), np.float32)},
        {"weight_5": np.zeros((8, 8), np.float32)},
    ):
        with pytest.raises(ValueError, match=r"arrays|is float32"):
            MlpNetwork({**arrays, **change}, "relu")
    with pytest.raises(ValueError, match="weight_0"):
        MlpNetwork({}, "relu")


def test_sizes_are_looked_at_before_anything_is_unpacked(tmp_path):
    path = tmp_path / "model.zip"
    write_zip(path, {ABOUT: b" " * (300 << 20), WEIGHTS: npz(board_arrays())})
    assert path.stat().st_size < 1 << 20
    with pytest.raises(FileError, match="314,572,800 bytes"):
        make_agent(f"ppo:{path}")
    array = np.lib.format.header_data_from_array_1_0(np.zeros(3, np.float32))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {**array, "shape": (10**11, 9)})
    inside = io.BytesIO()
    with zipfile.ZipFile(inside, "w") as archive:
        archive.writestr("score.npy", header.getvalue())
    write_zip(path, {ABOUT: json.dumps(about()).encode(), WEIGHTS: inside.getvalue()})
    with pytest.raises(FileError, match="has 0 bytes"):
        make_agent(f"ppo:{path}")


def test_a_member_is_not_unpacked_beyond_the_size_it_claims(tmp_path):
    path = write_zip(tmp_path / "model.zip", {ABOUT: b" " * (64 << 20), WEIGHTS: b""})
    claims = b" " * 10
    size, checksum = struct.pack("<I", 64 << 20), struct.pack("<I", zlib.crc32(b" " * (64 << 20)))
    forged = path.read_bytes().replace(size, struct.pack("<I", len(claims)))
    path.write_bytes(forged.replace(checksum, struct.pack("<I", zlib.crc32(claims))))
    with memory_within(8), pytest.raises(FileError, match=r"model.zip"):
        make_agent(f"ppo:{path}")


@pytest.mark.parametrize("bits", [32, 64])
def test_a_large_directory_is_not_read(bits, tmp_path):
    """Entries compress to almost nothing, and each becomes an object of hundreds of bytes."""
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\1\2", 20, 0, 20, *[0] * 15)
    entries = entry * 200_000
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0, 0, len(entries), 0, 0)
    if bits == 64:
        longer = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 0, 0, len(entries), 0)
        at = len(entries)
        end = longer + struct.pack("<4sLQL", b"PK\6\7", 0, at, 1) + end[:12] + bytes(10)
    model = zero_model(GAME, 2, 8, 4)
    members = {ABOUT_VALUES: json.dumps(model.about).encode(), ARRAYS: entries + end}
    path = write_zip(tmp_path / "model.zip", members)
    assert path.stat().st_size < 100_000
    with (
        memory_within(40),
        pytest.raises(FileError, match=r"model.zip.*directory has 9,200,000 bytes"),
    ):
        make_agent(f"td:{path}")


@pytest.fixture(scope="module")
def policy_run(tmp_path_factory) -> Path:
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    return run_folder("ppo", tmp_path_factory.mktemp("ppo") / "run")


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_torn_checkpoint_and_settings_of_another_form_are_refused_by_name(method, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    folder = run_folder(method, tmp_path / "run")
    checkpoint, config = folder / "checkpoint" / "run.zip", folder / "config.json"
    whole, settings = checkpoint.read_bytes(), config.read_bytes()
    for size in (0, 1, len(whole) // 2, len(whole) - 1):
        checkpoint.write_bytes(whole[:size])
        with pytest.raises(
            FileError, match=r"run\.zip' is not a checkpoint of a run, or is damaged"
        ):
            resume(method, folder)
    checkpoint.write_bytes(whole)
    for text in (b"[]", b"{}", b"1", b"null"):
        config.write_bytes(text)
        with pytest.raises(ValueError) as error:
            resume(method, folder)
        assert str(folder) in str(error.value)
    # Keys that are none of the settings, which an older or newer version may have had, are left.
    config.write_text(json.dumps({**json.loads(settings), "_check": 1}), "utf-8")
    resume(method, folder)


@pytest.mark.training
def test_a_checkpoint_is_not_unpacked_beyond_its_run(tmp_path):
    pytest.importorskip("torch")
    folder = run_folder("td", tmp_path / "run")
    path = folder / "checkpoint" / "run.zip"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = dict(np.load(io.BytesIO(members[ARRAYS])))
    bomb = io.BytesIO()
    np.savez_compressed(bomb, **{**arrays, "window/seen": np.zeros(64 << 20, np.uint8)})
    write_zip(path, {**members, ARRAYS: bomb.getvalue()})
    del arrays, bomb
    with (
        memory_within(32),
        pytest.raises(FileError, match=r"run.zip.*window/seen.*bytes; the limit is"),
    ):
        resume("td", folder)


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_run_killed_in_its_last_save_gets_its_last_model(method, tmp_path):
    """Nothing is left to learn, but the model and the evaluations are those of before."""
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    folder = run_folder(method, tmp_path / "run")
    lost = {name: (folder / name).read_bytes() for name in ("model.zip", "evaluations.jsonl")}
    for name in lost:
        (folder / name).write_bytes(b"of before")
    resume(method, folder)
    agent = make_agent(f"{method}:{folder / 'model.zip'}")
    assert agent.about["steps"] >= 128
    assert (folder / "evaluations.jsonl").read_bytes() == lost["evaluations.jsonl"]


def test_a_small_file_does_not_unpack_to_gigabytes(tmp_path, monkeypatch):
    """However large its run may be by the settings beside it, which may be damaged as well."""
    monkeypatch.setattr(archives, "MOST_BYTES", 100_000)
    path, arrays = tmp_path / "run.zip", {"zeros": np.zeros(10_000_000, np.int8)}
    archives.write_archive(path, STATE, {}, arrays, most=1 << 30)
    _, found = read_archive(checkpoint_source(path), STATE, {}, 1 << 30)
    assert len(found["zeros"]) == 10_000_000
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    write_zip(path, members)
    assert path.stat().st_size < 100_000
    with memory_within(8), pytest.raises(FileError, match=r"arrays.npz.*the limit is [\d,]+;"):
        read_archive(checkpoint_source(path), STATE, {}, 1 << 30)


@pytest.mark.training
@pytest.mark.parametrize(("method", "part"), [("td", "window"), ("search", "lessons")])
def test_rows_that_were_never_written_are_not_learned_from(method, part, tmp_path):
    """A gap in a window: kernels would step records that nobody wrote, with any action."""
    pytest.importorskip("torch")
    folder = run_folder(method, tmp_path / "run")
    path = folder / "checkpoint" / "run.zip"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = dict(np.load(io.BytesIO(members[ARRAYS])))
    rows = [name for name in arrays if name.startswith(f"{part}/") and name != f"{part}/place"]
    place = f"{part}/place"
    for kept, position in ((5, 7), (5, 0), (5, 4)):
        fewer = {name: arrays[name][:kept] for name in rows}
        members[ARRAYS] = npz({**arrays, **fewer, place: np.array([position])})
        write_zip(path, members)
        with pytest.raises(FileError, match=f"place is {position}; after 5 of .* rows it is 5"):
            resume(method, folder)
    members[ARRAYS] = npz(
        {**arrays, **{name: arrays[name][:5] for name in rows}, place: np.array([5])}
    )
    write_zip(path, members)
    resume(method, folder)


def too_large(write: Callable[[], Any], path: Path) -> None:
    """Check that a writer refuses what its reader would, and leaves the file as it was."""
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(TooLargeError, match=rf"{path.name}.*bytes; the limit is [\d,]+; \w+"):
        write()
    assert (path.read_bytes() if path.exists() else None) == before
    assert len(list(path.parent.iterdir())) == (before is not None)


def test_more_replays_than_can_be_read_are_not_written(tmp_path, monkeypatch):
    path = replay_file(tmp_path / "games.jsonl")
    games = load_replays(path)
    monkeypatch.setattr(replay_module, "MOST_BYTES", path.stat().st_size)
    save_replays(games, path)
    assert len(load_replays(path)) == 2
    too_large(lambda: save_replays([*games, games[0]], path), path)


def test_more_positions_than_can_be_read_are_not_written(tmp_path, monkeypatch):
    path = positions_file(tmp_path / "states.zip")
    limits = {positions.ABOUT: 1 << 20, positions.RECORDS: (1 << 20) + 4 * GAME.dtype.itemsize}
    monkeypatch.setattr(positions, "MOST_BYTES", limits)
    assert len(GAME.load_states(path)) == 3
    many = GAME.new_states((1 << 20) // GAME.dtype.itemsize + 8)
    too_large(lambda: GAME.save_states(many, path), path)


def test_a_model_that_cannot_be_read_is_not_written(tmp_path, monkeypatch):
    path = value_file(tmp_path / "model.zip")
    monkeypatch.setattr(archives, "MOST_BYTES", 30_000)
    too_large(lambda: save_value_model(zero_model(GAME, 2, 80, 40), path), path)


@pytest.mark.training
def test_a_policy_that_cannot_be_read_is_not_written(tmp_path, monkeypatch):
    pytest.importorskip("sb3_contrib")
    from ludotheque.agents.ppo import TrainConfig
    from ludotheque.agents.sb3 import SeatVecEnv

    sizes = {"num_envs": 4, "n_steps": 16, "batch_size": 32, "net_arch": (4, 1, 4)}
    env = SeatVecEnv("sarena", 4)
    model = TrainConfig(game="sarena", out=tmp_path / "run", steps=128, **sizes).make_model(env)
    path = tmp_path / "model.zip"
    policy.save_model(model, path, env.settings)
    monkeypatch.setattr(policy, "MOST_BYTES", 1000)
    too_large(lambda: policy.save_model(model, path, env.settings), path)


def test_a_ladder_that_cannot_be_read_is_not_written(tmp_path, monkeypatch):
    path = tmp_path / "sarena-2.json"
    read = ladder.read_ladder("sarena", 2)
    ladder.save_ladder(read, path)
    monkeypatch.setattr(ladder, "MOST_LADDER", path.stat().st_size)
    ladder.save_ladder(read, path)
    rungs = {**read.rungs, "one more": next(iter(read.rungs.values()))}
    too_large(lambda: ladder.save_ladder(dataclasses.replace(read, rungs=rungs), path), path)


def test_a_record_that_cannot_be_read_is_not_written(tmp_path, monkeypatch):
    from ludotheque.cli import rate
    from ludotheque.cli.common import FailedError

    record = rate._Record(tmp_path / "record.json", "greedy")
    record.keep({"games": [1]})
    before = record.path.read_bytes()
    monkeypatch.setattr(ladder, "MOST_BYTES", len(before))
    record.keep({"games": [1, 2]})
    with pytest.raises(FailedError, match="the limit is"):
        record.check()
    assert record.path.read_bytes() == before


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_settings_that_cannot_be_read_begin_no_run(method, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    monkeypatch.setattr(common, "MOST_CONFIG", 100)
    with pytest.raises(TooLargeError, match=r"config\.json.*the limit is 100; shorten"):
        run_folder(method, tmp_path / "run")
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != ".lock"]


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_checkpoint_that_cannot_be_read_is_not_written(method, tmp_path, monkeypatch):
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    run = resume(method, run_folder(method, tmp_path / "run"))
    path = run.out / CHECKPOINT
    if method == "td":
        monkeypatch.setattr(type(run), "_most_bytes", lambda self: 1000)
    else:
        monkeypatch.setattr(sys.modules[type(run).__module__], "most_bytes", lambda *_: 1000)
    too_large(run._save, path)


@pytest.mark.training
def test_a_run_with_a_full_pool_of_small_networks_is_resumed(tmp_path):
    """The names and headers of their arrays were more than the limit allowed for."""
    pytest.importorskip("torch")
    run = resume("td", run_folder("td", tmp_path / "run"))
    small = dict.fromkeys(run.fixed, np.zeros(1, np.float32))
    run.config.pool_size, run.fixed, run.pool = 1000, small, [small] * 1000
    run._save()
    source = checkpoint_source(run.out / CHECKPOINT)
    _, arrays = read_archive(source, STATE, {}, run._most_bytes())
    assert sum(name.startswith("pool/") for name in arrays) == 1000 * len(small)


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "ppo"])
def test_a_run_of_many_evaluations_is_resumed(method, tmp_path):
    pytest.importorskip("torch")
    pytest.importorskip("sb3_contrib")
    folder = run_folder(method, tmp_path / "run")
    source = checkpoint_source(folder / CHECKPOINT)
    about, arrays = read_archive(source, STATE, {}, 1 << 30)
    evaluation = {"steps": 10**9, "opponent": "mcts:simulations=200", "games": 400, "wins": 200}
    evaluation |= {"draws": 0, "losses": 200, "win_rate": 0.123456789, "low": 0.123456789}
    evaluation |= {"high": 0.123456789, "score": 0.123456789, "seconds": 123456.7}
    about["evaluations"] = [{**evaluation, "wins_by_seat": [50] * 4}] * 20_000
    write_archive(folder / CHECKPOINT, STATE, about, arrays)
    assert len(resume(method, folder).evaluations) >= 20_000
    about["evaluations"] *= 2
    before = (folder / CHECKPOINT).read_bytes()
    with pytest.raises(ValueError, match="run.json would have"):
        write_archive(folder / CHECKPOINT, STATE, about, arrays)
    assert (folder / CHECKPOINT).read_bytes() == before


def test_a_small_file_does_not_ask_for_gigabytes(tmp_path):
    """Zeros compress well: a model's widths are checked before allocating anything of that size."""
    model = zero_model(GAME, 2, 8, 4)
    wide = {**model.arrays, "second": np.zeros((3_000_000, 1), np.float32)}
    path = tmp_path / "wide.zip"
    write_archive(path, ABOUT_VALUES, model.about, wide)
    assert path.stat().st_size < 100_000
    with pytest.raises(FileError, match=r"wide.zip.*first is float32 \(668, 8\)"):
        make_agent(f"td:{path}")


@pytest.mark.parametrize("limit", [0, -1, 1.5, None])
def test_a_limit_that_cannot_be_is_refused(limit, tmp_path):
    model = zero_model(GAME, 2, 8, 4)
    write_archive(tmp_path / "a.zip", ABOUT_VALUES, {**model.about, "limit": limit}, model.arrays)
    with pytest.raises(FileError, match="limit.*a whole number from 1 up"):
        make_agent(f"td:{tmp_path / 'a.zip'}")


def test_deep_json_is_refused(tmp_path):
    deep = b"[" * 100_000
    path = tmp_path / "deep.jsonl"
    path.write_bytes(deep)
    with pytest.raises(FileError, match="nested too deeply"):
        load_replays(path)
    write_zip(tmp_path / "deep.zip", {ABOUT: deep, WEIGHTS: npz(board_arrays())})
    with pytest.raises(FileError, match="nested too deeply"):
        make_agent(f"ppo:{tmp_path / 'deep.zip'}")
    folder = league_folder(tmp_path / "league")
    (folder / "league.json").write_bytes(deep)
    with pytest.raises(FileError, match="nested too deeply"):
        league(folder)


def test_json_is_refused_before_a_copy_of_it_fails(tmp_path):
    """Copies need more of the stack than the parser: such JSON was read, and then failed."""
    path = tmp_path / "deep.jsonl"
    replay = json.loads(replay_file(path).read_text().splitlines()[0])
    for levels in (200, 500, 800, 900):
        deep: Any = 1
        for level in range(levels):
            deep = {"a": deep} if level % 2 else [deep]
        path.write_text(json.dumps({**replay, "options": deep}))
        with pytest.raises(FileError, match="nested too deeply"):
            load_replays(path)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    import os

    os.mkfifo(tmp_path / "pipe.zip")
    for kind in ("ppo", "td"):
        with pytest.raises(FileError, match="isn't a regular file"):
            make_agent(f"{kind}:{tmp_path / 'pipe.zip'}")
        with pytest.raises(FileError, match="it is a folder"):
            make_agent(f"{kind}:{tmp_path}")


@pytest.mark.parametrize(
    "change",
    [
        {"ranks": [0, -5]},
        {"ranks": [2, 2]},
        {"ranks": [1]},
        {"scores": ["a", "b"]},
        {"scores": [float("inf"), 0]},
        {"scores": [1e300, 0]},
        {"rewards": [0, -1e300]},
        {"actions": [10**6]},
        {"actions": "abc"},
        {"deal": -1},
        {"seats": 5},
        {"more": 1},
    ],
)
def test_edited_results_are_refused(change, tmp_path):
    folder = league_folder(tmp_path / "league")
    path = folder / "games.jsonl"
    lines = path.read_text().splitlines()
    lines[0] = json.dumps({**json.loads(lines[0]), **change})
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match=r"games.jsonl"):
        league(folder)


def test_numbers_that_are_no_actions_are_not_recorded():
    for action in (2.0, True, np.float32(1)):
        with pytest.raises(ValueError, match="is not an action|must be notation"):
            Replay.record("sarena", 2, 1, [action])


if __name__ == "__main__":
    import tempfile
    import warnings

    warnings.simplefilter("error")
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    for one in sys.argv[2:] or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            refused = sum(fuzz(one, Path(folder), wanted, seed=1))
            print(f"{one}: {refused} of {wanted} refused, the others played")
    for method in ("td", "search", "ppo"):
        with tempfile.TemporaryDirectory() as folder:
            refused = fuzz_run(method, Path(folder), wanted // 20, seed=1)
            print(f"{method}: {refused} of {wanted // 20} refused, the others resumed")
