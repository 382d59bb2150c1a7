"""`ludotheque games`: list the games, with the sizes that a learner needs."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from .common import JsonOption, find_game, out, print_json

HEADINGS = ("game", "title", "players", "actions", "observation", "options, default first")


def games(as_json: JsonOption = False) -> None:
    """List the games with their players, options, numbers of actions and observation sizes."""
    from ludotheque.envs import game_names

    rows = [_facts(find_game(name)) for name in game_names()]
    if as_json:
        print_json(rows)
    else:
        out.print(_table(rows))


def _facts(game: Any) -> dict:
    return {
        "name": game.name,
        "title": game.title,
        "version": game.version,
        "players": [int(count) for count in game.player_counts],
        "actions": int(game.num_actions),
        "observations": {
            form: {
                "size": game.observation_size(form),
                "shape": list(game.observation_shape(form)),
            }
            for form in game.observation_forms
        },
        "options": [
            {
                "name": option.name,
                "choices": list(option.choices),
                "default": option.default,
                "takes_json": option.read is not None,
                "meaning": option.meaning,
            }
            for option in game.options
        ],
    }


def _table(rows: list[dict]) -> Table:
    table = Table(*HEADINGS)
    for column in table.columns:
        column.overflow = "fold"
    for row in rows:
        table.add_row(
            row["name"],
            f"{row['title']} v{row['version']}",
            ", ".join(map(str, row["players"])),
            str(row["actions"]),
            "\n".join(
                f"{form} {'×'.join(map(str, facts['shape']))}"
                for form, facts in row["observations"].items()
            ),
            "\n".join(_option(option) for option in row["options"]),
        )
    return table


def _option(option: dict) -> str:
    others = [choice for choice in option["choices"] if choice != option["default"]]
    values = [option["default"], *others, *(["or JSON"] if option["takes_json"] else [])]
    return f"{option['name']}: {', '.join(map(str, values))}"
