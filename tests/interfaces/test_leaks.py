"""No interface shows a seat what it can't know; omniscient methods are documented as such.

``python tests/interfaces/test_leaks.py 100000`` checks this many positions of each game.
"""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game, sarena_v0
from ludotheque.envs.core import rng
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.interfaces.opponents import query_agent
from ludotheque.envs.core.interfaces.parallel import TurnBasedParallelEnv
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.rng import GAMMA, decision_seed, mix64
from ludotheque.testing import check_leaks

GAMES = game_names()
# Minimum share of positions in which something is hidden from a seat.
HIDING = {"sarena": 0.6, "sagani": 0.8, "harmonies": 0.3, "saga": 0.01, "shamans": 0.9}

# The methods of each object, besides the base class's own, that show a game in progress: to a seat,
# as called by the leak test, and to omniscient callers.
SHOWN = {
    TurnBasedEnv: {"last", "observe", "reset", "sample_legal", "step"},
    TurnBasedParallelEnv: {"reset", "step"},
    SeatEnv: {"action_masks", "render", "reset", "sample_legal", "step"},
    SeatVectorEnv: {"action_masks", "random_actions", "reset", "step"},
    BatchEnv: {"histories_of", "observe", "random_actions", "reset", "step"},
}
OMNISCIENT = {
    TurnBasedEnv: {"get_state", "render", "replay", "results", "state", "state_digest"},
    TurnBasedParallelEnv: {"get_state", "render", "state", "state_digest"},
    SeatEnv: {"get_state", "results", "state_digest"},
    SeatVectorEnv: {"get_state", "state_digest"},
    BatchEnv: {"get_state", "state_digest"},
    Game: {"describe", "digest", "draw", "remarks", "returns"},
}
# Methods that show nothing of a game in progress. Results of a vector are those of finished games;
# a copy shows what the original shows.
SHOWS_NOTHING = {
    "action_space",
    "agent_iter",
    "clone",
    "close",
    "observation_schema",
    "observation_space",
    "set_state",
}
FINISHED = {SeatVectorEnv: {"results"}}


@pytest.mark.parametrize("name", GAMES)
def test_no_interface_shows_a_seat_what_it_cannot_know(name):
    assert check_leaks(get_game(name), 2000) >= HIDING[name]


@pytest.mark.parametrize("kind", OMNISCIENT, ids=lambda kind: kind.__name__)
def test_what_is_omniscient_says_so(kind):
    for name in OMNISCIENT[kind]:
        assert "omniscient" in inspect.getdoc(getattr(kind, name)).lower(), f"{kind}: {name}"


@pytest.mark.parametrize("kind", [TurnBasedEnv, BatchEnv], ids=lambda kind: kind.__name__)
def test_rewards_of_others_are_said_to_be_omniscient(kind):
    lines = inspect.getdoc(kind).splitlines()
    told = [k for k, line in enumerate(lines) if "mniscient" in line]
    assert any("rewards" in "".join(lines[k - 1 : k + 1]) for k in told)


def test_what_is_omniscient_in_the_environment_for_sb3_says_so():
    sb3 = pytest.importorskip("ludotheque.agents.sb3", reason="needs the extra [train]")
    for name in ("get_state", "state_digest", "state_digests", "states"):
        assert "omniscient" in inspect.getdoc(getattr(sb3.SeatVecEnv, name)).lower(), name


@pytest.mark.parametrize("kind", SHOWN, ids=lambda kind: kind.__name__)
def test_every_method_is_shown_omniscient_or_shows_nothing(kind):
    """A new method must be added to a list: called by the leak test, or not."""
    methods = {
        name
        for name, value in vars(kind).items()
        if not name.startswith("_") and inspect.isfunction(value)
    }
    known = SHOWN[kind] | OMNISCIENT[kind] | SHOWS_NOTHING | FINISHED.get(kind, set())
    assert methods <= known, f"{kind.__name__}: what do {methods - known} show?"


def _secret(states) -> int:
    return int(states["secret"][0].argmax())


def _tell(monkeypatch, kind, name, change) -> None:
    told = getattr(kind, name)
    monkeypatch.setattr(kind, name, lambda self, *args: change(self, told(self, *args), *args))


LEAKS = {
    "observe": (TurnBasedEnv, lambda self, seen, agent: {**seen, "x": _secret(self._states)}),
    "_seen": (SeatEnv, lambda self, seen: {**seen, "x": _secret(self._batch.states)}),
    "_infos": (
        SeatVectorEnv,
        lambda self, infos, rows: {**infos, "x": self._batch.states["secret"]},
    ),
    "histories_of": (BatchEnv, lambda self, told, seat: told + self.states["secret"][:, :1, None]),
    "results": (
        TurnBasedEnv,
        lambda self, all, *_: {agent: (_secret(self._states), 1) for agent in all},
    ),
    "describe": (Game, lambda self, words, state, *_: f"{words} {state['secret']}"),
    "legal_actions_text": (Game, lambda self, words, states, *_: [*words, str(states["secret"])]),
}


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found(name, monkeypatch):
    kind, change = LEAKS[name]
    _tell(monkeypatch, kind, name, change)
    with pytest.raises(AssertionError, match="shows seat . what it can't know"):
        check_leaks(get_game("sarena"), 400)


def test_a_leak_in_what_an_error_says_is_found(monkeypatch):
    refuse = Game.raise_refusal

    def tell(self, states, i, action, code=1):
        try:
            refuse(self, states, i, action, code)
        except ValueError as error:
            raise type(error)(f"{error}: {states['secret'][i]}") from error

    monkeypatch.setattr(Game, "raise_refusal", tell)
    with pytest.raises(AssertionError, match="refusals shows seat"):
        check_leaks(get_game("sarena"), 400)


@pytest.mark.parametrize("name", GAMES)
def test_copies_of_records_hold_nothing_that_the_memory_held_before(name):
    """numpy copies fields, and leaves the padding as it was."""
    game, env = get_game(name), BatchEnv(name, 1)
    between = np.ones(game.dtype.itemsize, np.bool_)
    for kind, at, *_ in game.dtype.fields.values():
        between[at : at + kind.itemsize] = False
    assert between.any()
    env.reset(seed=1)
    for copy in (env.get_state, lambda: game.determinize(env.states, 0, 1), lambda: adopted(env)):
        # Memory is reused.
        for _ in range(20):
            np.full(game.dtype.itemsize, 0xAB, np.uint8)
            assert not copy().view(np.uint8)[between].any()


def adopted(env: BatchEnv) -> np.ndarray:
    other = BatchEnv(env.game, 1)
    other.set_state(env.states)
    return other.states


def _unmixed(word: int) -> int:
    """Undo ``mix64``."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        for times in (1, 2):
            word ^= word >> shift * times
        word = word * pow(factor, -1, 2**64) % 2**64
    return word


def test_seeds_of_decisions_do_not_lead_back_to_the_deal():
    """Agents receive them: inverting the generator's steps must not give the game's seed."""
    for seed in range(1, 200):
        assert _unmixed(int(mix64(np.uint64(seed)))) == seed
        for ply in range(3):
            found = {seed, seed ^ int(rng._DECISION), int(mix64(np.uint64(seed) ^ rng._DECISION))}
            word = int(decision_seed(np.uint64(seed), ply))
            for _ in range(4):
                back = (word - int(GAMMA) * (ply + 1)) % 2**64
                assert not found & {word, back, back ^ int(rng._DECISION)}
                assert not found & {_unmixed(back), _unmixed(back) ^ int(rng._DECISION)}
                word = _unmixed(word)


class Witness:
    """Keeps the records that it is given."""

    needs_states = True

    def act(self, observations, masks, *, states=None, seeds=None):
        self.given = states.tobytes()
        return masks.argmax(axis=1)


@pytest.mark.parametrize("name", GAMES)
def test_records_given_to_agents_do_not_lead_back_to_what_is_hidden(name):
    """They were once redrawn with the seed given to agents, so shuffles could be inverted."""
    game, agent, given = get_game(name), Witness(), []
    settings = Settings(game, max(game.player_counts))
    states, actions = game.new_states(20), np.zeros(20, np.int64)
    game.loops.deal(states, 0, 20, np.arange(20, dtype=np.uint64), settings.options)
    for _ in range(10):
        game.loops.random_actions(states, 0, 20, actions)
        for k in range(20):
            game.step(states, int(actions[k]), k)
    for redraw in range(3):
        others = states.copy()
        seeds = np.arange(redraw, redraw + 20, dtype=np.uint64)
        game.loops.redraw(others, 0, 20, np.full(20, -1), seeds)
        others["seed"] = states["seed"]
        query_agent(agent, settings, others)
        given.append(agent.given)
    assert len(set(given)) == 1


def test_a_seats_picture_is_an_argument():
    env = sarena_v0.env(num_players=2, render_mode="ansi")
    env.reset(seed=1)
    views = {env.render(), env.render(seat=0), env.render(seat=1)}
    assert len(views) == 3
    with pytest.raises(ValueError, match="seat"):
        env.render(seat=2)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for one in sys.argv[2:] or GAMES:
        share = check_leaks(get_game(one), wanted, seed=1)
        print(f"{one}: {wanted} positions, in {share:.0%} something was drawn anew, nothing shown")
