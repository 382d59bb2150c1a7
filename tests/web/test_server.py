"""The server: only a seat's own person plays, and no other message has any effect."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import socket
import sys
import threading
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from serving import PATIENCE_S, Served
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from ludotheque.agents.base import Agent
from ludotheque.agents.baselines import baseline_counts
from ludotheque.envs import game_names, get_game
from ludotheque.web import connections, server
from ludotheque.web import lobby as lobby_module
from ludotheque.web.connections import BURST_BYTES, BYTES_PER_SECOND, Connection, Reader, Socket
from ludotheque.web.lobby import Lobby
from ludotheque.web.pages import folder_of
from ludotheque.web.server import MOST_BYTES, MOST_ERRORS
from ludotheque.web.table import Table


@pytest.fixture(scope="module")
def served():
    with Served() as server:
        yield server


def begin(served: Served, **changed) -> tuple[int, dict]:
    wanted = {
        "key": served.lobby.key,
        "game": "sarena",
        "players": 2,
        "seats": ["you", "random"],
        "options": {},
        "explain": False,
    }
    status, body = served.ask("/tables", wanted | changed)
    return status, json.loads(body)


def digest(room) -> tuple:
    table = room.table
    return table.game.digest(table.states), len(table.actions), table.age


# Pages


def test_a_browser_finds_its_pages_and_every_game(served):
    for path in ("/", "/table", "/board.js", "/board.css", "/page.css", "/table.js", "/start.js"):
        assert served.ask(path)[0] == 200, path
    status, body = served.ask("/games")
    games = json.loads(body)
    assert status == 200 and [game["name"] for game in games] == list(game_names())
    for game in games:
        assert served.ask(f"/{game['name']}.png")[0] == 200
        assert game["rules"] and all(game["agents"][str(n)] for n in game["players"])
        for count in game["players"]:
            learned = count in baseline_counts(get_game(game["name"]))
            assert (game["agents"][str(count)][0] == "baseline") == learned


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml",
        "/..%2f..%2fpyproject.toml",
        "/%2e%2e/web/server.py",
        "//etc/passwd",
        "/static/board.js",
        "/server.py",
        "/sarena.png/../../README.md",
        "/table.html",
    ],
)
def test_no_path_of_the_disk_can_be_reached(served, path):
    assert served.ask(path)[0] in (400, 404)


def test_pages_run_no_script_of_others_and_stand_in_no_frame(served):
    with socket.create_connection(served.host.split(":")) as connection:
        request = f"GET / HTTP/1.1\r\nHost: {served.host}\r\nConnection: close\r\n\r\n"
        connection.sendall(request.encode())
        head = b"".join(iter(lambda: connection.recv(4096), b"")).split(b"\r\n\r\n")[0].decode()
    for wanted in ("script-src 'self'", "frame-ancestors 'none'", "nosniff", "no-referrer"):
        assert wanted in head


# Hosts and origins


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "192.168.1.7", "", "[::1"])
def test_a_name_that_is_not_ours_is_refused(served, host):
    assert served.ask("/games", Host=host)[0] in (400, 403)
    assert served.ask("/tables", {}, Host=host, Origin=f"http://{host}")[0] in (400, 403)


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://127.0.0.1:1", "http://["]
)
def test_another_site_can_not_write(served, origin):
    wanted = {"key": served.lobby.key}
    assert served.ask("/tables", wanted, Origin=origin)[0] == 403
    room = served.room(p1="random")
    with (
        pytest.raises(InvalidStatus) as refusal,
        served.sit(room.link(0), origin=origin or None),
    ):
        pass
    assert refusal.value.response.status_code == 403


def test_a_server_open_to_the_network_takes_addresses_but_no_foreign_names():
    with Served(hosts=None) as opened:
        port = opened.host.rpartition(":")[2]
        assert opened.ask("/games", Host=f"192.168.1.7:{port}")[0] == 200
        assert opened.ask("/games", Host=f"localhost:{port}")[0] == 200
        assert opened.ask("/games", Host=f"evil.example:{port}")[0] == 403


# Starting tables


def test_a_table_begins_with_a_link_for_every_person(served):
    status, answer = begin(served, seats=["you", "person"])
    assert status == 200
    links = {row["seat"]: row["link"] for row in answer["links"]}
    assert set(links) == {0, 1} and links[0] != links[1]
    for seat, link in links.items():
        assert served.lobby.find(link)[1] == seat


@pytest.mark.parametrize(
    ("changed", "status", "why"),
    [
        ({"key": "guessed"}, 403, "can start tables"),
        ({"key": None}, 403, "can start tables"),
        ({"game": "chess"}, 400, "chess"),
        ({"players": 5}, 400, "players of sarena"),
        ({"seats": ["you"]}, 400, "2 players"),
        ({"seats": ["you", "td:/etc/passwd"]}, 400, "who sits"),
        ({"seats": ["you", "ppo:runs/a.zip"]}, 400, "who sits"),
        ({"seats": ["you", "mcts:simulations=99999999"]}, 400, "who sits"),
        ({"options": {"deal": "marked"}}, 400, "deal"),
        ({"options": {"dealer": 1}}, 400, "no option"),
        ({"options": []}, 400, "by name"),
        ({"seed": 3}, 400, "the settings of a table are"),
    ],
)
def test_what_can_not_be_had_is_told(served, changed, status, why):
    found, answer = begin(served, **changed)
    assert found == status and why in answer["error"]


@pytest.mark.parametrize("body", [b"{", b"[]", b"[" * 3000, b'"' + b"x" * (MOST_BYTES + 1) + b'"'])
def test_a_request_that_is_none_is_refused(served, body):
    head = {"Host": served.host, "Origin": served.url}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    with socket.create_connection(served.host.split(":")) as connection:
        start = f"POST /tables HTTP/1.1\r\n{lines}Content-Length: {len(body)}\r\n\r\n"
        connection.sendall(start.encode() + body)
        assert connection.recv(4096).startswith(b"HTTP/1.1 400")


def test_the_table_that_was_left_longest_ago_gives_way(monkeypatch):
    monkeypatch.setattr(lobby_module, "MOST_TABLES", 2)
    served = Served.__new__(Served)
    served.lobby = Lobby()
    rooms = [served.room() for _ in range(2)]
    served.lobby.find(rooms[0].link(0))
    served.room()
    assert served.lobby.find(rooms[0].link(1))[1] == 1
    with pytest.raises(ValueError, match="no table here"):
        served.lobby.find(rooms[1].link(0))


# Seats


def test_a_person_plays_a_game_against_an_agent(served):
    room = served.room(p1="random")
    with served.sit(room.link(0)) as seat:
        assert seat.hear("table")["seat"] == 0
        while not seat.wait()["over"]:
            assert len(seat.view["moves"]) > 0
            seat.act()
        assert [row["rank"] for row in seat.view["result"]][0] == 1
        seat.send({"do": "save"})
        assert json.loads(seat.hear("file")["text"])["game"] == "sarena"
    assert room.table.over


def test_two_people_see_each_other_play_and_each_the_own_view(served):
    room = served.room()
    with served.sit(room.link(0)) as one, served.sit(room.link(1)) as two:
        for seat in (one, two):
            seat.hear("view")
        assert one.view["svg"] != two.view["svg"]
        mover, waiter = (one, two) if one.view["yours"] else (two, one)
        mover.act()
        assert waiter.wait()["words"]
        assert mover.hear("view")["words"] == waiter.view["words"]


def test_a_seat_is_taken_again_where_it_was_and_two_tabs_do_not_disturb_each_other(served):
    room = served.room(p1="random")
    with served.sit(room.link(0)) as first:
        first.wait()
        first.act()
        at = first.wait()
        with served.sit(room.link(0)) as second:
            assert second.wait()["frame"] == at["frame"]
            assert second.view["svg"] == at["svg"]
            second.act()
            moved = second.wait()
        # The first tab has also seen it, and continues.
        first.view = {}
        while not first.view or first.view["frame"] < moved["frame"]:
            first.hear("view")
        first.act()
        assert first.wait()["frame"] > moved["frame"]


@pytest.mark.parametrize("spoil", ["token", "table", "empty", "kind"])
def test_a_forged_link_opens_nothing(served, spoil):
    room = served.room(p1="random")
    link = room.link(0)
    forged = {
        "token": f"{room.name}.{'A' * len(room.tokens[0])}",
        "table": f"ffffffff.{room.tokens[0]}",
        "empty": "",
        "kind": [link],
    }[spoil]
    before = digest(room)
    with served.sit(forged) as seat:
        message = seat.hear("error")
        assert message["end"] and link not in json.dumps(message)
        with pytest.raises(ConnectionClosed):
            seat.connection.recv(timeout=20)
    assert digest(room) == before


def test_a_link_of_one_table_does_nothing_at_another(served):
    mine, other = served.room(), served.room()
    with pytest.raises(ValueError, match="no table here"):
        served.lobby.find(f"{other.name}.{mine.tokens[0]}")
    before = digest(other)
    with served.sit(mine.link(mine.table.to_play)) as seat:
        seat.wait()
        assert "takes:" in seat.refused({"do": "act", "table": other.name})
        seat.act()
        seat.hear("view")
    assert digest(other) == before


@pytest.mark.parametrize(
    "message",
    [
        "{",
        "null",
        '"act"',
        "[" * 3000,
        "x" * (MOST_BYTES + 1),
        json.dumps({"do": "act", "action": 0, "frame": 99, "age": 0}),
        json.dumps({"do": "act", "action": 0, "frame": 0, "age": 9}),
        json.dumps({"do": "link", "link": "x"}),
    ],
)
def test_what_is_no_message_gets_an_error_and_changes_nothing(served, message):
    room = served.room(p1="random")
    with served.sit(room.link(0)) as seat:
        seat.wait()
        before = digest(room)
        assert seat.refused(message)
        assert digest(room) == before
        seat.act()
        assert seat.wait()


def test_bytes_are_no_message(served, caplog):
    """Neither before a seat is taken nor after."""
    room = served.room(p1="random")
    with connect(f"ws://{served.host}/play", origin=served.url) as stranger:
        stranger.send(b"\x00")
        assert json.loads(stranger.recv(timeout=20))["text"] == "a message must be text"
    with served.sit(room.link(0)) as seat:
        seat.wait()
        before = digest(room)
        assert seat.refused(b"\x00") == "a message must be text"
        assert digest(room) == before
        seat.act()
        assert seat.wait()
    assert not caplog.records


def test_pages_of_one_seat_do_not_keep_another_out(served, monkeypatch):
    monkeypatch.setattr(server, "MOST_PAGES", 2)
    room = served.room()
    with served.sit(room.link(0)) as one, served.sit(room.link(0)) as two:
        for seat in (one, two):
            seat.hear("view")
        with served.sit(room.link(0)) as third:
            assert third.hear("error")["end"]
        with served.sit(room.link(1)) as other:
            assert other.hear("view")


def test_pages_that_are_opened_at_once_are_counted_too(served, monkeypatch):
    go_on = threading.Event()
    hello = server.Guest.hello
    monkeypatch.setattr(server, "MOST_PAGES", 2)
    monkeypatch.setattr(server.Guest, "hello", lambda guest: go_on.wait(60) and hello(guest))
    room = served.room()
    with contextlib.ExitStack() as open_pages:
        first, second, *others = [
            open_pages.enter_context(served.sit(room.link(0))) for _ in range(4)
        ]
        try:
            heard = [json.loads(page.connection.recv(timeout=20)) for page in others]
        finally:
            go_on.set()
        assert [message["kind"] for message in heard] == ["error", "error"]
        assert first.hear("view") and second.hear("view")


def test_who_leaves_before_an_answer_leaves_no_error_behind():
    class Gone:
        async def accept(self):
            pass

        async def receive(self):
            return {"type": "websocket.receive", "text": "no link"}

        async def send_text(self, text):
            raise server.WebSocketDisconnect(1006)

    asyncio.run(server.Server(server.Lobby())._play(Gone()))


def test_far_too_much_ends_the_connection(served):
    room = served.room(p1="random")
    with served.sit(room.link(0)) as seat:
        seat.wait()
        before = digest(room)
        with pytest.raises(ConnectionClosed):
            seat.send("x" * (20 * MOST_BYTES))
            while True:
                seat.connection.recv(timeout=20)
    assert digest(room) == before


def test_so_many_messages_may_come_at_once_and_so_many_a_second(monkeypatch):
    now = 0.0
    monkeypatch.setattr(server.time, "monotonic", lambda: now)
    page = server.Page(None, None)
    assert [page.may_ask() for _ in range(int(server.BURST) + 5)].count(True) == server.BURST
    now = 1.0
    asked = [page.may_ask() for _ in range(int(server.PER_SECOND) + 5)]
    assert asked.count(True) == server.PER_SECOND
    assert asked[-1] is False


def test_a_page_that_does_not_keep_up_is_cut_off():
    async def overfill() -> bool:
        page = server.Page(None, None)
        page.listener = asyncio.ensure_future(asyncio.sleep(60))
        page.tell([{"kind": "view"}] * server.MOST_QUEUED)
        await asyncio.sleep(0)
        assert not page.listener.cancelled()
        page.tell([{"kind": "view"}])
        await asyncio.sleep(0)
        return page.listener.cancelled()

    assert asyncio.run(overfill())


def test_who_goes_on_after_many_errors_is_cut_off(served):
    room = served.room(p1="random")
    texts = []
    with served.sit(room.link(0)) as seat:
        seat.wait()
        before = digest(room)
        with contextlib.suppress(ConnectionClosed):
            for _ in range(2 * MOST_ERRORS):
                seat.send({"do": "undo", "frame": 99, "age": 0})
            while True:
                texts.append(json.loads(seat.connection.recv(timeout=20)).get("text", ""))
    assert len(texts) <= MOST_ERRORS + 1
    assert digest(room) == before
    with served.sit(room.link(0)) as seat:
        assert seat.wait()["yours"]


def test_an_agent_plays_once_however_pages_come_and_go(served):
    """A page that left while an agent was to play and one that came must not both trigger it."""
    room = served.room(p1="random")
    for _ in range(6):
        with served.sit(room.link(0)) as seat:
            seat.wait()
            at = len(room.table.actions)
            seat.act()
        # Nobody waits for the agent's move.
    with served.sit(room.link(0)) as seat:
        seat.wait()
        seats = [int(states["to_play"][0]) for states in room.table.positions]
        assert len(seats) > at + 1
        assert all(one != two for one, two in zip(seats, seats[1:], strict=False))


class Broken:
    """An agent that fails."""

    name = "broken"

    def act(self, observations, masks, *, states=None, seeds=None):
        raise RuntimeError("out of ideas")


def test_an_agent_that_fails_is_told_and_the_table_stays(served, caplog):
    room = served.room(p1="random")
    room.table.agents = {1: Broken()}
    with served.sit(room.link(0)) as seat:
        if room.table.to_play == 0:
            seat.wait()
            seat.act()
        assert "agent failed" in seat.hear("error")["text"]
    assert "out of ideas" in caplog.text


class Thinker(Agent):
    """Thinks until it is let go."""

    def __init__(self, game: str = "sarena"):
        super().__init__(get_game(game))
        self.begun, self.let_go = threading.Event(), threading.Event()

    def act(self, observations, masks, *, states=None, seeds=None):
        self.begun.set()
        assert self.let_go.wait(PATIENCE_S)
        return masks.argmax(axis=1)


@pytest.mark.parametrize("do", ["next", "mind"])
def test_pages_open_while_an_agent_thinks(served, do):
    """Of the same table and of others: nothing waits for a thought but its answer."""
    thinker = Thinker()
    agents = {seat: thinker for seat in range(2)}
    specs = dict.fromkeys(agents, "thinker")
    table = Table(get_game("sarena"), 3, 2, {}, specs, agents)
    table.explain = True
    room = served.lobby.add(table)
    with served.sit(room.link(None)) as first:
        first.hear("view")
        first.send({"do": do} | ({"at": 0} if do == "mind" else {}))
        assert thinker.begun.wait(PATIENCE_S)
        try:
            for _ in range(3):
                with served.sit(room.link(None)) as other:
                    assert other.hear("view")["frames"] == 1
                    other.send({"do": "frame", "at": 0})
                    other.hear("view")
            other_room = served.room(p1="random")
            with served.sit(other_room.link(0)) as elsewhere:
                elsewhere.wait()
        finally:
            thinker.let_go.set()
        assert first.hear("view" if do == "next" else "mind")


def test_tables_are_added_in_several_threads(monkeypatch):
    monkeypatch.setattr(lobby_module, "MOST_TABLES", 3)
    lobby = Lobby()
    table = Table(get_game("sarena"), 1, 2, {}, {1: "random"})
    failed = []

    def add():
        try:
            for _ in range(2000):
                lobby.add(table)
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=add) for _ in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not failed and len(lobby._rooms) == 3


def test_a_connection_that_asks_for_nothing_is_closed(monkeypatch):
    monkeypatch.setattr(Connection, "seconds_to_ask", 0.2)
    with Served() as served:
        room = served.room(p1="random")
        with served.sit(room.link(0)) as seat:
            seat.wait()
            for said in (b"", b"GET / HT"):
                with socket.create_connection(served.host.split(":"), PATIENCE_S) as idle:
                    idle.sendall(said)
                    assert idle.recv(1) == b"", "the server closes it"
            seat.act()
            seat.wait()


def upgrade(served: Served) -> bytes:
    """The request that opens a WebSocket."""
    return (
        f"GET /play HTTP/1.1\r\nHost: {served.host}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Sec-WebSocket-Version: 13\r\nOrigin: {served.url}\r\n\r\n"
    ).encode()


def frame(link: str) -> bytes:
    """The message that takes a seat; its mask is 0."""
    text = json.dumps({"link": link}).encode()
    return bytes([0x81, 0x80 | 126]) + len(text).to_bytes(2) + bytes(4) + text


def get(served: Served, path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {served.host}\r\n\r\n".encode()


@pytest.mark.parametrize("opcode", [0x00, 0x89, 0x8A], ids=["fragments", "pings", "pongs"])
def test_a_flood_of_frames_that_are_no_messages_ends_the_connection(served, opcode):
    """The server would do nothing but read them."""
    empty = bytes([opcode, 0x80]) + bytes(4)
    with socket.create_connection(served.host.split(":"), PATIENCE_S) as flood:
        flood.sendall(upgrade(served))
        assert b"101 Switching" in flood.recv(4096)
        sent = 0
        with pytest.raises(ConnectionError):
            flood.sendall(bytes([0x01, 0x80]) + bytes(4))
            while sent < 100 << 20:
                flood.sendall(1000 * empty)
                sent += 1000 * len(empty)
    assert sent < 10 << 20


def test_who_is_asked_in_secret_is_not_told(served):
    """The refusal is the same whether an agent or another person is being asked."""
    thinker = Thinker("shamans")
    game = get_game("shamans")
    table = Table(game, 2, 3, {}, {2: "thinker"}, {2: thinker})
    while table.to_play != 2:
        table.take(int(game.legal_mask(table.states).argmax()))
    room = served.lobby.add(table)
    with served.sit(room.link(0)) as seat:
        view = seat.hear("view")
        assert thinker.begun.wait(PATIENCE_S)
        try:
            asked = {"do": "act", "action": 0, "frame": view["frame"], "age": view["age"]}
            assert seat.refused(asked) == "it is not your turn"
        finally:
            thinker.let_go.set()


@pytest.mark.parametrize("done", [b"", b"GET /table HTTP/1.1\r\nHost: {}\r\n\r\n"])
@pytest.mark.parametrize(
    "begun", [b"G", b"POST /tables HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\n"]
)
def test_a_connection_whose_request_does_not_come_is_closed(done, begun, monkeypatch):
    monkeypatch.setattr(Connection, "seconds_to_ask", 0.2)
    with Served() as served:
        host = served.host.encode()
        origin = b"Origin: http://" + host + b"\r\n\r\n" if begun != b"G" else b""
        with socket.create_connection(served.host.split(":"), PATIENCE_S) as idle:
            idle.sendall(done.replace(b"{}", host))
            if done:
                assert idle.recv(12) == b"HTTP/1.1 200"
            idle.sendall(begun.replace(b"{}", host) + origin)
            while idle.recv(1 << 16):
                pass  # up to the end: the server closes it
        assert served.ask("/table")[0] == 200


def test_a_request_that_is_broken_off_is_no_fault_of_the_server(caplog):
    with Served() as served:
        head = f"POST /tables HTTP/1.1\r\nHost: {served.host}\r\nOrigin: {served.url}\r\n"
        for _ in range(3):
            with socket.create_connection(served.host.split(":"), PATIENCE_S) as broken:
                broken.sendall(f"{head}Content-Length: 9\r\n\r\n".encode())
            assert served.ask("/table")[0] == 200
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


@contextlib.contextmanager
def unread(served: Served):
    """A connection of which hardly anything is received ahead."""
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        connection.settimeout(PATIENCE_S)
        host, port = served.host.split(":")
        connection.connect((host, int(port)))
        yield connection


def hear(connection: socket.socket, last: bytes) -> bytes:
    """What is received until ``last`` is among the last bytes."""
    heard = bytearray()
    while last not in heard[-1000:]:
        piece = connection.recv(1 << 16)
        assert piece, "the server has closed it"
        heard += piece
    return bytes(heard)


def picture_of(name: str) -> bytes:
    return (folder_of(get_game(name)) / "picture.png").read_bytes()


def lost(monkeypatch, kind: type[Reader]) -> threading.Event:
    """Set once the server has lost a connection."""
    event, before = threading.Event(), kind.connection_lost

    def connection_lost(self, exc) -> None:
        before(self, exc)
        event.set()

    monkeypatch.setattr(kind, "connection_lost", connection_lost)
    return event


@pytest.mark.parametrize(("path", "requests"), [("/board.js", 1), ("/harmonies.png", 40)])
def test_a_connection_that_does_not_read_is_cut_off(path, requests, monkeypatch):
    """Closing would wait for it. Of what it asks for, one answer waits in memory at most."""
    sent, send_file = [], server._send_file

    async def counted(*arguments):
        sent.append(arguments)
        return await send_file(*arguments)

    monkeypatch.setattr(server, "_send_file", counted)
    monkeypatch.setattr(Reader, "seconds_to_read", 0.2)
    event = lost(monkeypatch, Connection)
    with Served(sent_ahead=4096) as served, unread(served) as connection:
        connection.sendall(requests * get(served, path))
        assert event.wait(PATIENCE_S)
        assert not served.connections
    assert len(sent) == 1


def test_a_page_that_does_not_read_is_cut_off(monkeypatch, caplog):
    """Its seat may be taken again, and the table plays on."""
    monkeypatch.setattr(Reader, "seconds_to_read", 0.2)
    event = lost(monkeypatch, Socket)
    with Served(sent_ahead=4096) as served, unread(served) as connection:
        room = served.room(p1="random")
        connection.sendall(upgrade(served))
        assert connection.recv(12) == b"HTTP/1.1 101"
        connection.sendall(3 * frame(room.link(0)))  # the answers to two are errors
        assert event.wait(PATIENCE_S)
        assert not served.connections
        monkeypatch.setattr(Reader, "seconds_to_read", PATIENCE_S)
        with served.sit(room.link(0)) as seat:
            seat.wait()
            seat.act()
            assert seat.wait()
    gc.collect()  # a task whose error nobody has seen says so then
    assert not caplog.records


def test_who_reads_gets_everything_that_was_asked_for_at_once():
    with Served(sent_ahead=4096) as served, unread(served) as connection:
        connection.sendall(3 * get(served, "/harmonies.png") + upgrade(served))
        heard = hear(connection, b"101 Switching")
        assert heard.count(picture_of("harmonies")) == 3
        connection.sendall(frame(served.room().link(0)))
        assert connection.recv(1)
        (left,) = served.connections
        assert isinstance(left, Socket)


def test_who_has_read_is_not_cut_off():
    with Served(sent_ahead=4096) as served, unread(served) as connection:
        connection.sendall(get(served, "/harmonies.png"))
        hear(connection, picture_of("harmonies")[-20:])
        connection.sendall(get(served, "/table"))
        hear(connection, b"</html>")
        (asking,) = served.connections
        assert asking._deadline.cancelled()


def test_who_does_not_read_the_answers_to_pings_may_not_send_more(monkeypatch):
    now, received = 0.0, []
    monkeypatch.setattr(
        connections.WebSocketsSansIOProtocol, "data_received", lambda _, data: received.append(data)
    )
    state = connections.uvicorn.server.ServerState()
    page = Socket(connections.config_of(Mock()), state, {}, SimpleNamespace(time=lambda: now))
    page.transport = Mock()
    second = bytes(BYTES_PER_SECOND)
    for now in range(1, 100):  # noqa: B007
        page.data_received(second)
    assert len(received) == 99 and not page.transport.abort.called
    page.writable.clear()
    received.clear()
    for now in range(100, 200):  # noqa: B007
        page.data_received(second)
    assert page.transport.abort.called
    assert len(received) * len(second) <= BURST_BYTES


def test_connections_of_one_address_leave_places_for_others(monkeypatch):
    monkeypatch.setattr(connections, "MOST_OF_AN_ADDRESS", 2)
    monkeypatch.setattr(Connection, "seconds_to_ask", 10 * PATIENCE_S)
    with Served() as served, contextlib.ExitStack() as held:
        address = served.host.split(":")
        for _ in range(2):
            held.enter_context(socket.create_connection(address, PATIENCE_S))
        third = held.enter_context(socket.create_connection(address, PATIENCE_S))
        with contextlib.suppress(ConnectionError):
            assert third.recv(1) == b""
        other = socket.create_connection(address, PATIENCE_S, source_address=("127.0.0.2", 0))
        with other:
            other.sendall(get(served, "/table"))
            assert other.recv(12) == b"HTTP/1.1 200"
