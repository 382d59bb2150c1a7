"""Beliefs about hidden facts: the facts, draws by belief, files, learning."""

from __future__ import annotations

import dataclasses
from math import comb, log

import numpy as np
import pytest

from ludotheque.agents import make_agent
from ludotheque.agents.td import TDAgent, ValueModel, read_value_model, save_value_model
from ludotheque.agents.td.agent import compile_for
from ludotheque.agents.td.beliefs import TRIES, make_belief
from ludotheque.agents.td.model import BELIEFS, check_model, hidden_digest, positions_of, zero_model
from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.schema import read, total_size
from ludotheque.envs.shamans.state import camp_of, hand_of

SARENA, SHAMANS = get_game("sarena"), get_game("shamans")


def believing(game, seed: int = 0, players: int | None = None) -> ValueModel:
    """A model of zeros with random beliefs."""
    model = zero_model(game, players or game.usual_players)
    inputs, facts = len(positions_of(game, model.about["inputs"])), total_size(game.hidden_facts)
    rng = np.random.default_rng(seed)
    shapes = zip(BELIEFS, ((inputs, 4), (4,), (facts, 4), (facts,)), strict=True)
    arrays = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes}
    about = {**model.about, "hidden": hidden_digest(game)}
    return ValueModel(about, {**model.arrays, **arrays})


def facts_seen_from(game, states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    facts = np.empty(total_size(game.hidden_facts), np.int8)
    game.kernels["hidden_facts"](states[0], seat, facts)
    return read(game.hidden_facts, facts)


def dealt(game, players: int, plies: int, seed: int = 3) -> np.ndarray:
    states = game.new_state(seed, players)
    for _ in range(plies):
        game.step(states, int(np.flatnonzero(game.legal_mask(states))[0]))
    return states


# The facts


@pytest.mark.parametrize("players", [2, 3, 4])
def test_facts_of_sarena_are_the_other_pawns(players):
    states = dealt(SARENA, players, 5)
    secret = states["secret"][0].tolist()
    for seat in range(players):
        colours = facts_seen_from(SARENA, states, seat)["colours"]
        assert colours.sum() == players - 1
        for ahead in range(1, players):
            after = (secret[(seat + ahead) % players] - secret[seat]) % 4
            assert colours[ahead - 1].tolist() == [int(k == after) for k in (1, 2, 3)]


def test_facts_of_shamans_are_camps_and_hands():
    states = dealt(SHAMANS, 5, 9)
    for seat in range(5):
        facts = facts_seen_from(SHAMANS, states, seat)
        for ahead in range(1, 5):
            other = (seat + ahead) % 5
            assert facts["shadows"][ahead - 1] == (camp_of(states[0], other) == "shadow")
            held = np.flatnonzero(facts["hands"][ahead - 1]).tolist()
            assert held == hand_of(states[0], other)


# Draws


def test_draws_are_as_likely_as_they_are_believed():
    """Tries with the believed colour weigh four times as much as the others."""
    states = dealt(SARENA, 2, 3)
    seat = int(states["to_play"][0])
    belief = make_belief(SARENA, True)
    belief.scores[0] = log(4.0)
    redraw = compile_for(SARENA, "search").redraw
    drawn, count = SARENA.new_states(1), 3000
    colours = np.zeros(3)
    for seed in range(count):
        redraw(drawn, states[0], seat, np.uint64(seed), belief)
        colours += facts_seen_from(SARENA, drawn, seat)["colours"][0]
        assert drawn["secret"][0, seat] == states["secret"][0, seat]
    with_it = [comb(TRIES, n) * 2 ** (TRIES - n) / 3**TRIES for n in range(TRIES + 1)]
    expected = sum(part * 4 * n / (4 * n + TRIES - n) for n, part in enumerate(with_it))
    assert colours.sum() == count and expected > 0.55
    assert colours[0] / count == pytest.approx(expected, abs=4 * (0.25 / count) ** 0.5)
    assert colours[1] == pytest.approx(colours[2], abs=4 * (count / 2) ** 0.5)


def test_without_beliefs_draws_are_those_of_determinize():
    states = dealt(SARENA, 3, 3)
    seat = int(states["to_play"][0])
    drawn = SARENA.new_states(1)
    compile_for(SARENA, "search").redraw(
        drawn, states[0], seat, np.uint64(8), make_belief(SARENA, False)
    )
    assert drawn.tobytes() == SARENA.determinize(states, seat, 8).tobytes()


def test_beliefs_come_from_what_the_seat_sees():
    """Replacing roles and hands in the record doesn't change the scores or the search."""
    states = np.concatenate([dealt(SHAMANS, 3, 8, seed) for seed in range(12)])
    others = states.copy()
    seats = np.full(12, -1)
    SHAMANS.loops.redraw(others, 0, 12, seats, np.arange(12, dtype=np.uint64))
    assert not np.array_equal(states["hand"], others["hand"])
    masks = np.array([SHAMANS.legal_mask(states, i) for i in range(12)])
    seeds = np.arange(12, dtype=np.uint64)
    agent = TDAgent(SHAMANS, believing(SHAMANS), simulations=10, limit=8)
    assert agent.beliefs
    for one, two in zip(
        agent.search(states, masks, seeds), agent.search(others, masks, seeds), strict=True
    ):
        assert np.array_equal(one, two)
    uniform = TDAgent(SHAMANS, believing(SHAMANS), simulations=10, limit=8, beliefs=False)
    assert not np.array_equal(
        uniform.search(states, masks, seeds)[2], agent.search(states, masks, seeds)[2]
    )


# Files


def test_a_file_keeps_beliefs(tmp_path):
    model = believing(SARENA)
    save_value_model(model, tmp_path / "model.zip")
    kept = read_value_model(tmp_path / "model.zip", SARENA)
    for one, two in zip(kept.beliefs, model.beliefs, strict=True):
        assert np.array_equal(one, two)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("belief_first", None),
        ("belief_last", np.zeros((10, 4), np.float32)),
        ("belief_last_bias", np.full(9, np.nan, np.float32)),
        ("belief_first_bias", np.zeros(5, np.float32)),
    ],
)
def test_beliefs_that_do_not_fit_are_refused(name, array):
    model = believing(SARENA)
    arrays = {**model.arrays, name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(ValueError, match="belief"):
        check_model(ValueModel(model.about, arrays), SARENA)


def test_beliefs_about_something_else_are_refused():
    fields = (dataclasses.replace(SARENA.hidden_facts[0], name="pawns"),)
    with pytest.raises(ValueError, match="learn them again"):
        check_model(believing(SARENA), dataclasses.replace(SARENA, hidden_facts=fields))


def test_beliefs_that_there_are_not_are_told():
    with pytest.raises(ValueError, match="this model of sarena has none: leave it out"):
        TDAgent(SARENA, zero_model(SARENA, 2), beliefs=True)
    with pytest.raises(ValueError, match="beliefs is 'much'"):
        make_agent("baseline:beliefs=much", "sarena").agent_for(2)


# Learning


@pytest.mark.training
def test_play_tells_what_is_hidden():
    """The pawn of a greedy player, in held-out games; reproducible."""
    from ludotheque.agents.td.belief_learner import learn_beliefs

    one, two = (learn_beliefs(zero_model(SARENA, 2), SARENA, 200, 4) for _ in range(2))
    told = one.about["beliefs"]
    assert told["uniform"] == pytest.approx(log(8), abs=1e-3)
    assert told["loss"] < told["uniform"] - 0.2
    for name in BELIEFS:
        assert np.array_equal(one.arrays[name], two.arrays[name])


@pytest.mark.training
@pytest.mark.parametrize("name", [name for name in game_names() if not get_game(name).hidden_facts])
def test_a_game_that_hides_nothing_is_told_so(name):
    from ludotheque.agents.td.belief_learner import learn_beliefs

    game = get_game(name)
    with pytest.raises(ValueError, match="no beliefs to learn"):
        learn_beliefs(zero_model(game, game.usual_players), game, 20, 1)
