"""Sàrèná, by Christophe Boelinger: stacks of two-faced discs and secret colours, 2 to 4 players."""

from __future__ import annotations

from ..core.assembly import assemble

GAME = assemble(__name__, "Sàrèná")
