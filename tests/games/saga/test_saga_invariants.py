"""Random games of Saga in every setting: invariants that no action may break.

Ten thousand games a setting here; a hundred thousand with

    python tests/games/saga/test_saga_invariants.py --games 100000
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.jit import JIT_DISABLED, kernel
from ludotheque.envs.core.rng import GAMMA, decision_seed, mix64, next_seed
from ludotheque.envs.saga.actions import NUM_ACTIONS
from ludotheque.envs.saga.cards import first_of_back, pool_of
from ludotheque.envs.saga.components import (
    CASTLELAND,
    GOLDLAND,
    MAX_DOWN,
    MAX_FORCES,
    NUM_CARDS,
    NUM_KNIGHTS,
    STRONGER,
    WEAKER,
)
from ludotheque.envs.saga.rules import legal_actions, random_action, setup, step
from ludotheque.envs.saga.state import (
    FACE_DOWN_MARK,
    LAST_CARD,
    LAST_KNIGHT,
    MAX_PLIES,
    RECRUITED_MARK,
    RECRUITING,
    WHAT_MARK,
)

GAME = get_game("saga")
GAMES = 4 if JIT_DISABLED else 10_000
# Interval in plies between checks of the whole record, which is also checked at the end of a game.
EVERY = 7
SETTINGS = [
    (players, sides, retake)
    for players in GAME.player_counts
    for sides in ("crown", "reverse", "mixed")
    for retake in ("at_once", "with_card")
]

FINE = -1
RULES = (
    "the cards of the packs in play are in hands, forces, defences or free, and nowhere twice",
    "a force has a colour once, and the record knows which colours it has",
    "fame is never negative",
    "hands, sizes and free knights are what the record keeps of them for speed",
    "a force has the total, the order and the target that its cards give",
    "a kingdom has the strength that its defenders give",
    "the mask has as many ones as actions are counted, and at least one",
    "no force waits that is stronger than the kingdom of another (retake at once)",
    "a face-down card is among those that the others think it can be, and these are in the pool; "
    "what an older one of its back can be it can be too, of the colours that its force lacks",
    "a hand is empty only when the game is ending",
    "a game ends with an empty hand, or is cut off",
    "a game has at most MAX_PLIES actions",
    "the rest of the record is in range",
    "the cards with the back of its pack that a seat has are those of its pack",
)


@kernel
def _cards(state, count):
    """Count all cards and compare with the packs of the seats and of the centre."""
    count[:] = 0
    for knight in range(NUM_KNIGHTS):
        count[knight] = np.int64(state["free"][knight])
        for seat in range(4):
            for card in range(knight, NUM_CARDS, NUM_KNIGHTS):
                count[knight] += np.int64(state["hand"][seat, card])
                if state["hand"][seat, card] < 0:
                    return 0
    for colour in range(6):
        for kingdom in range(6):
            value = np.int64(state["defence"][kingdom, colour])
            if value:
                count[colour * 4 + value - 1] += 1
        for seat in range(4):
            for slot in range(MAX_FORCES):
                value = np.int64(state["attack"][seat, slot, colour])
                if value:
                    count[colour * 4 + value - 1] += 1
    for seat in range(4):
        for j in range(state["num_down"][seat]):
            count[np.int64(state["down_card"][seat, j]) % NUM_KNIGHTS] += 1
    total = 0
    for knight in range(NUM_KNIGHTS):
        total += count[knight]
        for k in range(np.int64(state["num_players"]) + 1):
            count[knight] -= np.int64(state["contents"][state["pack"][k], knight])
        if count[knight] != 0:
            return 0
    box = 0
    for k in range(np.int64(state["num_players"]) + 1, 5):
        for knight in range(NUM_KNIGHTS):
            box += np.int64(state["contents"][state["pack"][k], knight])
    return FINE if total + box == 60 else 0


@kernel
def _hands(state):
    for seat in range(state["num_players"]):
        if state["fame"][seat] < 0:
            return 2
        size = 0
        for card in range(NUM_CARDS):
            held = np.int64(state["hand"][seat, card])
            size += held
            if (np.int64(state["held"][seat]) >> card & 1) != (held > 0):
                return 3
        if size != state["hand_size"][seat]:
            return 3
        if size == 0 and not state["ending"]:
            return 9
    for knight in range(NUM_KNIGHTS):
        if (np.int64(state["free_knights"]) >> knight & 1) != (state["free"][knight] > 0):
            return 3
    return FINE


@kernel
def _force(state, seat, slot):
    """Check one slot, in use or not."""
    order = np.int64(state["order"][seat, slot])
    if (slot < state["num_forces"][seat]) != (order != 0):
        return 4
    total = 0
    seen = 0
    first = -1
    down = 0
    while order:
        colour = (order & WHAT_MARK) - 1
        order >>= 4
        if colour == FACE_DOWN_MARK - 1:
            down += 1
            continue
        if colour < 0 or colour > 5 or seen >> colour & 1:
            return 4
        if first < 0:
            first = colour
        seen |= 1 << colour
        total += np.int64(state["attack"][seat, slot, colour])
    for colour in range(6):
        if (state["attack"][seat, slot, colour] != 0) != (seen >> colour & 1 == 1):
            return 4
    if total != state["total"][seat, slot] or first != state["target"][seat, slot]:
        return 4
    for j in range(state["num_down"][seat]):
        if state["down_slot"][seat, j] == slot:
            colour = np.int64(state["down_card"][seat, j]) % NUM_KNIGHTS // 4
            if seen >> colour & 1:
                return 1
            seen |= 1 << colour
            down -= 1
    if down:
        return 4
    for colour in range(6):
        if (np.int64(state["having"][seat, colour]) >> slot & 1) != (seen >> colour & 1):
            return 1
    kingdom = np.int64(state["target"][seat, slot])
    if state["at_once"] and kingdom >= 0 and state["phase"] not in (RECRUITING, LAST_CARD):
        owner = state["owner"][kingdom]
        ended = state["phase"] == LAST_KNIGHT or state["terminated"]
        if owner != seat and total > state["strength"][kingdom] and not ended:
            return 7
    return FINE


@kernel
def _kingdoms(state):
    for kingdom in range(6):
        strength = 0
        for colour in range(6):
            strength += np.int64(state["defence"][kingdom, colour])
        if kingdom == CASTLELAND and state["powers"] & STRONGER:
            strength += 1
        if kingdom == GOLDLAND and state["powers"] & WEAKER:
            strength -= 1
        if strength != state["strength"][kingdom]:
            return 5
        if state["owner"][kingdom] < -1 or state["owner"][kingdom] >= state["num_players"]:
            return 12
    return FINE


@kernel
def _down(state, seat):
    for j in range(state["num_down"][seat]):
        card = np.int64(state["down_card"][seat, j])
        slot = np.int64(state["down_slot"][seat, j])
        first = first_of_back(card)
        if state["can_be"][seat, j, card - first] == 0:
            return 8
        for knight in range(NUM_KNIGHTS):
            can_be = state["can_be"][seat, j, knight]
            if can_be < 0 or can_be > pool_of(state, seat, first + knight):
                return 8
            if state["attack"][seat, slot, knight // 4]:
                continue
            for k in range(j):
                older = first_of_back(np.int64(state["down_card"][seat, k])) == first
                if older and can_be < state["can_be"][seat, k, knight]:
                    return 8
    return FINE


@kernel
def _own_pack(state, seat, count):
    """Count the cards with the back of the seat's pack; all cards where backs tell nothing."""
    for card in range(NUM_KNIGHTS):
        count[card] = pool_of(state, seat, card)
    for slot in range(state["num_forces"][seat]):
        order = np.int64(state["order"][seat, slot])
        while order:
            colour = (order & WHAT_MARK) - 1
            if colour < 6 and order & RECRUITED_MARK == 0:
                count[colour * 4 + np.int64(state["attack"][seat, slot, colour]) - 1] += 1
            order >>= 4
    for kingdom in range(6):
        for colour in range(6):
            value = np.int64(state["defence"][kingdom, colour])
            recruited = np.int64(state["recruits"][kingdom]) >> colour & 1
            if state["owner"][kingdom] == seat and value and not recruited:
                count[colour * 4 + value - 1] += 1
    for knight in range(NUM_KNIGHTS):
        own = count[knight] - np.int64(state["contents"][state["pack"][seat], knight])
        if own < 0 or (own > 0 and state["backs"]):
            return 13
    return FINE


@kernel
def broken(state, mask, count):
    """Return the number of the first rule broken in a position, or -1."""
    for seat in range(4):
        if state["num_down"][seat] < 0 or state["num_down"][seat] > MAX_DOWN:
            return 12
        if state["num_forces"][seat] < 0 or state["num_forces"][seat] > MAX_FORCES:
            return 12
    fault = _cards(state, count)
    if fault == FINE:
        fault = _hands(state)
    if fault == FINE:
        fault = _kingdoms(state)
    for seat in range(4):
        if fault == FINE:
            fault = _down(state, seat)
        for slot in range(MAX_FORCES):
            if fault == FINE:
                fault = _force(state, seat, slot)
        if fault == FINE and seat < state["num_players"]:
            fault = _own_pack(state, seat, count)
    if fault != FINE:
        return fault
    if not (state["terminated"] or state["truncated"]):
        legal = legal_actions(state, mask)
        if legal < 1 or legal != mask.sum():
            return 6
    return 11 if state["ply"] > MAX_PLIES else FINE


@kernel
def play(states, seed, options, games, mask, count, most):
    """Play games; return ``(rule, seed)`` of the first fault.

    ``most``: plies of the longest game, the most forces and face-down cards of one seat, games cut
    off.
    """
    state = states[0]
    for _ in range(games):
        setup(state, seed, options)
        word = decision_seed(seed, 0)
        fault = broken(state, mask, count)
        while not (state["terminated"] or state["truncated"]) and fault == FINE:
            word += GAMMA
            step(state, random_action(state, mix64(word)))
            for seat in range(state["num_players"]):
                most[1] = max(most[1], np.int64(state["num_forces"][seat]))
                most[2] = max(most[2], np.int64(state["num_down"][seat]))
            if state["ply"] % EVERY == 0:
                fault = broken(state, mask, count)
        if fault == FINE:
            fault = broken(state, mask, count)
        if fault == FINE and state["terminated"] and not state["ending"]:
            fault = 10
        if fault != FINE:
            return fault, seed
        most[0] = max(most[0], np.int64(state["ply"]))
        most[3] += state["truncated"]
        seed = next_seed(seed)
    return FINE, seed


def run(num_players: int, sides: str, retake: str, games: int) -> np.ndarray:
    """Play games in one setting; return what ``play`` fills in ``most``."""
    most = np.zeros(4, np.int64)
    fault, seed = play(
        GAME.new_states(1),
        np.uint64(2024),
        GAME.encode_options(num_players, sides=sides, retake=retake),
        games,
        np.zeros(NUM_ACTIONS, np.int8),
        np.zeros(NUM_KNIGHTS, np.int64),
        most,
    )
    assert fault == FINE, f"game of seed {seed}: not so: {RULES[fault]}"
    return most


@pytest.mark.parametrize(("num_players", "sides", "retake"), SETTINGS)
def test_random_games_break_no_rule(num_players, sides, retake):
    most = run(num_players, sides, retake, GAMES)
    assert 40 < most[0] <= MAX_PLIES
    # There is room for a force with every card that a seat can have.
    assert most[1] < MAX_FORCES and most[2] < MAX_DOWN


@pytest.mark.parametrize(
    ("field", "index", "value", "rule"),
    [
        ("free", 3, 1, 0),
        ("defence", (0, 0), 0, 0),
        ("having", (0, 1), 1, 1),
        ("num_forces", 0, 3, 4),
        ("fame", 1, -1, 2),
        ("hand_size", 0, 3, 3),
        ("free_knights", (), 5, 3),
        ("total", (1, 0), 9, 4),
        ("order", (0, 0), 0, 4),
        ("strength", 2, 9, 5),
        ("owner", 1, 3, 12),
        ("num_down", 0, -1, 12),
    ],
)
def test_the_check_sees_a_broken_record(field, index, value, rule):
    """Damaged in one place, a valid position no longer passes."""
    scratch = np.zeros(NUM_ACTIONS, np.int8), np.zeros(NUM_KNIGHTS, np.int64)
    states = GAME.new_state(5, 2)
    for _ in range(4):
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[-1]))
    assert broken(states[0], *scratch) == FINE
    states[field][(0, *index) if isinstance(index, tuple) else (0, index)] = value
    assert broken(states[0], *scratch) == rule


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000, help="for each setting")
    games = parser.parse_args().games
    for players, sides, retake in SETTINGS:
        start = time.perf_counter()
        longest, forces, down, cut = run(players, sides, retake, games).tolist()
        print(
            f"{players} players, {sides}, {retake}: {games} games, longest {longest} plies, "
            f"at most {forces} forces and {down} face-down cards a seat, {cut} cut off, "
            f"{time.perf_counter() - start:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
