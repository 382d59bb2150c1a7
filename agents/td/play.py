"""Kernels that play whole games and record samples and searched decisions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.jit import kernel
from ludotheque.envs.core.rewards import RANK, utilities
from ludotheque.envs.core.rng import below, decision_seed, mix64, next_seed

from ..kernels import copy_into
from .kernels import is_zero_sum, points, uniform

_TABLE = np.uint64(0xBB67AE8584CAA73B)
_SEARCHED = np.uint64(0xA54FF53A5F1D36F1)
_WATCHER = np.uint64(0x510E527FADE682D1)

# Bound to a game's kernels by ``specialize``.
setup = legal_actions = step = observe = evaluate = returns = points_by_category = None
choose = search = worth = None


class Samples(NamedTuple):
    """Positions and their outcomes, one row each.

    Attributes:
        seen: int8 ``(rows, size)``: a seat's observation: the afterstate of its action; with more
            than two players, if some decisions are searched, also that of another seat's action.
        seat: int64, the observing seat.
        base, value, target: float32: ``evaluate`` times its weight, the seat's estimated value, and
            its target.
        outcome: float32 ``(rows, 3, seats)``: final points less the rivals', score and rank of the
            seats, starting with the sample's seat; the first two divided by the spread, ranks from
            +1 to -1.
        categories: float32 ``(rows, categories)``: the seat's own final points by category, divided
            by the spread.
    """

    seen: Any
    seat: Any
    base: Any
    value: Any
    target: Any
    outcome: Any
    categories: Any


class Lessons(NamedTuple):
    """Searched decisions, one row each.

    Attributes:
        state: records, determinized for the seat to act.
        action: int16 ``(rows, candidates)``, the likeliest actions of the improved policy; -1 means
            none.
        policy: float32 ``(rows, candidates)``: the improved policy.
        value, visits: float32 ``(rows, candidates)``: the value that the search found, and the
            candidate's share of the simulations.
        used: int64 ``(1,)``: number of rows in use.
    """

    state: Any
    action: Any
    policy: Any
    value: Any
    visits: Any
    used: Any


class Taken(NamedTuple):
    """Decisions taken by the policy, one row each, in the order of ``Samples``.

    Attributes:
        first, count: int64 ``(rows,)``: position and number of a row's afterstates.
        chosen: int64 ``(rows,)``: the index of the chosen one.
        likely: float32 ``(rows,)``: its probability.
        expected: float32 ``(rows,)``: the expected value under the policy.
        seen: int8 ``(afterstates, inputs)``; base: float32 ``(afterstates,)``, ``evaluate``.
        used: int64 ``(2,)``: numbers of rows and of afterstates in use.
    """

    first: Any
    count: Any
    chosen: Any
    likely: Any
    expected: Any
    seen: Any
    base: Any
    used: Any


class Plan(NamedTuple):
    """Settings of self-play.

    Attributes:
        rows: new games are started until there are this many samples.
        temperature: of the noise added to values, or to logits with ``by_policy``.
        by_policy: whether decisions that aren't searched are taken by logits.
        limit: see ``rate``.
        trace: lambda of TD(lambda); 1 is Monte Carlo.
        rank_share: weight of the rank in the outcome; the rest is the points.
        rivalry: how much the best other score is subtracted from a seat's points: 1 is the margin,
            0 the score alone.
        spread: points that count as 1.
        search_share: fraction of decisions that are searched.
        keeps: whether decisions are kept as ``Taken``; then none are searched.
        rivals: float64, cumulative probabilities of the networks. With the first, the learner plays
            all seats; with the others, it plays one seat against that network.
    """

    rows: int
    temperature: float
    by_policy: bool
    limit: int
    trace: float
    rank_share: float
    rivalry: float
    spread: float
    search_share: float
    keeps: bool
    rivals: Any


def _no_search(state, nets, k, work, tree, seed, method):
    """Replace ``search`` where none is needed, so that it isn't compiled."""
    return 0, 0


def play_games(seed, options, nets, work, tree, plans, kept):
    """Play games until there are ``rows`` samples; return ``(samples, games, plies)``.

    ``plans`` is ``(Plan, Method)``, ``kept`` ``(Samples, Lessons, Taken)``.
    """
    plan, method = plans
    samples, lessons, taken = kept
    used, games, plies = 0, 0, 0
    lessons.used[0] = 0
    taken.used[:] = 0
    state = work.game[0]
    num_players = options[0]
    while used < plan.rows:
        setup(state, seed, options)
        learner, rival = seat_rival(seed, num_players, plan.rivals)
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
            elif not learns:
                how = (0.0, plan.by_policy, plan.limit)
                action = work.actions[choose(state, nets, rival, work, word, how)[0]]
            else:
                if uniform(mix64(word ^ _SEARCHED)) < plan.search_share:
                    node, children = search(state, nets, 0, work, tree, word, method)
                    child = tree.nodes[node]
                    action = np.int64(child["action"])
                    value = (child["total"] + child["value"]) / (child["visits"] + 1.0)
                    keep_lesson(lessons, work, tree, children, method.simulations)
                    work.trial[0] = work.known[0]
                    step(work.trial[0], action)
                    base = nets.weight[0, 0] * evaluate(work.trial[0], seat, work.memo)
                else:
                    how = (plan.temperature, plan.by_policy, plan.limit)
                    place, rated = choose(state, nets, 0, work, word, how)
                    action = work.actions[place]
                    value = work.values[place]
                    base = nets.weight[0, 0] * work.bases[place]
                    work.trial[0] = work.known[0]
                    step(work.trial[0], action)
                    if plan.keeps:
                        keep_choice(taken, work, rated, place)
                observe(work.trial[0], seat, work.best)
                used = keep_sample(samples, used, work, seat, base, value)
                # Only a search needs the values of seats that haven't acted.
                watched = num_players > 2 and plan.search_share > 0.0
                if watched and not work.trial[0]["terminated"]:
                    other = (
                        seat + 1 + below(mix64(word ^ _WATCHER), num_players - 1)
                    ) % num_players
                    if rival == 0 or other == learner:
                        base, value = worth(work.trial[0], other, nets, 0, work)
                        used = keep_sample(samples, used, work, other, base, value)
            step(state, action)
            state["last_action"] = action
            plies += 1
        returns(state, work.scores, work.ranks)
        fill_targets(samples, first, used, num_players, plan, work)
        for t in range(first, used):
            points_by_category(state, samples.seat[t], samples.categories[t])
            for k in range(samples.categories.shape[1]):
                samples.categories[t, k] /= plan.spread
        games += 1
        seed = next_seed(seed)
    return used, games, plies


@kernel
def keep_sample(samples, used, work, seat, base, value):
    """Write a sample of ``work.best``; return the new number of samples."""
    copy_into(samples.seen[used], work.best)
    samples.seat[used] = seat
    samples.base[used] = base
    samples.value[used] = value
    return used + 1


@kernel
def keep_lesson(lessons, work, tree, count, simulations):
    """Write a lesson: the likeliest children under the improved policy."""
    row = lessons.used[0]
    if row == len(lessons.action):
        return
    lessons.used[0] = row + 1
    lessons.state[row] = work.known[0]
    policy, order = tree.policy, tree.order
    width = lessons.action.shape[1]
    for j in range(count):
        order[j] = j
    for i in range(min(width, count)):
        for j in range(i + 1, count):
            if policy[order[j]] > policy[order[i]]:
                order[i], order[j] = order[j], order[i]
    whole = 0.0
    for i in range(min(width, count)):
        whole += policy[order[i]]
    for i in range(width):
        lessons.action[row, i] = -1
        lessons.policy[row, i] = lessons.value[row, i] = lessons.visits[row, i] = 0.0
        if i < count:
            child = tree.nodes[1 + order[i]]
            lessons.action[row, i] = child["action"]
            lessons.policy[row, i] = policy[order[i]] / whole
            lessons.value[row, i] = (child["total"] + child["value"]) / (child["visits"] + 1.0)
            lessons.visits[row, i] = child["visits"] / simulations


@kernel
def keep_choice(taken, work, count, place):
    """Write a decision: ``count`` actions were rated, and the one at ``place`` was chosen."""
    row, start = taken.used
    taken.used[0] = row + 1
    taken.used[1] = start + count
    highest = -np.inf
    for j in range(count):
        highest = max(highest, work.logits[j])
    whole = mean = 0.0
    for j in range(count):
        part = np.exp(work.logits[j] - highest)
        whole += part
        mean += part * work.values[j]
        taken.base[start + j] = work.bases[j]
        for i in range(taken.seen.shape[1]):
            taken.seen[start + j, i] = work.kept[j, i]
    taken.first[row] = start
    taken.count[row] = count
    taken.chosen[row] = place
    taken.likely[row] = np.exp(work.logits[place] - highest) / whole
    taken.expected[row] = mean / whole


def see_lessons(states, actions, seen, bases, scratch):
    """Fill the observations ``seen`` (int8) and ``bases`` (float32) of the lessons' afterstates.

    Args:
        states: records ``(rows,)``.
        actions: int16 ``(rows, candidates)``; -1 means none.
        seen: ``(afterstates, size)``: of the actions other than -1, row by row.
        bases: ``(afterstates,)``: their ``evaluate``.
        scratch: ``(trial, memo)``: one record, and the game's memory.
    """
    trial, memo = scratch
    place = 0
    for row in range(len(states)):
        seat = np.int64(states[row]["to_play"])
        for i in range(actions.shape[1]):
            if actions[row, i] >= 0:
                trial[0] = states[row]
                step(trial[0], np.int64(actions[row, i]))
                observe(trial[0], seat, seen[place])
                bases[place] = evaluate(trial[0], seat, memo)
                place += 1


@kernel
def seat_rival(seed, num_players, rivals):
    """Return the learner's seat and the network in the other seats; 0 is the learner itself."""
    word = mix64(seed ^ _TABLE)
    part = uniform(mix64(word)) * rivals[-1]
    rival = 0
    while rival < len(rivals) - 1 and part >= rivals[rival]:
        rival += 1
    return below(word, num_players), rival


@kernel
def fill_targets(samples, first, stop, num_players, plan, work):
    """Fill outcome and target of a game's samples, from the last to the first: TD(lambda).

    The target of a seat's last sample is its result. Earlier targets are a mixture of the value and
    the target of the seat's next sample. In a zero-sum game of two, the next sample of either seat
    is used, with the sign changed for the opponent's. Otherwise the others' values can't be used:
    with more players, those seats don't know what this one knows.
    """
    utility = work.utility
    share = plan.rank_share if num_players > 1 else 0.0
    zero_sum = is_zero_sum(num_players, plan.rivalry)
    points(work.scores, work.ranks, num_players, plan.rivalry, utility)
    for t in range(first, stop):
        for ahead in range(num_players):
            seat = (samples.seat[t] + ahead) % num_players
            samples.outcome[t, 0, ahead] = (1.0 - share) * utility[seat] / plan.spread
            samples.outcome[t, 1, ahead] = work.scores[seat] / plan.spread
    utilities(RANK, work.scores, work.ranks, num_players, utility)
    for t in range(first, stop):
        for ahead in range(num_players):
            rank = utility[(samples.seat[t] + ahead) % num_players]
            samples.outcome[t, 2, ahead] = rank
            samples.outcome[t, 0, ahead] += share * rank
    for t in range(stop - 1, first - 1, -1):
        samples.target[t] = samples.outcome[t, 0, 0]
        for later in range(t + 1, stop):
            own = samples.seat[later] == samples.seat[t]
            if own or zero_sum:
                led = (1.0 - plan.trace) * samples.value[later] + plan.trace * samples.target[later]
                samples.target[t] = led if own else -led
                break


TEMPLATES: dict[str, Any] = {"play_games": play_games, "see_lessons": see_lessons}
