"""Nothing sent to a seat's page contains what this seat can't know."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ludotheque.envs import game_names, get_game
from ludotheque.web.guest import Guest, Refused
from ludotheque.web.table import Table, is_over
from ludotheque.web.view import Film, table_message

PLIES = 48
REDRAWS = 2


class Redrawn(Table):
    """A table with other hidden information: `positions` redrawn, the same for one seat."""

    def redraw(self, seat: int, seed: int) -> Table:
        other = object.__new__(Table)
        other.__dict__ |= self.__dict__
        other.positions = [
            position if is_over(position) else self.game.determinize(position, seat, seed + ply)
            for ply, position in enumerate(self.positions)
        ]
        # A hidden action may differ in the redrawn game.
        hides = self.game.hides_action
        if hides is not None and "last_action" in (self.game.dtype.names or ()):
            other.actions = [
                int(redrawn["last_action"][0]) if hides(real[0], seat) else action
                for action, real, redrawn in zip(
                    self.actions, self.positions[1:], other.positions[1:], strict=True
                )
            ]
        return other


def sent(table: Table, seat: int, frames) -> list[bytes]:
    """The bytes of everything sent to a page at a seat."""
    film = Film(table, seat)
    messages = [table_message(table, seat), *(film.message(frame) for frame in frames(len(film)))]
    return [json.dumps(message).encode() for message in messages]


def random_table(name: str) -> Redrawn:
    game = get_game(name)
    table = Redrawn(game, 11, game.usual_players, {}, {}, {})
    # As at a table with `explain`, where more is drawn.
    table.explain = True
    rng = np.random.default_rng(4)
    for _ in range(PLIES):
        if table.over:
            break
        legal = np.flatnonzero(game.legal_mask(table.states))
        table.take(int(rng.choice(legal)))
    return table


@pytest.mark.parametrize("name", game_names())
def test_a_seat_is_sent_the_same_bytes_whatever_it_can_not_know(name):
    table = random_table(name)
    changed = False
    for seat in range(table.players):
        told = sent(table, seat, lambda count: range(0, count, 5))
        for seed in range(REDRAWS):
            other = table.redraw(seat, 1000 * seed)
            assert sent(other, seat, lambda count: range(0, count, 5)) == told
            changed |= any(
                table.game.digest(one) != table.game.digest(two)
                for one, two in zip(table.positions, other.positions, strict=True)
            )
    assert changed, "the redraw must change something, or nothing was tested"


@pytest.mark.parametrize("name", game_names())
def test_frames_tell_nothing_of_what_others_did_unseen(name):
    """A frame is sent when the seat sees a change, and only then."""
    table = random_table(name)
    for seat in range(table.players):
        film = Film(table, seat)
        frames = [film.message(frame) for frame in range(len(film))]
        if table.game.see(table.states[0], seat).ply is not None:
            assert len(frames) == len(table.positions)
            continue
        pictures = [(frame["svg"], frame["to_play"], frame["yours"]) for frame in frames]
        assert all(one != two for one, two in zip(pictures, pictures[1:], strict=False))


def test_an_action_that_changes_nothing_to_be_seen_is_no_frame():
    """Such as passing with an artefact in Shamans, which is hidden from others."""
    table = random_table("shamans")
    counts = [len(Film(table, seat)) for seat in range(table.players)]
    table.positions.append(table.states.copy())
    table.actions.append(table.actions[-1])
    table.moves.append(table.moves[-1])
    assert [len(Film(table, seat)) for seat in range(table.players)] == counts
    assert len(Film(table, None)) == len(table.positions)


@pytest.mark.parametrize("name", game_names())
def test_moves_are_sent_to_the_seat_to_play_only(name):
    table = random_table(name)
    to_play = None if table.over else table.to_play
    for seat in (None, *range(table.players)):
        view = Guest(table, seat).film.message(len(Guest(table, seat).film) - 1)
        assert bool(view["moves"]) == view["yours"] == (seat is not None and seat == to_play)


@pytest.mark.parametrize("name", game_names())
def test_the_seed_is_not_sent_before_the_end(name):
    table = random_table(name)
    if table.over:
        table.deal(5)
    table.seed = 987654321987654321
    guest = Guest(table, 0)
    with pytest.raises(Refused, match="when it is over"):
        guest.ask({"do": "save"})
    for message in guest.hello():
        assert str(table.seed) not in json.dumps(message)
