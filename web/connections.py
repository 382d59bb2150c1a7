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
# Of one address: enough for a whole club behind one router, and places are left for others.
MOST_OF_AN_ADDRESS = 750
SECONDS_TO_ASK = 10
SECONDS_TO_READ = 60  # what was sent; the largest picture needs 7 kB/s
# A message that is too long is answered up to this size; a longer one ends the connection.
LONGEST = 4 * MOST_BYTES
# What a page may send at once, and per second; a click takes a hundred bytes.
BURST_BYTES, BYTES_PER_SECOND = LONGEST + MOST_BYTES, LONGEST


class Reader(asyncio.Protocol):
    """One end of a connection that is cut off if the other end doesn't read what it is sent.

    No more is written before all that was sent has been read.
    """

    seconds_to_read: float = SECONDS_TO_READ
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hear of every byte that has to wait."""
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(0)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Wait for the other end to read. Closing would wait too, without a limit."""
        super().pause_writing()
        self._deadline = self.loop.call_later(self.seconds_to_read, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: everything has been read."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().resume_writing()


class Connection(Reader, H11Protocol):
    """A connection that is closed if the rest of a request doesn't come.

    Open ones count towards the limits, whether they ask for something or not.
    """

    seconds_to_ask: float = SECONDS_TO_ASK

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request, if the address has a place left."""
        super().connection_made(transport)
        self._wait()
        address = _address_of(self)
        if sum(_address_of(other) == address for other in self.connections) > MOST_OF_AN_ADDRESS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._waiting.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Read requests, but none whose response would have to wait for the one before."""
        if self.flow.write_paused:
            self.flow.pause_reading()
        else:
            super().handle_events()

    def resume_writing(self) -> None:
        """Read the next request."""
        super().resume_writing()
        self.loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        if self.transport.get_protocol() is self and not self.transport.is_closing():
            self.flow.resume_reading()
            self.handle_events()

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


class Socket(Reader, WebSocketsSansIOProtocol):
    """A WebSocket that is closed if it receives more than a page sends.

    Pings, pongs and empty fragments are no messages, so the table doesn't see and count them. A
    ping is answered at once: who doesn't read the answers may send no more than a burst.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._left, self._counted_at = float(BURST_BYTES), self.loop.time()

    def data_received(self, data: bytes) -> None:
        """Read frames within the limits."""
        now = self.loop.time()
        earned = (now - self._counted_at) * BYTES_PER_SECOND * self.writable.is_set()
        self._left = min(self._left + earned, BURST_BYTES) - len(data)
        self._counted_at = now
        if self._left < 0:
            self.transport.abort()
        else:
            super().data_received(data)


def _address_of(protocol: Any) -> str | None:
    return protocol.client and protocol.client[0]


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
