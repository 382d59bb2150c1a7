"""Plies, simulations and decisions a second of the libraries that the suite is compared with.

Every peer plays uniformly random legal moves, or searches, in the fastest way its own interface
offers, measured without warm-up and compilation. A peer that is not installed is reported and
skipped: ``pip install "ludotheque[bench]"`` installs them all.
"""

from __future__ import annotations

import itertools
import os
import random
import warnings
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from ludotheque.benchmarks.measure import (
    JsonFile,
    NotInstalledError,
    Probe,
    QuickOption,
    SecondsOption,
    Settings,
    Work,
    interleave,
    machine,
    need,
    print_machine,
    print_results,
    record_of,
    write_json,
)

BATCHES = (1, 64, 1024, 8192)
SHOWN_BATCHES = ", ".join(map(str, BATCHES))
OPEN_SPIEL_PYTHON = ("connect_four", "hex(board_size=11)", "havannah(board_size=8)")
OPEN_SPIEL_ROLLOUTS = (
    "havannah(board_size=8)",
    "twixt",
    "quoridor(board_size=9)",
    "hearts",
    "gin_rummy",
)
OPEN_SPIEL_SEARCH = ("hex(board_size=11)", "quoridor(board_size=9)")
PGX_GAMES = ("hex", "connect_four")
NETWORK_GAME = "connect_four"  # of searches with a network
WIDTH, DEPTH = 64, 2  # of those networks, about the size of ours
MCTX_BATCH = 64
SELF_PLAY_SIMULATIONS = 32  # as in `ludotheque train --method search`
GAMES_FOR_LENGTH = 300  # the mean length of a random game, to convert games to plies in C++
PLIES_PER_PGX_CALL = 16_384
UCT_CONSTANT = 1.4


# PettingZoo


def pettingzoo_aec(raw: bool = False) -> Probe:
    """PettingZoo's connect four, one game, through `env()` or without its wrappers."""
    entry = "raw_env" if raw else "env"
    return Probe(
        f"PettingZoo connect_four {entry}()", partial(_build_pettingzoo, entry), ours=False
    )


def _build_pettingzoo(entry: str) -> Work:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():  # its versioned modules warn that they are deprecated
        warnings.simplefilter("ignore")
        module = need("pettingzoo.classic.connect_four_v3", "pettingzoo[classic]")
        env = getattr(module, entry)()
    return partial(play_aec_game, env, random.Random(1))


def play_aec_game(env, generator: random.Random) -> int:
    """Play one game of any AEC environment with a mask in its observation; return its plies."""
    env.reset(seed=generator.getrandbits(31))
    plies = 0
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return plies
        legal = np.flatnonzero(observation["action_mask"])
        env.step(int(legal[int(generator.random() * len(legal))]))
        plies += 1


# OpenSpiel


def open_spiel_python(game: str) -> Probe:
    """OpenSpiel driven from Python: mask, observation tensor and move, every ply."""
    return Probe(
        f"OpenSpiel {game} from Python",
        partial(_build_open_spiel_python, game),
        ours=False,
        note="legal_actions_mask + observation_tensor + apply_action",
    )


def _build_open_spiel_python(name: str) -> Work:
    game = need("pyspiel", "open_spiel").load_game(name)
    generator = random.Random(1)

    def play() -> int:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(_chance(state, generator))
                continue
            state.legal_actions_mask()
            state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(generator.random() * len(legal))])
            plies += 1
        return plies

    return play


def open_spiel_rollouts(game: str) -> Probe:
    """OpenSpiel's own random rollouts: whole games in C++, from the first decision."""
    return Probe(
        f"OpenSpiel {game} C++ rollouts",
        partial(_build_open_spiel_rollouts, game),
        ours=False,
        note="RandomRolloutEvaluator; no deal, no mask, no observation",
    )


def _build_open_spiel_rollouts(name: str) -> Work:
    # The evaluator cannot be called from Python. A search of one simulation calls it once, on the
    # root, where it plays its games: the cost of the tree is negligible.
    pyspiel = need("pyspiel", "open_spiel")
    game = pyspiel.load_game(name)
    generator = random.Random(1)
    state = _first_decision(game, generator)
    length = _mean_length(state, generator)
    games = max(1, round(50_000 / length))
    evaluator = pyspiel.RandomRolloutEvaluator(games, 1)
    bot = _mcts_bot(pyspiel, game, evaluator, simulations=1)

    def work() -> int:
        bot.mcts_search(state)
        return round(games * length)

    return work


def open_spiel_search(game: str, simulations: int = 2000) -> Probe:
    """OpenSpiel's C++ `MCTSBot` at the opening, with one random rollout per simulation."""
    return Probe(
        f"OpenSpiel {game} C++ MCTSBot",
        partial(_build_open_spiel_search, game, simulations),
        unit="simulations",
        ours=False,
        note=f"{simulations} simulations a search, RandomRolloutEvaluator(1)",
    )


def _build_open_spiel_search(name: str, simulations: int) -> Work:
    pyspiel = need("pyspiel", "open_spiel")
    game = pyspiel.load_game(name)
    state = _first_decision(game, random.Random(1))
    bot = _mcts_bot(pyspiel, game, pyspiel.RandomRolloutEvaluator(1, 1), simulations)
    return lambda: bot.mcts_search(state).explore_count


def open_spiel_ismcts(game: str = "hearts", simulations: int = 2000) -> Probe:
    """OpenSpiel's C++ `ISMCTSBot` at the first decision, with one random rollout per simulation."""
    return Probe(
        f"OpenSpiel {game} C++ ISMCTSBot",
        partial(_build_open_spiel_ismcts, game, simulations),
        unit="simulations",
        ours=False,
        note=f"{simulations} simulations a search, RandomRolloutEvaluator(1)",
    )


def _build_open_spiel_ismcts(name: str, simulations: int) -> Work:
    pyspiel = need("pyspiel", "open_spiel")
    if not hasattr(pyspiel, "ISMCTSBot"):
        raise NotInstalledError("this open_spiel has no ISMCTSBot")
    state = _first_decision(pyspiel.load_game(name), random.Random(1))
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.ISMCTSBot(1, evaluator, UCT_CONSTANT, simulations)

    def work() -> int:
        bot.step(state)
        return simulations

    return work


def open_spiel_alpha_zero(simulations: int) -> Probe:
    """The search of OpenSpiel's Python AlphaZero, in positions of whole random games."""
    return Probe(
        "OpenSpiel AlphaZero",
        partial(_build_alpha_zero, simulations),
        unit="simulations",
        threads="all",
        ours=False,
        note=f"AlphaZero: {NETWORK_GAME}, in Python, {simulations} simulations a search, MLP "
        f"{WIDTH}x{DEPTH} (nnx, faster than linen), cache emptied before every search",
    )


def _build_alpha_zero(simulations: int) -> Work:
    game, search = _alpha_zero(simulations)
    positions = _random_positions(game, random.Random(1))
    turn = itertools.cycle(positions)
    return lambda: search(next(turn)).explore_count


def open_spiel_self_play(simulations: int = SELF_PLAY_SIMULATIONS) -> Probe:
    """Self-play of OpenSpiel's Python AlphaZero, as one of its actors plays."""
    return Probe(
        "OpenSpiel AlphaZero self-play",
        partial(_build_alpha_zero_self_play, simulations),
        unit="decisions",
        threads="all",
        ours=False,
        note=f"AlphaZero: {NETWORK_GAME}, {simulations} simulations a decision; td searches none",
    )


def _build_alpha_zero_self_play(simulations: int) -> Work:
    game, search = _alpha_zero(simulations, noise=(0.25, 1.0))
    generator = random.Random(1)
    state = game.new_initial_state()

    def work() -> int:
        nonlocal state
        if state.is_terminal():
            state = game.new_initial_state()
        children = search(state).children
        (chosen,) = generator.choices(children, [child.explore_count for child in children])
        state.apply_action(chosen.action)
        return 1

    return work


def _alpha_zero(simulations: int, noise: tuple[float, float] | None = None):
    """Return the game, and a function that searches a state with a network and an empty cache."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    pyspiel = need("pyspiel", "open_spiel")
    folder, packages = "open_spiel.python.algorithms", "flax, chex, optax or orbax-checkpoint"
    mcts = need(f"{folder}.mcts", "open_spiel")
    with warnings.catch_warnings():  # each of its two models warns that it is the one in use
        warnings.simplefilter("ignore")
        evaluators = need(f"{folder}.alpha_zero.evaluator", "jax")
        model = need(f"{folder}.alpha_zero.model_nnx", packages).Model
    game = pyspiel.load_game(NETWORK_GAME)
    decay, rate = 1e-4, 1e-3  # of learning
    network = model.build_model(
        "mlp",
        game.observation_tensor_shape(),
        game.num_distinct_actions(),
        WIDTH,
        DEPTH,
        decay,
        rate,
        None,
    )
    words = np.random.RandomState(1)

    def search(state):
        # Emptying an evaluator's cache also forgets what JAX compiled; a new one is empty.
        return mcts.MCTSBot(
            game,
            UCT_CONSTANT,
            simulations,
            evaluators.AlphaZeroEvaluator(game, network),
            solve=False,
            random_state=words,
            child_selection_fn=mcts.SearchNode.puct_value,
            dirichlet_noise=noise,
            dont_return_chance_node=True,
        ).mcts_search(state)

    return game, search


def _random_positions(game, generator: random.Random) -> list[Any]:
    """Return the real choices of some random games without chance, in random order."""
    found = []
    for _ in range(4):
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            if len(legal) > 1:
                found.append(state.clone())
            state.apply_action(generator.choice(legal))
    generator.shuffle(found)
    return found


def _mcts_bot(pyspiel, game, evaluator, simulations: int):
    memory_mb, solve, seed, verbose = 1000, False, 1, False
    return pyspiel.MCTSBot(
        game, evaluator, UCT_CONSTANT, simulations, memory_mb, solve, seed, verbose
    )


def _first_decision(game, generator: random.Random):
    """Return a deal at its first real choice: the bots answer at once if one action is legal."""
    state = game.new_initial_state()
    while state.is_chance_node() or len(state.legal_actions()) == 1:
        chance = state.is_chance_node()
        state.apply_action(_chance(state, generator) if chance else state.legal_actions()[0])
    return state


def _chance(state, generator: random.Random) -> int:
    actions, weights = zip(*state.chance_outcomes(), strict=True)
    return generator.choices(actions, weights)[0]


def _mean_length(start, generator: random.Random) -> float:
    """Return the mean number of decisions in a random game from `start`, without chance nodes."""
    plies = 0
    for _ in range(GAMES_FOR_LENGTH):
        state = start.clone()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(_chance(state, generator))
            else:
                state.apply_action(generator.choice(state.legal_actions()))
                plies += 1
    return plies / GAMES_FOR_LENGTH


# Pgx


def pgx_batch(game: str, batch: int, fast_pick: bool = False) -> Probe:
    """Pgx on the CPU: `batch` games, auto-reset, mask and observation, in one compiled scan.

    Args:
        fast_pick: choose the move by one random number per game and a cumulative sum of the mask,
            instead of by Pgx's own `act_randomly`, which draws a number for every action.
    """
    pick = ", cheaper random choice" if fast_pick else ""
    return Probe(
        f"Pgx {game} batch {batch}{pick}",
        partial(_build_pgx, game, batch, fast_pick),
        batch=batch,
        threads="all",
        ours=False,
        note="jit + vmap + auto_reset in lax.scan",
    )


def _build_pgx(name: str, batch: int, fast_pick: bool) -> Work:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax = need("jax")
    env = need("pgx").make(name)
    experimental = need("pgx.experimental", "pgx")
    auto_step = jax.vmap(experimental.auto_reset(env.step, env.init))
    pick = _pick_by_count if fast_pick else experimental.act_randomly
    steps = max(4, min(512, PLIES_PER_PGX_CALL // batch))

    def ply(carry, _):
        state, key = carry
        key, for_pick, for_reset = jax.random.split(key, 3)
        action = pick(for_pick, state.legal_action_mask)
        state = auto_step(state, action, jax.random.split(for_reset, batch))
        return (state, key), None

    @jax.jit
    def run(carry):
        return jax.lax.scan(ply, carry, None, length=steps)[0]

    key = jax.random.PRNGKey(1)
    start = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
    carry = jax.block_until_ready(run((start, key)))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(run(carry))  # the last observation is one of the results
        return steps * batch

    return work


def _pick_by_count(key, mask):
    import jax
    import jax.numpy as jnp

    counts = jnp.cumsum(mask, axis=-1, dtype=jnp.int32)
    nth = jax.random.uniform(key, (mask.shape[0], 1)) * counts[:, -1:]
    return jnp.argmax(counts > nth.astype(jnp.int32), axis=-1).astype(jnp.int32)


def mctx_search(simulations: int, batch: int = MCTX_BATCH) -> Probe:
    """DeepMind's mctx on Pgx: self-play with Gumbel AlphaZero's search, compiled by JAX."""
    return Probe(
        "mctx + Pgx",
        partial(_build_mctx, simulations, batch, simulations),
        unit="simulations",
        batch=batch,
        threads="all",
        ours=False,
        note=f"mctx: {NETWORK_GAME}, {batch} games at all stages, gumbel_muzero_policy with "
        f"{simulations} simulations, MLP {WIDTH}x{DEPTH}, jit + vmap",
    )


def mctx_self_play(simulations: int = SELF_PLAY_SIMULATIONS, batch: int = MCTX_BATCH) -> Probe:
    """The same, counted in decisions."""
    return Probe(
        "mctx + Pgx self-play",
        partial(_build_mctx, simulations, batch, 1),
        unit="decisions",
        batch=batch,
        threads="all",
        ours=False,
        note=f"mctx: {NETWORK_GAME}, {batch} games, {simulations} simulations a decision",
    )


def _build_mctx(simulations: int, batch: int, units: int) -> Work:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    jax, mctx = need("jax"), need("mctx")
    env = need("pgx").make(NETWORK_GAME)
    experimental = need("pgx.experimental", "pgx")
    auto_step = jax.vmap(experimental.auto_reset(env.step, env.init))
    layers = _mlp(jax, prod(env.observation_shape), env.num_actions)

    def split(key):
        key, one, *each = jax.random.split(key, 2 + batch)
        return key, one, jax.numpy.stack(each)

    def random_ply(carry, _):
        state, key = carry
        key, one, each = split(key)
        action = experimental.act_randomly(one, state.legal_action_mask)
        return (auto_step(state, action, each), key), None

    @jax.jit
    def spread(carry):
        # Games of all stages: the longest of connect four has 42 plies.
        return jax.lax.scan(random_ply, carry, None, length=42)[0]

    @jax.jit
    def move(carry):
        state, key = carry
        key, one, each = split(key)
        logits, value = _infer(layers, state.observation)
        found = mctx.gumbel_muzero_policy(
            params=layers,
            rng_key=one,
            root=mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state),
            recurrent_fn=partial(_simulate_pgx, mctx, jax.vmap(env.step)),
            num_simulations=simulations,
            invalid_actions=~state.legal_action_mask,
            qtransform=mctx.qtransform_completed_by_mix_value,
        )
        return auto_step(state, found.action, each), key

    key = jax.random.PRNGKey(1)
    start = jax.jit(jax.vmap(env.init))(jax.random.split(key, batch))
    carry = jax.block_until_ready(move(spread((start, key))))

    def work() -> int:
        nonlocal carry
        carry = jax.block_until_ready(move(carry))
        return units * batch

    return work


def _mlp(jax, inputs: int, actions: int) -> tuple[list[Any], Any, Any]:
    """Return random weights: the layers, and those of the policy and the value."""
    sizes = [inputs, *[WIDTH] * DEPTH]
    keys = iter(jax.random.split(jax.random.PRNGKey(1), DEPTH + 2))

    def weights(rows: int, columns: int):
        return jax.random.normal(next(keys), (rows, columns)) / rows**0.5

    return (
        [weights(*pair) for pair in itertools.pairwise(sizes)],
        weights(WIDTH, actions),
        weights(WIDTH, 1),
    )


def _infer(layers, observation):
    import jax.numpy as jnp

    hidden, policy, value = layers
    x = observation.reshape(len(observation), -1).astype(jnp.float32)
    for weights in hidden:
        x = jnp.maximum(x @ weights, 0)
    return x @ policy, jnp.tanh(x @ value)[:, 0]


def _simulate_pgx(mctx, step, layers, key, action, state):
    """Return what mctx wants of a move in a game for two: see Pgx's example of AlphaZero."""
    import jax.numpy as jnp

    actor = state.current_player
    state = step(state, action)
    logits, value = _infer(layers, state.observation)
    found = mctx.RecurrentFnOutput(
        reward=state.rewards[jnp.arange(len(actor)), actor],
        discount=jnp.where(state.terminated, 0.0, -1.0),
        prior_logits=jnp.where(state.legal_action_mask, logits, jnp.finfo(logits.dtype).min),
        value=jnp.where(state.terminated, 0.0, value),
    )
    return found, state


# Together


def groups(batches: Sequence[int] = BATCHES) -> dict[str, list[Probe]]:
    """Return every peer, in the groups that `throughput`, `search` and `learning` use."""
    return {
        "One game from Python": from_python(),
        **{f"Batch of {n}": [pgx_batch(game, n) for game in PGX_GAMES] for n in batches},
        "Pgx, cheaper random choice": [pgx_batch(game, 1024, True) for game in PGX_GAMES],
        "Random games in compiled code": [open_spiel_rollouts(g) for g in OPEN_SPIEL_ROLLOUTS],
        "Search": search(),
        "Self-play": self_play(),
        "Search with a network": network_search(),
    }


def from_python() -> list[Probe]:
    """Return the peers that play one game, called from Python every ply."""
    return [
        pettingzoo_aec(),
        pettingzoo_aec(raw=True),
        *(open_spiel_python(game) for game in OPEN_SPIEL_PYTHON),
    ]


def search(simulations: int = 2000) -> list[Probe]:
    """Return the peers that search."""
    bots = [open_spiel_search(game, simulations) for game in OPEN_SPIEL_SEARCH]
    return [*bots, open_spiel_ismcts("hearts", simulations)]


def self_play() -> list[Probe]:
    """Return the peers that play themselves with a network."""
    return [open_spiel_self_play(), mctx_self_play()]


def network_search(simulations: int = 200) -> list[Probe]:
    """Return the peers that search with a network."""
    return [open_spiel_alpha_zero(simulations), mctx_search(simulations)]


def main(
    batch: Annotated[
        list[int] | None,
        typer.Option(min=1, help="Pgx batch size; may repeat.", show_default=SHOWN_BATCHES),
    ] = None,
    only: Annotated[str, typer.Option(help="Only peers with this text in their name.")] = "",
    seconds: SecondsOption = 1.0,
    repetitions: Annotated[int, typer.Option(min=1, help="Measurements of each peer.")] = 5,
    quick: QuickOption = False,
    json: JsonFile = None,
):
    """Measure random legal play, search and self-play in PettingZoo, OpenSpiel, Pgx and mctx."""
    console = Console()
    facts = machine()
    print_machine(console, facts)
    settings = Settings.of(seconds, repetitions, quick)
    chosen = {
        group: [probe for probe in probes if only.lower() in probe.name.lower()]
        for group, probes in groups(batch or BATCHES).items()
    }
    results = interleave(chosen, settings)
    print_results(console, results)
    if json:
        write_json(json, record_of(facts, settings, results))


if __name__ == "__main__":
    typer.run(main)
