"""Train the baselines: ``python -m ludotheque.agents.baselines [GAME [PLAYERS]]``.

Each is trained with its row of ``RECIPES``, evaluated on deals that weren't used in training, and
written to the package with its card. A run's folder is ``runs/baselines/GAME-PLAYERS``; a stopped
run is resumed. Two parts can be added to an existing baseline: ``--curve`` adds the evaluations in
that folder to its card, and ``--beliefs`` makes it learn beliefs, from games against itself.
"""

from __future__ import annotations

import argparse
import json
import platform
from pathlib import Path
from typing import Any

from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.settings import Settings

from ..td.agent import TDAgent
from ..td.belief_learner import learn_beliefs
from ..td.model import ValueModel, read_value_model, save_value_model
from ..td.trainer import CONFIGS, train_td
from ..training.common import EVALUATIONS
from ..training.evaluation import ALONE, evaluate
from . import baseline_path

# (game, players) → method, and settings other than the defaults.
RECIPES: dict[tuple[str, int], tuple[str, dict[str, Any]]] = {
    ("sarena", 2): ("td", {"minutes": 6, "reuse": 6.0, "eval_every": 60_000}),
    ("saga", 2): ("policy", {"minutes": 12, "eval_every": 250_000}),
    ("harmonies", 2): ("policy", {"minutes": 10, "eval_every": 60_000}),
    ("shamans", 3): ("policy", {"minutes": 9, "eval_every": 400_000, "eval_games": 600}),
    ("harmonies", 1): ("policy", {"minutes": 3, "eval_every": 60_000}),
    ("sagani", 1): ("policy", {"minutes": 7.5, "eval_every": 60_000}),
    ("saga", 3): ("policy", {"minutes": 6, "eval_every": 150_000}),
    ("saga", 4): ("policy", {"minutes": 6, "eval_every": 150_000}),
    ("shamans", 4): ("policy", {"minutes": 5, "eval_every": 400_000}),
    ("shamans", 5): ("policy", {"minutes": 5, "eval_every": 400_000}),
    ("sarena", 3): ("td", {"minutes": 2, "reuse": 6.0, "eval_every": 200_000}),
    ("sarena", 4): ("td", {"minutes": 2, "reuse": 6.0, "eval_every": 200_000}),
    ("sagani", 2): ("td", {"minutes": 12, "reuse": 3.0, "eval_every": 400_000, "eval_games": 600}),
    ("sagani", 3): ("td", {"minutes": 2.5, "reuse": 3.0, "eval_every": 200_000}),
    ("sagani", 4): ("td", {"minutes": 2.5, "reuse": 3.0, "eval_every": 200_000}),
    ("harmonies", 3): ("policy", {"minutes": 3, "eval_every": 60_000}),
    ("harmonies", 4): ("policy", {"minutes": 3, "eval_every": 60_000}),
}
# Number of games to learn beliefs from, for baselines whose search they make stronger.
BELIEF_GAMES = {"sarena": 6000}
# The same for other baselines, on request.
MORE_GAMES = 1500
COMMON: dict[str, Any] = {"seed": 1, "eval_opponents": ("greedy",), "eval_games": 300}
# Deals of the card's table, not used in training.
CARD_SEED = 10**9
CARD_GAMES = 600


def make(game: str, players: int) -> None:
    """Train, evaluate and write one baseline."""
    method, settings = RECIPES[game, players]
    folder = run_folder(game, players)
    resume = (folder / "config.json").is_file()
    config = CONFIGS[method](
        game=game,
        num_players=players,
        out=folder,
        resume=resume,
        progress=True,
        **{**COMMON, **settings},
    )
    result = train_td(config)
    if result.interrupted:
        raise SystemExit(f"stopped; the same command goes on with {folder}")
    write(game, players, result.best_path or result.model_path, result.seconds)


def run_folder(game: str, players: int) -> Path:
    """Return the folder of the run that trains a baseline."""
    return Path("runs") / "baselines" / f"{game}-{players}"


def write(game: str, players: int, trained: Path, seconds: float) -> None:
    """Evaluate a model and write it to the package with its card."""
    method, settings = RECIPES[game, players]
    found = get_game(game)
    model = read_value_model(trained, found)
    card = {
        "command": f"python -m ludotheque.agents.baselines {game} {players}",
        "method": method,
        "settings": {**COMMON, **settings},
        "minutes": round(seconds / 60, 1),
        "machine": platform.processor() or platform.machine(),
        "against": measure(model, players),
        "curve": read_curve(game, players),
    }
    path = baseline_path(found, players)
    save_value_model(ValueModel({**model.about, "card": card}, model.arrays), path, half=True)
    print(path, path.stat().st_size, "bytes", card["against"])
    if game in BELIEF_GAMES and players > 1:
        add_beliefs(game, players)


def read_curve(game: str, players: int) -> list[dict[str, Any]]:
    """Return the evaluations of a baseline's run in the format of ``read_evaluations``."""
    lines = (run_folder(game, players) / EVALUATIONS).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def add_curve(game: str, players: int) -> None:
    """Add the evaluations of a baseline's run to its card.

    Raises:
        FileNotFoundError: the run's folder doesn't exist.
    """
    found = get_game(game)
    path = baseline_path(found, players)
    model = read_value_model(path, found)
    card = {**model.about["card"], "curve": read_curve(game, players)}
    save_value_model(ValueModel({**model.about, "card": card}, model.arrays), path, half=True)
    print(path, len(card["curve"]), "evaluations")


def add_beliefs(game: str, players: int) -> None:
    """Let a baseline learn beliefs, and write it again.

    Raises:
        ValueError: the game has no hidden facts.
    """
    found = get_game(game)
    path = baseline_path(found, players)
    model = read_value_model(path, found)
    learned = learn_beliefs(model, found, BELIEF_GAMES.get(game, MORE_GAMES), COMMON["seed"])
    save_value_model(learned, path, half=True)
    print(path, path.stat().st_size, "bytes", learned.about["beliefs"])


def measure(model: ValueModel, players: int) -> dict[str, Any]:
    """Return the model's results against greedy agents, or solo, on new deals."""
    game = model.about["game"]
    agent = TDAgent(game, model)
    opponent = ALONE if players == 1 else "greedy"
    found = evaluate(agent, opponent, Settings(game, players), CARD_GAMES, CARD_SEED)
    names = ("opponent", "games", "wins", "draws", "low", "high", "score")
    return {name: getattr(found, name) for name in names}


def main() -> None:
    """Train the requested baselines or all of them, or update their cards."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", choices=sorted({game for game, _ in RECIPES}))
    parser.add_argument("players", nargs="?", type=int)
    parser.add_argument("--curve", action="store_true", help="only add the run's evaluations")
    parser.add_argument("--beliefs", action="store_true", help="only learn beliefs")
    asked = parser.parse_args()
    parts = [add_curve] * asked.curve + [add_beliefs] * asked.beliefs
    for game, players in RECIPES:
        if asked.game in (None, game) and asked.players in (None, players):
            for part in parts or [make]:
                if part is not add_beliefs or game == asked.game or game in BELIEF_GAMES:
                    part(game, players)


if __name__ == "__main__":
    main()
