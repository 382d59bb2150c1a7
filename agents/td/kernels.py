"""Kernels that value afterstates, choose by these values and play whole games with them.

An afterstate is what a seat sees after one of its actions. Its value is the game's ``evaluate``
times a weight, and what a small network makes of the seat's observation. The afterstates of one
decision differ little from each other, so the sums of the first layer are carried from each to the
next by what has changed.

Chance and hidden things are drawn anew before the actions are tried, once for all of them: what the
record holds of them plays no part.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.rewards import MARGIN, RANK, utilities
from ludotheque.envs.core.rng import GAMMA, below, decision_seed, mix64, next_seed

_SHIFT_11 = np.uint64(11)
_UNIFORM = 2.0**-53
_TRIAL = np.uint64(0x6A09E667F3BCC909)
_TABLE = np.uint64(0xBB67AE8584CAA73B)
_NOISE = np.uint64(0x3C6EF372FE94F82B)
_WORD = 8  # numbers of an observation that are compared at once

# Bound to a game's kernels by ``specialize``.
setup = legal_actions = step = observe = determinize = evaluate = returns = None
choose = None


class Nets(NamedTuple):
    """Networks of one shape, one after the other.

    Attributes:
        rows: int32, one entry a number of the padded observation: its row of ``first``, or -1.
        first: float32 ``(nets, inputs, width)``; first_bias: ``(nets, width)``.
        second: float32 ``(nets, width, last_width)``; second_bias: ``(nets, last_width)``.
        last: float32 ``(nets, last_width)``; last_bias: ``(nets,)``.
        weight: float64 ``(nets,)``: what ``evaluate`` is multiplied by.
    """

    rows: Any
    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any
    last_bias: Any
    weight: Any


class Work(NamedTuple):
    """Arrays that the kernels work in, so that they allocate nothing.

    Attributes:
        game, known, trial: one record each: of the game, with the hidden drawn anew, of an action
            tried.
        mask: int8, one entry an action.
        seen: int8 ``(3, size)``, observations, padded with zeros to whole words: of the last
            afterstate and of this one, in turn; the third stays zero. words: the same as uint64.
        best: int8, the observation of the afterstate chosen.
        sums, hidden: float32, one entry a unit of the two layers.
        scores, ranks, utility: one entry a seat.
    """

    game: Any
    known: Any
    trial: Any
    mask: Any
    seen: Any
    words: Any
    best: Any
    sums: Any
    hidden: Any
    scores: Any
    ranks: Any
    utility: Any


class Samples(NamedTuple):
    """Decisions that were taken, a row each.

    Attributes:
        seen: int8 ``(rows, size)``, the afterstate chosen, as its seat saw it.
        seat: int64; base, value, target: float32: ``evaluate`` times its weight, the value, and
            what the value should have been.
        outcome: float32 ``(rows, 3, seats)``: margin, score and rank of the seats at the end, from
            the sample's seat on; the first two divided by the spread, the rank from +1 to -1.
    """

    seen: Any
    seat: Any
    base: Any
    value: Any
    target: Any
    outcome: Any


class Plan(NamedTuple):
    """How games are played for samples.

    Attributes:
        rows: games are begun until there are so many.
        temperature: of the noise that is added to values.
        trace: lambda of TD(lambda); 1 is Monte Carlo.
        rank_share: of the rank in what is learned, the rest is the margin.
        spread: points that count as 1.
        rivals: float64, cumulated chances of the networks; a game at the first is played by the
            learner alone, in others it has one seat against the network drawn.
    """

    rows: int
    temperature: float
    trace: float
    rank_share: float
    spread: float
    rivals: Any


@kernel
def uniform(word):
    """Map a uint64 to a float64 from 0 up to 1."""
    return np.float64(word >> _SHIFT_11) * _UNIFORM


@kernel
def add_changes(nets, k, work, now, before):
    """Bring the sums of the first layer from observation ``before`` to ``now``."""
    old, new = work.seen[before], work.seen[now]
    old_words, new_words = work.words[before], work.words[now]
    sums = work.sums
    for word in range(len(new_words)):
        if old_words[word] != new_words[word]:
            for i in range(_WORD * word, _WORD * word + _WORD):
                change = np.int64(new[i]) - np.int64(old[i])
                row = np.int64(nets.rows[i])
                if change != 0 and row >= 0:
                    x = np.float32(change)
                    weights = nets.first[k, row]
                    for j in range(len(sums)):
                        sums[j] += x * weights[j]


@kernel
def finish(nets, k, work):
    """Return what network ``k`` makes of the sums of its first layer."""
    sums, hidden = work.sums, work.hidden
    for m in range(len(hidden)):
        hidden[m] = nets.second_bias[k, m]
    for j in range(len(sums)):
        x = sums[j]
        if x > 0.0:
            weights = nets.second[k, j]
            for m in range(len(hidden)):
                hidden[m] += x * weights[m]
    total = np.float64(nets.last_bias[k])
    for m in range(len(hidden)):
        if hidden[m] > 0.0:
            total += np.float64(hidden[m] * nets.last[k, m])
    return total


def _choose(state, nets, k, work, seed, temperature):
    """Choose among the actions of ``work.mask``; return ``(action, base, value)``.

    The value is that of the afterstate, without the noise. ``work.best`` gets its observation.
    Equal values are told apart by the seed, as the greedy agent does.
    """
    seat = np.int64(state["to_play"])
    size = len(work.best)
    work.known[0] = state
    determinize(work.known[0], seat, mix64(seed ^ _TRIAL))
    for j in range(len(work.sums)):
        work.sums[j] = nets.first_bias[k, j]
    word = seed
    noise = seed ^ _NOISE
    best = -np.inf
    equal = 0
    chosen, chosen_base, chosen_value = -1, 0.0, 0.0
    now, before = 0, 2
    for action in range(len(work.mask)):
        if work.mask[action]:
            work.trial[0] = work.known[0]
            step(work.trial[0], action)
            observe(work.trial[0], seat, work.seen[now, :size])
            add_changes(nets, k, work, now, before)
            base = nets.weight[k] * evaluate(work.trial[0], seat)
            value = base + finish(nets, k, work)
            key = value
            if temperature > 0.0:
                noise += GAMMA
                key -= temperature * np.log(-np.log(uniform(mix64(noise)) + 1e-300) + 1e-300)
            takes = key > best
            if takes:
                equal = 1
            elif key == best:
                # The n-th equal action replaces the one before with chance 1/n.
                equal += 1
                word += GAMMA
                takes = below(mix64(word), equal) == 0
            if takes:
                best = key
                chosen, chosen_base, chosen_value = action, base, value
                work.best[:] = work.seen[now, :size]
            before = now
            now = 1 - now
    return chosen, chosen_base, chosen_value


def choose_rows(states, start, stop, asked, nets, work, temperature, actions):
    """Choose for each record; ``asked`` is ``(masks, seeds)``, ``actions`` (int64) the choices."""
    masks, seeds = asked
    for row in range(start, stop):
        work.mask[:] = masks[row]
        actions[row] = choose(states[row], nets, 0, work, seeds[row], temperature)[0]


def play_games(seed, options, nets, plan, work, samples):
    """Play games until there are ``plan.rows`` samples; return ``(samples, games, plies)``."""
    used, games, plies = 0, 0, 0
    state = work.game[0]
    num_players = options[0]
    while used < plan.rows:
        setup(state, seed, options)
        learner, rival = _seat_rival(seed, num_players, plan.rivals)
        first = used
        while not (state["terminated"] or state["truncated"]):
            count = legal_actions(state, work.mask)
            seat = np.int64(state["to_play"])
            learns = rival == 0 or seat == learner
            word = decision_seed(seed, state["ply"])
            if count == 1:
                action = np.int64(0)
                while not work.mask[action]:
                    action += 1
            else:
                temperature = plan.temperature if learns else 0.0
                k = 0 if learns else rival
                action, base, value = choose(state, nets, k, work, word, temperature)
                if learns:
                    samples.seen[used, : len(work.best)] = work.best
                    samples.seat[used] = seat
                    samples.base[used] = base
                    samples.value[used] = value
                    used += 1
            step(state, action)
            state["last_action"] = action
            plies += 1
        returns(state, work.scores, work.ranks)
        _fill_targets(samples, first, used, num_players, plan, work)
        games += 1
        seed = next_seed(seed)
    return used, games, plies


@kernel
def _seat_rival(seed, num_players, rivals):
    """Return the learner's seat and the network at the other seats; 0: the learner itself."""
    word = mix64(seed ^ _TABLE)
    part = uniform(mix64(word)) * rivals[-1]
    rival = 0
    while rival < len(rivals) - 1 and part >= rivals[rival]:
        rival += 1
    return below(word, num_players), rival


@kernel
def _fill_targets(samples, first, stop, num_players, plan, work):
    """Fill outcome and target of a game's samples, from the last to the first.

    A seat's target is its result, or is led back from its own next decision: TD(lambda).
    """
    utility = work.utility
    utilities(MARGIN, work.scores, work.ranks, num_players, utility)
    for t in range(first, stop):
        for ahead in range(num_players):
            seat = (samples.seat[t] + ahead) % num_players
            samples.outcome[t, 0, ahead] = utility[seat] / plan.spread
            samples.outcome[t, 1, ahead] = work.scores[seat] / plan.spread
    utilities(RANK, work.scores, work.ranks, num_players, utility)
    share = plan.rank_share if num_players > 1 else 0.0
    for t in range(stop - 1, first - 1, -1):
        for ahead in range(num_players):
            rank = utility[(samples.seat[t] + ahead) % num_players]
            samples.outcome[t, 2, ahead] = rank
            samples.outcome[t, 0, ahead] *= 1.0 - share
            samples.outcome[t, 0, ahead] += share * rank
        samples.target[t] = samples.outcome[t, 0, 0]
        # The seat's own next decision has its target already.
        for later in range(t + 1, stop):
            if samples.seat[later] == samples.seat[t]:
                ahead_value = (1.0 - plan.trace) * samples.value[later]
                samples.target[t] = ahead_value + plan.trace * samples.target[later]
                break


# In an order in which each comes after those that it calls.
TEMPLATES = {"choose": _choose, "choose_rows": choose_rows, "play_games": play_games}
