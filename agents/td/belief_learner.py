"""Learning beliefs in torch: distinguishing a record's hidden facts from uniform redraws.

The records come from games that the agent plays against itself, without search.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ludotheque.envs.core.errors import check_whole
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.schema import total_size

from ..base import Agent, needs_train
from ..match import Match
from ..specs import make_agent
from ..training.common import torch_threads
from .agent import TDAgent, compile_for
from .beliefs import BeliefNet
from .model import BELIEFS, ValueModel, check_model, form_of, hidden_digest, positions_of

try:
    import torch
    from torch.nn import functional
except ModuleNotFoundError as error:
    raise needs_train(error) from error

WIDTH = 64
EPOCHS = 6
BATCH = 512
RATE = 1e-3
DECAY = 1e-2
DRAWS = 7  # uniform redraws per record
HELD_OUT = 0.1  # fraction of the games held out for evaluation
# Initial standard deviation of the weights.
_START = 0.05


class Decisions(NamedTuple):
    """Decisions of games, in the order in which they were taken.

    Attributes:
        seen: int8 ``(n, inputs)``: the network's inputs.
        states: ``(n,)`` records.
        game: int64 ``(n,)``: the number of the game.
    """

    seen: np.ndarray
    states: np.ndarray
    game: np.ndarray


def play_decisions(
    agent: TDAgent, games: int, seed: int, opponent: str | Agent | None = None
) -> Decisions:
    """Play games and return the agent's decisions between several actions.

    Args:
        agent: plays all seats; with an ``opponent``, one seat per game, rotating.
        games: number of games.
        seed: of the deals.
        opponent: an agent, or its spec, for the other seats.
    """
    game, about = agent.game, agent.about
    settings = Settings(game, about["num_players"], options=about["options"])
    own = np.arange(games)[:, None] % settings.num_players
    elsewhere = np.arange(settings.num_players) != own
    agents = [agent] if opponent is None else [agent, make_agent(opponent, game)]
    seating = (elsewhere & (opponent is not None)).astype(np.int64)
    seeds = np.random.default_rng(seed).integers(0, 1 << 64, games, np.uint64, endpoint=False)
    match = Match(settings, agents, seating, seeds.tolist())
    parts = []
    left = games
    while left:
        rows = np.flatnonzero(~match.finished)
        rows = rows[match.seating[rows, match.states["to_play"][rows]] == 0]
        parts.append(_look(game, about["inputs"], match.states[rows], rows))
        left = match.step()
    return Decisions(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _look(game: Game, inputs: list[str], states: np.ndarray, rows: np.ndarray) -> Decisions:
    """Return the decisions of the seats to act, without forced moves."""
    form = form_of(game)
    masks = np.zeros((len(states), game.num_actions), np.int8)
    seen = np.zeros((len(states), game.observation_size(form)), game.observation_dtype)
    seats = np.full(len(states), -1, np.int64)
    game.loops_for(form).views(states, 0, len(states), seats, 0, seen, masks)
    free = masks.sum(axis=1) > 1
    seen = seen[free][:, positions_of(game, tuple(inputs))]
    return Decisions(seen, states[free], rows[free])


def facts_of(game: Game, states: np.ndarray, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Return the facts hidden from the seats to act, and those of uniform redraws.

    The array is int8 ``(n, 1 + draws, facts)``, with those of the records first.
    """
    facts = np.zeros((len(states), 1 + draws, total_size(game.hidden_facts)), np.int8)
    seeds = rng.integers(0, 1 << 64, len(states), np.uint64, endpoint=False)
    compile_for(game, "beliefs").draw_facts(states, seeds, game.new_states(1), facts)
    return facts


def sums_of(net: BeliefNet, seen: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Return the sums of the facts' scores, float64 ``(n, 1 + draws)``."""
    units = np.maximum(seen.astype(np.float32) @ net.first + net.first_bias, 0.0)
    scores = units @ net.last.T + net.last_bias
    return np.einsum("nf,nkf->nk", scores, facts, dtype=np.float64)


def learn_beliefs(model: ValueModel, game: Game, games: int, seed: int) -> ValueModel:
    """Return the model with a belief network, and its evaluation in ``about["beliefs"]``.

    ``loss`` is the mean negative log-probability that the network assigns to the true record among
    ``draws`` redraws, in held-out games; ``uniform`` is the loss of uniform probabilities.

    Args:
        model: plays all seats of the games.
        game: the model's game.
        games: number of games, a tenth of which is held out.
        seed: of the games and everything else random.

    Raises:
        ValueError: the game has no hidden facts, or is solo; too few games.
    """
    check_whole(games, "games", round(1 / HELD_OUT))
    if not game.hidden_facts or model.about["num_players"] < 2:
        raise ValueError(
            f"{game.name} for {model.about['num_players']} has no hidden facts: there are no "
            "beliefs to learn"
        )
    found = play_decisions(TDAgent(game, model), games, seed)
    held = found.game >= games * (1 - HELD_OUT)
    parts = [Decisions(*(array[some] for array in found)) for some in (~held, held)]
    rng = np.random.default_rng([seed, 1])
    with torch_threads(1):
        net = _fit(game, parts[0], rng)
    told = {
        "games": games,
        "seed": seed,
        "decisions": len(found.seen),
        "draws": DRAWS,
        "loss": round(_loss(game, net, parts[1], rng), 4),
        "uniform": round(float(np.log(1 + DRAWS)), 4),
    }
    about = {**model.about, "hidden": hidden_digest(game), "beliefs": told}
    learned = ValueModel(about, {**model.arrays, **dict(zip(BELIEFS, net, strict=True))})
    check_model(learned, game)
    return learned


def _loss(game: Game, net: BeliefNet, found: Decisions, rng: np.random.Generator) -> float:
    total = 0.0
    for start in range(0, len(found.seen), BATCH):
        rows = slice(start, start + BATCH)
        sums = sums_of(net, found.seen[rows], facts_of(game, found.states[rows], DRAWS, rng))
        sums -= sums.max(axis=1, keepdims=True)
        total += float((np.log(np.exp(sums).sum(axis=1)) - sums[:, 0]).sum())
    return total / len(found.seen)


def _fit(game: Game, found: Decisions, rng: np.random.Generator) -> BeliefNet:
    """Return a network trained to distinguish hidden facts from redraws."""
    seen = found.seen
    squares = np.einsum("ij,ij->j", seen, seen, dtype=np.float64)
    there = np.maximum(np.count_nonzero(seen, axis=0), 1)
    scale = torch.from_numpy(np.maximum(np.sqrt(squares / there), 1.0).astype(np.float32))
    facts = total_size(game.hidden_facts)
    first = rng.standard_normal((WIDTH, seen.shape[1])) * _START
    weights = [torch.from_numpy(first.astype(np.float32))]
    weights += [torch.zeros(shape) for shape in ((WIDTH,), (facts, WIDTH), (facts,))]
    for weight in weights:
        weight.requires_grad_()
    optimizer = torch.optim.AdamW(weights, lr=RATE, weight_decay=DECAY)
    orders = [rng.permutation(len(seen)) for _ in range(EPOCHS)]
    batches = [
        order[start : start + BATCH] for order in orders for start in range(0, len(seen), BATCH)
    ]
    for number, rows in enumerate(batches):
        optimizer.param_groups[0]["lr"] = RATE * (1.0 - number / len(batches))
        drawn = facts_of(game, found.states[rows], DRAWS, rng)
        inputs = torch.from_numpy(seen[rows]).float() / scale
        units = functional.relu(functional.linear(inputs, *weights[:2]))
        scores = functional.linear(units, *weights[2:])
        sums = torch.einsum("nf,nkf->nk", scores, torch.from_numpy(drawn).float())
        loss = functional.cross_entropy(sums, torch.zeros(len(rows), dtype=torch.long))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    learned, *others = (weight.detach() for weight in weights)
    arrays = ((learned / scale).T, *others)
    return BeliefNet(*(np.array(array.numpy(), np.float32, order="C") for array in arrays))
