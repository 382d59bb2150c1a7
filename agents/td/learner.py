"""The network in training: torch, Adam, and the running mean of the weights, used for play."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

# Weights and biases in torch's layout: outputs first.
_NAMES = ("first", "first_bias", "second", "second_bias", "last", "last_bias", "policy", "gain")
_POLICY = ("policy", "gain")
# Initial standard deviation of the first layer's weights, for inputs with about a hundred non-zero
# entries.
_START = 0.05
# The logit of missing candidates.
_NEVER = -1e9


class Lesson(NamedTuple):
    """A minibatch of searched decisions.

    Attributes:
        seen: int8 ``(afterstates, inputs)``: of the candidates that aren't missing, in order.
        base: float32 ``(afterstates,)``: ``evaluate`` times its weight in the value.
        policy: float32 ``(n, candidates)``: the improved policy; missing: bool, no candidate there.
        value, visits: float32 ``(n, candidates)``: the value that the search found, and the
            candidate's share of the simulations.
        sharpness: initial factor of ``base`` in the logit.
        weights: of the losses of policy and value.
    """

    seen: np.ndarray
    base: np.ndarray
    policy: np.ndarray
    missing: np.ndarray
    value: np.ndarray
    visits: np.ndarray
    sharpness: float
    weights: tuple[float, float]


class Choices(NamedTuple):
    """A minibatch of decisions as they were taken.

    Attributes:
        seen, base, missing, sharpness: as in ``Lesson``.
        before: float32 ``(n,)``: the log-probability with which the action was chosen.
        chosen: int64 ``(n,)``: the index of the action among the candidates.
        advantage: float32 ``(n,)``.
        clip, entropy: see ``PolicyConfig``.
    """

    seen: np.ndarray
    base: np.ndarray
    missing: np.ndarray
    before: np.ndarray
    chosen: np.ndarray
    advantage: np.ndarray
    sharpness: float
    clip: float
    entropy: float


class Learner:
    """A network of two hidden layers with ReLU.

    It has ``3 * seats`` outputs: values (the first is added to ``evaluate``), scores and ranks of
    the seats, starting with the observing one; then that seat's points by category; and the logit,
    to which ``evaluate`` is added times a learned factor.

    Args:
        sizes: numbers of inputs, of units in the first and in the last layer, of seats, and of
            categories.
        averaging: fraction of the running mean that is kept at each step.
        weights: of the losses of the value against results, of the other values, scores and ranks,
            and of the points by category; the latter two are shared equally by their outputs.
        decay: weight decay of the first layer, as in AdamW.
        policy: whether the policy is learned too.
    """

    def __init__(
        self,
        sizes: tuple[int, int, int, int, int],
        averaging: float,
        weights: tuple[float, float, float],
        decay: float = 0.0,
        policy: bool = False,
    ):
        inputs, width, last_width, self.seats, categories = sizes
        others = 3 * self.seats - 1
        outputs = 1 + others + categories
        shapes = [(width, inputs), (width,), (last_width, width), (last_width,)]
        shapes += [(outputs, last_width), (outputs,), (1, last_width), (1,)]
        self.weights = [torch.zeros(shape, requires_grad=True) for shape in shapes]
        self.mean = [torch.zeros(shape) for shape in shapes]
        self.scale = torch.ones(inputs)
        self.averaging = averaging
        self.learns_policy = policy
        own, auxiliary, by_category = weights
        parts = [own, *[auxiliary / others] * others]
        parts += [by_category / max(categories, 1)] * categories
        self.parts = torch.tensor(parts)
        first, *later = self.weights
        groups = [{"params": [first], "weight_decay": decay}, {"params": later}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.0, fused=True)

    def begin(self, rng: np.random.Generator, scale: np.ndarray, bias: float) -> None:
        """Draw the initial weights; the outputs are 0, except for ``bias`` in the value.

        Inputs are divided by ``scale`` (float32, per input).
        """
        self.scale = torch.from_numpy(1.0 / scale)
        first, _, second, _, _, last_bias, _, gain = self.weights
        with torch.no_grad():
            first.copy_(_normal(rng, first.shape, _START))
            second.copy_(_normal(rng, second.shape, (2.0 / second.shape[1]) ** 0.5))
            last_bias[0] = bias
            gain[0] = 1.0
            for mean, weight in zip(self.mean, self.weights, strict=True):
                mean.copy_(weight)

    def begin_as(self, arrays: Mapping[str, np.ndarray], sharpness: float) -> None:
        """Start from the weights of a model of the same sizes; other outputs are 0.

        The factor of ``evaluate`` in the logit is divided by ``sharpness``.
        """
        seats = len(arrays["last"])
        begun = {name: arrays[name] for name in ("first_bias", "second_bias")}
        begun |= {name: arrays[name].T for name in ("first", "second")}
        begun["policy"] = arrays["policy"][None]
        begun["gain"] = arrays["weight"][1:] / sharpness
        with torch.no_grad():
            for name, weight, mean in zip(_NAMES, self.weights, self.mean, strict=True):
                part = weight[:seats] if name in ("last", "last_bias") else weight
                part.copy_(torch.from_numpy(np.array(begun.get(name, arrays.get(name)))))
                mean.copy_(weight)

    def _units(self, seen: torch.Tensor) -> torch.Tensor:
        """Return the activations of the last hidden layer for float32 ``(n, inputs)``."""
        first, first_bias, second, second_bias = self.weights[:4]
        x = functional.relu(functional.linear(seen * self.scale, first, first_bias))
        return functional.relu(functional.linear(x, second, second_bias))

    def outputs(self, seen: torch.Tensor) -> torch.Tensor:
        """Return the outputs without the logit for float32 ``(n, inputs)``."""
        last, last_bias = self.weights[4:6]
        return functional.linear(self._units(seen), last, last_bias)

    def step(
        self,
        seen: np.ndarray,
        goal: np.ndarray,
        rate: float,
        lesson: Lesson | Choices | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Learn from a minibatch; return the losses before the update.

        These are the loss of the value against results, and of policy and value against the search.

        Args:
            seen: int8 ``(n, inputs)``.
            goal: float32 ``(n, outputs)``.
            rate: the learning rate.
            lesson: a minibatch for the policy.
        """
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        errors = (self.outputs(torch.from_numpy(seen).float()) - torch.from_numpy(goal)).square()
        losses = errors.mean(0)
        whole = (losses * self.parts).sum()
        policy = value = torch.zeros(())
        if isinstance(lesson, Choices):
            policy = self._clipped(lesson)
            whole = whole + policy
        elif lesson is not None:
            policy, value = self._missed(lesson)
            whole = whole + lesson.weights[0] * policy + lesson.weights[1] * value
        self.optimizer.zero_grad(set_to_none=True)
        whole.backward()
        self.optimizer.step()
        with torch.no_grad():
            for mean, weight in zip(self.mean, self.weights, strict=True):
                mean.lerp_(weight, 1.0 - self.averaging)
        return losses[0].detach(), policy.detach(), value.detach()

    def _missed(self, lesson: Lesson) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the losses of policy and value against the search.

        The first is the Kullback-Leibler divergence, the second the mean squared error weighted by
        visits.
        """
        last, last_bias = self.weights[4:6]
        units, logits = self._logits(lesson)
        found = functional.log_softmax(logits, 1)
        there = torch.from_numpy(~lesson.missing)
        values = functional.linear(units, last[:1], last_bias[:1])[:, 0]
        values = values + torch.from_numpy(lesson.base)
        visits = torch.from_numpy(lesson.visits)[there]
        errors = (values - torch.from_numpy(lesson.value)[there]).square() * visits
        missed = errors.sum() / visits.sum().clamp(min=1e-6)
        goal = torch.from_numpy(lesson.policy)
        return functional.kl_div(found, goal, reduction="batchmean"), missed

    def _logits(self, lesson: Lesson | Choices) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the activations of all candidates, row by row, and logits ``(n, candidates)``."""
        policy, gain = self.weights[6:]
        units = self._units(torch.from_numpy(lesson.seen).float())
        flat = functional.linear(units, policy)[:, 0]
        flat = flat + gain * lesson.sharpness * torch.from_numpy(lesson.base)
        logits = torch.full(lesson.missing.shape, _NEVER)
        return units, logits.masked_scatter(torch.from_numpy(~lesson.missing), flat)

    def _clipped(self, choices: Choices) -> torch.Tensor:
        """Return PPO's clipped loss minus the weighted entropy."""
        found = functional.log_softmax(self._logits(choices)[1], 1)
        taken = found.gather(1, torch.from_numpy(choices.chosen)[:, None])[:, 0]
        ratio = (taken - torch.from_numpy(choices.before)).exp()
        advantage = torch.from_numpy(choices.advantage)
        kept = ratio.clamp(1.0 - choices.clip, 1.0 + choices.clip)
        gained = torch.minimum(ratio * advantage, kept * advantage).mean()
        entropy = -(found.exp() * found).sum(1).mean()
        return -gained - choices.entropy * entropy

    def acting(self, newest: bool = False) -> dict[str, np.ndarray]:
        """Return the running mean, or the newest weights, as new arrays for ``ValueModel``."""
        weights = [weight.detach() for weight in self.weights] if newest else self.mean
        first, first_bias, second, second_bias, last, last_bias, policy, gain = weights
        # The scale of the inputs is folded into the weights.
        parts = [(first * self.scale).T, first_bias, second.T, second_bias]
        parts += [last[: self.seats], last_bias[: self.seats], policy[0], gain]
        return {
            name: np.array(part.numpy(), np.float32, order="C")
            for name, part in zip(_NAMES, parts, strict=True)
        }

    def get_state(self) -> dict[str, np.ndarray]:
        """Return weights, running mean, scale and the optimizer's state."""
        saved = {"scale": self.scale.numpy()}
        for name, weight, mean in zip(_NAMES, self.weights, self.mean, strict=True):
            saved[f"{name}/weight"] = weight.detach().numpy()
            saved[f"{name}/mean"] = mean.numpy()
            # Empty for weights without a gradient so far.
            for part, value in self.optimizer.state.get(weight, {}).items():
                saved[f"{name}/adam/{part}"] = value.numpy()
        return saved

    def shapes(self) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Return the type and shape of each array of ``get_state`` after the first step."""
        found: dict[str, tuple[Any, tuple[int, ...]]] = {
            "scale": (np.float32, tuple(self.scale.shape))
        }
        for name, weight in zip(_NAMES, self.weights, strict=True):
            reached = self.learns_policy or name not in _POLICY
            parts = ("weight", "mean", *(("adam/exp_avg", "adam/exp_avg_sq") if reached else ()))
            for part in parts:
                found[f"{name}/{part}"] = np.float32, tuple(weight.shape)
            if reached:
                found[f"{name}/adam/step"] = np.float32, ()
        return found

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Restore what ``get_state`` returned; the arrays must have the learner's ``shapes``."""
        self.scale = torch.from_numpy(saved["scale"])
        adam = self.optimizer.state_dict()
        with torch.no_grad():
            for number, name in enumerate(_NAMES):
                for tensor, kind in ((self.weights[number], "weight"), (self.mean[number], "mean")):
                    tensor.copy_(torch.from_numpy(saved[f"{name}/{kind}"]))
                prefix = f"{name}/adam/"
                moments = {
                    part.removeprefix(prefix): torch.from_numpy(array)
                    for part, array in saved.items()
                    if part.startswith(prefix)
                }
                if moments:
                    adam["state"][number] = moments
        self.optimizer.load_state_dict(adam)


def _normal(rng: np.random.Generator, shape: torch.Size, deviation: float) -> torch.Tensor:
    return torch.from_numpy((rng.standard_normal(tuple(shape)) * deviation).astype(np.float32))
