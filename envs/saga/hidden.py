"""What a seat of Saga cannot know: which cards lie face down, and packs not shown yet.

Packs are hidden only with ``packs_known="once_shown"``; otherwise their backs are visible in hand.

What is known about a face-down card is stored with it (``can_be``): it has the back that all see;
it was in its owner's hand or face down when it was laid; its colour was and stayed new in its
force; and it is none of those that the owner has shown since. Each face-down card of a seat is
tracked separately.
"""

from __future__ import annotations

import numpy as np

from ..core.bits import count_bits, select_bit
from ..core.jit import kernel
from ..core.rng import draw_below
from ..core.state import seat_after
from .actions import CARD, HIDDEN, NUM_ACTIONS, PASS, RECRUIT, TURN_UP
from .cards import first_of_back, gain_card, lose_card
from .components import CASTLELAND, COLOUR_OF, FACE_DOWN, FREE_RECRUIT, NUM_KNIGHTS, NUM_PACKS
from .legal import find_legal, only_pass
from .rules import deal_pack
from .state import LAST_CARD, PHASES, Laid, defence_of, forces_of, kingdoms_of, owner_of


@kernel
def determinize(state, seat, seed):
    """Resample what ``seat`` cannot know: packs not shown yet, face-down cards, future chance.

    All ways to deal the packs that ``seat`` can't place are equally likely, and so are all ways to
    assign different possible cards to the face-down cards of another seat.
    """
    state["rng"] = seed
    state["seed"] = seed
    # Determined before anything is resampled, since it depends on the true card.
    laid = _laid_last(state)
    _redraw_packs(state, seat)
    for other in range(np.int64(state["num_players"])):
        if other != seat and state["num_down"][other]:
            _redraw_down(state, other)
    if state["last_action"] >= HIDDEN and _hider(state) != seat:
        _redraw_last_action(state, _hider(state), laid)
    if state["to_play"] != seat:
        find_legal(state)


@kernel
def _hider(state):
    """Return who put a card face down, or took one back, in the last action."""
    turn_of = np.int64(state["turn_of"])
    if state["played"] or state["recruited"] or state["took"]:
        return turn_of
    return seat_after(state, turn_of, np.int64(state["num_players"]) - 1)


@kernel
def _laid_last(state):
    """Return whether the last action laid its seat's newest face-down card."""
    if state["last_action"] < HIDDEN or (state["took"] and not state["played"]):
        return False
    hider = _hider(state)
    count = np.int64(state["num_down"][hider])
    card = np.int64(state["last_action"]) - HIDDEN
    return count > 0 and state["down_card"][hider, count - 1] == card


@kernel
def _redraw_last_action(state, hider, laid):
    """Change the card of the last action, of which only the back is known, to a possible one.

    A card laid face down is the one drawn for that place; one that was taken back is in the hand.
    """
    first = first_of_back(np.int64(state["last_action"]) - HIDDEN)
    if laid:
        state["last_action"] = HIDDEN + state["down_card"][hider, state["num_down"][hider] - 1]
        return
    count = 0
    for knight in range(NUM_KNIGHTS):
        count += np.int64(state["hand"][hider, first + knight])
    if count == 0:  # the illegal action that lost the game
        state["last_action"] = -1
        return
    k = draw_below(state, count)
    card = first
    while k >= state["hand"][hider, card]:
        k -= np.int64(state["hand"][hider, card])
        card += 1
    state["last_action"] = HIDDEN + card


@kernel
def _redraw_packs(state, seat):
    """Shuffle the packs of seats that have shown no card with those in the box."""
    num_players = np.int64(state["num_players"])
    shown = np.int64(state["shown"]) | 1 << seat | 1 << num_players  # the centre's pack is seen
    hidden = (1 << NUM_PACKS) - 1 & ~shown
    if hidden & (1 << num_players) - 1 == 0:
        return
    packs = 0
    for place in range(NUM_PACKS):
        if hidden >> place & 1:
            packs |= 1 << np.int64(state["pack"][place])
    for place in range(NUM_PACKS):
        if hidden >> place & 1:
            pack = select_bit(packs, draw_below(state, count_bits(packs)))
            packs &= ~(1 << pack)
            state["pack"][place] = pack
    for other in range(num_players):
        if hidden >> other & 1:
            deal_pack(state, other, np.int64(state["pack"][other]))


@kernel
def _redraw_down(state, other):
    """Resample the face-down cards of a seat among its cards that they can be."""
    count = np.int64(state["num_down"][other])
    while True:
        for j in range(count):
            _take_up(state, other, j)
        while not _lay_down(state, other, count):
            pass
        if _can_go_on(state, other):
            return


@kernel
def _take_up(state, other, j):
    """Put a face-down card into the hand, but keep its place."""
    card = np.int64(state["down_card"][other, j])
    slot = np.int64(state["down_slot"][other, j])
    state["having"][other, COLOUR_OF[card]] &= ~(1 << slot)
    gain_card(state, other, card)


@kernel
def _lay_down(state, other, count):
    """Draw a card for each face-down place; return whether this is a valid combination.

    Each is drawn from all cards that it can be, and drawing one twice is a failure, so all valid
    combinations are equally likely. After a failure the hand is unchanged. Whatever an older card
    can be, younger ones can be too, unless their force has that colour; so the cards already drawn
    are among the candidates of a younger one.
    """
    for j in range(count):
        slot = np.int64(state["down_slot"][other, j])
        card = _draw_card(state, other, j)
        if card < 0 or np.int64(state["having"][other, COLOUR_OF[card]]) >> slot & 1:
            for k in range(j):
                _take_up(state, other, k)
            return False
        state["down_card"][other, j] = card
        state["having"][other, COLOUR_OF[card]] |= 1 << slot
        lose_card(state, other, card)
    return True


@kernel
def _draw_card(state, other, j):
    """Draw one of the cards that a face-down card can be, -1 for one drawn before."""
    first = first_of_back(np.int64(state["down_card"][other, j]))
    count = 0
    for knight in range(NUM_KNIGHTS):
        count += np.int64(state["can_be"][other, j, knight])
    drawn = draw_below(state, count)
    knight = 0
    while drawn >= state["can_be"][other, j, knight]:
        drawn -= np.int64(state["can_be"][other, j, knight])
        knight += 1
    for k in range(j):
        drawn -= state["down_card"][other, k] == first + knight
    return first + knight if drawn >= 0 else -1


@kernel
def _can_go_on(state, other):
    """Return whether the hand has a card for the place that the seat has chosen."""
    if state["to_play"] != other or state["terminated"]:
        return True
    find_legal(state)
    if state["phase"] == LAST_CARD:
        return not only_pass(state)
    return state["legal"].any()


def has_power(state: np.void, power: int) -> bool:
    return bool(int(state["powers"]) & power)


def untouched(state: np.void) -> bool:
    """Return whether the record shows no action in this turn."""
    return not (state["played"] or state["recruited"] or state["took"])


def actor_of(state: np.void, action: int) -> int | None:
    """Return who played an action that chose no place, None if the record doesn't show it."""
    phase = PHASES[int(state["phase"])]
    turn_of, num_players = int(state["turn_of"]), int(state["num_players"])
    # A truncated game keeps its phase: the last action is another seat's.
    ended = state["terminated"] and state["forfeit"] < 0
    if ended and phase in ("LAST_CARD", "LAST_KNIGHT") and action in (PASS, *range(CARD, HIDDEN)):
        return int(state["to_play"])
    freely = action == PASS or RECRUIT <= action < CARD
    if phase == "RECRUITING":
        # An owner of Castleland that retakes it at once may recruit after another's recruit.
        return None if freely else turn_of
    fresh = untouched(state)
    before = (turn_of - 1) % num_players if fresh else turn_of
    if freely and has_power(state, FREE_RECRUIT):
        # It may have been the free recruit of the one who had conquered Castleland.
        owner = owner_of(state, CASTLELAND)
        return before if owner in (None, before) else None
    if fresh and TURN_UP <= action < PASS:
        return None
    if fresh and may_have_turned_up(state, turn_of, action):
        return before if places_of(state, before, action - CARD) else None
    return before


@kernel
def public_action(state):
    """Return the last action; ``NUM_ACTIONS`` if it names a face-down card."""
    action = np.int64(state["last_action"])
    return NUM_ACTIONS if action >= HIDDEN else action


def hides_action(state: np.void, seat: int) -> bool:
    """Return whether the last action names a card that is or was face down for this seat."""
    action = int(state["last_action"])
    return action >= HIDDEN and actor_of(state, action) != seat


def may_have_turned_up(state: np.void, seat: int, action: int) -> bool:
    """Return whether a face-up card may be one of several that were face down together."""
    if not (CARD <= action < HIDDEN and has_power(state, FACE_DOWN)):
        return False
    card = action - CARD
    forces = [force.cards for force in forces_of(state, seat) if force.down]
    defences = [defence_of(state, k) for k in kingdoms_of(state, seat)]
    return any(card in cards for cards in forces + [d for d in defences if len(d) > 2])


def places_of(state: np.void, seat: int, card: int) -> list[tuple[int | None, int | None]]:
    """Return the possible places of a card just played: on top of a force, or in a defence."""
    found: list[tuple[int | None, int | None]] = [
        (slot, None)
        for slot, force in enumerate(forces_of(state, seat))
        if force.laid[-1] == Laid(card, True)
    ]
    return found + [(None, k) for k in kingdoms_of(state, seat) if card in defence_of(state, k)]
