"""The small kernels that all games share: sets of bits, and seats in turn order."""

from __future__ import annotations

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.bits import count_bits, lowest_bit, select_bit, write_bits, write_set
from ludotheque.envs.core.rng import draw_below, next_word
from ludotheque.envs.core.state import clear_from, first_byte, seat_after, seats_ahead

RNG = np.random.default_rng(1)
SETS = [1, 1 << 62, (1 << 63) - 1, *(int(word) for word in RNG.integers(1, 1 << 63, 40))]


@pytest.mark.parametrize("number", SETS)
def test_bits_are_those_of_the_number(number):
    members = [bit for bit in range(63) if number >> bit & 1]
    assert count_bits(number) == len(members)
    assert lowest_bit(number) == members[0]
    assert [select_bit(number, k) for k in range(len(members))] == members


def test_no_bits_are_counted_in_an_empty_set():
    assert count_bits(0) == 0


@pytest.mark.parametrize("bound", [1, 2, 3, 36, 1000, (1 << 31) - 1, (1 << 31) + 1, 3 << 30])
def test_draws_are_those_of_lemires_method(bound):
    """Words whose product lies below the threshold are passed over: half of them at the worst."""
    states = get_game("sarena").new_state(5)
    words = states.copy()
    for _ in range(50):
        word = 0
        while word * bound % 2**32 < 2**32 % bound or not word:
            word = int(next_word(words[0])) >> 32
        assert draw_below(states[0], bound) == word * bound >> 32
        assert states["rng"] == words["rng"]


@pytest.mark.parametrize("number", SETS)
def test_the_lowest_eight_are_written_as_numbers(number):
    out = np.full(12, 7, np.int8)
    write_bits(number, out, 2)
    assert out.tolist() == [7, 7, *(number >> bit & 1 for bit in range(8)), 7, 7]


@pytest.mark.parametrize("count", [8, 9, 16, 25, 50, 63])
@pytest.mark.parametrize("number", SETS)
def test_a_set_is_written_as_numbers(number, count):
    out = np.full(count + 4, 7, np.int8)
    write_set(number, count, out, 2)
    assert out.tolist() == [7, 7, *(number >> bit & 1 for bit in range(count)), 7, 7]


def test_fields_are_cleared_from_one_on():
    states = np.full(1, 0, np.dtype([("kept", np.int8), ("a", np.int16, 3), ("b", np.uint8)]))
    states["kept"], states["a"], states["b"] = 5, [1, -2, 3], 9
    clear_from(states[0], first_byte(states.dtype, "a"))
    assert states[0].tolist()[0] == 5
    assert not states["a"].any() and not states["b"].any()


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_seats_follow_each_other_around_the_table(num_players):
    state = get_game("sarena").new_state(1, num_players)[0]
    for seat in range(num_players):
        for ahead in range(num_players):
            other = seat_after(state, seat, ahead)
            assert other == (seat + ahead) % num_players
            assert seats_ahead(state, seat, other) == ahead
        assert seat_after(state, seat, num_players) == seat
