"""Ratings on a fixed scale, their records, and the baselines that come with the package."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from ludotheque.agents import baselines, make_agent
from ludotheque.agents.archives import ARRAYS
from ludotheque.agents.greedy import GreedyAgent
from ludotheque.agents.ladder import (
    DEALS,
    Ladder,
    check_record,
    measure_ladder,
    rate_agent,
    read_ladder,
    read_record,
    rung_league,
    save_ladder,
)
from ludotheque.agents.match import play_match
from ludotheque.agents.ratings import Rating, rate
from ludotheque.agents.td.model import ABOUT
from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.errors import FileError

SHIPPED = [
    (game, players)
    for game in game_names()
    for players in baselines.baseline_counts(get_game(game))
]
VARIANTS = [(*key, variant) for key, found in baselines.VARIANTS.items() for variant in found]


@pytest.fixture(scope="module")
def ladder() -> Ladder:
    pytest.importorskip("openskill")
    return measure_ladder(rung_league("sarena", 2, ("random", "greedy"), seed=5), games=40)


def test_rungs_are_ordered_and_a_file_keeps_them(ladder, tmp_path, monkeypatch):
    assert list(ladder.rungs) == ["random", "greedy"]
    monkeypatch.setattr("ludotheque.agents.ladder.FOLDER", tmp_path)
    save_ladder(ladder)
    assert read_ladder("sarena", 2) == ladder
    with pytest.raises(ValueError, match="no ladder for 3 players; there is one for: 2"):
        read_ladder("sarena", 3)
    path = tmp_path / "sarena-2.json"
    path.write_text(path.read_text().replace('"version": 0', '"version": 7'))
    with pytest.raises(ValueError, match="of sarena_v7, and this is sarena_v0"):
        read_ladder("sarena", 2)


def test_a_measurement_that_was_stopped_is_continued(ladder, tmp_path):
    """Stopped anywhere and resumed, a ladder is the same as in one run."""

    def stop(done: int, total: int) -> None:
        if done > total // 3:
            raise KeyboardInterrupt

    def league(resume: bool = False):
        return rung_league("sarena", 2, ("random", "greedy"), out=tmp_path, seed=5, resume=resume)

    with pytest.raises(KeyboardInterrupt):
        measure_ladder(league(), games=20, progress=stop)
    first = league(resume=True)
    measure_ladder(first, games=20)
    assert len(first.games) == 20
    assert measure_ladder(league(resume=True), games=40) == ladder


def test_a_rating_that_is_stopped_keeps_its_whole_rounds(ladder, tmp_path):
    class Stops(GreedyAgent):
        """Ctrl-C in its third round."""

        seen = 0

        def act(self, *asked, **more):
            Stops.seen += 1
            if Stops.seen > limit:
                raise KeyboardInterrupt
            return super().act(*asked, **more)

    calls: list[int] = []
    limit = 10**9
    how = {"ladder": ladder, "precision": 0.01, "seed": 100}
    whole = rate_agent(
        Stops(get_game("sarena")), max_rounds=3, progress=lambda *_: calls.append(Stops.seen), **how
    )
    assert not whole.interrupted
    Stops.seen, limit = 0, (calls[1] + calls[2]) // 2
    found = rate_agent(Stops(get_game("sarena")), max_rounds=5, **how)
    assert found.interrupted
    games = 2 * DEALS * 2 * len(ladder.rungs)
    assert found.record["games"] == whole.record["games"][:games]
    path = tmp_path / "record.json"
    path.write_text(json.dumps(found.record))
    assert check_record(path, "greedy", ladder) == games
    Stops.seen, limit = 0, calls[0] // 2
    with pytest.raises(KeyboardInterrupt):
        rate_agent(Stops(get_game("sarena")), max_rounds=5, **how)


def test_a_rating_goes_on_from_its_record(ladder, tmp_path):
    """Continued after any round, a rating has the same record as in one go."""
    how = {"ladder": ladder, "precision": 0.01}
    path = tmp_path / "record.json"
    kept: list[str] = []
    whole = rate_agent(
        "greedy", max_rounds=3, seed=7, keep=lambda record: kept.append(json.dumps(record)), **how
    )
    assert json.loads(kept[-1]) == whole.record and len(kept) == 3
    for text in kept:
        path.write_text(text)
        found = rate_agent("greedy", max_rounds=3, earlier=read_record(path, ladder), **how)
        assert found.record == whole.record
    one = json.loads(kept[0])
    with pytest.raises(ValueError, match="came out.*of another agent"):
        rate_agent("random", earlier=one, **how)
    with pytest.raises(ValueError, match="another num_players"):
        rate_agent("greedy", earlier={**one, "num_players": 3}, **how)
    path.write_text(json.dumps({**one, "games": one["games"][1:]}))
    with pytest.raises(ValueError, match="whole rounds"):
        read_record(path, ladder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("scores", []),
        ("scores", [1.0]),
        ("scores", [1.0, 2.0, 3.0]),
        ("ranks", []),
        ("ranks", [1]),
        ("ranks", [1, 2, 3]),
        ("ranks", [7, 9]),
        ("ranks", [2, 2]),
    ],
)
def test_a_record_to_continue_has_results_of_all_seats(name, value, ladder, tmp_path):
    record = rate_agent("greedy", "sarena", ladder=ladder, max_rounds=1).record
    path = tmp_path / "record.json"
    games = [{**record["games"][0], name: value}, *record["games"][1:]]
    path.write_text(json.dumps({**record, "games": games}))
    with pytest.raises(FileError, match="its game 0 has scores"):
        read_record(path, ladder)


def test_a_rung_is_rated_where_it_stands(ladder):
    """Games of greedy against both rungs give it greedy's own rating, above random."""
    rounds: list[tuple[int, int]] = []
    found = rate_agent(
        "greedy",
        "sarena",
        ladder=ladder,
        max_rounds=4,
        precision=0.01,
        seed=100,
        progress=lambda *done: rounds.append(done),
    )
    assert rounds == [(k, 4) for k in range(1, 5)]
    greedy, random = ladder.rungs["greedy"], ladder.rungs["random"]
    assert abs(found.rating - greedy.mu) < found.uncertainty + 2 * greedy.sigma
    assert found.rating > random.mu + 2 * random.sigma
    rows = {row.rung: row for row in found.rows}
    assert rows["greedy"].games == rows["random"].games == 4 * DEALS * 2
    assert rows["random"].wins > rows["greedy"].wins
    assert rows["random"].low <= rows["random"].wins / rows["random"].games <= rows["random"].high
    assert found.decisions_per_second > 0


def test_ratings_that_are_known_do_not_move():
    pytest.importorskip("openskill")
    known = {"a": Rating(20.0, 1.0), "b": Rating(30.0, 1.0)}
    games = [(("new", "b"), (1, 2))] * 10
    found = rate(["new", "a", "b"], games, fixed=known)
    assert found["a"] == pytest.approx(known["a"]) and found["b"] == pytest.approx(known["b"])
    assert found["new"].mu > 30.0


def test_a_narrow_enough_interval_ends_it(ladder):
    found = rate_agent("random", "sarena", ladder=ladder, precision=50.0, max_rounds=9)
    assert found.rows[0].games == DEALS * 2


def test_a_record_is_played_again(ladder, tmp_path):
    record = rate_agent("greedy", "sarena", ladder=ladder, max_rounds=1).record

    def kept(**changes):
        path = tmp_path / "record.json"
        path.write_text(json.dumps({**record, **changes}), encoding="utf-8")
        return path

    assert check_record(kept(), ladder=ladder) == len(record["games"]) == 2 * DEALS * 2
    with pytest.raises(ValueError, match="came out"):
        check_record(kept(), "random", ladder)
    with pytest.raises(ValueError, match="give a rating of"):
        check_record(kept(rating=record["rating"] + 1), ladder=ladder)
    with pytest.raises(ValueError, match="give an uncertainty of"):
        check_record(kept(uncertainty=record["uncertainty"] / 2), ladder=ladder)
    for agent in ("greedy:depth=2", "gredy", "mcts:simulations=0", "mcts:time=9"):
        with pytest.raises(ValueError, match="greedy|simulations|by the clock"):
            check_record(kept(agent=agent), ladder=ladder)
    for changes in (
        {"kind": "something"},
        {"games": [{}]},
        {"ladder": {**record["ladder"], "rungs": {"random": 3}}},
        {"rating": None},
        {"uncertainty": "none"},
    ):
        with pytest.raises(FileError, match="not a record of a rating"):
            check_record(kept(**changes), ladder=ladder)


def test_a_record_can_not_leave_out_games_nor_bring_its_own_scale(ladder, tmp_path):
    record = rate_agent("random", "sarena", ladder=ladder, max_rounds=1).record

    def refused(why, **changes):
        path = tmp_path / "record.json"
        path.write_text(json.dumps({**record, **changes}), encoding="utf-8")
        with pytest.raises(ValueError, match=why):
            check_record(path, ladder=ladder)

    games = record["games"]
    against_random = [one for one in games if one["rung"] == "random"]
    won = [one for one in games if one["ranks"][one["seat"]] == 1]
    elsewhere = [{**games[0], "seat": 7}, *games[1:]]
    unequal = [*games[1:], games[1]]
    for some in ([], games[1:], games + games[:1], against_random, won, elsewhere, unequal):
        refused("aren't those of whole rounds", games=some)
    for mu in (60.0, 1e308):
        rungs = {**record["ladder"]["rungs"], "random": {"mu": mu, "sigma": 1.0}}
        refused("another scale", ladder={**record["ladder"], "rungs": rungs})
    refused("another scale", ladder={**record["ladder"], "rungs": {}})


@pytest.mark.parametrize(
    ("changes", "told"),
    [({"precision": 0}, "precision is 0"), ({"max_rounds": 0}, "max_rounds is 0")],
)
def test_wrong_numbers_are_refused(ladder, changes, told):
    with pytest.raises(ValueError, match=told):
        rate_agent("random", "sarena", ladder=ladder, **changes)


# Baselines


@pytest.mark.parametrize(("name", "players"), SHIPPED)
def test_a_baseline_plays_as_its_card_says(name, players):
    """Not worse than its card by three standard deviations, on other deals."""
    game = get_game(name)
    path = baselines.baseline_path(game, players)
    assert path.stat().st_size <= 400_000
    agent = baselines.BaselineAgent(game)
    about = agent.agent_for(players).about
    card = about["card"]["against"]
    deals = -(-30 // players)
    seats = np.repeat(np.arange(players), deals)
    seating = (np.arange(players) != seats[:, None]).astype(int)
    seeds = [*range(10**6, 10**6 + deals)] * players
    at_table = [agent] if players == 1 else [agent, "greedy"]
    ranks = play_match(name, at_table, seeds, players, seating=seating).ranks
    share = float(np.mean(ranks[np.arange(len(seats)), seats] == 1))
    told = (card["wins"] + card["draws"]) / card["games"]
    assert share >= told - 3 * (told * (1 - told) / len(seats)) ** 0.5
    assert about["card"]["command"] == f"python -m ludotheque.agents.baselines {name} {players}"


@pytest.mark.parametrize(("name", "players", "variant"), VARIANTS)
def test_a_variant_is_played_by_its_own_baseline(name, players, variant):
    """Its records, and no others, are told by their field; its agent is better there."""
    game = get_game(name)
    path = baselines.baseline_path(game, players, variant)
    assert path.stat().st_size <= 400_000
    agent = baselines.BaselineAgent(game)
    own = game.new_state(1, players, **variant.options)
    other = game.new_state(1, players)
    assert own[variant.field][0] == variant.value != other[variant.field][0]
    assert agent.agent_of(own[0]).about["options"].items() >= dict(variant.options).items()
    assert agent.agent_of(other[0]).about["options"] != agent.agent_of(own[0]).about["options"]
    # A batch of both is shared out between the two.
    both = np.concatenate([own, other])
    masks = np.stack([game.legal_mask(both, k) for k in range(2)])
    seeds = np.arange(2, dtype=np.uint64)
    chosen = agent.act(None, masks, states=both, seeds=seeds)
    for k, state in enumerate(both):
        one = slice(k, k + 1)
        alone = agent.agent_of(state).act(None, masks[one], states=both[one], seeds=seeds[one])
        assert chosen[k] == alone[0]
    score = play_match(name, [agent], range(10**6, 10**6 + 30), players, **variant.options).scores
    usual = agent.agent_for(players)
    less = play_match(name, [usual], range(10**6, 10**6 + 30), players, **variant.options).scores
    assert score.mean() > less.mean()


def test_a_game_without_a_baseline_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match="has no baseline; train one"):
        make_agent("baseline", "sarena")


def test_a_number_of_players_without_a_baseline_says_so():
    name, players = SHIPPED[0]
    with pytest.raises(ValueError, match=f"no baseline for 9 players.*for: .*{players}"):
        make_agent("baseline", name).agent_for(9)


def test_a_damaged_baseline_is_refused(monkeypatch, tmp_path):
    name, players = SHIPPED[0]
    game = get_game(name)
    data = bytearray(baselines.baseline_path(game, players).read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / f"{name}-{players}.zip").write_bytes(data)
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"baseline|values"):
        make_agent("baseline", name).agent_for(players)


class Payload:
    """Would write a file if it were unpickled."""

    def __init__(self, path: Path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize(
    ("trick", "told"),
    [
        ("pickle", "header isn.t that of a numeric array"),
        ("digest", "not those that the model was trained on: retrain it"),
        ("bomb of arrays", "bytes; the limit is"),
        ("bomb of text", "bytes; the limit is"),
    ],
)
def test_a_dangerous_baseline_is_refused_by_its_name(trick, told, monkeypatch, tmp_path):
    """Before anything is run or unpacked, whoever names it."""
    with zipfile.ZipFile(baselines.baseline_path(get_game("sarena"), 2)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    arrays = dict(np.load(io.BytesIO(members[ARRAYS])))
    called = tmp_path / "called"
    packed = io.BytesIO()
    if trick == "pickle":
        np.savez(packed, **{**arrays, "first": np.array([Payload(called)])})
        np.load(io.BytesIO(packed.getvalue()), allow_pickle=True)["first"]
        called.unlink()  # the payload works
    elif trick == "digest":
        members[ABOUT] = json.dumps({**json.loads(members[ABOUT]), "schema": "0" * 64}).encode()
    elif trick == "bomb of text":
        members[ABOUT] += b" " * (300 << 20)
    else:
        np.savez_compressed(packed, **{**arrays, "first": np.zeros(300 << 20, np.uint8)})
    members[ARRAYS] = packed.getvalue() or members[ARRAYS]
    with zipfile.ZipFile(tmp_path / "sarena-2.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    del members, arrays, packed
    monkeypatch.setattr(baselines, "FOLDER", tmp_path)
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=told):
            play_match("sarena", ["baseline", "greedy"], [1])
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    assert not called.exists()
