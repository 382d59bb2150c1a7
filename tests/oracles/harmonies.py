"""Harmonies in plain Python, written from the rulebook alone, to check the fast rules against.

A colour is a word. A stack is a list of colours from bottom to top, and a player's board is a list
of stacks, an empty list being an empty hex. Hexes are numbered column by column from the left, each
column from the top. Animal cards are numbered 1 to 32, Spirits of Nature 33 to 42. Section names in
quotes are those of the French rulebook ("Mise en place", "Poser 1 cube Animal", ...). Where its
pictures are needed (boards, stackings, cards, points), the facts come from the rulings on the
game's page.

Chance is given from outside: the tokens of the bag and the cards of the deck are lists, what is
drawn first standing first.
"""

from __future__ import annotations

import copy
import json
import random
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

CASES = Path(__file__).parent.parent / "cases" / "harmonies_final_scores.json"

# "Matériel"
TOKENS = {"blue": 23, "gray": 23, "brown": 21, "green": 19, "yellow": 19, "red": 15}
# "Mise en place", "Mode solo"
TOKENS_PER_SPACE = 3
SPACES = 5
SPACES_SOLO = 3
CARDS_SHOWN = 5
CARDS_SHOWN_SOLO = 3
SPIRITS_DEALT = 2
# "Prendre 1 carte Animal"
HAND_LIMIT = 4
# "Fin de partie"
EMPTY_HEXES_THAT_END = 2

# Printed boards: hexes of each column from the left; odd columns lie half a hex lower.
COLUMNS = {"A": (5, 4, 5, 4, 5), "B": (4, 3, 4, 3, 4, 3, 4)}
# The six ways from a hex, clockwise from straight up: columns to the right, half hexes down.
DIRECTIONS = ((0, -2), (1, -1), (1, 1), (0, 2), (-1, 1), (-1, -1))

# Figure of "Règles de placement d'un jeton": nothing else may lie on a hex.
STACKS = (
    ["blue"],
    ["yellow"],
    ["green"],
    ["brown", "green"],
    ["brown", "brown", "green"],
    ["brown"],
    ["brown", "brown"],
    ["gray"],
    ["gray", "gray"],
    ["gray", "gray", "gray"],
    ["red"],
    ["brown", "red"],
    ["gray", "red"],
    ["red", "red"],
)

# "Comptage des points": by the height of the tree or mountain, and by the length of the river.
TREE_POINTS = {1: 1, 2: 3, 3: 7}
MOUNTAIN_POINTS = {1: 1, 2: 3, 3: 7}
FIELD_POINTS = 5
BUILDING_POINTS = 5
BUILDING_COLOURS = 3
RIVER_POINTS = {0: 0, 1: 0, 2: 2, 3: 5, 4: 8, 5: 11, 6: 15}
RIVER_POINTS_BEYOND = 4
ISLAND_POINTS = 5
CATEGORIES = ("trees", "mountains", "fields", "buildings", "water", "animals", "spirits")

# "Mode solo": least score for so many suns; suns of the board's side and of the spirit.
SUNS = {40: 1, 70: 2, 90: 3, 110: 4, 130: 5, 140: 6, 150: 7, 160: 8}
SUNS_OF_SIDE = {"A": 1, "B": 0}
SUNS_WITHOUT_SPIRIT = 2
SUNS_OF_SPIRIT = {"group": 1, "each": 0}
# Ruling 11: suns that count as a win, the rulebook has no such goal.
SUNS_THAT_WIN = 6

# Shapes of the habitats: the ways from the cube's hex to the others. A way is a list of directions,
# numbered as above; turning the habitat adds the same number to all of them.
SHAPES = {
    "pair": ((0,),),
    "line": ((0,), (0, 0)),
    "line through the cube": ((0,), (3,)),
    "triangle": ((0,), (1,)),
    "vee": ((0,), (2,)),
    "fan": ((0,), (1,), (2,)),
    "diamond": ((0,), (1,), (0, 1)),
}

Stack = list[str]
Board = list[Stack]
Decision = tuple


@dataclass(frozen=True)
class AnimalCard:
    """An Animal card ("Description de la carte Animal").

    The first landscape of the habitat carries the cube, the others follow the shape's ways.
    `points` are those uncovered by the first, second, ... cube.
    """

    name: str
    points: tuple[int, ...]
    shape: str
    habitat: tuple[str, ...]


@dataclass(frozen=True)
class SpiritCard:
    """A Spirit of Nature ("Cartes Esprit de la nature"); it has one cube.

    It scores `each` landscape by its height, or each connected `group` by its number of hexes:
    `points` for size 1, 2, ...; greater sizes score like the last.
    """

    name: str
    shape: str
    habitat: tuple[str, ...]
    per: str
    landscape: str
    points: tuple[int, ...]


ANIMALS = {
    1: AnimalCard("Crocodile", (4, 9, 15), "line", ("water", "water", "tree 3")),
    2: AnimalCard("Stingray", (4, 10, 16), "triangle", ("water", "mountain 1", "mountain 1")),
    3: AnimalCard("Fish", (3, 6, 10, 16), "pair", ("water", "mountain 3")),
    4: AnimalCard("Otter", (5, 10, 16), "line", ("water", "tree 1", "tree 1")),
    5: AnimalCard("Frog", (2, 4, 6, 10, 15), "pair", ("water", "tree 1")),
    6: AnimalCard("Duck", (2, 4, 8, 13), "pair", ("water", "building")),
    7: AnimalCard("Flamingo", (4, 10, 16), "triangle", ("water", "field", "field")),
    8: AnimalCard("Lizard", (5, 10, 16), "line", ("building", "field", "field")),
    9: AnimalCard("Shrew", (5, 10, 17), "vee", ("building", "field", "field")),
    10: AnimalCard("Peacock", (5, 10, 17), "vee", ("building", "water", "water")),
    11: AnimalCard("Squirrel", (4, 9, 15), "pair", ("building", "tree 3")),
    12: AnimalCard("Hedgehog", (5, 12), "triangle", ("building", "tree 2", "tree 2")),
    13: AnimalCard("Bee", (8, 18), "fan", ("tree 2", "field", "field", "field")),
    14: AnimalCard("Bear", (5, 11), "triangle", ("tree 1", "mountain 2", "mountain 2")),
    15: AnimalCard("Rabbit", (5, 10, 17), "line", ("tree 1", "tree 1", "building")),
    16: AnimalCard("Parrot", (4, 9, 14), "triangle", ("tree 2", "water", "water")),
    17: AnimalCard("Boar", (4, 8, 13), "pair", ("tree 2", "building")),
    18: AnimalCard("Koala", (3, 6, 10, 15), "pair", ("tree 2", "tree 1")),
    19: AnimalCard("Wolf", (4, 10, 16), "triangle", ("tree 3", "field", "field")),
    20: AnimalCard("Kingfisher", (5, 11, 18), "vee", ("tree 3", "water", "water")),
    21: AnimalCard("Penguin", (4, 10, 16), "vee", ("mountain 1", "water", "water")),
    22: AnimalCard("Bat", (3, 6, 10, 15), "pair", ("mountain 1", "tree 3")),
    23: AnimalCard("Fennec fox", (4, 9, 16), "line", ("mountain 1", "mountain 1", "field")),
    24: AnimalCard("Macaque", (5, 11), "triangle", ("mountain 2", "water", "water")),
    25: AnimalCard("Vulture", (5, 11), "pair", ("mountain 3", "field")),
    26: AnimalCard("Meerkat", (2, 5, 9, 14), "pair", ("mountain 1", "field")),
    27: AnimalCard("Raven", (4, 9), "vee", ("field", "building", "building")),
    28: AnimalCard("Alpaca", (5, 12), "line", ("field", "field", "mountain 2")),
    29: AnimalCard("Arctic fox", (5, 10, 17), "vee", ("field", "tree 2", "tree 2")),
    30: AnimalCard("Raccoon", (6, 12), "fan", ("field", "water", "water", "water")),
    31: AnimalCard("Ladybug", (2, 5, 8, 12, 17), "pair", ("field", "tree 1")),
    32: AnimalCard("Panther", (5, 11), "line", ("field", "tree 2", "tree 2")),
}

THROUGH = "line through the cube"
SPIRITS = {
    33: SpiritCard("Lion", THROUGH, ("field", "tree 2", "field"), "group", "field", (2, 2, 10)),
    34: SpiritCard(
        "Butterfly", "diamond", ("field", "water", "water", "field"), "group", "field", (5,)
    ),
    35: SpiritCard("Deer", THROUGH, ("tree 2", "tree 3", "tree 1"), "each", "tree", (0, 4, 4)),
    36: SpiritCard("Owl", "triangle", ("tree 3", "tree 1", "tree 1"), "each", "tree", (3, 3, 1)),
    37: SpiritCard("Cat", "line", ("building", "tree 1", "building"), "group", "building", (4,)),
    38: SpiritCard("Crane", "line", ("building", "building", "field"), "group", "building", (0, 6)),
    39: SpiritCard("Ram", "pair", ("mountain 3", "mountain 2"), "each", "mountain", (0, 4, 4)),
    40: SpiritCard(
        "Marmot", "vee", ("mountain 2", "mountain 1", "mountain 1"), "each", "mountain", (3, 3, 1)
    ),
    41: SpiritCard("Dragonfly", THROUGH, ("water", "tree 2", "tree 2"), "group", "water", (0, 7)),
    42: SpiritCard("Tortoise", THROUGH, ("water", "mountain 2", "water"), "each", "water", (2,)),
}


# ---- the boards -------------------------------------------------------------------------------


def places(side: str) -> list[tuple[int, int]]:
    """Where each hex of a side lies: its column, and its height in half hexes from the top."""
    return [
        (column, 2 * row + column % 2)
        for column, rows in enumerate(COLUMNS[side])
        for row in range(rows)
    ]


PLACES = {side: places(side) for side in COLUMNS}


@cache
def walk(side: str, hexagon: int, way: tuple[int, ...]) -> int | None:
    """The hex at the end of a way, or None if that is off the board."""
    column, height = PLACES[side][hexagon]
    for direction in way:
        right, down = DIRECTIONS[direction]
        column, height = column + right, height + down
    end = (column, height)
    return PLACES[side].index(end) if end in PLACES[side] else None


def neighbours(side: str, hexagon: int) -> list[int]:
    """The hexes that share an edge with this one."""
    ends = [walk(side, hexagon, (direction,)) for direction in range(6)]
    return [end for end in ends if end is not None]


NEIGHBOURS = {
    side: [neighbours(side, hexagon) for hexagon in range(sum(COLUMNS[side]))] for side in COLUMNS
}


def groups(side: str, hexes: list[int]) -> list[list[int]]:
    """These hexes in connected groups."""
    rest = set(hexes)
    found = []
    while rest:
        group = [rest.pop()]
        for hexagon in group:  # grows while we go through it
            for beside in NEIGHBOURS[side][hexagon]:
                if beside in rest:
                    rest.remove(beside)
                    group.append(beside)
        found.append(sorted(group))
    return sorted(found)


# ---- stacks and landscapes --------------------------------------------------------------------


def landscape(stack: Stack) -> str | None:
    """What a stack is ("Comptage des points"): tree, mountain, field, building, water.

    None for an empty hex, for trunks without a crown and for a red token by itself.
    """
    if not stack:
        return None
    if stack[-1] == "green":
        return "tree"
    if stack[-1] == "gray":
        return "mountain"
    if stack[-1] == "yellow":
        return "field"
    if stack[-1] == "blue":
        return "water"
    if stack[-1] == "red" and len(stack) == 2:
        return "building"
    return None


def as_on_a_card(stack: Stack) -> str | None:
    """The stack in the words of the habitats ("Conditions de pose").

    The size of trees and mountains matters; buildings may be of any kind.
    """
    kind = landscape(stack)
    return f"{kind} {len(stack)}" if kind in ("tree", "mountain") else kind


def hexes_with(board: Board, kind: str) -> list[int]:
    """The hexes with a landscape of this kind."""
    return [hexagon for hexagon, stack in enumerate(board) if stack and landscape(stack) == kind]


def can_be_put_on(colour: str, stack: Stack) -> bool:
    """Whether a token may be put on this stack ("Règles de placement d'un jeton")."""
    return [*stack, colour] in STACKS


def habitat_around(side: str, board: Board, card: AnimalCard | SpiritCard, hexagon: int) -> bool:
    """Whether the card's habitat lies around this hex, turned in any way ("Orientations")."""
    if as_on_a_card(board[hexagon]) != card.habitat[0]:
        return False
    return any(
        habitat_around_turned(side, board, card, hexagon, turn) for turn in range(len(DIRECTIONS))
    )


def habitat_around_turned(
    side: str, board: Board, card: AnimalCard | SpiritCard, hexagon: int, turn: int
) -> bool:
    """Whether it lies there turned by so many sixths of a circle ("Conditions de pose").

    Cubes on the other hexes of the habitat don't matter: "Un jeton peut participer à la
    réalisation de plusieurs motifs".
    """
    for end, wanted in zip(habitat_hexes(side, card, hexagon, turn), card.habitat, strict=True):
        if end is None or as_on_a_card(board[end]) != wanted:
            return False
    return True


@cache
def habitat_hexes(
    side: str, card: AnimalCard | SpiritCard, hexagon: int, turn: int
) -> tuple[int | None, ...]:
    """The hexes of a habitat turned by so many sixths, the cube's first; None is off the board."""
    turned = [tuple((turn + direction) % 6 for direction in way) for way in SHAPES[card.shape]]
    return (hexagon, *(walk(side, hexagon, way) for way in turned))


# ---- points -----------------------------------------------------------------------------------


def tree_points(board: Board) -> int:
    """Points for trees by their height ("Arbres")."""
    return sum(TREE_POINTS[len(board[hexagon])] for hexagon in hexes_with(board, "tree"))


def mountain_points(side: str, board: Board) -> int:
    """Points for mountains by their height, none for one with no mountain beside ("Montagnes")."""
    mountains = hexes_with(board, "mountain")
    return sum(
        MOUNTAIN_POINTS[len(board[hexagon])]
        for hexagon in mountains
        if any(beside in mountains for beside in NEIGHBOURS[side][hexagon])
    )


def field_points(side: str, board: Board) -> int:
    """Points for each field, a group of two yellow tokens or more ("Champs")."""
    fields = groups(side, hexes_with(board, "field"))
    return FIELD_POINTS * sum(len(group) >= 2 for group in fields)


def building_points(side: str, board: Board) -> int:
    """Points for each building with three colours or more around it ("Bâtiments").

    Only the topmost token of each neighbour counts, red ones too.
    """
    points = 0
    for hexagon in hexes_with(board, "building"):
        around = [board[beside] for beside in NEIGHBOURS[side][hexagon]]
        colours = {stack[-1] for stack in around if stack}
        if len(colours) >= BUILDING_COLOURS:
            points += BUILDING_POINTS
    return points


def river_length(side: str, board: Board) -> int:
    """Tokens of the longest river ("La rivière").

    A river is as long as the shortest way between its two ends, both included; its ends are the
    two tokens for which that is longest. So a ring of six is four tokens long.
    """
    water = hexes_with(board, "water")
    return max((furthest(side, water, source) for source in water), default=0)


def furthest(side: str, water: list[int], source: int) -> int:
    """Tokens on the shortest way over water from here to the token that is furthest off."""
    tokens = {source: 1}
    waiting = deque([source])
    while waiting:
        hexagon = waiting.popleft()
        for beside in NEIGHBOURS[side][hexagon]:
            if beside in water and beside not in tokens:
                tokens[beside] = tokens[hexagon] + 1
                waiting.append(beside)
    return max(tokens.values())


def river_points(side: str, board: Board) -> int:
    """Points for the longest river ("Eau - Face A")."""
    length = river_length(side, board)
    beyond = max(0, length - max(RIVER_POINTS))
    return RIVER_POINTS[length - beyond] + RIVER_POINTS_BEYOND * beyond


def island_points(side: str, board: Board) -> int:
    """Points for each island ("Eau - Face B"): hexes, empty or not, cut off by blue tokens."""
    water = hexes_with(board, "water")
    land = [hexagon for hexagon in range(len(board)) if hexagon not in water]
    return ISLAND_POINTS * max(1, len(groups(side, land)))


def water_points(side: str, board: Board) -> int:
    """Points for blue tokens ("Eau")."""
    return river_points(side, board) if side == "A" else island_points(side, board)


def animal_points(card: int, cubes_placed: int) -> int:
    """Points of the lowest space without a cube; none if no cube has left ("Cartes Animal")."""
    return ANIMALS[card].points[cubes_placed - 1] if cubes_placed else 0


def spirit_points(side: str, board: Board, card: int) -> int:
    """Points of a spirit that has settled ("Cartes Esprit de la nature", "Fin de partie")."""
    spirit = SPIRITS[card]
    hexes = hexes_with(board, spirit.landscape)
    if spirit.per == "each":
        sizes = [len(board[hexagon]) for hexagon in hexes]
    else:
        sizes = [len(group) for group in groups(side, hexes)]
    return sum(spirit.points[min(size, len(spirit.points)) - 1] for size in sizes)


def suns(score: int, side: str, spirit: int | None) -> int:
    """How well a solo game went ("Mode solo", "Score"); `spirit` None: played without them."""
    of_score = max((count for least, count in SUNS.items() if score >= least), default=0)
    of_spirit = SUNS_WITHOUT_SPIRIT if spirit is None else SUNS_OF_SPIRIT[SPIRITS[spirit].per]
    return of_score + SUNS_OF_SIDE[side] + of_spirit


# ---- players and the game ---------------------------------------------------------------------


@dataclass
class Held:
    """A card a player has taken, animal or spirit, and how many of its cubes have settled."""

    card: int
    placed: int = 0

    @property
    def cubes(self) -> int:
        """Cubes the card starts with."""
        return len(ANIMALS[self.card].points) if self.card in ANIMALS else 1

    @property
    def completed(self) -> bool:
        return self.placed == self.cubes


@dataclass
class Player:
    """What lies in front of a player.

    Attributes:
        board: a stack a hex.
        cubes: the hexes with a cube, and the card each came from.
        held: cards above the board, unfinished, the spirit included.
        done: completed cards beside the board.
        spirits_dealt: the two spirits to choose from; empty once chosen, or without spirits.
        spirits_seen: both of them, before and after the choice.
        spirit: the spirit that was chosen.
        turns: turns completed.
    """

    board: Board
    cubes: dict[int, int] = field(default_factory=dict)
    held: list[Held] = field(default_factory=list)
    done: list[Held] = field(default_factory=list)
    spirits_dealt: list[int] = field(default_factory=list)
    spirits_seen: list[int] = field(default_factory=list)
    spirit: int | None = None
    turns: int = 0

    def cards(self) -> list[Held]:
        """All cards, unfinished and completed."""
        return self.held + self.done

    def empty_hexes(self) -> int:
        return sum(not stack for stack in self.board)


@dataclass
class Deal:
    """Everything chance decides, and what is on the table at the start ("Mise en place").

    Attributes:
        spaces: the tokens on each space of the central board.
        bag: the tokens in the bag, first drawn first.
        shown: the Animal cards face up.
        deck: the other Animal cards, first drawn first.
        spirits: the two spirits of each player; empty without spirits.
    """

    spaces: list[list[str]]
    bag: list[str]
    shown: list[int]
    deck: list[int]
    spirits: list[list[int]]


def deal(rng: random.Random, num_players: int, spirits: bool = False) -> Deal:
    """A random setup ("Mise en place", "Mode solo")."""
    num_spaces = SPACES_SOLO if num_players == 1 else SPACES
    num_shown = CARDS_SHOWN_SOLO if num_players == 1 else CARDS_SHOWN
    tokens = [colour for colour, count in TOKENS.items() for _ in range(count)]
    cards = list(ANIMALS)
    faces_down = list(SPIRITS)
    for pile in (tokens, cards, faces_down):
        rng.shuffle(pile)
    starts = range(0, num_spaces * TOKENS_PER_SPACE, TOKENS_PER_SPACE)
    hands = range(0, num_players * SPIRITS_DEALT, SPIRITS_DEALT) if spirits else []
    return Deal(
        spaces=[tokens[start : start + TOKENS_PER_SPACE] for start in starts],
        bag=tokens[num_spaces * TOKENS_PER_SPACE :],
        shown=cards[:num_shown],
        deck=cards[num_shown:],
        spirits=[faces_down[start : start + SPIRITS_DEALT] for start in hands],
    )


class HarmoniesOracle:
    """One game in progress.

    A turn is a series of small decisions; `legal_decisions` lists them and `play` carries one out:
    ("spirit", card), ("space", space), ("token", colour, hex), ("card", card), ("cube", card, hex),
    ("end",), and in solo games ("discard", card) or ("keep",) after the end of a turn.

    Args:
        table: the setup.
        num_players: 1 (solo) to 4.
        side: "A" or "B", the side of everybody's board.
        first_player: the seat that begins.
    """

    def __init__(self, table: Deal, num_players: int, side: str, first_player: int = 0) -> None:
        if num_players not in (1, 2, 3, 4):
            raise ValueError(f"1 to 4 players, got {num_players}")
        if side not in COLUMNS:
            raise ValueError(f"the sides of the board are A and B, got {side!r}")
        if first_player not in range(num_players):
            raise ValueError(f"first_player must be a seat 0..{num_players - 1}: {first_player}")
        if len(table.spirits) not in (0, num_players):
            raise ValueError(f"spirits for nobody or for {num_players}: {table.spirits}")
        self.num_players = num_players
        self.side = side
        self.first_player = first_player
        self.to_play = first_player
        self.spaces = [list(tokens) for tokens in table.spaces]
        self.bag = list(table.bag)
        self.shown: list[int | None] = list(table.shown)
        self.deck = list(table.deck)
        self.players = [
            Player(board=[[] for _ in range(sum(COLUMNS[side]))]) for _ in range(num_players)
        ]
        for player, dealt in zip(self.players, table.spirits, strict=False):
            player.spirits_dealt = list(dealt)
            player.spirits_seen = list(dealt)
        self.out_of_play: list[str] = []
        self.in_hand: list[str] = []
        self.space_taken = False
        self.card_taken = False
        self.may_discard = False
        self.last_round = False
        self.over = False

    def copy(self) -> HarmoniesOracle:
        """An independent copy of the game."""
        return copy.deepcopy(self)

    @property
    def me(self) -> Player:
        """The player whose turn it is."""
        return self.players[self.to_play]

    def known(self, player: int) -> dict[str, object]:
        """What a player may know, fact by fact; seats count from his own.

        All lies open but the bag, the deck and the spirits. Who has counted knows which tokens are
        in the bag and which cards in the deck. The spirits are dealt "face cachée": he has seen his
        own two, and of the others' the one that each has placed above the board.
        """
        facts: dict[str, object] = {
            "players": self.num_players,
            "side": self.side,
            "turn": (self.to_play - player) % self.num_players,
            "first player": (self.first_player - player) % self.num_players,
            "turns finished": sum(other.turns for other in self.players),
            "last round": self.last_round,
            "over": self.over,
            "spaces": [sorted(tokens) for tokens in self.spaces],
            "in hand": sorted(self.in_hand),
            "space taken": self.space_taken,
            "card taken": self.card_taken,
            "may discard": self.may_discard,
            "bag": sorted(self.bag),
            "shown": list(self.shown),
            "deck": set(self.deck),
            "spirits seen": list(self.players[player].spirits_seen),
            "choosing a spirit": bool(self.me.spirits_dealt),
        }
        for ahead in range(self.num_players):
            other = self.players[(player + ahead) % self.num_players]
            facts[f"board of {ahead}"] = [tuple(stack) for stack in other.board]
            facts[f"cubes of {ahead}"] = set(other.cubes)
            # The order of one's own cards is that of the decisions about them.
            held = [(held.card, held.placed) for held in other.held]
            facts[f"cards of {ahead}"] = held if ahead == 0 else sorted(held)
            facts[f"completed by {ahead}"] = {held.card for held in other.done}
            facts[f"points of {ahead}"] = categories_of(self.side, other)
            facts[f"spirit of {ahead}"] = other.spirit
        return facts

    @property
    def solo(self) -> bool:
        return self.num_players == 1

    def in_turn(self) -> bool:
        """Whether the player may act: not before choosing a spirit, nor once the turn is over."""
        return not self.over and not self.me.spirits_dealt and not self.may_discard

    # ---- spirits ------------------------------------------------------------------------------

    def can_choose_spirit(self, card: int) -> bool:
        """One of the two dealt, before all else in the first turn ("Esprit", "Mise en place")."""
        return not self.over and card in self.me.spirits_dealt

    def choose_spirit(self, card: int) -> None:
        """Keep this spirit, with its cube, above the board; the other goes into the box."""
        self.must(self.can_choose_spirit(card), f"choose spirit {card}")
        self.me.spirits_dealt = []
        self.me.spirit = card
        self.me.held.append(Held(card))

    # ---- tokens -------------------------------------------------------------------------------

    def can_take_space(self, space: int) -> bool:
        """Once a turn, one of the spaces ("Prendre et placer des jetons")."""
        return (
            self.in_turn()
            and not self.space_taken
            and space in range(len(self.spaces))
            and bool(self.spaces[space])
        )

    def take_space(self, space: int) -> None:
        """Take the three tokens of a space; they are placed one by one."""
        self.must(self.can_take_space(space), f"take space {space}")
        self.in_hand = self.spaces[space]
        self.spaces[space] = []
        self.space_taken = True

    def can_place(self, colour: str, hexagon: int) -> bool:
        """A token taken this turn, in any order ("Règles de placement d'un jeton").

        Never on a hex with a cube, and never but for the stackings of the figure.
        """
        return (
            self.in_turn()
            and colour in self.in_hand
            and hexagon in range(len(self.me.board))
            and hexagon not in self.me.cubes
            and can_be_put_on(colour, self.me.board[hexagon])
        )

    def place(self, colour: str, hexagon: int) -> None:
        """Put one of the tokens in hand on a hex, on top of those there."""
        self.must(self.can_place(colour, hexagon), f"place {colour} on hex {hexagon}")
        self.in_hand.remove(colour)
        self.me.board[hexagon].append(colour)

    # ---- animals ------------------------------------------------------------------------------

    def can_take_card(self, card: int) -> bool:
        """Once a turn, at any moment of it, up to four above the board ("Prendre 1 carte Animal").

        Completed cards don't count ("Poser 1 cube Animal"); an unfinished spirit does ("Esprit",
        "Tour de jeu"). The cubes on hand never stand in the way: the box has 66 and the 32 cards
        have room for 96, but the rulebook doesn't say that they may run out.
        """
        return (
            self.in_turn()
            and not self.card_taken
            and card in self.shown
            and len(self.me.held) < HAND_LIMIT
        )

    def take_card(self, card: int) -> None:
        """Take one of the cards face up, with cubes for it; replaced at the end of the turn."""
        self.must(self.can_take_card(card), f"take card {card}")
        self.shown[self.shown.index(card)] = None
        self.me.held.append(Held(card))
        self.card_taken = True

    def can_settle(self, card: int, hexagon: int) -> bool:
        """At any moment of the turn, as often as one likes ("Poser 1 cube Animal").

        The habitat must lie there exactly, and its hex for the cube must have none yet.
        """
        me = self.me
        return (
            self.in_turn()
            and hexagon not in me.cubes
            and any(held.card == card for held in me.held)
            and hexagon in range(len(me.board))
            and habitat_around(self.side, me.board, card_of(card), hexagon)
        )

    def settle(self, card: int, hexagon: int) -> None:
        """Move the card's lowest cube to a hex, for good; a card without cubes is completed."""
        self.must(self.can_settle(card, hexagon), f"settle card {card} on hex {hexagon}")
        (held,) = [held for held in self.me.held if held.card == card]
        held.placed += 1
        self.me.cubes[hexagon] = card
        if held.completed:
            self.me.held.remove(held)
            self.me.done.append(held)

    # ---- the end of a turn and of the game ----------------------------------------------------

    def can_end_turn(self) -> bool:
        """Once the three tokens are placed: "Vous devez réaliser cette action"."""
        return self.in_turn() and self.space_taken and not self.in_hand

    def end_turn(self) -> None:
        """Complete the table and pass on, or end the game ("Tour de jeu", "Fin de partie")."""
        self.must(self.can_end_turn(), "end the turn")
        self.me.turns += 1
        if self.me.empty_hexes() <= EMPTY_HEXES_THAT_END or not self.spaces_can_be_completed():
            self.last_round = True
        if self.last_round and self.equal_turns():
            self.over = True
            return
        self.complete_spaces()
        self.complete_cards()
        if self.solo and not self.card_taken:
            self.may_discard = True  # the turn is still his until he has decided
            return
        self.pass_on()

    def equal_turns(self) -> bool:
        """Whether everybody has played the same number of turns ("Fin de partie")."""
        return len({player.turns for player in self.players}) == 1

    def tokens_needed(self) -> int:
        """Tokens that complete the central board: one space's, or all three in solo games."""
        return (len(self.spaces) if self.solo else 1) * TOKENS_PER_SPACE

    def spaces_can_be_completed(self) -> bool:
        """Whether the bag isn't empty "quand vous devez compléter le plateau central".

        In solo games three tokens are in the bag when nine are wanted at the end of turn 13: it
        runs out while the board is being completed, so that is the end.
        """
        return len(self.bag) >= self.tokens_needed()

    def complete_spaces(self) -> None:
        """Fill the central board, as long as there are tokens in the bag ("Tour de jeu").

        "Mode solo", "Tour de jeu": the tokens left over go back into the box first.
        """
        if self.solo:
            for space, tokens in enumerate(self.spaces):
                self.out_of_play += tokens
                self.spaces[space] = []
        for space, tokens in enumerate(self.spaces):
            if not tokens and self.bag:
                self.spaces[space] = [self.bag.pop(0) for _ in range(TOKENS_PER_SPACE)]

    def complete_cards(self) -> None:
        """Turn up a card for the one that was taken ("Tour de jeu"), as long as there are any."""
        for place, card in enumerate(self.shown):
            if card is None and self.deck:
                self.shown[place] = self.deck.pop(0)

    def can_discard(self, card: int) -> bool:
        """Solo, at the end of a turn without taking a card ("Mode solo", "Tour de jeu")."""
        return self.may_discard and card in self.shown

    def discard(self, card: int) -> None:
        """Replace one of the cards face up by the next one of the deck."""
        self.must(self.can_discard(card), f"discard card {card}")
        self.shown[self.shown.index(card)] = None
        self.complete_cards()
        self.pass_on()

    def can_keep(self) -> bool:
        """Solo: discarding is optional ("vous pouvez défausser")."""
        return self.may_discard

    def keep(self) -> None:
        """Discard nothing."""
        self.must(self.can_keep(), "keep the cards")
        self.pass_on()

    def pass_on(self) -> None:
        """The next player's turn begins, clockwise ("Tour de jeu")."""
        self.to_play = (self.to_play + 1) % self.num_players
        self.space_taken = False
        self.card_taken = False
        self.may_discard = False

    def is_over(self) -> bool:
        """Whether the game has ended ("Fin de partie")."""
        return self.over

    # ---- decisions ----------------------------------------------------------------------------

    def legal_decisions(self) -> list[Decision]:
        """Everything the player to move may decide now."""
        if self.over:
            return []
        found: list[Decision] = []
        hexes = range(len(self.me.board))
        found += [("spirit", card) for card in self.me.spirits_dealt]
        found += [("space", n) for n in range(len(self.spaces)) if self.can_take_space(n)]
        found += [
            ("token", colour, hexagon)
            for colour in TOKENS
            for hexagon in hexes
            if self.can_place(colour, hexagon)
        ]
        shown = [card for card in self.shown if card is not None]
        found += [("card", card) for card in shown if self.can_take_card(card)]
        found += [
            ("cube", held.card, hexagon)
            for held in self.me.held
            for hexagon in hexes
            if self.can_settle(held.card, hexagon)
        ]
        found += [("end",)] if self.can_end_turn() else []
        found += [("discard", card) for card in shown if self.can_discard(card)]
        found += [("keep",)] if self.can_keep() else []
        return found

    def play(self, decision: Decision) -> None:
        """Carry out a decision.

        Raises:
            ValueError: it is against the rules; nothing has changed.
        """
        kind, *details = decision
        carry_out = {
            "spirit": self.choose_spirit,
            "space": self.take_space,
            "token": self.place,
            "card": self.take_card,
            "cube": self.settle,
            "end": self.end_turn,
            "discard": self.discard,
            "keep": self.keep,
        }
        carry_out[kind](*details)

    def must(self, allowed: bool, what: str) -> None:
        if not allowed:
            raise ValueError(f"player {self.to_play} may not {what} now")

    # ---- results ------------------------------------------------------------------------------

    def score_categories(self, player: int) -> dict[str, int]:
        """A player's points by category ("Comptage des points"), were the game scored now."""
        return categories_of(self.side, self.players[player])

    def scores(self) -> list[int]:
        """Every player's points, were the game scored now."""
        return [sum(categories_of(self.side, player).values()) for player in self.players]

    def cubes_placed(self) -> list[int]:
        """Every player's cubes on the board, for ties ("Fin de partie").

        The spirit's cube counts: it "fonctionne exactement comme les autres cubes Animal".
        """
        return [len(player.cubes) for player in self.players]

    def ranks(self) -> list[int]:
        """Each player's place, 1 the best ("Fin de partie").

        Most points first, then most cubes; who is still level shares the place, and the places
        after it stay empty (1, 1, 3). Alone, the first place is for suns enough, else the second.
        """
        if self.solo:
            return [1 if self.suns() >= SUNS_THAT_WIN else 2]
        results = list(zip(self.scores(), self.cubes_placed(), strict=True))
        return [1 + sum(other > mine for other in results) for mine in results]

    def suns(self) -> int:
        """The suns of a solo game, were it scored now ("Mode solo")."""
        return suns(self.scores()[0], self.side, self.players[0].spirit)


def card_of(card: int) -> AnimalCard | SpiritCard:
    """The card with this number."""
    return ANIMALS[card] if card in ANIMALS else SPIRITS[card]


def categories_of(side: str, player: Player) -> dict[str, int]:
    """A player's points by category ("Comptage des points")."""
    board = player.board
    cards = player.cards()
    return {
        "trees": tree_points(board),
        "mountains": mountain_points(side, board),
        "fields": field_points(side, board),
        "buildings": building_points(side, board),
        "water": water_points(side, board),
        "animals": sum(animal_points(c.card, c.placed) for c in cards if c.card in ANIMALS),
        "spirits": sum(
            spirit_points(side, board, c.card) for c in cards if c.card in SPIRITS and c.placed
        ),
    }


# ---- cases handed over ------------------------------------------------------------------------


def load_cases() -> dict:
    """The scoring cases in tests/cases (its `note` describes the format)."""
    with open(CASES, encoding="utf-8") as file:
        return json.load(file)


def hex_at(side: str, q: int, r: int) -> int:
    """The hex with the axial coordinates of the cases: q the column, r = row - q // 2."""
    return PLACES[side].index((q, 2 * (r + q // 2) + q % 2))


def player_of_case(side: str, case: dict) -> Player:
    """The player of a case: board, cubes (whose card isn't told: 0) and cards."""
    player = Player(board=[[] for _ in range(sum(COLUMNS[side]))])
    for entry in case["board"]:
        hexagon = hex_at(side, entry["q"], entry["r"])
        player.board[hexagon] = list(entry["stack"])
        if entry["cube"]:
            player.cubes[hexagon] = 0
    cards = [Held(card["card_id"], card["cubes_placed"]) for card in case.get("cards", [])]
    if case.get("spirit"):
        player.spirit = case["spirit"]["card_id"]
        cards.append(Held(player.spirit, int(case["spirit"]["placed"])))
    player.held = [card for card in cards if not card.completed]
    player.done = [card for card in cards if card.completed]
    return player
