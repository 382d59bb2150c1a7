"""Advantages of each seat's own decisions, for training loops on batches of all seats."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import check_share
from .jit import kernel


def seat_advantages(
    rewards: Any,
    dones: Any,
    to_play: Any,
    values: Any,
    *,
    gamma: float = 1.0,
    gae_lambda: float = 0.95,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return advantages and returns of every decision in a rollout where seats alternate.

    Generalised advantage estimation (Schulman et al., 2016) along each seat's own decisions: a
    decision is followed by everything its seat earns until its next decision, including the others'
    plies, and then by the value of that next decision. The end of a game cuts the chain for every
    seat. If the rollout stops before a seat's next decision, its value is unknown and replaced by
    the value of the seat's last decision, so a rollout should be many times as long as the number
    of seats.

    Args:
        rewards: ``(plies, num_envs, num_players)``, every seat's reward of each ply
            (``BatchEnv.rewards`` after the step).
        dones: bool ``(plies, num_envs)``: the ply ended the game (``terminated | truncated``;
            truncated games also pay their results as rewards).
        to_play: integers ``(plies + 1, num_envs)``: the seat that decides at each ply, and after
            the last one (``BatchEnv.to_play`` before each step, and after the last).
        values: ``(plies + 1, num_envs)``: the value of the position for that seat.
        gamma: discount per decision of a seat, 0 to 1.
        gae_lambda: the trade-off between long and short estimates, 0 to 1.

    Returns:
        ``(advantages, returns)``, float32 ``(plies, num_envs)`` each; returns are advantages plus
        values, the targets of the value function.

    Raises:
        ValueError: shapes don't match, there is no such seat, or a number is out of range.

    Example:
        >>> advantages, returns = seat_advantages(
        ...     [[[0.0, 0.0]], [[1.0, -1.0]]], [[False], [True]], [[0], [1], [0]],
        ...     [[0.5], [0.0], [0.0]],
        ... )
        >>> advantages[:, 0].tolist()
        [0.5, -1.0]
    """
    rewards = np.ascontiguousarray(rewards, np.float32)
    dones = np.ascontiguousarray(dones, np.bool_)
    to_play = np.asarray(to_play)
    values = np.ascontiguousarray(values, np.float32)
    _check_shapes(rewards, dones, to_play, values)
    for name, number in {"gamma": gamma, "gae_lambda": gae_lambda}.items():
        check_share(number, name)
    advantages = np.empty(dones.shape, np.float32)
    seats = np.ascontiguousarray(to_play, np.int64)
    following = np.empty((3, rewards.shape[2]), np.float64)
    _fill(rewards, dones, seats, values, float(gamma), float(gae_lambda), following, advantages)
    return advantages, advantages + values[:-1]


def _check_shapes(
    rewards: np.ndarray, dones: np.ndarray, to_play: np.ndarray, values: np.ndarray
) -> None:
    if rewards.ndim != 3 or not rewards.shape[2]:
        raise ValueError(
            f"rewards have shape {rewards.shape}; give (plies, num_envs, num_players), every "
            "seat's reward of each ply"
        )
    plies, envs, players = rewards.shape
    wanted = {"dones": (plies, envs), "to_play": (plies + 1, envs), "values": (plies + 1, envs)}
    for name, array in {"dones": dones, "to_play": to_play, "values": values}.items():
        if array.shape != wanted[name]:
            more = " (one more row than plies, for the end)" if name != "dones" else ""
            raise ValueError(
                f"{name} has shape {array.shape}; rewards of shape {rewards.shape} require "
                f"{wanted[name]}{more}"
            )
    for name, array in {"rewards": rewards, "values": values}.items():
        if not np.isfinite(array).all():
            raise ValueError(f"{name} holds numbers that aren't finite")
    if to_play.dtype.kind not in "iu":
        raise ValueError(f"to_play holds {to_play.dtype}; give integers, the seats")
    if to_play.size and (to_play.min() < 0 or to_play.max() >= players):
        raise ValueError(
            f"to_play has seats {to_play.min()} to {to_play.max()}; rewards are of seats 0 to "
            f"{players - 1}"
        )


@kernel
def _fill(rewards, dones, to_play, values, gamma, gae_lambda, following, advantages):
    """Fill ``advantages``, from the last ply back.

    ``following`` holds each seat's rewards since the current ply, and the value and advantage of
    its next decision; NaN means unknown.
    """
    plies, envs, players = rewards.shape
    for i in range(envs):
        for seat in range(players):
            following[0, seat] = 0.0
            following[1, seat] = np.nan
            following[2, seat] = 0.0
        following[1, to_play[plies, i]] = values[plies, i]
        for back in range(plies):
            t = plies - 1 - back
            for seat in range(players):
                if dones[t, i]:
                    following[0, seat] = 0.0
                    following[1, seat] = 0.0
                    following[2, seat] = 0.0
                following[0, seat] += rewards[t, i, seat]
            seat = to_play[t, i]
            value = values[t, i]
            advantage = following[0, seat]
            if not np.isnan(following[1, seat]):
                advantage += gamma * following[1, seat] - value
                advantage += gamma * gae_lambda * following[2, seat]
            advantages[t, i] = advantage
            following[0, seat] = 0.0
            following[1, seat] = value
            following[2, seat] = advantage
