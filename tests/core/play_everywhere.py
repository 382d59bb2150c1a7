"""Play games in several settings through all their kernels, and print a digest of the results.

``test_nojit`` runs this compiled, and ``python tests/core/play_everywhere.py GAME ...`` in Python.
"""

from __future__ import annotations

import hashlib
import sys

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.jit import JIT_DISABLED
from ludotheque.envs.core.schema import total_size
from ludotheque.testing.contract import is_over, settings

# Observing a position takes longer than a ply, especially in plain Python.
PLIES_BETWEEN_LOOKS = 15
# Number of games in each setting of a game that is quick to play and has rare events.
GAMES_EACH = {"saga": 2, "shamans": 24}


def play(name: str) -> str:
    """Return a digest of all observations, redrawn positions, evaluations and results."""
    game, hasher = get_game(name), hashlib.sha256()
    for seed, setting in enumerate(GAMES_EACH.get(name, 1) * settings(game)):
        states = setting.deal(seed)
        for ply in range(game.max_plies):
            if is_over(states):
                break
            if ply % PLIES_BETWEEN_LOOKS == 0:
                seat = ply // PLIES_BETWEEN_LOOKS % setting.num_players
                look(game, states, [seat], ply, hasher)
            actions = np.zeros(1, np.int64)
            game.loops.random_actions(states, 0, 1, actions)
            mask = game.legal_mask(states)
            if ply % PLIES_BETWEEN_LOOKS == 0:
                legal = [game.kernels["is_legal"](states[0], a) for a in range(game.num_actions)]
                assert np.array_equal(np.array(legal, bool), mask.astype(bool))
            hasher.update(mask.tobytes())
            game.step(states, int(actions[0]))
        look(game, states, setting.seats, 0, hasher)
        hasher.update(game.digest(states).encode())
    return hasher.hexdigest()


def look(game, states, seats, seed, hasher) -> None:
    for seat in seats:
        for form in game.observation_forms:
            hasher.update(np.ascontiguousarray(game.observe(states, seat, form=form)).tobytes())
        hasher.update(game.digest(game.determinize(states, seat, seed)).encode())
        facts = np.zeros(total_size(game.hidden_facts), np.int8)
        game.kernels["hidden_facts"](states[0], seat, facts)
        hasher.update(facts.tobytes())
        points = np.zeros(len(game.categories), np.float32)
        game.kernels["points_by_category"](states[0], seat, points)
        hasher.update(points.tobytes())
        value = float(game.kernels["evaluate"](states[0], seat, game.new_memo()))
        hasher.update(f"{value:.6g}".encode())


if __name__ == "__main__":
    assert JIT_DISABLED, "in this process kernels are compiled: set NUMBA_DISABLE_JIT=1"
    for name in sys.argv[1:]:
        print(name, play(name))
