"""The agents that need no training: random, greedy, MCTS; and creating agents."""

from __future__ import annotations

import io
import pickle
from functools import cache

import numpy as np
import pytest
from pickles import edited

from ludotheque.agents import Agent, make_agent, play_match, register_agent, specs
from ludotheque.agents.baselines import baseline_path
from ludotheque.agents.mcts import MCTSAgent
from ludotheque.agents.policy import choose
from ludotheque.envs import game_names, get_game, make_batch
from ludotheque.envs.core.errors import StateError
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.interfaces.settings import Settings

GAME = get_game("sarena")


def positions(count: int, plies: int, num_players: int = 2):
    """Return a batch some plies into its games, and its settings."""
    batch = make_batch("sarena", count, num_players)
    batch.reset(seed=100)
    for _ in range(plies):
        batch.step(batch.random_actions())
    return batch


def decide(agent: Agent, batch, seeds=None):
    states = batch.get_state()
    known = np.concatenate(
        [GAME.determinize(states, int(states["to_play"][i]), i, i) for i in range(len(states))]
    )
    return agent.act(batch.observations, batch.action_masks, states=known, seeds=seeds)


def unaligned(states: np.ndarray) -> np.ndarray:
    """Return records as ``np.save`` and ``np.load`` would."""
    file = io.BytesIO()
    np.save(file, states)
    return np.load(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("game", [get_game(name) for name in game_names()], ids=repr)
@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:simulations=4", "baseline"])
def test_records_in_memory_that_cannot_be_written_are_enough(spec, game, tmp_path):
    """Others may be reading them: nothing may be tried on the records themselves."""
    states = np.concatenate([game.new_state(seed) for seed in range(4)])
    for ply in range(12):
        for i in range(4):
            legal = np.flatnonzero(game.legal_mask(states, i))
            game.step(states, int(legal[ply * 5 % len(legal)]), i)
    np.save(tmp_path / "states.npy", states)
    kept = np.load(tmp_path / "states.npy", mmap_mode="r").view(game.dtype)
    masks = np.stack([game.legal_mask(states, i) for i in range(4)])
    seen = np.stack([game.observe(states, int(states["to_play"][i]), i) for i in range(4)])
    found = make_agent(spec, game).act(seen, masks, states=kept, seeds=numbers(4))
    assert (found == make_agent(spec, game).act(seen, masks, states=states, seeds=numbers(4))).all()


def numbers(count: int, first: int = 0) -> np.ndarray:
    return np.arange(first, first + count, dtype=np.uint64)


@cache
def last_decisions(count: int):
    """Return states in which every legal action ends the game, with each action's exact worth.

    The worth is the mean, over what the seat to play can't know, of +1 for a win, -1 for a loss.
    """
    seed, found = 0, []
    while len(found) < count:
        seed += 1
        states = GAME.new_state(seed)
        rng = np.random.default_rng(seed)
        while not states["terminated"][0]:
            legal = np.flatnonzero(GAME.legal_mask(states)).tolist()
            few = legal if 1 < len(legal) < 7 else []
            worth = {action: worth_at_the_end(states, action) for action in few}
            if worth and None not in worth.values() and len(set(worth.values())) > 1:
                found.append((states, worth))
                break
            GAME.step(states, int(rng.choice(legal)))
    return found


def worth_at_the_end(states, action):
    """Return the exact worth of an action that ends the game, or None if it doesn't."""
    seat = int(states["to_play"][0])
    colours = states["secret"][0].tolist()
    worths = []
    for other in set(range(4)) - {colours[seat]}:
        after = states.copy()
        unheld = [colour for colour in range(4) if colour not in (colours[seat], other)]
        after["secret"][0] = (
            [colours[seat], other, *unheld]
            if seat == 0
            else [
                other,
                colours[seat],
                *unheld,
            ]
        )
        GAME.step(after, action)
        if not after["terminated"][0]:
            return None
        _, ranks = GAME.returns(after)
        worths.append(int(np.sign(ranks[1 - seat] - ranks[seat])))
    return sum(worths) / 3


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:simulations=20"])
def test_agents_play_legal_actions_fixed_by_the_seeds(spec):
    agent = make_agent(spec)
    for num_players in GAME.player_counts:
        batch = positions(40, 9, num_players)
        actions = decide(agent, batch, numbers(40))
        assert actions.dtype == np.int64
        assert batch.action_masks[np.arange(40), actions].all()
        assert (decide(agent, batch, numbers(40)) == actions).all()
        assert (decide(agent, batch, numbers(40, first=1000)) != actions).any()


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:simulations=20"])
def test_a_decision_does_not_depend_on_its_batch(spec):
    batch = positions(12, 9)
    states, seeds = batch.get_state(), numbers(12)
    settings = Settings("sarena", 2)
    together = query_agent(make_agent(spec), settings, states)
    alone = [int(query_agent(make_agent(spec), settings, states[i : i + 1])[0]) for i in range(12)]
    assert together.tolist() == alone
    whole = decide(make_agent(spec), batch, seeds)
    assert len(whole) == 12


def test_an_agent_without_seeds_uses_its_own():
    batch = positions(50, 3)
    first, second = (make_agent("random", seed=5) for _ in range(2))
    one = decide(first, batch)
    assert (decide(second, batch) == one).all()
    assert (decide(first, batch) != one).any()


def test_random_is_uniform_over_the_legal_actions():
    mask = np.zeros((1, 120), np.int8)
    mask[0, [3, 50, 51, 119]] = 1
    masks = np.repeat(mask, 8000, axis=0)
    actions = make_agent("random").act(np.zeros((8000, 1)), masks, seeds=numbers(8000))
    counts = np.bincount(actions, minlength=120)
    assert set(np.flatnonzero(counts)) == {3, 50, 51, 119}
    # Five standard deviations of a binomial count with mean 2000.
    assert (abs(counts[[3, 50, 51, 119]] - 2000) < 5 * np.sqrt(8000 * 0.25 * 0.75)).all()


def value_after(states: np.ndarray, action: int) -> float:
    seat = int(states["to_play"][0])
    after = states.copy()
    GAME.step(after, action)
    return float(GAME.kernels["evaluate"](after[0], seat, GAME.new_memo()))


def test_greedy_draws_among_all_best_actions_and_no_others():
    agent, several = make_agent("greedy"), 0
    for seed in range(12):
        states = GAME.new_state(seed)
        for ply in range(seed):
            legal = np.flatnonzero(GAME.legal_mask(states))
            GAME.step(states, int(legal[ply % len(legal)]))
        mask = GAME.legal_mask(states)[None]
        values = {int(a): value_after(states, int(a)) for a in np.flatnonzero(mask[0])}
        best = {a for a, value in values.items() if value == max(values.values())}
        tries = 40 * len(best)
        chosen = agent.act(
            np.zeros((tries, 1)),
            np.repeat(mask, tries, axis=0),
            states=np.repeat(states, tries),
            seeds=numbers(tries),
        )
        assert set(chosen.tolist()) == best
        several += len(best) > 1
    assert several > 3


def test_evaluate_uses_nothing_hidden():
    for seed in range(30):
        states = GAME.new_state(seed, 3)
        for other in range(20):
            drawn = GAME.determinize(states, 1, other)
            assert GAME.kernels["evaluate"](drawn[0], 1, GAME.new_memo()) == GAME.kernels[
                "evaluate"
            ](states[0], 1, GAME.new_memo())


@pytest.mark.parametrize(
    "settings",
    [
        {"guided": True},
        {"guided": False},
        {"determinize": "tree", "trees": 60},
        {"time": 0.1},
    ],
)
def test_mcts_finds_the_best_last_move(settings):
    """Against exact enumeration of the secret colours, where the worths are clearly apart."""
    agent = make_agent("mcts", **{"simulations": 1800, **settings})
    for k, (states, worth) in enumerate(last_decisions(8)):
        chosen = agent.act(
            None, GAME.legal_mask(states)[None], states=states, seeds=numbers(1, first=k)
        )
        assert worth[int(chosen[0])] == max(worth.values()), worth


def test_mcts_counts_its_simulations():
    states = positions(3, 6).get_state()
    visits, values = MCTSAgent(GAME, simulations=150).search(states, numbers(3))
    assert (visits.sum(axis=1) == 150).all()
    assert (abs(values) <= visits).all()
    visits, _ = MCTSAgent(GAME, simulations=150, determinize="tree", trees=5).search(
        states, numbers(3)
    )
    assert (visits.sum(axis=1) == 150).all()
    for row in range(3):
        assert not visits[row][GAME.legal_mask(states, row) == 0].any()


def test_mcts_plain_tries_every_action_first():
    states = GAME.new_state(1)
    visits, _ = MCTSAgent(GAME, simulations=120, guided=False).search(states, numbers(1))
    assert (visits == 1).all()


def test_mcts_does_not_depend_on_threads():
    states = positions(9, 4).get_state()
    one, _ = MCTSAgent(GAME, simulations=60).search(states, numbers(9))
    three, _ = MCTSAgent(GAME, simulations=60, num_threads=3).search(states, numbers(9))
    assert (one == three).all()


def test_mcts_leaves_the_states_alone():
    states = positions(2, 4).get_state()
    before = states.tobytes()
    MCTSAgent(GAME, simulations=50).search(states, numbers(2))
    assert states.tobytes() == before


def test_stronger_agents_win():
    from ludotheque.agents.match import play_match

    for strong, weak, games in (
        ("greedy", "random", 40),
        ("mcts", "random", 40),
        ("mcts", "greedy", 150),
    ):
        wins = 0
        for seating in ([strong, weak], [weak, strong]):
            _, ranks, _ = play_match("sarena", seating, range(games))
            mine = seating.index(strong)
            wins += int((ranks[:, mine] < ranks[:, 1 - mine]).sum())
        # A fair coin reaches this once in a thousand tries.
        assert wins >= 2 * games * 0.5 + 3.1 * np.sqrt(2 * games * 0.25)


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("gredy", ValueError, "Did you mean 'greedy'"),
        ("mcts:simulation=3", TypeError, "Did you mean 'simulations'"),
        ("mcts:simulations=0", ValueError, "whole number from 1"),
        ("mcts:simulations=true", ValueError, "whole number from 1"),
        ("mcts:exploration=much", ValueError, "exploration is 'much'; give a finite number"),
        ("mcts:widening=true", ValueError, "widening is True; give a finite number"),
        ("mcts:leaf_scale=x", ValueError, "leaf_scale is 'x'; give a finite number"),
        ("mcts:time=inf", ValueError, "time is inf; give a finite number"),
        ("mcts:simulations=many", ValueError, "whole number from 1"),
        ("mcts:400", ValueError, "name=value"),
        ("mcts:time=-1", ValueError, "seconds above 0"),
        ("mcts:determinize=never", ValueError, "'simulation', 'tree'"),
        ("mcts:leaf=value,path=nowhere.zip", FileNotFoundError, "nowhere.zip"),
        ("mcts:leaf=value,trees=3", TypeError, "baseline has no setting 'trees'"),
        ("mcts:exploration=-1", ValueError, "exploration is -1"),
        ("random:speed=3", TypeError, "no setting 'speed'"),
        ("ppo:nowhere.zip", FileNotFoundError, "nowhere.zip"),
        (lambda observations, masks: masks.argmax(1), TypeError, "an object with a method act"),
        (None, TypeError, "give an agent's name"),
    ],
)
def test_wrong_words_for_an_agent(spec, error, message):
    with pytest.raises(error, match=message):
        make_agent(spec)


def test_an_agent_of_ones_own_has_a_name_once_it_is_registered(monkeypatch):
    monkeypatch.setattr(specs, "_registered", {})
    with pytest.raises(ValueError, match="agent"):
        make_agent("mine", "saga")
    register_agent("mine", lambda game: make_agent("greedy", game))
    assert make_agent("mine", "saga").game is get_game("saga")
    first = play_match("sarena", ["mine", "random"], range(4)).scores
    assert (first == play_match("sarena", ["greedy", "random"], range(4)).scores).all()
    register_agent("no agent", lambda game: 3)
    with pytest.raises(TypeError, match="method act"):
        make_agent("no agent")


@pytest.mark.parametrize("name", ["greedy", "mcts:simulations=5", "", 3, "a\n"])
def test_a_name_that_is_taken_or_none_cannot_be_registered(name):
    with pytest.raises(ValueError, match="give a text other than random, greedy"):
        register_agent(name, lambda game: make_agent("greedy", game))
    with pytest.raises(TypeError, match="give a class, or a function"):
        register_agent("mine", 3)


def test_mcts_with_a_network_at_its_leaves_is_the_baseline_or_a_model():
    for spec, like in (
        ("mcts:leaf=value", "baseline:simulations=200"),
        ("mcts:leaf=value,simulations=30", "baseline:simulations=30"),
        (
            f"mcts:leaf=value,path={baseline_path(GAME, 2)}",
            f"td:{baseline_path(GAME, 2)},simulations=200",
        ),
    ):
        agent, wanted = make_agent(spec), make_agent(like)
        assert (type(agent), agent.simulations) == (type(wanted), wanted.simulations)
    with pytest.raises(ValueError, match="MCTSAgent has no network.*playout, evaluate"):
        MCTSAgent(GAME, leaf="value")


def test_mcts_does_not_put_off_the_end_of_sagani_alone():
    """Two of these games continued to the last tile when reaching the goal reduced prospects."""
    from ludotheque.agents.match import play_match

    _, ranks, actions = play_match("sagani", ["mcts"], range(8, 13), num_players=1)
    assert (ranks == 1).all()
    assert max(len(played) for played in actions) < 2 * 50


def test_searchers_say_that_they_need_states():
    masks = np.ones((1, 120), np.int8)
    for spec in ("greedy", "mcts"):
        with pytest.raises(ValueError, match="pass states"):
            make_agent(spec).act(np.zeros((1, 1)), masks)


@pytest.mark.parametrize("spec", ["random", "greedy", "mcts:simulations=4", "baseline"])
def test_arrays_of_other_shapes_are_refused(spec):
    """Kernels would read and write beyond their ends."""
    agent, batch = make_agent(spec), positions(3, 2)
    seen, masks, seeds = batch.observations, batch.action_masks, numbers(3)
    states = batch.get_state()
    wide = np.ones((3, 5000), np.int8)
    for name, wrong in (("masks", wide), ("masks", masks[:2]), ("seeds", seeds[:1])):
        asked = {"masks": masks, "seeds": seeds, name: wrong}
        # A search only uses the records, and no seeds are too few for fewer rows.
        if name == "masks" and (spec.startswith("mcts") or (spec == "random" and len(wrong) == 2)):
            continue
        with pytest.raises(ValueError, match=f"{name} have shape"):
            agent.act(seen, asked["masks"], states=states, seeds=asked["seeds"])
    if agent.needs_states:
        with pytest.raises(StateError, match="no records"):
            agent.act(seen[:1], masks[:1], states=get_game("saga").new_state(1), seeds=seeds[:1])
        with pytest.raises(StateError, match=r"np.load.*states\.view"):
            agent.act(seen, masks, states=unaligned(states), seeds=seeds)
        again = unaligned(states).view(GAME.dtype)
        assert len(agent.act(seen, masks, states=again, seeds=seeds)) == len(masks)


def test_logits_masks_and_seeds_of_different_shapes_are_refused():
    logits, masks = np.zeros((3, 5), np.float32), np.ones((3, 5), np.int8)
    for wrong in (np.ones((3, 6), np.int8), np.ones((4, 5), np.int8), np.ones(5, np.int8)):
        with pytest.raises(ValueError, match="masks"):
            choose(logits, wrong, None)
    with pytest.raises(ValueError, match="seeds have shape"):
        choose(logits, masks, numbers(2))


def test_an_agent_is_returned_as_it_is():
    agent = make_agent("greedy")
    assert make_agent(agent) is agent


def test_a_pickled_agent_that_was_changed_is_refused():
    """Kernels read its settings and its network unchecked."""
    for name, changes in {
        "mcts": ({"trees": 0}, {"simulations": -5}, {"leaf": "none"}, {"leaf_plies": 0.5}),
        "mcts:time=0.1": ({"time": -1.0}, {"num_threads": 10**9}, {"widening": float("nan")}),
        "baseline": (),
        "greedy": (),
    }.items():
        agent = make_agent(name, "sarena")
        twin = pickle.loads(pickle.dumps(agent))
        assert vars(twin).keys() == vars(agent).keys()
        for one in changes:
            with pytest.raises(StateError, match="this pickle holds no MCTSAgent"):
                pickle.loads(edited(agent, agent, **one))


def test_a_pickled_network_that_was_changed_is_refused():
    agent = make_agent("baseline:simulations=8", "sarena").agent_for(2)
    states = get_game("sarena").new_state(3)
    masks = get_game("sarena").legal_mask(states)[None]
    seeds = np.array([5], np.uint64)
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.act(None, masks, states=states, seeds=seeds) == agent.act(
        None, masks, states=states, seeds=seeds
    )
    nets, belief = agent._nets, agent._belief
    wrong = [{"limit": 0}, {"simulations": 10**12}, {"about": {}}, {"playouts": 7.0}]
    wrong += [{"about": {**agent.about, "spread": 0}}, {"_nets": nets[:3]}, {"lead": "none"}]
    for name, array in nets._asdict().items():
        if name != "rows":
            parts = array[:, :1], array[0], array + np.nan, array + 1e9
            wrong += [{"_nets": nets._replace(**{name: part})} for part in parts]
    for name, array in belief._asdict().items():
        wrong.append({"_belief": belief._replace(**{name: array[:1]})})
    for one in wrong:
        with pytest.raises(StateError, match="this pickle holds no TDAgent"):
            pickle.loads(edited(agent, agent, **one))
    # The inputs' positions follow from their names.
    rows = nets._replace(rows=np.full_like(nets.rows, 10**6))
    twin = pickle.loads(edited(agent, agent, _nets=rows))
    assert np.array_equal(twin._nets.rows, nets.rows)
