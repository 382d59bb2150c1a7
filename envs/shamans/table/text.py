"""Text boards of Shamans, for a terminal; and the wording shared with its pictures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, paragraphs, result_lines, wrapped
from ..components import (
    DAGGER,
    ECLIPSE,
    GOAL,
    NO_TILE,
    NO_WORLD,
    NOBODY,
    POINTS_OF_CAMP,
    POINTS_OF_SHARDS,
    PORTAL,
    RITUALS,
    SHADOW,
    SHADOWS_IN_PLAY,
    SHAMAN,
    SHARDS_THAT_SCORE,
    STABILISATION_SQUARES,
    TILES,
    VALUES_IN_PLAY,
    WORLDS,
)
from ..state import (
    camp_of,
    camps_of_round,
    card_name,
    is_eliminated,
    is_revealed,
    placed_at,
    rounds_ended,
)
from .visible import FACE_DOWN, Held, Player, Visible, World, see

WIDTH = 79
# By camp.
CAMP_NAMES = ("Shamans", "Shadows")
# How points are earned in a round.
POINTS_WORDS = (
    f"won: Shaman +{POINTS_OF_CAMP[SHAMAN]}, Shadow +{POINTS_OF_CAMP[SHADOW]}",
    f"{SHARDS_THAT_SCORE} shards: +{POINTS_OF_SHARDS}",
)


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    Worlds list the values laid there, with a dot for each missing one. Players are in clockwise
    order, the viewer last. On the track, ``@`` is the Shadow pawn, ``s`` the start, ``M`` the Moon.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [
        _beginning(seen),
        _track(seen),
        [_world_line(world) for world in seen.worlds],
        _artefacts(seen),
        _trick(seen),
        # The viewer comes last, nearest to where the answer is typed.
        *(_player(seen, seen.players[s]) for s in looker_last(seen.seat, seen.num_players)),
    ]
    if seen.over:
        parts.append(result_lines(seen, lambda s: amount(seen.scores[s], "point")))
    return paragraphs(parts)


# Words of texts and pictures


def prompt(seen: Visible) -> str:
    """Describe the decision of the seat to play."""
    if not seen.phase:
        return "a player may be deciding about a tile that lies face down"
    held = seen.players[seen.to_play].artefacts
    face_up = [tiles.kind for tiles in held if tiles.face_up]
    plays = "leads a card: its world is the Destination"
    if seen.destination != NO_WORLD:
        plays = f"plays a card, the Destination is {WORLDS[seen.destination]}"
    portal = PORTAL in face_up or ("portal", "on") in seen.choices
    whom = "a neighbour" if seen.receiver is None else name_of(seen.receiver)
    use = f"may use a portal{_if_it_has(seen, PORTAL, 'portal')}"
    dagger = f"may use a dagger{_if_it_has(seen, DAGGER, 'eliminate')}"
    if DAGGER in face_up:
        dagger = "must use a dagger"
    falls = "is" if seen.target == seen.to_play else f"{name_of(seen.target)} is"
    cards = any(player.hand and not player.eliminated for player in seen.players)
    near = "the Moon is near" if cards else "the cards have run out"
    back = f"{STABILISATION_SQUARES} squares back, or an artefact"
    return {
        "CARD": f"{plays}, or uses a portal" if portal else plays,
        "ECLIPSE": f"Eclipse: gives a card to {whom}, to the {seen.arrow}",
        "MOON": f"the pawn is about to reach the Moon: {use}",
        "LAST": f"{falls} about to be eliminated: {use}",
        "PORTAL": f"{near}: {use}",
        "ARTEFACT": "has the lowest card: takes an artefact",
        "KEEP": "keeps the artefact, face up or face down",
        "STABILISE": f"stabilisation: the pawn goes {back}",
        "PERMUTE": "permutation: swaps roles with another player",
        "NEUTRALISE": f"neutralisation: {dagger}",
        "ORDER": "says which ritual comes first",
        "GUIDE": "eliminated, with the only card of the Destination: names the Guide",
    }[seen.phase]


def _if_it_has(seen: Visible, kind: int, use: str) -> str:
    """Describe that the seat to play may have no such tile, or has none."""
    held = seen.players[seen.to_play].artefacts
    if any(choice[0] == use for choice in seen.choices) or kind in (t.kind for t in held):
        return ""
    return ", but has none" if seen.choices else ", if it has any"


def heading(seen: Visible) -> list[str]:
    """Describe the round, the winner of the last one, and the viewer."""
    rounds = "single round" if seen.single else f"round {seen.round + 1}"
    eyes = f"ply {seen.ply}, all eyes" if seen.seat is None else f"seen by {name_of(seen.seat)}"
    return [words for words in (rounds, outcome(seen), eyes) if words]


def outcome(seen: Visible) -> str:
    """Describe who won the last finished round; empty if there is none."""
    if seen.won < 0:
        return ""
    won = f"{CAMP_NAMES[seen.won]} won"
    return won if seen.single else f"{won} round {seen.rounds_ended}"


def camps_words(seen: Visible) -> str:
    """Describe the number of Shamans and Shadows."""
    shadows = int(SHADOWS_IN_PLAY[seen.num_players])
    return f"{seen.num_players - shadows} Shamans, {amount(shadows, 'Shadow')}"


def ritual_words(seen: Visible) -> str:
    """Describe who is performing which ritual."""
    if seen.doing == NO_WORLD:
        return f"{name_of(seen.performer)} does rituals"
    world = seen.worlds[seen.doing]
    return f"{name_of(seen.performer)} does the ritual of {world.name}: {world.ritual}"


def eclipse_words(seen: Visible) -> str:
    """Describe where the Eclipse is."""
    return f"Eclipse: {seen.eclipse}" + (f", arrow to the {seen.arrow}" if seen.arrow else "")


def role_words(player: Player) -> str:
    """Describe a player's role and who has seen it."""
    role = (player.camp or "role not known").replace("sha", "Sha")
    if player.revealed:
        return f"{role}, shown to all"
    return f"{role} (seen by {', '.join(map(str, player.witnesses))})"


def tile_name(kind: int) -> str:
    """Return the name of an artefact, of the Eclipse, or of a face-down tile."""
    if kind == FACE_DOWN:
        return "face down"
    return "Eclipse" if kind == ECLIPSE else TILES[kind]


def tiles_words(held: Held) -> str:
    """Return a number of artefacts of one kind in words."""
    if held.kind == FACE_DOWN:
        return f"{held.count} face down"
    return amount(held.count, tile_name(held.kind)) + ("" if held.face_up else " face down")


# The parts of a text


def _beginning(seen: Visible) -> list[str]:
    doing = "game over" if seen.over else prompt(seen)
    if not seen.over and seen.to_play is not None:
        doing = f"{name_of(seen.to_play)}: {doing}"
    goal = "" if seen.single else f", to {GOAL} points"
    lines = [
        ", ".join(["Shamans", *heading(seen)]),
        doing,
        f"{camps_words(seen)}; {', '.join(POINTS_WORDS)}{goal}",
    ]
    if seen.move is not None:
        lines.append(f"last move: {seen.move.text}")
    return lines


def _track(seen: Visible) -> list[str]:
    steps = seen.moon - seen.pawn
    words = f"Shadow track: pawn on {seen.pawn}, Moon on {seen.moon}: {steps} to go"
    if seen.steps:
        words += f"; about to go {seen.steps} on"
    squares = ["."] * seen.moon + ["M"]
    squares[seen.start] = "s"
    squares[seen.pawn] = "@"
    track = "".join(squares)
    return [words, *(track[k : k + WIDTH] for k in range(0, len(track), WIDTH))]


def _world_line(world: World) -> str:
    laid = (value if value in world.values else "." for value in range(1, world.size + 1))
    coming = f"{world.coming} on its way" if world.coming else ""
    notes = ", ".join(note for note in (world.status, coming) if note)
    return f"{world.name:<8}{world.ritual:<16}{' '.join(map(str, laid))}  {notes}".rstrip()


def _artefacts(seen: Visible) -> list[str]:
    places = [
        f"[{k + 1}] {'-' if kind == NO_TILE else tile_name(kind)}"
        for k, kind in enumerate(seen.display)
    ]
    lines = [f"artefacts: {'  '.join(places)}  pile of {seen.pile_size}", eclipse_words(seen)]
    if seen.pile:
        lines += wrapped("pile from the top: ", [tile_name(kind) for kind in seen.pile], WIDTH)
    gone = [amount(count, TILES[kind]) for kind, count in enumerate(seen.gone) if count]
    if gone:
        lines.append(f"out of the round: {', '.join(gone)}")
    if seen.looked_at is not None:
        what = "tile" if seen.looked_at == FACE_DOWN else tile_name(seen.looked_at)
        lines.append(f"{name_of(seen.to_play)} looks at a {what} from the pile")
    return lines


def _trick(seen: Visible) -> list[str]:
    """Return the current trick, starting with the Guide."""
    where = "none yet" if seen.destination == NO_WORLD else WORLDS[seen.destination]
    lines = [f"Destination: {where}; Guide: {name_of(seen.guide)}"]
    for player in seen.players[seen.guide :] + seen.players[: seen.guide]:
        if player.front is not None:
            note = " (eliminated: doesn't count)" if player.eliminated else ""
            lines.append(f"  {name_of(player.seat)} {card_name(player.front)}{note}")
        elif player.played == "elsewhere":
            lines.append(f"  {name_of(player.seat)} played to another world")
    if any(player.played == "laid" for player in seen.players):
        lines.append("  the cards of the trick are laid")
    if seen.performer != NOBODY:
        lines.append(ritual_words(seen))
    if seen.target != NOBODY:
        lines.append(f"{name_of(seen.target)} is being eliminated")
    return lines


def _player(seen: Visible, player: Player) -> list[str]:
    marks = {
        "you": player.seat == seen.seat,
        "Guide": player.seat == seen.guide,
        "First player": player.seat == seen.first_player,
        "eliminated": player.eliminated,
    }
    marked = ", ".join(mark for mark, is_so in marks.items() if is_so)
    name = f"{name_of(player.seat)} ({marked})" if marked else name_of(player.seat)
    lines = [f"{name}: {amount(player.points, 'point')}, {role_words(player)}", *_hand(player)]
    if player.artefacts:
        where = "out of the round" if player.eliminated else "artefacts"
        lines += wrapped(f"  {where}: ", [tiles_words(held) for held in player.artefacts], WIDTH)
    return lines + _history(seen, player)


def _history(seen: Visible, player: Player) -> list[str]:
    """Return what the player did in this round."""
    lines = []
    for how, cards in player.plays.items():
        if cards:
            words = [" ".join(group) for group in _by_world(player, cards)]
            lines += wrapped(f"  {how}: ", words, WIDTH)
    done = [amount(count, deed) for deed, count in player.deeds.items() if count]
    for other in seen.players:
        count = player.swaps[other.seat]
        if count:
            done.append(f"swapped with {name_of(other.seat)}" + (f" ({count})" * (count > 1)))
        if other.eliminator == player.seat:
            done.append(f"eliminated {name_of(other.seat)}")
    if done:
        lines += wrapped("  done: ", done, WIDTH)
    if player.dealt_to != player.seat:
        lines.append(f"  has the role card dealt to {name_of(player.dealt_to)}")
    return lines


def _by_world(player: Player, cards: list[int]) -> list[list[str]]:
    """Return cards as values by world, with what is known about those in hand."""
    known: dict[str, list[str]] = {}
    for card in cards:
        world, value = card_name(card).split()
        note = player.notes.get(card)
        known.setdefault(world, [world]).append(f"{value} ({note})" if note else value)
    return list(known.values())


def _hand(player: Player) -> list[str]:
    head = f"  {amount(len(player.hand), 'card')} "
    head += "set aside" if player.eliminated else "in hand"
    known = _by_world(player, [card for card in player.hand if card != FACE_DOWN])
    if not known:
        return [head]
    head += ", known: " if FACE_DOWN in player.hand else ": "
    return wrapped(head, [" ".join(group) for group in known], WIDTH)


# What happened


def remarks(before: np.void, after: np.void) -> list[str]:
    """Describe the consequences of an action, beyond the action itself.

    Args:
        before, after: the record before and after the action.
    """
    ended = camps_of_round(after)
    if ended is not None and rounds_ended(after) > rounds_ended(before):
        return [f"the round is over: the {ended[2].capitalize()}s have won it"]
    said = []
    if after["destination"] != NO_WORLD == before["destination"]:
        said.append(f"the Destination is {WORLDS[after['destination']]}")
    steps = int(after["pawn"]) - int(before["pawn"])
    if steps:
        way = "advances" if steps > 0 else "retreats"
        to_go = int(after["moon"]) - int(after["pawn"])
        said.append(f"the Shadow {way} by {abs(steps)}, {to_go} to go")
    for world, name in enumerate(WORLDS):
        size = VALUES_IN_PLAY[after["num_players"]]
        if len(placed_at(before, world)) < size == len(placed_at(after, world)):
            said.append(f"{name} is complete: {RITUALS[after['ritual'][world]]}")
    for seat in range(int(after["num_players"])):
        said += _came_to(before, after, seat)
    if after["guide"] != before["guide"]:
        said.append(f"{name_of(int(after['guide']))} is the Guide")
    return said


def _came_to(before: np.void, after: np.void, seat: int) -> list[str]:
    """Describe what happened to a player: artefacts gained, role shown, elimination."""
    said = []
    shown = after["shown"][seat] - before["shown"][seat]
    hidden = after["hidden"][seat] - before["hidden"][seat]
    for kind in np.flatnonzero(shown + hidden > 0).tolist():
        down = " face down" if hidden[kind] else ""
        said.append(f"{name_of(seat)} has a {TILES[kind]}{down}")
    if is_revealed(after, seat) and not is_revealed(before, seat):
        said.append(f"all see that {name_of(seat)} is a {camp_of(after, seat).capitalize()}")
    if is_eliminated(after, seat) and not is_eliminated(before, seat):
        said.append(f"{name_of(seat)} is eliminated")
    return said
