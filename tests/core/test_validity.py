"""Records from outside: those of real games are accepted, damaged ones refused or harmless.

``NUMBA_BOUNDSCHECK=1 python tests/core/test_validity.py 100000`` damages this many of each game;
with bounds checking, an invalid index from a record that should have been refused is an error.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator

import numpy as np
import pytest

from ludotheque.envs import StateError, game_names, get_game
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.validity import unlimited
from ludotheque.envs.shamans.state import KEEP_PHASE
from ludotheque.testing import settings

GAMES = game_names()
# More plies than any game has.
LONG = 5000


def positions(game: Game, count: int, seed: int) -> Iterator[np.ndarray]:
    """Yield ``(1,)`` records from random games in all settings."""
    chosen = settings(game)
    for number in range(count):
        rng = random.Random(f"{game.name} {seed} {number}")
        setting = rng.choice(chosen)
        states = game.new_state(rng.getrandbits(64), setting.num_players, **setting.options)
        for _ in range(rng.choice((0, 1, 5, 20, 60, 200, LONG))):
            if not advance(game, states):
                break
        yield states


def advance(game: Game, states: np.ndarray) -> bool:
    """Play a random action; return whether the game goes on."""
    if states["terminated"][0] or states["truncated"][0]:
        return False
    action = np.empty(1, np.int64)
    game.loops.random_actions(states, 0, 1, action)
    game.step(states, int(action[0]))
    return True


def damage(game: Game, states: np.ndarray, rng: random.Random) -> str:
    """Change a number somewhere in a record; return the field's name."""
    name = rng.choice(game.dtype.names or ())
    array = states[name][0].reshape(-1)
    k = rng.randrange(array.size)
    info = None if array.dtype.kind == "b" else np.iinfo(array.dtype)
    value = int(array[k])
    kind = rng.randrange(6)
    if info is None:
        array.view(np.uint8)[k] = rng.choice((0, 1, 1, 2, 255))
    elif kind == 0:
        array[k] = rng.randint(int(info.min), int(info.max))
    elif kind == 1:
        array[k] = rng.choice((int(info.min), int(info.max), 0))
    elif kind == 2:
        array[k] = min(int(info.max), max(int(info.min), value + rng.choice((-1, 1, 2, -2))))
    elif kind == 3:
        array[k] = value ^ 1 << rng.randrange(info.bits - 1)
    elif kind == 4:
        array[k] = array[rng.randrange(array.size)]
    else:
        other = rng.randrange(array.size)
        array[k], array[other] = array[other], array[k]
    states[name][0] = array.reshape(states[name][0].shape)
    return name


def use(game: Game, states: np.ndarray, seed: int) -> None:
    """Use a record in every way, and play to the end."""
    for seat in range(int(states["num_players"][0])):
        game.observe(states, seat)
        game.determinize(states, seat, seed)
    game.returns(states)
    game.legal_mask(states)
    for _ in range(LONG):
        if not advance(game, states):
            return
    raise AssertionError("the game doesn't end")


def fuzz(name: str, count: int, seed: int) -> tuple[int, int]:
    """Damage ``count`` records; return the numbers that really changed, and that were refused."""
    game = get_game(name)
    changed = refused = 0
    for number, states in enumerate(positions(game, count, seed)):
        rng = random.Random(f"damage {name} {seed} {number}")
        whole = states.copy()
        fields = [damage(game, states, rng) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
        if states.tobytes() == whole.tobytes():
            continue
        changed += 1
        try:
            game.check_states(states)
        except StateError as error:
            refused += 1
            assert "game 0" in str(error)
            continue
        try:
            use(game, states.copy(), rng.getrandbits(64))
        except BaseException:
            print(f"{name}: record {number} of seed {seed}, damaged in {fields}", file=sys.stderr)
            raise
    return changed, refused


@pytest.mark.parametrize("name", GAMES)
def test_every_field_has_limits(name):
    left = unlimited(get_game(name))
    assert not left, f"{name}.validity.LIMITS doesn't name {', '.join(left)}"


@pytest.mark.parametrize("name", GAMES)
def test_positions_of_games_are_taken(name, count=60):
    game = get_game(name)
    for states in positions(game, count, seed=0):
        game.check_states(states)
        if advance(game, states):
            game.check_states(states)
    states = game.new_state(3)
    game.step(states, -1, illegal="lose")
    game.check_states(states)


@pytest.mark.parametrize("name", GAMES)
def test_damaged_records_are_refused_or_harmless(name, count=150):
    changed, refused = fuzz(name, count, seed=0)
    assert refused > changed / 3


def test_a_number_out_of_its_limits_is_named():
    game = get_game("sarena")
    states = np.concatenate([game.new_state(1), game.new_state(2)])
    states["height"][1, 5] = 9
    with pytest.raises(StateError, match=r"game 1 .*'height'.*allowed: 0 to 4"):
        game.check_states(states)
    states = game.new_state(1)
    states["to_play"] = 2
    with pytest.raises(StateError, match=r"'to_play' is 2; allowed: 0 to 1"):
        game.check_states(states)
    states = game.new_state(1)
    states["top"][0, 3] ^= 1
    with pytest.raises(StateError, match=r"'top'.*the other fields imply"):
        game.check_states(states)


def played(name: str, seed: int, wanted, **options) -> np.ndarray:
    """The first position of a random game that satisfies ``wanted``."""
    states = get_game(name).new_state(seed, **options)
    while not wanted(states[0]):
        assert advance(get_game(name), states), "no such position in this game"
    return states


def asked_to_place(state: np.void) -> bool:
    return state["phase"] == 1


def without_room(state: np.void) -> bool:
    return state["card"][0].all() and state["to_play"] != 0


def in_last_round(state: np.void) -> bool:
    second = (state["first_player"] + 1) % state["num_players"]
    return state["last_round"] and state["to_play"] == second and state["taken"] < 0


def eclipse_is_second(state: np.void) -> bool:
    """And no tile has been taken off it: then it might be on top."""
    size = int(state["pile_size"])
    second = size > 1 and state["pile"][size - 2] == state["pile"].max()
    return second and state["phase"] != KEEP_PHASE


# Damage that was once accepted and led to out-of-bounds access: field → the number in it.
LEADING_ASTRAY = {
    "saga: a card to take back, from a place to strengthen": (
        lambda: played("saga", 1, asked_to_place),
        {"phase": 2},
    ),
    "saga: a place that there is not, once all is over": (
        lambda: played("saga", 1, lambda state: state["terminated"]),
        {"chosen": 126},
    ),
    "shamans: the Eclipse on top": (
        lambda: played("shamans", 2, eclipse_is_second),
        {"pile_size": lambda size: size - 1},
    ),
    "shamans: an elimination of nobody": (
        lambda: played("shamans", 2, lambda state: state["phase"] == 3 and state["doing"] < 0),
        {"phase": 2},
    ),
    "shamans: a ritual of no world after a Portal": (
        lambda: played("shamans", 2, lambda state: state["phase"] == 3 and state["doing"] < 0),
        {"resume": 9},
    ),
    "shamans: a card given before the Eclipse": (
        lambda: played("shamans", 2, lambda state: state["hand"][1] & 8),
        {"given": lambda given: [3, *given[1:]]},
    ),
    "harmonies: tokens taken that still lie there": (
        lambda: played("harmonies", 3, lambda state: state["taken"] == 2),
        {"taken": 1},
    ),
    "harmonies: a spirit to choose, and no room for it": (
        lambda: played("harmonies", 3, without_room, spirits=True),
        {"spirit": lambda spirit: [0, *spirit[1:]]},
    ),
    "harmonies: a turn after the last": (
        lambda: played("harmonies", 3, in_last_round, num_players=4),
        {"first_player": lambda first: (first + 1) % 4},
    ),
    "sagani: a first tile beyond the window": (
        lambda: played("sagani", 4, lambda state: True),
        {"origin": lambda origin: [512, *origin[1:]]},
    ),
    "sagani: discs to move where they move by themselves": (
        lambda: played("sagani", 4, lambda state: True),
        {"num_movable": lambda count: [2, *count[1:]]},
    ),
    "sagani: a canvas that no game has": (
        lambda: played("sagani", 4, lambda state: True),
        {"canvas": 2},
    ),
    "sagani: a tile about to be laid far away": (
        lambda: played("sagani", 4, lambda state: state["phase"] == 1 and state["placed"].any()),
        {"phase": 2, "hand_cell": 0},
    ),
}


@pytest.mark.parametrize("what", LEADING_ASTRAY)
def test_what_led_a_kernel_out_of_its_arrays_is_refused(what):
    make, changes = LEADING_ASTRAY[what]
    states = make()
    game = get_game(what.partition(":")[0])
    game.check_states(states)
    for name, value in changes.items():
        states[name][0] = value(states[name][0]) if callable(value) else value
    with pytest.raises(StateError):
        game.check_states(states)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for one in sys.argv[2:] or GAMES:
        test_positions_of_games_are_taken(one, max(200, wanted // 100))
        changed, refused = fuzz(one, wanted, seed=1)
        print(f"{one}: of {changed} damaged records {refused} were refused, the others played on")
