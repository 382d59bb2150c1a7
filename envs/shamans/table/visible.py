"""What a picture or a text of Shamans may show to a seat: what lies open, and what the seat knows.

Hidden are hands, role cards that the seat hasn't looked at, artefacts that lie face down, the
order of the pile; and that a seat is asked about a tile that lies face down, which the number of
plies would tell afterwards. A seat knows its own, the roles it has seen, and the cards that it gave
or got during the Eclipse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...core.drawing.visible import VisibleBase, common_of, numbers_of
from ...core.drawing.words import action_number, name_of, ranks_after_forfeit, ranks_of
from ..actions import ACTIONS, NUM_ACTIONS
from ..components import (
    CAMPS,
    ECLIPSE,
    HAND_SIZE,
    LEFT,
    NO_CARD,
    NO_TILE,
    NOBODY,
    NUM_CARDS,
    NUM_HELD,
    RITUALS,
    SHADOWS_IN_PLAY,
    TILES,
    VALUES,
    VALUES_IN_PLAY,
    WORLDS,
    WORLDS_IN_PLAY,
)
from ..hidden import action_seen_by, hides_action
from ..notation import action_to_string
from ..rules import is_asked_unseen, legal_words
from ..state import (
    NEW_TRICK,
    PHASES,
    camp_of,
    card_name,
    card_passed_by,
    cards_of,
    hand_of,
    is_eliminated,
    is_revealed,
    knows_camp,
    pile_of,
    placed_at,
    rounds_ended,
    seats_of,
)

# In the place of a card or a tile that is not shown.
FACE_DOWN = -1


class World(NamedTuple):
    """A world with the cards laid there.

    Attributes:
        number: of the world, 0 violet ...
        ritual: its name.
        values: of the cards laid there, ascending.
        size: how many cards it has when it is complete.
        status: ``"destination"``, ``"ritual now"``, ``"ritual to come"``, ``"complete"`` or ``""``.
        coming: value of the card on its way there, 0 for none.
    """

    number: int
    ritual: str
    values: list[int]
    size: int
    status: str
    coming: int

    @property
    def name(self) -> str:
        return WORLDS[self.number]


class Held(NamedTuple):
    """Artefacts of one kind in front of a player; the kind is ``FACE_DOWN`` if it isn't known."""

    kind: int
    face_up: bool
    count: int


class Player(NamedTuple):
    """A player, as the seat that looks sees it.

    Attributes:
        camp: ``"shaman"``, ``"shadow"``, or None if the seat that looks doesn't know.
        revealed: everybody knows it.
        witnesses: who has seen the role card.
        hand: cards in hand (set aside, if eliminated), ``FACE_DOWN`` for those not known.
        notes: what else is known of a card in hand: who gave it, or that it will be given.
        front: card of the Destination in front of the player, None for none.
        elsewhere: has played a card of another world in this trick.
        laid: has played a card in the trick whose cards were just laid; of which world isn't kept.
        artefacts: in front of the player.
    """

    seat: int
    points: int
    camp: str | None
    revealed: bool
    witnesses: list[int]
    hand: list[int]
    notes: dict[int, str]
    front: int | None
    elsewhere: bool
    laid: bool
    artefacts: list[Held]
    eliminated: bool


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: what was done, in words.
        card: the card it was about, if that lies on the table.
        seats: players whose part of the table it changed.
    """

    text: str
    card: int | None = None
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads."""

    round: int
    single: bool
    rounds_ended: int
    won: str  # the last round that has ended: "shaman", "shadow" or ""
    pawn: int
    start: int
    moon: int
    steps: int
    worlds: list[World]
    destination: int
    display: list[int]
    pile_size: int
    pile: list[int]  # from the top down, for all eyes
    eclipse: str  # "in the pile", "on top", "over"
    arrow: str  # "left", "right", "" if it isn't known
    gone: list[int]  # by kind
    looked_at: int | None  # tile about to be kept; FACE_DOWN if it isn't known
    guide: int
    marker: int
    shadows: int
    performer: int
    doing: int
    target: int
    receiver: int | None  # who gets the card that is being given
    players: list[Player]
    choices: list[dict[str, object]]  # for who decides, and all eyes


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
    to_play = int(state["to_play"])
    decides = seat in (None, to_play)
    unseen = not over and not decides and bool(is_asked_unseen(state))
    phase = PHASES[int(state["phase"])]
    scores, ranks = _result(state) if over else ([], [])
    eclipse, arrow = _eclipse(state, seat)
    if unseen:
        common |= {"to_play": None, "phase": ""}
    if seat is not None:
        # It counts what others did unseen.
        common["ply"] = None
    return Visible(
        **common,
        **numbers_of(
            state,
            "pawn",
            "start",
            "moon",
            "steps",
            "destination",
            "pile_size",
            "guide",
            "marker",
            "performer",
            "doing",
            "target",
        ),
        round=int(state["round"]) + 1,
        single=bool(state["single"]),
        rounds_ended=rounds_ended(state),
        won=CAMPS[int(state["won"])] if state["won"] >= 0 else "",
        worlds=[_world(state, world) for world in range(int(WORLDS_IN_PLAY[num_players]))],
        display=state["display"].tolist(),
        pile=pile_of(state) if seat is None else [],
        eclipse=eclipse,
        arrow=arrow,
        gone=state["gone"].tolist(),
        looked_at=_looked_at(state, decides),
        shadows=int(SHADOWS_IN_PLAY[num_players]),
        receiver=_receiver(state) if phase == "ECLIPSE" and not over else None,
        players=[_player(state, other, seat) for other in range(num_players)],
        choices=_choices(state) if decides and not over else [],
        scores=scores,
        ranks=ranks,
        move=None if last_action is None else _move(state, seat, last_action),
    )


def _world(state: np.void, world: int) -> World:
    values, size = placed_at(state, world), int(VALUES_IN_PLAY[state["num_players"]])
    card = int(state["card"])
    status = "complete" if len(values) == size else ""
    if state["doing"] == world:
        status = "ritual now"
    elif int(state["pending"]) >> world & 1:
        status = "ritual to come"
    elif state["destination"] == world:
        status = "destination"
    coming = card % VALUES + 1 if card != NO_CARD and card // VALUES == world else 0
    return World(world, RITUALS[int(state["ritual"][world])], values, size, status, coming)


def _player(state: np.void, seat: int, viewer: int | None) -> Player:
    own = viewer in (None, seat)
    hand, notes = hand_of(state, seat), _notes(state, seat, viewer)
    if not own:
        known = [card for card in hand if card in notes]
        hand = [FACE_DOWN] * (len(hand) - len(known)) + known
    knows = viewer is None or knows_camp(state, viewer, seat)
    front = int(state["front"][seat])
    played = seat in seats_of(state["played"])
    over = state["performer"] != NOBODY and state["then"] == NEW_TRICK
    return Player(
        seat=seat,
        points=int(state["points"][seat]),
        camp=camp_of(state, seat) if knows else None,
        revealed=is_revealed(state, seat),
        witnesses=[s for s in range(int(state["num_players"])) if knows_camp(state, s, seat)],
        hand=hand,
        notes=notes,
        front=None if front == NO_CARD else front,
        elsewhere=played and front == NO_CARD and not over,
        laid=played and over,
        artefacts=_artefacts(state, seat, own),
        eliminated=is_eliminated(state, seat),
    )


def _notes(state: np.void, holder: int, viewer: int | None) -> dict[int, str]:
    """Say which cards in a hand were given, as far as the viewer knows: it gave or got them."""
    notes = {}
    for giver in range(int(state["num_players"])):
        passed = card_passed_by(state, giver)
        # All eyes see the hands, whoever knows them.
        known = viewer in (giver, holder)
        if passed is not None and passed[1] == holder and known:
            notes[passed[0]] = "from you" if viewer == giver else f"from {giver}"
    card = int(state["given"][holder])
    if PHASES[int(state["phase"])] == "ECLIPSE" and card != NO_CARD and viewer in (None, holder):
        notes[card] = "given"
    return notes


def _artefacts(state: np.void, seat: int, own: bool) -> list[Held]:
    shown, hidden = state["shown"][seat].tolist(), state["hidden"][seat].tolist()
    held = [Held(kind, True, shown[kind]) for kind in range(NUM_HELD)]
    if own:
        held += [Held(kind, False, hidden[kind]) for kind in range(NUM_HELD)]
    else:
        held.append(Held(FACE_DOWN, False, sum(hidden)))
    return [tiles for tiles in held if tiles.count]


def _eclipse(state: np.void, viewer: int | None) -> tuple[str, str]:
    """Where the Eclipse is, and its arrow if the viewer can see it."""
    arrow = "left" if state["arrow"] == LEFT else "right"
    if state["eclipsed"]:
        return "over", arrow
    pile = pile_of(state)
    if pile and pile[0] == ECLIPSE:
        return "on top", arrow
    return "in the pile", arrow if viewer is None else ""


def _looked_at(state: np.void, decides: bool) -> int | None:
    kind = int(state["looked_at"])
    if kind == NO_TILE:
        return None
    return kind if decides else FACE_DOWN


def _receiver(state: np.void) -> int | None:
    """Return who gets the card of the player who is giving one: the next who has cards."""
    num_players, giver = int(state["num_players"]), int(state["to_play"])
    for ahead in range(1, num_players):
        seat = (giver + ahead * int(state["arrow"])) % num_players
        if state["hand"][seat] and not is_eliminated(state, seat):
            return seat
    return None


def _choices(state: np.void) -> list[dict[str, object]]:
    """Return the legal actions by their parts."""
    cards, others = legal_words(state)
    actions = cards_of(cards) + [NUM_CARDS + k for k in cards_of(others)]
    return [ACTIONS.decode(action) for action in actions]


def _result(state: np.void) -> tuple[list[float], list[int]]:
    """Points and ranks (Fin de partie); who forfeits comes last."""
    num_players, forfeit = int(state["num_players"]), int(state["forfeit"])
    if forfeit >= 0:
        return [0.0] * num_players, ranks_after_forfeit(num_players, forfeit)
    points = state["points"][:num_players].tolist()
    return [float(n) for n in points], ranks_of(points)


# Words


def tile_name(kind: int) -> str:
    """Return the name of an artefact, of the Eclipse, or of a tile that lies face down."""
    if kind == FACE_DOWN:
        return "face down"
    return "Eclipse" if kind == ECLIPSE else TILES[kind]


def counted(count: int, kind: int) -> str:
    """Return so many artefacts of a kind in words."""
    plural = "s" if count != 1 and kind != FACE_DOWN else ""
    return f"{count} {tile_name(kind)}{plural}"


# The last move


def _move(state: np.void, viewer: int | None, last_action) -> Move:
    """Say what was done, as far as the record after it tells and the viewer may know."""
    action = action_number(last_action, ACTIONS.encode, NUM_ACTIONS)
    known = action_seen_by(state, viewer, action)
    if known is None:
        return Move("not shown")
    actor = _actor(state, viewer, known)
    if actor is None:
        return Move(action_to_string(known))
    return _told(state, actor, known)


def _actor(state: np.void, viewer: int | None, action: int) -> int | None:
    """Return who took the action, if the record tells."""
    if action != _newest(state, viewer):
        return None
    hidden = viewer is not None and hides_action(state, viewer)
    return int(state["shown_seat" if hidden else "last_seat"])


def _newest(state: np.void, viewer: int | None) -> int | None:
    return action_seen_by(state, viewer, int(state["last_action"])) if state["ply"] else None


def _told(state: np.void, actor: int, action: int) -> Move:
    name = name_of(actor)
    parts = ACTIONS.decode(action)
    kind = parts["kind"]
    # Who was meant, and whether there is such a player.
    left = int(parts.get("left", 0))
    other = (actor + left) % int(state["num_players"])
    if kind == "card":
        given = state["secret"] and state["last_action"] == action
        verb = "gave" if given else "played"
        return Move(f"{name} {verb} {card_name(action)}", _on_table(state, action), (actor,))
    if kind == "portal":
        text = f"{name} used a portal: the pawn went {parts['direction']}"
        return Move(text, seats=(actor,))
    if kind == "take":
        place = parts["place"]
        what = "the top of the pile" if place == "top" else f"artefact {int(place) + 1}"
        return Move(f"{name} took {what}", seats=(actor,))
    if kind == "keep":
        return Move(f"{name} kept it face {'up' if parts['face_up'] else 'down'}", seats=(actor,))
    if left and other != actor:
        verb = {"swap": "swapped roles with", "eliminate": "eliminated"}.get(kind, "named as Guide")
        return Move(f"{name} {verb} {name_of(other)}", seats=(actor, other))
    words = {
        "pass": "passed",
        "retreat": "moved the pawn two squares back",
        "ritual": f"chose the ritual of {parts.get('world')}",
    }
    return Move(f"{name} {words[kind]}" if kind in words else action_to_string(action))


def _on_table(state: np.void, card: int) -> int | None:
    """Return the card if it lies on the table; a new round may have been dealt since."""
    num_players = int(state["num_players"])
    hands = sum(len(hand_of(state, seat)) for seat in range(num_players))
    if hands == num_players * int(HAND_SIZE[num_players]):
        return None
    lies = card in cards_of(state["placed"]) or card in state["front"].tolist()
    return card if lies or card == state["card"] else None
