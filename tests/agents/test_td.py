"""Values of afterstates: the agent, self-play, training, and files."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import shutil
import signal
import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from disks import disk_full_at
from executors import Late

from ludotheque.agents import make_agent
from ludotheque.agents.archives import read_archive, write_archive  # noqa: E402
from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.executors import ProcessExecutor
from ludotheque.agents.greedy import GreedyAgent
from ludotheque.agents.match import play_match
from ludotheque.agents.mcts import leaf_method
from ludotheque.agents.td import TDAgent, ValueModel, read_value_model, save_value_model
from ludotheque.agents.td.agent import compile_for
from ludotheque.agents.td.kernels import _TRIAL
from ludotheque.agents.td.model import (
    form_of,
    make_tree,
    make_work,
    positions_of,
    source_of,
    stack,
    usual_inputs,
    zero_model,
)
from ludotheque.agents.td.play import Plan
from ludotheque.agents.td.selfplay import Played, SelfPlay, Window, goals
from ludotheque.agents.td.tree import Method
from ludotheque.envs import game_names, get_game, make_batch
from ludotheque.envs.core.errors import FileError
from ludotheque.envs.core.files import LOCK
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.rng import mix64
from ludotheque.envs.core.schema import Field

GAMES = [get_game(name) for name in game_names()]
# Their redraws shuffle the record's contents, so one seed draws differently from another deal.
SHUFFLED = {"sagani": "pile", "sarena": "secret"}


PLAN = Plan(
    rows=60,
    temperature=0.3,
    by_policy=False,
    limit=100,
    trace=0.7,
    rank_share=0.0,
    rivalry=1.0,
    spread=4.0,
    search_share=0.0,
    keeps=False,
    rivals=np.ones(1),
)
SHORT = Method(
    simulations=12,
    candidates=4,
    limit=12,
    exploration=1.0,
    noise=1.0,
    scale=20.0,
    spread=4.0,
    rank_share=0.0,
    rivalry=1.0,
    playouts=0.0,
    greedy=False,
    leaf=leaf_method(get_game("sarena")),
)


def random_model(game, seed: int = 0, num_players: int | None = None) -> ValueModel:
    """A network whose contribution to values is as large as that of ``evaluate``."""
    rng = np.random.default_rng(seed)
    model = zero_model(game, num_players or game.usual_players, width=8, last_width=4)
    arrays = {
        name: rng.normal(size=array.shape).astype(np.float32)
        for name, array in model.arrays.items()
    }
    return ValueModel(model.about, {**arrays, "weight": np.array([0.7, 0.4], np.float32)})


def positions(game, count: int, plies: int, num_players: int | None = None) -> np.ndarray:
    """Records of games not over, after as many random plies and more."""
    states = game.new_states(count)
    seeds = np.arange(count, dtype=np.uint64)
    options = game.encode_options(num_players or game.usual_players)
    game.loops.deal(states, 0, count, seeds, options)
    actions = np.zeros(count, np.int64)
    for ply in range(plies):
        game.loops.random_actions(states, 0, count, actions)
        for i in range(ply * count // plies, count):
            before = states[i].copy()
            game.step(states, actions[i], i)
            if states["terminated"][i]:
                states[i] = before
    return states


def masks_of(game, states: np.ndarray) -> np.ndarray:
    return np.array([game.legal_mask(states, i) for i in range(len(states))])


def redrawn(game, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    """Copies with what the seats to play can't know resampled."""
    copies = states.copy()
    game.loops.redraw(copies, 0, len(copies), np.full(len(copies), -1), seeds)
    return copies


def same_rounds(one: Played, two: Played) -> None:
    for part in ("samples", "lessons", "taken"):
        for name, array in getattr(one, part)._asdict().items():
            assert np.array_equal(array, getattr(getattr(two, part), name)), name
    assert (one.games, one.plies) == (two.games, two.plies)


def act(agent, game, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
    return agent.act(None, masks_of(game, states), states=states, seeds=seeds)


def trial_seeds(seeds: np.ndarray) -> np.ndarray:
    return np.array([mix64(seed ^ _TRIAL) for seed in seeds], np.uint64)


# The agent


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_network_of_zeros_plays_as_greedy_does(game):
    states = positions(game, 40, 20)
    seeds = np.arange(40, dtype=np.uint64) + np.uint64(7)
    greedy = act(GreedyAgent(game), game, redrawn(game, states, trial_seeds(seeds)), seeds)
    found = act(TDAgent(game, zero_model(game, game.usual_players)), game, states, seeds)
    assert found.tolist() == greedy.tolist()


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_values_are_evaluate_and_the_network_of_what_the_seat_sees(game):
    """The choice computed in numpy: each afterstate separately, layer by layer."""
    model = random_model(game)
    w = model.arrays
    where = positions_of(game, tuple(model.about["inputs"]))
    states = positions(game, 12, 20)
    seeds = np.arange(12, dtype=np.uint64) + np.uint64(70)
    known = redrawn(game, states, trial_seeds(seeds))
    found = act(TDAgent(game, model), game, states, seeds)
    for i, action in enumerate(found.tolist()):
        seat, values = int(states["to_play"][i]), {}
        for tried in np.flatnonzero(game.legal_mask(states, i)).tolist():
            after = known[i : i + 1].copy()
            game.step(after, tried)
            seen = game.observe(after, seat, form=form_of(game))[where].astype(np.float64)
            first = np.maximum(seen @ w["first"] + w["first_bias"], 0)
            second = np.maximum(first @ w["second"] + w["second_bias"], 0)
            added = float(second @ w["last"][0] + w["last_bias"][0])
            worth = game.kernels["evaluate"](after[0], seat, game.new_memo())
            values[tried] = float(w["weight"][0]) * worth + added
        best = max(values.values())
        assert values[action] >= best - 1e-4 * max(1.0, abs(best))


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_what_a_seat_cannot_know_changes_no_choice(game):
    """Hidden cards and chance are replaced by others that are equally likely for the seat."""
    agent = TDAgent(game, random_model(game))
    states = positions(game, 60, 20)
    others = redrawn(game, states, np.arange(60, dtype=np.uint64) + np.uint64(1000))
    assert not np.array_equal(states["rng"], others["rng"])
    seeds = np.arange(60, dtype=np.uint64) + np.uint64(5)
    name = SHUFFLED.get(game.name)
    if name:  # told apart from luck: with these the same draws come of the same seed
        others[name] = states[name]
    assert act(agent, game, others, seeds).tolist() == act(agent, game, states, seeds).tolist()


def test_tiles_under_the_piles_are_drawn_by_the_seed_and_not_from_the_record():
    """If redraws shuffle: over many seeds, choices from both records are equally frequent."""
    game = get_game("sagani")
    agent = TDAgent(game, random_model(game))
    state = positions(game, 1, 9)
    other = redrawn(game, state, np.array([3], np.uint64))
    assert not np.array_equal(state["pile"], other["pile"])
    seeds = np.arange(600, dtype=np.uint64)
    one, two = (act(agent, game, np.repeat(s, 600), seeds) for s in (state, other))
    shares = [np.bincount(some, minlength=game.num_actions) / 600 for some in (one, two)]
    # Three standard deviations of a difference of shares are 0.087 at most.
    assert np.abs(shares[0] - shares[1]).max() < 0.1


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_it_plays_with_any_number_of_players(num_players):
    agent = TDAgent("sarena", random_model(get_game("sarena"), num_players=num_players))
    _, ranks, _ = play_match("sarena", [agent, *["random"] * (num_players - 1)], range(4))
    assert ranks.shape == (4, num_players)


def test_threads_and_neighbours_change_no_choice():
    game = get_game("sarena")
    states, seeds = positions(game, 30, 20), np.arange(30, dtype=np.uint64)
    model = random_model(game)
    agents = [TDAgent(game, model, temperature=0.5, num_threads=n) for n in (1, 3)]
    whole, shared = (act(agent, game, states, seeds).tolist() for agent in agents)
    alone = [act(agents[0], game, states[i : i + 1], seeds[i : i + 1])[0] for i in range(30)]
    assert whole == shared == alone


# Files


@pytest.fixture
def file(tmp_path) -> Path:
    save_value_model(random_model(get_game("sarena")), tmp_path / "model.zip")
    return tmp_path / "model.zip"


def test_a_file_keeps_the_model(file: Path, tmp_path):
    game = get_game("sarena")
    model = random_model(game)
    read = read_value_model(file, game)
    assert read.about == dict(model.about)
    for name, array in model.arrays.items():
        assert np.array_equal(read.arrays[name], array)
    save_value_model(read, tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == file.read_bytes()
    agent = make_agent(f"td:{file},temperature=0.1", "sarena")
    assert isinstance(agent, TDAgent) and agent.temperature == 0.1
    assert play_match("sarena", [f"td:{file}", "random"], [1]).ranks.shape == (1, 2)


def rewritten(file: Path, about=None, **arrays) -> Path:
    """The file with something else in it."""
    model = read_value_model(file, get_game("sarena"))
    changed = ValueModel({**model.about, **(about or {})}, {**model.arrays, **arrays})
    save_value_model(changed, file)
    return file


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"game": "saga"}, "can't play sarena"),
        ({"version": 99}, "retrain it"),
        ({"schema": "0" * 64}, "retrain it"),
        ({"kind": "policy"}, "not a file of afterstate values"),
        ({"inputs": ["colour"]}, "observes no 'colour'"),
        ({"inputs": ["ply"]}, "damaged"),
    ],
)
def test_a_model_of_something_else_is_refused(file: Path, about, told):
    with pytest.raises(ValueError, match=told):
        TDAgent("sarena", rewritten(file, about))


def test_a_changed_observation_is_refused(file: Path):
    game = get_game("sarena")
    more = (*game.flat[:-1], dataclasses.replace(game.flat[-1], high=5))
    with pytest.raises(ValueError, match="retrain it"):
        read_value_model(file, dataclasses.replace(game, flat=more))


def test_damaged_files_are_refused(file: Path, tmp_path):
    whole = file.read_bytes()
    for number, data in enumerate((b"", b"no zip", whole[: len(whole) // 2])):
        path = tmp_path / f"{number}.zip"
        path.write_bytes(data)
        with pytest.raises(ValueError, match="damaged"):
            TDAgent("sarena", path)
    with pytest.raises(ValueError, match="aren't finite"):
        TDAgent("sarena", rewritten(file, last=np.full((2, 4), np.nan, np.float32)))
    with pytest.raises(ValueError, match="damaged"):
        TDAgent("sarena", rewritten(file, last=np.zeros(5, np.float32)))


def test_objects_in_a_file_are_not_read(file: Path, tmp_path):
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(path, "w") as new:
        new.writestr("model.json", old.read("model.json"))
        np.savez(tmp_path / "evil.npz", first=np.array([{}], object))
        new.write(tmp_path / "evil.npz", "arrays.npz")
    with pytest.raises(ValueError, match="header isn.t that of a numeric array"):
        TDAgent("sarena", path)


def test_wrong_arguments_say_what_to_do(tmp_path, file: Path):
    with pytest.raises(ValueError, match="td:PATH"):
        make_agent("td", "sarena")
    with pytest.raises(FileNotFoundError, match="--method td"):
        make_agent(f"td:{tmp_path}/nothing.zip", "sarena")
    with pytest.raises(ValueError, match="temperature is -1"):
        make_agent(f"td:{file},temperature=-1", "sarena")
    with pytest.raises(ValueError, match="leaf is 'greedy'.*'playout', 'evaluate'"):
        make_agent(f"td:{file},leaf=greedy", "sarena")
    with pytest.raises(ValueError, match="with 2 players, not 3"):
        make_agent(f"td:{file},num_players=3", "sarena")


def test_large_maps_are_left_out():
    fields = [
        Field("map", (2, 11, 11), 0, 1, "", "all"),
        Field("board", (2, 6, 6), 0, 1, "", "all"),
        Field("tiles", (72, 17), 0, 1, "", "all"),
    ]
    game = dataclasses.replace(get_game("sarena"), flat=tuple(fields))
    assert usual_inputs(game) == ("board", "tiles")
    assert positions_of(game, ("board",)).tolist() == list(range(242, 242 + 72))


# Self-play


def a_round(  # noqa: PLR0913
    num_threads=1,
    trace=0.7,
    num_players=2,
    rank_share=0.0,
    actors=None,
    rivalry=1.0,
    name="sarena",
):
    game = get_game(name)
    models = [random_model(game, seed, num_players).arrays for seed in range(3)]
    settings = Settings(game, num_players)
    games = SelfPlay(settings, usual_inputs(game), 3, num_threads, actors=actors)
    rivals = np.array([0.5, 0.75, 1.0])
    plan = PLAN._replace(
        rows=60,
        temperature=0.3,
        trace=trace,
        rank_share=rank_share,
        rivalry=rivalry,
        spread=4.0,
        rivals=rivals,
    )
    return games.play(models, (plan, SHORT), (0, 1), np.uint64(9))


@pytest.mark.parametrize("weight", [np.nan, np.inf, 1e30])
def test_a_network_that_has_diverged_plays_no_round(weight, monkeypatch):
    """Its values are NaN: it once chose an action before the first in its list."""
    model = zero_model(get_game("sarena"), 2, width=8, last_width=4)
    wrong = {**model.arrays, "last": np.full((2, 4), weight, np.float32)}
    monkeypatch.setitem(globals(), "random_model", lambda *_: ValueModel(model.about, wrong))
    with pytest.raises(ValueError, match="last holds .*learning_rate"):
        a_round()


@pytest.mark.parametrize("by_policy", [False, True])
def test_where_values_compare_with_nothing_the_choice_is_legal(by_policy):
    game = get_game("sarena")
    states = positions(game, 8, 10)
    masks, seeds = masks_of(game, states), np.arange(8, dtype=np.uint64)
    agent = TDAgent(game, random_model(game), lead="policy" if by_policy else "value")
    agent._nets.weight[:] = np.nan
    actions = agent.act(None, masks, states=states, seeds=seeds)
    assert masks[np.arange(8), actions].all()


@pytest.mark.parametrize("returned", [None, [], [1], [None, None]])
def test_an_actor_that_returns_something_else_is_told(returned):
    class Strange:
        def submit(self, function, *arguments):
            future = Future()
            future.set_result(returned)
            return future

    with pytest.raises(ValueError, match="the executor returned"):
        a_round(actors=Strange())


def test_threads_and_actors_change_no_array():
    one, three = a_round(1), a_round(3)
    same_rounds(one, three)
    same_rounds(one, a_round(actors=Late(losing=(0, 3))))


@pytest.mark.parametrize(("trace", "num_players"), [(1.0, 2), (0.0, 2), (0.7, 2), (0.7, 3)])
def test_targets_are_td_lambda(trace, num_players):
    """Computed from the first sample of each game on, as a sum over all later samples.

    With two players over those of both seats, the other's with the sign changed; else the seat's.
    """
    samples = a_round(trace=trace, num_players=num_players).samples
    # A game's samples have the same result, starting with seat 0.
    results = [np.roll(o, s, axis=-1) for o, s in zip(samples.outcome, samples.seat, strict=True)]
    edges = [t for t in range(1, len(results)) if not np.array_equal(results[t - 1], results[t])]
    for first, stop in zip([0, *edges], [*edges, len(results)], strict=True):
        for t in range(first, stop):
            seat = samples.seat[t]
            steps = [
                float(samples.value[k] if samples.seat[k] == seat else -samples.value[k])
                for k in range(t + 1, stop)
                if num_players == 2 or samples.seat[k] == seat
            ]
            expected = trace ** len(steps) * float(results[t][0][seat])
            expected += sum((1 - trace) * trace**n * step for n, step in enumerate(steps))
            assert samples.target[t] == pytest.approx(expected, abs=1e-4)
    assert len(edges) > 1


def test_outcomes_are_seen_from_the_seat():
    samples = a_round(rank_share=0.25).samples
    goal, scores, ranks = samples.outcome.transpose(1, 0, 2)
    margin = scores[:, 0] - scores[:, 1]
    assert np.allclose(goal[:, 0], 0.75 * margin + 0.25 * ranks[:, 0], atol=1e-5)
    assert np.allclose(goal[:, 1], -goal[:, 0], atol=1e-5)
    assert np.array_equal(np.sign(margin[margin != 0]), ranks[margin != 0, 0])
    assert set(samples.seat.tolist()) == {0, 1}


@pytest.mark.parametrize("rivalry", [0.0, 0.5])
def test_points_without_rivalry_are_learned_from_the_seats_own_samples(rivalry):
    samples = a_round(rivalry=rivalry).samples
    goal, scores, _ = samples.outcome.transpose(1, 0, 2)
    assert np.allclose(goal, scores - rivalry * scores[:, ::-1], atol=1e-5)
    for seat in (0, 1):
        own = np.flatnonzero(samples.seat == seat)
        for t, later in itertools.pairwise(own):
            if np.array_equal(np.roll(scores[t], seat), np.roll(scores[later], seat)):
                led = 0.3 * samples.value[later] + 0.7 * samples.target[later]
                assert samples.target[t] == pytest.approx(led, abs=1e-4)


def test_the_window_keeps_the_newest():
    goal = goals(a_round().samples)
    size = len(goal)
    window = Window(goal=np.empty((size + 10, goal.shape[1]), np.float32))
    window.add(goal=goal)
    window.add(goal=goal + 1)
    assert window.filled == size + 10 and window.place == size - 10
    expected = np.concatenate([goal + 1] * 2)
    found = window.arrays["goal"]
    assert np.array_equal(found[: size - 10], expected[10:size])
    assert np.array_equal(found[size - 10 : size], goal[-10:])
    other = Window(goal=np.empty_like(found))
    other.set_state(window.get_state())
    assert np.array_equal(other.arrays["goal"], found)


def test_the_network_learns_what_evaluate_lacks():
    samples = a_round().samples
    goal = goals(samples)
    assert np.array_equal(goal[:, 0], samples.target - samples.base)
    assert np.array_equal(goal[:, 1:], samples.outcome.reshape(len(goal), -1)[:, 1:])


def test_points_by_category_are_the_seats_own_in_the_unit_of_its_score():
    samples = a_round(name="saga", num_players=3).samples
    scores = samples.outcome[:, 1]
    assert samples.categories.shape == (len(scores), len(get_game("saga").categories))
    assert np.allclose(samples.categories.sum(axis=1), scores[:, 0], atol=1e-5)
    assert (samples.categories[:, 3] <= 0).all() and samples.categories[:, 3].any()
    goal = goals(samples)
    assert np.array_equal(goal[:, 9:], samples.categories)
    assert np.array_equal(goal[:, 3:6], scores)


# The search


SEARCHED = [get_game("sarena"), get_game("shamans")]


@pytest.mark.parametrize("game", SEARCHED, ids=repr)
def test_what_a_seat_cannot_know_changes_no_search(game):
    agent = TDAgent(game, random_model(game), simulations=10, limit=8)
    states = positions(game, 30, 20)
    others = redrawn(game, states, np.arange(30, dtype=np.uint64) + np.uint64(1000))
    seeds = np.arange(30, dtype=np.uint64) + np.uint64(5)
    name = SHUFFLED.get(game.name)
    if name:
        others[name] = states[name]
    masks = masks_of(game, states)
    one, two = (agent.search(some, masks, seeds) for some in (states, others))
    for found, other in zip(one, two, strict=True):
        assert np.array_equal(found, other)


@pytest.mark.parametrize("game", SEARCHED, ids=repr)
def test_a_search_improves_the_policy_among_legal_actions(game):
    """The policy is valid, and favours what the search chose or found to be better."""
    agent = TDAgent(game, zero_model(game, game.usual_players), simulations=16, num_threads=2)
    states = positions(game, 30, 20)
    masks, seeds = masks_of(game, states), np.arange(30, dtype=np.uint64)
    actions, policy, values = agent.search(states, masks, seeds)
    assert np.allclose(policy.sum(axis=1), 1.0)
    assert not (policy[masks == 0]).any() and not (values[masks == 0]).any()
    assert masks[np.arange(30), actions].all()
    assert act(agent, game, states, seeds).tolist() == actions.tolist()
    agent.num_threads = 1
    assert agent.search(states, masks, seeds)[0].tolist() == actions.tolist()


def test_a_search_finds_what_wins_at_the_end():
    """The result of Sàrèná's last move is certain: the best is played, however bad the network."""
    game = get_game("sarena")
    states = positions(game, 800, 26)
    known = [k for k in range(800) if last_moves(game, states[k : k + 1])][:12]
    assert len(known) == 12
    model = random_model(game)
    agent = TDAgent(game, model, simulations=400, candidates=120, scale=1000.0)
    found = act(agent, game, states[known], np.arange(12, dtype=np.uint64))
    for k, action in zip(known, found.tolist(), strict=True):
        margins = dict(last_moves(game, states[k : k + 1]))
        assert margins[action] == max(margins.values())


def last_moves(game, state: np.ndarray) -> list[tuple[int, float]]:
    """Legal actions with their final margins; none if one doesn't end the game."""
    seat = int(state["to_play"][0])
    found = []
    for action in np.flatnonzero(game.legal_mask(state, 0)).tolist():
        after = state.copy()
        game.step(after, action)
        if not after["terminated"][0]:
            return []
        scores, ranks = np.zeros(4, np.float32), np.zeros(4, np.int64)
        game.kernels["returns"](after[0], scores, ranks)
        found.append((action, float(scores[seat] - scores[1 - seat])))
    return found


def test_a_playout_is_mixed_into_what_a_new_position_is_worth():
    game = get_game("sarena")
    model = random_model(game)
    nets = stack(game, tuple(model.about["inputs"]), [model.arrays])
    work, grown = make_work(game, nets), make_tree(game, 1, 1)
    state = positions(game, 1, 12)
    grown.game[:] = state
    work.utility[:2] = 0.5, -0.5
    word = np.uint64(7)
    compile_for(game, "search").play_on(grown, word, work, SHORT._replace(playouts=0.25))
    scores, ranks = np.zeros(4, np.float32), np.zeros(4, np.int64)
    game.loops.play_out(state[0], word, scores, ranks)
    margin = (scores[0] - scores[1]) / 4.0
    expected = [0.25 * margin + 0.75 * 0.5, -0.25 * margin - 0.75 * 0.5]
    assert np.allclose(work.utility[:2], expected)


def test_a_greedy_playout_is_worth_what_margins_have_grown_since_the_root():
    """Margins are ``evaluate`` minus the best of the others; without plies, those of the leaf."""
    game = get_game("shamans")
    model = random_model(game)
    nets = stack(game, tuple(model.about["inputs"]), [model.arrays])
    work, grown = make_work(game, nets), make_tree(game, 1, 1)
    root, leaf = positions(game, 1, 5), positions(game, 1, 40)
    greedy = SHORT._replace(
        playouts=0.75, greedy=True, leaf=leaf_method(game)._replace(plies=0, scale=2.0)
    )
    loops = compile_for(game, "search")
    loops.margins(root[0], grown.playout.baseline, grown.playout.memo)
    grown.game[:] = leaf
    work.utility[:3] = 0.5, -0.5, 0.0
    loops.play_on(grown, np.uint64(7), work, greedy)
    grew = np.subtract(*(margins_of(game, states) for states in (leaf, root)))
    assert np.ptp(grew) > 0.1
    expected = 0.75 * np.tanh(grew / 2.0) + 0.25 * np.array([0.5, -0.5, 0.0])
    assert np.allclose(work.utility[:3], expected, atol=1e-5)


def margins_of(game, states) -> np.ndarray:
    evaluate, memo = game.kernels["evaluate"], game.new_memo()
    values = [evaluate(states[0], seat, memo) for seat in range(3)]
    return np.array([values[k] - max(values[:k] + values[k + 1 :]) for k in range(3)])


def test_playouts_are_as_the_game_prefers_unless_said_otherwise():
    """The preference is a default: stating it changes nothing, and another value does."""
    game = get_game("shamans")
    model = random_model(game)
    states, seeds = positions(game, 30, 20), np.arange(30, dtype=np.uint64)
    masks = masks_of(game, states)
    said = {"leaf": game.search["leaf"], **game.learning}
    del said["method"]
    values = [
        TDAgent(game, model, simulations=20, **settings).search(states, masks, seeds)[2]
        for settings in ({}, said, {"leaf": "playout"}, {"playouts": 0.0})
    ]
    assert np.array_equal(values[0], values[1])
    assert not np.allclose(values[0], values[2])
    assert not np.allclose(values[0], values[3])


def test_searched_decisions_are_kept_with_what_the_search_made_of_them():
    game = get_game("sarena")
    rows = {}
    for num_threads, actors in ((1, None), (3, None), (0, Late())):
        games = SelfPlay(Settings(game, 2), usual_inputs(game), 3, num_threads, actors=actors)
        plan = PLAN._replace(search_share=0.5, by_policy=True)
        played = games.play([random_model(game).arrays], (plan, SHORT), (200, 6), np.uint64(9))
        rows[num_threads] = played
    same_rounds(rows[1], rows[3])
    same_rounds(rows[1], rows[0])
    lessons = rows[1].lessons
    share = len(lessons.action) / len(rows[1].samples.seat)
    assert 0.35 < share < 0.65
    assert np.allclose(lessons.policy.sum(axis=1), 1.0, atol=1e-5)
    assert (np.diff(lessons.policy, axis=1) <= 1e-6).all(), "the likeliest come first"
    assert lessons.visits.sum(axis=1).max() <= 1.0 + 1e-6
    for state, actions in zip(lessons.state, lessons.action, strict=True):
        legal = game.legal_mask(np.array([state]), 0)
        assert legal[actions[actions >= 0]].all()


def test_decisions_are_kept_with_what_the_policy_could_do():
    game = get_game("sarena")
    plan = PLAN._replace(by_policy=True, keeps=True, temperature=1.0, limit=7)
    model, rows = random_model(game), {}
    for num_threads, actors in ((1, None), (3, None), (0, Late())):
        games = SelfPlay(Settings(game, 2), usual_inputs(game), 3, num_threads, 7, actors)
        rows[num_threads] = games.play([model.arrays], (plan, SHORT), (0, 1), np.uint64(9))
    same_rounds(rows[1], rows[3])
    same_rounds(rows[1], rows[0])
    samples, taken = rows[1].samples, rows[1].taken
    assert len(taken.first) == len(samples.seat) > 100
    assert taken.count.min() >= 2 and taken.count.max() == 7 and len(taken.seen) == sum(taken.count)
    place = taken.first + taken.chosen
    assert np.array_equal(taken.seen[place], samples.seen)
    assert np.allclose(taken.base[place] * model.arrays["weight"][0], samples.base)
    # Also for actions that weren't chosen: their value is the network's for their observation.
    w = model.arrays
    first = np.maximum(taken.seen @ w["first"] + w["first_bias"], 0)
    units = np.maximum(first @ w["second"] + w["second_bias"], 0)
    values = units @ w["last"][0] + w["last_bias"][0] + w["weight"][0] * taken.base
    logits = units @ w["policy"] + w["weight"][1] * taken.base
    for row, (start, count) in enumerate(zip(taken.first, taken.count, strict=True)):
        part = slice(start, start + count)
        likely = np.exp(logits[part] - logits[part].max())
        likely /= likely.sum()
        assert np.isclose(taken.likely[row], likely[taken.chosen[row]], atol=1e-4)
        assert np.isclose(taken.expected[row], likely @ values[part], atol=1e-3)


def test_stacked_networks_are_told_apart():
    game = get_game("sarena")
    nets = stack(game, ("secret", "ply"), [dict(zero_model(game, 2).arrays)])
    assert sorted(nets.rows[nets.rows >= 0].tolist()) == [0, 1, 2, 3, 4]
    assert len(nets.rows) % 8 == 0


# Training

TINY = {
    "steps": 3000,
    "pieces": 3,
    "piece_rows": 256,
    "window": 2000,
    "width": 8,
    "last_width": 8,
    "batch_size": 64,
    "learning_rate": 5e-3,
    "averaging": 0.95,
    "pool_size": 2,
    "snapshot_every": 800,
    "eval_every": 1600,
    "eval_games": 6,
    "checkpoint_every": 1600,
}


def tiny(out: Path, method: str = "td", **changes):
    pytest.importorskip("torch")
    from ludotheque.agents.td.trainer import CONFIGS

    if method == "policy":
        changes = {"temperature": 1.0, **changes}
    return CONFIGS[method](out=out, **{"game": "sarena", **TINY, **changes})


def train(config, actors=None):
    from ludotheque.agents.td.trainer import train_td

    return train_td(config, actors)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A tiny run, complete."""
    return train(tiny(tmp_path_factory.mktemp("td") / "finished"))


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "search", "policy"])
def test_opponents_of_evaluations_are_checked_before_training(method, tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'greedy'"):
        tiny(tmp_path, method, eval_opponents=("gredy",))
    with pytest.raises(ValueError, match="with 3 players, not 2"):
        tiny(tmp_path, method, eval_opponents=(f"td:{baseline_path(get_game('sarena'), 3)}",))


@pytest.mark.training
@pytest.mark.parametrize("full", ["checkpoint/run.zip", "model.zip", "best.zip"])
def test_a_disk_that_is_full_at_the_first_evaluation_loses_nothing(finished, full, tmp_path):
    out = tmp_path / "run"
    with disk_full_at(out / full):
        train(tiny(out))
    again = train(tiny(out, resume=True))
    for one, other in zip(again.evaluations, finished.evaluations, strict=True):
        assert dataclasses.replace(one, seconds=0.0) == dataclasses.replace(other, seconds=0.0)
    models = [
        read_value_model(run.model_path, get_game("sarena")).arrays for run in (again, finished)
    ]
    assert all((models[0][name] == array).all() for name, array in models[1].items())


@pytest.mark.training
def test_who_is_responded_to_has_no_comma_in_its_path(finished, tmp_path):
    """It is evaluated against by name, in which a comma begins a setting."""
    path = tmp_path / "a,b.zip"
    shutil.copy(finished.model_path, path)
    with pytest.raises(ValueError, match=r"'b\.zip' is not a setting"):
        tiny(tmp_path / "run", "policy", against=str(path))


@pytest.mark.training
def test_a_runs_files(finished):
    out = finished.out
    assert finished.steps >= 3000 and not finished.interrupted
    lines = [json.loads(line) for line in (out / "evaluations.jsonl").read_text().splitlines()]
    assert [line["opponent"] for line in lines] == ["random", "greedy"] * 2
    assert [line["wins"] for line in lines] == [found.wins for found in finished.evaluations]
    config = json.loads((out / "config.json").read_text())
    assert config["method"] == "td" and config["width"] == 8
    assert list((out / "tensorboard").iterdir())
    for path in (finished.model_path, finished.best_path):
        assert TDAgent("sarena", path, num_players=2).about["steps"] <= finished.steps
    names = {path.name for path in out.rglob("*") if path.is_file()}
    assert not any(name.startswith(".") for name in names - {LOCK}), "a temporary file is left"


@pytest.mark.training
def test_a_run_stopped_and_resumed_with_other_actors_gives_the_same_arrays(finished, tmp_path):
    from ludotheque.agents.archives import read_archive
    from ludotheque.agents.td.model import source_of
    from ludotheque.agents.td.trainer import TDConfig

    def stop(done, total, text):
        if done > 1500 and not stopped:
            stopped.append(done)
            signal.raise_signal(signal.SIGINT)

    stopped: list[float] = []
    before = signal.getsignal(signal.SIGINT)
    with ThreadPoolExecutor(2) as two:
        result = train(tiny(tmp_path, progress=stop, num_threads=2), two)
    assert result.interrupted and 1500 < result.steps < 3000
    assert signal.getsignal(signal.SIGINT) is before
    result = train(TDConfig(out=tmp_path, game="sarena", resume=True, steps=3000))
    assert result.steps == finished.steps and not result.interrupted
    archives = [
        read_archive(source_of(run.out / "checkpoint" / "run.zip"), "run.json", {})
        for run in (finished, result)
    ]
    (about, arrays), (other_about, other) = archives
    assert arrays.keys() == other.keys() and len(arrays) > 30
    for name, array in arrays.items():
        assert np.array_equal(array, other[name]), name
    assert about["marks"] == other_about["marks"]
    assert [found.wins for found in result.evaluations] == [
        found.wins for found in finished.evaluations
    ]
    assert result.model_path.read_bytes() == finished.model_path.read_bytes()


class Deadly(ProcessExecutor):
    """One process, which is killed when it starts the fifth piece."""

    def __init__(self, fuse: Path):
        super().__init__(1, interrupts=False)
        self.fuse, self.count = fuse, 0

    def submit(self, function, *arguments):
        self.count += 1
        if self.count == 5:
            self.fuse.touch()
        return super().submit(burn, self.fuse, function, *arguments)


def burn(fuse: Path, function, *arguments):
    if fuse.exists():
        fuse.unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return function(*arguments)


@pytest.mark.slow
@pytest.mark.training
def test_an_actor_that_is_killed_changes_no_model(finished, tmp_path):
    with Deadly(tmp_path / "fuse") as actors:
        result = train(tiny(tmp_path / "run"), actors)
    assert actors.count > 5 and not actors.fuse.exists(), "a process was killed"
    assert result.model_path.read_bytes() == finished.model_path.read_bytes()


class Changing:
    """Actors in this process, whose pieces come back changed by ``change``."""

    def __init__(self, change):
        self.change = change

    def submit(self, function, *arguments):
        ticket, (played,) = function(*arguments)
        future: Future = Future()
        future.set_result((ticket, [self.change(played)]))
        return future


def changed_part(part: str, name: str, change):
    """Return a change of an array of a piece."""

    def apply(played):
        arrays = getattr(played, part)
        if not len(getattr(arrays, name)):
            return played  # the first round measures, and searches nothing
        new = change(getattr(arrays, name).copy())
        return played._replace(**{part: arrays._replace(**{name: new})})

    return apply


def filled(value):
    def fill(array):
        array[...] = value
        return array

    return fill


def torn(states):
    states["height"] = 99
    return states


@pytest.mark.training
@pytest.mark.parametrize("method", ["td", "search", "policy"])
def test_what_actors_return_is_learned_from_by_every_method(method, tmp_path):
    here = train(tiny(tmp_path / "here", method, eval_opponents=()))
    there = train(tiny(tmp_path / "there", method, eval_opponents=()), Changing(lambda one: one))
    assert there.model_path.read_bytes() == here.model_path.read_bytes()


def for_three(states: np.ndarray) -> np.ndarray:
    """The records of other games, with one player more."""
    batch = make_batch("sarena", len(states), num_players=3)
    batch.reset(seed=1)
    return batch.states.copy()


@pytest.mark.training
@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("td", changed_part("samples", "seen", lambda array: array[:, 1:])),
        ("td", changed_part("samples", "seat", filled(7))),
        ("td", changed_part("samples", "target", filled(np.nan))),
        ("td", changed_part("samples", "outcome", lambda array: array.astype(np.float64))),
        ("td", changed_part("samples", "base", lambda array: array[:-1])),
        ("td", lambda played: played._replace(games=-1)),
        ("td", lambda played: None),
        ("search", changed_part("lessons", "state", torn)),
        ("search", changed_part("lessons", "action", filled(5000))),
        ("search", changed_part("lessons", "action", filled(-2))),
        ("search", changed_part("lessons", "policy", filled(np.inf))),
        ("search", changed_part("lessons", "policy", filled(-0.5))),
        ("search", changed_part("lessons", "visits", filled(2.0))),
        ("search", changed_part("lessons", "state", for_three)),
        ("policy", changed_part("taken", "first", filled(10**9))),
        ("policy", changed_part("taken", "count", filled(-3))),
        ("policy", changed_part("taken", "chosen", filled(10**6))),
        ("policy", changed_part("taken", "likely", filled(0.0))),
        ("policy", changed_part("taken", "used", filled(10**9))),
    ],
)
def test_what_an_actor_changed_is_not_learned_from(method, change, tmp_path):
    """Kernels read the records of lessons, and arrays are indexed by the contents of pieces."""
    with pytest.raises(ValueError, match="an actor returned something other than a piece"):
        train(tiny(tmp_path / "run", method, eval_opponents=()), Changing(change))
    assert not (tmp_path / "run" / "model.zip").exists()


@pytest.mark.training
def test_what_is_no_executor_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(TypeError, match="actors is 2; give an object with submit"):
        train(tiny(tmp_path / "run"), actors=2)
    assert not (tmp_path / "run" / "config.json").exists()


@pytest.mark.training
@pytest.mark.parametrize(("method", "game"), [("search", "sarena"), ("policy", "saga")])
def test_a_run_that_learns_a_policy_is_resumed_exactly(tmp_path, method, game):
    """A policy is learned and leads; and the arrays equal those of an uninterrupted run."""
    from ludotheque.agents.td.trainer import CONFIGS

    def stop(done, total, text):
        if done > 600 and not stopped:
            stopped.append(done)
            signal.raise_signal(signal.SIGINT)

    stopped: list[float] = []
    changes = {"game": game, "steps": 1600, "eval_opponents": ()}
    if method == "search":
        changes |= {"simulations": 6, "lesson_batch": 32}
    whole = train(tiny(tmp_path / "whole", method, **changes))
    assert train(tiny(tmp_path / "parts", method, progress=stop, **changes)).interrupted
    again = CONFIGS[method](out=tmp_path / "parts", game=game, resume=True, steps=1600)
    parts = train(again)
    models = [read_value_model(run.model_path, get_game(game)) for run in (whole, parts)]
    one, two = (model.arrays for model in models)
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert np.abs(one["policy"]).max() > 0
    agent = TDAgent(game, whole.model_path)
    assert agent.lead == "policy" and agent.about["method"] == method


@pytest.mark.training
def test_a_run_that_begins_with_a_model_plays_as_it_does(finished, tmp_path):
    """Before it has learned: the same logits, and the same share of ``evaluate`` in the value."""
    from ludotheque.agents.td.trainer import PolicyConfig, TDTrainer

    game = get_game("sarena")
    begun = read_value_model(finished.model_path, game)
    run = TDTrainer(
        PolicyConfig(out=tmp_path, game="sarena", steps=1, start=str(finished.model_path))
    )
    run.start()
    found = run.model()
    assert found.about["inputs"] == begun.about["inputs"] and found.about["lead"] == "policy"
    assert begun.arrays.keys() == found.arrays.keys()
    for name, array in begun.arrays.items():
        assert np.allclose(array, found.arrays[name], rtol=1e-5), name
    assert np.abs(begun.arrays["policy"]).max() > 0


@pytest.mark.training
def test_a_response_learns_from_games_against_the_agent_alone(finished, tmp_path):
    from ludotheque.agents.td.trainer import PolicyConfig, TDTrainer

    model = str(finished.model_path)
    sizes = {"piece_rows": 64, "pieces": 2, "steps": 1}
    config = PolicyConfig(out=tmp_path, game="sarena", against=model, **sizes)
    assert config.start == model and config.eval_opponents == (f"td:{model}",)
    run = TDTrainer(config)
    run.start()
    played = run._play()
    begun = read_value_model(finished.model_path, get_game("sarena")).arrays
    assert all(np.array_equal(run.fixed[name], begun[name]) for name in begun)
    # One seat of each game is the learner's: half of the plies, except for forced ones.
    assert len(played.samples.seat) <= 0.6 * played.plies
    run._take_snapshot()
    assert run.pool == []


@pytest.mark.training
def test_a_response_that_was_stopped_says_so_and_is_measured(tmp_path):
    from ludotheque.agents.exploit import exploit

    def stop(done, total, text):
        if not stopped:
            stopped.append(done)
            signal.raise_signal(signal.SIGINT)

    stopped: list[float] = []
    found = exploit("greedy", "sarena", 2, steps=100_000, out=tmp_path, progress=stop)
    assert found.interrupted and stopped == [found.steps] and found.steps < 100_000
    assert found.found.games == 400 and found.model_path.is_file()


@pytest.mark.training
def test_what_did_better_than_expected_becomes_likelier(tmp_path):
    """One minibatch of two actions: the policy moves towards the one with an advantage, until the
    clip stops it."""
    import torch

    from ludotheque.agents.td.learner import Choices, Learner

    learner = Learner((4, 8, 8, 2, 0), 0.0, (1.0, 0.1, 0.1), policy=True)
    learner.begin(np.random.default_rng(0), np.ones(4, np.float32), 0.0)
    seen = np.array([[1, 0, 2, 0], [0, 1, 0, 2]], np.int8)
    choices = Choices(
        seen=seen,
        base=np.zeros(2, np.float32),
        missing=np.array([[False, False, True]]),
        before=np.log(np.array([0.5], np.float32)),
        chosen=np.array([1]),
        advantage=np.ones(1, np.float32),
        sharpness=1.0,
        clip=0.2,
        entropy=0.0,
    )

    def likely() -> float:
        return float(torch.softmax(learner._logits(choices)[1], 1)[0, 1].detach())

    assert likely() == 0.5
    found = [likely()]
    for _ in range(200):
        learner.step(seen, np.zeros((2, 6), np.float32), 1e-3, choices)
        found.append(likely())
    assert all(b >= a - 1e-3 for a, b in zip(found, found[1:], strict=False))
    assert 0.6 <= found[-1] < 0.75


@pytest.mark.training
@pytest.mark.parametrize("weight", [0.0, 0.3])
def test_points_by_category_are_learned_by_their_weight_and_stay_in_training(weight):
    from ludotheque.agents.td.learner import Learner

    sizes, weights = (4, 8, 8, 2, 3), (1.0, 0.1, weight)
    learner, other = Learner(sizes, 0.5, weights), Learner(sizes, 0.5, weights)
    learner.begin(np.random.default_rng(0), np.ones(4, np.float32), 0.0)
    assert learner.parts[6:].sum() == pytest.approx(weight)
    seen = np.array([[1, 0, 2, 0], [0, 1, 0, 2]], np.int8)
    goal = np.tile(np.arange(9, dtype=np.float32), (2, 1))
    for _ in range(300):
        learner.step(seen, goal, 1e-2)
    found = learner.outputs(torch_of(seen)).detach().numpy()
    assert np.allclose(found[:, :6], goal[:, :6], atol=0.5)
    assert np.allclose(found[:, 6:], goal[:, 6:] if weight else 0.0, atol=0.5)
    # What plays has the values alone, and is enough to begin another network with.
    arrays = learner.acting(newest=True)
    assert arrays["last"].shape == (2, 8) and arrays["last_bias"].shape == (2,)
    other.begin_as({**arrays, "weight": np.ones(2, np.float32)}, 1.0)
    assert np.allclose(other.outputs(torch_of(seen)).detach()[:, :2], found[:, :2], atol=1e-4)
    assert not other.weights[4][2:].any()


def torch_of(seen):
    import torch

    return torch.from_numpy(seen).float()


@pytest.mark.training
def test_another_seed_gives_other_weights(finished, tmp_path):
    result = train(tiny(tmp_path, seed=1, steps=800, eval_opponents=()))
    one, two = (read_value_model(r.model_path, get_game("sarena")) for r in (finished, result))
    assert not np.array_equal(one.arrays["first"], two.arrays["first"])


@pytest.mark.training
def test_what_is_learned_explains_results_that_evaluate_does_not(tmp_path):
    """On held-out games, compared with the regression line on ``evaluate``."""
    game = get_game("sarena")
    changes = {"averaging": 0.98, "reuse": 4.0, "window": 8000, "width": 16, "pool_share": 0.0}
    config = tiny(tmp_path, steps=8000, learning_rate=2e-3, eval_opponents=(), **changes)
    model = read_value_model(train(config).model_path, game)
    games = SelfPlay(config.settings(), config.inputs, 2)
    plan = PLAN._replace(rows=1500, temperature=0.01, trace=1.0, spread=model.about["spread"])
    samples = games.play([model.arrays], (plan, SHORT), (0, 1), np.uint64(12345)).samples
    result = samples.outcome[:, 0, 0]
    line = np.polyval(np.polyfit(samples.base, result, 1), samples.base)
    error, error_before = (
        float(np.mean((result - values) ** 2)) for values in (samples.value, line)
    )
    assert error < 0.95 * error_before


@pytest.mark.training
@pytest.mark.parametrize(("game", "num_players"), [("sarena", 3), ("sarena", 4), ("harmonies", 1)])
def test_training_with_any_number_of_players(tmp_path, game, num_players):
    config = tiny(tmp_path, game=game, num_players=num_players, steps=700, eval_games=4)
    result = train(config)
    assert TDAgent(game, result.model_path).about["num_players"] == num_players
    opponents = {found.opponent for found in result.evaluations}
    assert opponents == ({"alone"} if num_players == 1 else {"random", "greedy"})


@pytest.mark.training
def test_a_run_that_cannot_go_on_says_why(finished, tmp_path):
    from ludotheque.agents.td.trainer import TDConfig

    with pytest.raises(ValueError, match="holds a run already"):
        train(tiny(finished.out))
    with pytest.raises(ValueError, match="already ran"):
        train(TDConfig(game="sarena", out=finished.out, resume=True, steps=10))
    with pytest.raises(ValueError, match="nothing to resume"):
        tiny(tmp_path, resume=True)
    (tmp_path / "checkpoint").mkdir()
    config = (finished.out / "config.json").read_text()
    (tmp_path / "config.json").write_text(config)
    whole = (finished.out / "checkpoint" / "run.zip").read_bytes()
    (tmp_path / "checkpoint" / "run.zip").write_bytes(whole[:-100])
    with pytest.raises(ValueError, match="damaged"):
        train(TDConfig(game="sarena", out=tmp_path, resume=True, steps=9000))
    (tmp_path / "config.json").write_text(config.replace('"td"', '"ppo"'))
    with pytest.raises(ValueError, match="trained by 'ppo'"):
        TDConfig(game="sarena", out=tmp_path, resume=True, steps=9000)


@pytest.mark.training
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"about": {"seconds": -1e300}}, "seconds -1e.300, which should be a number from 0 up"),
        ({"about": {"spread": -1.0}}, "spread -1.0, which should be a number above 0"),
        ({"about": {"weight": 1e300}}, "weight 1e.300"),
        ({"pool/0/first": 3e38}, "pool/0/first holds 3e.38"),
        ({"learner/last/weight": 1e9}, "learner/last/weight holds 1e.09"),
        ({"learner/last/adam/step": -7}, "adam/step holds -7; the least is 0"),
        ({"learner/last/adam/exp_avg_sq": -1}, "exp_avg_sq holds -1; the least is 0"),
    ],
)
def test_a_checkpoint_that_no_training_writes_is_called_damaged(finished, tmp_path, changes, told):
    """Some used to be reported in mid-training, as a learning_rate that is too high."""
    from ludotheque.agents.td.trainer import TDConfig

    shutil.copytree(finished.out, tmp_path / "run")
    path = tmp_path / "run" / "checkpoint" / "run.zip"
    about, arrays = read_archive(source_of(path), "run.json", {})
    about |= changes.pop("about", {})
    for name, value in changes.items():
        arrays[name][...] = value
    write_archive(path, "run.json", about, arrays)
    with pytest.raises(FileError, match=told):
        train(TDConfig(game="sarena", out=tmp_path / "run", resume=True, steps=9000))


@pytest.mark.training
@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"steps": None}, "minutes or steps"),
        ({"trace": 1.5}, "trace is 1.5"),
        ({"width": 0}, "width is 0"),
        ({"width": 10_000, "last_width": 10_000}, "the network has .* fewer units"),
        ({"learning_rate": 0}, "learning_rate is 0"),
        ({"temperature": -1}, "temperature is -1"),
        ({"inputs": ("colour",)}, "no 'colour'"),
        ({"inputs": ()}, "inputs is empty"),
    ],
)
def test_settings_are_checked(tmp_path, changes, told):
    with pytest.raises(ValueError, match=told):
        tiny(tmp_path, **changes)


def test_playing_needs_no_torch(file: Path, run_python):
    code = f"""
import sys
sys.modules["torch"] = None
from ludotheque.agents.match import play_match
print(play_match("sarena", ["td:{file}", "random"], [1]).ranks.tolist())
try:
    import ludotheque.agents.td.trainer
except ModuleNotFoundError as error:
    print(error)
"""
    done = run_python(code)
    assert "ludotheque[train]" in done.stdout, done.stderr
