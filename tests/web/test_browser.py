"""The board in a real browser: games by clicks, touch, keys; two people at a table; replays."""

from __future__ import annotations

import itertools
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from serving import Served

from ludotheque.envs import game_names, get_game
from ludotheque.envs.core.interfaces.replay import Replay
from ludotheque.web.table import Table

BROWSER = os.environ.get("LUDOTHEQUE_BROWSER") or shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    BROWSER is None,
    reason="there is no chromium: install it, or name a browser in LUDOTHEQUE_BROWSER",
)
sync_api = pytest.importorskip("playwright.sync_api", reason="drives the browser: extra [dev]")

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Short games: few rounds, few players.
SHORT = {"shamans": {"rounds": "single"}, "harmonies": {}, "sagani": {}, "saga": {}, "sarena": {}}
# A game may have to be compiled, on a busy machine.
PATIENCE_MS = 120_000
HELPERS = (Path(__file__).parent / "helpers.js").read_text("utf-8")


@pytest.fixture(scope="module")
def served():
    with Served() as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=BROWSER, args=ARGUMENTS)
        yield found
        found.close()


@pytest.fixture
def visit(browser):
    """Open pages as `visit(url, **context)`; an error on any of them fails the test."""
    contexts, problems, allowed = [], [], []

    def open_page(url: str, expected: str = "", **how):
        """`expected`: part of an error that the page is meant to have."""
        allowed.append(expected)
        size = {"width": how.pop("width", 1280), "height": how.pop("height", 800)}
        context = browser.new_context(viewport=size, reduced_motion="reduce", **how)
        contexts.append(context)
        context.add_init_script(HELPERS)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda message: problems.append(message.text) if message.type == "error" else None,
        )
        page.set_default_timeout(PATIENCE_MS)
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    unexpected = [text for text in problems if not any(a and a in text for a in allowed)]
    assert not unexpected


def table_of(name: str, seed: int = 3, people: int = 1) -> Table:
    game = get_game(name)
    # Random play takes longest in Sagani, which ends at a number of points.
    spec = "greedy" if name == "sagani" else "random"
    agents = {seat: spec for seat in range(people, game.usual_players)}
    return Table(game, seed, game.usual_players, SHORT[name], agents)


def open_table(served, visit, table: Table, seat: int | None = 0, **how):
    """A page at a table, once something is shown."""
    room = served.lobby.add(table)
    page = visit(served.address(room, seat), **how)
    page.wait_for_selector(".ludo-stage svg")
    return page


def wait(page, condition: str) -> None:
    """Wait until a condition holds in the page, whose security policy forbids the driver's wait."""
    page.evaluate(f"test.until(() => {condition})")


def its_turn(page) -> None:
    wait(page, "board.view?.yours && board.at === board.count - 1 && !board.pending")


def centre_of(page, selector: str = ".ludo-legal") -> tuple[float, float]:
    x, y = page.evaluate("selector => test.pointOf(document.querySelector(selector))", selector)
    return x, y


@pytest.mark.parametrize("name", game_names())
def test_a_whole_game_by_clicks(served, visit, name):
    table = table_of(name)
    page = open_table(served, visit, table)
    clicks = page.evaluate("seed => test.playOn(seed)", 7)
    assert clicks > 5
    assert table.over
    words = page.inner_text(".ludo-status")
    assert "The game is over" in words
    for row in table.result()["scores"]:
        assert f"{row:g}" in page.inner_text(".ludo-seats")


@pytest.mark.parametrize("name", game_names())
def test_a_point_of_the_page_means_what_it_means_in_the_window(served, visit, name):
    """The shapes on the page and `locate` must not drift apart."""
    table = table_of(name, people=9)
    game, rng = table.game, np.random.default_rng(5)
    for _ in range(12):
        table.take(int(rng.choice(np.flatnonzero(game.legal_mask(table.states)))))
    page = open_table(served, visit, table, table.to_play)
    its_turn(page)
    width, height = page.evaluate(
        "[board.svg.viewBox.baseVal.width, board.svg.viewBox.baseVal.height]"
    )
    points = [(x, y) for x in range(9, int(width), 37) for y in range(9, int(height), 29)]
    found = page.evaluate("points => test.placesAt(points)", points)
    clear = 0
    for (x, y), parts in zip(points, found, strict=True):
        near = [game.locate(x + dx, y + dy, table.states[0]) for dx in (-2, 2) for dy in (-2, 2)]
        if len({str(place) for place in near}) > 1:
            continue  # on an edge, a fraction of a unit decides
        place = near[0]
        wanted = None if place is None else list(place if isinstance(place, tuple) else (place,))
        assert parts == wanted, (x, y)
        clear += place is not None
    assert clear > 5


def test_mouse_hover_choosing_and_taking_back(served, visit):
    table = table_of("sarena")
    page = open_table(served, visit, table)
    its_turn(page)
    start = table.game.digest(table.states)
    legal = page.locator(".ludo-legal").count()
    page.mouse.click(*centre_of(page))
    page.wait_for_selector(".ludo-chosen")
    assert "And where?" in page.inner_text(".ludo-status")
    assert 0 < page.locator(".ludo-legal").count() < legal
    # A click outside everything starts again.
    page.mouse.click(*centre_of(page, ".ludo-status"))
    page.locator(".ludo-stage").click(position={"x": 3, "y": 3})
    assert page.locator(".ludo-chosen").count() == 0
    page.mouse.click(*centre_of(page))
    page.mouse.click(*centre_of(page))
    wait(page, "board.count >= 3")
    its_turn(page)
    assert len(table.actions) >= 2
    page.click("[data-button=undo]")
    wait(page, "board.age === 1")
    its_turn(page)
    assert table.game.digest(table.states) == start
    page.click("[data-button=again]")
    wait(page, "board.age === 2")
    its_turn(page)
    assert table.game.digest(table.states) != start


def test_a_reload_in_mid_game_takes_the_seat_again(served, visit):
    table = table_of("sarena")
    page = open_table(served, visit, table)
    page.evaluate("test.playOn(1, 3)")
    its_turn(page)
    before = page.evaluate("[board.at, board.view.svg]")
    page.reload()
    its_turn(page)
    assert page.evaluate("[board.at, board.view.svg]") == before
    # Earlier positions are still available after the reload.
    page.click("[data-button=first]")
    wait(page, "board.at === 0")
    assert "Position 1 of" in page.inner_text(".ludo-status")
    page.click("[data-button=last]")
    its_turn(page)


def test_a_lost_connection_comes_back_where_it_was(served, visit):
    table = table_of("sarena")
    page = open_table(served, visit, table)
    its_turn(page)
    page.context.set_offline(True)
    page.evaluate("test.sockets.at(-1).close()")
    page.wait_for_selector(".ludo-alarm:not([hidden])")
    assert "connection is lost" in page.inner_text(".ludo-alarm")
    page.context.set_offline(False)
    page.wait_for_selector(".ludo-alarm", state="hidden")
    its_turn(page)
    page.evaluate("test.playOn(1, 1)")
    its_turn(page)  # the agent has answered
    assert len(table.actions) >= 2


def test_two_browsers_at_one_table(served, visit):
    table = table_of("sarena", people=2)
    room = served.lobby.add(table)
    pages = [visit(served.address(room, seat)) for seat in (0, 1)]
    for page in pages:
        page.wait_for_selector(".ludo-stage svg")
    for _ in range(3):
        mover = pages[table.to_play]
        its_turn(mover)
        at = len(table.actions)
        assert pages[1 - table.to_play].locator(".ludo-legal").count() == 0
        mover.evaluate("test.playOn(2, 1)")
        for page in pages:
            wait(page, f"board.at > {at}")
    views = [page.evaluate("[board.at, board.view.words]") for page in pages]
    assert views[0] == views[1]
    assert pages[0].evaluate("board.view.svg") != pages[1].evaluate("board.view.svg")


def test_keys_alone_play_and_screen_readers_are_told(served, visit):
    table = table_of("harmonies")
    page = open_table(served, visit, table)
    its_turn(page)
    page.keyboard.press("Tab")
    for _ in range(20):
        if page.evaluate("document.activeElement.matches('.ludo-legal')"):
            break
        page.keyboard.press("Tab")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label and page.evaluate("document.activeElement.getAttribute('role')") == "button"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") != label
    page.keyboard.press("ArrowLeft")
    at = len(table.actions)
    for _ in range(12):
        page.keyboard.press("Enter")
        wait(page, "!board.pending && document.activeElement.closest('.ludo-stage')")
        if len(table.actions) > at + 2:
            break
    assert len(table.actions) > at + 2
    assert table.positions[at]["to_play"][0] == 0
    assert "player_0" in page.inner_text("[aria-live=polite]")
    page.keyboard.press("Escape")
    assert page.evaluate("board.chosen.length") == 0


def test_touch_on_a_narrow_screen(served, visit):
    table = table_of("harmonies")
    page = open_table(served, visit, table, width=360, height=740, has_touch=True, is_mobile=True)
    its_turn(page)
    at = len(table.actions)
    page.touchscreen.tap(*centre_of(page))
    wait(page, f"board.at > {at}")
    assert len(table.actions) > at
    # The picture is wider than the screen and scrolls on its own; the page doesn't.
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("board.svg.getBoundingClientRect().width") > 700
    sizes = page.evaluate("board.spots.map((spot) => spot.getBoundingClientRect().toJSON())")
    assert min(min(size["width"], size["height"]) for size in sizes) > 24


@pytest.mark.parametrize("name", game_names())
def test_nothing_is_wider_than_the_screen(served, visit, name):
    page = open_table(served, visit, table_of(name), width=360, color_scheme="dark")
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, re.findall(r"\d+", ground)[:3])) < 200, "the page is dark where it should"


def test_a_replay_is_stepped_through(served, visit, tmp_path):
    table = Table(get_game("sarena"), 5, 2, {}, {0: "random", 1: "random"})
    while not table.over:
        table.agent_acts()
    table.replay().save(tmp_path / "game.jsonl")
    replay = Replay.from_json((tmp_path / "game.jsonl").read_text("utf-8"))
    shown = Table.of_replay(replay)
    page = open_table(served, visit, shown, seat=None)
    last = len(table.actions)
    assert page.evaluate("[board.at, board.count]") == [0, last + 1]
    page.click("[data-button=on]")
    wait(page, "board.at === 1")
    assert table.moves[0] in page.inner_text(".ludo-status")
    page.click("[data-button=last]")
    wait(page, f"board.at === {last}")
    assert "The game is over" in page.inner_text(".ludo-status")
    page.click("[data-button=back]")
    wait(page, f"board.at === {last} - 1")
    page.locator(".ludo-bar input[type=range]").fill("4")
    wait(page, "board.at === 4")
    everything = page.evaluate("board.view.svg")
    page.select_option(".ludo-eyes select", "1")
    wait(page, "board.table.seat === 1 && board.at === 0")
    page.evaluate("board.go(4)")
    wait(page, "board.at === 4")
    assert page.evaluate("board.view.svg") != everything


def test_agents_are_watched_step_by_step_with_what_they_think(served, visit):
    table = Table(get_game("sarena"), 5, 2, {}, {0: "mcts:simulations=20", 1: "greedy"})
    table.explain = True
    page = open_table(served, visit, table, seat=None)
    for at in range(1, 4):
        page.click("[data-button=on]")
        wait(page, f"board.at === {at} && !board.mind.hidden")
        assert page.locator(".ludo-minds circle").count() >= 1
        assert "expects" in page.inner_text(".ludo-mind")
    assert len(table.actions) == 3


def test_a_start_page_sets_the_table(served, visit):
    page = visit(f"{served.url}/#{served.lobby.key}")
    page.wait_for_selector(".games button[aria-pressed=true]")
    assert page.locator(".games button").count() == len(game_names())
    page.click(".games button[data-game=shamans]")
    assert "Shadows" in page.inner_text("#rules")
    page.click(".games button[data-game=sarena]")
    page.select_option("#seats label:nth-of-type(1) select", "3")
    page.select_option("#seats label:nth-of-type(3) select", '"random"')
    page.select_option("#seats label:nth-of-type(4) select", '"person"')
    page.select_option("#options select", '"balanced"')
    page.click("#go")
    page.wait_for_selector("#links input")
    other = page.input_value("#links input")
    page.click("#links a")
    page.wait_for_selector(".ludo-stage svg")
    room, seat = served.lobby.find(page.url.partition("#")[2])
    assert (seat, room.table.specs, room.table.options) == (0, {1: "random"}, {"deal": "balanced"})
    friend = visit(other)
    friend.wait_for_selector(".ludo-stage svg")
    assert friend.evaluate("board.table.seat") == 2
    # Whoever has the key can return to the start page; the friend doesn't get it.
    assert page.is_visible("#start") and not friend.is_visible("#start")


def test_a_start_page_without_the_key_begins_nothing(served, visit):
    page = visit(served.url, expected="403")
    page.wait_for_selector("#form:not([hidden])")
    before = len(served.lobby._rooms)
    page.evaluate("document.getElementById('go').click()")
    wait(page, "document.getElementById('told').textContent.includes('did not work')")
    assert len(served.lobby._rooms) == before


def test_a_finished_game_is_saved_on_request(served, visit):
    table = table_of("sarena")
    page = open_table(served, visit, table)
    page.evaluate("test.playOn(3)")
    with page.expect_download() as download:
        page.click("[data-button=save]")
    text = Path(download.value.path()).read_text("utf-8")
    replay = Replay.from_json(text)
    assert replay.action_numbers() == table.actions
    replay.verify()


def test_the_page_of_a_forged_link_says_so(served, visit):
    page = visit(f"{served.url}/table#nothing.at-all")
    page.wait_for_selector(".ludo-alarm:not([hidden])")
    assert "belongs to no table" in page.inner_text(".ludo-alarm")


# In a notebook


def test_a_page_without_python_steps_through_a_game(served, visit, tmp_path):
    widget = pytest.importorskip("ludotheque.widget", reason="needs the extra [notebook]")
    board = widget.Board("sarena", opponents="random", seat=None, seed=6)
    while not board.over:
        board.table.agent_acts()
    widget.Board(board.replay()).save_html(tmp_path / "game.html")
    page = visit((tmp_path / "game.html").as_uri())
    page.wait_for_selector(".ludo-stage svg")
    last = len(board.table.actions)
    assert page.evaluate("[board.at, board.count]") == [0, last + 1]
    page.click("[data-button=on]")
    wait(page, "board.at === 1")
    assert board.table.moves[0] in page.inner_text(".ludo-status")
    page.click("[data-button=last]")
    wait(page, f"board.at === {last}")
    assert "The game is over" in page.inner_text(".ludo-status")
    assert not page.is_visible("[data-button=save]")


# A widget host with only what every anywidget host must have.
HOST = """async ({ script, style }) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: style }));
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const { render } = (await import(url)).default;
  const listeners = new Set();
  const model = {
    on: (name, listener) => name === "msg:custom" && listeners.add(listener),
    off: (name, listener) => listeners.delete(listener),
    send: async (message) => {
      for (const one of await ask(message)) for (const hear of listeners) hear(one);
    },
  };
  const el = document.createElement("div");
  document.body.append(el);
  const leave = render({ model, el });
  window.board = el.querySelector(".ludo").board;
  window.leave = () => (leave(), listeners.size);
}"""


def test_a_game_in_whatever_host_shows_widgets(visit, monkeypatch):
    widget = pytest.importorskip("ludotheque.widget", reason="needs the extra [notebook]")
    cell = widget.Board("sarena", opponents="random", seed=3)
    heard: list[dict] = []
    monkeypatch.setattr(cell, "send", heard.append)

    def ask(message):
        heard.clear()
        cell._handle_custom_msg(message, [])
        return json.loads(json.dumps(heard))

    page = visit("about:blank")
    page.expose_function("ask", ask)
    page.evaluate(HOST, {"script": cell._esm, "style": cell._css})
    page.wait_for_selector(".ludo-stage svg")
    assert page.evaluate("test.playOn(5)") > 10
    assert cell.over
    assert "The game is over" in page.inner_text(".ludo-status")
    assert page.evaluate("leave()") == 0


@pytest.fixture
def lab(tmp_path):
    """A running JupyterLab, with a notebook of one cell; yields its address."""
    source = (
        'from ludotheque.widget import Board\nboard = Board("sarena", opponents="random", seed=3)'
    )
    after = 'with open("result.txt", "w") as file: file.write(" ".join(board.replay().actions))'
    cells = [
        {"cell_type": "code", "id": name, "source": text, "metadata": {}, "outputs": []}
        | {"execution_count": None}
        for name, text in (("play", f"{source}\nboard"), ("told", after))
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "game.ipynb").write_text(json.dumps(notebook), "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--port={port}"]
    command += ["--IdentityProvider.token=secret", "--allow-root", f"--notebook-dir={tmp_path}"]
    places = {f"JUPYTER_{name}_DIR": str(tmp_path / name.lower()) for name in ("CONFIG", "RUNTIME")}
    with subprocess.Popen(
        command, env={**os.environ, **places}, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        said = itertools.takewhile(lambda line: "is running at" not in line, process.stderr)
        said = [*said]
        assert process.poll() is None, "".join(said)
        # Its further output must not fill the pipe.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        yield f"http://127.0.0.1:{port}/lab/tree/game.ipynb?token=secret", tmp_path / "result.txt"
        process.terminate()
        process.wait(PATIENCE_MS / 1000)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("jupyterlab") is None, reason="needs jupyterlab, of the extra [dev]")
def test_a_game_in_a_cell_of_jupyterlab(browser, lab):
    url, result = lab
    context = browser.new_context(viewport={"width": 1300, "height": 1000}, reduced_motion="reduce")
    context.add_init_script(HELPERS)
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(url)
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    page.wait_for_selector("text=/Python 3.*Idle/")
    page.click(".jp-Cell .cm-content >> nth=0")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".ludo-stage svg")
    page.evaluate("window.board = document.querySelector('.ludo').board")
    assert page.evaluate("test.playOn(5)") > 10
    assert "The game is over" in page.inner_text(".ludo-status")
    # The cell's value is the game: code continues from the clicked moves.
    page.click(".jp-Cell .cm-content >> nth=1")
    page.keyboard.press("Shift+Enter")
    page.wait_for_function("document.querySelectorAll('.jp-InputPrompt')[1].textContent === '[2]:'")
    moves = result.read_text("utf-8").split()
    assert len(moves) == page.evaluate("board.count") - 1
    context.close()
