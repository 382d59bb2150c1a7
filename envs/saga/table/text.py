"""Text boards of Saga, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, paragraphs, result_lines
from ..actions import LastAction
from ..components import (
    COLOUR_OF,
    COLOURS,
    FIELDLAND,
    KINGDOMS,
    NUM_KNIGHTS,
    VALUE_OF,
    knight_name,
)
from ..state import CATEGORIES, CENTRE, Force, Laid
from .visible import Visible, chosen_words, power_text, see, span

WIDTH = 79
LEGEND = ", ".join(f"{colour[0].upper()} {colour}" for colour in COLOURS)


def describe(state: np.void, seat: int | None = None, last_action: LastAction = None) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    A card is written as the letter of its colour and its value: ``R3``, or ``r3`` for a recruited
    knight, which has another back. A face-down card is ``??``, or ``(R3)`` for a viewer who knows
    it. A force's first face-up card names the kingdom it attacks.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _kingdoms(seen)]
    # The viewer's table comes last, nearest to where the answer is typed.
    parts += [_table(seen, other) for other in looker_last(seen.seat, seen.num_players)]
    parts.append(_points(seen))
    if seen.over:
        parts.append(result_lines(seen, lambda seat: f"{span(seen.scores[seat])} points"))
    return paragraphs(parts)


def pass_words(seen: Visible) -> str:
    """Describe the meaning of passing in this position."""
    special = {"RECRUITING": "recruit nobody", "LAST_CARD": "add no card"}
    return special.get(seen.phase, "end the turn")


def prompt(seen: Visible) -> str:
    """Describe the decision of the seat to play, as far as it is public."""
    if seen.phase == "RECRUITING":
        return "conquered Castleland, may recruit a knight for free"
    if seen.phase == "LAST_CARD":
        return "may add a last card to a force or defence (Shadowland)"
    if seen.chosen >= 0:
        return f"{chosen_words(seen.chosen)}: which?"
    table, field = seen.tables[seen.to_play], seen.kingdoms[FIELDLAND]
    down = sum(not laid.up for force in table.forces for laid in force.laid)
    affordable = any(VALUE_OF[knight] <= table.points.fame for knight in seen.free)
    takes = "take_back_1_card_each_turn" in field.powers and field.owner == seen.to_play
    parts = {
        "plays a card": not seen.played,
        "may recruit": affordable and not seen.recruited,
        "may take a card back": takes and not seen.took,
        "may turn up a face-down card": down > seen.fresh,
        "may end the turn": seen.played,
    }
    return ", ".join(part for part, holds in parts.items() if holds)


def guess_words(laid: Laid) -> str:
    """Describe what a face-down card is, or can be."""
    if laid.knight is not None:
        return knight_name(laid.knight)
    return f"one of {', '.join(knight_name(card) for card in laid.guesses)}"


def _heading(seen: Visible) -> list[str]:
    eyes = "all eyes" if seen.seat is None else f"seen by {name_of(seen.seat)}"
    lines = [f"Saga, ply {seen.ply}, {eyes}"]
    if seen.over:
        lines.append("game over")
    else:
        lines += _wrapped("", f"{name_of(seen.to_play)} {prompt(seen)}")
        if seen.ending:
            lines.append("the last card was played")
    if seen.move is not None:
        lines += _wrapped("last move: ", seen.move.text)
    return lines


def _wrapped(head: str, text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=" " * indent)


def _short(card: int) -> str:
    letter = COLOURS[COLOUR_OF[card]][0]
    return f"{letter.upper() if card < NUM_KNIGHTS else letter}{VALUE_OF[card]}"


def _cards(cards: Sequence[int]) -> str:
    return " ".join(_short(card) for card in cards) or "none"


# Kingdoms


def _kingdoms(seen: Visible) -> list[str]:
    lines = [
        f"cards: {LEGEND}",
        *["in small letters: recruited, with another back than its seat's pack"] * seen.backs,
        f"free knights: {_cards(seen.free)}",
        "",
        "kingdom       side     held by   income  strength  defence",
    ]
    for kingdom in seen.kingdoms:
        owner = "centre" if kingdom.owner is None else name_of(kingdom.owner)
        letter = COLOURS[kingdom.number][0].upper()
        defence = _cards(kingdom.cards) + (f" {kingdom.modifier:+d}" if kingdom.modifier else "")
        lines.append(
            f"{letter} {kingdom.name:<12}{kingdom.side:<9}{owner:<10}{kingdom.income:>6}"
            f"{kingdom.strength:>10}  {defence}"
        )
        for power in kingdom.powers:
            lines += _wrapped("    ", power_text(kingdom, power), 4)
    return lines


# Tables


def _table(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    you = " (you)" if seat == seen.seat else ""
    first = ", first player" if seat == seen.first_player else ""
    cards = amount(table.size, "card")
    lines = [f"{name_of(seat)}{you}{first}: {table.points.fame} fame, {cards} in hand"]
    if table.hand is None:
        lines.append("  hand: not known, no card of its pack was seen yet")
    else:
        head = f"  hand and {table.mixed} face down: " if table.mixed else "  hand: "
        lines += _wrapped(head, _cards(table.hand), 4)
    for slot, force in enumerate(table.forces):
        lines += _force(seen, slot, force)
    return lines


def _force(seen: Visible, slot: int, force: Force) -> list[str]:
    cards = " ".join(_laid(laid) for laid in force.laid)
    if force.target < 0:
        lines = [f"  force {slot + 1}, no target: {cards}"]
    else:
        kingdom = seen.kingdoms[force.target]
        odds = f"{force.strength} against {kingdom.strength}"
        lines = [f"  force {slot + 1}, {kingdom.name}: {cards} = {odds}"]
    for laid in force.laid:
        if not laid.up and laid.knight is None:
            lines += _wrapped("    ??: one of ", _cards(laid.guesses), 8)
    return lines


def _laid(laid: Laid) -> str:
    if laid.knight is None:
        return "??"
    return _short(laid.knight) if laid.up else f"({_short(laid.knight)})"


# Points and the end


def _points(seen: Visible) -> list[str]:
    title = "points" if seen.over else "points now"
    rows: list[tuple[str, ...]] = [(title, *CATEGORIES, "in all")]
    for seat, table in enumerate(seen.tables):
        *points, hand = table.points
        rows.append((name_of(seat), *map(str, points), span(hand), span(table.points.total)))
    return [f"{name:<12}" + "".join(f"{cell:>10}" for cell in cells) for name, *cells in rows]


def remarks(before: np.void, after: np.void) -> list[str]:
    """Describe the consequences of an action, beyond the action itself.

    Args:
        before, after: the record before and after the action.
    """
    said = []
    for kingdom, name in enumerate(KINGDOMS):
        owner, old = int(after["owner"][kingdom]), int(before["owner"][kingdom])
        if owner != old:
            loser = "" if old == CENTRE else f" from {name_of(old)}"
            strength = int(after["strength"][kingdom])
            said.append(f"{name_of(owner)} conquers {name}{loser}, its defence is {strength} now")
    if after["ending"] and not before["ending"]:
        said.append("the last card: the end of the game")
    return said
