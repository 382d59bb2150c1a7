"""Checks that every game on the engine contract should pass, in every setting it offers.

A check is a function of a ``Setting`` (a game, a number of players and options) and a seed. It
raises AssertionError with an explanation if it fails.
"""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ludotheque.envs.core.errors import GameOverError, IllegalActionError
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces import batch as interfaces
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.loops import ILLEGAL, RAISE
from ludotheque.envs.core.memo import make_memo
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.envs.core.rng import GAMMA, below, decision_seed, mix64
from ludotheque.envs.core.schema import slices
from ludotheque.envs.core.state import HEADER

# Plies at which positions are checked, in addition to a game's last position.
PLIES = (0, 1, 3, 7, 12, 18, 25, 33)
# Header fields that everybody can see.
PUBLIC = ("num_players", "to_play", "phase", "forfeit", "ply", "terminated", "truncated", "told")
REDRAWS = 12


MOST_COMBINATIONS = 4


@dataclass(frozen=True)
class Setting:
    """One way to play a game: a number of players and a choice for every option."""

    game: Game
    num_players: int
    options: Mapping[str, Any]

    def deal(self, seed: int) -> np.ndarray:
        """Return a new game, a ``(1,)`` array of records."""
        return self.game.new_state(seed, self.num_players, **self.options)

    @property
    def seats(self) -> range:
        return range(self.num_players)

    def __str__(self) -> str:
        return "-".join([self.game.name, str(self.num_players), *map(str, self.options.values())])


def settings(game: Game) -> list[Setting]:
    """Return every player count of ``game`` with each choice of each option.

    Options are combined if that makes only a few settings per number of players; in games with many
    options, each is changed by itself.
    """
    names = [option.name for option in game.options]
    defaults = {option.name: option.default for option in game.options}
    if prod(len(option.choices) for option in game.options) <= MOST_COMBINATIONS:
        choices = itertools.product(*(option.choices for option in game.options))
        variants = [dict(zip(names, values, strict=True)) for values in choices]
    else:
        variants = [defaults]
        for option in game.options:
            others = (choice for choice in option.choices if choice != option.default)
            variants += [{**defaults, option.name: choice} for choice in others]
    return [Setting(game, count, values) for count in game.player_counts for values in variants]


# Playing


def is_over(states: np.ndarray, i: int = 0) -> bool:
    """Return whether game ``i`` has ended."""
    return bool(states["terminated"][i] or states["truncated"][i])


def legal_actions(game: Game, states: np.ndarray, i: int = 0) -> list[int]:
    """Return the legal actions of game ``i`` in ascending order."""
    return np.flatnonzero(game.legal_mask(states, i)).tolist()


def play(setting: Setting, seed: int) -> Iterator[np.ndarray]:
    """Yield a copy of the record at every ply of a random game, including the end."""
    game, states = setting.game, setting.deal(seed)
    rng = np.random.default_rng(seed)
    yield states.copy()
    while not is_over(states):
        game.step(states, int(rng.choice(legal_actions(game, states))))
        yield states.copy()


def positions(setting: Setting, seed: int, games: int = 2) -> Iterator[np.ndarray]:
    """Yield positions of random games: some plies (``PLIES``) and the end of each."""
    for number in range(games):
        for states in play(setting, seed + number):
            if states["ply"][0] in PLIES or is_over(states):
                yield states


def unfinished(setting: Setting, seed: int, games: int = 2) -> Iterator[np.ndarray]:
    """Yield the unfinished positions."""
    return (states for states in positions(setting, seed, games) if not is_over(states))


def views(game: Game, states: np.ndarray, seat: int) -> dict[str, np.ndarray]:
    """Return all fields observed by ``seat``, in every form: ``"flat: height"`` → numbers."""
    fields = {}
    for form in game.observation_forms:
        numbers = game.observe(states, seat, form=form).ravel()
        for name, part in slices(game.observation_schema(form)).items():
            fields[f"{form}: {name}"] = numbers[part]
    return fields


def _assert_same_views(
    game: Game, states: np.ndarray, others: np.ndarray, seat: int, what: str
) -> None:
    for form in game.observation_forms:
        seen = game.observe(states, seat, form=form)
        if not np.array_equal(seen, game.observe(others, seat, form=form)):
            one, other = views(game, states, seat), views(game, others, seat)
            changed = [name for name in one if not np.array_equal(one[name], other[name])]
            raise AssertionError(f"{what}: fields {changed} changed")


# The record


def check_header(setting: Setting, seed: int = 0) -> None:
    """The record starts with the common header, which is correct at every ply."""
    game = setting.game
    names = [entry[0] for entry in HEADER]
    assert list((game.dtype.names or ())[: len(names)]) == names, (
        f"the header is {game.dtype.names}"
    )
    assert game.dtype.isalignedstruct, "the record type is not aligned"
    for ply, states in enumerate(play(setting, seed)):
        state = states[0]
        assert state["seed"] == seed, f"seed is {state['seed']} in a game dealt from {seed}"
        assert state["num_players"] == setting.num_players, f"{state['num_players']} players"
        assert state["ply"] == ply, f"ply is {state['ply']} after {ply} actions"
        assert state["to_play"] in setting.seats, f"to_play is {state['to_play']}"
        assert state["forfeit"] == -1, f"forfeit is {state['forfeit']} in a legal game"
        assert (state["last_action"] >= 0) == (ply > 0), f"last_action is {state['last_action']}"
        assert not (state["terminated"] and state["truncated"]), "both terminated and truncated"
        assert ply > 0 or not is_over(states), "the game is over before it began"
        assert ply <= game.max_plies, f"{ply} actions; max_plies is {game.max_plies}"


def check_setup(setting: Setting, seed: int = 0) -> None:
    """A deal depends only on the seed, not on the record's old contents, and varies with it."""
    game = setting.game
    fresh = setting.deal(seed)
    options = game.encode_options(setting.num_players, **setting.options)
    *_, used = play(setting, seed + 1)
    rubbish = game.new_states(1)
    rubbish.view(np.uint8)[:] = 0xA5
    for label, states in (("a finished game", used), ("rubbish", rubbish)):
        game.loops.deal(states, 0, 1, np.array([seed], np.uint64), options)
        for name in game.dtype.names or ():
            assert np.array_equal(states[name], fresh[name]), f"{name} is left over from {label}"
    digests = {game.digest(_unseeded(setting.deal(seed + k))) for k in range(10)}
    assert len(digests) > 1, "ten seeds give the same deal"


def _unseeded(states: np.ndarray) -> np.ndarray:
    states = states.copy()
    states["rng"] = states["seed"] = 0
    return states


def check_copies(setting: Setting, seed: int = 0) -> None:
    """A copy and a pickle of a record share its future chance; a pickled game is the game."""
    game = setting.game
    assert pickle.loads(pickle.dumps(game)) is game, "a pickled game comes back as another object"
    for states in unfinished(setting, seed, games=1):
        twins = [states.copy(), pickle.loads(pickle.dumps(states))]
        rng = np.random.default_rng(seed)
        while not is_over(states):
            action = int(rng.choice(legal_actions(game, states)))
            for record in (states, *twins):
                game.step(record, action)
        for twin in twins:
            assert game.digest(twin) == game.digest(states), "copies end otherwise"


# Actions


def check_legality(setting: Setting, seed: int = 0) -> None:
    """The mask, ``is_legal`` and a trial of every action agree; rejected ones change nothing."""
    game = setting.game
    for states in positions(setting, seed, games=1):
        mask = game.legal_mask(states)
        assert mask.dtype == np.int8 and mask.shape == (game.num_actions,), f"mask is {mask}"
        assert mask.any() != is_over(states), f"{mask.sum()} legal actions, over={is_over(states)}"
        original, trial = states.tobytes(), states.copy()
        # From the copy: padding between fields isn't copied.
        before = trial.tobytes()
        refusal = GameOverError if is_over(states) else IllegalActionError
        for action in range(game.num_actions):
            if not is_over(states):
                legal = bool(game.kernels["is_legal"](states[0], action))
                assert legal == bool(mask[action]), f"is_legal({action}) is {legal}"
            if _is_accepted(game, trial, action, refusal):
                assert mask[action], f"illegal action {action} is accepted"
                assert trial.tobytes() != before, f"action {action} changes nothing"
                trial = states.copy()
                before = trial.tobytes()
            assert trial.tobytes() == before, f"the refused action {action} changed the state"
        assert states.tobytes() == original, "trying actions in copies changed the original"


def _is_accepted(game: Game, trial: np.ndarray, action: int, refusal: type[Exception]) -> bool:
    try:
        game.step(trial, action)
    except refusal:
        return False
    return True


def check_out_of_bounds(setting: Setting, seed: int = 0) -> None:
    """Numbers outside the action space are rejected by name and change nothing."""
    game = setting.game
    states = setting.deal(seed)
    before = game.digest(states)
    wrong: tuple[Any, ...] = (-1, game.num_actions, 10**9, 1.0, "0", None, True)
    for action in wrong:
        try:
            game.step(states, action)
        except IllegalActionError as error:
            assert repr(action) in str(error), f"the error doesn't name {action!r}: {error}"
        else:
            raise AssertionError(f"action {action!r} is accepted")
        assert game.digest(states) == before, f"the refused action {action!r} changed the state"


def check_random_action(setting: Setting, seed: int = 0) -> None:
    """``random_action(state, word)`` is the ``below(word, count)``-th legal action, ascending."""
    game = setting.game
    random_words = np.random.default_rng(seed).integers(0, 2**64, 20, dtype=np.uint64)
    for states in unfinished(setting, seed):
        legal = legal_actions(game, states)
        # The smallest and the largest word of every action.
        edges = [-(-(k << 32) // len(legal)) << 32 for k in range(len(legal))]
        for word in (*random_words, *np.array([*edges, 2**64 - 1], np.uint64)):
            action = int(game.kernels["random_action"](states[0], word))
            expected = legal[int(below(word, len(legal)))]
            assert action == expected, f"random_action of {word} is {action}, not {expected}"
        chosen = [int(game.kernels["random_action"](states[0], np.uint64(edge))) for edge in edges]
        assert chosen == legal, "some legal action is never chosen"


def check_codec(setting: Setting, seed: int = 0) -> None:
    """Number ↔ parts ↔ notation: a round trip for every legal action, with unique names."""
    game = setting.game
    for states in unfinished(setting, seed):
        state = states[0]
        texts = set()
        for action in legal_actions(game, states):
            assert game.encode_action(game.decode_action(action)) == action, f"parts of {action}"
            text = game.action_to_string(action, state)
            assert game.action_from_string(text, state) == action, f"{text!r} is not {action}"
            texts.add(text)
        assert len(texts) == len(legal_actions(game, states)), "two actions have one name"
        assert sorted(texts) == sorted(game.legal_actions_text(states)), "legal_actions_text"
    for text in ("", "?", "no such action"):
        _assert_refused(partial(game.action_from_string, text, state), repr(text))
    _assert_refused(lambda: game.encode_action({"no such part": 0}), "an unknown part")
    _assert_refused(lambda: game.decode_action(game.num_actions), "a number out of range")


def _assert_refused(call: Callable[[], Any], what: str) -> None:
    try:
        call()
    except ValueError:
        return
    raise AssertionError(f"{what} is accepted as an action")


# Observations


def check_observations(setting: Setting, seed: int = 0) -> None:
    """Observations have the declared shapes and dtypes and stay within the schema's ranges."""
    game = setting.game
    for states, seat in itertools.product(positions(setting, seed), setting.seats):
        for form in game.observation_forms:
            seen = game.observe(states, seat, form=form)
            assert seen.dtype == game.observation_dtype, f"{form} observations are {seen.dtype}"
            assert seen.shape == game.observation_shape(form), f"{form} has shape {seen.shape}"
        for name, numbers in views(game, states, seat).items():
            form, _, field_name = name.partition(": ")
            (field,) = (f for f in game.observation_schema(form) if f.name == field_name)
            assert field.low <= numbers.min() and numbers.max() <= field.high, (
                f"{name} goes from {numbers.min()} to {numbers.max()}; the schema says "
                f"{field.low} to {field.high}"
            )


def check_schema(setting: Setting, seed: int = 0) -> None:
    """Fields have names, ranges and meanings; planes are grids of one size."""
    game = setting.game
    kind = np.iinfo(game.observation_dtype)
    for form in game.observation_forms:
        fields = game.observation_schema(form)
        names = [field.name for field in fields]
        assert len(set(names)) == len(names), f"{form} has a name twice: {names}"
        assert sum(field.size for field in fields) == game.observation_size(form), f"size of {form}"
        assert game.observation_size(form) == np.prod(game.observation_shape(form)), f"{form}"
        for field in fields:
            assert kind.min <= field.low < field.high <= kind.max, f"range of {field.name}"
            assert field.meaning and field.visible_to in ("all", "seat"), f"words of {field.name}"
        if form == "planes":
            grids = {field.shape[1:] for field in fields}
            assert len(grids) == 1, f"planes have grids {grids}"


def check_looking_is_pure(setting: Setting, seed: int = 0) -> None:
    """Observing, masks, results, texts and pictures leave the record unchanged."""
    game = setting.game
    for states in list(positions(setting, seed, games=1))[::3]:
        before = states.tobytes()
        game.legal_mask(states)
        game.returns(states)
        game.digest(states)
        for seat in (*setting.seats, None):
            game.describe(states[0], seat)
            game.draw(states[0], seat).svg()
            if seat is not None:
                views(game, states, seat)
                game.determinize(states, seat, seed)
        assert states.tobytes() == before, "looking changed the record"


def check_determinize(setting: Setting, seed: int = 0) -> None:
    """A redraw is playable, looks the same to the seat, and has new chance."""
    game = setting.game
    for states, seat in itertools.product(positions(setting, seed, games=1), setting.seats):
        mask, what = game.legal_mask(states), f"determinize(seat {seat}) at ply {states['ply'][0]}"
        redrawn = [game.determinize(states, seat, seed + redraw) for redraw in range(4)]
        for redraw, drawn in enumerate(redrawn):
            _assert_same_views(game, states, drawn, seat, what)
            for name in PUBLIC:
                assert drawn[name] == states[name], f"{what}: {name} changed"
            if states["to_play"][0] == seat:
                assert np.array_equal(game.legal_mask(drawn), mask), f"{what}: other legal actions"
            again = game.determinize(states, seat, seed + redraw)
            assert game.digest(again) == game.digest(drawn), f"{what}: another result next time"
            # Agents know the seed, so a result that depends on hidden information could reveal it.
            again = game.determinize(redrawn[redraw - 1], seat, seed + redraw)
            assert game.digest(again) == game.digest(drawn), f"{what}: it goes by what is hidden"
        for name in ("rng", "seed"):
            values = {int(drawn[name][0]) for drawn in redrawn}
            assert len(values) == 4, f"determinize keeps {name}, from which luck could be foretold"
        _assert_playable(game, np.concatenate(redrawn), what)


def _assert_playable(game: Game, states: np.ndarray, what: str) -> None:
    count, seats = len(states), game.max_players
    actions, learner = np.zeros((2, count), np.int64)
    rewards, (seat_rewards, scores) = np.zeros(count, "f4"), np.zeros((2, count, seats), "f4")
    outputs = (rewards, seat_rewards, scores, np.zeros((count, seats), np.int64))
    for _ in range(game.max_plies + 1):
        rows = np.flatnonzero(~(states["terminated"] | states["truncated"]))
        if not len(rows):
            return
        game.loops.random_actions(states, 0, count, actions)
        game.loops.play_rows(states, rows, actions[rows], learner, (RAISE, 0.0, 0), outputs)
    raise AssertionError(f"{what}: the redrawn game does not end")


def check_hidden_varies(setting: Setting, seed: int = 0, deducible: Collection[str] = ()) -> None:
    """What only one seat knows according to the schema is redrawn for the other seats.

    Each seat's fields must vary somewhere, but not everywhere: a seat may know everything that
    another knows about something, such as the last cards or the roles, and a field that this
    variant leaves empty (all 0) hides nothing.

    Args:
        setting, seed: determine the game.
        deducible: fields that the others can deduce in this variant, in most games.
    """
    game = setting.game
    private = [
        f"{form}: {field.name}"
        for form in game.observation_forms
        for field in game.observation_schema(form)
        if field.visible_to == "seat" and field.name not in deducible
    ]
    met, varied = set(), set()
    for states in unfinished(setting, seed, games=1):
        for seat, other in itertools.permutations(setting.seats, 2):
            shown = [
                views(game, game.determinize(states, seat, redraw), other)
                for redraw in range(seed, seed + REDRAWS)
            ]
            mine = views(game, states, other)
            for name in (name for name in private if mine[name].any()):
                met.add((name, other))
                if len({view[name].tobytes() for view in shown}) > 1:
                    varied.add((name, other))
    never = ", ".join(f"{name} of seat {other}" for name, other in sorted(met - varied))
    assert not never, f"{never}: the same in all redraws of all other seats"


def check_chance_is_hidden(setting: Setting, seed: int = 0) -> None:
    """No seat sees the generator or the seed."""
    game = setting.game
    for states, seat in itertools.product(positions(setting, seed), setting.seats):
        lucky = states.copy()
        lucky["rng"] += np.uint64(12345)
        lucky["seed"] += np.uint64(54321)
        what = f"seat {seat} when only the luck to come changes"
        _assert_same_views(game, states, lucky, seat, what)
        assert np.array_equal(game.legal_mask(states), game.legal_mask(lucky)), what


def check_words_and_pictures_hide(setting: Setting, seed: int = 0) -> None:
    """A seat's text and picture don't change when only things hidden from it do."""
    game = setting.game
    looked_at = list(positions(setting, seed, games=1))[::3]
    for states, seat in itertools.product(looked_at, setting.seats):
        text, picture = game.describe(states[0], seat), game.draw(states[0], seat).svg()
        assert text.strip() and picture.lstrip().startswith("<"), "nothing is described or drawn"
        drawn = game.determinize(states, seat, seed)[0]
        where = f"seat {seat} at ply {states['ply'][0]}"
        assert game.describe(drawn, seat) == text, f"the text board shows {where} hidden things"
        assert game.draw(drawn, seat).svg() == picture, f"the picture shows {where} hidden things"


def check_evaluation_hides(setting: Setting, seed: int = 0) -> None:
    """``evaluate`` uses only what the seat may know."""
    game = setting.game
    if "evaluate" not in game.kernels:
        return
    for states, seat in itertools.product(unfinished(setting, seed), setting.seats):
        value = game.kernels["evaluate"](states[0], seat, game.new_memo())
        assert np.isfinite(value), f"the position is worth {value}"
        for redraw in range(seed, seed + 4):
            drawn = game.determinize(states, seat, redraw)[0]
            assert game.kernels["evaluate"](drawn, seat, game.new_memo()) == value, (
                f"evaluate for seat {seat}"
            )


def check_evaluation_remembers(setting: Setting, seed: int = 0) -> None:
    """What ``evaluate`` and ``glance`` remember of other positions doesn't change their values."""
    game = setting.game
    for name in {"evaluate", "glance"} & set(game.kernels):
        value = game.kernels[name]
        small, large = make_memo(1), game.new_memo()
        for states, seat in itertools.product(unfinished(setting, seed), setting.seats):
            expected = value(states[0], seat, game.new_memo())
            for memo in (large, small, large):
                assert value(states[0], seat, memo) == expected, f"{name} for seat {seat}"


# Results


def check_returns(setting: Setting, seed: int = 0) -> None:
    """Scores and ranks agree at every ply: 1 is best, ties share a rank, no lower score leads."""
    for states in positions(setting, seed, games=4):
        scores, ranks = setting.game.returns(states)
        assert scores.dtype == np.float32 and scores.shape == (setting.num_players,), f"{scores}"
        assert ranks.dtype == np.int64 and ranks.shape == (setting.num_players,), f"{ranks}"
        assert np.isfinite(scores).all(), f"scores {scores}"
        if setting.num_players == 1:
            assert ranks[0] in (1, 2), f"a solo game has rank {ranks[0]}"
            continue
        for seat in setting.seats:
            better = int((ranks < ranks[seat]).sum())
            assert ranks[seat] == 1 + better, f"ranks {ranks} are not 1, 2, 2, 4"
            ahead = ranks < ranks[seat]
            assert (scores[ahead] >= scores[seat]).all(), f"scores {scores} have ranks {ranks}"


def check_categories(setting: Setting, seed: int = 0) -> None:
    """A seat's points by category add up to its score at every ply."""
    game = setting.game
    for states in positions(setting, seed, games=4) if game.categories else ():
        for seat, score in enumerate(game.returns(states)[0]):
            points = game.points_by_category(states, seat)
            assert sum(points.values()) == score, f"seat {seat} has {score} points: {points}"


def check_rewards(setting: Setting, seed: int = 0) -> None:
    """Every reward option follows from the final scores and ranks; rank and win add up to 0."""
    for reward, number in itertools.product(REWARDS, range(2)):
        env = TurnBasedEnv(setting.game, setting.num_players, reward=reward, **setting.options)
        env.reset(seed=seed + number)
        for agent in env.possible_agents:
            env.action_space(agent).seed(seed + number)
        start = setting.game.returns(env.get_state()["states"])[0]
        total = np.zeros(setting.num_players)
        while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            assert reward == "score_change" or not total.any(), f"{reward} pays before the end"
            env.step(env.sample_legal())
            total += [env.rewards[agent] for agent in env.agents]
        scores, ranks = setting.game.returns(env.get_state()["states"])
        expected = _expected(reward, scores, ranks, start)
        assert np.allclose(total, expected, atol=1e-4), (
            f"{reward} pays {total} for scores {scores}, ranks {ranks}; it should be {expected}"
        )


def _expected(reward: str, scores: np.ndarray, ranks: np.ndarray, start: np.ndarray) -> np.ndarray:
    count = len(scores)
    if reward in ("score", "score_change"):
        return scores - (start if reward == "score_change" else 0)
    if count == 1:
        return scores if reward == "margin" else np.where(ranks == 1, 1.0, -1.0)
    if reward == "margin":
        return np.array([scores[k] - np.delete(scores, k).max() for k in range(count)])
    if reward == "win":
        won = ranks == 1
        if won.all():
            return np.zeros(count)
        return np.where(won, 1 / won.sum(), -1 / max(1, (~won).sum()))
    ladder = np.linspace(1, -1, count)
    return np.array([ladder[rank - 1 : rank - 1 + (ranks == rank).sum()].mean() for rank in ranks])


# Batches


def check_playouts(setting: Setting, seed: int = 0) -> None:
    """The playout kernel plays the same game as single steps with the same random words."""
    game = setting.game
    for states in positions(setting, seed, games=1):
        single, word, count = states.copy(), np.uint64(seed + 99), 0
        batch = states.copy()
        scores = np.zeros((1, game.max_players), np.float32)
        ranks = np.zeros((1, game.max_players), np.int64)
        plies = np.zeros(1, np.int64)
        game.loops.playouts(batch, 0, 1, np.array([word]), scores, ranks, plies)
        with np.errstate(over="ignore"):
            while not is_over(single):
                word = word + GAMMA
                mixed = np.uint64(mix64(word))
                game.step(single, int(game.kernels["random_action"](single[0], mixed)))
                count += 1
        assert plies[0] == count, f"{plies[0]} actions in the playout, {count} in single steps"
        # The playout isn't an interface: it leaves ``last_action`` and the history unchanged.
        for name in ("last_action", "told", "told_actions", "told_seats"):
            single[name] = batch[name]
        assert game.digest(batch) == game.digest(single), "playout and single steps end differently"
        final_scores, final_ranks = game.returns(single)
        assert np.array_equal(scores[0, : setting.num_players], final_scores), (
            "scores of the playout"
        )
        assert np.array_equal(ranks[0, : setting.num_players], final_ranks), "ranks of the playout"


def check_random_actions(setting: Setting, seed: int = 0) -> None:
    """The batch's random actions are those of the decision's seed."""
    game = setting.game
    batch = BatchEnv(game, 3, setting.num_players, **setting.options)
    batch.reset(seed)
    for _ in range(game.max_plies // 2):
        actions = batch.random_actions()
        for i in range(3):
            state = batch.states[i]
            # Called from Python, a compiled kernel returns a Python integer for a uint64.
            word = np.uint64(mix64(np.uint64(decision_seed(state["seed"], state["ply"]))))
            assert actions[i] == game.kernels["random_action"](state, word), f"game {i}"
        batch.step(actions)


def check_batch_equals_single(setting: Setting, seed: int = 0) -> None:
    """A batch plays like single environments, even across the ends of games."""
    game, count = setting.game, 3
    for form in game.observation_forms:
        made = {"observation": form, "reward": "score_change", **setting.options}
        batch = BatchEnv(game, count, setting.num_players, **made)
        singles = [TurnBasedEnv(game, setting.num_players, **made) for _ in range(count)]
        batch.reset(seed)
        for i, env in enumerate(singles):
            env.reset(seed=seed + i)
        # Each environment plays past the end of one game, in flat form past the end of two.
        wanted = 2 if form == "flat" else 1
        ended = np.zeros(count, np.int64)
        for _ in range(wanted * game.max_plies + 1):
            if (ended >= wanted).all() and not batch.terminated.any():
                break
            actions = batch.random_actions()
            batch.step(actions)
            for i, env in enumerate(singles):
                env.step(int(actions[i]))
                ended[i] += _compare(batch, env, i)
        assert (ended >= wanted).all(), f"games that ended in each environment: {ended}"


def _compare(batch: BatchEnv, env: TurnBasedEnv, i: int) -> bool:
    """Compare environment ``i`` with a single one, after a step; return whether a game ended."""
    rewards = [env.rewards[agent] for agent in env.possible_agents]
    agent = env.agent_selection
    over = env.terminations[agent] or env.truncations[agent]
    assert batch.rewards[i].tolist() == rewards, f"rewards {batch.rewards[i]}, not {rewards}"
    assert batch.terminated[i] == env.terminations[agent], f"terminated {batch.terminated[i]}"
    assert batch.truncated[i] == env.truncations[agent], f"truncated {batch.truncated[i]}"
    if over:
        results = list(env.results().values())
        assert batch.scores[i].tolist() == [score for score, _ in results], "final scores"
        assert batch.ranks[i].tolist() == [rank for _, rank in results], "final ranks"
        env.reset()
    seen = env.observe(env.agent_selection)
    assert batch.to_play[i] == env.possible_agents.index(env.agent_selection), "to_play"
    assert np.array_equal(batch.observations[i], seen["observation"]), "observations"
    assert np.array_equal(batch.action_masks[i], seen["action_mask"]), "masks"
    assert batch.state_digest(i) == env.state_digest(), "states"
    return over


def check_threads(setting: Setting, seed: int = 0) -> None:
    """The games and outputs don't depend on the number of threads."""
    least, interfaces.LEAST_SLICE = interfaces.LEAST_SLICE, 0
    try:
        _check_threads(setting, seed)
    finally:
        interfaces.LEAST_SLICE = least


def _check_threads(setting: Setting, seed: int) -> None:
    counts = (1, 2, 5)
    batches = [
        BatchEnv(setting.game, 7, setting.num_players, num_threads=count, **setting.options)
        for count in counts
    ]
    for batch in batches:
        batch.reset(seed)
    outputs = (
        "observations",
        "action_masks",
        "to_play",
        "rewards",
        "terminated",
        "scores",
        "ranks",
    )
    for _ in range(min(60, 2 * setting.game.max_plies)):
        actions = batches[0].random_actions()
        for batch, count in zip(batches, counts, strict=True):
            batch.step(actions)
            for name in outputs:
                same = np.array_equal(getattr(batch, name), getattr(batches[0], name))
                assert same, f"{name} differ with {count} threads"
    assert len({batch.state_digest() for batch in batches}) == 1, "states differ"


def check_illegal_actions(setting: Setting, seed: int = 0) -> None:
    """``illegal`` works as documented: raises, loses the game, or costs a penalty."""
    game = setting.game
    for states, rule in itertools.product(unfinished(setting, seed, games=1), ILLEGAL):
        mask = game.legal_mask(states)
        if mask.all():
            continue
        action = int(np.flatnonzero(mask == 0)[0])
        batch = BatchEnv(
            game,
            1,
            setting.num_players,
            illegal=rule,
            illegal_reward=-3.0,
            autoreset=False,
            **setting.options,
        )
        batch.set_state(states)
        mover, before = int(states["to_play"][0]), batch.state_digest()
        if rule == "raise":
            _assert_refused(partial(batch.step, np.array([action])), f"{action}")
        else:
            batch.step(np.array([action]))
        if rule == "lose":
            assert batch.terminated[0] and batch.states["forfeit"][0] == mover, "nobody lost"
            assert batch.rewards[0, mover] == -1.0, f"the loser gets {batch.rewards[0]}"
            assert batch.ranks[0, mover] == max(setting.num_players, 2), f"ranks {batch.ranks[0]}"
            continue
        assert batch.state_digest() == before, f"illegal={rule!r} changed the game"
        penalty = -3.0 if rule == "penalty" else 0.0
        expected = [penalty if seat == mover else 0.0 for seat in setting.seats]
        assert batch.rewards[0].tolist() == expected, f"illegal={rule!r} pays {batch.rewards[0]}"


GAME_CHECKS = (
    check_header,
    check_setup,
    check_copies,
    check_legality,
    check_out_of_bounds,
    check_random_action,
    check_codec,
    check_observations,
    check_schema,
    check_looking_is_pure,
    check_determinize,
    check_hidden_varies,
    check_chance_is_hidden,
    check_words_and_pictures_hide,
    check_evaluation_hides,
    check_evaluation_remembers,
    check_returns,
    check_categories,
    check_rewards,
    check_playouts,
    check_random_actions,
    check_batch_equals_single,
    check_threads,
    check_illegal_actions,
)


def check_game(game: Game, seed: int = 0) -> None:
    """Run all checks of this module in every setting of ``game``.

    Raises:
        AssertionError: for the first check that fails, with an explanation.
    """
    for setting, check in itertools.product(settings(game), GAME_CHECKS):
        try:
            check(setting, seed)
        except AssertionError as error:
            raise AssertionError(f"{setting}, {check.__name__}: {error}") from error
