"""PettingZoo: its own tests, its errors, its registry, its wrappers."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pettingzoo
import pytest
from interrupts import Interrupt, all_steps
from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

from ludotheque.envs import IllegalActionError, OutOfBoundsActionError, make_batch, sarena_v0
from ludotheque.envs.core.errors import StateError
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.testing import check_aec

with warnings.catch_warnings():
    # PettingZoo's tests import one of its own games in a deprecated way.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import (
        api_test,
        max_cycles_test,
        parallel_api_test,
        parallel_seed_test,
        render_test,
        seed_test,
    )

# api_test has a list of environments that may have a Dict observation space, without ours.
ALLOWED_WARNINGS = {
    "Observation space for each agent probably should be gymnasium.spaces.box or "
    "gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
    # The mask of an agent that isn't to act.
    "Action mask numpy array is all zeros.",
}
ARGUMENTS = [
    {},
    {"num_players": 3, "deal": "balanced"},
    {"num_players": 4, "observation": "planes", "reward": "score_change"},
]
AEC = {
    "module": sarena_v0.env,
    "raw": sarena_v0.raw_env,
    "registry": lambda **kwargs: pettingzoo.make("aec", "ludotheque/sarena-v0", **kwargs),
}
PARALLEL = {
    "module": sarena_v0.parallel_env,
    "registry": lambda **kwargs: pettingzoo.make("parallel", "ludotheque/sarena-v0", **kwargs),
}


def only_allowed_warnings(caught) -> None:
    messages = {str(warning.message) for warning in caught}
    assert messages <= ALLOWED_WARNINGS, messages - ALLOWED_WARNINGS


def play(env, seed=0, plies=1000):
    """Random legal actions, then the steps of agents that are done."""
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    for _ in range(plies):
        if not env.agents:
            break
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))) if mask.any() else None)
    return env


def to_the_end(env, seed=0):
    """Random legal actions until the agents are done; none has left yet."""
    env.reset(seed=seed)
    while not env.terminations[env.agent_selection]:
        env.step(env.sample_legal())
    return env


# PettingZoo's own tests


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("make", AEC.values(), ids=AEC.keys())
def test_api(make, arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(**arguments), num_cycles=200)
    only_allowed_warnings(caught)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("make", AEC.values(), ids=AEC.keys())
def test_seed(make, arguments):
    seed_test(lambda: make(**arguments), num_cycles=50)


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=str)
@pytest.mark.parametrize("make", PARALLEL.values(), ids=PARALLEL.keys())
def test_parallel_api(make, arguments):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parallel_api_test(make(**arguments), num_cycles=200)
    only_allowed_warnings(caught)


@pytest.mark.parametrize("make", PARALLEL.values(), ids=PARALLEL.keys())
def test_parallel_seed(make):
    # This test samples without masks.
    parallel_seed_test(lambda: make(illegal="lose"), num_cycles=50)


@pytest.mark.parametrize("by", ["module", "registry"])
def test_render(by):
    pytest.importorskip("pygame", reason="mode human opens a window; needs the extra [render]")
    pytest.importorskip("resvg_py", reason="rgb_array needs the extra [render]")
    render_test(AEC[by], custom_tests={"svg": lambda picture: picture.lstrip().startswith("<svg")})


def test_max_cycles_does_not_apply():
    """A game ends by its rules: there is no max_cycles, and passing it is an error."""
    with pytest.raises(TypeError, match="no option 'max_cycles'; it has: deal"):
        max_cycles_test(sarena_v0)
    with pytest.raises(TypeError, match="no option 'max_cycles'"):
        pettingzoo.make("aec", "ludotheque/sarena-v0", max_cycles=4)


# The registry


def test_registry_knows_the_games():
    assert "ludotheque/sarena-v0" in pettingzoo.aec_registry
    assert "ludotheque/sarena-v0" in pettingzoo.parallel_registry


def test_registry_after_a_bare_import(run_python):
    """Importing the package is enough, and importing it twice causes no warning."""
    code = (
        "import importlib, pettingzoo, ludotheque.envs\n"
        "importlib.reload(ludotheque.envs)\n"
        "env = pettingzoo.make('aec', 'ludotheque/sarena-v0', num_players=4)\n"
        "env.reset(seed=1)\n"
        "print(len(env.agents), env)\n"
    )
    result = run_python(code, PYTHONWARNINGS="error::UserWarning")
    assert result.returncode == 0, result.stderr
    assert result.stdout == "4 sarena_v0\n"


def test_arguments_reach_the_game():
    env = pettingzoo.make("aec", "ludotheque/sarena-v0", num_players=3, deal="balanced")
    direct = sarena_v0.env(num_players=3, deal="balanced")
    assert play(env, plies=9).state_digest() == play(direct, plies=9).state_digest()


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"num_players": 5}, ValueError, "num_players of sarena is 5; allowed: 2, 3, 4"),
        ({"deal": "balance"}, ValueError, "Did you mean 'balanced'"),
        ({"reward": "wins"}, ValueError, "Did you mean 'win'"),
        ({"illegal": "noop"}, ValueError, "allowed: 'raise', 'lose', 'penalty'"),
        ({"observation": "image"}, ValueError, "allowed: 'flat', 'planes'"),
        ({"render_mode": "gif"}, ValueError, "allowed: 'human', 'rgb_array', 'ansi', 'svg'"),
        (
            {"board": 7},
            TypeError,
            "unexpected keyword argument 'board': sarena has no option 'board'",
        ),
    ],
)
def test_wrong_arguments(arguments, kind, message):
    with pytest.raises(kind, match=message.replace("(", r"\(")):
        sarena_v0.env(**arguments)


# The errors of PettingZoo's wrappers, without the wrappers


def wrapped():
    env = TerminateIllegalWrapper(sarena_v0.raw_env(), illegal_reward=-1)
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(env))


BEFORE_RESET = {
    "rewards": lambda env: env.rewards,
    "terminations": lambda env: env.terminations,
    "truncations": lambda env: env.truncations,
    "infos": lambda env: env.infos,
    "agent_selection": lambda env: env.agent_selection,
    "agents": lambda env: env.agents,
    "num_agents": lambda env: env.num_agents,
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
    "last": lambda env: env.last(),
}


def error_of(call, env):
    try:
        call(env)
    except Exception as error:
        return error
    return None


@pytest.mark.parametrize("call", BEFORE_RESET.values(), ids=BEFORE_RESET.keys())
def test_same_errors_before_reset(call):
    ours, theirs = error_of(call, sarena_v0.env()), error_of(call, wrapped())
    assert theirs is not None
    assert isinstance(ours, (AttributeError, AssertionError))
    if call is BEFORE_RESET["last"]:
        return  # theirs fails on agent_selection; ours says that reset is missing
    assert type(ours) is type(theirs)
    if call is not BEFORE_RESET["num_agents"]:
        assert str(ours) == str(theirs)


@pytest.mark.parametrize("action", [120, -1, 10**9, 1.5, "a1-b1", None, np.int64(120), [3]])
def test_same_error_out_of_bounds(action):
    ours, theirs = sarena_v0.env(), wrapped()
    ours.reset(seed=0)
    theirs.reset(seed=0)
    before = ours.state_digest()
    with pytest.raises(AssertionError, match="action is not in action space"):
        theirs.step(action)
    with pytest.raises(AssertionError, match="action is not in action space") as error:
        ours.step(action)
    assert isinstance(error.value, (OutOfBoundsActionError, ValueError))
    assert ours.state_digest() == before


def test_a_parallel_environment_is_not_stepped_before_reset():
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        sarena_v0.parallel_env().step({})


def torch_scalar(number: int):
    return pytest.importorskip("torch").tensor(number)


KINDS = [int, np.int8, np.int64, np.uint8, np.array, torch_scalar]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_integer_is_an_action(kind):
    env = sarena_v0.env()
    env.reset(seed=0)
    env.step(kind(3))
    assert env.get_state()["states"]["last_action"][0] == 3


def test_same_error_for_a_loop_that_forgets_to_step():
    for env in (sarena_v0.env(), wrapped()):
        env.reset(seed=0)
        with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
            for _ in env.agent_iter():
                pass


def test_same_error_for_an_agent_that_is_done():
    for env in (sarena_v0.env(), OrderEnforcingWrapper(sarena_v0.raw_env())):
        to_the_end(env)
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(0)


def test_same_warning_for_a_step_after_everybody_left():
    EnvLogger.suppress_output()
    said = []
    for env in (sarena_v0.env(), wrapped()):
        play(env)
        assert env.agents == []
        EnvLogger.flush()
        env.step(None)
        said.append(list(EnvLogger.mqueue))
        EnvLogger.flush()
    EnvLogger.unsuppress_output()
    assert said[0] == said[1] != []


def test_wrappers_change_nothing_that_is_legal():
    bare, dressed = sarena_v0.env(), wrapped()
    bare.reset(seed=4)
    dressed.reset(seed=4)
    for agent in dressed.agent_iter():
        assert bare.agent_selection == agent
        seen, *told = dressed.last()
        ours, *told_too = bare.last()
        assert np.array_equal(seen["observation"], ours["observation"])
        assert told[:3] == told_too[:3]
        action = None if told[1] else int(np.flatnonzero(seen["action_mask"])[-1])
        dressed.step(action)
        bare.step(action)
    assert bare.agents == []


# Illegal actions


@pytest.fixture
def middle():
    """A game in which something is illegal, and such an action."""

    def make(**arguments):
        env = play(sarena_v0.env(num_players=3, **arguments), seed=2, plies=10)
        mask = env.observe(env.agent_selection)["action_mask"]
        return env, int(np.flatnonzero(mask == 0)[0])

    return make


def test_illegal_raises_and_changes_nothing(middle):
    env, action = middle()
    before = env.state_digest()
    name = env.game.action_to_string(action)
    with pytest.raises(IllegalActionError, match=rf"\({name}\).*where action_mask is 1"):
        env.step(action)
    assert env.state_digest() == before
    env.step(env.sample_legal())
    assert env.state_digest() != before


def test_illegal_loses(middle):
    env, action = middle(illegal="lose")
    loser = env.agent_selection
    env.step(action)
    assert all(env.terminations.values()) and not any(env.truncations.values())
    others = [agent for agent in env.agents if agent != loser]
    assert env.rewards[loser] == -1
    assert [env.rewards[agent] for agent in others] == [0.5, 0.5]
    assert env.results()[loser] == (0.0, 3)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_illegal_costs_a_penalty(middle):
    env, action = middle(illegal="penalty", illegal_reward=-0.25)
    mover, before = env.agent_selection, env.state_digest()
    env.step(action)
    env.step(action)
    assert env.rewards == {agent: -0.25 * (agent == mover) for agent in env.agents}
    assert env.agent_selection == mover
    assert env.state_digest() == before
    env.step(env.sample_legal())
    assert env._cumulative_rewards[mover] == 0


@pytest.mark.parametrize("action", [120, -1, 2**40])
def test_the_rule_holds_outside_the_action_space_too(action):
    """As in every other interface: a number that is no action is an illegal one."""
    env = sarena_v0.env(illegal="lose")
    env.reset(seed=0)
    loser = env.agent_selection
    env.step(action)
    assert all(env.terminations.values()) and env.rewards[loser] == -1
    again = env.replay()
    assert again.illegal == "lose" and again.digest == env.state_digest()
    batch = make_batch("sarena", 1, illegal="lose", autoreset=False)
    batch.reset(0)
    batch.step(np.array([action]))
    assert batch.state_digest(0) == env.state_digest()
    env = sarena_v0.env(illegal="penalty", illegal_reward=-0.25)
    env.reset(seed=0)
    before = env.state_digest()
    env.step(action)
    assert env.rewards[env.agent_selection] == -0.25 and env.state_digest() == before
    env = sarena_v0.env()
    env.reset(seed=0)
    with pytest.raises(OutOfBoundsActionError):
        env.step(action)


# Save, restore, copy


@pytest.mark.parametrize("make", [*AEC.values(), *PARALLEL.values()])
def test_state_is_saved_and_restored(make):
    env, other = make(num_players=3), make(num_players=3)
    env.reset(seed=3)
    parallel = isinstance(env, pettingzoo.ParallelEnv)

    def step(target, picks=0):
        mask = target.unwrapped.aec_env if parallel else target
        action = int(np.flatnonzero(mask.observe(target.agent_selection)["action_mask"])[picks])
        target.step({target.agent_selection: action} if parallel else action)

    for _ in range(12):
        step(env)
    saved, digest = env.get_state(), env.state_digest()
    step(env, -1)
    assert env.state_digest() != digest
    env.set_state(saved)
    other.set_state(saved)
    assert env.state_digest() == other.state_digest() == digest
    assert env.agents == other.agents
    for _ in range(5):
        step(env)
        step(other)
    assert env.state_digest() == other.state_digest()
    # The saved state isn't the working copy.
    again = make(num_players=3)
    again.set_state(saved)
    assert again.state_digest() == digest


def test_state_of_a_finished_game_is_restored():
    """Also between the steps in which the agents leave."""
    env = to_the_end(sarena_v0.env(num_players=3), seed=1)
    while env.agents:
        copied = sarena_v0.env(num_players=3)
        copied.set_state(env.get_state())
        assert copied.agents == env.agents
        assert copied.agent_selection == env.agent_selection
        assert copied.rewards == env.rewards
        assert copied._cumulative_rewards == env._cumulative_rewards
        assert copied.terminations == env.terminations
        env.step(None)
        copied.step(None)
        assert copied.agents == env.agents


def test_foreign_states_are_refused():
    env, other = sarena_v0.env(num_players=2), sarena_v0.env(num_players=3)
    env.reset(seed=0)
    other.reset(seed=0)
    before = env.state_digest()
    with pytest.raises(StateError, match="3.* players"):
        env.set_state(other.get_state())
    foreign = other.get_state()
    foreign["states"] = np.zeros(1, [("x", np.int8)])
    with pytest.raises(StateError, match="not a state of sarena_v0"):
        env.set_state(foreign)
    assert env.state_digest() == before


NAN = float("nan")
WRONG_PARTS = [
    *(("actions", wrong, "actions of a saved state") for wrong in ({}, {5: 1}, 5, None, "a")),
    *(("actions", wrong, "actions of a saved state contain") for wrong in (["a"], [1.5], [-1])),
    ("actions", [5, 5, 5], "are 3, but only 2 were played"),
    ("actions", [5], "last action of a saved state is 5, but that of its game was"),
    ("actions", [5, 5], "last action of a saved state is 5, but that of its game was"),
    *(("agents", wrong, "agents") for wrong in ([], ["player_0"], ["x", "y"], 5, None)),
    ("agent_selection", "player_9", "agent_selection is 'player_9'"),
    *(
        (part, wrong, part)
        for part in ("rewards", "cumulative_rewards")
        for wrong in ([], None, {}, {"player_0": 0.0}, {"player_0": NAN, "player_1": 0.0})
    ),
]


@pytest.mark.parametrize(("part", "wrong", "message"), WRONG_PARTS)
def test_a_part_of_a_state_that_does_not_fit_is_refused_and_changes_nothing(part, wrong, message):
    env = play(sarena_v0.env(), plies=2)
    other = play(sarena_v0.env(), seed=5, plies=1)
    saved, before, plain = env.get_state(), other.state_digest(), other.get_state()
    with pytest.raises(StateError, match=message):
        other.set_state({**saved, part: wrong})
    assert other.state_digest() == before
    assert {**other.get_state(), "states": 0} == {**plain, "states": 0}
    other.replay()
    other.set_state(saved)
    assert other.replay() == env.replay()


def test_a_game_that_was_lost_by_its_last_action_is_restored():
    env = play(sarena_v0.env(illegal="lose"), plies=3)
    env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))
    other = sarena_v0.env(illegal="lose")
    other.set_state(env.get_state())
    assert other.replay() == env.replay()


def test_a_record_from_elsewhere_is_played_on_without_its_actions():
    batch, env = make_batch("sarena", 1), sarena_v0.env()
    batch.reset(3)
    for _ in range(4):
        batch.step(batch.random_actions())
    env.reset(seed=0)
    acting = f"player_{batch.to_play[0]}"
    saved = {"states": batch.get_state(), "agent_selection": acting, "actions": []}
    env.set_state({**env.get_state(), **saved})
    env.step(env.sample_legal())
    env.set_state(env.get_state())
    assert len(env.get_state()["actions"]) == 1
    with pytest.raises(StateError, match="can't be reproduced"):
        env.replay()


def test_a_position_that_was_set_up_is_played_on_without_actions():
    env = play(sarena_v0.env(), plies=3)
    saved = env.get_state()
    stacks = [[(0, 1)], [(2, 3)], *[[]] * 34]
    env.game.set_position(saved["states"], stacks=stacks, secrets=(3, 2, 1, 0))
    acting = f"player_{saved['states']['to_play'][0]}"
    saved["agent_selection"] = acting
    with pytest.raises(StateError, match=r"are 3, but only 0 were played.*set up, give \[\]"):
        env.set_state(saved)
    env.set_state({**saved, "actions": []})
    env.step(env.sample_legal())
    env.set_state(env.get_state())


def test_a_pickled_environment_before_its_first_reset():
    for duplicate in (copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))):
        twin = duplicate(sarena_v0.env(num_players=4, deal="balanced"))
        with pytest.raises(AssertionError, match="reset"):
            twin.step(0)
        assert play(twin, plies=5).num_agents == 4


def test_a_shallow_copy_does_not_play_in_the_originals_arrays():
    env, parallel = play(sarena_v0.env(), plies=5), sarena_v0.parallel_env()
    parallel.reset(seed=3)
    for one, turns in ((env, env), (parallel, parallel.aec_env)):
        before, seen = turns.state_digest(), turns.observe(turns.agent_selection)
        twin = copy.copy(one)
        other = getattr(twin, "aec_env", twin)
        for _ in range(4):
            other.step(other.sample_legal())
        assert turns.state_digest() == before
        for name, part in turns.observe(turns.agent_selection).items():
            assert np.array_equal(part, seen[name]), name
        turns.replay()


STEPS_OF = "ludotheque.envs.core.interfaces.aec"


def ended() -> TurnBasedEnv:
    env = sarena_v0.env()
    env.reset(seed=2)
    while not env.terminations[env.agent_selection]:
        env.step(env.sample_legal())
    return env


@pytest.mark.parametrize("what", ["step", "last step", "reset", "set_state"])
def test_what_an_interrupt_left_half_done_is_refused(what):
    """No stale mask or wrong agent: a step is complete, or not started, or reported as torn."""
    env = ended() if what == "last step" else play(sarena_v0.env(), plies=5)
    action, saved = None, play(sarena_v0.env(), plies=9).get_state()
    if what == "step":
        action = env.sample_legal()
    calls = {
        "reset": lambda one: one.reset(seed=8),
        "set_state": lambda one: one.set_state(saved),
    }
    call = calls.get(what, lambda one: one.step(action))
    refused, whole = 0, env.clone()
    for moment in range(all_steps(lambda: call(whole), STEPS_OF)):
        twin = env.clone()
        if moment % 2 and what != "last step":
            assert twin.infos  # they are kept until the next step
        assert Interrupt(moment, STEPS_OF).strikes(lambda one=twin: call(one))
        refuse = [twin.get_state, twin.replay, lambda one=twin: one.step(0)]
        if what != "last step":
            refuse += [lambda one=twin: one.infos, lambda one=twin: one.last(observe=False)]
        try:
            seen = twin.last()[0]
        except StateError as error:
            assert "interrupted" in str(error)
            for asked in refuse:
                with pytest.raises(StateError, match="interrupted"):
                    asked()
            refused += 1
            twin.reset(seed=8)
            continue
        state = twin.get_state()["states"]
        if what != "last step":
            assert twin.agent_selection == twin.possible_agents[state["to_play"][0]]
        assert np.array_equal(seen["action_mask"], twin.game.legal_mask(state))
        twin.replay()
    assert refused


# The parallel form


def test_parallel_plays_the_game_of_the_turns():
    """Every agent is asked, one acts; observations are current, and rewards are per ply."""
    turns, parallel = sarena_v0.env(num_players=3), sarena_v0.parallel_env(num_players=3)
    turns.reset(seed=6)
    seen, infos = parallel.reset(seed=6)
    while parallel.agents:
        agent = parallel.agent_selection
        for each in parallel.agents:
            fresh = turns.observe(each)
            assert np.array_equal(seen[each]["observation"], fresh["observation"])
            assert np.array_equal(seen[each]["action_mask"], fresh["action_mask"])
            assert seen[each]["action_mask"].any() == (each == agent)
            assert np.array_equal(infos[each]["action_mask"], fresh["action_mask"])
        action = int(np.flatnonzero(seen[agent]["action_mask"])[0])
        seen, rewards, terminations, truncations, infos = parallel.step(
            {each: action if each == agent else 0 for each in parallel.agents}
        )
        turns.step(action)
        assert rewards == turns.rewards
        assert terminations == turns.terminations
        assert truncations == turns.truncations
    assert all(terminations.values())
    assert parallel.step({}) == ({}, {}, {}, {}, {})


def test_parallel_wants_the_action_of_the_agent_to_act():
    env = sarena_v0.parallel_env()
    env.reset(seed=0)
    (other,) = [agent for agent in env.agents if agent != env.agent_selection]
    with pytest.raises(ValueError, match=f"{env.agent_selection} is to act"):
        env.step({other: 0})
    with pytest.raises(OutOfBoundsActionError):
        env.step({env.agent_selection: 120})


def test_conformance_through_the_registry():
    check_aec(AEC["registry"], seed=9, zero_sum=True, first_varies=True)


def test_centralised_state_holds_every_view():
    env = play(sarena_v0.env(num_players=3), plies=7)
    views = [env.observe(agent)["observation"] for agent in env.possible_agents]
    assert np.array_equal(env.state(), np.concatenate(views))


def test_names():
    env = sarena_v0.env()
    assert str(env) == env.metadata["name"] == "sarena_v0"
    assert isinstance(env, TurnBasedEnv)
    assert env.unwrapped is env
    assert str(sarena_v0.parallel_env()) == "sarena_v0"


# Agents that wait


@pytest.mark.parametrize("waiting_mask", ["zeros", "ones"])
def test_masks_of_agents_that_wait(waiting_mask):
    """The agent to act gets its legal actions; the others all or none; at the end all get that."""
    env = sarena_v0.parallel_env(num_players=3, waiting_mask=waiting_mask)
    turns = sarena_v0.env(num_players=3)
    seen, infos = env.reset(seed=4)
    turns.reset(seed=4)
    over = False
    while not over:
        acting = env.agent_selection
        legal = turns.observe(acting)["action_mask"]
        for agent in env.agents:
            wanted = legal if agent == acting else np.full(120, waiting_mask == "ones")
            assert np.array_equal(seen[agent]["action_mask"], wanted)
            assert np.array_equal(infos[agent]["action_mask"], wanted)
        actions = {agent: int(seen[agent]["action_mask"].argmax()) for agent in env.agents}
        seen, _, terminated, _, infos = env.step(actions)
        turns.step(actions[acting])
        assert env.state_digest() == turns.state_digest()
        over = any(terminated.values())
    for agent in env.possible_agents:
        assert np.array_equal(seen[agent]["action_mask"], np.full(120, waiting_mask == "ones"))


def test_no_other_masks_of_agents_that_wait():
    with pytest.raises(ValueError, match="waiting_mask is 'one'; allowed: 'zeros', 'ones'"):
        sarena_v0.parallel_env(waiting_mask="one")
