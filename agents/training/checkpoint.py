"""The contents of a PPO run's checkpoint: JSON values, and arrays by name.

Arrays are called ``policy/NAME``, ``adam/NUMBER/NAME``, ``games/NAME``, ``pool/NAME`` (of all past
policies, one row each) and ``evicted/NAME`` (of those that have left the pool but are still
playing).
Generators aren't saved: they are seeded anew before each rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.loading import (
    COUNT,
    MEGABYTE,
    NUMBER,
    OBJECT,
    OBJECTS,
    SECONDS,
    TEXT,
    TEXTS,
    Kind,
    Shapes,
    check_fields,
    check_numbers,
    or_null,
)

from ..base import Agent, needs_train
from ..networks import Network, make_network
from ..policy import PolicyAgent
from ..pool import OpponentPool

try:
    import torch

    from ..sb3 import SeatVecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error


FORMAT = 2
_SHARE = Kind("a number from 0 to 1", lambda value: NUMBER.holds(value) and 0 <= value <= 1)
FIELDS = {
    "format": Kind(f"{FORMAT}", lambda value: value == FORMAT),
    "steps": COUNT,
    "updates": COUNT,
    "seconds": SECONDS,
    "learning_rate_left": _SHARE,
    "marks": OBJECT,
    "best": or_null(NUMBER),
    "evaluations": OBJECTS,
    "pool": OBJECTS,
    "evicted": TEXTS,
    "agents": OBJECTS,
}
_MOMENTS = ("exp_avg", "exp_avg_sq")


def pack_policy(policy: Any) -> dict[str, np.ndarray]:
    """Return a policy's weights and the state of Adam, which is empty before the first update."""
    arrays = {f"policy/{name}": part for name, part in policy.state_dict().items()}
    for number, moments in policy.optimizer.state_dict()["state"].items():
        arrays |= {f"adam/{number}/{name}": part for name, part in moments.items()}
    return {name: part.detach().cpu().numpy().copy() for name, part in arrays.items()}


def unpack_policy(policy: Any, arrays: Mapping[str, np.ndarray]) -> None:
    """Restore what ``pack_policy`` returned, with the names and shapes of ``shapes``.

    Raises:
        ValueError: weights or moments that no training comes to.
    """
    for name, array in arrays.items():
        if name.startswith(("policy/", "pool/", "evicted/")):
            check_numbers(array, name)
        # Adam takes square roots of values derived from these.
        elif name.endswith(("/step", "/exp_avg_sq")) and array.min(initial=0.0) < 0:
            raise ValueError(f"{name} holds {array.min():g}; the least is 0")
    weights = {name: torch.from_numpy(arrays[f"policy/{name}"]) for name in policy.state_dict()}
    policy.load_state_dict(weights)
    if "adam/0/step" not in arrays:
        return
    state = {
        number: {
            name: torch.from_numpy(arrays[f"adam/{number}/{name}"]) for name in ("step", *_MOMENTS)
        }
        for number in range(len(_parameters(policy)))
    }
    policy.optimizer.load_state_dict({**policy.optimizer.state_dict(), "state": state})


def _parameters(policy: Any) -> list[torch.Tensor]:
    return [one for group in policy.optimizer.param_groups for one in group["params"]]


def pack_games(env: SeatVecEnv, pool: OpponentPool) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the games in progress and the past policies as JSON values and arrays."""
    state = env.get_state()
    arrays = {f"games/{name}": state[name] for name in _games(env) if name != "states"}
    # As plain bytes: an array of records couldn't be validated when it is read.
    arrays["games/states"] = state["states"].view(np.uint8).reshape(env.num_envs, -1)
    # By what the run calls them: two agents may have the same name of their own.
    names = {id(agent): name for name, agent in pool.agents.items()}
    names |= {id(agent): agent.name for agent in pool.selves}
    playing = state["agents"]
    evicted = {agent.name: agent for agent in playing.values() if id(agent) not in names}
    for part, agents in (("pool", pool.selves), ("evicted", evicted.values())):
        networks = [agent.network.arrays for agent in agents]
        for name in networks[0] if networks else ():
            arrays[f"{part}/{name}"] = np.stack([one[name] for one in networks])
    about = {
        "pool": [
            {"name": agent.name, "win_rate": pool.win_rate(agent.name)} for agent in pool.selves
        ],
        "evicted": [*evicted],
        "agents": [
            {"number": number, "name": names.get(id(agent)) or agent.name}
            for number, agent in playing.items()
        ],
    }
    return about, arrays


def unpack_games(
    env: SeatVecEnv,
    pool: OpponentPool,
    about: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    like: Network,
) -> np.ndarray:
    """Restore what ``pack_games`` returned, and return the learner's observations.

    Raises:
        ValueError: they don't fit together.
    """

    def network(part: str, number: int) -> Network:
        own = {name: arrays[f"{part}/{name}"][number] for name in like.arrays}
        return make_network(like.about(), own, env.game)

    for one in about["pool"]:
        check_fields(one, {"name": TEXT, "win_rate": _SHARE})
    for one in about["agents"]:
        check_fields(one, {"number": COUNT, "name": TEXT})
    names = [*pool.agents, *(one["name"] for one in about["pool"]), *about["evicted"]]
    if len(set(names)) != len(names):
        raise ValueError(f"two agents have one name: {names}")
    selves = [(one["name"], network("pool", k)) for k, one in enumerate(about["pool"])]
    rates = {one["name"]: one["win_rate"] for one in about["pool"]}
    agents: dict[str, Agent] = {}
    for number, name in enumerate(about["evicted"]):
        agents[name] = PolicyAgent(env.game, network("evicted", number), pool.observation)
        agents[name].name = name
    pool.set_state({"selves": selves, "win_rates": rates})
    agents |= {**pool.agents, **{agent.name: agent for agent in pool.selves}}
    playing = {one["number"]: one["name"] for one in about["agents"]}
    unknown = set(playing.values()) - set(agents)
    if unknown:
        raise ValueError(f"{sorted(unknown)} play, which are no agents of the run")
    state: dict[str, Any] = {name: arrays[f"games/{name}"] for name in _games(env)}
    state["states"] = np.ascontiguousarray(state["states"]).view(env.game.dtype)[:, 0]
    state["agents"] = {number: agents[name] for number, name in playing.items()}
    return env.set_state(state)


def _games(env: SeatVecEnv) -> Shapes:
    """Return types and shapes of the saved games."""
    count, seats = env.num_envs, env.settings.num_players
    return {
        "states": (np.uint8, (count, env.game.dtype.itemsize)),
        "learner": (np.int64, (count,)),
        "agent_of": (np.int64, (count, seats)),
        "returns": (np.float64, (count,)),
        "lengths": (np.int64, (count,)),
    }


def shapes(
    about: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
    policy: Any,
    env: SeatVecEnv,
    pool: OpponentPool,
    like: Network,
) -> Shapes:
    """Return names, types and shapes of the arrays of a checkpoint.

    Raises:
        ValueError: it has more past policies than the run.
    """
    check_whole(len(about["pool"]), "number of past policies", 0, pool.capacity)
    check_whole(len(about["evicted"]), "number of evicted policies", 0, _most_evicted(env))
    wanted = {f"games/{name}": kind for name, kind in _games(env).items()}
    wanted["episode_starts"] = (np.uint8, (env.num_envs,))
    for name, part in policy.state_dict().items():
        wanted[f"policy/{name}"] = (np.float32, tuple(part.shape))
    if "adam/0/step" in arrays:
        for number, part in enumerate(_parameters(policy)):
            wanted[f"adam/{number}/step"] = (np.float32, ())
            for name in _MOMENTS:
                wanted[f"adam/{number}/{name}"] = (np.float32, tuple(part.shape))
    for part in ("pool", "evicted"):
        if rows := len(about[part]):
            for name, array in like.arrays.items():
                wanted[f"{part}/{name}"] = (array.dtype, (rows, *array.shape))
    return wanted


def most_bytes(env: SeatVecEnv, pool: OpponentPool, like: Network) -> int:
    """Return how many bytes the arrays of a checkpoint may have."""
    network = sum(array.nbytes for array in like.arrays.values())
    # The learner has about two such networks, with a mean and a variance of each weight.
    learner = 6 * network + MEGABYTE
    game = env.game.dtype.itemsize + 8 * (env.settings.num_players + 4)
    others = pool.capacity + _most_evicted(env)
    return learner + env.num_envs * game + others * network


def _most_evicted(env: SeatVecEnv) -> int:
    return env.num_envs * (env.settings.num_players - 1)
