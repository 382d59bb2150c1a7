"""Beliefs: probabilities of hidden facts, given a seat's observation.

A network assigns each hidden fact (``Game.hidden_facts``: who has which role, card or pawn) a score
based on the seat's observation. The sum of the scores of a record's facts is, up to a constant, the
logarithm of how much likelier the record is than under ``determinize``, which samples uniformly:
the network learns to distinguish the true record from uniform redraws, which it does best when its
sums are those ratios (Oord, Li and Vinyals, "Representation learning with contrastive predictive
coding", 2018). A search samples in proportion to them by sampling importance resampling (Rubin,
1987): it picks one of several uniform draws, by weight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.game import Game
from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.rng import GAMMA, mix64
from ludotheque.envs.core.schema import total_size

from ..kernels import copy_into
from .kernels import uniform

_DRAW = np.uint64(0x9B05688C2B3E6C1F)
_TAKE = np.uint64(0x1F83D9ABFB41BD6B)
TRIES = 8  # uniform draws from which one is picked
_MOST_SCORE = 300.0  # larger scores mean certainty, and would overflow

# Bound to a game's kernels by ``specialize``.
determinize = hidden_facts = observe = likelihood = None


class Belief(NamedTuple):
    """A search's beliefs, and work arrays for drawing.

    Attributes:
        scores: float64, per hidden fact; if empty, all draws are equally likely.
        facts: int8, per hidden fact: of a drawn record.
        spare: one record.
    """

    scores: Any
    facts: Any
    spare: Any


class BeliefNet(NamedTuple):
    """A network of one hidden layer with ReLU, from the model's inputs to scores.

    Attributes:
        first: float32 ``(inputs, width)``; first_bias: ``(width,)``.
        last: float32 ``(facts, width)``; last_bias: ``(facts,)``.
    """

    first: Any
    first_bias: Any
    last: Any
    last_bias: Any


def make_belief(game: Game, believes: bool) -> Belief:
    """Return work arrays for one thread; without beliefs, draws are uniform."""
    facts = total_size(game.hidden_facts)
    return Belief(
        scores=np.zeros(facts if believes else 0),
        facts=np.zeros(facts, np.int8),
        spare=game.new_states(1),
    )


def _likelihood(state, seat, belief):
    """Return the likelihood of a record, up to a constant."""
    hidden_facts(state, seat, belief.facts)
    score = 0.0
    for fact in range(len(belief.scores)):
        if belief.facts[fact]:
            score += belief.scores[fact] * belief.facts[fact]
    return np.exp(min(max(score, -_MOST_SCORE), _MOST_SCORE))


def _redraw(drawn, state, seat, seed, belief):
    """Put a determinization of a record for ``seat`` into ``drawn``, weighted by its beliefs.

    Each draw replaces the previous choice with a probability equal to its share of the total
    weight so far.
    """
    drawn[0] = state
    determinize(drawn[0], seat, seed)
    if len(belief.scores) == 0:
        return
    whole = likelihood(drawn[0], seat, belief)
    word = seed
    for _ in range(1, TRIES):
        word += GAMMA
        belief.spare[0] = state
        determinize(belief.spare[0], seat, mix64(word ^ _DRAW))
        part = likelihood(belief.spare[0], seat, belief)
        whole += part
        if uniform(mix64(word ^ _TAKE)) * whole < part:
            drawn[0] = belief.spare[0]


@kernel
def score_facts(seen, net, scores):
    """Fill the scores of the facts, given the network's inputs."""
    copy_into(scores, net.last_bias)
    for j in range(len(net.first_bias)):
        unit = np.float64(net.first_bias[j])
        for i in range(len(seen)):
            if seen[i]:
                unit += np.float64(net.first[i, j]) * seen[i]
        if unit > 0.0:
            for fact in range(len(scores)):
                scores[fact] += unit * net.last[fact, j]


def believe_rows(states, start, stop, net, how, scores):
    """Fill the scores of the facts hidden from the seat to act, one row per record.

    ``how`` is ``(positions, seen, inputs)``: the positions of the network's inputs in the
    observation, and int8 work arrays for the observation and the inputs.
    """
    positions, seen, inputs = how
    for row in range(start, stop):
        observe(states[row], np.int64(states[row]["to_play"]), seen)
        for i in range(len(positions)):
            inputs[i] = seen[positions[i]]
        score_facts(inputs, net, scores[row])


def draw_facts(states, seeds, spare, facts):
    """Fill the facts hidden from the seat to act: the true ones and those of uniform redraws.

    ``facts`` is int8 ``(n, 1 + draws, facts)``, the true ones first. ``spare`` is one record.
    """
    for row in range(len(states)):
        seat = np.int64(states[row]["to_play"])
        hidden_facts(states[row], seat, facts[row, 0])
        word = seeds[row]
        for k in range(1, facts.shape[1]):
            word += GAMMA
            spare[0] = states[row]
            determinize(spare[0], seat, mix64(word))
            hidden_facts(spare[0], seat, facts[row, k])


# Each template comes after those it calls.
TEMPLATES: dict[str, Any] = {
    "likelihood": _likelihood,
    "redraw": _redraw,
    "believe_rows": believe_rows,
}
LEARNING: dict[str, Any] = {"believe_rows": believe_rows, "draw_facts": draw_facts}
