"""What a picture or a text of Harmonies may show: everything on the table, and nothing hidden.

Only spirit cards are hidden: until a seat has kept one, the others see two backs, and the card that
it puts back into the box is never shown again. All else lies open to everybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of, numbers_of
from ...core.drawing.words import action_number, ranks_after_forfeit, ranks_of
from ..actions import ACTIONS, CARD, DISCARD, END, NUM_ACTIONS, PLACE, SETTLE, SPIRIT, TAKE
from ..components import (
    CARD_NAMES,
    COLOURS,
    FIRST_SPIRIT,
    HABITAT_KIND,
    HABITAT_OFFSETS,
    HABITAT_SIZE,
    KINDS,
    LADDER,
    LANDSCAPES,
    MAX_HEXES,
    NUM_CUBES,
    SOLO_GOAL,
    SPIRIT_COUNTS_GROUPS,
    SPIRIT_LANDSCAPE,
    SPIRIT_POINTS,
    rotated,
)
from ..notation import action_to_string, hex_to_string
from ..scoring import suns
from ..state import (
    PHASES,
    Card,
    bag_of,
    cards_of,
    central_of,
    completed_of,
    cubes_of,
    dealt_to,
    deck_of,
    display_of,
    hand_of,
    points_of,
    spirit_of,
    stacks_of,
)

# In the place of a card that is not shown.
FACE_DOWN = 0


class Table(NamedTuple):
    """A seat's board and cards.

    Attributes:
        stacks: colours on each hex from bottom to top.
        cubes: hexes with a cube, each with the card that the cube came from.
        cards: what is in the four slots.
        completed: cards set aside.
        offered: the two spirits to choose from, ``FACE_DOWN`` where they are; none afterwards.
        spirit: the spirit kept, 0 for none.
        points: now, by category.
        empty: hexes without tokens.
        ready: for each slot, the hexes where its cube may be settled now.
    """

    stacks: list[tuple[int, ...]]
    cubes: dict[int, int]
    cards: list[Card]
    completed: list[int]
    offered: list[int]
    spirit: int
    points: dict[str, int]
    empty: int
    ready: list[frozenset[int]]

    @property
    def total(self) -> int:
        return sum(self.points.values())


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: what was done, in words.
        seat: who did it, None if that doesn't fit the record.
        hex: the hex of that seat's board it was about.
        space: the space of the central board it was about.
        place: the place of the display it was about.
        card: the card of that seat it was about.
    """

    text: str
    seat: int | None = None
    hex: int | None = None
    space: int | None = None
    place: int | None = None
    card: int | None = None


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads."""

    side: int
    turns: int
    last_round: bool
    central: list[list[int]]  # colours on each space
    display: list[int]
    deck: int  # cards in it
    bag: list[int]  # tokens of each colour
    hand: list[int]
    may_take: bool
    may_take_card: bool
    may_end: bool
    tables: list[Table]
    suns: int  # solo

    def table_of_turn(self) -> Table:
        return self.tables[self.to_play]


def see(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> Visible:
    """Return what may be shown of a record to a seat; None is the all-seeing eye.

    Raises:
        ValueError: a seat or an action that can't be.
    """
    common = common_of(state, seat, PHASES)
    num_players = int(state["num_players"])
    over = common["over"]
    legal = 0 if over else int(state["legal"][0])
    tables = [_table(state, other, seat, over) for other in range(num_players)]
    scores, ranks = _result(state, tables) if over else ([], [])
    spaces, places = (3, 3) if num_players == 1 else (5, 5)
    return Visible(
        **common,
        **numbers_of(state, "side", "turns"),
        last_round=bool(state["last_round"]),
        central=central_of(state)[:spaces],
        display=display_of(state)[:places],
        deck=len(deck_of(state)),
        bag=bag_of(state),
        hand=hand_of(state),
        may_take=bool(legal >> TAKE & 1),
        may_take_card=bool(legal >> CARD & (1 << places) - 1),
        may_end=bool(legal >> END & 1),
        tables=tables,
        suns=suns(state) if num_players == 1 else 0,
        scores=scores,
        ranks=ranks,
        move=None if last_action is None else _move(state, tables, last_action),
    )


def _table(state: np.void, seat: int, viewer: int | None, over: bool) -> Table:
    offered = []
    if state["spirits"] and not spirit_of(state, seat):
        shown = viewer is None or viewer == seat
        offered = list(dealt_to(state, seat)) if shown else [FACE_DOWN, FACE_DOWN]
    acting = not over and seat == state["to_play"] and PHASES[int(state["phase"])] == "TURN"
    free = ~int(state["cubes"][seat])
    ready = [int(found) & free if acting else 0 for found in state["habitat"][seat].tolist()]
    stacks = stacks_of(state, seat)
    return Table(
        stacks=stacks,
        cubes=cubes_of(state, seat),
        cards=cards_of(state, seat),
        completed=completed_of(state, seat),
        offered=offered,
        spirit=spirit_of(state, seat),
        points=points_of(state, seat),
        empty=stacks.count(()),
        ready=[frozenset(k for k in range(MAX_HEXES) if bits >> k & 1) for bits in ready],
    )


def _result(state: np.void, tables: list[Table]) -> tuple[list[float], list[int]]:
    """Points and ranks (Fin de partie); who forfeits comes last."""
    num_players, forfeit = len(tables), int(state["forfeit"])
    if forfeit >= 0:
        return [0.0] * num_players, ranks_after_forfeit(num_players, forfeit)
    keys = [(table.total, len(table.cubes)) for table in tables]
    scores = [float(total) for total, _ in keys]
    if num_players == 1:
        return scores, [1 if suns(state) >= SOLO_GOAL else 2]
    return scores, ranks_of(keys)


# Cards in words


def ladder_of(card: int) -> list[int]:
    """Return the points of an animal card by cubes settled, from one on."""
    return LADDER[card, 1 : int(NUM_CUBES[card]) + 1].tolist()


def points_of_card(card: int) -> tuple[int, int]:
    """Return the points of a completed animal card (0 for a spirit), and its cubes."""
    count = int(NUM_CUBES[card])
    return int(LADDER[card, count]), count


def habitat_of(card: int) -> list[tuple[tuple[int, int], str]]:
    """Return the hexes of a card's habitat, (q, r) and kind; the first one gets the cube."""
    offsets = [(0, 0), *HABITAT_OFFSETS[card]]
    kinds = HABITAT_KIND[card][: int(HABITAT_SIZE[card])].tolist()
    return [(at, KINDS[kind]) for at, kind in zip(offsets, kinds, strict=True)]


def turned_habitat(card: int, turns: int) -> list[tuple[tuple[int, int], str]]:
    """Return a card's habitat turned by so many sixths."""
    found = habitat_of(card)
    at = rotated([at for at, _ in found], turns)
    return [(place, kind) for place, (_, kind) in zip(at, found, strict=True)]


def is_spirit(card: int) -> bool:
    return card >= FIRST_SPIRIT


def spirit_landscape(card: int) -> str:
    """Return the landscape that a spirit counts: ``tree``, ``water`` ..."""
    return LANDSCAPES[int(SPIRIT_LANDSCAPE[card])]


def counts_groups(card: int) -> bool:
    """Say whether a spirit counts groups of its landscape, else each one by its height."""
    return bool(SPIRIT_COUNTS_GROUPS[card])


def spirit_rows(card: int) -> list[tuple[str, int]]:
    """Return the points of a spirit card: sizes (``"2+"``, ``"1-2"``) and points for one."""
    points = SPIRIT_POINTS[card].tolist()[1:]
    groups = counts_groups(card)
    if spirit_landscape(card) == "water" and not groups:
        points = points[:1]
    rows: list[list] = []
    for size, worth in enumerate(points, start=1):
        if rows and rows[-1][2] == worth:
            rows[-1][1] = size
        else:
            rows.append([size, size, worth])
    last = len(points)
    return [(_sizes(first, end, groups and end == last), n) for first, end, n in rows if n]


def _sizes(first: int, last: int, more: bool) -> str:
    if more:
        return f"{first}+"
    return str(first) if first == last else f"{first}-{last}"


def card_words(card: int, settled: int = 0) -> str:
    """Return a card in words: its name, what it pays, and its habitat."""
    habitat = ", ".join(kind for _, kind in habitat_of(card))
    if is_spirit(card):
        what = "group of size" if counts_groups(card) else "of height"
        pays = ", ".join(f"{worth} for each {what} {size}" for size, worth in spirit_rows(card))
        return f"{CARD_NAMES[card]}: {spirit_landscape(card)}, {pays}; habitat {habitat}"
    ladder = "-".join(map(str, ladder_of(card)))
    return f"{CARD_NAMES[card]}: {ladder}, {settled} settled; habitat {habitat}"


# The last move


def _move(state: np.void, tables: list[Table], last_action) -> Move:
    """Say what was done, as far as the record after it tells: it keeps no list of moves."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    seat = _actor(state, action)
    name = f"player_{seat}"
    told = None
    if action >= SETTLE:
        told = _settled(state, tables, seat, action)
    elif action >= PLACE:
        told = _placed(state, tables, seat, action)
    elif action < CARD:
        if state["taken"] == action - TAKE:
            words = ", ".join(COLOURS[colour] for colour in hand_of(state))
            told = Move(f"{name} took {words or 'tokens'}", seat, space=action - TAKE)
    elif action < END:
        told = _took_card(state, tables, seat, action - CARD)
    elif action == END:
        told = Move(f"{name} ended the turn", seat)
    elif action < DISCARD:
        spirit = tables[seat].spirit
        if spirit and spirit == dealt_to(state, seat)[action - SPIRIT]:
            told = Move(f"{name} kept the {CARD_NAMES[spirit]}", seat, card=spirit)
    elif len(tables) == 1:
        told = Move(f"{name} discarded a card", seat, place=action - DISCARD)
    return told or Move(action_to_string(action, state))


def _actor(state: np.void, action: int) -> int:
    """Return who has played ``action``: only the end of a turn passes it on, the last one apart."""
    to_play, num_players = int(state["to_play"]), int(state["num_players"])
    # A forfeit ends the game when the turn has passed on already.
    passed = action == END and (not state["terminated"] or state["forfeit"] >= 0)
    return (to_play - 1) % num_players if passed else to_play


def _placed(state: np.void, tables: list[Table], seat: int, action: int) -> Move | None:
    colour, hex_ = divmod(action - PLACE, MAX_HEXES)
    stacks = tables[seat].stacks
    if hex_ >= len(stacks) or not stacks[hex_] or stacks[hex_][-1] != colour:
        return None
    where = hex_to_string(hex_, int(state["side"]))
    return Move(f"player_{seat} placed {COLOURS[colour]} on {where}", seat, hex=hex_)


def _settled(state: np.void, tables: list[Table], seat: int, action: int) -> Move | None:
    hex_ = (action - SETTLE) % MAX_HEXES
    card = tables[seat].cubes.get(hex_)
    if not card:
        return None
    where = hex_to_string(hex_, int(state["side"]))
    return Move(f"player_{seat} settled {CARD_NAMES[card]} on {where}", seat, hex=hex_, card=card)


def _took_card(state: np.void, tables: list[Table], seat: int, place: int) -> Move | None:
    if not state["took_card"] or place >= len(state["display"]) or state["display"][place]:
        return None
    # The record doesn't tell which card is the newest; often only one can be.
    new = [card.card for card in tables[seat].cards if card.card and not card.settled]
    new = [card for card in new if not is_spirit(card)]
    if len(new) == 1:
        return Move(f"player_{seat} took {CARD_NAMES[new[0]]}", seat, place=place, card=new[0])
    return Move(f"player_{seat} took card {place + 1}", seat, place=place)
