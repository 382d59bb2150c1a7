"""Reading observations by name, and positions from files."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

from ludotheque.envs import FileError, StateError, game_names, get_game, make_batch, sarena_v0

SARENA = get_game("sarena")


@pytest.mark.parametrize("name", game_names())
def test_every_number_of_an_observation_is_explained(name):
    game = get_game(name)
    for form in game.observation_forms:
        fields = game.observation_schema(form)
        ends = [field.slice.stop for field in fields]
        assert [field.slice.start for field in fields] == [0, *ends[:-1]]
        assert ends[-1] == game.observation_size(form)
        for field in fields:
            last = ", ".join(str(size - 1) for size in field.shape)
            told = game.explain(field.slice.stop - 1, form)
            assert told.startswith(f"{field.name}[{last}]: {field.meaning}")
        with pytest.raises(ValueError, match=f"whole number from 0 to {ends[-1] - 1}"):
            game.explain(ends[-1], form)


@pytest.mark.parametrize("name", game_names())
def test_an_observation_is_read_by_name(name):
    game = get_game(name)
    states = game.new_state(3)
    for form in game.observation_forms:
        seen = game.observe(states, 0, form=form)
        parts = game.read(seen, form)
        joined = np.concatenate([part.ravel() for part in parts.values()])
        assert np.array_equal(joined, seen.ravel())
        for field in game.observation_schema(form):
            assert parts[field.name].shape == field.shape
            assert np.array_equal(parts[field.name].ravel(), seen.ravel()[field.slice])


def test_observations_of_every_interface_are_read():
    env = sarena_v0.env()
    env.reset(seed=1)
    read = SARENA.read(env.observe("player_0"))
    batch = make_batch("sarena", 4)
    parts = SARENA.read(batch.reset(seed=1))
    assert {name: part.shape[1:] for name, part in parts.items()} == {
        name: part.shape for name, part in read.items()
    }
    # A view, not a copy.
    batch.observations[2] = 0
    assert not any(part[2].any() for part in parts.values())


@pytest.mark.parametrize("form", ["flat", "planes"])
def test_what_is_no_observation_is_refused(form):
    with pytest.raises(ValueError, match=r"of shape \(7,\).*forms: flat, planes"):
        SARENA.read(np.zeros(7), form)


@pytest.mark.parametrize("name", game_names())
def test_positions_are_saved_and_read_again(name, tmp_path):
    game = get_game(name)
    states = np.concatenate([game.new_state(seed, max(game.player_counts)) for seed in range(5)])
    game.save_states(states, tmp_path / "games.zip")
    assert np.array_equal(game.load_states(tmp_path / "games.zip"), states)


def test_an_edited_game_is_saved_and_played_on(tmp_path):
    states = SARENA.new_state(1)
    SARENA.set_position(states, stacks=[[(0, 1)], [(2, 3)], *[[]] * 34], secrets=(3, 2, 1, 0))
    named = SARENA.new_state(1)
    stacks = [[("yellow", "red")], [("green", "blue")], *[[]] * 34]
    SARENA.set_position(named, stacks=stacks, secrets=("blue", "green", "red", "yellow"))
    assert np.array_equal(named, states)
    SARENA.save_states(states, tmp_path / "problem.zip")
    batch = make_batch("sarena", 1)
    batch.set_state(SARENA.load_states(tmp_path / "problem.zip"))
    assert batch.state_digest(0) == SARENA.digest(states)


@pytest.mark.parametrize(
    ("states", "more", "message"),
    [
        (None, {}, "states is NoneType; give records"),
        (get_game("saga").new_state(1), {}, "give records .* of <Game sarena_v0>"),
        (SARENA.new_state(1), {"i": 1}, "i, the record to set up, is 1.*from 0 to 0"),
        (SARENA.new_state(1), {"i": -1}, "is -1"),
        (SARENA.new_state(1), {"stacks": "abc"}, "stacks is .abc.; give a list"),
        (SARENA.new_state(1), {"stacks": [[(1, 2, 3)]]}, "a disc is .1, 2, 3.; give two"),
        (SARENA.new_state(1), {"stacks": [[("red", "pink")]]}, "colour is 'pink'; allowed: 'yell"),
        (SARENA.new_state(1), {"stacks": [[(0, [1])]]}, r"stacks.0..0.: a colour is .1.; give a"),
    ],
)
def test_what_a_position_is_put_into_is_looked_at(states, more, message):
    before = None if states is None else states.tobytes()
    with pytest.raises(ValueError, match=message):
        SARENA.set_position(states, **{"stacks": [[]] * 36, **more})
    assert states is None or states.tobytes() == before


ASKED = {
    "legal_mask": lambda states, i: SARENA.legal_mask(states, i),
    "observe": lambda states, i: SARENA.observe(states, 0, i),
    "step": lambda states, i: SARENA.step(states, 0, i),
    "returns": lambda states, i: SARENA.returns(states, i),
    "determinize": lambda states, i: SARENA.determinize(states, 0, 1, i),
    "digest": lambda states, i: SARENA.digest(states, i),
    "legal_actions_text": lambda states, i: SARENA.legal_actions_text(states, i),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_no_kernel_reads_beyond_the_records(ask):
    """Kernels don't check the index of a game."""
    states = SARENA.new_state(1)
    before = SARENA.digest(states)
    for i in (1, -1, 10**6, 2**70, 0.0, True, None):
        with pytest.raises(ValueError, match="whole number from 0 to 0"):
            ask(states, i)
    with pytest.raises(ValueError, match="i, the index of the game"):
        ask(states[:0], 0)
    for wrong in (get_game("sagani").new_state(1), states[0], states[None], [0], None):
        with pytest.raises(StateError, match="give records"):
            ask(wrong, 0)
    assert SARENA.digest(states) == before


PARTS = [
    (name, part)
    for name in game_names()
    for part in import_module(f"{get_game(name).home}.position").FORMS
]
# None of it is a part of any position.
JUNK = [0.5, object(), np.array(0.5), {"x": 0.5}, {0: 0.5}, {0: {0: 0.5}}, {object(): []}]
JUNK += [[0.5], {0: [0.5]}, [[0.5]], [[[0.5]]], {0: [(0.5, 0.5)]}, {0: [(1, 2, 3, 4, 5, 6, 7)]}]
JUNK += [{"x": (0.5, 0.5)}, {0: b"x"}, b"x"]


@pytest.mark.parametrize(("name", "part"), PARTS)
def test_junk_in_a_part_of_a_position_is_refused_by_the_name_of_the_part(name, part):
    game = get_game(name)
    states = game.new_state(1, max(game.player_counts))
    before = states.tobytes()
    others = {"stacks": [[]] * 36} if name == "sarena" else {}
    for junk in JUNK:
        with pytest.raises(ValueError, match=rf"^(a key of )?{part}\b.* is .*; give "):
            game.set_position(states, **{**others, part: junk})
    assert states.tobytes() == before


@pytest.mark.parametrize("name", game_names())
def test_a_part_that_a_position_does_not_have_is_refused_with_those_it_has(name):
    game = get_game(name)
    forms = import_module(f"{game.home}.position").FORMS
    nearly = f"{next(iter(forms))}s"
    words = f"has no part '{nearly}'; allowed: {', '.join(forms)}.*mean '{nearly[:-1]}'"
    with pytest.raises(TypeError, match=words):
        game.set_position(game.new_state(1, max(game.player_counts)), **{nearly: 1})


@pytest.mark.parametrize(
    ("name", "part", "value"),
    [
        ("harmonies", "turns", 2**63),
        ("harmonies", "spirit", {0: 300}),
        ("sagani", "scores", [10**6, 0]),
        ("sagani", "cacophony", [2**63, 0]),
        ("shamans", "points", [2**63, 0, 0]),
        ("saga", "fame", [2**63]),
    ],
)
def test_numbers_that_no_record_can_hold_are_refused_with_what_is_allowed(name, part, value):
    game = get_game(name)
    with pytest.raises(
        ValueError, match=rf"^{part}.* is \d+; give a whole number from -?\d+ to \d"
    ):
        game.set_position(game.new_state(1), **{part: value})


WITHOUT_A_MOVE = {
    "sagani: nothing to take": ("sagani", {}, r"display.*hand"),
    "sagani: the other's tile is gone": ("sagani", {"display": [], "interlude": [1]}, "display"),
    "harmonies: a full board": (
        "harmonies",
        {"boards": {0: {n: ["blue"] for n in range(22)}}},
        "boards",
    ),
    "saga: no cards": ("saga", {}, "hands"),
    "saga: no forces": ("saga", {"forces": {}}, "hands"),
    "saga: one hand": ("saga", {"hands": {0: ["red 1"]}}, "hands"),
    "saga: played": ("saga", {"hands": {1: ["red 1"]}, "played": True}, "hands"),
}


@pytest.mark.parametrize("what", WITHOUT_A_MOVE)
def test_a_position_that_cannot_be_played_on_is_refused_with_what_is_missing(what):
    name, parts, needed = WITHOUT_A_MOVE[what]
    game, states = get_game(name), get_game(name).new_state(1)
    before = states.tobytes()
    with pytest.raises(StateError, match=f"no legal action.*: give .*{needed}.*playable=False"):
        game.set_position(states, **parts)
    assert states.tobytes() == before
    game.set_position(states, playable=False, **parts)
    game.check_states(states, playable=False)
    # Its points are those of the position. Whoever wants a move of it is told that there is none.
    game.returns(states)
    batch = make_batch(name, 1)
    with pytest.raises(StateError, match="no legal action"):
        batch.set_state(states)


@pytest.mark.parametrize("name", ["sagani", "saga"])
def test_no_action_is_drawn_where_none_is_legal(name):
    """A number beyond the actions was, from memory behind the record."""
    game, batch = get_game(name), make_batch(name, 2)
    batch.reset(0)
    game.set_position(batch.states, 1, playable=False)
    if name == "saga":  # a new force can still be chosen, but no card for it
        game.step(batch.states, game.action_from_string("new"), 1)
    assert not game.legal_mask(batch.states, 1).any()
    with pytest.raises(StateError, match="game 1 isn't over, but no action is legal"):
        batch.random_actions()
    actions, scores, ranks = np.zeros(2, np.int64), batch.scores.copy(), batch.ranks.copy()
    game.loops.random_actions(batch.states, 0, 2, actions)
    assert actions[1] == -1 < actions[0]
    plies = np.zeros(2, np.int64)
    game.loops.playouts(batch.states, 0, 2, np.zeros(2, np.uint64), scores, ranks, plies)
    assert plies[1] == 0 < plies[0]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("sagani", {"display": [1]}),
        ("sagani", {"hand": 1, "pile": []}),
        ("saga", {"hands": {0: ["red 1"], 1: ["red 1"]}}),
        ("saga", {"hands": {0: ["red 1"], 1: ["red 1"]}, "played": True}),
        ("harmonies", {}),
        ("shamans", {}),
        ("sarena", {"stacks": [[(0, 1)], [(2, 3)], *[[]] * 34]}),
    ],
    ids=repr,
)
def test_a_position_that_is_taken_is_played_on_to_its_end(name, parts):
    game = get_game(name)
    states = np.concatenate([game.new_state(seed) for seed in range(8)])
    for i in range(8):
        game.set_position(states, i, **parts)
    random = np.random.default_rng(0)
    for _ in range(8_000):
        over = states["terminated"] | states["truncated"]
        if over.all():
            return
        for i in np.flatnonzero(~over):
            legal = np.flatnonzero(game.legal_mask(states, i))
            assert len(legal), game.describe(states[i])
            game.step(states, int(random.choice(legal)), i)
    raise AssertionError("the games don't end")


def test_colours_of_tokens_have_names():
    game = get_game("harmonies")
    states = np.concatenate([game.new_state(1), game.new_state(1)])
    game.set_position(states, 0, boards={0: {3: ["brown", "green"]}}, hand=["red"], taken=0)
    game.set_position(states, 1, boards={0: {3: [2, 3]}}, hand=[5], taken=0)
    assert game.digest(states, 0) == game.digest(states, 1)
    with pytest.raises(ValueError, match=r"blue\+red on hex 3 is no stack; allowed.*gray\+red"):
        game.set_position(states, boards={0: {3: ["blue", "red"]}})


def test_records_of_another_game_are_neither_saved_nor_read(tmp_path):
    path = tmp_path / "games.zip"
    with pytest.raises(StateError, match="give records of <Game saga_v1>"):
        get_game("saga").save_states(SARENA.new_state(1), path)
    assert not path.exists()
    SARENA.save_states(SARENA.new_state(1), path)
    with pytest.raises(FileError, match=r"games.zip.*records of sarena_v0, but.* saga_v1"):
        get_game("saga").load_states(path)


def test_a_record_that_cannot_be_is_refused(tmp_path):
    states = SARENA.new_state(1)
    states["height"][0, 3] = 9
    SARENA.save_states(states, tmp_path / "games.zip")
    with pytest.raises(FileError, match=r"games.zip.*field 'height'.*allowed: 0 to 4"):
        SARENA.load_states(tmp_path / "games.zip")


@pytest.mark.parametrize("name", game_names())
def test_records_that_cannot_be_written_are_not_played_on(name, tmp_path):
    """Compiled code writes to memory that is only for reading, or dies of it."""
    game = get_game(name)
    states = game.new_state(3)
    np.save(tmp_path / "states.npy", states)
    mapped = np.load(tmp_path / "states.npy", mmap_mode="r").view(game.dtype)
    constant = np.frombuffer(states.tobytes(), game.dtype)
    for kept in (mapped, constant):
        action = int(np.flatnonzero(game.legal_mask(kept))[0])
        with pytest.raises(StateError, match=r"can't be written.*pass states.copy\(\)"):
            game.step(kept, action)
        with pytest.raises(StateError, match="can't be written"):
            game.set_position(kept)
        assert game.digest(kept) == game.digest(states)
        game.step(kept.copy(), action)
