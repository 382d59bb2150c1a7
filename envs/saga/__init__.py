"""Saga, by Wolfgang Kramer and Horst-Rainer Rösner: knights and six kingdoms, 2 to 4 players."""

from __future__ import annotations

from ..core.game import Game, Option
from .components import MAX_PLIES, NUM_ACTIONS, PLAYER_COUNTS
from .fields import FLAT
from .heuristics import evaluate
from .legal import is_legal, legal_actions, random_action
from .notation import action_from_string, action_to_string, decode_action, encode_action, targets
from .options import (
    DEAL_CHOICES,
    KINGDOMS_CHOICES,
    PACKS_CHOICES,
    RETAKE_CHOICES,
    SIDES_CHOICES,
    check_options,
    read_kingdoms,
    read_packs,
    read_sides,
)
from .rules import setup, step
from .scoring import returns
from .state import DTYPE
from .table.visible import hides_action
from .views import determinize, observe

GAME = Game(
    name="saga",
    title="Saga",
    version=0,
    dtype=DTYPE,
    player_counts=PLAYER_COUNTS,
    num_actions=NUM_ACTIONS,
    max_plies=MAX_PLIES,
    options=(
        Option(
            "sides",
            SIDES_CHOICES,
            "crown",
            "of the kingdoms; mixed draws each; or six of these words, one a kingdom",
            read_sides,
        ),
        Option(
            "deal",
            DEAL_CHOICES,
            "random",
            "of the six defences: drawn, or the layout for a first game (reconstructed)",
        ),
        Option(
            "retake",
            RETAKE_CHOICES,
            "at_once",
            "a force that waits at one's own kingdom conquers, once another takes that with less, "
            "at once or when a card is added",
        ),
        Option(
            "packs",
            PACKS_CHOICES,
            "reconstructed",
            'what is in the packs; or five lists of twelve cards, as `["red", 3]`',
            read_packs,
        ),
        Option(
            "kingdoms",
            KINGDOMS_CHOICES,
            "inferred",
            "income and powers of the kingdoms; or a dict of changes, as "
            '`{"Goldland": {"income": 3}}`',
            read_kingdoms,
        ),
    ),
    flat=FLAT,
    planes=(),
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
    hides_action=hides_action,
    check_options=check_options,
    # Random play says little here; measured against greedy. Greedy plies before the evaluation
    # take five times as long.
    search={"leaf": "evaluate", "leaf_plies": 0, "leaf_scale": 10.0, "exploration": 0.5},
)
