"""What a seat sees of Sàrèná: everything it may know, and nothing else."""

from __future__ import annotations

import itertools
import random
import re

import numpy as np
import pytest
from knowledge import Knowledge, differing
from oracles.sarena import CIRCLES, SarenaOracle, in_play
from sarena_adapter import GAME, discs_changed

from ludotheque.envs.core.schema import slices, total_size
from ludotheque.envs.sarena.position import set_position
from ludotheque.envs.sarena.state import stacks_of

FORMS = ("flat", "planes")
every_count = pytest.mark.parametrize("num_players", [2, 3, 4])


def read(states: np.ndarray) -> SarenaOracle:
    """The oracle's view of a record in mid-game."""
    state = states[0]
    stacks = [[(int(low), int(high)) for low, high in stack] for stack in stacks_of(state)]
    players = int(state["num_players"])
    oracle = SarenaOracle(stacks, state["secret"].tolist(), players, int(state["to_play"]))
    oracle.ply = int(state["ply"])
    for player in range(players):
        for (came, went), discs in discs_changed(states, player).items():
            oracle.changes.append((player, came, went, discs))
    return oracle


def positions(num_players: int, seed: int):
    """Yield some positions of a random game, the last one included."""
    rng = random.Random(seed)
    states = GAME.new_state(seed, num_players)
    while not states["terminated"][0]:
        if rng.random() < 0.2:
            yield states.copy()
        GAME.step(states, rng.choice(np.flatnonzero(GAME.legal_mask(states)).tolist()))
    yield states


# ---- everything that a seat may know -----------------------------------------------------------


def known(states: np.ndarray, player: int, form: str) -> dict[str, object]:
    """What a player may know, in the flat form as far as it can still matter."""
    facts = read(states).known(player)
    if form == "flat":
        for circle in range(CIRCLES):
            facts[f"stack {circle}"] = in_play(facts[f"stack {circle}"])
    return facts


def another_disc(states: np.ndarray, rng: random.Random) -> None:
    """A face of a disc shows another colour."""
    stacks = stacks_of(states[0])
    circle = rng.choice([circle for circle in range(CIRCLES) if stacks[circle]])
    disc = rng.randrange(len(stacks[circle]))
    faces = list(stacks[circle][disc])
    side = rng.randrange(2)
    faces[side] = (int(faces[side]) + rng.randrange(1, 4)) % 4
    stacks[circle][disc] = tuple(faces)
    rebuild(states, stacks)


def another_order(states: np.ndarray, rng: random.Random) -> None:
    """Two discs of a stack change places."""
    stacks = stacks_of(states[0])
    high = [circle for circle in range(CIRCLES) if len(stacks[circle]) > 1]
    if high:
        stack = stacks[rng.choice(high)]
        one, other = rng.sample(range(len(stack)), 2)
        stack[one], stack[other] = stack[other], stack[one]
        rebuild(states, stacks)


def one_disc_less(states: np.ndarray, rng: random.Random) -> None:
    stacks = stacks_of(states[0])
    rng.choice([stack for stack in stacks if stack]).pop()
    rebuild(states, stacks)


def rebuild(states: np.ndarray, stacks: list) -> None:
    kept = {name: states[name].copy() for name in ("takeovers", "ply", "to_play")}
    set_position(states, stacks=stacks)
    for name, value in kept.items():
        states[name] = value


def another_pawn(states: np.ndarray, rng: random.Random) -> None:
    one, other = rng.sample(range(4), 2)
    states["secret"][0, [one, other]] = states["secret"][0, [other, one]]


def another_turn(states: np.ndarray, rng: random.Random) -> None:
    count = int(states["num_players"][0])
    states["to_play"] = (states["to_play"] + rng.randrange(1, count)) % count


def another_ply(states: np.ndarray, rng: random.Random) -> None:
    states["ply"] += 1


def another_takeover(states: np.ndarray, rng: random.Random) -> None:
    mover = rng.randrange(int(states["num_players"][0]))
    states["takeovers"][0, mover, rng.randrange(4)] += 1 << 8 * rng.randrange(4)


CHANGES = (
    another_disc,
    another_order,
    one_disc_less,
    another_pawn,
    another_turn,
    another_ply,
    another_takeover,
)


@pytest.mark.parametrize("form", FORMS)
@every_count
def test_everything_that_a_seat_may_know_is_observed(num_players, form):
    """Whatever changes one thing that it may know changes what it sees."""
    rng = random.Random(f"{num_players} {form}")
    knowledge, changed = Knowledge(), set()
    for seed in range(3):
        for states in positions(num_players, seed):
            for player in range(num_players):
                facts = known(states, player, form)
                seen = GAME.observe(states, player, form=form)
                knowledge.note(facts, seen)
                for change in CHANGES:
                    other = states.copy()
                    change(other, rng)
                    facts_now = known(other, player, form)
                    seen_now = GAME.observe(other, player, form=form)
                    kinds = differing(facts, facts_now)
                    changed |= {re.sub(r" \d+$", "", name) for name in kinds}
                    assert bool(kinds) == (not np.array_equal(seen, seen_now)), change.__name__
                    knowledge.note(facts_now, seen_now)
    assert changed == {"stack", "own pawn", "turn", "moves played", "moves of", "pawn of"}
    assert len(knowledge) > 200


# ---- what all have seen, and nothing else ------------------------------------------------------


@every_count
def test_takeovers_are_public(num_players):
    """However the pawns were drawn, the same moves leave the same takeovers, for all to see."""
    part = slices(GAME.observation_schema("flat"))["takeovers"]
    games, seen = [], [set() for _ in range(num_players)]
    for pawns in itertools.permutations(range(4)):
        states = GAME.new_state(4, num_players)
        states["secret"][0] = pawns
        rng = random.Random(num_players)
        for _ in range(14):
            GAME.step(states, rng.choice(np.flatnonzero(GAME.legal_mask(states)).tolist()))
        games.append(states["takeovers"].tobytes())
        for player in range(num_players):
            own = (pawns[player], GAME.observe(states, player)[part].tobytes())
            seen[player].add(own)
    assert len(set(games)) == 1
    assert any(games[0])
    # Colours are relative to the own one, and it depends on no other pawn.
    assert all(len(views) == 4 for views in seen)


@every_count
def test_a_redraw_leaves_takeovers_alone(num_players):
    for states in positions(num_players, seed=7):
        for player in range(num_players):
            drawn = GAME.determinize(states, player, seed=3)
            assert np.array_equal(drawn["takeovers"], states["takeovers"])


@pytest.mark.parametrize("form", FORMS)
@every_count
def test_pawns_are_shown_at_the_end_only(num_players, form):
    *_, middle, end = positions(num_players, seed=2)
    for states, shown in ((middle, False), (end, True)):
        other = states.copy()
        other["secret"][0, 0], other["secret"][0, 1] = states["secret"][0, 1::-1]
        for player in range(2, num_players):
            views = [GAME.observe(record, player, form=form) for record in (states, other)]
            assert np.array_equal(*views) != shown
        unused = states.copy()
        unused["secret"][0, num_players:] = states["secret"][0, num_players:][::-1]
        for player in range(num_players):
            views = [GAME.observe(record, player, form=form) for record in (states, unused)]
            assert np.array_equal(*views)


@every_count
def test_hidden_facts_are_the_others_colours(num_players):
    """From the next seat on, and counted from one's own colour; no row for a seat nobody has."""
    states = GAME.new_state(3, num_players)
    colours = states["secret"][0].tolist()
    for seat in range(num_players):
        facts = np.full(total_size(GAME.hidden_facts), 7, np.int8)
        GAME.kernels["hidden_facts"](states[0], seat, facts)
        expected = np.zeros((3, 3), np.int8)
        for ahead in range(1, num_players):
            other = colours[(seat + ahead) % num_players]
            expected[ahead - 1, (other - colours[seat]) % 4 - 1] = 1
        assert np.array_equal(facts.reshape(3, 3), expected)
