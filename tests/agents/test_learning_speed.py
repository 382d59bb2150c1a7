"""What `ludotheque bench learning` counts, and how it goes on without the other libraries."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.td import agent, tree
from ludotheque.agents.td.model import read_value_model
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.settings import Settings

pytest.importorskip("typer")

from ludotheque.benchmarks import learning, measure, peers, workers  # noqa: E402


def visits_of_root(grown: tree.Tree) -> int:
    """Return the number of simulations of the last search."""
    found, child = 0, grown.nodes[0]["first"]
    while child != tree.NONE:
        found += int(grown.nodes[child]["visits"])
        child = grown.nodes[child]["next"]
    return found


def test_simulations_are_counted_as_made(monkeypatch):
    """One search at a time, as a tree shows only the last."""
    made = []
    make_tree = agent.make_tree
    monkeypatch.setattr(agent, "make_tree", lambda *a: made.append(make_tree(*a)) or made[-1])
    states = learning.decisions(Settings("sarena"), 12)
    counted = 0
    for state in states:
        monkeypatch.setattr(learning, "decisions", lambda *_, one=state: np.array([one]))
        counted += learning.search_probe("sarena", 20, 1).build()()
    assert counted == sum(map(visits_of_root, made)) == 12 * 20


@pytest.mark.parametrize("name", ["sarena", "shamans"])
def test_positions_to_search_are_choices_from_the_first_ply_to_the_last(name):
    game = get_game(name)
    states = learning.decisions(Settings(game), 40)
    game.check_states(states)
    assert not (states["terminated"] | states["truncated"]).any()
    masks = np.array([game.legal_mask(states, k) for k in range(len(states))])
    assert masks.sum(axis=1).min() > 1
    quarters = np.histogram(states["ply"], bins=4, range=(0, states["ply"].max() + 1))[0]
    assert quarters.all(), "games end at different plies, so that the last quarter has fewest"


def test_self_play_is_that_of_the_baseline_on_any_number_of_threads():
    path = baseline_path(get_game("sarena"), 2)
    model = read_value_model(path, get_game("sarena"))
    what = workers.a_round("sarena", 16, model)
    assert len(what.networks) == workers.NETWORKS and what.networks[0] is model.arrays
    assert not what.networks[1]["first"].any(), "the greedy agent"
    assert what.plans[0].spread == model.about["spread"] and what.inputs == tuple(
        model.about["inputs"]
    )
    counts = {learning.self_play_probe("sarena", threads, 16).build()() for threads in (1, 2)}
    (count,) = counts
    assert count >= 16 * workers.PIECES


@pytest.mark.parametrize("missing", [("jax", "pyspiel"), ("mctx", "flax")])
def test_other_libraries_that_are_missing_are_named_and_skipped(missing, monkeypatch):
    for name in list(sys.modules):
        if name.startswith(("flax", "open_spiel.python.algorithms.alpha_zero")):
            monkeypatch.delitem(sys.modules, name)
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    probes = [*peers.self_play(), *peers.network_search()]
    results = measure.interleave({"": probes}, measure.Settings(0.01, 1))
    assert [one.median for one in results] == [None] * 4
    assert all("not installed" in one.skipped for one in results)


@pytest.mark.training
def test_the_network_finds_the_same_values_in_every_way():
    leaf_batches = pytest.importorskip("ludotheque.benchmarks.experiments.leaf_batches")
    ways = leaf_batches.ways_of("sarena", 1)  # which compares the values
    counts = {way() for way in ways.values()}
    assert len(ways) == 3 and len(counts) == 1 and counts.pop() % leaf_batches.CHOICES == 0


@pytest.mark.training
@pytest.mark.parametrize("facts", ["packs", "face_down"])
def test_facts_of_saga_are_those_of_the_record(facts):
    saga_packs = pytest.importorskip("ludotheque.benchmarks.experiments.saga_packs")
    from ludotheque.agents.td.belief_learner import facts_of, play_decisions
    from ludotheque.agents.td.model import ValueModel

    game, options = saga_packs.game_with(saga_packs.Facts(facts))
    model = read_value_model(baseline_path(game, 2), game)
    model = ValueModel({**model.about, "options": options}, model.arrays)
    states = play_decisions(agent.TDAgent(game, model), 60, 1).states
    found = facts_of(game, states, 3, np.random.default_rng(1)).reshape(len(states), 4, 3, -1)
    assert not found[:, :, 1:].any(), "there are two seats"
    for state, (true, *redrawn) in zip(states, found[:, :, 0], strict=True):
        other = 1 - state["to_play"]
        if facts == "packs":
            assert np.flatnonzero(true).tolist() == [state["pack"][other]]
        else:
            down = state["down_card"][other, : state["num_down"][other]] % saga_packs.NUM_KNIGHTS
            per_card = true.reshape(-1, saga_packs.NUM_KNIGHTS)
            assert per_card.argmax(axis=1)[: len(down)].tolist() == down.tolist()
            assert true.sum() == len(down)
        assert all(one.sum() == true.sum() for one in redrawn)
    assert (found[:, :1] != found[:, 1:]).any(), "some facts are hidden"
