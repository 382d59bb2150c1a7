"""The components of Shamans as constant arrays (from the two JSON files beside this file).

``components.json`` contains facts from the rulebook. ``reconstructed.json`` contains what no source
confirms: the rituals of most worlds and the start of the track.

Worlds: 0 violet, 1 blue, 2 green, 3 yellow, 4 orange, 5 brown (4 players), 6 red (5 players). The
card of world w and value v, from 1 to 8, is number 8 * w + v - 1; a set of cards is an int64 with
bit k for card k, so each world is a byte of it.

Artefact tiles by kind: 0 dagger, 1 portal, 2 shard, 3 mask; 4 is the Eclipse. Camps: 0 Shaman,
1 Shadow. Rituals: 0 stabilisation, 1 permutation, 2 illumination, 3 neutralisation.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

_HERE = Path(__file__).parent
_BOX = json.loads((_HERE / "components.json").read_text(encoding="utf-8"))
_GUESS = json.loads((_HERE / "reconstructed.json").read_text(encoding="utf-8"))

PLAYER_COUNTS: tuple[int, ...] = tuple(_BOX["players"])
MAX_PLAYERS = max(PLAYER_COUNTS)
FEWEST_PLAYERS = min(PLAYER_COUNTS)
NOBODY = -1

# Cards.
WORLDS: tuple[str, ...] = tuple(_BOX["worlds"])
NUM_WORLDS = len(WORLDS)
VALUES: int = _BOX["values"]
NUM_CARDS = NUM_WORLDS * VALUES
NO_CARD = -1
NO_WORLD = -1


def _by_players(key: str) -> np.ndarray:
    """Return a number of the setup for each player count, 0 for impossible ones."""
    setups = {int(count): setup[key] for count, setup in _BOX["setup"].items()}
    return np.array([setups.get(count, 0) for count in range(MAX_PLAYERS + 1)], dtype=np.int64)


WORLDS_IN_PLAY = _by_players("worlds")
VALUES_IN_PLAY = _by_players("values")
HAND_SIZE = _by_players("hand")
SHADOWS_IN_PLAY = _by_players("shadows")
# All cards of one world, as the bits of a byte; all cards of the game, as many such bytes.
WHOLE_WORLD = (1 << VALUES_IN_PLAY) - 1
DECK = WHOLE_WORLD * (((1 << VALUES * WORLDS_IN_PLAY) - 1) // ((1 << VALUES) - 1))
MAX_HAND = int(HAND_SIZE.max())
# WORLD_OF[card], VALUE_OF[card]: the parts of a card's number.
WORLD_OF = np.arange(NUM_CARDS, dtype=np.int64) // VALUES
VALUE_OF = np.arange(NUM_CARDS, dtype=np.int64) % VALUES + 1

# Artefacts.
TILES: tuple[str, ...] = tuple(_BOX["artefacts"])
NUM_TILES = len(TILES)
DAGGER, PORTAL, SHARD, MASK = range(NUM_TILES)
# A Mask is used when taken; the others can be kept.
NUM_HELD = MASK
ECLIPSE = NUM_TILES
NO_TILE = -1
TILES_IN_BOX = np.array([_BOX["artefacts"][tile] for tile in TILES], dtype=np.int64)
ARTEFACTS_IN_BOX = np.repeat(np.arange(NUM_TILES), TILES_IN_BOX)
NUM_ARTEFACTS = len(ARTEFACTS_IN_BOX)
FACE_UP: int = _BOX["face_up"]
# The tiles left after two artefacts are placed face up, and the Eclipse.
PILE_SIZE = NUM_ARTEFACTS - FACE_UP + 1
# The arrow of the Eclipse: the player to the left is the next one clockwise.
ARROWS = LEFT, RIGHT = 1, -1

# Roles and points.
CAMPS = ("shaman", "shadow")
SHAMAN, SHADOW = range(len(CAMPS))
POINTS_OF_CAMP = np.array([_BOX["points"][camp] for camp in CAMPS], dtype=np.int64)
POINTS_OF_SHARDS: int = _BOX["points"]["shards"]
SHARDS_THAT_SCORE: int = _BOX["shards_that_score"]
POINTS_OF_ILLUMINATION: int = _BOX["points"]["illumination"]
GOAL: int = _BOX["goal"]

# Rituals and track.
RITUALS: tuple[str, ...] = tuple(_BOX["rituals"])
STABILISATION, PERMUTATION, ILLUMINATION, NEUTRALISATION = range(len(RITUALS))
# How a card was played: it set the Destination, belonged to it, or to another world.
PLAYS = {"led": 2, "followed": 1, "strayed": -1}
LED, FOLLOWED, STRAYED = PLAYS.values()
# Other public deeds of players in a round.
DEEDS = (
    "step",  # of the pawn, by the player's cards: those played, and those set aside
    "retreat",  # the choice in a stabilisation
    "artefact",  # the other one
    "permutation",
    "illumination",
    "neutralisation",  # with or without an elimination
    "portal back",
    "portal on",
)
NUM_DEEDS = len(DEEDS)
(
    STEPPED,
    RETREATED,
    TOOK_ARTEFACT,
    PERMUTED,
    ILLUMINATED,
    NEUTRALISED,
    PORTAL_BACK,
    PORTAL_ON,
) = range(NUM_DEEDS)
STABILISATION_SQUARES: int = _BOX["stabilisation_squares"]
WORLD_RITUALS: dict[str, str] = {world: _GUESS["rituals"][world]["ritual"] for world in WORLDS}
TRACK_MOON: int = _GUESS["track"]["moon"]
TRACK_START: dict[int, int] = {
    int(count): start for count, start in _GUESS["track"]["start"].items()
}
# The longest track allowed.
MAX_TRACK = 100
