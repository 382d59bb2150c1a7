"""Setting up any position at the start of a trick: for analysis, problems and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import check_choice, check_whole
from ..core.forms import dict_of, list_of, or_none, text, whole
from ..core.state import begin
from ..core.validity import all_or_nothing
from .components import (
    CAMPS,
    DECK,
    ECLIPSE,
    FACE_UP,
    LEFT,
    NO_TILE,
    NUM_HELD,
    PILE_SIZE,
    RIGHT,
    TILES,
    TILES_IN_BOX,
    WORLDS,
)
from .rounds import clear_table
from .rules import run
from .state import STAGE, camp_of, card_name, cards_of

HELD_TILES = TILES[:NUM_HELD]
PILE_TILES = (*TILES, "eclipse")
ARROW_NAMES = {"left": LEFT, "right": RIGHT}


@dataclass(frozen=True)
class Position:
    """The arguments of ``set_position``.

    Attributes:
        hands: the cards of each seat, such as ``"violet 3"``.
        placed: cards at their worlds. Cards not listed anywhere are not in the round.
        camps: ``"shaman"`` or ``"shadow"`` for each seat, in seat order; by default those of the
            record. Each seat knows its own and no other.
        pawn: square of the Shadow pawn; by default its current one.
        face_up, face_down: artefacts in front of each seat, such as ``["portal", "dagger"]``.
        display: artefact on each of the two places, None for an empty one.
        pile: tiles from the top down, ``"eclipse"`` among them.
        arrow: direction of the Eclipse, ``"left"`` or ``"right"``.
        points: victory points of each seat; by default those of the record.
        marker: seat with the First player marker; by default the one to play.
        to_play: seat that leads the trick.
    """

    hands: Mapping[int, Iterable[str]] = field(default_factory=dict)
    placed: Iterable[str] = ()
    camps: Sequence[str] | None = None
    pawn: int | None = None
    face_up: Mapping[int, Sequence[str]] = field(default_factory=dict)
    face_down: Mapping[int, Sequence[str]] = field(default_factory=dict)
    display: Sequence[str | None] = (None,) * FACE_UP
    pile: Sequence[str] = ()
    arrow: str = "left"
    points: Sequence[int] | None = None
    marker: int | None = None
    to_play: int = 0


_NAMES = list_of(text)
FORMS = {
    "hands": dict_of(whole, _NAMES),
    "placed": _NAMES,
    "camps": or_none(_NAMES),
    "pawn": or_none(whole),
    "face_up": dict_of(whole, _NAMES),
    "face_down": dict_of(whole, _NAMES),
    "display": list_of(or_none(text)),
    "pile": _NAMES,
    "arrow": text,
    "points": or_none(list_of(whole)),
    "marker": or_none(whole),
    "to_play": whole,
}


@all_or_nothing
def set_position(states: np.ndarray, i: int = 0, **position: Any) -> None:
    """Set ``states[i]``, a dealt game, to any position; its players and options are kept.

    A trick begins. If the seat to play has no card, the rules continue automatically.

    Args:
        states: records ``(n,)``.
        i: index of the game.
        **position: attributes of `Position`; omitted ones have their defaults.

    Raises:
        TypeError: `Position` has no such attribute.
        ValueError: a card that isn't used with this number of players or is in two places, too many
            tiles of a kind, hands of different sizes, or a seat or square out of range.
    """
    record, given = states[i], Position(**position)
    num_players = int(record["num_players"])
    seats = range(num_players)
    for seat in (*given.hands, *given.face_up, *given.face_down):
        check_choice(seat, seats, "seat")
    camps = given.camps
    if camps is None:
        camps = [camp_of(record, seat) for seat in seats]
    if len(camps) != num_players:
        raise ValueError(f"camps has {len(camps)} words for {num_players} seats")
    for camp in camps:
        check_choice(camp, CAMPS, "camp")
    points = record["points"][seats].tolist() if given.points is None else list(given.points)
    if len(points) != num_players:
        raise ValueError(f"points has {len(points)} numbers for {num_players} seats")
    pawn = record["pawn"] if given.pawn is None else given.pawn
    to_play = check_whole(given.to_play, "to_play", 0, num_players - 1)
    marker = to_play if given.marker is None else given.marker
    _check_tiles(given)
    *hands, placed = _bits([*(given.hands.get(seat, ()) for seat in seats), given.placed], record)
    sizes = {hand.bit_count() for hand in hands}
    if len(sizes) > 1:
        raise ValueError(f"hands have {sorted(sizes)} cards; when a trick begins all have as many")
    begin(record, record["seed"], num_players)
    clear_table(record)
    record["pawn"] = check_whole(int(pawn), "pawn", 0, int(record["moon"]) - 1)
    record["marker"] = check_whole(marker, "marker", 0, num_players - 1)
    record["turn"] = to_play
    record["placed"] = placed
    record["secret"] = False
    record["last_seat"] = record["shown_seat"] = record["shown_action"] = -1
    for seat in seats:
        record["hand"][seat] = hands[seat]
        record["camp"][seat] = CAMPS.index(camps[seat])
        record["role"][seat] = seat
        record["seen"][seat] = 1 << seat
        record["points"][seat] = check_whole(points[seat], f"points of seat {seat}", 0, 127)
        for name, tiles in (("shown", given.face_up), ("hidden", given.face_down)):
            record[name][seat] = [list(tiles.get(seat, ())).count(tile) for tile in HELD_TILES]
    record["display"] = [NO_TILE if tile is None else TILES.index(tile) for tile in given.display]
    record["pile"][: len(given.pile)] = [PILE_TILES.index(tile) for tile in given.pile][::-1]
    record["pile_size"] = len(given.pile)
    record["arrow"] = ARROW_NAMES[given.arrow]
    record["eclipsed"] = "eclipse" not in given.pile
    record["stage"] = STAGE.NEW_TRICK
    run(record)


def _bits(places: Iterable[Iterable[str]], record: np.void) -> list[int]:
    """Return the cards of each place as bits."""
    num_players = int(record["num_players"])
    numbers = {card_name(card): card for card in cards_of(DECK[num_players])}
    sets, seen = [], set()
    for place in map(list, places):
        for card in place:
            check_choice(str(card).partition(" ")[0], WORLDS, f"world of the card {card!r}")
            if card not in numbers:
                raise ValueError(f"{num_players} players have no card {card!r}")
            if card in seen:
                raise ValueError(f"the card {card!r} is in two places")
            seen.add(card)
        sets.append(sum(1 << numbers[card] for card in place))
    return sets


def _check_tiles(given: Position) -> None:
    held = [tile for side in (given.face_up, given.face_down) for t in side.values() for tile in t]
    for tile in held:
        check_choice(tile, HELD_TILES, "artefact in front of a seat")
    if len(given.display) != FACE_UP:
        raise ValueError(f"display has {len(given.display)} places; it must have {FACE_UP}")
    for shown in given.display:
        check_choice(shown, (None, *TILES), "artefact of the display")
    for tile in given.pile:
        check_choice(tile, PILE_TILES, "tile of the pile")
    if len(given.pile) > PILE_SIZE:
        raise ValueError(f"the pile has {len(given.pile)} tiles; at most {PILE_SIZE}")
    if given.pile[:1] == ["eclipse"]:
        raise ValueError("the Eclipse is on top of the pile; it comes out as soon as it is there")
    check_choice(given.arrow, ARROW_NAMES, "arrow of the Eclipse")
    counts = Counter([*held, *given.pile, *given.display])
    limits = dict(zip(TILES, TILES_IN_BOX.tolist(), strict=True)) | {PILE_TILES[ECLIPSE]: 1}
    for tile, limit in limits.items():
        if counts[tile] > limit:
            raise ValueError(f"the position has {counts[tile]} tiles {tile!r}; the box has {limit}")
