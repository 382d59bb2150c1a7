"""Setting up any position at the start of a trick: for analysis, problems and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import all_or_nothing, check_choice, check_whole
from ..core.state import begin
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
    VALUES,
    WORLDS,
)
from .rounds import clear_table
from .rules import run
from .state import NEW_TRICK

PILE_TILES = (*TILES, "eclipse")
ARROWS = {"left": LEFT, "right": RIGHT}


@dataclass(frozen=True)
class Position:
    """What ``set_position`` accepts.

    Attributes:
        hands: cards of each seat, as ``"violet 3"``.
        placed: cards at their worlds. A card that is nowhere is not in the round.
        camps: ``"shaman"`` or ``"shadow"`` for each seat, in seat order; by default those of the
            record. Each seat knows its own and no other.
        pawn: square of the Shadow pawn; by default where it stands.
        face_up, face_down: artefacts in front of each seat, as ``["portal", "dagger"]``.
        display: artefact on each of the two places, None for an empty one.
        pile: tiles from the top down, ``"eclipse"`` among them.
        arrow: of the Eclipse, ``"left"`` or ``"right"``.
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


@all_or_nothing
def set_position(states: np.ndarray, i: int = 0, **position: Any) -> None:
    """Put a position into ``states[i]``, a game already dealt (its players and options are kept).

    A trick begins. If the seat to play has no card the rules go on from there by themselves.

    Args:
        states: ``(n,)`` records.
        i: which of them.
        **position: attributes of `Position`; what is left out has its default.

    Raises:
        TypeError: a name that `Position` doesn't have.
        ValueError: a card that this player count doesn't have or that is in two places, more tiles
            of a kind than there are, hands of different sizes, a seat or square out of range.
    """
    record, given = states[i], Position(**position)
    num_players = int(record["num_players"])
    seats = range(num_players)
    for seat in (*given.hands, *given.face_up, *given.face_down):
        check_choice(seat, seats, "seat")
    camps = _camps(given, record, num_players)
    points = record["points"][seats].tolist() if given.points is None else list(given.points)
    if len(points) != num_players:
        raise ValueError(f"points has {len(points)} numbers for {num_players} seats")
    pawn = record["pawn"] if given.pawn is None else given.pawn
    to_play = check_whole(given.to_play, "to_play", 0, num_players - 1)
    marker = to_play if given.marker is None else given.marker
    _check_tiles(given)
    hands = {seat: _bits(given.hands.get(seat, ()), num_players) for seat in seats}
    placed = _bits(given.placed, num_players)
    _check_apart([*hands.values(), placed])
    sizes = {bits.bit_count() for bits in hands.values()}
    if len(sizes) > 1:
        raise ValueError(f"hands have {sorted(sizes)} cards; when a trick begins all have as many")
    begin(record, record["seed"], num_players)
    clear_table(record)
    record["pawn"] = check_whole(int(pawn), "pawn", 0, int(record["moon"]) - 1)
    record["marker"] = check_whole(marker, "marker", 0, num_players - 1)
    record["turn"] = to_play
    record["placed"] = placed
    record["secret"], record["shown_action"], record["last_seat"] = False, -1, -1
    record["shown_seat"] = -1
    for seat in seats:
        record["hand"][seat] = hands[seat]
        record["camp"][seat] = CAMPS.index(camps[seat])
        record["role"][seat] = seat
        record["seen"][seat] = 1 << seat
        record["points"][seat] = check_whole(points[seat], f"points of seat {seat}", 0, 127)
        record["shown"][seat] = _counts(given.face_up.get(seat, ()))
        record["hidden"][seat] = _counts(given.face_down.get(seat, ()))
    record["display"] = [NO_TILE if tile is None else TILES.index(tile) for tile in given.display]
    record["pile"][: len(given.pile)] = [PILE_TILES.index(tile) for tile in given.pile][::-1]
    record["pile_size"] = len(given.pile)
    record["arrow"] = ARROWS[given.arrow]
    record["eclipsed"] = "eclipse" not in given.pile
    record["stage"] = NEW_TRICK
    run(record)


def _camps(given: Position, record: np.void, num_players: int) -> list[str]:
    if given.camps is None:
        return [CAMPS[record["camp"][record["role"][seat]]] for seat in range(num_players)]
    if len(given.camps) != num_players:
        raise ValueError(f"camps has {len(given.camps)} words for {num_players} seats")
    for camp in given.camps:
        check_choice(camp, CAMPS, "camp")
    return list(given.camps)


def _bits(cards: Iterable[str], num_players: int) -> int:
    """Return a set of cards as bits."""
    bits = 0
    for card in cards:
        world, _, value = str(card).partition(" ")
        check_choice(world, WORLDS, f"world of the card {card!r}")
        number = check_whole(int(value) if value.isdecimal() else value, f"value of {card!r}", 1)
        bit = 1 << VALUES * WORLDS.index(world) + number - 1 if number <= VALUES else 0
        if not bit & int(DECK[num_players]):
            raise ValueError(f"{num_players} players have no card {card!r}")
        _check_apart([bits, bit])
        bits |= bit
    return bits


def _check_apart(sets: Sequence[int]) -> None:
    seen = 0
    for bits in sets:
        if seen & bits:
            card = (seen & bits).bit_length() - 1
            name = f"{WORLDS[card // VALUES]} {card % VALUES + 1}"
            raise ValueError(f"the card {name!r} is in two places")
        seen |= bits


def _check_tiles(given: Position) -> None:
    held = [tile for side in (given.face_up, given.face_down) for t in side.values() for tile in t]
    for tile in held:
        check_choice(tile, TILES[:NUM_HELD], "artefact in front of a seat")
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
    check_choice(given.arrow, ARROWS, "arrow of the Eclipse")
    counts = Counter([*held, *given.pile, *given.display])
    limits = dict(zip(TILES, TILES_IN_BOX.tolist(), strict=True)) | {PILE_TILES[ECLIPSE]: 1}
    for tile, limit in limits.items():
        if counts[tile] > limit:
            raise ValueError(f"the position has {counts[tile]} tiles {tile!r}; the box has {limit}")


def _counts(tiles: Iterable[str]) -> list[int]:
    counts = Counter(tiles)
    return [counts[tile] for tile in TILES[:NUM_HELD]]
