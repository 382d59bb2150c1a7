"""The tables of a server: who may sit where, and what may be played. Independent of the network."""

from __future__ import annotations

import functools
import hmac
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.arguments import fresh_seed
from ludotheque.envs.core.errors import LudothequeError, check_choice
from ludotheque.envs.core.game import Game

from .pages import rules_of
from .table import PERSON, Table

# Replaces the seat in a spectator's link.
WATCHER = None
ME = "you"
MOST_TABLES = 200
TOKEN_BYTES = 24
# In addition to the baselines and the agents named on the command line: pages can't name files.
USUAL_AGENTS = ("greedy", "mcts", "mcts:simulations=1000", "random")
SETTINGS = {"game", "players", "seats", "options", "explain"}


@dataclass
class Room:
    """A table with a secret for each seat.

    Attributes:
        name: its name in links; not secret.
        tokens: the secrets of the people's seats, and of spectators if only agents play.
        used: time of the last request, in seconds of ``time.monotonic``.
        on_change: called after each action; returns a problem that people should know, or nothing.
        desk: the server's data about the room.
    """

    table: Table
    tokens: dict[int | None, str]
    name: str = field(default_factory=lambda: secrets.token_hex(4))
    used: float = field(default_factory=time.monotonic)
    on_change: Callable[[Table], str] = lambda table: ""
    desk: Any = None

    def link(self, seat: int | None) -> str:
        """Return the part after ``#`` in the link of a seat, which browsers don't send anywhere."""
        return f"{self.name}.{self.tokens[seat]}"


class Lobby:
    """All tables of a server.

    Args:
        agents: specs that may be chosen in addition to the default ones, for every game they fit.

    Attributes:
        key: the secret that allows starting tables.
    """

    def __init__(self, agents: tuple[str, ...] = ()):
        self.key = secrets.token_urlsafe(TOKEN_BYTES)
        self._agents = agents
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()  # tables are added in several threads

    def add(self, table: Table, first: int | None = WATCHER) -> Room:
        """Add a table with tokens; the least recently used one may be dropped.

        Args:
            first: the seat whose token comes first; if only agents play, the seat that spectators
                see.
        """
        seats: list[int | None] = [*sorted(table.people, key=lambda seat: seat != first)]
        seats = seats or [first]
        room = Room(table, {seat: secrets.token_urlsafe(TOKEN_BYTES) for seat in seats})
        with self._lock:
            while len(self._rooms) >= MOST_TABLES:
                del self._rooms[min(self._rooms.values(), key=lambda other: other.used).name]
            self._rooms[room.name] = room
        return room

    def find(self, link: str) -> tuple[Room, int | None]:
        """Return the room and the seat of a link's secret.

        Raises:
            ValueError: the secret is unknown.
        """
        name, _, token = link.partition(".")
        room = self._rooms.get(name)
        # Takes the same time whatever is wrong with it.
        tokens = {} if room is None else room.tokens
        given = token.encode("utf-8", "replace")
        found = [seat for seat, own in tokens.items() if hmac.compare_digest(own.encode(), given)]
        if room is None or not found:
            raise ValueError("this link belongs to no table here: the table may have expired")
        room.used = time.monotonic()
        return room, found[0]

    def is_key(self, key: str) -> bool:
        """Return whether this is the secret that allows starting tables."""
        return hmac.compare_digest(self.key.encode(), key.encode("utf-8", "replace"))

    def begin(self, wanted: Any) -> Room:
        """Start the table requested by a start page.

        Args:
            wanted: ``game``; ``players``; ``seats``, a list of ``"you"``, ``"person"`` or an
                agent's spec; ``options`` by name; ``explain``.

        Raises:
            ValueError: the request is invalid; the message says what is allowed.
        """
        if not isinstance(wanted, Mapping) or set(wanted) != SETTINGS:
            raise ValueError(f"the settings of a table are: {', '.join(sorted(SETTINGS))}")
        check_choice(wanted["game"], game_names(), "game")
        game = get_game(wanted["game"])
        check_choice(wanted["players"], game.player_counts, f"players of {game.name}")
        specs = self._specs(game, wanted["players"], wanted["seats"])
        options = wanted["options"]
        if not isinstance(options, Mapping):
            raise ValueError("options must be given by name")
        try:
            agents = {seat: _agent(spec, game.name) for seat, spec in specs.items()}
            table = Table(game, fresh_seed(), wanted["players"], options, specs, agents)
        except (LudothequeError, TypeError) as error:
            raise ValueError(str(error)) from error
        table.explain = wanted["explain"] is True
        return self.add(table)

    def _specs(self, game: Game, players: int, seats: Any) -> dict[int, str]:
        known = (ME, PERSON, *self.agents_for(game, players))
        if not isinstance(seats, list) or len(seats) != players:
            raise ValueError(f"seats says for each of {players} players who sits there")
        for seat in seats:
            check_choice(seat, known, "who sits at a seat")
        return {k: seat for k, seat in enumerate(seats) if seat not in (ME, PERSON)}

    def agents_for(self, game: Game, players: int) -> list[str]:
        """Return the agents that can be chosen, the most likely opponent first."""
        from ludotheque.agents.baselines import baseline_counts

        learned = ["baseline"] if players in baseline_counts(game) else []
        return [*learned, *(spec for spec in (*self._agents, *USUAL_AGENTS) if spec not in learned)]

    def games(self) -> list[dict[str, Any]]:
        """Return the contents of the start page: games with players, options, agents and rules."""
        return [self._offer(get_game(name)) for name in game_names()]

    def _offer(self, game: Game) -> dict[str, Any]:
        options = [
            {
                "name": option.name,
                "choices": option.choices,
                "default": option.default,
                "meaning": option.meaning,
            }
            for option in game.options
        ]
        return {
            "name": game.name,
            "title": game.title,
            "players": game.player_counts,
            "usual": game.usual_players,
            "options": [option for option in options if len(option["choices"]) > 1],
            "agents": {str(n): self.agents_for(game, n) for n in game.player_counts},
            "rules": rules_of(game),
        }


@functools.cache
def _agent(spec: str, game: str) -> Any:
    """Return an agent, created once for all tables."""
    from ludotheque.agents import make_agent

    return make_agent(spec, game=game)
