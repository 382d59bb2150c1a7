"""The kernels of Harmonies behind the oracle's attributes and methods, for tests of both."""

from __future__ import annotations

import copy
import random
from collections import Counter
from functools import cache

import numpy as np
import pytest
from oracles.harmonies import SPIRITS, TOKENS, Deal, HarmoniesOracle, Held, deal
from oracles.harmonies import suns as oracle_suns

from ludotheque.envs import get_game
from ludotheque.envs.harmonies.components import NUM_HEXES, SIDES, STACKS
from ludotheque.envs.harmonies.rules import index_board
from ludotheque.envs.harmonies.scoring import suns, suns_for
from ludotheque.envs.harmonies.state import (
    PHASES,
    cards_of,
    central_of,
    completed_of,
    cubes_of,
    dealt_to,
    hand_of,
    points_of,
    stacks_of,
)

GAME = get_game("harmonies")
COLOURS = list(TOKENS)
KINDS = ["spirit", "space", "token", "card", "cube", "end", "discard", "keep"]
# In a record, the card of a cube of which it isn't known: 0 in the tests.
UNKNOWN_CARD = 255


# What only tests read of a record


def num_hexes(state: np.void) -> int:
    """Return how many hexes a board has: 23 or 25."""
    return int(NUM_HEXES[state["side"]])


def spirit_of(state: np.void, seat: int) -> int:
    """Return the spirit card that a seat has kept, 0 if none."""
    return int(state["spirit"][seat])


def bag_of(state: np.void) -> list[int]:
    """Return how many tokens of each colour are in the bag."""
    return state["bag"].tolist()


def deck_of(state: np.void) -> list[int]:
    """Return the animal cards that nobody has seen yet, ascending."""
    return [card for card in range(1, 33) if int(state["deck"]) >> card & 1]


def display_of(state: np.void) -> list[int]:
    """Return the animal cards face up, by place; 0 is an empty place."""
    return state["display"].tolist()


class HarmoniesKernels:
    """A game in progress on the kernels, with the oracle's attributes and methods.

    Tests may change the attributes. Each method writes them into a record, calls the kernels and,
    after an action, reads them again.
    """

    def __init__(self, table: Deal, num_players: int, side: str, first_player: int = 0):
        # The oracle only provides its attributes, not its rules.
        vars(self).update(vars(HarmoniesOracle(table, num_players, side, first_player)))
        self.last_written = None

    def copy(self) -> HarmoniesKernels:
        return copy.deepcopy(self)

    @property
    def me(self):
        return self.players[self.to_play]

    # ---- decisions ----------------------------------------------------------------------------

    def legal_decisions(self) -> list[tuple]:
        states = self.written()
        actions = np.flatnonzero(GAME.legal_mask(states)).tolist()
        decisions = [self.decision_of(action) for action in actions]
        return sorted(decisions, key=lambda decision: KINDS.index(decision[0]))

    def decision_of(self, action: int) -> tuple:
        parts = GAME.decode_action(action)
        kind = parts["kind"]
        if kind == "end":
            return ("keep",) if self.may_discard else ("end",)
        if kind == "place":
            return ("token", parts["colour"], parts["hex"])
        if kind == "settle":
            return ("cube", self.slots()[parts["slot"]].card, parts["hex"])
        if kind == "take":
            return ("space", parts["space"])
        if kind == "spirit":
            return ("spirit", self.me.spirits_dealt[parts["choice"]])
        return (kind, self.shown[parts["place"]])

    def action_of(self, decision: tuple) -> int | None:
        """The action number of a decision, None if there is none."""
        try:
            return GAME.encode_action(self.parts_of(*decision))
        except (ValueError, IndexError):
            return None

    def parts_of(self, kind: str, *details) -> dict:
        if kind == "space":
            return {"kind": "take", "space": details[0]}
        if kind == "token":
            return {"kind": "place", "colour": details[0], "hex": details[1]}
        if kind == "cube":
            slots = [held.card for held in self.slots()]
            return {"kind": "settle", "slot": slots.index(details[0]), "hex": details[1]}
        if kind == "spirit":
            return {"kind": "spirit", "choice": self.me.spirits_dealt.index(details[0])}
        if kind in ("card", "discard"):
            return {"kind": kind, "place": self.shown.index(details[0])}
        if (kind == "keep") != self.may_discard:
            raise ValueError("one action ends the turn or keeps the cards, whichever is due")
        return {"kind": "end"}

    def may(self, *decision) -> bool:
        action = self.action_of(decision)
        return action is not None and bool(GAME.legal_mask(self.written())[action])

    def play(self, decision: tuple) -> None:
        action, states = self.action_of(decision), self.written()
        if action is None:
            raise ValueError(f"may not {decision}: there is no such action")
        try:
            GAME.step(states, action)
        except (ValueError, RuntimeError) as error:
            names = {"token": "place"}
            raise ValueError(f"may not {names.get(decision[0], decision[0])}: {error}") from error
        assert_up_to_date(states, decision)
        self.read(states)

    def can_choose_spirit(self, card: int) -> bool:
        return self.may("spirit", card)

    def choose_spirit(self, card: int) -> None:
        self.play(("spirit", card))

    def can_take_space(self, space: int) -> bool:
        return self.may("space", space)

    def take_space(self, space: int) -> None:
        self.play(("space", space))

    def can_place(self, colour: str, hexagon: int) -> bool:
        return self.may("token", colour, hexagon)

    def place(self, colour: str, hexagon: int) -> None:
        self.play(("token", colour, hexagon))

    def can_take_card(self, card: int) -> bool:
        return self.may("card", card)

    def take_card(self, card: int) -> None:
        self.play(("card", card))

    def can_settle(self, card: int, hexagon: int) -> bool:
        return self.may("cube", card, hexagon)

    def settle(self, card: int, hexagon: int) -> None:
        self.play(("cube", card, hexagon))

    def can_end_turn(self) -> bool:
        return self.may("end")

    def end_turn(self) -> None:
        self.play(("end",))

    def discard(self, card: int) -> None:
        self.play(("discard", card))

    def can_keep(self) -> bool:
        return self.may("keep")

    def keep(self) -> None:
        self.play(("keep",))

    # ---- results ------------------------------------------------------------------------------

    def is_over(self) -> bool:
        return bool(self.written()["terminated"][0])

    def score_categories(self, player: int) -> dict[str, int]:
        return points_of(self.written()[0], player)

    def scores(self) -> list[int]:
        return GAME.returns(self.written())[0].astype(int).tolist()

    def ranks(self) -> list[int]:
        return GAME.returns(self.written())[1].tolist()

    def cubes_placed(self) -> list[int]:
        return [len(cubes_of(self.written()[0], seat)) for seat in range(self.num_players)]

    def suns(self) -> int:
        return suns(self.written()[0])

    # ---- attributes into a record, and back ---------------------------------------------------

    def slots(self, seat: int | None = None) -> list[Held]:
        return self.players[self.to_play if seat is None else seat].held

    def written(self) -> np.ndarray:
        """A new record of the game, cached as long as nothing changes."""
        attributes = repr([(name, v) for name, v in vars(self).items() if name != "last_written"])
        if self.last_written is None or self.last_written[0] != attributes:
            self.last_written = attributes, self.written_anew()
        return self.last_written[1].copy()

    def written_anew(self) -> np.ndarray:
        spirits = any(player.spirits_dealt or player.spirit for player in self.players)
        states = blank(self.num_players, self.side, bool(spirits))
        state = states[0]
        state["first_player"], state["to_play"] = self.first_player, self.to_play
        state["turns"] = sum(player.turns for player in self.players)
        state["last_round"], state["terminated"] = self.last_round, self.over
        state["taken"] = self.spaces.index([]) if self.space_taken else -1
        state["took_card"] = self.card_taken
        state["hand"], state["bag"] = counts(self.in_hand), counts(self.bag)
        state["discarded"] = counts(self.out_of_play)
        for space, tokens in enumerate(self.spaces):
            state["central"][space] = counts(tokens)
        state["deck"] = sum(1 << card for card in self.deck)
        state["display"][: len(self.shown)] = [card or 0 for card in self.shown]
        for seat in range(self.num_players):
            self.write_player(state, seat)
        phase = "SPIRIT" if self.me.spirits_dealt else "DISCARD" if self.may_discard else "TURN"
        state["phase"] = PHASES.index(phase)
        index_board(states, 0)
        return states

    def write_player(self, state, seat: int) -> None:
        player = self.players[seat]
        for hexagon, stack in enumerate(player.board):
            state["stack"][seat, hexagon] = STACKS.index(tuple(map(COLOURS.index, stack)))
        for hexagon, card in player.cubes.items():
            state["cube"][seat, hexagon] = card or UNKNOWN_CARD
        for slot, held in enumerate(player.held):
            state["card"][seat, slot] = held.card
            state["cubes_left"][seat, slot] = held.cubes - held.placed
        assert all(held.completed for held in player.done)
        state["completed"][seat] = sum(1 << held.card for held in player.done)
        spirits = [held.card for held in player.cards() if held.card in SPIRITS]
        state["spirit"][seat] = player.spirit or (spirits[0] if spirits else 0)
        state["dealt"][seat] = (
            player.spirits_dealt
            or player.spirits_seen
            or [
                state["spirit"][seat],
                0,
            ]
        )

    def read(self, states: np.ndarray) -> None:
        state = states[0]
        first, turns = int(state["first_player"]), int(state["turns"])
        self.to_play, self.over = int(state["to_play"]), bool(state["terminated"])
        self.last_round = bool(state["last_round"])
        self.space_taken, self.card_taken = bool(state["taken"] >= 0), bool(state["took_card"])
        order = [*self.in_hand, *(colour for tokens in self.spaces for colour in tokens)]
        self.in_hand = arranged(hand_of(state), order)
        spaces = central_of(state)[: len(self.spaces)]
        self.spaces = [arranged(new, old) for new, old in zip(spaces, self.spaces, strict=True)]
        left = [colour for colour, count in enumerate(bag_of(state)) for _ in range(count)]
        self.bag = arranged(left, self.bag)
        out = state["discarded"].tolist()
        self.out_of_play = [COLOURS[k] for k, count in enumerate(out) for _ in range(count)]
        self.shown = [card or None for card in display_of(state)[: len(self.shown)]]
        self.deck = sorted(deck_of(state), key=self.deck.index) if self.deck else []
        self.may_discard = PHASES[state["phase"]] == "DISCARD"
        for seat, player in enumerate(self.players):
            player.board = [[COLOURS[c] for c in stack] for stack in stacks_of(state, seat)]
            cubes = cubes_of(state, seat)
            player.cubes = {n: card % UNKNOWN_CARD for n, card in cubes.items()}
            player.held = [Held(c.card, c.settled) for c in cards_of(state, seat) if c.card]
            done = [Held(card) for card in completed_of(state, seat)]
            player.done = [Held(held.card, held.cubes) for held in done]
            if state["spirits"]:
                player.spirit = int(state["spirit"][seat]) or None
            player.spirits_seen = [card for card in dealt_to(state, seat) if card]
            player.spirits_dealt = [] if state["spirit"][seat] else list(player.spirits_seen)
            after_first = (seat - first) % self.num_players
            player.turns = (turns - after_first + self.num_players - 1) // self.num_players
        # A seat that still has to choose a spirit does nothing else.
        assert self.over or (PHASES[state["phase"]] == "SPIRIT") == bool(self.me.spirits_dealt)


def assert_up_to_date(states: np.ndarray, decision: tuple) -> None:
    """The record's cached values, including points, agree with its boards and cards."""
    anew = states.copy()
    index_board(anew, 0)
    for name in states.dtype.names:
        assert np.array_equal(states[name], anew[name]), f"{name} is behind after {decision}"


@cache
def _template(num_players: int, side: str, spirits: bool) -> np.ndarray:
    states = GAME.new_state(0, num_players, side=side, spirits=spirits)
    for name in ("display", "central", "dealt"):
        states[name] = 0
    return states


def blank(num_players: int, side: str, spirits: bool) -> np.ndarray:
    """A record in which whatever isn't written stays empty."""
    return _template(num_players, side, spirits).copy()


def counts(tokens: list[str]) -> list[int]:
    return [tokens.count(colour) for colour in COLOURS]


def arranged(tokens: list[int], order: list[str]) -> list[str]:
    """These tokens, those of `order` first and as they are there; a record has no order."""
    left, found = Counter(COLOURS[colour] for colour in tokens), []
    for colour in [*order, *COLOURS * len(tokens)]:
        if left[colour]:
            left[colour] -= 1
            found.append(colour)
    return found


def new_game(
    rules: type,
    num_players: int = 2,
    side: str = "A",
    spirits: bool = False,
    first_player: int = 0,
    seed: int = 1,
) -> HarmoniesOracle | HarmoniesKernels:
    """A game at its start, dealt by the oracle's dealer or by the kernels' own setup."""
    table = deal(random.Random(seed), num_players, spirits)
    game = rules(table, num_players, side, first_player)
    if isinstance(game, HarmoniesKernels):
        states = GAME.new_state(seed, num_players, side=side, spirits=spirits)
        states["first_player"] = states["to_play"] = first_player
        game.deck = list(range(1, 33))
        game.read(states)
    return game


def suns_of(rules: type, score: int, side: str, spirit: int | None) -> int:
    """The suns for a score, by the oracle or by the kernels."""
    if rules is HarmoniesOracle:
        return oracle_suns(score, side, spirit)
    return int(suns_for(score, SIDES.index(side), spirit is not None, spirit or 0))


both = pytest.mark.parametrize(
    "rules", [HarmoniesOracle, HarmoniesKernels], ids=["oracle", "kernels"]
)
