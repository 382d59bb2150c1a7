"""Conformance kit: checks that every environment and every game of the suite must pass.

    from ludotheque.testing import check_aec, check_game

    check_aec(lambda: my_env())              any PettingZoo AEC environment with action masks
    check_game(get_game("sarena"))           a game on the engine contract, in all its settings
    check_leaks(get_game("sarena"))          no interface shows a seat hidden information

Each check is a function that raises AssertionError. ``AEC_CHECKS`` and ``GAME_CHECKS`` list the
checks, to be used as individual tests. ``python -m ludotheque.testing.playthrough`` records games
as text, and
``python -m ludotheque.testing.docs`` writes the tables of the games' pages.
"""

from __future__ import annotations

from .conformance import AEC_CHECKS, check_aec, check_first_seat_varies, check_zero_sum
from .contract import GAME_CHECKS, Setting, check_game, settings
from .leaks import check_leaks
from .seeding import seed_everything

__all__ = [
    "AEC_CHECKS",
    "GAME_CHECKS",
    "Setting",
    "check_aec",
    "check_first_seat_varies",
    "check_game",
    "check_leaks",
    "check_zero_sum",
    "seed_everything",
    "settings",
]
