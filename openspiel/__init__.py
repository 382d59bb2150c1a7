"""The games for OpenSpiel: ``pyspiel`` games written in Python on the kernels.

OpenSpiel isn't among the dependencies: ``pip install "ludotheque[bench]"`` or ``open_spiel``.
Importing this registers a game for each of ours that two or more can play::

    import ludotheque.openspiel
    import pyspiel

    game = pyspiel.load_game("ludotheque_sarena(players=3,deals=1000)")

Parameters: ``players``; ``deals``, how many deals there are; ``reward``, ``"rank"`` or ``"win"``
(zero-sum, from -1 to 1); and the game's own options that are chosen from a list.

**Chance** is one node at the root, with ``deals`` outcomes as likely as each other: outcome k is
the game of seed k, and everything that is drawn later follows from it. So chance is explicit, and
whoever wants to look at every deal gives a small number.

**Information states** are a digest of all that a seat has seen, in order: its observation and what
everybody is told of, whenever that changes, and its own actions. What others do unseen leaves
nothing, not even that something was done. ``State.resample_from_infostate`` draws anew what a seat
can't know, which is what ISMCTS asks for. The observation tensor is the flat observation; there is
no information-state tensor.
"""

from __future__ import annotations

from .games import register

__all__ = ["register"]
