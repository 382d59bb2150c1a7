"""The board in a browser: tables over HTTP and WebSocket. Needs the extra [web].

A page opens a WebSocket and sends the secret of its link. From then on it receives what that seat
may see, and its requests are executed by `Guest`, which is independent of the network. Nothing else
has any effect. Hosts and origins are checked, so that no other page can act for a person; the size
and rate of messages are limited; no path on the disk can be named.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import os
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from socket import gethostname
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.loading import parse_json

from .guest import CHANGES, THOUGHTS, Guest, Refused, check_message
from .lobby import Lobby, Room
from .pages import folder_of

STATIC = Path(__file__).with_name("static")
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".png": "image/png"}
PAGES = {"/": "start.html", "/table": "table.html"}
LOOPBACK = ("localhost", "127.0.0.1", "::1")
MOST_BYTES = 4096  # maximum size of a message or a request
MOST_QUEUED = 64  # maximum number of messages that a page may lag behind
MOST_PAGES = 16  # maximum per seat, so that nobody keeps the others out
# Messages that a page may send at once, and per second; errors after which it is disconnected.
BURST, PER_SECOND, MOST_ERRORS = 100.0, 50.0, 200
SECONDS_TO_SIT = 10
MOST_THREADS = 8  # for what isn't an agent's thought
TOO_BIG, NOT_ALLOWED = 1009, 1008
log = logging.getLogger(__name__)


class Page:
    """An open page: its connection, its outgoing messages and its rate limit."""

    def __init__(self, socket: WebSocket, guest: Guest):
        self.guest = guest
        self._socket = socket
        self._queue: asyncio.Queue[str] = asyncio.Queue(MOST_QUEUED)
        self._credit, self._at = BURST, time.monotonic()
        self.errors = 0
        self.listener: asyncio.Task | None = None

    def tell(self, messages: Iterable[Any]) -> None:
        """Send messages; a page that can't keep up is disconnected, and reconnects on its own."""
        for message in messages:
            if self._queue.full():
                if self.listener is not None:
                    self.listener.cancel()
                return
            # As text, which takes less memory while it waits.
            self._queue.put_nowait(json.dumps(message))

    def refuse(self, text: str) -> None:
        """Report why a request was refused."""
        self.errors += 1
        self.tell([{"kind": "error", "text": text}])

    def may_ask(self) -> bool:
        """Return whether another message may be read now, and count the message."""
        now = time.monotonic()
        self._credit = min(BURST, self._credit + PER_SECOND * (now - self._at))
        self._at = now
        if self._credit < 1:
            return False
        self._credit -= 1
        return True

    async def pump(self) -> None:
        """Send pending messages, forever."""
        while True:
            await self._socket.send_text(await self._queue.get())


class Desk:
    """A room with open pages."""

    def __init__(self, room: Room):
        self.room = room
        self.pages: set[Page] = set()
        # The seats of the pages' links, whatever they show; also of pages that are being opened.
        self.places: list[int | None] = []
        self.lock = asyncio.Lock()  # serialises changes of the table

    @property
    def thinks(self) -> bool:
        """Whether people are waiting for an agent's move."""
        table = self.room.table
        return self.lock.locked() and bool(table.people) and table.agent_is_next

    @property
    def keeps_secrets(self) -> bool:
        """Whether people may not know who decides: an agent, or another person."""
        table = self.room.table
        return len(table.people) > 1 and table.game.hides_action is not None


class Server:
    """Tables in browsers; ``app`` is the application to run.

    Args:
        lobby: the tables.
        hosts: host names that it accepts; None accepts any IP address, and this machine's names.
    """

    def __init__(self, lobby: Lobby, hosts: tuple[str, ...] | None = LOOPBACK):
        self.lobby = lobby
        self._tasks: set[asyncio.Task] = set()
        self._limiter: anyio.CapacityLimiter | None = None
        self._thinking: anyio.CapacityLimiter | None = None
        files = _files()
        # Read once: connections that are slow to read a file share it.
        routes = [
            Route(path, partial(_send_file, file.read_bytes(), TYPES[file.suffix]))
            for path, file in files.items()
        ]
        routes += [
            Route("/games", self._games),
            Route("/tables", self._begin, methods=["POST"]),
        ]
        self.app: ASGIApp = Guard(
            Starlette(routes=[*routes, WebSocketRoute("/play", self._play)]), hosts
        )

    # The start page

    async def _games(self, request: Request) -> Response:
        return JSONResponse(await self._aside(self.lobby.games))

    async def _begin(self, request: Request) -> Response:
        try:
            wanted = await _body_of(request)
            key = wanted.pop("key", None)
            if not isinstance(key, str) or not self.lobby.is_key(key):
                return _error("only someone with the link of the server can start tables", 403)
            room = await self._aside(self.lobby.begin, wanted)
        except (ValueError, Refused) as error:
            return _error(str(error), 400)
        except ClientDisconnect:
            return _error("the request was broken off", 400)
        links = [{"seat": seat, "link": room.link(seat)} for seat in room.tokens]
        return JSONResponse({"links": links})

    # Tables

    async def _play(self, socket: WebSocket) -> None:
        await socket.accept()
        try:
            desk, seat = await self._seat_of(socket)
        except (Refused, ValueError, TimeoutError) as error:
            with contextlib.suppress(WebSocketDisconnect):  # it disconnected before the answer
                told = {"kind": "error", "text": str(error), "end": True}
                await socket.send_text(json.dumps(told))
                await socket.close(NOT_ALLOWED)
            return
        except WebSocketDisconnect:
            return
        desk.places.append(seat)
        try:
            # Aside: it waits for whatever is happening at the table.
            page = Page(socket, await self._aside(Guest, desk.room.table, seat))
            await self._show(socket, desk, page)
        except (WebSocketDisconnect, asyncio.CancelledError):
            # The page has disconnected, or it can't keep up.
            pass
        finally:
            desk.places.remove(seat)

    async def _show(self, socket: WebSocket, desk: Desk, page: Page) -> None:
        page.listener = asyncio.current_task()
        pump = asyncio.ensure_future(page.pump())
        try:
            page.tell(await self._aside(page.guest.hello))
            desk.pages.add(page)
            self._go_on(desk)
            await self._listen(socket, desk, page)
        finally:
            pump.cancel()
            desk.pages.discard(page)

    async def _seat_of(self, socket: WebSocket) -> tuple[Desk, int | None]:
        async with asyncio.timeout(SECONDS_TO_SIT):
            asked = _parse(await _text_of(socket))
        link = asked.get("link") if isinstance(asked, dict) else None
        if not isinstance(link, str):
            raise Refused("the first message must be the link of a seat")
        room, seat = self.lobby.find(link)
        # One desk per room: with two, agents would play twice.
        desk = room.desk = room.desk or Desk(room)
        if desk.places.count(seat) >= MOST_PAGES:
            raise Refused(f"{MOST_PAGES} pages of this seat are open: close one")
        return desk, seat

    async def _listen(self, socket: WebSocket, desk: Desk, page: Page) -> None:
        while page.errors < MOST_ERRORS:
            try:
                text = await _text_of(socket)
                if not page.may_ask():
                    raise Refused("too many messages: wait a moment")
                await self._answer(desk, page, check_message(_parse(text)))
            except Refused as error:
                page.refuse(str(error))
        await socket.close(NOT_ALLOWED)

    async def _answer(self, desk: Desk, page: Page, message: dict[str, Any]) -> None:
        desk.room.used = time.monotonic()
        answer = partial(
            self._think if message["do"] in THOUGHTS else self._aside, page.guest.ask, message
        )
        if message["do"] not in CHANGES:
            page.tell(await answer())
            return
        if desk.thinks:
            if not desk.keeps_secrets:
                raise Refused("an agent is thinking: wait for its move")
            # Nobody is told that an agent is asked: the answer is the one when a person is.
            page.tell(await answer())
        else:
            async with desk.lock:
                page.tell(await answer())
        self._go_on(desk)

    def _go_on(self, desk: Desk) -> None:
        """Send news to everybody, and let agents play as long as it is their turn."""
        task = asyncio.ensure_future(self._play_on(desk))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _play_on(self, desk: Desk) -> None:
        table = desk.room.table
        async with desk.lock:
            try:
                await self._spread(desk)
                # Spectators of agents request each move.
                while table.people and table.agent_is_next:
                    await self._think(table.agent_acts)
                    await self._spread(desk)
            except Exception:
                log.exception("an agent could not play")
                for page in desk.pages:
                    page.refuse("the agent failed; see the terminal of the server")

    async def _spread(self, desk: Desk) -> None:
        problem = await self._aside(desk.room.on_change, desk.room.table)
        for page in [*desk.pages]:
            page.tell(await self._aside(page.guest.news))
            if problem:
                page.tell([{"kind": "error", "text": problem}])

    async def _aside(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run a slow function in a thread."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(MOST_THREADS)
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._limiter)

    async def _think(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run what an agent thinks in a thread, as many at a time as there are cores.

        Thoughts may take minutes; they have threads of their own, so that pages don't wait for
        them.
        """
        if self._thinking is None:
            self._thinking = anyio.CapacityLimiter(max(2, os.cpu_count() or 1))
        return await anyio.to_thread.run_sync(work, *arguments, limiter=self._thinking)


class Guard:
    """Accepts only requests to this server's names, and writes only from its own pages.

    A page of another site whose name is made to resolve to this machine (DNS rebinding) uses that
    name; one that sends requests here directly has its own origin.
    """

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] | None):
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        reads = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if not self._is_ours(host):
            refusal = "this server does not have that name"
        elif not reads and not _is_origin(headers.get("origin", ""), host):
            refusal = "this request came from a page of another site"
        else:
            await self._app(scope, receive, partial(_with_headers, send, host))
            return
        # A WebSocket that was not accepted is answered like a request.
        if scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(NOT_ALLOWED)
        else:
            await _error(refusal, 403)(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        with contextlib.suppress(ValueError):
            name = urlsplit(f"//{host}").hostname or ""
            if self._hosts is not None:
                return name in self._hosts
            # Unlike a name, an address can't be redirected to another machine.
            with contextlib.suppress(ValueError):
                return bool(ipaddress.ip_address(name))
            return name in ("localhost", gethostname().lower())
        return False


def _is_origin(origin: str, host: str) -> bool:
    """Return whether an origin is that of the pages of ``host``."""
    with contextlib.suppress(ValueError):  # it isn't an address
        return urlsplit(origin).netloc == host
    return False


async def _with_headers(send: Send, host: str, message: Message) -> None:
    if message["type"] == "http.response.start":
        policy = (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
            f"img-src 'self' data:; connect-src 'self' ws://{host} wss://{host}; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        message["headers"] += [
            (b"content-security-policy", policy.encode("latin-1")),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
            (b"cache-control", b"no-cache"),
        ]
    await send(message)


def _files() -> dict[str, Path]:
    """Return all files that can be requested, by address."""
    files = {path: STATIC / name for path, name in PAGES.items()}
    files |= {f"/{path.name}": path for path in STATIC.iterdir() if path.suffix in (".js", ".css")}
    for name in game_names():
        picture = folder_of(get_game(name)) / "picture.png"
        if picture.is_file():
            files[f"/{name}.png"] = picture
    return files


async def _send_file(contents: bytes, media_type: str, request: Request) -> Response:
    return Response(contents, media_type=media_type)


def _error(text: str, status: int) -> Response:
    return JSONResponse({"error": text}, status_code=status)


async def _body_of(request: Request) -> dict[str, Any]:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise ValueError(f"requests are limited to {MOST_BYTES} bytes")
    found = _parse(body.decode("utf-8", "replace"))
    if not isinstance(found, dict):
        raise ValueError("a request must be an object")
    return found


async def _text_of(socket: WebSocket) -> str:
    """Return the next message.

    Raises:
        Refused: it isn't text.
        WebSocketDisconnect: there are no more.
    """
    message = await socket.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message["code"], message.get("reason"))
    text = message.get("text")
    if text is None:
        raise Refused("a message must be text")
    return text


def _parse(text: str) -> Any:
    """Return the contents of a message.

    Raises:
        Refused: it is too long, or isn't JSON.
    """
    if len(text) > MOST_BYTES:
        raise Refused(f"messages are limited to {MOST_BYTES} characters")
    try:
        return parse_json(text)
    except ValueError as error:
        raise Refused("a message must be JSON") from error
