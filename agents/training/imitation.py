"""Behaviour cloning: a MaskablePPO policy learns what a teacher plays, before it learns by itself.

The teacher plays the learner's seat. After each rollout, the policy learns the log-likelihood of
its actions, and the value network the returns, in the same minibatches as PPO's (Pomerleau,
"Efficient training of artificial neural networks for autonomous navigation", 1991).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ludotheque.envs.core.interfaces.opponents import Opponent, query_agent

from ..base import needs_train
from ..specs import make_agent

try:
    import torch
    from sb3_contrib import MaskablePPO
    from torch.nn import functional

    from ..sb3 import SeatVecEnv
except ModuleNotFoundError as error:
    raise needs_train(error) from error


def imitate(model: MaskablePPO, teacher: str, steps: int, at_boundary: Callable[[], None]) -> None:
    """Let the model learn from a teacher until its run has ``steps`` decisions.

    Args:
        model: a model whose environment is a ``SeatVecEnv``; its games go on.
        teacher: the name of an agent.
        steps: rounded up to whole rollouts.
        at_boundary: called before each rollout; it may raise to end the run.
    """
    env = model.get_env()
    assert isinstance(env, SeatVecEnv)
    agent = make_agent(teacher, env.game)
    if model._last_obs is None:
        model._last_obs = env.reset()
        model._last_episode_starts = np.ones(env.num_envs, np.bool_)
    while model.num_timesteps < steps:
        at_boundary()
        _collect(model, env, agent)
        _learn(model)


def _collect(model: MaskablePPO, env: SeatVecEnv, teacher: Opponent) -> None:
    """Fill the rollout buffer with the teacher's decisions."""
    buffer, policy = model.rollout_buffer, model.policy
    policy.set_training_mode(False)
    buffer.reset()
    unused = torch.zeros(env.num_envs)
    for _ in range(model.n_steps):
        seen, masks = model._last_obs, env.action_masks()
        actions = query_agent(teacher, env.settings, env.states)
        with torch.no_grad():
            values = policy.predict_values(policy.obs_to_tensor(seen)[0])
        model._last_obs, rewards, dones, _ = env.step(actions)
        starts = model._last_episode_starts
        buffer.add(seen, actions[:, None], rewards, starts, values, unused, action_masks=masks)
        model._last_episode_starts = dones
        model.num_timesteps += env.num_envs
    with torch.no_grad():
        values = policy.predict_values(policy.obs_to_tensor(model._last_obs)[0])
    buffer.compute_returns_and_advantage(values, model._last_episode_starts)


def _learn(model: MaskablePPO) -> None:
    policy, losses = model.policy, []
    policy.set_training_mode(True)
    model._update_learning_rate(policy.optimizer)
    for _ in range(model.n_epochs):
        for batch in model.rollout_buffer.get(model.batch_size):
            actions = batch.actions.long().flatten()
            values, likely, _ = policy.evaluate_actions(
                batch.observations, actions, batch.action_masks
            )
            unlikely = -likely.mean()
            loss = unlikely + model.vf_coef * functional.mse_loss(batch.returns, values.flatten())
            policy.optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(policy.parameters(), model.max_grad_norm)
            policy.optimizer.step()
            losses.append(unlikely.item())
    model._n_updates += model.n_epochs
    model.logger.record("train/imitation_loss", float(np.mean(losses)))
    model.logger.dump(model.num_timesteps)
