"""`play --web` and `watch --web` as they are typed."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest
from serving import Seat
from typer.testing import CliRunner
from websockets.sync.client import connect

from ludotheque.cli.app import app
from ludotheque.envs import get_game
from ludotheque.envs.core.interfaces.replay import Replay, load_replays


@contextlib.contextmanager
def running(*arguments: str, code: str = "", ends: int = 130):
    """Run the command until Ctrl-C; yield its output up to the line that says how to stop it.

    ``code`` runs it otherwise than ``-m``; ``ends`` is the exit code.
    """
    start = ("-c", code) if code else ("-m", "ludotheque.cli")
    command = (sys.executable, *start, *arguments, "--web", "--no-browser")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = []
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if "Ctrl-C" in line:
                break
        try:
            yield "".join(said)
        finally:
            process.send_signal(signal.SIGINT)
            rest = process.stderr.read()
            process.wait(30)
        assert process.returncode == ends, rest
        assert "Traceback" not in rest


@contextlib.contextmanager
def seat_at(url: str):
    host, link = re.fullmatch(r"http://([^/]+)/table#(\S+)", url).groups()
    with connect(f"ws://{host}/play", origin=f"http://{host}", max_size=None) as connection:
        seat = Seat(connection)
        seat.send({"link": link})
        yield seat


def test_play_serves_the_seat_and_keeps_the_replay(tmp_path):
    file = tmp_path / "game.jsonl"
    arguments = ("play", "--opponents", "random", "--seat", "1", "--save", str(file))
    with running(*arguments, "--explain", "--cheat") as said:
        url = re.search(r"Open (\S+)", said).group(1)
        assert "seed" not in said and url.startswith("http://127.0.0.1:")
        with seat_at(url) as seat:
            table = seat.hear("table")
            assert table["seat"] == 1 and table["explain"] and table["cheat"]
            seat.wait()
            seat.act()
            seat.wait()
    (replay,) = load_replays(file)
    assert len(replay.actions) >= 2
    assert replay.agents == ["random", "person (saw the agents' minds)"]


def play_out(seat: Seat) -> dict:
    """Play the first legal action until the game is over; return the last view."""
    while not seat.wait()["over"]:
        seat.act()
    return seat.view


def test_a_new_game_is_added_to_the_games_that_are_over(tmp_path):
    file = tmp_path / "games.jsonl"
    with (
        running("play", "--opponents", "random", "--save", str(file)) as said,
        seat_at(re.search(r"Open (\S+)", said).group(1)) as seat,
    ):
        for _ in range(2):
            over = play_out(seat)
            seat.send({"do": "again", "age": over["age"]})
            seat.hear("view")
        seat.wait()
        seat.act()
        seat.wait()
    first, second, third = load_replays(file)
    assert len({replay.seed for replay in (first, second, third)}) == 3
    for replay in (first, second):
        assert replay.scores
    assert third.actions and not third.scores


def test_a_disk_that_is_full_is_told_on_the_page_and_at_the_end(tmp_path):
    """Once on the page, and the file is tried again: no finished game is lost without a word."""
    file = tmp_path / "game.jsonl"
    limit = "import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (50, r.RLIM_INFINITY)); "
    code = f"{limit}from ludotheque.cli import main; main()"
    with (
        running("play", "--opponents", "random", "--save", str(file), code=code, ends=1) as said,
        seat_at(re.search(r"Open (\S+)", said).group(1)) as seat,
    ):
        seat.wait()
        seat.act()
        assert "game.jsonl could not be written" in seat.hear("error")["text"]
        seat.wait()
        seat.act()
        told = []
        while not seat.view or not seat.view["yours"]:
            told.append(json.loads(seat.connection.recv(timeout=60)))
            seat.view = told[-1] if told[-1]["kind"] == "view" else seat.view
        assert {message["kind"] for message in told} == {"view"}
    assert not file.exists()


def test_play_with_people_tells_a_link_for_each(tmp_path):
    with running("play", "--opponents", "person,greedy", "--players", "3", "--seat", "2") as said:
        links = re.findall(r"http://\S+", said)
        assert len(links) == 2 and "player_0 opens" in said
        for link, wanted in zip(links, (2, 0), strict=True):
            with seat_at(link) as seat:
                assert seat.hear("table")["seat"] == wanted


def test_play_without_a_game_opens_the_start_page_and_says_who_else_may_open_it():
    with running("play", "--host", "0.0.0.0") as said:
        assert "Nothing is encrypted" in said and "over the network" in said
        url, key = re.search(r"Open (\S+)/#(\S+)", said).groups()
        port = url.rpartition(":")[2]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/games", timeout=30) as answer:
            assert len(json.loads(answer.read())) == 5
        assert key


def test_watch_shows_a_replay_of_a_file(tmp_path):
    game = get_game("sarena")
    states = game.new_state(4)
    replay = Replay.record("sarena", 2, 4, game.legal_actions_text(states)[:1])
    replay.save(tmp_path / "game.jsonl")
    file = str(tmp_path / "game.jsonl")
    with (
        running("watch", "--replay", file, "--seat", "1") as said,
        seat_at(re.search(r"Open (\S+)", said).group(1)) as seat,
    ):
        table = seat.hear("table")
        assert (table["seat"], table["watching"], table["chooses"]) == (1, True, False)
        assert seat.hear("view")["frames"] == 2


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("play", "--explain"), "add --web"),
        (("play", "--web", "--cheat"), "--explain"),
        (("watch", "--explain"), "add --web"),
        (("play", "--web", "--host", "no.such.address.example"), "can't listen"),
        (("play", "--opponents", "person", "--terminal"), "person"),
        (("play", "--web", "--port", "70000"), "65535"),
    ],
)
def test_what_can_not_be_is_told_in_a_line(arguments, why):
    done = refused(*arguments)
    assert done.exit_code == 2 and why in done.stderr and "Traceback" not in done.stderr


def test_a_port_that_is_taken_is_told():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = refused("play", "--web", "--no-browser", "--port", port)
    assert done.exit_code == 1 and port in done.stderr and "--port" in done.stderr


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "websockets"])
def test_without_its_extra_the_web_says_what_to_install(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    done = refused("play", "--web", "--no-browser")
    assert done.exit_code == 1 and "ludotheque[web]" in done.stderr and missing in done.stderr


def refused(*arguments: str):
    return CliRunner(env={"TERM": "dumb", "COLUMNS": "200"}).invoke(app, arguments)
