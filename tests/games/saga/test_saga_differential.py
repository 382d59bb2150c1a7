"""The compiled rules of Saga against the plain-Python oracle, at every ply of many games."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles import saga as box
from saga_adapter import GAME, PACKS_KNOWN, WAITING, OnKernels, OnOracle

from ludotheque.envs.saga.components import COLOURS, KINGDOMS, PACKS, knight_name

GAMES = 3
# Sides on which Fieldland's and Sealand's powers meet.
MEETING = ("reverse", "crown", "reverse", "reverse", "crown", "crown")
SIDES_OPTIONS = ["crown", "reverse", "mixed", MEETING]
# A player's preferences: first words of actions and how much likelier they are, so that rare events
# of random games happen often.
TASTES = {
    "any": {},
    "hidden": {"down": 30, "turn": 0.2, "take": 3},
    "busy": {"take": 10, "recruit": 5, "add": 20, "pass": 0.3},
    "brief": {"recruit": 0.1, "take": 0.1, "new": 0.3},
    "wide": {"new": 8},
}


def play_both(kernels: OnKernels, oracle: OnOracle, rng: random.Random, taste: dict) -> Counter:
    """Play a game on both; return how often each kind of action was played."""
    played = Counter()
    while not (kernels.over or kernels.cut_off):
        if not oracle.begun:
            assert kernels.view() == oracle.view()
        texts = sorted(kernels.legal())
        assert set(texts) == oracle.legal()
        (text,) = rng.choices(texts, [taste.get(text.split()[0], 1) for text in texts])
        kind = text.split()[0] if kernels.phase == "turn" or text == "pass" else kernels.phase
        played[kind] += 1
        kernels.play(text)
        oracle.play(text)
    if kernels.over:
        assert kernels.view() == oracle.view()
    for seat in range(kernels.num_players):
        points = oracle.game.score_categories(seat)
        powers = points["attack force"] + points["bonus"] + points["tribute"]
        expected = [points["tokens"], points["kingdoms"], powers, points["hand"]]
        assert list(GAME.points_by_category(kernels.states, seat).values()) == expected
    return played


@pytest.mark.parametrize("retake", WAITING)
@pytest.mark.parametrize("sides", SIDES_OPTIONS, ids=lambda s: s if isinstance(s, str) else "meet")
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games(num_players, sides, retake):
    """State, legal actions, scores and ranks are the same before every action and at the end."""
    played = Counter()
    for number, (name, taste) in enumerate(TASTES.items()):
        for seed in range(GAMES):
            seed_of_game = 1000 * number + seed
            known = list(PACKS_KNOWN)[seed == 1]
            options = {"sides": sides, "retake": retake, "packs_known": known}
            kernels = OnKernels.dealt(seed_of_game, num_players, **options)
            oracle = OnOracle.same_as(kernels, retake, known)
            played += play_both(kernels, oracle, random.Random(f"{name} {seed}"), taste)
    expected = {"new", "strengthen", "recruit", "pass"}
    if sides == "crown":
        expected |= {"take", "add"}
    if sides == "reverse":
        expected |= {"down", "hidden", "turn", "free recruit", "end card"}
    if sides == MEETING:
        expected |= {"take", "down", "hidden", "turn", "free recruit", "add"}
    assert expected <= set(played)


def test_packs_are_the_oracles():
    for ours, theirs in zip(PACKS.tolist(), box.PACKS.values(), strict=True):
        names = [f"{colour} {value}" for colour, value in theirs]
        assert sorted(map(knight_name, ours)) == sorted(names)


def test_layouts_are_dealt_as_often_as_they_can_be():
    """All valid layouts of a pack are equally likely (the oracle lists them)."""
    packs = [[[colour, value] for colour, value in box.PACKS["castle"]]] * 5
    tries = 40_000
    many = GAME.new_states(tries)
    options = GAME.encode_options(2, packs=packs)
    GAME.loops.deal(many, 0, tries, np.arange(tries, dtype=np.uint64), options)
    dealt = Counter(map(tuple, many["defence"].reshape(tries, -1).tolist()))
    expected = Counter()
    for defences in box.every_deal(box.PACKS["castle"]):
        values = [{card.colour: card.value for card in defences[name]} for name in KINGDOMS]
        row = [[found.get(colour, 0) for colour in COLOURS] for found in values]
        expected[tuple(value for values in row for value in values)] += 1
    assert set(dealt) <= set(expected)
    whole = sum(expected.values())
    chi = sum(
        (dealt[k] - tries * n / whole) ** 2 / (tries * n / whole) for k, n in expected.items()
    )
    # Chi-squared of so many layouts: five standard deviations over its mean is a fault.
    assert abs(chi - len(expected)) < 5 * (2 * len(expected)) ** 0.5
