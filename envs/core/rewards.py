"""From final scores and ranks to rewards, for any number of seats."""

from __future__ import annotations

import numpy as np

from .jit import kernel

# The reward options of every interface, in the order of their numbers in kernels.
REWARDS = ("rank", "win", "score", "margin", "score_change")
RANK, WIN, SCORE, MARGIN, SCORE_CHANGE = range(len(REWARDS))


@kernel
def rank_in_place(keys, num_players):
    """Replace each seat's int64 key (higher is better, under 2**55) by its rank.

    1 is best; equal keys share a rank and the ranks after them are skipped: 1, 2, 2, 4.
    """
    for seat in range(num_players):
        keys[seat] <<= 8
    for seat in range(num_players):
        rank = 1
        for other in range(num_players):
            rank += keys[other] >> 8 > keys[seat] >> 8
        keys[seat] |= rank
    for seat in range(num_players):
        keys[seat] &= 255


@kernel
def forfeit_ranks(seat, num_players, scores, ranks):
    """Rank ``seat`` last and the others together before it, with no score for anyone."""
    for other in range(num_players):
        scores[other] = 0.0
        ranks[other] = 1
    ranks[seat] = max(num_players, 2)


@kernel
def utilities(kind, scores, ranks, num_players, out):
    """Fill ``out[seat]`` with the final reward of each seat.

    rank: evenly spaced from +1 (first) to -1 (last), equal ranks share the mean of their places.
    win: the winners share +1 and the others share -1; all 0 when everybody wins.
    score: the score itself.  margin: the score less the best other score.
    With one seat, rank and win are +1 for rank 1 (the solo goal reached) and -1 for rank 2.
    The sum over the seats is 0 for rank and win with two seats or more.
    """
    if num_players == 1:
        if kind <= WIN:
            out[0] = 1.0 if ranks[0] == 1 else -1.0
        else:
            out[0] = scores[0]
        return
    winners = 0
    for seat in range(num_players):
        winners += ranks[seat] == 1
    for seat in range(num_players):
        equal = 0
        best_other = -np.inf
        for other in range(num_players):
            equal += ranks[other] == ranks[seat]
            if other != seat:
                best_other = max(best_other, scores[other])
        if kind == RANK:
            place = ranks[seat] - 1 + (equal - 1) / 2
            out[seat] = 1.0 - 2.0 * place / (num_players - 1)
        elif kind == WIN:
            if winners == num_players:
                out[seat] = 0.0
            elif ranks[seat] == 1:
                out[seat] = 1.0 / winners
            else:
                out[seat] = -1.0 / (num_players - winners)
        elif kind == MARGIN:
            out[seat] = scores[seat] - best_other
        else:
            out[seat] = scores[seat]
