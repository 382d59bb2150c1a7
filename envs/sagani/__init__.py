"""Sagani, by Uwe Rosenberg: spirits of the elements in harmony, 1 to 4 players."""

from __future__ import annotations

from ..core.game import Game, Option
from .components import CANVASES, MAX_CANVAS, MAX_PLIES, NUM_ACTIONS, PLAYER_COUNTS
from .fields import FLAT, PLANES
from .heuristics import evaluate
from .notation import action_from_string, action_to_string, decode_action, encode_action, targets
from .rules import is_legal, legal_actions, random_action, returns, setup, step
from .state import DTYPE
from .views import determinize, observe, observe_planes

GAME = Game(
    name="sagani",
    title="Sagani",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=NUM_ACTIONS,
    max_plies=MAX_PLIES,
    options=(
        Option(
            "solo",
            ("classic", "advanced"),
            "classic",
            "alone: stop at 75 points, or place all 72 tiles; several players: nothing",
        ),
        Option(
            "alignments",
            ("auto", "choice"),
            "auto",
            "discs move onto arrows at once wherever they can, or each is a decision",
        ),
        Option(
            "canvas",
            CANVASES,
            MAX_CANVAS,
            "side of the square that the tiles of a table must fit in",
        ),
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
    # Random play ends far below zero points, so playouts say little; measured against greedy.
    search={
        "leaf": "evaluate",
        "leaf_plies": 6,
        "leaf_scale": 10.0,
        "exploration": 0.5,
        "widening": 0.25,
    },
    # Whoever learns from wins alone beats random play at 50 points below zero and stays there.
    training={"reward": "score_change", "reward_scale": 0.02},
)
