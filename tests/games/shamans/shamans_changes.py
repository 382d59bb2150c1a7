"""Changes of one thing in a position of Shamans, made to a record and to the oracle alike.

Each takes ``(state, oracle, rng)`` and returns False where it can't be made, with nothing changed.
What comes of it needn't be a position that a game can reach.
"""

from __future__ import annotations

import random

from oracles.shamans import ECLIPSES, WORLDS, Card, ShamansOracle, Tile
from shamans_adapter import number_of

from ludotheque.envs.shamans.components import DEEDS, ECLIPSE, PERMUTED, PLAYS, RITUALS, TILES
from ludotheque.envs.shamans.state import PHASES, STAGE

HELD = TILES[:3]
PHASE_OF = {
    "card": "CARD",
    "artefact": "ARTEFACT",
    "stabilisation": "STABILISE",
    "permutation": "PERMUTE",
    "order": "ORDER",
}


def other_than(value, choices, rng: random.Random):
    return rng.choice([choice for choice in choices if choice != value])


def free_cards(oracle: ShamansOracle, seat: int) -> list[Card]:
    """Cards in hand that nobody gave during the Eclipse, nor is about to."""
    passed = {card for _, _, card in oracle.passes}
    passed |= set(oracle.eclipse.chosen.values()) if oracle.eclipse else set()
    return sorted(oracle.hands[seat] - passed)


def any_card(oracle: ShamansOracle, rng: random.Random) -> Card:
    return Card(rng.choice(list(oracle.placed)), rng.randint(1, 6))


def pawn(state, oracle, rng):
    oracle.pawn = other_than(oracle.pawn, range(oracle.moon), rng)
    state["pawn"] = oracle.pawn


def points(state, oracle, rng):
    seat = rng.randrange(oracle.num_players)
    oracle.points[seat] += 1
    state["points"][seat] += 1


def round_number(state, oracle, rng):
    oracle.round += 1
    state["round"] += 1


def marker(state, oracle, rng):
    oracle.first_player = other_than(oracle.first_player, range(oracle.num_players), rng)
    state["marker"] = oracle.first_player


def guide(state, oracle, rng):
    oracle.guide = other_than(oracle.guide, range(oracle.num_players), rng)
    state["guide"] = oracle.guide


def destination(state, oracle, rng):
    oracle.destination = other_than(oracle.destination, [None, *oracle.placed], rng)
    none = oracle.destination is None
    state["destination"] = -1 if none else WORLDS.index(oracle.destination)


def played(state, oracle, rng):
    seat = rng.randrange(oracle.num_players)
    oracle.played ^= {seat}
    state["played"] ^= 1 << seat


def front(state, oracle, rng):
    """Also of which world it is, which only matters with a Destination."""
    seat = rng.randrange(oracle.num_players)
    if oracle.destination is None:
        return False
    old = oracle.fronts.get(seat)
    values = [Card(oracle.destination, value) for value in range(1, 7)]
    card = other_than(old, [None, *values], rng)
    if card is None:
        del oracle.fronts[seat]
    else:
        oracle.fronts[seat] = card
    state["front"][seat] = -1 if card is None else number_of(card)
    return None


def on_its_way(state, oracle, rng):
    oracle.in_play = other_than(oracle.in_play, [None, any_card(oracle, rng)], rng)
    state["card"] = -1 if oracle.in_play is None else number_of(oracle.in_play)


def placed(state, oracle, rng):
    card = any_card(oracle, rng)
    oracle.placed[card.world] ^= {card.value}
    state["placed"] ^= 1 << number_of(card)


def cards_of_two(state, oracle, rng):
    one, two = rng.sample(range(oracle.num_players), 2)
    mine, theirs = free_cards(oracle, one), free_cards(oracle, two)
    if not mine or not theirs:
        return False
    for card, here, there in ((rng.choice(mine), one, two), (rng.choice(theirs), two, one)):
        oracle.hands[here].remove(card)
        oracle.hands[there].add(card)
        state["hand"][here] ^= 1 << number_of(card)
        state["hand"][there] ^= 1 << number_of(card)
    return None


def a_card_less(state, oracle, rng):
    seat = rng.randrange(oracle.num_players)
    cards = free_cards(oracle, seat)
    if not cards:
        return False
    card = rng.choice(cards)
    oracle.hands[seat].remove(card)
    state["hand"][seat] ^= 1 << number_of(card)
    return None


def camps(state, oracle, rng):
    """What is on two role cards."""
    one, two = rng.sample(range(oracle.num_players), 2)
    for roles in (oracle.role_of_card, state["camp"]):
        roles[one], roles[two] = roles[two], roles[one]


def role_cards(state, oracle, rng):
    one, two = rng.sample(range(oracle.num_players), 2)
    for cards in (oracle.role_cards, state["role"]):
        cards[one], cards[two] = cards[two], cards[one]


def witness(state, oracle, rng):
    """Not of the own card: every seat knows that."""
    seat, card = rng.sample(range(oracle.num_players), 2)
    if oracle.role_cards[seat] == card:
        return False
    oracle.seen[seat] ^= {card}
    state["seen"][card] ^= 1 << seat
    return None


def _tile_laid(face_up):
    def change(state, oracle, rng):
        seat, kind = rng.randrange(oracle.num_players), rng.randrange(3)
        if oracle.phase == "keep" or oracle.eliminated[seat]:
            return False
        oracle.tiles[seat].append(Tile(HELD[kind], face_up))
        state["shown" if face_up else "hidden"][seat, kind] += 1
        return None

    change.__name__ = f"tile_face_{'up' if face_up else 'down'}"
    return change


tile_face_up, tile_face_down = _tile_laid(True), _tile_laid(False)


def kind_face_down(state, oracle, rng):
    """What lies there, and not how much."""
    looking = oracle.to_play if oracle.phase == "keep" else None
    found = [
        (seat, tile)
        for seat in range(oracle.num_players)
        for tile in (*oracle.tiles[seat][: -1 if seat == looking else None], *oracle.removed[seat])
        if not tile.face_up
    ]
    if not found:
        return False
    seat, tile = rng.choice(found)
    kind = other_than(tile.kind, HELD, rng)
    state["hidden"][seat, HELD.index(tile.kind)] -= 1
    state["hidden"][seat, HELD.index(kind)] += 1
    tile.kind = kind
    return None


def looked_at(state, oracle, rng):
    if oracle.phase != "keep":
        return False
    tile = oracle.tiles[oracle.to_play][-1]
    tile.kind = other_than(tile.kind, HELD, rng)
    state["looked_at"] = HELD.index(tile.kind)
    return None


def display(state, oracle, rng):
    place = rng.randrange(2)
    kind = other_than(oracle.face_up[place], [None, *TILES], rng)
    oracle.face_up[place] = kind
    state["display"][place] = -1 if kind is None else TILES.index(kind)


def bottom_of_the_pile(state, oracle, rng):
    """A tile less."""
    if len(oracle.pile) < 3 or oracle.pile[-1] in ECLIPSES:
        return False
    oracle.pile.pop()
    _rewrite_pile(state, oracle)
    return None


def order_of_the_pile(state, oracle, rng):
    kinds = [tile for tile in oracle.pile if tile not in ECLIPSES]
    rng.shuffle(kinds)
    oracle.pile = [tile if tile in ECLIPSES else kinds.pop() for tile in oracle.pile]
    _rewrite_pile(state, oracle)


def eclipse_to_the_top(state, oracle, rng):
    if not any(tile in ECLIPSES for tile in oracle.pile):
        return False
    oracle.pile.sort(key=lambda tile: tile not in ECLIPSES)
    _rewrite_pile(state, oracle)
    return None


def eclipse_comes(state, oracle, rng):
    """Out of the pile; who gave what is hidden."""
    tiles = [tile for tile in oracle.pile if tile in ECLIPSES]
    if not tiles:
        return False
    oracle.pile.remove(tiles[0])
    oracle.discarded.append(tiles[0])
    _rewrite_pile(state, oracle)
    state["eclipsed"] = True
    return None


def arrow(state, oracle, rng):
    for tiles in (oracle.pile, oracle.discarded):
        for k, tile in enumerate(tiles):
            if tile in ECLIPSES:
                tiles[k] = other_than(tile, ECLIPSES, rng)
    state["arrow"] *= -1


def _rewrite_pile(state, oracle):
    kinds = [ECLIPSE if tile in ECLIPSES else TILES.index(tile) for tile in oracle.pile]
    state["pile"] = 0
    state["pile"][: len(kinds)] = kinds[::-1]
    state["pile_size"] = len(kinds)


def gone(state, oracle, rng):
    kind = rng.randrange(4)
    oracle.discarded.append(TILES[kind])
    state["gone"][kind] += 1


def chosen(state, oracle, rng):
    """Another card for the Eclipse, or none yet."""
    if not oracle.eclipse or not oracle.eclipse.chosen:
        return False
    seat = rng.choice(sorted(oracle.eclipse.chosen))
    card = rng.choice([None, *sorted(oracle.hands[seat])])
    if card is None:
        del oracle.eclipse.chosen[seat]
    else:
        oracle.eclipse.chosen[seat] = card
    state["given"][seat] = -1 if card is None else number_of(card)
    return None


def passed(state, oracle, rng):
    """Another card that was given during the Eclipse."""
    found = [k for k, (_, to, card) in enumerate(oracle.passes) if card in oracle.hands[to]]
    if not found:
        return False
    k = rng.choice(found)
    giver, receiver, _ = oracle.passes[k]
    cards = free_cards(oracle, receiver)
    if not cards:
        return False
    card = rng.choice(cards)
    oracle.passes[k] = giver, receiver, card
    state["given"][giver] = number_of(card)
    return None


def held_then(state, oracle, rng):
    if not oracle.held_then:
        return False
    seat = rng.choice(sorted(oracle.held_then))
    oracle.held_then[seat] += 1
    state["held_then"][seat] += 1
    return None


def waiting(state, oracle, rng):
    world = rng.choice(list(oracle.placed))
    oracle.waiting = sorted({*oracle.waiting} ^ {world})
    state["pending"] ^= 1 << WORLDS.index(world)


def performer(state, oracle, rng):
    oracle.performer = other_than(oracle.performer, [None, *range(oracle.num_players)], rng)
    state["performer"] = -1 if oracle.performer is None else oracle.performer


def doing(state, oracle, rng):
    oracle.doing = other_than(oracle.doing, [None, *oracle.placed], rng)
    state["doing"] = -1 if oracle.doing is None else WORLDS.index(oracle.doing)


def target(state, oracle, rng):
    """Who is about to be eliminated; the killer is the first in the list."""
    for k, (step, *about) in enumerate(oracle.todo):
        if step == "_eliminate":
            seat = other_than(about[1], range(oracle.num_players), rng)
            oracle.todo[k] = step, about[0], seat
            state["target"] = seat
            return None
    return False


def steps(state, oracle, rng):
    seat = rng.randrange(oracle.num_players)
    oracle.todo.insert(0, ("_advance", seat, 1))
    state["steps"] += 1


def mover(state, oracle, rng):
    if oracle.phase not in ("moon", "last words", "portal"):
        return False
    k = 0 if oracle.phase == "moon" else 1
    about = list(oracle.decision.about)
    about[k] = other_than(about[k], range(oracle.num_players), rng)
    oracle.decision.about = tuple(about)
    state["mover"] = about[k]
    return None


def who_decides(state, oracle, rng):
    if oracle.phase == "keep":
        return False
    oracle.decision.seat = other_than(oracle.to_play, range(oracle.num_players), rng)
    state["to_play"] = oracle.to_play
    return None


def what_is_decided(state, oracle, rng):
    if oracle.phase not in PHASE_OF:
        return False
    oracle.decision.phase = other_than(oracle.phase, list(PHASE_OF), rng)
    state["phase"] = PHASES.index(PHASE_OF[oracle.phase])
    state["stage"] = STAGE.WAITING
    return None


def card_played(state, oracle, rng):
    """One that was played otherwise, or by another."""
    found = [k for k, done in enumerate(oracle.log) if done[1] in ("led", "followed", "strayed")]
    if not found:
        return False
    k = rng.choice(found)
    seat, how, card = oracle.log[k]
    state["plays"][seat, number_of(card)] = 0
    if rng.random() < 0.5:
        seat = other_than(seat, range(oracle.num_players), rng)
    else:
        how = other_than(how, ("led", "followed", "strayed"), rng)
    oracle.log[k] = seat, how, card
    state["plays"][seat, number_of(card)] = PLAYS[how]
    return None


def deed(state, oracle, rng):
    seat, name = rng.randrange(oracle.num_players), rng.choice(DEEDS[1:])
    way = {"portal on": 1, "portal back": -1}.get(name)
    oracle.log.append((seat, "portal", way) if way else (seat, name))
    state["deeds"][seat, DEEDS.index(name)] += 1


def swap(state, oracle, rng):
    seat, other = rng.sample(range(oracle.num_players), 2)
    oracle.log += [(seat, "permutation"), (seat, "swapped", other)]
    state["deeds"][seat, PERMUTED] += 1
    state["swaps"][seat, other] += 1


def elimination(state, oracle, rng):
    """By another than it was."""
    for k, (killer, what, *about) in enumerate(oracle.log):
        if what == "eliminated":
            killer = other_than(killer, range(oracle.num_players), rng)
            oracle.log[k] = killer, what, *about
            state["eliminator"][about[0]] = killer
            return None
    return False


def eliminated(state, oracle, rng):
    """A Shadow without cards: nothing else of it changes."""
    seat = rng.randrange(oracle.num_players)
    if oracle.role(seat) != "shadow" or oracle.hands[seat] or oracle.aside[seat]:
        return False
    oracle.eliminated[seat] ^= True
    state["eliminated"] ^= 1 << seat
    return None


def start(state, oracle, rng):
    oracle.start = other_than(oracle.start, range(oracle.moon), rng)
    state["start"] = oracle.start


def moon(state, oracle, rng):
    oracle.moon += 1
    state["moon"] += 1


def rounds(state, oracle, rng):
    oracle.rounds = other_than(oracle.rounds, ("match", "single"), rng)
    state["single"] ^= True


def asked(state, oracle, rng):
    oracle.asked = other_than(oracle.asked, ("everyone", "holders"), rng)
    state["holders_only"] ^= True


def rituals(state, oracle, rng):
    world = rng.choice(list(oracle.placed))
    oracle.rituals[world] = other_than(oracle.rituals[world], RITUALS, rng)
    state["ritual"][WORLDS.index(world)] = RITUALS.index(oracle.rituals[world])


CHANGES = [
    *(pawn, points, round_number, marker, guide, destination, played, front, on_its_way, placed),
    *(cards_of_two, a_card_less, camps, role_cards, witness, tile_face_up, tile_face_down),
    *(kind_face_down, looked_at, display, bottom_of_the_pile, order_of_the_pile),
    *(eclipse_to_the_top, eclipse_comes, arrow, gone, chosen, passed, held_then, waiting),
    *(performer, doing, target, steps, mover, who_decides, what_is_decided, card_played, deed),
    *(swap, elimination, eliminated, start, moon, rounds, asked, rituals),
]
