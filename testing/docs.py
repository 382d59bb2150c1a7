"""The generated tables of a game's page.

    python -m ludotheque.testing.docs --write     write the tables of every page
    python -m ludotheque.testing.docs --check     compare only

A page is ``README.md`` in the game's folder. Each table stands between two markers::

    <!-- begin actions -->
    <!-- end actions -->
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path

from ludotheque.agents.baselines import baseline_counts, baseline_path, variants_of
from ludotheque.agents.td.model import read_value_model
from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.files import atomic_write_text
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.interfaces.registry import GAMES, NAMESPACE
from ludotheque.envs.core.interfaces.settings import Rendering
from ludotheque.envs.core.loops import ILLEGAL
from ludotheque.envs.core.rewards import REWARDS
from ludotheque.envs.core.state import HISTORY

REWARD_MEANINGS = {
    "rank": "at the end, evenly spaced by rank from +1 (first) to −1 (last); ties share",
    "win": "at the end, the winners share +1 and the others share −1; 0 if everybody wins",
    "score": "at the end, the score",
    "margin": "at the end, the score minus the best other score",
    "score_change": "at every ply, the change of the score",
}
ILLEGAL_MEANINGS = {
    "raise": "raises `IllegalActionError`; nothing changes",
    "lose": (
        "ends the game: the seat is last, the others share the first place; if rewards are "
        "scores, the seat gets `illegal_reward`"
    ),
    "penalty": (
        "costs `illegal_reward`; nothing else changes and the seat acts again; a learner's game "
        "against agents is truncated after 1,000 in a row"
    ),
}
ACTION_COLUMNS = 6
# Options of `ludotheque bench methods` that the pictures of learning curves were made with.
CURVES = {
    "sarena": {"minutes": "2"},
    "sagani": {"minutes": "3"},
    "harmonies": {"minutes": "2", "opponent": "mcts:simulations=50"},
    "saga": {"minutes": "4"},
    "shamans": {"minutes": "3"},
}


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def _code(values) -> str:
    return ", ".join(f"`{value!r}`" for value in values)


def summary(game: Game) -> Iterator[str]:
    """The most important names and sizes."""
    title = GAMES[game.name][0]
    rows = [
        ["Players", ", ".join(map(str, game.player_counts))],
        ["PettingZoo", f'`pettingzoo.make("aec", "{NAMESPACE}/{game.name}-v{game.version}")`'],
        ["Gymnasium", f'`gymnasium.make("{NAMESPACE}/{title}-v{game.version}")`'],
        ["Batch", f'`ludotheque.envs.make_batch("{game.name}", num_envs=1024)`'],
        ["Actions", f"`Discrete({game.num_actions})`"],
        ["Longest game", f"{game.max_plies} actions"],
    ]
    for form in game.observation_forms:
        shape = game.observation_shape(form)
        rows.append([f"Observation `{form}`", f"`{game.observation_dtype}` `{shape}`"])
    rows.append(["Action mask", f"`int8` `({game.num_actions},)`"])
    return _table(["", ""], rows)


def options(game: Game) -> Iterator[str]:
    """The variants of the game, and the arguments common to all games."""
    rows = [[f"`{o.name}`", _code(o.choices), f"`{o.default!r}`", o.meaning] for o in game.options]
    counts = game.player_counts
    rows += [
        ["`num_players`", _code(counts), f"`{game.usual_players}`", "number of players"],
        ["`observation`", _code(game.observation_forms), "`'flat'`", "form of the observations"],
        [
            "`history`",
            f"0 to {HISTORY}",
            "`0`",
            "number of recent public actions to include",
        ],
        ["`reward`", _code(REWARDS), f"`{REWARDS[0]!r}`", "see [Rewards](#rewards)"],
        ["`illegal`", _code(ILLEGAL), f"`{ILLEGAL[0]!r}`", "effect of an illegal action"],
        ["`illegal_reward`", "a number", "`-1.0`", "reward for it, see [Rewards](#rewards)"],
        ["`render_mode`", _code(Rendering.MODES), "`None`", "rendering (not for batches)"],
    ]
    return _table(["Argument", "Choices", "Default", "Meaning"], rows)


def rewards(game: Game) -> Iterator[str]:
    """The reward options and what an illegal action does."""
    yield from _table(["`reward`", "Reward"], [[f"`{r}`", REWARD_MEANINGS[r]] for r in REWARDS])
    yield ""
    rows = [[f"`{rule}`", ILLEGAL_MEANINGS[rule]] for rule in ILLEGAL]
    yield from _table(["`illegal`", "Effect of an illegal action"], rows)


def actions(game: Game) -> Iterator[str]:
    """Every action: its number and notation."""
    yield f"`decode_action(0)` is `{game.decode_action(0)}`, in notation `{_name(game, 0)}`."
    yield ""
    cells = [f"{number} `{_name(game, number)}`" for number in range(game.num_actions)]
    cells += [""] * (-len(cells) % ACTION_COLUMNS)
    rows = [cells[k : k + ACTION_COLUMNS] for k in range(0, len(cells), ACTION_COLUMNS)]
    yield from _table([""] * ACTION_COLUMNS, rows)


def _name(game: Game, action: int) -> str:
    return game.action_to_string(action, None)


def observation(game: Game, form: str) -> Iterator[str]:
    """The fields of one observation form, in order."""
    rows, start = [], 0
    for field in game.observation_schema(form):
        if form == "planes":
            first, last = start, start + field.shape[0] - 1
            where = str(first) if first == last else f"{first}–{last}"
            start += field.shape[0]
        else:
            where = str(start) if field.size == 1 else f"{start}–{start + field.size - 1}"
            start += field.size
        shape = " × ".join(map(str, field.shape))
        seen = "everybody" if field.visible_to == "all" else "the seat only"
        rows.append(
            [where, f"`{field.name}`", shape, f"{field.low}–{field.high}", field.meaning, seen]
        )
    place = "Planes" if form == "planes" else "Index"
    return _table([place, "Field", "Shape", "Range", "Meaning", "Known to"], rows)


def baselines(game: Game) -> Iterator[str]:
    """The results of the included trained agents, from their cards."""
    shipped = [(n, one) for n in baseline_counts(game) for one in variants_of(game, n)]
    rows = []
    for players, variant in shipped:
        about = read_value_model(baseline_path(game, players, variant), game).about
        card, found = about["card"], about["card"]["against"]
        share = found["wins"] / found["games"]
        told = f"{share:.0%} ({found['low']:.0%}–{found['high']:.0%}) of {found['games']}"
        if players == 1:
            told = f"goal reached in {told}"
        decisions = f"{about['steps'] / 1e6:.1f} million"
        trained = [f"`{about['method']}`", f"{card['minutes']:g} minutes, {decisions} decisions"]
        options = "".join(f", `{name}={value}`" for name, value in variant.options.items())
        rows.append([f"{players}{options}", *trained, told, f"{found['score']:.1f}"])
    against = "Wins against `greedy` in all other seats (95 %)"
    yield from _table(["Players", "Method", "Trained", against, "Mean points"], rows)
    if (page_path(game).parents[2] / "docs" / f"curves-{game.name}.png").is_file():
        yield ""
        how = CURVES[game.name]
        options = "".join(f" --{name} {value}" for name, value in how.items())
        each = f"each trained for {how['minutes']} minutes on one core"
        yield f"Learning curves of all methods, {each}, with 95 % intervals"
        yield f"(`ludotheque bench methods --game {game.name}{options}`):"
        yield ""
        yield f"![Wins by decisions and by minutes](../../docs/curves-{game.name}.png)"
    yield ""
    page = "../../docs/learning.md"
    yield "[What else was tried](#experiments), with other methods and settings;"
    yield f"[what a best response wins]({page}#exploitability) against the baseline."


def ladder(game: Game) -> Iterator[str]:
    """The rungs of the game's ladders and their ratings."""
    from ludotheque.agents.ladder import ladder_path, read_ladder  # needs the extra "cli"

    counts = [n for n in game.player_counts if ladder_path(game, n).is_file()]
    if not counts:
        yield "None has been measured yet."
        return
    ladders = [read_ladder(game, n) for n in counts]
    names = dict.fromkeys(name for one in ladders for name in reversed([*one.rungs]))
    rows = []
    for name in names:
        ratings = [one.rungs.get(name) for one in ladders]
        told = [f"{r.mu:.1f} ± {2 * r.sigma:.1f}" if r else "" for r in ratings]
        rows.append([f"`{name}`", *told])
    yield from _table(["Rung", *(f"{n} players" for n in counts)], rows)


def sections(game: Game) -> dict[str, str]:
    """Return the Markdown of every generated section, by the name in its markers."""
    made: dict[str, Callable[[], Iterator[str]]] = {
        "summary": lambda: summary(game),
        "options": lambda: options(game),
        "rewards": lambda: rewards(game),
        "actions": lambda: actions(game),
    }
    for form in game.observation_forms:
        made[f"observation {form}"] = partial(observation, game, form)
    if baseline_counts(game):
        made["baselines"] = partial(baselines, game)
        made["ladder"] = partial(ladder, game)
    return {name: "\n".join(lines()) for name, lines in made.items()}


def page_path(game: Game) -> Path:
    """Return the path of the page of ``game``: ``README.md`` in its package."""
    package = import_module(f"ludotheque.envs.{game.name}")
    return Path(str(package.__file__)).parent / "README.md"


def filled(game: Game, page: str) -> str:
    """Return ``page`` with all generated sections updated.

    Raises:
        ValueError: a section's markers are missing or out of order.
    """
    for name, text in sections(game).items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
            raise ValueError(
                f"the page of {game.name} needs these two lines, once and in this order, where "
                f"its section {name!r} belongs:\n{begin}\n{end}"
            )
        before, after = page[: page.index(begin) + len(begin)], page[page.index(end) :]
        page = f"{before}\n{text}\n{after}"
    return page


def skeleton(game: Game) -> str:
    """Return a page with only a title and the generated sections."""
    parts = [f"# {game.title}"]
    for name, text in sections(game).items():
        heading = name.capitalize()
        parts.append(f"## {heading}\n\n<!-- begin {name} -->\n{text}\n<!-- end {name} -->")
    return "\n\n".join(parts) + "\n"


def difference(game: Game) -> str:
    """Return a unified diff of what is out of date on the page of ``game``, or ""."""
    path = page_path(game)
    page = path.read_text(encoding="utf-8")
    lines = difflib.unified_diff(
        page.splitlines(),
        filled(game, page).splitlines(),
        str(path),
        "as it should be",
        lineterm="",
    )
    return "\n".join(lines)


def write(game: Game) -> Path:
    """Write the generated sections of the page of ``game``, creating the page if necessary."""
    path = page_path(game)
    page = filled(game, path.read_text(encoding="utf-8")) if path.exists() else skeleton(game)
    atomic_write_text(path, page)
    return path


def main(arguments: list[str] | None = None) -> int:
    """Write or check the pages; return 1 if a page is out of date."""
    parser = argparse.ArgumentParser(
        prog="python -m ludotheque.testing.docs", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--game", choices=game_names(), help="one game (default: all)")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", action="store_true", help="write the tables")
    what.add_argument("--check", action="store_true", help="compare only")
    args = parser.parse_args(arguments)
    status = 0
    for name in [args.game] if args.game else game_names():
        if args.write:
            print(write(get_game(name)))
        elif changes := difference(get_game(name)):
            print(changes)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
