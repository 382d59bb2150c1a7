"""Harmonies, by Johan Benvenuto: landscapes of tokens and animals that settle, 1 to 4 players."""

from __future__ import annotations

from ..core.game import Game
from .actions import ACTIONS
from .components import PLAYER_COUNTS
from .heuristics import evaluate
from .hidden import determinize
from .notation import action_from_string, action_to_string
from .observation import FLAT, PLANES, observe, observe_planes
from .options import OPTIONS
from .rules import is_legal, legal_actions, random_action, returns, setup, step
from .state import DTYPE, MAX_PLIES

GAME = Game(
    name="harmonies",
    title="Harmonies",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=len(ACTIONS),
    max_plies=MAX_PLIES,
    options=OPTIONS,
    flat=FLAT,
    planes=PLANES,
    kernels={
        "setup": setup,
        "legal_actions": legal_actions,
        "is_legal": is_legal,
        "random_action": random_action,
        "step": step,
        "observe": observe,
        "observe_planes": observe_planes,
        "returns": returns,
        "determinize": determinize,
        "evaluate": evaluate,
    },
    decode_action=ACTIONS.decode,
    encode_action=ACTIONS.encode,
    action_to_string=action_to_string,
    action_from_string=action_from_string,
    targets=ACTIONS.targets,
    # Random play says little here, and `evaluate` plans a turn's tokens already; measured against
    # greedy.
    search={
        "leaf": "evaluate",
        "leaf_plies": 0,
        "leaf_scale": 10.0,
        "exploration": 0.5,
        "widening": 0.25,
    },
    training={"reward": "score_change", "reward_scale": 0.02},
)
