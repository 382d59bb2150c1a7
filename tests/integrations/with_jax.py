"""JAX, with equinox and optax: self-play PPO on the batch, whose arrays it uses without copying."""

from __future__ import annotations

import tempfile
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from common import Progress

from ludotheque.agents.targets import targets_of
from ludotheque.envs import get_game, make_batch, seat_advantages

GAME, ENVS, PLIES, UPDATES, MINIBATCH, EPOCHS = "sarena", 256, 32, 20, 512, 2
LAYOUT = targets_of(get_game(GAME))


class Policy(eqx.Module):
    """From an observation to logits and a value; see the example's policy in torch."""

    place: eqx.nn.Linear
    whole: eqx.nn.Linear
    thing: jax.Array
    ends: list[eqx.nn.Linear]
    mean: eqx.nn.Linear
    kind: jax.Array
    score: jax.Array
    value: eqx.nn.MLP

    def __init__(self, key: jax.Array, width: int = 32, head: int = 16):
        keys = jax.random.split(key, 7)
        places, planes = LAYOUT.planes.shape
        assert not LAYOUT.lists, "a game with a board and nothing beside it"
        self.place = eqx.nn.Linear(planes, width, key=keys[0])
        self.whole = eqx.nn.Linear(len(LAYOUT.rest), width, key=keys[1])
        self.thing = jnp.zeros((places, width))
        self.ends = [eqx.nn.Linear(width, head, use_bias=False, key=k) for k in keys[2:4]]
        self.mean = eqx.nn.Linear(width, head, key=keys[4])
        self.kind = jnp.zeros((LAYOUT.num_kinds, head))
        # Initially all actions are about equally likely, so that each is tried.
        self.score = jax.random.normal(keys[5], (head,)) * 0.02
        self.value = eqx.nn.MLP(2 * width, "scalar", head, 1, key=keys[6])

    def __call__(self, observation: jax.Array, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = observation * jnp.asarray(LAYOUT.scale)
        whole = self.whole(x[LAYOUT.rest])
        things = jax.nn.relu(jax.vmap(self.place)(x[LAYOUT.planes]) + self.thing + whole)
        mean = things.mean(0)
        # One extra target stands for none.
        things = jnp.pad(things, ((0, 1), (0, 0)))
        head = self.kind[LAYOUT.kinds] + self.mean(mean)
        for k, layer in enumerate(self.ends):
            head = head + jax.vmap(layer)(things)[LAYOUT.targets[:, k]]
        logits = jnp.where(mask == 1, jax.nn.relu(head) @ self.score, -1e9)
        return logits, self.value(jnp.concatenate([mean, whole]))


class PolicyAgent:
    """The policy as an agent: the likeliest action."""

    def __init__(self, policy: Policy):
        self.policy = policy

    def act(self, observations, masks, *, states=None, seeds=None):
        # Sizes that jax has compiled for: powers of two.
        rows = 1 << (len(masks) - 1).bit_length()
        padded = [np.resize(part, (rows, part.shape[1])) for part in (observations, masks)]
        logits, _ = look(self.policy, *padded)
        return np.asarray(logits.argmax(1))[: len(masks)]


@eqx.filter_jit
def look(policy: Policy, observations: jax.Array, masks: jax.Array):
    return jax.vmap(policy)(observations, masks)


@eqx.filter_jit
def choose(policy: Policy, key: jax.Array, observations: jax.Array, masks: jax.Array):
    logits, values = jax.vmap(policy)(observations, masks)
    actions = jax.random.categorical(key, logits)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), actions[:, None], 1)[:, 0]
    return actions, chosen, values


def loss(policy: Policy, rows: tuple[jax.Array, ...]) -> jax.Array:
    """PPO's clipped objective, the value loss and an entropy bonus."""
    seen, masks, actions, old, advantages, returns = rows
    logits, values = jax.vmap(policy)(seen, masks)
    log_probs = jax.nn.log_softmax(logits)
    ratio = jnp.exp(jnp.take_along_axis(log_probs, actions[:, None], 1)[:, 0] - old)
    gain = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    objective = jnp.minimum(ratio * gain, ratio.clip(0.8, 1.2) * gain).mean()
    entropy = -jnp.where(masks == 1, jnp.exp(log_probs) * log_probs, 0).sum(1).mean()
    return 0.5 * ((values - returns) ** 2).mean() - objective - 0.01 * entropy


def collect(batch, policy: Policy, key: jax.Array) -> list[np.ndarray]:
    """Continue the games; return the rows to learn from."""
    kept: dict[str, list[np.ndarray]] = {name: [] for name in (*KEPT, "rewards", "dones")}
    to_play, values = [], []
    for step in range(PLIES + 1):
        # Without a copy: jax reads the batch's own memory, so use it before the next step.
        seen, masks = jnp.from_dlpack(batch.observations), jnp.from_dlpack(batch.action_masks)
        assert seen.unsafe_buffer_pointer() == batch.observations.ctypes.data
        actions, chosen, value = choose(policy, jax.random.fold_in(key, step), seen, masks)
        to_play.append(batch.to_play.copy())
        values.append(np.asarray(value))
        if step == PLIES:
            break
        now = (batch.observations.copy(), batch.action_masks.copy(), actions, chosen)
        for name, part in zip(KEPT, now, strict=True):
            kept[name].append(np.asarray(part))
        batch.step(np.asarray(actions))
        kept["rewards"].append(batch.rewards.copy())
        kept["dones"].append(batch.terminated | batch.truncated)
    found = seat_advantages(kept["rewards"], kept["dones"], to_play, values)
    return [np.concatenate(list(part)) for part in (*(kept[name] for name in KEPT), *found)]


KEPT = ("seen", "masks", "actions", "chosen")


def main() -> None:
    key = jax.random.key(0)
    policy = Policy(key)
    progress = Progress("jax", PolicyAgent(policy), GAME)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(4e-3))
    state = optimizer.init(eqx.filter(policy, eqx.is_array))

    @eqx.filter_jit
    def learn(policy, state, rows):
        slopes = eqx.filter_grad(loss)(policy, rows)
        updates, state = optimizer.update(slopes, state)
        return eqx.apply_updates(policy, updates), state

    batch = make_batch(GAME, ENVS)
    batch.reset(0)
    rng = np.random.default_rng(0)
    for k in range(UPDATES):
        rows = collect(batch, policy, jax.random.fold_in(key, k))
        for _ in range(EPOCHS):
            for chosen in np.split(rng.permutation(ENVS * PLIES), ENVS * PLIES // MINIBATCH):
                policy, state = learn(policy, state, tuple(part[chosen] for part in rows))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "policy.eqx"
        eqx.tree_serialise_leaves(path, policy)
        again = eqx.tree_deserialise_leaves(path, Policy(key))
    progress.finish(UPDATES * PLIES * ENVS, PolicyAgent(again))


if __name__ == "__main__":
    main()
