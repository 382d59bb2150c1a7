"""How the server handles connections: limits that hold before a page has said anything."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from .server import MOST_BYTES

if TYPE_CHECKING:
    from starlette.types import ASGIApp

MOST_CONNECTIONS = 1000
SECONDS_TO_ASK = 10
# A message that is too long is answered up to this size; a longer one ends the connection.
LONGEST = 4 * MOST_BYTES
# What a page may send at once, and per second; a click takes a hundred bytes.
BURST_BYTES, BYTES_PER_SECOND = LONGEST + MOST_BYTES, LONGEST


class Connection(H11Protocol):
    """A connection that is closed if the rest of a request doesn't come.

    Open ones count towards the limit, whether they ask for something or not.
    """

    seconds_to_ask: float = SECONDS_TO_ASK

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._waiting.cancel()
        super().connection_lost(exc)

    def _wait(self) -> None:
        awaited = self._awaited()
        self._waiting = self.loop.call_later(self.seconds_to_ask, self._look_again, awaited)

    def _look_again(self, before: tuple[object, bool] | None) -> None:
        if self.transport.get_protocol() is not self:
            return  # it has become a WebSocket
        now = self._awaited()
        if now is not None and before is not None and now[0] is before[0] and now[1] == before[1]:
            self.transport.close()
        else:
            self._wait()

    def _awaited(self) -> tuple[object, bool] | None:
        """Return the request after which the next is awaited, or whose body is; None if neither."""
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            return cycle, False
        return (cycle, True) if cycle.more_body else None


class Socket(WebSocketsSansIOProtocol):
    """A WebSocket that is closed if it receives more than a page sends.

    Pings, pongs and empty fragments are no messages, so the table doesn't see and count them.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._left, self._counted_at = float(BURST_BYTES), self.loop.time()

    def data_received(self, data: bytes) -> None:
        """Read frames within the limits."""
        now = self.loop.time()
        earned = (now - self._counted_at) * BYTES_PER_SECOND
        self._left = min(self._left + earned, BURST_BYTES) - len(data)
        self._counted_at = now
        if self._left < 0:
            self.transport.close()
        else:
            super().data_received(data)


def config_of(app: ASGIApp, log_level: str = "warning") -> uvicorn.Config:
    """Return the configuration of a server of tables."""
    return uvicorn.Config(
        app,
        http=Connection,
        log_level=log_level,
        access_log=False,
        server_header=False,
        ws=Socket,
        ws_max_size=LONGEST,
        timeout_graceful_shutdown=1,
        limit_concurrency=MOST_CONNECTIONS,
    )
