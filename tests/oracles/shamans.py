"""Shamans in plain Python, written from the rulebook alone, to check the fast rules against.

Section names in quotes are those of the French rulebook ("Tour de jeu", "Résolution des cartes",
...). Where it is silent or can be read in two ways, the comment says "Ruling" and what was decided.

Seats are 0, 1, ... in clockwise order; the neighbour on the left of seat s is s + 1. A card is
(world, value), worlds being words. A role is "shaman" or "shadow", an artefact "dagger", "portal",
"shard" or "mask". The Eclipse lies in the pile as "eclipse-left" or "eclipse-right", after the
arrow on the face that is up. The pawn stands on squares 0 (the first one) to `moon` (the last one).

Chance is given from outside: a `Deal` says what every seat gets and how the pile lies, top first.

A turn is a chain of small decisions (plies). `to_play` is the seat that decides, `phase` says what,
`legal_actions()` is the set of answers and `apply(answer)` gives one:

    phase             answers                                       who decides
    "card"            ("play", card)                                the seat whose card turn it is;
                      ("portal", +1) ("portal", -1)                 a Portal doesn't use up the turn
    "moon"            ("portal", +1) ("portal", -1) ("pass",)       before the pawn enters the Moon
    "last words"      the same                                      before a player is eliminated
    "portal"          the same                                      before a ritual, before the
                                                                    round ends for want of cards,
                                                                    after a move or a ritual
    "artefact"        ("artefact", 0) ("artefact", 1)               the lowest card: a shown tile or
                      ("artefact", "pile")                          the top of the pile
    "keep"            ("keep", "up") ("keep", "down")               the taker, having looked at a
                                                                    tile of the pile that is no Mask
    "stabilisation"   ("back",) or an ("artefact", ...)             the seat doing the ritual
    "permutation"     ("swap", seat)                                the seat doing the ritual
    "neutralisation"  ("eliminate", seat); ("pass",) if none of     the seat doing the ritual
                      its daggers lies face up
    "order"           ("ritual", world)                             the eliminator, while two or
                                                                    more rituals wait
    "give"            ("give", card)                                Eclipse: each seat with cards
    "name"            ("name", seat)                                the eliminated seat whose card
                                                                    was the only one to follow
    "deal"            none: `new_round(deal)` goes on               nobody (`to_play` is None)
    "over"            none                                          nobody

Portals are offered in the phases "moon", "last words" and "portal" to every seat that may hold one
by what everybody sees (`may_hold`): who does not has the one answer ("pass",). So it is with
Daggers in a neutralisation. With asked="holders" only those are asked who do hold one.

Decisions with one answer are still plies. Not plies: doing the only waiting ritual, a ritual
without possible effect, an artefact when no tile is left, and everything without a choice.

Orders chosen here:
    * Moon window: clockwise, beginning with the acting player himself: the one who played the card,
      the eliminator, or the one who used a Portal to advance. It ends when the pawn is no longer
      one square before the Moon.
    * Other windows: clockwise from who does the ritual, eliminates, leads (when the cards have run
      out), or moved the pawn or did a ritual last; after a Portal all over again, from who used it.
    * Eclipse: clockwise, beginning with the seat that took the tile which uncovered it (when that
      seat has no cards, with the next one that has). Cards change hands after the last choice.
    * A taken tile is dealt with first (kept face up or down, a Mask obeyed), then come the empty
      space and the Eclipse.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from typing import Any, NamedTuple

# "Mise en place": worlds in use. Ruling: which colour has which ritual is not in the text.
WORLDS = ("violet", "blue", "green", "yellow", "orange", "brown", "red")
RITUALS = {
    "violet": "illumination",
    "blue": "stabilisation",
    "green": "permutation",
    "yellow": "neutralisation",
    "orange": "stabilisation",
    "brown": "neutralisation",
    "red": "permutation",
}
NUM_WORLDS = {3: 5, 4: 6, 5: 7}
HIGHEST_VALUE = {3: 6, 4: 6, 5: 8}
ROLES = {3: (2, 1), 4: (3, 1), 5: (3, 2)}  # Shamans, Shadows
# "Mise en place d'une manche"; rulings: 9 at 3 and 4 players, 11 at 5, and where the pawn starts.
HAND_SIZE = {3: 9, 4: 9, 5: 11}
START = {3: 20, 4: 15, 5: 5}
MOON = 30
# "Descriptif du matériel"
ARTEFACTS = {"dagger": 5, "portal": 2, "shard": 3, "mask": 2}
ECLIPSES = ("eclipse-left", "eclipse-right")
SPACES = 2
# "Fin de manche ou de partie"
SHAMAN_POINTS = 2
SHADOW_POINTS = 3
SHARDS_NEEDED = 2
SHARD_POINTS = 2
GOAL = 8
# "Effets des rituels"
STABILISATION_STEPS = 2
# Phases in which a seat decides because it has an artefact, and which.
WINDOWS = ("moon", "last words", "portal")
NEEDED = dict.fromkeys(WINDOWS, "portal") | {"neutralisation": "dagger"}
ASKED = ("everyone", "holders")

Action = tuple


class Card(NamedTuple):
    """A World card; equal to the plain tuple (world, value)."""

    world: str
    value: int


@dataclass
class Tile:
    """An artefact in front of a player."""

    kind: str
    face_up: bool


@dataclass(frozen=True)
class Deal:
    """What chance decides about a round ("Mise en place d'une manche").

    Attributes:
        roles: role of each seat.
        hands: cards of each seat.
        left_over: cards nobody gets; they go face up to their worlds.
        face_up: the two shown artefacts.
        pile: the other ten artefacts and the Eclipse, top first.
    """

    roles: tuple[str, ...]
    hands: tuple[tuple[Card, ...], ...]
    left_over: tuple[Card, ...]
    face_up: tuple[str, ...]
    pile: tuple[str, ...]


@dataclass
class Decision:
    """Who decides what; `about` is what the answer needs to know."""

    seat: int
    phase: str
    about: tuple = ()


@dataclass
class EclipseInProgress:
    """The Eclipse while seats choose: seats in the order of choosing and cards chosen so far."""

    arrow: str
    seats: list[int]
    chosen: dict[int, Card] = field(default_factory=dict)


@dataclass(frozen=True)
class Knowledge:
    """What one seat knows for certain without any reasoning.

    Attributes:
        role: its own role.
        hand: its own cards.
        roles: seat -> role, for each seat whose present role card it has seen (its own too).
        placed: world -> values placed face up.
        fronts: seat -> card that lies in front of it.
        hand_sizes, aside_sizes: cards in each hand; cards set aside from it at an elimination.
        aside: its own cards set aside.
        tiles: for each seat its artefacts as (kind, face up), kind None when it can't be seen.
        removed: the same for artefacts that an elimination took from it.
        passed_to: card -> seat that got it from this seat in the Eclipse and still hides it.
        received_from: card still in its hand -> seat it came from in the Eclipse.
        chosen: the card it is about to give in an Eclipse in progress.
        face_up: shown artefacts, None for an empty space.
        pile_size: tiles in the pile.
        pile_top: the Eclipse if it is visible on top.
        eclipse_in_pile: whether the Eclipse is still to come.
        discarded: tiles used up.
        eliminated, points: of each seat.
        plays: every (seat, card) played in this round so far.
    """

    role: str
    hand: frozenset[Card]
    roles: dict[int, str]
    placed: dict[str, frozenset[int]]
    fronts: dict[int, Card]
    hand_sizes: tuple[int, ...]
    aside: frozenset[Card]
    aside_sizes: tuple[int, ...]
    tiles: tuple[tuple[tuple[str | None, bool], ...], ...]
    removed: tuple[tuple[tuple[str | None, bool], ...], ...]
    passed_to: dict[Card, int]
    received_from: dict[Card, int]
    chosen: Card | None
    face_up: tuple[str | None, ...]
    pile_size: int
    pile_top: str | None
    eclipse_in_pile: bool
    discarded: tuple[str, ...]
    eliminated: tuple[bool, ...]
    points: tuple[int, ...]
    plays: tuple[tuple[int, Card], ...]


@dataclass(frozen=True)
class World:
    """Everything hidden, as one seat may imagine it; see `hidden_worlds`.

    Attributes:
        roles: of each seat.
        hands, aside: cards of each seat in hand; set aside at its elimination.
        tiles, removed: artefacts of each seat in the order taken; those an elimination took away.
        pile: top first.
        chosen: (seat, card) for each choice already made in an Eclipse in progress.
    """

    roles: tuple[str, ...]
    hands: tuple[frozenset[Card], ...]
    aside: tuple[frozenset[Card], ...]
    tiles: tuple[tuple[str, ...], ...]
    removed: tuple[tuple[str, ...], ...]
    pile: tuple[str, ...]
    chosen: tuple[tuple[int, Card], ...]

    def unordered(self) -> World:
        """The same with each seat's artefacts sorted, for tests that keep counts of them only."""
        return replace(
            self,
            tiles=tuple(tuple(sorted(kinds)) for kinds in self.tiles),
            removed=tuple(tuple(sorted(kinds)) for kinds in self.removed),
        )


def deck(num_players: int) -> list[Card]:
    """The World cards in use ("Mise en place")."""
    worlds = WORLDS[: NUM_WORLDS[num_players]]
    return [Card(w, v) for w in worlds for v in range(1, HIGHEST_VALUE[num_players] + 1)]


def role_deck(num_players: int) -> list[str]:
    """The Role cards in use ("Mise en place")."""
    shamans, shadows = ROLES[num_players]
    return ["shaman"] * shamans + ["shadow"] * shadows


def random_deal(num_players: int, rng: random.Random) -> Deal:
    """A deal drawn at random ("Mise en place d'une manche")."""
    roles = role_deck(num_players)
    rng.shuffle(roles)
    cards = deck(num_players)
    rng.shuffle(cards)
    size = HAND_SIZE[num_players]
    hands = [tuple(cards[size * seat : size * (seat + 1)]) for seat in range(num_players)]
    artefacts = list(Counter(ARTEFACTS).elements())
    rng.shuffle(artefacts)
    pile = [*artefacts[SPACES:], rng.choice(ECLIPSES)]
    rng.shuffle(pile)
    while pile[0] in ECLIPSES:
        rng.shuffle(pile)
    left_over = tuple(cards[size * num_players :])
    return Deal(tuple(roles), tuple(hands), left_over, tuple(artefacts[:SPACES]), tuple(pile))


def check_deal(deal: Deal) -> None:
    """Raise ValueError for a deal that the box and the setup can't give."""
    num_players = len(deal.roles)
    if num_players not in ROLES:
        raise ValueError(f"3 to 5 players, got {num_players} roles")
    if sorted(deal.roles) != sorted(role_deck(num_players)):
        raise ValueError(f"roles must be {role_deck(num_players)} in some order, got {deal.roles}")
    if [len(hand) for hand in deal.hands] != [HAND_SIZE[num_players]] * num_players:
        raise ValueError(f"{num_players} hands of {HAND_SIZE[num_players]} cards are needed")
    dealt = [tuple(card) for hand in deal.hands for card in hand]
    dealt += [tuple(card) for card in deal.left_over]
    if sorted(dealt) != sorted(deck(num_players)):
        raise ValueError("hands and left-over cards must be the cards in use, each once")
    eclipses = [tile for tile in deal.pile if tile in ECLIPSES]
    artefacts = Counter((*deal.face_up, *deal.pile)) - Counter(eclipses)
    if len(deal.face_up) != SPACES or artefacts != Counter(ARTEFACTS) or len(eclipses) != 1:
        raise ValueError(f"two shown tiles and a pile with the rest are needed, got {deal}")
    if deal.pile[0] in ECLIPSES:
        raise ValueError("the Eclipse may not lie on top of the pile at the start")


class ShamansOracle:
    """A game in progress.

    Args:
        deal: the first round.
        first_player: the seat that has the First player marker ("le joueur le plus âgé").
        rounds: "match" plays to 8 points, "single" one round.
        start, moon: square the pawn starts on, and the last square. Ruling: the printed track is
            unknown; the defaults are a reconstruction.
        points: points at the start.
        asked: "everyone" who may hold a Portal or Dagger is asked about it, or only "holders".

    Attributes (a test may set them to build a position; answers are worked out when asked for):
        points: victory points of each seat.
        rituals: world -> its ritual.
        pawn: square of the Shadow pawn.
        role_cards: which role card lies in front of each seat (role cards are numbered).
        role_of_card: what is printed on each role card.
        seen: for each seat the role cards it has looked at.
        hands, aside: sets of cards in hand; set aside face down at an elimination.
        placed: world -> values placed face up beside the board.
        fronts: seat -> card in front of it, to be placed at the end of the trick.
        in_play: a card played that doesn't follow, on its way to its world.
        tiles, removed: artefacts of each seat; artefacts an elimination took from it.
        face_up, pile: shown artefacts (None for an empty space); pile, top first.
        discarded: tiles used up, in order.
        eliminated: for each seat.
        guide, destination, played: the trick: its Guide, its world, who has played a card.
        waiting: worlds whose rituals are still to be done.
        performer, doing: who does rituals, and the world of the one being done.
        passes: (giver, receiver, card) of the Eclipse.
        held_then: cards of each who took part, right after the Eclipse.
        plays: (seat, card) in order.
        log: what was done in this round before everybody's eyes, in order; (seat, what, ...).
        stirred: who moved the pawn or did a ritual since Portals were last offered.
        last_action, last_shown: the last (seat, action); the last one that everybody saw.
        ended_by: None, or "moon", "last shadow", "no cards" once the round is over.
        todo: what happens next, the last entry first; each is (method, arguments).
    """

    def __init__(
        self,
        deal: Deal,
        first_player: int = 0,
        rounds: str = "match",
        start: int | None = None,
        moon: int = MOON,
        points: Sequence[int] | None = None,
        asked: str = "everyone",
    ) -> None:
        check_deal(deal)
        if asked not in ASKED:
            raise ValueError(f"asked must be one of {ASKED}, got {asked!r}")
        self.asked = asked
        self.num_players = len(deal.roles)
        if first_player not in range(self.num_players):
            raise ValueError(f"first_player must be a seat 0..{self.num_players - 1}")
        if rounds not in ("match", "single"):
            raise ValueError(f"rounds must be 'match' or 'single', got {rounds!r}")
        self.rounds = rounds
        self.start = START[self.num_players] if start is None else start
        self.moon = moon
        if not 0 <= self.start < moon:
            raise ValueError(f"the pawn must start on 0..{moon - 1}, got {self.start}")
        self.points = [0] * self.num_players if points is None else list(points)
        self.first_player = first_player
        self.rituals = dict(RITUALS)
        self.round = 0
        self.over = False
        self.last_action: tuple[int, Action] | None = None
        self.last_shown: tuple[int, Action] | None = None
        self._begin(deal)

    # Game and rounds

    def new_round(self, deal: Deal) -> None:
        """Play on with the next round ("Fin de manche ou de partie"): only the points stay."""
        if self.phase != "deal":
            raise ValueError(f"a new round can't begin in phase {self.phase!r}")
        check_deal(deal)
        if len(deal.roles) != self.num_players:
            raise ValueError(f"the deal must be for {self.num_players} players")
        self.first_player = self.left_of(self.first_player)
        self.round += 1
        self._begin(deal)

    def _begin(self, deal: Deal) -> None:
        """ "Mise en place d'une manche"."""
        seats = range(self.num_players)
        self.pawn = self.start
        self.role_of_card = list(deal.roles)
        self.role_cards = list(seats)
        self.seen = [{seat} for seat in seats]
        self.hands = [{Card(*card) for card in hand} for hand in deal.hands]
        self.aside: list[set[Card]] = [set() for _ in seats]
        self.placed: dict[str, set[int]] = {w: set() for w in WORLDS[: NUM_WORLDS[len(seats)]]}
        for world, value in deal.left_over:  # Ruling: face up to their worlds, without rituals.
            self.placed[world].add(value)
        self.fronts: dict[int, Card] = {}
        self.in_play: Card | None = None
        self.tiles: list[list[Tile]] = [[] for _ in seats]
        self.removed: list[list[Tile]] = [[] for _ in seats]
        self.face_up: list[str | None] = list(deal.face_up)
        self.pile = list(deal.pile)
        self.discarded: list[str] = []
        self.eliminated = [False] * self.num_players
        self.guide = self.first_player
        self.destination: str | None = None
        self.played: set[int] = set()
        self.waiting: list[str] = []
        self.performer: int | None = None
        self.doing: str | None = None
        self.passes: list[tuple[int, int, Card]] = []
        self.held_then: dict[int, int] = {}
        self.log: list[tuple] = []
        self.plays: list[tuple[int, Card]] = []
        self.eclipse: EclipseInProgress | None = None
        self.ended_by: str | None = None
        self.stirred: int | None = None
        self.decision: Decision | None = None
        # "Le joueur ayant le marqueur Premier joueur est le premier Guide de la manche."
        self.todo: list[tuple] = [(self._begin_trick.__name__, self.first_player)]
        self._run()

    def _end_round(self, ended_by: str) -> None:
        """ "Fin de manche ou de partie": points for those who are not eliminated."""
        self.ended_by = ended_by
        self.todo = []
        for seat in self.players_left():
            role = self.role(seat)
            if role == "shadow" and ended_by == "moon":
                self.points[seat] += SHADOW_POINTS
            if role == "shaman" and ended_by != "moon":
                self.points[seat] += SHAMAN_POINTS
            if self.count_tiles(seat, "shard") >= SHARDS_NEEDED:
                self.points[seat] += SHARD_POINTS
        best = max(self.points)
        self.over = self.rounds == "single" or (best >= GOAL and self.points.count(best) == 1)

    @property
    def to_play(self) -> int | None:
        """The seat that decides."""
        return None if self.decision is None else self.decision.seat

    @property
    def phase(self) -> str:
        """What it decides; see the top of this file."""
        if self.decision is not None:
            return self.decision.phase
        return "over" if self.over else "deal"

    @property
    def winning_side(self) -> str | None:
        """The side that has won the round.

        None while it goes on, and when the cards ran out with all Shamans eliminated: "Les Ombres
        ne remportent pas la manche s'ils éliminent tous les Shamans mais ...". Ruling: nobody does.
        """
        if self.ended_by == "moon":
            return "shadow"
        if self.ended_by is None:
            return None
        left = [self.role(seat) for seat in self.players_left()]
        return "shaman" if "shaman" in left else None

    def ranks(self) -> list[int]:
        """Place of each seat by its points, 1 the best; equal points share a place."""
        return [1 + sum(other > mine for other in self.points) for mine in self.points]

    def clone(self) -> ShamansOracle:
        """An independent copy."""
        return copy.deepcopy(self)

    # Looking things up

    def left_of(self, seat: int) -> int:
        """The neighbour on the left, next in clockwise order."""
        return (seat + 1) % self.num_players

    def clockwise(self, seat: int) -> list[int]:
        """All seats, clockwise from this one."""
        return [(seat + k) % self.num_players for k in range(self.num_players)]

    def players_left(self) -> list[int]:
        """Seats that are not eliminated."""
        return [seat for seat in range(self.num_players) if not self.eliminated[seat]]

    def others_left(self, seat: int) -> list[int]:
        """The other seats that are not eliminated."""
        return [other for other in self.players_left() if other != seat]

    def role(self, seat: int) -> str:
        """The role on the card in front of a seat."""
        return self.role_of_card[self.role_cards[seat]]

    def count_tiles(self, seat: int, kind: str) -> int:
        """How many artefacts of a kind a seat has, face up or down."""
        return sum(tile.kind == kind for tile in self.tiles[seat])

    def shows(self, seat: int, kind: str) -> bool:
        """Whether a seat has an artefact of that kind face up."""
        return Tile(kind, True) in self.tiles[seat]

    def no_tile_left(self) -> bool:
        """Whether no artefact can be taken."""
        return not self.pile and self.face_up == [None] * SPACES

    def is_complete(self, world: str) -> bool:
        """Whether all cards of a world are placed (6 at 3 and 4 players, 8 at 5)."""
        return len(self.placed[world]) == HIGHEST_VALUE[self.num_players]

    # Deciding

    def legal_actions(self) -> set[Action]:
        """All answers to the present decision."""
        if self.decision is None:
            return set()
        seat, phase = self.decision.seat, self.decision.phase
        if phase == "card":
            # "n'importe quelle carte peut être jouée"
            cards = {("play", card) for card in self.hands[seat]}
            return cards | self._portal_actions(seat)
        if phase in WINDOWS:
            return self._portal_actions(seat) | {("pass",)}
        if phase == "artefact":
            return self._artefact_actions()
        if phase == "keep":
            return {("keep", "up"), ("keep", "down")}
        if phase == "stabilisation":
            return self._artefact_actions() | {("back",)}
        if phase == "permutation":
            return {("swap", other) for other in self.others_left(seat)}
        if phase == "neutralisation":
            # "il DOIT en défausser une" / "il peut décider de ne pas la révéler"
            may_pass = set() if self.shows(seat, "dagger") else {("pass",)}
            targets = self.others_left(seat) if self.count_tiles(seat, "dagger") else []
            return {("eliminate", other) for other in targets} | may_pass
        if phase == "order":
            return {("ritual", world) for world in self.waiting}
        if phase == "give":
            return {("give", card) for card in self.hands[seat]}
        assert phase == "name"
        return {("name", other) for other in self.players_left()}

    def _portal_actions(self, seat: int) -> set[Action]:
        if not self.count_tiles(seat, "portal"):
            return set()
        return {("portal", 1), ("portal", -1)}

    def _artefact_actions(self) -> set[Action]:
        """ "une tuile Artéfact au choix parmi les 2 révélées ou celle au sommet de la pile"."""
        actions = {("artefact", k) for k, kind in enumerate(self.face_up) if kind is not None}
        return actions | ({("artefact", "pile")} if self.pile else set())

    def apply(self, action: Action) -> None:
        """Give an answer; raises ValueError, changing nothing, if it is not legal."""
        if action not in self.legal_actions():
            raise ValueError(
                f"{action} is not legal in phase {self.phase!r}; legal: {self.legal_actions()}"
            )
        assert self.decision is not None
        seat, about = self.decision.seat, self.decision.about
        answer = getattr(self, f"_answer_{self.phase.replace(' ', '_')}")
        self._note(seat, action)
        self.decision = None
        answer(seat, action, *about)
        self._run()

    def _ask(self, seat: int, phase: str, *about: object) -> None:
        self.decision = Decision(seat, phase, about)

    def _then(self, step: Callable, *arguments: object) -> None:
        """Do this next, before what was to be done so far."""
        self.todo.append((step.__name__, *arguments))

    def _run(self) -> None:
        """Do what is to be done until someone has to decide or the round is over."""
        while self.decision is None and self.todo:
            step, *arguments = self.todo.pop()
            getattr(self, step)(*arguments)

    # "Tour de jeu"

    def _begin_trick(self, guide: int) -> None:
        self.guide = guide
        self._then(self._next_card)

    def _next_card(self) -> None:
        """The Guide plays, then the others clockwise; those eliminated are left out."""
        for seat in self.clockwise(self.guide):
            if seat not in self.played and not self.eliminated[seat]:
                self._then(self._ask, seat, "card")
                # Whose turn it is may use a Portal then.
                self._offer_after("turn", seat)
                return
        self._then(self._reward_lowest)
        self._offer_after("trick")

    def _answer_card(self, seat: int, action: Action) -> None:
        self._then(self._next_card)
        if action[0] == "portal":
            self._use_portal(seat, action[1])
            return
        card = Card(*action[1])
        self.hands[seat].remove(card)
        self.played.add(seat)
        self.plays.append((seat, card))
        if self.destination is None:
            self.destination = card.world
        leads = len(self.played) == 1
        follows = card.world == self.destination
        self.log.append((seat, "led" if leads else "followed" if follows else "strayed", card))
        if follows:
            self.fronts[seat] = card
            return
        # "Il avance immédiatement le pion Ombre d'une case", then places the card.
        self.in_play = card
        self._then(self._place_off_suit, seat)
        self._then(self._advance, seat, 1)

    def _place_off_suit(self, seat: int) -> None:
        assert self.in_play is not None
        card, self.in_play = self.in_play, None
        self._place([card])
        self._then(self._do_rituals, seat)

    def _place(self, cards: Sequence[Card]) -> None:
        """Put cards to their worlds; rituals of worlds completed by that wait to be done."""
        for card in sorted(cards):
            self.placed[card.world].add(card.value)
            if self.is_complete(card.world):
                self.waiting.append(card.world)

    # The Shadow pawn

    def _advance(self, actor: int, steps: int) -> None:
        """Move the pawn towards the Moon, one square at a time (ruling)."""
        if steps > 1:
            self._then(self._advance, actor, steps - 1)
        if self.pawn + 1 == self.moon:
            self._then(self._moon_window, actor, 0)
        else:
            self.pawn += 1
            self.stirred = actor

    def _moon_window(self, actor: int, asked: int) -> None:
        """Before the pawn enters the Moon, offer Portals (rulings 8 and 9)."""
        if asked == self.num_players:
            self.pawn = self.moon
            self._end_round("moon")
            return
        seat = self.clockwise(actor)[asked]
        if self.is_asked_about(seat, "portal"):
            self._ask(seat, "moon", actor, asked)
        else:
            self._then(self._moon_window, actor, asked + 1)

    def _answer_moon(self, seat: int, action: Action, actor: int, asked: int) -> None:
        if action == ("pass",):
            self._then(self._moon_window, actor, asked + 1)
            return
        # Once the Portal has had its effect, the step that waits is looked at afresh.
        self._then(self._advance, actor, 1)
        self._use_portal(seat, action[1])

    def _move_back(self, actor: int, steps: int) -> None:
        """Ruling: the pawn stops at the first square."""
        self.pawn = max(0, self.pawn - steps)
        self.stirred = actor

    def _discard(self, seat: int, kind: str) -> None:
        """Use up an artefact. Ruling: a shown one if there is one, the others stay hidden."""
        tile = Tile(kind, self.shows(seat, kind))
        self.tiles[seat].remove(tile)
        self.discarded.append(kind)

    def _use_portal(self, seat: int, direction: int) -> None:
        """ "défaussée à n'importe quel moment pour avancer ou reculer le pion Ombre d'une case"."""
        self._discard(seat, "portal")
        self.log.append((seat, "portal", direction))
        if direction == 1:
            self._then(self._advance, seat, 1)
        else:
            self._move_back(seat, 1)

    # "Un joueur qui possède un Portail a toujours la possibilité de le jouer [...] à n'importe quel
    # moment": the moments at which waiting for the next one could lose something.

    def unseen(self, kind: str) -> int:
        """How many artefacts of a kind nobody sees: in the pile, or face down before somebody."""
        open_tiles = [t.kind for owned in (*self.tiles, *self.removed) for t in owned if t.face_up]
        return ARTEFACTS[kind] - [*open_tiles, *self.face_up, *self.discarded].count(kind)

    def may_hold(self, seat: int, kind: str) -> bool:
        """Whether a seat has an artefact of a kind, for all that everybody sees."""
        face_down = [tile for tile in self.tiles[seat] if not tile.face_up]
        return self.shows(seat, kind) or bool(face_down and self.unseen(kind))

    def is_asked_about(self, seat: int, kind: str) -> bool:
        """Whether a seat decides about an artefact that it may hold, or only if it does."""
        if self.asked == "everyone":
            return self.may_hold(seat, kind)
        return self.count_tiles(seat, kind) > 0

    def portals_in_front(self) -> int:
        """The most Portals that players may hold, for all that everybody sees."""
        owned = [tile for tiles in self.tiles for tile in tiles]
        shown = owned.count(Tile("portal", True))
        return shown + min(self.unseen("portal"), sum(not tile.face_up for tile in owned))

    def moon_in_reach(self) -> bool:
        """Whether Portals alone might bring the pawn to the Moon, for all that everybody sees."""
        return self.moon - self.pawn <= self.portals_in_front()

    def _offer_after(self, why: str, spared: int | None = None) -> None:
        """Before the play goes on: if the pawn moved or a ritual was done since the last offer."""
        if self.stirred is not None:
            self._then(self._offer, why, self.stirred, 0, spared)

    def _offer(self, why: str, actor: int, asked: int = 0, concerned: int | None = None) -> None:
        """Ask one after the other, clockwise from who acts, for a Portal.

        It can matter if the Moon is in reach, and to `concerned` whose elimination is near, which
        takes its Portals away. Else every Portal will do the same at the next offer. When it is a
        turn that comes next, `concerned` is the one whose turn it is, and isn't asked.
        """
        if asked == self.num_players:
            self.stirred = None
            return
        seat = self.clockwise(actor)[asked]
        matters = self.moon_in_reach() or (why == "elimination" and seat == concerned)
        spared = why == "turn" and seat == concerned
        if matters and not spared and self.is_asked_about(seat, "portal"):
            phase = "last words" if why == "elimination" else "portal"
            self._ask(seat, phase, why, actor, asked, concerned)
        else:
            self._then(self._offer, why, actor, asked + 1, concerned)

    def _answer_portal(
        self, seat: int, action: Action, why: str, actor: int, asked: int, concerned: int | None
    ) -> None:
        if action == ("pass",):
            self._then(self._offer, why, actor, asked + 1, concerned)
        else:
            self._then(self._offer, why, seat, 0, concerned)
            self._use_portal(seat, action[1])

    _answer_last_words = _answer_portal

    # "Résolution des cartes"

    def _reward_lowest(self) -> None:
        """1: the lowest card takes an artefact; cards of eliminated players are not compared."""
        compared = {s: card for s, card in self.fronts.items() if not self.eliminated[s]}
        if not compared:
            # "le joueur éliminé choisit quel joueur devient le nouveau Guide". Ruling: nobody takes
            # an artefact; of several such players the one with the highest card chooses.
            highest = max(self.fronts, key=lambda s: self.fronts[s].value)
            self._ask(highest, "name")
            return
        lowest = min(compared, key=lambda s: compared[s].value)
        highest = max(compared, key=lambda s: compared[s].value)
        self._then(self._collect, highest)
        self._then(self._take_artefact, lowest)

    def _answer_name(self, seat: int, action: Action) -> None:
        # Ruling: the new Guide does what the highest card would have done.
        self._then(self._collect, action[1])

    def _collect(self, seat: int) -> None:
        """2: the highest card places all cards, does the ritual and leads the next trick."""
        self._place(list(self.fronts.values()))
        self.fronts = {}
        self._then(self._end_trick, seat)
        self._then(self._do_rituals, seat)

    def _end_trick(self, seat: int) -> None:
        self.destination = None
        self.played = set()
        if any(self.hands[other] for other in self.players_left()):
            self._then(self._begin_trick, seat)
        else:
            self._then(self._end_round, "no cards")
            self._then(self._offer, "end", seat)

    # Artefacts

    def _take_artefact(self, seat: int) -> None:
        if not self.no_tile_left():  # Ruling: no tile, no gain.
            self._ask(seat, "artefact")

    def _answer_artefact(self, seat: int, action: Action) -> None:
        self._then(self._fill_spaces, seat)
        if action[1] == "pile":
            kind = self.pile.pop(0)
            self.tiles[seat].append(Tile(kind, kind == "mask"))
            if kind != "mask":
                self._ask(seat, "keep")
        else:
            kind = self.face_up[action[1]]
            self.face_up[action[1]] = None
            self.tiles[seat].append(Tile(kind, True))
        if kind == "mask":
            # "DOIT révéler immédiatement SA carte Rôle"
            self._reveal_role(seat)

    def _answer_keep(self, seat: int, action: Action) -> None:
        self.tiles[seat][-1].face_up = action[1] == "up"

    def _fill_spaces(self, seat: int) -> None:
        """Resolve an Eclipse that can be seen, fill empty spaces, until neither is left to do."""
        if self.pile and self.pile[0] in ECLIPSES:
            self._then(self._fill_spaces, seat)
            self._begin_eclipse(seat)
        elif self.pile and None in self.face_up:
            self.face_up[self.face_up.index(None)] = self.pile.pop(0)
            self._then(self._fill_spaces, seat)

    def _reveal_role(self, seat: int) -> None:
        for seen in self.seen:
            seen.add(self.role_cards[seat])

    # "Résolution de l'Éclipse"

    def _begin_eclipse(self, seat: int) -> None:
        """Who has no card or is eliminated neither gives nor gets one."""
        tile = self.pile.pop(0)
        self.discarded.append(tile)
        givers = [s for s in self.clockwise(seat) if self.hands[s] and not self.eliminated[s]]
        if len(givers) > 1:
            self.eclipse = EclipseInProgress(tile.removeprefix("eclipse-"), givers)
            self._then(self._next_gift)

    def _next_gift(self) -> None:
        assert self.eclipse is not None
        for seat in self.eclipse.seats:
            if seat not in self.eclipse.chosen:
                self._ask(seat, "give")
                return
        self._exchange_gifts(self.eclipse)
        self.eclipse = None

    def _answer_give(self, seat: int, action: Action) -> None:
        assert self.eclipse is not None
        self.eclipse.chosen[seat] = Card(*action[1])
        self._then(self._next_gift)

    def _exchange_gifts(self, eclipse: EclipseInProgress) -> None:
        seats = eclipse.seats
        way = 1 if eclipse.arrow == "left" else -1
        for k, giver in enumerate(seats):
            self.hands[giver].remove(eclipse.chosen[giver])
            receiver = seats[(k + way) % len(seats)]
            self.passes.append((giver, receiver, eclipse.chosen[giver]))
        for _, receiver, card in self.passes:
            self.hands[receiver].add(card)
        self.held_then = {seat: len(self.hands[seat]) for seat in seats}

    # "Effets des rituels"

    def _do_rituals(self, seat: int) -> None:
        """One player does all waiting rituals, in the order he likes."""
        self.performer, self.doing = seat if self.waiting else None, None
        if len(self.waiting) == 1:
            self._answer_order(seat, ("ritual", self.waiting[0]))
        elif self.waiting:
            self._ask(seat, "order")

    def _answer_order(self, seat: int, action: Action) -> None:
        self.waiting.remove(action[1])
        self.doing = action[1]
        self.log.append((seat, self.rituals[action[1]]))
        self._then(self._do_rituals, seat)
        self._then(getattr(self, f"_do_{self.rituals[action[1]]}"), seat)

    def _do_illumination(self, seat: int) -> None:
        self.points[seat] += 1

    def _do_stabilisation(self, seat: int) -> None:
        """Ruling: without a tile to take, the pawn must go back."""
        self._then(self._ask, seat, "stabilisation")
        self._then(self._offer, "ritual", seat)

    def _answer_stabilisation(self, seat: int, action: Action) -> None:
        self.log.append((seat, "retreat" if action == ("back",) else "artefact"))
        if action == ("back",):
            self._move_back(seat, STABILISATION_STEPS)
        else:
            self._answer_artefact(seat, action)

    def _do_permutation(self, seat: int) -> None:
        """Ruling: with another player who is not eliminated; without one, no effect."""
        if self.others_left(seat):
            self._then(self._ask, seat, "permutation")
            self._then(self._offer, "ritual", seat)

    def _answer_permutation(self, seat: int, action: Action) -> None:
        """Both look at the card they got; everyone sees which cards changed places."""
        other = action[1]
        cards = self.role_cards
        cards[seat], cards[other] = cards[other], cards[seat]
        self.seen[seat].add(cards[seat])
        self.seen[other].add(cards[other])
        self.log.append((seat, "swapped", other))
        self.stirred = seat

    def _do_neutralisation(self, seat: int) -> None:
        """No effect without a dagger, and (ruling) without another player."""
        if self.may_hold(seat, "dagger") and self.others_left(seat):
            self._then(self._begin_neutralisation, seat)
            self._then(self._offer, "ritual", seat)

    def _begin_neutralisation(self, seat: int) -> None:
        if self.is_asked_about(seat, "dagger"):
            self._ask(seat, "neutralisation")

    def _answer_neutralisation(self, seat: int, action: Action) -> None:
        if action == ("pass",):
            return
        self._discard(seat, "dagger")
        self._then(self._eliminate, seat, action[1])
        self._then(self._offer, "elimination", seat, 0, action[1])

    # "Effet d'une élimination"

    def _eliminate(self, killer: int, seat: int) -> None:
        self.eliminated[seat] = True
        self.log.append((killer, "eliminated", seat))
        self.stirred = killer
        self._reveal_role(seat)
        self.removed[seat], self.tiles[seat] = self.tiles[seat], []
        cards, self.hands[seat] = self.hands[seat], set()
        if self.role(seat) == "shaman":
            self.aside[seat] = cards
            if cards:
                self._then(self._advance, killer, len(cards))
        elif all(self.role(other) == "shaman" for other in self.players_left()):
            self.aside[seat] = cards  # The round is over; they stay where they are.
            self._end_round("last shadow")
        else:
            # The eliminator does the rituals this leads to. It can happen but once in a round:
            # the next Shadow to go is the last one.
            self._place(list(cards))

    # What a seat knows

    def is_asked_unseen(self) -> bool:
        """Whether a seat decides only because it has an artefact that lies face down before it."""
        if self.asked == "everyone":
            return False  # It might have one: so everybody sees it being asked.
        return self.phase in NEEDED and not self.shows(self.decision.seat, NEEDED[self.phase])

    def _note(self, seat: int, action: Action) -> None:
        """Cards for the Eclipse are chosen unseen; who hides an artefact hides that it passes."""
        self.last_action = (seat, action)
        if self.phase != "give" and not (action == ("pass",) and self.is_asked_unseen()):
            self.last_shown = (seat, action)

    def last_action_seen_by(self, seat: int) -> tuple[int, Action] | None:
        """The last (seat, action) as a seat may know it; None before the first."""
        own = self.last_action is not None and self.last_action[0] == seat
        return self.last_action if own else self.last_shown

    def knowledge(self, seat: int) -> Knowledge:
        """What a seat knows; see `Knowledge`."""
        return Knowledge(
            role=self.role(seat),
            hand=frozenset(self.hands[seat]),
            roles={
                other: self.role(other)
                for other in range(self.num_players)
                if self.role_cards[other] in self.seen[seat]
            },
            placed={world: frozenset(values) for world, values in self.placed.items()},
            fronts=dict(self.fronts),
            hand_sizes=tuple(len(hand) for hand in self.hands),
            aside=frozenset(self.aside[seat]),
            aside_sizes=tuple(len(cards) for cards in self.aside),
            tiles=self._tiles_seen(seat, self.tiles),
            removed=self._tiles_seen(seat, self.removed),
            passed_to={
                card: receiver
                for giver, receiver, card in self.passes
                if giver == seat and card in self.hands[receiver] | self.aside[receiver]
            },
            received_from={
                card: giver
                for giver, receiver, card in self.passes
                if receiver == seat and card in self.hands[seat]
            },
            chosen=self.eclipse.chosen.get(seat) if self.eclipse else None,
            face_up=tuple(self.face_up),
            pile_size=len(self.pile),
            pile_top=self._visible_eclipse(),
            eclipse_in_pile=any(tile in ECLIPSES for tile in self.pile),
            discarded=tuple(self.discarded),
            eliminated=tuple(self.eliminated),
            points=tuple(self.points),
            plays=tuple(self.plays),
        )

    def facts(self, seat: int) -> dict[str, Any]:
        """All that a person on a seat may know, by what it is about; values can be compared.

        It lies on the table, or the seat has looked at it, or everybody has seen it done in this
        round: who played which card and how, who did what in rituals and with Portals. In which
        order the tricks were played is left out, and so are earlier rounds, of which points remain.
        """
        seats = range(self.num_players)
        return (
            self._facts_of_the_game()
            | {
                "role": self.role(seat),
                "roles seen": {
                    s: self.role(s) for s in seats if self.role_cards[s] in self.seen[seat]
                },
                "cards": self.hands[seat] | self.aside[seat],
                "tiles": self._face_down(seat),
                "looked at": self._looked_at() if self.to_play == seat else None,
                "chosen": self.eclipse.chosen.get(seat) if self.eclipse else None,
                "given": [
                    (card, to)
                    for giver, to, card in self.passes
                    if giver == seat and card in self.hands[to] | self.aside[to]
                ],
                "received": [
                    (card, giver)
                    for giver, to, card in self.passes
                    if to == seat and card in self.hands[to] | self.aside[to]
                ],
            }
            | self._facts_of_the_decision(seat)
        )

    def _facts_of_the_game(self) -> dict[str, Any]:
        """What everybody sees and has seen."""
        seats = range(self.num_players)
        cards = [self.hands[s] | self.aside[s] for s in seats]
        witnesses = [{s for s in seats if card in self.seen[s]} for card in self.role_cards]
        return {
            "players": self.num_players,
            "variant": (self.rounds, self.asked),
            "rituals": dict(self.rituals),
            "track": (self.start, self.moon),
            "round": self.round,
            "points": list(self.points),
            "first player": self.first_player,
            "guide": self.guide,
            "destination": self.destination,
            "played": set(self.played),
            "fronts": dict(self.fronts),
            "on its way": self.in_play,
            "placed": {world: set(values) for world, values in self.placed.items()},
            "hand sizes": [len(some) for some in cards],
            "pawn": self.pawn,
            "eliminated": list(self.eliminated),
            "role cards": list(self.role_cards),
            "witnesses": witnesses,
            "tiles face up": [
                Counter(tile.kind for tile in self.tiles[s] if tile.face_up and tile.kind != "mask")
                for s in seats
            ],
            "tiles face down": [self._face_down(s).total() for s in seats],
            "display": list(self.face_up),
            "pile": len(self.pile),
            "gone": Counter(self.discarded)
            + Counter(t.kind for some in self.removed for t in some if t.face_up)
            + Counter(t.kind for some in self.tiles for t in some if t.kind == "mask"),
            "eclipse on top": self._visible_eclipse(),
            "eclipse to come": any(tile in ECLIPSES for tile in self.pile),
            "eclipse chosen": set(self.eclipse.chosen) if self.eclipse else set(),
            "eclipse cards": dict(self.held_then),
            "rituals waiting": set(self.waiting),
            "ritual": (self.performer, self.doing),
            "done": Counter(self.log),
        }

    def _facts_of_the_decision(self, seat: int) -> dict[str, Any]:
        """What everybody sees of the decision that stands, unless it is a secret to the seat."""
        assert self.decision is not None
        secret = self.is_asked_unseen() and seat != self.to_play
        steps = [entry for entry in self.todo if entry[0] == self._advance.__name__]
        about = self.decision.about
        offered, moon = self.phase in WINDOWS, self.phase == "moon"
        return {
            "phase": None if secret else self.phase,
            "to play": None if secret else self.to_play,
            "steps": sum(count for _, _, count in steps) + moon,
            "mover": about[0 if moon else 1] if offered and not secret else None,
            "being eliminated": self._target(),
        }

    def _target(self) -> int | None:
        waiting = [entry for entry in self.todo if entry[0] == self._eliminate.__name__]
        return waiting[0][2] if waiting else None

    def _face_down(self, seat: int) -> Counter:
        """A seat's tiles that lie face down, those it had when it was eliminated too."""
        tiles = [tile.kind for tile in self.tiles[seat] if not tile.face_up]
        if self._looked_at() and self.to_play == seat:
            tiles.pop()
        return Counter(tiles + [tile.kind for tile in self.removed[seat] if not tile.face_up])

    def _looked_at(self) -> str | None:
        """The tile about to be kept: it is the last of its taker's."""
        return self.tiles[self.to_play][-1].kind if self.phase == "keep" else None

    def _visible_eclipse(self) -> str | None:
        return self.pile[0] if self.pile and self.pile[0] in ECLIPSES else None

    def _tiles_seen(self, seat: int, tiles: list[list[Tile]]) -> tuple:
        return tuple(
            tuple(
                (tile.kind if tile.face_up or owner == seat else None, tile.face_up)
                for tile in owned
            )
            for owner, owned in enumerate(tiles)
        )

    def world(self) -> World:
        """The hidden world as it is."""
        return World(
            roles=tuple(self.role(seat) for seat in range(self.num_players)),
            hands=tuple(frozenset(hand) for hand in self.hands),
            aside=tuple(frozenset(cards) for cards in self.aside),
            tiles=tuple(tuple(tile.kind for tile in owned) for owned in self.tiles),
            removed=tuple(tuple(tile.kind for tile in owned) for owned in self.removed),
            pile=tuple(self.pile),
            chosen=tuple(sorted(self.eclipse.chosen.items())) if self.eclipse else (),
        )

    def imagine(self, world: World) -> ShamansOracle:
        """A copy in which the hidden things are as in `world`."""
        game = self.clone()
        for seat, card in enumerate(game.role_cards):
            game.role_of_card[card] = world.roles[seat]
        game.hands = [set(hand) for hand in world.hands]
        game.aside = [set(cards) for cards in world.aside]
        for mine, theirs in ((game.tiles, world.tiles), (game.removed, world.removed)):
            for owned, kinds in zip(mine, theirs, strict=True):
                for tile, kind in zip(owned, kinds, strict=True):
                    tile.kind = kind
        game.pile = list(world.pile)
        if game.eclipse:
            game.eclipse.chosen = dict(world.chosen)
        return game


def hidden_worlds(game: ShamansOracle, seat: int) -> Iterator[World]:
    """All hidden worlds that agree with what a seat knows, each once; for small positions only.

    All are equally likely, before any thought about why others did what they did. That holds for
    artefacts in the order they were taken; to compare with counts, collapse with
    `Counter(world.unordered() for world in hidden_worlds(game, seat))`, whose counts are weights.

    What agrees: the roles seen and the numbers of each role; cards in sight, hand sizes, and cards
    the seat gave away in the Eclipse that nobody has seen since; artefacts in sight and the numbers
    of each kind; no Mask lies face down in front of a player; the Eclipse, when it can't be seen on
    top of the pile, lies deeper, either face up. Where only holders are asked, the decision that
    stands is taken as known: a seat asked for a Portal or for a hidden dagger has one. Passes in
    the past tell nothing.
    """
    roles = list(_role_worlds(game, seat))
    cards = list(_card_worlds(game, seat))
    for tiles, removed, pile in _tile_worlds(game, seat):
        for role, (hands, aside, chosen) in product(roles, cards):
            yield World(role, hands, aside, tiles, removed, pile, chosen)


def _arrangements(things: Counter, places: Sequence[Callable]) -> Iterator[tuple]:
    """Every different way to put all things into the places, each of which may refuse some."""
    if not places:
        yield ()
        return
    accepts, *rest = places
    for thing in sorted(things):
        if things[thing] and accepts(thing):
            for others in _arrangements(things - Counter([thing]), rest):
                yield (thing, *others)


def _role_worlds(game: ShamansOracle, seat: int) -> Iterator[tuple[str, ...]]:
    known = game.knowledge(seat).roles
    rest = Counter(role_deck(game.num_players)) - Counter(known.values())
    unknown = [other for other in range(game.num_players) if other not in known]
    for roles in _arrangements(rest, [lambda role: True] * len(unknown)):
        world = known | dict(zip(unknown, roles, strict=True))
        yield tuple(world[other] for other in range(game.num_players))


def _card_worlds(game: ShamansOracle, seat: int) -> Iterator[tuple]:
    """Hands, cards set aside and choices in the Eclipse."""
    know = game.knowledge(seat)
    in_sight = {Card(world, value) for world, values in know.placed.items() for value in values}
    in_sight |= set(know.fronts.values()) | know.hand | know.aside | set(know.passed_to)
    in_sight |= {game.in_play} if game.in_play else set()
    rest = set(deck(game.num_players)) - in_sight
    # A player's hidden cards are in hand, or all set aside: nobody has both.
    others = [other for other in range(game.num_players) if other != seat]
    given = {o: {card for card, to in know.passed_to.items() if to == o} for o in others}
    sizes = {o: know.hand_sizes[o] + know.aside_sizes[o] - len(given[o]) for o in others}
    assert sum(sizes.values()) == len(rest), "every hidden card must have a place"
    for parts in _partitions(frozenset(rest), [sizes[other] for other in others]):
        hidden = {o: part | given[o] for o, part in zip(others, parts, strict=True)}
        hidden[seat] = know.hand or know.aside
        yield from _with_choices(game, seat, hidden)


def _partitions(cards: frozenset[Card], sizes: Sequence[int]) -> Iterator[tuple]:
    if not sizes:
        yield ()
        return
    for part in combinations(sorted(cards), sizes[0]):
        for rest in _partitions(cards - set(part), sizes[1:]):
            yield (frozenset(part), *rest)


def _with_choices(game: ShamansOracle, seat: int, hidden: dict) -> Iterator[tuple]:
    seats = range(game.num_players)
    nothing: frozenset[Card] = frozenset()
    hands = tuple(nothing if game.eliminated[s] else frozenset(hidden[s]) for s in seats)
    aside = tuple(frozenset(hidden[s]) if game.eliminated[s] else nothing for s in seats)
    chosen = game.eclipse.chosen if game.eclipse else {}
    choices = [
        [(other, card)] if other == seat else [(other, c) for c in sorted(hands[other])]
        for other, card in sorted(chosen.items())
    ]
    for choice in product(*choices):
        yield hands, aside, tuple(choice)


def _tile_worlds(game: ShamansOracle, seat: int) -> Iterator[tuple]:
    """Artefacts of each seat, artefacts removed with eliminated players, pile."""
    seats = range(game.num_players)
    owned = [(tile, o) for group in (game.tiles, game.removed) for o in seats for tile in group[o]]
    is_hidden = [o != seat and not tile.face_up for tile, o in owned]
    in_sight = Counter(tile.kind for (tile, _), h in zip(owned, is_hidden, strict=True) if not h)
    in_sight += Counter(kind for kind in (*game.face_up, *game.discarded) if kind is not None)
    top = game._visible_eclipse()
    unseen = game.pile[1:] if top else game.pile
    faces = ECLIPSES if any(kind in ECLIPSES for kind in unseen) else (None,)
    places: list[Callable] = [lambda kind: kind not in (*ECLIPSES, "mask")] * sum(is_hidden)
    for depth in range(len(unseen)):
        on_top = depth == 0 and not top
        places.append(lambda kind, on_top=on_top: not (on_top and kind in ECLIPSES))
    for face in faces:
        rest = Counter(ARTEFACTS) - in_sight + Counter([face] if face else [])
        assert rest.total() == len(places), "every hidden tile must have a place"
        for kinds in _arrangements(rest, places):
            found = iter(kinds)
            full = [
                next(found) if h else tile.kind
                for (tile, _), h in zip(owned, is_hidden, strict=True)
            ]
            pile = ((top,) if top else ()) + tuple(found)
            tiles, removed = _by_owner(game, full)
            if _decision_possible(game, tiles):
                yield tiles, removed, pile


def _by_owner(game: ShamansOracle, kinds: list[str]) -> tuple[tuple, tuple]:
    found = iter(kinds)
    tiles, removed = (
        tuple(tuple(next(found) for _ in owned) for owned in group)
        for group in (game.tiles, game.removed)
    )
    return tiles, removed


def _decision_possible(game: ShamansOracle, tiles: tuple[tuple[str, ...], ...]) -> bool:
    """Whether the seat that decides has the artefact without which it would not be asked."""
    if game.decision is None or game.phase not in NEEDED or game.asked == "everyone":
        return True
    return NEEDED[game.phase] in tiles[game.decision.seat]
