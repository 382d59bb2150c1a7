"""Harmonies, by Johan Benvenuto: landscapes of tokens and animals that settle, 1 to 4 players."""

from __future__ import annotations

from ..core.game import Game, Option
from .components import NUM_ACTIONS, PLAYER_COUNTS, SIDES
from .heuristics import evaluate
from .notation import action_from_string, action_to_string, decode_action, encode_action, targets
from .rules import is_legal, legal_actions, random_action, returns, setup, step
from .state import DTYPE
from .views import FLAT, MAX_PLIES, PLANES, determinize, observe, observe_planes

GAME = Game(
    name="harmonies",
    title="Harmonies",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=NUM_ACTIONS,
    max_plies=MAX_PLIES,
    options=(
        Option("side", SIDES, "A", "of the boards: A scores the longest river, B islands"),
        Option("spirits", (False, True), False, "with Nature's Spirit cards"),
    ),
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
    decode_action=decode_action,
    encode_action=encode_action,
    action_to_string=action_to_string,
    action_from_string=action_from_string,
    targets=targets,
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
