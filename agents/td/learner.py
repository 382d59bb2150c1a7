"""The network in training: torch, Adam, and the running mean of the weights that plays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch.nn import functional

# Weights and biases as torch has them: outputs first.
_NAMES = ("first", "first_bias", "second", "second_bias", "last", "last_bias")
# Standard deviation of the first layer's weights at the start, for inputs of which some hundred
# are not 0.
_START = 0.05


class Learner:
    """A network of two hidden layers with ReLU.

    Its outputs, ``3 * seats``: values (the first of them is added to ``evaluate``), scores and
    ranks, of the seats from the one that acted on.

    Args:
        sizes: inputs, units of the first and of the last layer, outputs.
        averaging: part of the running mean that is kept at each step.
        auxiliary: weight of the loss of all outputs but the first.
    """

    def __init__(self, sizes: tuple[int, int, int, int], averaging: float, auxiliary: float):
        inputs, width, last_width, outputs = sizes
        shapes = [(width, inputs), (width,), (last_width, width), (last_width,)]
        shapes += [(outputs, last_width), (outputs,)]
        self.weights = [torch.zeros(shape, requires_grad=True) for shape in shapes]
        self.mean = [torch.zeros(shape) for shape in shapes]
        self.scale = torch.ones(inputs)
        self.averaging = averaging
        self.parts = torch.tensor([1.0, *[auxiliary / (outputs - 1)] * (outputs - 1)])
        self.optimizer = torch.optim.Adam(self.weights, fused=True)

    def begin(self, rng: np.random.Generator, scale: np.ndarray, bias: float) -> None:
        """Draw the first weights; the outputs are 0, but for ``bias`` in the value.

        ``scale`` (float32, one entry an input) is what inputs are divided by.
        """
        self.scale = torch.from_numpy(1.0 / scale)
        first, _, second, _, _, last_bias = self.weights
        with torch.no_grad():
            first.copy_(_normal(rng, first.shape, _START))
            second.copy_(_normal(rng, second.shape, (2.0 / second.shape[1]) ** 0.5))
            last_bias[0] = bias
            for mean, weight in zip(self.mean, self.weights, strict=True):
                mean.copy_(weight)

    def outputs(self, seen: torch.Tensor) -> torch.Tensor:
        """Return the outputs for float32 ``(n, inputs)``."""
        first, first_bias, second, second_bias, last, last_bias = self.weights
        x = functional.relu(functional.linear(seen * self.scale, first, first_bias))
        x = functional.relu(functional.linear(x, second, second_bias))
        return functional.linear(x, last, last_bias)

    def step(self, seen: np.ndarray, goal: np.ndarray, rate: float) -> torch.Tensor:
        """Learn from a minibatch; return the loss of the value, before that.

        Args:
            seen: int8 ``(n, inputs)``.
            goal: float32 ``(n, outputs)``.
            rate: the learning rate.
        """
        self.optimizer.param_groups[0]["lr"] = rate
        errors = (self.outputs(torch.from_numpy(seen).float()) - torch.from_numpy(goal)).square()
        losses = errors.mean(0)
        whole = (losses * self.parts).sum()
        self.optimizer.zero_grad(set_to_none=True)
        whole.backward()
        self.optimizer.step()
        with torch.no_grad():
            for mean, weight in zip(self.mean, self.weights, strict=True):
                mean.lerp_(weight, 1.0 - self.averaging)
        return losses[0].detach()

    def acting(self) -> dict[str, np.ndarray]:
        """Return the running mean as ``ValueModel.arrays`` has it, in new arrays."""
        first, first_bias, second, second_bias, last, last_bias = self.mean
        # The scale of the inputs goes into the weights.
        seats = len(last) // 3
        parts = [(first * self.scale).T, first_bias, second.T, second_bias]
        parts += [last[:seats], last_bias[:seats]]
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
            for part, value in self.optimizer.state[weight].items():
                saved[f"{name}/adam/{part}"] = value.numpy()
        return saved

    def shapes(self) -> dict[str, tuple[Any, tuple[int, ...]]]:
        """Return the type and shape of each array of ``get_state``, once it has learned."""
        found: dict[str, tuple[Any, tuple[int, ...]]] = {
            "scale": (np.float32, tuple(self.scale.shape))
        }
        for name, weight in zip(_NAMES, self.weights, strict=True):
            for part in ("weight", "mean", "adam/exp_avg", "adam/exp_avg_sq"):
                found[f"{name}/{part}"] = np.float32, tuple(weight.shape)
            found[f"{name}/adam/step"] = np.float32, ()
        return found

    def set_state(self, saved: Mapping[str, np.ndarray]) -> None:
        """Undo ``get_state``, whose arrays have the ``shapes`` of this learner."""
        self.scale = torch.from_numpy(saved["scale"])
        adam = self.optimizer.state_dict()
        with torch.no_grad():
            for number, name in enumerate(_NAMES):
                for tensor, kind in ((self.weights[number], "weight"), (self.mean[number], "mean")):
                    tensor.copy_(torch.from_numpy(saved[f"{name}/{kind}"]))
                prefix = f"{name}/adam/"
                adam["state"][number] = {
                    part.removeprefix(prefix): torch.from_numpy(array)
                    for part, array in saved.items()
                    if part.startswith(prefix)
                }
        self.optimizer.load_state_dict(adam)


def _normal(rng: np.random.Generator, shape: torch.Size, deviation: float) -> torch.Tensor:
    return torch.from_numpy((rng.standard_normal(tuple(shape)) * deviation).astype(np.float32))
