"""The public surface: exactly these names, and nothing heavy behind them.

A name that is added, renamed or dropped changes this file, and CHANGELOG.md.
"""

from __future__ import annotations

import importlib
import inspect

import gymnasium
import pettingzoo
import pytest

from ludotheque.envs import get_game, make_batch, sarena_v0, shamans_v1
from ludotheque.envs.core.interfaces.gym import SeatEnv, SeatVectorEnv

PUBLIC = {
    "ludotheque.envs": {
        "FileError",
        "GameOverError",
        "IllegalActionError",
        "LudothequeError",
        "OutOfBoundsActionError",
        "StateError",
        "TooLargeError",
        "__version__",
        "game_names",
        "get_game",
        "make_batch",
        "register_game",
        "seat_advantages",
    },
    "ludotheque.envs.sarena_v0": {"env", "parallel_env", "raw_env"},
    "ludotheque.widget": {"Board"},
    "ludotheque.agents": {"AGENTS", "Agent", "make_agent", "play_match", "register_agent"},
    "ludotheque.testing": {
        "AEC_CHECKS",
        "GAME_CHECKS",
        "Setting",
        "check_aec",
        "check_first_seat_varies",
        "check_game",
        "check_leaks",
        "check_zero_sum",
        "seed_everything",
        "settings",
    },
}
# The names of each object that its base class (PettingZoo, Gymnasium) doesn't have.
STATE = {"clone", "get_state", "set_state", "state_digest"}
METHODS = {
    "turns": STATE
    | {"game", "observation_schema", "render_mode", "replay", "results", "sample_legal", "settings"}
    | {"action_spaces", "observation_spaces", "possible_agents"},
    "parallel": STATE
    | {"aec_env", "agent_selection", "game", "observation_schema", "render_mode", "waiting_mask"}
    | {"action_spaces", "observation_spaces", "possible_agents", "agents"},
    "single": STATE
    | {"action_masks", "game", "observation_schema", "results", "sample_legal", "seat", "settings"},
    "vector": STATE
    | {"action_masks", "autoreset_mode", "copy", "game", "max_episode_steps"}
    | {"random_actions", "results", "settings"},
    "batch": STATE
    | {
        "action_masks",
        "autoreset",
        "close",
        "final_observations",
        "game",
        "histories",
        "histories_of",
        "keep_final",
        "num_envs",
        "num_players",
        "num_threads",
        "observation_scale",
        "observations",
        "observe",
        "random_actions",
        "ranks",
        "reset",
        "rewards",
        "scores",
        "settings",
        "single_action_space",
        "single_observation_space",
        "states",
        "step",
        "terminated",
        "to_play",
        "truncated",
    },
    "game": {
        "action_from_string",
        "action_to_string",
        "camps",
        "categories",
        "check_options",
        "check_states",
        "compact",
        "decode_action",
        "describe",
        "determinize",
        "digest",
        "draw",
        "dtype",
        "encode_action",
        "encode_options",
        "explain",
        "flat",
        "hidden_facts",
        "hides_action",
        "home",
        "kernels",
        "legal_actions_text",
        "legal_mask",
        "load_states",
        "limits",
        "locate",
        "loops",
        "loops_for",
        "max_players",
        "max_plies",
        "memo_rows",
        "name",
        "new_state",
        "new_memo",
        "new_states",
        "num_actions",
        "observation_dtype",
        "observation_forms",
        "observation_schema",
        "observation_shape",
        "package",
        "observation_size",
        "observe",
        "options",
        "planes",
        "player_counts",
        "points_by_category",
        "points_seen",
        "raise_refusal",
        "read",
        "remarks",
        "returns",
        "save_states",
        "search",
        "set_position",
        "see",
        "spots",
        "step",
        "targets",
        "title",
        "learning",
        "training",
        "usual_players",
        "version",
    },
}
# Names of a module besides its list and its submodules.
USED = {
    "ludotheque.envs": {"register_environments"},
    "ludotheque.envs.sarena_v0": {"entry_points"},
}
MADE = {
    "turns": (sarena_v0.env, pettingzoo.AECEnv),
    "parallel": (sarena_v0.parallel_env, pettingzoo.ParallelEnv),
    "single": (lambda: SeatEnv("sarena"), gymnasium.Env),
    "vector": (lambda: SeatVectorEnv("sarena", 2), gymnasium.vector.VectorEnv),
    "batch": (lambda: make_batch("sarena", 2), object),
    "game": (lambda: get_game("sarena"), object),
}


@pytest.mark.parametrize("module", PUBLIC)
def test_public_names(module):
    """``__all__`` is the list, and every name in it exists and is documented."""
    loaded = importlib.import_module(module)
    assert set(loaded.__all__) == PUBLIC[module]
    assert len(loaded.__all__) == len(set(loaded.__all__))
    for name in loaded.__all__:
        value = getattr(loaded, name)
        if callable(value):
            assert inspect.getdoc(value), f"{module}.{name} has no docstring"


@pytest.mark.parametrize("module", PUBLIC)
def test_nothing_else_looks_public(module, run_python):
    """Besides the list a module shows its submodules, and nothing that it merely uses."""
    code = f"import {module} as m\nprint(*(n for n in vars(m) if not n.startswith('_')))"
    result = run_python(code)
    assert result.returncode == 0, result.stderr
    loaded = importlib.import_module(module)
    others = set(result.stdout.split()) - set(loaded.__all__) - {"annotations"}
    submodules = {
        name
        for name in others
        if getattr(getattr(loaded, name), "__name__", "") == f"{module}.{name}"
    }
    assert others - submodules == USED.get(module, set())


@pytest.mark.parametrize("kind", MADE)
def test_public_methods(kind):
    make, base = MADE[kind]
    made = make()
    shown = {name for name in dir(made) if not name.startswith("_")}
    assert shown - set(dir(base)) - set(getattr(base, "__annotations__", ())) == METHODS[
        kind
    ] - set(getattr(base, "__annotations__", ()))


@pytest.mark.parametrize("kind", MADE)
def test_public_methods_are_explained(kind):
    make, base = MADE[kind]
    for name, value in inspect.getmembers(type(make()), callable):
        if not name.startswith("_") and name not in dir(base):
            assert inspect.getdoc(value), f"{kind}: {name} has no docstring"


def test_versions_agree(root):
    import tomllib

    from ludotheque import envs

    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    assert envs.__version__ == project["version"]


def test_names_that_are_imported_when_used_are_listed():
    import ludotheque.envs as package

    assert PUBLIC["ludotheque.envs"] <= set(dir(package))


@pytest.mark.parametrize("make", [sarena_v0.env, sarena_v0.raw_env, sarena_v0.parallel_env])
def test_arguments_are_completed(make):
    """Editors and notebooks use the signature, which names every argument, including the game's."""
    parameters = inspect.signature(make).parameters
    assert {"num_players", "observation", "render_mode", "deal"} <= set(parameters)
    assert all(one.kind is not one.VAR_KEYWORD for one in parameters.values())
    usual = {name: one.default for name, one in parameters.items()}
    assert repr(make(**usual)) == repr(make())


def test_what_is_looked_at_is_short():
    states = get_game("sarena").new_state(1)
    env, envs = sarena_v0.env(), SeatVectorEnv("sarena", 3)
    looked_at = [
        get_game("sarena").draw(states[0]),
        env.observation_space("player_0"),
        envs.observation_space,
        env,
        sarena_v0.parallel_env(),
    ]
    for one in looked_at:
        assert len(repr(one)) < 130 and " object at 0x" not in repr(one)


def test_an_environment_says_which_variant_it_is():
    env = shamans_v1.env(num_players=3, rounds="single", track={"start": 3, "moon": 9})
    assert "num_players=3, rounds='single', track={" in repr(env) and "'moon': 9}" in repr(env)
    assert "num_players=3, observation='flat'" in repr(make_batch("shamans", 2, 3))
