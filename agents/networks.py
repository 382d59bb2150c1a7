"""A network for board games: a small convolution over the board, and a head that scores moves.

A flat observation of a board game holds grids (fields of shape ``(k, rows, columns)``) and numbers
that stand for the whole position. The grids are planes; a convolution looks at each place with its
neighbours, with the same weights everywhere. A move from one place to another is scored from what
was seen at the two, again with the same weights for all moves. So what is learned in one corner is
known in all, which the layers of an ordinary network have to learn over and over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from ludotheque.envs.core.game import Game
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

# The parts of an action that are places of the board, by the names that games give them.
PLACES = ("from", "to")


@dataclass(frozen=True)
class Layout:
    """Where the board is in a flat observation, and which places an action is about.

    Attributes:
        grid: rows and columns.
        planes: int64 ``(places, planes)``: positions in the observation.
        rest: int64 ``(n,)``: positions of the other numbers.
        scale: float32 ``(size,)``: what each number is multiplied by, to lie in -1 to 1.
        places: int64 ``(num_actions, len(PLACES))``.
    """

    grid: tuple[int, int]
    planes: np.ndarray
    rest: np.ndarray
    scale: np.ndarray
    places: np.ndarray


def layout_of(game: Game) -> Layout | None:
    """Return the layout of a game, or None if it has no board or moves on it."""
    grid, planes, rest, scale, start = None, [], [], [], 0
    for field in game.observation_schema("flat"):
        positions = np.arange(start, start + field.size)
        start += field.size
        scale.append(np.full(field.size, 1.0 / max(abs(field.low), abs(field.high), 1)))
        if len(field.shape) == 3 and grid in (None, field.shape[1:]):
            grid = field.shape[1:]
            planes.append(positions.reshape(field.shape[0], -1))
        else:
            rest.append(positions)
    parts = [game.decode_action(action) for action in range(game.num_actions)]
    if grid is None or not all(name in part for part in parts for name in PLACES):
        return None
    places = np.array([[part[name] for name in PLACES] for part in parts], dtype=np.int64)
    return Layout(
        tuple(grid),
        np.concatenate(planes).T.copy(),
        np.concatenate(rest) if rest else np.zeros(0, np.int64),
        np.concatenate(scale).astype(np.float32),
        places,
    )


class Board(nn.Module):
    """Sees the board; returns scores of all actions, and what the value is made of."""

    def __init__(self, layout: Layout, width: int, depth: int, head: int):
        super().__init__()
        rows, columns = layout.grid
        num_places, num_planes = layout.planes.shape
        num_rest = len(layout.rest)
        self.grid = layout.grid
        self.register_buffer("planes", torch.from_numpy(layout.planes.T.reshape(-1)), False)
        self.register_buffer("rest", torch.from_numpy(layout.rest), False)
        self.register_buffer("scale", torch.from_numpy(layout.scale), False)
        self.register_buffer("start", torch.from_numpy(layout.places[:, 0].copy()), False)
        self.register_buffer("end", torch.from_numpy(layout.places[:, 1].copy()), False)
        self.first = nn.Conv2d(num_planes, width, 3, padding=1)
        self.place = nn.Parameter(torch.zeros(width, rows, columns))
        self.whole = nn.Linear(num_rest, width)
        self.more = nn.ModuleList(
            nn.Conv2d(width, width, 3, padding=1) for _ in range(depth - 1)
        )
        self.from_place = nn.Linear(width, head)
        self.to_place = nn.Linear(width, head, bias=False)
        self.from_whole = nn.Linear(width, head, bias=False)
        self.score = nn.Linear(head, 1, bias=False)
        self.value = nn.Linear(2 * width, head)
        self.latent_dim_pi, self.latent_dim_vf = len(layout.places), head

    def forward(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        seen, whole = self._see(features)
        return self._scores(seen, whole), self._values(seen, whole)

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        return self._scores(*self._see(features))

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        return self._values(*self._see(features))

    def _see(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        x = features * self.scale
        board = x.index_select(1, self.planes).view(len(x), -1, *self.grid)
        rest = self.whole(x.index_select(1, self.rest))
        seen = torch.relu(self.first(board) + self.place + rest[:, :, None, None])
        for layer in self.more:
            seen = torch.relu(layer(seen))
        seen = seen.flatten(2)
        return seen.transpose(1, 2), torch.cat([seen.mean(2), rest], 1)

    def _scores(self, seen: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
        width = seen.shape[2]
        start = self.from_place(seen) + self.from_whole(whole[:, :width])[:, None]
        pair = start.index_select(1, self.start) + self.to_place(seen).index_select(1, self.end)
        return self.score(torch.relu(pair)).squeeze(2)

    def _values(self, seen: torch.Tensor, whole: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.value(whole))


class BoardPolicy(MaskableActorCriticPolicy):
    """MaskablePPO's policy on a ``Board``; ``policy_kwargs={"game": ..., "net_arch": ...}``.

    Args:
        game: name of the game.
        net_arch: width of the convolutions, how many, width of the heads.
    """

    def __init__(self, *args, game: str = "", net_arch=(32, 2, 32), **kwargs):
        from ludotheque.envs import get_game

        self.game = game
        self.layout = layout_of(get_game(game))
        super().__init__(*args, net_arch=list(net_arch), **kwargs)

    def _build(self, lr_schedule) -> None:
        self.mlp_extractor = Board(self.layout, *self.net_arch)
        for module in self.mlp_extractor.modules():
            self.init_weights(module, np.sqrt(2))
        self.init_weights(self.mlp_extractor.score, 0.01)
        self.action_net = nn.Identity()
        self.value_net = nn.Linear(self.mlp_extractor.latent_dim_vf, 1)
        self.init_weights(self.value_net, 1.0)
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )
