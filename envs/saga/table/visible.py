"""What a picture or a text of Saga may show: everything on the table, and nothing hidden.

Face-down cards are hidden from the others, but not their backs. The backs identify the packs and
so everything a seat has: from the start or, with ``packs_known="once_shown"``, once it has shown a
card. This remains so when the game is over; the omniscient view shows the final count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of, legal_of, numbers_of
from ...core.drawing.words import MINUS, action_number, minus, name_of, ranks_after_forfeit
from ..actions import ACTIONS, CARD, HIDDEN, NUM_ACTIONS, RECRUIT, LastAction
from ..components import (
    COLOUR_OF,
    FAME_TAKEN,
    FIELDLAND,
    FIELDLAND_BONUS,
    FIELDLAND_SCORE,
    FORESTLAND,
    FREE_RECRUIT,
    HAND_IS_FREE,
    KINGDOMS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    POWERS,
    POWERS_OF,
    RECRUITED,
    SIDES,
    TAKE_BACK,
    VALUE_OF,
    WHEN,
    knight_name,
)
from ..hidden import actor_of, has_power, may_have_turned_up, places_of, untouched
from ..notation import action_to_string
from ..observation import knows_pack
from ..rules import legal_actions
from ..scoring import kingdom_points, table_points
from ..state import PHASES, Force, defence_of, forces_of, free_of, hand_of, kingdoms_of, owner_of

# Short descriptions of the kingdoms' powers, by name.
POWER_WORDS = {
    "defence_plus_1": "defence +1",
    "free_recruit_on_conquest": "who conquers it recruits a knight for free",
    "hand_cards_cost_0": "cards in hand cost nothing",
    "take_2_from_each_opponent": f"takes {FAME_TAKEN} fame from each other player",
    "one_face_down_card_once": "once: a card face down onto an attack force",
    "score_one_own_attack_force": "own strongest attack force scores",
    "defence_minus_1": f"defence {MINUS}1",
    "defence_scores_0": "its defence scores 0",
    "add_1_card_to_its_defence_once": "once: add a card to this defence",
    "add_1_card_to_any_own_force": "add a card to any own force or defence",
    "take_back_1_card_each_turn": "each turn: take one own card back from the table",
    "plus_5": f"+{FIELDLAND_BONUS} points",
    "defence_scores_15": f"its defence scores {FIELDLAND_SCORE}",
}
# What a seat that has chosen a place for a card does there.
CHOSEN_WORDS = {
    "new": "begins a new force",
    "strengthen": "adds a card to {}",
    "add": "adds a card to {}",
    "down": "adds a card face down to {}",
    "take": "takes a card of {} back",
    "turn up": "turns a card of {} up",
}


class Kingdom(NamedTuple):
    """A kingdom; ``used``: whether its power was used since it was conquered."""

    number: int
    side: str
    income: int
    powers: tuple[str, ...]
    owner: int | None
    cards: tuple[int, ...]
    strength: int
    used: bool

    @property
    def name(self) -> str:
        return KINGDOMS[self.number]

    @property
    def modifier(self) -> int:
        """The effect of its power on its defence: 1, -1 or 0."""
        return self.strength - sum(int(VALUE_OF[knight]) for knight in self.cards)


class Points(NamedTuple):
    """Points as if the game ended now, with bounds for the cost of the hand."""

    fame: int
    kingdoms: int
    powers: int
    hand: tuple[int, int]

    @property
    def total(self) -> tuple[int, int]:
        table = self.fame + self.kingdoms + self.powers
        return table + self.hand[0], table + self.hand[1]


class Table(NamedTuple):
    """A seat's cards.

    Attributes:
        hand: cards in hand, None if unknown. Includes face-down cards if the viewer can't tell
            them apart.
        size: number of cards in hand.
        mixed: number of cards in ``hand`` that lie face down.
        forces: attack forces, oldest first.
    """

    hand: tuple[int, ...] | None
    size: int
    mixed: int
    kingdoms: tuple[int, ...]
    forces: list[Force]
    points: Points


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: the move in words.
        seat: who made it, None if the record doesn't show it.
        force: the force of that seat that it concerned.
        kingdom: the kingdom that it concerned.
        knight: the number of the card that it concerned, None if hidden.
        to_hand: whether that card went to that seat's hand.
    """

    text: str
    seat: int | None = None
    force: int | None = None
    kingdom: int | None = None
    knight: int | None = None
    to_hand: bool = False


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads.

    Scores are lower and upper bounds, given the hidden cards; undetermined ranks are None.
    """

    backs: int  # recruited knights can be distinguished from those of the own pack
    ending: int
    played: int
    recruited: int
    took: int
    fresh: int  # a card was put face down in this turn
    chosen: int  # the place chosen for a card, -1 for none
    choices: frozenset[int]  # legal actions; empty for viewers who aren't to choose
    kingdoms: list[Kingdom]
    free: list[int]
    tables: list[Table]


def see(state: np.void, seat: int | None = None, last_action: LastAction = None) -> Visible:
    """Return what may be shown of a record to a seat; None sees everything.

    Raises:
        ValueError: an invalid seat or action.
    """
    common = common_of(state, seat, PHASES)
    tables = [_table(state, other, seat) for other in range(common["num_players"])]
    scores, ranks = _result(state, tables) if common["over"] else ([], [])
    choosing = seat in (None, common["to_play"])
    return Visible(
        **common,
        **numbers_of(state, "backs", "ending", "played", "recruited", "took", "fresh", "chosen"),
        choices=frozenset(legal_of(state, legal_actions, NUM_ACTIONS) if choosing else ()),
        kingdoms=[_kingdom(state, k) for k in range(NUM_KINGDOMS)],
        free=free_of(state),
        tables=tables,
        scores=scores,
        ranks=ranks,
        move=None if last_action is None else _move(state, seat, last_action),
    )


def _kingdom(state: np.void, number: int) -> Kingdom:
    cards = defence_of(state, number)
    return Kingdom(
        number=number,
        side=SIDES[int(state["side"][number])],
        income=int(state["income"][number]),
        powers=tuple(p for p in POWERS_OF[number] if has_power(state, 1 << POWERS.index(p))),
        owner=owner_of(state, number),
        cards=tuple(sorted(cards, key=lambda knight: COLOUR_OF[knight] != number)),
        strength=int(state["strength"][number]),
        used=bool(int(state["used"]) >> number & 1),
    )


# Seats


def _table(state: np.void, seat: int, viewer: int | None) -> Table:
    own = viewer in (None, seat)
    hand, forces = hand_of(state, seat), forces_of(state, seat)
    down = [] if own else [laid for force in forces for laid in force.laid if not laid.up]
    if down:
        hand = sorted([*hand, *(laid.knight for laid in down)])
    # Face-down cards cost nothing; the others don't know which these are, hence the bounds.
    values = [[int(VALUE_OF[k]) for k in laid.guesses if k in hand] or [0] for laid in down]
    most = sum(int(VALUE_OF[knight]) for knight in hand)
    least = max(most - sum(map(max, values)), 0)
    return Table(
        hand=tuple(hand) if viewer is None or knows_pack(state, viewer, seat) else None,
        size=int(state["hand_size"][seat]),
        mixed=len(down),
        kingdoms=tuple(kingdoms_of(state, seat)),
        forces=forces if own else [_as_others_see(force) for force in forces],
        points=_points(state, seat, (least, most - sum(map(min, values)))),
    )


def _as_others_see(force: Force) -> Force:
    laid = (card if card.up else card._replace(knight=None) for card in force.laid)
    return force._replace(laid=tuple(laid))


def _points(state: np.void, seat: int, cost: tuple[int, int]) -> Points:
    fame, kingdoms = int(state["fame"][seat]), int(kingdom_points(state, seat))
    if FORESTLAND in kingdoms_of(state, seat) and has_power(state, HAND_IS_FREE):
        cost = (0, 0)
    at_the_end = int(table_points(state, seat)) - fame - kingdoms
    return Points(fame, kingdoms, at_the_end, (-cost[1], -cost[0]))


def _result(state: np.void, tables: list[Table]):
    """Return points and ranks, as far as they are known; a forfeit ranks last."""
    num_players, forfeit = len(tables), int(state["forfeit"])
    if forfeit >= 0:
        return [(0.0, 0.0)] * num_players, ranks_after_forfeit(num_players, forfeit)
    totals = [table.points.total for table in tables]
    ranks = []
    for low, high in totals:
        best = 1 + sum(other > high for other, _ in totals)
        worst = 1 + sum(other > low for _, other in totals)
        # A seat's own bounds can't make it better than itself.
        worst -= high > low
        ranks.append(best if best == worst else None)
    return [(float(low), float(high)) for low, high in totals], ranks


# Words


def span(bounds: tuple[float, float]) -> str:
    """Return a number known within bounds as text: ``12``, or ``9..12``."""
    low, high = bounds
    return minus(low) if low == high else f"{minus(low)}..{minus(high)}"


def power_text(kingdom: Kingdom, power: str) -> str:
    """Describe a power, when it works and whether it was used."""
    used = " (used)" if kingdom.used and "once" in power else ""
    when = "" if WHEN[power] == "in_play" else "end: "
    return f"{when}{POWER_WORDS[power]}{used}"


def place_of(action: int) -> tuple[int | None, int | None]:
    """Return the force and the kingdom that a choice of a place concerns; None for none."""
    parts = ACTIONS.decode(action) if action >= 0 else {}
    return parts.get("force"), KINGDOMS.index(parts["kingdom"]) if "kingdom" in parts else None


def chosen_words(action: int) -> str:
    """Describe what the seat that has chosen a place does next."""
    force, kingdom = place_of(action)
    place = KINGDOMS[kingdom] if kingdom is not None else f"force {(force or 0) + 1}"
    return CHOSEN_WORDS[ACTIONS.decode(action)["kind"]].format(place)


# The last move


def _move(state: np.void, viewer: int | None, last_action) -> Move:
    """Describe the last move, as far as the record shows it: records keep no list of moves."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    if state["chosen"] == action:
        player = int(state["to_play"])
        return Move(f"{name_of(player)} {chosen_words(action)}", player, *place_of(action))
    seat = actor_of(state, action)
    if action >= HIDDEN:
        told = _hidden(state, viewer is None or viewer == seat, action - HIDDEN)
    elif action >= CARD:
        told = _card(state, seat, action - CARD)
    elif action >= RECRUIT:
        knight = action - RECRUIT
        told = Move(f"recruited {knight_name(knight)}", knight=knight, to_hand=seat is not None)
    else:
        told = Move(_done(state, action))
    return told if seat is None else told._replace(seat=seat, text=f"{name_of(seat)} {told.text}")


def _done(state: np.void, action: int) -> str:
    kind = ACTIONS.decode(action)["kind"]
    if kind == "turn up":
        return f"turned up a card of force {(place_of(action)[0] or 0) + 1}"
    if kind != "pass":
        return action_to_string(action)
    if state["phase"] == PHASES.index("LAST_CARD"):
        return "added no card"
    return "passed" if has_power(state, FREE_RECRUIT) else "ended the turn"


def _taken(state: np.void) -> tuple[bool, bool]:
    """Return whether the last move's card may have been taken back, and whether it must have."""
    fresh, owned = untouched(state), owner_of(state, FIELDLAND) is not None
    can = has_power(state, TAKE_BACK) and owned and bool(fresh or state["took"])
    return can, can and not (fresh or state["played"])


def _hidden(state: np.void, own: bool, card: int) -> Move:
    back = f"{RECRUITED} " if card >= NUM_KNIGHTS else ""
    which = knight_name(card) if own else f"a {back}card"
    can, must = _taken(state)
    done = "took back" if must else "moved" if can else "played"
    return Move(f"{done} {which}, face down", knight=card if own else None)


def _card(state: np.void, seat: int | None, knight: int) -> Move:
    which = knight_name(knight)
    if seat is None:
        return Move(f"card: {which}")
    can, must = _taken(state)
    in_hand = bool(state["num_down"][seat] or state["hand"][seat, knight])
    can = can and in_hand and state["phase"] != PHASES.index("LAST_KNIGHT")
    if can and must:
        return Move(f"took {which} back", knight=knight, to_hand=True)
    if can or may_have_turned_up(state, seat, CARD + knight):
        return Move(f"moved {which}", knight=knight)
    where = places_of(state, seat, knight)
    force, kingdom = where[0] if len(where) == 1 else (None, None)
    text = f"played {which}"
    if kingdom is not None:
        text += f": it defends {KINGDOMS[kingdom]}"
    elif force is not None:
        begun = len(forces_of(state, seat)[force].laid) == 1
        name = f"force {force + 1}"
        text = f"began {name} with {which}" if begun else f"added to {name}: {which}"
    return Move(text, force=force, kingdom=kingdom, knight=knight)


def points_seen(seen: Visible) -> list[str]:
    """Return the points of each seat as if the game ended now: a number, or ``9..12``."""
    return [span(table.points.total) for table in seen.tables]


assert set(POWER_WORDS) == set(POWERS)
