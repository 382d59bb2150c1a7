"""What an agent thinks of a position: candidates with shares and values, and the expected line.

As in play, it thinks about a record in which everything its seat can't know is resampled, so what
is shown to a seat contains nothing that the seat doesn't know.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from .table import Table, is_over

MOST_CANDIDATES = 5
# Maximum length of the expected line after the action itself.
LINE_PLIES = 3
# A trained agent that plays without search shows the result of this many simulations.
SIMULATIONS = 64

# Per action: its share from 0 to 1, and its value, NaN if there is none.
Found = tuple[np.ndarray, np.ndarray]


def mind_of(table: Table, seat: int | None, ply: int) -> dict[str, Any]:
    """Return what the agent of the seat to play thinks after ``ply`` actions, as shown to ``seat``.

    For a person's seat, the first agent of the table is asked. Each candidate has its notation, its
    parts, its share (of visits, or of the policy; None for agents that only compare values) and its
    value to that seat (from -1 to +1 for a search, else in points).

    Raises:
        ValueError: the table has no ``explain``; the game is not over and the thoughts are another
            seat's; or nobody decides there.
    """
    if not table.explain:
        raise ValueError("this table does not explain: start it with --explain")
    positions = table.positions
    if ply >= len(positions):
        raise ValueError("that move has been taken back")
    states = positions[ply]
    if is_over(states):
        raise ValueError("the game is over there: nobody is to play")
    thinker = int(states["to_play"][0])
    # Thoughts at another person's seat would reveal what that person knows.
    shown = table.over or (table.cheat and thinker in table.agents)
    if seat is not None and seat != thinker and not shown:
        raise ValueError("the thoughts of others are shown when the game is over")
    agent = table.agents.get(thinker) or _adviser(table)
    # From the record's own chance, as for the agent's decision: with a known seed, the hidden
    # information could be reconstructed from the draws.
    seeds = np.empty(1, np.uint64)
    table.game.loops.decision_seeds(states, 0, 1, seeds)
    known = table.game.determinize(states, thinker, int(seeds[0]))
    shares, values = _found_by(agent)(agent, table, known)
    legal = np.flatnonzero(table.game.legal_mask(known)).tolist()
    ranked = [np.nan_to_num(found, nan=-np.inf).tolist() for found in (shares, values)]
    order = sorted(legal, key=lambda a: (-ranked[0][a], -ranked[1][a], a))
    # Actions that an agent doesn't consider are no candidates.
    best = [a for a in order if shares[a] != 0][:MOST_CANDIDATES]
    return {
        "thinker": thinker,
        "agent": table.specs.get(thinker) or getattr(agent, "name", "agent"),
        "candidates": [_candidate(table, known, a, shares, values) for a in best],
        "line": _line(table, agent, known, best[0]),
    }


def _adviser(table: Table) -> Any:
    if table.agents:
        return table.agents[min(table.agents)]
    from ludotheque.agents import make_agent

    return make_agent("mcts", game=table.game)


def _candidate(
    table: Table, known: np.ndarray, action: int, shares: np.ndarray, values: np.ndarray
) -> dict[str, Any]:
    share, value = float(shares[action]), float(values[action])
    return {
        "text": table.game.action_to_string(action, known[0]),
        "parts": tuple(table.game.decode_action(action).values()),
        "share": None if np.isnan(share) else round(share, 4),
        "value": None if np.isnan(value) else round(value, 3),
    }


def _line(table: Table, agent: Any, known: np.ndarray, action: int) -> list[str]:
    """Return the action and the line of play that the agent expects."""
    from ludotheque.envs.core.interfaces.seats import query_agent

    states, line = known.copy(), [table.game.action_to_string(action, known[0])]
    while len(line) <= LINE_PLIES:
        table.game.step(states, action)
        if is_over(states):
            break
        action = int(query_agent(agent, table.settings, states)[0])
        line.append(table.game.action_to_string(action, states[0]))
    return line


# What each kind of agent can show


def _found_by(agent: Any) -> Callable[[Any, Table, np.ndarray], Found]:
    """Return the function that queries an agent, by class name, to avoid optional imports."""
    asks = {
        "MCTSAgent": _of_tree,
        "TDAgent": _of_values,
        "BaselineAgent": _of_baseline,
        "PolicyAgent": _of_policy,
        "GreedyAgent": _of_greedy,
    }
    names = [kind.__name__ for kind in type(agent).__mro__]
    return next((asks[name] for name in names if name in asks), _of_anybody)


def _seeds() -> np.ndarray:
    return np.zeros(1, np.uint64)


def _of_tree(agent: Any, table: Table, known: np.ndarray) -> Found:
    visits, values = (row[0] for row in agent.search(known, _seeds()))
    tried = np.where(visits > 0, visits, 1)
    return visits / max(1, visits.sum()), np.where(visits > 0, values / tried, np.nan)


def _of_values(agent: Any, table: Table, known: np.ndarray) -> Found:
    searcher = copy.copy(agent)
    searcher.simulations = agent.simulations or SIMULATIONS
    masks = table.game.legal_mask(known)[None]
    _, policy, values = searcher.search(known, masks, _seeds())
    return policy[0], np.where(policy[0] > 0, values[0], np.nan)


def _of_baseline(agent: Any, table: Table, known: np.ndarray) -> Found:
    return _of_values(agent.agent_of(known[0]), table, known)


def _of_policy(agent: Any, table: Table, known: np.ndarray) -> Found:
    game, seat = table.game, int(known["to_play"][0])
    masks = game.legal_mask(known)[None]
    seen = game.observe(known, seat, form=agent.observation)[None]
    found = agent.logits(seen, masks, known, _seeds())[0]
    logits = np.where(masks[0] > 0, found, -np.inf)
    weights = np.exp((logits - logits.max()) / agent.temperature)
    return weights / weights.sum(), np.full(game.num_actions, np.nan)


def _of_greedy(agent: Any, table: Table, known: np.ndarray) -> Found:
    mask = table.game.legal_mask(known)
    values = agent.values(known, mask[None], _seeds())[0]
    return np.full(len(mask), np.nan), np.where(mask, values, np.nan)


def _of_anybody(agent: Any, table: Table, known: np.ndarray) -> Found:
    """Return what any agent can show: the action that it plays."""
    from ludotheque.envs.core.interfaces.seats import query_agent

    shares = np.zeros(table.game.num_actions)
    shares[query_agent(agent, table.settings, known)[0]] = 1
    return shares, np.full(table.game.num_actions, np.nan)
