"""Kernels of agents without search."""

from __future__ import annotations

import numpy as np

from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.rng import GAMMA, below, mix64

_SHIFT_11 = np.uint64(11)
_UNIFORM = 2.0**-53

# Bound to a game's kernels by ``specialize``.
evaluate = legal_actions = step = None


@kernel
def copy_into(target, values):
    """Fill the front of ``target`` with ``values``; a slice would be copied twice."""
    for i in range(len(values)):
        target[i] = values[i]


@kernel
def choose_random(masks, seeds, actions):
    """Choose uniformly among the ones of each mask: the k-th, with k drawn from the seed."""
    for row in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        k = below(mix64(seeds[row]), count)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                if k == 0:
                    actions[row] = action
                    break
                k -= 1


@kernel
def choose_best(logits, masks, actions):
    """Choose the legal action with the highest logit, the first of equals; -1 if none is legal."""
    for row in range(len(masks)):
        actions[row] = -1
        for action in range(masks.shape[1]):
            best = actions[row]
            if masks[row, action] and (best < 0 or logits[row, action] > logits[row, best]):
                actions[row] = action


@kernel
def choose_softmax(logits, masks, seeds, temperature, actions):
    """Draw a legal action from the softmax of the logits by each row's seed; -1 if none is legal.

    The action is the first whose cumulative probability exceeds a uniform number.
    """
    choose_best(logits, masks, actions)
    for row in range(len(masks)):
        if actions[row] < 0:
            continue
        highest = np.float64(logits[row, actions[row]])
        whole = 0.0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                whole += np.exp((logits[row, action] - highest) / temperature)
        left = whole * (np.float64(mix64(seeds[row]) >> _SHIFT_11) * _UNIFORM)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                left -= np.exp((logits[row, action] - highest) / temperature)
                if left < 0.0:
                    actions[row] = action
                    break


@kernel
def takes_place(value, best, equal, word):
    """Compare a choice with the best so far, the first of ``equal``; ties by the seed ``word``.

    Returns:
        ``(takes, equal, word)``: whether it replaces the best, and the values for the next call.
        The n-th equal choice replaces the previous one with probability 1/n.
    """
    if value > best:
        return True, 1, word
    if value == best:
        equal += 1
        word += GAMMA
        return below(mix64(word), equal) == 0, equal, word
    return False, equal, word


def choose_greedy(states, masks, seeds, scratch, actions):
    """Choose the action with the highest ``evaluate`` for the seat to act; ties by seed.

    ``scratch`` is ``(trial, memo)``: one record, and the game's memory.
    """
    trial, memo = scratch
    for row in range(len(states)):
        seat = np.int64(states[row]["to_play"])
        word = seeds[row]
        best = -np.inf
        equal = 0
        for action in range(masks.shape[1]):
            if masks[row, action]:
                trial[0] = states[row]
                step(trial[0], action)
                value = evaluate(trial[0], seat, memo)
                takes, equal, word = takes_place(value, best, equal, word)
                if takes:
                    best = value
                    actions[row] = action


def value_greedy(states, masks, scratch, values):
    """Fill ``values`` (float64, per action) with ``evaluate`` after each legal action.

    ``scratch`` is ``(trial, memo)``: one record, and the game's memory.
    """
    trial, memo = scratch
    for row in range(len(states)):
        seat = np.int64(states[row]["to_play"])
        for action in range(masks.shape[1]):
            if masks[row, action]:
                trial[0] = states[row]
                step(trial[0], action)
                values[row, action] = evaluate(trial[0], seat, memo)
