"""A board that steps through positions without Python: a self-contained page."""

from __future__ import annotations

import base64
import html
import json
import zlib
from pathlib import Path
from typing import Any

from ludotheque.web import table as tables
from ludotheque.web.guest import Guest

STATIC = Path(tables.__file__).with_name("static")
# A game's pictures are mostly alike: each piece is written once, and a frame lists the numbers of
# its pieces.
_READER = """
const read = async (text) => {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
};
const { head, views, pieces } = await read(document.getElementById("game").textContent);
const transport = {
  send({ do: what, at }) {
    if (what !== "frame") return;
    const view = views[at];
    const svg = view.svg.map((k) => pieces[k]).join("<");
    setTimeout(() => transport.onmessage({ ...view, svg }));
  },
};
window.board = mount(document.getElementById("board"), transport);
transport.onmessage(head);
board.wanted = 0;
transport.send({ do: "frame", at: 0 });
"""


def page_of(table: tables.Table, seat: int | None) -> str:
    """Return a page that steps through the game so far as seen by ``seat``."""
    guest = Guest(table, seat)
    # Nobody plays there, so nothing but stepping is offered.
    head = guest.hello()[0] | {"watching": True, "live": False, "chooses": False, "explain": False}
    views = [guest.film.message(frame) for frame in range(len(guest.film))]
    pieces: dict[str, int] = {}
    for view in views:
        parts = str(view["svg"]).split("<")
        view["svg"] = [pieces.setdefault(part, len(pieces)) for part in parts]
        view |= {"yours": False, "moves": [], "undo": False, "trace": []}
    packed = _packed({"head": head, "views": views, "pieces": [*pieces]})
    script = (STATIC / "board.js").read_text("utf-8").replace("export default { render };", "")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(table.game.title)}</title>"
        f"<style>{(STATIC / 'board.css').read_text('utf-8')}"
        # The page can't save the game again.
        " body { margin: 8px; color-scheme: light dark } [data-button=save] { display: none }"
        "</style>"
        '<div id="board"></div>'
        f'<script type="text/plain" id="game">{packed}</script>'
        f'<script type="module">{script}{_READER}</script></html>'
    )


def frame_of(page: str) -> str:
    """Return a page embedded in a sandboxed frame."""
    return (
        '<iframe sandbox="allow-scripts" width="100%" height="720" style="border: 0" '
        f'srcdoc="{html.escape(page, quote=True)}"></iframe>'
    )


def _packed(content: Any) -> str:
    text = json.dumps(content, ensure_ascii=False).encode()
    return base64.b64encode(zlib.compress(text, 9)).decode()
