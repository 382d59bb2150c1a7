"""Checks that every turn-based PettingZoo environment (AEC) with action masks should pass.

A check is a function of ``make``, which returns a new environment, and a seed. It plays random
legal games in its own environments, and raises AssertionError with an explanation if it fails. The
checks don't depend on the games of this suite, so they apply to any environment.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    BaseWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

Make = Callable[[], AECEnv]

# Errors that an environment may raise for an illegal action, without changing.
REFUSALS = (AssertionError, ValueError, IndexError)
# A longer game is considered endless.
MAX_PLIES = 100_000
# Plies at which positions are checked, in addition to a game's last position.
PLIES = (0, 1, 2, 5, 9, 14, 20, 27, 35, 44)


def _penalizing(env: AECEnv) -> AECEnv:
    return TerminateIllegalWrapper(env, illegal_reward=-1)


def _all_wrappers(env: AECEnv) -> AECEnv:
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(_penalizing(env)))


# PettingZoo's wrappers through which copies are tested.
WRAPPERS: dict[str, Callable[[AECEnv], AECEnv]] = {
    "no wrapper": lambda env: env,
    "BaseWrapper": BaseWrapper,
    "OrderEnforcingWrapper": OrderEnforcingWrapper,
    "AssertOutOfBoundsWrapper": AssertOutOfBoundsWrapper,
    "TerminateIllegalWrapper": _penalizing,
    "the usual three wrappers": _all_wrappers,
}
COPIES: dict[str, Callable[[AECEnv], AECEnv]] = {
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


# Playing


def clone(env: AECEnv) -> AECEnv:
    """Return an independent copy of ``env``, by its own ``clone`` if it has one."""
    return env.clone() if hasattr(env, "clone") else copy.deepcopy(env)


def legal_mask(env: AECEnv, agent: str) -> np.ndarray:
    """Return the action mask of ``agent``, from its observation or its info."""
    seen = env.observe(agent)
    if isinstance(seen, dict) and "action_mask" in seen:
        return seen["action_mask"]
    assert "action_mask" in env.infos[agent], (
        f"{agent} has no action_mask, neither seen nor in info"
    )
    return env.infos[agent]["action_mask"]


def is_over(env: AECEnv) -> bool:
    """Return whether the agent to act is done, or no agent is left."""
    if not env.agents:
        return True
    agent = env.agent_selection
    return bool(env.terminations[agent] or env.truncations[agent])


def random_legal(env: AECEnv, rng: np.random.Generator) -> int:
    """Return a random legal action of the agent to act."""
    return int(rng.choice(np.flatnonzero(legal_mask(env, env.agent_selection))))


def game(make: Make, seed: int) -> Iterator[AECEnv]:
    """Yield an environment at every ply of a random game, including its final position."""
    env = make()
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(MAX_PLIES):
        yield env
        if is_over(env):
            return
        env.step(random_legal(env, rng))
    raise AssertionError(f"the game of seed {seed} goes on after {MAX_PLIES} plies")


def positions(make: Make, seed: int) -> Iterator[AECEnv]:
    """Yield environments at some plies of a random game (``PLIES``) and at its end."""
    for ply, env in enumerate(game(make, seed)):
        if ply in PLIES or is_over(env):
            yield env


def snapshot(env: AECEnv) -> dict[str, Any]:
    """Return everything an environment shows about the game in progress, in new objects."""
    agents = list(env.agents)
    shown = {
        "agents": agents,
        "agent_selection": env.agent_selection if agents else None,
        "rewards": dict(env.rewards),
        "cumulative rewards": dict(env._cumulative_rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "infos": _kept(dict(env.infos)),
        "observations": {agent: _kept(env.observe(agent)) for agent in agents},
    }
    if hasattr(env.unwrapped, "state_digest"):
        shown["state_digest"] = env.unwrapped.state_digest()
    return shown


def _kept(value: Any) -> Any:
    """Return a deep copy; arrays and dicts of them take a fraction of ``copy.deepcopy``'s time."""
    if type(value) is dict:
        return {name: _kept(part) for name, part in value.items()}
    if type(value) is np.ndarray and not value.dtype.hasobject:
        return value.copy()
    return copy.deepcopy(value)


def difference(one: Any, other: Any, where: str = "") -> str | None:
    """Return where two nested values first differ, or None if they are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f"{where}: keys {sorted(map(str, one))} and {sorted(map(str, other))}"
        found = (difference(one[key], other[key], f"{where}[{key!r}]") for key in one)
        return next(filter(None, found), None)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return f"{where}: {len(one)} and {len(other)} items"
        found = (
            difference(a, b, f"{where}[{k}]")
            for k, (a, b) in enumerate(zip(one, other, strict=True))
        )
        return next(filter(None, found), None)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return _array_difference(np.asarray(one), np.asarray(other), where)
    same = one == other or (one != one and other != other)
    return None if same else f"{where}: {one!r} and {other!r}"


def _array_difference(one: np.ndarray, other: np.ndarray, where: str) -> str | None:
    if one.dtype != other.dtype or one.shape != other.shape:
        return f"{where}: {one.dtype} {one.shape} and {other.dtype} {other.shape}"
    if one.tobytes() == other.tobytes() or np.array_equal(
        one, other, equal_nan=one.dtype.kind == "f"
    ):
        return None
    first = tuple(int(k) for k in np.argwhere(one != other)[0])
    return f"{where}{list(first)}: {one[first]} and {other[first]}"


def _assert_same(one: dict, other: dict, what: str) -> None:
    where = difference(one, other)
    assert where is None, f"{what}: differs at {where}"


def _play_both(env: AECEnv, twin: AECEnv, seed: int, what: str) -> None:
    """Play the same random actions in both, beyond the end, comparing at every ply."""
    rng = np.random.default_rng(seed)
    _assert_same(snapshot(env), snapshot(twin), f"{what}, at once")
    ply = 0
    while env.agents:
        action = None if is_over(env) else random_legal(env, rng)
        env.step(action)
        twin.step(action)
        ply += 1
        _assert_same(snapshot(env), snapshot(twin), f"{what}, {ply} steps later")


def _usable(duplicate: Callable, env: AECEnv, what: str) -> AECEnv:
    """Return ``duplicate(env)`` after checking that it can be used."""
    try:
        twin = duplicate(env)
        snapshot(twin)
    except Exception as error:
        raise AssertionError(f"{what}: the copy can't be used: {error!r}") from error
    return twin


# The checks


def check_spaces(make: Make, seed: int = 0) -> None:
    """Spaces are the same objects at each call, and actions are numbered from 0."""
    env = make()
    env.reset(seed=seed)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent), (
            f"observation_space({agent!r}) makes a new space at each call: seeding it is lost"
        )
        assert env.action_space(agent) is env.action_space(agent), (
            f"action_space({agent!r}) makes a new space at each call: seeding it is lost"
        )
        space = env.action_space(agent)
        assert isinstance(space, Discrete) and space.start == 0, f"actions of {agent} are {space}"


def check_observations(make: Make, seed: int = 0) -> None:
    """Every agent's observation is in its space at every ply, and in the ranges of the schema."""
    for env in game(make, seed):
        for agent in env.agents:
            seen = env.observe(agent)
            space = env.observation_space(agent)
            assert space.contains(seen), f"what {agent} observes is not in its space: {seen}"
            schema = getattr(env.unwrapped, "observation_schema", None)
            if schema is not None:
                _assert_in_ranges(schema(), seen["observation"], agent)


def _assert_in_ranges(fields: Any, observation: np.ndarray, agent: str) -> None:
    numbers = observation.ravel()
    start = 0
    for field in fields:
        part = numbers[start : start + field.size]
        start += field.size
        assert field.low <= part.min() and part.max() <= field.high, (
            f"{field.name} of {agent} goes from {part.min()} to {part.max()}; the schema says "
            f"{field.low} to {field.high}"
        )
    assert start == numbers.size, f"the schema describes {start} numbers of {numbers.size}"


def check_mask_form(make: Make, seed: int = 0) -> None:
    """Masks are int8 of the exact shape, fit ``sample``, and are all zeros off turn."""
    for env in game(make, seed):
        for agent in env.agents:
            mask, space = legal_mask(env, agent), env.action_space(agent)
            assert isinstance(mask, np.ndarray), f"the mask of {agent} is a {type(mask).__name__}"
            assert mask.dtype == np.int8, f"the mask of {agent} is {mask.dtype}; sample wants int8"
            assert mask.shape == (space.n,), f"the mask of {agent} has shape {mask.shape}"
            assert np.isin(mask, (0, 1)).all(), f"the mask of {agent} holds {np.unique(mask)}"
            acts = agent == env.agent_selection and not is_over(env)
            assert mask.any() == acts, (
                f"{agent} {'is' if acts else 'is not'} to act, but its mask has {mask.sum()} ones"
            )
            if acts:
                assert mask[space.sample(mask)] == 1, "space.sample(mask) is not legal"
            in_info = env.infos[agent].get("action_mask", mask)
            assert np.array_equal(mask, in_info), f"{agent} has another mask in its info"


def check_masks_by_trial(make: Make, seed: int = 0) -> None:
    """Exactly the actions in the mask can be played, by trial; rejected ones change nothing."""
    for env in positions(make, seed):
        if is_over(env):
            return
        mask = legal_mask(env, env.agent_selection)
        before, trial = snapshot(env), None
        for action in range(len(mask)):
            # A refused action was seen to change nothing, so the same copy is tried again.
            if trial is None:
                trial = _usable(clone, env, "clone")
            accepted = _accepts(trial, action)
            assert accepted == bool(mask[action]), (
                f"action {action} is {'accepted' if accepted else 'refused'}, but its mask is "
                f"{mask[action]}"
            )
            if accepted:
                trial = None
            else:
                _assert_same(before, snapshot(trial), f"after the refused action {action}")
        _assert_same(before, snapshot(env), "after trying all actions in copies")


def _accepts(env: AECEnv, action: int) -> bool:
    try:
        env.step(action)
    except REFUSALS:
        return False
    return True


def check_out_of_bounds(make: Make, seed: int = 0) -> None:
    """Numbers outside the action space are rejected and change nothing."""
    for env in positions(make, seed):
        if is_over(env):
            return
        before = snapshot(env)
        size = int(env.action_space(env.agent_selection).n)
        for action in (-1, size, size + 1, 10**6):
            assert not _accepts(env, action), f"{action} is accepted; actions are 0 to {size - 1}"
            _assert_same(before, snapshot(env), f"after the refused action {action}")


def check_copies(make: Make, seed: int = 0) -> None:
    """Copies made in mid-game continue like the original, which they leave unchanged."""
    for label, wrap in WRAPPERS.items():
        for how, duplicate in COPIES.items():
            # Wrappers hold little state: one ply in the middle and the end are enough.
            plies = (0, 1, 7) if label == "no wrapper" else (7,)
            wrapped, what = partial(_wrapped, wrap, make), f"{how} through {label}"
            _check_copies(wrapped, duplicate, what, seed, plies)
    if hasattr(make(), "clone"):
        _check_copies(make, clone, "clone", seed)


def _wrapped(wrap: Callable[[Any], Any], make: Make) -> Any:
    return wrap(make())


def _check_copies(
    make: Make, duplicate: Callable, what: str, seed: int, plies: tuple[int, ...] = (0, 1, 7)
) -> None:
    for ply in (*plies, MAX_PLIES):
        env = _at(make, seed, ply)
        _assert_leaves_alone(env, duplicate, what, seed)
        _assert_same_samples(env, duplicate, what)
        twin = _usable(duplicate, env, f"{what} at ply {ply}")
        _play_both(env, twin, seed + 1, f"{what} at ply {ply}")


def _at(make: Make, seed: int, ply: int) -> AECEnv:
    """Return an environment after ``ply`` plies of a random game, or at its end."""
    for count, env in enumerate(game(make, seed)):
        if count == ply or is_over(env):
            return env
    raise AssertionError("the game has no positions")


def _assert_leaves_alone(env: AECEnv, duplicate: Callable, what: str, seed: int) -> None:
    before = snapshot(env)
    twin = _usable(duplicate, env, what)
    rng = np.random.default_rng(seed)
    while twin.agents:
        twin.step(None if is_over(twin) else random_legal(twin, rng))
    twin.reset(seed=seed + 1)
    _assert_same(before, snapshot(env), f"{what}: playing the copy changed the original")


def _assert_same_samples(env: AECEnv, duplicate: Callable, what: str) -> None:
    agent = env.agent_selection
    mask = None if is_over(env) else legal_mask(env, agent)
    env.action_space(agent).seed(5)
    twin = duplicate(env)
    ours = [int(env.action_space(agent).sample(mask)) for _ in range(5)]
    theirs = [int(twin.action_space(agent).sample(mask)) for _ in range(5)]
    assert ours == theirs, f"{what}: the action space draws {theirs}, the original {ours}"


def check_observe_is_pure(make: Make, seed: int = 0) -> None:
    """Observing has no side effects, for any agent at any ply, and returns new arrays."""
    unwatched = game(make, seed)
    for env in game(make, seed):
        for agent in env.agents:
            before = snapshot(env)
            seen = env.observe(agent)
            kept = copy.deepcopy(seen)
            _overwrite(seen)
            again = env.observe(agent)
            where = difference(kept, again)
            assert where is None, f"{agent} observes something else the second time: {where}"
            _assert_same(before, snapshot(env), f"after {agent} observed")
        _assert_same(snapshot(next(unwatched)), snapshot(env), "a game that nobody looked at")


def _overwrite(seen: Any) -> None:
    for part in seen.values() if isinstance(seen, dict) else [seen]:
        if isinstance(part, np.ndarray):
            part[...] = 1 - part


def check_rewards(make: Make, seed: int = 0) -> None:
    """``last`` returns the sum of an agent's rewards since its last action, all finite."""
    env = make()
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    owed = dict.fromkeys(env.agents, 0.0)
    while env.agents:
        agent = env.agent_selection
        assert np.isclose(env.last()[1], owed[agent], atol=1e-5), (
            f"{agent} gets a reward of {env.last()[1]}; since its last action it got {owed[agent]}"
        )
        if is_over(env):
            env.step(None)
            continue
        env.step(random_legal(env, rng))
        owed[agent] = 0.0
        assert set(env.rewards) == set(env.agents), f"rewards are of {sorted(env.rewards)}"
        for other, reward in env.rewards.items():
            assert np.isfinite(reward), f"{other} got a reward of {reward}"
            owed[other] += reward


def check_zero_sum(make: Make, seed: int = 0) -> None:
    """The rewards of every ply add up to 0 (for games and reward options where they should)."""
    for env in game(make, seed):
        total = sum(env.rewards.values())
        assert abs(total) < 1e-5, f"the rewards {env.rewards} add up to {total}"


def check_end(make: Make, seed: int = 0) -> None:
    """At the end all agents are done, take one step with None each, and need a reset."""
    for env in game(make, seed):
        done = {agent: env.terminations[agent] or env.truncations[agent] for agent in env.agents}
        assert all(done.values()) or not is_over(env), f"done are {done}"
    for left in range(len(env.agents), 0, -1):
        before = snapshot(env)
        try:
            env.step(0)
        except ValueError:
            _assert_same(before, snapshot(env), "after an action for an agent that is done")
        else:
            raise AssertionError(f"{env.agent_selection} is done, but may still act")
        env.step(None)
        assert len(env.agents) == left - 1, f"{left} agents were left, now {len(env.agents)} are"
    assert list(env.agent_iter()) == [], "agent_iter goes on when nobody is left"
    env.reset(seed=seed)
    assert env.agents == env.possible_agents, f"after reset the agents are {env.agents}"
    assert not is_over(env), "the game is over right after reset"


def check_seats(make: Make, seed: int = 0) -> None:
    """Every agent gets to act, and nobody else does."""
    acted: set[str] = set()
    for number in range(5):
        for env in game(make, seed + number):
            assert env.agent_selection in env.agents, f"to act is {env.agent_selection}"
            acted.add(env.agent_selection)
    assert acted == set(env.possible_agents), f"only {sorted(acted)} ever act"


def check_first_seat_varies(make: Make, seed: int = 0) -> None:
    """Every agent starts some game (for games with a random first player)."""
    first = set()
    env = make()
    for number in range(20 * len(env.possible_agents)):
        env.reset(seed=seed + number)
        first.add(env.agent_selection)
    assert first == set(env.possible_agents), f"only {sorted(first)} ever begin"


def check_seeding(make: Make, seed: int = 0) -> None:
    """A seed determines the game: in two environments, and after a reset in mid-game."""
    one, other = make(), make()
    one.reset(seed=seed)
    other.reset(seed=seed + 1)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        if not is_over(other):
            other.step(random_legal(other, rng))
    other.reset(seed=seed)
    _play_both(one, other, seed, "the same seed again")


def check_unseeded_resets(make: Make, seed: int = 0) -> None:
    """Resets without a seed continue from the first seed, which determines the whole run."""
    one, other = make(), make()
    one.reset(seed=seed)
    other.reset(seed=seed)
    for _ in range(3):
        one.reset()
        other.reset()
        _assert_same(snapshot(one), snapshot(other), "the game after the one that was seeded")


AEC_CHECKS = (
    check_spaces,
    check_observations,
    check_mask_form,
    check_masks_by_trial,
    check_out_of_bounds,
    check_copies,
    check_observe_is_pure,
    check_rewards,
    check_end,
    check_seats,
    check_seeding,
    check_unseeded_resets,
)


def check_aec(
    make: Make, seed: int = 0, *, zero_sum: bool = False, first_varies: bool = False
) -> None:
    """Run all checks of this module on the environments that ``make`` returns.

    Args:
        make: returns a new environment that raises an error for an illegal action.
        seed: seed of the games, a number from 0.
        zero_sum: the rewards of every ply add up to 0.
        first_varies: the first agent to act is random.

    Raises:
        AssertionError: for the first check that fails, with an explanation.
    """
    checks = [*AEC_CHECKS]
    if zero_sum:
        checks.append(check_zero_sum)
    if first_varies:
        checks.append(check_first_seat_varies)
    for check in checks:
        check(make, seed)
