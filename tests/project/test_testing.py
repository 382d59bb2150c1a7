"""The conformance kit notices faults: each kind of broken environment fails the check for it."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from ludotheque import testing
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.testing import check_aec, check_game, conformance, contract, seed_everything

SARENA = get_game("sarena")
SETTING = contract.Setting(SARENA, 3, {"deal": "random"})


class Sound(TurnBasedEnv):
    def __init__(self):
        super().__init__("sarena", 3)


class BoolMask(Sound):
    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "action_mask": seen["action_mask"].astype(bool)}


class StaleMask(Sound):
    """The mask of the previous ply, as if it were read from a board kept elsewhere."""

    def observe(self, agent):
        seen = super().observe(agent)
        if agent == self.agent_selection and not self.terminations.get(agent):
            old, self._old = getattr(self, "_old", seen["action_mask"]), seen["action_mask"]
            seen["action_mask"] = old
        return seen


class MaskForAll(Sound):
    """The mask of the agent to act, whoever asks."""

    def observe(self, agent):
        seen = super().observe(agent)
        return {**seen, "action_mask": super().observe(self.agent_selection)["action_mask"]}


class OneMoreLegal(Sound):
    def observe(self, agent):
        seen = super().observe(agent)
        mask = seen["action_mask"]
        if mask.any() and not mask.all():
            mask[np.flatnonzero(mask == 0)[0]] = 1
        return seen


class EmptyCopies(Sound):
    """Copies from its constructor's arguments, like EzPickle."""

    def __deepcopy__(self, memo):
        return type(self)()

    def __reduce__(self):
        return type(self), ()


class SharedCopies(Sound):
    """A copy that shares the board."""

    def clone(self):
        shared = copy.deepcopy(self)
        shared._states = self._states
        return shared


class LooksMoveLuck(Sound):
    def observe(self, agent):
        self._states["rng"] += np.uint64(1)
        return super().observe(agent)


class SharedArrays(Sound):
    """The same array handed out each time."""

    def observe(self, agent):
        seen = super().observe(agent)
        cache = self.__dict__.setdefault("_cache", {}).setdefault(
            (agent, self.state_digest()), seen
        )
        return cache


class OutOfSpace(Sound):
    def observe(self, agent):
        seen = super().observe(agent)
        seen["observation"][0] = 9
        return seen


class LostRewards(Sound):
    def step(self, action):
        super().step(action)
        if self.agents:
            self._cumulative_rewards[self.agents[0]] = 0.0


class NotZeroSum(Sound):
    def step(self, action):
        super().step(action)
        for agent in self.rewards:
            self.rewards[agent] = abs(self.rewards[agent])


class ActsAfterTheEnd(Sound):
    def step(self, action):
        super().step(None if self.terminations[self.agent_selection] else action)


class IgnoresSeed(Sound):
    def reset(self, seed=None, options=None):
        super().reset(seed=None)


class AlwaysFirst(Sound):
    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self._states["to_play"] = 0
        self._read_state()


class NewSpaces(Sound):
    def action_space(self, agent):
        return copy.deepcopy(super().action_space(agent))


def name_of(item) -> str:
    return getattr(item, "__name__", str(item))


FAULTS = [
    (BoolMask, conformance.check_mask_form),
    (MaskForAll, conformance.check_mask_form),
    (StaleMask, conformance.check_masks_by_trial),
    (OneMoreLegal, conformance.check_masks_by_trial),
    (EmptyCopies, conformance.check_copies),
    (SharedCopies, conformance.check_masks_by_trial),
    (LooksMoveLuck, conformance.check_observe_is_pure),
    (SharedArrays, conformance.check_observe_is_pure),
    (OutOfSpace, conformance.check_observations),
    (LostRewards, conformance.check_rewards),
    (NotZeroSum, conformance.check_zero_sum),
    (ActsAfterTheEnd, conformance.check_end),
    (IgnoresSeed, conformance.check_seeding),
    (AlwaysFirst, conformance.check_first_seat_varies),
    (NewSpaces, conformance.check_spaces),
]


@pytest.mark.parametrize(("broken", "check"), FAULTS, ids=name_of)
def test_a_broken_environment_is_found(broken, check):
    with pytest.raises(AssertionError):
        check(broken)


def test_a_sound_environment_passes():
    check_aec(Sound, seed=2, zero_sum=True, first_varies=True)


def test_out_of_bounds_is_noticed():
    class Wraps(Sound):
        def step(self, action):
            super().step(action if action is None else action % 120)

    with pytest.raises(AssertionError, match="accepted"):
        conformance.check_out_of_bounds(Wraps)


# Games


def broken_game(**changes):
    """Sàrèná with some methods replaced."""
    kind = type("Broken", (type(SARENA),), changes)
    fields = {name: getattr(SARENA, name) for name in SARENA.__dataclass_fields__}
    return contract.Setting(kind(**fields), 3, {"deal": "random"})


def leaky_determinize(self, states, seat, seed, i=0):
    """Keeps the true pawns, like a redraw that reveals the opponent's real cards."""
    drawn = states[i : i + 1].copy()
    drawn["rng"] = drawn["seed"] = seed
    return drawn


def foreseeing_determinize(self, states, seat, seed, i=0):
    drawn = SARENA.determinize(states, seat, seed, i)
    drawn["rng"] = states["rng"]
    return drawn


def careless_determinize(self, states, seat, seed, i=0):
    """Also redraws the seat's own pawn."""
    return SARENA.determinize(states, (seat + 1) % 3, seed, i)


def leaky_describe(self, state, seat=None, last_action=None):
    return SARENA.describe(state, None)


def leaky_observe(self, states, seat, i=0, form="flat"):
    seen = SARENA.observe(states, seat, i, form)
    if form == "flat":
        seen[-1] = states["secret"][i, (seat + 1) % 3]
    return seen


def tied_returns(self, states, i=0):
    scores, ranks = SARENA.returns(states, i)
    return scores, np.arange(len(ranks))


GAME_FAULTS = [
    ("determinize", leaky_determinize, contract.check_hidden_varies),
    ("determinize", foreseeing_determinize, contract.check_determinize),
    ("determinize", careless_determinize, contract.check_determinize),
    ("describe", leaky_describe, contract.check_words_and_pictures_hide),
    ("observe", leaky_observe, contract.check_determinize),
    ("returns", tied_returns, contract.check_returns),
]


@pytest.mark.parametrize(("name", "fault", "check"), GAME_FAULTS, ids=name_of)
def test_a_broken_game_is_found(name, fault, check):
    setting = broken_game(**{name: fault})
    if name == "describe":
        object.__setattr__(setting.game, "describe", lambda *args: leaky_describe(None, *args))
    with pytest.raises(AssertionError):
        check(setting)


def test_a_wrong_codec_is_found():
    setting = broken_game()
    object.__setattr__(setting.game, "action_from_string", lambda text, state=None: 0)
    with pytest.raises(AssertionError):
        contract.check_codec(setting)


def test_a_leftover_in_the_record_is_found():
    def setup_forgets_ply(states, start, stop, seeds, options):
        ply = states["ply"].copy()
        SARENA.loops.deal(states, start, stop, seeds, options)
        states["ply"] = ply

    setting = broken_game()
    loops = copy.copy(SARENA.loops)
    loops.deal = setup_forgets_ply
    setting.game.__dict__["loops"] = loops
    with pytest.raises(AssertionError, match="ply is left over"):
        contract.check_setup(setting)


def test_check_game_names_setting_and_check(monkeypatch):
    def check_nothing(setting, seed):
        raise AssertionError("always")

    monkeypatch.setattr(contract, "GAME_CHECKS", (check_nothing,))
    with pytest.raises(AssertionError, match="sarena-2-random, check_nothing: always"):
        check_game(SARENA)


def test_settings_are_all_player_counts_and_options():
    assert [str(setting) for setting in contract.settings(SARENA)] == [
        f"sarena-{count}-{deal}" for count in (2, 3, 4) for deal in ("random", "balanced")
    ]


def test_difference_says_where():
    one = {"a": [1, {"b": np.array([1, 2, 3])}], "c": float("nan")}
    assert conformance.difference(one, copy.deepcopy(one)) is None
    other = copy.deepcopy(one)
    other["a"][1]["b"][2] = 4
    assert conformance.difference(one, other) == "['a'][1]['b'][2]: 3 and 4"
    other = {**one, "a": [1]}
    assert conformance.difference(one, other) == "['a']: 2 and 1 items"
    assert "keys" in conformance.difference(one, {"a": 1})
    wide = {**one, "a": [1, {"b": np.array([1, 2, 3], np.int8)}]}
    assert "int64 (3,) and int8 (3,)" in conformance.difference(one, wide)


def test_everything_is_seeded():
    """One call makes resets and samples reproducible, in every interface."""
    import gymnasium

    from ludotheque.envs import sarena_v0

    def draws(env, action_space):
        return [action_space.sample().tolist() for _ in range(5)]

    makers = {
        "aec": (sarena_v0.env, lambda env: env.action_space("player_1")),
        "parallel": (sarena_v0.parallel_env, lambda env: env.action_space("player_1")),
        "single": (lambda: gymnasium.make("ludotheque/Sarena-v0"), lambda env: env.action_space),
        "vector": (
            lambda: gymnasium.make_vec("ludotheque/Sarena-v0", num_envs=3),
            lambda env: env.action_space,
        ),
    }
    for label, (make, space) in makers.items():
        env, again = make(), make()
        seed_everything(env, 3)
        seed_everything(again, 3)
        assert draws(env, space(env)) == draws(again, space(again)), label
        assert env.unwrapped.state_digest() == again.unwrapped.state_digest(), label
        seed_everything(env, 3)
        first = draws(env, space(env))
        seed_everything(env, 4)
        assert draws(env, space(env)) != first, label


def test_public_names_exist():
    assert all(hasattr(testing, name) for name in testing.__all__)
