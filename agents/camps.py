"""Who was on which side in each round of a game, and which side won: for games of camps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ludotheque.envs import get_game
from ludotheque.envs.core.game import Game


class Round(NamedTuple):
    """A round that has ended.

    Attributes:
        number: from 0.
        camps: name of the camp of each seat at the end.
        winner: the camp that won.
    """

    number: int
    camps: tuple[str, ...]
    winner: str


def rounds_of(
    game: str | Game,
    seed: int,
    actions: Sequence[int],
    num_players: int | None = None,
    **options: Any,
) -> list[Round]:
    """Play a game again and return its rounds, in order.

    Args:
        game: name of the game, or the game; one that says who was in which camp (``Game.camps``).
        seed: of the deal.
        actions: the game's, as in ``MatchResult.actions``.
        num_players: seats.
        options: the game's variants.

    Raises:
        ValueError: a game without camps, or a wrong argument.
        IllegalActionError: the actions are of another game.

    Example:
        >>> from ludotheque.agents.match import play_match
        >>> result = play_match("shamans", ["random"] * 3, [7])
        >>> rounds_of("shamans", 7, result.actions[0], 3)[0].winner
        'shadow'
    """
    game = get_game(game) if isinstance(game, str) else game
    if game.camps is None:
        raise ValueError(f"{game.name} has no camps: look at its scores and ranks")
    states = game.new_state(seed, num_players, **options)
    rounds: list[Round] = []
    for action in actions:
        game.step(states, int(action))
        found = game.camps(states[0])
        if found is not None and found[0] == len(rounds):
            rounds.append(Round(*found))
    return rounds
