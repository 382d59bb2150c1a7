"""Training data of the policy: searched decisions, or a round's decisions as they were taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ludotheque.envs.core.game import Game

from .agent import compile_for
from .config import PolicyConfig, SearchConfig
from .learner import Choices, Lesson
from .model import form_of
from .selfplay import Played, Window

# Records and actions → the afterstates and their bases: see ``see_afterstates``.
See = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def lesson(window: Window, rows: np.ndarray, config: SearchConfig, see: See) -> Lesson:
    """Return rows of the searched decisions in the learner's form."""
    drawn = {name: array[rows] for name, array in window.arrays.items()}
    seen, base = see(drawn["state"], drawn["action"])
    return Lesson(
        seen=seen,
        base=base,
        policy=drawn["policy"],
        missing=drawn["action"] < 0,
        value=drawn["value"],
        visits=drawn["visits"],
        sharpness=config.sharpness,
        weights=(config.lesson_weight, config.value_weight),
    )


def choices(
    played: Played, config: PolicyConfig, rng: np.random.Generator, weight: float
) -> Iterator[Choices]:
    """Yield minibatches of a round's decisions for ``epochs`` epochs, shuffled in each.

    ``weight`` is the weight of ``evaluate`` in the value.
    """
    taken = played.taken
    base = taken.base * np.float32(weight)
    advantage = played.samples.target - taken.expected
    advantage /= advantage.std() + 1e-6
    before = np.log(taken.likely)
    for _ in range(config.epochs):
        order = rng.permutation(len(taken.first))
        for start in range(0, len(order), config.choice_batch):
            some = order[start : start + config.choice_batch]
            count = taken.count[some]
            # Offset from each decision's afterstates in the minibatch to those in ``taken``.
            moved = np.repeat(taken.first[some] - (np.cumsum(count) - count), count)
            where = moved + np.arange(len(moved))
            yield Choices(
                seen=taken.seen[where],
                base=base[where],
                missing=np.arange(count.max()) >= count[:, None],
                before=before[some],
                chosen=taken.chosen[some],
                advantage=advantage[some],
                sharpness=config.sharpness,
                clip=config.clip,
                entropy=config.entropy,
            )


def see_afterstates(
    game: Game, states: np.ndarray, actions: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the afterstate of each action for the seat to act, and its ``evaluate``.

    Args:
        game: the game.
        states: determinized records ``(rows,)``.
        actions: int16 ``(rows, candidates)``; -1 means none.

    Returns:
        int8 ``(n, size)`` and float32 ``(n,)``, row by row.
    """
    seen = np.empty(((actions >= 0).sum(), game.observation_size(form_of(game))), np.int8)
    bases = np.empty(len(seen), np.float32)
    see_lessons = compile_for(game, "play and search").see_lessons
    see_lessons(states, actions, seen, bases, (game.new_states(1), game.new_memo()))
    return seen, bases
