"""Leagues and ratings on many workers: the same bytes, whichever is first or lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from executors import Late

from ludotheque.agents.base import Agent
from ludotheque.agents.executors import (
    RETRIES,
    WINDOW,
    ProcessExecutor,
    RayExecutor,
    gather,
    shared,
)
from ludotheque.agents.ladder import rate_agent, read_ladder
from ludotheque.agents.league import League

pytest.importorskip("openskill", reason="leagues rate with the extra [cli]")


class First(Agent):
    """Plays the lowest legal action; kills its process once, if it finds a file to remove."""

    name = "first"

    def __init__(self, fuse: str = ""):
        super().__init__("sarena", seed=0)
        self.fuse = fuse

    def act(self, observations, masks, *, states=None, seeds=None):
        if self.fuse and Path(self.fuse).exists():
            Path(self.fuse).unlink()
            os.kill(os.getpid(), signal.SIGKILL)
        return masks.argmax(axis=1)


def played(folder, executor, batch_size=8, **agents) -> bytes:
    """The bytes of a league's games and table."""
    league = League("sarena", {"greedy": "greedy", "random": "random", **agents}, folder, seed=3)
    league.run(20, batch_size=batch_size, executor=executor)
    return (folder / "games.jsonl").read_bytes() + (folder / "table.json").read_bytes()


def test_the_same_bytes_for_any_executor(tmp_path):
    here = played(tmp_path / "here", None)
    assert here.count(b"\n") >= 20
    with ThreadPoolExecutor(3) as threads:
        assert played(tmp_path / "threads", threads, batch_size=3) == here
    assert played(tmp_path / "late", Late()) == here
    assert played(tmp_path / "losing", Late(losing=(0, 2, 3, 4)), batch_size=5) == here
    interrupted = Late(losing=(1,), error=KeyboardInterrupt())
    assert played(tmp_path / "interrupted", interrupted, batch_size=5) == here


@pytest.mark.slow
def test_a_worker_that_is_killed_costs_its_piece_alone(tmp_path):
    """Real processes; the first to play an agent's move dies in the middle of a batch."""
    fuse = tmp_path / "fuse"
    here = played(tmp_path / "here", None, first=First(str(fuse)))
    fuse.touch()
    with ProcessExecutor(1) as executor:
        found = played(tmp_path / "killed", executor, first=First(str(fuse)))
    assert not fuse.exists(), "a process was killed"
    assert found == here


def test_what_is_finished_is_kept_when_a_piece_fails():
    def piece(number):
        if number == 2:
            raise ArithmeticError("no result")
        return number

    taken = []
    with ThreadPoolExecutor(1) as one, pytest.raises(ArithmeticError):
        gather(_Finished(one), piece, [(k,) for k in range(6)], taken.append)
    assert taken == [0, 1, 3, 4, 5], "each once, in order"


class _Finished:
    """An executor whose pieces are finished before the next is submitted."""

    def __init__(self, inner):
        self.inner = inner

    def submit(self, function, *arguments):
        future = self.inner.submit(function, *arguments)
        future.exception()
        return future


class Changed(Late):
    """An executor that passes results through ``change``, with all results so far."""

    def __init__(self, change):
        super().__init__()
        self.change, self.given = change, []

    def submit(self, function, *arguments):
        future: Future = Future()
        self.given.append(function(*arguments))
        future.set_result(self.change(self.given))
        return future


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given[0],
        lambda given: given[max(0, len(given) - 2)],
        lambda given: None,
        lambda given: given[-1][1],
        lambda given: np.zeros(2),
    ],
    ids=["the first", "the one before", "nothing", "without its number", "an array"],
)
def test_results_of_other_pieces_are_refused_and_the_rest_is_kept(change, tmp_path):
    """No game is counted twice, or for another."""
    agents = {"greedy": "greedy", "random": "random"}
    league = League("sarena", agents, tmp_path, seed=3)
    with pytest.raises(ValueError, match="the executor returned .* for piece"):
        league.run(20, batch_size=4, executor=Changed(change))
    deals = [(game.deal, game.seats) for game in league.games]
    lines = (tmp_path / "games.jsonl").read_text().splitlines()
    assert len(lines) == len(deals) == len(set(deals)) < 20
    with pytest.raises(ValueError, match="the executor returned"):
        rate_agent("greedy", max_rounds=1, ladder=short_ladder(), executor=Changed(change))


def test_results_of_another_call_are_refused():
    """Its pieces have the same numbers, as those of another round of a training."""
    taken: list[int] = []
    gather(Changed(lambda given: given[-1]), abs, [(-1,), (-2,)], taken.append)
    kept = Changed(lambda given: given[0])
    gather(kept, abs, [(-1,)], taken.append)
    with pytest.raises(ValueError, match="the executor returned"):
        gather(kept, abs, [(-7,)], taken.append)
    assert taken == [1, 2, 1]


def changed_games(**changes):
    """Return a ``change`` that edits the first game of each batch of a league."""

    def change(given):
        ticket, games = given[-1]
        return ticket, [replace(games[0], **changes), *games[1:]]

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed_games(deal=77),
        changed_games(seats=("greedy", "nobody")),
        changed_games(seed=500),
        changed_games(ranks=(1, 3)),
        changed_games(ranks=(1,)),
        changed_games(scores=(float("nan"), 1.0)),
        changed_games(rewards=(None, 1.0)),
        changed_games(actions=(-1,)),
        changed_games(actions=(10**6,)),
        changed_games(actions=np.zeros(3)),
        lambda given: (given[-1][0], given[-1][1][1:]),
        lambda given: (given[-1][0], given[-1][1] * 2),
        lambda given: (given[-1][0], [given[-1][1][-1]] * len(given[-1][1])),
        lambda given: (given[-1][0], []),
        lambda given: (given[-1][0], "games"),
    ],
)
def test_games_that_an_executor_changed_are_not_written(change, tmp_path):
    """A league could not be continued with them: "holds a game that isn't of this league"."""
    agents = {"greedy": "greedy", "random": "random"}
    with pytest.raises(ValueError, match="the executor returned"):
        League("sarena", agents, tmp_path, seed=3).run(20, batch_size=4, executor=Changed(change))
    again = League("sarena", agents, tmp_path, seed=3, resume=True)
    assert not again.games
    again.run(20)
    assert (tmp_path / "games.jsonl").read_bytes() in played(tmp_path / "whole", None)


def changed_rating(**changes):
    def change(given):
        ticket, (games, spent) = given[-1]
        return ticket, ([{**games[0], **changes}, *games[1:]], spent)

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed_rating(seat=5),
        changed_rating(seed=10**6),
        changed_rating(rung="mcts"),
        changed_rating(ranks=[1, 3]),
        changed_rating(ranks=[1]),
        changed_rating(scores=[float("inf"), 0.0]),
        changed_rating(scores=None),
        lambda given: (given[-1][0], (given[-1][1][0][1:], (1, 1.0))),
        lambda given: (given[-1][0], (given[-1][1][0], (-5, 1.0))),
        lambda given: (given[-1][0], (given[-1][1][0], (1, float("nan")))),
        lambda given: (given[-1][0], (given[0][1][0], (1, 1.0))),
        lambda given: (given[-1][0], []),
    ],
)
def test_games_of_a_rating_that_an_executor_changed_are_refused(change):
    with pytest.raises(ValueError, match="the executor returned"):
        rate_agent("greedy", max_rounds=2, ladder=short_ladder(), executor=Changed(change))


def test_what_is_no_future_is_refused():
    class Nowhere:
        def submit(self, function, *arguments):
            return None

    with pytest.raises(TypeError, match="returned None, which has no result"):
        gather(Nowhere(), abs, [(-1,)], print)


def test_pieces_that_were_cancelled_begin_again():
    executor, taken = Late(losing=(1, 2), error=CancelledError()), []
    gather(executor, abs, [(-k,) for k in range(4)], taken.append)
    assert taken == [0, 1, 2, 3] and executor.count == 6


def test_all_that_was_lost_with_a_worker_begins_again_at_once():
    executor, taken = Late(losing=(0, 1, 2)), []
    gather(executor, abs, [(-k,) for k in range(4)], lambda k: taken.append((k, executor.count)))
    assert taken == [(0, 7), (1, 7), (2, 7), (3, 7)], "four handed out, then the lost three"


def test_ctrl_c_here_is_not_a_lost_worker():
    def interrupted(timeout=None):
        raise KeyboardInterrupt

    class Waiting(Late):
        def submit(self, function, *arguments):
            future = super().submit(function, *arguments)
            future.result = interrupted
            return future

    executor = Waiting()
    with pytest.raises(KeyboardInterrupt):
        gather(executor, abs, [(-1,)], print)
    assert executor.count == 1


def test_a_piece_that_loses_every_worker_fails():
    executor = Late(losing=range(100))
    with pytest.raises(BrokenExecutor):
        gather(executor, abs, [(-1,)], print)
    assert executor.count == 1 + RETRIES


def test_no_more_pieces_are_handed_out_than_workers_can_need():
    executor, most = Late(), []
    gather(executor, abs, [(k,) for k in range(3 * WINDOW)], lambda k: most.append(executor.count))
    assert max(np.array(most) - np.arange(3 * WINDOW)) == WINDOW


def test_a_resumed_league_plays_what_is_missing(tmp_path):
    agents = {"greedy": "greedy", "random": "random"}
    League("sarena", agents, tmp_path, seed=3).run(6)
    executor = Late()
    table = League("sarena", agents, tmp_path, seed=3, resume=True).run(
        20, batch_size=7, executor=executor
    )
    assert executor.count == 2, "14 games in batches of 7"
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 20
    whole = League("sarena", agents, seed=3)
    assert table.to_json() == whole.run(20).to_json()


def short_ladder():
    whole = read_ladder("sarena", 2)
    return replace(whole, rungs={name: whole.rungs[name] for name in ("random", "greedy")})


def test_a_rating_is_the_same_elsewhere():
    short = short_ladder()
    here = rate_agent("greedy", ladder=short, max_rounds=1)
    executor = Late(losing=(1,))
    elsewhere = rate_agent("greedy", ladder=short, max_rounds=1, executor=executor)
    assert executor.count == 1 + len(here.rows)
    assert elsewhere.record == here.record and elsewhere.rows == here.rows


class Counted:
    """Counts how often it is pickled, as a list."""

    pickled = 0

    def __reduce__(self):
        Counted.pickled += 1
        return list, ((1, 2),)


@pytest.mark.slow
def test_a_shared_value_is_pickled_once_and_its_file_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Counted, "pickled", 0)
    taken = []
    with ProcessExecutor(1) as executor:
        with pytest.raises(KeyboardInterrupt), shared(executor, Counted()) as there:
            gather(executor, sum, [(there, k) for k in range(4)], taken.append)
            assert [path for path in tmp_path.rglob("*") if path.is_file()]
            raise KeyboardInterrupt
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert taken == [3, 4, 5, 6] and Counted.pickled == 1
    assert not list(tmp_path.iterdir())


def test_an_executor_that_cannot_share_is_given_the_value():
    value = [1, 2]
    with shared(Late(), value) as there:
        assert there is value


ABANDONED = """
import os, signal
from ludotheque.agents.executors import ProcessExecutor, shared
if __name__ == "__main__":
    executor = ProcessExecutor(1)
    with shared(executor, [1, 2]) as there:
        assert executor.submit(sum, there).result() == 3
        print(executor.submit(os.getpid).result(), flush=True)
        signal.pause()
"""


@pytest.mark.slow
def test_workers_end_with_a_process_that_is_killed(tmp_path):
    (tmp_path / "abandoned.py").write_text(ABANDONED)
    command = [sys.executable, str(tmp_path / "abandoned.py")]
    folder = tmp_path / "temporary"
    folder.mkdir()
    where = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=where) as process:
        assert int(process.stdout.readline()) != process.pid
        assert [path for path in folder.rglob("*") if path.is_file()]
        process.kill()
        # The pipe comes to its end when nobody holds it any more.
        assert process.communicate(timeout=60) == ("", None)
    assert not list(folder.iterdir()), "what was shared is removed by the workers"


def test_wrong_executors_are_refused(tmp_path):
    with pytest.raises(TypeError, match="give an object with submit"):
        played(tmp_path, executor=3)
    league = League("sarena", {"random": "random", "own": _unpicklable()})
    with pytest.raises(TypeError, match="agent 'own' can't be sent to other processes"):
        league.run(2, executor=Late())
    with pytest.raises(ValueError, match="workers is 0"):
        ProcessExecutor(0)


def _unpicklable() -> Agent:
    agent = First()
    agent.choose = lambda: None
    return agent


@pytest.mark.skipif(find_spec("ray") is not None, reason="ray is installed")
def test_without_ray_the_executor_says_what_is_missing():
    with pytest.raises(ImportError, match="RayExecutor needs ray"):
        RayExecutor()


def test_the_benchmark_measures_what_is_handed_out():
    from ludotheque.benchmarks.workers import EMPTY_PIECES, PIECES, a_round, measure

    executor = Late()
    found = measure("late", executor, a_round("sarena", 16), 4)
    batches = 16 // 8 + 4 // 2
    assert executor.count == EMPTY_PIECES + 2 * PIECES + batches
    assert min(found.piece_ms, found.games_per_second, found.decisions_per_second) > 0


INTERRUPTED = """
import os, signal, sys
from ludotheque.agents.executors import ProcessExecutor
if __name__ == "__mp_main__" and sys.argv[1] == "starting":
    try:
        os.rmdir(sys.argv[2])
        os.killpg(0, signal.SIGINT)
    except FileNotFoundError:
        pass
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with ProcessExecutor(2) as executor:
        try:
            found = [executor.submit(abs, -3) for _ in range(2)]
            found[0].result()
            if sys.argv[1] == "waiting":
                os.killpg(0, signal.SIGINT)
            signal.pause()
        except KeyboardInterrupt:
            print("interrupted")
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("workers", ["starting", "waiting"])
def test_ctrl_c_shows_no_traceback_of_workers_that_start_or_wait(workers, tmp_path):
    """In a terminal it reaches all processes."""
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    (tmp_path / "once").mkdir()
    command = [sys.executable, script, workers, tmp_path / "once"]
    done = subprocess.run(command, capture_output=True, text=True, start_new_session=True)
    assert (done.stdout, done.stderr, done.returncode) == ("interrupted\n", "", 0)


def test_the_benchmark_of_workers_plays_rounds_of_self_play():
    """It once lacked settings that self-play had gained."""
    workers = pytest.importorskip("ludotheque.benchmarks.workers", reason="needs the extra [bench]")
    found = workers.measure("this process", None, workers.a_round("sarena", rows=8), games=4)
    assert found.piece_ms is None
    assert min(found.games_per_second, found.decisions_per_second) > 0
