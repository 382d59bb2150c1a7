"""The first calls of a game's loops, interpreted: the same games, and never half a move."""

from __future__ import annotations

import hashlib
import math
import signal
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from interrupts import Interrupt
from numba.core.caching import NullCache

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core import interpreted, jit
from ludotheque.envs.core.interpreted import Patience, interpret_first
from ludotheque.envs.core.jit import JIT_DISABLED, kernel, specialize
from ludotheque.envs.core.loops import RAISE, compile_loops

pytestmark = pytest.mark.skipif(JIT_DISABLED, reason="without JIT everything is interpreted")

RECORD = np.dtype([("done", np.int64), ("left", np.int64)])


@pytest.fixture
def patient(monkeypatch) -> None:
    """Interpret whatever is allowed, whether or not it was compiled before."""
    monkeypatch.setattr(interpreted, "COMPILE_AFTER", math.inf)
    monkeypatch.setattr(interpreted, "_is_kept", lambda loop, args: False)


def played(game, loops) -> str:
    """Play a random game through its loops; return a digest of all outputs."""
    hasher, count = hashlib.sha256(), game.max_players
    states, actions = game.new_states(1), np.zeros(1, np.int64)
    rewards, scores = np.zeros((2, 1, count), np.float32)
    ranks, mask = np.zeros((1, count), np.int64), np.zeros(game.num_actions, np.int8)
    view = np.zeros(game.observation_size(), game.observation_dtype)
    now = np.zeros(3, np.int64)
    loops.deal(states, 0, 1, np.array([3], np.uint64), game.encode_options(game.usual_players))
    while not (states["terminated"][0] or states["truncated"][0]):
        loops.view(states, 0, int(states["ply"][0]) % game.usual_players, view)
        loops.turn(states, 0, mask, now)
        loops.random_actions(states, 0, 1, actions)
        results = rewards[0], scores[0], ranks[0], mask, now
        code = loops.play(states, actions[0], (RAISE, 0.0, 0), *results)
        hasher.update(b"".join(filled.tobytes() for filled in (view, mask, now, actions, rewards)))
        hasher.update(str(code).encode())
    loops.results(states, 0, 1, scores, ranks)
    loops.redraw(states, 0, 1, np.zeros(1, np.int64), np.array([4], np.uint64))
    hasher.update(scores.tobytes() + ranks.tobytes() + game.digest(states).encode())
    return hasher.hexdigest()


@pytest.mark.parametrize("name", game_names())
def test_a_game_is_the_same_as_compiled(name, request):
    game = get_game(name)
    compiled = played(game, game.loops)
    request.getfixturevalue("patient")
    loops = compile_loops(f"{name}_fresh", game.num_actions, game._loop_kernels("observe"))
    assert played(game, loops) == compiled
    assert loops.play.overloads == loops.deal.overloads == {}, "it was compiled"


def work(states, by):
    """Do work on every record."""
    for i in range(len(states)):
        states[i]["done"] += by
        states[i]["left"] -= by


def fresh() -> tuple:
    loop, patience = specialize(work, "work"), Patience()
    interpret_first(loop, patience)
    return loop, patience


def test_it_compiles_once_patience_is_at_an_end(patient):
    loop, patience = fresh()
    states = np.zeros(1, RECORD)
    loop(states, 2)
    assert patience.spent > 0 and not loop.overloads
    patience.spent = math.inf
    loop(states, 3)
    assert loop.overloads
    assert states[0].tolist() == (5, -5)


def test_several_games_are_compiled_at_once(patient):
    loop, patience = fresh()
    states = np.zeros(2, RECORD)
    loop(states, 2)
    assert loop.overloads and patience.spent == 0
    assert states["done"].tolist() == [2, 2]


def test_records_that_may_only_be_read_stay_as_they_are(patient):
    loop, _ = fresh()
    states = np.zeros(1, RECORD)
    states.flags.writeable = False
    loop(states, 2)
    assert states[0].tolist() == (0, 0) and not loop.overloads


def test_a_cache_folder_that_may_not_be_looked_into_holds_nothing(monkeypatch, tmp_path):
    """Nothing is known about such a name: an OSError, as in another user's folder."""
    monkeypatch.setattr(interpreted, "COMPILE_AFTER", math.inf)
    monkeypatch.setenv("LUDOTHEQUE_CACHE_DIR", str(tmp_path / ("kernels" * 50)))
    loop, _ = fresh()
    states = np.zeros(1, RECORD)
    loop(states, 2)
    assert states[0].tolist() == (2, -2) and not loop.overloads


@pytest.fixture
def ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield lambda: signal.raise_signal(signal.SIGINT)
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


def test_ctrl_c_waits_for_the_compiler_and_a_second_one_does_not(ctrl_c, monkeypatch):
    loop, states = specialize(work, "work"), np.zeros(1, RECORD)
    compile_one, times, ended = loop._compiler.compile, [2], []

    def interrupted(*args):
        for _ in range(times.pop()):
            ctrl_c()
        ended.append(compile_one(*args))
        return ended[-1]

    monkeypatch.setattr(loop._compiler, "compile", interrupted)
    monkeypatch.setattr(loop, "_cache", NullCache())
    with pytest.raises(KeyboardInterrupt):
        loop(states, 2)
    assert not ended, "the second came at once"
    times.append(1)
    with pytest.raises(KeyboardInterrupt):
        loop(states, 2)
    assert ended and states[0].tolist() == (0, 0), "compiled, and not called"
    loop(states, 2)
    assert states[0].tolist() == (2, -2) and len(ended) == 1


def _nothing():
    pass


def _interrupted():
    raise KeyboardInterrupt


halt = kernel(_nothing, plain=_interrupted)


def work_in_parts(states, by):
    states[0]["done"] += by
    halt()
    states[0]["left"] -= by


def test_ctrl_c_leaves_no_lock_that_other_threads_wait_for(monkeypatch, tmp_path):
    """Each interpreted call checks for a compiled one, which queries LLVM."""
    lock = pytest.importorskip("llvmlite.binding.ffi").lib._lock._lock
    monkeypatch.setattr(interpreted, "COMPILE_AFTER", math.inf)
    monkeypatch.setenv("LUDOTHEQUE_CACHE_DIR", str(tmp_path))
    loop, _ = fresh()
    states = np.zeros(1, RECORD)

    def ask() -> None:
        jit._machine.cache_clear()
        loop(states, 2)

    def is_free() -> bool:
        free = lock.acquire(blocking=False)
        if free:
            lock.release()
        return free

    with ThreadPoolExecutor(1) as other:
        assert other.submit(is_free).result()
        struck = 0
        while Interrupt(struck, "llvmlite").strikes(ask):
            struck += 1
            free = other.submit(is_free).result()
            if not free:
                lock.release()
            assert free, f"after Ctrl-C at step {struck - 1}"
    assert struck > 10


def test_an_interrupt_leaves_no_game_in_the_midst_of_a_move(patient):
    loop = specialize(work_in_parts, "work_in_parts")
    interpret_first(loop, Patience())
    states = np.zeros(1, RECORD)
    with pytest.raises(KeyboardInterrupt):
        loop(states, 2)
    assert states[0].tolist() == (0, 0)


@pytest.mark.parametrize(("text", "seconds"), [("", 1.0), ("0", 0.0), ("2.5", 2.5)])
def test_seconds_are_named_by_the_environment(text, seconds, monkeypatch):
    monkeypatch.setenv("LUDOTHEQUE_COMPILE_AFTER", text)
    assert interpreted._seconds() == seconds


def test_seconds_that_are_no_number_are_refused(monkeypatch):
    monkeypatch.setenv("LUDOTHEQUE_COMPILE_AFTER", "soon")
    with pytest.raises(ValueError, match="'soon': give seconds"):
        interpreted._seconds()
