"""Sàrèná in plain Python, written from the rulebook alone, to check the fast rules against.

A disc is a tuple (bottom face, top face) of colours 0..3. A stack is a list of discs from bottom
to top. The board is a list of 36 stacks, circle = 6 * row + column, an empty list being an empty
circle. Section names in quotes are those of the French rulebook ("Règles de Mouvement", ...).
Where its figures are needed (board, discs), the facts come from the rulings on the game's page.
"""

from __future__ import annotations

import gzip
import itertools
import json
import random
from pathlib import Path

ROWS = 6
COLUMNS = 6
CIRCLES = ROWS * COLUMNS
COLOURS = 4
MAX_HEIGHT = 4
DISCS_PER_PAIR = 6
COLOUR_PAIRS = list(itertools.combinations(range(COLOURS), 2))
TRACES = Path(__file__).parent.parent / "cases" / "sarena_traces_handed.json.gz"

Disc = tuple[int, int]
Stack = list[Disc]
Move = tuple[int, int]
# What a move did: who moved, the colour that came on top and the one that went, in how many discs.
Change = tuple[int, int, int, int]


def has_arrows(circle: int) -> bool:
    """Whether the circle is printed with arrows ("Matériel"; figure #3: a checkerboard)."""
    row, column = divmod(circle, COLUMNS)
    return row % 2 == column % 2


def neighbours(circle: int) -> list[int]:
    """The circles joined to this one by a line ("Matériel"; figure #1: no diagonal lines)."""
    row, column = divmod(circle, COLUMNS)
    beside = [(row - 1, column), (row, column - 1), (row, column + 1), (row + 1, column)]
    return [COLUMNS * r + c for r, c in beside if 0 <= r < ROWS and 0 <= c < COLUMNS]


def turned_over(stack: Stack) -> Stack:
    """The stack after it was turned over as a whole ("Règles de Mouvement", #3).

    The top disc comes to lie at the bottom, and every disc shows its other face.
    """
    return [(top, bottom) for bottom, top in reversed(stack)]


def deal(rng: random.Random, balanced: bool = False) -> list[Stack]:
    """A random setup: 36 stacks of one disc ("Mise en Place du Jeu").

    Six discs of each of the six pairs of colours, each with a random face up. `balanced` deals
    again until every colour is on top exactly nine times (and so at the bottom nine times too).
    """
    while True:
        discs = [pair for pair in COLOUR_PAIRS for _ in range(DISCS_PER_PAIR)]
        discs = [rng.choice([(one, other), (other, one)]) for one, other in discs]
        rng.shuffle(discs)
        tops = [top for _, top in discs]
        if not balanced or all(tops.count(colour) == 9 for colour in range(COLOURS)):
            return [[disc] for disc in discs]


def in_play(stack: Stack) -> object:
    """What can still matter of a stack.

    It is never split and moves as a whole, turned over or not. So the faces inside it are never
    seen on top; they count at the end, by the discs that carry a colour ("Fin du Jeu", égalité).
    """
    if not stack:
        return None
    carrying = [sum(colour in disc for disc in stack) for colour in range(COLOURS)]
    return len(stack), stack[0][0], stack[-1][1], carrying


class SarenaOracle:
    """One game in progress.

    Args:
        stacks: 36 lists of (bottom face, top face), each from bottom to top, at most 4 discs.
        secrets: colour of each seat's secret pawn; entries after the last seat are unused pawns.
        num_players: 2, 3 or 4.
        to_play: the seat that moves first.
    """

    def __init__(
        self,
        stacks: list[Stack],
        secrets: list[int],
        num_players: int,
        to_play: int = 0,
    ) -> None:
        if len(stacks) != CIRCLES:
            raise ValueError(f"the board has {CIRCLES} circles, got {len(stacks)} stacks")
        if any(len(stack) > MAX_HEIGHT for stack in stacks):
            raise ValueError(f"no stack may be higher than {MAX_HEIGHT} discs")
        if num_players not in (2, 3, 4):
            raise ValueError(f"2, 3 or 4 players, got {num_players}")
        held = list(secrets)[:num_players]
        if len(held) < num_players or len(set(held)) < num_players:
            raise ValueError(f"each of the {num_players} players needs a pawn of his own: {held}")
        if to_play not in range(num_players):
            raise ValueError(f"to_play must be a seat 0..{num_players - 1}, got {to_play}")
        self.stacks = [[tuple(disc) for disc in stack] for stack in stacks]
        self.secrets = held
        self.num_players = num_players
        self.to_play = to_play
        self.ply = 0
        self.changes: list[Change] = []

    def copy(self) -> SarenaOracle:
        """An independent copy of the game."""
        twin = SarenaOracle(self.stacks, self.secrets, self.num_players, self.to_play)
        twin.ply = self.ply
        twin.changes = list(self.changes)
        return twin

    def is_legal(self, source: int, target: int) -> bool:
        """Whether the stack on `source` may go to `target` ("Règles de Mouvement", #1 to #4).

        Anybody may move any stack: the rulebook ties no disc to a player before the end.
        """
        if not self.stacks[source] or target not in neighbours(source):
            return False
        if not self.stacks[target]:
            # "uniquement si celui-ci présente des flèches"
            return has_arrows(target)
        # "Créer une pile contenant plus de 4 jetons" is forbidden.
        return len(self.stacks[source]) + len(self.stacks[target]) <= MAX_HEIGHT

    def legal_moves(self) -> list[Move]:
        """All moves (from, to), sorted ("Règles de Mouvement"). They are the same for everybody."""
        return sorted(
            (source, target)
            for source in range(CIRCLES)
            for target in neighbours(source)
            if self.is_legal(source, target)
        )

    def move(self, source: int, target: int) -> None:
        """Move the whole stack along a line ("Règles de Mouvement", "Séquence de Jeu").

        Raises:
            ValueError: the move is against the rules; nothing has changed.
        """
        if not self.is_legal(source, target):
            raise ValueError(f"the stack on circle {source} may not move to circle {target}")
        moving = self.stacks[source]
        self.stacks[source] = []  # #4: a stack is never divided
        # What the move takes from a colour: the discs it covers, or those it turns over.
        changed = self.stacks[target] or moving
        if self.stacks[target]:
            # #2 and the remark at #3: onto an occupied circle without turning over, arrows or not.
            self.stacks[target] = self.stacks[target] + moving
        else:
            # #3: only an arrow circle can be entered empty, and the stack is turned over there.
            self.stacks[target] = turned_over(moving)
        came, went = self.stacks[target][-1][1], changed[-1][1]
        self.changes.append((self.to_play, came, went, len(changed)))
        self.ply += 1
        self.to_play = (self.to_play + 1) % self.num_players  # clockwise, everyone MUST move

    def discs_changed(self, player: int) -> dict[tuple[int, int], int]:
        """What a player's moves did, by (colour that came on top, colour that went): discs.

        Everybody has seen it, and nothing else tells of a pawn before the end ("Mise en Place du
        Jeu": "Il garde cette information pour lui jusqu'à la fin du jeu").
        """
        total: dict[tuple[int, int], int] = {}
        for mover, came, went, discs in self.changes:
            if mover == player:
                total[came, went] = total.get((came, went), 0) + discs
        return total

    def known(self, player: int) -> dict[str, object]:
        """What a player may know, fact by fact.

        The board lies open, and everybody sees who moves what ("Séquence de Jeu"). He has looked at
        his own pawn; the others are revealed at the end, and those nobody drew never ("Mise en
        Place du Jeu", "Fin du Jeu").
        """
        facts: dict[str, object] = {
            f"stack {circle}": list(stack) for circle, stack in enumerate(self.stacks)
        }
        facts["own pawn"] = self.secrets[player]
        facts["players"] = self.num_players
        facts["turn"] = (self.to_play - player) % self.num_players
        facts["moves played"] = self.ply
        for ahead in range(self.num_players):
            other = (player + ahead) % self.num_players
            facts[f"moves of {ahead}"] = self.discs_changed(other)
            if self.is_over():
                facts[f"pawn of {ahead}"] = self.secrets[other]
        return facts

    def is_over(self) -> bool:
        """The game ends when no disc and no stack can be moved any more ("Fin du Jeu")."""
        return not self.legal_moves()

    def discs_taken(self, player: int) -> list[Disc]:
        """The discs of all stacks topped by the player's secret colour ("Fin du Jeu", #5)."""
        colour = self.secrets[player]
        taken = []
        for stack in self.stacks:
            if stack:
                _, colour_on_top = stack[-1]
                if colour_on_top == colour:
                    taken.extend(stack)
        return taken

    def scores(self) -> list[int]:
        """How many discs each player has ("Fin du Jeu"), were the game scored now."""
        return [len(self.discs_taken(player)) for player in range(self.num_players)]

    def tie_break_counts(self) -> list[int]:
        """Of the discs each player has, those with his colour on a face ("Fin du Jeu", égalité)."""
        return [
            sum(self.secrets[player] in disc for disc in self.discs_taken(player))
            for player in range(self.num_players)
        ]

    def ranks(self) -> list[int]:
        """Each player's place, 1 the best ("Fin du Jeu").

        Most discs first, the second count only between equals. The rulebook stops there: who is
        still level shares the place, and the places after it stay empty (1, 1, 3).
        """
        results = list(zip(self.scores(), self.tie_break_counts(), strict=True))
        return [1 + sum(other > mine for other in results) for mine in results]


def load_traces() -> dict:
    """The recorded games and positions in tests/cases (its `meta` describes the format)."""
    with gzip.open(TRACES, "rt", encoding="utf-8") as file:
        return json.load(file)


def stacks_from_labels(board: list, labels: str) -> list[Stack]:
    """A recorded board as stacks: the colour of a face is the place of its letter in `labels`."""
    return [[(labels.index(low), labels.index(high)) for low, high in stack] for stack in board]


def moves_from_rows(moves: list) -> list[Move]:
    """Recorded moves [from_row, from_col, to_row, to_col] as pairs of circles."""
    return [(COLUMNS * r0 + c0, COLUMNS * r1 + c1) for r0, c0, r1, c1 in moves]
