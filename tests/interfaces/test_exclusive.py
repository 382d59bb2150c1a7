"""Calls from several threads on one environment take turns."""

from __future__ import annotations

import os
import pickle
import threading

import numpy as np
import pytest

from ludotheque.envs import get_game, make_batch
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.interfaces.parallel import TurnBasedParallelEnv


class Watched:
    """A lock of an environment that counts how often it is held."""

    def __init__(self):
        self.held = 0

    def __enter__(self):
        self.held += 1

    def __exit__(self, *error):
        self.held -= 1


def _sb3():
    from ludotheque.agents.sb3 import SeatVecEnv

    env = SeatVecEnv("sarena", 3, opponents="greedy")
    env.seed(1)
    return env


def _masked(masks):
    return masks.argmax(axis=1)


USES = {
    "batch": (
        lambda: make_batch("sarena", 3, history=2, keep_final=True),
        ("random_actions", "get_state", "state_digest", "clone"),
        (("observe", 0), ("histories_of", 1), ("reset", None, np.array([True, False, True]))),
        lambda env: env.step(env.random_actions()),
    ),
    "aec": (
        lambda: TurnBasedEnv("sarena", history=2, render_mode="ansi"),
        ("last", "state", "results", "replay", "render", "_repr_svg_", "state_digest", "clone"),
        (("observe", "player_1"),),
        lambda env: env.step(env.sample_legal()),
    ),
    "parallel": (
        lambda: TurnBasedParallelEnv("sarena", render_mode="ansi"),
        ("state", "render", "get_state", "state_digest", "clone"),
        (),
        lambda env: env.step({env.agent_selection: env.aec_env.sample_legal()}),
    ),
    "gymnasium": (
        lambda: SeatEnv("sarena", render_mode="ansi", opponents="greedy"),
        ("action_masks", "results", "render", "_repr_svg_", "state_digest", "clone"),
        (),
        lambda env: env.step(env.sample_legal()),
    ),
    "vector": (
        lambda: SeatVectorEnv("sarena", 3, opponents="greedy"),
        ("action_masks", "results", "get_state", "state_digest", "clone"),
        (),
        lambda env: env.step(env.random_actions()),
    ),
    "sb3": (
        _sb3,
        ("action_masks", "seats", "state_digests", "get_images", "state_digest", "clone"),
        (),
        lambda env: env.step(_masked(env.action_masks())),
    ),
}


@pytest.mark.parametrize("kind", USES)
def test_calls_of_other_threads_wait_while_kernels_use_the_records(kind, monkeypatch):
    make, calls, asked, step = USES[kind]
    env = make()
    env.reset()
    watched, ran = Watched(), []
    monkeypatch.setattr(env._guard, "lock", watched)
    loops = get_game("sarena").loops
    for name, loop in vars(loops).items():

        def run_loop(*args, loop=loop, name=name):
            ran.append(name)
            assert watched.held, name
            return loop(*args)

        monkeypatch.setattr(loops, name, run_loop)
    for part in ("_play", "_view", "_mask"):
        inner = getattr(env, "aec_env", env)
        if part in vars(inner):
            monkeypatch.setattr(inner, part, getattr(loops, part[1:]))
    step(env)
    for name in calls:
        getattr(env, name)()
    for name, *arguments in asked:
        getattr(env, name)(*arguments)
    env.set_state(env.get_state())
    env.reset()
    assert {"play", "advance", "play_rows"} & set(ran) and not watched.held


@pytest.mark.parametrize("kind", USES)
def test_copies_and_pickles_have_locks_of_their_own(kind):
    make, _, _, step = USES[kind]
    env = make()
    env.reset()
    for twin in (env.clone(), pickle.loads(pickle.dumps(env))):
        assert twin._guard is not env._guard
        with env._guard.lock:  # held by this thread
            thread = threading.Thread(target=step, args=(twin,))
            thread.start()
            thread.join(60)
        assert not thread.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_forked_during_a_step_of_another_thread_can_go_on(run_python):
    result = run_python(
        "import os, signal, threading, warnings\n"
        "from ludotheque.envs import make_batch\n"
        "batch = make_batch('sarena', 2)\n"
        "batch.reset(seed=1)\n"
        "inside, done = threading.Event(), threading.Event()\n"
        "def hold():\n"
        "    with batch._guard.lock:\n"
        "        inside.set(), done.wait()\n"
        "threading.Thread(target=hold).start()\n"
        "inside.wait()\n"
        "warnings.simplefilter('ignore')  # newer versions of Python warn of forks with threads\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    signal.alarm(60)  # in case it waits for a thread it doesn't have\n"
        "    batch.clone().reset(seed=2)\n"
        "    batch.reset(seed=2)\n"
        "    os._exit(7)\n"
        "status = os.waitpid(child, 0)[1]\n"
        "done.set()\n"
        "print(os.waitstatus_to_exitcode(status))\n"
    )
    assert result.stdout.strip() == "7", result.stderr
