"""The compiled rules of Shamans against the plain-Python oracle, at every ply of many games.

The oracle gets each round as the kernels dealt it. What a seat observes is read back from the
numbers and compared with what the oracle says that the seat knows.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.shamans import RITUALS as ORACLE_RITUALS
from oracles.shamans import (
    WINDOWS,
    WORLDS,
    Card,
    Deal,
    Knowledge,
    ShamansOracle,
    Tile,
    random_deal,
)
from shamans_adapter import GAME, PHASE_NAMES, Kernels, Oracle, number_of

from ludotheque.envs.core.jit import JIT_DISABLED
from ludotheque.envs.core.schema import slices
from ludotheque.envs.shamans.actions import BACK, ON
from ludotheque.envs.shamans.components import CAMPS, ECLIPSE, LEFT, PORTAL, RITUALS, TILES, VALUES
from ludotheque.envs.shamans.state import (
    PHASES,
    camp_of,
    card_passed_by,
    hand_of,
    is_eliminated,
    knows_camp,
    pile_of,
    placed_at,
    tiles_of,
)

HELD = TILES[:3]
TASTES = ["any", "follow", "tiles", "fight"]
GAMES = 2
TRACKS = [None, {"start": 4, "moon": 9}, {"start": 0, "moon": 1}, {"start": 0, "moon": 60}]
AT = slices(GAME.flat)

every_setting = pytest.mark.parametrize(
    ("num_players", "options"),
    [
        (count, options)
        for count in (3, 4, 5)
        for options in ({"rounds": "match"}, {"rounds": "single", "asked": "holders"})
    ],
    ids=str,
)


def card_of(number: int) -> Card:
    return Card(WORLDS[number // VALUES], number % VALUES + 1)


def tile_name(state, kind: int) -> str | None:
    if kind == ECLIPSE:
        return "eclipse-left" if state["arrow"] == LEFT else "eclipse-right"
    return None if kind < 0 else TILES[kind]


def seats_in(state) -> range:
    return range(int(state["num_players"]))


def deal_of(state) -> Deal:
    """The round that a state is at the start of."""
    return Deal(
        roles=tuple(camp_of(state, seat) for seat in seats_in(state)),
        hands=tuple(tuple(map(card_of, hand_of(state, seat))) for seat in seats_in(state)),
        left_over=tuple(
            Card(world, value) for k, world in enumerate(WORLDS) for value in placed_at(state, k)
        ),
        face_up=tuple(tile_name(state, kind) for kind in state["display"].tolist()),
        pile=tuple(tile_name(state, kind) for kind in pile_of(state)),
    )


def oracle_of(state) -> ShamansOracle:
    return ShamansOracle(
        deal_of(state),
        int(state["marker"]),
        "single" if state["single"] else "match",
        int(state["start"]),
        int(state["moon"]),
        asked="holders" if state["holders_only"] else "everyone",
    )


def decision_of(state, action: int) -> tuple:
    """An action number as the oracle's answer."""
    parts = GAME.decode_action(action)
    kind = parts["kind"]
    if kind == "card":
        return ("give" if PHASES[state["phase"]] == "ECLIPSE" else "play", card_of(action))
    if kind == "portal":
        return ("portal", 1 if parts["direction"] == "on" else -1)
    if kind == "take":
        return ("artefact", "pile" if parts["place"] == "top" else parts["place"])
    if kind == "keep":
        return ("keep", "up" if parts["face_up"] else "down")
    if kind in ("swap", "eliminate", "guide"):
        seat = (int(state["to_play"]) + parts["left"]) % int(state["num_players"])
        return ("name" if kind == "guide" else kind, seat)
    if kind == "ritual":
        return ("ritual", parts["world"])
    return ("back",) if kind == "retreat" else ("pass",)


# What is compared at every ply


def compare(states: np.ndarray, oracle: ShamansOracle) -> None:
    state = states[0]
    assert PHASE_NAMES[PHASES[state["phase"]]] == oracle.phase
    assert state["to_play"] == oracle.to_play
    legal = {decision_of(state, a) for a in np.flatnonzero(GAME.legal_mask(states)).tolist()}
    assert legal == oracle.legal_actions()
    compare_table(state, oracle)
    compare_cards(state, oracle)
    compare_tiles(state, oracle)
    for seat in seats_in(state):
        assert Kernels(states).told(seat) == Oracle(oracle).told(seat)
        compare_knowledge(states, oracle.knowledge(seat), seat)
        compare_observation(states, oracle, seat)


def compare_table(state, oracle: ShamansOracle) -> None:
    assert state["points"].tolist()[: oracle.num_players] == oracle.points
    assert state["pawn"] == oracle.pawn
    assert state["round"] == oracle.round
    assert state["marker"] == oracle.first_player
    assert state["guide"] == oracle.guide
    assert (state["destination"] >= 0) == (oracle.destination is not None)
    if oracle.destination is not None:
        assert WORLDS[state["destination"]] == oracle.destination
    assert [is_eliminated(state, seat) for seat in seats_in(state)] == oracle.eliminated
    assert [camp_of(state, seat) for seat in seats_in(state)] == list(
        map(oracle.role, seats_in(state))
    )
    assert {seat for seat in seats_in(state) if state["played"] >> seat & 1} == oracle.played
    waiting = {world for k, world in enumerate(WORLDS) if state["pending"] >> k & 1}
    assert waiting == set(oracle.waiting)


def compare_cards(state, oracle: ShamansOracle) -> None:
    for seat in seats_in(state):
        cards = set(map(card_of, hand_of(state, seat)))
        assert cards == (oracle.hands[seat] | oracle.aside[seat])
        assert not oracle.hands[seat] or not oracle.aside[seat]
    for world, values in oracle.placed.items():
        assert set(placed_at(state, WORLDS.index(world))) == values
    fronts = enumerate(state["front"].tolist()[: oracle.num_players])
    assert {seat: card_of(card) for seat, card in fronts if card >= 0} == oracle.fronts
    card = int(state["card"])
    assert (card_of(card) if card >= 0 else None) == oracle.in_play


def looked_at(oracle: ShamansOracle) -> str | None:
    """The tile that its taker looks at; to the oracle it lies before him, face down, already."""
    return oracle.tiles[oracle.to_play][-1].kind if oracle.phase == "keep" else None


def kept(oracle: ShamansOracle, seat: int) -> list:
    looking = oracle.phase == "keep" and oracle.to_play == seat
    return oracle.tiles[seat][: -1 if looking else None]


def compare_tiles(state, oracle: ShamansOracle) -> None:
    gone = Counter(tile for tile in oracle.discarded if not tile.startswith("eclipse"))
    for seat in seats_in(state):
        for face_up in (True, False):
            mine = +Counter(tiles_of(state, seat, face_up))
            theirs = [t.kind for t in kept(oracle, seat) if t.face_up == face_up]
            gone["mask"] += theirs.count("mask")
            removed = [t.kind for t in oracle.removed[seat] if t.face_up == face_up]
            if face_up:
                gone.update(removed)
            else:
                # Those of an eliminated seat stay noted as unseen.
                theirs += removed
            assert mine == Counter(kind for kind in theirs if kind != "mask")
    assert dict(zip(TILES, state["gone"].tolist(), strict=True)) == {
        kind: gone[kind] for kind in TILES
    }
    assert [tile_name(state, kind) for kind in state["display"].tolist()] == oracle.face_up
    assert [tile_name(state, kind) for kind in pile_of(state)] == oracle.pile
    assert tile_name(state, int(state["looked_at"])) == looked_at(oracle)


def compare_knowledge(states: np.ndarray, known: Knowledge, seat: int) -> None:
    state = states[0]
    roles = {
        other: camp_of(state, other) for other in seats_in(state) if knows_camp(state, seat, other)
    }
    assert roles == known.roles
    passed = card_passed_by(state, seat)
    assert {card_of(card): to for card, to in ([passed] if passed else [])} == known.passed_to
    received = {}
    for giver in seats_in(state):
        gift = card_passed_by(state, giver)
        if gift and gift[1] == seat and not is_eliminated(state, seat):
            received[card_of(gift[0])] = giver
    assert received == known.received_from
    if PHASES[state["phase"]] == "ECLIPSE":
        card = int(state["given"][seat])
        assert (card_of(card) if card >= 0 else None) == known.chosen


# What is observed


def observed(states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    numbers = GAME.observe(states, seat)
    return {
        field.name: numbers[AT[field.name]].reshape(field.shape).astype(int) for field in GAME.flat
    }


def cards_in(row: np.ndarray, value: int = 1) -> set[Card]:
    return {card_of(number) for number in np.flatnonzero(row == value).tolist()}


def compare_observation(states: np.ndarray, oracle: ShamansOracle, seat: int) -> None:
    """Read the numbers back, with seats counted from the observer."""
    seen, known = observed(states, seat), oracle.knowledge(seat)
    count = oracle.num_players
    seats = [(seat + ahead) % count for ahead in range(count)]
    assert cards_in(seen["worlds"][:, :8].ravel()) == known.hand | known.aside
    assert cards_in(seen["worlds"][:, 9:17].ravel()) == {
        Card(world, value) for world, values in known.placed.items() for value in values
    }
    assert seen["values"].tolist() == counts_of_values(oracle, known)
    gifts = set(known.passed_to) | ({known.chosen} if known.chosen else set())
    assert cards_in(seen["passed"]) == gifts
    assert cards_in(seen["passed"], 2) == received_cards(oracle, known, seat)
    for ahead, other in enumerate(seats):
        assert seen["passed_by"][ahead, 0] == (other in known.passed_to.values())
        givers = received_givers(oracle, known, seat)
        assert seen["passed_by"][ahead, 1] == (other in givers)
        camp = known.roles.get(other)
        assert seen["roles"][ahead].tolist() == [camp == CAMPS[0], camp == CAMPS[1]]
        compare_seat(seen, oracle, known, ahead, other)
        for k, witness in enumerate(seats):
            knows = oracle.role_cards[other] in oracle.seen[witness]
            assert seen["witnesses"][ahead, k] == knows
    for name in ("seats", "witnesses", "roles", "points"):
        assert not seen[name][count:].any()
    face_down = Counter(kind for kind, up in (*known.tiles[seat], *known.removed[seat]) if not up)
    look = looked_at(oracle) if oracle.to_play == seat else None
    face_down[look] -= 1
    assert seen["face_down"].tolist() == [face_down[kind] for kind in HELD]
    assert seen["top"].tolist() == [kind == look for kind in HELD]
    for place, kind in enumerate(known.face_up):
        expected = [kind == name for name in (None, *TILES)]
        assert seen["display"][place].tolist() == expected
    assert seen["table"][4] == known.pile_size
    assert seen["table"][5] == (known.eclipse_in_pile and known.pile_top is None)
    shown = known.pile_top or next((t for t in known.discarded if t.startswith("eclipse")), "")
    assert seen["table"][6:].tolist() == [shown == "eclipse-left", shown == "eclipse-right"]
    compare_game(seen, oracle, seat)


def counts_of_values(oracle: ShamansOracle, known: Knowledge) -> list[list[int]]:
    """Of the Destination, how many cards in front and unseen are lower and higher, by value."""
    world = oracle.destination
    if world is None:
        return [[0] * 4] * 8
    fronts = {card.value for card in known.fronts.values()}
    own = {card.value for card in known.hand | known.aside if card.world == world}
    every = set(range(1, 9 if oracle.num_players == 5 else 7))
    unseen = every - fronts - own - set(known.placed[world])
    return [
        [
            sum(one < value for one in some) if low else sum(one > value for one in some)
            for some in (fronts, unseen)
            for low in (True, False)
        ]
        for value in range(1, 9)
    ]


def received_cards(oracle: ShamansOracle, known: Knowledge, seat: int) -> set[Card]:
    """The oracle says it of hands only; what was set aside is known as well."""
    aside = {card for _, to, card in oracle.passes if to == seat and card in oracle.aside[seat]}
    return set(known.received_from) | aside


def received_givers(oracle: ShamansOracle, known: Knowledge, seat: int) -> set[int]:
    cards = received_cards(oracle, known, seat)
    return {giver for giver, to, card in oracle.passes if to == seat and card in cards}


def compare_seat(seen, oracle: ShamansOracle, known: Knowledge, ahead: int, other: int) -> None:
    row = seen["seats"][ahead].tolist()
    assert row[0] == 1
    assert row[2] == (oracle.guide == other)
    assert row[3] == (oracle.first_player == other)
    assert row[4] == known.eliminated[other]
    assert row[5] == (other in oracle.played)
    assert row[8] == known.hand_sizes[other] + known.aside_sizes[other]
    assert seen["points"][ahead] == known.points[other]
    front = known.fronts.get(other)
    assert row[9] == (front.value if front else 0)
    everybody = all(
        oracle.role_cards[other] in oracle.seen[seat] for seat in range(oracle.num_players)
    )
    assert row[10] == (1 + CAMPS.index(oracle.role(other)) if everybody else 0)
    tiles = known.tiles[other]
    down = sum(not up for _, up in (*tiles, *known.removed[other]))
    assert row[11] == down - (oracle.phase == "keep" and oracle.to_play == other)
    assert row[12:15] == [tiles.count((kind, True)) for kind in HELD]


def compare_deeds(seen, facts: dict, oracle: ShamansOracle, seat: int) -> None:
    """What everybody has seen being done in the round."""
    done, count = facts["done"], oracle.num_players
    for ahead in range(count):
        other = (seat + ahead) % count
        for how, value in (("led", 2), ("followed", 1), ("strayed", -1)):
            cards = {what[2] for what in done if what[:2] == (other, how)}
            assert cards_in(seen["plays"][ahead], value) == cards
        row = seen["deeds"][ahead].tolist()
        strayed = sum(what[:2] == (other, "strayed") for what in done)
        aside = len(oracle.aside[other]) if oracle.role(other) == "shaman" else 0
        assert row[0] == strayed + aside
        names = ("retreat", "artefact", "permutation", "illumination", "neutralisation")
        assert row[1:6] == [done[other, name] for name in names]
        assert row[6:8] == [done[other, "portal", way] for way in (-1, 1)]
        seats = [(seat + k) % count for k in range(count)]
        assert row[8 : 8 + count] == [done[other, "swapped", third] for third in seats]
        killers = [done[third, "eliminated", other] for third in seats]
        assert row[13 : 13 + count] == killers
        assert row[18 : 18 + count] == [facts["role cards"][other] == third for third in seats]
        tail = seen["seats"][ahead, 15:].tolist()
        chosen = other in facts["eclipse chosen"]
        assert tail == [facts["mover"] == other, chosen, facts["eclipse cards"].get(other, 0)]


def compare_game(seen, oracle: ShamansOracle, seat: int) -> None:
    row = seen["phase"].tolist()
    phase, counts, single, holders = row[:12], row[12:15], row[15], row[16]
    unseen = oracle.is_asked_unseen() and seat != oracle.to_play
    names = list(PHASE_NAMES.values())
    assert phase == [name == oracle.phase and not unseen for name in names]
    to_play = seen["seats"][: oracle.num_players, 1].tolist()
    expected = [0] * oracle.num_players
    if not unseen:
        expected[(oracle.to_play - seat) % oracle.num_players] = 1
    assert to_play == expected
    assert counts == [oracle.num_players == k for k in (3, 4, 5)]
    card = oracle.in_play
    assert single == (oracle.rounds == "single")
    assert holders == (oracle.asked == "holders")
    facts = oracle.facts(seat)
    assert seen["numbers"].tolist() == [
        oracle.round,
        oracle.pawn,
        oracle.moon - oracle.pawn,
        facts["steps"],
        len(oracle.passes),
        oracle.start,
    ]
    compare_deeds(seen, facts, oracle, seat)
    value = card.value if card else 0
    assert seen["card"].tolist() == [value == k for k in range(1, 9)]
    worlds = seen["worlds"][:, 17:]
    for k, world in enumerate(WORLDS):
        assert worlds[k, 0] == (oracle.destination == world)
        shadow = oracle.role(seat) == CAMPS[1]
        assert seen["worlds"][k, 8] == (oracle.destination == world and shadow)
        assert worlds[k, 1] == (world in oracle.waiting)
        assert worlds[k, 3] == (card is not None and card.world == world)
        assert worlds[k, 4:].tolist() == [ORACLE_RITUALS[world] == name for name in RITUALS]
    assert [WORLDS[k] for k in np.flatnonzero(worlds[:, 2]).tolist()] == [
        world for world in [oracle.doing] if world
    ]
    performers = [oracle.performer == (seat + k) % oracle.num_players for k in range(5)]
    assert seen["seats"][: oracle.num_players, 6].tolist() == performers[: oracle.num_players]
    targets = [facts["being eliminated"] == (seat + k) % oracle.num_players for k in range(5)]
    assert seen["seats"][: oracle.num_players, 7].tolist() == targets[: oracle.num_players]


# Games


def choose(states: np.ndarray, rng: random.Random, taste: str) -> int:
    """A random action; by taste the Destination is followed, artefacts are sought, Daggers used."""
    legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
    state = states[0]
    if taste == "any" or rng.random() < 0.15:
        return rng.choice(legal)
    destination = int(state["destination"])
    following = [a for a in legal if a < 56 and a // VALUES == destination]
    if PHASES[state["phase"]] == "CARD" and following and taste != "fight":
        return rng.choice(following)
    text = {a: GAME.action_to_string(a) for a in legal}
    if taste == "tiles":
        wanted = [a for a in legal if text[a] in ("take top", "keep down", "pass")]
    else:
        wanted = [a for a in legal if text[a].startswith(("eliminate", "take", "retreat"))]
        daggers = [a for a in wanted if a in (59, 60) and state["display"][a - 59] in (0, 1)]
        wanted = daggers or wanted
    if PHASES[state["phase"]] == "CARD" and taste == "fight":
        # Complete worlds: prefer the fullest ones.
        most = max((a for a in legal if a < 56), key=lambda a: len(placed_at(state, a // VALUES)))
        wanted = [a for a in legal if a < 56 and a // VALUES == most // VALUES]
    return rng.choice(wanted or legal)


def play_and_compare(num_players: int, seed: int, taste: str, **options) -> Counter:
    """Play a game in both; return how often each phase was met."""
    states = GAME.new_state(seed, num_players, **options)
    return go_on(states, oracle_of(states[0]), random.Random(seed), taste)


def go_on(states: np.ndarray, oracle: ShamansOracle, rng: random.Random, taste: str) -> Counter:
    met = Counter()
    while True:
        compare(states, oracle)
        met[oracle.phase] += 1
        action = choose(states, rng, taste)
        oracle.apply(decision_of(states[0], action))
        GAME.step(states, action)
        if oracle.phase == "deal":
            assert not states["terminated"][0]
            oracle.new_round(deal_of(states[0]))
            met["deal"] += 1
        if states["truncated"][0]:
            met["truncated"] += 1
            return met
        assert bool(states["terminated"][0]) == oracle.over
        if oracle.over:
            break
    scores, ranks = GAME.returns(states)
    assert scores.tolist() == oracle.points
    assert ranks.tolist() == oracle.ranks()
    met[str(oracle.winning_side)] += 1
    return met


def nearly_complete_worlds(seed: int) -> tuple[np.ndarray, ShamansOracle]:
    """Five players with two cards each, Daggers about, and a Shadow with the last of two worlds."""
    rng = random.Random(seed)
    states = GAME.new_state(seed, 5, rounds="single", track={"start": 5, "moon": 40})
    oracle, state = oracle_of(states[0]), states[0]
    shadow = next(seat for seat in range(5) if oracle.role(seat) == "shadow")
    killers = rng.sample([seat for seat in range(5) if seat != shadow], 2)
    last = [Card(world, rng.randint(1, 8)) for world in WORLDS]
    first, second, *rest = rng.sample([card for card in last if card.world in WORLDS[:3]], 3)
    hands = {seat: [] for seat in range(5)}
    hands[shadow] = [first, second]
    for killer, world in zip(killers, ("yellow", "brown"), strict=True):
        hands[killer].append(last[WORLDS.index(world)])
    worlds = ("orange", "red", rest[0].world)
    cards = rng.sample([Card(w, v) for w in worlds for v in range(1, 9)], 6)
    for seat, hand in hands.items():
        while len(hand) < 2:
            hand.append(cards.pop())
        oracle.hands[seat] = set(hand)
        state["hand"][seat] = sum(1 << number_of(card) for card in hand)
    held = {card for hand in hands.values() for card in hand}
    oracle.placed = {w: {v for v in range(1, 9) if Card(w, v) not in held} for w in WORLDS}
    state["placed"] = sum(
        1 << number_of(Card(world, value))
        for world, values in oracle.placed.items()
        for value in values
    )
    for seat in [*killers, rng.choice(killers)]:
        place = next(k for k, tile in enumerate(oracle.pile) if tile == "dagger")
        tiles = pile_of(state)
        del oracle.pile[place], tiles[place]
        while tiles and tiles[0] == ECLIPSE:
            tiles.append(tiles.pop(0))
            oracle.pile.append(oracle.pile.pop(0))
        state["pile"] = 0
        state["pile"][: len(tiles)] = tiles[::-1]
        state["pile_size"] = len(tiles)
        face_up = rng.random() < 0.7
        oracle.tiles[seat].append(Tile("dagger", face_up))
        state["shown" if face_up else "hidden"][seat, 0] += 1
    return states, oracle


@pytest.mark.parametrize("taste", TASTES)
@every_setting
def test_random_games(num_players, options, taste):
    for seed in range(GAMES):
        play_and_compare(num_players, 700 + seed, taste, **options)


@pytest.mark.parametrize("track", TRACKS[1:], ids=str)
@pytest.mark.parametrize("num_players", [3, 4, 5])
def test_other_tracks(num_players, track):
    """A short one reaches the Moon and its Portals, a long one the end of the hands."""
    for seed in range(GAMES):
        for k, taste in enumerate(TASTES):
            made = {"rounds": "single", "asked": ("everyone", "holders")[(seed + k) % 2]}
            play_and_compare(num_players, 900 + seed, taste, track=track, **made)


def test_chains_of_rituals():
    met = Counter()
    for seed in range(24):
        met += go_on(*nearly_complete_worlds(seed), random.Random(seed), TASTES[seed % 4])
    assert met["order"]


@pytest.mark.skipif(JIT_DISABLED, reason="takes long without compiling")
def test_all_kinds_of_decisions_and_ends_are_met():
    met = Counter()
    for seed in range(3):
        for track in (None, {"start": 10, "moon": 60}, {"start": 4, "moon": 12}):
            made = {"rounds": "single", **({"track": track} if track else {})}
            met += play_and_compare(5, 3000 + seed, "fight", **made)
            met += play_and_compare(4, 3000 + seed, "follow", **made)
            met += play_and_compare(3, 3000 + seed, "tiles", **made)
    for seed in range(20):
        met += go_on(*nearly_complete_worlds(seed), random.Random(seed), "fight")
    assert all(met[name] for name in PHASE_NAMES.values()), met
    assert met["shaman"] and met["shadow"], met


# Portals at any moment


@pytest.mark.parametrize("asked", ["everyone", "holders"])
def test_no_round_ends_over_a_portal_that_was_not_offered(asked):
    """Unless it ends on the Moon, all whose Portals might bring it there have just passed."""
    met = 0
    for seed in range(200):
        rng = random.Random(seed)
        track = {"start": 2 + seed % 9, "moon": 18}
        states = GAME.new_state(seed, 3 + seed % 3, rounds="single", asked=asked, track=track)
        passed: set[int] = set()
        while not states["terminated"][0]:
            state, seat = states[0].copy(), int(states["to_play"][0])
            actions = [choose(states, rng, "tiles") for _ in range(4)]
            if PHASES[state["phase"]] == "CARD":
                actions = [choose(states, rng, "follow"), *actions]
            GAME.step(states, next((a for a in actions if a not in (BACK, ON)), actions[0]))
            if PHASES[state["phase"]] not in ("MOON", "LAST", "PORTAL"):
                passed = set()
            passed.add(seat)
        if states["pawn"][0] == states["moon"][0]:
            continue
        tiles = state["shown"][:, PORTAL] + state["hidden"][:, PORTAL]
        left = [s for s in range(3 + seed % 3) if not is_eliminated(state, s)]
        holders = {s for s in left if tiles[s]}
        if states["moon"][0] - states["pawn"][0] <= tiles[left].sum():
            met += 1
            assert holders <= passed, seed
    assert met > 3, met


class AlwaysOffered(ShamansOracle):
    """Portals are offered however far the Moon is."""

    def moon_in_reach(self) -> bool:
        return True


def is_offered(game: ShamansOracle, seat: int) -> bool:
    """Whether a seat would be asked about its Portal by the rules as they are."""
    if game.to_play != seat or ("portal", 1) not in game.legal_actions():
        return False
    own_end = game.phase == "last words" and game.decision.about[3] == seat
    return game.phase in ("card", "moon") or own_end or ShamansOracle.moon_in_reach(game)


def pass_by(game: ShamansOracle) -> None:
    while game.phase in WINDOWS:
        game.apply(("pass",))


def use_when_offered(game: ShamansOracle, seat: int, way: int) -> bool:
    """Pass, but use a Portal of a seat as soon as it would be offered; return whether it was."""
    while game.phase in WINDOWS or is_offered(game, seat):
        if is_offered(game, seat):
            game.apply(("portal", way))
            return True
        game.apply(("pass",))
    return False


def random_answer(games: list[ShamansOracle], rng: random.Random) -> tuple:
    answers = sorted(set.intersection(*(game.legal_actions() for game in games)), key=str)
    following = [a for a in answers if a[0] == "play" and a[1].world == games[0].destination]
    answers = following if following and rng.random() < 0.6 else answers
    return rng.choice([a for a in answers if a[0] != "portal" and a != ("keep", "up")] or answers)


def wait_with_a_portal(seed: int) -> int:
    """Use a Portal far from the Moon at once, and when it is next offered; return how many did."""
    rng = random.Random(seed)
    deal = random_deal(rng.choice((3, 4, 5)), rng)
    track = {"start": rng.randrange(9), "moon": rng.choice((12, 15))}
    game = AlwaysOffered(deal, rounds="single", asked="holders", **track)
    while not game.over:
        seat, way = game.to_play, rng.choice((1, -1))
        if game.phase in WINDOWS and rng.random() < 0.5 and not is_offered(game, seat):
            break
        game.apply(("pass",) if game.phase in WINDOWS else random_answer([game], rng))
    else:
        return 0
    later = game.clone()
    later.apply(("pass",))
    game.apply(("portal", way))
    used = False
    while True:
        used = used or use_when_offered(later, seat, way)
        for one in (game, later):
            pass_by(one)
        ended = [one.ended_by == "moon" for one in (game, later)]
        if game.over or later.over:
            # The Moon for who wants it, if using the Portal at once brought it; or not, if not.
            assert ended[1] >= ended[0] if way == 1 else ended[1] <= ended[0], seed
            return used
        if used:
            assert (later.pawn - game.pawn) * way >= 0, seed
        answer = random_answer([game, later], rng)
        for one in (game, later):
            one.apply(answer)


@pytest.mark.skipif(JIT_DISABLED, reason="plain Python either way")
def test_waiting_for_the_next_offer_of_a_portal_loses_nothing():
    """Whatever else is done meanwhile, the pawn comes at least as far the holder's way."""
    assert sum(wait_with_a_portal(seed) for seed in range(150)) > 40
