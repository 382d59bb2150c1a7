"""Recorded games as text: any change of a game's behaviour shows up as a diff.

    python -m ludotheque.testing.playthrough                 write all games' files
    python -m ludotheque.testing.playthrough --game sarena --out tests/playthroughs/sarena.txt
    python -m ludotheque.testing.playthrough --told          write the annotated ones
    python -m ludotheque.testing.playthrough --check         compare only

One game is recorded in full: every state, the legal actions by name, what the seat to act observes
field by field, rewards and results. Other settings have one line per game. The actions are
determined by each game's seed, so the text is the same on every machine.

Another file contains an annotated game between greedy agents, for people who know the game.
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ludotheque.agents import make_agent
from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.files import atomic_write_text
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.aec import TurnBasedEnv
from ludotheque.envs.core.interfaces.batch import BatchEnv
from ludotheque.envs.core.interfaces.seats import query_agent
from ludotheque.envs.core.interfaces.settings import Settings
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.envs.core.schema import Field, slices

from .contract import Setting, is_over, settings

FOLDER = Path("tests") / "playthroughs"
TOLD = FOLDER / "told"
WIDTH = 100
# Seeds of the short records of every setting.
SHORT_SEEDS = (3, 4, 5)
# Number of actions between the tables in an annotated game.
TABLE_EVERY = 30
# From this ply on, only a game's actions and its end are recorded.
FULL_PLIES = 60
# Minimum length of a run of equal numbers that is written as one, with its count.
SHORTEST_RUN = 4


def playthrough(game: Game, num_players: int | None = None, seed: int = 0) -> str:
    """Return the text of a game, ending in a newline.

    Args:
        game: the game.
        num_players: of the game recorded in full; None means the second largest count if there is a
            choice.
        seed: of that game.
    """
    counts = game.player_counts
    if num_players is None:
        num_players = counts[max(0, len(counts) - 2)]
    options = {option.name: option.default for option in game.options}
    setting = Setting(game, num_players, options)
    lines = [*_heading(setting, seed), *_full_game(setting, seed), *_short_games(game)]
    return "\n".join(lines) + "\n"


def told(game: Game, num_players: int | None = None, seed: int = 0) -> str:
    """Return an annotated game between greedy agents, ending in a newline.

    It has a line per action: its name, its consequences (if the game's ``text`` module has
    ``remarks``) and changes of points, and shows the table from time to time.
    """
    counts = game.player_counts
    num_players = num_players or counts[max(0, len(counts) - 2)]
    settings = Settings(game, num_players)
    agent, states = make_agent("greedy", game), game.new_state(seed, num_players)
    lines = [
        f"A game of {game.title} for {num_players}, told: greedy agents, seed {seed}",
        "Written by: python -m ludotheque.testing.playthrough --told",
        *_table(game, states),
    ]
    while not is_over(states):
        before, points = states[0].copy(), game.returns(states)[0]
        action = int(query_agent(agent, settings, states)[0])
        game.step(states, action)
        said = [*game.remarks(before, states[0]), *_changes(points, game.returns(states)[0])]
        what = f"{before['ply'] + 1:4} player_{before['to_play']}: "
        what += game.action_to_string(action, before)
        lines.extend(_wrap(what + (" -" if said else ""), "; ".join(said)))
        if states["ply"][0] % TABLE_EVERY == 0 or is_over(states):
            lines.extend(_table(game, states))
    return "\n".join([*lines, *_results(game, states)]) + "\n"


def _table(game: Game, states: np.ndarray) -> Iterator[str]:
    yield ""
    yield from (line.rstrip() for line in game.describe(states[0]).splitlines())
    yield ""


def _changes(before: np.ndarray, after: np.ndarray) -> Iterator[str]:
    for seat in np.flatnonzero(before != after).tolist():
        yield f"player_{seat} {after[seat] - before[seat]:+.6g} to {after[seat]:.6g}"


def _heading(setting: Setting, seed: int) -> Iterator[str]:
    game = setting.game
    yield f"{game.title} ({game.name}_v{game.version})"
    yield "Written by: python -m ludotheque.testing.playthrough"
    yield ""
    yield f"player counts: {', '.join(map(str, game.player_counts))}"
    yield f"actions: {game.num_actions}, at most {game.max_plies} a game"
    for option in game.options:
        yield f"option {option.name}: {', '.join(map(repr, option.choices))}"
    for form in game.observation_forms:
        shape = "x".join(map(str, game.observation_shape(form)))
        yield f"observation {form}: {game.observation_dtype} {shape}"
    yield ""
    chosen = "".join(f", {name} {value!r}" for name, value in setting.options.items())
    yield f"The game: {setting.num_players} players, seed {seed}{chosen}"


def _full_game(setting: Setting, seed: int) -> Iterator[str]:
    game = setting.game
    envs = {
        reward: TurnBasedEnv(game, setting.num_players, reward=reward, **setting.options)
        for reward in REWARDS
    }
    for env in envs.values():
        env.reset(seed=seed)
    env = envs[REWARDS[0]]
    states = env.get_state()["states"]
    while not is_over(states):
        if states["ply"][0] < FULL_PLIES:
            yield from _position(game, states)
        action = _random_action(game, states)
        yield ""
        yield f"{env.agent_selection} plays {action} {game.action_to_string(action, states[0])}"
        for reward, each in envs.items():
            each.step(action)
            if any(each.rewards.values()):
                yield f"reward {reward}: {_numbers(each.rewards.values())}"
        states = env.get_state()["states"]
    yield from _position(game, states)
    yield from _results(game, states)


def _random_action(game: Game, states: np.ndarray) -> int:
    actions = np.zeros(1, np.int64)
    game.loops.random_actions(states, 0, 1, actions)
    return int(actions[0])


def _position(game: Game, states: np.ndarray) -> Iterator[str]:
    state = states[0]
    yield ""
    yield f"---- ply {state['ply']} " + "-" * 60
    yield ""
    yield from (line.rstrip() for line in game.describe(state).splitlines())
    yield ""
    for name in game.dtype.names or ():
        yield from _wrap(f"state {name}:", _runs(np.atleast_1d(state[name]).ravel()))
    texts = game.legal_actions_text(states)
    yield from _wrap(f"legal ({len(texts)}):", " ".join(texts))
    yield from _seen(game, states)


def _seen(game: Game, states: np.ndarray) -> Iterator[str]:
    """Yield the observation of the seat to act, field by field; other seats as checksums."""
    to_play = int(states["to_play"][0])
    numbers = game.observe(states, to_play).ravel()
    parts = slices(game.observation_schema())
    for field in game.observation_schema():
        yield from _field(field, numbers[parts[field.name]])
    for form in game.observation_forms:
        for seat in range(int(states["num_players"][0])):
            seen = game.observe(states, seat, form=form).ravel()
            sums = (f"{name} {_checksum(seen[part])}" for name, part in _parts(game, form))
            yield from _wrap(f"seat {seat} {form}:", ", ".join(sums))


def _parts(game: Game, form: str) -> list[tuple[str, slice]]:
    return list(slices(game.observation_schema(form)).items())


def _checksum(numbers: np.ndarray) -> str:
    return f"{zlib.crc32(np.ascontiguousarray(numbers, dtype='<i8').tobytes()):08x}"


def _field(field: Field, numbers: np.ndarray) -> Iterator[str]:
    """Yield a field's numbers: a grid as its non-zero places, anything else in full."""
    if len(field.shape) < 3:
        yield from _wrap(f"sees {field.name}:", _runs(numbers))
        return
    for plane, values in enumerate(numbers.reshape(field.shape[0], -1)):
        places = np.flatnonzero(values)
        shown = (f"{p}" if values[p] == 1 else f"{p}:{values[p]}" for p in places)
        yield from _wrap(f"sees {field.name}[{plane}]:", " ".join(shown))


def _results(game: Game, states: np.ndarray) -> Iterator[str]:
    scores, ranks = game.returns(states)
    yield ""
    yield f"scores: {_numbers(scores)}"
    yield f"ranks: {_numbers(ranks)}"
    yield f"digest: {game.digest(states)}"


def _short_games(game: Game) -> Iterator[str]:
    """Yield one line per game for every setting: length, results and digest."""
    yield ""
    yield "---- every setting " + "-" * 55
    for setting in settings(game):
        yield ""
        yield f"{setting}"
        for seed in SHORT_SEEDS:
            states = _play_to_end(setting, seed)
            scores, ranks = game.returns(states)
            yield (
                f"seed {seed}: {states['ply'][0]} actions, scores {_numbers(scores)}, "
                f"ranks {_numbers(ranks)}, digest {game.digest(states)[:16]}"
            )


def _play_to_end(setting: Setting, seed: int) -> np.ndarray:
    batch = BatchEnv(setting.game, 1, setting.num_players, autoreset=False, **setting.options)
    batch.reset(seed)
    while not is_over(batch.states):
        batch.step(batch.random_actions())
    return batch.get_state()


def _numbers(values) -> str:
    """Return numbers as text, the same on every machine."""
    return " ".join(
        f"{float(v):.6g}" if isinstance(v, (float, np.floating)) else str(int(v)) for v in values
    )


def _runs(values) -> str:
    """Return numbers as text, with runs of equal numbers written once: ``0*40``."""
    words = []
    for text, equal in itertools.groupby(_numbers(values).split()):
        count = len(list(equal))
        words += [text] * count if count < SHORTEST_RUN else [f"{text}*{count}"]
    return " ".join(words)


def _wrap(label: str, text: str) -> Iterator[str]:
    """Wrap a long line at spaces; the following lines are indented."""
    line = label
    for word in text.split(" "):
        if len(line) + 1 + len(word) > WIDTH and line != label:
            yield line
            line = "   "
        line += f" {word}" if word else ""
    yield line


def difference(recorded: str, fresh: str, name: str = "playthrough") -> str:
    """Return a unified diff of two texts; empty if they are equal."""
    lines = difflib.unified_diff(
        recorded.splitlines(),
        fresh.splitlines(),
        f"{name} (recorded)",
        f"{name} (now)",
        lineterm="",
    )
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the recorded games; return 1 if a check finds a difference."""
    parser = argparse.ArgumentParser(
        prog="python -m ludotheque.testing.playthrough", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--game", choices=game_names(), help="one game (default: all)")
    parser.add_argument("--out", type=Path, help=f"file to write (default: {FOLDER}/GAME.txt)")
    parser.add_argument("--players", type=int, help="players in the game recorded in full")
    parser.add_argument("--seed", type=int, default=0, help="seed of that game (default: 0)")
    parser.add_argument("--told", action="store_true", help="the annotated games")
    parser.add_argument("--check", action="store_true", help="compare with the file; write nothing")
    args = parser.parse_args(arguments)
    if args.out and not args.game:
        parser.error("--out names one file: say which game with --game")
    names = [args.game] if args.game else game_names()
    return max(_write_or_check(name, args) for name in names)


def _write_or_check(name: str, args: argparse.Namespace) -> int:
    path = args.out or (TOLD if args.told else FOLDER) / f"{name}.txt"
    write = told if args.told else playthrough
    fresh = write(get_game(name), args.players, args.seed)
    if not args.check:
        atomic_write_text(path, fresh)
        print(f"{path}: {len(fresh.splitlines())} lines")
        return 0
    changes = difference(path.read_text(encoding="utf-8"), fresh, str(path))
    print(changes or f"{path}: no difference")
    return 1 if changes else 0


if __name__ == "__main__":
    sys.exit(main())
