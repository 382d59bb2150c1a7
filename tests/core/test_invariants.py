"""A hundred thousand random games of Sàrèná: invariants that no move may break."""

from __future__ import annotations

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.jit import JIT_DISABLED, allocating_kernel, kernel, specialize
from ludotheque.envs.core.rng import GAMMA, decision_seed, mix64, next_seed
from ludotheque.envs.sarena.actions import FROM, TO
from ludotheque.envs.sarena.components import IS_ARROW
from ludotheque.envs.sarena.rules import index_board

GAME = get_game("sarena")
GAMES = 30 if JIT_DISABLED else 100_000
SETTINGS = [(players, deal) for players in (2, 3, 4) for deal in ("random", "balanced")]
LONGEST = 45

# Bound to the game's kernels by ``specialize``.
setup = step = random_action = is_legal = legal_actions = returns = broken = None

FINE = -1
RULES = (
    "36 discs are on the board",
    "no stack is higher than 4",
    "a stack's word holds as many discs as its height says",
    "every colour is on 18 faces",
    "there are six discs of every pair of colours",
    "by_height, top, underside and faces are those of the stacks",
    "the four pawns have the four colours",
    "the pawns are those that were drawn",
    "the mask says what the heights allow",
    "is_legal says what the heights allow",
    "ply counts the moves, and turns go round",
    "the game ends when nothing can move, and not before",
    "a game has at most 45 plies",
    "scores are between 0 and 36, and no disc counts twice",
    "ranks follow from the scores",
)


@kernel
def _is_indexed(state, circle, height, stack):
    """Return whether the record's cached values agree with a circle's stack."""
    for other in range(5):
        if (state["by_height"][other] >> circle & 1) != (height == other):
            return False
    top = stack >> 4 * height - 2 & 3 if height else -1
    underside = stack & 3 if height else -1
    if state["top"][circle] != top or state["underside"][circle] != underside:
        return False
    for colour in range(4):
        shown = 0
        for level in range(height):
            disc = stack >> 4 * level
            shown += (disc & 3) == colour or (disc >> 2 & 3) == colour
        if state["faces"][colour, circle] != shown:
            return False
    return True


@allocating_kernel
def _board(state):
    """Return the number of the first rule that the board breaks, or -1."""
    discs = 0
    faces = np.zeros(4, np.int64)
    pairs = np.zeros(16, np.int64)
    for circle in range(36):
        height = np.int64(state["height"][circle])
        stack = np.int64(state["stack"][circle])
        discs += height
        if height > 4:
            return 1
        if stack >> 4 * height:
            return 2
        for level in range(height):
            below = stack >> 4 * level & 3
            above = stack >> 4 * level + 2 & 3
            if below == above:  # no disc has one colour on both faces
                return 2
            faces[below] += 1
            faces[above] += 1
            pairs[4 * min(below, above) + max(below, above)] += 1
        if not _is_indexed(state, circle, height, stack):
            return 5
    if discs != 36:
        return 0
    for colour in range(4):
        if faces[colour] != 18:
            return 3
        for other in range(colour + 1, 4):
            if pairs[4 * colour + other] != 6:
                return 4
    return FINE


@kernel
def _pawns(state):
    held = 0
    for seat in range(4):
        held |= 1 << np.int64(state["secret"][seat])
    return FINE if held == 15 else 6


def _broken(state, mask):
    """Return the number of the first rule broken in a position, or -1."""
    fault = _board(state)
    if fault != FINE:
        return fault
    if _pawns(state) != FINE:
        return 6
    count = 0
    legal_actions(state, mask)
    for action in range(len(FROM)):
        moved = np.int64(state["height"][FROM[action]])
        under = np.int64(state["height"][TO[action]])
        allowed = moved > 0 and (moved + under <= 4 if under else IS_ARROW[TO[action]])
        count += allowed
        if mask[action] != allowed:
            return 8
        if is_legal(state, action) != allowed:
            return 9
    return 11 if state["terminated"] != (count == 0) or state["truncated"] else FINE


def _play(states, seeds, options, mask, secret, scores, ranks, lengths, faults):
    """Deal and play a game from each seed, checking every position."""
    state = states[0]
    for game in range(len(seeds)):
        setup(state, seeds[game], options)
        for seat in range(4):
            secret[seat] = state["secret"][seat]
        first = np.int64(state["to_play"])
        players = np.int64(state["num_players"])
        word = decision_seed(seeds[game], 0)
        ply = 0
        fault = broken(state, mask)
        while fault == FINE and not state["terminated"]:
            word += GAMMA
            step(state, random_action(state, mix64(word)))
            ply += 1
            fault = broken(state, mask)
            if state["ply"] != ply or state["to_play"] != (first + ply) % players:
                fault = 10
            if ply > LONGEST:
                fault = 12
        for seat in range(4):
            if state["secret"][seat] != secret[seat]:
                fault = 7
        returns(state, scores[game], ranks[game])
        lengths[game] = ply
        faults[game] = fault


@pytest.fixture(scope="module")
def play():
    names = ("setup", "step", "random_action", "returns", "is_legal", "legal_actions")
    kernels = {name: GAME.kernels[name] for name in names}
    checked = {name: kernels[name] for name in ("is_legal", "legal_actions")}
    looked_at = specialize(_broken, "invariants_broken", **checked)
    rest = {name: kernels[name] for name in ("setup", "step", "random_action", "returns")}
    return specialize(_play, "invariants_play", broken=looked_at, **rest)


@pytest.mark.parametrize(("num_players", "deal"), SETTINGS)
def test_random_games_keep_every_invariant(play, num_players, deal):
    count = -(-GAMES // len(SETTINGS))
    start = np.uint64(num_players * 10 + (deal == "balanced"))
    seeds = np.empty(count, np.uint64)
    for k in range(count):
        start = np.uint64(next_seed(start))
        seeds[k] = start
    scores = np.zeros((count, 4), np.float32)
    ranks = np.zeros((count, 4), np.int64)
    lengths, faults = np.zeros((2, count), np.int64)
    options = GAME.encode_options(num_players, deal=deal)
    blank = GAME.new_states(1)
    mask, secret = np.zeros(120, np.int8), np.zeros(4, np.int64)
    play(blank, seeds, options, mask, secret, scores, ranks, lengths, faults)
    _check_results(scores[:, :num_players], ranks[:, :num_players], faults)
    for game in np.flatnonzero(faults != FINE)[:1]:
        raise AssertionError(f"seed {seeds[game]}: not true that {RULES[faults[game]]}")
    assert lengths.min() >= 18 and lengths.max() <= LONGEST
    if not JIT_DISABLED:
        assert lengths.min() < 23 and lengths.max() > 36, "the games differ in length"


def _check_results(scores: np.ndarray, ranks: np.ndarray, faults: np.ndarray) -> None:
    """Mark the games whose results can't be right."""
    num_players = scores.shape[1]
    total = scores.sum(axis=1)
    wrong = (scores.min(axis=1) < 0) | (total > 36) | ((num_players == 4) & (total != 36))
    faults[wrong | (scores != np.floor(scores)).any(axis=1)] = 13
    ahead = scores[:, :, None] > scores[:, None, :]
    better = ranks[:, :, None] < ranks[:, None, :]
    wrong = (ahead & ~better).any(axis=(1, 2)) | (ranks.min(axis=1) != 1)
    places = 1 + better.sum(axis=1)
    faults[wrong | (places != ranks).any(axis=1)] = 14


@pytest.mark.parametrize(
    ("field", "value", "rule"),
    [
        ("height", 5, 1),
        ("height", 0, 2),
        ("height", 2, 2),
        ("stack", 0, 2),
        ("stack", 0b0100_0100, 2),
        ("by_height", 0, 5),
        ("top", -1, 5),
        ("underside", -1, 5),
        ("faces", 2, 5),
        ("secret", 3, 6),
    ],
)
def test_the_check_sees_a_broken_board(field, value, rule):
    """Damaged in one place, a valid position no longer passes."""
    states = GAME.new_state(0, 4)
    assert _board(states[0]) == FINE
    assert _pawns(states[0]) == FINE
    states[field][0, 1 if field == "by_height" else 0] = value  # faces: of a whole colour
    if field == "secret":
        states["secret"][0, 1] = value
    assert FINE != (_pawns if field == "secret" else _board)(states[0]) == rule


def test_the_check_sees_exchanged_discs():
    states = GAME.new_state(0, 4)
    stacks = states["stack"][0]
    other = np.flatnonzero(stacks != stacks[0])[0]
    stacks[0] = stacks[other]
    index_board(states, 0)
    assert _board(states[0]) in (3, 4)
