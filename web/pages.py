"""Excerpts of the games' pages, for players."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from ludotheque.envs.core.game import Game


def rules_of(game: Game) -> list[str]:
    """Return the summary of the rules on a game's page: the introduction, then how to play."""
    parts = re.split(r"^## ", page_of(game), flags=re.MULTILINE)
    first = [block for block in parts[0].split("\n\n") if block[:1] not in "#!<|`"]
    short = next((part for part in parts if part.startswith("In short\n")), "")
    items = re.findall(r"^- (.+(?:\n  .+)*)", short, flags=re.MULTILINE)
    return [plain(text) for text in (*first[:1], *items)]


def plain(text: str) -> str:
    """Return a piece of a page without Markdown, in one line."""
    return re.sub(r"[*`]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split())))


def page_of(game: Game) -> str:
    """Return a game's page, or an empty text if it has none."""
    path = folder_of(game) / "README.md"
    return path.read_text("utf-8") if path.is_file() else ""


def folder_of(game: Game) -> Path:
    """Return the folder of a game's package."""
    return Path(str(import_module(game.home).__file__)).parent
