"""Monte Carlo tree search on game records, in loops compiled for each game.

UCT (Kocsis and Szepesvári, ECML 2006) with a utility per seat. Hidden information by information
set MCTS (Cowling, Powley and Whitehouse, IEEE TCIAIG 2012, single observer): each simulation
resamples what the root's seat can't know and descends a shared tree, in which each child counts how
often it was legal. Guided search adds children in the order of the game's ``evaluate`` as the
number of visits grows (progressive widening; Chaslot et al., 2008).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ludotheque.envs.core.rewards import RANK, utilities
from ludotheque.envs.core.rng import GAMMA, below, mix64

from .kernels import takes_place

# Bound to a game's kernels by ``specialize``.
determinize = evaluate = legal_actions = step = play_out = final = None
simulate = expand = best_untried = leaf = margins = None

# One node per simulation. ``seat`` chose ``action``; ``value`` sums that seat's utilities; ``seen``
# counts how often the action was legal when its parent was visited.
NODE = np.dtype(
    [
        ("first_child", np.int32),
        ("next_sibling", np.int32),
        ("visits", np.int32),
        ("seen", np.int32),
        ("value", np.float32),
        ("action", np.int16),
        ("seat", np.int8),
    ],
    align=True,
)
NONE = -1
# Per decision.
MOST_SIMULATIONS = 1_000_000


class Method(NamedTuple):
    """Settings of the search.

    Attributes:
        fixed: use one determinization for all simulations instead of one for each.
        exploration: weight of the exploration term.
        widening: exponent of visits that gives the number of children; 1 adds one at every visit.
        plies, scale: settings of leaf evaluation.
    """

    fixed: bool
    exploration: float
    widening: float
    plies: int
    scale: float


class Scratch(NamedTuple):
    """Work arrays, so that the loops don't allocate memory.

    Attributes:
        state, trial: one record each, of the simulation and after an action tried.
        baseline: float32, per seat: the root's margins, for leaf evaluation.
        path: int32, longer than any game: the nodes of the simulation.
        mask: int8, per action.
        scores, ranks, utility: float32, int64 and float32, per seat.
        memo: the game's memory.
    """

    state: Any
    trial: Any
    baseline: Any
    path: Any
    mask: Any
    scores: Any
    ranks: Any
    utility: Any
    memo: Any


def make_scratch(game, state):
    """Return a ``Scratch`` whose record is ``state``, of shape ``(1,)``."""
    seats = game.max_players
    return Scratch(
        state=state,
        trial=game.new_states(1),
        baseline=np.zeros(seats, np.float32),
        path=np.zeros(game.max_plies + 2, np.int32),
        mask=np.zeros(game.num_actions, np.int8),
        scores=np.zeros(seats, np.float32),
        ranks=np.zeros(seats, np.int64),
        utility=np.zeros(seats, np.float32),
        memo=game.new_memo(),
    )


def _best_untried(scratch, count, word):
    """Return the action in the mask with the highest ``evaluate`` for the seat to act."""
    trial = scratch.trial
    mask = scratch.mask
    seat = np.int64(scratch.state[0]["to_play"])
    chosen = -1
    best = -np.inf
    equal = 0
    for action in range(len(mask)):
        if mask[action]:
            trial[0] = scratch.state[0]
            step(trial[0], action)
            value = evaluate(trial[0], seat, scratch.memo)
            takes, equal, word = takes_place(value, best, equal, word)
            if takes:
                best = value
                chosen = action
    return chosen


def _random_untried(scratch, count, word):
    """Return a uniformly random one of the ``count`` actions in the mask."""
    mask = scratch.mask
    k = below(mix64(word), count)
    for action in range(len(mask)):
        if mask[action]:
            if k == 0:
                return action
            k -= 1
    return -1


def _expand(nodes, used, parent, action, seat):
    """Add a child below ``parent``; return its number."""
    nodes[used]["first_child"] = NONE
    nodes[used]["next_sibling"] = nodes[parent]["first_child"]
    nodes[used]["visits"] = 0
    nodes[used]["seen"] = 1
    nodes[used]["value"] = 0.0
    nodes[used]["action"] = action
    nodes[used]["seat"] = seat
    nodes[parent]["first_child"] = used
    return used


def _playout_leaf(scratch, word, method):
    """Play at random to the end; fill the seats' utilities by rank."""
    state = scratch.state[0]
    play_out(state, mix64(word + GAMMA), scratch.scores, scratch.ranks)
    utilities(RANK, scratch.scores, scratch.ranks, state["num_players"], scratch.utility)


def _evaluate_leaf(scratch, word, method):
    """Play some plies greedily; then fill the seats' utilities by ``evaluate``.

    A seat's margin is its value minus the best other value. Its utility is the hyperbolic tangent
    of the margin's increase since the root, in units of ``method.scale``; at the end of the game,
    it is the mean of that and the utility by rank.
    """
    scores = scratch.scores
    utility = scratch.utility
    state = scratch.state[0]
    for _ in range(method.plies):
        if state["terminated"] or state["truncated"]:
            break
        count = legal_actions(state, scratch.mask)
        step(state, best_untried(scratch, count, word))
        word += GAMMA
    num_players = state["num_players"]
    over = state["terminated"] or state["truncated"]
    if over:
        final(state, scores, scratch.ranks)
        utilities(RANK, scores, scratch.ranks, num_players, utility)
    margins(state, scores, scratch.memo)
    for seat in range(num_players):
        grown = np.tanh((scores[seat] - scratch.baseline[seat]) / method.scale)
        utility[seat] = (utility[seat] + grown) / 2 if over else grown


def _margins(state, out, memo):
    """Fill each seat's ``evaluate`` minus the best other seat's."""
    num_players = state["num_players"]
    best = second = -np.inf
    for seat in range(num_players):
        out[seat] = evaluate(state, seat, memo)
        second = max(second, min(best, out[seat]))
        best = max(best, out[seat])
    if num_players > 1:
        for seat in range(num_players):
            out[seat] -= second if out[seat] == best else best


def _simulate(nodes, used, word, method, scratch):
    """Run one simulation from the record in ``scratch``; return the new number of nodes."""
    path = scratch.path
    mask = scratch.mask
    state = scratch.state[0]
    node = 0
    depth = 0
    while not (state["terminated"] or state["truncated"]):
        seat = state["to_play"]
        untried = legal_actions(state, mask)
        tried = 0
        chosen = NONE
        best = -np.inf
        child = nodes[node]["first_child"]
        while child != NONE:
            action = nodes[child]["action"]
            if mask[action]:
                mask[action] = 0
                tried += 1
                nodes[child]["seen"] += 1
                visits = nodes[child]["visits"]
                bound = nodes[child]["value"] / visits + method.exploration * np.sqrt(
                    np.log(nodes[child]["seen"]) / visits
                )
                if bound > best:
                    best = bound
                    chosen = child
            child = nodes[child]["next_sibling"]
        untried -= tried
        if untried and used < len(nodes) and tried <= nodes[node]["visits"] ** method.widening:
            action = best_untried(scratch, untried, word)
            chosen = expand(nodes, used, node, action, seat)
            used += 1
            step(state, action)
            depth += 1
            path[depth] = chosen
            break
        if chosen == NONE:
            break
        step(state, np.int64(nodes[chosen]["action"]))
        node = chosen
        depth += 1
        path[depth] = chosen
    leaf(scratch, word, method)
    nodes[0]["visits"] += 1
    for k in range(1, depth + 1):
        nodes[path[k]]["visits"] += 1
        nodes[path[k]]["value"] += scratch.utility[nodes[path[k]]["seat"]]
    return used


def plant(nodes):
    """Make ``nodes`` an empty tree; return the number of nodes."""
    nodes[0]["first_child"] = NONE
    nodes[0]["next_sibling"] = NONE
    nodes[0]["visits"] = 0
    nodes[0]["seen"] = 0
    nodes[0]["value"] = 0.0
    return 1


def grow(states, row, nodes, used, simulations, word, method, scratch):
    """Run simulations on the tree of game ``row``; return the new number of nodes.

    Args:
        states: records; only what the seat to act may know is used.
        nodes, used: the tree.
        simulations: number of simulations.
        word: seed of these simulations.
        method, scratch: a ``Method`` and a ``Scratch``.
    """
    seat = np.int64(states[row]["to_play"])
    drawn = mix64(word)
    state = scratch.state
    # ``evaluate`` may try things on the record itself: not on the caller's, which others may read.
    state[0] = states[row]
    margins(state[0], scratch.baseline, scratch.memo)
    for _ in range(simulations):
        word += GAMMA
        state[0] = states[row]
        determinize(state[0], seat, drawn if method.fixed else mix64(word))
        used = simulate(nodes, used, word, method, scratch)
    return used


def count_visits(nodes, visits, values):
    """Add the visits and values of the root's children to the arrays, by action."""
    child = nodes[0]["first_child"]
    while child != NONE:
        visits[nodes[child]["action"]] += nodes[child]["visits"]
        values[nodes[child]["action"]] += nodes[child]["value"]
        child = nodes[child]["next_sibling"]
