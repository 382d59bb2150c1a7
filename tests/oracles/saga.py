"""Saga in plain Python, written from the rulebook and the rulings alone, to check the fast rules.

Section names in quotes are those of the French rulebook ("2b. Conquérir un royaume", ...). Where it
is silent or can be read in two ways, the comment says "Ruling" and the number in the game's
rulings, or "Reading" where those don't say either.

A card has a colour, a value and a back, such as Card("green", 4). "Triez les cartes chevalier en 5
paquets de 12 cartes en fonction de leurs dos": packs differ by their backs, and all see those of
the cards that a player holds. The free knights are those of the centre's pack; so a player's cards
have the back of his pack or, once recruited, that of the centre's. Cards equal in all are the same.
An attack force is named by its place 0, 1, ... in its player's list, the oldest first; when a force
goes, those after it move up. A kingdom is named by its English name, a power as in the box
(`components.json`).

A turn is a chain of small decisions; income comes by itself. `legal_actions` gives the set of those
that `to_play` may take now, `apply` carries one out:

    ("recruit", card)            pay the card's value, take it from the free knights; once a turn,
                                 before or after the compulsory card
    ("take back", place, card)   Fieldland, crown: take an own card back into the hand, from an
                                 attack force (place: its number) or a defence (place: its
                                 kingdom); once a turn, before or after the compulsory card
    ("turn up", force, card)     turn up an own card laid face down in an earlier turn, before or
                                 after the compulsory card

    ("play", card, force)        the compulsory card, on an own attack force ...
    ("play", card, "new")        ... or as the first of a new one
    ("add", card)                the compulsory card, to Shadowland's own defence (crown)
    ("face down", card, force)   the compulsory card, face down on an attack force (Sealand,
                                 reverse)

    ("end",)                     end the turn, once the card is played

    ("free recruit", card)       Castleland, reverse: take a free knight for nothing ...
    ("no free recruit",)         ... or don't; the conqueror decides at once, even in another's turn

    ("end card", card, place)    Shadowland, reverse: at the end of the game, a card from the hand
                                 to an own attack force or defence (place as for "take back") ...
    ("no end card",)             ... or don't

Nobody is asked where there is nothing to choose from: no free knight for Castleland, no card that
fits for Shadowland, nothing but to end the turn. Sealand's force at the end is the strongest one
(nobody would choose another).
"""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple


class Card(NamedTuple):
    """A knight; `recruited`: its back is that of the centre's pack, not of its player's."""

    colour: str
    value: int
    recruited: bool = False


Action = tuple
Place = int | str

# "Mise en place": the six kingdoms and their colours.
COLOUR_OF = {
    "Castleland": "red",
    "Forestland": "green",
    "Sealand": "blue",
    "Goldland": "orange",
    "Shadowland": "violet",
    "Fieldland": "yellow",
}
KINGDOMS = tuple(COLOUR_OF)
COLOURS = tuple(COLOUR_OF.values())
KINGDOM_OF = {colour: name for name, colour in COLOUR_OF.items()}
SIDES = ("crown", "reverse")

# "1. Piocher des points de renommée": 1 each, "seul Goldland (orange) en rapporte plus".
INCOME = {name: 1 for name in KINGDOMS} | {"Goldland": 2}

# "Caractéristiques des royaumes", by the side on which they stand.
POWERS = {
    ("Castleland", "crown"): {"defence_plus_1"},
    ("Castleland", "reverse"): {"free_recruit_on_conquest"},
    ("Forestland", "crown"): {"hand_cards_cost_0"},
    ("Forestland", "reverse"): {"take_2_from_each_opponent"},
    ("Sealand", "crown"): {"score_one_own_attack_force"},
    ("Sealand", "reverse"): {"one_face_down_card_once"},
    ("Goldland", "crown"): {"defence_scores_0"},
    ("Goldland", "reverse"): {"defence_minus_1"},
    ("Shadowland", "crown"): {"add_1_card_to_its_defence_once"},
    ("Shadowland", "reverse"): {"add_1_card_to_any_own_force"},
    ("Fieldland", "crown"): {"take_back_1_card_each_turn", "plus_5"},
    ("Fieldland", "reverse"): {"defence_scores_15"},
}
TRIBUTE_OF_EACH = 2
FIXED_DEFENCE = 15
BONUS = 5

WAITING = ("at once", "card")
PACKS_KNOWN = ("from setup", "once shown")


def pack(**values: tuple[int, ...]) -> list[tuple[str, int]]:
    """The cards of a pack, from the values in each colour."""
    return [(colour, value) for colour in COLOURS for value in values[colour]]


# "Triez les cartes chevalier en 5 paquets de 12 cartes": reconstructed, no card list was found.
PACKS = {
    "castle": pack(
        red=(3,), green=(4, 2), blue=(1,), orange=(4, 4, 1), violet=(3, 1), yellow=(3, 2, 2)
    ),
    "pack_2": pack(
        red=(1,), green=(4, 4, 1), blue=(3, 1), orange=(3, 2, 2), violet=(3,), yellow=(4, 2)
    ),
    "pack_3": pack(
        red=(4, 4, 1), green=(3, 1), blue=(3, 2, 2), orange=(3,), violet=(4, 2), yellow=(1,)
    ),
    "pack_4": pack(
        red=(3, 1), green=(3, 2, 2), blue=(3,), orange=(4, 2), violet=(1,), yellow=(4, 4, 1)
    ),
    "pack_5": pack(
        red=(3, 2, 2), green=(3,), blue=(4, 2), orange=(1,), violet=(4, 4, 1), yellow=(3, 1)
    ),
}

# "Astuce: Pour votre première partie": the castle pack, laid out as in the picture (reconstructed).
FIRST_GAME = {
    "Castleland": [("red", 3), ("yellow", 2)],
    "Forestland": [("green", 4), ("yellow", 2)],
    "Sealand": [("blue", 1), ("orange", 4)],
    "Goldland": [("orange", 4), ("violet", 1)],
    "Shadowland": [("violet", 3), ("green", 2)],
    "Fieldland": [("yellow", 3), ("orange", 1)],
}

Defences = dict[str, list[Card]]


# ---- setup ------------------------------------------------------------------------------------


def as_cards(cards: Iterable) -> list[Card]:
    """Cards, whether they come as such, as pairs or as the data's lists of two."""
    found = [Card(colour, int(value), *back) for colour, value, *back in cards]
    for colour, value, _ in found:
        if colour not in COLOURS or value not in (1, 2, 3, 4):
            raise ValueError(f"a card is a colour {COLOURS} and a value 1..4: {(colour, value)}")
    return found


def check_defences(defences: Defences) -> None:
    """The four rules of "Mise en place" for the defences in the centre."""
    if set(defences) != set(KINGDOMS):
        raise ValueError(f"defences for exactly {KINGDOMS}, got {tuple(defences)}")
    for name, cards in defences.items():
        if len(cards) != 2:
            raise ValueError(f"two knights defend {name}, got {cards}")
        if cards[0][0] != COLOUR_OF[name] or cards[1][0] == cards[0][0]:
            raise ValueError(f"{name}: first a knight of its colour, then one of another: {cards}")


def deal_defences(cards: Iterable, rng: random.Random, how: str = "shuffled") -> Defences:
    """Lay out the centre's pack ("Mise en place").

    The first card turned of each colour leads its kingdom. The other six are mixed and go one to
    each kingdom, none to that of its colour; when that fails, everything is dealt again (the
    rulings' data).

    Args:
        cards: the 12 cards of a pack.
        rng: where chance comes from.
        how: "shuffled": the six spare cards are dealt in a row, and dealt again if one falls on its
            colour: all valid layouts are equally likely. "one by one": each spare card goes to one
            of the kingdoms where it may, and only a card that may go nowhere spoils the deal.
    """
    if how not in ("shuffled", "one by one"):
        raise ValueError(f'how is "shuffled" or "one by one", got {how!r}')
    cards = as_cards(cards)
    while True:
        rng.shuffle(cards)
        leads: dict[str, Card] = {}
        spares = []
        for card in cards:
            if card[0] in leads:
                spares.append(card)
            else:
                leads[card[0]] = card
        # Mixed again: the second card of a colour with three tends to come before its third.
        rng.shuffle(spares)
        if how == "shuffled":
            seconds = dict(zip(COLOURS, spares, strict=True))
        else:
            seconds = one_by_one(spares, rng)
        if seconds and all(colour != card[0] for colour, card in seconds.items()):
            return {name: [leads[c], seconds[c]] for name, c in COLOUR_OF.items()}


def one_by_one(spares: list[Card], rng: random.Random) -> dict[str, Card] | None:
    """Each spare card to a kingdom (its colour) that is open to it; None when stuck."""
    seconds: dict[str, Card] = {}
    for card in spares:
        open_to_it = [c for c in COLOURS if c not in seconds and c != card[0]]
        if not open_to_it:
            return None
        seconds[rng.choice(open_to_it)] = card
    return seconds


def every_deal(cards: Iterable) -> Iterator[Defences]:
    """Every valid layout of a pack, equal cards told apart: "shuffled" deals each as often."""
    cards = as_cards(cards)
    by_colour = [[i for i, card in enumerate(cards) if card[0] == c] for c in COLOURS]
    for leads in itertools.product(*by_colour):
        spares = [cards[i] for i in range(len(cards)) if i not in leads]
        for seconds in itertools.permutations(spares):
            if all(c != card[0] for c, card in zip(COLOURS, seconds, strict=True)):
                pairs = zip(KINGDOMS, leads, seconds, strict=True)
                yield {name: [cards[lead], second] for name, lead, second in pairs}


def random_packs(num_players: int, rng: random.Random, packs: list | None = None) -> list:
    """The pack of each seat, then that of the centre; the rest stays in the box."""
    return rng.sample(packs or list(PACKS.values()), num_players + 1)


def first_game_packs(num_players: int, rng: random.Random) -> list:
    """The pack of each seat in the first game: the castle pack is in the centre ("Astuce")."""
    others = [cards for name, cards in PACKS.items() if name != "castle"]
    return rng.sample(others, num_players)


# ---- what lies on the table -------------------------------------------------------------------


@dataclass
class Force:
    """An attack force; the first card leads it and names the kingdom it attacks.

    Every colour is in it once at most, so that a colour tells which card is meant.

    Attributes:
        cards: in the order in which they came.
        face_down: colours of the cards that lie face down, each with the cards that it can be for
            all that the other players know, and how many of each.
        fresh: those of them that were laid in this very turn.
    """

    cards: list[Card]
    face_down: dict[str, Counter[Card]] = field(default_factory=dict)
    fresh: set[str] = field(default_factory=set)

    def seen(self) -> list[Card]:
        """The cards that lie face up."""
        return [card for card in self.cards if card.colour not in self.face_down]

    def strength(self) -> int:
        """The cards face down are worth 0 ("Placer 1 carte face cachée")."""
        return sum(card.value for card in self.seen())

    def target(self) -> str | None:
        """The kingdom of the lead's colour ("2a."); None if all cards lie face down.

        Ruling 14 lets the next card lead. Reading: a card of which nobody sees the colour names no
        kingdom, so that the first one that lies face up leads.
        """
        seen = self.seen()
        return KINGDOM_OF[seen[0][0]] if seen else None


@dataclass
class Kingdom:
    """A kingdom card with its defence; `used`: turned by 180 degrees, its power is spent."""

    name: str
    side: str
    defence: list[Card]
    powers: set[str]
    income: int
    owner: int | None = None
    used: bool = False

    def strength(self) -> int:
        """Its defence, in the centre as well ("Défense +1", "Défense -1"; ruling 17).

        Ruling 14: without any card it is what the modifier says, even -1.
        """
        modifier = ("defence_plus_1" in self.powers) - ("defence_minus_1" in self.powers)
        return sum(card.value for card in self.defence) + modifier

    def points(self) -> int:
        """What it brings its owner in the end ("Fin du jeu"; "actives en fin de partie")."""
        if "defence_scores_0" in self.powers:
            return 0
        if "defence_scores_15" in self.powers:
            return FIXED_DEFENCE
        return self.strength()


@dataclass
class Player:
    """A prince: the hand, the attack forces, the fame tokens (worth together)."""

    hand: list[Card]
    forces: list[Force] = field(default_factory=list)
    tokens: int = 0

    def unseen(self) -> Counter[Card]:
        """The cards in the hand and face down; the others know what they are together."""
        down = [c for f in self.forces for c in f.cards if c.colour in f.face_down]
        return Counter(self.hand + down)

    def shows(self, card: Card) -> None:
        """A card of this player is seen: a face-down one can't be it.

        Equal cards can't be told apart; of those that one could be, no more can be it than are
        unseen still.
        """
        left = self.unseen()[card]
        for force in self.forces:
            for can_be in force.face_down.values():
                can_be[card] = min(can_be[card], left)

    def put_face_down(self, card: Card, force: Force) -> None:
        """From the hand, where it still is, onto a force; for the others it is any that fits.

        They see its back ("face cachée").
        """
        can_be = Counter(
            {
                each: count
                for each, count in self.unseen().items()
                if takes(force.seen(), each.colour) and each.recruited == card.recruited
            }
        )
        force.cards.append(card)
        force.face_down[card.colour] = can_be

    def put_face_up(self, card: Card, force: Force) -> None:
        """Onto a force; a face-down card there can't have its colour (none is there twice)."""
        force.cards.append(card)
        self.reveal(card, force)

    def reveal(self, card: Card, force: Force) -> None:
        """A card of the force lies face up now, and says what those face down are not."""
        for can_be in force.face_down.values():
            for each in can_be:
                can_be[each] *= each.colour != card.colour
        self.shows(card)

    def ways(self) -> list[tuple[Card, ...]]:
        """All ways in which the face-down cards can be what they can be, the oldest force's first.

        A way that is there twice is so because either of two equal cards can be in a place. Those
        that an older card can be are among those that a younger one can be, if that fits at all.
        """
        places = [
            [(each, number) for each, count in can_be.items() for number in range(count)]
            for force in self.forces
            for can_be in force.face_down.values()
        ]
        return [
            tuple(each for each, _ in way)
            for way in itertools.product(*places)
            if len(set(way)) == len(way) and self._colours_differ([each for each, _ in way])
        ]

    def _colours_differ(self, way: list[Card]) -> bool:
        rest = iter(way)
        rows = [list(itertools.islice(rest, len(force.face_down))) for force in self.forces]
        return all(len({card.colour for card in row}) == len(row) for row in rows)


def takes(cards: Iterable[Card], colour: str) -> bool:
    """Whether a force may get this colour: each at most once ("Très important")."""
    return all(colour != card.colour for card in cards)


# ---- the game ---------------------------------------------------------------------------------


class SagaOracle:
    """One game in progress.

    Args:
        packs: the cards of each seat, pairs or lists (colour, value); as many as players, 2 to 4.
        defences: the two cards of each kingdom in the centre, the one of its colour first.
        sides: "crown" or "reverse" for all kingdoms, or for each by name.
        first_player: the seat that begins ("Le joueur le plus jeune").
        kingdoms: what differs from the box, by kingdom: "income", and for "crown" and "reverse" the
            powers "in_play" and at the "end".
        max_plies: after so many actions the game is cut off and scored as at the end (ruling 28).
        packs_known: "from setup": by their backs, which all see in every hand. "once shown": nobody
            sees the backs of a hand; a player's pack is known from his first card on, and no back
            tells anything else.
        waiting: what an attack force waiting in its own kingdom's colour does once another takes
            that kingdom with less. "at once": it retakes it, as "Dès qu'un joueur possède une force
            d'attaque dont la puissance totale est supérieure ... le joueur conquiert le royaume".
            "card": nothing until a card is played on it, or turned up in it (ruling 11, literally).

    Attributes:
        turn: whose turn it is; to_play: who decides now (not the same for Castleland's free recruit
            in another's turn, and at the end of the game).
        phase: "turn", "free recruit", "end card" or "over".
        free: the free knights.
        backs: those of knights recruited are told from those of the players' packs.
        shown: the players whose packs all know.
    """

    def __init__(
        self,
        packs: Iterable[Iterable],
        defences: dict[str, Iterable],
        sides: str | dict[str, str] = "crown",
        first_player: int = 0,
        kingdoms: dict[str, dict] | None = None,
        max_plies: int | None = None,
        waiting: str = "at once",
        packs_known: str = "from setup",
    ) -> None:
        self.players = [Player(as_cards(cards)) for cards in packs]
        self.packs = [sorted(player.hand) for player in self.players]
        self.num_players = len(self.players)
        if self.num_players not in (2, 3, 4):
            raise ValueError(f"a pack for each of 2 to 4 players, got {self.num_players} packs")
        if not all(player.hand for player in self.players):
            raise ValueError("every player needs at least one card")
        if first_player not in range(self.num_players):
            raise ValueError(f"first_player is a seat 0..{self.num_players - 1}: {first_player}")
        if waiting not in WAITING:
            raise ValueError(f"waiting is one of {WAITING}, got {waiting!r}")
        if packs_known not in PACKS_KNOWN:
            raise ValueError(f"packs_known is one of {PACKS_KNOWN}, got {packs_known!r}")
        if max_plies is not None and max_plies < 1:
            raise ValueError(f"max_plies is at least 1, got {max_plies}")
        sides = dict.fromkeys(KINGDOMS, sides) if isinstance(sides, str) else dict(sides)
        if set(sides) != set(KINGDOMS) or not set(sides.values()) <= set(SIDES):
            raise ValueError(f"sides: one of {SIDES} for each of {KINGDOMS}, got {sides}")
        laid = {name: as_cards(cards) for name, cards in defences.items()}
        check_defences(laid)
        self.kingdoms = {}
        for name in KINGDOMS:
            changes = (kingdoms or {}).get(name, {})
            changed = changes.get(sides[name])
            powers = POWERS[name, sides[name]] if changed is None else set(changed.values())
            income = changes.get("income", INCOME[name])
            self.kingdoms[name] = Kingdom(name, sides[name], laid[name], powers, income)
        self.waiting = waiting
        # Who has which back is of use only where a card may lie face down; else nobody minds.
        down = any("one_face_down_card_once" in each.powers for each in self.kingdoms.values())
        self.backs = down and packs_known == "from setup"
        self.shown = set(range(self.num_players)) if packs_known == "from setup" else set()
        self.first_player = first_player
        self.max_plies = max_plies
        self.free: list[Card] = []
        self.ply = 0
        self.truncated = False
        self.ending = False
        self.end_card_settled = False
        self.free_recruiters: list[int] = []
        self.start_turn(first_player)

    def copy(self) -> SagaOracle:
        """An independent copy of the game."""
        return copy.deepcopy(self)

    @property
    def me(self) -> Player:
        """The player who decides now."""
        return self.players[self.to_play]

    def owner_of(self, power: str) -> int | None:
        """Who owns the kingdom of a power, if that side is up and anybody does."""
        owners = [each.owner for each in self.kingdoms.values() if power in each.powers]
        return owners[0] if owners else None

    def may_use(self, power: str) -> bool:
        """Whether the player whose turn it is has a power that works during the game."""
        return self.phase == "turn" and self.owner_of(power) == self.to_play

    def owned_by(self, seat: int) -> list[Kingdom]:
        """The kingdoms before a player."""
        return [kingdom for kingdom in self.kingdoms.values() if kingdom.owner == seat]

    # ---- 1. Piocher des points de renommée ----------------------------------------------------

    def start_turn(self, seat: int) -> None:
        """The income of the kingdoms owned now; ruling 1: nobody forgets it."""
        self.turn = self.to_play = seat
        self.phase = "turn"
        self.card_played = False
        self.recruited = False
        self.taken_back = False
        self.players[seat].tokens += sum(kingdom.income for kingdom in self.owned_by(seat))

    # ---- 3. Recruter un chevalier disponible --------------------------------------------------

    def may_recruit(self) -> list[Card]:
        """Free knights that can be paid; one a turn, before or after the card (rulings 1, 8)."""
        if self.phase != "turn" or self.recruited:
            return []
        return [card for card in self.free if card.value <= self.me.tokens]

    def recruit(self, card: Card) -> None:
        """Pay its value, take it into the hand."""
        self.take_free(card)
        self.me.tokens -= card.value
        self.recruited = True

    def take_free(self, card: Card) -> None:
        """A free knight to the hand; it keeps its back, which is not that of the player's pack."""
        self.free.remove(card)
        self.me.hand.append(card._replace(recruited=self.backs))

    # ---- Récupérer 1 carte (Fieldland) --------------------------------------------------------

    def may_take_back(self) -> list[tuple[Place, Card]]:
        """Any own card, once a turn, at any time after the income (ruling 13)."""
        if self.taken_back or not self.may_use("take_back_1_card_each_turn"):
            return []
        return [(place, card) for place, cards in self.own_forces() for card in cards]

    def own_forces(self) -> list[tuple[Place, list[Card]]]:
        """The attack forces and defences of the player who decides, with their places."""
        found: list[tuple[Place, list[Card]]] = [
            (number, force.cards) for number, force in enumerate(self.me.forces)
        ]
        return found + [(kingdom.name, kingdom.defence) for kingdom in self.owned_by(self.to_play)]

    def take_back(self, place: Place, card: Card) -> None:
        """Back into the hand; others may now be stronger than the defence it leaves.

        Ruling 14: the next card becomes the lead, and a force without cards is gone. Reading: a
        force that gets another target this way conquers at once if it is stronger; one that keeps
        its target has become weaker, which makes no conquest (ruling 11).
        """
        self.taken_back = True
        self.me.hand.append(card)
        if isinstance(place, str):
            self.kingdoms[place].defence.remove(card)
            self.settle(self.attackers_of(place))
            return
        force = self.me.forces[place]
        before = force.target()
        force.cards.remove(card)
        force.face_down.pop(card.colour, None)
        force.fresh.discard(card.colour)
        if force.cards:
            if force.target() != before:
                self.settle([(self.to_play, force)])
        else:
            del self.me.forces[place]

    # ---- 2a. Jouer une carte chevalier --------------------------------------------------------

    def may_play(self) -> list[tuple[Card, Place]]:
        """Any card as a new force, or on a force without its colour; never on a defence."""
        if self.phase != "turn" or self.card_played:
            return []
        found: list[tuple[Card, Place]] = [(card, "new") for card in self.me.hand]
        return found + [
            (card, number)
            for card in self.me.hand
            for number, force in enumerate(self.me.forces)
            if takes(force.cards, card.colour)
        ]

    def play(self, card: Card, place: Place) -> None:
        """Ruling 3: any number of forces may have leads of one colour."""
        self.leave_hand(card)
        if place == "new":
            self.me.forces.append(Force([]))
        force = self.me.forces[-1 if place == "new" else place]
        self.me.put_face_up(card, force)
        self.settle([(self.to_play, force)])

    def leave_hand(self, card: Card) -> None:
        """Play the compulsory card; the last one brings the end ("Fin du jeu").

        Rulings 19 and 21: however it is played, and whatever comes to the hand thereafter.
        """
        self.me.hand.remove(card)
        self.shown.add(self.to_play)
        self.card_played = True
        self.ending = not self.me.hand

    def may_add(self) -> list[Card]:
        """Once for each owner of Shadowland, as the compulsory card ("Ajouter 1 carte")."""
        if self.card_played or not self.may_use("add_1_card_to_its_defence_once"):
            return []
        kingdom = self.kingdoms["Shadowland"]
        if kingdom.used:
            return []
        return [card for card in self.me.hand if takes(kingdom.defence, card.colour)]

    def add(self, card: Card) -> None:
        """The kingdom's card is turned by 180 degrees."""
        self.leave_hand(card)
        self.kingdoms["Shadowland"].defence.append(card)
        self.kingdoms["Shadowland"].used = True
        self.me.shows(card)

    # ---- Placer 1 carte face cachée (Sealand) -------------------------------------------------

    def may_lay_face_down(self) -> list[tuple[Card, int]]:
        """Once for each owner of Sealand, as the compulsory card, to an attack force there is."""
        if self.card_played or not self.may_use("one_face_down_card_once"):
            return []
        if self.kingdoms["Sealand"].used:
            return []
        return [
            (card, number)
            for card in self.me.hand
            for number, force in enumerate(self.me.forces)
            if takes(force.cards, card.colour)
        ]

    def lay_face_down(self, card: Card, number: int) -> None:
        """Worth 0 until it is turned up, so it conquers nothing now."""
        force = self.me.forces[number]
        self.me.put_face_down(card, force)
        self.leave_hand(card)
        force.fresh.add(card.colour)
        self.kingdoms["Sealand"].used = True

    def may_turn_up(self) -> list[tuple[int, Card]]:
        """In a later turn, when the player likes; ruling 16: even if Sealand is lost.

        Reading of "Le joueur choisit quand il souhaite retourner cette carte lors d'un prochain
        tour": at any moment of an own turn, besides the compulsory card.
        """
        if self.phase != "turn":
            return []
        return [
            (number, card)
            for number, force in enumerate(self.me.forces)
            for card in force.cards
            if card.colour in force.face_down.keys() - force.fresh
        ]

    def turn_up(self, number: int, card: Card) -> None:
        """Its value counts from now on, and may conquer."""
        force = self.me.forces[number]
        del force.face_down[card.colour]
        self.me.reveal(card, force)
        self.settle([(self.to_play, force)])

    # ---- 2b. Conquérir un royaume -------------------------------------------------------------

    def all_forces(self) -> list[tuple[int, Force]]:
        """Every attack force with its player."""
        return [(seat, f) for seat, player in enumerate(self.players) for f in player.forces]

    def attackers_of(self, name: str) -> list[tuple[int, Force]]:
        """The attack forces led by a kingdom's colour."""
        return [(seat, force) for seat, force in self.all_forces() if force.target() == name]

    def conquers(self, seat: int, force: Force) -> bool:
        """Strictly stronger than the defence, and (ruling 10) not of an own kingdom."""
        if force.target() is None:
            return False
        kingdom = self.kingdoms[force.target()]
        return kingdom.owner != seat and force.strength() > kingdom.strength()

    def settle(self, changed: list[tuple[int, Force]]) -> None:
        """Let the strongest force conquer that can, and so on until none can.

        All that can attack the same kingdom. Ruling 12: if equal, the first player clockwise after
        the owner. Readings: of two equal forces of one player, the older one; Castleland's free
        recruit, "immédiatement", comes before a waiting force retakes the kingdom.

        Args:
            changed: the forces that may have become stronger than what they attack; the only ones
                looked at with waiting="card", and then one conquest is all.
        """
        forces = self.all_forces() if self.waiting == "at once" else changed
        able = [(seat, force) for seat, force in forces if self.conquers(seat, force)]
        if not able:
            return
        self.conquer(*min(able, key=lambda each: self.precedence(*each)))
        if self.waiting == "at once" and not (self.free and self.free_recruiters):
            self.settle([])

    def precedence(self, seat: int, force: Force) -> tuple[int, int]:
        owner = self.kingdoms[force.target()].owner
        before = self.turn if owner is None else owner
        return -force.strength(), (seat - before) % self.num_players

    def conquer(self, seat: int, force: Force) -> None:
        """The force becomes the defence, all cards face up; the old defenders leave.

        From the centre they become free knights; a player takes his back into the hand.
        """
        kingdom = self.kingdoms[force.target()]
        forces = self.players[seat].forces
        del forces[next(n for n, other in enumerate(forces) if other is force)]
        for card in force.cards:
            if card.colour in force.face_down:
                self.players[seat].shows(card)
        if kingdom.owner is None:
            self.free += kingdom.defence
        else:
            self.players[kingdom.owner].hand += kingdom.defence
        kingdom.owner = seat
        kingdom.defence = force.cards
        kingdom.used = False
        if "free_recruit_on_conquest" in kingdom.powers:
            self.free_recruiters.append(seat)

    # ---- 1 Recrutement gratuit (Castleland) ---------------------------------------------------

    def may_recruit_freely(self) -> list[Card]:
        """Any free knight, those just freed too, besides the normal recruit (ruling 18)."""
        return list(self.free) if self.phase == "free recruit" else []

    def recruit_freely(self, card: Card | None) -> None:
        """Take it into the hand; None: take none."""
        self.free_recruiters.pop(0)
        if card is not None:
            self.take_free(card)
        if self.waiting == "at once":
            self.settle([])

    # ---- what comes next ----------------------------------------------------------------------

    def end_turn(self) -> None:
        """The next player clockwise ("continue ensuite en sens horaire")."""
        for force in self.players[self.turn].forces:
            force.fresh.clear()
        self.start_turn((self.turn + 1) % self.num_players)

    def go_on(self) -> None:
        """Who decides what now."""
        if not self.free:
            self.free_recruiters.clear()
        if self.free_recruiters:
            self.phase, self.to_play = "free recruit", self.free_recruiters[0]
        elif self.ending:
            self.end_the_game()
        else:
            self.phase, self.to_play = "turn", self.turn
            if self.legal_actions() == {("end",)}:
                self.end_turn()

    def end_the_game(self) -> None:
        """Shadowland's card first, if there is a choice (ruling 23)."""
        owner = self.owner_of("add_1_card_to_any_own_force")
        if owner is not None and not self.end_card_settled:
            self.phase, self.to_play = "end card", owner
            if self.may_add_at_the_end():
                return
        self.phase = "over"

    def may_add_at_the_end(self) -> list[tuple[Card, Place]]:
        """From the hand to any own force that lacks its colour ("Ajouter 1 carte", at the end)."""
        if self.phase != "end card":
            return []
        return [
            (card, place)
            for card in self.me.hand
            for place, cards in self.own_forces()
            if takes(cards, card.colour)
        ]

    def add_at_the_end(self, card: Card, place: Place) -> None:
        """Nothing is conquered any more."""
        self.me.hand.remove(card)
        if isinstance(place, str):
            self.kingdoms[place].defence.append(card)
            self.me.shows(card)
        else:
            self.me.put_face_up(card, self.me.forces[place])
        self.end_card_settled = True

    # ---- actions ------------------------------------------------------------------------------

    def is_over(self) -> bool:
        """Whether the game has ended, or was cut off."""
        return self.truncated or self.phase == "over"

    def legal_actions(self) -> set[Action]:
        """Everything that `to_play` may do now; empty once the game is over."""
        if self.is_over():
            return set()
        if self.phase == "free recruit":
            return {("no free recruit",)} | {("free recruit", c) for c in self.may_recruit_freely()}
        if self.phase == "end card":
            return {("no end card",)} | {("end card", *each) for each in self.may_add_at_the_end()}
        found = {("recruit", card) for card in self.may_recruit()}
        found |= {("take back", *each) for each in self.may_take_back()}
        found |= {("turn up", *each) for each in self.may_turn_up()}
        found |= {("play", *each) for each in self.may_play()}
        found |= {("add", card) for card in self.may_add()}
        found |= {("face down", *each) for each in self.may_lay_face_down()}
        return found | ({("end",)} if self.card_played else set())

    def apply(self, action: Action) -> None:
        """Carry out an action.

        Raises:
            ValueError: it isn't legal; nothing has changed.
        """
        action = tuple(action)
        if action not in self.legal_actions():
            raise ValueError(f"seat {self.to_play} may not {action}: {self.legal_actions()}")
        kind, *details = action
        if kind == "end":
            self.end_turn()
        elif kind == "no end card":
            self.end_card_settled = True
        else:
            {
                "recruit": self.recruit,
                "take back": self.take_back,
                "turn up": self.turn_up,
                "play": self.play,
                "add": self.add,
                "face down": self.lay_face_down,
                "free recruit": self.recruit_freely,
                "no free recruit": lambda: self.recruit_freely(None),
                "end card": self.add_at_the_end,
            }[kind](*details)
        self.go_on()
        self.ply += 1
        self.truncated = self.phase != "over" and self.ply == self.max_plies

    def seen_by(self, seat: int) -> list[list[tuple[Card | None, ...]]]:
        """Every player's attack forces; None is a card that another laid face down (ruling 16)."""
        return [
            [
                tuple(
                    card if owner == seat or card.colour not in force.face_down else None
                    for card in force.cards
                )
                for force in player.forces
            ]
            for owner, player in enumerate(self.players)
        ]

    def knows_pack(self, seat: int, other: int) -> bool:
        """Whether a player knows which pack another has: "en fonction de leurs dos".

        Of four players' packs the last one is known with the others: five are in the box, and that
        of the centre lies open.
        """
        seen = self.shown | {seat}
        return other in seen or (self.num_players == 4 and len(seen) == 3)

    def known(self, seat: int) -> dict[str, object]:
        """All that a player may know, players counted from himself; each kind of fact by its name.

        What lies open is known, and what has been seen is remembered: a free knight that was taken,
        who has which pack, which cards he has played from it. "Les joueurs doivent toujours
        indiquer combien de cartes ils ont en main". Hidden are a card face down, but not its back
        nor where it lies, and so which cards of what its player has are in his hand.
        """
        order = [(seat + ahead) % self.num_players for ahead in range(self.num_players)]
        players = [self.players[each] for each in order]
        table = self.kingdoms.values()
        ahead = {None: None} | {each: place for place, each in enumerate(order)}
        packs = [self.packs[each] if self.knows_pack(seat, each) else None for each in order]
        return {
            "players": self.num_players,
            "sides": [each.side for each in table],
            "powers": [sorted(each.powers - {None}) for each in table],
            "income": [each.income for each in table],
            "owners": [ahead[each.owner] for each in table],
            "defences": [sorted(each.defence) for each in table],
            "used": [each.used and any("once" in power for power in each.powers) for each in table],
            "free": sorted(self.free),
            "forces": [
                [
                    self._seen_force(force, own=player is self.players[seat])
                    for force in player.forces
                ]
                for player in players
            ],
            "can be": [
                [
                    sorted(can_be.elements())
                    for force in player.forces
                    for can_be in force.face_down.values()
                ]
                for player in players
            ],
            "laid now": [[len(force.fresh) for force in player.forces] for player in players],
            "packs": packs,
            "own hand": sorted(players[0].hand),
            "hands and face down": [
                sorted(player.unseen().elements()) if pack else None
                for player, pack in zip(players, packs, strict=True)
            ],
            "cards in hand": [len(player.hand) for player in players],
            "fame": [player.tokens for player in players],
            "first": ahead[self.first_player],
            "turn": (ahead[self.turn], ahead[self.to_play], self.phase),
            "done": (self.card_played, self.recruited, self.taken_back, self.ending),
            "over": self.is_over(),
            "waiting": self.waiting,
            "backs": self.backs,
        }

    @staticmethod
    def _seen_force(force: Force, own: bool) -> list[tuple[Card | None, bool, bool]]:
        """Of each card: what it is, None for the others' face-down ones; its back; face down."""
        down = [card.colour in force.face_down for card in force.cards]
        return [
            (None if hidden and not own else card, card.recruited, hidden)
            for card, hidden in zip(force.cards, down, strict=True)
        ]

    # ---- Fin du jeu ---------------------------------------------------------------------------

    def score_categories(self, seat: int) -> dict[str, int]:
        """A player's points by category, were the game scored now (Shadowland's card aside)."""
        player = self.players[seat]
        chooses = self.owner_of("score_one_own_attack_force") == seat
        hand = sum(card.value for card in player.hand)
        strengths = [force.strength() for force in player.forces]
        return {
            "tokens": player.tokens,
            "kingdoms": sum(kingdom.points() for kingdom in self.owned_by(seat)),
            "hand": 0 if self.owner_of("hand_cards_cost_0") == seat else -hand,
            "attack force": max(strengths, default=0) * chooses,
            "bonus": BONUS * (self.owner_of("plus_5") == seat),
            "tribute": self.tribute(seat),
        }

    def tribute(self, seat: int) -> int:
        """Forestland's 2 from each opponent; ruling 23: up to what he has."""
        owner = self.owner_of("take_2_from_each_opponent")
        if owner is None:
            return 0
        pays = [min(TRIBUTE_OF_EACH, player.tokens) for player in self.players]
        pays[owner] = 0
        return sum(pays) if seat == owner else -pays[seat]

    def scores(self) -> list[int]:
        """Every player's points, were the game scored now."""
        return [sum(self.score_categories(seat).values()) for seat in range(self.num_players)]

    def ranks(self) -> list[int]:
        """Each player's place, 1 the best; equal points share it (ruling 24), as in 1, 1, 3."""
        scores = self.scores()
        return [1 + sum(other > mine for other in scores) for mine in scores]
