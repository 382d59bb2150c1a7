"""The league: fair seating and deals, safe results, ratings that mean something."""

from __future__ import annotations

import errno
import itertools
import json
import logging
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from ludotheque.agents import baselines, make_agent
from ludotheque.agents import ledger as ledger_module
from ludotheque.agents.base import Agent
from ludotheque.agents.camps import rounds_of
from ludotheque.agents.league import League
from ludotheque.agents.match import play_match
from ludotheque.agents.random import RandomAgent
from ludotheque.agents.ratings import passes_for, rate, wilson
from ludotheque.agents.td.model import save_value_model, zero_model
from ludotheque.envs import TooLargeError, get_game
from ludotheque.envs.core import files
from ludotheque.envs.core.errors import IllegalActionError
from ludotheque.envs.core.interfaces.replay import load_replays

pytest.importorskip("openskill")

TWO = {"random": "random", "greedy": "greedy"}
THREE = {**TWO, "other": "random"}
FOUR = {**THREE, "fourth": "greedy"}
AGENTS = {2: THREE, 3: FOUR, 4: FOUR}


def games_file(folder: Path) -> Path:
    return folder / "games.jsonl"


def league(agents=TWO, out=None, **kwargs) -> League:
    return League("sarena", agents, out, **kwargs)


# seats and deals


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_table_plays_every_deal_in_every_seating(players):
    made = league(AGENTS[players], num_players=players, seed=100)
    seatings = np.prod(range(1, players + 1))
    made.run(2 * int(seatings))
    expected = {
        (deal, seats)
        for table in itertools.combinations(AGENTS[players], players)
        for deal in range(2)
        for seats in itertools.permutations(table)
    }
    assert {(game.deal, game.seats) for game in made.games} == expected
    assert len(made.games) == len(expected)
    assert {(game.deal, game.seed) for game in made.games} == {(0, 100), (1, 101)}
    at_seat = Counter((seat, name) for game in made.games for seat, name in enumerate(game.seats))
    assert len(set(at_seat.values())) == 1


@pytest.mark.parametrize("players", [2, 3, 4])
def test_rotations_seat_every_agent_once_in_every_seat(players):
    made = league(AGENTS[players], num_players=players, seatings="rotations")
    deals = 7
    made.run(deals * players)
    games: dict = {}
    for game in made.games:
        games.setdefault((game.deal, frozenset(game.seats)), []).append(game.seats)
    assert len(games) == deals * len(list(itertools.combinations(AGENTS[players], players)))
    orders: dict = {}
    for (_, table), seatings in games.items():
        assert len(set(seatings)) == players
        for name in table:
            assert sorted(seats.index(name) for seats in seatings) == list(range(players))
        # From seat to seat, the same agents follow each other in all of a deal's games.
        around = {(seats[k - 1], seats[k]) for seats in seatings for k in range(players)}
        assert len(around) == players
        orders.setdefault(table, set()).add(frozenset(around))
    for found in orders.values():
        assert len(found) == np.prod(range(1, players)), "other deals have other neighbours"


def test_a_league_goes_on_with_its_own_seatings(tmp_path):
    made = league(FOUR, tmp_path, num_players=3, seatings="rotations")
    made.run(3)
    again = league(FOUR, tmp_path, num_players=3, seatings="rotations", resume=True)
    assert again.games == made.games
    again.run(6)
    assert len(again.games) == 2 * len(made.games)
    with pytest.raises(ValueError, match="seatings"):
        league(FOUR, tmp_path, num_players=3, resume=True)
    with pytest.raises(ValueError, match="choose from all, rotations"):
        league(FOUR, num_players=3, seatings="some")


def test_fewer_agents_than_seats_are_seated_in_all_ways_even_if_seats_rotate():
    made = league(TWO, num_players=4, seatings="rotations")
    made.run(1)
    assert {game.seats for game in made.games} == {
        seats for seats in itertools.product(TWO, repeat=4) if len(set(seats)) == 2
    }


@pytest.mark.parametrize("players", [3, 4])
def test_with_fewer_agents_than_seats_all_sit_at_every_table(players):
    made = league(TWO, num_players=players)
    table = made.run(1)
    assert {frozenset(game.seats) for game in made.games} == {frozenset(TWO)}
    at_seat = Counter((seat, name) for game in made.games for seat, name in enumerate(game.seats))
    assert len(set(at_seat.values())) == 1
    for row in table.rows:
        assert row.games == players * table.games / 2
    assert table.row("greedy").rating > table.row("random").rating


def test_the_same_deal_lies_on_every_table():
    made = league(THREE, seed=5)
    made.run(4)
    deals = {}
    for game in made.games:
        start = next(made.replay(game.seats, game.deal).states())
        deals.setdefault(game.deal, set()).add(get_game("sarena").digest(start))
    assert {deal: len(starts) for deal, starts in deals.items()} == {0: 1, 1: 1}
    assert deals[0] != deals[1]


def test_luck_cancels_between_equal_agents():
    """The same two agents on the same deals from both sides: exactly even."""
    table = league({"a": "random", "b": "random"}).run(40)
    pair = table.pairs["a"]["b"]
    assert pair.wins == pair.losses and pair.points == 0.5
    assert table.row("a").mean_score == table.row("b").mean_score


# counts


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", ["rank", "win"])
def test_counts_add_up_and_rewards_are_zero_sum(players, reward):
    made = league(AGENTS[players], num_players=players, reward=reward)
    table = made.run(1)
    for game in made.games:
        assert len(game.seats) == len(game.ranks) == len(game.scores) == players
        assert sum(game.rewards) == pytest.approx(0, abs=1e-5)
        assert min(game.ranks) == 1 and max(game.ranks) <= players
    for row in table.rows:
        assert row.wins + row.draws + row.losses == row.games
        assert 1 <= row.mean_rank <= players
    assert sum(row.games for row in table.rows) == players * table.games
    assert sum(row.mean_reward * row.games for row in table.rows) == pytest.approx(0, abs=1e-4)
    for one, two in itertools.permutations(AGENTS[players], 2):
        pair, back = table.pairs[one][two], table.pairs[two][one]
        assert pair.games == pair.wins + pair.draws + pair.losses == back.games > 0
        assert (pair.wins, pair.draws, pair.losses) == (back.losses, back.draws, back.wins)
        assert pair.points + back.points == pytest.approx(1)
        assert 0 <= pair.low <= pair.points <= pair.high <= 1
        assert pair.low == pytest.approx(1 - back.high)
        assert pair.win_low <= pair.wins / pair.games <= pair.win_high


@pytest.mark.parametrize("reward", ["score", "score_change", "margin"])
def test_rewards_of_a_game_are_its_result(reward):
    made = league(reward=reward)
    made.run(2)
    for game in made.games:
        mine, other = game.scores
        expected = {
            "score": game.scores,
            "margin": (mine - other, other - mine),
            "score_change": np.subtract(game.scores, scores_at_the_deal(game.seed)),
        }
        np.testing.assert_allclose(game.rewards, expected[reward])


def scores_at_the_deal(seed: int) -> np.ndarray:
    game = get_game("sarena")
    return game.returns(game.new_state(seed, 2))[0]


def test_scores_are_what_the_game_says():
    made = league()
    made.run(4)
    for game in made.games:
        states = made.replay(game.seats, game.deal).verify()
        scores, ranks = get_game("sarena").returns(states)
        assert (tuple(scores), tuple(ranks)) == (game.scores, game.ranks)


def test_games_are_rounded_up_to_whole_deals(caplog):
    with caplog.at_level(logging.WARNING):
        assert league().run(3).games == 4
    assert "games_per_pair=3" in caplog.text and "4 games" in caplog.text
    caplog.clear()
    assert league().run(4).games == 4
    assert not caplog.text


def test_options_reach_the_game():
    made = league(deal="balanced")
    made.run(2)
    assert made.replay().options == {"deal": "balanced"}
    made.replay().verify()


# batches


def test_games_do_not_depend_on_the_batch_size(tmp_path):
    agents = {**TWO, "mcts": "mcts:simulations=4"}
    kept = []
    for size in (1, 5, 64):
        made = league(agents, tmp_path / str(size), seed=3)
        made.run(4, batch_size=size)
        kept.append(games_file(tmp_path / str(size)).read_bytes())
    assert kept[0] == kept[1] == kept[2]


def test_order_of_the_agents_makes_no_difference():
    one, two = league(THREE), league(dict(reversed(THREE.items())))
    assert one.run(6).to_dict() == two.run(6).to_dict()


def test_progress_counts_games():
    told = []
    league().run(6, progress=lambda done, total: told.append((done, total)), batch_size=2)
    assert told[0] == (0, 6) and told[-1] == (6, 6)
    assert told == sorted(told)


def test_progress_bar(capsys):
    pytest.importorskip("rich")
    league().run(2, progress=True)
    assert "2/2" in capsys.readouterr().err


# resuming


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> tuple[bytes, dict]:
    """The result of an uninterrupted league: its file and its table."""
    folder = tmp_path_factory.mktemp("whole")
    table = league(THREE, folder, seed=8).run(6, batch_size=4)
    assert json.loads((folder / "table.json").read_text()) == table.to_dict()
    return games_file(folder).read_bytes(), table.to_dict()


@pytest.mark.parametrize("cut", [0, 1, 0.3, 0.5, 0.9, -2, -1])
def test_a_torn_file_is_mended(tmp_path, whole, cut, caplog):
    data, expected = whole
    league(THREE, tmp_path, seed=8).run(2)
    keep = round(cut * len(data)) if isinstance(cut, float) else cut % len(data)
    games_file(tmp_path).write_bytes(data[:keep])
    made = league(THREE, tmp_path, seed=8, resume=True)
    finished = data[:keep].count(b"\n")
    assert len(made.games) == finished
    told = []
    with caplog.at_level(logging.WARNING):
        table = made.run(6, batch_size=5, progress=lambda done, total: told.append(done))
    assert told[0] == finished
    assert table.to_dict() == expected
    assert games_file(tmp_path).read_bytes() == data
    assert caplog.text.count("torn end") == (not data[:keep].endswith(b"\n") and keep > 0)


def test_garbage_after_the_last_game_is_dropped(tmp_path, whole):
    """A power cut may leave zeros in place of blocks, and an editor an empty line."""
    data, expected = whole
    league(THREE, tmp_path, seed=8).run(2)
    cut = data.rindex(b"\n{")
    games_file(tmp_path).write_bytes(data[: cut + 20] + b"\0\0\0\n\n\0\0")
    assert league(THREE, tmp_path, seed=8, resume=True).run(6).to_dict() == expected
    assert games_file(tmp_path).read_bytes() == data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.decode().encode("utf-16"),
        lambda data: data.replace(b'{"deal"', b'{"more":1,"deal"'),
        lambda data: data + b'{"a note": 1}\n',
        lambda data: b"a file of something else",
        lambda data: data.replace(b"\n", b"\r"),
    ],
    ids=["UTF-16", "another version", "a note", "another file", "other line ends"],
)
def test_what_no_crash_leaves_is_not_dropped(change, tmp_path, whole):
    league(THREE, tmp_path, seed=8).run(2)
    changed = change(whole[0])
    games_file(tmp_path).write_bytes(changed)
    with pytest.raises(ValueError, match=r"games\.jsonl, line \d+: this is not a result"):
        league(THREE, tmp_path, seed=8, resume=True).run(6)
    assert games_file(tmp_path).read_bytes() == changed


def test_two_results_of_one_game_are_an_error(tmp_path):
    league(TWO, tmp_path, seed=8).run(2)
    lines = games_file(tmp_path).read_bytes().splitlines(keepends=True)
    games_file(tmp_path).write_bytes(b"".join([*lines, lines[0]]))
    assert len(league(TWO, tmp_path, seed=8, resume=True).games) == 2
    other = json.loads(lines[0])
    other["ranks"] = other["ranks"][::-1]
    games_file(tmp_path).write_bytes(b"".join(lines) + json.dumps(other).encode() + b"\n")
    with pytest.raises(ValueError, match="two results of deal 0"):
        league(TWO, tmp_path, seed=8, resume=True)


@pytest.mark.parametrize("actions", [[5, 5, 5], None])
def test_games_whose_camps_are_unknown_are_told_before_more_are_played(actions, tmp_path):
    """In Shamans, the table needs each game's rounds, and so its actions."""

    def made(**more) -> League:
        return League("shamans", TWO, tmp_path, num_players=3, seed=8, **more)

    made().run(1)
    lines = games_file(tmp_path).read_text().splitlines()
    first = json.loads(lines[0])
    first["actions"] = [*first["actions"], 0] if actions is None else actions
    games_file(tmp_path).write_text("\n".join([json.dumps(first), *lines[1:]]) + "\n")
    with pytest.raises(ValueError, match="isn't of this league: deal 0"):
        made(resume=True)


def test_a_last_line_that_is_complete_and_no_result_is_an_error(tmp_path, whole):
    """A crash leaves no newline behind what it cut off."""
    data, _ = whole
    league(THREE, tmp_path, seed=8).run(2)
    lines = data.splitlines(keepends=True)
    edited = b"".join(lines[:-1]) + lines[-1][:20] + b"\n"
    games_file(tmp_path).write_bytes(edited)
    with pytest.raises(ValueError, match=rf"games\.jsonl, line {len(lines)}: this is not a result"):
        league(THREE, tmp_path, seed=8, resume=True)
    assert games_file(tmp_path).read_bytes() == edited


def test_a_bad_line_among_good_ones_is_an_error(tmp_path, whole):
    data, _ = whole
    league(THREE, tmp_path, seed=8).run(2)
    lines = data.splitlines(keepends=True)
    lines[1] = lines[1][:20] + b"\n"
    games_file(tmp_path).write_bytes(b"".join(lines))
    with pytest.raises(ValueError, match=r"games\.jsonl, line 2"):
        league(THREE, tmp_path, seed=8, resume=True)
    assert games_file(tmp_path).read_bytes() == b"".join(lines)


@pytest.mark.parametrize("stop_at", [1, 20, 33, 60])
def test_an_interrupt_keeps_finished_games(tmp_path, whole, stop_at):
    _, expected = whole

    def stop(done, total):
        calls.append(done)
        if len(calls) == stop_at:
            raise KeyboardInterrupt

    calls = []
    made = league(THREE, tmp_path, seed=8)
    with pytest.raises(KeyboardInterrupt):
        made.run(6, progress=stop, batch_size=7)
    kept = games_file(tmp_path).read_bytes().count(b"\n")
    assert kept >= calls[-1]
    assert made.table().games == len(made.games) == kept
    resumed = league(THREE, tmp_path, seed=8, resume=True)
    assert resumed.run(6).to_dict() == expected


def test_an_interrupt_while_writing_loses_nothing(tmp_path, whole, monkeypatch):
    data, _ = whole
    fsync = os.fsync

    def interrupted(descriptor):
        monkeypatch.setattr(ledger_module.os, "fsync", fsync)
        raise KeyboardInterrupt

    made = league(THREE, tmp_path, seed=8)
    made.run(2)
    monkeypatch.setattr(ledger_module.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        made.run(6, batch_size=6)
    assert games_file(tmp_path).read_bytes() == b"".join(data.splitlines(keepends=True)[:12])


def test_a_full_disk_leaves_whole_lines(tmp_path, whole, monkeypatch):
    data, expected = whole
    fsync, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    made = league(THREE, tmp_path, seed=8)
    made.run(2)
    monkeypatch.setattr(ledger_module.os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        made.run(6, batch_size=6)
    assert games_file(tmp_path).read_bytes() == b"".join(data.splitlines(keepends=True)[:12])
    assert made.run(6).to_dict() == expected


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for a child process")
def test_sigint_in_a_process_keeps_finished_games(tmp_path, whole):
    _, expected = whole
    code = (
        "import sys\n"
        "def told(done, total):\n"
        "    print(done, flush=True)\n"
        "    if done: sys.stdin.read()\n"
        "from ludotheque.agents.league import League\n"
        f"made = League('sarena', {THREE!r}, sys.argv[1], seed=8)\n"
        "made.run(6, progress=told, batch_size=2)\n"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path], **pipes)
    # It waits to be resumed once the first games are over; Ctrl-C comes instead.
    while int(process.stdout.readline()) == 0:
        pass
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode != 0 and b"KeyboardInterrupt" in told
    made = league(THREE, tmp_path, seed=8, resume=True)
    assert 0 < len(made.games) < expected["games"]
    assert made.run(6).to_dict() == expected


def test_a_longer_run_goes_on_from_a_shorter_one(tmp_path, whole):
    data, expected = whole
    made = league(THREE, tmp_path, seed=8)
    made.run(2)
    assert made.run(4).games == 12
    resumed = league(THREE, tmp_path, seed=None, resume=True)
    assert resumed.seed == 8
    assert resumed.run(6).to_dict() == expected
    assert games_file(tmp_path).read_bytes() == data
    assert resumed.run(2).to_dict() == expected


def test_results_are_never_overwritten(tmp_path):
    league(out=tmp_path)
    league(out=tmp_path, seed=2).run(2)  # nothing was played there: another league may
    before = games_file(tmp_path).read_bytes()
    with pytest.raises(FileExistsError, match="holds results"):
        league(out=tmp_path, seed=2)
    for difference, told in (
        ({"seed": 3}, "seed is 2 there and 3 here"),
        ({"num_players": 3}, "num_players is 2 there and 3 here"),
        ({"deal": "balanced"}, "options is"),
        ({"agents": THREE, "seed": 2}, "agents is"),
        ({"agents": {**TWO, "greedy": "random"}, "seed": 2}, "agents is"),
    ):
        with pytest.raises(ValueError, match=told):
            league(out=tmp_path, resume=True, **difference)
    assert games_file(tmp_path).read_bytes() == before
    (tmp_path / "league.json").unlink()
    with pytest.raises(ValueError, match=r"no league\.json"):
        league(out=tmp_path, seed=2, resume=True)


def test_a_baseline_of_another_release_is_another_agent(tmp_path, monkeypatch):
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    game = get_game("sarena")
    save_value_model(zero_model(game, 2), tmp_path / "sarena-2.zip")
    agents = {"a": "baseline", "b": "random"}
    league(agents, tmp_path / "league").run(2)
    assert len(league(agents, tmp_path / "league", resume=True).games) == 2
    save_value_model(zero_model(game, 2, width=8), tmp_path / "sarena-2.zip")
    with pytest.raises(ValueError, match="holds another league"):
        league(agents, tmp_path / "league", resume=True)


def test_a_model_that_was_trained_on_is_another_agent(tmp_path):
    class FromFile(RandomAgent):
        def __init__(self, path):
            super().__init__("sarena")
            self.path = path

    model = tmp_path / "model.zip"
    model.write_bytes(b"one")
    agents = {"random": "random", "model": FromFile(model)}
    league(agents, tmp_path / "out").run(2)
    league(agents, tmp_path / "out", resume=True)
    model.write_bytes(b"two")
    with pytest.raises(ValueError, match="agents is"):
        league(agents, tmp_path / "out", resume=True)


@pytest.mark.skipif(files.fcntl is None, reason="no file locks")
def test_two_leagues_do_not_write_to_one_folder(tmp_path):
    first = league(out=tmp_path)
    second = league(out=tmp_path, resume=True)

    def meddle(done, total):
        with pytest.raises(BlockingIOError, match=f"process {os.getpid()} on "):
            second.run(2)

    first.run(2, progress=meddle)
    assert second.run(2).to_dict() == first.table().to_dict()


# ratings


def test_greedy_is_rated_above_random():
    table = league(THREE, seed=1).run(40)
    assert [row.rating for row in table.rows] == sorted(
        (row.rating for row in table.rows), reverse=True
    )
    best, *others = table.rows
    assert best.name == "greedy"
    for row in others:
        assert best.rating - best.uncertainty > row.rating + row.uncertainty
        assert table.pairs["greedy"][row.name].low > 0.5


def test_equal_agents_have_overlapping_ratings():
    table = league({name: "random" for name in "abcd"}).run(20)
    highest = max(row.rating - row.uncertainty for row in table.rows)
    lowest = min(row.rating + row.uncertainty for row in table.rows)
    assert highest < lowest
    for row in table.rows:
        assert row.rating == pytest.approx(25, abs=1) and row.uncertainty > 0


def test_ratings_find_known_strengths():
    """Games drawn from the model itself: the order and the distances come out."""
    rng = np.random.default_rng(0)
    true = {"a": 30.0, "b": 26.0, "c": 22.0}
    scale = np.sqrt(2) * 25 / 6
    games = []
    for one, two in itertools.combinations(true, 2):
        chance = 1 / (1 + np.exp((true[two] - true[one]) / scale))
        games += [((one, two), (1, 2) if rng.random() < chance else (2, 1)) for _ in range(150)]
    rated = rate(list(true), games)
    mean = sum(rating.mu for rating in rated.values()) / 3
    for name, rating in rated.items():
        assert abs((rating.mu - mean) - (true[name] - 26)) < 2 * rating.sigma
    fewer = rate(list(true), games[::10])
    assert all(fewer[name].sigma > rated[name].sigma for name in true)
    assert rate(["a"], []) == {"a": (25, pytest.approx(25 / 3))}


def test_large_leagues_are_rated_in_fewer_orders():
    assert [passes_for(count) for count in (0, 1, 2_500, 5_000, 10**6)] == [20, 20, 20, 10, 4]


@pytest.mark.parametrize(
    "points, games, low, high",
    # Newcombe, "Two-sided confidence intervals for the single proportion", 1998, table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(points, games, low, high):
    assert wilson(points, games) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_wilson_interval_at_the_ends():
    assert wilson(0, 0) == (0, 1)
    for games in range(1, 50):
        low, high = wilson(0, games)
        assert low == 0 < high < 1
        assert wilson(games, games) == (pytest.approx(1 - high), 1)


# the table


def test_table_as_json_and_on_paper(tmp_path):
    rich = pytest.importorskip("rich.console")
    table = league({"[bold]random": "random", "greedy": "greedy"}, num_players=3).run(1)
    assert json.loads(table.to_json()) == table.to_dict()
    table.save(tmp_path / "table.json")
    assert json.loads((tmp_path / "table.json").read_text()) == table.to_dict()
    with open(tmp_path / "paper.txt", "w+", encoding="utf-8") as paper:
        table.print(rich.Console(file=paper, width=120))
        paper.seek(0)
        printed = paper.read()
    row = table.row("greedy")
    assert "[bold]random" in printed
    assert f"{row.rating:.1f} ± {row.uncertainty:.1f}" in printed
    with pytest.raises(KeyError, match="greedy"):
        table.row("gredy")


def test_win_rates_by_camp_in_shamans():
    """Each agent's rounds as a Shaman and as a Shadow, and how many its camp won."""
    made = League("shamans", TWO, num_players=3, seed=3, rounds="single")
    table = made.run(12)
    counts = Counter()
    for game in made.games:
        states = made.game.new_state(game.seed, 3, rounds="single")
        for action in game.actions:
            made.game.step(states, action)
        state = states[0]
        for seat, name in enumerate(game.seats):
            camp = "shadow" if state["camp"][state["role"][seat]] else "shaman"
            won = ("shaman", "shadow")[state["won"]] == camp
            counts[name, camp, won] += 1
    assert [(row.name, row.camp) for row in table.camps] == [
        (row.name, camp) for row in table.rows for camp in ("shadow", "shaman")
    ]
    for row in table.camps:
        wins, losses = (counts[row.name, row.camp, won] for won in (True, False))
        assert (row.wins, row.rounds) == (wins, wins + losses)
        assert (row.low, row.high) == wilson(wins, row.rounds)
        assert row.low <= row.share <= row.high
    assert sum(row.rounds for row in table.camps) == 3 * table.games
    assert sum(row.rounds for row in table.camps if row.camp == "shadow") == table.games
    printed = json.loads(table.to_json())["camps"]
    assert [row["wins"] for row in printed] == [row.wins for row in table.camps]


def test_rounds_of_a_match_are_all_counted():
    """Camps are those at the end of each round; the points follow from them."""
    scores, _, actions = play_match("shamans", ["greedy"] * 5, range(6))
    game = get_game("shamans")
    for seed in range(6):
        rounds = rounds_of("shamans", seed, actions[seed], 5)
        assert [played.number for played in rounds] == list(range(len(rounds)))
        states = game.new_state(seed, 5)
        before, found = states.copy(), []
        for action in actions[seed].tolist():
            game.step(states, action)
            if states["round"] != before["round"] or states["terminated"][0]:
                found.append(states["points"][0] - before["points"][0])
            before = states.copy()
        assert len(found) == len(rounds) > 1
        for played, gained in zip(rounds, found, strict=True):
            assert sorted(played.camps) == ["shadow"] * 2 + ["shaman"] * 3
            for seat, camp in enumerate(played.camps):
                # Besides a camp's points there are 2 for Shards, 1 for an illumination.
                least = {"shaman": 2, "shadow": 3}[camp] if camp == played.winner else 0
                assert gained[seat] - least in (0, 1, 2, 3) or gained[seat] in (0, 1)
        assert scores[seed].tolist() == states["points"][0].tolist()


def test_games_without_camps_have_no_rates_by_camp():
    table = league().run(2)
    assert table.camps is None and "camps" not in table.to_dict()
    with pytest.raises(ValueError, match="sarena has no camps"):
        rounds_of("sarena", 1, [])


def test_a_table_of_camps_before_any_game():
    table = League("shamans", TWO, num_players=4).table()
    assert table.camps == () and table.to_dict()["camps"] == []


def test_a_table_before_any_game():
    table = league().table()
    assert table.games == 0
    assert {row.games for row in table.rows} == {0}
    pair = table.pairs["random"]["greedy"]
    assert (pair.points, pair.low, pair.high) == (0.5, 0, 1)


def test_replay_of_a_chosen_game(tmp_path):
    made = league(THREE, num_players=2, seed=4)
    with pytest.raises(ValueError, match="no finished game"):
        made.replay()
    made.run(2)
    best = made.replay()
    assert best.agents == [row.name for row in made.table().rows[:2]]
    made.save_replay(tmp_path / "game.jsonl", ("other", "random"), deal=0)
    (saved,) = load_replays(tmp_path / "game.jsonl")
    assert (saved.agents, saved.seed) == (["other", "random"], 4)
    saved.verify()
    with pytest.raises(ValueError, match="no finished game of deal 7"):
        made.replay(("other", "random"), deal=7)


# wrong arguments and missing parts


@pytest.mark.parametrize(
    "kwargs, told",
    [
        ({"agents": {"random": "random"}}, "two or more agents"),
        ({"agents": {}}, "two or more agents"),
        ({"agents": {"a": "gredy", "b": "random"}}, "Did you mean 'greedy'"),
        ({"agents": {"": "greedy", "b": "random"}}, "name is ''"),
        ({"num_players": 5}, "num_players"),
        ({"reward": "points"}, "reward is 'points'"),
        ({"seed": -1}, "seed is -1"),
        ({"deal": "fair"}, "deal of sarena is 'fair'"),
    ],
)
def test_wrong_arguments(tmp_path, kwargs, told):
    with pytest.raises(ValueError, match=told):
        league(**kwargs, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_arguments_of_a_wrong_type():
    with pytest.raises(TypeError, match="dict of name"):
        league(["random", "greedy"])
    with pytest.raises(TypeError, match="no option 'dael'"):
        league(dael="balanced")


@pytest.mark.parametrize("games", [0, -2, 1.5, True, "10"])
def test_wrong_number_of_games(games):
    with pytest.raises(ValueError, match="games_per_pair is"):
        league().run(games)


@pytest.mark.parametrize("size", [0, 2.0, None])
def test_wrong_batch_size(size):
    with pytest.raises(ValueError, match="batch_size is"):
        league().run(2, batch_size=size)


def test_results_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="can't keep a league's results"):
            league(out=out)


def test_without_openskill_nothing_is_played(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "ludotheque\[cli\]"'):
        league(out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_without_rich_the_table_says_what_to_install(monkeypatch):
    table = league().run(2)
    monkeypatch.setitem(sys.modules, "rich.console", None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "ludotheque\[cli\]"'):
        table.print()


def test_importing_the_league_is_light(run_python):
    done = run_python(
        "import sys, ludotheque.agents.league\n"
        "print(sorted({'openskill', 'rich', 'torch', 'stable_baselines3'} & set(sys.modules)))"
    )
    assert done.stdout.strip() == "[]", done.stderr


# play_match


def test_play_match_is_the_game_played_by_hand():
    game = get_game("sarena")
    scores, ranks, actions = play_match("sarena", ["greedy", "random", "random"], [7, 8])
    assert scores.shape == ranks.shape == (2, 3) and len(actions) == 2
    for k, seed in enumerate((7, 8)):
        states = game.new_state(seed, 3)
        for action in actions[k]:
            game.step(states, int(action))
        assert states["terminated"][0]
        np.testing.assert_array_equal(game.returns(states)[0], scores[k])
        np.testing.assert_array_equal(game.returns(states)[1], ranks[k])


def test_play_match_with_seats_rotated():
    agents = [make_agent("greedy"), make_agent("random")]
    mixed = play_match("sarena", agents, [3, 3, 4], seating=[[0, 1], [1, 0], [1, 1]])
    straight = play_match("sarena", agents, [3])
    turned = play_match("sarena", agents[::-1], [3])
    both_random = play_match("sarena", ["random"], [4], seating=[[0, 0]])
    for k, alone in enumerate((straight, turned, both_random)):
        np.testing.assert_array_equal(mixed.scores[k], alone.scores[0])
        np.testing.assert_array_equal(mixed.actions[k], alone.actions[0])


def test_play_match_without_games():
    scores, ranks, actions = play_match("sarena", ["greedy", "random"], [])
    assert scores.shape == ranks.shape == (0, 2) and actions == []


class Stubborn(Agent):
    """Plays 0, whatever the mask; with ``many`` it even returns too many actions."""

    def __init__(self, many: int = 0):
        super().__init__("sarena")
        self.many = many

    def act(self, observations, masks, *, states=None, seeds=None):
        return np.zeros(len(masks) + self.many, np.int64)


class OfOnesOwn:
    """Has only the method."""

    __slots__ = ()

    def act(self, observations, masks, *, states=None, seeds=None):
        return masks.argmax(axis=1)


def test_an_agent_of_ones_own_needs_no_base_class(tmp_path):
    made = league({"random": "random", "own": OfOnesOwn()}, tmp_path)
    assert made.run(4).games == 4
    assert len(play_match("sarena", [OfOnesOwn(), "random"], range(3)).actions) == 3
    with pytest.raises(TypeError, match="class OfOnesOwn; give one of its objects"):
        play_match("sarena", [OfOnesOwn, "random"], [1])


def test_play_match_names_the_agent_at_fault():
    with pytest.raises(IllegalActionError) as caught:
        play_match("sarena", [Stubborn(), "random"], range(4))
    assert "Stubborn" in caught.value.__notes__[0]
    with pytest.raises(ValueError, match="Stubborn.*returned actions of shape"):
        play_match("sarena", [Stubborn(many=1), "random"], [1])


def test_an_agent_at_fault_leaves_finished_games(tmp_path):
    made = league({"random": "random", "stubborn": Stubborn()}, tmp_path)
    with pytest.raises(IllegalActionError):
        made.run(4)
    assert made.table().games == len(made.games)


def test_more_games_than_can_be_read_are_not_written(tmp_path, monkeypatch):
    made = league(out=tmp_path)
    made.run(4)
    before = games_file(tmp_path).read_bytes()
    monkeypatch.setattr(ledger_module, "MOST_BYTES", len(before) + 10)
    with pytest.raises(TooLargeError, match=r"games\.jsonl.*the limit is .*; ask for fewer games"):
        made.run(8)
    assert games_file(tmp_path).read_bytes() == before
    assert league(out=tmp_path, resume=True).run(4).games == 4


class Prompted(RandomAgent):
    """Has a long text among its settings."""

    def __init__(self, prompt: str):
        super().__init__("sarena")
        self.prompt = prompt


def test_a_league_is_continued_with_an_agent_of_a_long_text(tmp_path):
    """It used to be refused as too large when the league was read again."""
    long = "x" * (1 << 20)
    agents = {"random": "random", "prompted": Prompted(long)}
    made = league(agents, tmp_path)
    made.run(4)
    assert made.run(8).games == 8
    assert league(agents, tmp_path, resume=True).run(10).games == 10
    other = {"random": "random", "prompted": Prompted(long + "y")}
    with pytest.raises(ValueError, match="another league"):
        league(other, tmp_path, resume=True)


@pytest.mark.parametrize(
    "agents", [{"a\udcff": "random"}, {"a\n": "random"}, {"a": "td:\udcff.zip"}]
)
def test_names_that_no_file_can_hold_are_refused(agents, tmp_path):
    with pytest.raises(ValueError, match="an agent is called '.*aren't UTF-8"):
        league({"random": "random", **agents}, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_settings_that_cannot_be_read_begin_no_league(tmp_path):
    with pytest.raises(TooLargeError, match=r"league\.json.*shorter names"):
        league({"random": "random", "x" * (1 << 20): "random"}, tmp_path / "new")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "seating, told",
    [
        ([[0, 1, 0]], "2 games of 3 players"),
        ([[0, 2], [0, 1]], "there are 2 agents"),
        ([[0, -1], [0, 1]], "there are 2 agents"),
        ([[0.0, 1.0], [1.0, 0.0]], "float64"),
    ],
)
def test_play_match_refuses_a_wrong_seating(seating, told):
    with pytest.raises(ValueError, match=told):
        play_match("sarena", ["greedy", "random"], [1, 2], seating=seating)
