"""What a picture or a text of Sàrèná may show: the board, and the secrets that a seat knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of
from ...core.drawing.words import ranks_of
from ..actions import ACTIONS
from ..components import NUM_CIRCLES, NUM_COLOURS
from ..state import Stack, stacks_of


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """What may be shown: everything that a picture or a text reads, and nothing more."""

    stacks: list[Stack]
    secrets: list[int | None]  # of each seat; None where it is face down
    unused: list[int | None]  # the undrawn pawns, by colour


def see(state, seat=None, last_action=None) -> Visible:
    num_players = int(state["num_players"])
    common = common_of(state, seat)
    over = common["over"]
    pawns = [int(colour) for colour in state["secret"]]
    stacks = stacks_of(state)
    shown = [seat is None or over or seat == other for other in range(num_players)]
    secrets = [pawns[other] if shown[other] else None for other in range(num_players)]
    unused: list[int | None] = [*sorted(pawns[num_players:])]
    scores: list[int] = []
    ranks: list[int] = []
    if over:
        scores, ranks = _result(stacks, pawns[:num_players], int(state["forfeit"]))
    return Visible(
        **common,
        stacks=stacks,
        secrets=secrets,
        unused=unused if seat is None else [None] * len(unused),
        scores=scores,
        ranks=ranks,
        move=_move_of(last_action),
    )


def _move_of(last_action) -> tuple[int, int] | None:
    if last_action is None:
        return None
    if np.ndim(last_action) == 0 and not isinstance(last_action, Mapping):
        last_action = ACTIONS.decode(int(last_action))
    if isinstance(last_action, Mapping):
        last_action = last_action["from"], last_action["to"]
    start, end = last_action
    for circle in (start, end):
        if not 0 <= circle < NUM_CIRCLES:
            raise ValueError(
                f"last_action {last_action!r} names circle {circle!r}; "
                f"circles are 0 to {NUM_CIRCLES - 1}"
            )
    return int(start), int(end)


def _result(
    stacks: Sequence[Stack], colours: Sequence[int], forfeit: int
) -> tuple[list[int], list[int]]:
    """Return discs and rank of each seat (Fin du jeu); a forfeit ranks last."""
    keys = [(seat != forfeit, *own_discs(stacks, colour)) for seat, colour in enumerate(colours)]
    return [key[1] for key in keys], ranks_of(keys)


def own_discs(stacks: Sequence[Stack], colour: int) -> tuple[int, int]:
    """Return the discs in stacks with that colour on top, and how many of them show it."""
    discs = [disc for stack in stacks if stack and stack[-1][1] == colour for disc in stack]
    return len(discs), sum(colour in disc for disc in discs)


def discs_on_top(stacks: Sequence[Stack]) -> list[int]:
    """Return the discs that each colour would take now."""
    counts = [0] * NUM_COLOURS
    for stack in stacks:
        if stack:
            counts[stack[-1][1]] += len(stack)
    return counts


def winners(seen: Visible) -> list[int]:
    best = min(seen.ranks)
    return [seat for seat, rank in enumerate(seen.ranks) if rank == best]


def points_seen(seen: Visible) -> list[str]:
    """Return the discs that each seat would take now, if its colour is known."""
    counts = discs_on_top(seen.stacks)
    return ["" if colour is None else str(counts[colour]) for colour in seen.secrets]
