"""Every game in every setting, through the conformance kit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.testing import (
    AEC_CHECKS,
    GAME_CHECKS,
    check_first_seat_varies,
    check_zero_sum,
    conformance,
    contract,
    settings,
)

GAMES = [get_game(name) for name in game_names()]
SETTINGS = [
    setting
    for game in GAMES
    for setting in settings(game)
    # Sagani's solo games have no meaning for several players.
    if setting.num_players == 1 or setting.options.get("solo") != "advanced"
]
# The interfaces don't depend on a game's options: the defaults represent all.
USUAL = [
    setting
    for setting in SETTINGS
    if all(setting.options[option.name] == option.default for option in setting.game.options)
]
# The checks that together guarantee that nothing hidden is visible.
HIDING = (
    contract.check_determinize,
    contract.check_hidden_varies,
    contract.check_chance_is_hidden,
    contract.check_words_and_pictures_hide,
    contract.check_evaluation_hides,
)
# Checks that depend on the observation form, or on rewards in mid-game.
FORM_CHECKS = (
    conformance.check_spaces,
    conformance.check_observations,
    conformance.check_observe_is_pure,
    conformance.check_rewards,
    conformance.check_end,
)
# These take longest, and depend only on a game's actions and number of agents.
LONG_CHECKS = (conformance.check_copies, conformance.check_masks_by_trial)
OTHERS = [check for check in GAME_CHECKS if check not in HIDING]


def name_of(check) -> str:
    return check.__name__.removeprefix("check_")


@pytest.mark.parametrize(
    ("setting", "check"),
    [
        pytest.param(setting, check, id=f"{setting}-{name_of(check)}")
        for setting in SETTINGS
        for check in HIDING
        # Pictures are slow; tests/interfaces/test_leaks.py checks some in every setting.
        if setting in USUAL or check is not contract.check_words_and_pictures_hide
    ],
)
def test_hidden_information(setting, check):
    # In Saga packs are known by their backs; what a hand holds is hidden by face-down cards alone,
    # which are rare in random games (test_saga_views.py).
    known = setting.options.get("packs_known") == "from_setup"
    deducible = {"deducible": {"hand"}} if known and check is contract.check_hidden_varies else {}
    check(setting, seed=11, **deducible)


@pytest.mark.parametrize("check", OTHERS, ids=name_of)
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_contract(setting, check):
    check(setting, seed=7)


@pytest.mark.parametrize(
    ("setting", "check"),
    [
        pytest.param(setting, check, id=f"{setting}-{name_of(check)}")
        for setting in USUAL
        for check in AEC_CHECKS
        if check not in LONG_CHECKS
        or setting.game.name == "sarena"
        or setting.num_players == setting.game.max_players
    ],
)
def test_turn_by_turn(setting, check):
    check(lambda: TurnBasedEnv(setting.game, setting.num_players, **setting.options), seed=3)


@pytest.mark.parametrize(
    ("game", "form"), [(game, form) for game in GAMES for form in game.observation_forms], ids=repr
)
def test_turn_by_turn_in_other_forms(game, form):
    """Observation forms and dense rewards go through the same checks, with the most players.

    Whatever doesn't depend on the observation form is only checked in the smallest game.
    """
    make = lambda: TurnBasedEnv(  # noqa: E731
        game, game.max_players, observation=form, reward="score_change"
    )
    for check in AEC_CHECKS if game.name == "sarena" else FORM_CHECKS:
        check(make, seed=5)


@pytest.mark.parametrize("reward", ["rank", "win"])
@pytest.mark.parametrize("setting", [s for s in SETTINGS if s.num_players > 1], ids=str)
def test_rewards_add_up_to_nothing(setting, reward):
    for seed in range(5):
        check_zero_sum(
            lambda: TurnBasedEnv(
                setting.game, setting.num_players, reward=reward, **setting.options
            ),
            seed,
        )


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_first_player_is_drawn(setting):
    check_first_seat_varies(
        lambda: TurnBasedEnv(setting.game, setting.num_players, **setting.options)
    )


@pytest.mark.parametrize("game", GAMES, ids=repr)
def test_a_digest_is_of_all_fields_and_of_nothing_between_them(game):
    fields = game.new_states(2)
    rubbish = fields.copy()
    rubbish.view(np.uint8)[:] = 0xA5
    for name in game.dtype.names:
        rubbish[name] = fields[name]
    same = game.digest(fields)
    assert game.digest(rubbish, 1) == same
    for name in game.dtype.names:
        changed = fields.copy()
        changed[name].reshape(2, -1)[1, -1] += 1
        assert game.digest(changed, 0) == same != game.digest(changed, 1), name


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_sarena_redraws_pawns_evenly(num_players):
    """determinize: all orders of the pawns that a seat can't see are equally likely."""
    game = get_game("sarena")
    states = np.repeat(game.new_state(5, num_players), 12_000)
    seat = num_players - 1
    own = int(states["secret"][0, seat])
    seats = np.full(len(states), seat)
    game.loops.redraw(states, 0, len(states), seats, np.arange(len(states), dtype=np.uint64))
    orders, counts = np.unique(states["secret"], axis=0, return_counts=True)
    others = itertools.permutations([colour for colour in range(4) if colour != own])
    expected = sorted([*order[:seat], own, *order[seat:]] for order in others)
    assert orders.tolist() == expected
    # Chi-squared with 5 degrees of freedom exceeds 20.5 once in a thousand; the seeds are fixed.
    assert ((counts - 2000) ** 2 / 2000).sum() < 20.5


def test_sarena_shows_pawns_at_the_end():
    """Once the game is over only undrawn pawns are still hidden."""
    game = get_game("sarena")
    *_, states = contract.play(contract.Setting(game, 2, {}), seed=1)
    assert contract.is_over(states)
    redraws = [game.determinize(states, 0, seed)["secret"][0].tolist() for seed in range(20)]
    assert {tuple(secret[:2]) for secret in redraws} == {tuple(states["secret"][0, :2].tolist())}
    assert len({tuple(secret[2:]) for secret in redraws}) == 2
