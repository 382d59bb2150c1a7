"""The canvas, its pixels and animations, files written whole, and the window."""

from __future__ import annotations

import io
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from ludotheque.cli.common import UserError
from ludotheque.cli.table import check_place
from ludotheque.envs.core import files
from ludotheque.envs.core.drawing.canvas import FONT_FILES, FONT_FOLDER, Canvas, save_gif, save_png
from ludotheque.envs.core.files import atomic_path, atomic_write_bytes, atomic_write_text

SVG = "{http://www.w3.org/2000/svg}"
RED, WHITE = (200, 0, 0), (255, 255, 255)


def everything() -> Canvas:
    """A small picture with one of each shape."""
    canvas = Canvas(120, 80, "#ffffff")
    canvas.rect(5, 5, 30, 20, radius=4, fill="#c80000", title="a <rect> & more")
    canvas.circle(60, 20, 12, fill=canvas.radial_gradient([(0, "#fff"), (1, "#00f")]))
    canvas.ellipse(95, 20, 15, 8, fill=canvas.linear_gradient([(0, "#fff"), (1, "#0a0")]))
    canvas.line(5, 40, 115, 40, stroke="#000", stroke_width=2)
    canvas.polygon([(5, 75), (25, 75), (15, 55)], fill="#888")
    canvas.path("M 40 75 L 60 75 L 50 55 Z", fill="none", stroke="#444")
    with canvas.group(opacity=0.5, title="half there"):
        canvas.text(90, 65, "Sàrèná <&> ◆", size=14, bold=True, title="text with a title")
    return canvas


def frames(count: int, size: tuple[int, int] = (20, 30)) -> list[np.ndarray]:
    """Different pictures of one size (height, width)."""
    return [np.full((*size, 3), 10 * k, dtype=np.uint8) for k in range(count)]


# The document


def test_svg_parses_and_keeps_texts_and_titles():
    root = ElementTree.fromstring(everything().svg())
    assert root.tag == SVG + "svg"
    assert root.get("viewBox") == "0 0 120 80"
    titles = [element.text for element in root.iter(SVG + "title")]
    assert titles == ["a <rect> & more", "half there", "text with a title"]
    (text,) = root.iter(SVG + "text")
    assert "".join(text.itertext()) == "text with a titleSàrèná <&> ◆"


def test_whatever_an_attribute_or_a_text_holds_is_read_back():
    canvas, special = Canvas(10, 10), "<a href='b'> & \"c\"\t\n]]>é"
    canvas.text(1, 2, special, title=special, id=special, fill="#000")
    (text,) = ElementTree.fromstring(canvas.svg()).iter(SVG + "text")
    assert (text.get("id"), text.get("fill")) == (special, "#000")
    assert (text[0].text, text[0].tail) == (special, special)


def test_an_empty_text_draws_nothing():
    canvas = Canvas(10, 10)
    blank = canvas.svg()
    canvas.text(5, 5, "")
    assert canvas.svg() == blank


def test_a_group_holds_what_is_drawn_inside_it_even_after_an_error():
    canvas = Canvas(10, 10)
    with pytest.raises(RuntimeError, match="inside"), canvas.group():
        canvas.circle(1, 1, 1)
        raise RuntimeError("inside")
    canvas.circle(2, 2, 2)
    root = ElementTree.fromstring(canvas.svg())
    assert [element.get("r") for element in root.findall(f"{SVG}g/{SVG}circle")] == ["1"]
    assert [element.get("r") for element in root.findall(f"{SVG}circle")] == ["2"]


def test_gradients_of_two_pictures_on_one_page_do_not_mix():
    names = []
    for colour in ("#ff0000", "#0000ff", "#ff0000"):
        canvas = Canvas(10, 10)
        names.append(canvas.linear_gradient([(0, colour), (1, "#fff")]))
    assert names[0] == names[2] != names[1]


def test_drawing_twice_gives_the_same_document():
    assert everything().svg() == everything().svg()


@pytest.mark.parametrize("size", [(0, 10), (10, -1), (float("nan"), 10), (10, float("inf"))])
def test_a_bad_size_is_refused(size):
    with pytest.raises(ValueError, match="must be a number above 0"):
        Canvas(*size)


def test_what_xml_cannot_hold_is_refused():
    canvas = Canvas(10, 10)
    with pytest.raises(ValueError, match="XML"):
        canvas.text(1, 1, "bell \a")
    with pytest.raises(ValueError, match="XML"):
        canvas.circle(1, 1, 1, title="\ud800")
    with pytest.raises(ValueError, match="finite"):
        canvas.circle(float("nan"), 1, 1)
    with pytest.raises(ValueError, match="anchor"):
        canvas.text(1, 1, "a", anchor="left")


# Pixels


@pytest.mark.parametrize("scale", [1.0, 0.5, 2.25])
def test_rgb_has_the_shape_of_the_scale_and_something_on_it(scale):
    pixels = everything().rgb(scale)
    assert pixels.dtype == np.uint8
    assert pixels.shape == (round(80 * scale), round(120 * scale), 3)
    assert pixels.flags.c_contiguous
    assert pixels.flags.writeable
    assert len(np.unique(pixels.reshape(-1, 3), axis=0)) > 20
    assert tuple(pixels[round(15 * scale), round(20 * scale)]) == RED


def test_png_is_a_png_of_the_same_pixels():
    canvas = everything()
    data = canvas.png()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    image = Image.open(io.BytesIO(data)).convert("RGB")
    np.testing.assert_array_equal(np.asarray(image), canvas.rgb())


def test_a_transparent_picture_becomes_white_pixels():
    canvas = Canvas(10, 10, background=None)
    canvas.rect(0, 0, 5, 10, fill="#c80000", fill_opacity=0.5)
    pixels = canvas.rgb()
    assert tuple(pixels[5, 8]) == WHITE
    np.testing.assert_allclose(pixels[5, 2], (227, 127, 127), atol=2)


@pytest.mark.parametrize("bold", [False, True])
def test_every_character_a_game_may_write_has_a_shape(bold):
    missing = []
    for character in "AZaz09éèàçñøßŁŞ.,:;!?'’“”«»–—…+−×·→←↑↓↻◆●○▲▶★☆✓⚀①":
        canvas = Canvas(40, 40)
        canvas.text(20, 20, character, size=24, bold=bold)
        if (canvas.rgb() == 255).all():
            missing.append(character)
    assert not missing


def test_a_capital_is_centred_where_it_is_asked_for():
    canvas = Canvas(60, 60)
    canvas.text(30, 30, "H", size=40)
    rows, columns = np.nonzero((canvas.rgb() < 128).all(axis=2))
    assert abs((rows.min() + rows.max() + 1) / 2 - 30) <= 1
    assert abs((columns.min() + columns.max() + 1) / 2 - 30) <= 1


def test_the_fonts_and_their_licence_are_there():
    for name in FONT_FILES:
        assert (FONT_FOLDER / name).stat().st_size < 100_000
    assert "Bitstream Vera" in (FONT_FOLDER / "LICENSE_DEJAVU.txt").read_text("utf-8")


def test_text_does_not_come_from_the_system_fonts():
    """A letter missing from our fonts leaves no trace, whatever fonts this machine has."""
    canvas = Canvas(40, 40)
    canvas.text(20, 20, "Ж", size=24)
    assert (canvas.rgb() == 255).all()


@pytest.mark.parametrize("scale", [0, -1, float("nan"), 1e9])
def test_a_bad_scale_is_refused(scale):
    with pytest.raises(ValueError, match="scale"):
        everything().png(scale)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    canvas = everything()
    assert canvas.svg()
    with pytest.raises(ImportError, match=r'resvg_py.*pip install "ludotheque\[render\]"'):
        canvas.rgb()


def test_pixels_need_no_display_and_no_pygame(run_python):
    code = """
import os, sys
for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
    os.environ.pop(name, None)
from ludotheque.envs.core.drawing import window
from ludotheque.envs.core.drawing.canvas import Canvas
canvas = Canvas(10, 10)
canvas.svg()
assert not {"PIL", "resvg_py"} & set(sys.modules), "the extras came in too early"
canvas.circle(5, 5, 3)
assert (canvas.rgb() == 0).any()
assert "pygame" not in sys.modules
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


# Files


def test_a_picture_saves_by_its_ending(tmp_path):
    everything().save(tmp_path / "a.svg")
    everything().save(tmp_path / "a.png", scale=2)
    save_png(everything(), tmp_path / "b.png", scale=2)
    save_png(everything().rgb(2), tmp_path / "c.png")
    assert ElementTree.parse(tmp_path / "a.svg").getroot().tag == SVG + "svg"
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    with Image.open(tmp_path / "c.png") as image:
        assert image.size == (240, 160)
    with pytest.raises(ValueError, match=r"\.svg or \.png"):
        everything().save(tmp_path / "a.jpg")


def test_a_gif_has_its_frames_and_times(tmp_path):
    save_gif(frames(5), tmp_path / "a.gif", 200)
    save_gif(frames(3), tmp_path / "b.gif", [100, 200, 900])
    times = {}
    for name in ("a", "b"):
        with Image.open(tmp_path / f"{name}.gif") as image:
            times[name] = []
            for k in range(image.n_frames):
                image.seek(k)
                times[name].append(image.info["duration"])
                assert image.size == (30, 20)
                assert np.asarray(image.convert("RGB"))[10, 15].max() == 10 * k
    assert times == {"a": [200] * 5, "b": [100, 200, 900]}


def test_a_gif_of_canvases_and_of_one_frame(tmp_path):
    save_gif([everything()], tmp_path / "one.gif", scale=0.5)
    with Image.open(tmp_path / "one.gif") as image:
        assert (image.size, image.n_frames) == ((60, 40), 1)


def test_equal_frames_in_a_row_are_one_long_frame(tmp_path):
    first, second = frames(2)
    save_gif([first, second, second, second], tmp_path / "a.gif", 100)
    with Image.open(tmp_path / "a.gif") as image:
        assert image.n_frames == 2
        image.seek(1)
        assert image.info["duration"] == 300


@pytest.mark.parametrize(
    ("bad", "time_ms", "message"),
    [
        ([], 100, "at least one frame"),
        ([*frames(1), *frames(1, (5, 5))], 100, "one size"),
        ([np.zeros((4, 4), np.uint8)], 100, "shape"),
        ([np.zeros((4, 4, 3))], 100, "uint8"),
        (frames(2), 5, "milliseconds"),
        (frames(2), [100], "for 2 frames"),
    ],
)
def test_bad_frames_are_refused_and_leave_no_file(tmp_path, bad, time_ms, message):
    with pytest.raises(ValueError, match=message):
        save_gif(bad, tmp_path / "a.gif", time_ms)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_gif_leaves_the_old_one(tmp_path, monkeypatch):
    target = tmp_path / "a.gif"
    save_gif(frames(2), target)
    old = target.read_bytes()

    def half_a_save(self, path, **options):
        Path(path).write_bytes(b"GIF89a, but no more")
        raise KeyboardInterrupt

    monkeypatch.setattr(Image.Image, "save", half_a_save)
    with pytest.raises(KeyboardInterrupt):
        save_gif(frames(3), target)
    assert target.read_bytes() == old
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
@pytest.mark.parametrize("before", [b"old", None])
def test_an_interrupted_write_leaves_what_was_there(tmp_path, error, before):
    target = tmp_path / "result.json"
    if before is not None:
        target.write_bytes(before)
    with pytest.raises(error), atomic_path(target) as temporary:
        temporary.write_bytes(b"half of the ne")
        raise error
    assert (target.read_bytes() if target.exists() else None) == before
    assert len(list(tmp_path.iterdir())) == (before is not None)


def test_a_failed_rename_leaves_what_was_there(tmp_path, monkeypatch):
    target = tmp_path / "result"
    target.write_bytes(b"old")

    def refuse(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(files.os, "replace", refuse)
    with pytest.raises(OSError, match="disk is full"):
        atomic_write_bytes(target, b"new")
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_pipe_or_device_is_not_replaced_by_a_file(tmp_path):
    target = tmp_path / "result.json"
    os.mkfifo(target)
    with pytest.raises(FileExistsError, match="give the name of a file"):
        atomic_write_bytes(target, b"new")
    with pytest.raises(UserError, match="give the name of a file"):
        check_place(target)
    assert target.is_fifo() and list(tmp_path.iterdir()) == [target]


def test_the_new_file_is_seen_only_when_whole(tmp_path):
    target = tmp_path / "model.zip"
    target.write_bytes(b"old")
    with atomic_path(target) as temporary:
        assert temporary.parent == tmp_path
        assert temporary.suffix == ".zip"
        temporary.write_bytes(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_text_is_utf8_with_plain_line_ends(tmp_path):
    atomic_write_text(tmp_path / "a.txt", "Sàrèná\nend\n")
    assert (tmp_path / "a.txt").read_bytes() == "Sàrèná\nend\n".encode()


def test_the_folder_must_exist_and_the_target_be_no_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist; make it first"):
        atomic_write_text(tmp_path / "nowhere" / "a.txt", "")
    with pytest.raises(IsADirectoryError, match="is a folder"):
        atomic_write_text(tmp_path, "")


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_permissions_and_links_are_kept(tmp_path):
    plain, fresh = tmp_path / "plain", tmp_path / "fresh"
    plain.write_text("")
    atomic_write_text(fresh, "new")
    assert stat.S_IMODE(fresh.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    fresh.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(fresh)
    atomic_write_text(link, "newer")
    assert link.is_symlink()
    assert fresh.read_text() == "newer"
    assert stat.S_IMODE(fresh.stat().st_mode) == 0o640


def test_a_webp_is_a_film_of_all_frames_in_fewer_bytes(tmp_path):
    image_module = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
    rng = np.random.default_rng(1)
    smooth = np.linspace(0, 255, 60 * 80 * 3).reshape(60, 80, 3)
    frames = [(smooth * rng.random()).astype(np.uint8) for _ in range(6)]
    for name in ("film.gif", "film.webp"):
        save_gif(frames, tmp_path / name, 200)
    with image_module.open(tmp_path / "film.webp") as film:
        assert (film.format, film.n_frames, film.size) == ("WEBP", 6, (80, 60))
        film.seek(5)
        seen = np.asarray(film.convert("RGB")).astype(int)
    assert np.abs(seen - frames[5]).mean() < 6
    sizes = [(tmp_path / name).stat().st_size for name in ("film.gif", "film.webp")]
    assert sizes[1] < sizes[0] / 3


# The window. Pygame keeps one display a process, so each check runs in a process of its own.

USE_A_WINDOW = """
import numpy as np
import pygame
from ludotheque.envs.core.drawing.window import Window, WindowEvent

def happen(kind, window, **more):
    pygame.event.post(pygame.event.Event(kind, window=window._window, **more))

picture = np.zeros((60, 100, 3), np.uint8)
picture[:, :50] = (200, 0, 0)
first, second = Window("first", fps=200), Window("second", fps=200)
first.say("before it opens")
first.show(picture)
second.show(picture)
first.poll(), second.poll()
assert (first._window.title, second._window.title) == ("first — before it opens", "second")
first.say("a hint")
assert first._window.title == "first — a hint"
first.say("")
assert first._window.title == "first"
assert first._window.size == (100, 60)
happen(pygame.MOUSEBUTTONDOWN, first, button=1, pos=(25, 30))
happen(pygame.MOUSEBUTTONDOWN, first, button=3, pos=(1, 1))
happen(pygame.KEYDOWN, second, key=pygame.K_ESCAPE)
assert second.poll() == [WindowEvent("key", key="escape")]
assert first.poll() == [WindowEvent("click", 25, 30)]

first._window.size = (300, 300)  # a strip of 60 pixels stays empty above and below
first.show(picture)
first.poll(0.2)
surface = first._window.get_surface()
assert surface.get_size() == (300, 300)
assert tuple(surface.get_at((20, 150)))[:3] == (200, 0, 0)
assert tuple(surface.get_at((20, 5)))[:3] != (200, 0, 0)
happen(pygame.MOUSEBUTTONDOWN, first, button=1, pos=(75, 150))
happen(pygame.MOUSEBUTTONDOWN, first, button=1, pos=(75, 20))
assert [e for e in first.poll() if e.kind == "click"] == [WindowEvent("click", 25, 30)]

happen(pygame.WINDOWCLOSE, second)
assert not first.quit_requested and second.poll() == [WindowEvent("quit")]
assert second.quit_requested
second.close()
second.close()
first.show(picture)
first.close()
try:
    first.show(picture)
except RuntimeError as error:
    assert "make a new Window" in str(error)
else:
    raise AssertionError("a closed window showed a picture")
with Window("again") as again:
    again.show(picture)
    print(pygame.display.get_driver())
"""


def test_a_window_without_a_screen_shows_and_hears(run_python):
    done = run_python(USE_A_WINDOW, SDL_VIDEODRIVER="dummy")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "dummy\n"  # and no greeting from pygame


@pytest.mark.display
@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="Xvfb is not installed")
def test_a_window_on_a_real_server_shows_and_hears(run_python, tmp_path):
    reading, writing = os.pipe()
    server = subprocess.Popen(
        [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            "800x600x24",
            "-noreset",
            "-nolisten",
            "tcp",
        ],
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            display = answer.readline().strip()  # waits until the server is ready
        assert display, "Xvfb did not start"
        done = run_python(USE_A_WINDOW, SDL_VIDEODRIVER="x11", DISPLAY=f":{display}")
        assert done.returncode == 0, done.stderr
        assert done.stdout == "x11\n"
    finally:
        server.terminate()
        server.wait(10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have a screen")
def test_without_a_display_the_window_says_what_to_do(run_python):
    """SDL would silently draw to memory."""
    code = """
import os
for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
    os.environ.pop(name, None)
from ludotheque.envs.core.drawing.window import Window
try:
    Window("nobody sees this")
except RuntimeError as error:
    assert "no display" in str(error) and "rgb_array" in str(error), error
else:
    raise AssertionError("a window opened in mid-air")
"""
    done = run_python(code)
    assert done.returncode == 0, done.stderr


def test_without_pygame_the_window_says_what_to_install(monkeypatch):
    from ludotheque.envs.core.drawing.window import Window

    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r'pip install "ludotheque\[render\]"'):
        Window("never")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_process_with_a_window_can_still_be_terminated(run_python):
    code = """
import os, signal
import numpy as np
from ludotheque.envs.core.drawing.window import Window
Window("a training").show(np.zeros((9, 9, 3), np.uint8))
os.kill(os.getpid(), signal.SIGTERM)
signal.pause()
"""
    done = run_python(code, SDL_VIDEODRIVER="dummy")
    assert done.returncode == -15


def test_show_waits_as_fps_asks_and_checks_its_picture(run_python):
    code = """
import numpy as np
import pygame
from ludotheque.envs.core.drawing.window import Window
asked = []
class Clock:
    def tick(self, fps):
        asked.append(fps)
pygame.time.Clock = Clock
picture = np.zeros((9, 9, 3), np.uint8)
with Window("slow", fps=10) as window:
    for _ in range(3):
        window.show(picture)
    assert asked == [10, 10, 10]
    for bad in (np.zeros((9, 9, 3)), np.zeros((9, 9), np.uint8)):
        try:
            window.show(bad)
        except ValueError as error:
            assert "uint8" in str(error)
        else:
            raise AssertionError(bad.shape)
"""
    done = run_python(code, SDL_VIDEODRIVER="dummy")
    assert done.returncode == 0, done.stderr
