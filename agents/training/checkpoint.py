"""What a checkpoint holds beside torch's own state: pool, games and generators, as plain values.

Only numbers, texts and tensors, so that reading a checkpoint can't run code.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from ludotheque.envs import get_game

from ..base import Agent, needs_train
from ..networks import Network, make_network
from ..policy import PolicyAgent
from ..pool import OpponentPool

try:
    import torch

    from ..sb3 import SeatVecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error


def _pack_network(network: Network) -> dict[str, Any]:
    arrays = {name: torch.from_numpy(array) for name, array in network.arrays.items()}
    return {"about": network.about(), "arrays": arrays}


def _unpack_network(packed: dict[str, Any], game: Any) -> Network:
    arrays = {name: tensor.numpy() for name, tensor in packed["arrays"].items()}
    return make_network(packed["about"], arrays, get_game(game))


def pack_pool(pool: OpponentPool) -> dict[str, Any]:
    state = pool.get_state()
    selves = [(name, _pack_network(network)) for name, network in state["selves"]]
    return {**state, "selves": selves}


def unpack_pool(pool: OpponentPool, packed: dict[str, Any]) -> dict[str, Agent]:
    """Fill the pool; return all its agents by name."""
    selves = [(name, _unpack_network(network, pool.game)) for name, network in packed["selves"]]
    pool.set_state({**packed, "selves": selves})
    return {**pool.agents, **{agent.name: agent for agent in pool.selves}}


def unpack_evicted(pool: OpponentPool, packed: dict[str, Any]) -> dict[str, Agent]:
    """Return the past selves that left the pool but still play a game."""
    agents: dict[str, Agent] = {}
    for name, network in packed.items():
        agents[name] = PolicyAgent(pool.game, _unpack_network(network, pool.game), pool.observation)
        agents[name].name = name
    return agents


def pack_env(env: SeatVecEnv) -> dict[str, Any]:
    state = env.get_state()
    pool = env.pool(0)
    names = {number: agent.name for number, agent in state["agents"].items()}
    kept = {*pool.agents, *(agent.name for agent in pool.selves)}
    evicted = {
        agent.name: _pack_network(agent.network)
        for agent in state["agents"].values()
        if agent.name not in kept
    }
    # Records as bytes: torch has no record types.
    packed = {"states": torch.from_numpy(state["states"].view(np.uint8).copy())}
    for name in ("learner", "agent_of", "returns", "lengths"):
        packed[name] = torch.from_numpy(state[name])
    return {**packed, "names": names, "evicted": evicted}


def unpack_env(env: SeatVecEnv, packed: dict[str, Any], agents: dict[str, Agent]) -> np.ndarray:
    """Take up the saved games; return the learner's observations."""
    state = {name: packed[name].numpy() for name in ("learner", "agent_of", "returns", "lengths")}
    state["states"] = packed["states"].numpy().view(env.game.dtype)
    state["agents"] = {number: agents[name] for number, name in packed["names"].items()}
    return env.set_state(state)


def rng_state() -> dict[str, Any]:
    kind, words, position, has_gauss, gauss = np.random.get_state(legacy=True)
    version, integers, normal = random.getstate()
    state = {
        "torch": torch.get_rng_state(),
        "numpy": [kind, torch.from_numpy(np.asarray(words, np.int64)), position, has_gauss, gauss],
        "python": [version, list(integers), normal],
    }
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    return state


def set_rng_state(state: dict[str, Any]) -> None:
    torch.set_rng_state(state["torch"])
    kind, words, *rest = state["numpy"]
    np.random.set_state((kind, words.numpy().astype(np.uint32), *rest))
    version, integers, normal = state["python"]
    random.setstate((version, tuple(integers), normal))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])
