"""``history=k``: the last public actions, in every interface."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from ludotheque.agents.match import play_match
from ludotheque.envs import game_names, get_game, make_batch
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.parallel import TurnBasedParallelEnv
from ludotheque.envs.core.state import HISTORY
from ludotheque.testing.contract import is_over

GAMES = [get_game(name) for name in game_names()]


def told(game, num_players: int, seed: int) -> tuple[TurnBasedEnv, list[tuple[int, int]]]:
    """Play a random game; return its environment and the public actions: (seat, action)."""
    env = TurnBasedEnv(game, num_players, history=HISTORY)
    env.reset(seed=seed)
    found: list[tuple[int, int]] = []
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    while not is_over(env.get_state()["states"]):
        seat, action = env.possible_agents.index(env.agent_selection), env.sample_legal()
        env.step(action)
        state = env.get_state()["states"][0]
        others = [other for other in range(num_players) if other != seat]
        if not (game.hides_action and any(game.hides_action(state, other) for other in others)):
            found.append((seat, action))
        elif int(state["told"]) > len(found):
            found.append((seat, game.num_actions))
    return env, found


def as_seen(found: list[tuple[int, int]], seat: int, num_players: int, length: int) -> list:
    rows = [[(other - seat) % num_players, action] for other, action in found[-length:]]
    return [[-1, -1]] * (length - len(rows)) + rows


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_all_that_was_told_and_nothing_else(game):
    for num_players in game.player_counts:
        env, found = told(game, num_players, seed=num_players)
        for seat, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)["history"]
            assert env.observation_space(agent)["history"].contains(seen)
            assert seen.tolist() == as_seen(found, seat, num_players, HISTORY)


def test_a_card_laid_face_down_is_told_of_without_its_name():
    batch = make_batch("saga", 64, 3, history=1, sides="reverse")
    batch.reset(3)
    met = 0
    for _ in range(90):
        before = batch.get_state()
        actions = batch.random_actions()
        batch.step(actions)
        ongoing = batch.states["ply"] > before["ply"]
        named = batch.histories[:, 0, 1] == actions
        hidden = batch.histories[:, 0, 1] == batch.game.num_actions
        assert (named | hidden)[ongoing].all()
        for i in np.flatnonzero(hidden & ongoing):
            assert batch.game.hides_action(batch.states[i], (before["to_play"][i] + 1) % 3)
            met += 1
    assert met


def test_what_only_its_player_knows_of_leaves_no_trace():
    env, found = told(get_game("shamans"), 3, seed=3)
    assert len(found) < env.get_state()["states"]["ply"][0]


def test_interfaces_agree():
    batch = make_batch("sarena", 3, 3, history=6)
    envs = [TurnBasedEnv("sarena", 3, history=6) for _ in range(3)]
    parallel = TurnBasedParallelEnv("sarena", 3, history=6)
    batch.reset(5)
    parallel.reset(seed=5)
    for i, env in enumerate(envs):
        env.reset(seed=5 + i)
    for _ in range(20):
        actions = batch.random_actions()
        batch.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            assert np.array_equal(env.last()[0]["history"], batch.histories[i])
            seen = env.observe("player_2")["history"]
            assert np.array_equal(seen, batch.histories_of(2)[i])
        everyone = parallel.step(dict.fromkeys(parallel.agents, int(actions[0])))[0]
        assert all(
            np.array_equal(everyone[agent]["history"], envs[0].observe(agent)["history"])
            for agent in everyone
        )


def test_one_seat_alone_and_in_a_vector_agree():
    single = gymnasium.make("ludotheque/Sarena-v0", history=5, seat=1).unwrapped
    vector = gymnasium.make_vec(
        "ludotheque/Sarena-v0", num_envs=2, vectorization_mode="vector_entry_point",
        history=5, seat=1,
    )  # fmt: skip
    one, _ = single.reset(seed=8)
    many, _ = vector.reset(seed=8)
    for _ in range(8):
        assert np.array_equal(one["history"], many["history"][0])
        assert vector.observation_space.contains(many)
        actions = vector.random_actions()
        one = single.step(int(actions[0]))[0]
        many = vector.step(actions)[0]
    assert one["history"][-1].tolist() != [-1, -1]


def test_policies_of_stable_baselines_see_it():
    pytest.importorskip("stable_baselines3")
    from ludotheque.agents.sb3 import SeatVecEnv

    envs = SeatVecEnv("sarena", 4, history=3)
    seen = envs.reset()
    assert {name: part.shape[1:] for name, part in seen.items()} == {
        name: space.shape for name, space in envs.observation_space.items()
    }
    assert seen["history"].shape == (4, 3, 2)


def test_it_goes_on_after_saving_and_copying():
    env = TurnBasedEnv("saga", 2, history=4)
    env.reset(seed=1)
    for _ in range(5):
        env.step(env.sample_legal())
    other = TurnBasedEnv("saga", 2, history=4)
    other.reset(seed=2)
    other.set_state(env.get_state())
    for twin in (other, env.clone()):
        assert np.array_equal(twin.last()[0]["history"], env.last()[0]["history"])


def test_a_new_game_has_none():
    batch = make_batch("sarena", 1, history=2)
    batch.reset(0)
    while not batch.terminated[0]:
        batch.step(batch.random_actions())
    assert (batch.histories == -1).all()


@pytest.mark.parametrize("length", [-1, HISTORY + 1, 2.5, "3"])
def test_lengths_that_cannot_be(length):
    with pytest.raises(ValueError, match="history is .* from 0 to 64"):
        TurnBasedEnv("sarena", history=length)


def test_an_agent_may_ask_for_it():
    class Remembers:
        history = 3

        def __init__(self):
            self.seen = []

        def act(self, observations, masks, *, states=None, seeds=None, histories=None):
            self.seen.append(histories)
            return masks.argmax(axis=1)

    agent = Remembers()
    play_match("sarena", [agent, "random"], range(2))
    assert all(seen.shape[1:] == (3, 2) for seen in agent.seen)
    assert (agent.seen[-1][:, -1, 0] == 1).all(), "the last to act was the other seat"
