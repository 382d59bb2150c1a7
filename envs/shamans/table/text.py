"""Text boards of Shamans, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...core.drawing.words import amount, looker_last, name_of, result_lines, wrapped
from ..components import (
    DAGGER,
    GOAL,
    NO_TILE,
    NO_WORLD,
    NOBODY,
    POINTS_OF_CAMP,
    POINTS_OF_SHARDS,
    PORTAL,
    RITUALS,
    SHARDS_THAT_SCORE,
    STABILISATION_SQUARES,
    TILES,
    VALUES,
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
from .visible import FACE_DOWN, Player, Visible, World, counted, see, tile_name

WIDTH = 79


def describe(
    state: np.void,
    seat: int | None = None,
    last_action: int | Mapping[str, object] | None = None,
) -> str:
    """Return the table as text, without colour codes, at most 79 columns wide.

    Worlds list the values laid there, a dot for each that is missing. Players sit clockwise; the
    seat that looks comes last. On the track ``@`` is the Shadow pawn, ``s`` the start, ``M`` the
    Moon.

    Args:
        state, seat, last_action: as for `draw`.

    Raises:
        ValueError: as `draw`.
    """
    seen = see(state, seat, last_action)
    parts = [_heading(seen), _track(seen), _worlds(seen), _artefacts(seen), _trick(seen)]
    parts += _players(seen)
    if seen.over:
        parts.append(_results(seen))
    lines = [line for part in parts for line in (*part, "")]
    return "\n".join(lines[:-1])


def prompt(seen: Visible) -> str:
    """Say what the seat to play decides."""
    if not seen.phase:
        return "a player may be deciding about a tile that lies face down"
    player = seen.players[seen.to_play]
    if seen.phase == "CARD":
        return _card_prompt(seen, player)
    if seen.phase == "ECLIPSE":
        whom = "a neighbour" if seen.receiver is None else name_of(seen.receiver)
        return f"Eclipse: gives a card to {whom}, to the {seen.arrow}"
    if seen.phase == "NEUTRALISE":
        must = any(held.kind == DAGGER and held.face_up for held in player.artefacts)
        how = "must eliminate a player" if must else "may show a dagger to eliminate a player"
        return f"neutralisation: {how}"
    back = f"{STABILISATION_SQUARES} squares back, or an artefact"
    return {
        "MOON": "the pawn is about to reach the Moon: may use a portal",
        "LAST": "is about to be eliminated: may use a portal",
        "ARTEFACT": "has the lowest card: takes an artefact",
        "KEEP": "keeps the artefact, face up or face down",
        "STABILISE": f"stabilisation: the pawn goes {back}",
        "PERMUTE": "permutation: swaps roles with another player",
        "ORDER": "says which ritual comes first",
        "GUIDE": "eliminated, with the only card of the Destination: names the Guide",
    }[seen.phase]


def _card_prompt(seen: Visible, player: Player) -> str:
    portal = any(held.kind == PORTAL and held.face_up for held in player.artefacts)
    portal |= any(parts["kind"] == "portal" for parts in seen.choices)
    also = ", or uses a portal" if portal else ""
    if seen.destination == NO_WORLD:
        return f"leads a card: its world is the Destination{also}"
    return f"plays a card, the Destination is {WORLDS[seen.destination]}{also}"


def doing(seen: Visible) -> str:
    """Say who decides what, or that the game is over."""
    if seen.over:
        return "game over"
    if seen.to_play is None:
        return prompt(seen)
    return f"{name_of(seen.to_play)}: {prompt(seen)}"


def round_words(seen: Visible) -> str:
    """Say which round it is."""
    return "single round" if seen.single else f"round {seen.round}"


def outcome(seen: Visible) -> str:
    """Say who won the last round that has ended; empty if there is none."""
    if not seen.won:
        return ""
    camp = "Shamans" if seen.won == "shaman" else "Shadows"
    return f"{camp} won" if seen.single else f"{camp} won round {seen.rounds_ended}"


def camps_words(seen: Visible) -> str:
    """Say how many Shamans and Shadows there are."""
    shadows = amount(seen.shadows, "Shadow")
    return f"{seen.num_players - seen.shadows} Shamans, {shadows}"


def points_words() -> list[str]:
    """Say what pays in a round."""
    shaman, shadow = POINTS_OF_CAMP.tolist()
    return [
        f"won: Shaman +{shaman}, Shadow +{shadow}",
        f"{SHARDS_THAT_SCORE} shards: +{POINTS_OF_SHARDS}",
    ]


def ritual_words(seen: Visible) -> str:
    """Say who is doing which ritual."""
    if seen.doing == NO_WORLD:
        return f"{name_of(seen.performer)} does rituals"
    world = seen.worlds[seen.doing]
    return f"{name_of(seen.performer)} does the ritual of {world.name}: {world.ritual}"


def eclipse_words(seen: Visible) -> str:
    """Say where the Eclipse is."""
    arrow = f", arrow to the {seen.arrow}" if seen.arrow else ""
    where = {"in the pile": "in the pile", "on top": "on top of the pile", "over": "has come"}
    return f"Eclipse: {where[seen.eclipse]}{arrow}"


def _heading(seen: Visible) -> list[str]:
    eyes = f"ply {seen.ply}, all eyes" if seen.seat is None else f"seen by {name_of(seen.seat)}"
    before = f", {outcome(seen)}" if outcome(seen) else ""
    goal = "" if seen.single else f", to {GOAL} points"
    lines = [
        f"Shamans, {round_words(seen)}{before}, {eyes}",
        doing(seen),
        f"{camps_words(seen)}; {', '.join(points_words())}{goal}",
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


def _worlds(seen: Visible) -> list[str]:
    return [_world_line(world) for world in seen.worlds]


def _world_line(world: World) -> str:
    values = " ".join(
        str(value) if value in world.values else "." for value in range(1, world.size + 1)
    )
    coming = f"{world.coming} on its way" if world.coming else ""
    notes = ", ".join(note for note in (world.status, coming) if note)
    return f"{world.name:<8}{world.ritual:<16}{values}  {notes}".rstrip()


def _artefacts(seen: Visible) -> list[str]:
    places = [
        f"[{k + 1}] {'-' if kind == NO_TILE else tile_name(kind)}"
        for k, kind in enumerate(seen.display)
    ]
    lines = [f"artefacts: {'  '.join(places)}  pile of {seen.pile_size}", eclipse_words(seen)]
    if seen.pile:
        lines += wrapped("pile from the top: ", [tile_name(kind) for kind in seen.pile], WIDTH)
    gone = [counted(count, kind) for kind, count in enumerate(seen.gone) if count]
    if gone:
        lines.append(f"out of the round: {', '.join(gone)}")
    if seen.looked_at is not None:
        who = f"{name_of(seen.to_play)} looks at "
        what = "a tile" if seen.looked_at == FACE_DOWN else f"a {tile_name(seen.looked_at)}"
        lines.append(f"{who}{what} from the pile")
    return lines


def _trick(seen: Visible) -> list[str]:
    """The current trick from the Guide on."""
    where = "none yet" if seen.destination == NO_WORLD else WORLDS[seen.destination]
    lines = [f"Destination: {where}; Guide: {name_of(seen.guide)}"]
    for ahead in range(seen.num_players):
        player = seen.players[(seen.guide + ahead) % seen.num_players]
        if player.front is not None:
            note = " (eliminated: doesn't count)" if player.eliminated else ""
            lines.append(f"  {name_of(player.seat)} {card_name(player.front)}{note}")
        elif player.elsewhere:
            lines.append(f"  {name_of(player.seat)} played to another world")
    if any(player.laid for player in seen.players):
        lines.append("  the cards of the trick are laid")
    if seen.performer != NOBODY:
        lines.append(ritual_words(seen))
    if seen.target != NOBODY:
        lines.append(f"{name_of(seen.target)} is being eliminated")
    return lines


# Players


def _players(seen: Visible) -> list[list[str]]:
    """All players, the one that looks last, nearest to where the answer is typed."""
    seats = looker_last(seen.seat, seen.num_players)
    return [_player(seen, seen.players[seat]) for seat in seats]


def _player(seen: Visible, player: Player) -> list[str]:
    marks = [
        word
        for word, is_so in (
            ("you", player.seat == seen.seat),
            ("Guide", player.seat == seen.guide),
            ("First player", player.seat == seen.marker),
            ("eliminated", player.eliminated),
        )
        if is_so
    ]
    marked = f" ({', '.join(marks)})" if marks else ""
    points = amount(player.points, "point")
    head = f"{name_of(player.seat)}{marked}: {points}, {_role(player)}"
    return [head, *_hand(player), *_held(player)]


def _role(player: Player) -> str:
    role = (player.camp or "role not known").replace("sha", "Sha")
    if player.revealed:
        return f"{role}, shown to all"
    return f"{role} (seen by {', '.join(map(str, player.witnesses))})"


def _hand(player: Player) -> list[str]:
    count = len(player.hand)
    cards = amount(count, "card")
    head = f"  {cards} {'set aside' if player.eliminated else 'in hand'}"
    known = [card for card in player.hand if card != FACE_DOWN]
    words = []
    for world, name in enumerate(WORLDS):
        own = [card for card in known if card // VALUES == world]
        if own:
            words.append(" ".join([name, *(_value(player, card) for card in own)]))
    if not words:
        return [head]
    return wrapped(f"{head}: " if len(known) == count else f"{head}, known: ", words, WIDTH)


def _value(player: Player, card: int) -> str:
    note = player.notes.get(card)
    return f"{card % VALUES + 1} ({note})" if note else str(card % VALUES + 1)


def _held(player: Player) -> list[str]:
    if not player.artefacts:
        return []
    words = []
    for held in player.artefacts:
        known = held.kind != FACE_DOWN
        down = " face down" if known and not held.face_up else ""
        words.append(counted(held.count, held.kind) + down)
    where = "out of the round: " if player.eliminated else "artefacts: "
    return wrapped(f"  {where}", words, WIDTH)


def _results(seen: Visible) -> list[str]:
    return result_lines(seen, lambda seat: f"{seen.scores[seat]:g} points")


def remarks(before: np.void, after: np.void) -> list[str]:
    """Say what an action brought about, beyond the action itself.

    Args:
        before, after: the record on both sides of it.
    """
    if rounds_ended(after) > rounds_ended(before):
        camp = "Shamans" if camps_of_round(after)[2] == "shaman" else "Shadows"
        return [f"the round is over: the {camp} have won it"]
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
    """Say what happened to a player: artefacts got, role shown, elimination."""
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
