"""The contents of a checkpoint besides torch's state: pool, games and generators, as plain values.

Only numbers, strings and tensors, so that reading a checkpoint can't run code.
"""

from __future__ import annotations

import io
import pickletools
import random
import re
import reprlib
import zipfile
from typing import Any

import numpy as np

from ludotheque.envs import get_game
from ludotheque.envs.core.errors import check_finite, check_whole
from ludotheque.envs.core.loading import (
    COUNT,
    MEGABYTE,
    NUMBER,
    OBJECT,
    OBJECTS,
    Kind,
    Source,
    check_fields,
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


# What pickles of tensors, numbers and texts call.
_CALLS = ("GLOBAL", "STACK_GLOBAL", "INST", "EXT1", "EXT2", "EXT4")
_PLAIN = re.compile(r"collections OrderedDict|torch \w+Storage|torch\._utils _rebuild_tensor_v2")
_FIELDS = {
    "format": Kind("1", lambda value: value == 1),
    "steps": COUNT,
    "updates": COUNT,
    "seconds": NUMBER,
    "policy": OBJECT,
    "optimizer": OBJECT,
    "learning_rate_left": NUMBER,
    "rng": OBJECT,
    "pool": OBJECT,
    "env": OBJECT,
    "marks": OBJECT,
    "best": or_null(NUMBER),
    "evaluations": OBJECTS,
}
MOST_BYTES = 4096 * MEGABYTE
# Words in the state of a Mersenne Twister.
MT_WORDS = 624


def _pack_network(network: Network) -> dict[str, Any]:
    arrays = {name: torch.from_numpy(array) for name, array in network.arrays.items()}
    return {"about": network.about(), "arrays": arrays}


def _unpack_network(packed: dict[str, Any], game: Any, like: Network) -> Network:
    check_like(packed, _pack_network(like), "a past self")
    arrays = {name: tensor.numpy() for name, tensor in packed["arrays"].items()}
    return make_network(packed["about"], arrays, get_game(game))


def pack_pool(pool: OpponentPool) -> dict[str, Any]:
    state = pool.get_state()
    selves = [(name, _pack_network(network)) for name, network in state["selves"]]
    return {**state, "selves": selves}


def unpack_pool(pool: OpponentPool, packed: dict[str, Any], like: Network) -> dict[str, Agent]:
    """Fill the pool with networks built as ``like``; return all its agents by name."""
    selves = [
        (str(name), _unpack_network(network, pool.game, like)) for name, network in packed["selves"]
    ]
    rates = packed["win_rates"]
    if len(selves) > pool.capacity or {name for name, _ in selves} != set(rates):
        raise ValueError(f"a pool of {len(selves)} past selves with {len(rates)} win rates")
    check_fields(rates, dict.fromkeys(rates, NUMBER))
    pool.set_state({"selves": selves, "win_rates": rates})
    return {**pool.agents, **{agent.name: agent for agent in pool.selves}}


def unpack_evicted(pool: OpponentPool, packed: dict[str, Any], like: Network) -> dict[str, Agent]:
    """Return the past policies that left the pool but are still playing a game."""
    agents: dict[str, Agent] = {}
    for name, network in packed.items():
        own = _unpack_network(network, pool.game, like)
        agents[name] = PolicyAgent(pool.game, own, pool.observation)
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
    """Restore the saved games and return the learner's observations."""
    count, seats = env.num_envs, env.settings.num_players
    like = {
        "states": torch.zeros(env.states.nbytes, dtype=torch.uint8),
        "learner": torch.zeros(count, dtype=torch.int64),
        "agent_of": torch.zeros((count, seats), dtype=torch.int64),
        "returns": torch.zeros(count, dtype=torch.float64),
        "lengths": torch.zeros(count, dtype=torch.int64),
    }
    check_like({name: packed[name] for name in like}, like, "the games")
    state = {name: packed[name].numpy() for name in ("learner", "agent_of", "returns", "lengths")}
    state["states"] = np.ascontiguousarray(packed["states"].numpy()).view(env.game.dtype)
    state["agents"] = {number: agents[name] for number, name in packed["names"].items()}
    return env.set_state(state)


def read_saved(source: Source) -> dict[str, Any]:
    """Return the contents of a checkpoint after checking its fields; no code in it is run.

    Raises:
        FileError: it is damaged.
    """
    packed = _repacked(source)
    try:
        saved = torch.load(packed, weights_only=True, map_location="cpu")
    except Exception as error:  # torch documents no kinds
        raise source.error(f"{type(error).__name__}: {str(error).splitlines()[:1]}") from error
    source.check_fields(saved, "it", _FIELDS)
    return saved


def _repacked(source: Source) -> io.BytesIO:
    """Return a checkpoint's members in a new archive.

    torch would look for them in the file in another way than the checks.
    """
    members = source.read_stored(MOST_BYTES)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in members.items():
            if name.endswith("data.pkl"):
                _check_pickle(source, data)
            archive.writestr(name, data)
    packed.seek(0)
    return packed


def _check_pickle(source: Source, data: bytes) -> None:
    """Raise FileError if a pickle calls anything but what torch needs for plain tensors.

    torch itself allows more, for example arrays of any number of bytes.
    """
    try:
        called = {arg for code, arg, _ in pickletools.genops(data) if code.name in _CALLS}
    except Exception as error:  # it documents no kinds
        raise source.error(f"{type(error).__name__}: {error}") from error
    unknown = {name for name in called if name is None or not _PLAIN.fullmatch(name)}
    if unknown:
        raise source.error(f"it has more than plain tensors: {sorted(map(str, unknown))[:3]}")


def load_optimizer(optimizer: Any, saved: Any) -> None:
    """Restore the state of Adam; its settings are those of this run."""
    whole = optimizer.state_dict()
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    like = {
        number: {"step": torch.zeros(()), "exp_avg": one, "exp_avg_sq": one}
        for number, one in enumerate(parameters)
    }
    check_fields(saved, {"state": OBJECT})
    # Before the first update there is none.
    if saved["state"]:
        check_like(saved["state"], like, "the optimizer")
        for found in saved["state"].values():
            if found["step"] < 0 or (found["exp_avg_sq"] < 0).any():
                raise ValueError("the optimizer: step or exp_avg_sq is below 0")
    optimizer.load_state_dict({**whole, "state": saved["state"]})


def check_like(found: Any, wanted: Any, where: str) -> None:
    """Check that ``found`` has the structure of ``wanted``: keys, lengths, dtypes and shapes.

    Raises:
        ValueError: it doesn't, or contains numbers that aren't finite.
    """
    if isinstance(wanted, torch.Tensor):
        good = isinstance(found, torch.Tensor) and found.layout == torch.strided
        if not good or (found.dtype, found.shape) != (wanted.dtype, wanted.shape):
            told = (
                f"a tensor {found.dtype} {tuple(found.shape)}" if good else reprlib.repr(found)[:60]
            )
            raise ValueError(
                f"{where} is {told}, not a tensor {wanted.dtype} {tuple(wanted.shape)}"
            )
        if wanted.is_floating_point() and not torch.isfinite(found).all():
            raise ValueError(f"{where} holds numbers that aren't finite")
    elif isinstance(wanted, dict):
        if not isinstance(found, dict) or set(found) != set(wanted):
            raise ValueError(f"{where} has not the fields {', '.join(map(str, wanted))}")
        for name in wanted:
            check_like(found[name], wanted[name], f"{where}: {name}")
    elif found != wanted:
        raise ValueError(f"{where} is {found!r}, not {wanted!r}")


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
    """Restore ``rng_state``; raise an error of any kind for invalid states."""
    _check_torch(state["torch"])
    torch.set_rng_state(state["torch"])
    kind, words, position, has_gauss, gauss = state["numpy"]
    check_like(words, torch.zeros(MT_WORDS, dtype=torch.int64), "numpy's generator")
    check_whole(int(words.min()), "the least word of numpy's generator", 0)
    check_whole(int(words.max()), "the greatest word of numpy's generator", 0, 2**32 - 1)
    # numpy doesn't check the position.
    check_whole(position, "the position of numpy's generator", 0, MT_WORDS)
    check_whole(has_gauss, "has_gauss of numpy's generator", 0, 1)
    check_finite(gauss, "gauss of numpy's generator")
    np.random.set_state((kind, words.numpy().astype(np.uint32), position, has_gauss, gauss))
    version, integers, normal = state["python"]
    random.setstate((version, tuple(integers), normal))
    if "cuda" in state and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(state["cuda"])


def _check_torch(state: torch.Tensor) -> None:
    """Check where torch's generator is in its words, which torch doesn't."""
    check_like(state, torch.get_rng_state(), "torch's generator")
    # The legacy layout: seed (8 bytes), words left (4), seeded (4), the next word (8), the words.
    data = state.numpy().tobytes()
    left, following = int.from_bytes(data[8:12], "little"), int.from_bytes(data[16:24], "little")
    check_whole(left, "the words left of torch's generator", 1, MT_WORDS)
    check_whole(following, "the next word of torch's generator", 0, MT_WORDS)
    if left + following != MT_WORDS + 1 and (left, following) != (1, 0):
        raise ValueError(f"torch's generator has {left} words left after {following}")
