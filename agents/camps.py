"""The camps in each round of a game and their results, for games with changing camps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ludotheque.envs import get_game
from ludotheque.envs.core.game import Game


class Round(NamedTuple):
    """A finished round.

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
    """Replay a game and return its rounds, in order.

    Args:
        game: the game or its name; it must define ``Game.camps``.
        seed: seed of the deal.
        actions: the actions, as in ``MatchResult.actions``.
        num_players: number of seats.
        options: the game's variants.

    Raises:
        ValueError: the game has no camps, or an argument is invalid.
        IllegalActionError: the actions are of another game.

    Example:
        >>> from ludotheque.agents.match import play_match
        >>> result = play_match("shamans", ["random"] * 3, [7])
        >>> rounds_of("shamans", 7, result.actions[0], 3)[0].winner
        'shadow'
    """
    game = get_game(game) if isinstance(game, str) else game
    if game.camps is None:
        raise ValueError(f"{game.name} has no camps: use its scores and ranks")
    states = game.new_state(seed, num_players, **options)
    rounds: list[Round] = []
    for action in actions:
        game.step(states, int(action))
        found = game.camps(states[0])
        if found is not None and found[0] == len(rounds):
            rounds.append(Round(*found))
    return rounds
