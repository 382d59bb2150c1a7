"""The examples do what they say."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="examples train with torch, of the extra [train]")
pytestmark = pytest.mark.training


@pytest.fixture(scope="module")
def ppo_selfplay(root):
    """The example as a module."""
    path = root / "examples" / "ppo_selfplay.py"
    spec = importlib.util.spec_from_file_location("ppo_selfplay", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["ppo_selfplay"] = module  # dataclasses look there for their types
    spec.loader.exec_module(module)
    yield module
    del sys.modules["ppo_selfplay"]


@pytest.mark.slow
def test_self_play_in_one_file_learns(ppo_selfplay, capsys):
    """After some seconds it wins most of its games against random play."""
    args = ppo_selfplay.Args(plies=24_576, eval_every=1_000_000, eval_games=20)
    threads = torch.get_num_threads()
    try:
        policy = ppo_selfplay.train(args)
    finally:
        torch.set_num_threads(threads)
    assert ppo_selfplay.win_rate(policy, "random", args, 400) > 0.8
    assert "24,576 plies" in capsys.readouterr().out


@pytest.mark.parametrize(("game", "players"), [("sarena", 3), ("shamans", 4)])
def test_the_policy_of_the_example_fits_every_kind_of_game(ppo_selfplay, game, players):
    """With a board and without: no probability for an illegal action, all of it for legal ones."""
    args = ppo_selfplay.Args(game=game, players=players, num_envs=8, num_plies=4, minibatch=16)
    batch = ppo_selfplay.make_batch(game, args.num_envs, players)
    batch.reset(0)
    torch.manual_seed(0)
    policy = ppo_selfplay.Policy(game)
    rollout = ppo_selfplay.Rollout(args, batch.observations.shape[1], batch.action_masks.shape[1])
    rollout.collect(batch, policy)
    assert rollout.masks.reshape(32, -1)[np.arange(32), rollout.actions.reshape(-1)].all()
    rows = rollout.tensors(args)
    logits, _ = policy(rows[0], rows[1])
    assert torch.equal(logits.isfinite(), rows[1].bool())
    before = [weights.clone() for weights in policy.parameters()]
    ppo_selfplay.update(policy, torch.optim.Adam(policy.parameters()), rows, args)
    after = list(policy.parameters())
    assert all(weights.isfinite().all() for weights in after)
    assert not all(torch.equal(one, other) for one, other in zip(before, after, strict=True))
