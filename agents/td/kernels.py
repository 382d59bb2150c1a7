"""Kernels that value afterstates and choose actions by these values.

An afterstate is a seat's observation after one of its actions. Its value is a weight times the
game's ``evaluate``, plus the output of a small network for the observation; its logit, which
determines how likely the policy is to choose the action, is computed in the same way. The
afterstates of one decision are similar, so the sums of the first layer are updated incrementally
from each to the next.

Chance and hidden information are resampled once per decision, before the actions are tried: their
actual values in the record play no part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.rewards import MARGIN, utilities
from ludotheque.envs.core.rng import GAMMA, mix64

from ..kernels import copy_into, takes_place

_SHIFT_11 = np.uint64(11)
_UNIFORM = 2.0**-53
_TRIAL = np.uint64(0x6A09E667F3BCC909)
_NOISE = np.uint64(0x3C6EF372FE94F82B)
_WORD = 8  # entries of an observation that are compared at once

# Bound to a game's kernels by ``specialize``.
step = observe = determinize = evaluate = glance = None
rate = choose = None


class Nets(NamedTuple):
    """Stacked networks of one shape.

    Attributes:
        rows: int32, per entry of the padded observation: its row in ``first``, or -1.
        first: float32 ``(nets, inputs, width)``; first_bias: ``(nets, width)``.
        second: float32 ``(nets, width, last_width)``; second_bias: ``(nets, last_width)``.
        last: float32 ``(nets, seats, last_width)``; last_bias: ``(nets, seats)``. The first seat is
            the observing one, whose ``evaluate`` is added.
        policy: float32 ``(nets, last_width)``: the logit's last layer.
        weight: float64 ``(nets, 2)``: the factors of ``evaluate`` in value and logit.
    """

    rows: Any
    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any
    last_bias: Any
    policy: Any
    weight: Any


class Work(NamedTuple):
    """Work arrays, so that the kernels don't allocate memory.

    Attributes:
        game, known, trial: one record each: of the game, determinized, and after an action tried.
        mask: int8, per action.
        actions, bases, values, logits: int64 and float64, per action: those tried, their
            ``evaluate``, and the value and logit of each. sorted: ``bases`` sorted.
        seen: int8 ``(3, size)``: observations padded with zeros to whole words: the current and
            the previous afterstate, alternately; the third stays zero. words: a uint64 view of it.
        best: int8, one observation.
        kept: int8 ``(actions, inputs)``: the network's inputs for each rated action; or no rows.
        sums, hidden: float32, per unit of the two layers.
        scores, ranks, utility: per seat.
        memo: the game's memory.
    """

    game: Any
    known: Any
    trial: Any
    mask: Any
    actions: Any
    bases: Any
    values: Any
    logits: Any
    sorted: Any
    seen: Any
    words: Any
    best: Any
    kept: Any
    sums: Any
    hidden: Any
    scores: Any
    ranks: Any
    utility: Any
    memo: Any


@kernel
def points(scores, ranks, num_players, rivalry, out):
    """Fill ``out[seat]`` with each seat's score, less ``rivalry`` times the best other score."""
    utilities(MARGIN, scores, ranks, num_players, out)
    for seat in range(num_players):
        out[seat] = rivalry * out[seat] + (1.0 - rivalry) * scores[seat]


@kernel
def is_zero_sum(num_players, rivalry):
    """Return whether one seat's gain is the other's loss."""
    return num_players == 2 and rivalry == 1.0


@kernel
def uniform(word):
    """Map a uint64 to a float64 in [0, 1)."""
    return np.float64(word >> _SHIFT_11) * _UNIFORM


@kernel
def add_changes(nets, k, work, now, before):
    """Update the sums of the first layer from observation ``before`` to ``now``."""
    seen, words, sums, rows, first = work.seen, work.words, work.sums, nets.rows, nets.first
    width = first.shape[2]
    for word in range(words.shape[1]):
        if words[before, word] != words[now, word]:
            for i in range(_WORD * word, _WORD * word + _WORD):
                change = np.int64(seen[now, i]) - np.int64(seen[before, i])
                row = np.int64(rows[i])
                if change != 0 and row >= 0:
                    x = np.float32(change)
                    for j in range(width):
                        sums[j] += x * first[k, row, j]


@kernel
def finish(nets, k, work):
    """Return the outputs ``(value, logit)`` of network ``k``, given the sums of its first layer."""
    sums, hidden, second = work.sums, work.hidden, nets.second
    last, policy = nets.last, nets.policy
    width, last_width = second.shape[1], second.shape[2]
    for m in range(last_width):
        hidden[m] = nets.second_bias[k, m]
    for j in range(width):
        x = sums[j]
        if x > 0.0:
            for m in range(last_width):
                hidden[m] += x * second[k, j, m]
    value = np.float64(nets.last_bias[k, 0])
    logit = 0.0
    for m in range(last_width):
        if hidden[m] > 0.0:
            value += np.float64(hidden[m] * last[k, 0, m])
            logit += np.float64(hidden[m] * policy[k, m])
    return value, logit


@kernel
def begin_sums(nets, k, work):
    """Set the sums of the first layer to those of an all-zero observation."""
    for j in range(len(work.sums)):
        work.sums[j] = nets.first_bias[k, j]


@kernel
def gumbel(word):
    """Map a uint64 to a sample (float64) from the standard Gumbel distribution."""
    return -np.log(-np.log(uniform(word) + 1e-300) + 1e-300)


@kernel
def keep_best(work, count, limit):
    """Keep the ``limit`` actions with the highest ``work.bases``, without reordering them."""
    for j in range(count):
        work.sorted[j] = work.bases[j]
    for i in range(limit):
        for j in range(i + 1, count):
            if work.sorted[j] > work.sorted[i]:
                work.sorted[i], work.sorted[j] = work.sorted[j], work.sorted[i]
    last = work.sorted[limit - 1]
    equal = limit
    for i in range(limit):
        equal -= work.sorted[i] > last
    kept = 0
    for j in range(count):
        if work.bases[j] == last:
            equal -= 1
        if work.bases[j] > last or (work.bases[j] == last and equal >= 0):
            work.actions[kept] = work.actions[j]
            work.bases[kept] = work.bases[j]
            kept += 1


def _rate(state, nets, k, work, limit):
    """Try the actions of ``work.mask`` in a record and rate them; return how many are listed.

    If there are more than ``limit`` actions, only those with the highest ``glance`` are listed.
    """
    seat = np.int64(state["to_play"])
    size = len(work.best)
    count = 0
    for action in range(len(work.mask)):
        if work.mask[action]:
            work.actions[count] = action
            count += 1
    if count > limit:
        for j in range(count):
            work.trial[0] = state
            step(work.trial[0], work.actions[j])
            work.bases[j] = glance(work.trial[0], seat, work.memo)
        keep_best(work, count, limit)
        count = limit
    begin_sums(nets, k, work)
    now, before = 0, 2
    for j in range(count):
        work.trial[0] = state
        step(work.trial[0], work.actions[j])
        work.bases[j] = evaluate(work.trial[0], seat, work.memo)
        observe(work.trial[0], seat, work.seen[now, :size])
        if j < len(work.kept):
            for i in range(size):
                if nets.rows[i] >= 0:
                    work.kept[j, nets.rows[i]] = work.seen[now, i]
        add_changes(nets, k, work, now, before)
        value, logit = finish(nets, k, work)
        work.values[j] = value + nets.weight[k, 0] * work.bases[j]
        work.logits[j] = logit + nets.weight[k, 1] * work.bases[j]
        before = now
        now = 1 - now
    return count


def _worth(state, seat, nets, k, work):
    """Return ``(base, value)`` of a position for ``seat``; put its observation in ``work.best``.

    ``base`` is the share of ``evaluate`` in the value.
    """
    size = len(work.best)
    observe(state, seat, work.seen[0, :size])
    begin_sums(nets, k, work)
    add_changes(nets, k, work, 0, 2)
    for i in range(size):
        work.best[i] = work.seen[0, i]
    base = nets.weight[k, 0] * evaluate(state, seat, work.memo)
    return base, base + finish(nets, k, work)[0]


def _choose(state, nets, k, work, seed, how):
    """Rate the actions of ``work.mask``; return the index of the best in ``work.actions``, and the
    number of actions there.

    ``how`` is ``(temperature, by_policy, limit)``: the temperature of the noise, whether to compare
    logits instead of values, and the limit of ``rate``. The seed breaks ties, as in the greedy
    agent.
    """
    temperature, by_policy, limit = how
    work.known[0] = state
    determinize(work.known[0], np.int64(state["to_play"]), mix64(seed ^ _TRIAL))
    count = rate(work.known[0], nets, k, work, limit)
    word = seed
    noise = seed ^ _NOISE
    best = -np.inf
    equal = 0
    chosen = 0  # remains so if all keys are NaN
    for j in range(count):
        key = work.logits[j] if by_policy else work.values[j]
        if temperature > 0.0:
            noise += GAMMA
            key += temperature * gumbel(mix64(noise))
        takes, equal, word = takes_place(key, best, equal, word)
        if takes:
            best = key
            chosen = j
    return chosen, count


def choose_rows(states, start, stop, asked, nets, work, how, actions):
    """Fill ``actions`` (int64) with a choice for each record; ``asked`` is ``(masks, seeds)``."""
    masks, seeds = asked
    for row in range(start, stop):
        copy_into(work.mask, masks[row])
        actions[row] = work.actions[choose(states[row], nets, 0, work, seeds[row], how)[0]]


def value_rows(states, start, stop, asked, nets, work, values):
    """Fill ``values`` (float64, per action) with the value of each legal action."""
    masks, seeds = asked
    how = (0.0, False, masks.shape[1])
    for row in range(start, stop):
        copy_into(work.mask, masks[row])
        count = choose(states[row], nets, 0, work, seeds[row], how)[1]
        for j in range(count):
            values[row, work.actions[j]] = work.values[j]


# Each template comes after those it calls.
TEMPLATES: dict[str, Any] = {
    "rate": _rate,
    "worth": _worth,
    "choose": _choose,
    "choose_rows": choose_rows,
    "value_rows": value_rows,
}
