"""Train the baselines: ``python -m ludotheque.agents.baselines [GAME [PLAYERS [VARIANT]]]``.

Each is trained with its row of ``RECIPES``, evaluated on deals that weren't used in training, and
written to the package with its card. A run's folder is ``runs/baselines/GAME-PLAYERS``; a stopped
run is resumed. Some need a second run, from the best model of the first (``FINISH``). Two parts can
be added to an existing baseline: ``--curve`` adds the evaluations in those folders to its card, and
``--beliefs`` makes it learn beliefs, from games against itself.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from ludotheque.envs import get_game
from ludotheque.envs.core.game import Game
from ludotheque.envs.core.hardware import count_cores, processor_name
from ludotheque.envs.core.interfaces.settings import Settings

from ..td.agent import TDAgent
from ..td.belief_learner import learn_beliefs
from ..td.model import ValueModel, read_value_model, save_value_model
from ..td.trainer import CONFIGS, train_td
from ..training.common import BEST, CONFIG, EVALUATIONS, MODEL
from ..training.evaluation import ALONE, evaluate
from . import USUAL, Variant, baseline_path, variants_of

# (game, players, and for some a variant) → method, and settings other than the defaults.
Key = tuple[str, int] | tuple[str, int, str]
RECIPES: dict[Key, tuple[str, dict[str, Any]]] = {
    ("sarena", 2): ("td", {"minutes": 6, "reuse": 6.0, "eval_every": 60_000}),
    ("saga", 2): ("policy", {"minutes": 12, "eval_every": 250_000}),
    ("harmonies", 2): (
        "policy",
        {
            "minutes": 95,
            "rivalry": 0.0,
            "width": 96,
            "last_width": 48,
            "window": 300_000,
            "eval_every": 300_000,
            "eval_games": 600,
        },
    ),
    ("shamans", 3): ("policy", {"minutes": 9, "eval_every": 400_000, "eval_games": 600}),
    ("harmonies", 1): ("policy", {"minutes": 3, "eval_every": 60_000}),
    ("sagani", 1): ("policy", {"minutes": 7.5, "eval_every": 60_000}),
    ("sagani", 1, "advanced"): ("policy", {"minutes": 15, "eval_every": 100_000}),
    ("saga", 3): ("policy", {"minutes": 6, "eval_every": 150_000}),
    ("saga", 4): ("policy", {"minutes": 6, "eval_every": 150_000}),
    ("shamans", 4): ("policy", {"minutes": 5, "eval_every": 400_000}),
    ("shamans", 5): ("policy", {"minutes": 5, "eval_every": 400_000}),
    ("sarena", 3): ("td", {"minutes": 2, "reuse": 6.0, "eval_every": 200_000}),
    ("sarena", 4): ("td", {"minutes": 2, "reuse": 6.0, "eval_every": 200_000}),
    ("sagani", 2): (
        "td",
        {
            "minutes": 28,
            "reuse": 3.0,
            "width": 192,
            "last_width": 48,
            "window": 400_000,
            "eval_every": 800_000,
            "eval_games": 600,
        },
    ),
    ("sagani", 3): ("td", {"minutes": 2.5, "reuse": 3.0, "eval_every": 200_000}),
    ("sagani", 4): ("td", {"minutes": 2.5, "reuse": 3.0, "eval_every": 200_000}),
    **{
        ("harmonies", players): (
            "policy",
            {
                "minutes": 25,
                "rivalry": 0.0,
                "width": 96,
                "last_width": 48,
                "window": 300_000,
                "eval_every": 200_000,
            },
        )
        for players in (3, 4)
    },
}
# A second run that begins with the best model of the first, with smaller steps on more decisions.
# Its last model is the baseline: the evaluations are too close to each other to choose by.
FINISH: dict[Key, dict[str, Any]] = {
    ("shamans", 3): {
        "seed": 11,
        "minutes": 40,
        "learning_rate": 2e-4,
        "final_learning_rate": 1e-5,
        "averaging": 0.999,
        "piece_rows": 4096,
        "choice_batch": 2048,
        "window": 600_000,
        "snapshot_every": 400_000,
        "eval_every": 800_000,
        "eval_games": 1200,
    },
}
# Number of games to learn beliefs from, for baselines whose search they make stronger.
BELIEF_GAMES: dict[Key, int] = {
    **{("sarena", players): 6000 for players in (2, 3, 4)},
    ("shamans", 3): 1500,
}
# The same for other baselines, on request.
MORE_GAMES = 1500
# The included baselines were trained before there were points by category.
COMMON: dict[str, Any] = {
    "seed": 1,
    "eval_opponents": ("greedy",),
    "eval_games": 300,
    "category_weight": 0.0,
}
# Deals of the card's table, not used in training.
CARD_SEED = 10**9
CARD_GAMES = 600


class Recipe(NamedTuple):
    """What a baseline is trained from.

    Attributes:
        game, players, variant: what it plays.
        method, settings: how it is trained.
        finish: settings of a second run (see ``FINISH``), empty for none.
    """

    game: Game
    players: int
    variant: Variant
    method: str
    settings: dict[str, Any]
    finish: dict[str, Any]

    @property
    def path(self) -> Path:
        """The baseline's path."""
        return baseline_path(self.game, self.players, self.variant)

    @property
    def folder(self) -> Path:
        """The folder of the run that trains it."""
        return Path("runs") / "baselines" / self.path.stem

    @property
    def last_folder(self) -> Path:
        """The folder of the second run, if there is one."""
        return self.folder.with_name(f"{self.folder.name}-finish")

    @property
    def command(self) -> str:
        """The command that trains it."""
        words = [self.game.name, str(self.players), self.variant.name]
        return f"python -m ludotheque.agents.baselines {' '.join(filter(None, words))}"


def recipe_of(key: Key) -> Recipe:
    """Return a row of ``RECIPES``."""
    game, players, name = get_game(key[0]), key[1], key[2] if len(key) > 2 else USUAL.name
    (variant,) = (one for one in variants_of(game, players) if one.name == name)
    method, settings = RECIPES[key]
    finish = {**COMMON, **FINISH[key]} if key in FINISH else {}
    return Recipe(game, players, variant, method, {**COMMON, **settings}, finish)


def make(recipe: Recipe) -> None:
    """Train, evaluate and write one baseline."""
    _train(recipe, recipe.folder, recipe.settings)
    best = recipe.folder / BEST
    trained = best if best.is_file() else recipe.folder / MODEL
    if recipe.finish:
        _train(recipe, recipe.last_folder, {**recipe.finish, "start": str(trained)})
        trained = recipe.last_folder / MODEL
    write(recipe, trained)


def _train(recipe: Recipe, folder: Path, settings: dict[str, Any]) -> None:
    """Train in a folder, or resume there, unless that run is complete."""
    if _is_complete(recipe, folder, settings):
        return
    config = CONFIGS[recipe.method](
        game=recipe.game.name,
        num_players=recipe.players,
        options=dict(recipe.variant.options),
        out=folder,
        resume=(folder / CONFIG).is_file(),
        progress=True,
        **settings,
    )
    try:
        interrupted = train_td(config).interrupted
    except ValueError:
        # It had ended without its last model, which it has now.
        if not _is_complete(recipe, folder, settings):
            raise
        return
    if interrupted:
        raise SystemExit(f"stopped; the same command goes on with {folder}")


def _is_complete(recipe: Recipe, folder: Path, settings: dict[str, Any]) -> bool:
    """Return whether a run has been evaluated at its end, and its last model is that of then."""
    path, model = folder / EVALUATIONS, folder / MODEL
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if not lines or not model.is_file():
        return False
    last, limits = json.loads(lines[-1]), {"minutes": math.inf, "steps": math.inf, **settings}
    # Killed in its last save, a run has evaluations that its model is older than.
    if read_value_model(model, recipe.game).about["steps"] != last["steps"]:
        return False
    return last["seconds"] >= 60 * limits["minutes"] or last["steps"] >= limits["steps"]


def write(recipe: Recipe, trained: Path) -> None:
    """Evaluate a model and write it to the package with its card."""
    model = read_value_model(trained, recipe.game)
    curve = read_curve(recipe)
    card = {
        "command": recipe.command,
        "method": recipe.method,
        "settings": recipe.settings,
        **({"finish": recipe.finish} if recipe.finish else {}),
        "minutes": round(curve[-1]["seconds"] / 60, 1),
        "machine": f"{processor_name()}, {count_cores()} cores",
        "against": measure(model, recipe),
        "curve": curve,
    }
    path = recipe.path
    about = {**model.about, "card": card, "steps": curve[-1]["steps"]}
    save_value_model(ValueModel(about, model.arrays), path, half=True)
    print(path, path.stat().st_size, "bytes", card["against"])
    if (recipe.game.name, recipe.players) in BELIEF_GAMES:
        add_beliefs(recipe)


def read_curve(recipe: Recipe) -> list[dict[str, Any]]:
    """Return the evaluations of a baseline's runs in the format of ``read_evaluations``."""
    curve: list[dict[str, Any]] = []
    for folder in (recipe.folder, recipe.last_folder) if recipe.finish else (recipe.folder,):
        steps, seconds = (curve[-1]["steps"], curve[-1]["seconds"]) if curve else (0, 0.0)
        for line in (folder / EVALUATIONS).read_text(encoding="utf-8").splitlines():
            found = json.loads(line)
            found |= {"steps": found["steps"] + steps, "seconds": found["seconds"] + seconds}
            curve.append(found)
    return curve


def add_curve(recipe: Recipe) -> None:
    """Add the evaluations of a baseline's run to its card.

    Raises:
        FileNotFoundError: the run's folder doesn't exist.
    """
    path = recipe.path
    model = read_value_model(path, recipe.game)
    card = {**model.about["card"], "curve": read_curve(recipe)}
    save_value_model(ValueModel({**model.about, "card": card}, model.arrays), path, half=True)
    print(path, len(card["curve"]), "evaluations")


def add_beliefs(recipe: Recipe) -> None:
    """Let a baseline learn beliefs, and write it again.

    Raises:
        ValueError: the game has no hidden facts.
    """
    path, game = recipe.path, recipe.game
    model = read_value_model(path, game)
    games = BELIEF_GAMES.get((game.name, recipe.players), MORE_GAMES)
    learned = learn_beliefs(model, game, games, COMMON["seed"])
    save_value_model(learned, path, half=True)
    print(path, path.stat().st_size, "bytes", learned.about["beliefs"])


def measure(model: ValueModel, recipe: Recipe) -> dict[str, Any]:
    """Return the model's results against greedy agents, or solo, on new deals."""
    agent = TDAgent(recipe.game, model)
    opponent = ALONE if recipe.players == 1 else "greedy"
    settings = Settings(recipe.game, recipe.players, options=dict(recipe.variant.options))
    found = evaluate(agent, opponent, settings, CARD_GAMES, CARD_SEED)
    names = ("opponent", "games", "wins", "draws", "low", "high", "score")
    return {name: getattr(found, name) for name in names}


def main() -> None:
    """Train the requested baselines or all of them, or update their cards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", choices=sorted({key[0] for key in RECIPES}))
    parser.add_argument("players", nargs="?", type=int)
    parser.add_argument("variant", nargs="?")
    parser.add_argument("--curve", action="store_true", help="only add the run's evaluations")
    parser.add_argument("--beliefs", action="store_true", help="only learn beliefs")
    asked = parser.parse_args()
    parts = [add_curve] * asked.curve + [add_beliefs] * asked.beliefs
    for recipe in map(recipe_of, RECIPES):
        words = recipe.game.name, recipe.players, recipe.variant.name
        wanted = asked.game, asked.players, asked.variant
        if any(word not in (None, found) for word, found in zip(wanted, words, strict=True)):
            continue
        for part in parts or [make]:
            if part is not add_beliefs or asked.game or words[:2] in BELIEF_GAMES:
                part(recipe)


if __name__ == "__main__":
    main()
