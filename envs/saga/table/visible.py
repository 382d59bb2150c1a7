"""What a picture or a text of Saga may show: everything on the table, and nothing hidden.

Hidden from the others are the hand of a seat that has shown no card yet, and which cards lie face
down. A pack is known by its back: once a seat has shown a card the others know all that it has, but
not which of these cards lie face down. The same holds when the game is over; the all-seeing eye
sees the final count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of, numbers_of
from ...core.drawing.words import action_number, ranks_after_forfeit
from ..actions import (
    ACTIONS,
    ADD,
    CARD,
    DOWN,
    HIDDEN,
    NEW,
    NUM_ACTIONS,
    PASS,
    RECRUIT,
    STRENGTHEN,
    TAKE_DEFENCE,
    TAKE_FORCE,
    TURN_UP,
)
from ..components import (
    BEST_FORCE,
    CASTLELAND,
    COLOUR_OF,
    FAME_TAKEN,
    FIELDLAND,
    FIELDLAND_BONUS,
    FIELDLAND_SCORE,
    FORESTLAND,
    FREE_RECRUIT,
    GOLDLAND,
    HAND_IS_FREE,
    KINGDOMS,
    NUM_KINGDOMS,
    NUM_KNIGHTS,
    NUM_PACKS,
    PLUS_5,
    POWERS,
    POWERS_OF,
    SCORES_15,
    SCORES_NOTHING,
    SEALAND,
    SIDES,
    STRONGER,
    TAKE_BACK,
    TAKE_FAME,
    VALUE_OF,
    WEAKER,
    WHEN,
    knight_name,
)
from ..hidden import _may_have_turned_up, actor_of, has_power, places_of, untouched
from ..notation import action_to_string
from ..state import (
    PHASES,
    defence_of,
    fame_of,
    forces_of,
    free_of,
    hand_of,
    kingdoms_of,
    owner_of,
)

CATEGORIES = ("fame", "kingdoms", "powers", "hand")
# What a kingdom's power does, in a few words, by the name of the power.
POWER_WORDS = {
    "defence_plus_1": "defence +1",
    "free_recruit_on_conquest": "who conquers it recruits a knight for free",
    "hand_cards_cost_0": "cards in hand cost nothing",
    "take_2_from_each_opponent": f"takes {FAME_TAKEN} fame from each other player",
    "one_face_down_card_once": "once: a card face down onto an attack force",
    "score_one_own_attack_force": "own strongest attack force scores",
    "defence_minus_1": "defence -1",
    "defence_scores_0": "its defence scores 0",
    "add_1_card_to_its_defence_once": "once: add a card to this defence",
    "add_1_card_to_any_own_force": "add a card to any own force or defence",
    "take_back_1_card_each_turn": "each turn: take one own card back from the table",
    "plus_5": f"+{FIELDLAND_BONUS} points",
    "defence_scores_15": f"its defence scores {FIELDLAND_SCORE}",
}


class Laid(NamedTuple):
    """A card of an attack force.

    Attributes:
        knight: which, None if the one who looks doesn't know.
        up: it lies face up.
        guesses: knights that a face-down card can be, for all that the other seats know.
    """

    knight: int | None
    up: bool
    guesses: tuple[int, ...] = ()


class Attack(NamedTuple):
    """An attack force; ``target`` -1 for none, ``strength`` of what lies face up."""

    target: int
    cards: tuple[Laid, ...]
    strength: int


class Kingdom(NamedTuple):
    """A kingdom; ``modifier`` of its strength is 1, -1 or 0, ``used`` says its power was used."""

    number: int
    side: str
    income: int
    powers: tuple[str, ...]
    owner: int | None
    cards: tuple[int, ...]
    modifier: int
    strength: int
    used: bool

    @property
    def name(self) -> str:
        return KINGDOMS[self.number]


class Points(NamedTuple):
    """Points as if the game ended now; what the hand costs is known within bounds."""

    fame: int
    kingdoms: int
    powers: int
    hand: tuple[int, int]

    @property
    def total(self) -> tuple[int, int]:
        table = self.fame + self.kingdoms + self.powers
        return table + self.hand[0], table + self.hand[1]


class Table(NamedTuple):
    """What is a seat's.

    Attributes:
        hand: cards in hand, None if they aren't known. Those face down are among them if the one
            who looks can't tell them apart.
        size: how many are in hand.
        mixed: how many of ``hand`` lie face down.
        forces: attack forces, the oldest first.
        points: as if the game ended now.
    """

    fame: int
    hand: tuple[int, ...] | None
    size: int
    mixed: int
    kingdoms: tuple[int, ...]
    forces: tuple[Attack, ...]
    points: Points


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: what was done, in words.
        seat: who did it, None if the record doesn't tell.
        force: the force of that seat it was about.
        kingdom: the kingdom it was about.
        knight: the card it was about, None if it is hidden.
        to_hand: that card came into that seat's hand.
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

    Scores are least and most, as hidden cards allow; a rank that they leave open is None.
    """

    turn_of: int
    ending: bool
    played: bool
    recruited: bool
    took: bool
    fresh: bool  # a card was put face down in this turn
    chosen: int  # the place chosen for a card, -1 for none
    choices: frozenset[int]  # legal actions; empty for whom it isn't to choose
    kingdoms: list[Kingdom]
    free: list[int]
    tables: list[Table]


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
    tables = [_table(state, other, seat) for other in range(num_players)]
    scores, ranks = _result(state, tables) if over else ([], [])
    choosing = not over and seat in (None, state["to_play"])
    return Visible(
        **common,
        **numbers_of(state, "turn_of", "chosen"),
        ending=bool(state["ending"]),
        played=bool(state["played"]),
        recruited=bool(state["recruited"]),
        took=bool(state["took"]),
        fresh=bool(state["fresh"]),
        choices=_choices(state) if choosing else frozenset(),
        kingdoms=[_kingdom(state, k) for k in range(NUM_KINGDOMS)],
        free=free_of(state),
        tables=tables,
        scores=scores,
        ranks=ranks,
        move=None if last_action is None else _move(state, seat, last_action),
    )


def _choices(state: np.void) -> frozenset[int]:
    """Return the legal actions."""
    places, extras, seen, unseen = (int(word) for word in state["legal"])
    bits = places | extras << TAKE_FORCE | seen << RECRUIT | unseen << HIDDEN
    return frozenset(action for action in range(NUM_ACTIONS) if bits >> action & 1)


def _kingdom(state: np.void, number: int) -> Kingdom:
    powers = int(state["powers"])
    modifier = int(number == CASTLELAND and bool(powers & STRONGER))
    modifier -= int(number == GOLDLAND and bool(powers & WEAKER))
    lead_first = sorted(defence_of(state, number), key=lambda k: (COLOUR_OF[k] != number, k))
    return Kingdom(
        number=number,
        side=SIDES[int(state["side"][number])],
        income=int(state["income"][number]),
        powers=tuple(p for p in POWERS_OF[number] if powers >> POWERS.index(p) & 1),
        owner=owner_of(state, number),
        cards=tuple(lead_first),
        modifier=modifier,
        strength=int(state["strength"][number]),
        used=bool(int(state["used"]) >> number & 1),
    )


# Seats


def knows_pack(state: np.void, seat: int | None, other: int) -> bool:
    """Say whether a seat knows the pack of another, and so its cards (as ``views.py``)."""
    if seat is None or seat == other or int(state["shown"]) >> other & 1:
        return True
    num_players = int(state["num_players"])
    unknown = [s for s in range(num_players) if s != seat and not int(state["shown"]) >> s & 1]
    return num_players + 1 == NUM_PACKS and unknown == [other]


def _table(state: np.void, seat: int, viewer: int | None) -> Table:
    own = viewer in (None, seat)
    hand = hand_of(state, seat)
    lying = _lying(state, seat, own)
    down = [card for cards in lying for card in cards if not card.up]
    mixed = 0
    if not own:
        mixed = len(down)
        hand = sorted([*hand, *(int(k) for k in state["down_card"][seat][:mixed])])
    known = knows_pack(state, viewer, seat)
    if known:
        guesses = [[k for k in card.guesses if k in hand] for card in down]
        cost = _cost(hand, guesses if mixed else [])
    else:
        # All packs have the same values.
        values = (state["contents"][0].astype(int) * VALUE_OF).sum()
        cost = int(values), int(values)
    return Table(
        fame=fame_of(state, seat),
        hand=tuple(hand) if known else None,
        size=int(state["hand_size"][seat]),
        mixed=mixed,
        kingdoms=tuple(kingdoms_of(state, seat)),
        forces=tuple(
            Attack(force.target, cards, force.strength)
            for force, cards in zip(forces_of(state, seat), lying, strict=True)
        ),
        points=_points(state, seat, cost),
    )


def _lying(state: np.void, seat: int, own: bool) -> list[tuple[Laid, ...]]:
    """Return the cards of a seat's forces, those face down with what they can be."""
    count = int(state["num_down"][seat])
    down = list(zip(state["down_slot"][seat], state["down_knights"][seat], strict=True))[:count]
    found = []
    for slot, force in enumerate(forces_of(state, seat)):
        guesses = [_knights_in(int(knights)) for at, knights in down if at == slot]
        cards = []
        for knight, up in force.laid:
            if up:
                cards.append(Laid(knight, True))
            else:
                cards.append(Laid(knight if own else None, False, guesses.pop(0)))
        found.append(tuple(cards))
    return found


def _knights_in(bits: int) -> tuple[int, ...]:
    return tuple(knight for knight in range(NUM_KNIGHTS) if bits >> knight & 1)


def _cost(hand: list[int], down: list[list[int]]) -> tuple[int, int]:
    """Return the least and the most that a hand costs, some of whose cards lie face down."""
    values = sum(int(VALUE_OF[knight]) for knight in hand)
    most = values - sum(min((int(VALUE_OF[k]) for k in one), default=0) for one in down)
    least = values - sum(max((int(VALUE_OF[k]) for k in one), default=0) for one in down)
    return max(least, 0), most


def _points(state: np.void, seat: int, cost: tuple[int, int]) -> Points:
    """Count a seat's points (Fin du jeu), as ``scoring.py`` but by category."""
    owned = kingdoms_of(state, seat)
    strengths = {k: int(state["strength"][k]) for k in owned}
    if FIELDLAND in owned and has_power(state, SCORES_15):
        strengths[FIELDLAND] = FIELDLAND_SCORE
    if GOLDLAND in owned and has_power(state, SCORES_NOTHING):
        strengths[GOLDLAND] = 0
    powers = FIELDLAND_BONUS if FIELDLAND in owned and has_power(state, PLUS_5) else 0
    if SEALAND in owned and has_power(state, BEST_FORCE):
        powers += max((force.strength for force in forces_of(state, seat)), default=0)
    powers += _fame_taken(state, seat)
    if FORESTLAND in owned and has_power(state, HAND_IS_FREE):
        cost = (0, 0)
    return Points(fame_of(state, seat), sum(strengths.values()), powers, (-cost[1], -cost[0]))


def _fame_taken(state: np.void, seat: int) -> int:
    """Return the fame that changes hands at the end (+2 Points de renommée des adversaires)."""
    owner = owner_of(state, FORESTLAND)
    if owner is None or not has_power(state, TAKE_FAME):
        return 0
    paid = {
        other: min(fame_of(state, other), FAME_TAKEN)
        for other in range(int(state["num_players"]))
        if other != owner
    }
    return sum(paid.values()) if seat == owner else -paid[seat]


def _result(state: np.void, tables: list[Table]):
    """Points and ranks, as far as they are known; who forfeits comes last."""
    num_players, forfeit = len(tables), int(state["forfeit"])
    if forfeit >= 0:
        return [(0.0, 0.0)] * num_players, ranks_after_forfeit(num_players, forfeit)
    totals = [table.points.total for table in tables]
    ranks = []
    for low, high in totals:
        best = 1 + sum(other > high for other, _ in totals)
        worst = 1 + sum(other > low for _, other in totals)
        # A seat's own bounds don't make it better than itself.
        worst -= high > low
        ranks.append(best if best == worst else None)
    return [(float(low), float(high)) for low, high in totals], ranks


# Words


def span(bounds: tuple[float, float]) -> str:
    """Write a number that is known within bounds: ``12``, or ``9..12``."""
    low, high = bounds
    return f"{low:g}" if low == high else f"{low:g}..{high:g}"


def power_when(power: str) -> str:
    return "in play" if WHEN[power] == "in_play" else "at the end"


def power_text(kingdom: Kingdom, power: str) -> str:
    """Return a power in words, with when it works and whether it was used."""
    used = " (used)" if kingdom.used and "once" in power else ""
    when = "" if WHEN[power] == "in_play" else "end: "
    return f"{when}{POWER_WORDS[power]}{used}"


def place_words(action: int) -> str:
    """Return the place that an action chooses, in words: ``force 2``."""
    if action == NEW:
        return "a new force"
    if action < ADD:
        return f"force {action - STRENGTHEN + 1}"
    if action < DOWN:
        return KINGDOMS[action - ADD]
    if action < TAKE_FORCE:
        return f"force {action - DOWN + 1}"
    if action < TAKE_DEFENCE:
        return f"force {action - TAKE_FORCE + 1}"
    if action < TURN_UP:
        return KINGDOMS[action - TAKE_DEFENCE]
    return f"force {action - TURN_UP + 1}"


def place_of(action: int) -> tuple[int | None, int | None]:
    """Return the force and the kingdom that a choice of a place is about, None for none."""
    if STRENGTHEN <= action < ADD:
        return action - STRENGTHEN, None
    if ADD <= action < DOWN:
        return None, action - ADD
    if DOWN <= action < TAKE_FORCE:
        return action - DOWN, None
    if TAKE_FORCE <= action < TAKE_DEFENCE:
        return action - TAKE_FORCE, None
    if TAKE_DEFENCE <= action < TURN_UP:
        return None, action - TAKE_DEFENCE
    if TURN_UP <= action < PASS:
        return action - TURN_UP, None
    return None, None


def chosen_words(action: int) -> str:
    """Say what the seat that has chosen a place does next."""
    place = place_words(action)
    if action < ADD and action != NEW or ADD <= action < DOWN:
        return f"adds a card to {place}"
    if action == NEW:
        return "begins a new force"
    if action < TAKE_FORCE:
        return f"adds a card face down to {place}"
    if action < TURN_UP:
        return f"takes a card of {place} back"
    return f"turns a card of {place} up"


# The last move


def _move(state: np.void, viewer: int | None, last_action) -> Move:
    """Say what was done, as far as the record after it tells: it keeps no list of moves."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    if state["chosen"] == action:
        seat = int(state["to_play"])
        force, kingdom = place_of(action)
        return Move(f"player_{seat} {chosen_words(action)}", seat, force, kingdom)
    seat = actor_of(state, action)
    name = "" if seat is None else f"player_{seat} "
    if action >= HIDDEN:
        return _hidden(state, viewer, seat, name, action - HIDDEN)
    if action >= CARD:
        return _card(state, seat, name, action - CARD)
    if action >= RECRUIT:
        knight = action - RECRUIT
        text = f"{name}recruited {knight_name(knight)}"
        return Move(text, seat, knight=knight, to_hand=seat is not None)
    if action == PASS:
        return Move(f"{name}{_pass_words(state)}", seat)
    if action >= TURN_UP:
        return Move(f"{name}turned up a card of force {action - TURN_UP + 1}", seat)
    return Move(f"{name}{action_to_string(action)}", seat)


def _may_take(state: np.void) -> bool:
    """Say whether anybody can have taken a card back."""
    return has_power(state, TAKE_BACK) and owner_of(state, FIELDLAND) is not None


def _pass_words(state: np.void) -> str:
    if PHASES[int(state["phase"])] == "LAST_CARD":
        return "added no card"
    if has_power(state, FREE_RECRUIT):
        return "passed"
    return "ended the turn"


def _hidden(state: np.void, viewer, seat: int | None, name: str, knight: int) -> Move:
    """A card that the others don't see was put on the table or taken back."""
    own = viewer is None or viewer == seat
    which = knight_name(knight) if own else "a card"
    fresh = untouched(state)
    taken = _may_take(state) and (fresh or state["took"])
    done = "moved" if taken else "played"
    if taken and not (fresh or state["played"]):
        done = "took back"
    return Move(f"{name}{done} {which}, face down", seat, knight=knight if own else None)


def _card(state: np.void, seat: int | None, name: str, knight: int) -> Move:
    """A card was played, taken back or turned up."""
    which = knight_name(knight)
    if seat is None:
        return Move(f"card: {which}")
    fresh, last = untouched(state), state["phase"] == PHASES.index("LAST_KNIGHT")
    in_hand = bool(state["num_down"][seat] or state["hand"][seat, knight])
    taken = in_hand and _may_take(state) and (fresh or state["took"]) and not last
    if taken and not (fresh or state["played"]):
        return Move(f"{name}took {which} back", seat, knight=knight, to_hand=True)
    if taken or _may_have_turned_up(state, seat, CARD + knight):
        return Move(f"{name}moved {which}", seat, knight=knight)
    where = places_of(state, seat, knight)
    if len(where) != 1:
        return Move(f"{name}played {which}", seat, knight=knight)
    force, kingdom = where[0]
    if kingdom is not None:
        text = f"{name}played {which}: it defends {KINGDOMS[kingdom]}"
        return Move(text, seat, kingdom=kingdom, knight=knight)
    begun = len(forces_of(state, seat)[force].laid) == 1
    what = f"began force {force + 1} with" if begun else f"added to force {force + 1}:"
    return Move(f"{name}{what} {which}", seat, force=force, knight=knight)


assert set(POWER_WORDS) == set(POWERS)
