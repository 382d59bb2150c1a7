"""What a seat of Sagani may know, and positions that differ from a given one in one thing."""

from __future__ import annotations

import random
from collections.abc import Callable

from oracles.sagani import DIRECTIONS, PlacedTile, Tile
from sagani_pair import Pair

from ludotheque.envs.sagani.components import TILE_ARROWS
from ludotheque.envs.sagani.rules import find_movable
from ludotheque.envs.sagani.state import REMOVED

# All that may be known, without the seat that it is about.
FACTS = {
    "bonus",
    "cacophony",
    "cell chosen",
    "first player",
    "hand",
    "interlude",
    "interlude's line",
    "last round",
    "not seen",
    "phase",
    "points",
    "put aside",
    "river",
    "stacks",
    "supply",
    "table",
    "tiles left",
    "to play",
    "tops",
    "turn",
}

# What a game alone doesn't have; with discs moved at once, it has but one phase.
NOT_ALONE = {
    "first player",
    "interlude",
    "interlude's line",
    "phase",
    "river",
    "to play",
    "turn",
}


def in_play(lies: PlacedTile, form: str) -> object:
    """What can still matter of a tile on a table.

    "Une flèche recouverte d'un pion n'a plus d'importance pour le reste de la partie", nor has any
    arrow of a tile that is turned over. The planes don't number the tiles on the tables.
    """
    which = lies.tile.id if form == "flat" else lies.tile.element
    if lies.flipped:
        return which
    still = {way: asks for way, asks in lies.arrows.items() if way not in lies.covered}
    return which, still, lies.discs, len(lies.covered) if form == "flat" else lies.covered


def known(pair: Pair, seat: int, form: str) -> dict[str, object]:
    """What a seat may know according to the oracle, as far as it can still matter."""
    facts = pair.oracle.known(seat)
    facts["canvas"] = pair.canvas
    if seat == pair.oracle.to_play:
        facts["cell chosen"] = pair.cell
    for ahead in range(pair.oracle.num_players):
        tiles = facts[f"table of {ahead}"]
        # The planes show a table wherever it is in the window.
        west = min((x for x, _ in tiles), default=0) if form == "planes" else 0
        south = min((y for _, y in tiles), default=0) if form == "planes" else 0
        facts[f"table of {ahead}"] = {
            (x - west, y - south): in_play(lies, form) for (x, y), lies in tiles.items()
        }
        if ahead == 0 and facts.get("cell chosen"):
            x, y = facts["cell chosen"]
            facts["cell chosen"] = x - west, y - south
    return facts


def other_points(pair: Pair, rng: random.Random) -> None:
    seat = rng.randrange(pair.oracle.num_players)
    points = pair.oracle.track.points[seat]
    pair.set_points(seat, points + rng.choice([-1, 1, -150]))


def other_stack(pair: Pair, rng: random.Random) -> None:
    """Of two markers on a square, the lower one is on top."""
    piles = [pile for pile in pair.oracle.track.piles.values() if len(pile) > 1]
    if piles:
        pile = rng.choice(piles)
        k = rng.randrange(len(pile) - 1)
        swap(pair.state["arrival"], pile[k], pile[k + 1])
        swap(pile, k, k + 1)


def other_supply(pair: Pair, rng: random.Random) -> None:
    seat = rng.randrange(pair.oracle.num_players)
    pair.set_supply(seat, pair.oracle.areas[seat].supply + 1)


def other_cacophony(pair: Pair, rng: random.Random) -> None:
    """One or many more; the discs of 72 tiles are 200."""
    seat = rng.randrange(pair.oracle.num_players)
    area = pair.oracle.areas[seat]
    area.cacophony += rng.choice([1, 130, 131])
    pair.state["cacophony"][seat] = area.cacophony


def one_more_covered(pair: Pair, rng: random.Random) -> None:
    _, lies = open_tile(pair, rng)
    if lies is not None and lies.discs > 1:
        way = rng.choice([way for way in lies.arrows if way not in lies.covered])
        lies.covered.add(way)
        lies.discs -= 1
        still = int(pair.state["arrows"][lies.tile.id])
        pair.state["arrows"][lies.tile.id] = still & ~(15 << 4 * DIRECTIONS.index(way))


def one_more_completed(pair: Pair, rng: random.Random) -> None:
    seat, lies = open_tile(pair, rng)
    if lies is not None:
        lies.flipped, lies.covered, lies.discs = True, set(), 0
        pair.state["arrows"][lies.tile.id] = 0
        pair.state["uncompleted"][seat] -= 1


def turned_otherwise(pair: Pair, rng: random.Random) -> None:
    _, lies = open_tile(pair, rng)
    if lies is not None and not lies.covered:
        lies.rotation = (lies.rotation + rng.randrange(1, 4)) % 4
        vars(lies).pop("arrows", None)  # it is kept there once it was asked for
        pair.state["rotation"][lies.tile.id] = lies.rotation
        pair.state["arrows"][lies.tile.id] = TILE_ARROWS[lies.tile.id, lies.rotation]


def open_tile(pair: Pair, rng: random.Random) -> tuple[int, PlacedTile | None]:
    """A tile of anybody's that isn't completed and has its discs."""
    found = [
        (seat, lies)
        for seat, area in enumerate(pair.oracle.areas)
        for lies in area.open_tiles()
        if lies.discs
    ]
    return rng.choice(found) if found else (0, None)


def other_completed_tile(pair: Pair, rng: random.Random) -> None:
    """Another tile of its element lies there."""
    found = [
        (seat, k, lies)
        for seat, area in enumerate(pair.oracle.areas)
        for k, lies in enumerate(area.tiles.values())
        if lies.flipped
    ]
    if found:
        seat, k, lies = rng.choice(found)
        new = from_pile(pair, rng, lies.tile, lambda tile: tile.element == lies.tile.element)
        if new is not None:
            for name in ("cell", "rotation"):
                pair.state[name][new.id] = pair.state[name][lies.tile.id]
            pair.state["arrows"][new.id] = 0
            pair.state["table"][seat, k] = new.id
            lies.tile = new


def other_river(pair: Pair, rng: random.Random) -> None:
    other_space(pair, rng, pair.oracle.river, "display")


def other_interlude(pair: Pair, rng: random.Random) -> None:
    other_space(pair, rng, pair.oracle.interlude, "interlude")


def other_space(pair: Pair, rng: random.Random, spaces: list, name: str) -> None:
    taken = [space for space, tile in enumerate(spaces) if tile is not None]
    if taken:
        space = rng.choice(taken)
        new = from_pile(pair, rng, spaces[space])
        if new is not None:
            spaces[space] = new
            pair.state[name][space] = new.id


def other_hand(pair: Pair, rng: random.Random) -> None:
    if pair.oracle.hand is not None:
        new = from_pile(pair, rng, pair.oracle.hand)
        if new is not None:
            pair.oracle.hand = new
            pair.states["hand"] = new.id


def other_put_aside(pair: Pair, rng: random.Random) -> None:
    if pair.oracle.low_tiles:
        k = rng.randrange(len(pair.oracle.low_tiles))
        new = from_pile(pair, rng, pair.oracle.low_tiles[k])
        if new is not None:
            pair.oracle.low_tiles[k] = new
            pair.state["aside"][int(pair.state["aside_drawn"]) + k] = new.id


def from_pile(
    pair: Pair, rng: random.Random, old: Tile, wanted: Callable[[Tile], bool] = bool
) -> Tile | None:
    """Take a tile from below the top of a pile, and put another one there."""
    found = [
        (pile, k) for pile in pair.oracle.piles for k, tile in enumerate(pile) if k and wanted(tile)
    ]
    if not found:
        return None
    pile, k = rng.choice(found)
    new, pile[k] = pile[k], old
    order = pair.state["pile"].tolist()
    swap(pair.state["pile"], order.index(old.id), order.index(new.id))
    swap(pair.state["place"], old.id, new.id)
    return new


def other_top(pair: Pair, rng: random.Random) -> None:
    """The tiles of a pile lie in another order, with another back or the same on top."""
    piles = [pile for pile in pair.oracle.piles if len(pile) > 1]
    if piles:
        pile = rng.choice(piles)
        k = rng.randrange(1, len(pile))
        order = pair.state["pile"].tolist()
        swap(pair.state["pile"], order.index(pile[0].id), order.index(pile[k].id))
        swap(pile, 0, k)


def one_tile_less(pair: Pair, rng: random.Random) -> None:
    """The top of the pile has left the game."""
    piles = [pile for pile in pair.oracle.piles if pile]
    if piles:
        gone = piles[0].pop(0)
        pair.oracle.removed.append(gone)
        pair.state["place"][gone.id] = REMOVED
        pair.states["drawn"] += 1


def other_first_player(pair: Pair, rng: random.Random) -> None:
    pair.oracle.first_player = (pair.oracle.first_player + 1) % pair.oracle.num_players
    pair.states["first_player"] = pair.oracle.first_player


def other_turn(pair: Pair, rng: random.Random) -> None:
    if pair.oracle.phase == "take" and pair.cell is None:
        pair.oracle.to_play = (pair.oracle.to_play + 1) % pair.oracle.num_players
        pair.states["to_play"] = pair.states["turn"] = pair.oracle.to_play


def other_turn_before_the_interlude(pair: Pair, rng: random.Random) -> None:
    if pair.oracle.choosers:
        pair.oracle.after_interlude = (pair.oracle.after_interlude + 1) % pair.oracle.num_players
        pair.states["turn"] = pair.oracle.after_interlude


def other_line(pair: Pair, rng: random.Random) -> None:
    """Two that wait in an interlude choose the other way round."""
    if len(pair.oracle.choosers) > 2:
        last = pair.oracle.num_players - 1
        swap(pair.oracle.choosers, -2, -1)
        swap(pair.state["queue"], last - 1, last)


def other_end(pair: Pair, rng: random.Random) -> None:
    pair.oracle.last_round = not pair.oracle.last_round
    pair.states["last_round"] = pair.oracle.last_round


def other_bonus(pair: Pair, rng: random.Random) -> None:
    if pair.oracle.mode == "advanced":
        pair.oracle.bonus += 5
        pair.states["bonus"] += 5


def it_is_over(pair: Pair, rng: random.Random) -> None:
    """The game is over when a tile would have to be taken, or continues."""
    if pair.oracle.mode == "river" and pair.oracle.phase in ("take", "over") and not pair.cell:
        over = pair.oracle.phase == "take"
        pair.oracle.phase = "over" if over else "take"
        pair.states["terminated"] = over


def next_decision(pair: Pair, rng: random.Random) -> None:
    """One of those that are legal was taken."""
    if pair.choices:
        pair.play(rng.choice(sorted(pair.choices, key=repr)))


def swap(items, one: int, other: int) -> None:
    items[one], items[other] = items[other], items[one]


def with_movable(change: Callable) -> Callable:
    """Bring what the record notes of its tables up to date after a change."""

    def changed(pair: Pair, rng: random.Random) -> None:
        change(pair, rng)
        find_movable(pair.states, 0)

    changed.__name__ = change.__name__
    return changed


CHANGES = (
    other_points,
    other_stack,
    other_supply,
    other_cacophony,
    with_movable(one_more_covered),
    with_movable(one_more_completed),
    with_movable(turned_otherwise),
    other_completed_tile,
    other_river,
    other_interlude,
    other_hand,
    other_put_aside,
    other_top,
    one_tile_less,
    other_first_player,
    other_turn,
    other_turn_before_the_interlude,
    other_line,
    other_end,
    other_bonus,
    it_is_over,
    next_decision,
    next_decision,
)
