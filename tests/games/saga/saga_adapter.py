"""Saga's oracle and kernels behind one interface, in the game's notation: one test drives both.

A game is made by `position` or `dealt`, played by `play` and read by `legal` and the rest. Cards
are words as "red 3" or "recruited red 3", those of a hand, a defence or the free knights in the
order of their numbers.
A decision of the oracle that has two parts ("strengthen 1", then "blue 3") is told in two parts.
"""

from __future__ import annotations

import copy
import random
from typing import NamedTuple

import numpy as np
import pytest
from oracles.saga import (
    COLOUR_OF,
    FIRST_GAME,
    KINGDOMS,
    SIDES,
    Card,
    Force,
    SagaOracle,
    deal_defences,
    first_game_packs,
    random_packs,
)

from ludotheque.envs import IllegalActionError, get_game
from ludotheque.envs.core.schema import slices
from ludotheque.envs.saga.components import (
    COLOURS,
    MAX_FORCES,
    NUM_CARDS,
    NUM_VALUES,
    RECRUITED,
    knight_name,
)
from ludotheque.envs.saga.notation import knight_of
from ludotheque.envs.saga.position import set_position
from ludotheque.envs.saga.state import (
    MAX_PLIES,
    PHASES,
    defence_of,
    forces_of,
    free_of,
    hand_of,
    owner_of,
    powers_of,
)

GAME = get_game("saga")
FIELDS = {field.name: field.shape for field in GAME.observation_schema()}
SLICES = slices(GAME.observation_schema())
WAITING = {"at_once": "at once", "with_card": "card"}
PACKS_KNOWN = {"from_setup": "from setup", "once_shown": "once shown"}


class Laid(NamedTuple):
    """An attack force: its kingdom ("" for none), cards face up as they came, face-down ones."""

    target: str
    cards: list[str]
    down: list[str]
    strength: int


class Saga:
    """What both have in common."""

    num_players: int

    def view(self) -> dict:
        """The complete state of a game."""
        seats = range(self.num_players)
        return {
            "hands": [self.hand(seat) for seat in seats],
            "fame": [self.fame(seat) for seat in seats],
            "forces": [self.forces(seat) for seat in seats],
            "can be": [self.can_be(seat) for seat in seats],
            "defenders": {name: self.defenders(name) for name in KINGDOMS},
            "owners": {name: self.owner(name) for name in KINGDOMS},
            "strengths": {name: self.strength(name) for name in KINGDOMS},
            "used": self.used,
            "free": self.free,
            "done": self.done,
            "to play": (self.to_play, self.turn_of, self.phase),
            "scores": (self.scores(), self.ranks()),
        }

    def owned(self, seat: int) -> list[str]:
        return [name for name in KINGDOMS if self.owner(name) == seat]

    @property
    def over(self) -> bool:
        return self.phase == "over"


class OnKernels(Saga):
    """A game on the kernels."""

    def __init__(self, states: np.ndarray):
        self.states = states
        self.num_players = int(states["num_players"][0])

    @classmethod
    def position(cls, num_players=2, *, options: dict, **parts) -> OnKernels:
        """Options as those of the game, what else there is as in `set_position`."""
        states = GAME.new_state(1, num_players, **options)
        set_position(states, playable=False, **parts)
        return cls(states)

    @classmethod
    def dealt(cls, seed: int, num_players=2, **options) -> OnKernels:
        return cls(GAME.new_state(seed, num_players, **options))

    def copy(self) -> OnKernels:
        return OnKernels(self.states.copy())

    def cut_off_after_a_card(self) -> None:
        """Let the next card that is played be the last action of the longest game."""
        self.states["ply"][0] = MAX_PLIES - 2

    def legal(self) -> set[str]:
        return set(GAME.legal_actions_text(self.states))

    def play(self, *texts: str) -> OnKernels:
        for text in texts:
            GAME.step(self.states, GAME.action_from_string(text))
        return self

    @property
    def state(self) -> np.void:
        return self.states[0]

    @property
    def to_play(self) -> int:
        return int(self.state["to_play"])

    @property
    def turn_of(self) -> int:
        return int(self.state["turn_of"])

    @property
    def phase(self) -> str:
        if self.state["terminated"]:
            return "over"
        phase = PHASES[self.state["phase"]]
        at_the_end = {"LAST_CARD": "end card", "LAST_KNIGHT": "end card"}
        return {"RECRUITING": "free recruit", **at_the_end}.get(phase, "turn")

    @property
    def done(self) -> dict[str, bool]:
        """What has been done in this turn."""
        names = ("played", "recruited", "took", "ending")
        return {name: bool(self.state[name]) for name in names}

    @property
    def cut_off(self) -> bool:
        return bool(self.state["truncated"])

    @property
    def free(self) -> list[str]:
        return _names(free_of(self.state))

    @property
    def sides(self) -> dict[str, str]:
        sides = [SIDES[side] for side in self.state["side"]]
        return dict(zip(KINGDOMS, sides, strict=True))

    @property
    def powers(self) -> set[str]:
        return set(powers_of(self.state))

    @property
    def used(self) -> list[str]:
        return [name for k, name in enumerate(KINGDOMS) if self.state["used"] >> k & 1]

    def hand(self, seat: int) -> list[str]:
        assert self.state["hand_size"][seat] == len(hand_of(self.state, seat))
        return _names(hand_of(self.state, seat))

    def fame(self, seat: int) -> int:
        return int(self.state["fame"][seat])

    def forces(self, seat: int) -> list[Laid]:
        names = (*KINGDOMS, "")  # the last, -1: no target
        return [
            Laid(names[force.target], _names(force.cards), _names(force.down), force.strength)
            for force in forces_of(self.state, seat)
        ]

    def can_be(self, seat: int) -> list[list[str]]:
        """The cards that each face-down card can be for the others, force by force."""
        forces = forces_of(self.state, seat)
        return [_names(laid.guesses) for force in forces for laid in force.laid if not laid.up]

    def known_of(self, viewer: int, seat: int) -> list[str] | None:
        """A seat's hand and face-down cards together, None where the viewer can't know them."""
        seen = GAME.observe(self.states, viewer)
        ahead = (seat - viewer) % self.num_players
        if not self._rows(seen, "seats")[ahead][4]:
            return None
        counts = self._rows(seen, "other_hands")[ahead - 1]
        return [knight_name(k) for k in range(NUM_CARDS) for _ in range(counts[k])]

    def seen_by(self, viewer: int, seat: int) -> list[tuple[list[str], int]]:
        """Of each force of a seat what another sees: its cards, and how many it can't tell."""
        seen = GAME.observe(self.states, viewer)
        own = seat == viewer
        forces = self._rows(seen, "own_forces" if own else "other_forces")
        first = 0 if own else MAX_FORCES * ((seat - viewer) % self.num_players - 1)
        found = []
        for slot in range(len(self.forces(seat))):
            row = forces[first + slot].tolist()
            # Added to the value of the card that names the target is the highest value.
            cards = {k: (value - 1) % NUM_VALUES + 1 for k, value in enumerate(row[:6]) if value}
            if own:
                down = self._rows(seen, "own_down")[slot].tolist()
                cards |= {k: value for k, value in enumerate(down[:6]) if value}
            places = row[9:15]
            if own:
                places = [a or b for a, b in zip(places, down[6:], strict=True)]
            names = [
                f"{RECRUITED} " * (places[k] < 0) + f"{COLOURS[k]} {cards[k]}"
                for k in sorted(cards)
            ]
            found.append((sorted(names, key=knight_of), 0 if own else row[7] + row[8]))
        return found

    def _rows(self, seen: np.ndarray, name: str) -> np.ndarray:
        return seen[SLICES[name]].reshape(FIELDS[name])

    def defenders(self, name: str) -> list[str]:
        return _names(sorted(defence_of(self.state, KINGDOMS.index(name))))

    def owner(self, name: str) -> int | None:
        return owner_of(self.state, KINGDOMS.index(name))

    def strength(self, name: str) -> int:
        return int(self.state["strength"][KINGDOMS.index(name)])

    def scores(self) -> list[int]:
        return [int(score) for score in GAME.returns(self.states)[0]]

    def ranks(self) -> list[int]:
        return GAME.returns(self.states)[1].tolist()


class OnOracle(Saga):
    """A game on the oracle."""

    def __init__(self, game: SagaOracle):
        self.game = game
        self.num_players = game.num_players
        self.begun: tuple[str, ...] = ()  # the first part of a decision that has two
        self._decide()

    @classmethod
    def position(cls, num_players=2, *, options: dict, **parts) -> OnOracle:
        """Options as those of the game, what else there is as in `set_position`."""
        game = cls.dealt(1, num_players, **options).game
        _put(game, **parts)
        return cls(game)

    @classmethod
    def dealt(cls, seed: int, num_players=2, **options) -> OnOracle:
        """Options as those of the game."""
        rng = random.Random(seed)
        if options.get("deal") == "first_game":
            packs = first_game_packs(num_players, rng)
            defences = FIRST_GAME
        else:
            *packs, centre = random_packs(num_players, rng, options.get("packs"))
            defences = deal_defences(centre, rng)
        sides = options.get("sides", "crown")
        sides = [sides] * len(KINGDOMS) if isinstance(sides, str) else sides
        up = [rng.choice(SIDES) if side == "mixed" else side for side in sides]
        game = SagaOracle(
            packs,
            defences,
            dict(zip(KINGDOMS, up, strict=True)),
            rng.randrange(num_players),
            options.get("kingdoms"),
            waiting=WAITING[options.get("retake", "at_once")],
            packs_known=PACKS_KNOWN[options.get("packs_known", "from_setup")],
        )
        return cls(game)

    @classmethod
    def same_as(
        cls, kernels: OnKernels, retake: str = "at_once", packs_known: str = "from_setup"
    ) -> OnOracle:
        """The oracle of a game on the kernels that has just been dealt."""
        defences = {}
        for name, colour in COLOUR_OF.items():
            cards = [_card(text) for text in kernels.defenders(name)]
            defences[name] = sorted(cards, key=lambda card, first=colour: card.colour != first)
        hands = [kernels.hand(seat) for seat in range(kernels.num_players)]
        packs = [[_card(text) for text in hand] for hand in hands]
        ways = {"waiting": WAITING[retake], "packs_known": PACKS_KNOWN[packs_known]}
        return cls(SagaOracle(packs, defences, kernels.sides, kernels.to_play, **ways))

    def copy(self) -> OnOracle:
        return copy.deepcopy(self)

    def cut_off_after_a_card(self) -> None:
        self.game.max_plies = self.game.ply + 1

    def _decide(self) -> None:
        """Look up the legal decisions, in the kernels' form."""
        self.decisions = {self._told(action): action for action in self.game.legal_actions()}

    def _told(self, action: tuple) -> tuple[str, ...]:
        kind, *details = action
        if kind in ("end", "no free recruit", "no end card"):
            return ("pass",)
        if kind in ("recruit", "free recruit"):
            return (f"recruit {_text(details[0])}",)
        if kind == "play" and details[1] == "new":
            return ("new", _text(details[0]))
        if kind in ("take back", "turn up"):
            place, card = details
        else:
            card, place = [*details, "Shadowland"][:2]
        on_kingdom = isinstance(place, str)
        verb = {"take back": "take", "face down": "down", "turn up": "turn up"}.get(kind)
        verb = verb or ("add" if on_kingdom else "strengthen")
        where = f"{verb} {place if on_kingdom else place + 1}"
        if kind == "turn up":
            ripe = [each for each in self.game.may_turn_up() if each[0] == place]
            return (where,) if len(ripe) == 1 else (where, _text(card))
        lies_down = not on_kingdom and card.colour in self.game.me.forces[place].face_down
        hidden = kind == "face down" or kind == "take back" and lies_down
        return (where, f"hidden {_text(card)}" if hidden else _text(card))

    def legal(self) -> set[str]:
        count = len(self.begun)
        return {told[count] for told in self.decisions if told[:count] == self.begun}

    def play(self, *texts: str) -> OnOracle:
        for text in texts:
            if text not in self.legal():
                raise IllegalActionError(f"{text} is not legal")
            self.begun += (text,)
            if self.begun in self.decisions:
                self.game.apply(self.decisions[self.begun])
                self.begun = ()
                self._decide()
        return self

    @property
    def to_play(self) -> int:
        return self.game.to_play

    @property
    def turn_of(self) -> int:
        return self.game.turn

    @property
    def phase(self) -> str:
        return self.game.phase

    @property
    def done(self) -> dict[str, bool]:
        game = self.game
        return {
            "played": game.card_played,
            "recruited": game.recruited,
            "took": game.taken_back,
            "ending": game.ending,
        }

    @property
    def cut_off(self) -> bool:
        return self.game.truncated

    @property
    def free(self) -> list[str]:
        return _texts(self.game.free)

    @property
    def sides(self) -> dict[str, str]:
        return {name: kingdom.side for name, kingdom in self.game.kingdoms.items()}

    @property
    def powers(self) -> set[str]:
        return set().union(*(kingdom.powers for kingdom in self.game.kingdoms.values())) - {None}

    @property
    def used(self) -> list[str]:
        return [name for name, kingdom in self.game.kingdoms.items() if kingdom.used]

    def hand(self, seat: int) -> list[str]:
        return _texts(self.game.players[seat].hand)

    def fame(self, seat: int) -> int:
        return self.game.players[seat].tokens

    def forces(self, seat: int) -> list[Laid]:
        return [
            Laid(
                force.target() or "",
                [_text(card) for card in force.seen()],
                [_text(card) for card in force.cards if card not in force.seen()],
                force.strength(),
            )
            for force in self.game.players[seat].forces
        ]

    def can_be(self, seat: int) -> list[list[str]]:
        forces = self.game.players[seat].forces
        return [_texts(each.elements()) for force in forces for each in force.face_down.values()]

    def known_of(self, viewer: int, seat: int) -> list[str] | None:
        ahead = (seat - viewer) % self.num_players
        known = self.game.known(viewer)["hands and face down"][ahead]
        return None if known is None else _texts(known)

    def seen_by(self, viewer: int, seat: int) -> list[tuple[list[str], int]]:
        forces = self.game.seen_by(viewer)[seat]
        return [(_texts(filter(None, force)), force.count(None)) for force in forces]

    def defenders(self, name: str) -> list[str]:
        return _texts(self.game.kingdoms[name].defence)

    def owner(self, name: str) -> int | None:
        return self.game.kingdoms[name].owner

    def strength(self, name: str) -> int:
        return self.game.kingdoms[name].strength()

    def scores(self) -> list[int]:
        return self.game.scores()

    def ranks(self) -> list[int]:
        return self.game.ranks()


def _put(
    game: SagaOracle,
    *,
    kingdoms: dict,
    hands: dict,
    forces: dict | None = None,
    down: dict | None = None,
    free=(),
    fame=(),
    used=(),
    to_play: int = 0,
) -> None:
    """Set a position up on the oracle (arguments as in `set_position`)."""

    def card(text: str) -> Card:
        found = _card(text)
        return found._replace(recruited=found.recruited and game.backs)

    game.start_turn(to_play)
    game.shown = set(range(game.num_players))
    for seat, player in enumerate(game.players):
        player.hand = [card(text) for text in hands.get(seat, ())]
        player.tokens = fame[seat] if seat < len(fame) else 0
        for cards in (forces or {}).get(seat, ()):
            player.forces.append(Force([card(text) for text in cards]))
        laid = [(slot, card(text)) for slot, text in (down or {}).get(seat, ())]
        player.hand += [each for _, each in laid]
        for slot, each in laid:
            player.put_face_down(each, player.forces[slot])
            player.hand.remove(each)
    for name, (owner, cards) in kingdoms.items():
        game.kingdoms[name].owner = owner
        game.kingdoms[name].defence = [card(text) for text in cards]
        game.kingdoms[name].used = name in used
    game.free = [card(text) for text in free]


def _card(text: str) -> Card:
    *back, colour, value = text.split()
    return Card(colour, int(value), back == [RECRUITED])


def _text(card: Card) -> str:
    return f"{RECRUITED} " * card.recruited + f"{card.colour} {card.value}"


def _texts(cards) -> list[str]:
    return sorted(map(_text, cards), key=knight_of)


def _names(knights) -> list[str]:
    return [knight_name(knight) for knight in knights]


both = pytest.mark.parametrize("rules", [OnOracle, OnKernels], ids=["oracle", "kernels"])
