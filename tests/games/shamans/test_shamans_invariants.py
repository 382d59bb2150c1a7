"""Thousands of random rounds of Shamans: invariants that no action may break.

    python tests/games/shamans/test_shamans_invariants.py --rounds 100000

checks that many rounds for each player count, way of playing and track.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import pytest

from ludotheque.envs import get_game
from ludotheque.envs.core.bits import count_bits, select_bit
from ludotheque.envs.core.jit import JIT_DISABLED, kernel
from ludotheque.envs.core.rng import GAMMA, below, decision_seed, mix64, next_seed
from ludotheque.envs.shamans.actions import NUM_ACTIONS
from ludotheque.envs.shamans.components import (
    DECK,
    ECLIPSE,
    PORTAL,
    SHADOWS_IN_PLAY,
    TILES_IN_BOX,
    VALUES,
    WHOLE_WORLD,
    WORLDS,
)
from ludotheque.envs.shamans.hidden import determinize
from ludotheque.envs.shamans.observation import observe
from ludotheque.envs.shamans.portals import is_asked_about, moon_in_reach
from ludotheque.envs.shamans.position import set_position
from ludotheque.envs.shamans.rules import legal_actions, random_action, setup, step
from ludotheque.envs.shamans.state import (
    CARD_PHASE,
    ECLIPSE_PHASE,
    GUIDE_PHASE,
    KEEP_PHASE,
    LAST_PHASE,
    MAX_PLIES,
    MOON_PHASE,
    NEUTRALISE_PHASE,
    ORDER_PHASE,
    PHASES,
    PORTAL_PHASE,
    STAGE,
    camp_of,
    card_name,
    hand_of,
    pile_of,
    placed_at,
    tiles_of,
)

GAME = get_game("shamans")
ROUNDS = 10 if JIT_DISABLED else 10_000
# Interval in plies at which the position is redrawn for a seat and observed from there.
EVERY = 7
WAYS = ("any", "follow")
TRACKS = ("reconstructed", {"start": 4, "moon": 12}, {"start": 0, "moon": 90})
SETTINGS = [(players, way, track) for players in (3, 4, 5) for way in WAYS for track in TRACKS]

# Plies are counted by phase; then come games cut off, and the longest one.
OTHER_COUNTS = len(PHASES)

FINE = -1
RULES = (
    "each card is in one place: a hand, a world, in front of a seat or on its way",
    "the twelve artefacts and the Eclipse are somewhere, each once",
    "players have played as many cards as each other, but for the trick that goes on",
    "there are as many Shadows as there should be, and each role card lies somewhere",
    "a seat has seen its own role card, and everybody has seen those of the eliminated",
    "the pawn is on the track, on the Moon only when the round is over",
    "the mask has as many ones as actions are counted, and at least one",
    "the Eclipse is on top of the pile only while a tile is being kept",
    "points never fall",
    "who decides may do so",
    "a Shadow is left while the round goes on",
    "no ritual waits but for a choice of order",
    "a card given and unseen is in the hand of who got it",
    "a game ends after a round, and a match with one leader who has 8 points",
    "a redraw is what the seat sees, with its own mask, and breaks no rule either",
    "a game has at most MAX_PLIES actions",
)


@kernel
def _cards(state):
    num_players = np.int64(state["num_players"])
    cards = np.int64(state["placed"])
    count = count_bits(cards)
    for seat in range(num_players):
        cards |= np.int64(state["hand"][seat])
        count += count_bits(np.int64(state["hand"][seat]))
        if state["front"][seat] >= 0:
            cards |= 1 << np.int64(state["front"][seat])
            count += 1
            if np.int64(state["front"][seat]) // VALUES != state["destination"]:
                return 0
    if state["card"] >= 0:
        cards |= 1 << np.int64(state["card"])
        count += 1
    if cards != DECK[num_players] or count != count_bits(cards):
        return 0
    most = -1
    for seat in range(num_players):
        if not np.int64(state["eliminated"]) >> seat & 1:
            left = count_bits(np.int64(state["hand"][seat]))
            left += np.int64(state["played"]) >> seat & 1
            if most >= 0 and left != most:
                return 2
            most = left
    return FINE


@kernel
def _tiles(state, counts):
    counts[:] = 0
    for kind in range(4):
        counts[kind] += state["gone"][kind]
    for seat in range(5):
        for kind in range(3):
            if state["shown"][seat, kind] < 0 or state["hidden"][seat, kind] < 0:
                return 1
            counts[kind] += state["shown"][seat, kind] + state["hidden"][seat, kind]
    for place in range(2):
        if state["display"][place] >= 0:
            counts[state["display"][place]] += 1
    if state["looked_at"] >= 0:
        counts[state["looked_at"]] += 1
    for k in range(state["pile_size"]):
        counts[state["pile"][k]] += 1
    for k in range(np.int64(state["pile_size"]), 12):
        if state["pile"][k] != 0:
            return 1
    for kind in range(4):
        if counts[kind] != TILES_IN_BOX[kind]:
            return 1
    if counts[ECLIPSE] != (not state["eclipsed"]):
        return 1
    size = np.int64(state["pile_size"])
    on_top = size > 0 and state["pile"][size - 1] == ECLIPSE
    if on_top and state["phase"] != KEEP_PHASE and not state["terminated"]:
        return 7
    return FINE


@kernel
def _roles(state):
    num_players = np.int64(state["num_players"])
    everybody = (1 << num_players) - 1
    shadows = 0
    left = 0
    lying = 0
    for seat in range(num_players):
        role = np.int64(state["role"][seat])
        lying |= 1 << role
        shadow = np.int64(state["camp"][role])
        shadows += shadow
        seen = np.int64(state["seen"][role])
        out = np.int64(state["eliminated"]) >> seat & 1
        left += shadow and not out
        if not seen >> seat & 1 or (out and seen & everybody != everybody):
            return 4
    if lying != everybody or shadows != SHADOWS_IN_PLAY[num_players]:
        return 3
    if left == 0 and not state["terminated"]:
        return 10
    return FINE


@kernel
def _turn(state):
    """Look at who decides, and at what else must be so while somebody does."""
    seat = np.int64(state["to_play"])
    phase = state["phase"]
    out = np.int64(state["eliminated"]) >> seat & 1
    if out != (phase == GUIDE_PHASE) or state["stage"] != STAGE.WAITING:
        return 9
    if phase == CARD_PHASE and (state["hand"][seat] == 0 or seat != state["turn"]):
        return 9
    offered = phase in (MOON_PHASE, LAST_PHASE, PORTAL_PHASE)
    if offered and not is_asked_about(state, seat, PORTAL):
        return 9
    if phase == MOON_PHASE and (state["pawn"] + 1 != state["moon"] or state["steps"] == 0):
        return 9
    if phase == PORTAL_PHASE and not moon_in_reach(state):
        return 9
    if phase == LAST_PHASE and seat != state["target"] and not moon_in_reach(state):
        return 9
    if phase == NEUTRALISE_PHASE and seat != state["performer"]:
        return 9
    if (phase == KEEP_PHASE) != (state["looked_at"] >= 0):
        return 9
    if state["pawn"] < 0 or state["pawn"] >= state["moon"]:
        return 5
    pending = np.int64(state["pending"])
    if pending and state["performer"] < 0:
        return 11
    if phase == ORDER_PHASE and count_bits(pending) < 2:
        return 11
    if phase == CARD_PHASE and pending:
        return 11
    for giver in range(np.int64(state["num_players"])):
        card = np.int64(state["given"][giver])
        if card >= 0:
            holders = 0
            for other in range(np.int64(state["num_players"])):
                holders += np.int64(state["hand"][other]) >> card & 1
            own = np.int64(state["hand"][giver]) >> card & 1
            if holders != 1 or own != (phase == ECLIPSE_PHASE):
                return 12
    return FINE


@kernel
def _over(state):
    """Say whether the game may be over."""
    most = 0
    leaders = 0
    for seat in range(np.int64(state["num_players"])):
        most = max(most, np.int64(state["points"][seat]))
    for seat in range(np.int64(state["num_players"])):
        leaders += state["points"][seat] == most
    return state["round"] == 0 if state["single"] else most >= 8 and leaders == 1


@kernel
def broken(state, mask, counts):
    """Return the number of the first rule broken in a position, or -1."""
    fault = _cards(state)
    if fault == FINE:
        fault = _tiles(state, counts)
    if fault == FINE:
        fault = _roles(state)
    if fault != FINE:
        return fault
    if state["terminated"]:
        return FINE if _over(state) else 13
    fault = _turn(state)
    if fault != FINE:
        return fault
    count = legal_actions(state, mask)
    if count < 1 or count != mask.sum():
        return 6
    return 15 if state["ply"] > MAX_PLIES else FINE


@kernel
def _redraw(state, redrawn, word, mask, other_mask, views, counts):
    """Redraw the position for a seat; return 14 if it can tell, or what rule that breaks."""
    seat = below(word, np.int64(state["num_players"]))
    redrawn[0] = state
    determinize(redrawn[0], seat, word)
    observe(state, seat, views[0])
    observe(redrawn[0], seat, views[1])
    for k in range(views.shape[1]):
        if views[0, k] != views[1, k]:
            return 14
    legal_actions(state, mask)
    legal_actions(redrawn[0], other_mask)
    for action in range(len(mask)):
        if state["to_play"] == seat and mask[action] != other_mask[action]:
            return 14
    return broken(redrawn[0], mask, counts)


@kernel
def _choose(state, word, follow):
    """Choose at random; with ``follow`` mostly among cards of the Destination."""
    if (
        follow
        and state["phase"] == CARD_PHASE
        and state["destination"] >= 0
        and word & np.uint64(7)
    ):
        world = np.int64(WHOLE_WORLD[5]) << VALUES * np.int64(state["destination"])
        cards = np.int64(state["hand"][state["to_play"]]) & world
        if cards:
            return select_bit(cards, below(word, count_bits(cards)))
    return random_action(state, word)


@kernel
def play(states, seed, options, rounds, follow, mask, other_mask, views, counts, met):
    """Play rounds; return ``(rule, seed)`` of the first fault. ``met`` counts plies by phase."""
    state = states[0]
    redrawn = states[1:]
    played = 0
    while played < rounds:
        setup(state, seed, options)
        word = decision_seed(seed, 0)
        fault = broken(state, mask, counts)
        before = np.int64(0)
        while not (state["terminated"] or state["truncated"]) and fault == FINE:
            word += GAMMA
            met[state["phase"]] += 1
            step(state, _choose(state, mix64(word), follow))
            fault = broken(state, mask, counts)
            points = np.int64(0)
            for seat in range(np.int64(state["num_players"])):
                points += state["points"][seat]
            if points < before:
                fault = 8
            before = points
            if state["ply"] % EVERY == 0 and fault == FINE and not state["terminated"]:
                fault = _redraw(state, redrawn, mix64(word), mask, other_mask, views, counts)
        if fault != FINE:
            return fault, seed
        met[OTHER_COUNTS] += state["truncated"]
        met[OTHER_COUNTS + 1] = max(met[OTHER_COUNTS + 1], np.int64(state["ply"]))
        played += np.int64(state["round"]) + 1
        seed = next_seed(seed)
    return FINE, seed


def check(num_players: int, way: str, track, count: int, **options) -> np.ndarray:
    """Play rounds and check them; return how often each phase was met, then the longest game."""
    met = np.zeros(OTHER_COUNTS + 2, np.int64)
    scratch = np.zeros((2, NUM_ACTIONS), np.int8)
    fault, seed = play(
        GAME.new_states(2),
        np.uint64(2024),
        GAME.encode_options(num_players, track=track, **options),
        count,
        way == "follow",
        scratch[0],
        scratch[1],
        np.zeros((2, GAME.observation_size()), np.int8),
        np.zeros(5, np.int64),
        met,
    )
    assert fault == FINE, f"game of seed {seed}: not so: {RULES[fault]}"
    return met


@pytest.mark.parametrize(("num_players", "way", "track"), SETTINGS, ids=str)
def test_random_rounds_break_no_rule(num_players, way, track):
    met = check(num_players, way, track, ROUNDS)
    assert met[:OTHER_COUNTS].sum() > ROUNDS
    assert met[OTHER_COUNTS] == 0, "a match was cut off"
    check(num_players, way, track, ROUNDS // 3, rounds="single", asked="holders")


@pytest.mark.parametrize(
    ("field", "index", "value", "rule"),
    [
        ("placed", (), 0, 0),
        ("hand", 0, 0, 0),
        ("gone", 1, 1, 1),
        ("shown", (0, 0), -1, 1),
        ("pile", 11, 1, 1),
        ("played", (), 1, 2),
        ("camp", 0, 1, 3),
        ("role", 0, 1, 4),
        ("seen", 0, 0, 4),
        ("eliminated", (), 2, 4),
        ("pawn", (), 30, 5),
        ("turn", (), -1, 9),
        ("phase", (), 2, 9),
        ("stage", (), 3, 9),
        ("pending", (), 3, 11),
        ("given", 0, 55, 12),
    ],
)
def test_the_check_sees_a_broken_record(field, index, value, rule):
    """Damaged in one place, a valid position no longer passes."""
    states = GAME.new_state(5, 3)
    mask, counts = np.zeros(NUM_ACTIONS, np.int8), np.zeros(5, np.int64)
    states["camp"][0][:3] = 0, 1, 0
    assert broken(states[0], mask, counts) == FINE
    states[field][(0, *index) if isinstance(index, tuple) else (0, index)] = value
    assert broken(states[0], mask, counts) == rule


DIGESTS = """
import numpy as np
from ludotheque.envs import get_game

game = get_game("shamans")
for num_players in (3, 4, 5):
    batch = game.new_states(1)
    for seed in range(3):
        states = game.new_state(seed, num_players, track={"start": 6, "moon": 30})
        rng = np.random.default_rng(seed)
        while not states["terminated"][0]:
            seat = int(rng.integers(num_players))
            drawn = game.determinize(states, seat, int(states["ply"][0]))
            print(game.digest(drawn)[:8], game.observe(states, seat).astype(int).sum())
            print(game.kernels["evaluate"](states[0], seat, game.new_memo()))
            game.step(states, int(rng.choice(np.flatnonzero(game.legal_mask(states)))))
        print(game.digest(states), game.returns(states))
"""


@pytest.mark.skipif(JIT_DISABLED, reason="the whole suite is running without JIT")
def test_plain_python_plays_the_same_games(run_python):
    compiled, plain = run_python(DIGESTS), run_python(DIGESTS, NUMBA_DISABLE_JIT="1")
    assert compiled.returncode == plain.returncode == 0, compiled.stderr + plain.stderr
    assert len(plain.stdout) > 10_000
    assert compiled.stdout == plain.stdout
    assert "Warning" not in plain.stderr, plain.stderr


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=100_000, help="for each setting")
    args = parser.parse_args(arguments)
    for num_players, way, track in SETTINGS:
        met = check(num_players, way, track, args.rounds)
        print(
            f"{num_players} players, {way}, {track}: fine; plies by phase "
            f"{met[:OTHER_COUNTS].tolist()}; longest game {met[-1]}, cut off {met[-2]}",
            flush=True,
        )
    return 0


# ---- positions that are set up ----------------------------------------------------------------


def test_a_position_is_the_one_asked_for():
    states = GAME.new_state(3, 4)
    set_position(
        states,
        hands={0: ["violet 3"], 1: ["blue 2"], 2: ["violet 5"], 3: ["green 6"]},
        placed=["orange 1"],
        camps=["shadow", "shaman", "shaman", "shaman"],
        pawn=7,
        face_up={1: ["dagger"]},
        face_down={2: ["portal"]},
        display=["shard", None],
        pile=["mask", "eclipse"],
        points=[1, 2, 3, 4],
        to_play=2,
    )
    state = states[0]
    assert [hand_of(state, seat) for seat in range(4)] == [[2], [9], [4], [21]]
    assert placed_at(state, WORLDS.index("orange")) == [1]
    assert [camp_of(state, seat) for seat in range(4)] == ["shadow", "shaman", "shaman", "shaman"]
    assert (tiles_of(state, 1, True)["dagger"], tiles_of(state, 2, False)["portal"]) == (1, 1)
    assert pile_of(state) == [3, 4]
    assert (state["pawn"], state["to_play"], state["guide"]) == (7, 2, 2)
    assert state["points"][:4].tolist() == [1, 2, 3, 4]
    # The holder of a Portal may use it before the card.
    legal = GAME.legal_actions_text(states)
    assert legal == ["violet 5", "portal back", "portal on"]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"hands": {0: ["violet 9"]}}, "have no card 'violet 9'"),
        ({"hands": {0: ["brown 1"]}}, "3 players have no card"),
        ({"hands": {0: ["voilet 1"]}}, "Did you mean 'violet'"),
        ({"hands": {5: ["violet 1"]}}, "seat is 5"),
        ({"hands": {0: ["violet 1"], 1: ["violet 1"]}}, "in two places"),
        ({"hands": {0: ["violet 1"]}}, r"hands have \[0, 1\] cards"),
        ({"hands": {0: ["violet 1"]}, "placed": ["violet 1"]}, "in two places"),
        ({"camps": ["shaman"]}, "1 words for 3 seats"),
        ({"camps": ["shaman", "shaman", "witch"]}, "camp is 'witch'"),
        ({"face_up": {0: ["mask"]}}, "artefact in front of a seat is 'mask'"),
        ({"face_up": {0: ["portal"] * 3}}, "3 tiles 'portal'; the box has 2"),
        ({"display": ["shard"]}, "display has 1 places"),
        ({"pile": ["eclipse", "mask"]}, "on top of the pile"),
        ({"pawn": 1000}, "pawn is 1000"),
        ({"to_play": 3}, "to_play is 3"),
        ({"points": [1]}, "points has 1 numbers"),
        ({"arrow": "up"}, "arrow of the Eclipse is 'up'"),
    ],
)
def test_a_position_that_cannot_be_changes_nothing(wrong, message):
    states = GAME.new_state(3, 3)
    before = states.tobytes()
    with pytest.raises(ValueError, match=message):
        set_position(states, **wrong)
    assert states.tobytes() == before


def test_a_misspelt_part_of_a_position_is_refused():
    with pytest.raises(TypeError, match="hand"):
        set_position(GAME.new_state(3, 3), hand={0: ["violet 1"]})


@pytest.mark.parametrize("num_players", GAME.player_counts)
def test_games_go_on_from_positions_to_their_end(num_players):
    for seed in range(20):
        states = GAME.new_state(seed, num_players, rounds="single")
        hands = {
            seat: [card_name(card) for card in hand_of(states[0], seat)]
            for seat in range(num_players)
        }
        hands = {seat: cards[: seed % 5 + 1] for seat, cards in hands.items()}
        set_position(states, hands=hands, pawn=5, pile=["mask", "portal"], face_up={1: ["dagger"]})
        plies = 0
        while not states["terminated"][0]:
            legal = np.flatnonzero(GAME.legal_mask(states))
            GAME.step(states, int(legal[(seed + plies) % len(legal)]))
            plies += 1
        assert plies >= num_players


if __name__ == "__main__":
    sys.exit(main())
