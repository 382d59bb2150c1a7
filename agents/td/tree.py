"""Tree search with the values and logits of afterstates at its nodes, for few simulations.

The root follows Danihelka et al. ("Policy improvement by planning with Gumbel", ICLR 2022):
candidates are sampled without replacement by adding Gumbel noise to the logits, sequential halving
distributes the simulations among them, and the values found, completed for the other actions, give
an improved policy. Below the root, the search uses PUCT with a utility per seat.

Each simulation resamples chance and what the root's seat can't know. The n-th visit of every
candidate uses the same draws, so candidates are compared under equal luck.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.rewards import RANK, utilities
from ludotheque.envs.core.rng import GAMMA, mix64

from .. import search as mcts
from ..kernels import copy_into
from . import beliefs
from .kernels import _NOISE, _TRIAL, gumbel, is_zero_sum, points

# Bound to a game's kernels by ``specialize``.
legal_actions = step = redraw = evaluate = final = play_out = None
best_untried = margins = evaluate_leaf = None
rate = worth = expand = pick_child = weigh = results = see_leaf = play_on = descend = None
halve = improve = search = None

# ``seat`` chose ``action``; ``total`` sums that seat's utilities; ``value`` and ``logit`` are those
# of the afterstate. ``pruned``: some legal actions got no child, as they looked too weak.
NODE = np.dtype(
    [
        ("first", np.int32),
        ("next", np.int32),
        ("visits", np.int32),
        ("total", np.float32),
        ("logit", np.float32),
        ("value", np.float32),
        ("action", np.int16),
        ("seat", np.int8),
        ("pruned", np.int8),
    ],
    align=True,
)
NONE = -1


class Method(NamedTuple):
    """Settings of the search.

    Attributes:
        simulations: number of simulations from the root.
        candidates: number of root actions that are searched.
        limit: maximum number of children per expansion, chosen by ``glance``.
        exploration: weight of exploration below the root.
        noise: weight of the Gumbel noise at the root; 0 to play the best action.
        scale: how much a utility of 1 adds to a logit.
        spread, rank_share, rivalry: of the utilities, as in ``Plan``.
        playouts: weight of a playout in a leaf's utilities, 0 to 1; the rest is the network's.
        greedy: whether playouts are greedy, with the length and evaluation given by ``leaf``;
            otherwise they are random and go to the end of the game.
        leaf: settings of greedy playouts, as in ``mcts``.
    """

    simulations: int
    candidates: int
    limit: int
    exploration: float
    noise: float
    scale: float
    spread: float
    rank_share: float
    rivalry: float
    playouts: float
    greedy: bool
    leaf: mcts.Method


class Tree(NamedTuple):
    """Work arrays of a search.

    Attributes:
        nodes: ``NODE``; number 0 is the root, followed by its children.
        path: int32, the nodes of a simulation.
        game: one record, of a simulation.
        legal: int8, per action.
        score: float64, per root child: its logit with noise.
        order: int64, root children, best first.
        policy: float64, per root child: the improved policy.
        belief: a ``Belief``.
        playout: work arrays of greedy playouts; their record is ``game``.
    """

    nodes: Any
    path: Any
    game: Any
    legal: Any
    score: Any
    order: Any
    policy: Any
    belief: Any
    playout: mcts.Scratch


def _expand(tree, used, parent, state, nets, k, work, limit):
    """Add children for the actions of ``work.mask``; return the new number of nodes."""
    nodes = tree.nodes
    seat = state["to_play"]
    legal = 0
    for action in range(len(work.mask)):
        legal += work.mask[action]
    count = rate(state, nets, k, work, limit)
    nodes[parent]["pruned"] |= legal > count
    for j in range(count):
        child = nodes[used + j]
        child["first"] = NONE
        child["next"] = nodes[parent]["first"]
        child["visits"] = 0
        child["total"] = 0.0
        child["logit"] = work.logits[j]
        child["value"] = work.values[j]
        child["action"] = work.actions[j]
        child["seat"] = seat
        child["pruned"] = 0
        nodes[parent]["first"] = used + j
    return used + count


def _pick_child(nodes, parent, mask, exploration):
    """Return the legal child with the highest PUCT score, or NONE, and the number of legal ones.

    A node's own value counts as one visit.
    """
    highest = -np.inf
    visits = 0
    legal = 0
    child = nodes[parent]["first"]
    while child != NONE:
        if mask[nodes[child]["action"]]:
            legal += 1
            visits += nodes[child]["visits"]
            highest = max(highest, nodes[child]["logit"])
        child = nodes[child]["next"]
    whole = 0.0
    child = nodes[parent]["first"]
    while child != NONE:
        if mask[nodes[child]["action"]]:
            whole += np.exp(nodes[child]["logit"] - highest)
        child = nodes[child]["next"]
    chosen = NONE
    best = -np.inf
    child = nodes[parent]["first"]
    while child != NONE:
        if mask[nodes[child]["action"]]:
            own = nodes[child]["visits"] + 1.0
            prior = np.exp(nodes[child]["logit"] - highest) / whole
            score = (nodes[child]["total"] + nodes[child]["value"]) / own
            score += exploration * prior * np.sqrt(1.0 + visits) / own
            if score > best:
                best = score
                chosen = child
        child = nodes[child]["next"]
    return chosen, legal


def _results(state, work, method):
    """Fill the seats' utilities for a finished game."""
    final(state, work.scores, work.ranks)
    weigh(work, np.int64(state["num_players"]), method)


def _weigh(work, players, method):
    """Fill the seats' utilities from scores and ranks."""
    utility = work.utility
    share = method.rank_share if players > 1 else 0.0
    utilities(RANK, work.scores, work.ranks, players, utility)
    for seat in range(players):
        work.logits[seat] = share * utility[seat]
    points(work.scores, work.ranks, players, method.rivalry, utility)
    for seat in range(players):
        utility[seat] = (1.0 - share) * utility[seat] / method.spread + work.logits[seat]


def _see_leaf(tree, leaf, nets, k, work, method):
    """Fill the seats' utilities for a new leaf, using its child with the highest logit.

    Unless the game is zero-sum, each seat values its own observation.
    """
    nodes, state = tree.nodes, tree.game[0]
    best = nodes[leaf]["first"]
    child = best
    while child != NONE:
        if nodes[child]["logit"] > nodes[best]["logit"]:
            best = child
        child = nodes[child]["next"]
    players = np.int64(state["num_players"])
    seat = np.int64(nodes[best]["seat"])
    work.utility[seat] = nodes[best]["value"]
    if is_zero_sum(players, method.rivalry):
        work.utility[1 - seat] = -nodes[best]["value"]
    elif players > 1:
        step(state, np.int64(nodes[best]["action"]))
        if state["terminated"] or state["truncated"]:
            results(state, work, method)
        else:
            for ahead in range(1, players):
                other = (seat + ahead) % players
                work.utility[other] = worth(state, other, nets, k, work)[1]


def _play_on(tree, word, work, method):
    """Mix the utilities of a leaf with those of a playout from it."""
    state = tree.game[0]
    players = np.int64(state["num_players"])
    for seat in range(players):
        work.values[seat] = work.utility[seat]
    if method.greedy:
        evaluate_leaf(tree.playout, word, method.leaf)
        copy_into(work.utility, tree.playout.utility[:players])
    else:
        play_out(state, word, work.scores, work.ranks)
        weigh(work, players, method)
    for seat in range(players):
        work.utility[seat] *= method.playouts
        work.utility[seat] += (1.0 - method.playouts) * work.values[seat]


def _descend(tree, used, top, word, nets, k, work, method):
    """Simulate from ``tree.game`` through root child ``top``; return the new number of nodes."""
    nodes, state, legal = tree.nodes, tree.game[0], tree.legal
    node, depth = top, 0
    tree.path[0] = top
    step(state, np.int64(nodes[top]["action"]))
    while True:
        if state["terminated"] or state["truncated"]:
            results(state, work, method)
            break
        count = legal_actions(state, legal)
        fresh = nodes[node]["first"] == NONE
        chosen, found = pick_child(nodes, node, legal, method.exploration)
        lacks = chosen == NONE or (found < count and not nodes[node]["pruned"])
        if lacks and used + method.limit <= len(nodes):
            copy_into(work.mask, legal)
            child = nodes[node]["first"]
            while child != NONE:
                work.mask[nodes[child]["action"]] = 0
                child = nodes[child]["next"]
            used = expand(tree, used, node, state, nets, k, work, method.limit)
            if fresh and count > 1:
                see_leaf(tree, node, nets, k, work, method)
                if method.playouts > 0.0:
                    play_on(tree, word, work, method)
                break
            chosen = pick_child(nodes, node, legal, method.exploration)[0]
        if chosen == NONE:
            # No room for more nodes.
            players = np.int64(state["num_players"])
            others = -1.0 if is_zero_sum(players, method.rivalry) else 1.0 - method.rivalry
            for seat in range(players):
                work.utility[seat] = others * nodes[node]["value"]
            work.utility[nodes[node]["seat"]] = nodes[node]["value"]
            break
        step(state, np.int64(nodes[chosen]["action"]))
        node = chosen
        depth += 1
        tree.path[depth] = node
    for i in range(depth + 1):
        nodes[tree.path[i]]["visits"] += 1
        nodes[tree.path[i]]["total"] += work.utility[nodes[tree.path[i]]["seat"]]
    return used


def _halve(tree, alive, scale):
    """Sort the first ``alive`` root children by logit, noise and the values found."""
    nodes, order, score = tree.nodes, tree.order, tree.score
    most = 0
    for r in range(alive):
        most = max(most, nodes[1 + order[r]]["visits"])
    factor = scale * (1.0 + most / 50.0)
    for i in range(1, alive):
        moved = order[i]
        child = nodes[1 + moved]
        key = score[moved] + factor * (child["total"] + child["value"]) / (child["visits"] + 1.0)
        r = i - 1
        while r >= 0:
            child = nodes[1 + order[r]]
            other = score[order[r]]
            other += factor * (child["total"] + child["value"]) / (child["visits"] + 1.0)
            if other >= key:
                break
            order[r + 1] = order[r]
            r -= 1
        order[r + 1] = moved


def _improve(tree, count, scale):
    """Fill ``tree.policy``: the softmax of the logits plus the scaled, completed values."""
    nodes, policy = tree.nodes, tree.policy
    highest = -np.inf
    most = 0
    for j in range(count):
        highest = max(highest, np.float64(nodes[1 + j]["logit"]))
        most = max(most, nodes[1 + j]["visits"])
    whole = mixed = 0.0
    for j in range(count):
        child = nodes[1 + j]
        if child["visits"]:
            part = np.exp(child["logit"] - highest)
            whole += part
            mixed += part * (child["total"] + child["value"]) / (child["visits"] + 1.0)
    mixed = mixed / whole if whole > 0.0 else 0.0
    factor = scale * (1.0 + most / 50.0)
    highest = -np.inf
    for j in range(count):
        child = nodes[1 + j]
        value = mixed
        if child["visits"]:
            value = (child["total"] + child["value"]) / (child["visits"] + 1.0)
        policy[j] = child["logit"] + factor * value
        highest = max(highest, policy[j])
    whole = 0.0
    for j in range(count):
        policy[j] = np.exp(policy[j] - highest)
        whole += policy[j]
    for j in range(count):
        policy[j] /= whole


def _search(state, nets, k, work, tree, seed, method):
    """Search from a record among the actions of ``work.mask``.

    Returns:
        ``(child, count)``: the number of the node to play, and the number of the root's children.
        ``work.known`` is the determinized record; ``tree.policy`` is the improved policy.
    """
    nodes, order = tree.nodes, tree.order
    seat = np.int64(state["to_play"])
    redraw(work.known, state, seat, mix64(seed ^ _TRIAL), tree.belief)
    if method.greedy and method.playouts > 0.0:
        margins(work.known[0], tree.playout.baseline, tree.playout.memo)
    nodes[0]["first"] = NONE
    nodes[0]["pruned"] = 0
    used = expand(tree, 1, 0, work.known[0], nets, k, work, method.limit)
    count = used - 1
    noise = seed ^ _NOISE
    for j in range(count):
        noise += GAMMA
        tree.score[j] = nodes[1 + j]["logit"] + method.noise * gumbel(mix64(noise))
        order[j] = j
    halve(tree, count, 0.0)
    alive = min(method.candidates, count)
    phases = 1
    while 2 << phases <= alive:
        phases += 1
    left = method.simulations if count > 1 else 0
    while left > 0:
        each = max(1, method.simulations // (phases * alive))
        for _ in range(each):
            for r in range(alive):
                if left > 0:
                    top = 1 + order[r]
                    draw = mix64(seed + GAMMA * np.uint64(2 + nodes[top]["visits"]))
                    redraw(tree.game, state, seat, draw, tree.belief)
                    used = descend(tree, used, top, mix64(draw + GAMMA), nets, k, work, method)
                    left -= 1
        halve(tree, alive, method.scale)
        alive = min(alive, max(2, alive // 2))
    improve(tree, count, method.scale)
    return 1 + order[0], count


def search_rows(states, start, stop, asked, nets, made, method, found):
    """Search from each record.

    ``asked`` is ``(masks, seeds, scores)``, where ``scores`` are those of a ``Belief``, float64
    ``(n, facts)``, or empty. ``made`` is ``(Work, Tree)``. ``found`` is ``(actions, policy,
    values)``: the choices (int64) and, unless empty, the improved policy and the values found by
    action (float64).
    """
    masks, seeds, scores = asked
    work, tree = made
    actions, policy, values = found
    for row in range(start, stop):
        copy_into(work.mask, masks[row])
        if len(scores):
            copy_into(tree.belief.scores, scores[row])
        chosen, count = search(states[row], nets, 0, work, tree, seeds[row], method)
        actions[row] = tree.nodes[chosen]["action"]
        if len(policy):
            for j in range(count):
                child = tree.nodes[1 + j]
                policy[row, child["action"]] = tree.policy[j]
                values[row, child["action"]] = (child["total"] + child["value"]) / (
                    child["visits"] + 1.0
                )


# Each template comes after those it calls.
TEMPLATES: dict[str, Any] = {
    **beliefs.TEMPLATES,
    "best_untried": mcts._best_untried,
    "margins": mcts._margins,
    "evaluate_leaf": mcts._evaluate_leaf,
    "expand": _expand,
    "pick_child": _pick_child,
    "weigh": _weigh,
    "results": _results,
    "play_on": _play_on,
    "see_leaf": _see_leaf,
    "descend": _descend,
    "halve": _halve,
    "improve": _improve,
    "search": _search,
    "search_rows": search_rows,
}
