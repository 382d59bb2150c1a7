"""The options of Sagani, and where kernels read them."""

from __future__ import annotations

from ..core.arguments import Option
from .components import CANVASES, MAX_CANVAS

OPTIONS = (
    Option(
        "solo",
        ("classic", "advanced"),
        "classic",
        "solo game: stop at 75 points, or place all 72 tiles; unused with several players",
    ),
    Option(
        "alignments",
        ("auto", "choice"),
        "auto",
        "discs move onto arrows as soon as they can, or each move is a decision",
    ),
    Option(
        "canvas",
        CANVASES,
        MAX_CANVAS,
        "side length of the square that a player's tiles must fit in",
    ),
)
# Indices into the `options` of a kernel; options[0] is the number of players in every game.
OPTION_SOLO, OPTION_ALIGNMENTS, OPTION_CANVAS = range(1, 1 + len(OPTIONS))
