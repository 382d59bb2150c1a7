"""Sàrèná, by Christophe Boelinger: stacks of two-faced discs and secret colours, 2 to 4 players."""

from __future__ import annotations

from ..core.game import Game, Option
from .components import NUM_ACTIONS, PLAYER_COUNTS
from .heuristics import evaluate
from .notation import action_from_string, action_to_string, decode_action, encode_action, targets
from .rules import is_legal, legal_actions, random_action, returns, setup, step
from .state import DTYPE
from .views import FLAT, MAX_PLIES, PLANES, determinize, observe, observe_planes

GAME = Game(
    name="sarena",
    title="Sàrèná",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=NUM_ACTIONS,
    max_plies=MAX_PLIES,
    options=(
        Option(
            "deal",
            ("random", "balanced"),
            "random",
            "discs face up at random, or every colour on top of exactly nine",
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
)
