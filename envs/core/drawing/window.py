"""A window that shows pictures and receives clicks and keys. Only this module uses pygame.

Pygame (pygame-ce, in the extra [render]) is imported when the first window is created, so this
module can be imported without it at no cost. Use windows from the main thread only: some systems
allow nothing else.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
from collections import deque
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

__all__ = ["Window", "WindowEvent"]

MARGIN_COLOUR = (38, 34, 30)
# Leaves room for the desktop's bars when a picture is larger than the screen.
PART_OF_SCREEN = 0.9
# Every open window: pygame has one queue of events for all of them.
_open_windows: list[Window] = []


class WindowEvent(NamedTuple):
    """Something that happened in a window.

    kind: "quit" (the user closed the window), "click" (left button) or "key".
    x, y: position of the click, in pixels of the picture last shown; -1 for other kinds.
    key: pygame's name of the key in lower case ("escape", "space", "a", "left"...), else "".
    """

    kind: str
    x: float = -1.0
    y: float = -1.0
    key: str = ""


class Window:
    """A resizable window; the picture keeps its proportions and is centred in it.

    The window opens with the first `show`. Several can be open at once.

    Args:
        title: the text in the title bar.
        fps: maximum number of calls of `show` per second, above 0.

    Raises:
        ImportError: pygame-ce is not installed.
        RuntimeError: there is no display.
    """

    def __init__(self, title: str, fps: float = 30) -> None:
        if not fps > 0:
            raise ValueError(f"fps must be above 0, not {fps!r}")
        self.title = self._line = title
        self.fps = fps
        self._pygame = _start_pygame()
        self._clock = self._pygame.time.Clock()
        self._window: Any = None
        self._picture: Any = None
        self._events: deque[WindowEvent] = deque(maxlen=1000)
        self._quit_requested = False
        self._closed = False
        _open_windows.append(self)

    @property
    def quit_requested(self) -> bool:
        """Whether the user has asked to close the window. It stays open until `close`."""
        return self._quit_requested

    def show(self, rgb: np.ndarray) -> None:
        """Show a picture, then wait as long as `fps` requires.

        Args:
            rgb: uint8 array of shape (H, W, 3).
        """
        self._require_open()
        self._picture = self._surface_of(rgb)
        if self._window is None:
            self._window = self._pygame.Window(
                self._line, self._first_size(self._picture.get_size()), resizable=True
            )
        self._paint()
        _route_events(self._pygame)
        self._clock.tick(self.fps)

    def say(self, text: str) -> None:
        """Show a text in the title bar, after the title; ``""`` removes it."""
        self._require_open()
        self._line = f"{self.title} — {text}" if text else self.title
        if self._window is not None:
            self._window.title = self._line

    def poll(self, wait: float = 0.0) -> list[WindowEvent]:
        """Return the events since the last call, oldest first.

        Args:
            wait: if there are none yet, wait up to this many seconds for one. A polling loop should
                pass a small value (0.05), so as not to keep a core busy.
        """
        self._require_open()
        _route_events(self._pygame)
        if not self._events and wait > 0:
            _route_events(self._pygame, wait)
        events = list(self._events)
        self._events.clear()
        return events

    def close(self) -> None:
        """Close the window. Calling it again does nothing."""
        if self._closed:
            return
        self._closed = True
        _open_windows.remove(self)
        if self._window is not None:
            self._window.destroy()
            self._window = None
        if not _open_windows:
            self._pygame.display.quit()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    # Inside

    def _require_open(self) -> None:
        if self._closed:
            raise RuntimeError("this window is closed; make a new Window")

    def _surface_of(self, rgb: np.ndarray):
        rgb = np.asarray(rgb)
        if rgb.dtype != np.uint8 or rgb.ndim != 3 or rgb.shape[2] != 3 or not rgb.size:
            raise ValueError(
                "a window shows a uint8 array of shape (H, W, 3), not "
                f"{rgb.dtype} of shape {rgb.shape}"
            )
        height, width = rgb.shape[:2]
        # From bytes: the picture is copied, so the caller may keep writing to its array.
        return self._pygame.image.frombytes(rgb.tobytes(), (width, height), "RGB")

    def _first_size(self, picture_size: tuple[int, int]) -> tuple[int, int]:
        """The picture's size, reduced to fit the screen."""
        width, height = picture_size
        with contextlib.suppress(self._pygame.error):
            screen_width, screen_height = self._pygame.display.get_desktop_sizes()[0]
            room = min(screen_width / width, screen_height / height) * PART_OF_SCREEN
            if 0 < room < 1:
                return max(1, round(width * room)), max(1, round(height * room))
        return width, height

    def _placement(self) -> tuple[float, int, int]:
        """Pixels of the window per pixel of the picture, and the picture's top left corner."""
        width, height = self._picture.get_size()
        room_width, room_height = self._window.size
        scale = min(room_width / width, room_height / height)
        left = round((room_width - width * scale) / 2)
        top = round((room_height - height * scale) / 2)
        return scale, left, top

    def _paint(self) -> None:
        surface = self._window.get_surface()
        scale, left, top = self._placement()
        width, height = self._picture.get_size()
        size = max(1, round(width * scale)), max(1, round(height * scale))
        picture = self._picture
        if size != (width, height):
            picture = self._pygame.transform.smoothscale(picture, size)
        surface.fill(MARGIN_COLOUR)
        surface.blit(picture, (left, top))
        self._window.flip()

    def _take(self, event) -> None:
        """Convert one of this window's pygame events into ours."""
        pygame = self._pygame
        if event.type == pygame.WINDOWCLOSE:
            self._quit_requested = True
            self._events.append(WindowEvent("quit"))
        elif event.type == pygame.KEYDOWN:
            self._events.append(WindowEvent("key", key=pygame.key.name(event.key).lower()))
        elif event.type == pygame.MOUSEBUTTONDOWN and event.button == pygame.BUTTON_LEFT:
            self._take_click(*event.pos)
        elif event.type in (pygame.WINDOWSIZECHANGED, pygame.WINDOWEXPOSED):
            self._paint()

    def _take_click(self, x: float, y: float) -> None:
        """Add a click; clicks beside the picture are dropped."""
        scale, left, top = self._placement()
        width, height = self._picture.get_size()
        x, y = (x - left) / scale, (y - top) / scale
        if 0 <= x < width and 0 <= y < height:
            self._events.append(WindowEvent("click", x, y))


def _start_pygame() -> ModuleType:
    """Import pygame and open the display; the errors name what is missing."""
    # Pygame prints a greeting to standard output, which may be used for JSON.
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    # SDL would turn SIGTERM into an event, and `kill` would no longer end a training run.
    os.environ.setdefault("SDL_NO_SIGNAL_HANDLERS", "1")
    try:
        pygame = importlib.import_module("pygame")
    except ImportError as error:
        raise ImportError(
            f"a window needs pygame-ce, which could not be imported ({error}); "
            'install it with: pip install "ludotheque[render]"'
        ) from error
    if not hasattr(pygame, "Window"):
        raise ImportError(
            "the module pygame is not a recent pygame-ce (it has no pygame.Window); install it "
            'with: pip uninstall pygame, then pip install --force-reinstall "pygame-ce>=2.5"'
        )
    advice = (
        "no window can be opened, because there is no display; "
        'use render_mode="rgb_array" or "svg", or save a GIF'
    )
    if sys.platform.startswith("linux"):
        advice += "; over ssh, `ssh -X` or `xvfb-run` gives a display"
    try:
        # Not pygame.init(), which would also open the sound card.
        pygame.display.init()
    except pygame.error as error:
        raise RuntimeError(f"{advice} ({error})") from error
    # Without a display, SDL may silently draw to memory, and the window would never appear.
    if pygame.display.get_driver() == "offscreen" and not os.environ.get("SDL_VIDEODRIVER"):
        if not _open_windows:
            pygame.display.quit()
        raise RuntimeError(advice)
    return pygame


def _route_events(pygame: ModuleType, wait: float = 0.0) -> None:
    """Pass the events in pygame's single queue to their windows."""
    events = []
    if wait > 0:
        first = pygame.event.wait(round(wait * 1000))
        events = [first] if first.type != pygame.NOEVENT else []
    events += pygame.event.get()
    for event in events:
        if event.type == pygame.QUIT:
            continue  # comes after the last window's own WINDOWCLOSE, or from a signal
        for window in list(_open_windows):
            if window._window is not None and getattr(event, "window", None) is window._window:
                window._take(event)
