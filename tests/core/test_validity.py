"""Records from outside: those of real games are accepted, damaged ones refused or harmless.

``NUMBA_BOUNDSCHECK=1 python tests/core/test_validity.py 100000`` damages this many of each game;
with bounds checking, an invalid index from a record that should have been refused is an error.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from ludotheque.envs import StateError, game_names, get_game
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.validity import unlimited
from ludotheque.envs.saga import position
from ludotheque.envs.saga.actions import DOWN, NEW
from ludotheque.envs.saga.components import KINGDOMS, MAX_DOWN, MAX_FAME
from ludotheque.envs.saga.state import LAST_CARD, LAST_KNIGHT
from ludotheque.envs.shamans.components import ARROWS, NO_CARD
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


@cache
def ranges(name: str, form: str) -> tuple[np.ndarray, np.ndarray]:
    """The least and the greatest number of each place of an observation."""
    schema = get_game(name).observation_schema(form)
    sizes = [field.size for field in schema]
    return (
        np.repeat([field.low for field in schema], sizes),
        np.repeat([field.high for field in schema], sizes),
    )


@pytest.mark.parametrize(
    ("name", "field", "worst"),
    [("sagani", "bonus", 4588), ("shamans", "plays", 5), ("shamans", "held_then", 40)],
)
def test_what_can_not_be_observed_is_refused(name, field, worst):
    """Observations hold bytes: larger numbers would be seen as others."""
    game = get_game(name)
    states = game.new_state(3, num_players=game.usual_players)
    states[field] = worst
    with pytest.raises(StateError, match=field):
        game.check_states(states)


def use(game: Game, states: np.ndarray, seed: int) -> None:
    """Use a record in every way, and play to the end."""
    for seat in range(int(states["num_players"][0])):
        for form in game.observation_forms:
            seen = game.observe(states, seat, form=form).ravel()
            lows, highs = ranges(game.name, form)
            outside = np.flatnonzero((seen < lows) | (seen > highs))
            assert not len(outside), f"{form} has {seen[outside[0]]} at {outside[0]}"
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


def adds_last(state: np.void) -> bool:
    return state["phase"] == LAST_KNIGHT


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
    # A number beyond its range was written into an observation.
    "sarena: more discs changed than there are": (
        lambda: played("sarena", 1, lambda state: state["ply"] == 5),
        {"takeovers": lambda changed: changed + np.uint32(200)},
    ),
    # With the tile that isn't there, their number was right, and in the end none was left to take.
    "sagani: a tile twice between the rounds": (
        lambda: played("sagani", 4, between_rounds, num_players=4),
        {"interlude": lambda tiles: [*tiles[:2], tiles[0], tiles[3]]},
    ),
    "sagani: a tile twice in the display": (
        lambda: played("sagani", 4, lambda state: state["display"].all()),
        {"display": lambda tiles: [tiles[0], *tiles[:4]]},
    ),
    "sagani: a tile put aside twice": (
        lambda: played("sagani", 0, put_aside, num_players=1, solo="advanced"),
        {"aside": lambda tiles: [tiles[1], *tiles[1:]]},
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


def between_rounds(state: np.void) -> bool:
    return np.count_nonzero(state["interlude"]) > 2


def put_aside(state: np.void) -> bool:
    return state["num_aside"] - state["aside_drawn"] > 1


def gave_cards(state: np.void) -> bool:
    return state["held_then"][:3].all() and state["given"].max() >= 0 and state["phase"] != 6


def full_of_face_down() -> np.ndarray:
    """A position with as many face-down cards as a record holds."""
    states = get_game("saga").new_state(1, sides="reverse")
    position.set_position(
        states,
        forces={0: [[]] * MAX_DOWN},
        down={0: [(slot, "red 1") for slot in range(MAX_DOWN)]},
        hands={0: ["green 1"], 1: ["green 2"]},
    )
    return states


# The same, but with the cached values to match.
LEADING_ASTRAY_CONSISTENTLY = {
    "saga: a pack twice": (
        lambda: get_game("saga").new_state(1, packs_known="once_shown"),
        {"pack": lambda pack: [pack[1], *pack[1:]]},
    ),
    "saga: a pack of thirteen": (
        lambda: get_game("saga").new_state(1),
        {"contents": lambda contents: contents + (np.arange(contents.size) == 0).reshape(5, -1)},
    ),
    "saga: another hand than the pack that was not shown": (
        lambda: get_game("saga").new_state(1, num_players=3),
        {"shown": 0b101, "pack": lambda pack: [pack[1], pack[0], *pack[2:]]},
    ),
    "saga: a turn after the last card": (
        lambda: played("saga", 1, lambda state: state["terminated"]),
        {"terminated": False},
    ),
    "saga: no card to add at the end": (
        lambda: played("saga", 1, adds_last, sides="reverse"),
        {"phase": LAST_CARD, "chosen": -1, "hand": 0, "held": 0, "hand_size": 0},
    ),
    "saga: the last card face down": (
        lambda: played("saga", 1, adds_last, sides="reverse"),
        {"chosen": DOWN + 2},
    ),
    "saga: the last card as a new force": (
        lambda: played("saga", 1, adds_last, sides="reverse"),
        {"chosen": NEW},
    ),
    "saga: one more face-down card": (full_of_face_down, {"phase": 1, "chosen": DOWN}),
    "saga: guesses that nobody holds": (
        lambda: played("saga", 1, lambda state: state["num_down"][1] > 0, sides="reverse"),
        {"can_be": lambda can_be: np.where(can_be.any(axis=2, keepdims=True), 127, 0)},
    ),
    "shamans: a ritual that nobody does": (
        lambda: played("shamans", 2, lambda state: state["phase"] == 5),
        {"doing": 4},
    ),
    "shamans: a Mask that is kept": (
        # One in the pile, and the Shard looked at, change places.
        lambda: played("shamans", 2, lambda state: state["looked_at"] == 2),
        {"looked_at": 3, "pile": lambda pile: [pile[0], 2, *pile[2:]]},
    ),
    "shamans: a second card of a trick": (
        lambda: played("shamans", 2, lambda state: state["played"].bit_count() == 2),
        {"turn": lambda turn: (turn + 2) % 3, "to_play": lambda seat: (seat + 2) % 3},
    ),
    "shamans: an artefact before the end of a trick": (
        lambda: played("shamans", 2, lambda state: state["played"].bit_count() == 1),
        {"phase": 4},
    ),
    "shamans: an Eclipse that has not come": (
        lambda: played("shamans", 2, lambda state: state["phase"] == 4 and not state["eclipsed"]),
        {"phase": 6},
    ),
    "shamans: a pawn beyond the Moon, after the end": (
        lambda: played("shamans", 2, lambda state: state["terminated"]),
        {"pawn": lambda pawn: 99, "moon": 30},
    ),
    "shamans: a ritual of a world that is not in the game": (
        lambda: played("shamans", 0, lambda state: state["doing"] >= 0),
        {"doing": 5},
    ),
    "shamans: a start beyond the Moon": (
        lambda: get_game("shamans").new_state(2),
        {"start": 99},
    ),
    "shamans: a card given that nobody holds, after the end": (
        lambda: played(
            "shamans", 0, lambda state: state["terminated"] and state["placed"] >> 1 & 1
        ),
        {"given": lambda given: [1, *given[1:]]},
    ),
}


# The same, but what it led to were redrawn records that are no positions.
LEADING_ASTRAY_CONSISTENTLY |= {
    "shamans: a card given to nobody": (
        lambda: played("shamans", 2, gave_cards),
        {"held_then": 0},
    ),
    "shamans: a card that went the other way": (
        lambda: played("shamans", 2, gave_cards),
        {"arrow": lambda arrow: sum(ARROWS) - arrow},
    ),
    "shamans: a card given to oneself": (
        lambda: played("shamans", 2, gave_cards),
        {"given": NO_CARD, "held_then": lambda held: held * (np.arange(held.size) == 1)},
    ),
}


def test_tiles_that_are_not_in_a_position_are_not_dealt():
    """More tiles than the pile has were written behind it, and the Eclipse was lost."""
    game = get_game("shamans")
    states = game.new_state(1)
    hands = {0: ["violet 1"], 1: ["violet 2"], 2: ["violet 3"]}
    for pile in (["dagger", "eclipse"], ["mask", "dagger", "eclipse", "shard"], ["shard"], []):
        game.set_position(states, hands=hands, pile=pile)
        for seat, seed in itertools.product(range(3), range(10)):
            drawn = game.determinize(states, seat, seed)
            game.check_states(drawn)
            assert drawn["pile_size"] == len(pile)
            use(game, drawn, seed)


@pytest.mark.parametrize("alignments", ["auto", "choice"])
def test_a_position_with_too_few_tiles_ends_without_them(alignments):
    """With no tile to take, a random action was looked for outside the record."""
    game = get_game("sagani")
    for players, pile in itertools.product((2, 3, 4), ([], [3], [3, 4, 5, 6, 7, 8])):
        states = game.new_state(1, players, alignments=alignments)
        game.set_position(states, display=[24, 25], interlude=[1], pile=pile)
        game.check_states(states)
        while not states["terminated"][0]:
            assert game.legal_mask(states).any()
            assert advance(game, states)
        assert states["placed"].sum() == 2 or pile


def test_income_does_not_overflow_fame():
    """A negative number would be an index."""
    states = get_game("saga").new_state(1)
    defended = (0, ["red 4", "green 4", "blue 4"])
    position.set_position(
        states,
        fame=[MAX_FAME - 1],
        kingdoms=dict.fromkeys(KINGDOMS, defended),
        hands={0: ["red 1"] * 3, 1: ["red 1"] * 3},
    )
    for seat in (0, 1):
        while states["turn_of"][0] == seat:
            assert advance(get_game("saga"), states)
    assert states["fame"][0, 0] == MAX_FAME


@pytest.mark.parametrize("what", LEADING_ASTRAY_CONSISTENTLY)
def test_cached_values_to_match_hide_nothing(what):
    make, changes = LEADING_ASTRAY_CONSISTENTLY[what]
    states = make()
    game = get_game(what.partition(":")[0])
    game.check_states(states)
    for name, value in changes.items():
        states[name][0] = value(states[name][0]) if callable(value) else value
    if "derive" in game.kernels:
        game.kernels["derive"](states[0])
    with pytest.raises(StateError, match="contradicts other fields|no legal action|allowed"):
        game.check_states(states)


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    for one in sys.argv[2:] or GAMES:
        test_positions_of_games_are_taken(one, max(200, wanted // 100))
        changed, refused = fuzz(one, wanted, seed=1)
        print(f"{one}: of {changed} damaged records {refused} were refused, the others played on")
