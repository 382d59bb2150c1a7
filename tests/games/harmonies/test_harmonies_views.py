"""The observations of Harmonies, reimplemented in plain Python with the oracle's rules."""

from __future__ import annotations

import itertools
import random
import re
from functools import cache

import numpy as np
import pytest
from harmonies_adapter import (
    HarmoniesKernels,
    bag_of,
    deck_of,
    display_of,
    new_game,
    num_hexes,
    spirit_of,
)
from harmonies_changes import CHANGES, FACTS, known
from knowledge import Knowledge, differing
from oracles.harmonies import (
    TOKENS,
    can_be_put_on,
    card_of,
    habitat_around,
    habitat_hexes,
    hexes_with,
    landscape,
    neighbours,
)

from ludotheque.agents import make_agent
from ludotheque.envs import get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.harmonies.components import COLOURS, HEX_COL, HEX_ROW, KINDS, SIDES
from ludotheque.envs.harmonies.state import (
    CATEGORIES,
    PHASES,
    cards_of,
    central_of,
    completed_of,
    cubes_of,
    dealt_to,
    hand_of,
    points_of,
    stacks_of,
)

GAME = get_game("harmonies")
FIELDS = slices(GAME.flat)
SHAPES = {field.name: field.shape for field in GAME.flat}
MODES = {
    "solo": (1, {}),
    "solo, side B, spirits": (1, {"side": "B", "spirits": True}),
    "2 players, side B": (2, {"side": "B"}),
    "3 players, spirits": (3, {"spirits": True}),
    "4 players": (4, {}),
}
FIRST_SPIRIT = 33

every_mode = pytest.mark.parametrize("mode", MODES)


def positions(mode: str, seed: int):
    """Yield some positions of a game played half by random, half greedily, its end included."""
    num_players, options = MODES[mode]
    states = GAME.new_state(seed, num_players, **options)
    rng, greedy = random.Random(seed), make_agent("greedy", GAME)
    while not states["terminated"][0]:
        if rng.random() < 0.06:
            yield states.copy()
        mask = GAME.legal_mask(states)
        action = rng.choice(np.flatnonzero(mask).tolist())
        if rng.random() < 0.7:
            action = int(greedy.act(None, mask[None], states=states, seeds=np.uint64([seed]))[0])
        GAME.step(states, action)
    yield states


class Sight:
    """A seat's view of one record, field by field."""

    def __init__(self, states: np.ndarray, seat: int):
        self.state = state = states[0]
        self.seat = seat
        self.side = SIDES[state["side"]]
        self.seats = [(seat + k) % int(state["num_players"]) for k in range(state["num_players"])]
        self.count = num_hexes(state)
        self.board = self.board_of(seat)
        self.cubed = cubes_of(state, seat)
        self.cards = cards_of(state, seat)
        self.solo = len(self.seats) == 1

    def board_of(self, seat: int) -> list[list[str]]:
        return [[COLOURS[c] for c in stack] for stack in stacks_of(self.state, seat)]

    def blank(self, name: str) -> np.ndarray:
        return np.zeros(SHAPES[name], int)

    def hexes(self) -> np.ndarray:
        seen = self.blank("hexes")
        for hexagon, stack in enumerate(self.board):
            if stack:
                seen[KINDS.index(kind_of(stack)) - 1, 0, hexagon] = 1
        return seen

    def cubes(self) -> np.ndarray:
        seen = self.blank("cubes")
        seen[0, 0, list(self.cubed)] = 1
        return seen

    def settle(self) -> np.ndarray:
        seen = self.blank("settle")
        for slot, held in enumerate(self.cards):
            for hexagon in range(self.count if held.card else 0):
                fits = habitat_around(self.side, self.board, card_of(held.card), hexagon)
                seen[slot, 0, hexagon] = fits and hexagon not in self.cubed
        return seen

    def near(self) -> np.ndarray:
        seen = self.blank("near")
        mountains = hexes_with(self.board, "mountain")
        for hexagon in range(self.count):
            for other in neighbours(self.side, hexagon):
                if self.board[other]:
                    seen[COLOURS.index(self.board[other][-1]), 0, hexagon] = 1
                around = neighbours(self.side, other)
                yellow = [n for n in around if landscape(self.board[n]) == "field"]
                if landscape(self.board[other]) == "field" and not yellow:
                    seen[6, 0, hexagon] = 1
                if other in mountains and not set(around) & set(mountains):
                    seen[7, 0, hexagon] = 1
        return seen

    def builds(self) -> np.ndarray:
        seen = self.blank("builds")
        for building in hexes_with(self.board, "building"):
            around = neighbours(self.side, building)
            there = {self.board[n][-1] for n in around if self.board[n]}
            if len(there) == 2:
                for colour in set(COLOURS) - there:
                    seen[COLOURS.index(colour), 0, around] = 1
        return seen

    def lacking(self, wanted: int):
        """Yield colour and hex of each next token towards habitats that lack so many tokens."""
        for held in self.cards:
            for hexagon in range(self.count if held.card else 0):
                for tokens in self.missing(held.card, hexagon):
                    if sum(map(len, tokens.values())) == wanted:
                        for there, colours in tokens.items():
                            yield from ((colour, there) for colour in colours[0])

    def missing(self, card: int, hexagon: int):
        """Yield, for each way the habitat can be had there, the tokens by hex, lowest first.

        A token is a set of colours: under a building may be several.
        """
        card = card_of(card)
        if hexagon in self.cubed:
            return
        for turn in range(6):
            ends = habitat_hexes(self.side, card, hexagon, turn)
            if None in ends:
                continue
            tokens = {}
            for end, kind in zip(ends, card.habitat, strict=True):
                needed = self.needed(end, kind)
                if needed is None:
                    break
                if needed:
                    tokens[end] = needed
            else:
                yield tokens

    def needed(self, hexagon: int, kind: str) -> list[set[str]] | None:
        """The colours of each token from what lies on a hex to a kind; None if it can't be had."""
        below = self.board[hexagon]
        found = [up[len(below) :] for up in stacks_with(kind) if up[: len(below)] == below]
        if not found or (hexagon in self.cubed and [] not in found):
            return None
        return [set(level) for level in zip(*found, strict=True)]

    def completes(self) -> np.ndarray:
        seen = self.blank("completes")
        for colour, hexagon in self.lacking(1):
            seen[COLOURS.index(colour), 0, hexagon] = 1
        return seen

    def advances(self) -> np.ndarray:
        seen = self.blank("advances")
        for colour, hexagon in self.lacking(2):
            seen[COLOURS.index(colour), 0, hexagon] = 1
        return seen

    def others(self):
        return enumerate(self.seats[1:])

    def others_top(self) -> np.ndarray:
        seen = self.blank("others_top")
        for k, seat in self.others():
            for hexagon, stack in enumerate(self.board_of(seat)):
                if stack:
                    seen[k, COLOURS.index(stack[-1]), hexagon] = 1
        return seen

    def others_height(self) -> np.ndarray:
        seen = self.blank("others_height")
        for k, seat in self.others():
            seen[k, : self.count] = [len(stack) for stack in self.board_of(seat)]
        return seen

    def others_cubes(self) -> np.ndarray:
        seen = self.blank("others_cubes")
        for k, seat in self.others():
            seen[k, list(cubes_of(self.state, seat))] = 1
        return seen

    def slots(self) -> np.ndarray:
        seen = self.blank("slots")
        for row, held in zip(seen, self.cards, strict=True):
            row[held.card] = 1
            row[-1] = held.left
        return seen

    def display(self) -> np.ndarray:
        seen = self.blank("display")
        room = any(not held.card for held in self.cards)
        for row, card in zip(seen, display_of(self.state), strict=True):
            row[card] = 1
            if card and room:
                for hexagon in range(self.count):
                    lacking = [
                        sum(map(len, tokens.values())) for tokens in self.missing(card, hexagon)
                    ]
                    for away in range(4):
                        row[33 + away] += any(tokens <= away for tokens in lacking)
        return seen

    def others_cards(self) -> np.ndarray:
        seen = self.blank("others_cards")
        for k, seat in self.others():
            for held in cards_of(self.state, seat):
                seen[k, held.card] = held.left
        return seen

    def deck(self) -> np.ndarray:
        seen = self.blank("deck")
        seen[[card - 1 for card in deck_of(self.state)]] = 1
        return seen

    def hand(self) -> np.ndarray:
        return np.bincount(hand_of(self.state), minlength=6)[:, None]

    def central(self) -> np.ndarray:
        seen = self.blank("central")
        completing = self.completes().any(axis=(1, 2))
        advancing = self.advances().any(axis=(1, 2))
        for row, space in zip(seen, central_of(self.state), strict=True):
            row[:6] = np.bincount(space, minlength=6)
            row[6:] = sum(completing[space]), sum(advancing[space])
        return seen

    def bag(self) -> np.ndarray:
        return np.array(bag_of(self.state))

    def spirits(self) -> np.ndarray:
        seen = self.blank("spirits")
        for row, seat in zip(seen, self.seats, strict=False):
            row[max(spirit_of(self.state, seat) - FIRST_SPIRIT + 1, 0)] = 1
        return seen

    def dealt(self) -> np.ndarray:
        seen = self.blank("dealt")
        for row, card in zip(seen, dealt_to(self.state, self.seat), strict=True):
            if card:
                row[card - FIRST_SPIRIT] = 1
        return seen

    def seats_(self) -> np.ndarray:
        state, seen = self.state, self.blank("seats")
        for row, seat in zip(seen, self.seats, strict=False):
            points = points_of(state, seat)
            row[:8] = (
                1,
                state["to_play"] == seat,
                state["first_player"] == seat,
                self.board_of(seat).count([]),
                len(cubes_of(state, seat)),
                sum(not held.card for held in cards_of(state, seat)),
                len(completed_of(state, seat)),
                min(sum(points.values()), 127),
            )
            row[8:] = [points[name] for name in CATEGORIES]
        return seen

    def game(self) -> np.ndarray:
        state = self.state
        players = [int(len(self.seats) == n) for n in (1, 2, 3, 4)]
        return np.array(
            [
                *(int(state["phase"] == n) for n in range(len(PHASES))),
                *players,
                self.side == "A",
                self.side == "B",
                state["spirits"],
                state["last_round"],
                state["taken"] >= 0,
                state["took_card"],
                state["turns"],
                sum(bag_of(state)),
                state["terminated"],
            ],
            int,
        )


def kind_of(stack: list[str]) -> str:
    """A stack as `KINDS` has it."""
    found, height = landscape(stack), len(stack)
    if found is None:
        return f"trunk{height}" if stack[-1] == "brown" else "red"
    return f"{found}{height}" if found in ("tree", "mountain") else found


@cache
def stacks_with(kind: str) -> list[list[str]]:
    """The stacks that are of a kind asked for by a card, such as "tree 2" or "building"."""
    name, _, height = kind.partition(" ")
    every = [[]]
    for _ in range(3):
        higher = [[*s, colour] for s in every for colour in TOKENS if can_be_put_on(colour, s)]
        every += [stack for stack in higher if stack not in every]
    return [
        s for s in every if s and landscape(s) == name and (not height or len(s) == int(height))
    ]


@every_mode
def test_flat_observation(mode: str):
    """Every field, in some positions of a game and from every seat."""
    for states in positions(mode, seed=3):
        for seat in range(MODES[mode][0]):
            seen = GAME.observe(states, seat)
            sight = Sight(states, seat)
            for name, part in FIELDS.items():
                expected = getattr(sight, "seats_" if name == "seats" else name)()
                found = seen[part].reshape(SHAPES[name])
                assert np.array_equal(found, expected), f"{name}: {found} is not {expected}"


@every_mode
def test_planes_show_the_same(mode: str):
    """Hexes by column and row; the numbers as in the flat observation, but for `display` and
    `central`, which don't say there what they would bring."""
    planes = slices(GAME.planes)
    for states in positions(mode, seed=4):
        sight = Sight(states, 0)
        seen = GAME.observe(states, 0, form="planes").ravel()
        columns = HEX_COL[states[0]["side"]][: sight.count]
        rows = HEX_ROW[states[0]["side"]][: sight.count]
        for name in ("hexes", "cubes"):
            grid = seen[planes[name]].reshape(-1, 5, 7)
            flat = getattr(sight, name)()[:, 0, : sight.count]
            assert np.array_equal(grid[:, rows, columns], flat)
            assert grid.sum() == flat.sum()
        assert np.array_equal(
            seen[planes["board"]].reshape(5, 7)[rows, columns], np.ones(len(rows))
        )
        numbers = seen[planes["numbers"]]
        start = FIELDS["slots"].start
        for name in ("slots", "hand", "bag", "seats", "game"):
            part = slice(FIELDS[name].start - start, FIELDS[name].stop - start)
            expected = getattr(sight, "seats_" if name == "seats" else name)()
            assert np.array_equal(numbers[part].reshape(SHAPES[name]), expected), name


def test_targets_are_what_the_notation_says():
    for action in range(GAME.num_actions):
        parts, about = GAME.decode_action(action), dict(GAME.targets(action))
        kind = parts["kind"]
        expected = {
            "take": lambda p: {"central": p["space"]},
            "card": lambda p: {"display": p["place"]},
            "discard": lambda p: {"display": p["place"]},
            "spirit": lambda p: {"dealt": p["choice"]},
            "end": lambda p: {},
            "place": lambda p: {"hexes": p["hex"], "hand": COLOURS.index(p["colour"])},
            "settle": lambda p: {"hexes": p["hex"], "slots": p["slot"]},
        }[kind](parts)
        assert about == expected


# ---- everything that a seat may know ----------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "side", "spirits", "never"),
    [
        (1, "A", False, {"spirits seen", "spirit", "choosing a spirit", "turn", "first player"}),
        (3, "B", True, {"may discard"}),
    ],
)
def test_everything_that_a_seat_may_know_is_observed(num_players, side, spirits, never):
    """Whatever changes one thing that a seat may know changes its observation."""
    rng = random.Random(num_players)
    seen = {form: Knowledge() for form in ("flat", "planes")}
    changed = set()
    for game in some_positions(num_players, side, spirits, rng):
        twins = [game.copy() for _ in CHANGES]
        for change, twin in zip(CHANGES, twins, strict=True):
            change(twin, rng)
        for seat in range(num_players):
            before = known(game, seat)
            for twin in (game, *twins):
                facts, states = known(twin, seat), twin.written()
                for form, knowledge in seen.items():
                    knowledge.note(facts, GAME.observe(states, seat, form=form))
                changed |= {re.sub(r" (of|by) \d$", "", name) for name in differing(before, facts)}
    assert changed == FACTS - never
    assert min(map(len, seen.values())) > 50


def some_positions(num_players: int, side: str, spirits: bool, rng: random.Random):
    """Yield a game now and then, played so that animals settle; its end included."""
    game = new_game(HarmoniesKernels, num_players, side, spirits)
    for ply in itertools.count():
        legal = game.legal_decisions()
        if ply % 30 in (0, 1) or not legal:
            yield game
        if not legal:
            return
        wanted = [decision for decision in legal if decision[0] in ("cube", "card")]
        game.play(rng.choice(wanted if wanted and rng.random() < 0.7 else legal))
