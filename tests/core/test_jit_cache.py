"""The cache of compiled kernels: warm starts, never stale, safe with processes and threads.

Most tests run small programs in separate processes, with separate cache folders.
"""

from __future__ import annotations

import base64
import hashlib
import json
import multiprocessing
import os
import pickle
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType

import numba
import numpy as np
import preloaded
import pytest

from ludotheque.envs.core import jit

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="without JIT nothing is compiled")

# Prints what a game does in all its kernels, and where the package was found.
BEHAVIOUR = textwrap.dedent(
    """
    import hashlib, json
    import numpy as np
    import ludotheque.envs
    from ludotheque.agents import make_agent
    from ludotheque.envs import get_game
    from ludotheque.envs.core.interfaces.aec import TurnBasedEnv

    def short(array):
        return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:12]

    game = get_game("sarena")
    env = TurnBasedEnv(game, 3, reward="rank")
    env.reset(seed=11)
    seen = {"dealt": env.state_digest()[:12], "masks": [], "picked": [], "worth": []}
    while not env.terminations[env.agent_selection]:
        states = env.get_state()["states"]
        actions = np.zeros(1, np.int64)
        game.loops.random_actions(states, 0, 1, actions)
        seen["masks"].append(short(env.observe(env.agent_selection)["action_mask"]))
        if states["ply"][0] in (3, 12, 20):
            views = [game.observe(states, seat) for seat in range(3)]
            seen[f"views {states['ply'][0]}"] = short(np.concatenate(views))
            drawn = game.determinize(states, 1, 5)
            seen[f"redrawn {states['ply'][0]}"] = game.digest(drawn)[:12]
            mask = game.legal_mask(states)[None]
            picked = make_agent("random").act(None, mask, seeds=np.array([2**63], np.uint64))
            seen["picked"].append(int(picked[0]))
            worth = game.kernels["evaluate"](states[0], 1, game.new_memo())
            seen["worth"].append(round(float(worth), 3))
        env.step(int(actions[0]))
    seen["rewards"] = list(env.rewards.values())
    seen["results"] = list(env.results().values())
    seen["end"] = env.state_digest()[:12]
    print(json.dumps({"package": ludotheque.envs.__file__, "seen": seen}))
    """
)
# Uses few kernels, for tests that compile from scratch: the mask of a record that allows some
# moves. Dealing a game would take several times as long to compile.
SMALL = textwrap.dedent(
    """
    import numpy as np
    from ludotheque.envs import get_game
    game = get_game("sarena")
    states = np.zeros(1, game.dtype)
    states["moves"] = 0b1101 << 7
    print(np.flatnonzero(game.legal_mask(states)).tolist())
    """
)
FIRST_MOVE = textwrap.dedent(
    """
    from ludotheque.envs import get_game
    from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
    env = TurnBasedEnv(get_game("sarena"))
    env.reset(seed=5)
    env.step(int(env.last()[0]["action_mask"].argmax()))
    print(env.state_digest())
    """
)
ANNOUNCEMENT = "compiles its kernels on first use"


def variables(cache: Path, environment: dict[str, str]) -> dict[str, str]:
    # What is compiled here is thrown away, so it needn't be optimized.
    return {**os.environ, "NUMBA_OPT": "0", "LUDOTHEQUE_CACHE_DIR": str(cache), **environment}


def start(code: str, cache: Path, **environment: str) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=variables(cache, environment),
    )


def finish(process: subprocess.Popen) -> tuple[str, str]:
    """Return the process's output on stdout and stderr."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def run(code: str, cache: Path, **environment: str) -> tuple[str, str]:
    env = variables(cache, environment)
    if not preloaded.can_run(env):
        return finish(start(code, cache, **environment))
    status, out, err = preloaded.run(code, env)
    assert status == 0, err
    return out, err


def behaviour(cache: Path, **environment: str) -> dict:
    return json.loads(run(BEHAVIOUR, cache, **environment)[0])["seen"]


def entries(cache: Path) -> dict[str, tuple[int, int]]:
    """Size and time of every file in the cache."""
    return {
        str(path.relative_to(cache)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in cache.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def warm(tmp_path_factory) -> Path:
    """A cache that `ludotheque warmup` filled from scratch."""
    cache = tmp_path_factory.mktemp("warm") / "kernels"
    code = "import sys; from ludotheque.cli import main; sys.argv[1:] = {}; main()"
    out, err = run(code.format(["warmup", "--game", "sarena", "--json"]), cache)
    assert ANNOUNCEMENT in err and str(cache) in err, "a cold start says what takes so long"
    told = json.loads(out)
    assert list(told["seconds"]) == ["sarena"] and told["folder"] == str(cache)
    assert entries(cache)
    return cache


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> tuple[Path, str]:
    """A cache that has the kernels of SMALL, and what SMALL prints."""
    cache = tmp_path_factory.mktemp("small") / "kernels"
    return cache, run(SMALL, cache)[0]


@pytest.fixture(scope="module")
def first_use(warm) -> tuple[dict, str]:
    """What a game does after the warm-up, and the output on stderr."""
    out, err = run(BEHAVIOUR, warm)
    return json.loads(out)["seen"], err


@pytest.fixture(scope="module")
def usual(first_use) -> dict:
    seen, _ = first_use
    assert seen["masks"]
    return seen


# Warm starts


def test_warm_start_compiles_nothing(warm, usual):
    before = entries(warm)
    out, err = run(BEHAVIOUR, warm)
    assert json.loads(out)["seen"] == usual
    assert ANNOUNCEMENT not in err
    assert entries(warm) == before


def test_a_caller_finds_what_it_calls_compiled_anew(warm, usual, tmp_path):
    """Loops call large kernels at their address; an entry may remain while theirs are gone."""
    cache = tmp_path / "kernels"
    shutil.copytree(warm, cache)
    gone = [path for name in ("step", "observe") for path in cache.glob(f"{name}-*.nbc")]
    assert gone and list(cache.glob("sarena_play-*.nbc"))
    for path in gone:
        path.unlink()
    assert behaviour(cache) == usual
    assert all(path.exists() for path in gone), "the same code has the same name"


def test_warmup_compiles_what_first_moves_need(first_use):
    assert ANNOUNCEMENT not in first_use[1]


def test_importing_compiles_nothing(tmp_path):
    code = "import ludotheque.envs\nfrom ludotheque.envs import sarena_v0\nsarena_v0.env(3)\n"
    _, err = run(code, tmp_path / "kernels")
    assert not (tmp_path / "kernels").exists()
    assert ANNOUNCEMENT not in err


def test_a_first_move_compiles_nothing(tmp_path):
    """A single game is interpreted at first, with the same results as when compiled."""
    found = {}
    for seconds in ("", "0"):
        cache = tmp_path / f"kernels {seconds}"
        out, err = run(FIRST_MOVE, cache, LUDOTHEQUE_COMPILE_AFTER=seconds)
        found[seconds] = out, cache.exists(), ANNOUNCEMENT in err
    assert found[""] == (found["0"][0], False, False)
    assert found["0"][1:] == (True, True)


def test_cache_folder_is_named_by_the_environment(small, tmp_path):
    """Everything goes to LUDOTHEQUE_CACHE_DIR or, without it, the user's cache folder."""
    cache, printed = small
    elsewhere = tmp_path / "xdg"
    assert run(SMALL, cache, XDG_CACHE_HOME=str(elsewhere))[0] == printed
    assert not elsewhere.exists()
    shutil.copytree(cache, elsewhere / "ludotheque")
    before = entries(elsewhere)
    out, err = run(SMALL, Path(""), XDG_CACHE_HOME=str(elsewhere), LUDOTHEQUE_CACHE_DIR="")
    assert out == printed
    assert ANNOUNCEMENT not in err, "the folder of XDG_CACHE_HOME was not used"
    assert entries(elsewhere) == before


def test_number_of_threads_is_no_part_of_the_cache(warm, usual):
    """Numba's own parallel kernels have crashed when this changed between runs."""
    before = entries(warm)
    for count in ("1", "4"):
        assert behaviour(warm, NUMBA_NUM_THREADS=count) == usual
    assert entries(warm) == before


# Never stale


EDITS = {
    "core/rng.py, a constant": (
        "envs/core/rng.py",
        "_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)",
        "_MIX_1 = np.uint64(0xBF58476D1CE4E5B1)",
    ),
    "core/bits.py, a kernel": (
        "envs/core/bits.py",
        "def select_bit(bits, k):\n",
        "def select_bit(bits, k):\n    k = 0\n",
    ),
    "core/state.py, a kernel": (
        "envs/core/state.py",
        'state["phase"] = 0',
        'state["phase"] = 1',
    ),
    "core/rewards.py, a kernel": (
        "envs/core/rewards.py",
        "1.0 - 2.0 * place",
        "1.0 - 4.0 * place",
    ),
    "core/loops.py, a loop": (
        "envs/core/loops.py",
        'state["last_action"] = action',
        'state["last_action"] = action + 1',
    ),
    "sarena/components.json, data": (
        "envs/sarena/components.json",
        '"AB": 6, "AC": 6',
        '"AC": 6, "AB": 6',
    ),
    "sarena/components.py, a table": (
        "envs/sarena/components.py",
        "<< 2 * (3 - k)",
        "<< 2 * k",
    ),
    "sarena/rules.py, a kernel": (
        "envs/sarena/rules.py",
        "scores[seat] = discs\n",
        "scores[seat] = discs + 1\n",
    ),
    "sarena/hidden.py, a kernel": (
        "envs/sarena/hidden.py",
        'state["seed"] = seed',
        'state["seed"] = seed + 1',
    ),
    "sarena/observation.py, a kernel": (
        "envs/sarena/observation.py",
        'out[AT.ply] = state["ply"]',
        'out[AT.ply] = state["ply"] + 1',
    ),
    "sarena/heuristics.py, a constant": (
        "envs/sarena/heuristics.py",
        "FIRM = 2",
        "FIRM = 0",
    ),
    "agents/kernels.py, a kernel": (
        "agents/kernels.py",
        "k = below(mix64(seeds[row]), count)",
        "k = below(mix64(seeds[row]), count) // 2",
    ),
}


def copied_package(root: Path, folder: Path) -> Path:
    """Copy everything with kernels to ``folder``; return the entry for PYTHONPATH."""
    for name in ("envs", "agents"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(root / name, folder / "ludotheque" / name, ignore=ignore)
    return folder


def edit(package: Path, file: str, old: str, new: str) -> None:
    path = package / "ludotheque" / file
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{file} has no {old!r} any more: choose another edit for this test"
    path.write_text(text.replace(old, new), encoding="utf-8")


def behaviour_of(package: Path, cache: Path, **environment: str) -> dict:
    # Python distinguishes bytecode files by whole seconds; they aren't tested here.
    environment |= {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    result = json.loads(run(BEHAVIOUR, cache, **environment)[0])
    assert Path(result["package"]).is_relative_to(package), "another copy was imported"
    return result["seen"]


def test_a_copy_in_another_place_uses_the_same_entries(root, warm, usual, tmp_path):
    before = entries(warm)
    assert behaviour_of(copied_package(root, tmp_path), warm) == usual
    assert entries(warm) == before


@pytest.mark.parametrize("name", EDITS)
def test_no_stale_machine_code_after_an_edit(name, root, warm, usual, tmp_path):
    """After an edit, compiled kernels do what the same source does in plain Python."""
    cache = tmp_path / "kernels"
    shutil.copytree(warm, cache)
    package = copied_package(root, tmp_path / "copy")
    edit(package, *EDITS[name])
    compiled = behaviour_of(package, cache)
    assert compiled != usual
    assert compiled == behaviour_of(package, cache, NUMBA_DISABLE_JIT="1")


def test_an_edit_that_is_undone_finds_the_old_entries(root, warm, usual, tmp_path):
    cache = tmp_path / "kernels"
    shutil.copytree(warm, cache)
    package = copied_package(root, tmp_path / "copy")
    file, old, new = EDITS["sarena/heuristics.py, a constant"]
    edit(package, file, old, new)
    assert behaviour_of(package, cache) != usual
    edit(package, file, new, old)
    before = entries(cache)
    assert behaviour_of(package, cache) == usual
    assert entries(cache) == before


NAMED = """
    from typing import NamedTuple

    import numpy as np

    from ludotheque.envs.core.jit import kernel

    class Pair(NamedTuple):
        first: int
        second: int

    @kernel
    def inner(pair):
        return pair.first

    @kernel
    def outer():
        return inner(Pair(first=1, second=2))

    print(inner(Pair(first=1, second=2)), outer())
"""


def test_fields_of_a_named_tuple_that_change_places_are_seen(tmp_path):
    """Machine code reads fields by position, which neither bytecode nor signature contains."""
    program = tmp_path / "program.py"
    cache = tmp_path / "kernels"
    lines = "        first: int\n", "        second: int\n"
    found = []
    for order in (lines, lines[::-1]):
        program.write_text(textwrap.dedent(NAMED.replace("".join(lines), "".join(order))))
        found.append(run(f"import runpy; runpy.run_path({str(program)!r})", cache)[0].split())
    assert found == [["1", "1"], ["1", "1"]]
    assert len(entries(cache)) == 4, "one entry for each kernel and order"


def test_every_file_of_kernels_is_edited_in_these_tests(root):
    """A new file of kernels needs an edit here; files without kernels are listed.

    In the engine and one game: digests don't depend on the game.
    """
    edited = {file for file, _, _ in EDITS.values()}
    not_kernels = {"envs/core/jit.py"}
    # Not run in this game: they process records from outside, or results of games, or serve others.
    not_played = {
        "envs/core/advantages.py",
        "envs/core/memo.py",
        "envs/core/validity.py",
        "envs/sarena/validity.py",
    }
    with_kernels = {
        path.relative_to(root).as_posix()
        for folder in ("core", "sarena")
        for path in (root / "envs" / folder).rglob("*.py")
        if re.search(r"^@kernel|import.* specialize|kernel\(", path.read_text("utf-8"), re.M)
    }
    assert with_kernels - edited - not_kernels == not_played


# What a digest depends on


def made(source: str, name: str = "f", **names) -> FunctionType:
    """A function as if written in a module with the given global names."""
    namespace = {"np": np, **names}
    exec(textwrap.dedent(source), namespace)
    return namespace[name]


def digest_of(source: str, **names) -> str:
    return jit.digest(made(source, **names))


PLAIN = "def f(x):\n    return x + SIZE"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 2),
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ("a", "b"),
        (np.int8(3), np.int64(3)),
        (np.arange(3), np.array([0, 1, 3])),
        (np.arange(3), np.arange(3.0)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.dtype(np.int8), np.dtype(np.int16)),
        (np.dtype([("a", np.int8)]), np.dtype([("b", np.int8)])),
        ((1, 2), (2, 1)),
        ((1, (2,)), (1, (3,))),
        ((1, 23), (12, 3)),
        (((1,), 2), (1, (2,))),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_digest_depends_on_constants(one, other):
    assert digest_of(PLAIN, SIZE=one) == digest_of(PLAIN, SIZE=one)
    assert digest_of(PLAIN, SIZE=one) != digest_of(PLAIN, SIZE=other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x):\n    return x + 1", "def f(x):\n    return x + 2"),
        ("def f(x):\n    return x + 1", "def f(x):\n    return x - 1"),
        ("def f(x, y):\n    return x", "def f(x, y):\n    return y"),
        ("def f(x, y=1):\n    return x", "def f(x, y=2):\n    return x"),
        ("def f(x, *, y=1):\n    return x", "def f(x, *, y=2):\n    return x"),
        ("def f(x):\n    return np.sin(x)", "def f(x):\n    return np.cos(x)"),
        ("def f(x):\n    return x * 1 + 23", "def f(x):\n    return x * 12 + 3"),
        ("def f(x):\n    return x + 1", "def f(x):\n    return x + 1.0"),
        (
            "def f(x):\n    return [y + 1 for y in x]",
            "def f(x):\n    return [y + 2 for y in x]",
        ),
    ],
)
def test_digest_depends_on_the_code(one, other):
    assert digest_of(one) != digest_of(other)


@pytest.mark.parametrize(
    "other",
    [
        "def f(x):\n    # why\n    return x + SIZE",
        "\n\n\ndef f(x):\n    return x + SIZE",
        "UNUSED = 7\ndef f(x):\n    return x + SIZE",
    ],
)
def test_digest_does_not_depend_on_comments_and_places(other):
    assert digest_of(PLAIN, SIZE=1) == digest_of(other, SIZE=1)


@pytest.mark.skipif(os.name != "posix", reason="no permissions as on Unix")
def test_a_folder_that_others_can_write_is_not_read(tmp_path, monkeypatch, caplog):
    """Entries are unpickled, so anyone who can write them can run code."""
    monkeypatch.setenv("LUDOTHEQUE_CACHE_DIR", str(tmp_path))

    def entries_after(mode: int) -> int:
        tmp_path.chmod(mode)
        function = made("def f(x):\n    return x + SIZE", SIZE=mode)
        assert jit.kernel(function)(1) == mode + 1
        return len(list(tmp_path.iterdir()))

    assert entries_after(0o777) == 0
    told = [record.getMessage() for record in caplog.records]
    assert any(f"chmod go-w {tmp_path}" in text for text in told)
    assert entries_after(0o777) == 0 and len(caplog.records) == len(told), "told twice"
    assert entries_after(0o700) > 0
    monkeypatch.setattr(jit.os, "getuid", lambda: 12345)
    monkeypatch.setattr(jit, "_told_folders", set())
    before = len(list(tmp_path.iterdir()))
    tmp_path.chmod(0o755)
    owner = tmp_path.stat().st_uid
    assert jit.is_own(tmp_path) == (owner == 0) and len(list(tmp_path.iterdir())) == before


def test_digest_follows_calls_through_modules():
    """A change three calls away, in a table, in another module's names."""

    def chain(table) -> FunctionType:
        inner = jit.kernel(made("def f(x):\n    return TABLE[x]", TABLE=table))
        middle = made("def f(x):\n    return inner(x)", inner=inner)
        return made("def f(x):\n    return middle(x)", middle=middle)

    assert jit.digest(chain(np.arange(4))) == jit.digest(chain(np.arange(4)))
    assert jit.digest(chain(np.arange(4))) != jit.digest(chain(np.array([0, 1, 2, 4])))


def test_digest_depends_on_which_of_two_callees_a_third_name_means():
    """Both are known by then, so that neither's code is fed again."""
    one, two = (made(f"def f(x):\n    return x + {k}") for k in (1, 2))
    source = "def f(x):\n    return a(x) + b(x) * c(x)"
    assert digest_of(source, a=one, b=two, c=one) != digest_of(source, a=one, b=two, c=two)


def test_digest_depends_on_enumerations():
    """Numba compiles a member's value into the machine code."""
    names = [
        made(f"import enum\nclass Phase(enum.IntEnum):\n    PLAY = {value}", "Phase")
        for value in (1, 2)
    ]
    source = "def f(x):\n    return x + Phase.PLAY"
    one, other = (digest_of(source, Phase=name) for name in names)
    assert one != other
    assert digest_of(source, Phase=names[0]) == one


def test_digest_of_functions_that_call_each_other():
    names = {}
    exec("def f(x):\n    return g(x)\ndef g(x):\n    return f(x) if x else 0", names)
    assert len(jit.digest(names["f"])) == 64


@pytest.mark.parametrize("value", [[1, 2], {"a": 1}, {1, 2}, object()])
def test_what_can_change_unseen_is_refused(value):
    with pytest.raises(TypeError, match="a kernel reads 'SIZE'"):
        digest_of(PLAIN, SIZE=value)


@pytest.mark.parametrize("home", ["ludotheque.envs.sarena", "a_game_of_ones_own"])
def test_constants_through_a_module_are_refused(home):
    components = ModuleType(f"{home}.components")
    source = "def f(x):\n    return x + components.NUM_DISCS"
    with pytest.raises(TypeError, match="import its constants by name"):
        digest_of(source, components=components)


@pytest.mark.parametrize("name", ["étape", "<lambda>", "step" * 100])
def test_a_kernel_called_at_its_address_may_have_any_name(name, tmp_path):
    """Its callers, read from the cache, crashed the interpreter: they called it before it was."""
    code = textwrap.dedent(
        f"""
        import numpy as np
        from ludotheque.envs.core.jit import kernel, link_late, specialize

        def plain(x):
            return x + 1

        def caller(x):
            return step(x)

        step = None
        plain.__name__ = plain.__qualname__ = {name!r}
        print(specialize(caller, "caller", step=link_late(kernel(plain)))(np.int64(1)))
        """
    )
    for _ in range(2):
        assert finish(start(code, tmp_path))[0] == "2\n"
    assert len(entries(tmp_path)) == 2


def test_specialize_wants_names_that_are_read():
    with pytest.raises(ValueError, match=r"f reads no name \['step'\]"):
        jit.specialize(made("def f(x):\n    return x"), "g", step=1)


def test_specialized_loops_are_told_apart():
    def template(x):
        return inner(x)

    ones = [made(f"def f(x):\n    return x + {k}") for k in (1, 2)]
    made_loops = [jit.specialize(template, "loop", inner=jit.kernel(one)) for one in ones]
    assert [loop(np.int64(1)) for loop in made_loops] == [2, 3]


inner = None


# Folders that can't be used, entries that are damaged


def test_a_folder_that_cannot_be_made_is_no_error(small, tmp_path):
    _, printed = small
    (tmp_path / "file").write_text("in the way")
    out, _ = run(SMALL, tmp_path / "file" / "kernels")
    assert out == printed


def test_a_full_or_read_only_folder_is_no_error(small, tmp_path):
    """Nothing can be written: no error, nothing half written, and the right result."""
    _, printed = small
    refuse = textwrap.dedent(
        """
        import errno, os, pathlib, tempfile
        def refuse(*args, **kwargs):
            raise OSError(errno.ENOSPC, "No space left on device")
        pathlib.Path.write_bytes = pathlib.Path.write_text = os.replace = refuse
        """
    )
    out, _ = run(refuse + SMALL, tmp_path / "kernels")
    assert out == printed
    assert not [path for path in (tmp_path / "kernels").rglob("*") if path.is_file()]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_without_write_permission_is_no_error(small, tmp_path):
    _, printed = small
    (tmp_path / "kernels").mkdir(mode=0o500)
    assert run(SMALL, tmp_path / "kernels")[0] == printed


def _flipped(data: bytes, place: float) -> bytes:
    k = int(place * (len(data) - 1))
    return data[:k] + bytes([data[k] ^ 0xFF]) + data[k + 1 :]


def _sealed(pickled: bytes) -> bytes:
    """An entry with a checksum that is right."""
    return hashlib.sha256(pickled).digest() + pickled


DAMAGE = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],
    "last byte missing": lambda data: data[:-1],
    "rubbish": lambda data: b"\x00\xff rubbish" * 50,
    "text": lambda data: b"<html>not a kernel</html>",
    "something else pickled": lambda data: pickle.dumps({"not": "a kernel"}),
    "a number pickled": lambda data: pickle.dumps(42),
    "a class that is gone": lambda data: b"cno_such_module\nNoSuchClass\n.",
    "a module that has been moved since": lambda data: _sealed(b"cno_such_module\nNoSuchClass\n."),
    **{
        f"byte flipped at {place}": lambda data, place=place: _flipped(data, place)
        for place in (0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1)
    },
}


# Changed machine code may crash the process that runs it, so it runs in a separate one.
TRY_DAMAGED = textwrap.dedent(
    """
    import base64, json, os, pathlib, sys
    import numpy as np
    from ludotheque.envs.core import jit
    SIZE = 4
    def add(x):
        return x * 3 + SIZE
    def fresh():
        return int(jit.specialize(add, "add")(np.int64(5)))
    folder = pathlib.Path(os.environ["LUDOTHEQUE_CACHE_DIR"])
    found = {"sound": fresh()}
    (path,) = folder.iterdir()
    print(json.dumps({"entry": base64.b64encode(path.read_bytes()).decode()}), flush=True)
    for line in sys.stdin:
        kind, data = json.loads(line)
        data = base64.b64decode(data)
        path.write_bytes(data)
        found = {"kind": kind, "first": fresh(), "replaced": path.read_bytes() != data}
        found |= {"second": fresh(), "files": len(list(folder.iterdir()))}
        print(json.dumps(found), flush=True)
    """
)


@pytest.fixture(scope="module")
def after_damage(tmp_path_factory) -> dict[str, dict]:
    """The outcome of each kind of damage; kinds after a crash are missing."""
    cache = tmp_path_factory.mktemp("damaged")
    env = {**os.environ, "LUDOTHEQUE_CACHE_DIR": str(cache)}
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    process = subprocess.Popen([sys.executable, "-c", TRY_DAMAGED], text=True, env=env, **pipes)
    sound = base64.b64decode(json.loads(process.stdout.readline())["entry"])
    jobs = [[kind, base64.b64encode(DAMAGE[kind](sound)).decode()] for kind in DAMAGE]
    out, _ = process.communicate("".join(json.dumps(job) + "\n" for job in jobs), timeout=300)
    results = [json.loads(line) for line in out.splitlines()]
    return {result["kind"]: result for result in results}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_entry_is_compiled_again_and_replaced(kind, after_damage):
    assert kind in after_damage, "the process that read the damaged entry, or one before, crashed"
    result = after_damage[kind]
    assert (result["first"], result["second"]) == (19, 19)
    assert result["replaced"], "the damaged entry was not replaced"
    assert result["files"] == 1


@pytest.mark.parametrize("kind", ["cut off", "byte flipped at 0.5"])
def test_a_cache_in_which_everything_is_damaged(kind, small, tmp_path):
    cache, printed = small
    damaged = tmp_path / "kernels"
    shutil.copytree(cache, damaged)
    for path in damaged.rglob("*.nbc"):
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    assert run(SMALL, damaged)[0] == printed
    out, err = run(SMALL, damaged)
    assert out == printed
    assert ANNOUNCEMENT not in err, "the damaged entries were not replaced"


def test_entries_of_another_version_are_not_used(tmp_path, monkeypatch):
    """An entry's name depends on the versions of Python, numpy and numba, and numba's settings."""
    kernel = jit.kernel(made(PLAIN, SIZE=4))
    cache = kernel.compiled._cache

    class Codegen:
        @staticmethod
        def magic_tuple():
            return ("x86_64", "generic", "")

    def path(signature="(int64,)"):
        return cache._path(tmp_path, signature, Codegen)

    usual = path()
    monkeypatch.setattr(jit, "_VERSIONS", ("9.9", "9.9", "9.9"))
    assert path() != usual
    monkeypatch.undo()
    assert path("(float64,)") != usual
    assert path() == usual
    for name, value in jit._NUMBA_SETTINGS.items():
        assert hasattr(numba.config, name), f"numba has no setting {name}"
        with monkeypatch.context() as patch:
            patch.setattr(numba.config, name, "none" if isinstance(value, str) else 2)
            assert path() != usual, name
    assert path() == usual


def test_kernels_with_checked_bounds_are_others(small, tmp_path):
    """NUMBA_BOUNDSCHECK changes the machine code, so entries made without it must not be used."""
    kernel = textwrap.dedent(
        """
        import numpy as np
        from ludotheque.envs.core.jit import specialize
        def at(array, i):
            return array[i]
        try:
            specialize(at, "at")(np.zeros(8)[:2], 5)
            print("unchecked")
        except IndexError:
            print("checked")
        """
    )
    found = [run(kernel, tmp_path, NUMBA_BOUNDSCHECK=value)[0].strip() for value in "010"]
    assert found == ["unchecked", "checked", "unchecked"]
    assert len(entries(tmp_path)) == 2


# Without numba's internals, without a home


HIDE = textwrap.dedent(
    """
    import builtins
    found = builtins.__import__
    def hide(name, globals=None, locals=None, fromlist=(), level=0):
        if (globals or {{}}).get("__name__") == "ludotheque.envs.core.jit" and name == {name!r}:
            raise ImportError("cannot import " + name)
        return found(name, globals, locals, fromlist, level)
    builtins.__import__ = hide
    """
)
HIDDEN = {
    **{
        f"{name} is gone": HIDE.format(name=name)
        for name in ("numba.core.caching", "numba.core.compiler", "numba.core.serialize")
    },
    "results cannot be taken apart": (
        "from numba.core.compiler import CompileResult; del CompileResult._reduce"
    ),
    "dispatchers have no cache": (
        "import numba.core.caching as m; m.NullCache = type('NullCache', (), {})"
    ),
    "the cache gets other arguments": textwrap.dedent(
        """
        from numba.core import caching
        class NullCache(caching.NullCache):
            def __setattr__(self, name, value):
                object.__setattr__(self, name, value)
                self.__dict__["_load"] = lambda folder, sig: None
        import numba.core.dispatcher as m
        caching.NullCache = m.NullCache = NullCache
        """
    ),
}


@pytest.mark.parametrize("change", HIDDEN)
def test_numbas_internals_may_change(change, small, tmp_path):
    """If missing or different, kernels compile, nothing is cached, and one warning is logged."""
    _, printed = small
    out, err = run(f"import sys, numba\n{HIDDEN[change]}\n{SMALL}", tmp_path / "kernels")
    assert out == printed
    assert err.count("can't keep compiled kernels with numba") == 1, err
    assert not entries(tmp_path)


def test_ctrl_c_in_the_cache_stays_ctrl_c(tmp_path, monkeypatch):
    """A numba generator turns it into another error, which doesn't mean other internals."""

    def interrupted(folder: Path) -> None:
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt:
            raise RuntimeError("generator raised StopIteration") from StopIteration()

    monkeypatch.setenv("LUDOTHEQUE_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(jit, "_gave_up", False)
    cache = jit._KernelCache(lambda: None)
    with pytest.raises(KeyboardInterrupt):
        cache._attempt(interrupted)
    assert not jit._gave_up


NO_HOME = textwrap.dedent(
    """
    import pathlib
    def home():
        raise RuntimeError("Could not determine home directory.")
    pathlib.Path.home = home
    from ludotheque.envs.core.jit import cache_dir
    print(cache_dir())
    """
)


def test_a_home_directory_is_not_needed(small):
    """A container's user often has none: folders named by the environment are still used."""
    cache, printed = small
    assert run(NO_HOME, cache)[0].strip() == str(cache)
    named = {"XDG_CACHE_HOME": "/elsewhere", "LOCALAPPDATA": "/elsewhere"}
    out, _ = run(NO_HOME, Path(""), LUDOTHEQUE_CACHE_DIR="", **named)
    assert Path(out.strip()) == Path("/elsewhere/ludotheque")
    nothing = {"LUDOTHEQUE_CACHE_DIR": "", "XDG_CACHE_HOME": "", "LOCALAPPDATA": ""}
    out, err = run(NO_HOME + SMALL, Path(""), **nothing)
    assert out == "None\n" + printed
    assert err.count("there is no home directory to keep them in") == 1, err


# Processes and threads


def test_two_processes_starting_on_a_cold_cache(small, tmp_path):
    _, printed = small
    processes = [start(SMALL, tmp_path / "kernels") for _ in range(2)]
    assert [finish(process)[0] for process in processes] == [printed, printed]
    left = [path.name for path in (tmp_path / "kernels").iterdir()]
    assert all(name.endswith(".nbc") for name in left), f"half-written files are left: {left}"
    out, err = run(SMALL, tmp_path / "kernels")
    assert out == printed and ANNOUNCEMENT not in err


WORK = textwrap.dedent(
    """
    import multiprocessing, sys, threading
    from ludotheque.envs import make_batch

    def play(seed, num_threads=2):
        batch = make_batch("sarena", 256, 3, num_threads=num_threads)
        batch.reset(seed)
        for _ in range(40):
            batch.step(batch.random_actions())
        return batch.state_digest()

    def in_processes(method):
        context = multiprocessing.get_context(method)
        with context.Pool(2) as pool:
            return pool.map(play, [0, 1, 2, 3])

    def in_threads(count=6):
        found, ready = [None] * count, threading.Barrier(count)
        def work(k):
            ready.wait()
            found[k] = play(k % 4)
        threads = [threading.Thread(target=work, args=(k,)) for k in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return [found[k] == found[k % 4] for k in range(count)], found[:4]
    """
)
MAIN = textwrap.dedent(
    """
    if __name__ == "__main__":
        {first}
        result = {call}
        print(result == [play(seed, 1) for seed in range(4)])
    """
)
FIRST = {"unused before": "pass", "used before": "play(9)"}
# Each process of a fork server is forked from one that the parent's kernels were never in.
STARTS = [
    pytest.param(method, FIRST[when], id=f"{method}-{when}")
    for method in multiprocessing.get_all_start_methods()
    for when in FIRST
    if method != "forkserver" or when == "used before"
]


def run_script(text: str, folder: Path, **environment: str) -> str:
    script = folder / "script.py"
    script.write_text(text, encoding="utf-8")
    env = {**os.environ, **environment}
    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=env, timeout=300
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.mark.parametrize(("method", "first"), STARTS)
def test_processes_that_are_started_by_another(method, first, tmp_path):
    """Whether the parent's kernels and threads were in use or not."""
    text = WORK + MAIN.format(first=first, call=f"in_processes({method!r})")
    # From 3.12 on Python itself warns of every fork in a process with threads.
    assert run_script(text, tmp_path, PYTHONWARNINGS="ignore::DeprecationWarning") == "True"


def test_python_threads_that_start_together(tmp_path):
    """Several threads call kernels for the first time at once, each with its own pool."""
    text = WORK + 'if __name__ == "__main__":\n    print(all(in_threads()[0]))\n'
    assert run_script(text, tmp_path) == "True"


def test_python_threads_on_a_cold_cache(small, tmp_path):
    _, printed = small
    code = textwrap.dedent(
        """
        import threading
        import numpy as np
        from ludotheque.envs import get_game
        game, found = get_game("sarena"), []
        states = np.zeros(1, game.dtype)
        states["moves"] = 0b1101 << 7
        ready = threading.Barrier(4)
        def work():
            ready.wait()
            found.append(str(np.flatnonzero(game.legal_mask(states)).tolist()))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(*set(found))
        """
    )
    assert run(code, tmp_path / "kernels")[0] == printed


def _evens(count):
    return np.arange(0, 2 * count, 2)


evens = jit.allocating_kernel(_evens)


@jit.allocating_kernel
def sum_of_evens(count):
    return evens(count).sum()


def test_kernels_that_create_arrays_say_so():
    """Others are compiled without numba's runtime, which an array needs."""
    with pytest.raises(jit.NumbaError) as refused:
        jit.kernel(_evens)(3)
    assert any("@allocating_kernel" in note for note in refused.value.__notes__)
    assert sum_of_evens(4) == 0 + 2 + 4 + 6


def _same(array):
    return array


def _as_pair(array):
    return array, array


@pytest.mark.parametrize("shown", [_same, _as_pair])
def test_a_kernel_that_counts_no_references_returns_no_array_to_one_that_does(shown):
    """Its caller would free the array, which is still in use."""
    caller = made(
        "def f(count):\n    array = np.zeros(count)\n    g(array)\n    return array.sum()",
        g=jit.kernel(shown),
    )
    with pytest.raises(jit.NumbaError, match=f"make {shown.__name__} an @allocating_kernel"):
        jit.allocating_kernel(caller)(3)


def test_a_kernel_that_counts_no_references_gets_no_new_array():
    """It would never free it."""
    caller = made("def caller(count):\n    return evens(count)[0]", "caller", evens=evens)
    with pytest.raises(jit.NumbaError, match="make caller an @allocating_kernel"):
        jit.kernel(caller)(3)
