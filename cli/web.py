"""Shared code of `play --web` and `watch --web`: a local server, and the tab that opens."""

from __future__ import annotations

import errno
import socket
import webbrowser
from threading import Thread
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from .common import FailedError, UserError, needs_extra

if TYPE_CHECKING:
    from ludotheque.web.lobby import Lobby, Room

USUAL_PORT = 8642
WebOption = Annotated[
    bool, typer.Option("--web", help="Show the game in a browser; needs the extra `web`.")
]
HostOption = Annotated[
    str,
    typer.Option(
        "--host",
        help="With --web: the address to listen on. By default only this machine can connect; "
        "0.0.0.0 opens it to the network.",
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=1,
        max=65535,
        help=f"With --web: the port; by default {USUAL_PORT}, or another if that is taken.",
    ),
]
BrowserOption = Annotated[
    bool, typer.Option("--browser/--no-browser", help="With --web: whether to open the tab.")
]
ExplainOption = Annotated[
    bool,
    typer.Option(
        "--explain",
        help="With --web: show what an agent would do in your place, and what the others thought "
        "when the game is over.",
    ),
]


class Where(NamedTuple):
    """Where to serve, and whether to open a tab here."""

    host: str
    port: int | None
    browser: bool


def new_lobby(agents: tuple[str, ...] = ()) -> Lobby:
    """Return a lobby; raise FailedError without the extra [web]."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
        import websockets  # noqa: F401
    except ModuleNotFoundError as error:
        raise needs_extra("web", error) from error
    from ludotheque.web.lobby import Lobby

    return Lobby(agents)


def serve(lobby: Lobby, room: Room | None, where: Where) -> None:
    """Serve tables until Ctrl-C, and open the first seat of ``room``, or the start page.

    Raises:
        FailedError: the port is taken.
        UserError: this machine doesn't have the address.
    """
    import uvicorn

    from ludotheque.web.connections import config_of
    from ludotheque.web.server import LOOPBACK, Server

    listening = _listen(where.host, where.port)
    address, port = listening.getsockname()[:2]
    alone = address in LOOPBACK
    shown = address if alone else _own_address(address)
    url = f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
    opened = _tell(lobby, room, url, alone)
    config = config_of(Server(lobby, LOOPBACK if alone else None).app)
    if where.browser:
        Thread(target=webbrowser.open, args=(opened,), daemon=True).start()
    uvicorn.Server(config).run(sockets=[listening])


def _listen(host: str, port: int | None) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port or USUAL_PORT, type=socket.SOCK_STREAM)
        family, *_, address = found[0]
        try:
            return socket.create_server(address[:2], family=family)
        except OSError as error:
            if port is not None or error.errno != errno.EADDRINUSE:
                raise
            return socket.create_server((address[0], 0), family=family)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise FailedError(f"port {port} is taken: choose another --port.") from error
        raise UserError(f"can't listen on {host}: {error.strerror or error}.") from error


def _own_address(address: str) -> str:
    """Return the address at which others reach this machine; nothing is sent to find it."""
    if address not in ("0.0.0.0", "::"):
        return address
    family = socket.AF_INET6 if address == "::" else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("fd00::1" if address == "::" else "10.255.255.255", 9))
            return asked.getsockname()[0]
        except OSError:
            return "::1" if address == "::" else "127.0.0.1"


def _tell(lobby: Lobby, room: Room | None, url: str, alone: bool) -> str:
    """Print the links for everybody; return the one to open here."""
    seats = [] if room is None else [*room.tokens]
    links = [f"{url}/table#{room.link(seat)}" for seat in seats] if room is not None else []
    opened = links[0] if links else f"{url}/#{lobby.key}"
    typer.echo(f"Open {opened}", err=True)
    for seat, link in list(zip(seats, links, strict=True))[1:]:
        typer.echo(f"player_{seat} opens {link}", err=True)
    if not alone:
        typer.echo(
            "Everybody who can reach this machine over the network can open these pages. Anyone "
            "with the link of a seat can play there; anyone with the link below can start games, "
            "which use this machine. Nothing is encrypted: use a network that you trust.\n"
            f"{url}/#{lobby.key}",
            err=True,
        )
    typer.echo("Press Ctrl-C to stop.", err=True)
    return opened
