"""OpenSpiel: its random-game test and its playthrough of every game; ISMCTS, MCCFR, policies."""

from __future__ import annotations

import json
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import numpy as np
import pyspiel
from absl import flags
from open_spiel.python.algorithms import ismcts, mcts, outcome_sampling_mccfr
from open_spiel.python.algorithms.generate_playthrough import playthrough, replay

import ludotheque.openspiel  # noqa: F401  registers the games
from ludotheque.agents.ratings import wilson
from ludotheque.envs import game_names, get_game

sys.path.append(str(Path(__file__).parents[1]))
from interrupts import Interrupt  # noqa: E402

GAMES, SIMULATIONS = 60, 60


def check(name: str) -> None:
    """OpenSpiel's own tests of a game, for every number of players."""
    for players in get_game(name).player_counts:
        if players > 1:
            game = pyspiel.load_game(f"ludotheque_{name}(players={players},deals=3)")
            pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    written = playthrough(f"ludotheque_{name}(deals=3)", None, seed=1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "playthrough.txt"
        path.write_text(written, encoding="utf-8")
        original, again = replay(str(path))
        assert original == again


def check_resampling(name: str) -> None:
    """The seat to play can't distinguish the redrawn state from the true one; others may."""
    game = pyspiel.load_game(f"ludotheque_{name}(deals=20)")
    rng = np.random.default_rng(0)
    sampler = rng.random
    differs = 0
    for deal in range(6):
        state = game.new_initial_state()
        state.apply_action(deal)
        while not state.is_terminal() and state.move_number() < 20:
            seat = state.current_player()
            drawn = state.resample_from_infostate(seat, sampler)
            for told in ("information_state_string", "observation_tensor", "observation_string"):
                assert getattr(drawn, told)(seat) == getattr(state, told)(seat)
            assert drawn.legal_actions() == state.legal_actions()
            differs += drawn.record.tobytes() != state.record.tobytes()
            state.apply_action(int(rng.choice(state.legal_actions())))
    assert differs > 5


def check_refusals(name: str) -> None:
    """A seat that doesn't exist doesn't reach the kernels, nor does a deal beyond the last."""
    game = pyspiel.load_game(f"ludotheque_{name}(deals=3)")
    state = game.new_initial_state()
    for deal in (3, 2**40):
        assert refuses(lambda deal=deal: state.clone().apply_action(deal)), deal
    state.apply_action(0)
    before = state.record.tobytes()
    for player in (-1, game.num_players(), 99):
        assert refuses(lambda player=player: state.resample_from_infostate(player, lambda: 0.5))
    for number in (-0.5, 1.5, float("nan"), "x"):
        assert refuses(lambda number=number: state.resample_from_infostate(0, lambda: number))
    assert state.record.tobytes() == before


def check_interrupts(name: str) -> None:
    """After Ctrl-C a state is as before, or says that it isn't."""
    game = pyspiel.load_game(f"ludotheque_{name}(deals=3)")
    torn = moment = 0
    struck = True
    while struck:
        state = game.new_initial_state()
        state.apply_action(1)
        action, before = state.legal_actions()[0], _told(state)
        interrupt = Interrupt(moment, "ludotheque.openspiel", "ludotheque.envs.core.interfaces")
        struck = interrupt.strikes(lambda one=state, a=action: one.apply_action(a))
        assert state.history() == ([1] if struck else [1, action])
        if refuses(state.legal_actions):
            asked = (state.information_state_string, state.observation_string)
            calls = [state.current_player, state.is_terminal, state.returns, state.__str__]
            calls += [lambda ask=ask: ask(0) for ask in asked]
            assert all(map(refuses, calls)), moment
            torn += 1
        else:
            assert not struck or _told(state) == before, moment
        moment += 7
    assert torn > 10


def _told(state) -> list:
    seats = range(state.num_players())
    return [state.record.tobytes(), [state.information_state_string(seat) for seat in seats]]


def refuses(call) -> bool:
    """Return whether a call raises ValueError."""
    try:
        call()
    except ValueError:
        return True
    return False


def ismcts_against_random() -> float:
    """Return the share of wins, ties shared."""
    game = pyspiel.load_game("ludotheque_sarena(deals=1000)")
    rng = np.random.RandomState(0)
    bot = ismcts.ISMCTSBot(
        game=game,
        uct_c=1.4,
        evaluator=mcts.RandomRolloutEvaluator(n_rollouts=1, random_state=rng),
        max_simulations=SIMULATIONS,
        max_world_samples=ismcts.UNLIMITED_NUM_WORLD_SAMPLES,
        random_state=rng,
        final_policy_type=ismcts.ISMCTSFinalPolicyType.MAX_VISIT_COUNT,
        use_observation_string=False,
        allow_inconsistent_action_sets=False,
    )
    won = 0.0
    for k in range(GAMES):
        seat, state = k % 2, game.new_initial_state()
        state.apply_action(k // 2)
        while not state.is_terminal():
            own = state.current_player() == seat
            state.apply_action(bot.step(state) if own else int(rng.choice(state.legal_actions())))
        won += (1 + np.sign(state.returns()[seat])) / 2
    return won / GAMES


def main() -> None:
    flags.FLAGS(["with_openspiel"])  # the playthrough reads them
    start = perf_counter()
    for name in game_names():
        check(name)
        check_resampling(name)
        check_refusals(name)
        check_interrupts(name)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(
        pyspiel.load_game("ludotheque_sarena(deals=2)")
    )
    for _ in range(20):
        solver.iteration()
    state = pyspiel.load_game("ludotheque_sarena(deals=2)").new_initial_state()
    state.apply_action(0)
    assert abs(sum(solver.average_policy().action_probabilities(state).values()) - 1) < 1e-6
    share = ismcts_against_random()
    told = {
        "library": "open_spiel",
        "version": version("open_spiel"),
        "seconds": round(perf_counter() - start),
        "ismcts_against_random": share,
    }
    print(json.dumps(told))
    assert wilson(round(share * GAMES), GAMES)[0] > 0.5


if __name__ == "__main__":
    main()
