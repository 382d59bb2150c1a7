"""Text boards of Saga, for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, result_lines
from ..components import COLOUR_OF, COLOURS, KINGDOMS, VALUE_OF, knight_name
from ..state import CENTRE
from .visible import (
    CATEGORIES,
    Attack,
    Kingdom,
    Laid,
    Visible,
    chosen_words,
    power_text,
    see,
    span,
)

WIDTH = 79
LEGEND = ", ".join(f"{colour[0].upper()} {colour}" for colour in COLOURS)


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    A card is the letter of its colour and its value: ``R3``. One that lies face down is ``??``, or
    ``(R3)`` for who knows it. A force's first card that lies face up names the kingdom it attacks.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _kingdoms(seen), *_tables(seen), _points(seen)]
    if seen.over:
        parts.append(_results(seen))
    return "\n\n".join("\n".join(part) for part in parts)


def pass_words(seen: Visible) -> str:
    """Say what passing means now."""
    if seen.phase == "RECRUITING":
        return "recruit nobody"
    return "add no card" if seen.phase == "LAST_CARD" else "end the turn"


def prompt(seen: Visible) -> str:
    """Say what the seat to play decides, as far as everybody knows."""
    if seen.phase == "RECRUITING":
        return "conquered Castleland, may recruit a knight for free"
    if seen.phase == "LAST_CARD":
        return "may add a last card to a force or defence (Shadowland)"
    if seen.chosen >= 0:
        return f"{chosen_words(seen.chosen)}: which?"
    parts = [] if seen.played else ["plays a card"]
    fame = seen.tables[seen.to_play].fame
    if not seen.recruited and any(VALUE_OF[knight] <= fame for knight in seen.free):
        parts.append("may recruit")
    field = seen.kingdoms[-1]
    if "take_back_1_card_each_turn" in field.powers and field.owner == seen.to_play:
        parts += [] if seen.took else ["may take a card back"]
    forces = seen.tables[seen.to_play].forces
    if sum(not laid.up for force in forces for laid in force.cards) > seen.fresh:
        parts.append("may turn up a face-down card")
    if seen.played:
        parts.append("may end the turn")
    return ", ".join(parts)


def guess_words(laid: Laid) -> str:
    """Say what a face-down card is, or can be."""
    if laid.knight is not None:
        return knight_name(laid.knight)
    return f"one of {', '.join(knight_name(knight) for knight in laid.guesses)}"


def _heading(seen: Visible) -> list[str]:
    eyes = "all eyes" if seen.seat is None else f"seen by player_{seen.seat}"
    lines = [f"Saga, ply {seen.ply}, {eyes}"]
    if seen.over:
        lines.append("game over")
    else:
        lines += _wrapped("", f"player_{seen.to_play} {prompt(seen)}")
        if seen.ending:
            lines.append("the last card was played")
    if seen.move is not None:
        lines += _wrapped("last move: ", seen.move.text)
    return lines


def _wrapped(head: str, text: str, indent: int = 2) -> list[str]:
    return textwrap.wrap(head + text, WIDTH, subsequent_indent=" " * indent)


def _short(knight: int) -> str:
    return f"{COLOURS[COLOUR_OF[knight]][0].upper()}{VALUE_OF[knight]}"


def _cards(knights: Sequence[int]) -> str:
    return " ".join(_short(knight) for knight in knights) or "none"


# Kingdoms


def _kingdoms(seen: Visible) -> list[str]:
    lines = [
        f"cards: {LEGEND}",
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
        lines += _powers(kingdom)
    return lines


def _powers(kingdom: Kingdom) -> list[str]:
    lines = []
    for power in kingdom.powers:
        lines += textwrap.wrap(
            power_text(kingdom, power), WIDTH, initial_indent="    ", subsequent_indent="    "
        )
    return lines


# Tables


def _tables(seen: Visible) -> list[list[str]]:
    """All tables, that of the seat that looks last, nearest to where the answer is typed."""
    return [_table(seen, seat) for seat in looker_last(seen.seat, seen.num_players)]


def _table(seen: Visible, seat: int) -> list[str]:
    table = seen.tables[seat]
    you = " (you)" if seat == seen.seat else ""
    first = ", first player" if seat == seen.first_player else ""
    cards = amount(table.size, "card")
    lines = [f"player_{seat}{you}{first}: {table.fame} fame, {cards} in hand"]
    if table.hand is None:
        lines.append("  hand: not known, no card of its pack was seen yet")
    else:
        head = "  hand: "
        if table.mixed:
            head = f"  hand and {table.mixed} face down: "
        lines += _wrapped(head, _cards(table.hand), 4)
    for slot, force in enumerate(table.forces):
        lines += _force(seen, slot, force)
    return lines


def _force(seen: Visible, slot: int, force: Attack) -> list[str]:
    cards = " ".join(_laid(laid) for laid in force.cards)
    if force.target < 0:
        lines = [f"  force {slot + 1}, no target: {cards}"]
    else:
        name, strength = KINGDOMS[force.target], seen.kingdoms[force.target].strength
        lines = [f"  force {slot + 1}, {name}: {cards} = {force.strength} against {strength}"]
    for laid in force.cards:
        if not laid.up and laid.knight is None:
            lines += _wrapped("    ??: one of ", _cards(laid.guesses), 8)
    return lines


def _laid(laid: Laid) -> str:
    if laid.up:
        return _short(laid.knight)
    return "??" if laid.knight is None else f"({_short(laid.knight)})"


# Points and the end


def _points(seen: Visible) -> list[str]:
    title = "points" if seen.over else "points now"
    lines = [f"{title:<12}" + "".join(f"{name:>10}" for name in (*CATEGORIES, "in all"))]
    for seat, table in enumerate(seen.tables):
        points = table.points
        cells = [*(str(n) for n in points[:3]), span(points.hand), span(points.total)]
        lines.append(f"player_{seat:<5}" + "".join(f"{cell:>10}" for cell in cells))
    return lines


def _results(seen: Visible) -> list[str]:
    return result_lines(seen, lambda seat: f"{span(seen.scores[seat])} points")


def remarks(before: np.void, after: np.void) -> list[str]:
    """Say what an action brought about, beyond the action itself.

    Args:
        before, after: the record on both sides of it.
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
