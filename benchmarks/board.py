"""The board's server under load: many tables at once, and memory over thousands of moves.

    python benchmarks/board.py --tables 50 --moves 2000 --think 3
    python benchmarks/board.py --tables 50 --moves 10000

The server runs in its own process; this one plays random legal moves at all tables, sending the
same messages as a page. Needs the extra [web].
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer
from websockets.asyncio.client import connect
from websockets.typing import Origin

GAMES = ("sarena", "sagani", "harmonies", "saga", "shamans")
PLAYERS = {"shamans": 3}
GREETING = re.compile(r"Open (http://\S+)/#(\S+)")


class Player:
    """Plays at one table, game after game.

    It thinks about each move for ``think`` seconds on average (exponentially distributed).
    """

    def __init__(self, url: str, link: str, seed: int, think: float):
        self.url = url
        self.link = link
        self.think = think
        self.moves = 0
        self.waits: list[float] = []
        self._draw = random.Random(seed)

    async def play(self, moves: int) -> None:
        """Play this many moves."""
        host = self.url.removeprefix("http://")
        async with connect(f"ws://{host}/play", origin=Origin(self.url), max_size=None) as socket:
            await socket.send(json.dumps({"link": self.link}))
            asked = None
            while self.moves < moves:
                view = json.loads(await socket.recv())
                if view["kind"] == "error":
                    raise RuntimeError(view["text"])
                if view["kind"] != "view" or not (view["yours"] or view["over"]):
                    continue
                if asked is not None:
                    self.waits.append(time.perf_counter() - asked)
                if self.think:
                    await asyncio.sleep(self._draw.expovariate(1 / self.think))
                asked = time.perf_counter()
                await socket.send(json.dumps(self._answer(view)))

    def _answer(self, view: dict[str, Any]) -> dict[str, Any]:
        if view["over"]:
            return {"do": "again", "age": view["age"]}
        self.moves += 1
        action = self._draw.choice(view["moves"])[0]
        return {"do": "act", "action": action, "frame": view["frame"], "age": view["age"]}


def main(
    tables: Annotated[
        int, typer.Option(min=1, max=10_000, help="Number of tables played at once.")
    ] = 50,
    moves: Annotated[int, typer.Option(min=1, max=10**9, help="Total moves of people.")] = 10_000,
    agent: Annotated[str, typer.Option(help="The opponent.")] = "greedy",
    game: Annotated[str, typer.Option(help="One game; by default all five.")] = "",
    think: Annotated[float, typer.Option(help="Mean thinking time of people in seconds.")] = 0,
) -> None:
    """Play at many tables at once; print waits in milliseconds and the server's memory."""
    command = [sys.executable, "-m", "ludotheque.cli", "play", "--web", "--no-browser"]
    with (
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(command, stderr=said, text=True) as server,
    ):
        try:
            url, key = greeting(said, server)
            games = (game,) if game else GAMES
            links = [begin(url, key, games[k % len(games)], agent) for k in range(tables)]
            players = [Player(url, link, seed, think) for seed, link in enumerate(links)]
            asyncio.run(rounds(players, moves, server.pid))
        finally:
            server.terminate()


def greeting(said: TextIO, server: subprocess.Popen) -> tuple[str, str]:
    """Return a server's address and key, once it has printed them."""
    while server.poll() is None:
        said.seek(0)
        if found := GREETING.search(said.read()):
            return found[1], found[2]
        time.sleep(0.1)
    said.seek(0)
    raise RuntimeError(said.read())


async def rounds(players: list[Player], moves: int, pid: int) -> None:
    """Play in ten parts, and print the cost of each."""
    each = max(30, moves // len(players))
    for part in range(1, 11):
        start, busy = time.perf_counter(), seconds_of(pid)
        before = sum(player.moves for player in players)
        for player in players:
            player.waits.clear()
        await asyncio.gather(*(player.play(each * part // 10) for player in players))
        waits = sorted(wait for player in players for wait in player.waits)
        done = sum(player.moves for player in players)
        typer.echo(
            f"{done:6} moves, {time.perf_counter() - start:5.1f} s, to the next turn: "
            f"median {1000 * waits[len(waits) // 2]:.0f} ms, "
            f"95 % {1000 * waits[int(0.95 * len(waits))]:.0f} ms; server {memory(pid):.0f} MB, "
            f"{1000 * (seconds_of(pid) - busy) / (done - before):.0f} ms of a core for each move"
        )


def begin(url: str, key: str, game: str, agent: str) -> str:
    """Start a table for one person against agents; return the link of the seat."""
    players = PLAYERS.get(game, 2)
    wanted = {"key": key, "game": game, "players": players, "options": {}, "explain": False}
    wanted["seats"] = ["you", *[agent] * (players - 1)]
    request = urllib.request.Request(f"{url}/tables", json.dumps(wanted).encode(), {"Origin": url})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.loads(answer.read())["links"][0]["link"]


def memory(pid: int) -> float:
    """Return the resident memory of a process in megabytes; NaN if unknown."""
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        return float("nan")
    return int(re.search(r"VmRSS:\s+(\d+)", status.read_text()).group(1)) / 1024  # type: ignore[union-attr]


def seconds_of(pid: int) -> float:
    """Return the processor time of a process in seconds; NaN if unknown."""
    status = Path(f"/proc/{pid}/stat")
    if not status.exists():
        return float("nan")
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    typer.run(main)
