"""VS Code: every game by clicks, in the widget manager that its notebooks use.

Needs npm and Chromium. The manager is Microsoft's own package; its page and its kernel are ours.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from playwright.sync_api import Browser, Route, sync_playwright

from ludotheque.envs import game_names

HERE = Path(__file__).resolve().parent
BUILT = HERE.parents[1] / "build" / "integrations" / "vscode" / "page"
HELPERS = HERE.parent / "web" / "helpers.js"
SHARED = Path(sysconfig.get_path("data")) / "share" / "jupyter"
TOKEN = "secret"  # noqa: S105  of a server that lives for a minute
# The page is served here, so the browser considers it foreign to the kernel server.
ARGUMENTS = ["--no-sandbox", "--disable-features=LocalNetworkAccessChecks"]
PAGE = """<!doctype html><meta charset="utf-8"><script src="/host/require.js"></script>
<body><script src="/host/host.js"></script>"""


def build() -> None:
    """Install the manager and bundle the page's script."""
    BUILT.mkdir(parents=True, exist_ok=True)
    shutil.copytree(HERE / "vscode", BUILT, dirs_exist_ok=True)
    subprocess.run(["npm", "install", "--no-audit", "--no-fund"], cwd=BUILT, check=True)
    shutil.copy(BUILT / "node_modules/requirejs/require.js", BUILT)
    command = ["node_modules/.bin/esbuild", "host.js", "--bundle", "--outfile=out/host.js"]
    command += ["--define:global=window", "--log-level=error", "--loader:.svg=dataurl"]
    subprocess.run(command, cwd=BUILT, check=True)


@contextmanager
def kernels() -> Iterator[str]:
    """Yield the address of a kernel server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyter_server", f"--port={port}", "--no-browser"]
    command += ["--allow-root", f"--IdentityProvider.token={TOKEN}"]
    with TemporaryDirectory() as folder:
        places = {f"JUPYTER_{name}_DIR": folder for name in ("CONFIG", "RUNTIME")}
        with subprocess.Popen(
            command, cwd=folder, env={**os.environ, **places}, stderr=subprocess.PIPE, text=True
        ) as process:
            assert process.stderr is not None
            assert any("is running at" in line for line in process.stderr), "no server of kernels"
            yield f"http://127.0.0.1:{port}"
            process.terminate()


def serve(route: Route) -> None:
    """Serve the page, its scripts and the widget's script."""
    name = route.request.url.split("/host/")[1]
    if not name:
        return route.fulfill(body=PAGE, content_type="text/html")
    places = {"host.js": BUILT / "out/host.js", "require.js": BUILT / "require.js"}
    return route.fulfill(path=places.get(name, SHARED / name))


def play(browser: Browser, address: str, game: str) -> dict[str, Any]:
    """Play a game by clicks; AssertionError unless Python has the moves that the page shows."""
    page = browser.new_page(viewport={"width": 1280, "height": 1000}, reduced_motion="reduce")
    page.set_default_timeout(120_000)
    page.add_init_script(path=HELPERS)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.route("**/host/**", serve)
    page.goto(f"{address}/host/")
    page.evaluate("token => start(token)", TOKEN)
    made = f"Board('{game}', opponents='random', seed=3)"
    page.evaluate("code => run(code)", f"from ludotheque.widget import Board\nb = {made}\nb")
    page.wait_for_selector(".ludo-stage svg")
    page.evaluate("window.board = document.querySelector('.ludo').board")
    clicks = page.evaluate("test.playOn(5)")
    assert "The game is over" in page.inner_text(".ludo-status")
    # The cell's value is the game: code continues from the clicked moves.
    page.evaluate("code => run(code)", "assert b.over; b.save_html('game.html'); len(b.states)")
    shown = page.evaluate("board.count")
    page.evaluate("code => run(code)", f"assert len(b.replay().actions) + 1 == {shown}")
    page.close()
    assert not problems, problems
    return {"game": game, "clicks": clicks, "positions": shown}


def main() -> None:
    chromium = os.environ.get("LUDOTHEQUE_BROWSER") or shutil.which("chromium")
    if not chromium or not shutil.which("npm"):
        sys.exit("Needs npm and a chromium (or the name of another in LUDOTHEQUE_BROWSER).")
    start = perf_counter()
    build()
    version = json.loads((HERE / "vscode/package.json").read_text())["dependencies"]
    with kernels() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        played = [play(browser, address, game) for game in game_names()]
        browser.close()
    told = {
        "library": "@vscode/jupyter-ipywidgets8",
        "version": version["@vscode/jupyter-ipywidgets8"],
        "seconds": round(perf_counter() - start),
        "played": played,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
