"""What a picture or a text of Shamans may show to a seat: what is public, and what the seat knows.

Hidden are hands, role cards that the seat hasn't seen, face-down artefacts and the order of the
pile; if only holders are asked, also that a seat is being asked about a face-down tile, which the
number of plies would reveal afterwards. A seat knows its own cards, the roles it has seen, and the
cards that it gave or received during the Eclipse.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...core.drawing.panels import Place
from ...core.drawing.visible import VisibleBase, choices_of, common_of, fields_of, result_of
from ...core.drawing.words import action_number, minus, name_of
from ..actions import ACTIONS, NUM_ACTIONS, TAKE
from ..components import (
    DEEDS,
    ECLIPSE,
    HAND_SIZE,
    LEFT,
    NO_CARD,
    NO_TILE,
    NOBODY,
    NUM_HELD,
    PLAYS,
    RITUALS,
    VALUES,
    VALUES_IN_PLAY,
    WORLDS,
    WORLDS_IN_PLAY,
)
from ..hidden import action_seen_by, hides_action
from ..notation import action_to_string
from ..rules import is_asked_unseen, legal_actions, returns
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
)

# Stands for a card or a tile that is not shown.
FACE_DOWN = -1


class World(NamedTuple):
    """A world with the cards laid there.

    Attributes:
        number: of the world, 0 violet ...
        ritual: the name of its ritual.
        values: of the cards laid there, ascending.
        size: number of cards when it is complete.
        status: ``"destination"``, ``"ritual now"``, ``"ritual to come"``, ``"complete"`` or ``""``.
        coming: value of the card on its way there, 0 for none.
    """

    number: int
    name: str
    ritual: str
    values: list[int]
    size: int
    status: str
    coming: int


class Held(NamedTuple):
    """Artefacts of one kind in front of a player; the kind is ``FACE_DOWN`` if unknown."""

    kind: int
    face_up: bool
    count: int  # type: ignore[assignment]  # a tuple has a method of that name


class Player(NamedTuple):
    """A player, as seen by the viewer.

    Attributes:
        camp: ``"shaman"``, ``"shadow"``, or None if the viewer doesn't know.
        revealed: whether everybody knows it.
        witnesses: who has seen the role card.
        hand: cards in hand (set aside, if eliminated), ``FACE_DOWN`` for unknown ones.
        notes: what else is known about a card in hand: who gave it, or that it will be given.
        front: card of the Destination in front of the player, None for none.
        played: what happened to another card played in this trick: ``"elsewhere"``, to another
            world, or ``"laid"`` like all cards of the trick (its world isn't recorded); ``""``.
        artefacts: in front of the player.
        plays: cards played in this round, by the way they were played (``PLAYS``).
        deeds: what else the player has done in this round, and how often.
        swaps: how often the player chose each other player to swap roles with.
        eliminator: who eliminated the player, -1 for nobody.
        dealt_to: the player to whom the role card was dealt.
    """

    seat: int
    points: int
    camp: str | None
    revealed: bool
    witnesses: list[int]
    hand: list[int]
    notes: dict[int, str]
    front: int | None
    played: str
    artefacts: list[Held]
    eliminated: bool
    plays: dict[str, list[int]]
    deeds: dict[str, int]
    swaps: list[int]
    eliminator: int
    dealt_to: int


class Move(NamedTuple):
    """The last move.

    Attributes:
        text: the move in words.
        card: the card that it concerned, if it lies on the table.
        seats: the players involved, if it concerned another player.
    """

    text: str
    card: int | None = None
    seats: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Visible(VisibleBase):
    """Everything that a picture or a text reads; fields not listed here are those of the record.

    Attributes:
        round: counted from 0.
        pile: from top to bottom, in the omniscient view.
        eclipse: ``"in the pile"``, ``"on top of the pile"`` or ``"has come"``.
        arrow: of the Eclipse, ``"left"``, ``"right"``, or ``""`` if unknown.
        looked_at: the tile about to be kept, ``FACE_DOWN`` if unknown, None for none.
        receiver: who gets the card that is being given.
        choices: legal actions, for the seat to play and in the omniscient view.
    """

    round: int
    single: bool
    won: int
    rounds_ended: int
    pawn: int
    start: int
    moon: int
    steps: int
    destination: int
    worlds: list[World]
    display: list[int]
    gone: list[int]
    pile_size: int
    pile: list[int]
    eclipse: str
    arrow: str
    looked_at: int | None
    guide: int
    performer: int
    doing: int
    target: int
    receiver: int | None
    players: list[Player]
    choices: list[Place]


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
    num_players, over = common["num_players"], common["over"]
    decides = seat in (None, common["to_play"])
    giving = common["phase"] == "ECLIPSE" and not over
    if not over and not decides and is_asked_unseen(state):
        common |= {"to_play": None, "phase": ""}
    if seat is not None:
        # It counts the hidden actions of others.
        common["ply"] = None
    tile = int(state["looked_at"]) if decides else FACE_DOWN
    eclipse, arrow = _eclipse(state, seat)
    shown = {
        **fields_of(Visible, state),
        **common,
        **result_of(state, returns),
        "first_player": int(state["marker"]),
        "rounds_ended": rounds_ended(state),
        "worlds": [_world(state, world) for world in range(int(WORLDS_IN_PLAY[num_players]))],
        "pile": pile_of(state) if seat is None else [],
        "eclipse": eclipse,
        "arrow": arrow,
        "looked_at": None if state["looked_at"] == NO_TILE else tile,
        "receiver": _receiver(state) if giving else None,
        "players": [_player(state, other, seat) for other in range(num_players)],
        "choices": choices_of(state, legal_actions, ACTIONS) if decides else [],
        "move": None if last_action is None else _move(state, seat, last_action),
    }
    return Visible(**shown)


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
    ritual = RITUALS[int(state["ritual"][world])]
    return World(world, WORLDS[world], ritual, values, size, status, coming)


def _player(state: np.void, seat: int, viewer: int | None) -> Player:
    own = viewer in (None, seat)
    hand, notes = hand_of(state, seat), _notes(state, seat, viewer)
    if not own:
        known = [card for card in hand if card in notes]
        hand = [FACE_DOWN] * (len(hand) - len(known)) + known
    knows = viewer is None or knows_camp(state, viewer, seat)
    front, played = int(state["front"][seat]), ""
    if int(state["played"]) >> seat & 1:
        laid = state["performer"] != NOBODY and state["then"] == NEW_TRICK
        played = "laid" if laid else "elsewhere" if front == NO_CARD else ""
    return Player(
        seat=seat,
        points=int(state["points"][seat]),
        camp=camp_of(state, seat) if knows else None,
        revealed=is_revealed(state, seat),
        witnesses=[s for s in range(int(state["num_players"])) if knows_camp(state, s, seat)],
        hand=hand,
        notes=notes,
        front=None if front == NO_CARD else front,
        played=played,
        artefacts=_artefacts(state, seat, own),
        eliminated=is_eliminated(state, seat),
        plays={
            play: np.flatnonzero(state["plays"][seat] == how).tolist()
            for play, how in PLAYS.items()
        },
        deeds=dict(zip(DEEDS, state["deeds"][seat].tolist(), strict=True)),
        swaps=state["swaps"][seat].tolist(),
        eliminator=int(state["eliminator"][seat]),
        dealt_to=int(state["role"][seat]),
    )


def _notes(state: np.void, holder: int, viewer: int | None) -> dict[int, str]:
    """Describe which cards in a hand the viewer knows to be given: it gave or received them."""
    notes = {}
    for giver in range(int(state["num_players"])):
        passed = card_passed_by(state, giver)
        # The omniscient view shows all hands anyway.
        if passed is not None and passed[1] == holder and viewer in (giver, holder):
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
    """Return where the Eclipse is, and its arrow if the viewer can see it."""
    arrow = "left" if state["arrow"] == LEFT else "right"
    if state["eclipsed"]:
        return "has come", arrow
    if pile_of(state)[:1] == [ECLIPSE]:
        return "on top of the pile", arrow
    return "in the pile", arrow if viewer is None else ""


def _receiver(state: np.void) -> int | None:
    """Return who gets the card of the player who is giving one: the next who has cards."""
    num_players, giver = int(state["num_players"]), int(state["to_play"])
    way = (giver + ahead * int(state["arrow"]) for ahead in range(1, num_players))
    seats = (seat % num_players for seat in way)
    return next((s for s in seats if state["hand"][s] and not is_eliminated(state, s)), None)


# The last move


def _move(state: np.void, viewer: int | None, last_action) -> Move:
    """Describe the last move, as far as the record shows it and the viewer may know."""
    action = action_seen_by(state, viewer, action_number(last_action, ACTIONS.encode, NUM_ACTIONS))
    if action is None:
        return Move("not shown")
    newest = action_seen_by(state, viewer, int(state["last_action"])) if state["ply"] else None
    if action != newest:
        # The record doesn't show who took it.
        return Move(action_to_string(action))
    hidden = viewer is not None and hides_action(state, viewer)
    return _told(state, int(state["shown_seat" if hidden else "last_seat"]), action)


def _told(state: np.void, actor: int, action: int) -> Move:
    kind, *parts = ACTIONS.decode(action).values()
    name = name_of(actor)
    part: Any = parts[0] if parts else None
    if kind == "card":
        given = state["secret"] and state["last_action"] == action
        verb = "gave" if given else "played"
        return Move(f"{name} {verb} {card_name(action)}", _on_table(state, action))
    done = {"swap": "swapped roles with", "eliminate": "eliminated", "guide": "named as Guide"}
    if kind in done:
        other = (actor + part) % int(state["num_players"])
        if other == actor:
            return Move(action_to_string(action))
        return Move(f"{name} {done[kind]} {name_of(other)}", seats=(actor, other))
    words = {
        "portal": f"used a portal: the pawn went {part}",
        "pass": "passed",
        "take": f"took artefact {action - TAKE + 1}",
        "top": "took the top of the pile",
        "keep": f"kept it face {'up' if part else 'down'}",
        "retreat": "moved the pawn two squares back",
        "ritual": f"chose the ritual of {part}",
    }
    return Move(f"{name} {words['top' if part == 'top' else kind]}")


def _on_table(state: np.void, card: int) -> int | None:
    """Return the card if it lies on the table; a new round may have been dealt since."""
    num_players = int(state["num_players"])
    in_hands = sum(len(hand_of(state, seat)) for seat in range(num_players))
    on_table = {*cards_of(state["placed"]), *state["front"].tolist(), int(state["card"])}
    fresh = in_hands == num_players * int(HAND_SIZE[num_players])
    return card if card in on_table and not fresh else None


def points_seen(seen: Visible) -> list[str]:
    """Return the points of each seat as text."""
    return [minus(player.points) for player in seen.players]
