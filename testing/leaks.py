"""The leak test: what a seat is shown doesn't change if what it can't know is resampled.

Positions come from random games in all settings of a game. In each, ``determinize`` resamples what
a seat can't know; then every interface is called with the true record and with the redrawn one, and
the results must be equal. The test is a black box: it doesn't use a game's fields.

Methods that deliberately show more (``get_state``, ``results`` of others, ...) have the word
"omniscient" in their docstrings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import IllegalActionError
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv
from ludotheque.envs.core.interfaces.parallel import TurnBasedParallelEnv
from ludotheque.envs.core.interfaces.settings import last_action_of
from ludotheque.envs.core.loops import RAISE
from ludotheque.envs.core.state import HISTORY

from .contract import Setting, settings

# Only every n-th position is checked in slow interfaces: vectors, whose spaces take long to create,
# those for a single game and texts, which run in Python, and pictures.
VECTORS = 4
ONE_BY_ONE = 20
PICTURES = 80
# This many times as many positions are played; those with hidden information are preferred.
PLAYED = 4
# Number of random actions from which the rarest is played.
DRAWN = 6
# Number of illegal actions tried in a position.
TRIED = 3
# Fields that every redraw changes.
LUCK = ("rng", "seed")

# Name → what is shown: an array or a list.
Shown = Mapping[str, Any]


@dataclass(frozen=True)
class Positions:
    """Positions of one setting.

    Attributes:
        setting: the game, its player count and options.
        states: records ``(n,)``.
    """

    setting: Setting
    states: np.ndarray

    def redrawn(self, seat: int, seed: int) -> Positions:
        """Return the positions with everything ``seat`` can't know resampled."""
        drawn, count = self.states.copy(), len(self)
        seeds = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64)
        self.setting.game.loops.redraw(drawn, 0, count, np.full(count, seat), seeds)
        return Positions(self.setting, drawn)

    def select(self, rows: np.ndarray) -> Positions:
        """Return some of the positions, by their numbers or by flags."""
        return Positions(self.setting, self.states[rows])

    def waiting_for(self, seat: int) -> np.ndarray:
        """Return the numbers of the positions in which ``seat`` is to play."""
        return np.flatnonzero((self.states["to_play"] == seat) & ~self.over)

    @property
    def over(self) -> np.ndarray:
        return self.states["terminated"] | self.states["truncated"]

    def __len__(self) -> int:
        return len(self.states)


# Positions


def play_positions(setting: Setting, count: int, seed: int) -> Positions:
    """Return ``count`` positions of random games, about a tenth of them over.

    In half of the plies, rare kinds of actions are preferred, as those that hide something would
    seldom be chosen otherwise.
    """
    game, rng = setting.game, np.random.default_rng(seed)
    states, seats = game.new_states(count), game.max_players
    options = game.encode_options(setting.num_players, **setting.options)
    game.loops.deal(states, 0, count, rng.integers(0, 2**64, count, dtype=np.uint64), options)
    stops, kinds = _stops(game, states, rng), _kinds(game)
    chosen = np.zeros(kinds.max() + 1, np.int64)
    learner = np.zeros(count, np.int64)
    outputs = (
        np.zeros(count, np.float32),
        np.zeros((count, seats), np.float32),
        np.zeros((count, seats), np.float32),
        np.zeros((count, seats), np.int64),
    )
    while True:
        over = states["terminated"] | states["truncated"]
        rows = np.flatnonzero((states["ply"] < stops) & ~over)
        if not len(rows):
            return Positions(setting, states)
        actions = _choose(game, states[rows], kinds, chosen, rng)
        game.loops.play_rows(states, rows, actions, learner, (RAISE, 0.0, 0), outputs)


def _stops(game: Game, states: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the ply at which to stop each game: any ply of a random game, or none."""
    count, seats = len(states), game.max_players
    scores, ranks = np.zeros((count, seats), np.float32), np.zeros((count, seats), np.int64)
    plies = np.zeros(count, np.int64)
    seeds = rng.integers(0, 2**64, count, dtype=np.uint64)
    game.loops.playouts(states.copy(), 0, count, seeds, scores, ranks, plies)
    stops = rng.integers(0, plies + 1)
    return np.where(rng.random(count) < 0.1, game.max_plies, stops)


def _choose(
    game: Game, states: np.ndarray, kinds: np.ndarray, chosen: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Return a random legal action for each game, in half of them the rarest of ``DRAWN``.

    ``chosen`` counts how often each kind was chosen, and is updated.
    """
    count = len(states)
    drawn, asked = np.empty((DRAWN, count), np.int64), states.copy()
    for actions in drawn:
        # The kernel draws from the game's seed.
        asked["seed"] = rng.integers(0, 2**64, count, dtype=np.uint64)
        game.loops.random_actions(asked, 0, count, actions)
    rarest = chosen[kinds[drawn]].argmin(axis=0)
    picked = drawn[np.where(rng.random(count) < 0.5, rarest, 0), np.arange(count)]
    np.add.at(chosen, kinds[picked], 1)
    return picked


def _kinds(game: Game) -> np.ndarray:
    """Return the number of each action's kind."""
    numbers: dict[tuple, int] = {}
    parts = map(game.decode_action, range(game.num_actions))
    keys = [(one.get("kind"), *one) for one in parts]
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys])


# The output of each interface


def _in_batch(positions: Positions, seat: int) -> Iterator[Shown]:
    """All-seats batch, in every observation form."""
    game, states = positions.setting.game, positions.states
    mine = positions.waiting_for(seat)
    for form in game.observation_forms:
        env = BatchEnv(game, len(states), positions.setting.num_players, **_usual(positions, form))
        env.set_state(states)
        seen, masks = env.observe(seat)
        shown = {
            "observe()[0]": seen,
            "observe()[1]": masks,
            "histories_of()": env.histories_of(seat),
            "observations": env.observations[mine],
            "action_masks": env.action_masks[mine],
            "histories": env.histories[mine],
        }
        public = ("to_play", "terminated", "truncated")
        yield shown | {name: getattr(env, name) for name in public}


def _in_vectors(positions: Positions, seat: int) -> Iterator[Shown]:
    """The native vectors for Gymnasium and SB3, at the seat's own decisions."""
    mine = positions.select(positions.waiting_for(seat))
    if not len(mine):
        return
    game, players = mine.setting.game, mine.setting.num_players
    for form in game.observation_forms:
        usual = _usual(mine, form)
        vector = SeatVectorEnv(game, len(mine), players, seat=seat, **usual)
        counts = {"ended": np.zeros(len(mine), np.bool_), "steps": np.zeros(len(mine), np.int64)}
        vector.set_state(_saved_seats(mine, seat) | counts)
        yield {**vector._seen(), **vector._infos(np.arange(len(mine)))}
        yield {"action_masks()": vector.action_masks()}
    try:
        from ludotheque.agents.sb3 import SeatVecEnv
    except ModuleNotFoundError:  # without the extra [train] there is nothing to check
        return
    sb3 = SeatVecEnv(game, len(mine), players, seat=seat, **usual)
    sums = {"returns": np.zeros(len(mine)), "lengths": np.zeros(len(mine), np.int64)}
    yield sb3.set_state(_saved_seats(mine, seat) | sums)
    yield {"action_masks()": sb3.action_masks(), "seats()": sb3.seats()}


def _saved_seats(positions: Positions, seat: int) -> dict[str, Any]:
    count = len(positions)
    return {
        "states": positions.states,
        "learner": np.full(count, seat),
        "agent_of": np.zeros((count, positions.setting.num_players), np.int64),
        "agents": {},
    }


def _usual(positions: Positions, form: str) -> dict[str, Any]:
    return {"observation": form, "history": HISTORY, **positions.setting.options}


def _in_turns(positions: Positions, seat: int) -> Iterator[Shown]:
    """PettingZoo, turn by turn and parallel."""
    setting = positions.setting
    form = setting.game.observation_forms[-1]
    usual = {"num_players": setting.num_players, **_usual(positions, form)}
    turns = TurnBasedEnv(setting.game, **usual)
    parallel = TurnBasedParallelEnv(setting.game, **usual)
    for env in (turns, parallel):
        env.reset(seed=0)
    agent = turns.possible_agents[seat]
    for state in positions.states:
        saved = {
            **turns.get_state(),
            "states": np.atleast_1d(state),
            "agents": turns.possible_agents,
            "agent_selection": turns.possible_agents[state["to_play"]],
        }
        turns.set_state(saved)
        parallel.set_state({**saved, "live": parallel.possible_agents})
        shown: dict[str, Any] = {
            "observe": turns.observe(agent),
            "infos": turns.infos[agent],
            "observations": parallel._observations()[agent],
            "own score": turns.results()[agent][0],
            "repr": f"{turns!r} {parallel!r} {turns} {parallel}",
        }
        if turns.agent_selection == agent:
            shown["last"] = turns.last()
            shown["refusals"] = _refusals(turns)
        for name in ("agent_selection", "terminations", "truncations"):
            shown[name] = getattr(turns, name)
        yield {name: [part] for name, part in shown.items()}


def _alone(positions: Positions, seat: int) -> Iterator[Shown]:
    """Gymnasium's environment of one seat, in words."""
    setting, mine = positions.setting, positions.select(positions.waiting_for(seat))
    usual = _usual(positions, setting.game.observation_forms[-1])
    env = SeatEnv(setting.game, setting.num_players, seat=seat, render_mode="ansi", **usual)
    for row in range(len(mine)):
        env.set_state(_saved_seats(mine.select(np.array([row])), seat))
        shown = {
            "observation": env._seen(),
            "info": env._info(),
            "action_masks()": env.action_masks(),
            "own score": env.results()[0][seat],
            "render()": env.render(),
            "repr": repr(env),
            "refusals": _refusals(env),
        }
        yield {name: [part] for name, part in shown.items()}


def _refusals(env: TurnBasedEnv | SeatEnv) -> list[str]:
    """Return the error messages for some illegal actions of the seat to play."""
    told: list[str] = []
    mask = env.infos[env.agent_selection] if isinstance(env, TurnBasedEnv) else env._info()
    illegal = np.flatnonzero(mask["action_mask"] == 0)
    if env.settings.game.num_actions == len(illegal):
        return told
    for action in (
        illegal[np.linspace(0, len(illegal) - 1, TRIED).astype(int)] if len(illegal) else ()
    ):
        try:
            env.step(int(action))
        except IllegalActionError as error:
            told.append(str(error))
        else:
            raise AssertionError(f"the illegal action {action} is played")
    return told


def _in_words(positions: Positions, seat: int) -> Iterator[Shown]:
    """The text board with the last move, and the legal moves by name."""
    game = positions.setting.game
    for state in positions.states:
        states, last = np.atleast_1d(state), last_action_of(state)
        shown: dict[str, Any] = {
            "describe": game.describe(state, seat, last),
            "points_seen": game.points_seen(state, seat),
        }
        if state["to_play"] == seat:
            shown["legal_actions_text"] = game.legal_actions_text(states)
        yield {name: [part] for name, part in shown.items()}


def _in_pictures(positions: Positions, seat: int) -> Iterator[Shown]:
    """The picture for the seat."""
    game = positions.setting.game
    for state in positions.states:
        picture = game.draw(state, seat, last_action_of(state), clickable=True)
        yield {"draw": [picture.svg()]}


# Interface → its output, and n if only every n-th position is checked.
INTERFACES: Mapping[str, tuple[Callable[[Positions, int], Iterator[Shown]], int]] = {
    "batch": (_in_batch, 1),
    "vectors": (_in_vectors, VECTORS),
    "turns": (_in_turns, ONE_BY_ONE),
    "one seat": (_alone, ONE_BY_ONE),
    "words": (_in_words, ONE_BY_ONE),
    "pictures": (_in_pictures, PICTURES),
}


# Comparing


def check_leaks(game: Game, positions: int = 2000, seed: int = 0) -> float:
    """Check that no interface of ``game`` shows a seat hidden information.

    Args:
        game: a game on the engine contract.
        positions: number of positions, over all settings.
        seed: seed of the games and the redraws.

    Returns:
        The share of the positions in which a redraw changed something; if it is 0, there is nothing
        to hide, or ``determinize`` misses it.

    Raises:
        AssertionError: something leaks; the message names the interface, position and seat.
    """
    chosen = settings(game)
    changed = looked_at = 0
    for number, setting in enumerate(chosen):
        count = len(range(number, positions, len(chosen)))
        if count:
            played = play_positions(setting, PLAYED * count, seed + number)
            one, other = _check_setting(_hiding_first(played, count, seed), seed)
            changed, looked_at = changed + one, looked_at + other
    return changed / looked_at


def _hiding_first(positions: Positions, count: int, seed: int) -> Positions:
    """Return ``count`` of the positions, with hidden information in three of four if possible.

    Such positions are rare in some games.
    """
    hides = np.zeros(len(positions), np.bool_)
    for seat in positions.setting.seats:
        hides |= _differing(positions.states, positions.redrawn(seat, seed).states)
    hiding = np.flatnonzero(hides)[: 3 * count // 4]
    others = np.setdiff1d(np.arange(len(positions)), hiding)[: count - len(hiding)]
    # In the order in which they were played, so that every n-th is a fair sample.
    return positions.select(np.union1d(hiding, others))


def _check_setting(positions: Positions, seed: int) -> tuple[int, int]:
    changed = looked_at = 0
    for seat in positions.setting.seats:
        redrawn = positions.redrawn(seat, seed)
        changed += int(_differing(positions.states, redrawn.states).sum())
        looked_at += len(positions)
        for name, (show, every) in INTERFACES.items():
            # Slow interfaces check each position from one seat.
            rows = np.arange(len(positions))
            if every > 1:
                rows = rows[rows % every == 0]
                rows = rows[rows // every % positions.setting.num_players == seat]
            if len(rows):
                _compare(name, positions.select(rows), redrawn.select(rows), seat, show)
    return changed, looked_at


def _differing(states: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return which records differ in more than future chance."""
    names = [name for name in states.dtype.names or () if name not in LUCK]
    differ = np.zeros(len(states), np.bool_)
    for name in names:
        differ |= (states[name] != others[name]).reshape(len(states), -1).any(axis=1)
    return differ


def _compare(
    interface: str, positions: Positions, redrawn: Positions, seat: int, show: Callable
) -> None:
    pairs = zip(show(positions, seat), show(redrawn, seat), strict=True)
    for number, (one, other) in enumerate(pairs):
        for name in {**one, **other}:
            if not _equal(one.get(name), other.get(name)):
                raise AssertionError(
                    f"{positions.setting}, {interface}: {name} shows seat {seat} what it can't "
                    f"know{_where(one.get(name), other.get(name), number)}"
                )


def _equal(one: Any, other: Any) -> bool:
    """Return whether two answers are the same: dicts, sequences, arrays, words or numbers."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    return np.array_equal(one, other)


def _where(one: Any, other: Any, number: int) -> str:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and one.shape == other.shape:
        differ = np.argwhere(one != other)
        return f": at {differ[0].tolist()} and {len(differ) - 1} more places"
    return f": answer {number}, {one!r} or {other!r}"[:2000]
