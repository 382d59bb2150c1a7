"""The kernels of Sàrèná behind the oracle's own methods, so that one test can drive both."""

from __future__ import annotations

import random

import numpy as np
import pytest
from oracles.sarena import SarenaOracle, deal

from ludotheque.envs import get_game
from ludotheque.envs.sarena.position import set_position
from ludotheque.envs.sarena.rules import index_board
from ludotheque.envs.sarena.state import stacks_of

GAME = get_game("sarena")
ACTIONS = {tuple(GAME.decode_action(a).values()): a for a in range(GAME.num_actions)}


class Oracle(SarenaOracle):
    """The oracle, with its own deal."""

    @classmethod
    def dealt(cls, seed: int, num_players: int = 2, balanced: bool = False) -> Oracle:
        rng = random.Random(seed)
        secrets = rng.sample(range(4), 4)
        return cls(deal(rng, balanced), secrets, num_players, rng.randrange(num_players))


class Kernels:
    """A game in progress on the kernels; arguments and methods are those of `SarenaOracle`."""

    def __init__(self, stacks, secrets, num_players: int, to_play: int = 0):
        unused = [colour for colour in range(4) if colour not in secrets[:num_players]]
        self.num_players = num_players
        self.states = GAME.new_state(1, num_players=num_players)
        pawns = [*secrets[:num_players], *unused]
        set_position(self.states, stacks=stacks, secrets=pawns, to_play=to_play)

    @classmethod
    def dealt(cls, seed: int, num_players: int = 2, balanced: bool = False) -> Kernels:
        game = object.__new__(cls)
        game.num_players = num_players
        game.states = GAME.new_state(seed, num_players, deal="balanced" if balanced else "random")
        return game

    @property
    def secrets(self) -> list[int]:
        return self.states["secret"][0, : self.num_players].tolist()

    @property
    def stacks(self) -> list:
        stacks = stacks_of(self.states[0])
        return [[(int(low), int(high)) for low, high in stack] for stack in stacks]

    @property
    def ply(self) -> int:
        return int(self.states["ply"][0])

    @property
    def to_play(self) -> int:
        return int(self.states["to_play"][0])

    def copy(self) -> Kernels:
        twin = object.__new__(Kernels)
        twin.num_players, twin.states = self.num_players, self.states.copy()
        return twin

    def is_legal(self, source: int, target: int) -> bool:
        return (source, target) in self.legal_moves()

    def legal_moves(self) -> list[tuple[int, int]]:
        mask = GAME.legal_mask(self.states)
        return sorted(move for move, action in ACTIONS.items() if mask[action])

    def move(self, source: int, target: int) -> None:
        if (source, target) not in ACTIONS:
            raise ValueError(f"circle {source} may not move to {target}: no line joins them")
        try:
            GAME.step(self.states, ACTIONS[source, target])
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"may not move: {error}") from error
        # What the record keeps for speed is what its stacks say.
        anew = self.states.copy()
        index_board(anew, 0)
        for name in anew.dtype.names:
            assert np.array_equal(self.states[name], anew[name]), f"{name} is behind"

    def discs_changed(self, player: int) -> dict[tuple[int, int], int]:
        return discs_changed(self.states, player)

    def is_over(self) -> bool:
        return bool(self.states["terminated"][0])

    def scores(self) -> list[int]:
        return GAME.returns(self.states)[0].astype(np.int64).tolist()

    def ranks(self) -> list[int]:
        return GAME.returns(self.states)[1].tolist()


def discs_changed(states, player: int) -> dict[tuple[int, int], int]:
    """What a seat's moves did, by (colour that came on top, colour that went): discs."""
    found = {}
    for after, word in enumerate(states["takeovers"][0, player].tolist()):
        for came, discs in enumerate(word.to_bytes(4, "little")):
            if discs:
                found[came, (came + after) % 4] = discs
    return found


both = pytest.mark.parametrize("rules", [Oracle, Kernels], ids=["oracle", "kernels"])
