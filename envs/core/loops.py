"""The loops over a batch of games, written once and compiled for each game.

Each function here is a template: the names in ``KERNELS`` are bound to a game's own kernels by
``specialize``. ``states`` is always ``(num_envs,)`` records, and a loop works on ``start`` to
``stop``, so that several threads can share a batch. No loop allocates; results go to the arrays
passed in. Codes are returned, and Python raises the errors.

Arguments that belong together come as plain tuples, which numba's dispatcher reads as fast as
single arguments; a NamedTuple costs a microsecond more, a fifth of a step of one game.

    rule: ``(illegal, penalty, reward_kind)``, as ``Settings.rule`` gives it.
    outputs: the arrays that a step fills; each loop lists its own.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from .interpreted import Patience, interpret_first
from .jit import specialize
from .rewards import SCORE_CHANGE, WIN, forfeit_ranks, utilities
from .rng import GAMMA, decision_seed, mix64, next_seed, seat_of_seed
from .state import remember, write_history

ILLEGAL = ("raise", "lose", "penalty")
RAISE, LOSE, PENALTY = range(len(ILLEGAL))
PLAYED, REFUSED, FORFEITED, PENALIZED, GAME_OVER = range(5)

# Bound by ``compile_loops``; named here so that the templates read like any other code.
KERNELS = (
    "setup",
    "legal_actions",
    "is_legal",
    "random_action",
    "step",
    "observe",
    "returns",
    "determinize",
    "public_action",
)
setup = legal_actions = is_legal = random_action = step = observe = returns = determinize = None
public_action = None
final = ply = write_view = play_out = NUM_ACTIONS = None


def _final(state, scores, ranks):
    """Fill scores and ranks of the seats: of the finished game, or as if it ended now."""
    if state["forfeit"] >= 0:
        forfeit_ranks(state["forfeit"], state["num_players"], scores, ranks)
    else:
        returns(state, scores, ranks)


def _ply(state, action, rule, rewards, scores, ranks):
    """Play one action, fill every seat's reward for it, and return a code."""
    illegal, penalty, reward_kind = rule
    num_players = state["num_players"]
    for seat in range(num_players):
        rewards[seat] = 0.0
    if state["terminated"] or state["truncated"]:
        return GAME_OVER
    seat = state["to_play"]
    if action < 0 or action >= NUM_ACTIONS or not is_legal(state, action):
        if illegal == RAISE:
            return REFUSED
        if illegal == PENALTY:
            rewards[seat] = penalty
            return PENALIZED
        state["forfeit"] = seat
        state["terminated"] = True
        final(state, scores, ranks)
        if reward_kind <= WIN:
            utilities(reward_kind, scores, ranks, num_players, rewards)
        else:
            rewards[seat] = penalty
        return FORFEITED
    if reward_kind == SCORE_CHANGE:
        returns(state, scores, ranks)
        for other in range(num_players):
            rewards[other] = -scores[other]
    step(state, action)
    state["last_action"] = action
    told = public_action(state)
    if told >= 0:
        remember(state, seat, told)
    over = state["terminated"] or state["truncated"]
    if reward_kind == SCORE_CHANGE:
        returns(state, scores, ranks)
        for other in range(num_players):
            rewards[other] += scores[other]
    elif over:
        returns(state, scores, ranks)
        utilities(reward_kind, scores, ranks, num_players, rewards)
    return PLAYED


def play(states, action, rule, rewards, scores, ranks, seat_mask, now):
    """Play one action in the first game, fill every seat's reward for it, and return a code.

    Unless the action is refused, also fill what ``turn`` does.
    """
    code = ply(states[0], action, rule, rewards, scores, ranks)
    if code in (PLAYED, FORFEITED, PENALIZED):
        turn(states, 0, seat_mask, now)
    return code


def _write_view(state, seat, off_turn, observation, seat_mask):
    """Fill what ``seat`` observes and its mask; the mask is all ``off_turn`` if it can't act."""
    observe(state, seat, observation)
    if seat == state["to_play"] and not (state["terminated"] or state["truncated"]):
        legal_actions(state, seat_mask)
    else:
        seat_mask[:] = off_turn


def _play_out(state, word, scores, ranks):
    """Play uniformly random legal actions to the end; return how many there were."""
    plies = 0
    while not (state["terminated"] or state["truncated"]):
        word += GAMMA
        action = random_action(state, mix64(word))
        if action < 0:  # a position that was only set to be scored
            break
        step(state, action)
        plies += 1
    final(state, scores, ranks)
    return plies


def deal(states, start, stop, seeds, options):
    """Set up new games from ``seeds`` (uint64)."""
    for i in range(start, stop):
        setup(states[i], seeds[i], options)


def deal_rows(states, rows, seeds, options, learner, random_seat):
    """Set up new games in ``rows``; with ``random_seat``, draw who learns in each from its seed."""
    for k in range(len(rows)):
        setup(states[rows[k]], seeds[k], options)
        if random_seat:
            learner[rows[k]] = seat_of_seed(seeds[k], options[0])


def following_seeds(states, rows, seeds):
    """Fill the seeds of the games that follow those in ``rows``."""
    for k in range(len(rows)):
        seeds[k] = next_seed(states[rows[k]]["seed"])


def view(states, i, seat, observation):
    """What one seat observes in one game."""
    observe(states[i], seat, observation)


def turn(states, i, seat_mask, now):
    """Fill one game's mask for the seat to play, and ``(to_play, terminated, truncated)``.

    The mask is all zeros once the game is over.
    """
    state = states[i]
    now[0], now[1], now[2] = state["to_play"], state["terminated"], state["truncated"]
    if state["terminated"] or state["truncated"]:
        seat_mask[:] = 0
    else:
        legal_actions(state, seat_mask)


def views(states, start, stop, seats, off_turn, observations, masks):
    """Views of ``seats[i]``, or of the seat to play where that is -1."""
    for i in range(start, stop):
        seat = seats[i] if seats[i] >= 0 else np.int64(states[i]["to_play"])
        write_view(states[i], seat, off_turn, observations[i], masks[i])


def histories(states, start, stop, seats, out):
    """Histories as ``seats[i]``, or the seat to play where that is -1, counts the others."""
    for i in range(start, stop):
        seat = seats[i] if seats[i] >= 0 else np.int64(states[i]["to_play"])
        write_history(states[i], seat, out[i])


def first_illegal(states, rows, actions):
    """Return the first k for which ``actions[k]`` is illegal in game ``rows[k]``, -1 if none is.

    Finished games are skipped.
    """
    for k in range(len(rows)):
        state = states[rows[k]]
        if not (state["terminated"] or state["truncated"]):
            action = actions[k]
            if action < 0 or action >= NUM_ACTIONS or not is_legal(state, action):
                return k
    return -1


def random_actions(states, start, stop, actions):
    """Pick a uniformly random legal action in each game, by seed and ply; 0 in finished ones.

    In a position that was only set to be scored, there may be none: -1.
    """
    for i in range(start, stop):
        state = states[i]
        actions[i] = 0
        if not (state["terminated"] or state["truncated"]):
            actions[i] = random_action(state, mix64(decision_seed(state["seed"], state["ply"])))


def decision_seeds(states, start, stop, seeds):
    """Fill the seeds of the decisions to be taken now."""
    for i in range(start, stop):
        seeds[i] = decision_seed(states[i]["seed"], states[i]["ply"])


def advance(states, start, stop, actions, options, autoreset, rule, outputs):
    """Play an action in each game, set up a new one where one ended, and fill all outputs.

    ``outputs`` is ``(observations, masks, to_play, rewards, terminated, truncated, scores,
    ranks)``; ``scores`` and ``ranks`` keep the results of each environment's last finished game.
    """
    observations, masks, to_play, rewards, terminated, truncated, scores, ranks = outputs
    for i in range(start, stop):
        state = states[i]
        ply(state, actions[i], rule, rewards[i], scores[i], ranks[i])
        terminated[i] = state["terminated"]
        truncated[i] = state["truncated"]
        if autoreset and (terminated[i] or truncated[i]):
            setup(state, next_seed(state["seed"]), options)
    # A second pass is faster than observing each game right after its move.
    for i in range(start, stop):
        to_play[i] = states[i]["to_play"]
        write_view(states[i], to_play[i], 1, observations[i], masks[i])


def play_seats(states, start, stop, learner, random_seats, reward_kind, outputs):
    """Play the seats that act at random until another seat is to play or the game is over.

    Adds the reward of seat ``learner[i]`` to ``rewards[i]``. ``outputs`` is ``(rewards,
    seat_rewards, scores, ranks)``; ``seat_rewards`` holds every seat's reward of the last ply.
    """
    rewards, seat_rewards, scores, ranks = outputs
    rule = (RAISE, 0.0, reward_kind)
    for i in range(start, stop):
        state = states[i]
        while not (state["terminated"] or state["truncated"]):
            if not random_seats[i, state["to_play"]]:
                break
            action = random_action(state, mix64(decision_seed(state["seed"], state["ply"])))
            if action < 0:
                break
            ply(states[i], action, rule, seat_rewards[i], scores[i], ranks[i])
            rewards[i] += seat_rewards[i, learner[i]]


def play_rows(states, rows, actions, learner, rule, outputs):
    """Play ``actions[k]`` in game ``rows[k]``; ``outputs`` as in ``play_seats``."""
    rewards, seat_rewards, scores, ranks = outputs
    for k in range(len(rows)):
        i = rows[k]
        ply(states[i], actions[k], rule, seat_rewards[i], scores[i], ranks[i])
        rewards[i] += seat_rewards[i, learner[i]]


def playouts(states, start, stop, seeds, scores, ranks, plies):
    """Play each game to its end at random, in place; ``plies`` counts the actions."""
    for i in range(start, stop):
        plies[i] = play_out(states[i], seeds[i], scores[i], ranks[i])


def random_games(states, start, stop, seeds, options, games, scores, ranks):
    """Deal and play ``games`` random games on each record; return the number of actions."""
    plies = 0
    for i in range(start, stop):
        state = states[i]
        seed = seeds[i]
        for _ in range(games):
            setup(state, seed, options)
            plies += play_out(state, decision_seed(seed, 0), scores[i], ranks[i])
            seed = next_seed(seed)
    return plies


def results(states, start, stop, scores, ranks):
    """Fill scores and ranks of every seat (see ``_final``)."""
    for i in range(start, stop):
        final(states[i], scores[i], ranks[i])


def redraw(states, start, stop, seats, seeds):
    """Redraw what ``seats[i]``, or the seat to play where that is -1, cannot know."""
    for i in range(start, stop):
        seat = seats[i] if seats[i] >= 0 else np.int64(states[i]["to_play"])
        determinize(states[i], seat, seeds[i])


_INNER = {"final": _final, "ply": _ply, "write_view": _write_view, "play_out": _play_out}
# Never interpreted: each call plays whole games.
_LONG = {"playouts", "random_games"}
# Each template comes after those it calls.
_LOOPS = (
    turn,
    play,
    deal,
    deal_rows,
    following_seeds,
    view,
    views,
    histories,
    first_illegal,
    random_actions,
    decision_seeds,
    advance,
    play_seats,
    play_rows,
    playouts,
    random_games,
    results,
    redraw,
)


def compile_loops(
    name: str, num_actions: int, kernels: dict[str, Any], made: SimpleNamespace | None = None
) -> SimpleNamespace:
    """Return the loops of a game, compiled on first call, or after a second of single games.

    Args:
        name: of the game and the observation form, for the names in the kernel cache.
        num_actions: size of the mask.
        kernels: one kernel for each name in ``KERNELS``.
        made: loops of this game with another form, reused where they don't observe.
    """
    bound = {**kernels, "NUM_ACTIONS": num_actions}
    loops, patience = SimpleNamespace(), Patience()
    observing = {"observe"}
    for loop_name, template in {**_INNER, **{loop.__name__: loop for loop in _LOOPS}}.items():
        called = set(template.__code__.co_names)
        if called & observing:
            observing.add(loop_name)
        if made is None or loop_name in observing:
            wanted = {key: bound[key] for key in bound if key in called}
            bound[loop_name] = specialize(template, f"{name}_{loop_name}", **wanted)
            if loop_name not in _INNER and loop_name not in _LONG:
                interpret_first(bound[loop_name], patience)
        else:
            bound[loop_name] = getattr(made, loop_name)
        setattr(loops, loop_name, bound[loop_name])
    return loops
