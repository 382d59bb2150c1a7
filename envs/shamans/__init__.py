"""Shamans, by Cédrick Chaboussit: hidden roles, tricks and rituals, 3 to 5 players."""

from __future__ import annotations

from ..core.game import Game
from .components import NUM_ACTIONS, PLAYER_COUNTS
from .fields import FLAT, PLANES
from .heuristics import evaluate
from .hidden import determinize
from .notation import action_from_string, action_to_string, decode_action, encode_action, targets
from .options import OPTIONS
from .rules import MAX_PLIES, is_legal, legal_actions, random_action, returns, setup, step
from .state import DTYPE, camps_of_round, hides_action
from .views import observe

GAME = Game(
    name="shamans",
    title="Shamans",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=NUM_ACTIONS,
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
        "returns": returns,
        "determinize": determinize,
        "evaluate": evaluate,
    },
    decode_action=decode_action,
    encode_action=encode_action,
    action_to_string=action_to_string,
    action_from_string=action_from_string,
    targets=targets,
    camps=camps_of_round,
    hides_action=hides_action,
    # Random players hardly ever follow, so playouts say little; measured against greedy.
    search={"leaf": "evaluate", "leaf_plies": 12, "leaf_scale": 3.0},
)
