"""The compiled rules of Saga against the plain-Python oracle, at every ply of many games.

The oracle was written from the rulebook and the rulings by themselves. What the two read otherwise,
where neither the rulebook nor a ruling says it, is set right in ``Oracle`` below.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles import saga as oracle_module
from oracles.saga import COLOUR_OF, KINGDOM_OF, SIDES, Force, SagaOracle

from ludotheque.envs import get_game
from ludotheque.envs.saga.components import COLOURS, KINGDOMS, NUM_VALUES, PACKS
from ludotheque.envs.saga.state import (
    CENTRE,
    PHASES,
    defence_of,
    fame_of,
    forces_of,
    free_of,
    hand_of,
    sides_of,
)

GAME = get_game("saga")
GAMES = 6
# Sides on which Fieldland's and Sealand's powers meet.
MEETING = ("reverse", "crown", "reverse", "reverse", "crown", "crown")
SIDES_OPTIONS = ["crown", "reverse", "mixed", MEETING]
WAITING = {"at_once": "at once", "with_card": "card"}
# What a player likes: kinds of decisions and how much likelier they are, so that what is rare in
# random games happens often.
TASTES = {
    "any": {},
    "hidden": {"face down": 30, "turn up": 0.2, "take back": 3},
    "busy": {"take back": 10, "recruit": 5, "add": 20, "end": 0.3},
    "brief": {"recruit": 0.1, "take back": 0.1, "new": 0.3},
    "wide": {"new": 8},
}


class Oracle(SagaOracle):
    """The oracle with two readings of ours.

    A card that lies face down names no kingdom (the oracle lets it lead unseen). Castleland's free
    recruit comes at once, before a waiting force retakes the kingdom (the oracle asks after it).
    """

    def conquers(self, seat, force):
        return target(force) is not None and super().conquers(seat, force)

    def settle(self, changed):
        if self.waiting != "at once":
            super().settle(changed)
            return
        able = [(seat, force) for seat, force in self.all_forces() if self.conquers(seat, force)]
        if able:
            self.conquer(*min(able, key=lambda each: self.precedence(*each)))
            if not (self.free and self.free_recruiters):
                self.settle([])

    def recruit_freely(self, card):
        super().recruit_freely(card)
        if self.waiting == "at once":
            self.settle([])


def target(force: Force) -> str | None:
    """The kingdom of the first card that lies face up."""
    up = [colour for colour, _ in force.cards if colour not in force.face_down]
    return KINGDOM_OF[up[0]] if up else None


@pytest.fixture(autouse=True)
def our_target(monkeypatch):
    monkeypatch.setattr(oracle_module.Force, "target", target)


def card(knight: int) -> tuple[str, int]:
    return COLOURS[knight // NUM_VALUES], knight % NUM_VALUES + 1


def as_cards(knights) -> list[tuple[str, int]]:
    return [card(knight) for knight in knights]


def oracle_of(states, retake: str, kind=Oracle) -> SagaOracle:
    """An oracle of the same game, read from a state at its start."""
    state = states[0]
    defences = {}
    for kingdom, name in enumerate(KINGDOMS):
        cards = as_cards(defence_of(state, kingdom))
        defences[name] = sorted(cards, key=lambda each, name=name: each[0] != COLOUR_OF[name])
    return kind(
        [as_cards(hand_of(state, seat)) for seat in range(state["num_players"])],
        defences,
        sides_of(state),
        int(state["first_player"]),
        waiting=WAITING[retake],
        auto_end=True,
    )


def decisions(states) -> dict[tuple, list[int]]:
    """Every legal decision in the oracle's words, with the actions that make it."""
    state = states[0]
    seat = int(state["to_play"])
    phase = PHASES[state["phase"]]
    found = {}
    for action in np.flatnonzero(GAME.legal_mask(states)).tolist():
        parts = GAME.decode_action(action)
        for words, more in spelt(states, seat, phase, action, parts):
            assert words not in found, f"{words} twice"
            found[words] = [action, *more]
    return found


def spelt(states, seat, phase, action, parts):
    """The decisions that begin with an action, each with the actions that follow."""
    kind = parts["kind"]
    if kind == "pass":
        names = {"TURN": "end", "RECRUITING": "no free recruit", "LAST_CARD": "no end card"}
        return [((names[phase],), [])]
    if kind == "recruit":
        word = "free recruit" if phase == "RECRUITING" else "recruit"
        return [((word, (parts["colour"], parts["value"])), [])]
    if kind == "turn up":
        return turned_up(states, seat, action, parts["force"])
    after = states.copy()
    GAME.step(after, action)
    place = parts.get("force", parts.get("kingdom", "new"))
    result = []
    for second in np.flatnonzero(GAME.legal_mask(after)).tolist():
        knight = GAME.decode_action(second)
        one = (knight["colour"], knight["value"])
        if kind == "take":
            words = ("take back", place, one)
        elif phase == "LAST_CARD":
            words = ("end card", one, place)
        elif kind == "add":
            words = ("add", one)
        elif kind == "down":
            words = ("face down", one, place)
        else:
            words = ("play", one, place)
        result.append((words, [second]))
    return result


def turned_up(states, seat, action, slot):
    """Turning up asks which card only where there are several from earlier turns."""
    after = states.copy()
    GAME.step(after, action)
    if PHASES[after["phase"][0]] == "TURNING":
        seconds = np.flatnonzero(GAME.legal_mask(after)).tolist()
        pairs = [(GAME.decode_action(second), second) for second in seconds]
        return [(("turn up", slot, (k["colour"], k["value"])), [second]) for k, second in pairs]
    down = list(forces_of(states[0], seat)[slot].down)
    if states["fresh"][0]:
        last = int(states["num_down"][0, seat]) - 1
        if states["down_slot"][0, seat, last] == slot:
            down.remove(int(states["down_card"][0, seat, last]))
    (knight,) = down
    return [(("turn up", slot, card(knight)), [])]


def assert_same(states, oracle) -> dict[tuple, list[int]]:
    """Everything the oracle knows is as in the state; returns the legal decisions."""
    state = states[0]
    assert bool(state["terminated"]) == oracle.is_over()
    for seat, player in enumerate(oracle.players):
        assert Counter(as_cards(hand_of(state, seat))) == Counter(player.hand)
        assert state["hand_size"][seat] == len(player.hand)
        assert fame_of(state, seat) == player.tokens
        forces = forces_of(state, seat)
        assert len(forces) == len(player.forces)
        for ours, theirs in zip(forces, player.forces, strict=True):
            assert tuple((card(knight), up) for knight, up in ours.laid) == theirs.contents()
            assert ours.strength == theirs.strength()
            name = KINGDOMS[ours.target] if ours.target >= 0 else None
            assert name == theirs.target()
    for kingdom, name in enumerate(KINGDOMS):
        theirs = oracle.kingdoms[name]
        assert Counter(as_cards(defence_of(state, kingdom))) == Counter(theirs.defence)
        assert state["owner"][kingdom] == (CENTRE if theirs.owner is None else theirs.owner)
        assert state["strength"][kingdom] == theirs.strength()
        assert bool(state["used"] >> kingdom & 1) == theirs.used
    assert Counter(as_cards(free_of(state))) == Counter(oracle.free)
    scores, ranks = GAME.returns(states)
    assert scores.tolist() == oracle.scores()
    assert ranks.tolist() == oracle.ranks()
    if oracle.is_over():
        return {}
    assert state["to_play"] == oracle.to_play and state["turn_of"] == oracle.turn
    assert bool(state["ending"]) == oracle.ending
    assert bool(state["recruited"]) == oracle.recruited
    assert bool(state["took"]) == oracle.taken_back
    assert bool(state["played"]) == oracle.card_played
    found = decisions(states)
    assert set(found) == oracle.legal_actions()
    return found


def liking(words: tuple, taste: dict[str, float]) -> float:
    kind = "new" if words[-1] == "new" else words[0]
    return taste.get(kind, 1.0)


def play_both(states, oracle, rng: random.Random, taste: dict[str, float]) -> Counter:
    """Play a game on both; return how often each kind of decision was taken."""
    taken = Counter()
    while found := assert_same(states, oracle):
        words = sorted(found, key=repr)
        (chosen,) = rng.choices(words, [liking(each, taste) for each in words])
        taken[chosen[0]] += 1
        for action in found[chosen]:
            GAME.step(states, action)
        oracle.apply(chosen)
        if states["truncated"][0]:
            break
    return taken


@pytest.mark.parametrize("retake", WAITING)
@pytest.mark.parametrize("sides", SIDES_OPTIONS, ids=lambda s: s if isinstance(s, str) else "meet")
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_random_games(num_players, sides, retake):
    """State, legal decisions, scores and ranks are the same at every decision."""
    taken = Counter()
    for number, (name, taste) in enumerate(TASTES.items()):
        for seed in range(GAMES):
            states = GAME.new_state(1000 * number + seed, num_players, sides=sides, retake=retake)
            oracle = oracle_of(states, retake)
            taken += play_both(states, oracle, random.Random(f"{name} {seed}"), taste)
    expected = {"play", "recruit", "end"}
    if sides == "crown":
        expected |= {"take back", "add"}
    if sides == "reverse":
        expected |= {"face down", "turn up", "free recruit", "end card"}
    if sides == MEETING:
        expected |= {"take back", "face down", "turn up", "free recruit", "add"}
    assert expected <= set(taken)


@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_oracle_as_it_is(num_players, sides):
    """Where its own readings make no difference the oracle needs no help."""
    for seed in range(GAMES):
        states = GAME.new_state(seed, num_players, sides=sides, retake="with_card")
        oracle = oracle_of(states, "with_card", SagaOracle)
        play_both(states, oracle, random.Random(seed), TASTES["any"])


def test_first_game_is_the_oracles():
    states = GAME.new_state(4, 3, deal="first_game")
    for kingdom, name in enumerate(KINGDOMS):
        cards = Counter(as_cards(defence_of(states[0], kingdom)))
        assert cards == Counter(oracle_module.FIRST_GAME[name])


def test_packs_are_the_oracles():
    for ours, theirs in zip(PACKS, oracle_module.PACKS.values(), strict=True):
        assert Counter(as_cards(ours.tolist())) == Counter(theirs)


def test_layouts_are_dealt_as_often_as_they_can_be():
    """All valid layouts of a pack are equally likely (the oracle lists them)."""
    packs = [[[colour, value] for colour, value in oracle_module.PACKS["castle"]]] * 5
    tries = 40_000
    many = GAME.new_states(tries)
    options = GAME.encode_options(2, packs=packs)
    GAME.loops.deal(many, 0, tries, np.arange(tries, dtype=np.uint64), options)
    dealt = Counter(map(tuple, many["defence"].reshape(tries, -1).tolist()))
    expected = Counter()
    for defences in oracle_module.every_deal(oracle_module.PACKS["castle"]):
        row = [[dict(defences[name]).get(colour, 0) for colour in COLOURS] for name in KINGDOMS]
        expected[tuple(value for values in row for value in values)] += 1
    assert set(dealt) <= set(expected)
    whole = sum(expected.values())
    chi = sum(
        (dealt[k] - tries * n / whole) ** 2 / (tries * n / whole) for k, n in expected.items()
    )
    # Chi-squared of so many layouts: five standard deviations over its mean is a fault.
    assert abs(chi - len(expected)) < 5 * (2 * len(expected)) ** 0.5
