"""The compiled rules of Sagani against the plain-Python oracle, at every ply of many games."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.sagani import (
    DIRECTIONS,
    ELEMENTS,
    SaganiOracle,
    direction_to,
    load_cases,
    load_tiles,
)

from ludotheque.envs import GameOverError, IllegalActionError, get_game
from ludotheque.envs.sagani.components import (
    WINDOW,
)
from ludotheque.envs.sagani.position import TileAt, set_position
from ludotheque.envs.sagani.state import (
    ALIGNING,
    CHOOSING,
    PLACING,
    POINTING,
    ROTATING,
    TAKING,
    aside_of,
    back_of,
    discs_on_table,
    free_positions,
    negative_points,
    pile_sizes,
    pile_tops,
    position_of,
    removed,
    table_of,
    track_of,
)

TILES = load_tiles()
NUMBERS = list(range(1, 73))
MODES = {
    "solo classic": (1, "classic"),
    "solo advanced": (1, "advanced"),
    "two players": (2, "classic"),
    "three players": (3, "classic"),
    "four players": (4, "classic"),
}
SEVERAL = ["two players", "three players", "four players"]

every_mode = pytest.mark.parametrize("mode", MODES)
either_way = pytest.mark.parametrize("alignments", ["auto", "choice"])

# A decision is a tuple: ("take", slot), ("aside",), ("choose", space), ("pass",), ("cell", (x, y)),
# ("turn", quarter turns), ("cover", direction) or ("done",).
Decision = tuple


@pytest.fixture(scope="module")
def game():
    return get_game("sagani")


def contents(states) -> tuple:
    """Every field's bytes: unlike the records' own bytes, without the padding between fields."""
    return tuple(states[name].tobytes() for name in states.dtype.names)


def oracle_of(states, alignments: str = "auto") -> SaganiOracle:
    """An oracle of the same game, dealt as a state at its start is."""
    state = states[0]
    ((field, start_pile),) = track_of(state)
    assert field == 0
    return SaganiOracle(
        state["pile"].tolist(),
        int(state["num_players"]),
        int(state["to_play"]),
        "advanced" if state["solo"] else "classic",
        alignments,
        start_pile,
    )


def widest(cells) -> int:
    """The longer side of the smallest rectangle round some cells."""
    return max(max(line) - min(line) + 1 for line in zip(*cells, strict=True))


def number_of(what) -> int:
    """A tile's number, 0 for none."""
    return 0 if what is None else what.id


def decision_of(game, state, action: int) -> Decision:
    """An action number as a decision of the player to move; cells count from his first tile."""
    parts = game.decode_action(action)
    if parts["kind"] == "cell":
        cell = WINDOW * parts["row"] + parts["column"]
        return ("cell", position_of(state, int(state["to_play"]), cell))
    return tuple(parts.values())


def legal_decisions(game, states) -> dict[Decision, int]:
    """The decisions that the kernels' mask allows, with their action numbers."""
    mask = game.legal_mask(states)
    assert mask.dtype == np.int8
    assert mask.shape == (game.num_actions,)
    assert set(mask.tolist()) <= {0, 1}
    actions = np.flatnonzero(mask).tolist()
    found = {decision_of(game, states[0], action): action for action in actions}
    assert len(found) == len(actions)
    return found


class Pair:
    """One game in the kernels and in the oracle, played together.

    The kernels ask for a cell and then for a rotation, and for a tile and then for its arrow; the
    oracle takes both at once. `cell` is the half that was already chosen. Where the oracle offers
    no disc to move, the kernels ask nothing. `choices` holds the decisions that both allow now,
    with their action numbers.
    """

    def __init__(self, game, seed: int, mode: str, alignments: str = "auto", **options) -> None:
        num_players, solo = MODES[mode]
        self.game = game
        self.states = game.new_state(
            seed, num_players=num_players, solo=solo, alignments=alignments, **options
        )
        self.canvas = int(self.states["canvas"][0])
        self.oracle = oracle_of(self.states, alignments)
        self.cell = None
        self.ply = 0
        self.happened = Counter()
        self.check()

    @property
    def state(self):
        return self.states[0]

    def copy(self) -> Pair:
        twin = object.__new__(Pair)
        twin.__dict__.update(self.__dict__)
        twin.states = self.states.copy()
        twin.oracle = self.oracle.copy()
        twin.happened = Counter(self.happened)
        return twin

    # ---- what may be done ---------------------------------------------------------------------

    def cells_that_fit(self, seat: int) -> set:
        """Where a player's next tile may go without leaving the square of the option `canvas`."""
        area = self.oracle.areas[seat]
        return {cell for cell in area.legal_cells() if widest([*area.tiles, cell]) <= self.canvas}

    def expected(self) -> tuple[int, set[Decision]]:
        """The kernels' phase and the decisions that the oracle allows."""
        oracle = self.oracle
        if oracle.phase == "take":
            aside = {("aside",)} if oracle.may_set_aside() else set()
            return TAKING, aside | {("take", slot) for slot in oracle.legal_tiles()}
        if oracle.phase == "interlude":
            spaces = oracle.legal_interlude_spaces()
            return CHOOSING, {("pass",)} | {("choose", space) for space in spaces}
        if oracle.phase == "place":
            if self.cell is not None or not oracle.areas[oracle.to_play].tiles:
                return ROTATING, {("turn", turns) for turns in range(4)}
            return PLACING, {("cell", cell) for cell in self.cells_that_fit(oracle.to_play)}
        assert oracle.phase == "align"
        alignments = oracle.legal_alignments()
        if self.cell is not None:
            return POINTING, {("cover", way) for cell, way in alignments if cell == self.cell}
        done = {("done",)} if oracle.may_stop() else set()
        return ALIGNING, done | {("cell", cell) for cell, _ in alignments}

    # ---- doing it -----------------------------------------------------------------------------

    def play(self, decision: Decision) -> None:
        """Take a decision in both, and compare."""
        self.game.step(self.states, self.choices[decision])
        self.ply += 1
        self.tell_oracle(*decision)
        self.happened[decision[0]] += 1
        while self.oracle.phase == "align" and not self.oracle.legal_alignments():
            self.oracle.stop_aligning()
        self.check()

    def tell_oracle(self, kind: str, value=None) -> None:
        oracle = self.oracle
        if kind == "take":
            oracle.take(value)
        elif kind == "aside":
            oracle.set_aside_last_tile()
        elif kind == "choose":
            oracle.interlude_take(value)
        elif kind == "pass":
            oracle.interlude_pass()
        elif kind == "cell":
            self.cell = value
        elif kind == "turn":
            cell, self.cell = self.cell or (0, 0), None
            oracle.place(cell, value)
        elif kind == "cover":
            cell, self.cell = self.cell, None
            oracle.align(cell, value)
        elif kind == "done":
            oracle.stop_aligning()

    def run(self, choose, rng: random.Random) -> None:
        """Play to the end, each decision chosen by `choose(pair, rng)`."""
        while not self.oracle.is_over():
            self.play(choose(self, rng))

    # ---- comparing ----------------------------------------------------------------------------

    def check(self) -> None:
        """Everything that can be seen, and the hidden piles, is as the oracle has it."""
        state, oracle = self.state, self.oracle
        assert bool(state["terminated"]) == oracle.is_over()
        assert not state["truncated"]
        assert state["ply"] == self.ply
        assert state["forfeit"] == -1
        assert state["first_player"] == oracle.first_player
        self.check_choices()
        self.check_supply()
        self.check_track()
        for seat in range(oracle.num_players):
            self.check_table(seat)
        self.check_result()

    def check_choices(self) -> None:
        state, oracle = self.state, self.oracle
        self.choices = legal_decisions(self.game, self.states)
        if oracle.is_over():
            assert self.choices == {}
            return
        self.phase, decisions = self.expected()
        assert decisions
        assert (int(state["phase"]), set(self.choices)) == (self.phase, decisions)
        assert state["to_play"] == oracle.to_play
        if oracle.choosers:
            left = state["queue"][state["queue_next"] : oracle.num_players].tolist()
            # The one who is choosing has been counted already, or not yet.
            assert left in (oracle.choosers, oracle.choosers[1:])
            assert state["turn"] == oracle.after_interlude
        else:
            assert state["turn"] == oracle.to_play
        if oracle.phase == "take":
            # Within a turn it makes no difference when the end is noted.
            assert bool(state["last_round"]) == oracle.last_round

    def check_supply(self) -> None:
        """Piles, display, interlude, hand, and the tiles put aside or out of the game."""
        state, oracle = self.state, self.oracle
        if oracle.phase != "align":
            assert state["hand"] == number_of(oracle.hand)
        assert state["interlude"].tolist() == [number_of(what) for what in oracle.interlude]
        assert sorted(removed(state)) == sorted(what.id for what in oracle.removed)
        assert aside_of(state) == [what.id for what in oracle.low_tiles]
        if oracle.is_over() and oracle.mode == "river":
            return  # nobody needs to fill the river any more
        assert state["display"].tolist() == [number_of(what) for what in oracle.river]
        assert pile_sizes(state) == [len(pile) for pile in padded(oracle.piles)]
        piled = [what.id for pile in oracle.piles for what in pile]
        assert state["pile"].tolist()[int(state["drawn"]) :] == piled
        backs = [back_of(top) if top else None for top in pile_tops(state)]
        seen = [(ELEMENTS[element], value) for element, value in filter(None, backs)]
        assert seen == [back for back in oracle.top_of_piles() if back]

    def check_track(self) -> None:
        state, track = self.state, self.oracle.track
        standing = {field: pile for field, pile in sorted(track.piles.items()) if pile}
        assert track_of(state) == list(standing.items())
        for seat, points in enumerate(track.points):
            assert state["score"][seat] == points
            assert negative_points(state, seat) == max(0, -points)
        assert state["bonus"] == self.oracle.bonus

    def check_table(self, seat: int) -> None:
        state, area = self.state, self.oracle.areas[seat]
        unpaid = seat == self.oracle.to_play and self.oracle.new_cell
        found = table_of(state, seat)
        assert list(found) == list(area.tiles)
        for cell, placed in area.tiles.items():
            seen = found[cell]
            assert (seen.tile, seen.rotation) == (placed.tile.id, placed.rotation)
            assert seen.flipped == placed.flipped
            assert {DIRECTIONS[way] for way in seen.covered} == placed.covered
            # A tile that still has to get its discs counts as having them.
            assert seen.discs == (len(placed.arrows) if cell == unpaid else placed.discs)
        assert state["supply"][seat] == area.supply
        assert state["cacophony"][seat] == area.cacophony
        lying = sum(placed.discs + len(placed.covered) for placed in area.tiles.values())
        assert discs_on_table(state, seat) == lying
        assert state["uncompleted"][seat] == len(area.open_tiles())
        assert free_positions(state, seat) == self.cells_that_fit(seat)

    def check_result(self) -> None:
        scores, ranks = self.game.returns(self.states)
        assert scores.dtype == np.float32
        expected = self.oracle.scores()
        if self.oracle.mode == "classic":  # ruling: the fewer tiles the better
            counted = min(expected[0], self.oracle.goal())
            expected = [counted - len(self.oracle.areas[0].tiles)]
        assert scores.tolist() == expected
        if self.oracle.mode == "river":
            assert list(ranks) == self.oracle.ranks()
        elif self.oracle.mode == "classic":
            if self.oracle.is_over():
                # Nobody to compare with: reaching the goal is winning.
                assert list(ranks) == [1 if self.oracle.last_round else 2]
        else:
            # The rulebook sets no goal; the kernels take that of the classic game.
            assert list(ranks) == [1 if scores[0] >= self.oracle.goal() else 2]

    # ---- positions that play seldom reaches -----------------------------------------------------

    def set_points(self, seat: int, points: int) -> None:
        """Move a marker in both; where it comes to another field, it lies on top."""
        track = self.oracle.track
        before = track.square(seat)
        track.add(seat, points - track.points[seat])
        self.states["score"][0][seat] = points
        if track.square(seat) != before:
            self.states["clock"][0] += 1
            self.states["arrival"][0][seat] = self.states["clock"][0]

    def set_supply(self, seat: int, supply: int) -> None:
        self.oracle.areas[seat].supply = supply
        self.states["supply"][0][seat] = supply


def padded(piles: list) -> list:
    return piles + [[]] * (3 - len(piles))


# ---- ways to play -----------------------------------------------------------------------------


def anything(pair: Pair, rng: random.Random) -> Decision:
    """Any decision, kinds of decision equally often."""
    decisions = sorted(pair.choices, key=repr)
    kind = rng.choice(sorted({decision[0] for decision in decisions}))
    return rng.choice([decision for decision in decisions if decision[0] == kind])


def gain(area, what, cell, turns: int) -> float:
    """How many arrows a placement covers, counting more what it completes."""
    total = 0.0
    for other, placed in area.tiles.items():
        ways = area.open_arrows(other)
        for way in ways:
            if placed.arrows[way] == what.element and direction_to(other, cell) == way:
                total += 1 + placed.tile.value / len(ways)
    for way, element in what.arrows.items():
        way = DIRECTIONS[(DIRECTIONS.index(way) + 2 * turns) % 8]
        if area.has_target(cell, way, element):
            total += 1 + what.value / len(what.arrows)
    return total


def keen(pair: Pair, rng: random.Random) -> Decision:
    """Cover as many arrows as can be, so that points are scored; otherwise anything."""
    oracle = pair.oracle
    phase, decisions = pair.phase, set(pair.choices)
    area = oracle.areas[oracle.to_play]
    if phase == PLACING:
        best = {
            decision: max(gain(area, oracle.hand, decision[1], turns) for turns in range(4))
            for decision in sorted(decisions)
        }
        return max(best, key=lambda decision: (best[decision], rng.random()))
    if phase == ROTATING and area.tiles:
        return max(sorted(decisions), key=lambda turn: gain(area, oracle.hand, pair.cell, turn[1]))
    if phase == ALIGNING and rng.random() < 0.9:
        return rng.choice(sorted(decisions - {("done",)}))
    if phase == CHOOSING and rng.random() < 0.4:
        return ("pass",)
    return anything(pair, rng)


def apart(pair: Pair, rng: random.Random) -> Decision:
    """Set tiles aside and leave the interlude's where they are, so that they pile up there."""
    for wish in (("aside",), ("pass",)):
        if wish in pair.choices and rng.random() < 0.9:
            return wish
    return anything(pair, rng)


def straight(pair: Pair, rng: random.Random) -> Decision:
    """Place tiles in one long line, towards a side that depends on the seat."""
    phase, decisions = pair.phase, set(pair.choices)
    if phase != PLACING:
        return anything(pair, rng)
    along = (pair.oracle.to_play + 1) % 4
    sign = 1 if along < 2 else -1
    return max(sorted(decisions), key=lambda decision: sign * decision[1][along % 2])


WAYS = {"anything": anything, "keen": keen, "apart": apart, "straight": straight}


# ---- actions ----------------------------------------------------------------------------------


def test_action_codec_goes_there_and_back(game):
    names = set()
    for action in range(game.num_actions):
        assert game.encode_action(game.decode_action(action)) == action
        text = game.action_to_string(action)
        assert game.action_from_string(text) == action
        names.add(text)
    assert len(names) == game.num_actions


@every_mode
def test_actions_in_words_of_the_player_to_move(game, mode):
    """With the state, cells are written relative to the first tile."""
    rng = random.Random(mode)
    pair = Pair(game, 3, mode, "choice")
    for _ in range(40):
        for (kind, *values), action in pair.choices.items():
            text = game.action_to_string(action, pair.state)
            assert game.action_from_string(text, pair.state) == action
            if kind == "cell":
                ((x, y),) = values
                assert text == f"{x:+d}{y:+d}"
        pair.play(keen(pair, rng))


@pytest.mark.parametrize("action", [-1, 424, 1000])
def test_action_numbers_outside_the_table(game, action):
    states = game.new_state(3)
    before = contents(states)
    with pytest.raises((IllegalActionError, ValueError)):
        game.step(states, action)
    assert contents(states) == before


# ---- setup ------------------------------------------------------------------------------------


@every_mode
def test_setup(game, mode):
    for seed in range(30):
        pair = Pair(game, seed, mode)
        assert sorted(pair.state["pile"].tolist()) == NUMBERS
        assert pair.oracle.turns == [0] * pair.oracle.num_players


def assert_even(counts: Counter, cells: int) -> None:
    """Each cell is within five standard deviations of an even spread (seeds are fixed)."""
    total = sum(counts.values())
    share = 1 / cells
    slack = 5 * (total * share * (1 - share)) ** 0.5
    assert len(counts) == cells
    assert max(abs(count - total * share) for count in counts.values()) < slack


@pytest.mark.parametrize("mode", SEVERAL)
def test_first_player_is_drawn_by_lot(game, mode):
    num_players, _ = MODES[mode]
    first = Counter()
    for seed in range(1200):
        state = game.new_state(seed, num_players=num_players)[0]
        assert state["first_player"] == state["to_play"]
        first[int(state["first_player"])] += 1
    assert_even(first, num_players)


def test_first_players_marker_is_at_the_bottom_at_the_start(game):
    """Ruling: the rulebook doesn't say how the markers lie on square 0 at the start."""
    for seed in range(20):
        state = game.new_state(seed, num_players=4)[0]
        first = int(state["first_player"])
        assert track_of(state) == [(0, [(first + k) % 4 for k in range(4)])]


def test_tiles_are_shuffled_evenly(game):
    """Every tile comes up equally often at every place of the piles, whatever comes before it."""
    places = np.zeros((73, 72), dtype=int)
    after = Counter()
    for seed in range(3000):
        pile = game.new_state(seed)[0]["pile"].tolist()
        places[pile, range(72)] += 1
        after[pile[0] % 6, pile[1] % 6] += 1
    assert places[0].sum() == 0
    expected = 3000 / 72
    assert abs(places[1:] - expected).max() < 6 * expected**0.5
    same = after.total() / 36
    assert max(abs(count - same) for count in after.values()) < 6 * same**0.5


def test_same_seed_same_game(game):
    deals = {contents(game.new_state(seed, num_players=3)) for seed in range(50)}
    assert len(deals) == 50
    assert deals == {contents(game.new_state(seed, num_players=3)) for seed in range(50)}


def test_defaults(game):
    for seed in range(5):
        default = game.new_state(seed)
        spelled_out = game.new_state(seed, num_players=2, solo="classic", alignments="auto")
        assert contents(default) == contents(spelled_out)


# ---- whole games ------------------------------------------------------------------------------


@either_way
@every_mode
@pytest.mark.parametrize("way", WAYS)
def test_games(game, mode, alignments, way):
    rng = random.Random(f"{mode} {alignments} {way}")
    for seed in range(2):
        pair = Pair(game, seed, mode, alignments)
        pair.run(WAYS[way], rng)
        assert len(set(pair.oracle.turns)) == 1


@pytest.mark.parametrize("mode", SEVERAL)
def test_games_with_interludes(game, mode):
    """Interludes in which all, some and none take a tile; several in one game."""
    rng = random.Random(mode)
    taken = Counter()
    for seed in range(6):
        pair = Pair(game, seed, mode, "choice" if seed % 2 else "auto")
        while not pair.oracle.is_over():
            opens = pair.oracle.phase == "interlude" and not taken["now"]
            taken["interludes"] += opens
            taken["now"] = bool(pair.oracle.choosers)
            pair.play(apart(pair, rng) if seed < 3 else anything(pair, rng))
        taken["choose"] += pair.happened["choose"]
        taken["pass"] += pair.happened["pass"]
        taken["removed"] += len(pair.oracle.removed)
    assert min(taken[what] for what in ("interludes", "choose", "pass", "removed")) > 0


def stirred(pair: Pair, rng: random.Random) -> None:
    """Between turns, put markers near the goal or about 0 and leave few discs, now and then."""
    if pair.cell is not None or pair.oracle.phase not in ("take", "interlude", "place"):
        return
    if pair.oracle.phase == "place" and pair.oracle.mode == "river":
        return
    for seat in range(pair.oracle.num_players):
        if rng.random() < 0.15:
            goal = pair.oracle.goal()
            points = rng.choice([goal - 1, goal - 2, goal - 4, goal - 8, 0, 1, -1, -2, 5])
            if pair.oracle.mode == "advanced":
                points = max(0, points)
            pair.set_points(seat, points)
        if rng.random() < 0.3:
            pair.set_supply(seat, rng.randrange(4))


@either_way
@every_mode
def test_games_stirred_up(game, mode, alignments):
    """Markers near the goal and hands nearly empty: ends, ties and cacophony in every mixture."""
    rng = random.Random(f"{mode} {alignments}")
    met = Counter()
    for seed in range(8):
        pair = Pair(game, seed, mode, alignments)
        way = keen if seed % 2 else anything
        for _ in range(rng.randrange(30)):
            if not pair.oracle.is_over():
                pair.play(way(pair, rng))
        while not pair.oracle.is_over():
            stirred(pair, rng)
            # Supplies don't add up any more with what lies on the tables; nobody compares that.
            before = list(pair.oracle.track.points)
            pair.play(way(pair, rng))
            met["tokens"] += min(pair.oracle.track.points) < 0
            met["stack"] += len(set(before)) < len(before)
        met["goal"] += max(pair.oracle.track.points) >= pair.oracle.goal()
        met["cacophony"] += any(area.cacophony for area in pair.oracle.areas)
    assert met["cacophony"]
    if mode != "solo advanced":
        assert met["tokens"]
        assert met["goal"]
    if mode in SEVERAL:
        assert met["stack"]


@pytest.mark.parametrize("mode", SEVERAL)
def test_games_end_by_points_and_by_empty_piles(game, mode):
    rng = random.Random(mode)
    ends = Counter()
    for seed in range(6):
        pair = Pair(game, seed, mode)
        pair.run(keen if seed % 2 else anything, rng)
        ends["points" if max(pair.oracle.scores()) >= pair.oracle.goal() else "piles"] += 1
    assert ends["piles"]


# ---- the edge ---------------------------------------------------------------------------------


@pytest.mark.parametrize("canvas", [10, 14, 18])
@every_mode
def test_tiles_stay_in_the_square_of_the_canvas(game, mode, canvas):
    """A line of tiles grows to the edge and no further; in the other direction there is room."""
    rng = random.Random(f"{mode} {canvas}")
    pair = Pair(game, 5, mode, canvas=canvas)
    pair.run(straight, rng)
    for area in pair.oracle.areas:
        assert widest(area.tiles) == min(canvas, len(area.tiles))


# ---- illegal actions and batches --------------------------------------------------------------


@either_way
@every_mode
def test_every_action_tried(game, mode, alignments):
    """Legal actions do what the oracle says; all others raise and leave the state as it was."""
    rng = random.Random(f"{mode} {alignments}")
    pair = Pair(game, 8, mode, alignments)
    while not pair.oracle.is_over():
        if rng.random() < 0.06:
            before = contents(pair.states)
            legal = pair.choices
            for action in set(range(game.num_actions)) - set(legal.values()):
                with pytest.raises(IllegalActionError):
                    game.step(pair.states, action)
            assert contents(pair.states) == before
            for decision in rng.sample(sorted(legal, key=repr), min(3, len(legal))):
                pair.copy().play(decision)
            assert contents(pair.states) == before
        pair.play(anything(pair, rng))
    before = contents(pair.states)
    for action in range(0, game.num_actions, 7):
        with pytest.raises(GameOverError):
            game.step(pair.states, action)
    assert contents(pair.states) == before


def test_step_touches_one_game_of_the_batch(game):
    singles = [game.new_state(seed, num_players=3) for seed in range(3)]
    batch = np.concatenate(singles)
    for action in (0, 11, 1):
        game.step(batch, action, i=1)
        game.step(singles[1], action)
    assert contents(batch) == contents(np.concatenate(singles))
    for i, single in enumerate(singles):
        assert game.legal_mask(batch, i=i).tolist() == game.legal_mask(single).tolist()


# ---- the case file ----------------------------------------------------------------------------


def in_the_box(case: dict) -> bool:
    """Whether no tile is in the position twice."""
    numbers = [record["tile_id"] for record in [*case["board"], case["place"]]]
    return len(set(numbers)) == len(numbers)


PLACEMENTS = [case for case in load_cases() if case["kind"] == "placement" and in_the_box(case)]


@either_way
@pytest.mark.parametrize("case", PLACEMENTS, ids=lambda case: case["id"])
def test_case_placement(game, case, alignments):
    """The positions that the box can make, with the first tile of the list as the origin."""
    states = game.new_state(1, alignments=alignments)
    origin = case["board"][0] if case["board"] else case["place"]
    fields = ("tile_id", "x", "y", "rot", "covered", "flipped")
    pieces = [TileAt(*(record[field] for field in fields)) for record in case["board"]]
    set_position(
        states,
        tables={0: pieces},
        hand=case["place"]["tile_id"],
        display=(0,) * 5,
        scores=[case["score"], 0],
        cacophony=[96, 0],
    )
    states["supply"][0][0] = case["supply"]

    cell = tuple(case["place"][axis] - origin[axis] for axis in "xy")
    if case["board"]:
        game.step(states, legal_decisions(game, states)["cell", cell])
    game.step(states, legal_decisions(game, states)["turn", case["place"]["rot"]])
    while states["phase"][0] in (ALIGNING, POINTING):
        # Moving every disc is what "auto" does; stopping is the lowest number that can be left.
        actions = np.flatnonzero(game.legal_mask(states)).tolist()
        game.step(states, max(actions))

    state = states[0]
    corner = position_of(state, 0, int(state["origin"][0]))
    assert corner == (0, 0)
    table = table_of(state, 0)
    before = {record["tile_id"] for record in case["board"] if record["flipped"]}
    new = table[cell]
    found = {
        "score": int(state["score"][0]),
        "supply": int(state["supply"][0]),
        "cacophony_taken": int(state["cacophony"][0]) - 96,
        "completed": sorted({piece.tile for piece in table.values() if piece.flipped} - before),
        "new_tile_covered": sorted(DIRECTIONS[way] for way in new.covered),
        "new_tile_flipped": new.flipped,
    }
    expected = case["expect"] | case.get("also", {})
    expected = {field: value for field, value in expected.items() if field in found}
    assert {field: found[field] for field in expected} == expected


# ---- rules that need a particular position ----------------------------------------------------


def until(pair: Pair, wanted, rng: random.Random, way=anything) -> Pair:
    """Play on until `wanted(pair)`."""
    while not wanted(pair):
        pair.play(way(pair, rng))
    return pair


def between_turns(pair: Pair) -> bool:
    return pair.oracle.phase == "take" and len(pair.oracle.river_slots()) > 1


@pytest.mark.parametrize("mode", SEVERAL)
def test_markers_that_return_to_their_square_lie_on_top(game, mode):
    """Ties above zero, on zero and below, made in every order of arrival."""
    rng = random.Random(mode)
    num_players, _ = MODES[mode]
    for seed in range(12):
        pair = until(Pair(game, seed, mode), between_turns, rng)
        for points in (rng.choice([7, 0, -4]), rng.choice([7, 0, -4])):
            for seat in rng.sample(range(num_players), num_players):
                pair.set_points(seat, points + 3 * (seed % 2))
        pair.check()
        for _ in range(60):
            if not pair.oracle.is_over():
                pair.play(anything(pair, rng))


@either_way
@pytest.mark.parametrize("mode", [*SEVERAL, "solo classic"])
def test_goal_reached_within_a_turn_counts(game, mode, alignments):
    """A tile completed before the new one's cacophony may bring the goal for a moment only."""
    rng = random.Random(f"{mode} {alignments}")
    moments = 0
    for seed in range(16):
        pair = Pair(game, seed, mode, alignments)
        for _ in range(rng.randrange(10, 60)):
            if not pair.oracle.is_over():
                pair.play(keen(pair, rng))
        for _ in range(60):
            if pair.oracle.is_over():
                break
            own = pair.oracle.to_play
            turn_begins = "place" if mode == "solo classic" else "take"
            if pair.oracle.phase == turn_begins and pair.cell is None:
                pair.set_points(own, pair.oracle.goal() - 1)
                pair.set_supply(own, 0)
            ended = pair.oracle.last_round
            pair.play(keen(pair, rng))
            if not ended and pair.oracle.last_round:
                moments += pair.oracle.track.points[own] < pair.oracle.goal()
    assert moments


def interlude_duel(game, alignments: str):
    """Either player needs the one fire tile (1) of the interlude to complete a tile of 10 points.

    They are level, seat 0's marker on top. He is about to place tile 56, the last before the
    interlude, and would complete tile 55 (1 point) by it.
    """
    states = game.new_state(1, alignments=alignments)
    set_position(
        states,
        tables={
            0: [TileAt(9, 0, 0, 0, ("e", "s", "w")), TileAt(55, 1, 0, 2)],
            1: [TileAt(52, 0, 0, 0, ("ne", "e", "w"))],
        },
        hand=56,
        interlude=(1, 19, 37, 20),
        markers=(1, 0),
    )
    return states


def play_all(game, states, *decisions: Decision) -> None:
    for decision in decisions:
        game.step(states, legal_decisions(game, states)[decision])


def test_moving_discs_at_once_can_be_worse_than_waiting(game):
    """A point now costs seat 0 the first choice in the interlude, and with it the fire tile."""
    auto = interlude_duel(game, "auto")
    play_all(game, auto, ("cell", (1, -1)), ("turn", 0))
    assert auto["score"][0].tolist()[:2] == [1, 0]
    assert auto["to_play"][0] == 1
    play_all(game, auto, ("choose", 0), ("cell", (0, 1)), ("turn", 0))
    assert auto["score"][0].tolist()[:2] == [1, 10]

    choice = interlude_duel(game, "choice")
    play_all(game, choice, ("cell", (1, -1)), ("turn", 0))
    assert ("cell", (1, 0)) in legal_decisions(game, choice)
    play_all(game, choice, ("done",), ("done",))
    assert choice["to_play"][0] == 0
    play_all(game, choice, ("choose", 0), ("cell", (0, 1)), ("turn", 0))
    play_all(game, choice, ("cell", (0, 0)), ("cover", "n"), ("cell", (1, 0)), ("cover", "s"))
    assert choice["score"][0].tolist()[:2] == [11, 0]


# ---- alone -------------------------------------------------------------------------------------


def test_points_beyond_the_goal_are_no_better_than_fewer_tiles(game):
    """Classic: 85 points with two tiles count like 75 with two."""
    states = game.new_state(1, 1)
    set_position(states, tables={0: [TileAt(9, 0, 0, 0, ("e", "s", "w"))]}, hand=2, scores=[74])
    play_all(game, states, ("cell", (0, 1)), ("turn", 2))
    assert states["terminated"][0]
    assert states["score"][0][0] == 85
    scores, ranks = game.returns(states)
    assert (scores.tolist(), ranks.tolist()) == ([73], [1])


@pytest.mark.parametrize("solo", ["classic", "advanced"])
def test_points_near_the_goal_are_worth_taking_alone(game, solo):
    """The nearer the goal, the less an open tile must not be worth: scoring would cost points."""
    states = game.new_state(1, 1, solo=solo)
    waiting = {8: "ne e nw", 9: "e s w", 13: "e w nw", 14: "e w nw", 16: "ne sw nw", 24: "ne sw nw"}
    for score in range(40, 65):
        values = []
        for done in (0, 1):
            pieces = [
                TileAt(tile, x, 0, 0, () if x < done else covered.split(), x < done)
                for x, (tile, covered) in enumerate(waiting.items())
            ]
            set_position(states, tables={0: pieces}, scores=[score + 10 * done])
            values.append(game.kernels["evaluate"](states[0], 0))
        assert values[0] < values[1], score


# ---- positions that cannot be ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"markers": (0, 0)}, "markers is .*give each seat of 0 to 1 once"),
        ({"markers": (1,)}, "markers is .*give each seat of 0 to 1 once"),
        ({"scores": [3]}, "scores is .*give 2 numbers, one a seat"),
        ({"cacophony": [0, 0, 1]}, "cacophony is .*give 2 numbers, one a seat"),
        ({"tables": {0: [TileAt(1, 0, 0, 4)]}}, "tile 1 has rotation 4; allowed: 0 to 3"),
        ({"tables": {0: [TileAt(1, 0, 0, -1)]}}, "tile 1 has rotation -1; allowed: 0 to 3"),
        ({"tables": {0: [TileAt(1, 0, 0, 0, ("up",))]}}, "tile 1 as it lies has no arrow 'up'"),
    ],
)
def test_positions_that_cannot_be_are_refused(game, parts, message):
    states = game.new_state(1)
    before = states.tobytes()
    with pytest.raises(ValueError, match=message):
        set_position(states, display=(2, 3), **parts)
    assert states.tobytes() == before
