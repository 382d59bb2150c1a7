"""A policy for board games, for MaskablePPO: looks at places, scores moves between them.

A convolution looks at each place of the board with its neighbours, with the same weights
everywhere; a move is scored from what was seen at its two ends, with the same weights for all
moves. So what is learned in one corner is known in all. On Sàrèná it learns in 60,000 decisions
what a network of ordinary layers hasn't learned in 500,000.
"""

from __future__ import annotations

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from ludotheque.envs import get_game

from .layout import Layout, layout_of


class Board(nn.Module):
    """From ``(n, size)`` observations to ``(n, num_actions)`` scores and ``(n, head)`` for values.

    Args:
        layout: of the game.
        width: numbers seen at each place.
        depth: convolutions of 3 by 3, one after the other.
        head: numbers in the scoring of a move, and in the value's hidden layer.
    """

    def __init__(self, layout: Layout, width: int, depth: int, head: int):
        super().__init__()
        num_planes = layout.planes.shape[1]
        self.grid = layout.grid
        constants = {
            "planes": layout.planes.reshape(-1).copy(),
            "rest": layout.rest,
            "scale": layout.scale,
            "start": layout.places[:, 0].copy(),
            "end": layout.places[:, 1].copy(),
        }
        for name, value in constants.items():
            self.register_buffer(name, torch.from_numpy(value), persistent=False)
        self.first = nn.Conv2d(num_planes, width, 3, padding=1)
        self.place = nn.Parameter(torch.zeros(len(layout.planes), width))
        self.whole = nn.Linear(len(layout.rest), width)
        self.more = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(depth - 1))
        self.ends = nn.Linear(width, 2 * head, bias=False)
        self.from_mean = nn.Linear(width, head)
        self.score = nn.Linear(head, 1, bias=False)
        self.value = nn.Linear(2 * width, head)
        self.latent_dim_pi, self.latent_dim_vf = len(layout.places), head

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen, mean, rest = self._see(features)
        return self._scores(seen, mean), self._values(mean, rest)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        seen, mean, _ = self._see(features)
        return self._scores(seen, mean)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        _, mean, rest = self._see(features)
        return self._values(mean, rest)

    def _see(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return what is seen at each place ``(n, places, width)``, its mean, and of the rest."""
        x = features * self.scale
        rest = self.whole(x.index_select(1, self.rest))
        planes = x.index_select(1, self.planes).unflatten(1, (len(self.place), -1))
        seen = torch.relu(self._around(self.first, planes) + self.place + rest[:, None])
        for layer in self.more:
            seen = torch.relu(self._around(layer, seen))
        return seen, seen.mean(1), rest

    def _around(self, layer: nn.Conv2d, seen: torch.Tensor) -> torch.Tensor:
        """Convolve ``(n, places, inputs)`` into ``(n, places, outputs)``.

        Numbers of a place lie side by side throughout: convolutions and heads are faster so.
        """
        board = seen.unflatten(1, self.grid).permute(0, 3, 1, 2)
        return layer(board).permute(0, 2, 3, 1).flatten(1, 2)

    def _scores(self, seen: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        start, end = self.ends(seen).chunk(2, dim=2)
        start = start + self.from_mean(mean)[:, None]
        moves = start.index_select(1, self.start) + end.index_select(1, self.end)
        return self.score(torch.relu(moves)).squeeze(2)

    def _values(self, mean: torch.Tensor, rest: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.value(torch.cat([mean, rest], 1)))


class BoardPolicy(MaskableActorCriticPolicy):
    """``MaskablePPO(BoardPolicy, env, policy_kwargs={"game": "sarena"})``, on flat observations.

    Args:
        game: name of the game.
        net_arch: width, depth and head of the ``Board``.

    Raises:
        ValueError: the game isn't about moves on a board, or ``net_arch`` isn't three numbers.
    """

    def __init__(self, *args, game: str = "", net_arch=(32, 1, 16), **kwargs):
        if layout_of(get_game(game)) is None:
            raise ValueError(f"{game} has no moves on a board: use MlpPolicy")
        if len(net_arch) != 3:
            raise ValueError(f"net_arch is {net_arch!r}; a board wants (width, depth, head)")
        self.game = game
        super().__init__(*args, net_arch=list(net_arch), **kwargs)

    def _build(self, lr_schedule) -> None:
        self.mlp_extractor = Board(layout_of(get_game(self.game)), *self.net_arch)
        for module in self.mlp_extractor.modules():
            self.init_weights(module, np.sqrt(2))
        # At first all moves are about as good, so that every one is tried.
        self.init_weights(self.mlp_extractor.score, 0.1)
        self.mlp_extractor.to(memory_format=torch.channels_last)
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, 1)
        self.init_weights(self.value_net, 1.0)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )

    def _get_constructor_parameters(self):
        return {**super()._get_constructor_parameters(), "game": self.game}

    def board_arrays(self) -> dict[str, np.ndarray]:
        """Return copies of the policy's weights, as ``networks.BoardNetwork`` wants them."""
        board = self.mlp_extractor
        width = board.first.out_channels
        more = [_around(layer) for layer in board.more]
        biases = [layer.bias for layer in board.more]
        arrays = {
            "first": _around(board.first),
            "place": board.place + board.first.bias,
            "whole": board.whole.weight.T,
            "whole_bias": board.whole.bias,
            "more": torch.stack(more) if more else torch.zeros(0, width, 3, 3 * width),
            "more_bias": torch.stack(biases) if biases else torch.zeros(0, width),
            "ends": board.ends.weight.T,
            "mean": board.from_mean.weight.T,
            "bias": board.from_mean.bias,
            "score": board.score.weight[0],
        }
        return {name: array.detach().cpu().numpy().copy() for name, array in arrays.items()}


def _around(layer: nn.Conv2d) -> torch.Tensor:
    """Return a convolution's weights as ``(inputs, 3, 3 * outputs)``, seen from the input's place.

    The place above an input has the input below it: hence turned about.
    """
    weight = layer.weight.flip(2, 3).permute(1, 2, 3, 0)
    return weight.reshape(len(weight), 3, -1)
