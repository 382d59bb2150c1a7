"""The games for OpenSpiel: ``pyspiel`` games written in Python on the kernels.

OpenSpiel is not a dependency: ``pip install "ludotheque[bench]"`` or ``open_spiel``. Importing this
package registers every game for two or more players::

    import ludotheque.openspiel
    import pyspiel

    game = pyspiel.load_game("ludotheque_sarena(players=3,deals=1000)")

Parameters: ``players``; ``deals``, the number of deals; ``reward``, ``"rank"`` or ``"win"``
(zero-sum, from -1 to 1); and the game's own options with a list of choices.

**Chance** is a single node at the root with ``deals`` equally likely outcomes: outcome k is the
game with seed k, which determines all later draws. Chance is therefore explicit; to enumerate all
deals, choose a small number.

**Information states** are digests of everything a seat has seen, in order: its observations and the
public actions, whenever they change, and its own actions. Hidden actions of others leave no trace,
not even of the fact that something was done. ``State.resample_from_infostate`` resamples what a
seat can't know, as ISMCTS requires. The observation tensor is the flat observation; there is no
information-state tensor.
"""

from __future__ import annotations

from .games import register

__all__ = ["register"]
