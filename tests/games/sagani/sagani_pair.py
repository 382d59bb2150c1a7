"""One game of Sagani played in the kernels and in the oracle together, and ways to play it."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from oracles.sagani import CACOPHONY_PENALTY, DIRECTIONS, ELEMENTS, SaganiOracle, direction_to
from sagani_adapter import free_positions, negative_points, number_of, widest

from ludotheque.envs.sagani.components import WINDOW
from ludotheque.envs.sagani.state import (
    ALIGN_PHASE,
    ARROW_PHASE,
    CHOOSE_PHASE,
    PLACE_PHASE,
    ROTATE_PHASE,
    TAKE_PHASE,
    aside_of,
    back_of,
    pile_sizes,
    pile_tops,
    position_of,
    removed,
    table_of,
    track_of,
)

MODES = {
    "solo classic": (1, "classic"),
    "solo advanced": (1, "advanced"),
    "two players": (2, "classic"),
    "three players": (3, "classic"),
    "four players": (4, "classic"),
}


SEVERAL = ["two players", "three players", "four players"]


every_mode = pytest.mark.parametrize("mode", MODES)


# A decision is a tuple: ("take", slot), ("aside",), ("choose", space), ("pass",), ("cell", (x, y)),
# ("turn", quarter turns), ("cover", direction) or ("done",).
Decision = tuple


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
        cells = area.legal_cells()
        if widest([*area.tiles, *cells]) <= self.canvas:
            return set(cells)  # together, so each by itself
        return {cell for cell in cells if widest([*area.tiles, cell]) <= self.canvas}

    def expected(self) -> tuple[int, set[Decision]]:
        """The kernels' phase and the decisions that the oracle allows."""
        oracle = self.oracle
        lying = oracle.areas[oracle.to_play].tiles
        alignments = oracle.legal_alignments()
        movable = {("cell", cell) for cell, _ in alignments}
        if self.cell in lying:
            return ARROW_PHASE, {("cover", way) for cell, way in alignments if cell == self.cell}
        if oracle.phase == "take":
            aside = {("aside",)} if oracle.may_set_aside() else set()
            taken = {("take", slot) for slot in oracle.legal_tiles()}
            return TAKE_PHASE, aside | taken | movable
        if oracle.phase == "interlude":
            spaces = oracle.legal_interlude_spaces()
            return CHOOSE_PHASE, {("pass",)} | {("choose", space) for space in spaces} | movable
        if oracle.phase == "place":
            if self.cell is not None or not lying:
                return ROTATE_PHASE, {("turn", turns) for turns in range(4)}
            free = {("cell", cell) for cell in self.cells_that_fit(oracle.to_play)}
            return PLACE_PHASE, free | movable
        assert oracle.phase == "align"
        done = {("done",)} if oracle.may_stop() else set()
        return ALIGN_PHASE, done | movable

    # ---- doing it -----------------------------------------------------------------------------

    def play(self, decision: Decision) -> None:
        """Take a decision in both, and compare."""
        self.game.step(self.states, self.choices[decision])
        self.ply += 1
        if decision[0] == "cover":
            self.happened[f"cover in {self.oracle.phase}"] += 1
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
        paid = [seen for seen in found.values() if seen.tile != state["unpaid"]]
        lying = sum(placed.discs + len(placed.covered) for placed in area.tiles.values())
        assert sum(len(seen.covered) + seen.discs for seen in paid) == lying
        assert state["uncompleted"][seat] == len(area.open_tiles())
        assert free_positions(state, seat) == self.cells_that_fit(seat)
        self.check_categories(seat)

    def check_categories(self, seat: int) -> None:
        oracle, area = self.oracle, self.oracle.areas[seat]
        expected = dict.fromkeys(ELEMENTS, 0)
        for placed in area.tiles.values():
            expected[placed.tile.element] += placed.tile.value * placed.flipped
        expected["cacophony"] = -CACOPHONY_PENALTY * area.cacophony
        expected["solo"] = 0
        if oracle.mode == "advanced":
            unfinished = sum(placed.tile.value for placed in area.open_tiles())
            expected["solo"] = oracle.bonus - unfinished
        elif oracle.mode == "classic":
            beyond = max(oracle.track.points[0] - oracle.goal(), 0)
            expected["solo"] = -len(area.tiles) - beyond
        assert self.game.points_by_category(self.states, seat) == expected

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
    movable = {decision for decision in decisions if decision[1:] and decision[1] in area.tiles}
    if movable and rng.random() < 0.2:
        return rng.choice(sorted(movable))
    if phase == PLACE_PHASE:
        best = {
            decision: max(gain(area, oracle.hand, decision[1], turns) for turns in range(4))
            for decision in sorted(decisions - movable)
        }
        return max(best, key=lambda decision: (best[decision], rng.random()))
    if phase == ROTATE_PHASE and area.tiles:
        return max(sorted(decisions), key=lambda turn: gain(area, oracle.hand, pair.cell, turn[1]))
    if phase == ALIGN_PHASE and rng.random() < 0.9:
        return rng.choice(sorted(decisions - {("done",)}))
    if phase == CHOOSE_PHASE and rng.random() < 0.4:
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
    if phase != PLACE_PHASE:
        return anything(pair, rng)
    along = (pair.oracle.to_play + 1) % 4
    sign = 1 if along < 2 else -1
    return max(sorted(decisions), key=lambda decision: sign * decision[1][along % 2])


def putting_off(pair: Pair, rng: random.Random) -> Decision:
    """Leave discs where they are once a tile is placed; move them before the next one, or not."""
    if ("done",) in pair.choices:
        return ("done",)
    lying = pair.oracle.areas[pair.oracle.to_play].tiles
    movable = sorted(at for at in pair.choices if at[0] == "cell" and at[1] in lying)
    if movable and pair.phase != ALIGN_PHASE and rng.random() < 0.2:
        return rng.choice(movable)
    return apart(pair, rng)


WAYS = {"anything": anything, "keen": keen, "apart": apart, "straight": straight}


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


# ---- rules that need a particular position ----------------------------------------------------


def until(pair: Pair, wanted, rng: random.Random, way=anything) -> Pair:
    """Play on until `wanted(pair)`."""
    while not wanted(pair):
        pair.play(way(pair, rng))
    return pair


def between_turns(pair: Pair) -> bool:
    return pair.oracle.phase == "take" and len(pair.oracle.river_slots()) > 1
