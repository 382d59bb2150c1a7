"""The search agent: Monte Carlo tree search with determinization, batched over games."""

from __future__ import annotations

import time as clock
from types import SimpleNamespace
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import check_choice, check_finite, check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.threads import check_num_threads, run
from ludotheque.envs.core.jit import specialize
from ludotheque.envs.core.rng import decision_seed

from . import search
from .base import Agent

DETERMINIZE = ("simulation", "tree")
_CHUNK = 32
# Defaults; a game may have its own in ``Game.search``.
_DEFAULTS = {
    "exploration": 1.0,
    "widening": 0.4,
    "leaf": "playout",
    "leaf_plies": 6,
    "leaf_scale": 10.0,
}
SIMULATIONS = 200
LEAVES = {"playout": search._playout_leaf, "evaluate": search._evaluate_leaf}
_compiled: dict[tuple[str, bool, str], SimpleNamespace] = {}


def _compile(game, guided: bool, leaf: str) -> SimpleNamespace:
    """Return the search loops of ``game``."""
    key = (game.name, guided, leaf)
    if key not in _compiled:
        name = f"{game.name}_mcts_{'guided' if guided else 'plain'}_{leaf}"
        bound = {**game.kernels, "play_out": game.loops.play_out, "final": game.loops.final}
        untried = search._best_untried if guided else search._random_untried
        loops = SimpleNamespace()
        for label, template in (
            ("best_untried", untried),
            ("margins", search._margins),
            ("leaf", LEAVES[leaf]),
            ("expand", search._expand),
            ("simulate", search._simulate),
            ("plant", search.plant),
            ("grow", search.grow),
            ("count_visits", search.count_visits),
        ):
            wanted = {k: v for k, v in bound.items() if k in template.__code__.co_names}
            bound[label] = specialize(template, f"{name}_{label}", **wanted)
            setattr(loops, label, bound[label])
        _compiled[key] = loops
    return _compiled[key]


def usual_settings(game: Game) -> dict[str, Any]:
    """Return the default settings of ``MCTSAgent`` for a game (see ``Game.search``)."""
    return {**_DEFAULTS, **game.search}


def leaf_method(game: Game) -> search.Method:
    """Return the settings of leaf evaluation after greedy plies, by the game's defaults."""
    own = usual_settings(game)
    plies, scale = own["leaf_plies"], float(own["leaf_scale"])
    return search.Method(fixed=False, exploration=0.0, widening=1.0, plies=plies, scale=scale)


class MCTSAgent(Agent):
    """Plays the action most visited by a tree search.

    Args:
        game: the game it plays.
        simulations: number of simulations per decision, unless ``time`` is given.
        time: seconds per decision, instead of a number of simulations. Results then depend on the
            machine.
        exploration: weight of exploration against exploitation, for utilities from -1 to +1. Here
            and below, None means the game's own setting, or 1.0, 0.4, "playout".
        determinize: resample what the seat can't know for each ``"simulation"`` (in a shared tree),
            or for each ``"tree"`` of ``trees``.
        trees: with ``determinize="tree"``, the number of trees that share the simulations.
        guided: add children in the order of the game's ``evaluate`` and widen slowly; False means
            plain UCT.
        widening: if guided, the number of a node's children grows as visits ** widening.
        leaf: how a new node is evaluated: by a random ``"playout"`` to the end, or by
            ``"evaluate"`` after ``leaf_plies`` greedy plies, for games in which random play is
            uninformative.
        leaf_plies, leaf_scale: with ``leaf="evaluate"``, the number of plies, and the advantage by
            ``evaluate`` that is worth 0.76 of a win.
        num_threads: number of threads that share a batch of decisions.
        seed: seed of the agent's own generator, used if ``act`` receives no seeds.

    Raises:
        ValueError: a setting is out of range.
    """

    name = "mcts"
    needs_states = True
    node_bytes = search.NODE.itemsize

    def __init__(  # noqa: PLR0913
        self,
        game,
        simulations: int = SIMULATIONS,
        *,
        time: float | None = None,
        exploration: float | None = None,
        determinize: str = "simulation",
        trees: int = 8,
        guided: bool = True,
        widening: float | None = None,
        leaf: str | None = None,
        leaf_plies: int | None = None,
        leaf_scale: float | None = None,
        num_threads: int = 1,
        seed: int | None = None,
    ):
        super().__init__(game, seed)
        own = usual_settings(self.game)
        exploration = own["exploration"] if exploration is None else exploration
        widening = own["widening"] if widening is None else widening
        leaf = own["leaf"] if leaf is None else leaf
        leaf_plies = own["leaf_plies"] if leaf_plies is None else leaf_plies
        leaf_scale = own["leaf_scale"] if leaf_scale is None else leaf_scale
        if leaf == "value":
            raise ValueError(
                "leaf is 'value', and an MCTSAgent has no network: make_agent('mcts:leaf=value'), "
                f"BaselineAgent and TDAgent search with one; allowed here: {', '.join(LEAVES)}"
            )
        check_choice(leaf, LEAVES, "leaf")
        check_choice(determinize, DETERMINIZE, "determinize")
        check_whole(simulations, "simulations", 1, search.MOST_SIMULATIONS)
        check_whole(trees, "trees", 1, search.MOST_SIMULATIONS)
        check_whole(leaf_plies, "leaf_plies")
        for label, value in (
            ("exploration", exploration),
            ("widening", widening),
            ("leaf_scale", leaf_scale),
        ):
            check_finite(value, label)
        if not leaf_scale > 0:
            raise ValueError(f"leaf_scale is {leaf_scale!r}; give a number above 0")
        if time is not None and not check_finite(time, "time") > 0:
            raise ValueError(f"time is {time!r}; give seconds above 0, or None")
        if not isinstance(guided, bool):
            raise ValueError(f"guided is {guided!r}; allowed: True, False")
        if not 0 <= exploration < np.inf or not 0 < widening <= 1:
            raise ValueError(
                f"exploration is {exploration!r} and widening {widening!r}; "
                "allowed: 0 or more, and above 0 up to 1"
            )
        self.simulations = simulations
        self.time = time
        self.exploration = float(exploration)
        self.trees = trees if determinize == "tree" else 1
        self.fixed = determinize == "tree"
        self.guided = bool(guided)
        self.widening = float(widening) if guided else 1.0
        self.leaf = leaf
        self.leaf_plies = leaf_plies
        self.leaf_scale = float(leaf_scale)
        self.num_threads = check_num_threads(num_threads)

    def _made_anew(self) -> MCTSAgent:
        return MCTSAgent(
            self.game,
            self.simulations,
            time=self.time,
            exploration=self.exploration,
            determinize=DETERMINIZE[self.fixed],
            trees=self.trees,
            guided=self.guided,
            widening=self.widening,
            leaf=self.leaf,
            leaf_plies=self.leaf_plies,
            leaf_scale=self.leaf_scale,
            num_threads=self.num_threads,
            seed=int(self._seed),
        )

    def act(self, observations, masks, *, states=None, seeds=None):
        """See ``Agent.act``."""
        if states is None:
            raise ValueError("mcts searches: pass states, determinized for the seat to act")
        seeds = self.seeds_or_own(seeds, len(states))
        visits, values = self.search(states, seeds)
        # Most visits first; ties are broken by value.
        spread = 1.0 + np.abs(values).max(axis=1, initial=0.0, keepdims=True)
        return np.argmax(visits + values / (2.0 * spread), axis=1).astype(np.int64)

    def search(
        self, states: np.ndarray, seeds: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Search from each record.

        Args:
            states: records ``(n,)`` of unfinished games.
            seeds: uint64 ``(n,)``, or None for the agent's own.

        Returns:
            ``(visits, values)``, int64 and float64 ``(n, num_actions)``: the number of visits of
            each action, and the sum of the acting seat's utilities (-1 to +1 each) after it.
        """
        self.check_records(states)
        count = len(states)
        seeds = self.seeds_or_own(seeds, count)
        visits = np.zeros((count, self.game.num_actions), np.int64)
        values = np.zeros((count, self.game.num_actions), np.float64)
        run(self._search_rows, self.num_threads, states, seeds, visits, values)
        return visits, values

    def _search_rows(self, states, start, stop, seeds, visits, values) -> None:
        loops = _compile(self.game, self.guided, self.leaf)
        nodes = np.zeros(1 + max(1, self.simulations // self.trees), search.NODE)
        scratch = search.make_scratch(self.game, self.game.new_states(1))
        for row in range(start, stop):
            for tree in range(self.trees):
                word = np.uint64(decision_seed(seeds[row], tree))
                nodes = self._grow_tree(loops, states, row, nodes, word, scratch)
                loops.count_visits(nodes, visits[row], values[row])

    def _grow_tree(self, loops, states, row, nodes, word, scratch) -> np.ndarray:
        """Grow a new tree in ``nodes``; return them, or a longer array if necessary."""
        method = search.Method(
            self.fixed, self.exploration, self.widening, self.leaf_plies, self.leaf_scale
        )
        used = loops.plant(nodes)
        if self.time is None:
            loops.grow(states, row, nodes, used, len(nodes) - 1, word, method, scratch)
            return nodes
        deadline = clock.perf_counter() + self.time / self.trees
        chunk = 0
        while chunk == 0 or clock.perf_counter() < deadline:
            if used + _CHUNK > len(nodes):
                nodes = np.concatenate([nodes, np.zeros_like(nodes)])
            chunk += 1
            seed = np.uint64(decision_seed(word, chunk))
            used = loops.grow(states, row, nodes, used, _CHUNK, seed, method, scratch)
        return nodes
