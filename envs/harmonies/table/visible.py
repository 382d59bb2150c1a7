"""What a picture or a text of Harmonies may show: everything on the table, and nothing hidden.

Only spirit cards are hidden: until a seat has kept one, the others see two backs, and the card it
returns to the box is never shown. Everything else is public.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...core.actions import Target
from ...core.drawing.visible import VisibleBase, choices_of, common_of, result_of
from ...core.drawing.words import action_number, minus, name_of
from ..actions import ACTIONS, END, NUM_ACTIONS
from ..components import (
    CARD_NAMES,
    COLOURS,
    DISPLAY_SIZE,
    FIRST_SPIRIT,
    HABITAT_KIND,
    HABITAT_OFFSETS,
    HABITAT_SIZE,
    KIND_OF_STACK,
    KINDS,
    LADDER,
    LANDSCAPES,
    NUM_CARDS,
    NUM_CUBES,
    NUM_SPACES,
    SPIRIT_COUNTS_GROUPS,
    SPIRIT_LANDSCAPE,
    SPIRIT_POINTS,
    STACKS,
    rotated,
)
from ..notation import action_to_string, hex_to_string
from ..rules import legal_actions, returns
from ..scoring import suns
from ..state import (
    PHASES,
    Card,
    cards_of,
    central_of,
    completed_of,
    cubes_of,
    dealt_to,
    hand_of,
    points_of,
    stacks_of,
)

# Stands for a card that is not shown.
FACE_DOWN = 0
# Under the top of a building: any of three colours, as on cards.
ANY = len(COLOURS)
STACK_OF_KIND = {KINDS[int(KIND_OF_STACK[k])]: STACKS[k] for k in reversed(range(len(STACKS)))}
STACK_OF_KIND["building"] = (ANY, COLOURS.index("red"))


class Table(NamedTuple):
    """A seat's board and cards.

    Attributes:
        stacks: colours on each hex from bottom to top.
        cubes: hexes with a cube, each with the card that the cube came from.
        cards: the cards in the four slots.
        completed: cards set aside.
        offered: the two spirits to choose from, or ``FACE_DOWN``; none afterwards.
        points: current points by category.
    """

    stacks: list[tuple[int, ...]]
    cubes: dict[int, int]
    cards: list[Card]
    completed: list[int]
    offered: list[int]
    points: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.points.values())

    @property
    def empty(self) -> int:
        return self.stacks.count(())


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: the move in words.
        seat: who made it, None if that doesn't fit the record.
        card: the card of that seat that it concerned.
        about: what else it concerned, as the codec's targets: ``("hexes", 11)``,
            ``("display", 0)`` or ``("central", 4)``.
    """

    text: str
    seat: int | None = None
    card: int | None = None
    about: tuple[Target, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads.

    Attributes:
        central: colours on each space.
        deck: number of cards in it.
        bag: tokens of each colour.
        suns: suns of a solo game, as if it ended now.
        begun: kind and first part of the legal actions.
        ready: slots and hexes of the seat to play where a cube may be settled now.
    """

    side: int
    last_round: bool
    central: list[list[int]]
    display: list[int]
    deck: int
    bag: list[int]
    hand: list[int]
    tables: list[Table]
    suns: int
    begun: set[tuple]
    ready: list[tuple[Any, ...]]

    def table_of_turn(self) -> Table:
        return self.tables[self.to_play]

    def moved(self, field: str, row: int) -> bool:
        """Return whether the last move concerned this."""
        return self.move is not None and (field, row) in self.move.about


def see(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Visible:
    """Return what may be shown of a record to a seat; None sees everything.

    Raises:
        ValueError: an invalid seat or action.
    """
    common = common_of(state, seat, PHASES)
    num_players = common["num_players"]
    choices = choices_of(state, legal_actions, ACTIONS)
    tables = [_table(state, other, seat) for other in range(num_players)]
    return Visible(
        **common,
        **result_of(state, returns),
        side=int(state["side"]),
        last_round=bool(state["last_round"]),
        central=central_of(state)[: NUM_SPACES[num_players]],
        display=state["display"][: DISPLAY_SIZE[num_players]].tolist(),
        deck=int(state["deck"]).bit_count(),
        bag=state["bag"].tolist(),
        hand=hand_of(state),
        tables=tables,
        suns=suns(state) if num_players == 1 else 0,
        begun={choice[:2] for choice in choices},
        ready=[choice[1:] for choice in choices if choice[0] == "settle"],
        move=None if last_action is None else _move(state, tables, last_action),
    )


def _table(state: np.void, seat: int, viewer: int | None) -> Table:
    offered = []
    if state["spirits"] and not state["spirit"][seat]:
        shown = viewer in (None, seat)
        offered = list(dealt_to(state, seat)) if shown else [FACE_DOWN, FACE_DOWN]
    return Table(
        stacks=stacks_of(state, seat),
        cubes=cubes_of(state, seat),
        cards=cards_of(state, seat),
        completed=completed_of(state, seat),
        offered=offered,
        points=points_of(state, seat),
    )


# Cards


class Face(NamedTuple):
    """What is printed on a card.

    Attributes:
        spirit: whether it is a spirit card.
        ladder: points of an animal card by cubes settled, starting with one.
        habitat: hexes (q, r) and their kinds; the first one gets the cube.
        landscape: what a spirit counts: ``tree``, ``water`` ...
        groups: whether a spirit counts groups of its landscape, or each one by its height.
        rows: points of a spirit: sizes (``"2+"``, ``"1-2"``) and points for one.
    """

    name: str
    spirit: bool
    ladder: list[int]
    habitat: list[tuple[tuple[int, int], str]]
    landscape: str
    groups: bool
    rows: list[tuple[str, int]]

    def turned(self, turns: int) -> list[tuple[tuple[int, int], str]]:
        """Return the habitat rotated by this many sixths."""
        at = rotated([at for at, _ in self.habitat], turns)
        return [(place, kind) for place, (_, kind) in zip(at, self.habitat, strict=True)]

    def words(self, settled: int = 0) -> str:
        """Return name, points and habitat in words."""
        habitat = ", ".join(kind for _, kind in self.habitat)
        if self.spirit:
            what = "group of size" if self.groups else "of height"
            pays = ", ".join(f"{worth} for each {what} {size}" for size, worth in self.rows)
            return f"{self.name}: {self.landscape}, {pays}; habitat {habitat}"
        ladder = "-".join(map(str, self.ladder))
        return f"{self.name}: {ladder}, {settled} settled; habitat {habitat}"


def _face(card: int) -> Face:
    offsets = [(0, 0), *HABITAT_OFFSETS[card]]
    kinds = [KINDS[kind] for kind in HABITAT_KIND[card][: HABITAT_SIZE[card]]]
    landscape, groups = LANDSCAPES[SPIRIT_LANDSCAPE[card]], bool(SPIRIT_COUNTS_GROUPS[card])
    return Face(
        name=CARD_NAMES[card],
        spirit=card >= FIRST_SPIRIT,
        ladder=LADDER[card, 1 : NUM_CUBES[card] + 1].tolist(),
        habitat=list(zip(offsets, kinds, strict=False)),
        landscape=landscape,
        groups=groups,
        rows=_rows(SPIRIT_POINTS[card].tolist()[1:], landscape, groups),
    )


def _rows(points: list[int], landscape: str, groups: bool) -> list[tuple[str, int]]:
    if landscape == "water" and not groups:
        points = points[:1]
    rows = []
    for worth in filter(None, dict.fromkeys(points)):
        first = points.index(worth) + 1
        last = first + points.count(worth) - 1
        sizes = str(first) if first == last else f"{first}-{last}"
        rows.append((f"{first}+" if groups and last == len(points) else sizes, worth))
    return rows


FACES = [_face(card) for card in range(NUM_CARDS + 1)]


# The last move


def _move(state: np.void, tables: list[Table], last_action) -> Move:
    """Describe the last move, as far as the record shows it: records keep no list of moves."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    to_play, num_players = int(state["to_play"]), len(tables)
    # Only the end of a turn passes it on, except for the last one. A forfeit ends the game after
    # the turn has been passed on.
    passed = action == END and (not state["terminated"] or state["forfeit"] >= 0)
    seat = (to_play - 1) % num_players if passed else to_play
    told = _told(state, seat, tables[seat], action)
    if told is None:
        return Move(action_to_string(action, state))
    text, card = told
    return Move(f"{name_of(seat)} {text}", seat, card, ACTIONS.targets(action))


def _told(state: np.void, seat: int, table: Table, action: int) -> tuple[str, int | None] | None:
    """Return what a seat did and the card concerned; None if that doesn't fit the record."""
    kind, *parts = ACTIONS.decode(action).values()
    if kind == "take" and state["taken"] == parts[0]:
        colours = ", ".join(COLOURS[colour] for colour in hand_of(state))
        return f"took {colours or 'tokens'}", None
    if kind == "card" and state["took_card"] and not state["display"][parts[0]]:
        # The record doesn't show which card is the newest; often only one can be.
        new = [held.card for held in table.cards if held.card and not held.settled]
        new = [card for card in new if not FACES[card].spirit]
        if len(new) == 1:
            return f"took {CARD_NAMES[new[0]]}", new[0]
        return f"took card {parts[0] + 1}", None
    if kind == "end":
        return "ended the turn", None
    spirit = int(state["spirit"][seat])
    if kind == "spirit" and spirit and spirit == dealt_to(state, seat)[parts[0]]:
        return f"kept the {CARD_NAMES[spirit]}", spirit
    if kind == "discard" and state["num_players"] == 1:
        return "discarded a card", None
    if kind not in ("place", "settle") or parts[1] >= len(table.stacks):
        return None
    hex_ = parts[1]
    where = hex_to_string(hex_, int(state["side"]))
    if kind == "place" and table.stacks[hex_][-1:] == (COLOURS.index(parts[0]),):
        return f"placed {parts[0]} on {where}", None
    if kind == "settle" and hex_ in table.cubes:
        card = table.cubes[hex_]
        return f"settled {CARD_NAMES[card]} on {where}", card
    return None


def points_seen(seen: Visible) -> list[str]:
    """Return the points of each seat as text."""
    return [minus(table.total) for table in seen.tables]
