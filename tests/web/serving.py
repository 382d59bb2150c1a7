"""Shared code of the board's tests: a real server in this process, and its clients."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the board in the browser needs the extra [web]")
uvicorn = pytest.importorskip("uvicorn", reason="the board in the browser needs the extra [web]")

from websockets.sync.client import ClientConnection, connect  # noqa: E402

from ludotheque.envs import get_game  # noqa: E402
from ludotheque.web.connections import config_of  # noqa: E402
from ludotheque.web.lobby import Lobby, Room  # noqa: E402
from ludotheque.web.server import LOOPBACK, Server  # noqa: E402
from ludotheque.web.table import Table  # noqa: E402

# A game may have to be compiled, on a busy machine.
PATIENCE_S = 120


class Served:
    """A running server, as started by the command.

    Attributes:
        lobby: its tables.
        url: its address.
        connections: the open ones.
    """

    def __init__(self, hosts: tuple[str, ...] | None = LOOPBACK, sent_ahead: int | None = None):
        """``sent_ahead`` is how much the system sends of what isn't read yet."""
        self.lobby = Lobby(agents=("random",))
        self._listening = socket.create_server(("127.0.0.1", 0))
        if sent_ahead is not None:
            self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, sent_ahead)
        self.host = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self.url = f"http://{self.host}"
        config = config_of(Server(self.lobby, hosts).app, log_level="error")
        self._server = uvicorn.Server(config)
        self.connections = self._server.server_state.connections
        self._thread = threading.Thread(target=self._server.run, args=([self._listening],))

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(20)
        assert not self._thread.is_alive()

    def room(self, game: str = "sarena", seed: int = 3, **specs: str) -> Room:
        """Start a table: ``p1="random"`` puts an agent there, other seats are people's."""
        rules = get_game(game)
        seats = {int(name[1:]): spec for name, spec in specs.items() if spec != "person"}
        players = max(2, rules.usual_players, 1 + max((int(n[1:]) for n in specs), default=0))
        return self.lobby.add(Table(rules, seed, players, {}, seats))

    def address(self, room: Room, seat: int | None = 0) -> str:
        """The address that a person opens."""
        return f"{self.url}/table#{room.link(seat)}"

    def ask(self, path: str, data: Any = None, **headers: str) -> tuple[int, Any]:
        """Send a request; return the status and the answer."""
        body = None if data is None else json.dumps(data).encode()
        sent = {"Host": self.host, "Origin": self.url, **headers}
        request = urllib.request.Request(self.url + path, body, sent)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    @contextlib.contextmanager
    def sit(self, link: str, **how: Any) -> Iterator[Seat]:
        """Open a connection and take a seat."""
        how = {"origin": self.url, "open_timeout": PATIENCE_S, "max_size": None, **how}
        with connect(f"ws://{self.host}/play", **how) as connection:
            seat = Seat(connection)
            seat.send({"link": link})
            yield seat


class Seat:
    """One end of a connection, with the last messages."""

    def __init__(self, connection: ClientConnection):
        self.connection = connection
        self.view: dict[str, Any] = {}

    def send(self, message: Any) -> None:
        """Send a message, as JSON unless it is text."""
        text = message if isinstance(message, str | bytes) else json.dumps(message)
        self.connection.send(text)

    def hear(self, kind: str) -> dict[str, Any]:
        """Return the next message of one kind."""
        while True:
            message = json.loads(self.connection.recv(timeout=PATIENCE_S))
            if message["kind"] == "view":
                self.view = message
            if message["kind"] == kind:
                return message

    def wait(self, until: str = "yours") -> dict[str, Any]:
        """Return the next view in which it is this seat's turn, or that is ``until``."""
        while not (self.view and (self.view[until] or self.view["over"])):
            self.hear("view")
        return self.view

    def act(self, action: int | None = None, **changed: Any) -> None:
        """Play an action, the first legal one if none is given."""
        view = self.view
        number = view["moves"][0][0] if action is None else action
        self.send(
            {"do": "act", "action": number, "frame": view["frame"], "age": view["age"]} | changed
        )
        self.view = {}

    def refused(self, message: Any) -> str:
        """Send something that must be refused; return the reason."""
        self.send(message)
        return self.hear("error")["text"]
