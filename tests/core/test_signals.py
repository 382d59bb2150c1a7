"""Signals and forks wait for a compilation to end."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace

import pytest

from ludotheque.envs.core import jit, signals
from ludotheque.envs.core.signals import signals_delayed


class Told(Exception):
    """Raised by the handlers here."""


def _raise(number, frame):
    raise Told(number)


@pytest.fixture
def handlers():
    """Handlers that raise, for all signals that programs use."""
    before = {number: signal.getsignal(number) for number in signals._DELAYED}
    for number in before:
        signal.signal(number, _raise)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize("number", signals._DELAYED, ids=lambda number: number.name)
def test_a_signal_that_raises_does_not_interrupt_a_compilation(number, handlers):
    done = []

    def compile_one(signature):
        signal.raise_signal(number)
        done.append(signature)

    compiled = SimpleNamespace(compile=compile_one)
    jit._delay_signals(compiled)
    with pytest.raises(Told):
        compiled.compile("signature")
    assert done == ["signature"] and signal.getsignal(number) is _raise


def test_a_second_interrupt_takes_effect_at_once(handlers):
    reached = []
    with pytest.raises(Told), signals_delayed():
        signal.raise_signal(signal.SIGINT)
        reached.append(1)
        signal.raise_signal(signal.SIGINT)
        reached.append(2)
    assert reached == [1]


def test_a_timer_that_ticks_again_and_again_still_waits(handlers):
    ticks = []
    signal.signal(signal.SIGTERM, lambda number, frame: ticks.append(number))
    with signals_delayed():
        for _ in range(3):
            signal.raise_signal(signal.SIGTERM)
        assert not ticks
    assert len(ticks) == 1


def test_all_handlers_are_called_even_if_one_raises(handlers):
    ticks = []
    signal.signal(signal.SIGTERM, lambda number, frame: ticks.append(number))
    with pytest.raises(Told), signals_delayed():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
    assert ticks == [signal.SIGTERM]


def test_blocks_within_blocks_wait_for_the_outermost(handlers):
    ticks = []
    signal.signal(signal.SIGTERM, lambda number, frame: ticks.append(number))
    with signals_delayed():
        with signals_delayed():
            signal.raise_signal(signal.SIGTERM)
        assert not ticks
    assert len(ticks) == 1


@pytest.mark.parametrize("number", signals._DELAYED, ids=lambda number: number.name)
def test_a_handler_that_was_not_put_back_acts_at_once_and_is_delayed_again(number, handlers):
    """A signal's handler may raise while those of the others are being put back."""
    with signals_delayed():
        left = signal.getsignal(number)
    signal.signal(number, left)
    with pytest.raises(Told):
        signal.raise_signal(number)
    reached = []
    with pytest.raises(Told), signals_delayed():
        signal.raise_signal(number)
        reached.append(number)
    assert reached and signal.getsignal(number) is _raise


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.skipif(jit.JIT_DISABLED, reason="without JIT nothing is compiled")
def test_a_fork_waits_for_a_compilation_in_another_thread(run_python):
    """The child would wait for ever for the lock of a thread that it doesn't have."""
    result = run_python(
        "import os, threading, warnings\n"
        "import ludotheque.envs.core.jit\n"
        "from numba.core.compiler_lock import global_compiler_lock as lock\n"
        "inside, forking = threading.Event(), threading.Event()\n"
        "os.register_at_fork(before=forking.set)  # called before those registered earlier\n"
        "def compile_something():\n"
        "    with lock:\n"
        "        inside.set()\n"
        "        forking.wait()\n"
        "        sum(range(10_000_000))\n"
        "threading.Thread(target=compile_something).start()\n"
        "inside.wait()\n"
        "warnings.simplefilter('ignore')  # newer versions of Python warn of forks with threads\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    os._exit(7 if lock._lock.acquire(blocking=False) else 8)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    assert result.stdout.strip() == "7", result.stderr
