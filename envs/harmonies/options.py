"""The options of Harmonies, and where kernels read them."""

from __future__ import annotations

from ..core.arguments import Option
from .components import SIDES

OPTIONS = (
    Option("side", SIDES, "A", "side of the boards: A scores the longest river, B islands"),
    Option("spirits", (False, True), False, "play with Nature's Spirit cards"),
)
# Indices into the `options` of a kernel; options[0] is the number of players in every game.
OPTION_SIDE, OPTION_SPIRITS = range(1, 1 + len(OPTIONS))
