"""The oracle and the kernels of Shamans behind the same words, so that one test can drive both.

Cards, artefacts, worlds, camps and actions go by name, as in ``violet 3`` and ``swap player_2``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from oracles.shamans import Card, ShamansOracle, Tile, random_deal

from ludotheque.envs import get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.shamans.components import (
    CAMPS,
    DEEDS,
    ECLIPSE,
    NUM_HELD,
    PLAYS,
    TILES,
    VALUES,
    WORLDS,
)
from ludotheque.envs.shamans.hidden import action_seen_by
from ludotheque.envs.shamans.observation import SEAT_SIZE
from ludotheque.envs.shamans.position import set_position
from ludotheque.envs.shamans.state import (
    PHASES,
    camp_of,
    card_name,
    card_passed_by,
    hand_of,
    is_eliminated,
    is_revealed,
    knows_camp,
    pile_of,
    placed_at,
    tiles_of,
)

GAME = get_game("shamans")
AT = slices(GAME.flat)
MOON = 30
# What the oracle calls the phases of the kernels.
PHASE_NAMES = {
    "CARD": "card",
    "MOON": "moon",
    "LAST": "last words",
    "PORTAL": "portal",
    "ARTEFACT": "artefact",
    "KEEP": "keep",
    "ECLIPSE": "give",
    "STABILISE": "stabilisation",
    "PERMUTE": "permutation",
    "NEUTRALISE": "neutralisation",
    "ORDER": "order",
    "GUIDE": "name",
}
# Answers of the oracle in the words of the notation.
VERBS = {"artefact": "take", "back": "retreat", "name": "guide"}


def cards(text: str) -> list[Card]:
    """``"violet 1 3, blue 2"`` as cards."""
    found = []
    for part in filter(None, text.split(",")):
        world, *values = part.split()
        found += [Card(world, int(value)) for value in values]
    return found


def number_of(card: Card) -> int:
    return VALUES * WORLDS.index(card[0]) + card[1] - 1


def bits(some: Sequence[Card]) -> int:
    return sum(1 << number_of(card) for card in some)


def names(some) -> list[str]:
    """Names of the oracle's cards in the order of their numbers."""
    return [f"{world} {value}" for world, value in sorted(some, key=number_of)]


@dataclass(frozen=True)
class Table:
    """A position in which ``guide`` leads.

    Attributes:
        hands: cards of each seat; of an eliminated seat, those set aside.
        camps: a letter each seat, "s" Shaman or "o" Shadow (Ombre).
        placed: cards at their worlds.
        shown, hidden: ``{seat: "dagger portal"}``, artefacts face up and face down.
        pile: from the top; "eclipse" is one.
    """

    hands: Sequence[str]
    camps: str = ""
    pawn: int = 10
    placed: str = ""
    shown: Mapping[int, str] = field(default_factory=dict)
    hidden: Mapping[int, str] = field(default_factory=dict)
    display: Sequence[str | None] = ("shard", "shard")
    pile: str = "dagger dagger"
    arrow: str = "left"
    guide: int = 0
    points: Sequence[int] = ()
    eliminated: Sequence[int] = ()
    rounds: str = "single"
    asked: str = "everyone"

    @property
    def num_players(self) -> int:
        return len(self.hands)

    @property
    def roles(self) -> list[str]:
        letters = self.camps or {3: "sso", 4: "ssso", 5: "sssoo"}[self.num_players]
        return [CAMPS["so".index(letter)] for letter in letters]


class Play:
    """What a test does with either."""

    @classmethod
    def table(cls, hands: Sequence[str], **position):
        return cls.at(Table(hands, **position))

    def legal(self) -> set[str]:
        return set(self.answers())

    def play(self, *texts: str):
        for text in texts:
            answers = self.answers()
            assert text in answers, (text, self.phase, sorted(answers))
            self.apply(answers[text])
        return self

    def pass_by(self, *phases: str):
        """Let everybody pass who is asked in these phases."""
        while self.phase in phases:
            self.play("pass")
        return self

    def play_out(self):
        """Play on to the end of the game, whatever comes first in the alphabet."""
        while not self.over:
            self.play(min(self.legal()))
        return self


class Oracle(Play):
    """A game on `ShamansOracle`, with deals of its own."""

    def __init__(self, game: ShamansOracle, seed: int = 0):
        self.game, self.rng = game, random.Random(seed)

    @classmethod
    def dealt(cls, seed: int, num_players: int, rounds: str = "match") -> Oracle:
        rng = random.Random(seed)
        first = rng.randrange(num_players)
        return cls(ShamansOracle(random_deal(num_players, rng), first, rounds), seed)

    @classmethod
    def at(cls, table: Table) -> Oracle:
        count = table.num_players
        deal = random_deal(count, random.Random(0))
        options = {"rounds": table.rounds, "asked": table.asked}
        game = ShamansOracle(deal, table.guide, points=table.points or None, **options)
        game.role_of_card = table.roles
        game.pawn = table.pawn
        game.hands = [set(cards(hand)) for hand in table.hands]
        game.placed = {world: set() for world in game.placed}
        for world, value in cards(table.placed):
            game.placed[world].add(value)
        for seat in range(count):
            game.tiles[seat] = [Tile(kind, True) for kind in table.shown.get(seat, "").split()]
            game.tiles[seat] += [Tile(kind, False) for kind in table.hidden.get(seat, "").split()]
        for seat in table.eliminated:
            game.eliminated[seat] = True
            game.hands[seat], game.aside[seat] = set(), game.hands[seat]
            for seen in game.seen:
                seen.add(seat)
        game.face_up = list(table.display)
        game.pile = table.pile.replace("eclipse", f"eclipse-{table.arrow}").split()
        return cls(game)

    def answers(self) -> dict[str, tuple]:
        return {self._text(action): action for action in self.game.legal_actions()}

    def apply(self, action: tuple) -> None:
        self.game.apply(action)
        if self.game.phase == "deal":
            self.game.new_round(random_deal(self.game.num_players, self.rng))

    @staticmethod
    def _text(action: tuple) -> str:
        kind, *parts = action
        if kind in ("play", "give"):
            return names(parts)[0]
        if kind in ("swap", "eliminate", "name"):
            parts = [f"player_{parts[0]}"]
        elif kind == "portal":
            parts = ["on" if parts[0] == 1 else "back"]
        elif kind == "artefact":
            parts = ["top" if parts[0] == "pile" else str(parts[0] + 1)]
        return " ".join([VERBS.get(kind, kind), *parts])

    phase = property(lambda self: self.game.phase)
    to_play = property(lambda self: self.game.to_play)
    guide = property(lambda self: self.game.guide)
    marker = property(lambda self: self.game.first_player)
    round = property(lambda self: self.game.round)
    pawn = property(lambda self: self.game.pawn)
    moon = property(lambda self: self.game.moon)
    destination = property(lambda self: self.game.destination)
    points = property(lambda self: self.game.points)
    ranks = property(lambda self: self.game.ranks())
    over = property(lambda self: self.game.over)
    display = property(lambda self: self.game.face_up)

    @property
    def pile(self) -> list[str]:
        return [tile.partition("-")[0] for tile in self.game.pile]

    @property
    def arrow(self) -> str:
        (eclipse,) = (tile for tile in self.game.pile if tile.startswith("eclipse"))
        return eclipse.partition("-")[2]

    @property
    def gone(self) -> list[str]:
        seen = [tile.kind for tiles in self.game.removed for tile in tiles if tile.face_up]
        seen += [tile.kind for tiles in self.game.tiles for tile in tiles if tile.kind == "mask"]
        return sorted([*seen, *(kind for kind in self.game.discarded if kind in TILES)])

    def hand(self, seat: int) -> list[str]:
        return names(self.game.hands[seat])

    def set_aside(self, seat: int) -> list[str]:
        return names(self.game.aside[seat])

    def front(self, seat: int) -> str | None:
        card = self.game.fronts.get(seat)
        return names([card])[0] if card else None

    def placed(self, world: str) -> list[int]:
        return sorted(self.game.placed.get(world, ()))

    def held(self, seat: int, face_up: bool = True) -> list[str]:
        tiles = self.game.tiles[seat]
        if self.phase == "keep" and self.to_play == seat:
            tiles = tiles[:-1]
        return sorted(t.kind for t in tiles if t.face_up == face_up and t.kind != "mask")

    def removed_unseen(self, seat: int) -> list[str]:
        return sorted(tile.kind for tile in self.game.removed[seat] if not tile.face_up)

    def camp(self, seat: int) -> str:
        return self.game.role(seat)

    def knows(self, seat: int, other: int) -> bool:
        return other in self.game.knowledge(seat).roles

    def is_revealed(self, seat: int) -> bool:
        return all(self.knows(other, seat) for other in range(self.game.num_players))

    def is_eliminated(self, seat: int) -> bool:
        return self.game.eliminated[seat]

    def passed_by(self, seat: int) -> tuple[str, int] | None:
        passed = self.game.knowledge(seat).passed_to
        return next(((names([card])[0], to) for card, to in passed.items()), None)

    def told(self, seat: int) -> str | None:
        last = self.game.last_action_seen_by(seat)
        return self._text(last[1]) if last else None

    def done(self, seat: int) -> Counter:
        """What a seat was seen doing in the round, in words."""
        found = Counter()
        for what in self.game.log:
            kind, *parts = what[1:]
            if kind in ("led", "followed", "strayed"):
                kind += f" {names(parts)[0]}"
            elif kind == "portal":
                kind += " on" if parts[0] == 1 else " back"
            elif parts:
                kind += f" player_{parts[0]}"
            found[kind] += what[0] == seat and kind != "stabilisation"
            found["step"] += what[:2] == (seat, "strayed")
        found["step"] += len(self.game.aside[seat]) if self.camp(seat) == "shaman" else 0
        return +found

    def seen_to_play(self, seat: int) -> int | None:
        hidden = self.game.is_asked_unseen() and self.to_play != seat
        return None if hidden else self.to_play


def _number(name: str) -> property:
    return property(lambda self: int(self.state[name]))


class Kernels(Play):
    """A game on the kernels: ``states``, one record."""

    def __init__(self, states: np.ndarray):
        self.states = states

    @classmethod
    def dealt(cls, seed: int, num_players: int, rounds: str = "match") -> Kernels:
        return cls(GAME.new_state(seed, num_players, rounds=rounds))

    @classmethod
    def at(cls, table: Table) -> Kernels:
        states = GAME.new_state(1, table.num_players, rounds=table.rounds, asked=table.asked)
        seats = range(table.num_players)
        set_position(
            states,
            hands={seat: [card_name(seat)] for seat in seats},
            camps=table.roles,
            pawn=table.pawn,
            face_up={seat: names.split() for seat, names in table.shown.items()},
            face_down={seat: names.split() for seat, names in table.hidden.items()},
            display=table.display,
            pile=table.pile.split(),
            arrow=table.arrow,
            points=table.points or None,
            to_play=table.guide,
        )
        # Put in afterwards, as no position may have it: a card at its world and in a hand, to have
        # the world complete; more cards in one hand than in another, to have one run out.
        states["placed"][0] = bits(cards(table.placed))
        states["hand"][0, : len(seats)] = [bits(cards(hand)) for hand in table.hands]
        for seat in table.eliminated:
            states["eliminated"][0] |= 1 << seat
            states["seen"][0, seat] = (1 << len(seats)) - 1
        return cls(states)

    def answers(self) -> dict[str, int]:
        legal = np.flatnonzero(GAME.legal_mask(self.states)).tolist()
        return {GAME.action_to_string(action, self.state): action for action in legal}

    def apply(self, action: int) -> None:
        GAME.step(self.states, action)

    state = property(lambda self: self.states[0])
    num_players = _number("num_players")
    to_play = _number("to_play")
    guide = _number("guide")
    marker = _number("marker")
    round = _number("round")
    pawn = _number("pawn")
    moon = _number("moon")

    @property
    def phase(self) -> str:
        return "over" if self.over else PHASE_NAMES[PHASES[self.state["phase"]]]

    @property
    def destination(self) -> str | None:
        return None if self.state["destination"] < 0 else WORLDS[self.state["destination"]]

    @property
    def points(self) -> list[int]:
        return self.state["points"][: self.num_players].tolist()

    @property
    def ranks(self) -> list[int]:
        return GAME.returns(self.states)[1].tolist()

    @property
    def over(self) -> bool:
        return bool(self.state["terminated"])

    @property
    def display(self) -> list[str | None]:
        return [None if kind < 0 else TILES[kind] for kind in self.state["display"].tolist()]

    @property
    def pile(self) -> list[str]:
        return [(*TILES, "eclipse")[kind] for kind in pile_of(self.state)]

    @property
    def arrow(self) -> str:
        assert ECLIPSE in pile_of(self.state)
        return "left" if self.state["arrow"] > 0 else "right"

    @property
    def gone(self) -> list[str]:
        return sorted(np.repeat(TILES, self.state["gone"]).tolist())

    def hand(self, seat: int) -> list[str]:
        return [] if self.is_eliminated(seat) else self._cards(seat)

    def set_aside(self, seat: int) -> list[str]:
        return self._cards(seat) if self.is_eliminated(seat) else []

    def _cards(self, seat: int) -> list[str]:
        return [card_name(card) for card in hand_of(self.state, seat)]

    def front(self, seat: int) -> str | None:
        card = int(self.state["front"][seat])
        return None if card < 0 else card_name(card)

    def placed(self, world: str) -> list[int]:
        return placed_at(self.state, WORLDS.index(world))

    def held(self, seat: int, face_up: bool = True) -> list[str]:
        return [] if self.is_eliminated(seat) else self._tiles(seat, face_up)

    def removed_unseen(self, seat: int) -> list[str]:
        return self._tiles(seat, False) if self.is_eliminated(seat) else []

    def _tiles(self, seat: int, face_up: bool) -> list[str]:
        counts = tiles_of(self.state, seat, face_up)
        return sorted(np.repeat(TILES[:NUM_HELD], list(counts.values())).tolist())

    def camp(self, seat: int) -> str:
        return camp_of(self.state, seat)

    def knows(self, seat: int, other: int) -> bool:
        return knows_camp(self.state, seat, other)

    def is_revealed(self, seat: int) -> bool:
        return is_revealed(self.state, seat)

    def is_eliminated(self, seat: int) -> bool:
        return is_eliminated(self.state, seat)

    def passed_by(self, seat: int) -> tuple[str, int] | None:
        passed = card_passed_by(self.state, seat)
        return (card_name(passed[0]), passed[1]) if passed else None

    def told(self, seat: int) -> str | None:
        last = int(self.state["last_action"])
        seen = action_seen_by(self.state, seat, last if last >= 0 else None)
        if seen is None:
            return None
        before = self.state.copy()
        by = "last_seat" if seen == last else "shown_seat"
        before["to_play"] = self.state[by]
        return GAME.action_to_string(seen, before)

    def done(self, seat: int) -> Counter:
        found = Counter(dict(zip(DEEDS, self.state["deeds"][seat].tolist(), strict=True)))
        for how, number in PLAYS.items():
            cards = np.flatnonzero(self.state["plays"][seat] == number).tolist()
            found.update(f"{how} {card_name(card)}" for card in cards)
        for other in range(self.num_players):
            found[f"swapped player_{other}"] = int(self.state["swaps"][seat, other])
            found[f"eliminated player_{other}"] = int(self.state["eliminator"][other]) == seat
        return +found

    def seen_to_play(self, seat: int) -> int | None:
        rows = GAME.observe(self.states, seat)[AT["seats"]].reshape(-1, SEAT_SIZE)
        ahead = np.flatnonzero(rows[:, 1])
        return (seat + int(ahead[0])) % self.num_players if len(ahead) else None


both = pytest.mark.parametrize("rules", [Oracle, Kernels], ids=["oracle", "kernels"])
