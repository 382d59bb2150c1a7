"""Random games of Harmonies in every setting: invariants that no action may break.

Ten thousand games a setting here; a hundred thousand with

    python tests/games/harmonies/test_harmonies_invariants.py --games 100000
"""

from __future__ import annotations

import argparse

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.jit import JIT_DISABLED, kernel
from ludotheque.envs.core.rng import GAMMA, decision_seed, mix64, next_seed
from ludotheque.envs.harmonies.actions import NUM_ACTIONS
from ludotheque.envs.harmonies.components import (
    FIRST_SPIRIT,
    KIND_OF_STACK,
    LADDER,
    NUM_ANIMALS,
    NUM_CARDS,
    NUM_CUBES,
    NUM_HEXES,
    NUM_STACKS,
    STACKS,
    TOKENS,
)
from ludotheque.envs.harmonies.habitats import find_habitat
from ludotheque.envs.harmonies.rules import legal_actions, random_action, setup, step
from ludotheque.envs.harmonies.scoring import score_landscapes
from ludotheque.envs.harmonies.state import COLUMN, MAX_PLIES

GAME = get_game("harmonies")
GAMES = 12 if JIT_DISABLED else 10_000
# Interval in plies between checks of the whole record, which is also checked at the end of a game.
EVERY = 13
SETTINGS = [
    (players, side, spirits)
    for players in GAME.player_counts
    for side in "AB"
    for spirits in (False, True)
]
# The most turns: 36 refills of the central board; alone 13.
MOST_TURNS = {1: 13, 2: 36, 3: 36, 4: 36}

COLOURS_OF = np.zeros((NUM_STACKS, 6), dtype=np.int64)
for _number, _stack in enumerate(STACKS):
    for _colour in _stack:
        COLOURS_OF[_number, _colour] += 1

FINE = -1
RULES = (
    "the 120 tokens are in the bag, on the central board, in the hand, on boards or discarded",
    "what the record keeps of a board for speed is what its stacks say",
    "cubes are on tokens, as many from each card as it says",
    "an animal card is in one place only, and none is lost but the solo game's",
    "the points are those of the cards and of the board",
    "each habitat is where it is looked for, and none is kept for an empty slot",
    "the mask has as many ones as actions are counted, and at least one",
    "a space holds three tokens, or none once it was taken",
    "a seat has one spirit, of the two that it was dealt, and no spirit is in two places",
    "a game ends at the end of a round in which the bag or a board set off its end",
    "a game has at most MAX_PLIES actions",
    "nobody begins a turn with fewer than three empty hexes",
    "a cube stays where it is, and no token comes upon it or under it",
)


@kernel
def _tokens(state, tokens):
    """Count the tokens of each colour; return whether there are as many as in the box."""
    for colour in range(6):
        tokens[colour] = np.int64(state["bag"][colour]) + np.int64(state["hand"][colour])
        tokens[colour] += np.int64(state["discarded"][colour])
        for space in range(5):
            tokens[colour] += np.int64(state["central"][space, colour])
        for seat in range(4):
            for hex_ in range(25):
                tokens[colour] += COLOURS_OF[state["stack"][seat, hex_], colour]
    for colour in range(6):
        if tokens[colour] != TOKENS[colour] or state["bag"][colour] < 0:
            return False
    return True


@kernel
def _board(state, seat):
    hexes = NUM_HEXES[state["side"]]
    for hex_ in range(25):
        stack = state["stack"][seat, hex_]
        if hex_ >= hexes and stack:
            return 1
        for kind in range(13):
            here = np.int64(state["hexes"][seat, kind]) >> hex_ & 1
            if here != (hex_ < hexes and kind == KIND_OF_STACK[stack]):
                return 1
        if state["height"][seat, hex_] != len_of(stack):
            return 1
        if state["top"][seat, hex_] != top_of(stack):
            return 1
        cube = state["cube"][seat, hex_] != 0
        if (np.int64(state["cubes"][seat]) >> hex_ & 1) != cube or (cube and stack == 0):
            return 2
    return FINE


@kernel
def len_of(stack):
    height = 0
    for colour in range(6):
        height += COLOURS_OF[stack, colour]
    return height


@kernel
def top_of(stack):
    """The colour on top: a red or a green one is always on top, else there is one colour."""
    for colour in (5, 3, 0, 1, 2, 4):
        if COLOURS_OF[stack, colour]:
            return colour
    return -1


@kernel
def _cards(state, places):
    """Count in how many places each card is."""
    places[:] = 0
    for place in range(5):
        places[state["display"][place]] += 1
    for card in range(1, NUM_ANIMALS + 1):
        places[card] += state["deck"] >> card & 1
    for seat in range(4):
        for slot in range(4):
            places[state["card"][seat, slot]] += 1
        for card in range(1, NUM_CARDS + 1):
            places[card] += state["completed"][seat] >> card & 1
    for card in range(1, NUM_ANIMALS + 1):
        if places[card] > 1 or (places[card] == 0 and state["num_players"] > 1):
            return 3
    return FINE


@kernel
def _cubes(state, seat):
    """Compare the cubes on a board and the points of the animals with the cards."""
    points = 0
    for card in range(1, NUM_CARDS + 1):
        settled = 0
        for hex_ in range(25):
            settled += state["cube"][seat, hex_] == card
        expected = 0
        if state["completed"][seat] >> card & 1:
            expected = np.int64(NUM_CUBES[card])
        for slot in range(4):
            if state["card"][seat, slot] == card:
                left = np.int64(state["cubes_left"][seat, slot])
                expected = NUM_CUBES[card] - left
                if left < 1:
                    return 2
        if settled != expected:
            return 2
        points += np.int64(LADDER[card, settled])
    if points != state["points"][seat, COLUMN.animals]:
        return 4
    for slot in range(4):
        card = np.int64(state["card"][seat, slot])
        found = find_habitat(state, seat, card) if card else 0
        if found != state["habitat"][seat, slot]:
            return 5
    return FINE


@kernel
def _points(state, seat, points):
    """Compare the cached points with recomputed ones."""
    for category in range(7):
        points[category] = state["points"][seat, category]
    score_landscapes(state, seat)
    for category in range(7):
        if points[category] != state["points"][seat, category]:
            return 4
    return FINE


@kernel
def _spaces(state):
    solo = state["num_players"] == 1
    for space in range(5):
        tokens = 0
        for colour in range(6):
            tokens += np.int64(state["central"][space, colour])
        expected = 0 if space == state["taken"] or (solo and space > 2) else 3
        if tokens != expected:
            return 7
    return FINE


@kernel
def _spirits(state, places):
    places[:] = 0
    for seat in range(state["num_players"]):
        kept = np.int64(state["spirit"][seat])
        first, second = np.int64(state["dealt"][seat, 0]), np.int64(state["dealt"][seat, 1])
        if state["spirits"]:
            places[first] += 1
            places[second] += 1
        if kept and kept != first and kept != second:
            return 8
        held = 0
        for card in range(FIRST_SPIRIT, NUM_CARDS + 1):
            if places[card] > 1:
                return 8
            here = state["completed"][seat] >> card & 1
            for slot in range(4):
                here += state["card"][seat, slot] == card
            held += here
            if here and card != kept:
                return 8
        if held != (kept != 0):
            return 8
    return FINE


@kernel
def broken(state, mask, tokens, places, points):
    """Return the number of the first rule broken in a position, or -1."""
    if not _tokens(state, tokens):
        return 0
    fault = _cards(state, places)
    if fault == FINE:
        fault = _spirits(state, places)
    if fault == FINE:
        fault = _spaces(state)
    for seat in range(state["num_players"]):
        if fault == FINE:
            fault = _board(state, seat)
        if fault == FINE:
            fault = _cubes(state, seat)
        if fault == FINE:
            fault = _points(state, seat, points)
    if fault != FINE:
        return fault
    if not state["terminated"]:
        count = legal_actions(state, mask)
        if count < 1 or count != mask.sum():
            return 6
    return 10 if state["ply"] > MAX_PLIES else FINE


@kernel
def _end(state):
    """Say whether the game may be over: whole rounds, and a bag or a board that set it off."""
    if state["turns"] % state["num_players"] or not state["last_round"]:
        return False
    tokens = 0
    for colour in range(6):
        tokens += np.int64(state["bag"][colour])
    if tokens < (9 if state["num_players"] == 1 else 3):
        return True
    fewest = 25
    for seat in range(state["num_players"]):
        fewest = min(fewest, _empty(state, seat))
    return fewest <= 2


@kernel
def _empty(state, seat):
    empty = 0
    for hex_ in range(NUM_HEXES[state["side"]]):
        empty += state["stack"][seat, hex_] == 0
    return empty


@kernel
def _cubed(state, seat, hex_):
    """Return one number for a hex's cube and the stack below it, 0 where there is no cube."""
    cube = np.int64(state["cube"][seat, hex_])
    return cube * NUM_STACKS + np.int64(state["stack"][seat, hex_]) if cube else 0


@kernel
def play(states, seed, options, games, mask, tokens, places, points, longest, cubed):
    """Play games; return ``(rule, seed)`` of the first fault."""
    state = states[0]
    for _ in range(games):
        setup(state, seed, options)
        word = decision_seed(seed, 0)
        fault = FINE
        turns = -1
        while not state["terminated"] and fault == FINE:
            if state["turns"] != turns:
                turns = np.int64(state["turns"])
                if _empty(state, state["to_play"]) < 3:
                    fault = 11
            word += GAMMA
            seat = np.int64(state["to_play"])
            for hex_ in range(25):
                cubed[hex_] = _cubed(state, seat, hex_)
            step(state, random_action(state, mix64(word)))
            for hex_ in range(25):
                if cubed[hex_] and cubed[hex_] != _cubed(state, seat, hex_):
                    fault = 12
            if state["ply"] % EVERY == 0 and fault == FINE:
                fault = broken(state, mask, tokens, places, points)
        if fault == FINE:
            fault = broken(state, mask, tokens, places, points)
        if fault == FINE and not _end(state):
            fault = 9
        if fault != FINE:
            return fault, seed
        longest[0] = max(longest[0], np.int64(state["ply"]))
        longest[1] = max(longest[1], np.int64(state["turns"]))
        seed = next_seed(seed)
    return FINE, seed


def check(num_players: int, side: str, spirits: bool, games: int) -> tuple[int, int]:
    """Play random games of a setting; return the plies and the turns of the longest."""
    longest = np.zeros(2, np.int64)
    fault, seed = play(
        GAME.new_states(1),
        np.uint64(2024),
        GAME.encode_options(num_players, side=side, spirits=spirits),
        games,
        np.zeros(NUM_ACTIONS, np.int8),
        np.zeros(6, np.int64),
        np.zeros(NUM_CARDS + 1, np.int64),
        np.zeros(7, np.int64),
        longest,
        np.zeros(25, np.int64),
    )
    assert fault == FINE, f"game of seed {seed}: not so: {RULES[fault]}"
    return int(longest[0]), int(longest[1])


@pytest.mark.slow
@pytest.mark.parametrize(("num_players", "side", "spirits"), SETTINGS)
def test_random_games_break_no_rule(num_players, side, spirits):
    plies, turns = check(num_players, side, spirits, GAMES)
    assert 40 < plies <= MAX_PLIES
    assert turns <= MOST_TURNS[num_players]


@pytest.mark.parametrize(
    ("field", "index", "value", "rule"),
    [
        ("bag", 0, 0, 0),
        ("stack", (0, 3), 2, 0),
        ("hexes", (1, 1), 4, 1),
        ("top", (0, 0), 3, 1),
        ("height", (0, 0), 3, 1),
        ("cube", (0, 0), 7, 2),
        ("display", 0, 0, 3),
        ("points", (0, 0), 9, 4),
        ("points", (1, 5), 9, 4),
        ("habitat", (0, 2), 1, 5),
        ("taken", (), 2, 7),
        ("spirit", 0, 33, 8),
    ],
)
def test_the_check_sees_a_broken_record(field, index, value, rule):
    """Damaged in one place, a valid position no longer passes."""
    scratch = np.zeros(NUM_ACTIONS, np.int8), *(np.zeros(k, np.int64) for k in (6, 43, 7))
    states = GAME.new_state(5, 2)
    for _ in range(3):
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[-1]))
    assert broken(states[0], *scratch) == FINE
    states[field][(0, *index) if isinstance(index, tuple) else (0, index)] = value
    assert broken(states[0], *scratch) == rule


@pytest.mark.parametrize("num_players", [1, 2])
def test_evaluating_leaves_the_record_as_it_was(num_players):
    """``evaluate`` tries placements on the record itself and takes them back."""
    states = GAME.new_state(3, num_players, spirits=True)
    word = np.uint64(8)
    while not states["terminated"][0]:
        before = states.tobytes()
        for seat in range(num_players):
            assert 0 <= GAME.kernels["evaluate"](states[0], seat, GAME.new_memo()) < 400
        assert states.tobytes() == before
        word = np.uint64(mix64(word))
        GAME.step(states, int(random_action(states[0], word)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000, help="in each setting")
    games = parser.parse_args().games
    for setting in SETTINGS:
        plies, turns = check(*setting, games)
        print(f"{setting}: {games} games, the longest of {plies} plies, {turns} turns", flush=True)


if __name__ == "__main__":
    main()
