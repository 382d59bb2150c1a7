"""What a seat of Shamans knows: the redraw against the oracle's list of worlds, and nothing leaks.

What is observed is compared with the oracle at every ply in ``test_shamans_differential.py``.
"""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.shamans import ShamansOracle, Tile, World, hidden_worlds
from shamans_adapter import GAME, Kernels
from shamans_changes import CHANGES
from test_shamans_differential import (
    TASTES,
    card_of,
    choose,
    decision_of,
    number_of,
    oracle_of,
    tile_name,
)
from test_shamans_sentences import kill

from ludotheque.envs import shamans_v1
from ludotheque.envs.core.errors import IllegalActionError, StateError
from ludotheque.envs.core.interfaces.recall import Recall
from ludotheque.envs.core.jit import JIT_DISABLED
from ludotheque.envs.core.schema import slices
from ludotheque.envs.shamans.actions import ACTIONS
from ludotheque.envs.shamans.components import ECLIPSE, NO_CARD, PORTAL, TILES
from ludotheque.envs.shamans.hidden import action_seen_by
from ludotheque.envs.shamans.options import ASKED, ROUNDS
from ludotheque.envs.shamans.state import (
    PHASES,
    camp_of,
    hand_of,
    is_eliminated,
    pile_of,
    tiles_of,
)
from ludotheque.testing import contract, settings

AT = slices(GAME.flat)
MOST_WORLDS = 800
DRAWS_A_WORLD = 1 if JIT_DISABLED else 40
POSITIONS = 2 if JIT_DISABLED else 150


def table(hands: list[str], **position) -> np.ndarray:
    return Kernels.table(hands, **position).states


def play(states: np.ndarray, *texts: str) -> np.ndarray:
    return Kernels(states).play(*texts).states


def phase(states: np.ndarray) -> str:
    return Kernels(states).phase


@pytest.mark.parametrize("setting", settings(GAME), ids=str)
def test_every_private_field_is_redrawn(setting):
    """Not at every moment: the only Shadow of three knows all roles, a last card can be deduced."""
    private = [field.name for field in GAME.flat if field.visible_to == "seat"]
    at = slices(GAME.flat)
    varied = Counter()
    for seed in range(4):
        for states in contract.play(setting, seed):
            if states["ply"][0] % 7 and phase(states) != "keep" or contract.is_over(states):
                continue
            for seat in setting.seats:
                for other in setting.seats:
                    if other != seat:
                        views = [
                            GAME.observe(GAME.determinize(states, seat, redraw), other)
                            for redraw in range(6)
                        ]
                        for name in private:
                            seen = {view[at[name]].tobytes() for view in views}
                            varied[name] += len(seen) > 1
    assert all(varied[name] for name in private), varied


# The redraw against all worlds that agree with what a seat knows


def key_of_world(oracle: ShamansOracle, world: World) -> tuple:
    """A hidden world as the record holds it: tiles as counts."""
    hidden = []
    looked_at = None
    for seat in range(oracle.num_players):
        kinds = list(world.tiles[seat])
        tiles = list(oracle.tiles[seat])
        if oracle.phase == "keep" and seat == oracle.to_play:
            looked_at = kinds.pop()
            tiles.pop()
        down = [kind for kind, tile in zip(kinds, tiles, strict=True) if not tile.face_up]
        removed = zip(world.removed[seat], oracle.removed[seat], strict=True)
        down += [kind for kind, tile in removed if not tile.face_up]
        hidden.append(tuple(sorted(down)))
    cards = tuple(
        frozenset(hand | aside) for hand, aside in zip(world.hands, world.aside, strict=True)
    )
    return (world.roles, cards, tuple(hidden), looked_at, world.pile, world.chosen)


def key_of_state(state) -> tuple:
    seats = range(int(state["num_players"]))
    roles = tuple(camp_of(state, seat) for seat in seats)
    cards = tuple(frozenset(map(card_of, hand_of(state, seat))) for seat in seats)
    hidden = tuple(
        tuple(sorted(Counter(tiles_of(state, seat, False)).elements())) for seat in seats
    )
    looked_at = tile_name(state, int(state["looked_at"]))
    pile = tuple(tile_name(state, kind) for kind in pile_of(state))
    chosen = ()
    if phase(state[None]) == "give":
        given = [(seat, int(state["given"][seat])) for seat in seats]
        chosen = tuple((seat, card_of(card)) for seat, card in given if card != NO_CARD)
    return (roles, cards, hidden, looked_at, pile, chosen)


def small_position(seed: int) -> tuple[np.ndarray, ShamansOracle]:
    """The start of a trick with two or three cards each, few tiles in the pile and some about."""
    rng = random.Random(seed)
    num_players = rng.choice((3, 3, 4, 5))
    track = {"start": rng.choice((8, 9, 20)), "moon": 22}
    states = GAME.new_state(seed, num_players, rounds="single", track=track)
    oracle, state = oracle_of(states[0]), states[0]
    size = rng.choice((2, 3)) if num_players == 3 else 2
    held = set()
    for seat in range(num_players):
        hand = sorted(oracle.hands[seat])[:size] if rng.random() < 0.5 else None
        hand = hand or rng.sample(sorted(oracle.hands[seat]), size)
        oracle.hands[seat] = set(hand)
        state["hand"][seat] = sum(1 << number_of(card) for card in hand)
        held |= set(hand)
    # What is not in a hand lies at its world.
    for world in oracle.placed:
        top = 8 if num_players == 5 else 6
        every = {type(next(iter(held)))(world, value) for value in range(1, top + 1)}
        oracle.placed[world] = {card.value for card in every - held}
    placed = [
        number_of(type(next(iter(held)))(world, value))
        for world, values in oracle.placed.items()
        for value in values
    ]
    state["placed"] = sum(1 << card for card in placed)
    tiles = pile_of(state)
    eclipse = ECLIPSE in tiles and rng.random() < 0.7
    tiles = [kind for kind in tiles if kind != ECLIPSE]
    # A Portal now and then, as the Moon is near.
    wanted = TILES.index(rng.choice(("portal", "dagger", "shard")))
    tiles.sort(key=lambda kind: kind == wanted)
    for _ in range(rng.choice((1, 2, 3))):
        kind, seat = tiles.pop(), rng.randrange(num_players)
        face_up = rng.random() < 0.3
        if TILES[kind] == "mask":
            state["gone"][kind] += 1
            oracle.discarded.append("mask")
            continue
        state["shown" if face_up else "hidden"][seat, kind] += 1
        oracle.tiles[seat].append(Tile(TILES[kind], face_up))
    rng.shuffle(tiles)
    for kind in tiles[3:]:
        state["gone"][kind] += 1
        oracle.discarded.append(TILES[kind])
    tiles = tiles[:3]
    rng.shuffle(tiles)
    if eclipse:
        tiles.insert(rng.randint(1, len(tiles)), ECLIPSE)
    else:
        state["eclipsed"] = True
        oracle.discarded.append(tile_name(state, ECLIPSE))
    state["pile"] = 0
    state["pile"][: len(tiles)] = tiles[::-1]
    state["pile_size"] = len(tiles)
    oracle.pile = [tile_name(state, kind) for kind in tiles]
    return states, oracle


def count_up_to(worlds, most: int) -> list | None:
    found = []
    for world in worlds:
        found.append(world)
        if len(found) > most:
            return None
    return found


def redraws(states: np.ndarray, seat: int, count: int) -> np.ndarray:
    many = np.repeat(states, count)
    seeds = np.arange(count, dtype=np.uint64) * np.uint64(977) + np.uint64(5)
    GAME.loops.redraw(many, 0, count, np.full(count, seat), seeds)
    return many


def different(many: np.ndarray) -> list[tuple]:
    """The records that differ in what is hidden, each with its count."""
    eclipse = phase(many[:1]) == "give"
    fields = ["camp", "hand", "hidden", "looked_at", "pile", "arrow", *["given"] * eclipse]
    rows = np.concatenate([many[name].reshape(len(many), -1) for name in fields], axis=1)
    _, at, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
    return list(zip(many[at], counts.tolist(), strict=True))


def assert_uniform(states: np.ndarray, oracle: ShamansOracle, seat: int, worlds: list) -> None:
    weights = Counter(key_of_world(oracle, world) for world in worlds)
    assert key_of_state(states[0]) in weights
    draws = len(worlds) * DRAWS_A_WORLD
    counts = Counter()
    for state, count in different(redraws(states, seat, draws)):
        counts[key_of_state(state)] += count
    assert set(counts) <= set(weights), "an impossible world was drawn"
    if len(weights) == 1 or JIT_DISABLED:
        return
    expected = {key: draws * weight / len(worlds) for key, weight in weights.items()}
    statistic = sum((counts[key] - share) ** 2 / share for key, share in expected.items())
    freedom = len(weights) - 1
    # Mean and deviation of chi-squared; five deviations are passed in no test of ours by chance.
    assert abs(statistic - freedom) < 5 * np.sqrt(2 * freedom) + 5, (statistic, freedom)


def test_redraws_are_all_worlds_that_agree_evenly():
    """Roles, hands, tiles, the pile with the Eclipse, choices of an unfinished Eclipse."""
    looked_at = Counter()
    seed = 0
    while sum(looked_at.values()) < POSITIONS:
        seed += 1
        rng = random.Random(seed)
        states, oracle = small_position(seed)
        while oracle.phase != "over":
            # Rare decisions are looked at oftener.
            if looked_at[oracle.phase] < POSITIONS / 6 and rng.random() < 0.3:
                seat = rng.randrange(oracle.num_players)
                worlds = count_up_to(hidden_worlds(oracle, seat), MOST_WORLDS)
                if worlds:
                    assert_uniform(states, oracle, seat, worlds)
                    looked_at[oracle.phase] += 1
            action = choose(states, rng, rng.choice(TASTES))
            oracle.apply(decision_of(states[0], action))
            GAME.step(states, action)
    if not JIT_DISABLED:
        wanted = {"card", "artefact", "keep", "give", "moon", "neutralisation"}
        assert wanted <= set(looked_at), looked_at


@pytest.mark.parametrize("decision", ["moon", "last words", "neutralisation"])
def test_who_is_asked_has_the_tile(decision):
    """If only holders are asked: one of those face down, each way to lie equally likely."""
    hands = ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3"]
    made = {"placed": "yellow 1 2 3 4 5", "pile": "dagger", "asked": "holders"}
    if decision == "moon":
        tiles = {"hidden": {2: "portal shard"}, "pile": "dagger portal"}
        states = table(hands, pawn=29, asked="holders", **tiles)
        play(states, "violet 1", "yellow 6")
        asked, needed = 2, 1
    elif decision == "last words":
        states = table(hands, shown={1: "dagger"}, hidden={2: "portal shard"}, **made)
        play(states, "violet 1", "yellow 6", "eliminate player_2")
        asked, needed = 2, 1
    else:
        states = table(hands, hidden={1: "dagger shard"}, **made)
        play(states, "violet 1", "yellow 6")
        asked, needed = 1, 0
    assert phase(states) == decision
    # All tiles that are nowhere else lie in the pile.
    state = states[0]
    counts = np.array([5, 2, 3, 2]) - state["gone"]
    for kind in state["display"].tolist():
        counts[kind] -= 1
    counts[:3] -= state["shown"].sum(0) + state["hidden"].sum(0)
    pile = np.repeat(np.arange(4), counts)
    state["pile"] = 0
    state["pile"][: len(pile)] = pile
    state["pile_size"] = len(pile)
    seat = 0
    many = redraws(states, seat, 6000)
    held = many["hidden"][:, asked]
    assert (held[:, needed] > 0).all() and (held.sum(1) == 2).all()
    # Two different tiles of those unseen, at least one as needed.
    unseen = counts[:3] + state["hidden"][asked]
    tiles = np.repeat(np.arange(3), unseen)
    pairs = Counter()
    for i in range(len(tiles)):
        for j in range(i):
            if needed in (tiles[i], tiles[j]):
                pairs[tuple(np.bincount([tiles[i], tiles[j]], minlength=3))] += 1
    counted = Counter(map(tuple, held.tolist()))
    assert set(counted) == set(pairs)
    for pair, weight in pairs.items():
        share = weight / sum(pairs.values())
        assert abs(counted[pair] / 6000 - share) < 0.03


def after_an_eclipse() -> np.ndarray:
    states = table(
        [
            "violet 1, blue 1, green 1, orange 1",
            "violet 2, blue 2, green 2, orange 2",
            "violet 3, blue 3, green 3, orange 3",
            "violet 4, blue 4, green 4, orange 4",
        ],
        pile="dagger eclipse dagger",
        arrow="left",
    )
    play(states, "violet 1", "violet 2", "violet 3", "violet 4", "take 1")
    return play(states, "blue 1", "blue 2", "blue 3", "blue 4")


def test_a_card_passed_is_known_to_its_giver():
    states = after_an_eclipse()
    many = redraws(states, 1, 500)
    blue_2 = 1 << 9
    assert (many["hand"][:, 2] & blue_2 > 0).all()
    assert (many["given"][:, 1] == 9).all()
    # Player 0 gave it a card: that is known too. What the others gave isn't.
    assert (many["given"][:, 0] == 8).all()
    assert len(set(many["given"][:, 2].tolist())) > 5
    assert len(set(many["hand"][:, 2].tolist())) == 28  # two of eight


def test_any_card_since_the_eclipse_may_have_been_the_one():
    """To seat 0, what seat 2 gave seat 3: one of its three now, or of the one it has played."""
    states = after_an_eclipse()
    assert states["to_play"][0] == 3
    play(states, "green 4")
    many = redraws(states, 0, 8000)
    given = many["given"][:, 2]
    assert abs((given == NO_CARD).mean() - 1 / 3) < 0.02
    for state in many[:200]:
        if state["given"][2] != NO_CARD:
            assert state["hand"][3] >> int(state["given"][2]) & 1
    # What seat 3 gave to seat 0, seat 0 knows.
    assert (many["given"][:, 3] == states["given"][0][3]).all()


def test_a_card_passed_and_set_aside_is_still_known():
    states = after_an_eclipse()
    states["camp"][0][:4] = 0, 0, 0, 1
    states["eliminated"][0] = 0b0100
    states["seen"][0][2] = 31
    many = redraws(states, 1, 300)
    assert (many["hand"][:, 2] >> 9 & 1).all()


# What may be known is observed, and nothing else


def positions_with_oracle(seed: int, every: int):
    """Positions of a random match in both, each ``every`` plies or so."""
    rng = random.Random(seed)
    track = {"start": rng.choice((2, 5, 8)), "moon": rng.choice((14, 30))}
    options = {"asked": rng.choice(ASKED), "rounds": rng.choice(ROUNDS), "track": track}
    states = GAME.new_state(seed, rng.choice((3, 4, 5)), **options)
    oracle = oracle_of(states[0])
    taste = ("fight", rng.choice(TASTES))[seed % 2]
    for _ in range(150):
        if rng.randrange(every) == 0 or oracle.phase in ("portal", "give", "last words", "keep"):
            yield states, oracle, rng
        action = choose(states, rng, taste)
        oracle.apply(decision_of(states[0], action))
        GAME.step(states, action)
        if oracle.phase in ("deal", "over"):
            return


def test_whatever_a_seat_may_know_changes_what_it_observes():
    """Each kind of fact in turn; and what it may not know changes nothing."""
    changed, unseen, made = Counter(), Counter(), Counter()
    facts_of: dict[bytes, dict] = {}
    for seed in range(40):
        for states, oracle, rng in positions_with_oracle(seed, 20):
            seats = rng.sample(range(oracle.num_players), 2)
            before = {seat: oracle.facts(seat) for seat in seats}
            views = {seat: GAME.observe(states, seat) for seat in seats}
            for seat in seats:
                # Whatever was observed so before, no other facts were known.
                assert facts_of.setdefault(views[seat].tobytes(), before[seat]) == before[seat]
            # Those first that can seldom be made.
            for change in sorted(CHANGES, key=lambda c: (made[c.__name__], rng.random()))[:14]:
                twin, copy = states.copy(), oracle.clone()
                if change(twin[0], copy, rng) is False:
                    continue
                made[change.__name__] += 1
                for seat in seats:
                    facts = copy.facts(seat)
                    names = {name for name in facts if facts[name] != before[seat][name]}
                    same = np.array_equal(GAME.observe(twin, seat), views[seat])
                    assert same == (not names), (change.__name__, names, seed, seat)
                    changed.update(names)
                    unseen[change.__name__] += not names
    assert all(made[change.__name__] for change in CHANGES), made
    assert set(changed) == set(facts) - {"players"}, set(facts) - set(changed)
    hidden = {"cards_of_two", "camps", "kind_face_down", "looked_at", "order_of_the_pile", "arrow"}
    assert all(unseen[name] for name in (*hidden, "chosen", "passed")), unseen


def test_what_was_done_is_no_secret():
    """A redraw leaves it alone, whoever it is for."""
    met = Counter()
    for seed in range(16):
        for states, oracle, rng in positions_with_oracle(seed, 12):
            drawn = GAME.determinize(states, rng.randrange(oracle.num_players), rng.getrandbits(30))
            for name in ("plays", "deeds", "swaps", "eliminator"):
                assert np.array_equal(drawn[name], states[name])
                met[name] += bool((states[name] > 0).any())
    assert all(met.values()), met


def test_the_number_of_players_is_observed():
    views = {
        GAME.observe(GAME.new_state(1, count), 0)[AT["phase"]].tobytes() for count in (3, 4, 5)
    }
    assert len(views) == 3


# Nobody can tell a Portal that lies face down from another tile


def twin_of(states: np.ndarray, rng: random.Random) -> tuple[np.ndarray, set[int]] | None:
    """The same with a Portal that lies face down exchanged for another unseen tile.

    Returns it with the seats that can tell: who has the Portal, and who the other tile, unless
    that lies in the pile.
    """
    state, twin = states[0], states.copy()
    seats = range(int(state["num_players"]))
    holders = [s for s in seats if state["hidden"][s, PORTAL] and not is_eliminated(state, s)]
    if not holders:
        return None
    holder = rng.choice(holders)
    others = [(s, kind) for s in seats for kind in (0, 2) if s != holder]
    others = [(s, kind) for s, kind in others if state["hidden"][s, kind]]
    in_pile = [k for k in range(int(state["pile_size"])) if state["pile"][k] in (0, 2)]
    if others and (not in_pile or rng.random() < 0.5):
        other, kind = rng.choice(others)
        twin["hidden"][0, other, kind] -= 1
        twin["hidden"][0, other, PORTAL] += 1
    elif in_pile:
        other = holder
        # Deep down, so that it doesn't come up soon.
        kind, twin["pile"][0, in_pile[0]] = int(state["pile"][in_pile[0]]), PORTAL
    else:
        return None
    twin["hidden"][0, holder, PORTAL] -= 1
    twin["hidden"][0, holder, kind] += 1
    return twin, {holder, other}


def all_that_is_seen(env, seat: int, pictures: bool) -> tuple:
    """What the AEC interface shows a seat and, with ``pictures``, the table too."""
    agent, state = f"player_{seat}", env.get_state()["states"][0]
    seen = env.observe(agent)
    told = action_seen_by(state, seat, int(state["last_action"]))
    shown = ()
    if pictures:
        shown = GAME.describe(state, seat, told), GAME.draw(state, seat, told).svg()
    return (
        env.agent_selection,
        len(env.get_state()["actions"]),
        int(state["ply"]),
        seen["observation"].tobytes(),
        seen["action_mask"].tobytes(),
        env.infos[agent]["action_mask"].tobytes(),
        env.rewards,
        env.terminations,
        told,
        *shown,
    )


def follow_twins(seed: int, asked: str) -> tuple[int, bool]:
    """Play a round and its twin alike; return at how many plies they were compared, and whether a
    third seat saw a difference before the tiles were shown.
    """
    rng = random.Random(seed)
    players = rng.choice((3, 4, 5))
    track = {"start": rng.choice((4, 8, 12)), "moon": 16}
    made = {"num_players": players, "rounds": "single", "asked": asked, "track": track}
    env, twin = (shamans_v1.env(reward="score_change", **made) for _ in range(2))
    env.reset(seed=seed)
    twins, compared = None, 0
    while not any(env.terminations.values()):
        saved = env.get_state()
        if twins is None:
            twins = twin_of(saved["states"], rng)
            if twins is not None:
                twin.reset(seed=seed)
                twin.set_state({**saved, "states": twins[0]})
                know, drawn = twins[1], (saved["states"][0]["pile_size"], len(twins[1]))
        if twins is None:
            env.step(choose(saved["states"], rng, "tiles"))
            continue
        others = [seat for seat in range(players) if seat not in know]
        if drawn[1] == 1 and saved["states"]["pile_size"][0] <= drawn[0] // 2:
            return compared, False  # The tile may come up: others would see it.
        pictures = rng.random() < 0.05
        for seat in others:
            one, other = (all_that_is_seen(e, seat, pictures) for e in (env, twin))
            if one != other:
                return compared, True
            compared += 1
        states, copies = saved["states"], twin.get_state()["states"]
        legal = np.flatnonzero(GAME.legal_mask(states) & GAME.legal_mask(copies)).tolist()
        if int(states["to_play"][0]) in know:
            # The actions of these two reveal nothing about the tile: it isn't used.
            legal = [a for a in legal if ACTIONS.decode(a)["kind"] not in ("portal", "eliminate")]
        if not legal:
            return compared, False
        action = rng.choice([a for a in legal if a < 56] or legal)
        env.step(action)
        twin.step(action)
    return compared, False


def test_a_third_seat_cannot_tell_a_portal_that_lies_face_down():
    """Whatever everybody sees being done, all that it sees meanwhile is the same."""
    results = [follow_twins(seed, "everyone") for seed in range(40)]
    assert sum(compared for compared, _ in results) > 300
    assert not any(told for _, told in results)


def test_asking_holders_only_tells_that_they_hold_one():
    assert any(follow_twins(seed, "holders")[1] for seed in range(60))


# Nothing is left of having been asked


def seen_by_others(states: np.ndarray, asked: int) -> list[bytes]:
    seats = range(int(states["num_players"][0]))
    return [GAME.observe(states, seat).tobytes() for seat in seats if seat != asked]


def shown_actions(states: np.ndarray, asked: int) -> list:
    """The last action as every other seat may know it."""
    last = int(states["last_action"][0])
    seats = range(int(states["num_players"][0]))
    return [action_seen_by(states[0], seat, last) for seat in seats if seat != asked]


def shown_to_others(states: np.ndarray, asked: int) -> list[tuple[str, str]]:
    """The text and the picture for every other seat."""
    state = states[0]
    last = int(state["last_action"])
    seats = [seat for seat in range(int(state["num_players"])) if seat != asked]
    return [
        (GAME.describe(state, seat, last), GAME.draw(state, seat, last).svg()) for seat in seats
    ]


HANDS = ["violet 1, blue 1", "yellow 6, blue 2", "violet 3, blue 3", "violet 4, blue 4"]
YELLOW = "yellow 1 2 3 4 5"


def moon_twins() -> tuple[np.ndarray, np.ndarray]:
    """The second of two is asked in both; the first one only where it has a Portal."""
    twins = []
    for tile in ("portal", "shard"):
        tiles = {"hidden": {2: tile}, "shown": {3: "portal"}}
        states = table(HANDS, pawn=29, placed=YELLOW, asked="holders", **tiles)
        play(states, "violet 1", "yellow 6")
        if tile == "portal":
            assert (phase(states), states["to_play"][0]) == ("moon", 2)
            play(states, "pass")
        assert (phase(states), states["to_play"][0]) == ("moon", 3)
        twins.append(states)
    return twins[0], twins[1]


def last_twins() -> tuple[np.ndarray, np.ndarray]:
    twins = []
    for tile in ("portal", "shard"):
        states = kill(Kernels, 2, hidden={2: tile}, asked="holders").states
        if tile == "portal":
            assert phase(states) == "last words"
            play(states, "pass")
        twins.append(states)
    return twins[0], twins[1]


def dagger_twins() -> tuple[np.ndarray, np.ndarray]:
    twins = []
    for tile in ("dagger", "shard"):
        states = table(HANDS, hidden={1: tile}, placed=YELLOW, asked="holders")
        play(states, "violet 1", "yellow 6")
        if tile == "dagger":
            assert phase(states) == "neutralisation"
            play(states, "pass")
        twins.append(states)
    return twins[0], twins[1]


def refused(states: np.ndarray) -> str:
    """What an illegal action is refused with."""
    with pytest.raises(IllegalActionError) as caught:
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states) == 0)[0]))
    return str(caught.value)


@pytest.mark.parametrize(("twins", "asked"), [(moon_twins, 2), (last_twins, 2), (dagger_twins, 1)])
def test_a_pass_leaves_no_trace(twins, asked):
    """If only holders are asked, the others see what they would see had nobody been asked."""
    one, other = twins()
    assert one["ply"][0] == other["ply"][0] + 1
    assert seen_by_others(one, asked) == seen_by_others(other, asked)
    assert shown_actions(one, asked) == shown_actions(other, asked)
    assert shown_to_others(one, asked) == shown_to_others(other, asked)
    assert refused(one) == refused(other)
    assert action_seen_by(one[0], asked, int(one["last_action"][0])) == one["last_action"][0]
    # Records that searchers get have no trace either, but for the number of plies.
    seats = [seat for seat in range(4) if seat != asked]
    for seat in seats:
        for seed in range(20):
            drawn = GAME.determinize(one, seat, seed)
            twin = GAME.determinize(other, seat, seed)
            for name in GAME.dtype.names:
                if name not in ("ply", "last_seat"):
                    assert np.array_equal(drawn[name], twin[name]), name


def test_others_do_not_see_who_is_asked():
    """If only holders are asked, the others see that somebody is, and not who or what."""
    views = []
    for holder in (0, 2):
        states = table(
            HANDS,
            pawn=29,
            hidden={holder: "portal", 2 - holder: "shard"},
            placed=YELLOW,
            asked="holders",
        )
        play(states, "violet 1", "yellow 6")
        assert states["to_play"][0] == holder
        views.append([GAME.observe(states, seat).tobytes() for seat in (1, 3)])
    assert views[0] == views[1]


def test_what_is_recalled_does_not_tell_how_many_were_asked():
    """If only holders are asked, the others see that somebody is, and not how many."""
    recalled, plies, views = [], [], []
    for other in ("shard", "portal"):
        hidden = {0: "portal", 2: other}
        states = table(HANDS, pawn=29, placed=YELLOW, asked="holders", hidden=hidden)
        recall = Recall(GAME, 4)
        recall.look(states)
        for name in ("violet 1", "yellow 6"):
            take(states, recall, name)
        while states["to_play"][0] != 0:
            take(states, recall, "pass")
        recalled.append([recall.digest(seat) for seat in (1, 3)])
        views.append([GAME.observe(states, seat).tolist() for seat in (1, 3)])
        plies.append(int(states["ply"][0]))
    assert plies[1] == plies[0] + 1
    assert recalled[0] == recalled[1] and views[0] == views[1]


def take(states: np.ndarray, recall: Recall, text: str) -> None:
    seat = int(states["to_play"][0])
    play(states, text)
    recall.look(states, seat, int(states["last_action"][0]))


def test_others_see_that_a_portal_face_up_is_asked_about():
    states = table(HANDS, pawn=29, shown={2: "portal"}, placed=YELLOW)
    play(states, "violet 1", "yellow 6")
    at = slices(GAME.flat)
    for seat in range(4):
        numbers = GAME.observe(states, seat)[at["seats"]].reshape(5, -1)
        assert numbers[(2 - seat) % 4, 1] == 1


def test_a_card_being_given_is_told_to_nobody():
    states = after_an_eclipse_begins()
    play(states, "blue 1")
    for seat in (1, 2):
        seen = action_seen_by(states[0], seat, int(states["last_action"][0]))
        assert GAME.action_to_string(seen) == "take 1"
        assert GAME.determinize(states, seat, 3)["last_action"][0] == seen
        chosen = {int(redraw["given"][0]) for redraw in redraws(states, seat, 300)}
        assert len(chosen) > 3
    assert action_seen_by(states[0], 0, int(states["last_action"][0])) == 8
    assert action_seen_by(states[0], None, 8) == 8


def after_an_eclipse_begins() -> np.ndarray:
    hands = [f"violet {k}, blue {k}, green {k}, orange {k}" for k in (1, 2, 3)]
    states = table(hands, pile="dagger eclipse dagger")
    return play(states, "violet 1", "violet 2", "violet 3", "take 1")


def test_the_end_shows_roles():
    states = GAME.new_state(2, 5, rounds="single")
    while not states["terminated"][0]:
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    camps = [camp_of(states[0], seat) for seat in range(5)]
    for seat in range(5):
        drawn = GAME.determinize(states, seat, 9)[0]
        assert [camp_of(drawn, other) for other in range(5)] == camps


def test_a_game_that_is_over_asks_nobody():
    """A record that says so is refused; redrawing it ends, though no tile lies face down."""
    states = GAME.new_state(2, 4, rounds="single", asked="holders")
    while not states["terminated"][0]:
        GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[0]))
    GAME.check_states(states)
    # Nobody has a tile, face up or face down.
    states["gone"][0, : len(TILES) - 1] += states["shown"][0].sum(axis=0)
    states["shown"][0] = 0
    GAME.check_states(states)
    for asking in ("MOON", "NEUTRALISE"):
        states["phase"] = PHASES.index(asking)
        with pytest.raises(StateError, match="'phase'"):
            GAME.check_states(states)
        for seat in range(4):
            GAME.determinize(states, seat, 5)


def test_a_forfeit_leaves_a_decision_that_can_be_checked():
    for play_on in range(0, 60, 7):
        states = GAME.new_state(3, 4, asked="holders")
        for _ in range(play_on):
            GAME.step(states, int(np.flatnonzero(GAME.legal_mask(states))[-1]))
        GAME.step(states, -1, illegal="lose")
        GAME.check_states(states)
        states["phase"] = PHASES.index("GUIDE")
        with pytest.raises(StateError, match="'phase'"):
            GAME.check_states(states)


def test_a_trick_has_cards():
    """Where nobody left has one, an eliminated player with one names the Guide: there must be."""
    states = play(table(HANDS, placed=YELLOW), "violet 1")
    GAME.check_states(states)
    elsewhere = states.copy()
    elsewhere["front"][0, 4], elsewhere["front"][0, 0] = elsewhere["front"][0, 0], NO_CARD
    nowhere = states.copy()
    nowhere["front"] = NO_CARD
    for changed in (elsewhere, nowhere):
        with pytest.raises(StateError, match="'front'"):
            GAME.check_states(changed)


def test_a_refusal_does_not_tell_what_the_seat_holds():
    """A Portal face down makes two more actions legal."""
    texts = set()
    for tile in ("portal", "shard"):
        states = table(HANDS, hidden={0: tile}, placed=YELLOW)
        illegal = GAME.action_from_string("pass", states[0])
        with pytest.raises(IllegalActionError) as refused:
            GAME.step(states, illegal)
        texts.add(str(refused.value))
    assert len(texts) == 1 and "pass" in texts.pop()
