"""Threads that share a batch, and Ctrl-C at any moment.

``PYTHONPATH=tests python tests/interfaces/test_threads.py 2000`` interrupts each kind of batch this
often.
"""

from __future__ import annotations

import itertools
import signal
import sys
import threading

import numpy as np
import pytest
from interrupts import ANYWHERE, Interrupt

from ludotheque.envs import StateError, get_game, make_batch
from ludotheque.envs.core.interfaces import threads
from ludotheque.envs.core.interfaces.gym import SeatVectorEnv
from ludotheque.envs.core.interfaces.threads import run


class Slices:
    """A loop in Python that counts the threads in it."""

    def __init__(self):
        self.inside: list[int] = []
        self.done: list[tuple[int, int]] = []

    def __call__(self, states, start, stop, out):
        self.inside.append(start)
        for i in range(start, stop):
            out[i] = states[i] + 1
        self.done.append((start, stop))
        self.inside.remove(start)
        return start


@pytest.mark.parametrize("num_threads", [1, 2, 3, 7, 50])
def test_every_game_is_played_once_and_results_are_in_order(num_threads):
    states, out, slices = np.arange(40), np.zeros(40, np.int64), Slices()
    starts = run(slices, num_threads, states, out)
    assert np.array_equal(out, states + 1)
    assert starts == sorted(starts) and len(starts) == min(num_threads, 40)
    assert sum(stop - start for start, stop in slices.done) == 40


def test_the_first_error_is_raised_when_all_are_at_rest():
    slices = Slices()

    def fail(states, start, stop, out):
        slices(states, start, stop, out)
        raise RuntimeError(f"slice at {start}")

    with pytest.raises(RuntimeError, match="slice at 0"):
        run(fail, 4, np.arange(40), np.zeros(40, np.int64))
    assert len(slices.done) == 4 and not slices.inside


def test_several_threads_and_tasks_in_tasks_share_the_workers():
    def nested(states, start, stop, out):
        run(Slices(), 3, states[start:stop], out[start:stop])

    outs = [np.zeros(60, np.int64) for _ in range(6)]
    callers = [
        threading.Thread(target=run, args=(nested, 3, np.arange(60), out), daemon=True)
        for out in outs
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(60)
    assert all(np.array_equal(out, np.arange(60) + 1) for out in outs)


@pytest.mark.parametrize("num_threads", [2, 4])
def test_an_interrupt_at_any_moment_leaves_no_thread_at_work(num_threads):
    moment = 0
    while True:
        slices, states, out = Slices(), np.arange(40), np.zeros(40, np.int64)
        interrupt = Interrupt(moment, threads.__name__)
        struck = interrupt.strikes(lambda s=slices, a=states, o=out: run(s, num_threads, a, o))
        assert not slices.inside, f"a thread is at work after an interrupt at step {moment}"
        # The arrays returned aren't used any more, and the next call works.
        kept = out.copy()
        again = np.zeros(40, np.int64)
        run(Slices(), num_threads, np.arange(40), again)
        assert np.array_equal(again, np.arange(40) + 1)
        assert np.array_equal(out, kept)
        if not struck:
            break
        moment += 1
    assert moment > 50 * num_threads


ENVS = {
    "batch": lambda threads: make_batch("sarena", 8, num_threads=threads, history=2),
    "vector": lambda threads: SeatVectorEnv("sarena", 8, opponents="greedy", num_threads=threads),
}
SEEN = tuple(
    f"ludotheque.envs.core.interfaces.{name}"
    for name in ("threads", "batch", "seats", "gym", "settings")
)


def strike_steps(kind: str, num_threads: int, first: int, every: int, modules=SEEN) -> list[bool]:
    """Interrupt a step at each of some moments; return whether the next call was refused."""
    env, other = ENVS[kind](num_threads), ENVS[kind](num_threads)
    env.reset(seed=1)
    saved = env.get_state()
    refused: list[bool] = []
    moment = first
    while True:
        env.set_state(saved)
        actions = env.random_actions()
        if not Interrupt(moment, *modules).strikes(lambda a=actions: env.step(a)):
            return refused
        try:
            actions = env.random_actions()
            env.step(actions)
            refused.append(False)
        except StateError as error:
            assert "interrupted" in str(error)
            refused.append(True)
        # Back, and on as if nothing had been.
        other.set_state(saved)
        env.set_state(saved)
        env.step(env.random_actions())
        other.step(other.random_actions())
        assert env.state_digest() == other.state_digest(), f"interrupted at step {moment}"
        moment += every


@pytest.mark.parametrize(("num_threads", "every"), [(2, 11), (4, 29)])
@pytest.mark.parametrize("kind", ENVS)
def test_after_an_interrupted_step_the_next_call_works_or_says_why_not(kind, num_threads, every):
    refused = strike_steps(kind, num_threads, 0, every)
    assert len(refused) > 10 and True in refused and False in refused


# Python drops and reports errors raised in its own callbacks (the garbage collector's).
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_timer_that_interrupts_again_and_again_stops_nothing(rounds=300):
    """Signals at random moments, in batches of two and four threads."""
    game = get_game("sarena")

    playing = False

    def interrupt(number, frame):
        if playing:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for num_threads in (2, 4):
            env = make_batch(game, 64, num_threads=num_threads)
            other = make_batch(game, 64)
            # Numba must not be interrupted while it loads kernels.
            env.reset(seed=0)
            env.step(env.random_actions())
            struck = 0
            for k in range(rounds):
                env.reset(seed=k)
                try:
                    # Again after a while, since the first may be dropped.
                    moment = 1e-6 * (20 + 13 * k % 400)
                    signal.setitimer(signal.ITIMER_REAL, moment, 0.05)
                    playing = True
                    while True:
                        env.step(env.random_actions())
                except KeyboardInterrupt:
                    playing = False
                    struck += 1
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            assert struck == rounds
            env.reset(seed=9)
            other.reset(seed=9)
            for _ in range(5):
                env.step(env.random_actions())
                other.step(other.random_actions())
            assert env.state_digest() == other.state_digest()
    finally:
        signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    from ludotheque.envs.core.interfaces import batch

    batch.LEAST_SLICE = 0
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for kind, num_threads in itertools.product(ENVS, (2, 4)):
        found: list[bool] = []
        for part in itertools.count():
            found += strike_steps(kind, num_threads, part, 5)
            found += strike_steps(kind, num_threads, 7 * part, 97, ANYWHERE)
            if len(found) >= wanted:
                break
        print(f"{kind}, {num_threads} threads: struck {len(found)} times, {sum(found)} told so")
    test_a_timer_that_interrupts_again_and_again_stops_nothing(wanted)
    print(f"timer: struck {wanted} times with 2 threads and with 4")


def test_threads_have_stopped_however_often_they_are_interrupted(monkeypatch):
    cancel, tried = threads._Job.cancel, []

    def interrupted(job):
        tried.append(job)
        if len(tried) < 4:
            raise KeyboardInterrupt
        cancel(job)

    def stopped(job):
        raise KeyboardInterrupt

    monkeypatch.setattr(threads._Job, "cancel", interrupted)
    monkeypatch.setattr(threads._Job, "wait", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(Slices(), 2, np.arange(40), np.zeros(40, np.int64))
    assert len(tried) == 4 and not tried[-1].running
